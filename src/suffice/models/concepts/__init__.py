"""Bayesian concept learning: a few examples, many hypotheses about the set they come from.

ConceptLearner    posterior over hypotheses, MAP, MLE, predictive, evidence     Hypothesis        a name and a set
number_game       the classic hypotheses over the numbers 1 … 100               HypothesisSpace   many, as one matrix
induced           conjunctions of tests of the columns of a table               Belief            the whole posterior
"""

from suffice.models.concepts.belief import Belief, HypothesisBelief
from suffice.models.concepts.domain import Domain
from suffice.models.concepts.hypothesis import Hypothesis
from suffice.models.concepts.induction import induced
from suffice.models.concepts.learner import ConceptLearner
from suffice.models.concepts.number_game import number_game
from suffice.models.concepts.space import HypothesisSpace, Rules

__all__ = [
    "Belief",
    "ConceptLearner",
    "Domain",
    "Hypothesis",
    "HypothesisBelief",
    "HypothesisSpace",
    "Rules",
    "induced",
    "number_game",
]
