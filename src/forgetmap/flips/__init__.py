"""Flips: the items behind a map, with both answers side by side."""

from forgetmap.flips.listing import TRANSITIONS, list_flips, show_items
from forgetmap.flips.marks import LABEL_ERROR, NOISE

__all__ = ["LABEL_ERROR", "NOISE", "TRANSITIONS", "list_flips", "show_items"]
