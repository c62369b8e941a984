#!/usr/bin/env python3
"""Plots how time grows with the scene: plot.py TABLE.csv OUT.svg

TABLE.csv is what `cutsdf_bench --table=TABLE.csv` wrote. Each of the two groups growth/frame (a frame's time against
the blocks in view) and growth/mesh (a mesh's against the blocks of the volume) is fitted with a line, time = fixed +
slope * blocks, on relative errors, so that small scenes count as much as large ones. The axes are logarithmic: a line
shows as a constant that turns into a slope of one.
"""

import argparse
import sys
from pathlib import Path

try:
    import matplotlib
    import numpy as np
    import pandas as pd
except ImportError as missing:
    sys.exit(f"plot.py: {missing}")

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

GROUPS = {"frame": "blocks in view", "mesh": "blocks"}


def growth(table: pd.DataFrame, group: str) -> pd.DataFrame:
    """The rows of a group that were measured, smallest scene first."""
    rows = table[table["name"].str.startswith(f"growth/{group}/") & table["median_ms"].notna()]
    return rows.sort_values("blocks")


def fit(rows: pd.DataFrame) -> tuple[float, float]:
    """Milliseconds for nothing, and for each block."""
    slope, fixed = np.polyfit(rows["blocks"], rows["median_ms"], 1, w=1.0 / rows["median_ms"])
    return float(fixed), float(slope)


def draw(axes: plt.Axes, rows: pd.DataFrame, group: str) -> str:
    """Draws one group; returns a line that says what was fitted and how well."""
    fixed, slope = fit(rows)
    at = np.geomspace(rows["blocks"].min(), rows["blocks"].max(), 200)
    spread = [rows["median_ms"] - rows["min_ms"], rows["max_ms"] - rows["median_ms"]]
    axes.errorbar(rows["blocks"], rows["median_ms"], yerr=spread, fmt="o", capsize=3, label="median, least, most")
    axes.plot(at, fixed + slope * at, label=f"{fixed * 1e3:.1f} us + {slope * 1e6:.2f} ns a block")
    axes.set(xscale="log", yscale="log", xlabel=GROUPS[group], ylabel="milliseconds", title=f"one {group}")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    off = (fixed + slope * rows["blocks"]) / rows["median_ms"] - 1.0
    return (f"{group}: {fixed * 1e3:.2f} us + {slope * 1e6:.3f} ns a block, {rows['blocks'].min():.0f} to "
            f"{rows['blocks'].max():.0f} blocks, at most {100 * off.abs().max():.0f} % off")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    try:
        table = pd.read_csv(arguments.table)
        groups = {group: growth(table, group) for group in GROUPS}
    except (OSError, KeyError, pd.errors.ParserError, pd.errors.EmptyDataError) as failure:
        print(f"plot.py: {arguments.table}: {failure}", file=sys.stderr)
        return 1
    drawn = {group: rows for group, rows in groups.items() if len(rows) >= 2}
    if not drawn:
        print(f"plot.py: {arguments.table}: no two scenes of growth/frame or growth/mesh", file=sys.stderr)
        return 1
    figure, axes = plt.subplots(1, len(drawn), figsize=(5.5 * len(drawn), 4.2), squeeze=False, layout="constrained")
    for panel, (group, rows) in zip(axes[0], drawn.items()):
        print(draw(panel, rows, group))
    figure.savefig(arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
