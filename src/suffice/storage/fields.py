"""A JSON object of a model file, read key by key: each of its own type and bounds, none lacking, none left over."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast, final

from suffice.errors import ModelFileError
from suffice.storage.container import DAMAGED, shown

__all__ = ["Fields"]


@final
class Fields:
    """One object of the schema.

    Parameters
    ----------
    value : parsed JSON
    where : str
        What the object is, for messages: "block 3".

    Examples
    --------
    >>> fields = Fields({"rows": 3}, "provenance")
    >>> fields.whole("rows")
    3
    >>> fields.done()
    """

    __slots__ = ("_left", "where")

    def __init__(self, value: Any, where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            raise ModelFileError(f"{where} must be a JSON object: got {shown(value)}. {DAMAGED}")
        self._left = dict(cast("dict[str, Any]", value))

    def value(self, key: str) -> Any:
        """Return what stands at the key, of whatever type."""
        if key not in self._left:
            raise ModelFileError(f"{self.where} lacks {key!r}. {DAMAGED}")
        return self._left.pop(key)

    def text(self, key: str) -> str:
        """Return a string."""
        value = self.value(key)
        if not isinstance(value, str):
            raise self._wrong(key, "text", value)
        return value

    def option(self, key: str, allowed: Collection[str]) -> str:
        """Return one of the strings that are allowed."""
        value = self.text(key)
        if value not in allowed:
            raise self._wrong(key, " or ".join(map(repr, allowed)), value)
        return value

    def whole(self, key: str, most: int = 2**63 - 1) -> int:
        """Return a whole number from 0 to the most."""
        value = self.value(key)
        if type(value) is not int or not 0 <= value <= most:
            raise self._wrong(key, f"a whole number from 0 to {most:,}", value)
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self.value(key)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false", value)
        return value

    def list(self, key: str) -> list[Any]:
        """Return a list."""
        value = self.value(key)
        if not isinstance(value, list):
            raise self._wrong(key, "a list", value)
        return cast("list[Any]", value)

    def fields(self, key: str) -> Fields:
        """Return an object within this one."""
        return Fields(self.value(key), f"{key} of {self.where}")

    def left(self) -> tuple[str, ...]:
        """Return the keys that were not read yet."""
        return tuple(self._left)

    def done(self) -> None:
        """Raise ModelFileError where a key is left that nobody asked for."""
        if self._left:
            raise ModelFileError(
                f"{self.where} has a key {shown(next(iter(self._left)))} that it cannot have. {DAMAGED}"
            )

    def _wrong(self, key: str, rule: str, value: object) -> ModelFileError:
        return ModelFileError(f"{key} of {self.where} must be {rule}: got {shown(value)}. {DAMAGED}")
