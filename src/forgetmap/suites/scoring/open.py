"""Open answers: does the reply name one of the accepted answers? (captrack.md 3.1 and 3.3)

Facts: `aliases` are accepted besides the golds. Long replies match more often than short ones, so `exact` and `f1` of the
answer alone stand beside the match.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from forgetmap.answers import clean_reply, gold_aliases, match_open
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike, fact, last, none_found, said, silence

SCORER = "open"
METRICS = ("match", "exact", "f1")
_WORD = re.compile(r"\w+")
_ARTICLES = frozenset(("a", "an", "the"))
_CHOICE_KEPT = 500


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return match, exact and f1; null where the item has no gold."""
    reply = last(answer, task, item)
    names = [*item.gold, *gold_aliases(fact(task, item, "aliases"))]
    if not gold_aliases(names):
        return alike(SCORER, METRICS, None, "unscored", "no gold")
    if state := silence(reply):
        return alike(SCORER, METRICS, 0.0, state)
    found = match_open(said(reply), names)
    span = found.span or ""
    closeness = max(token_f1(span, name) for name in gold_aliases(names))
    if not found.matched and none_found(reply) == "truncated":
        return alike(SCORER, METRICS, 0.0, "truncated")
    choice = found.alias or span[:_CHOICE_KEPT] or None
    scores = (float(bool(found.matched)), float(bool(found.exact)), 1.0 if found.exact else closeness)
    return [Scored(SCORER, metric, value, choice) for metric, value in zip(METRICS, scores, strict=True)]


def token_f1(answer: str, gold: str) -> float:
    """Harmonic mean of precision and recall over words, without articles.

    >>> token_f1("the Eiffel Tower", "Eiffel Tower in Paris")
    0.6666666666666666
    """
    words, wanted = _words(answer), _words(gold)
    shared = (words & wanted).total()
    return 2 * shared / (words.total() + wanted.total()) if shared else 0.0


def _words(text: str) -> Counter[str]:
    return Counter(word for word in _WORD.findall(clean_reply(text).casefold()) if word not in _ARTICLES)
