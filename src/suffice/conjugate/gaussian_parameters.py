"""The two parameters of a Gaussian side by side: a location with a variance, or with a covariance matrix.

Whatever is said of both (a mean, a mode, an interval, a draw) comes as one such record, and unpacks.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

__all__ = ["LocationCovariance", "LocationVariance"]

Of = TypeVar("Of")
OfBoth = TypeVar("OfBoth")


class LocationVariance(NamedTuple, Generic[Of]):
    """What is said of μ and of σ²."""

    location: Of
    variance: Of


class LocationCovariance(NamedTuple, Generic[OfBoth]):
    """What is said of the vector μ and of the matrix Σ."""

    location: OfBoth
    covariance: OfBoth
