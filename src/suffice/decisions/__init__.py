"""What follows from a posterior: odds, and what to do about them.

log_odds            of a class against the others          log_likelihood_ratios   what a row says, whatever the prior
estimated_prior     the classes of rows without classes    in_unit                 nats, bits, decibans
Costs, Rule         the action with the least expected cost
choose_threshold    a line between two classes by precision, recall, alerts or costs
Novelty             how odd rows are beside those of a NoveltyReference
"""

from suffice.decisions.costs import Costs
from suffice.decisions.decide import Decided, Rule
from suffice.decisions.novelty import Novelty, NoveltyReference
from suffice.decisions.odds import log_odds
from suffice.decisions.prior_shift import PriorShift, estimated_prior, likelihoods_of
from suffice.decisions.ratios import log_likelihood_ratios, posterior_of
from suffice.decisions.row_sample import RowSample
from suffice.decisions.thresholds import Threshold, choose_threshold
from suffice.decisions.units import Unit, in_unit, unit_of

__all__ = [
    "Costs",
    "Decided",
    "Novelty",
    "NoveltyReference",
    "PriorShift",
    "RowSample",
    "Rule",
    "Threshold",
    "Unit",
    "choose_threshold",
    "estimated_prior",
    "in_unit",
    "likelihoods_of",
    "log_likelihood_ratios",
    "log_odds",
    "posterior_of",
    "unit_of",
]
