"""Measurement of seconds and read bandwidth."""

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
    """Return the median seconds of each call over its number of repeats; the calls are warmed up and then alternate.

    Each timed run follows a tenth of a second of untimed runs of the same call: BLAS threads of a peer keep spinning
    for a while after their work is done, which would slow down the next measurement.
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
    """The reference for bandwidth: a native sum on two threads over float64, which only reads.

    It alternates with the measured calls, because the bandwidth of a shared machine may halve within a minute.
    """

    x: NDArray[np.float64]

    @classmethod
    def over(cls, size: int = 1 << 30) -> Reading:
        return cls(np.ones(size // 8))

    def __call__(self) -> float:
        return _core.read_sum(self.x, 2)
