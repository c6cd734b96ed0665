"""Fuzz Arrow columns: `python -m tests.attacks.fuzz_arrow --seconds 600`, from the root.

Columns of every Arrow type, of PyArrow, Polars, pandas and streams filled in by hand, are features, targets, weights and
documents. A sound column of numbers, bools or text must give the model of the same values in a list. A damaged one must
be refused: offsets that fall, are negative or exceed the last one, codes outside of the dictionary, views outside of
their buffers, counts of missing rows that cannot be, buffers that are not there, unknown formats, streams that fail.

The Arrow C data interface hands over pointers without the sizes of what they point to. So buffers that are shorter than
length and offsets imply are left out here: no consumer can detect them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import suffice as sf
from suffice._core import arrow_chunks
from tests.attacks.fuzzing import Trial, main
from tests.attacks.hand_made_arrow import OTHER_NAME, HandMade

TEXTS = ["black", "white", "", "größe", "a longer text of several words", "\U0001f408", "0", "1", " ", "é" * 20]
WHOLE = [0, 1, 2, 3, 7, 100, -1, 127]
REALS = [0.0, 1.5, -2.25, 1e8, 0.1, 3.0]
INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
CODES = {"c": "b", "s": "h", "i": "i", "l": "q", "C": "B", "S": "H", "I": "I", "L": "Q"}
FEW_ROWS = [0, 1, 2, 9, 24, 70]


class Made(NamedTuple):
    """A column, its values where a list of them must give the same model, and whether it must be refused."""

    column: Any
    values: list[Any] | None
    damaged: bool
    about: str


def some(trial: Trial, values: list[Any], rows: int, missing: float | None = None) -> list[Any]:
    chance = trial.chance
    share = chance.choice([0.0, 0.0, 0.2, 1.0]) if missing is None else missing
    return [None if chance.random() < share else chance.choice(values) for _ in range(rows)]


def simple(trial: Trial, rows: int) -> Made:
    """A column of PyArrow that is read: numbers, bools, text, dictionaries of those."""
    chance = trial.chance
    kinds: list[tuple[Any, list[Any]]] = [
        *((kind, [v for v in WHOLE if v >= 0 or str(kind)[0] != "u"]) for kind in INTEGERS),
        *((kind, REALS[:3]) for kind in (pa.float16(), pa.float32())),
        (pa.float64(), REALS),
        (pa.bool_(), [True, False]),
        *((kind, TEXTS) for kind in (pa.string(), pa.large_string(), pa.string_view())),
        *((kind(9, 2), [Decimal("1.25"), Decimal("-3.00"), Decimal(0)]) for kind in (pa.decimal32, pa.decimal64)),
        *((kind(12, 2), [Decimal("1.25"), Decimal("-3.00"), Decimal(0)]) for kind in (pa.decimal128, pa.decimal256)),
        (pa.null(), [None]),
    ]
    kind, values = chance.choice(kinds)
    cells = some(trial, values, rows)
    if chance.random() < 0.3 and kind != pa.null() and not pa.types.is_decimal(kind) and kind != pa.float16():
        inner = pa.array(cells, kind if kind != pa.string_view() else pa.string()).dictionary_encode()
        index = chance.choice(INTEGERS)
        column: Any = inner if index == pa.int32() else inner.cast(pa.dictionary(index, inner.type.value_type))
    else:
        column = pa.array(cells, kind)
    plain = [float(cell) if isinstance(cell, Decimal) else cell for cell in cells]
    about = str(column.type)
    match chance.randrange(6):
        case 0 if rows > 2:
            start = chance.randrange(rows // 2)
            column, plain = column[start : rows - 1], plain[start : rows - 1]
            column = pa.concat_arrays([column]) if chance.random() < 0.3 else column
            return Made(column, plain, damaged=False, about=f"{about}, sliced")
        case 1:
            cut = chance.randrange(rows + 1)
            return Made(
                pa.chunked_array([column[:cut], column[cut:]]), plain, damaged=False, about=f"{about}, 2 chunks"
            )
        case 2:
            return Made(pa.chunked_array([column]), plain, damaged=False, about=f"{about}, 1 chunk")
        case 3:
            return Made(
                pd.Series(column, dtype=pd.ArrowDtype(column.type)), plain, damaged=False, about=f"pandas {about}"
            )
        case _:
            return Made(column, plain, damaged=False, about=about)


def of_polars(trial: Trial, rows: int) -> Made:
    chance = trial.chance
    kinds: list[tuple[Any, list[Any]]] = [
        (pl.Categorical, TEXTS),
        (pl.Enum(TEXTS), TEXTS),
        (pl.String, TEXTS),
        (pl.Int8, WHOLE),
        (pl.UInt64, [0, 1, 2**63]),
        (pl.Float32, REALS[:3]),
        (pl.Boolean, [True, False]),
        (pl.Int128, [*WHOLE, 2**70, -(2**100)]),
        (pl.Decimal(10, 2), [Decimal("1.5"), Decimal("-2.25")]),
        (pl.List(pl.Int64), [[1, 2], [], None]),
        (pl.Struct({"a": pl.Int64, "b": pl.String}), [{"a": 1, "b": "x"}]),
        (pl.Array(pl.Int8, 2), [[1, 2]]),
        (pl.Binary, [b"a", b""]),
        (pl.Null, [None]),
        (pl.Duration, []),
        (pl.Date, []),
        (pl.Datetime, []),
        (pl.Time, []),
        (pl.Object, [{1}, None]),
    ]
    kind, values = chance.choice(kinds)
    cells = some(trial, values or [None], rows)
    if not values and rows:
        series = pl.Series(trial.rng.integers(0, 1000, rows)).cast(kind)
    else:
        series = pl.Series(cells, dtype=kind, strict=False)
    read = kind in (pl.Categorical, pl.String, pl.Int8, pl.UInt64, pl.Float32, pl.Boolean, pl.Null) or kind == pl.Enum
    if chance.random() < 0.3 and rows > 1:
        cut = chance.randrange(rows)
        series = series[:cut].append(series[cut:]) if kind is not pl.Object else series
    return Made(series, series.to_list() if read else None, damaged=False, about=f"polars {kind}")


def nested(trial: Trial, rows: int) -> Made:
    """A column of a type that is not read: answered where nobody needs it, refused in words where somebody does."""
    chance = trial.chance
    day = [1, 2, 20_000, -5]
    kinds: list[tuple[Any, list[Any]]] = [
        *((kind, day) for kind in (pa.date32(), pa.timestamp("us"), pa.timestamp("s", "UTC"), pa.duration("ns"))),
        *((kind, day[:3]) for kind in (pa.time32("s"), pa.time64("us"))),
        (pa.binary(), [b"a", b"\xff"]),
        (pa.large_binary(), [b"a"]),
        (pa.binary_view(), [b"a" * 20]),
        (pa.binary(3), [b"abc"]),
        (pa.list_(pa.int8()), [[1], []]),
        (pa.large_list(pa.string()), [["a"], None]),
        (pa.list_view(pa.int8()), [[1], []]),
        (pa.list_(pa.int8(), 2), [[1, 2]]),
        (pa.struct({"a": pa.int8(), "b\u00fc": pa.string()}), [{"a": 1}]),
        (pa.map_(pa.string(), pa.int8()), [[("k", 1)]]),
        (pa.month_day_nano_interval(), [(1, 2, 3)]),
    ]
    kind, values = chance.choice(kinds)
    cells = some(trial, values, rows)
    try:
        column: Any = pa.array(cells, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        column = pa.array(cells, pa.int64() if kind.bit_width == 64 else pa.int32()).cast(kind)
    match chance.randrange(5):
        case 0:
            column = pa.RunEndEncodedArray.from_arrays(pa.array([max(rows, 1)], pa.int32()), pa.array([TEXTS[0]]))
        case 1:
            kinds_of = pa.array(trial.rng.integers(0, 2, rows), pa.int8())
            column = pa.UnionArray.from_sparse(kinds_of, [pa.array(some(trial, WHOLE, rows)), pa.array(["a"] * rows)])
        case 2 if rows:
            column = pa.DictionaryArray.from_arrays(pa.array([0] * rows), column[:1])
        case _:
            pass
    return Made(column, None, damaged=False, about=str(column.type))


# Damage, in streams that are filled in by hand. Each returns a column of text or numbers that must be refused if the
# damage lies under a row that is not missing.


class Stream(HandMade):
    """A stream that says how many rows it has, as a column must."""

    def __init__(self, form: bytes, arrays: list[Any], rows: int | None = None, **options: Any) -> None:
        super().__init__(form, arrays, **options)
        lengths = [array[0] for array in arrays]
        self.rows = min(max(sum(lengths), 0), 100) if rows is None else rows

    def __len__(self) -> int:
        return self.rows


def packed(kind: str, numbers: list[int]) -> bytes:
    return struct.pack(f"={len(numbers)}{kind}", *numbers)


def text_buffers(texts: list[str], *, wide: bool) -> list[bytes | None]:
    raw = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, raw)]).tolist()
    return [None, packed("q" if wide else "i", ends), b"".join(raw) or b"\0"]


def offsets(trial: Trial, rows: int) -> Made:
    chance = trial.chance
    wide = chance.random() < 0.5
    texts = ["ab", *(chance.choice(TEXTS) for _ in range(rows - 1))]
    ends = np.cumsum([0, *(len(text.encode()) for text in texts)]).tolist()
    last, most = ends[-1], 2**63 - 1 if wide else 2**31 - 1
    at = chance.randrange(1, rows) if rows > 1 else 0
    lies = [ends[at + 1] + 1, last + 1, last + 10**6, most, -1, -most, ends[max(at - 1, 0)] - 1]
    ends[at] = min(chance.choice(lies), most)
    sound = sorted(ends) == ends and ends[0] >= 0
    raw = b"".join(text.encode() for text in texts)
    code = "q" if wide else "i"
    if chance.random() < 0.3:  # through PyArrow, which hands over what it has
        buffers = [None, pa.py_buffer(packed(code, ends)), pa.py_buffer(raw)]
        column: Any = pa.Array.from_buffers(pa.large_string() if wide else pa.string(), rows, buffers)
        return Made(column, None, damaged=not sound, about=f"{column.type}, offsets[{at}] = {ends[at]} of {last}")
    column = Stream(b"U" if wide else b"u", [(rows, 0, 0, [None, packed(code, ends), raw])])
    return Made(column, None, damaged=not sound, about=f"{'U' if wide else 'u'}, offsets[{at}] = {ends[at]} of {last}")


def views(trial: Trial, rows: int) -> Made:
    chance = trial.chance
    raw = b"a text that lies in a buffer" * 3
    cells = [struct.pack("=i12s", 3, b"abc") for _ in range(rows)]
    at = chance.randrange(rows)
    length, buffer, start = 20, 0, 4
    match chance.randrange(4):
        case 0:
            length = chance.choice([-1, -(2**31), len(raw), 2**31 - 1])
        case 1:
            buffer = chance.choice([1, -1, 2**31 - 1, -(2**31)])
        case 2:
            start = chance.choice([-1, -(2**31), len(raw) - 19, len(raw), 2**31 - 1])
        case _:
            length = 13
    sound = length >= 0 and buffer == 0 and start >= 0 and start + length <= len(raw)
    cells[at] = struct.pack("=i4sii", length, raw[:4], buffer, start)
    last = chance.randrange(4)
    more: list[bytes | None] = [raw, packed("q", [len(raw)])]
    if last == 0:
        more, sound = [None, packed("q", [len(raw)])], False
    elif last == 1:
        more, sound = [raw, None], False
    elif last == 2:
        more, sound = [None], False
    column = Stream(b"vu", [(rows, 0, 0, [None, b"".join(cells), *more])])
    return Made(column, None, damaged=not sound, about=f"view {length, buffer, start} at {at}, buffers {last}")


def codes(trial: Trial, rows: int) -> Made:
    chance = trial.chance
    letter = chance.choice(list(CODES))
    numbers, size = [chance.randrange(3) for _ in range(rows)], 3
    least, most = (0, 2 ** (8 * struct.calcsize(CODES[letter])) - 1) if letter.isupper() else (0, 0)
    if letter.islower():
        half = 2 ** (8 * struct.calcsize(CODES[letter]) - 1)
        least, most = -half, half - 1
    at = chance.randrange(rows)
    numbers[at] = chance.choice([size, size + 1, most, most - 1, -1, -2, least, 0])
    numbers[at] = min(max(numbers[at], least), most)
    valid = [chance.random() < 0.7 for _ in range(rows)]
    bitmap = np.packbits(valid, bitorder="little").tobytes() if chance.random() < 0.5 else None
    # −1 counts as missing, as in pandas.
    sound = -1 <= numbers[at] < size or (bitmap is not None and not valid[at])
    form, values = chance.choice(
        [
            (b"u", text_buffers(["a", "b", "ü"], wide=False)),
            (b"U", text_buffers(["a", "b", ""], wide=True)),
            (b"l", [None, packed("q", [5, 6, 7])]),
            (b"g", [None, packed("d", [0.5, 1.5, 9.0])]),
            (b"b", [None, b"\x05"]),
            (b"i", [b"\x05", packed("i", [1, 2, 3])]),
        ]
    )
    array = (rows, -1, 0, [bitmap, packed(CODES[letter], numbers)])
    column = Stream(letter.encode(), [array], dictionary=(form, (size, 0 if values[0] is None else 1, 0, values)))
    return Made(
        column, None, damaged=not sound, about=f"codes {letter}, code {numbers[at]} at {at}, {size} values of {form}"
    )


def counts(trial: Trial, rows: int) -> Made:
    """Lengths, offsets and counts of missing rows that cannot be, and buffers that are not there."""
    chance = trial.chance
    form, width = chance.choice([(b"g", 8), (b"i", 4), (b"b", 1), (b"u", 8), (b"vu", 16), (b"C", 1)])
    room = bytes(width * (rows + 1))
    buffers: list[bytes | None] = [None, room] + [b"\0"] * (form in (b"u", b"vu"))
    if form == b"vu":
        buffers[2] = packed("q", [])  # no buffers of text: the third is the list of their sizes
    length, missing, offset, damaged = rows, 0, 0, True
    match chance.randrange(9):
        case 0:
            length = chance.choice([-1, -(2**63), 2**62, 2**63 - 1])
        case 1:
            offset = chance.choice([-1, -(2**63), 2**62, 2**63 - 1])
        case 2:
            missing = chance.choice([rows + 1, -2, 2**62, -(2**63)])
        case 3:
            missing = 1
        case 4:
            buffers = buffers[: chance.randrange(2)]
        case 5:
            buffers[1] = None
        case 6:
            missing, damaged = -1, False
        case 7:
            buffers[0] = bytes([chance.randrange(256)]) * (rows // 8 + 1)
            missing, damaged = chance.randrange(-1, rows + 1), False
        case _:
            buffers, damaged = [*buffers, b"\0", b"\0"] if form != b"vu" else buffers, False
    column = Stream(form, [(length, missing, offset, buffers)])
    return Made(column, None, damaged=damaged, about=f"{form!r}, {(length, missing, offset)}, {len(buffers)} buffers")


def formats(trial: Trial, rows: int) -> Made:
    """Every letter and some words as the format, with buffers that are large enough for each."""
    chance = trial.chance
    words = [
        b"",
        b"n",
        b"w:3",
        b"w:-1",
        b"w:999999999999",
        b"d:9,2",
        b"d:9,2,32",
        b"d:38,-100,256",
        b"d:9,400",
        b"d:,",
        b"d:",
    ]
    words += [
        b"tdD",
        b"tsu:UTC",
        b"ts",
        b"ttm",
        b"tDn",
        b"tiM",
        b"+l",
        b"+s",
        b"+m",
        b"+r",
        b"+w:2",
        b"+ud:0",
        b"+vl",
        b"vz",
    ]
    words += [b"_pli128", b"\xff\xfe", b"z" * 1000, b"%s%n", b"vu", b"U"]
    form = chance.choice([*words, bytes([chance.randrange(1, 256)]), chance.choice(words)[:-1] + b"g"])
    buffers = [None, bytes(64 * (rows + 1)), packed("q", [0] * 8)]
    inner = (chance.choice(words), (rows, 0, 0, buffers)) if chance.random() < 0.2 else None
    return Made(
        Stream(form, [(rows, 0, 0, buffers)], dictionary=inner),
        None,
        damaged=False,
        about=f"{form[:20]!r} {inner and inner[0]}",
    )


class Liar:
    """An object with an Arrow method that does something else."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def __len__(self) -> int:
        return 2

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.answer()


def streams(trial: Trial, rows: int) -> Made:
    chance = trial.chance
    whole = (rows, 0, 0, [None, packed("q", list(range(rows)))])
    match chance.randrange(7):
        case 0:
            column: Any = Stream(
                b"l", [whole], schema_error=chance.choice([5, 22, -1, 9999]), words=b"no \xff such table"
            )
        case 1:
            column = Stream(b"l", [whole] * chance.randrange(3), next_error=chance.choice([5, 22, -1]), words=None)
        case 2:
            made = Stream(b"l", [whole])
            column = Liar(lambda: made.__arrow_c_stream__(OTHER_NAME))
        case 3:
            column = Liar(lambda: chance.choice([None, 3, "ab"]))
        case 4:
            column = Stream(b"l", [whole])
            arrow_chunks(column.__arrow_c_stream__())  # it can be read once
        case 5:
            return Made(
                Stream(b"l", [whole, whole, (0, 0, 0, [None, None])]), None, damaged=False, about="three chunks"
            )
        case _:
            return Made(Stream(b"l", []), None, damaged=False, about="no chunks")
    return Made(column, None, damaged=True, about=f"a stream that fails: {type(column).__name__}")


def lengths(trial: Trial, rows: int) -> Made:
    """Say another number of rows than there are."""
    said = trial.chance.choice([0, 1, rows - 1, rows + 1, 10**6])
    array = (rows, 0, 0, [None, packed("q", list(range(rows)))])
    return Made(Stream(b"l", [array], said), None, damaged=said != rows, about=f"{rows} rows, len {said}")


SOUND = [simple, simple, of_polars, nested]
DAMAGED = [offsets, offsets, views, codes, codes, counts, formats, streams, lengths]
LIKELIHOODS: list[Callable[[], Any]] = [
    lambda: None,
    sf.Categorical,
    lambda: sf.Categorical(missing="level", unseen="mass"),
    sf.Gaussian,
    sf.Histogram,
    sf.Numeric,
    sf.Poisson,
    sf.Bernoulli,
    sf.Multinomial,
    sf.Words,
    sf.Chars,
]


def labels(rows: int) -> list[str]:
    return [("no", "yes", "yes")[row % 3] for row in range(rows)]


def length_of(column: Any, rows: int) -> int:
    return len(column) if hasattr(column, "__len__") else rows


class Arrow:
    """The models that columns are given to."""

    def __init__(self, _: Path) -> None:
        texts, numbers = [TEXTS[i % 5] for i in range(20)], [float(i % 7) for i in range(20)]
        self.models = [
            sf.fit({"x": texts}, labels(20), columns=sf.Categorical(unseen="mass")),
            sf.fit({"x": numbers}, labels(20), columns=sf.Gaussian()),
            sf.fit({"x": numbers}, labels(20), columns=sf.Categorical()),
            sf.fit({"x": texts}, labels(20), columns=sf.Words()),
            sf.fit({"x": numbers}, labels(20), columns=sf.Histogram(3)),
            sf.fit({"x": [n > 2 for n in numbers]}, labels(20), columns=sf.Bernoulli()),
            sf.fit({"x": texts, "z": numbers}, labels(20), columns=sf.Joint()),
        ]

    def __call__(self, trial: Trial) -> None:
        del HandMade.everyone[:-1000]
        chance = trial.chance
        rows = chance.choice(FEW_ROWS)
        make = chance.choice([*SOUND, *DAMAGED])
        made = make(trial, max(rows, 2) if make in DAMAGED else rows)
        rows = length_of(made.column, max(rows, 2) if make in DAMAGED else rows)
        way = chance.choice([self.fit, self.fit, self.predict, self.target, self.weights, self.documents])
        trial.describe(f"{make.__name__}, {way.__name__}", column=made.about, rows=rows, damaged=made.damaged)
        way(trial, made, rows)

    def fit(self, trial: Trial, made: Made, rows: int) -> None:
        likelihood = trial.chance.choice(LIKELIHOODS)()
        how = trial.chance.choice(["mapping", "mapping", "table"])
        trial.facts["likelihood"] = likelihood
        table = frame({"x": made.column}, trial, how)
        other = {"x": made.values} if made.values is not None else None
        # A model of one kind of column reads the damaged one; what inference leaves out is not looked at.
        ask = trial.must_refuse if made.damaged and likelihood is not None else trial.ask
        model = ask("fit", lambda: sf.fit(table, labels(rows), columns=likelihood))
        if model is None or other is None:
            return
        expected = trial.ask("fit of the list", lambda: sf.fit(other, labels(rows), columns=likelihood))
        if expected is not None and expected.schema == model.schema and rows:
            answers = [
                trial.ask("log_joint", lambda model=model: model.log_joint(other)) for model in (model, expected)
            ]
            trial.same("fit", *answers)
            trial.same("log_joint of Arrow", trial.ask("log_joint", lambda: expected.log_joint(table)), answers[1])
        trial.ask(
            "evaluate", lambda: sf.evaluate(table, labels(rows), columns=likelihood, folds=2, bootstrap=0).confusion
        )

    def predict(self, trial: Trial, made: Made, rows: int) -> None:
        model = trial.chance.choice(self.models)
        method = trial.chance.choice(
            ["predict_proba", "log_joint", "predict", "explain", "update", "forget", "evaluate"]
        )
        trial.facts.update(model=model.schema, method=method)
        columns = {"x": made.column, "z": [1.0] * rows}

        def call() -> Any:
            if method in ("update", "forget"):
                return getattr(model, method)(columns, labels(rows))
            if method == "evaluate":
                return model.evaluate(columns, labels(rows), bootstrap=0).confusion
            return getattr(model, method)(columns)

        if made.damaged:
            trial.must_refuse(method, call)
        else:
            trial.ask(method, call)

    def target(self, trial: Trial, made: Made, rows: int) -> None:
        x = np.arange(rows * 2.0).reshape(rows, 2)
        ask = trial.must_refuse if made.damaged else trial.ask
        model = ask("fit", lambda: sf.fit(x, made.column, columns=sf.Gaussian()))
        if model is not None and made.values is not None and rows:
            expected = trial.ask("fit of the list", lambda: sf.fit(x, made.values, columns=sf.Gaussian()))
            if expected is not None and model.classes:
                trial.same("classes", list(map(str, model.classes)), list(map(str, expected.classes)))
                trial.same("target", model.log_joint(x), expected.log_joint(x))

    def weights(self, trial: Trial, made: Made, rows: int) -> None:
        x = np.arange(rows * 2.0).reshape(rows, 2)
        ask = trial.must_refuse if made.damaged else trial.ask
        ask("fit", lambda: sf.fit(x, labels(rows), columns=sf.Gaussian(), weights=made.column))

    def documents(self, trial: Trial, made: Made, rows: int) -> None:
        """Give the column itself as data: texts, or something that is no table."""
        if made.damaged and isinstance(made.column, HandMade):
            trial.must_refuse("fit", lambda: sf.fit(made.column, labels(rows), columns=sf.Words()))
        else:
            trial.ask("fit", lambda: sf.fit(made.column, labels(rows), columns=sf.Words()))


def frame(columns: dict[str, Any], trial: Trial, how: str) -> Any:
    """Return the columns as a table of PyArrow, Polars or pandas if they are of that library, else as a mapping."""
    kinds = {type(column) for column in columns.values()}
    if how == "table" and all(isinstance(column, (pa.Array, pa.ChunkedArray)) for column in columns.values()):
        return pa.table(columns)
    if how == "table" and kinds == {pl.Series}:
        return pl.DataFrame(columns)
    if how == "table" and kinds == {pd.Series}:
        return pd.DataFrame(columns)
    return columns


if __name__ == "__main__":
    main(Arrow, __doc__)
