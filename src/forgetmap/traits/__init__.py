"""Traits: measurable habits of a reply, read from its text alone.

Pure functions, one small module per family. Nothing here knows about runs, tables or scores, and nothing evaluates what
it reads. Each module carries a VERSION: a changed rule gets a new number, because shares found under two rules do not
compare.
"""

from forgetmap.traits import ending, form, language, looping, refusal
from forgetmap.traits.ending import is_cut
from forgetmap.traits.form import holds_gold
from forgetmap.traits.language import is_other_language, language_of
from forgetmap.traits.looping import Loop, find_loop, is_looping
from forgetmap.traits.refusal import is_refusal, refusal_cue

#: Which rules a result was made by.
VERSIONS = {
    "refusal": refusal.VERSION,
    "looping": looping.VERSION,
    "language": language.VERSION,
    "ending": ending.VERSION,
    "form": form.VERSION,
}

__all__ = [
    "VERSIONS",
    "Loop",
    "find_loop",
    "holds_gold",
    "is_cut",
    "is_looping",
    "is_other_language",
    "is_refusal",
    "language_of",
    "refusal_cue",
]
