"""Sparse weighted token counts per class, and the number of documents that contain each token.

Symbols: class c, token k of the vocabulary, or column k of 2^b hashed columns.

    counts_ck      Σ w x over the documents of class c; x is the frequency of token k in the document, or a function of
                   the frequencies of its tokens
    documents_ck   Σ w over the documents of class c that contain token k
    weights_c      Σ w over all documents of class c
    merge          all three add, token by token

Only pairs (c, k) with a positive count are stored, in 20 bytes each, by class and increasing token: 20 million pairs
take 400 MB whatever the numbers of classes and words. A token without counts in any class is dropped. Vocabulary
limits, idf weights and presence are computed from these numbers when the model is estimated, without a second pass.

**Vocabulary**: distinct tokens as concatenated UTF-8, sorted by bytes, which is the order of their code points. It may
have a million tokens, so strings are created only on request, and the native core merges two vocabularies in one pass.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice import _core
from suffice.errors import DataError, MergeError
from suffice.statistics.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    check_factor,
    format_total,
    freeze,
    name_entries,
    require_domain,
    require_stored,
    seal,
)
from suffice.statistics.axis import (
    Alignment,
    Axis,
    align_for_difference,
    align_for_sum,
    entries_to_keep,
    require_axis,
    require_complete,
    subtract_weights,
)

__all__ = ["TokenArray", "Tokens", "Vocabulary", "VocabularyUnion", "tokens_from_valid"]


ByteArray = npt.NDArray[np.uint8]

_DO = "The stored statistics are damaged: write them again."


class VocabularyUnion(NamedTuple):
    """The union of two vocabularies, and the positions of the tokens of each in it."""

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
    ends : array of int
        0, followed by the end of each token in `text`.

    Examples
    --------
    >>> Vocabulary.of(["spam", "ham"]).words
    ('ham', 'spam')
    """

    text: ByteArray
    ends: IntArray

    @classmethod
    def of(cls, words: Any) -> Vocabulary:
        """Return the vocabulary of these words."""
        encoded = sorted({word.encode("utf-8", "replace") for word in words})
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(seal(np.frombuffer(b"".join(encoded), dtype=np.uint8)), seal(ends))

    @classmethod
    def checked(cls, text: ByteArray, ends: IntArray) -> Vocabulary:
        """Return the vocabulary of untrusted arrays; raise DataError if they are invalid."""
        if not len(ends) or ends[0] != 0 or ends[-1] != len(text) or (np.diff(ends) < 0).any():
            raise DataError(f"the ends of tokens must increase from 0 to the number of bytes, {len(text)}. {_DO}")
        try:
            text.tobytes().decode("utf-8")
        except UnicodeDecodeError as reason:
            raise DataError(f"tokens must be UTF-8: {reason}. {_DO}") from None
        inside = ends[ends < len(text)]
        if ((text[inside] & 0xC0) == 0x80).any():
            raise DataError(f"a token must start at a character boundary. {_DO}")
        vocabulary = cls(seal(text), seal(ends))
        nothing = np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
        try:
            _core.unite_tokens(vocabulary.text, vocabulary.ends, *nothing)
        except ValueError:
            raise DataError(f"tokens must be sorted and distinct. {_DO}") from None
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
            decoded = raw.decode("ascii")
            return tuple(decoded[start:end] for start, end in pairwise(self.ends.tolist()))
        return tuple(raw[start:end].decode("utf-8") for start, end in pairwise(self.ends.tolist()))

    def word(self, i: int) -> str:
        """Return token i."""
        return self.text[self.ends[i] : self.ends[i + 1]].tobytes().decode("utf-8")

    def find(self, word: str) -> int:
        """Return the position of a token, or −1 if it is not in the vocabulary."""
        key = word.encode("utf-8", "replace")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            token = self.text[self.ends[middle] : self.ends[middle + 1]].tobytes()
            if token == key:
                return middle
            low, high = (middle + 1, high) if token < key else (low, middle)
        return -1

    def take(self, mask: BoolArray) -> Vocabulary:
        """Return the tokens where the mask is true."""
        lengths = np.diff(self.ends)
        text = self.text[np.repeat(mask, lengths)]
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths[mask])])
        return Vocabulary(seal(text), seal(ends))

    def union(self, other: Vocabulary) -> VocabularyUnion:
        """Return the union of two vocabularies."""
        if self is other or self == other:
            positions = np.arange(len(self))
            return VocabularyUnion(self, positions, positions)
        text, ends, left, right = _core.unite_tokens(self.text, self.ends, other.text, other.ends)
        if len(ends) == len(self.ends):
            return VocabularyUnion(self, left, right)
        return VocabularyUnion(Vocabulary(seal(text), seal(ends)), left, right)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return np.array_equal(self.ends, other.ends) and np.array_equal(self.text, other.text)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, (self.word(i) for i in range(min(4, len(self))))))
        more = f", … {len(self):,} in all" if len(self) > 4 else ""
        return f"Vocabulary({shown}{more})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary.checked, (np.array(self.text), np.array(self.ends))


NO_WORDS = Vocabulary(seal(np.zeros(0, dtype=np.uint8)), seal(np.zeros(1, dtype=np.int64)))


TokenArray = npt.NDArray[np.int32]

_PAIRS_AT_ONCE = 2**20


class _Side(NamedTuple):
    """The pairs of one side, in increasing order of a key made of the class and token of the result."""

    keys: IntArray
    counts: FloatArray
    documents: FloatArray


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Tokens:
    """Sparse token counts per class.

    Parameters
    ----------
    classes : Axis of C classes
    vocabulary : Vocabulary
        The tokens; empty for hashed columns.
    starts : array (C + 1,) of int
        The first pair of each class.
    tokens : array (P,) of int32
        The token of each pair, increasing within a class.
    counts, documents : arrays (P,) of floats ≥ 0
    weights : array (C,) of floats ≥ 0
    columns : int
        Number of hashed columns; 0 if there is a vocabulary.

    Examples
    --------
    >>> mail = Tokens.of({"ham": {"meeting": 2}, "spam": {"win": 3, "meeting": 1}}, {"ham": 2, "spam": 2})
    >>> mail
    Tokens(2 classes × 2 tokens, 3 pairs, total 6)
    >>> more = Tokens.of({"spam": {"prize": 1}}, {"spam": 1})
    >>> (mail + more) - more == mail
    True
    """

    classes: Axis
    vocabulary: Vocabulary
    starts: IntArray
    tokens: TokenArray
    counts: FloatArray
    documents: FloatArray
    weights: FloatArray
    columns: int

    def __init__(
        self,
        classes: Axis,
        vocabulary: Vocabulary,
        starts: npt.ArrayLike,
        tokens: npt.ArrayLike,
        counts: npt.ArrayLike,
        documents: npt.ArrayLike,
        weights: npt.ArrayLike,
        columns: int = 0,
    ) -> None:
        require_axis("classes", classes)
        width = columns or len(vocabulary)
        offsets: IntArray = freeze("starts", starts, (len(classes) + 1,), np.int64)
        token_ids: TokenArray = freeze("tokens", tokens, None, np.int32)
        pairs = len(token_ids)
        if offsets[0] != 0 or offsets[-1] != pairs or (np.diff(offsets) < 0).any():
            raise DataError(f"starts must increase from 0 to the number of pairs, {pairs}: got {offsets.tolist()[:5]}.")
        if columns and (len(vocabulary) or columns & (columns - 1) or columns < 0):
            raise DataError(
                f"the number of hashed columns must be a power of two, without a vocabulary: got {columns}."
            )
        if pairs and (token_ids.min() < 0 or token_ids.max() >= width):
            raise DataError(
                f"tokens must be from 0 to {width - 1}: got {int(token_ids.min())} … {int(token_ids.max())}."
            )
        falls = np.flatnonzero(np.diff(token_ids) <= 0) + 1
        if len(falls) and not np.isin(falls, offsets).all():
            raise DataError("the tokens of a class must increase.")
        token_counts: FloatArray = freeze("counts", counts, (pairs,))
        document_counts: FloatArray = freeze("documents", documents, (pairs,))
        class_weights: FloatArray = freeze("weights", weights, (len(classes),))
        _require_counts(classes, token_counts, document_counts, class_weights)
        self._put(classes, vocabulary, offsets, token_ids, token_counts, document_counts, class_weights, columns)

    @classmethod
    def of(cls, counts: Mapping[Any, Mapping[str, float]], documents: Mapping[Any, float]) -> Tokens:
        """Return the statistic of {class: {token: count}} and {class: document weight}, each token in one document."""
        classes = Axis.of(list(documents))
        vocabulary = Vocabulary.of({word for words in counts.values() for word in words})
        rows = [sorted((vocabulary.find(word), n) for word, n in counts.get(label, {}).items()) for label in classes]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        pairs = [pair for row in rows for pair in row]
        token_counts = np.array([n for _, n in pairs], dtype=np.float64)
        token_ids = np.array([token for token, _ in pairs], dtype=np.int32)
        weights = np.array([documents[label] for label in classes], dtype=np.float64)  # pyright: ignore[reportArgumentType]
        return cls(classes, vocabulary, starts, token_ids, token_counts, np.minimum(token_counts, 1.0), weights)

    @classmethod
    def zero(cls, columns: int = 0) -> Tokens:
        """Return the counts of no documents."""
        nothing = np.zeros(0)
        return cls(Axis(), NO_WORDS, np.zeros(1, dtype=np.int64), nothing, nothing, nothing, nothing, columns)

    @property
    def width(self) -> int:
        """The number of tokens, or of hashed columns."""
        return self.columns or len(self.vocabulary)

    def rows(self) -> Iterator[slice]:
        """Yield the range of the pairs of each class."""
        yield from map(slice, self.starts[:-1].tolist(), self.starts[1:].tolist())

    def name_of(self, token: int) -> str | int:
        """Return the token, or its column number if tokens are hashed."""
        return token if self.columns else self.vocabulary.word(token)

    def __add__(self, other: Tokens) -> Tokens:
        if not isinstance(other, Tokens):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        self._require_alike(other)
        classes = align_for_sum(self.classes, other.classes)
        vocabulary, left, right = self._align(other, classes)

        def add(mine: _Side, theirs: _Side) -> _Side:
            keys, at_left, at_right = _merge_keys(mine.keys, theirs.keys)
            sums = [np.zeros(len(keys)), np.zeros(len(keys))]
            for total, left_values, right_values in zip(sums, mine[1:], theirs[1:], strict=True):
                total[at_left] = left_values
                total[at_right] += right_values
            return _Side(keys, *sums)

        with np.errstate(over="ignore"):  # an overflow is reported when the result is validated
            weights = classes.lay_left(self.weights) + classes.lay_right(other.weights)
            return _of_parts(classes.axis, vocabulary, map(add, left, right), weights, self.columns)

    def __sub__(self, other: Tokens) -> Tokens:
        if not isinstance(other, Tokens):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        self._require_alike(other)
        classes = align_for_difference(self.classes, other.classes)
        vocabulary, left, right = self._align(other, classes)
        by_class = name_entries(("class", classes.axis.labels))
        weights = subtract_weights(
            "document weight", classes.lay_left(self.weights), classes.lay_right(other.weights), by_class
        )
        width = self.columns or len(vocabulary)

        def subtract(mine: _Side, theirs: _Side) -> _Side:
            keys, at_left, at_right = _merge_keys(mine.keys, theirs.keys)

            def where(index: tuple[int, ...]) -> str:
                c, token = divmod(int(keys[index[0]]), width)
                word = token if self.columns else vocabulary.word(token)
                return f"class {classes.axis.labels[c]!r}, token {word!r}"

            rests: list[FloatArray] = []
            for what, left_values, right_values in (
                ("count", mine.counts, theirs.counts),
                ("documents", mine.documents, theirs.documents),
            ):
                minuend, subtrahend = np.zeros(len(keys)), np.zeros(len(keys))
                minuend[at_left], subtrahend[at_right] = left_values, right_values
                rests.append(subtract_weights(what, minuend, subtrahend, where))
            return _Side(keys, *rests)

        return _of_parts(classes.axis, vocabulary, map(subtract, left, right), weights, self.columns)

    def scale(self, w: float) -> Tokens:
        """Return the counts with all document weights multiplied by w."""
        factor = check_factor(w)
        with np.errstate(over="ignore"):
            counts, documents, weights = self.counts * factor, self.documents * factor, self.weights * factor
        part = _Side(self._keys(0, len(self.classes), None, self.width), counts, documents)
        return _of_parts(self.classes, self.vocabulary, [part], weights, self.columns)

    def take(self, mask: npt.NDArray[np.bool_]) -> Tokens:
        """Return the counts of the tokens where the mask is true; hashed columns keep their number."""
        return self.take_pairs(mask[self.tokens])

    def take_pairs(self, mask: npt.NDArray[np.bool_]) -> Tokens:
        """Return the counts of the pairs of class and token where the mask is true."""
        part = _Side(self._keys(0, len(self.classes), None, self.width)[mask], self.counts[mask], self.documents[mask])
        return _of_parts(self.classes, self.vocabulary, [part], self.weights, self.columns)

    def take_classes(self, start: int, classes: Axis) -> Tokens:
        """Return `len(classes)` consecutive classes from position `start`, relabelled as `classes`."""
        end = start + len(classes)
        pairs = slice(int(self.starts[start]), int(self.starts[end]))
        keys = self._keys(start, end, None, self.width) - start * self.width
        part = _Side(keys, self.counts[pairs], self.documents[pairs])
        return _of_parts(classes, self.vocabulary, [part], self.weights[start:end], self.columns)

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokens.from_arrays, ({name: np.array(array) for name, array in self.to_arrays().items()},)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokens):
            return NotImplemented
        arrays = ("starts", "tokens", "counts", "documents", "weights")
        return (
            self.columns == other.columns
            and self.classes == other.classes
            and self.vocabulary == other.vocabulary
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
        )

    def __repr__(self) -> str:
        c, pairs = len(self.classes), len(self.tokens)
        what = f"{self.columns:,} columns" if self.columns else f"{self.width:,} token{'' if self.width == 1 else 's'}"
        classes = f"{c} class{'' if c == 1 else 'es'}"
        return f"Tokens({classes} × {what}, {pairs:,} pairs, total {format_total(self.counts)})"

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the counts as arrays."""
        return {
            **self.classes.to_arrays("classes"),
            "text": self.vocabulary.text,
            "ends": self.vocabulary.ends,
            "starts": self.starts,
            "tokens": self.tokens,
            "counts": self.counts,
            "documents": self.documents,
            "weights": self.weights,
            "columns": seal(np.array([self.columns], dtype=np.int64)),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Tokens:
        """Return the counts stored by `to_arrays`; raise DataError if the arrays are invalid."""
        classes = Axis.from_arrays(arrays, "classes")
        text, ends = require_stored(arrays, "text", np.uint8, 1), require_stored(arrays, "ends", np.int64, 1)
        columns = freeze("columns", require_stored(arrays, "columns", np.int64, 1), (1,), np.int64)
        starts, token_ids = require_stored(arrays, "starts", np.int64, 1), require_stored(arrays, "tokens", np.int32, 1)
        counts, documents, weights = (
            require_stored(arrays, name, np.float64, 1) for name in ("counts", "documents", "weights")
        )
        vocabulary = Vocabulary.checked(text, ends)
        tokens = cls(classes, vocabulary, starts, token_ids, counts, documents, weights, int(columns[0]))
        require_complete(arrays, tokens.to_arrays(), "Tokens")
        if not tokens.tight():
            raise DataError(f"every token and every class must have a positive count. {_DO}")
        return tokens

    def tight(self) -> bool:
        """Return whether there are no empty entries: no pair of zeros and no token without a pair."""
        used = np.zeros(len(self.vocabulary), dtype=np.bool_)
        if not self.columns:
            used[self.tokens] = True
        filled = (np.diff(self.starts) > 0) | (self.weights > 0)
        return (
            bool(used.all() and ((self.counts > 0) | (self.documents > 0)).all())
            and entries_to_keep(self.classes, filled) is None
        )

    def _align(self, other: Tokens, classes: Alignment) -> tuple[Vocabulary, Iterator[_Side], Iterator[_Side]]:
        vocabulary, left, right = self.vocabulary.union(other.vocabulary)
        width = self.columns or len(vocabulary)
        number = max(1, len(classes.axis))
        step = max(1, _PAIRS_AT_ONCE * number // max(1, len(self.tokens) + len(other.tokens)))
        cuts = [*range(0, number, step), number]
        groups = list(itertools.pairwise(cuts))
        mine = self._sides(classes.left, None if self.columns else left, width, groups)
        theirs = other._sides(classes.right, None if self.columns else right, width, groups)
        return vocabulary, mine, theirs

    def _sides(
        self, classes: IntArray | None, positions: IntArray | None, width: int, groups: list[tuple[int, int]]
    ) -> Iterator[_Side]:
        rows = np.arange(len(self.classes)) if classes is None else classes
        for low, high in groups:
            first, last = (int(np.searchsorted(rows, bound)) for bound in (low, high))
            pairs = slice(int(self.starts[first]), int(self.starts[last]))
            keys = self._keys(first, last, positions, width, rows)
            yield _Side(keys, self.counts[pairs], self.documents[pairs])

    def _keys(
        self, first: int, last: int, positions: IntArray | None, width: int, classes: IntArray | None = None
    ) -> IntArray:
        pairs = slice(int(self.starts[first]), int(self.starts[last]))
        tokens = self.tokens[pairs].astype(np.int64)
        rows = np.arange(first, last) if classes is None else classes[first:last]
        first_key = np.repeat(rows * width, np.diff(self.starts[first : last + 1]))
        return first_key + (tokens if positions is None else positions[tokens])

    def _require_alike(self, other: Tokens) -> None:
        if self.columns != other.columns:
            raise MergeError(
                f"token counts must have the same form: one side has {self.columns or 'no'} hashed columns, the other "
                f"{other.columns or 'none'}. Collect both with the same tokenizer."
            )

    def _put(self, *values: object) -> None:
        # The fields, in their order.
        for field, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, field.name, value)


def tokens_from_valid(
    classes: Axis,
    vocabulary: Vocabulary,
    starts: IntArray,
    tokens: TokenArray,
    counts: FloatArray,
    documents: FloatArray,
    weights: FloatArray,
    columns: int = 0,
) -> Tokens:
    """Return the counts of valid arrays, which are made read-only; classes without documents are dropped."""
    keep = entries_to_keep(classes, (np.diff(starts) > 0) | (weights > 0))
    if keep is not None:
        starts = np.concatenate([np.zeros(1, dtype=np.int64), starts[1:][keep]])
        weights, classes = weights[keep], classes.take(keep)
    for array in (starts, tokens, counts, documents, weights):
        seal(array)
    statistic = object.__new__(Tokens)
    statistic._put(classes, vocabulary, starts, tokens, counts, documents, weights, columns)  # pyright: ignore[reportPrivateUsage]
    return statistic


def _merge_keys(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    # The union of two sorted arrays of keys, and the positions of the keys of each in it.
    position = np.searchsorted(left, right)
    shared = position < len(left)
    shared[shared] = left[position[shared]] == right[shared]
    fresh = np.flatnonzero(~shared)
    if not len(fresh):
        return left, np.arange(len(left)), position
    before = np.cumsum(np.bincount(position[fresh], minlength=len(left) + 1))
    at_left = np.arange(len(left)) + before[: len(left)]
    at_right = np.empty(len(right), dtype=np.int64)
    at_right[fresh] = position[fresh] + np.arange(len(fresh))
    at_right[shared] = at_left[position[shared]]
    keys = np.empty(len(left) + len(fresh), dtype=np.int64)
    keys[at_left], keys[at_right] = left, right
    return keys, at_left, at_right


def _of_parts(
    classes: Axis, vocabulary: Vocabulary, parts: Iterable[_Side], weights: FloatArray, columns: int
) -> Tokens:
    # Drops empty pairs, then unused tokens, then empty classes. Parts are freed early: there may be millions of pairs.
    width = max(1, columns or len(vocabulary))
    token_ids: list[TokenArray] = []
    counts: list[FloatArray] = []
    documents: list[FloatArray] = []
    sizes = np.zeros(len(classes), dtype=np.int64)
    for keys, part_counts, part_documents in parts:
        positive = (part_counts > 0) | (part_documents > 0)
        keep = slice(None) if positive.all() else positive
        row, token = np.divmod(keys[keep], width)
        sizes += np.bincount(row, minlength=len(classes))[: len(classes)]
        token_ids.append(token.astype(np.int32))
        counts.append(part_counts[keep])
        documents.append(part_documents[keep])
    tokens = _drain(token_ids, np.int32)
    if not columns:
        used = np.zeros(len(vocabulary), dtype=np.bool_)
        used[tokens] = True
        if not used.all():
            vocabulary = vocabulary.take(used)
            tokens = (np.cumsum(used) - 1).astype(np.int32)[tokens]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    token_counts, document_counts = _drain(counts, np.float64), _drain(documents, np.float64)
    _require_counts(classes, token_counts, document_counts, weights)
    return tokens_from_valid(classes, vocabulary, starts, tokens, token_counts, document_counts, weights, columns)


def _require_counts(classes: Axis, counts: FloatArray, documents: FloatArray, weights: FloatArray) -> None:
    for name, values in (("counts", counts), ("documents", documents)):
        require_domain(name, values, lambda index: f"pair {index[0]}", "Pass finite counts ≥ 0.")
    require_domain("weights", weights, name_entries(("class", classes.labels)), "Pass finite weights ≥ 0.")


def _drain(parts: list[Any], dtype: Any) -> Any:
    # Clears the list to free the parts.
    array = np.concatenate(parts) if parts else np.zeros(0, dtype=dtype)
    parts.clear()
    return array
