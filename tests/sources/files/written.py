"""Rows with every kind of cell, some of them missing, and the files of every format that hold them."""

from __future__ import annotations

import gzip
import io

import polars as pl
import zstandard

ROWS = pl.DataFrame(
    {
        "city": [
            None if k % 11 == 5 else ["Aarau", "Bern", 'La "Chaux"', "Zürich, ZH", "two\nlines"][k % 5]
            for k in range(90)
        ],
        "rooms": [None if k % 13 == 7 else k % 5 for k in range(90)],
        "price": [None if k % 7 == 3 else 100.25 + (k * 37 % 29) / 8 for k in range(90)],
        "garden": [None if k % 17 == 2 else k % 3 == 0 for k in range(90)],
    }
)


def csv_of(frame, separator=","):
    return frame.write_csv(separator=separator).encode()


def parquet_of(frame):
    kept = io.BytesIO()
    frame.write_parquet(kept, row_group_size=20)
    return kept.getvalue()


def ipc_of(frame):
    kept = io.BytesIO()
    frame.write_ipc(kept)
    return kept.getvalue()


FORMATS = {
    "rows.csv": csv_of,
    "rows.CSV": csv_of,
    "rows.tsv": lambda frame: csv_of(frame, "\t"),
    "rows.tab": lambda frame: csv_of(frame, "\t"),
    "rows.psv": lambda frame: csv_of(frame, "|"),
    "semicolons.csv": lambda frame: csv_of(frame, ";"),
    "rows.csv.gz": lambda frame: gzip.compress(csv_of(frame)),
    "rows.tsv.zst": lambda frame: zstandard.ZstdCompressor().compress(csv_of(frame, "\t")),
    "marked.csv": lambda frame: csv_of(frame).decode().encode("utf-8-sig"),
    "wide.csv": lambda frame: csv_of(frame).decode().encode("utf-16"),
    "rows.ndjson": lambda frame: frame.write_ndjson().encode(),
    "rows.jsonl.gz": lambda frame: gzip.compress(frame.write_ndjson().encode()),
    "rows.parquet": parquet_of,
    "rows.pq": parquet_of,
    "rows.arrow": ipc_of,
    "rows.feather": ipc_of,
    "csv_without_ending": csv_of,
    "ndjson_without_ending": lambda frame: frame.write_ndjson().encode(),
    "parquet_without_ending": parquet_of,
    "ipc_without_ending": ipc_of,
}
