from __future__ import annotations

import importlib.util
import os

import pytest

from cfe_local.errors import UsageError
from cfe_local.review import server
from cfe_local.review.server import LOOPBACK, listen, require_web_packages


def test_the_socket_listens_on_this_machine_alone() -> None:
    with listen(0) as listener:
        assert listener.getsockname()[0] == LOOPBACK


def test_a_port_in_use_is_a_clear_error() -> None:
    with listen(0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} is in use"):
            listen(port)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may use every port")
def test_a_port_that_is_not_allowed_is_a_clear_error() -> None:
    with pytest.raises(UsageError, match="may not be used"):
        listen(1)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> object:
        return None if name == "uvicorn" else importlib.util.find_spec(name)

    monkeypatch.setattr(server, "find_spec", find)
    with pytest.raises(UsageError, match=r"needs the package uvicorn.*\n.*cfe-local\[review\]"):
        require_web_packages()
