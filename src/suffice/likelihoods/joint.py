"""Several columns of levels as one: the combination s of a row's levels has probability θ_c(s) in class c.

Symbols: N_c(s) weight of the rows of class c with combination s, n = Σ_s N_c(s), S_j levels of column j,
T = Π_j S_j combinations, seen or not; prior Dir(α), the same α for each of the T. A column of which no cell is known
has one level, unknown.

    mle N_c(s)/n, 1/T where n = 0        smoothed (N_c(s) + λ)/(n + T λ)
    map (N_c(s) + α − 1)/(n + T(α − 1)), clipped at 0 and renormalised; the mean where all clip
    mean, predictive (N_c(s) + α)/(n + T α)
    evidence   ln Γ(Tα) − ln Γ(Tα + n) + Σ_s [ln Γ(α + N_c(s)) − ln Γ(α)]

Only combinations that a row has shown are stored; the others share one number. A row with a gap counts for the levels
of its columns and for no combination; when it is scored, what the gap may be is added up.

Rows are drawn with R the probability of all U = T − M combinations that were not seen:

    as it is read   s with θ(s), one of the others with R: each alike
    posterior       (θ, R) ~ Dir(α + N, …, U α); the others' own probabilities ~ Dir(α, …, α), integrated out: the i-th
                    row among them is a fresh one, each of the U alike, with U α/(U α + i), else a copy of one of the i
                    before it (Blackwell and MacQueen 1973)

Where half of all combinations or fewer are unseen they are listed, else drawn until one is not among the seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import BetaBinomial
from suffice.conjugate.log_gamma import log_rising
from suffice.errors import ParameterError
from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.aligned import by_class, per_cell, table
from suffice.likelihoods.collect import Collect
from suffice.likelihoods.concentration import Alpha, EvidenceAlpha, alpha_shown, given_alpha
from suffice.likelihoods.draws import Draw, cells_of, outcomes_drawn, theta_drawn
from suffice.likelihoods.evidence_alpha import evidence_alpha
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter, Seen
from suffice.likelihoods.terms import Combinations, Term
from suffice.likelihoods.uncertain import CombinationsTerm, UncertainTerm, require_posterior
from suffice.statistics import Axis, Counts
from suffice.statistics.columns import Columns, columns_of
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["Joint"]


class _Read(NamedTuple):
    """Counts of the seen combinations (C, M), and for each class n, α and, of each combination, its probability."""

    counts: FloatArray
    alpha: FloatArray
    total: FloatArray
    combinations: float
    seen: FloatArray
    rest: FloatArray


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Joint(Likelihood):
    """Columns of levels whose combinations count: no independence among them.

    Parameters
    ----------
    columns : list of names, optional
        The columns of the block. In `columns={("a", "b"): Joint()}` the key says so instead.
    alpha : float or array > 0, or "evidence", optional
        α of every combination: one number, or one per class as shape (classes, 1). By default 1, and 2 for the map
        reading. "evidence" takes the one from 0.001 to 1 with the greatest evidence (evidence_alpha.py), and 1 + α for
        the map reading.

    Examples
    --------
    >>> Joint(["fur", "sex"], alpha=0.5)
    Joint(columns=('fur', 'sex'), alpha=0.5)
    """

    columns: Columns | None
    alpha: Alpha | EvidenceAlpha | None

    def __init__(
        self, columns: Iterable[str | int] | None = None, alpha: npt.ArrayLike | EvidenceAlpha | None = None
    ) -> None:
        if isinstance(columns, str):
            raise ParameterError(f"columns of Joint must be a list of names: got {columns!r}. Give [{columns!r}, …].")
        object.__setattr__(self, "columns", None if columns is None else columns_of(columns))
        object.__setattr__(self, "alpha", given_alpha(alpha, columns=False))

    @property
    def own_columns(self) -> Columns | None:
        """The columns of the block, where they were given."""
        return self.columns

    def collect(self, columns: Columns) -> Collect:
        """Ask for the weight of each combination, and of the levels of each column."""
        return Collect("joint", columns)

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return ln θ of the combinations that were seen, and that of every other one."""
        _, levels = self._axes(seen)
        read = self._read(seen)
        with np.errstate(divide="ignore"):
            return (
                Combinations(seen.columns, levels, self._places(seen), np.log(table(read.seen)), np.log(read.rest)),
            )

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return Dir(α + N) of each class over all combinations, seen or not."""
        _, levels = self._axes(seen)
        read = self._read(seen)
        require_posterior(read.alpha, seen.columns)
        after = read.counts + read.alpha[:, None]
        return (CombinationsTerm(seen.columns, levels, self._places(seen), after, read.alpha, read.combinations),)

    def log_evidence(self, seen: Seen) -> float:
        """Return Σ_c of the log probability of the sequence of combinations."""
        read = self._read(seen)
        if not read.counts.any():
            return 0.0
        if not (read.alpha > 0).all():
            return -np.inf
        counts, weight = (np.minimum(each, outcomes.MOST_COUNT) for each in (read.counts, read.total))
        total = log_rising(read.alpha[:, None], counts).sum() if counts.size else 0.0
        return float(total - log_rising(read.alpha * read.combinations, weight).sum())

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield θ_c(s) of every class and combination that was seen; its level is the tuple of levels."""
        axis, _ = self._axes(seen)
        read = self._read(seen)
        shape = read.counts.shape
        lower, upper = np.full(shape, np.nan), np.full(shape, np.nan)
        if read.counts.size and (read.alpha > 0).all() and read.combinations > 1:
            a = read.counts + read.alpha[:, None]
            b = (read.total + read.alpha * read.combinations)[:, None] - a
            found = BetaBinomial(a, b).interval(credible)
            lower, upper = np.asarray(found.lower), np.asarray(found.upper)
        name = ", ".join(map(str, seen.columns))
        for c, label in enumerate(seen.classes):
            for k, combination in enumerate(axis):
                three = float(read.seen[c, k]), float(lower[c, k]), float(upper[c, k])
                yield Parameter(label, name, combination, "probability", seen.reading.estimate, *three)

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield the combinations of the block."""
        yield OutcomeCounts(seen.columns, *self._counted(seen))

    def choices(self, seen: Seen) -> dict[str | int, str]:
        """Return the α of the block for each column, where the evidence chose it."""
        if not isinstance(self.alpha, str):
            return {}
        return dict.fromkeys(seen.columns, alpha_shown(evidence_alpha(*self._counted(seen))))

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return the levels of combinations, seen and unseen ones alike."""
        (term,) = self.terms(seen)
        assert isinstance(term, Combinations)
        read = self._read(seen)
        places: IntArray = np.full((draw.rows, len(seen.columns)), -1, dtype=np.int64)
        if draw.rows:
            others = read.combinations - len(term.seen)
            # The last outcome is that of every unseen combination together; there may be none.
            counts = np.pad(read.counts, ((0, 0), (0, 1)))
            prior = np.concatenate(
                [np.broadcast_to(read.alpha[:, None], read.counts.shape), read.alpha[:, None] * others], 1
            )
            theta = np.concatenate([read.seen, read.rest[:, None] * others], axis=1)
            if draw.posterior and not others:
                counts, prior, theta = counts[:, :-1], prior[:, :-1], theta[:, :-1]
            codes = outcomes_drawn(theta_drawn(counts, prior, theta, draw, seen.columns), draw)
            places = np.concatenate([term.seen, places[:1]])[np.minimum(codes, len(term.seen))]
            for c, rows in draw.groups:
                unseen = rows[codes[rows] == len(term.seen)]
                if len(unseen):
                    fresh = _unseen_combinations(term, len(unseen), draw.rng)
                    strength = float(read.alpha[c]) * others
                    places[unseen] = fresh[_copies(len(unseen), strength, draw.rng)] if draw.posterior else fresh
        for j, axis in enumerate(term.levels):
            if not len(axis):
                places[:, j] = -1
        return [cells_of(places[:, j], axis.labels) for j, axis in enumerate(term.levels)]

    @staticmethod
    def _axes(seen: Seen) -> tuple[Axis, tuple[Axis, ...]]:
        counts = [part for part in seen.parts if isinstance(part, Counts)]
        return counts[0].levels, tuple(part.levels for part in counts[1:])

    def _places(self, seen: Seen) -> IntArray:
        # Of each combination that was seen, where its levels stand on the axes of the columns.
        axis, levels = self._axes(seen)
        places = np.zeros((len(axis), len(levels)), dtype=np.int64)
        for j, of_column in enumerate(levels):
            places[:, j] = of_column.positions(_parts(label)[j] for label in axis)
        return places

    def _read(self, seen: Seen) -> _Read:
        _, levels = self._axes(seen)
        counts, t = self._counted(seen)
        alpha, n, estimate = self._alpha(seen), counts.sum(axis=1), seen.reading.estimate
        if not math.isfinite(t * max(1.0, float(alpha.max(initial=0.0)))):
            raise ParameterError(
                f"a Joint of {len(levels)} columns has more combinations than float64 can count. "
                "Give it fewer columns, or read each by itself with Categorical()."
            )
        if estimate == "mle":
            added = np.zeros_like(alpha)
        elif estimate == "map":
            added = alpha - 1
        else:
            added = alpha
        some = np.maximum(counts + added[:, None], 0.0)
        other = np.maximum(added, 0.0)
        total = some.sum(axis=1) + other * (t - counts.shape[1])
        fallback = alpha if estimate == "map" else np.ones_like(alpha)  # the mean, or each alike
        nothing = total <= 0
        some = np.where(nothing[:, None], counts + fallback[:, None] if estimate == "map" else 1.0, some)
        other = np.where(nothing, fallback, other)
        total = np.where(nothing, n + fallback * t if estimate == "map" else t, total)
        return _Read(counts, alpha, n, t, some / total[:, None], other / total)

    def _counted(self, seen: Seen) -> tuple[FloatArray, float]:
        # The counts of the combinations that were seen (C, M), and T.
        together = seen.parts[0]
        assert isinstance(together, Counts)
        _, levels = self._axes(seen)
        t = math.prod(max(float(len(axis)), 1.0) for axis in levels)
        return by_class(together.values, together.classes, seen.classes), t

    def _alpha(self, seen: Seen) -> FloatArray:
        given: Any = outcomes.smoothing(seen)
        estimate = seen.reading.estimate
        if given is None:
            given = outcomes.default_prior_count(estimate) if self.alpha is None else self.alpha
        if isinstance(given, str):
            # The pseudo-count of the smoothed reading is its own, 1 by default.
            given = 1.0 if estimate == "smoothed" else evidence_alpha(*self._counted(seen)) + (estimate == "map")
        array = np.asarray(given, dtype=np.float64)
        if array.ndim and array.shape[-1] == len(seen.columns) and (array == array[..., :1]).all():
            array = array[..., :1]  # the same for each of its columns is one
        if array.ndim and array.shape[-1] != 1:
            raise ParameterError(
                f"alpha of Joint must be one number, or one for each class as shape (classes, 1): "
                f"got shape {array.shape}."
            )
        return per_cell("alpha", array, len(seen.classes), 1)[:, 0].copy()


def _parts(label: Label) -> tuple[Any, ...]:
    assert isinstance(label, tuple)
    return label


def _unseen_combinations(term: Combinations, n: int, rng: np.random.Generator) -> IntArray:
    """Return n combinations that were not seen, each alike: rows of positions on the axes of the columns."""
    sizes = [max(len(axis), 1) for axis in term.levels]  # a column of nothing but gaps has one, of no name
    seen: set[tuple[int, ...]] = set(map(tuple, term.seen.tolist()))
    if np.prod([float(size) for size in sizes]) <= 2.0 * len(seen):
        others = [each for each in product(*map(range, sizes)) if each not in seen]
        listed: IntArray = np.array(others, dtype=np.int64).reshape(len(others), len(sizes))
        return listed[rng.integers(len(others), size=n)]
    drawn: IntArray = np.zeros((n, len(sizes)), dtype=np.int64)
    wanted: IntArray = np.arange(n, dtype=np.int64)
    while len(wanted):
        drawn[wanted] = rng.integers(sizes, size=(len(wanted), len(sizes)))
        again = [tuple(each) in seen for each in drawn[wanted].tolist()]
        wanted = wanted[np.array(again, dtype=np.bool_)]
    return drawn


def _copies(n: int, strength: float, rng: np.random.Generator) -> IntArray:
    """Return for each of n rows which row it is a copy of, itself where it is fresh: an urn with that many of its own.

    Parameters
    ----------
    strength : float > 0
        U α, the prior counts of all unseen combinations together.
    """
    at: IntArray = np.arange(n, dtype=np.int64)
    uniform: FloatArray = rng.random(n)
    fresh = uniform * at < strength * (1 - uniform)  # so written, the strength may be infinite
    origin = np.where(fresh, at, (rng.random(n) * at).astype(np.int64))
    while (origin[origin] != origin).any():  # a copy of a copy is one of the first
        origin = origin[origin]
    return origin
