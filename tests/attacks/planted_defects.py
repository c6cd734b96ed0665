"""A fuzzer whose first cases have a defect each, which the runner must find (test_fuzzers.py)."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path

import numpy as np

from tests.attacks.fuzzing import Trial, main

# How the runner names each.
DEFECTS = {
    "ValueError": r"ValueError 'row N' in call",
    "NaN": "call: NaN in the result",
    "panic": "BaseException 'panicked' in call",
    "segmentation fault": "Fatal Python error: Segmentation fault",
    "accepted": "call: was not refused",
    "different": "call: differs from the expected answer",
    "abort": "Fatal Python error: Aborted",
    "memory": "memory: more than 10 MB",
    "hang": r"Timeout \(",
}


def planted(row: int) -> None:
    raise ValueError(f"row {row}")


def panic() -> None:
    raise BaseException("panicked")  # noqa: TRY002  as Polars does


def prepare(_: Path) -> object:
    def run_case(trial: Trial) -> None:
        trial.describe("case", number=trial.number)
        trial.ask("answer", lambda: 1.0)
        match dict(enumerate(DEFECTS)).get(trial.number):
            case "ValueError":
                trial.ask("call", lambda: planted(3))
            case "NaN":
                trial.ask("call", lambda: [{"x": np.array([0.0, np.nan])}])
            case "panic":
                trial.ask("call", panic)
            case "accepted":
                trial.must_refuse("call", lambda: 1.0)
            case "different":
                trial.same("call", np.array([1.0]), np.array([2.0]))
            case "segmentation fault":
                trial.ask("call", lambda: ctypes.string_at(0))
            case "abort":
                trial.ask("call", os.abort)
            case "hang":
                trial.ask("call", lambda: time.sleep(60))
            case "memory":
                trial.ask("call", lambda: np.ones(4 << 20).sum())
            case _:
                pass

    return run_case


if __name__ == "__main__":
    main(prepare, __doc__, memory=10 << 20, longest=1)
