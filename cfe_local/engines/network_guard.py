"""Refuses every connection that would leave this machine, by raising where it is attempted. Fails closed.

It is an audit hook, so it also sees sockets made below Python's ``socket`` module, and nothing can take it out again.
It covers Python code in the process that installed it. Outside it: compiled libraries that open sockets themselves
(NCCL and Gloo between the workers of one engine).

Source: PEP 578; the events are listed under "Audit events table" in Python's documentation.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import sys
import sysconfig
from pathlib import Path
from types import FrameType

from cfe_local.errors import NetworkRefusedError

_log = logging.getLogger(__name__)

LOCAL_FAMILIES = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK", "AF_ALG") if hasattr(socket, name)
)
LOCAL_NAMES = frozenset({"", "localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"})
TRANSPORTS = frozenset({"urllib3", "requests", "httpx", "httpcore", "anyio", "aiohttp", "aiohappyeyeballs"})
"""Packages that connect on behalf of others; the one that called them is to be named."""

GUARD_VARIABLE = "CFE_GUARD_NETWORK"
"""Set to 1 in the environment of an engine process that must not leave the machine."""

_installed: list[bool] = []


def install_network_guard() -> None:
    """From now on and for good, refuse connections and name look-ups of this process that leave the machine.

    AF_UNIX sockets and loopback addresses stay allowed. Calling it again changes nothing.
    """
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_audit)


def install_if_asked() -> None:
    """Install in a process that an engine started for itself; vLLM calls this as a plug-in in each of its workers."""
    if os.environ.get(GUARD_VARIABLE) == "1":
        install_network_guard()


def network_guard_installed() -> bool:
    """Whether this process refuses to leave the machine."""
    return bool(_installed)


def is_local(host: object) -> bool:
    """Whether a host name or address means this machine. Names other than localhost do not: asking is a connection."""
    if host is None:
        return True
    name = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else str(host)
    name = name.strip("[]").partition("%")[0].rstrip(".").lower()
    if name in LOCAL_NAMES:
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    return address.is_loopback or address.is_unspecified


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket."):
        return
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        _check_address(event, arguments[0], arguments[1])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        if not is_local(arguments[0]):
            _refuse(event, arguments[0])
    elif event == "socket.getnameinfo" and not _is_local_address(arguments[0]):
        _refuse(event, arguments[0])


def _check_address(event: str, sock: object, address: object) -> None:
    if address is None or getattr(sock, "family", None) in LOCAL_FAMILIES:
        return
    if not _is_local_address(address):
        _refuse(event, address)


def _is_local_address(address: object) -> bool:
    return isinstance(address, tuple) and bool(address) and is_local(address[0])


def _refuse(event: str, target: object) -> None:
    message = (
        f"refused: {event.removeprefix('socket.')} to {target!r}, called by {' for '.join(_callers())}\n"
        "This machine's network is off limits while models run. "
        "Fix: use local files only, or set `allow_network: true` if leaving the machine is intended."
    )
    _log.error("%s", message)
    raise NetworkRefusedError(message)


def _callers() -> list[str]:
    """``file:line`` of the first library or program that asked, and of the first program, if that is another."""
    standard = sysconfig.get_paths()["stdlib"]
    libraries = [sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"]]
    named: list[str] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        in_library = any(path.startswith(library) for library in libraries)
        own = path == __file__ or path.startswith("<frozen")
        if not own and (in_library or not path.startswith(standard)):
            parts = Path(path).parts
            if not in_library:
                return [*named, f"{path}:{frame.f_lineno}"]
            if not named and not TRANSPORTS.intersection(parts):
                named.append(f"{path}:{frame.f_lineno}")
        frame = frame.f_back
    return named or ["unknown code"]
