"""A strip of text: one sign for each number of a list, as high as the number is large."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["strip"]

_HEIGHTS = "▁▂▃▄▅▆▇█"
_DIGITS = "0123456789"
_NONE = "·"


def strip(shares: Sequence[float]) -> str:
    """Return a sign for each share from 0 to 1: the higher the greater, a dot for what is below half a percent.

    Examples
    --------
    >>> strip([0.0, 0.01, 0.5, 1.0])
    '·▁▅█'
    """
    plain = not _can_print(_HEIGHTS + _NONE)
    signs, none = (_DIGITS, ".") if plain else (_HEIGHTS, _NONE)
    return "".join(none if share < 0.005 else signs[min(int(share * len(signs)), len(signs) - 1)] for share in shares)


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
