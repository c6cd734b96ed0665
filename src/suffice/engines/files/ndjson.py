"""NDJSON: an object a line, cut into blocks of lines that Polars parses one by one."""

from __future__ import annotations

import json
from collections.abc import Collection, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

from suffice.engines.files.bad_lines import BadLines, shown
from suffice.engines.files.blocks import Block, line_blocks, prefetched
from suffice.engines.files.paths import File
from suffice.engines.files.reader import Piece, Reader
from suffice.engines.files.source import Files, Type
from suffice.engines.files.stream import ByteStream
from suffice.engines.files.types import polars_type
from suffice.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NdjsonReader"]

_HEAD_BYTES = 1 << 27


@final
class NdjsonReader(Reader):
    """Files of an object a line. The columns are the keys of the first rows; a key that a row lacks is missing."""

    def __init__(self, files: list[File], said: Files, rows: int, known: Mapping[Any, Type]) -> None:
        self._files, self._encoding = files, said.dialect.encoding
        self.bad = BadLines(said.skip_bad_lines)
        self._rest = prefetched(self._blocks())
        self._head = self._first(rows)
        if not self._head:
            raise DataError(f"{files[0].path} is empty: it has no rows.")
        self._schema = self._inferred({**known, **said.types})
        self.names = tuple(self._schema)
        self.types = {}

    def head(self) -> list[pl.DataFrame]:
        """Return a frame for each of the first blocks."""
        return [self._frame(block, self.names) for block in self._head]

    def pieces(self, columns: Collection[str | int]) -> Generator[Piece, None, None]:
        """Yield a frame for each block."""
        head, self._head = self._head, []
        for block in head:
            yield Piece(self._frame(block, columns), block.path, block.share)
        del head
        for block in self._rest:
            yield Piece(self._frame(block, columns), block.path, block.share)

    def described(self) -> tuple[str, ...]:
        """Say how the text is read."""
        return ("a JSON object in each line",)

    def _blocks(self) -> Generator[Block, None, None]:
        for file in self._files:
            for block in line_blocks(file.path, ByteStream(file.path, self._encoding)):
                if block.text.strip():
                    yield block

    def _first(self, rows: int) -> list[Block]:
        head: list[Block] = []
        count = size = 0
        for block in self._rest:
            head.append(block)
            count += block.text.count(b"\n") + 1
            size += len(block.text)
            if count >= rows or size >= _HEAD_BYTES:
                break
        return head

    def _inferred(self, said: Mapping[Any, Type]) -> dict[str, Any]:
        import polars as pl

        text = b"\n".join(block.text for block in self._head)
        try:
            schema: dict[str, Any] = dict(pl.read_ndjson(text, infer_schema_length=None).schema)
        except pl.exceptions.PolarsError:  # a bad line, or a key of two kinds: each line by itself
            good = [record for block in self._head for record in self._records(block)]
            schema = {
                name: _of_values(name, good) for name in dict.fromkeys(name for record in good for name in record)
            }
        return {**schema, **{name: polars_type(kind) for name, kind in said.items() if name in schema}}

    def _frame(self, block: Block, columns: Collection[str | int]) -> pl.DataFrame:
        import polars as pl

        schema = {name: kind for name, kind in self._schema.items() if name in columns}
        try:
            return pl.read_ndjson(block.text, schema=schema)
        except pl.exceptions.PolarsError:
            pass
        good: list[dict[str, Any]] = []
        for at, record in self._numbered(block):
            try:
                row = {name: _cell(name, record.get(name), kind) for name, kind in schema.items()}
            except DataError as reason:
                self.bad.meet(1, f"{block.path}, line {at}: {reason}.")
                continue
            good.append(row)
        return pl.DataFrame(good, schema=schema)

    def _records(self, block: Block) -> list[dict[str, Any]]:
        return [record for _, record in self._numbered(block)]

    def _numbered(self, block: Block) -> Iterator[tuple[int, dict[str, Any]]]:
        for at, line in enumerate(block.text.split(b"\n"), block.line):
            if not line.strip():
                continue
            try:
                record: object = json.loads(line)
            except (ValueError, RecursionError) as reason:
                self.bad.meet(1, f"{block.path}, line {at}: it is not JSON ({reason}): {shown(line)}.")
                continue
            if not isinstance(record, dict):
                self.bad.meet(1, f"{block.path}, line {at}: it must be an object {{name: value}}: {shown(line)}.")
                continue
            yield at, record  # pyright: ignore[reportUnknownVariableType]


def _of_values(name: str, records: list[dict[str, Any]]) -> Any:
    import polars as pl

    kinds: set[type[Any]] = {type(record[name]) for record in records if record.get(name) is not None}
    if kinds <= {int}:
        return pl.Int64 if kinds else pl.String
    if kinds <= {int, float}:
        return pl.Float64
    if kinds == {bool}:
        return pl.Boolean
    return pl.String


def _cell(name: str, value: Any, kind: Any) -> Any:
    # What Polars would take for the cell, or DataError.
    import polars as pl

    if value is None:
        return None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == pl.Int64 and number and value == int(value) and abs(value) < 2**63:
        return int(value)
    if kind == pl.Float64 and number:
        return float(value)
    if kind == pl.Boolean and isinstance(value, bool):
        return value
    if kind == pl.String:
        return value if isinstance(value, str) else json.dumps(value)
    if kind not in (pl.Int64, pl.Float64, pl.Boolean):
        return value
    noun = {pl.Int64: "whole numbers", pl.Float64: "numbers", pl.Boolean: "true or false"}[kind]
    raise DataError(f"column {name!r} must hold {noun}: got {shown(json.dumps(value))}")
