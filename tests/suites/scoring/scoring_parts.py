"""Tasks, items, prompts and answers as small as scoring lets them be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from forgetmap.suites.scoring import Scored, score


@dataclass(frozen=True)
class Item:
    question: str = "?"
    options: tuple[str, ...] | None = None
    gold: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    native_id: str = "7"


@dataclass(frozen=True)
class Rendered:
    kind: str = "write"
    continuations: tuple[str, ...] | None = None
    shown: tuple[int, ...] | None = None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Written:
    text: str
    stop_reason: str = "stop"


@dataclass(frozen=True)
class Rated:
    logprobs: tuple[float, ...]


def task(kind: str, normalise: str = "none", **settings: Any) -> Any:
    scoring = SimpleNamespace(kind=kind, normalise=normalise, settings=settings)
    return SimpleNamespace(name="t", spec=SimpleNamespace(scoring=scoring))


def scores(
    kind: str,
    reply: str | Written | list[Written],
    *,
    gold: tuple[str, ...] = (),
    options: tuple[str, ...] | None = None,
    labels: tuple[str, ...] | None = None,
    shown: tuple[int, ...] | None = None,
    allow_code: bool = False,
    **facts: Any,
) -> dict[str, Scored]:
    """Score one reply; the scores by metric, the default first."""
    replies = reply if isinstance(reply, list) else [Written(reply) if isinstance(reply, str) else reply]
    item = Item("?", options, gold, facts)
    found = score(task(kind), item, Rendered("write", None, shown, labels), replies, allow_code=allow_code)
    assert len({one.scorer for one in found}) == 1
    return {one.metric: one for one in found}


def values(*given: Any, **more: Any) -> dict[str, float | None]:
    return {metric: one.score for metric, one in scores(*given, **more).items()}


def first(*given: Any, **more: Any) -> Scored:
    return next(iter(scores(*given, **more).values()))
