"""`suffice concepts`: the number game as bars and as JSON, and what it says to what is no number of it."""

from __future__ import annotations

import io
import json
import sys

import pytest

import suffice as sf
from suffice.cli.terminal import draw_strip

SHOWN = """\
16, 8, 2, 64: 5,083 concepts over 1 … 100, strong sampling

concepts by posterior probability
  concept                  numbers  posterior
  powers of two                  6     99.6 %  ████████████████████████
  powers of two except 32        5      0.2 %  ▏
  even                          50      0.1 %  ▏

maximum likelihood, without the prior: powers of two except 32

other numbers in the concept, by probability
  number  probability
       4        100 %  ████████████████████████
      32       99.8 %  ████████████████████████
       6        0.1 %  ▏

probability of each number
   1  ·█·█···█·· ·····█···· ·········· ·█········ ··········   50
  51  ·········· ···█······ ·········· ·········· ··········  100
"""


def test_it_shows_the_posterior_and_the_predictive_as_bars(run):
    done = run("concepts", 16, 8, 2, 64, "--top", 3)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == SHOWN


def test_options_may_stand_before_the_numbers_and_numbers_come_twice(run):
    first = run("concepts", "--top", 3, 16, 8, "--domain", "1-30", 16)
    assert first.stdout.startswith("16, 8, 16: 491 concepts over 1 … 30, strong sampling\n")
    assert first.stdout.endswith("\n  1  ·▃▁▃▁▁▁█▁▁ ▁▁▁▁▁█▁▁▁▁ ▁▁▁▆▁▁·▁·▁  30\n")


def test_json_has_the_numbers_of_the_library(run):
    done = run("concepts", 60, 52, 57, 55, "--domain", "1-200", "--sampling", "weak", "--top", 4, "--json")
    record = json.loads(done.stdout)
    learner = sf.concepts.number_game(range(1, 201), "weak").update([60, 52, 57, 55])
    assert record["data"] == [60, 52, 57, 55]
    assert record["domain"] == [1, 200]
    assert record["sampling"] == "weak"
    assert record["hypotheses"] == len(learner.names)
    assert record["log_evidence"] == learner.log_evidence()
    assert (record["map"], record["mle"]) == (learner.map.name, learner.mle.name)
    assert record["posterior"] == [each._asdict() for each in learner.posterior().top(4)]
    assert [each["number"] for each in record["predictive"]] == list(range(1, 201))
    assert [each["probability"] for each in record["predictive"]] == learner.predictive().tolist()


def test_a_domain_of_one_number(run):
    done = run("concepts", 7, "--domain", "7-7")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "no other number can be in the concept" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([101], "datum 101 is not in the domain 1 … 100. Check it, or give another --domain."),
        ([16, -5], "datum -5 is not in the domain 1 … 100. Check it, or give another --domain."),
        ([0], "datum 0 is not in the domain 1 … 100. Check it, or give another --domain."),
        ([16, "--domain", "20-30"], "datum 16 is not in the domain 20 … 30. Check it, or give another --domain."),
    ],
)
def test_a_number_outside_the_domain_is_1(run, words, message):
    done = run("concepts", *words)
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"suffice: {message}\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "Missing argument 'NUMBER…'."),
        (["sixteen"], "'sixteen' is not a whole number. Write for example 16."),
        (["16.5"], "'16.5' is not a whole number. Write for example 16."),
        (["16,8"], "'16,8' is not a whole number. Write for example 16."),
        ([""], "'' is not a whole number. Write for example 16."),
        (["9" * 400], "is not a whole number. Write for example 16."),
        (["16", "--topp", "3"], "unknown option --topp."),
        (["16", "--topp=3"], "unknown option --topp."),
        (["16", "-x"], "'-x' is not a whole number. Write for example 16."),
        (["16", "--top", "0"], "--top"),
        (["16", "--sampling", "medium"], "'medium' is not a sampling assumption. Give strong or weak."),
        (["16", "--domain", "100"], "'100' is not FIRST-LAST"),
        (["16", "--domain", "100-1"], "'100-1' is not FIRST-LAST"),
        (["16", "--domain", "0-10"], "'0-10' is not FIRST-LAST"),
        (["16", "--domain", "1-5000"], "domain must have at most 500 numbers"),
    ],
)
def test_wrong_usage_is_2(run, words, complaint):
    done = run("concepts", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert complaint in " ".join(done.stderr.split())
    assert "--help" in done.stderr


def test_a_terminal_without_blocks_gets_digits(shell):
    done = shell("PYTHONIOENCODING=ascii suffice concepts 60 52 57 55")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  51  7999999999 7543211100 0000000000 0000...... ..........  100\n" in done.stdout
    assert "########################" in done.stdout


@pytest.mark.parametrize(("encoding", "shown"), [("utf-8", "·▁▁▄█"), ("ascii", ".0149")])
def test_a_strip_has_a_sign_for_each_share(monkeypatch, encoding, shown):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert draw_strip([0.004, 0.005, 0.12, 0.49, 1.0]) == shown
