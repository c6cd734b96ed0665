"""Options of a fitted model: estimate, smoothing, column priors and covariance; and sets of options to compare.

λ by evidence. Symbols: λ_j of column j, N its counts (likelihood.py, OutcomeCounts), bounds and search as in
likelihoods/dirichlet.py.

    evidence           λ_j maximises Σ ln p(N | λ_j) of the column; columns of one distribution (Multinomial, Joint)
                       have one λ
    shared evidence    one λ maximises the sum over all columns

λ is a pseudo-count of outcomes. If it has another meaning (Gaussian and Poisson: pseudo-rows) or if the evidence is
undefined (complement, idf), it is 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from suffice.api.inference import is_pattern, resolve_likelihood, schema_of
from suffice.arguments import estimate_of
from suffice.errors import DataError, ParameterError
from suffice.likelihoods import Likelihood
from suffice.likelihoods.block_statistics import Collect, Parts, Reading, take_columns
from suffice.likelihoods.dirichlet import fit_shared_alpha
from suffice.likelihoods.likelihood import OutcomeCounts
from suffice.models import ClassPrior, NaiveBayesModel
from suffice.models.schema import Block
from suffice.sources.metadata import list_names
from suffice.sources.table import Frame
from suffice.statistics import Axis, Scatter
from suffice.statistics.arrays import FloatArray
from suffice.statistics.axis import Columns

__all__ = [
    "Readings",
    "change_columns",
    "change_options",
    "declare_classes",
    "reading_of",
    "readings_of",
    "require_alone",
    "smoothing_by_evidence",
]

_KEYS = ("estimate", "alpha", "class_prior")
_ESTIMATES = ("mle", "map", "mean", "predictive", "smoothed")
_ALPHAS = (0.01, 0.1, 0.5, 1.0, 2.0, 10.0)
_PRIORS = ("empirical", "uniform")


def reading_of(estimate: str, alpha: npt.ArrayLike | None, width: int) -> Reading:
    """Return the reading.

    Parameters
    ----------
    estimate : "mle", "smoothed", "map", "mean" or "predictive", or another name that `estimate_of` knows
    alpha : float or array ≥ 0, optional
        λ: one number, one per column of the data, or of shape (classes, 1) or (classes, columns).
    width : int
        The number of columns of the data.
    """
    checked = estimate_of(estimate)
    if alpha is None:
        return Reading(checked)
    if checked == "mle":
        raise ParameterError(
            "the maximum likelihood estimate has no prior: got alpha with 'mle'",
            parameter="alpha",
            advice=lambda words: f"Use {words.option('estimate', 'smoothed')}, or leave out {words.option('alpha')}.",
        )
    values: npt.NDArray[Any] = np.array(alpha)
    if values.dtype.kind not in "iuf" or not (np.isfinite(values) & (values >= 0)).all():
        raise ParameterError(f"alpha must be finite numbers ≥ 0: got {alpha!r}.")
    if checked in ("mean", "predictive") and not (values > 0).all():
        raise ParameterError(
            f"alpha must be > 0 for the estimate {checked!r}, which has the prior Dir(alpha): got {alpha!r}."
        )
    if values.ndim > 2 or (values.ndim and values.shape[-1] not in (1, width)):
        raise ParameterError(
            f"alpha must be one number, one for each of the {width} columns, or one for each class and column: "
            f"got shape {values.shape}. Give shape (), ({width},), (classes, 1) or (classes, {width})."
        )
    values = values.astype(np.float64)
    values.flags.writeable = False
    return Reading(checked, values)


def smoothing_by_evidence(model: NaiveBayesModel, *, shared: bool) -> FloatArray:
    """Return λ of every column of the schema, in their order."""
    place = {name: at for at, name in enumerate(model.schema.names)}
    alphas = np.ones(len(place))
    groups: dict[int, list[OutcomeCounts]] = {}
    for block, seen in zip(model.schema.blocks, model.seen(), strict=True):
        for counts in block.likelihood.outcome_counts(seen):
            groups.setdefault(0 if shared else place[counts.columns[0]], []).append(counts)
    for group in groups.values():
        chosen = fit_shared_alpha([each.counts for each in group], [each.outcomes for each in group])
        alphas[[place[name] for each in group for name in each.columns]] = chosen
    return alphas


class Readings(NamedTuple):
    """The combinations of estimate and class prior to compare."""

    readings: tuple[Reading, ...] = ()
    class_priors: tuple[ClassPrior, ...] = ()


def readings_of(given: Any, model: NaiveBayesModel) -> Readings:
    """Return the combinations to compare.

    Parameters
    ----------
    given : None, bool, or mapping
        True compares mle, map, mean, predictive and smoothed with λ from 0.01 to 10, each under the empirical and a
        uniform class prior. A mapping {"estimate": […], "alpha": […], "class_prior": […]} gives the combinations
        instead; `alpha` lists the λ of "smoothed".
    model : NaiveBayesModel
        Provides the options that are not given.
    """
    if given is None or given is False:
        return Readings()
    if given is True:
        given = {"estimate": _ESTIMATES, "alpha": _ALPHAS, "class_prior": _PRIORS}
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"readings must be True or a mapping with lists for {', '.join(map(repr, _KEYS))}: got {given!r}."
        )
    asked = cast("Mapping[Any, Any]", given)
    for key in asked:
        if key not in _KEYS:
            raise ParameterError(
                f"readings has the unknown key {key!r}: the keys are {', '.join(map(repr, _KEYS))}. Remove it."
            )
    alphas = _several(asked.get("alpha"), None)
    default = "smoothed" if alphas != [None] else model.reading.estimate
    estimates = [estimate_of(each) for each in _several(asked.get("estimate"), default)]
    if alphas != [None] and "smoothed" not in estimates:
        raise ParameterError(
            f"alpha applies only to the estimate 'smoothed': got the estimates {', '.join(map(repr, estimates))}. "
            "Add 'smoothed' to them, or leave alpha out."
        )
    width = model.schema.width
    readings = tuple(
        reading_of(estimate, alpha, width)
        for estimate in estimates
        for alpha in (alphas if estimate == "smoothed" else [None])
    )
    return Readings(readings, tuple(map(ClassPrior.of, _several(asked.get("class_prior"), model.class_prior))))


def _several(given: Any, default: Any) -> list[Any]:
    if given is None:
        return [default]
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
        return [cast("Any", given)]
    return list(cast("Sequence[Any]", given)) or [default]


def change_columns(known: NaiveBayesModel, columns: Mapping[Any, Any]) -> NaiveBayesModel:
    """Return the model with other likelihoods for some columns, over the same statistics.

        from                    to                                    the statistics
        any likelihood          itself with another prior or option   the same, if it collects the same
        Numeric                 Gaussian; Histogram                   its moments; its bins
        Poisson                 itself without factorials             its sums, without their logs
        Multinomial             itself without coefficients           its sums, without their logs
        MultivariateGaussian    Gaussian                              the diagonal of its scatter

    Single columns can be taken out of a block, unless they were counted jointly: Multinomial, Joint, and Poisson with
    its factorials.

    Parameters
    ----------
    columns : {name, pattern, position or tuple of those: likelihood or its name}
        As in `fit`.
    """
    columns = {key: resolve_likelihood(given, f"priors[{key!r}]") for key, given in columns.items()}
    names, unused = known.schema.names, set(known.schema.unused)
    by_name = {key: likelihood for key, likelihood in columns.items() if not is_pattern(key, names)}
    for block in schema_of({**by_name, "*": None}, names, _no_rows).blocks:
        for name in block.columns:
            if name in unused:
                raise ParameterError(
                    f"column {name!r} was left out of the model, so it has no statistics. Fit the model again with it."
                )
    _require_matches(columns, names, unused)
    wanted = schema_of(columns if "*" in columns else {**columns, "*": None}, names, _no_rows)
    found = [
        each
        for block, parts in zip(known.schema.blocks, known.parts, strict=True)
        for each in _exchanged(block, parts, wanted.blocks)
    ]
    place = {name: at for at, name in enumerate(known.schema.names)}
    found.sort(key=lambda each: place[each[0].columns[0]])
    schema = replace(known.schema, blocks=tuple(block for block, _ in found))
    return replace(known, schema=schema, parts=tuple(parts for _, parts in found))


def _no_rows() -> Frame:
    return Frame((), (), 0)  # every column is either given or unchanged, so nothing is inferred


def _require_matches(columns: Mapping[Any, Likelihood], names: Columns, unused: set[str | int]) -> None:
    for key in columns:
        if is_pattern(key, names) and not any(fnmatchcase(str(name), key) for name in names if name not in unused):
            raise ParameterError(
                f"no column that the model uses matches the pattern {key!r}. "
                f"Its columns are {list_names(tuple(name for name in names if name not in unused))}."
            )


def _exchanged(block: Block, parts: Parts, wanted: tuple[Block, ...]) -> list[tuple[Block, Parts]]:
    # One block for each requested likelihood, and one for the columns that keep theirs.
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
        return tuple(part.moments() for part in parts if isinstance(part, Scatter))
    if replace(alike, logs="none") == needed:
        return tuple(parts)[:1]
    raise ParameterError(
        f"the statistics of column {needed.columns[0]!r}, collected for {block.likelihood!r}, do not suffice for "
        f"{likelihood!r}. Fit the model again with it."
    )


def _taken(needed: Collect, parts: Parts, have: Columns, wanted: Columns) -> Parts:
    if wanted == have:
        return parts
    if needed.what in ("joint", "sums"):
        raise ParameterError(
            f"columns {list_names(have)} are modelled jointly: got only {list_names(wanted)}. Name all of them."
        )
    return take_columns(replace(needed, columns=have), parts, wanted)


def change_options(model: NaiveBayesModel, **options: Any) -> NaiveBayesModel:
    """Return the same statistics with other options for the likelihoods that have them; None keeps an option.

    `variance` applies to Gaussian columns, `covariance`, `shrinkage` and `toward` to those of MultivariateGaussian.
    """
    options = {name: value for name, value in options.items() if value is not None}
    if not options:
        return model
    blocks = model.schema.blocks
    for name in options:
        if not any(name in block.likelihood.stored_parameters() for block in blocks):
            likelihood = "Gaussian" if name == "variance" else "MultivariateGaussian"
            raise ParameterError(
                f"{name} is an option of {likelihood}, but no column of the model has that likelihood",
                parameter=name,
                got=options[name],
                advice=f"Fit the model with {likelihood}({name}={options[name]!r}).",
            )
    changed = tuple(Block(block.columns, block.likelihood.with_options(**options)) for block in blocks)
    return replace(model, schema=replace(model.schema, blocks=changed))


def declare_classes(classes: Any) -> Axis:
    """Return the declared classes, or raise ParameterError."""
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise ParameterError("classes must be a list of labels", parameter="classes", got=classes)
    try:
        axis = Axis.of(cast("Iterable[object]", classes), declared=True)
    except DataError as reason:
        raise ParameterError(f"classes must be distinct labels: {reason.problem}", parameter="classes") from None
    if not len(axis) or None in axis:
        raise ParameterError(
            "classes must be one or more labels, none of them missing", parameter="classes", got=list(axis)
        )
    return axis


def require_alone(columns: Any, class_prior: Any, estimate: str, alpha: Any = None) -> None:
    """Raise ParameterError if an argument is given that like= takes from the model."""
    if columns is not None:
        raise ParameterError(
            "columns cannot be combined with like, which already specifies them",
            parameter="columns",
            advice=lambda words: f"Leave out {words.option('columns')} or {words.option('like')}.",
        )
    if not isinstance(class_prior, str) or class_prior != "empirical" or estimate != "predictive" or alpha is not None:
        raise ParameterError(
            "class_prior and estimate cannot be combined with like, which already specifies them",
            parameter="like",
            advice=lambda words: f"Leave them out, and change them afterwards with {words.verb('with_options')}.",
        )
