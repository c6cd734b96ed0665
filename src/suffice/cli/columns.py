"""NAME=LIKELIHOOD, the syntax of --column and --prior, of the output of `suffice show`, and of schema files.

    age=gaussian                            a column by its name; 3=gaussian by its position, -1 is the last
    fur=Categorical(alpha=0.5)              with parameters, as in Python
    age=Gaussian(prior=NormalInverseGamma(30, 1, 2, 100))
    pixel*=Poisson(prior=GammaPoisson(1, 2))        every column that the pattern matches
    fur+sex=Joint()                         several columns; V1+V2=MultivariateGaussian(covariance="full") likewise
    'C++'=gaussian                          a name in quotes is taken literally
    note=none                               the column is left out

The text is parsed with `ast` and never run: only names of likelihoods and conjugate priors, and literals, are accepted.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from suffice.cli.failures import bad_parameter, suggest
from suffice.errors import ModelFileError, ParameterError, SufficeError

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.likelihoods import Likelihood

__all__ = ["NONE", "column_key", "parse_columns", "parse_likelihood", "schema_from", "schema_lines"]

NONE = "none"

_LARGEST = 2**24  # bytes of a schema file
_LITERAL = r"'(?:\\.|[^'\\])*'" + r'|"(?:\\.|[^"\\])*"'
_NAME = rf"(?:{_LITERAL}|[^+='\"]+)"
_LIKELIHOOD = r"(?P<likelihood>\s*[A-Za-z_]\w*\s*(?:\(.*\))?\s*)"
_NAMES = re.compile(rf"(?P<names>{_NAME}(?:\+{_NAME})*)={_LIKELIHOOD}", re.DOTALL)
_ODD_NAME = re.compile(rf"(?P<names>.+?)={_LIKELIHOOD}", re.DOTALL)  # with a character that should be in quotes
_PLAIN_NAME = re.compile(r"[^\W\d]\w*(?:[ .:/-]\w+)*")
_POSITION = re.compile(r"-?\d+")


def parse_columns(given: list[str], option: str = "--column") -> dict[Any, Likelihood | None]:
    """Return {name, pattern, position or tuple of those: likelihood, or None to leave it out}."""
    found: dict[Any, Likelihood | None] = {}
    for text in given:
        shape = _NAMES.fullmatch(text) or _ODD_NAME.fullmatch(text)
        if shape is None:
            raise typer.BadParameter(
                f"{text!r} is not NAME=LIKELIHOOD. Write for example {text.partition('=')[0]}=gaussian, or "
                f"'{text.partition('=')[0]}=Categorical(alpha=0.5)'.",
                param_hint=option,
            )
        names = _names(shape["names"], text, option)
        key = names[0] if len(names) == 1 else tuple(names)
        if key in found:
            raise typer.BadParameter(f"{shape['names']!r} is given twice. Give it once.", param_hint=option)
        found[key] = parse_likelihood(shape["likelihood"], option)
    return found


def parse_likelihood(text: str, option: str = "--column") -> Likelihood | None:
    """Return the likelihood that the text names, or None for "none".

    Examples
    --------
    >>> parse_likelihood("categorical"), parse_likelihood("Words(ngrams=(1, 2))"), parse_likelihood("none")
    (Categorical(), Words(ngrams=(1, 2)), None)
    """
    if text.strip().lower() == NONE:
        return None
    from suffice.likelihoods import LIKELIHOODS

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns about the syntax of text that is not a program
            node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.Name):
            node = ast.Call(node, [], [])
        if not isinstance(node, ast.Call):
            raise _unreadable(text)
        return _made(node, LIKELIHOODS, "likelihood")
    except (SyntaxError, RecursionError, MemoryError):
        raise bad_parameter(_unreadable(text), option) from None
    except (SufficeError, TypeError, ValueError) as problem:
        raise bad_parameter(problem, option) from None


def column_key(name: str) -> str | int:
    """Return a position as a number, and a name unchanged."""
    return int(name) if _POSITION.fullmatch(name) else name


def schema_lines(model: Model) -> list[str]:
    """Return the schema of a model as lines NAME=LIKELIHOOD, with the columns of a block on one line."""
    schema = model.schema
    lines = [f"{'+'.join(map(_spelled, block.columns))}={block.likelihood!r}" for block in schema.blocks]
    for block, line in zip(schema.blocks, lines, strict=True):
        try:
            same = parse_likelihood(repr(block.likelihood)) == block.likelihood
        except typer.BadParameter:
            same = False
        if not same:
            raise ParameterError(
                f"its likelihood cannot be written as text: {line}",
                column=block.columns,
                advice="Use the model itself: --schema MODEL.",
            )
    return lines + [f"{_spelled(name)}={NONE}" for name in schema.unused]


def schema_from(path: Path) -> Model | dict[Any, Likelihood | None]:
    """Return the model in the file, or the columns that its lines name; columns without a line are left out."""
    from suffice.api import load

    try:
        return load(path)
    except ModelFileError as reason:
        with path.open("rb") as file:
            start = file.read(_LARGEST)
        try:
            lines = [line.strip() for line in start.decode("utf-8").splitlines()]
        except UnicodeDecodeError:
            raise reason from None
        if any("\0" in line for line in lines):
            raise
    given = [line for line in lines if line and not line.startswith("#")]
    if not given:
        raise ParameterError(
            "contains no columns",
            file=str(path),
            advice="Write a line NAME=LIKELIHOOD for each column, such as plan=categorical.",
        )
    return {**parse_columns(given, "--schema"), "*": None}


def _names(text: str, given: str, option: str) -> list[str | int]:
    if _NAMES.fullmatch(f"{text}={NONE}"):
        return [
            ast.literal_eval(name) if name.startswith(("'", '"')) else column_key(name.strip())
            for name in re.findall(_NAME, text)
        ]
    names = [name.strip() for name in text.split("+")]
    if not all(names):
        raise typer.BadParameter(
            f"{given!r} has an empty column name: + joins columns. Quote names that contain a +, as in "
            f"\"'{text}'=gaussian\".",
            param_hint=option,
        )
    return [column_key(name) for name in names]


def _spelled(name: str | int) -> str:
    return str(name) if isinstance(name, int) or _PLAIN_NAME.fullmatch(name) else repr(name)


def _made(call: ast.Call, known: Mapping[str, Any], what: str) -> Any:
    name = ast.unparse(call.func)
    by_name = {each.lower(): each for each in known}
    if name.lower() not in by_name:
        names = [*by_name] if what == "likelihood" and name.islower() else [*known]
        raise ParameterError(f"unknown {what} {name!r}", advice=suggest(name, names, f"The {what}s are", cutoff=0.7))
    kind = known[by_name[name.lower()]]
    accepted = list(signature(kind).parameters)
    for keyword in call.keywords:
        if keyword.arg not in accepted:
            raise ParameterError(
                f"{kind.__name__} has no parameter {keyword.arg or '**'!r}",
                advice=suggest(keyword.arg or "", accepted, "There are"),
            )
    values = [_value(each) for each in call.args]
    return kind(*values, **{str(each.arg): _value(each.value) for each in call.keywords})


def _value(node: ast.expr) -> Any:
    from suffice import conjugate

    if isinstance(node, ast.Call):
        return _made(node, {name: getattr(conjugate, name) for name in conjugate.__all__}, "prior")
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ParameterError(
            f"{ast.unparse(node)} is not a value", advice="Give a number, a text in quotes, or a list of those."
        ) from None


def _unreadable(text: str) -> ParameterError:
    return ParameterError(
        f"{text!r} is not a likelihood", advice="Write for example gaussian, or Categorical(alpha=0.5)."
    )
