"""Chars: documents as runs of characters. See text.py for what is done with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from suffice.likelihoods import text_arguments as check
from suffice.likelihoods.collect import TermFrequency, Tokenizing
from suffice.likelihoods.text import TextLikelihood
from suffice.likelihoods.token_reading import EvidencePrior, TextModel

__all__ = ["Chars"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Chars(TextLikelihood):
    """Columns of documents, read by their characters.

    Parameters
    ----------
    ngrams : int, or (from, to)
        How many characters make a token.
    across : bool
        Whether tokens run across the bounds of words; else those of a word with a space on either side.
    characters : str, optional
        The characters that count; all others separate.
    model, alpha, prior, binary, tf, unit_length, idf, min_df, max_df, max_features, min_count, lowercase, accents,
    hashed
        As in Words.

    Examples
    --------
    >>> Chars(ngrams=(2, 4))
    Chars(ngrams=(2, 4))
    """

    ngrams: tuple[int, int] = (1, 3)
    across: bool = False
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
    characters: str | None = None
    hashed: int | None = None

    def __post_init__(self) -> None:
        self.settle()
        check.require_flags(across=self.across)

    @property
    def tokenizing(self) -> Tokenizing:
        """How documents are cut into runs of characters."""
        return Tokenizing(
            "chars" if self.across else "chars in words",
            self.ngrams,
            self.lowercase,
            self.accents == "strip",
            self.characters or "",
            tf=self.tf,
            unit_length=self.unit_length,
            hashed=self.hashed,
        )
