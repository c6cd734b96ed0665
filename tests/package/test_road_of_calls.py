"""A call goes down the road and its result comes up: how many files and changes of room the main verbs pass through.

A room is a folder of src/suffice; modules that lie beside the rooms (errors, warnings, machine) are not counted as one.
The ceilings are what the code reaches, so that it does not become worse; the aims are in design.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import suffice as sf

ROOT = Path(sf.__file__).parent
# From the top of the road to its end. A room calls those below it, and hands results up.
ROAD = [
    "cli",
    "estimators",
    "api",
    "storage",
    "evidence",
    "decisions",
    "models",
    "engines",
    "sources",
    "likelihoods",
    "conjugate",
    "statistics",
]
ASIDE = {("storage", "evidence"), ("evidence", "storage"), ("sources", "likelihoods"), ("likelihoods", "sources")}
# What a term is handed to fill in: the layout of a table, and the entries of an explanation.
CALLED_BACK = {("likelihoods", "models"), ("likelihoods", "evidence")}

FIT_FILES, FIT_CHANGES = 31, 42
FIRST_FILES, FIRST_CHANGES = 33, 76
SECOND_FILES, SECOND_CHANGES = 14, 16
SHELL_FILES, SHELL_CHANGES = 70, 176


class Trace(NamedTuple):
    """The files that ran, and the rooms in the order in which their functions were called."""

    files: set[str]
    rooms: list[str]
    calls: set[tuple[str, str]]

    @property
    def changes(self) -> int:
        """How often the room changes."""
        return len(self.rooms) - 1


def place(frame: FrameType) -> tuple[str, str] | None:
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(ROOT):
        return None
    name = path.relative_to(ROOT)
    return (name.parts[0] if len(name.parts) > 1 else "", str(name))


def traced(work: Callable[[], Any]) -> Trace:
    files: set[str] = set()
    rooms: list[str] = []
    calls: set[tuple[str, str]] = set()

    def look(frame: FrameType, event: str, _: Any) -> None:
        found = place(frame) if event == "call" else None
        if found is None:
            return
        files.add(found[1])
        if not found[0]:
            return
        if not rooms or rooms[-1] != found[0]:
            rooms.append(found[0])
        caller = frame.f_back
        while caller is not None and not (place(caller) or ("", ""))[0]:
            caller = caller.f_back
        if caller is not None and (above := place(caller)) is not None and above[0] != found[0]:
            calls.add((above[0], found[0]))

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return Trace(files, rooms, calls)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.normal(size=300),
            "plan": rng.choice(["basic", "plus"], 300),
            "new": rng.integers(0, 2, 300).astype(bool),
            "y": rng.choice(["no", "yes"], 300),
        }
    )


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "1")


def fit(frame: pd.DataFrame) -> sf.Model:
    return sf.fit(frame, "y", calibrate=False)


def hold(trace: Trace, files: int, changes: int) -> None:
    assert len(trace.files) <= files, sorted(trace.files)
    assert trace.changes <= changes, trace.rooms


def test_fit(frame: pd.DataFrame) -> None:
    fit(frame)
    hold(traced(lambda: fit(frame)), FIT_FILES, FIT_CHANGES)


def test_the_first_and_the_second_prediction(frame: pd.DataFrame) -> None:
    fit(frame).predict_proba(frame)
    model = fit(frame)
    hold(traced(lambda: model.predict_proba(frame)), FIRST_FILES, FIRST_CHANGES)
    hold(traced(lambda: model.predict_proba(frame)), SECOND_FILES, SECOND_CHANGES)


def test_the_command_line(frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from suffice.cli.main import app

    monkeypatch.chdir(tmp_path)
    frame.to_csv("train.csv", index=False)
    words = ["fit", "train.csv", "--target", "y", "--no-calibrate", "-o", "model.suffice"]

    def work() -> None:
        assert CliRunner().invoke(app, words).exit_code == 0

    work()
    hold(traced(work), SHELL_FILES, SHELL_CHANGES)


@pytest.mark.parametrize("verb", ["fit", "calibrate", "predict_proba", "explain", "evaluate", "novelty"])
def test_every_call_is_one_that_the_layers_allow(frame: pd.DataFrame, verb: str) -> None:
    model = sf.fit(frame, "y")
    work = (lambda: sf.fit(frame, "y")) if verb == "fit" else lambda: getattr(model, verb)(frame)
    for above, below in sorted(traced(work).calls):
        if above in ROAD and below in ROAD and (above, below) not in ASIDE | CALLED_BACK:
            assert ROAD.index(above) < ROAD.index(below), (above, below)
