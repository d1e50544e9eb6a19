"""Devices that models run on: published facts of common GPUs, and what this machine has. Needs no GPU package.

Memory is the makers' figure in units of 10^9 bytes; drivers report a few percent more, so a plan made here is safe.

Source: NVIDIA's data sheets for memory and "CUDA GPU Compute Capability" (developer.nvidia.com/cuda-gpus) for
capabilities.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace

import psutil

from cfe_local.errors import UsageError

GB = 10**9
_QUERY = ("nvidia-smi", "--query-gpu=name,memory.total,compute_cap", "--format=csv,noheader,nounits")
_QUERY_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Device:
    """A kind of device and how many of them there are on one node.

    Attributes:
        memory_bytes: Of one device.
        capability: Compute capability (major, minor); None for a CPU.
    """

    name: str
    memory_bytes: int
    capability: tuple[int, int] | None
    count: int = 1

    @property
    def is_cpu(self) -> bool:
        """Whether models run on the processor here."""
        return self.capability is None


KNOWN: Mapping[str, Device] = {
    device.name: device
    for device in (
        Device("t4", 16 * GB, (7, 5)),
        Device("v100-16", 16 * GB, (7, 0)),
        Device("v100-32", 32 * GB, (7, 0)),
        Device("rtx3090", 24 * GB, (8, 6)),
        Device("a10", 24 * GB, (8, 6)),
        Device("a30", 24 * GB, (8, 0)),
        Device("a40", 48 * GB, (8, 6)),
        Device("a100-40", 40 * GB, (8, 0)),
        Device("a100-80", 80 * GB, (8, 0)),
        Device("l4", 24 * GB, (8, 9)),
        Device("rtx4090", 24 * GB, (8, 9)),
        Device("l40s", 48 * GB, (8, 9)),
        Device("h100", 80 * GB, (9, 0)),
        Device("h100-nvl", 94 * GB, (9, 0)),
        Device("h20", 96 * GB, (9, 0)),
        Device("h200", 141 * GB, (9, 0)),
        Device("b200", 180 * GB, (10, 0)),
        Device("rtx5090", 32 * GB, (12, 0)),
        Device("rtxpro6000", 96 * GB, (12, 0)),
    )
}


def parse_device(text: str) -> Device:
    """A device written as ``h200x8``, ``a100-80`` or ``cpu``.

    Raises:
        UsageError: For a device that is not in the table, or a count of none.
    """
    written = text.strip().lower()
    match = re.fullmatch(r"([a-z0-9-]+)x([0-9]{1,4})", written)
    name, count = (match[1], int(match[2])) if match and written not in KNOWN else (written, 1)  # rtx4090 is a name
    if name == "cpu":
        return this_cpu()
    if name not in KNOWN or count < 1:
        raise UsageError(
            f"--gpu {text}: not a known device\nFix: one of {', '.join(KNOWN)} or cpu, with how many: h200x8."
        )
    return replace(KNOWN[name], count=count)


def this_cpu() -> Device:
    """The processor here, with all of the machine's memory."""
    return Device("cpu", psutil.virtual_memory().total, None)


def this_machine() -> Device:
    """The GPUs of this machine, or its processor where no driver answers; of unequal GPUs the smallest counts."""
    if shutil.which(_QUERY[0]) is None:
        return this_cpu()
    try:
        done = subprocess.run(_QUERY, capture_output=True, text=True, timeout=_QUERY_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return this_cpu()
    found = [device for line in done.stdout.splitlines() if (device := read_driver_line(line)) is not None]
    if done.returncode != 0 or not found:
        return this_cpu()
    return replace(min(found, key=lambda device: device.memory_bytes), count=len(found))


def read_driver_line(line: str) -> Device | None:
    """One line of the driver's answer, ``name, MiB, capability``; None if it is something else."""
    fields = [field.strip() for field in line.rsplit(",", maxsplit=2)]
    capability = re.fullmatch(r"(\d+)\.(\d+)", fields[-1])
    if len(fields) != 3 or capability is None or not fields[1].isdigit():
        return None
    return Device(fields[0], int(fields[1]) * 2**20, (int(capability[1]), int(capability[2])))
