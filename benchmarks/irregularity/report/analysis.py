"""What tables and claims derive from rows: scaling, trends, both disciplines, the factorial, the real Triton."""

from __future__ import annotations

import dataclasses
import re
import statistics
from collections.abc import Sequence
from typing import Optional

from .comparison import RATIO, Ratio
from .figures import FLOOR_CELLS
from .paper import Paper
from .reading import Measurement
from .study import DEFAULT_SCRATCH_SLOTS, REFERENCE_ARM, Study, share_in_order

# A trend: how far its ends have to be apart, and the share of all pairs of cells that have to come in its order.
TREND_ENDS = 1.05
TREND_PAIRS = 0.75
NARROW_SMS, WIDE_SMS = 56, 128


def at(
    study: Study, arm: str, cell: str = "base", stage: str = "allocate", axis: str = "cell"
) -> Optional[Measurement]:
    """An arm's row, with the usual scratch region where it has one."""
    return study.one(axis=axis, cell=cell, arm=arm, stage=stage, scratch_slots=(0, DEFAULT_SCRATCH_SLOTS))


def floor_ratio(study: Study, arm: str) -> tuple[Ratio, list[str]]:
    """Most over least time of allocate over the cells of the cost floor, and the cells that lack a comparable row."""
    rows = {cell: at(study, arm, cell) for cell in FLOOR_CELLS}
    lacking = [cell for cell, row in rows.items() if row is None or not row.is_comparable]
    fit = [row for cell, row in rows.items() if cell not in lacking]
    if lacking:
        return Ratio("refused", f"`{arm}` has no comparable row in {', '.join(lacking)}"), lacking
    by_time = sorted(fit, key=lambda row: row.p50_ms)
    return study.compare(by_time[-1], by_time[0], ("cell",)), lacking


def real_floor(study: Study) -> Ratio:
    """floor_ratio() of the real Triton kernel, with the usual scratch region."""
    rows = [
        real.row
        for real in real_triton(study)
        if real.row.stage == "allocate" and real.row.cell in FLOOR_CELLS
        and real.row.scratch_slots == DEFAULT_SCRATCH_SLOTS and real.order == "acq_rel"
    ]
    by_time = sorted(rows, key=lambda row: row.p50_ms)
    if len(by_time) < len(FLOOR_CELLS):
        return Ratio("refused", "the real kernel has no row in some of the cells")
    return study.compare(by_time[-1], by_time[0], ("cell",))


def lossless_bound(study: Study, load: float) -> Optional[tuple[int, float, float]]:
    """At a load factor: the bound that loses nothing, what Triton would take with it by the time a step of its deepest
    arm takes, and the reference's milliseconds. An extrapolation: time is proportional to the bound where both are
    measured; a step of an arm that lost something takes as long, so lossy rows serve, and rows that failed a check do
    not. None where ratios are withheld: what it is for is to be divided."""
    if study.withheld:
        return None
    rows = [row for row in study.rows(axis="load_factor", stage="allocate") if study.swept_load(row) == load]
    reference = next((row for row in rows if row.arm == REFERENCE_ARM and row.is_comparable), None)
    triton = [row for row in rows if re.fullmatch(r"triton_\d+", row.arm) and (row.is_comparable or row.is_lossy)]
    bounded = [row for row in triton if row.cas > 0 and row.max_probe > 0]
    if reference is None or reference.deepest == 0 or not bounded:
        return None
    widest = max(bounded, key=lambda row: row.max_probe)
    return reference.deepest, widest.p50_ms / widest.max_probe * reference.deepest, reference.p50_ms


def scaling(study: Study, arm: str, cell: str, stage: str, scratch_slots: int) -> Ratio:
    """Time on the few SMs over time on the many: above 1, more SMs help."""
    narrow, wide = (
        study.one(axis="sms", cell=cell, arm=arm, stage=stage, scratch_slots=scratch_slots, sms=sms)
        for sms in (NARROW_SMS, WIDE_SMS)
    )
    return study.compare(narrow, wide, ("sms",))


def tile_times(study: Study, cell: str, stage: str) -> Ratio:
    """What the idealised tile language costs in time; on the axis cell where the axis tile was not swept."""
    return study.ratio(
        study.one(axis="tile", cell=cell, arm="tile_uniform", stage=stage)
        or study.one(axis="cell", cell=cell, arm="tile_uniform", stage=stage)
    )


def load_ratios(study: Study, arm: str, stage: str = "allocate") -> list[tuple[float, Ratio]]:
    """Load factor and ratio of an arm along the axis, lossy rows included (these without a value)."""
    rows = study.rows(axis="load_factor", arm=arm, stage=stage)
    return sorted(((study.swept_load(row), study.ratio(row)) for row in rows), key=lambda pair: pair[0])


def first_loss(study: Study, arm: str) -> Optional[float]:
    """The lowest load factor of the axis at which an arm loses something."""
    loads = [study.swept_load(row) for row in study.rows(axis="load_factor", arm=arm, stage="allocate") if row.is_lossy]
    return min(loads, default=None)


def load_sentence(study: Study, arm: str) -> Optional[tuple[str, bool]]:
    """An arm's ratio at the lowest and at the highest load factor without loss, in words; and whether it falls."""
    comparable = [(load, ratio) for load, ratio in load_ratios(study, arm) if ratio.value is not None]
    if len(comparable) < 2:
        return None
    (low, first), (high, last) = comparable[0], comparable[-1]
    values = [ratio.value for _, ratio in comparable]
    falls = first.value > TREND_ENDS * last.value and share_in_order(values, rising=False) >= TREND_PAIRS
    lossy = first_loss(study, arm)
    end = f"lossy from {lossy:.3f} on" if lossy is not None else "without loss at every load factor swept"
    return f"`{arm}`: {first.text} x at {low:.3f}, {last.text} x at {high:.3f}, {end}", falls


@dataclasses.dataclass(frozen=True)
class Residual:
    """An arm under both disciplines, and what mixing them would give. `mixed` is not a comparable pair."""

    arm: str
    cell: str
    stage: str
    one_stream_ms: Optional[float]
    stream_per_volume_ms: Optional[float]
    one_stream: Ratio
    stream_per_volume: Ratio
    mixed: Ratio


def residual(study: Study, arm: str, cell: str = "base", stage: str = "allocate") -> Residual:
    rows = {
        discipline: study.one(axis="discipline", cell=cell, arm=arm, stage=stage, discipline=discipline)
        for discipline in ("one_stream", "stream_per_volume")
    }
    overlapped = study.one(axis="discipline", cell=cell, arm=REFERENCE_ARM, stage=stage, discipline="stream_per_volume")
    one, many = rows["one_stream"], rows["stream_per_volume"]
    return Residual(
        arm,
        cell,
        stage,
        one.p50_ms if one else None,
        many.p50_ms if many else None,
        study.ratio(one),
        study.ratio(many),
        study.compare(one, overlapped, ("discipline",)),
    )


def architecture_quotients(study: Study, paper: Paper, arm: str, stage: str) -> list[tuple[str, list[float], Ratio]]:
    """Cell, the paper's ratios and ours, for each synthetic cell that the paper has."""
    cells = [cell for cell in paper.cells("sweep") if paper.ratios(arm, cell, stage) and not cell.startswith("tartan")]
    return [(cell, paper.ratios(arm, cell, stage), study.ratio(at(study, arm, cell, stage))) for cell in cells]


def median_quotient(rows: Sequence[tuple[str, list[float], Ratio]]) -> Optional[float]:
    """Median over cells of our ratio over the mean of the paper's."""
    quotients = [ratio.value / statistics.mean(theirs) for _, theirs, ratio in rows if ratio.status == RATIO]
    return statistics.median(quotients) if quotients else None


@dataclasses.dataclass(frozen=True)
class Decomposition:
    """The four corners of the factorial at one bound and scratch size, and what each step away from the first costs."""

    bound: int
    scratch_slots: int
    early_masked: Measurement
    early_unmasked: Measurement
    lockstep_masked: Measurement
    lockstep_unmasked: Measurement
    no_early_exit: Ratio  # lockstep masked over early exit masked
    unmasked: Ratio  # early exit unmasked over early exit masked
    both: Ratio  # Triton's form over early exit masked

    @property
    def corners(self) -> tuple[Measurement, ...]:
        return self.early_masked, self.early_unmasked, self.lockstep_masked, self.lockstep_unmasked

    @property
    def comparable(self) -> bool:
        return all(ratio.value is not None for ratio in (self.no_early_exit, self.unmasked, self.both))

    @property
    def interaction(self) -> Optional[float]:
        """What the two causes together cost beyond the product of each alone; 1: they multiply."""
        if not self.comparable:
            return None
        return self.both.value / (self.no_early_exit.value * self.unmasked.value)

    @property
    def parts_ms(self) -> Optional[tuple[float, float, float]]:
        """Milliseconds: no early exit alone, unmasked exchange alone, and what remains. Only where comparable."""
        if not self.comparable:
            return None
        start, unmasked, lockstep, both = (row.p50_ms for row in self.corners)
        return lockstep - start, unmasked - start, both - lockstep - unmasked + start


def decomposition(study: Study, bound: int, scratch_slots: int) -> Optional[Decomposition]:
    """The corners at one bound and scratch size. The masked forms have no scratch region; theirs of the same
    configuration are taken where they were measured there, else those of the same axis."""

    def corner(name: str, slots: int, configuration: Optional[int] = None) -> Optional[Measurement]:
        rows = study.rows(axis="factorial", arm=name, stage="allocate", scratch_slots=slots)
        together = [row for row in rows if row.configuration == configuration]
        return next(iter(together or rows), None)

    both = corner(f"triton_{bound}", scratch_slots)
    home = both.configuration if both else None
    start, lockstep = (corner(name.format(bound), 0, home) for name in ("early_exit_{}_masked", "lockstep_{}_masked"))
    unmasked = corner(f"early_exit_{bound}_unmasked", scratch_slots, home)
    if both is None or start is None or lockstep is None or unmasked is None:
        return None
    over = ("scratch_slots",)
    return Decomposition(
        bound,
        scratch_slots,
        start,
        unmasked,
        lockstep,
        both,
        study.compare(lockstep, start, over),
        study.compare(unmasked, start, over),
        study.compare(both, start, over),
    )


@dataclasses.dataclass(frozen=True)
class RealTriton:
    """The real kernel's rows of one cell, stage, order and scratch size, as one."""

    row: Measurement
    order: str


def real_triton(study: Study) -> list[RealTriton]:
    """triton.csv as rows. The kernel runs on one stream and on all SMs. Allocate, which has none of the update's
    atomics, is in the file once for each of their memory orders: the median of these stands for it, and their spread.
    """
    found = study.run.triton
    if found is None:
        return []
    sms = (study.environment.device or {}).get("multiprocessors") if study.environment else None
    sms = sms or max(row.sms for row in study.rows())
    real = []
    for (cell, stage, order, slots), group in found.groupby(["cell", "stage", "order", "scratch_slots"], sort=False):
        times = list(group["p50_ms"])
        spreads = list(group["spread"]) if "spread" in group.columns else []
        if len(times) > 1:
            spreads.append(max(times) / min(times))
        lost = int(group["dropped"].max())
        short = int((group["blocks_reference"] - group["blocks"]).max())
        comparable = (
            "yes"
            if lost == 0 and short == 0
            else (f"lossy: lost {lost} samples" if lost else "no: another number of blocks")
        )
        first = group.iloc[0]
        real.append(
            RealTriton(
                Measurement(
                    cell=cell,
                    axis="triton",
                    arm=first["arm"],
                    stage=stage,
                    space="device",
                    discipline="one_stream",
                    comparable=comparable,
                    sms=int(sms),
                    points=int(first["points"]),
                    blocks=int(first["blocks"]),
                    blocks_reference=int(first["blocks_reference"]),
                    max_probe=0,
                    scratch_slots=int(slots),
                    dropped=lost,
                    probes=0,
                    cas=0,
                    atomics=0,
                    load_factor=0.0,
                    p50_ms=statistics.median(times),
                    p95_ms=max(times),
                    min_ms=float(group["min_ms"].min()),
                    spread=max(spreads) if spreads else float("nan"),
                ),
                order,
            )
        )
    return real


def real_ratios(study: Study, stage: str) -> list[tuple[str, Ratio]]:
    """The real kernel at base over the reference, for each memory order of its update's atomics. The two were measured
    by different programs, so not in turn."""
    reference = at(study, REFERENCE_ARM, stage=stage)
    return [
        (real.order, ratio)
        for real in real_triton(study)
        if (real.row.cell, real.row.stage, real.row.scratch_slots) == ("base", stage, DEFAULT_SCRATCH_SLOTS)
        for ratio in [study.compare(real.row, reference, ("axis",))]
        if ratio.value is not None
    ]


def emulated(study: Study, cell: str, stage: str, slots: int) -> Optional[Measurement]:
    """The emulation's row of a cell and scratch size, of whichever axis has it."""
    rows = study.rows(axis=("cell", "scratch"), cell=cell, stage=stage, arm="triton_8", scratch_slots=slots)
    return next(iter(rows), None)
