"""The files that cutsdf_fuse reads and writes, with nothing but Python's standard library."""

import base64
import struct
import zlib

# 16 x 8 pixels.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19i"
    "Z2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj"
    "Y2NjY2NjY2P/wAARCAAIABADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAIE/8QAGxAAAgIDAQAAAAAAAAAAAAAAAAEC"
    "BQMhQZH/xAAVAQEBAAAAAAAAAAAAAAAAAAABA//EABsRAAEEAwAAAAAAAAAAAAAAAAEAAgQhAxFB/9oADAMBAAIRAxEAPwCZV6ab"
    "a0ZctfHkPQCUcAMbXES8z9m1/9k=")

IDENTITY = "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"
WIDTH, HEIGHT = 32, 24
INTRINSICS = "30 0 15.5\n0 30 11.5\n0 0 1\n"
GREY, RGB = 0, 2  # PNG's numbers for colour types


def png(width, height, bits, color_type, pixels):
    """A PNG of big-endian `pixels`, row by row."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    stride = len(pixels) // height
    rows = b"".join(b"\0" + pixels[y * stride:(y + 1) * stride] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, bits, color_type, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def depth_png(values, width=WIDTH, height=HEIGHT):
    return png(width, height, 16, GREY, struct.pack(f">{len(values)}H", *values))


def wall(millimetres, width=WIDTH, height=HEIGHT):
    """Depth image of a wall straight ahead."""
    return depth_png([millimetres] * (width * height), width, height)


def color_png(width, height, rgb):
    return png(width, height, 8, RGB, bytes(rgb) * (width * height))


def write_recording(folder, frames=3, color=JPEG):
    """A sound recording of a wall 1 m away; tests then break what they are about."""
    folder.mkdir(parents=True)
    (folder / "camera-intrinsics.txt").write_text(INTRINSICS)
    for i in range(frames):
        (folder / f"frame-{i:06}.depth.png").write_bytes(wall(1000))
        (folder / f"frame-{i:06}.pose.txt").write_text(IDENTITY)
        if color is not None:
            (folder / f"frame-{i:06}.color.jpg").write_bytes(color)
    return folder


def read_ply(path):
    """Vertices as (x, y, z, nx, ny, nz, r, g, b) and faces as triples of indices; checks that nothing is left over."""
    header, _, body = path.read_bytes().partition(b"end_header\n")
    lines = header.decode().splitlines()
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"], lines[:2]
    counts = {words[1]: int(words[2]) for words in map(str.split, lines) if words[0] == "element"}
    vertex = struct.Struct("<6f3B")
    face = struct.Struct("<B3I")
    split = counts["vertex"] * vertex.size
    assert len(body) == split + counts["face"] * face.size, "the PLY file is longer or shorter than its header says"
    vertices = list(vertex.iter_unpack(body[:split]))
    faces = list(face.iter_unpack(body[split:]))
    assert all(f[0] == 3 and max(f[1:]) < len(vertices) for f in faces)
    return vertices, [f[1:] for f in faces]


def png_size(path):
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", content[16:24])
