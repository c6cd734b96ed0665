"""The native core of suffice. Private: use suffice.engines."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class Matrix:
    """A strided 2-D array, not copied."""

    def __init__(self, x: Annotated[NDArray[Any], dict(shape=(None, None), device='cpu', writable=False)]) -> None: ...

class Columns:
    """Separate 1-D arrays, each with an Arrow validity bitmap or None."""

    def __init__(self, columns: Sequence[Annotated[NDArray[Any], dict(shape=(None,), device='cpu', writable=False)]], validity: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None], rows: int) -> None: ...

class Sparse:
    """Compressed sparse rows."""

    def __init__(self, starts: Annotated[NDArray[Any], dict(shape=(None,), device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(shape=(None,), device='cpu', writable=False)], values: Annotated[NDArray[Any], dict(shape=(None,), device='cpu', writable=False)], cols: int) -> None: ...

class Labels:
    """The class code of each row (−1: left out) and its weight."""

    def __init__(self, codes: Annotated[NDArray[Any], dict(shape=(None,), device='cpu', writable=False)], classes: int, weights: Annotated[NDArray[Any], dict(shape=(None,), device='cpu', writable=False)] | None) -> None: ...

@overload
def moments(x: Matrix, labels: Labels, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]: ...

@overload
def moments(x: Columns, labels: Labels, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """(weight, mean, mean_low, dp), each classes × columns."""

@overload
def moments(x: Sparse, labels: Labels, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """Absent cells are 0; a stored NaN is missing."""

@overload
def sums(x: Matrix, labels: Labels, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]: ...

@overload
def sums(x: Columns, labels: Labels, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """(values, observed); observed is classes × 1 when nothing was missing."""

@overload
def sums(x: Sparse, labels: Labels, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """Absent cells are 0; a stored NaN is missing."""

@overload
def presence(x: Matrix, labels: Labels, threshold: float, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]: ...

@overload
def presence(x: Columns, labels: Labels, threshold: float, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """(values, observed) for x > threshold."""

@overload
def presence(x: Sparse, labels: Labels, threshold: float, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """Absent cells are 0; a stored NaN is missing."""

@overload
def levels(x: Matrix, labels: Labels, sizes: Sequence[int], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]: ...

@overload
def levels(x: Columns, labels: Labels, sizes: Sequence[int], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """classes × Σ sizes."""

@overload
def bins(x: Matrix, labels: Labels, limit: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]: ...

@overload
def bins(x: Columns, labels: Labels, limit: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """
    (shift, offsets, keys, counts, below, above): the bins of column j are offsets[j] … offsets[j + 1].
    """

@overload
def moments_and_bins(x: Matrix, labels: Labels, limit: int, threads: int) -> tuple[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]]: ...

@overload
def moments_and_bins(x: Columns, labels: Labels, limit: int, threads: int) -> tuple[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]]:
    """What moments and bins return, in one pass over separate columns."""

@overload
def scatter(x: Matrix, labels: Labels, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]: ...

@overload
def scatter(x: Columns, labels: Labels, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """(weight, mean, mean_low, scatter, left_out)."""

def choose_cells(kind: str, counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    (cells, starts): for intervals the first bin of each, for groups the group of each level, column after column; those of column j are starts[j] … starts[j + 1]. The bins of column j are the rows offsets[j] … offsets[j + 1] of counts, bins × classes.
    """

def cell_cost(kind: str, counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The cost of the cells of one column (for tests)."""

@overload
def count_logs(x: Matrix, labels: Labels, kind: str, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    classes × (coarse, fine): Σ w ln x! for cells, Σ w ln(n!/Π x!) for rows.
    """

@overload
def count_logs(x: Columns, labels: Labels, kind: str, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """The same for separate columns."""

@overload
def count_logs(x: Sparse, labels: Labels, kind: str, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """The same for sparse rows."""

def log_rising(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """ln Γ(a + x) − ln Γ(a), elementwise, for a > 0 and x ≥ 0 (for tests)."""

class ScoreTables:
    """The terms of log p(c, x), compiled from a reading."""

    def __init__(self, log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add_quadratic(self, columns: Sequence[int], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], m: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """c − s (z − m)², z = (x − centre) · scale."""

    def add_student(self, columns: Sequence[int], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], m: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], e: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """c − e log(1 + (z − m)² s)."""

    def add_uniform(self, columns: Sequence[int], m: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], e: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """0 ≤ x ≤ m ? c : c − e log(x / m); a negative x is impossible."""

    def add_levels(self, columns: Sequence[int], levels: Sequence[int], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """table[level]; −1 and codes beyond are missing."""

    def add_presence(self, columns: Sequence[int], threshold: float, present: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], absent: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """x > threshold ? present : absent."""

    def add_linear(self, columns: Sequence[int], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], distribution: bool) -> None:
        """x · weight, with 0 · (−inf) = 0."""

    def add_counts(self, columns: Sequence[int], start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factorials: bool, whole_row: bool) -> None:
        """
        base + ln Γ(start + x) − ln Γ(start) + x · slope − ln x!; a part without columns is not there.
        """

    def add_coefficient(self, columns: Sequence[int]) -> None:
        """ln n! − Σ ln x!, the same for every class."""

    def add_steps(self, columns: Sequence[int], edge_counts: Sequence[int], edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """table[number of inner edges ≤ x]; a missing cell adds nothing."""

    def add_observed(self, columns: Sequence[int], present: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], absent: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """x is known ? present : absent."""

    def add_ellipse(self, columns: Sequence[int], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], whitening: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], log_determinant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float, drop: bool, degrees: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], norming: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], linear: bool) -> None:
        """
        The log density of several columns together, normal or Student-t (suffice/score_ellipses.hpp).
        """

class Calibration:
    """log π_c + offset_c + scale · log p(x | c) in the place of log p(c, x)."""

    def __init__(self, scale: float, offsets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

@overload
def score(tables: ScoreTables, x: Matrix, wanted: str, threads: int, calibration: Calibration | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], int, bool]:
    """
    (scores, impossible rows, whether the presence of an infinite cell was scored); wanted is joint, log_posterior, posterior, density or likelihood.
    """

@overload
def score(tables: ScoreTables, x: Columns, wanted: str, threads: int, calibration: Calibration | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], int, bool]:
    """The same of separate columns."""

@overload
def score(tables: ScoreTables, x: Sparse, wanted: str, threads: int, calibration: Calibration | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], int, bool]:
    """The same of sparse rows."""

def finish(likelihood: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], wanted: str, threads: int, calibration: Calibration | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], int, bool]:
    """The same of rows whose log p(x | c) is known, rows × classes."""

def score_parts(tables: Sequence[ScoreTables], x: Matrix, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], wanted: str, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], int, bool]:
    """The same of rows that belong to parts, each with tables of its own."""

def pool_scores(z: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Σ_t weights[t] z[:, t, :]; z is rows × units × classes."""

def pool_derivatives(z: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], posterior: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """
    (slope, curvature) of the mean log loss by the weights of the units and the offsets of the classes (suffice/pool.hpp).
    """

class Dictionary:
    """
    Texts numbered in order of first appearance. Safe to share between threads.
    """

    def __init__(self, labels: Sequence[str] = ()) -> None: ...

    def __len__(self) -> int: ...

    def labels(self) -> list[str]:
        """The texts, in the order of their codes."""

    def encode_objects(self, array: object, grow: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')] | None:
        """
        Codes of an object array of str: −1 missing, −2 unseen; None, with the dictionary unchanged, when an item is neither str nor missing.
        """

    def encode_fixed(self, array: object, grow: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Codes of a NumPy array of str: −2 unseen."""

class ArrowChunk:
    """A chunk of an Arrow column, not copied."""

    @property
    def length(self) -> int:
        """Number of rows."""

    @property
    def kind(self) -> str:
        """Kind of the values: int64, text, dictionary, …"""

    @property
    def missing(self) -> int:
        """Number of missing rows."""

    def values(self) -> Annotated[NDArray[Any], dict(shape=(None,), order='C', writable=False)]:
        """The numbers, read-only; arbitrary where missing."""

    def valid(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', writable=False)] | None:
        """
        Validity bitmap, bit 0 for row 0, 1 where the row is present; None when nothing is missing.
        """

    def codes(self) -> Annotated[NDArray[Any], dict(shape=(None,), order='C', writable=False)]:
        """Index of each row's value in the dictionary; arbitrary where missing."""

    @property
    def dictionary(self) -> ArrowChunk:
        """The values of the dictionary."""

    def texts(self) -> list[str | None]:
        """The texts, None where missing."""

    def encode(self, dictionary: Dictionary, grow: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """
        Codes of a text chunk or of a dictionary of texts: −1 missing, −2 unseen. Either all rows are coded or the dictionary is unchanged.
        """

def encode_chunks(chunks: Sequence[ArrowChunk], dictionary: Dictionary, grow: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """Concatenated codes of several chunks."""

def arrow_chunks(capsule: object) -> list[ArrowChunk]:
    """
    Read the stream of column.__arrow_c_stream__() to its end: at least one chunk.
    """

class BadLine:
    """A record with the wrong number of fields."""

    @property
    def begin(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def line(self) -> int: ...

    @property
    def fields(self) -> int: ...

class LineScan:
    """The result of scanning a block of delimited text."""

    @property
    def end(self) -> int: ...

    @property
    def records(self) -> int: ...

    @property
    def lines(self) -> int: ...

    @property
    def bad(self) -> int: ...

    @property
    def untidy(self) -> bool: ...

    @property
    def first_bad(self) -> list[BadLine]: ...

def scan_lines(text: bytes, delimiter: str, quoted: bool, fields: int, last: bool, shown: int) -> LineScan:
    """Count records and line ends; fields = 0 accepts any number of fields."""

def tidy_lines(text: bytes, delimiter: str, quoted: bool, fields: int) -> bytes:
    """The valid records, without blank lines and blanks around fields."""

def place_of_record(text: bytes, delimiter: str, quoted: bool, fields: int, record: int) -> tuple[int, int]:
    """(begin, number of line ends before) of a valid record."""

class Documents:
    """Views of texts in memory, some of which may be missing."""

    def __len__(self) -> int: ...

    @property
    def bytes(self) -> int:
        """Total length of the texts in bytes."""

    @property
    def missing(self) -> int:
        """Number of missing texts."""

    def is_missing(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C')]:
        """Mask of missing texts."""

def documents_of_chunks(chunks: Sequence[ArrowChunk], limit: int) -> Documents:
    """The first texts of Arrow chunks, not copied."""

def documents_of_texts(texts: list[object]) -> Documents:
    """The texts of a list of str; None, NaN and NA are missing."""

class Tokenizer:
    """How documents are split into tokens."""

    def __init__(self, unit: str, least_ngram: int, most_ngram: int, least_length: int, most_length: int, lowercase: bool, strip_accents: bool, characters: Sequence[str], stop_words: Sequence[str]) -> None: ...

    def tokens(self, documents: Documents, row: int) -> list[bytes]:
        """The tokens of one document, as UTF-8, in order."""

def unicode_version() -> str:
    """The Unicode version of the tokenizer's tables."""

def count_tokens(tokenizer: Tokenizer, documents: Documents, codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: int, log: bool, unit_length: bool, columns: int, threads: int) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    (bytes, ends, starts, tokens, counts, documents, weights): counts by class, tokens sorted by their bytes.
    """

class TokenIndex:
    """The column of each kept token."""

    def __init__(self, bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], kept: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def __len__(self) -> int: ...

    @staticmethod
    def hashed(columns: int, kept: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> TokenIndex:
        """Hashed columns: all, or those in kept, which must be increasing."""

def token_matrix(tokenizer: Tokenizer, index: TokenIndex, documents: Documents, log: bool, unit_length: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """(starts, columns, values): the CSR matrix of token counts."""

def score_tokens(tokenizer: Tokenizer, index: TokenIndex, documents: Documents, log: bool, unit_length: bool, table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], presence: bool, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    start + Σ x weight for every document and class; a missing document contributes nothing.
    """

def unite_tokens(left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], right_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    (bytes, ends, positions of the left tokens, positions of the right tokens): the union of two sorted vocabularies.
    """

def tally(labels: Labels, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """The weight of each class."""

def read_sum(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> float:
    """
    The sum of an array, at memory bandwidth: the reference of the benchmarks.
    """

def isa() -> str:
    """The instruction set in use: plain, avx2 or avx512."""

def use_isa(name: str) -> bool:
    """
    Change the instruction set (for tests); False when the machine does not support it.
    """

class FlawError(ValueError):
    pass
