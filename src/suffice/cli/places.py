"""Where results go: looked at before a long pass starts, so that it does not end in vain."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from suffice.cli.failures import complain
from suffice.errors import ParameterError

__all__ = ["require_place", "undisturbed"]


def require_place(path: Path, reads: Iterable[str | Path] = (), what: str = "-o") -> None:
    """Raise where nothing could be written to that path, or where it is one of the files that are read."""
    if str(path) == "-":
        raise ParameterError(f"{what} must be a file: got -, and a model is not written to standard output.")
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(path))
    folder = path.parent
    if not folder.exists():
        raise ParameterError(f"{what} {str(path)!r}: there is no folder {str(folder)!r}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "Permission denied", str(folder))
    for each in reads:
        if path.exists() and Path(each).exists() and path.samefile(each):
            raise ParameterError(
                f"{what} {str(path)!r} is a file that is read. Choose another name, so that it is not lost."
            )


@contextmanager
def undisturbed(path: Path, reads: Iterable[Path]) -> Generator[None]:
    """Hold a model file that is read and then replaced, so that two processes that change it do so in turn."""
    from suffice.storage import exclusive

    if not any(path.exists() and each.exists() and path.samefile(each) for each in reads):
        yield
        return
    with exclusive(path, lambda: complain(f"{path} is being changed by another process: waiting for it.")):
        yield
