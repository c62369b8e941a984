"""The files that a run left in its folder, checked, as rows."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import pathlib
import re
from typing import Any, Optional

import pandas as pd


class ReportError(Exception):
    """The input is not what it has to be; the message says which file and what is wrong with it."""


STAGES = ("allocate", "update")
SPACES = ("device", "host")
DISCIPLINES = ("one_stream", "stream_per_volume")

TEXT_COLUMNS = ("cell", "axis", "arm", "stage", "space", "discipline", "comparable")
INTEGER_COLUMNS = (
    "sms",
    "points",
    "blocks",
    "blocks_reference",
    "max_probe",
    "scratch_slots",
    "dropped",
    "probes",
    "cas",
    "atomics",
)
REAL_COLUMNS = ("load_factor", "p50_ms", "p95_ms", "min_ms", "spread")
# Columns that may be missing, with what stands for them.
OPTIONAL_NUMBERS = (
    "blocks_lost",
    "dropped_pool",
    "dropped_table",
    "dropped_bound",
    "tile",
    "lane_steps",
    "tile_steps",
    "deepest",
    "volumes",
    "samples",
    "mhz",
)
OPTIONAL_TEXT = ("device", "sm_ids")

COMPARABLE = re.compile(r"yes|no: .+|lossy: lost (\d+) samples?")


@dataclasses.dataclass(frozen=True)
class Measurement:
    """One row of sweep.csv: a stage of an arm in a configuration."""

    cell: str
    axis: str
    arm: str
    stage: str
    space: str
    discipline: str
    comparable: str
    sms: int
    points: int
    blocks: int
    blocks_reference: int
    max_probe: int
    scratch_slots: int
    dropped: int
    probes: int
    cas: int
    atomics: int
    load_factor: float
    p50_ms: float
    p95_ms: float
    min_ms: float
    spread: float
    blocks_lost: int = 0
    dropped_pool: int = 0
    dropped_table: int = 0
    dropped_bound: int = 0
    tile: int = 0
    lane_steps: int = 0
    tile_steps: int = 0
    deepest: int = 0  # steps of the deepest look-up in the reference's table
    volumes: int = 0
    samples: int = 0
    mhz: float = 0.0
    device: str = ""
    sm_ids: str = ""
    configuration: int = -1  # rows with the same number were measured together, arm by arm in turn

    @property
    def is_comparable(self) -> bool:
        return self.comparable == "yes"

    @property
    def is_lossy(self) -> bool:
        return self.comparable.startswith("lossy:")

    @property
    def samples_lost(self) -> int:
        """What a lossy row says that it lost; 0 for every other row."""
        found = re.fullmatch(COMPARABLE, self.comparable)
        return int(found.group(1)) if found and found.group(1) else 0


@dataclasses.dataclass(frozen=True)
class Loss:
    """One row of losses.csv."""

    cell: str
    axis: str
    arm: str
    scratch_slots: int
    load_factor: float
    blocks_reference: int
    blocks_lost: int
    blocks_touched: Optional[int]
    samples_lost: int
    picture: str = ""


@dataclasses.dataclass(frozen=True)
class Environment:
    """environment.json; None where it does not say."""

    device: Optional[dict[str, Any]] = None
    host: Optional[dict[str, Any]] = None
    version: Optional[str] = None
    compiler: Optional[str] = None
    command: Optional[str] = None
    started: Optional[str] = None
    finished: Optional[str] = None
    other_processes: Optional[int] = None

    @property
    def device_name(self) -> str:
        return str((self.device or {}).get("name") or "")


@dataclasses.dataclass(frozen=True)
class Run:
    """Everything that a run left in its folder."""

    folder: pathlib.Path
    rows: tuple[Measurement, ...]
    environment: Optional[Environment]
    losses: Optional[tuple[Loss, ...]]
    triton: Optional[pd.DataFrame]
    counters: Optional[pd.DataFrame]
    remarks: tuple[str, ...]  # what was left out while reading


def read_run(folder: pathlib.Path) -> Run:
    """Reads a folder. Throws ReportError where a file is there and cannot be understood, or sweep.csv is not there."""
    if not folder.is_dir():
        raise ReportError(f"{folder}: there is no such folder")
    rows, remarks = read_sweep(folder / "sweep.csv")
    return Run(
        folder,
        rows,
        read_environment(folder / "environment.json"),
        read_losses(folder / "losses.csv"),
        read_triton(folder / "triton.csv"),
        read_counters(folder / "counters.csv"),
        remarks,
    )


def read_table(path: pathlib.Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A CSV file with every value as text, and remarks. A last line that a cut-short run left unfinished is dropped."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReportError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"{path.name}: cannot be read: {error}") from None
    remarks: tuple[str, ...] = ()
    complete, newline, rest = text.rpartition("\n")
    if rest:
        if not newline:
            raise ReportError(f"{path.name}: there is not one complete line in it")
        text = complete + newline
        remarks = (
            f"The last line of `{path.name}` is incomplete, as a run that is cut short leaves it; it was left out.",
        )
    try:
        lines = list(csv.reader(text.splitlines(), strict=True))
    except csv.Error as error:
        raise ReportError(f"{path.name}: not a CSV file: {error}") from None
    if not lines or not lines[0]:
        raise ReportError(f"{path.name}: is empty")
    header, records = lines[0], lines[1:]
    twice = [name for place, name in enumerate(header) if name in header[:place]]
    if twice:
        raise ReportError(f"{path.name}: has the column {twice[0]} more than once")
    for number, record in enumerate(records, start=2):
        if len(record) != len(header):
            raise ReportError(f"{path.name}, line {number}: {len(record)} values, but the header names {len(header)}")
    return pd.DataFrame(records, columns=header, dtype=str), remarks


def require_columns(table: pd.DataFrame, names: tuple[str, ...], file: str) -> None:
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise ReportError(f"{file}: lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}")


def numbers(table: pd.DataFrame, column: str, file: str) -> pd.Series:
    """A column as finite numbers."""
    values = pd.to_numeric(table[column], errors="coerce").astype(float)
    wrong = ~values.map(math.isfinite)
    if wrong.any():
        at = wrong.idxmax()
        raise ReportError(f"{file}, line {at + 2}: {column} is '{table[column][at]}', not a number")
    return values


def whole_numbers(table: pd.DataFrame, column: str, file: str) -> list[int]:
    """A column as whole numbers."""
    values = numbers(table, column, file)
    wrong = values != values.round()
    if wrong.any():
        at = wrong.idxmax()
        raise ReportError(f"{file}, line {at + 2}: {column} is '{table[column][at]}', not a whole number")
    return values.astype("int64").tolist()


def require_values(table: pd.DataFrame, column: str, allowed: tuple[str, ...], file: str) -> None:
    wrong = ~table[column].isin(allowed)
    if wrong.any():
        at = wrong.idxmax()
        raise ReportError(f"{file}, line {at + 2}: {column} is '{table[column][at]}', not one of {', '.join(allowed)}")


def read_sweep(path: pathlib.Path) -> tuple[tuple[Measurement, ...], tuple[str, ...]]:
    """sweep.csv as rows, in its order."""
    table, remarks = read_table(path)
    file = path.name
    require_columns(table, TEXT_COLUMNS + INTEGER_COLUMNS + REAL_COLUMNS, file)
    if table.empty:
        raise ReportError(f"{file}: has a header and no rows")
    require_values(table, "stage", STAGES, file)
    require_values(table, "space", SPACES, file)
    require_values(table, "discipline", DISCIPLINES, file)
    for at, text in table["comparable"].items():
        if not COMPARABLE.fullmatch(text):
            raise ReportError(f"{file}, line {at + 2}: comparable is '{text}', which is neither yes, nor what failed")
    columns: dict[str, list] = {name: list(table[name]) for name in TEXT_COLUMNS}
    for name in INTEGER_COLUMNS:
        columns[name] = whole_numbers(table, name, file)
    for name in REAL_COLUMNS:
        columns[name] = numbers(table, name, file).tolist()
    for at, (p50, spread) in enumerate(zip(columns["p50_ms"], columns["spread"])):
        if p50 <= 0.0 or spread < 1.0:
            raise ReportError(f"{file}, line {at + 2}: p50_ms has to be positive and spread at least 1")
    columns["blocks_lost"] = [
        max(0, reference - built) for reference, built in zip(columns["blocks_reference"], columns["blocks"])
    ]
    for name in OPTIONAL_NUMBERS:
        if name in table.columns:
            filled = table.assign(**{name: table[name].replace("", "0")})  # left empty where it says nothing
            columns[name] = (
                numbers(filled, name, file).tolist() if name == "mhz" else whole_numbers(filled, name, file)
            )
    for name in OPTIONAL_TEXT:
        if name in table.columns:
            columns[name] = list(table[name])
    records = [dict(zip(columns, values)) for values in zip(*columns.values())]
    return number_configurations([Measurement(**record) for record in records]), remarks


def number_configurations(rows: list[Measurement]) -> tuple[Measurement, ...]:
    """Rows with the number of the configuration that they belong to.

    The program writes one configuration after the other and each arm once in it. Another configuration therefore begins
    where what is shared by all its arms changes, and where an arm comes up again. The columns alone do not tell them
    apart: on the axis `scratch` the reference has the same values in all.
    """
    numbered = []
    shared_before: Optional[tuple] = None
    seen: set[tuple] = set()
    configuration = -1
    for row in rows:
        shared = (row.axis, row.cell, row.space, row.discipline, row.sms, row.points, row.blocks_reference)
        member = (row.arm, row.stage, row.scratch_slots)
        if shared != shared_before or member in seen:
            configuration += 1
            seen = set()
        seen.add(member)
        shared_before = shared
        numbered.append(dataclasses.replace(row, configuration=configuration))
    return tuple(numbered)


def read_environment(path: pathlib.Path) -> Optional[Environment]:
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReportError(f"{path.name}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ReportError(f"{path.name}: not an object")
    others = found.get("other_processes")
    if others is not None and (isinstance(others, bool) or not isinstance(others, int)):
        raise ReportError(f"{path.name}: other_processes is neither a whole number nor null")
    for name in ("device", "host"):
        if not isinstance(found.get(name), (dict, type(None))):
            raise ReportError(f"{path.name}: {name} is neither an object nor null")
    return Environment(
        device=found.get("device"),
        host=found.get("host"),
        version=found.get("cutsdf"),
        compiler=found.get("compiler"),
        command=found.get("command"),
        started=found.get("started"),
        finished=found.get("finished"),
        other_processes=others,
    )


def read_losses(path: pathlib.Path) -> Optional[tuple[Loss, ...]]:
    if not path.exists():
        return None
    table, _ = read_table(path)
    columns = (
        "cell",
        "axis",
        "arm",
        "scratch_slots",
        "load_factor",
        "blocks_reference",
        "blocks_lost",
        "blocks_touched",
        "samples_lost",
        "picture",
    )
    require_columns(table, columns, path.name)
    values = {name: list(table[name]) for name in ("cell", "axis", "arm", "picture")}
    for name in ("scratch_slots", "blocks_reference", "blocks_lost", "blocks_touched", "samples_lost"):
        values[name] = whole_numbers(table, name, path.name)
    values["load_factor"] = numbers(table, "load_factor", path.name).tolist()
    return tuple(Loss(**dict(zip(values, row))) for row in zip(*values.values()))


def read_triton(path: pathlib.Path) -> Optional[pd.DataFrame]:
    if not path.exists():
        return None
    table, _ = read_table(path)
    wanted = ("scratch_slots", "points", "blocks", "blocks_reference", "dropped", "p50_ms", "min_ms")
    require_columns(table, ("cell", "arm", "stage", "order") + wanted, path.name)
    for name in wanted + (("spread",) if "spread" in table.columns else ()):
        table[name] = numbers(table, name, path.name)
    return table


def read_counters(path: pathlib.Path) -> Optional[pd.DataFrame]:
    if not path.exists():
        return None
    table, _ = read_table(path)
    require_columns(table, ("arm",), path.name)
    for name in table.columns:
        if name != "arm":
            table[name] = pd.to_numeric(table[name], errors="coerce")  # a counter that the profiler lacks stays empty
    return table.drop_duplicates("arm").set_index("arm")
