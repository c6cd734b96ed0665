"""Run a fuzzer: numbered cases drawn from a seed, in a worker process that may die.

    python -m tests.attacks.fuzz_sparse --seconds 600              draw a seed, print it, run for ten minutes
    python -m tests.attacks.fuzz_sparse --seed 5 --case 1234       run that case again, in this process
    .ci/fuzz 600                                                   every fuzzer, with a core built for AddressSanitizer

A case depends on the seed and on its number alone, so two numbers reproduce a finding. Each call of a case may succeed
without NaN in what it returns, or raise a SufficeError. Findings are: another exception, a NaN, damage that is not
refused, an answer that differs from the expected one, a crash, a call that takes longer than `LONGEST_SECONDS`, and
memory beyond the limits. The run continues after a finding, prints each distinct one with its reproduction, and ends
with exit code 1.
"""

from __future__ import annotations

import argparse
import dataclasses
import faulthandler
import json
import mmap
import os
import random
import re
import resource
import secrets
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf

__all__ = ["LONGEST_SECONDS", "FoundError", "Trial", "main"]

ROOT = Path(__file__).parents[2]
LONGEST_SECONDS = 30
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
RunCase = Callable[["Trial"], None]
_FRAME = re.compile(r'File ".*?(suffice/[^"]+)", line (\d+),? in (\S+)')


class FoundError(AssertionError):
    """A call that neither succeeded nor was refused with a SufficeError."""


class Trial:
    """One case: its random numbers, what it tries, and the calls that it makes."""

    def __init__(self, seed: int, number: int, *, loud: bool = False) -> None:
        self.number = number
        self.chance = random.Random(f"{seed}/{number}")  # noqa: S311
        self.rng = np.random.default_rng([seed, number])
        self.kind = "case"
        self.facts: dict[str, Any] = {}
        self.refused = 0
        self.answered = 0
        self.loud = loud

    def describe(self, kind: str, **facts: Any) -> None:
        """Say what is tried: the tally counts by `kind`, the report of a finding shows the facts."""
        self.kind, self.facts = kind, facts
        if self.loud:
            print(self.about(), flush=True)

    def about(self) -> str:
        return "\n".join([self.kind, *(f"    {name} = {value!r}" for name, value in self.facts.items())])

    def ask(self, what: str, call: Callable[[], Any], *, refuses: Callable[[BaseException], bool] | None = None) -> Any:
        """Return what the call returns, or None where it was refused; anything else is a finding.

        `refuses` says which exceptions are a refusal too, beside every SufficeError.
        """
        if self.loud:
            print(f"  {what}", flush=True)
        try:
            answer = call()
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except sf.SufficeError as reason:
            self._note(f"refused: {str(reason)[:300]}")
        except BaseException as problem:  # a PanicException of Polars is no Exception
            if refuses is None or not refuses(problem):
                raise FoundError(f"{what}: {type(problem).__name__}: {str(problem)[:500]}") from problem
            self._note(f"refused: {str(problem)[:300]}")
        else:
            if has_nan(answer):
                raise FoundError(f"{what}: NaN in the result\n{str(answer)[:1000]}")
            self.answered += 1
            return answer
        self.refused += 1
        return None

    def must_refuse(self, what: str, call: Callable[[], Any], **options: Any) -> None:
        """Require a SufficeError."""
        before = self.refused
        answer = self.ask(what, call, **options)
        if self.refused == before:
            raise FoundError(f"{what}: was not refused\n{str(answer)[:1000]}")

    def same(self, what: str, one: Any, other: Any, *, rtol: float = 1e-9, atol: float = 1e-9) -> None:
        """Require two equal answers."""
        one, other = np.asarray(one), np.asarray(other)
        numbers = one.dtype.kind == other.dtype.kind == "f"
        if one.shape != other.shape or not (np.allclose(one, other, rtol, atol) if numbers else (one == other).all()):
            raise FoundError(f"{what}: differs from the expected answer\n{one}\n{other}")

    def _note(self, text: str) -> None:
        if self.loud:
            print(f"    {text}", flush=True)


def has_nan(value: Any) -> bool:
    """Say whether there is a NaN anywhere inside: arrays, sequences, mappings, records."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc" and bool(np.isnan(value).any())
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    if isinstance(value, Mapping):
        return any(map(has_nan, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(has_nan, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, sf.Model)):
        return any(has_nan(getattr(value, field.name)) for field in dataclasses.fields(value))
    return False


def main(
    prepare: Callable[[Path], RunCase],
    doc: str | None,
    *,
    memory: int = 500 << 20,
    address_space: int = 4 << 30,
    longest: float = LONGEST_SECONDS,
) -> None:
    """Run the fuzzer of a script.

    Parameters
    ----------
    prepare : function of a folder for its files that returns the function that runs a case
    doc : the docstring of the script
    memory : int
        How many resident bytes all cases together may take beyond what `prepare` left.
    address_space : int
        The same of the address space; not under AddressSanitizer, which reserves terabytes.
    longest : float
        How many seconds a case may take.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--case", type=int, help="run this case only, in this process")
    parser.add_argument("--cases", type=int, help="stop after so many cases, whatever the time")
    parser.add_argument("--worker", metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    module = sys.modules["__main__"].__spec__
    if module is None:
        parser.error("run it from the root of the repository as: python -m tests.attacks.…")
    if options.case is None and options.worker is None:
        seed = secrets.randbits(32) if options.seed is None else options.seed
        raise SystemExit(_supervise(module.name, options.seconds, options.cases, seed))
    faulthandler.enable()
    warnings.simplefilter("error")  # a warning of NumPy is a check that is lacking
    warnings.simplefilter("ignore", sf.SufficeWarning)
    with tempfile.TemporaryDirectory() as folder:
        run_case = prepare(Path(folder))
        if not SANITIZED:
            _bound_address_space(address_space)
        if options.case is not None:
            _run_one(run_case, options.seed or 0, options.case, longest)
        else:
            _work(run_case, options, memory, longest)


def _supervise(module: str, seconds: float, most: int | None, seed: int) -> int:
    """Start workers until the time is over, or there were so many cases; return the exit code."""
    tally: Counter[str] = Counter()
    findings: dict[str, dict[str, Any]] = {}
    cases, end = 0, time.monotonic() + seconds
    command = [sys.executable, "-m", module, "--seed", str(seed)]
    reproduce = f"python -m {module} --seed {seed} --case "
    print(f"{module}: seed {seed}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while True:
            (folder / "case").write_bytes(struct.pack("=q", -1))
            (folder / "findings").write_bytes(b"")
            (folder / "tally").write_text("{}", encoding="utf-8")
            left = max(end - time.monotonic(), 0)
            more = ["--worker", name, "--first", str(cases), "--seconds", str(left)]
            more += [] if most is None else ["--cases", str(most)]
            with (folder / "words").open("w+", encoding="utf-8") as words:
                status = subprocess.run([*command, *more], stderr=words, stdout=words, check=False).returncode
            (case,) = struct.unpack("=q", (folder / "case").read_bytes())
            started, cases = case >= 0, max(case, cases)  # a worker that dies before its first case would die again
            tally.update(json.loads((folder / "tally").read_text(encoding="utf-8")))
            found = [json.loads(line) for line in (folder / "findings").read_text(encoding="utf-8").splitlines()]
            if status != 0:
                said = (folder / "words").read_text(encoding="utf-8", errors="replace")
                found.append({"case": cases, "what": _death(status, said), "text": said[-6000:], "died": True})
                cases += 1
            for each in found:
                first = findings.setdefault(each["what"], {**each, "times": 0})
                first["times"] += 1
                if first["times"] == 1:
                    text = each["text"]
                    if each.get("died") and not text.startswith("Timeout"):
                        again = [*command, "--case", str(each["case"])]
                        done = subprocess.run(again, capture_output=True, text=True, check=False, errors="replace")
                        text = f"{done.stdout[-3000:]}\n{text}"
                    print(f"\n=== {each['what']}\n{reproduce}{each['case']}\n{text}", flush=True)
            over = time.monotonic() >= end if most is None else cases >= most
            if status == 0 or over or not started:
                break
    if findings:
        print(f"\n=== {len(findings)} findings in {cases} cases")
        for each in findings.values():
            print(f"{each['times']:6} × {each['what']}\n         {reproduce}{each['case']}")
        return 1
    print(json.dumps(dict(sorted(tally.items()))))
    return 0


def _death(status: int, said: str) -> str:
    """Name a crash: the signal or what AddressSanitizer calls it, and the innermost line of the package."""
    frame = _FRAME.search(said)
    where = f" in {frame[1]}, {frame[3]}" if frame else ""
    for pattern in (r"SUMMARY: .*", r"runtime error: .*", r"Timeout \(.*", r"Fatal Python error: .*"):
        if match := re.search(pattern, said):
            return match[0].strip() + where
    return (f"signal {signal.Signals(-status).name}" if status < 0 else f"exit code {status}") + where


def _work(run_case: RunCase, options: argparse.Namespace, memory: int, longest: float) -> None:
    """Run case after case; write which one runs, the findings and the tally where the supervisor looks."""
    tally: Counter[str] = Counter()
    folder, number = options.worker, options.first
    end = time.monotonic() + options.seconds
    most = _resident() + memory
    with (folder / "case").open("r+b") as file, (folder / "findings").open("w", encoding="utf-8") as findings:
        place = mmap.mmap(file.fileno(), 8)
        done = 0
        while number < options.cases if options.cases is not None else time.monotonic() < end or not done:
            place[:] = struct.pack("=q", number)
            trial = Trial(options.seed, number)
            faulthandler.dump_traceback_later(longest, exit=True)
            outcome = "whole"
            try:
                run_case(trial)
                if trial.refused:
                    outcome = "some refused" if trial.answered else "refused"
                if _resident() > most:
                    most = _resident() + memory
                    raise FoundError(f"memory: more than {memory >> 20} MB")  # noqa: TRY301
            except KeyboardInterrupt:
                raise
            except BaseException as problem:
                outcome = "finding"
                text = "".join(traceback.format_exception(problem))[-6000:]
                record = {"case": number, "what": _name(problem), "text": f"{trial.about()[:2000]}\n{text}"}
                findings.write(json.dumps(record) + "\n")
                findings.flush()
            faulthandler.cancel_dump_traceback_later()
            tally[f"{trial.kind}: {outcome}"] += 1
            number += 1
            done += 1
        place[:] = struct.pack("=q", number)
    (folder / "tally").write_text(json.dumps(tally), encoding="utf-8")


def _name(problem: BaseException) -> str:
    """Name a finding by its kind and the innermost line of the package, so that equal ones are counted together."""
    cause = problem.__cause__ if isinstance(problem, FoundError) and problem.__cause__ is not None else problem
    frames = _FRAME.findall("".join(traceback.format_tb(cause.__traceback__)))
    if cause is problem:
        return str(problem).split("\n")[0] if isinstance(problem, FoundError) else f"the fuzzer failed: {problem!r}"
    name = f"{type(cause).__name__} {re.sub(r'[0-9]+', 'N', str(cause))[:60]!r}"
    return f"{name} in {frames[-1][0]}, {frames[-1][2]}" if frames else f"{name} in {str(problem).split(':')[0]}"


def _run_one(run_case: RunCase, seed: int, number: int, longest: float) -> None:
    trial = Trial(seed, number, loud=True)
    faulthandler.dump_traceback_later(longest, exit=True)
    run_case(trial)
    print(f"{trial.kind}: {trial.answered} calls answered, {trial.refused} refused", flush=True)


def _resident() -> int:
    """Return the most bytes that were ever resident."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _bound_address_space(more: int) -> None:
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more,) * 2)
