"""The reply is the answer: equal to a gold but for case, punctuation and articles.

The answer is what follows the last marker ("Answer: …"), else the whole reply where it is one line, else its last line.
"""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.answers import match_open
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, is_cut_off, last, said, silence

SCORER = "exact"
METRICS = ("exact",)
_CHOICE_KEPT = 500  # characters of an answer that a table keeps


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return exact, null where the item has no gold."""
    reply = last(answer, task, item)
    if state := silence(reply):
        return [Scored(SCORER, "exact", 0.0 if item.gold else None, state=state if item.gold else "unscored")]
    found = match_open(said(reply), item.gold)
    if found.exact is None:
        return [Scored(SCORER, "exact", None, state="unscored", error="no gold")]
    right = bool(found.exact)
    # a reply cut by its limit ends in mid-sentence: its last line is no answer unless it happens to be the right one
    if not right and is_cut_off(reply):
        return [Scored(SCORER, "exact", 0.0, state="truncated")]
    choice = found.alias if right else (found.span or "")[:_CHOICE_KEPT] or None
    return [Scored(SCORER, "exact", float(right), choice)]
