"""Fraud detection with screened columns: screening on the first 70% of the credit card data, test on the rest by time.

    python -m benchmarks.screened_fraud [FILE]

Average precision on the later rows of scikit-learn's GaussianNB (ranked by its log-odds, its probabilities or its
decisions), of histograms of all columns and of histograms of the columns that screening keeps; and the two tables on
which the choice is based: similarity by column, and average precision on held-out folds of the first part by threshold.
The data is creditcard-first60.csv.gz in the folder given by the environment variable SUFFICE_DATA (default:
`../shared/data`). Time is used as the order only, not as a column.
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


class Comparison(NamedTuple):
    """The screening of the earlier rows, and the average precision of the peer on the later rows for each ranking."""

    screening: sf.Screening
    peer: dict[str, float]


def compare(frame: pd.DataFrame) -> Comparison:
    """Screen histograms, and fit the peer on the same rows and columns."""
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
    return Comparison(sf.screen(frame, "Class", columns=sf.Histogram(), order="Time"), peer)


def main(path: Path) -> None:
    console = Console(width=100)
    screening, peer = compare(pd.read_csv(path))
    similarities = Table(
        "column", "similarity", "raw product", "kept", title="similarity of the classes, first 70% by time"
    )
    for column in screening.columns:
        similarities.add_row(
            str(column.column), f"{column.similarity:.4f}", f"{column.product:.4f}", "yes" if column.kept else ""
        )
    console.print(similarities)
    curve = Table("threshold", "columns", "average precision", "±", title="held-out folds of the first 70%")
    for point in screening.curve:
        error = "" if point.error is None else f"{point.error:.4f}"
        curve.add_row(f"{point.threshold:.4f}", str(point.columns), f"{point.value:.4f}", error)
    console.print(curve)
    later = screening.later
    assert later is not None
    assert later.screened is not None
    assert later.unscreened is not None
    table = Table("model", "average precision", title=f"the {later.rows:,} later rows")
    for ranking, value in peer.items():
        table.add_row(f"scikit-learn GaussianNB, ranked by {ranking}", f"{value:.4f}")
    table.add_row(f"histograms of {len(screening.columns)} columns", f"{later.unscreened:.4f}")
    kept = f"histograms of {len(screening.kept)} columns, similarity < {screening.threshold:.4f}"
    table.add_row(kept, f"{later.screened:.4f}")
    console.print(table)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
