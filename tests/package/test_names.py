"""A name leads to one place: no function or class is defined twice at module level."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import suffice

ROOT = Path(suffice.__file__).parent


def test_no_function_or_class_is_defined_in_two_modules():
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            # A package's own __getattr__ and __dir__ have names that Python gives.
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("__"):
                modules[node.name].append(str(path.relative_to(ROOT)))
    assert not {name: paths for name, paths in modules.items() if len(paths) > 1}
