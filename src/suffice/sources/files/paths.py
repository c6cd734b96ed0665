"""Paths to files: globs, directories and standard input, and the format of each."""

from __future__ import annotations

import codecs
import glob
from dataclasses import dataclass
from pathlib import Path
from typing import final

from suffice.errors import DataError
from suffice.sources.files.source import Files, Format
from suffice.sources.files.stream import COMPRESSED, STANDARD_INPUT, head_of, is_pipe
from suffice.sources.files.text_folders import Text, text_at, texts_in

__all__ = ["File", "files_of"]

_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".psv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
}
_HEAD = 1 << 12
_DELIMITERS = {".tsv": "\t", ".tab": "\t", ".psv": "|"}


@final
@dataclass(frozen=True)
class File:
    """One file: its path as the user knows it, its format, and the delimiter that its ending tells.

    A folder of texts is one file too, which holds `texts`.
    """

    path: str
    format: Format
    delimiter: str | None = None
    texts: tuple[Text, ...] = ()

    def allows(self, delimiter: str) -> bool:
        """Say whether the ending of the path leaves it open that this is the delimiter: .csv stands for , and ;."""
        return self.delimiter == delimiter or (
            self.delimiter is None and (_ending(self.path) != ".csv" or delimiter in ",;")
        )


def files_of(files: Files) -> list[File]:
    """Return every file that is meant, in order; all of one format."""
    found = [_file(path, files.format) for path in _expanded(files)]
    kinds = {file.format for file in found}
    if len(kinds) > 1:
        one, other = (next(file for file in found if file.format == kind) for kind in sorted(kinds)[:2])
        raise DataError(
            f"files must be of one format: {one.path} is {one.format}, {other.path} is {other.format}. "
            "Read one kind after the other, and add the models."
        )
    return found


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
            raise DataError("texts are files, a document each: standard input is none. Write it to a file first.")
        return File(path, "texts", texts=(text_at(path),))
    return File(path, said or _format(path), _DELIMITERS.get(_ending(path)))


def _folder_of_texts(path: str, said: Format | None) -> File:
    texts = texts_in(path) if said in (None, "texts") else []
    if not texts:
        raise DataError(
            f"{path} is a folder without a file that ends in {', '.join(_ENDINGS)}, and without folders of texts."
        )
    table = None if said == "texts" else next((text for text in texts if _ending(text.path) in _ENDINGS), None)
    if table is not None:
        raise DataError(
            f"{path} has no file of rows, and {table.path} lies too deep to be one",
            advice=lambda words: (
                "Give the folder that it is in, or a pattern; where every file is a text, use "
                f"{words.option('format', 'texts')}."
            ),
        )
    return File(path, "texts", texts=tuple(texts))


def _is_meant(place: Path) -> bool:
    # What a glob leaves out is left out here: the hidden files of editors and of other systems.
    return _ending(str(place)) in _ENDINGS and not place.name.startswith(".")


def _nothing(path: str) -> str:
    if glob.has_magic(path):
        return f"no file matches {path}."
    from difflib import get_close_matches

    place = Path(path)
    if place.is_symlink():
        return f"{path} is a link to {place.readlink()}, and there is no such file."
    there = [each.name for each in place.parent.iterdir()] if place.parent.is_dir() else []
    close = get_close_matches(place.name, there, n=1)
    hint = f" Did you mean {place.parent / close[0]}?" if close else ""
    return f"there is no file {path}.{hint}"


def _ending(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _format(path: str) -> Format:
    known = _ENDINGS.get(_ending(path))
    if known is not None:
        return known
    if path != STANDARD_INPUT and is_pipe(path):
        return "csv"  # who looks into a pipe takes something out of it
    head = head_of(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1"):
        return "ipc"
    start = b"".join(head[:_HEAD].removeprefix(codecs.BOM_UTF8).split())
    return "ndjson" if start.startswith((b"{", b"[{")) else "csv"
