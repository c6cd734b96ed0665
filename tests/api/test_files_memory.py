"""Files larger than what a pass may take: memory stays where it is, whatever their length."""

from __future__ import annotations

import gzip
import subprocess
import sys
import textwrap

import numpy as np
import polars as pl
import pytest

PROGRAM = textwrap.dedent("""
    import sys, threading
    import suffice as sf

    def peak():
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))

    small, large, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
    sf.fit(small, "label", calibrate=False)
    before = peak()
    model = sf.fit(large, "label", calibrate=False)
    assert model.provenance.rows == rows, model.provenance.rows
    assert threading.active_count() == 1
    print(peak() - before)
""")


def rows_of(count):
    random = np.random.default_rng(5)
    return pl.DataFrame(
        {
            **{f"x{k}": random.normal(size=count).round(6) for k in range(8)},
            **{f"c{k}": random.choice(["red", "green", "blue", "white"], count) for k in range(4)},
            "label": random.choice(["a", "b", "c"], count),
        }
    )


def peak_in_child(small, large, rows):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(small), str(large), str(rows)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


# What a pass may take beside the program: of Parquet some row groups more, which Polars reads ahead.
ALLOWED = {"csv": 400_000_000, "csv.gz": 400_000_000, "ndjson": 400_000_000, "parquet": 600_000_000}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process so")
@pytest.mark.parametrize("ending", ALLOWED)
def test_a_file_of_any_length_is_fitted_in_the_same_memory(ending, tmp_path):
    rows = rows_of(100_000)
    small, large = tmp_path / f"small.{ending}", tmp_path / f"large.{ending}"
    parts = {
        "csv": rows.write_csv(include_header=False).encode(),
        "ndjson": rows.write_ndjson().encode(),
    }
    part = parts.get(ending, parts["csv"])
    times = 300_000_000 // len(part) + 1
    if ending == "parquet":
        rows[:100].write_parquet(small)
        pl.concat([rows] * times).write_parquet(large, row_group_size=100_000)
    else:
        header = b"" if ending == "ndjson" else ",".join(rows.columns).encode() + b"\n"
        packed = (lambda text: gzip.compress(text, 1)) if ending == "csv.gz" else bytes
        head, body = packed(header), packed(part)
        small.write_bytes(packed(header + b"".join(part.splitlines(keepends=True)[:100])))
        with large.open("wb") as file:
            file.write(head)
            for _ in range(times):
                file.write(body)
    assert peak_in_child(small, large, 100_000 * times) < ALLOWED[ending]


MANY_CLASSES = textwrap.dedent("""
    import sys
    import suffice as sf

    def peak():
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))

    small, large = sys.argv[1:]
    sf.fit(small, "label")
    before = peak()
    try:
        sf.fit(large, "label")
    except sf.errors.DataError as reason:
        assert reason.kind == "many_classes", reason
        print(peak() - before)
""")
ALLOWED_FOR_MANY_CLASSES = 250_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process so")
def test_a_quantity_of_600_values_is_refused_in_little_memory(tmp_path):
    random = np.random.default_rng(6)
    small, large = tmp_path / "small.csv", tmp_path / "large.csv"
    rows = pl.DataFrame({f"x{k}": random.normal(size=40_000).round(4) for k in range(20)})
    rows[:1000].with_columns(label=pl.Series(random.choice(["a", "b"], 1000))).write_csv(small)
    delays = [rows.with_columns(label=pl.Series(random.integers(-100, 500, len(rows)))) for _ in range(8)]
    pl.concat(delays).write_csv(large)
    words = [sys.executable, "-W", "ignore", "-c", MANY_CLASSES, str(small), str(large)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(done.stdout) < ALLOWED_FOR_MANY_CLASSES
