"""Names, colours and marks of the arms. Colours are Okabe and Ito's and two more that the colour-blind can tell; no
two arms share both colour and mark."""

from __future__ import annotations

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Look:
    """How an arm appears in a figure."""

    label: str
    color: str
    marker: str
    line: str = "-"


_FIXED = {
    "cuda_cpp": Look("CUDA C++", "#000000", "o"),
    "rust_plain": Look("Rust, plain loads", "#E69F00", "s"),
    "rust_atomic": Look("Rust, atomic first loads", "#D55E00", "^"),
    "rust_volatile": Look("Rust, volatile loads", "#CC79A7", "v"),
    "slot_index": Look("slot as index", "#009E73", "D"),
    "tile_uniform": Look("tile until its deepest lane", "#56B4E9", "P"),
}
_BY_BOUND = {4: "#7FB2E5", 8: "#0072B2", 16: "#882255", 32: "#332288"}
_FAMILIES = (
    (r"triton_(\d+)", "Triton, bound {}", "h", "-"),
    (r"triton_shared_(\d+)", "CUDA C++ allocates, Triton({}) updates", "<", "--"),
    (r"bounded_(\d+)", "early exit, bound {}", ">", ":"),
    (r"early_exit_(\d+)_masked", "early exit, masked, bound {}", ">", ":"),
    (r"early_exit_(\d+)_unmasked", "early exit, unmasked, bound {}", "d", "--"),
    (r"lockstep_(\d+)_masked", "no early exit, masked, bound {}", "*", "-."),
)

_DESCRIPTIONS = (
    (r"cuda_cpp", "CUDA C++, the reference: a probe ends at its key or at an empty slot; first reads are plain loads"),
    (r"rust_plain", "Rust after its fix: the same choices, plain loads"),
    (r"rust_atomic", "Rust's type-correct form: first reads are relaxed atomic loads of device scope"),
    (r"rust_volatile", "Rust's older form: first reads are volatile"),
    (r"slot_index", "as `cuda_cpp`, but a block's place is its slot: there is no index to publish"),
    (r"tile_uniform|tile_\d+", "an idealised tile language: a tile goes on until its deepest lane is done"),
    (r"bounded_\d+", "a probe of at most that many steps; each lane leaves early"),
    (
        r"triton_\d+",
        (
            "Triton: that many steps for every lane, and a compare-exchange with each, aimed at a scratch "
            "region where there is nothing to exchange"
        ),
    ),
    (r"triton_shared_\d+", "allocate as `cuda_cpp`, update with Triton's bounded look-up"),
    (r"early_exit_\d+_masked", "factorial: bounded, lanes leave early, exchanges only where needed"),
    (r"early_exit_\d+_unmasked", "factorial: bounded, lanes leave early, an exchange with each step"),
    (r"lockstep_\d+_masked", "factorial: no lane leaves early, exchanges only where needed"),
)


def look(arm: str) -> Look:
    """How this arm appears in every figure."""
    if arm in _FIXED:
        return _FIXED[arm]
    for pattern, label, marker, line in _FAMILIES:
        found = re.fullmatch(pattern, arm)
        if found:
            bound = int(found.group(1))
            return Look(label.format(bound), _BY_BOUND.get(bound, "#777777"), marker, line)
    return Look(arm, "#777777", "X")


def description(arm: str) -> str:
    """One sentence on what this arm stands for; empty for an unknown one."""
    return next((text for pattern, text in _DESCRIPTIONS if re.fullmatch(pattern, arm)), "")
