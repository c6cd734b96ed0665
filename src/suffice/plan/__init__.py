"""What to collect of the rows, and how to read what was collected: data, no behaviour.

Collect   the statistics of one block of columns          Reading   which estimate, with which pseudo-count
Plan      the width of the rows and what to collect        Parts     the statistics of one block, as collected
Dialect   how the lines of a text file are written          Tokenizing   how documents are cut into tokens
"""

from suffice.plan.collect import Collect, Parts, Plan
from suffice.plan.dialect import Dialect
from suffice.plan.reading import ESTIMATES, Estimate, Reading
from suffice.plan.tokenizing import Tokenizing

__all__ = ["ESTIMATES", "Collect", "Dialect", "Estimate", "Parts", "Plan", "Reading", "Tokenizing"]
