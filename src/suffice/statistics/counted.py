"""How many there are of something, in words: 1 row, 2 rows, 1,234 classes."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: float, noun: str) -> str:
    """Return the number and the noun that goes with it.

    Examples
    --------
    >>> counted(1, "row"), counted(1234, "row"), counted(0, "class"), counted(1.25, "row")
    ('1 row', '1,234 rows', '0 classes', '1.25 rows')
    """
    shown = f"{number:,.0f}" if number == int(number) else f"{number:,.4g}"
    if number == 1:
        return f"{shown} {noun}"
    return f"{shown} {noun}es" if noun.endswith("s") else f"{shown} {noun}s"
