"""How much do rows held out cost? Ten folds against scikit-learn's cross_val_score, one left out against predict_proba.

    python -m benchmarks.held_out [--rows 1000000] [--repeat 3]

float64, 50 columns, 5 classes. Both sides use the same stratified folds. `folds` is everything from the rows to
log p(c, x) of each of them out of its fold, `accuracy` is that and the share of rows whose most probable class is their
own; `loo` is `log p(c, x)` of every row without itself, against one `predict_proba` of the same model.
Both sides are warm; the table has medians, and the machine's read bandwidth beside them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB

import suffice as sf
from benchmarks.timing import Reading, seconds
from suffice.api.seen import aligned_table, rows_of
from suffice.evidence.folds import FoldedRows, out_of_fold
from suffice.evidence.leave_one_out import leave_one_out

FOLDS = 10


def medians(ours: Callable[[], Any], peer: Callable[[], Any], repeat: int) -> tuple[float, float]:
    """Return the median seconds of both, which take turns."""
    ours()
    each = [(seconds(ours), seconds(peer)) for _ in range(repeat)]
    return median(mine for mine, _ in each), median(theirs for _, theirs in each)


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
        model = sf.fit(x[:1000], y[:1000], likelihood, estimate=estimate).naive_bayes

        def scored(x: Any = x, model: Any = model) -> Any:
            rows = rows_of(x, y, None)
            table = aligned_table(rows.table, model.schema)
            return out_of_fold(model, FoldedRows(table, rows.target.codes, rows.target.classes, None, folds))

        def accuracy(scored: Any = scored) -> float:
            return float((scored().argmax(axis=1) == y).mean())

        def theirs(x: Any = x, peer: Any = peer) -> Any:
            return cross_val_score(peer, x, y, cv=split).mean()

        assert abs(accuracy() - theirs()) < 1e-6, "both sides must say the same"
        each = [(seconds(scored), seconds(accuracy), seconds(theirs)) for _ in range(options.repeat)]
        mine, with_accuracy, other = (median(times) for times in zip(*each, strict=True))
        for what, spent in ((name, mine), (name.replace("folds", "accuracy"), with_accuracy)):
            table.add_row(what, "cross_val_score", f"{spent * 1e3:.0f}", f"{other * 1e3:.0f}", f"{other / spent:.1f}×")
    for name, likelihood in (("loo, Gaussian", sf.Gaussian()), ("loo, Numeric", sf.Numeric())):
        fitted = sf.fit(real, y, likelihood)
        rows = rows_of(real, y, None)
        given = aligned_table(rows.table, fitted.schema), rows.target.codes, rows.target.classes, None
        mine, other = medians(
            lambda fitted=fitted, given=given: leave_one_out(fitted.naive_bayes, *given),
            lambda fitted=fitted: fitted.predict_proba(real),
            options.repeat,
        )
        table.add_row(name, "our predict_proba", f"{mine * 1e3:.0f}", f"{other * 1e3:.0f}", f"{other / mine:.2f}×")
    console.print(table)


if __name__ == "__main__":
    main()
