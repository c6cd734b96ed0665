"""Rows from anywhere, as one source of batches: arrays, frames, files, texts, and frames that come in parts."""

from suffice.sources.source import HEAD, Batch, Like, OnProgress, RowSource, rows_from

__all__ = ["HEAD", "Batch", "Like", "OnProgress", "RowSource", "rows_from"]
