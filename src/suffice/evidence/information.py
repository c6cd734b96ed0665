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
from dataclasses import replace

import numpy as np

from suffice.evidence.divergence import alone, masses_times, of_counts, of_reals, times
from suffice.evidence.rest import log_of_all
from suffice.likelihoods.cells import log_widths
from suffice.likelihoods.terms import (
    Combinations,
    CompoundCount,
    FullQuadratic,
    FullStudent,
    Levels,
    Observed,
    PoissonCount,
    Presence,
    Quadratic,
    Steps,
    Student,
    Term,
)
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["information"]


def information(terms: Iterable[Term], log_share: FloatArray) -> dict[str | int, float]:
    """Return the bits of each column that has them, given ln π_c, −inf for a class without rows.

    Examples
    --------
    >>> from suffice.statistics import Axis
    >>> pure = Levels(("fur",), (Axis.of(["black", "white"]),), np.array([[0.0, -np.inf], [-np.inf, 0.0]]))
    >>> information([pure], np.log([0.5, 0.5]))
    {'fur': 1.0}
    """
    every = list(terms)
    known = {
        name: log_present
        for term in every
        if isinstance(term, Observed)
        for name, log_present in zip(term.columns, term.present, strict=True)
    }
    found: dict[str | int, float] = {}
    for term in every:
        for name, nats in _columns(term, log_share, {} if isinstance(term, Observed) else known):
            found[name] = found.get(name, 0.0) + max(nats, 0.0) / math.log(2)
    return found


def _columns(
    term: Term, log_share: FloatArray, known: dict[str | int, FloatArray]
) -> Iterator[tuple[str | int, float]]:
    if isinstance(term, (FullQuadratic, FullStudent)):
        yield from _columns(alone(term), log_share, known)
    elif isinstance(term, (Quadratic, Student)):
        if not any(name in known for name in term.columns):
            yield from zip(term.columns, _mean(of_reals(term, log_share, log_of_all), log_share), strict=True)
            return
        for j, name in enumerate(term.columns):
            share = log_share + known.get(name, 0.0)
            (nats,) = _mean(of_reals(_one(term, j), share, log_of_all), share)
            yield name, nats
    elif isinstance(term, (PoissonCount, CompoundCount)):
        yield from zip(term.columns, _mean(of_counts(term, log_share, log_of_all), log_share), strict=True)
    else:
        for name, logs in _outcomes(term):
            share = log_share + known.get(name, 0.0)
            with np.errstate(invalid="ignore"):
                ratio = logs - log_of_all(logs, share)
            (nats,) = _mean(masses_times(logs, ratio).sum(axis=0)[None], share)
            yield name, nats


def _outcomes(term: Term) -> Iterator[tuple[str | int, FloatArray]]:
    # ln θ of the outcomes of each column, (K, C).
    if isinstance(term, (Presence, Observed)):
        yield from zip(term.columns, np.stack([term.present, term.absent], axis=1), strict=True)
    elif isinstance(term, Levels):
        ends = np.cumsum([len(axis) + term.unseen for axis in term.levels])[:-1]
        yield from zip(term.columns, np.split(term.table, ends), strict=True)
    elif isinstance(term, Steps):
        ends = np.cumsum([len(span) - 1 for span in term.spans])[:-1]
        for name, logs, span in zip(term.columns, np.split(term.table, ends), term.spans, strict=True):
            yield name, logs + log_widths(span)[:, None]
    elif isinstance(term, Combinations):
        others = math.prod(max(float(len(axis)), 1.0) for axis in term.levels) - len(term.seen)
        logs = np.concatenate([term.table, term.rest[None] + math.log(others)]) if others > 0 else term.table
        yield ", ".join(map(str, term.columns)), logs


def _mean(said: FloatArray, log_share: FloatArray) -> list[float]:
    # Over the classes, each as often as it was seen, of shape (D, C).
    return times(np.broadcast_to(np.exp(log_share), said.shape), said).sum(axis=1).tolist()


def _one(term: Quadratic | Student, j: int) -> Quadratic | Student:
    at = slice(j, j + 1)
    tables = {name: getattr(term, name)[at] for name in ("centre", "scale", "m", "s", "c")}
    return replace(term, columns=term.columns[at], **tables)
