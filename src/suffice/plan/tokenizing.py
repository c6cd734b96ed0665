r"""How documents are cut into tokens, and what each occurrence counts: data that the engine turns into a tokenizer.

unit       "words": runs of \\w, or of `characters` · "chars": of the text · "chars in words": inside word bounds
ngrams     of how many words or characters, from and to
tf         "count": x occurrences count x · "log": 1 + ln x
unit       length: what a document counts is divided by the root of the sum of its squares
hashed     b: tokens are counted in 2^b columns by their hash, in bounded memory; None: every token by itself
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, final

__all__ = ["TermFrequency", "Tokenizing", "Unit"]

Unit: TypeAlias = Literal["words", "chars", "chars in words"]
TermFrequency: TypeAlias = Literal["count", "log"]


@final
@dataclass(frozen=True, slots=True)
class Tokenizing:
    """All that decides which tokens a document has.

    Examples
    --------
    >>> Tokenizing(ngrams=(1, 2)).columns
    0
    """

    unit: Unit = "words"
    ngrams: tuple[int, int] = (1, 1)
    lowercase: bool = True
    strip_accents: bool = False
    characters: str = ""
    stop_words: tuple[str, ...] = ()
    min_length: int = 2
    max_length: int | None = None
    tf: TermFrequency = "count"
    unit_length: bool = False
    hashed: int | None = None

    @property
    def columns(self) -> int:
        """The number of hashed columns, 0 for a vocabulary."""
        return 0 if self.hashed is None else 1 << self.hashed

    @property
    def whole(self) -> bool:
        """Whether a document is its tokens, each counted as often as it occurs."""
        return self.tf == "count" and not self.unit_length
