"""What was compared: the runs, how they pair, the settings that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from forgetmap.report.plain import number
from forgetmap.report.sheet import Sheet, run_name
from forgetmap.report.tables import pairing_lines

#: A setting may be a whole template: the page shows its beginning.
_LONGEST = 400
#: What is known of a run; a column that no run fills is left out.
_TEXTS = {"model_revision": "revision", "tool": "tool", "date": "date", "suite": "suite", "subset": "subset"}


def pair_names(sheets: Sequence[Sheet]) -> list[str]:
    """Return the names of the pairs; after-models of one name are told apart by number."""
    return [f"{sheet.before_name} → {after}" for sheet, after in zip(sheets, after_names(sheets), strict=True)]


def after_names(sheets: Sequence[Sheet]) -> list[str]:
    """Return the names of the after-models, told apart by number where they are the same."""
    names = [sheet.after_name for sheet in sheets]
    seen: dict[str, int] = {}
    made = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if names.count(name) == 1 else f"{name} ({seen[name]})")
    return made


def run_rows(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """Return the runs of the page, each once: the before-runs, then the after-runs."""
    rows: list[dict[str, Any]] = []
    seen: list[dict[str, Any]] = []
    for role, runs in (("before", [sheet.before for sheet in sheets]), ("after", [sheet.after for sheet in sheets])):
        for run in runs:
            if run in seen:
                continue
            seen.append(run)
            tool = " ".join(str(part) for part in (run["tool"], run["tool_version"]) if part) or None
            part = subset_words(run["subset"])
            rows.append({**run, "role": role, "name": run_name(run), "tool": tool, "subset": part})
    return rows


def subset_words(subset: Mapping[str, Any] | None) -> str | None:
    """Return what part of a suite was chosen on purpose, in a few words.

    >>> subset_words({"limit": 100, "tasks": ["a", "b"]}), subset_words({"sample_id": [3, 4]})
    ('limit 100, 2 tasks', 'sample_id [3, 4]')
    """
    told = [
        number(len(value), "task")
        if name == "tasks"
        else f"{name} {value:,}"
        if isinstance(value, int)
        else f"{name} {value}"
        for name, value in (subset or {}).items()
    ]
    return ", ".join(told)[:_LONGEST] or None


def run_columns(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return key and heading of the columns of words that some run fills."""
    return {key: heading for key, heading in _TEXTS.items() if any(row[key] for row in rows)}


def settings(sheet: Sheet) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return the settings that differ, and those that only one of two different tools records."""
    differ: list[dict[str, str]] = []
    one_sided: list[dict[str, str]] = []
    several_tools = sheet.before["tool"] != sheet.after["tool"]
    for setting in sheet.pairing["settings_that_differ"]:
        row = {
            "setting": str(setting["setting"]),
            **{side: _value(setting[side]) for side in ("before", "after")},
        }
        alone = setting["before"] is None or setting["after"] is None
        (one_sided if alone and several_tools else differ).append(row)
    return differ, one_sided


def _value(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def pairing_sentences(sheet: Sheet) -> list[str]:
    """Return coverage and scores as the terminal says them; settings have their own table."""
    return [_sentence(line) for line in pairing_lines(sheet)[:2]]


def one_sided_tasks(sheet: Sheet) -> list[str]:
    """Return which tasks only one side has: they are in no cell."""
    said = []
    for side in ("before", "after"):
        names = sheet.pairing.get(f"tasks_only_{side}") or []
        if names:
            shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
            said.append(f"{number(len(names), 'task')} only {side}, compared with nothing: {shown}")
    return said


def _sentence(line: str) -> str:
    return f"{line[0].upper()}{line[1:]}."
