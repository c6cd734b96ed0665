"""Documents: what every likelihood of text has in common, however it cuts them into tokens.

Symbols: x_k occurrences of token k in a document, of those that are kept; N_ck, D_ck, α as in token_reading.py, w_c
the weight of the documents of class c, K tokens.

    multinomial   Σ_k x_k ln θ_ck, θ read from N_ck by mle, smoothed, map or mean: that of the tokens in their order
      predictive  θ integrated out over the whole document (Pólya): ln Γ(A_c) − ln Γ(A_c + n) + Σ_k [ln Γ(a_ck + x_k) −
                  ln Γ(a_ck)], a = α + N, A its sum. Where occurrences count other than 1 (tf, unit length, idf) a
                  document is no draw, and the mean is plugged in
    bernoulli     Σ_k ln θ_ck where token k occurs, ln(1 − θ_ck) where it does not; θ from D_ck of w_c, prior Beta(α, α)
    complement    Σ_k x_k w_ck, from the counts of all other classes (complement_weights.py): no likelihood, so there is
                  no log p(x) and no evidence

A token that was never seen, or is not kept, adds nothing. A missing document adds nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from suffice.conjugate.gamma_draws import simplex_draws
from suffice.errors import ParameterError
from suffice.likelihoods import probabilities as outcomes
from suffice.likelihoods import text_arguments as check
from suffice.likelihoods.aligned import per_cell, table
from suffice.likelihoods.collect import Collect, TermFrequency, Tokenizing
from suffice.likelihoods.complement_weights import complement_weights
from suffice.likelihoods.draws import Draw, theta_drawn
from suffice.likelihoods.likelihood import Likelihood, OutcomeCounts, Parameter, Seen
from suffice.likelihoods.reading import Reading
from suffice.likelihoods.terms import KnownTokens, Term, TokenLinear, TokenPolya, TokenPresence
from suffice.likelihoods.terms.split import Rows, Split
from suffice.likelihoods.terms.tokens import TokenSplit
from suffice.likelihoods.token_reading import Cut, EvidencePrior, ReadTokens, Spoken, TextModel
from suffice.likelihoods.uncertain import DirichletTerm, TokensTerm, UncertainTerm, require_posterior
from suffice.statistics import Tokens
from suffice.statistics.columns import Columns
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["TextLikelihood"]


_MOST_WEIGHTS = 2**29


class TextLikelihood(Likelihood):
    """Columns of documents, each with tokens of its own."""

    __slots__ = ()

    column_by_column: ClassVar[bool] = True
    has_length: ClassVar[bool] = True

    # What Words and Chars have in common; Words says what each is.
    ngrams: tuple[int, int]
    model: TextModel
    alpha: float | None
    prior: EvidencePrior | None
    binary: bool
    tf: TermFrequency
    unit_length: bool
    idf: bool
    min_df: float
    max_df: float | None
    max_features: int | None
    min_count: float
    lowercase: bool
    accents: str
    characters: str | None
    hashed: int | None

    @property
    @abstractmethod
    def tokenizing(self) -> Tokenizing:
        """How documents are cut into tokens."""

    def read(self, tokens: Tokens, seen: Seen) -> ReadTokens:
        """Return the counts of one column as they are read."""
        cut = Cut(self.min_df, self.max_df, self.max_features, self.min_count)
        bernoulli = self.model == "bernoulli"
        return ReadTokens(tokens, seen, cut, self.binary, self.idf, self.alpha, self.prior, bernoulli)

    def settle(self) -> None:
        """Check the parameters that all texts have, and put each into its one form."""
        put = object.__setattr__
        put(self, "ngrams", check.ngrams_of(self.ngrams))
        check.require_choices(self.model, self.tf, self.accents)
        put(self, "alpha", check.alpha_of(self.alpha))
        put(self, "max_df", check.max_df_of(self.max_df))
        check.require_reading(self.prior, self.alpha, self.min_df, self.max_df, self.max_features, self.min_count)
        check.require_flags(binary=self.binary, unit_length=self.unit_length, idf=self.idf, lowercase=self.lowercase)
        put(self, "characters", check.characters_of(self.characters) or None)
        put(self, "hashed", check.hashed_of(self.hashed))

    @property
    def is_likelihood(self) -> bool:
        """Whether the scores are those of a distribution over documents."""
        return self.model != "complement"

    def collect(self, columns: Columns) -> Collect:
        """Ask for the tokens of each column."""
        return Collect("tokens", columns, tokenizing=self.tokenizing)

    def terms(self, seen: Seen) -> tuple[Term, ...]:
        """Return a term for each column that keeps a token."""
        for name, read in zip(seen.columns, self._each(seen), strict=True):
            _require_room(name, read)
        return tuple(
            self._term(name, read) for name, read in zip(seen.columns, self._each(seen), strict=True) if read.number
        )

    def uncertain(self, seen: Seen) -> tuple[UncertainTerm, ...]:
        """Return Dir(α + N) over the tokens of each class, or Beta of each token."""
        if not self.is_likelihood:
            raise ParameterError(
                f"there is no interval: column {seen.columns[0]!r} is read as {self!r}, whose weights are those of no "
                "distribution and have no posterior. Read it with model='multinomial' or 'bernoulli'."
            )
        found: list[UncertainTerm] = []
        for name, read in zip(seen.columns, self._each(seen), strict=True):
            if not read.number:
                continue
            _require_room(name, read)
            require_posterior(read.pseudo_counts, (name,))
            if self.model == "bernoulli":
                present, alpha = self._presence(read)
                found.append(DirichletTerm((present + alpha,), partial(self._presence_term, name, read)))
            else:
                after = read.counts + read.alphas
                found.append(TokensTerm(name, self._known(read), after, read.weights, read.binary))
        return tuple(found)

    def log_evidence(self, seen: Seen) -> float:
        """Return the log probability of all documents, parameters integrated out."""
        if not self.is_likelihood or (self.model == "multinomial" and not self._draws):
            raise ParameterError(
                f"{self!r} has no evidence: its scores are not those of draws from a distribution. "
                'Read it with model="multinomial" or "bernoulli", tf="count", unit_length=False and idf=False.'
            )
        total = 0.0
        for read in self._each(seen):
            if not read.number:
                continue
            if self.model == "bernoulli":
                total += outcomes.log_evidence(*self._presence(read))
            else:
                total += outcomes.log_evidence(read.counts, read.alphas)
        return total

    def parameters(self, seen: Seen, credible: float) -> Iterator[Parameter]:
        """Yield θ_ck of every class and kept token, or the weight w_ck where there is no θ."""
        estimate = seen.reading.estimate
        for name, read in zip(seen.columns, self._each(seen), strict=True):
            labels = [read.tokens.name_of(at) for at in read.kept.tolist()]
            if self.model == "complement":
                values = complement_weights(read.counts, read.alphas, norm=False)
                lower = upper = np.full(values.shape, np.nan)
            elif self.model == "bernoulli":
                both = self._presence(read)
                values = outcomes.probabilities(*both, estimate)[..., 0]
                lower, upper = (bound[..., 0] for bound in outcomes.intervals(*both, credible))
            else:
                values = outcomes.probabilities(read.counts, read.alphas, estimate)
                lower, upper = outcomes.intervals(read.counts, read.alphas, credible)
            what = "weight" if self.model == "complement" else "probability"
            for c, label in enumerate(seen.classes):
                for k, token in enumerate(labels):
                    three = float(values[c, k]), float(lower[c, k]), float(upper[c, k])
                    yield Parameter(label, name, token, what, estimate, *three)

    def outcome_counts(self, seen: Seen) -> Iterator[OutcomeCounts]:
        """Yield the tokens of each column that keeps some, or presence and absence of each of them."""
        if not self.is_likelihood or (self.model == "multinomial" and not self._draws):
            return  # there is no evidence
        for name, read in zip(seen.columns, self._each(seen), strict=True):
            if read.number:
                drawn = read.presence.reshape(-1, 2) if self.model == "bernoulli" else read.counts
                yield OutcomeCounts((name,), drawn, float(drawn.shape[1]))

    def choices(self, seen: Seen) -> dict[str | int, str]:
        """Return how many tokens are kept, and the pseudo-count that the evidence chose."""
        found: dict[str | int, str] = {}
        for name, read in zip(seen.columns, self._each(seen), strict=True):
            width = read.tokens.width
            of = "" if read.number == width else f" of {width:,}"
            found[name] = (
                f"{read.number:,}{of} {'column' if read.tokens.columns else 'token'}{'' if width == 1 else 's'}"
            )
            if read.prior is not None:
                chosen = read.pseudo_counts if read.evidence_alphas is None else read.evidence_alphas
                shown = sorted({f"{value:.3g}" for value in chosen[:, 0].tolist()}, key=float)
                if shown:  # there is a class
                    found[name] += f", alpha {shown[0]}" + (f"–{shown[-1]}" if len(shown) > 1 else "")
        return found

    def spoken(self, seen: Seen) -> Iterator[Spoken]:
        """Yield each column with a token as it is read, and ln θ (classes × kept), or the weights of the complement."""
        estimate = seen.reading.estimate
        for name, read in zip(seen.columns, self._each(seen), strict=True):
            if not read.number:
                continue
            if self.model == "complement":
                yield Spoken(name, read, complement_weights(read.counts, read.alphas, norm=False), self.model)
            elif self.model == "bernoulli":
                logs = outcomes.log_probabilities(*self._presence(read), estimate)[..., 0]
                yield Spoken(name, read, logs, self.model)
            else:
                logs = outcomes.log_probabilities(read.counts, read.alphas, estimate)
                yield Spoken(name, read, logs, self.model)

    def split(self, term: Term, rows: Rows, seen: Seen) -> Split | None:
        """Return an entry for each token of a document, with its counts behind it."""
        documents = term.documents()
        assert documents is not None, "the terms of a column of text are of its tokens"
        for name, read, logs, model in self.spoken(seen):
            if name == documents.columns[0]:
                presence = documents.presence_logs(logs.T) if model == "bernoulli" else None
                return TokenSplit(documents, rows, read, presence)
        raise AssertionError("a term of tokens is of a column that keeps some")

    def sample(self, seen: Seen, draw: Draw) -> list[npt.NDArray[Any]]:
        """Return documents: words drawn one by one, or each by itself present or absent, with spaces between."""
        if self.tokenizing.unit != "words" or self.tokenizing.ngrams != (1, 1) or self.tokenizing.hashed is not None:
            raise ParameterError(
                f"{self!r} cannot write documents: its tokens are not single words. Use Words() to sample text."
            )
        if not self.is_likelihood:
            raise ParameterError(f"{self!r} has no distribution to draw from. Read it with model='multinomial'.")
        return [self._drawn(name, read, draw) for name, read in zip(seen.columns, self._each(seen), strict=True)]

    def _each(self, seen: Seen) -> Iterator[ReadTokens]:
        given = outcomes.smoothing(seen)
        for j, part in enumerate(seen.parts):
            assert isinstance(part, Tokens)
            if given is None:
                yield self.read(part, seen)
            else:
                of_column = per_cell("alpha", given, *seen.shape)[:, j : j + 1]
                yield self.read(part, replace(seen, reading=Reading(seen.reading.estimate, of_column)))

    @property
    def _draws(self) -> bool:
        # Whether a document is a number of draws, so that parameters can be integrated out of the whole of it.
        return self.tokenizing.whole and not self.idf

    def _term(self, name: str | int, read: ReadTokens) -> Term:
        estimate = read.seen.reading.estimate
        known = self._known(read)
        nothing = np.zeros(len(read.seen.classes))
        if self.model == "complement":
            weights = complement_weights(read.counts, read.alphas, norm=False)
            return TokenLinear((name,), known, table(weights * read.weights), nothing, read.binary)
        if self.model == "bernoulli":
            logs = outcomes.log_probabilities(*self._presence(read), estimate)
            return self._presence_term(name, read, [logs])
        if estimate == "predictive" and self._draws:
            return TokenPolya((name,), known, table(read.counts + read.alphas), read.binary)
        logs = outcomes.log_probabilities(read.counts, read.alphas, "mean" if estimate == "predictive" else estimate)
        return TokenLinear((name,), known, table(logs * read.weights), nothing, read.binary)

    def _known(self, read: ReadTokens) -> KnownTokens:
        return KnownTokens(
            self.tokenizing, read.tokens.vocabulary, None if read.number == read.tokens.width else read.kept
        )

    def _presence_term(self, name: str | int, read: ReadTokens, logs: Sequence[FloatArray]) -> Term:
        present, absent = logs[0][..., 0], logs[0][..., 1]
        if np.isfinite(logs[0]).all():
            whole = table(present - absent), absent.sum(axis=1)
            return TokenLinear((name,), self._known(read), *whole, presence=True)
        return TokenPresence((name,), self._known(read), table(present), table(absent))

    @staticmethod
    def _presence(read: ReadTokens) -> tuple[FloatArray, FloatArray]:
        return read.presence, np.broadcast_to(read.alphas[..., None], read.presence.shape)

    def _drawn(self, name: str | int, read: ReadTokens, draw: Draw) -> npt.NDArray[Any]:
        documents: npt.NDArray[Any] = np.full(draw.rows, "", dtype=object)
        if not read.number:
            return documents
        words = np.array([read.tokens.name_of(at) for at in read.kept.tolist()], dtype=object)
        estimate = read.seen.reading.estimate
        if self.model == "bernoulli":
            both = self._presence(read)
            theta = theta_drawn(*both, outcomes.probabilities(*both, estimate), draw, (name,))[..., 0]
            for c, rows in draw.groups:
                for row in rows.tolist():
                    documents[row] = " ".join(words[draw.rng.random(read.number) < theta[c]])
            return documents
        each_row = estimate == "predictive" and not draw.posterior
        plugged = outcomes.probabilities(read.counts, read.alphas, estimate)
        theta = theta_drawn(read.counts, read.alphas, plugged, draw, (name,))
        totals = read.counts.sum(axis=1)
        mean = totals.sum() / max(read.there.sum(), np.finfo(np.float64).tiny)
        lengths = np.full(len(read.there), float(mean))
        np.divide(totals, read.there, out=lengths, where=read.there > 0)
        wanted = np.maximum(1, np.rint(lengths)).astype(np.int64)[draw.classes] if draw.length is None else draw.length
        for c, rows in draw.groups:
            for row in rows.tolist():
                of_row = simplex_draws((read.counts + read.alphas)[c], 1, draw.rng)[0] if each_row else theta[c]
                documents[row] = " ".join(draw.rng.choice(words, size=int(wanted[row]), p=of_row / of_row.sum()))
        return documents


def _require_room(name: str | int, read: ReadTokens) -> None:
    # Counts are stored where they were seen; weights, which every class has of every token, are not.
    classes = len(read.seen.classes)
    if classes * read.number > _MOST_WEIGHTS:
        raise ParameterError(
            f"column {name!r} has {read.number:,} tokens in {classes:,} classes, whose weights would take "
            f"{classes * read.number * 8 / 2**30:,.0f} GiB. Read it with min_df=, min_count= or max_features=, which "
            "need no second pass."
        )
