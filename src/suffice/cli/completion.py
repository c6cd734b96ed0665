"""What the Tab key offers: columns of the file that is already on the line, likelihoods, settings.

It runs while somebody waits at the prompt, so it reads one line of text and imports nothing large.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from suffice.cli.estimate_argument import READINGS
from suffice.cli.likelihood_argument import LIKELIHOOD_NAMES, NONE
from suffice.cli.text_options import complete_text_option
from suffice.cli.wording import visible

__all__ = [
    "complete_class_prior",
    "complete_column",
    "complete_column_argument",
    "complete_estimate",
    "complete_sampling",
    "complete_type",
]

_LONGEST = 2**16
_DELIMITERS = ",\t;|"
_TEXT = re.compile(r"(?P<name>.+?)=(?P<kind>words|chars):(?P<options>.*)", re.DOTALL)
_NOT_TEXT = (".parquet", ".pq", ".arrow", ".ipc", ".feather", ".ndjson", ".jsonl", ".suffice", ".zst")


def complete_column(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the columns of the first line of the data."""
    yield from (name for name in _columns(context) if name.startswith(incomplete))


def complete_column_argument(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer NAME=, after that the likelihoods, and of those that read text their options."""
    text = _TEXT.fullmatch(incomplete)
    if text is not None:
        yield from (
            f"{text['name']}={text['kind']}:{each}" for each in complete_text_option(text["kind"], text["options"])
        )
        return
    name, sign, begun = incomplete.rpartition("=")
    if sign:
        yield from (f"{name}={each}" for each in (*LIKELIHOOD_NAMES, NONE) if each.startswith(begun))
    else:
        yield from (f"{each}=" for each in _columns(context) if each.startswith(incomplete))


def complete_estimate(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer the readings, each with what it is."""
    yield from ((name, what) for name, what in READINGS.items() if name.startswith(incomplete))


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


def _columns(context: typer.Context) -> list[str]:
    given: dict[str, Any] = context.params
    # An option that still waits for its value leaves the arguments where they stood on the line.
    for path in given.get("data") or context.args:
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
