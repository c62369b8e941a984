#!/usr/bin/env python3
"""The study's report, from small runs that are written here."""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

STUDY = Path(__file__).resolve().parents[2] / "benchmarks" / "irregularity"
sys.path.insert(0, str(STUDY))
try:
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401
    import pandas  # noqa: F401

    from report import analysis, comparison, reading, study
except ImportError as lacking:
    print(f"skipped: {lacking}")
    sys.exit(77)

COLUMNS = ("cell,axis,arm,stage,space,discipline,sms,points,blocks,blocks_reference,load_factor,max_probe,"
           "scratch_slots,dropped,p50_ms,p95_ms,min_ms,spread,probes,cas,atomics,comparable,blocks_lost,"
           "dropped_pool,dropped_table,dropped_bound,tile,lane_steps,tile_steps,deepest,volumes,"
           "samples,device,sm_ids,mhz").split(",")


def row(arm: str, ms: float, **changed) -> dict:
    """A row of sweep.csv: allocate at base on a device, all well, unless told otherwise."""
    usual = dict(cell="base", axis="cell", arm=arm, stage="allocate", space="device", discipline="one_stream", sms=132,
                 points=320000, blocks=1160, blocks_reference=1160, load_factor=0.0354, max_probe=0,
                 scratch_slots=65536 if arm.startswith("triton_") else 0, dropped=0, p50_ms=ms, p95_ms=ms, min_ms=ms,
                 spread=1.01, probes=100, cas=10, atomics=0, comparable="yes", blocks_lost=0, dropped_pool=0,
                 dropped_table=0, dropped_bound=0, tile=0, lane_steps=0, tile_steps=0, deepest=0, volumes=8, samples=27,
                 device="GPU-0", sm_ids="0-131", mhz=1980)
    assert not set(changed) - set(usual), changed
    return {**usual, **changed}


def write_run(folder: Path, rows: list, others=0) -> None:
    with open(folder / "sweep.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    (folder / "environment.json").write_text(json.dumps({
        "device": {"name": "a GPU", "uuid": "GPU-0", "multiprocessors": 132, "l2_bytes": 1, "memory_bytes": 1,
                   "compute_capability": "9.0", "driver": "13.0", "runtime": "13.0"},
        "host": {"processor": "a CPU", "threads": 2}, "cutsdf": "0.1.0", "compiler": "12", "command": "a command",
        "started": "2026-01-01T00:00:00Z", "finished": None, "other_processes": others}), encoding="utf-8")


def run_report(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-B", str(STUDY / "report.py"), str(folder)], capture_output=True, text=True,
                          check=False)


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = Path(self.place.name)

    def markdown(self, rows: list, **environment) -> str:
        write_run(self.folder, rows, **environment)
        done = run_report(self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "report.md").read_text(encoding="utf-8")

    def study(self, rows: list) -> study.Study:
        write_run(self.folder, rows)
        return study.Study(reading.read_run(self.folder))


class Ratios(InAFolder):
    """What may be divided by what."""

    def ratio(self, other: dict, first=None) -> comparison.Ratio:
        s = self.study([first or row("cuda_cpp", 0.02), other])
        return s.ratio(s.one(arm=other["arm"]))

    def test_a_ratio(self):
        found = self.ratio(row("rust_atomic", 0.03, spread=1.02))
        self.assertAlmostEqual(found.value, 1.5)
        self.assertEqual(found.spread, 1.02)
        self.assertTrue(found.steady)

    def test_unsteady(self):
        self.assertIn("unsteady", self.ratio(row("rust_atomic", 0.03, spread=1.06)).text)

    def test_none_for_what_failed_a_check(self):
        self.assertIsNone(self.ratio(row("rust_atomic", 0.03, comparable="no: another sum of reds")).value)
        self.assertIsNone(self.ratio(row("rust_atomic", 0.03), row("cuda_cpp", 0.02, comparable="no: lost")).value)

    def test_none_for_what_is_lossy(self):
        found = self.ratio(row("bounded_8", 0.01, max_probe=8, comparable="lossy: lost 151 samples", dropped=151))
        self.assertIsNone(found.value)
        self.assertEqual(found.reason, "lossy (lost 151)")

    def test_none_across_disciplines_or_parts_of_the_device(self):
        rows = [row("cuda_cpp", 0.02), row("rust_atomic", 0.03)]
        for column, value in (("discipline", "stream_per_volume"), ("sms", 64), ("cell", "r-2.0"), ("device", "GPU-1")):
            other = [row("cuda_cpp", 0.02, axis="discipline"), row("rust_atomic", 0.03, axis="discipline",
                                                                   **{column: value})]
            s = self.study(rows + other)
            numerator = s.one(axis="discipline", arm="rust_atomic")
            self.assertIsNone(s.compare(numerator, s.one(axis="discipline", arm="cuda_cpp")).value, column)

    def test_none_across_configurations_that_the_columns_do_not_tell_apart(self):
        s = self.study([row("cuda_cpp", 0.02, axis="scratch"), row("triton_8", 0.3, axis="scratch"),
                        row("cuda_cpp", 0.04, axis="scratch"), row("triton_8", 2.0, axis="scratch", scratch_slots=256)])
        first, second = s.rows(arm="cuda_cpp")
        few = s.one(arm="triton_8", scratch_slots=256)
        self.assertEqual(s.compare(few, first).reason, "no: another configuration")
        self.assertAlmostEqual(s.compare(few, second).value, 50.0)
        self.assertAlmostEqual(s.ratio(few).value, 50.0)

    def test_no_extrapolated_quotient_while_others_use_the_device(self):
        rows = [row("cuda_cpp", 0.02, axis="load_factor", deepest=16),
                row("triton_8", 0.1570, axis="load_factor", max_probe=8)]
        self.assertIn("15.70", self.markdown(rows))
        self.assertNotIn("15.70", self.markdown(rows, others=1))

    def test_none_while_others_use_the_device(self):
        text = self.markdown([row("cuda_cpp", 0.02), row("rust_atomic", 0.0314)], others=2)
        self.assertIn("2 other processes used the device", text)
        self.assertNotIn("1.57", text)
        self.assertIn("0.0314", text)
        self.assertIn("1.57", self.markdown([row("cuda_cpp", 0.02), row("rust_atomic", 0.0314)], others=0))


class Verdicts(InAFolder):
    """A verdict flips when the numbers do."""

    def verdict(self, rows: list, claim: str) -> str:
        lines = [line for line in self.markdown(rows).splitlines() if line.startswith("| " + claim)]
        self.assertEqual(len(lines), 1, claim)
        return lines[0].split(" | ")[3]

    def test_atomic_loads(self):
        claim = "Relaxed atomic first loads make allocate"
        for ms, expected in ((0.03, "reproduced"), (0.02, "not reproduced")):
            self.assertEqual(self.verdict([row("cuda_cpp", 0.02), row("rust_atomic", ms)], claim), expected)

    def test_cost_floor(self):
        cells = ("r-0.25", "plane-320k", "base", "lf-sparse", "r-1.0", "r-2.0")
        for steepness, expected in ((0.001, "reproduced"), (0.01, "not reproduced")):
            rows = []
            for i, cell in enumerate(cells):
                rows += [row("cuda_cpp", 0.02 + 0.004 * i, cell=cell), row("triton_8", 0.3 + steepness * i, cell=cell)]
            self.assertEqual(self.verdict(rows, "Triton pays a floor"), expected)

    def test_scratch(self):
        for many, expected in ((0.5, "reproduced"), (0.9, "not reproduced")):
            rows = []
            for sms, scale in ((56, 1.0), (128, many)):
                for slots, ms in ((256, 7.0), (65536, 1.5 * scale)):
                    rows += [row("cuda_cpp", 0.1, axis="sms", cell="pts-1280k", sms=sms),
                             row("triton_8", ms, axis="sms", cell="pts-1280k", sms=sms, scratch_slots=slots)]
            self.assertEqual(self.verdict(rows, "With a scratch region of 256"), expected)

    def test_load_factor(self):
        for top, expected in ((0.06, "falls"), (0.02, "does not fall")):
            rows = []
            for i, load in enumerate((0.02, 0.2, 0.4)):
                rows += [row("cuda_cpp", 0.02 + (top - 0.02) * i / 2, axis="load_factor", cell=f"lf-{load}",
                             load_factor=load, deepest=4 + i),
                         row("triton_32", 1.0, axis="load_factor", cell=f"lf-{load}", load_factor=load, max_probe=32)]
            self.assertIn(f"at one bound the ratio {expected}:", self.markdown(rows))
            # A step takes 1/32 ms; the deepest of the fullest table needs six.
            deepest, extrapolated, reference = analysis.lossless_bound(self.study(rows), 0.4)
            self.assertEqual(deepest, 6)
            self.assertAlmostEqual(extrapolated, 6 / 32)
            self.assertAlmostEqual(reference, top)

    def test_residual(self):
        for plain, expected in ((1.0, "the discipline of the streams alone makes"), (1.2, "does not account for it")):
            rows = []
            for discipline, ms in (("one_stream", 0.03), ("stream_per_volume", 0.02)):
                rows += [row("cuda_cpp", ms, axis="discipline", discipline=discipline),
                         row("rust_plain", plain * ms, axis="discipline", discipline=discipline)]
            self.assertIn(expected, self.markdown(rows))

    def test_bounded(self):
        for lost, expected in ((13, "reproduced"), (0, "not reproduced")):
            rows = []
            for cell in ("base", "lf-hi"):
                rows.append(row("cuda_cpp", 0.02, axis="bound", cell=cell))
                for arm, bound in (("bounded_8", 8), ("triton_8", 8), ("bounded_32", 32), ("triton_32", 32)):
                    bad = lost if cell == "lf-hi" and bound == 8 else 0
                    rows.append(row(arm, 0.02, axis="bound", cell=cell, max_probe=bound, blocks_lost=bad, dropped=bad,
                                    comparable=f"lossy: lost {bad} samples" if bad else "yes"))
            self.assertEqual(self.verdict(rows, "A probe bounded at 8"), expected)


class Pages(InAFolder):
    def test_everything_appears_and_nothing_is_loaded(self):
        rows = [row("cuda_cpp", 0.02), row("rust_atomic", 0.03), row("own_arm", 0.05),
                row("cuda_cpp", 0.02, cell="own-cell"), row("own_arm", 0.07, cell="own-cell")]
        text = self.markdown(rows)
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        for name in ("rust_atomic", "own_arm", "own-cell", "0.0700"):
            self.assertIn(name, text)
            self.assertIn(name, page)
        for loads in ('src="http', "src='http", '<link', "@import", "<script"):
            self.assertNotIn(loads, page)
        for line in text.splitlines():
            if line.startswith("!["):
                self.assertTrue((self.folder / line.rsplit("(", 1)[1].rstrip(")")).is_file(), line)

    def test_a_lossy_arm_is_shown_as_lossy(self):
        text = self.markdown([row("cuda_cpp", 0.02), row("bounded_8", 0.01, max_probe=8, dropped=151, blocks_lost=1,
                                                         comparable="lossy: lost 151 samples")])
        self.assertIn("lossy (lost 151)", text)
        self.assertNotIn("0.50 (", text)

    def test_factorial(self):
        rows = [row("cuda_cpp", 0.02, axis="factorial"),
                row("early_exit_8_masked", 0.03, axis="factorial", max_probe=8),
                row("early_exit_8_unmasked", 0.09, axis="factorial", max_probe=8, scratch_slots=65536),
                row("lockstep_8_masked", 0.06, axis="factorial", max_probe=8),
                row("triton_8", 0.36, axis="factorial", max_probe=8)]
        split = analysis.decomposition(self.study(rows), 8, 65536)
        self.assertAlmostEqual(split.no_early_exit.value, 2.0)
        self.assertAlmostEqual(split.unmasked.value, 3.0)
        self.assertAlmostEqual(split.both.value, 12.0)
        self.assertAlmostEqual(split.interaction, 2.0)

    def test_a_part_of_a_sweep(self):
        text = self.markdown([row("cuda_cpp", 0.02)])
        self.assertIn("device axis (axis `sms`)", text)  # among what is missing

    def test_a_run_that_was_cut_short_within_a_line(self):
        write_run(self.folder, [row("cuda_cpp", 0.02), row("rust_atomic", 0.03)])
        whole = (self.folder / "sweep.csv").read_text(encoding="utf-8")
        (self.folder / "sweep.csv").write_text(whole[:-60], encoding="utf-8")
        done = run_report(self.folder)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_cannot_be_read(self):
        write_run(self.folder, [row("cuda_cpp", 0.02)])
        whole = (self.folder / "sweep.csv").read_text(encoding="utf-8")
        for broken, named in (("", "sweep.csv"), (whole.replace("p50_ms", "p49_ms"), "p50_ms"),
                              (whole.replace(",320000,", ",many,"), "many")):
            (self.folder / "sweep.csv").write_text(broken, encoding="utf-8")
            done = run_report(self.folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertNotIn("Traceback", done.stderr)
            self.assertIn(named, done.stderr)
            self.assertFalse((self.folder / "report.html").exists())
        self.assertNotEqual(run_report(self.folder / "not-there").returncode, 0)


if __name__ == "__main__":
    unittest.main()
