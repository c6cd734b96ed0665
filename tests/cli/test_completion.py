"""What the Tab key offers, as a shell asks for it."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import suffice as sf

INSTALLED = str(Path(sysconfig.get_path("scripts")) / "suffice")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("complete")
    (folder / "train.csv").write_text('customer,churned,"plan, old"\n1,yes,a\n', encoding="utf-8")
    (folder / "train.tsv").write_text("\ufeffcat\tcolour\n", encoding="utf-8")
    (folder / "binary.csv").write_bytes(b"\xff\xfe\x00c\n")
    (folder / "empty.csv").touch()
    with gzip.open(folder / "train.csv.gz", "wt", encoding="utf-8") as file:
        file.write("cat;colour\n")
    (folder / "c.parquet").write_bytes(b"PAR1,c,c\n")
    sf.fit({"colour": [1, 2], "cat": [0, 1], "age": [3, 4]}, ["a", "b"], calibrate=False).save(folder / "m.suffice")
    return folder


def offered(folder, *words):
    """Return what is offered for the last of the words."""
    asked = {"_SUFFICE_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [INSTALLED], capture_output=True, text=True, check=True, cwd=folder, env={**os.environ, **asked}
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("suffice pre", ["predict"]),
        ("suffice fit train.csv --target c", ["customer", "churned"]),
        ("suffice fit train.csv --target customer --drop pl", ["plan, old"]),
        ("suffice fit train.tsv --target c", ["cat", "colour"]),
        ("suffice fit train.csv.gz --target co", ["colour"]),
        ("suffice fit train.csv --weights ch", ["churned"]),
        ("suffice fit train.csv --column cu", ["customer="]),
        ("suffice fit train.csv --column customer=po", ["customer=poisson"]),
        ("suffice fit train.csv --column customer=n", ["customer=numeric", "customer=none"]),
        ("suffice fit train.csv --column customer=w", ["customer=words"]),
        ("suffice fit train.csv --column customer=Words(n", ["customer=Words(ngrams="]),
        ("suffice fit train.csv --column customer=Words(alpha=1,ac", ["customer=Words(alpha=1,accents="]),
        ("suffice fit train.csv --column customer=chars(ac", ["customer=chars(accents=", "customer=chars(across="]),
        ("suffice fit train.csv --column customer=Wrods(a", []),
        ("suffice fit train.csv --column customer=Words(alpha=", []),
        (
            "suffice fit train.csv --type customer=",
            [f"customer={kind}" for kind in ("text", "integer", "float", "bool")],
        ),
        ("suffice fit train.csv --type ch", ["churned="]),
        ("suffice fit train.csv --class-prior u", ["uniform"]),
        ("suffice fit --target c", []),
        ("suffice fit gone.csv --target c", []),
        ("suffice fit empty.csv --target c", []),
        ("suffice fit binary.csv --target c", []),
        ("suffice fit c.parquet --target c", []),
        ("suffice predict m.suffice train.csv --keep ch", ["churned"]),
        ("suffice update m.suffice train.csv --target ch", ["churned"]),
        ("suffice show m.suffice --column c", ["colour", "cat"]),
        ("suffice show m.suffice -c a", ["age"]),
        ("suffice show gone.suffice --column c", []),
        ("suffice set m.suffice --estimate m", ["mean", "map", "mle"]),
        ("suffice concepts 16 --sampling ", ["strong", "weak"]),
        ("suffice concepts 16 --sampling w", ["weak"]),
    ],
)
def test_offers(folder, line, offers):
    assert [each for each in offered(folder, *line.split(" ")) if each] == offers


def test_completion_brings_nothing_heavy(folder):
    code = (
        "import sys, suffice.cli.completion, suffice.cli.main\n"
        "print(sorted({'numpy', 'polars', 'scipy', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
