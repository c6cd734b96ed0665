r"""Write cpp/src/unicode_tables.inl: the character properties of the tokenizer, from this Python's Unicode version.

    python cpp/unicode/make_tables.py > cpp/src/unicode_tables.inl

All properties are computed with `str` itself, so that tokens agree with Python's `\\w` and `lower`:

    word       c.isalnum() or c == "_", which is re's \\w
    space      c.isspace(), which is re's \\s and where str.split() splits
    cased      a capital sigma after it is final: (c + "Σ").lower() ends with ς
    ignorable  the search for a cased character skips it: ("A" + c + "Σ").lower() ends with ς, and it is not cased
    lower      c.lower(); one character for every c except U+0130, which the tokenizer handles itself
    plain      the compatibility decomposition without marks (combining class 0 only), if that differs from c;
               Hangul syllables are decomposed arithmetically
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator

_LAST = 0x110000
_HANGUL = range(0xAC00, 0xAC00 + 11172)
_DOTTED = 0x130


def _characters() -> Iterator[tuple[int, str]]:
    return ((code, chr(code)) for code in range(128, _LAST) if not 0xD800 <= code < 0xE000)


def _flags(code: int, character: str) -> int:
    cased = (character + "Σ").lower().endswith("ς")
    ignorable = not cased and ("A" + character + "Σ").lower().endswith("ς")
    lower, plain = character.lower() != character, _plain(character) != character and code not in _HANGUL
    word = character.isalnum() or character == "_"
    return word | character.isspace() << 1 | cased << 2 | ignorable << 3 | lower << 4 | plain << 5


def _plain(character: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))


def _runs(value: Callable[[int, str], int]) -> list[tuple[int, int]]:
    # (first code, value) of each run of equal values.
    runs: list[tuple[int, int]] = []
    for code, character in _characters():
        current = value(code, character)
        if not runs or runs[-1][1] != current:
            runs.append((code, current))
    return runs


def _table(name: str, kind: str, numbers: list[int], note: str) -> Iterator[str]:
    yield f"\n// {note}\ninline constexpr {kind} {name}[] = {{"
    for at in range(0, len(numbers), 16):
        yield "    " + " ".join(f"{number}," for number in numbers[at : at + 16])
    yield "};"


def tables() -> Iterator[str]:
    """Yield the lines of the file."""
    yield f"// Made by cpp/unicode/make_tables.py from Unicode {unicodedata.unidata_version}; do not edit."
    yield f'inline constexpr char version_text[] = "{unicodedata.unidata_version}";'
    flags = _runs(_flags)
    starts, values = [start for start, _ in flags], [value for _, value in flags]
    yield from _table("flag_starts", "char32_t", starts, "First characters of runs with equal flags.")
    names = "word 1, space 2, cased 4, ignorable 8, lower 16, plain 32"
    yield from _table("flag_values", "unsigned char", values, names)
    lowered = [(code, character.lower()) for code, character in _characters() if character.lower() != character]
    if [code for code, lower in lowered if len(lower) != 1] != [_DOTTED]:
        sys.exit("lower() gives several characters for a character other than U+0130: extend the tokenizer.")
    single = [(code, ord(lower)) for code, lower in lowered if code != _DOTTED]
    yield from _table("lower_from", "char32_t", [code for code, _ in single], "Upper-case characters,")
    yield from _table("lower_to", "char32_t", [lower for _, lower in single], "and their lower case.")
    plain = [
        (code, _plain(character))
        for code, character in _characters()
        if code not in _HANGUL and _plain(character) != character
    ]
    ends: list[int] = []
    letters: list[int] = []
    for _, text in plain:
        letters += map(ord, text)
        ends.append(len(letters))
    yield from _table("plain_from", "char32_t", [code for code, _ in plain], "Characters that decompose or vanish,")
    yield from _table("plain_ends", "unsigned short", ends, "the ends of their decompositions,")
    yield from _table("plain_to", "char32_t", letters, "and the decompositions.")


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in tables())
