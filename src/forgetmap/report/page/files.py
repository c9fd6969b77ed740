"""The page as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from forgetmap.chain import Chain
from forgetmap.map import ForgettingMap
from forgetmap.recipe import Recipe
from forgetmap.report.page.build import build_page
from forgetmap.report.page.selection import MOST_ITEMS, select_items
from forgetmap.report.sheet import Sheet
from forgetmap.storage import write_atomically


def write_page(
    path: Path,
    maps: Sequence[ForgettingMap],
    *,
    sheets: Sequence[Sheet] | None = None,
    items: int | None = None,
    chain: Chain | None = None,
    recipe: Recipe | None = None,
    level: str = "category",
    reading: str = "auto",
    command: str | None = None,
) -> Path:
    """Write the page of maps, all or nothing, and return its path.

    Parameters
    ----------
    maps : fresh maps, whose runs give the items; none where only `sheets` are at hand.
    sheets : what the page shows, where it is there already.
    items : how many items to show at most.
    """
    text = build_page(
        sheets or [Sheet.of(found) for found in maps],
        items=select_items(maps, MOST_ITEMS if items is None else items) if maps else None,
        chain=chain,
        recipe=recipe,
        reading=reading,
        level=level,
        command=command,
    )
    # Lone surrogates of broken model text have no bytes of their own.
    write_atomically(path, lambda target: target.write_bytes(text.encode("utf-8", "replace")))
    return path
