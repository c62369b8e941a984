#!/usr/bin/env python3
"""Times the Triton kernels of fusion.py on the synthetic cells, to set the emulation beside the real thing.

Needs PyTorch with CUDA, and Triton; without them it says so and does nothing. One stream; a timed window holds one
launch for each of several volumes, cleared outside the clock, as in cutsdf_reference_times. The first launch of each
variant compiles for minutes where the bound is large.

    python3 benchmarks/triton/measure.py --out triton.csv [--cells base,r-2.0] [--scratch 65536,256] [--bound 8]
"""

import argparse
import csv
import math
import statistics
import sys

try:
    import torch
    import triton

    import fusion
except ImportError as missing:
    sys.exit(f"triton arm skipped: {missing}")
if not torch.cuda.is_available():
    sys.exit("triton arm skipped: PyTorch sees no CUDA device")

VOXEL = 0.01
TRUNCATION_VOXELS = 4.0


def sphere(radius, rows, columns):
    theta = math.pi * (torch.arange(rows, dtype=torch.float64) + 0.5) / rows
    phi = 2.0 * math.pi * torch.arange(columns, dtype=torch.float64) / columns
    theta, phi = (a.reshape(-1) for a in torch.meshgrid(theta, phi, indexing="ij"))
    points = torch.stack([theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()], dim=1) * radius
    return points.to(torch.float32)


def plane(half, n):
    line = -half + 2.0 * half * torch.arange(n, dtype=torch.float64) / (n - 1)
    x, y = (a.reshape(-1) for a in torch.meshgrid(line, line, indexing="ij"))
    return torch.stack([x, y, torch.full_like(x, 0.5)], dim=1).to(torch.float32)


# name: points, places in the pool, blocks
CELLS = {
    "base": (lambda: sphere(0.5, 400, 800), 16384, 1160),
    "r-0.25": (lambda: sphere(0.25, 400, 800), 16384, 280),
    "r-1.0": (lambda: sphere(1.0, 400, 800), 65536, 4752),
    "r-2.0": (lambda: sphere(2.0, 400, 800), 131072, 18160),
    "plane-320k": (lambda: plane(1.0, 566), 16384, 1060),
    "lf-sparse": (lambda: sphere(0.5, 400, 800), 16 * 1160, 1160),
    "lf-hi": (lambda: sphere(0.5, 400, 800), 1218, 1160),
}


class Volume:
    def __init__(self, pool):
        self.pool = pool
        self.slots = 1 << (2 * pool - 1).bit_length()
        self.entries = torch.empty(2 * self.slots, dtype=torch.int64, device="cuda")
        self.keys = torch.empty(pool, dtype=torch.int64, device="cuda")
        self.used = torch.empty(1, dtype=torch.int32, device="cuda")
        self.dropped = torch.empty(1, dtype=torch.int32, device="cuda")
        self.voxels = torch.empty(5 * 512 * pool, dtype=torch.float32, device="cuda")
        self.clear()

    def clear(self):
        self.entries.fill_(-1)
        self.keys.fill_(-1)
        self.used.zero_()
        self.dropped.zero_()
        self.voxels.zero_()


def milliseconds(volumes, work):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for v in volumes:
        work(v)
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) / len(volumes)


def measure(name, scratch_slots, bound, order, volumes, windows, samples, warps):
    make, pool, blocks = CELLS[name]
    points = make().cuda()
    colors = torch.tensor([[90, 120, 150]], dtype=torch.uint8).repeat(len(points), 1).cuda()
    scratch = torch.zeros(scratch_slots, dtype=torch.int64, device="cuda")
    all_volumes = [Volume(pool) for _ in range(volumes)]
    grid = (triton.cdiv(len(points), fusion.TILE),)

    def allocate(v):
        fusion.allocate[grid](points, len(points), v.entries, v.keys, v.used, scratch, v.slots - 1, scratch_slots - 1,
                              v.pool, 1.0 / VOXEL, TRUNCATION_VOXELS, SAMPLES=samples, BOUND=bound, TILE=fusion.TILE,
                              num_warps=warps)

    def update(v):
        fusion.update[grid](points, colors, len(points), v.entries, v.voxels, v.dropped, v.slots - 1, v.pool,
                            1.0 / VOXEL, TRUNCATION_VOXELS, SAMPLES=samples, BOUND=bound, ORDER=order,
                            TILE=fusion.TILE, num_warps=warps)

    times = {"allocate": [], "update": []}
    for window in range(windows + 2):
        for v in all_volumes:
            v.clear()
        torch.cuda.synchronize()
        a = milliseconds(all_volumes, allocate)
        u = milliseconds(all_volumes, update)
        if window >= 2:  # the first two warm up, and compile
            times["allocate"].append(a)
            times["update"].append(u)
    first = all_volumes[0]
    return [{"cell": name, "samples": 2 * samples + 1, "warps": warps, "arm": f"triton<{bound}>, real", "stage": stage, "order": order if stage == "update" else "acq_rel",
             "scratch_slots": scratch_slots, "points": len(points), "blocks": int(first.used), "blocks_reference": blocks,
             "dropped": int(first.dropped), "p50_ms": round(statistics.median(ms), 5), "min_ms": round(min(ms), 5)}
            for stage, ms in times.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--cells", default=",".join(CELLS))
    parser.add_argument("--scratch", default="65536,256")
    parser.add_argument("--orders", default="acq_rel,relaxed", help="memory orders of the update's atomics")
    parser.add_argument("--bound", type=int, default=8)
    parser.add_argument("--volumes", type=int, default=8)
    parser.add_argument("--samples", type=int, default=max(1, math.ceil(TRUNCATION_VOXELS)),
                        help="on each side of a point; what the truncation asks for unless told")
    parser.add_argument("--warps", type=int, default=fusion.WARPS, help="warps of a program")
    parser.add_argument("--windows", type=int, default=25)
    arguments = parser.parse_args()
    wrong = [c for c in arguments.cells.split(",") if c not in CELLS]
    if wrong:
        sys.exit(f"no cell named {wrong[0]}; there are: {', '.join(CELLS)}")
    rows = []
    for cell in arguments.cells.split(","):
        for slots in map(int, arguments.scratch.split(",")):
            for order in arguments.orders.split(","):
                rows += measure(cell, slots, arguments.bound, order, arguments.volumes, arguments.windows,
                                arguments.samples, arguments.warps)
                print(rows[-2], rows[-1], sep="\n", flush=True)
                with open(arguments.out, "w", newline="") as file:  # what there is so far
                    table = csv.DictWriter(file, rows[0].keys())
                    table.writeheader()
                    table.writerows(rows)


if __name__ == "__main__":
    main()
