"""The canonical form of labels."""

from __future__ import annotations

import datetime
import enum
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from suffice.errors import DataError
from suffice.statistics.labels import BOOL, BYTES, NONE, NUMBER, TEXT, TUPLE, canonical, key_of_label


class Colour(str, enum.Enum):  # noqa: UP042  (older than StrEnum, and str() of it differs)
    RED = "red"


class Size(enum.IntEnum):
    BIG = 3


@pytest.mark.parametrize(
    ("label", "kind", "plain"),
    [
        (None, NONE, None),
        (True, BOOL, True),
        (np.False_, BOOL, False),
        (1, NUMBER, 1),
        (1.0, NUMBER, 1),
        (np.float32(1), NUMBER, 1),
        (np.uint64(2**64 - 1), NUMBER, 2**64 - 1),
        (-0.0, NUMBER, 0),
        (0.5, NUMBER, 0.5),
        (np.float64(0.5), NUMBER, 0.5),
        (float("-inf"), NUMBER, float("-inf")),
        (1e300, NUMBER, int(1e300)),
        (Size.BIG, NUMBER, 3),
        ("1", TEXT, "1"),
        (np.str_("a"), TEXT, "a"),
        (Colour.RED, TEXT, "red"),
        (b"a", BYTES, b"a"),
        (np.bytes_(b"a"), BYTES, b"a"),
        ((1.0, np.True_, "a", None), TUPLE, (1, True, "a", None)),
        ((), TUPLE, ()),
    ],
)
def test_canonical_form(label: Any, kind: int, plain: Any) -> None:
    assert canonical(label) == (kind, plain)
    assert type(canonical(label)[1]) is type(plain)


def test_what_python_confuses_has_different_keys() -> None:
    labels = [1, True, "1", b"1", (1,), (True,), ("1",), None, (None,), (), 0, False]
    assert len({key_of_label(*canonical(label)) for label in labels}) == len(labels)


def test_nan_is_refused() -> None:
    text = "a label must not be NaN, which is not equal to itself. Use None for a missing label, or convert it to text."
    for label in (float("nan"), np.float32("nan"), ("a", float("nan"))):
        with pytest.raises(DataError) as error:
            canonical(label)
        assert str(error.value) == text


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        (datetime.date(2026, 1, 2), "datetime.date(2026, 1, 2) (date)"),
        (Decimal("1.5"), "Decimal('1.5') (Decimal)"),
        (np.datetime64("2026-01-02"), "np.datetime64('2026-01-02') (datetime64)"),
        (1j, "1j (complex)"),
        ([1], "[1] (list)"),
        (("a", ("b",)), "('b',) (tuple)"),
        (["x" * 200], "['" + "x" * 75 + "... (list)"),
    ],
)
def test_other_types_are_refused(label: Any, shown: str) -> None:
    with pytest.raises(DataError) as error:
        canonical(label)
    assert str(error.value) == (
        f"a label must be None, a bool, a number, text, bytes or a tuple of those: got {shown}. "
        "Convert it to text, for example with str(label)."
    )


def test_a_number_nobody_can_print_is_refused() -> None:
    assert canonical(2**1024 - 1)[0] == NUMBER
    with pytest.raises(DataError) as error:
        canonical(2**1024)
    assert str(error.value) == ("an integer label may have at most 1024 bits: got 1025. Convert it to text.")
