"""The results as a printed table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from benchmarks.measure import Row


def table(results: Sequence[Row], repeat: int) -> Table:
    shown = Table(title=f"median of {repeat} runs, both sides warm and alternating")
    for heading in ("work", "peer"):
        shown.add_column(heading)
    for heading in ("ours", "theirs", "ratio", "at least", "GB/s", "read", "of read", "extra"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in results:
        few = "" if row.peer_runs == repeat else f" ({row.peer_runs} run{'s' * (row.peer_runs > 1)})"
        shown.add_row(
            row.work,
            row.peer + few,
            duration(row.seconds),
            duration(row.peer_seconds),
            f"{row.ratio:.1f}×",
            "–" if row.at_least is None else f"{row.at_least:g}× {'✓' if row.ratio >= row.at_least else '✗'}",
            f"{row.bytes_per_second / 1e9:.1f}",
            f"{row.read_bandwidth / 1e9:.1f}",
            f"{row.bandwidth_share:.0%}",
            memory(row),
        )
    return shown


def duration(seconds: float) -> str:
    """Format a duration with three digits in a suitable unit: 1.23 s, 45.6 ms, 789 µs."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def memory(row: Row) -> str:
    if row.extra_bytes is None:
        return "–"
    return f"{row.extra_bytes / 2**20:.1f} MiB, {row.extra_bytes / row.input_bytes:.1%}"
