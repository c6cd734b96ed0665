"""Input data as sources of batches: arrays, frames, files, texts and iterators of frames."""

from suffice.sources.source import HEAD, Batch, Like, OnProgress, RowSource, rows_from

__all__ = ["HEAD", "Batch", "Like", "OnProgress", "RowSource", "rows_from"]
