"""Completions of the Tab key: columns of the file or model on the command line, likelihoods, names of settings.

It runs while the user waits at the prompt, so it reads one line of text and imports nothing large unless it must.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from suffice.cli.failures import visible

__all__ = [
    "CLASSIFIERS",
    "ESTIMATES",
    "LIKELIHOOD_NAMES",
    "UNITS",
    "complete_class_prior",
    "complete_classifier",
    "complete_column",
    "complete_column_argument",
    "complete_estimate",
    "complete_model_column",
    "complete_sampling",
    "complete_type",
    "complete_unit",
]

# These names are defined elsewhere, in modules that --help does not import; a test compares them.
LIKELIHOOD_NAMES = (
    "bernoulli",
    "categorical",
    "chars",
    "gaussian",
    "histogram",
    "joint",
    "multinomial",
    "multivariategaussian",
    "numeric",
    "poisson",
    "uniform",
    "words",
)
ESTIMATES = {
    "predictive": "posterior predictive",
    "mean": "posterior mean",
    "map": "posterior mode",
    "smoothed": "with pseudo-counts",
    "mle": "maximum likelihood",
}
CLASSIFIERS = ("logistic-regression", "gradient-boosting", "random-forest", "decision-tree", "nearest-neighbors")
UNITS = {"nats": "natural logarithm", "bits": "base 2", "decibans": "10 × base 10"}

_LONGEST = 2**16
_DELIMITERS = ",\t;|"
_CALL = re.compile(r"(?P<before>.+?=(?P<kind>[A-Za-z]\w*)\((?:.*,)?\s*)(?P<begun>\w*)", re.DOTALL)
_NOT_TEXT = (".parquet", ".pq", ".arrow", ".ipc", ".feather", ".json", ".ndjson", ".jsonl", ".xlsx", ".suffice", ".zst")


def complete_column(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the columns in the first line of the data."""
    yield from (name for name in _completed_columns(context) if name.startswith(incomplete))


def complete_model_column(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the columns of the model."""
    from suffice.api import load
    from suffice.errors import SufficeError

    path = context.params.get("model") or next(iter(context.args), None)
    try:
        names = load(path).schema.names if path else ()
    except (SufficeError, OSError):
        return
    yield from (str(name) for name in names if str(name).startswith(incomplete) and visible(str(name)) == str(name))


def complete_column_argument(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer NAME=, then the likelihoods, then the parameters of the likelihood."""
    call = _CALL.fullmatch(incomplete)
    if call is not None:
        yield from (f"{call['before']}{each}=" for each in _parameters(call["kind"]) if each.startswith(call["begun"]))
        return
    name, sign, begun = incomplete.partition("=") if "(" in incomplete else incomplete.rpartition("=")
    if sign:
        yield from (f"{name}={each}" for each in (*LIKELIHOOD_NAMES, "none") if each.startswith(begun.lower()))
    else:
        yield from (f"{each}=" for each in _completed_columns(context) if each.startswith(incomplete))


def complete_unit(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer the units, each with its meaning."""
    yield from ((name, what) for name, what in UNITS.items() if name.startswith(incomplete))


def complete_classifier(incomplete: str) -> list[str]:
    """Return the classifiers that complete the last of the names."""
    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in CLASSIFIERS if name.startswith(begun)]


def complete_estimate(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer the estimates, each with its meaning."""
    yield from ((name, what) for name, what in ESTIMATES.items() if name.startswith(incomplete))


def complete_class_prior(incomplete: str) -> Iterator[str]:
    """Offer the priors that have a name."""
    yield from (name for name in ("empirical", "uniform", "dirichlet:") if name.startswith(incomplete))


def complete_sampling(incomplete: str) -> Iterator[tuple[str, str]]:
    """Offer the sampling assumptions."""
    ways = {"strong": "examples are drawn from the concept", "weak": "examples are drawn from the whole domain"}
    yield from ((name, what) for name, what in ways.items() if name.startswith(incomplete))


def complete_type(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer NAME=, then the types."""
    name, sign, begun = incomplete.rpartition("=")
    if sign:
        yield from (f"{name}={each}" for each in ("text", "integer", "float", "bool") if each.startswith(begun))
    else:
        yield from (f"{each}=" for each in _completed_columns(context) if each.startswith(incomplete))


def _parameters(kind: str) -> list[str]:
    if kind.lower() not in LIKELIHOOD_NAMES:
        return []
    from inspect import signature

    from suffice.likelihoods import LIKELIHOODS

    return next([*signature(each).parameters] for name, each in LIKELIHOODS.items() if name.lower() == kind.lower())


def _completed_columns(context: typer.Context) -> list[str]:
    given: dict[str, Any] = context.params
    # While an option waits for its value, the parser has not assigned the arguments yet.
    for path in given.get("paths") or context.args:
        if str(path).endswith(_NOT_TEXT) or not Path(path).is_file():
            continue
        try:
            return _header_names(Path(path), given.get("delimiter"))
        except (OSError, UnicodeDecodeError, EOFError, csv.Error):
            continue  # no completions; errors cannot be shown here
    return []


def _header_names(path: Path, delimiter: str | None) -> list[str]:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        line = file.readline(_LONGEST).decode("utf-8-sig").rstrip("\r\n")
    sign = delimiter or max(_DELIMITERS, key=line.count)
    (names,) = csv.reader([line], delimiter=sign)
    return [name for name in names if visible(name) == name]
