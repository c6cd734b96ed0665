"""What is believed of every hypothesis: its prior, what it makes of the data, its posterior."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from suffice.models.concepts.space import HypothesisSpace
from suffice.statistics.frozen_arrays import FloatArray, IntArray

__all__ = ["Belief", "HypothesisBelief"]


class HypothesisBelief(NamedTuple):
    """One hypothesis: how many things it contains, p(h), ln p(D|h), p(h|D)."""

    name: str
    size: int
    prior: float
    log_likelihood: float
    posterior: float


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Belief(Mapping[str, float]):
    """The posterior over hypotheses, as a mapping {name: p(h|D)}; arrays have an entry for each, in the same order.

    Attributes
    ----------
    names : tuple of str
    sizes : array of int
        |h|, how many things the hypothesis contains.
    prior, log_likelihood, posterior : arrays of float
        p(h), ln p(D|h), p(h|D). A hypothesis that lacks a datum has log likelihood −inf and posterior 0.

    Examples
    --------
    >>> from suffice.models.concepts import ConceptLearner
    >>> belief = ConceptLearner({"even": {2, 4, 6, 8}, "powers of two": {2, 4, 8}}).update([4, 8]).posterior()
    >>> belief["powers of two"], len(belief), "odd" in belief
    (0.64, 2, False)
    >>> {name: round(probability, 2) for name, probability in belief.items()}
    {'even': 0.36, 'powers of two': 0.64}
    >>> [(each.name, each.size) for each in belief.top(1)]
    [('powers of two', 3)]
    """

    space: HypothesisSpace
    prior: FloatArray
    log_likelihood: FloatArray
    log_joint: FloatArray
    posterior: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hypotheses."""
        return self.space.names

    @property
    def sizes(self) -> IntArray:
        """How many things each contains."""
        return self.space.sizes

    def __len__(self) -> int:
        return len(self.posterior)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.space

    def __getitem__(self, name: str) -> float:
        """Return p(h|D) of the hypothesis of that name."""
        return float(self.posterior[self.space.index(name)])

    def get(self, key: str, default: Any = None) -> Any:
        """Return p(h|D) of the hypothesis of that name, or `default` where there is none."""
        return self[key] if key in self.space else default

    def __repr__(self) -> str:
        shown = [f"{each.name!r} {each.posterior:.4g}" for each in self.top(3)]
        return f"Belief({', '.join(shown)}{f', … {len(self):,} in all' if len(self) > 3 else ''})"

    def top(self, number: int | None = None) -> list[HypothesisBelief]:
        """Return the most probable hypotheses, the most probable first, without those that are impossible.

        Equals stay in the order of the hypotheses.
        """
        order = np.argsort(-self.log_joint, kind="stable")[: None if number is None else max(number, 0)]
        return [
            HypothesisBelief(
                self.names[at],
                int(self.sizes[at]),
                float(self.prior[at]),
                float(self.log_likelihood[at]),
                float(self.posterior[at]),
            )
            for at in order.tolist()
            if self.log_joint[at] > -np.inf
        ]
