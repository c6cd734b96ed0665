"""Complement naive Bayes of a document that is left out: it speaks in the complement of every class but its own.

Symbols: N_ck counts of class c, α_ck pseudo-counts, K tokens; x_k what the document's occurrences of token k count, y
its class, u the weight that is taken out.

    θ̄_ck    = (Σ_{c'≠c} N_c'k − u x_k [c ≠ y] + α_ck)/Σ_k the same          score_c = −Σ_k x_k ln θ̄_ck

The score of its own class stays; those of the others move. Where nothing is left of a share, or of them all, the rules
are those of complement_weights.py. Vocabulary, the tokens that are kept, idf and α are those of all documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from suffice.likelihoods.terms import KnownTokens, Term
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["OwnComplement"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnComplement:
    """N and α of each token and class (K, C), and what an occurrence counts (K), or presence where that is read.

    `whole` is the term with the document, whose scores these replace.
    """

    columns: Columns
    tokens: KnownTokens
    counts: FloatArray
    alpha: FloatArray
    weight: FloatArray
    whole: tuple[Term, ...]
    unit: float
    presence: bool
