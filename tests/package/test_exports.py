"""The public names resolve, have docstrings, and are known to type checkers."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
from pathlib import Path

import pytest

import suffice
from suffice.errors import SufficeError, SufficeWarning


@pytest.mark.parametrize("name", suffice.__all__)
def test_every_public_name_resolves_and_has_a_docstring(name):
    thing = getattr(suffice, name)
    assert thing.__name__ == name
    if isinstance(thing, type):  # a function has its own or none
        assert "__doc__" in vars(thing), f"suffice.{name} inherits its docstring instead of having one"
    assert thing.__doc__.strip()


def test_the_names_are_sorted_unique_and_all_that_dir_shows():
    assert suffice.__all__ == sorted(set(suffice.__all__))
    assert dir(suffice) == sorted([*suffice.__all__, "concepts", "errors", "statistics", "__version__"])


def test_a_star_import_brings_exactly_the_public_names():
    space: dict[str, object] = {}
    exec("from suffice import *", space)  # noqa: S102  the statement under test
    assert set(space) - {"__builtins__"} == set(suffice.__all__)


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(suffice.__file__).read_text(encoding="utf-8"))
    static = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("suffice.")
        for alias in node.names
    }
    assert static == set(suffice.__all__)


def test_every_name_is_mentioned_in_the_package_docstring():
    words = set((suffice.__doc__ or "").replace(",", " ").replace(".", " ").split())
    assert set(suffice.__all__) <= words


def test_version_is_the_installed_one():
    assert suffice.__version__ == importlib.metadata.version("suffice")


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(AttributeError) as caught:
        _ = suffice.BetaBinomal
    assert str(caught.value) == "suffice has no 'BetaBinomal'. Did you mean 'BetaBinomial'?"


def test_a_name_like_no_other_gets_the_list():
    with pytest.raises(AttributeError) as caught:
        _ = suffice.xyzzy
    assert str(caught.value) == f"suffice has no 'xyzzy'. It has: {', '.join(suffice.__all__)}."


def test_every_error_is_public_and_a_suffice_error():
    import suffice.errors

    tree = {thing for _, thing in inspect.getmembers(suffice.errors, inspect.isclass) if issubclass(thing, Exception)}
    assert len(tree) > 4
    for error in tree - {suffice.errors.Record}:
        assert issubclass(error, (SufficeError, SufficeWarning))
        assert error.__name__ in suffice.errors.__all__
