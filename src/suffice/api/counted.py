"""The statistics of a model: by column, as lists of counts, and as posteriors of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from typing import Any, NamedTuple, final

import numpy as np

from suffice.arguments import find_class
from suffice.conjugate import DirichletMultinomial
from suffice.errors import ParameterError, counted
from suffice.likelihoods.block_statistics import BlockStatistics, Parts
from suffice.likelihoods.listing import Count
from suffice.models import NaiveBayesModel, Schema
from suffice.models.schema import Block
from suffice.records import RecordList, TableColumns
from suffice.sources.metadata import list_names
from suffice.statistics import Tally
from suffice.statistics.arrays import format_total
from suffice.statistics.axis import Columns

__all__ = ["CountList", "Statistics", "count_list", "find_posterior"]

_SHOWN = 12


@final
@dataclass(frozen=True, slots=True, repr=False)
class Statistics(Mapping["str | int | Columns", Parts]):
    """The sufficient statistics of a model: row weights of the classes, and the statistics of each block of columns.

    A mapping from the columns of each block, a tuple, to its statistics (`suffice.statistics`), also a tuple. A single
    column maps to its own statistics if the likelihood models columns one by one, otherwise to those of its block.
    `Model.from_statistics` converts them back to a model.

    Parameters
    ----------
    schema : Schema
        The columns, and the likelihoods that the statistics were collected for.
    rows : Tally
        N_c, the weight of the rows of each class.
    parts : tuple of tuples
        The statistics of each block of the schema.

    Examples
    --------
    >>> from suffice.api import fit
    >>> model = fit({"fur": ["black", "white", "black"]}, ["cat", "cat", "dog"], calibrate=False)
    >>> model.statistics.rows
    Tally('cat': 2, 'dog': 1)
    >>> (fur,) = model.statistics["fur"]
    >>> fur.values
    array([[1., 1.],
           [1., 0.]])
    """

    schema: Schema
    rows: Tally
    parts: tuple[Parts, ...]

    def __getitem__(self, columns: str | int | Columns) -> Parts:
        for block, parts in zip(self.schema.blocks, self.parts, strict=True):
            if columns == block.columns:
                return tuple(parts)
            if not isinstance(columns, tuple) and columns in block.columns:
                if not block.likelihood.column_by_column:
                    return tuple(parts)
                alone = np.array([name == columns for name in block.columns])
                return tuple(block.likelihood.take_columns(block.columns, parts, alone).parts)
        raise KeyError(columns)

    def __iter__(self) -> Iterator[Columns]:
        return (block.columns for block in self.schema.blocks)

    def __len__(self) -> int:
        return len(self.schema.blocks)

    def __repr__(self) -> str:
        lines = [f"Statistics: {counted(len(self.rows.classes), 'class')}, {format_total(self.rows.weight)} rows"]
        for block, parts in [*zip(self.schema.blocks, self.parts, strict=True)][:_SHOWN]:
            kinds = ", ".join(dict.fromkeys(type(part).__name__ for part in parts))
            lines.append(f"  {list_names(block.columns)}: {kinds}")
        if len(self) > _SHOWN:
            lines.append(f"  … {len(self)} blocks in all")
        return "\n".join(lines)


class CountList(RecordList[Count]):
    """Records of counts. The table has `class` instead of `label`, and only the fields that apply."""

    def table(self) -> TableColumns:
        """Return a column for each field that some record has; class and column are always included."""
        columns = {name: [getattr(record, name) for record in self] for name in Count._fields}
        kept = {name: values for name, values in columns.items() if any(value is not None for value in values)}
        return {
            "class": columns["label"],
            "column": columns["column"],
            **{k: v for k, v in kept.items() if k != "label"},
        }


class _ColumnBlock(NamedTuple):
    # The block of a column, its statistics, and the column as the block names it.
    block: Block
    seen: BlockStatistics
    column: str | int


def count_list(model: NaiveBayesModel, column: str | int | None) -> CountList:
    """Return N_c of every class, then the counts of a column, or of all columns."""
    rows = (Count(label, None, None, n) for label, n in zip(model.classes, model.tally.weight.tolist(), strict=True))
    if column is None:
        every = (block.likelihood.counts(seen) for block, seen in zip(model.schema.blocks, model.seen(), strict=True))
        return CountList((*rows, *chain.from_iterable(every)))
    found = _find(model, column)
    counts = found.block.likelihood.counts(found.seen)
    # The combinations of a joint block are listed under the names of all its columns.
    own = (each for each in counts if each.column == found.column or each.column not in found.block.columns)
    return CountList((*rows, *own))


def find_posterior(model: NaiveBayesModel, column: str | int | None, label: Any) -> Any:
    """Return the posterior of the class prior, or of the parameters of a column in one class."""
    if column is None:
        if label is not None:
            raise ParameterError("label requires column", parameter="column", advice="Give both or neither.")
        alpha = model.class_prior.posterior(model.tally)
        if alpha is None:
            raise ParameterError(
                f"the class prior is {model.class_prior.kind}, not estimated, so it has no posterior",
                parameter="class_prior",
                advice=lambda words: f"Use {words.option('class_prior', 'empirical')}.",
            )
        return DirichletMultinomial(alpha, model.classes)
    found = _find(model, column)
    if label is None:
        raise ParameterError(
            f"the posterior of column {found.column!r} is different in each class",
            parameter="label",
            advice=f"Give label, one of {list_names(map(str, model.classes))}.",
        )
    return found.block.likelihood.posterior(found.seen, found.column, find_class(model.classes, label))


def _find(model: NaiveBayesModel, column: Any) -> _ColumnBlock:
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        if column in block.columns:
            return _ColumnBlock(block, seen, block.columns[block.columns.index(column)])
    used = tuple(name for block in model.schema.blocks for name in block.columns)
    if column in model.schema.names:
        reason = dict(model.schema.left_out).get(column, "as requested")
        raise ParameterError(
            f"the model does not use column {column!r} and has no counts of it: it was left out, {reason}",
            parameter="column",
        )
    close = get_close_matches(str(column), map(str, used), n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Its columns are {list_names(used)}."
    raise ParameterError(f"the model has no column {column!r}. {hint}", kind="no_such_column", parameter="column")
