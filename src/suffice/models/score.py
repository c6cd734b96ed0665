"""Rows to scores: log p(c, x) = log p(c) + Σ over the terms, and what is read from it.

    likelihood      log p(x|c)                  rows × classes
    joint           log p(c, x)                 rows × classes
    log_posterior   log p(c | x)                rows × classes
    posterior       p(c | x)                    rows × classes
    density         log p(x)                    rows

A row that is impossible under every class (−inf everywhere) gets the class prior as its posterior, and is counted. With
a calibration, log p(c) + offset_c + scale · log p(x|c) takes the place of log p(c, x) (decisions/calibration.py); if
columns have weights, their terms are multiplied by these instead of the scale.

Terms are compiled once into the tables of the native core, which scores in one pass. A matrix of numbers goes there as
it is; other tables go as separate columns, with the levels of each coded along its axis (layout.py). Documents are
scored by themselves (token_scores.py), and what they add joins the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar, final

import numpy as np

from suffice import _core
from suffice.engines.invalid_input import translate_invalid_input
from suffice.engines.rows import NumberView, view_numbers
from suffice.likelihoods.terms import Term
from suffice.machine import require_memory, thread_count
from suffice.models.layout import ColumnLayout, MatrixLayout, NeedsCodes, Unseen
from suffice.models.token_scores import TokenScorer
from suffice.sources.table import Matrix, Table
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.columns import Columns

__all__ = [
    "Calibrated",
    "Scorer",
    "Scores",
    "Wanted",
    "finish_scores",
    "pool_derivatives",
    "pool_scores",
    "score_parts",
    "weigh_logs",
]

Wanted: TypeAlias = Literal["likelihood", "joint", "log_posterior", "posterior", "density"]

_EXACT: tuple[Wanted, ...] = ("likelihood", "joint", "density")  # with what is the same for every class
_FEW_ROWS = 256
_Layout = TypeVar("_Layout", MatrixLayout, ColumnLayout)


class Calibrated(Protocol):
    """How scores become probabilities: the numbers that the core takes."""

    @property
    def scale(self) -> float:
        """The factor of log p(x|c)."""
        ...

    @property
    def offsets(self) -> FloatArray:
        """What is added to the score of each class."""
        ...

    @property
    def weighted(self) -> bool:
        """Whether columns have weights instead of the scale."""
        ...

    @property
    def column_weights(self) -> dict[str | int, float]:
        """The factor of the evidence of each column; empty unless weighted."""
        ...


class Scores(NamedTuple):
    """What was asked for, how many rows are impossible under every class, and which columns had unseen levels.

    `infinite` says that an infinite cell was read as present or absent, which leaves no trace in the values.
    """

    values: FloatArray
    impossible: int
    unseen: tuple[Unseen, ...] = ()
    infinite: bool = False


class _LaidOut(NamedTuple):
    # The tables of the terms, rows as the core takes them, and the names of their columns.
    tables: _core.ScoreTables
    x: NumberView
    names: Sequence[str | int]
    unseen: tuple[Unseen, ...]


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
    weights : mapping of columns to floats, optional
        The factor of what the terms of a column add. Columns of one term that are not separable have the same.
    """

    __slots__ = ("_log_prior", "_matrices", "_names", "_separate", "_terms", "_texts", "_weighed", "_weighted")

    def __init__(
        self,
        terms: Sequence[Term],
        log_prior: FloatArray,
        names: Columns,
        weights: Mapping[str | int, float] | None = None,
    ) -> None:
        documents = [(term, term.documents()) for term in terms]
        self._weighted = bool(weights)
        self._texts = tuple(
            (TokenScorer(text), weights[text.columns[0]] if weights else 1.0)
            for _, text in documents
            if text is not None
        )
        plain = [term for term, text in documents if text is None]
        self._weighed: tuple[tuple[Scorer, float], ...] = ()
        if weights:
            plain, others = _weigh_terms(plain, weights)
            nothing = np.zeros_like(log_prior)
            self._weighed = tuple((Scorer((term,), nothing, names), weight) for term, weight in others)
        self._terms = tuple(plain)
        self._log_prior = np.ascontiguousarray(log_prior)
        self._names = names
        self._matrices: dict[tuple[bool, bool], MatrixLayout | None] = {}
        self._separate: dict[bool, ColumnLayout | None] = {}

    def score(
        self, table: Table, wanted: Wanted, calibration: Calibrated | None = None, threads: int | None = None
    ) -> Scores:
        """Return what is wanted of every row; the number of threads changes the speed and nothing else."""
        if self._texts or self._weighed:
            return self._with_texts(table, wanted, calibration, threads)
        return self._without_texts(table, wanted, calibration, threads)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self._log_prior)

    def tables_of_numbers(self, table: Matrix) -> _core.ScoreTables:
        """Return what joint is computed from, of terms that take a matrix of numbers as it is."""
        layout = self._matrix(whole=table.x.dtype.kind in "iu", exact=True)
        assert layout is not None, "combinations are no numbers"
        assert not self._texts, "texts are not numbers"
        assert not self._weighed, "weighted sums are not numbers"
        return layout.tables

    def _with_texts(self, table: Table, wanted: Wanted, calibration: Calibrated | None, threads: int | None) -> Scores:
        rest = Scores(np.zeros((table.rows, self.classes)), 0)
        if self._terms:
            rest = self._without_texts(table, "likelihood", None, threads)
        for text, weight in self._texts:
            if wanted in _EXACT or not text.cancels:
                rest.values[:] += weigh_logs(text.scores(table, threads), weight)
        for scorer, weight in self._weighed:
            rest.values[:] += weigh_logs(scorer.score(table, "likelihood", None, threads).values, weight)
        with translate_invalid_input((), self.classes):
            found = _core.finish(
                rest.values, self._log_prior, wanted, _threads(threads, table.rows), self._native(calibration)
            )
        return _scores(*found, wanted)._replace(unseen=rest.unseen, infinite=rest.infinite)

    def _without_texts(
        self, table: Table, wanted: Wanted, calibration: Calibrated | None, threads: int | None
    ) -> Scores:
        tables, x, names, unseen = self._laid_out(table, exact=wanted in _EXACT)
        with translate_invalid_input(names, self.classes):
            found = _core.score(tables, x.view, wanted, _threads(threads, x.rows), self._native(calibration))
        return _scores(*found, wanted, unseen)

    def _native(self, calibration: Calibrated | None) -> _core.Calibration | None:
        # Weights have the scale in them.
        if calibration is None:
            return None
        return _core.Calibration(1.0 if self._weighted else calibration.scale, calibration.offsets)

    def _laid_out(self, table: Table, *, exact: bool) -> _LaidOut:
        if isinstance(table, Matrix):
            matrix = self._matrix(whole=not table.sparse and table.x.dtype.kind in "iu", exact=exact)
            if matrix is not None:
                return _LaidOut(matrix.tables, view_numbers(table.x), self._names, matrix.unseen(table))
            if table.sparse:
                require_memory(f"a dense copy of {table.rows:,} × {table.width:,} cells", table.rows * table.width)
                table = Matrix(table.x.toarray(), table.names, table.named)
        columns = self._columns(exact=exact) or self._compile(ColumnLayout(self._log_prior, table, exact=exact))
        arrays, valid, unseen = columns.read(table)
        return _LaidOut(columns.tables, view_numbers(arrays, valid), columns.names, tuple(unseen))

    def _matrix(self, *, whole: bool, exact: bool) -> MatrixLayout | None:
        # The terms as a matrix takes them, or None where a column must be coded first.
        if (whole, exact) not in self._matrices:
            layout = MatrixLayout(self._log_prior, self._names, whole=whole, exact=exact)
            self._matrices[whole, exact] = self._try(layout)
        return self._matrices[whole, exact]

    def _columns(self, *, exact: bool) -> ColumnLayout | None:
        # The terms as separate columns take them, or None where tables depend on the rows.
        if exact not in self._separate:
            self._separate[exact] = self._try(ColumnLayout(self._log_prior, exact=exact))
        return self._separate[exact]

    def _try(self, layout: _Layout) -> _Layout | None:
        try:
            return self._compile(layout)
        except NeedsCodes:
            return None

    def _compile(self, layout: _Layout) -> _Layout:
        for term in self._terms:
            if layout.exact or not term.cancels:
                term.compile(layout)
        return layout


def finish_scores(
    likelihood: FloatArray,
    log_prior: FloatArray,
    wanted: Wanted,
    calibration: Calibrated | None = None,
    threads: int | None = None,
) -> Scores:
    """Return what is wanted of rows, given log p(x|c), rows × classes, and log p(c).

    Examples
    --------
    >>> finish_scores(np.log([[0.1, 0.3]]), np.log([0.5, 0.5]), "posterior").values.round(4)
    array([[0.25, 0.75]])
    """
    rows = np.ascontiguousarray(likelihood)
    with translate_invalid_input((), len(log_prior)):
        native = None if calibration is None else _core.Calibration(calibration.scale, calibration.offsets)
        found = _core.finish(rows, log_prior, wanted, _threads(threads, len(rows)), native)
    return _scores(*found, wanted)


def score_parts(
    scorers: Sequence[Scorer], table: Matrix, parts: IntArray, wanted: Wanted, threads: int | None = None
) -> FloatArray:
    """Return what is wanted of each row under the scorer of its part, in one pass that moves no row.

    Every term must take numbers as they are.
    """
    tables = [scorer.tables_of_numbers(table) for scorer in scorers]
    view = view_numbers(table.x).view
    assert isinstance(view, _core.Matrix), "a matrix is seen as one"
    with translate_invalid_input(table.names, scorers[0].classes):
        return _core.score_parts(tables, view, parts.astype(np.int32), wanted, thread_count(threads))[0]


def pool_scores(evidence: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Σ_t w_t ℓ_t(x, c), rows × classes, of evidence of rows × units × classes."""
    return _core.pool_scores(evidence, np.ascontiguousarray(weights), thread_count())


def pool_derivatives(
    evidence: FloatArray, posterior: FloatArray, codes: IntArray, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return slope and curvature of the mean log loss by the weights of the units and the offsets of the classes."""
    return _core.pool_derivatives(evidence, posterior, codes, shares, thread_count())


def weigh_logs(logs: FloatArray, weight: float) -> FloatArray:
    """Return the logs times a weight ≥ 0; −inf stays −inf.

    Examples
    --------
    >>> weigh_logs(np.array([-2.0, -np.inf]), 0.0)
    array([ -0., -inf])
    """
    if weight == 1:
        return logs
    return np.multiply(logs, weight, out=np.full(logs.shape, -np.inf), where=logs != -np.inf)


def _weigh_terms(
    terms: Sequence[Term], weights: Mapping[str | int, float]
) -> tuple[list[Term], list[tuple[Term, float]]]:
    # Terms whose tables have the weights in them, and others whose sums have to be weighted.
    weighed: list[Term] = []
    others: list[tuple[Term, float]] = []
    for term in terms:
        if term.cancels:
            weighed.append(term)
            continue
        own = np.array([weights[name] for name in term.columns])
        found = term.weigh(own)
        if found is not None:
            weighed += found
        elif (own == own[:1]).all():
            others.append((term, float(own[0])))
        else:
            others += [(term.restrict((name,)), float(weight)) for name, weight in zip(term.columns, own, strict=True)]
    return weighed, others


def _threads(asked: int | None, rows: int) -> int:
    # A few rows are done before a second thread would be awake.
    return 1 if asked is None and rows <= _FEW_ROWS else thread_count(asked)


def _scores(
    values: FloatArray, impossible: int, infinite: bool, wanted: Wanted, unseen: tuple[Unseen, ...] = ()
) -> Scores:
    return Scores(values[:, 0] if wanted == "density" else values, impossible, unseen, infinite)
