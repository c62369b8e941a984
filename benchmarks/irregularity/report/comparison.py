"""The one rule by which one row may be divided by another."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Optional

from .reading import Environment, Measurement

# Largest over smallest median of a row's passes, above which a ratio with the row is marked as unsteady.
STEADY_SPREAD = 1.05

# What two rows share, unless the comparison is about it.
IDENTITY = ("axis", "cell", "stage", "space", "discipline", "sms", "device")

RATIO, LOSSY, REFUSED, WITHHELD = "ratio", "lossy", "refused", "withheld"


@dataclasses.dataclass(frozen=True)
class Ratio:
    """A quotient of two rows, or why there is none."""

    status: str
    reason: str = ""
    value: Optional[float] = None
    spread: Optional[float] = None  # the larger one of both sides; None: a quotient of counts, or not recorded

    @property
    def steady(self) -> bool:
        return self.spread is None or self.spread <= STEADY_SPREAD

    @property
    def number(self) -> str:
        """The bare number, marked where unsteady; else what stands in its place."""
        if self.value is None:
            return self.reason
        return format_ratio(self.value) + ("" if self.steady else " unsteady")

    @property
    def text(self) -> str:
        """The number with the spread behind it, as in `1.68 (1.03)`; else what stands in its place."""
        if self.value is None or self.spread is None:
            return self.number
        return f"{format_ratio(self.value)} ({self.spread:.2f}{'' if self.steady else ', unsteady'})"


def format_ratio(value: float) -> str:
    return f"{value:.2f}" if value < 100.0 else f"{value:.0f}"


def withheld_because(environment: Optional[Environment]) -> Optional[str]:
    """Why this run may give no ratio at all; None where it may."""
    others = environment.other_processes if environment else None
    if others is None or others <= 0:
        return None
    return f"{others} other process{'es' if others > 1 else ''} used the device"


def compare(
    numerator: Optional[Measurement],
    reference: Optional[Measurement],
    environment: Optional[Environment],
    differing: Collection[str] = (),
    quantity: str = "p50_ms",
    reference_quantity: Optional[str] = None,
) -> Ratio:
    """Divides one row's time (or another quantity) by another's, where the two are comparable.

    They are where nobody else used the device, both rows passed every check, and both belong to one configuration. A
    comparison across configurations names in `differing` the columns of IDENTITY that it is about (`sms` for scaling,
    `cell` for a spread over cells); all the others have to agree.
    """
    withheld = withheld_because(environment)
    if withheld:
        return Ratio(WITHHELD, "withheld")
    if numerator is None or reference is None:
        return Ratio(REFUSED, "no row" if numerator is None else "no reference row")
    for row in (numerator, reference):
        if row.is_lossy:
            return Ratio(LOSSY, f"lossy (lost {row.samples_lost})")
        if not row.is_comparable:
            return Ratio(REFUSED, row.comparable)
    for column in IDENTITY:
        ours, theirs = getattr(numerator, column), getattr(reference, column)
        unknown = column == "device" and "" in (ours, theirs)
        if column not in differing and ours != theirs and not unknown:
            return Ratio(REFUSED, f"no: another {column}")
    if not differing and numerator.configuration != reference.configuration:
        return Ratio(REFUSED, "no: another configuration")
    above = getattr(numerator, quantity)
    below = getattr(reference, reference_quantity or quantity)
    if below <= 0:
        return Ratio(REFUSED, f"no: {reference_quantity or quantity} is 0")
    spread = None
    if quantity == "p50_ms":
        known = [row.spread for row in (numerator, reference) if row.spread == row.spread]  # NaN: not recorded
        spread = max(known) if known else None
    return Ratio(RATIO, value=above / below, spread=spread)
