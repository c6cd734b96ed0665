"""The columns of rows that come one by one: given, or those of the first row, to which rows by name may add.

A row by place has a cell for each column. A row by name has cells for some: what it lacks is missing. While the columns
are open a name that is new is a column more; after that it is left out, but a row with none of the names is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, cast, final

import numpy as np
import numpy.typing as npt

from suffice.api.waiting import Cells
from suffice.errors import DataError
from suffice.sources.frames import is_series
from suffice.statistics.columns import Columns, columns_of

__all__ = ["RowNames"]

_MOST_EXTRA = 1000
_NATIVE = frozenset("?bBhHiIlLqQfd")


@final
class RowNames:
    """The names, as far as they are known.

    Parameters
    ----------
    names : tuple of names, optional
        Of a schema: they stay.

    Attributes
    ----------
    absent, extra : dict
        Of each name, how many rows by name lacked it, or had it though it is none of the names, since somebody
        cleared this; of others than the names the first thousand are counted.

    Examples
    --------
    >>> names = RowNames()
    >>> names.cells({"fur": "black", "age": 3}, 0), names.cells({"sex": "f", "fur": "white"}, 1)
    (['black', 3], ['white', None, 'f'])
    >>> names.names
    ('fur', 'age', 'sex')
    """

    __slots__ = ("_every", "_open", "absent", "extra", "names")

    def __init__(self, names: Columns | None = None) -> None:
        self.names = names
        self.absent: dict[str | int, int] = {}
        self.extra: dict[str | int, int] = {}
        self._open = False
        self._every: Any = None  # the cells of a mapping that has every name
        if names is not None:
            self.fix(names)

    def fix(self, names: Columns) -> None:
        """Let these be the names from now on."""
        self.names, self._open = names, False
        self._every = itemgetter(*names) if len(names) > 1 else None

    def cells(self, row: Any, number: int) -> Cells:
        """Return the cells of a row in the order of the names, or raise DataError; nobody else holds them."""
        if type(row) is np.ndarray:
            array: npt.NDArray[Any] = row
            cells = array.copy() if array.dtype.char in _NATIVE and array.dtype.isnative else array.tolist()
            if array.ndim != 1:
                raise DataError(
                    "a row must be 1-D", row=number, got=array.shape, advice="Add several rows with add(...)."
                )
        elif isinstance(row, list):
            cells = cast("list[Any]", row).copy()
        elif isinstance(row, tuple):
            cells = cast("tuple[Any, ...]", row)
        elif isinstance(row, Mapping):
            return self._by_name(cast("Mapping[Any, Any]", row), number)
        else:
            return self._of_other(row, number)
        if self.names is None:
            self.fix(columns_of(len(cells)))
        elif len(cells) != len(self.names):
            raise DataError(
                f"a row must have a value for each of the {len(self.names)} columns",
                row=number,
                got=len(cells),
                advice="Give them all, None where one is missing, or a mapping {name: value}.",
            )
        return cells

    def _of_other(self, row: Any, number: int) -> Cells:
        if is_series(row) and hasattr(row, "to_dict"):
            return self._by_name(row.to_dict(), number)
        if isinstance(row, np.ndarray) or is_series(row):  # masked, or of a library without labels
            other = cast("Any", row)
            return self.cells(list(other.tolist() if hasattr(other, "tolist") else other.to_list()), number)
        raise DataError(
            "a row must be a mapping {name: value}, or a 1-D array, list or tuple of values",
            row=number,
            got=row,
            advice="Add several rows with add(...).",
        )

    def _by_name(self, row: Mapping[Any, Any], number: int) -> Cells:
        if self._every is not None and (not self._open or len(row) == len(cast("Columns", self.names))):
            try:
                cells = self._every(row)
            except KeyError:
                pass
            else:
                if len(row) > len(cast("Columns", self.names)):
                    self._count_extra(row)
                return cells
        if self.names is None:
            self.fix(columns_of(list(row)))
            self._open = True
        elif self._open:
            fresh = [name for name in row if name not in set(self.names)]
            if fresh:
                self.fix(columns_of([*self.names, *fresh]))
                self._open = True
        names = cast("Columns", self.names)
        lacking = [name for name in names if name not in row]
        if row and len(lacking) == len(names):
            raise DataError(
                f"the row has none of the columns {_shown(list(names))}: its keys are {_shown(list(row))}",
                row=number,
                advice="Rename its keys, or give the values in the order of the columns.",
            )
        for name in lacking:
            self.absent[name] = self.absent.get(name, 0) + 1
        if len(row) > len(names) - len(lacking):
            self._count_extra(row)
        return [row.get(name) for name in names]

    def _count_extra(self, row: Mapping[Any, Any]) -> None:
        names = set(cast("Columns", self.names))
        for name in row:
            if name not in names and (name in self.extra or len(self.extra) < _MOST_EXTRA):
                self.extra[name] = self.extra.get(name, 0) + 1


def _shown(names: list[Any]) -> str:
    return ", ".join(map(repr, names[:5])) + ", …" * (len(names) > 5)
