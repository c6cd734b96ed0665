"""Peak memory of a benchmark beyond its input, measured in a separate process.

    python -m benchmarks.memory NAME ROWS COLUMNS CLASSES    prints the bytes

The child process imports everything and does the work once on a small input (to load code, threads and caches),
builds the real input, resets the peak, does the work once, and compares the peak with the resident size before.
Linux resets a peak through /proc/self/clear_refs; on other systems the result is None.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.work import BENCHES, Size

ROOT = Path(__file__).parents[1]


def _status(key: str) -> int:
    """Return one of the kB lines of /proc/self/status, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def _reset_peak() -> bool:
    """Reset the peak resident size to the current one; return False if the system does not allow it."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def extra_here(name: str, size: Size) -> int | None:
    """Do the work once in this process and return the growth of the resident size at its peak, in bytes."""
    make = BENCHES[name].make
    make(Size(rows=1000, columns=size.columns, classes=size.classes)).ours(None)
    work = make(size)
    return risen(lambda: work.ours(None))


def risen(call: Callable[[], object]) -> int | None:
    """Return the growth of the resident size at its peak during a call, in bytes."""
    if not _reset_peak():
        return None
    before = _status("VmRSS")
    result = call()
    peak = _status("VmHWM")
    del result
    return max(0, peak - before)


def extra_in_child(name: str, size: Size) -> int | None:
    """Return the same, measured in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.memory", name, str(size.rows), str(size.columns), str(size.classes)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"measuring the memory of {name} failed:\n{done.stderr}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    import benchmarks.groups  # noqa: F401  registers the benchmarks

    name, *numbers = sys.argv[1:]
    print(json.dumps(extra_here(name, Size(*map(int, numbers)))))
