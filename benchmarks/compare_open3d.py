#!/usr/bin/env python3
"""Compares cutsdf with Open3D's VoxelBlockGrid on a recording: surfaces, and milliseconds a frame and a mesh on the
CPU.

Needs Open3D 0.16 or later for Python (Debian: python3-open3d) and two programs of this project, built with
CUTSDF_BUILD_EXAMPLES and CUTSDF_BUILD_BENCHMARKS. Example:

    python3 benchmarks/compare_open3d.py --input DATA/every10 --fuse build/examples/fuse/cutsdf_fuse \\
        --frame-times build/benchmarks/cutsdf_frame_times_host --out build/open3d

Run it on an idle machine: Open3D's OpenMP threads wait for each other, and beside other work it takes ten times as long.

Writes comparison.json and prints it. The distance from a vertex is to the nearest point of the other mesh's triangles;
vertices of voxels that a single frame saw count like all others, in both.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

try:
    import open3d as o3d
except ImportError:
    sys.exit("compare_open3d: Open3D for Python is not installed (Debian: apt-get install python3-open3d)")

CORE = o3d.core
DEVICE = CORE.Device("CPU:0")
MILLIMETRES = 1000.0


def read_frames(folder, count):
    """Depth and colour images and camera-to-world poses, decoded, in order."""
    frames = []
    for depth_path in sorted(folder.glob("frame-*.depth.png"))[:count]:
        stem = str(depth_path)[: -len(".depth.png")]
        raw = np.asarray(o3d.io.read_image(str(depth_path))).copy()
        raw[raw == 65535] = 0
        color = o3d.t.io.read_image(stem + ".color.jpg")
        frames.append((o3d.t.geometry.Image(CORE.Tensor(raw)), color, np.loadtxt(stem + ".pose.txt")))
    if not frames:
        sys.exit(f"compare_open3d: {folder}: no frame-*.depth.png")
    return frames


def read_intrinsics(folder):
    for place in (folder, folder.parent):
        if (place / "camera-intrinsics.txt").exists():
            return np.loadtxt(place / "camera-intrinsics.txt")
    sys.exit(f"compare_open3d: {folder}: no camera-intrinsics.txt in it or in its parent")


def fuse_with_open3d(frames, intrinsics, voxel, truncation, max_depth, colored, block_side):
    """The fused grid, and milliseconds a frame (finding the blocks, then integrating)."""
    attributes = [("tsdf", CORE.float32, (1,)), ("weight", CORE.float32, (1,))]
    if colored:
        attributes.append(("color", CORE.float32, (3,)))
    grid = o3d.t.geometry.VoxelBlockGrid(
        [a[0] for a in attributes], [a[1] for a in attributes], [a[2] for a in attributes],
        voxel, block_side, 1 << 16, DEVICE)
    camera = CORE.Tensor(intrinsics, CORE.float64)
    multiplier = truncation / voxel
    times = []
    for depth, color, pose in frames:
        world_to_camera = CORE.Tensor(np.linalg.inv(pose), CORE.float64)
        start = time.perf_counter()
        blocks = grid.compute_unique_block_coordinates(
            depth, camera, world_to_camera, MILLIMETRES, max_depth, multiplier)
        if colored:
            grid.integrate(blocks, depth, color, camera, camera, world_to_camera, MILLIMETRES, max_depth, multiplier)
        else:
            grid.integrate(blocks, depth, camera, world_to_camera, MILLIMETRES, max_depth, multiplier)
        times.append(1e3 * (time.perf_counter() - start))
    return grid, times


def timed_mesh(grid, repetitions=3):
    """The grid's mesh, and the median of the milliseconds that extracting it takes."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        mesh = grid.extract_triangle_mesh(weight_threshold=0.0)
        times.append(1e3 * (time.perf_counter() - start))
    return mesh.to_legacy(), statistics.median(times)


def segment_distance(p, a, b):
    """Distance of each point from the segment a-b."""
    edge = b - a
    length = np.maximum(np.einsum("ij,ij->i", edge, edge), 1e-30)
    t = np.clip(np.einsum("ij,ij->i", p - a, edge) / length, 0.0, 1.0)
    return np.linalg.norm(p - (a + t[:, None] * edge), axis=1)


def triangle_distance(p, a, b, c):
    """Distance of each point from the triangle a-b-c: to the plane above its inside, to an edge elsewhere."""
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    inside = np.ones(len(p), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(end - start, p - start), normal) >= 0.0
    to_plane = np.abs(np.einsum("ij,ij->i", p - a, normal))
    to_edges = np.minimum(np.minimum(segment_distance(p, a, b), segment_distance(p, b, c)), segment_distance(p, c, a))
    return np.where(inside, to_plane, to_edges)


def distances(points, mesh, candidates=8):
    """Distance of each point from the surface of a mesh, in metres: exact for the triangles with the nearest centroids,
    hence never below the distance from the whole mesh. (Open3D's own RaycastingScene aborts in Debian 12's build.)"""
    points = np.asarray(points, dtype=np.float64)
    corners = np.asarray(mesh.vertices)[np.asarray(mesh.triangles)]
    search = CORE.nns.NearestNeighborSearch(CORE.Tensor(corners.mean(axis=1)))
    search.knn_index()
    nearest = search.knn_search(CORE.Tensor(points), candidates)[0].numpy()
    best = np.full(len(points), np.inf)
    for k in range(nearest.shape[1]):
        a, b, c = (corners[nearest[:, k], i] for i in range(3))
        best = np.minimum(best, triangle_distance(points, a, b, c))
    return best


def summary(values, voxel):
    return {"median_voxels": float(np.median(values) / voxel), "mean_voxels": float(np.mean(values) / voxel),
            "p95_voxels": float(np.percentile(values, 95) / voxel)}


def our_mesh(arguments, space):
    out = arguments.out / space
    subprocess.run([arguments.fuse, "--input", arguments.input, "--voxel", str(arguments.voxel), "--truncation",
                    str(arguments.truncation), "--frames", str(arguments.frames), "--max-depth",
                    str(arguments.max_depth), "--space", space, "--out", out], check=True)
    return o3d.io.read_triangle_mesh(str(out / "mesh.ply"))


def our_times(arguments):
    """Median milliseconds a frame on the host by kind of pass."""
    table = arguments.out / "frame_times.csv"
    subprocess.run([arguments.frame_times, arguments.input, table, str(arguments.voxel)], check=True,
                   stdout=subprocess.DEVNULL)
    with open(table, newline="") as file:
        return {row["what"]: float(row["median_ms"]) for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", type=pathlib.Path, required=True, help="folder of frame-NNNNNN.* files")
    parser.add_argument("--fuse", type=pathlib.Path, help="cutsdf_fuse, to fuse with")
    parser.add_argument("--mesh", action="append", default=[], metavar="NAME=PLY", help="a mesh fused elsewhere")
    parser.add_argument("--spaces", default="host", help="comma-separated: host,device")
    parser.add_argument("--frame-times", type=pathlib.Path, help="cutsdf_frame_times_host")
    parser.add_argument("--voxel", type=float, default=0.01)
    parser.add_argument("--truncation", type=float, default=0.04)
    parser.add_argument("--max-depth", type=float, default=10.0)
    parser.add_argument("--frames", type=int, default=1000000)
    parser.add_argument("--block-side", type=int, default=8,
                        help="Open3D's block resolution: 8, as here, is its fastest; 16 is its default")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    frames = read_frames(arguments.input, arguments.frames)
    intrinsics = read_intrinsics(arguments.input)
    fuse = lambda colored: fuse_with_open3d(frames, intrinsics, arguments.voxel, arguments.truncation,
                                            arguments.max_depth, colored, arguments.block_side)
    fuse(False)  # warm-up
    grid, plain = fuse(False)
    _, colored = fuse(True)
    reference, mesh_ms = timed_mesh(grid)
    # Open3D truncates where this project rounds: with the principal point moved by half a pixel it reads the pixel that
    # a voxel projects into. What remains is the grids' offset (its voxels sit on the corners of ours) and the depths.
    shifted = intrinsics + np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])
    rounding_grid, _ = fuse_with_open3d(frames, shifted, arguments.voxel, arguments.truncation, arguments.max_depth,
                                        False, arguments.block_side)
    rounding = rounding_grid.extract_triangle_mesh(weight_threshold=0.0).to_legacy()
    result = {"open3d": {"version": o3d.__version__, "frames": len(frames),
                         "ms_per_frame": statistics.median(plain),
                         "ms_per_frame_with_color": statistics.median(colored), "ms_per_mesh": mesh_ms,
                         "vertices": len(reference.vertices), "triangles": len(reference.triangles)}}

    if arguments.frame_times:
        times = our_times(arguments)
        result["cutsdf_host"] = {
            "ms_per_frame": times["first pass"], "ms_per_frame_with_color": times["first pass with colour"],
            "ms_per_mesh": times["mesh"], "share_of_open3d_mesh": times["mesh"] / mesh_ms,
            "share_of_open3d": times["first pass"] / statistics.median(plain),
            "share_of_open3d_with_color": times["first pass with colour"] / statistics.median(colored)}
    meshes = {}
    if arguments.fuse:
        meshes = {space: our_mesh(arguments, space) for space in arguments.spaces.split(",")}
    for entry in arguments.mesh:
        name, _, path = entry.partition("=")
        meshes[name] = o3d.io.read_triangle_mesh(path)
    for name, mesh in meshes.items():
        result[f"mesh_{name}"] = {
            "vertices": len(mesh.vertices), "triangles": len(mesh.triangles),
            "to_open3d": summary(distances(mesh.vertices, reference), arguments.voxel),
            "from_open3d": summary(distances(reference.vertices, mesh), arguments.voxel),
            "to_open3d_rounding_pixels": summary(distances(mesh.vertices, rounding), arguments.voxel)}

    text = json.dumps(result, indent=2)
    (arguments.out / "comparison.json").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
