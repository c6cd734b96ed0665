"""A file that is there whole or not at all: written beside its place, synced, and put there in one step.

    temporary   .NAME.RANDOM.part in the same folder (so that the step is a rename), locked while somebody writes it
    rename      over what was there, which stays as it was until then; the folder is synced so that the step lasts
    failure     the temporary file goes; a process that is killed leaves it, and the next one to write NAME removes it
                when it is an hour old and nobody holds its lock

A link is followed: what it points to is replaced. Permissions, and where the system allows it the owner, of a file that
was there are kept; a new one gets those that the process gives (umask). What is no regular file (a folder, a pipe, a
device) is never replaced.

`exclusive` keeps other processes out while a file is read, changed and replaced:

    lock        on the file itself, so that nothing is left behind and the system releases it when the process dies. The
                rename puts another file in place, so a process that waited checks that it locked the one that is there
    Windows     cannot replace a file that is open: the lock is on .NAME.lock beside it, which stays
    no locks    where the file system has none, the rename is refused if the content is not what it was at the start
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from suffice.storage.system import explained

try:
    import fcntl
except ImportError:  # not on Windows: there a part that was left stays
    fcntl = None

__all__ = ["exclusive", "replacing"]

_PART = ".part"
_LONGEST_NAME = 255
_STALE_SECONDS = 3600
_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # somebody else holds the lock
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
_PATIENCE, _PAUSE = 1.0, 0.02  # seconds
_NOT_SYNCED = (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EACCES)  # folders of some file systems cannot be

# Files that could not be locked, and the digest of what each held when it was read.
_unlocked: dict[Path, bytes] = {}


@contextmanager
def exclusive(path: str | os.PathLike[str], waiting: Callable[[], None] | None = None) -> Generator[None]:
    """Keep other processes that call this on the same file out, from before it is read until it is replaced.

    Parameters
    ----------
    path : str or PathLike
        A file that exists; of a link, the file that it points to is locked.
    waiting : callable, optional
        Called once if another process holds the file for over a second.

    Raises
    ------
    OSError
        Where the file cannot be opened. Where the file system has no locks, `replacing` raises it if another process
        changed the file in the meantime.
    """
    shown = os.fspath(path)
    with explained("read", shown):
        lock = _locked(shown, waiting)
    target = Path(os.path.realpath(shown))
    if lock is None:
        with explained("read", shown):
            _unlocked[target] = _digest(target)
    try:
        yield
    finally:
        _unlocked.pop(target, None)
        if lock is not None:
            os.close(lock)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Generator[BinaryIO]:
    r"""Give a binary file to write; when the block ends, it takes the place of `path`, and when it fails, nothing does.

    Parameters
    ----------
    path : str or PathLike
        `file.name` is the path of the temporary file, for writers that want one.

    Raises
    ------
    OSError
        Of the kind that the system says, with a sentence: no such folder, no permission, a full disk.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> place = Path(folder.name) / "scored.csv"
    >>> with replacing(place) as file:
    ...     _ = file.write(b"row,class\n")
    >>> place.read_bytes()
    b'row,class\n'
    >>> folder.cleanup()
    """
    shown = os.fspath(path)
    with explained("write", shown):
        target = Path(os.path.realpath(shown))
        there = _there(target)
        _remove_stale(target)
        file = _temporary(target, there)
    try:
        yield file
        with explained("write", shown):
            file.flush()
            os.fsync(file.fileno())
            file.close()
        _require_unchanged(target, shown)
        with explained("write", shown):
            Path(file.name).replace(target)
    except BaseException as problem:
        with suppress(OSError):  # what is still in its buffer may not fit either
            file.close()
        with suppress(OSError):
            Path(file.name).unlink()
        if isinstance(problem, OSError) and problem.filename is None and problem.errno in _OF_WRITING:
            with explained("write", shown):
                raise
        raise
    with explained("sync", shown):
        _sync_folder(target.parent)


def _locked(path: str, waiting: Callable[[], None] | None) -> int | None:
    # An open, locked file, or None where the file system has no locks.
    start, said, flags = time.monotonic(), False, os.O_RDONLY
    while True:
        target = os.path.realpath(path)
        lock = _opened(target, flags)
        taken = False
        try:
            taken = _take(lock) and _is_there(lock, target)
        except OSError as problem:
            if problem.errno == errno.EBADF and flags == os.O_RDONLY:  # NFS locks only what may be written
                flags = os.O_RDWR
                continue
            if problem.errno in _NO_LOCKS:
                return None
            raise
        finally:
            if not taken:
                os.close(lock)
        if taken:
            return lock
        if waiting is not None and not said and time.monotonic() - start > _PATIENCE:
            said = True
            waiting()
        time.sleep(_PAUSE)


if sys.platform == "win32":

    def _opened(target: str, flags: int) -> int:
        Path(target).stat()  # a file that is not there has no lock
        return os.open(Path(target).with_name(f".{Path(target).name}.lock"), flags | os.O_RDWR | os.O_CREAT)

    def _take(lock: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        except OSError as problem:
            if problem.errno in _TAKEN:
                return False
            raise
        return True

    def _is_there(lock: int, target: str) -> bool:
        del lock, target  # the lock file is never replaced
        return True

else:

    def _opened(target: str, flags: int) -> int:
        return os.open(target, flags | os.O_NONBLOCK)  # a pipe is not waited for

    def _take(lock: int) -> bool:
        assert fcntl is not None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _is_there(lock: int, target: str) -> bool:
        # Whoever held the lock has put another file in its place.
        try:
            return os.path.samestat(os.fstat(lock), Path(target).stat())
        except FileNotFoundError:
            return False


def _digest(target: Path) -> bytes:
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _require_unchanged(target: Path, shown: str) -> None:
    before = _unlocked.get(target)
    if before is None:
        return
    try:
        unchanged = _digest(target) == before
    except FileNotFoundError:
        unchanged = False
    if not unchanged:
        raise OSError(
            f"{shown!r} was changed by another process in the meantime. Nothing was written: run the command again."
        )


def _there(target: Path) -> os.stat_result | None:
    try:
        there = target.stat()
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(there.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only")
    return there


def _temporary(target: Path, there: os.stat_result | None) -> BinaryIO:
    end = f".{secrets.token_hex(8)}{_PART}"
    name = os.fsdecode(os.fsencode(f".{target.name}")[: _LONGEST_NAME - len(end)])
    # What replaces a file that others may not read must not be readable for a moment either.
    first_mode = 0o666 if there is None else 0o600
    file = open(target.parent / f"{name}{end}", "xb", opener=lambda at, flags: os.open(at, flags, first_mode))  # noqa: SIM115
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    if there is not None:
        with suppress(OSError, AttributeError):  # who may not give files away keeps this one
            os.fchown(file.fileno(), there.st_uid, there.st_gid)
        Path(file.name).chmod(stat.S_IMODE(there.st_mode) & 0o777)
    return file


def _remove_stale(target: Path) -> None:
    if fcntl is None:
        return
    with suppress(OSError):
        for part in target.parent.glob(f".{_escaped(target.name)}.*{_PART}"):
            with suppress(OSError):
                if time.time() - part.stat().st_mtime < _STALE_SECONDS:
                    continue
                with part.open("rb+") as file:
                    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                    part.unlink()


def _escaped(name: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)


def _sync_folder(folder: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):  # Windows cannot
        return
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(at)
    except OSError as problem:
        if problem.errno not in _NOT_SYNCED:
            raise
    finally:
        os.close(at)
