"""The section of what lossy arms lost, with pictures."""

from __future__ import annotations

import pathlib
from typing import Optional

from .cells import code
from .document import (
    Block,
    Notice,
    Paragraph,
    Picture,
    Section,
    count,
    table,
)
from .reading import Loss
from .study import Study


def read_picture(folder: pathlib.Path, name: str) -> Optional[bytes]:
    """A picture inside of the run's folder; None where it is not there or lies elsewhere."""
    path = folder / name
    inside = folder.resolve() in path.resolve().parents
    return path.read_bytes() if name and inside and path.is_file() and path.suffix == ".png" else None


def losses_of_rows(study: Study) -> tuple[Loss, ...]:
    """What losses.csv would say, as far as sweep.csv does."""
    return tuple(
        Loss(
            row.cell,
            row.axis,
            row.arm,
            row.scratch_slots,
            study.swept_load(row),
            row.blocks_reference,
            row.blocks_lost,
            None,
            row.dropped,
        )
        for row in study.rows(stage="allocate", axis=("cell", "load_factor", "frames", "bound"))
        if row.dropped > 0
    )


def losses(study: Study) -> Optional[Section]:
    listed = study.run.losses
    found = losses_of_rows(study) if listed is None else listed
    if not found:
        return None
    shown = [loss for loss in found if loss.axis in ("cell", "load_factor", "frames", "bound")]
    lines = [
        [
            code(loss.axis),
            code(loss.cell),
            code(loss.arm),
            f"{loss.load_factor:.3f}",
            count(loss.samples_lost),
            f"{count(loss.blocks_lost)} of {count(loss.blocks_reference)}",
            "not recorded" if loss.blocks_touched is None else count(loss.blocks_touched),
        ]
        for loss in shown
    ]
    blocks: list[Block] = [
        Paragraph(
            "What every arm lost, where it lost anything: samples that found no place, blocks that are not there at"
            " all, and blocks that are there but lack samples."
            + ("" if listed is not None else " (There is no losses.csv; from sweep.csv.)")
        )
    ]
    if len(shown) < len(found):
        blocks.append(Paragraph(f"{count(len(found) - len(shown))} more losses, on other axes, are in losses.csv."))
    blocks.append(
        table(
            "Losses by arm.",
            ["axis", "cell", "arm", "load factor", "samples lost", "blocks lost", "blocks that lack samples"],
            lines,
            keys=3,
        )
    )
    pictured = {loss.picture: loss for loss in reversed(found) if loss.picture}
    absent = 0
    for name, loss in reversed(pictured.items()):
        content = read_picture(study.run.folder, name)
        if content is None:
            absent += 1
            continue
        blocks.append(
            Picture(
                pathlib.PurePosixPath(name),
                f"`{loss.arm}` in `{loss.cell}` at load factor "
                f"{loss.load_factor:.3f}: {count(loss.blocks_lost)} blocks lost (red)"
                + (
                    f", {count(loss.blocks_touched)} that lack samples (orange)."
                    if loss.blocks_touched is not None
                    else "."
                ),
                content,
            )
        )
    if absent:
        blocks.append(Notice(f"{absent} pictures that losses.csv names are not in the folder."))
    return Section("losses", "Losses", blocks)
