"""Scores, choices and answer states of one details file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from forgetmap.answers import extract_choice
from forgetmap.builder import RunBuilder
from forgetmap.readers.lighteval.items import Asked, letter_position


def ranked_choice(
    metric: str, logprobs: Sequence[float], choices: Sequence[str], golds: Sequence[int], score: float | None
) -> int | None:
    """Return the option a likelihood metric took as the answer, or None where that cannot be told.

    `acc_norm` divides by characters; whether it counts the leading space is not in the log, so the variant that
    agrees with the logged score is taken.
    """
    if len(logprobs) != len(choices) or not logprobs:
        return None
    if metric == "acc":
        candidates = [_best(logprobs)]
    elif metric == "acc_norm":
        lengths = [max(len(text), 1) for text in choices]
        bare = [max(len(text) - text.startswith(" "), 1) for text in choices]
        candidates = [
            _best([value / length for value, length in zip(logprobs, of, strict=True)]) for of in (bare, lengths)
        ]
    else:
        return None
    if score not in (0, 1) or not golds:
        return candidates[0]
    return next((one for one in candidates if (one in golds) == (score == 1)), None)


def _best(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


class Spoken(NamedTuple):
    """What a generated reply answers."""

    state: str | None
    position: int | None = None  # of an option
    text: str | None = None  # where there are no options


_SILENT = Spoken(None)  # the log does not say


def spoken_choice(asked: Asked, answer: Answer, score: float | None) -> Spoken:
    """Return state and choice of a generated reply."""
    item, reply, extracted = asked.item, answer.reply, answer.extracted
    if not extracted:
        if reply is None:
            return _SILENT
        if not reply or reply.isspace():
            return Spoken("empty")
        if extracted is not None or (answer.cleaned is not None and not answer.cleaned.strip()):
            return Spoken("no_answer")
        if not item.options:
            return _SILENT
        position = extract_choice(answer.cleaned or reply, item.options).index
    elif not item.n_options:
        return Spoken("answered", None, extracted[0])
    else:
        position = letter_position(extracted[0])
    if position is None or position >= (item.n_options or 0):  # letter J with four options is no answer
        return Spoken("no_answer")
    if score in (0, 1) and asked.golds and (position in asked.golds) != (score == 1):
        # The metric wants another form than the letter found: a right choice beside a wrong score would contradict it.
        return _SILENT
    return Spoken("answered", position)


class Answer(NamedTuple):
    """One row's answer: log-probabilities of the choices, or generated text."""

    scores: dict[str, Any]
    logprobs: list[float] | None
    choices: tuple[str, ...]
    reply: str | None = None  # the first draw; None where its text is not needed
    cleaned: str | None = None  # the same without its reasoning
    draws: int = 0
    extracted: Sequence[str] | None = None  # what lighteval's own metric found in the reply; None if it does not say
    tokens: int | None = None


class Scorebook:
    """Adds the samples of one file; what it could not take over is said once, in `remark`."""

    def __init__(self, builder: RunBuilder, repeat: int, answers: Sequence[Answer]) -> None:
        self.builder = builder
        self.repeat = repeat
        # A task with generative and likelihood metrics has two rows per document. Each metric is null on the other
        # kind of row, which is no missing score.
        self.owned: dict[bool, set[str]] = {True: set(), False: set()}
        for answer in answers:
            own = self.owned[answer.logprobs is not None]
            for name, value in answer.scores.items():
                if value is not None and name not in own:
                    own.add(name)
        self.unlabelled = 0
        self.several_draws = 0
        self.not_numbers: set[str] = set()

    def add(self, asked: Asked, answer: Answer, prompt: str | bytes | None, prompt_key: int | None) -> None:
        """Add one sample per metric of this row."""
        item, logprobs = asked.item, answer.logprobs
        ranked = logprobs is not None
        own, other = self.owned[ranked], self.owned[not ranked]
        several = answer.draws > 1  # one score for all draws says nothing about the first
        self.several_draws += several
        self.unlabelled += not asked.labelled
        rows = []
        for metric, value in answer.scores.items():
            if value is None and metric in other and metric not in own:
                continue
            score = score_value(value) if asked.labelled else None
            if score is None and value is not None and asked.labelled:
                self.not_numbers.add(metric)
                continue
            if logprobs is not None:
                spoken = Spoken("answered", ranked_choice(metric, logprobs, answer.choices, asked.golds, score))
            else:
                spoken = _SILENT if several else spoken_choice(asked, answer, score)
            rows.append((metric, score, spoken))
        if not rows:
            return
        builder = self.builder
        if builder.keeps_texts:
            first = rows[0][2]
            chosen = item.options[first.position] if item.options and first.position is not None else first.text
            builder.reply(
                item, prompt=str(prompt) if prompt is not None else None, response=answer.reply, choice=chosen
            )
        else:
            builder.reply(item)
        if ranked and len(logprobs or ()) != item.n_options:
            logprobs = None
        for metric, score, spoken in rows:
            builder.sample(
                item,
                repeat=self.repeat,
                metric=metric,
                score=score,
                state=spoken.state if score is not None else "unscored",
                choice_index=spoken.position,
                choice=spoken.text,
                option_logprobs=logprobs,
                prompt_key=prompt_key,
                output_tokens=answer.tokens,
            )

    def remark(self, task: str) -> None:
        """Tell the builder what changes how this task's numbers should be read."""
        if self.unlabelled:
            self.builder.warn(
                f"task '{task}': {self.unlabelled} rows have a gold position outside the choices, which lighteval "
                "scores against the last choice; their scores are not taken over"
            )
        if self.several_draws:
            self.builder.warn(
                f"task '{task}': {self.several_draws} rows hold several draws under one score; the first is shown"
            )
        if self.not_numbers:
            named = ", ".join(sorted(self.not_numbers))
            self.builder.warn(f"task '{task}': {named} is scored on the whole task only; it has no score per sample")


def score_value(value: Any) -> float | None:
    """Return the number in a metric field: a list of verdicts counts as its mean, text and structs as none."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, (bool, int, float)) for one in value):
        return float(sum(value)) / len(value)
    return None
