"""Uncalibrated class posteriors on twenty public sets, held to those of 0.1.0 as it was before its redesign.

`first_release.json` holds p(c | x) of forty held-out rows of each set and the mean log-probability of the true class over
all of them. Even rows are fitted and odd ones predicted. Five come with scikit-learn; the others are
where the environment variable SUFFICE_DATA says (`../shared/data` by default). To write the file anew, after a change that
is meant: python -m tests.against.test_first_release
"""

from __future__ import annotations

import gzip
import json
import os
import tarfile
import warnings
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import suffice as sf

DATA = Path(os.environ.get("SUFFICE_DATA", "../shared/data"))
KEPT = Path(__file__).with_name("first_release.json")
ROWS = 40


def csv(name, target, **options):
    frame = pl.read_csv(DATA / name, infer_schema_length=None, **options)
    target = frame.columns[target] if isinstance(target, int) else target
    return frame.drop(target), frame[target].to_numpy()


def shipped(load):
    loaded = load()
    return loaded.data, loaded.target


def adult():
    return csv("adult.data.gz", -1, has_header=False, null_values=["?", " ?"])


def flights():
    with zipfile.ZipFile(DATA / "nycflights13.csv.zip") as archive:
        frame = pl.read_csv(archive.read("flights.csv"), null_values="NA", infer_schema_length=None)
    frame = frame.drop_nulls("arr_delay")
    late = (frame["arr_delay"] > 15).to_numpy()
    return frame.drop("arr_delay", "dep_delay", "dep_time", "arr_time", "air_time"), np.where(late, "late", "on time")


def digits():
    raw = gzip.decompress((DATA / "train-images.idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((DATA / "train-labels.idx1-ubyte.gz").read_bytes())
    images = np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784)[:10_000]
    return images, np.frombuffer(labels, np.uint8, offset=8)[:10_000].astype(int)


def mails(name, groups=None):
    texts, labels = [], []
    with tarfile.open(DATA / name) as archive:
        for member in archive:
            parts = member.name.split("/")
            if member.isfile() and len(parts) == 3 and (groups is None or parts[1] in groups):
                texts.append(archive.extractfile(member).read().decode("latin-1"))
                labels.append(parts[1])
    return texts, np.array(labels)


def messages():
    lines = (DATA / "sms_spam.tsv").read_text(encoding="utf-8").splitlines()
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return list(texts), np.array(labels)


def reviews():
    sides = [(DATA / f"rt-polarity.{side}").read_text(encoding="latin-1").splitlines() for side in ("pos", "neg")]
    return sides[0] + sides[1], np.repeat(["pos", "neg"], [len(side) for side in sides])


def topics():
    lines = (DATA / "r8-train-all-terms.txt").read_text(encoding="utf-8").splitlines()[1:]
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return list(texts), np.array(labels)


SETS = {
    "iris": (lambda: shipped(load_iris), {}),
    "wine": (lambda: shipped(load_wine), {"columns": sf.Gaussian()}),
    "breast cancer": (lambda: shipped(load_breast_cancer), {"columns": sf.Histogram()}),
    "digits": (lambda: shipped(load_digits), {"columns": sf.Multinomial()}),
    "digits on or off": (lambda: shipped(load_digits), {"columns": sf.Bernoulli(threshold=7)}),
    "adult": (adult, {}),
    "adult, MLE": (adult, {"estimate": "mle"}),
    "credit cards": (lambda: csv("creditcard-first60.csv.gz", "Class"), {}),
    "intrusions": (lambda: csv("kddcup.data_10_percent.gz", -1, has_header=False), {}),
    "flights": (flights, {}),
    "MNIST": (digits, {"columns": sf.Poisson()}),
    "mushrooms": (lambda: csv("uci/agaricus-lepiota.data", 0, null_values="?"), {}),
    "nursery": (lambda: csv("uci/nursery.data", -1), {"columns": sf.Categorical()}),
    "letters": (lambda: csv("uci/letter-recognition.data", 0), {"columns": sf.Numeric()}),
    "spambase": (lambda: csv("uci/spambase.data", -1), {}),
    "votes": (lambda: csv("uci/house-votes-84.data", 0, null_values=["?", " ?"]), {"estimate": "map"}),
    "messages": (messages, {"columns": sf.Words()}),
    "mails": (lambda: mails("enron1.tar.gz"), {"columns": sf.Words(model="bernoulli")}),
    "reviews": (reviews, {"columns": sf.Words(ngrams=(1, 2))}),
    "newsgroups": (lambda: mails("20news-bydate-train.tar.gz", ("sci.med", "sci.space", "rec.autos")), {}),
    "topics": (topics, {"columns": sf.Chars(ngrams=(2, 3))}),
}
SHIPPED = ("iris", "wine", "breast cancer", "digits", "digits on or off")


def measured(name):
    load, options = SETS[name]
    data, labels = load()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sf.SufficeWarning)
        model = sf.fit(data[::2], labels[::2], **options, calibrate=False)
        log_proba = model.predict_log_proba(data[1::2])
    classes = {label: at for at, label in enumerate(model.classes)}
    known = np.array([classes.get(label, -1) for label in labels[1::2].tolist()])
    rows = np.flatnonzero(known >= 0)
    true = log_proba[rows, known[rows]]
    some = np.linspace(0, len(log_proba) - 1, ROWS).astype(int)
    return {
        "classes": [str(label) for label in model.classes],
        "rows": some.tolist(),
        "proba": np.exp(log_proba[some]).tolist(),
        "mean_log_proba": float(np.mean(true[np.isfinite(true)])),
        "impossible": int(np.count_nonzero(~np.isfinite(true))),
    }


@pytest.mark.parametrize("name", SETS)
def test_posteriors_are_those_of_the_first_release(name):
    if name not in SHIPPED and not DATA.is_dir():
        pytest.skip(f"the public data is not in {DATA}; SUFFICE_DATA says where it is")
    kept, found = json.loads(KEPT.read_text(encoding="utf-8"))[name], measured(name)
    assert found["classes"] == kept["classes"]
    assert found["impossible"] == kept["impossible"]
    np.testing.assert_allclose(found["proba"], kept["proba"], rtol=0, atol=1e-9)
    assert found["mean_log_proba"] == pytest.approx(kept["mean_log_proba"], rel=1e-9)


if __name__ == "__main__":
    KEPT.write_text(json.dumps({name: measured(name) for name in SETS}, indent=0) + "\n", encoding="utf-8")
