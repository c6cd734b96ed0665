"""Models with a hundred thousand columns load in a fifth of a second."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import suffice as sf
from tests.storage.wide_models import WIDE, words

# The bound is 0.2 s on a machine that does nothing else (the benchmarks show it). A test shares its machine with others:
# it counts the seconds of the processor, in a process that nobody traces, and takes the best of a few runs. What it must
# catch is a file that is read column by column, which takes seconds.
SECONDS = 0.2
PATIENCE = 3

TIMED = """
import json, sys, time
import suffice as sf

def best(call):
    taken = []
    for _ in range(5):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken)

path = sys.argv[1]
model = sf.load(path)
print(json.dumps([best(lambda: sf.load(path)), best(lambda: model.save(path))]))
"""


@pytest.mark.parametrize("name", WIDE)
def test_a_hundred_thousand_columns(name, tmp_path):
    model, path = WIDE[name](), tmp_path / "wide.suffice"
    model.save(path)
    done = subprocess.run([sys.executable, "-c", TIMED, path], capture_output=True, text=True, check=True)
    loading, saving = json.loads(done.stdout)
    assert loading <= SECONDS * PATIENCE
    assert saving <= SECONDS * PATIENCE  # of the processor; the disk takes its time
    again = sf.load(path)
    assert again == model
    assert again.schema.width == 100_000


def test_a_hundred_and_thirty_thousand_words(tmp_path):
    model, path = words(), tmp_path / "words.suffice"
    model.save(path)
    done = subprocess.run([sys.executable, "-c", TIMED, path], capture_output=True, text=True, check=True)
    loading, saving = json.loads(done.stdout)
    assert loading <= SECONDS * PATIENCE
    assert saving <= SECONDS * PATIENCE
    again = sf.load(path)
    assert again == model
    before = again.predict({"body": ["größe 3 w7919 w1"]})
    assert before == model.predict({"body": ["größe 3 w7919 w1"]})
    (tokens,) = again.core.parts[0]
    assert len(tokens.vocabulary) == 130_000
    assert "words" not in vars(tokens.vocabulary)  # nobody asked for them as text


def test_the_file_grows_with_the_columns_and_the_header_does_not(tmp_path):
    lengths = []
    for columns in (1_000, 100_000):
        path = tmp_path / "wide.suffice"
        WIDE["categorical_text"](columns).save(path)
        lengths.append(int.from_bytes(path.read_bytes()[:8], "little"))
    assert lengths[1] < lengths[0] + 100  # some digits


def test_a_loaded_wide_model_merges_and_forgets(tmp_path):
    path = tmp_path / "wide.suffice"
    model = WIDE["categorical_text"](2_000)
    model.save(path)
    again = sf.load(path)
    both = again + model
    assert both - model == again
    np.testing.assert_array_equal(both.core.parts[0][7].values, 2 * model.core.parts[0][7].values)
