"""The paper's claims, each with the paper's numbers, ours, and the rule by which its verdict is reached.

A claim is an object of CLAIMS: what is claimed, the rule in words, and a function that applies it. Milliseconds are
never compared across machines: ratios, spreads and counts are.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Optional

from . import analysis
from .analysis import NARROW_SMS, TREND_ENDS, TREND_PAIRS, WIDE_SMS
from .comparison import Ratio, format_ratio
from .document import count
from .figures import FLOOR_ARMS, FLOOR_CELLS
from .paper import CARDS, Paper
from .reading import Measurement
from .study import DEFAULT_SCRATCH_SLOTS, REFERENCE_ARM, Study, share_in_order

REPRODUCED, NOT_REPRODUCED, NEW, NOT_MEASURED = "reproduced", "not reproduced", "new", "not measured"


# Of the excess over 1 that the paper saw on the card where it is smaller, the share that has to be here too.
SHARE_OF_EXCESS = 1.0 / 3.0
FLOOR_TRITON, FLOOR_CUDA = 1.03, 1.3
SCALES_NOT, SCALES = 1.2, 1.8
STEP_TOLERANCE = 0.15
# The last of these that was measured decides: the programs of `base` are too few to fill a large device more than once.
SCALING_CELLS = ("base", "pts-1280k")
SAME = 0.05  # two ratios this close to 1 are the same
TRITON_RATIO_CELLS = ("pts-20k", "pts-80k", "base", "pts-720k", "pts-1280k")
EXTENT_CELLS = ("r-0.25", "base", "r-1.0", "r-2.0")


@dataclasses.dataclass(frozen=True)
class Finding:
    """What a claim came to: both sides' numbers as text, and the verdict."""

    paper: str
    ours: str
    verdict: str


@dataclasses.dataclass(frozen=True)
class Claim:
    name: str
    statement: str
    rule: str
    judge: Callable[[Study, Paper], Finding]
    needs_device: bool = True  # a CPU's times say nothing about it

    def finding(self, study: Study, paper: Paper) -> Finding:
        found = self.judge(study, paper)
        if self.needs_device and not study.on_device:
            return dataclasses.replace(found, ours="the sweep ran on the CPU", verdict=NOT_MEASURED)
        return found


def verdict(holds: bool) -> str:
    return REPRODUCED if holds else NOT_REPRODUCED


def listed(values: Sequence[float], form: str = "{:.2f}") -> str:
    return " / ".join(form.format(value) for value in values)


def unmeasured(paper: str, study: Study, why: str) -> Finding:
    return Finding(paper, f"no ratios: {study.withheld}" if study.withheld else why, NOT_MEASURED)


def no_ratio(paper: str, study: Study, what: str, ratio: Ratio) -> Finding:
    return unmeasured(paper, study, f"{what}: {ratio.reason}")


def undecided(ratio: Ratio, threshold: float) -> bool:
    """Whether the passes of an unsteady ratio spread across the threshold."""
    if ratio.value is None or ratio.steady or ratio.spread is None:
        return False
    return ratio.value / ratio.spread < threshold < ratio.value * ratio.spread


def costs_more(name: str, statement: str, arm: str, stage: str) -> Claim:
    """A claim that an arm's ratio at base is above 1."""

    def judge(study: Study, paper: Paper) -> Finding:
        theirs = paper.ratios(arm, stage=stage)
        published = listed(theirs) + " x"
        ratio = study.ratio(analysis.at(study, arm, stage=stage))
        if ratio.value is None:
            return no_ratio(published, study, f"`{arm}` at `base`", ratio)
        excess = min(theirs) - 1.0
        threshold = 1.0 + SHARE_OF_EXCESS * excess
        if undecided(ratio, threshold):
            return unmeasured(published, study, f"{ratio.text} x: the passes spread across {threshold:.2f}")
        share = (ratio.value - 1.0) / excess
        ours = f"{ratio.text} x, {share:.0%} of the smaller card's excess"
        if arm == "triton_8":
            ours += "".join(
                f"; the real kernel, {order}: {other.text} x" for order, other in analysis.real_ratios(study, stage)
            )
        return Finding(published, ours, verdict(ratio.value >= threshold))

    return Claim(
        name,
        statement,
        f"at `base` the ratio exceeds 1 by at least {SHARE_OF_EXCESS:.0%} of what it does on "
        "the paper's card where it does less",
        judge,
    )


def follows(name: str, statement: str, arm: str, cells: tuple[str, ...], rising: bool) -> Claim:
    """A claim that an arm's ratio of allocate rises, or falls, along cells."""
    word = "above" if rising else "below"

    def judge(study: Study, paper: Paper) -> Finding:
        by_card = [[paper.ratios(arm, cell)[card] for cell in cells] for card in range(len(CARDS))]
        published = "; ".join(f"{listed(values)} ({card})" for card, values in zip(CARDS, by_card))
        ratios = [(cell, study.ratio(analysis.at(study, arm, cell))) for cell in cells]
        there = [(cell, ratio) for cell, ratio in ratios if ratio.value is not None]
        if len(there) < 3:
            return unmeasured(published, study, f"fewer than three of {', '.join(cells)} have a ratio")
        values = [ratio.value for _, ratio in there]
        ends = values[-1] / values[0] if rising else values[0] / values[-1]
        holds = ends > TREND_ENDS and share_in_order(values, rising) >= TREND_PAIRS
        text = listed(values) + f" ({', '.join(cell for cell, _ in there)})"
        if any(not ratio.steady for _, ratio in there):
            text += ", unsteady"
        return Finding(published, text, verdict(holds))

    return Claim(
        name,
        statement,
        f"the ratio at the last cell is {word} that at the first by more than "
        f"{TREND_ENDS - 1.0:.0%}, and {TREND_PAIRS:.0%} of all pairs of cells come in that order",
        judge,
    )


def judge_plain(study: Study, paper: Paper) -> Finding:
    plain, cuda = (
        paper.need("counters", "duration_us", device="sm_120", arm=arm) for arm in ("rust_plain", REFERENCE_ARM)
    )
    atomic = paper.need("counters", "duration_us", device="sm_120", arm="rust_atomic")
    published = f"plain {plain / cuda:.2f}, atomic {atomic / cuda:.2f} x (durations under the profiler)"
    fixed, costly = study.ratio(analysis.at(study, "rust_plain")), study.ratio(analysis.at(study, "rust_atomic"))
    for arm, ratio in (("rust_plain", fixed), ("rust_atomic", costly)):
        if ratio.value is None:
            return no_ratio(published, study, f"`{arm}` at `base`", ratio)
    ours = f"plain {fixed.text}, atomic {costly.text} x"
    if undecided(fixed, 1.0 + SAME) or undecided(costly, 1.0 + SAME):
        return unmeasured(published, study, f"{ours}: the passes spread across {1.0 + SAME:.2f}")
    return Finding(published, ours, verdict(fixed.value <= 1.0 + SAME < costly.value))


def counter_pair(study: Study, name: str) -> Optional[tuple[float, float]]:
    """A counter of CUDA C++ and of atomic first loads."""
    table = study.run.counters
    if table is None or name not in table.columns or not {REFERENCE_ARM, "rust_atomic"} <= set(table.index):
        return None
    plain, atomic = (float(table[name][arm]) for arm in (REFERENCE_ARM, "rust_atomic"))
    return None if math.isnan(plain) or math.isnan(atomic) or plain <= 0.0 else (plain, atomic)


def judge_l1(study: Study, paper: Paper) -> Finding:
    theirs = [
        paper.need("counters", "l1_hit_percent", device="sm_120", arm=arm) for arm in (REFERENCE_ARM, "rust_atomic")
    ]
    published = f"{theirs[0]:.1f} to {theirs[1]:.1f} %"
    ours = counter_pair(study, "l1_hit_percent")
    if ours is None:
        return Finding(published, "no counters of both arms", NOT_MEASURED)
    return Finding(
        published,
        f"{ours[0]:.1f} to {ours[1]:.1f} %",
        verdict(ours[0] - ours[1] >= SHARE_OF_EXCESS * (theirs[0] - theirs[1])),
    )


def judge_l2(study: Study, paper: Paper) -> Finding:
    plain, atomic = (
        paper.need("counters", "l2_sectors", device="sm_120", arm=arm) for arm in (REFERENCE_ARM, "rust_atomic")
    )
    published = f"{atomic / plain:.2f} x"
    ours = counter_pair(study, "l2_sectors")
    if ours is None or study.withheld:
        return unmeasured(published, study, "no counters of both arms")
    rise, excess = ours[1] / ours[0], atomic / plain - 1.0
    return Finding(
        published,
        f"{rise:.2f} x, {(rise - 1.0) / excess:.0%} of the paper's excess",
        verdict(rise - 1.0 >= SHARE_OF_EXCESS * excess),
    )


def judge_floor(study: Study, paper: Paper) -> Finding:
    def theirs(arm: str, card: str) -> float:
        times = [paper.need("sweep", "ms", device=card, cell=cell, arm=arm, stage="allocate") for cell in FLOOR_CELLS]
        return max(times) / min(times)

    published = "; ".join(
        f"Triton {theirs('triton_8', card):.2f}, CUDA C++ {theirs(REFERENCE_ARM, card):.2f} ({card})" for card in CARDS
    )
    (cuda, _), (emulated, _) = (analysis.floor_ratio(study, arm) for arm in FLOOR_ARMS)
    real = analysis.real_floor(study)
    decisive = real if real.value is not None else emulated
    for ratio in (decisive, cuda):
        if ratio.value is None:
            return unmeasured(published, study, ratio.reason)
    kernels = f"Triton {real.text} (the real kernel), {emulated.text} (emulated)" if decisive is real else (
        f"Triton {emulated.text} (emulated)"
    )
    return Finding(
        published,
        f"{kernels}, CUDA C++ {cuda.text}",
        verdict(decisive.value < FLOOR_TRITON and cuda.value > FLOOR_CUDA),
    )


def judge_scratch(study: Study, paper: Paper) -> Finding:
    few, many = 256, DEFAULT_SCRATCH_SLOTS
    theirs = {
        slots: paper.need("scratch", "narrow_over_wide", arm="triton_8", setting=f"scratch_slots={slots}")
        for slots in (few, many)
    }
    cards = paper.scratch_sms()
    published = ", ".join(f"{slots} slots {value:.2f} x" for slots, value in theirs.items())
    published += f" ({cards[0]} to {cards[-1]} SMs, two cards)"
    found = {
        cell: {slots: analysis.scaling(study, "triton_8", cell, "allocate", slots) for slots in (few, many)}
        for cell in SCALING_CELLS
    }
    measured = {cell: ratios for cell, ratios in found.items() if all(r.value is not None for r in ratios.values())}
    if not measured:
        slots, ratio = next((s, r) for s, r in found[SCALING_CELLS[-1]].items() if r.value is None)
        return no_ratio(published, study, f"{slots} slots", ratio)
    decisive = list(measured.values())[-1]
    ours = "; ".join(
        f"`{cell}`: " + ", ".join(f"{slots} slots {ratio.text} x" for slots, ratio in ratios.items())
        for cell, ratios in measured.items()
    )
    return Finding(
        published,
        f"{ours} ({NARROW_SMS} to {WIDE_SMS} SMs)",
        verdict(decisive[few].value < SCALES_NOT and decisive[many].value > SCALES),
    )


def anywhere(study: Study, cell: str, arms: Sequence[str]) -> list[Measurement]:
    """Rows of allocate of these arms in a cell, of whichever of the axes has them; an arm once."""
    found: dict[str, Measurement] = {}
    for axis in ("bound", "cell"):
        for row in study.rows(axis=axis, cell=cell, arm=tuple(arms), stage="allocate"):
            found.setdefault(row.arm, row)
    return [found[arm] for arm in arms if arm in found]


def judge_bounded(study: Study, paper: Paper) -> Finding:
    def theirs(cell: str, bound: int) -> str:
        setting = f"max_probe={bound}"
        built, lost_from = (
            paper.need("bounded_probe", name, device="sm_120", cell=cell, setting=setting)
            for name in ("blocks_bounded", "blocks_unbounded")
        )
        return f"{lost_from - built:.0f} of {lost_from:.0f}"

    published = (
        f"blocks lost with bound 8: {theirs('base', 8)} at `base`, {theirs('lf-hi', 8)} at `lf-hi`; with bound 32: "
        f"{theirs('lf-hi', 32)} at `lf-hi`"
    )
    base, high = (anywhere(study, cell, ("bounded_8", "triton_8")) for cell in ("base", "lf-hi"))
    wide = anywhere(study, "lf-hi", ("bounded_32", "triton_32"))
    if not (base and high and wide):
        return Finding(published, "no rows of bounds 8 and 32 at `base` and `lf-hi`", NOT_MEASURED)

    def lost(rows: Sequence[Measurement]) -> str:
        return ", ".join(
            f"`{row.arm}` {row.blocks_lost} of {row.blocks_reference} ({count(row.dropped)} samples)" for row in rows
        )

    holds = all(row.dropped == 0 and row.blocks_lost == 0 for row in base + wide) and all(
        row.dropped > 0 for row in high
    )
    return Finding(published, f"at `base`: {lost(base)}; at `lf-hi`: {lost(high + wide)}", verdict(holds))


TILE_CELLS = ("base", "r-2.0")


def judge_tile_steps(study: Study, paper: Paper) -> Finding:
    theirs = [paper.need("tile_floor", "tile_penalty", cell=cell, arm="tile_uniform") for cell in TILE_CELLS]
    published = f"{listed(theirs)} x ({', '.join(TILE_CELLS)})"
    rows = [study.one(axis="tile", cell=cell, arm="tile_uniform", stage="allocate") for cell in TILE_CELLS]
    ratios = [study.compare(row, row, quantity="tile_steps", reference_quantity="lane_steps") for row in rows]
    for cell, ratio in zip(TILE_CELLS, ratios):
        if ratio.value is None:
            return no_ratio(published, study, f"`tile_uniform` at `{cell}`", ratio)
    holds = all(abs(ratio.value / figure - 1.0) <= STEP_TOLERANCE for ratio, figure in zip(ratios, theirs))
    return Finding(published, f"{listed([r.value for r in ratios])} x", verdict(holds))


def judge_tile_time(study: Study, paper: Paper) -> Finding:
    theirs = [paper.need("tile_floor", "tile_penalty", cell=cell, arm="tile_uniform") for cell in TILE_CELLS]
    published = f"{listed(theirs)} x in steps, no time"
    found = [
        (cell, stage, analysis.tile_times(study, cell, stage))
        for cell in TILE_CELLS
        for stage in ("allocate", "update")
    ]
    there = [f"`{cell}` {stage} {ratio.text} x" for cell, stage, ratio in found if ratio.value is not None]
    if not there:
        return unmeasured(published, study, "no row of `tile_uniform` has a ratio")
    return Finding(published, ", ".join(there), NEW)


def judge_warm(study: Study, paper: Paper) -> Finding:
    frames = paper.cells("cold_warm")

    def theirs(quantity: str, frame: str) -> float:
        return paper.need("cold_warm", quantity, device=CARDS[0], cell=frame, arm="triton_8")

    published = (
        ", ".join(f"{theirs('ratio_cold', frame):.1f} to {theirs('ratio_warm', frame):.1f}" for frame in frames) + " x"
    )
    last = Ratio("refused", "no row")
    for arm in ("triton_8", "triton_32"):
        cold, warm = (
            study.ratio(
                study.one(
                    axis="frames", cell=f"frame8-{kind}", arm=arm, stage="allocate", scratch_slots=DEFAULT_SCRATCH_SLOTS
                )
            )
            for kind in ("cold", "warm")
        )
        if cold.value is not None and warm.value is not None:
            return Finding(
                published,
                f"`{arm}`: {cold.text} cold, {warm.text} x warm",
                verdict(warm.value > TREND_ENDS * cold.value),
            )
        last = cold if cold.value is None else warm
    return no_ratio(published, study, "frame 8", last)


def judge_load(study: Study, paper: Paper) -> Finding:
    cells = ("lf-sparse", "base")
    published = (
        "; ".join(f"{listed(paper.ratios('triton_8', cell))} x at `{cell}`" for cell in cells) + "; nothing beyond"
        f" {paper.need('bounded_probe', 'load_factor', device='sm_120', cell='lf-hi', setting='max_probe=8')}"
    )
    found = {arm: analysis.load_sentence(study, arm) for arm in ("triton_8", "triton_32")}
    decisive = found["triton_32"] or found["triton_8"]
    if decisive is None:
        return unmeasured(published, study, "no Triton arm is comparable at two load factors")
    text = "; ".join(sentence for sentence, _ in filter(None, found.values()))
    loads = sorted({study.swept_load(row) for row in study.rows(axis="load_factor", stage="allocate")})
    ends = [(load, analysis.lossless_bound(study, load)) for load in (loads[0], loads[-1])]
    if all(bound is not None for _, bound in ends):
        text += ". With the bound that loses nothing, extrapolated: " + ", ".join(
            f"{format_ratio(extrapolated / reference)} x at {load:.3f} (bound {deepest})"
            for load, (deepest, extrapolated, reference) in ends
        )
    return Finding(published, f"at one bound the ratio {'falls' if decisive[1] else 'does not fall'}: {text}", NEW)


def judge_residual(study: Study, paper: Paper) -> Finding:
    unexplained = paper.need("text", "residual", arm="rust_plain")
    published = f"{unexplained:.2f} x, unexplained"
    found = analysis.residual(study, "rust_plain")
    for ratio in (found.one_stream, found.stream_per_volume, found.mixed):
        if ratio.value is None:
            return no_ratio(published, study, "`rust_plain` under both disciplines", ratio)
    text = (
        f"{found.one_stream.text} x on one stream, {found.stream_per_volume.text} x with a stream per volume; "
        f"quotient of the two disciplines (not a comparable pair) {found.mixed.text}"
    )
    return Finding(published, f"{text}: {residual_verdict(found)}", NEW)


def residual_verdict(found: analysis.Residual) -> str:
    """Whether mixing the disciplines alone makes a quotient like the paper's."""
    same = all(
        ratio.value is not None and abs(ratio.value - 1.0) <= SAME
        for ratio in (found.one_stream, found.stream_per_volume)
    )
    if found.mixed.value is None:
        return "not measured"
    if same and found.mixed.value > 1.0 + SAME:
        return "the discipline of the streams alone makes such a quotient"
    return "the discipline of the streams does not account for it here"


def judge_second_device(study: Study, paper: Paper) -> Finding:
    pairs = [(stage, arm) for stage in ("allocate", "update") for arm in ("rust_atomic", "triton_8")]
    published = "; ".join(f"{stage} `{arm}` {listed(paper.ratios(arm, stage=stage))}" for stage, arm in pairs)
    found = [(stage, arm, study.ratio(analysis.at(study, arm, stage=stage))) for stage, arm in pairs]
    there = [f"{stage} `{arm}` {ratio.text}" for stage, arm, ratio in found if ratio.value is not None]
    if not there:
        return unmeasured(published, study, "no row at `base` has a ratio")
    return Finding(published, "; ".join(there), NEW)


def judge_factorial(study: Study, paper: Paper) -> Finding:
    split = analysis.decomposition(study, 8, DEFAULT_SCRATCH_SLOTS)
    published = "the total only: " + listed(paper.ratios("triton_8")) + " x"
    if split is None:
        return Finding(published, "no factorial rows of bound 8", NOT_MEASURED)
    for ratio in (split.no_early_exit, split.unmasked, split.both):
        if ratio.value is None:
            return no_ratio(published, study, "bound 8", ratio)
    return Finding(
        published,
        f"over early exit with masked exchange: no early exit alone {split.no_early_exit.text} x, "
        f"unmasked exchange alone {split.unmasked.text} x, both {split.both.text} x (interaction "
        f"{format_ratio(split.interaction)})",
        NEW,
    )


CLAIMS: tuple[Claim, ...] = (
    costs_more(
        "atomic-allocate", "Relaxed atomic first loads make allocate slower than CUDA C++.", "rust_atomic", "allocate"
    ),
    costs_more("atomic-update", "Relaxed atomic first loads make update a little slower.", "rust_atomic", "update"),
    Claim(
        "atomic-l1",
        "Relaxed atomic first loads lose the first-level cache: its hit rate falls.",
        f"the hit rate falls by at least {SHARE_OF_EXCESS:.0%} as many points as in the paper",
        judge_l1,
        needs_device=False,
    ),
    Claim(
        "atomic-l2",
        "Relaxed atomic first loads read more sectors from the second level.",
        f"the sectors rise by at least {SHARE_OF_EXCESS:.0%} of the paper's rise",
        judge_l2,
        needs_device=False,
    ),
    Claim(
        "plain-loads",
        "Plain first loads bring CUDA C++'s time back.",
        f"at `base` plain loads are at most {1.0 + SAME:.2f} x CUDA C++ and atomic ones more",
        judge_plain,
    ),
    follows(
        "atomic-points",
        "The ratio of atomic first loads shrinks as there are more points.",
        "rust_atomic",
        TRITON_RATIO_CELLS,
        rising=False,
    ),
    costs_more("triton-allocate", "Triton's allocate takes many times CUDA C++'s.", "triton_8", "allocate"),
    costs_more("triton-update", "Triton's update is slower too, by far less.", "triton_8", "update"),
    Claim(
        "cost-floor",
        "Triton pays a floor: over six cells of as many points and different work its allocate hardly "
        "changes, while CUDA C++'s does.",
        f"over the six cells Triton's most over least (the real kernel's where it was measured) is below "
        f"{FLOOR_TRITON} and CUDA C++'s above {FLOOR_CUDA}",
        judge_floor,
    ),
    follows(
        "triton-points", "Triton's ratio grows with the number of points.", "triton_8", TRITON_RATIO_CELLS, rising=True
    ),
    follows(
        "triton-extent", "Triton's ratio falls as the scene's extent grows.", "triton_8", EXTENT_CELLS, rising=False
    ),
    Claim(
        "scratch-scaling",
        "With a scratch region of 256 slots more SMs do not help Triton's allocate; with 65536 they do.",
        f"time on {NARROW_SMS} SMs over time on {WIDE_SMS} is below {SCALES_NOT} with 256 slots and above "
        f"{SCALES} with 65536, at the largest cell measured (fewer programs than run at once cannot scale)",
        judge_scratch,
    ),
    Claim(
        "bounded-loss",
        "A probe bounded at 8 steps loses nothing in the sparse table of `base` and some blocks in the "
        "fuller one of `lf-hi`; one of 32 steps loses none there.",
        "every arm of bound 8 loses nothing at `base` and something at "
        "`lf-hi`, and every arm of bound 32 nothing at `lf-hi`",
        judge_bounded,
        needs_device=False,
    ),
    Claim(
        "tile-steps",
        "If a tile goes on until its deepest lane is done, lanes take that many times the steps.",
        f"both quotients of counted steps are within {STEP_TOLERANCE:.0%} of the paper's",
        judge_tile_steps,
        needs_device=False,
    ),
    Claim(
        "tile-time", "What such a tile costs in time.", "the paper has counts only; the number is new", judge_tile_time
    ),
    Claim(
        "warm-frames",
        "On warm frames, where most blocks exist, Triton's ratio is worse than on cold ones.",
        f"the warm ratio is above the cold one by more than {TREND_ENDS - 1.0:.0%}, for bound 8 or, where that is"
        " lossy, 32",
        judge_warm,
    ),
    Claim(
        "load-factor",
        "Prediction, which the paper could not test in a full table: Triton's ratio falls as the table fills.",
        "new; falls means: from the lowest to the highest load factor without loss by more than "
        f"{TREND_ENDS - 1.0:.0%}, with {TREND_PAIRS:.0%} of all pairs in that order, for bound 32 (8 where that is "
        "missing)",
        judge_load,
    ),
    Claim(
        "residual",
        "After its fix Rust remains slower than CUDA C++ by a factor that the paper cannot explain.",
        f"new; explained by the streams where both disciplines' own ratios are within {SAME:.0%} of 1 and the quotient "
        "across them is above that",
        judge_residual,
    ),
    Claim(
        "factorial",
        "Triton's cost has two causes: no lane leaves early, and every step issues an exchange.",
        "the paper does not measure them apart; the numbers are new",
        judge_factorial,
    ),
    Claim(
        "second-device",
        "The ratios on another architecture.",
        "new: the paper has two cards of one architecture",
        judge_second_device,
    ),
)
