"""The report, section by section."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Optional

from . import explanations, loss_section, measurements, opening, verdicts
from .document import Section
from .paper import Paper
from .study import Study


def all_sections(study: Study, paper: Paper) -> list[Section]:
    """The report. The first section says what the others lack."""
    optional: tuple[tuple[str, Callable[[], Optional[Section]]], ...] = (
        ("stages by cell (axis `cell`)", lambda: measurements.stages(study)),
        ("points and extent (axis `cell`)", lambda: measurements.axis_cells(study)),
        ("cost floor (axis `cell`)", lambda: measurements.cost_floor(study)),
        ("load factor (axis `load_factor`)", lambda: measurements.load_factor(study, paper)),
        ("probe bound (axis `bound`)", lambda: measurements.bound(study)),
        ("losses (losses.csv, or lossy rows)", lambda: loss_section.losses(study)),
        ("scratch region (axis `scratch`)", lambda: measurements.scratch(study)),
        ("factorial (axis `factorial`)", lambda: measurements.factorial(study)),
        ("device axis (axis `sms`)", lambda: measurements.device(study)),
        ("tile axis (axis `tile`)", lambda: measurements.tile(study)),
        ("real frames (axis `frames`)", lambda: measurements.frames(study, paper)),
        ("residual (axis `discipline`)", lambda: explanations.residual(study, paper)),
        ("emulated and real Triton (triton.csv)", lambda: explanations.real_beside_emulated(study, paper)),
        ("hardware counters (counters.csv)", lambda: measurements.counters(study, paper)),
    )
    built = [(title, build()) for title, build in optional]
    first = opening.head(study, paper)
    absent = [title for title, section in built if section is None]
    first = dataclasses.replace(first, blocks=[*first.blocks, *opening.missing(study, absent)])
    return [
        first,
        verdicts.claims_table(study, paper),
        verdicts.open_questions(study, paper),
        opening.what_is_compared(study),
        opening.refused_rows(study),
        *(section for _, section in built if section is not None),
    ]
