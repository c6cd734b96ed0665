"""How a text file is written, when nobody says: one function of its first 64 KiB.

delimiter    what its ending says (.tsv), else the one of comma, tab, semicolon and bar that cuts the first lines into
             the same number of fields, at least two; of several the one with the most; of none a comma
header       the first line is one if the target's name stands in it, or if one of its cells is no number and all below
             it are; else not if one of its cells is a number or two are the same; else it is
quotes       allowed
encoding     UTF-8, or what a byte order mark says
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import replace

from suffice import _core
from suffice.plan import Dialect

__all__ = ["cells_of", "sniffed", "without_header"]

_DELIMITERS = (",", "\t", ";", "|")
_LINES = 200
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf)", re.IGNORECASE | re.ASCII)


def sniffed(sample: bytes, said: Dialect, by_ending: str | None, target: str | None) -> Dialect:
    """Return the dialect with nothing but null markers left open."""
    text = sample[: sample.rfind(b"\n") + 1] or sample
    delimiter = said.delimiter or by_ending or _delimiter(text, said.quote)
    header = said.header
    if header is None:
        lines = _core.tidy_lines(_first_lines(text), delimiter, said.quote, 0)
        header = _has_header(_records(lines, delimiter, said.quote), target)
    return replace(said, delimiter=delimiter, header=header)


def cells_of(text: bytes, delimiter: str, quoted: bool) -> list[str]:
    """Return the cells of the first record."""
    tidy = _core.tidy_lines(text[: _end(text, delimiter, quoted)], delimiter, quoted, 0)
    return _records(tidy, delimiter, quoted)[0] if tidy else []


def without_header(text: bytes, delimiter: str, quoted: bool) -> bytes:
    """Return what follows the first record."""
    return text[_end(text, delimiter, quoted) :]


def _end(text: bytes, delimiter: str, quoted: bool) -> int:
    return _core.place_of_record(text, delimiter, quoted, 0, 1)[0]


def _delimiter(text: bytes, quoted: bool) -> str:
    lines = _first_lines(text)
    best, most = ",", (0.0, 1)
    for delimiter in _DELIMITERS:
        widths = Counter(map(len, _records(_core.tidy_lines(lines, delimiter, quoted, 0), delimiter, quoted)))
        if not widths:
            continue
        width, count = widths.most_common(1)[0]
        share = count / widths.total()
        # Nearly every line: one that is bad must not hide the delimiter from its own error message.
        if width > 1 and (share > 0.9, width) > (most[0] > 0.9, most[1]):
            best, most = delimiter, (share, width)
    return best


def _first_lines(text: bytes) -> bytes:
    return b"".join(text.splitlines(keepends=True)[:_LINES])


def _records(text: bytes, delimiter: str, quoted: bool) -> list[list[str]]:
    lines = text.decode("utf-8", "replace").splitlines(keepends=True)
    csv.field_size_limit(2**31 - 1)
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    return [row for row in csv.reader(lines, delimiter=delimiter, quoting=quoting) if row]


def _has_header(records: list[list[str]], target: str | None) -> bool:
    cells, below = records[0], records[1:]
    if target is not None and target in cells:
        return True
    for at, cell in enumerate(cells):
        known = [record[at] for record in below if len(record) > at and record[at]]
        if cell and known and not _NUMBER.fullmatch(cell) and all(map(_NUMBER.fullmatch, known)):
            return True
    named = [cell for cell in cells if cell]
    return bool(named) and len(set(named)) == len(named) and not any(map(_NUMBER.fullmatch, named))
