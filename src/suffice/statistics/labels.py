"""The canonical form of a label: what makes two class labels or two levels the same one.

    kind     rank   holds                                   the same                 not the same
    none        0   None (missing, kept as a level)
    bool        1   True, False, numpy.bool                                          True is not 1
    number      2   int, float and NumPy's, never NaN       1.0 is 1, −0.0 is 0      "1" is not 1
    text        3   str, numpy.str_
    bytes       4   bytes, numpy.bytes_                                              b"a" is not "a"
    tuple       5   a tuple of the above (a joint level)    (1.0, "a") is (1, "a")   (True,) is not (1,)

Labels are ordered by (rank, value). Python's own `==` cannot tell True from 1, so a label is looked up by its *key*:
the label itself where that is unambiguous (number, text, bytes: no extra memory), else a tuple with the rank.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import numpy as np

from suffice.errors import DataError

__all__ = ["BOOL", "BYTES", "NONE", "NUMBER", "TEXT", "TUPLE", "Key", "Label", "Scalar", "canonical", "key_of_label"]

Scalar: TypeAlias = "bool | int | float | str | bytes | None"
Label: TypeAlias = "Scalar | tuple[Scalar, ...]"
Key: TypeAlias = object  # hashable, and comparable with the keys of the same kind

NONE, BOOL, NUMBER, TEXT, BYTES, TUPLE = range(6)

# A whole float has at most 1,024 bits. Nobody counts with longer ints, and Python refuses to print the longest.
_LONGEST_INT_BITS = 1024


def canonical(label: object) -> tuple[int, Label]:
    """Return the kind and the canonical form of a label.

    Parameters
    ----------
    label : object
        A class label or a level, as the user gave it.

    Returns
    -------
    (int, Label)
        The rank of its kind and plain Python value.

    Raises
    ------
    DataError
        When the label is NaN or of a type that has no canonical form.

    Examples
    --------
    >>> canonical(1.0), canonical("1"), canonical(np.True_)
    ((2, 1), (3, '1'), (1, True))
    """
    if isinstance(label, tuple):
        return TUPLE, tuple(_scalar(part)[1] for part in cast("tuple[object, ...]", label))
    return _scalar(label)


def key_of_label(kind: int, label: Label) -> Key:
    """Return what a canonical label is looked up by: equal keys are the same label."""
    if kind == NONE:
        return (NONE,)  # comparable, which None is not: Axis sorts before it finds a label twice
    if kind == BOOL:
        return BOOL, label
    if kind == TUPLE:
        assert isinstance(label, tuple)
        return tuple(_scalar(part) for part in label)
    return label


def _scalar(label: object) -> tuple[int, Scalar]:
    if isinstance(label, str):
        return TEXT, str.__str__(label)  # a plain str also of a str that is an Enum
    if label is None:
        return NONE, None
    if isinstance(label, (bool, np.bool_)):
        return BOOL, bool(cast("Any", label))
    if isinstance(label, (int, np.integer)):
        whole = int(cast("Any", label))
        if whole.bit_length() > _LONGEST_INT_BITS:
            raise DataError(
                f"a label cannot be a whole number of {whole.bit_length()} bits: at most {_LONGEST_INT_BITS} are read. "
                "Convert it to text."
            )
        return NUMBER, whole
    if isinstance(label, (float, np.floating)):
        number = float(cast("Any", label))
        if number != number:
            raise DataError(
                "a label cannot be NaN, which is not equal to itself and would never be found again. "
                "Use None for a missing label, or convert it to text."
            )
        return NUMBER, int(number) if number.is_integer() else number
    if isinstance(label, bytes):
        return BYTES, bytes(label)
    raise DataError(
        f"a label must be None, a bool, a number, text, bytes or a tuple of those: got {_shown(label)}. "
        "Convert it to text, for example with str(label)."
    )


def _shown(label: object) -> str:
    text = repr(label)
    return f"{text if len(text) <= 80 else text[:77] + '...'} ({type(label).__name__})"
