"""Results as tables: a data frame in the library of the input, an HTML table for notebooks, and aligned text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np

from suffice.statistics.labels import label_text

__all__ = [
    "RecordList",
    "TableColumns",
    "Tabular",
    "column_of_labels",
    "display_width",
    "encodable",
    "frame_library",
    "html_table",
    "make_frame",
    "pad_text",
]

TableColumns: TypeAlias = "Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]"
T = TypeVar("T")

_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf")
_SHOWN = 20
_INT64 = 2**63


class Tabular:
    """A result that can be shown as a table. Subclasses give its columns in `table`."""

    __slots__ = ()

    library: str | None = None
    """The frame library of the input data, if the input was a frame."""

    def table(self) -> TableColumns:
        """Return the columns of the table by name."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return the result as a data frame: of the library of the input if that was a frame, otherwise of Polars."""
        return make_frame(self.table(), self.library)

    def _repr_html_(self) -> str:
        return html_table(self.table(), str(self).partition("\n")[0])


class RecordList(tuple[T, ...], Tabular):
    """Records of one kind, in order: a tuple with `to_frame`."""

    def __new__(cls, records: Iterable[T] = (), library: str | None = None) -> Self:
        """Return the list of these records; `library` is that of the input."""
        made = super().__new__(cls, records)
        made.library = library
        return made

    def table(self) -> TableColumns:
        """Return a column for each field."""
        fields: tuple[str, ...] = getattr(self[0], "_fields", ()) if self else ()
        return {name: [getattr(record, name) for record in self] for name in fields}

    def _repr_html_(self) -> str:
        return html_table(self.table(), f"{len(self):,} records")


def frame_library(data: object) -> str | None:
    """Return the name of the frame library of the data, or None if they are not a frame.

    Examples
    --------
    >>> import polars
    >>> frame_library(polars.DataFrame({"a": [1]})), frame_library([[1]])
    ('polars', None)
    """
    if type(data).__module__.partition(".")[0] == "narwhals":
        data = getattr(data, "to_native", lambda: None)()
    for base in type(data).__mro__:
        library = base.__module__.partition(".")[0]
        if library in _LIBRARIES:
            return library
    return None


def make_frame(columns: TableColumns, library: str | None = None) -> Any:
    """Return a data frame of these columns, of Polars by default."""
    import narwhals

    plain = {name: _plain(values) for name, values in columns.items()}
    backend: Any = library or "polars"
    return narwhals.from_dict(plain, backend=backend).to_native()


def html_table(columns: TableColumns, caption: str = "") -> str:
    """Return an HTML table of the first rows; names and values are escaped.

    Examples
    --------
    >>> html_table({"a<b": ["x & y"]})
    '<table><thead><tr><th>a&lt;b</th></tr></thead><tbody><tr><td>x &amp; y</td></tr></tbody></table>'
    """
    rows = len(next(iter(columns.values()), ()))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        f"<tr>{''.join(_html_cell(values[at]) for values in columns.values())}</tr>" for at in range(min(rows, _SHOWN))
    )
    if rows > _SHOWN:
        body += f'<tr><td colspan="{len(columns)}">… {rows - _SHOWN:,} more</td></tr>'
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, (float, np.floating)):
        return f'<td style="text-align: right">{value:.6g}</td>'
    return f"<td>{escape(str(value))}</td>"


def _plain(values: Sequence[Any] | np.ndarray[Any, Any]) -> Any:
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return np.array([encodable(text) for text in values.tolist()]) if values.dtype.kind == "U" else values
    return column_of_labels(list(values))


def column_of_labels(labels: Sequence[Any]) -> list[Any]:
    """Return labels as values of one column of a frame or file: of one type, or as text; None is missing.

    Examples
    --------
    >>> column_of_labels([1, None, 2]), column_of_labels([1, None, "a"]), column_of_labels([True, 1])
    ([1, None, 2], ['1', None, 'a'], ['true', '1'])
    """
    kinds: set[type] = {type(label) for label in labels if label is not None}
    if kinds <= {float} or (len(kinds) == 1 and kinds <= {bool, int} and all(map(_fits, labels))):
        return list(labels)
    return [None if label is None else encodable(label_text(label)) for label in labels]


def _fits(label: int | None) -> bool:
    return label is None or -_INT64 <= label < _INT64


def encodable(text: str) -> str:
    r"""Return the text with unpaired surrogates, which UTF-8 cannot encode, as escapes.

    Examples
    --------
    >>> print(encodable("caf\udce9"))
    caf\udce9
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def display_width(text: str) -> int:
    """Return the width of a text in terminal cells; a Chinese character takes two.

    Examples
    --------
    >>> display_width("fur"), display_width("毛色")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def pad_text(text: str, width: int, *, to_right: bool = False) -> str:
    """Return the text with spaces after it, or before it if it is aligned to the right, up to a display width.

    Examples
    --------
    >>> pad_text("毛色", 6) + "|", pad_text("fur", 6, to_right=True)
    ('毛色  |', '   fur')
    """
    spaces = " " * (width - display_width(text))
    return spaces + text if to_right else text + spaces
