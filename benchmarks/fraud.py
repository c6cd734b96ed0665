"""Which reading of one statistic finds fraud? The first 60% of the credit card data, 70/30 by time.

    python -m benchmarks.fraud [FILE]

The average precision of scikit-learn's LDA (its QDA raises: the frauds' matrix lacks rank) and of ours, of every
reading of one scatter, and of a mixed model: the columns V* together beside histograms of time and amount. The data is
creditcard-first60.csv.gz in the folder that the environment variable SUFFICE_DATA names (`../shared/data` by default).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import average_precision_score

import suffice as sf
from benchmarks.datasets import DATA

FILE = DATA / "creditcard-first60.csv.gz"


def precisions(frame: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Yield what each model is, and its average precision on the later rows."""
    cut = int(0.7 * len(frame))
    train, test = frame.iloc[:cut], frame.iloc[cut:]
    x, y = train.drop(columns="Class"), train["Class"]
    later, truth = test.drop(columns="Class"), test["Class"]

    def of(model: sf.Model) -> float:
        log = model.predict_log_proba(later)  # odds keep apart what probabilities of 1 would not
        return float(average_precision_score(truth, log[:, 1] - log[:, 0]))

    for name, estimator in (
        ("scikit-learn LDA", LinearDiscriminantAnalysis()),
        ("LinearDiscriminant", sf.LinearDiscriminant()),
    ):
        odds = estimator.fit(x, y).decision_function(later)
        yield name, float(average_precision_score(truth, odds))
    together = sf.fit(x, y, columns=sf.MultivariateGaussian(covariance="full"), estimate="mle", calibrate=False)
    for covariance in ("shared", "full", "diagonal"):
        yield f"one scatter, {covariance}, mle", of(together.with_options(covariance=covariance))
        yield (
            f"one scatter, {covariance}, predictive",
            of(together.with_options(estimate="predictive", covariance=covariance)),
        )
    yield "one scatter, shared, oas", of(together.with_options(covariance="shared", shrinkage="oas"))
    yield "one scatter, full, evidence", of(together.with_options(estimate="predictive", shrinkage="evidence"))
    for covariance in ("shared", "full"):
        columns = {"V*": sf.MultivariateGaussian(covariance=covariance), "*": sf.Histogram()}
        yield (
            f"mixed: V* together ({covariance}), histograms beside",
            of(sf.fit(x, y, columns=columns, calibrate=False)),
        )
    yield "NaiveBayes, columns by themselves", of(sf.fit(x, y, calibrate=False))


def main(path: Path) -> None:
    table = Table("model", "average precision", title="fraud, 70/30 by time")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, precision in precisions(pd.read_csv(path)):
            table.add_row(name, f"{precision:.4f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
