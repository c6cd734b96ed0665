"""What a row adds to log p(c, x) of its own class c once it has been taken out of it: terms beside those of terms.py.

A likelihood leaves one row out where it can say the score of a row of class c under the statistics without u of its
weight: the rest of a heavier row stays. Where that score depends on the row's level alone it is a table, and the term
is one of terms.py. These are the others; entry (j, c) of an array is that of column j and class c. Where the classes
share more than a matrix, the terms are those of own_rereading.py and own_complement.py.

Gaussian, in z = (x − centre) · scale; posterior m', κ', a', b' with the row, m'', κ'' = κ' − u, a'' = a' − u/2, b''
without it, t = (z − m')², γ = u κ'/(2 κ'' b'):

    b'' = b' (1 − γ t)          z − m'' = ρ (z − m'),  ρ = κ'/κ''
    OwnNormal    −½ ln(2π v) − ½ ρ² t/v − ln unit,  v = max(variance · (1 − γ t), least): parameters plugged in
    Student      where they are integrated out: ln Γ(a'' + ½) − ln Γ(a'') − ½ ln(2π b'(κ'' + 1)/κ'') − ln unit
                 + a'' ln(1 − γ t) − (a'' + ½) ln(1 + (η − γ) t),  η = κ'²/(2 b' κ''(κ'' + 1)), which is γ for u = 1

Several columns together, Ψ' the matrix with the row, δ = z − m'_y of its own class y, d_c = z − m_c of any:

    Ψ'' = Ψ' − u k δδᵀ, k = κ'/κ''     |Ψ''| = s |Ψ'|, s = 1 − u k δᵀΨ'⁻¹δ     dᵀΨ''⁻¹d = dᵀΨ'⁻¹d + (u k/s)(dᵀΨ'⁻¹δ)²
    OwnEllipse   the normal density, or multivariate t, with the matrix f Ψ''; own class: d = k δ and its own f

Counts, in a row of T = Σ_j x_j; N + α − u x in place of N + α:

    OwnMultinomial   Σ_j x_j ln[(N_j − u x_j + α_j)/Σ_k (N_k − u x_k + α_k)], or the Dirichlet-multinomial of x; sums
                     over the columns that are known in the row
    OwnPoisson       Poisson of rate (N − u x + r)/(n − u + β), or the negative binomial of those two
    OwnTokens        OwnMultinomial over the known tokens of a document
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, final

from suffice.likelihoods.own_complement import OwnComplement
from suffice.likelihoods.own_rereading import OwnColumns, OwnRows
from suffice.likelihoods.terms import KnownTokens, Term
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["OwnEllipse", "OwnMultinomial", "OwnNormal", "OwnPoisson", "OwnTerm", "OwnTokens", "OwnWithoutGaps"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnNormal:
    """The normal density without the row: centre, scale and log_unit of length D; the others of shape (D, C)."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    log_unit: FloatArray
    m: FloatArray
    rho: FloatArray
    variance: FloatArray
    gamma: FloatArray
    least: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnEllipse:
    """Densities of several columns without the row: m (C, D), Ψ' (C, D, D), or (1, D, D) where all classes share one.

    centre and scale of length D; k, f of the own class and f of the others of length C; degrees (C) of multivariate t,
    or None of a normal. Where the matrix is shared, a row that is left out moves the scores of all classes. Where s is
    `thin` or less, the row had a direction to itself, and what is left is read for that row alone, `by_row`.
    """

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    psi: FloatArray
    spin: FloatArray
    own_factor: FloatArray
    other_factor: FloatArray
    degrees: FloatArray | None
    unit: float
    thin: float = 0.0
    by_row: OwnRows | None = None

    @property
    def shared(self) -> bool:
        """Whether the other classes change too."""
        return len(self.psi) == 1 and len(self.m) > 1


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnMultinomial:
    """Draws from a distribution over the columns: N and what is added (D, C), of which `unit` times the row is taken.

    Where `integrated`, the distribution is integrated out. What is left is at least `least`, what is added; where
    nothing is left, the row is taken out of `spare` instead, or without it every column is as probable.
    """

    columns: Columns
    total: FloatArray
    unit: float
    integrated: bool
    least: FloatArray
    spare: FloatArray | None = None


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnPoisson:
    """Counts of a rate: sums and weights with what the prior adds (D, C); `lone` is the rate where nothing is left.

    What is left of a sum is at least `least`, what the prior adds.
    """

    columns: Columns
    total: FloatArray
    weight: FloatArray
    lone: FloatArray
    least: FloatArray
    unit: float
    integrated: bool


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnTokens:
    """Draws over the tokens of a document; an occurrence of token k counts weight_k, or one where presence counts."""

    draws: OwnMultinomial
    tokens: KnownTokens
    weight: FloatArray
    presence: bool = False

    @property
    def columns(self) -> Columns:
        """The column of documents."""
        return self.draws.columns


@final
@dataclass(frozen=True, slots=True, eq=False)
class OwnWithoutGaps:
    """Columns each by itself, of rows that were counted where none of their cells is missing: the others stay whole."""

    columns: Columns
    terms: tuple[OwnNormal | Term, ...]
    whole: tuple[Term, ...]


OwnTerm: TypeAlias = (
    Term
    | OwnNormal
    | OwnEllipse
    | OwnMultinomial
    | OwnPoisson
    | OwnTokens
    | OwnWithoutGaps
    | OwnColumns
    | OwnRows
    | OwnComplement
)
