"""A number: the last one marked as the answer, else the last one of the reply (captrack.md 3.1).

Facts: `language` (code, "en" where absent) decides decimal marks and the words that announce an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from forgetmap.answers import extract_number, gold_number, numbers_equal
from forgetmap.answers.numerals import RUN
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, fact, is_cut_off, last, none_found, said, silence

SCORER = "number"
METRICS = ("acc",)


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return acc, null where no gold of the item is a number."""
    reply = last(answer, task, item)
    golds = [gold for gold in map(gold_number, item.gold) if gold is not None]
    if not golds:
        return [Scored(SCORER, "acc", None, state="unscored", error=f"gold {item.gold[:1]!r} is no number")]
    if state := silence(reply):
        return [Scored(SCORER, "acc", 0.0, state=state)]
    text = said(reply)
    found = extract_number(text, str(fact(task, item, "language", "en")))
    # the last number of a reply that was cut off is a step, not the answer, unless it is the only one
    step = found.tier == "last_number" and is_cut_off(reply) and len(list(islice(RUN.finditer(text), 2))) > 1
    if found.answer is None or step:
        return [Scored(SCORER, "acc", 0.0, state=none_found(reply))]
    return [Scored(SCORER, "acc", float(any(numbers_equal(found.answer, gold) for gold in golds)), found.answer)]
