"""The review page as a small web application: a queue, one page per item, and forms that write labels.

Only this machine can reach it, only with the token in the address, and only under the address it was started at: the
Host header is checked against tricks with names, the Origin of every form against other pages. Pages are made here
without any script; the one script adds keyboard shortcuts.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cfe_local.errors import CfeError
from cfe_local.report.characters import shortened, visible
from cfe_local.report.html import TEMPLATES as REPORT_TEMPLATES
from cfe_local.review.desk import Desk
from cfe_local.review.items import FILTERS, FilterName, Item
from cfe_local.review.labels import ReviewLine
from cfe_local.review.shown import show_item

TEMPLATES = Path(__file__).with_name("templates")
MAX_FORM_BYTES = 64_000
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # The address holds the token: it goes to no other page.
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
IMAGE_TYPES = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png", b"GIF8": "image/gif", b"RIFF": "image/webp"}


class Guard:
    """Lets through only requests for the page's own address, and puts the page's headers on every answer."""

    def __init__(self, app: ASGIApp, *, port: int) -> None:
        """Guard an application that is served on a port of this machine."""
        self._app = app
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        refusal = self._refusal(Request(scope))
        await (refusal or self._app)(scope, receive, send_guarded)

    def _refusal(self, request: Request) -> Response | None:
        if request.headers.get("host", "") not in self._hosts:
            return PlainTextResponse("This page answers at its own address only.", status_code=421)
        origin = request.headers.get("origin")
        if origin is not None and origin not in self._origins:
            return PlainTextResponse("This form was sent by another page.", status_code=403)
        return None


@dataclass(frozen=True, slots=True)
class View:
    """What a request asks for: an item inside a filter."""

    index: int
    filter: FilterName


class Pages:
    """The endpoints."""

    def __init__(self, desk: Desk, token: str) -> None:
        """Serve one desk below one token."""
        self._desk = desk
        self._token = token
        self._root = f"/{quote(token)}"
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=lambda value: visible(value) if type(value) is str else value,
        )

    def routes(self) -> list[Route]:
        """Where each page stands."""
        return [
            Route("/{token}/", self.queue),
            Route("/{token}/item/{index:int}", self.item),
            Route("/{token}/label", self.label, methods=["POST"]),
            Route("/{token}/undo", self.undo, methods=["POST"]),
            Route("/{token}/image/{sha256}", self.image),
            Route("/{token}/icon.svg", self.icon),
            Route("/{token}/review.css", self.style),
            Route("/{token}/review.js", self.script),
        ]

    async def queue(self, request: Request) -> Response:
        """The list of items."""
        self._check(request)
        name = self._filter(request.query_params.get("filter"))
        said = self._desk.said()
        rows = []
        for index in self._desk.queue(name):
            item = self._desk.items[index]
            rows.append(
                {
                    "index": index,
                    "label": item.problem.label,
                    "sample": item.sample.key.sample if item.sample else None,
                    "topic": shortened(item.problem.topic or "", 60),
                    "mark": _mark(item) if not self._desk.settings.is_blind else "",
                    "said": [said[item.unit, a.name].label for a in item.aspects if (item.unit, a.name) in said],
                    "is_done": self._desk.is_done(item, said),
                }
            )
        return self._render(
            "queue.html.jinja", name, rows=rows, filters=self._filters(), status=self._queue_status(name, request)
        )

    async def item(self, request: Request) -> Response:
        """One item with its questions."""
        self._check(request)
        view = self._view(request.path_params["index"], request.query_params.get("filter"))
        item = self._desk.items[view.index]
        active = request.query_params.get("at", "")
        if item.aspect(active) is None:
            active = self._desk.first_open(view.index)
        shown = show_item(
            item,
            self._desk.said(),
            active=active,
            image_url=f"{self._root}/image",
            blind=self._desk.settings.is_blind,
        )
        queue = self._desk.queue(view.filter)
        at = queue.index(view.index) if view.index in queue else None
        return self._render(
            "item.html.jinja",
            view.filter,
            item=item,
            shown=shown,
            index=view.index,
            number=None if at is None else at + 1,
            earlier=queue[at - 1] if at else None,
            later=queue[at + 1] if at is not None and at + 1 < len(queue) else None,
            status=_status(item, self._desk.said(), request.query_params),
            # A new item is read from its top; an item that was there before goes on at the next question.
            is_continued=request.query_params.get("saved", "last") != "last" or "undone" in request.query_params,
        )

    async def label(self, request: Request) -> Response:
        """Write a label, then go on to what is open."""
        self._check(request)
        fields = await _form(request)
        view = self._view(_number(fields.get("item", "")), fields.get("filter"))
        item = self._desk.items[view.index]
        aspect = item.aspect(fields.get("aspect", ""))
        if aspect is None:
            raise HTTPException(400, "This item has no such question.")
        self._desk.label(
            item, aspect, fields.get("label", ""), value=fields.get("value", ""), comment=fields.get("comment", "")
        )
        queue = self._desk.queue(view.filter)
        place = self._desk.after(view.index, aspect.name, queue)
        if place is None:
            return self._go("/", filter=view.filter, saved="all")
        saved = aspect.name if place.index == view.index else "last"
        return self._go(f"/item/{place.index}", filter=view.filter, at=place.aspect, saved=saved)

    async def undo(self, request: Request) -> Response:
        """Take the last label back and show where it stood."""
        self._check(request)
        fields = await _form(request)
        name = self._filter(fields.get("filter"))
        place = self._desk.undo()
        if place is None:
            return self._go("/", filter=name, undone="nothing")
        return self._go(f"/item/{place.index}", filter=name, at=place.aspect, undone="1")

    async def image(self, request: Request) -> Response:
        """An image of a problem; no other file can be named."""
        self._check(request)
        path = self._desk.images.get(request.path_params["sha256"])
        if path is None or not path.is_file():
            raise HTTPException(404, "No such image.")
        with path.open("rb") as handle:
            head = handle.read(8)
        kind = next((name for start, name in IMAGE_TYPES.items() if head.startswith(start)), None)
        if kind is None:
            raise HTTPException(404, "Not an image that a browser shows.")
        return FileResponse(path, media_type=kind)

    async def icon(self, request: Request) -> Response:
        """The tab's icon; browsers ask for one anyway."""
        self._check(request)
        return FileResponse(TEMPLATES / "icon.svg", media_type="image/svg+xml")

    async def style(self, request: Request) -> Response:
        """The report's style sheet and this page's own."""
        self._check(request)
        sheets = (REPORT_TEMPLATES / "report.css", TEMPLATES / "review.css")
        return PlainTextResponse("\n".join(s.read_text(encoding="utf-8") for s in sheets), media_type="text/css")

    async def script(self, request: Request) -> Response:
        """Keyboard shortcuts."""
        self._check(request)
        text = (TEMPLATES / "review.js").read_text(encoding="utf-8")
        return PlainTextResponse(text, media_type="text/javascript")

    # ------------------------------------------------------------ parts

    def _check(self, request: Request) -> None:
        if not secrets.compare_digest(request.path_params["token"].encode(), self._token.encode()):
            raise HTTPException(404, "No such page. The address with its token stands in the terminal.")

    def _filter(self, name: str | None) -> FilterName:
        return next((known for known in self._desk.filters if known == name), self._desk.settings.start_filter)

    def _filters(self) -> list[tuple[FilterName, str, int]]:
        return [(name, FILTERS[name], len(self._desk.queue(name))) for name in self._desk.filters]

    def _view(self, index: int, filter_name: str | None) -> View:
        if not 0 <= index < len(self._desk.items):
            raise HTTPException(404, "No such item.")
        return View(index, self._filter(filter_name))

    def _queue_status(self, name: FilterName, request: Request) -> str:
        said, queue = self._desk.said(), self._desk.queue(name)
        if queue and all(self._desk.is_done(self._desk.items[i], said) for i in queue):
            return "Everything in this queue is labelled."
        return "Nothing to take back." if "undone" in request.query_params else ""

    def _render(self, template: str, name: FilterName, **values: object) -> Response:
        desk, said = self._desk, self._desk.said()
        queue = desk.queue(name)
        page = self._templates.get_template(template).render(
            root=self._root,
            settings=desk.settings,
            reviewer=desk.book.reviewer,
            filter=name,
            n_done=sum(desk.is_done(desk.items[i], said) for i in queue),
            n_queue=len(queue),
            **values,
        )
        return HTMLResponse(page)

    def _go(self, path: str, **query: str) -> Response:
        return RedirectResponse(f"{self._root}{path}?{urlencode(query)}", status_code=303)


def _status(item: Item, said: Mapping[tuple[str, str], ReviewLine], query: QueryParams) -> str:
    """What the last form did, in the page's words; of the address only names of known aspects are used."""
    if "undone" in query:
        return "Taken back: the label given last."
    aspect = item.aspect(query.get("saved", ""))
    line = said.get((item.unit, aspect.name)) if aspect else None
    if aspect and line:
        return f"Saved: {shortened(aspect.title, 60)}: {line.label}."
    return "Saved. Next one." if "saved" in query else ""


def _mark(item: Item) -> str:
    """The response's verdict; none where nothing was to be graded (a proof)."""
    return item.sample.mark if item.sample and item.sample.verdicts else ""


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, the last of each name.

    Raises:
        HTTPException: If it is too large or not a form in UTF-8.
    """
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413, "The form is too large.")
    try:
        fields = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=20)
    except ValueError as error:
        raise HTTPException(400, "This is not a form of this page.") from error
    return {name: values[-1].replace("\r\n", "\n") for name, values in fields.items()}


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


async def _show_error(request: Request, error: Exception) -> Response:
    """An error that the user can do something about, in plain words; the label before it is on the disk."""
    del request
    if isinstance(error, HTTPException):
        return PlainTextResponse(str(error.detail), status_code=error.status_code)
    return PlainTextResponse(f"error: {error}", status_code=400 if getattr(error, "exit_code", 1) == 2 else 500)


def build_app(desk: Desk, *, token: str, port: int) -> ASGIApp:
    """The whole application.

    Args:
        desk: What is reviewed.
        token: Secret part of every address.
        port: Where it will be served, for the check of the Host header.
    """
    app = Starlette(
        routes=Pages(desk, token).routes(),
        exception_handlers={HTTPException: _show_error, CfeError: _show_error},
    )
    # A path without its last slash is another page's, not ours to repair.
    app.router.redirect_slashes = False
    return Guard(app, port=port)
