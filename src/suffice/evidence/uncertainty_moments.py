"""What log p(x | c) of a row may be under the posterior of the parameters: its first three cumulants, class by class.

Symbols and formulas are those of likelihoods/uncertain.py. Cumulants of independent parts add: over the columns of a
row and its class prior, log p(c, x) = log π_c + Σ_blocks log p(x_block | c). Classes are independent of each other too,
but for the total of the class prior, which is the same for every class and cancels in odds:

    π ~ Dir(α + N)      log π_c is log G_c less the log of Σ G, G_c ~ Gamma(α_c + N_c):  κ_i = ψ^(i−1)(α_c + N_c)
    π given, uniform    log π_c has no spread
    calibrated          log π_c + T log p(x | c) + b_c: the cumulants of log p(x | c) count T, T² and T³ times; a
                        calibration that is not linear in log p(x | c) has none

    a row of counts some of which are missing    counted given the total of the observed: α₀ is theirs
    a combination some of whose levels are gaps  the sum of what it may be has α_row = Σ α, a Beta(α_row, α₀ − α_row)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from suffice.conjugate.special import polygamma
from suffice.decisions.calibration import Calibration
from suffice.engines.table import Table
from suffice.likelihoods.aligned import table as by_row
from suffice.likelihoods.terms import TokenLinear
from suffice.likelihoods.uncertain import DirichletTerm, UncertainTerm
from suffice.likelihoods.uncertain_counts import CombinationsTerm, CountsTerm, RatesTerm, TokensTerm
from suffice.likelihoods.uncertain_reals import ParabolasTerm
from suffice.models import NaiveBayesModel
from suffice.models.score import Scorer
from suffice.models.token_scores import TokenScorer
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["LogMoments", "closed_form", "joint_moments", "log_moments", "token_counts", "uncertain_terms"]

_CELLS_AT_ONCE = 2**20
_MOST = (
    1e60  # of a count, a square or what a calibration multiplies by: more says no more, and its cube may be no float
)


class LogMoments(NamedTuple):
    """Mean, variance and third cumulant, rows × classes, up to what is the same for every class of a row."""

    mean: FloatArray
    variance: FloatArray
    third: FloatArray


def uncertain_terms(model: NaiveBayesModel) -> tuple[UncertainTerm, ...]:
    """Return what every block adds to log p(c, x), with the posterior of its parameters."""
    return tuple(
        term
        for block, seen in zip(model.schema.blocks, model.seen(), strict=True)
        for term in block.likelihood.uncertain(seen)
    )


def closed_form(term: UncertainTerm) -> bool:
    """Whether the cumulants of the term are known; else its parameters can only be drawn."""
    if isinstance(term, ParabolasTerm):
        return not term.shared
    return isinstance(term, (DirichletTerm, CountsTerm, TokensTerm, RatesTerm, CombinationsTerm))


def joint_moments(
    model: NaiveBayesModel, table: Table, terms: Sequence[UncertainTerm], calibration: Calibration | None = None
) -> LogMoments:
    """Return the cumulants of log p(c, x) of every row, or of what takes its place where it is calibrated."""
    found = log_moments(model, table, terms)
    prior = _of_class_prior(model)
    if calibration is None:
        return LogMoments(*(each + own for each, own in zip(found, prior, strict=True)))
    lengths = model.bare_scorer.lengths(table) if calibration.kind == "length" else None
    by = np.asarray(calibration.scale(lengths))
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite has an interval from 0 to 1
        mean = found.mean * by + calibration.offsets
        return LogMoments(mean + prior[0], found.variance * by**2 + prior[1], found.third * by**3 + prior[2])


def log_moments(model: NaiveBayesModel, table: Table, terms: Sequence[UncertainTerm]) -> LogMoments:
    """Return the cumulants of log p(x | c) of every row, given terms that all have them."""
    found: FloatArray = np.zeros((3, table.rows, len(model.classes)))
    tables = [term for term in terms if isinstance(term, DirichletTerm)]
    if tables:
        nothing = np.zeros(len(model.classes))
        for order in (1, 2, 3):
            scorer = Scorer([term.cumulant(order) for term in tables], nothing, model.schema.names)
            found[order - 1] += scorer.score(table, "joint").values
    for term in terms:
        if isinstance(term, DirichletTerm):
            continue
        if isinstance(term, TokensTerm):
            found += _of_tokens(term, table)
        elif isinstance(term, CombinationsTerm):
            found += _of_combinations(term, table, model.schema.names)
        else:
            _add_numbers(found, term, table)
    # Sums of what is ≥ 0 that a table adds up as differences may end a rounding below it.
    return LogMoments(found[0], np.maximum(found[1], 0.0), found[2])


def _of_class_prior(model: NaiveBayesModel) -> FloatArray:
    after = model.class_prior.posterior(model.tally)
    if after is None:
        nothing = np.zeros(len(model.classes))
        return np.stack([model.log_prior, nothing, nothing])
    return np.stack([polygamma(order, after) for order in range(3)])


def token_counts(term: TokensTerm, table: Table) -> Any:
    """Return what each known token counts in each document, rows × K as a CSR matrix; nothing where one is missing."""
    weight = by_row(term.alpha)
    known = TokenLinear((term.column,), term.tokens, weight, np.zeros(len(term.alpha)), term.presence)
    counts: Any = TokenScorer(known).counts(table)
    counts.data = counts.data * term.weights[counts.indices]
    return counts


def _of_tokens(term: TokensTerm, table: Table) -> FloatArray:
    counts, weight = token_counts(term, table), by_row(term.alpha)
    n: FloatArray = np.asarray(counts.sum(axis=1)).reshape(-1, 1)
    total = term.alpha.sum(axis=1)
    found: list[FloatArray] = []
    for order in (1, 2, 3):
        powers: FloatArray = counts.power(order) @ polygamma(order - 1, weight)
        found.append(powers - n**order * polygamma(order - 1, total))
    return np.stack(found)


def _of_combinations(term: CombinationsTerm, table: Table, names: Columns) -> FloatArray:
    total = term.total
    share = Scorer([term.mean()], np.zeros(len(total)), names).score(table, "joint").values
    alpha = np.minimum(np.exp(share) * total, total)
    return np.stack([polygamma(order, alpha) - polygamma(order, total) for order in range(3)])


def _add_numbers(found: FloatArray, term: UncertainTerm, table: Table) -> None:
    # Some rows at a time, so that what is formed for each cell and class stays small beside the table.
    assert isinstance(term, (CountsTerm, RatesTerm, ParabolasTerm))
    classes = found.shape[2]
    step = max(1, _CELLS_AT_ONCE // max(1, len(term.columns) * (1 if isinstance(term, CountsTerm) else classes)))
    for start in range(0, table.rows, step):
        some = slice(start, min(start + step, table.rows))
        x = _numbers(table.take(some), term.columns)
        if isinstance(term, CountsTerm):
            found[:, some] += _of_counts(term, x)
        elif isinstance(term, RatesTerm):
            found[:, some] += _of_rates(term, x)
        else:
            found[:, some] += _of_parabolas(term, x)


def _numbers(table: Table, columns: Columns) -> FloatArray:
    # Rows × columns, NaN where missing.
    numbers = table.numbers(columns)
    if hasattr(numbers.x, "toarray"):
        return np.asarray(numbers.x.toarray(), dtype=np.float64)
    each = [np.array(column, dtype=np.float64) for column in numbers.columns()]
    for values, bits in zip(each, numbers.valid or [None] * len(each), strict=True):
        if bits is not None:
            values[np.unpackbits(bits, count=len(values), bitorder="little") == 0] = np.nan
    return np.stack(each, axis=1)


def _of_counts(term: CountsTerm, x: FloatArray) -> FloatArray:
    x = np.minimum(x, _MOST)
    missing = np.isnan(x)
    total: FloatArray = np.broadcast_to(term.alpha.sum(axis=1), (len(x), len(term.alpha)))
    if missing.any():
        # The sum of the observed, not a difference; 1 where nothing is, of which nothing is counted.
        total = np.where(missing.all(axis=1, keepdims=True), 1.0, (~missing).astype(np.float64) @ term.alpha.T)
        x = np.where(missing, 0.0, x)
    n = x.sum(axis=1, keepdims=True)
    return np.stack(
        [x**order @ polygamma(order - 1, term.alpha).T - n**order * polygamma(order - 1, total) for order in (1, 2, 3)]
    )


def _of_rates(term: RatesTerm, x: FloatArray) -> FloatArray:
    # ln x! is the same for every class and cancels in odds.
    x = np.minimum(x, _MOST)
    r, beta = term.shape, term.rate
    cell, known = np.where(np.isnan(x), 0.0, x)[:, None], ~np.isnan(x)[:, None]
    first = cell * (polygamma(0, r) - np.log(beta)) - r / beta
    second = cell**2 * polygamma(1, r) - 2 * cell / beta + r / beta**2
    third = cell**3 * polygamma(2, r) + 3 * cell / beta**2 - 2 * r / beta**3
    return np.stack([np.where(known, each, 0.0).sum(axis=-1) for each in (first, second, third)])


def _of_parabolas(term: ParabolasTerm, x: FloatArray) -> FloatArray:
    after = term.after
    k, a, b = after.kappa, after.a, after.b
    known = ~np.isnan(x)[:, None]
    z = np.where(known, ((x - term.centre) / term.unit)[:, None], after.m)
    with np.errstate(over="ignore"):
        q = np.minimum((z - after.m) ** 2 / (2 * b), _MOST)
    first = 0.5 * (polygamma(0, a) - np.log(b) - np.log(2 * np.pi) - 1 / k) - np.log(term.unit) - a * q
    second = polygamma(1, a) / 4 + 0.5 / k**2 + q * (2 * a / k + a * q - 1)
    third = polygamma(2, a) / 8 - 1 / k**3 + q * (3 / k - 6 * a / k**2 + q * (1.5 - 6 * a / k - 2 * a * q))
    return np.stack([np.where(known, each, 0.0).sum(axis=-1) for each in (first, second, third)])
