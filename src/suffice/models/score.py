"""Scoring of rows: log p(c, x) = log p(c) + Σ over the terms, and the quantities derived from it.

    likelihood      log p(x|c)                  rows × classes
    joint           log p(c, x)                 rows × classes
    log_posterior   log p(c | x)                rows × classes
    posterior       p(c | x)                    rows × classes
    density         log p(x)                    rows

A row that is impossible under every class (−inf everywhere) gets the class prior as its posterior, and is counted. With
a calibration, log p(c) + offset_c + scale · log p(x|c) replaces log p(c, x) (decisions/calibration.py); if
columns have weights, their terms are multiplied by these instead of the scale.

Terms are compiled once into the tables of the native core, which scores in one pass. A numeric matrix is passed
unchanged, and integers that are levels are their own codes (MatrixLayout); other tables are passed as separate columns,
with the levels of each coded once per distinct value (ColumnLayout). Documents are scored separately (TokenScorer), and
their contributions are added: tokens are looked up and their weights summed in one native pass. If a weight is not
sufficient, because a parameter is integrated out or a log is −inf, the tokens are first converted to rows of a sparse
matrix, which are scored like any other counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.engines.collection import joint_codes
from suffice.engines.documents import documents_of, token_index, token_matrix, tokenizer_of
from suffice.engines.rows import NumberView, translate_invalid_input, view_numbers
from suffice.likelihoods.terms import Term
from suffice.likelihoods.terms.split import DocumentTokens
from suffice.likelihoods.tokens import TokenTerm
from suffice.machine import require_memory, thread_count
from suffice.sources.coding import UNSEEN, Coded, Places
from suffice.sources.table import Matrix, Table
from suffice.statistics import Axis
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.labels import Label

__all__ = [
    "Calibrated",
    "ColumnLayout",
    "MatrixLayout",
    "NeedsCodes",
    "Scorer",
    "Scores",
    "TokenScorer",
    "Unseen",
    "Wanted",
    "finish_scores",
    "multiply_logs",
    "pool_derivatives",
    "pool_scores",
    "sampled_unseen",
    "score_parts",
]

_EXAMPLES = 3
_SAMPLE = 4096
_SUSPICIOUS = 0.1
_SPARE = 64


class Unseen(NamedTuple):
    """The number of known cells of a column with levels that the model has not seen, and examples of both."""

    column: str | int
    cells: int
    known: int
    unseen: tuple[Label, ...]
    seen: tuple[Label, ...]


class NeedsCodes(Exception):  # noqa: N818 - caught where it is raised for
    """A term requires the codes of specific rows to compile its tables."""


@final
class MatrixLayout:
    """The columns of a matrix that is scored without coding.

    Parameters
    ----------
    names : tuple
        The columns of the matrix, in order.
    whole : bool
        Whether the matrix is dense and of integers.
    """

    __slots__ = ("_place", "_sizes", "_whole", "axes", "exact", "tables")

    def __init__(self, log_prior: FloatArray, names: Columns, *, whole: bool, exact: bool) -> None:
        self.tables = _core.ScoreTables(log_prior)
        self.exact = exact
        self.axes: list[tuple[str | int, Axis]] = []
        self._place = {name: at for at, name in enumerate(names)}
        self._whole = whole
        self._sizes: npt.NDArray[np.int64] | None = None

    def numbers(self, columns: Columns) -> list[int]:
        """Return the places of columns of numbers."""
        return [self._place[name] for name in columns]

    def levels(self, column: str | int, axis: Axis, *, unseen: bool, missing: bool) -> tuple[int, IntArray]:
        """Return the place of a column of integers, and the position of each of 0, 1, … on the axis."""
        del missing  # an integer is never missing
        known = [label for label in axis if isinstance(label, int) and not isinstance(label, bool) and label >= 0]
        gap = len(axis) > 0 and axis.labels[0] is None
        size = max(known, default=-1) + 1
        if not self._whole or unseen or len(known) + gap < len(axis) or size > 2 * len(known) + _SPARE:
            raise NeedsCodes
        rows = np.full(size, -1, dtype=np.int64)
        rows[known] = np.arange(gap, len(axis))
        self.axes.append((column, axis))
        return self._place[column], rows

    def combinations(self, columns: Columns, axes: tuple[Axis, ...]) -> tuple[int, IntArray]:
        """Raise NeedsCodes."""
        del columns, axes
        raise NeedsCodes

    def unseen(self, table: Matrix) -> tuple[Unseen, ...]:
        """Return the columns with unseen levels among some rows."""
        if not self.axes or self._all_seen(table):
            return ()
        return tuple(sampled_unseen(table, self.axes))

    def _all_seen(self, table: Matrix) -> bool:
        # The usual case, all columns at once: the levels of each are 0, 1, … and include the sampled cells.
        if self._sizes is None:
            sizes = [len(axis) if axis.labels == tuple(range(len(axis))) else -1 for _, axis in self.axes]
            self._sizes = np.array(sizes)
        cells = sampled_rows(table)
        if len(self.axes) != table.width:
            cells = cells[:, table.positions(tuple(name for name, _ in self.axes))]
        return bool(((cells >= 0) & (cells < self._sizes)).all())


class _LevelColumn(NamedTuple):
    # A column that is read as positions on an axis; an unseen level and a missing cell have the positions after it.
    column: str | int
    axis: Axis
    unseen: int
    missing: int


class Cells(NamedTuple):
    """Input of the core for some rows: columns and their validity bitmaps; and the columns with unseen levels."""

    arrays: list[npt.NDArray[Any]]
    valid: list[npt.NDArray[np.uint8] | None]
    unseen: tuple[Unseen, ...]


@final
class ColumnLayout:
    """The columns that terms read, as separate arrays.

    The tables of the terms follow the axes of the model: they are compiled once, and rows are read as positions on the
    axes. Only tables of combinations depend on specific rows, and need `rows`.
    """

    __slots__ = ("_read", "_rows", "_unseen", "exact", "names", "tables")

    def __init__(self, log_prior: FloatArray, rows: Table | None = None, *, exact: bool) -> None:
        self.tables = _core.ScoreTables(log_prior)
        self.exact = exact
        self.names: list[str | int] = []
        self._rows = rows
        self._read: list[Columns | _LevelColumn | IntArray] = []  # numbers, levels and known codes
        self._unseen: list[Unseen] = []

    def read(self, table: Table) -> Cells:
        """Return the columns of a table; at least one, so that the number of rows is known."""
        arrays: list[npt.NDArray[Any]] = []
        valid: list[npt.NDArray[np.uint8] | None] = []
        found: list[tuple[_LevelColumn, Places]] = []
        for wanted in self._read:
            if isinstance(wanted, _LevelColumn):
                places = table.places(wanted.column, wanted.axis)
                arrays.append(places.positions)
                valid.append(None)
                if places.unseen:
                    found.append((wanted, places))
                if wanted.missing >= 0 or (places.unseen and wanted.unseen >= 0):
                    others = np.where(arrays[-1] == UNSEEN, wanted.unseen, wanted.missing)
                    arrays[-1] = np.where(arrays[-1] < 0, others, arrays[-1])
            elif isinstance(wanted, tuple):
                numbers = table.numbers(wanted)
                arrays.extend(numbers.columns())
                valid.extend(numbers.valid or [None] * len(wanted))
            else:
                arrays.append(wanted)
                valid.append(None)
        if not arrays:
            arrays.append(np.zeros(table.rows, dtype=np.bool_))
            valid.append(None)
        unseen = [_unseen(wanted.column, wanted.axis, places) for wanted, places in found] if found else []
        return Cells(arrays, valid, (*self._unseen, *unseen))

    def numbers(self, columns: Columns) -> list[int]:
        """Return the places of columns of numbers."""
        self._read.append(columns)
        self.names.extend(columns)
        return list(range(len(self.names) - len(columns), len(self.names)))

    def levels(self, column: str | int, axis: Axis, *, unseen: bool, missing: bool) -> tuple[int, IntArray]:
        """Return the place of a column that is read as positions on the axis, and these."""
        size = len(axis.labels)
        other = size if unseen else -1
        gap = (0 if None in axis else other) if missing else -1  # None is the first on an axis
        self._read.append(_LevelColumn(column, axis, other, gap))
        self.names.append(column)
        return len(self.names) - 1, np.arange(size + unseen)

    def combinations(self, columns: Columns, axes: tuple[Axis, ...]) -> tuple[int, IntArray]:
        """Return the place of a code for each distinct combination of the rows, and the combinations."""
        if self._rows is None:
            raise NeedsCodes
        each: list[Coded] = []
        for column, axis in zip(columns, axes, strict=True):
            places = self._rows.places(column, axis)
            if places.unseen:
                self._unseen.append(_unseen(column, axis, places))
            # A missing cell, −1, counts as a level here.
            positions = np.maximum(places.positions.astype(np.int64), -1)
            each.append(Coded(positions + 1, list(range(-1, len(axis)))))
        codes, found = joint_codes(each)
        self._read.append(codes)
        self.names.append(columns[0])
        return len(self.names) - 1, np.array(found, dtype=np.int64).reshape(len(found), len(columns))


def _unseen(column: str | int, axis: Axis, places: Places) -> Unseen:
    positions, unseen = places
    cells, known = int((positions == UNSEEN).sum()), int((positions != -1).sum())
    seen = [label for label in axis.labels if label is not None]
    return Unseen(column, cells, known, tuple(unseen[:_EXAMPLES]), tuple(seen[:_EXAMPLES]))


def sampled_rows(table: Matrix) -> npt.NDArray[Any]:
    """Return all rows of a dense matrix, or some at irregular positions, so that periodic data are sampled evenly."""
    rows = table.rows
    if rows <= _SAMPLE:
        return table.x
    step = int(rows * (math.sqrt(5) - 1) / 2)
    while math.gcd(step, rows) > 1:
        step += 1
    return table.x[np.arange(_SAMPLE) * step % rows]


def sampled_unseen(table: Matrix, axes: Sequence[tuple[str | int, Axis]]) -> list[Unseen]:
    """Return the columns with unseen levels among some rows, if levels are their own codes.

    A column with many unseen levels in the sample is counted in all rows.
    """
    found: list[Unseen] = []
    x = sampled_rows(table)
    places = table.positions(tuple(name for name, _ in axes))
    for at, (name, axis) in zip(places, axes, strict=True):
        cells = x[:, at]
        known = np.array([label for label in axis if label is not None], dtype=np.float64)
        there = np.isin(cells, known)
        if len(x) < table.rows and there.mean() < 1 - _SUSPICIOUS:
            cells = table.x[:, at]
            there = np.isin(cells, known)
        if not there.all():
            strange = np.unique(cells[~there])[:_EXAMPLES].tolist()
            seen = [label for label in axis if label is not None][:_EXAMPLES]
            found.append(Unseen(name, int((~there).sum()), len(cells), tuple(strange), tuple(seen)))
    return found


_ANY = 64  # columns, if tokens are only counted


@final
class TokenScorer:
    """Scores one column of documents."""

    def __init__(self, term: TokenTerm) -> None:
        self._term = term

    @property
    def cancels(self) -> bool:
        """Whether the contribution is the same for every class."""
        return self._term.cancels

    @cached_property
    def _index(self) -> _core.TokenIndex:
        known = self._term.tokens
        return token_index(known.tokenizing, known.vocabulary, known.kept)

    def scores(self, table: Table, threads: int | None = None) -> FloatArray:
        """Return the contribution of the column, rows × classes; 0 if the document is missing."""
        term, tokenizing = self._term, self._term.tokens.tokenizing
        documents = documents_of(table, term.columns[0])
        linear = term.linear()
        if linear is not None:
            return _core.score_tokens(
                tokenizer_of(tokenizing),
                self._index,
                documents,
                tokenizing.tf == "log",
                tokenizing.unit_length,
                *linear,
                term.presence,
                thread_count(threads),
            )
        return self._by_matrix(documents, threads)

    def counts(self, table: Table, threads: int | None = None) -> Any:
        """Return the counts of known tokens as a CSR matrix; missing documents are empty rows."""
        return self._counted(documents_of(table, self._term.columns[0]), threads)

    def tokens(self, table: Table, threads: int | None = None) -> DocumentTokens:
        """Return the kept tokens of each document and their counts."""
        documents = documents_of(table, self._term.columns[0])
        found = token_matrix(self._term.tokens.tokenizing, self._index, documents, threads)
        return DocumentTokens(*found, documents.is_missing() if documents.missing else None)

    def _counted(self, documents: _core.Documents, threads: int | None) -> Any:
        from scipy.sparse import csr_matrix

        starts, columns, values = token_matrix(self._term.tokens.tokenizing, self._index, documents, threads)
        if self._term.presence:
            values = np.ones_like(values)
        return csr_matrix((values, columns, starts), shape=(len(documents), len(self._index)))

    def _by_matrix(self, documents: _core.Documents, threads: int | None) -> FloatArray:
        matrix = self._counted(documents, threads)
        with translate_invalid_input(self._term.columns, 0):
            scored, _, _ = _core.score(self._tables, view_numbers(matrix).view, "joint", thread_count(threads))
        scores = np.array(scored)
        if documents.missing:
            scores[documents.is_missing()] = 0.0
        return scores

    @cached_property
    def _tables(self) -> _core.ScoreTables:
        tokens, classes = self._term.shape
        layout = MatrixLayout(np.zeros(classes), tuple(range(tokens)), whole=False, exact=True)
        self._term.compile(layout)
        return layout.tables


Wanted: TypeAlias = Literal["likelihood", "joint", "log_posterior", "posterior", "density"]

_EXACT: tuple[Wanted, ...] = ("likelihood", "joint", "density")  # including constants that are equal for all classes
_FEW_ROWS = 256
_Layout = TypeVar("_Layout", MatrixLayout, ColumnLayout)


class Calibrated(Protocol):
    """The parameters of a calibration that the core applies to scores."""

    @property
    def scale(self) -> float:
        """The factor of log p(x|c)."""
        ...

    @property
    def offsets(self) -> FloatArray:
        """The offset added to the score of each class."""
        ...

    @property
    def column_weights(self) -> Mapping[str | int, float]:
        """The factor of the evidence of each column, instead of the scale; empty if the columns have no weights."""
        ...


class Scores(NamedTuple):
    """The requested scores, the number of rows impossible under every class, and the columns with unseen levels.

    `infinite` is whether an infinite cell was read as present or absent, which the values do not show.
    """

    values: FloatArray
    impossible: int
    unseen: tuple[Unseen, ...] = ()
    infinite: bool = False


class _LaidOut(NamedTuple):
    # The tables of the terms, the rows in the form of the core, and the names of their columns.
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
        The columns of the tables, in order.
    weights : mapping of columns to floats, optional
        The factor of the contribution of each column. Inseparable columns of one term share a factor.
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
        """Return the requested score of every row; the result does not depend on the number of threads."""
        if self._texts or self._weighed:
            return self._with_texts(table, wanted, calibration, threads)
        return self._without_texts(table, wanted, calibration, threads)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self._log_prior)

    def tables_of_numbers(self, table: Matrix) -> _core.ScoreTables:
        """Return the input of the joint scores, for terms that accept a numeric matrix unchanged."""
        layout = self._matrix(whole=table.x.dtype.kind in "iu", exact=True)
        assert layout is not None, "combinations are not numeric"
        assert not self._texts, "texts are not numeric"
        assert not self._weighed, "weighted sums need separate passes"
        return layout.tables

    def _with_texts(self, table: Table, wanted: Wanted, calibration: Calibrated | None, threads: int | None) -> Scores:
        rest = Scores(np.zeros((table.rows, self.classes)), 0)
        if self._terms:
            rest = self._without_texts(table, "likelihood", None, threads)
        for text, weight in self._texts:
            if wanted in _EXACT or not text.cancels:
                rest.values[:] += multiply_logs(text.scores(table, threads), weight)
        for scorer, weight in self._weighed:
            rest.values[:] += multiply_logs(scorer.score(table, "likelihood", None, threads).values, weight)
        with translate_invalid_input((), self.classes):
            found = _core.finish(
                rest.values, self._log_prior, wanted, _threads(threads, table.rows), self._native(calibration)
            )
        return _scores(*found, wanted)._replace(unseen=rest.unseen, infinite=rest.infinite)

    def _without_texts(
        self, table: Table, wanted: Wanted, calibration: Calibrated | None, threads: int | None
    ) -> Scores:
        tables, x, names, unseen = self._laid_out(table, exact=wanted in _EXACT)
        threads, calibrated = _threads(threads, x.rows), self._native(calibration)
        with translate_invalid_input(names, len(self._log_prior)):
            found = _core.score(tables, x.view, wanted, threads, calibrated)
        return _scores(*found, wanted, unseen)

    def _native(self, calibration: Calibrated | None) -> _core.Calibration | None:
        # Weights include the scale.
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
        return _LaidOut(columns.tables, view_numbers(arrays, valid), columns.names, unseen)

    def _matrix(self, *, whole: bool, exact: bool) -> MatrixLayout | None:
        # The terms compiled for a matrix, or None if a column must be coded first.
        if (whole, exact) not in self._matrices:
            layout = MatrixLayout(self._log_prior, self._names, whole=whole, exact=exact)
            self._matrices[whole, exact] = self._try(layout)
        return self._matrices[whole, exact]

    def _columns(self, *, exact: bool) -> ColumnLayout | None:
        # The terms compiled for separate columns, or None if tables depend on the rows.
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
    """Return the requested score of rows, given log p(x|c), rows × classes, and log p(c).

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
    """Return the requested score of each row under the scorer of its part, in one pass without copying rows.

    Every term must accept numbers without coding.
    """
    tables = [scorer.tables_of_numbers(table) for scorer in scorers]
    view = view_numbers(table.x).view
    assert isinstance(view, _core.Matrix), "a matrix has a matrix view"
    with translate_invalid_input(table.names, scorers[0].classes):
        return _core.score_parts(tables, view, parts.astype(np.int32), wanted, thread_count(threads))[0]


def pool_scores(evidence: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Σ_t w_t ℓ_t(x, c), rows × classes, of evidence of rows × units × classes."""
    return _core.pool_scores(evidence, np.ascontiguousarray(weights), thread_count())


def pool_derivatives(
    evidence: FloatArray, posterior: FloatArray, codes: IntArray, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return gradient and Hessian of the mean log loss in the weights of the units and the offsets of the classes."""
    return _core.pool_derivatives(evidence, posterior, codes, shares, thread_count())


def multiply_logs(logs: FloatArray, weight: float) -> FloatArray:
    """Return the logs times a weight ≥ 0; −inf stays −inf.

    Examples
    --------
    >>> multiply_logs(np.array([-2.0, -np.inf]), 0.0)
    array([ -0., -inf])
    """
    if weight == 1:
        return logs
    return np.multiply(logs, weight, out=np.full(logs.shape, -np.inf), where=logs != -np.inf)


def _weigh_terms(
    terms: Sequence[Term], weights: Mapping[str | int, float]
) -> tuple[list[Term], list[tuple[Term, float]]]:
    # Terms whose tables include the weights, and others whose sums are weighted after scoring.
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
        elif (own == own[:1]).all() or not term.separable:
            others.append((term, float(own[0])))
        else:
            others += [(term.restrict((name,)), float(weight)) for name, weight in zip(term.columns, own, strict=True)]
    return weighed, others


def _threads(asked: int | None, rows: int) -> int:
    # Few rows are scored faster than a second thread can start.
    return 1 if asked is None and rows <= _FEW_ROWS else thread_count(asked)


def _scores(
    values: FloatArray, impossible: int, infinite: bool, wanted: Wanted, unseen: tuple[Unseen, ...] = ()
) -> Scores:
    return Scores(values[:, 0] if wanted == "density" else values, impossible, unseen, infinite)
