"""The guard, each time in a process of its own: once in, it cannot be taken out again."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cfe_local.config import ModelConfig
from cfe_local.engines.environment import engine_environment
from cfe_local.engines.network_guard import GUARD_VARIABLE, install_if_asked, is_local

ROOT = Path(__file__).parents[2]
HEAD = """
from cfe_local.engines.network_guard import install_network_guard
from cfe_local.errors import NetworkRefusedError
install_network_guard()
install_network_guard()
"""


def run(folder: Path, body: str, **environ: str) -> str:
    """Run a planted program with the guard in; what it printed."""
    path = folder / "planted.py"
    path.write_text(HEAD + body)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment, timeout=120)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("", True),
        (None, True),
        (b"localhost", True),
        ("8.8.8.8", False),
        ("10.0.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("::ffff:8.8.8.8", False),
        ("fe80::1%eth0", False),
        ("example.org", False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_only_this_machine_is_local(host: object, local: bool) -> None:
    assert is_local(host) is local


@pytest.mark.parametrize(
    "attempt",
    [
        "import urllib.request; urllib.request.urlopen('http://example.org')",
        "import urllib.request; urllib.request.urlopen('http://192.0.2.1')",
        "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)",
        "import socket; socket.socket().connect_ex(('192.0.2.1', 80))",
        "import socket; socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('192.0.2.1', 53))",
        "import socket; socket.gethostbyname('example.org')",
        "import socket; socket.getaddrinfo('example.org', 443)",
        "import socket; socket.gethostbyaddr('192.0.2.1')",
        "import _socket; _socket.socket().connect(('192.0.2.1', 80))",
        "import asyncio; asyncio.run(asyncio.open_connection('192.0.2.1', 80))",
    ],
)
def test_every_way_out_is_refused_and_the_caller_named(tmp_path: Path, attempt: str) -> None:
    caught = "try:\n    ask()\nexcept NetworkRefusedError as error:\n    print('REFUSED', error)\n"
    said = run(tmp_path, f"def ask():\n    {attempt}\n{caught}")
    assert "REFUSED" in said
    assert f"{tmp_path / 'planted.py'}:7" in said
    assert "allow_network" in said


def test_a_planted_hub_download_is_refused_and_the_caller_named(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    body = "from huggingface_hub import hf_hub_download\nhf_hub_download('a/b', 'config.json')\n"
    said = run(tmp_path, body, HF_HUB_OFFLINE="0", HF_HOME=str(tmp_path), HF_TOKEN="none")
    assert "NetworkRefusedError: refused" in said
    assert f"{tmp_path / 'planted.py'}:7" in said


def test_this_machine_may_be_spoken_to(tmp_path: Path) -> None:
    body = """
import socket, tempfile, os
with socket.create_server(("127.0.0.1", 0)) as server:
    with socket.create_connection(server.getsockname()) as client:
        client.sendall(b"x")
    socket.create_connection(("localhost", server.getsockname()[1])).close()
path = os.path.join(tempfile.mkdtemp(), "s")
with socket.socket(socket.AF_UNIX) as server:
    server.bind(path)
    server.listen()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    sender.sendto(b"x", ("127.0.0.1", 9))
socket.getaddrinfo("localhost", 80)
print("ALL FINE")
"""
    assert "ALL FINE" in run(tmp_path, body)


def test_a_refusal_that_somebody_swallows_is_still_in_the_log(tmp_path: Path) -> None:
    body = "import socket\ntry:\n    socket.gethostbyname('example.org')\nexcept Exception:\n    pass\n"
    assert "refused: gethostbyname" in run(tmp_path, body)


@pytest.mark.parametrize(("asked", "installed"), [("1", "True"), ("", "False")])
def test_workers_of_an_engine_install_it_only_if_the_environment_asks(
    tmp_path: Path, asked: str, installed: str
) -> None:
    path = tmp_path / "worker.py"
    path.write_text(
        "from cfe_local.engines import network_guard\n"
        "network_guard.install_if_asked()\n"
        "print(network_guard.network_guard_installed())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), GUARD_VARIABLE: asked}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment, timeout=60)
    assert done.stdout.strip() == installed


def test_vllm_is_told_to_install_it_in_its_workers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name = project["entry-points"]["vllm.general_plugins"]["cfe_network_guard"]
    assert name == f"{install_if_asked.__module__}:{install_if_asked.__name__}"


def test_the_engine_process_asks_unless_the_network_is_allowed() -> None:
    model = ModelConfig(path="m")
    assert engine_environment(model, allow_network=False, base={})[GUARD_VARIABLE] == "1"
    assert GUARD_VARIABLE not in engine_environment(model, allow_network=True, base={})
