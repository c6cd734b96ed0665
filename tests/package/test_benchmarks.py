"""The benchmark harness: honest bookkeeping, on inputs small enough to check by eye."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import fields

import numpy as np
import pytest

import benchmarks
import benchmarks.__main__
from benchmarks import measure, memory, quality, table, timing
from benchmarks.work import BENCHES, Bench, Size, Work

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.TargetWarning")  # twenty classes in a hundred rows

SMALL = Size(rows=500, columns=3)
OTHER_INPUT = {"words_fit", "words_predict", "one_row"}  # a sparse matrix, and one row a thousand times
OTHER_INPUT |= {"load_moments", "load_counts", "load_levels", "save_counts"}  # a model file


@pytest.mark.parametrize("name", BENCHES)
def test_ours_and_the_peer_agree_on_every_bench_and_any_number_of_threads(name):
    work = BENCHES[name].make(SMALL)
    theirs = work.theirs()
    for threads in (None, 1, 2):
        work.agree(work.ours(threads), theirs)
    if name not in OTHER_INPUT:
        assert work.input_bytes == SMALL.rows * SMALL.columns * 8


@pytest.mark.parametrize("name", BENCHES)
def test_a_different_input_does_not_agree(name):
    theirs = BENCHES[name].make(Size(rows=400, columns=3)).theirs()
    work = BENCHES[name].make(SMALL)
    with pytest.raises(AssertionError):
        work.agree(work.ours(None), theirs)


def test_every_class_occurs_in_the_smallest_input():
    assert set(Size(rows=10).codes()) == set(range(5))


def test_calls_are_warmed_and_then_take_turns(monkeypatch):
    order = []
    monkeypatch.setattr(timing, "warm", lambda call: order.append("warm"))
    medians = timing.medians([lambda: order.append("a"), lambda: order.append("b")], [3, 1])
    assert order == ["a", "b", "warm", "a", "warm", "b", "warm", "a", "warm", "a"]
    assert all(seconds > 0 for seconds in medians)


def test_a_call_is_warm_when_it_has_run_alone_for_a_while(monkeypatch):
    calls = []
    clock = iter([0.0, 0.04, 0.08, 0.12])
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    timing.warm(lambda: calls.append(1), for_seconds=0.1)
    assert len(calls) == 3


def test_the_median_is_taken_over_the_runs(monkeypatch):
    clock = iter([0, 5, 10, 11, 20, 23])  # three runs: 5 s, 1 s, 3 s
    monkeypatch.setattr(timing, "warm", lambda call: None)
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    assert timing.medians([lambda: None], [3]) == [3]


def test_the_yardstick_reads_every_number():
    assert timing.Reading.over(1 << 20)() == 1 << 17


@pytest.fixture
def doubling(monkeypatch):
    """A bench whose peer does everything twice, registered for the test."""
    x = np.ones(1000)
    work = Work(lambda _: x.sum(), lambda: (x.sum(), x.sum()), x.nbytes, lambda ours, theirs: None)
    monkeypatch.setitem(BENCHES, "doubling", Bench("doubling", "twice", lambda _: work, peer_runs=2))
    monkeypatch.setattr(measure, "extra_in_child", lambda name, size: 1234)
    return work


def test_a_bench_gives_a_row_against_the_peer_and_one_for_threads(doubling, monkeypatch):
    turns = []
    monkeypatch.setattr(measure, "medians", lambda calls, repeats: turns.append(repeats) or [2.0, 3.0, 0.5])
    reading = timing.Reading.over(800)
    against, threads = measure.rows(["doubling"], SMALL, repeat=3, reading=reading)
    assert turns == [[3, 2, 3], [3, 3, 3]]
    assert (against.work, against.peer, against.peer_runs, against.extra_bytes) == ("doubling", "twice", 2, 1234)
    assert (threads.work, threads.peer, threads.peer_runs, threads.extra_bytes) == (
        "doubling ×2 threads",
        "one thread",
        3,
        None,
    )
    for row in (against, threads):
        assert row.input_bytes == doubling.input_bytes
        assert row.ratio == 1.5
        assert row.bytes_per_second == row.input_bytes / 2
        assert row.read_bandwidth == 1600
        assert row.bandwidth_share == row.bytes_per_second / 1600


def test_disagreement_stops_the_benchmark(doubling, monkeypatch):
    def disagree(ours, theirs):
        raise AssertionError("no")

    wrong = Work(doubling.ours, doubling.theirs, doubling.input_bytes, disagree)
    monkeypatch.setitem(BENCHES, "doubling", Bench("doubling", "twice", lambda _: wrong))
    with pytest.raises(AssertionError, match="no"):
        list(measure.rows(["doubling"], SMALL, repeat=1, reading=timing.Reading.over(8)))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process reset its peak")
def test_extra_memory_is_what_the_work_needs_beyond_its_input(monkeypatch):
    def make(size: Size) -> Work:
        x = np.ones(size.rows)
        return Work(lambda _: (x + x)[:1].copy(), lambda: None, x.nbytes, lambda ours, theirs: None)

    monkeypatch.setitem(BENCHES, "copying", Bench("copying", "nobody", make))
    size = Size(rows=8 << 20)  # 64 MiB, and the work makes as much again for a moment
    extra = memory.extra_here("copying", size)
    assert extra == pytest.approx(64 << 20, rel=0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process reset its peak")
def test_the_child_measures_a_registered_bench():
    extra = memory.extra_in_child("moments", Size(rows=20_000, columns=50))
    assert extra is not None
    assert 0 <= extra < 64 << 20


def test_a_failing_child_says_what_failed():
    with pytest.raises(RuntimeError, match=r"measuring the memory of nothing failed:\n(.|\n)*KeyError"):
        memory.extra_in_child("nothing", SMALL)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(12.3456, "12.3 s"), (1, "1 s"), (0.04567, "45.7 ms"), (0.000789, "789 µs")]
)
def test_durations_have_three_digits(seconds, shown):
    assert table.duration(seconds) == shown


def test_the_command_prints_a_table_and_writes_the_documented_json(doubling, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    file = tmp_path / "result.json"
    command = ["doubling", "--rows", "100", "--repeat", "3", "--json", str(file)]
    benchmarks.__main__.main(command, reading_bytes=1 << 20)
    shown = capsys.readouterr().out
    assert "100 × 50, 5 classes" in shown
    assert "twice (2 runs)" in shown
    written = json.loads(file.read_text(encoding="utf-8"))
    assert (written["rows"], written["columns"], written["classes"], written["repeat"]) == (100, 50, 5, 3)
    assert [row["work"] for row in written["results"]] == ["doubling", "doubling ×2 threads"]
    documented = benchmarks.__doc__.partition("The JSON is one object:")[2]
    for key in {*written, *(field.name for field in fields(measure.Row))}:
        assert key in documented.replace(",", " ").split()


def test_the_list_names_every_bench(capsys):
    benchmarks.__main__.main(["--list"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(BENCHES)


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (["momens"], f"unknown benchmark 'momens'. Choose from: {', '.join(BENCHES)}"),
        (["--rows", "3"], "--rows must be at least 10 (two per class), got 3"),
        (["--repeat", "0"], "--repeat must be at least 1, got 0"),
    ],
)
def test_wrong_usage_leaves_with_2(command, complaint, capsys):
    with pytest.raises(SystemExit) as left:
        benchmarks.__main__.main(command)
    assert left.value.code == 2
    assert complaint in capsys.readouterr().err


def test_quality_of_known_probabilities():
    p = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    log_loss, accuracy, ece = quality.score(p, np.array([0, 1, 1, 0]), bins=2)
    assert log_loss == pytest.approx(-np.log([0.9, 0.1, 0.8, 0.4]).mean())
    assert accuracy == 0.5
    assert ece == pytest.approx((abs(0.6 + 0.8 - 1) + abs(0.9 + 0.9 - 1)) / 4)
    assert quality.score(np.array([[1.0, 0.0]]), np.array([1]))[0] == pytest.approx(-np.log(1e-15))


def test_the_calibration_error_does_not_depend_on_the_order_of_equal_probabilities():
    p = np.repeat([[0.75, 0.25]], 40, axis=0)
    codes = np.repeat([0, 1], [30, 10])
    assert quality.score(p, codes)[2] == quality.score(p, codes[::-1])[2] == pytest.approx(0)


def test_the_split_caps_the_training_rows_and_drops_classes_that_become_rare():
    y = np.repeat(["a", "b", "c"], [5000, 4980, 20])
    ((train, test),) = quality.split(y, max_train=1000)
    assert not set(train) & set(test)
    assert set(y[train]) == set(y[test]) == {"a", "b"}
    assert (len(train), len(test)) == (998, 2994)


@pytest.mark.parametrize(
    ("ours", "peer", "close"), [(0.101, 0.1, 1), (0.1031, 0.1, 0), (1.01, 1.0, 1), (1.02, 1.0, 0), (0.003, 0.0, 1)]
)
def test_close_means_within_a_share_or_a_number_of_nats(ours, peer, close):
    rows = quality.Rows("here", None, np.array(["a"]), [])
    losses = {side: quality.Quality(loss, 1, 0, 1, 1) for side, loss in (("ours", ours), ("lr", peer))}
    line = quality.compare("close", ["lr"], [quality.Result(rows, quality.FOLDS, losses)], 0.01)
    assert f"{close} of 1 tables" in line
    assert ("here" in line) == (not close)


def test_quality_measures_peers_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(quality, "installed", {"lr": "1", "khiops": None}.get)
    cache = tmp_path / "quality.json"

    def run(*options):
        command = ["--peers", "lr", "khiops", "--data", str(tmp_path), "--cache", str(cache), "--only", "iris"]
        quality.main([*command, *options], reading_bytes=1 << 20)
        return capsys.readouterr().out

    shown = run("wine", "votes")
    assert "votes: skipped" in shown
    assert "no result of Khiops on iris, 70/30 split: khiops is not installed" in shown
    assert re.search(r"than LogisticRegression, 5 folds \(slack 1% or 0.003 nats\): \d of 2 tables", shown)
    assert "than Khiops, 70/30 split (slack 1% or 0.003 nats): no results" in shown
    stored = json.loads(cache.read_text(encoding="utf-8"))
    assert [(record["protocol"], record["table"], record["peer"]) for record in stored] == [
        (protocol, name, "lr") for protocol in ("5 folds", "70/30 split") for name in ("iris", "wine")
    ]
    before = cache.read_bytes()
    monkeypatch.setitem(quality.PEERS, "lr", quality.PEERS["lr"]._replace(fit=None))  # cannot be measured any more
    shown = run("--markdown")
    assert cache.read_bytes() == before
    assert "| iris | 150 | 4 | 3 |" in shown
    assert "LogisticRegression failed" not in shown
    assert "LogisticRegression failed on iris, 5 folds: TypeError" in run("--refresh", "lr")
    monkeypatch.setattr(quality, "installed", {"lr": "2"}.get)
    assert "| 0.1548 |" in run("--ours-only", "--markdown")  # the result of another version
    assert "LogisticRegression failed" in run()
