"""Bayesian concept learning: which set a few examples come from.

>>> from suffice.concepts import number_game
>>> game = number_game().update([16, 8, 2, 64])
>>> game.map.name
'powers of two'
"""

from suffice.api.concepts import concepts_from
from suffice.models.concepts import ConceptLearner, Hypothesis, number_game

__all__ = ["ConceptLearner", "Hypothesis", "concepts_from", "number_game"]
