"""One piece of work: an input, our way and the peer's way through it. Benches register here by name."""

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
    """How large an input to make."""

    rows: int = 1_000_000
    columns: int = 50
    classes: int = len(CLASSES)

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(20261101)

    def codes(self) -> NDArray[np.int64]:
        """A class for every row; every class occurs."""
        codes = self.rng().integers(0, self.classes, self.rows)
        codes[: self.classes] = np.arange(self.classes)
        return codes

    def labels(self) -> tuple[str, ...]:
        return CLASSES[: self.classes]


@dataclass(frozen=True)
class Work:
    """The same input through two doors."""

    ours: Callable[[int | None], object]
    """Does the work once on that many threads (None: as many as there are)."""
    theirs: Callable[[], object]
    """Does what the peer does once."""
    input_bytes: int
    agree: Callable[[object, object], None]
    """Raises AssertionError unless the two results say the same: speed without the answer is nothing."""


@dataclass(frozen=True)
class Bench:
    """A registered piece of work."""

    name: str
    peer: str
    make: Callable[[Size], Work]
    peer_runs: int | None = None
    """A slow peer runs at most this often."""
    at_least: float | None = None
    """The ratio that the design asks for."""


BENCHES: dict[str, Bench] = {}


def bench(
    *, peer: str, peer_runs: int | None = None, at_least: float | None = None
) -> Callable[[Callable[[Size], Work]], Callable[[Size], Work]]:
    """Register a function that makes a piece of work of a given size, under its own name."""

    def register(make: Callable[[Size], Work]) -> Callable[[Size], Work]:
        BENCHES[make.__name__] = Bench(make.__name__, peer, make, peer_runs, at_least)
        return make

    return register


def limited(threads: int | None, call: Callable[[], Any]) -> Any:
    """Call on that many threads, through the environment: what has a public face takes no number of threads."""
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
