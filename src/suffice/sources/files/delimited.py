"""Delimited text such as CSV: the core cuts it into blocks of whole records, and Polars parses each block.

The types of the columns are inferred from the first rows, which are read as text. A block that Polars cannot parse with
these types is read as text and converted column by column, which finds the line of a bad cell and lets integers widen
to floats.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

from suffice import _core
from suffice.errors import Advice, DataError, Wording, counted
from suffice.machine import map_in_parallel, prefetch, thread_count
from suffice.sources.files.blocks import LineBlock, record_blocks
from suffice.sources.files.paths import File
from suffice.sources.files.reader import (
    NOUNS,
    BadLines,
    Piece,
    Reader,
    Usual,
    comma_numbers,
    markers_in,
    polars_errors,
    polars_type,
    require_same_names,
    resolve_types,
    select_names,
    shorten,
    type_of,
)
from suffice.sources.files.sniffing import drop_header, sniff_dialect, split_first_record, usual_width
from suffice.sources.files.source import Dialect, Files, Known, Type
from suffice.sources.files.stream import LONGEST_START, ByteStream
from suffice.statistics.axis import Columns

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DelimitedReader"]

_HEAD_BYTES = 1 << 27
_EXACT = 2**53
_AT_ONCE = 4
_OPEN_QUOTE = "unclosed quote"


@final
@dataclass(frozen=True, slots=True)
class _Ready:
    # `text` is the block without its header and without bad records. `order` is the order of the columns in this file;
    # `header` is whether the first record of the block is the header.
    block: LineBlock
    text: bytes
    order: Columns
    header: bool

    @property
    def rows(self) -> int:
        assert self.block.scan is not None
        return self.block.scan.records - self.header


@final
class DelimitedReader(Reader):
    """Delimited text files with the same columns."""

    def __init__(
        self,
        files: list[File],
        said: Files,
        target: str | None,
        rows: int,
        known: Callable[[Columns], Mapping[Any, Known]],
        usual: Usual | None = None,
    ) -> None:
        self._files = files
        self._skip, self._rows = said.skip_bad_lines, rows
        self._given = said.names
        self.bad = BadLines(self._skip)
        self._through_text: set[str | int] = set()
        self._commas = False  # decimal commas
        self._inferred: frozenset[str | int] = frozenset()
        self._rest = prefetch(self._ready())
        stream = ByteStream(files[0].path, said.dialect.encoding)
        self._stream: ByteStream | None = stream
        try:
            self._look(stream, said.dialect, target, usual)
            self._head = self._first()
            self.types = self._types(said.types, known(self.names))
        except BaseException:
            self.close()
            raise

    def _look(self, stream: ByteStream, said: Dialect, target: str | None, usual: Usual | None) -> None:
        # Infer the dialect and the columns from the first file.
        first, sample = self._files[0], stream.peek()
        if len(sample) >= LONGEST_START and b"\n" not in sample.strip():
            size = f"{LONGEST_START >> 20} MiB"
            blank = not sample.strip()
            problem = f"starts with over {size} of blank lines" if blank else f"has a first line longer than {size}"
            raise DataError(problem, file=first.path, advice="The file may not be delimited text.")
        if not sample.strip():
            raise DataError("the file is empty: it has neither a header nor rows", kind="no_rows", file=first.path)
        if sample.count(0) > len(sample) // 10:
            raise DataError(
                f"the file is not {stream.encoding} text: it contains null bytes",
                kind="wrong_encoding",
                file=first.path,
                advice=lambda words: (
                    f"It may be a binary file; if it is text, give its encoding, for example "
                    f"{words.option('encoding', 'utf-16-le')}."
                ),
            )
        delimiter = first.delimiter
        if delimiter is None and usual is not None and first.allows(usual.delimiter):
            cells = split_first_record(sample, usual.delimiter, said.quote)
            delimiter = usual.delimiter if usual.fits(cells, said.header is not False) else None
        try:
            found = sniff_dialect(sample, said, delimiter, target)
        except DataError as reason:
            raise reason.located(file=first.path) from None
        self._how = replace(found, encoding=stream.encoding)
        self._delimiter, quoted = self._how.delimiter or ",", self._how.quote
        cells = split_first_record(sample, self._delimiter, quoted)
        if not cells:
            problem = f"{_OPEN_QUOTE}: {shorten(sample)}"
            raise DataError(problem, kind="bad_line", file=first.path, line=1, advice=_quotes_are_text)
        width = usual_width(sample, self._delimiter, quoted)
        if width not in (None, len(cells)):
            line = shorten(sample.strip().partition(b"\n")[0].rstrip())
            raise DataError(
                f"{first.path}: the first line has {counted(len(cells), 'field')}, but most other lines have {width}: "
                f"{line}. Remove the lines above the header, or add the missing column names."
            )
        if self._given is not None:
            if len(self._given) != len(cells):
                raise DataError(
                    f"the file has {counted(len(cells), 'column')}, but {counted(len(self._given), 'name')} "
                    f"{'is' if len(self._given) == 1 else 'are'} given",
                    file=first.path,
                    advice=lambda words: f"Give one name for each column with {words.option('names')}.",
                )
            self.names = self._given
            return
        if not self._how.header:
            self.names = tuple(range(len(cells)))
            return
        names = _unique(cells)
        self.names = names
        self.renamed = tuple((cell, name) for cell, name in zip(cells, names, strict=True) if cell != name)

    @property
    def dialect(self) -> Dialect:
        """The dialect of the files; given names do not apply to the header of other files."""
        return self._how if self._given is None else replace(self._how, header=None)

    def head(self) -> list[pl.DataFrame]:
        """Return a frame for each of the first blocks, the last one cut to the requested number of rows."""
        uncounted = BadLines(self._skip)  # `pieces` counts them
        frames: list[pl.DataFrame] = []
        left, every = self._rows, frozenset(self.names)
        for ready in self._head:
            if ready.rows <= left:
                frames.append(self._frame(ready, every, uncounted))
            else:  # later rows must not widen the numbers yet
                frames.append(self._cell_by_cell(ready, every, uncounted, left))
            left = max(0, left - ready.rows)
        return frames

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield a frame for each block."""

        def piece(ready: _Ready) -> Piece:
            return Piece(self._frame(ready, columns, self.bad), ready.block.path, ready.block.share)

        # Parts of the work on a block are serial, so several blocks are parsed at a time.
        yield from map_in_parallel(self._all(), piece, min(thread_count(), _AT_ONCE))

    def _all(self) -> Generator[_Ready, None, None]:
        head, self._head = deque(self._head), []
        while head:
            yield head.popleft()
        yield from self._rest

    def close(self) -> None:
        """Close the open file and end the thread that reads it."""
        self._rest.close()
        if self._stream is not None:
            self._stream.close()

    def described(self) -> tuple[str, ...]:
        """Return the delimiter, header, quoting and encoding, and the null markers."""
        how = self._how
        delimiter = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "space"}.get(
            self._delimiter, repr(self._delimiter)
        )
        header = "with a header" if how.header else "no header: columns are named by position"
        header = header if self._given is None else "no header: names as given"
        quotes = ("" if how.quote else ", no quoting") + ", decimal commas" * self._commas
        missing = ", ".join(["empty cells", *(repr(marker) for marker in how.null or () if marker)])
        return (
            f"delimited by {delimiter}, {header}{quotes}, {how.encoding}",
            f"missing: {missing}",
        )

    # Blocks, cut in a separate thread.

    def _ready(self) -> Generator[_Ready, None, None]:
        delimiter, quoted, fields = self._delimiter, self._how.quote, len(self.names)
        for number, file in enumerate(self._files):
            stream, self._stream = self._stream or ByteStream(file.path, self._how.encoding), None
            order: Columns | None = None
            for block in record_blocks(file.path, stream, delimiter, quoted, fields, number):
                text, header = block.text, False
                if order is None:
                    if not text.strip():
                        continue
                    order, header = self._order(file.path, text), bool(self._how.header)
                    if header:
                        text = drop_header(text, delimiter, quoted)
                yield _Ready(block, self._tidy(block, text), order, header)

    def _order(self, path: str, text: bytes) -> Columns:
        cells = split_first_record(text, self._delimiter, self._how.quote)
        if not self._how.header:
            return self.names  # a line of another width is reported by itself
        names = _unique(cells)
        require_same_names(path, names, self._files[0].path, self.names)
        return names

    def _tidy(self, block: LineBlock, text: bytes) -> bytes:
        scan, fields = block.scan, len(self.names)
        assert scan is not None
        if scan.bad:
            worst = scan.first_bad[0]
            found = f"{counted(worst.fields, 'field')} instead of {fields}" if worst.fields else _OPEN_QUOTE
            line = shorten(block.text[worst.begin : worst.end])
            at = block.line + worst.line
            advice = "" if worst.fields else _quotes_are_text
            error = DataError(f"{found}: {line}", kind="bad_line", file=block.path, line=at, advice=advice)
            self.bad.meet(scan.bad, error, block.file)
        if scan.untidy or scan.bad:
            return _core.tidy_lines(text, self._delimiter, self._how.quote, fields)
        return text

    # The first rows, and the types that follow from them.

    def _first(self) -> list[_Ready]:
        head: list[_Ready] = []
        count = size = 0
        for ready in self._rest:
            head.append(ready)
            count += ready.rows
            size += len(ready.block.text)
            if count >= self._rows or size >= _HEAD_BYTES:
                break
        return head

    def _types(self, said: Mapping[str | int, Type], known: Mapping[Any, Known]) -> dict[str | int, Type]:
        told: dict[str | int, Known] = {**known, **resolve_types(said, self.names)}
        there = frozenset(self.names)
        types: dict[str | int, Type] = {name: kind for name, kind in told.items() if name in there and kind != "number"}
        open_ = [name for name in self.names if name not in types]
        if self._how.null is not None and not open_:
            return types
        cells = self._as_text(open_ or self.names)
        if self._how.null is None:
            markers = sorted(set[str]().union(*(markers_in(cells[str(name)]) for name in open_)))
            self._how = replace(self._how, null=tuple(markers))
            if markers:
                cells = self._as_text(open_)
        found: dict[str | int, Type] = {name: type_of(cells[str(name)]) for name in open_}
        if self._delimiter != ",":
            commas = comma_numbers(cells, found)
            found.update(dict.fromkeys(commas, "float"))
            self._commas = bool(commas)
        # Columns of numbers of a model are read as numbers, so that an error can name the line of a bad cell.
        forced = [name for name in open_ if told.get(name) == "number" and found[name] in ("text", "time")]
        found.update(dict.fromkeys(forced, "float"))
        self._inferred = frozenset(open_) - frozenset(forced)
        return {**types, **found}

    def _as_text(self, columns: Collection[str | int]) -> pl.DataFrame:
        import polars as pl

        chosen = frozenset(columns)
        wanted = [str(name) for name in self.names if name in chosen]
        frames = [self._text_cells(ready, chosen).select(select_names(wanted)) for ready in self._head]
        empty = pl.DataFrame(schema=dict.fromkeys(wanted, pl.String))
        return pl.concat([empty, *frames]).head(self._rows)

    # From a block to a frame.

    def _frame(self, ready: _Ready, columns: Collection[str | int], bad: BadLines) -> pl.DataFrame:
        types: dict[str | int, Type] = {**self.types, **dict.fromkeys(self._through_text, "text")}
        if not self._commas and not self._through_text.intersection(columns):
            try:
                return self._parsed(ready, columns, types)
            except polars_errors():
                pass
        return self._cell_by_cell(ready, columns, bad)

    def _parsed(self, ready: _Ready, columns: Collection[str | int], types: Mapping[Any, Type]) -> pl.DataFrame:
        import polars as pl

        wanted = [at for at, name in enumerate(ready.order) if name in columns]
        # Polars would drop a leading U+FEFF as a byte order mark; here it is part of a cell.
        text = codecs.BOM_UTF8 + ready.text if ready.text.startswith(codecs.BOM_UTF8) else ready.text
        return pl.read_csv(
            text,
            has_header=False,
            schema={str(name): polars_type(types[name]) for name in ready.order},
            columns=wanted,
            separator=self._delimiter,
            quote_char='"' if self._how.quote else None,
            # Polars reads empty cells as null by itself, unless they are quoted; null_values slow it down.
            null_values=["", *(self._how.null or ())] if self._how.null or b'"' in ready.text else None,
        )

    def _text_cells(self, ready: _Ready, columns: Collection[str | int]) -> pl.DataFrame:
        try:
            return self._parsed(ready, columns, dict.fromkeys(self.names, "text"))
        except polars_errors() as problem:
            raise self._unreadable(ready, str(problem)) from None

    def _cell_by_cell(
        self, ready: _Ready, columns: Collection[str | int], bad: BadLines, rows: int | None = None
    ) -> pl.DataFrame:
        import polars as pl

        cells = self._text_cells(ready, columns)
        if rows is not None:
            cells = cells.head(rows)
        good = pl.Series([True]).new_from_index(0, len(cells))
        read: list[pl.Series] = []
        for name in (name for name in ready.order if name in columns):
            texts = cells[str(name)].alias("")  # Polars reads a series name such as "^…$" as a pattern
            column = self._cast(texts, name)
            odd = column.is_null() & texts.is_not_null()
            if odd.any():
                row = odd.arg_true()[0]
                line = self._line(ready, row)
                noun = NOUNS[self.types[name]]
                advice = _advise_null(texts[row], noun if name in self._inferred else None)
                error = DataError(f"must be {noun}", kind="wrong_type", column=name, got=texts[row], advice=advice)
                bad.meet(int((odd & good).sum()), error.located(file=ready.block.path, line=line), ready.block.file)
                good = good & ~odd
            read.append(column.alias(str(name)))
        frame = pl.DataFrame(read)
        return frame if good.all() else frame.filter(good)

    def _cast(self, cells: pl.Series, name: str | int) -> pl.Series:
        import polars as pl

        kind = self.types[name]
        if kind == "bool":
            self._through_text.add(name)
            lower = cells.str.to_lowercase()
            return lower.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
        if kind not in ("integer", "float"):
            return cells
        if self._commas:  # a point may separate thousands, so such a cell is not a number
            cells = cells.str.replace_all(".", "x", literal=True).str.replace(",", ".", literal=True)
        column = cells.cast(polars_type(kind), strict=False)
        if kind == "integer" and column.null_count() > cells.null_count():
            wide = cells.cast(pl.Float64, strict=False)
            if wide.null_count() < column.null_count() and (column.abs().max() or 0) <= _EXACT:  # pyright: ignore[reportOperatorIssue]
                self.types[name] = "float"
                return wide
        return column

    def _line(self, ready: _Ready, row: int) -> int:
        fields, record = len(ready.order), row + ready.header
        _, line = _core.place_of_record(ready.block.text, self._delimiter, self._how.quote, fields, record)
        return ready.block.line + line

    def _unreadable(self, ready: _Ready, problem: str) -> DataError:
        block = ready.block
        try:
            block.text.decode("utf-8")
        except UnicodeDecodeError as flaw:
            line = block.line + block.text.count(b"\n", 0, flaw.start)
            return DataError(
                f"byte 0x{block.text[flaw.start]:02x} is not UTF-8",
                kind="not_utf8",
                file=block.path,
                line=line,
                advice=lambda words: f"Give its encoding, for example {words.option('encoding', 'latin-1')}.",
            )
        reason = f"parsing failed at this line ({problem.splitlines()[0]})"
        return DataError(reason, kind="bad_line", file=block.path, line=block.line)


def _advise_null(cell: str, inferred: str | None) -> Advice:
    # For a cell that is not of the type of its column.
    why = "" if inferred is None else f"The first rows are {inferred}; read the column as text if that is wrong. "
    return lambda words: f"{why}If it marks a missing value, use {words.option('null', cell)}."


def _quotes_are_text(words: Wording) -> str:
    return f"Use {words.option('quote', False)} to treat quotes as text."


def _unique(cells: list[str]) -> tuple[str, ...]:
    # Make names unique: a second 'x' becomes 'x_2', an empty name 'column_3'.
    names: dict[str, None] = {}
    for at, cell in enumerate(cells):
        if "\0" in cell:  # Arrow ends a name there
            raise DataError(f"column names must not contain null bytes: got {shorten(cell)}. Rename the column.")
        name, again = cell or f"column_{at + 1}", 1
        while name in names:
            again += 1
            name = f"{cell or f'column_{at + 1}'}_{again}"
        names[name] = None
    return tuple(names)
