"""The tokens of a text column: their counts and estimates, and their contributions to the score of a document.

Symbols: N_ck and D_ck are the occurrences and the documents of token k in class c, N_k and D_k their sums over the
classes, D the weight of all documents; K tokens are kept.

    kept      D_k ≥ min_df and D_k ≤ max_df (a float up to 1 is a fraction of D), N_k ≥ min_count; of these the
              max_features with the greatest N_k, ties in the order of the vocabulary
    binary    a token counts once per document: D_ck instead of N_ck
    idf       each occurrence counts idf_k = 1 + ln((1 + D)/(1 + D_k)), in the statistics and in the scored documents
    α         the given pseudo-count, by default 1 (2 for map), or the one that maximises the marginal likelihood, of
              presence and absence for model="bernoulli", over all classes or per class; map then uses 1 + α
    Beta      model="bernoulli": the prior Beta(a, b) on presence, by default Beta(α, α); smoothed uses Beta(λ, λ)

Complement naive Bayes scores each class by the counts of all others (Rennie et al. 2003), with pseudo-counts λ_j:

    θ̄_cj = (N_j − N_cj + λ_j)/Σ_k (N_k − N_ck + λ_k), the fraction of column j outside class c
    w_cj = −ln θ̄_cj                                   norm: w_cj = ln θ̄_cj/Σ_k ln θ̄_ck

Terms, with x_k the count of token k in the document (1 if `presence`) and n = Σ x_k over the known tokens:

    TokenLinear        start + Σ_k x_k weight_k        point estimates
    TokenPresence      Presence of each known token    point estimates with a log of −inf
    TokenPolya         Polya over the known tokens     parameters integrated out
    TokenCoefficient   ln n! − Σ_k ln x_k!             the same for every class

Contributions to an explanation, with an entry for each known token of the document:

    TokenLinear      x_k weight_k
    TokenPolya       ln Γ(α_k + x_k) − ln Γ(α_k) − (x_k/n) [ln Γ(A + n) − ln Γ(A)], as for Polya in multinomial.py: the
                     mean contribution of its occurrences over all orders of the document
    presence         ln θ_k, and one entry "absent words" for Σ ln(1 − θ_k) over the known tokens that are not in the
                     document

A token that is unknown or not kept contributes 0 and has no entry; a missing document has no entries. Hashed tokens
have no names and are shown as column numbers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, final

import numpy as np

from suffice.conjugate import BetaBinomial
from suffice.conjugate.special import log_rising
from suffice.likelihoods.block_statistics import BlockStatistics, Tokenizing, transpose_table
from suffice.likelihoods.dirichlet import default_alpha, draw_log_simplex, fit_alpha
from suffice.likelihoods.terms.split import Contributions, Rows, Split, SplitEntry
from suffice.likelihoods.terms.term import Layout, LinearForm, Term, UncertainTerm, contiguous
from suffice.statistics import Tokens
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray
from suffice.statistics.axis import Columns
from suffice.statistics.tokens import Vocabulary

__all__ = [
    "EvidencePrior",
    "KnownTokens",
    "TextModel",
    "TokenCoefficient",
    "TokenCounts",
    "TokenEstimates",
    "TokenFilter",
    "TokenLinear",
    "TokenPolya",
    "TokenPresence",
    "TokenSplit",
    "TokenTerm",
    "UncertainTokens",
    "compute_complement_weights",
    "index_tokens",
    "prune_tokens",
]

TextModel: TypeAlias = Literal["multinomial", "bernoulli", "complement"]
EvidencePrior: TypeAlias = Literal["evidence", "evidence by class"]
_TABLE = 2**22


def index_tokens(tokens: Tokens) -> tuple[IntArray, IntArray]:
    """Return the observed tokens in ascending order, and for each pair of class and token its position among them.

    Memory is proportional to the pairs (up to 40 bytes each, and 40 MB), not to the number of hashed columns, which a
    small model file may claim to be 2³⁰.
    """
    pairs, width = tokens.tokens, tokens.width
    if width > max(_TABLE, 4 * len(pairs)):
        observed, place = np.unique(pairs, return_inverse=True)
        return observed.astype(np.int64), place.reshape(-1).astype(np.int64)
    is_observed = np.zeros(width, dtype=np.bool_)
    is_observed[pairs] = True
    return np.flatnonzero(is_observed), (np.cumsum(is_observed) - 1)[pairs]


@final
@dataclass(frozen=True, slots=True)
class TokenFilter:
    """The criteria for keeping tokens."""

    min_df: float = 1
    max_df: float | None = None
    max_features: int | None = None
    min_count: float = 0.0

    def mask(self, counts: FloatArray, documents: FloatArray, total: float) -> BoolArray:
        """Return which tokens are kept, given the occurrences and documents of each and the weight of all documents."""
        kept = documents > 0
        if self.min_df != 1:
            kept &= documents >= _resolve_number(self.min_df, total)
        if self.max_df is not None:
            kept &= documents <= _resolve_number(self.max_df, total)
        if self.min_count > 0:
            kept &= counts >= self.min_count
        if self.max_features is not None and kept.sum() > self.max_features:
            candidates = np.flatnonzero(kept)
            most = candidates[np.argsort(-counts[candidates], kind="stable")[: self.max_features]]
            kept = np.zeros_like(kept)
            kept[most] = True
        return kept


def _resolve_number(given: float, total: float) -> float:
    # As in scikit-learn: a float up to 1 is a fraction of the documents, an integer a number of documents.
    return given * total if isinstance(given, float) and given <= 1 else given


@final
@dataclass(frozen=True, eq=False)
class TokenCounts:
    """The counts of the kept tokens of one column, aligned to the classes of a model."""

    tokens: Tokens
    block: BlockStatistics
    selection: TokenFilter
    binary: bool = False
    idf: bool = False
    alpha: float | None = None
    prior: BetaBinomial | EvidencePrior | None = None
    bernoulli: bool = False

    @cached_property
    def _indexed(self) -> tuple[IntArray, IntArray]:
        return index_tokens(self.tokens)

    @cached_property
    def _mask(self) -> BoolArray:
        # Which of the observed tokens are kept.
        counts = self._sum_over_classes(self.tokens.counts)
        documents = self._sum_over_classes(self.tokens.documents)
        with np.errstate(over="ignore"):
            total = min(float(self.tokens.weights.sum()), np.finfo(np.float64).max)
        return self.selection.mask(counts, documents, total)

    def _sum_over_classes(self, values: FloatArray) -> FloatArray:
        observed, place = self._indexed
        return np.bincount(place, values, minlength=len(observed)).astype(np.float64)

    @cached_property
    def kept(self) -> IntArray:
        """The kept tokens, ascending."""
        return self._indexed[0][self._mask]

    @property
    def number(self) -> int:
        """The number of kept tokens."""
        return len(self.kept)

    @cached_property
    def counts(self) -> FloatArray:
        """N of shape (classes, kept), after `binary` and `idf`."""
        counts = self._align(self.tokens.documents if self.binary else self.tokens.counts)
        return counts * self.weights if self.idf else counts

    @cached_property
    def raw_counts(self) -> FloatArray:
        """N of shape (classes, kept) before `idf`: occurrences, or documents if `binary`."""
        return self._align(self.tokens.documents if self.binary else self.tokens.counts) if self.idf else self.counts

    @cached_property
    def documents(self) -> FloatArray:
        """D of shape (classes, kept)."""
        return self._align(self.tokens.documents)

    @cached_property
    def document_weight(self) -> FloatArray:
        """The weight of the documents of each class that are not missing."""
        weight = np.zeros(len(self.block.classes))
        weight[self._class_positions] = self.tokens.weights
        return weight

    @cached_property
    def presence(self) -> FloatArray:
        """The weight of the documents with and without each token, of shape (classes, kept, 2)."""
        present = np.minimum(self.documents, self.document_weight[:, None])
        return np.stack([present, self.document_weight[:, None] - present], axis=-1)

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of one occurrence of each kept token: idf, or 1."""
        if not self.idf:
            return np.ones(self.number)
        documents = self._sum_over_classes(self.tokens.documents)[self._mask]
        return 1.0 + np.log((1.0 + self.tokens.weights.sum()) / (1.0 + documents))

    @cached_property
    def evidence_alphas(self) -> FloatArray | None:
        """The α with the greatest evidence, of shape (classes, 1), or None if α is not chosen by evidence."""
        if self.block.smoothing is not None or not isinstance(self.prior, str) or not self.number:
            return None
        drawn = self.presence if self.bernoulli else self.counts  # outcomes along the last axis
        if self.prior == "evidence":
            return np.full((len(self.block.classes), 1), fit_alpha(drawn.reshape(-1, drawn.shape[-1])))
        return np.array([[fit_alpha(of_class.reshape(-1, drawn.shape[-1]))] for of_class in drawn])

    @cached_property
    def pseudo_counts(self) -> FloatArray:
        """α, of shape (classes, 1)."""
        given = self.block.smoothing
        c = len(self.block.classes)
        if given is not None:
            return np.broadcast_to(given, (c, 1))
        if self.evidence_alphas is not None:
            return self.evidence_alphas + (self.block.reading.estimate == "map")
        default = default_alpha(self.block.reading.estimate)
        return np.full((c, 1), default if self.alpha is None else self.alpha)

    @property
    def alphas(self) -> FloatArray:
        """α of every class and kept token."""
        return np.broadcast_to(self.pseudo_counts, (len(self.block.classes), self.number))

    @property
    def presence_alphas(self) -> FloatArray:
        """The prior counts of presence and absence, of the shape of `presence`."""
        prior: FloatArray = self.pseudo_counts[..., None]
        if isinstance(self.prior, BetaBinomial) and self.block.reading.estimate != "smoothed":
            prior = np.stack([self.prior.a, self.prior.b])
        return np.broadcast_to(prior, self.presence.shape)

    @property
    def _class_positions(self) -> IntArray:
        return self.block.classes.positions(self.tokens.classes.labels)

    def _align(self, values: FloatArray) -> FloatArray:
        aligned = np.zeros((len(self.block.classes), self.number))
        (_, place), mask = self._indexed, self._mask
        column = np.cumsum(mask) - 1
        for c, row in zip(self._class_positions.tolist(), self.tokens.rows(), strict=True):
            tokens = place[row]
            kept = mask[tokens]
            aligned[c, column[tokens[kept]]] = values[row][kept]
        return aligned


class TokenEstimates(NamedTuple):
    """The estimates of a text column: its token counts, ln θ (classes × kept) or complement weights, and the model."""

    column: str | int
    counts: TokenCounts
    logs: FloatArray
    model: TextModel


_SMALLEST = float(np.finfo(np.float64).tiny)


def compute_complement_weights(counts: FloatArray, alpha: FloatArray, *, norm: bool) -> FloatArray:
    """Return the complement weights w (classes × columns) from counts and pseudo-counts of that shape.

    Examples
    --------
    >>> compute_complement_weights(np.array([[3.0, 0.0], [0.0, 1.0]]), np.ones((2, 2)), norm=False).round(3)
    array([[1.099, 0.405],
           [0.223, 1.609]])
    """
    others = np.maximum(counts.sum(axis=0) - counts, 0.0) + alpha
    total = others.sum(axis=1, keepdims=True)
    fractions = np.where(total > 0, others / np.where(total > 0, total, 1.0), 1 / max(1, counts.shape[1]))
    logs = np.log(np.maximum(fractions, _SMALLEST))
    if not norm:
        return -logs + 0.0  # −0.0 becomes 0.0
    sums = logs.sum(axis=1, keepdims=True)
    return np.where(sums < 0, logs / np.where(sums < 0, sums, -1.0), 0.0)  # a single column has no evidence


_ABSENT = -1  # the entry of all absent tokens


@final
@dataclass(frozen=True, slots=True, eq=False)
class KnownTokens:
    """The known tokens of a term: the whole vocabulary (or all hashed columns), or the kept ones; K in all.

    `kept` are their positions, ascending.
    """

    tokenizing: Tokenizing
    vocabulary: Vocabulary
    kept: IntArray | None

    def names(self, number: int) -> list[str | int]:
        """Return the known tokens, given their number; hashed ones by their column number."""
        positions: list[int] = np.arange(number).tolist() if self.kept is None else self.kept.tolist()
        return positions if self.tokenizing.columns else [self.vocabulary.word(at) for at in positions]  # pyright: ignore[reportReturnType]


class TokenTerm(Term):
    """A term of one text column, compiled for columns 0 … K − 1, which are its known tokens."""

    __slots__ = ()

    tokens: KnownTokens
    presence: bool

    def documents(self) -> Self:
        """Return the term itself."""
        return self

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """K and C: the number of known tokens and of classes."""

    def linear(self) -> tuple[FloatArray, FloatArray] | None:
        """Return weight and start if the score is linear in the token counts, otherwise None."""
        return None

    @abstractmethod
    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return the contributions (m, C) of tokens with counts x in some of the rows."""

    def presence_logs(self, log_theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the logs of presence and absence of each token (K, C), given those of presence."""
        del log_theta
        raise TypeError(f"{type(self).__name__} is not a term of presence")

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield the number of known tokens, or of distinct ones if each counts once."""
        del unseen, observed
        ones = np.tile([1.0, 0.0], (self.shape[0], 1))
        yield TokenLinear(self.columns, self.tokens, ones, np.zeros(2), self.presence)


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenLinear(TokenTerm):
    """start + Σ_k x_k weight_k: weight of shape (K, C), start of length C; x_k is 1 if `presence`."""

    columns: Columns
    tokens: KnownTokens
    weight: FloatArray
    start: FloatArray
    presence: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """K and C."""
        tokens, classes = self.weight.shape
        return tokens, classes

    def compile(self, layout: Layout) -> None:
        """Add the weights; `start` is added elsewhere."""
        layout.tables.add_linear(layout.numbers(tuple(range(self.shape[0]))), contiguous(self.weight), False)

    def linear(self) -> tuple[FloatArray, FloatArray]:
        """Return weight and start."""
        return self.weight, self.start

    def linear_form(self) -> LinearForm:
        """Return the weight of each token."""
        names = self.tokens.names(len(self.weight))
        return LinearForm(tuple((self.columns[0], name) for name in names), self.weight, self.start)

    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return x_k weight_k."""
        del row, rows
        return x[:, None] * self.weight[tokens]

    def presence_logs(self, log_theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ln θ and ln(1 − θ): a weight is their difference."""
        return log_theta, log_theta - self.weight


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenPresence(TokenTerm):
    """`present` if the token occurs, otherwise `absent`; both of shape (K, C)."""

    columns: Columns
    tokens: KnownTokens
    present: FloatArray
    absent: FloatArray

    presence: ClassVar[bool] = True  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def shape(self) -> tuple[int, int]:
        """K and C."""
        tokens, classes = self.present.shape
        return tokens, classes

    def compile(self, layout: Layout) -> None:
        """Add presence of each token."""
        places = layout.numbers(tuple(range(self.shape[0])))
        layout.tables.add_presence(places, 0.0, contiguous(self.present), contiguous(self.absent))

    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return ln θ_k."""
        del row, x, rows
        return self.present[tokens]

    def presence_logs(self, log_theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both tables."""
        del log_theta
        return self.present, self.absent


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenPolya(TokenTerm):
    """The log Dirichlet-multinomial probability of the whole document as an ordered sequence: alpha of shape (K, C)."""

    columns: Columns
    tokens: KnownTokens
    alpha: FloatArray
    presence: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """K and C."""
        tokens, classes = self.alpha.shape
        return tokens, classes

    def compile(self, layout: Layout) -> None:
        """Add α of each token."""
        places, nothing = layout.numbers(tuple(range(self.shape[0]))), np.empty((0, 0))
        layout.tables.add_counts(places, contiguous(self.alpha), nothing, nothing, factorials=False, whole_row=True)

    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return the mean contribution of the occurrences of each token over all orders of the document."""
        n: FloatArray = np.zeros((rows, 1))
        np.add.at(n[:, 0], row, x)
        of_total = log_rising(np.broadcast_to(self.alpha.sum(axis=0), (rows, self.alpha.shape[1])), n)
        share = x / np.maximum(n[row, 0], np.finfo(np.float64).tiny)
        return log_rising(self.alpha[tokens], x[:, None]) - share[:, None] * of_total[row]


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenCoefficient(TokenTerm):
    """The log multinomial coefficient ln n! − Σ_k ln x_k! of the document, the same for every class."""

    columns: Columns
    tokens: KnownTokens
    number: int
    classes: int
    presence: bool = False

    cancels: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, int]:
        """K and C."""
        return self.number, self.classes

    def compile(self, layout: Layout) -> None:
        """Add the coefficient."""
        layout.tables.add_coefficient(layout.numbers(tuple(range(self.number))))

    def added(self, row: IntArray, tokens: IntArray, x: FloatArray, rows: int) -> FloatArray:
        """Return 0: the coefficient is the same for every class."""
        del row, x, rows
        return np.zeros((len(tokens), self.classes))

    def size_terms(self, unseen: float, observed: set[str | int]) -> Iterator[Term]:
        """Yield nothing: the tokens have a term of their own."""
        del unseen, observed
        yield from ()


@final
class TokenSplit(Split):
    """The split of a term of one text column over one table.

    Parameters
    ----------
    term : TokenTerm
    rows : Rows
    counts : TokenCounts
        The counts of the tokens of the column.
    presence : pair of arrays (K, C), optional
        ln θ and ln(1 − θ) of each token, if presence and absence are modelled.
    """

    by_cell: bool = False

    def __init__(
        self, term: TokenTerm, rows: Rows, counts: TokenCounts, presence: tuple[FloatArray, FloatArray] | None
    ) -> None:
        self._term = term
        starts, tokens, values, missing = rows.tokens(term)
        self._starts, self._tokens = starts.astype(np.int64), tokens.astype(np.int64)
        self._values: FloatArray = np.ones(len(values)) if term.presence else values
        self._known = np.ones(rows.number, dtype=np.bool_) if missing is None else ~missing
        self._counts = counts
        self._present, self._absent = (None, None) if presence is None else presence
        self._kept, self._totals = counts.kept, counts.raw_counts.sum(axis=1)

    @property
    def columns(self) -> Columns:
        """The text column."""
        return self._term.columns

    @property
    def size(self) -> float:
        """The mean number of tokens of a document, plus one."""
        return len(self._tokens) / max(1, len(self._known)) + 1

    def contributions(self, rows: IntArray) -> Contributions:
        """Return the contribution of each token of these rows, and of all absent tokens if absence is modelled."""
        counts = self._starts[rows + 1] - self._starts[rows]
        row = np.repeat(np.arange(len(rows), dtype=np.int64), counts)
        first = np.cumsum(counts) - counts
        at = np.arange(len(row), dtype=np.int64) - np.repeat(first, counts) + np.repeat(self._starts[rows], counts)
        known = self._values[at] > 0
        row, at = row[known], at[known]
        tokens, x = self._tokens[at], self._values[at]
        logs = self._present[tokens] if self._present is not None else self._term.added(row, tokens, x, len(rows))
        if self._absent is None:
            return Contributions(row, at, logs)
        documents = np.flatnonzero(self._known[rows])
        absent = _sum_absent(self._absent, row, tokens, len(rows))[documents]
        both = np.concatenate([row, documents])
        order = np.argsort(both, kind="stable")
        entries = np.concatenate([at, np.full(len(documents), _ABSENT, dtype=np.int64)])
        return Contributions(both[order], entries[order], np.concatenate([logs, absent])[order])

    def entry(self, row: int, entry: int) -> SplitEntry:
        """Return the token, or the entry of all absent tokens."""
        del row
        column = self._term.columns[0]
        if entry == _ABSENT:
            return SplitEntry("absent words", column, None, 0, _ABSENT)
        token = int(self._tokens[entry])
        name = self._counts.tokens.name_of(int(self._kept[token]))
        return SplitEntry("word", column, name, 0, token, float(self._values[entry]))

    def facts(self, place: int, outcome: int, classes: IntArray) -> dict[str, float]:
        """Return the count of the token in the classes, and the number of tokens or documents."""
        del place
        if outcome == _ABSENT:
            return {}
        if self._absent is not None:
            return {
                "times": float(self._counts.documents[classes, outcome].sum()),
                "of": float(self._counts.document_weight[classes].sum()),
            }
        return {
            "times": float(self._counts.raw_counts[classes, outcome].sum()),
            "of": float(self._totals[classes].sum()),
        }


def _sum_absent(absent: FloatArray, row: IntArray, tokens: IntArray, rows: int) -> FloatArray:
    # The sum over all tokens less those of the document; −inf is counted separately, since −inf − (−inf) is undefined.
    certain = np.isneginf(absent)
    finite = np.where(certain, 0.0, absent)
    left = np.tile(finite.sum(axis=0), (rows, 1))
    lacking = np.tile(certain.sum(axis=0), (rows, 1))
    np.subtract.at(left, row, finite[tokens])
    np.subtract.at(lacking, row, certain[tokens].astype(lacking.dtype))
    return np.where(lacking > 0, -np.inf, left)


@final
@dataclass(frozen=True, slots=True, eq=False)
class UncertainTokens(UncertainTerm):
    """Kept tokens of a document with the posterior Dir(α): α (C, K), and the weight of an occurrence (K)."""

    column: str | int
    tokens: KnownTokens
    alpha: FloatArray
    weights: FloatArray
    presence: bool

    def documents(self) -> Self:
        """Return the term itself."""
        return self

    @property
    def counting(self) -> TokenLinear:
        """The term that counts the tokens of a document."""
        return self._term(self.alpha)

    def token_draws(self, tokens: IntArray) -> Callable[[np.random.Generator], FloatArray]:
        """Return a function that draws the contribution of one occurrence of each of these tokens, tokens × C.

        All other tokens are merged into one outcome, which does not change the distribution of these.
        """
        others = np.ones(self.alpha.shape[1], dtype=np.bool_)
        others[tokens] = False
        alpha = self.alpha[:, tokens]
        if others.any():
            alpha = np.concatenate([alpha, self.alpha[:, others].sum(axis=1, keepdims=True)], axis=1)
        weights = self.weights[tokens]
        return lambda rng: transpose_table(draw_log_simplex(alpha, rng)[:, : len(tokens)] * weights)

    def draw(self, rng: np.random.Generator) -> TokenLinear:
        """Return the term with log probabilities drawn from the posterior."""
        return self._term(draw_log_simplex(self.alpha, rng) * self.weights)

    def _term(self, logs: FloatArray) -> TokenLinear:
        return TokenLinear((self.column,), self.tokens, transpose_table(logs), np.zeros(len(logs)), self.presence)


def prune_tokens(part: Any, least: float) -> Tokens:
    """Return the tokens whose count over all classes is at least `least`."""
    assert isinstance(part, Tokens)
    observed, place = index_tokens(part)
    keep = (np.bincount(place, part.counts, minlength=len(observed)) >= least)[place]
    return part if keep.all() else part.take_pairs(keep)
