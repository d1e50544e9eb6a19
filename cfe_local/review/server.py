"""Serves the review page on this machine alone, until it is interrupted."""

from __future__ import annotations

import errno
import secrets
import socket
from collections.abc import Callable
from importlib.util import find_spec

from cfe_local.errors import UsageError
from cfe_local.review.desk import Desk

LOOPBACK = "127.0.0.1"


def require_web_packages() -> None:
    """Check that the packages of the extra ``review`` are there, before anything is opened.

    Raises:
        UsageError: If one is missing.
    """
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the review page needs the package {missing[0]}, which is not installed\n"
            "Fix: pip install 'cfe-local[review]'"
        )


def listen(port: int) -> socket.socket:
    """A listening socket on the loopback address.

    Args:
        port: 0 takes any free one.

    Raises:
        UsageError: If the port is taken or not allowed.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen(64)
    except OSError as error:
        listener.close()
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        why = "is in use" if error.errno == errno.EADDRINUSE else "may not be used by this user"
        raise UsageError(f"port {port} {why}\nFix: another --port, or none: a free one is found then.") from error
    return listener


def serve(desk: Desk, listener: socket.socket, *, announce: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Args:
        desk: What is reviewed.
        listener: From ``listen``.
        announce: Told the page's address, once it can be opened.
    """
    import uvicorn

    from cfe_local.review.app import build_app

    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    # One process, one thread: labels are written in the order in which they were given.
    config = uvicorn.Config(
        build_app(desk, token=token, port=port),
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        loop="asyncio",
        http="h11",
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    announce(f"http://{LOOPBACK}:{port}/{token}/")
    uvicorn.Server(config).run(sockets=[listener])
