"""What follows from a posterior: odds, and what to do about them."""

from suffice.decisions.odds import log_odds

__all__ = ["log_odds"]
