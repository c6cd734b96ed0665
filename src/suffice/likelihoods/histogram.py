"""Real numbers of any shape: x_j has a density that is constant in each cell, the same cells for every class.

Symbols: cells, widths and evidence as in cells.py; N_jc(k) weight of class c in cell k of column j, n = Σ_k N_jc(k),
K_j cells, prior Dir(α) on the masses θ_jc.

    mle N_jc(k)/n     smoothed (N_jc(k) + λ)/(n + K_j λ)     map (N_jc(k) + α_k − 1)/(n + α₀ − K_j)
    mean, predictive (N_jc(k) + α_k)/(n + α₀)
    term    ln θ_jc(k) − ln width_k          a value outside falls in the nearest end cell, −inf and inf too
    K_j     at most `bins`; by default the one of 2, 4, 8, … 64 with the greatest evidence less the price of its edges

Cells have equal mass over all classes, so a column is read the same in any unit. A column of one value says nothing and
adds 0 to every class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import DirichletMultinomial
from suffice.conjugate.arguments import is_real, option
from suffice.errors import ParameterError
from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods.aligned import per_cell
from suffice.likelihoods.cell_readings import masses_of, steps_of, symmetric_alphas, uncertain_steps
from suffice.likelihoods.cells import Cells, cells_of, evidence_of, known_weight, lone_values, steps_drawn
from suffice.likelihoods.collect import Collect
from suffice.likelihoods.concentration import (
    SHARED,
    Alpha,
    EvidenceAlpha,
    alpha_of_columns,
    alpha_shown,
    prior_and_alpha,
)
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.evidence_alpha import evidence_alpha, shared_evidence_alpha
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter, Seen
from suffice.likelihoods.observation import Observation
from suffice.likelihoods.terms import Term
from suffice.likelihoods.uncertain import UncertainTerm
from suffice.statistics import Bins
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray, FloatArray

__all__ = ["Histogram", "bins_of"]

_NUMBERS = (2, 4, 8, 16, 32, 64)
_MOST = 4096  # as many as the statistic keeps apart


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Histogram(Likelihood):
    """Columns of real numbers with a density of steps; ±inf is allowed.

    Parameters
    ----------
    bins : int from 1 to 4096, optional
        The most cells of a column. By default 2, 4, 8, 16, 32 or 64, whichever the data speak for, column by column.
    prior : DirichletMultinomial, optional
        Dir(α) over the cells of each column in their order: α of shape (cells,) or (classes, cells).
    alpha : float or array > 0, "evidence" or "shared evidence", optional
        The same α for every cell instead: one number, one per column, or one per class and column. By default 1, and 2
        for the map reading. "evidence" takes for each column the α from 0.001 to 1 with the greatest evidence of its
        cells, which are those that α = 1 chooses, "shared evidence" one for all columns, and 1 + α for the map reading.
    missing : "ignore" or "level"
        A missing cell is left out, or says by being missing what that tells of the class.

    Examples
    --------
    >>> Histogram(bins=16)
    Histogram(bins=16)
    """

    column_by_column: ClassVar[bool] = True

    bins: int | None
    prior: DirichletMultinomial | None
    alpha: Alpha | EvidenceAlpha | None
    missing: Literal["ignore", "level"]

    def __init__(
        self,
        bins: int | None = None,
        prior: DirichletMultinomial | EvidenceAlpha | None = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        missing: Literal["ignore", "level"] = "ignore",
    ) -> None:
        kept = prior_and_alpha("Histogram", prior, alpha, columns=True)
        object.__setattr__(self, "bins", bins_of(bins))
        for name, value in zip(("prior", "alpha"), kept, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "missing", option("missing", missing, ("ignore", "level")))

    def collect(self, columns: Columns) -> Collect:
        """Ask for the fine bins of each column."""
        return Collect("bins", columns)

    def restrict(self, stay: BoolArray) -> Histogram:
        """Return the likelihood of some of its columns, with their α; a prior is one of cells."""
        return Histogram(self.bins, self.prior, alpha_of_columns(self.alpha, stay), self.missing)

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return the cuts of each column and the table of ln θ − ln width."""
        cells = self.cells(seen)
        steps = steps_of(seen, cells, self.alphas(seen, cells))
        return *steps, *(each.term(seen) for each in self._observation(seen))

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return Dir(α + N) of the masses of each class and column, the edges as they are."""
        cells = self.cells(seen)
        steps = uncertain_steps(seen, cells, self.alphas(seen, cells))
        return *steps, *(each.uncertain(seen) for each in self._observation(seen))

    def log_evidence(self, seen: Seen) -> float:
        """Return the log density of the values given the edges, masses integrated out; one value counts for 0."""
        cells = self.cells(seen)
        known = sum((each.log_evidence() for each in self._observation(seen)), 0.0)
        return float(evidence_of(cells, self.alphas(seen, cells)).sum()) + known

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield θ_jc(k) of every class, column and cell, which is shown as an interval; none for a constant column."""
        cells = self.cells(seen)
        yield from masses_of(seen, cells, self.alphas(seen, cells), credible)
        for each in self._observation(seen):
            yield from each.parameters(seen, credible)

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return numbers, each alike within its cell; NaN for missing cells."""
        (bins,) = seen.parts
        assert isinstance(bins, Bins)
        cells = self.cells(seen)
        drawn = [np.full(draw.rows, value) for value in lone_values(bins)]
        for each, values in zip(cells, steps_drawn(seen, cells, self.alphas(seen, cells), draw), strict=True):
            drawn[each.column] = values
        for each in self._observation(seen):
            for values, missing in zip(drawn, each.missing_drawn(seen, draw).T, strict=True):
                values[missing] = np.nan
        return drawn

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield the cells of each column, and whether it is known where that speaks."""
        for each in self.cells(seen):
            yield OutcomeCounts((seen.columns[each.column],), each.counts, float(each.number))
        for each in self._observation(seen):
            yield from each.outcome_counts(seen)

    def choices(self, seen: Seen) -> dict[str | int, str]:
        """Return how many cells each column has, and their α where the evidence chose it."""
        found = dict.fromkeys(seen.columns, "constant")
        cells = self.cells(seen)
        found.update({seen.columns[each.column]: f"{each.number} cells" for each in cells})
        for each, alpha in zip(cells, self.chosen(cells), strict=False):
            found[seen.columns[each.column]] += f", {alpha_shown(alpha)}"
        return found

    def chosen(self, cells: list[Cells]) -> list[float]:
        """Return the α of the cells of each column by the evidence; none where that is not to choose."""
        if not isinstance(self.alpha, str):
            return []
        counts = [each.counts for each in cells]
        if self.alpha == SHARED:
            return [shared_evidence_alpha(counts)] * len(counts)
        return [evidence_alpha(each) for each in counts]

    def cells(self, seen: Seen) -> list[Cells]:
        """Return the cells of every column that says something.

        They are a function of the statistics and of the likelihood's own prior, whatever the estimate: another reading
        of the same rows has the same cells.
        """
        (bins,) = seen.parts
        assert isinstance(bins, Bins)
        number = self.prior.alpha.shape[-1] if self.prior is not None and self.bins is None else self.bins
        if number is not None:
            return cells_of(bins, seen.classes, number)[0]
        given = 1.0 if self.alpha is None or isinstance(self.alpha, str) else self.alpha
        symmetric = per_cell("alpha", given, *seen.shape)
        tried = cells_of(bins, seen.classes, *_NUMBERS)
        worth = [
            evidence_of(cells, symmetric_alphas(symmetric, cells)) - [each.price for each in cells] for cells in tried
        ]
        best: list[int] = np.argmax(np.stack(worth), axis=0).tolist()
        return [tried[at][k] for k, at in enumerate(best)]

    def alphas(self, seen: Seen, cells: list[Cells]) -> list[FloatArray]:
        """Return the prior counts (C, K) of the cells of each column, as the reading takes them."""
        if self.prior is not None and seen.reading.estimate != "smoothed":
            return [self._over_cells(self.prior.alpha, each, seen.columns[each.column]) for each in cells]
        given, estimate = outcomes.smoothing(seen), seen.reading.estimate
        if given is None and isinstance(self.alpha, str) and estimate != "smoothed":
            found = zip(cells, self.chosen(cells), strict=True)
            return [np.full(each.counts.shape, alpha + (estimate == "map")) for each, alpha in found]
        if given is None:
            default = outcomes.default_prior_count(estimate)
            given = default if self.alpha is None or isinstance(self.alpha, str) else self.alpha
        return symmetric_alphas(per_cell("alpha", given, *seen.shape), cells)

    def _over_cells(self, alpha: FloatArray, cells: Cells, column: str | int) -> FloatArray:
        shape = cells.counts.shape
        if alpha.shape in ((shape[1],), (1, shape[1]), shape):
            return np.broadcast_to(alpha, shape)
        raise ParameterError(
            f"the prior of column {column!r} must have one number for each of its {shape[1]} cells: "
            f"got shape {alpha.shape}. Give shape ({shape[1]},) or {shape}, or use alpha=."
        )

    def _observation(self, seen: Seen) -> Iterator[Observation]:
        if self.missing == "level":
            (bins,) = seen.parts
            assert isinstance(bins, Bins)
            yield Observation.of(seen, known_weight(bins, seen.classes))


def bins_of(given: object) -> int | None:
    """Return the most cells of a column, or None where the data are to say."""
    number: Any = given
    if given is not None and (not is_real(given) or not 1 <= number <= _MOST or int(number) != number):
        raise ParameterError(
            f"bins must be a whole number from 1 to {_MOST}: got {given!r}. Leave it out to let the data say."
        )
    return None if given is None else int(number)
