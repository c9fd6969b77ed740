"""Citations: in the form asked for, of the sources that support the answer and no others (captrack.md 3.12).

Facts: `titles` (the sources shown), `sources` (those that support the answer; `supporting_facts` and `context_titles`
of HotpotQA are read too), `form`: brackets [x] (the default), double_brackets [[x]], parentheses (x), or angles <x>.
Sources are cited by title, or by their number where `numbered` is true: [1] is the first title shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from forgetmap.answers import clean_reply, gold_aliases, match_open
from forgetmap.errors import MissingDataError
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, alike, fact, last, needed, none_found, said, silence

SCORER = "citation"
METRICS = ("exact", "format", "precision", "recall", "f1", "acc")
_LONGEST = 300  # characters of one group; brackets that close later are no citation
_GROUPS_READ = 500
_NEAR = 0.7  # Jaccard index of words that still names a title
_FORMS = {
    "brackets": re.compile(rf"\[([^\[\]\n]{{1,{_LONGEST}}}+)\]"),
    "double_brackets": re.compile(rf"\[\[([^\[\]\n]{{1,{_LONGEST}}}+)\]\]"),
    "parentheses": re.compile(rf"\(([^()\n]{{1,{_LONGEST}}}+)\)"),
    "angles": re.compile(rf"<([^<>\n]{{1,{_LONGEST}}}+)>"),
}
_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"(?:source|doc|document|passage|title|ref|citation)s?\s*[:#]?\s*", re.IGNORECASE)


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return exact (cited are the supporting sources, all and only), format, precision, recall, f1, and acc of the answer.

    acc is null where the item has no gold. A reply without a citation has recall and f1 0 and no precision.
    """
    reply = last(answer, task, item)
    form = fact(task, item, "form", "brackets")
    if form not in _FORMS:
        raise MissingDataError(
            f"task '{task.name}', item {item.native_id}: fact 'form' is {form!r}, expected one of {', '.join(_FORMS)}"
        )
    titles, sources = _sources(task, item)
    numbered = bool(fact(task, item, "numbered", False))
    if not sources:
        return alike(SCORER, METRICS, None, "unscored", "no supporting source")
    if state := silence(reply):
        return alike(SCORER, METRICS, 0.0, state)
    text = said(reply)
    cited, strange = read_citations(text, titles, form, numbered=numbered)
    accuracy = float(bool(match_open(_FORMS[form].sub(" ", text), item.gold).matched)) if item.gold else None
    hits, total = len(cited & sources), len(cited) + strange
    precision = hits / total if total else None
    recall = hits / len(sources)
    f1 = 2 * hits / (total + len(sources))
    scores = (float(total == hits == len(sources)), float(bool(cited)), precision, recall, f1, accuracy)
    state = "answered" if cited else none_found(reply)
    choice = "; ".join(titles[place] for place in sorted(cited)) or None
    return [Scored(SCORER, metric, value, choice, state=state) for metric, value in zip(METRICS, scores, strict=True)]


def read_citations(text: str, titles: Sequence[str], form: str, *, numbered: bool) -> tuple[set[int], int]:
    """The places of the titles cited, and how many citations name none of them.

    >>> read_citations("He did [Paris; Rome]. See [Oslo].", ["Paris", "Rome", "Lima"], "brackets", numbered=False)
    ({0, 1}, 1)
    """
    keys = [_key(title) for title in titles]
    places: set[int] = set()
    strange: set[str] = set()
    for group in islice(_FORMS[form].finditer(text), _GROUPS_READ):
        for piece in _pieces(group[1], keys, numbered):
            place = _place(piece, keys, numbered)
            if place is not None:
                places.add(place)
            else:
                strange.add(_key(piece))
    return places, len(strange)


def _pieces(group: str, keys: Sequence[str], numbered: bool) -> list[str]:
    if _place(group, keys, numbered) is not None:
        return [group]
    pieces = [piece for piece in group.split(";") if piece.strip()]
    found = []
    for piece in pieces:
        parts = [part for part in piece.split(",") if part.strip()]
        # a comma may belong to a title ("Paris, Texas"): it parts sources only where each part is one
        whole = _place(piece, keys, numbered) is not None or any(_place(part, keys, numbered) is None for part in parts)
        found += [piece] if whole else parts
    return found


def _place(piece: str, keys: Sequence[str], numbered: bool) -> int | None:
    bare = _LABEL.sub("", piece.strip(), count=1) if _LABEL.match(piece.strip()) else piece.strip()
    if numbered and bare.isdecimal() and len(bare) < 5:
        return int(bare) - 1 if 1 <= int(bare) <= len(keys) else None
    for text in (piece, bare):
        key = _key(text)
        if key in keys:
            return keys.index(key)
    words = set(key.split())
    near = [len(words & set(other.split())) / len(words | set(other.split()) or {""}) for other in keys]
    best = max(near, default=0.0)
    return near.index(best) if best >= _NEAR and near.count(best) == 1 else None


def _sources(task: ScoredTask, item: ScoredItem) -> tuple[list[str], set[int]]:
    shown: Any = fact(task, item, "titles") or fact(task, item, "context_titles")
    wanted: Any = fact(task, item, "sources") or fact(task, item, "supporting_facts")
    if shown is None:
        shown = needed(task, item, "titles", "the titles of the sources shown")
    if wanted is None:
        wanted = needed(task, item, "sources", "the titles of the supporting sources")
    if isinstance(wanted, Mapping):
        wanted = wanted.get("title")
    titles = gold_aliases(shown)
    keys = [_key(title) for title in titles]
    # a supporting source that was not shown cannot be cited
    return titles, {keys.index(_key(title)) for title in gold_aliases(wanted) if _key(title) in keys}


def _key(text: str) -> str:
    return " ".join(_WORD.findall(clean_reply(text).casefold()))
