"""Files in batches: delimited text, NDJSON, Parquet, Arrow IPC and folders of texts, as tables of known columns.

Files     paths and parsing options                      Batches   their rows, a table at a time, in order
Progress  progress of a pass                             Writer    writes rows, one batch at a time

Polars reads and writes them; nothing else in the package imports it, because its threads do not survive a fork.
"""

from suffice.sources.files.batches import Batches, FileBatch
from suffice.sources.files.source import Files, Known, Progress, Type
from suffice.sources.files.writing import Writer

__all__ = ["Batches", "FileBatch", "Files", "Known", "Progress", "Type", "Writer"]
