"""The verdict of a map in one breath: how many cells lost something, which most, and where nothing is certain."""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.cells import Cell
from forgetmap.report.plain import percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import cut, shown

_PLURAL = {"category": "categories", "task": "tasks", "group": "groups", "cell": "categories and tasks"}
_NAMED = 3  # cells named before the rest is counted


def verdict_sentences(sheet: Sheet, *, level: str = "category", reading: str = "auto") -> list[str]:
    """Return what the verdicts of a level say, the most important sentence first; empty where nothing is decided.

    "3 of 9 categories lost something; Culture most: 6.1 % [4.0, 8.3] of items; nothing certain in Math."
    """
    cells = sheet.shown(level) if level != "total" else [sheet.total]
    decided = [cell for cell in cells if cell.verdict]
    if reading not in ("auto", "observed") and all(cell.block(reading) is None for cell in sheet.cells):
        return [f"There is no {reading} reading of these runs; choose another."]
    if reading in ("soft", "paper"):
        reading = "auto"  # these two decide nothing: the words rest on what auto shows
    if not decided:  # what the level hides or does not hold may still be decided all in all
        return [*_only(sheet.total, reading), *_carried([sheet.total])] if sheet.total.verdict else []
    noun = noun_of(cells, level)
    if len(cells) == 1:
        said = _only(cells[0], reading, whole=cells[0].tasks == sheet.total.tasks)
        if cells[0].tasks < sheet.total.tasks and sheet.total.verdict:
            said += _only(sheet.total, reading)
        return [*said, *_carried(decided)]
    losers = [cell for cell in decided if cell.verdict in ("lost", "both")]
    gainers = [cell for cell in decided if cell.verdict in ("gained", "both")]
    unclear = [cell for cell in decided if cell.verdict == "unclear"]
    steady = [cell for cell in decided if cell.verdict == "steady"]
    certain = f"; nothing certain in {_names(unclear)}" if unclear and len(unclear) < len(cells) else ""
    first = _moved(losers, len(cells), noun, "lost", reading) + certain
    said = [f"{first}."]
    said.append(f"{_moved(gainers, len(cells), noun, 'gained', reading)}.")
    if len(unclear) == len(cells):
        where = f"either {noun}" if len(cells) == 2 else f"any of the {len(cells)} {_PLURAL[noun]}"
        said = [f"No loss or gain is certain in {where}."]
        if sheet.total.verdict in ("lost", "gained", "both"):
            said = [*_only(sheet.total, reading), f"In {where} by itself nothing is certain."]
    if steady:
        verb = "is" if len(steady) == 1 else "are"
        said.append(f"{_names(steady)} {verb} steady: surely less than {_margin(steady)} either way.")
    without = [cell for cell in cells if not cell.verdict]
    if without:
        said.append(f"No verdict for {_names(without)}: the logs hold too little to decide.")
    return [*said, *_carried(decided)]


def noun_of(cells: Sequence[Cell], level: str) -> str:
    """Return what to call the cells: tasks without a place in the taxonomy are cells of their own at every level."""
    if level == "category" and cells and not any(cell.mapped for cell in cells):
        return "task"
    return "cell" if level == "category" and not all(cell.mapped for cell in cells) else level


def _only(cell: Cell, reading: str, *, whole: bool = True) -> list[str]:
    """The verdict where there is one cell to speak of."""
    name = "All in all" if cell.level == "total" else f"{cut(cell.name)}, all there is" if whole else cut(cell.name)
    parts = {
        "lost": f"{name}: something was lost, {_figure(cell, 'lost', reading)}; no certain gain",
        "gained": f"{name}: something was gained, {_figure(cell, 'gained', reading)}; no certain loss",
        "both": f"{name}: {_figure(cell, 'lost', reading)} lost and {_figure(cell, 'gained', reading)} gained",
        "steady": f"{name}: steady, surely less than {_margin([cell])} lost or gained",
        "unclear": f"{name}: no loss or gain beyond {_margin([cell])} is certain",
    }
    return [f"{parts[str(cell.verdict)]}."]


def _moved(cells: list[Cell], of: int, noun: str, direction: str, reading: str) -> str:
    if not cells:
        who = f"Neither {'one' if noun == 'cell' else noun}" if of == 2 else f"None of the {of} {_PLURAL[noun]}"
        return f"{who} surely {direction} anything"
    if len(cells) == of:
        who = f"Both {_PLURAL[noun]}" if of == 2 else f"All {of} {_PLURAL[noun]}"
    else:
        who = f"{len(cells)} of {of} {_PLURAL[noun]}"
    top = max(cells, key=lambda cell: _size(cell, direction, reading))
    figure = _figure(top, direction, reading)
    if len(cells) == 1:
        return f"{who} {direction} something: {cut(top.name)}, {figure}"
    return f"{who} {direction} something; {cut(top.name)} most: {figure}"


def _size(cell: Cell, direction: str, reading: str) -> float:
    if cell.decision["verdict_reading"] == "net":
        return abs(_net(cell))
    figure = shown(cell, reading, direction)
    if figure.value is not None:
        return figure.value
    return sum(figure.range) / 2 if figure.range else -1.0


def _net(cell: Cell) -> float:
    before, after = cell.observed["acc_before"], cell.observed["acc_after"]
    return 0.0 if before is None or after is None else after - before


def _figure(cell: Cell, direction: str, reading: str) -> str:
    """The figure that a verdict rests on, with its interval."""
    if cell.decision["verdict_reading"] == "net":
        change = f"{100 * abs(_net(cell)):.1f}"
        return f"its score {'fell' if _net(cell) < 0 else 'rose'} by {change} points"
    figure = shown(cell, reading, direction)
    whole = "of the scale" if cell.observed["kept"] is None else "of items"
    if figure.value is not None:
        ends = ""
        if figure.low is not None and figure.high is not None:
            low, high = (percent(end).removesuffix(" %") for end in (figure.low, figure.high))
            ends = f" [{low}, {high}]"
        return f"{'at least ' if figure.least else ''}{percent(figure.value)}{ends} {whole}"
    if figure.range is not None:
        low, high = (percent(end) for end in figure.range)
        return f"between {low.removesuffix(' %')} and {high} {whole}"
    return "by how much cannot be said"


def _names(cells: Sequence[Cell]) -> str:
    """A, B and C; long lists are counted from the fourth on."""
    names = [cut(cell.name) for cell in cells]
    rest = len(names) - _NAMED
    if rest > 1:
        names = [*names[:_NAMED], f"{rest} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _margin(cells: Sequence[Cell]) -> str:
    margins = sorted({100 * cell.decision["margin"] for cell in cells})
    text = " or ".join(f"{margin:g}" for margin in margins)
    return f"{text} {'point' if margins == [1.0] else 'points'}"


def _carried(cells: Sequence[Cell]) -> list[str]:
    """What a reader must know before the verdict is called forgetting."""
    changed = [cell for cell in cells if "prompt changed" in cell.flags]
    if not changed:
        return []
    where = "" if len(changed) == len(cells) else f" in {_names(changed)}"
    return [f"The prompt changed as well{where}, which is not forgetting; a bridge run tells the two apart."]
