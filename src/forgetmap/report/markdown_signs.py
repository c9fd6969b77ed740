"""Text of others in Markdown: shown as it is, never obeyed, linked or notified."""

from __future__ import annotations

import re
from collections.abc import Sequence

from forgetmap.report.plain import visible

_SPECIAL = frozenset("&<>|`*_[]\\~#@${}")
#: At the start of a line these make lists, headings and rules.
_LEADING = re.compile(r"^([-+=:])|^(\d+)([.)])(?=\s|$)")
#: GitHub looks for mentions and references in the rendered text, where entities are signs again: a space of no width
#: parts them.
_REFERENCE = re.compile(r"(@|#|\bGH-)(?=\w)", re.IGNORECASE)
_APART = "\u200b"


def escape(text: str, most: int | None = None) -> str:
    """Return text that Markdown shows as it is: on one line, special signs as entities, no links and no mentions.

    >>> escape("a|b <i> @me"), escape("see https://x.y"), escape("- 1")
    ('a&#124;b &#60;i&#62; &#64;&#8203;me', 'see https&#58;//x.y', '&#45; 1')
    """
    flat = " ".join(visible(text).split())
    if most is not None and len(flat) > most:
        flat = f"{flat[: most - 1]}…"
    flat = _REFERENCE.sub(rf"\1{_APART}", flat)
    made = "".join(f"&#{ord(sign)};" if sign in _SPECIAL or sign == _APART else sign for sign in flat)
    made = _LEADING.sub(lambda at: f"&#{ord(at[1])};" if at[1] else f"{at[2]}&#{ord(at[3])};", made)
    return re.sub(r"(?i)(www)\.", r"\1&#46;", made.replace("://", "&#58;//"))


def row(cells: Sequence[str]) -> str:
    """Return a row of a table; the cells are escaped already."""
    return f"| {' | '.join(cells)} |"
