"""A server that speaks OpenAI's protocol, asked with patience: so many requests at a time, repeated while a fault may pass.

The key comes from the environment and stays there: it is never kept, written or said.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from forgetmap.engines.limits import Bucket
from forgetmap.engines.retries import LONGEST_WAIT, Passing, Refused, asked_wait, passes, sentence, wait_before
from forgetmap.errors import EngineError, UsageError

_Found = TypeVar("_Found")

#: Where requests go without an address.
OPENAI = "https://api.openai.com/v1"
#: The server broke off by itself.
_BROKEN = (None, "abort", "error")
#: Retries of a request to a server that has never answered.
_KNOCKS = 2


class Unreached(Passing):
    """Nobody is there, or not yet."""


@dataclass
class Spent:
    """What was asked of a server, and who it says has answered."""

    requests: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    models: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)


class Server:
    """A model behind an address, with an event loop of its own so that callers need none."""

    def __init__(
        self,
        model: str,
        base_url: str | None,
        *,
        key_env: str,
        concurrency: int,
        retries: int,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        timeout: float,
        extra_body: dict[str, Any] | None,
    ) -> None:
        if concurrency < 1 or retries < 0 or timeout <= 0:
            raise UsageError(
                f"concurrency is {concurrency}, retries {retries} and timeout {timeout}; at least 1, 0 and more than 0 are wanted"
            )
        for name, value in (("requests_per_minute", requests_per_minute), ("tokens_per_minute", tokens_per_minute)):
            if value is not None and value <= 0:
                raise UsageError(f"{name} is {value}; a number above 0 is wanted, or none for no limit")
        self.address = _address(base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI)
        self.spent = Spent()
        self._model, self._key_env, self._extra = model, key_env, extra_body
        self._concurrency, self._retries, self._timeout = concurrency, retries, timeout
        self._requests = Bucket(requests_per_minute) if requests_per_minute else None
        self._tokens = Bucket(tokens_per_minute) if tokens_per_minute else None
        self._client = self._connect()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="forgetmap-server", daemon=True)
        self._thread.start()

    def _connect(self) -> Any:
        try:
            from openai import AsyncOpenAI
        except ImportError as fault:
            raise UsageError(
                "the openai engine needs a package that is not installed (openai); pip install 'forgetmap[openai]'"
            ) from fault
        key = os.environ.get(self._key_env)
        if not key and self.address == OPENAI:
            raise UsageError(f"{self._key_env} is not set, and {self.address} wants a key; set it in the environment")
        # a server of one's own mostly wants no key, but the package does; its own retries are off, for ours are counted
        return AsyncOpenAI(api_key=key or "none", base_url=self.address, timeout=self._timeout, max_retries=0)

    def run(self, work: Coroutine[Any, Any, _Found]) -> _Found:
        """Return what a coroutine returns."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # an interrupt shall not leave requests running that nobody waits for
            raise

    def close(self) -> None:
        """Hang up."""
        if self._loop.is_closed():
            return
        self.run(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # ---- asking -------------------------------------------------------------------------------------------------------

    async def gather(self, asks: Sequence[Callable[[], Awaitable[_Found]]]) -> list[_Found]:
        """Return all answers in order, or none: a batch with a hole is not saved and is asked again as a whole."""
        gate = asyncio.Semaphore(self._concurrency)
        failed: list[Passing] = []
        missing = object()

        async def one(ask: Callable[[], Awaitable[_Found]]) -> Any:
            async with gate:
                if failed:
                    return missing  # the batch is lost: what is not asked costs nothing
                try:
                    return await ask()
                except Passing as fault:
                    failed.append(fault)
                    return missing

        tasks = [asyncio.ensure_future(one(ask)) for ask in asks]
        try:
            found = await asyncio.gather(*tasks)
        except BaseException as fault:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if isinstance(fault, Refused):
                raise self.refusal(fault) from None
            raise
        if failed:
            unasked = sum(answer is missing for answer in found) - len(failed)
            raise self.failure(failed, len(asks), unasked)
        return found

    async def complete(self, guess: float, **sent: Any) -> Any:
        """Return how the server continues a text; `guess` is what it may cost in tokens."""
        return await self._ask(self._client.completions.create, guess, sent)

    async def chat(self, guess: float, **sent: Any) -> Any:
        """Return what the server replies in a conversation."""
        return await self._ask(self._client.chat.completions.create, guess, sent)

    async def _ask(self, create: Callable[..., Awaitable[Any]], guess: float, sent: dict[str, Any]) -> Any:
        attempt = 0
        while True:
            if self._requests is not None:
                await self._requests.take(1)
            if self._tokens is not None:
                await self._tokens.take(guess)
            try:
                reply = await self._try(create, sent)
            except Passing as fault:
                if attempt == self._tries(fault) or (fault.after or 0) > LONGEST_WAIT:
                    raise
                self.spent.retries += 1
                await asyncio.sleep(wait_before(attempt, fault))
                attempt += 1
            else:
                self._count(reply, guess)
                return reply

    def _tries(self, fault: Passing) -> int:
        """How often a request is repeated: not often where nobody has ever answered, for there the address may be wrong."""
        reached = self.spent.requests or not isinstance(fault, Unreached)
        return self._retries if reached else min(self._retries, _KNOCKS)

    async def _try(self, create: Callable[..., Awaitable[Any]], sent: dict[str, Any]) -> Any:
        import openai

        try:
            # the package's own limit holds for each step of a request; a server that drips would never reach it
            async with asyncio.timeout(self._timeout):
                reply = await create(model=self._model, extra_body=self._extra, **sent)
        except openai.APIStatusError as fault:
            said = self.hide(sentence(fault.body, fault.response.reason_phrase))
            if passes(fault.status_code, fault.code):
                raise Passing(f"{fault.status_code}: {said}", asked_wait(fault.response.headers)) from None
            raise Refused(fault.status_code, said) from None
        except (openai.APITimeoutError, TimeoutError):
            raise Passing(f"no answer within {self._timeout:g} s") from None
        except openai.APIConnectionError as fault:
            raise Unreached(self.hide(f"no connection: {fault.__cause__ or fault}")) from None
        except (openai.APIResponseValidationError, ValueError) as fault:
            raise Passing(self.hide(f"an answer that is no JSON: {sentence(str(fault), '')}")) from None
        choices = getattr(reply, "choices", None)
        if not choices:
            raise Passing(self.hide(f"an answer without choices: {sentence(str(reply), '')}"))
        if choices[0].finish_reason in _BROKEN:
            raise Passing(f"an answer that was broken off ({choices[0].finish_reason})")
        if reply.usage is None:
            raise EngineError(
                f"the server {self.address} tells no token counts (usage), which a run needs; switch them on there"
            )
        return reply

    def _count(self, reply: Any, guess: float) -> None:
        self.spent.requests += 1
        self.spent.tokens_in += reply.usage.prompt_tokens
        self.spent.tokens_out += reply.usage.completion_tokens
        if self._tokens is not None:
            self._tokens.settle(guess, reply.usage.prompt_tokens + reply.usage.completion_tokens)
        if reply.model:
            self.spent.models.add(reply.model)
        if getattr(reply, "system_fingerprint", None):
            self.spent.fingerprints.add(reply.system_fingerprint)

    # ---- faults -------------------------------------------------------------------------------------------------------

    def hide(self, text: str) -> str:
        """Return a text without the key, should a server quote it."""
        key = os.environ.get(self._key_env)
        return text.replace(key, "[key]") if key else text

    def refusal(self, fault: Refused) -> EngineError:
        """Return what to raise when the server will never answer."""
        remedy = "nothing of this batch is saved"
        if fault.status in (401, 403):
            remedy = f"set the key in the environment variable {self._key_env}"
        elif fault.status == 404:
            remedy = "check the name of the model and the address of the server"
        return EngineError(f"the server {self.address} refused a request ({fault.status}: {fault.said}); {remedy}")

    def failure(self, failed: Sequence[Passing], asked: int, unasked: int = 0, *, opening: bool = False) -> EngineError:
        """Return what to raise when the server may answer later."""
        left = f", and {unasked} were not asked any more" if unasked else ""
        remedy = "nothing of this batch is saved: run the same command again to go on from here"
        if opening:
            remedy = "start the server, or correct its address with --engine-option base_url=http://HOST:PORT/v1"
        return EngineError(
            f"{len(failed)} of {asked} requests to {self.address} failed after {self._tries(failed[-1])} retries{left} (the "
            f"last: {failed[-1].said}); {remedy}"
        )


def _address(given: str) -> str:
    """An address that may be written down."""
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"base_url is '{given.rsplit('@', 1)[-1]}'; an address such as http://localhost:8000/v1 is wanted"
        )
    if "@" in parts.netloc or parts.query:
        raise UsageError(
            f"base_url for {parts.hostname} carries a password or a query; keys come from the environment only, other values go "
            "into extra_body"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
