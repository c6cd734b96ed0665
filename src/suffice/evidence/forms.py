"""The form of each column, such as Gaussian, histogram or cells, selected by held-out log loss.

Fold k of the kept rows has the statistics S_k, and O_k = R + Σ_{j≠k} S_j are those of all other rows (folds.py). An
alternative a of a column is scored by the posterior given that column alone:

    L_a = Σ_k Σ_x Σ_c v_c n_kc(x) [ln Σ_c' π_c' p_a(x | c') − ln π_c p_a(x | c)]       p_a, π from O_k

n_kc(x) is the weight of class c at x in fold k, x the middle of a fine bin or a level, and v_c the number of rows that
a kept row of class c represents. So no row is scored: the folds' statistics contain what is needed, and cells, bins and
α are chosen again for every O_k. A class without rows in O_k has v_c = 0 there, and an outcome that is impossible under
every class is scored by π.

Alternatives are ordered by complexity. An alternative replaces those before it if its L is lower by at least
4 nats, a likelihood ratio of 55: a smaller difference may be due to the choice of the folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from suffice.models import NaiveBayesModel
from suffice.models.schema import Block, Schema
from suffice.statistics.arrays import FloatArray

__all__ = ["choose_forms", "measure_forms"]

_MARGIN = 4.0  # nats


def choose_forms(
    folds: Sequence[NaiveBayesModel], others: Sequence[NaiveBayesModel], shares: FloatArray | None = None
) -> Schema:
    """Return the schema in which each column has the form with the lowest held-out log loss.

    Parameters
    ----------
    folds : the model of the rows of each fold
    others : for each fold, the model of all other rows
    shares : array (C,), optional
        v_c, in the order of the classes of the models; 1 by default.

    Examples
    --------
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 3000)
    >>> x = np.where(rng.random((3000, 1)) < 0.2 + 0.6 * y[:, None], 0.0, rng.normal(size=(3000, 1)))
    >>> folds = [sf.fit(x[k::2], y[k::2], calibrate=False).core for k in range(2)]
    >>> choose_forms(folds, folds[::-1]).blocks
    (0: Numeric(form=('cells',)),)
    """
    schema = others[0].schema
    blocks: list[Block] = []
    for i, block in enumerate(schema.blocks):
        losses = measure_forms(folds, others, i, shares)
        chosen = [_select(column) for column in losses.T.tolist()] if len(losses) else []
        blocks.append(Block(block.columns, block.likelihood.with_forms(chosen)) if chosen else block)
    return replace(schema, blocks=tuple(blocks))


def _select(losses: Sequence[float]) -> int:
    best = 0
    for k, loss in enumerate(losses):
        if loss <= losses[best] - _MARGIN:
            best = k
    return best


def measure_forms(
    folds: Sequence[NaiveBayesModel],
    others: Sequence[NaiveBayesModel],
    block: int,
    shares: FloatArray | None = None,
) -> FloatArray:
    """Return the held-out log loss, in nats, of each alternative and column of a block."""
    alternatives = others[0].schema.blocks[block].likelihood.alternatives()
    losses = np.zeros((len(alternatives), len(others[0].schema.blocks[block].columns)))
    for fold, other in zip(folds, others, strict=True):
        seen = tuple(other.seen())[block]
        weight = other.tally.weight
        share = np.where(weight > 0, 1.0 if shares is None else shares, 0.0)
        with np.errstate(divide="ignore"):
            log_prior = np.log(weight / weight.sum())
        for k, likelihood in enumerate(alternatives):
            for j, (counts, logs) in enumerate(likelihood.held_out_scores(seen, fold.parts[block])):
                losses[k, j] += _log_loss(counts.T * share, logs, log_prior)
    return losses


def _log_loss(counts: FloatArray, logs: FloatArray, log_prior: FloatArray) -> float:
    # Log losses of outcomes × classes.
    rows = np.flatnonzero(counts.any(axis=1))
    counts, joint = counts[rows], logs[rows] + log_prior
    joint = np.where(np.isneginf(joint).all(axis=1, keepdims=True), log_prior, joint)
    peak = joint.max(axis=1, keepdims=True)
    total = peak + np.log(np.exp(joint - peak).sum(axis=1, keepdims=True))
    with np.errstate(invalid="ignore"):
        return float(np.where(counts > 0, counts * (total - joint), 0.0).sum())
