"""The naive Bayes model: statistics of all blocks of columns, and the options with which they are estimated.

    log p(c, x) = log p(c) + Σ_blocks log p(x_block | c)          blocks are independent given the class
    log p(D)    = log evidence of the classes + Σ_blocks log evidence of their cells

Statistics of disjoint rows add, with classes and levels matched by label, so a + b is the model of all rows and a − b
the model of the remaining ones. Another prior or estimate needs no rows: it is a new value over the same statistics.

**Dropping columns** (`narrow_model`) gives the model of the same rows without these columns, from the statistics alone:
blocks are independent given the class, so log p'(c, x) = log p(c, x) − Σ_dropped log p(x_j | c). A column can be
dropped alone if its likelihood models columns separately, and otherwise only with its whole block.

**Pruning** (`prune_model`) drops levels, combinations and count columns of small total weight. Under mle the remaining
levels of a column keep their proportions, θ'(k) = θ(k)/Σ_left θ, so a row without pruned levels has
log p'(c, x) = log p(c, x) − Σ_j ln Σ_left θ_jc if class c has any remaining level.

**Fingerprint**: a hash of statistics and estimate, which ties a calibration or novelty reference to its model.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.arguments import is_real
from suffice.engines.collection import collect
from suffice.errors import DataError, MergeError, ParameterError
from suffice.likelihoods import Likelihood, Parameter
from suffice.likelihoods.block_statistics import BlockStatistics, Parts, Reading
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.likelihood import ReducedBlock
from suffice.likelihoods.terms import Term
from suffice.models.class_prior import ClassPrior
from suffice.models.schema import Block, Schema
from suffice.models.score import Calibrated, Scorer, Scores, Wanted
from suffice.sources.table import Table
from suffice.sources.target import Target
from suffice.statistics import Axis, Tally
from suffice.statistics.arrays import FloatArray
from suffice.statistics.axis import Columns

__all__ = ["NaiveBayesModel", "fingerprint", "narrow_model", "prune_model"]


@final
@dataclass(frozen=True, eq=False)
class NaiveBayesModel:
    """Statistics of all blocks with the options of their estimation.

    Parameters
    ----------
    schema : Schema
    tally : Tally
        Row weight of each class; its classes are those of the model.
    parts : tuple
        The collected statistics of each block of the schema.
    reading : Reading
    class_prior : ClassPrior
    """

    schema: Schema
    tally: Tally
    parts: tuple[Parts, ...]
    reading: Reading
    class_prior: ClassPrior

    @property
    def classes(self) -> Axis:
        """The classes, sorted."""
        return self.tally.classes

    @cached_property
    def log_prior(self) -> FloatArray:
        """The log prior probability of each class, −inf where it is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.class_prior.probabilities(self.tally))

    @cached_property
    def block_terms(self) -> tuple[tuple[Term, ...], ...]:
        """The terms of log p(c, x) of each block, estimated once."""
        with np.errstate(over="ignore", invalid="ignore"):  # a NaN score is an error when rows are scored
            return tuple([self._likelihood(i).terms(seen) for i, seen in enumerate(self.seen())])

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of log p(c, x) of all blocks."""
        return tuple(term for terms in self.block_terms for term in terms)

    @cached_property
    def scorer(self) -> Scorer:
        """The compiled terms and class prior."""
        return Scorer(self.terms, self.log_prior, self.schema.names)

    @property
    def units(self) -> tuple[Columns, ...]:
        """The columns that share a weight in a calibration: each one alone, or all of a jointly modelled block."""
        return tuple(
            unit
            for block in self.schema.blocks
            for unit in (((name,) for name in block.columns) if block.likelihood.column_by_column else (block.columns,))
        )

    def score_units(self, table: Table) -> FloatArray:
        """Return log p(x_t | c) of every row and unit of columns, rows × units × classes."""
        units, nothing = self.units, np.zeros(len(self.classes))
        evidence: FloatArray = np.zeros((table.rows, len(units), len(nothing)))
        for t, scorer in enumerate(self._unit_scorers):
            if scorer is not None:
                evidence[:, t] = scorer.score(table, "likelihood").values
        return evidence

    @cached_property
    def _unit_scorers(self) -> tuple[Scorer | None, ...]:
        nothing = np.zeros(len(self.classes))
        found: list[Scorer | None] = []
        for block, terms in zip(self.schema.blocks, self.block_terms, strict=True):
            if not block.likelihood.column_by_column:
                found.append(Scorer(terms, nothing, self.schema.names))
                continue
            for name in block.columns:  # a term that cannot be separated belongs to its first column
                mine = [term for term in terms if name in (term.columns if term.separable else term.columns[:1])]
                own = [term.restrict((name,)) if len(term.columns) > 1 and term.separable else term for term in mine]
                found.append(Scorer(own, nothing, self.schema.names) if own else None)
        return tuple(found)

    def weighted_scorer(self, calibration: Calibrated) -> Scorer:
        """Return the scorer whose terms have the weights of a calibration, compiled once for each calibration."""
        kept: tuple[Calibrated, Scorer] | None = self.__dict__.get("_weighted")
        if kept is None or kept[0] is not calibration:
            scorer = Scorer(self.terms, self.log_prior, self.schema.names, calibration.column_weights)
            kept = self.__dict__["_weighted"] = (calibration, scorer)
        return kept[1]

    def score(self, table: Table, wanted: Wanted, calibration: Calibrated | None = None) -> Scores:
        """Return the joint, posterior or density of every row of a table with the columns of the schema."""
        if not self.tally.classes.labels:
            raise DataError(
                "the model has no rows and therefore no classes. Fit it on data, or add a fitted model to it."
            )
        if wanted == "density":
            self.require_density()
        scorer = self.scorer
        if calibration is not None and calibration.column_weights:
            scorer = self.weighted_scorer(calibration)
        return scorer.score(table, wanted, calibration)

    def count(self, table: Table, target: Target, weights: npt.NDArray[Any] | None = None) -> NaiveBayesModel:
        """Return the model of these rows, with the schema, reading and class prior of this one."""
        codes, classes, _, rows = target
        tally, parts = collect(self.schema.plan(), table, codes, classes, weights, rows)
        return replace(self, tally=tally, parts=parts)

    @classmethod
    def empty(
        cls, schema: Schema, reading: Reading, class_prior: ClassPrior, classes: Axis | None = None
    ) -> NaiveBayesModel:
        """Return a model without rows, which may declare classes; the starting point of `count`."""
        return cls(schema, Tally.zero(classes), (), reading, class_prior)

    def declare(self, classes: Axis) -> NaiveBayesModel:
        """Return the model with these classes declared: they stay if no row has them."""
        return replace(self, tally=self.tally + Tally.zero(classes))

    def log_evidence(self) -> float:
        """Return the log marginal likelihood log p(D) of the classes and, given the classes, of the cells."""
        of_cells = (self._likelihood(i).log_evidence(seen) for i, seen in enumerate(self.seen()))
        return self.class_prior.log_evidence(self.tally) + sum(of_cells)

    def n_parameters(self) -> int:
        """Return the number of free parameters; a class prior that is uniform or given has none."""
        estimated = self.class_prior.kind in ("empirical", "dirichlet")
        of_classes = max(len(self.classes) - 1, 0) if estimated else 0
        return of_classes + sum(self._likelihood(i).n_parameters(seen) for i, seen in enumerate(self.seen()))

    def parameters(self, credible: float, columns: Collection[str | int] | None = None) -> Iterator[Parameter]:
        """Yield the class prior, then the parameters of every block, or of the blocks with one of these columns."""
        values, weights = self.class_prior.probabilities(self.tally).tolist(), self.tally.weight
        lower, upper = self.class_prior.interval(self.tally, credible)
        for c, label in enumerate(self.classes):
            numbers = values[c], float(lower[c]), float(upper[c]), float(weights[c]), float(weights.sum())
            yield Parameter(label, None, None, "class prior", self.class_prior.kind, *numbers)
        for i, seen in enumerate(self.seen()):
            if columns is None or any(name in columns for name in seen.columns):
                yield from self._likelihood(i).parameters(seen, credible)

    def form_schema(self) -> Schema:
        """Return the schema with the likelihood that was selected for each column from the statistics."""
        blocks: list[Block] = []
        for i, seen in enumerate(self.seen()):
            forms = self._likelihood(i).forms(seen)
            if all(form is self._likelihood(i) for form in forms.values()):
                blocks.append(self.schema.blocks[i])
                continue
            groups: dict[str, tuple[Likelihood, list[str | int]]] = {}
            for name, form in forms.items():
                groups.setdefault(repr(form), (form, []))[1].append(name)
            blocks += [Block(tuple(columns), form) for form, columns in groups.values()]
        return replace(self.schema, blocks=tuple(blocks))

    def choices(self) -> dict[str | int, str]:
        """Return the data-driven choices by column, such as the selected form of a Numeric column."""
        return {
            name: choice
            for i, seen in enumerate(self.seen())
            for name, choice in self._likelihood(i).choices(seen).items()
        }

    def sample(self, draw: Draw) -> dict[str | int, npt.NDArray[Any]]:
        """Draw the cells of rows of these classes: one array for each column in a block, in data order."""
        drawn: dict[str | int, npt.NDArray[Any]] = {}
        for i, seen in enumerate(self.seen()):
            drawn.update(zip(seen.columns, self._likelihood(i).sample(seen, draw), strict=True))
        return {name: drawn[name] for name in self.schema.names if name in drawn}

    def read(self, reading: Reading, class_prior: ClassPrior) -> NaiveBayesModel:
        """Return the model with another estimate and class prior; data-driven choices are kept."""
        other = replace(self, reading=reading, class_prior=class_prior)
        other.__dict__["_decided"] = self._decided
        return other

    def with_schema(self, schema: Schema) -> NaiveBayesModel:
        """Return the model with other likelihoods of the same statistics; choices that stay valid are kept."""
        other = replace(self, schema=schema)
        other.__dict__["_decided"] = self._decided
        return other

    @cached_property
    def _decided(self) -> tuple[dict[str, Any], ...]:
        # The cache in which the likelihood of each block keeps its data-driven choices.
        return tuple({} for _ in self.schema.blocks)

    def __add__(self, other: NaiveBayesModel) -> NaiveBayesModel:
        schema = self._require_alike(other)
        both = self._with(self.tally + other.tally, lambda mine, theirs: mine + theirs, other)
        return replace(both, schema=schema)

    def __sub__(self, other: NaiveBayesModel) -> NaiveBayesModel:
        self._require_alike(other)
        return self._with(self.tally - other.tally, lambda mine, theirs: mine - theirs, other)

    def scale(self, w: float) -> NaiveBayesModel:
        """Return the model with all row weights multiplied by w."""
        parts = tuple(tuple(part.scale(w) for part in block) for block in self.parts)
        return replace(self, tally=self.tally.scale(w), parts=parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NaiveBayesModel):
            return NotImplemented
        same = self.schema == other.schema and self._difference(other) is None
        return same and self.tally == other.tally and self.parts == other.parts

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        # Terms and compiled tables are not pickled; they are recomputed on demand.
        return NaiveBayesModel, (self.schema, self.tally, self.parts, self.reading, self.class_prior)

    def seen(self) -> Iterator[BlockStatistics]:
        """Yield the statistics of each block with the options of their estimation."""
        for block, parts, decided in zip(self.schema.blocks, self.parts, self._decided, strict=True):
            alpha = self.reading.alpha
            if alpha is not None and alpha.ndim and alpha.shape[-1] > 1:
                alpha = alpha[..., self.schema.positions(block.columns)]
            reading = Reading(self.reading.estimate, alpha)
            yield BlockStatistics(parts, block.columns, self.classes, reading, self.tally.weight, decisions=decided)

    def require_density(self) -> None:
        """Raise ParameterError if log p(c, x) is not a log probability, so that log p(x) does not exist."""
        for block in self.schema.blocks:
            if not block.likelihood.is_likelihood:
                raise ParameterError(
                    f"log p(x) does not exist: the scores of column {block.columns[0]!r} are not log-likelihoods",
                    advice=lambda words: (
                        f"Use {words.verb('predict_proba')}, or fit the column with the text model multinomial or "
                        "bernoulli."
                    ),
                )

    def _likelihood(self, i: int) -> Any:
        return self.schema.blocks[i].likelihood

    def _with(self, tally: Tally, combine: Callable[[Any, Any], Any], other: NaiveBayesModel) -> NaiveBayesModel:
        parts = tuple(
            tuple(combine(mine, theirs) for mine, theirs in zip(left, right, strict=True))
            for left, right in zip(self.parts, other.parts, strict=True)
        )
        return replace(self, tally=tally, parts=parts)

    def _difference(self, other: NaiveBayesModel) -> tuple[str, object, object] | None:
        for what, mine, theirs in (
            ("estimates", self.reading, other.reading),
            ("class priors", self.class_prior, other.class_prior),
        ):
            if mine != theirs:
                return what, mine, theirs
        return None

    def _require_alike(self, other: NaiveBayesModel) -> Schema:
        # The common schema of both models, or a MergeError.
        schema = self.schema.merge(other.schema)
        difference = ("schemas", self.schema, other.schema) if schema is None else self._difference(other)
        if schema is None or difference is not None:
            assert difference is not None
            what, mine, theirs = difference
            raise MergeError(
                f"the models have different {what}.\nleft:  {mine!r}\nright: {theirs!r}\n",
                kind="different_schema" if what == "schemas" else "different_options",
                advice=lambda words: (
                    f"Fit one of them with the schema of the other, using {words.option('like')}."
                    if what == "schemas"
                    else f"Set the same options for both with {words.verb('with_options')}."
                ),
            )
        return schema


def narrow_model(model: NaiveBayesModel, dropped: Mapping[str | int, str]) -> NaiveBayesModel:
    """Return the model without these columns; `dropped` maps each to the reason, which the schema then lists."""
    schema = model.schema
    remaining: list[ReducedBlock] = []
    for block, parts in zip(schema.blocks, model.parts, strict=True):
        keep = np.array([name not in dropped for name in block.columns])
        if not keep.all() and keep.any() and not block.likelihood.column_by_column:
            column = next(name for name in block.columns if name in dropped)
            raise ParameterError(
                f"column {column!r} is modelled jointly with others, as {block.likelihood!r}, and cannot be dropped "
                "alone. Drop all of them, or use another likelihood for it."
            )
        if keep.any():
            remaining.append(block.likelihood.take_columns(block.columns, parts, keep))
    used = {name for block in schema.blocks for name in block.columns}
    left_out = (*schema.left_out, *((name, reason) for name, reason in dropped.items() if name in used))
    return _with_blocks(model, remaining, left_out)


def prune_model(model: NaiveBayesModel, min_count: object) -> NaiveBayesModel:
    """Return the model without entries of total weight below `min_count`; the model itself if there are none."""
    if not is_real(min_count) or not 0 <= float(min_count) < math.inf:  # pyright: ignore[reportArgumentType]
        raise ParameterError(
            f"min_count must be a finite number ≥ 0: got {min_count!r}. It is the smallest weight of a level to keep."
        )
    least = float(min_count)  # pyright: ignore[reportArgumentType]
    schema = model.schema
    remaining = [
        block.likelihood.prune(block.columns, parts, least)
        for block, parts in zip(schema.blocks, model.parts, strict=True)
    ]
    if all(block.parts == parts for block, parts in zip(remaining, model.parts, strict=True)):
        return model
    left_out = schema.left_out + tuple(reason for block in remaining for reason in block.left_out)
    return _with_blocks(model, [block for block in remaining if block.columns], left_out)


def _with_blocks(
    model: NaiveBayesModel, remaining: list[ReducedBlock], left_out: tuple[tuple[str | int, str], ...]
) -> NaiveBayesModel:
    blocks = tuple(Block(block.columns, block.likelihood) for block in remaining)
    schema = replace(model.schema, blocks=blocks, left_out=left_out)
    return replace(model, schema=schema, parts=tuple(block.parts for block in remaining))


def fingerprint(model: NaiveBayesModel) -> str:
    """Return a hash of statistics, likelihoods and estimate (32 hexadecimal digits), independent of the class prior.

    Examples
    --------
    >>> from suffice.models import ClassPrior, NaiveBayesModel, Schema
    >>> from suffice.likelihoods.block_statistics import Reading
    >>> from suffice.statistics import Axis, Tally
    >>> tally = Tally(Axis.of(["a", "b"]), [1, 2])
    >>> model = NaiveBayesModel(Schema((), ()), tally, (), Reading("mean"), ClassPrior.of("uniform"))
    >>> fingerprint(model) == fingerprint(model.scale(2))
    False
    """
    digest = hashlib.sha256()
    digest.update(repr((model.reading.estimate, model.schema.names)).encode())
    digest.update(repr([(block.columns, block.likelihood) for block in model.schema.blocks]).encode())
    if model.reading.alpha is not None:
        digest.update(np.ascontiguousarray(model.reading.alpha).tobytes())
    for statistic in (model.tally, *(part for parts in model.parts for part in parts)):
        for name, array in sorted(statistic.to_arrays().items()):
            digest.update(f"{name} {array.dtype} {array.shape} ".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
