"""The door: who may ask, for what, and what every answer carries.

The explorer shows model text, which is hostile, on a port that every page in the browser can reach. So: a token that only
the terminal shows buys a cookie, once; a request must name this machine as its host, or a foreign name could be pointed
here; nothing can be written; and the policy of every answer lets the browser run and load what this server sends only.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from html import escape
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
    "cache-control": "no-store",
}
LONGEST_QUERY = 8_000  # bytes


class Door:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        if port == 80:  # browsers leave the usual port out
            self._hosts |= {"127.0.0.1", "localhost"}
        self._token: str | None = token
        self._session = secrets.token_urlsafe(32)  # not the token: what a URL once showed opens nothing
        self._cookie = f"forgetmap_{port}"  # browsers send cookies of one host to all its ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if "server" in headers:
                    del headers["server"]
            await send(message)

        refusal = self._answer(scope)
        await (self._app if refusal is None else refusal)(scope, receive, guarded)

    def _answer(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") == [] or any(host.lower() not in self._hosts for host in headers.getlist("host")):
            host = sorted(self._hosts)[0]
            return _page(421, "Wrong address", f"This server answers to {host} only; open it under that address.")
        if scope["method"] not in ("GET", "HEAD"):
            said = f"{scope['method']} is not allowed: nothing here can be changed. Only GET and HEAD are answered."
            return _page(405, "Nothing to write", said, {"allow": "GET, HEAD"})
        query = scope.get("query_string", b"")
        if len(query) > LONGEST_QUERY or len(scope.get("raw_path") or b"") > LONGEST_QUERY:
            said = f"The address is longer than {LONGEST_QUERY:,} bytes; permalinks are shorter."
            return _page(414, "Too long", said)
        known = self._is_known(headers)
        given = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in given if name == TOKEN]
        if tokens and scope["path"] == "/":
            return self._exchange(scope, tokens, [pair for pair in given if pair[0] != TOKEN], known)
        return None if known else _no_entry(scope)

    def _exchange(self, scope: Scope, tokens: list[str], rest: list[tuple[str, str]], known: bool) -> Response:
        """Take the token, hand out the cookie, and drop the token from the address."""
        right = self._token is not None and len(tokens) == 1 and _same(tokens[0], self._token)
        if not right and not known:
            return _page(
                403,
                "This link was used, or is not complete",
                "The link in the terminal opens the explorer once, in one browser. Go on in the browser that opened it, or "
                "stop the server and start it again for a new link.",
            )
        # encoded anew: nothing of the address is copied into a header as it came
        target = "/" + (f"?{urlencode(rest)}" if rest else "")
        answer = RedirectResponse(target, status_code=303)
        if right and scope["method"] == "GET":
            self._token = None
            answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
        return answer

    def _is_known(self, headers: Headers) -> bool:
        return any(_same(value, self._session) for value in _cookies(headers.getlist("cookie"), self._cookie))


def _cookies(headers: Iterable[str], name: str) -> list[str]:
    parts = (part.strip().partition("=") for header in headers for part in header.split(";"))
    return [value.strip() for key, _, value in parts if key == name]


def _same(given: str, kept: str) -> bool:
    """Compare in a time that tells nothing of where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), kept.encode())


def _no_entry(scope: Scope) -> Response:
    # A link followed from another site comes without the cookie, which is meant; from this page it comes with it.
    again = ""
    if scope["path"] == "/":
        query = scope.get("query_string", b"").decode("latin-1")
        again = f'<p><a href="/{escape("?" + query) if query else ""}">Open it from here</a>, if you came from another site.</p>'
    return _page(
        403,
        "Not open to this browser",
        "The explorer opens with the link that `forgetmap view` printed in the terminal, in the browser that used it.",
        more=again,
    )


def _page(status: int, title: str, said: str, headers: dict[str, str] | None = None, more: str = "") -> HTMLResponse:
    """A page of words; it needs no style, and gets none from those who are not known."""
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><h1>{escape(title)}</h1><p>{escape(said)}</p>{more}</html>",
        status_code=status,
        headers=headers,
    )
