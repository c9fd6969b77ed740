"""Pairing by content: what joins, what does not, and that both are counted."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import answer, make_run
from forgetmap import Run, compare
from forgetmap.errors import MissingDataError, PairingError, UsageError
from forgetmap.pairing import Scale, pair_runs


def shares(before: Run, after: Run, **options: Any) -> dict[str, float | None]:
    return compare(before, after, **options).total.observed


def test_native_ids_that_drifted_apart_do_not_matter() -> None:
    """The same answers, but the ids are shifted by one: by id half of the items would flip."""
    rng = random.Random(1)
    right = [rng.random() < 0.5 for _ in range(200)]
    before = make_run([answer(n, right[n]) for n in range(200)])
    after = make_run([{**answer(n, right[n]), "item_id": str((n + 1) % 200)} for n in range(200)])
    pair = pair_runs(before, after)
    assert pair.pairing.paired == 200
    assert compare(before, after).total.observed["lost"] == 0
    by_id = sum(right[n] and not right[(n - 1) % 200] for n in range(200)) / 200
    assert by_id > 0.15  # what joining on ids would have called forgetting


@settings(max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30), st.randoms())
def test_order_of_rows_does_not_matter(outcomes: list[tuple[bool, bool]], rng: random.Random) -> None:
    before = [answer(n, b) for n, (b, _) in enumerate(outcomes)]
    after = [answer(n, a) for n, (_, a) in enumerate(outcomes)]
    straight = compare(make_run(before), make_run(after)).to_dict()
    shuffled = compare(make_run(rng.sample(before, len(before))), make_run(rng.sample(after, len(after)))).to_dict()
    assert straight == shuffled
    total = straight["cells"][-1]
    n = len(outcomes)
    assert total["lost"] == pytest.approx(sum(b and not a for b, a in outcomes) / n, abs=1e-15)
    assert total["kept"] == pytest.approx(sum(b and a for b, a in outcomes) / n, abs=1e-15)


def test_shuffled_options_and_letters_map_to_texts() -> None:
    """Gold and prediction as letters, options in another order after: the same choice stays the same."""
    before = make_run(
        [
            {"question": f"q{n}", "options": ["w", "x", "y", "z"], "gold": "B", "pred": "C", "correct": 0}
            for n in range(40)
        ]
    )
    after = make_run(
        [
            {"question": f"q{n}", "options": ["y", "z", "w", "x"], "gold": "D", "pred": "A", "correct": 0}
            for n in range(40)
        ]
    )
    found = compare(before, after)
    assert found.pair.pairing.paired == 40
    assert found.guessing.agreement_when_both_wrong == 1
    assert found.guessing.persistence == 1


def test_another_gold_is_named_and_never_a_flip() -> None:
    before = make_run([answer(n, True) for n in range(20)])
    after = make_run([answer(n, True) if n else {**answer(0, False), "gold": "y"} for n in range(20)])
    pair = pair_runs(before, after)
    assert (pair.pairing.paired, pair.pairing.gold_changed, pair.pairing.only_before, pair.pairing.only_after) == (
        19,
        1,
        1,
        1,
    )
    assert set(pair.unpaired["reason"]) == {"gold_changed"}
    assert compare(before, after).total.observed["lost"] == 0
    assert any("another gold" in warning for warning in pair.warnings)


def test_another_text_under_the_same_id_is_named() -> None:
    before = make_run([answer(n, True) for n in range(20)])
    after = make_run([answer(n, True) if n else {**answer(0, False), "question": "Rewritten?"} for n in range(20)])
    pair = pair_runs(before, after)
    assert pair.pairing.content_changed == 1
    assert pair.pairing.gold_changed == 0


def test_null_is_neither_right_nor_wrong() -> None:
    before = make_run([answer(n, True) for n in range(100)])
    after = make_run([answer(n, None if n < 3 else True) for n in range(100)])
    pair = pair_runs(before, after)
    assert (pair.pairing.paired, pair.pairing.null_before, pair.pairing.null_after) == (97, 0, 3)
    assert pair.pairing.coverage_after == pytest.approx(0.97)
    assert compare(before, after).total.observed["acc_after"] == 1


def test_low_coverage_warns_and_very_low_is_refused_unless_forced() -> None:
    before = make_run([answer(n, True) for n in range(100)])
    some = make_run([answer(n, True) for n in range(90)])
    few = make_run([answer(n, True) for n in range(40)])
    assert any("90.0%" in warning for warning in pair_runs(before, some).warnings)
    with pytest.raises(PairingError, match=r"only 40\.0%.*--force"):
        pair_runs(before, few)
    assert pair_runs(before, few, force=True).pairing.paired == 40


def test_a_subset_chosen_on_purpose_changes_the_denominator() -> None:
    before = make_run([answer(n, True) for n in range(100)])
    few = make_run([answer(n, True) for n in range(10)])
    few.info.subset = {"limit": 10}
    pairing = pair_runs(before, few).pairing
    assert pairing.coverage_before == 1
    assert pairing.only_before == 90


def test_tasks_of_one_side_are_named() -> None:
    before = make_run([answer(n, True, task="a" if n < 90 else "b") for n in range(100)])
    after = make_run([answer(n, True, task="a") for n in range(90)])
    pair = pair_runs(before, after)
    assert pair.pairing.tasks_only_before == ["b"]
    assert pair.pairing.only_before == 10
    assert pair_runs(before, after, tasks="a").pairing.only_before == 0


def test_the_same_question_in_two_tasks_is_two_items() -> None:
    rows = [answer(n, True, task=task) for task in ("a", "b") for n in range(5)]
    assert pair_runs(make_run(rows), make_run(rows)).pairing.paired == 10


def test_no_item_in_common_is_refused() -> None:
    before = make_run([answer(n, True) for n in range(3)])
    with pytest.raises(PairingError, match="no item"):
        pair_runs(before, make_run([answer(n, True) for n in range(10, 13)]))
    with pytest.raises(PairingError, match="no task in common"):
        pair_runs(before, make_run([answer(n, True, task="other") for n in range(3)]))


def test_ids_alone_do_not_join_with_contents() -> None:
    before = make_run([answer(n, True) for n in range(3)])
    bare = make_run([{"item_id": str(n), "correct": True} for n in range(3)])
    with pytest.raises(PairingError, match="native"):
        pair_runs(before, bare)
    assert pair_runs(bare, bare).pairing.paired == 3


class TestDuplicates:
    """Items with equal content: exact text, then native id where it can be trusted, then occurrence."""

    def test_case_variants_pair_by_exact_text(self) -> None:
        def rows(first: bool, second: bool) -> list[dict[str, Any]]:
            return [
                {"question": "Is it X?", "gold": "a", "correct": first},
                {"question": "is it x?", "gold": "a", "correct": second},
            ]

        pair = pair_runs(make_run(rows(True, False)), make_run(rows(True, False)[::-1]))
        assert pair.pairing.duplicate_rules == {"exact text": 2}
        assert pair.pairing.duplicates == 1
        assert shares(make_run(rows(True, False)), make_run(rows(True, False)[::-1]))["lost"] == 0

    def test_native_ids_pair_where_they_agree_on_the_rest(self) -> None:
        unique = [answer(n, True) for n in range(10)]
        twins = [{**answer(99, True), "item_id": "t1"}, {**answer(99, False), "item_id": "t2"}]
        pair = pair_runs(make_run(unique + twins), make_run((unique + twins)[::-1]))
        assert pair.pairing.duplicate_rules == {"native id": 2}
        assert shares(make_run(unique + twins), make_run((unique + twins)[::-1]))["lost"] == 0

    def test_ids_that_lie_are_not_used(self) -> None:
        unique = [answer(n, True) for n in range(10)]
        drifted = [{**row, "item_id": str(int(row["item_id"]) + 1)} for row in unique]
        twins = [{**answer(99, True), "item_id": "t1"}, {**answer(99, False), "item_id": "t2"}]
        pair = pair_runs(make_run(unique + twins), make_run(drifted + twins))
        assert pair.pairing.duplicate_rules == {"occurrence": 2}

    def test_a_surplus_copy_stays_alone(self) -> None:
        rows = [answer(n, True) for n in range(10)]
        pair = pair_runs(make_run([*rows, answer(3, True)]), make_run(rows))
        assert (pair.pairing.paired, pair.pairing.only_before) == (10, 1)


class TestRepeats:
    """Repeats of an item move together; cross pairs, never index to index."""

    def test_means_over_cross_pairs(self) -> None:
        before = make_run([answer(0, right, seed=seed) for seed, right in enumerate([True, True, False])])
        after = make_run([answer(0, right, seed=seed) for seed, right in enumerate([True, False])])
        found = shares(before, after)
        assert found["lost"] == pytest.approx(2 / 3 * 1 / 2)
        assert found["gained"] == pytest.approx(1 / 3 * 1 / 2)

    def test_a_steady_grade_has_lost_nothing(self) -> None:
        """p_b (1 − p_a) would read .25 for a deterministic F1 of .5 on both sides."""
        rows = [{"item_id": "1", "question": "q", "f1": 0.5, "seed": seed} for seed in range(3)]
        found = shares(make_run(rows, score="f1"), make_run(rows, score="f1"))
        assert (found["lost"], found["gained"], found["kept"]) == (0, 0, None)

    @settings(max_examples=40)
    @given(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=4),
        st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=4),
    )
    def test_lost_minus_gained_is_the_change_of_the_score(self, before: list[float], after: list[float]) -> None:
        def run(values: list[float]) -> Run:
            fixed = [{"item_id": "2", "question": "p", "rating": value, "seed": 0} for value in (0.3,)]
            return make_run(
                [{"item_id": "1", "question": "q", "rating": v, "seed": s} for s, v in enumerate(values)] + fixed
            )

        found = shares(run(before), run(after))
        crossed = [max(b - a, 0) for b in before for a in after]
        assert found["lost"] == pytest.approx(sum(crossed) / len(crossed) / 2, abs=1e-12)
        assert found["lost"] - found["gained"] == pytest.approx(found["acc_before"] - found["acc_after"], abs=1e-12)

    def test_seeds_are_repeats_whatever_their_numbers(self) -> None:
        rows = [answer(n, True, seed=seed) for n in range(3) for seed in (1234, 7, 99)]
        run = make_run(rows)
        assert run.info.counts["repeats"] == 3
        assert pair_runs(run, run).pairing.paired == 3

    def test_one_log_twice_is_refused(self) -> None:
        rows = [answer(n, True, seed=seed) for n in range(3) for seed in (0, 1)]
        doubled = make_run(rows)
        table = pl.concat([doubled.samples, doubled.samples])
        twice = Run(doubled.info, table.lazy(), source="doubled")
        with pytest.raises(PairingError, match="stand twice"):
            pair_runs(twice, doubled)


class TestScores:
    """Which score is compared, and on what scale."""

    def rows(self, **values: float) -> list[dict[str, Any]]:
        return [{"question": "q", "metric": name, "value": value} for name, value in values.items()]

    def test_scores_outside_their_scale_make_no_transitions(self) -> None:
        before = make_run([{"question": "q1", "rating": 7.0}, {"question": "q2", "rating": 3.0}])
        after = make_run([{"question": "q1", "rating": 4.0}, {"question": "q2", "rating": 3.0}])
        found = compare(before, after)
        assert found.pair.pairing.paired == 2
        assert {found.total.observed[name] for name in ("acc_before", "acc_after", "lost", "gained", "kept")} == {None}
        assert any("7" in warning and "--scale" in warning for warning in found.warnings)
        graded = shares(before, after, scale=(1, 10))
        assert graded["lost"] == pytest.approx((3 / 9) / 2)
        binary = shares(before, after, threshold=5)
        assert (binary["lost"], binary["kept"], binary["never"]) == (0.5, 0.0, 0.5)

    def test_a_task_off_its_scale_does_not_spoil_the_total(self) -> None:
        rows = [answer(1, True, task="good"), {**answer(2, None, task="bad"), "score": 55.0}]
        found = compare(make_run(rows), make_run(rows))
        assert found.total.observed["acc_before"] == 1
        assert found.total.task_names == ("good",)
        assert {cell.name for cell in found.at("task")} == {"good", "bad"}

    def test_less_may_be_better(self) -> None:
        before, after = (make_run([{"question": "q", "metric": "brier", "value": v}]) for v in (0.2, 0.5))
        assert shares(before, after)["lost"] == pytest.approx(0.3)
        assert shares(before, after, threshold=0.3)["lost"] == 1

    def test_an_unknown_scorer_is_refused_with_those_there_are(self) -> None:
        run = make_run(self.rows(em=1, f1=0.5))
        with pytest.raises(MissingDataError, match="none/em, none/f1"):
            compare(run, run, metric="rouge")
        assert shares(run, run, metric="f1")["acc_before"] == 0.5

    def test_scale_and_threshold_exclude_each_other(self) -> None:
        with pytest.raises(UsageError, match="exclude"):
            Scale(0.5, 0, 1)
        with pytest.raises(UsageError, match="smaller"):
            Scale(None, 10, 1)

    def test_rules_that_differ_behind_one_name_are_avoided(self) -> None:
        import msgspec

        before, after = make_run(self.rows(pred=1, extracted=1)), make_run(self.rows(pred=0, extracted=1))
        for run, rule in ((before, "early"), (after, "late")):
            run.info.metrics = [
                msgspec.structs.replace(m, regime=rule if m.metric == "pred" else "one", default=m.metric == "pred")
                for m in run.info.metrics
            ]
        pair = pair_runs(before, after)
        assert pair.choices[0].before.metric == "extracted"
        assert any("different rules" in warning for warning in pair.warnings)


def test_settings_that_differ_are_listed() -> None:
    before, after = make_run([answer(1, True)]), make_run([answer(1, True)])
    before.info.settings, after.info.settings = {"temperature": 0.0}, {"temperature": 0.6}
    before.info.task_settings, after.info.task_settings = {"table": {"num_fewshot": 5}}, {"table": {"num_fewshot": 0}}
    listed = {
        entry["setting"]: (entry["before"], entry["after"])
        for entry in pair_runs(before, after).pairing.settings_that_differ
    }
    assert listed == {"temperature": (0.0, 0.6), "num_fewshot (table)": (5, 0)}


def test_a_changed_prompt_is_said_and_graded() -> None:
    before = make_run([answer(n, True, prompt=f"P {n}") for n in range(4)], prompt="prompt", question="question")
    after = make_run(
        [answer(n, True, prompt=f"P {n}" if n else "Other") for n in range(4)], prompt="prompt", question="question"
    )
    assert pair_runs(before, before).pairing.grade == "A"
    pair = pair_runs(before, after)
    assert (pair.pairing.grade, pair.pairing.prompts_changed) == ("B", 1)
    assert any("prompt changed" in warning for warning in pair.warnings)
    assert pair_runs(*[make_run([answer(n, True) for n in range(4)])] * 2).pairing.grade is None


def test_different_numbers_of_options_leave_no_chance_reading() -> None:
    before = make_run([{"item_id": "1", "n_options": 4, "correct": 1}, {"item_id": "2", "n_options": 4, "correct": 1}])
    after = make_run([{"item_id": "1", "n_options": 5, "correct": 1}, {"item_id": "2", "n_options": 4, "correct": 1}])
    found = compare(before, after)
    assert found.total.chance is not None
    assert found.total.chance["items"] == 1
    assert any("different number of options" in warning for warning in found.warnings)


@pytest.mark.parametrize(("times_before", "times_after"), [(1, 3), (3, 1), (2, 3)])
def test_repeats_on_one_side_only(times_before: int, times_after: int) -> None:
    """Right once before, right in one of three after: lost is the share of cross pairs, whichever side has more."""
    before = make_run([answer(n, True, seed=s) for n in range(4) for s in range(times_before)])
    after = make_run([answer(n, s == 0, seed=s) for n in range(4) for s in range(times_after)])
    found = shares(before, after)
    assert found["lost"] == pytest.approx(1 - 1 / times_after)
    back = shares(after, before)
    assert back["gained"] == pytest.approx(1 - 1 / times_after)
