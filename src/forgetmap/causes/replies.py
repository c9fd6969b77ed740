"""Why one answer is not right: read from its text where the log leaves it open."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from forgetmap.answers import extract_choice
from forgetmap.traits import holds_gold, is_cut, is_looping, is_other_language, is_refusal

CAUSES = (
    "wrong_answer",  # a valid choice, but not the right one; assumed where the log does not say
    "empty",
    "refused",
    "wrong_format",  # the right answer in a form that was not accepted
    "truncated",
    "looping",
    "other_language",
    "no_answer",  # text without an answer, for none of these reasons
)
FLAGS = ("truncated", "looping", "other_language")  # kept beside a cause that comes before them

OPEN, UNKNOWN = "open", "unknown"  # states that only the text can settle: no choice on record, nothing on record


class _Reply:
    """A reply and the signs it shows, each looked for once and only when asked."""

    def __init__(self, text: str, question: str | None, cut: bool | None) -> None:
        self.text = text
        self.question = question or ""
        self.cut = cut  # by a limit, as recorded; null where the log does not say

    @cached_property
    def breaks_off(self) -> bool:
        return is_cut(self.text)

    @cached_property
    def looping(self) -> bool:
        return is_looping(self.text)

    @cached_property
    def other_language(self) -> bool:
        return is_other_language(self.text, self.question)

    @property
    def truncated(self) -> bool:
        return self.breaks_off if self.cut is None else self.cut


def read_answer(row: dict[str, Any]) -> tuple[str, list[str]]:
    """The cause of one answer that is not right, and the flags beside it (those of lower answers of moved items only)."""
    reply = _Reply(row["response"], row["question"], row["cut"])
    cause = "wrong_answer" if row["recorded"] == "wrong_answer" else _read_cause(row, reply)
    if not row["worse"]:
        return cause, []
    return cause, [flag for flag in FLAGS if flag != cause and getattr(reply, flag)]


def _read_cause(row: dict[str, Any], reply: _Reply) -> str:
    """The first cause that fits a reply without a valid choice on record."""
    unknown = row["recorded"] == UNKNOWN
    gold, options = row["gold"] or [], row["options"]
    if not reply.text or reply.text.isspace():
        return "empty"
    if is_refusal(reply.text):
        return "refused"
    if unknown and options and extract_choice(reply.text, options).answer not in (None, *gold):
        return "wrong_answer"
    if holds_gold(reply.text, gold, options, reply.question, finished=not reply.breaks_off):
        return "wrong_format"
    if reply.cut:
        return "truncated"
    # A loop ends where the limit is, in mid-sentence: without a recorded stop reason the loop is the better evidence.
    if reply.looping:
        return "looping"
    if not unknown and reply.truncated:
        return "truncated"
    if reply.other_language:
        return "other_language"
    # Where a log does not say whether an answer was given, one is assumed (statistics.md 1).
    return "wrong_answer" if unknown else "no_answer"
