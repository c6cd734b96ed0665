"""A process that is killed while saving leaves either the old or the new file complete."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import suffice as sf
from tests.storage.models_to_store import MODELS

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="SIGKILL"),
    pytest.mark.filterwarnings("ignore::suffice.SufficeWarning"),
]

# Forks a child that saves one model after the other over the same file, kills it at a random moment, looks, and again.
KILLS = """
import itertools, json, os, pathlib, random, signal, sys, time
import suffice as sf
path, moments, seed, *sources = sys.argv[1:]
path, chance = pathlib.Path(path), random.Random(int(seed))
models = [sf.load(source) for source in sources]
whole = [pathlib.Path(source).read_bytes() for source in sources]
for _ in range(int(moments)):
    begun, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(begin, b"!")
        for model in itertools.cycle(chance.sample(models, 2)):
            model.save(path)
    os.read(begun, 1)
    time.sleep(chance.uniform(0, 0.1))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(begun), os.close(begin)
    raw, left = path.read_bytes(), [name for name in os.listdir(path.parent) if name != path.name]
    print(json.dumps({"which": whole.index(raw) if raw in whole else None, "left": left,
                      "loads": sf.load(path) in models}))
    for name in left:
        os.unlink(path.parent / name)
"""


def killed(folder, moments, seed):
    # Two models of unlike size: the larger takes long enough to write that most moments fall into it.
    sources, path = [folder / "small", folder / "large"], folder / "there" / "model.suffice"
    cells = np.random.default_rng(seed).integers(0, 2, (3, 50_000))
    for source, model in zip(
        sources,
        (MODELS["mixed"](), sf.fit(cells, ["a", "b", "c"], columns=sf.Bernoulli(), calibrate=False)),
        strict=True,
    ):
        model.save(source)
    path.parent.mkdir()
    path.write_bytes(sources[0].read_bytes())
    command = [sys.executable, "-c", KILLS, path, str(moments), str(seed), *sources]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == moments
    for each in found:
        assert each["which"] is not None
        assert each["loads"]
        assert len(each["left"]) <= 1  # what the killed one was writing
        assert all(name.startswith(".model.suffice.") and name.endswith(".part") for name in each["left"])
    return found


def test_twenty_random_moments(tmp_path):
    found = killed(tmp_path, 20, seed=1)
    assert any(each["left"] for each in found)  # some were in the middle of it


@pytest.mark.slow
def test_two_hundred_random_moments(tmp_path):
    found = killed(tmp_path, 200, seed=2)
    assert {each["which"] for each in found} == {0, 1}  # now the one, now the other
    assert any(each["left"] for each in found)
