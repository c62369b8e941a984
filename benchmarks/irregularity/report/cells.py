"""Cells and tables that several sections share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from .comparison import STEADY_SPREAD
from .document import Block, Cell, Table, ms, ratio_cell, table
from .reading import Measurement
from .study import REFERENCE_ARM, Study

EMPTY = Cell("", "refused")
RATIO_NOTE = (
    "Beneath the milliseconds: the ratio to `cuda_cpp` of the same configuration and, in brackets, the larger of "
    f"both sides' spreads between passes; above {STEADY_SPREAD} the ratio is marked as unsteady."
)


def present(*blocks: Optional[Block]) -> list[Block]:
    return [block for block in blocks if block is not None]


def code(name: str) -> str:
    return f"`{name}`"


def measured(study: Study, row: Optional[Measurement]) -> Cell:
    """A row's milliseconds, and beneath them its ratio or what stands in its place."""
    if row is None:
        return EMPTY
    if row.arm == REFERENCE_ARM:
        detail = f"({row.spread:.2f})" if row.is_comparable else row.comparable
        return Cell(ms(row.p50_ms), "" if row.is_comparable else "refused", detail)
    cell = ratio_cell(study.ratio(row))
    return Cell(ms(row.p50_ms), cell.tone, cell.text)


def matrix(study: Study, rows: Sequence[Measurement], stage: str, caption: str) -> Optional[Table]:
    """Arms against cells."""
    mine = [row for row in rows if row.stage == stage]
    if not mine:
        return None
    names = study.arms(mine)
    cells = study.cells(mine)
    found = {(row.cell, row.arm): row for row in reversed(mine)}
    return table(
        caption,
        ["cell", *map(code, names)],
        [[code(cell), *(measured(study, found.get((cell, arm))) for arm in names)] for cell in cells],
    )
