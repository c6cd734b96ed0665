"""Paths to files: globs, directories and standard input, and the format of each.

In a folder of texts each file is a document, and its folder is its class:

    mail/ham/0001.txt         class "ham"
    mail/spam/2005/17.eml     class "spam": the first folder counts
    mail/README               ignored beside folders of texts; if there are none, a document without a class

Hidden files and folders are ignored. A document may have any extension, or none.
"""

from __future__ import annotations

import codecs
import glob
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, final

from suffice.errors import DataError
from suffice.sources.files.source import Files, Format
from suffice.sources.files.stream import COMPRESSED, STANDARD_INPUT, head_of, is_pipe

__all__ = ["File", "Text", "digest_file", "files_of", "text_at", "texts_in"]


class Text(NamedTuple):
    """A file that is a document: its path, the folder that is its class, and its size in bytes."""

    path: str
    folder: str | None
    size: int


def texts_in(folder: str) -> list[Text]:
    """Return the documents of a folder, class by class, sorted by path within a class."""
    inside = _sorted_entries(folder)
    found = [text for each in inside if each.is_dir() for text in _under(each.path, each.name)]
    return found or [Text(each.path, None, each.stat().st_size) for each in inside if each.is_file()]


def text_at(path: str) -> Text:
    """Return a file as a document without a class."""
    return Text(path, None, Path(path).stat().st_size)


def _under(folder: str, label: str) -> Iterator[Text]:
    for each in _sorted_entries(folder):
        if each.is_file():
            yield Text(each.path, label, each.stat().st_size)
        elif each.is_dir(follow_symlinks=False):  # a link may lead back to its own folder
            yield from _under(each.path, label)


def _sorted_entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted((each for each in entries if not each.name.startswith(".")), key=lambda each: each.name)


_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".psv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "ndjson",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
}
_HEAD = 1 << 12
_ENDS = 1 << 16  # bytes at the start and at the end of a file that are hashed
_DELIMITERS = {".tsv": "\t", ".tab": "\t", ".psv": "|"}


@final
@dataclass(frozen=True)
class File:
    """One file: its path as the user gave it, its format, and the delimiter of its extension.

    A folder of documents is one file, with `texts`.
    """

    path: str
    format: Format
    delimiter: str | None = None
    texts: tuple[Text, ...] = ()

    def allows(self, delimiter: str) -> bool:
        """Return whether the extension allows this delimiter: .csv stands for , and ;."""
        return self.delimiter == delimiter or (
            self.delimiter is None and (_ending(self.path) != ".csv" or delimiter in ",;")
        )


def files_of(files: Files) -> list[File]:
    """Return the files of the paths, in order; all have the same format."""
    found = [_file(path, files.format) for path in _expanded(files)]
    kinds = {file.format for file in found}
    if len(kinds) > 1:
        one, other = (next(file for file in found if file.format == kind) for kind in sorted(kinds)[:2])
        raise DataError(
            f"files must be of one format: {one.path} is {one.format}, {other.path} is {other.format}. "
            "Fit one model per format, and add the models."
        )
    return found


def digest_file(path: str) -> str:
    """Return a hash of a file, independent of its path: of its size and its first and last 64 KiB.

    The hash of a folder is that of the names and sizes of its documents. Input that cannot be read again, such as
    standard input, has "".
    """
    digest = hashlib.blake2b(digest_size=16)
    try:
        if path != STANDARD_INPUT and Path(path).is_dir():
            for text in texts_in(path):
                digest.update(f"{os.path.relpath(text.path, path)}\0{text.size}\0".encode("utf-8", "surrogateescape"))
        elif is_pipe(path):
            return ""
        else:
            with Path(path).open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                digest.update(f"{size}\0".encode() + file.read(_ENDS))
                file.seek(max(0, size - _ENDS))
                digest.update(file.read(_ENDS))
    except OSError:
        return ""
    return digest.hexdigest()


def _expanded(files: Files) -> list[str]:
    found: list[str] = []
    for path in files.paths:
        if path == STANDARD_INPUT:
            found.append(path)
            continue
        place = Path(path)
        if place.is_dir():
            inside = sorted(str(each) for each in place.iterdir() if each.is_file() and _is_meant(each))
            found += inside if inside and files.format != "texts" else [path]
        elif place.exists():
            found.append(path)
        else:
            matches = sorted(each for each in glob.glob(path, recursive=True) if Path(each).is_file())  # noqa: PTH207  of any depth
            if not matches:
                raise DataError(_nothing(path))
            found += matches
    return found


def _file(path: str, said: Format | None) -> File:
    if path != STANDARD_INPUT and Path(path).is_dir():
        return _folder_of_texts(path, said)
    if said == "texts":
        if path == STANDARD_INPUT:
            raise DataError("documents are read one per file, not from standard input. Write the text to a file first.")
        return File(path, "texts", texts=(text_at(path),))
    return File(path, said or _format_of_path(path), _DELIMITERS.get(_ending(path)))


def _folder_of_texts(path: str, said: Format | None) -> File:
    texts = texts_in(path) if said in (None, "texts") else []
    if not texts:
        raise DataError(
            f"{path} contains no table (.csv, .ndjson, .parquet, .xlsx, …), and no subdirectories of texts."
        )
    table = None if said == "texts" else next((text for text in texts if _ending(text.path) in _ENDINGS), None)
    if table is not None:
        raise DataError(
            f"{path} contains no table; {table.path} is in a subdirectory",
            advice=lambda words: (
                f"Give its directory or a pattern; if every file is a document, use {words.option('format', 'texts')}."
            ),
        )
    return File(path, "texts", texts=tuple(texts))


def _is_meant(place: Path) -> bool:
    # Hidden files are skipped, as globs do.
    return _ending(str(place)) in _ENDINGS and not place.name.startswith(".")


def _nothing(path: str) -> str:
    if glob.has_magic(path):
        return f"no file matches {path}."
    from difflib import get_close_matches

    place = Path(path)
    if place.is_symlink():
        return f"{path} is a link to {place.readlink()}, which does not exist."
    there = [each.name for each in place.parent.iterdir()] if place.parent.is_dir() else []
    close = get_close_matches(place.name, there, n=1)
    hint = f" Did you mean {place.parent / close[0]}?" if close else ""
    return f"there is no file {path}.{hint}"


def _ending(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _format_of_path(path: str) -> Format:
    known = _ENDINGS.get(_ending(path))
    if known is not None:
        return known
    if path != STANDARD_INPUT and is_pipe(path):
        return "csv"  # looking into a pipe would consume it
    head = head_of(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1"):
        return "ipc"
    start = b"".join(head[:_HEAD].removeprefix(codecs.BOM_UTF8).split())
    return "ndjson" if start.startswith((b"{", b"[{")) else "csv"
