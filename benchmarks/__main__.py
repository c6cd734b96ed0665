"""`python -m benchmarks`: see the package docstring."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

import benchmarks
import benchmarks.groups
from benchmarks.measure import Row, document, rows
from benchmarks.table import table
from benchmarks.timing import Reading
from benchmarks.work import BENCHES, Size


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description=benchmarks.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="benchmarks to run (default: all)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the results to this JSON file")
    parser.add_argument("--rows", metavar="N", type=int, default=Size().rows, help="number of rows of the input")
    parser.add_argument("--repeat", metavar="N", type=int, default=5, help="number of runs per median")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and exit")
    options = parser.parse_args(arguments)
    if options.rows < Size().classes * 2:
        parser.error(f"--rows must be at least {Size().classes * 2} (two per class), got {options.rows}")
    if options.repeat < 1:
        parser.error(f"--repeat must be at least 1, got {options.repeat}")
    unknown = [name for name in options.names if name not in BENCHES]
    if unknown:
        parser.error(f"unknown benchmark {', '.join(map(repr, unknown))}. Choose from: {', '.join(BENCHES)}")
    return options


def main(arguments: Sequence[str] | None = None, *, reading_bytes: int = 1 << 30) -> None:
    options = parse(arguments)
    if options.list:
        for bench in BENCHES.values():
            print(f"{bench.name:10} against {bench.peer}")
        return
    size = replace(Size(), rows=options.rows)
    console = Console(width=None if sys.stdout.isatty() else 150)  # wide enough for the table when the output is a file
    console.print(f"{size.rows:,} × {size.columns}, {size.classes} classes")
    results: list[Row] = []
    for row in rows(options.names or list(BENCHES), size, options.repeat, Reading.over(reading_bytes)):
        results.append(row)
        console.print(f"  {row.work}: {row.ratio:.1f}× {row.peer}", highlight=False)
    console.print(table(results, options.repeat))
    if options.json:
        text = json.dumps(document(results, size, options.repeat), indent=2, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
