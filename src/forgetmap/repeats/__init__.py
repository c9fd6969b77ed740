"""Repeats: independent second answers of one model, and what is different about them (statistics.md 2.1).

A noise floor is a floor of something: of another seed, another wording, another batch. So repeats carry their kind.
"""

from forgetmap.repeats.joining import join_repeats
from forgetmap.repeats.kinds import REPEAT_KINDS, declare_repeats, repeat_kind

__all__ = ["REPEAT_KINDS", "declare_repeats", "join_repeats", "repeat_kind"]
