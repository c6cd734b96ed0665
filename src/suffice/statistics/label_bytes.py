"""Labels encoded as arrays for the model file, without JSON or pickle; every byte is validated on reading.

    kinds     uint8 (n,)      the rank of each label's kind (labels.py)
    offsets   int64 (n + 1,)  label i is text[offsets[i]:offsets[i + 1]]; offsets[0] = 0, offsets[n] = len(text)
    text      uint8 (m,)      none: empty · bool: 0 or 1 · number: its repr in Python ·
                              text: UTF-8 (a lone surrogate is encoded as three bytes) · bytes: as they are ·
                              tuple: for each part, the kind as one byte, the length in digits, a colon, the part's text

Every label has exactly one encoding; any other is an error, so decoding and encoding are inverse to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError
from suffice.statistics.arrays import require_stored
from suffice.statistics.labels import BOOL, BYTES, NONE, NUMBER, TEXT, TUPLE, Label, Scalar, canonical

__all__ = ["labels_from_arrays", "labels_to_arrays", "pack_labels"]

_LONGEST_NUMBER = 320  # characters of the longest number that labels.py accepts, with some margin
_SHORT_NUMBER = 18  # digits that always fit into an int64
_MINUS, _ZERO = b"-0"


def labels_to_arrays(kinds: bytes, labels: Iterable[Label], prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Return the labels as three arrays: `prefix.kinds`, `prefix.offsets` and `prefix.text`."""
    lengths, text = _encode_labels(kinds, list(labels))
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return {
        f"{prefix}.kinds": np.frombuffer(kinds, dtype=np.uint8),
        f"{prefix}.offsets": offsets,
        f"{prefix}.text": np.frombuffer(text, dtype=np.uint8),
    }


def labels_from_arrays(arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> list[Label]:
    """Return the labels encoded by the arrays; raise DataError if the encoding is not canonical."""
    kinds = require_stored(arrays, f"{prefix}.kinds", np.uint8, 1)
    offsets = require_stored(arrays, f"{prefix}.offsets", np.int64, 1)
    text = require_stored(arrays, f"{prefix}.text", np.uint8, 1).tobytes()
    if len(offsets) != len(kinds) + 1:
        raise DataError(
            f"{prefix}.offsets must have one more entry than {prefix}.kinds: got {len(offsets)} for {len(kinds)}. "
            "The stored statistics are damaged: write them again."
        )
    if offsets[0] != 0 or offsets[-1] != len(text) or (offsets[1:] < offsets[:-1]).any():
        raise DataError(
            f"{prefix}.offsets must increase from 0 to the length of {prefix}.text, {len(text)}. "
            "The stored statistics are damaged: write them again."
        )
    uniform = _decode_uniform(kinds, offsets, text)
    if uniform is not None:
        return uniform
    ends: list[int] = offsets.tolist()
    labels: list[Label] = []
    for i, kind in enumerate(kinds.tolist()):
        try:
            labels.append(_decode(kind, text[ends[i] : ends[i + 1]]))
        except ValueError as reason:
            raise DataError(
                f"{prefix}: label {i} is invalid ({reason}). The stored statistics are damaged: write them again."
            ) from None
    return labels


def _encode_labels(kinds: bytes, labels: list[Any]) -> tuple[list[int], bytes]:
    # The length of each label's text, and the concatenated text. Vocabularies and column names have one kind.
    present = set(kinds)
    if present in ({TEXT}, {NUMBER}):
        texts = labels if TEXT in present else list(map(repr, labels))
        joined = "".join(texts)
        if joined.isascii():
            return list(map(len, texts)), joined.encode("ascii")
    encoded = [_encode(kind, label) for kind, label in zip(kinds, labels, strict=True)]
    return list(map(len, encoded)), b"".join(encoded)


def _decode_uniform(kinds: npt.NDArray[Any], offsets: npt.NDArray[Any], text: bytes) -> list[Label] | None:
    # Vectorised decoding of labels that are all text (or None), or all 64-bit integers. Returns None for other labels
    # and for invalid ones, which are then decoded one by one to name the first.
    present = set(kinds.tobytes())
    if present <= {TEXT, NONE}:
        texts: list[Any] | None = _decode_texts(offsets, text)
        if texts is not None and NONE in present:
            none = kinds == NONE
            if np.diff(offsets)[none].any():
                return None
            for i in np.flatnonzero(none).tolist():
                texts[i] = None
        return texts
    if present == {NUMBER}:
        return _decode_integers(offsets, np.frombuffer(text, dtype=np.uint8))
    return None


def _decode_integers(offsets: npt.NDArray[Any], text: npt.NDArray[Any]) -> list[Label] | None:
    starts, lengths = offsets[:-1], np.diff(offsets)
    if lengths.min() < 1 or lengths.max() > _SHORT_NUMBER:
        return None
    minus = text[starts] == _MINUS
    leading = text[np.minimum(starts + minus, len(text) - 1)]
    if ((lengths == minus) | ((leading == _ZERO) & (lengths > 1))).any():  # "-", "-0", "01"
        return None
    numbers = np.zeros(len(starts), dtype=np.int64)
    for i in range(int(lengths.max())):
        has_digit = (i < lengths) & (i >= minus)
        digits = text[np.where(has_digit, starts + i, 0)].astype(np.int64) - _ZERO
        if (has_digit & ((digits < 0) | (digits > 9))).any():
            return None
        numbers = np.where(has_digit, numbers * 10 + digits, numbers)
    return np.where(minus, -numbers, numbers).tolist()


def _decode_texts(offsets: npt.NDArray[Any], text: bytes) -> list[str] | None:
    if text.isascii():
        decoded, ends = text.decode("ascii"), offsets
    else:
        try:
            decoded = text.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return None
        starts = (np.frombuffer(text, dtype=np.uint8) & 0xC0) != 0x80  # the first byte of each character
        if not starts[offsets[offsets < len(text)]].all():
            return None
        ends = np.concatenate([[0], np.cumsum(starts)])[offsets]
    return [decoded[start:end] for start, end in pairwise(ends.tolist())]


def _encode(kind: int, label: Label) -> bytes:
    if kind == TEXT:
        assert isinstance(label, str)
        return label.encode("utf-8", "surrogatepass")
    if isinstance(label, tuple):
        parts: list[bytes] = []
        for part in label:
            part_kind = canonical(part)[0]
            text = _encode(part_kind, part)
            parts.append(b"%c%d:%s" % (part_kind, len(text), text))
        return b"".join(parts)
    if kind == NUMBER:
        return repr(label).encode("ascii")
    if isinstance(label, bytes):
        return label
    return b"" if label is None else b"%d" % int(label)


def _decode(kind: int, text: bytes) -> Label:
    return _decode_tuple(text) if kind == TUPLE else _decode_scalar(kind, text)


def _decode_scalar(kind: int, text: bytes) -> Scalar:
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise ValueError(f"kind {kind} is unknown")
    return decoder(text)


def _decode_none(text: bytes) -> None:
    if text:
        raise ValueError("None must have no text")


def _decode_bool(text: bytes) -> bool:
    if text not in (b"0", b"1"):
        raise ValueError("a boolean must be 0 or 1")
    return text == b"1"


def _decode_number(text: bytes) -> int | float:
    # The length is checked first, so that no time is spent on parsing very long text.
    if len(text) <= _LONGEST_NUMBER:
        for parse in (int, float):
            try:
                number = canonical(parse(text.decode("ascii")))[1]
            except (ValueError, OverflowError):
                continue
            if repr(number).encode("ascii") == text and isinstance(number, (int, float)):
                return number
    raise ValueError("not a canonical number")


def _decode_text(text: bytes) -> str:
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None


def _decode_bytes(text: bytes) -> bytes:
    return text


def _decode_tuple(text: bytes) -> tuple[Scalar, ...]:
    parts: list[Scalar] = []
    position = 0
    while position < len(text):
        colon = text.find(b":", position + 1, position + 22)  # 20 digits are enough for a 64-bit length
        digits = text[position + 1 : max(colon, 0)]
        length = int(digits) if digits.isdigit() else -1
        start = colon + 1
        if length < 0 or b"%d" % length != digits or length > len(text) - start:
            raise ValueError("a part of the tuple has an invalid length")
        parts.append(_decode_scalar(text[position], text[start : start + length]))
        position = start + length
    return tuple(parts)


_DECODERS: dict[int, Callable[[bytes], Scalar]] = {
    NONE: _decode_none,
    BOOL: _decode_bool,
    NUMBER: _decode_number,
    TEXT: _decode_text,
    BYTES: _decode_bytes,
}


def pack_labels(prefix: str, labels: Iterable[object]) -> dict[str, npt.NDArray[Any]]:
    """Return labels of any kind as arrays named after the prefix."""
    pairs = [canonical(label) for label in labels]
    return labels_to_arrays(bytes(kind for kind, _ in pairs), [label for _, label in pairs], prefix)
