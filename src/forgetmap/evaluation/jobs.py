"""Jobs: every item, every repeat of it, and what an engine is asked for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from forgetmap.engines import Engine, Message, Rate, Request, Write
from forgetmap.errors import UsageError
from forgetmap.evaluation.settings import Settings
from forgetmap.suites.item import Item
from forgetmap.suites.prompts import Rendered, render
from forgetmap.suites.suite import Suite
from forgetmap.suites.task import Task
from forgetmap.suites.variants import Variant


@dataclass(frozen=True, slots=True)
class Job:
    """One item to be answered once."""

    task: Task
    item: Item
    repeat: int
    variant: Variant
    rendered: Rendered

    def request(self, settings: Settings) -> Request:
        """Return what the engine is asked."""
        asked = self.rendered
        messages = None if asked.messages is None else tuple(Message(one.role, one.content) for one in asked.messages)
        if asked.kind == "rate":
            return Rate(asked.context, asked.continuations or (), asked.prefix, messages)
        drawn = settings.temperature > 0
        return Write(
            asked.context, messages, asked.prefix, settings.max_tokens or asked.max_tokens, asked.stop,
            settings.temperature, settings.top_p, self.seed(settings) if drawn else None, asked.tools,
        )  # fmt: skip

    def seed(self, settings: Settings) -> int:
        """The seed of this answer: of the item's content and the repeat, never of its place in a list."""
        told = f"{settings.seed}\n{self.task.name}\n{self.item.id}\n{self.repeat}"
        return int.from_bytes(hashlib.blake2b(told.encode(), digest_size=6).digest(), "little")


def repeats_of(task: Task, settings: Settings) -> list[Variant]:
    """Return the variant of each repeat of a task: the plain one first.

    Several kinds vary side by side, each repeat moving all of them one step: as many repeats as the largest number asked
    for, none of them twice. A task that has fewer variants of a kind goes through those it has.
    """
    from forgetmap.suites.variants import VARIED, variants_of

    variants = settings.of(task.name).variants
    if settings.repeats > 1 or not variants:
        # a rating is the same whatever the seed: twice the same would pass for an item without noise
        drawn = settings.by_letter or task.spec.scoring.kind != "likelihood"
        return [Variant()] * (settings.repeats if drawn else 1)
    lists = {VARIED[kind]: variants_of(task, kind, count) for kind, count in variants.items()}
    found: dict[Variant, None] = {}
    for step in range(max(variants.values())):
        fields = {name: getattr(one[step % len(one)], name) for name, one in lists.items()}
        found[Variant(**fields)] = None
    return list(found)


def list_jobs(suite: Suite, settings: Settings) -> list[Job]:
    """Return every job of an evaluation, in the order of the suite."""
    return [job for name in settings.tasks for job in _of_task(suite.task(name), settings)]


def _of_task(task: Task, settings: Settings) -> Iterator[Job]:
    items = task.items()[: settings.limit]
    style = settings.of(task.name).style
    for repeat, variant in enumerate(repeats_of(task, settings)):
        for item in items:
            rendered = render(task, item, variant, style=style, by_letter=settings.by_letter)
            yield Job(task, item, repeat, variant, rendered)


def check_engine(engine: Engine, jobs: list[Job], settings: Settings) -> None:
    """Refuse an engine that cannot do what is asked, with the reason and the way out."""
    reasons: dict[str, str] = getattr(engine, "cannot", {})
    rates = any(job.rendered.kind == "rate" for job in jobs)
    if rates and "rate" not in engine.can:
        why = reasons.get("rate", "it gets no log-probabilities of a prompt")
        raise UsageError(
            f"the {engine.name} engine cannot rate options ({why}); ask for letters instead with --by-letter, in BOTH runs, or "
            "evaluate both with another engine"
        )
    if "chat" not in engine.can and any(job.rendered.messages is not None for job in jobs):
        why = reasons.get("chat", "the model has no chat template")
        raise UsageError(f"prompt {settings.style} cannot be asked ({why}); use --prompt base for both models")
    if "write" not in engine.can and any(job.rendered.kind == "write" for job in jobs):
        why = reasons.get("write", "it only rates")
        raise UsageError(f"the {engine.name} engine cannot write replies ({why}); choose tasks with options only")
    longest: int | None = getattr(engine, "longest", None)
    for job in jobs:
        tokens = (settings.max_tokens or job.rendered.max_tokens) if job.rendered.kind == "write" else 0
        if longest is not None and tokens >= longest:
            raise UsageError(
                f"replies of task {job.task.name} may be {tokens:,} tokens long, and the model's context holds {longest:,}, the "
                f"question included; shorten them with --max-tokens {longest // 2}, for both models"
            )
