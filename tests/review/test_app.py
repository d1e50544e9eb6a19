"""The application without a browser or a socket: who may ask, what may be sent, and what every answer carries."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.types import ASGIApp, Message

from cfe_local.review.app import build_app
from cfe_local.review.desk import Desk

from .desks import desk as make_desk

TOKEN, PORT = "secret-token", 8765


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Client:
    """Speaks ASGI to an application."""

    app: ASGIApp
    desk: Desk

    def get(self, path: str, **headers: str) -> Answer:
        return self._ask("GET", path, b"", headers)

    def post(self, path: str, fields: dict[str, object] | bytes, **headers: str) -> Answer:
        body = fields if isinstance(fields, bytes) else urlencode(fields).encode()
        return self._ask("POST", path, body, headers)

    def _ask(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        path, _, query = path.partition("?")
        sent = {"host": f"127.0.0.1:{PORT}"} | headers
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", PORT),
        }
        got: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            got.append(message)

        asyncio.run(self._run(scope, receive, send))
        start = got[0]
        found = {name.decode(): value.decode() for name, value in start["headers"]}
        return Answer(start["status"], found, b"".join(one.get("body", b"") for one in got[1:]).decode())

    async def _run(self, scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        await self.app(scope, receive, send)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    desk = make_desk(tmp_path)
    yield Client(build_app(desk, token=TOKEN, port=PORT), desk)
    desk.book.close()


def fields(**changes: object) -> dict[str, object]:
    return {"item": 0, "filter": "all", "aspect": "v0", "label": "correct", "value": "", "comment": ""} | changes


def test_a_label_is_written_and_leads_to_the_next_open_item(client: Client) -> None:
    answer = client.post(f"/{TOKEN}/label", fields())
    assert (answer.status, answer.headers["location"]) == (
        303,
        f"/{TOKEN}/item/1?filter=all&at=v0&saved=last",
    )
    assert [line.label for line in client.desk.book.standing.history] == ["correct"]


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/item/0", "/favicon.ico", f"/{TOKEN}x/", f"/{TOKEN}/none"])
def test_without_the_token_there_is_nothing(client: Client, path: str) -> None:
    assert client.get(path).status == 404
    assert client.post("/wrong/label", fields()).status == 404
    assert client.desk.book.standing.history == ()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:8765", ""])
def test_another_host_name_is_refused(client: Client, host: str) -> None:
    assert client.get(f"/{TOKEN}/", host=host).status == 421
    assert client.post(f"/{TOKEN}/label", fields(), host=host).status == 421
    assert client.desk.book.standing.history == ()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"http://127.0.0.1:{PORT + 1}"])
def test_a_form_of_another_page_is_refused(client: Client, origin: str) -> None:
    assert client.post(f"/{TOKEN}/label", fields(), origin=origin).status == 403
    assert client.post(f"/{TOKEN}/label", fields(), origin=f"http://localhost:{PORT}").status == 303
    assert len(client.desk.book.standing.history) == 1


@pytest.mark.parametrize("path", [f"/{TOKEN}/", f"/{TOKEN}/item/0", f"/{TOKEN}/review.css", "/wrong/"])
def test_every_answer_carries_the_policy(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"item": 99}, 404),
        ({"item": -1}, 404),
        ({"item": "x"}, 404),
        ({"item": "٣"}, 404),
        ({"item": "9" * 5000}, 404),
        ({"aspect": "v7"}, 400),
        ({"aspect": ""}, 400),
        ({"label": "right"}, 400),
        ({"label": ""}, 400),
        ({"comment": "x" * 5000}, 400),
        ({"comment": "x" * 70_000}, 413),
    ],
)
def test_forms_that_make_no_sense_are_refused_and_nothing_is_written(
    client: Client, changes: dict[str, object], status: int
) -> None:
    assert client.post(f"/{TOKEN}/label", fields(**changes)).status == status
    assert client.desk.book.standing.history == ()


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"label=%ff%fe", b"a=1&" * 100, b"{}"])
def test_bodies_that_are_no_form_are_refused(client: Client, body: bytes) -> None:
    assert client.post(f"/{TOKEN}/label", body).status in (400, 404)
    assert client.desk.book.standing.history == ()


def test_labels_cannot_be_given_by_a_link(client: Client) -> None:
    assert client.get(f"/{TOKEN}/label?" + urlencode(fields())).status == 405


@pytest.mark.parametrize("name", ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "0" * 64])
def test_only_images_of_the_problems_are_served(client: Client, name: str) -> None:
    assert client.get(f"/{TOKEN}/image/{name}").status == 404


def test_an_unknown_filter_falls_back_and_is_not_repeated(client: Client) -> None:
    answer = client.get(f"/{TOKEN}/?filter=<script>")
    assert answer.status == 200
    assert "<script>" not in answer.text


def test_undo_with_nothing_to_undo_says_so(client: Client) -> None:
    assert client.post(f"/{TOKEN}/undo", {"filter": "all"}).headers["location"].endswith("undone=nothing")
