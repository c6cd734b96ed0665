"""The tokens that were seen: UTF-8 end to end, each once, in the order of their bytes: that of their characters.

A vocabulary may have a million tokens, so nothing here makes a string of each until somebody asks for the words. Two of
them are united by the native core, in one walk along both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.errors import DataError
from suffice.statistics.frozen_arrays import BoolArray, IntArray, sealed

__all__ = ["United", "Vocabulary"]

ByteArray = npt.NDArray[np.uint8]

_DO = "The stored statistics are damaged: write them again."


class United(NamedTuple):
    """The vocabulary of both sides, and where the tokens of each stand in it."""

    vocabulary: Vocabulary
    left: IntArray
    right: IntArray


@final
@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Distinct tokens, sorted.

    Parameters
    ----------
    text : array of bytes
    ends : array of whole numbers
        0, and where each token ends.

    Examples
    --------
    >>> Vocabulary.of(["spam", "ham"]).words
    ('ham', 'spam')
    """

    text: ByteArray
    ends: IntArray

    @classmethod
    def of(cls, words: Any) -> Vocabulary:
        """Return the vocabulary of some words."""
        spelled = sorted({word.encode("utf-8", "replace") for word in words})
        ends = np.cumsum([0, *map(len, spelled)], dtype=np.int64)
        return cls(sealed(np.frombuffer(b"".join(spelled), dtype=np.uint8)), sealed(ends))

    @classmethod
    def checked(cls, text: ByteArray, ends: IntArray) -> Vocabulary:
        """Return the vocabulary of arrays that nobody vouches for, or raise DataError."""
        if not len(ends) or ends[0] != 0 or ends[-1] != len(text) or (np.diff(ends) < 0).any():
            raise DataError(f"the ends of tokens must rise from 0 to the number of bytes, {len(text)}. {_DO}")
        try:
            text.tobytes().decode("utf-8")
        except UnicodeDecodeError as reason:
            raise DataError(f"tokens must be UTF-8: {reason}. {_DO}") from None
        inside = ends[ends < len(text)]
        if ((text[inside] & 0xC0) == 0x80).any():
            raise DataError(f"a token must begin with a character. {_DO}")
        vocabulary = cls(sealed(text), sealed(ends))
        nothing = np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
        try:
            _core.unite_tokens(vocabulary.text, vocabulary.ends, *nothing)
        except ValueError:
            raise DataError(f"tokens must be sorted, each there once. {_DO}") from None
        return vocabulary

    def __len__(self) -> int:
        return len(self.ends) - 1

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The tokens as text."""
        if not len(self):
            return ()
        raw = self.text.tobytes()
        if raw.isascii():
            whole = raw.decode("ascii")
            return tuple(whole[start:end] for start, end in pairwise(self.ends.tolist()))
        return tuple(raw[start:end].decode("utf-8") for start, end in pairwise(self.ends.tolist()))

    def word(self, at: int) -> str:
        """Return one token."""
        return self.text[self.ends[at] : self.ends[at + 1]].tobytes().decode("utf-8")

    def find(self, word: str) -> int:
        """Return where a token stands, or −1."""
        wanted = word.encode("utf-8", "replace")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            found = self.text[self.ends[middle] : self.ends[middle + 1]].tobytes()
            if found == wanted:
                return middle
            low, high = (middle + 1, high) if found < wanted else (low, middle)
        return -1

    def take(self, kept: BoolArray) -> Vocabulary:
        """Return the tokens where the mask is true."""
        lengths = np.diff(self.ends)
        text = self.text[np.repeat(kept, lengths)]
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths[kept])])
        return Vocabulary(sealed(text), sealed(ends))

    def united(self, other: Vocabulary) -> United:
        """Return the vocabulary of both."""
        if self is other or self == other:
            here = np.arange(len(self))
            return United(self, here, here)
        text, ends, left, right = _core.unite_tokens(self.text, self.ends, other.text, other.ends)
        if len(ends) == len(self.ends):
            return United(self, left, right)
        return United(Vocabulary(sealed(text), sealed(ends)), left, right)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return np.array_equal(self.ends, other.ends) and np.array_equal(self.text, other.text)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, (self.word(at) for at in range(min(4, len(self))))))
        more = f", … {len(self):,} in all" if len(self) > 4 else ""
        return f"Vocabulary({shown}{more})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary.checked, (np.array(self.text), np.array(self.ends))


NO_WORDS = Vocabulary(sealed(np.zeros(0, dtype=np.uint8)), sealed(np.zeros(1, dtype=np.int64)))
