"""By which rule a file's stored letter `pred` was read out of the text (formats.md 3.6).

  answer_is     "answer is (X)" alone; null where it is missing
  null          then also "Answer: X" and the last lone letter; null where there is none
  filled        as `null`, but a letter drawn at random is stored instead of null
  last_capital  as `null`, but the last capital A to J counts wherever it stands, as in "Answer"

Rules differ only in rows where "answer is (X)" finds nothing, so these rows give the rule away.
"""

from __future__ import annotations

import re
from collections import Counter

from forgetmap.answers import Extraction, has_lone_letter

#: The `extracted` scorer has one rule for all files.
ONE_RULE = "one_rule"
#: What a row tells when `pred` is set although no letter stands alone in its text.
NO_LETTER = ("drawn", "capital", "misread")

# The files' own first rule takes D from "answer is (Dorset Complex)": misread, but not drawn at random.
_LOOSE = re.compile(r"answer is \(?[A-J]")
_CAPITAL = re.compile(r"[A-J]")


def evidence(stored: str | None, text: str | None, found: Extraction) -> str:
    """Return what one row tells about the rule behind its stored letter."""
    if text is None or found.tier == "answer_is":
        return "nothing"
    if not stored:
        return "passed_over" if found.tier else "nothing"
    misread = _LOOSE.search(text) is not None
    if found.tier or has_lone_letter(text):
        return "nothing" if misread else "read_on"
    if misread:
        return "misread"
    capitals = _CAPITAL.findall(text)
    return "capital" if capitals and capitals[-1] == stored else "drawn"


def regime(told: Counter[str]) -> str:
    """Return the rule that the rows of a file agree on."""
    if told["drawn"]:
        return "filled"
    if told["capital"]:
        return "last_capital"
    return "null" if told["read_on"] > told["passed_over"] else "answer_is"
