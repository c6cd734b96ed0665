"""The unit of log-odds and log-likelihood ratios, as --unit takes it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from suffice.decisions import Unit

__all__ = ["UNITS", "UnitName", "unit_of"]

# The names of decisions/units.py, which is not imported for --help and completion; a test holds the two together.
UNITS = {"nats": "the factor e", "bits": "the factor 2", "decibans": "ten of them are the factor 10"}


def _complete(incomplete: str) -> Iterator[tuple[str, str]]:
    yield from ((name, what) for name, what in UNITS.items() if name.startswith(incomplete))


UnitName = Annotated[
    str,
    typer.Option(
        "--unit", metavar="NAME", help="Of log-odds and ratios: nats, bits or decibans.", autocompletion=_complete
    ),
]


def unit_of(text: str) -> Unit:
    """Return the name of a unit, checked."""
    if text in UNITS:
        return cast("Unit", text)
    close = get_close_matches(text, UNITS, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(UNITS)}."
    raise typer.BadParameter(f"there is no unit {text!r}. {hint}", param_hint="--unit")
