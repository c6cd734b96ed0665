"""What people meet in their first hour: names, mistakes and files as they come, and what the shell says then."""

from __future__ import annotations

import json
import re
import shlex
from types import SimpleNamespace

import pandas as pd
import pytest

import suffice as sf
from suffice.cli.completion import complete_model_column
from suffice.cli.demo import TARGET
from tests.cli.conftest import read_rows


@pytest.fixture(params=[("true", "false"), ("TRUE", "FALSE"), ("True", "False")], ids=lambda each: each[0])
def spelling(request, folder):
    """The spelling of the booleans in a file whose class is one, as most programs, R and Python write them."""
    yes, no = request.param
    rows = "".join(f"{at % 7},{'ab'[at % 3 == 0]},{yes if at % 3 == 0 else no}\n" for at in range(90))
    (folder / "bool.csv").write_text(f"x,z,y\n{rows}", encoding="utf-8")
    return request.param


def test_booleans_are_accepted_in_any_case_and_have_one_spelling(run, folder, spelling):
    yes, no = spelling
    done = run("fit", "bool.csv", "-t", "y", "--class-prior", f"{yes}=0.1,{no}=0.9")
    assert done.exit_code == 0, done.stderr
    assert re.search(r"^  true +30 +10.0 %", done.stdout, re.MULTILINE)
    assert sf.load("bool.suffice").classes == (False, True)
    assert sf.load("bool.suffice") == sf.fit("bool.csv", "y").with_options(class_prior={True: 0.1, False: 0.9})
    for command in ("evaluate", "screen"):
        words = ["--bootstrap", "0"] if command == "evaluate" else []
        found, default = (
            json.loads(run(command, "bool.csv", "-t", "y", *words, *more, "--json").stdout)
            for more in (["--positive", yes], [])
        )
        assert {**found, "seconds": 0} == {**default, "seconds": 0}
    shares = ["--class-prior", f"{yes}=0.5,{no}=0.5", "--bootstrap", "0", "--no-calibrate"]
    assert run("evaluate", "bool.csv", "-t", "y", *shares).exit_code == 0
    shown = run("explain", "bool.suffice", "bool.csv", "--row", "0", "--class", yes, "--against", no).stdout
    assert shown.startswith("row 0: true, ")
    assert run("sample", "bool.suffice", "-n", "2", "--class", yes).stdout.splitlines()[1].endswith(",true")
    assert "true,x," in run("export", "bool.suffice", "--to", "csv").stdout


def test_booleans_in_output_files_and_actions(run, folder, spelling):
    yes, _ = spelling
    assert run("fit", "bool.csv", "-t", "y").exit_code == 0
    assert run("predict", "bool.suffice", "bool.csv", "--proba", "--log-odds", "-o", "p.csv").exit_code == 0
    assert [*read_rows(folder / "p.csv")[0]] == ["predicted", "p(false)", "p(true)", "log_odds(true)"]
    done = run("decide", "bool.suffice", "bool.csv", "--threshold", "0", "--positive", yes, "--llr", "-o", "d.csv")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:3]] == ["false", "true"]
    rows = read_rows(folder / "d.csv")
    assert [*rows[0]] == ["action", "predicted", "llr(true)"]
    assert {row["action"] for row in rows} == {"false", "true"}
    costs = ["--cost", f"wait,{yes}=10", "--cost", "act=1", "--each-cost"]
    assert run("decide", "bool.suffice", "bool.csv", *costs, "-o", "d.csv").exit_code == 0
    assert [*read_rows(folder / "d.csv")[0]] == ["action", "expected_cost", "predicted", "cost(wait)", "cost(act)"]
    names = {"a": "y", "b": "z"}
    (folder / "costs.json").write_text(json.dumps({name: {"FALSE": 0, yes: 1} for name in names}), encoding="utf-8")
    assert run("decide", "bool.suffice", "bool.csv", "--costs", "costs.json").exit_code == 0


def test_booleans_are_explained_in_the_spelling_of_files(run, folder):
    lines = run("explain", "model.suffice", "new.csv", "--row", "0").stdout.splitlines()
    paperless = read_rows(folder / "new.csv")[0]["paperless"]
    assert [line.split()[2] for line in lines if line.startswith("  paperless = ")] == [paperless]
    rows = pd.read_csv("new.csv").head(1)
    (entry,) = (each for each in sf.load("model.suffice").explain(rows)[0].entries if each.column == "paperless")
    assert entry.value is bool(rows["paperless"][0])


def test_columns_without_names_are_called_columns(run, folder):
    done = run("fit", "logs/2026-11-01.csv.gz", "-t", "-1", "--no-header", "-o", "m.suffice")
    assert "\nclasses (column 9)\n" in done.stdout
    assert re.search(r"^  column 1 = ", run("show", "m.suffice").stdout, re.MULTILINE)
    shown = run("explain", "m.suffice", "logs/2026-11-01.csv.gz", "--row", "0").stdout
    assert re.search(r"^  column 1 = ", shown, re.MULTILINE)


def test_a_uniform_column_is_explained_by_its_maxima(run, folder):
    (folder / "u.csv").write_text("v,y\n" + "".join(f"{1 + at % 4},a\n{1 + at % 9},b\n" for at in range(36)))
    assert run("fit", "u.csv", "-t", "y", "-c", "v=uniform", "--no-calibrate").exit_code == 0
    (line,) = (
        line for line in run("explain", "u.suffice", "u.csv", "--row", "0").stdout.splitlines() if "v = " in line
    )
    assert line.split()[-4:] == ["≤", "4", "≤", "9"]


def test_a_class_that_a_boolean_model_does_not_have(run, folder, spelling):
    assert run("fit", "bool.csv", "-t", "y").exit_code == 0
    done = run("explain", "bool.suffice", "bool.csv", "--class", "yes")
    assert done.stderr == "suffice: the model has no class 'yes'. Its classes are false, true.\n"


@pytest.mark.parametrize("command", ["fit", "screen", "evaluate"])
@pytest.mark.parametrize("path", ["gone.csv", "gone/", "gone.tar.gz"])
def test_a_missing_file_is_named_before_a_missing_target(run, folder, command, path):
    done = run(command, path)
    assert done.exit_code == 1
    assert "there is no file" in done.stderr
    assert "gone" in done.stderr


def test_a_model_is_not_written_to_standard_output(run, folder):
    done = run("fit", "train.csv", "-t", TARGET, "-o", "-")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "-o must be a file: got -" in done.stderr
    assert not (folder / "-").exists()


def test_the_next_step_quotes_a_name_with_a_space(run, folder):
    done = run("fit", "train.csv", "-t", TARGET, "-o", "a b.suffice")
    assert "\nnext: suffice predict 'a b.suffice' NEW.csv\n      suffice show 'a b.suffice'\n" in done.stdout


def test_fit_names_the_model_after_the_data(run, folder):
    done = run("fit", "train.csv", "-t", TARGET)
    assert "\nwrote train.suffice (" in done.stdout
    assert sf.load("train.suffice") == sf.fit("train.csv", TARGET)
    assert run("fit", "train.csv", "-t", TARGET, "--estimate", "map").exit_code == 0  # as -o does, it replaces a model
    assert sf.load("train.suffice").core.reading.estimate == "map"
    assert run("fit", "mail/").exit_code == 0
    assert sf.load("mail.suffice").classes == ("ham", "spam")
    assert run("fit", "logs/2026-11-01.csv.gz", "-t", "-1", "--no-header").exit_code == 0
    assert (folder / "2026-11-01.suffice").exists()


def test_an_expected_cost_is_printed_where_costs_were_given_and_in_digits(run, folder):
    assert "expected cost" not in run("decide", "model.suffice", "new.csv", "--alerts", "5", "-o", "o.csv").stdout
    assert [*read_rows(folder / "o.csv")[0]] == ["action", "predicted"]
    record = json.loads(run("decide", "model.suffice", "new.csv", "--alerts", "5", "-o", "o.csv", "--json").stdout)
    assert "expected_cost" not in record
    done = run("decide", "model.suffice", "new.csv", "--alerts", "5", "--each-cost")
    assert done.exit_code == 2
    assert "Invalid value for --each-cost: costs are required: give --costs or --cost." in " ".join(done.stderr.split())
    (folder / "high.csv").write_text("action,no,yes\nleave,0,1000000\ncall,500,4000\n", encoding="utf-8")
    done = run("decide", "model.suffice", "new.csv", "--costs", "high.csv", "-o", "o.csv")
    assert re.search(r"^expected cost: \d\d+,\d{3} in total, [\d,.]+ per row$", done.stdout, re.MULTILINE)
    assert [*read_rows(folder / "o.csv")[0]] == ["action", "expected_cost", "predicted"]


@pytest.mark.parametrize(
    ("data", "words", "option"),
    [
        (b"a,y\ncaf\xe9,x\nb,z\n", [], "--encoding latin-1"),
        (b"a,y\nx,1\nz,2\n" * 3, ["--column", "a=gaussian"], "--column a=categorical"),
    ],
)
def test_advice_names_options_and_not_arguments_of_python(run, folder, data, words, option):
    (folder / "odd.csv").write_bytes(data)
    done = run("fit", "odd.csv", "-t", "y", *words)
    assert done.exit_code == 1
    assert option in done.stderr
    assert "='" not in done.stderr
    assert "()" not in done.stderr


PYTHON_SYNTAX = re.compile(r"\w=['\dTF]|\(\)|\b[a-z]+_[a-z_]+\b")
NUMBERS = "1.5,a\n2.5,b\n3.5,a\n4.5,b\n"
CODES = "".join(f"K{at},{'ab'[at % 2]}\n" for at in range(60)) * 2
DAYS = "".join(f"2026-11-{at + 1:02},{'ab'[at % 2]}\n" for at in range(28))
WIDE = ",".join(f"c{at}" for at in range(400))
WIDE_ROWS = "".join(
    f"{','.join(str((at * 7 + row * row) % 10) for at in range(400))},{'ab'[row % 2]}\n" for row in range(40)
)


MESSAGES = {
    "infinite": (
        f"v,y\n{NUMBERS}inf,b\n",
        "fit d.csv -t y -c v=gaussian",
        "or use --column v=histogram, which accepts ±inf.",
    ),
    "overflow": (f"v,y\n{NUMBERS}1e300,b\n", "fit d.csv -t y -c v=gaussian", "or use --column v=histogram."),
    "negative": (
        f"v,y\n{NUMBERS}-2,b\n",
        "fit d.csv -t y -c v=multinomial",
        "Use --column v=numeric if the column does not",
    ),
    "fractions": (f"v,y\n{NUMBERS}", "fit d.csv -t y -c v=poisson", "Round it, or use --column v=numeric."),
    "combinations": (
        f"{WIDE},y\n{WIDE_ROWS}",
        "fit d.csv -t y -c 'c*=joint' --no-calibrate && predict d.suffice d.csv",
        "Joint of 400 columns has too many combinations for float64. Use fewer columns, or model them independently.",
    ),
    "leave-one-out": (
        "v,y\n" + NUMBERS * 1251,
        "evaluate d.csv -t y --loo",
        "leave-one-out supports 2 to 5,000 rows: got 5,004. Use --folds 10 instead",
    ),
    "mle": (
        f"v,y\n{NUMBERS}",
        "fit d.csv -t y --estimate mle",
        "not calibrated: calibration is not available for the estimate 'mle'",
    ),
    "mle scale": (
        f"v,y\n{NUMBERS}",
        "fit d.csv -t y --estimate mle && calibrate d.suffice d.csv --method scale",
        "calibration is not available for the estimate 'mle'. Use another estimate.",
    ),
    "dates": (f"v,y\n{DAYS}", "fit d.csv -t y", "dates and times; their parts (hour, weekday, month) can be modelled"),
    "levels": (
        f"v,y\n{CODES}",
        "fit d.csv -t y --max-levels 50",
        "more than the limit of 50; give it a likelihood to use it",
    ),
    "density": (
        "v,y\nthe cat,a\na dog,b\n",
        """fit d.csv -t y -c 'v=Words(model="complement")' && predict d.suffice d.csv --log-density""",
        "Use `suffice predict --proba`, or fit the column with the text model multinomial or bernoulli.",
    ),
    "type": (
        f"v,y\n{NUMBERS}",
        "fit d.csv -t y --type w=float",
        "a type is given for column 'w', which is not in the data.",
    ),
    "sum of the prior": (
        f"v,y\n{NUMBERS}",
        "fit d.csv -t y --class-prior a=0.5",
        "the class prior must sum to 1: got a sum of 0.5.",
    ),
    "classes of the prior": (
        f"v,y\n{NUMBERS}",
        "evaluate d.csv -t y --folds 2 --class-prior a=1",
        "the class prior has no probability for class 'b'. The classes are 'a', 'b'. Give one probability for each.",
    ),
    "documents": (
        f"v,y\n{NUMBERS}",
        "fit d.csv -t y && predict d.suffice mail/",
        "the model has no text columns; it must have exactly one, or one named 'text'.",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_do_not_speak_python(run, folder, name):
    data, line, said = MESSAGES[name]
    (folder / "d.csv").write_text(data, encoding="utf-8")
    for command in line.split(" && "):
        done = run(*shlex.split(command))
    printed = " ".join(done.stderr.split())
    if said not in printed:
        (printed,) = (line for line in done.stdout.splitlines() if said in line)
    assert not PYTHON_SYNTAX.search(printed), printed


def test_metrics_say_which_direction_is_better_and_stand_beside_a_baseline(run, folder):
    done = run("evaluate", "train.csv", "-t", TARGET, "--bootstrap", "0")
    metrics = done.stdout.split("\nmetrics\n")[1].split("\n\n")[0].splitlines()
    assert "█" not in "".join(metrics)
    better = {line[2:26].strip(): line.split()[-1] for line in metrics[1:-4]}
    assert {name for name, word in better.items() if word == "higher"} == {
        "accuracy",
        "balanced accuracy",
        "ROC AUC",
        "average precision",
    }
    assert set(better.values()) == {"higher", "lower"}
    rows = read_rows(folder / "train.csv")
    majority = sum(row[TARGET] == "no" for row in rows) / len(rows)
    accuracy = next(line for line in metrics if line.startswith("  accuracy"))
    assert f"  {majority:.4f}  higher" in accuracy
    record = json.loads(run("evaluate", "train.csv", "-t", TARGET, "--bootstrap", "0", "--json").stdout)
    assert record["baseline"]["accuracy"] == majority
    assert record["positive"] == "yes"
    assert metrics[-3] == "  average precision and detection costs: 'yes' is the positive class"
    precision = next(line for line in metrics if line.startswith("  average precision  "))
    assert f"  {1 - majority:.4f}  higher" in precision


def test_screening_says_that_all_columns_are_kept(run, folder):
    done = run("screen", "train.csv", "-t", TARGET, "--threshold", "2")
    assert "\nall 8 columns kept\n" in done.stdout
    assert "∞" not in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["evaluate", "train.csv", "--model", "model.suffice", "--bootstrap", "0"],
            "metrics on training rows are optimistic",
        ),
        (["update", "model.suffice", "train.csv"], "its rows now count twice"),
        (["decide", "model.suffice", "new.csv", "--recall", "0.9", "--on", "train.csv", "-o", "o.csv"], "optimistic"),
        (["calibrate", "model.suffice", "train.csv", "--new"], "Leave out --new"),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_a_file_that_the_model_was_fitted_on_is_named(run, folder, words, said):
    assert run("fit", "train.csv", "-t", TARGET, "-o", "model.suffice", "--no-calibrate").exit_code == 0
    done = run(*words, "--json")
    assert done.exit_code == 0
    warning = json.loads(done.stdout)["warnings"][0]["message"]
    assert warning.startswith("the model was already fitted on train.csv: ")
    assert said in warning
    assert done.stderr.startswith(f"suffice: warning: {warning}\n")
    other = ["tuesday.csv" if word == "train.csv" else word for word in words]
    assert "already learnt" not in run(*other).stderr


def test_a_model_merged_with_itself_counts_its_rows_twice(run, folder):
    done = run("merge", "model.suffice", "model.suffice", "-o", "o.suffice", "--json")
    warning = json.loads(done.stdout)["warnings"][0]
    assert warning["kind"] == "TrainingFilesWarning"
    assert "already fitted on " in warning["message"]
    assert "its rows now count twice" in done.stderr


def test_a_sample_has_the_types_of_the_file(run, folder):
    assert run("sample", "model.suffice", "-n", "50", "-o", "rows.csv").exit_code == 0
    rows = read_rows(folder / "rows.csv")
    assert all(row["months"].isdigit() and row["support_calls"].isdigit() for row in rows)
    assert {row["paperless"] for row in rows} == {"true", "false"}
    assert run("fit", "rows.csv", "--schema", "model.suffice", "-o", "again.suffice").exit_code == 0


def test_columns_of_a_model_are_completed(folder):
    context = SimpleNamespace(params={"model": "model.suffice"}, args=[])
    assert list(complete_model_column(context, "m")) == ["months", "minutes", "monthly_fee"]
    waiting = SimpleNamespace(params={}, args=["model.suffice"])
    assert list(complete_model_column(waiting, "pl")) == ["plan"]
    for path in ("gone.suffice", "train.csv"):
        assert list(complete_model_column(SimpleNamespace(params={"model": path}, args=[]), "")) == []


def test_rows_without_a_class_are_not_counted_as_used(run, folder):
    rows = "".join(f"{at % 7},{'ab'[at] if at < 2 else ''}\n" for at in range(100))
    (folder / "gaps.csv").write_text(f"x,y\n{rows}", encoding="utf-8")
    done = run("fit", "gaps.csv", "-t", "y")
    assert re.search(r"^100 rows \(2 of them used\) in ", done.stdout, re.MULTILINE)
    assert "\nnext: suffice predict gaps.suffice NEW.csv" in done.stdout


@pytest.mark.parametrize("classes", ["a", ""], ids=["one class", "no class"])
def test_a_model_that_cannot_tell_classes_apart_has_no_next_step(run, folder, classes):
    rows = "".join(f"{at % 7},{classes if at < 2 else ''}\n" for at in range(100))
    (folder / "gaps.csv").write_text(f"x,y\n{rows}", encoding="utf-8")
    done = run("fit", "gaps.csv", "-t", "y")
    assert done.exit_code == 0, done.stderr
    assert "wrote gaps.suffice" in done.stdout
    assert "next:" not in done.stdout


@pytest.mark.parametrize("command", ["predict", "explain", "decide", "update"])
def test_swapped_arguments_are_recognised(run, folder, command):
    done = run(command, "new.csv", "model.suffice")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == (
        "suffice: 'new.csv' is not a suffice model: it is a text file. The model comes before the data: give "
        "model.suffice first.\n"
    )


def test_a_text_file_is_not_a_model(run, folder):
    done = run("show", "train.csv")
    assert done.stderr == (
        "suffice: 'train.csv' is not a suffice model: it is a text file. Give a model file written by `suffice fit`.\n"
    )


def test_shares_may_be_percentages(run, folder):
    both = [
        json.loads(
            run(
                "decide", "model.suffice", "new.csv", "--recall", share, "--on", "tuesday.csv", "-o", "o.csv", "--json"
            ).stdout
        )["threshold"]
        for share in ("90%", "0.9")
    ]
    assert both[0] == both[1]
    done = run("decide", "model.suffice", "new.csv", "--recall", "much", "--on", "tuesday.csv")
    assert done.exit_code == 2
    assert "must be a fraction above 0 and at most 1, such as 0.9 or 90%: got much." in " ".join(done.stderr.split())


def test_names_for_files_without_a_header(run, folder):
    names = "id,plan,payment,region,months,minutes,fee,calls,paperless,left"
    words = ["logs/*.csv.gz", "--names", names, "--null", "?", "-t", "left", "-o", "m.suffice"]
    done = run("fit", *words, "--json")
    assert done.exit_code == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["rows"] == 300
    assert {each["name"] for each in [*record["columns"], *record["left_out"]]} == {*names.split(",")[:-1]}
    assert sf.load("m.suffice") == sf.fit(sf.Files("logs/*.csv.gz", names=names.split(","), null="?"), "left")
    assert run("predict", "m.suffice", "logs/2026-11-01.csv.gz", "--names", names, "-o", "o.csv").exit_code == 0
    assert len(read_rows(folder / "o.csv")) == 100
    few = run("fit", "logs/*.csv.gz", "--names", "a,b", "-t", "b", "-o", "m.suffice")
    assert few.exit_code == 1
    assert "the file has 10 columns, but 2 names are given. Give one name for each column with --names." in few.stderr
    both = run("fit", "train.csv", "--names", "a,b", "--header", "-t", "b")
    assert both.exit_code == 2
    assert "names apply only to files without a header. Omit --names or --header." in " ".join(both.stderr.split())


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "train.csv", "-t", TARGET],
        ["predict", "model.suffice", "new.csv", "-o", "o.csv"],
        ["decide", "model.suffice", "new.csv", "--costs", "costs.csv", "-o", "o.csv"],
        ["screen", "train.csv", "-t", TARGET, "-o", "s.suffice"],
        ["set", "model.suffice", "--estimate", "map", "-o", "o.suffice"],
        ["merge", "model.suffice", "tuesday.suffice", "-o", "o.suffice"],
        ["sample", "model.suffice", "-n", "3", "-o", "o.csv"],
        ["export", "model.suffice", "--to", "csv", "-o", "o.csv"],
        ["forget", "model.suffice", "one_customer.csv", "-o", "o.suffice"],
        ["update", "model.suffice", "tuesday.csv"],
        ["calibrate", "model.suffice", "tuesday.csv", "--new"],
        ["explain", "model.suffice", "new.csv", "-o", "o.ndjson"],
    ],
    ids=lambda words: words[0],
)
def test_quiet_prints_nothing(run, folder, words):
    sf.fit("tuesday.csv", TARGET, like=sf.load("model.suffice"), calibrate=False).save("tuesday.suffice")
    done = run(*words, "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert run(*words, "-q", "--json").stdout.startswith("{")


def test_quiet_keeps_warnings_and_results(run, folder):
    lines = (folder / "train.csv").read_text(encoding="utf-8").splitlines()
    (folder / "one.csv").write_text("\n".join(line for line in lines if not line.endswith("yes")), encoding="utf-8")
    assert "all rows have the class 'no'" in run("fit", "one.csv", "-t", TARGET, "-q").stderr
    assert run("predict", "model.suffice", "new.csv", "-q").stdout.startswith("predicted\n")
    assert run("explain", "model.suffice", "new.csv", "--row", "0", "-q").stdout.startswith("row 0: ")


def test_digits_of_computed_numbers(run, folder):
    model = sf.load("model.suffice")
    words = ["predict", "model.suffice", "new.csv", "--proba", "--keep", "monthly_fee", "-o"]
    expected = model.predict_proba("new.csv")[:, 1]
    for more, path, digits in (
        ([], "o.csv", 6),
        (["--digits", "3"], "o.csv", 3),
        (["--digits", "17"], "o.csv", 17),
        ([], "o.ndjson", 17),
        (["--digits", "2"], "o.ndjson", 2),
    ):
        assert run(*words, path, *more).exit_code == 0
        text = (folder / path).read_text(encoding="utf-8").splitlines()
        rows = read_rows(folder / path) if path.endswith("csv") else list(map(json.loads, text))
        rounded = [float(f"{p:.{digits}g}") for p in expected]
        assert [float(row["p(yes)"]) for row in rows] == pytest.approx(rounded, rel=1e-14), (path, digits)
        kept = [row["monthly_fee"] for row in read_rows(folder / "new.csv")]
        assert ["" if row["monthly_fee"] is None else str(row["monthly_fee"]) for row in rows] == [
            fee if path.endswith("csv") or not fee else str(float(fee)) for fee in kept
        ]
    assert run(*words, "o.csv", "--digits", "0").exit_code == 2


@pytest.mark.parametrize("command", ["", "fit", "concepts"])
def test_h_and_capital_v(run, command):
    words = [command] if command else []
    assert run(*words, "-h").stdout == run(*words, "--help").stdout
    assert run("-V").stdout == run("--version").stdout
