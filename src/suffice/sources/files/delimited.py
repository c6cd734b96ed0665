"""Delimited text such as CSV: the core cuts it into blocks of whole records, and Polars parses each block.

The types of the columns follow from the first rows, which are read as text. A block that Polars cannot parse with these
types is read as text and converted column by column: that finds the file, line, column and value of a cell that does
not fit, and lets integers widen to floats.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

from suffice import _core
from suffice.errors import DataError, Wording
from suffice.machine import thread_count
from suffice.sources.dialect import Dialect
from suffice.sources.files.bad_lines import BadLines, shown
from suffice.sources.files.blocks import Block, in_parallel, prefetched, record_blocks
from suffice.sources.files.paths import File
from suffice.sources.files.reader import Piece, Reader, Usual, exactly, failures, require_same_names
from suffice.sources.files.sniffing import cells_of, sniffed, usual_width, without_header
from suffice.sources.files.source import Files, Known, Type
from suffice.sources.files.stream import LONGEST_START, ByteStream
from suffice.sources.files.types import NOUNS, comma_numbers, markers_in, polars_type, said_types, type_of
from suffice.statistics.columns import Columns
from suffice.statistics.counted import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DelimitedReader"]

_HEAD_BYTES = 1 << 27
_EXACT = 2**53
_AT_ONCE = 4
_OPEN_QUOTE = "a quote is opened and never closed"


@final
@dataclass(frozen=True, slots=True)
class _Ready:
    # The text is that of the block without its header, of good records only. `order` holds the names as this file has
    # them, and `header` says whether the first record of the block is one.
    block: Block
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
        self.bad = BadLines(self._skip)
        self._through_text: set[str | int] = set()
        self._commas = False  # decimal ones
        self._inferred: frozenset[str | int] = frozenset()
        self._rest = prefetched(self._ready())
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
        # Find out how the first file is written, and which columns it has.
        first, sample = self._files[0], stream.peek()
        if len(sample) >= LONGEST_START and b"\n" not in sample.strip():
            what = "begins with blank lines of" if not sample.strip() else "has a first line of"
            raise DataError(
                f"{what} over {LONGEST_START >> 20} MiB", file=first.path, advice="It may not be delimited text."
            )
        if not sample.strip():
            raise DataError("the file is empty: it has neither a header nor rows", kind="no_rows", file=first.path)
        if sample.count(0) > len(sample) // 10:
            raise DataError(
                f"the file is not text in {stream.encoding}: it is full of zero bytes",
                kind="wrong_encoding",
                file=first.path,
                advice=lambda words: f"Give its encoding, for example {words.option('encoding', 'utf-16-le')}.",
            )
        delimiter = first.delimiter
        if delimiter is None and usual is not None and first.allows(usual.delimiter):
            cells = cells_of(sample, usual.delimiter, said.quote)
            delimiter = usual.delimiter if usual.fits(cells, said.header is not False) else None
        try:
            found = sniffed(sample, said, delimiter, target)
        except DataError as reason:
            raise reason.located(file=first.path) from None
        self._how = replace(found, encoding=stream.encoding)
        self._delimiter, quoted = self._how.delimiter or ",", self._how.quote
        cells = cells_of(sample, self._delimiter, quoted)
        if not cells:
            problem = f"{_OPEN_QUOTE}: {shown(sample)}"
            raise DataError(problem, kind="bad_line", file=first.path, line=1, advice=_quotes_are_text)
        width = usual_width(sample, self._delimiter, quoted)
        if width not in (None, len(cells)):
            line = shown(sample.strip().partition(b"\n")[0].rstrip())
            raise DataError(
                f"{first.path}: the first line has {counted(len(cells), 'field')}, and nearly all below it have "
                f"{width}: {line}. Remove what stands above the header, or give every column a name."
            )
        if not self._how.header:
            self.names = tuple(range(len(cells)))
            return
        names = _unique(cells)
        self.names = names
        self.renamed = tuple((cell, name) for cell, name in zip(cells, names, strict=True) if cell != name)

    @property
    def dialect(self) -> Dialect:
        """How the files are written."""
        return self._how

    def head(self) -> list[pl.DataFrame]:
        """Return a frame for each of the first blocks, of the last one only the rows that are asked for."""
        uncounted = BadLines(self._skip)  # `pieces` meets them again
        frames: list[pl.DataFrame] = []
        left, every = self._rows, frozenset(self.names)
        for ready in self._head:
            if ready.rows <= left:
                frames.append(self._frame(ready, every, uncounted))
            else:  # a row that comes later must not widen numbers before its time
                frames.append(self._cell_by_cell(ready, every, uncounted, left))
            left = max(0, left - ready.rows)
        return frames

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield a frame for each block."""

        def piece(ready: _Ready) -> Piece:
            return Piece(self._frame(ready, columns, self.bad), ready.block.path, ready.block.share)

        # One block has parts that one thread alone can do: two of them keep two processors busy.
        yield from in_parallel(self._all(), piece, min(thread_count(), _AT_ONCE))

    def _all(self) -> Generator[_Ready, None, None]:
        head, self._head = deque(self._head), []
        while head:
            yield head.popleft()
        yield from self._rest

    def close(self) -> None:
        """Close the file that is open, and end the thread that reads it."""
        self._rest.close()
        if self._stream is not None:
            self._stream.close()

    def described(self) -> tuple[str, ...]:
        """Say how the text is read."""
        how = self._how
        delimiter = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "space"}.get(
            self._delimiter, repr(self._delimiter)
        )
        header = "with a header" if how.header else "no header: columns are known by their places"
        quotes = ("" if how.quote else ", quotes are text") + ", decimal commas" * self._commas
        missing = ", ".join(["empty cells", *(repr(marker) for marker in how.null or () if marker)])
        return (
            f"delimited by {delimiter}, {header}{quotes}, {how.encoding}",
            f"missing: {missing}",
        )

    # The blocks: this runs in a thread of its own.

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
                        text = without_header(text, delimiter, quoted)
                yield _Ready(block, self._tidy(block, text), order, header)

    def _order(self, path: str, text: bytes) -> Columns:
        cells = cells_of(text, self._delimiter, self._how.quote)
        if not self._how.header:
            return self.names  # of another width, each line says so
        names = _unique(cells)
        require_same_names(path, names, self._files[0].path, self.names)
        return names

    def _tidy(self, block: Block, text: bytes) -> bytes:
        scan, fields = block.scan, len(self.names)
        assert scan is not None
        if scan.bad:
            worst = scan.first_bad[0]
            are = f"and there {'is' if fields == 1 else 'are'} {counted(fields, 'column')}"
            found = f"{counted(worst.fields, 'field')}, {are}" if worst.fields else _OPEN_QUOTE
            line = shown(block.text[worst.begin : worst.end])
            at = block.line + worst.line
            advice = "" if worst.fields else _quotes_are_text
            error = DataError(f"{found}: {line}", kind="bad_line", file=block.path, line=at, advice=advice)
            self.bad.meet(scan.bad, error, block.file)
        if scan.untidy or scan.bad:
            return _core.tidy_lines(text, self._delimiter, self._how.quote, fields)
        return text

    # The first rows, and what they say.

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
        told: dict[str | int, Known] = {**known, **said_types(said, self.names)}
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
        # What a model knows as numbers are numbers, so that a cell which is none can be told by its line.
        forced = [name for name in open_ if told.get(name) == "number" and found[name] in ("text", "time")]
        found.update(dict.fromkeys(forced, "float"))
        self._inferred = frozenset(open_) - frozenset(forced)
        return {**types, **found}

    def _as_text(self, columns: Collection[str | int]) -> pl.DataFrame:
        import polars as pl

        chosen = frozenset(columns)
        wanted = [str(name) for name in self.names if name in chosen]
        frames = [self._text_cells(ready, chosen).select(exactly(wanted)) for ready in self._head]
        empty = pl.DataFrame(schema=dict.fromkeys(wanted, pl.String))
        return pl.concat([empty, *frames]).head(self._rows)

    # One block to a frame.

    def _frame(self, ready: _Ready, columns: Collection[str | int], bad: BadLines) -> pl.DataFrame:
        types: dict[str | int, Type] = {**self.types, **dict.fromkeys(self._through_text, "text")}
        if not self._commas and not self._through_text.intersection(columns):
            try:
                return self._parsed(ready, columns, types)
            except failures():
                pass
        return self._cell_by_cell(ready, columns, bad)

    def _parsed(self, ready: _Ready, columns: Collection[str | int], types: Mapping[Any, Type]) -> pl.DataFrame:
        import polars as pl

        wanted = [at for at, name in enumerate(ready.order) if name in columns]
        # Polars takes the first U+FEFF for a byte order mark; here it belongs to a cell.
        text = codecs.BOM_UTF8 + ready.text if ready.text.startswith(codecs.BOM_UTF8) else ready.text
        return pl.read_csv(
            text,
            has_header=False,
            schema={str(name): polars_type(types[name]) for name in ready.order},
            columns=wanted,
            separator=self._delimiter,
            quote_char='"' if self._how.quote else None,
            # An empty cell is missing without being told, and being told has its price; in quotes it is not.
            null_values=["", *(self._how.null or ())] if self._how.null or b'"' in ready.text else None,
        )

    def _text_cells(self, ready: _Ready, columns: Collection[str | int]) -> pl.DataFrame:
        try:
            return self._parsed(ready, columns, dict.fromkeys(self.names, "text"))
        except failures() as problem:
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
            texts = cells[str(name)].alias("")  # the methods of a series take a name "^…$" for a pattern
            column = self._cast(texts, name)
            odd = column.is_null() & texts.is_not_null()
            if odd.any():
                row = odd.arg_true()[0]
                line = self._line(ready, row)
                noun = NOUNS[self.types[name]]
                why = f"The first rows hold {noun}; read the column as text where that is wrong."
                error = DataError(
                    f"must hold {noun}",
                    kind="wrong_type",
                    column=name,
                    got=texts[row],
                    advice=why * (name in self._inferred),
                )
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
        if self._commas:  # a point would be one of thousands, and what it is worth a guess
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
        reason = f"cannot be read from here on ({problem.splitlines()[0]})"
        return DataError(reason, kind="bad_line", file=block.path, line=block.line)


def _quotes_are_text(words: Wording) -> str:
    return f"With {words.option('quote', False)} quotes are text."


def _unique(cells: list[str]) -> tuple[str, ...]:
    # Every column has a name of its own: 'x' that comes again is 'x_2', and one without a name 'column_3'.
    names: dict[str, None] = {}
    for at, cell in enumerate(cells):
        if "\0" in cell:  # which ends a name wherever columns are handed over
            raise DataError(f"a column may have no zero byte in its name: got {shown(cell)}. Rename it.")
        name, again = cell or f"column_{at + 1}", 1
        while name in names:
            again += 1
            name = f"{cell or f'column_{at + 1}'}_{again}"
        names[name] = None
    return tuple(names)
