"""The first sections: the run, what it lacks, the rule of every ratio, and the rows that may not be compared."""

from __future__ import annotations

import collections
import statistics
from collections.abc import Sequence

from . import arms, claims
from .cells import code
from .document import (
    Block,
    Notice,
    Paragraph,
    Section,
    count,
    table,
)
from .paper import Paper
from .reading import STAGES
from .study import AXES, Study
from .verdicts import VERDICT_TONES


def head(study: Study, paper: Paper) -> Section:
    run, environment = study.run, study.environment
    facts: list[tuple[str, str]] = []
    if environment:
        device, host = environment.device or {}, environment.host or {}
        if device:
            facts.append(
                (
                    "device",
                    ", ".join(
                        filter(
                            None,
                            (
                                str(device.get("name") or ""),
                                f"{device['multiprocessors']} SMs" if "multiprocessors" in device else "",
                                (
                                    f"compute capability {device['compute_capability']}"
                                    if "compute_capability" in device
                                    else ""
                                ),
                                f"driver {device['driver']}" if "driver" in device else "",
                                f"runtime {device['runtime']}" if "runtime" in device else "",
                            ),
                        )
                    ),
                )
            )
            facts.append(("UUID", str(device.get("uuid") or "not recorded")))
        if host:
            facts.append(("host", f"{host.get('processor', 'unknown processor')}, {host.get('threads', '?')} threads"))
        facts += [
            (name, value)
            for name, value in (
                ("command", f"`{environment.command}`" if environment.command else None),
                ("cutsdf", environment.version),
                ("compiler", environment.compiler),
                ("started", environment.started),
                ("finished", environment.finished or "not finished: the run was cut short"),
            )
            if value
        ]
        others = environment.other_processes
        facts.append(("other processes on the device", "unknown" if others is None else str(others)))
    clocks = sorted(row.mhz for row in run.rows if row.mhz > 0)
    if clocks:
        facts.append(
            ("SM clock", f"{clocks[0]:,.0f} to {clocks[-1]:,.0f} MHz, median {statistics.median(clocks):,.0f}")
        )
    facts.append(("space", "the device" if study.on_device else "the host: all times are the CPU's"))
    facts.append(("streams", f"`{study.discipline}`, but for the axis `discipline`"))
    facts.append(
        ("rows", f"{count(len(run.rows))} in {count(len({row.configuration for row in run.rows}))} configurations")
    )
    facts.append(("comparable rows", f"{count(sum(row.is_comparable for row in run.rows))} of {count(len(run.rows))}"))
    volumes = sorted({row.volumes for row in run.rows if row.volumes})
    if volumes:
        facts.append(
            ("volumes a timed window", f"{volumes[0]} to {volumes[-1]}" if len(volumes) > 1 else str(volumes[0]))
        )
    blocks: list[Block] = [table("", ["", ""], [[name, value] for name, value in facts], prose=True)]
    blocks += warnings(study)
    tally = collections.Counter(claim.finding(study, paper).verdict for claim in claims.CLAIMS)
    blocks.append(
        Paragraph(
            "Of the claims looked at, "
            + ", ".join(
                f"{tally[verdict]} {'are' if tally[verdict] != 1 else 'is'} {verdict}"
                for verdict in VERDICT_TONES
                if tally[verdict]
            )
            + " (see the section on the claims, with the rule of each verdict)."
        )
    )
    return Section("head", "The run", blocks)


def warnings(study: Study) -> list[Block]:
    """What a reader has to know before any number."""
    blocks: list[Block] = []
    if study.withheld:
        blocks.append(
            Notice(
                f"No ratios: {study.withheld} during the run, so that no two times may be compared. "
                "Milliseconds, counts and losses follow as they were measured."
            )
        )
    elif study.environment is None:
        blocks.append(
            Notice(
                "There is no environment.json: the device, the command and whether others used the device are "
                "not known."
            )
        )
    elif study.on_device and study.environment.other_processes is None:
        blocks.append(Notice("It is not known whether other processes used the device."))
    devices = {row.device for row in study.run.rows if row.device}
    if len(devices) > 1:
        blocks.append(Notice(f"The rows come from {len(devices)} devices; no ratio is given across them."))
    blocks += [Notice(remark) for remark in study.run.remarks]
    unknown = collections.Counter(row.axis for row in study.rows() if row.axis not in AXES)
    if unknown:
        listed = ", ".join(f"{code(axis)} ({count(rows)})" for axis, rows in unknown.items())
        blocks.append(Notice(f"Rows on axes that this report does not know are in sweep.csv and not in it: {listed}."))
    if study.left_out:
        blocks.append(
            Notice(
                f"{count(study.left_out)} rows of another space or discipline are in sweep.csv and not in this report."
            )
        )
    return blocks


def missing(study: Study, absent: Sequence[str]) -> list[Block]:
    """Sections that have no rows, and cells and arms that sections lack."""
    blocks: list[Block] = []
    if absent:
        blocks.append(Paragraph("Not in this report, as the run has nothing for it: " + "; ".join(absent) + "."))
    blocks += [Paragraph(sentence) for sentence in study.gaps()]
    return blocks


def what_is_compared(study: Study) -> Section:
    names = study.arms(study.rows())
    alike: dict[str, list[str]] = {}
    for arm in names:
        alike.setdefault(arms.description(arm), []).append(code(arm))
    described = [[", ".join(alike[text]), text] for text in alike if text]
    return Section(
        "rules",
        "Arms, and the rule of every ratio",
        [
            Paragraph(
                "A ratio is given where both rows passed every check, ran under the same discipline of streams, on as"
                " many SMs, in the same configuration, and nobody else used the device. Beside it stands the larger of"
                " both sides' spreads: the largest over the smallest median of the passes. An arm that lost samples is"
                " shown as lossy, with what it lost, and never as fast."
            ),
            table("", ["arm", "what it stands for"], described, prose=True),
        ],
    )


def refused_rows(study: Study) -> Section:
    """Every row that may not be compared, by reason; rows that differ in the stage alone share a line."""
    refused = [row for row in study.run.rows if not row.is_comparable]
    if not refused:
        return Section("checks", "The checks", [Paragraph("Every row is comparable.")])
    kinds = collections.defaultdict(list)
    for row in refused:
        kinds["lossy" if row.is_lossy else row.comparable.removeprefix("no: ")].append(row)
    blocks: list[Block] = [
        Paragraph(
            f"{count(len(refused))} of {count(len(study.run.rows))} rows are not comparable: "
            + "; ".join(f"{count(len(rows))} {reason}" for reason, rows in kinds.items())
            + "."
        )
    ]
    for reason, rows in kinds.items():
        grouped = collections.defaultdict(list)
        for row in rows:
            grouped[(row.axis, row.cell, row.arm, row.comparable)].append(row)
        lines = []
        for (axis, cell, arm, text), members in grouped.items():
            lines.append(
                [
                    code(axis),
                    code(cell),
                    code(arm),
                    " ".join(s for s in STAGES if any(m.stage == s for m in members)),
                    "/".join(dict.fromkeys(f"{study.swept_load(m):.3f}" for m in members)),
                    "/".join(dict.fromkeys(count(m.scratch_slots) for m in members)),
                    text,
                ]
            )
        blocks.append(
            table(
                f"Rows that are not comparable: {reason}.",
                ["axis", "cell", "arm", "stages", "load factor", "scratch slots", "comparable"],
                lines,
                keys=4,
            )
        )
    return Section("checks", "The checks", blocks)
