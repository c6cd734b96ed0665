"""Bayesian concept learning: which set a few examples come from.

>>> from suffice.concepts import number_game
>>> game = number_game().update([16, 8, 2, 64])
>>> game.map.name
'powers of two'
"""

from __future__ import annotations

from typing import Any

from suffice.models.column_concepts import column_concepts
from suffice.models.concepts import Belief, ConceptLearner, Hypothesis, HypothesisBelief, Sampling, number_game
from suffice.sources.in_memory import table_of

__all__ = ["Belief", "ConceptLearner", "Hypothesis", "HypothesisBelief", "concepts_from", "number_game"]


def concepts_from(
    data: Any, *, tests: int = 2, levels: int = 12, cuts: int = 3, sampling: Sampling = "strong"
) -> ConceptLearner:
    """Return a concept learner whose hypotheses are conjunctions of column tests, such as "fur = 'black' and age ≥ 3".

    A concept is a conjunction of tests on different columns. Categorical, text and Boolean columns are tested for
    equality with one level; numeric columns are tested against cut points at quantiles (below, above or between two). A
    missing cell fails every test. The prior probability of a concept decreases with its description length. If several
    concepts contain the same rows, only the simplest is kept.

    Parameters
    ----------
    data : frame, mapping {name: column}, list of records, or 2-D array
    tests : int ≥ 1
        Maximum number of tests per concept. At most 4,194,304 conjunctions of each length are evaluated; if there are
        more, ParameterError is raised.
    levels : int ≥ 1
        Text columns with more distinct values are skipped; integer columns with more are cut at quantiles.
    cuts : int from 1 to 100
        Number of quantiles at which numeric columns are cut.
    sampling : "strong" or "weak"

    Returns
    -------
    ConceptLearner
        Its domain is the row positions 0, 1, …; `update([3, 7])` adds rows 3 and 7 as examples. `predictive` also
        accepts new rows, as mappings {column: value} or as a frame.

    Examples
    --------
    >>> cats = {"fur": ["black", "white"] * 20, "age": [n / 2 for n in range(40)]}
    >>> learner = concepts_from(cats).update([30, 32, 34, 38])
    >>> learner
    ConceptLearner of 30 hypotheses over 40 elements, strong sampling, 4 examples
      0.5485  fur = 'black' and age ≥ 15
      0.2742  age ≥ 15
      0.0771  fur = 'black'
    >>> learner.predictive([0, 31, 32]).round(2)
    array([0.12, 0.33, 1.  ])
    >>> learner.predictive([{"fur": "black", "age": 25}, {"fur": "white", "age": 25}, {"fur": "black"}]).round(2)
    array([1.  , 0.33, 0.12])
    """
    return column_concepts(table_of(data), tests=tests, levels=levels, cuts=cuts, sampling=sampling)
