"""Whatever a test does to files, no thread of theirs may be left."""

from __future__ import annotations

import threading

import pytest


@pytest.fixture(autouse=True)
def no_thread_left():
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("suffice-")]
    assert left == []
