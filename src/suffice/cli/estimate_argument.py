"""The estimate, as --estimate takes it: each name, and what it is."""

from __future__ import annotations

from difflib import get_close_matches

import typer

__all__ = ["READINGS", "estimate_of"]

# The names of plan/reading.py, which is not imported for --help and completion; a test holds the two together.
READINGS = {
    "predictive": "the parameters integrated out",
    "mean": "the posterior mean",
    "map": "the posterior mode",
    "smoothed": "with pseudo-counts added",
    "mle": "what was seen, and nothing else",
}


def estimate_of(text: str | None) -> str | None:
    """Return the name of an estimate, checked."""
    if text is None or text in READINGS:
        return text
    close = get_close_matches(text, READINGS, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(READINGS)}."
    raise typer.BadParameter(f"there is no estimate {text!r}. {hint}", param_hint="--estimate")
