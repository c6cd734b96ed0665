"""Bars of text, for the terminal: a length is seen before a number is read."""

from __future__ import annotations

import math
import sys

__all__ = ["bar", "signed_bar"]

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FULL = "█"


def bar(value: float, greatest: float, width: int = 24) -> str:
    """Return a bar as long as value is of the greatest, in eighths of a character where the terminal has them.

    Examples
    --------
    >>> bar(3, 4, 8)
    '██████'
    >>> bar(0.5, 4, 8)
    '█'
    >>> bar(math.inf, math.inf, 4)
    '████'
    """
    if not value > 0 or not greatest > 0:
        return ""
    share = 1.0 if math.isinf(value) else min(1.0, value / greatest)
    eighths = max(1, round(share * width * 8))
    if not _can_print(_EIGHTHS):
        return "#" * max(1, round(share * width))
    return (_FULL * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def signed_bar(value: float, greatest: float, width: int = 12) -> str:
    """Return a bar to the right of the middle for what is positive, to the left for what is negative.

    Examples
    --------
    >>> signed_bar(1, 1, 3), signed_bar(-1, 1, 3)
    ('   │███', '███│')
    """
    middle = "│" if _can_print("│") else "|"
    if value >= 0:
        return " " * width + middle + bar(value, greatest, width)
    # There are no blocks that grow from the right, so this side is rounded to whole characters.
    share = 1.0 if math.isinf(value) else min(1.0, -value / greatest)
    length = max(1, round(share * width))
    return " " * (width - length) + (_FULL if _can_print(_FULL) else "#") * length + middle


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
