"""Sparse matrices of every format that are damaged in every way, given to everything that takes rows.

Run with the name of a format: prints each case that did not end in a DataError, then "end". It runs in a process of its
own because what reads a damaged matrix without a check may end the process.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

import suffice as sf

ROWS, COLS = 24, 6
Y = np.arange(ROWS) % 3
X = np.random.default_rng(0).integers(0, 3, (ROWS, COLS)).astype(np.float64)
X[0] = 1


def with_array(name: str, change: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Replace one array of a matrix by what `change` makes of a copy."""
    return lambda x: setattr(x, name, change(getattr(x, name).copy()))


def with_entry(name: str, at: int, value: int) -> Callable[[Any], None]:
    """Change one entry of one array."""

    def change(array: Any) -> Any:
        array[at] = value
        return array

    return with_array(name, change)


def with_coordinate(axis: int, change: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Replace the coordinates along one axis."""

    def damage(x: Any) -> None:
        coords = [np.array(places) for places in (x.row, x.col)]
        coords[axis] = change(coords[axis])
        if hasattr(x, "coords"):
            x.coords = tuple(coords)
        else:
            x.row, x.col = coords

    return damage


def put(array: Any, at: int, value: int) -> Any:
    """Return a copy with one entry changed."""
    array = array.copy()
    array[at] = value
    return array


def lists(name: str, row: int, cells: Any) -> Callable[[Any], None]:
    """Replace one list of a LIL matrix."""

    def damage(x: Any) -> None:
        getattr(x, name)[row] = cells

    return damage


INDICES: dict[str, Callable[[Any], None]] = {
    "index beyond": with_entry("indices", 5, 2**31 - 1),
    "index just beyond": with_entry("indices", 5, 10**3),
    "index negative": with_entry("indices", 5, -1),
    "index far negative": with_entry("indices", 0, -(2**31)),
    "indices short": with_array("indices", lambda array: array[:3]),
    "indices float": with_array("indices", lambda array: array.astype(float)),
    "indices uint32": with_array("indices", lambda array: array.astype(np.uint32)),
    "indices int16": with_array("indices", lambda array: array.astype(np.int16)),
    "indices big-endian": with_array("indices", lambda array: array.astype(">i4")),
    "indices 2-D": with_array("indices", lambda array: array.reshape(1, -1)),
    "indices a list": with_array("indices", lambda array: array.tolist()),
    "starts decrease": with_entry("indptr", 2, 10**6),
    "starts negative": with_entry("indptr", 1, -5),
    "starts not at 0": with_entry("indptr", 0, 1),
    "starts end beyond": with_entry("indptr", -1, 10**6),
    "starts short": with_array("indptr", lambda array: array[:2]),
    "starts long": with_array("indptr", lambda array: np.append(array, array[-1])),
    "starts empty": with_array("indptr", lambda array: array[:0]),
    "starts float": with_array("indptr", lambda array: array.astype(float)),
    "starts big-endian": with_array("indptr", lambda array: array.astype(">i4")),
    "data short": with_array("data", lambda array: array[:2]),
    "data empty": with_array("data", lambda array: array[:0]),
    "data complex": with_array("data", lambda array: array * 1j),
    "data text": with_array("data", lambda array: array.astype(str)),
    "data objects": with_array("data", lambda array: array.astype(object)),
    "data times": with_array("data", lambda array: array.astype("M8[s]")),
    "data a list": with_array("data", lambda array: array.tolist()),
    "data of more dimensions": with_array("data", lambda array: array[None]),
    "shape of more lines": lambda x: setattr(x, "_shape", (ROWS, 10**6) if x.format == "csc" else (10**6, COLS)),
    "shape of shorter lines": lambda x: setattr(x, "_shape", (ROWS, 2) if x.format != "csc" else (2, COLS)),
}
DAMAGES: dict[str, dict[str, Callable[[Any], None]]] = {
    "csr": INDICES,
    "csc": INDICES,
    "bsr": INDICES,
    "coo": {
        "row beyond": with_coordinate(0, lambda places: put(places, 3, 2**31 - 1)),
        "column beyond": with_coordinate(1, lambda places: put(places, 3, 10**5)),
        "row negative": with_coordinate(0, lambda places: put(places, 3, -1)),
        "column negative": with_coordinate(1, lambda places: put(places, 3, -(2**31))),
        "rows short": with_coordinate(0, lambda places: places[:2]),
        "columns short": with_coordinate(1, lambda places: places[:2]),
        "rows float": with_coordinate(0, lambda places: places.astype(float)),
        "columns big-endian": with_coordinate(1, lambda places: places.astype(">i4")),
        "data short": INDICES["data short"],
        "data complex": INDICES["data complex"],
        "data objects": INDICES["data objects"],
        "shape smaller": lambda x: setattr(x, "_shape", (2, 2)),
    },
    "dia": {
        "offsets short": with_array("offsets", lambda array: array[:1]),
        "offsets long": with_array("offsets", lambda array: np.append(array, 2)),
        "offsets float": with_array("offsets", lambda array: array.astype(float)),
        "offsets twice": with_array("offsets", np.zeros_like),
        "data 1-D": with_array("data", lambda array: array[0]),
        "data complex": INDICES["data complex"],
    },
    "lil": {
        "column beyond": lists("rows", 1, [10**6]),
        "column negative": lists("rows", 1, [-3]),
        "columns short": lists("rows", 0, []),
        "values short": lists("data", 0, []),
        "columns None": lists("rows", 0, None),
        "values text": lists("data", 0, ["a"] * COLS),
        "columns float": lists("rows", 0, [0.5] * COLS),
        "lists short": with_array("rows", lambda array: array[:3]),
        "values gone": with_array("data", lambda array: array[:3]),
    },
    "dok": {
        "key beyond": lambda x: x._dict.__setitem__((10**6, 0), 1.0),
        "key negative": lambda x: x._dict.__setitem__((0, -1), 1.0),
        "key of three": lambda x: x._dict.__setitem__((0, 1, 2), 1.0),
        "key text": lambda x: x._dict.__setitem__(("a", "b"), 1.0),
        "value text": lambda x: x._dict.__setitem__((0, 0), "a"),
    },
}


def sound(form: str, kind: str) -> Any:
    """Return the sound matrix of a format, as sparse array or sparse matrix."""
    made = getattr(sparse, f"{form}_{kind}")
    return made(X, blocksize=(2, 2)) if form == "bsr" else made(X)


def entries() -> Iterator[tuple[str, Callable[[Any], object]]]:
    """Yield everything that takes rows."""
    counts = sf.fit(X, Y, columns=sf.Multinomial())
    for likelihood in (sf.Multinomial(), sf.Categorical(), sf.Gaussian(), sf.Bernoulli(), sf.Poisson()):
        model = sf.fit(X.astype(int), Y, columns=likelihood)
        name = type(likelihood).__name__
        yield f"fit {name}", lambda x, likelihood=likelihood: sf.fit(x, Y, columns=likelihood)
        yield f"predict {name}", model.predict
        yield f"predict_proba {name}", model.predict_proba
        yield f"log_density {name}", model.log_density
    yield "fit inferred", lambda x: sf.fit(x, Y)
    yield "update", lambda x: counts.update(x, Y)
    yield "forget", lambda x: counts.forget(x, Y)
    yield "evaluate", lambda x: sf.evaluate(x, Y, columns=sf.Multinomial(), bootstrap=0)
    yield "evaluate model", lambda x: counts.evaluate(x, Y, bootstrap=0)
    yield "screen", lambda x: sf.screen(x, Y, columns=sf.Multinomial())
    yield "explain", counts.explain
    yield "calibrate", lambda x: counts.calibrate(x, Y)
    yield "novelty_reference", lambda x: sf.novelty_reference(counts, x)
    yield "novelty", counts.calibrate(X, Y).novelty
    yield "Collector", lambda x: sf.Collector(sf.Multinomial()).add(x, Y)
    yield "concepts", sf.concepts.concepts_from
    for estimator in (sf.MultinomialNB(), sf.BernoulliNB(), sf.ComplementNB(), sf.NaiveBayes()):
        made = type(estimator)
        name = made.__name__
        fitted = made().fit(X, Y)
        yield f"{name}.fit", lambda x, estimator=estimator: estimator.fit(x, Y)
        yield f"{name}.partial_fit", lambda x, made=made: made().partial_fit(x, Y, classes=[0, 1, 2])
        yield f"{name}.predict", fitted.predict


def main(form: str) -> None:
    """Try every damage on every entry."""
    warnings.simplefilter("ignore")
    every = list(entries())
    for kind in ("array", "matrix"):
        for entry, takes in every:
            for damage, do in DAMAGES[form].items():
                x = sound(form, kind)
                do(x)
                print(f"{form}_{kind}, {damage}, {entry}", end=": ", flush=True)
                try:
                    takes(x)
                except sf.errors.DataError:
                    print("refused")
                except BaseException as error:
                    print(f"WRONG {type(error).__name__} {error}")
                else:
                    print("WRONG taken")
    print("end")


if __name__ == "__main__":
    main(sys.argv[1])
