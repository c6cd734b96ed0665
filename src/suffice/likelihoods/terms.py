"""What a reading adds to log p(c, x): plain arrays that a scorer runs over the rows, knowing no likelihood.

Tables have a row for each column (or level) and an entry for each class: D × C. z = (x − centre) · scale. A missing
cell (NaN, code −1) adds nothing, except to Observed and to Levels that say so.

    Quadratic        c − s (z − m)²                                       Gaussian, parameters plugged in
    Student          c − e ln(1 + (z − m)² s)                             Gaussian, parameters integrated out
    FullQuadratic    −½ ln|2πΣ| − ½ (z − m)ᵀ Σ⁻¹ (z − m) + Σ ln scale     Gaussian of several columns together
    FullStudent      the same of multivariate t                           Gaussian of several columns, integrated out
    Levels           the table's row of the level                         categorical
    Combinations     the table's row of the combination of levels         joint
    Steps            the table's row of the cell between cuts             histogram
    Presence         present where x > threshold, else absent             Bernoulli
    Observed         present where x is known, absent where it is missing
    Linear           Σ_j x_j weight_j, 0 · (−inf) = 0                     multinomial, parameters plugged in
    Polya            ln Γ(A) − ln Γ(A + n) + Σ_j ln Γ(α_j + x_j) − ln Γ(α_j)          multinomial, integrated out
    Coefficient      ln n! − Σ_j ln x_j!, the same for every class        multinomial; cancels in posteriors
    PoissonCount     x ln λ − λ − ln x!                                   Poisson, the rate plugged in
    CompoundCount    ln Γ(r + x) − ln Γ(r) − ln x! + r ln(β/(β + 1)) − x ln(β + 1)     Poisson, integrated out
    TokenLinear      start + Σ_k x_k weight_k over the known tokens of a document            text, parameters plugged in
    TokenPresence    Presence of each known token                                            text, where a log is −inf
    TokenPolya       Polya over the known tokens                                             text, integrated out

Of a row of counts some of which are missing, the observed ones are counted given their total: Linear, of a
distribution, takes n ln Σ_observed θ off, Polya and Coefficient take A and n of the observed columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, final

from suffice.plan.tokenizing import Tokenizing
from suffice.statistics import Axis
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray, IntArray
from suffice.statistics.vocabulary import Vocabulary

__all__ = [
    "Coefficient",
    "Combinations",
    "Compiled",
    "CompoundCount",
    "FullQuadratic",
    "FullStudent",
    "KnownTokens",
    "Levels",
    "Linear",
    "Observed",
    "PoissonCount",
    "Polya",
    "Presence",
    "Quadratic",
    "Steps",
    "Student",
    "Term",
    "TokenLinear",
    "TokenPolya",
    "TokenPresence",
    "TokenTerm",
]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Quadratic:
    """c − s (z − m)²: centre and scale of length D; m, s, c of shape (D, C)."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    s: FloatArray
    c: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Student:
    """c − e ln(1 + (z − m)² s): centre and scale of length D; m, s, c of shape (D, C); e of length C."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    s: FloatArray
    c: FloatArray
    e: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullQuadratic:
    """The log density of several columns together: centre and scale of length D; m of shape (C, D).

    `matrices` are the covariances of z, (C, D, D), or (1, D, D) where all classes share one. Eigenvalues of at most
    `least` count as that, or not at all where such directions are to `drop` (whitening.py). Of a row with missing cells
    it is the density of the known ones: their part of z, m and the matrix, which is then factored by itself.
    """

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    matrices: FloatArray
    least: float
    drop: bool = False


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullStudent:
    """The log density of multivariate t: as FullQuadratic, with scale matrices (C, D, D) and degrees of length C."""

    columns: Columns
    centre: FloatArray
    scale: FloatArray
    m: FloatArray
    matrices: FloatArray
    degrees: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A row of the table for each level: those of column j follow its axis, one column after the other.

    Where `unseen`, a column's rows are followed by that of every level that is not on its axis; else such a level adds
    nothing. Where `missing`, a missing cell has the level None, seen or not; else it adds nothing.
    """

    columns: Columns
    levels: tuple[Axis, ...]
    table: FloatArray
    unseen: bool = False
    missing: bool = False


@final
@dataclass(frozen=True, slots=True, eq=False)
class Combinations:
    """A row of the table for each combination of levels that was seen, and `rest` (C,) for every other one.

    `seen` has a row for each combination: the position of each of its levels on the axis of the column. A missing cell
    stands for all levels of its column: what it may be is added up.
    """

    columns: Columns
    levels: tuple[Axis, ...]
    seen: IntArray
    table: FloatArray
    rest: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A row of the table for each cell: column j has one more than its cuts, one after the other.

    The cuts of a column rise; x is in cell #{cuts ≤ x}, so −inf is in the first and inf in the last. `spans` are the
    cuts of each column between the two ends of its values: no score needs them, but whoever shows the cells does.
    """

    columns: Columns
    edges: tuple[FloatArray, ...]
    table: FloatArray
    spans: tuple[FloatArray, ...] = ()


@final
@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Present where the cell is known, absent where it is missing: both of shape (D, C)."""

    columns: Columns
    present: FloatArray
    absent: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Presence:
    """Present where x > threshold, else absent: both of shape (D, C)."""

    columns: Columns
    threshold: float
    present: FloatArray
    absent: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Σ_j x_j weight_j: weight of shape (D, C), the logs of a distribution over the columns where it says so."""

    columns: Columns
    weight: FloatArray
    distribution: bool = True


@final
@dataclass(frozen=True, slots=True, eq=False)
class Polya:
    """The Dirichlet-multinomial of the whole row less its coefficient: alpha of shape (D, C)."""

    columns: Columns
    alpha: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Coefficient:
    """The log multinomial coefficient of the row's counts, the same for every class."""

    columns: Columns


@final
@dataclass(frozen=True, slots=True, eq=False)
class PoissonCount:
    """The log Poisson probability of each count: rate ≥ 0 of shape (D, C)."""

    columns: Columns
    rate: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class CompoundCount:
    """The log negative binomial probability of each count: shape and rate > 0, each of shape (D, C)."""

    columns: Columns
    shape: FloatArray
    rate: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class KnownTokens:
    """Which tokens a term knows: all of the vocabulary (or all hashed columns), or those that are kept; K in all.

    `kept` are their numbers, rising.
    """

    tokenizing: Tokenizing
    vocabulary: Vocabulary
    kept: IntArray | None


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenLinear:
    """start + Σ_k x_k weight_k: weight of shape (K, C), start of length C; x_k is 1 where presence counts."""

    columns: Columns
    tokens: KnownTokens
    weight: FloatArray
    start: FloatArray
    presence: bool = False


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenPresence:
    """Present where the token occurs, else absent: both of shape (K, C)."""

    columns: Columns
    tokens: KnownTokens
    present: FloatArray
    absent: FloatArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenPolya:
    """The Dirichlet-multinomial of the whole document, its tokens in their order: alpha of shape (K, C)."""

    columns: Columns
    tokens: KnownTokens
    alpha: FloatArray
    presence: bool = False


TokenTerm: TypeAlias = TokenLinear | TokenPresence | TokenPolya
Compiled: TypeAlias = (
    Quadratic
    | Student
    | FullQuadratic
    | FullStudent
    | Levels
    | Combinations
    | Steps
    | Observed
    | Presence
    | Linear
    | Polya
    | Coefficient
    | PoissonCount
    | CompoundCount
)
Term: TypeAlias = Compiled | TokenTerm
