"""Tests of the program cutsdf_fuse, from the outside.

    program_test.py --list                 names of the tests
    program_test.py PROGRAM TEST           runs one; exit code 77: skipped
"""

import json
import math
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

import files

SKIPPED = 77
OUTPUTS = ["mesh.ply", "stats.json", "view.png"]
COARSE = ["--voxel", "0.05", "--truncation", "0.2", "--space", "host"]
program = None


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cutsdf_fuse_test_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "out"

    def call(self, *arguments):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=600)

    def fuse(self, *arguments):
        """Runs the program, which has to succeed and say nothing on standard error; returns the contents of stats.json."""
        done = self.call(*arguments, "--out", self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.out)), OUTPUTS)
        self.assertEqual(files.png_size(self.out / "view.png"), (640, 480))
        self.assertIn(str(self.out / "view.png"), done.stdout)
        return json.loads((self.out / "stats.json").read_text())

    def mesh(self, stats):
        vertices, triangles = files.read_ply(self.out / "mesh.ply")
        self.assertEqual(stats["mesh"], {"vertices": len(vertices), "triangles": len(triangles)})
        return vertices

    def assert_fails(self, arguments, where, what):
        """The program has to end with one line that names `where` and says `what`, and to leave nothing behind."""
        before = sorted(self.out.iterdir()) if self.out.is_dir() else None
        done = self.call(*arguments)
        self.assertNotEqual(done.returncode, 0)
        self.assertGreater(done.returncode, 0, "ended by a signal")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Acutsdf_fuse: [^\n]*\n\Z")
        self.assertIn(f"{where}: ", done.stderr)
        self.assertIn(what, done.stderr)
        self.assertEqual(sorted(self.out.iterdir()) if self.out.is_dir() else None, before)

    def recording(self, **options):
        return files.write_recording(self.folder / "recording", **options)


class Scenes(ProgramTest):
    def test_sphere(self):
        stats = self.fuse("--scene", "sphere", "--frames", "3", *COARSE)
        self.assertEqual(list(stats), ["frames", "space", "device", "voxel", "truncation", "blocks", "load_factor", "drops",
                                       "blocks_dropped", "mesh", "ms_per_frame", "ms_upload", "bytes", "seconds_total"])
        self.assertEqual((stats["frames"], stats["space"], stats["device"]), (3, "host", None))
        self.assertEqual((stats["voxel"], stats["truncation"]), (0.05, 0.2))
        self.assertEqual(list(stats["drops"]), ["pool_full", "table_full", "probe_bound", "out_of_range", "invalid_input"])
        for series in ("ms_per_frame", "ms_upload"):
            self.assertEqual(list(stats[series]), ["median", "mean", "min", "max", "p95"])
            self.assertLessEqual(stats[series]["min"], stats[series]["median"])
            self.assertLessEqual(stats[series]["median"], stats[series]["p95"])
            self.assertLessEqual(stats[series]["p95"], stats[series]["max"])
        self.assertGreater(stats["bytes"], 0)
        vertices = self.mesh(stats)
        self.assertGreater(len(vertices), 500)
        for x, y, z, nx, ny, nz, *_ in vertices:
            self.assertAlmostEqual(math.hypot(x, y, z), 0.5, delta=0.05)  # a voxel
            self.assertAlmostEqual(math.hypot(nx, ny, nz), 1.0, delta=1e-3)

    def test_room_is_the_default(self):
        stats = self.fuse("--frames", "2", *COARSE)
        self.assertGreater(len(self.mesh(stats)), 1000)
        # Rendered and measured alike on every machine: pixels that the sensor of the room lost.
        self.assertEqual(stats["drops"]["invalid_input"], ROOM_INVALID_PIXELS)

    def test_fewer_frames_than_asked_for(self):
        stats = self.fuse("--input", self.recording(frames=2), "--frames", "10", *COARSE)
        self.assertEqual(stats["frames"], 2)

    def test_device(self):
        done = self.call("--scene", "sphere", "--frames", "3", *COARSE[:4], "--space", "device", "--out", self.out)
        if "--space device: " in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        stats = json.loads((self.out / "stats.json").read_text())
        self.assertEqual(stats["space"], "device")
        self.assertTrue(stats["device"])
        on_device = len(self.mesh(stats))
        on_host = len(self.mesh(self.fuse("--scene", "sphere", "--frames", "3", *COARSE)))
        self.assertAlmostEqual(on_device, on_host, delta=0.01 * on_host)


class Recordings(ProgramTest):
    def test_wall(self):
        stats = self.fuse("--input", self.recording(), *COARSE)
        self.assertEqual(stats["frames"], 3)
        self.assertEqual(stats["drops"]["invalid_input"], 0)
        vertices = self.mesh(stats)
        self.assertGreater(len(vertices), 20)
        for x, y, z, nx, ny, nz, *_ in vertices:
            self.assertAlmostEqual(z, 1.0, delta=1e-3)
            self.assertAlmostEqual(nz, -1.0, delta=1e-3)  # towards the camera

    def test_poses_move_the_camera(self):
        folder = self.recording(frames=1)
        # Turned by 90 degrees about y and moved to (1, 2, 3): the wall is at x = 1 + 1.
        (folder / "frame-000000.pose.txt").write_text("0 0 1 1\n0 1 0 2\n-1 0 0 3\n0 0 0 1\n")
        vertices = self.mesh(self.fuse("--input", folder, *COARSE))
        self.assertGreater(len(vertices), 20)
        for x, y, z, *_ in vertices:
            self.assertAlmostEqual(x, 2.0, delta=1e-3)

    def test_color_of_another_size_and_format(self):
        folder = self.recording(color=None)
        for i in range(3):
            (folder / f"frame-{i:06}.color.png").write_bytes(files.color_png(7, 5, (200, 100, 50)))
        for *_, r, g, b in self.mesh(self.fuse("--input", folder, *COARSE)):
            self.assertEqual((r, g, b), (200, 100, 50))

    def test_without_color(self):
        self.fuse("--input", self.recording(color=None), *COARSE)

    def test_intrinsics_in_the_folder_above(self):
        folder = self.recording()
        (folder / "camera-intrinsics.txt").rename(folder.parent / "camera-intrinsics.txt")
        self.fuse("--input", folder, *COARSE)

    def test_first_frames_only(self):
        folder = self.recording()
        (folder / "frame-000002.pose.txt").unlink()
        self.assertEqual(self.fuse("--input", folder, "--frames", "2", *COARSE)["frames"], 2)

    def test_invalid_depths_are_counted(self):
        folder = self.recording(frames=1)
        depths = [1000] * (files.WIDTH * files.HEIGHT)
        depths[5] = 0
        depths[6] = 65535
        (folder / "frame-000000.depth.png").write_bytes(files.depth_png(depths))
        stats = self.fuse("--input", folder, *COARSE)
        self.assertEqual(stats["drops"]["invalid_input"], 2)

    def test_nothing_within_max_depth(self):
        stats = self.fuse("--input", self.recording(), "--max-depth", "0.9", *COARSE)
        self.assertEqual(stats["drops"]["invalid_input"], 3 * files.WIDTH * files.HEIGHT)
        self.assertEqual((stats["blocks"], stats["mesh"]["triangles"]), (0, 0))

    def test_grows_without_loss(self):
        if memory_available() < 6 << 30:
            self.skipTest("takes 3 GiB of memory")
        # Bands of 1 m around a wall, in blocks of 8 mm: 768 rays meet more blocks than the volume starts with.
        stats = self.fuse("--input", self.recording(frames=2, color=None), "--voxel", "0.001", "--truncation", "0.5",
                          "--space", "host")
        self.assertGreater(stats["blocks"], 1 << 16)
        self.assertEqual(sum(stats["drops"].values()), 0)
        self.assertEqual(stats["blocks_dropped"], 0)

    def test_7scenes(self):
        data = os.environ.get("CUTSDF_DATA")
        if not data:
            self.skipTest("CUTSDF_DATA does not name the folder of the recordings")
        stats = self.fuse("--input", pathlib.Path(data) / "clip", "--frames", "5", "--space", "host")
        self.assertEqual(stats["frames"], 5)
        self.assertGreater(stats["blocks"], 1000)
        self.assertEqual(sum(n for cause, n in stats["drops"].items() if cause != "invalid_input"), 0)
        self.assertGreater(len(self.mesh(stats)), 10000)


class BrokenRecordings(ProgramTest):
    """Each breaks one thing in a sound recording."""

    def assert_input_fails(self, folder, where, what):
        self.assert_fails(["--input", folder, *COARSE, "--out", self.out], where, what)

    def assert_broken_file(self, name, content, what):
        file = self.recording() / name
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.assert_input_fails(file.parent, file, what)

    def test_missing_folder(self):
        self.assert_input_fails(self.folder / "nowhere", self.folder / "nowhere", "no such folder")

    def test_file_instead_of_a_folder(self):
        file = self.folder / "file"
        file.write_text("")
        self.assert_input_fails(file, file, "is not a folder")

    def test_no_frames(self):
        folder = self.recording(frames=0)
        self.assert_input_fails(folder, folder, "holds no frame-NNNNNN.depth.png")

    def test_missing_intrinsics(self):
        self.assert_broken_file("camera-intrinsics.txt", None, "no such file")

    def test_negative_focal_length(self):
        self.assert_broken_file("camera-intrinsics.txt", "30 0 15.5 0 -30 11.5 0 0 1", "focal lengths must be positive")

    def test_skew(self):
        self.assert_broken_file("camera-intrinsics.txt", "30 2 15.5 0 30 11.5 0 0 1", "without skew")

    def test_intrinsics_of_eight_numbers(self):
        self.assert_broken_file("camera-intrinsics.txt", "30 0 15.5 0 30 11.5 0 0", "holds 8 numbers instead of 9")

    def test_missing_pose(self):
        self.assert_broken_file("frame-000001.pose.txt", None, "no such file")

    def test_missing_depth(self):
        self.assert_broken_file("frame-000001.depth.png", None, "no such file")

    def test_missing_color(self):
        self.assert_broken_file("frame-000001.color.jpg", None, "no such file")

    def test_empty_pose(self):
        self.assert_broken_file("frame-000001.pose.txt", "", "holds 0 numbers instead of 16")

    def test_pose_of_seventeen_numbers(self):
        self.assert_broken_file("frame-000001.pose.txt", files.IDENTITY + "1", "holds 17 numbers instead of 16")

    def test_pose_of_words(self):
        self.assert_broken_file("frame-000001.pose.txt", files.IDENTITY.replace("0", "zero"), "'zero' is not a number")

    def test_pose_not_a_number(self):
        self.assert_broken_file("frame-000001.pose.txt", files.IDENTITY.replace("0", "nan", 1), "is not finite")

    def test_pose_infinite(self):
        self.assert_broken_file("frame-000001.pose.txt", "-inf " * 16, "is not finite")

    def test_pose_scaled(self):
        self.assert_broken_file("frame-000001.pose.txt", "2 0 0 0  0 2 0 0  0 0 2 0  0 0 0 1", "is not a rigid motion")

    def test_pose_mirrored(self):
        self.assert_broken_file("frame-000001.pose.txt", "-1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1", "is not a rigid motion")

    def test_pose_transposed(self):
        self.assert_broken_file("frame-000001.pose.txt", "1 0 0 0  0 1 0 0  0 0 1 0  1 2 3 1", "is not a rigid motion")

    def test_depth_empty(self):
        self.assert_broken_file("frame-000001.depth.png", b"", "is not a readable PNG image")

    def test_depth_of_garbage(self):
        self.assert_broken_file("frame-000001.depth.png", b"depth " * 50, "is not a readable PNG image")

    def test_depth_that_ends_early(self):
        whole = files.depth_png(range(files.WIDTH * files.HEIGHT))
        for length in (20, len(whole) // 2, len(whole) - 14):
            with self.subTest(length=length):
                self.assert_broken_file("frame-000001.depth.png", whole[:length], "is not a readable PNG image")
                shutil.rmtree(self.folder / "recording")

    def test_depth_with_a_flipped_bit(self):
        content = bytearray(files.depth_png(range(files.WIDTH * files.HEIGHT)))
        content[len(content) // 2] ^= 4
        self.assert_broken_file("frame-000001.depth.png", bytes(content), "is not a readable PNG image")

    def test_depth_of_8_bits(self):
        content = files.png(files.WIDTH, files.HEIGHT, 8, files.GREY, bytes(files.WIDTH * files.HEIGHT))
        self.assert_broken_file("frame-000001.depth.png", content, "16 bits")

    def test_depth_in_color(self):
        content = files.png(files.WIDTH, files.HEIGHT, 16, files.RGB, bytes(6 * files.WIDTH * files.HEIGHT))
        self.assert_broken_file("frame-000001.depth.png", content, "one channel")

    def test_depth_of_another_size(self):
        self.assert_broken_file("frame-000002.depth.png", files.wall(1000, 16, 24), "is 16 x 24 pixels")

    def test_color_of_garbage(self):
        self.assert_broken_file("frame-000001.color.jpg", b"color " * 50, "is not a readable JPEG image")

    def test_color_empty(self):
        self.assert_broken_file("frame-000001.color.jpg", b"", "is not a readable JPEG image")

    def test_color_that_ends_early(self):
        for length in (10, len(files.JPEG) // 2, len(files.JPEG) - 12, len(files.JPEG) - 2):
            with self.subTest(length=length):
                self.assert_broken_file("frame-000001.color.jpg", files.JPEG[:length], "is not a readable JPEG image")
                shutil.rmtree(self.folder / "recording")

    def test_color_of_another_size(self):
        folder = self.recording(frames=2, color=None)
        (folder / "frame-000000.color.png").write_bytes(files.color_png(7, 5, (1, 2, 3)))
        file = folder / "frame-000001.color.png"
        file.write_bytes(files.color_png(5, 7, (1, 2, 3)))
        self.assert_input_fails(folder, file, "is 5 x 7 pixels")

    def test_color_png_that_ends_early(self):
        folder = self.recording(frames=1, color=None)
        file = folder / "frame-000000.color.png"
        file.write_bytes(files.color_png(7, 5, (1, 2, 3))[:50])
        self.assert_input_fails(folder, file, "is not a readable PNG image")

    def test_earlier_results_stay(self):
        folder = self.recording()
        self.fuse("--input", folder, *COARSE)
        before = {name: (self.out / name).read_bytes() for name in OUTPUTS}
        (folder / "frame-000002.depth.png").write_bytes(b"")
        self.assert_input_fails(folder, folder / "frame-000002.depth.png", "is not a readable PNG image")
        self.assertEqual({name: (self.out / name).read_bytes() for name in OUTPUTS}, before)


class Options(ProgramTest):
    def assert_option_fails(self, arguments, option, what):
        self.assert_fails([*arguments, "--out", self.out], option, what)

    def test_voxel(self):
        for value in ("0", "-0.01", "nan", "inf"):
            with self.subTest(value=value):
                self.assert_option_fails(["--voxel", value], "--voxel", "must be a positive number")

    def test_truncation_below_voxel(self):
        self.assert_option_fails(["--voxel", "0.05", "--truncation", "0.04"], "--truncation", "at least that of --voxel")

    def test_frames(self):
        self.assert_option_fails(["--frames", "0"], "--frames", "must be at least 1")

    def test_max_depth(self):
        self.assert_option_fails(["--max-depth", "0"], "--max-depth", "must be a positive number")

    def test_unknown_scene(self):
        self.assert_option_fails(["--scene", "moon"], "--scene", "there is no 'moon', only room, sphere")

    def test_device_where_there_is_none(self):
        done = self.call("--scene", "sphere", "--frames", "1", *COARSE[:4], "--space", "device", "--out", self.out)
        if done.returncode == 0:
            self.skipTest("there is a GPU")
        self.assert_option_fails(["--space", "device"], "--space device", "")

    def test_usage(self):
        for arguments in (["--scene", "sphere"], ["--colour"], ["--voxel", "wide"], ["--space", "moon"],
                          ["--input", ".", "--scene", "room"]):
            with self.subTest(arguments=arguments):
                done = self.call(*arguments, *([] if arguments == ["--scene", "sphere"] else ["--out", self.out]))
                self.assertGreater(done.returncode, 0)
                self.assertRegex(done.stderr, r"\Acutsdf_fuse: [^\n]*\n\Z")
                self.assertFalse(self.out.exists())

    def test_help(self):
        done = self.call("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--input", "--scene", "--voxel", "--truncation", "--space", "--frames", "--max-depth", "--out"):
            self.assertIn(option, done.stdout)


class Output(ProgramTest):
    SPHERE = ["--scene", "sphere", "--frames", "1", *COARSE]

    def test_folders_are_made(self):
        self.out = self.folder / "deep" / "down"
        self.fuse(*self.SPHERE)

    def test_made_folders_are_removed_after_an_error(self):
        (self.folder / "empty").mkdir()
        recording = self.recording()
        (recording / "frame-000002.depth.png").write_bytes(b"")
        self.out = self.folder / "deep" / "down"
        self.assert_fails(["--input", recording, *COARSE, "--out", self.out], recording / "frame-000002.depth.png", "")
        self.assertFalse(self.out.parent.exists())

    def test_results_are_replaced(self):
        self.out.mkdir()
        for name in OUTPUTS:
            (self.out / name).write_text("old")
        self.mesh(self.fuse(*self.SPHERE))

    def test_out_is_a_file(self):
        self.out.write_text("mine")
        self.assert_fails([*self.SPHERE, "--out", self.out], self.out, "cannot be made a folder")
        self.assertEqual(self.out.read_text(), "mine")

    def test_out_below_a_file(self):
        (self.folder / "file").write_text("mine")
        out = self.folder / "file" / "out"
        self.assert_fails([*self.SPHERE, "--out", out], out, "cannot be made a folder")

    def test_out_that_cannot_be_written_to(self):
        out = pathlib.Path("/proc/self")
        if not out.is_dir():
            self.skipTest("there is no /proc")
        self.assert_fails([*self.SPHERE, "--out", out], out, "cannot be written to")

    def test_folder_in_the_way(self):
        (self.out / "view.png").mkdir(parents=True)
        self.assert_fails([*self.SPHERE, "--out", self.out], self.out / "view.png", "is a folder")

    def test_progress_on_a_terminal_only(self):
        self.assertNotIn("\r", self.call(*self.SPHERE, "--out", self.out).stderr)
        terminal, other_end = pty.openpty()
        done = subprocess.run([program, *self.SPHERE, "--out", self.out], stdout=subprocess.PIPE, stderr=other_end,
                              timeout=600)
        os.close(other_end)
        shown = os.read(terminal, 1 << 16).decode()
        os.close(terminal)
        self.assertEqual(done.returncode, 0)
        self.assertIn("1/1 frames", shown)


# Of the two frames of test_room_is_the_default.
ROOM_INVALID_PIXELS = 3918


def memory_available():
    """Bytes; 0 where the system does not say."""
    try:
        lines = pathlib.Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return 0


def all_tests():
    return [test for group in unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]) for test in group]


def name_of(test):
    return test.id().removeprefix("__main__.").replace(".test_", ".")


def main(arguments):
    global program
    if arguments == ["--list"]:
        print("\n".join(map(name_of, all_tests())))
        return 0
    program, wanted = arguments
    chosen = [test for test in all_tests() if name_of(test) == wanted]
    if len(chosen) != 1:
        sys.exit(f"there is no test '{wanted}'")
    result = unittest.TextTestRunner(verbosity=2).run(chosen[0])
    if not result.wasSuccessful():
        return 1
    return SKIPPED if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
