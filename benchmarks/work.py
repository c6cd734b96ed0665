"""A benchmark: an input and two implementations, suffice and a peer. Benchmarks register here by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

CLASSES = ("a", "b", "c", "d", "e")


@dataclass(frozen=True)
class Size:
    """Size of the input."""

    rows: int = 1_000_000
    columns: int = 50
    classes: int = len(CLASSES)

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(20261101)

    def codes(self) -> NDArray[np.int64]:
        """Return a class code for every row; every class occurs."""
        codes = self.rng().integers(0, self.classes, self.rows)
        codes[: self.classes] = np.arange(self.classes)
        return codes

    def labels(self) -> tuple[str, ...]:
        return CLASSES[: self.classes]


@dataclass(frozen=True)
class Work:
    """The same input processed by suffice and by a peer."""

    ours: Callable[[int | None], object]
    """Runs suffice once on the given number of threads (None: all available)."""
    theirs: Callable[[], object]
    """Runs the peer once."""
    input_bytes: int
    agree: Callable[[object, object], None]
    """Raises AssertionError unless the two results are equal."""


@dataclass(frozen=True)
class Bench:
    """A registered benchmark."""

    name: str
    peer: str
    make: Callable[[Size], Work]
    peer_runs: int | None = None
    """Maximum number of runs of a slow peer."""
    at_least: float | None = None
    """Target ratio."""


BENCHES: dict[str, Bench] = {}


def bench(
    *, peer: str, peer_runs: int | None = None, at_least: float | None = None
) -> Callable[[Callable[[Size], Work]], Callable[[Size], Work]]:
    """Register a function that creates work of a given size, under its own name."""

    def register(make: Callable[[Size], Work]) -> Callable[[Size], Work]:
        BENCHES[make.__name__] = Bench(make.__name__, peer, make, peer_runs, at_least)
        return make

    return register


def limited(threads: int | None, call: Callable[[], Any]) -> Any:
    """Call with a number of threads set by the environment, because the public API has no such parameter."""
    if threads is None:
        return call()
    before = os.environ.get("SUFFICE_NUM_THREADS")
    os.environ["SUFFICE_NUM_THREADS"] = str(threads)
    try:
        return call()
    finally:
        if before is None:
            del os.environ["SUFFICE_NUM_THREADS"]
        else:
            os.environ["SUFFICE_NUM_THREADS"] = before
