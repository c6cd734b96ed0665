"""Seconds and bandwidth."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from suffice import _core


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def warm(call: Callable[[], object], for_seconds: float = 0.1) -> None:
    until = time.perf_counter() + for_seconds
    call()
    while time.perf_counter() < until:
        call()


def medians(calls: Sequence[Callable[[], object]], repeats: Sequence[int]) -> list[float]:
    """Median seconds of each call, run that often; all are warmed once and then take turns.

    Each timed run follows untimed ones of the same call, for a tenth of a second: the threads of a peer's BLAS spin on
    for a while after their work is done, and would be charged to whoever comes next.
    """
    for call in calls:
        call()
    runs: list[list[float]] = [[] for _ in calls]
    for turn in range(max(repeats)):
        for call, repeat, taken in zip(calls, repeats, runs, strict=True):
            if turn < repeat:
                warm(call)
                taken.append(seconds(call))
    return [median(taken) for taken in runs]


@dataclass(frozen=True)
class Reading:
    """The yardstick: a native sum by two threads over float64, which does nothing but read.

    It takes turns with what is measured, because a machine shared with others reads half as fast a minute later.
    """

    x: NDArray[np.float64]

    @classmethod
    def over(cls, size: int = 1 << 30) -> Reading:
        return cls(np.ones(size // 8))

    def __call__(self) -> float:
        return _core.read_sum(self.x, 2)
