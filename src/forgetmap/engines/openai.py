"""Models behind a server that speaks OpenAI's protocol: vllm serve, SGLang, llama.cpp, transformers serve, or a hosted one."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from forgetmap.engines.echoes import Echo, Tail, read_tail
from forgetmap.engines.requests import Rate, Rated, Request, Write, Written
from forgetmap.engines.retries import Passing, Refused
from forgetmap.engines.server import OPENAI, Server
from forgetmap.errors import EngineError, UsageError

#: Batches are this many rounds of the requests that run at a time: enough to keep them all busy, little to lose.
_ROUNDS = 8
_PROBE = ("The sky above us is", " blue")
#: Names that servers have for the two honest ends of a reply; another is told as an error: content_filter.
_ENDS = {"stop": "stop", "tool_calls": "stop", "function_call": "stop", "eos": "stop", "length": "length"}
#: OpenAI itself takes no more stop strings; the others are cut here.
_STOPS = 4


class OpenAIEngine:
    """A model behind a server.

    Parameters
    ----------
    model : the name the server gives it.
    base_url : such as http://localhost:8000/v1; without one OPENAI_BASE_URL, or OpenAI's own.
    chat : whether it takes conversations; None asks the server.
    concurrency : requests that run at a time.
    retries : how often a request is repeated whose fault may pass.
    price_in, price_out : of a million tokens, in whatever money `usage` shall be told.
    timeout : seconds for one answer.
    extra_body : what else to send with every request, such as {"top_k": -1}: a server's own defaults hold for what is not sent.
    key_env : the environment variable that holds the key; there is no other way to give one.
    """

    name = "openai"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        chat: bool | None = None,
        concurrency: int = 16,
        retries: int = 6,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
        timeout: float = 120.0,
        extra_body: dict[str, Any] | None = None,
        key_env: str = "OPENAI_API_KEY",
    ) -> None:
        _check_prices(price_in, price_out)
        self.model = model
        self.splits: list[tuple[int, int]] = []
        #: Why it cannot do what it cannot.
        self.cannot: dict[str, str] = {}
        self._extra, self._prices, self._size = extra_body, (price_in, price_out), _ROUNDS * concurrency
        self.server = Server(
            model, base_url, key_env=key_env, concurrency=concurrency, retries=retries, timeout=timeout,
            requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute, extra_body=extra_body,
        )  # fmt: skip
        try:
            self.can = self.server.run(self._probe(chat))
        except BaseException:
            self.close()
            raise

    # ---- what it is ---------------------------------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        """Return the settings that change answers; what was spent is told by `usage`, for it changes as one goes on."""
        extra = None if self._extra is None else json.loads(self.server.hide(json.dumps(self._extra, sort_keys=True)))
        return {
            "model": self.model,
            "revision": None,  # only the server knows
            "adapter": None,
            "engine": self.name,
            "server": self.server.address,
            "extra_body": extra,
        }

    @property
    def usage(self) -> dict[str, Any]:
        """What was asked and spent so far, and which models the server says have answered."""
        spent, (price_in, price_out) = self.server.spent, self._prices
        cost = None
        if price_in is not None and price_out is not None:
            cost = (spent.tokens_in * price_in + spent.tokens_out * price_out) / 1e6
        return {
            "requests": spent.requests,
            "retries": spent.retries,
            "tokens_in": spent.tokens_in,
            "tokens_out": spent.tokens_out,
            "cost": cost,
            "models": sorted(spent.models),
            "fingerprints": sorted(spent.fingerprints),
        }

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return batches in the order given, one kind each: what runs together is the server's business."""
        batches = []
        for kind in (Rate, Write):
            places = [at for at, request in enumerate(requests) if isinstance(request, kind)]
            batches += [places[start : start + self._size] for start in range(0, len(places), self._size)]
        return batches

    def close(self) -> None:
        """Hang up."""
        self.server.close()

    # ---- what it can do -----------------------------------------------------------------------------------------------

    async def _probe(self, chat: bool | None) -> frozenset[str]:
        """Find out by asking: whether prompts are rated, texts continued and conversations held."""
        context, tail = _PROBE
        probes: dict[str, Callable[[], Awaitable[Any]]] = {
            "rate": partial(self._rate_one, context, tail),
            "text": partial(self._write_one, Write(context, max_tokens=1)),
            # models that think first refuse a limit of one token
            "chat": partial(self.server.chat, 32, messages=[{"role": "user", "content": "Hello"}], **self._limit(16)),
        }
        found = set()
        if chat is not None:
            del probes["chat"]
            found = {"chat"} if chat else set()
            self.cannot |= {} if chat else {"chat": "it was opened without chat"}
        for what, probe in probes.items():
            if what == "text" and "rate" in found:
                found.add("text")
                continue
            try:
                await probe()
            except Refused as fault:
                if fault.status in (401, 403):
                    raise self.server.refusal(fault) from None
                self.cannot[what] = f"it says {fault.status}: {fault.said}"
            except Passing as fault:
                raise self.server.failure([fault], 1, opening=True) from None
            except EngineError as fault:
                self.cannot[what] = str(fault)
            else:
                found.add(what)
        if not found:
            raise EngineError(
                f"the server {self.server.address} neither continues texts with {self.model} ({self.cannot['text']}) nor holds "
                f"conversations ({self.cannot['chat']}); check the name of the model and the address"
            )
        return frozenset((found - {"text"}) | {"write"})

    # ---- rating -------------------------------------------------------------------------------------------------------

    def rate(self, batch: Sequence[Rate]) -> list[Rated]:
        """Return log-likelihoods, from the prompt that the server echoes with every continuation."""
        if "rate" not in self.can:
            raise EngineError(
                f"the server {self.server.address} does not rate options ({self.cannot['rate']}); ask for letters in both runs, "
                "or use the vllm or transformers engine"
            )
        if any(request.messages is not None for request in batch):
            raise EngineError(
                "options after a conversation cannot be rated: only the server knows its template and it tells no likelihoods of "
                "it; rate with a base prompt, or ask for letters in both runs"
            )
        asks = [
            partial(self._rate_one, request.context, continuation)
            for request in batch
            for continuation in request.continuations
        ]
        told = iter(self.server.run(self.server.gather(asks)))
        answers = []
        for request in batch:
            rows = [next(told) for _ in request.continuations]
            tails = [tail for tail, _ in rows]
            answers.append(
                Rated(
                    tuple(tail.logprob for tail in tails), tuple(tail.tokens for tail in tails),
                    tuple(tail.greedy for tail in tails), rows[0][1], request.context,
                )
            )  # fmt: skip
        return answers

    async def _rate_one(self, context: str, continuation: str) -> tuple[Tail, int]:
        """The likelihood of a continuation, and the tokens before it."""
        prompt = context + continuation
        # one token is written and dropped: not every server takes a limit of none
        reply = await self.server.complete(
            len(prompt) / 4 + 1, prompt=prompt, max_tokens=1, temperature=0, echo=True, logprobs=1
        )
        told = reply.choices[0].logprobs
        if told is None or not told.tokens or not told.token_logprobs or not told.top_logprobs:
            raise EngineError("it gives no log-probabilities of a prompt when asked to echo it")
        seen = reply.usage.prompt_tokens
        if len(told.tokens) < seen:
            raise EngineError(f"it echoes {len(told.tokens)} tokens of a prompt of {seen}")
        # blanks at the end of a context belong to the word that follows, as in the other engines
        bare = len(context.rstrip())
        tail = read_tail(Echo(told.tokens[:seen], told.token_logprobs[:seen], told.top_logprobs[:seen]), prompt[bare:])
        return tail, seen - tail.tokens

    # ---- writing ------------------------------------------------------------------------------------------------------

    def write(self, batch: Sequence[Write]) -> list[Written]:
        """Return what the model writes."""
        for request in batch:
            if request.messages is None and "text" in self.cannot:
                raise EngineError(
                    f"the server {self.server.address} does not continue texts ({self.cannot['text']}); ask with a chat prompt, "
                    "and both models alike"
                )
            if request.messages is not None and "chat" not in self.can:
                raise EngineError(
                    f"the server {self.server.address} does not hold conversations ({self.cannot['chat']}); ask with a base "
                    "prompt, and both models alike"
                )
            if request.messages is not None and request.context:
                raise EngineError(
                    "a reply cannot be begun for the model here: only the server knows its template; use the vllm or the "
                    "transformers engine"
                )
        return self.server.run(self.server.gather([partial(self._write_one, request) for request in batch]))

    async def _write_one(self, request: Write) -> Written:
        sent: dict[str, Any] = {"temperature": request.temperature, "top_p": request.top_p}
        if request.stop:
            sent["stop"] = list(request.stop)[: _STOPS if self.server.address == OPENAI else None]
        if request.seed is not None:
            sent["seed"] = request.seed
        if request.messages is None:
            guess = len(request.context) / 4 + request.max_tokens
            reply = await self.server.complete(guess, prompt=request.context, max_tokens=request.max_tokens, **sent)
            return _written(reply, reply.choices[0].text, request, request.context)
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        shown = json.dumps(messages, ensure_ascii=False)
        if request.tools:
            sent["tools"] = [_tool(tool) for tool in request.tools]
        guess = len(shown) / 4 + request.max_tokens
        reply = await self.server.chat(guess, messages=messages, **self._limit(request.max_tokens), **sent)
        return _written(reply, _said(reply.choices[0].message), request, shown)

    def _limit(self, tokens: int) -> dict[str, int]:
        # OpenAI's newer models know only the newer name, servers of one's own mostly only the older
        return {"max_completion_tokens" if self.server.address == OPENAI else "max_tokens": tokens}


def _check_prices(price_in: float | None, price_out: float | None) -> None:
    if (price_in is None) != (price_out is None):
        raise UsageError("a cost needs both prices; give price_in and price_out, each of a million tokens")
    for name, price in (("price_in", price_in), ("price_out", price_out)):
        if price is not None and not 0 <= price < math.inf:
            raise UsageError(f"{name} is {price:g}; the price of a million tokens is wanted, 0 or more")


def _written(reply: Any, text: str, request: Write, context: str) -> Written:
    reason = reply.choices[0].finish_reason
    end = _ENDS.get(reason, f"error: {reason}")
    cuts = [text.index(stop) for stop in request.stop if stop in text]
    if cuts:  # some servers leave the stop string in
        text, end = text[: min(cuts)], "stop"
    return Written(text, reply.usage.completion_tokens, reply.usage.prompt_tokens, end, context)


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool in the shape of the protocol."""
    return tool if "function" in tool else {"type": "function", "function": tool}


def _said(message: Any) -> str:
    """What was said, calls included: as a model writes them that has no server to take them apart."""
    parts = [message.content or getattr(message, "refusal", None) or ""]
    for call in message.tool_calls or ():
        made = getattr(call, "function", None)
        if made is not None:
            name = json.dumps(made.name, ensure_ascii=False)
            parts.append(f'<tool_call>{{"name": {name}, "arguments": {made.arguments or "{}"}}}</tool_call>')
    return "\n".join(part for part in parts if part)
