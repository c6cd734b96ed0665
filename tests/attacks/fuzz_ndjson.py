"""Fuzz text files of rows: `python -m tests.attacks.fuzz_ndjson --seconds 600`, from the root.

Three quarters of the files are NDJSON, the others CSV. Records have values of every kind of JSON: nested ones, mixed
types, integers of 400 digits, numbers beyond float64, escapes, zero bytes and lone surrogates in names and values, keys
that repeat. Then some bytes are flipped, cut, doubled or replaced, or the file is truncated. Some files are compressed.
Every file goes to `fit`, and to models of other files through `predict`, `update`, `evaluate` and `explain`.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard

import suffice as sf
from tests.attacks.fuzzing import Trial, main

NAMES = [
    "y",
    "x",
    "fur",
    "legs",
    "größe",
    "",
    " ",
    "a.b",
    "y ",
    "Y",
    "\U0001f408",
    "x" * 300,
    'say "hi"',
    "a,b",
    "0",
    "-1",
    "*",
    "^.*$",
    "^x$",
]
ODD_NAMES = ["x\0", "\0", "a\nb", "\ud800", "\ufeffy", "\u202ey", "x\t"]
TEXTS = [
    "black",
    "white",
    "a few words of text",
    "",
    " ",
    "größe",
    "\U0001f408",
    "null",
    "NaN",
    "1",
    "true",
    "1e5",
    "a,b",
    '"',
]
ODD_TEXTS = ["\0", "\ud800", "\udc00x", "\ufeff", "\x1b[31m", "a\nb", "x" * 5000, "\r", "\x85"]
NUMBERS: list[Any] = [0, 1, -1, 2, 3, 0.5, -2.25, 1e8, True, False, None, 7, 12]
ODD_NUMBERS = ["1e999", "-1e999", "1e-999", "9" * 400, *(str(n) for n in (2**63, 2**64, -(2**63) - 1, 2**127, 2**128))]
NO_JSON = [
    "NaN",
    "Infinity",
    "-Infinity",
    "00",
    "1.",
    ".5",
    "+1",
    "0x10",
    "1e",
    "1_000",
    "nul",
    "tru",
    "--1",
    "١",
    "'a'",
    "{a:1}",
    "[1,]",
]
PIECES = [bytes([sign]) for sign in b"{}[]\":,\\\n\0'#;\t|\xff\xc3"] + [
    b'""',
    b"null",
    b"1e999",
    b"/*",
    b"\r\n",
    b"\n\n\n",
    b" " * 1000,
]
PIECES += [b"\\u", b"\\u0000", b"\\ud800", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xff\xfe", b"\x80" * 20]
PIECES += [b"\x1f\x8b", b"PAR1", b"ARROW1", b"{" * 200, b"]" * 200, b"[" * 2000, b'{"a":' * 500]


def value(trial: Trial, depth: int = 0) -> str:
    """Return the JSON of a value."""
    chance = trial.chance
    kind = chance.random()
    if kind < 0.5:
        return json.dumps(chance.choice(NUMBERS))
    if kind < 0.85:
        return json.dumps(chance.choice(TEXTS), ensure_ascii=chance.random() < 0.5)
    if kind < 0.9:
        return chance.choice(ODD_NUMBERS)
    if kind < 0.905:
        return chance.choice(NO_JSON)
    if kind < 0.94:
        return json.dumps(chance.choice(ODD_TEXTS))
    if depth < 3:
        inner = [value(trial, depth + 1) for _ in range(chance.randrange(3))]
        if kind < 0.97:
            return f"[{','.join(inner)}]"
        return "{" + ",".join(f"{name(trial)}:{each}" for each in inner) + "}"
    return "[" * 300 + "]" * 300


def name(trial: Trial) -> str:
    odd = trial.chance.random() < 0.03
    return json.dumps(trial.chance.choice(ODD_NAMES if odd else NAMES), ensure_ascii=trial.chance.random() < 0.7 or odd)


def ndjson(trial: Trial) -> bytes:
    """Return the lines of a file, most of them records of one shape."""
    chance = trial.chance
    rows = chance.choice([0, 1, 2, 12, 40])
    columns = {f'"{each}"': chance.choice(["texts", "numbers", "mixed"]) for each in ("x", "fur", "z")}
    for _ in range(chance.choice([0, 0, 1, 2])):
        columns[name(trial)] = "mixed"
    lines: list[str] = []
    for row in range(rows):
        record = [f'"y":{json.dumps(chance.choice(["a", "b"]))}'] if chance.random() < 0.97 else []
        for column, kind in columns.items():
            odd = chance.random() < 0.01
            if odd or kind == "mixed":
                cell = value(trial)
            else:
                cell = json.dumps(chance.choice(TEXTS[:4] if kind == "texts" else NUMBERS))
            record.append(f"{column}:{cell}")
        if chance.random() < 0.01:
            record.append(record[-1])
        if row and chance.random() < 0.2:
            chance.shuffle(record)
        lines.append("{" + chance.choice([",", ",", ", "]).join(record) + "}")
    return chance.choice(["\n", "\n", "\n", "\r\n", "\n\n"]).join([*lines, ""]).encode("utf-8", "surrogatepass")


def csv(trial: Trial) -> bytes:
    chance = trial.chance
    sign = chance.choice([",", ",", ";", "\t", "|"])
    header = ["y", "x", "fur", *(chance.choice([*NAMES, *ODD_NAMES]) for _ in range(chance.randrange(2)))]

    def cell() -> str:
        kind = chance.random()
        if kind < 0.6:
            return str(chance.choice(NUMBERS))
        if kind < 0.9:
            return chance.choice(TEXTS)
        if kind < 0.95:
            return chance.choice(ODD_NUMBERS)
        return '"' + chance.choice(ODD_TEXTS).replace('"', '""') + '"'

    lines = [sign.join(header)]
    lines += [
        sign.join([chance.choice(["a", "b"]), *(cell() for _ in header[1:])])
        for _ in range(chance.choice([0, 1, 12, 60]))
    ]
    return chance.choice(["\n", "\r\n"]).join([*lines, ""]).encode("utf-8", "surrogatepass")


def damaged(raw: bytes, trial: Trial) -> bytes:
    """Change some bytes."""
    chance = trial.chance
    for _ in range(chance.choice([0, 0, 0, 1, 1, 2, 5])):
        at = chance.randrange(len(raw) + 1)
        match chance.randrange(6):
            case 0 if raw:
                at = chance.randrange(len(raw))
                raw = raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1 :]
            case 1:
                raw = raw[:at] + chance.choice(PIECES) + raw[at:]
            case 2:
                raw = raw[:at] + raw[at + chance.choice([1, 3, 40]) :]
            case 3:
                raw = raw[:at] + raw[max(at - chance.choice([1, 10, 100]), 0) :]
            case 4:
                raw = raw[:at]
            case _:
                raw = raw[:at] + chance.choice(PIECES) + raw[at + chance.choice([1, 4, 20]) :]
    return raw[: 1 << 20]


COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}
LIKELIHOODS: list[Callable[[], Any]] = [
    lambda: None,
    lambda: None,
    lambda: {"x": sf.Gaussian(), "*": None},
    lambda: {"fur": sf.Categorical(unseen="mass"), "*": None},
    lambda: {"*": sf.Categorical(missing="level")},
    lambda: {"fur": sf.Words(), "x": sf.Poisson()},
    lambda: {"x": None},
]


class Files:
    """The folder that the files lie in, and models of good files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / "good.ndjson"
        rows = [{"y": "ab"[i % 2], "x": i % 7, "fur": TEXTS[i % 3], "z": i / 4} for i in range(60)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        ways: list[Any] = [None, {"x": sf.Categorical(), "*": None}, {"fur": sf.Words()}, {"*": sf.Categorical()}]
        self.models = [sf.fit(str(path), "y", columns=columns) for columns in ways]

    def __call__(self, trial: Trial) -> None:
        chance = trial.chance
        form = chance.choice(["ndjson", "ndjson", "ndjson", "csv"])
        raw = damaged(ndjson(trial) if form == "ndjson" else csv(trial), trial)
        suffix = f".{form}"
        if chance.random() < 0.1:
            pack = chance.choice(list(COMPRESSED))
            raw, suffix = COMPRESSED[pack](raw), suffix + pack
            if chance.random() < 0.5:
                raw = damaged(raw, trial)
        path = self.folder / f"rows{suffix}"
        path.write_bytes(raw)
        way = chance.choice([self.fit, self.model])
        trial.describe(f"{form}, {way.__name__}", file=raw[:1500], suffix=suffix, bytes=len(raw))
        data = sf.Files(str(path), skip_bad_lines=chance.random() < 0.6)
        try:
            way(trial, data)
        finally:
            path.unlink()

    def fit(self, trial: Trial, path: sf.Files) -> None:
        columns = trial.chance.choice(LIKELIHOODS)()
        target = trial.chance.choice(["y", "y", "y", "y", 0, -1, "fur"])
        trial.facts.update(columns=columns, target=target)
        model = trial.ask("fit", lambda: sf.fit(path, target, columns=columns))
        if model is not None:
            trial.ask("predict_proba", lambda: model.predict_proba(path))
            if trial.chance.random() < 0.1:
                trial.ask(
                    "evaluate", lambda: sf.evaluate(path, target, columns=columns, folds=2, bootstrap=0).confusion
                )
                trial.ask("fit, calibrated", lambda: sf.fit(path, target, columns=columns, calibrate="auto"))

    def model(self, trial: Trial, path: sf.Files) -> None:
        model = trial.chance.choice(self.models)
        method = trial.chance.choice(
            ["predict", "predict_proba", "log_joint", "update", "forget", "evaluate", "explain"]
        )
        trial.facts.update(method=method, model=model.schema)
        call = getattr(model, method)
        trial.ask(method, lambda: call(path, bootstrap=0).confusion if method == "evaluate" else call(path))


if __name__ == "__main__":
    main(Files, __doc__)
