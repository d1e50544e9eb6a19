"""How fast accelerators are on paper, so that a plan's time can be estimated on a machine that has none.

Source: the makers' data sheets, dense 16-bit rate and memory bandwidth. The row ``cpu`` is one core of a server CPU,
fitted to vLLM's CPU build with a 1.5 B model.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from cfe_local.engines.devices import Device


@dataclass(frozen=True, slots=True)
class Rate:
    """One accelerator's, or one core's; of several together where they are multiplied.

    Attributes:
        bandwidth_gb_s: From its memory, 1e9 bytes/s.
        tflops: Dense 16-bit operations, 1e12 a second.
    """

    bandwidth_gb_s: float
    tflops: float

    def times(self, n: int) -> Rate:
        """That of several."""
        return Rate(n * self.bandwidth_gb_s, n * self.tflops)


RATES: Mapping[str, Rate] = {
    "b200": Rate(8000, 2250),
    "h200": Rate(4800, 989),
    "h100": Rate(3350, 989),
    "a100-80": Rate(2039, 312),
    "a100-40": Rate(1555, 312),
    "l40s": Rate(864, 362),
    "rtx4090": Rate(1008, 165),
    "l4": Rate(300, 121),
    "v100-32": Rate(900, 125),
    "t4": Rate(320, 65),
    "cpu": Rate(12.5, 0.3),
}


def rate_of(device: Device) -> Rate | None:
    """The rate of all devices of a node together; None for a kind whose figures are not listed."""
    rate = RATES.get(device.name)
    return rate.times((os.cpu_count() or 1) if device.is_cpu else device.count) if rate is not None else None
