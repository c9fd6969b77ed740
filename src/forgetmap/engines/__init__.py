"""Engines: what turns prompts into answers and log-probabilities.

One small protocol. An engine says what it can do; whoever asks for more is told why not, never served something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable

from forgetmap.engines.requests import Answer, Message, Rate, Rated, Request, Write, Written
from forgetmap.errors import UsageError

__all__ = [
    "ENGINES", "Answer", "Engine", "Message", "Rate", "Rated", "Request", "Write", "Written", "open_engine",
]  # fmt: skip


@runtime_checkable
class Engine(Protocol):
    """A model, ready to be asked."""

    name: str
    can: frozenset[str]  # of rate, write and chat
    #: (size tried, size that fitted) for every batch that did not fit in memory.
    splits: list[tuple[int, int]]

    def describe(self) -> dict[str, Any]:
        """Return the settings that change answers, for run.json: never a key, never a path of this machine."""
        ...

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return batches of places in `requests`: one kind each, the same for the same requests."""
        ...

    def rate(self, batch: Sequence[Rate]) -> list[Rated]:
        """Return the log-likelihoods of continuations, in the order of the batch."""
        ...

    def write(self, batch: Sequence[Write]) -> list[Written]:
        """Return what the model writes, in the order of the batch."""
        ...

    def close(self) -> None:
        """Free what is held."""
        ...


def _transformers(model: str, **options: Any) -> Engine:
    from forgetmap.engines.transformers import TransformersEngine

    return TransformersEngine(model, **options)


def _vllm(model: str, **options: Any) -> Engine:
    from forgetmap.engines.vllm import VllmEngine

    return VllmEngine(model, **options)


def _openai(model: str, **options: Any) -> Engine:
    from forgetmap.engines.openai import OpenAIEngine

    return OpenAIEngine(model, **options)


#: Engines by name: how to open them, the packages they need and the extra that installs those.
ENGINES: dict[str, tuple[Callable[..., Engine], tuple[str, ...], str]] = {
    "transformers": (_transformers, ("torch", "transformers"), "hf"),
    "vllm": (_vllm, ("vllm",), "vllm"),
    "openai": (_openai, ("openai",), "openai"),
}


def open_engine(name: str, model: str, **options: Any) -> Engine:
    """Return an engine with its model loaded.

    Parameters
    ----------
    name : transformers, vllm or openai.
    model : what the engine loads: a hub id, a folder, a .gguf file, or the name a server gives its model.
    """
    if name not in ENGINES:
        raise UsageError(f"there is no engine '{name}'; choose {', '.join(ENGINES)}")
    make, packages, extra = ENGINES[name]
    for package in packages:
        if find_spec(package) is None:
            raise UsageError(
                f"the {name} engine needs a package that is not installed ({package}); pip install 'forgetmap[{extra}]'"
            )
    return make(model, **options)
