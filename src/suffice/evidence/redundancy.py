"""Columns that repeat each other: what one says of the class, the other says again, and it counts twice.

Symbols: row i of class y_i and weight w_i, ℓ_ijc = log p(x_ij | c) the contribution of column j, C classes.

    e_ijc    ℓ_ijc − (1/C) Σ_c' ℓ_ijc', less its weighted mean over the rows of class y_i
    r_jk     Σ_ic w_i e_ijc e_ikc / √(Σ_ic w_i e_ijc² · Σ_ic w_i e_ikc²)
    number   exp(−Σ_i p_i ln p_i), p_i the eigenvalues of r over their sum: the effective rank (Roy and Vetterli 2007),
             D where none of the D columns that vary repeats another, 1 where all are copies of one

For two classes r is the correlation of the contributions to the log-odds, within the classes. Naive Bayes takes columns
for independent *given* the class, so what two columns have in common because both tell the class is no repetition, and
the means of the classes are taken off. A copy of a column has r = 1; independent columns have r near 0, however much
they tell. A cell that is missing says nothing: its contribution is 0. Parameters are read as "predictive", under which
every contribution is finite.

Rows are read in blocks, and their sums merge as those of Scatter do. Of many rows a sample is enough: r is then known
to about 1/√rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.evidence.column_scores import ColumnScorers
from suffice.likelihoods.reading import Reading
from suffice.models import NaiveBayesModel
from suffice.sources.table import Table
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["MOST_ROWS", "Redundancy", "RepeatedColumn", "redundancy"]

MOST_ROWS = 100_000
_CELLS = 1 << 22  # numbers held at once


class RepeatedColumn(NamedTuple):
    """Two columns, and the correlation of what they say of the class."""

    column: str | int
    repeats: str | int
    correlation: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class Redundancy:
    """The columns whose contributions vary, and the correlations of those (D × D)."""

    columns: tuple[str | int, ...]
    correlation: FloatArray

    @property
    def effective_columns(self) -> float:
        """The effective rank: how many columns that do not repeat each other would say as much."""
        if not self.columns:
            return 0.0
        p = np.maximum(np.linalg.eigvalsh(self.correlation), 0.0) / len(self.columns)
        return float(np.exp(-np.log(p, out=np.zeros_like(p), where=p > 0) @ p))

    def pairs(self, least: float) -> list[RepeatedColumn]:
        """Return the pairs that correlate at least so much, the most alike first; the later column repeats."""
        first, second = np.triu_indices(len(self.columns), 1)
        values = self.correlation[first, second]
        found = np.flatnonzero(values >= least)
        ranked = found[np.argsort(-values[found], kind="stable")]
        return [
            RepeatedColumn(self.columns[int(second[at])], self.columns[int(first[at])], float(values[at]))
            for at in ranked.tolist()
        ]


def redundancy(
    model: NaiveBayesModel,
    columns: Sequence[str | int],
    table: Table,
    codes: IntArray,
    weights: npt.NDArray[Any] | None,
    rng: np.random.Generator,
    most_rows: int = MOST_ROWS,
) -> Redundancy:
    """Return the correlations of what these columns say of the class.

    Parameters
    ----------
    model : NaiveBayesModel
    columns : names of columns that are read by themselves
    table : Table with the columns of the schema
    codes : the class of each row, on the axis of the model
    weights : array of rows, optional
    rng : which rows, where there are more than `most_rows`
    """
    if table.rows > most_rows:
        some = np.sort(rng.choice(table.rows, most_rows, replace=False))
        table, codes, weights = table.take(some), codes[some], None if weights is None else weights[some]
    heavy = np.ones(table.rows) if weights is None else weights.astype(np.float64)
    scorers = ColumnScorers(model.read(Reading("predictive"), model.class_prior))
    c, d = len(model.classes), len(columns)
    weight, mean, products = np.zeros(c), np.zeros((c, d, c)), np.zeros((d, d))
    step = max(1, _CELLS // max(1, c * d))
    for start in range(0, table.rows, step):
        rows = slice(start, min(start + step, table.rows))
        some = table.take(rows)
        said = np.stack([scorers.contribution(name, some) for name in columns], axis=1) if d else np.zeros((0, 0, c))
        said -= said.mean(axis=2, keepdims=True)
        for k in np.unique(codes[rows]).tolist():
            own = codes[rows] == k
            w = heavy[rows][own]
            if w.sum() > 0:
                here = said[own]
                middle = np.einsum("i,ijc->jc", w, here) / w.sum()
                away = (here - middle) * np.sqrt(w)[:, None, None]
                flat = away.transpose(0, 2, 1).reshape(-1, d)
                delta, both = middle - mean[k], weight[k] + w.sum()
                products += flat.T @ flat + (delta @ delta.T) * (weight[k] * w.sum() / both)
                mean[k] += delta * (w.sum() / both)
                weight[k] = both
    return _correlations(tuple(columns), products)


def _correlations(columns: tuple[str | int, ...], products: FloatArray) -> Redundancy:
    varies = np.diagonal(products) > 0
    spread = np.sqrt(np.diagonal(products)[varies])
    values = np.clip(products[np.ix_(varies, varies)] / (spread * spread[:, None]), -1.0, 1.0)
    np.fill_diagonal(values, 1.0)
    return Redundancy(tuple(name for name, it in zip(columns, varies, strict=True) if it), values)
