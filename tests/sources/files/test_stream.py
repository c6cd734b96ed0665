"""The bytes of text files: packed in every way, in any encoding, cut off, from pipes, in lines of any length."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import threading
import zipfile

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError
from suffice.sources.files import stream as module
from suffice.sources.files.stream import ByteStream, head_of, is_pipe, spool

TEXT = b"".join(b"%d,%d,caf\xc3\xa9\n" % (k, k * k * 7919 % 10007) for k in range(20_000))
PACKED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "several gzip members": b"".join(gzip.compress(TEXT[at : at + 99_999]) for at in range(0, len(TEXT), 99_999)),
    "zstd": zstandard.ZstdCompressor().compress(TEXT),
    "several zstd frames": b"".join(
        zstandard.ZstdCompressor().compress(TEXT[at : at + 99_999]) for at in range(0, len(TEXT), 99_999)
    ),
    "bzip2": bz2.compress(TEXT),
    "several bzip2 streams": bz2.compress(TEXT[:1000]) + bz2.compress(TEXT[1000:]),
    "xz": lzma.compress(TEXT),
}


def zipped(*members):
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return kept.getvalue()


PACKED["zip"] = zipped(("rows.csv", TEXT))
PACKED["zip with a folder"] = zipped(("inside/", b""), ("inside/rows.csv", TEXT))


def all_lines(stream, size=1 << 16):
    try:
        parts = []
        while part := stream.lines(size):
            parts.append(part)
        return parts
    finally:
        stream.close()


def written(place, content):
    path = place / "rows"
    path.write_bytes(content)
    return str(path)


@pytest.mark.parametrize("kind", PACKED)
def test_what_is_packed_comes_out_whole_and_in_lines(kind, tmp_path):
    path = written(tmp_path, PACKED[kind])
    parts = all_lines(ByteStream(path, None))
    assert b"".join(parts) == TEXT
    assert len(parts) > 3
    assert all(part.endswith(b"\n") for part in parts)
    assert TEXT.startswith(head_of(path))
    assert len(head_of(path)) == 1 << 16


@pytest.mark.parametrize("kind", [kind for kind in PACKED if kind not in ("plain", "several gzip members")])
def test_what_is_cut_off_is_said_to_be(kind, tmp_path):
    for keep in (len(PACKED[kind]) * 2 // 3, len(PACKED[kind]) - 1):
        path = written(tmp_path, PACKED[kind][:keep])
        name = next(name for name in ("gzip", "zstd", "bzip2", "xz", "zip") if name in kind)
        with pytest.raises(
            DataError, match=rf"^{path}: cannot be decompressed \({name}\): .*\. The file may be truncated\.$"
        ):
            all_lines(ByteStream(path, None))


def test_the_whole_sentence_of_a_file_that_is_cut_off(tmp_path):
    path = written(tmp_path, PACKED["zstd"][:-1])
    with pytest.raises(DataError) as caught:
        all_lines(ByteStream(path, None))
    assert str(caught.value) == (
        f"{path}: cannot be decompressed (zstd): the file is truncated within a zstd frame. The file may be truncated."
    )


@pytest.mark.parametrize("kind", ["gzip", "zstd", "bzip2", "xz"])
def test_garbage_behind_the_magic_is_no_text(kind, tmp_path):
    path = written(tmp_path, PACKED[kind][:6] + b"not at all packed" * 9)
    with pytest.raises(
        DataError, match=rf"^{path}: cannot be decompressed \({kind}\): .*\. The file may be truncated\.$"
    ):
        all_lines(ByteStream(path, None))


@pytest.mark.parametrize(
    ("members", "text"),
    [
        (
            [("a.csv", "x"), ("b.csv", "y")],
            ": the archive contains 2 files: only archives of one file are supported. Unpack it first.",
        ),
        ([], ": the archive contains 0 files: only archives of one file are supported. Unpack it first."),
        (
            [("[Content_Types].xml", "x"), ("xl/workbook.xml", "y")],
            ": the file is a workbook. Give it the extension .xlsx or use format='excel'.",
        ),
    ],
)
def test_an_archive_has_one_file(members, text, tmp_path):
    content = zipped(*members) if members else b"PK\x03\x04" + zipped()  # an empty one has no magic
    path = written(tmp_path, content)
    with pytest.raises(DataError) as caught:
        ByteStream(path, None)
    assert str(caught.value) == path + text


def test_a_locked_archive_says_so(tmp_path):
    content = bytearray(zipped(("a.csv", "x,y\n")))
    content[6] |= 1  # the flag of encryption, in both headers
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path = written(tmp_path, bytes(content))
    with pytest.raises(DataError, match=rf"^{path}: cannot be decompressed \(zip\): .*encrypted.*$"):
        ByteStream(path, None)


@pytest.mark.parametrize(
    ("content", "said", "encoding"),
    [
        ("é,x\n".encode(), None, "utf-8"),
        ("é,x\n".encode("utf-8-sig"), None, "utf-8"),
        ("é,x\n".encode(), "utf-8-sig", "utf-8"),
        ("é,x\n".encode("utf-8-sig"), "latin-1", "utf-8"),  # a mark goes before what a model remembers
        ("é,x\n".encode("utf-16"), "utf-8", "utf-16"),
        ("é,x\n".encode("utf-16"), None, "utf-16"),
        (codecs.BOM_UTF16_BE + "é,x\n".encode("utf-16-be"), None, "utf-16"),
        (codecs.BOM_UTF16_LE + "é,x\n".encode("utf-16-le"), "utf-16-le", "utf-16"),
        ("é,x\n".encode("utf-16-le"), "utf-16-le", "utf-16-le"),
        ("é,x\n".encode("utf-32"), None, "utf-32"),
        ("é,x\n".encode("latin-1"), "latin-1", "latin-1"),
        ("é,x\n".encode("cp437"), "cp437", "cp437"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_every_encoding_comes_out_as_utf_8(content, said, encoding, packed, tmp_path):
    stream = ByteStream(written(tmp_path, gzip.compress(content) if packed else content), said)
    assert stream.encoding == encoding
    assert stream.peek() == "é,x\n".encode()
    assert all_lines(stream) == ["é,x\n".encode()]


def test_characters_at_the_edge_of_what_is_read_stay_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_HEAD", 3)
    text = "añ𝄞,b\r\n" * 50
    for encoding in ("utf-16", "utf-16-be", "utf-8", "gb18030"):
        path = written(tmp_path, text.encode(encoding))
        assert b"".join(all_lines(ByteStream(path, encoding), 7)).decode() == text


def test_bytes_that_are_not_of_the_encoding_are_refused(tmp_path):
    path = written(tmp_path, "a,b\n".encode("utf-16")[:-1])
    with pytest.raises(DataError) as caught:
        all_lines(ByteStream(path, "utf-16"))
    assert str(caught.value) == (
        f"{path}: the file is not utf-16: 'utf-16-le' codec can't decode byte 0x0a in position 0: truncated data. "
        "Give its encoding with encoding=."
    )


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_may_be_long(packed, tmp_path):
    text = b"x" * 2_000_000 + b",1\n" + b"a,b\n" * 5
    path = written(tmp_path, gzip.compress(text) if packed else text)
    parts = all_lines(ByteStream(path, None))
    assert b"".join(parts) == text
    assert all(part.endswith(b"\n") for part in parts)


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_that_never_ends_is_no_text(packed, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LONGEST", 1 << 20)
    text = b"x" * (1 << 22)
    path = written(tmp_path, gzip.compress(text) if packed else text)
    with pytest.raises(DataError) as caught:
        all_lines(ByteStream(path, None))
    assert str(caught.value) == f"{path}: the file has a line longer than 1 MiB. The file may not be text."


def test_carriage_returns_alone_end_lines_too(tmp_path):
    stream = ByteStream(written(tmp_path, b"a,b\r1,2\r3,4"), None)
    assert stream.peek() == b"a,b\n1,2\n3,4"
    assert b"".join(all_lines(stream)) == b"a,b\n1,2\n3,4"


def test_a_carriage_return_that_is_the_last_byte_says_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LINES", 0)
    content = b"a" * 65_535 + b"\r\nb\r\n"
    assert b"".join(all_lines(ByteStream(written(tmp_path, content), None))) == content


def test_whoever_looks_sees_some_whole_lines(tmp_path):
    header = b",".join(b"a_rather_long_name_%d" % k for k in range(9_000)) + b"\n"
    stream = ByteStream(written(tmp_path, header + b"1\n" * 9), None)
    try:
        assert stream.peek() == header + b"1\n" * 9
    finally:
        stream.close()


@given(st.lists(st.binary(max_size=30), max_size=12), st.integers(1, 40), st.booleans())
def test_parts_of_any_size_make_the_whole_and_end_with_lines(pieces, size, packed):
    text = b"\n".join(pieces)
    if any(text.startswith(magic) for magic, _ in (*module._MAGIC, *module._MARKS)):
        text = b"x" + text
    if b"\r" in text[:-1] and b"\n" not in text:
        text += b"\n"
    read, write = os.pipe()
    with os.fdopen(write, "wb") as end:
        end.write(gzip.compress(text) if packed else text)
    try:
        parts = all_lines(ByteStream(f"/dev/fd/{read}", None), size)
    finally:
        os.close(read)
    assert b"".join(parts) == text
    assert all(part.endswith(b"\n") for part in parts[:-1])


@given(st.lists(st.binary(max_size=30), max_size=12), st.integers(1, 40))
def test_parts_of_a_file_on_disk_are_the_same(tmp_path_factory, pieces, size):
    text = b"a" + b"\n".join(pieces) + b"\n"
    parts = all_lines(ByteStream(written(tmp_path_factory.getbasetemp(), text), None), size)
    assert b"".join(parts) == text
    assert all(part.endswith(b"\n") for part in parts)


def test_the_share_that_was_read_grows_to_one(tmp_path):
    for kind in ("plain", "gzip", "zstd"):
        stream = ByteStream(written(tmp_path, PACKED[kind]), None)
        shares = []
        while stream.lines(1 << 16):
            shares.append(stream.share)
        stream.close()
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


@pytest.mark.parametrize("kind", ["plain", "gzip", "zstd"])
def test_a_named_pipe_is_read_once_and_has_no_share(kind, tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    assert is_pipe(path)
    assert is_pipe("-")
    assert not is_pipe(written(tmp_path, b"x"))

    def write():
        with open(path, "wb") as pipe:  # noqa: PTH123
            pipe.write(PACKED[kind])

    writer = threading.Thread(target=write)
    writer.start()
    stream = ByteStream(path, None)
    assert stream.share is None
    assert b"".join(all_lines(stream)) == TEXT
    writer.join()


@pytest.mark.parametrize("kind", [kind for kind in PACKED if not kind.startswith("zip")])
def test_looking_at_standard_input_takes_nothing_from_it(kind, monkeypatch):
    source = type("Standard", (), {"buffer": io.BufferedReader(io.BytesIO(PACKED[kind]))})
    monkeypatch.setattr("sys.stdin", source)
    head = head_of("-")
    assert TEXT.startswith(head)
    assert head or "bzip2" in kind or "zstd" in kind  # of which nothing can be unpacked before a large block is whole
    assert b"".join(all_lines(ByteStream("-", None))) == TEXT
    assert not source.buffer.closed


def test_standard_input_may_be_an_archive(monkeypatch):
    monkeypatch.setattr("sys.stdin", type("Standard", (), {"buffer": io.BufferedReader(io.BytesIO(PACKED["zip"]))}))
    assert b"".join(all_lines(ByteStream("-", None))) == TEXT


def test_what_is_broken_at_the_start_is_looked_at_as_it_is(monkeypatch):
    content = b"\x1f\x8bnot gzip"
    monkeypatch.setattr("sys.stdin", type("Standard", (), {"buffer": io.BufferedReader(io.BytesIO(content))}))
    assert head_of("-") == content


def test_what_must_be_read_from_its_end_is_kept_in_a_file(monkeypatch):
    monkeypatch.setattr("sys.stdin", type("Standard", (), {"buffer": io.BufferedReader(io.BytesIO(TEXT))}))
    path = spool("-")
    with open(path, "rb") as kept:  # noqa: PTH123
        assert kept.read() == TEXT
    os.unlink(path)  # noqa: PTH108


def test_a_file_that_is_not_there_is_not_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match=re.escape(str(tmp_path / "none"))):
        ByteStream(str(tmp_path / "none"), None)
