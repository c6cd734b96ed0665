"""Fuzz the reader of model files: `python tests/attacks/fuzz_model_file.py --seconds 600 --seed 1`, from the root.

It takes small models of every kind, changes their files in many ways, and loads them. Half of the changes come with a
right checksum, so that the checks behind it are reached. Whatever comes out must be a ModelFileError, or a model that
works: it predicts, is saved, and loaded again it is the same. The address space is bounded to 200 MB above what loading a
good file needs; a crash, another error, a hang or more memory ends the run with the file that did it.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

import suffice as sf  # noqa: E402
from tests.storage.hand_made import TYPES, Parts  # noqa: E402
from tests.storage.models_to_store import MODELS, ROWS  # noqa: E402

MEMORY = 200 << 20
LONGEST_SECONDS = 20
WHOLES = [0, 1, 2, 3, 7, 255, 4096, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, -1, -(2**63)]
REALS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-320,
    1e300,
    -1e300,
    1.7976931348623157e308,
    float("inf"),
    float("-inf"),
    float("nan"),
]
VALUES: list[Any] = [None, True, False, "", "mass", "evidence", "predictive", "BetaBinomial", "NormalInverseGamma"]
VALUES += [
    "Gaussian",
    "Joint",
    "Words",
    "Chars",
    "complement",
    "bernoulli",
    "evidence by class",
    "tokens",
    "levels",
    [],
    {},
    [1],
    *WHOLES,
    0.5,
    1e308,
    -2.5,
    ["moments", "bins"],
    "1" * 300,
]


def bits(raw: bytes, chance: random.Random) -> bytes:
    """Flip some bits."""
    found = bytearray(raw)
    for _ in range(chance.choice([1, 1, 2, 8])):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def splice(raw: bytes, chance: random.Random) -> bytes:
    """Cut, double or move a run of bytes."""
    start, end, at = (chance.randrange(len(raw)) for _ in range(3))
    piece = raw[min(start, end) : max(start, end)][: chance.choice([1, 8, 64, 4096])]
    return chance.choice(
        [raw[:start] + raw[end:], raw[:at] + piece + raw[at:], raw[:at] + piece + raw[at + len(piece) :]]
    )


def header(raw: bytes, chance: random.Random) -> bytes:
    """Change the list of arrays, and leave the checksum right."""
    made = Parts.of(raw)
    name = chance.choice(list(made.data))
    entry = made.header[name]
    match chance.randrange(6):
        case 0:
            entry["shape"] = [chance.choice(WHOLES) for _ in range(chance.randrange(5))]
        case 1:
            entry["data_offsets"] = [chance.choice(WHOLES), chance.choice(WHOLES)]
        case 2:
            entry["dtype"] = chance.choice([*TYPES, "F32", "BOOL", "", None])
        case 3:
            other = chance.choice(list(made.data))
            made.header[name], made.header[other] = made.header[other], made.header[name]
        case 4:
            made.header[chance.choice(list(made.data))] = chance.choice(VALUES)
        case _:
            entry[chance.choice(["shape", "dtype", "data_offsets", "more"])] = chance.choice(VALUES)
    return made.raw()


def schema(raw: bytes, chance: random.Random) -> bytes:
    """Change the JSON of the schema somewhere, and leave the checksum right."""
    made = Parts.of(raw)
    found = made.schema
    places = list(walk(found))
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        inside, key = chance.choice(places)
        what = chance.randrange(5)
        try:
            if what == 0 and isinstance(inside, dict):
                del inside[key]
            elif what == 1 and isinstance(inside, dict):
                inside[chance.choice(["more", "prior", "alpha", "bins", "levels", "columns"])] = chance.choice(VALUES)
            elif what == 2:
                there, other = chance.choice(places)
                inside[key], there[other] = there[other], inside[key]
            else:
                inside[key] = chance.choice(VALUES)
        except (KeyError, IndexError):  # what an earlier change took away
            continue
    made.schema = found
    return made.raw()


def walk(value: Any) -> Any:
    """Yield every place of a JSON value."""
    for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inside, (dict, list)):
            yield from walk(inside)


@np.errstate(all="ignore")
def arrays(raw: bytes, chance: random.Random) -> bytes:
    """Change the numbers, the length or the kind of an array, and leave header and checksum right."""
    made = Parts.of(raw)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        name = chance.choice([name for name in made.data if name != "sha256"])
        array = made.array(name)
        flat = array.reshape(-1)
        match chance.randrange(8):
            case 0 | 1 | 2 if flat.size:
                at = chance.randrange(flat.size)
                if array.dtype.kind == "f":
                    flat[at] = chance.choice(REALS)
                else:
                    low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
                    flat[at] = min(max(chance.choice([*WHOLES, int(flat[at]) + chance.choice([-1, 1])]), low), high)
            case 3 if flat.size:
                flat[:] = flat[::-1].copy()
            case 4:
                array = flat[: chance.randrange(flat.size + 1)].copy()
            case 5:
                array = np.concatenate([flat, flat[: chance.randrange(flat.size + 1)]])
            case 6:
                other = made.array(chance.choice([name for name in made.data if name != "sha256"]))
                array = other if chance.random() < 0.5 else other.astype(array.dtype, casting="unsafe")
            case _:
                if chance.random() < 0.5:
                    made.drop(name)
                    continue
                array = array.astype(chance.choice(list(TYPES.values())), casting="unsafe")
        made.put(name, array)
    return made.laid_out().raw()


CHANGES = [bits, splice, header, schema, schema, arrays, arrays, arrays]


def require_whole(model: sf.Model, rows: Any, path: Path) -> None:
    """A model that was loaded is one: it says something, and reads back."""
    model.save(path)
    again = sf.load(path)
    if again != model:
        raise AssertionError("what was loaded, saved and loaded is another model")
    with warnings.catch_warnings(), suppress(sf.SufficeError):  # a prior of another length, a column of another name
        warnings.simplefilter("ignore", RuntimeWarning)  # counts near the largest float are counts all the same
        for ask in (model.predict_proba, model.predict_log_proba, model.log_joint, model.log_density):
            found = ask(rows)
            if len(found) != len(next(iter(rows.values())) if isinstance(rows, dict) else rows):
                raise AssertionError("a model that was loaded does not answer for each row")
            if np.isnan(found).any():
                raise AssertionError("a model that was loaded answers with what is no number")
        if model.reference is not None:
            share = model.novelty(rows).share
            if not ((share >= 0) & (share <= 1)).all():
                raise AssertionError("a share of the rows of a model that was loaded is none")
        if (model + model - model).schema != model.schema:
            raise AssertionError("a model that was loaded does not add")


def bound_memory() -> None:
    """Allow this process so much more address space than it has."""
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY,) * 2)


def fuzz(seconds: float, seed: int, folder: Path) -> Counter[str]:
    chance, path = random.Random(seed), folder / "fuzzed.suffice"  # noqa: S311
    good: list[tuple[bytes, Any]] = []
    for name, make in MODELS.items():
        make().save(path)
        good.append((path.read_bytes(), ROWS.get(name, np.zeros((2, 3)))))
        require_whole(sf.load(path), good[-1][1], path)
    if sys.platform == "linux":
        bound_memory()
    found: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        raw, rows = chance.choice(good)
        change = chance.choice(CHANGES)
        raw = change(raw, chance)
        path.write_bytes(raw)
        signal.alarm(LONGEST_SECONDS)
        try:
            model = sf.load(path)
            require_whole(model, rows, path)
            found[f"{change.__name__}: whole"] += 1
        except sf.ModelFileError:
            found[f"{change.__name__}: refused"] += 1
        except BaseException:
            kept = Path(tempfile.gettempdir()) / f"fuzzed-{seed}-{sum(found.values())}.suffice"
            kept.write_bytes(raw)
            print(f"{change.__name__} made a file that was not refused in words: {kept}")
            traceback.print_exc()
            raise SystemExit(1) from None
        finally:
            signal.alarm(0)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("error")  # a warning of NumPy is a check that is lacking
    warnings.simplefilter("ignore", sf.SufficeWarning)
    with tempfile.TemporaryDirectory() as folder:
        found = fuzz(options.seconds, options.seed, Path(folder))
    print(json.dumps(dict(sorted(found.items()))))


if __name__ == "__main__":
    main()
