"""Measure registered work: suffice against the peer, and suffice on two threads against one."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.memory import extra_in_child
from benchmarks.timing import Reading, medians
from benchmarks.work import BENCHES, Size, Work


@dataclass(frozen=True)
class Row:
    """One line of the table; the package docstring explains the fields."""

    work: str
    peer: str
    seconds: float
    peer_seconds: float
    peer_runs: int
    ratio: float
    at_least: float | None
    input_bytes: int
    bytes_per_second: float
    read_bandwidth: float
    bandwidth_share: float
    extra_bytes: int | None


def rows(names: Sequence[str], size: Size, repeat: int, reading: Reading) -> Iterator[Row]:
    """Measure the named benchmarks one after another, two rows each."""
    for name in names:
        bench = BENCHES[name]
        work = bench.make(size)
        work.agree(work.ours(None), work.theirs())
        peer_runs = min(repeat, bench.peer_runs or repeat)
        yield _row(
            name, bench.peer, work, [lambda w=work: w.ours(None), work.theirs], [repeat, peer_runs], reading, size
        )
        yield _row(
            f"{name} ×2 threads",
            "one thread",
            work,
            [lambda w=work: w.ours(2), lambda w=work: w.ours(1)],
            [repeat, repeat],
            reading,
            None,
        )


def _row(
    name: str,
    peer: str,
    work: Work,
    calls: Sequence[Callable[[], object]],
    repeats: Sequence[int],
    reading: Reading,
    memory_at: Size | None,
) -> Row:
    ours, theirs, read = medians([*calls, reading], [*repeats, repeats[0]])
    bandwidth = reading.x.nbytes / read
    return Row(
        work=name,
        peer=peer,
        seconds=ours,
        peer_seconds=theirs,
        peer_runs=repeats[1],
        ratio=theirs / ours,
        at_least=BENCHES[name].at_least if name in BENCHES else None,
        input_bytes=work.input_bytes,
        bytes_per_second=work.input_bytes / ours,
        read_bandwidth=bandwidth,
        bandwidth_share=work.input_bytes / ours / bandwidth,
        extra_bytes=extra_in_child(name, memory_at) if memory_at else None,
    )


def document(results: Sequence[Row], size: Size, repeat: int) -> dict[str, object]:
    """Return the JSON object described in the package docstring."""
    from suffice import _core

    return {
        "suffice": version("suffice"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scikit_learn": version("scikit-learn"),
        "processor": processor(),
        "cores": cores(),
        "instruction_set": _core.isa(),
        **asdict(size),
        "repeat": repeat,
        "results": [asdict(row) for row in results],
    }


def processor() -> str:
    """Return the name of the processor, as far as the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def cores() -> int | None:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
