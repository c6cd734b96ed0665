"""What a term or a likelihood does is a method of it: no other file asks which of them it has.

Looked for are isinstance and issubclass, class patterns of match, comparisons with type(…), singledispatch, and tables whose keys
are classes. An assertion chooses nothing and is allowed, and so is the question whether an argument is a likelihood at all.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import suffice.likelihoods
from suffice.likelihoods import Likelihood
from suffice.likelihoods.terms import Term

SOURCE = Path(suffice.likelihoods.__file__).parents[1]


def subclasses(kind):
    """Return every class below one."""
    return {each for below in kind.__subclasses__() for each in {below, *subclasses(below)}}


def guarded() -> dict[str, str]:
    """Return the name of each term and likelihood of the package, and the module that it is in."""
    for module in pkgutil.walk_packages(suffice.likelihoods.__path__, "suffice.likelihoods."):
        importlib.import_module(module.name)
    found = subclasses(Term) | subclasses(Likelihood)
    return {kind.__name__: kind.__module__ for kind in found if kind.__module__.startswith("suffice.")}


def names_in(node: ast.AST) -> set[str]:
    """Return the names that stand in an expression, with or without their modules."""
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in ast.walk(node)
        if hasattr(each, "id") or hasattr(each, "attr")
    }


def dispatches(text: str) -> list[tuple[int, set[str]]]:
    """Return the line of each dispatch on a type, and the names of the types."""
    tree = ast.parse(text)
    asserted = {id(each) for node in ast.walk(tree) if isinstance(node, ast.Assert) for each in ast.walk(node)}
    found: list[tuple[int, set[str]]] = []
    for node in ast.walk(tree):
        if id(node) in asserted:
            continue
        if isinstance(node, ast.Call) and names_in(node.func) & {"isinstance", "issubclass"}:
            found.append((node.lineno, names_in(node.args[1])))
        elif isinstance(node, ast.Call) and names_in(node.func) & {
            "register",
            "singledispatch",
            "singledispatchmethod",
        }:
            found.append((node.lineno, {name for each in node.args for name in names_in(each)}))
        elif isinstance(node, ast.MatchClass):
            found.append((node.lineno, names_in(node.cls)))
        elif isinstance(node, ast.Compare) and any(
            isinstance(each, ast.Call) and names_in(each.func) == {"type"} for each in (node.left, *node.comparators)
        ):
            found.append((node.lineno, names_in(node)))
        elif isinstance(node, ast.Dict):
            found.extend((key.lineno, names_in(key)) for key in node.keys if isinstance(key, (ast.Name, ast.Attribute)))
    return found


def test_no_file_asks_which_term_or_likelihood_it_has():
    kinds = guarded()
    found: dict[str, list[tuple[int, str]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        file, text = str(path.relative_to(SOURCE)), path.read_text(encoding="utf-8")
        assert "singledispatch" not in text, file
        module = ".".join(["suffice", *Path(file).with_suffix("").parts])
        for line, names in dispatches(text):
            elsewhere = [name for name in sorted(names) if kinds.get(name, module) != module]
            found.setdefault(file, []).extend((line, name) for name in elsewhere)
    assert not {file: where for file, where in found.items() if where}


def test_terms_and_likelihoods_are_found():
    kinds = guarded()
    assert {"Quadratic", "Levels", "TokenPolya", "Observed"} <= set(kinds)
    assert {"Gaussian", "Words", "TextLikelihood"} <= set(kinds)


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(term, Levels)",
        "isinstance(term, (int, terms.Levels))",
        "issubclass(kind, Levels)",
        "type(term) is Levels",
        "Levels == type(term)",
        "type(term) in (Levels, int)",
        "match term:\n    case Levels(columns=c):\n        pass",
        "match term:\n    case terms.Levels():\n        pass",
        "@told.register(Levels)\ndef _(term): ...",
        "TABLE = {Levels: 1}",
    ],
)
def test_each_way_to_ask_is_seen(text):
    assert any("Levels" in names for _, names in dispatches(text))


@pytest.mark.parametrize(
    "text", ["assert isinstance(term, Levels)", "Levels(columns)", "TABLE = {'Levels': Levels}", "{name: 1}"]
)
def test_what_is_no_question_is_not_seen(text):
    assert not any("Levels" in names for _, names in dispatches(text))
