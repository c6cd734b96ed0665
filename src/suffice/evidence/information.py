"""How much a column tells about the class, as a number of bits: I(class; cell), from the statistics alone.

Symbols: π_c share of the rows of class c, p(x | c) as it is read, o_c the probability that the cell is known where that
speaks for itself (missing="level"), else 1.

    I(class; cell)     Σ_c π_c E_{x|c}[ln p(x | c) − ln Σ_d π_d p(x | d)]/ln 2, from 0 to H(class)
    with o             I(class; known or not) + Σ_c π_c o_c E_{x|c}[ln p(x | c) − ln Σ_d w_d p(x | d)]/ln 2, w ∝ π o

Discrete outcomes are added up, densities integrated as in divergence.py. Columns that go together tell what each does
alone; a joint block is one column. A count of a row of draws and a document have none: it would be that of the whole
row, of which there are as many as there are ways to draw it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from suffice.likelihoods.terms import Term
from suffice.likelihoods.terms.divergence import log_of_all, times
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["information"]


def information(terms: Iterable[Term], log_share: FloatArray) -> dict[str | int, float]:
    """Return the bits of each column that has them, given ln π_c, −inf for a class without rows.

    Examples
    --------
    >>> from suffice.likelihoods.terms import Levels
    >>> from suffice.statistics import Axis
    >>> pure = Levels(("fur",), (Axis.of(["black", "white"]),), np.array([[0.0, -np.inf], [-np.inf, 0.0]]))
    >>> information([pure], np.log([0.5, 0.5]))
    {'fur': 1.0}
    """
    every = list(terms)
    known = {name: log_present for term in every for name, log_present in term.log_observed().items()}
    found: dict[str | int, float] = {}
    for term in every:
        for name, nats in _columns(term, log_share, {} if term.log_observed() else known):
            found[name] = found.get(name, 0.0) + max(nats, 0.0) / math.log(2)
    return found


def _columns(
    term: Term, log_share: FloatArray, known: dict[str | int, FloatArray]
) -> Iterator[tuple[str | int, float]]:
    if not any(name in known for name in term.columns):
        yield from _mean(term, log_share)
        return
    for name in term.columns:
        yield from _mean(term.restrict((name,)), log_share + known.get(name, 0.0))


def _mean(term: Term, log_share: FloatArray) -> Iterator[tuple[str | int, float]]:
    # Over the classes, each as often as it was seen.
    for name, nats in term.divergence(log_share, log_of_all):
        yield name, float(times(np.exp(log_share), nats).sum())
