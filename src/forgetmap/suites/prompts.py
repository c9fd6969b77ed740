"""Prompts: what a model is asked about an item, in a style and a variant.

    base       text: demonstrations, then the item; the model goes on
    chat       one user message, no demonstrations
    base_cot   text: demonstrations with their reasoning, ending in "Reasoning:"
    chat_cot   one user message that asks to reason and to end with a line "Answer: …"

A wording is one text for all of them. Its last line, where it is a mere cue ("Answer:"), is what chat and chain of
thought replace by their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from forgetmap.errors import SuiteError, UsageError
from forgetmap.suites.formats import FORMATS, Format
from forgetmap.suites.item import Item
from forgetmap.suites.task import Task
from forgetmap.suites.variants import Variant, option_order

_PLACE = re.compile(r"\{(\w+)\}")
_CUE = re.compile(r"(?:\n|^)[ \t]*(?:[\w'’()-]+[ \t]*){1,3}:[ \t]*\Z")
_BETWEEN = "\n\n"  # demonstrations stand apart by an empty line

#: What a chat message adds after the wording, by scoring kind; {label} is "letter" or "number".
_CHAT = {
    "labelled": "Answer with the {label} of the right option and nothing else.",
    "likelihood": "Give the answer and nothing else.",
    "exact": "Give the answer and nothing else.",
    "open": "Give the answer and nothing else.",
    "number": "Give the number and nothing else.",
    "math": "Write the final answer as \\boxed{{…}}.",
}
_CHAT_COT = {
    "labelled": 'Reason step by step. Then end with one line "Answer: {LABEL}" that gives the {label} of the right option.',
    "exact": 'Reason step by step. Then end with one line "Answer: " and the answer.',
    "open": 'Reason step by step. Then end with one line "Answer: " and the answer.',
    "number": 'Reason step by step. Then end with one line "Answer: NUMBER".',
    "math": "Reason step by step. Then write the final answer as \\boxed{{…}}.",
}


class Said(NamedTuple):
    """One message of a conversation; has the fields of an engine's message."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt, and what is needed to read its answer."""

    kind: str  # rate: continuations are ranked; write: the model writes
    context: str  # "" for a chat, whose messages say it all
    prefix: int = 0  # so many characters of the context are demonstrations, shared by all items of the task
    messages: tuple[Said, ...] | None = None
    continuations: tuple[str, ...] | None = None  # in the order shown
    shown: tuple[int, ...] | None = None  # option index at each shown place
    labels: tuple[str, ...] | None = None  # A, B, … or 1, 2, … at each shown place; None where options have none
    max_tokens: int = 0
    stop: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()  # what the user says after each reply
    tools: tuple[dict[str, Any], ...] | None = None


def render(
    task: Task,
    item: Item,
    variant: Variant = Variant(),  # noqa: B008 - frozen
    *,
    style: str = "base",
    by_letter: bool = False,
) -> Rendered:
    """Return the prompt of an item.

    `by_letter` makes a task whose options are ranked by likelihood one that asks for a letter, for engines that cannot
    rank; both runs of a comparison must do the same.
    """
    if style not in task.styles:
        raise UsageError(
            f"task '{task.name}' has no style {style!r}, only {', '.join(task.styles)}; choose one of these"
        )
    wording = _chosen(task.spec.wordings, variant.wording, task, "wording")
    form = FORMATS[_chosen(task.formats, variant.format, task, "format")]
    kind = task.spec.scoring.kind
    if by_letter and kind == "likelihood":
        kind = "letter"
        form = form if form.mark else FORMATS["letters"]
    shown = option_order(item, variant.order) if item.options else None
    stem, cue = _parted(wording)
    body = _body(stem, item, form, shown)
    reasons = style.endswith("_cot")
    rates = kind == "likelihood"
    if rates and not item.options:
        raise SuiteError(f"task '{task.name}': item {item.native_id} has no options to rank; correct 'scoring, kind'")
    messages, context, prefix = None, "", 0
    if style.startswith("chat"):
        request = _request(task, kind, form if item.options else None, reasons)
        asked = _BETWEEN.join(part for part in (body.rstrip(), request) if part)
        messages = (Said("user", asked),)
    else:
        demonstrations = _demonstrations(task, wording, form, style)
        context = demonstrations + (f"{body.rstrip()}\nReasoning:" if reasons else body + cue)
        prefix = len(demonstrations)
    continuations = None
    if rates and shown is not None:
        answers = form.answers([(item.options or ())[place] for place in shown])
        continuations = tuple(_continued(context, one) for one in answers)
    return Rendered(
        kind="rate" if rates else "write",
        context=context,
        prefix=prefix,
        messages=messages,
        continuations=continuations,
        shown=shown,
        labels=form.labels(len(shown)) if shown is not None else None,
        max_tokens=0 if rates else task.spec.cot.max_tokens if reasons else task.spec.answer.max_tokens,
        stop=() if rates or messages else _stops(task, wording, reasons, bool(prefix)),
        turns=item.turns,
        tools=tuple(item.facts["tools"]) if item.facts.get("tools") else None,
    )


def _chosen(given: tuple[str, ...], place: int, task: Task, what: str) -> str:
    if not 0 <= place < len(given):
        raise UsageError(
            f"task '{task.name}' has {len(given)} {what}s, but number {place + 1} is asked for; ask for fewer"
        )
    return given[place]


def _body(wording: str, item: Item, form: Format, shown: tuple[int, ...] | None) -> str:
    """Return the wording with the item's content in it. One pass: a question that says "{options}" stays as it is."""
    listing = None
    if shown is not None and item.options:
        options = [item.options[place] for place in shown]
        lists = form.mark is not None or "{options}" in wording
        if lists and not (form.given and all(option in item.question for option in options)):
            listing = form.listed(options)
    if listing is None:
        wording = re.sub(r"[ \t]*\n?[ \t]*\{options\}", "", wording)
    elif "{options}" not in wording:
        # on lines of their own below the question, whatever follows it on its line
        before, _, after = wording.partition("{question}")
        rest = after if after.startswith("\n") or not after.strip() else "\n" + after.lstrip()
        wording = f"{before}{{question}}\n{{options}}{rest}"
    if not item.passage or item.passage in item.question:
        # some items have none, and some datasets have it in the prompt as well
        wording = re.sub(r"\{passage\}\s*", "", wording)
    values: dict[str, Any] = {**item.facts, "question": item.question, "options": listing or ""}
    return _PLACE.sub(lambda found: _value(found[1], values, item), wording)


def _value(name: str, values: Mapping[str, Any], item: Item) -> str:
    value = values.get(name)
    if not isinstance(value, (str, int, float)):
        raise SuiteError(
            f"task '{item.task}': a wording has {{{name}}}, but item {item.native_id} has no such text; correct it"
        )
    return str(value)


def _parted(wording: str) -> tuple[str, str]:
    """Return a wording and its cue. Looked for in the wording alone: an item may well end in "def f():"."""
    cue = _CUE.search(wording)
    return (wording[: cue.start()], cue.group()) if cue else (wording, "")


def _demonstrations(task: Task, wording: str, form: Format, style: str) -> str:
    """Return the demonstrations as text, "" where there are none; the same for every item."""
    place = (task.spec.wordings.index(wording), form.name, style)
    if place not in task.prefixes:
        told = [_demonstration(one, wording, form, style) for one in task.demonstrations]
        task.prefixes[place] = "".join(one + _BETWEEN for one in told)
    return task.prefixes[place]


def _demonstration(item: Item, wording: str, form: Format, style: str) -> str:
    places = tuple(range(len(item.options))) if item.options else None
    stem, cue = _parted(wording)
    body = _body(stem, item, form, places)
    answer = item.gold[0] if item.gold else ""
    if item.options and item.gold_index is not None:
        answer = form.answers(item.options)[item.gold_index]
    if style.endswith("_cot"):
        return f"{body.rstrip()}\nReasoning: {item.facts['reasoning']}\nAnswer: {answer}"
    return body + cue + _continued(body + cue, answer)


def _continued(context: str, text: str) -> str:
    """Return the text as it follows the context: apart by a blank, unless the context ends with one or is a chat's."""
    return text if not context or context[-1].isspace() else f" {text}"


def _request(task: Task, kind: str, form: Format | None, reasons: bool) -> str:
    """Return what a chat message adds to the wording."""
    own = task.spec.cot.instruction if reasons else task.spec.chat
    if own is not None:
        return own.strip()
    labelled = form is not None and form.mark is not None
    usual = (_CHAT_COT if reasons else _CHAT).get("labelled" if labelled else kind, "")
    word = form.label_word if form else "letter"
    return usual.format(label=word, LABEL=word.upper())


def _stops(task: Task, wording: str, reasons: bool, follows: bool) -> tuple[str, ...]:
    """Return where a text ends: the task's own stops, and where the model goes on to a next item by itself.

    A chain of thought spans lines, so that the stops of a short answer do not apply to it.
    """
    own = () if reasons else task.spec.answer.stop
    if not (follows or reasons):
        return tuple(own)
    opening = wording.partition("{")[0].strip()
    return tuple(dict.fromkeys([*own, f"\n{opening}" if opening else _BETWEEN]))
