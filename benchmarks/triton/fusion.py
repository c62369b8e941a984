"""Point fusion in Triton over this library's memory layout: the kernels that language::triton<N> emulates.

A program owns a tile of 256 points on four warps. Triton has no early exit of a lane and no masked compare-exchange, so
the probe is unrolled, and a lane that has nothing to exchange aims at a scratch region in which it cannot succeed.

    entries   int64 [2 * slots]   key | index in the low, stamp in the high half; all ones: empty
    keys      int64 [blocks]      key of the block at each place
    used      int32 [1]           distinct keys inserted
    voxels    float32 [5 * 512 * blocks]   distance, weight, red, green, blue, each an array
"""

import triton
import triton.language as tl

TILE = 256
WARPS = 4
EMPTY = tl.constexpr(-1)
NO_STORAGE = tl.constexpr(-2)


@triton.jit
def ray_of(points, i, valid, inverse_voxel):
    """Position, unit direction and range of points seen from the origin, in voxels."""
    x = tl.load(points + 3 * i, mask=valid, other=1.0) * inverse_voxel
    y = tl.load(points + 3 * i + 1, mask=valid, other=0.0) * inverse_voxel
    z = tl.load(points + 3 * i + 2, mask=valid, other=0.0) * inverse_voxel
    reach = tl.sqrt(x * x + y * y + z * z)
    return x, y, z, x / reach, y / reach, z / reach, reach


@triton.jit
def sample_of(x, y, z, dx, dy, dz, reach, truncation, s, valid):
    """Voxel of sample s, its squared range, and whether it takes part."""
    step = s.to(tl.float32)
    vx = tl.floor(x + dx * step).to(tl.int32)
    vy = tl.floor(y + dy * step).to(tl.int32)
    vz = tl.floor(z + dz * step).to(tl.int32)
    cx = vx.to(tl.float32) + 0.5
    cy = vy.to(tl.float32) + 0.5
    cz = vz.to(tl.float32) + 0.5
    squared = cx * cx + cy * cy + cz * cz
    farthest = reach + truncation
    active = valid & (reach + step > 0.0) & (squared <= farthest * farthest)
    return vx, vy, vz, squared, active


@triton.jit
def key_and_hash(vx, vy, vz):
    bx = vx >> 3
    by = vy >> 3
    bz = vz >> 3
    bias = 1 << 20
    key = ((bx + bias).to(tl.int64) << 42) | ((by + bias).to(tl.int64) << 21) | (bz + bias).to(tl.int64)
    mixed = (bx * 73856093) ^ (by * 19349663) ^ (bz * 83492791)
    return key, mixed


@triton.jit
def allocate(points, count, entries, keys, used, scratch, slot_mask, scratch_mask, pool, inverse_voxel, truncation,
             SAMPLES: tl.constexpr, BOUND: tl.constexpr, TILE: tl.constexpr):
    lane = tl.program_id(0) * TILE + tl.arange(0, TILE)
    valid = lane < count
    x, y, z, dx, dy, dz, reach = ray_of(points, lane, valid, inverse_voxel)
    aside = scratch + (lane & scratch_mask)
    nothing = tl.full((TILE,), EMPTY, tl.int64)
    for s in range(-SAMPLES, SAMPLES + 1):
        vx, vy, vz, squared, active = sample_of(x, y, z, dx, dy, dz, reach, truncation, s, valid)
        key, mixed = key_and_hash(vx, vy, vz)
        slot = mixed & slot_mask
        resolved = ~active
        for _ in tl.static_range(BOUND):
            at = entries + 2 * slot.to(tl.int64)
            seen = tl.load(at)
            wanted = (seen == EMPTY) & ~resolved
            before = tl.atomic_cas(tl.where(wanted, at, aside), nothing, key)
            won = wanted & (before == EMPTY)
            place = tl.atomic_add(used + lane * 0, 1, mask=won)
            stored = won & (place < pool)
            tl.store(keys + place, key, mask=stored)
            tl.store((at + 1).to(tl.pointer_type(tl.int32)), tl.where(place < pool, place, NO_STORAGE), mask=won)
            resolved = resolved | won | (wanted & (before == key)) | (seen == key)
            slot = tl.where(resolved, slot, (slot + 1) & slot_mask)


@triton.jit
def update(points, colors, count, entries, voxels, dropped, slot_mask, pool, inverse_voxel, truncation,
           SAMPLES: tl.constexpr, BOUND: tl.constexpr, ORDER: tl.constexpr, TILE: tl.constexpr):
    lane = tl.program_id(0) * TILE + tl.arange(0, TILE)
    valid = lane < count
    x, y, z, dx, dy, dz, reach = ray_of(points, lane, valid, inverse_voxel)
    red = tl.load(colors + 3 * lane, mask=valid, other=0).to(tl.float32)
    green = tl.load(colors + 3 * lane + 1, mask=valid, other=0).to(tl.float32)
    blue = tl.load(colors + 3 * lane + 2, mask=valid, other=0).to(tl.float32)
    for s in range(-SAMPLES, SAMPLES + 1):
        vx, vy, vz, squared, active = sample_of(x, y, z, dx, dy, dz, reach, truncation, s, valid)
        key, mixed = key_and_hash(vx, vy, vz)
        slot = mixed & slot_mask
        found = lane < 0
        ended = ~active
        for _ in tl.static_range(BOUND):
            seen = tl.load(entries + 2 * slot.to(tl.int64))
            found = found | ((seen == key) & ~ended)
            ended = ended | found | (seen == EMPTY)
            slot = tl.where(ended, slot, (slot + 1) & slot_mask)
        place = tl.load((entries + 2 * slot.to(tl.int64) + 1).to(tl.pointer_type(tl.int32)), mask=found, other=0)
        stored = found & (place >= 0) & (place < pool)
        tl.atomic_add(dropped + lane * 0, 1, mask=active & ~stored)
        distance = (reach - tl.sqrt(squared)) / truncation
        distance = tl.minimum(tl.maximum(distance, -1.0), 1.0)
        at = voxels + place.to(tl.int64) * 512 + ((vx & 7) + 8 * (vy & 7) + 64 * (vz & 7))
        array = pool.to(tl.int64) * 512
        tl.atomic_add(at, distance, mask=stored, sem=ORDER)
        tl.atomic_add(at + array, lane * 0 + 1.0, mask=stored, sem=ORDER)
        tl.atomic_add(at + 2 * array, red, mask=stored, sem=ORDER)
        tl.atomic_add(at + 3 * array, green, mask=stored, sem=ORDER)
        tl.atomic_add(at + 4 * array, blue, mask=stored, sem=ORDER)
