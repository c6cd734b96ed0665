"""Terms: what a reading adds to log p(c, x). term.py is the contract, and says what a term of one's own needs.

Quadratic, Student, FullQuadratic, FullStudent, Steps           reals.py
Levels, Combinations, Presence                                  levels.py
Linear, Polya, Coefficient, PoissonCount, CompoundCount         counts.py
TokenLinear, TokenPresence, TokenPolya                          tokens.py
Observed, whether a cell is known                               term.py
"""

from suffice.likelihoods.terms.counts import Coefficient, CompoundCount, Linear, PoissonCount, Polya
from suffice.likelihoods.terms.levels import Combinations, Levels, Presence
from suffice.likelihoods.terms.reals import FullQuadratic, FullStudent, Quadratic, Steps, Student
from suffice.likelihoods.terms.term import Layout, Observed, Outcomes, Term
from suffice.likelihoods.terms.tokens import KnownTokens, TokenLinear, TokenPolya, TokenPresence, TokenTerm

__all__ = [
    "Coefficient",
    "Combinations",
    "CompoundCount",
    "FullQuadratic",
    "FullStudent",
    "KnownTokens",
    "Layout",
    "Levels",
    "Linear",
    "Observed",
    "Outcomes",
    "PoissonCount",
    "Polya",
    "Presence",
    "Quadratic",
    "Steps",
    "Student",
    "Term",
    "TokenLinear",
    "TokenPolya",
    "TokenPresence",
    "TokenTerm",
]
