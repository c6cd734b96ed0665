"""Real columns, each modelled as Gaussian, as Histogram or in cells: the form is selected from the data, by column.

    gaussian    one Gaussian for each class (gaussian.py)
    histogram   bins of nearly equal mass (histogram.py)
    cells       intervals from supervised discretisation (cells.py)

A model that holds out rows for calibration selects the form of each column by the held-out log loss of the posterior
given that column only (evidence/forms.py), and `form` then has one name per column. Until then form="auto" selects
Gaussian or Histogram from the statistics by the comparisons below; cells model the class given the value, so their cost
is never compared with a density of the value given the class. Models whose forms were selected differently
can be added: a column takes the later of the two forms in the order above.

Symbols, for one column with at most 16 bins (histogram.py): N_ck is the weight of class c in bin k, n_c = Σ_k N_ck,
n = Σ_c n_c; P_ck is the mass of bin k under the Gaussian's predictive distribution of class c, a Student-t.

    values   G   the log evidence of the Gaussian       H   the log evidence of the histogram, given its edges
    bins     g = Σ_ck N_ck ln P_ck − Σ_c ½ min(2, K − 1) ln(1 + n_c)      h = Σ_c [ln B(α + N_c) − ln B(α)]

    Histogram if   H − ½ (K + 1) ln(1 + n) > G     or     h − ½ K > g
    Gaussian       otherwise
    evidence       G of a Gaussian column, H − ½ (K + 1) ln(1 + n) of a histogram column

The first comparison is between densities of the same values with all parameters integrated out, except that the edges
of the histogram are chosen from the values; each edge is charged as a fitted parameter.

In that comparison the histogram also loses because it is constant within a bin, above all in the wide end bins. This
loss is irrelevant to a classifier: all classes share the bins, so the distribution within a bin does not change a class
posterior. The second comparison therefore tests which model better predicts the bins that contain the values. There
the choice of edges favours the histogram by half a nat per bin (the log of a mass between order statistics m values
apart is on average 1/2m below that of m/n), and the Gaussian is charged for its mean and variance as under unit
information. Heavy tails, two modes, or a value that many rows share lead to a histogram.

The model is selected with the priors of the estimates "mean" and "predictive", whichever estimate is used: it is a
function of the statistics and of the likelihood, computed once, and does not depend on the unit of x. A selected
histogram has as many bins as Histogram() would choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import option
from suffice.conjugate import DirichletMultinomial, NormalInverseGamma, StudentT
from suffice.conjugate.special import stdtr, xlogy
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import BlockStatistics, Collect, Parts, Reading, align_classes
from suffice.likelihoods.cells import CellColumn, ClassCells, cut_cells
from suffice.likelihoods.dirichlet import Alpha, EvidenceAlpha, compute_log_evidence, parse_alpha, select_alpha
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.gaussian import Gaussian, Standardised, prior_of_columns
from suffice.likelihoods.histogram import ColumnHistogram, Histogram, Histograms, check_bins
from suffice.likelihoods.likelihood import (
    Likelihood,
    Observation,
    OutcomeCounts,
    Parameter,
    forms_by_column,
    parse_form,
    select_form,
)
from suffice.likelihoods.listing import Count, list_moments
from suffice.likelihoods.terms.term import Term, UncertainTerm
from suffice.statistics import Bins, Moments
from suffice.statistics.arrays import BoolArray, FloatArray
from suffice.statistics.axis import Columns

__all__ = ["Numeric"]

_MOST_BINS = 16  # in the comparison


Form: TypeAlias = Literal["auto", "gaussian", "histogram", "cells"]


class _Selection(NamedTuple):
    # The bins of the columns modelled as histograms, the cells of others, and the positions of all columns that are not
    # constant.
    histograms: list[ColumnHistogram]
    cells: list[CellColumn]
    not_constant: list[int]


class _Models(NamedTuple):
    # The statistics of the Gaussian, the histograms, the cells if there are any, and the names of the columns that are
    # not Gaussian.
    moments: BlockStatistics
    histograms: Histograms
    cells: tuple[ClassCells, ...]
    columns: set[str | int]

    def in_steps(self) -> Iterator[Histograms]:
        # The histograms, then those of the cells.
        yield self.histograms
        yield from (cells.histograms for cells in self.cells)


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Numeric(Likelihood):
    """Real-valued columns, each modelled as Gaussian, as Histogram or in cells (supervised discretisation).

    Parameters
    ----------
    bins : int from 1 to 4096, optional
        Maximum number of histogram bins; cells have no maximum. Default: chosen from 2, 4, 8, 16, 32 and 64 by marginal
        likelihood.
    prior : NormalInverseGamma, optional
        Prior on mean and variance of the Gaussian columns, as in Gaussian.
    alpha : float or array > 0, "evidence" or "shared evidence", optional
        Prior count of every histogram bin and every cell, as in Histogram.
    missing : "ignore" or "level"
        "ignore" drops missing cells; "level" models missingness as a category of its own.
    form : "auto", "gaussian", "histogram" or "cells", or a tuple with one of the last three for each column
        "cells" are intervals chosen by MODL (Boullé 2006), which discretises a column to predict the class. "auto"
        selects the form of each column: by held-out log loss if the model holds out rows for calibration. Otherwise it
        selects Histogram if its penalised marginal likelihood exceeds that of the Gaussian, or if it predicts the bins
        of the values better, and Gaussian in all other cases.

    Examples
    --------
    >>> Numeric(bins=16)
    Numeric(bins=16)
    """

    column_by_column: ClassVar[bool] = True
    form_names: ClassVar[tuple[str, ...]] = ("gaussian", "histogram", "cells")

    bins: int | None
    prior: NormalInverseGamma | None
    alpha: Alpha | EvidenceAlpha | None
    missing: Literal["ignore", "level"]
    form: Form | tuple[str, ...]

    def __init__(
        self,
        bins: int | None = None,
        prior: NormalInverseGamma | None = None,
        alpha: npt.ArrayLike | EvidenceAlpha | None = None,
        missing: Literal["ignore", "level"] = "ignore",
        form: Form | Sequence[str] = "auto",
    ) -> None:
        if prior is not None and not isinstance(prior, NormalInverseGamma):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"prior of Numeric must be a NormalInverseGamma: got {prior!r}. "
                "Give NormalInverseGamma(location, strength, shape, scale), and alpha= for the bins of histograms."
            )
        self._set(
            bins=check_bins(bins),
            prior=prior,
            alpha=parse_alpha(alpha, columns=True),
            missing=option("missing", missing, ("ignore", "level")),
            form=parse_form(form, self.form_names),
        )

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: moments and fine bins of each column."""
        return Collect("numeric", columns)

    def restrict(self, stay: BoolArray) -> Numeric:
        """Return the likelihood restricted to a subset of columns, with their priors."""
        prior = None if self.prior is None else prior_of_columns(self.prior, stay)
        return Numeric(self.bins, prior, select_alpha(self.alpha, stay), self.missing, select_form(self.form, stay))

    def held_out_scores(self, block: BlockStatistics, parts: Parts) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the counts of the fine bins of other rows, and ln p(x | c) at the middle of each bin."""
        _, bins = parts
        assert isinstance(bins, Bins)
        terms = [term for term in self.terms(block) if not term.cancels and not term.log_observed()]
        counts = align_classes(bins.counts, bins.classes, block.classes)
        middle = 0.5 * bins.lower() + 0.5 * bins.upper()
        ends: list[int] = bins.offsets.tolist()
        for name, (start, end) in zip(block.columns, pairwise(ends), strict=True):
            x = middle[start:end, None]
            logs = np.zeros((end - start, len(block.classes)))
            for term in terms:
                if name in term.columns:
                    logs += term.restrict((name,)).score_numbers(x)[:, 0]
            yield counts[:, start:end], logs

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return the terms of the Gaussian columns, then those of the histograms and of the cells."""
        models = self._models(block)
        gaussian = (
            term.restrict(tuple(name for name in term.columns if name not in models.columns))
            for term in self._gaussian.terms(models.moments)
        )
        missingness = (each.term(block) for each in self._observation(block))
        steps = *models.histograms.terms(), *(term for cells in models.cells for term in cells.terms())
        return *(term for term in gaussian if term.columns), *steps, *missingness

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posteriors of the Gaussian columns, of the histograms and of the cells; the forms are fixed."""
        models = self._models(block)
        gaussian = (term.without(models.columns) for term in self._gaussian.uncertain_columns(models.moments))
        missingness = (each.uncertain(block) for each in self._observation(block))
        steps = (term for histograms in models.in_steps() for term in histograms.uncertain())
        return *(term for term in gaussian if term.columns), *steps, *missingness

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log evidence, each column under its selected model, less the penalty for edges."""
        models = self._models(block)
        gaussian = self._gaussian.column_evidence(models.moments)
        for histograms in models.in_steps():
            gaussian[[column.position for column in histograms.columns]] = 0.0
        missingness = sum((each.log_evidence() for each in self._observation(block)), 0.0)
        penalty = sum((column.penalty for column in models.histograms.columns), 0.0)
        steps = float(models.histograms.log_evidence().sum()) - penalty
        steps += sum((float(cells.log_evidence().sum()) for cells in models.cells), 0.0)
        return float(gaussian.sum()) + steps + missingness

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield the parameters of the Gaussian columns, then those of the histograms and of the cells."""
        models = self._models(block)
        for row in self._gaussian.parameters(models.moments, credible):
            if row.column not in models.columns:
                yield row
        for histograms in models.in_steps():
            yield from histograms.parameters(credible)
        for each in self._observation(block):
            yield from each.parameters(block, credible)

    def counts(self, block: BlockStatistics) -> Iterator[Count]:
        """Yield weight, mean and variance of the Gaussian columns, then the bins of the histograms and the cells."""
        models = self._models(block)
        yield from (count for count in list_moments(models.moments) if count.column not in models.columns)
        for histograms in models.in_steps():
            yield from histograms.counts()

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> NormalInverseGamma | DirichletMultinomial:
        """Return the posterior under the selected model of the column."""
        models = self._models(block)
        if column in models.columns:
            for histograms in models.in_steps():
                if any(block.columns[each.position] == column for each in histograms.columns):
                    return histograms.posterior(column, c)
        return self._gaussian.posterior(models.moments, column, c)

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw values of the Gaussian columns, the histograms and the cells; NaN for missing cells."""
        models = self._models(block)
        drawn = self._gaussian.sample(models.moments, draw)
        models.histograms.draw_into(drawn, draw)
        for cells in models.cells:
            cells.draw_into(drawn, draw)
        for each in self._observation(block):
            each.blank_missing(drawn, block, draw)
        return drawn

    def n_parameters(self, block: BlockStatistics) -> int:
        """Return those of the histograms and cells, and two for each class and Gaussian column."""
        histograms, cells, not_constant = self._select(block)
        steps = [*histograms, *(each.cells for each in cells)]
        masses = sum(len(each.counts) * (each.n_bins - 1) for each in steps)
        gaussian = len({*not_constant} - {each.position for each in steps})
        observed = sum(len(each.counts) * len(block.columns) for each in self._observation(block))
        return masses + 2 * len(block.classes) * gaussian + observed

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield the counts of the histograms and of the cells, and their missingness counts if missing="level"."""
        models = self._models(block)
        for histograms in models.in_steps():
            yield from histograms.outcome_counts()
        for each in self._observation(block):
            yield from (counts for counts in each.outcome_counts(block) if counts.columns[0] in models.columns)

    def forms(self, block: BlockStatistics) -> dict[str | int, Likelihood]:
        """Return Gaussian, Histogram or Numeric(form="cells") for each column; constant columns keep Numeric."""
        histograms, cells, not_constant = self._select(block)
        forms: dict[str | int, Likelihood] = dict.fromkeys(block.columns, self)
        forms.update({block.columns[j]: replace(self._gaussian, missing=self.missing) for j in not_constant})
        alphas = self._histogram.fit_alphas(histograms) or [self.alpha] * len(histograms)
        for column, alpha in zip(histograms, alphas, strict=True):
            forms[block.columns[column.position]] = Histogram(column.n_bins, alpha=alpha, missing=self.missing)
        of_cells = self if self.form == "cells" else self.with_options(form="cells")
        forms.update({block.columns[column.cells.position]: of_cells for column in cells})
        return forms

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return "Gaussian", "Histogram, 16 bins", "7 cells" or "constant" for each column."""
        histograms, cells, not_constant = self._select(block)
        choices = dict.fromkeys(block.columns, "constant")
        choices.update({block.columns[j]: "Gaussian" for j in not_constant})
        bins = self._histogram.describe_bins(histograms, block.columns)
        choices.update({name: f"Histogram, {shown}" for name, shown in bins.items()})
        in_cells = self._histogram.describe_bins([column.cells for column in cells], block.columns, "cell")
        return choices | in_cells

    @property
    def _gaussian(self) -> Gaussian:
        return Gaussian(self.prior)

    @property
    def _histogram(self) -> Histogram:
        return Histogram(self.bins, alpha=self.alpha)

    def _models(self, block: BlockStatistics) -> _Models:
        moments, bins = (replace(block, parts=(part,)) for part in block.parts)
        histograms, cells, _ = self._select(block)
        positions = [column.position for column in histograms] + [column.cells.position for column in cells]
        in_cells = self._histogram.histograms(bins, [column.cells for column in cells])
        return _Models(
            moments,
            self._histogram.histograms(bins, histograms),
            (ClassCells.of(in_cells, cells),) if cells else (),
            {block.columns[position] for position in positions},
        )

    def _select(self, block: BlockStatistics) -> _Selection:
        known = block.decisions.get("numeric")
        if known is None or known[0] is not self or known[1] is not block.parts or known[2] is not block.classes:
            known = block.decisions["numeric"] = self, block.parts, block.classes, self._compare(block)
        return known[3]

    def _compare(self, block: BlockStatistics) -> _Selection:
        predictive = replace(block, reading=Reading("predictive"))
        moments, bins = (replace(predictive, parts=(part,)) for part in block.parts)
        values, student_t = self._gaussian.predictive(moments)
        not_constant: list[int] = values.columns.tolist()
        if self.form == "auto":
            coarse = Histogram(_MOST_BINS if self.bins is None else min(self.bins, _MOST_BINS), alpha=self.alpha)
            evidence = self._gaussian.column_evidence(moments)
            positions = _choose_histograms(coarse.histograms(bins), evidence, values, student_t)
            in_cells = set[int]()
        else:
            given = forms_by_column("form", self.form, block.columns)
            positions, in_cells = ({j for j in not_constant if given[j] == form} for form in ("histogram", "cells"))
        cut = self._cut(block, bins) if positions or in_cells else []
        (part,) = bins.parts
        assert isinstance(part, Bins)
        finer = [column for column in cut if column.position in in_cells]
        cells = cut_cells(part, block.classes, finer) if finer else []
        return _Selection([column for column in cut if column.position in positions], cells, not_constant)

    def _cut(self, block: BlockStatistics, bins: BlockStatistics) -> list[ColumnHistogram]:
        # The bins of every column: the same for every form, so that they are chosen once for all alternatives.
        known = block.decisions.get("bins")
        key = self._histogram
        if known is None or known[0] != key or known[1] is not block.parts or known[2] is not block.classes:
            known = block.decisions["bins"] = key, block.parts, block.classes, key.cut(bins)
        return known[3]

    def _observation(self, block: BlockStatistics) -> Iterator[Observation]:
        if self.missing == "level":
            moments = block.parts[0]
            assert isinstance(moments, Moments)
            yield Observation.of(block, align_classes(moments.weight, moments.classes, block.classes))


def _choose_histograms(
    histograms: Histograms, evidence: FloatArray, values: Standardised, predictive: StudentT
) -> set[int]:
    # The positions of the columns to model as histograms. `evidence` is G of each column of the block (D); `predictive`
    # has Student-t of each class and column of `values` in their unit (C, D').
    index = {position: j for j, position in enumerate(values.columns.tolist())}
    chosen: set[int] = set()
    penalised: Sequence[float] = histograms.penalised_evidence().tolist()
    for column, alpha, of_values in zip(histograms.columns, histograms.alphas, penalised, strict=True):
        j = index.get(column.position)
        if j is None:  # constant to working precision: no evidence either way
            continue
        of_bins = float(compute_log_evidence(column.counts, alpha).sum()) - 0.5 * column.n_bins
        if of_values > evidence[column.position] or of_bins > _score_bins(column, j, values, predictive):
            chosen.add(column.position)
    return chosen


def _score_bins(column: ColumnHistogram, j: int, values: Standardised, predictive: StudentT) -> float:
    # g: the log probability of the bins of a column under the Gaussian's predictive distribution, less its penalty.
    with np.errstate(over="ignore"):
        z = (column.edges[1:-1] - values.centre[j]) / values.unit[j]
        z = (z - predictive.location[:, j, None]) / predictive.scale[:, j, None]
    degrees, one = predictive.degrees[:, j, None], np.ones((len(z), 1))
    # Both tails, so that a small mass on either side keeps its digits.
    below = np.concatenate([0 * one, stdtr(degrees, z), one], axis=1)
    above = np.concatenate([one, stdtr(degrees, -z), 0 * one], axis=1)
    mass = np.where(below[:, 1:] <= 0.5, np.diff(below, axis=1), -np.diff(above, axis=1))
    charge = 0.5 * min(2, column.n_bins - 1) * np.log1p(column.counts.sum(axis=1))
    return float(xlogy(column.counts, np.maximum(mass, 0.0)).sum() - charge.sum())
