"""Who is let in, over real HTTP: every answer is checked as a browser would get it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.served import Served, desk_of, serving, story
from forgetmap.errors import UsageError
from forgetmap.explorer.security import HEADERS, POLICY
from forgetmap.explorer.server import bind
from forgetmap.explorer.state import View


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving(desk_of(*story(items=40))) as running:
        yield running


@pytest.fixture(scope="module")
def let_in(served: Served) -> Iterator[httpx.Client]:
    client = served.client()
    yield client
    client.close()


@pytest.fixture
def stranger(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.base, timeout=30) as client:
        yield client


def raw(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(request)
        line.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := line.recv(65536):
            answer += piece
    return answer


EVERYWHERE = ["/", "/static/explorer.js", "/api/library", "/api/view", "/api/items", "/download/cells.csv", "/nowhere"]


@pytest.mark.parametrize("path", EVERYWHERE)
def test_nobody_without_the_cookie_sees_anything(stranger: httpx.Client, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "forgetmap view" in answer.text
    assert "planted" not in answer.text
    assert "base" not in answer.text


@pytest.mark.parametrize(
    "cookie", ["", "x", "forgetmap_1=x", "forgetmap_{port}=", "forgetmap_{port}=x", "forgetmap_{port}={token}"]
)
def test_no_other_cookie_opens(served: Served, stranger: httpx.Client, cookie: str) -> None:
    said = cookie.format(port=served.port, token=served.token)
    assert stranger.get("/api/library", headers={"cookie": said}).status_code == 403


def test_the_token_buys_a_cookie_once_and_leaves_the_address() -> None:
    desk = desk_of(*story(items=40))
    with serving(desk) as served:
        first, second = httpx.Client(), httpx.Client()
        with first, second:
            assert first.head(served.address).status_code == 303  # a look ahead, as link previews have, spends nothing
            answer = first.get(f"{served.address}&reading=observed&cell=task/a%20b")
            assert answer.status_code == 303
            assert served.token not in answer.headers["location"]
            assert parse_qs(urlsplit(answer.headers["location"]).query) == {
                "reading": ["observed"],
                "cell": ["task/a b"],
            }
            cookie = answer.headers["set-cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=strict" in cookie
            assert served.token not in cookie
            assert "Max-Age" not in cookie
            assert "expires" not in cookie.lower()
            assert first.get(f"{served.base}/api/library").status_code == 200
            used = second.get(served.address)
            assert used.status_code == 403
            assert "start it again" in used.text
            assert "set-cookie" not in used.headers
            again = first.get(served.address)  # the browser that is in may press reload
            assert again.status_code == 303
            assert again.headers["location"] == "/"
            assert "set-cookie" not in again.headers


@pytest.mark.parametrize("token", ["", "x", "TOKEN&token=TOKEN", "TOKENx", "\u00e9", "%ff"])
def test_wrong_tokens(served: Served, stranger: httpx.Client, token: str) -> None:
    answer = stranger.get(f"/?token={token.replace('TOKEN', served.token)}")
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_opens_nothing_but_the_front_door() -> None:
    with serving(desk_of(*story(items=40))) as served, httpx.Client() as client:
        assert client.get(f"{served.base}/api/library?token={served.token}").status_code == 403
        assert client.get(served.address).status_code == 303  # and was not spent by that


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:{port}", "localhost:{port}.evil.example", "localhost:{port}@evil", "[::1]:{port}", ""]
)  # fmt: skip
def test_a_foreign_host_is_refused_even_with_the_cookie(served: Served, let_in: httpx.Client, host: str) -> None:
    answer = let_in.get("/api/library", headers={"host": host.format(port=served.port)})
    assert answer.status_code in (400, 421)
    assert "base" not in answer.text


def test_both_names_of_this_machine_are_taken(served: Served, let_in: httpx.Client) -> None:
    for host in (f"127.0.0.1:{served.port}", f"localhost:{served.port}", f"LOCALHOST:{served.port}"):
        assert let_in.get("/api/library", headers={"host": host}).status_code == 200


def test_two_hosts_or_none(served: Served) -> None:
    good = f"Host: 127.0.0.1:{served.port}\r\n".encode()
    for hosts in (b"", good + b"Host: evil.example\r\n"):
        answer = raw(served.port, b"GET / HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
        assert answer.split(b" ", 2)[1] in (b"400", b"421")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("path", ["/", "/api/view", "/download/cells.csv"])
def test_nothing_can_be_written(let_in: httpx.Client, method: str, path: str) -> None:
    answer = let_in.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"
    assert "changed" in answer.text


def test_head_is_answered(let_in: httpx.Client) -> None:
    for path in ("/", "/static/explorer.css", "/api/library"):
        answer = let_in.head(path)
        assert answer.status_code == 200
        assert answer.content == b""


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2f..%2fetc%2fpasswd", "/static//etc/passwd",
        "/static/", "/static", "/static/explorer.html", "/download/", "/download/figures/..%2f..%2fx.svg", "/%00",
        "/etc/passwd", "//etc/passwd", "/download/figures/forest.pdf%00.svg", "/api/", "/static/explorer.js/",
    ],
)  # fmt: skip
def test_no_address_reaches_a_file(let_in: httpx.Client, path: str) -> None:
    answer = let_in.get(path)
    assert 400 <= answer.status_code < 500
    assert "root:" not in answer.text
    assert "import " not in answer.text
    assert "error" in answer.json()


def test_every_answer_carries_the_policy(served: Served, let_in: httpx.Client, stranger: httpx.Client) -> None:
    answers = {
        200: let_in.get("/"),
        303: let_in.get("/?token=x", follow_redirects=False),
        400: let_in.get("/api/view?reading=x"),
        403: stranger.get("/"),
        404: let_in.get("/nowhere"),
        405: let_in.post("/"),
        414: let_in.get("/?search=" + "x" * 9000),
        421: stranger.get("/", headers={"host": "evil.example"}),
    }
    download = let_in.get("/download/cells.csv")
    for status, answer in [*answers.items(), (200, download)]:
        assert answer.status_code == status
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (status, name)
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY


def test_the_page_holds_no_inline_script_or_style(let_in: httpx.Client) -> None:
    html = let_in.get("/").text
    assert "<script>" not in html
    assert "<style" not in html
    assert "style=" not in html
    assert "onclick" not in html
    sections = let_in.get("/api/view").json()["sections"] + let_in.get("/api/more").json()["sections"]
    assert len(sections) >= 3
    for section in sections:
        assert "<script" not in section["html"]
        assert " style=" not in section["html"]


def test_it_listens_on_this_machine_only(served: Served) -> None:
    with bind(0) as opened:
        assert opened.getsockname()[0] == "127.0.0.1"
        assert opened.proto == socket.IPPROTO_TCP  # or small answers wait for Nagle
        with pytest.raises(UsageError, match="cannot be used"):
            opened.listen()
            bind(opened.getsockname()[1])


ODD = [
    "reading=nonsense", "level=x", "weight=x", "taxonomy=/etc/passwd", "taxonomy=../x.yaml", "before=..%2f..", "after=zzz",
    "before=%00", "cell=x", "cell=category/", "cell=category/none", "cell=task/%F0%9F%92%A9", "only=x", "only=x:y", "only=options:none",
    "by=none", "transition=x", "task=none", "sort=x", "sort=__class__", "offset=-1", "offset=1.5", "offset=99999999999999999999",
    "offset=%D9%A1", "limit=0", "limit=201", "limit=x", "of=7", "of=-1", "chain=2", "descending=yes", "nonsense=1", "search=" + "x" * 500,
    "reading=auto&reading=auto", "&".join("only=options:4 options" for _ in range(9)), "&".join(f"after=x{n}" for n in range(30)),
    "&".join("a=b" for _ in range(200)), "place=1", "token=x", "%", "%zz=%zz", "=", "before=__proto__",
]  # fmt: skip


@pytest.mark.parametrize("query", ODD)
@pytest.mark.parametrize(
    "path", ["/api/view", "/api/items", "/api/slices", "/api/facets", "/download/cells.csv", "/download/items.csv"]
)
def test_odd_addresses_are_refused_in_words_or_harmless(let_in: httpx.Client, path: str, query: str) -> None:
    answer = let_in.get(f"{path}?{query}")
    assert answer.status_code < 500
    if answer.status_code != 200:
        assert len(answer.json()["error"]) > 15
        assert "Traceback" not in answer.text
    if query in ("nonsense=1", "reading=nonsense", "limit=201", "offset=-1", "token=x") or query.startswith("search="):
        assert answer.status_code == 400


@settings(max_examples=80)
@given(
    st.sampled_from(["/api/view", "/api/items", "/api/facets", "/api/slices", "/download/figures/forest.svg"]),
    st.lists(
        st.tuples(
            st.sampled_from([*View.__dataclass_fields__, "after", "place"]) | st.text(max_size=8), st.text(max_size=20)
        ),
        max_size=5,
    ),
)
def test_no_address_is_a_fault_of_ours(let_in: httpx.Client, path: str, given_: list[tuple[str, str]]) -> None:
    query = [
        (name.encode("utf-8", "replace").decode(), value.encode("utf-8", "replace").decode()) for name, value in given_
    ]
    assert let_in.get(path, params=query).status_code < 500


def test_web_sockets_are_refused(served: Served, let_in: httpx.Client) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in let_in.cookies.items())
    request = (
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nConnection: close\r\n\r\n"
    )
    assert b" 101 " not in raw(served.port, request.encode())


def test_a_link_from_another_site_can_be_followed_from_here(stranger: httpx.Client) -> None:
    answer = stranger.get('/?cell=task/"><script>alert(1)</script>')
    assert answer.status_code == 403
    assert "<script>" not in answer.text
    assert 'href="/?cell=' in answer.text
