"""Laws of the model file: a loaded model equals the saved one and behaves like it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.api import fit
from suffice.models import Provenance
from suffice.sources.files.source import Dialect
from suffice.statistics import Axis, Counts
from suffice.statistics.counts import CountsTable
from tests.laws.test_model_laws import columns, estimates, subtractable, tables
from tests.laws.test_statistics_storage_laws import LABELS

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowsWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenClassesWarning"),
    pytest.mark.filterwarnings("ignore::suffice.errors.UnseenLevelsWarning"),
]

TEXTS = st.text(st.characters(), max_size=5)
NAMES = st.one_of(st.none(), TEXTS, st.integers(-(2**70), 2**70))
DIALECTS = st.builds(
    Dialect,
    st.one_of(st.none(), TEXTS),
    st.one_of(st.none(), st.booleans()),
    st.booleans(),
    st.one_of(st.none(), TEXTS),
    st.one_of(st.none(), st.lists(TEXTS, max_size=3).map(tuple)),
)
PROVENANCES = st.builds(
    Provenance,
    st.integers(0, 2**63 - 1),
    st.lists(TEXTS, max_size=3).map(tuple),
    TEXTS,
    TEXTS,
    NAMES,
    NAMES,
    st.one_of(st.none(), DIALECTS),
)


def stored(model: sf.Model) -> sf.Model:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.suffice"
        model.save(path)
        again = sf.load(path)
        before = path.read_bytes()
        again.save(path)
        assert path.read_bytes() == before
    assert again == model
    assert again.provenance == model.provenance
    return again


@given(tables(), columns, estimates, PROVENANCES)
def test_any_model_reads_back(a, kinds, estimate, told):
    model = fit(a[0], a[1], columns=kinds, estimate=estimate, weights=a[2], calibrate=False)
    again = stored(sf.Model(model.core, told))
    if len(a[1]):
        np.testing.assert_array_equal(again.log_joint(a[0]), model.log_joint(a[0]))
        assert again.log_evidence() == model.log_evidence()


@given(tables(1), tables(), subtractable, estimates)
def test_a_stored_model_merges_updates_forgets_and_changes_options_as_before(a, b, kinds, estimate):
    model = fit(a[0], a[1], columns=kinds, weights=a[2], calibrate=False)
    other = fit(b[0], b[1], columns=kinds, weights=b[2], calibrate=False)
    again, more = stored(model), stored(other)
    assert again + more == model + other
    assert again.update(b[0], b[1], weights=b[2]) == model.update(b[0], b[1], weights=b[2])
    both = stored(again + more)
    assert both - more == (model + other) - other
    assert both.forget(b[0], b[1], weights=b[2]) == (model + other).forget(b[0], b[1], weights=b[2])
    assert again.with_options(estimate=estimate) == model.with_options(estimate=estimate)
    assert again.scale(0.5) == model.scale(0.5)
    stored((both - more).with_options(estimate=estimate).prune(2))


@given(st.lists(st.tuples(LABELS, LABELS, st.sampled_from(["a", "b", "c"])), max_size=8), st.booleans(), st.booleans())
def test_counts_of_any_labels_are_the_parts_of_their_table(rows, declared, per_level):
    classes = Axis.of(["a", "b", "c"], [True, False, False])
    parts = []
    for at in (0, 1):
        counts = Counts.zero(Axis.of([f"declared {at}"], declared=True) if declared else Axis(), classes)
        for row in rows:
            observed = [[1.0]]
            counts += Counts(Axis.of([row[2]]), Axis.of([row[at]]), [[1.0]], observed, per_level and at == 0)
        parts.append(counts)
    table = CountsTable.of(parts, classes)
    again = CountsTable(
        classes,
        table.sizes,
        table.kinds,
        list(table.labels),
        table.declared,
        table.values,
        table.observed,
        table.per_level,
        table.class_declared,
    )
    assert again == tuple(parts)
    assert tuple(parts) == again
    for mine, theirs in zip(again, parts, strict=True):
        assert repr(mine.levels.labels) == repr(theirs.levels.labels)
        assert mine.levels.kinds == theirs.levels.kinds
        assert mine + theirs == theirs + theirs
