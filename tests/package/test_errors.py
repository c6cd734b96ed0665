"""Errors are records: fields for programs, and a sentence in the wording of each interface."""

from __future__ import annotations

import ast
import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.cli.failures import SHELL
from suffice.errors import DataError, ParameterError

Y = np.array([0, 0, 1, 1])


def raised(call):
    with pytest.raises(sf.SufficeError) as caught:
        call()
    return caught.value


CASES = {
    "infinite": (
        lambda: sf.fit({"a": [1.0, 2.0, math.inf, 4.0]}, Y, columns=sf.Gaussian()),
        {"row": 2, "column": "a", "got": math.inf},
        "row 2, column 'a': values must be finite, or NaN if missing: got inf. Replace it, or use columns={'a': "
        "Histogram()}, which accepts ±inf.",
    ),
    "negative": (
        lambda: sf.fit(np.array([[1.0], [-2.0], [0.0], [3.0]]), Y, columns=sf.Multinomial()).predict([[-2.0]]),
        {"row": 1, "column": 0, "got": -2.0},
        "row 1, column 0: counts must be ≥ 0: got -2.0. Use columns={0: Numeric()} if the column does not hold counts.",
    ),
    "not_a_number": (
        lambda: sf.fit({"age": [1, 2, "x", 4]}, Y, columns={"age": sf.Gaussian()}),
        {"row": 2, "column": "age", "got": "x"},
        "row 2, column 'age': must be a number: got 'x'. Use columns={'age': Categorical()} for categories, or "
        "exclude it with columns={'age': None}.",
    ),
    "bad_label": (
        lambda: sf.fit([[1.0], [2.0]], [0.5, 1.0]),
        {"row": 0, "column": None, "got": 0.5},
        "row 0: class labels must be integers, booleans or strings: got 0.5. "
        "Bin a real-valued target into classes, or convert it to strings.",
    ),
    "bad_weight": (
        lambda: sf.fit([[1.0], [2.0]], [0, 1], columns=sf.Gaussian(), weights=[1.0, -1.0]),
        {"row": 1, "column": None, "got": -1.0},
        "row 1: weights must be finite and ≥ 0: got -1.0. Remove the row; to subtract rows, use model.forget(...).",
    ),
    "no_target": (
        lambda: sf.fit([[1.0], [2.0]]),
        {"row": None},
        "the target is missing. Give target=: an array, or the name of a column.",
    ),
    "no_such_column": (
        lambda: sf.fit({"age": [1, 2]}, "agee"),
        {},
        "target column 'agee' is not in the data. Did you mean 'age'?",
    ),
    "bad_line": (
        lambda: sf.fit(rows_file("x,y\n1,a\n2,b,c\n3,b\n"), "y"),
        {"line": 3, "row": None, "column": None},
        "rows.csv, line 3: 3 fields instead of 2: '2,b,c'. Fix it, or skip bad lines with skip_bad_lines=True.",
    ),
    "not_utf8": (
        lambda: sf.fit(rows_file("x,y\ncafé,a\ncafé,b\n", "latin-1"), "y"),
        {"line": 2},
        "rows.csv, line 2: byte 0xe9 is not UTF-8. Give its encoding, for example encoding='latin-1'.",
    ),
    "no_rows": (
        lambda: sf.fit(rows_file(""), "y"),
        {"file": "rows.csv"},
        "rows.csv: the file is empty: it has neither a header nor rows.",
    ),
    "not_an_option": (
        lambda: sf.fit([[1.0], [2.0]], [0, 1], estimate="best"),
        {"parameter": "estimate", "got": "best"},
        "estimate must be 'mle' or 'smoothed' or 'map' or 'mean' or 'predictive': got 'best'.",
    ),
    "different_schema": (
        lambda: (
            sf.fit({"a": [1.0, 2.0]}, [0, 1], columns=sf.Gaussian())
            + sf.fit({"b": [1.0, 2.0]}, [0, 1], columns=sf.Gaussian())
        ),
        {},
        "the models have different schemas.\nleft:  1 column\n  'a': Gaussian()\nright: 1 column\n"
        "  'b': Gaussian()\nFit one of them with the schema of the other, using like=.",
    ),
    "model_file": (
        lambda: sf.load(rows_file("no model")),
        {"file": "rows.csv"},
        "rows.csv: cannot be loaded: it is not a suffice model (it looks like text). "
        "Pass the path of a file that suffice has saved.",
    ),
}
# What has other words in the shell.
IN_SHELL = {
    "not_a_number": "Use --column age=categorical for categories, or exclude it with --drop age.",
    "bad_weight": "Remove the row; to subtract rows, use `suffice forget`.",
    "no_target": "Give --target: an array, or the name of a column.",
    "bad_line": "Fix it, or skip bad lines with --skip-bad-lines.",
    "not_utf8": "Give its encoding, for example --encoding latin-1.",
    "different_schema": "Fit one of them with the schema of the other, using --schema.",
}


def rows_file(text, encoding="utf-8"):
    Path("rows.csv").write_text(text, encoding=encoding)
    return "rows.csv"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", IN_SHELL)
def test_the_shell_has_its_own_words(kind):
    error = raised(CASES[kind][0])
    assert error.advised(SHELL) == IN_SHELL[kind]
    assert error.sentence(SHELL).endswith(IN_SHELL[kind])
    assert error.advised() != IN_SHELL[kind]


@pytest.mark.parametrize("kind", CASES)
def test_each_kind_has_fields_and_a_sentence(kind):
    call, fields, sentence = CASES[kind]
    error = raised(call)
    assert error.kind == kind
    assert {name: getattr(error, name) for name in fields} == fields
    assert str(error) == sentence


def test_a_name_that_looks_like_a_row_is_left_alone():
    collector = sf.Collector({"row 0": sf.Gaussian()})
    for value in range(3):
        collector.add_row({"row 0": float(value)}, value % 2)
    collector.add_row({"row 0": "x"}, 0)
    error = raised(collector.model)
    assert (error.row, error.column, error.got) == (3, "row 0", "x")


def test_located_returns_a_copy():
    error = DataError("must be a number", row=0, got="x")
    other = error.located(row=7, column="age")
    assert (error.row, error.column) == (0, None)
    assert (other.row, other.column, other.got, other.problem) == (7, "age", "x", "must be a number")
    assert type(other) is DataError


@pytest.mark.parametrize("travel", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])  # noqa: S301
def test_an_error_travels_with_its_sentence(travel):
    error = ParameterError(
        "is too small", column="a", got=-1, advice=lambda words: f"Leave it out with {words.column('a', None)}."
    )
    assert (
        str(travel(error)) == str(error) == ("column 'a': is too small: got -1. Leave it out with columns={'a': None}.")
    )


OURS = {"Record", "SufficeError", "DataError", "ParameterError", "MergeError", "ModelFileError"}
EDITS = {"replace", "partition", "rpartition", "split", "splitlines", "removeprefix", "removesuffix", "sub", "strip"}


def edited_errors(source):
    """Return the lines in which an error of ours is turned into text, or a field of it is edited as text."""
    lines = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ExceptHandler(type=caught, name=str(name)) if caught is not None:
                if OURS & {each.id for each in ast.walk(caught) if isinstance(each, ast.Name)}:
                    lines |= {each.lineno for part in node.body for each in ast.walk(part) if is_text_of(each, name)}
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="problem" | "advice"), attr=method)):
                lines |= {node.lineno} if method in EDITS else set()
            case _:
                pass
    return sorted(lines)


def is_text_of(node, name):
    match node:
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=given)]):
            return given == name
        case ast.FormattedValue(value=ast.Name(id=given)):
            return given == name
        case _:
            return False


def test_no_module_edits_the_text_of_an_error():
    folder = Path(sf.__file__).parent
    paths = [path for path in sorted(folder.rglob("*.py")) if path.name != "errors.py"]
    assert len(paths) > 100
    assert {path.name: lines for path in paths if (lines := edited_errors(path.read_text(encoding="utf-8")))} == {}


def test_edits_are_found():
    source = """
try:
    fit(rows)
except (DataError, OSError) as reason:
    raise DataError(f"column 'a': {reason}") from None
except MergeError as reason:
    text = str(reason)
except ValueError as reason:
    text = str(reason)
text = error.problem.replace("row 0", "row 7")
"""
    assert edited_errors(source) == [5, 7, 10]
