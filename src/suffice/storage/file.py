"""A model to a file, and from one: written whole or not at all, and read with nothing taken on trust."""

from __future__ import annotations

import os
from collections.abc import Iterable

from suffice.decisions import NoveltyReference
from suffice.decisions.calibration import Calibration
from suffice.errors import ModelFileError, SufficeError
from suffice.likelihoods import Likelihood
from suffice.models import NaiveBayesModel, Provenance
from suffice.storage.atomic import replacing
from suffice.storage.container import read_container, write_container
from suffice.storage.likelihoods import import_path
from suffice.storage.model import Unpacked, packed, unpacked
from suffice.storage.system import explained

__all__ = ["load_model", "save_model"]


def save_model(
    model: NaiveBayesModel,
    provenance: Provenance,
    path: str | os.PathLike[str],
    calibration: Calibration | None = None,
    reference: NoveltyReference | None = None,
) -> None:
    """Write a model, where it comes from, how it is calibrated and which rows others are compared with.

    What was at the path stays until all of the new file is on the disk.

    Raises
    ------
    ModelFileError
        Where the model is one that no file can hold: a parameter of a likelihood of the user's own, too many blocks.
    OSError
        Where the system cannot write there.
    """
    try:
        contents = packed(model, provenance, calibration, reference)
        with replacing(path) as file:
            write_container(file, contents.schema, contents.arrays)
    except SufficeError as reason:
        raise ModelFileError.of(
            reason, problem=f"the model cannot be saved: {reason.problem}", file=str(os.fspath(path))
        ) from None


def load_model(path: str | os.PathLike[str], likelihoods: Iterable[type[Likelihood]] = ()) -> Unpacked:
    """Read a model, where it comes from, how it is calibrated and which rows others are compared with.

    No code of the file runs, and every length, number and label is checked. `likelihoods` are classes of the user's own
    that blocks may have.

    Raises
    ------
    ModelFileError
        Where the file is no whole model that this version reads; the message says what is wrong with it.
    OSError
        Where the system cannot read it.
    """
    with explained("read", path), open(path, "rb", opener=_opened) as raw:
        try:
            container = read_container(raw)
        except ModelFileError as reason:
            raise _about(path, reason) from None
    try:
        return unpacked(container, {import_path(kind): kind for kind in likelihoods})
    except SufficeError as reason:
        raise _about(path, reason) from None


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe is refused, not waited for


def _about(path: str | os.PathLike[str], reason: SufficeError) -> ModelFileError:
    return ModelFileError.of(reason, problem=f"cannot be loaded: {reason.problem}", file=str(os.fspath(path)))
