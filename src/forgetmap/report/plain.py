"""Text of others on a terminal: names and answers are printed, never obeyed."""

from __future__ import annotations

from rich.text import Text


def visible(text: str) -> str:
    """Return the text with control characters shown as escapes; line ends and tabs stay.

    >>> visible("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else sign.encode("unicode_escape").decode() for sign in text
    )


def plain(text: str, style: str = "") -> Text:
    """Return text that rich prints as it is: no markup, no control characters."""
    return Text(visible(text), style=style)


def number(n: int, noun: str) -> str:
    """Return a count with its noun.

    >>> number(1, "item"), number(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def percent(value: float | None) -> str:
    """Return a share as people read it; what rounds to nothing has no sign.

    >>> percent(0.1234), percent(-0.0001), percent(None)
    ('12.3 %', '0.0 %', '–')
    """
    return "–" if value is None else f"{round(100 * value, 1) + 0.0:.1f} %".replace("-", "−")
