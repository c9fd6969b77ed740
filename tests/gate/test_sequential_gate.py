"""Gates that stop early: they agree with the fixed gate on clear cases and refuse samples in file order."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from gates import check, policy

from conftest import answer, make_run
from forgetmap import Run, compare
from forgetmap.errors import PairingError, UsageError
from forgetmap.gate import (
    PairedSample,
    SequentialGate,
    SuiteItem,
    check_gate,
    check_sequential,
    suite_of,
)
from forgetmap.testing import join_planted, plant

TOTAL = {"level": "total", "lost": 0.06}
EVERY = {"until": "limits"}


@pytest.mark.parametrize("options", [0, 4, [3, 10]])
@pytest.mark.parametrize(("lost", "passes"), [(0.0, True), (0.15, False)])
def test_it_stops_early_and_agrees_with_the_fixed_gate(lost: float, passes: bool, options: Any) -> None:
    pair = plant(5000, known=0.8, lost=lost, gained=0.02, options=options, tasks=3, persistence=0.3, seed=7)
    limits = policy(TOTAL, {"level": "task", "lost": 0.11 if passes else 0.05})
    found = check_sequential(pair.before, pair.after, limits)
    assert found.passed is passes
    assert check_gate(pair.before, pair.after, limits).passed is passes
    stop = found.sequential
    assert stop is not None
    assert stop.decided
    assert (stop.of, stop.seed) == (5000, 0)
    assert stop.seen < (3000 if passes else 300)
    decided = [one for one in found.rules if one.passed is not None]
    # Kept: when the last limit was. Broken: when the first was, and nothing else failed at that look.
    assert stop.seen == max(one.decided_at for one in decided)
    assert [one.decided_at for one in decided if one.passed is False] == ([] if passes else [stop.seen])
    assert passes is (len(decided) == len(found.rules))
    for one in found.rules:
        assert one.seen <= stop.seen
        if one.passed is None:
            assert one.low < one.limit < one.high
            assert one.reason == f"open: from {100 * one.low:.2f} % to {100 * one.high:.2f} % after {one.seen} samples"
            continue
        assert one.low <= one.estimate <= one.high
        assert (one.reason is None) is one.passed
        if passes:
            assert one.high < one.limit


def test_two_options_count_every_flip_as_loss() -> None:
    """How guesses persist is known when all is seen, and not before: a stream takes the end at which most is lost."""
    pair = plant(3000, known=0.5, lost=0.0, gained=0.0, options=[2, 4, 4], seed=7)
    found = check_sequential(pair.before, pair.after, policy({"level": "total", "lost": 0.06}))
    assert not found.passed
    assert check_gate(pair.before, pair.after, policy({"level": "total", "lost": 0.06})).passed


def test_other_measures_are_decided_too() -> None:
    pair = plant(6000, known=0.6, lost=0.0, gained=0.2, seed=3)
    limits = [
        {"level": "total", "gained": 0.1},
        {"level": "total", "net": 0.05},
        {"level": "total", "gained_at_least": 0.1},
    ]
    found = check_sequential(pair.before, pair.after, policy(*limits, sequential=EVERY))
    assert [one.passed for one in found.rules] == [False, True, True]
    assert "10 % or more is gained" in found.rules[0].reason
    back = check_sequential(pair.after, pair.before, policy(*limits, sequential=EVERY))
    assert [one.passed for one in back.rules] == [True, False, False]
    assert "less than 10 % is gained" in back.rules[2].reason
    assert [one.reading for one in found.rules] == ["chance", "net", "chance"]


def test_the_order_is_that_of_the_seed_and_not_of_the_rows() -> None:
    pair, shuffled = (plant(800, lost=0.1, gained=0.0, seed=5, shuffle=shuffle) for shuffle in (False, True))
    first = check_sequential(pair.before, pair.after, policy(TOTAL))
    turned = Run(pair.before.info, pair.before.samples.reverse().lazy(), None, "turned")
    again = check_sequential(turned, pair.after, policy(TOTAL))
    assert again.rules == first.rules
    assert check_sequential(pair.before, pair.after, policy(TOTAL), seed=1).rules != first.rules
    assert check_sequential(pair.before, pair.after, policy(TOTAL, sequential={"seed": 1})).sequential.seed == 1
    assert check_sequential(shuffled.before, shuffled.after, policy(TOTAL)).sequential.of == 800


def test_seen_to_the_end_the_bounds_are_the_mean_of_the_cell() -> None:
    """With tasks of unequal size: an item-weighted stream must give the task-weighted mean."""
    parts = [
        plant(400, known=0.9, lost=0.3, gained=0.0, options=0, tasks=["gsm8k"], seed=1),
        plant(100, known=0.9, lost=0.0, gained=0.0, options=4, tasks=["piqa"], seed=2, first_item=400),
    ]
    pair = join_planted(parts)
    for weight in ("tasks", "items", "categories"):
        total = compare(pair.before, pair.after, weight=weight).total
        assert total.chance is not None
        at = total.chance["lost"]
        # So close to the truth that only the last items decide.
        limits = [{"level": "total", "lost": at + 1e-6}, {"level": "total", "lost": at - 1e-6}]
        found = check_sequential(pair.before, pair.after, policy(*limits, weight=weight, sequential=EVERY))
        assert [one.passed for one in found.rules] == [True, False]
        for one in found.rules:
            assert (one.low, one.high) == (pytest.approx(at, abs=2e-5), pytest.approx(at, abs=2e-5))


def test_repeats_are_averaged_over_all_cross_pairs() -> None:
    pair = plant(300, known=0.6, lost=0.2, gained=0.0, repeats=(3, 2), abstain=(0.1, 0.2), seed=2)
    total = compare(pair.before, pair.after).total
    assert total.chance is not None
    at = total.chance["lost"]
    limits = [{"level": "total", "lost": at + 1e-6}, {"level": "total", "lost": at - 1e-6}]
    found = check_sequential(pair.before, pair.after, policy(*limits, sequential=EVERY))
    assert [one.passed for one in found.rules] == [True, False]


def test_at_the_limit_either_error_is_as_rare_as_promised() -> None:
    rng = np.random.default_rng(1)
    items = [SuiteItem("a", str(n), options=4) for n in range(400)]
    said = {item.id: (float(rng.random() < 0.7), float(rng.random() < 0.65), rng.random() < 0.5) for item in items}

    def fed(lost: float, seed: int) -> SequentialGate:
        gate = SequentialGate(policy({"level": "total", "lost": lost}), items, seed=seed)
        samples = []
        for item in gate.order:
            before, after, same = said[item.id]
            samples.append(PairedSample("a", item.id, before, after, same_choice=same))
        gate.update(samples)
        return gate

    at = fed(0.9, 0).rules()[0].estimate
    assert at is not None
    for bar, kept in ((at + 1e-7, True), (at - 1e-7, False)):
        wrong = sum(fed(bar, seed).passed is not kept for seed in range(60))
        assert wrong <= 8  # 5 %: 9 of 60 and more would come by chance once in 300 times


def test_cells_without_options_count_flips_and_noise_is_refused() -> None:
    rows = [{"question": f"q{n}", "gold": "a", "correct": True} for n in range(500)]
    run = make_run(rows)
    found = check_sequential(run, run, policy(TOTAL))
    assert found.passed
    assert found.rules[0].reading == "observed"
    asked = check_sequential(run, run, policy(TOTAL, reading="chance"))
    assert not asked.passed
    assert asked.rules[0].reason == "no item has a chance reading; choose reading: auto or observed"
    assert asked.sequential.seen == 0  # nothing that is evaluated could make it pass
    with pytest.raises(UsageError, match="reading is noise"):
        check_sequential(run, run, policy(TOTAL, reading="noise"))


def test_graded_scores_stream_as_they_are() -> None:
    before = make_run([{"question": f"q{n}", "rating": 0.8} for n in range(600)] + [{"question": "x", "rating": 0.0}])
    after = make_run([{"question": f"q{n}", "rating": 0.4} for n in range(600)] + [{"question": "x", "rating": 0.0}])
    found = check_sequential(before, after, policy(TOTAL))
    assert not found.passed
    assert found.rules[0].low >= 0.06
    assert found.sequential.seen < 100


def test_limits_that_fit_nothing_fail_and_conditions_hold_here_too() -> None:
    pair = plant(500, lost=0.0, gained=0.0, seed=1)
    pair.after.info.settings["num_fewshot"] = 5
    found = check_sequential(
        pair.before,
        pair.after,
        policy({"level": "group", "lost": 0.1}, {"level": "total", "lost": 0.2}, sequential=EVERY),
    )
    assert [one.passed for one in found.rules] == [False, True]
    assert found.headline.endswith("1 limit broken, 1 kept, 1 condition not met (planted-before → planted-after)")
    assert not check(found, "settings").passed
    assert not found.passed


def part_of(run: Run, ids: set[str]) -> Run:
    samples = run.samples
    keys = [f"{high:016x}{low:016x}" for high, low in samples.select("item_high", "item_low").iter_rows()]
    return Run(run.info, samples.filter(pl.Series([key in ids for key in keys])).lazy(), None, "part")


def test_a_part_in_file_order_is_refused() -> None:
    pair = plant(1000, lost=0.0, gained=0.0, tasks=2, seed=1, shuffle=False)
    native = pair.after.samples
    head = Run(pair.after.info, native.head(300).lazy(), None, "head.jsonl")
    with pytest.raises(
        PairingError,
        match=r"head.jsonl answers 300 of 1,000 items, and not the first ones in the random order of seed 0",
    ):
        check_sequential(pair.before, head, policy(TOTAL))
    # Even where the log says that it was cut on purpose.
    cut = plant(1000, lost=0.0, gained=0.0, tasks=2, seed=1, shuffle=False)
    cut.after.info.subset = {"limit": 300}
    with pytest.raises(PairingError, match="file order"):
        check_sequential(cut.before, Run(cut.after.info, native.head(300).lazy(), None, "head"), policy(TOTAL))


def test_a_part_in_the_order_of_the_gate_is_an_evaluation_in_progress() -> None:
    pair = plant(2000, lost=0.0, gained=0.0, tasks=3, seed=1)
    order = SequentialGate(policy(TOTAL), suite_of(pair.before), seed=4).order
    assert len(order) == 2000
    assert all(item.native_id is not None for item in order)
    pair.after.info.subset = {"samples": "drawn"}
    whole = check_sequential(pair.before, pair.after, policy(TOTAL), seed=4)
    for n in (20, 900):
        found = check_sequential(
            pair.before, part_of(pair.after, {item.id for item in order[:n]}), policy(TOTAL), seed=4
        )
        assert found.sequential.of == 2000
        assert found.sequential.decided is (n == 900)
        assert found.passed is (True if n == 900 else None)
        assert check(found, "coverage").passed
        assert check(found, "tasks").passed
        assert check(found, "settings").passed
        if n == 20:
            assert found.rules[0].passed is None
            assert found.rules[0].reason.endswith("after 20 samples")
            assert found.reasons() == [f"total: lost: {found.rules[0].reason}"]
            assert found.text().startswith("· gate undecided after 20 of 2,000 paired samples: 1 limit open (planted-")
            assert "go on in the order of seed 4" in found.text()
        else:
            assert found.rules == whole.rules  # what was not evaluated changes nothing
    with pytest.raises(PairingError, match="seed 5"):
        check_sequential(pair.before, part_of(pair.after, {item.id for item in order[:900]}), policy(TOTAL), seed=5)


def test_an_answer_without_a_score_is_a_hole_not_another_order() -> None:
    pair = plant(2000, lost=0.0, gained=0.0, seed=1)
    order = SequentialGate(policy(TOTAL), suite_of(pair.before)).order
    part = part_of(pair.after, {item.id for item in order[:900]})
    hole = order[5].id
    keys = [f"{high:016x}{low:016x}" for high, low in part.samples.select("item_high", "item_low").iter_rows()]
    gone = pl.Series([key == hole for key in keys])
    samples = part.samples.with_columns(score=pl.when(~gone).then("score"), correct=pl.when(~gone).then("correct"))
    found = check_sequential(pair.before, Run(part.info, samples.lazy(), None, "holes"), policy(TOTAL))
    assert found.passed, found.reasons()
    assert found.sequential.of == 1999


def suite(n: int = 1000, **more: Any) -> list[SuiteItem]:
    return [SuiteItem(f"task{k % 2}", f"item {k}", **{"options": 4, **more}) for k in range(n)]


def feed(gate: SequentialGate, lost: float, seed: int = 0) -> SequentialGate:
    rng = np.random.default_rng(seed)
    for item in gate.order:
        sample = PairedSample(item.task, item.id, before=1.0, after=float(rng.random() >= lost))
        if gate.update([sample]):
            break
    return gate


def test_a_stream_of_samples() -> None:
    limits = policy({"level": "total", "lost": 0.1})
    good, bad = feed(SequentialGate(limits, suite()), 0.0), feed(SequentialGate(limits, suite()), 0.5)
    assert (good.passed, bad.passed) == (True, False)
    assert good.seen < 300
    assert bad.seen < 60
    result = good.result()
    assert result.passed
    assert result.text().startswith(f"✓ gate passed after {good.seen} of 1,000 paired samples: 1 limit kept (")
    assert f"at {good.decided_at}" in result.text()
    assert "passed" in repr(good)
    fresh = SequentialGate(limits, suite())
    assert (fresh.passed, fresh.decided, fresh.seen) == (None, False, 0)
    assert fresh.result().passed is None  # nothing seen passes nothing
    assert fresh.rules()[0].reason == "open: none of its samples was looked at"
    assert (fresh.rules()[0].low, fresh.rules()[0].high) == (None, None)


def test_one_broken_limit_decides_the_gate_and_the_rest_is_open() -> None:
    """The total is lost at once; that nothing else is decided yet holds nobody up."""
    limits = [{"level": "total", "lost": 0.1}, {"level": "total", "gained": 0.05}, {"level": "task", "lost": 0.25}]
    gate = feed(SequentialGate(policy(*limits), suite(2000)), 0.5)
    assert (gate.passed, gate.decided) == (False, True)
    assert gate.seen == gate.decided_at < 60
    total, *rest = gate.rules()
    assert (total.passed, total.decided_at) == (False, gate.seen)
    assert [one.passed for one in rest] == [None] * 3
    assert [one.decided_at for one in rest] == [None] * 3
    result = gate.result()
    assert result.headline.startswith(
        f"gate failed after {gate.seen} of 2,000 paired samples: 1 limit broken, 3 open ("
    )
    assert result.reasons() == [f"total: lost: {total.reason}"]
    every = feed(SequentialGate(policy(*limits, sequential=EVERY), suite(2000)), 0.5)
    assert every.seen > 2 * gate.seen
    assert [one.passed for one in every.rules()] == [False, True, False, False]
    assert every.rules()[0].decided_at == gate.seen
    assert every.decided_at == max(one.decided_at for one in every.rules()) == every.seen


def test_samples_after_the_decision_do_not_move_it() -> None:
    limits = policy({"level": "total", "lost": 0.1}, {"level": "total", "gained": 0.1})
    early, whole = SequentialGate(limits, suite(1000)), SequentialGate(limits, suite(1000))
    feed(early, 0.5)
    rng = np.random.default_rng(0)
    samples = [PairedSample(item.task, item.id, 1.0, float(rng.random() >= 0.5)) for item in whole.order]
    assert whole.update(samples)
    assert (whole.passed, whole.decided_at, whole.seen) == (False, early.decided_at, 1000)
    assert [one.passed for one in whole.rules()] == [False, True]


def test_a_limit_that_nothing_can_decide_fails_before_anything_is_evaluated() -> None:
    gate = SequentialGate(
        policy({"level": "total", "lost": 0.1}, {"level": "task", "name": "x", "lost": 0.1}), suite(50)
    )
    assert (gate.decided, gate.passed, gate.decided_at, gate.seen) == (True, False, 0, 0)
    assert [one.passed for one in gate.rules()] == [None, False]  # in the order of the policy
    every = SequentialGate(policy({"level": "task", "name": "x", "lost": 0.1}, TOTAL, sequential=EVERY), suite(50))
    assert (every.decided, every.passed) == (False, False)


def one_by_one(gate: SequentialGate, scores: dict[str, tuple[float, float]]) -> SequentialGate:
    gate.update([PairedSample(item.task, item.id, *scores[item.id]) for item in gate.order])
    return gate


@pytest.mark.parametrize(("unread", "reading"), [(5, "chance"), (6, "observed")])
@pytest.mark.parametrize("kind", [{"options": None}, {"options": 2, "golds": 2}])
def test_few_items_without_a_chance_reading_are_left_out(unread: int, reading: str, kind: dict[str, Any]) -> None:
    """At 95 % of the cell, as the gate without looks does it; below, all flips count."""
    items = [SuiteItem("a", str(n), **(kind if n < unread else {"options": 0})) for n in range(100)]
    lost = {str(n): (1.0, float(n not in (0, 1, 50, 51, 52))) for n in range(100)}
    gate = one_by_one(SequentialGate(policy({"level": "total", "lost": 0.5, "net": 0.5}), items), lost)
    found, net = gate.rules()
    assert found.reading == reading
    assert (net.reading, net.items, net.note) == ("net", 100, None)
    assert net.estimate == pytest.approx(0.05)
    if reading == "chance":
        assert (found.items, found.seen) == (95, 95)
        assert found.estimate == found.low == found.high == pytest.approx(3 / 95)
        assert found.note == "5 of 100 items have no chance reading and are left out"
    else:
        assert (found.items, found.seen) == (100, 100)
        assert found.estimate == pytest.approx(0.05)
        assert found.note == "only 94 of 100 items have a chance reading: all items that flipped count, lucky ones too"
    asked = SequentialGate(policy({"level": "total", "lost": 0.5}, reading="chance"), items).rules()[0]
    assert asked.passed is (None if reading == "chance" else False)


def test_tasks_weigh_alike_over_the_items_that_are_left() -> None:
    """The small task has two items without a reading, a third one has nothing else: it does not count."""
    rows = (
        [("big", n, 0) for n in range(100)]
        + [("small", n, None if n < 2 else 0) for n in range(10)]
        + [("none", 0, None)]
    )
    items = [SuiteItem(task, f"{task} {n}", options=options) for task, n, options in rows]
    lost = {item.id: (1.0, float(item.id not in ("small 0", "small 5", "none 0", "big 1"))) for item in items}
    gate = one_by_one(SequentialGate(policy({"level": "total", "lost": 0.5}, weight="tasks"), items), lost)
    found = gate.rules()[0]
    assert found.items == 108
    assert found.estimate == found.low == found.high == pytest.approx((1 / 100 + 1 / 8) / 2)


def with_options(run: Run, which: pl.Expr, **values: float | None) -> Run:
    changed = (pl.when(which).then(value).otherwise(name).alias(name) for name, value in values.items())
    return Run(run.info, run.samples.with_columns(changed).lazy(), None, run.name)


@pytest.mark.parametrize("kind", [{"n_gold": 4, "chance": 1.0}, {"n_options": None, "n_gold": None, "chance": None}])
def test_left_out_items_of_logs_give_the_figure_of_the_map(kind: dict[str, float | None]) -> None:
    """Every option of these items is right, or it is not known how many there are."""
    pair = plant(600, known=0.7, lost=0.2, gained=0.0, seed=1)
    before, after = (with_options(run, pl.col("item_low") % 32 == 0, **kind) for run in (pair.before, pair.after))
    total = compare(before, after).total
    assert total.chance is not None
    at, told = total.chance["lost"], total.chance["items"]
    assert 570 <= told < 600
    limits = [{"level": "total", "lost": at + 1e-6}, {"level": "total", "lost": at - 1e-6}]
    found = check_sequential(before, after, policy(*limits, sequential=EVERY))
    assert [one.passed for one in found.rules] == [True, False]
    for one in found.rules:
        assert (one.reading, one.items, found.sequential.of) == ("chance", told, 600)
        assert one.low == pytest.approx(at, abs=2e-5)
    assert f"2 limits: {600 - told} of 600 items have no chance reading and are left out" in found.text()
    # The same while the evaluation goes on: which items are left out is known from the before-run.
    order = SequentialGate(policy(TOTAL), suite_of(before)).order
    growing = check_sequential(before, part_of(after, {item.id for item in order[:100]}), policy(TOTAL))
    assert (growing.rules[0].reading, growing.rules[0].items) == ("chance", told)
    # What the after-run shows of one item, it may show of others that are not evaluated yet: its task counts flips.
    torn = with_options(after, pl.col("item_low") == int(order[0].id[16:], 16), n_options=5, chance=0.2)
    growing = check_sequential(before, part_of(torn, {item.id for item in order[:100]}), policy(TOTAL))
    assert (growing.rules[0].reading, growing.rules[0].items) == ("observed", 600)


def test_flips_that_may_be_luck_or_noise_show_no_gain() -> None:
    rows = [{"question": f"q{n}", "gold": "a", "correct": True} for n in range(300)]
    wrong = make_run([{**row, "correct": False} for row in rows])
    limit = {"level": "total", "gained_at_least": 0.1}
    found = check_sequential(wrong, make_run(rows), policy(limit))
    assert found.passed is False
    assert "flips that may be luck show no gain" in found.rules[0].reason
    assert check_sequential(wrong, make_run(rows), policy(limit, reading="observed")).passed
    pair = plant(1000, known=0.3, lost=0.0, gained=0.5, seed=1)
    assert check_sequential(pair.before, pair.after, policy(limit)).passed
    for run in (pair.before, pair.after):
        run.info.settings["temperature"] = 0.7
    sampled = check_sequential(pair.before, pair.after, policy(limit))
    assert sampled.passed is False
    assert "re-run noise" in sampled.rules[0].reason
    assert check_sequential(pair.before, pair.after, policy(limit, reading="chance")).passed


def test_samples_in_another_order_are_refused() -> None:
    gate = SequentialGate(policy(), suite(50))
    file_order = [PairedSample(item.task, item.id, 1.0, 1.0) for item in suite(50)]
    with pytest.raises(UsageError, match="is due: samples must come in the random order of the gate"):
        gate.update(file_order)
    due = [PairedSample(item.task, item.id, 1.0, 1.0) for item in gate.order]
    gate.update(due[:10])
    with pytest.raises(UsageError, match="sample 11 is"):
        gate.update(due[11:])
    gate.update(due[10:])
    with pytest.raises(UsageError, match="51 samples for a suite of 50 items"):
        gate.update([PairedSample("task0", "item 1", 1.0, 1.0)])


def test_one_by_one_and_at_once_give_the_same() -> None:
    rng = np.random.default_rng(3)
    one, many = (SequentialGate(policy({"level": "task", "lost": 0.2}), suite(120)) for _ in range(2))
    samples = [
        PairedSample(
            item.task, item.id, float(rng.random() < 0.6), float(rng.random() < 0.5), tuple(rng.random(2) < 0.8),
            bool(rng.random() < 0.5),
        )
        for item in one.order
    ]  # fmt: skip
    for sample in samples:
        one.update([sample])
    many.update(samples)
    assert one.rules() == many.rules()


def test_the_value_of_a_sample_is_that_of_the_chance_reading() -> None:
    """Every way two answers can relate, against the formulas of the map (statistics.md 2.2)."""
    states = [(1.0, True), (0.0, True), (0.0, False)]
    cases = [(b, a, same) for b in states for a in states for same in (True, False)]
    gate = SequentialGate(
        policy({"level": "total", "lost": 0.9, "gained": 0.9}, weight="items"), suite(len(cases) * 20, golds=1)
    )
    totals, samples = {"lost": 0.0, "gained": 0.0}, []
    k, g, q = 4, 1, 0.25
    for place, item in enumerate(gate.order):
        (before, told), (after, told_after), same = cases[place % len(cases)]
        samples.append(PairedSample(item.task, item.id, before, after, (told, told_after), same))
        states_of = ["C" if score else "W" if said else "N" for score, said in ((before, told), (after, told_after))]
        luck = (states_of == ["W", "W"] and not same) * g / (k - g - 1) / (1 - q)
        for name, (first, second) in (("lost", states_of), ("gained", states_of[::-1])):
            flip = {"CW": 1 / (1 - q), "CN": 1.0, "WN": -q / (1 - q)}.get(first + second, 0.0)
            totals[name] += flip - luck
    gate.update(samples)
    for rule in gate.rules():
        assert rule.estimate == pytest.approx(totals[rule.measure] / gate.items, abs=1e-9)


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ({"before": 2.0, "after": 0.0}, "score 2.0 is not in"),
        ({"before": float("nan"), "after": 0.0}, "leave out samples without a score"),
        ({"before": 0.5, "after": 0.0}, "graded or has no options"),
    ],
)
def test_samples_that_cannot_be(sample: dict[str, float], said: str) -> None:
    gate = SequentialGate(policy(), suite(50))
    item = gate.order[0]
    with pytest.raises(UsageError, match=said):
        gate.update([PairedSample(item.task, item.id, **sample)])


def test_suites_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="no items"):
        SequentialGate(policy(), [])
    with pytest.raises(UsageError, match="5 golds of 4 options"):
        SequentialGate(policy(), suite(10, golds=5))
    with pytest.raises(UsageError, match="key of another row"):
        SequentialGate(policy(), suite(3) + suite(1))
    with pytest.raises(UsageError, match="a suite has no log"):
        SequentialGate(policy(taxonomy="log"), suite(3))


def test_graded_suites_and_duplicates() -> None:
    gate = SequentialGate(policy({"level": "total", "lost": 0.2}), suite(200, options=None))
    assert not gate.update([PairedSample(item.task, item.id, 0.5, 0.5) for item in gate.order[:5]])
    rows = [answer(1, True), answer(1, True), *(answer(n, True) for n in range(2, 300))]
    run = make_run([{**row, "item_id": f"{place}"} for place, row in enumerate(rows)])
    found = check_sequential(run, run, policy({"level": "total", "lost": 0.2}))
    assert found.sequential.of == 300
    assert found.passed
    assert len({item.id for item in suite_of(run)}) == 300
