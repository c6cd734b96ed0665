"""Weighted counts of tokens per class, and of the documents that have them: a table that is mostly empty.

Symbols: class c, token k of the vocabulary, or column k of 2^b hashed ones.

    counts_ck      Σ w x over the documents of class c; x is how often token k occurs, or a function of how often each
                   token of the document does
    documents_ck   Σ w over those in which it occurs at all
    weights_c      Σ w over the documents of class c that were there
    merge          all three add, token by token

Only pairs (c, k) that were seen are stored, 20 bytes each, class by class and tokens rising: 20 million of them take
400 MB whatever the number of classes and words. A token that no class has any more vanishes. What the vocabulary is cut
to, and how documents are counted (idf, presence), are readings of these numbers and need no second pass.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, MergeError
from suffice.statistics.alignment import Alignment, for_difference, for_sum, kept, require_complete
from suffice.statistics.axis import Axis, require_axis
from suffice.statistics.decay import factor_of
from suffice.statistics.frozen_arrays import FloatArray, IntArray, frozen, named, require, sealed, stored
from suffice.statistics.subtraction import difference
from suffice.statistics.totals import shown_total
from suffice.statistics.vocabulary import NO_WORDS, Vocabulary

__all__ = ["TokenArray", "Tokens", "tokens_in_order"]

TokenArray = npt.NDArray[np.int32]

_PAIRS_AT_ONCE = 2**20
_DO = "The stored statistics are damaged: write them again."


class _Side(NamedTuple):
    """The pairs of one side, keyed by class and token of the sum: rising."""

    keys: IntArray
    counts: FloatArray
    documents: FloatArray


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Tokens:
    """Counts of tokens per class.

    Parameters
    ----------
    classes : Axis
        C classes.
    vocabulary : Vocabulary
        The tokens; of hashed columns none.
    starts : array (C + 1,) of whole numbers
        Where the pairs of each class start.
    tokens : array (P,) of int32
        The token of each pair, rising within a class.
    counts, documents : arrays (P,) of floats ≥ 0
    weights : array (C,) of floats ≥ 0
    columns : int
        The number of hashed columns, 0 for a vocabulary.

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
        begin: IntArray = frozen("starts", starts, (len(classes) + 1,), np.int64)
        which: TokenArray = frozen("tokens", tokens, None, np.int32)
        pairs = len(which)
        if begin[0] != 0 or begin[-1] != pairs or (np.diff(begin) < 0).any():
            raise DataError(f"starts must rise from 0 to the number of pairs, {pairs}: got {begin.tolist()[:5]}.")
        if columns and (len(vocabulary) or columns & (columns - 1) or columns < 0):
            raise DataError(f"hashed columns are a power of two and have no words: got {columns}.")
        if pairs and (which.min() < 0 or which.max() >= width):
            raise DataError(f"tokens must be from 0 to {width - 1}: got {int(which.min())} … {int(which.max())}.")
        falls = np.flatnonzero(np.diff(which) <= 0) + 1
        if len(falls) and not np.isin(falls, begin).all():
            raise DataError("the tokens of a class must rise, each there once.")
        much: FloatArray = frozen("counts", counts, (pairs,))
        seen: FloatArray = frozen("documents", documents, (pairs,))
        each: FloatArray = frozen("weights", weights, (len(classes),))
        for name, values in (("counts", much), ("documents", seen)):
            require(name, values, lambda at: f"pair {at[0]}", "Give finite counts ≥ 0.")
        require("weights", each, named(("class", classes.labels)), "Give finite weights ≥ 0.")
        self._put(classes, vocabulary, begin, which, much, seen, each, columns)

    @classmethod
    def of(cls, counts: Mapping[Any, Mapping[str, float]], documents: Mapping[Any, float]) -> Tokens:
        """Return the counts of tokens given by class, each of them in one document more than once or not."""
        classes = Axis.of(list(documents))
        vocabulary = Vocabulary.of({word for of_class in counts.values() for word in of_class})
        rows = [sorted((vocabulary.find(word), n) for word, n in counts.get(label, {}).items()) for label in classes]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        pairs = [pair for row in rows for pair in row]
        much = np.array([n for _, n in pairs], dtype=np.float64)
        which = np.array([at for at, _ in pairs], dtype=np.int32)
        weights = np.array([documents[label] for label in classes], dtype=np.float64)  # pyright: ignore[reportArgumentType]
        return cls(classes, vocabulary, starts, which, much, np.minimum(much, 1.0), weights)

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
        """Yield where the pairs of each class are."""
        yield from map(slice, self.starts[:-1].tolist(), self.starts[1:].tolist())

    def name_of(self, token: int) -> str | int:
        """Return the token, or the number of its column where it is hashed."""
        return token if self.columns else self.vocabulary.word(token)

    def __add__(self, other: Tokens) -> Tokens:
        if not isinstance(other, Tokens):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        self._require_alike(other)
        classes = for_sum(self.classes, other.classes)
        vocabulary, left, right = self._together(other, classes)

        def summed(mine: _Side, theirs: _Side) -> _Side:
            keys, at_left, at_right = _merged(mine.keys, theirs.keys)
            sums = [np.zeros(len(keys)), np.zeros(len(keys))]
            for values, own, more in zip(sums, mine[1:], theirs[1:], strict=True):
                values[at_left] = own
                values[at_right] += more
            return _Side(keys, *sums)

        with np.errstate(over="ignore"):  # what is no longer finite is refused below, by its name
            weights = classes.lay_left(self.weights) + classes.lay_right(other.weights)
            return _of_parts(classes.axis, vocabulary, map(summed, left, right), weights, self.columns)

    def __sub__(self, other: Tokens) -> Tokens:
        if not isinstance(other, Tokens):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        self._require_alike(other)
        classes = for_difference(self.classes, other.classes)
        vocabulary, left, right = self._together(other, classes)
        by_class = named(("class", classes.axis.labels))
        weights = difference(
            "documents of weight", classes.lay_left(self.weights), classes.lay_right(other.weights), by_class
        )
        width = self.columns or len(vocabulary)

        def rest(mine: _Side, theirs: _Side) -> _Side:
            keys, at_left, at_right = _merged(mine.keys, theirs.keys)

            def where(at: tuple[int, ...]) -> str:
                c, token = divmod(int(keys[at[0]]), width)
                word = token if self.columns else vocabulary.word(token)
                return f"class {classes.axis.labels[c]!r}, token {word!r}"

            rests: list[FloatArray] = []
            for what, own, gone in (
                ("count", mine.counts, theirs.counts),
                ("documents", mine.documents, theirs.documents),
            ):
                there, taken = np.zeros(len(keys)), np.zeros(len(keys))
                there[at_left], taken[at_right] = own, gone
                rests.append(difference(what, there, taken, where))
            return _Side(keys, *rests)

        return _of_parts(classes.axis, vocabulary, map(rest, left, right), weights, self.columns)

    def scale(self, w: float) -> Tokens:
        """Return the counts of the same documents, each with w times its weight."""
        factor = factor_of(w)
        with np.errstate(over="ignore"):
            counts, documents, weights = self.counts * factor, self.documents * factor, self.weights * factor
        part = _Side(self._keys(0, len(self.classes), None, self.width), counts, documents)
        return _of_parts(self.classes, self.vocabulary, [part], weights, self.columns)

    def take(self, mask: npt.NDArray[np.bool_]) -> Tokens:
        """Return the counts of the tokens where the mask is true, of hashed columns with the others empty."""
        return self.take_pairs(mask[self.tokens])

    def take_pairs(self, stay: npt.NDArray[np.bool_]) -> Tokens:
        """Return the counts of the pairs of class and token where the mask is true."""
        part = _Side(self._keys(0, len(self.classes), None, self.width)[stay], self.counts[stay], self.documents[stay])
        return _of_parts(self.classes, self.vocabulary, [part], self.weights, self.columns)

    def take_classes(self, start: int, classes: Axis) -> Tokens:
        """Return what was seen of as many classes as `classes` has, from position `start` on, under these names."""
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
        return f"Tokens({classes} × {what}, {pairs:,} pairs, total {shown_total(self.counts)})"

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that say all of it."""
        return {
            **self.classes.to_arrays("classes"),
            "text": self.vocabulary.text,
            "ends": self.vocabulary.ends,
            "starts": self.starts,
            "tokens": self.tokens,
            "counts": self.counts,
            "documents": self.documents,
            "weights": self.weights,
            "columns": sealed(np.array([self.columns], dtype=np.int64)),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Tokens:
        """Return the counts that `to_arrays` wrote, or raise DataError."""
        classes = Axis.from_arrays(arrays, "classes")
        text, ends = stored(arrays, "text", np.uint8, 1), stored(arrays, "ends", np.int64, 1)
        columns = frozen("columns", stored(arrays, "columns", np.int64, 1), (1,), np.int64)
        starts, which = stored(arrays, "starts", np.int64, 1), stored(arrays, "tokens", np.int32, 1)
        counts, seen, weights = (stored(arrays, name, np.float64, 1) for name in ("counts", "documents", "weights"))
        vocabulary = Vocabulary.checked(text, ends)
        tokens = cls(classes, vocabulary, starts, which, counts, seen, weights, int(columns[0]))
        require_complete(arrays, tokens.to_arrays(), "Tokens")
        if not tokens.tight():
            raise DataError(f"every token and class must be seen. {_DO}")
        return tokens

    def tight(self) -> bool:
        """Say whether nothing is stored that was not seen: no pair of zeros, no token without a pair."""
        used = np.zeros(len(self.vocabulary), dtype=np.bool_)
        if not self.columns:
            used[self.tokens] = True
        filled = (np.diff(self.starts) > 0) | (self.weights > 0)
        return (
            bool(used.all() and ((self.counts > 0) | (self.documents > 0)).all()) and kept(self.classes, filled) is None
        )

    def _together(self, other: Tokens, classes: Alignment) -> tuple[Vocabulary, Iterator[_Side], Iterator[_Side]]:
        vocabulary, left, right = self.vocabulary.united(other.vocabulary)
        width = self.columns or len(vocabulary)
        number = max(1, len(classes.axis))
        step = max(1, _PAIRS_AT_ONCE * number // max(1, len(self.tokens) + len(other.tokens)))
        cuts = [*range(0, number, step), number]
        groups = list(itertools.pairwise(cuts))
        mine = self._sides(classes.left, None if self.columns else left, width, groups)
        theirs = other._sides(classes.right, None if self.columns else right, width, groups)
        return vocabulary, mine, theirs

    def _sides(
        self, classes: IntArray | None, places: IntArray | None, width: int, groups: list[tuple[int, int]]
    ) -> Iterator[_Side]:
        at = np.arange(len(self.classes)) if classes is None else classes
        for low, high in groups:
            first, last = (int(np.searchsorted(at, bound)) for bound in (low, high))
            some = slice(int(self.starts[first]), int(self.starts[last]))
            keys = self._keys(first, last, places, width, at)
            yield _Side(keys, self.counts[some], self.documents[some])

    def _keys(
        self, first: int, last: int, places: IntArray | None, width: int, classes: IntArray | None = None
    ) -> IntArray:
        some = slice(int(self.starts[first]), int(self.starts[last]))
        tokens = self.tokens[some].astype(np.int64)
        at = np.arange(first, last) if classes is None else classes[first:last]
        each = np.repeat(at * width, np.diff(self.starts[first : last + 1]))
        return each + (tokens if places is None else places[tokens])

    def _require_alike(self, other: Tokens) -> None:
        if self.columns != other.columns:
            raise MergeError(
                f"counts of tokens must be of one form: one has {self.columns or 'no'} hashed columns, the other "
                f"{other.columns or 'none'}. Collect both with the same tokenizer."
            )

    def _put(
        self,
        classes: Axis,
        vocabulary: Vocabulary,
        starts: IntArray,
        tokens: TokenArray,
        counts: FloatArray,
        documents: FloatArray,
        weights: FloatArray,
        columns: int,
    ) -> None:
        put = object.__setattr__
        put(self, "classes", classes)
        put(self, "vocabulary", vocabulary)
        put(self, "starts", starts)
        put(self, "tokens", tokens)
        put(self, "counts", counts)
        put(self, "documents", documents)
        put(self, "weights", weights)
        put(self, "columns", columns)


def tokens_in_order(
    classes: Axis,
    vocabulary: Vocabulary,
    starts: IntArray,
    tokens: TokenArray,
    counts: FloatArray,
    documents: FloatArray,
    weights: FloatArray,
    columns: int = 0,
) -> Tokens:
    """Return the counts of arrays that are known to be valid and handed over; classes without documents vanish."""
    stay = kept(classes, (np.diff(starts) > 0) | (weights > 0))
    if stay is not None:
        starts = np.concatenate([np.zeros(1, dtype=np.int64), starts[1:][stay]])
        weights, classes = weights[stay], classes.take(stay)
    for array in (starts, tokens, counts, documents, weights):
        sealed(array)
    made = object.__new__(Tokens)
    made._put(classes, vocabulary, starts, tokens, counts, documents, weights, columns)  # pyright: ignore[reportPrivateUsage]
    return made


def _merged(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    # The union of two rising runs of keys, and where those of each stand in it.
    at = np.searchsorted(left, right)
    there = at < len(left)
    there[there] = left[at[there]] == right[there]
    fresh = np.flatnonzero(~there)
    if not len(fresh):
        return left, np.arange(len(left)), at
    before = np.cumsum(np.bincount(at[fresh], minlength=len(left) + 1))
    at_left = np.arange(len(left)) + before[: len(left)]
    at_right = np.empty(len(right), dtype=np.int64)
    at_right[fresh] = at[fresh] + np.arange(len(fresh))
    at_right[there] = at_left[at[there]]
    keys = np.empty(len(left) + len(fresh), dtype=np.int64)
    keys[at_left], keys[at_right] = left, right
    return keys, at_left, at_right


def _of_parts(
    classes: Axis, vocabulary: Vocabulary, parts: Iterable[_Side], weights: FloatArray, columns: int
) -> Tokens:
    # What is zero vanishes: pairs, then tokens, then classes. Nothing is kept twice: of millions of pairs that counts.
    width = max(1, columns or len(vocabulary))
    which: list[TokenArray] = []
    counts: list[FloatArray] = []
    documents: list[FloatArray] = []
    sizes = np.zeros(len(classes), dtype=np.int64)
    for keys, much, seen in parts:
        stay = (much > 0) | (seen > 0)
        some = slice(None) if stay.all() else stay
        of_class, token = np.divmod(keys[some], width)
        sizes += np.bincount(of_class, minlength=len(classes))[: len(classes)]
        which.append(token.astype(np.int32))
        counts.append(much[some])
        documents.append(seen[some])
    tokens = _end_to_end(which, np.int32)
    if not columns:
        used = np.zeros(len(vocabulary), dtype=np.bool_)
        used[tokens] = True
        if not used.all():
            vocabulary = vocabulary.take(used)
            tokens = (np.cumsum(used) - 1).astype(np.int32)[tokens]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    much, seen = _end_to_end(counts, np.float64), _end_to_end(documents, np.float64)
    for name, values in (("counts", much), ("documents", seen)):
        require(name, values, lambda at: f"pair {at[0]}", "Give finite counts ≥ 0.")
    require("weights", weights, named(("class", classes.labels)), "Give finite weights ≥ 0.")
    return tokens_in_order(classes, vocabulary, starts, tokens, much, seen, weights, columns)


def _end_to_end(parts: list[Any], dtype: Any) -> Any:
    # The parts are let go.
    whole = np.concatenate(parts) if parts else np.zeros(0, dtype=dtype)
    parts.clear()
    return whole
