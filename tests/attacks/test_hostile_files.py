"""Files that were made, or changed while they are read, to break the reader: refused in words, at little cost."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
import time
import zlib
from pathlib import Path

import polars as pl
import pytest
import zstandard

import suffice as sf
from suffice.sources.files.stream import head_of

MOST = 500  # MB, with all that is imported
READ = """
import resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import suffice as sf
start = time.perf_counter()
try:
    print("read", sf.fit(sys.argv[1], 0).provenance.rows)
except sf.errors.DataError as reason:
    print("refused", reason)
# Of this process alone: ru_maxrss would start with what the process that started it has.
print(next(int(line.split()[1]) >> 10 for line in open("/proc/self/status") if line.startswith("VmHWM")))
print(time.perf_counter() - start)
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read_apart(path, given=None):
    """Fit a file in another process; return what came of it, its memory in MB and the seconds that it took."""
    done = subprocess.run([sys.executable, "-c", READ, path], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    result, memory, seconds = done.stdout.decode().splitlines()
    return result, int(memory), float(seconds)


def zstd_of(start, repeated, blocks, end):
    """A frame of `start`, then so many blocks of 128 KiB of one byte, four bytes each, then `end`."""

    def block(content, kind, size, last=False):
        return (size << 3 | kind << 1 | last).to_bytes(3, "little") + content

    return (
        b"\x28\xb5\x2f\xfd\x00\x38"  # magic, no size, a window of 128 KiB
        + block(start, 0, len(start))
        + block(repeated, 1, 1 << 17) * blocks
        + block(end, 0, len(end), last=True)
    )


@pytest.mark.parametrize("path", ["rows.csv.zst", "-"])
def test_a_gigabyte_in_few_bytes_of_zstd_takes_little_memory(path):
    packed = zstd_of(b"y,", b"x", 8_000, b"\nb,2\n")
    assert len(packed) < 40_000
    Path("rows.csv.zst").write_bytes(packed)
    result, memory, _ = read_apart(path, packed)
    assert "first line" in result
    assert memory < MOST


def test_hundreds_of_megabytes_in_few_bytes_of_bzip2_take_little_memory():
    packer = bz2.BZ2Compressor()
    packed = b"".join(packer.compress(b"x" * 10_000_000) for _ in range(60)) + packer.flush()
    assert len(packed) < 1_000
    result, memory, _ = read_apart("-", packed)
    assert "first line" in result
    assert memory < MOST


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_looking_at_standard_input_unpacks_little(pack, monkeypatch):
    source = io.BufferedReader(io.BytesIO(pack(b"\0" * 30_000_000)), 1 << 16)
    monkeypatch.setattr("sys.stdin", type("Standard", (), {"buffer": source}))
    assert len(head_of("-")) <= 1 << 16


def packed_lines(line, times):
    packer = zlib.compressobj(9, wbits=31)
    Path("rows.csv.gz").write_bytes(b"".join(packer.compress(line) for _ in range(times)) + packer.flush())


@pytest.mark.parametrize(
    ("line", "times", "word"),
    [
        (b"," * 1_000_000, 150, "first line"),
        (b"x" * 1_000_000, 150, "first line"),
        (b'"",' * 300_000, 150, "first line"),
        (b"\n" * 1_000_000, 150, "blank lines"),
        (b"," * 1_000_000 + b"\n", 20, "fields"),
        (b'"",' * 600_000 + b"\n", 20, "fields"),
    ],
)
def test_text_that_is_no_table_is_refused_soon(line, times, word):
    packed_lines(line, times)
    result, memory, seconds = read_apart("rows.csv.gz")
    assert result.startswith("refused rows.csv.gz")
    assert word in result
    assert memory < MOST
    assert seconds < 30


def test_blank_lines_may_stand_above_the_header():
    Path("rows.csv").write_text("\n" * 200_000 + "y;x\n" + "a;1\nb;2\n" * 5)
    model = sf.fit("rows.csv", "y")
    assert (model.provenance.rows, model.schema.names) == (10, ("x",))
    Path("rows.csv").write_text("\n" * 200_000 + "y;x\n" + "a;1\nb;2;3\n" * 5)
    with pytest.raises(sf.errors.DataError, match="line 200003"):
        sf.fit("rows.csv", "y")


def shrink(path, keep):
    """Return what makes the file shorter as soon as the first rows of it are counted."""

    def progress(_):
        if Path(path).stat().st_size > keep:
            os.truncate(path, keep)

    return progress


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.ndjson"])
def test_a_text_file_that_becomes_shorter_is_an_error(name, encoding, monkeypatch):
    monkeypatch.setattr("suffice.sources.files.blocks._BLOCK", 1 << 14)
    monkeypatch.setattr("suffice.sources.files.batches._CELLS", 1)
    monkeypatch.setattr("suffice.sources.files.rows.HEAD", 20)
    line = "a,1.5\nb,2.5\n" if name == "rows.csv" else '{"y": "a", "x": 1.5}\n{"y": "b", "x": 2.5}\n'
    Path(name).write_text(("y,x\n" if name == "rows.csv" else "") + line * 100_000)
    keep = Path(name).stat().st_size * 9 // 10 // len(line) * len(line)
    with pytest.raises(sf.errors.DataError, match=rf"{name} was truncated"):
        sf.fit(sf.Files(name, encoding=encoding), "y", columns=sf.Gaussian(), progress=shrink(name, keep))


SHRINKING = """
import os, sys
import suffice as sf
from suffice.sources.files import batches
batches._CELLS = 1
def shrink(_):
    os.truncate(sys.argv[1], 1000)
try:
    print("read", sf.fit(sys.argv[1], "y", progress=shrink).provenance.rows)
except sf.errors.DataError as reason:
    print("refused", reason)
"""


@pytest.mark.parametrize("name", ["rows.arrow", "rows.parquet"])
def test_a_columnar_file_that_becomes_shorter_is_an_error_and_no_signal(name):
    rows = 1_000_000
    reals = pl.int_range(rows, eager=True) * 0.5
    frame = pl.DataFrame({**{f"x{k}": reals + k for k in range(8)}, "y": ["a", "b"] * (rows // 2)})
    if name == "rows.arrow":
        frame.write_ipc(name, record_batch_size=10_000)
    else:
        frame.write_parquet(name, row_group_size=10_000)
    done = subprocess.run([sys.executable, "-c", SHRINKING, name], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(f"refused {name}")


@pytest.mark.parametrize("name", ["a b%20c.arrow", "[x]#?.arrow", "folder/../rows.arrow"])
def test_an_arrow_file_may_have_any_name(name):
    Path("folder").mkdir()
    pl.DataFrame({"x": [1.5, 2.5] * 5, "y": ["a", "b"] * 5}).write_ipc(name)
    assert sf.fit(name, "y").provenance.rows == 10


@pytest.mark.parametrize("name", ["rows.arrow", "rows.parquet"])
def test_damaged_bytes_are_a_data_error_or_rows(name):
    frame = pl.DataFrame(
        {"y": ["a", "b"] * 50, "x": [k / 3 for k in range(100)], "t": [f"t{k % 7}" for k in range(100)]}
    )
    if name == "rows.arrow":
        frame.write_ipc(name, compression="zstd")
    else:
        frame.write_parquet(name)
    sound = Path(name).read_bytes()
    refused = 0
    for seed in range(200):
        random_ = random.Random(seed)  # noqa: S311
        damaged = bytearray(sound)
        for _ in range(random_.choice([1, 2, 5])):
            damaged[random_.randrange(len(damaged))] = random_.choice([0, 255, random_.randrange(256)])
        Path(name).write_bytes(damaged)
        try:
            sf.fit(name, "y")
        except (sf.errors.DataError, sf.errors.ParameterError):
            refused += 1
    assert refused > 50


def cpu_seconds(columns):
    names = [f"c{k}" for k in range(columns)]
    rows = [
        ",".join(str((k * 7 + row * 13) % 97 / 3) for k in range(columns)) + f",{'ab'[row % 2]}" for row in range(4)
    ]
    path = f"{columns}.csv"
    Path(path).write_text("\n".join([",".join([*names, "y"]), *rows]) + "\n")
    start = time.process_time()
    model = sf.fit(path, "y", columns=sf.Gaussian())
    model.predict(path)
    return time.process_time() - start


def test_the_time_of_many_columns_grows_with_their_number():
    cpu_seconds(100)
    assert cpu_seconds(12_000) < 6 * cpu_seconds(3_000)


def test_a_mark_in_the_first_cell_of_data_stays():
    for header in (True, False):
        start = "y,x\n" if header else ""
        Path("rows.csv").write_text(start + "\ufeffa,1e-330\nb,2.5\n" * 5)  # a number that the core leaves to Polars
        if not header:
            text = Path("rows.csv").read_text()
            Path("rows.csv").write_text("\ufeff" + text)  # that of the file
        model = sf.fit(sf.Files("rows.csv", header=header), 0)
        assert set(model.classes) == {"\ufeffa", "b"}


@pytest.mark.parametrize("first", ["cell", "fields"])
def test_the_first_of_the_skipped_lines_is_told_whatever_is_wrong_with_it(first, monkeypatch):
    monkeypatch.setattr("suffice.sources.files.rows.HEAD", 20)
    good = "".join(f"{k},{'ab'[k % 2]}\n" for k in range(30))
    odd = {"cell": "none,a\n", "fields": "1\n"}
    second = next(kind for kind in odd if kind != first)
    Path("rows.csv").write_text("x,y\n" + good + odd[first] + odd[second] + good)
    with pytest.warns(sf.errors.SkippedLinesWarning, match=r"^rows\.csv, line 32.* 2 bad lines were"):
        sf.fit(sf.Files("rows.csv", skip_bad_lines=True), "y")


def test_the_first_of_the_skipped_lines_is_in_the_first_file(monkeypatch):
    monkeypatch.setattr("suffice.sources.files.rows.HEAD", 20)
    good = "".join(f"{k},{'ab'[k % 2]}\n" for k in range(30))
    Path("a.csv").write_text("x,y\n" + good + "none,a\n")
    Path("b.csv").write_text("x,y\n1\n" + good)
    with pytest.warns(sf.errors.SkippedLinesWarning, match=r"^a\.csv, line 32.* 2 bad lines were"):
        sf.fit(sf.Files("*.csv", skip_bad_lines=True), "y")


def test_a_link_to_nothing_is_called_one():
    Path("rows.csv").symlink_to("gone.csv")
    with pytest.raises(sf.errors.DataError, match=r"rows\.csv is a link to gone\.csv") as caught:
        sf.fit("rows.csv", "y")
    assert "Did you mean" not in str(caught.value)
