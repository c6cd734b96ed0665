"""A frozen schema as text that people can read and change: a line NAME=LIKELIHOOD[:…] for each column.

    # columns of model.suffice
    plan+payment=categorical:alpha=evidence
    months=numeric
    id=none

`suffice export MODEL --to schema` writes it and `suffice fit --schema FILE` takes it, so that shards agree on their
columns without a model that was fitted before. A column that it does not name is left out.
"""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from suffice.cli.likelihood_argument import columns_of, parameters_of_prior, value_of
from suffice.cli.text_options import TEXT_OPTIONS, spelled_last, text_spelled
from suffice.errors import ModelFileError, ParameterError

if TYPE_CHECKING:
    from suffice.api import Model
    from suffice.likelihoods import Likelihood
    from suffice.models.schema import Block

__all__ = ["schema_from", "schema_lines"]

_LARGEST = 2**24


def schema_lines(model: Model) -> list[str]:
    """Return the lines of the schema of a model: columns of one block stand together, as they do in its statistics."""
    schema = model.schema
    for name in schema.names:
        if any(sign in str(name) for sign in "+=\n*?["):
            raise _too_much(name, "a name with a sign that means something there")
    lines = [f"{'+'.join(map(str, block.columns))}={_argument(block)}" for block in schema.blocks]
    return lines + [f"{name}=none" for name in schema.unused]


def schema_from(path: Path) -> Model | dict[Any, Likelihood | None]:
    """Return the model that the file is, or the columns that its lines name."""
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
        raise ParameterError(f"{path} names no column. Write a line NAME=LIKELIHOOD for each, as plan=categorical.")
    return {**columns_of(given, "--schema", together=True), "*": None}


def _argument(block: Block) -> str:
    likelihood = block.likelihood
    name = type(likelihood).__name__.lower()
    options: list[str] = []
    for option, parameter in signature(type(likelihood)).parameters.items():
        value: Any = getattr(likelihood, option)
        if option == "columns" or value is None or _same(value, parameter.default):
            continue
        if option == "prior" and not isinstance(value, str):
            given = {each: getattr(value, each) for each in parameters_of_prior(name)} or {"prior": value}
        else:
            given = {option: value}
        options += [f"{each}={_spelled(name, each, number, block.columns[0])}" for each, number in given.items()]
    options.sort(key=lambda each: spelled_last(each.partition("=")[0]))
    return f"{name}:{','.join(options)}" if options else name


def _spelled(likelihood: str, option: str, value: Any, column: str | int) -> str:
    try:
        text = text_spelled(option, value) if likelihood in TEXT_OPTIONS else None
    except ValueError:
        raise _too_much(column, f"{option.replace('_', ' ')} with a sign") from None
    return _text(value, column) if text is None else text


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _text(value: Any, column: str | int) -> str:
    value = value.item() if getattr(value, "ndim", None) == 0 else value
    texts = [str(each) for each in (cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,))]
    text = "|".join(texts)
    # What is read back must be what was written: a level "1" would come back as the number.
    if any(sign in each for each in texts for sign in ",|\n") or value_of(text) != _listed(value):
        raise _too_much(column, "a prior or levels")
    return text


def _listed(value: Any) -> Any:
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


def _too_much(column: str | int, what: str) -> ParameterError:
    return ParameterError(
        f"column {column!r} has {what} that no line of text holds. Use the model itself: --schema MODEL."
    )
