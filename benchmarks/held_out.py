"""Time of out-of-fold scores: ten folds against scikit-learn's cross_val_score.

    python -m benchmarks.held_out [--rows 1000000] [--repeat 3]

float64, 50 columns, 5 classes. Both sides use the same stratified folds. `folds` is the time from the rows to
out-of-fold log p(c, x); `accuracy` also includes the fraction of correctly classified rows. The table shows medians of
warm runs; the read bandwidth of the machine is printed above it.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB

import suffice as sf
from benchmarks.timing import Reading, seconds
from suffice.evidence.folds import FoldedRows, out_of_fold
from suffice.sources.source import aligned_table, rows_in_memory

FOLDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.held_out", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", metavar="N", type=int, default=1_000_000)
    parser.add_argument("--repeat", metavar="N", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, options.rows)
    real = rng.normal(y[:, None] / 5, 1.0, (options.rows, 50))
    counts = rng.poisson(2.0, (options.rows, 50)).astype(np.float64)
    split = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    folds = np.empty(options.rows, dtype=np.int64)
    for number, (_, test) in enumerate(split.split(np.zeros(options.rows), y)):
        folds[test] = number
    reading = Reading.over(1 << 30)
    console = Console(width=110)
    console.print(f"read bandwidth {(1 << 30) / min(seconds(reading) for _ in range(5)) / 1e9:.1f} GB/s")
    table = Table("work", "peer", "ours, ms", "peer, ms", "ratio")
    pairs: list[tuple[str, Any, Any, Any, str]] = [
        ("folds, Gaussian", sf.Gaussian(), GaussianNB(), real, "mle"),
        ("folds, multinomial", sf.Multinomial(coefficients=False), MultinomialNB(), counts, "smoothed"),
    ]
    for name, likelihood, peer, x, estimate in pairs:
        model = sf.fit(x[:1000], y[:1000], columns=likelihood, estimate=estimate, calibrate=False).core

        def scored(x: Any = x, model: Any = model) -> Any:
            rows = rows_in_memory(x, y, None)
            table = aligned_table(rows.table, model.schema)
            return out_of_fold(model, FoldedRows(table, rows.target.codes, rows.target.classes, None, folds))

        def accuracy(scored: Any = scored) -> float:
            return float((scored().argmax(axis=1) == y).mean())

        def theirs(x: Any = x, peer: Any = peer) -> Any:
            return cross_val_score(peer, x, y, cv=split).mean()

        assert abs(accuracy() - theirs()) < 1e-6, "both sides must have the same accuracy"
        runs = [(seconds(scored), seconds(accuracy), seconds(theirs)) for _ in range(options.repeat)]
        mine, with_accuracy, other = (median(times) for times in zip(*runs, strict=True))
        for what, spent in ((name, mine), (name.replace("folds", "accuracy"), with_accuracy)):
            table.add_row(what, "cross_val_score", f"{spent * 1e3:.0f}", f"{other * 1e3:.0f}", f"{other / spent:.1f}×")
    console.print(table)


if __name__ == "__main__":
    main()
