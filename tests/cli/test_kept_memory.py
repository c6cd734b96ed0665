"""The command keeps freed memory for the next batch, where the C library knows how."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys

import pytest

import suffice.cli.main as command_line
from suffice.cli.main import keep_freed_memory

ROW_GROUPS = "POLARS_ROW_GROUP_PREFETCH_SIZE"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is of the GNU C library")
def test_freed_blocks_are_used_again():
    # In a process of its own: a block of 8 MiB that is freed and asked for again comes without page faults.
    code = """
import resource
from suffice.cli.main import keep_freed_memory
assert keep_freed_memory()
import numpy as np
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.empty(1 << 20).fill(1.0)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100  # of 2,048 pages


@pytest.fixture
def no_library(monkeypatch):
    """The process of the tests stays as it is: others measure its memory."""
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())


@pytest.mark.usefixtures("no_library")
@pytest.mark.parametrize("told", [None, "7"])
def test_few_row_groups_are_read_beforehand_unless_told(monkeypatch, told):
    monkeypatch.setattr(command_line.os, "environ", {} if told is None else {ROW_GROUPS: told})
    keep_freed_memory()
    assert command_line.os.environ[ROW_GROUPS] == (told or "2")


@pytest.mark.usefixtures("no_library")
def test_other_libraries_are_left_as_they_are(monkeypatch):
    monkeypatch.setattr(command_line.os, "environ", {})
    assert not keep_freed_memory()
    monkeypatch.setattr(sys, "platform", "win32")
    assert not keep_freed_memory()


@pytest.mark.usefixtures("no_library")
@pytest.mark.parametrize("told", [None, "narenas:1"])
def test_the_allocator_of_polars_keeps_what_it_has_unless_told(monkeypatch, told):
    monkeypatch.setattr(command_line.os, "environ", {} if told is None else {"_RJEM_MALLOC_CONF": told})
    monkeypatch.setattr(command_line.os, "cpu_count", lambda: None)
    keep_freed_memory()
    expected = "dirty_decay_ms:-1,muzzy_decay_ms:-1,narenas:2"
    assert command_line.os.environ["_RJEM_MALLOC_CONF"] == (told or expected)
