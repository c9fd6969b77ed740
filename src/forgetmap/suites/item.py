"""Item: one question of a task, its content and nothing of any prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from forgetmap.items import ItemKey, item_id, item_key


@dataclass(frozen=True)
class Item:
    """A question, its options and its golds. Prompt variants show it differently and never change it.

    >>> item = Item("sums", "0", "2+2?", ("3", "4"), ("4",))
    >>> item.gold_index, item.chance
    (1, 0.5)
    """

    task: str
    native_id: str  # the dataset's own id, or the row number
    question: str
    options: tuple[str, ...] | None = None  # in the dataset's order; None where the answer is written freely
    gold: tuple[str, ...] = ()  # texts; option texts where options exist, empty where the task has none
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)  # passage, turns, and what scoring needs
    cluster: str | None = None  # items of one passage or template belong together

    @property
    def passage(self) -> str | None:
        """The text that the question is about."""
        found: str | None = self.facts.get("passage")
        return found

    @property
    def turns(self) -> tuple[str, ...]:
        """What the user says after the model's first reply, and after each further one."""
        return tuple(self.facts.get("turns") or ())

    @cached_property
    def key(self) -> ItemKey:
        """The item's identity: passage, question and turns, options, golds."""
        parts: Sequence[str] = [*([self.passage] if self.passage else []), self.question, *self.turns]
        # a task without golds by design has its questions as its whole content
        return item_key(parts, self.options, self.gold, basis=None if self.gold else "content")

    @cached_property
    def id(self) -> str:
        """The key as the 32 hexadecimal digits people see."""
        return item_id(self.key.high, self.key.low)

    @cached_property
    def gold_indices(self) -> tuple[int, ...]:
        """The places of the golds among the options; empty without options."""
        return tuple(self.options.index(one) for one in self.gold) if self.options else ()

    @property
    def gold_index(self) -> int | None:
        """The place of the first gold among the options."""
        return self.gold_indices[0] if self.gold_indices else None

    @property
    def chance(self) -> float:
        """How often a uniform guess is right: golds / options, 0 without options."""
        return len(set(self.gold_indices)) / len(self.options) if self.options else 0.0
