"""Run commands on one model at once, round after round, and kill some of them: python commands_at_once.py plan.json.

The commands are forks of this process, which has imported what they need and never read a file with Polars: starting an
interpreter for each of thousands would take hours. What happened in each round is printed as a line of JSON.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import polars  # noqa: F401  before the forks, so that it is imported once

import suffice.api
import suffice.cli.main
import suffice.cli.progress


def started(words: list[str], folder: Path, number: int) -> int:
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.chdir(folder)
        out = os.open(f"{number}.txt", os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.argv = ["suffice", *words]
        suffice.cli.main.run()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.stdout.flush()
        os._exit(code)


def one_round(plan: dict, folder: Path, chance: random.Random) -> list[int | None]:
    """Return the exit code of each command, None of one that was killed."""
    shutil.copytree(plan["folder"], folder)
    order = list(range(len(plan["commands"])))
    chance.shuffle(order)
    running = {started(plan["commands"][at], folder, at): at for at in order}
    start = time.monotonic()
    doomed = {child: chance.uniform(0, plan["seconds"]) for child in chance.sample(sorted(running), plan["kills"])}
    ends: list[int | None] = [None] * len(order)
    while running:
        for child, at in list(running.items()):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                ends[at] = os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else None
                del running[child]
            elif time.monotonic() - start > doomed.get(child, 1e9):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.002)
    return ends


if __name__ == "__main__":
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    chance = random.Random(plan["seed"])  # noqa: S311
    for number in range(plan["rounds"]):
        print(json.dumps(one_round(plan, Path(f"round{number}"), chance)), flush=True)
