"""Which customers leave? A CSV file, pandas and a scikit-learn pipeline, with missing cells and mixed columns.

python examples/customers.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

import suffice as sf


def write_customers(path: Path, rows: int = 2_000) -> None:
    """Write customers, of whom those with short contracts and many complaints tend to leave."""
    rng = np.random.default_rng(0)
    leaves = rng.random(rows) < 0.25
    frame = pd.DataFrame(
        {
            "months": rng.gamma(np.where(leaves, 2.0, 5.0), 6.0).round(1),
            "complaints": rng.poisson(np.where(leaves, 1.6, 0.5)),
            "plan": np.where(rng.random(rows) < np.where(leaves, 0.7, 0.3), "prepaid", "contract"),
            "leaves": np.where(leaves, "yes", "no"),
        }
    )
    frame.loc[rng.random(rows) < 0.1, "months"] = np.nan
    frame.to_csv(path, index=False)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_customers(Path(folder, "customers.csv"))
        customers = pd.read_csv(Path(folder, "customers.csv"))
    train, test = train_test_split(customers, test_size=0.25, random_state=0, stratify=customers["leaves"])

    model = sf.fit(train, "leaves", columns={"complaints": sf.Poisson()})
    print("chosen from the data")
    for name, choice in model.selected_forms.items():
        print(f"   {name:12}{choice}")
    majority = (test["leaves"] == "no").mean()
    accuracy = (model.predict(test) == test["leaves"]).mean()
    print(f"\ntest accuracy {accuracy:.3f} ({majority:.3f} for always predicting no)\n")
    print(next(iter(model.explain(test.head(1)))))

    pipeline = make_pipeline(VarianceThreshold(), sf.NaiveBayes())
    scores = cross_val_score(pipeline, customers[["months", "complaints"]], customers["leaves"], cv=5)
    print(f"\naccuracy of a scikit-learn pipeline on two columns, five folds: {scores.mean():.3f}")


if __name__ == "__main__":
    main()
