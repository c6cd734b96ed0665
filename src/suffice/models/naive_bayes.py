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

from suffice.engines.table import Table
from suffice.errors import DataError, MergeError, ParameterError
from suffice.likelihoods import Parameter
from suffice.likelihoods.draws import Draw
from suffice.likelihoods.likelihood import Seen
from suffice.likelihoods.terms import Term
from suffice.models.class_prior import ClassPrior
from suffice.models.schema import Schema
from suffice.models.score import Scorer, Scores, Wanted
from suffice.plan import Parts, Reading
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
    def terms(self) -> tuple[Term, ...]:
        """What every block adds to log p(c, x), read once."""
        with np.errstate(over="ignore", invalid="ignore"):  # a score that is no number is refused when it is computed
            return tuple(term for at, seen in enumerate(self.seen()) for term in self._likelihood(at).terms(seen))

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

    def parameters(self, level: float, columns: Collection[str | int] | None = None) -> Iterator[Parameter]:
        """Yield the class prior, then the parameters of every block, or of those that have one of these columns."""
        nan = float("nan")
        for label, value in zip(self.classes, self.class_prior.probabilities(self.tally).tolist(), strict=True):
            yield Parameter(label, None, None, "class prior", self.class_prior.kind, value, nan, nan)
        for at, seen in enumerate(self.seen()):
            if columns is None or any(name in columns for name in seen.columns):
                yield from self._likelihood(at).parameters(seen, level)

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
        """Return the same statistics, read otherwise."""
        return replace(self, reading=reading, class_prior=class_prior)

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
        for block, parts in zip(self.schema.blocks, self.parts, strict=True):
            alpha = self.reading.alpha
            if alpha is not None and alpha.ndim and alpha.shape[-1] > 1:
                alpha = alpha[..., self.schema.positions(block.columns)]
            yield Seen(parts, block.columns, self.classes, Reading(self.reading.estimate, alpha), self.tally.weight)

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
            do = "Fit both with like=" if what == "schemas" else "Read both alike with .read(...)"
            raise MergeError(f"cannot {doing} models of different {what}.\nleft:  {mine!r}\nright: {theirs!r}\n{do}.")
