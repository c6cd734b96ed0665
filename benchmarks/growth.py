"""How does the time grow with rows and with columns, and what does one row cost?

    python -m benchmarks.growth

Four sizes of each, with the same cells per second throughout where the cost is linear: `ns/cell` should stay as it is,
and falls at first where what a call costs anyway is spread over more cells. Then the microseconds of one row:
`Collector.add`, and `predict_proba` of a calibrated model for one record and for a frame of one row (14 columns).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

import suffice as sf
from benchmarks.timing import seconds, warm

ROWS = (125_000, 250_000, 500_000, 1_000_000)
COLUMNS = (25, 50, 100, 200)
CALLS = 20_000


def shapes() -> Iterator[tuple[int, int]]:
    """Rows grow at 50 columns, then columns at 250,000 rows."""
    yield from ((rows, 50) for rows in ROWS)
    yield from ((250_000, columns) for columns in COLUMNS)


def work(rows: int, columns: int) -> dict[str, Callable[[], Any]]:
    rng = np.random.default_rng(20261115)
    x, y = rng.standard_normal((rows, columns)), rng.integers(0, 5, rows)
    levels = rng.integers(0, 8, (rows, columns))
    gaussian, categorical = (
        sf.fit(x, y, columns=sf.Gaussian(), calibrate=False),
        sf.fit(levels, y, columns=sf.Categorical(), calibrate=False),
    )
    return {
        "Gaussian fit": lambda: sf.fit(x, y, columns=sf.Gaussian(), calibrate=False),
        "Gaussian predict_proba": lambda: gaussian.predict_proba(x),
        "Categorical fit": lambda: sf.fit(levels, y, columns=sf.Categorical(), calibrate=False),
        "Categorical predict_proba": lambda: categorical.predict_proba(levels),
    }


def each_row(rng: np.random.Generator) -> float:
    """Return the microseconds of adding one row of 50 columns, the model at the end included."""
    x = rng.standard_normal((256, 1, 50))
    labels = [["a"], ["b"]]

    def add() -> None:
        collector = sf.Collector(sf.Gaussian())
        for k in range(CALLS):
            collector.add(x[k % 256], labels[k % 2])
        collector.model()

    add()
    return median(seconds(add) for _ in range(5)) / CALLS * 1e6


def one_row() -> tuple[float, float]:
    """Return the microseconds of scoring a record of six numbers and eight levels, and the same as a frame."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 5000)
    columns = {f"n{k}": rng.normal(y) for k in range(6)} | {
        f"c{k}": rng.choice(list("abcdefgh"), 5000) for k in range(8)
    }
    frame = pd.DataFrame(columns)
    model, row = sf.fit(frame, y), frame.iloc[[0]]
    record = row.to_dict("records")

    def microseconds(data: Any) -> float:
        def often() -> None:
            for _ in range(200):
                model.predict_proba(data)

        warm(often)
        return median(seconds(often) for _ in range(20)) / 200 * 1e6

    return microseconds(record), microseconds(row)


def main() -> None:
    console = Console()
    shown = Table("work", "rows", "columns", "seconds", "ns/cell", title="median of 5, warm")
    for rows, columns in shapes():
        for name, call in work(rows, columns).items():
            warm(call)
            taken = median(seconds(call) for _ in range(5))
            shown.add_row(name, f"{rows:,}", f"{columns}", f"{taken:.4f}", f"{taken / rows / columns * 1e9:.3f}")
    console.print(shown)
    console.print(f"Collector.add of one row of 50 columns: {each_row(np.random.default_rng(1)):.1f} µs")
    record, frame = one_row()
    console.print(f"predict_proba of one record: {record:.1f} µs, of a pandas frame of one row: {frame:.0f} µs")


if __name__ == "__main__":
    main()
