"""The interval of p(c | x) from draws: parameters from their posterior, and the rows scored with each.

    θ_1 … θ_S ~ p(θ | D), π_s ~ Dir(α + N) unless it is given         p_s = p(c | x, θ_s, π_s)
    interval    quantiles ½ (1 − level) and ½ (1 + level) of p_1 … p_S, equal tails: the q-quantile is the q (S + 1)-th
                in order, so that a further draw, such as the true θ, lies inside with the probability that is stated

Draw s has a stream of numbers of its own, made of the seed and s, so rows may be scored some at a time. Of documents
only the tokens that some row has are drawn one by one; all others are one outcome together: the same distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from suffice.decisions.calibration import Calibration
from suffice.engines.table import Table
from suffice.evidence.uncertainty_moments import token_counts
from suffice.likelihoods.aligned import table as by_row
from suffice.likelihoods.uncertain import UncertainTerm, log_simplex_draw
from suffice.likelihoods.uncertain_counts import TokensTerm
from suffice.models import NaiveBayesModel
from suffice.models.finishing import finished
from suffice.models.score import Scorer
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["drawn_interval"]

_NUMBERS_AT_ONCE = 2**23


class _Documents(NamedTuple):
    # What the tokens of some rows count (rows × P, CSR), and α of those (C, P) and of all others together.
    counts: Any
    alpha: FloatArray

    def drawn(self, rng: np.random.Generator) -> FloatArray:
        logs = log_simplex_draw(self.alpha, rng)
        return self.counts @ by_row(logs[:, : self.counts.shape[1]])


def drawn_interval(
    model: NaiveBayesModel,
    table: Table,
    terms: Sequence[UncertainTerm],
    level: float,
    draws: int,
    seed: int,
    calibration: Calibration | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper ends, rows × classes, from so many draws; each is calibrated where the model is."""
    classes = len(model.classes)
    lower: FloatArray = np.empty((table.rows, classes))
    upper: FloatArray = np.empty((table.rows, classes))
    streams = np.random.SeedSequence(seed).spawn(draws)
    step = max(1, _NUMBERS_AT_ONCE // (draws * classes))
    ends = (1 - level) / 2, (1 + level) / 2
    rows = table.take(slice(None))  # texts that came in chunks are coded once
    for start in range(0, table.rows, step):
        some = slice(start, min(start + step, table.rows))
        drawn = _posteriors(model, rows.take(some), terms, streams, calibration)
        lower[some], upper[some] = np.quantile(drawn, ends, axis=0, method="weibull")
    return lower, upper


def _posteriors(
    model: NaiveBayesModel,
    table: Table,
    terms: Sequence[UncertainTerm],
    streams: Sequence[np.random.SeedSequence],
    calibration: Calibration | None,
) -> FloatArray:
    # p(c | x) under each draw: draws × rows × classes.
    found: FloatArray = np.empty((len(streams), table.rows, len(model.classes)))
    documents = [_documents(term, table) for term in terms if isinstance(term, TokensTerm)]
    others = [term for term in terms if not isinstance(term, TokensTerm)]
    after, nothing = model.class_prior.posterior(model.tally), np.zeros(len(model.classes))
    by_length = calibration is not None and calibration.kind == "length"
    lengths = model.bare_scorer.lengths(table) if by_length else None
    for s, stream in enumerate(streams):
        rng = np.random.default_rng(stream)
        prior = model.log_prior if after is None else log_simplex_draw(after, rng)
        drawn = [term.drawn(rng) for term in others]
        if not documents and calibration is None:
            found[s] = Scorer(drawn, prior, model.schema.names).score(table, "posterior").values
            continue
        likelihood = np.array(Scorer(drawn, nothing, model.schema.names).score(table, "joint").values)
        for each in documents:
            likelihood += each.drawn(rng)
        joint = prior + likelihood if calibration is None else calibration.joint(likelihood, prior, lengths)
        found[s] = finished(joint, prior, "posterior").values
    return found


def _documents(term: TokensTerm, table: Table) -> _Documents:
    counts = token_counts(term, table)
    there = np.unique(counts.indices)
    absent = np.ones(term.alpha.shape[1], dtype=np.bool_)
    absent[there] = False
    alpha = term.alpha[:, there]
    if absent.any():
        alpha = np.concatenate([alpha, term.alpha[:, absent].sum(axis=1, keepdims=True)], axis=1)
    return _Documents(counts[:, there], alpha)
