"""Columns under other priors: the likelihoods of a model exchanged for others that need what was collected.

    from              to                                        the statistics
    any likelihood    itself with another prior or option       the same, where it collects the same
    Numeric           Gaussian; Histogram                       its moments; its bins
    Poisson           itself without factorials                 its sums, without their logs
    Multinomial       itself without coefficients               its sums, without their logs
    Gaussian          together to each by itself                the diagonal of their scatter

Some columns of a block may leave it, except where they were counted together: Multinomial, Joint, and Poisson with its
factorials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.api.blocks import schema_of
from suffice.api.model import Model, unlearnt
from suffice.engines.table import Table
from suffice.errors import ParameterError
from suffice.likelihoods import Likelihood
from suffice.likelihoods.standardised_scatter import moments_of
from suffice.models.schema import Block, Schema
from suffice.plan import Collect, Parts
from suffice.statistics import Bins, Counts, Moments, Scatter, Tokens
from suffice.statistics.columns import Columns

__all__ = ["reread"]


def reread(model: Model, columns: Mapping[Any, Likelihood]) -> Model:
    """Return the model with other likelihoods for some columns, over the same statistics.

    Parameters
    ----------
    columns : {name, pattern, position or tuple of those: likelihood}
        As in `fit`.

    Examples
    --------
    >>> from suffice.api import fit
    >>> from suffice.likelihoods import Categorical
    >>> model = fit({"fur": ["black", "orange"], "sex": ["f", "m"]}, "sex")
    >>> reread(model, {"fur": Categorical(alpha=0.5)}).schema
    1 column
      'fur': Categorical(alpha=0.5)
    """
    known = model.naive_bayes
    for key, likelihood in columns.items():
        if not isinstance(likelihood, Likelihood):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"columns[{key!r}] must be a likelihood: got {likelihood!r}. Name the one to read it as."
            )
    names, unused = known.schema.names, set(known.schema.unused)
    by_name = {key: likelihood for key, likelihood in columns.items() if not _is_pattern(key, names)}
    for block in schema_of({**by_name, "*": None}, names, _no_head).blocks:
        for name in block.columns:
            if name in unused:
                raise ParameterError(
                    f"column {name!r} was left out, so nothing of it was collected. Fit the model again with it."
                )
    _require_matches(columns, names, unused)
    wanted = schema_of(columns if "*" in columns else {**columns, "*": None}, names, _no_head)
    found = [
        each
        for block, parts in zip(known.schema.blocks, known.parts, strict=True)
        for each in _exchanged(block, parts, wanted.blocks)
    ]
    place = {name: at for at, name in enumerate(known.schema.names)}
    found.sort(key=lambda each: place[each[0].columns[0]])
    schema = Schema(known.schema.names, tuple(block for block, _ in found), known.schema.left_out)
    read = replace(model, naive_bayes=replace(known, schema=schema, parts=tuple(parts for _, parts in found)))
    return unlearnt(read, "given another estimate or prior", model)


def _is_pattern(key: Any, names: Columns) -> bool:
    return isinstance(key, str) and key not in names and any(sign in key for sign in "*?[")


def _require_matches(columns: Mapping[Any, Likelihood], names: Columns, unused: set[str | int]) -> None:
    for key in columns:
        if _is_pattern(key, names) and not any(fnmatchcase(str(name), key) for name in names if name not in unused):
            raise ParameterError(
                f"no column that the model uses matches the pattern {key!r}. "
                f"Its columns are {_listed(tuple(name for name in names if name not in unused))}."
            )


def _no_head() -> Table:
    raise AssertionError  # every column is given or left alone, so nothing is inferred


def _exchanged(block: Block, parts: Parts, wanted: tuple[Block, ...]) -> list[tuple[Block, Parts]]:
    # One block for each likelihood that was asked for, and one for the columns that keep theirs.
    found: list[tuple[Block, Parts]] = []
    left = set(block.columns)
    collected = block.likelihood.collect(block.columns)
    for each in wanted:
        some = tuple(name for name in block.columns if name in each.columns)
        if some:
            left -= set(some)
            needed = each.likelihood.collect(some)
            fitting = _fitting(collected, parts, needed, block, each.likelihood)
            found.append((Block(some, each.likelihood), _taken(needed, fitting, block.columns, some)))
    if len(left) == len(block.columns):
        return [(block, parts)]
    rest = tuple(name for name in block.columns if name in left)
    if rest:
        needed = block.likelihood.collect(rest)
        found.append((Block(rest, block.likelihood), _taken(needed, parts, block.columns, rest)))
    return found


def _fitting(collected: Collect, parts: Parts, needed: Collect, block: Block, likelihood: Likelihood) -> Parts:
    alike = replace(collected, columns=needed.columns)
    if alike == needed:
        return parts
    if collected.what == "numeric" and needed.what in ("moments", "bins"):
        return tuple(parts)[:1] if needed.what == "moments" else tuple(parts)[1:]
    if collected.what == "scatter" and needed.what == "moments":
        return tuple(moments_of(part) for part in parts if isinstance(part, Scatter))
    if replace(alike, logs="none") == needed:
        return tuple(parts)[:1]
    raise ParameterError(
        f"column {needed.columns[0]!r} was collected for {block.likelihood!r}, which does not hold what "
        f"{likelihood!r} needs. Fit the model again with it."
    )


def _taken(needed: Collect, parts: Parts, have: Columns, wanted: Columns) -> Parts:
    if wanted == have:
        return parts
    if needed.what in ("joint", "sums"):
        raise ParameterError(
            f"columns {_listed(have)} were counted together: got {_listed(wanted)} alone. Name all of them."
        )
    at = [have.index(name) for name in wanted]
    if needed.what in ("levels", "tokens"):
        return tuple(parts[j] for j in at)
    return tuple(_columns_of(part, at, wanted) for part in parts)


def _columns_of(
    part: Moments | Counts | Bins | Scatter | Tokens, at: list[int], names: Columns
) -> Moments | Counts | Bins | Scatter:
    if isinstance(part, Scatter):
        mean, low, blur = (each[:, at] for each in (part.mean, part.mean_low, part.diagonal_blur))
        matrix, matrix_low = (each[:, at][:, :, at] for each in (part.scatter, part.scatter_low))
        return Scatter(part.classes, names, part.weight, mean, matrix, part.left_out, low, matrix_low, blur)
    if isinstance(part, Moments):
        pairs = part.mean, part.dp, part.mean_low, part.dp_low, part.dp_blur
        return Moments(part.classes, names, part.weight[:, at], *(each[:, at] for each in pairs))
    if isinstance(part, Bins):
        ends: list[int] = part.offsets.tolist()
        ranges = [np.arange(*list(pairwise(ends))[j], dtype=np.int64) for j in at]
        bins = np.concatenate(ranges)
        offsets = np.concatenate([[0], np.cumsum([len(each) for each in ranges])])
        sides = part.below[:, at], part.above[:, at]
        return Bins(
            part.classes, names, part.limit, part.shift[at], offsets, part.keys[bins], part.counts[:, bins], *sides
        )
    assert isinstance(part, Counts), "tokens are taken whole"
    stay = np.isin(np.arange(len(part.levels), dtype=np.int64), part.levels.positions(names))
    observed = part.observed[:, stay] if part.per_level else part.observed
    return Counts(part.classes, part.levels.take(stay), part.values[:, stay], observed, part.per_level)


def _listed(names: Columns) -> str:
    return ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)
