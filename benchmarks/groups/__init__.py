"""One file a group; importing this registers them all."""

from benchmarks.groups import bins, discriminants, levels, model_file, moments, naive_bayes, presence, scatter, sums

__all__ = ["bins", "discriminants", "levels", "model_file", "moments", "naive_bayes", "presence", "scatter", "sums"]
