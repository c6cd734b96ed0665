"""Terms over a plain matrix, scored in one call."""

from __future__ import annotations

from suffice.models import Scorer
from suffice.sources.table import Matrix


def score(terms, log_prior, rows, wanted, threads=None):
    names = tuple(range(rows.shape[1]))
    return Scorer(terms, log_prior, names).score(Matrix(rows, names), wanted, threads=threads)
