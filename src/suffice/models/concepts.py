"""Bayesian concept learning: the posterior over concepts, given a few examples.

Symbols: hypotheses h with priors p(h); data D = x₁ … x_N, examples of the concept (repeats count); |h| the number of
elements of h; 1(D ⊂ h) whether h contains every example.

    strong sampling   p(D|h) = |h|^(−N) 1(D ⊂ h)     examples are drawn from the concept: the size principle
    weak sampling     p(D|h) = 1(D ⊂ h)              examples are drawn from the whole domain and labelled as members
    posterior         p(h|D) = p(h) p(D|h) / p(D),   p(D) = Σ_h p(h) p(D|h), the evidence of the data in their order
    MAP, MLE          argmax_h p(h) p(D|h), argmax_h p(D|h); ties go to the first. MLE ignores the prior, even one of 0
    predictive        p(x ∈ C|D) = Σ_h 1(x ∈ h) p(h|D), the mean over hypotheses; or 1(x ∈ ĥ) of the MAP or MLE alone

N and the set of observed elements are a sufficient statistic, so batch = sequential = any order, exactly. An element is
a label in its canonical form (statistics/labels.py): 1.0 is 1, "1" is not 1, True is not 1.
Source: Tenenbaum, "Rules and similarity in concept learning", NIPS 1999; Murphy, "Machine learning", §3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, TypeAlias, cast, final

import numpy as np

from suffice.arguments import is_real, option
from suffice.errors import DataError, ParameterError
from suffice.records import RecordList, TableColumns, Tabular
from suffice.sources.in_memory import is_frame
from suffice.statistics import Axis
from suffice.statistics.arrays import BoolArray, FloatArray, IntArray, seal
from suffice.statistics.labels import Key, Label, canonical, key_of_label

__all__ = ["Belief", "ConceptLearner", "Hypothesis", "HypothesisBelief", "HypothesisMatrix", "Sampling", "number_game"]

Sampling: TypeAlias = Literal["strong", "weak"]
PlugIn: TypeAlias = Literal["map", "mle"]

_CELLS = 2**20  # of members × posterior at a time: 8 MB
_MOST_NUMBERS = 500  # the matrix grows with the cube: 500 numbers have 125,250 intervals and take 63 MB
_GREATEST = 10**9


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Hypothesis:
    """A hypothesis: a named set that the examples may be drawn from.

    Parameters
    ----------
    name : str
    members : set or other iterable of elements, or a predicate
        Elements of the concept, or a predicate over the domain.

    Examples
    --------
    >>> Hypothesis("powers of two", {2, 4, 8, 16, 32, 64})
    Hypothesis('powers of two', {2, 4, 8, 16, 32, 64})
    >>> Hypothesis("even", lambda x: x % 2 == 0)
    Hypothesis('even', a predicate)
    """

    name: str
    members: frozenset[Label] | Callable[[Any], bool]

    def __init__(self, name: str, members: Iterable[object] | Callable[[Any], bool]) -> None:
        if not isinstance(cast("object", name), str) or not name:
            raise ParameterError(f"the name of a hypothesis must be a string: got {name!r}.")
        if not callable(members):
            if not _is_several(members):
                raise ParameterError(
                    f"hypothesis {name!r} must have a set of elements or a predicate: got {members!r}. "
                    "Give for example {2, 4, 8} or lambda x: x % 2 == 0."
                )
            labels = [canonical(thing) for thing in members]
            members = frozenset(label for _, label in labels)
            if len({key_of_label(*each) for each in labels}) != len(members):
                raise ParameterError(
                    f"hypothesis {name!r} must not contain both a boolean and the number equal to it in "
                    "Python, such as True and 1. Give one of them as text."
                )
        object.__setattr__(self, "name", str.__str__(name))
        object.__setattr__(self, "members", members)

    def __repr__(self) -> str:
        if callable(self.members):
            return f"Hypothesis({self.name!r}, a predicate)"
        return f"Hypothesis({self.name!r}, {{{_list_things(Axis.of(self.members).labels, 8)}}})"


class HypothesisMatrix(NamedTuple):
    """Generated hypotheses: 1(x ∈ h) as an array of bools, elements × hypotheses.

    `contain` returns it for rows of a table that are not in the domain (models/column_concepts.py); `notes` are shown.
    """

    names: Sequence[str]
    domain: Iterable[Label]
    members: BoolArray
    contain: Callable[[Any], BoolArray] | None = None
    notes: Sequence[str] = ()


class HypothesisBelief(NamedTuple):
    """One hypothesis: its number of elements, p(h), ln p(D|h), p(h|D)."""

    name: str
    size: int
    prior: float
    log_likelihood: float
    posterior: float


@final
class Belief(dict[str, float], Tabular):
    """The posterior over hypotheses, as a mapping {name: p(h|D)}; arrays have an entry for each, in the same order.

    Attributes
    ----------
    sizes : array of int
        |h|, the number of elements of the hypothesis.
    prior, log_likelihood, posterior : arrays of float
        p(h), ln p(D|h), p(h|D). A hypothesis that does not contain every example has log likelihood −inf and posterior
        0.

    Examples
    --------
    >>> belief = ConceptLearner({"even": {2, 4, 6, 8}, "powers of two": {2, 4, 8}}).update([4, 8]).posterior()
    >>> belief["powers of two"], len(belief), "odd" in belief
    (0.64, 2, False)
    >>> [(each.name, each.size) for each in belief.top(1)]
    [('powers of two', 3)]
    """

    def __init__(
        self, names: Sequence[str], sizes: IntArray, log_prior: FloatArray, log_likelihood: FloatArray
    ) -> None:
        self.sizes, self.prior, self.log_likelihood = sizes, np.exp(log_prior), log_likelihood
        self.log_joint = log_prior + log_likelihood
        weights = np.exp(self.log_joint - self.log_joint.max())
        self.posterior: FloatArray = weights / weights.sum()
        super().__init__(zip(names, self.posterior.tolist(), strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hypotheses."""
        return tuple(self)

    def __missing__(self, name: str) -> float:
        raise ParameterError(f"there is no hypothesis {name!r}. {_hint(name, self.names)}")

    def __repr__(self) -> str:
        shown = [f"{each.name!r} {each.posterior:.4g}" for each in self.top(3)]
        return f"Belief({', '.join(shown)}{f', … {len(self):,} in all' if len(self) > 3 else ''})"

    def table(self) -> TableColumns:
        """Return the columns name, size, prior, log_likelihood and posterior, the most probable hypothesis first."""
        return self.top().table()

    def top(self, number: int | None = None) -> RecordList[HypothesisBelief]:
        """Return the hypotheses with positive probability, the most probable first; ties keep their order."""
        order = np.argsort(-self.log_joint, kind="stable")[: None if number is None else max(number, 0)]
        names, columns = self.names, (self.prior, self.log_likelihood, self.posterior)
        return RecordList(
            HypothesisBelief(names[at], int(self.sizes[at]), *(float(column[at]) for column in columns))
            for at in order.tolist()
            if self.log_joint[at] > -np.inf
        )


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class ConceptLearner:
    """Bayesian concept learner over a finite set of hypotheses. Immutable: `update` returns a new learner.

    Parameters
    ----------
    hypotheses : mapping {name: members}, or list of Hypothesis or of pairs (name, members)
        Members are a set of elements, or a predicate over the domain.
    prior : mapping {name: weight}, array of weights, or function of a Hypothesis, optional
        Non-negative prior weights, normalised to sum to 1; 0 excludes a hypothesis. Default: uniform.
    sampling : "strong" or "weak"
        "strong": examples are drawn uniformly from the concept, so smaller concepts have higher likelihood; "weak": the
        likelihood is 1 if the concept contains all examples, otherwise 0.
    domain : iterable of elements, optional
        Universe of elements. Default: the union of the given sets.

    Attributes
    ----------
    names : tuple of str
        The names of the hypotheses, in the order of every array.
    domain : tuple
        Elements of the domain, in the order used by `predictive`.
    members : array of bool, things × hypotheses
        1(x ∈ h). Hypotheses with equal extensions are kept separate; the ratio of their posteriors equals that of their
        priors.
    sizes : array of int
        |h|, never 0.
    counts : array of int
        Number of times each element was observed.

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

    names: tuple[str, ...]
    domain: tuple[Label, ...]
    members: BoolArray
    sizes: IntArray
    log_prior: FloatArray
    sampling: Sampling
    counts: IntArray
    _places: dict[Key, int]
    _contain: Callable[[Any], BoolArray] | None
    _notes: tuple[str, ...]

    def __init__(
        self,
        hypotheses: Any,
        prior: Any = None,
        sampling: Sampling = "strong",
        *,
        domain: Iterable[object] | None = None,
    ) -> None:
        matrix = hypotheses if isinstance(hypotheses, HypothesisMatrix) else _hypothesis_matrix(hypotheses, domain)
        names, things, sizes = matrix.names, _domain_by_key(matrix.domain), matrix.members.sum(axis=0, dtype=np.int64)
        if len(set(names)) != len(names):
            twice = next(name for at, name in enumerate(names) if name in names[:at])
            raise ParameterError(f"two hypotheses have the name {twice!r}. Rename one of them.")
        if not sizes.all():
            raise ParameterError(
                f"hypothesis {names[int(np.argmin(sizes))]!r} contains no element of the domain "
                f"{_show_domain(things.values())}, so no example can come from it. Remove it, or extend the domain."
            )
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "domain", tuple(things.values()))
        object.__setattr__(self, "members", seal(np.ascontiguousarray(matrix.members)))
        object.__setattr__(self, "sizes", seal(sizes))
        object.__setattr__(self, "log_prior", self._log_prior(prior))
        object.__setattr__(self, "sampling", option("sampling", sampling, ("strong", "weak")))
        object.__setattr__(self, "counts", seal(np.zeros(len(things), dtype=np.int64)))
        object.__setattr__(self, "_places", {key: at for at, key in enumerate(things)})
        object.__setattr__(self, "_contain", matrix.contain)
        object.__setattr__(self, "_notes", tuple(matrix.notes))

    @property
    def number_of_data(self) -> int:
        """Number of examples N, including repeats."""
        return int(self.counts.sum())

    @property
    def seen(self) -> dict[Label, int]:
        """Observed elements and their counts, in domain order."""
        return {self.domain[at]: int(self.counts[at]) for at in np.flatnonzero(self.counts).tolist()}

    def hypothesis(self, at: int) -> Hypothesis:
        """Return the hypothesis at the given position of `names`, with its members."""
        return Hypothesis(self.names[at], [self.domain[x] for x in np.flatnonzero(self.members[:, at]).tolist()])

    def update(self, data: Any) -> ConceptLearner:
        """Return the learner updated with further examples.

        Parameters
        ----------
        data : an element of the domain, or an iterable of elements
            Positive examples of the concept; repeats are counted.

        Raises
        ------
        DataError
            If an example is not in the domain, or no hypothesis contains it together with all earlier examples.

        Examples
        --------
        >>> learner = ConceptLearner({"even": {2, 4, 6, 8}, "small": {1, 2, 3}})
        >>> learner.update([2]).update(2).seen
        {2: 2}
        """
        if isinstance(data, Mapping) or is_frame(data):
            kind = type(cast("object", data)).__name__
            raise DataError(f"data must be elements of the domain: got {kind}. Give a list.")
        places = self._find(data, "datum")
        seen = np.flatnonzero(self.counts).tolist()
        self._require_possible([*seen, *dict.fromkeys(places.tolist())], self.log_prior)
        return self._with(counts=seal(self.counts + np.bincount(places, minlength=len(self.counts))))

    def with_options(self, *, prior: Any = None, sampling: Sampling | None = None) -> ConceptLearner:
        """Return the learner with another prior or sampling assumption; options not given are unchanged.

        Examples
        --------
        >>> learner = ConceptLearner({"even": {2, 4, 6}, "all": {1, 2, 3, 4, 5, 6}}).update([2, 4])
        >>> learner.map.name, learner.with_options(prior={"even": 1, "all": 9}).map.name
        ('even', 'all')
        """
        log_prior = self.log_prior if prior is None else self._log_prior(prior)
        chosen = self.sampling if sampling is None else option("sampling", sampling, ("strong", "weak"))
        self._require_possible(np.flatnonzero(self.counts).tolist(), log_prior)
        return self._with(log_prior=log_prior, sampling=chosen)

    def posterior(self) -> Belief:
        """Return p(h|D) of every hypothesis, with its prior and likelihood.

        Examples
        --------
        >>> ConceptLearner({"even": {2, 4, 6, 8}, "powers of two": {2, 4, 8}}).update([4, 8]).posterior()
        Belief('powers of two' 0.64, 'even' 0.36)
        """
        return Belief(self.names, self.sizes, self.log_prior, self._log_likelihood())

    @property
    def map(self) -> Hypothesis:
        """The most probable hypothesis, argmax p(h) p(D|h); ties go to the first."""
        return self.hypothesis(self._best("map"))

    @property
    def mle(self) -> Hypothesis:
        """The maximum likelihood hypothesis, argmax p(D|h), regardless of the prior; ties go to the first."""
        return self.hypothesis(self._best("mle"))

    def log_evidence(self) -> float:
        """Return ln p(D), the log marginal likelihood of the sequence of examples.

        Examples
        --------
        >>> learner = ConceptLearner({"even": {2, 4}, "odd": {1, 3}}).update([2, 2])
        >>> round(float(np.exp(learner.log_evidence())), 4)  # ½ · (½)²
        0.125
        """
        log_joint = self.log_prior + self._log_likelihood()
        greatest = log_joint.max()
        # The evidence of discrete data is at most 1; the rounded value may exceed it.
        return min(0.0, float(greatest + np.log(np.exp(log_joint - greatest).sum())))

    def predictive(self, things: Any = None, plug_in: PlugIn | None = None) -> Any:
        """Return the probability that elements belong to the concept, p(x ∈ C|D).

        Parameters
        ----------
        things : an element of the domain, an iterable of elements, or None for the whole domain
            A learner returned by `concepts_from` also accepts new rows: a mapping {column: value}, a list of such, or a
            frame.
        plug_in : "map", "mle" or None
            Use only the MAP or MLE hypothesis instead of averaging over the posterior.

        Returns
        -------
        float for one element, array of float for several

        Examples
        --------
        >>> learner = ConceptLearner({"even": {2, 4, 6, 8}, "powers of two": {2, 4, 8}}).update([4, 8])
        >>> learner.predictive()
        array([1.  , 1.  , 0.36, 1.  ])
        >>> learner.predictive(6, plug_in="map")
        0.0
        """
        one = isinstance(things, Mapping) or not (things is None or is_frame(things) or _is_several(things))
        rows: Any = [things] if isinstance(things, Mapping) else things
        if things is None:
            members = self.members
        elif is_frame(rows) or (isinstance(rows, (list, tuple)) and rows and isinstance(rows[0], Mapping)):
            if self._contain is None:
                raise DataError(
                    f"rows of a table were passed, but the domain is {_show_domain(self.domain)}. "
                    "Give elements of the domain, or create the learner with concepts_from(table)."
                )
            members = self._contain(rows)
        else:
            members = self.members[self._find(things, "thing")]
        probability = self._mass(members, plug_in)
        return float(probability[0]) if one else probability

    def __repr__(self) -> str:
        number = self.number_of_data
        over = f"{len(self.names):,} hypotheses over {len(self.domain):,} elements"
        lines = [
            f"ConceptLearner of {over}, {self.sampling} sampling, {number:,} {'example' if number == 1 else 'examples'}"
        ]
        lines += [f"  {each.posterior:.4f}  {each.name}" for each in self.posterior().top(3)]
        return "\n".join([*lines, *(f"  {note}" for note in self._notes)])

    def _with(self, **changed: Any) -> ConceptLearner:
        other = object.__new__(ConceptLearner)
        for slot in self.__slots__:
            object.__setattr__(other, slot, changed.get(slot, getattr(self, slot)))
        return other

    def _log_likelihood(self) -> FloatArray:
        size_principle = -self.number_of_data * np.log(self.sizes) if self.sampling == "strong" else 0.0
        return np.where(self.members[self.counts > 0].all(axis=0), size_principle, -np.inf)

    def _best(self, how: PlugIn) -> int:
        return int(np.argmax(self._log_likelihood() + (self.log_prior if how == "map" else 0.0)))

    def _mass(self, members: BoolArray, plug_in: PlugIn | None) -> FloatArray:
        # The posterior mass of the hypotheses that contain each element, given as rows of bools.
        if plug_in is not None:
            option("plug_in", plug_in, ("map", "mle"))
            return members[:, self._best(plug_in)].astype(np.float64)
        posterior = self.posterior().posterior
        possible = np.flatnonzero(posterior)
        mass = np.empty(len(members))
        step = max(1, _CELLS // len(possible))
        for start in range(0, len(members), step):
            part = members[start : start + step, possible]
            # An element of all possible hypotheses has probability exactly 1, in spite of rounding.
            mass[start : start + step] = np.where(part.all(axis=1), 1.0, (part * posterior[possible]).sum(axis=1))
        return np.minimum(mass, 1.0)

    def _find(self, things: Any, what: str) -> IntArray:
        places: list[int] = []
        for thing in things if _is_several(things) else [_plain_thing(things)]:
            try:
                at = self._places.get(_label_key(thing))
            except DataError:  # a list or NaN, which no domain contains
                at = None
            if at is None:
                raise DataError(
                    f"{what} {_plain_thing(thing)!r} is not in the domain {_show_domain(self.domain)}",
                    kind="not_in_domain",
                    advice=lambda words: f"Check it, or give another {words.option('domain')}.",
                )
            places.append(at)
        return np.array(places, dtype=np.int64)

    def _require_possible(self, places: Sequence[int], log_prior: FloatArray) -> None:
        # Report the first example after which no hypothesis with a prior above 0 is left.
        left = allowed = log_prior > -np.inf
        for at, place in enumerate(places):
            inside = self.members[place]
            if (left & inside).any():
                left = left & inside
                continue
            datum, advice = repr(self.domain[place]), "Check the example, or add a hypothesis that contains"
            if not (allowed & inside).any():
                which = "no hypothesis with a prior above 0" if inside.any() else "no hypothesis"
                raise DataError(f"{which} contains the example {datum}. {advice} it.")
            earlier, number = _list_things([self.domain[each] for each in places[:at]]), int(left.sum())
            raise DataError(
                f"no hypothesis contains the example {datum} together with {earlier} ({number:,} of "
                f"{len(self.names):,} hypotheses contain{'s' * (number == 1)} the latter). {advice} them all."
            )

    def _log_prior(self, prior: Any) -> FloatArray:
        # ln p(h) = ln w_h − ln Σ w. Weights are first divided by their maximum, against overflow and underflow.
        given = self._weights(prior)
        if len(given) != len(self.names):
            raise ParameterError(
                f"prior must have a weight for each of the {len(self.names):,} hypotheses: got {len(given):,}."
            )
        for name, weight in zip(self.names, given, strict=True):
            if not is_real(weight) or not 0 <= weight < np.inf:
                raise ParameterError(
                    f"prior must have finite weights ≥ 0: hypothesis {name!r} has {_plain_thing(weight)!r}."
                )
        weights = np.array(given, dtype=np.float64)
        if not weights.any():
            raise ParameterError("prior must give at least one hypothesis a weight above 0: got 0 for all of them.")
        shares = weights / weights.max()
        with np.errstate(divide="ignore"):
            return seal(np.log(shares) - np.log(shares.sum()))

    def _weights(self, prior: Any) -> list[Any]:
        if prior is None:
            return [1.0] * len(self.names)
        if isinstance(prior, Mapping):
            given = cast("Mapping[Any, Any]", prior)
            for name in given.keys() - set(self.names):
                hint = _hint(name, self.names)
                raise ParameterError(f"prior has a weight for {name!r}, which is not a hypothesis. {hint}")
            for name in self.names:
                if name not in given:
                    raise ParameterError(f"prior has no weight for hypothesis {name!r}. Give it one; 0 excludes it.")
            return [given[name] for name in self.names]
        if callable(prior):
            return [prior(self.hypothesis(at)) for at in range(len(self.names))]
        if not _is_several(prior):
            raise ParameterError(
                "prior must be a mapping {name: weight}, an array of weights or a function of a hypothesis: "
                f"got {prior!r}."
            )
        return list(prior)


def _hypotheses(given: Any) -> list[Hypothesis]:
    pairs: Any = cast("Mapping[Any, Any]", given).items() if isinstance(given, Mapping) else given
    if isinstance(given, Hypothesis) or not _is_several(pairs):
        raise ParameterError(
            f"hypotheses must be a mapping {{name: members}} or a list of Hypothesis: got {given!r}. "
            "Give for example {'even': {2, 4}, 'odd': {1, 3}}."
        )
    hypotheses: list[Hypothesis] = []
    for each in pairs:
        if isinstance(each, Hypothesis):
            hypotheses.append(each)
            continue
        pair = cast("tuple[Any, ...]", each)
        if not isinstance(each, tuple) or len(pair) != 2:
            raise ParameterError(f"a hypothesis must be a Hypothesis or a pair (name, members): got {each!r}.")
        hypotheses.append(Hypothesis(pair[0], pair[1]))
    if not hypotheses:
        raise ParameterError("at least one hypothesis is required: got none. Give {name: members}.")
    return hypotheses


def _hypothesis_matrix(given: Any, domain: Iterable[object] | None) -> HypothesisMatrix:
    hypotheses = _hypotheses(given)
    things = _domain_by_key(_union_of_hypotheses(hypotheses) if domain is None else domain)
    places = {key: at for at, key in enumerate(things)}
    members = np.zeros((len(things), len(hypotheses)), dtype=np.bool_)
    for h, (name, inside) in enumerate((each.name, each.members) for each in hypotheses):
        if callable(inside):
            members[:, h] = [bool(inside(thing)) for thing in things.values()]
            continue
        for thing in Axis.of(inside):
            at = places.get(_label_key(thing))
            if at is None:
                raise ParameterError(
                    f"hypothesis {name!r} contains {thing!r}, which is not in the domain "
                    f"{_show_domain(things.values())}",
                    kind="not_in_domain",
                    advice=lambda words: f"Remove it, or give another {words.option('domain')}.",
                )
            members[at, h] = True
    return HypothesisMatrix([each.name for each in hypotheses], things.values(), members)


def _union_of_hypotheses(hypotheses: Sequence[Hypothesis]) -> Iterable[Label]:
    together: dict[Key, Label] = {}
    for hypothesis in hypotheses:
        if callable(hypothesis.members):
            raise ParameterError(
                f"hypothesis {hypothesis.name!r} is a predicate, which requires a domain. "
                "Give one, for example domain=range(1, 101)."
            )
        together.update((_label_key(thing), thing) for thing in hypothesis.members)
    return Axis.of(together.values())


def _domain_by_key(domain: Any) -> dict[Key, Label]:
    # The elements of the domain, in the order given.
    if not _is_several(domain):
        raise ParameterError(f"domain must be a range, list or set of elements: got {domain!r}.")
    labels = [canonical(thing) for thing in domain]
    if not labels:
        raise ParameterError("domain must not be empty.")
    things: dict[Key, Label] = {}
    for label in labels:
        if key_of_label(*label) in things:
            raise ParameterError(f"the elements of domain must be distinct: {label[1]!r} appears more than once.")
        things[key_of_label(*label)] = label[1]
    return things


def _label_key(thing: object) -> Key:
    return key_of_label(*canonical(thing))


def _plain_thing(thing: Any) -> Any:
    # A NumPy scalar or zero-dimensional array as a plain Python value.
    if isinstance(thing, (np.generic, np.ndarray)) and not cast("Any", thing).ndim:
        return cast("Any", thing).item()
    return cast("Any", thing)


def _is_several(things: Any) -> bool:
    # Not a number, string or None, nor a zero-dimensional array.
    several = isinstance(cast("object", things), Iterable) and not isinstance(things, (str, bytes))
    return several and getattr(things, "ndim", 1) != 0


def _hint(name: object, names: Sequence[str]) -> str:
    close = get_close_matches(str(name), names, n=1)
    some = ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)
    return f"Did you mean {close[0]!r}?" if close else f"The hypotheses are {some}."


def _list_things(things: Sequence[Label], most: int = 6) -> str:
    text = ", ".join(map(repr, things[:most]))
    return text if len(things) <= most else f"{text}, … ({len(things):,} in all)"


def _show_domain(domain: Iterable[Label]) -> str:
    things: list[Any] = list(domain)
    whole = len(things) > 2 and all(type(thing) is int for thing in things)
    in_a_row = whole and things == list(range(things[0], things[-1] + 1))
    return f"{things[0]} … {things[-1]}" if in_a_row else _list_things(things)


def number_game(
    domain: Sequence[int] = range(1, 101),
    sampling: Sampling = "strong",
    *,
    rule_mass: float = 0.5,
    typical_length: float = 10.0,
) -> ConceptLearner:
    """Return a concept learner for the number game (Tenenbaum 1999), without data.

    Hypotheses over the whole numbers of the domain, rules first, then intervals (Tenenbaum 1999), and their weights:

    - even, odd: 5; squares, multiples of k = 3 … 12, ends in k = 0 … 9, powers of k = 2 … 10 (exponents from 1 on),
      all: 1; the deliberately unnatural "powers of two except 32" and "powers of two and 37": 1/1000
    - interval of length ℓ: (ℓ/σ²) e^(−ℓ/σ), the Erlang density

    The weights of the rules are scaled to sum to λ, those of the intervals to 1 − λ. A rule without a number in the
    domain is left out. Rules with the same extension, such as "multiples of 10" and "ends in 0", are merged into one
    hypothesis with the first name and their total prior mass.

    Parameters
    ----------
    domain : range or list of whole numbers
        At most 500 consecutive positive integers.
    sampling : "strong" or "weak"
    rule_mass : float from 0 to 1
        λ, the prior probability of a rule rather than an interval.
    typical_length : float > 0
        σ, the length of the interval with the greatest weight.

    Examples
    --------
    >>> learner = number_game().update([16, 8, 2, 64])
    >>> learner.map.name, learner.mle.name
    ('powers of two', 'powers of two except 32')
    >>> learner.predictive([32, 37, 10]).round(3)
    array([0.998, 0.001, 0.001])
    """
    x = _domain_numbers(domain)
    if not is_real(rule_mass) or not 0 <= rule_mass <= 1:
        raise ParameterError(f"rule_mass must be a probability from 0 to 1: got {rule_mass!r}.")
    if not is_real(typical_length) or not 0 < typical_length < np.inf:
        raise ParameterError(f"typical_length must be a finite number > 0: got {typical_length!r}.")
    names, weights, rules = zip(*(rule for rule in _rules(x) if rule[2].any()), strict=True)
    first, last = np.triu_indices(len(x))
    lengths = last - first + 1
    log_erlang = np.log(lengths) - lengths / float(typical_length)
    erlang = np.exp(log_erlang - log_erlang.max())  # relative to the greatest, so that not all underflow
    mass = np.append(rule_mass * np.array(weights) / sum(weights), (1 - rule_mass) * erlang / erlang.sum())
    ends = zip(x[first].tolist(), x[last].tolist(), strict=True)
    named = [*names, *(f"{low} to {high}" if low < high else f"{low} alone" for low, high in ends)]
    at = np.arange(len(x))[:, None]
    members = np.hstack([np.stack(rules, axis=1), (at >= first) & (at <= last)])
    # Hypotheses with the same members are merged into the first, with their total mass.
    same: dict[bytes, int] = {}
    group = [same.setdefault(column.tobytes(), h) for h, column in enumerate(np.packbits(members, axis=0).T)]
    kept = np.fromiter(same.values(), dtype=np.int64)
    total = np.bincount(group, mass, minlength=len(named))[kept]
    names = [named[h] for h in kept.tolist()]
    return ConceptLearner(HypothesisMatrix(names, x.tolist(), members[:, kept]), total, sampling)


def _rules(x: IntArray) -> Iterator[tuple[str, float, BoolArray]]:
    familiar, plain, unnatural = 5.0, 1.0, 0.001
    yield "even", familiar, x % 2 == 0
    yield "odd", familiar, x % 2 == 1
    yield "squares", plain, np.rint(np.sqrt(x)).astype(np.int64) ** 2 == x
    yield from ((f"multiples of {k}", plain, x % k == 0) for k in range(3, 13))
    yield from ((f"ends in {k}", plain, x % 10 == k) for k in range(10))
    two, *others = (np.isin(x, [k**n for n in range(1, 31) if k**n <= _GREATEST]) for k in range(2, 11))
    yield "powers of two", plain, two
    yield from ((f"powers of {k}", plain, inside) for k, inside in enumerate(others, start=3))
    yield "all", plain, np.ones(len(x), dtype=np.bool_)
    yield "powers of two except 32", unnatural, two & (x != 32)
    yield "powers of two and 37", unnatural, two | (x == 37)


def _domain_numbers(domain: Any) -> IntArray:
    known = isinstance(cast("object", domain), (range, list, tuple, np.ndarray))
    if known and len(domain) > _MOST_NUMBERS:
        raise ParameterError(
            f"domain must have at most {_MOST_NUMBERS} numbers, because every interval is a hypothesis: "
            f"got {len(domain):,}. Give a shorter one, or your own hypotheses to ConceptLearner."
        )
    given: list[Any] = list(domain) if known else []
    whole = all(is_real(each) and 1 <= each <= _GREATEST and int(each) == each for each in given)
    numbers = [int(each) for each in given] if whole else []
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        shown = repr(domain) if len(repr(domain)) <= 60 else f"{repr(domain)[:57]}..."
        raise ParameterError(
            f"domain must be consecutive positive integers: got {shown}. Give for example range(1, 101)."
        )
    return np.array(numbers, dtype=np.int64)
