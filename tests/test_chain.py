"""Chains of stages: life lines, what they add up to, and what guessing and noise alone would give."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import answer, make_run
from forgetmap import Run
from forgetmap.chain import Chain, chain_runs
from forgetmap.chain.expected import guess_lines
from forgetmap.chain.lines import OUTCOMES, first_losses, line_text, line_values, outcome_of, outcome_weights, signs
from forgetmap.errors import MissingDataError, PairingError, UsageError
from forgetmap.pairing import pair_runs
from forgetmap.report.figures.alluvial import alluvial_svg
from forgetmap.testing import plant

NAMES = ("base", "sft", "dpo", "rl", "rl2", "rl3", "rl4", "rl5")


def open_answer(number: int, correct: bool | float | None, **more: Any) -> dict[str, Any]:
    """An item that nobody gets right by guessing."""
    return {"item_id": str(number), "question": f"Question {number}?", "gold": "x", "correct": correct, **more}


def follow(lines: Sequence[str], **options: Any) -> Chain:
    """The chain of items with these life lines; · is a score that was never given, blank an item that is not there."""
    stages = []
    for place in range(len(lines[0])):
        signs_ = ((number, line[place]) for number, line in enumerate(lines))
        rows = [answer(n, {"1": True, "0": False, "·": None}[sign]) for n, sign in signs_ if sign != " "]
        stages.append(make_run(rows))
    return chain_runs(stages, **{"names": NAMES[: len(stages)], **options})


def counted(frame: pl.DataFrame) -> dict[str, float]:
    return dict(frame.select(frame.columns[0], "n").iter_rows())


def without_runs(found: Chain) -> dict[str, Any]:
    content = found.to_dict()
    return {**content, "stages": [{k: v for k, v in stage.items() if k != "run"} for stage in content["stages"]]}


class TestByHand:
    LINES = ("111", "111", "110", "100", "101", "101", "101", "010", "001", "011", "000", "000")

    def test_life_lines(self) -> None:
        found = follow(self.LINES)
        assert (found.items, found.incomplete, found.stages) == (12, 0, ("base", "sft", "dpo"))
        whole = found.life.filter(pl.col("n") > 0)
        assert counted(whole.select("line", "n")) == Counter(self.LINES)
        assert whole["line"][0] == "101"  # the most frequent first
        assert whole.filter(pl.col("line") == "101").row(0, named=True)["share"] == pytest.approx(3 / 12)

    def test_outcomes(self) -> None:
        assert counted(follow(self.LINES).outcomes) == {
            "always_right": 2,
            "gained_for_good": 2,  # 001, 011
            "recovered": 3,  # 101
            "lost_for_good": 3,  # 110, 100, 010
            "never_right": 2,
        }

    def test_first_losses(self) -> None:
        rows = follow(self.LINES).first_loss.to_dicts()
        assert [(row["stage"], row["n"], row["for_good"], row["recovered"]) for row in rows] == [
            ("sft", 4, 1, 3),  # 100 and three times 101
            ("dpo", 2, 2, 0),  # 110 and 010
        ]

    def test_matrices(self) -> None:
        found = follow(self.LINES)
        assert counted(found.matrix("base", "sft")) == {"kept": 3, "lost": 4, "gained": 2, "never": 3}
        assert counted(found.matrix(0, 2)) == {"kept": 5, "lost": 2, "gained": 2, "never": 3}
        assert counted(found.matrix(1, "dpo")) == {"kept": 3, "lost": 2, "gained": 4, "never": 3}
        assert found.matrix(0, -1).equals(found.matrix(0, 2))

    def test_intervals_hold_the_share(self) -> None:
        for row in follow(self.LINES).outcomes.iter_rows(named=True):
            assert 0 <= row["low"] <= row["share"] <= row["high"] <= 1
            assert row["low"] < row["high"]

    def test_accuracy_and_what_is_printed(self) -> None:
        found = follow(self.LINES)
        assert found.accuracy["n"].to_list() == [7, 5, 7]
        assert repr(found) == "Chain(base → sft → dpo: 12 items, 25.0% lost for good, 25.0% lost and recovered)"
        assert found.table().startswith("From base to dpo, 25.0 % of 12 items were lost for good")

    def test_by_task(self) -> None:
        def stage(scores: dict[str, list[int]]) -> Run:
            return make_run([answer(n, bool(s), task=t) for t, of in scores.items() for n, s in enumerate(of)])

        found = chain_runs([stage({"a": [1, 1, 0], "b": [1]}), stage({"a": [1, 0, 0], "b": [0]})], names=["x", "y"])
        by_task = found.by("task")
        rows = {(row["task"], row["outcome"]): row for row in by_task.iter_rows(named=True)}
        assert rows["a", "lost_for_good"]["share"] == pytest.approx(1 / 3)
        assert rows["b", "lost_for_good"]["share"] == 1
        assert by_task.group_by("task").agg(pl.col("n").sum()).sort("task")["n"].to_list() == [3, 1]
        assert found.by("total").select("outcome", "n").equals(found.outcomes.select("outcome", "n"))
        with pytest.raises(UsageError, match="level is 'category'"):
            found.by("category")


class TestLines:
    @pytest.mark.parametrize("stages", range(2, 7))
    def test_every_line_has_one_outcome(self, stages: int) -> None:
        assert np.array_equal(sum(outcome_weights(stages).values()), np.ones(2**stages))

    @given(st.text("01", min_size=2, max_size=8))
    def test_outcomes_say_what_they_mean(self, line: str) -> None:
        """Against the definitions, word by word."""
        right = [place for place, sign in enumerate(line) if sign == "1"]
        was_lost = any(a == "1" and b == "0" for a, b in pairwise(line))
        meaning = {
            "never_right": not right,
            "always_right": len(right) == len(line),
            "lost_for_good": bool(right) and line.endswith("0"),
            "recovered": was_lost and line.endswith("1"),
            "gained_for_good": line.startswith("0") and line.endswith("1") and not was_lost,
        }
        assert [name for name in OUTCOMES if meaning[name]] == [outcome_of(line)]

    @given(st.text("01", min_size=2, max_size=8))
    def test_first_loss(self, line: str) -> None:
        falls = [place for place in range(1, len(line)) if line[place - 1 : place + 1] == "10"]
        assert first_losses(len(line))[int(line, 2)] == (falls[0] if falls else 0)

    @given(st.data())
    @settings(max_examples=30)
    def test_repeats_are_combined_in_every_way(self, data: st.DataObject) -> None:
        stages = data.draw(st.integers(2, 4))
        answers = [data.draw(st.lists(st.booleans(), min_size=1, max_size=3)) for _ in range(stages)]
        weights = np.array(data.draw(st.lists(st.floats(0, 1), min_size=2**stages, max_size=2**stages)))
        combined = [weights[int(line_text(np.array(line)), 2)] for line in product(*answers)]
        shares = np.array([[np.mean(of_stage) for of_stage in answers]])
        assert line_values(shares, weights)[0] == pytest.approx(np.mean(combined))
        alone = np.zeros(2**stages)
        assert line_values(shares, alone)[0] == 0


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_partition_and_margins(stages: int) -> None:
    rng = random.Random(stages)
    found = follow(["".join(rng.choice("01") for _ in range(stages)) for _ in range(300)])
    assert found.outcomes["n"].sum() == found.items == 300
    assert found.life["n"].sum() == 300
    assert found.outcomes["share"].sum() == pytest.approx(1)
    accuracy = found.accuracy["share"].to_list()
    for a in range(stages):
        for b in range(a + 1, stages):
            shares = dict(found.matrix(a, b).select("transition", "share").iter_rows())
            assert shares["kept"] + shares["lost"] == pytest.approx(accuracy[a])
            assert shares["kept"] + shares["gained"] == pytest.approx(accuracy[b])
    ended = found.first_loss
    assert ended["n"].sum() == pytest.approx((ended["for_good"] + ended["recovered"]).sum())
    lost_at_all = counted(found.outcomes)["lost_for_good"] + counted(found.outcomes)["recovered"]
    assert ended["n"].sum() == lost_at_all


class TestAgainstPairs:
    @staticmethod
    def same(before: Run, after: Run) -> None:
        patterns = pair_runs(before, after).patterns
        n, b, a = (patterns[name].to_numpy() for name in ("n", "right", "right_after"))
        expected = {"kept": b * a, "lost": b * (1 - a), "gained": (1 - b) * a, "never": (1 - b) * (1 - a)}
        found = counted(chain_runs([before, after]).matrix(0, 1))
        assert found == pytest.approx({name: float(n @ values) for name, values in expected.items()})

    def test_two_stages_are_a_pair(self) -> None:
        planted = plant(500, lost=0.1, gained=0.05, seed=1, tasks=3)
        self.same(planted.before, planted.after)

    def test_with_repeats(self) -> None:
        planted = plant(300, lost=0.1, repeats=(3, 4), seed=2)
        self.same(planted.before, planted.after)

    def test_with_copies_gaps_and_nulls(self) -> None:
        rng = random.Random(3)

        def side(skip: set[int]) -> Run:
            rows = [answer(n, rng.choice([True, True, False, False, None])) for n in range(120) if n not in skip]
            rows += [{**answer(n, rng.random() < 0.5), "question": f"question {n}?"} for n in range(15)]  # by case
            rows += [answer(n, rng.random() < 0.5) for n in range(5, 9)]  # copies outright
            return make_run(rng.sample(rows, len(rows)))

        self.same(side({1, 2, 30}), side({2, 31}))


class TestPlanted:
    def test_loss_and_recovery_are_found(self) -> None:
        """Open-ended items of one seed: what is lost at 5 % is among what is lost at 15 %."""
        plan = {"known": 0.6, "options": 0, "seed": 7, "tasks": 2}
        first = plant(1000, lost=0.05, gained=0.02, **plan)
        worse, healed = plant(1000, lost=0.15, gained=0.02, **plan), plant(1000, lost=0.0, gained=0.1, **plan)
        found = chain_runs([first.before, first.after, worse.after, healed.after], names=NAMES[:4])
        assert counted(found.life) == {
            "1111": 450, "1001": 50, "1101": 100, "0111": 20, "0001": 80, "0000": 300,
        }  # fmt: skip
        assert found.first_loss["n"].to_list() == [50, 100, 0]
        assert found.first_loss["recovered"].to_list() == [50, 100, 0]
        expected = dict(found.outcomes.select("outcome", "expected").iter_rows())
        assert expected == {  # nothing is right by luck, so nothing would have moved
            "always_right": 0.6, "gained_for_good": 0, "recovered": 0, "lost_for_good": 0, "never_right": 0.4,
        }  # fmt: skip

    def test_guessing_explains_what_moves_when_nothing_changed(self) -> None:
        first = plant(6000, known=0.5, lost=0.0, gained=0.0, repeats=(1, 2), seed=3)
        answers = first.after.samples.drop("occurrence")
        stages = [first.before]
        for repeat in (0, 1):
            rows = answers.filter(pl.col("repeat") == repeat).with_columns(repeat=pl.lit(0, dtype=pl.UInt32))
            stages.append(_assembled(rows, first.after))
        for row in chain_runs(stages, names=NAMES[:3]).life.iter_rows(named=True):
            assert row["share"] == pytest.approx(row["expected"], abs=0.02)
            assert row["share"] > 0.005


def _assembled(rows: pl.DataFrame, like: Run) -> Run:
    from forgetmap.assembly import assemble
    from forgetmap.run import RunInfo

    return assemble(rows, RunInfo(model="stage", tool=like.info.tool), source="stage")


class TestInvariance:
    @staticmethod
    def rows(seed: int, repeats: int = 1) -> list[dict[str, Any]]:
        rng = random.Random(seed)
        pick = ("w", "x", "y", "z")
        return [
            {**answer(n, None), "prediction": choice, "correct": choice == "x", "repeat": repeat, "task": f"t{n % 2}"}
            for n in range(60)
            for repeat in range(repeats)
            for choice in [rng.choice(pick)]
        ]

    def test_order_of_rows(self) -> None:
        rng = random.Random(0)
        stages = [self.rows(seed) for seed in range(3)]
        straight, shuffled = (
            without_runs(chain_runs([make_run(of) for of in order], names=NAMES[:3]))
            for order in (stages, [rng.sample(of, len(of)) for of in stages])
        )
        assert straight == shuffled

    def test_order_of_repeats(self) -> None:
        stages = [self.rows(seed, repeats=3) for seed in range(3)]
        turned = [[{**row, "repeat": (row["repeat"] + 1) % 3} for row in of] for of in stages]
        straight, other = (chain_runs([make_run(of) for of in order], names=NAMES[:3]) for order in (stages, turned))
        assert without_runs(straight) == without_runs(other)
        assert straight.lines.equals(other.lines)
        assert straight.expected_from == "repeats"


class TestGaps:
    def test_missing_items_are_shown_and_in_no_share(self) -> None:
        found = follow(["111", "110", "000", "1 1", "1·0", "  1"], force=True)
        assert (found.items, found.incomplete) == (3, 3)
        gaps = found.life.filter(pl.col("line").str.contains("·"))
        assert counted(gaps) == {"1·1": 1, "1·0": 1, "··1": 1}
        assert gaps["share"].null_count() == gaps["expected"].null_count() == 3
        assert counted(found.outcomes) == {
            "always_right": 1, "gained_for_good": 0, "recovered": 0, "lost_for_good": 1, "never_right": 1,
        }  # fmt: skip
        assert found.accuracy["missing"].to_list() == [1, 3, 0]
        assert found.accuracy["share"].to_list() == pytest.approx([2 / 3, 2 / 3, 1 / 3])

    def test_every_item_is_drawn(self) -> None:
        found = follow(["111", "110", "000", "1 1", "1·0", "  1"], force=True)
        assert found.flows(0) == {
            ("right", "right"): 2, ("right", "wrong"): 0, ("right", "missing"): 2,
            ("wrong", "right"): 0, ("wrong", "wrong"): 1, ("wrong", "missing"): 0,
            ("missing", "right"): 0, ("missing", "wrong"): 0, ("missing", "missing"): 1,
        }  # fmt: skip

    def test_a_task_that_a_stage_lacks_is_named(self) -> None:
        both = [answer(n, True, task=task) for task in ("a", "b") for n in range(10)]
        found = chain_runs([make_run(both), make_run(both[:10]), make_run(both)], names=NAMES[:3])
        assert (found.items, found.incomplete) == (10, 10)
        assert counted(found.life) == {"111": 10, "1·1": 10}
        assert any("b is missing at sft" in warning for warning in found.warnings)
        incomplete = found.by("task").filter(pl.col("task") == "b")
        assert incomplete["share"].null_count() == 5
        assert incomplete["incomplete"].to_list() == [10] * 5

    def test_too_little_in_common_is_refused_unless_forced(self) -> None:
        """Each step covers 60 %, but the three together only a fifth."""
        spans = (range(60), range(100), range(40, 100))
        stages = [make_run([answer(n, True) for n in span]) for span in spans]
        with pytest.raises(PairingError, match=r"only 33\.3% of the items of base.*--force"):
            chain_runs(stages, names=NAMES[:3])
        assert chain_runs(stages, names=NAMES[:3], force=True).items == 20

    def test_nothing_in_common_is_refused(self) -> None:
        spans = (range(10), range(20), range(10, 20))
        stages = [make_run([answer(n, True) for n in span]) for span in spans]
        with pytest.raises(PairingError, match="no item has a score at every stage"):
            chain_runs(stages, names=NAMES[:3], force=True)
        other = make_run([answer(n, True, task="other") for n in range(10)])
        with pytest.raises(PairingError, match="base → sft: no task in common"):
            chain_runs([stages[0], other], names=NAMES[:2])


class TestCopies:
    def test_copies_keep_to_themselves(self) -> None:
        """Copies of some questions that differ in case only, in another order at every stage."""
        rng = random.Random(1)
        copied = [(n, form) for n in range(5) for form in ("QU", "Qu", "qu")]
        outcomes = {key: "".join(rng.choices("01", k=3)) for key in [*copied, *((n, "qu") for n in range(5, 60))]}
        stages = []
        for place in range(3):
            rows = [
                {"question": f"{form} {n}?", "gold": "x", "correct": line[place] == "1"}
                for (n, form), line in outcomes.items()
            ]
            stages.append(make_run(rng.sample(rows, len(rows))))
        found = chain_runs(stages, names=NAMES[:3])
        assert (found.items, found.incomplete) == (70, 0)
        assert counted(found.life) == Counter(outcomes.values())

    def test_a_copy_more_at_one_stage_is_incomplete_there(self) -> None:
        rows = [open_answer(n, True) for n in range(20)]
        more = [*rows, {**open_answer(3, False), "question": "question 3?", "item_id": "copy"}]
        found = chain_runs([make_run(rows), make_run(more), make_run(more)], names=NAMES[:3])
        assert (found.items, found.incomplete) == (20, 1)
        assert counted(found.life) == {"111": 20, "·00": 1}
        ids = dict(found.lines.select("line", "native_id").filter(pl.col("line") == "·00").iter_rows())
        assert ids == {"·00": "copy"}


def _simulated(
    items: int, steps: Sequence[float], *, seed: int, silent: float = 0.0, choices: bool = True
) -> list[Run]:
    """Nothing changes: known items stay right, guesses are repeated or made afresh, silence stays silence."""
    rng = np.random.default_rng(seed)
    planted = plant(items, known=0.5, lost=0, gained=0, seed=seed).before
    table = planted.samples.drop("occurrence")
    gold = table["gold_index"].to_numpy()
    knows, mute = rng.random(items) < 0.5, rng.random(items) < silent
    guess = rng.integers(0, 4, items)
    stages = []
    for r in (None, *steps):
        if r is not None:
            guess = np.where(rng.random(items) < r, guess, rng.integers(0, 4, items))
        choice = np.where(knows, gold, guess)
        seen = pl.Series(np.where(knows | ~mute, choice, -1)).replace(-1, None) if choices else pl.lit(None)
        score = np.where(knows | ~mute, choice == gold, False).astype(np.float64)
        state = np.where(knows | ~mute, "answered", "no_answer").astype(object)
        rows = table.with_columns(
            score=pl.Series(score),
            choice_key=pl.lit(seen).cast(pl.UInt64) if choices else pl.lit(None, dtype=pl.UInt64),
            choice_index=pl.lit(seen).cast(pl.Int16) if choices else pl.lit(None, dtype=pl.Int16),
            answer_state=pl.Series(state, dtype=table.schema["answer_state"]),
        )
        stages.append(_assembled(rows, planted))
    return stages


class TestExpected:
    @pytest.mark.parametrize("silent", [0.0, 0.4])
    def test_it_is_what_a_simulation_of_guessing_gives(self, silent: float) -> None:
        found = chain_runs(_simulated(20_000, (0.3, 0.7), seed=11, silent=silent), names=NAMES[:3])
        assert found.expected_from == "guessing"
        assert found.persistence == pytest.approx((0.3, 0.7), abs=0.04)
        for frame in (found.life, found.outcomes, found.first_loss, found.matrix(0, 2)):
            for row in frame.iter_rows(named=True):
                assert row["expected"] == pytest.approx(row["share"], abs=0.001 + 5 * (row["share"] / 20_000) ** 0.5)
        assert counted(found.life)["101"] > 40  # guesses did come and go

    def test_by_hand(self) -> None:
        """40 right, 60 wrong of four options: 80 guesses, 20 known. Guesses that differ: fresh ones, q = ¼ at every stage."""

        def stage(first: int) -> Run:
            rows = []
            for n in range(100):
                turned = ["w", "x", "y", "z"][n % 4 :] + ["w", "x", "y", "z"][: n % 4]
                choice = "x" if n < 40 else ("w", "y", "z")[(n // 4 + first) % 3]
                rows.append({**answer(n, n < 40), "options": turned, "prediction": choice})
            return make_run(rows)

        found = chain_runs([stage(0), stage(1), stage(2)], names=NAMES[:3])
        assert found.persistence == (0, 0)
        expected = dict(found.matrix(0, 2).select("transition", "expected").iter_rows())
        assert expected == pytest.approx({"kept": 0.25, "lost": 0.15, "gained": 0.15, "never": 0.45})
        lines = dict(found.life.select("line", "expected").iter_rows())
        assert lines == pytest.approx(
            {
                "111": 0.2 + 0.8 / 64, "000": 0.8 * 27 / 64,
                **dict.fromkeys(("110", "101", "011"), 0.8 * 3 / 64), **dict.fromkeys(("100", "010", "001"), 0.8 * 9 / 64),
            }
        )  # fmt: skip

    def test_expected_accuracy_is_that_of_the_first_stage(self) -> None:
        found = chain_runs(_simulated(400, (0.3, 0.7), seed=1, silent=0.3), names=NAMES[:3])
        for a, b in ((0, 1), (1, 2), (0, 2)):
            shares = dict(found.matrix(a, b).select("transition", "expected").iter_rows())
            assert shares["kept"] + shares["lost"] == pytest.approx(found.accuracy["share"][0])
            assert shares["lost"] == pytest.approx(shares["gained"])
        assert found.outcomes["expected"].sum() == pytest.approx(1)

    def test_a_range_where_choices_are_not_on_record(self) -> None:
        blind, told = (
            chain_runs(_simulated(2000, (0.3, 0.7), seed=2, choices=c), names=NAMES[:3]) for c in (False, True)
        )
        assert blind.persistence == (None, None)
        for row, point in zip(blind.outcomes.to_dicts(), told.outcomes.to_dicts(), strict=True):
            assert row["expected"] is None
            assert row["expected_low"] < point["expected"] < row["expected_high"]
        assert "a … b: a range" in blind.table()

    def test_golds_that_crowd_on_a_position_silence_it(self) -> None:
        """Always the second option: guessing cannot be told from knowing."""
        rows = [{**answer(n, n % 2 == 0), "prediction": "x" if n % 2 == 0 else "y"} for n in range(200)]
        found = chain_runs([make_run(rows), make_run(rows)], names=NAMES[:2])
        assert found.outcomes["expected_low"].null_count() == 5
        assert any("guessing cannot be told from knowing" in warning for warning in found.warnings)

    def test_a_silenced_task_tells_the_others_nothing(self) -> None:
        rows = [{**answer(n, n % 2 == 0, task="b"), "prediction": "x" if n % 2 == 0 else "y"} for n in range(400)]
        stuck = make_run(rows).samples.drop("occurrence").with_columns(text_row=pl.lit(None, dtype=pl.UInt32))
        good = _simulated(1000, (0.2,), seed=3)
        mixed = [_assembled(pl.concat([run.samples.drop("occurrence"), stuck]), run) for run in good]
        alone, beside = (chain_runs(runs, names=NAMES[:2]).by("task") for runs in (good, mixed))
        assert alone.equals(beside.filter(pl.col("task") != "b"))
        assert beside.filter(pl.col("task") == "b")["expected_low"].null_count() == 5

    @given(st.floats(0.05, 0.95), st.lists(st.floats(0, 1), min_size=1, max_size=4))
    @settings(max_examples=40)
    def test_corners_hold_everything_between(self, chance: float, steps: list[float]) -> None:
        inside = guess_lines(chance, steps)[0]
        corners = guess_lines(chance, [None] * len(steps))
        for name, weights in outcome_weights(len(steps) + 1).items():
            ends = corners @ weights
            assert ends.min() - 1e-12 <= inside @ weights <= ends.max() + 1e-12, name
        assert inside.sum() == pytest.approx(1)
        for stage in range(len(steps) + 1):  # a guess is as good at every stage
            assert inside[signs(len(steps) + 1)[:, stage]].sum() == pytest.approx(chance)

    def test_stages_that_contradict_each_other_leave_no_chance(self) -> None:
        run = make_run([answer(n, n % 2 == 0) for n in range(40)])
        other = _assembled(run.samples.with_columns(chance=pl.lit(0.5)).drop("occurrence"), run)
        found = chain_runs([run, other], names=NAMES[:2])
        assert found.items == 40
        assert found.outcomes["expected_low"].null_count() == 5

    def test_unknown_chance_is_said(self) -> None:
        rows = [
            {"item_id": str(n), "question": f"q{n}", "gold": "x", "correct": n % 2 == 0, "task": "t"} for n in range(40)
        ]
        run = make_run(rows)
        samples = run.samples.with_columns(chance=pl.lit(None, dtype=pl.Float64)).drop("occurrence")
        blind = _assembled(samples, run)
        found = chain_runs([blind, blind, blind], names=NAMES[:3])
        assert found.outcomes["expected_low"].null_count() == 5
        assert any(
            "chance of a right guess is unknown" in warning and "t (40)" in warning for warning in found.warnings
        )
        assert "expected: not known" in found.table()

    def test_a_few_items_of_unknown_chance_do_not_silence_the_others(self) -> None:
        rows = [answer(n, n % 2 == 0) for n in range(100)]
        run = make_run(rows)
        number = pl.col("native_id").cast(pl.Int64)
        for lacking, silent in ((4, False), (6, True)):
            chance = pl.when(number >= lacking).then(pl.col("chance"))
            part = _assembled(run.samples.with_columns(chance=chance).drop("occurrence"), run)
            found = chain_runs([part, part], names=NAMES[:2])
            assert (found.outcomes["expected_low"][0] is None) == silent
            assert any(f"for {lacking} items" in warning for warning in found.warnings)


class TestRepeats:
    @staticmethod
    def drawn(p: np.ndarray, repeats: int, seed: int) -> Run:
        rng = np.random.default_rng(seed)
        hits = rng.random((len(p), repeats)) < p[:, None]
        rows = [open_answer(n, bool(hits[n, s]), repeat=s) for n in range(len(p)) for s in range(repeats)]
        return make_run(rows)

    def test_repeats_of_the_first_stage_say_what_a_re_run_gives(self) -> None:
        p = np.random.default_rng(4).beta(0.6, 0.6, 2000)
        stages = [self.drawn(p, 4, 1), self.drawn(p, 1, 2), self.drawn(p, 1, 3)]
        found = chain_runs(stages, names=NAMES[:3])
        assert found.expected_from == "repeats"
        for row in found.life.iter_rows(named=True):
            assert row["share"] == pytest.approx(row["expected"], abs=0.03)
        assert counted(found.life)["101"] > 100

    def test_expected_is_the_mean_over_ordered_tuples(self) -> None:
        answers = [[1, 1, 0, 1], [0, 0, 0, 1], [1, 0, 1, 0]]
        rows = [open_answer(n, bool(a), repeat=s) for n, of in enumerate(answers) for s, a in enumerate(of)]
        found = chain_runs([make_run(rows)] * 3, names=NAMES[:3])
        tuples = [Counter("".join(map(str, drawn)) for drawn in permutations(of, 3)) for of in answers]
        for row in found.life.iter_rows(named=True):
            assert row["expected"] == pytest.approx(sum(one[row["line"]] for one in tuples) / 24 / 3)

    def test_fewer_repeats_than_stages_are_said(self) -> None:
        p = np.full(50, 0.5)
        found = chain_runs([self.drawn(p, 2, 1), self.drawn(p, 2, 2), self.drawn(p, 2, 3)], names=NAMES[:3])
        assert found.expected_from == "guessing"
        assert any("2 repeats and the chain 3 stages" in warning for warning in found.warnings)

    def test_repeats_that_never_differ_are_no_floor(self) -> None:
        p = np.repeat([0.0, 1.0], 25)
        found = chain_runs([self.drawn(p, 3, 1), self.drawn(p, 3, 2)], names=NAMES[:2])
        assert found.expected_from == "guessing"
        assert any("agree on every item" in warning for warning in found.warnings)

    def test_the_line_of_an_item_is_what_most_repeats_say(self) -> None:
        answers = {0: [1, 1, 0], 1: [0, 0, 1], 2: [1, 1, 1]}
        first = make_run([open_answer(n, bool(a), repeat=s) for n, of in answers.items() for s, a in enumerate(of)])
        tied = make_run(
            [open_answer(n, n != s, repeat=s) for n in (0, 1) for s in (0, 1)] + [open_answer(2, True, repeat=0)]
        )
        found = chain_runs([first, tied], names=NAMES[:2])
        lines = {row["native_id"]: (row["line"], row["outcome"]) for row in found.lines.iter_rows(named=True)}
        assert lines == {"0": ("1½", None), "1": ("0½", None), "2": ("11", "always_right")}
        assert found.lines["right base"].sort().to_list() == pytest.approx([1 / 3, 2 / 3, 1])


class TestScores:
    def test_graded_tasks_need_a_threshold(self) -> None:
        def stage(grade: float) -> Run:
            graded = [{**open_answer(n, None, task="essay"), "score": grade + n / 100} for n in range(10)]
            exact = [{**open_answer(n, None, task="sums"), "score": float(n % 2)} for n in range(10)]
            return make_run([{k: v for k, v in row.items() if k != "correct"} for row in graded + exact])

        stages = [stage(0.5), stage(0.3), stage(0.6)]
        found = chain_runs(stages, names=NAMES[:3])
        assert found.tasks == ["sums"]
        assert any("essay (score)" in warning and "--threshold" in warning for warning in found.warnings)
        read = chain_runs(stages, names=NAMES[:3], threshold=0.5)
        assert counted(read.by("task").filter(pl.col("task") == "essay").select("outcome", "n")) == {
            "always_right": 0, "gained_for_good": 0, "recovered": 10, "lost_for_good": 0, "never_right": 0,
        }  # fmt: skip
        with pytest.raises(MissingDataError, match=r"essay.*--threshold"):
            chain_runs(stages, names=NAMES[:3], tasks="essay")

    def test_all_stages_are_read_under_one_score(self, logs: Path) -> None:
        paths = [logs / "lm_eval" / side for side in ("before", "after", "before")]
        names = NAMES[:3]
        default, other = (
            chain_runs(paths, names=names, tasks="gsm8k", scorer=scorer).to_dict()["scores"]
            for scorer in (None, "flexible-extract")
        )
        assert [one["scorer"] for one in default[0]["stages"]] == ["strict-match"] * 3
        assert [one["scorer"] for one in other[0]["stages"]] == ["flexible-extract"] * 3
        with pytest.raises(MissingDataError, match="no task has nope at every stage"):
            chain_runs(paths, names=names, scorer="nope")
        with pytest.raises(UsageError, match=r"no task matches 'nope\*'"):
            chain_runs(paths, names=names, tasks="nope*")

    def test_a_score_that_a_later_stage_lacks_is_not_read(self) -> None:
        """The first stage's default is missing at the last one: all are read under what all have."""

        def stage(*metrics: str) -> Run:
            run = make_run([open_answer(n, n % 2 == 0) for n in range(10)])
            rows = run.samples.drop("occurrence")
            parts = [rows.with_columns(metric=pl.lit(name).cast(pl.Categorical())) for name in metrics]
            return _assembled(pl.concat(parts), run)

        found = chain_runs([stage("acc", "acc_norm"), stage("acc", "acc_norm"), stage("acc_norm")], names=NAMES[:3])
        assert [one["metric"] for one in found.to_dict()["scores"][0]["stages"]] == ["acc_norm"] * 3
        assert found.items == 10

    def test_a_default_goes_before_the_order_in_the_log(self) -> None:
        """A graded score is first in the log, but the 0/1 one is its default."""
        run = make_run([open_answer(n, n % 2 == 0) for n in range(10)])
        rows = run.samples.drop("occurrence")
        graded = rows.with_columns(metric=pl.lit("f1").cast(pl.Categorical()), score=pl.lit(0.3))
        both = _assembled(pl.concat([graded, rows]), run)
        found = chain_runs([both, both], names=NAMES[:2])
        assert found.to_dict()["scores"][0]["stages"][0]["metric"] == run.info.metrics[0].metric != "f1"

    def test_clusters_widen_intervals(self) -> None:
        def stage(right: Sequence[bool], **more: Any) -> Run:
            return make_run([open_answer(n, r, **{k: f(n) for k, f in more.items()}) for n, r in enumerate(right)])

        lost = [n // 10 % 2 == 0 for n in range(400)]  # whole passages are lost together
        alone = chain_runs([stage([True] * 400), stage(lost)], names=NAMES[:2])
        grouped = chain_runs([stage([True] * 400, cluster=lambda n: str(n // 10)), stage(lost)], names=NAMES[:2])
        widths = [(row["high"] - row["low"]) for row in
                  (found.outcomes.row(3, named=True) for found in (alone, grouped))]  # fmt: skip
        assert widths[1] > 2 * widths[0]


class TestRefusals:
    def test_how_many(self) -> None:
        run = make_run([open_answer(n, True) for n in range(3)])
        for many in (0, 1, 13):
            with pytest.raises(UsageError, match=f"2 to 12 runs, not {many}"):
                chain_runs([run] * many)
        assert chain_runs([run] * 12).life["line"].to_list() == ["1" * 12]

    def test_names(self) -> None:
        run = make_run([answer(n, True) for n in range(3)], model="org/m")
        assert chain_runs([run, run]).stages == ("org/m (1)", "org/m (2)")
        with pytest.raises(UsageError, match="give 2 different ones"):
            chain_runs([run, run], names=["a", "a"])
        with pytest.raises(UsageError, match="stage is 'b'"):
            chain_runs([run, run], names=["a", "c"]).matrix("a", "b")
        with pytest.raises(UsageError, match="stage is '2'"):
            chain_runs([run, run], names=["a", "c"]).matrix(0, 2)


def test_json_is_complete_and_has_no_nan() -> None:
    found = follow(["111", "110", "1·0", "000"] * 10)
    content = msgspec.json.decode(msgspec.json.encode(found.to_dict()))
    assert content["schema"] == "forgetmap.chain/1"
    assert list(content) == [
        "schema", "stages", "items", "incomplete", "scores", "expected", "outcomes", "life", "first_loss", "matrices",
        "tasks", "pairings", "warnings", "notes",
    ]  # fmt: skip
    assert [(m["from"], m["to"]) for m in content["matrices"]] == [("base", "sft"), ("base", "dpo"), ("sft", "dpo")]
    assert set(content["outcomes"][0]) == {
        "outcome", "n", "share", "low", "high", "expected", "expected_low", "expected_high",
    }  # fmt: skip
    assert (content["items"], content["incomplete"]) == (30, 10)
    assert content["stages"][1]["missing"] == 10

    def numbers(value: Any) -> list[float]:
        if isinstance(value, dict | list):
            return [n for one in (value.values() if isinstance(value, dict) else value) for n in numbers(one)]
        return [value] if isinstance(value, float) else []

    assert all(np.isfinite(numbers(found.to_dict())))


def test_the_lines_name_every_item() -> None:
    found = follow(["10", "01", "1·"])
    rows = {row["native_id"]: row for row in found.lines.iter_rows(named=True)}
    assert {n: row["line"] for n, row in rows.items()} == {"0": "10", "1": "01", "2": "1·"}
    assert rows["2"]["outcome"] is None
    assert rows["2"]["right sft"] is None
    assert len({row["item"] for row in rows.values()}) == 3


class TestFigure:
    @pytest.mark.parametrize("stages", [2, 3, 5, 8])
    def test_it_is_sound_and_complete(self, stages: int) -> None:
        rng = random.Random(stages)
        found = follow(["".join(rng.choice("01") for _ in range(stages)) for _ in range(200)])
        root = ElementTree.fromstring(alluvial_svg(found))
        space = "{http://www.w3.org/2000/svg}"
        bands = root.findall(f"{space}path")
        assert len(bands) == 4 * (stages - 1)  # kept, lost, gained and never at each step
        texts = [text.text for text in root.iter(f"{space}text")]
        assert set(NAMES[:stages]) <= set(texts)
        lost = counted(found.matrix(0, 1))["lost"]
        assert f"lost {lost:.0f} · {lost / 2:.1f} %" in texts
        assert root.find(f"{space}title") is not None
        assert root.find(f"{space}desc") is not None
        width, height = (float(root.attrib[name]) for name in ("width", "height"))
        for box in root.findall(f"{space}rect")[1:]:
            assert 0 <= float(box.attrib["x"]) <= float(box.attrib["x"]) + float(box.attrib["width"]) <= width
            assert 0 <= float(box.attrib["y"]) <= float(box.attrib["y"]) + float(box.attrib["height"]) <= height

    def test_nodes_are_as_high_as_they_are_heavy(self) -> None:
        root = ElementTree.fromstring(alluvial_svg(follow(["11"] * 30 + ["10"] * 10 + ["1 "] * 10, force=True)))
        space = "{http://www.w3.org/2000/svg}"
        nodes = [float(box.attrib["height"]) for box in root.findall(f"{space}rect") if box.attrib["width"] == "104"]
        right, after, wrong, missing = nodes
        assert right == pytest.approx(after + wrong + missing, abs=0.05)
        assert after == pytest.approx(3 * wrong, abs=0.05)

    def test_bands_fill_the_nodes_they_leave_and_reach(self) -> None:
        rng = random.Random(9)
        found = follow(["".join(rng.choices("01·", weights=(4, 4, 1), k=3)) for _ in range(300)], force=True)
        root = ElementTree.fromstring(alluvial_svg(found))
        space = "{http://www.w3.org/2000/svg}"
        boxes = [{k: float(box.attrib[k]) for k in ("x", "y", "width", "height")} for box in root.findall(f"{space}rect")
                 if box.attrib["width"] == "104"]  # fmt: skip
        nodes = {(box["x"] + side * box["width"], box["y"], box["height"]) for box in boxes for side in (0, 1)}
        edges = []  # where each band meets a column: x, top, bottom
        for band in root.findall(f"{space}path"):
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", band.attrib["d"])]
            x0, y0, x1, y1, low1, low0 = (numbers[at] for at in (0, 1, 6, 7, 8, 14))
            edges += [(x0, y0, low0), (x1, y1, low1)]
        inner = sorted(node for node in nodes if any(abs(node[0] - x) < 0.2 for x, _, _ in edges))
        assert len(inner) == 12  # three states at each side of two steps
        for x, y, height in inner:
            here = sorted(
                (top, low) for at, top, low in edges if abs(at - x) < 0.2 and y - 0.1 <= top <= y + height + 0.1
            )
            assert here[0][0] == pytest.approx(y, abs=0.05)
            assert here[-1][1] == pytest.approx(y + height, abs=0.05)
            for (_, bottom), (top, _) in pairwise(here):
                assert top == pytest.approx(bottom, abs=0.05)

    def test_names_of_others_are_escaped(self) -> None:
        run = make_run([answer(n, True) for n in range(3)])
        drawn = alluvial_svg(chain_runs([run, run], names=["<script>&\x1b[31m", 'b" onload="x']))
        root = ElementTree.fromstring(drawn)
        assert "<script>" not in drawn
        assert "\x1b" not in drawn
        assert "<script>&\\x1b[31m" in "".join(root.itertext())

    def test_it_is_written_as_svg_only(self, tmp_path: Path) -> None:
        found = follow(["11", "10"])
        assert found.figure(tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
        with pytest.raises(UsageError, match=r"ends in \.svg"):
            found.figure(tmp_path / "a.png")
        assert not (tmp_path / "a.png").exists()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_tables_fit(width: int) -> None:
    found = follow(["1101", "1011", "0010", "1·11", "1111", "0000"] * 20, names=["a" * 60, "org/b", "c", "d" * 40])
    lines = found.table(width).splitlines()
    assert max(map(len, lines)) <= width
    for piece in ("what became of the items", "life line", "first lost here", "from → to", "1·11"):
        assert any(piece in line for line in lines)
    assert any("95 % interval" in line for line in lines) == (width >= 80)
