"""How the cells of a block of columns are distributed within a class: which statistic, and how to read it.

Bernoulli     present or absent         Gaussian      real numbers
Categorical   one of several levels     Poisson       counts, each with a rate of its own
Multinomial   counts that are draws from one distribution over the columns
Joint         combinations of the levels of several columns
Histogram     real numbers, a density of steps          Numeric     real numbers, as Gaussian or Histogram
Words         documents, by their words                 Chars       documents, by their characters
"""

from suffice.likelihoods.bernoulli import Bernoulli
from suffice.likelihoods.categorical import Categorical
from suffice.likelihoods.chars import Chars
from suffice.likelihoods.gaussian import Gaussian
from suffice.likelihoods.histogram import Histogram
from suffice.likelihoods.joint import Joint
from suffice.likelihoods.likelihood import Likelihood, Parameter
from suffice.likelihoods.multinomial import Multinomial
from suffice.likelihoods.numeric import Numeric
from suffice.likelihoods.poisson import Poisson
from suffice.likelihoods.words import Words

__all__ = [
    "Bernoulli",
    "Categorical",
    "Chars",
    "Gaussian",
    "Histogram",
    "Joint",
    "Likelihood",
    "Multinomial",
    "Numeric",
    "Parameter",
    "Poisson",
    "Words",
]
