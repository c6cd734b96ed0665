"""What a user says of text, checked: the parameters that Words and Chars have in common."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, cast, get_args

import numpy as np

from suffice.conjugate.arguments import is_real, option
from suffice.errors import ParameterError
from suffice.likelihoods.collect import TermFrequency
from suffice.likelihoods.token_reading import EvidencePrior, TextModel

__all__ = [
    "alpha_of",
    "characters_of",
    "hashed_of",
    "max_df_of",
    "ngrams_of",
    "require_choices",
    "require_flags",
    "require_reading",
    "stop_words_of",
    "whole_of",
]

_MOST_GRAMS, _FEWEST_BITS, _MOST_BITS = 64, 4, 30


def ngrams_of(given: Any) -> tuple[int, int]:
    """Return the least and the greatest length of n-grams, given as one number or two."""
    pair = (given, given) if _is_whole(given) else given
    if isinstance(pair, (tuple, list)):
        both: list[Any] = [*cast("Any", pair)]
        if len(both) == 2 and all(map(_is_whole, both)) and 1 <= both[0] <= both[1] <= _MOST_GRAMS:
            return int(both[0]), int(both[1])
    raise ParameterError(
        f"ngrams must be a number from 1 to {_MOST_GRAMS}, or two of them, (from, to): got {given!r}. "
        "Give (1, 2) for words and pairs of words."
    )


def whole_of(name: str, given: Any, least: int, *, none: bool = False) -> int | None:
    """Return a whole number that is at least so large, or None where that is allowed."""
    if given is None and none:
        return None
    number: Any = given
    if not _is_whole(given) or number < least:
        raise ParameterError(f"{name} must be a whole number ≥ {least}{' or None' if none else ''}: got {given!r}.")
    return int(number)


def require_choices(model: Any, tf: Any, accents: Any) -> None:
    """Raise ParameterError unless each is one of the words that it may be."""
    option("model", model, get_args(TextModel))
    option("tf", tf, get_args(TermFrequency))
    option("accents", accents, ("keep", "strip"))


def require_flags(**flags: Any) -> None:
    """Raise ParameterError unless each is True or False."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise ParameterError(f"{name} must be True or False: got {value!r}.")


def characters_of(given: Any) -> str:
    """Return the set of characters, sorted, each once; nothing for all of them."""
    if given is None:
        return ""
    if isinstance(given, tuple) and all(isinstance(each, str) for each in cast("tuple[Any, ...]", given)):
        given = "".join(cast("tuple[str, ...]", given))
    if not isinstance(given, str) or not given:
        raise ParameterError(
            f"characters must be a text of the characters that tokens are made of: got {given!r}. "
            "Give for example '{}[]();'."
        )
    _require_spelling("characters", given)
    return "".join(sorted(set(given)))


def stop_words_of(given: Any) -> tuple[str, ...]:
    """Return the stop words, sorted, each once."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError(f"stop_words must be a list of words: got {given!r}. Give for example ['the', 'of'].")
    words = list(cast("Iterable[Any]", given))
    for word in words:
        if not isinstance(word, str) or not word:
            raise ParameterError(f"stop_words must be words: got {word!r} among them.")
        _require_spelling("stop_words", word)
    return tuple(sorted(set(words)))


def hashed_of(given: Any) -> int | None:
    """Return b of 2^b hashed columns."""
    if given is None:
        return None
    if not _is_whole(given) or not _FEWEST_BITS <= given <= _MOST_BITS:
        raise ParameterError(
            f"hashed must be from {_FEWEST_BITS} to {_MOST_BITS}, for 2^hashed columns: got {given!r}. "
            "Give 20 for about a million columns."
        )
    return int(given)


def alpha_of(given: Any) -> float | None:
    """Return the pseudo-count of every token."""
    if given is None:
        return None
    number = given.item() if hasattr(given, "item") and np.ndim(given) == 0 else given
    if not is_real(number) or not 0 < number < math.inf:
        raise ParameterError(f"alpha must be a finite number > 0: got {given!r}. Every token has the same.")
    return float(number)


def max_df_of(given: Any) -> Any:
    """Return the greatest number or share of documents: all of them, 1.0, is no bound, and would be equal to 1."""
    return None if isinstance(given, float) and given == 1.0 else given


def require_reading(
    prior: Any, alpha: Any, min_df: Any, max_df: Any, max_features: Any, min_count: Any
) -> EvidencePrior | None:
    """Raise ParameterError unless prior, pseudo-count and cut can be read; return the prior."""
    if prior is not None and prior not in get_args(EvidencePrior):
        raise ParameterError(
            f"prior must be None, 'evidence' or 'evidence by class': got {prior!r}. Give alpha= for a pseudo-count."
        )
    if prior is not None and alpha is not None:
        raise ParameterError("a text has one prior: got prior= and alpha=. Leave one of them out.")
    limits: list[tuple[str, Any]] = [("min_df", min_df), ("min_count", min_count)]
    if max_df is not None:
        limits.insert(1, ("max_df", max_df))
    for name, given in limits:
        if not is_real(given) or not 0 <= given < math.inf:
            none = " or None" if name == "max_df" else ""
            raise ParameterError(f"{name} must be a finite number ≥ 0{none}: got {given!r}.")
    if isinstance(min_df, float) and min_df == 1.0:
        raise ParameterError(
            "min_df=1.0 would keep the tokens that every document has, and 1 those that one has. "
            "Give 1, or a share below 1."
        )
    whole_of("max_features", max_features, 1, none=True)
    return prior


def _require_spelling(name: str, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ParameterError(
            f"{name} must be characters: got half a surrogate pair in {text!r}, which no text has. Leave it out."
        ) from None


def _is_whole(value: Any) -> bool:
    return is_real(value) and not isinstance(value, float) and int(value) == value
