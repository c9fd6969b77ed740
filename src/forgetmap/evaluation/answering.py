"""Answering: one batch of jobs, by one engine. The same function runs here and on every worker of a cluster."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from forgetmap.engines import Engine, Message, Rate, Request, Write, Written
from forgetmap.evaluation.usage import since
from forgetmap.evaluation.workplace import Reply, Shard


class Batch(NamedTuple):
    """Jobs that run together: plain data, for it may travel to another machine."""

    number: int
    places: tuple[int, ...]  # of the jobs
    asked: tuple[Request, ...]
    turns: tuple[tuple[str, ...], ...]  # what the user says after each reply


def answer_batch(engine: Engine, batch: Batch) -> Shard:
    """Return the answers to jobs that run together."""
    start = time.monotonic()
    engine.splits.clear()
    spent = getattr(engine, "usage", None)  # only servers count
    asked, places = batch.asked, batch.places
    rated = [one for one in asked if isinstance(one, Rate)]
    if rated:
        if len(rated) != len(asked):
            raise RuntimeError("a batch holds requests of two kinds; an engine must plan them apart")
        found = [Reply(place, rated=one) for place, one in zip(places, engine.rate(rated), strict=True)]
    else:
        said = _converse(engine, batch.turns, [one for one in asked if isinstance(one, Write)])
        found = [Reply(place, written=one) for place, one in zip(places, said, strict=True)]
    usage = None if spent is None else since(spent, getattr(engine, "usage", {}))
    return Shard(batch.number, found, list(engine.splits), round(time.monotonic() - start, 3), usage)


def _converse(engine: Engine, turns: Sequence[tuple[str, ...]], asked: Sequence[Write]) -> list[list[Written]]:
    """All turns of all conversations: every turn is one call, for those that go on."""
    said: list[list[Written]] = [[] for _ in asked]
    going = dict(enumerate(asked))
    while going:
        for place, answer in zip(going, engine.write(list(going.values())), strict=True):
            said[place].append(answer)
        following = {place: _next(request, said[place], turns[place]) for place, request in going.items()}
        going = {place: request for place, request in following.items() if request is not None}
    return said


def _next(asked: Write, replies: Sequence[Written], turns: Sequence[str]) -> Write | None:
    """What is asked after these replies; None where the conversation is over."""
    if len(replies) > len(turns):
        return None
    reply, said = replies[-1].text, turns[len(replies) - 1]
    if asked.messages is not None:
        return replace(asked, messages=(*asked.messages, Message("assistant", reply), Message("user", said)))
    return replace(asked, context=f"{asked.context}{reply}\n\n{said}\n")
