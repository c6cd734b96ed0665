"""Bayesian concept learning: which of many concepts a few examples come from.

Symbols: hypotheses h with priors p(h); data D = x₁ … x_N, examples of the concept (repeats count); |h| the number of
things that h contains; 1(D ⊂ h) whether h contains every datum.

    strong sampling   p(D|h) = |h|^(−N) 1(D ⊂ h)     examples are drawn from the concept: the size principle
    weak sampling     p(D|h) = 1(D ⊂ h)              examples come from anywhere and are said to be in the concept
    posterior         p(h|D) = p(h) p(D|h) / p(D),   p(D) = Σ_h p(h) p(D|h), the evidence of the data in their order
    MAP, MLE          argmax_h p(h) p(D|h), argmax_h p(D|h); of equals the first. MLE knows no prior, not even one of 0
    predictive        p(x ∈ C|D) = Σ_h 1(x ∈ h) p(h|D), the mean over hypotheses; or 1(x ∈ ĥ) of the MAP or MLE alone

What the data say is in N and in the set of things seen: a statistic, so batch = sequential = any order, to the bit.
Source: Tenenbaum, "Rules and similarity in concept learning", NIPS 1999; Murphy, "Machine learning", §3.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, final

import numpy as np

from suffice.conjugate.arguments import option
from suffice.engines.frames import is_frame
from suffice.errors import DataError, ParameterError
from suffice.models.concepts.belief import Belief
from suffice.models.concepts.domain import shown_things
from suffice.models.concepts.hypothesis import Hypothesis
from suffice.models.concepts.prior import log_prior_of
from suffice.models.concepts.space import HypothesisSpace
from suffice.statistics.frozen_arrays import BoolArray, FloatArray, IntArray, sealed
from suffice.statistics.labels import Label

__all__ = ["ConceptLearner", "PlugIn", "Sampling"]

Sampling = Literal["strong", "weak"]
PlugIn = Literal["map", "mle"]

_SHOWN = 3
_CELLS = 2**20  # of members × posterior at a time: 8 MB


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class ConceptLearner:
    """What a few examples say about which concept they come from.

    It never changes: `update` returns another learner.

    Parameters
    ----------
    hypotheses : mapping {name: members}, or list of Hypothesis or of pairs (name, members)
        Members are a set of things, or a predicate over the domain.
    prior : mapping {name: weight}, array of weights, or function of a Hypothesis, optional
        Weights ≥ 0, which are divided by their sum; 0 rules a hypothesis out. Without it all weigh the same.
    sampling : "strong" or "weak"
        Whether examples are drawn from the concept, so that small concepts explain them better, or come from anywhere.
    domain : iterable of things, optional
        Everything that a concept may contain. Without it, everything that one of the sets contains.

    Examples
    --------
    >>> concepts = {"even": lambda x: x % 2 == 0, "powers of two": {2, 4, 8, 16, 32, 64}}
    >>> learner = ConceptLearner(concepts, domain=range(1, 101)).update([16])
    >>> learner.map
    Hypothesis('powers of two', {2, 4, 8, 16, 32, 64})
    >>> round(learner.posterior()["powers of two"], 4)  # 1/6 against 1/50
    0.8929
    >>> round(learner.predictive(10), 4)  # only "even" contains it
    0.1071
    """

    space: HypothesisSpace
    log_prior: FloatArray
    sampling: Sampling
    counts: IntArray
    _alive: BoolArray

    def __init__(
        self,
        hypotheses: Any,
        prior: Any = None,
        sampling: Sampling = "strong",
        *,
        domain: Iterable[object] | None = None,
    ) -> None:
        if isinstance(hypotheses, HypothesisSpace):
            if domain is not None:
                raise ParameterError("a HypothesisSpace has its domain already. Leave domain out.")
            space = hypotheses
        else:
            space = HypothesisSpace.of(hypotheses, domain)
        option("sampling", sampling, ("strong", "weak"))
        counts = sealed(np.zeros(len(space.domain), dtype=np.int64))
        self._set(space, log_prior_of(prior, space), sampling, counts, np.ones(len(space), dtype=np.bool_))

    def _set(
        self, space: HypothesisSpace, log_prior: FloatArray, sampling: Sampling, counts: IntArray, alive: BoolArray
    ) -> None:
        object.__setattr__(self, "space", space)
        object.__setattr__(self, "log_prior", log_prior)
        object.__setattr__(self, "sampling", sampling)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "_alive", sealed(alive))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hypotheses, in the order of every array."""
        return self.space.names

    @property
    def domain(self) -> tuple[Label, ...]:
        """Everything that a concept may contain, in the order of the predictive."""
        return self.space.domain.things

    @property
    def number_of_data(self) -> int:
        """N, how many examples were seen, repeats counted."""
        return int(self.counts.sum())

    @property
    def seen(self) -> dict[Label, int]:
        """What was seen, and how often, in the order of the domain."""
        return {self.domain[at]: int(self.counts[at]) for at in np.flatnonzero(self.counts).tolist()}

    def update(self, data: Any) -> ConceptLearner:
        """Return the learner that has seen these examples too.

        Parameters
        ----------
        data : a thing of the domain, or an iterable of such
            Examples of the concept; one that comes twice counts twice.

        Raises
        ------
        DataError
            When a datum is not in the domain, or no hypothesis contains it beside all the data before it.

        Examples
        --------
        >>> learner = ConceptLearner({"even": {2, 4, 6, 8}, "small": {1, 2, 3}})
        >>> learner.update([2]).update(2).seen
        {2: 2}
        """
        places = self.space.domain.places_of(_data(data), "datum")
        counts = self.counts + np.bincount(places, minlength=len(self.counts))
        return self._with(self.log_prior, self.sampling, sealed(counts), self._left(places, self.log_prior))

    def read(self, prior: Any = None, sampling: Sampling | None = None) -> ConceptLearner:
        """Return what the same data say under another prior or sampling; what is not given stays.

        Examples
        --------
        >>> learner = ConceptLearner({"even": {2, 4, 6}, "all": {1, 2, 3, 4, 5, 6}}).update([2, 4])
        >>> learner.map.name, learner.read({"even": 1, "all": 9}).map.name
        ('even', 'all')
        """
        log_prior = self.log_prior if prior is None else log_prior_of(prior, self.space)
        option("sampling", self.sampling if sampling is None else sampling, ("strong", "weak"))
        self._require_some(np.flatnonzero(self.counts), log_prior)
        return self._with(log_prior, sampling or self.sampling, self.counts, self._alive.copy())

    def posterior(self) -> Belief:
        """Return p(h|D) of every hypothesis, with its prior and likelihood beside it.

        Examples
        --------
        >>> ConceptLearner({"even": {2, 4, 6, 8}, "powers of two": {2, 4, 8}}).update([4, 8]).posterior()
        Belief('powers of two' 0.64, 'even' 0.36)
        """
        log_joint = self._log_joint()
        return Belief(self.space, np.exp(self.log_prior), self._log_likelihood(), log_joint, _normalised(log_joint))

    @property
    def map(self) -> Hypothesis:
        """The most probable hypothesis, argmax p(h) p(D|h); of equals the first."""
        return self.space[self._best("map")]

    @property
    def mle(self) -> Hypothesis:
        """The hypothesis that makes the data most probable, argmax p(D|h), whatever its prior; of equals the first."""
        return self.space[self._best("mle")]

    def log_evidence(self) -> float:
        """Return ln p(D), of the data in their order: how well this space of hypotheses explains them.

        Examples
        --------
        >>> learner = ConceptLearner({"even": {2, 4}, "odd": {1, 3}}).update([2, 2])
        >>> round(float(np.exp(learner.log_evidence())), 4)  # ½ · (½)²
        0.125
        """
        log_joint = self._log_joint()
        greatest = log_joint.max()
        # No evidence of discrete data is above 1; rounding could be.
        return min(0.0, float(greatest + np.log(np.exp(log_joint - greatest).sum())))

    def predictive(self, things: Any = None, plug_in: PlugIn | None = None) -> Any:
        """Return the probability that things are in the concept, p(x ∈ C|D).

        Parameters
        ----------
        things : a thing of the domain, an iterable of such, or None for the whole domain
            Of a learner that `concepts_from` made also rows that were not in the table: a mapping {column: value}, a
            list of such, or a frame.
        plug_in : "map", "mle" or None
            Ask the best hypothesis alone instead of all of them, each by its posterior.

        Returns
        -------
        float for one thing, array of float for several

        Examples
        --------
        >>> learner = ConceptLearner({"even": {2, 4, 6, 8}, "powers of two": {2, 4, 8}}).update([4, 8])
        >>> learner.predictive()
        array([1.  , 1.  , 0.36, 1.  ])
        >>> learner.predictive(6, plug_in="map")
        0.0
        """
        if plug_in is not None:
            option("plug_in", plug_in, ("map", "mle"))
        if things is None:
            return self._mass(self.space.members, plug_in)
        if isinstance(things, Mapping):
            return float(self._mass(self._beyond([things]), plug_in)[0])
        if is_frame(things) or _are_records(things):
            return self._mass(self._beyond(things), plug_in)
        places = self.space.domain.places_of(_each(things), "thing")
        found = self._mass(self.space.members[places], plug_in)
        return float(found[0]) if _is_one(things) else found

    def __repr__(self) -> str:
        number = self.number_of_data
        over = f"{len(self.names):,} hypotheses over {len(self.domain):,} things"
        lines = [f"ConceptLearner of {over}, {self.sampling} sampling, {number:,} {'datum' if number == 1 else 'data'}"]
        lines += [f"  {each.posterior:.4f}  {each.name}" for each in self.posterior().top(_SHOWN)]
        if self.space.rules is not None:
            lines += [f"  {note}" for note in self.space.rules.notes()]
        return "\n".join(lines)

    def _with(self, log_prior: FloatArray, sampling: Sampling, counts: IntArray, alive: BoolArray) -> ConceptLearner:
        other = object.__new__(ConceptLearner)
        other._set(self.space, log_prior, sampling, counts, alive)
        return other

    def _log_likelihood(self) -> FloatArray:
        size_principle = -self.number_of_data * np.log(self.space.sizes) if self.sampling == "strong" else 0.0
        return np.where(self._alive, size_principle, -np.inf)

    def _log_joint(self) -> FloatArray:
        return self.log_prior + self._log_likelihood()

    def _best(self, how: PlugIn) -> int:
        return int(np.argmax(self._log_joint() if how == "map" else self._log_likelihood()))

    def _mass(self, members: BoolArray, plug_in: PlugIn | None) -> FloatArray:
        # The posterior mass of the hypotheses that contain each thing, given as rows of bools.
        if plug_in is not None:
            return members[:, self._best(plug_in)].astype(np.float64)
        posterior = _normalised(self._log_joint())
        left = np.flatnonzero(posterior)
        posterior = posterior[left]
        found = np.empty(len(members))
        step = max(1, _CELLS // len(left))
        for start in range(0, len(members), step):
            some = members[start : start + step, left]
            # What all hypotheses contain that are left is certain: no rounding may say less, or more.
            found[start : start + step] = np.where(some.all(axis=1), 1.0, (some * posterior).sum(axis=1))
        return np.minimum(found, 1.0)

    def _beyond(self, rows: Any) -> BoolArray:
        if self.space.rules is None:
            raise DataError(
                f"rows of a table are asked for, and the domain is {self.space.domain}. "
                "Give things of the domain, or make the learner with concepts_from(table)."
            )
        return self.space.rules.contain(rows)

    def _left(self, places: IntArray, log_prior: FloatArray) -> BoolArray:
        # Which hypotheses contain what was seen before and these things too; it is an error when none does.
        members = self.space.members
        alive = self._alive & members[np.unique(places)].all(axis=0)
        if not (alive & (log_prior > -np.inf)).any():
            self._require_some(places, log_prior, self._alive)
        return alive

    def _require_some(self, places: IntArray, log_prior: FloatArray, alive: BoolArray | None = None) -> None:
        # Name the first datum after which no hypothesis is left.
        left = log_prior > -np.inf
        before: list[int] = []
        if alive is not None:
            left &= alive
            before = np.flatnonzero(self.counts).tolist()
        for at in places.tolist():
            contain = left & self.space.members[at]
            if not contain.any():
                raise DataError(self._impossible(at, before, int(left.sum()), log_prior))
            left = contain
            before.append(at)

    def _impossible(self, at: int, before: list[int], left: int, log_prior: FloatArray) -> str:
        datum, members = repr(self.domain[at]), self.space.members[at]
        do = "Check the datum, or add a hypothesis that contains"
        possible = members & (log_prior > -np.inf)
        if not possible.any():
            which = "no hypothesis" if not members.any() else "no hypothesis with a prior above 0"
            return f"{which} contains datum {datum}. {do} it."
        earlier = shown_things([self.domain[place] for place in dict.fromkeys(before)])
        those = f"which {left:,} of {len(self.names):,} contain{'s' * (left == 1)}"
        return f"no hypothesis contains datum {datum} beside {earlier}, {those}. {do} them all."


def _normalised(log_joint: FloatArray) -> FloatArray:
    weights = np.exp(log_joint - log_joint.max())
    return weights / weights.sum()


def _data(data: Any) -> Iterable[Any]:
    if isinstance(data, Mapping) or is_frame(data):
        raise DataError(f"data must be things of the domain: got {type(cast('object', data)).__name__}. Give a list.")
    return _each(data)


def _each(things: Any) -> Iterable[Any]:
    return [things[()] if isinstance(things, np.ndarray) else things] if _is_one(things) else things


def _is_one(things: Any) -> bool:
    # Numbers, text, None; of NumPy also an array without dimensions.
    several = isinstance(cast("object", things), Iterable) and not isinstance(things, (str, bytes))
    return not several or getattr(things, "ndim", 1) == 0


def _are_records(things: Any) -> bool:
    return isinstance(cast("object", things), (list, tuple)) and bool(things) and isinstance(things[0], Mapping)
