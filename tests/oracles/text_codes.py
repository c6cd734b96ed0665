"""Texts to codes, slowly: a dict from text to the number of its first appearance."""

from __future__ import annotations

from collections.abc import Iterable

MISSING, UNSEEN = -1, -2


def encode(texts: Iterable[str | None], known: dict[str, int], grow: bool) -> list[int]:
    """Return the code of each text, and add the new ones to `known` when it may grow."""
    codes: list[int] = []
    for text in texts:
        if text is None:
            codes.append(MISSING)
        elif text in known:
            codes.append(known[text])
        elif grow:
            codes.append(len(known))
            known[text] = len(known)
        else:
            codes.append(UNSEEN)
    return codes
