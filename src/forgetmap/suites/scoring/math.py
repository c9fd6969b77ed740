"""Mathematics: is the final answer equal to the gold? (captrack.md 3.1)

The final answer is the last box with balanced braces, else the last marked answer, else a reply that is one short line.
Equality is decided by the rules of `formulas`; what they leave open goes to math-verify where the extra `traits` is
installed. The scorer's name says which: `math_verify`, or `math_rules` for our rules alone. Under the latter a formula that
no rule can read is unscored ("undecided"), not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec

from forgetmap.answers import clean_reply
from forgetmap.answers.markers import markers
from forgetmap.suites.scoring import formulas, math_library
from forgetmap.suites.scoring.protocols import Prompt, Reply, ScoredItem, ScoredTask
from forgetmap.suites.scoring.scored import Scored, last, none_found, said, silence

METRICS = ("acc",)
_BOX_READ = 2_000
_LINE_READ = 400
_BOX = re.compile(r"\\(?:boxed|fbox)[ \t]*+\{")
_DOLLARS = re.compile(r"\$([^$\n]{1,300}+)\$|\\\(([^\n]{1,300}?)\\\)")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_BRACE = re.compile(r"(?<!\\)[{}]")
_HASHES = "####"


def scorer() -> str:
    """The name of the scorer that this installation has."""
    return "math_verify" if find_spec("math_verify") else "math_rules"


def score(task: ScoredTask, item: ScoredItem, rendered: Prompt, answer: Sequence[Reply]) -> list[Scored]:
    """Return acc; null where the item has no gold or no rule can compare."""
    name, reply = scorer(), last(answer, task, item)
    golds = [final_answer(gold) or gold.rpartition(_HASHES)[2].strip() for gold in item.gold if gold.strip()]
    if not golds:
        return [Scored(name, "acc", None, state="unscored", error="no gold")]
    if state := silence(reply):
        return [Scored(name, "acc", 0.0, state=state)]
    found = final_answer(said(reply))
    if found is None:
        return [Scored(name, "acc", 0.0, state=none_found(reply))]
    told = [formulas.equal(found, gold) for gold in golds]
    if True not in told and None in told and name == "math_verify":
        told = [math_library.equal(found, gold) if one is None else one for one, gold in zip(told, golds, strict=True)]
    if True not in told and None in told:
        return [Scored(name, "acc", None, found, state="unscored", error="undecided")]
    return [Scored(name, "acc", float(True in told), found)]


def final_answer(text: str) -> str | None:
    r"""The answer a reply ends on, as written; null where it gives none.

    >>> final_answer(r"So \boxed{\frac{1}{\sqrt{2}}}."), final_answer("The answer is $2x+1$, as shown.")
    ('\\frac{1}{\\sqrt{2}}', '2x+1')
    >>> final_answer(r"We get \boxed{\frac{1}{2"), final_answer("No idea, really.\nNone at all.")
    (None, None)
    """
    boxes = list(_BOX.finditer(text))[-50:]
    for box in reversed(boxes):
        content = _box(text, box.end())
        if content is not None:
            return content.strip() or None
    cleaned = clean_reply(text).strip()
    for marker in [] if boxes else markers(cleaned):
        line = cleaned[marker.start : marker.start + _LINE_READ].lstrip().partition("\n")[0]
        if marker.kind == "boxed" or not line:
            continue
        return _formula(line)
    lone = cleaned if not boxes and "\n" not in cleaned and len(cleaned) <= _LINE_READ else ""
    return _formula(lone) if lone and len(lone.split()) <= 6 else None


def _box(text: str, start: int) -> str | None:
    depth = 1
    for brace in _BRACE.finditer(text, start, min(len(text), start + _BOX_READ)):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[start : brace.start()]
    return None


def _formula(line: str) -> str | None:
    written = _DOLLARS.search(line)
    if written:
        return (written[1] or written[2]).strip() or None
    end = _SENTENCE_END.search(line)
    return (line[: end.start()] if end else line).strip().strip("*").strip() or None
