"""The rows of the demo: customers of a phone company, made up the same way every time.

Whether somebody left is drawn first; all else is drawn given that, each column by itself. The classes overlap as they
do in life, so nobody predicts every row rightly.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["TARGET", "subscribers", "write_rows"]

TARGET = "churned"

_SEED = 20261115
_LEFT = 0.27
_MISSING = 0.04
_PLANS = {
    "no": {"basic": 0.35, "family": 0.40, "unlimited": 0.25},
    "yes": {"basic": 0.62, "family": 0.13, "unlimited": 0.25},
}
_PAYMENT = {"no": {"card": 0.45, "debit": 0.45, "invoice": 0.10}, "yes": {"card": 0.40, "debit": 0.18, "invoice": 0.42}}
_REGIONS = ("north", "east", "south", "west")


def subscribers(rows: int) -> list[dict[str, Any]]:
    """Return the rows, None where a cell is missing."""
    rng = np.random.default_rng(_SEED)
    found: list[dict[str, Any]] = []
    for at in range(rows):
        churned = "yes" if rng.random() < _LEFT else "no"
        left = churned == "yes"
        minutes = float(rng.gamma(2.0, 45.0 if left else 80.0))
        row: dict[str, Any] = {
            "customer": f"C{10_000 + 7 * at}",
            "plan": _drawn(rng, _PLANS[churned]),
            "payment": _drawn(rng, _PAYMENT[churned]),
            "region": _REGIONS[int(rng.integers(len(_REGIONS)))],
            "months": int(rng.geometric(1 / 9 if left else 1 / 30)),
            "minutes": round(minutes, 1),
            "monthly_fee": round(float(rng.normal(34.0 if left else 29.5, 6.0)), 2),
            "support_calls": int(rng.poisson(2.1 if left else 0.8)),
            "paperless": "true" if rng.random() < (0.55 if left else 0.7) else "false",
        }
        for name in ("payment", "minutes", "monthly_fee", "support_calls"):
            if rng.random() < _MISSING:
                row[name] = None
        found.append({**row, TARGET: churned})
    return found


def write_rows(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _drawn(rng: np.random.Generator, chances: dict[str, float]) -> str:
    return str(rng.choice(list(chances), p=list(chances.values())))
