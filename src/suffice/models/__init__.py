"""Scores and algebra: what was seen of every block of columns, read into log p(c, x) and what follows from it.

NaiveBayesModel   statistics, how to read them, and +, −, scale           Schema   which columns have which likelihood
ClassPrior        p(c)                                                    Scorer   rows to joint, posterior or density
Provenance        where a model comes from
"""

from suffice.models.class_prior import ClassPrior
from suffice.models.layout import Unseen
from suffice.models.naive_bayes import NaiveBayesModel
from suffice.models.provenance import Provenance
from suffice.models.schema import Schema
from suffice.models.score import Scorer, Scores, Wanted

__all__ = ["ClassPrior", "NaiveBayesModel", "Provenance", "Schema", "Scorer", "Scores", "Unseen", "Wanted"]
