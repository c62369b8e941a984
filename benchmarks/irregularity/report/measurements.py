"""The sections of what was measured, one for each axis, and the counters. None where there are no rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Optional

from . import analysis, figures
from .cells import EMPTY, RATIO_NOTE, code, matrix, measured, present
from .comparison import format_ratio
from .document import (
    Cell,
    Paragraph,
    Section,
    Table,
    count,
    ms,
    ratio_cell,
    table,
)
from .paper import CARDS, Paper
from .reading import STAGES, Measurement
from .study import DEFAULT_SCRATCH_SLOTS, REFERENCE_ARM, Study


def stages(study: Study) -> Optional[Section]:
    rows = study.rows(axis="cell")
    if not rows:
        return None
    blocks = present(
        Paragraph(f"Median time of a stage, in {figures.time_unit(study)}, of every arm in every cell. {RATIO_NOTE}"),
        *(matrix(study, rows, stage, f"{stage.capitalize()}, by cell and arm.") for stage in STAGES),
        figures.stages_at_base(study),
        counted_work(study, rows),
    )
    return Section("stages", "Stages", blocks)


def counted_work(study: Study, rows: Sequence[Measurement]) -> Table:
    """What the instrumented twins counted at one cell."""
    cell = "base" if any(row.cell == "base" for row in rows) else rows[0].cell
    mine = [row for row in rows if row.cell == cell]
    lines = []
    for arm in study.arms(mine):
        for row in (r for r in mine if r.arm == arm):
            lines.append(
                [
                    code(arm),
                    row.stage,
                    ms(row.p50_ms),
                    ms(row.p95_ms),
                    ms(row.min_ms),
                    f"{row.spread:.3f}",
                    count(row.probes),
                    count(row.cas),
                    count(row.atomics),
                    count(row.blocks),
                    count(row.dropped),
                ]
            )
    return table(
        f"Times and counted work at `{cell}`. Where threads race for a slot the counts differ from run to run.",
        [
            "arm",
            "stage",
            "median ms",
            "p95 ms",
            "least ms",
            "spread",
            "probes",
            "compare-exchanges",
            "atomics",
            "blocks",
            "samples lost",
        ],
        lines,
        keys=2,
    )


def axis_cells(study: Study) -> Optional[Section]:
    """Points and extent."""
    blocks = present(figures.points_axis(study), figures.extent_axis(study))
    if not blocks:
        return None
    return Section(
        "size",
        "Points and extent",
        [
            Paragraph(
                "Two ways to make a scene larger. More points on the same sphere are more work with as many blocks; a"
                " larger sphere with as many points is more blocks with as much work."
            )
        ]
        + blocks,
    )


def by_load(study: Study, rows: Sequence[Measurement], stage: str, names: Sequence[str]) -> Table:
    found = {}
    for row in rows:
        if row.stage == stage:
            found.setdefault((row.configuration, row.arm), row)
    order = sorted({(study.swept_load(row), row.cell, row.blocks_reference, row.configuration) for row in rows})
    return table(
        f"{stage.capitalize()} by load factor.",
        ["load factor", "cell", "blocks", *map(code, names)],
        [
            [
                f"{load:.3f}",
                code(cell),
                count(blocks),
                *(measured(study, found.get((configuration, arm))) for arm in names),
            ]
            for load, cell, blocks, configuration in order
        ],
        keys=2,
    )


def without_loss(study: Study, rows: Sequence[Measurement]) -> Optional[Table]:
    lines = []
    for load in sorted({study.swept_load(row) for row in rows}):
        found = analysis.lossless_bound(study, load)
        if found is not None:
            deepest, extrapolated, reference = found
            lines.append(
                [f"{load:.3f}", count(deepest), ms(reference), ms(extrapolated), format_ratio(extrapolated / reference)]
            )
    if not lines:
        return None
    return table(
        "What a lossless Triton would take: the deepest look-up is the least bound that loses nothing, and the time of"
        " allocate is that bound times what a step of the widest Triton arm takes. An extrapolation, not a measurement:"
        " with the bound it needs, Triton's cost does not stay while the table fills.",
        ["load factor", "deepest look-up", "`cuda_cpp` ms", "extrapolated ms", "quotient"],
        lines,
    )


def load_factor(study: Study, paper: Paper) -> Optional[Section]:
    rows = study.rows(axis="load_factor")
    if not rows:
        return None
    names = study.arms(rows)
    blocks = present(
        Paragraph(
            "The table filled further and further, up to where open addressing with linear probing gets "
            "long chains. An arm with a bound loses what it does not reach within its steps; from there on "
            f"it has no ratio. {RATIO_NOTE}"
        ),
        figures.load_factor_axis(study),
        *(by_load(study, rows, stage, names) for stage in STAGES if any(row.stage == stage for row in rows)),
        without_loss(study, rows),
    )
    return Section("load-factor", "Load factor", blocks)


def bound(study: Study) -> Optional[Section]:
    rows = study.rows(axis="bound", stage="allocate")
    if not rows:
        return None
    lines = []
    for cell in study.cells(rows):
        for row in sorted((r for r in rows if r.cell == cell and r.max_probe > 0), key=lambda r: (r.max_probe, r.arm)):
            shown = measured(study, row)
            lines.append(
                [
                    code(cell),
                    code(row.arm),
                    str(row.max_probe),
                    shown,
                    count(row.dropped),
                    count(row.blocks_lost),
                    count(row.blocks_reference),
                ]
            )
    return Section(
        "bound",
        "Probe bound",
        present(
            Paragraph(
                "What a bound on a probe's steps costs and loses. A form without early exit takes all its steps; one"
                " with early exit takes them only where it has to."
            ),
            figures.bound_axis(study),
            table(
                "Allocate by probe bound.",
                ["cell", "arm", "bound", "ms", "samples lost", "blocks lost", "blocks"],
                lines,
                keys=2,
            ),
        ),
    )


def scratch(study: Study) -> Optional[Section]:
    rows = [row for row in study.rows(axis="scratch", stage="allocate") if row.scratch_slots > 0]
    if not rows:
        return None
    names = study.arms(rows)
    found = {(row.scratch_slots, row.arm): row for row in reversed(rows)}
    return Section(
        "scratch",
        "Scratch region",
        present(
            Paragraph(
                "A resolved lane of a Triton program still issues its exchange, aimed at a scratch region. Few slots"
                f" are shared by many lanes, whose exchanges then wait for one another. {RATIO_NOTE}"
            ),
            figures.scratch_axis(study),
            table(
                "Allocate by size of the scratch region.",
                ["slots", *map(code, names)],
                [
                    [count(slots), *(measured(study, found.get((slots, arm))) for arm in names)]
                    for slots in sorted({row.scratch_slots for row in rows})
                ],
            ),
        ),
    )


def cost_floor(study: Study) -> Optional[Section]:
    rows = study.rows(axis="cell", cell=figures.FLOOR_CELLS, arm=figures.FLOOR_ARMS, stage="allocate")
    if not rows:
        return None
    lines = []
    for cell in figures.FLOOR_CELLS:
        for arm in figures.FLOOR_ARMS:
            row = analysis.at(study, arm, cell)
            if row:
                lines.append(
                    [
                        code(cell),
                        code(arm),
                        Cell(
                            ms(row.p50_ms),
                            "" if row.is_comparable else "refused",
                            "" if row.is_comparable else row.comparable,
                        ),
                        f"{row.spread:.2f}",
                        count(row.blocks_reference),
                        count(row.probes),
                        count(row.cas),
                    ]
                )
    spreads = [[code(arm), ratio_cell(analysis.floor_ratio(study, arm)[0])] for arm in figures.FLOOR_ARMS]
    spreads = [
        [name, Cell(cell.text, "" if cell.tone in ("fast", "slow", "slower") else cell.tone)] for name, cell in spreads
    ]
    return Section(
        "cost-floor",
        "Cost floor",
        present(
            Paragraph(
                "Six cells with as many points, and so as many look-ups, but different scenes. An arm that pays for"
                " what a scene needs differs between them; an arm that always does all its steps does not."
            ),
            figures.cost_floor(study),
            table(
                "Most over least time of allocate over the six cells; in brackets the larger of both rows' spreads.",
                ["arm", "most / least"],
                spreads,
            ),
            table(
                "The cells of the cost floor.",
                ["cell", "arm", "ms", "spread", "blocks", "probes", "compare-exchanges"],
                lines,
                keys=2,
            ),
        ),
    )


def device(study: Study) -> Optional[Section]:
    rows = study.rows(axis="sms")
    if not rows:
        return None
    narrow, wide = analysis.NARROW_SMS, analysis.WIDE_SMS
    sms = sorted({row.sms for row in rows})
    lines = []
    for key in dict.fromkeys((row.cell, row.arm, row.scratch_slots, row.stage) for row in rows):
        cell, arm, slots, stage = key
        # The update touches no scratch region, and arms without one are the same at each of its sizes.
        if stage == "update" and slots not in (0, DEFAULT_SCRATCH_SLOTS):
            continue
        times = {
            row.sms: row
            for row in reversed(study.rows(axis="sms", cell=cell, arm=arm, stage=stage, scratch_slots=slots))
        }
        ratio = analysis.scaling(study, arm, cell, stage, slots)
        lines.append(
            [
                code(cell),
                code(arm),
                stage,
                count(slots) if slots else "none",
                *(
                    Cell(ms(times[n].p50_ms), "" if times[n].is_comparable else "refused") if n in times else EMPTY
                    for n in sms
                ),
                Cell(ratio.text, "" if ratio.value is not None and ratio.steady else "refused"),
            ]
        )
    lines.sort(key=lambda line: (line[2], line[0], line[1]))
    return Section(
        "device",
        "Device axis",
        present(
            Paragraph(
                "The same program confined to some of the SMs of one device. What does not get faster with more of them"
                " waits for something else that they share."
            ),
            figures.device_axis(study),
            table(
                f"Milliseconds by SMs, and scaling: time on {narrow} SMs over time on {wide} (in brackets the larger"
                f" spread). Perfect scaling is {wide / narrow:.2f}.",
                ["cell", "arm", "stage", "scratch slots", *(f"{n} SMs" for n in sms), f"{narrow} / {wide}"],
                lines,
                keys=3,
            ),
        ),
    )


def tile(study: Study) -> Optional[Section]:
    rows = [row for row in study.rows(axis="tile") if row.tile > 0]
    if not rows:
        return None
    lines = []
    for cell in study.cells(rows):
        for width in sorted({row.tile for row in rows if row.cell == cell}):
            pair = {row.stage: row for row in rows if row.cell == cell and row.tile == width}
            one = next(iter(pair.values()))
            steps = study.compare(one, one, quantity="tile_steps", reference_quantity="lane_steps")
            lines.append(
                [
                    code(cell),
                    str(width),
                    count(one.lane_steps),
                    count(one.tile_steps),
                    Cell(steps.number, "" if steps.value else "refused"),
                    *(measured(study, pair.get(s)) for s in STAGES),
                ]
            )
    return Section(
        "tile",
        "Tile axis",
        present(
            Paragraph(
                "A tile that goes on until its deepest lane is done makes every other lane wait. Steps are counted per"
                " lane, and as if each lane took the steps of its tile's deepest; beside them stands what it costs in"
                f" time. {RATIO_NOTE}"
            ),
            figures.tile_axis(study),
            table(
                "Probe steps and time by lanes of a tile.",
                [
                    "cell",
                    "lanes",
                    "steps per lane, summed",
                    "steps to the deepest lane",
                    "quotient",
                    "allocate, ms",
                    "update, ms",
                ],
                lines,
                keys=2,
            ),
        ),
    )


def bounds_of_factorial(study: Study) -> tuple[int, ...]:
    """Bounds that the factorial has."""
    return tuple(sorted({row.max_probe for row in study.rows(axis="factorial") if row.max_probe > 0}))


def factorial(study: Study) -> Optional[Section]:
    rows = study.rows(axis="factorial", stage="allocate", max_probe=bounds_of_factorial(study))
    if not rows:
        return None
    splits = [
        split
        for n in bounds_of_factorial(study)
        for slots in sorted({r.scratch_slots for r in rows if r.scratch_slots})
        for split in [analysis.decomposition(study, n, slots)]
        if split
    ]
    work, parts = [], []
    for split in splits:
        key = [str(split.bound), count(split.scratch_slots)]
        work.append(
            key
            + [
                Cell(
                    ms(row.p50_ms),
                    "" if row.is_comparable else "lossy" if row.is_lossy else "refused",
                    f"{count(row.probes)} / {count(row.cas)}",
                )
                for row in split.corners
            ]
        )
        shown = split.parts_ms
        refusal = next(
            (ratio for ratio in (split.no_early_exit, split.unmasked, split.both) if ratio.value is None), None
        )
        ms_cells = (
            [Cell(f"{value:+.4f}") for value in shown]
            if shown
            else [
                Cell(refusal.reason if refusal else "", "lossy" if refusal and refusal.status == "lossy" else "refused")
            ]
            + [EMPTY] * 2
        )
        parts.append(
            key
            + [ms(split.early_masked.p50_ms)]
            + ms_cells
            + [ratio_cell(ratio) for ratio in (split.no_early_exit, split.unmasked, split.both)]
            + [Cell(format_ratio(split.interaction)) if split.interaction else EMPTY]
        )
    return Section(
        "factorial",
        "Factorial: what Triton's cost is made of",
        present(
            Paragraph(
                "Two things tell Triton's probe from one of CUDA C++: no lane leaves early, and every step issues an"
                " exchange. Each is taken alone here, with the same acquire-release exchange in all four forms. What"
                " remains of the form with both, when each alone is taken off, is the interaction."
            ),
            figures.factorial(study),
            (
                table(
                    "Allocate: milliseconds, and beneath them counted probes / compare-exchanges.",
                    [
                        "bound",
                        "scratch slots",
                        "early exit, masked",
                        "early exit, unmasked",
                        "no early exit, masked",
                        "no early exit, unmasked",
                    ],
                    work,
                    keys=2,
                )
                if work
                else None
            ),
            (
                table(
                    "The split, from early exit with masked exchange on. In ms: cost of no early exit alone, of the"
                    " unmasked exchange alone, and the interaction (what both cost beyond the sum). As factors: each"
                    " alone, both, and the interaction (what both cost beyond the product).",
                    [
                        "bound",
                        "scratch slots",
                        "start, ms",
                        "no early exit, ms",
                        "unmasked, ms",
                        "interaction, ms",
                        "no early exit, x",
                        "unmasked, x",
                        "both, x",
                        "interaction, x",
                    ],
                    parts,
                    keys=2,
                )
                if parts
                else None
            ),
        ),
    )


def counters(study: Study, paper: Paper) -> Optional[Section]:
    found = study.run.counters
    if found is None or found.empty:
        return None
    lines: list[list[str]] = []

    def add(whose: str, arm: str, value_of: Callable[[str], Optional[float]]) -> None:
        values = [value_of(name) for name in found.columns]
        if any(value is not None for value in values):
            lines.append(
                [
                    whose,
                    code(arm),
                    *(
                        "" if value is None or value != value else f"{value:,.6g}" if value < 1e5 else count(value)
                        for value in values
                    ),
                ]
            )

    for arm in found.index:
        add("here", arm, lambda name, arm=arm: float(found[name][arm]))
    for source, name_of_card, whose in (
        ("counters", "sm_120", "the paper, sm_120"),
        ("counters_h200", "H200", "the paper's kernels, H200"),
    ):
        for arm in (REFERENCE_ARM, "rust_atomic", "rust_plain", "rust_volatile", "slot_index"):
            add(whose, arm, lambda name, a=arm, s=source, d=name_of_card: paper.get(s, name, device=d, arm=a))
    return Section(
        "counters",
        "Hardware counters",
        present(
            Paragraph(
                "Counters of one cold allocate at `base`, read with Nsight Compute. Durations under a profiler are not"
                " those of the tables above."
            ),
            figures.counters(study, paper),
            table(
                "Counters of one cold allocate.",
                ["whose", "arm", *(name.replace("_", " ") for name in found.columns)],
                lines,
                keys=2,
            ),
        ),
    )


def frames(study: Study, paper: Paper) -> Optional[Section]:
    rows = study.rows(axis="frames")
    if not rows:
        return None
    names = paper.cells("cold_warm")
    published = [
        [
            code(name),
            *(
                f"{paper.need('cold_warm', quantity, device=CARDS[0], cell=name, arm='triton_8'):.1f}"
                for quantity in ("ratio_cold", "ratio_warm")
            ),
        ]
        for name in names
    ]
    return Section(
        "frames",
        "Real frames, cold and warm",
        present(
            Paragraph(
                "A frame of a recording, fused into an empty volume (cold) and after the frames before it (warm), when "
                f"most of its blocks are there already. {RATIO_NOTE}"
            ),
            *(matrix(study, rows, stage, f"{stage.capitalize()} of a real frame.") for stage in STAGES),
            table(
                f"The paper's ratios of Triton's allocate to CUDA C++'s ({CARDS[0]}, its own frames).",
                ["frame", "cold", "warm"],
                published,
            ),
        ),
    )
