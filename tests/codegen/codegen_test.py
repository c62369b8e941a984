"""What the bundles of policies become: tests of the compiled kernels, as PTX and as SASS.

    codegen_test.py --list                                              names of the tests
    codegen_test.py --compile FOLDER ARCHITECTURE CUOBJDUMP NVCC ...    writes kernels.ptx and kernels.sass; the command
                                                                        NVCC ... ends in the source file, CUOBJDUMP may
                                                                        be empty: no kernels.sass then
    codegen_test.py FOLDER TEST                                         runs one; exit code 77: skipped

A kernel is read as a graph of instructions, so that "at every step" and "only where" are statements about paths: the
text's order, the shape of the loops and the compiler's choice between a branch and a predicate do not matter.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
import sys
from typing import Iterable

SKIPPED = 77
STEPS = 8
LANES = 2  # of a tile program, each thread
OURS = re.compile(r"(allocate|update)_\w+")


@dataclasses.dataclass(frozen=True)
class Bundle:
    """What a bundle is to become: how keys are first read, how exchanged, how allocation and lookup walk."""

    reads: str
    exchange: str
    allocate: str
    update: str


BUNDLES = {
    "cuda_cpp": Bundle("plain", "masked_relaxed", "early_exit", "early_exit"),
    "rust_atomic": Bundle("relaxed", "masked_relaxed", "early_exit", "early_exit"),
    "rust_volatile": Bundle("volatile", "masked_relaxed", "early_exit", "early_exit"),
    "bounded_8": Bundle("plain", "masked_relaxed", "early_exit", "early_exit"),
    "lockstep_8": Bundle("plain", "masked_relaxed", "lockstep", "lockstep"),
    "triton_8": Bundle("plain", "unmasked_acquire_release", "lockstep", "lockstep"),
    "triton_shared_8": Bundle("plain", "masked_relaxed", "early_exit", "lockstep"),
}


# --- Listings --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Instruction:
    predicate: str  # "" where it is always executed, "!P0" where P0 must be false
    name: str  # ld.global.u64, LDG.E.64.STRONG.GPU
    operands: tuple[str, ...]

    @property
    def parts(self) -> set[str]:
        return set(self.name.split("."))

    def __str__(self) -> str:
        return f"{'@' + self.predicate + ' ' if self.predicate else ''}{self.name} {', '.join(self.operands)}"


class Kernel:
    """Instructions, and which may follow each."""

    def __init__(self, statements: Iterable[tuple[str, str]]) -> None:
        """`statements` are pairs of a label, which may be empty, and an instruction's text, which may be too."""
        self.code: list[Instruction] = []
        places: dict[str, int] = {}
        for label, text in statements:
            if label:
                places[label] = len(self.code)
            if text:
                self.code.append(self._instruction(text))
        roots = [it.name.lower().split(".")[0] for it in self.code]
        self.ends = {i for i, root in enumerate(roots) if root in ("ret", "exit")}
        # Subroutines (a slow square root) are passed over, so their code is reached from nowhere.
        named = {i: places[it.operands[-1]] for i, it in enumerate(self.code)
                 if roots[i] in ("bra", "call") and it.operands[-1] in places}
        self.next: list[list[int]] = []
        for i, it in enumerate(self.code):
            # SASS has conditions among the operands too: BRA.U !UP0, 0x100.
            leaves = not it.predicate and (
                roots[i] in ("brx", "ret", "exit") or (roots[i] == "bra" and len(it.operands) == 1))
            following = [i + 1] if i + 1 < len(self.code) and not leaves else []
            self.next.append([named[i], *following] if roots[i] == "bra" else following)
        # A jump through a table may lead to whatever nothing else leads to.
        reached = {0, *named.values()}.union(*self.next)
        table = [i for i in range(len(self.code)) if i not in reached]
        for i, root in enumerate(roots):
            if root == "brx":
                self.next[i] = self.next[i] + table

    @staticmethod
    def _instruction(text: str) -> Instruction:
        found = re.match(r"(?:@(!?)(%?\w+)\s+)?([\w.:]+)\s*(.*)", text)
        if not found:
            raise ValueError(f"not an instruction: {text}")
        negated, predicate, name, rest = found.groups()
        operands = re.findall(r"(?:[^,\[\](){}]|[\[({][^\])}]*[\])}])+", rest)
        return Instruction((negated or "") + (predicate or ""), name, tuple(o.strip() for o in operands if o.strip()))

    def avoids(self, start: int, goals: set[int], without: Iterable[int]) -> bool:
        """Whether a path leads from behind `start` to one of `goals` that executes none of `without`."""
        closed = {i for i in without if not self.code[i].predicate}
        seen: set[int] = set()
        waiting = list(self.next[start])
        while waiting:
            i = waiting.pop()
            if i in seen or i in closed:
                continue
            if i in goals:
                return True
            seen.add(i)
            waiting += self.next[i]
        return False


class Ptx:
    """What to look for in PTX."""

    READS = {
        "plain": r"ld\.global",
        "relaxed": r"ld\.relaxed\.gpu(\.global)?",
        "volatile": r"ld\.volatile(\.global)?",
    }

    @staticmethod
    def kernels(text: str) -> dict[str, Kernel]:
        found = {}
        text = re.sub(r"//[^\n]*", "", text)
        for name, body in re.findall(r"\.entry (\w+)\(.*?^\{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE):
            if not OURS.fullmatch(name):
                continue
            lines = (line.strip().rstrip(";") for line in body.splitlines())
            # Neither declarations nor the braces round a call or round inline assembly.
            lines = (line.strip("{} \t") for line in lines if not line.startswith("."))
            found[name] = Kernel((line[:-1], "") if line.endswith(":") else ("", line) for line in lines)
        return found

    @staticmethod
    def reads(kernel: Kernel) -> list[int]:
        """First reads of keys: nothing else in these kernels is a 64-bit word in global memory that is read."""
        return [i for i, it in enumerate(kernel.code)
                if re.fullmatch(r"ld\..*[bsu]64", it.name) and not it.parts & {"param", "shared", "local", "const"}]

    @classmethod
    def is_read(cls, it: Instruction, kind: str) -> bool:
        return re.fullmatch(cls.READS[kind] + r"\.[bsu]64", it.name) is not None

    @staticmethod
    def exchanges(kernel: Kernel) -> list[int]:
        return [i for i, it in enumerate(kernel.code) if {"atom", "cas"} <= it.parts]

    @staticmethod
    def is_relaxed(kernel: Kernel, i: int) -> bool:
        """Relaxed and of device scope, which is what an atom without qualifiers is."""
        return "b64" in kernel.code[i].parts and not kernel.code[i].parts & {
            "acquire", "release", "acq_rel", "sc", "cta", "cluster", "sys"}

    @staticmethod
    def is_acquire_release(kernel: Kernel, i: int) -> bool:
        return {"b64", "acq_rel", "gpu"} <= kernel.code[i].parts


class Sass:
    """What to look for in the machine's code. A load is weak unless it says STRONG."""

    READS = {"plain": r"(\.SYS)?", "relaxed": r"\.STRONG\.GPU", "volatile": r"\.STRONG\.SYS"}

    @staticmethod
    def kernels(text: str) -> dict[str, Kernel]:
        found = {}
        for section in re.split(r"^\s*Function : ", text, flags=re.MULTILINE)[1:]:
            name = section.split()[0]
            if not OURS.fullmatch(name):
                continue
            lines = re.findall(r"^\s*/\*([0-9a-f]{4,})\*/\s+([^;]*);", section, re.MULTILINE)
            found[name] = Kernel((hex(int(address, 16)), code.strip()) for address, code in lines)
        return found

    @staticmethod
    def reads(kernel: Kernel) -> list[int]:
        """As for PTX. The code of a compare-exchange whose address space is not known ends in a load for the case that
        the address is not in global memory; that is none."""
        found = []
        otherwise: tuple[str, str] | None = None
        for i, it in enumerate(kernel.code):
            if {"ATOM", "CAS"} <= it.parts:
                otherwise = ("!" + it.operands[0], it.operands[2])
            elif re.match(r"LDG?\.E\.64", it.name) and (it.predicate, it.operands[-1]) != otherwise:
                found.append(i)
        return found

    @classmethod
    def is_read(cls, it: Instruction, kind: str) -> bool:
        return re.fullmatch(r"LDG?\.E\.64" + cls.READS[kind], it.name) is not None

    @staticmethod
    def exchanges(kernel: Kernel) -> list[int]:
        return [i for i, it in enumerate(kernel.code) if re.match(r"ATOMG?\..*CAS", it.name)]

    @classmethod
    def _fences(cls, kernel: Kernel, i: int) -> tuple[bool, bool]:
        """Whether whatever the probe did before is made visible first, and whatever it reads next is read afresh."""
        release = [n for n, it in enumerate(kernel.code) if it.name.startswith("MEMBAR.") and "GPU" in it.parts]
        acquire = [n for n, it in enumerate(kernel.code) if it.name == "CCTL.IVALL"]
        steps = cls.reads(kernel) + cls.exchanges(kernel)
        before = not any(kernel.avoids(n, {i}, release) for n in steps)
        after = not kernel.avoids(i, set(steps), acquire)
        return before, after

    @classmethod
    def is_relaxed(cls, kernel: Kernel, i: int) -> bool:
        return {"64", "STRONG", "GPU"} <= kernel.code[i].parts and cls._fences(kernel, i) == (False, False)

    @classmethod
    def is_acquire_release(cls, kernel: Kernel, i: int) -> bool:
        return {"64", "STRONG", "GPU"} <= kernel.code[i].parts and cls._fences(kernel, i) == (True, True)


LISTINGS = {"ptx": Ptx, "sass": Sass}


# --- Checks ----------------------------------------------------------------------------------------------------------


class Failed(Exception):
    """Says what is wrong with the code."""


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(what)


def check_reads(listing: type[Ptx] | type[Sass], kernel: Kernel, kind: str) -> None:
    """All first reads of keys are of one kind."""
    reads = [kernel.code[i] for i in listing.reads(kernel)]
    require(reads != [], "no key is read")
    for it in reads:
        require(listing.is_read(it, kind), f"not a {kind} read: {it}")


def check_exchange(listing: type[Ptx] | type[Sass], kernel: Kernel, kind: str) -> None:
    """Where compare-exchanges stand, and of which memory order they are."""
    first = listing.reads(kernel)[0]
    goals = {first, *kernel.ends}
    exchanges = listing.exchanges(kernel)
    if kind == "unmasked_acquire_release":
        require(len(exchanges) == STEPS * LANES, f"{len(exchanges)} compare-exchanges, not {STEPS * LANES}")
        for i in exchanges:
            it = kernel.code[i]
            require(it.predicate == "" and not kernel.avoids(first, goals, [i]), f"may be skipped: {it}")
            require(listing.is_acquire_release(kernel, i), f"not acquire-release: {it}")
    else:
        require(exchanges != [], "no compare-exchange")
        for i in exchanges:
            it = kernel.code[i]
            require(kernel.avoids(first, goals, [i]), f"at every step: {it}")
            require(listing.is_relaxed(kernel, i), f"not relaxed: {it}")


def check_walk(listing: type[Ptx] | type[Sass], kernel: Kernel, kind: str) -> None:
    """Whether a probe ends where it is resolved, or goes through all its steps."""
    reads = listing.reads(kernel)
    first = reads[0]
    goals = {first, *kernel.ends}
    if kind == "early_exit":
        require(len(reads) < STEPS, f"{len(reads)} reads: unrolled")
        require(kernel.avoids(reads[-1], {reads[-1]}, reads[:-1]), "no loop over the slots")
        require(kernel.avoids(first, goals, reads[1:]), "the first slot read does not end a probe")
        require(len(listing.exchanges(kernel)) < STEPS, "unrolled")
    else:
        require(len(reads) == STEPS * LANES, f"{len(reads)} reads, not {STEPS * LANES}")
        for i in reads[1:] + listing.exchanges(kernel):
            require(not kernel.avoids(i, {i}, [first]), f"in a loop inside the probe: {kernel.code[i]}")
        for i in reads[1:]:
            require(not kernel.avoids(first, goals, [i]), f"may be skipped: {kernel.code[i]}")


def check_lookup(listing: type[Ptx] | type[Sass], kernel: Kernel) -> None:
    require(listing.exchanges(kernel) == [], "a lookup has a compare-exchange")


def run(listing: type[Ptx] | type[Sass], text: str, name: str, aspect: str) -> None:
    """Checks both kernels of a bundle."""
    bundle = BUNDLES[name]
    kernels = listing.kernels(text)
    allocate, update = kernels[f"allocate_{name}"], kernels[f"update_{name}"]
    if aspect == "reads":
        check_reads(listing, allocate, bundle.reads)
        check_reads(listing, update, bundle.reads)
    elif aspect == "exchange":
        check_exchange(listing, allocate, bundle.exchange)
        check_lookup(listing, update)
    else:
        check_walk(listing, allocate, bundle.allocate)
        check_walk(listing, update, bundle.update)


def tests() -> list[str]:
    return [f"{listing}.{bundle}.{aspect}"
            for listing in LISTINGS for bundle in BUNDLES for aspect in ("reads", "exchange", "walk")]


def compile_kernels(folder: pathlib.Path, architecture: str, cuobjdump: str, command: list[str]) -> None:
    """Writes the listings. The SASS is made from the PTX, so that the source is read once."""
    ptx, cubin, sass = (folder / f"kernels.{kind}" for kind in ("ptx", "cubin", "sass"))
    for stale in (ptx, cubin, sass):
        stale.unlink(missing_ok=True)
    *nvcc, source = command
    arch = f"-arch=sm_{architecture}"
    subprocess.run([*nvcc, arch, "-ptx", source, "-o", ptx], check=True)
    if cuobjdump:
        subprocess.run([nvcc[0], arch, "-cubin", ptx, "-o", cubin], check=True)
        with open(sass, "w", encoding="utf-8") as out:
            subprocess.run([cuobjdump, "-sass", cubin], check=True, stdout=out)


def main(arguments: list[str]) -> int:
    if arguments == ["--list"]:
        print("\n".join(tests()))
        return 0
    if len(arguments) > 4 and arguments[0] == "--compile":
        compile_kernels(pathlib.Path(arguments[1]), arguments[2], arguments[3], arguments[4:])
        return 0
    if len(arguments) != 2 or arguments[1] not in tests():
        sys.exit(__doc__)
    listing, bundle, aspect = arguments[1].split(".")
    path = pathlib.Path(arguments[0]) / f"kernels.{listing}"
    if not path.exists():
        print("skipped: no cuobjdump (it comes with the CUDA toolkit), so no SASS")
        return SKIPPED
    try:
        run(LISTINGS[listing], path.read_text(encoding="utf-8"), bundle, aspect)
    except Failed as failure:
        print(f"{bundle}: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
