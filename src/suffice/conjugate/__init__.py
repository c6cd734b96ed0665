"""A prior and what was seen make a posterior; a posterior makes readings, intervals, predictions and evidence.

BetaBinomial            a probability of success         NormalInverseGamma      mean and variance of a Gaussian
DirichletMultinomial    probabilities of K levels        NormalInverseWishart    mean vector and covariance matrix
GammaPoisson            a rate of counts
"""

from suffice.conjugate.beta_binomial import BetaBinomial
from suffice.conjugate.dirichlet_multinomial import DirichletMultinomial
from suffice.conjugate.gamma_poisson import GammaPoisson
from suffice.conjugate.normal_inverse_gamma import NormalInverseGamma
from suffice.conjugate.normal_inverse_wishart import NormalInverseWishart

__all__ = ["BetaBinomial", "DirichletMultinomial", "GammaPoisson", "NormalInverseGamma", "NormalInverseWishart"]
