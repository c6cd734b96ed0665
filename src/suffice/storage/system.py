"""What the system says when a file cannot be read or written, as a sentence that names the file and what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal

__all__ = ["explained"]

_DO = {
    ("read", errno.ENOENT): "there is no such file. Check the path.",
    ("read", errno.EISDIR): "it is a folder. Give the path of a file in it.",
    ("read", errno.EACCES): "you may not read it. Ask for permission, or take another file.",
    ("write", errno.ENOENT): "there is no such folder. Create it first, or take another path.",
    ("write", errno.ENOTDIR): "a part of the path is a file and no folder. Take another path.",
    ("write", errno.EISDIR): "it is a folder. Give the path of a file in it.",
    ("write", errno.EACCES): "you may not write it, or not in its folder. Ask for permission, or take another path.",
    ("write", errno.EPERM): "you may not write it, or not in its folder. Ask for permission, or take another path.",
    ("write", errno.EROFS): "its file system is read-only. Take another path.",
    ("write", errno.ENOSPC): "the disk is full. Free some space, or take another path.",
    ("write", errno.EDQUOT): "your quota is used up. Free some space, or take another path.",
    ("write", errno.EFBIG): "the file would be larger than is allowed. Raise the limit, or take another path.",
    ("write", errno.ENAMETOOLONG): "its name is too long. Take a shorter one.",
    ("write", errno.EINVAL): "it is no regular file. Give the path of a file.",
}


@contextmanager
def explained(doing: Literal["read", "write", "sync"], path: str | os.PathLike[str]) -> Generator[None]:
    """Turn an OSError into one of the same class, with its errno, whose text is one sentence."""
    try:
        yield
    except OSError as problem:
        number = problem.errno or 0
        known = _DO.get((doing, number), f"{problem.strerror or problem}. Check the path and its disk.")
        where = repr(os.fspath(path))
        said = f"cannot {doing} {where}: {known}"
        if doing == "write":
            said += " What was there before is unchanged."
        elif doing == "sync":
            said = f"wrote {where}, but whether it survives a power cut is not known: {known}"
        told = type(OSError(number, ""))(said)  # errno chooses the class
        told.errno = problem.errno
        raise told from None
