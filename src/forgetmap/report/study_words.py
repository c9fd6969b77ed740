"""A study in plain sentences, and the names its pairs bear in figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from forgetmap.report.plain import number, percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import Shown, cut, unit_of
from forgetmap.study.entries import Entry
from forgetmap.study.result import AMOUNTS, DIRECTIONS, StudyResult
from forgetmap.study.trends import Trend

_READINGS = {
    "chance": "knowledge, lucky guesses removed",
    "known": "knowledge, lucky guesses and re-run noise removed",
    "noise": "what moved at least beyond re-run noise",
    "soft": "probability that left or came to the right option",
    "paper": "the published estimator",
    "observed": "items that flipped, luck and re-run noise included",
}
_NAMED = 6


def study_sentences(result: StudyResult, level: str = "category") -> list[str]:
    """Return what a reader should take away: who lost most, what is lost everywhere, which trends there are."""
    return [*_ranking(result), everywhere_sentence(result, level), *trend_sentences(result)]


def subtitle(result: StudyResult) -> str:
    """Return what the study holds, in one line."""
    found = result.found
    items = sorted({sheet.total.items for sheet in result.sheets})
    groups = [name for name in result.groups if name is not None]
    grouped = f" in {number(len(groups), 'group')}" if groups else ""
    size = number(items[0], "item") if len(items) == 1 else f"{items[0]:,} to {items[-1]:,} items"
    return f"{number(len(found), 'pair')}{grouped}, {size} each, compared one by one"


def reading_words(result: StudyResult) -> str:
    """Return what lost and gained are, in a few words."""
    if result.reading == "observed" and unit_words(result) == "% of the scale":
        return "how far scores fell and rose, as a share of the scale"
    return _READINGS[result.reading]


def unit_words(result: StudyResult) -> str:
    """Return what the percentages are of."""
    return unit_of(sheet.total for sheet in result.sheets)


def reading_sentence(result: StudyResult) -> str:
    """Return what lost and gained mean here."""
    return f"lost, gained: {reading_words(result)}; verdicts are decided over all pairs together"


def _ranking(result: StudyResult) -> list[str]:
    ranked = [entry for entry in result.ranked() if _total(result, entry, "lost").value is not None]
    if not ranked:
        return ["No pair has a figure to rank it by."]
    first, last = ranked[0], ranked[-1]
    if first is last:
        return [f"{first.name} lost {figure_text(_total(result, first, 'lost'))}."]
    surely = [entry for entry in result.found if _verdict(entry) in ("lost", "both")]
    said = f"{len(surely)} of {number(len(result.found), 'pair')} surely lost something in total."
    # A pair that may have lost nothing did not lose most, whatever its figure.
    sure = [entry for entry in ranked if entry in surely]
    if len(sure) == 1:
        said += f" It is {sure[0].name}: {figure_text(_total(result, sure[0], 'lost'))}."
    elif sure:
        first, last = sure[0], sure[-1]
        said += (
            f" Of these most: {first.name}, {figure_text(_total(result, first, 'lost'))}; "
            f"least: {last.name}, {figure_text(_total(result, last, 'lost'))}."
        )
    return [said]


def everywhere_sentence(result: StudyResult, level: str) -> str:
    """Return which cells are surely lost in all or most pairs."""
    counts = result.counts(level)
    noun = {"category": "category", "task": "task", "group": "group"}.get(level, level)
    named = {how: [one.name for one in counts if one.everywhere == how] for how in ("all", "most")}
    parts = []
    if named["all"]:
        parts.append(f"in every pair that has it: {few(named['all'])}")
    if named["most"]:
        parts.append(f"in most pairs: {few(named['most'])}")
    if not parts:
        return f"No {noun} is surely lost in most pairs."
    return f"Surely lost {'; '.join(parts)}."


def trend_sentences(result: StudyResult) -> list[str]:
    """Return the slopes over all pairs in words; where both directions lack one for the same reason, once."""
    said: dict[str, None] = {}
    for one in result.trends:
        said[trend_sentence(one["overall"], one["direction"], along(one))] = None
    return list(said)


def along(trend: dict[str, Any]) -> str:
    """Return what a trend runs along, in words."""
    unit = f" ({trend['unit']})" if trend["unit"] else ""
    return f"{AMOUNTS[trend['amount']]}{unit}"


def trend_sentence(trend: Trend, direction: str, amount: str) -> str:
    """Return one slope in words."""
    if trend.slope is None:
        return f"No slope along {amount}: {trend.reason}."
    ends = f"{points(trend.low)} to {points(trend.high)}"
    if not trend.shows:
        return (
            f"No trend shown of {direction} along {amount}: {points(trend.slope)} points per factor of ten (95 % {ends}, "
            f"{number(trend.pairs, 'pair')})."
        )
    way = "falls" if trend.slope < 0 else "rises"
    size = points(abs(trend.slope)).removeprefix("+")
    return (
        f"{direction.capitalize()} {way} with {amount}: by {size} points per factor of ten (95 % {ends}, "
        f"{number(trend.pairs, 'pair')})."
    )


def independence(result: StudyResult) -> list[str]:
    """Return what is known of how far pairs are independent witnesses, and what was done about it."""
    trends = [one["overall"] for one in result.trends if one["overall"].slope is not None]
    if not trends:
        return []
    said = []
    families = {entry.spec.family for entry in result.found if entry.spec.family is not None}
    if not families:
        said.append("no family is given: pairs of different before-models count as independent")
    elif len(families) == 1:
        said.append("all pairs are of one family: the slopes speak of that family")
    merged = [trend for trend in trends if trend.points < trend.pairs]
    if merged:
        said.append(
            f"pairs of one group, before-model and amount count as one point of a slope ({merged[0].pairs} pairs, "
            f"{merged[0].points} points)"
        )
    said += list(dict.fromkeys(f"interval of the slopes: {trend.method}" for trend in trends))[:2]
    return said


def map_warnings(result: StudyResult, most: int) -> list[str]:
    """Return what the maps warn of, each warning once, with how many pairs it is of."""
    said = []
    for warning, names in list(result.map_warnings.items())[:most]:
        where = f"{len(names)} of {len(result.found)} pairs" if len(names) > 1 else cut(names[0], 40)
        said.append(f"{where}: {warning}")
    if len(result.map_warnings) > most:
        said.append(f"{len(result.map_warnings) - most} more warnings of single maps are in --json")
    return said


def points(share: float | None) -> str:
    """Return a share as signed percentage points.

    >>> points(-0.0123), points(0.04), points(None)
    ('−1.2', '+4.0', '–')
    """
    return "–" if share is None else f"{round(100 * share, 1) + 0.0:+.1f}".replace("-", "−")


def figure_text(figure: Shown) -> str:
    """Return a figure with its interval."""
    interval = "" if figure.low is None or figure.high is None else f" ({figure.interval()})"
    return f"{figure.text()}{interval}"


def few(names: Sequence[str]) -> str:
    """Return some names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(cut(name, 40) for name in names[:_NAMED]) + more


def labelled(entries: Sequence[Entry], *, figure: bool = False) -> list[Sheet]:
    """Return the maps under the names of their pairs: models of one name would not be told apart."""
    its = "its before-model" if len(entries) == 1 else "their before-models"
    made = []
    for entry in entries:
        assert entry.sheet is not None
        # figures leave out what stands before a slash
        name = entry.name.replace("/", "∕") if figure else entry.name
        before, after = {**entry.sheet.before, "model": its}, {**entry.sheet.after, "model": name}
        made.append(replace(entry.sheet, before=before, after=after))
    return made


def group_rows(result: StudyResult) -> list[dict[str, Any]]:
    """Return per group the pairs, and the mean and the range of their totals."""
    made = []
    for name, entries in result.groups.items():
        row: dict[str, Any] = {"group": name, "pairs": len(entries)}
        for way in DIRECTIONS:
            values = [value for entry in entries if (value := _total(result, entry, way).value) is not None]
            row[way] = fmean(values) if values else None
            row[f"{way}_range"] = Shown(row[way], min(values), max(values)) if values else Shown(None)
        made.append(row)
    return made


def _total(result: StudyResult, entry: Entry, direction: str) -> Shown:
    assert entry.sheet is not None
    return result.shown(entry.sheet.total, direction)


def _verdict(entry: Entry) -> str | None:
    return entry.sheet.total.verdict if entry.sheet else None


def pair_row(result: StudyResult, entry: Entry) -> dict[str, Any]:
    """Return what a table says of a pair: exact ids, reference scores, lost and gained."""
    assert entry.sheet is not None
    sheet, total = entry.sheet, entry.sheet.total
    before, after = total.observed["acc_before"], total.observed["acc_after"]
    return {
        "entry": entry,
        "name": entry.name,
        "before": sheet.before_name,
        "after": sheet.after_name,
        "items": total.items,
        "tasks": total.tasks,
        "acc_before": before,
        "acc_after": after,
        "change": None if before is None or after is None else after - before,
        "lost": _total(result, entry, "lost"),
        "gained": _total(result, entry, "gained"),
        "verdict": total.verdict,
        "other_tasks": entry.name in set(result.other_tasks),
    }


def share(value: float | None) -> str:
    """Return a share in percent without the sign."""
    return percent(value).removesuffix(" %")
