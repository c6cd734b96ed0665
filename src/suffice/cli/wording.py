"""What users of the shell type, and text made safe to print.

Labels, levels, columns and files may have any name. Control characters in them would move the cursor, change the title
of the terminal or reverse the direction of the text, so they are printed as escapes.
"""

from __future__ import annotations

import re
from shlex import quote
from typing import Final, final

from suffice.errors import NOTHING, Wording

__all__ = ["CONTROL_CHARACTERS", "SHELL", "visible"]

# C0, DEL and C1, line separators, bidirectional marks, overrides and isolates, and unpaired surrogates.
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

_OPTIONS = {"columns": "column", "like": "schema", "types": "type"}  # those that are not called as the argument is
_COMMANDS = {"save": "fit", "with_options": "set"}


@final
class _Shell:
    """Options and commands in the place of arguments and methods.

    Examples
    --------
    >>> SHELL.option("encoding", "latin-1"), SHELL.option("skip_bad_lines", True), SHELL.option("like")
    ('--encoding latin-1', '--skip-bad-lines', '--schema')
    >>> SHELL.column("zip code", "Categorical"), SHELL.column("tags", None)
    ("--column 'zip code=categorical'", '--drop tags')
    >>> SHELL.verb("forget")
    '`suffice forget`'
    """

    def option(self, name: str, value: object = NOTHING) -> str:
        option = _OPTIONS.get(name, name).replace("_", "-")
        if value is NOTHING or isinstance(value, bool):
            return f"--no-{option}" if value is False else f"--{option}"
        return f"--{option} {quote(str(value))}"

    def column(self, name: str | int, likelihood: str | None) -> str:
        if likelihood is None:
            return f"--drop {quote(str(name))}"
        return f"--column {quote(f'{name}={likelihood.lower()}')}"

    def verb(self, name: str) -> str:
        return f"`suffice {_COMMANDS.get(name, name)}`"


SHELL: Final[Wording] = _Shell()


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
