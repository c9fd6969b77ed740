"""The page as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgetmap.chain import Chain
from forgetmap.map import ForgettingMap
from forgetmap.recipe import Recipe
from forgetmap.report.page.build import build_page
from forgetmap.report.page.selection import MOST_ITEMS, select_items
from forgetmap.report.sheet import Sheet
from forgetmap.storage import write_text


def page_text(
    maps: Sequence[ForgettingMap],
    *,
    sheets: Sequence[Sheet] | None = None,
    items: int | None = None,
    chain: Chain | None = None,
    recipe: Recipe | None = None,
    level: str = "category",
    reading: str = "auto",
    command: str | None = None,
) -> str:
    """Return the page of maps.

    Parameters
    ----------
    maps : fresh maps, whose runs give the items; none where only `sheets` are at hand.
    sheets : what the page shows, where it is there already.
    items : how many items to show at most.
    """
    return build_page(
        sheets or [Sheet.of(found) for found in maps],
        items=select_items(maps, MOST_ITEMS if items is None else items) if maps else None,
        chain=chain,
        recipe=recipe,
        reading=reading,
        level=level,
        command=command,
    )


def write_page(path: Path, maps: Sequence[ForgettingMap], **options: Any) -> Path:
    """Write the page of maps, all or nothing, and return its path; options as of `page_text`."""
    write_text(path, page_text(maps, **options))
    return path
