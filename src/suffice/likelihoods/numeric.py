"""Real numbers, each column as a Gaussian or as a histogram, whichever the data speak for.

    Gaussian     until the values of a column say otherwise (comparison.py says how)
    Histogram    elsewhere, of as many cells as it would have by itself (histogram.py)
    evidence     G of a Gaussian column, H − ½ (K + 1) ln(1 + n) of a histogram: its edges are paid for (cells.py)

The choice is made with the priors of the mean and predictive readings, whatever the estimate: it is a function of the
statistics and of the likelihood, made once for them, and another reading of the same rows keeps it. It is the same in
any unit of x.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.conjugate import NormalInverseGamma
from suffice.conjugate.arguments import option
from suffice.errors import ParameterError
from suffice.likelihoods.aligned import by_class
from suffice.likelihoods.cell_readings import masses_of, steps_of, uncertain_steps
from suffice.likelihoods.cells import Cells, evidence_of, steps_drawn
from suffice.likelihoods.collect import Collect
from suffice.likelihoods.comparison import MOST_CELLS, speak_for_steps
from suffice.likelihoods.concentration import Alpha, EvidenceAlpha, alpha_of_columns, alpha_shown, given_alpha
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.gaussian import Gaussian, prior_of_columns
from suffice.likelihoods.histogram import Histogram, bins_of
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter, Seen
from suffice.likelihoods.observation import Observation
from suffice.likelihoods.reading import Reading
from suffice.likelihoods.terms import Term
from suffice.likelihoods.uncertain import UncertainTerm
from suffice.statistics import Moments
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import BoolArray

__all__ = ["Numeric"]


_SHARED = ("columns", "e", "least")


class _Decision(NamedTuple):
    # The cells of the columns read as histograms, and the positions of all that a Gaussian could read.
    cells: list[Cells]
    spread: list[int]


class _Chosen(NamedTuple):
    # What was seen as each of the two takes it, the cells of the columns read as histograms, and those columns.
    moments: Seen
    bins: Seen
    cells: list[Cells]
    columns: set[str | int]


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Numeric(Likelihood):
    """Columns of real numbers, each read as Gaussian or as Histogram by its evidence.

    Parameters
    ----------
    bins : int from 1 to 4096, optional
        The most cells of a histogram. By default 2, 4, 8, 16, 32 or 64, whichever the data speak for.
    prior : NormalInverseGamma, optional
        On mean and variance of the Gaussian columns, as in Gaussian.
    alpha : float or array > 0, "evidence" or "shared evidence", optional
        Prior count of every cell of the histograms, as in Histogram.
    missing : "ignore" or "level"
        A missing cell is left out, or says by being missing what that tells of the class.

    Examples
    --------
    >>> Numeric(bins=16)
    Numeric(bins=16)
    """

    column_by_column: ClassVar[bool] = True

    bins: int | None
    prior: NormalInverseGamma | None
    alpha: Alpha | EvidenceAlpha | None
    missing: Literal["ignore", "level"]

    def __init__(
        self,
        bins: int | None = None,
        prior: NormalInverseGamma | None = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        missing: Literal["ignore", "level"] = "ignore",
    ) -> None:
        if prior is not None and not isinstance(prior, NormalInverseGamma):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"prior of Numeric must be a NormalInverseGamma: got {prior!r}. "
                "Give NormalInverseGamma(location, strength, shape, scale), and alpha= for the cells of histograms."
            )
        object.__setattr__(self, "bins", bins_of(bins))
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "alpha", given_alpha(alpha, columns=True))
        object.__setattr__(self, "missing", option("missing", missing, ("ignore", "level")))

    def collect(self, columns: Columns) -> Collect:
        """Ask for moments and fine bins of each column."""
        return Collect("numeric", columns)

    def restrict(self, stay: BoolArray) -> Numeric:
        """Return the likelihood of some of its columns, with their priors."""
        prior = None if self.prior is None else prior_of_columns(self.prior, stay)
        return Numeric(self.bins, prior, alpha_of_columns(self.alpha, stay), self.missing)

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return the terms of the Gaussian columns, then those of the histograms."""
        chosen = self._chosen(seen)
        smooth = (
            term.restrict(tuple(name for name in term.columns if name not in chosen.columns))
            for term in self._gaussian.terms(chosen.moments)
        )
        steps = steps_of(seen, chosen.cells, self._histogram.alphas(chosen.bins, chosen.cells))
        return (
            *(term for term in smooth if term.columns),
            *steps,
            *(each.term(seen) for each in self._observation(seen)),
        )

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return the posteriors of the Gaussian columns, then those of the histograms: the choice stays as it is."""
        chosen = self._chosen(seen)
        smooth = (term.without(chosen.columns) for term in self._gaussian.uncertain_columns(chosen.moments))
        steps = uncertain_steps(seen, chosen.cells, self._histogram.alphas(chosen.bins, chosen.cells))
        return (
            *(term for term in smooth if term.columns),
            *steps,
            *(each.uncertain(seen) for each in self._observation(seen)),
        )

    def log_evidence(self, seen: Seen) -> float:
        """Return the log density of the values, each column under its own reading, edges paid for."""
        chosen = self._chosen(seen)
        smooth = self._gaussian.column_evidence(chosen.moments)
        smooth[[each.column for each in chosen.cells]] = 0.0
        steps = evidence_of(chosen.cells, self._histogram.alphas(chosen.bins, chosen.cells))
        price = sum((each.price for each in chosen.cells), 0.0)
        known = sum((each.log_evidence() for each in self._observation(seen)), 0.0)
        return float(smooth.sum()) + float(steps.sum()) - price + known

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield the parameters of the Gaussian columns, then those of the histograms."""
        chosen = self._chosen(seen)
        for row in self._gaussian.parameters(chosen.moments, credible):
            if row.column not in chosen.columns:
                yield row
        yield from masses_of(seen, chosen.cells, self._histogram.alphas(chosen.bins, chosen.cells), credible)
        for each in self._observation(seen):
            yield from each.parameters(seen, credible)

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return numbers of the Gaussian columns and of the histograms; NaN for missing cells."""
        chosen = self._chosen(seen)
        drawn = self._gaussian.sample(chosen.moments, draw)
        alphas = self._histogram.alphas(chosen.bins, chosen.cells)
        for each, values in zip(chosen.cells, steps_drawn(seen, chosen.cells, alphas, draw), strict=True):
            drawn[each.column] = values
        for each in self._observation(seen):
            for values, missing in zip(drawn, each.missing_drawn(seen, draw).T, strict=True):
                values[missing] = np.nan
        return drawn

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield the cells of the columns that are read as histograms, and whether those are known where that speaks."""
        chosen = self._chosen(seen)
        for each in chosen.cells:
            yield OutcomeCounts((seen.columns[each.column],), each.counts, float(each.number))
        for each in self._observation(seen):
            yield from (found for found in each.outcome_counts(seen) if found.columns[0] in chosen.columns)

    def forms(self, seen: Seen) -> dict[str | int, Likelihood]:
        """Return Gaussian or Histogram for each column; itself for a constant column, of which nothing is decided."""
        cells, spread = self._decided(seen)
        found: dict[str | int, Likelihood] = dict.fromkeys(seen.columns, self)
        found.update({seen.columns[j]: replace(self._gaussian, missing=self.missing) for j in spread})
        alphas = self._histogram.chosen(cells) or [self.alpha] * len(cells)
        for each, alpha in zip(cells, alphas, strict=True):
            found[seen.columns[each.column]] = Histogram(each.number, alpha=alpha, missing=self.missing)
        return found

    def choices(self, seen: Seen) -> dict[str | int, str]:
        """Return "Gaussian", "Histogram, 16 cells" or "constant" for each column."""
        cells, spread = self._decided(seen)
        found = dict.fromkeys(seen.columns, "constant")
        found.update({seen.columns[j]: "Gaussian" for j in spread})
        found.update({seen.columns[each.column]: f"Histogram, {each.number} cells" for each in cells})
        for each, alpha in zip(cells, self._histogram.chosen(cells), strict=False):
            found[seen.columns[each.column]] += f", {alpha_shown(alpha)}"
        return found

    @property
    def _gaussian(self) -> Gaussian:
        return Gaussian(self.prior)

    @property
    def _histogram(self) -> Histogram:
        return Histogram(self.bins, alpha=self.alpha)

    def _chosen(self, seen: Seen) -> _Chosen:
        moments, bins = (replace(seen, parts=(part,)) for part in seen.parts)
        cells = self._decided(seen).cells
        return _Chosen(moments, bins, cells, {seen.columns[each.column] for each in cells})

    def _decided(self, seen: Seen) -> _Decision:
        known = seen.decided.get("numeric")
        if known is None or known[0] is not self or known[1] is not seen.parts or known[2] is not seen.classes:
            known = seen.decided["numeric"] = self, seen.parts, seen.classes, self._decide(seen)
        return known[3]

    def _decide(self, seen: Seen) -> _Decision:
        unread = replace(seen, reading=Reading("predictive"))
        moments, bins = (replace(unread, parts=(part,)) for part in seen.parts)
        few = Histogram(MOST_CELLS if self.bins is None else min(self.bins, MOST_CELLS), alpha=self.alpha)
        cells = few.cells(bins)
        smooth = self._gaussian.column_evidence(moments)
        values, predictive = self._gaussian.predictive(moments)
        stepped = set(speak_for_steps(cells, few.alphas(bins, cells), smooth, values, predictive))
        chosen = [each for each in self._histogram.cells(bins) if each.column in stepped] if stepped else []
        return _Decision(chosen, values.columns.tolist())

    def _observation(self, seen: Seen) -> Iterator[Observation]:
        if self.missing == "level":
            moments = seen.parts[0]
            assert isinstance(moments, Moments)
            yield Observation.of(seen, by_class(moments.weight, moments.classes, seen.classes))
