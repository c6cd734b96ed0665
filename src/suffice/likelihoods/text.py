"""Text columns: documents as bags of tokens, which are words (Words) or character n-grams (Chars).

Symbols: x_k is the number of occurrences of token k in a document, among the K kept tokens; N_ck, D_ck and α as in
tokens.py; w_c is the weight of the documents of class c.

    multinomial   Σ_k x_k ln θ_ck, the log probability of the ordered tokens; θ is estimated from N_ck by mle, smoothed,
                  map or mean
      predictive  θ integrated out over the whole document (Pólya): ln Γ(A_c) − ln Γ(A_c + n) + Σ_k [ln Γ(a_ck + x_k) −
                  ln Γ(a_ck)], a = α + N, A_c = Σ_k a_ck. If occurrences have other weights than 1 (tf, unit_length,
                  idf), a document is not a sequence of draws, and the mean is plugged in
      coefficient coefficients=True adds ln n! − Σ_k ln x_k!, n = Σ_k x_k: the log probability of the vector of counts.
                  The evidence remains that of the ordered tokens, because n and x_k of each document depend on which
                  tokens are kept, and that can change after the pass over the documents
    bernoulli     Σ_k ln θ_ck if token k occurs, ln(1 − θ_ck) if not; θ is estimated from D_ck out of w_c with the prior
                  Beta(a, b), a for presence and b for absence; default Beta(α, α)
    complement    Σ_k x_k w_ck, with weights from the counts of all other classes (tokens.py). This is not a likelihood:
                  there is no log p(x) and no evidence

A token that is unseen or not kept contributes 0, and so does a missing document.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, cast, final, get_args

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real, option
from suffice.conjugate import BetaBinomial, DirichletMultinomial
from suffice.conjugate.special import simplex_draws
from suffice.errors import ParameterError
from suffice.likelihoods.block_statistics import (
    BlockStatistics,
    Collect,
    Reading,
    TermFrequency,
    Tokenizing,
    broadcast_parameter,
    transpose_table,
)
from suffice.likelihoods.dirichlet import (
    UncertainOutcomes,
    compute_intervals,
    estimate_log_probabilities,
    estimate_probabilities,
    named_posterior,
    sum_log_evidence,
)
from suffice.likelihoods.draws import Draw, draw_probabilities
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter
from suffice.likelihoods.listing import Count, list_tokens
from suffice.likelihoods.terms.split import Rows, Split
from suffice.likelihoods.terms.term import Term, UncertainTerm, require_posterior
from suffice.likelihoods.tokens import (
    EvidencePrior,
    KnownTokens,
    TextModel,
    TokenCoefficient,
    TokenCounts,
    TokenEstimates,
    TokenFilter,
    TokenLinear,
    TokenPolya,
    TokenPresence,
    TokenSplit,
    UncertainTokens,
    compute_complement_weights,
)
from suffice.statistics import Tokens
from suffice.statistics.arrays import FloatArray
from suffice.statistics.axis import Columns

__all__ = [
    "Chars",
    "TextLikelihood",
    "Words",
]

_MOST_WEIGHTS = 2**29


@dataclass(frozen=True, slots=True, repr=False)
class TextLikelihood(Likelihood):
    """Text columns, each with its own vocabulary: the parameters common to Words and Chars (base class)."""

    column_by_column: ClassVar[bool] = True
    has_length: ClassVar[bool] = True

    ngrams: tuple[int, int] = (1, 1)
    _: KW_ONLY
    model: TextModel = "multinomial"
    alpha: float | None = None
    prior: BetaBinomial | EvidencePrior | None = None
    coefficients: bool = False
    binary: bool = False
    tf: TermFrequency = "count"
    unit_length: bool = False
    idf: bool = False
    min_df: float = 1
    max_df: float | None = None
    max_features: int | None = None
    min_count: float = 0.0
    lowercase: bool = True
    accents: str = "keep"
    characters: str | tuple[str, ...] | None = None
    hashed: int | None = None

    def __post_init__(self) -> None:
        _check_choices(self.model, self.tf, self.accents)
        _check_flags(
            coefficients=self.coefficients,
            binary=self.binary,
            unit_length=self.unit_length,
            idf=self.idf,
            lowercase=self.lowercase,
        )
        self._set(
            ngrams=_check_ngrams(self.ngrams),
            alpha=_check_alpha(self.alpha),
            max_df=_normalise_max_df(self.max_df),
            characters=_check_characters(self.characters),
            hashed=_check_hashed(self.hashed),
        )
        _check_prior(self.prior, self.alpha, self.model)
        _check_selection(self.min_df, self.max_df, self.max_features, self.min_count)
        if self.coefficients and not (self.model == "multinomial" and self._is_sequence_of_draws):
            raise ParameterError(
                "coefficients=True needs counts of tokens: model='multinomial', tf='count', unit_length=False and "
                f"idf=False. Got {self!r}."
            )

    @property
    @abstractmethod
    def tokenizing(self) -> Tokenizing:
        """The settings that split documents into tokens."""

    def count_tokens(self, tokens: Tokens, block: BlockStatistics) -> TokenCounts:
        """Return the token counts of one column after filtering and weighting."""
        selection = TokenFilter(self.min_df, self.max_df, self.max_features, self.min_count)
        bernoulli = self.model == "bernoulli"
        return TokenCounts(tokens, block, selection, self.binary, self.idf, self.alpha, self.prior, bernoulli)

    @property
    def is_likelihood(self) -> bool:
        """Whether the scores define a distribution over documents."""
        return self.model != "complement"

    def collect(self, columns: Columns) -> Collect:
        """Return the statistics to collect: the tokens of each column."""
        return Collect("tokens", columns, tokenizing=self.tokenizing)

    def terms(self, block: BlockStatistics) -> tuple[Term, ...]:
        """Return the terms of each column with a kept token: its tokens and, if requested, the coefficient."""
        for name, column in zip(block.columns, self._token_counts(block), strict=True):
            _require_weights_fit(name, column)
        return tuple(
            term
            for name, column in zip(block.columns, self._token_counts(block), strict=True)
            if column.number
            for term in (self._term(name, column), *self._coefficient(name, column))
        )

    def uncertain(self, block: BlockStatistics) -> tuple[UncertainTerm, ...]:
        """Return the posterior Dir(α + N) over the tokens of each class, or the Beta posterior of each token."""
        if not self.is_likelihood:
            raise ParameterError(
                f"the weights of {self!r} are not probabilities and have no posterior, so intervals are not available",
                column=block.columns[0],
                advice="Use model='multinomial' or 'bernoulli'.",
            )
        terms: list[UncertainTerm] = []
        for name, column in zip(block.columns, self._token_counts(block), strict=True):
            if not column.number:
                continue
            _require_weights_fit(name, column)
            if self.model == "bernoulli":
                present, alpha = self._presence(column)
                require_posterior(alpha, (name,))
                terms.append(UncertainOutcomes((present + alpha,), partial(self._presence_term, name, column)))
            else:
                require_posterior(column.pseudo_counts, (name,))
                after = column.counts + column.alphas
                terms.append(UncertainTokens(name, self._known(column), after, column.weights, column.binary))
        return tuple(terms)

    def log_evidence(self, block: BlockStatistics) -> float:
        """Return the log marginal likelihood of all documents as sequences of tokens, without the coefficients."""
        if not self.is_likelihood or (self.model == "multinomial" and not self._is_sequence_of_draws):
            raise ParameterError(
                f"{self!r} has no marginal likelihood: its scores do not define a distribution. "
                'Use model="multinomial" or "bernoulli", tf="count", unit_length=False and idf=False.'
            )
        total = 0.0
        for column in self._token_counts(block):
            if not column.number:
                continue
            if self.model == "bernoulli":
                total += sum_log_evidence(*self._presence(column))
            else:
                total += sum_log_evidence(column.counts, column.alphas)
        return total

    def parameters(self, block: BlockStatistics, credible: float) -> Iterator[Parameter]:
        """Yield θ_ck of every class and kept token, or the complement weight w_ck."""
        estimate = block.reading.estimate
        for name, column in zip(block.columns, self._token_counts(block), strict=True):
            labels = [column.tokens.name_of(at) for at in column.kept.tolist()]
            if self.model == "complement":
                values = compute_complement_weights(column.counts, column.alphas, norm=False)
                lower = upper = np.full(values.shape, np.nan)
            elif self.model == "bernoulli":
                both = self._presence(column)
                values = estimate_probabilities(*both, estimate)[..., 0]
                lower, upper = (bound[..., 0] for bound in compute_intervals(*both, credible))
            else:
                values = estimate_probabilities(column.counts, column.alphas, estimate)
                lower, upper = compute_intervals(column.counts, column.alphas, credible)
            what = "weight" if self.model == "complement" else "probability"
            bernoulli = self.model == "bernoulli"
            counts = column.presence[..., 0] if bernoulli else column.counts
            total = column.document_weight if bernoulli else column.counts.sum(axis=1)
            for c, label in enumerate(block.classes):
                for k, token in enumerate(labels):
                    three = float(values[c, k]), float(lower[c, k]), float(upper[c, k])
                    yield Parameter(label, name, token, what, estimate, *three, float(counts[c, k]), float(total[c]))

    def counts(self, block: BlockStatistics) -> Iterator[Count]:
        """Yield the occurrences and documents of every kept token, class by class within each column."""
        for name, column in zip(block.columns, self._token_counts(block), strict=True):
            yield from list_tokens(name, column)

    def posterior(self, block: BlockStatistics, column: str | int, c: int) -> BetaBinomial | DirichletMultinomial:
        """Return Dir(α + N) over the kept tokens; for model="bernoulli" Beta(a + D, b + n − D) of each, as arrays."""
        if not self.is_likelihood:
            raise ParameterError(
                f"the weights of {self!r} are not probabilities and have no posterior",
                column=column,
                advice="Use model='multinomial' or 'bernoulli'.",
            )
        tokens = [*self._token_counts(block)][block.columns.index(column)]
        names = [tokens.tokens.name_of(at) for at in tokens.kept.tolist()]
        if self.model == "bernoulli":
            counts, alpha = (each[c] for each in self._presence(tokens))
            require_posterior(alpha, (column,))
            return BetaBinomial(*(counts + alpha).T)
        require_posterior(tokens.alphas[c], (column,))
        return named_posterior(tokens.counts[c] + tokens.alphas[c], names, column)

    def n_parameters(self, block: BlockStatistics) -> int:
        """Return one for each class and kept token, less one for each class if the tokens are draws."""
        kept = [column.number for column in self._token_counts(block)]
        draws = 0 if self.model == "bernoulli" else sum(number > 0 for number in kept)
        return len(block.classes) * (sum(kept) - draws)

    def outcome_counts(self, block: BlockStatistics) -> Iterator[OutcomeCounts]:
        """Yield token counts, or presence and absence counts, of each column with kept tokens."""
        if not self.is_likelihood or (self.model == "multinomial" and not self._is_sequence_of_draws):
            return  # there is no evidence
        for name, column in zip(block.columns, self._token_counts(block), strict=True):
            if column.number:
                drawn = column.presence.reshape(-1, 2) if self.model == "bernoulli" else column.counts
                yield OutcomeCounts((name,), drawn, float(drawn.shape[1]))

    def choices(self, block: BlockStatistics) -> dict[str | int, str]:
        """Return the number of kept tokens, and the pseudo-count if it was chosen by evidence."""
        choices: dict[str | int, str] = {}
        for name, column in zip(block.columns, self._token_counts(block), strict=True):
            width = column.tokens.width
            of = "" if column.number == width else f" of {width:,}"
            choices[name] = (
                f"{column.number:,}{of} {'column' if column.tokens.columns else 'token'}{'' if width == 1 else 's'}"
            )
            if isinstance(column.prior, str):
                chosen = column.pseudo_counts if column.evidence_alphas is None else column.evidence_alphas
                shown = sorted({f"{value:.3g}" for value in chosen[:, 0].tolist()}, key=float)
                if shown:  # there is a class
                    choices[name] += f", alpha {shown[0]}" + (f"–{shown[-1]}" if len(shown) > 1 else "")
        return choices

    def token_estimates(self, block: BlockStatistics) -> Iterator[TokenEstimates]:
        """Yield each text column with ln θ, shape (classes, kept), or the complement weights."""
        estimate = block.reading.estimate
        for name, column in zip(block.columns, self._token_counts(block), strict=True):
            if not column.number:
                continue
            if self.model == "complement":
                yield TokenEstimates(
                    name, column, compute_complement_weights(column.counts, column.alphas, norm=False), self.model
                )
            elif self.model == "bernoulli":
                logs = estimate_log_probabilities(*self._presence(column), estimate)[..., 0]
                yield TokenEstimates(name, column, logs, self.model)
            else:
                logs = estimate_log_probabilities(column.counts, column.alphas, estimate)
                yield TokenEstimates(name, column, logs, self.model)

    def split(self, term: Term, rows: Rows, block: BlockStatistics) -> Split | None:
        """Return one explanation entry per token of a document, with its counts; None for the coefficient."""
        if term.cancels:
            return None
        documents = term.documents()
        assert documents is not None, "the terms of a text column are terms of documents"
        for name, column, logs, model in self.token_estimates(block):
            if name == documents.columns[0]:
                presence = documents.presence_logs(logs.T) if model == "bernoulli" else None
                return TokenSplit(documents, rows, column, presence)
        raise AssertionError("a term of documents belongs to a column with kept tokens")

    def sample(self, block: BlockStatistics, draw: Draw) -> list[npt.NDArray[Any]]:
        """Draw documents as space-separated words: one by one, or each present or absent for model="bernoulli"."""
        if self.tokenizing.unit != "words" or self.tokenizing.ngrams != (1, 1) or self.tokenizing.hashed is not None:
            raise ParameterError(
                f"{self!r} cannot sample documents: its tokens are not single words. Use Words() to sample text."
            )
        if not self.is_likelihood:
            raise ParameterError(f"{self!r} has no distribution to draw from. Use model='multinomial'.")
        return [
            self._drawn(name, column, draw)
            for name, column in zip(block.columns, self._token_counts(block), strict=True)
        ]

    def _token_counts(self, block: BlockStatistics) -> Iterator[TokenCounts]:
        given = block.reading.alpha
        for j, part in enumerate(block.parts):
            assert isinstance(part, Tokens)
            if given is None:
                yield self.count_tokens(part, block)
            else:
                of_column = broadcast_parameter("alpha", given, *block.shape)[:, j : j + 1]
                yield self.count_tokens(part, replace(block, reading=Reading(block.reading.estimate, of_column)))

    @property
    def _is_sequence_of_draws(self) -> bool:
        # Whether each occurrence counts 1, so that parameters can be integrated out over the whole document.
        return self.tokenizing.whole and not self.idf

    def _term(self, name: str | int, column: TokenCounts) -> Term:
        estimate = column.block.reading.estimate
        known = self._known(column)
        nothing = np.zeros(len(column.block.classes))
        if self.model == "complement":
            weights = compute_complement_weights(column.counts, column.alphas, norm=False)
            return TokenLinear((name,), known, transpose_table(weights * column.weights), nothing, column.binary)
        if self.model == "bernoulli":
            logs = estimate_log_probabilities(*self._presence(column), estimate)
            return self._presence_term(name, column, [logs])
        if estimate == "predictive" and self._is_sequence_of_draws:
            return TokenPolya((name,), known, transpose_table(column.counts + column.alphas), column.binary)
        logs = estimate_log_probabilities(
            column.counts, column.alphas, "mean" if estimate == "predictive" else estimate
        )
        return TokenLinear((name,), known, transpose_table(logs * column.weights), nothing, column.binary)

    def _coefficient(self, name: str | int, column: TokenCounts) -> Iterator[Term]:
        if self.coefficients:
            classes = len(column.block.classes)
            yield TokenCoefficient((name,), self._known(column), column.number, classes, column.binary)

    def _known(self, column: TokenCounts) -> KnownTokens:
        return KnownTokens(
            self.tokenizing, column.tokens.vocabulary, None if column.number == column.tokens.width else column.kept
        )

    def _presence_term(self, name: str | int, column: TokenCounts, logs: Sequence[FloatArray]) -> Term:
        present, absent = logs[0][..., 0], logs[0][..., 1]
        if np.isfinite(logs[0]).all():
            whole = transpose_table(present - absent), absent.sum(axis=1)
            return TokenLinear((name,), self._known(column), *whole, presence=True)
        return TokenPresence((name,), self._known(column), transpose_table(present), transpose_table(absent))

    @staticmethod
    def _presence(column: TokenCounts) -> tuple[FloatArray, FloatArray]:
        return column.presence, column.presence_alphas

    def _drawn(self, name: str | int, column: TokenCounts, draw: Draw) -> npt.NDArray[Any]:
        documents: npt.NDArray[Any] = np.full(draw.rows, "", dtype=object)
        if not column.number:
            return documents
        words = np.array([column.tokens.name_of(at) for at in column.kept.tolist()], dtype=object)
        estimate = column.block.reading.estimate
        if self.model == "bernoulli":
            both = self._presence(column)
            theta = draw_probabilities(*both, estimate_probabilities(*both, estimate), draw, (name,))[..., 0]
            for c, rows in draw.groups:
                for row in rows.tolist():
                    documents[row] = " ".join(words[draw.rng.random(column.number) < theta[c]])
            return documents
        each_row = estimate == "predictive" and not draw.posterior
        plugged = estimate_probabilities(column.counts, column.alphas, estimate)
        theta = draw_probabilities(column.counts, column.alphas, plugged, draw, (name,))
        totals = column.counts.sum(axis=1)
        mean = totals.sum() / max(column.document_weight.sum(), np.finfo(np.float64).tiny)
        lengths = np.full(len(column.document_weight), float(mean))
        np.divide(totals, column.document_weight, out=lengths, where=column.document_weight > 0)
        wanted = np.maximum(1, np.rint(lengths)).astype(np.int64)[draw.classes] if draw.length is None else draw.length
        for c, rows in draw.groups:
            for row in rows.tolist():
                of_row = simplex_draws((column.counts + column.alphas)[c], 1, draw.rng)[0] if each_row else theta[c]
                documents[row] = " ".join(draw.rng.choice(words, size=int(wanted[row]), p=of_row / of_row.sum()))
        return documents


def _require_weights_fit(name: str | int, column: TokenCounts) -> None:
    # Counts are stored sparsely, but every class has a weight for every token.
    classes = len(column.block.classes)
    if classes * column.number > _MOST_WEIGHTS:
        raise ParameterError(
            f"column {name!r} has {column.number:,} tokens in {classes:,} classes; their weights would need "
            f"{classes * column.number * 8 / 2**30:,.0f} GiB. Reduce the vocabulary with min_df=, min_count= or "
            "max_features=, which require no refit."
        )


@final
@dataclass(frozen=True, slots=True, repr=False)
class Words(TextLikelihood):
    r"""Text likelihood on word n-grams.

    Parameters
    ----------
    ngrams : int, or (minimum, maximum)
        Number of words in a token; (1, 2) uses single words and pairs of adjacent words.
    model : "multinomial", "bernoulli" or "complement"
        "multinomial" models token counts; "bernoulli" models presence and absence; "complement" scores by the counts of
        the other classes and is not a likelihood.
    alpha : float > 0, optional
        Pseudo-count of each token. Default: 1, or 2 for estimate="map".
    prior : "evidence", "evidence by class" or BetaBinomial, optional
        "evidence" chooses the pseudo-count in [0.001, 1] that maximises the marginal likelihood, for all classes or per
        class; estimate="map" adds 1. BetaBinomial(a, b), for model="bernoulli", is the prior Beta(a, b) of each token:
        a for presence, b for absence, both scalars.
    coefficients : bool
        Whether log p(x | c) and log p(x) include the multinomial coefficient n!/Π x_k! of the document, as for
        Multinomial on the matrix of counts. False: the log probability of the ordered tokens. Class posteriors are the
        same, and `log_evidence` is that of the ordered tokens in both cases.
    binary : bool
        If True, count each token at most once per document.
    tf : "count" or "log"
        Term frequency of x occurrences in a document: x, or 1 + ln x.
    unit_length : bool
        Scale the counts of each document to unit Euclidean length.
    idf : bool
        Weight counts by the inverse document frequency 1 + ln((1 + D)/(1 + D_k)), for D documents of which D_k contain
        the token.
    min_df, max_df : int (number of documents) or float below 1 (fraction of documents)
    max_features : int, optional
    min_count : float
        Criteria for keeping tokens. These, `model`, `prior`, `alpha`, `coefficients`, `binary` and `idf` can be changed
        later with `Model.with_options`, without a second pass over the data.
    lowercase : bool
    accents : "keep" or "strip"
    characters : str, optional
        Characters that form words, instead of Python's ``\w``.
    hashed : int, optional
        Hash tokens into 2^hashed columns, which bounds memory; the words are not stored.
    stop_words : list of words, after lowercasing and accent stripping
    min_length, max_length : int
        Minimum and maximum word length in characters.

    Examples
    --------
    >>> Words(ngrams=(1, 2), alpha=0.1)
    Words(ngrams=(1, 2), alpha=0.1)
    """

    _: KW_ONLY
    stop_words: tuple[str, ...] = ()
    min_length: int = 2
    max_length: int | None = None

    def __post_init__(self) -> None:
        TextLikelihood.__post_init__(self)
        if isinstance(self.characters, tuple):
            raise ParameterError(
                f"characters of Words must be a string of the characters that form words: got {self.characters!r}. "
                "Groups of characters that are counted as one symbol are available in Chars."
            )
        self._set(
            stop_words=_check_stop_words(self.stop_words),
            min_length=_check_integer("min_length", self.min_length, 1),
            max_length=_check_integer("max_length", self.max_length, self.min_length, none=True),
        )

    @property
    def tokenizing(self) -> Tokenizing:
        """The settings that split documents into words."""
        return Tokenizing(
            "words",
            self.ngrams,
            self.lowercase,
            self.accents == "strip",
            tuple(self.characters or ()),
            self.stop_words,
            self.min_length,
            self.max_length,
            self.tf,
            self.unit_length,
            self.hashed,
        )


@final
@dataclass(frozen=True, slots=True, repr=False)
class Chars(TextLikelihood):
    """Text likelihood on character n-grams.

    Parameters
    ----------
    ngrams : int, or (minimum, maximum)
        Number of characters in a token.
    model, alpha, prior, coefficients, binary, tf, unit_length, idf, min_df, max_df, max_features, min_count, lowercase,
    accents, hashed
        As in Words.
    characters : str or list of str, optional
        Characters to include; all others act as separators. In a list, the characters of each string are counted as one
        symbol, which is named by the string: ["{}", ";"] counts opening and closing braces together.
    across : bool
        If True, n-grams may cross word boundaries; otherwise they are taken within each word, padded with a space on
        either side.

    Examples
    --------
    >>> Chars(ngrams=(2, 4))
    Chars(ngrams=(2, 4))
    >>> Chars(ngrams=1, across=True, characters=["{}", "()", ";"])
    Chars(ngrams=(1, 1), characters=('()', ';', '{}'), across=True)
    """

    ngrams: tuple[int, int] = (1, 3)
    _: KW_ONLY
    across: bool = False

    def __post_init__(self) -> None:
        TextLikelihood.__post_init__(self)
        _check_flags(across=self.across)

    @property
    def tokenizing(self) -> Tokenizing:
        """The settings that split documents into character n-grams."""
        return Tokenizing(
            "chars" if self.across else "chars in words",
            self.ngrams,
            self.lowercase,
            self.accents == "strip",
            tuple(self.characters or ()),
            tf=self.tf,
            unit_length=self.unit_length,
            hashed=self.hashed,
        )


_MOST_GRAMS, _FEWEST_BITS, _MOST_BITS = 64, 4, 30


def _check_ngrams(given: Any) -> tuple[int, int]:
    """Return the smallest and the largest length of n-grams, given as one number or two."""
    pair = (given, given) if _is_whole(given) else given
    if isinstance(pair, (tuple, list)):
        both: list[Any] = [*cast("Any", pair)]
        if len(both) == 2 and all(map(_is_whole, both)) and 1 <= both[0] <= both[1] <= _MOST_GRAMS:
            return int(both[0]), int(both[1])
    raise ParameterError(
        f"ngrams must be an integer from 1 to {_MOST_GRAMS}, or a pair (minimum, maximum): got {given!r}. "
        "Give (1, 2) for words and pairs of words."
    )


def _check_integer(name: str, given: Any, least: int, *, none: bool = False) -> int | None:
    """Return an integer that is at least `least`, or None if that is allowed."""
    if given is None and none:
        return None
    number: Any = given
    if not _is_whole(given) or number < least:
        raise ParameterError(f"{name} must be an integer ≥ {least}{' or None' if none else ''}: got {given!r}.")
    return int(number)


def _check_choices(model: Any, tf: Any, accents: Any) -> None:
    """Raise ParameterError unless each is one of its allowed values."""
    option("model", model, get_args(TextModel))
    option("tf", tf, get_args(TermFrequency))
    option("accents", accents, ("keep", "strip"))


def _check_flags(**flags: Any) -> None:
    """Raise ParameterError unless each is True or False."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise ParameterError(f"{name} must be True or False: got {value!r}.")


def _check_characters(given: Any) -> str | tuple[str, ...] | None:
    """Return single characters as a sorted string without repetitions, and groups as a sorted tuple of strings."""
    if given is None:
        return None
    groups: list[Any] = [*cast("Any", given)] if isinstance(given, (str, tuple, list)) else []
    if not groups or not all(isinstance(group, str) and group for group in groups):
        raise ParameterError(
            f"characters must be a string, or a list of strings each counted as one symbol: got {given!r}. "
            "Give for example '{}[]();'."
        )
    characters = "".join(groups)
    _require_spelling("characters", characters)
    if len(characters) == len(groups):
        return "".join(sorted(set(characters)))
    twice = next((c for at, c in enumerate(characters) if c in characters[:at]), None)
    if twice is not None:
        raise ParameterError(f"characters must contain each character once: got {given!r}, with {twice!r} twice.")
    return tuple(sorted(groups))


def _check_stop_words(given: Any) -> tuple[str, ...]:
    """Return the stop words, sorted and without repetitions."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError(f"stop_words must be a list of words: got {given!r}. Give for example ['the', 'of'].")
    words = list(cast("Iterable[Any]", given))
    for word in words:
        if not isinstance(word, str) or not word:
            raise ParameterError(f"stop_words must be non-empty strings: got {word!r}.")
        _require_spelling("stop_words", word)
    return tuple(sorted(set(words)))


def _check_hashed(given: Any) -> int | None:
    """Return b for 2^b hashed columns."""
    if given is None:
        return None
    if not _is_whole(given) or not _FEWEST_BITS <= given <= _MOST_BITS:
        raise ParameterError(
            f"hashed must be an integer from {_FEWEST_BITS} to {_MOST_BITS}, for 2^hashed columns: got {given!r}. "
            "Give 20 for about a million columns."
        )
    return int(given)


def _check_alpha(given: Any) -> float | None:
    """Return the pseudo-count of every token."""
    if given is None:
        return None
    number = given.item() if hasattr(given, "item") and np.ndim(given) == 0 else given
    if not is_real(number) or not 0 < number < math.inf:
        raise ParameterError(f"alpha must be a finite scalar > 0: got {given!r}.")
    return float(number)


def _normalise_max_df(given: Any) -> Any:
    """Return the maximum number or fraction of documents; None for 1.0, which sets no bound and would equal 1."""
    return None if isinstance(given, float) and given == 1.0 else given


def _check_prior(prior: Any, alpha: Any, model: TextModel) -> None:
    """Raise ParameterError unless the prior is valid for the model; at most one of prior and alpha may be given."""
    if prior is None:
        return
    if not isinstance(prior, BetaBinomial) and prior not in get_args(EvidencePrior):
        raise ParameterError(
            f"prior must be None, 'evidence', 'evidence by class' or a BetaBinomial: got {prior!r}. "
            "Give alpha= for a pseudo-count."
        )
    if alpha is not None:
        raise ParameterError("prior and alpha are mutually exclusive: got both. Omit one of them.")
    if isinstance(prior, BetaBinomial) and model != "bernoulli":
        raise ParameterError(
            f"a BetaBinomial is a prior of presence and absence, for model='bernoulli': got model={model!r}. "
            "Give alpha= for a pseudo-count."
        )
    if isinstance(prior, BetaBinomial) and prior.a.ndim:
        raise ParameterError(
            f"a and b of a text column must be scalars, the same for every token: got shape {prior.a.shape}."
        )


def _check_selection(min_df: Any, max_df: Any, max_features: Any, min_count: Any) -> None:
    """Raise ParameterError unless the criteria for keeping tokens are valid."""
    limits: list[tuple[str, Any]] = [("min_df", min_df), ("min_count", min_count)]
    if max_df is not None:
        limits.insert(1, ("max_df", max_df))
    for name, given in limits:
        if not is_real(given) or not 0 <= given < math.inf:
            none = " or None" if name == "max_df" else ""
            raise ParameterError(f"{name} must be a finite number ≥ 0{none}: got {given!r}.")
    if isinstance(min_df, float) and min_df == 1.0:
        raise ParameterError(
            "min_df=1.0 is ambiguous. Give the integer 1 for one document, or a fraction below 1 of the documents."
        )
    _check_integer("max_features", max_features, 1, none=True)


def _require_spelling(name: str, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ParameterError(f"{name} must not contain an unpaired surrogate: got {text!r}. Remove it.") from None


def _is_whole(value: Any) -> bool:
    return is_real(value) and not isinstance(value, float) and int(value) == value
