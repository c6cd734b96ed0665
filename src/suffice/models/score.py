"""Rows to scores: log p(c, x) = log p(c) + Σ over the terms, and what is read from it.

    joint           log p(c, x)                 rows × classes
    log_posterior   log p(c | x)                rows × classes
    posterior       p(c | x)                    rows × classes
    density         log p(x)                    rows

A row that is impossible under every class (−inf everywhere) gets the class prior as its posterior, and is counted.

Documents are scored by themselves (token_scores.py), and what they add joins the rest.

Terms are compiled once into the tables of the native core, which scores in one pass. A matrix of numbers goes there as
it is; other tables go as separate columns, with the levels of each coded along its axis (level_codes.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.engines.flaws import explained
from suffice.engines.rows import require_memory, table_of
from suffice.engines.table import Matrix, Table
from suffice.engines.threads import thread_count
from suffice.likelihoods.terms import Coefficient, Combinations, Compiled, Levels, Term, TokenTerm
from suffice.models.combination_codes import combination_codes
from suffice.models.compiled import add_term
from suffice.models.finishing import finished
from suffice.models.level_codes import Unseen, direct_levels, level_codes, sampled_rows, sampled_unseen
from suffice.models.scores import Scores, Wanted
from suffice.models.token_scores import TokenScorer
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["Scorer", "Scores", "Wanted"]

_FEW_ROWS = 256


class _Spread(NamedTuple):
    """The columns that terms look at, one after the other, and tables that know their places."""

    arrays: list[npt.NDArray[Any]]
    valid: list[npt.NDArray[np.uint8] | None]
    names: list[str | int]
    unseen: list[Unseen]
    tables: _core.ScoreTables


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

    __slots__ = ("_compiled", "_direct", "_levels", "_log_prior", "_names", "_sizes", "_terms", "_texts")

    def __init__(self, terms: Sequence[Term], log_prior: FloatArray, names: Columns) -> None:
        self._texts = tuple(TokenScorer(term) for term in terms if isinstance(term, TokenTerm))
        self._terms: tuple[Compiled, ...] = tuple(term for term in terms if not isinstance(term, TokenTerm))
        self._levels = tuple(term for term in self._terms if isinstance(term, Levels))
        self._log_prior = np.ascontiguousarray(log_prior)
        self._names = names
        self._compiled: dict[tuple[bool, bool], _core.ScoreTables] = {}
        self._direct: dict[bool, tuple[Compiled, ...] | None] = {}
        self._sizes: dict[Levels, npt.NDArray[np.int64]] = {}

    def score(self, table: Table, wanted: Wanted, threads: int | None = None) -> Scores:
        """Return joint, posterior or density of every row; the number of threads changes the speed and nothing else."""
        if self._texts:
            return self._with_texts(table, wanted, threads)
        return self._without_texts(table, wanted, threads)

    def lengths(self, table: Table) -> FloatArray | None:
        """Return how many tokens the texts of each row have, or None where there are no texts."""
        if not self._texts:
            return None
        return np.sum([text.lengths(table) for text in self._texts], axis=0)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self._log_prior)

    def tables_of_numbers(self, table: Matrix) -> _core.ScoreTables:
        """Return what joint is computed from, of terms that take a matrix of numbers as it is."""
        whole = table.x.dtype.kind in "iu"
        direct = self._directly(whole=whole)
        assert direct is not None, "combinations are no numbers"
        assert not self._texts, "texts are no numbers"
        return self._tables(direct, whole=whole, exact=True)

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
            whole = not table.sparse and table.x.dtype.kind in "iu"
            direct = self._directly(whole=whole)
            if direct is not None:
                tables = self._tables(direct, whole=whole, exact=exact)
                return self._scored(tables, table_of(table.x), self._names, wanted, threads, self._sampled(table))
            if table.sparse:
                require_memory(f"a dense copy of {table.rows:,} × {table.width:,} cells", table.rows * table.width)
                table = Matrix(table.x.toarray(), table.names, table.named)
        spread = self._spread(table, exact=exact)
        if not spread.arrays:  # no column says anything
            spread.arrays.append(np.zeros(table.rows, dtype=np.bool_))
            spread.valid.append(None)
        view = table_of(spread.arrays, spread.valid)
        return self._scored(spread.tables, view, spread.names, wanted, threads, tuple(spread.unseen))

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

    def _directly(self, *, whole: bool) -> tuple[Compiled, ...] | None:
        # The terms as a matrix takes them, or None where a column must be coded first.
        if whole not in self._direct:
            found: list[Compiled] | None = []
            for term in self._terms:
                ready = direct_levels(term) if isinstance(term, Levels) and whole else term
                if ready is None or isinstance(ready, Combinations) or (isinstance(ready, Levels) and not whole):
                    found = None
                    break
                found.append(ready)
            self._direct[whole] = None if found is None else tuple(found)
        return self._direct[whole]

    def _tables(self, terms: tuple[Compiled, ...], *, whole: bool, exact: bool) -> _core.ScoreTables:
        if (whole, exact) not in self._compiled:
            place = {name: at for at, name in enumerate(self._names)}
            tables = _core.ScoreTables(self._log_prior)
            for term in self._wanted(terms, exact=exact):
                add_term(tables, term, [place[name] for name in term.columns], exact=exact)
            self._compiled[whole, exact] = tables
        return self._compiled[whole, exact]

    def _sampled(self, table: Matrix) -> tuple[Unseen, ...]:
        strange = (term for term in self._levels if not self._all_seen(table, term))
        return tuple(found for term in strange for found in sampled_unseen(table, term))

    def _all_seen(self, table: Matrix, term: Levels) -> bool:
        # The usual case, all columns at once: the levels of each are 0, 1, … and the sampled cells are among them.
        if term not in self._sizes:
            sizes = [len(axis) if axis.labels == tuple(range(len(axis))) else -1 for axis in term.levels]
            self._sizes[term] = np.array(sizes)
        cells = sampled_rows(table)
        if len(term.columns) != table.width:
            cells = cells[:, table.positions(term.columns)]
        return bool(((cells >= 0) & (cells < self._sizes[term])).all())

    @staticmethod
    def _wanted(terms: Sequence[Compiled], *, exact: bool) -> list[Compiled]:
        # What is the same for every class cancels in a posterior.
        return [term for term in terms if exact or not isinstance(term, Coefficient)]

    @staticmethod
    def _recoded(table: Table, term: Levels, spread: _Spread) -> Levels:
        nothing = np.zeros((1, term.table.shape[1]))
        tables: list[FloatArray] = []
        start = 0
        for name, axis in zip(term.columns, term.levels, strict=True):
            codes, rows, unseen = level_codes(table, name, axis, unseen=term.unseen, missing=term.missing)
            end = start + len(axis) + term.unseen
            tables.append(np.concatenate([term.table[start:end], nothing])[rows])  # −1 is the last: nothing
            start = end
            spread.arrays.append(codes)
            spread.valid.append(None)
            spread.unseen.extend(unseen)
        spread.names.extend(term.columns)
        axes = tuple(Axis(range(len(rows))) for rows in tables)
        return Levels(term.columns, axes, np.concatenate(tables))

    def _spread(self, table: Table, *, exact: bool) -> _Spread:
        spread = _Spread([], [], [], [], _core.ScoreTables(self._log_prior))
        for term in self._wanted(self._terms, exact=exact):
            start = len(spread.arrays)
            if isinstance(term, Levels):
                term = self._recoded(table, term, spread)  # noqa: PLW2901 - its table follows the codes of these rows
            elif isinstance(term, Combinations):
                codes, term, unseen = combination_codes(table, term)  # noqa: PLW2901 - a table of what these rows have
                spread.arrays.append(codes)
                spread.valid.append(None)
                spread.names.append(term.columns[0])
                spread.unseen.extend(unseen)
            else:
                numbers = table.numbers(term.columns)
                spread.arrays.extend(numbers.columns())
                spread.valid.extend(numbers.valid or [None] * len(term.columns))
                spread.names.extend(term.columns)
            add_term(spread.tables, term, list(range(start, len(spread.arrays))), exact=exact)
        return spread
