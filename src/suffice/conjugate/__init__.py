"""Conjugate pairs of a prior and a likelihood: posterior, estimates, credible intervals, predictions and evidence.

BetaBinomial            a probability of success         NormalInverseGamma      mean and variance of a Gaussian
DirichletMultinomial    probabilities of K levels        NormalInverseWishart    mean vector and covariance matrix
GammaPoisson            a rate of counts

`Mode`, `Interval`, `LocationVariance`, `LocationCovariance` and `StudentT` are the records that their methods return.
docs/conjugate.md is a guide; docs/mathematics.md §2 summarises the formulas.
"""

from suffice.conjugate.beta_binomial import BetaBinomial
from suffice.conjugate.dirichlet_multinomial import DirichletMultinomial
from suffice.conjugate.gamma_poisson import GammaPoisson
from suffice.conjugate.normal_inverse_gamma import LocationVariance, NormalInverseGamma, StudentT
from suffice.conjugate.normal_inverse_wishart import LocationCovariance, NormalInverseWishart
from suffice.conjugate.pair import Interval, Mode

__all__ = [
    "BetaBinomial",
    "DirichletMultinomial",
    "GammaPoisson",
    "Interval",
    "LocationCovariance",
    "LocationVariance",
    "Mode",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "StudentT",
]
