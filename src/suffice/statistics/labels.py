"""The canonical form of a label, which decides whether two class labels or levels are the same.

    kind     rank   values                                  equal                    not equal
    none        0   None (missing, kept as a level)
    bool        1   True, False, numpy.bool                                          True is not 1
    number      2   int, float, NumPy numbers, never NaN    1.0 is 1, −0.0 is 0      "1" is not 1
    text        3   str, numpy.str_
    bytes       4   bytes, numpy.bytes_                                              b"a" is not "a"
    tuple       5   a tuple of the above (a joint level)    (1.0, "a") is (1, "a")   (True,) is not (1,)

Labels are sorted by (rank, value). In Python True == 1, so labels are looked up by a *key*: the label itself for
numbers, text and bytes (no extra memory), otherwise a tuple that contains the rank.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import numpy as np

from suffice.errors import DataError

__all__ = [
    "BOOL",
    "BYTES",
    "NONE",
    "NUMBER",
    "TEXT",
    "TUPLE",
    "Key",
    "Label",
    "Scalar",
    "canonical",
    "key_of_label",
    "label_text",
    "quote_label",
    "spells",
]

Scalar: TypeAlias = "bool | int | float | str | bytes | None"
Label: TypeAlias = "Scalar | tuple[Scalar, ...]"
Key: TypeAlias = object  # hashable, and comparable with the keys of the same kind

NONE, BOOL, NUMBER, TEXT, BYTES, TUPLE = range(6)

# The largest float has 1,024 bits. Longer integers are not useful as labels, and Python refuses to print the longest.
_LONGEST_INT_BITS = 1024


def canonical(label: object) -> tuple[int, Label]:
    """Return the kind and the canonical form of a label.

    Parameters
    ----------
    label : object
        A class label or level, as passed by the user.

    Returns
    -------
    (int, Label)
        The rank of its kind, and the label as a built-in Python value.

    Raises
    ------
    DataError
        If the label is NaN or of an unsupported type.

    Examples
    --------
    >>> canonical(1.0), canonical("1"), canonical(np.True_)
    ((2, 1), (3, '1'), (1, True))
    """
    if isinstance(label, tuple):
        return TUPLE, tuple(_scalar(part)[1] for part in cast("tuple[object, ...]", label))
    return _scalar(label)


def key_of_label(kind: int, label: Label) -> Key:
    """Return the lookup key of a canonical label: labels are the same if and only if their keys are equal."""
    if kind == NONE:
        return (NONE,)  # unlike None it can be compared: Axis sorts keys before it checks for duplicates
    if kind == BOOL:
        return BOOL, label
    if kind == TUPLE:
        assert isinstance(label, tuple)
        return tuple(_scalar(part) for part in label)
    return label


def label_text(label: object) -> str:
    """Return a label as spelled in files: true for True, the parts of a tuple with commas, "missing" for None.

    Examples
    --------
    >>> label_text(True), label_text(3), label_text(("basic", "card")), label_text(None)
    ('true', '3', 'basic, card', 'missing')
    """
    if label is None:
        return "missing"
    if isinstance(label, tuple):
        return ", ".join(map(label_text, cast("tuple[object, ...]", label)))
    return str(label).lower() if isinstance(label, bool) else str(label)


def quote_label(label: object) -> str:
    """Return a label as shown in messages: text in quotes, anything else as spelled in files.

    Examples
    --------
    >>> quote_label("yes"), quote_label(True), quote_label(1)
    ("'yes'", 'true', '1')
    """
    return repr(label) if isinstance(label, str) else label_text(label)


def spells(text: str, label: Label) -> bool:
    """Return whether a text is the spelling of a label; a boolean may be in any case, since R writes TRUE.

    Examples
    --------
    >>> spells("TRUE", True), spells("1", 1), spells("Yes", "yes")
    (True, True, False)
    """
    return (text.lower() if isinstance(label, bool) else text) == label_text(label)


def _scalar(label: object) -> tuple[int, Scalar]:
    if isinstance(label, str):
        return TEXT, str.__str__(label)  # a plain str, also for a str Enum
    if label is None:
        return NONE, None
    if isinstance(label, (bool, np.bool_)):
        return BOOL, bool(cast("Any", label))
    if isinstance(label, (int, np.integer)):
        integer = int(cast("Any", label))
        if integer.bit_length() > _LONGEST_INT_BITS:
            raise DataError(
                f"an integer label may have at most {_LONGEST_INT_BITS} bits: got {integer.bit_length()}. "
                "Convert it to text."
            )
        return NUMBER, integer
    if isinstance(label, (float, np.floating)):
        number = float(cast("Any", label))
        if number != number:
            raise DataError(
                "a label must not be NaN, which is not equal to itself. "
                "Use None for a missing label, or convert it to text."
            )
        return NUMBER, int(number) if number.is_integer() else number
    if isinstance(label, bytes):
        return BYTES, bytes(label)
    raise DataError(
        f"a label must be None, a bool, a number, text, bytes or a tuple of those: got {_shown_with_type(label)}. "
        "Convert it to text, for example with str(label)."
    )


def _shown_with_type(label: object) -> str:
    text = repr(label)
    return f"{text if len(text) <= 80 else text[:77] + '...'} ({type(label).__name__})"
