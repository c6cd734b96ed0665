"""`python -m suffice`: runs the command line, for environments in which the script is not on the PATH."""

from __future__ import annotations

from suffice.cli.main import run

if __name__ == "__main__":
    run()
