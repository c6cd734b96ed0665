"""Engines turn rows into statistics. They know no prior and no model; they are the ones who call the native core."""
