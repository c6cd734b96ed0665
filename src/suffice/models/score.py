"""Rows to scores: log p(c, x) = log p(c) + Σ over the terms, and what is read from it.

    joint           log p(c, x)                 rows × classes
    log_posterior   log p(c | x)                rows × classes
    posterior       p(c | x)                    rows × classes
    density         log p(x)                    rows

A row that is impossible under every class (−inf everywhere) gets the class prior as its posterior, and is counted.

Documents are scored by themselves (token_scores.py), and what they add joins the rest.

Terms are compiled once into the tables of the native core, which scores in one pass. A matrix of numbers goes there as
it is; other tables go as separate columns, with the levels of each coded along its axis (layout.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from suffice import _core
from suffice.engines.flaws import explained
from suffice.engines.rows import table_of
from suffice.likelihoods.terms import Term
from suffice.machine import require_memory, thread_count
from suffice.models.finishing import finished
from suffice.models.layout import ColumnLayout, MatrixLayout, NeedsCodes, Unseen
from suffice.models.scores import Scores, Wanted
from suffice.models.token_scores import TokenScorer
from suffice.sources.table import Matrix, Table
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Scorer", "Scores", "Wanted"]

_FEW_ROWS = 256


@final
class Scorer:
    """The terms of a model, for tables with the columns `names`.

    Parameters
    ----------
    terms : sequence of terms
    log_prior : array of C
        log p(c); −inf is allowed.
    names : tuple
        The columns of the tables, in their order.
    """

    __slots__ = ("_log_prior", "_matrices", "_names", "_terms", "_texts")

    def __init__(self, terms: Sequence[Term], log_prior: FloatArray, names: Columns) -> None:
        documents = [(term, term.documents()) for term in terms]
        self._texts = tuple(TokenScorer(text) for _, text in documents if text is not None)
        self._terms = tuple(term for term, text in documents if text is None)
        self._log_prior = np.ascontiguousarray(log_prior)
        self._names = names
        self._matrices: dict[tuple[bool, bool], MatrixLayout | None] = {}

    def score(self, table: Table, wanted: Wanted, threads: int | None = None) -> Scores:
        """Return joint, posterior or density of every row; the number of threads changes the speed and nothing else."""
        if self._texts:
            return self._with_texts(table, wanted, threads)
        return self._without_texts(table, wanted, threads)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self._log_prior)

    def tables_of_numbers(self, table: Matrix) -> _core.ScoreTables:
        """Return what joint is computed from, of terms that take a matrix of numbers as it is."""
        layout = self._matrix(whole=table.x.dtype.kind in "iu", exact=True)
        assert layout is not None, "combinations are no numbers"
        assert not self._texts, "texts are no numbers"
        return layout.tables

    def _with_texts(self, table: Table, wanted: Wanted, threads: int | None) -> Scores:
        if self._terms:
            rest = self._without_texts(table, "joint", threads)
            joint = np.array(rest.values)
        else:
            rest = Scores(np.empty(0), 0, (), False)
            joint = np.tile(self._log_prior, (table.rows, 1))
        for text in self._texts:
            joint += text.scores(table, threads)
        return finished(joint, self._log_prior, wanted, rest.unseen, infinite=rest.infinite)

    def _without_texts(self, table: Table, wanted: Wanted, threads: int | None) -> Scores:
        exact = wanted in ("joint", "density")
        if isinstance(table, Matrix):
            matrix = self._matrix(whole=not table.sparse and table.x.dtype.kind in "iu", exact=exact)
            if matrix is not None:
                view = table_of(table.x)
                return self._scored(matrix.tables, view, self._names, wanted, threads, matrix.unseen(table))
            if table.sparse:
                require_memory(f"a dense copy of {table.rows:,} × {table.width:,} cells", table.rows * table.width)
                table = Matrix(table.x.toarray(), table.names, table.named)
        layout = ColumnLayout(self._log_prior, table, exact=exact)
        self._compile(layout)
        if not layout.arrays:  # no column says anything
            layout.arrays.append(np.zeros(table.rows, dtype=np.bool_))
            layout.valid.append(None)
        view = table_of(layout.arrays, layout.valid)
        return self._scored(layout.tables, view, layout.names, wanted, threads, tuple(layout.unseen))

    def _scored(
        self,
        tables: _core.ScoreTables,
        view: Any,
        names: Sequence[str | int],
        wanted: Wanted,
        threads: int | None,
        unseen: tuple[Unseen, ...],
    ) -> Scores:
        # A few rows are done before a second thread would be awake.
        count = 1 if threads is None and view.rows <= _FEW_ROWS else thread_count(threads)
        with explained(names, len(self._log_prior)):
            values, impossible, infinite = _core.score(tables, view.view, wanted, count)
        return Scores(values[:, 0] if wanted == "density" else values, impossible, unseen, infinite)

    def _matrix(self, *, whole: bool, exact: bool) -> MatrixLayout | None:
        # The terms as a matrix takes them, or None where a column must be coded first.
        if (whole, exact) not in self._matrices:
            layout = MatrixLayout(self._log_prior, self._names, whole=whole, exact=exact)
            try:
                self._compile(layout)
            except NeedsCodes:
                layout = None
            self._matrices[whole, exact] = layout
        return self._matrices[whole, exact]

    def _compile(self, layout: MatrixLayout | ColumnLayout) -> None:
        for term in self._terms:
            if layout.exact or not term.cancels:
                term.compile(layout)
