"""One module per group of benchmarks; importing this package registers all of them."""

from benchmarks.groups import bins, discriminants, levels, model_file, moments, naive_bayes, presence, scatter, sums

__all__ = ["bins", "discriminants", "levels", "model_file", "moments", "naive_bayes", "presence", "scatter", "sums"]
