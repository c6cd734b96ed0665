"""What the Tab key offers: columns of the file that is already on the line, likelihoods, settings.

It runs while somebody waits at the prompt, so it reads one line of text and imports nothing large unless it must.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from suffice.cli.wording import visible

__all__ = [
    "ESTIMATES",
    "LIKELIHOOD_NAMES",
    "UNITS",
    "complete_class_prior",
    "complete_column",
    "complete_column_argument",
    "complete_estimate",
    "complete_sampling",
    "complete_type",
    "complete_unit",
]

# What other rooms know by these names; they are not imported for --help, and a test holds the two together.
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
ESTIMATES = {
    "predictive": "the parameters integrated out",
    "mean": "the posterior mean",
    "map": "the posterior mode",
    "smoothed": "with pseudo-counts added",
    "mle": "what was seen, and nothing else",
}
UNITS = {"nats": "the factor e", "bits": "the factor 2", "decibans": "ten of them are the factor 10"}

_LONGEST = 2**16
_DELIMITERS = ",\t;|"
_CALL = re.compile(r"(?P<before>.+?=(?P<kind>[A-Za-z]\w*)\((?:.*,)?\s*)(?P<begun>\w*)", re.DOTALL)
_NOT_TEXT = (".parquet", ".pq", ".arrow", ".ipc", ".feather", ".ndjson", ".jsonl", ".suffice", ".zst")


def complete_column(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the columns of the first line of the data."""
    yield from (name for name in _columns(context) if name.startswith(incomplete))


def complete_column_argument(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer NAME=, after that the likelihoods, and after the bracket of one its parameters."""
    call = _CALL.fullmatch(incomplete)
    if call is not None:
        yield from (f"{call['before']}{each}=" for each in _parameters(call["kind"]) if each.startswith(call["begun"]))
        return
    name, sign, begun = incomplete.partition("=") if "(" in incomplete else incomplete.rpartition("=")
    if sign:
        yield from (f"{name}={each}" for each in (*LIKELIHOOD_NAMES, "none") if each.startswith(begun.lower()))
    else:
        yield from (f"{each}=" for each in _columns(context) if each.startswith(incomplete))


def complete_unit(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer the units, each with what it is."""
    yield from ((name, what) for name, what in UNITS.items() if name.startswith(incomplete))


def complete_estimate(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer the estimates, each with what it is."""
    yield from ((name, what) for name, what in ESTIMATES.items() if name.startswith(incomplete))


def complete_class_prior(incomplete: str) -> Iterator[str]:
    """Offer the settings that have a name."""
    yield from (name for name in ("empirical", "uniform", "dirichlet:") if name.startswith(incomplete))


def complete_sampling(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer where examples may come from."""
    ways = {"strong": "examples are drawn from the concept", "weak": "examples come from anywhere"}
    yield from ((name, what) for name, what in ways.items() if name.startswith(incomplete))


def complete_type(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer NAME=, and after that the types."""
    name, sign, begun = incomplete.rpartition("=")
    if sign:
        yield from (f"{name}={each}" for each in ("text", "integer", "float", "bool") if each.startswith(begun))
    else:
        yield from (f"{each}=" for each in _columns(context) if each.startswith(incomplete))


def _parameters(kind: str) -> list[str]:
    if kind.lower() not in LIKELIHOOD_NAMES:
        return []
    from inspect import signature

    from suffice.likelihoods.registry import LIKELIHOODS  # which takes a moment, and only here

    return next([*signature(each).parameters] for name, each in LIKELIHOODS.items() if name.lower() == kind.lower())


def _columns(context: typer.Context) -> list[str]:
    given: dict[str, Any] = context.params
    # An option that still waits for its value leaves the arguments where they stood on the line.
    for path in given.get("paths") or context.args:
        if str(path).endswith(_NOT_TEXT) or not Path(path).is_file():
            continue
        try:
            return _names(Path(path), given.get("delimiter"))
        except (OSError, UnicodeDecodeError, EOFError, csv.Error):
            continue  # no names to offer is no reason to complain at the prompt
    return []


def _names(path: Path, delimiter: str | None) -> list[str]:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        line = file.readline(_LONGEST).decode("utf-8-sig").rstrip("\r\n")
    sign = delimiter or max(_DELIMITERS, key=line.count)
    (names,) = csv.reader([line], delimiter=sign)
    return [name for name in names if visible(name) == name]
