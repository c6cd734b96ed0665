"""The passes where they must survive: after a fork, from many threads, under Ctrl-C, beyond 2³¹ cells, in little memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

from suffice import _core
from suffice.engines import arrays


def table(rows: int = 50_000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(rows, 20)), rng.integers(0, 3, rows)


def bits() -> bytes:
    x, codes = table()
    return b"".join(a.tobytes() for a in arrays.moments(x, codes, "abc", threads=3).to_arrays().values())


def test_it_works_after_a_fork() -> None:
    want = bits()  # threads have run in the parent before it forks
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.starmap(bits, [()] * 6) == [want] * 6


def test_it_works_in_a_fork_made_while_a_pass_is_running() -> None:
    x, codes = table(400_000)
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            arrays.moments(x, codes, "abc", threads=3)

    runner = threading.Thread(target=busy)
    runner.start()
    try:
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert len(set(pool.starmap(bits, [()] * 4))) == 1
    finally:
        stop.set()
        runner.join()


def test_many_python_threads_at_once() -> None:
    want = bits()
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: bits(), range(24))) == {want}


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from suffice.engines import arrays
x = np.broadcast_to(np.arange(50.0), (2_000_000_000, 50))
codes = np.broadcast_to(np.int64(0), 2_000_000_000)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.perf_counter()
try:
    arrays.{call}(x, codes, "a", threads=2)
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - start)
"""


@pytest.mark.parametrize("call", ["moments", "presence", "bins", "scatter"])
def test_ctrl_c_stops_a_long_pass(call: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(call=call)], capture_output=True, text=True, timeout=60, check=True
    )
    word, seconds = done.stdout.split()
    assert word == "interrupted"
    assert float(seconds) < 3


def test_more_than_2_to_the_31_cells() -> None:
    rows, cols = 2**31 // 64 + 1000, 64
    x = np.zeros((rows, cols), np.int8)  # untouched pages take no memory
    x[-3:, -1] = 7
    codes = np.zeros(rows, np.int8)
    codes[-2:] = 1
    got = arrays.moments(x, codes, "ab")
    assert np.array_equal(got.weight[:, -1], [rows - 2, 2])
    assert got.mean[0, -1] == pytest.approx(7 / (rows - 2), rel=1e-12)
    assert got.mean[1, -1] == 7
    assert np.array_equal(arrays.sums(x, codes, "ab").values[:, -2:], [[0, 7], [0, 14]])
    counts = arrays.levels(x, codes, "ab", levels=[8] * cols)[-1]
    assert counts.values[0].tolist() == [rows - 3, 1]
    assert counts.levels.labels == (0, 7)


def test_a_view_that_claims_fifty_gigabytes_takes_none() -> None:
    x = np.broadcast_to(np.arange(50.0), (125_000_000, 50))
    codes = np.broadcast_to(np.int8(0), 125_000_000)
    got = arrays.sums(x, codes, "a")
    assert np.array_equal(got.values[0], np.arange(50.0) * 125_000_000)


MEMORY = """
import resource, sys
import numpy as np, scipy.sparse as sp
from suffice.engines import arrays
rng = np.random.default_rng(0)
{build}
def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) * 1024
arrays.moments(np.zeros((10, 2)), np.zeros(10, int), "a")
before = peak()
result = {call}
print(peak() - before, {inputs}, {result})
"""


def memory(build: str, call: str, inputs: str, result: str) -> list[int]:
    script = MEMORY.format(build=build, call=call, inputs=inputs, result=result)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    return [int(word) for word in done.stdout.split()]


@pytest.mark.parametrize("name", ["moments", "presence", "scatter", "bins"])
def test_a_pass_takes_a_hundredth_of_the_input_and_three_times_the_result(name: str) -> None:
    build = "x = rng.random((400_000, 50)); codes = rng.integers(0, 5, 400_000)"
    result = "sum(a.nbytes for a in result.to_arrays().values())"
    extra, given, made = memory(build, f"arrays.{name}(x, codes, range(5), threads=2)", "x.nbytes", result)
    assert extra <= 0.01 * given + 3 * made + 4 * 2**20  # and the stacks and code pages that a first call touches


def test_two_thousand_classes_and_a_hundred_thousand_columns() -> None:
    """Rows × classes would be 3.2 GB, and classes × columns is 1.6 GB: of the two only the result is made."""
    rng = np.random.default_rng(2)
    rows, cols, classes = 20_000, 100_000, 2_000
    indices = rng.integers(0, cols, rows * 10).astype(np.int32)
    x = sp.csr_matrix(
        (np.ones(rows * 10), indices, np.arange(0, rows * 10 + 1, 10, dtype=np.int32)), shape=(rows, cols)
    )
    codes = rng.integers(0, classes, rows)
    y = _core.Labels(codes, classes, None)
    values, observed = _core.sums(_core.Sparse(x.indptr, x.indices, x.data, cols), y, 2)
    assert values.shape == (classes, cols)
    assert values.sum() == rows * 10
    assert np.array_equal(observed[:, 0], np.bincount(codes, minlength=classes))
    row = x[codes == 17].sum(axis=0)
    assert np.array_equal(values[17], np.asarray(row).ravel())


@pytest.mark.parametrize("name", ["plain", "avx2", "avx512"])
def test_the_instruction_set_can_be_forced(name: str) -> None:
    script = "from suffice import _core; print(_core.isa())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "SUFFICE_ISA": name},
        check=False,
    )
    before = _core.isa()
    if _core.use_isa(name):
        assert done.stdout.strip() == name
        _core.use_isa(before)
    else:
        assert f"SUFFICE_ISA is '{name}': this machine runs plain" in done.stderr


def test_an_unknown_instruction_set_is_refused_with_the_known_ones() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import suffice._core"],
        capture_output=True, text=True, env={**os.environ, "SUFFICE_ISA": "mmx"}, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: SUFFICE_ISA is 'mmx': this machine runs plain")
    assert last.endswith("Set it to one of them, or unset it.")


def test_a_signal_handler_that_returns_does_not_stop_a_pass() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        start = time.perf_counter()
        while time.perf_counter() - start < 0.3:
            bits()
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [signal.SIGUSR1]


def test_the_sum_of_an_array() -> None:
    x = np.arange(1_000_003.0)
    assert _core.read_sum(x, 1) == _core.read_sum(x, 3) == x.sum()
