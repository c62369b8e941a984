"""Tests of the programs cutsdf_bench_host and cutsdf_bench, from the outside, and of the script that plots growth.

    bench_test.py --list                   names of the tests
    bench_test.py HOST DEVICE PLOT TEST    runs one; exit code 77: skipped. DEVICE may be none
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
import files  # noqa: E402

SKIPPED = 77
COLUMNS = ("name median_ms min_ms max_ms repetitions bytes percent_of_copy items_per_second blocks frame_median_ms "
           "host_us reference_by_default refused").split()
host = device = plot = ""


class BenchTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cutsdf_bench_test_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.table = self.folder / "table.csv"

    def call(self, program, *arguments, **environment):
        clean = {name: value for name, value in os.environ.items() if name != "CUTSDF_DATA"}
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=600,
                              env={**clean, **environment}, check=False)

    def rows(self):
        with open(self.table, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = {row["name"]: row for row in reader}
        self.assertEqual(reader.fieldnames, COLUMNS)
        return rows

    def measure(self, program, chosen, *arguments):
        """Runs what matches `chosen`, which has to succeed; returns the table's rows, each of them a time."""
        done = self.call(program, f"--benchmark_filter={chosen}", "--benchmark_repetitions=2", f"--table={self.table}",
                         *arguments)
        self.said = done.stdout + done.stderr
        if program == device and done.returncode == SKIPPED:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, self.said)
        rows = self.rows()
        for row in rows.values():
            self.assertEqual((row["repetitions"], row["refused"]), ("2", ""))
            self.assertGreater(float(row["min_ms"]), 0.0)
            self.assertLessEqual(float(row["min_ms"]), float(row["median_ms"]))
            self.assertLessEqual(float(row["median_ms"]), float(row["max_ms"]))
            self.assertGreater(float(row["bytes"]), 0.0)
            self.assertGreater(float(row["percent_of_copy"]), 0.0)
            self.assertIn(row["name"], self.said)
        return rows


class Host(BenchTest):
    def test_json(self):
        out = self.folder / "out.json"
        rows = self.measure(host, "copy|growth/.*/0.3m", f"--benchmark_out={out}")
        self.assertEqual(list(rows), ["copy", "growth/frame/0.3m", "growth/mesh/0.3m"])
        written = json.loads(out.read_text(encoding="utf-8"))
        for key in ("cutsdf", "measured_on", "copy", "recording"):
            self.assertIn(key, written["context"])
        runs = [run for run in written["benchmarks"] if run["run_type"] == "iteration"]
        self.assertEqual(sorted(run["name"].split("/iterations")[0] for run in runs), sorted(2 * list(rows)))
        for run in runs:
            self.assertEqual(run["time_unit"], "ms")
            for counter in ("bytes", "percent_of_copy", "blocks", "frame_median_ms", "host_us", "items_per_second"):
                self.assertIn(counter, run)

    def test_formats(self):
        chosen = ["--benchmark_filter=growth/frame/0.3m", "--benchmark_repetitions=1"]
        done = self.call(host, *chosen, "--benchmark_format=json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["benchmarks"]), 1)
        self.assertIn("% copy", done.stderr)
        done = self.call(host, *chosen, "--benchmark_format=csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(csv.DictReader(done.stdout.splitlines()))), 1)
        self.assertNotIn("% copy", done.stdout)

    def test_recording(self):
        recording = files.write_recording(self.folder / "recording")
        rows = self.measure(host, "2cm", f"--frames={recording}", "--most-frames=2")
        self.assertEqual(list(rows), [f"frames/2cm/{what}/{state}" for what in ("depth", "colour")
                                      for state in ("cold", "warm")] + ["raycast/2cm", "mesh/2cm"])
        for row in rows.values():
            self.assertGreater(int(row["blocks"]), 0)
            self.assertEqual(float(row["frame_median_ms"]) > 0.0, row["name"].startswith("frames/"))
        # The depth image, and each voxel of the wall and in front of it read and written, 8 bytes each.
        size = 2 * files.WIDTH * files.HEIGHT
        self.assertEqual((int(rows["frames/2cm/depth/cold"]["bytes"]) - size) % 16, 0)
        self.assertEqual(rows["frames/2cm/depth/cold"]["bytes"], rows["frames/2cm/depth/warm"]["bytes"])
        self.assertGreater(int(rows["frames/2cm/colour/cold"]["bytes"]), int(rows["frames/2cm/depth/cold"]["bytes"]))

    def test_without_color(self):
        recording = files.write_recording(self.folder / "recording", color=None)
        rows = self.measure(host, "frames/2cm", f"--frames={recording}")
        self.assertEqual(list(rows), ["frames/2cm/depth/cold", "frames/2cm/depth/warm"])

    def test_refused(self):
        recording = files.write_recording(self.folder / "recording", frames=1, color=None)
        (recording / "frame-000000.depth.png").write_bytes(files.wall(0))
        done = self.call(host, "--benchmark_filter=(raycast|mesh)/2cm", f"--frames={recording}",
                         f"--table={self.table}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("refused: no surface", done.stdout)
        rows = self.rows()
        self.assertEqual([row["refused"] for row in rows.values()], ["no surface seen", "no surface to mesh"])
        self.assertEqual([row["median_ms"] for row in rows.values()], ["", ""])

    def test_mistakes(self):
        for arguments, code, what in ((["--moon=1"], 2, "--moon=1"), (["--most-frames=0"], 2, "'0'"),
                                      (["--most-frames=3x"], 2, "'3x'"), (["--frames=/not/there"], 1, "/not/there"),
                                      (["--benchmark_filter=moon"], 1, "moon"),
                                      (["--benchmark_filter=growth/frame/0.3m", "--table=/not/there"], 1,
                                       "/not/there")):
            done = self.call(host, *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(what, done.stderr)

    def test_help(self):
        done = self.call(host, "--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--frames", "--most-frames", "--table", "--benchmark_filter"):
            self.assertIn(option, done.stdout)


class Device(BenchTest):
    def setUp(self):
        super().setUp()
        if device == "none":
            self.skipTest("built without CUDA")

    def test_missing(self):
        done = self.call(device, CUDA_VISIBLE_DEVICES="-1")
        self.assertEqual((done.returncode, done.stdout), (SKIPPED, ""))
        self.assertRegex(done.stderr, r"\A[^\n]*: no CUDA device \([^\n]+\)\n\Z")

    def test_points(self):
        rows = self.measure(device, "copy|points/pts-20k|table/samples|growth/.*/0.3m")
        self.assertEqual([rows[f"points/pts-20k/{arm}"]["blocks"] for arm in ("reference", "default")], ["1104"] * 2)
        ratios = {name: row["reference_by_default"] for name, row in rows.items() if row["reference_by_default"] != ""}
        if re.search("other programs: [1-9]", self.said):
            self.assertEqual(ratios, {})
            self.skipTest("other programs use the device")
        self.assertEqual(list(ratios), ["points/pts-20k/default"])
        reference, default = (float(rows[f"points/pts-20k/{arm}"]["median_ms"]) for arm in ("reference", "default"))
        self.assertAlmostEqual(float(ratios["points/pts-20k/default"]), reference / default, delta=1e-3)

    def test_graph(self):
        recording = files.write_recording(self.folder / "recording")
        rows = self.measure(device, "frames/2cm/(depth|graph)/", f"--frames={recording}")
        self.assertEqual(list(rows), [f"frames/2cm/{what}/{state}" for what in ("depth", "graph")
                                      for state in ("cold", "warm")])
        self.assertEqual(len({(row["blocks"], row["bytes"]) for row in rows.values()}), 1)
        for row in rows.values():
            self.assertGreater(float(row["host_us"]), 0.0)


class Plot(BenchTest):
    def setUp(self):
        super().setUp()
        if subprocess.run([sys.executable, "-c", "import pandas, matplotlib"], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest("pandas or matplotlib is missing")

    def write(self, *rows):
        lines = [",".join(COLUMNS)]
        for name, blocks, ms in rows:
            lines.append(f"{name},{ms},{ms},{ms},3,1,1,1,{blocks},0,0,,")
        lines.append("growth/frame/9m,,,,,,,,,,,,\"lost, all of it\"")
        self.table.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def test_lines(self):
        """Lines that are straight are found: 20 us + 2 ns, 100 us + 5 ns a block."""
        counts = (100, 1000, 10000, 100000)
        self.write(*((f"growth/frame/{n}m", n, 0.02 + 2e-6 * n) for n in counts),
                   *((f"growth/mesh/{n}m", n, 0.1 + 5e-6 * n) for n in counts), ("copy", 0, 1.0))
        out = self.folder / "growth.svg"
        done = self.call(sys.executable, "-B", plot, self.table, out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(),
                         ["frame: 20.00 us + 2.000 ns a block, 100 to 100000 blocks, at most 0 % off",
                          "mesh: 100.00 us + 5.000 ns a block, 100 to 100000 blocks, at most 0 % off"])
        self.assertIn("<svg", out.read_text(encoding="utf-8"))

    def test_nothing_to_plot(self):
        self.write(("copy", 0, 1.0))
        for table, what in ((self.table, "no two scenes"), (self.folder / "missing.csv", "missing.csv")):
            done = self.call(sys.executable, "-B", plot, table, self.folder / "growth.svg")
            self.assertEqual(done.returncode, 1)
            self.assertIn(what, done.stderr)


def all_tests():
    return [test for kind in (Host, Device, Plot)
            for test in unittest.defaultTestLoader.loadTestsFromTestCase(kind)]


def name_of(test):
    return test.id().removeprefix("__main__.").replace(".test_", ".")


def main(arguments):
    global host, device, plot
    if arguments == ["--list"]:
        print("\n".join(map(name_of, all_tests())))
        return 0
    host, device, plot, wanted = arguments
    chosen = [test for test in all_tests() if name_of(test) == wanted]
    if len(chosen) != 1:
        sys.exit(f"there is no test '{wanted}'")
    result = unittest.TextTestRunner(verbosity=2).run(chosen[0])
    if not result.wasSuccessful():
        return 1
    return SKIPPED if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
