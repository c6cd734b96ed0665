"""Files are replaced atomically, whatever fails."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

import suffice as sf
from suffice.storage import exclusive, replacing
from tests.storage.models_to_store import MODELS

POSIX = pytest.mark.skipif(os.name != "posix", reason="permissions, links and limits of POSIX")
ROOT = os.name == "posix" and os.geteuid() == 0
OLD = b"what was there"


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".part"))


def test_the_new_file_is_there_when_the_block_ends_and_not_before(tmp_path):
    path = tmp_path / "scored.csv"
    path.write_bytes(OLD)
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == OLD
        assert Path(file.name).parent == tmp_path
        (name,) = parts(tmp_path)
        assert name.startswith(".scored.csv.")
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["scored.csv"]


@pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt, SystemExit, ConnectionError])
def test_what_fails_leaves_what_was_there(tmp_path, problem):
    path = tmp_path / "scored.csv"
    path.write_bytes(OLD)

    def fail():
        with replacing(path) as file:
            file.write(b"half of it")
            raise problem("on the way")

    with pytest.raises(problem, match=r"^on the way$"):
        fail()
    assert path.read_bytes() == OLD
    assert parts(tmp_path) == []


@POSIX
def test_permissions_of_a_file_are_kept_and_a_new_one_has_those_of_the_process(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(OLD)
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        for path in (old, new):
            with replacing(path) as file:
                mode = stat.S_IMODE(Path(file.name).stat().st_mode)
                assert mode == 0o640
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (old, new)] == [0o640, 0o640]


@POSIX
@pytest.mark.skipif(not ROOT, reason="only root gives files away")
def test_a_file_of_somebody_else_stays_theirs(tmp_path):
    path = tmp_path / "theirs"
    path.write_bytes(OLD)
    path.chmod(0o600)
    os.chown(path, 65534, 65534)
    with replacing(path) as file:
        file.write(b"new")
    there = path.stat()
    assert (there.st_uid, there.st_gid, stat.S_IMODE(there.st_mode)) == (65534, 65534, 0o600)


@POSIX
def test_a_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "model", tmp_path / "link"
    target.write_bytes(OLD)
    link.symlink_to(target)
    with replacing(link) as file:
        file.write(b"new")
        assert Path(file.name).parent == target.parent
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_long_name_is_no_obstacle(tmp_path):
    path = tmp_path / ("ü" * 120)
    with replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


@POSIX
def test_a_part_that_a_killed_process_left_is_removed_when_it_is_old_and_nobody_writes_it(tmp_path):
    import fcntl

    path = tmp_path / "model[1]*"
    left, young, held, other = (
        tmp_path / f".{name}.part" for name in ("model[1]*.0a", "model[1]*.0b", "model[1]*.0c", "modelx.0d")
    )
    hours_ago = time.time() - 7200
    for part in (left, young, held, other):
        part.write_bytes(b"half")
        if part is not young:
            os.utime(part, (hours_ago, hours_ago))
    with held.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with replacing(path) as new:
            new.write(b"new")
    assert parts(tmp_path) == sorted(part.name for part in (young, held, other))


def test_of_two_that_write_at_once_the_last_wins_and_both_are_whole(tmp_path):
    path = tmp_path / "model"
    contents = [bytes([at]) * 100_000 for at in range(8)]
    start = threading.Barrier(len(contents))

    def write(content):
        start.wait()
        for _ in range(20):
            with replacing(path) as file:
                for at in range(0, len(content), 10_000):
                    file.write(content[at : at + 10_000])
            assert path.read_bytes() in contents

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert parts(tmp_path) == []


def refusal(path, kind):
    with pytest.raises(OSError) as caught:  # noqa: PT011  the class and the text are compared below
        MODELS["poisson"]().save(path)
    assert type(caught.value) is kind
    return str(caught.value)


UNCHANGED = "An existing file is unchanged."


def test_a_folder_is_not_replaced(tmp_path):
    said = f"cannot write {str(tmp_path)!r}: it is a directory. Pass the path of a file. {UNCHANGED}"
    assert refusal(tmp_path, IsADirectoryError) == said
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_not_made(tmp_path):
    path = tmp_path / "no" / "model.suffice"
    said = (
        f"cannot write {str(path)!r}: the directory does not exist. Create it first, or use another path. {UNCHANGED}"
    )
    assert refusal(path, FileNotFoundError) == said
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_bytes(OLD)
    path = tmp_path / "file" / "model.suffice"
    said = f"cannot write {str(path)!r}: a part of the path is a file, not a directory. Use another path. {UNCHANGED}"
    assert refusal(path, NotADirectoryError) == said


@POSIX
def test_a_pipe_or_a_device_is_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    said = f"cannot write {str(path)!r}: it is not a regular file. Pass the path of a file. {UNCHANGED}"
    assert refusal(path, OSError) == said
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert "/dev/null" in refusal("/dev/null", OSError)


@POSIX
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_read_only_folder_or_file_stays_as_it_is():
    model = MODELS["poisson"]()
    with tempfile.TemporaryDirectory() as name:  # whose folders anybody may enter
        folder = Path(name)
        path, new = folder / "there.suffice", folder / "new.suffice"
        model.save(path)
        path.chmod(0o444)
        folder.chmod(0o555)
        try:
            if ROOT:  # whom nothing stops: look as somebody else
                child = os.fork()
                if child == 0:
                    status = 1
                    with suppress(BaseException):
                        os.setgid(65534)
                        os.setuid(65534)
                        require_refusal(model, path, new)
                        status = 0
                    os._exit(status)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            else:
                require_refusal(model, path, new)
            assert sf.load(path) == model
            assert [each.name for each in folder.iterdir()] == [path.name]
        finally:
            folder.chmod(0o755)


def require_refusal(model, *paths):
    do = "permission denied. Check the permissions of the file and its directory."
    for path in paths:
        with pytest.raises(PermissionError) as caught:
            model.save(path)
        assert str(caught.value) == f"cannot write {str(path)!r}: {do} {UNCHANGED}"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder that no one writes to, not even root")
def test_a_folder_in_which_nothing_can_be_made_says_so():
    said = refusal("/proc/self/model.suffice", FileNotFoundError)
    assert said.startswith("cannot write '/proc/self/model.suffice': ")
    assert said.endswith(UNCHANGED)


FULL = """
import resource, signal, sys
import suffice as sf
from suffice.models import Provenance
model = sf.load(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for limit in map(int, sys.argv[3:]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        model.save(sys.argv[2])
    except OSError as problem:
        print(problem.errno, problem)
    else:
        print("saved")
"""


@POSIX
def test_a_disk_that_is_full_leaves_what_was_there(tmp_path):
    good, path = tmp_path / "good.suffice", tmp_path / "there" / "model.suffice"
    path.parent.mkdir()
    MODELS["mixed"]().save(good)
    path.write_bytes(OLD)
    size = good.stat().st_size
    limits = [0, 1, 8, size // 2, size - 32, size - 1]
    done = subprocess.run(
        [sys.executable, "-c", FULL, good, path, *map(str, limits)], capture_output=True, text=True, check=True
    )
    do = "the file would exceed the maximum file size. Raise the limit, or use another path."
    assert done.stdout.splitlines() == [f"{errno.EFBIG} cannot write {str(path)!r}: {do} {UNCHANGED}"] * len(limits)
    assert path.read_bytes() == OLD
    assert parts(path.parent) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_disk_without_space_says_so(tmp_path):
    # The temporary file is a link to the device: as full as a disk can be.
    path = tmp_path / "model.suffice"
    path.write_bytes(OLD)

    def fill():
        with replacing(path) as file:
            full = os.open("/dev/full", os.O_WRONLY)
            os.dup2(full, file.fileno())
            os.close(full)
            file.write(b"x" * 100_000)

    with pytest.raises(OSError) as caught:  # noqa: PT011  the text is compared below
        fill()
    assert caught.value.errno == errno.ENOSPC
    assert str(caught.value) == (
        f"cannot write {str(path)!r}: the disk is full. Free some space, or use another path. {UNCHANGED}"
    )
    assert path.read_bytes() == OLD
    assert parts(tmp_path) == []


def test_a_folder_that_cannot_be_synced_says_that_the_file_is_there(tmp_path, monkeypatch):
    real, path = os.fsync, tmp_path / "model.suffice"

    def fsync(at):
        if stat.S_ISDIR(os.fstat(at).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(at)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError) as caught:  # noqa: PT011  the text is compared below
        MODELS["poisson"]().save(path)
    assert str(caught.value) == (
        f"wrote {str(path)!r}, but it may not survive a power failure: Input/output error. Check the path and the disk."
    )
    assert sf.load(path) == MODELS["poisson"]()


def test_a_folder_that_has_no_sync_is_left_alone(tmp_path, monkeypatch):
    real = os.fsync

    def fsync(at):
        if stat.S_ISDIR(os.fstat(at).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        real(at)

    monkeypatch.setattr(os, "fsync", fsync)
    MODELS["poisson"]().save(tmp_path / "model.suffice")
    assert sf.load(tmp_path / "model.suffice") == MODELS["poisson"]()


def test_all_is_synced_before_it_takes_its_place_and_the_folder_after(tmp_path, monkeypatch):
    order, sync, replace = [], os.fsync, Path.replace

    def fsync(at):
        order.append("folder" if stat.S_ISDIR(os.fstat(at).st_mode) else f"{os.fstat(at).st_size} bytes")
        sync(at)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", lambda self, to: order.append("replace") or replace(self, to))
    with replacing(tmp_path / "model") as file:
        file.write(b"12345")
    assert order == ["5 bytes", "replace", "folder"]


@POSIX
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP])
def test_without_locks_what_another_process_changed_is_not_replaced(tmp_path, monkeypatch, number):
    def no_locks(at, how):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", no_locks)
    path, link = tmp_path / "model", tmp_path / "link"
    path.write_bytes(OLD)
    link.symlink_to("model")

    def change(other):
        with exclusive(link):
            if other is not None:
                path.write_bytes(other)
            with replacing(path) as file:
                file.write(b"ours")

    with pytest.raises(OSError, match="changed by another process"):
        change(b"theirs")
    assert path.read_bytes() == b"theirs"
    assert parts(tmp_path) == []
    change(None)
    assert path.read_bytes() == b"ours"
    with replacing(path) as file:  # and afterwards anything goes
        file.write(OLD)
    assert path.read_bytes() == OLD


@POSIX
def test_who_waited_for_a_file_gets_the_one_that_took_its_place(tmp_path):
    path = tmp_path / "count"
    path.write_text("0", encoding="utf-8")

    def count():
        for _ in range(20):
            with exclusive(path):
                number = int(path.read_text(encoding="utf-8"))
                with replacing(path) as file:
                    file.write(str(number + 1).encode())

    threads = [threading.Thread(target=count) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text(encoding="utf-8") == "100"
    assert [each.name for each in tmp_path.iterdir()] == ["count"]


@POSIX
def test_nfs_locks_only_what_is_open_for_writing(tmp_path, monkeypatch):
    import fcntl

    path = tmp_path / "model"
    path.write_bytes(OLD)
    asked, flock = [], fcntl.flock

    def of_nfs(at, how):
        asked.append(fcntl.fcntl(at, fcntl.F_GETFL) & os.O_ACCMODE)
        if asked[-1] == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return flock(at, how)

    monkeypatch.setattr("fcntl.flock", of_nfs)
    with exclusive(path):
        assert asked == [os.O_RDONLY, os.O_RDWR]


def test_no_file_no_lock(tmp_path):
    with pytest.raises(FileNotFoundError, match="the file does not exist"), exclusive(tmp_path / "gone"):
        pass
