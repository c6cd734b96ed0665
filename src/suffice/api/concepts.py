"""Concepts over the rows of a table, from rows in any form."""

from __future__ import annotations

from typing import Any

from suffice.models.column_concepts import column_concepts
from suffice.models.concepts import ConceptLearner, Sampling
from suffice.sources.arrays import table_of

__all__ = ["concepts_from"]


def concepts_from(
    data: Any, *, tests: int = 2, levels: int = 12, cuts: int = 3, sampling: Sampling = "strong"
) -> ConceptLearner:
    """Return a learner of concepts over the rows of a table, such as "fur = 'black' and age ≥ 3".

    A concept is a conjunction of tests of different columns that the data suggest: a text, bool or category is one
    level; a number is below a cut, above it or between two, the cuts being quantiles. A missing cell fails every test.
    The longer a concept is to write down, the less probable it is beforehand; of concepts with the same rows the
    simplest stands for all.

    Parameters
    ----------
    data : frame, mapping {name: column}, list of records, or 2-D array
    tests : int ≥ 1
        How many tests a concept may have. At most 4,194,304 conjunctions of one length are tried; beyond that a
        ParameterError says how many there are.
    levels : int ≥ 1
        Columns of text with more distinct values are left out; whole numbers with more are cut.
    cuts : int from 1 to 100
        At how many quantiles numbers are cut.
    sampling : "strong" or "weak"

    Returns
    -------
    ConceptLearner
        Its domain is the rows, by their places 0, 1, …: `update([3, 7])` says that those are examples. Its predictive
        also takes rows that are not in the table, as mappings {column: value} or a frame.

    Examples
    --------
    >>> cats = {"fur": ["black", "white"] * 20, "age": [n / 2 for n in range(40)]}
    >>> learner = concepts_from(cats).update([30, 32, 34, 38])
    >>> learner
    ConceptLearner of 30 hypotheses over 40 things, strong sampling, 4 data
      0.5485  fur = 'black' and age ≥ 15
      0.2742  age ≥ 15
      0.0771  fur = 'black'
    >>> learner.predictive([0, 31, 32]).round(2)
    array([0.12, 0.33, 1.  ])
    >>> learner.predictive([{"fur": "black", "age": 25}, {"fur": "white", "age": 25}, {"fur": "black"}]).round(2)
    array([1.  , 0.33, 0.12])
    """
    return column_concepts(table_of(data), tests=tests, levels=levels, cuts=cuts, sampling=sampling)
