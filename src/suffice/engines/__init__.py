"""Engines compute statistics from rows.

They do not depend on priors or models, and are the layer that calls the native core.
"""
