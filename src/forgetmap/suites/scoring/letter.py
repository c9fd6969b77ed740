"""One option by its label: strict and staged, as `answers.extract_choice` reads it.

Labels are those of the prompt (`rendered.labels`): letters unless it says otherwise, digits, or none where options are
answered by their text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from forgetmap.answers import Extraction, clean_reply, extract_choice, extract_number, letters
from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, last, none_found, said, silence

SCORER = "letter"
METRICS = ("acc",)
_READ = 1000  # characters of a line
_DIGIT_LED = re.compile(r"[\s(\[*#]{0,4}([0-9]{1,3})(?![0-9])[\s)\].:*-]{0,4}")
_EDGE = " \t\n.,;:!?\"'*_`()[]"


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return acc: whether the option that the reply names is right; without one the reply is wrong, and its state says why."""
    reply = last(answer, task, item)
    if not item.options:
        raise MissingDataError(
            f"task '{task.name}', item {item.native_id}: no options, expected some for kind 'letter'"
        )
    if state := silence(reply):
        return [Scored(SCORER, "acc", 0.0, state=state)]
    shown = rendered.shown if rendered.shown is not None else range(len(item.options))
    texts = [item.options[place] for place in shown]
    labels = getattr(rendered, "labels", letters(len(texts)))
    if labels is None:
        found = by_text(clean_reply(said(reply)).strip(), texts)
    elif labels[0].strip("(). ").isdigit():
        found = by_number(said(reply), texts)
    else:
        found = extract_choice(said(reply), texts)
    if found.index is None:
        return [Scored(SCORER, "acc", 0.0, state=none_found(reply) if found.state == "no_answer" else found.state)]
    place = shown[found.index]
    return [Scored(SCORER, "acc", float(item.options[place] in item.gold), item.options[place], place)]


def by_number(text: str, options: Sequence[str]) -> Extraction:
    """The option a reply names by its number, counted from 1, or by its text.

    >>> by_number("Answer: 2", ["red", "blue"]).answer, by_number("2. blue", ["red", "blue"]).answer
    ('blue', 'blue')
    >>> by_number("3", ["red", "blue"]).state
    'no_answer'
    """
    cleaned = clean_reply(text).strip()
    texts = [clean_reply(option).strip(_EDGE).casefold() for option in options]
    marked = extract_number(cleaned)
    if marked.tier == "marked" and marked.answer is not None:
        number = int(marked.answer) - 1 if marked.answer.isdigit() and len(marked.answer) < 4 else -1
        return _at(number, options, "marked")
    line = cleaned[:_READ].partition("\n")[0]
    led = _DIGIT_LED.match(line)
    if led:
        rest, number = line[led.end() :].strip(_EDGE).casefold(), int(led[1]) - 1
        if not rest or (0 <= number < len(texts) and rest == texts[number]):
            return _at(number, options, "lone_number")
    return by_text(cleaned, options)


def by_text(cleaned: str, options: Sequence[str]) -> Extraction:
    """The option a cleaned reply names by its text; letters, which nobody was shown, do not count.

    >>> by_text("The answer is blue.", ["red", "blue"]).answer, by_text("B", ["red", "blue"]).state
    ('blue', 'no_answer')
    """
    texts = [clean_reply(option).strip(_EDGE).casefold() for option in options]
    whole = cleaned.strip(_EDGE).casefold() if len(cleaned) < _READ else ""
    if texts.count(whole) == 1:
        return _at(texts.index(whole), options, "option_text")
    found = extract_choice(cleaned, options)
    named = found.index is not None and texts[found.index] in cleaned[-_READ:].casefold()
    return found if named and len(texts[found.index or 0]) > 1 else Extraction("no_answer")


def _at(place: int, options: Sequence[str], tier: str) -> Extraction:
    if not 0 <= place < len(options):
        return Extraction("no_answer", tier=tier)
    return Extraction("answered", options[place], place, tier)
