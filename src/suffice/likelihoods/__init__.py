"""Likelihoods: the class-conditional distribution of a block of columns.

Bernoulli     binary columns                            Gaussian      real columns
Categorical   categorical columns                       Histogram     real columns, piecewise-constant density
Joint         combinations of categorical columns       Numeric       real columns, Gaussian, Histogram or cells
Multinomial   counts drawn from one distribution        Poisson       counts with one rate per column
Words         documents as word n-grams                 Chars         documents as character n-grams
Uniform       numbers ≥ 0 with an unknown upper bound   MultivariateGaussian   real columns together (LDA, QDA)

A likelihood is one file. It names the statistics that it needs (block_statistics.py) and derives terms, evidence,
parameters and draws from them (likelihood.py). dirichlet.py and draws.py hold code that several likelihoods share.
"""

from suffice.likelihoods.bernoulli import Bernoulli
from suffice.likelihoods.categorical import Categorical
from suffice.likelihoods.gaussian import Gaussian
from suffice.likelihoods.histogram import Histogram
from suffice.likelihoods.joint import Joint
from suffice.likelihoods.likelihood import Likelihood, Parameter
from suffice.likelihoods.listing import Count
from suffice.likelihoods.multinomial import Multinomial
from suffice.likelihoods.multivariate_gaussian import MultivariateGaussian
from suffice.likelihoods.numeric import Numeric
from suffice.likelihoods.poisson import Poisson
from suffice.likelihoods.text import Chars, Words
from suffice.likelihoods.uniform import Uniform

__all__ = [
    "LIKELIHOODS",
    "Bernoulli",
    "Categorical",
    "Chars",
    "Count",
    "Gaussian",
    "Histogram",
    "Joint",
    "Likelihood",
    "Multinomial",
    "MultivariateGaussian",
    "Numeric",
    "Parameter",
    "Poisson",
    "Uniform",
    "Words",
]

LIKELIHOODS: dict[str, type[Likelihood]] = {
    kind.__name__: kind
    for kind in (
        Bernoulli,
        Categorical,
        Chars,
        Gaussian,
        Histogram,
        Joint,
        Multinomial,
        MultivariateGaussian,
        Numeric,
        Poisson,
        Uniform,
        Words,
    )
}
"""Every likelihood by its name. Models, files and error messages look likelihoods up here only."""
