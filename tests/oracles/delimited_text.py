"""Records of delimited text, read by one regular expression a field: slow, and the same rules written another way.

A field may stand in quotes when its first character that is not blank is one; a quote within quotes is written twice.
Anywhere else a quote is a character like any other. Blanks (space and tab, unless they delimit) around a field do not
belong to it, nor do carriage returns behind it. A line with nothing in it is no record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    begin: int
    end: int  # before its line end, and before the carriage return that belongs to that
    line: int  # how many line ends stand before it
    fields: tuple[bytes, ...]
    tidy: bytes
    open: bool  # a quote that nobody closes: the record has no fields


@dataclass(frozen=True)
class Found:
    records: tuple[Record, ...]
    end: int  # past the last whole record or blank line
    lines: int


def read(text: bytes, delimiter: str = ",", quoted: bool = True, last: bool = True) -> Found:
    """Return the records of a text; where more may follow it, only what that cannot change."""
    blank = rb"[%s]" % b" \t".replace(delimiter.encode(), b"")
    stop = re.escape(delimiter.encode())
    in_quotes = rb'%b*"((?:[^"]|"")*+)' % blank
    well = re.compile(rb'%b"(?:[ \t\r](?<!%b))*(?=%b|\n|\Z)' % (in_quotes, stop, stop))
    odd = re.compile(rb'%b*("(?:[^"]|"")*+"[^%b\n]*)' % (blank, stop))
    unclosed = re.compile(rb"%b\Z" % in_quotes)
    plain = re.compile(rb"%b*([^%b\n]*)" % (blank, stop))
    records: list[Record] = []
    at = line = 0
    while at < len(text):
        begin, inner, fields, tidy, is_open = at, 0, [], [], False
        while True:
            if quoted and (match := well.match(text, at)):
                fields.append(match[1].replace(b'""', b'"'))
                tidy.append(b'"' + match[1] + b'"')
            elif quoted and (match := unclosed.match(text, at)):
                is_open = True
            else:
                match = (quoted and odd.match(text, at)) or plain.match(text, at)
                assert match
                cell = match[1].rstrip(b" \t\r".replace(delimiter.encode(), b""))
                fields.append(cell)
                tidy.append(b'"' + cell.replace(b'"', b'""') + b'"' if quoted and b'"' in cell else cell)
            inner += text.count(b"\n", at, match.end())
            at = match.end()
            if at == len(text) or text[at] == 10:
                break
            at += 1
        ended = at < len(text)
        if not ended and not last:
            return Found(tuple(records), begin, line)
        end = at - (at > begin and text[at - 1] == 13)
        if is_open or fields != [b""] or tidy != [b""]:
            whole = b"" if is_open else delimiter.encode().join(tidy) + b"\n"
            records.append(Record(begin, end, line, () if is_open else tuple(fields), whole, is_open))
        at += ended
        line += inner + ended
    return Found(tuple(records), len(text), line)
