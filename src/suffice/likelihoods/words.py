"""Words: documents as the words they are made of, or runs of words. See text.py for what is done with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from suffice.likelihoods import text_arguments as check
from suffice.likelihoods.collect import TermFrequency, Tokenizing
from suffice.likelihoods.text import TextLikelihood
from suffice.likelihoods.token_reading import EvidencePrior, TextModel

__all__ = ["Words"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Words(TextLikelihood):
    r"""Columns of documents, read by their words.

    Parameters
    ----------
    ngrams : int, or (from, to)
        How many words make a token: (1, 2) for words and pairs of words that follow each other.
    model : "multinomial", "bernoulli" or "complement"
        Occurrences as draws; presence or absence of each; or by the counts of the other classes, as no likelihood.
    alpha : float > 0, optional
        The pseudo-count of each token: by default 1, and 2 for the map reading.
    prior : "evidence" or "evidence by class", optional
        Choose the pseudo-count with the greatest evidence, between 0.001 and 1, for all classes or for each; the map
        reading takes 1 more.
    binary : bool
        A token counts once in a document.
    tf : "count" or "log"
        x occurrences in a document count x, or 1 + ln x.
    unit_length : bool
        What a document counts is divided by the root of the sum of its squares.
    idf : bool
        An occurrence counts 1 + ln((1 + D)/(1 + D_k)), of D documents of which D_k have the token.
    min_df, max_df : number of documents, or a float below 1 for a share of them
    max_features : int, optional
    min_count : float
        Which tokens are kept. These, `model`, `prior`, `alpha`, `binary` and `idf` are readings: another one needs no
        second pass.
    lowercase : bool
    accents : "keep" or "strip"
    stop_words : list of words, as they are after that
    min_length, max_length : int
        Of words, in characters.
    characters : str, optional
        The characters that words are made of, in place of Python's ``\w``.
    hashed : int, optional
        Count tokens in 2^hashed columns by their hash, in bounded memory and without knowing the words.

    Examples
    --------
    >>> Words(ngrams=(1, 2), alpha=0.1)
    Words(ngrams=(1, 2), alpha=0.1)
    """

    ngrams: tuple[int, int] = (1, 1)
    model: TextModel = "multinomial"
    alpha: float | None = None
    prior: EvidencePrior | None = None
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
    stop_words: tuple[str, ...] = ()
    min_length: int = 2
    max_length: int | None = None
    characters: str | None = None
    hashed: int | None = None

    def __post_init__(self) -> None:
        self.settle()
        put = object.__setattr__
        put(self, "stop_words", check.stop_words_of(self.stop_words))
        put(self, "min_length", check.whole_of("min_length", self.min_length, 1))
        put(self, "max_length", check.whole_of("max_length", self.max_length, self.min_length, none=True))

    @property
    def tokenizing(self) -> Tokenizing:
        """How documents are cut into words."""
        return Tokenizing(
            "words",
            self.ngrams,
            self.lowercase,
            self.accents == "strip",
            self.characters or "",
            self.stop_words,
            self.min_length,
            self.max_length,
            self.tf,
            self.unit_length,
            self.hashed,
        )
