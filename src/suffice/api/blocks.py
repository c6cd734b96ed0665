"""What a user says of the columns, as a schema: nothing, one likelihood for everything, or one for some of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, cast

from suffice.api.inference import FREE_TEXT, LeftOut, inferred, inferred_sparse
from suffice.conjugate.arguments import is_real, whole
from suffice.errors import ParameterError
from suffice.likelihoods import Likelihood
from suffice.likelihoods.registry import LIKELIHOODS
from suffice.models.schema import Block, Schema
from suffice.sources.table import Matrix, Table
from suffice.statistics.columns import Columns

__all__ = ["schema_of"]

Name = str | int


def schema_of(
    columns: Any, names: Columns, head: Callable[[], Table], max_levels: int = 10_000, texts: Columns = ()
) -> Schema:
    """Return the schema of a table.

    Parameters
    ----------
    columns : None, likelihood, or mapping {name, pattern, position, range or tuple of those: likelihood or None}
        None infers all; a column that a mapping does not mention is inferred too, and one that has None is left out.
        A name goes before a pattern, and an earlier pattern before a later one.
    names : tuple of names
        The columns of the table.
    head : callable
        Returns a table of the first rows, for what has to be inferred.
    max_levels : int
        A column with more distinct values than this is left out where it is inferred.
    texts : tuple of names
        Columns that are known to be documents: nothing is inferred about those.
    """
    whole("max_levels", max_levels, 0)
    if isinstance(columns, Likelihood) and columns.own_columns is not None:
        columns = {columns.own_columns: columns, "*": None}
    if isinstance(columns, Likelihood):
        return Schema(names, (Block(names, columns),) if names else ())
    if columns is not None and not isinstance(columns, Mapping):
        kinds = ", ".join(f"{name}()" for name in LIKELIHOODS)
        raise ParameterError(
            f"columns must say how the columns are distributed: got {columns!r}. "
            f"Give one of {kinds}, or a mapping {{name: likelihood}}, or nothing to infer them."
        )
    given = _given(cast("Mapping[Any, Any]", columns or {}), names)
    blocks = [Block(tuple(found), likelihood) for found, likelihood in given if likelihood is not None and found]
    taken = {name for found, _ in given for name in found}
    documents = tuple(name for name in texts if name not in taken)
    if documents:
        blocks.append(Block(documents, FREE_TEXT))
    rest = tuple(name for name in names if name not in taken and name not in documents)
    more, left_out = _inferred(rest, head, max_levels) if rest else ([], ())
    place = {name: at for at, name in enumerate(names)}
    together = _together(blocks + more, place)
    return Schema(names, tuple(sorted(together, key=lambda block: place[block.columns[0]])), left_out)


def _together(blocks: list[Block], place: Mapping[Name, int]) -> list[Block]:
    # One block of fifty columns is read in one go, fifty of one are not; where it is the same model, it is one block.
    together: list[Block] = []
    plain: dict[tuple[Any, ...], int] = {}
    for block in blocks:
        key = _plain(block.likelihood)
        at = len(together) if key is None else plain.setdefault(key, len(together))
        if at == len(together):
            together.append(block)
            continue
        columns = sorted((*together[at].columns, *block.columns), key=place.__getitem__)
        together[at] = Block(tuple(columns), block.likelihood)
    return together


def _plain(likelihood: Likelihood) -> tuple[Any, ...] | None:
    # What it was given, where none of that belongs to the columns of one block.
    if not likelihood.column_by_column or not is_dataclass(likelihood) or likelihood.collect(()).what == "scatter":
        return None
    given = tuple(getattr(likelihood, field.name) for field in fields(likelihood))
    scalar = all(value is None or type(value) in (str, bool, int, float) for value in given)
    return (type(likelihood), *((type(value), value) for value in given)) if scalar else None


def _inferred(
    names: Columns, head: Callable[[], Table], max_levels: int
) -> tuple[list[Block], tuple[tuple[Name, str], ...]]:
    table = head()
    if isinstance(table, Matrix) and table.sparse:
        return [Block(names, inferred_sparse(table))], ()
    by_likelihood: list[tuple[Likelihood, list[Name]]] = []
    left_out: list[tuple[Name, str]] = []
    for name, found in inferred(table, names, max_levels).items():
        if isinstance(found, LeftOut):
            left_out.append((name, found.reason))
            continue
        for likelihood, members in by_likelihood:
            if likelihood == found:
                members.append(name)
                break
        else:
            by_likelihood.append((found, [name]))
    return [Block(tuple(members), likelihood) for likelihood, members in by_likelihood], tuple(left_out)


def _given(columns: Mapping[Any, Any], names: Columns) -> list[tuple[list[Name], Likelihood | None]]:
    taken: dict[Name, Any] = {}
    matched: dict[Any, list[Name]] = {}
    for patterns in (False, True):  # names first, so that they go before patterns
        for key, likelihood in columns.items():
            if likelihood is not None and not isinstance(likelihood, Likelihood):
                kinds = ", ".join(f"{name}()" for name in LIKELIHOODS)
                raise ParameterError(
                    f"columns[{key!r}] must be a likelihood, or None to leave it out: got {likelihood!r}. "
                    f"Give one of {kinds}."
                )
            if _is_pattern(key, likelihood, names) != patterns:
                continue
            matched[key] = _matching(key, likelihood, names, taken)
            for name in matched[key]:
                if name in taken:
                    raise ParameterError(
                        f"a column has one likelihood: column {name!r} is in columns[{taken[name]!r}] and in "
                        f"columns[{key!r}]. Leave it out of one."
                    )
                taken[name] = key
    place = {name: at for at, name in enumerate(names)}
    return [(sorted(matched[key], key=place.__getitem__), likelihood) for key, likelihood in columns.items()]


def _is_pattern(key: Any, likelihood: Likelihood | None, names: Columns) -> bool:
    if likelihood is not None and likelihood.own_columns is not None:
        return False  # it says which columns itself
    return isinstance(key, str) and key not in names and any(sign in key for sign in "*?[")


def _matching(key: Any, likelihood: Likelihood | None, names: Columns, taken: Mapping[Name, Any]) -> list[Name]:
    if _is_pattern(key, likelihood, names):
        found = [name for name in names if fnmatchcase(str(name), key)]
        if not found and key != "*":
            raise ParameterError(f"no column matches the pattern {key!r}. The columns are {_shown(names)}.")
        return [name for name in found if name not in taken]
    if likelihood is not None and likelihood.own_columns is not None:
        key = likelihood.own_columns
    wanted: list[Any] = list(cast("Any", key)) if isinstance(key, (tuple, range)) else [key]
    found = [_name(each, names) for each in wanted]
    if len(set(found)) != len(found):
        raise ParameterError(f"columns[{key!r}] names a column twice. Name each once.")
    return found


def _name(wanted: Any, names: Columns) -> Name:
    if isinstance(wanted, str) and wanted in names:
        return wanted
    numbered = names == tuple(range(len(names)))
    if not isinstance(wanted, str) and is_real(wanted) and int(wanted) == wanted:
        at = int(wanted)
        if not numbered and at in names:
            return at
        if -len(names) <= at < len(names):
            return names[at]
        raise ParameterError(f"column {at} is not in the data, which has {len(names)}: 0 … {len(names) - 1}.")
    if isinstance(wanted, str) and not numbered:
        close = get_close_matches(wanted, [name for name in names if isinstance(name, str)], n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"The columns are {_shown(names)}."
        raise ParameterError(f"column {wanted!r} is not in the data. {hint}")
    raise ParameterError(
        f"columns of an array are positions: got {wanted!r}. Give a position, a range, or a tuple of positions."
    )


def _shown(names: Columns) -> str:
    return ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)
