"""Credible intervals of p(c | x): its distribution under the posterior of all parameters, class prior included.

    θ_1 … θ_S ~ p(θ | D), π_s ~ Dir(α + N) unless it is given         p_s = p(c | x, θ_s, π_s)
    interval    quantiles ½ (1 − credible) and ½ (1 + credible) of p_1 … p_S, equal tails: the q-quantile is the
                q (S + 1)-th in order, so that a further draw, such as the true θ, lies inside with the stated
                probability

The prior is that of the estimate; "mle", which has none, uses that of "mean". Data-driven choices stay fixed: levels,
vocabulary, cells of histograms, pooled priors, concentrations chosen by evidence, a calibration. The interval of a
calibrated model is that of its calibrated probability.

Draw s has its own random stream, derived from the seed and s, so an interval does not depend on the other rows. Tokens
of documents are counted once, and only those that a row contains are drawn one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, final

import numpy as np

from suffice.decisions.calibration import Calibration
from suffice.errors import counted
from suffice.likelihoods.dirichlet import draw_log_simplex
from suffice.likelihoods.terms.term import UncertainTerm
from suffice.likelihoods.tokens import UncertainTokens
from suffice.models import NaiveBayesModel
from suffice.models.score import Scorer, TokenScorer, finish_scores, multiply_logs
from suffice.records import TableColumns, Tabular
from suffice.sources.table import Table
from suffice.statistics.arrays import FloatArray, IntArray
from suffice.statistics.labels import Label

__all__ = ["CredibleInterval", "credible_interval"]

_NUMBERS_AT_ONCE = 2**23


@final
@dataclass(frozen=True, slots=True, eq=False)
class CredibleInterval(Tabular):
    """Credible intervals of p(c | x), for every row and class.

    Parameters
    ----------
    lower, upper : arrays, rows × classes
        Bounds of the equal-tailed interval of each class, marginally.
    probability : array, rows × classes
        p(c | x) as `predict_proba` returns it. It usually lies within the interval, but with few rows it may not: the
        predictive estimate reweights parameters by the likelihood of the row, "mle" and "map" may lie at the boundary,
        and the mean of a skewed posterior may lie outside its quantiles.
    credible : float
        The posterior mass of each interval.
    classes : tuple of labels
    """

    lower: FloatArray
    upper: FloatArray
    probability: FloatArray
    credible: float
    classes: tuple[Label, ...] = ()
    library: str | None = field(default=None, repr=False, compare=False)

    def table(self) -> TableColumns:
        """Return the columns row, label, probability, lower and upper, with one row per row of data and class."""
        rows, classes = len(self.probability), len(self.classes)
        return {
            "row": np.repeat(np.arange(rows), classes),
            "label": list(self.classes) * rows,
            "probability": self.probability.ravel(),
            "lower": self.lower.ravel(),
            "upper": self.upper.ravel(),
        }

    def __str__(self) -> str:
        return f"{self.credible:.4g} credible intervals of {counted(len(self.probability), 'row')}"


def credible_interval(
    model: NaiveBayesModel,
    table: Table,
    probability: FloatArray,
    credible: float,
    draws: int,
    seed: int,
    calibration: Calibration | None = None,
) -> CredibleInterval:
    """Return the interval of every row of a table with the columns of the schema, given its p(c | x)."""
    terms = [
        term
        for block, seen in zip(model.schema.blocks, model.seen(), strict=True)
        for term in block.likelihood.uncertain(seen)
    ]
    shape = table.rows, len(model.classes)
    lower: FloatArray = np.empty(shape)
    upper: FloatArray = np.empty(shape)
    streams = np.random.SeedSequence(seed).spawn(draws)
    step = max(1, _NUMBERS_AT_ONCE // (draws * shape[1]))
    tails = (1 - credible) / 2, (1 + credible) / 2
    rows = table.take(slice(None))  # chunked texts are coded once
    for start in range(0, table.rows, step):
        part = slice(start, min(start + step, table.rows))
        posteriors = _draw_posteriors(model, rows.take(part), terms, streams, calibration)
        lower[part], upper[part] = np.quantile(posteriors, tails, axis=0, method="weibull")
    return CredibleInterval(lower, upper, probability, credible, model.classes.labels)


class _Documents(NamedTuple):
    # Counts of the tokens that the rows contain (rows × P, CSR), and the sampler of their logs (P × C).
    name: str | int
    counts: Any
    draw: Callable[[np.random.Generator], FloatArray]

    @classmethod
    def of(cls, term: UncertainTokens, table: Table) -> _Documents:
        counts: Any = TokenScorer(term.counting).counts(table)
        tokens: IntArray = np.unique(counts.indices)
        return cls(term.counting.columns[0], counts[:, tokens], term.token_draws(tokens))


def _draw_posteriors(
    model: NaiveBayesModel,
    table: Table,
    terms: Sequence[UncertainTerm],
    streams: Sequence[np.random.SeedSequence],
    calibration: Calibration | None,
) -> FloatArray:
    # p(c | x) under each draw: draws × rows × classes.
    posteriors: FloatArray = np.empty((len(streams), table.rows, len(model.classes)))
    texts = [text for text in (term.documents() for term in terms) if text is not None]
    documents = [_Documents.of(text, table) for text in texts]
    others = [term for term in terms if term.documents() is None]
    after = model.class_prior.posterior(model.tally)
    for s, stream in enumerate(streams):
        rng = np.random.default_rng(stream)
        prior = model.log_prior if after is None else draw_log_simplex(after, rng)
        drawn = [term.draw(rng) for term in others]
        weights = None if calibration is None else calibration.column_weights
        scorer = Scorer(drawn, prior, model.schema.names, weights)
        if not documents:
            posteriors[s] = scorer.score(table, "posterior", calibration).values
            continue
        likelihood = scorer.score(table, "likelihood").values
        for column in documents:
            likelihood += multiply_logs(column.counts @ column.draw(rng), weights[column.name] if weights else 1.0)
        once = replace(calibration, scale=1.0) if calibration is not None and weights else calibration
        posteriors[s] = finish_scores(likelihood, prior, "posterior", once).values
    return posteriors
