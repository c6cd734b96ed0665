"""Where rows go: to stdout as they come, or to a file that is there whole or not at all."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from suffice.engines.files import Writer

__all__ = ["STDOUT", "rows_out"]

STDOUT = "-"
_FORMATS = ("csv", "tsv", "ndjson", "parquet")


@contextmanager
def rows_out(path: str, to: str | None) -> Generator[Writer]:
    """Give a writer of rows; the format is as `to` says, or as the path ends."""
    from suffice.engines.files import Writer
    from suffice.engines.files.writing import out_format
    from suffice.storage import replacing

    if to is not None and to not in _FORMATS:
        raise typer.BadParameter(f"{to!r} is no format of rows. Give {', '.join(_FORMATS)}.", param_hint="--to")
    kind: Any = to or out_format(path)
    if path == STDOUT:
        with Writer(path, kind) as writer:
            yield writer
        return
    with replacing(path) as file, Writer(file.name, kind) as writer:
        yield writer
