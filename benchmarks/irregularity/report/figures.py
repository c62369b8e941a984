"""The figures. Each function draws what the sweep has, and returns None where that is nothing.

Marks: filled where the row is comparable, hollow where its arm lost samples, a cross where another check failed. Ratios
are drawn for comparable pairs only.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Optional

import matplotlib
import matplotlib.colors
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from . import arms, document
from .comparison import LOSSY
from .document import Figure
from .paper import Paper
from .reading import STAGES, Measurement
from .study import BOUNDS, DEFAULT_SCRATCH_SLOTS, REFERENCE_ARM, Study

STYLE = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.0,
    "legend.fontsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.edgecolor": "#555555",
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 5.5,
    "svg.hashsalt": "cutsdf",
    "svg.fonttype": "path",
    "figure.facecolor": "white",
    "legend.frameon": False,
}
COMPARABLE, LOST, FAILED = "comparable", "lossy", "failed"
CELL_COLORS = {"base": "#000000", "lf-mid": "#0072B2", "lf-hi": "#D55E00", "r-2.0": "#009E73", "pts-1280k": "#CC79A7"}
FLOOR_CELLS = ("r-0.25", "plane-320k", "base", "lf-sparse", "r-1.0", "r-2.0")
FLOOR_ARMS = (REFERENCE_ARM, "triton_8")

Point = tuple[float, float, str]


def status(row: Measurement) -> str:
    return COMPARABLE if row.is_comparable else LOST if row.is_lossy else FAILED


def drawn(stem: str, caption: str, draw: Callable[[], Canvas]) -> Figure:
    """Draws under the common style; the same rows give the same bytes."""
    with matplotlib.rc_context(STYLE):
        out = io.BytesIO()
        draw().savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return Figure(stem, caption, out.getvalue())


def canvas(columns: int, rows: int = 1, width: float = 9.6, height: float = 3.4) -> tuple[Canvas, list[Axes]]:
    figure = Canvas(figsize=(width, height * rows), layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def plain_number(value: float, _: object = None) -> str:
    """320k, 0.05, 18160, 2 to the 20th: short and exact, and never a power of ten."""
    if value >= 1 << 20 and value == 2.0 ** round(math.log2(value)):
        return f"$2^{{{round(math.log2(value))}}}$"
    if value >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value / 1e3:g}k" if value >= 1e4 and value % 1000 == 0 else f"{value:.6g}"


def log_axis(axis: object, ticks: Optional[Iterable[float]] = None, base: float = 10.0) -> None:
    """Makes an axis logarithmic, with numbers in full; with `ticks`, just these."""
    which = axis.axis_name
    getattr(axis.axes, f"set_{which}scale")("log", base=base)
    if ticks is not None:
        axis.set_major_locator(FixedLocator(sorted(set(ticks))))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(plain_number))
    axis.set_minor_formatter(NullFormatter())


def readable_log(ax: Axes) -> None:
    """A logarithmic y axis with numbers in full, as many as its span needs; nearly linear where it spans little."""
    log_axis(ax.yaxis)
    low, high = ax.get_ylim()
    span = high / low
    if span < 1.6:
        ticks = MaxNLocator(5).tick_values(low, high)
    else:
        steps = (
            (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0)
            if span < 4.0
            else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if span < 12.0 else (1.0, 2.0, 5.0) if span < 300.0 else (1.0,)
        )
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [step * 10.0**decade for decade in decades for step in steps]
    ax.yaxis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    ax.yaxis.set_minor_locator(NullLocator())


def series(ax: Axes, points: Sequence[Point], look: arms.Look, label: Optional[str] = None) -> None:
    """A line through all points, and a mark for each by its status."""
    if not points:
        return
    xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
    ax.plot(xs, ys, color=look.color, linestyle=look.line, alpha=0.75, label="_line")
    for kind, face, marker in (
        (COMPARABLE, look.color, look.marker),
        (LOST, "white", look.marker),
        (FAILED, "none", "x"),
    ):
        some = [(x, y) for x, y, which in points if which == kind]
        if some:
            ax.plot(
                *zip(*some),
                linestyle="none",
                marker=marker,
                markerfacecolor=face,
                markeredgecolor=look.color,
                color=look.color,
            )
    ax.plot([], [], color=look.color, linestyle=look.line, marker=look.marker, label=label or look.label)


def legend(figure: Canvas, axes: Iterable[Axes], columns: int = 4, marks: bool = False) -> None:
    """One legend for all panels, below them."""
    entries: dict[str, object] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    if marks:
        entries["hollow: lost samples"] = Line2D(
            [], [], linestyle="none", marker="o", markerfacecolor="white", markeredgecolor="#555555"
        )
    figure.legend(entries.values(), entries.keys(), loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=columns)


def unity(ax: Axes) -> None:
    ax.axhline(1.0, color="#999999", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)


def time_unit(study: Study) -> str:
    return "ms" if study.on_device else "ms on the CPU"


def curves(
    study: Study,
    rows: Sequence[Measurement],
    x: Callable[[Measurement], float],
    stage: str,
    ax_ms: Axes,
    ax_ratio: Optional[Axes],
) -> None:
    """Time and ratio of each arm over x; a lossy row has no ratio and leaves a hollow mark above the panel."""
    lossy_arms: list[str] = []  # a line of marks for each
    for arm in study.arms(rows):
        mine = sorted((row for row in rows if row.arm == arm and row.stage == stage), key=x)
        look = arms.look(arm)
        series(ax_ms, [(x(row), row.p50_ms, status(row)) for row in mine], look)
        if ax_ratio is None or arm == REFERENCE_ARM:
            continue
        ratios = [(x(row), study.ratio(row)) for row in mine]
        series(ax_ratio, [(at, r.value, COMPARABLE) for at, r in ratios if r.value is not None], look)
        for at, ratio in ratios:
            if ratio.status == LOSSY:
                if arm not in lossy_arms:
                    lossy_arms.append(arm)
                ax_ratio.plot(
                    [at],
                    [1.02 + 0.05 * lossy_arms.index(arm)],
                    transform=ax_ratio.get_xaxis_transform(),
                    marker=look.marker,
                    markerfacecolor="white",
                    markeredgecolor=look.color,
                    clip_on=False,
                    linestyle="none",
                    markersize=4.5,
                )


def axis_figure(
    study: Study,
    stem: str,
    caption: str,
    rows: Sequence[Measurement],
    x: Callable[[Measurement], float],
    x_label: str,
    ticks: Optional[Sequence[float]] = None,
    log_x: bool = True,
) -> Optional[Figure]:
    """Both stages over one axis: time above, ratio to the reference below."""
    if len({x(row) for row in rows}) < 2:
        return None
    stages = [stage for stage in STAGES if any(row.stage == stage for row in rows)]
    with_ratio = study.withheld is None and any(row.arm != REFERENCE_ARM for row in rows)

    def draw() -> Canvas:
        figure, axes = canvas(len(stages), 2 if with_ratio else 1, height=3.0)
        for column, stage in enumerate(stages):
            ratio_axes = axes[len(stages) + column] if with_ratio else None
            curves(study, rows, x, stage, axes[column], ratio_axes)
            axes[column].set_title(stage)
            axes[column].set_ylabel(time_unit(study))
            if ratio_axes is not None:
                unity(ratio_axes)
                ratio_axes.set_ylabel("time / time of CUDA C++")
        for ax in axes:
            if log_x:
                log_axis(ax.xaxis, ticks)
            readable_log(ax)
            ax.set_xlabel(x_label)
        legend(figure, axes, marks=any(row.is_lossy for row in rows))
        return figure

    return drawn(stem, caption, draw)


def stages_at_base(study: Study) -> Optional[Figure]:
    rows = study.rows(axis="cell", cell="base")
    if not rows:
        return None
    names = study.arms(rows)[::-1]

    def draw() -> Canvas:
        figure, axes = canvas(2, height=0.9 + 0.32 * len(names))
        for ax, stage in zip(axes, STAGES):
            for place, arm in enumerate(names):
                row = next((r for r in rows if r.arm == arm and r.stage == stage), None)
                if row is None:
                    continue
                look, ratio = arms.look(arm), study.ratio(row)
                ax.hlines(place, 0.0, row.p50_ms, color=look.color, linewidth=1.0, alpha=0.5)
                ax.plot(
                    [row.p50_ms],
                    [place],
                    marker=look.marker,
                    color=look.color,
                    linestyle="none",
                    markersize=7,
                    markerfacecolor=look.color if row.is_comparable else "white",
                )
                note = document.ms(row.p50_ms)
                if arm != REFERENCE_ARM and ratio.value is not None:
                    note += f"  {ratio.value:.2f}x"
                elif not row.is_comparable:
                    note += f"  {'lossy' if row.is_lossy else 'not comparable'}"
                ax.annotate(
                    note, (row.p50_ms, place), xytext=(8, 0), textcoords="offset points", va="center", fontsize=8
                )
            values = [row.p50_ms for row in rows if row.stage == stage]
            if values and max(values) / min(values) > 5.0:
                log_axis(ax.xaxis)
                ax.set_xlim(min(values) / 1.6, max(values) * 10.0)
            elif values:
                ax.set_xlim(0.0, max(values) * 1.45)
            ax.set_title(stage)
            ax.set_xlabel(time_unit(study))
            ax.set_yticks(range(len(names)), [arms.look(arm).label for arm in names])
            ax.set_ylim(-0.6, len(names) - 0.4)
            ax.grid(axis="y", visible=False)
        axes[1].set_yticklabels([])
        return figure

    return drawn("stages", "Both stages of every arm at `base`: median milliseconds, and the ratio to CUDA C++.", draw)


def points_axis(study: Study) -> Optional[Figure]:
    rows = study.rows(axis="cell", cell=("pts-20k", "pts-80k", "base", "pts-720k", "pts-1280k"))
    return axis_figure(
        study,
        "points",
        "The points axis: one sphere, more and more points on it.",
        rows,
        lambda row: row.points,
        "points",
        sorted({row.points for row in rows}),
    )


def extent_axis(study: Study) -> Optional[Figure]:
    rows = study.rows(axis="cell", cell=("r-0.25", "base", "r-1.0", "r-2.0"))
    return axis_figure(
        study,
        "extent",
        "The extent axis: as many points on larger and larger spheres, and so more and "
        "more blocks (`r-0.25`, `base`, `r-1.0`, `r-2.0`).",
        rows,
        lambda row: row.blocks_reference,
        "blocks of the scene",
        sorted({row.blocks_reference for row in rows}),
    )


def load_factor_axis(study: Study) -> Optional[Figure]:
    rows = study.rows(axis="load_factor")
    return axis_figure(
        study,
        "load_factor",
        "The load-factor axis. Hollow marks: the arm lost samples. It has no ratio "
        "there; its marks above a ratio panel say so.",
        rows,
        study.swept_load,
        "load factor of the reference's table",
        log_x=False,
    )


def bound_axis(study: Study) -> Optional[Figure]:
    rows = study.rows(axis="bound", stage="allocate", max_probe=BOUNDS)
    if len({row.max_probe for row in rows}) < 2:
        return None
    families = (("triton", "no early exit", "-", "o"), ("bounded", "early exit", ":", "s"))
    panels: tuple[tuple[str, Callable[[Measurement], float]], ...] = (
        (f"allocate, {time_unit(study)}", lambda row: row.p50_ms),
        ("samples lost", lambda row: row.dropped),
        ("blocks lost", lambda row: row.blocks_lost),
    )

    def draw() -> Canvas:
        figure, axes = canvas(3, width=10.4, height=3.3)
        for ax, (title, value) in zip(axes, panels):
            for cell in study.cells(rows):
                for family, label, line, marker in families:
                    mine = sorted(
                        (row for row in rows if row.cell == cell and row.arm == f"{family}_{row.max_probe}"),
                        key=lambda row: row.max_probe,
                    )
                    look = arms.Look(f"{cell}, {label}", CELL_COLORS.get(cell, "#777777"), marker, line)
                    series(ax, [(row.max_probe, value(row), status(row)) for row in mine], look)
            ax.set_title(title)
            ax.set_xlabel("steps of a probe at most")
            log_axis(ax.xaxis, {row.max_probe for row in rows}, 2.0)
        readable_log(axes[0])
        for ax in axes[1:]:
            ax.set_yscale("symlog", linthresh=1.0)
            ax.yaxis.set_major_formatter(FuncFormatter(plain_number))
            ax.set_ylim(-0.3, ax.get_ylim()[1] * 1.6)
        legend(figure, axes, 3, marks=True)
        return figure

    return drawn("bound", "The probe bound: time of allocate, and what it loses.", draw)


def scratch_axis(study: Study) -> Optional[Figure]:
    rows = study.rows(axis="scratch", stage="allocate")
    lanes = [row for row in rows if row.scratch_slots > 0]
    if len({row.scratch_slots for row in lanes}) < 2:
        return None
    slots = sorted({row.scratch_slots for row in lanes})

    def draw() -> Canvas:
        figure, (ax,) = canvas(1, width=6.4, height=3.6)
        for arm in study.arms(lanes):
            mine = sorted((row for row in lanes if row.arm == arm), key=lambda row: row.scratch_slots)
            series(ax, [(row.scratch_slots, row.p50_ms, status(row)) for row in mine], arms.look(arm))
        series(
            ax,
            [
                (row.scratch_slots, study.reference(row).p50_ms, status(study.reference(row)))
                for row in sorted({r.configuration: r for r in lanes}.values(), key=lambda r: r.scratch_slots)
                if study.reference(row)
            ],
            arms.look(REFERENCE_ARM),
        )
        log_axis(ax.xaxis, slots, 2.0)
        readable_log(ax)
        ax.set_xlabel("slots of the scratch region")
        ax.set_ylabel(f"allocate, {time_unit(study)}")
        legend(figure, [ax], 3, marks=any(row.is_lossy for row in lanes))
        return figure

    return drawn(
        "scratch",
        "The scratch axis: how many words the exchanges of resolved lanes spread over. CUDA C++, "
        "measured beside each size, has no such region.",
        draw,
    )


def cost_floor(study: Study) -> Optional[Figure]:
    """Normalising is dividing: cells enter only where the rule lets them be compared across cells."""
    rows = {
        arm: [row for cell in FLOOR_CELLS for row in study.rows(axis="cell", cell=cell, arm=arm, stage="allocate")]
        for arm in FLOOR_ARMS
    }
    curves_of = {}
    for arm, mine in rows.items():
        fit = [row for row in mine if row.is_comparable]
        if len(fit) > 1:
            least = min(fit, key=lambda row: row.p50_ms)
            curves_of[arm] = [(row, study.compare(row, least, ("cell",))) for row in fit]
    if study.withheld or not curves_of:
        return None

    def draw() -> Canvas:
        figure, (ax,) = canvas(1, width=7.6, height=3.9)
        for arm, pairs in curves_of.items():
            points = sorted(
                (row.blocks_reference, ratio.value, COMPARABLE) for row, ratio in pairs if ratio.value is not None
            )
            spread = max(value for _, value, _ in points)
            look = arms.look(arm)
            series(ax, points, look, f"{look.label}: spread {spread:.2f} over {len(points)} cells")
        top = max(ratio.value for pairs in curves_of.values() for _, ratio in pairs if ratio.value is not None)
        names: dict[int, list[str]] = {}
        for mine in rows.values():
            for row in mine:
                names.setdefault(row.blocks_reference, [])
                if row.cell not in names[row.blocks_reference]:
                    names[row.blocks_reference].append(row.cell)
        crowded = {at for at in names if any(at < other <= 1.2 * at for other in names)}
        log_axis(ax.xaxis, set(names) - crowded)
        for at, cells in names.items():
            ax.annotate(
                " / ".join(cells),
                (at, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 3),
                textcoords="offset points",
                rotation=35,
                fontsize=8,
                ha="right" if at in crowded else "left",
                va="bottom",
                color="#444444",
                annotation_clip=False,
                rotation_mode="default" if at in crowded else "anchor",
            )
        ax.set_ylim(0.9, top + 0.15)
        ax.set_xlabel("least work of the scene: blocks to build")
        ax.set_ylabel("allocate, time / the arm's least")
        legend(figure, [ax], 2)
        return figure

    return drawn(
        "cost_floor",
        "The cost floor: allocate in cells of as many points and different work, each arm divided by its own least.",
        draw,
    )


def device_axis(study: Study) -> Optional[Figure]:
    rows = study.rows(axis="sms", stage="allocate")
    if len({row.sms for row in rows}) < 2:
        return None
    sms = sorted({row.sms for row in rows})
    panels: list[tuple[str, list[tuple[arms.Look, list[Measurement]]]]] = []
    for cell in study.cells(rows):
        here = [row for row in rows if row.cell == cell and row.scratch_slots in (0, DEFAULT_SCRATCH_SLOTS)]
        panels.append(
            (f"{cell}", [(arms.look(arm), [row for row in here if row.arm == arm]) for arm in study.arms(here)])
        )
    lanes = [row for row in rows if row.arm == "triton_8" and row.cell == "base"]
    slots = sorted({row.scratch_slots for row in lanes})
    if len(slots) > 1:
        shades = matplotlib.colormaps["cividis"]
        panels.append(
            (
                "base, Triton by scratch slots",
                [
                    (
                        arms.Look(
                            f"{plain_number(size)} slots", matplotlib.colors.to_hex(shades(place / len(slots))), marker
                        ),
                        [row for row in lanes if row.scratch_slots == size],
                    )
                    for place, (size, marker) in enumerate(zip(slots, "os^vDPX*h"))
                ],
            )
        )

    def draw() -> Canvas:
        figure, axes = canvas(len(panels), width=3.6 * len(panels), height=4.2)
        for ax, (title, lines) in zip(axes, panels):
            for look, mine in lines:
                points = sorted((row.sms, row.p50_ms, status(row)) for row in {r.sms: r for r in mine}.values())
                series(ax, points, look)
                if points:
                    first = points[0]
                    ax.plot(
                        [first[0], sms[-1]],
                        [first[1], first[1] * first[0] / sms[-1]],
                        color=look.color,
                        linewidth=0.6,
                        linestyle=(0, (1, 3)),
                    )
            log_axis(ax.xaxis, [n for n in sms if not any(other < n <= 1.1 * other for other in sms)], 2.0)
            ax.tick_params(axis="x", labelrotation=45)
            readable_log(ax)
            ax.set_title(title)
            ax.set_xlabel("SMs")
            ax.set_ylabel("allocate, ms")
            ax.legend(
                loc="upper left",
                bbox_to_anchor=(-0.1, -0.18),
                ncols=2,
                fontsize=8.0,
                handlelength=1.6,
                columnspacing=1.0,
            )
        return figure

    return drawn(
        "device",
        "The device axis: allocate confined to some of the SMs. Dotted: time that falls as SMs are "
        "added, from the fewest on.",
        draw,
    )


def tile_axis(study: Study) -> Optional[Figure]:
    rows = [row for row in study.rows(axis="tile") if row.tile > 0]
    if len({row.tile for row in rows}) < 2 or study.withheld:
        return None
    tiles = sorted({row.tile for row in rows})

    def draw() -> Canvas:
        figure, axes = canvas(3, width=10.4, height=3.3)
        for cell in study.cells(rows):
            look = arms.Look(cell, CELL_COLORS.get(cell, "#777777"), "o")
            for ax, stage in ((axes[0], None), (axes[1], "allocate"), (axes[2], "update")):
                mine = sorted(
                    (row for row in rows if row.cell == cell and row.stage == (stage or "allocate")),
                    key=lambda row: row.tile,
                )
                ratios = [
                    (
                        row.tile,
                        (
                            study.compare(row, row, quantity="tile_steps", reference_quantity="lane_steps")
                            if stage is None
                            else study.ratio(row)
                        ),
                    )
                    for row in mine
                ]
                series(ax, [(at, ratio.value, COMPARABLE) for at, ratio in ratios if ratio.value is not None], look)
        for ax, title in zip(axes, ("probe steps, counted", "time of allocate", "time of update")):
            ax.set_title(title)
            unity(ax)
            log_axis(ax.xaxis, tiles, 2.0)
            ax.set_xlabel("lanes of a tile")
        axes[0].set_ylabel("to the deepest lane / per lane")
        axes[1].set_ylabel("time / time of CUDA C++")
        legend(figure, axes, 3)
        return figure

    return drawn(
        "tile",
        "The tile axis: what it costs that every lane of a tile waits for its deepest, in counted probe "
        "steps and in time.",
        draw,
    )


def factorial(study: Study) -> Optional[Figure]:
    rows = study.rows(axis="factorial", stage="allocate")
    bounds = sorted({row.max_probe for row in rows if row.max_probe > 0})
    if not bounds:
        return None
    forms = (
        ("early_exit_{}_masked", arms.Look("early exit, masked", "#009E73", ">", ":")),
        ("early_exit_{}_unmasked", arms.Look("early exit, unmasked", "#E69F00", "d", "--")),
        ("lockstep_{}_masked", arms.Look("no early exit, masked", "#56B4E9", "s", "-.")),
        ("triton_{}", arms.Look("no early exit, unmasked (Triton)", "#0072B2", "h", "-")),
    )
    slots = sorted({row.scratch_slots for row in rows if row.scratch_slots > 0})

    def draw() -> Canvas:
        figure, axes = canvas(len(bounds), width=10.4, height=3.2)
        for ax, bound in zip(axes, bounds):
            for name, look in forms:
                mine = {row.scratch_slots: row for row in rows if row.arm == name.format(bound)}
                if set(mine) == {0}:  # has no region: the same at each size of it
                    row, ends = mine[0], sorted({slots[0], slots[-1]}) if slots else [1]
                    series(ax, [(size, row.p50_ms, status(row)) for size in ends], look)
                else:
                    series(ax, sorted((size, row.p50_ms, status(row)) for size, row in mine.items()), look)
            ax.set_title(f"bound {bound}")
            ax.set_xlabel("scratch slots")
            log_axis(ax.xaxis, slots or [1], 2.0)
            ax.tick_params(axis="x", labelrotation=60)
        times = [row.p50_ms for row in rows]
        for ax in axes:  # one scale for all panels
            ax.set_ylim(min(times) / 1.4, max(times) * 1.4)
            readable_log(ax)
        axes[0].set_ylabel(f"allocate, {time_unit(study)}")
        legend(figure, axes, 4, marks=any(row.is_lossy for row in rows))
        return figure

    return drawn(
        "factorial",
        "The factorial: early exit or none, masked or unmasked exchange, by bound and size of the "
        "scratch region. The masked forms use no region.",
        draw,
    )


def counters(study: Study, paper: Paper) -> Optional[Figure]:
    table = study.run.counters
    panels = (
        ("l1_hit_percent", "L1 hit rate, %", 1.0),
        ("l2_sectors", "L2 sectors, thousands", 1e-3),
        ("long_scoreboard", "long-scoreboard stall", 1.0),
        ("duration_us", "duration, us", 1.0),
    )
    if table is None or table.empty:
        return None
    shown = [panel for panel in panels if panel[0] in table.columns and table[panel[0]].notna().any()]
    if not shown:
        return None
    names = list(table.index)[::-1]
    published = (("counters", "sm_120", "the paper, sm_120", "o"), ("counters_h200", "H200", "its kernels, H200", "D"))

    def draw() -> Canvas:
        figure, axes = canvas(len(shown), width=2.7 * len(shown) + 1.4, height=1.1 + 0.34 * len(names))
        for ax, (name, title, scale) in zip(axes, shown):
            values = table[name][table[name] > 0.0]
            wide = not values.empty and values.max() > 20.0 * values.min()
            for place, arm in enumerate(names):
                look = arms.look(arm)
                if wide:  # a bar has to begin at 0
                    ax.plot(
                        [table[name][arm] * scale],
                        [place],
                        marker=look.marker,
                        color=look.color,
                        linestyle="none",
                        markersize=8,
                    )
                else:
                    ax.barh(place, table[name][arm] * scale, height=0.62, color=look.color, alpha=0.8)
                for source, device, label, marker in published if name != "duration_us" else ():
                    value = paper.get(source, name, device=device, arm=arm)
                    if value is not None:
                        ax.plot(
                            [value * scale],
                            [place],
                            marker=marker,
                            markerfacecolor="white",
                            linestyle="none",
                            markeredgecolor="#222222",
                            label=label,
                        )
            if wide:
                log_axis(ax.xaxis)
            ax.set_title(title)
            ax.set_yticks(range(len(names)), [arms.look(arm).label for arm in names])
            ax.set_ylim(-0.6, len(names) - 0.4)
            ax.grid(axis="y", visible=wide)
        for ax in axes[1:]:
            ax.set_yticklabels([])
        legend(figure, axes, 2)
        return figure

    return drawn(
        "counters",
        "Hardware counters of one cold allocate at `base`. Marks: the paper's card, and the paper's "
        "kernels on an H200.",
        draw,
    )
