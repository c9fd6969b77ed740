"""A chain in a terminal: one sentence, then what became of the items, their life lines, and the steps between stages."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from forgetmap.chain import Chain
from forgetmap.chain.lines import MISSING, OUTCOMES, RIGHT, WRONG
from forgetmap.report.columns import Column, draw_table
from forgetmap.report.plain import number, percent, plain

_COLOURS = {"lost_for_good": "red", "gained_for_good": "green", "recovered": "green", "never_right": "dim"}
#: Rows enough to see the pattern; files hold all.
MOST_LINES, MOST_GAPS, MOST_STEPS = 10, 4, 10


def spread(low: float | None, high: float | None, between: str = "–") -> str:
    """Return a range of shares, or one share where its ends read alike.

    >>> spread(0.05, 0.071), spread(0.05, 0.0501), spread(None, None)
    ('5.0 – 7.1 %', '5.0 %', '–')
    """
    if low is None or high is None:
        return "–"
    ends = [percent(end) for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0].removesuffix(' %')} {between} {ends[1]}"


def expected(row: dict[str, Any]) -> str:
    """Return the expected share of a row, or its range."""
    return spread(row["expected_low"], row["expected_high"], "…")


def count(n: float) -> str:
    """Return a number of items; with repeats an item may count in parts."""
    return f"{n:,.0f}"


def labels(stages: Sequence[str], most: int = 26) -> list[str]:
    """Return stage names short enough for a table: without what stands before the last slash, if that leaves no doubt.

    >>> labels(["meta/Llama-8B", "ours/sft"]), labels(["a/x", "b/x"])
    (['Llama-8B', 'sft'], ['a/x', 'b/x'])
    """
    short = [name.rstrip("/").rsplit("/", 1)[-1] for name in stages]
    names = short if len(set(short)) == len(short) else list(stages)
    flat = [" ".join(name.split()) for name in names]
    return [name if len(name) <= most else f"{name[: most // 3]}…{name[-(most - most // 3 - 1) :]}" for name in flat]


def headline(chain: Chain) -> str:
    """Return the one thing to know, as a sentence."""
    rows = {row["outcome"]: row for row in chain.outcomes.iter_rows(named=True)}
    names = labels(chain.stages)
    lost, back = rows["lost_for_good"], rows["recovered"]
    cause = "re-run noise" if chain.expected_from == "repeats" else "guessing"
    alone = f" ({cause} alone: {expected(lost)})" if lost["expected_low"] is not None else ""
    came = (
        f", and {percent(back['share'])} were lost on the way and are right again"
        if len(chain.stages) > 2
        else f", and {percent(rows['gained_for_good']['share'])} were gained"
    )
    gone = "were lost for good" if len(chain.stages) > 2 else "were lost"
    return f"From {names[0]} to {names[-1]}, {percent(lost['share'])} of {number(chain.items, 'item')} {gone}{alone}{came}."


def _signs(line: str) -> Text:
    styles = {RIGHT: "green", WRONG: "red", MISSING: "dim"}
    text = Text()
    for sign in line:
        text.append(sign, styles.get(sign, ""))
    return text


def _outcome_table(chain: Chain, width: int, framed: bool) -> Table:
    columns = [
        Column("what became of the items", left=True), Column("items", rank=2), Column("share"),
        Column("95 % interval", rank=3, colour="dim"), Column("expected", rank=1),
    ]  # fmt: skip
    rows = [
        (plain(OUTCOMES[row["outcome"]], _COLOURS.get(row["outcome"], "")), count(row["n"]), percent(row["share"]),
         spread(row["low"], row["high"]), expected(row))
        for row in chain.outcomes.iter_rows(named=True)
    ]  # fmt: skip
    return draw_table(columns, rows, width=width, framed=framed)


def _life_table(chain: Chain, width: int, framed: bool) -> tuple[Table, list[str]]:
    whole = chain.life.filter(~chain.life["share"].is_null())
    gaps = chain.life.filter(chain.life["share"].is_null())
    columns = [
        Column("life line", left=True), Column("", left=True, rank=3), Column("items"), Column("share", rank=1),
        Column("95 % interval", rank=4, colour="dim"), Column("expected", rank=2),
    ]  # fmt: skip
    rows = []
    for row in whole.head(MOST_LINES).iter_rows(named=True):
        ended = plain(OUTCOMES[row["outcome"]], _COLOURS.get(row["outcome"], ""))
        figures = (percent(row["share"]), spread(row["low"], row["high"]), expected(row))
        rows.append((_signs(row["line"]), ended, count(row["n"]), *figures))
    for row in gaps.head(MOST_GAPS).iter_rows(named=True):
        rows.append((_signs(row["line"]), plain("incomplete", "dim"), count(row["n"]), "", "", ""))
    rest = [
        f"{number(frame.height - most, f'more {what}')} with {number(round(frame['n'][most:].sum()), 'item')}"
        for frame, most, what in ((whole, MOST_LINES, "line"), (gaps, MOST_GAPS, "incomplete line"))
        if frame.height > most
    ]
    return draw_table(columns, rows, width=width, framed=framed), rest


def _stage_table(chain: Chain, names: Sequence[str], width: int, framed: bool) -> Table:
    columns = [
        Column("stage", left=True), Column("right"), Column("first lost here", colour="red"),
        Column("95 % interval", rank=4, colour="dim"), Column("expected", rank=1), Column("came back", rank=3),
    ]  # fmt: skip
    missing = chain.accuracy["missing"].sum() > 0
    if missing:
        columns.append(Column("missing", rank=2))
    losses = [None, *chain.first_loss.iter_rows(named=True)]
    rows = []
    for name, row, loss in zip(names, chain.accuracy.iter_rows(named=True), losses, strict=True):
        figures = ["", "", "", ""]
        if loss is not None:
            back = f"{count(loss['recovered'])} of {count(loss['n'])}"
            figures = [percent(loss["share"]), spread(loss["low"], loss["high"]), expected(loss), back]
        rows.append((name, percent(row["share"]), *figures, *([f"{row['missing']:,}"] if missing else [])))
    return draw_table(columns, rows, width=width, framed=framed)


def _step_table(chain: Chain, names: Sequence[str], width: int, framed: bool) -> tuple[Table, int]:
    stages = len(names)
    steps = [(a, b) for a in range(stages) for b in range(a + 1, stages)]
    every = len(steps)
    if every > MOST_STEPS:
        steps = [(a, a + 1) for a in range(stages - 1)] + [(0, stages - 1)]
    columns = [
        Column("from → to", left=True), Column("kept", rank=2), Column("lost", colour="red"),
        Column("95 % interval", rank=4, colour="dim"), Column("expected", rank=1), Column("gained", colour="green"),
        Column("never", rank=3),
    ]  # fmt: skip
    rows = []
    short = labels(chain.stages, 15 if width < 100 else 26)
    for a, b in steps:
        found = {row["transition"]: row for row in chain.matrix(a, b).iter_rows(named=True)}
        kept, lost, gained, never = (percent(found[name]["share"]) for name in ("kept", "lost", "gained", "never"))
        interval = spread(found["lost"]["low"], found["lost"]["high"])
        rows.append((f"{short[a]} → {short[b]}", kept, lost, interval, expected(found["lost"]), gained, never))
    return draw_table(columns, rows, width=width, framed=framed), every - len(steps)


def caption(chain: Chain) -> list[str]:
    """Return what the figures mean, in a few short lines."""
    first = labels(chain.stages)[0]
    lines = [
        f"1 right, 0 wrong, {MISSING} missing or without a score; one sign per stage: {' → '.join(labels(chain.stages))}",
        f"shares are of the {number(chain.items, 'item')} with a score at every stage"
        + (f"; {chain.incomplete:,} more lack one" if chain.incomplete else ""),
    ]
    if any((run.info.counts.get("repeats") or 1) > 1 for run in chain.runs):
        lines.append("with repeats, shares run over all combinations of one repeat per stage")
    rows = chain.outcomes.to_dicts()
    if rows[0]["expected_low"] is None:
        lines.append("expected: not known, see the warnings")
    elif chain.expected_from == "repeats":
        lines.append(f"expected: if nothing had changed after {first}, from how its own repeats differ")
    else:
        told = [f"{r:.2f}" if r is not None else "unknown" for r in chain.persistence]
        lines.append(
            f"expected: if nothing had changed after {first}: known items stay right, the others are guessed, and a guess is "
            f"repeated at the next stage with probability {', '.join(told)}"
        )
        lines.append(f"re-run noise is not in it: that takes {len(chain.stages)} repeats of {first}")
        if any(row["expected"] is None for row in rows):
            lines.append("a … b: a range, because too little tells how often guesses are repeated")
    return lines


def _differing(chain: Chain, names: Sequence[str]) -> list[str]:
    lines = []
    for a, b, pair in zip(names, names[1:], chain.pairs, strict=False):
        settings = pair.pairing.settings_that_differ
        if settings:
            said = "; ".join(
                f"{one['setting']} {_short(one['before'])} → {_short(one['after'])}" for one in settings[:3]
            )
            more = f"; {len(settings) - 3} more, --json lists them" if len(settings) > 3 else ""
            lines.append(f"settings differ, {a} → {b}: {said}{more}")
    return lines


def _short(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 30 else text[:29] + "…"


def print_chain(console: Console, chain: Chain) -> None:
    """Print a chain: a sentence, four small tables, what they mean, warnings."""
    framed, width = console.is_terminal, console.width
    names = labels(chain.stages)
    life, rest = _life_table(chain, width, framed)
    steps, hidden = _step_table(chain, names, width, framed)
    gap: list[RenderableType] = [] if framed else [Text()]  # a frame brings its own air
    parts: list[RenderableType] = [plain(headline(chain), "bold"), *gap, _outcome_table(chain, width, framed)]
    parts += [*gap, life]
    parts += [plain(f"… {text}; --json lists all", "dim") for text in rest]
    parts += [*gap, _stage_table(chain, names, width, framed), *gap, steps]
    if hidden:
        parts.append(plain(f"… {number(hidden, 'more step')} between stages further apart; --json lists all", "dim"))
    parts.append(Text())
    parts += [plain(line, "dim") for line in caption(chain)]
    parts.append(plain(f"scores: {_scores(chain)}"))
    parts += [plain(line) for line in _differing(chain, names)]
    parts += [plain(f"note: {note}", "dim") for note in chain.notes]
    parts += [plain(f"warning: {warning}", "yellow") for warning in chain.warnings]
    console.print(Padding(Group(*parts), (0, 0, 1, 0)) if framed else Group(*parts))


def _scores(chain: Chain) -> str:
    """What was compared, said once per score; the first score that all stages share is not always each log's first."""
    tasks: dict[str, int] = {}
    for row in chain.to_dict()["scores"]:
        named = {_score(stage) for stage in row["stages"] if stage is not None}
        name = " → ".join(sorted(named))
        tasks[name] = tasks.get(name, 0) + 1
    shown = [name if len(tasks) == 1 else f"{name} ({number(n, 'task')})" for name, n in list(tasks.items())[:6]]
    return ", ".join(shown) + (f" and {len(tasks) - 6} more" if len(tasks) > 6 else "")


def _score(named: dict[str, str]) -> str:
    return named["metric"] if named["scorer"] == "none" else f"{named['scorer']}/{named['metric']}"


def chain_text(chain: Chain, *, width: int = 120) -> str:
    """Return what `forgetmap chain` prints, plain."""
    console = Console(width=width, no_color=True, highlight=False, file=io.StringIO(), force_terminal=False)
    print_chain(console, chain)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text
