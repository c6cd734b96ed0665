"""Work that several threads share item by item."""

from __future__ import annotations

import threading

import pytest

from suffice.machine import map_in_parallel, thread_count


def test_what_is_made_comes_in_order_and_each_by_one_thread(monkeypatch):
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    made = list(map_in_parallel(range(50), lambda item: (item, thread_count(), threading.current_thread().name), 3))
    assert [item for item, _, _ in made] == list(range(50))
    assert {threads for _, threads, _ in made} == {1}
    assert all(name.startswith("suffice-files") for _, _, name in made)
    assert thread_count() == 3


@pytest.mark.parametrize("items", [[], [7]])
def test_what_comes_alone_has_all_threads(items, monkeypatch):
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    here = threading.current_thread().name
    made = list(map_in_parallel(items, lambda item: (item, thread_count(), threading.current_thread().name), 3))
    assert made == [(item, 3, here) for item in items]


def test_what_is_wrong_with_one_is_raised_in_its_place():
    def work(item):
        if item == 4:
            raise ValueError("four")
        return item

    made = map_in_parallel(range(9), work, 2)
    assert [next(made) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(ValueError, match=r"^four$"):
        next(made)
