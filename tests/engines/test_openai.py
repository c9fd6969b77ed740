"""The openai engine: against a server that misbehaves as told, and against a real one with a real model."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import faulty_server as faulty
import pytest

from forgetmap.engines import Message, Rate, Write, open_engine
from forgetmap.engines import retries as retries_module
from forgetmap.engines.echoes import Echo, read_tail
from forgetmap.engines.limits import Bucket
from forgetmap.errors import EngineError, UsageError

pytest.importorskip("openai")

KEY = "sk-quite-secret-4711"
HELLO = (Message("user", "hello"),)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[faulty.FaultyServer]:
    monkeypatch.setattr(retries_module, "_FIRST_WAIT", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with faulty.faulty_server() as found:
        yield found


@pytest.fixture
def opened(server: faulty.FaultyServer) -> Iterator[Callable[..., Any]]:
    """Open an engine at the server, and forget the requests of opening it."""
    engines = []

    def make(**options: Any) -> Any:
        engine = open_engine("openai", "m", **{"base_url": server.address, "chat": True, "retries": 3, **options})
        engines.append(engine)
        server.seen.clear()
        return engine

    yield make
    for engine in engines:
        engine.close()


# ---- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "faults",
    [
        [faulty.status(500), faulty.status(503)],
        [faulty.status(408), faulty.status(409)],
        [faulty.reset, faulty.reset],
        [faulty.text('{"choices": [{"te'), faulty.text("{}")],
        [faulty.text("<html>a proxy</html>", content="text/html"), faulty.text('{"choices": []}')],
        [faulty.hang(0.8), faulty.drip],
        [
            faulty.text('{"choices": [{"text": "a", "finish_reason": "abort"}], "usage": null}'),
            faulty.text('{"choices": [{"text": "a", "finish_reason": null}], "usage": null}'),
        ],
    ],
    ids=["5xx", "4xx that pass", "reset", "torn JSON", "no protocol", "too slow", "broken off"],
)
def test_faults_that_pass_are_waited_for(
    server: faulty.FaultyServer, opened: Callable[..., Any], faults: list[faulty.Fault]
) -> None:
    engine = opened(timeout=0.4)
    server.faults.extend(faults)
    start = time.monotonic()
    (found,) = engine.write([Write("Is it?", max_tokens=3)])
    assert time.monotonic() - start < 6  # a drip goes on for ten seconds
    assert (found.text, found.stop_reason) == (" yes", "stop")
    assert len(server.seen) == 3
    assert engine.usage["retries"] == 2


@pytest.mark.parametrize("header", [{"Retry_After": "1"}, {"Retry_After_Ms": "900"}])
def test_a_server_that_asks_for_a_pause_gets_it(
    server: faulty.FaultyServer, opened: Callable[..., Any], header: dict[str, str]
) -> None:
    engine = opened()
    server.faults.append(faulty.status(429, **header))
    engine.write([Write("Is it?")])
    first, second = server.seen
    assert 0.9 <= second.at - first.at < 3


def test_a_pause_told_as_a_date() -> None:
    then = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))
    assert retries_module.asked_wait({"retry-after": then}) == pytest.approx(30, abs=2)


def test_waits_grow_and_differ() -> None:
    fault = retries_module.Passing("x")
    waits = [[retries_module.wait_before(attempt, fault) for _ in range(50)] for attempt in (0, 3, 20)]
    assert all(0.25 <= wait <= 0.5 for wait in waits[0])
    assert all(2 <= wait <= 4 for wait in waits[1])
    assert max(waits[2]) <= 60
    assert len(set(waits[1])) > 40


def test_a_request_that_is_refused_is_not_repeated(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened(concurrency=1)
    server.faults.extend([faulty.status(400, "this prompt is too long:\n 9 tokens")])
    with pytest.raises(EngineError, match=r"refused a request \(400: this prompt is too long: 9 tokens\)"):
        engine.write([Write(f"{number}?") for number in range(5)])
    assert len(server.seen) == 1
    assert engine.write([Write("Is it?")])[0].text == " yes"  # and it is of use afterwards


def test_an_empty_account_is_not_waited_for(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened()
    server.faults.append(faulty.status(429, "you have run out of credit", kind="insufficient_quota"))
    with pytest.raises(EngineError, match="run out of credit"):
        engine.write([Write("Is it?")])
    assert len(server.seen) == 1


def test_a_pause_of_hours_is_not_waited_for(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened()
    server.faults.append(faulty.status(429, "come back tomorrow", Retry_After="40000"))
    with pytest.raises(EngineError, match="come back tomorrow"):
        engine.write([Write("Is it?")])


def test_a_batch_with_a_hole_is_no_batch(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened(concurrency=2, retries=2)
    server.faults.extend([faulty.status(502, "bad gateway")] * 6)
    with pytest.raises(
        EngineError,
        match=r"2 of 9 requests to .* failed after 2 retries, and 7 were not asked any more .*502: bad gateway",
    ):
        engine.write([Write(f"{number}?") for number in range(9)])
    assert len(server.seen) == 6
    assert engine.usage["retries"] == 4


def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries_module, "_FIRST_WAIT", 0.01)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EngineError, match=r"1 of 1 requests to .* failed after 1 retries .*no connection"):
        open_engine("openai", "m", base_url=f"http://127.0.0.1:{port}/v1", retries=1)


# ---- the key ----------------------------------------------------------------------------------------------------------


def test_the_key_is_sent_and_never_said(
    server: faulty.FaultyServer, opened: Callable[..., Any], caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    engine = opened(retries=1)
    said = []
    for faults in (
        [faulty.status(400, f"your key {KEY} is odd")],
        [faulty.status(500, f"Bearer {KEY} made me stumble")] * 2,
        [faulty.text(f"<p>{KEY}</p>", content="text/html")] * 2,
    ):
        server.faults.extend(faults)
        with pytest.raises(EngineError) as raised:
            engine.write([Write("Is it?")])
        said.append(str(raised.value))
        assert "[key]" in said[-1]  # the server did quote it
    engine.write([Write("Is it?", messages=None)])
    assert {one.key for one in server.seen} == {f"Bearer {KEY}"}
    out, err = capfd.readouterr()
    told = [
        *said,
        out,
        err,
        caplog.text,
        json.dumps(engine.describe()),
        json.dumps(engine.usage),
        repr(engine),
        repr(vars(engine.server)),
    ]
    assert not [one for one in told if KEY in one]
    assert "HTTP" in caplog.text  # the logs are not empty


def test_a_key_among_the_settings_is_not_written_down(opened: Callable[..., Any]) -> None:
    assert opened(extra_body={"note": f"with {KEY}"}).describe()["extra_body"] == {"note": "with [key]"}


def test_a_wrong_key_is_told_at_once(server: faulty.FaultyServer) -> None:
    server.refuses = {f"/v1/{path}": (401, f"incorrect key {KEY}") for path in ("completions", "chat/completions")}
    with pytest.raises(
        EngineError, match=r"401: incorrect key \[key\]\); set the key in the environment variable OPENAI_API_KEY"
    ):
        open_engine("openai", "m", base_url=server.address)
    assert len(server.seen) == 1


def test_a_key_of_another_name(server: faulty.FaultyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "another one")
    open_engine("openai", "m", base_url=server.address, key_env="OTHER_KEY", chat=True).close()
    assert server.seen[0].key == "Bearer another one"


def test_openai_itself_wants_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        open_engine("openai", "m")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"base_url": "http://me:hidden@localhost/v1"}, "carries a password"),
        ({"base_url": "http://localhost/v1?key=hidden"}, "or a query"),
        ({"base_url": "localhost:8000"}, "an address such as"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"tokens_per_minute": -1}, "tokens_per_minute is -1"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        open_engine("openai", "m", **{"base_url": "http://localhost:1/v1", **options})
    assert "hidden" not in str(raised.value)


# ---- asking -----------------------------------------------------------------------------------------------------------


def test_settings_reach_the_server(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened(extra_body={"top_k": -1})
    engine.write([Write("a", max_tokens=7, stop=("\n", "Q:"), temperature=0.7, top_p=0.9, seed=5)])
    engine.write([Write("", messages=HELLO, max_tokens=7, tools=({"name": "f", "parameters": {}},))])
    text, chat = server.seen
    assert text.path == "/v1/completions"
    assert text.body == {
        "model": "m", "prompt": "a", "max_tokens": 7, "stop": ["\n", "Q:"], "temperature": 0.7, "top_p": 0.9, "seed": 5, "top_k": -1,
    }  # fmt: skip
    assert chat.path == "/v1/chat/completions"
    assert chat.body == {
        "model": "m", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 7, "temperature": 0.0, "top_p": 1.0,
        "top_k": -1, "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
    }  # fmt: skip


def test_many_at_a_time_but_not_more_and_in_order(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened(concurrency=3)
    server.slowness, server.busiest = 0.1, 0
    asked = [Write("", messages=(Message("user", str(number)),)) for number in range(8)]
    server.faults.append(faulty.status(500))  # the first is answered after the others
    assert [one.text for one in engine.write(asked)] == [f"you said: {number}" for number in range(8)]
    assert server.busiest == 3


def test_usage_is_counted_and_priced(opened: Callable[..., Any]) -> None:
    engine = opened(price_in=2.0, price_out=10.0)
    before, described = engine.usage, engine.describe()
    engine.write([Write("", messages=HELLO)] * 3)
    after = engine.usage
    assert {name: after[name] - before[name] for name in ("requests", "retries", "tokens_in", "tokens_out")} == {
        "requests": 3, "retries": 0, "tokens_in": 30, "tokens_out": 15,
    }  # fmt: skip
    assert after["cost"] - before["cost"] == pytest.approx((30 * 2 + 15 * 10) / 1e6)
    assert (after["models"], after["fingerprints"]) == (["m"], ["fp1"])
    assert engine.describe() == described  # or a run could not be resumed
    assert opened().usage["cost"] is None


def test_a_limit_of_requests_holds(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened(requests_per_minute=240)  # four a second, twenty at once; opening takes one
    start = time.monotonic()
    engine.write([Write("a")] * 23)
    assert 0.8 <= time.monotonic() - start < 4


def test_buckets_make_wait_and_take_back() -> None:
    async def spend() -> list[float]:
        bucket, start, told = Bucket(1200), time.monotonic(), []  # twenty a second, a hundred at once
        for amount in (100, 6, 106):  # the last is more than it ever holds: it waits for a full one and leaves a debt
            await bucket.take(amount)
            told.append(time.monotonic() - start)
            if amount == 6:
                bucket.settle(500, 0)
        return told

    with ThreadPoolExecutor(1) as apart:  # the browser's tests leave a loop running in this thread
        first, second, third = apart.submit(lambda: asyncio.run(spend())).result()
    assert first < 0.1
    assert 0.28 <= second < 0.6
    assert third - second < 0.1


def test_ends_of_replies(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened()
    server.choice = {"text": " blue\nQ: and", "finish_reason": "length"}
    assert [(one.text, one.stop_reason) for one in engine.write([Write("a"), Write("a", stop=("Q:", "\n"))])] == [
        (" blue\nQ: and", "length"), (" blue", "stop"),
    ]  # fmt: skip
    server.choice = {"finish_reason": "content_filter", "message": {"role": "assistant", "content": None}}
    (held,) = engine.write([Write("", messages=HELLO)])
    assert (held.text, held.stop_reason) == ("", "error: content_filter")
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"x": 1}'}}
    server.choice = {
        "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": None, "tool_calls": [call]},
    }
    (called,) = engine.write([Write("", messages=HELLO)])
    assert called.text == '<tool_call>{"name": "add", "arguments": {"x": 1}}</tool_call>'
    assert called.stop_reason == "stop"
    assert called.context == '[{"role": "user", "content": "hello"}]'


def test_a_plan_keeps_the_order_and_parts_the_kinds(opened: Callable[..., Any]) -> None:
    engine = opened(concurrency=2)
    kinds = [Rate("a", (" b",)), *[Write("a")] * 20, Rate("c", (" d",))]
    assert engine.plan(kinds) == [[0, 21], list(range(1, 17)), list(range(17, 21))]


# ---- what a server can do -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refused", "echoes", "can"),
    [
        ({}, True, {"rate", "write", "chat"}),
        ({}, False, {"write", "chat"}),
        ({"/v1/completions": (404, "no such place")}, True, {"write", "chat"}),
        ({"/v1/chat/completions": (400, "no template")}, True, {"rate", "write"}),
    ],
)
def test_what_it_can_do_is_tried(
    server: faulty.FaultyServer, refused: dict[str, tuple[int, str]], echoes: bool, can: set[str]
) -> None:
    server.refuses, server.echoes = refused, echoes
    engine = open_engine("openai", "m", base_url=server.address)
    assert engine.can == can
    if "chat" not in can:
        with pytest.raises(EngineError, match=r"does not hold conversations .*400: no template"):
            engine.write([Write("", messages=HELLO)])
    if "rate" not in can:
        with pytest.raises(
            EngineError, match=r"404: no such place" if refused else "gives no log-probabilities of a prompt"
        ):
            engine.rate([Rate("a", (" b",))])
    if "/v1/completions" in refused:
        with pytest.raises(EngineError, match=r"does not continue texts .*no such place"):
            engine.write([Write("a")])
    engine.close()


def test_a_model_that_is_not_there(server: faulty.FaultyServer) -> None:
    server.refuses = {f"/v1/{path}": (404, "there is no model m") for path in ("completions", "chat/completions")}
    with pytest.raises(EngineError, match=r"neither continues texts with m .*there is no model m"):
        open_engine("openai", "m", base_url=server.address)


def test_options_are_rated_from_the_echo(server: faulty.FaultyServer, opened: Callable[..., Any]) -> None:
    engine = opened()
    asked = [Rate("Is the sky", (" blue", " xanthic or so")), Rate("So is ", ("this",))]
    first, second = engine.rate(asked)
    assert (first.logprobs, first.tokens, first.greedy) == ((-5.0, -14.0), (1, 3), (True, False))
    assert first.prompt_tokens == 4  # with the start token
    assert first.context == "Is the sky"
    # the blank at the end of a context belongs to the continuation
    assert (second.logprobs, second.tokens, second.prompt_tokens) == ((-5.0,), (1,), 3)
    with pytest.raises(EngineError, match=r"'ish' cannot be rated.*do not part where the context"):
        engine.rate([Rate("It is blue", ("ish",))])
    with pytest.raises(EngineError, match="after a conversation cannot be rated"):
        engine.rate([Rate("", ("a",), messages=HELLO)])
    server.start = ""
    with pytest.raises(EngineError, match="nothing stands before it"):
        engine.rate([Rate("", ("Alone",))])


def test_an_echo_that_tells_too_little_is_not_trusted() -> None:
    def echo(*tokens: str) -> Echo:
        return Echo(tokens, [None, *[-1.0] * (len(tokens) - 1)], [None] * len(tokens))

    assert read_tail(echo("a", " b", " c"), " b c").tokens == 2
    for tokens, tail in ((("a", " bc"), "c"), (("a", "", "é"), "é"), (("a", "�"), "é"), (("a", " b"), "")):
        with pytest.raises(EngineError, match="cannot be rated"):
            read_tail(echo(*tokens), tail)


# ---- a real server ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(
    smollm2: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str, subprocess.Popen[bytes]]]:
    """`transformers serve` with SmolLM2."""
    pytest.importorskip("fastapi")
    pytest.importorskip("transformers")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("served") / "log"
    program = Path(sys.executable).with_name("transformers")
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype", "float32"]
    with log.open("wb") as file:
        process = subprocess.Popen(
            [program, "serve", str(smollm2), *options],
            stdout=file,
            stderr=file,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    try:
        end = time.monotonic() + 240
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                    break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1", str(smollm2), process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.mark.slow
def test_a_real_server_says_what_its_model_says(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    address, model, process = served
    engine = open_engine("openai", model, base_url=address, concurrency=4)
    assert engine.can == {"write", "chat"}
    assert "no log-probabilities of a prompt" in engine.cannot["rate"]
    asked = [
        Write("Question: What is the capital of France?\nAnswer:", max_tokens=16, stop=("\n",)),
        Write("Once upon a time", max_tokens=12),
        Write("", messages=(Message("user", "What is the capital of France?"),), max_tokens=24),
        Write("", messages=(Message("system", "Be brief."), Message("user", "Name a colour.")), max_tokens=24),
    ]
    here = open_engine("transformers", model, device="cpu", threads=1)
    for theirs, ours in zip(engine.write(asked), here.write(asked), strict=True):
        assert (theirs.text, theirs.stop_reason, theirs.prompt_tokens) == (
            ours.text,
            ours.stop_reason,
            ours.prompt_tokens,
        )
    with pytest.raises(EngineError, match="does not rate options"):
        engine.rate([Rate("a", (" b",))])
    with pytest.raises(EngineError, match=r"400: Server is pinned to"):
        open_engine("openai", "another", base_url=address)
    process.send_signal(signal.SIGKILL)
    process.wait()
    monkeypatch.setattr(retries_module, "_FIRST_WAIT", 0.01)
    with pytest.raises(EngineError, match="no connection"):
        engine.write(asked)
    engine.close()
