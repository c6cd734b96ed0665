"""`python -m suffice`: the command line where its script is not on the PATH."""

from __future__ import annotations

from suffice.cli.main import run

if __name__ == "__main__":
    run()
