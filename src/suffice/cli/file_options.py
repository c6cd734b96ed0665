"""The options of every command that reads data, and what they make of it.

What is not said is inferred from the file, or remembered by the model that was fitted on files like it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.completion import complete_type
from suffice.cli.likelihood_argument import column_key
from suffice.errors import ParameterError

if TYPE_CHECKING:
    from suffice.api import Files

__all__ = [
    "Data",
    "Delimiter",
    "Encoding",
    "Format",
    "Header",
    "Json",
    "NoQuote",
    "Null",
    "SkipBadLines",
    "Types",
    "are_folders",
    "files_of",
    "read_once",
    "require_target",
    "types_of",
]

_FILES = "Options of files"
_TYPES = ("text", "integer", "float", "bool")

Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA…",
        help="CSV, TSV, NDJSON, Parquet or Arrow files, also gzipped; a pattern, a folder of those, or - (stdin); or a "
        "folder of texts.",
    ),
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", metavar="SIGN", help="What stands between cells: , or ; or tab, …")
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names the columns; without, they are 0, 1, …"),
]
NoQuote = Annotated[bool, typer.Option("--no-quote", help="A quote mark is text like any other.")]
Null = Annotated[
    list[str] | None, typer.Option("--null", metavar="TEXT", help='What stands for a missing cell, as "?". Repeatable.')
]
Encoding = Annotated[str | None, typer.Option("--encoding", metavar="NAME", help="The encoding of text, as latin-1.")]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="NAME=TYPE",
        help="Read a column as text, integer, float or bool. Repeatable.",
        autocompletion=complete_type,
    ),
]
SkipBadLines = Annotated[
    bool, typer.Option("--skip-bad-lines", help="Leave out lines that have too many or too few cells, and count them.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="csv, ndjson, parquet, ipc or texts (a file each), where the name does not say it.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]


def files_of(
    data: list[str],
    *,
    format: str | None = None,  # noqa: A002  the option's name
    delimiter: str | None = None,
    header: bool | None = None,
    no_quote: bool = False,
    encoding: str | None = None,
    null: list[str] | None = None,
    types: list[str] | None = None,
    skip_bad_lines: bool = False,
) -> Files:
    """Return the data to read."""
    from suffice.api import Files

    given = types_of(types or [])
    try:
        return Files(
            data,
            format=format,
            delimiter=None if delimiter is None else _delimiter(delimiter),
            header=header,
            quote=False if no_quote else None,
            encoding=encoding,
            null=null or None,
            types=given,
            skip_bad_lines=skip_bad_lines,
        )
    except ParameterError as problem:
        raise typer.BadParameter(str(problem), param_hint=f"--{str(problem).partition(' ')[0]}") from None


def are_folders(data: list[str]) -> bool:
    """Say whether folders are given and nothing else, so that they may be folders of texts, which say the class."""
    from pathlib import Path

    return all(Path(each).is_dir() for each in data)


def require_target(data: list[str]) -> None:
    """Complain of data without --target, unless they are folders of texts; files that are not there come first."""
    if are_folders(data):
        return
    from suffice.api import Files
    from suffice.engines.files.paths import files_of as files_at

    files_at(Files(data))
    raise typer.BadParameter("say which column holds the class, as in --target label.", param_hint="--target")


def read_once(data: list[str]) -> bool:
    """Say whether something among the data can be read one time only: standard input, or a pipe."""
    from pathlib import Path

    return any(
        each == "-" or (Path(each).exists() and not (Path(each).is_file() or Path(each).is_dir())) for each in data
    )


def _delimiter(given: str) -> str:
    named = {"tab": "\t", r"\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
    return named.get(given, given)


def types_of(given: list[str]) -> dict[Any, str] | None:
    """Return {name or place: type} of what stands after --type."""
    found: dict[Any, str] = {}
    for text in given:
        name, sign, kind = text.rpartition("=")
        if not sign or not name or kind not in _TYPES:
            raise typer.BadParameter(
                f"{text!r} is not NAME=TYPE. Write for example {name or text}=text, with one of {', '.join(_TYPES)}.",
                param_hint="--type",
            )
        found[column_key(name)] = kind
    return found or None
