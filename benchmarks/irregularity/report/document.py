"""What a report is made of, independent of its format.

Prose is plain text in which `backquotes` mark names; nothing else is markup.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence
from typing import Optional, Union

from .comparison import LOSSY, RATIO, Ratio

# How far from 1 a ratio has to be before its cell is coloured.
NEUTRAL = 0.05


@dataclasses.dataclass(frozen=True)
class Cell:
    """A cell of a table. `tone` is one of fast, slow, slower, lossy, refused, unsteady, good, bad, new, or empty."""

    text: str
    tone: str = ""
    detail: str = ""  # a second line


@dataclasses.dataclass(frozen=True)
class Paragraph:
    text: str
    kind: str = "paragraph"


@dataclasses.dataclass(frozen=True)
class Notice:
    """A paragraph that must not be overlooked."""

    text: str
    kind: str = "notice"


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows of cells; the first `keys` columns name the row, the others are numbers unless `prose` is set."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    keys: int = 1
    prose: bool = False
    kind: str = "table"


@dataclasses.dataclass(frozen=True)
class Figure:
    """A drawing as SVG. `stem` names its file."""

    stem: str
    caption: str
    svg: bytes
    kind: str = "figure"


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture of the run's folder."""

    path: pathlib.PurePosixPath  # relative to the folder
    caption: str
    content: bytes
    kind: str = "picture"


Block = Union[Paragraph, Notice, Table, Figure, Picture]


@dataclasses.dataclass(frozen=True)
class Section:
    name: str  # of its anchor
    title: str
    blocks: Sequence[Block]


def table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[Union[Cell, str]]], keys: int = 1, prose: bool = False
) -> Table:
    """A table whose cells may be given as text."""
    return Table(caption, header, [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in rows], keys, prose)


def tone(ratio: Ratio) -> str:
    """Only a ratio that is one is coloured as fast or slow."""
    if ratio.status == LOSSY:
        return "lossy"
    if ratio.status != RATIO or ratio.value is None:
        return "refused"
    if not ratio.steady:
        return "unsteady"
    if ratio.value < 1.0 - NEUTRAL:
        return "fast"
    if ratio.value > 2.0:
        return "slower"
    return "slow" if ratio.value > 1.0 + NEUTRAL else ""


def ratio_cell(ratio: Ratio) -> Cell:
    return Cell(ratio.text, tone(ratio))


def ms(value: Optional[float]) -> str:
    """Milliseconds, four significant digits."""
    if value is None:
        return ""
    if value >= 100.0:
        return f"{value:,.1f}"
    if value >= 10.0:
        return f"{value:.2f}"
    return f"{value:.3f}" if value >= 1.0 else f"{value:.4f}"


def count(value: float) -> str:
    return f"{int(value):,}"


def percent(value: float) -> str:
    return f"{value:+.1f} %"
