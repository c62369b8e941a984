"""The sections of the claims and of the open questions."""

from __future__ import annotations

from collections.abc import Iterable

from . import analysis, claims
from .cells import code
from .document import (
    Block,
    Cell,
    Paragraph,
    Section,
    ratio_cell,
    table,
)
from .paper import CARDS, Paper
from .reading import STAGES
from .study import Study

VERDICT_TONES = {
    claims.REPRODUCED: "good",
    claims.NOT_REPRODUCED: "bad",
    claims.NEW: "new",
    claims.NOT_MEASURED: "refused",
}


def claims_table(study: Study, paper: Paper) -> Section:
    lines = []
    for claim in claims.CLAIMS:
        found = claim.finding(study, paper)
        lines.append(
            [claim.statement, found.paper, found.ours, Cell(found.verdict, VERDICT_TONES[found.verdict]), claim.rule]
        )
    return Section(
        "claims",
        "The paper's claims",
        [
            Paragraph(
                "Each claim with the paper's numbers (both of its cards where it has two), those of this run, and the"
                " rule by which the verdict was reached. `new` marks what the paper does not measure."
            ),
            table("", ["claim", "the paper", "here", "verdict", "rule"], lines, prose=True),
        ],
    )


def architecture(study: Study, paper: Paper) -> Iterable[Block]:
    for stage in STAGES:
        lines = []
        per_arm = {
            arm: analysis.architecture_quotients(study, paper, arm, stage) for arm in ("rust_atomic", "triton_8")
        }
        cells = [cell for cell, _, _ in per_arm["triton_8"]]
        for place, cell in enumerate(cells):
            line: list = [code(cell)]
            for rows in per_arm.values():
                _, theirs, ratio = rows[place]
                line += [claims.listed(theirs), ratio_cell(ratio)]
            lines.append(line)
        if any(ratio.value is not None for rows in per_arm.values() for _, _, ratio in rows):
            yield table(
                f"{stage.capitalize()}: ratio to CUDA C++ on the paper's cards ({' / '.join(CARDS)}) and here.",
                ["cell", *(text for arm in per_arm for text in (f"`{arm}`, the paper", f"`{arm}`, here"))],
                lines,
            )
            medians = [(arm, analysis.median_quotient(rows)) for arm, rows in per_arm.items()]
            yield Paragraph(
                f"Over these cells the ratio of {stage} here is, in the median, "
                + ", ".join(f"{value:.2f} times the mean of the paper's for `{arm}`" for arm, value in medians if value)
                + "."
            )


def open_questions(study: Study, paper: Paper) -> Section:
    lines = []
    for name, question in (
        ("load-factor", "Does Triton's ratio fall as the table fills?"),
        ("residual", "Where does the residual come from?"),
        ("tile-time", "What does the tile floor cost in time?"),
        ("second-device", "Do the ratios hold on a second architecture?"),
    ):
        found = next(claim for claim in claims.CLAIMS if claim.name == name).finding(study, paper)
        lines.append([question, found.paper, found.ours, Cell(found.verdict, VERDICT_TONES[found.verdict])])
    return Section(
        "open",
        "Open questions",
        [
            Paragraph("What the paper leaves open, with what this run has to say."),
            table("", ["question", "the paper", "here", ""], lines, prose=True),
            *architecture(study, paper),
        ],
    )
