"""What scoring asks of tasks, items, prompts and answers: only these attributes, whoever made the objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class ScoringRules(Protocol):
    """How a task says that it is scored."""

    @property
    def kind(self) -> str:
        """A key of `KINDS`."""

    @property
    def normalise(self) -> str:
        """Which log-likelihood comes first: none, length or bytes."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Facts that all items of the task share."""


class TaskSpec(Protocol):
    """What the task file says."""

    @property
    def scoring(self) -> ScoringRules:
        """How answers become scores."""


class ScoredTask(Protocol):
    """A task."""

    @property
    def name(self) -> str:
        """The canonical name."""

    @property
    def spec(self) -> TaskSpec:
        """What its file says."""


class ScoredItem(Protocol):
    """An item."""

    @property
    def native_id(self) -> str:
        """The dataset's own id."""

    @property
    def question(self) -> str:
        """What is asked."""

    @property
    def options(self) -> tuple[str, ...] | None:
        """Option texts in the dataset's order; None where the answer is written freely."""

    @property
    def gold(self) -> tuple[str, ...]:
        """The right answers; option texts where options exist."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a kind needs beside; each module says what it reads."""


class Prompt(Protocol):
    """A rendered prompt."""

    @property
    def kind(self) -> str:
        """Either rate or write."""

    @property
    def continuations(self) -> Sequence[str] | None:
        """What was rated, in the order shown."""

    @property
    def shown(self) -> Sequence[int] | None:
        """The option index at each place shown; None is the item's own order."""


class Ratings(Protocol):
    """Log-likelihoods of the continuations."""

    @property
    def logprobs(self) -> Sequence[float]:
        """One per continuation, summed over its tokens."""


class Reply(Protocol):
    """What a model wrote."""

    @property
    def text(self) -> str:
        """All of it."""

    @property
    def stop_reason(self) -> str:
        """Either stop, length, or "error: …"."""


Answer = Ratings | Sequence[Reply]
