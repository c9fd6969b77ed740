"""One extraction rule for MMLU-Pro result files, whose stored letters come from three rules (formats.md 3.6).

Stages: "answer is (X)", then "Answer: X", then the last lone capital A to J; within a stage the LAST match counts,
because chains of thought settle late. A word is no letter: the files' own rule reads "answer is (Dorset Complex)"
as D. Two letters in the deciding sentence are no answer, as in `choice`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from forgetmap.answers.choice import LETTER_ENDS, is_word, names_other_letter
from forgetmap.answers.markers import plain_latex
from forgetmap.answers.options import ShownOptions, letter_index
from forgetmap.answers.states import Extraction

_MATCHES_READ = 1000
_LINE_READ = 1000
_STAGES = (
    ("answer_is", re.compile(rf"answer is \(?([A-J])(\)?){LETTER_ENDS}")),
    ("answer_colon", re.compile(rf"[aA]nswer:\s*+\(?([A-J])(\)?){LETTER_ENDS}")),
)
_LONE_LETTER = re.compile(r"\b[A-J]\b")


def has_lone_letter(text: str) -> bool:
    """Whether any capital A to J stands alone. Without one, a stored letter was drawn at random.

    Holds in files that never store null. Those that do store null took D from "answer is (Dorset Complex)".
    """
    return _LONE_LETTER.search(text) is not None


def _settles(rest: str, index: int, options: ShownOptions, bracketed: bool) -> bool:
    if not names_other_letter(rest, index, options.k, bracketed=bracketed):
        return True
    own_tail = options.after_own_text(plain_latex(rest), index)  # "(C) I and II only" names one option
    return own_tail is not None and not names_other_letter(own_tail, index, options.k, bracketed=bracketed)


def mmlu_pro_extract(text: str, options: Sequence[str]) -> Extraction:
    """The option an MMLU-Pro reply chose; tier `answer_is`, `answer_colon` or `lone_letter`.

    >>> mmlu_pro_extract("A gives 3. The answer is (B).", ["2", "4"])
    Extraction(state='answered', answer='4', index=1, tier='answer_is')
    """
    if not text or text.isspace():
        return Extraction("empty")
    shown = ShownOptions(options)
    for tier, pattern in _STAGES:
        for match in reversed(deque(pattern.finditer(text), maxlen=_MATCHES_READ)):
            rest = text[match.end() : match.end() + _LINE_READ].partition("\n")[0]
            if not match[2] and is_word(match[1], rest):
                continue  # "the answer is (I don't know)"
            index = letter_index(match[1], shown.k)
            if index is None or not _settles(rest, index, shown, bool(match[2])):
                return Extraction("no_answer", tier=tier)
            return Extraction("answered", options[index], index, tier)
    lone = deque(_LONE_LETTER.finditer(text), maxlen=1)
    if not lone:
        return Extraction("no_answer")
    index = letter_index(lone[0][0], shown.k)
    if index is None:
        return Extraction("no_answer", tier="lone_letter")
    return Extraction("answered", options[index], index, "lone_letter")
