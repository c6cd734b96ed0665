r"""Write cpp/src/unicode_tables.inl: what the tokenizer knows of characters, as this Python's Unicode has it.

    python cpp/unicode/make_tables.py > cpp/src/unicode_tables.inl

Everything is asked of `str` itself, so that tokens are those of Python's `\\w` and `lower`:

    word       c.isalnum() or c == "_", which is re's \\w
    space      c.isspace(), which is re's \\s and where str.split() cuts
    cased      a capital sigma behind it is final: (c + "Σ").lower() ends with ς
    ignorable  the search for a cased character passes over it: ("A" + c + "Σ").lower() ends with ς, and it is not cased
    lower      c.lower(); one character for every c but U+0130, which the tokenizer knows by itself
    plain      the compatibility decomposition without marks (combining class 0 only), where that is not c itself;
               syllables of Hangul are left to arithmetic
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
    # Where the value changes, and what it is from there on.
    runs: list[tuple[int, int]] = []
    for code, character in _characters():
        here = value(code, character)
        if not runs or runs[-1][1] != here:
            runs.append((code, here))
    return runs


def _table(name: str, kind: str, numbers: list[int], note: str) -> Iterator[str]:
    yield f"\n// {note}\ninline constexpr {kind} {name}[] = {{"
    for at in range(0, len(numbers), 16):
        yield "    " + " ".join(f"{number}," for number in numbers[at : at + 16])
    yield "};"


def tables() -> Iterator[str]:
    """Yield the lines of the file."""
    yield f"// Made by cpp/unicode/make_tables.py from Unicode {unicodedata.unidata_version}; not to be edited."
    yield f'inline constexpr char version_text[] = "{unicodedata.unidata_version}";'
    flags = _runs(_flags)
    starts, values = [start for start, _ in flags], [value for _, value in flags]
    yield from _table("flag_starts", "char32_t", starts, "Characters from here on have the flags beside it.")
    names = "word 1, space 2, cased 4, ignorable 8, lower 16, plain 32"
    yield from _table("flag_values", "unsigned char", values, names)
    lowered = [(code, character.lower()) for code, character in _characters() if character.lower() != character]
    if [code for code, lower in lowered if len(lower) != 1] != [_DOTTED]:
        sys.exit("lower() gives several characters for another one than U+0130: teach the tokenizer.")
    single = [(code, ord(lower)) for code, lower in lowered if code != _DOTTED]
    yield from _table("lower_from", "char32_t", [code for code, _ in single], "Capitals,")
    yield from _table("lower_to", "char32_t", [lower for _, lower in single], "and their small letters.")
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
    yield from _table("plain_ends", "unsigned short", ends, "where what is left of each ends,")
    yield from _table("plain_to", "char32_t", letters, "and what is left.")


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in tables())
