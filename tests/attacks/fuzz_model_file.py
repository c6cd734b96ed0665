"""Fuzz the reader of model files: `python -m tests.attacks.fuzz_model_file --seconds 600`, from the root.

It takes small models of every kind, changes their files in many ways, and loads them. Half of the changes come with a
right checksum, so that the checks behind it are reached. A file must be refused with a ModelFileError, or be a model that
works: saved and loaded again it is the same, and every method answers without NaN or refuses with a SufficeError.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from tests.attacks.fuzzing import FoundError, Trial, main
from tests.storage.hand_made import TYPES, Parts
from tests.storage.models_to_store import MODELS, ROWS

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
    "MultivariateGaussian",
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


def number_of(rows: Any) -> int:
    return len(next(iter(rows.values()))) if isinstance(rows, dict) else len(rows)


def labels(model: sf.Model, rows: Any) -> list[Any]:
    return [model.classes[row % len(model.classes)] for row in range(number_of(rows))] if model.classes else []


METHODS: dict[str, Callable[[sf.Model, Any], Any]] = {
    "predict": lambda model, rows: model.predict(rows),
    "predict_proba": lambda model, rows: model.predict_proba(rows),
    "predict_log_proba": lambda model, rows: model.predict_log_proba(rows),
    "log_joint": lambda model, rows: model.log_joint(rows),
    "log_density": lambda model, rows: model.log_density(rows),
    "log_evidence": lambda model, rows: model.log_evidence(),
    "parameters": lambda model, rows: [each.value for each in model.parameters()],
    "show": lambda model, rows: str(model.show()),
    "repr": lambda model, rows: repr(model),
    "explain": lambda model, rows: [str(each) for each in model.explain(rows)],
    "decide": lambda model, rows: model.decide(rows).action,
    "prior_shift": lambda model, rows: model.prior_shift(rows).after,
    "interval": lambda model, rows: model.interval(rows, credible=0.5, draws=20, seed=0).upper,
    "sample": lambda model, rows: model.sample(3, seed=0).target,
    "evaluate": lambda model, rows: model.evaluate(rows, labels(model, rows), bootstrap=0).confusion,
    "threshold": lambda model, rows: model.threshold(rows, labels(model, rows), recall=0.5).value,
    "update": lambda model, rows: model.update(rows, labels(model, rows)).predict_proba(rows),
    "forget": lambda model, rows: model.forget(rows, labels(model, rows)),
    "scale": lambda model, rows: model.scale(0.5).predict_proba(rows),
    "prune": lambda model, rows: model.prune(1.5).predict_proba(rows),
    "calibrate": lambda model, rows: model.calibrate(rows, labels(model, rows)).predict_proba(rows),
    "novelty": lambda model, rows: model.novelty(rows).p_value,
    "novelty_reference": lambda model, rows: model.novelty(rows, reference=sf.novelty_reference(model, rows)).p_value,
    "choices": lambda model, rows: model.selected_forms,
    **{
        f"read {estimate}": lambda model, rows, estimate=estimate: model.with_options(estimate=estimate).predict_proba(
            rows
        )
        for estimate in ("mle", "smoothed", "map", "mean", "predictive")
    },
}


class ModelFiles:
    """The files of good models, and rows that each answers for."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "fuzzed.suffice"
        self.good: list[tuple[str, bytes, Any]] = []
        for name, make in MODELS.items():
            make().save(self.path)
            self.good.append((name, self.path.read_bytes(), ROWS.get(name, np.zeros((2, 3)))))

    def __call__(self, trial: Trial) -> None:
        name, raw, rows = trial.chance.choice(self.good)
        change = trial.chance.choice(CHANGES)
        self.path.write_bytes(change(raw, trial.chance))
        trial.describe(change.__name__, model=name)
        model = trial.ask("load", self.load)
        if model is None:
            return

        def again() -> sf.Model:
            model.save(self.path)
            return self.load()

        if trial.ask("save and load", again) != model:
            raise FoundError("the model that was saved and loaded again is another one")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # counts near the largest float may overflow to inf
            for method in trial.chance.sample(list(METHODS), 4):
                trial.ask(method, lambda method=method: METHODS[method](model, rows))
            answers = trial.ask("predict_proba", lambda: model.predict_proba(rows))
            if answers is not None and answers.shape != (number_of(rows), len(model.classes)):
                raise FoundError("a model that was loaded does not answer for each row")
            share = trial.ask("novelty", lambda: model.novelty(rows).p_value)
            if share is not None and not ((share >= 0) & (share <= 1)).all():
                raise FoundError("novelty: a share of the rows is not between 0 and 1")
            if trial.ask("+ and -", lambda: (model + model - model).schema) not in (None, model.schema):
                raise FoundError("a model that is added and subtracted is another one")

    def load(self) -> sf.Model:
        """Load the file; a ModelFileError is the only refusal."""
        try:
            return sf.load(self.path)
        except sf.errors.ModelFileError:
            raise
        except sf.SufficeError as reason:
            raise TypeError("loading raised another SufficeError than ModelFileError") from reason


if __name__ == "__main__":
    main(ModelFiles, __doc__, address_space=500 << 20)
