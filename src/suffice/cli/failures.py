"""What went wrong, as one message on stderr and an exit code that scripts can trust.

0   it worked                     130   the user pressed Ctrl-C
1   the data or the model         141   whoever read the output closed it (`| head`): nothing is said, as tools do
2   the command was used wrongly
"""

from __future__ import annotations

import errno
import functools
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TextIO, TypeVar

import typer

from suffice.cli.wording import SHELL, visible
from suffice.errors import Record, SufficeError

__all__ = ["bad_parameter", "complain", "explained", "guarded", "in_shell", "warned"]

P = ParamSpec("P")
R = TypeVar("R")

_REASONS = {
    errno.ENOENT: "there is no file or folder {name!r}. Check the path.",
    errno.EISDIR: "{name!r} is a folder. Give the path of a file.",
    errno.ENOTDIR: "{name!r} leads through a file as if it were a folder. Check the path.",
    errno.EACCES: "no permission for {name!r}. Choose another place with -o, or change its rights.",
    errno.EPERM: "no permission for {name!r}. Choose another place with -o, or change its rights.",
    errno.EROFS: "{name!r} is on a disk that can only be read. Choose another place with -o.",
    errno.ENOSPC: "no space is left on the disk for {name!r}, and nothing was half-written. "
    "Make room, or choose another place with -o.",
    errno.EDQUOT: "your quota of disk space leaves no room for {name!r}, and nothing was half-written. "
    "Make room, or choose another place with -o.",
    errno.ENAMETOOLONG: "the name {name!r} is too long for this disk. Choose a shorter one.",
}


def explained(problem: BaseException) -> str:
    """Return what to tell the user: what, where, got, do.

    Examples
    --------
    >>> explained(FileNotFoundError(2, "No such file or directory", "a.csv"))
    "there is no file or folder 'a.csv'. Check the path."
    """
    if isinstance(problem, MemoryError):
        return (
            "not enough memory. Give a column with very many distinct values another likelihood, or leave it out "
            "with --drop."
        )
    if isinstance(problem, OSError) and len(problem.args) > 1 and problem.errno in _REASONS:  # else it is a sentence
        name: Any = problem.filename if problem.filename2 is None else problem.filename2
        return _REASONS[problem.errno].format(name="it" if name is None else str(name))
    return in_shell(problem)


def in_shell(problem: BaseException) -> str:
    """Return what an error or a warning says, in the words of the shell."""
    return problem.sentence(SHELL) if isinstance(problem, Record) else str(problem)


def bad_parameter(problem: Exception, option: str | None = None) -> typer.BadParameter:
    """Return the complaint about an option; which one, the error knows where it is not given."""
    if option is None and isinstance(problem, Record) and problem.parameter is not None:
        option = SHELL.option(problem.parameter)
    return typer.BadParameter(in_shell(problem), param_hint=option)


def complain(message: str) -> None:
    """Print one message on stderr."""
    print(f"suffice: {visible(message, lines=True)}", file=sys.stderr)  # noqa: T201  stderr is this function's job


_warned: list[dict[str, str]] = []


def warned() -> list[dict[str, str]]:
    """Return what the running command has warned of so far, {"kind": …, "message": …} each, for its JSON."""
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
                complain("interrupted. What was there before is as it was.")
                raise typer.Exit(130) from None
            except (SufficeError, OSError, MemoryError) as problem:
                complain(explained(problem))
                raise typer.Exit(1) from None
            finally:
                _warned.clear()
        return result

    return run


class _WarningLines:
    # One line a warning, and each once: those of one kind differ in their numbers from batch to batch.
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
    # What is still buffered has nowhere to go; Python would complain about it at the very end.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
