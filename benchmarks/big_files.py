"""Time and memory of `suffice fit` on a file larger than memory.

    python -m benchmarks.big_files --folder FOLDER [--gigabytes 10] [--repeat 3] [--keep]

Writes rows like those of the census ("adult"): seven numeric columns, seven text columns, two classes, as CSV and as
Parquet, and fits each file from the shell, with numbers as Gaussian and then as inferred. The peer is Polars' streaming
engine, which hashes every text and sums every number of the same file, also in a separate process. Both alternate; the
table shows medians, the ratio, and the peak resident size. At the end the model of the CSV file is compared with that
of the Parquet file, and with --in-memory also with a fit of the whole frame in memory: counts must be equal and moments
agree to 1e-12.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import suffice as sf
from benchmarks.timing import Reading, seconds

if TYPE_CHECKING:
    import polars as pl

ROWS = 500_000
TEXTS = {
    "workclass": ["Private", "Self-emp-not-inc", "Local-gov", "State-gov", None, "Federal-gov", "Without-pay"],
    "education": ["Bachelors", "HS-grad", "11th", "Masters", "9th", "Some-college", "Assoc-acdm", "Doctorate"],
    "marital": ["Never-married", "Married-civ-spouse", "Divorced", "Widowed"],
    "occupation": ["Adm-clerical", "Exec-managerial", "Handlers-cleaners", "Prof-specialty", "Sales", None],
    "race": ["White", "Black", "Asian-Pac-Islander", "Other"],
    "sex": ["Male", "Female"],
    "country": ["United-States"] * 20 + ["Mexico", "Cuba", "India", "Philippines"],
    "income": ["<=50K", ">50K"],
}
NUMBERS = ("age", "fnlwgt", "education_num", "gain", "hours", "score", "rate")
PEER = """
import sys
import polars as pl
path = sys.argv[1]
rows = pl.scan_parquet(path) if path.endswith(".parquet") else pl.scan_csv(path)
kinds = rows.collect_schema()
asked = [pl.col(name).hash().sum() if kind == pl.String else pl.col(name).sum() for name, kind in kinds.items()]
rows.select(asked).collect(engine="streaming")
"""


class Run(NamedTuple):
    seconds: float
    peak: int


def frames(rng: np.random.Generator) -> Iterator[pl.DataFrame]:
    import polars as pl

    n = ROWS
    while True:
        texts = {name: pl.Series(levels).gather(rng.integers(0, len(levels), n)) for name, levels in TEXTS.items()}
        rich = texts["income"] == ">50K"
        yield pl.DataFrame(
            {
                "age": rng.integers(17, 91, n),
                "workclass": texts["workclass"],
                "fnlwgt": rng.integers(12_285, 1_484_705, n),
                "education": texts["education"],
                "education_num": rng.integers(1, 17, n),
                "marital": texts["marital"],
                "occupation": texts["occupation"],
                "race": texts["race"],
                "sex": texts["sex"],
                "gain": np.where(rng.random(n) < 0.9, 0, rng.integers(100, 99_999, n)),
                "hours": rng.integers(1, 100, n),
                "score": (rng.normal(size=n) + rich.to_numpy()).round(6),
                "rate": rng.gamma(2.0, 3.0, n).round(4),
                "country": texts["country"],
                "income": texts["income"],
            }
        )


def write_csv(path: Path, size: int) -> None:
    with path.open("wb") as out:
        for frame in frames(np.random.default_rng(20261115)):
            frame.write_csv(out, include_header=out.tell() == 0)
            if out.tell() >= size:
                return


def write_parquet(path: Path, csv: Path) -> None:
    import polars as pl

    pl.scan_csv(csv).sink_parquet(path)


def run(*command: str) -> Run:
    """Run a command in a separate process; return its seconds and its peak resident size in bytes."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command[:3])} … ended with {child.returncode}")
    return Run(time.perf_counter() - start, usage.ru_maxrss * 1024)


def fit(data: Path, model: Path, *, gaussian: bool) -> Run:
    columns = [f"--column={name}=gaussian" for name in NUMBERS] if gaussian else []
    suffice = [sys.executable, "-m", "suffice"]
    # Without calibration, so that one pass over the file is compared with one pass.
    return run(*suffice, "fit", str(data), "--target", "income", "-o", str(model), "--no-calibrate", *columns)


def compare(path: Path, folder: Path, repeat: int) -> Iterator[tuple[str, Run, Run]]:
    for gaussian in (True, False):
        ours: list[Run] = []
        peer: list[Run] = []
        model = folder / f"{path.suffix[1:]}-{'gaussian' if gaussian else 'inferred'}.suffice"
        run(sys.executable, "-c", PEER, str(path))  # fills the page cache for both sides
        for _ in range(repeat):
            peer.append(run(sys.executable, "-c", PEER, str(path)))
            ours.append(fit(path, model, gaussian=gaussian))
        both = [Run(median(each.seconds for each in runs), max(each.peak for each in runs)) for runs in (ours, peer)]
        yield f"{path.suffix[1:]}, numbers {'as Gaussian' if gaussian else 'as inferred'}", *both


def differences(one: sf.Model, other: sf.Model) -> str:
    """Describe the largest differences between two models: absolute for counts, relative to the spread for moments."""
    counts = moments = 0.0
    for mine, theirs in zip(one.core.parts, other.core.parts, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            if isinstance(a, sf.statistics.Moments):
                spread = np.sqrt(a.dp / a.weight)
                moments = max(
                    moments, float((abs(a.mean - b.mean) / spread).max()), float((abs(a.dp / b.dp - 1)).max())
                )
                counts = max(counts, float(abs(a.weight - b.weight).max()))
            else:
                assert isinstance(a, sf.statistics.Counts)
                counts = max(counts, float(abs(a.values - b.values).max()))
    return f"counts differ by {counts:g}, moments by {moments:.1e} of their spread"


def in_memory(parquet: Path, model: sf.Model) -> sf.Model:
    import polars as pl

    # One column at a time: all texts at once would not fit into memory.
    columns: list[pl.Series] = []
    for name in pl.read_parquet_schema(parquet):
        column = pl.read_parquet(parquet, columns=[name]).to_series()
        columns.append(column.cast(pl.Categorical()) if column.dtype == pl.String else column)
    return sf.fit(pl.DataFrame(columns), "income", like=model, calibrate=False)


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.big_files", description=__doc__)
    parser.add_argument(
        "--folder", type=Path, required=True, help="where to write the files; needs 1.3 times the size of the CSV file"
    )
    parser.add_argument("--gigabytes", type=float, default=10.0, help="size of the CSV file")
    parser.add_argument("--repeat", type=int, default=3, help="number of runs per median")
    parser.add_argument("--keep", action="store_true", help="keep the files, and use existing ones")
    parser.add_argument(
        "--in-memory", action="store_true", help="also compare the model with a fit of the frame in memory"
    )
    options = parser.parse_args()
    folder: Path = options.folder / "suffice-big-files"
    folder.mkdir(parents=True, exist_ok=True)
    csv, parquet = folder / "rows.csv", folder / "rows.parquet"
    console = Console(width=130)
    try:
        if not csv.exists():
            write_csv(csv, int(options.gigabytes * 1e9))
            write_parquet(parquet, csv)
        console.print(f"{csv.stat().st_size / 1e9:.2f} GB of CSV, {parquet.stat().st_size / 1e9:.2f} GB of Parquet")
        shown = Table("fit", "seconds", "Polars: hash and sum", "ratio", "peak", "MB/s")
        for path in (csv, parquet):
            for name, ours, peer in compare(path, folder, options.repeat):
                speed = f"{path.stat().st_size / 1e6 / ours.seconds:.0f}"
                ratio, peak = f"{ours.seconds / peer.seconds:.2f}×", f"{ours.peak / 1e6:.0f} MB"
                shown.add_row(name, f"{ours.seconds:.1f}", f"{peer.seconds:.1f}", ratio, peak, speed)
        console.print(shown)
        # Last, because the peak of a child process is at least the resident size of its parent when it starts.
        reading = Reading.over(1 << 30)
        console.print(f"read bandwidth {reading.x.nbytes / 1e9 / median(map(seconds, [reading] * 5)):.1f} GB/s")
        del reading
        model = sf.load(folder / "csv-gaussian.suffice")
        console.print("CSV and Parquet: " + differences(model, sf.load(folder / "parquet-gaussian.suffice")))
        if options.in_memory:
            console.print("CSV and memory: " + differences(model, in_memory(parquet, model)))
    finally:
        if not options.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
