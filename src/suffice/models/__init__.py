"""Scoring models: the statistics of all blocks of columns with their options, and log p(c, x) computed from them.

NaiveBayesModel   statistics, options, and +, −, scale      Schema       the likelihood of each column
ClassPrior        p(c)                                      Scorer       joint, posterior or density of rows
Provenance        origin of the rows
"""

from suffice.models.class_prior import ClassPrior
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.models.schema import Provenance, Schema
from suffice.models.score import Scorer, Scores, Unseen, Wanted

__all__ = ["ClassPrior", "NaiveBayesModel", "Provenance", "Schema", "Scorer", "Scores", "Unseen", "Wanted"]
