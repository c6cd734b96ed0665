"""What can go wrong, as one tree.

    SufficeError
    ├── DataError       rows, weights, codes or statistics that cannot be used   (also a ValueError)
    ├── ParameterError  a prior, option or argument outside its domain            (also a ValueError)
    ├── MergeError      statistics that do not add, or cannot be taken out        (also a ValueError)
    └── ModelFileError  a file that is no whole model of this version             (also a ValueError)

Every message says what was wrong, where, what was got, and what to do.
"""

from __future__ import annotations

__all__ = ["DataError", "MergeError", "ModelFileError", "ParameterError", "SufficeError"]


class SufficeError(Exception):
    """The root: catch this to catch everything suffice raises on purpose."""


class DataError(SufficeError, ValueError):
    """Rows, weights, codes or stored statistics that cannot be used as they are."""


class ParameterError(SufficeError, ValueError):
    """A prior, option or argument outside its domain."""


class MergeError(SufficeError, ValueError):
    """Two statistics that do not add up, or more taken out than was ever put in."""


class ModelFileError(SufficeError, ValueError):
    """A file that is not a whole model that this version reads, or a model that no such file can hold."""
