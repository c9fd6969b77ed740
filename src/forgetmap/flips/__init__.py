"""Flips: the items behind a map, with both answers side by side."""

from forgetmap.flips.listing import TRANSITIONS, list_flips, show_items
from forgetmap.flips.marks import LABEL_ERROR, NOISE
from forgetmap.flips.words import change_words, score_words

__all__ = ["LABEL_ERROR", "NOISE", "TRANSITIONS", "change_words", "list_flips", "score_words", "show_items"]
