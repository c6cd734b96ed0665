"""The naive Bayes model: what was seen of every class and block of columns, and how it is read.

    log p(c, x) = log p(c) + Σ_blocks log p(x_block | c)          given the class, blocks are independent
    log p(D)    = log evidence of the classes + Σ_blocks log evidence of their cells

Statistics of disjoint rows add, class by class and by label, so a + b is the model of both and a − b that of the rest.
Reading costs no rows: another prior or estimate is another value over the same statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt

from suffice.errors import DataError, MergeError, ParameterError
from suffice.likelihoods import Likelihood, Parameter
from suffice.likelihoods.collect import Parts
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.likelihood import Seen
from suffice.likelihoods.reading import Reading
from suffice.likelihoods.terms import Term
from suffice.models.class_prior import ClassPrior
from suffice.models.schema import Block, Schema
from suffice.models.score import Scorer, Scores, Wanted
from suffice.sources.table import Table
from suffice.statistics import Axis, Tally
from suffice.statistics.frozen_arrays import FloatArray

__all__ = ["NaiveBayesModel"]


@final
@dataclass(frozen=True, eq=False)
class NaiveBayesModel:
    """Statistics, and how to read them.

    Parameters
    ----------
    schema : Schema
    tally : Tally
        The weight of the rows of each class: its classes are those of the model.
    parts : tuple
        The statistics of each block of the schema, as collected.
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
        """The log probability of each class, −inf for what cannot be."""
        with np.errstate(divide="ignore"):
            return np.log(self.class_prior.probabilities(self.tally))

    @cached_property
    def block_terms(self) -> tuple[tuple[Term, ...], ...]:
        """What each block adds to log p(c, x), read once."""
        with np.errstate(over="ignore", invalid="ignore"):  # a score that is no number is refused when it is computed
            return tuple(self._likelihood(at).terms(seen) for at, seen in enumerate(self.seen()))

    @property
    def terms(self) -> tuple[Term, ...]:
        """What all blocks add to log p(c, x)."""
        return tuple(term for terms in self.block_terms for term in terms)

    @cached_property
    def scorer(self) -> Scorer:
        """The terms, compiled once."""
        return Scorer(self.terms, self.log_prior, self.schema.names)

    @cached_property
    def bare_scorer(self) -> Scorer:
        """The terms without the class prior: what they add up to is log p(x|c)."""
        return Scorer(self.terms, np.zeros(len(self.classes)), self.schema.names)

    def likelihood(self, table: Table) -> Scores:
        """Return log p(x|c), rows × classes."""
        return self.bare_scorer.score(table, "joint")

    def score(self, table: Table, wanted: Wanted) -> Scores:
        """Return joint, posterior or density of every row of a table with the columns of the schema."""
        if not len(self.classes):
            raise DataError(
                "the model has seen no rows, so it knows no class. Fit it on rows, or add a model that was."
            )
        if wanted == "density":
            self.require_density()
        return self.scorer.score(table, wanted)

    def log_evidence(self) -> float:
        """Return log p(D) of the rows it has seen: of their classes, and of their cells given the classes."""
        of_cells = (self._likelihood(at).log_evidence(seen) for at, seen in enumerate(self.seen()))
        return self.class_prior.log_evidence(self.tally) + sum(of_cells)

    def parameters(self, credible: float, columns: Collection[str | int] | None = None) -> Iterator[Parameter]:
        """Yield the class prior, then the parameters of every block, or of those that have one of these columns."""
        nan = float("nan")
        for label, value in zip(self.classes, self.class_prior.probabilities(self.tally).tolist(), strict=True):
            yield Parameter(label, None, None, "class prior", self.class_prior.kind, value, nan, nan)
        for at, seen in enumerate(self.seen()):
            if columns is None or any(name in columns for name in seen.columns):
                yield from self._likelihood(at).parameters(seen, credible)

    def form_schema(self) -> Schema:
        """Return the schema with the likelihood that each column has taken, where the statistics choose it."""
        blocks: list[Block] = []
        for at, seen in enumerate(self.seen()):
            forms = self._likelihood(at).forms(seen)
            if all(form is self._likelihood(at) for form in forms.values()):
                blocks.append(self.schema.blocks[at])
                continue
            each: dict[str, tuple[Likelihood, list[str | int]]] = {}
            for name, form in forms.items():
                each.setdefault(repr(form), (form, []))[1].append(name)
            blocks += [Block(tuple(columns), form) for form, columns in each.values()]
        return replace(self.schema, blocks=tuple(blocks))

    def choices(self) -> dict[str | int, str]:
        """Return what the statistics decided about columns that leave something to decide."""
        return {
            name: it for at, seen in enumerate(self.seen()) for name, it in self._likelihood(at).choices(seen).items()
        }

    def sample(self, draw: Draw) -> dict[str | int, npt.NDArray[Any]]:
        """Return the cells of rows of these classes: an array for each column that is in a block, in their order."""
        drawn: dict[str | int, npt.NDArray[Any]] = {}
        for at, seen in enumerate(self.seen()):
            drawn.update(zip(seen.columns, self._likelihood(at).sample(seen, draw), strict=True))
        return {name: drawn[name] for name in self.schema.names if name in drawn}

    def read(self, reading: Reading, class_prior: ClassPrior) -> NaiveBayesModel:
        """Return the same statistics, read otherwise; what was decided by them stays."""
        other = replace(self, reading=reading, class_prior=class_prior)
        other.__dict__["_decided"] = self._decided
        return other

    @cached_property
    def _decided(self) -> tuple[dict[str, Any], ...]:
        # Where the likelihood of each block keeps what it decided by the statistics.
        return tuple({} for _ in self.schema.blocks)

    def __add__(self, other: NaiveBayesModel) -> NaiveBayesModel:
        self._require_alike(other, "add")
        return self._with(self.tally + other.tally, lambda mine, theirs: mine + theirs, other)

    def __sub__(self, other: NaiveBayesModel) -> NaiveBayesModel:
        self._require_alike(other, "subtract")
        return self._with(self.tally - other.tally, lambda mine, theirs: mine - theirs, other)

    def scale(self, w: float) -> NaiveBayesModel:
        """Return the model of the same rows, each with w times its weight."""
        parts = tuple(tuple(part.scale(w) for part in block) for block in self.parts)
        return replace(self, tally=self.tally.scale(w), parts=parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NaiveBayesModel):
            return NotImplemented
        return self._difference(other) is None and self.tally == other.tally and self.parts == other.parts

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        # What was read and compiled is made again where it is wanted: the core's tables do not travel.
        return NaiveBayesModel, (self.schema, self.tally, self.parts, self.reading, self.class_prior)

    def seen(self) -> Iterator[Seen]:
        """Yield what was seen of each block, and how it is read."""
        for block, parts, decided in zip(self.schema.blocks, self.parts, self._decided, strict=True):
            alpha = self.reading.alpha
            if alpha is not None and alpha.ndim and alpha.shape[-1] > 1:
                alpha = alpha[..., self.schema.positions(block.columns)]
            reading = Reading(self.reading.estimate, alpha)
            yield Seen(parts, block.columns, self.classes, reading, self.tally.weight, decided=decided)

    def require_density(self) -> None:
        """Raise ParameterError where log p(c, x) is no log probability, so that there is no log p(x)."""
        for block in self.schema.blocks:
            if not block.likelihood.is_likelihood:
                raise ParameterError(
                    f"there is no log p(x): column {block.columns[0]!r} is read as {block.likelihood!r}, whose scores "
                    "are not those of a distribution. Use log_joint or predict_proba, or read it with "
                    "model='multinomial' or 'bernoulli'."
                )

    def _likelihood(self, at: int) -> Any:
        return self.schema.blocks[at].likelihood

    def _with(self, tally: Tally, together: Callable[[Any, Any], Any], other: NaiveBayesModel) -> NaiveBayesModel:
        parts = tuple(
            tuple(together(mine, theirs) for mine, theirs in zip(left, right, strict=True))
            for left, right in zip(self.parts, other.parts, strict=True)
        )
        return replace(self, tally=tally, parts=parts)

    def _difference(self, other: NaiveBayesModel) -> tuple[str, object, object] | None:
        for what, mine, theirs in (
            ("schemas", self.schema, other.schema),
            ("readings", self.reading, other.reading),
            ("class priors", self.class_prior, other.class_prior),
        ):
            if mine != theirs:
                return what, mine, theirs
        return None

    def _require_alike(self, other: NaiveBayesModel, doing: str) -> None:
        different = self._difference(other)
        if different is not None:
            what, mine, theirs = different
            raise MergeError(
                f"cannot {doing} models of different {what}.\nleft:  {mine!r}\nright: {theirs!r}\n",
                kind="different_schema" if what == "schemas" else "different_options",
                advice=lambda words: (
                    f"Fit one of them like the other, with {words.option('like')}."
                    if what == "schemas"
                    else f"Give both the same options with {words.verb('with_options')}."
                ),
            )
