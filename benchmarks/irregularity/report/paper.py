"""The paper's own figures, and those of its kernels on an H200: paper.csv."""

from __future__ import annotations

import pathlib
from typing import Optional

from . import reading

PATH = pathlib.Path(__file__).resolve().parent.parent / "paper.csv"
CARDS = ("RTX 5070 Ti", "RTX 5060")


class Paper:
    """Figures by source table and keys."""

    def __init__(self, path: pathlib.Path = PATH):
        table, _ = reading.read_table(path)
        keys = ("source", "device", "cell", "stage", "arm", "setting", "quantity")
        reading.require_columns(table, keys + ("value",), path.name)
        values = reading.numbers(table, "value", path.name)
        self._values = dict(zip(table[list(keys)].itertuples(index=False, name=None), values))

    def get(
        self,
        source: str,
        quantity: str,
        *,
        device: str = "",
        cell: str = "base",
        stage: str = "allocate",
        arm: str = "",
        setting: str = "",
    ) -> Optional[float]:
        return self._values.get((source, device, cell, stage, arm, setting, quantity))

    def need(self, source: str, quantity: str, **keys: str) -> float:
        """As get, of a figure that has to be there."""
        value = self.get(source, quantity, **keys)
        if value is None:
            raise reading.ReportError(f"{PATH.name}: has no {quantity} of {source} for {keys}")
        return value

    def ratios(self, arm: str, cell: str = "base", stage: str = "allocate") -> list[float]:
        """The paper's ratio of an arm to CUDA C++, on each card that has it."""
        found = [self.get("sweep", "ratio", device=card, cell=cell, stage=stage, arm=arm) for card in CARDS]
        return [value for value in found if value is not None]

    def cells(self, source: str) -> list[str]:
        return list(dict.fromkeys(key[2] for key in self._values if key[0] == source))

    def scratch_sms(self) -> list[int]:
        """SMs of the cards that the paper swept the scratch region on."""
        settings = {key[5] for key in self._values if key[0] == "scratch" and "sms=" in key[5]}
        return sorted({int(setting.rpartition("sms=")[2]) for setting in settings})

    def h200_ms(
        self,
        arm: str,
        stage: str = "allocate",
        discipline: str = "one_stream",
        scratch_slots: Optional[int] = None,
        cell: str = "base",
    ) -> Optional[float]:
        """Milliseconds of one of the paper's kernels on an H200."""
        scratch = f"scratch_slots={scratch_slots};" if scratch_slots else ""
        return self.get(
            "kernels_h200",
            "ms",
            device="H200",
            cell=cell,
            stage=stage,
            arm=arm,
            setting=f"{scratch}discipline={discipline}",
        )
