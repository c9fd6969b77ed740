"""Items, choices and answer states of lighteval samples: from letters and positions to option texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from forgetmap import items
from forgetmap.answers.choice import extract_choice
from forgetmap.builder import Item, RunBuilder
from forgetmap.readers.lighteval_query import LETTERS
from forgetmap.tasks import TaskProfile


_POSITIONS = {letter: place for place, letter in enumerate(LETTERS)}


class Asked(NamedTuple):
    """An item, and where its golds stand among the options as shown."""

    item: Item
    golds: tuple[int, ...]
    labelled: bool  # False where the engine scored against a gold that does not exist


def letter_position(text: str) -> int | None:
    """Return the position that a bare letter stands for.

    >>> letter_position(" (B)"), letter_position("B."), letter_position("Both")
    (1, 1, None)
    """
    letter = text if len(text) == 1 else text.strip().strip("().:")
    return _POSITIONS.get(letter)


def make_item(
    builder: RunBuilder,
    task: str,
    profile: TaskProfile | None,
    *,
    question: str,
    shown: list[str] | None,
    choices: Sequence[str],
    gold_index: Sequence[int],
    gold: Sequence[str],
    native_id: str | None = None,
) -> Asked:
    """Return the item of one row.

    `shown` are the option lines of the query; `choices` and `gold_index` are lighteval's, filled for likelihood tasks
    and, from 0.11 on, for all; `gold` holds the texts that 0.10 logs for generated answers.
    """
    for index in gold_index:
        if not 0 <= index < len(choices):
            # The engine takes -1 as "last choice": HellaSwag's unlabelled test split then scores answering D.
            options = _as_options(choices, shown)
            key = items.item_key([question], options)
            made = builder.item(task, key=key, native_id=native_id, question=question, options=options, n_options=len(choices))
            return Asked(made, (), False)
    if len(choices) > 1 and (len(set(gold_index)) < len(choices) or _are_letters(choices)):
        return _choice_item(builder, task, question, _as_options(choices, shown), len(choices), gold_index, native_id)
    texts = [text.strip() for text in (gold or [choices[index] for index in gold_index]) if text.strip()]
    if not shown and profile and profile.document and profile.document.fixed_options:
        shown = list(profile.document.fixed_options)
    if shown:
        return _choice_item(builder, task, question, shown, len(shown), _positions(texts, shown), native_id)
    if texts and letter_position(texts[0]) is not None:
        # A letter whose options the prompt does not show cannot be told from another item's letter.
        key = items.item_key([question])
        return Asked(builder.item(task, key=key, native_id=native_id, question=question), (), True)
    texts = _reduced(profile, question, texts)
    key = items.item_key([question], None, texts)
    made = builder.item(task, key=key, native_id=native_id, question=question, gold=texts, open_ended=True)
    return Asked(made, (), True)


def _choice_item(
    builder: RunBuilder,
    task: str,
    question: str,
    options: list[str] | None,
    count: int,
    golds: Sequence[int],
    native_id: str | None,
) -> Asked:
    texts = [options[index] for index in golds] if options else None
    made = builder.item(
        task,
        key=items.item_key([question], options, texts),
        native_id=native_id,
        question=question,
        options=options,
        gold=texts,
        gold_index=golds[0] if golds else None,
        n_options=count,
        n_gold=len(golds) or None,
    )
    return Asked(made, tuple(golds), True)


def _are_letters(choices: Sequence[str]) -> bool:
    return all(letter_position(text) == place for place, text in enumerate(choices))


def _as_options(choices: Sequence[str], shown: list[str] | None) -> list[str] | None:
    """The option texts; None where the log has letters only and the query does not show what they stand for."""
    if not _are_letters(choices):
        return [text.strip() for text in choices]
    return shown if shown and len(shown) == len(choices) else None


def _positions(golds: Sequence[str], options: Sequence[str]) -> list[int]:
    """Positions of gold letters or texts; none at all if one of them cannot be found."""
    found = []
    for gold in golds:
        place = letter_position(gold)
        if place is None:
            same = [index for index, option in enumerate(options) if items.normalise(option) == items.normalise(gold)]
            place = same[0] if len(same) == 1 else None
        if place is None or place >= len(options):
            return []
        found.append(place)
    return found


def _reduced(profile: TaskProfile | None, question: str, golds: list[str]) -> list[str]:
    """The gold as the task's profile writes it: of GSM8K's solution, the number after ####."""
    shape = profile.document if profile else None
    if shape is None or shape.gold is None or not golds or len(shape.question) != 1 or shape.options:
        return golds
    content = shape.content({shape.question[0]: question, shape.gold: golds if len(golds) > 1 else golds[0]})
    return list(content.gold) if content and content.gold else golds


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
    index: int | None = None  # of an option
    text: str | None = None  # where there are no options


def spoken_choice(
    asked: Asked, reply: str | None, cleaned: str | None, extracted: Sequence[str] | None, score: float | None
) -> Spoken:
    """Return state and choice of a generated reply; `cleaned` is the reply without its reasoning."""
    if reply is None:
        return Spoken(None)
    if not reply.strip():
        return Spoken("empty")
    if cleaned is not None and not cleaned.strip():
        return Spoken("no_answer")
    item = asked.item
    if extracted is None:
        if not item.options:
            return Spoken(None)
        position = extract_choice(cleaned or reply, item.options).index
    elif not extracted:
        return Spoken("no_answer")
    elif not item.n_options:
        return Spoken("answered", text=extracted[0])
    else:
        position = letter_position(extracted[0])
    if position is None or position >= (item.n_options or 0):  # letter J with four options is no answer
        return Spoken("no_answer")
    if score in (0, 1) and asked.golds and (position in asked.golds) != (score == 1):
        # The metric wants another form than the letter found: a right choice beside a wrong score would contradict it.
        return Spoken(None)
    return Spoken("answered", index=position)


class Answer(NamedTuple):
    """One row's answer: log-probabilities of the choices, or generated text."""

    scores: dict[str, Any]
    logprobs: list[float] | None
    choices: Sequence[str]
    replies: Sequence[str]
    extracted: Sequence[str] | None  # what lighteval's own metric found in the reply; None if it does not say
    tokens: int | None
    cleaned: Sequence[str] | None = None  # the replies without their reasoning, where lighteval took it out


class Scorebook:
    """Adds the samples of one file; what it could not take over is said once, in `remarks`."""

    def __init__(self, builder: RunBuilder, repeat: int, answers: Sequence[Answer]) -> None:
        self.builder = builder
        self.repeat = repeat
        # A task with generative and likelihood metrics has two rows per document. Each metric is null on the other
        # kind of row, which is no missing score.
        self.owned: dict[bool, set[str]] = {True: set(), False: set()}
        for answer in answers:
            own = self.owned[answer.logprobs is not None]
            own.update(name for name, value in answer.scores.items() if value is not None)
        self.unlabelled = 0
        self.more_draws = 0
        self.not_numbers: set[str] = set()

    def add(self, asked: Asked, answer: Answer, prompt: str | None) -> None:
        """Add one sample per metric of this row."""
        item, ranked = asked.item, answer.logprobs is not None
        own, other = self.owned[ranked], self.owned[not ranked]
        reply = answer.replies[0] if answer.replies else None
        self.more_draws += len(answer.replies) > 1
        self.unlabelled += not asked.labelled
        logprobs = answer.logprobs if ranked and len(answer.logprobs or ()) == (item.n_options or 0) else None
        prompt_key = items.text_hash(prompt) if prompt is not None else None
        cleaned = answer.cleaned[0] if answer.cleaned else reply
        rows = []
        for metric, value in answer.scores.items():
            if value is None and metric in other and metric not in own:
                continue
            score = score_value(value) if asked.labelled else None
            if score is None and value is not None and asked.labelled:
                self.not_numbers.add(metric)
                continue
            if ranked:
                chosen = ranked_choice(metric, answer.logprobs or (), answer.choices, asked.golds, score)
                spoken = Spoken("answered", index=chosen)
            else:
                several = len(answer.replies) > 1  # one score for all draws says nothing about the first
                spoken = Spoken(None) if several else spoken_choice(asked, reply, cleaned, answer.extracted, score)
            rows.append((metric, score, spoken))
        if not rows:
            return
        first = rows[0][2]
        shown = item.options[first.index] if item.options and first.index is not None else first.text
        self.builder.reply(item, prompt=prompt, response=reply, choice=shown)
        for metric, score, spoken in rows:
            self.builder.sample(
                item,
                repeat=self.repeat,
                metric=metric,
                score=score,
                state=spoken.state if score is not None else "unscored",
                choice_index=spoken.index,
                choice=spoken.text,
                option_logprobs=logprobs,
                prompt_key=prompt_key,
                output_tokens=None if ranked else answer.tokens,
            )

    def remark(self, task: str) -> None:
        """Tell the builder what changes how this task's numbers should be read."""
        if self.unlabelled:
            self.builder.warn(
                f"task '{task}': {self.unlabelled} rows have a gold position outside the choices, which lighteval scores "
                "against the last choice; their scores are not taken over"
            )
        if self.more_draws:
            self.builder.warn(f"task '{task}': {self.more_draws} rows hold several draws under one score; the first is shown")
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
