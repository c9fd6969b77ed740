"""What is seen, to take away: cells, items, figures and the page of a view."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from forgetmap.errors import UsageError
from forgetmap.explorer.desk import Desk
from forgetmap.explorer.listing import list_items
from forgetmap.explorer.slice_figure import slice_figure
from forgetmap.explorer.state import View
from forgetmap.map import maps_to_dict
from forgetmap.report import figures as draw
from forgetmap.report.exports import tidy_tables
from forgetmap.report.figures import Figure
from forgetmap.report.page import ItemSet, build_page
from forgetmap.report.sheet import Sheet

#: Items made ready at a time: few enough to begin at once, enough to read files in long strides.
PIECE = 2_000
REPORT_ITEMS = 1_000
_ITEM_COLUMNS = (
    "after_run", "task", "item", "native_id", "transition", "cause", "question", "options", "gold", "kind",
    "score_before", "score_after", "repeats_before", "repeats_after", "confidence", "repeats_wrong", "shared_by", "marks",
    "choice_before", "state_before", "note_before", "prompt_before", "response_before", "choice_after", "state_after",
    "note_after", "prompt_after", "response_after",
)  # fmt: skip


def cells_csv(desk: Desk, view: View) -> str:
    """Return every cell of every map of a view, one row each, as `compare --csv` writes it."""
    return tidy_tables(desk.sheets(view))["cells"].write_csv()


def map_json(desk: Desk, view: View) -> dict[str, Any]:
    """Return the maps as `compare --json` writes them, causes included."""
    maps = desk.maps(view)
    for found, ledger in zip(maps, desk.ledgers(view), strict=True):
        if not view.only:
            vars(found)["found_causes"] = ledger.causes()
    return maps_to_dict(maps)


def items_csv(desk: Desk, view: View) -> Iterator[str]:
    """Return all items of a view with their texts as CSV, piece by piece."""
    listing = list_items(desk, view, patience=None)
    yield _line(_ITEM_COLUMNS)
    for rows in listing.pieces(PIECE):
        yield "".join(_line([_flat(name, row, view) for name in _ITEM_COLUMNS]) for row in rows)


def _flat(name: str, row: dict[str, Any], view: View) -> Any:
    value = view.afters[row["after"]] if name == "after_run" else row[name]
    return " | ".join(value) if isinstance(value, list) else value


def _line(values: Any) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(values)
    return out.getvalue()


def figure_of(desk: Desk, view: View, name: str, place: int = 0) -> Figure:
    """Return a figure of a view by name; `place` says of which after."""
    with_causes = name.startswith("causes")
    sheets = desk.sheets_with_causes(view, view.level, "total") if with_causes else desk.sheets(view)
    if not 0 <= place < len(sheets):
        raise UsageError(f"figure is of after {place}; there are {len(sheets)}")
    one: Sheet = sheets[place]
    level, reading = view.level, view.reading
    made: Figure | None
    if name == "radar":
        made = draw.radar(sheets[:4], level=level, reading=reading)
    elif name == "forest":
        made = draw.forest(one, level=level, reading=reading)
    elif name in ("heat-lost", "heat-gained"):
        made = draw.heat(sheets, level=level, reading=reading, direction=name[5:])
    elif name == "quadrants":
        made = draw.quadrants(one, level=level)
    elif name in ("causes-lost", "causes-gained"):
        made = draw.cause_bars(one, level=level, direction=name[7:])
    elif name == "slices":
        made = slice_figure(desk.slices(view)[place], reading)
    elif name == "alluvial":
        made = draw.alluvial(desk.chain(view))
    else:
        raise UsageError(f"no figure is called '{name[:60]}'; there are {', '.join(FIGURES)}")
    if made is None:
        raise UsageError(f"this view has nothing to draw as '{name}'; choose another figure")
    return made


FIGURES = (
    "radar", "forest", "heat-lost", "heat-gained", "quadrants", "causes-lost", "causes-gained", "slices", "alluvial",
)  # fmt: skip


def report_page(desk: Desk, view: View, command: str) -> str:
    """Return the view as a report: one file, with the first items that the view lists."""
    listing = list_items(desk, view)
    rows = listing.show(0, REPORT_ITEMS)
    silent = not all(getattr(ledger.pair, side).has_texts for ledger in listing.ledgers for side in ("before", "after"))
    held = "a run holds no texts: its answers are not on record" if silent else None
    return build_page(
        desk.sheets_with_causes(view),
        items=ItemSet(rows, listing.count_ways(), held),
        chain=desk.chain(view) if view.chain else None,
        reading=view.reading,
        level=view.level,
        command=command,
    )


def file_stem(desk: Desk, view: View) -> str:
    """Return a file name that any system takes: names of models are hostile too."""
    names = [desk.library.entries[ident].name for ident in (view.before, view.afters[0])]
    safe = [re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._")[:40] or "run" for name in names]
    return "--".join(safe)
