"""The scikit-learn faces: its contract and parameter names over `fit` and `Model`, which do all the work.

GaussianNB     real numbers               MultinomialNB   counts, as of words
BernoulliNB    present or absent          ComplementNB    counts, judged by the other classes
CategoricalNB  codes of levels            NaiveBayes      columns of every kind, frames as they are
LinearDiscriminant, QuadraticDiscriminant  real numbers together, one covariance matrix for all classes or one for each

Only this room and the faces after it import scikit-learn. What differs from its numbers, and why: docs/scikit-learn.md.
"""

from suffice.estimators.bernoulli_nb import BernoulliNB
from suffice.estimators.categorical_nb import CategoricalNB
from suffice.estimators.complement_nb import ComplementNB
from suffice.estimators.gaussian_nb import GaussianNB
from suffice.estimators.linear_discriminant import LinearDiscriminant
from suffice.estimators.multinomial_nb import MultinomialNB
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.estimators.quadratic_discriminant import QuadraticDiscriminant

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "LinearDiscriminant",
    "MultinomialNB",
    "NaiveBayes",
    "QuadraticDiscriminant",
]
