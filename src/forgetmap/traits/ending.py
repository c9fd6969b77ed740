"""Ending: does a reply break off in mid-sentence?

For logs that record no stop reason. Sure signs only: an open code fence or formula, a mark that never ends a text, or a
last sentence without its full stop in a reply that sets full stops. A reply cut exactly at a sentence's end, or in a
list whose entries have none, is not seen.
"""

from __future__ import annotations

import re

VERSION = 1

_READ = 4000  # characters from the end
_LINE_READ = 500
_LAST_LINE_WORDS = 12  # a line of this many words is a sentence, not a heading or a signature
_FEWEST_WORDS = 20  # of a reply; short ones often have no full stop at all

_NEVER_LAST = frozenset(",;:([{<=+/\\^&-\u2013\u2014\u00d7\u2212\u2248\u2192\u3001\uff0c\uff1a\uff1b")
_SENTENCE_END = re.compile(r"[.!?](?=[\"')\]*]*+[ ]+[A-Z0-9\"'(\[$\\])|[\u3002\uff01\uff1f\u0964\u061f]")
_LISTED = re.compile(r"[ \t]*+(?:[-*+\u2022]|\(?[0-9]{1,3}[.)]|\(?[A-Za-z][.)])(?:[ \t]|$)")
_MARKER_ONLY = re.compile(r"[ \t]*+(?:[-+\u2022]|[0-9]{1,3}[.)])[ \t]*+")
_HEADING = re.compile(r"[ \t]*+[#>]")
_GIVES_RESULT = re.compile(r"\W*+(?:\S{1,30}[ ]+){1,8}(?:is|are|=|be|was|equals)[ ]+\S{1,20}")
_COMMAND_LAST = re.compile(r"\\[A-Za-z]+$|[A-Za-z0-9}]_$")  # "\cdot", "\int_"
_RULE = re.compile(r"[-=_*\s]+")


def _left_open(text: str, last: str) -> bool:
    """Whether a fence, formula or bracket is open at the end; a full stop shows that its closing was just forgotten."""
    if last[-1] in "!?" or (last[-1] == "." and not last[-2:-1].isdigit()):
        return False
    if text.count("```") % 2 or text.count("$$") % 2 or last.count("(") > last.count(")"):
        return True
    if "\\" not in text:  # no formulas: a dollar is money, a brace may stand for anything
        return False
    return text.count("$") % 2 == 1 or text.count("{") > text.count("}") or _COMMAND_LAST.search(last) is not None


def is_cut(text: str) -> bool:
    """Whether a reply breaks off: null evidence is False, so that a share of cut replies errs to the low side.

    >>> is_cut("The force is 3 N. To find the work we multiply it by the"), is_cut("Paris")
    (False, False)
    >>> is_cut("The force on the cart is 3 N, and it moves 2 m along the floor of the hall. To find the work, we multiply the")
    True
    """
    end = text[-_READ:].rstrip()
    if not end:
        return False
    lines = end.split("\n")
    last = lines[-1]
    if last[-500:].split()[-1].startswith(("#", "http")) or _RULE.fullmatch(last):  # posts and references end so
        return False
    if _MARKER_ONLY.fullmatch(last) and len(lines) > 1:
        return True
    if len(end.split(None, _FEWEST_WORDS)) <= _FEWEST_WORDS:
        return False
    if end[-1] in _NEVER_LAST or _left_open(text, last):
        return True
    if last.lstrip().startswith("|") and not last.endswith("|"):
        return len(lines) > 1 and lines[-2].rstrip().endswith("|")  # a row of a table
    if not end[-1].isalnum() or _HEADING.match(last):
        return False
    if _LISTED.match(last) and len(last.split()) < _LAST_LINE_WORDS:
        others = [line.rstrip() for line in lines[:-1] if _LISTED.match(line)]
        return len(others) >= 2 and all(line[-1] in ".;!?" for line in others)
    ends = list(_SENTENCE_END.finditer(last, max(len(last) - _LINE_READ, 0)))
    if ends:  # full stops within the line, and none at its end; but "The answer is B" is often left without
        return not _GIVES_RESULT.fullmatch(last[ends[-1].end() :])
    return len(last.split()) >= _LAST_LINE_WORDS and any(line.rstrip().endswith((".", "!", "?")) for line in lines[:-1])
