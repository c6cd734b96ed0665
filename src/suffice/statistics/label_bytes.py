"""Labels as arrays, for the model file: never JSON, never pickle, and nothing read is trusted.

    kinds     uint8 (n,)      the rank of each label's kind (labels.py)
    offsets   int64 (n + 1,)  label i is text[offsets[i]:offsets[i + 1]]; offsets[0] = 0, offsets[n] = len(text)
    text      uint8 (m,)      none: nothing · bool: 0 or 1 · number: its decimal digits as Python prints them ·
                              text: UTF-8 (a lone surrogate passes as its three bytes) · bytes: themselves ·
                              tuple: per part, kind as one byte, length in digits, a colon, the part's own text

Every label has exactly one spelling, and reading refuses any other: what is read back is what was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.frozen_arrays import stored
from suffice.statistics.labels import BOOL, BYTES, NONE, NUMBER, TEXT, TUPLE, Label, Scalar, canonical

__all__ = ["labels_from_arrays", "labels_to_arrays"]

_LONGEST_NUMBER = 320  # digits of the longest number that labels.py allows, and its sign, with room
_SHORT_NUMBER = 18  # so many digits never leave a machine's word
_MINUS, _ZERO = b"-0"


def labels_to_arrays(kinds: bytes, labels: Iterable[Label], prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Return the three arrays that spell the labels, named `prefix.kinds`, `prefix.offsets` and `prefix.text`."""
    lengths, text = _spelled(kinds, list(labels))
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return {
        f"{prefix}.kinds": np.frombuffer(kinds, dtype=np.uint8),
        f"{prefix}.offsets": offsets,
        f"{prefix}.text": np.frombuffer(text, dtype=np.uint8),
    }


def labels_from_arrays(arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> list[Label]:
    """Return the labels spelled by the arrays, or raise DataError when they could not have been written here."""
    kinds = stored(arrays, f"{prefix}.kinds", np.uint8, 1)
    offsets = stored(arrays, f"{prefix}.offsets", np.int64, 1)
    text = stored(arrays, f"{prefix}.text", np.uint8, 1).tobytes()
    if len(offsets) != len(kinds) + 1:
        raise DataError(
            f"{prefix}.offsets must have one entry more than {prefix}.kinds: got {len(offsets)} for {len(kinds)}. "
            "The stored statistics are damaged: write them again."
        )
    if offsets[0] != 0 or offsets[-1] != len(text) or (offsets[1:] < offsets[:-1]).any():
        raise DataError(
            f"{prefix}.offsets must rise from 0 to the length of {prefix}.text, {len(text)}. "
            "The stored statistics are damaged: write them again."
        )
    at_once = _read_at_once(kinds, offsets, text)
    if at_once is not None:
        return at_once
    ends: list[int] = offsets.tolist()
    labels: list[Label] = []
    for i, kind in enumerate(kinds.tolist()):
        try:
            labels.append(_read(kind, text[ends[i] : ends[i + 1]]))
        except ValueError as reason:
            raise DataError(
                f"{prefix}: label {i} is misspelled ({reason}). The stored statistics are damaged: write them again."
            ) from None
    return labels


def _spelled(kinds: bytes, labels: list[Any]) -> tuple[list[int], bytes]:
    # The length of each label's text, and all the text. A vocabulary and the names of columns are of one kind.
    only = set(kinds)
    if only in ({TEXT}, {NUMBER}):
        shown = labels if TEXT in only else list(map(repr, labels))
        together = "".join(shown)
        if together.isascii():
            return list(map(len, shown)), together.encode("ascii")
    spelled = [_spell(kind, label) for kind, label in zip(kinds, labels, strict=True)]
    return list(map(len, spelled)), b"".join(spelled)


def _read_at_once(kinds: npt.NDArray[Any], offsets: npt.NDArray[Any], text: bytes) -> list[Label] | None:
    # Labels that are all text (or None among it), or all whole numbers of a machine's size; None for all others, and
    # where something is wrong: one by one it is found and named.
    only = set(kinds.tobytes())
    if only <= {TEXT, NONE}:
        texts: list[Any] | None = _texts(offsets, text)
        if texts is not None and NONE in only:
            none = kinds == NONE
            if np.diff(offsets)[none].any():
                return None
            for i in np.flatnonzero(none).tolist():
                texts[i] = None
        return texts
    if only == {NUMBER}:
        return _whole_numbers(offsets, np.frombuffer(text, dtype=np.uint8))
    return None


def _whole_numbers(offsets: npt.NDArray[Any], text: npt.NDArray[Any]) -> list[Label] | None:
    starts, lengths = offsets[:-1], np.diff(offsets)
    if lengths.min() < 1 or lengths.max() > _SHORT_NUMBER:
        return None
    minus = text[starts] == _MINUS
    leading = text[np.minimum(starts + minus, len(text) - 1)]
    if ((lengths == minus) | ((leading == _ZERO) & (lengths > 1))).any():  # "-", "-0", "01"
        return None
    numbers = np.zeros(len(starts), dtype=np.int64)
    for at in range(int(lengths.max())):
        here = (at < lengths) & (at >= minus)
        digits = text[np.where(here, starts + at, 0)].astype(np.int64) - _ZERO
        if (here & ((digits < 0) | (digits > 9))).any():
            return None
        numbers = np.where(here, numbers * 10 + digits, numbers)
    return np.where(minus, -numbers, numbers).tolist()


def _texts(offsets: npt.NDArray[Any], text: bytes) -> list[str] | None:
    if text.isascii():
        whole, ends = text.decode("ascii"), offsets
    else:
        try:
            whole = text.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return None
        starts = (np.frombuffer(text, dtype=np.uint8) & 0xC0) != 0x80  # the first byte of each character
        if not starts[offsets[offsets < len(text)]].all():
            return None
        ends = np.concatenate([[0], np.cumsum(starts)])[offsets]
    return [whole[start:end] for start, end in pairwise(ends.tolist())]


def _spell(kind: int, label: Label) -> bytes:
    if kind == TEXT:
        assert isinstance(label, str)
        return label.encode("utf-8", "surrogatepass")
    if isinstance(label, tuple):
        parts: list[bytes] = []
        for part in label:
            part_kind = canonical(part)[0]
            text = _spell(part_kind, part)
            parts.append(b"%c%d:%s" % (part_kind, len(text), text))
        return b"".join(parts)
    if kind == NUMBER:
        return repr(label).encode("ascii")
    if isinstance(label, bytes):
        return label
    return b"" if label is None else b"%d" % int(label)


def _read(kind: int, text: bytes) -> Label:
    return _read_tuple(text) if kind == TUPLE else _read_scalar(kind, text)


def _read_scalar(kind: int, text: bytes) -> Scalar:
    reader = _READERS.get(kind)
    if reader is None:
        raise ValueError(f"kind {kind} is unknown")
    return reader(text)


def _read_none(text: bytes) -> None:
    if text:
        raise ValueError("None has no text")


def _read_bool(text: bytes) -> bool:
    if text not in (b"0", b"1"):
        raise ValueError("a bool is 0 or 1")
    return text == b"1"


def _read_number(text: bytes) -> int | float:
    # The length comes first, so that no time goes into the digits of a number that cannot be one.
    if len(text) <= _LONGEST_NUMBER:
        for parse in (int, float):
            try:
                number = canonical(parse(text.decode("ascii")))[1]
            except (ValueError, OverflowError):
                continue
            if repr(number).encode("ascii") == text and isinstance(number, (int, float)):
                return number
    raise ValueError("not a number as it is written here")


def _read_text(text: bytes) -> str:
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None


def _read_bytes(text: bytes) -> bytes:
    return text


def _read_tuple(text: bytes) -> tuple[Scalar, ...]:
    parts: list[Scalar] = []
    at = 0
    while at < len(text):
        colon = text.find(b":", at + 1, at + 22)  # 20 digits hold any 64-bit length
        digits = text[at + 1 : max(colon, 0)]
        length = int(digits) if digits.isdigit() else -1
        start = colon + 1
        if length < 0 or b"%d" % length != digits or length > len(text) - start:
            raise ValueError("a part of the tuple has no proper length")
        parts.append(_read_scalar(text[at], text[start : start + length]))
        at = start + length
    return tuple(parts)


_READERS: dict[int, Callable[[bytes], Scalar]] = {
    NONE: _read_none,
    BOOL: _read_bool,
    NUMBER: _read_number,
    TEXT: _read_text,
    BYTES: _read_bytes,
}
