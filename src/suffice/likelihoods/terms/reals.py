"""Densities of real columns, each by itself or several together. z = (x − centre) · scale.

    Quadratic        c − s (z − m)²                                       Gaussian, parameters plugged in
    Student          c − e ln(1 + (z − m)² s)                             Gaussian, parameters integrated out
    FullQuadratic    −½ ln|2πΣ| − ½ (z − m)ᵀ Σ⁻¹ (z − m) + Σ ln scale     Gaussian of several columns together
    FullStudent      the same of multivariate t                           Gaussian of several columns, integrated out
    Steps            the table's row of the cell between cuts             histogram

Columns together that share a matrix, its parameters plugged in (LDA), are explained column by column. With P = Σ⁻¹ of
the columns that are known in the row, and z and m_c counted from the mean of all rows,

    −½ (z − m_c)ᵀ P (z − m_c) = Σ_j (P m_c)_j (z_j − ½ m_cj) − ½ zᵀ P z          whose last term all classes share

What column j adds between two classes depends on where m is counted from; between two classes alone, from the mean of
their rows, it is (P (m_c − m_d))_j (z_j − ½ (m_cj + m_dj)): nothing half-way between them. Elsewhere columns together
are one entry.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from suffice.conjugate.log_gamma import log_rising
from suffice.likelihoods.aligned import by_class
from suffice.likelihoods.terms.divergence import Other, log_of_rest, real_divergence
from suffice.likelihoods.terms.split import (
    BlockSplit,
    Facts,
    NumberSplit,
    Rows,
    Split,
    no_facts,
    no_outcome,
    share_facts,
)
from suffice.likelihoods.terms.term import Layout, Outcomes, Term, contiguous
from suffice.likelihoods.whitening import whitened
from suffice.statistics import Moments, Scatter
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from suffice.likelihoods.likelihood import Seen

__all__ = ["FullQuadratic", "FullStudent", "Quadratic", "Steps", "Student", "intervals_shown", "log_widths"]

_FEWEST, _MOST = 3, 17  # 17 digits tell any two floats apart


class _Real(Term):
    # Columns by themselves, of (z − m)² s: centre and scale of length D; m, s, c of shape (D, C).
    __slots__ = ()

    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    s: FloatArray
    c: FloatArray

    per_column: ClassVar[tuple[str, ...]] = ("centre", "scale", "m", "s", "c")

    @abstractmethod
    def _logs(self, squares: FloatArray) -> FloatArray:
        # The log density, given (z − m)² s.
        ...

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return an entry for each known cell."""

        def added(x: FloatArray) -> FloatArray:
            z = (x - self.centre) * self.scale
            with np.errstate(over="ignore"):
                return self._logs((z[..., None] - self.m) ** 2 * self.s)

        facts = _moment_facts(seen, self.columns)
        return NumberSplit(self.columns, rows.numbers(self.columns), added, facts, no_outcome)

    def log_units(self) -> FloatArray:
        """Return the log of the spread of each column."""
        return -np.log(self.scale)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Quadratic(_Real):
    """c − s (z − m)²: centre and scale of length D; m, s, c of shape (D, C)."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    s: FloatArray
    c: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add the parabolas."""
        places = layout.numbers(self.columns)
        layout.tables.add_quadratic(places, *map(contiguous, (self.centre, self.scale, self.m, self.s, self.c)))

    def _logs(self, squares: FloatArray) -> FloatArray:
        return self.c - squares

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and its divergence from the other density."""
        return zip(self.columns, real_divergence(self.m, self.s, self.c, None, log_weight, other), strict=True)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Student(_Real):
    """c − e ln(1 + (z − m)² s): centre and scale of length D; m, s, c of shape (D, C); e of length C."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    s: FloatArray
    c: FloatArray
    e: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add the densities."""
        arrays = self.centre, self.scale, self.m, self.s, self.c, self.e
        layout.tables.add_student(layout.numbers(self.columns), *map(contiguous, arrays))

    def _logs(self, squares: FloatArray) -> FloatArray:
        # Of a square that is beyond every float, the greatest of them: as rows are scored.
        return self.c - np.log1p(np.minimum(squares, np.finfo(np.float64).max)) * self.e

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield each column and its divergence from the other density."""
        return zip(self.columns, real_divergence(self.m, self.s, self.c, self.e, log_weight, other), strict=True)


class _Ellipse(Term):
    # Columns together: centre and scale of length D; m of shape (C, D), and a matrix for each class, or one for all.
    __slots__ = ()

    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    matrices: FloatArray

    @abstractmethod
    def marginals(self) -> _Real:
        """Return the densities of the columns by themselves."""

    def divergence(self, log_weight: FloatArray, other: Other = log_of_rest) -> Iterable[tuple[str | int, FloatArray]]:
        """Yield the divergence of each column by itself."""
        return self.marginals().divergence(log_weight, other)

    def log_units(self) -> FloatArray:
        """Return the log of the spread of each column."""
        return -np.log(self.scale)

    def _add(
        self, layout: Layout, least: float, degrees: FloatArray, norming: FloatArray, *, drop: bool, linear: bool
    ) -> None:
        factors = whitened(self.matrices, least, drop=drop)
        layout.tables.add_ellipse(
            layout.numbers(self.columns),
            *map(contiguous, (self.centre, self.scale, np.log(self.scale), self.m, self.matrices)),
            *map(contiguous, (factors.rows, factors.log_determinant, factors.rank)),
            least=least,
            drop=drop,
            degrees=contiguous(degrees),
            norming=contiguous(norming),
            linear=linear,
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullQuadratic(_Ellipse):
    """The log density of several columns together: centre and scale of length D; m of shape (C, D).

    `matrices` are the covariances of z, (C, D, D), or (1, D, D) where all classes share one. Eigenvalues of at most
    `least` count as that, or not at all where such directions are to `drop` (whitening.py). Of a row with missing cells
    it is the density of the known ones: their part of z, m and the matrix, which is then factored by itself.
    """

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    matrices: FloatArray
    least: float
    drop: bool = False

    def compile(self, layout: Layout) -> None:
        """Add the densities; of one shared matrix linear scores are enough unless they must be exact."""
        linear = not layout.exact and len(self.matrices) == 1
        self._add(layout, self.least, np.empty(0), np.empty((0, 0)), drop=self.drop, linear=linear)

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return an entry for each known cell where classes share one matrix, else one for all of them."""
        if len(self.matrices) > 1:
            return BlockSplit.of_numbers(self, rows)
        facts = _moment_facts(seen, self.columns)
        return NumberSplit(self.columns, rows.numbers(self.columns), self._added_by_columns, facts, no_outcome)

    def _added_by_columns(self, x: FloatArray) -> FloatArray:
        z = (x - self.centre) * self.scale
        found = np.zeros((*x.shape, len(self.m)))
        patterns, group = np.unique(np.isnan(x), axis=0, return_inverse=True)
        for k, gap in enumerate(patterns):
            there = np.flatnonzero(~gap)
            if not len(there):
                continue
            rows = whitened(self.matrices[:1, there[:, None], there], self.least, drop=self.drop).rows[0]
            m: FloatArray = self.m[:, there]
            slope: FloatArray = (m @ rows.T) @ rows
            at = np.ix_(np.flatnonzero(group.ravel() == k), there)
            found[at] = slope.T * (z[at][..., None] - 0.5 * m.T)
        return found

    def marginals(self) -> Quadratic:
        """Return the densities of the columns by themselves."""
        spread = np.diagonal(self.matrices, axis1=1, axis2=2)
        variance = np.broadcast_to(np.maximum(spread, self.least), self.m.shape).T
        constant = -0.5 * np.log(2 * math.pi * variance) + np.log(self.scale)[:, None]
        m = np.ascontiguousarray(self.m.T)
        return Quadratic(self.columns, self.centre, self.scale, m, 0.5 / variance, constant)


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullStudent(_Ellipse):
    """The log density of multivariate t: as FullQuadratic, with scale matrices (C, D, D) and degrees of length C."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    matrices: FloatArray
    degrees: FloatArray

    def compile(self, layout: Layout) -> None:
        """Add the densities, with the norming constant for every number of known columns."""
        half = np.arange(len(self.columns) + 1.0)[:, None] / 2
        starts = np.broadcast_to(self.degrees / 2, (len(half), len(self.degrees)))
        norming = log_rising(starts, half) - half * np.log(math.pi * self.degrees)
        self._add(layout, 0.0, self.degrees, norming, drop=False, linear=False)

    def marginals(self) -> Student:
        """Return the densities of the columns by themselves: Student-t with the matrix's own degrees."""
        nu = self.degrees
        variance = np.broadcast_to(np.diagonal(self.matrices, axis1=1, axis2=2), self.m.shape).T
        constant = log_rising(nu / 2, np.asarray(0.5)) - 0.5 * np.log(math.pi * nu * variance)
        constant = constant + np.log(self.scale)[:, None]
        m = np.ascontiguousarray(self.m.T)
        return Student(self.columns, self.centre, self.scale, m, 1 / (nu * variance), constant, (nu + 1) / 2)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Steps(Term):
    """A row of the table for each cell: column j has one more than its cuts, one after the other.

    The cuts of a column rise; x is in cell #{cuts ≤ x}, so −inf is in the first and inf in the last. `spans` are the
    cuts of each column between the two ends of its values: no score needs them, but whoever shows the cells does.
    """

    columns: Columns
    edges: tuple[FloatArray, ...]
    table: FloatArray
    spans: tuple[FloatArray, ...] = ()

    def compile(self, layout: Layout) -> None:
        """Add the cuts and the table."""
        edges = np.concatenate([np.empty(0), *self.edges])
        sizes = [len(cuts) for cuts in self.edges]
        layout.tables.add_steps(layout.numbers(self.columns), sizes, contiguous(edges), contiguous(self.table))

    def restrict(self, columns: Columns) -> Steps:
        """Return the steps of these columns alone."""
        at = [self.columns.index(name) for name in columns]
        starts = self._starts()
        table = np.concatenate([self.table[:0], *(self.table[starts[j] : starts[j + 1]] for j in at)])
        spans = tuple(self.spans[j] for j in at) if self.spans else ()
        return Steps(columns, tuple(self.edges[j] for j in at), table, spans)

    def _starts(self) -> IntArray:
        return np.concatenate([[0], np.cumsum([len(cuts) + 1 for cuts in self.edges])]).astype(np.int64)

    def split(self, rows: Rows, seen: Seen) -> Split:
        """Return an entry for each known cell."""
        starts = self._starts()

        def outcome(j: int, x: float) -> int:
            return int(np.searchsorted(self.edges[j], x, side="right"))

        def added(x: FloatArray) -> FloatArray:
            place = [
                np.searchsorted(cuts, np.where(np.isnan(column), 0.0, column), side="right")
                for cuts, column in zip(self.edges, x.T, strict=True)
            ]
            return self.table[np.stack(place, axis=1) + starts[:-1]]

        def share(j: int, k: int) -> FloatArray:
            return np.exp(self.table[starts[j] + k] + log_widths(self.spans[j])[k])

        facts = share_facts(share, seen.rows)
        return NumberSplit(self.columns, rows.numbers(self.columns), added, facts, outcome)

    def outcomes(self) -> Outcomes:
        """Return the cells of each column, shown as intervals."""
        logs = self.table + np.concatenate([log_widths(span) for span in self.spans])[:, None]
        sizes = [len(span) - 1 for span in self.spans]
        return Outcomes.of(self.columns, sizes, logs, lambda j, k: intervals_shown(self.spans[j])[k])

    def log_units(self) -> FloatArray:
        """Return the log of the width of all cells of each column."""
        return np.array([log_widths(span[[0, -1]])[0] for span in self.spans])

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield the cells, and what a value beyond them costs."""
        yield from Term.size_terms(self, unseen, observed)
        cuts = tuple(np.array([span[0], np.nextafter(span[-1], np.inf)]) for span in self.spans)
        yield Steps(self.columns, cuts, np.tile([[0.0, unseen], [0.0, 0.0], [0.0, unseen]], (len(cuts), 1)))


def log_widths(edges: FloatArray) -> FloatArray:
    """Return the log of the width of each cell between the edges."""
    with np.errstate(over="ignore"):
        width = np.diff(edges)
    # Half of each edge where the difference is beyond the largest float; there no digit is lost by halving.
    beyond = np.isinf(width)
    return np.log(np.where(beyond, np.diff(0.5 * edges), width)) + np.where(beyond, np.log(2.0), 0.0)


def intervals_shown(edges: FloatArray) -> list[str]:
    """Return the cells between the edges as text, [e_{k−1}, e_k), in the fewest digits that keep the edges apart.

    Examples
    --------
    >>> intervals_shown(np.array([0, 1.5, 3, 1e6]))
    ['[0, 1.5)', '[1.5, 3)', '[3, 1e+06]']
    """
    numbers: list[float] = edges.tolist()
    shown = [f"{edge!r}" for edge in numbers]
    for digits in range(_FEWEST, _MOST):
        shorter = [f"{edge:.{digits}g}" for edge in numbers]
        if len(set(shorter)) == len(shorter):
            shown = shorter
            break
    return [
        f"[{low}, {high}{']' if last else ')'}"
        for (low, high), last in zip(pairwise(shown), [*[False] * (len(shown) - 2), True], strict=True)
    ]


def _moment_facts(seen: Seen, columns: Columns) -> Facts:
    # Mean and sd of the classes together, where moments or a scatter were collected.
    collected = seen.parts[0]
    if not isinstance(collected, (Moments, Scatter)):
        return no_facts
    part = collected.moments()
    place = {name: at for at, name in enumerate(part.columns)}
    where = [place[name] for name in columns]
    weight, mean, dp = (
        by_class(each, part.classes, seen.classes)[:, where] for each in (part.weight, part.mean, part.dp)
    )

    def facts(column: int, _outcome: int, at: IntArray) -> dict[str, float]:
        n, means, squares = (each[at, column] for each in (weight, mean, dp))
        known = float(n.sum())
        if not known > 0:
            return {}
        share = n / known
        together = float((share * means).sum())
        with np.errstate(over="ignore"):
            spread = float((squares / known + share * (means - together) ** 2).sum())
        return {"mean": together, "sd": float(np.sqrt(spread))}

    return facts
