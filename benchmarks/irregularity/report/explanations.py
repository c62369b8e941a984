"""Two sections of their own: the residual under both disciplines, and the emulation beside the real Triton."""

from __future__ import annotations

import dataclasses
from typing import Optional

from . import analysis, claims
from .cells import code, present
from .comparison import Ratio, format_ratio
from .document import (
    Cell,
    Paragraph,
    Section,
    Table,
    count,
    ms,
    percent,
    ratio_cell,
    table,
)
from .paper import Paper
from .reading import STAGES
from .study import DEFAULT_SCRATCH_SLOTS, REFERENCE_ARM, Study

# How near the emulation was meant to come to the paper's own kernel.
AIMS = (("allocate", DEFAULT_SCRATCH_SLOTS, 0.25), ("allocate", 256, 0.35), ("update", None, 0.15))


def residual(study: Study, paper: Paper) -> Optional[Section]:
    rows = study.rows(axis="discipline")
    if not rows:
        return None
    names = [arm for arm in study.arms(rows) if arm != REFERENCE_ARM]
    own, mixed = [], []
    for cell in study.cells(rows):
        for stage in STAGES:
            for arm in names:
                found = analysis.residual(study, arm, cell, stage)
                own.append(
                    [
                        code(cell),
                        stage,
                        code(arm),
                        ms(found.one_stream_ms),
                        ratio_cell(found.one_stream),
                        ms(found.stream_per_volume_ms),
                        ratio_cell(found.stream_per_volume),
                    ]
                )
                if arm in ("rust_plain", "rust_atomic"):
                    mixed.append(
                        [
                            code(cell),
                            stage,
                            code(arm),
                            found.one_stream.number,
                            found.stream_per_volume.number,
                            Cell(found.mixed.text, "refused"),
                        ]
                    )
    unexplained = paper.need("text", "residual", arm="rust_plain")
    base = analysis.residual(study, "rust_plain")
    blocks = present(
        Paragraph(
            f"After its fix the paper's Rust remains {unexplained:.2f} times as slow as CUDA C++, for no reason that it"
            " could find. Its CUDA C++ arm gave every volume of a timed window a stream of its own, so that launches"
            " overlap; its other arms shared one stream. Here every arm is measured under both disciplines, and"
            " divided by the reference under the same one."
        ),
        table(
            "Both disciplines: milliseconds, and the ratio to `cuda_cpp` under the same discipline.",
            ["cell", "stage", "arm", "one stream, ms", "ratio", "a stream per volume, ms", "ratio"],
            own,
            keys=3,
        ),
        (
            table(
                "NOT A COMPARABLE PAIR: the arm on one stream over the reference with a stream per volume, the quotient"
                " that mixed disciplines give. For explanation only; beside it both ratios that are comparable.",
                [
                    "cell",
                    "stage",
                    "arm",
                    "ratio, one stream",
                    "ratio, a stream per volume",
                    "mixed quotient (not comparable)",
                ],
                mixed,
                keys=3,
            )
            if mixed
            else None
        ),
        h200_residual(paper),
    )
    if base.mixed.value is not None:
        blocks.append(
            Paragraph(
                f"At `base` the plain-load form is at {base.one_stream.number} on one stream and "
                f"{base.stream_per_volume.number} with a stream per volume; the mixed quotient is "
                f"{base.mixed.number}. By the rule of the claim: {claims.residual_verdict(base)}."
            )
        )
    return Section("residual", "The residual", blocks)


def h200_residual(paper: Paper) -> Optional[Table]:
    """The paper's own kernels, measured on an H200 under both disciplines."""
    reference, overlapped = (paper.h200_ms(REFERENCE_ARM, discipline=d) for d in ("one_stream", "stream_per_volume"))
    lines = []
    for arm in ("rust_plain", "rust_atomic"):
        alone = paper.h200_ms(arm)
        if alone is not None and reference is not None and overlapped is not None:
            lines.append(
                [
                    code(arm),
                    ms(alone),
                    ms(reference),
                    ms(overlapped),
                    format_ratio(alone / reference),
                    Cell(format_ratio(alone / overlapped), "refused"),
                ]
            )
    return (
        table(
            "The paper's own kernels on an H200, allocate at `base`: the same quotients.",
            [
                "arm",
                "one stream, ms",
                "`cuda_cpp`, one stream, ms",
                "`cuda_cpp`, a stream per volume, ms",
                "ratio, one stream",
                "mixed quotient (not comparable)",
            ],
            lines,
        )
        if lines
        else None
    )


def difference(ratio: Ratio) -> Cell:
    """A ratio as a percentage of difference."""
    if ratio.value is None:
        return ratio_cell(ratio)
    spread = (
        "spread not recorded" if ratio.spread is None else f"{ratio.spread:.2f}{'' if ratio.steady else ', unsteady'}"
    )
    return Cell(f"{percent(100.0 * (ratio.value - 1.0))} ({spread})", "" if ratio.steady else "unsteady")


def real_beside_emulated(study: Study, paper: Paper) -> Optional[Section]:
    real = analysis.real_triton(study)
    lines, without = [], 0
    for entry in real:
        ours = analysis.emulated(study, entry.row.cell, entry.row.stage, entry.row.scratch_slots)
        if ours is None:
            without += 1
            continue
        lines.append(
            [
                code(entry.row.cell),
                entry.row.stage,
                count(entry.row.scratch_slots),
                entry.order,
                ms(ours.p50_ms),
                ms(entry.row.p50_ms),
                difference(study.compare(ours, entry.row, ("axis",))),
            ]
        )
    published = paper_kernel(study, paper)
    if not lines and published is None:
        return None
    return Section(
        "triton",
        "Emulated and real Triton",
        present(
            Paragraph(
                "The arm `triton_8` reproduces in CUDA C++ what a compiler for Triton makes of the kernel. Beside it"
                " stands a Triton kernel over the same memory layout, under the same discipline. The emulated update is"
                " relaxed; the real one is measured with both memory orders of its atomics."
            ),
            (
                table(
                    "Emulated and real: the difference is that of the emulation from the real kernel, in brackets the"
                    " larger spread.",
                    [
                        "cell",
                        "stage",
                        "scratch slots",
                        "order of the real one",
                        "emulated, ms",
                        "real, ms",
                        "difference",
                    ],
                    lines,
                    keys=2,
                )
                if lines
                else None
            ),
            (
                Paragraph(f"{without} rows of triton.csv have no emulated row of the same cell and scratch size.")
                if without
                else None
            ),
            published,
        ),
    )


def paper_kernel(study: Study, paper: Paper) -> Optional[Table]:
    """The emulation beside the paper's own Triton kernel on an H200; on another device the two are not comparable."""
    same_device = "H200" in study.environment.device_name if study.environment else False
    lines = []
    for stage, slots, aim in AIMS:
        theirs = paper.h200_ms("triton_8", stage, scratch_slots=slots)
        ours = analysis.emulated(study, "base", stage, slots or DEFAULT_SCRATCH_SLOTS)
        if theirs is None or ours is None:
            continue
        published = dataclasses.replace(
            ours,
            axis="published",
            comparable="yes",
            p50_ms=theirs,
            spread=float("nan"),
            discipline="one_stream",
            device="",
            configuration=-1,
        )
        ratio = (
            study.compare(ours, published, ("axis",))
            if same_device
            else Ratio("refused", "no: not measured on an H200")
        )
        within = "" if ratio.value is None else ("within" if abs(ratio.value - 1.0) <= aim else "outside")
        lines.append(
            [
                stage,
                count(slots) if slots else "any",
                ms(ours.p50_ms),
                ms(theirs),
                difference(ratio),
                f"{aim:.0%}",
                Cell(within, {"within": "good", "outside": "bad"}.get(within, "refused")),
            ]
        )
    return (
        table(
            "Emulated, beside the paper's own Triton kernel on an H200, at `base`.",
            ["stage", "scratch slots", "emulated, ms", "the paper's kernel, ms", "difference", "aim", ""],
            lines,
        )
        if lines
        else None
    )
