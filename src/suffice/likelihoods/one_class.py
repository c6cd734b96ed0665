"""Terms as one class sees them: tables with its entries alone, for rows that are asked about that class only."""

from __future__ import annotations

from dataclasses import replace

from suffice.likelihoods.terms import Coefficient, Observed, Presence, Quadratic, Steps, Student, Term

__all__ = ["of_class"]


def of_class(term: Term, c: int) -> Term | None:
    """Return the term of class c, or None for a kind that is not a table of numbers for each class."""
    own = slice(c, c + 1)
    if isinstance(term, Student):
        return replace(term, m=term.m[:, own], s=term.s[:, own], c=term.c[:, own], e=term.e[own])
    if isinstance(term, Quadratic):
        return replace(term, m=term.m[:, own], s=term.s[:, own], c=term.c[:, own])
    if isinstance(term, Steps):
        return replace(term, table=term.table[:, own])
    if isinstance(term, (Presence, Observed)):
        return replace(term, present=term.present[:, own], absent=term.absent[:, own])
    return term if isinstance(term, Coefficient) else None
