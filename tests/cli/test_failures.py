"""What can go wrong with files: one clear message on stderr, exit code 1, and nothing half-written."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

import suffice as sf

FIT = ["--target", "churned", "-o", "m.suffice"]
LEFT = """9 columns
  'plan', 'payment', 'region', 'support_calls': Categorical(alpha='evidence')
  'months', 'minutes', 'monthly_fee': Numeric()
  'paperless': Bernoulli()
  'customer' left out: probably an id (300 of 300 values are distinct); give it a likelihood to use it"""
RIGHT = LEFT.replace("'plan', ", "").replace("Bernoulli()", "Bernoulli()\n  not used: 'plan'")


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def fails(folder, run, message, *words):
    """Run the command and check that it complains so, and that every file is as it was."""
    before = files_in(folder)
    done = run(*words)
    assert (done.stdout, done.stderr, done.exit_code) == ("", f"suffice: {message}\n", 1)
    assert files_in(folder) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit", "trein.csv", *FIT], "there is no file trein.csv. Did you mean train.csv?"),
        (["fit", "gone/*.csv", *FIT], "no file matches gone/*.csv."),
        (
            ["fit", "empty", *FIT],
            "empty contains no table (.csv, .ndjson, .parquet, .xlsx, …), and no subdirectories of texts.",
        ),
        (["fit", "empty.csv", *FIT], "empty.csv: the file is empty: it has neither a header nor rows."),
        (["fit", "header.csv", *FIT], "header.csv: the file has no rows."),
        (
            ["fit", "train.csv", "--target", "churnd", "-o", "m.suffice"],
            "target column 'churnd' is not in train.csv. Did you mean 'churned'?",
        ),
        (
            ["fit", "train.csv", "--target", "99", "-o", "m.suffice"],
            "target column '99' is not in train.csv. The columns are 'customer', 'plan', 'payment', 'region', "
            "'months', "
            "'minutes', 'monthly_fee', 'support_calls', ….",
        ),
        (["fit", "train.csv", *FIT, "--drop", "plann"], "column 'plann' is not in the data. Did you mean 'plan'?"),
        (
            ["fit", "train.csv", *FIT, "--weights", "plan"],
            "train.csv, row 0, column 'plan': weights must be numbers: got 'basic'. Convert the column first.",
        ),
        (
            ["fit", "torn.csv", *FIT],
            "torn.csv, line 151: 3 fields instead of 10: 'a,b,c'. Fix it, or skip bad lines with --skip-bad-lines.",
        ),
        (
            ["fit", "train.csv", "-t", "churned", "-o", "logs"],
            "'logs' is a folder. Give the path of a file.",
        ),
        (
            ["fit", "train.csv", "-t", "churned", "-o", "gone/m.suffice"],
            "-o 'gone/m.suffice': the folder 'gone' does not exist. Create it first.",
        ),
        (
            ["fit", "train.csv", "-t", "churned", "-o", "train.csv"],
            "-o 'train.csv' is an input file of this command. Choose another name, so that it is not overwritten.",
        ),
        (
            ["fit", "train.csv", "--schema", "model.suffice", "-o", "model.suffice"],
            "-o 'model.suffice' is an input file of this command. Choose another name, so that it is not overwritten.",
        ),
        (
            ["predict", "model.suffice", "new.csv", "-o", "new.csv"],
            "-o 'new.csv' is an input file of this command. Choose another name, so that it is not overwritten.",
        ),
        (
            ["predict", "model.suffice", "new.csv", "-o", "scored.xlsx"],
            "the extension of an output file must be one of .csv, .tsv, .ndjson, .jsonl, .parquet, .pq: got "
            "scored.xlsx.",
        ),
        (
            ["predict", "gone.suffice", "new.csv"],
            "cannot read 'gone.suffice': the file does not exist. Check the path.",
        ),
        (
            ["predict", "train.csv", "new.csv"],
            "'train.csv' is not a suffice model: it is a text file. Give a model file written by `suffice fit`.",
        ),
        (["predict", "model.suffice", "zzz.parquet"], "there is no file zzz.parquet."),
        (
            ["predict", "model.suffice", "new.csv", "--class-prior", "ja=0.5,no=0.5"],
            "the model has no class 'ja'. Its classes are 'no', 'yes'.",
        ),
        (
            ["predict", "model.suffice", "new.csv", "--keep", "costumer"],
            "kept column 'costumer' is not in new.csv. Did you mean 'customer'?",
        ),
        (["show", "model.suffice", "--column", "plann"], "the model has no column 'plann'. Did you mean 'plan'?"),
        (
            ["sample", "model.suffice", "-n", "3", "--class", "yess"],
            "the model has no class 'yess'. Did you mean 'yes'?",
        ),
        (
            ["forget", "model.suffice", "new.csv"],
            "cannot remove rows that were not added: class 'yes', level 'family' has count 4.0, but 6.0 would be removed. "
            "Remove only rows that were added, with the same weights.",
        ),
        (
            ["merge", "model.suffice", "other.suffice", "-o", "m.suffice"],
            "model.suffice (left) and other.suffice (right) cannot be merged: the models have different schemas.\n"
            f"left:  {LEFT}\nright: {RIGHT}\nFit one of them with the schema of the other, using --schema.",
        ),
        (
            ["set", "model.suffice", "--prior", "plan=gaussian", "-o", "m.suffice"],
            "the statistics of column 'plan', collected for Categorical(alpha='evidence'), do not suffice for Gaussian(). "
            "Fit the model again with it.",
        ),
        (
            ["set", "model.suffice", "--estimate", "mle", "--alpha", "1", "-o", "m.suffice"],
            "the maximum likelihood estimate has no prior: got alpha with 'mle'. Use --estimate smoothed, or leave out "
            "--alpha.",
        ),
    ],
)
def test_a_clear_message_and_nothing_half_written(folder, run, words, message):
    (folder / "empty").mkdir()
    (folder / "empty.csv").touch()
    text = (folder / "train.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "header.csv").write_text(text[0], encoding="utf-8")
    (folder / "torn.csv").write_text("".join([*text[:150], "a,b,c\n" * 20]), encoding="utf-8")
    sf.fit("train.csv", "churned", columns={"plan": None}, calibrate=False).save("other.suffice")
    fails(folder, run, message, *words)


def test_one_class_only_is_fitted_and_says_so(folder, run):
    lines = (folder / "train.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "one.csv").write_text("".join(line for line in lines if not line.endswith("yes\n")), encoding="utf-8")
    done = run("fit", "one.csv", *FIT)
    assert done.exit_code == 0
    assert done.stderr == "suffice: warning: all rows have the class 'no'; a classifier needs at least two classes.\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["fit", "train.csv", "tuesday.csv", "-t", "churned"], "name the output file, e.g. -o model.suffice."),
        (["fit", "*.csv", "-t", "churned"], "name the output file, e.g. -o model.suffice."),
        (["fit", "train.csv", "-o", "m.suffice"], "Missing option --target: name the class column"),
        (["fit", "train.csv", *FIT, "--column", "plan=categoric"], "Did you mean 'categorical'?"),
        (["fit", "train.csv", *FIT, "--class-prior", "yes=0.5"], "the class prior must sum to 1: got a sum of 0.5."),
        (["fit", "train.csv", *FIT, "--estimate", "mapp"], "unknown estimate 'mapp'. Did you mean 'map'?"),
        (["fit", "train.csv", *FIT, "--type", "months=number"], "'months=number' is not NAME=TYPE."),
        (["fit", "train.csv", *FIT, "--delimiter", "ab"], "delimiter must be one ASCII character"),
        (["fit", "train.csv", *FIT, "--encoding", "klingon"], "unknown encoding: got 'klingon'."),
        (
            ["fit", "train.csv", "--schema", "model.suffice", "--drop", "plan", "-o", "m.suffice"],
            "Omit --column and --drop.",
        ),
        (["predict", "model.suffice", "new.csv", "--json"], "--json needs -o FILE, because the rows go to stdout."),
        (["predict", "model.suffice", "new.csv", "--to", "xlsx"], "unknown output format 'xlsx'."),
        (["sample", "model.suffice", "-n", "3", "--json"], "--json needs -o FILE, because the rows go to stdout."),
        (["sample", "model.suffice", "-n", "-3"], "--number"),
        (["export", "model.suffice", "--to", "xml"], "unknown format 'xml'. Give json, csv or schema."),
        (
            ["export", "model.suffice", "--to", "csv", "--json"],
            "--json needs -o FILE, because the parameters go to stdout.",
        ),
        (["set", "model.suffice", "-o", "m.suffice"], "give at least one option to change, e.g. --estimate map."),
        (["show", "model.suffice", "--top", "0"], "--top"),
        (["merge", "-o", "m.suffice"], "Missing argument"),
        (["update", "model.suffice"], "Missing argument"),
        (["fitt"], "No such command 'fitt'. Did you mean 'fit'?"),
    ],
)
def test_wrong_usage_is_2(folder, run, words, complaint):
    before = files_in(folder)
    done = run(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert complaint in " ".join(done.stderr.split())
    assert "--help" in done.stderr
    assert files_in(folder) == before


def limited(size):
    """Let the child write no file larger than so many bytes, as a disk that is full lets it."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


FULL = (
    "the file would exceed the maximum file size. Raise the limit, or use another path. An existing file is unchanged."
)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("suffice fit train.csv -t churned -o model.suffice", "model.suffice"),
        ("suffice update model.suffice tuesday.csv", "model.suffice"),
        ("suffice predict model.suffice new.csv --keep '*' -o scored.csv", "scored.csv"),
        ("suffice export model.suffice --to csv -o p.csv", "p.csv"),
    ],
)
def test_a_disk_that_takes_no_more(folder, shell, line, path):
    before = files_in(folder)
    done = shell(line, preexec_fn=limited(4096))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"suffice: cannot write {path!r}: {FULL}\n")
    assert files_in(folder) == before


def test_a_full_disk(folder, run, monkeypatch):
    def full(at):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("suffice.storage.file.os.fsync", full)
    message = "cannot write 'm.suffice': the disk is full. Free some space, or use another path. "
    fails(folder, run, message + "An existing file is unchanged.", "fit", "train.csv", *FIT)


def test_a_folder_that_is_read_only(folder, run, monkeypatch):
    (folder / "locked").mkdir(mode=0o555)
    if os.geteuid() == 0:  # who may write anywhere; then only the answer of the system is played
        monkeypatch.setattr("suffice.cli.output.os.access", lambda path, mode: str(path) != "locked")
    message = "permission denied: 'locked'. Choose another path with -o, or change the permissions."
    fails(folder, run, message, "fit", "train.csv", "-t", "churned", "-o", "locked/m.suffice")
    fails(folder, run, message, "predict", "model.suffice", "new.csv", "-o", "locked/s.csv")


def test_a_reader_that_leaves_is_no_failure(folder, shell):
    many = "".join((folder / "new.csv").read_text(encoding="utf-8").splitlines(keepends=True)[1:]) * 300
    header = (folder / "new.csv").read_text(encoding="utf-8").splitlines(keepends=True)[0]
    (folder / "many.csv").write_text(header + many, encoding="utf-8")
    # Python that does not buffer takes a pipe that closes in the middle of a write for success.
    line = "unset PYTHONUNBUFFERED; suffice predict model.suffice many.csv --keep '*' | head -2; echo ${PIPESTATUS[0]}"
    done = shell(line)
    assert done.stderr == ""
    assert done.stdout.splitlines()[0].endswith(",predicted")
    assert done.stdout.splitlines()[-1] == "141"


def unread(pipe) -> int:
    """Return how many bytes of the pipe nobody has read yet."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"))[0]


def test_ctrl_c_leaves_with_130_and_one_line(folder):
    words = [sys.executable, "-m", "suffice", "fit", "-", "--format", "csv", *FIT]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin is not None
        child.stdin.write((folder / "train.csv").read_bytes())
        child.stdin.flush()
        while child.poll() is None and unread(child.stdin):
            time.sleep(0.05)
        time.sleep(1)  # it has read all that there is, and waits for more
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    # Where Ctrl-C hits an import, Python ends by the signal after all: a shell says 130 of that too.
    assert child.returncode in (130, -signal.SIGINT)
    assert (out, err) == (b"", b"suffice: interrupted. No file was changed.\n")
    assert not (folder / "m.suffice").exists()
