"""Terms: the contributions of columns to log p(c, x). A concrete term is in the file of its likelihood.

term.py         the contract of a term, and of a term whose parameters are drawn from their posterior
split.py        the split of a row's contribution into entries of an explanation
divergence.py   the expected evidence of a column, in nats
"""

from suffice.likelihoods.terms.term import Layout, Observed, Outcomes, Term, UncertainTerm

__all__ = [
    "Layout",
    "Observed",
    "Outcomes",
    "Term",
    "UncertainTerm",
]
