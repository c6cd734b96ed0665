"""Parsing of argument values: types, estimates, units, fractions, class priors, classes and models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import typer

from suffice.cli.columns import column_key
from suffice.cli.completion import CLASSIFIERS, ESTIMATES, UNITS
from suffice.cli.failures import bad_parameter, suggest
from suffice.errors import ModelFileError, SufficeError

if TYPE_CHECKING:
    from suffice.api import ClassPrior as Prior
    from suffice.api import Model
    from suffice.decisions import Unit

__all__ = [
    "ClassPriorArgument",
    "find_label",
    "load_for_command",
    "parse_class_prior",
    "parse_classifiers",
    "parse_estimate",
    "parse_share",
    "parse_types",
    "parse_unit",
]

_TYPES = ("text", "integer", "float", "bool")
_START = 512  # number of bytes that distinguish a text file from a model


def parse_types(given: list[str]) -> dict[Any, str] | None:
    """Return {name or position: type} of the values of --type."""
    found: dict[Any, str] = {}
    for text in given:
        name, sign, kind = text.rpartition("=")
        if not sign or not name or kind not in _TYPES:
            raise typer.BadParameter(
                f"{text!r} is not NAME=TYPE. Write for example {name or text}=text, with one of {', '.join(_TYPES)}.",
                param_hint="--type",
            )
        found[column_key(name)] = kind
    return found or None


def parse_estimate(text: str | None) -> str | None:
    """Return the name of an estimate, checked."""
    if text is None:
        return None
    from suffice.arguments import estimate_of
    from suffice.errors import ParameterError

    try:
        return estimate_of(text)
    except ParameterError:
        return _one_of(text, ESTIMATES, "estimate")  # raises, with a suggestion


def parse_classifiers(text: str) -> list[str]:
    """Return the names of classifiers, separated by commas, checked."""
    return [_one_of(name.strip(), dict.fromkeys(CLASSIFIERS, ""), "compare", "classifier") for name in text.split(",")]


def parse_unit(text: str) -> Unit:
    """Return the name of a unit, checked."""
    return cast("Unit", _one_of(text, UNITS, "unit"))


def _one_of(text: str, names: dict[str, str], option: str, what: str = "") -> str:
    if text in names:
        return text
    hint = suggest(text, names, "There are")
    raise typer.BadParameter(f"unknown {what or option} {text!r}. {hint}", param_hint=f"--{option}")


class ClassPriorArgument(NamedTuple):
    """A class prior as typed, with the classes as text."""

    prior: Prior

    def of(self, model: Model) -> Prior:
        """Return the prior for the classes of that model; ParameterError if it has no class of that name."""
        if self.prior.labels is None:
            return self.prior
        return self.prior.relabel([find_label(model, str(text)) for text in self.prior.labels])


def parse_class_prior(text: str) -> ClassPriorArgument:
    """Return the class prior of a text, as `ClassPrior.of` reads it; the classes need not be known yet."""
    from suffice.api import ClassPrior

    try:
        return ClassPriorArgument(ClassPrior.of(text))
    except SufficeError as problem:
        raise bad_parameter(problem, "--class-prior") from None


def find_label(model: Model, text: str) -> Any:
    """Return the class of a model that the text spells; ParameterError if it has no such class."""
    from suffice.arguments import find_class

    return model.classes[find_class(model.core.classes, text)]


def load_for_command(path: Path, *others: str | Path) -> Model:
    """Return the model of a file; an error suggests another order of the arguments if that is likely."""
    from suffice.api import load

    try:
        return load(path)
    except ModelFileError:
        if not path.is_file() or not _is_text(path):
            raise
        model = next((str(each) for each in others if str(each).endswith(".suffice")), None)
        advice = "Give a model file written by `suffice fit`."
        if model is not None:
            advice = f"The model comes before the data: give {model} first."
        raise ModelFileError(f"{str(path)!r} is not a suffice model: it is a text file", advice=advice) from None


def parse_share(text: str, option: str) -> float:
    """Return a fraction above 0 and at most 1, written as 0.9 or 90%.

    Examples
    --------
    >>> parse_share("90%", "--recall"), parse_share("0.9", "--recall")
    (0.9, 0.9)
    """
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise typer.BadParameter(
            f"must be a fraction above 0 and at most 1, such as 0.9 or 90%: got {text}.", param_hint=option
        )
    return value


def _is_text(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(_START)
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError as problem:
        if problem.start < len(start) - 4:
            return False
        text = start[: problem.start].decode("utf-8")
    return bool(text) and not any(sign < " " and sign not in "\t\r\n\f" for sign in text)
