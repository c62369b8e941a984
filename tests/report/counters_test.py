"""Tests of benchmarks/irregularity/counters.py against a profiler that only prints.

    python3 -m unittest tests/report/counters_test.py
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "irregularity" / "counters.py"
sys.path.insert(0, str(SCRIPT.parent))
sys.dont_write_bytecode = True

import counters  # noqa: E402

METRICS = [counter.metric for counter in counters.COUNTERS]


def page(*kernels: list[str], duration_unit: str = "ns") -> str:
    """The raw page as CSV, among the lines that come with it."""
    rows = [["ID", "Process ID", "Kernel Name", *METRICS],
            ["", "", "", "%", "sector", "sector", "inst", "%", "", "register/thread", duration_unit]]
    rows += [[str(i), "7", 'for_each_kernel<a, "b">', *values] for i, values in enumerate(kernels)]
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    return "\n".join(["==PROF== Connected to process 7 (cutsdf_irregularity)",
                      '==PROF== Profiling "for_each_kernel": 0%....50%....100% - 3 passes', "a line of the program",
                      "==PROF== Disconnected from process 7", *lines, ""])


PLAIN = ["55.86", "1234567", "568,655", "12.02", "84.30", "26.95", "40", "21,408"]


class Parsing(unittest.TestCase):
    def test_numbers(self) -> None:
        for text, value in (("12", 12), ("12.5", 12.5), ("12,5", 12.5), ("1,234", 1234), ("1,234.5", 1234.5),
                            ("1.234,5", 1234.5), ("1.234.567", 1234567), ("1,234,567.25", 1234567.25),
                            ("1\u00a0234,5", 1234.5), ("0.123", 0.123), ("0,123", 0.123),
                            ("0", 0), ("-1.5", -1.5), ("55.860", 55.86)):
            self.assertEqual(counters.number(text), value, text)
        for text in ("n/a", "", "nan%"):
            with self.assertRaises(ValueError):
                counters.number(text)

    def test_page(self) -> None:
        values = counters.parse(page(PLAIN))
        self.assertEqual(list(values), METRICS)
        self.assertEqual(values["lts__t_sectors.sum"], 568655)
        self.assertAlmostEqual(values[counters.DURATION], 21.408)

    def test_units_of_time(self) -> None:
        for unit, value in (("ns", 0.25), ("nsecond", 0.25), ("us", 250.0), ("usecond", 250.0), ("ms", 250000.0)):
            values = counters.parse(page([*PLAIN[:-1], "250"], duration_unit=unit))
            self.assertAlmostEqual(values[counters.DURATION], value)

    def test_longest_kernel(self) -> None:
        values = counters.parse(page([*PLAIN[:-2], "16", "900"], PLAIN))
        self.assertEqual(values["launch__registers_per_thread"], 40)

    def test_missing_metric(self) -> None:
        rows = counters.table({"x": counters.parse(page(["n/a", *PLAIN[1:]]))})
        self.assertEqual(rows[1][:3], ["x", "", "1234567"])

    def test_no_page(self) -> None:
        for text in ("", "==PROF== Connected to process 7\n", page()):
            with self.assertRaises(counters.NoCounters):
                counters.parse(text)


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out" / "counters.csv"
        self.calls = self.folder / "calls"

    def run_script(self, body: str = "", *arguments: str, ncu: str = "") -> subprocess.CompletedProcess[str]:
        """Runs the script with a profiler whose Python program is `body`."""
        fake = self.folder / "ncu.py"
        fake.write_text(f"import sys\nopen({str(self.calls)!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n{body}\n",
                        encoding="utf-8")
        command = [sys.executable, "-B", str(SCRIPT), "--program", "./program", "--out", str(self.out),
                   "--ncu", ncu or f"'{sys.executable}' '{fake}'", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def assert_nothing(self, done: subprocess.CompletedProcess[str], code: int, what: str) -> None:
        """One line says `what`, and nothing is left behind."""
        errors = [line for line in done.stderr.splitlines() if not line.endswith(" done")]
        self.assertEqual((done.returncode, done.stdout, len(errors)), (code, "", 1), done.stderr)
        self.assertIn(what, errors[0])
        self.assertFalse(self.out.exists())
        self.assertEqual(list(self.folder.rglob("*.partial")), [])

    def test_table(self) -> None:
        done = self.run_script(f"print({page(PLAIN)!r})", "--arms", "cuda_cpp,triton_8", "--cells", "base")
        self.assertEqual(done.returncode, 0, done.stderr)
        values = "55.86,1234567,568655,12.02,84.30,26.95,40,21.41"
        self.assertEqual(self.out.read_text(encoding="utf-8"),
                         "arm,l1_hit_percent,l1_sectors,l2_sectors,long_scoreboard,occupancy_percent,active_threads,"
                         f"registers,duration_us\ncuda_cpp,{values}\ntriton_8,{values}\n")
        self.assertEqual(done.stdout.splitlines()[1].split(), ["cuda_cpp", *values.split(",")])
        calls = self.calls.read_text(encoding="utf-8").splitlines()
        self.assertEqual([call.split("./program ")[1] for call in calls],
                         ["--profile cuda_cpp --cells base", "--profile triton_8 --cells base"])
        self.assertIn("--profile-from-start off --clock-control none --csv --page raw", calls[0])

    def test_missing_profiler(self) -> None:
        self.assert_nothing(self.run_script(ncu=str(self.folder / "no_ncu")), 3, "no_ncu is not there")

    def test_permission(self) -> None:
        text = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access GPU Performance Counters"
        self.assert_nothing(self.run_script(f"print({text!r})"), 3, "ERR_NVGPUCTRPERM")
        self.assert_nothing(self.run_script(f"print({text!r})\nsys.exit(1)"), 3, "ERR_NVGPUCTRPERM")

    def test_library(self) -> None:
        text = "==ERROR== LibraryNotLoaded"
        self.assert_nothing(self.run_script(f"print({text!r}, file=sys.stderr)\nsys.exit(9)"), 3, "LibraryNotLoaded")

    def test_no_kernel(self) -> None:
        done = self.run_script("print('==WARNING== No kernels were profiled.')")
        self.assert_nothing(done, 3, "no kernel was profiled")

    def test_failure_at_second_arm(self) -> None:
        done = self.run_script(f"if 'triton_8' in sys.argv: sys.exit('==ERROR== lost')\nprint({page(PLAIN)!r})")
        self.assert_nothing(done, 3, "the profiler failed: lost")

    def test_old_file_stays(self) -> None:
        self.out.parent.mkdir()
        self.out.write_text("old", encoding="utf-8")
        self.assertEqual(self.run_script("sys.exit(1)").returncode, 3)
        self.assertEqual(self.out.read_text(encoding="utf-8"), "old")

    def test_program_fails(self) -> None:
        text = "==PROF== Connected\ncutsdf_irregularity: --profile: no arm x\n==WARNING== No kernels were profiled."
        self.assert_nothing(self.run_script(f"print({text!r})\nsys.exit(2)"), 1, "no arm x")


if __name__ == "__main__":
    unittest.main()
