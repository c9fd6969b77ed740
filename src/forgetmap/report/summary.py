"""The map in a few plain sentences, for readers who know no statistics."""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.cells import Cell
from forgetmap.map import ForgettingMap

_CERTAIN = 0.05


def summary_lines(found: ForgettingMap) -> list[str]:
    """Return what a reader should take away: the net, what is behind it, where, and from which cause."""
    total = found.total
    if total.observed["acc_before"] is None or total.observed["lost"] is None:
        return []
    lines = [_net(total), _gross(total)]
    lines += [line for line in (_where(found), _causes(found), _bridge(found)) if line]
    return [line for line in lines if line]


def _net(total: Cell) -> str:
    before, after = total.observed["acc_before"], total.observed["acc_after"]
    assert before is not None and after is not None
    p = total.decision["p_net"]
    change = f"Score {_percent(before)} → {_percent(after)}"
    if p is None:
        return f"{change}."
    if p > _CERTAIN:
        return f"{change}: no certain net change (p = {_p(p)})."
    return f"{change}: a net {'fall' if after < before else 'rise'} of {_points(abs(after - before))} (p {_p(p, sign=True)})."


def _gross(total: Cell) -> str:
    decision = total.decision
    reading, verdict, margin = decision["verdict_reading"], total.verdict, decision["margin"]
    if verdict is None:
        return ""
    what = {"chance": "knowledge", "noise": "answers beyond re-run noise", "observed": "answers"}.get(reading)
    if what is None:  # net only
        lost, gained = total.observed["lost"], total.observed["gained"]
        return (
            f"Behind it {_percent(lost)} of the items went from right to wrong and {_percent(gained)} from wrong to right, "
            "re-run noise and luck included: no repeats, so nothing more can be said."
        )
    if reading == "noise" and total.noise is not None and total.noise["form"] == "chance":
        what = "knowledge"
    parts = [f"{_figure(total, direction)} {direction}" for direction in ("lost", "gained")]
    behind = f"Behind it, {what}: {parts[0]}, {parts[1]} (of all items)"
    ends = {
        "both": "; both are certain.",
        "lost": "; the loss is certain.",
        "gained": "; the gain is certain, a loss is not.",
        "steady": f": nothing moved by more than {_points(margin)}.",
        "unclear": "; neither is certain.",
    }
    if verdict == "unclear" and decision["detectable"] is not None:
        return f"{behind}; neither is certain: a loss of {_percent(decision['detectable'])} would have shown."
    return behind + ends[verdict]


def _figure(cell: Cell, direction: str) -> str:
    block, prefix = cell.block(cell.decision["verdict_reading"]), ""
    assert block is not None
    if cell.decision["verdict_reading"] == "noise" and block["form"] == "chance":
        prefix = "known_"
    elif cell.decision["verdict_reading"] == "noise" and block[f"{direction}_at_least"] is not None:
        least, most = block[f"{direction}_at_least"], block[f"{direction}_at_most_high"]
        return f"at least {_percent(least)} and at most {_percent(most)}"
    value, low, high = (block[f"{prefix}{direction}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return f"between {_percent(low)} and {_percent(high)}"
    return f"{_percent(value)} ({_bare(low)} to {_bare(high)})"


def _where(found: ForgettingMap) -> str:
    """The cells whose score surely fell or rose, at the finest level that has few enough to name."""
    level = "category" if len(found.at("category")) > 1 else "task"
    cells = [cell for cell in found.at(level) if (cell.decision["q_net"] or 1) <= _CERTAIN]
    if len(found.at(level)) < 2 or not cells:
        return ""
    change = {cell.name: (cell.observed["acc_after"] or 0.0) - (cell.observed["acc_before"] or 0.0) for cell in cells}
    fell = sorted((name for name in change if change[name] < 0), key=lambda name: change[name])
    rose = sorted((name for name in change if change[name] > 0), key=lambda name: -change[name])
    parts = [_named(names, change, word) for names, word in ((fell, "down"), (rose, "up")) if names]
    return f"Surely {'; '.join(parts)}."


def _named(names: Sequence[str], change: dict[str, float], word: str) -> str:
    shown = ", ".join(f"{name} ({100 * change[name]:+.1f})".replace("-", "−") for name in names[:4])
    return f"{word}: {shown}{f' and {len(names) - 4} more' if len(names) > 4 else ''}"


def _causes(found: ForgettingMap) -> str:
    """How many of the lost items hold no answer at all, against how common that is."""
    total = [row for row in found.causes if (row["direction"], row["level"]) == ("lost", "total")]
    silent = [row for row in total if row["cause"] != "wrong_answer"]
    share = sum(row["share"] for row in silent)
    if not total or share < 0.05:
        return ""
    everywhere = sum(row["share_of_all"] for row in silent if row["share_of_all"] is not None)
    main = max(silent, key=lambda row: row["share"])
    how = f", mostly {main['cause'].replace('_', ' ')}" if len(silent) > 1 and main["cause"] != "no_answer" else ""
    return (
        f"{share:.0%} of the lost items hold no extractable answer after{how} ({everywhere:.0%} of all answers do not)."
    )


def _bridge(found: ForgettingMap) -> str:
    if found.bridge is None:
        return ""
    total = found.bridge.of("total", "total")
    if total is None or total["lost_to_prompt"] is None:
        return ""
    parts = [
        f"{_percent(total[name])} ({_bare(total[f'{name}_low'])} to {_bare(total[f'{name}_high'])})"
        for name in ("lost_to_prompt", "lost_to_training")
    ]
    return (
        f"Of the items that went from right to wrong, the new prompt explains {parts[0]} and the training {parts[1]}."
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{round(100 * value, 1) + 0.0:.1f} %".replace("-", "−")


def _bare(value: float | None) -> str:
    return _percent(value).removesuffix(" %")


def _points(value: float) -> str:
    size = f"{100 * value:.1f}".removesuffix(".0")
    return f"{size} {'point' if size == '1' else 'points'}"


def _p(p: float, *, sign: bool = False) -> str:
    if p < 0.001:
        return "< 0.001"
    return f"{'= ' if sign else ''}{p:.2f}" if p >= 0.01 else f"{'= ' if sign else ''}{p:.3f}"
