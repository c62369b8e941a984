#!/usr/bin/env python3
"""The program cutsdf_irregularity from the outside, on the host: program_test.py PROGRAM."""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
PROMISED = ("cell axis arm stage space discipline sms points blocks blocks_reference load_factor max_probe "
            "scratch_slots dropped p50_ms p95_ms min_ms spread probes cas atomics comparable").split()


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


class Program(unittest.TestCase):
    def test_list(self):
        listed = run("--list")
        self.assertEqual(listed.returncode, 0)
        for name in ("cuda_cpp", "triton_8", "load_factor", "sms", "pts-1280k"):
            self.assertIn(name, listed.stdout)

    def test_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--space", "host", "--axis", "cell,sms", "--cells", "pts-20k", "--arms", "triton_8,bounded_8",
                       "--passes", "2", "--no-report", "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(Path(folder, "sweep.csv"), newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(list(rows[0])[:len(PROMISED)], PROMISED)
            self.assertEqual([(r["arm"], r["stage"]) for r in rows],
                             [(a, s) for a in ("cuda_cpp", "bounded_8", "triton_8") for s in ("allocate", "update")])
            for row in rows:
                self.assertEqual((row["cell"], row["axis"], row["space"]), ("pts-20k", "cell", "host"))
                self.assertEqual((row["points"], row["blocks"], row["blocks_reference"]), ("20000", "1104", "1104"))
                self.assertEqual(row["comparable"], "yes")
                self.assertEqual(row["samples"], "2")
                self.assertGreater(float(row["min_ms"]), 0.0)
                self.assertLessEqual(float(row["min_ms"]), float(row["p50_ms"]))
                self.assertLessEqual(float(row["p50_ms"]), float(row["p95_ms"]))
            # 20000 points fill 79 tiles of 256 lanes; nine samples, eight steps each.
            triton = [int(r["probes"]) for r in rows if r["arm"] == "triton_8"]
            self.assertEqual(triton, [79 * 256 * 9 * 8] * 2)
            environment = json.loads(Path(folder, "environment.json").read_text(encoding="utf-8"))
            self.assertIsNone(environment["device"])
            self.assertIsNotNone(environment["finished"])
            self.assertIn("cell pts-20k triton_8: yes", Path(folder, "checks.txt").read_text(encoding="utf-8"))

    def test_losses(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--space", "host", "--axis", "bound", "--cells", "lf-hi", "--arms", "bounded_4", "--passes", "1",
                       "--no-report", "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(Path(folder, "losses.csv"), newline="", encoding="utf-8") as file:
                lost = list(csv.DictReader(file))
            self.assertEqual([r["arm"] for r in lost], ["bounded_4"])
            self.assertGreater(int(lost[0]["blocks_lost"]), 0)
            with open(Path(folder, "sweep.csv"), newline="", encoding="utf-8") as file:
                rows = {r["arm"]: r for r in csv.DictReader(file)}
            self.assertEqual(rows["bounded_4"]["comparable"], f"lossy: lost {lost[0]['samples_lost']} samples")
            self.assertEqual(int(rows["bounded_4"]["blocks"]),
                             int(rows["cuda_cpp"]["blocks"]) - int(lost[0]["blocks_lost"]))

    def test_mistakes(self):
        for arguments, name in ((["--arms", "tritn"], "tritn"), (["--axis", "cells"], "cells"),
                                (["--space", "moon"], "moon"), (["--frames", "/not/there"], "/not/there"),
                                ([], "--out")):
            failed = run("--space", "host", *arguments) if "--space" not in arguments else run(*arguments)
            self.assertNotEqual(failed.returncode, 0)
            self.assertIn(name, failed.stderr)

    def test_axes_without_anything_to_measure(self):
        with tempfile.TemporaryDirectory() as folder:
            failed = run("--space", "host", "--axis", "sms,frames", "--no-report", "--out", folder)
            self.assertNotEqual(failed.returncode, 0)
            self.assertIn("nothing to measure", failed.stderr)
            self.assertIn("axis sms: left out", failed.stdout)
            self.assertIn("axis frames: left out", failed.stdout)

    def test_a_cell_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            failed = run("--space", "host", "--axis", "cell", "--cells", "bse", "--no-report", "--out", folder)
            self.assertNotEqual(failed.returncode, 0)
            self.assertIn("bse", failed.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
