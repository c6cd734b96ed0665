"""Saving and loading of model files, and atomic replacement of any file.

**Replacement** (`replacing`). A file is written next to its target, synced and renamed, so the target is always
complete.

    temporary   .NAME.RANDOM.part in the same directory (so that a rename is possible), locked while it is written
    rename      replaces the target in one step; the directory is synced so that the rename is durable
    failure     the temporary file is deleted. If the process is killed it remains, and the next process that writes
                NAME deletes it when it is an hour old and not locked

Symbolic links are followed. The permissions of an existing file, and where possible its owner, are kept; a new file
gets those of the umask. Anything but a regular file (a directory, a pipe, a device) is never replaced.

**Locking** (`exclusive`) keeps other processes out while a file is read, changed and replaced.

    lock        on the file itself, so that nothing is left behind and the system releases it when the process ends. A
                process that waited for the lock checks that the file has not been replaced in the meantime
    Windows     cannot replace an open file: the lock is on .NAME.lock next to it, which is not deleted
    no locks    on a file system without locks, the replacement is refused if the contents have changed since the start

Errors of the operating system are converted to messages that name the file and a remedy (`explain_os_errors`).
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal

from suffice.decisions import NoveltyReference
from suffice.decisions.calibration import Calibration
from suffice.errors import ModelFileError, SufficeError
from suffice.likelihoods import Likelihood
from suffice.models import NaiveBayesModel, Provenance
from suffice.storage.container import read_container, write_container
from suffice.storage.likelihoods import import_path
from suffice.storage.model import Unpacked, pack_model, unpack_model

__all__ = ["exclusive", "explain_os_errors", "load_model", "replacing", "save_model"]


_DO = {
    ("read", errno.ENOENT): "the file does not exist. Check the path.",
    ("read", errno.EISDIR): "it is a directory. Pass the path of a file.",
    ("read", errno.EACCES): "permission denied. Check its permissions.",
    ("write", errno.ENOENT): "the directory does not exist. Create it first, or use another path.",
    ("write", errno.ENOTDIR): "a part of the path is a file, not a directory. Use another path.",
    ("write", errno.EISDIR): "it is a directory. Pass the path of a file.",
    ("write", errno.EACCES): "permission denied. Check the permissions of the file and its directory.",
    ("write", errno.EPERM): "permission denied. Check the permissions of the file and its directory.",
    ("write", errno.EROFS): "its file system is read-only. Use another path.",
    ("write", errno.ENOSPC): "the disk is full. Free some space, or use another path.",
    ("write", errno.EDQUOT): "the disk quota is exceeded. Free some space, or use another path.",
    ("write", errno.EFBIG): "the file would exceed the maximum file size. Raise the limit, or use another path.",
    ("write", errno.ENAMETOOLONG): "its name is too long. Use a shorter one.",
    ("write", errno.EINVAL): "it is not a regular file. Pass the path of a file.",
}


@contextmanager
def explain_os_errors(doing: Literal["read", "write", "sync"], path: str | os.PathLike[str]) -> Generator[None]:
    """Replace an OSError by one of the same class and errno whose message is a sentence that names the file."""
    try:
        yield
    except OSError as problem:
        number = problem.errno or 0
        reason = _DO.get((doing, number), f"{problem.strerror or problem}. Check the path and the disk.")
        where = repr(os.fspath(path))
        message = f"cannot {doing} {where}: {reason}"
        if doing == "write":
            message += " An existing file is unchanged."
        elif doing == "sync":
            message = f"wrote {where}, but it may not survive a power failure: {reason}"
        error = type(OSError(number, ""))(message)  # errno determines the class
        error.errno = problem.errno
        raise error from None


try:
    import fcntl
except ImportError:  # Windows, where stale temporary files are not removed
    fcntl = None


_PART = ".part"
_LONGEST_NAME = 255
_STALE_SECONDS = 3600
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
_LOCKED = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # another process holds the lock
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
_PATIENCE, _PAUSE = 1.0, 0.02  # seconds
_NOT_SYNCED = (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EACCES)  # file systems without directory sync

# Files that could not be locked, and the digest of their contents when they were read.
_unlocked: dict[Path, bytes] = {}


@contextmanager
def exclusive(path: str | os.PathLike[str], waiting: Callable[[], None] | None = None) -> Generator[None]:
    """Lock a file against other processes that call this, from before it is read until it is replaced.

    Parameters
    ----------
    path : str or PathLike
        An existing file; a symbolic link is followed.
    waiting : callable, optional
        Called once if another process holds the file for over a second.

    Raises
    ------
    OSError
        If the file cannot be opened. On a file system without locks, `replacing` raises it if another process has
        changed the file in the meantime.
    """
    shown = os.fspath(path)
    with explain_os_errors("read", shown):
        lock = _acquire_lock(shown, waiting)
    target = Path(os.path.realpath(shown))
    if lock is None:
        with explain_os_errors("read", shown):
            _unlocked[target] = _digest_file(target)
    try:
        yield
    finally:
        _unlocked.pop(target, None)
        if lock is not None:
            os.close(lock)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Generator[BinaryIO]:
    r"""Open a binary file for writing that atomically replaces `path` when the block succeeds.

    Parameters
    ----------
    path : str or PathLike
        The file to replace. `file.name` of the yielded file is the path of the temporary file.

    Raises
    ------
    OSError
        If the file cannot be written: no such directory, no permission, disk full.

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
    with explain_os_errors("write", shown):
        target = Path(os.path.realpath(shown))
        existing = _existing_status(target)
        _remove_stale(target)
        file = _open_temporary(target, existing)
    try:
        yield file
        with explain_os_errors("write", shown):
            file.flush()
            os.fsync(file.fileno())
            file.close()
        _require_unchanged(target, shown)
        with explain_os_errors("write", shown):
            Path(file.name).replace(target)
    except BaseException as problem:
        with suppress(OSError):  # flushing the buffer may fail again
            file.close()
        with suppress(OSError):
            Path(file.name).unlink()
        if isinstance(problem, OSError) and problem.filename is None and problem.errno in _WRITE_ERRORS:
            with explain_os_errors("write", shown):
                raise
        raise
    with explain_os_errors("sync", shown):
        _sync_folder(target.parent)


def _acquire_lock(path: str, waiting: Callable[[], None] | None) -> int | None:
    # Returns an open, locked file descriptor, or None if the file system has no locks.
    start, reported, flags = time.monotonic(), False, os.O_RDONLY
    while True:
        target = os.path.realpath(path)
        lock = _open_lock_file(target, flags)
        taken = False
        try:
            taken = _try_lock(lock) and _is_current(lock, target)
        except OSError as problem:
            if problem.errno == errno.EBADF and flags == os.O_RDONLY:  # NFS can lock only writable files
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
        if waiting is not None and not reported and time.monotonic() - start > _PATIENCE:
            reported = True
            waiting()
        time.sleep(_PAUSE)


if sys.platform == "win32":

    def _open_lock_file(target: str, flags: int) -> int:
        Path(target).stat()  # raises if the file does not exist
        return os.open(Path(target).with_name(f".{Path(target).name}.lock"), flags | os.O_RDWR | os.O_CREAT)

    def _try_lock(lock: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        except OSError as problem:
            if problem.errno in _LOCKED:
                return False
            raise
        return True

    def _is_current(lock: int, target: str) -> bool:
        del lock, target  # the lock file is never replaced
        return True

else:

    def _open_lock_file(target: str, flags: int) -> int:
        return os.open(target, flags | os.O_NONBLOCK)  # do not wait for a pipe

    def _try_lock(lock: int) -> bool:
        assert fcntl is not None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _is_current(lock: int, target: str) -> bool:
        # The previous holder of the lock may have replaced the file.
        try:
            return os.path.samestat(os.fstat(lock), Path(target).stat())
        except FileNotFoundError:
            return False


def _digest_file(target: Path) -> bytes:
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _require_unchanged(target: Path, shown: str) -> None:
    before = _unlocked.get(target)
    if before is None:
        return
    try:
        unchanged = _digest_file(target) == before
    except FileNotFoundError:
        unchanged = False
    if not unchanged:
        raise OSError(
            f"{shown!r} was changed by another process in the meantime. Nothing was written; run the command again."
        )


def _existing_status(target: Path) -> os.stat_result | None:
    try:
        existing = target.stat()
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise
        return None
    if stat.S_ISDIR(existing.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(existing.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only")
    return existing


def _open_temporary(target: Path, existing: os.stat_result | None) -> BinaryIO:
    end = f".{secrets.token_hex(8)}{_PART}"
    name = os.fsdecode(os.fsencode(f".{target.name}")[: _LONGEST_NAME - len(end)])
    # The replacement of a private file must not be readable by others even for a moment.
    first_mode = 0o666 if existing is None else 0o600
    file = open(target.parent / f"{name}{end}", "xb", opener=lambda at, flags: os.open(at, flags, first_mode))  # noqa: SIM115
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    if existing is not None:
        with suppress(OSError, AttributeError):  # without the right to change owners, the file keeps its own
            os.fchown(file.fileno(), existing.st_uid, existing.st_gid)
        Path(file.name).chmod(stat.S_IMODE(existing.st_mode) & 0o777)
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
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno not in _NOT_SYNCED:
            raise
    finally:
        os.close(descriptor)


def save_model(
    model: NaiveBayesModel,
    provenance: Provenance,
    path: str | os.PathLike[str],
    calibration: Calibration | None = None,
    reference: NoveltyReference | None = None,
) -> None:
    """Save a model with its provenance, calibration and novelty reference.

    An existing file is replaced only when the new one is complete and synced.

    Raises
    ------
    ModelFileError
        If the model cannot be stored: an unsupported parameter of a user-defined likelihood, or too many blocks.
    OSError
        If the file cannot be written.
    """
    try:
        contents = pack_model(model, provenance, calibration, reference)
        with replacing(path) as file:
            write_container(file, contents.schema, contents.arrays)
    except SufficeError as reason:
        raise ModelFileError.of(
            reason, problem=f"the model cannot be saved: {reason.problem}", file=str(os.fspath(path))
        ) from None


def load_model(path: str | os.PathLike[str], likelihoods: Iterable[type[Likelihood]] = ()) -> Unpacked:
    """Load a model with its provenance, calibration and novelty reference.

    No code from the file is executed, and every length, number and label is validated. `likelihoods` are user-defined
    classes that the model may use.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model file, or requires a newer version of suffice.
    OSError
        If the file cannot be read.
    """
    with explain_os_errors("read", path), open(path, "rb", opener=_open_model) as raw:
        try:
            container = read_container(raw)
        except ModelFileError as reason:
            raise _describe_load_error(path, reason) from None
    try:
        return unpack_model(container, {import_path(kind): kind for kind in likelihoods})
    except SufficeError as reason:
        raise _describe_load_error(path, reason) from None


def _open_model(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # do not wait for a pipe; it is refused later


def _describe_load_error(path: str | os.PathLike[str], reason: SufficeError) -> ModelFileError:
    return ModelFileError.of(reason, problem=f"cannot be loaded: {reason.problem}", file=str(os.fspath(path)))
