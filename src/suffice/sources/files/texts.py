"""Documents, one per file, in batches of some megabytes.

text      the content, decoded as UTF-8, with the given encoding, or by a byte order mark; undecodable bytes
          become U+FFFD, so that no document stops a pass
path      the file, written beside a prediction and never a feature
folder    the class, if the files are in one folder for each class (paths.py)
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Generator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, final

from suffice.errors import DataError, counted
from suffice.sources.files.paths import File, Text
from suffice.sources.files.reader import BadLines, Piece, Reader
from suffice.sources.files.source import Dialect, Files

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TextsReader"]

_BYTES, _MOST = 1 << 24, 1 << 14
_HEAD_BYTES = 1 << 27
_MARKS = (  # UTF-32 first: its mark starts with that of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@final
class TextsReader(Reader):
    """Files that are one document each."""

    texts = ("text",)
    beside = ("path",)

    def __init__(self, files: list[File], said: Files, rows: int) -> None:
        self._files, self._rows = files, rows
        self._encoding = said.dialect.encoding
        self._number = sum(len(file.texts) for file in files)
        classes = {text.folder for file in files for text in file.texts}
        self._classes = len(classes - {None})
        self.target = "folder" if self._classes else None
        self.names = ("text", "path", "folder") if self._classes else ("text", "path")
        self.types = {}
        self.bad = BadLines(False)
        if said.types:
            raise DataError(f"types apply to tables, and {files[0].path} is read as documents. Omit types.")

    @property
    def dialect(self) -> Dialect | None:
        """The encoding, if one was given."""
        return None if self._encoding is None else Dialect(encoding=self._encoding)

    def head(self) -> list[pl.DataFrame]:
        """Return the first documents."""
        size = 0
        chosen: list[Text] = []
        for text in (text for file in self._files for text in file.texts):
            if len(chosen) >= self._rows or size >= _HEAD_BYTES:
                break
            chosen.append(text)
            size += text.size
        return [self._frame(chosen, self.names)]

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield some megabytes of documents at a time."""
        for file in self._files:
            total, done = max(1, sum(text.size for text in file.texts)), 0
            cuts = list(_cuts(file.texts))
            for first, last in pairwise(cuts):
                some = file.texts[first:last]
                done += sum(text.size for text in some)
                yield Piece(self._frame(some, columns), file.path, done / total)

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def described(self) -> tuple[str, ...]:
        """Return the number of documents and classes."""
        texts = f"{counted(self._number, 'document')}, one per file"
        if not self._classes:
            return (texts,)
        return (f"{texts}, in {counted(self._classes, 'folder')} (the classes)",)

    def _frame(self, texts: Collection[Text], columns: Collection[str | int]) -> pl.DataFrame:
        import polars as pl

        cells = {
            "text": lambda: [self._read(text.path) for text in texts],
            "path": lambda: [_printable_path(text.path) for text in texts],
            "folder": lambda: [None if text.folder is None else _printable_path(text.folder) for text in texts],
        }
        wanted = [name for name in cells if name in self.names and name in columns]
        return pl.DataFrame({name: pl.Series(name, cells[name](), dtype=pl.String) for name in wanted})

    def _read(self, path: str) -> str:
        raw = Path(path).read_bytes()
        told = next((name for mark, name in _MARKS if raw.startswith(mark)), self._encoding or "utf-8")
        return raw.decode(told, "replace")


def _cuts(texts: tuple[Text, ...]) -> Generator[int, None, None]:
    # A batch ends after a number of bytes or documents.
    size = start = 0
    yield 0
    for at, text in enumerate(texts, 1):
        size += text.size
        if size >= _BYTES or at - start >= _MOST or at == len(texts):
            yield at
            size, start = 0, at


def _printable_path(name: str) -> str:
    # A file name may not be valid UTF-8.
    return name.encode("utf-8", "replace").decode("utf-8")
