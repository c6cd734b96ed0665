"""The options of words and chars as --column takes them, and as a line of a schema file spells them.

    body=words:ngrams=1-2              words and pairs of words; ngrams=2 is pairs alone
    body=words:model=bernoulli,0.1     presence and absence, with the pseudo-count 0.1
    body=words:prior=evidence          the pseudo-count that the data speak for; evidence-by-class: one for each class
    body=words:stop_words=the|of       words that do not count, as they are after lower-casing
    body=words:min_df=2,max_df=0.5     words in two documents or more, and in half of them or fewer
    body=chars:ngrams=1,across=true,characters={}[]();,
                                       of these characters alone; it stands last, and all that follows belongs to it

Options are those of sf.Words and sf.Chars. Completion needs them without importing anything, so their names stand here,
and a test holds them to the likelihoods.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["TEXT_OPTIONS", "complete_text_option", "spelled_last", "split_options", "text_spelled", "text_value"]

_FLAG = ("true", "false")
_COMMON: dict[str, tuple[str, ...]] = {
    "ngrams": ("1-2", "1-3"),
    "model": ("multinomial", "bernoulli", "complement"),
    "alpha": (),
    "prior": ("evidence", "evidence-by-class"),
    "binary": _FLAG,
    "tf": ("count", "log"),
    "unit_length": _FLAG,
    "idf": _FLAG,
    "min_df": (),
    "max_df": (),
    "max_features": (),
    "min_count": (),
    "lowercase": _FLAG,
    "accents": ("keep", "strip"),
    "characters": (),
    "hashed": (),
}
TEXT_OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "words": {**_COMMON, "stop_words": (), "min_length": (), "max_length": ()},
    "chars": {**_COMMON, "across": _FLAG},
}
_VERBATIM = "characters"


def split_options(likelihood: str, options: str) -> list[str]:
    """Return the options one by one; of text what follows "characters=" is one, commas and all."""
    if likelihood not in TEXT_OPTIONS:
        return options.split(",")
    found: list[str] = []
    while options:
        if options.startswith(f"{_VERBATIM}="):
            return [*found, options]
        one, comma, options = options.partition(",")
        found += [one, ""] if comma and not options else [one]
    return found or [""]


def text_value(option: str, text: str) -> Any:
    """Return what the text after an option of words or chars means, or None where it means what it always does."""
    if option == _VERBATIM:
        return text
    if option == "stop_words":
        return text.split("|")
    if option == "prior":
        return text.replace("-", " ").replace("_", " ")
    if option == "ngrams":
        low, dash, high = text.partition("-")
        if dash and low.isdecimal() and high.isdecimal():
            return int(low), int(high)
    return None


def text_spelled(option: str, value: Any) -> str | None:
    """Return the text that `text_value` reads as this value; None for an option that is spelled as all others are.

    Raises
    ------
    ValueError
        Where no text on one line does.
    """
    if option == "ngrams":
        return f"{value[0]}-{value[1]}"
    if option == "prior":
        return value.replace(" ", "-")
    if option == "stop_words":
        if any(sign in word for word in value for sign in ",|\n\r") or any(word != word.strip() for word in value):
            raise ValueError(option)
        return "|".join(value)
    if option == _VERBATIM:
        if value != value.rstrip() or len(value.splitlines()) > 1:
            raise ValueError(option)
        return value
    return None


def spelled_last(option: str) -> bool:
    """Say whether the option takes all that follows it."""
    return option == _VERBATIM


def complete_text_option(likelihood: str, begun: str) -> Iterator[str]:
    """Offer the options of words or chars after "words:", and what may stand after "option="."""
    known = TEXT_OPTIONS.get(likelihood, {})
    before, comma, last = begun.rpartition(",")
    option, sign, value = last.partition("=")
    if sign:
        offers = [f"{option}={each}" for each in known.get(option, ()) if each.startswith(value)]
    else:
        said = {each.partition("=")[0] for each in before.split(",")}
        offers = [f"{each}=" for each in known if each.startswith(option) and each not in said]
    yield from (f"{before}{comma}{each}" for each in offers)
