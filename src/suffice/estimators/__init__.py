"""scikit-learn estimators: scikit-learn's interface and parameter names over `fit` and `Model`.

GaussianNB     real numbers               MultinomialNB   counts, such as word counts
BernoulliNB    presence and absence       ComplementNB    counts, scored by the other classes
CategoricalNB  level codes                NaiveBayes      columns of any type, including data frames
LinearDiscriminant, QuadraticDiscriminant  jointly Gaussian columns with a shared or a separate covariance matrix

docs/scikit-learn.md lists the differences from scikit-learn's results.
"""

from suffice.estimators.bernoulli_nb import BernoulliNB
from suffice.estimators.categorical_nb import CategoricalNB
from suffice.estimators.discriminants import LinearDiscriminant, QuadraticDiscriminant
from suffice.estimators.gaussian_nb import GaussianNB
from suffice.estimators.multinomial_nb import ComplementNB, MultinomialNB
from suffice.estimators.naive_bayes import NaiveBayes

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
