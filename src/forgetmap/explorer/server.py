"""The server: addresses, and the threads behind them.

Every address is read-only and takes the same query: that of the page. Work runs in threads, slow and quick apart, so that
a pair of millions of items that is being read holds up nobody who turns a page.
"""

from __future__ import annotations

import logging
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl

import anyio
import anyio.to_thread
import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from forgetmap.errors import ForgetmapError, UsageError
from forgetmap.explorer import downloads, drawing
from forgetmap.explorer.ahead import Need
from forgetmap.explorer.desk import Desk
from forgetmap.explorer.listing import check_task, count_facets, list_items
from forgetmap.explorer.security import TOKEN, Door
from forgetmap.explorer.shelf import Shelf
from forgetmap.explorer.state import View, parse_view

_QUICK, _SLOW = 8, 2  # threads
Answer = Callable[[Request], Awaitable[Response]]


class Explorer:
    """The addresses of one desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._drawn: Shelf[Any, bytes] = Shelf(128)
        self._limits: dict[str, anyio.CapacityLimiter] = {}

    def app(self) -> Starlette:
        """Return the application, without its door."""
        routes = [
            Route("/", self._shell),
            Route("/static/{name}", self._static),
            Route("/api/library", self._library),
            Route("/api/view", self._view),
            Route("/api/more", self._of(drawing.more_sections)),
            Route("/api/causes", self._of(drawing.causes_section, slow=True)),
            Route("/api/chain", self._of(drawing.chain_section, slow=True)),
            Route("/api/slices", self._slices),
            Route("/api/facets", self._of(count_facets)),
            Route("/api/items", self._of(_items)),
            Route("/download/cells.csv", self._download("csv", downloads.cells_csv, "text/csv", "cells")),
            Route("/download/map.json", self._download("json", _map_json, "application/json", "map")),
            Route("/download/report.html", self._download("html", _report, "text/html", "report")),
            Route("/download/items.csv", self._items_csv),
            Route("/download/figures/{name}.{kind}", self._figure),
        ]
        handlers: dict[Any, Any] = {HTTPException: _http_fault, ForgetmapError: _refusal, Exception: _fault}
        app = Starlette(routes=routes, exception_handlers=handlers, lifespan=self._lifespan)
        app.router.redirect_slashes = False
        return app

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self._limits = {"quick": anyio.CapacityLimiter(_QUICK), "slow": anyio.CapacityLimiter(_SLOW)}
        first = self.desk.first_view()
        if first is not None:
            self.desk.ahead.add(self._later(first), Need.NEXT)
            self.desk.warm(first)
        yield

    def view(self, request: Request) -> View:
        """Return what a request looks at."""
        # percent signs that are no code stay as they are, and bytes that are no text become U+FFFD: both match no name
        try:
            given = parse_qsl(request.url.query, keep_blank_values=True, max_num_fields=100)
        except ValueError as fault:
            raise UsageError("the address says more than 100 things; permalinks say less") from fault
        own = [(name, value) for name, value in given if name != "place"]
        return parse_view(
            own, runs=self.desk.library.entries, taxonomies=self.desk.taxonomies, default=self.desk.first_view()
        )

    async def _run(self, work: Callable[[], Any], *, slow: bool = False) -> Any:
        def politely() -> Any:
            with self.desk.ahead.asked():
                return work()

        limit = self._limits.get("slow" if slow else "quick")
        return await anyio.to_thread.run_sync(politely, limiter=limit, abandon_on_cancel=True)

    async def _shell(self, request: Request) -> Response:
        return HTMLResponse(drawing.shell())

    async def _static(self, request: Request) -> Response:
        found = drawing.static_files().get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        kind, content = found
        return Response(content, media_type=kind)

    async def _library(self, request: Request) -> Response:
        first = self.desk.first_view()
        return _json({**drawing.describe_library(self.desk), "first": None if first is None else first.query()})

    async def _view(self, request: Request) -> Response:
        view = self.view(request)
        ahead = self.desk.ahead
        ahead.drop(Need.LIKELY, Need.PERHAPS)

        def work() -> tuple[bytes, list[View]]:
            return self._draw_first(view), drawing.neighbours(self.desk, view)

        content, others = await self._run(work)
        self.desk.warm(view)
        ahead.add([step for other in others for step in self._later(other)], Need.PERHAPS)
        return Response(content, media_type="application/json")

    async def _slices(self, request: Request) -> Response:
        view = self.view(request)

        def work() -> tuple[dict[str, Any], list[View]]:
            return drawing.slices_section(self.desk, view), drawing.slice_views(self.desk, view)

        content, others = await self._run(work)
        self.desk.ahead.add([step for other in others for step in self._later(other)], Need.LIKELY)
        return _json(content)

    def _draw_first(self, view: View) -> bytes:
        """The verdict and the map of a view: drawn once, and kept while there is room."""
        return self._drawn.get(
            (view.map_key(), view.level),
            lambda: msgspec.json.encode(drawing.first_sections(self.desk, view), enc_hook=str),
        )

    def _later(self, view: View) -> list[Callable[[], object]]:
        """A view in short steps: whoever asks for another one waits for the step that is being made, not for the whole view."""
        return [
            *(lambda after=after: self.desk.restricted(view.before, after, view.only) for after in view.afters),
            lambda: self.desk.maps(view),
            lambda: self.desk.sheets(view),
            lambda: self._draw_first(view),
        ]

    def _of(self, work: Callable[[Desk, View], Any], *, slow: bool = False) -> Answer:
        async def answer(request: Request) -> Response:
            view = self.view(request)
            return _json(await self._run(lambda: work(self.desk, view), slow=slow))

        return answer

    def _download(self, kind: str, work: Callable[[Desk, View], str | bytes], media: str, what: str) -> Answer:
        async def answer(request: Request) -> Response:
            view = self.view(request)
            content = await self._run(lambda: work(self.desk, view), slow=True)
            return Response(content, media_type=media, headers=self._named(view, what, kind))

        return answer

    async def _items_csv(self, request: Request) -> Response:
        view = self.view(request)
        await self._run(lambda: check_task(self.desk, view))
        pieces: Iterator[str] = downloads.items_csv(self.desk, view)
        first = await self._run(lambda: next(pieces), slow=True)  # a refusal comes before the first byte

        async def stream() -> AsyncIterator[str]:
            yield first
            while (piece := await self._run(lambda: next(pieces, None), slow=True)) is not None:
                yield piece

        return StreamingResponse(stream(), media_type="text/csv", headers=self._named(view, "items", "csv"))

    async def _figure(self, request: Request) -> Response:
        name, kind = request.path_params["name"], request.path_params["kind"]
        place = request.query_params.get("place", "0")
        if not (place.isascii() and place.isdecimal() and len(place) <= 2):
            raise UsageError(f"place is '{place[:60]}'; it must be the number of an after, from 0")
        view = self.view(request)
        content = await self._run(lambda: _draw(self.desk, view, name, kind, int(place)), slow=True)
        media = {"svg": "image/svg+xml", "png": "image/png"}[kind]
        return Response(content, media_type=media, headers=self._named(view, name, kind))

    def _named(self, view: View, what: str, kind: str) -> dict[str, str]:
        stem = downloads.file_stem(self.desk, view)
        return {"content-disposition": f'attachment; filename="{stem}--{what}.{kind}"'}


def _items(desk: Desk, view: View) -> dict[str, Any]:
    check_task(desk, view)
    listing = list_items(desk, view)
    rows = listing.show(view.offset, view.offset + view.limit, brief=view.brief)
    return {"total": len(listing), "rows": rows, "searched": listing.searched, "to_search": listing.to_search}


def _map_json(desk: Desk, view: View) -> bytes:
    return msgspec.json.format(msgspec.json.encode(downloads.map_json(desk, view)), indent=1)


def _report(desk: Desk, view: View) -> str:
    return downloads.report_page(desk, view, drawing.command_of(desk, view))


def _draw(desk: Desk, view: View, name: str, kind: str, place: int) -> bytes:
    from forgetmap.report.figures.files import _maker

    if kind not in ("svg", "png"):
        raise UsageError(f"figures come as svg or png, not as '{kind[:20]}'")
    return _maker(kind)(downloads.figure_of(desk, view, name, place).svg)


def _json(content: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content, enc_hook=str), status_code=status, media_type="application/json")


async def _http_fault(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    said = {404: "there is nothing under this address; open / instead", 405: "nothing here can be changed"}
    return _json({"error": said.get(fault.status_code, fault.detail)}, fault.status_code)


async def _refusal(request: Request, fault: Exception) -> Response:
    return _json({"error": str(fault)}, 400)


async def _fault(request: Request, fault: Exception) -> Response:
    """What nobody foresaw is told as such; the server prints its traceback in the terminal."""
    return _json({"error": f"forgetmap failed ({type(fault).__name__}); the terminal says where"}, 500)


def bind(port: int) -> socket.socket:
    """Return a socket on this machine's own address only; port 0 takes any free one."""
    # with its protocol named, or asyncio leaves Nagle's algorithm on and every small answer waits 40 ms
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
    except OSError as fault:
        made.close()
        raise UsageError(f"port {port} cannot be used ({fault.strerror}); choose another --port, or none") from fault
    return made


class Service:
    """An explorer on its port, before it is run."""

    def __init__(self, desk: Desk, port: int = 0) -> None:
        self._socket = bind(port)
        self._socket.listen()  # whoever opens the link at once waits, and is not refused
        self.port = int(self._socket.getsockname()[1])
        token = secrets.token_urlsafe(32)
        self.address = f"http://127.0.0.1:{self.port}/?{TOKEN}={token}"  # opens the explorer, once
        self._server = uvicorn.Server(
            uvicorn.Config(
                Door(Explorer(desk).app(), port=self.port, token=token), log_level="warning", access_log=False,
                server_header=False, date_header=False, lifespan="on", timeout_graceful_shutdown=1, ws="none",
                proxy_headers=False, h11_max_incomplete_event_size=32_768,
            )
        )  # fmt: skip
        # what is still being made when somebody ends the server is given up, and that is no fault to print
        logging.getLogger("uvicorn.error").addFilter(lambda record: not self._server.should_exit)
        drawing.compile_templates()

    @property
    def is_running(self) -> bool:
        """Whether requests are answered."""
        return bool(self._server.started)

    def run(self) -> None:
        """Serve until interrupted or stopped."""
        sys.setswitchinterval(0.001)  # a thread that reads replies must not hold up one that answers
        try:
            self._server.run(sockets=[self._socket])
        except KeyboardInterrupt:
            pass  # Ctrl-C is how people end it
        finally:
            self._socket.close()

    def stop(self) -> None:
        """Have the server end, from another thread."""
        self._server.should_exit = True
