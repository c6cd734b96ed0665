"""The schema of a table: the likelihood of each column, given by the user or inferred.

A column is inferred from its type and from the first 100,000 rows in order:

    type                        likelihood
    bool                        Bernoulli
    integer                     Categorical if it has few distinct values: at most 32, and at most √n of n known cells
                                (2 are always few); left out as an id if nearly all values are distinct and they rise
                                from row to row or fill their range; otherwise Numeric
    float, decimal              as integer if all are whole numbers, so that 1 and 1.0 are the same; otherwise Numeric:
                                Gaussian or histogram, whichever has the higher evidence
    text, categorical, mixed    Words if it is free text; otherwise Categorical; left out if it has more than 32 values
                                that look like numbers ("$3,012.50"), as an id if nearly all values are distinct and
                                short, or if it has more than `max_levels` values
    date, time, duration        left out; `"date parts"` models the hour, weekday and month
    list, struct, map, bytes    left out
    no known value              left out
    sparse matrix               Bernoulli if all values are booleans or 0 and 1, Multinomial for other counts, otherwise
                                Gaussian

`schema.integers` lists the integer columns that are modelled as numbers or as presence, with a given or an inferred
likelihood; sampled cells of these columns are converted back to integers.

"Nearly all" is 95 % of at least 100 known cells. A column is free text if one of these holds:

    a list of texts             the values have three words on average, whether they are distinct or not. A list, a 1-D
                                array or a series of texts is a table with one column, which has no name; any other
                                table of that form is treated in the same way
    at least 100 known cells    more than half of the values are distinct, and they have 32 characters or three words on
                                average
    fewer known cells           at least 90 % of the values are distinct, and more than half of them have three words
                                with letters. Multi-word categories would repeat; if values do not repeat, Categorical
                                would treat almost every value of new rows as unseen

Words are separated by white space, and averages are over the first 4,096 distinct values.
`schema.left_out` gives the reason for each column that is left out. Any column can be given a likelihood by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from suffice.arguments import is_real, whole_number
from suffice.errors import NOTHING, DataError, ParameterError
from suffice.likelihoods import LIKELIHOODS, Bernoulli, Categorical, Gaussian, Likelihood, Multinomial, Numeric, Words
from suffice.models.schema import Block, Schema
from suffice.sources.dates import PARTS, base_of_part, date_part
from suffice.sources.metadata import list_names
from suffice.sources.profile import FEW_VALUES, Profile, profile_columns
from suffice.sources.table import Matrix, Table
from suffice.statistics.axis import Columns

__all__ = ["DATE_PARTS", "FREE_TEXT", "LeftOut", "is_pattern", "resolve_likelihood", "schema_of"]


FREE_TEXT = Words(prior="evidence")
DATE_PARTS = "date parts"
PRESENCE, NUMERIC, LEVELS = Bernoulli(), Numeric(), Categorical(alpha="evidence")
INTEGERS = Numeric()  # equal to NUMERIC, and marks columns of integers until the schema is made
COUNTS, REAL = Multinomial(), Gaussian()

_ALWAYS_FEW = 2
_NEARLY_ALL, _ENOUGH = 0.95, 100
_MOST, _MOST_OF_FEW = 0.5, 0.9
_LONG, _WORDS = 32, 3
_UNKNOWN = "no known value in the first 100,000 rows; give it a likelihood if later rows have values"
_WRITTEN_NUMBER = re.compile(r"[-+(]?[$€£¥]?[-+]?(?:\d{1,3}(?:[,' ]\d{3})+|\d+)(?:[.,]\d+)?\s?[$€£¥%]?\)?")
_SIGNS = re.compile("[$€£¥%,']")


class LeftOut(NamedTuple):
    """Why a column is left out, and how to use it."""

    reason: str


Found: TypeAlias = "Likelihood | LeftOut"


def _of_sparse(head: Matrix) -> Likelihood:
    # One likelihood for all columns.
    stored = head.x.data[~np.isnan(head.x.data)] if head.x.dtype.kind == "f" else head.x.data
    if head.x.dtype.kind == "b" or ((stored == 0) | (stored == 1)).all():
        return PRESENCE
    return COUNTS if (stored >= 0).all() and (np.floor(stored) == stored).all() else REAL


def _of_column(name: str | int, found: Profile, max_levels: int, *, listed: bool, refuse_nested: bool) -> Found:
    kind = found.kind
    if kind == "nothing":
        return LeftOut(_UNKNOWN)
    if kind == "bool":
        return PRESENCE
    if kind == "integer":
        return _of_integers(found)
    if kind == "float":
        return NUMERIC
    if kind == "time":
        return LeftOut("dates and times; their parts (hour, weekday, month) can be modelled")
    if kind in ("nested", "binary") and refuse_nested:
        raise DataError(
            "lists, structs, maps and bytes are not supported",
            kind="unusable_type",
            column=name,
            advice=lambda words: f"Extract values from it, or exclude it with {words.column(name, None)}.",
        )
    if kind in ("nested", "binary"):
        return LeftOut(f"{found.type_}, which no likelihood can model; extract their values into separate columns")
    return _of_levels(found, max_levels, listed=listed)


def _of_integers(found: Profile) -> Found:
    if found.many:
        return INTEGERS
    if found.distinct <= max(_ALWAYS_FEW, min(FEW_VALUES, math.isqrt(found.known))):
        return LEVELS
    if _nearly_all(found) and (found.rises or found.span < 2 * found.known):
        return LeftOut(_id(found))
    return INTEGERS


def _of_levels(found: Profile, max_levels: int, *, listed: bool) -> Found:
    texts = [label for label in found.values if isinstance(label, str)]
    if texts and len(texts) == len(found.values) and _is_free_text(texts, found, listed=listed):
        return FREE_TEXT
    if len(texts) > FEW_VALUES and _look_like_numbers(texts):
        return LeftOut(
            f"text that looks like numbers, such as {texts[0]!r}; remove currency signs and separators to read it as "
            "numbers"
        )
    if _nearly_all(found):
        return LeftOut(_id(found))
    if found.distinct > max_levels:
        return LeftOut(
            f"{found.distinct:,} distinct values in the first rows, more than the limit of {max_levels:,}; give it a "
            "likelihood to use it"
        )
    return LEVELS


def _is_free_text(texts: Sequence[str], found: Profile, *, listed: bool) -> bool:
    many_words = sum(len(text.split()) for text in texts) >= _WORDS * len(texts)
    if listed and many_words:
        return True
    if found.known >= _ENOUGH:
        return found.distinct > _MOST * found.known and (many_words or sum(map(len, texts)) >= _LONG * len(texts))
    return found.distinct >= _MOST_OF_FEW * found.known and sum(map(_has_words, texts)) > _MOST * len(texts)


def _has_words(text: str) -> bool:
    return sum(any(map(str.isalpha, word)) for word in text.split()) >= _WORDS


def _look_like_numbers(texts: Sequence[str]) -> bool:
    # With signs or separators: codes such as 01234 are text because their digits are not a quantity.
    return all(map(_WRITTEN_NUMBER.fullmatch, map(str.strip, texts))) and sum(map(bool, map(_SIGNS.search, texts))) > (
        _MOST * len(texts)
    )


def _nearly_all(found: Profile) -> bool:
    return found.known >= _ENOUGH and found.distinct >= _NEARLY_ALL * found.known


def _id(found: Profile) -> str:
    return f"probably an id ({found.distinct:,} of {found.known:,} values are distinct); give it a likelihood to use it"


Name = str | int


def schema_of(
    columns: Any,
    names: Columns,
    head: Callable[[], Table],
    max_levels: int = 10_000,
    texts: Columns = (),
    *,
    refuse_nested: bool = False,
    known: Mapping[Name, Likelihood] | None = None,
) -> Schema:
    """Return the schema of a table.

    Parameters
    ----------
    columns : None, likelihood, or mapping {name, pattern, position, range or tuple of those: likelihood or None}
        None infers all columns. A mapping infers the columns that it does not mention and leaves out those with None;
        names take precedence over patterns, and earlier patterns over later ones. A likelihood may be given by its
        name, such as "gaussian". "date parts" models the hour, weekday and month of a date instead of the date; with a
        pattern, of all dates that it matches. A part may have a likelihood of its own: {"when.hour": "numeric"}.
    names : tuple of names
        The columns of the table.
    head : callable
        Returns a table of the first rows, from which columns are inferred.
    max_levels : int
        An inferred column with more distinct values than this is left out.
    texts : tuple of names
        Columns that are known to be documents and are not inferred.
    refuse_nested : bool
        Raise DataError for a column of lists, structs or bytes instead of leaving it out.
    known : {name: likelihood}, optional
        The likelihoods of columns that are not mentioned, instead of inferred ones.
    """
    whole_number("max_levels", max_levels, 0)
    head = cache(head)
    if columns is not None and not isinstance(columns, Mapping):
        columns = resolve_likelihood(columns, "columns")
    if isinstance(columns, Likelihood) and columns.own_columns is not None:
        columns = {columns.own_columns: columns, "*": None}
    if isinstance(columns, Likelihood):
        blocks = [Block(names, columns)] if names else []
        return Schema(names, tuple(blocks), integers=_integer_columns(blocks, head))
    mapping = cast("Mapping[Any, Any]", columns or {})
    dates = [key for key, given in mapping.items() if given == DATE_PARTS]
    named = {
        key: None if given is None else resolve_likelihood(given, f"columns[{key!r}]")
        for key, given in mapping.items()
        if key not in dates
    }
    names = _with_parts(
        names, [name for key in named for name in (cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key,))]
    )
    given = _given(named, names)
    blocks = [Block(tuple(found), likelihood) for found, likelihood in given if likelihood is not None and found]
    taken = {name for found, _ in given for name in found}
    integers = _integer_columns(blocks, head)
    parts, unreadable = _date_parts(dates, names, taken, head)
    taken.update(unreadable)
    if parts:
        every = tuple(part for some in parts.values() for part in some)
        names = _with_parts(names, every)
        blocks.append(Block(every, LEVELS))
        taken.update(parts, every)
    documents = tuple(name for name in texts if name not in taken)
    if documents:
        blocks.append(Block(documents, FREE_TEXT))
    rest = tuple(name for name in names if name not in taken and name not in documents)
    more: list[Block] = []
    left_out: tuple[tuple[Name, str], ...] = ()
    if rest and known is not None:
        more = [Block((name,), known[name]) for name in rest]
    elif rest:
        table = head()
        if isinstance(table, Matrix) and table.sparse:
            more = [Block(rest, _of_sparse(table))]
        else:
            listed = table.width == 1 and isinstance(rest[0], int)
            profiles = profile_columns(table, rest)
            more, left_out, whole = _inferred(profiles, max_levels, listed=listed, refuse_nested=refuse_nested)
            integers |= whole
    left_out += tuple((name, f"{', '.join(map(repr, some))} are used instead") for name, some in parts.items())
    left_out += tuple(unreadable.items())
    place = {name: at for at, name in enumerate(names)}
    together = _merge_blocks(blocks + more, place)
    ordered = tuple(sorted(together, key=lambda block: place[block.columns[0]]))
    return Schema(names, ordered, left_out, integers)


def _integer_columns(blocks: Iterable[Block], head: Callable[[], Table]) -> frozenset[Name]:
    # Integer columns with a given likelihood. Levels have a type of their own, and counts are integers anyway.
    numbers = [
        name
        for block in blocks
        if block.likelihood.collect(block.columns).what not in ("levels", "joint", "tokens", "sums")
        for name in block.columns
    ]
    return frozenset(head().integers(numbers)) if numbers else frozenset()


def _with_parts(names: Columns, wanted: Iterable[Any]) -> Columns:
    # Names of parts of dates, such as 'when.hour', come after the column that they are parts of.
    parts: dict[Name, list[str]] = {}
    for name in wanted:
        part = base_of_part(name)
        if part is not None and name not in names and part[0] in names:
            parts.setdefault(part[0], []).append(name)
    return tuple(each for name in names for each in (name, *parts.get(name, ()))) if parts else names


def _date_parts(
    keys: Iterable[Any], names: Columns, taken: Collection[Name], head: Callable[[], Table]
) -> tuple[dict[Name, tuple[str, ...]], dict[Name, str]]:
    # The parts of dates in use, and the reasons for unused ones: a pattern stands for the date columns that it matches,
    # and leaves out those that cannot be parsed.
    parts: dict[Name, tuple[str, ...]] = {}
    unreadable: dict[Name, str] = {}
    for key in keys:
        exact = not _matches_names(key, None, names)
        for name in _matching(key, None, names, taken):
            if name in taken or name in parts or (not exact and head().column(name).kind != "time"):
                continue
            try:
                hours = date_part(head().column(name), "hour").coded().labels
            except DataError as reason:
                if exact:
                    raise reason.located(column=name) from None
                such = "" if reason.got is NOTHING else f", such as {reason.got!r}"
                unreadable[name] = f"dates and times that cannot be read{such}; write them as 2026-11-16 18:30"
                continue
            parts[name] = tuple(f"{name}.{part}" for part in PARTS if part != "hour" or hours != [0])
    return parts, unreadable


def _merge_blocks(blocks: list[Block], place: Mapping[Name, int]) -> list[Block]:
    # Columns with the same likelihood form one block, because one block of fifty columns is faster than fifty blocks.
    together: list[Block] = []
    plain: dict[tuple[Any, ...], int] = {}
    for block in blocks:
        key = _shared_arguments(block.likelihood)
        at = len(together) if key is None else plain.setdefault(key, len(together))
        if at == len(together):
            together.append(block)
            continue
        columns = sorted((*together[at].columns, *block.columns), key=place.__getitem__)
        together[at] = Block(tuple(columns), block.likelihood)
    return together


def _shared_arguments(likelihood: Likelihood) -> tuple[Any, ...] | None:
    # The arguments of the likelihood, if none of them is specific to the columns of a block.
    if not likelihood.column_by_column or not is_dataclass(likelihood):
        return None
    given = tuple(getattr(likelihood, field.name) for field in fields(likelihood))
    scalar = all(value is None or type(value) in (str, bool, int, float) for value in given)
    return (type(likelihood), *((type(value), value) for value in given)) if scalar else None


def _inferred(
    profiles: Mapping[Name, Profile], max_levels: int, *, listed: bool, refuse_nested: bool
) -> tuple[list[Block], tuple[tuple[Name, str], ...], frozenset[Name]]:
    # `listed`: whether the data are a list of texts.
    by_likelihood: list[tuple[Likelihood, list[Name]]] = []
    left_out: list[tuple[Name, str]] = []
    integers: set[Name] = set()
    for name, profile in profiles.items():
        found = _of_column(name, profile, max_levels, listed=listed, refuse_nested=refuse_nested)
        if found is INTEGERS:
            integers.add(name)
        if isinstance(found, LeftOut):
            left_out.append((name, found.reason))
            continue
        for likelihood, members in by_likelihood:
            if likelihood == found:
                members.append(name)
                break
        else:
            by_likelihood.append((found, [name]))
    blocks = [Block(tuple(members), likelihood) for likelihood, members in by_likelihood]
    return blocks, tuple(left_out), frozenset(integers)


def resolve_likelihood(given: Any, what: str) -> Likelihood:
    """Return a likelihood that was given as an instance, as a class or by its name, such as "gaussian"."""
    if isinstance(given, Likelihood):
        return given
    kind: Any = given
    if isinstance(given, str):
        kind = {name.lower(): each for name, each in LIKELIHOODS.items()}.get(given.strip().lower())
    if isinstance(kind, type) and issubclass(kind, Likelihood):
        try:
            return kind()
        except TypeError as reason:  # a user-defined likelihood with required arguments
            raise ParameterError(f"{what}: {reason}. Give an instance.") from None
    names = map(str.lower, LIKELIHOODS)
    close = get_close_matches(given.lower(), names, n=1, cutoff=0.7) if isinstance(given, str) else []
    kinds = ", ".join(f"{name}()" for name in LIKELIHOODS)
    raise ParameterError(
        f"{what} must be a likelihood: got {given!r}. "
        + (f"Did you mean {close[0]!r}?" if close else f"Give one of {kinds}.")
    )


def _given(columns: Mapping[Any, Likelihood | None], names: Columns) -> list[tuple[list[Name], Likelihood | None]]:
    taken: dict[Name, Any] = {}
    matched: dict[Any, list[Name]] = {}
    for patterns in (False, True):  # names first, so that they take precedence over patterns
        for key, likelihood in columns.items():
            if _matches_names(key, likelihood, names) != patterns:
                continue
            matched[key] = _matching(key, likelihood, names, taken)
            for name in matched[key]:
                if name in taken:
                    raise ParameterError(
                        f"column {name!r} matches both columns[{taken[name]!r}] and columns[{key!r}]. Remove it from "
                        "one of them."
                    )
                taken[name] = key
    place = {name: at for at, name in enumerate(names)}
    return [(sorted(matched[key], key=place.__getitem__), likelihood) for key, likelihood in columns.items()]


def _matches_names(key: Any, likelihood: Likelihood | None, names: Columns) -> bool:
    if likelihood is not None and likelihood.own_columns is not None:
        return False  # it has its own columns
    return is_pattern(key, names)


def is_pattern(key: object, names: Columns) -> bool:
    """Return whether a key is a pattern such as "*_ratio" and not a name."""
    return isinstance(key, str) and key not in names and any(sign in key for sign in "*?[")


def _matching(key: Any, likelihood: Likelihood | None, names: Columns, taken: Collection[Name]) -> list[Name]:
    if _matches_names(key, likelihood, names):
        found = [name for name in names if fnmatchcase(str(name), key)]
        if not found and key != "*":
            raise ParameterError(f"no column matches the pattern {key!r}. The columns are {list_names(names)}.")
        return [name for name in found if name not in taken]
    if likelihood is not None and likelihood.own_columns is not None:
        key = likelihood.own_columns
    wanted: list[Any] = list(cast("Any", key)) if isinstance(key, (tuple, range)) else [key]
    found = [_resolve_column(each, names) for each in wanted]
    if len(set(found)) != len(found):
        raise ParameterError(f"columns[{key!r}] contains a column twice. Remove the duplicate.")
    return found


def _resolve_column(wanted: Any, names: Columns) -> Name:
    if isinstance(wanted, str) and wanted in names:
        return wanted
    numbered = names == tuple(range(len(names)))
    if not isinstance(wanted, str) and is_real(wanted) and int(wanted) == wanted:
        at = int(wanted)
        if not numbered and at in names:
            return at
        if -len(names) <= at < len(names):
            return names[at]
        raise ParameterError(
            f"column {at} is not in the data: there are {len(names)} columns, numbered 0 to {len(names) - 1}."
        )
    if isinstance(wanted, str) and not numbered:
        close = get_close_matches(wanted, [name for name in names if isinstance(name, str)], n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"The columns are {list_names(names)}."
        raise ParameterError(f"column {wanted!r} is not in the data. {hint}")
    raise ParameterError(
        f"array columns are addressed by position: got {wanted!r}. Give an integer, a range or a tuple of integers."
    )
