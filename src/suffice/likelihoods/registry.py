"""Every likelihood by its name: a new one is a file of its own and a line here.

Models, files and error messages find likelihoods through this table and in no other way.
"""

from __future__ import annotations

from suffice.likelihoods.bernoulli import Bernoulli
from suffice.likelihoods.categorical import Categorical
from suffice.likelihoods.chars import Chars
from suffice.likelihoods.gaussian import Gaussian
from suffice.likelihoods.histogram import Histogram
from suffice.likelihoods.joint import Joint
from suffice.likelihoods.likelihood import Likelihood
from suffice.likelihoods.multinomial import Multinomial
from suffice.likelihoods.numeric import Numeric
from suffice.likelihoods.poisson import Poisson
from suffice.likelihoods.words import Words

__all__ = ["LIKELIHOODS"]

LIKELIHOODS: dict[str, type[Likelihood]] = {
    "Bernoulli": Bernoulli,
    "Categorical": Categorical,
    "Chars": Chars,
    "Gaussian": Gaussian,
    "Histogram": Histogram,
    "Joint": Joint,
    "Multinomial": Multinomial,
    "Numeric": Numeric,
    "Poisson": Poisson,
    "Words": Words,
}
