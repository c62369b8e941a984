"""Rows by what was measured, each with its reference."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any, Optional

from . import comparison
from .comparison import Ratio
from .reading import Measurement, Run

REFERENCE_ARM = "cuda_cpp"
# The region that triton arms use where the axis is not about it.
DEFAULT_SCRATCH_SLOTS = 65536

ALL_CELLS = (
    "base",
    "pts-20k",
    "pts-80k",
    "pts-720k",
    "pts-1280k",
    "r-0.25",
    "r-1.0",
    "r-2.0",
    "plane-320k",
    "lf-sparse",
    "lf-lo",
    "lf-mid",
    "lf-hi",
)
LANGUAGE_ARMS = (
    REFERENCE_ARM,
    "rust_plain",
    "rust_atomic",
    "rust_volatile",
    "slot_index",
    "tile_uniform",
    "bounded_8",
    "triton_8",
    "triton_32",
    "triton_shared_8",
)
BOUNDS = (4, 8, 16, 32)

# What a complete sweep has on each axis: cells (None: named by the run), arms beside the reference.
AXES: dict[str, tuple[Optional[tuple[str, ...]], tuple[str, ...]]] = {
    "cell": (ALL_CELLS, LANGUAGE_ARMS),
    "frames": (("frame8-cold", "frame8-warm"), LANGUAGE_ARMS),
    "load_factor": (None, LANGUAGE_ARMS + ("bounded_32", "triton_16")),
    "bound": (("base", "lf-mid", "lf-hi"), tuple(f"{kind}_{n}" for kind in ("bounded", "triton") for n in BOUNDS)),
    "scratch": (("base",), ("triton_8", "triton_32")),
    "factorial": (
        ("base",),
        tuple(
            name.format(n)
            for n in BOUNDS
            for name in ("early_exit_{}_masked", "early_exit_{}_unmasked", "lockstep_{}_masked", "triton_{}")
        ),
    ),
    "sms": (("base", "pts-1280k"), ("rust_atomic", "slot_index", "triton_8")),
    "tile": (("base", "r-2.0", "lf-hi"), ("tile_32", "tile_64", "tile_128", "tile_uniform", "tile_512", "tile_1024")),
    "discipline": (
        ("base", "pts-1280k", "r-2.0"),
        ("rust_plain", "rust_atomic", "rust_volatile", "slot_index", "triton_8"),
    ),
}


class Study:
    """The rows of one space of a run: the device's where there are any, else the host's."""

    def __init__(self, run: Run):
        self.run = run
        self.environment = run.environment
        self.space = "device" if any(row.space == "device" for row in run.rows) else "host"
        here = [row for row in run.rows if row.space == self.space]
        swept = [row.discipline for row in here if row.axis != "discipline"]
        self.discipline = "one_stream" if not swept or "one_stream" in swept else swept[0]
        self._rows = [row for row in here if row.axis == "discipline" or row.discipline == self.discipline]
        self._references = {
            (row.configuration, row.stage): row for row in reversed(self._rows) if row.arm == REFERENCE_ARM
        }

    @property
    def on_device(self) -> bool:
        return self.space == "device"

    @property
    def withheld(self) -> Optional[str]:
        """Why there is no ratio in this report at all; None where there are ratios."""
        return comparison.withheld_because(self.environment)

    @property
    def left_out(self) -> int:
        """Rows of the other space, or of another discipline outside of its axis."""
        return len(self.run.rows) - len(self._rows)

    def rows(self, **criteria: Any) -> list[Measurement]:
        """Rows whose columns have these values, or one of these values, in the order of the file."""

        def matches(row: Measurement) -> bool:
            return all(
                (
                    getattr(row, name) in value
                    if isinstance(value, (tuple, list, set, frozenset))
                    else getattr(row, name) == value
                )
                for name, value in criteria.items()
            )

        return [row for row in self._rows if matches(row)]

    def one(self, **criteria: Any) -> Optional[Measurement]:
        """The first such row."""
        return next(iter(self.rows(**criteria)), None)

    def reference(self, row: Measurement) -> Optional[Measurement]:
        """The reference arm's row that was measured together with this one."""
        return self._references.get((row.configuration, row.stage))

    def ratio(self, row: Optional[Measurement]) -> Ratio:
        """To the reference arm of the same configuration."""
        return comparison.compare(row, self.reference(row) if row else None, self.environment)

    def compare(
        self,
        numerator: Optional[Measurement],
        reference: Optional[Measurement],
        differing: Collection[str] = (),
        **quantities: str,
    ) -> Ratio:
        return comparison.compare(numerator, reference, self.environment, differing, **quantities)

    def swept_load(self, row: Measurement) -> float:
        """The load factor of a configuration: its reference's, as a lossy arm fills its own table less."""
        reference = self.reference(row)
        return (reference or row).load_factor

    def arms(self, rows: Iterable[Measurement]) -> list[str]:
        """Names of arms in order: the reference, then as AXES lists them, then as they come."""
        found = list(dict.fromkeys(row.arm for row in rows))
        known = {
            name: place
            for place, name in enumerate(
                dict.fromkeys(name for _, arms in AXES.values() for name in (REFERENCE_ARM,) + arms)
            )
        }
        return sorted(found, key=lambda name: known.get(name, len(known)))

    def cells(self, rows: Iterable[Measurement]) -> list[str]:
        """Names of cells, the known ones in their usual order."""
        found = list(dict.fromkeys(row.cell for row in rows))
        return sorted(found, key=lambda name: ALL_CELLS.index(name) if name in ALL_CELLS else len(ALL_CELLS))

    def gaps(self) -> list[str]:
        """What a complete sweep would have beside what is here, one sentence for each axis."""
        sentences = []
        for axis, (cells, arms) in AXES.items():
            rows = self.rows(axis=axis)
            if not rows:
                continue
            lacking = [f"`{name}`" for name in cells or () if not any(row.cell == name for row in rows)]
            lacking += [
                f"`{name}`"
                for name in (REFERENCE_ARM,) + tuple(arms[1:] if arms[0] == REFERENCE_ARM else arms)
                if not any(row.arm == name for row in rows)
            ]
            if lacking:
                sentences.append(f"The axis `{axis}` lacks {', '.join(lacking)}.")
        return sentences


def share_in_order(values: list[float], rising: bool) -> float:
    """Of all pairs of values, the share that comes in rising (or falling) order; NaN for fewer than two values."""
    pairs = [(a, b) for i, a in enumerate(values) for b in values[i + 1 :]]
    if not pairs:
        return math.nan
    return sum((a < b) if rising else (a > b) for a, b in pairs) / len(pairs)
