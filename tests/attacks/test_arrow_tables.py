"""Arrow tables that lie, through the public API: a DataError in words, the process lives, and no row is dropped."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import suffice as sf

CODES = {
    "below −1": (pa.int32(), [0, 1, -2, 1]),
    "far below": (pa.int64(), [0, 1, -(2**62), 1]),
    "least int8": (pa.int8(), [0, 1, -128, 1]),
    "beyond": (pa.int32(), [0, 1, 2, 1]),
    "2⁶³": (pa.uint64(), [0, 1, 2**63, 1]),
    "2⁶⁴ − 1": (pa.uint64(), [0, 1, 2**64 - 1, 1]),
}


def coded(kind, codes, missing=()):
    array = pa.array(codes, kind)
    bits = np.packbits([row not in missing for row in range(len(codes))], bitorder="little").tobytes()
    valid = pa.py_buffer(bits) if missing else None
    indices = pa.Array.from_buffers(kind, len(codes), [valid, array.buffers()[1]])
    return pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"]), safe=False)


@pytest.mark.parametrize("what", CODES)
def test_codes_outside_of_the_dictionary_are_refused(what):
    column = coded(*CODES[what])
    x = pa.array([1.0, 2.0, 3.0, 4.0])
    with pytest.raises(sf.errors.DataError, match=r"row 2.*: codes must be below 2, the number of values: got "):
        sf.fit(pa.table({"x": column}), [0, 1, 0, 1])
    with pytest.raises(sf.errors.DataError, match=r"row 2.*: codes must be below 2, the number of values: got "):
        sf.fit(pa.table({"x": x, "y": column}), "y")
    model = sf.fit(pa.table({"x": ["a", "b", "a", "b"]}), [0, 1, 0, 1])
    with pytest.raises(sf.errors.DataError, match=r"row 2.*: codes must be below 2, the number of values: got "):
        model.predict(pa.table({"x": column}))


@pytest.mark.parametrize("what", CODES)
def test_codes_under_a_missing_cell_are_not_read(what):
    column = coded(*CODES[what], missing=(2,))
    model = sf.fit(pa.table({"x": column}), [0, 1, 0, 1])
    assert model == sf.fit(pa.table({"x": pa.array(["a", "b", None, "b"])}), [0, 1, 0, 1])


def test_the_row_counts_from_the_first_chunk():
    chunks = pa.chunked_array([coded(pa.int32(), [0, 1, 0]), coded(pa.int32(), [0, -7])])
    with pytest.raises(sf.errors.DataError, match=r"row 4: codes must be below 2, the number of values: got -7\."):
        sf.fit(pa.table({"x": chunks}), [0, 1, 0, 1, 0])


OFFSETS = """
import numpy as np, pyarrow as pa, suffice as sf
offsets = np.array([0] * 10 + [2**31 - 1] + [20] * 14, np.int32)
texts = pa.Array.from_buffers(pa.string(), 24, [None, pa.py_buffer(offsets.data), pa.py_buffer(b"x" * 30)])
table, y = pa.table({"x": texts}), np.arange(24) % 3
model = sf.fit(pa.table({"x": ["x", "y"] * 12}), y)
words = sf.fit(pa.table({"x": ["xx", "yy"] * 12}), y, columns=sf.Words())
for take in (lambda: sf.fit(table, y), lambda: model.predict(table), lambda: words.predict(table),
             lambda: sf.fit(pa.table({"x": y, "y": texts}), "y")):
    try:
        take()
    except sf.errors.DataError as error:
        print(error)
"""


def test_an_offset_beyond_the_last_is_refused():
    done = subprocess.run([sys.executable, "-c", OFFSETS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    assert all("row 9" in line and "beyond the last offset" in line for line in lines)
