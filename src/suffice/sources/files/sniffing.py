"""The dialect of delimited text, inferred from its first 64 KiB.

delimiter    that of the file extension (.tsv), else the first of semicolon, tab, bar and comma that cuts nearly all of
             the first lines into the same number of fields, at least two; one that also fits the very first line takes
             precedence, then the one with the most fields; if none does, a comma
header       `has_header` of the first 200 lines
quotes       allowed
encoding     UTF-8, or that of a byte order mark
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from suffice import _core
from suffice.errors import DataError
from suffice.sources.files.reader import MARKERS
from suffice.sources.files.source import Dialect
from suffice.sources.target import parse_conditions

__all__ = ["drop_header", "has_header", "sniff_dialect", "split_first_record", "usual_width"]

_DELIMITERS = (";", "\t", "|", ",")
_LINES = 200
_MOST_FIELDS = 500_000
_BLANK = re.compile(rb"(?:[ \t\r]*\n)*")
_QUOTED = re.compile(rb'"[^"]*"')
_NEARLY_ALL = 0.9
_SOME, _TWICE, _SERIES = 0.05, 2, 5
_PLACE = re.compile(r"-?\d{1,9}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf)", re.IGNORECASE | re.ASCII)


def sniff_dialect(sample: bytes, said: Dialect, by_ending: str | None, target: str | None) -> Dialect:
    """Return the dialect, complete except for null markers; DataError if the first line has too many fields."""
    text = sample[: sample.rfind(b"\n") + 1] or sample
    delimiter = said.delimiter or by_ending or _delimiter(text, said.quote)
    if max(_record_widths(text, delimiter, said.quote), default=0) > _MOST_FIELDS:
        raise DataError(f"a line has more than {_MOST_FIELDS:,} fields. It may not be delimited text")
    header = said.header
    if header is None:
        lines = _core.tidy_lines(_first_lines(text), delimiter, said.quote, 0)
        header = has_header(_split_records(lines, delimiter, said.quote), target)
    return replace(said, delimiter=delimiter, header=header)


def split_first_record(text: bytes, delimiter: str, quoted: bool) -> list[str]:
    """Return the cells of the first record."""
    tidy = _core.tidy_lines(text[: _end(text, delimiter, quoted)], delimiter, quoted, 0)
    return _split_records(tidy, delimiter, quoted)[0] if tidy else []


def drop_header(text: bytes, delimiter: str, quoted: bool) -> bytes:
    """Return the text after the first record."""
    return text[_end(text, delimiter, quoted) :]


def _end(text: bytes, delimiter: str, quoted: bool) -> int:
    return _core.place_of_record(text, delimiter, quoted, 0, 1)[0]


def usual_width(sample: bytes, delimiter: str, quoted: bool) -> int | None:
    """Return the number of fields that nearly all records after the first have, if at least two have it."""
    widths = _record_widths(sample[: sample.rfind(b"\n") + 1] or sample, delimiter, quoted)[1:]
    width, count = Counter(widths).most_common(1)[0] if widths else (0, 0)
    return width if count > 1 and count > _NEARLY_ALL * len(widths) else None


def _delimiter(text: bytes, quoted: bool) -> str:
    best, most = ",", (False, False, 1)
    for delimiter in _DELIMITERS:
        widths = _record_widths(text, delimiter, quoted)
        width, count = Counter(widths).most_common(1)[0] if widths else (0, 0)
        # Nearly all lines: a bad line must not hide the delimiter.
        rank = (count > _NEARLY_ALL * len(widths), bool(widths) and widths[0] == width, width)
        if width > 1 and rank > most:
            best, most = delimiter, rank
    return best


def _record_widths(text: bytes, delimiter: str, quoted: bool) -> list[int]:
    tidy = _core.tidy_lines(_first_lines(text), delimiter, quoted, 0)
    if quoted:  # in which delimiters and line ends are text
        tidy = _QUOTED.sub(b"", tidy)
    return [line.count(delimiter.encode()) + 1 for line in tidy.split(b"\n")[:-1]]


def _first_lines(text: bytes) -> bytes:
    start = _BLANK.match(text)
    assert start is not None
    return b"".join(text[start.end() :].splitlines(keepends=True)[:_LINES])


def _split_records(tidy: bytes, delimiter: str, quoted: bool) -> list[list[str]]:
    # For regular lines: a cell is quoted as a whole or not at all, and every record ends in a line end.
    mark = re.escape(delimiter)
    cell = re.compile(
        rf'(?:"([^"]*(?:""[^"]*)*)"|([^{mark}\n]*))({mark}|\n)' if quoted else rf"()([^{mark}\n]*)({mark}|\n)"
    )
    records: list[list[str]] = []
    record: list[str] = []
    for match in cell.finditer(tidy.decode("utf-8", "replace")):
        record.append(match[2] if match[1] is None or not quoted else match[1].replace('""', '"'))
        if match[3] == "\n":
            records.append(record)
            record = []
    return records


def has_header(records: list[list[str]], target: str | None = None) -> bool:
    """Return whether the first record is a header. The first rule that applies decides.

    1. The name of the target, or of the column that a target such as "age>30" compares, is one of its cells: a header.
       A target that is the position of a column, such as "0", is not a name.
    2. A cell is neither a number nor a null marker, and all cells below it are numbers: a header.
    3. A cell is a number: a row; but a header if at least five numbers count up by one (1, 2, …, 16), no other record
       does so, and no other cell occurs again below in its column.
    4. Two cells are equal, or all are empty: a row.
    5. A cell occurs at least twice below in its column, or every cell at least once: a row, because values are repeated
       and names are not.
    6. Otherwise a header.

    A few records that repeat the whole first one are ignored, as in concatenated files.
    """
    if not records:  # only an unclosed quote
        return True
    cells, below = records[0], [record for record in records[1:] if record != records[0]]
    if len(records) - 1 - len(below) > _SOME * (len(records) - 1):
        below = records[1:]
    names = [target, *(condition.column for condition in parse_conditions(target))]
    if any(isinstance(name, str) and name in cells and not _is_place(name, len(cells)) for name in names):
        return True
    again: list[int] = []
    for at, cell in enumerate(cells):
        known = [record[at] for record in below if len(record) > at and record[at]]
        number = not cell or _NUMBER.fullmatch(cell)
        if not number and cell not in MARKERS and known and all(map(_NUMBER.fullmatch, known)):
            return True
        if not number:
            again.append(known.count(cell))
    named = [cell for cell in cells if cell]
    if len(again) < len(named):
        at = [place for place, cell in enumerate(cells) if cell and _NUMBER.fullmatch(cell)]
        counts = [_counts_up([record[place] for place in at if place < len(record)]) for record in [cells, *below]]
        return counts[0] and not any(counts[1:]) and not any(again)
    if not named or len(set(named)) < len(named):
        return False
    return max(again) < _TWICE and not all(again)


def _is_place(target: str, width: int) -> bool:
    return _PLACE.fullmatch(target) is not None and -width <= int(target) < width


def _counts_up(cells: list[str]) -> bool:
    if len(cells) < _SERIES or not all(map(_PLACE.fullmatch, cells)):
        return False
    first = int(cells[0])
    return [int(cell) for cell in cells] == list(range(first, first + len(cells)))
