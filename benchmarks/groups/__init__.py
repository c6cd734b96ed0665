"""One file a group; importing this registers them all."""

from benchmarks.groups import bins, levels, moments, naive_bayes, presence, scatter, sums

__all__ = ["bins", "levels", "moments", "naive_bayes", "presence", "scatter", "sums"]
