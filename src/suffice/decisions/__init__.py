"""Decisions from posteriors: odds, costs, thresholds, prior shift and novelty.

log_odds            of a class against the others          log_likelihood_ratios   evidence, independent of the prior
estimate_prior      class prior of unlabelled rows         in_unit                 nats, bits, decibans
Costs, Rule         the action with the lowest expected cost
choose_threshold    a threshold by precision, recall, alerts or costs; positive_class: the default positive class
Novelty             how unusual rows are compared with a NoveltyReference
"""

from suffice.decisions.costs import Costs
from suffice.decisions.decide import Decided, Rule
from suffice.decisions.novelty import Novelty, NoveltyReference, RowSample
from suffice.decisions.odds import Unit, in_unit, log_likelihood_ratios, log_odds, posterior_of, unit_of
from suffice.decisions.prior_shift import PriorShift, estimate_prior, likelihoods_of
from suffice.decisions.thresholds import Threshold, choose_threshold, positive_class

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
    "estimate_prior",
    "in_unit",
    "likelihoods_of",
    "log_likelihood_ratios",
    "log_odds",
    "positive_class",
    "posterior_of",
    "unit_of",
]
