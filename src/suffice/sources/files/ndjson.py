"""NDJSON: one object per line, cut into blocks of lines that Polars parses. A JSON array is rewritten as such lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast, final

from suffice.errors import DataError
from suffice.machine import prefetch
from suffice.sources.column import require_names
from suffice.sources.files.blocks import LineBlock, line_blocks
from suffice.sources.files.paths import File
from suffice.sources.files.reader import BadLines, Piece, Reader, polars_errors, polars_type, resolve_types, shorten
from suffice.sources.files.source import Files, Known, Type
from suffice.sources.files.stream import ByteStream
from suffice.statistics.axis import Columns

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NdjsonReader"]

_HEAD_BYTES = 1 << 27
_EXACT = 2**53
_LONGEST = 1 << 28  # characters of one element of an array
_ARRAY = re.compile(rb"\s*\[\s*(?:[{\]]|$)")
_GAP = re.compile(r"[\s,]*")  # between the elements of an array


@final
class NdjsonReader(Reader):
    """Files of one object per line. The columns are the keys of the first rows; an absent key is a missing cell.

    Integers of up to 128 bits are kept. A column whose first rows have a longer one is read as text.
    """

    def __init__(
        self, files: list[File], said: Files, rows: int, known: Callable[[Columns], Mapping[Any, Known]]
    ) -> None:
        self._files, self._encoding = files, said.dialect.encoding
        self._skip, self._rows = said.skip_bad_lines, rows
        self.bad = BadLines(self._skip)
        self._arrays = False
        self._rest = prefetch(self._blocks())
        try:
            self._look(said.types, known)
        except BaseException:
            self.close()
            raise

    def _look(self, said: Mapping[str | int, Type], known: Callable[[Columns], Mapping[Any, Known]]) -> None:
        import polars as pl

        self._head = self._first()
        if not self._head:
            raise DataError("the file is empty: it has no rows", kind="no_rows", file=self._files[0].path)
        self._schema = self._inferred()
        require_names(self._schema.items(), self._files[0].path)
        self.names = tuple(self._schema)
        if not self.names:
            raise DataError("the file has no columns: its first objects are empty", file=self._files[0].path)
        self.types = resolve_types(said, self.names)
        told: dict[Any, Known] = {**known(self.names), **self.types}
        for name, kind in told.items():
            if kind != "number" or self._schema.get(name) in (pl.String, pl.Null):
                self._schema[name] = polars_type("float" if kind == "number" else kind)

    def head(self) -> list[pl.DataFrame]:
        """Return a frame for each of the first blocks, the last one cut to the requested number of rows."""
        uncounted = BadLines(self._skip)  # `pieces` counts them
        frames: list[pl.DataFrame] = []
        left, every = self._rows, frozenset(self.names)
        for block in self._head:
            lines = block.text.split(b"\n")
            known = [at for at, line in enumerate(lines) if line.strip()]
            if len(known) > left:  # later rows must not widen the numbers yet
                block = replace(block, text=b"\n".join(lines[: known[left]]))  # noqa: PLW2901
            frames.append(self._frame(block, every, uncounted))
            left = max(0, left - len(known))
        return frames

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield a frame for each block."""
        head, self._head = self._head, []
        for block in head:
            yield Piece(self._frame(block, columns, self.bad), block.path, block.share)
        del head
        for block in self._rest:
            yield Piece(self._frame(block, columns, self.bad), block.path, block.share)

    def close(self) -> None:
        """Close the open file and end the thread that reads it."""
        self._rest.close()

    def described(self) -> tuple[str, ...]:
        """Return the format."""
        return ("JSON: an array of objects" if self._arrays else "NDJSON: one object per line",)

    def _blocks(self) -> Generator[LineBlock, None, None]:
        for number, file in enumerate(self._files):
            stream = ByteStream(file.path, self._encoding)
            is_array = _ARRAY.match(stream.peek()) is not None
            self._arrays = self._arrays or is_array
            blocks = line_blocks(file.path, stream, number)
            for block in _split_array(blocks) if is_array else blocks:
                if block.text.strip():
                    yield block

    def _first(self) -> list[LineBlock]:
        head: list[LineBlock] = []
        count = size = 0
        for block in self._rest:
            head.append(block)
            count += sum(bool(line.strip()) for line in block.text.split(b"\n"))
            size += len(block.text)
            if count >= self._rows or size >= _HEAD_BYTES:
                break
        return head

    def _inferred(self) -> dict[str, Any]:
        import polars as pl

        lines = (line for block in self._head for line in block.text.split(b"\n") if line.strip())
        try:
            return dict(pl.read_ndjson(b"\n".join(islice(lines, self._rows)), infer_schema_length=None).schema)
        except polars_errors():  # a bad line, or a key with values of two types: parse line by line
            uncounted = BadLines(self._skip)
            good = [record for block in self._head for _, record in _numbered_records(block, uncounted)][: self._rows]
            return {name: _of_values(name, good) for name in dict.fromkeys(name for record in good for name in record)}

    def _frame(self, block: LineBlock, columns: Collection[str | int], bad: BadLines) -> pl.DataFrame:
        import polars as pl

        schema = {name: kind for name, kind in self._schema.items() if name in columns}
        try:
            return pl.read_ndjson(block.text, schema=schema)
        except polars_errors():
            pass
        self._schema.update(_widened(block, schema))
        schema = {name: self._schema[name] for name in schema}
        good: list[dict[str, Any]] = []
        for at, record in _numbered_records(block, bad):
            try:
                row = {name: _json_cell(name, record.get(name), kind) for name, kind in schema.items()}
            except DataError as reason:
                bad.meet(1, reason.located(file=block.path, line=at), block.file)
                continue
            good.append(row)
        try:
            return pl.DataFrame(good, schema=schema)
        except (*polars_errors(), TypeError, ValueError, OverflowError) as problem:  # within lists and structs
            reason = f"parsing failed at this line ({str(problem).splitlines()[0]})"
            raise DataError(reason, kind="bad_line", file=block.path, line=block.line) from None


def _split_array(blocks: Iterable[LineBlock]) -> Generator[LineBlock, None, None]:
    # One line for each element of a JSON array; the number of a line is then that of the element.
    decoder = json.JSONDecoder()
    number, text, at = 1, "", 0
    problem: ValueError | None = None
    is_open, block = False, None
    for block in blocks:
        text, at = text[at:] + block.text.decode("utf-8", "replace"), 0
        lines: list[str] = []
        while True:
            at = _GAP.match(text, at).end() if is_open else text.find("[") + 1  # pyright: ignore[reportOptionalMemberAccess]
            is_open = True
            if text[at : at + 1] in ("", "]"):
                break
            try:
                element, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError) as reason:  # also for an element that continues in the next block
                problem = ValueError(str(reason))
                break
            lines.append(json.dumps(element))
        yield replace(block, text="\n".join([*lines, ""]).encode(), line=number)
        number += len(lines)
        if len(text) - at > _LONGEST:
            break
    if block is not None and text[at:].strip() != "]":
        ends = text[at : at + 1] == "]"
        reason = "unexpected data after the end of the array" if ends else problem or "the array is not closed"
        raise DataError(f"not valid JSON after element {number - 1:,} ({reason})", kind="bad_line", file=block.path)


def _numbered_records(block: LineBlock, bad: BadLines) -> Iterator[tuple[int, dict[str, Any]]]:
    for at, line in enumerate(block.text.split(b"\n"), block.line):
        if not line.strip():
            continue
        try:
            record: object = json.loads(line)
        except (ValueError, RecursionError) as reason:
            problem = f"not valid JSON ({reason}): {shorten(line)}"
            bad.meet(1, DataError(problem, kind="bad_line", file=block.path, line=at), block.file)
            continue
        if not isinstance(record, dict):
            problem = f"must be an object {{name: value}}: {shorten(line)}"
            bad.meet(1, DataError(problem, kind="bad_line", file=block.path, line=at), block.file)
            continue
        known = cast("dict[str, Any]", record)
        if any("\ud800" <= sign <= "\udfff" for name in known for sign in name):
            problem = f"a key contains an unpaired surrogate: {shorten(line)}"
            bad.meet(1, DataError(problem, kind="bad_line", file=block.path, line=at), block.file)
            continue
        yield at, known


def _widened(block: LineBlock, schema: Mapping[str, Any]) -> dict[str, Any]:
    # Integer columns with a fraction in a later row, unless a number is too large for float64.
    import polars as pl

    wide: set[str] = set()
    long: set[str] = set()
    for _, record in _numbered_records(block, BadLines(skip=True)):
        for name, value in record.items():
            if type(value) is float and not value.is_integer():
                wide.add(name)
            elif type(value) is int and abs(value) > _EXACT:
                long.add(name)
    return {name: pl.Float64 for name in wide - long if schema.get(name) == pl.Int64}


def _of_values(name: str, records: list[dict[str, Any]]) -> Any:
    import polars as pl

    kinds: set[type[Any]] = {type(record[name]) for record in records if record.get(name) is not None}
    if kinds <= {int}:
        numbers: list[int] = [record[name] for record in records if record.get(name) is not None]
        bits = max((number if number >= 0 else ~number).bit_length() for number in numbers) if numbers else 128
        return pl.Int64 if bits < 64 else pl.Int128 if bits < 128 else pl.String
    if kinds <= {int, float}:
        return pl.Float64
    if kinds == {bool}:
        return pl.Boolean
    return pl.String


def _json_cell(name: str, value: Any, kind: Any) -> Any:
    # The cell as Polars would read it, or DataError.
    import polars as pl

    if value is None:
        return None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    limit = {pl.Int64: 2**63, pl.Int128: 2**127}.get(kind, 0)
    if number and -limit <= value < limit and value == int(value):
        return int(value)
    if kind == pl.Float64 and number:
        with suppress(OverflowError):  # an integer too large for float64
            return float(value)
    if kind == pl.Boolean and isinstance(value, bool):
        return value
    if kind == pl.String:
        return value if isinstance(value, str) else json.dumps(value)
    whole = "whole numbers"
    nouns = {pl.Int64: whole, pl.Int128: whole, pl.Float64: "numbers", pl.Boolean: "true or false"}
    if kind not in nouns:
        return value
    raise DataError(f"must be {nouns[kind]}", kind="wrong_type", column=name, got=value)
