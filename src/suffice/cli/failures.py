"""Errors and warnings in the wording of the command line: one message on stderr and a documented exit code.

0   success                       130   Ctrl-C
1   data or model error           141   broken pipe (`| head`): no message, as other tools do
2   usage error

Labels, levels, columns and files may have any name. Control characters in them would move the cursor, change the title
of the terminal or reverse the direction of the text, so they are printed as escapes.
"""

from __future__ import annotations

import errno
import functools
import os
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from shlex import quote
from typing import Any, Final, ParamSpec, TextIO, TypeVar, final

import typer

from suffice.errors import NOTHING, Record, SufficeError, Wording

__all__ = [
    "CONTROL_CHARACTERS",
    "SHELL",
    "bad_parameter",
    "collected_warnings",
    "complain",
    "guarded",
    "in_shell",
    "message_of",
    "suggest",
    "visible",
]

P = ParamSpec("P")
R = TypeVar("R")

_MOST_NAMES = 12
_AT_SPACES: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}

_REASONS = {
    errno.ENOENT: "the file or folder {name!r} does not exist. Check the path.",
    errno.EISDIR: "{name!r} is a folder. Give the path of a file.",
    errno.ENOTDIR: "part of the path {name!r} is a file, not a folder. Check the path.",
    errno.EACCES: "permission denied: {name!r}. Choose another path with -o, or change the permissions.",
    errno.EPERM: "permission denied: {name!r}. Choose another path with -o, or change the permissions.",
    errno.EROFS: "{name!r} is on a read-only disk. Choose another path with -o.",
    errno.ENOSPC: "no space left on the disk for {name!r}; no file was changed. "
    "Free some space, or choose another path with -o.",
    errno.EDQUOT: "the disk quota is exceeded by {name!r}; no file was changed. "
    "Free some space, or choose another path with -o.",
    errno.ENAMETOOLONG: "the file name {name!r} is too long. Choose a shorter one.",
}

# C0, DEL and C1, line separators, bidirectional marks, overrides and isolates, and unpaired surrogates.
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# Options whose name differs from that of the argument.
_OPTIONS = {"columns": "column", "like": "schema", "types": "type"}
_COMMANDS = {"predict_proba": "predict --proba", "save": "fit", "with_options": "set"}


@final
class _Shell:
    """The wording of the command line: options and commands instead of arguments and methods.

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


def message_of(problem: BaseException) -> str:
    """Return the message of an error: the problem, its location, the value found and the advice.

    Examples
    --------
    >>> message_of(FileNotFoundError(2, "No such file or directory", "a.csv"))
    "the file or folder 'a.csv' does not exist. Check the path."
    """
    if isinstance(problem, MemoryError):
        return (
            "not enough memory. Choose another likelihood for columns with very many distinct values, or leave them "
            "out with --drop."
        )
    if (
        isinstance(problem, OSError) and len(problem.args) > 1 and problem.errno in _REASONS
    ):  # otherwise the text is a sentence
        name: Any = problem.filename if problem.filename2 is None else problem.filename2
        return _REASONS[problem.errno].format(name="it" if name is None else str(name))
    return in_shell(problem)


def in_shell(problem: BaseException) -> str:
    """Return the sentence of an error or a warning, with options instead of arguments."""
    return problem.sentence(SHELL) if isinstance(problem, Record) else str(problem)


def bad_parameter(problem: Exception, option: str | None = None) -> typer.BadParameter:
    """Return the error as one about an option, by default the option that the error names."""
    if option is None and isinstance(problem, Record) and problem.parameter is not None:
        option = SHELL.option(problem.parameter)
    return typer.BadParameter(in_shell(problem), param_hint=option)


def suggest(text: str, names: Iterable[str], otherwise: str, *, quoted: bool = False, cutoff: float = 0.6) -> str:
    """Return "Did you mean …?" if a name is close to the text, and otherwise the names themselves.

    Examples
    --------
    >>> suggest("mape", ["map", "mle"], "There are"), suggest("zz", ["map", "mle"], "There are")
    ("Did you mean 'map'?", 'There are map, mle.')
    """
    known = list(names)
    close = get_close_matches(text, known, n=1, cutoff=cutoff)
    shown = ", ".join(map(repr, known[:_MOST_NAMES]) if quoted else known[:_MOST_NAMES])
    more = ", …" * (len(known) > _MOST_NAMES)
    return f"Did you mean {close[0]!r}?" if close else f"{otherwise} {shown}{more}."


def complain(message: str) -> None:
    """Print one message on stderr, in a terminal with line breaks between words."""
    lines = f"suffice: {visible(message, lines=True)}".splitlines()
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        lines = [part for line in lines for part in textwrap.wrap(line, width, **_AT_SPACES) or [""]]
    print("\n".join(lines), file=sys.stderr)  # noqa: T201  stderr is this function's job


_warned: list[dict[str, str]] = []


def collected_warnings() -> list[dict[str, str]]:
    """Return the warnings of the running command so far, {"kind": …, "message": …} each, for its JSON."""
    return list(_warned)


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Return the command with its failures turned into messages and exit codes, and its warnings into lines."""

    @functools.wraps(command)
    def run(*arguments: P.args, **options: P.kwargs) -> R:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _WarningLines()
            try:
                result = command(*arguments, **options)
                sys.stdout.flush()
            except typer.BadParameter as problem:
                problem.message = visible(problem.message, lines=True)
                raise
            except BrokenPipeError:
                _close(sys.stdout)
                raise typer.Exit(141) from None
            except KeyboardInterrupt:
                complain("interrupted. No file was changed.")
                raise typer.Exit(130) from None
            except (SufficeError, OSError, MemoryError) as problem:
                complain(message_of(problem))
                raise typer.Exit(1) from None
            finally:
                _warned.clear()
        return result

    return run


class _WarningLines:
    # One line for each warning, and each only once: those of one kind differ in their numbers from batch to batch.
    def __init__(self) -> None:
        self._said: set[tuple[object, ...]] = set()

    def __call__(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        del filename, lineno, file, line
        about = (message.kind, message.column, message.file) if isinstance(message, Record) else (str(message),)
        if (category, *about) not in self._said:
            self._said.add((category, *about))
            text = message if isinstance(message, str) else in_shell(message)
            _warned.append({"kind": category.__name__, "message": text})
            complain(f"warning: {text}")


def _close(stream: TextIO) -> None:
    # The rest of the buffer cannot be written; Python would report an error at exit.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
