"""Load: a model file, checked, is a model again."""

from __future__ import annotations

import os

from suffice.api.model import Model
from suffice.storage import load_model

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> Model:
    """Return the model that `model.save(path)` wrote.

    Nothing of the file runs and nothing of it is trusted: lengths, shapes, counts, labels and a checksum over all bytes
    are checked first. The model predicts, merges, updates, forgets and is read otherwise as before.

    Parameters
    ----------
    path : str or PathLike

    Raises
    ------
    ModelFileError
        Where the file is damaged, is no model file, or needs a newer version; the message says which.
    OSError
        Where there is no such file, or it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from suffice.api import fit
    >>> model = fit({"fur": ["black", "white"]}, ["cat", "dog"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(Path(folder) / "pets.suffice")
    ...     again = load(Path(folder) / "pets.suffice")
    >>> again == model, again.provenance.rows
    (True, 2)
    """
    return Model(*load_model(path))
