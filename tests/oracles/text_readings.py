"""Documents read by their tokens, slowly: dictionaries of exact numbers, a formula at a time (likelihoods/text.py).

A row is (label, text or None, weight). Every function returns long floats; `Text` holds how text is read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath

from tests.oracles.token_counts import Row, words

mpmath.mp.dps = 40
Number = Any


@dataclass(frozen=True)
class Text:
    """How documents are counted and read."""

    model: str = "multinomial"
    alpha: float | None = None
    beta: tuple[float, float] | None = None
    coefficients: bool = False
    binary: bool = False
    tf: str = "count"
    unit_length: bool = False
    idf: bool = False
    min_df: float = 1
    max_df: float | None = None
    max_features: int | None = None
    min_count: float = 0.0
    tokens: Callable[[str], list[str]] = words

    def values(self, text: str) -> dict[str, Number]:
        """Return what each token of a document counts."""
        counts = {token: mpmath.mpf(x) for token, x in Counter(self.tokens(text)).items()}
        if self.tf == "log":
            counts = {token: 1 + mpmath.log(x) for token, x in counts.items()}
        if self.unit_length and counts:
            length = mpmath.sqrt(mpmath.fsum(x * x for x in counts.values()))
            counts = {token: x / length for token, x in counts.items()}
        return counts

    def kept(self, rows: Sequence[Row]) -> list[str]:
        """Return the tokens that are read."""
        there = [(text, weight) for _, text, weight in rows if text is not None]
        total = sum(weight for _, weight in there)
        found: dict[str, list[Number]] = {}
        for text, weight in there:
            for token, x in self.values(text).items():
                row = found.setdefault(token, [mpmath.mpf(0), mpmath.mpf(0)])
                row[0] += weight * x
                row[1] += weight

        def number(given: float) -> float:
            return given * total if isinstance(given, float) and given < 1 else given

        stay = [
            token
            for token, (count, documents) in sorted(found.items())
            if documents > 0
            and (self.min_df == 1 or documents >= number(self.min_df))
            and (self.max_df is None or documents <= number(self.max_df))
            and count >= self.min_count
        ]
        if self.max_features is not None:
            stay = sorted(sorted(stay, key=lambda token: -found[token][0])[: self.max_features])
        return stay

    def weight_of(self, rows: Sequence[Row], token: str) -> Number:
        """Return idf, or 1."""
        if not self.idf:
            return mpmath.mpf(1)
        there = [(text, weight) for _, text, weight in rows if text is not None]
        total = mpmath.fsum(weight for _, weight in there)
        having = mpmath.fsum(weight for text, weight in there if token in self.tokens(text))
        return 1 + mpmath.log((1 + total) / (1 + having))

    def counts(self, rows: Sequence[Row], label: object) -> dict[str, Number]:
        """Return N_ck of the kept tokens of one class."""
        found = dict.fromkeys(self.kept(rows), mpmath.mpf(0))
        for of, text, weight in rows:
            if of == label and text is not None:
                for token, x in self.values(text).items():
                    if token in found:
                        found[token] += weight * (1 if self.binary else x) * self.weight_of(rows, token)
        return found

    def presence(self, rows: Sequence[Row], label: object) -> dict[str, tuple[Number, Number]]:
        """Return the weight of the documents of a class that have each kept token, and of those that do not."""
        there = [(text, mpmath.mpf(weight)) for of, text, weight in rows if of == label and text is not None]
        total = mpmath.fsum(weight for _, weight in there)
        having = {t: mpmath.fsum(w for text, w in there if t in self.tokens(text)) for t in self.kept(rows)}
        return {token: (with_it, total - with_it) for token, with_it in having.items()}

    def prior_count(self, estimate: str) -> Number:
        return mpmath.mpf(self.alpha if self.alpha is not None else 2 if estimate == "map" else 1)

    def prior_counts(self, estimate: str) -> list[Number]:
        """Return the prior counts of presence and absence."""
        given = self.beta if self.beta is not None and estimate != "smoothed" else [self.prior_count(estimate)] * 2
        return [mpmath.mpf(each) for each in given]

    def score(self, rows: Sequence[Row], label: object, text: str, estimate: str) -> float:
        """Return what a document adds to the score of a class."""
        alpha = self.prior_count(estimate)
        kept = self.kept(rows)
        found = {token: x for token, x in self.values(text).items() if token in kept}
        if not kept:
            return 0.0
        if self.model == "bernoulli":
            total = mpmath.mpf(0)
            for token, both in self.presence(rows, label).items():
                theta = read(both, self.prior_counts(estimate), estimate)
                total += log(theta[0] if token in found else theta[1])
            return float(total)
        if self.binary:
            found = dict.fromkeys(found, mpmath.mpf(1))
        counts = self.counts(rows, label)
        coefficient = mpmath.mpf(0)
        if self.coefficients:
            coefficient = log(
                mpmath.factorial(sum(found.values())) / mpmath.fprod(map(mpmath.factorial, found.values()))
            )
        if self.model == "complement":
            labels = {of for of, *_ in rows}
            others = {t: mpmath.fsum(self.counts(rows, c)[t] for c in labels if c != label) + alpha for t in kept}
            whole = mpmath.fsum(others.values())
            return float(mpmath.fsum(-log(others[t] / whole) * x * self.weight_of(rows, t) for t, x in found.items()))
        if estimate == "predictive" and self.tf == "count" and not self.unit_length and not self.idf:
            start = [counts[t] + alpha for t in kept]
            x = [int(found.get(t, 0)) for t in kept]
            top = mpmath.fprod(mpmath.rf(a, n) for a, n in zip(start, x, strict=True))
            return float(coefficient + log(top / mpmath.rf(mpmath.fsum(start), sum(x))))
        theta = dict(zip(kept, read([counts[t] for t in kept], [alpha] * len(kept), estimate), strict=True))
        return float(coefficient + mpmath.fsum(log(theta[t]) * x * self.weight_of(rows, t) for t, x in found.items()))

    def log_evidence(self, rows: Sequence[Row], alpha: dict[object, float]) -> float:
        """Return the log probability of all documents given their classes, by the gamma functions of the page."""
        total = mpmath.mpf(0)
        for label, each in alpha.items():
            if self.model == "bernoulli":
                urns = [list(both) for both in self.presence(rows, label).values()]
            else:
                urns = [list(self.counts(rows, label).values())]
            for urn in urns:
                a, size, n = mpmath.mpf(each), len(urn), mpmath.fsum(urn)
                total += mpmath.loggamma(size * a) - mpmath.loggamma(size * a + n)
                total += mpmath.fsum(mpmath.loggamma(a + x) - mpmath.loggamma(a) for x in urn)
        return float(total)


def log(p: Number) -> Number:
    return mpmath.log(p) if p > 0 else mpmath.mpf("-inf")


def read(counts: Sequence[Number], alpha: Sequence[Number], estimate: str) -> list[Number]:
    """Return the probabilities of outcomes, read from their counts and prior counts."""
    n, size = mpmath.fsum(counts), len(counts)
    if estimate == "mle":
        return [c / n if n else mpmath.mpf(1) / size for c in counts]
    after = [c + a for c, a in zip(counts, alpha, strict=True)]
    mean = [each / mpmath.fsum(after) for each in after]
    if estimate != "map":
        return mean
    clipped = [max(each - 1, mpmath.mpf(0)) for each in after]
    whole = mpmath.fsum(clipped)
    return [c / whole for c in clipped] if whole else mean


def log_class_prior(rows: Sequence[Row], label: object) -> float:
    total = sum(weight for *_, weight in rows)
    return math.log(sum(weight for of, _, weight in rows if of == label) / total)
