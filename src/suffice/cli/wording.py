"""What the library says to people who write Python, said to people who type commands, and text made safe to print.

Labels, levels, columns and files may have any name. Control characters in them would move the cursor, change the title
of the terminal or reverse the direction of the text, so they are printed as escapes.
"""

from __future__ import annotations

import re

__all__ = ["CONTROL_CHARACTERS", "in_commands", "visible"]

# C0, DEL and C1, line separators, bidirectional marks, overrides and isolates, and unpaired surrogates.
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

_SAID = (
    (re.compile(r"columns=\{(?P<name>'[^']*'|\d+): None\}"), "--drop {name}"),
    (re.compile(r"columns=\{(?P<name>'[^']*'|\d+): (?P<likelihood>\w+)\(\)\}"), "--column {name}={likelihood}"),
    (re.compile(r"\bFit both with like=\."), "Fit one with --schema of the other."),
    (re.compile(r"\bRead both alike with \.read\(\.\.\.\)\."), "Read both alike with `suffice read`."),
    (re.compile(r"\bGive a file that model\.save\(path\) wrote\."), "Give a file that `suffice fit` wrote."),
    (re.compile(r"\bor skip bad lines\."), "or leave such lines out with --skip-bad-lines."),
    (re.compile(r"\bmodel\.forget\(\.\.\.\)"), "`suffice forget`"),
    (re.compile(r"\bor give a domain that contains it\."), "or give another --domain."),
    (re.compile(r"\bGive target=, its name"), "Say it with --target, by its name"),
    (re.compile(r"\bgive format \"texts\"\."), "say --format texts."),
    (re.compile(r"\bor loo=True\."), "or --loo."),
    (
        re.compile(r"\bcalibrate\(model, data, target\)\. Or give reference=novelty_reference\(model, data\)\."),
        "`suffice calibrate MODEL DATA`.",
    ),
    (
        re.compile(r"\bCalibrate it again with calibrate\(model, data, target\)\."),
        "Calibrate it again with `suffice calibrate MODEL DATA`.",
    ),
    (re.compile(r"\bwith test=, which"), "with --test, which"),
    (re.compile(r"\bUse folds= instead\."), "Use --folds instead."),
    (re.compile(r"\bmax_levels=(?P<number>[\d,]+)"), "--max-levels {number}"),
)


def in_commands(text: str) -> str:
    """Return the text with arguments of Python turned into options.

    Examples
    --------
    >>> in_commands("an id. Use it with columns={'zip code': Categorical()}")
    "an id. Use it with --column 'zip code=categorical'"
    >>> in_commands("Take values out of it, or leave it out with columns={'tags': None}.")
    'Take values out of it, or leave it out with --drop tags.'
    """
    for pattern, option in _SAID:
        text = pattern.sub(lambda found, option=option: _option(option, found), text)
    return text


def visible(text: str, *, lines: bool = False) -> str:
    r"""Return the text with its control characters as escapes; `lines` keeps line feeds.

    Examples
    --------
    >>> print(visible("\x1b[31mred\nblue"))
    \x1b[31mred\nblue
    """
    return CONTROL_CHARACTERS.sub(lambda found: found[0] if lines and found[0] == "\n" else _escape(found[0]), text)


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def _option(option: str, found: re.Match[str]) -> str:
    given = {key: value.strip("'") for key, value in found.groupdict().items()}
    if "likelihood" in given:
        given["likelihood"] = given["likelihood"].lower()
    word, space, rest = option.partition(" ")
    value = rest.format(**given)
    return option.format(**given) if "`" in option or not option.startswith("--") else word + space + _quoted(value)


def _quoted(value: str) -> str:
    from shlex import quote

    return quote(value)
