"""The map in a few plain sentences, for readers who know no statistics."""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.cells import Cell
from forgetmap.report.plain import percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import cut

_CERTAIN = 0.05
#: A change of the share of answers that is worth a sentence.
_TELLING = 0.02


def summary_lines(sheet: Sheet) -> list[str]:
    """Return what a reader should take away: the net, what is behind it, where, and from which cause."""
    total = sheet.total
    if total.observed["acc_before"] is None or total.observed["lost"] is None:
        return []
    lines = [_net(total), _gross(sheet), _where(sheet), _validity(total), _causes(sheet), _bridge(sheet)]
    return [line for line in lines if line]


#: Why only the net change of a cell is judged, in words.
_BECAUSE = {
    "sampled": "answers were sampled and there are no repeats on both sides",
    "graded": "grades have no lucky guesses, and there are no repeats on both sides",
    "options unknown": "the number of options is not on record",
}


def why_net(cell: Cell) -> str:
    """Return why only the net change of a cell is judged."""
    return _BECAUSE[cell.decision["net_because"]]


def _net(total: Cell) -> str:
    before, after, p = total.observed["acc_before"], total.observed["acc_after"], total.decision["p_net"]
    assert before is not None and after is not None
    graded = " of the scale" if total.observed["kept"] is None else ""
    change = f"Score {percent(before)} → {percent(after)}{graded}"
    if p is None:
        return f"{change}."
    if p > _CERTAIN:
        return f"{change}: no certain net change (p = {_p(p)})."
    return f"{change}: a net {'fall' if after < before else 'rise'} of {_points(abs(after - before))} (p {_p(p, sign=True)})."


def _gross(sheet: Sheet) -> str:
    total = sheet.total
    decision = total.decision
    reading, verdict = decision["verdict_reading"], total.verdict
    if verdict is None:
        return ""
    if reading == "net":
        return f"Behind it, {_flips(total)}. Only the net change is judged: {why_net(total)}."
    guessed = reading == "chance" or (
        reading == "noise" and total.noise is not None and total.noise["form"] == "chance"
    )
    what = "knowledge: " if guessed else "beyond re-run noise: " if reading == "noise" else ""
    figures = " and ".join(_figure(total, direction) for direction in ("lost", "gained"))
    margin = _points(decision["margin"])
    ends = {
        "both": f"Both are certain, each surely more than {margin}",
        "lost": f"The loss is certain, surely more than {margin}; the gain is not",
        "gained": f"The gain is certain, surely more than {margin}; the loss is not",
        "steady": f"Both are surely less than {margin}",
        "unclear": f"Neither is surely more than {margin}",
    }
    end = ends[verdict]
    if verdict == "unclear":
        if decision["detectable"] is not None:
            end += f": a loss of {percent(decision['detectable'])} would have shown"
    whole = "all items"
    if reading == "chance" and total.chance is not None and total.chance["items"] < total.items:
        part = total.chance["items"]
        whole = whole if part >= 0.95 * total.items else f"the {part:,} items whose options are known"
    return f"Behind it, {what}{figures}, of {whole}. {end}."


def _flips(cell: Cell) -> str:
    lost, gained = percent(cell.observed["lost"]), percent(cell.observed["gained"])
    if cell.observed["kept"] is None:
        return f"items fell by {lost} and rose by {gained} of the scale on average"
    return (
        f"{lost} of the items went from right to wrong and {gained} from wrong to right, luck and re-run noise included"
    )


def _figure(cell: Cell, direction: str) -> str:
    value, low, high = cell.figures(cell.judged_by, direction)
    block = cell.block(cell.decision["verdict_reading"]) or {}
    if block.get("form") == "observed" and block.get(f"{direction}_at_least") is not None:
        return f"at least {percent(value)} and at most {percent(high)} {direction}"
    if value is None:
        return f"between {percent(low)} and {percent(high)} {direction}"
    if high is not None and high <= 0:  # a reading may fall below nothing; a share may not
        return f"nothing {direction} (reads {percent(value)}, {_bare(low)} to {_bare(high)})"
    return f"{percent(value)} ({_bare(low)} to {_bare(high)}) {direction}"


def _where(sheet: Sheet) -> str:
    """The cells whose score surely fell or rose, at the finest level that has few enough to name."""
    level = "category" if len(sheet.at("category")) > 1 else "task"
    cells = [
        cell for cell in sheet.at(level) if cell.decision["q_net"] is not None and cell.decision["q_net"] <= _CERTAIN
    ]
    if len(sheet.at(level)) < 2 or not cells:
        return ""
    changes = [
        (cell.name, (cell.observed["acc_after"] or 0.0) - (cell.observed["acc_before"] or 0.0)) for cell in cells
    ]
    fell = sorted((one for one in changes if one[1] < 0), key=lambda one: one[1])
    rose = sorted((one for one in changes if one[1] > 0), key=lambda one: -one[1])
    parts = [_named(found, word) for found, word in ((fell, "down"), (rose, "up")) if found]
    return f"The score surely went {'; '.join(parts)}."


def _named(changes: Sequence[tuple[str, float]], word: str) -> str:
    shown = ", ".join(f"{cut(name)} ({_points(change, sign=True)})" for name, change in changes[:4])
    return f"{word} in {shown}{f' and {len(changes) - 4} more' if len(changes) > 4 else ''}"


def _validity(total: Cell) -> str:
    """Whether the model answers less often, or answers worse: the two may hide each other."""
    split = total.validity
    if split is None:
        return ""
    before, after = split["answered_before"], split["answered_after"]
    right, right_after = split["acc_answered_before"], split["acc_answered_after"]
    if before is None or after is None or right is None or right_after is None or abs(before - after) < _TELLING:
        return ""
    return (
        f"Answers were given to {percent(before)} of the items before and {percent(after)} after; of those {percent(right)} and "
        f"{percent(right_after)} are right."
    )


def _causes(sheet: Sheet) -> str:
    """How many of the lost items hold no answer at all, against how common that is."""
    total = [row for row in sheet.causes if (row["direction"], row["level"]) == ("lost", "total")]
    silent = [row for row in total if row["cause"] != "wrong_answer"]
    share = sum(row["share"] for row in silent)
    if not total or share < 0.05:
        return ""
    everywhere = sum(row["share_of_all"] for row in silent if row["share_of_all"] is not None)
    main = max(silent, key=lambda row: row["share"])
    how = f", mostly {main['cause'].replace('_', ' ')}" if len(silent) > 1 and main["cause"] != "no_answer" else ""
    return (
        f"{100 * share:.0f} % of the lost items hold no extractable answer after{how}; of all answers after, "
        f"{100 * everywhere:.0f} % hold none{'' if sheet.weight == 'items' else ', every item counted alike'}."
    )


def _bridge(sheet: Sheet) -> str:
    if sheet.bridge is None:
        return ""
    total = next((cell for cell in sheet.bridge["cells"] if cell["level"] == "total"), None)
    if total is None or total["lost_to_prompt"] is None:
        return ""
    parts = [
        f"{_points(total[name])} ({_bare(total[f'{name}_low'])} to {_bare(total[f'{name}_high'])})"
        for name in ("lost_to_prompt", "lost_to_training")
    ]
    whole = _points(total["lost_to_prompt"] + total["lost_to_training"])
    return f"Of the {whole} that went from right to wrong, the prompt took {parts[0]} and the training {parts[1]}."


def _bare(value: float | None) -> str:
    return percent(value).removesuffix(" %")


def _points(value: float, *, sign: bool = False) -> str:
    size = f"{100 * value:{'+' if sign else ''}.1f}".replace("-", "−")
    size = size if sign else size.removesuffix(".0")
    return f"{size} {'point' if size == '1' else 'points'}"


def _p(p: float, *, sign: bool = False) -> str:
    if p < 0.001:
        return "< 0.001"
    return f"{'= ' if sign else ''}{p:.2f}" if p >= 0.01 else f"{'= ' if sign else ''}{p:.3f}"
