"""The public Python interface: `fit` returns a Model, whose methods each delegate to one function of a lower layer."""

from suffice.api.collector import Collector
from suffice.api.counted import CountList, Statistics
from suffice.api.deciding import Decisions
from suffice.api.evaluate import evaluate
from suffice.api.fit import fit
from suffice.api.model import Model, load
from suffice.api.novelty import novelty_reference
from suffice.api.sampling import Sample
from suffice.api.screening import Screening, screen
from suffice.decisions import Costs, PriorShift, Threshold, choose_threshold
from suffice.decisions.calibration import Calibration
from suffice.evidence import CredibleInterval, Novelty, NoveltyReference, Shown
from suffice.evidence.evaluation import Evaluation
from suffice.evidence.explanation import Explanation, Explanations
from suffice.evidence.likelihood_ratio import LogLikelihoodRatio
from suffice.likelihoods import Count, Parameter
from suffice.models import Provenance, Schema
from suffice.models.class_prior import ClassPrior
from suffice.records import RecordList
from suffice.sources.files import Files, Progress

__all__ = [
    "Calibration",
    "ClassPrior",
    "Collector",
    "Costs",
    "Count",
    "CountList",
    "CredibleInterval",
    "Decisions",
    "Evaluation",
    "Explanation",
    "Explanations",
    "Files",
    "LogLikelihoodRatio",
    "Model",
    "Novelty",
    "NoveltyReference",
    "Parameter",
    "PriorShift",
    "Progress",
    "Provenance",
    "RecordList",
    "Sample",
    "Schema",
    "Screening",
    "Shown",
    "Statistics",
    "Threshold",
    "choose_threshold",
    "evaluate",
    "fit",
    "load",
    "novelty_reference",
    "screen",
]
