"""A server that speaks the protocol and misbehaves as told: for faults that no honest server can be asked for."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Seen:
    """One request as it came in."""

    path: str
    body: dict[str, Any]
    key: str | None
    at: float


@dataclass
class FaultyServer:
    """`faults` are spent one per request, before anything is answered."""

    address: str = ""
    faults: deque[Fault] = field(default_factory=deque)
    seen: list[Seen] = field(default_factory=list)
    refuses: dict[str, tuple[int, str]] = field(default_factory=dict)  # path → status and sentence, always
    echoes: bool = True
    start: str = "<s>"  # a token that the model sees before every prompt
    slowness: float = 0.0
    busy: int = 0
    busiest: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    #: Fields of the reply that a test wants otherwise.
    choice: dict[str, Any] = field(default_factory=dict)

    def prompts(self) -> list[str]:
        """What was asked besides the probes of opening."""
        return [str(one.body.get("prompt", one.body.get("messages"))) for one in self.seen]


def send(handler: BaseHTTPRequestHandler, status: int, body: str, **headers: str) -> None:
    data = body.encode()
    handler.send_response(status)
    headers = {"Content_Type": "application/json", "Content_Length": str(len(data)), **headers}
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    if handler.close_connection:  # or the client may send its next request into a connection that nobody reads
        handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(data)


def status(code: int, said: str = "not now", *, kind: str | None = None, **headers: str) -> Fault:
    body = json.dumps({"error": {"message": said, "type": "x", "code": kind}})
    return lambda handler: send(handler, code, body, **headers)


def text(body: str, *, content: str = "application/json") -> Fault:
    return lambda handler: send(handler, 200, body, Content_Type=content)


def hang(seconds: float) -> Fault:
    return lambda _: time.sleep(seconds)


def drip(handler: BaseHTTPRequestHandler) -> None:
    """A byte now and then: never silent for long, never done."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(100):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            return
        time.sleep(0.1)


def reset(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def tokens_of(prompt: str) -> list[str]:
    """Words with the blank before them."""
    return re.findall(r"\s?[^\s]+|\s", prompt)


def _completion(server: FaultyServer, body: dict[str, Any]) -> dict[str, Any]:
    tokens = [server.start, *tokens_of(body["prompt"])] if server.start else tokens_of(body["prompt"])
    choice: dict[str, Any] = {"index": 0, "text": " yes", "finish_reason": "stop", "logprobs": None}
    if body.get("echo") and server.echoes:
        shown = [*tokens, " yes"]
        # every token is as unlikely as it is long, and beaten by another where it begins with x
        own = [-float(len(token)) for token in shown]
        best = [
            {token: value, **({"!": -0.1} if "x" in token else {})} for token, value in zip(shown, own, strict=True)
        ]
        choice |= {
            "text": body["prompt"] + " yes",
            "logprobs": {
                "tokens": shown,
                "token_logprobs": [None, *own[1:]],
                "top_logprobs": [None, *best[1:]],
                "text_offset": [],
            },
        }
    return {
        "id": "1", "object": "text_completion", "created": 0, "model": body["model"], "system_fingerprint": "fp1",
        "choices": [{**choice, **server.choice}],
        "usage": {"prompt_tokens": len(tokens), "completion_tokens": 1, "total_tokens": len(tokens) + 1},
    }  # fmt: skip


def _chat(server: FaultyServer, body: dict[str, Any]) -> dict[str, Any]:
    said = body["messages"][-1]["content"]
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": f"you said: {said}"}}
    return {
        "id": "1", "object": "chat.completion", "created": 0, "model": body["model"],
        "choices": [{**choice, **server.choice}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }  # fmt: skip


@contextmanager
def faulty_server() -> Iterator[FaultyServer]:
    """A server on a free port, for as long as it is wanted."""
    server = FaultyServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with server.lock:
                server.seen.append(Seen(self.path, body, self.headers.get("Authorization"), time.monotonic()))
                server.busy += 1
                server.busiest = max(server.busiest, server.busy)
                fault = server.faults.popleft() if server.faults else None
            try:
                self._answer(body, fault)
            except OSError:
                self.close_connection = True  # the client has gone
            finally:
                with server.lock:
                    server.busy -= 1

        def _answer(self, body: dict[str, Any], fault: Fault | None) -> None:
            if fault is not None:
                self.close_connection = True
                fault(self)
            elif self.path in server.refuses:
                code, said = server.refuses[self.path]
                status(code, said)(self)
            else:
                time.sleep(server.slowness)
                make = _chat if self.path.endswith("/chat/completions") else _completion
                send(self, 200, json.dumps(make(server, body)))

        def log_message(self, *_: Any) -> None:
            pass

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.daemon_threads = True
    server.address = f"http://127.0.0.1:{web.server_address[1]}/v1"
    thread = threading.Thread(target=web.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        web.shutdown()
        web.server_close()
        thread.join()
