"""How the lines of a text file are written: data that a reader follows, and a model remembers for the next file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

__all__ = ["Dialect"]


@final
@dataclass(frozen=True, slots=True)
class Dialect:
    r"""How cells are told apart, and which of them are missing. None: not said, to be inferred from the file.

    Parameters
    ----------
    delimiter : str of one character, optional
        What stands between two cells of a line.
    header : bool, optional
        Whether the first line holds the names of the columns. Without one they are known by their places, 0, 1, …
    quote : bool
        Whether a cell may stand in double quotes, within which delimiters and line ends are text.
    encoding : str, optional
        The name of a Python codec.
    null : tuple of str, optional
        What is written where a cell is missing. An empty cell always is.

    Examples
    --------
    >>> Dialect(delimiter="\t", quote=False).header is None
    True
    """

    delimiter: str | None = None
    header: bool | None = None
    quote: bool = True
    encoding: str | None = None
    null: tuple[str, ...] | None = None
