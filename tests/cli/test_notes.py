"""The worked examples of lecture notes on naive Bayes, from the shell."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import suffice as sf
from suffice.records import display_width
from tests.cli.conftest import read_rows

PROPOSALS = """长相,性格,身高,上进,嫁与否
帅,好,矮,上进,嫁
不帅,好,高,上进,嫁
帅,好,高,不上进,嫁
不帅,好,中,上进,嫁
帅,好,中,上进,嫁
不帅,不好,高,上进,嫁
帅,不好,矮,不上进,不嫁
不帅,好,矮,上进,不嫁
帅,不好,矮,上进,不嫁
帅,不好,矮,上进,不嫁
帅,好,矮,不上进,不嫁
帅,好,矮,不上进,不嫁
"""
SYMBOLS = ["{}", "[]", "()", ":", ";", ".", ","]
SCRIPTS = {
    "C": [(6, 8, 14, 1, 10, 1, 7), (8, 10, 14, 0, 11, 1, 7), (12, 22, 34, 1, 21, 2, 13), (4, 6, 10, 1, 6, 1, 4)],
    "Python": [(6, 14, 30, 6, 2, 16, 16), (2, 8, 14, 3, 1, 9, 8), (4, 14, 26, 7, 2, 15, 14)],
}
B = [0.837, 0.165, -0.052, -1.754, 2.182, -2.159, -0.283]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("estimate", ["mle", "MLE", "maximum-likelihood"])
def test_the_proposals_quiz(here, run, estimate):
    (here / "proposals.csv").write_text(PROPOSALS, encoding="utf-8")
    (here / "query.csv").write_text("长相,性格,身高,上进\n不帅,不好,矮,不上进\n", encoding="utf-8")
    fitted = run("fit", "proposals.csv", "-t", "嫁与否", "--estimate", estimate, "-o", "p.suffice")
    assert (fitted.exit_code, fitted.stderr) == (0, "")
    done = run("predict", "p.suffice", "query.csv", "--proba", "--digits", "15", "-o", "out.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    (row,) = read_rows(here / "out.csv")
    assert row["predicted"] == "不嫁"
    assert [float(row["p(不嫁)"]), float(row["p(嫁)"])] == pytest.approx([18 / 19, 1 / 19], rel=1e-14)
    laplace = run("set", "p.suffice", "--estimate", "Laplace", "-o", "l.suffice")
    assert (laplace.exit_code, laplace.stderr) == (0, "")
    done = run("predict", "l.suffice", "query.csv", "--proba", "--digits", "15", "-o", "out.csv")
    assert float(read_rows(here / "out.csv")[0]["p(嫁)"]) == pytest.approx(1 / 8, rel=1e-14)


def test_add_lambda_from_the_shell(here, run):
    (here / "proposals.csv").write_text(PROPOSALS, encoding="utf-8")
    words = ["fit", "proposals.csv", "-t", "嫁与否", "--no-calibrate", "--alpha", "0.5"]
    for estimate in ("smoothed", "map", "mean"):
        done = run(*words, "--estimate", estimate, "-o", "p.suffice")
        assert (done.exit_code, done.stderr) == (0, "")
        assert sf.load("p.suffice") == sf.fit("proposals.csv", "嫁与否", estimate=estimate, alpha=0.5, calibrate=False)
    failed = run(*words, "--estimate", "mle", "-o", "p.suffice")
    assert failed.exit_code == 1
    assert "Use --estimate smoothed, or leave out --alpha." in " ".join(failed.stderr.split())


def test_wide_characters_align_in_every_table(here, run):
    (here / "proposals.csv").write_text(PROPOSALS, encoding="utf-8")
    commands = [
        ["fit", "proposals.csv", "-t", "嫁与否", "-o", "p.suffice"],
        ["show", "p.suffice"],
        ["explain", "p.suffice", "proposals.csv", "--row", "1"],
        ["evaluate", "proposals.csv", "-t", "嫁与否", "--folds", "2", "--bootstrap", "0"],
        ["screen", "proposals.csv", "-t", "嫁与否", "--folds", "2"],
    ]
    for words in commands:
        done = run(*words)
        assert done.exit_code == 0, done.stderr
        blocks = done.stdout.split("\n\n")
        for block in blocks:
            # In a table the titles and cells that are aligned to the left start at the same place.
            for mark in ("Categorical(", "│"):
                places = {display_width(line.partition(mark)[0]) for line in block.splitlines() if mark in line}
                assert len(places) <= 1, block


def b_of(done):
    assert (done.exit_code, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    evidence = {
        each["level"] or each["column"]: each["evidence"] for each in record["value_evidence"] if each["label"] == "C"
    }
    for each in record.get("words", []):
        if each["label"] == "C":
            evidence[each["token"]] = each["evidence"]
    return [round(evidence[symbol], 3) for symbol in SYMBOLS]


def test_c_or_python_by_counts(here, run):
    lines = [",".join(["lang", *(f'"{symbol}"' for symbol in SYMBOLS)])]
    lines += [",".join([language, *map(str, counts)]) for language, rows in SCRIPTS.items() for counts in rows]
    (here / "scripts.csv").write_text("\n".join(lines) + "\n")
    words = ["--column", "*=multinomial", "--estimate", "mle"]
    assert run("fit", "scripts.csv", "-t", "lang", *words, "-o", "s.suffice").exit_code == 0
    assert b_of(run("show", "s.suffice", "--json")) == B
    # One symbol of each kind: its log-likelihood ratio is b.
    ones = [lines[0].removeprefix("lang,"), *(",".join(map(str, row)) for row in np.eye(7, dtype=int))]
    (here / "ones.csv").write_text("\n".join(ones) + "\n")
    assert run("decide", "s.suffice", "ones.csv", "--llr", "--digits", "15", "-o", "out.csv").exit_code == 0
    assert [round(-float(row["llr(Python)"]), 3) for row in read_rows(here / "out.csv")] == B


def test_c_or_python_from_files(here, run):
    random = np.random.default_rng(0)
    for language, rows in SCRIPTS.items():
        (here / "langs" / language).mkdir(parents=True)
        for at, counts in enumerate(rows):
            marks = [symbol[k % len(symbol)] for symbol, n in zip(SYMBOLS, counts, strict=True) for k in range(n)]
            text = " x ".join(random.permutation(marks).tolist())
            (here / "langs" / language / f"{at}.txt").write_text(text)
    tokens = f"text=Chars(ngrams=1, across=True, characters={SYMBOLS!r})"
    done = run("fit", "langs", "--column", tokens, "--estimate", "mle", "-o", "s.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    model = sf.load("s.suffice")
    b = {weight.level: round(weight.b, 3) for weight in model.llr(["{"], positive="C").b}
    assert [b[symbol] for symbol in SYMBOLS] == B
    (here / "symbols.csv").write_text("text\n" + "".join(f'"{symbol[-1]}"\n' for symbol in SYMBOLS))
    assert run("decide", "s.suffice", "symbols.csv", "--llr", "--digits", "15", "-o", "out.csv").exit_code == 0
    assert [round(-float(row["llr(Python)"]), 3) for row in read_rows(here / "out.csv")] == B


MAIL = [("spam", 1, 1, 0), ("spam", 1, 0, 0), ("ham", 0, 1, 1), ("ham", 0, 0, 1), ("ham", 1, 0, 1)]


@pytest.mark.parametrize(
    ("estimate", "class_prior", "count", "total", "prior", "of"),
    [
        # eq. 15 to 17: the posterior modes of π and θ, with Dir(2) and Beta(2, 2)
        ("map", "dirichlet:2,map", 1, 2, 1, 2),
        # eq. 18 to 22: the posterior means, with Dir(2) and Beta(2, 2)
        ("predictive", "dirichlet:2", 2, 4, 2, 4),
    ],
)
def test_the_bayesian_classifier_of_the_discrete_case(here, run, estimate, class_prior, count, total, prior, of):
    lines = ["label,win,lunch,notes", *(",".join(map(str, row)) for row in MAIL)]
    (here / "mail.csv").write_text("\n".join(lines) + "\n")
    (here / "new.csv").write_text("win,lunch,notes\n1,1,0\n")
    words = ["-t", "label", "--column", "*=Bernoulli(prior=BetaBinomial(2, 2))", "--no-calibrate"]
    words += ["--estimate", estimate, "--class-prior", class_prior]
    done = run("fit", "mail.csv", *words, "-o", "m.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    assert run("predict", "m.suffice", "new.csv", "--proba", "--digits", "15", "-o", "out.csv").exit_code == 0
    joint = {}
    for label in ("ham", "spam"):
        rows = [row[1:] for row in MAIL if row[0] == label]
        joint[label] = Fraction(len(rows) + prior, len(MAIL) + of)
        for at, cell in enumerate((1, 1, 0)):
            theta = Fraction(sum(row[at] for row in rows) + count, len(rows) + total)
            joint[label] *= theta if cell else 1 - theta
    (row,) = read_rows(here / "out.csv")
    assert float(row["p(spam)"]) == pytest.approx(float(joint["spam"] / sum(joint.values())), rel=1e-14)


def test_classes_are_declared_and_have_priors_by_name(here, run):
    lines = ["label,win,lunch,notes", *(",".join(map(str, row)) for row in MAIL)]
    (here / "mail.csv").write_text("\n".join(lines) + "\n")
    words = ["-t", "label", "--column", "*=bernoulli", "--classes", "ham,spam,phish"]
    done = run("fit", "mail.csv", *words, "--class-prior", "dirichlet:ham=1,spam=1,phish=2", "-o", "m.suffice")
    assert (done.exit_code, done.stderr) == (0, "")
    model = sf.load("m.suffice")
    assert model.classes == ("ham", "phish", "spam")
    assert np.exp(model.core.log_prior) == pytest.approx([4 / 9, 2 / 9, 3 / 9])
    done = run("fit", "mail.csv", "-t", "label", "--classes", "ham,eggs", "-o", "m.suffice")
    assert done.exit_code == 1
    assert "Add it to --classes, or leave these rows out." in " ".join(done.stderr.split())
    (here / "codes.csv").write_text("y,x\n0,1\n1,2\n1,3\n")
    assert run("fit", "codes.csv", "-t", "y", "--classes", "0,1,2", "-o", "c.suffice").exit_code == 0
    assert sf.load("c.suffice").classes == (0, 1, 2)
    words = ["--type", "y=text", "--classes", "0,1,2"]
    assert run("fit", "codes.csv", "-t", "y", *words, "-o", "c.suffice").exit_code == 0
    assert sf.load("c.suffice").classes == ("0", "1", "2")
    (here / "flags.csv").write_text("y,x\ntrue,1\ntrue,2\n")
    assert run("fit", "flags.csv", "-t", "y", "--classes", "true,false", "-o", "f.suffice").exit_code == 0
    assert sf.load("f.suffice").classes == (False, True)


def test_other_classifiers_on_the_same_rows(folder, run):
    words = ["evaluate", "train.csv", "-t", "churned", "--folds", "3", "--bootstrap", "0"]
    done = run(*words, "--compare", "logistic-regression,decision-tree")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    at = lines.index("classifiers on the same rows, sorted by log loss")
    names = {line.split("  ")[1] for line in lines[at + 2 : at + 6]}
    assert names == {"suffice", "logistic-regression", "decision-tree", "majority class"}
    assert any("parameters, log-likelihood" in line and "AIC" in line for line in lines)
    record = json.loads(run(*words, "--compare", "logistic-regression", "--json").stdout)
    found = sf.evaluate("train.csv", "churned", folds=3, bootstrap=0, compare="logistic-regression")
    assert record["compared"] == [each._asdict() for each in found.compared]
    assert record["criteria"] == found.criteria._asdict()
    for bad, message in (
        (["--compare", "svm"], "unknown classifier 'svm'."),
        (
            ["--compare", "decision-tree", "--model", "model.suffice"],
            "this option requires training rows, but --model fits",
        ),
    ):
        failed = run("evaluate", "train.csv", "-t", "churned", *bad)
        assert failed.exit_code == 2
        assert message in " ".join(failed.stderr.split())


def test_screening_by_cost_from_the_shell(folder, run):
    words = ["--metric", "actual_detection_cost", "--cost-miss", "20", "--detection-prior", "0.1"]
    done = run("screen", "train.csv", "-t", "churned", "--drop", "customer", *words, "-o", "s.suffice", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    given = {"metric": "actual_detection_cost", "cost_miss": 20.0, "detection_prior": 0.1}
    found = sf.screen("train.csv", "churned", columns={"customer": None}, **given)
    assert (record["metric"], record["kept"]) == (found.metric, list(found.kept))
    assert sf.load("s.suffice") == found.model
