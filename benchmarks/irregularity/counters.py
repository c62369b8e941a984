#!/usr/bin/env python3
"""Hardware counters of one cold allocate per arm, read with Nsight Compute: writes counters.csv and prints it.

    python3 benchmarks/irregularity/counters.py --program build/bin/cutsdf_irregularity --out OUT/counters.csv

Nsight Compute replays the kernel once for every few counters, from the same memory and with flushed caches each time,
so that every pass sees the same cold table. Exit code 3: the profiler is missing or may not read the counters; nothing
is written then, and one line says why.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from typing import Optional, Sequence

NO_COUNTERS = 3
ARMS = ("cuda_cpp", "rust_plain", "rust_atomic", "rust_volatile", "slot_index", "tile_uniform", "bounded_8", "triton_8")


@dataclasses.dataclass(frozen=True)
class Counter:
    """A column of the table, and the metric that fills it."""

    column: str
    metric: str
    digits: int


# l2_sectors: of all that reaches the slices of the second level, reads, writes and atomics alike.
COUNTERS = (
    Counter("l1_hit_percent", "l1tex__t_sector_hit_rate.pct", 2),
    Counter("l1_sectors", "l1tex__t_sectors.sum", 0),
    Counter("l2_sectors", "lts__t_sectors.sum", 0),
    Counter("long_scoreboard", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 2),
    Counter("occupancy_percent", "sm__warps_active.avg.pct_of_peak_sustained_active", 2),
    Counter("active_threads", "smsp__thread_inst_executed_per_inst_executed.ratio", 2),
    Counter("registers", "launch__registers_per_thread", 0),
    Counter("duration_us", "gpu__time_duration.sum", 2),
)
DURATION = COUNTERS[-1].metric
MICROSECONDS = {
    "ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6,
}


class NoCounters(Exception):
    """The profiler cannot say anything; the text is one line."""


class ProgramFailed(Exception):
    """The program that was to be profiled failed; the text is one line."""


def number(text: str) -> float:
    """A number as the profiler prints it in any locale: 1234.5, 1,234.5, 1.234,5 or 1 234,5."""
    text = re.sub(r"[\s\u00a0\u202f']", "", text)
    marks = re.findall(r"[.,]", text)
    grouped = re.fullmatch(r"-?[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*", text)
    if len(set(marks)) == 2:
        decimal = marks[-1]
    elif len(marks) > 1 or (grouped and marks == [","]):
        decimal = ""
    else:
        decimal = marks[0] if marks else ""
    digits = "".join("." if c == decimal else c for c in text if c not in ".," or c == decimal)
    return float(digits)


def parse(output: str) -> dict[str, float]:
    """Metric to value, from the profiler's raw page as CSV: a row of names, one of units, and one a kernel, among lines
    of the profiler and of the program. Of several kernels the longest one counts. Durations are microseconds."""
    lines = output.splitlines()
    start = next((i for i, line in enumerate(lines) if line.lstrip("\ufeff").startswith('"ID",')), None)
    if start is None:
        raise NoCounters("no kernel was profiled")
    names, *rows = csv.reader(line for line in lines[start:] if line.startswith(('"', "\ufeff")))
    names[0] = "ID"
    rows = [row for row in rows if len(row) == len(names)]
    # The row of units has no number of a kernel.
    units = dict(zip(names, rows.pop(0))) if rows and not rows[0][0].strip() else {}
    kernels: list[dict[str, float]] = []
    for row in rows:
        values: dict[str, float] = {}
        for counter in COUNTERS:
            try:
                values[counter.metric] = number(dict(zip(names, row))[counter.metric])
            except (KeyError, ValueError):
                continue  # "n/a": this device does not have it
        if DURATION in values:
            values[DURATION] *= MICROSECONDS.get(units.get(DURATION, "ns"), 1e-3)
        kernels.append(values)
    if not any(kernels):
        raise NoCounters("no kernel was profiled")
    return max(kernels, key=lambda values: values.get(DURATION, 0.0))


def reason(output: str) -> Optional[str]:
    """Why the profiler could read nothing, where its output says so."""
    if "ERR_NVGPUCTRPERM" in output:
        return ("the driver lets only administrators read hardware counters (ERR_NVGPUCTRPERM; run as one, or load the "
                "nvidia module with NVreg_RestrictProfilingToAdminUsers=0)")
    if "LibraryNotLoaded" in output:
        return "the profiler cannot load a library that it needs, usually the driver's (LibraryNotLoaded)"
    if "No kernels were profiled" in output:
        return "no kernel was profiled"
    error = re.search(r"==ERROR== *([^\n]*)", output)
    return f"the profiler failed: {error.group(1).strip()}" if error else None


def measure(ncu: str, program: str, arm: str, cell: str) -> dict[str, float]:
    """Profiles one cold allocate of an arm."""
    command = [
        *shlex.split(ncu), "--profile-from-start", "off", "--clock-control", "none", "--csv", "--page", "raw",
        "--print-units", "base", "--metrics", ",".join(counter.metric for counter in COUNTERS),
        program, "--profile", arm, "--cells", cell,
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                              env={**os.environ, "LC_ALL": "C"})
    except OSError as error:
        raise NoCounters(f"{command[0]} cannot be run: {error.strerror}") from error
    output = done.stdout + "\n" + done.stderr
    try:
        values = parse(done.stdout)
    except NoCounters as nothing:
        raise _explained(done.returncode, output, nothing) from None
    if done.returncode != 0:
        raise _explained(done.returncode, output, NoCounters(f"the profiler ended with exit code {done.returncode}"))
    return values


def _explained(code: int, output: str, otherwise: NoCounters) -> Exception:
    """The error behind a run without counters: the profiler's, or else the program's own last words."""
    why = reason(output)
    theirs = [line for line in output.splitlines() if line.strip() and not line.startswith(("==", '"'))]
    if code != 0 and theirs and (why is None or why == "no kernel was profiled"):
        return ProgramFailed(theirs[-1].strip())
    return NoCounters(why) if why else otherwise


def table(results: dict[str, dict[str, float]]) -> list[list[str]]:
    """Header and rows; a counter that the device lacks stays empty."""
    rows = [["arm", *(counter.column for counter in COUNTERS)]]
    for arm, values in results.items():
        rows.append([arm, *(f"{values[c.metric]:.{c.digits}f}" if c.metric in values else "" for c in COUNTERS)])
    return rows


def write(path: pathlib.Path, rows: Sequence[Sequence[str]]) -> None:
    """Writes a file that is either whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        with open(partial, "w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows(rows)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="path of cutsdf_irregularity, built for the device")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="the CSV file to write")
    parser.add_argument("--arms", default=",".join(ARMS), help="arms, separated by commas (default: %(default)s)")
    parser.add_argument("--cells", default="base", metavar="CELL", help="the cell (default: %(default)s)")
    parser.add_argument("--ncu", default="ncu", help="the profiler's command (default: %(default)s)")
    options = parser.parse_args(arguments)

    results: dict[str, dict[str, float]] = {}
    try:
        if shutil.which(shlex.split(options.ncu)[0]) is None:
            raise NoCounters(f"{options.ncu} is not there (Nsight Compute comes with the CUDA toolkit)")
        for arm in filter(None, options.arms.split(",")):
            results[arm] = measure(options.ncu, options.program, arm, options.cells)
            print(f"counters.py: {arm} done", file=sys.stderr)
    except NoCounters as nothing:
        print(f"counters.py: no counters: {nothing}", file=sys.stderr)
        return NO_COUNTERS
    except ProgramFailed as failure:
        print(f"counters.py: the program failed: {failure}", file=sys.stderr)
        return 1

    rows = table(results)
    write(options.out, rows)
    widths = [max(map(len, column)) for column in zip(*rows)]
    for first, *rest in rows:
        print("  ".join([first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:]))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
