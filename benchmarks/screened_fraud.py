"""Does screening find fraud? Chosen in the first 70% by time of the credit card data, measured on the rest.

    python -m benchmarks.screened_fraud [FILE]

The average precision on the later rows of scikit-learn's GaussianNB (ranked by its log-odds, its probabilities,
or its decisions), of our histograms with every column and of those with the columns that screening keeps, and the two
figures that led to the choice: similarity by column, and average precision on held-out folds of the first part by
threshold. The data is creditcard-first60.csv.gz in the folder that the environment variable SUFFICE_DATA names
(`../shared/data` by default). Time is the order, and no column of any model.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import GaussianNB

import suffice as sf
from benchmarks.fraud import FILE


class Found(NamedTuple):
    """The screening of the first part by time, and the average precision of the peer on the rest, by its ranking."""

    screening: sf.Screening
    peer: dict[str, float]


def found(frame: pd.DataFrame) -> Found:
    """Screen histograms; the peer is fitted on the same rows and columns."""
    frame = frame.sort_values("Time", kind="stable")
    cut = int(0.7 * len(frame))
    x, y = frame.drop(columns=["Class", "Time"]), frame["Class"]
    model = GaussianNB().fit(x.iloc[:cut], y.iloc[:cut])
    later, truth = x.iloc[cut:], y.iloc[cut:]
    rankings = {
        "log-odds": model.predict_joint_log_proba(later) @ [-1, 1],
        "predict_proba": model.predict_proba(later)[:, 1],
        "predict": model.predict(later),
    }
    peer = {name: float(average_precision_score(truth, ranking)) for name, ranking in rankings.items()}
    return Found(sf.screen(frame, "Class", columns=sf.Histogram(), order="Time"), peer)


def main(path: Path) -> None:
    console = Console(width=100)
    screening, peer = found(pd.read_csv(path))
    alike = Table("column", "similarity", "raw product", "kept", title="similarity of the classes, first 70% by time")
    for each in screening.columns:
        alike.add_row(str(each.column), f"{each.similarity:.4f}", f"{each.product:.4f}", "yes" if each.kept else "")
    console.print(alike)
    curve = Table("threshold", "columns", "average precision", "±", title="held-out folds of the first 70%")
    for point in screening.curve:
        error = "" if point.error is None else f"{point.error:.4f}"
        curve.add_row(f"{point.threshold:.4f}", str(point.columns), f"{point.value:.4f}", error)
    console.print(curve)
    later = screening.later
    assert later is not None
    assert later.screened is not None
    assert later.unscreened is not None
    table = Table("model", "average precision", title=f"the {later.rows:,} rows that come later")
    for ranking, value in peer.items():
        table.add_row(f"scikit-learn GaussianNB, ranked by {ranking}", f"{value:.4f}")
    table.add_row(f"histograms of {len(screening.columns)} columns", f"{later.unscreened:.4f}")
    kept = f"histograms of {len(screening.kept)} columns, similarity < {screening.threshold:.4f}"
    table.add_row(kept, f"{later.screened:.4f}")
    console.print(table)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
