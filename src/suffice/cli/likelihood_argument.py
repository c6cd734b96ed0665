"""NAME=LIKELIHOOD[:option=value,…], as --column and --prior take it.

    age=gaussian                       a column by its name; 3=gaussian by its place, -1 is the last
    fur=categorical:alpha=0.5          the prior count of every level; fur=categorical:0.5 says the same
    fur=categorical:evidence           the prior count that the data speak for; shared-evidence: one for all columns
    pixel*=poisson:shape=1,rate=2      every column that the pattern matches, under Gamma(1, 2)
    fur+sex=joint                      the combinations of two columns or more; a+b+c=multinomial likewise
    income=histogram:bins=16           at most 16 cells
    V*=gaussian:full                   the columns together, a covariance matrix for each class (QDA); :shared is LDA
    body=words:ngrams=1-2              documents by their words and pairs of words; more in text_options.py
    note=none                          the column is left out

Options are those of the likelihood in Python. A prior is given by its parameters: a, b (Beta) of bernoulli; shape, rate
(Gamma) of poisson; location, strength, shape, scale (normal-inverse-gamma) of gaussian and numeric.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any

import typer

from suffice.cli.text_options import TEXT_OPTIONS, split_options, text_value
from suffice.errors import SufficeError

if TYPE_CHECKING:
    from suffice.likelihoods import Likelihood

__all__ = ["LIKELIHOOD_NAMES", "column_key", "columns_of", "likelihood_of", "parameters_of_prior", "value_of"]

# The names of the registry, which is not imported for --help and completion; a test holds the two together.
LIKELIHOOD_NAMES = (
    "bernoulli",
    "categorical",
    "chars",
    "gaussian",
    "histogram",
    "joint",
    "multinomial",
    "numeric",
    "poisson",
    "words",
)
NONE = "none"
_OF_SEVERAL = ("joint", "multinomial")
_WITHOUT_ALPHA = ("bernoulli",)  # whose prior has two numbers
_EVIDENCE = ("evidence", "shared evidence", "evidence by class")
_COVARIANCES = ("diagonal", "full", "shared", "spherical")

_SHAPE = re.compile(r"(?P<name>.+?)=(?P<likelihood>[A-Za-z_]+)(?::(?P<options>.*))?", re.DOTALL)
_PLACE = re.compile(r"-?\d+")
_PRIORS = {
    "bernoulli": ("BetaBinomial", ("a", "b")),
    "poisson": ("GammaPoisson", ("shape", "rate")),
    "gaussian": ("NormalInverseGamma", ("location", "strength", "shape", "scale")),
    "numeric": ("NormalInverseGamma", ("location", "strength", "shape", "scale")),
}


def columns_of(given: list[str], option: str = "--column", *, together: bool = False) -> dict[Any, Likelihood | None]:
    """Return {name, pattern, place or tuple of those: likelihood, or None to leave it out}.

    Joint, multinomial and gaussian:full take several columns as name+name; with `together` every likelihood does.
    """
    found: dict[Any, Likelihood | None] = {}
    for text in given:
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            raise typer.BadParameter(
                f"{text!r} is not NAME=LIKELIHOOD. Write for example {text.partition('=')[0]}=gaussian, with one of "
                f"{', '.join((*LIKELIHOOD_NAMES, NONE))}.",
                param_hint=option,
            )
        likelihood = likelihood_of(shape["likelihood"], shape["options"], option)
        several = together or shape["likelihood"].lower() in _OF_SEVERAL or _goes_together(likelihood)
        names = shape["name"].split("+") if several else [shape["name"]]
        key = column_key(names[0]) if len(names) == 1 else tuple(map(column_key, names))
        if key in found:
            raise typer.BadParameter(f"{shape['name']!r} is given twice. Say once what it is.", param_hint=option)
        found[key] = likelihood
    return found


def _goes_together(likelihood: Likelihood | None) -> bool:
    return likelihood is not None and likelihood.collect(()).what == "scatter"


def parameters_of_prior(likelihood: str) -> tuple[str, ...]:
    """Return the options that give the prior of that likelihood, none where it has one number for each level."""
    return _PRIORS.get(likelihood, ("", ()))[1]


def column_key(name: str) -> str | int:
    """Return a place as a number, and a name as it is."""
    return int(name) if _PLACE.fullmatch(name) else name


def likelihood_of(name: str, options: str | None, option: str = "--column") -> Likelihood | None:
    """Return the likelihood of that name with these options, or None for "none"."""
    wanted = name.lower()
    if wanted == NONE and options is None:
        return None
    from suffice.likelihoods.registry import LIKELIHOODS

    by_name = {known.lower(): kind for known, kind in LIKELIHOODS.items()}
    if wanted not in by_name:
        close = get_close_matches(wanted, (*by_name, NONE), n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join((*by_name, NONE))}."
        raise typer.BadParameter(f"there is no likelihood {name!r}. {hint}", param_hint=option)
    kind: Any = by_name[wanted]
    values = _values(wanted, options, option)
    of_prior = parameters_of_prior(wanted)
    word = wanted in TEXT_OPTIONS or values.get("prior") in _EVIDENCE  # the prior is a word
    apart = ("columns",) if word else ("prior", "columns")
    accepted = [*(each for each in signature(kind).parameters if each not in apart), *of_prior]
    for each in values:
        if each not in accepted:
            close = get_close_matches(each, accepted, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"It has {', '.join(accepted) or 'none'}."
            raise typer.BadParameter(f"{wanted} has no option {each!r}. {hint}", param_hint=option)
    try:
        prior = _prior(wanted, {each: values.pop(each) for each in of_prior if each in values}, option)
        return kind(**values, **prior)
    except (SufficeError, TypeError) as problem:
        raise typer.BadParameter(str(problem), param_hint=option) from None


def _values(likelihood: str, options: str | None, option: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in split_options(likelihood, options) if options is not None else ():
        name, sign, value = each.partition("=")
        if not sign and _number(name) is not None:
            name, value = "alpha", name
        elif not sign and _words(name) in _EVIDENCE:
            name, value = ("prior" if likelihood in (*TEXT_OPTIONS, *_WITHOUT_ALPHA) else "alpha"), name
        elif not sign and likelihood == "gaussian" and name in _COVARIANCES:
            name, value = "covariance", name
        elif not sign or not name or not value:
            raise typer.BadParameter(
                f"{each!r} is not an option of {likelihood}. Write {likelihood}:name=value,name=value.",
                param_hint=option,
            )
        meant = text_value(name, value) if likelihood in TEXT_OPTIONS else None
        if name in ("alpha", "prior") and _words(value) in _EVIDENCE:
            meant = _words(value)
        found["bins" if name == "cells" else name] = value_of(value) if meant is None else meant
    return found


def _words(text: str) -> str:
    return text.replace("-", " ").replace("_", " ")


def value_of(text: str) -> Any:
    """Return a number, a truth value, a list (of what stands between bars) or the text itself."""
    if "|" in text:
        return [value_of(each) for each in text.split("|")]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = _number(text)
    return text if number is None else number


def _number(text: str) -> float | int | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _prior(likelihood: str, given: dict[str, Any], option: str) -> dict[str, Any]:
    if not given:
        return {}
    name, parameters = _PRIORS[likelihood]
    lacking = [each for each in parameters if each not in given]
    if lacking:
        raise typer.BadParameter(
            f"the prior of {likelihood} needs all of {', '.join(parameters)}: {', '.join(lacking)} is missing.",
            param_hint=option,
        )
    from suffice import conjugate

    return {"prior": getattr(conjugate, name)(**given)}
