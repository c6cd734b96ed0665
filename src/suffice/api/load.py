"""Load: a model file, checked, is a model again."""

from __future__ import annotations

import os
from collections.abc import Iterable

from suffice.api.model import Model
from suffice.errors import DroppedCalibrationWarning
from suffice.likelihoods import Likelihood
from suffice.storage import load_model
from suffice.warnings import notify

__all__ = ["load"]


def load(path: str | os.PathLike[str], *, likelihoods: Iterable[type[Likelihood]] = ()) -> Model:
    """Return the model that `model.save(path)` wrote.

    Nothing of the file runs and nothing of it is trusted: lengths, shapes, counts, labels and a checksum over all bytes
    are checked first. The model predicts, merges, updates, forgets and takes other options as before.

    Parameters
    ----------
    path : str or PathLike
    likelihoods : classes of likelihoods, optional
        Those of your own that the model may have: a file names them by their import path, and none is imported.

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
    found = load_model(path, likelihoods)
    if found.old_reference:
        notify(
            DroppedCalibrationWarning,
            f"{os.fspath(path)!r} has a reference for novelty of an older kind, which was dropped. Calibrate the model "
            "again for novelty, and save it.",
        )
    return Model(found.model, found.provenance, found.calibration, found.reference)
