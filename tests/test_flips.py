"""Which flips come first, and which are marked."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from conftest import answer, make_run
from forgetmap import Run, read_run
from forgetmap.builder import RunBuilder
from forgetmap.errors import UsageError
from forgetmap.flips import LABEL_ERROR, NOISE, change_words, list_flips, score_words
from forgetmap.flips.listing import _described, _finished
from forgetmap.flips.marks import chance_of_dealing
from forgetmap.items import item_key
from forgetmap.pairing import Pair, pair_runs
from forgetmap.run import RunInfo
from forgetmap.testing import plant

OPTIONS = ["w", "x", "y", "z"]  # the gold is x


def run_of(items: dict[int, str], **more: Any) -> Run:
    """Items with their answers, a letter per repeat: xxy was right twice, then chose y; . is no answer."""
    return make_run(
        [
            answer(n, letter == "x", prediction=None if letter == "." else letter, repeat=turn, response=letter, **more)
            for n, letters in items.items()
            for turn, letter in enumerate(letters)
        ]
    )


def pair_of(before: dict[int, str], after: dict[int, str]) -> Pair:
    return pair_runs(run_of(before), run_of(after))


def ranked(items: dict[int, Sequence[float]], golds: int = 1) -> Run:
    """Items with the probabilities of their options, scored as acc: the most probable one is chosen."""
    rows = []
    for n, shares in items.items():
        best = max(range(4), key=lambda place: shares[place])
        row = answer(n, best == 1, prediction=OPTIONS[best], option_logprobs=[log(share) - 7 for share in shares])
        rows.append(row | {"gold": OPTIONS[1 : 1 + golds] if golds > 1 else "x"})
    return make_run(rows)


def column(found: pl.DataFrame, name: str) -> dict[str, Any]:
    return dict(found.select("native_id", name).iter_rows())


class TestConfidence:
    def test_the_lead_of_the_gold(self) -> None:
        before = ranked({1: (0.1, 0.6, 0.2, 0.1), 2: (0.05, 0.9, 0.03, 0.02), 3: (0.24, 0.26, 0.25, 0.25)})
        after = ranked(dict.fromkeys((1, 2, 3), (0.6, 0.2, 0.1, 0.1)))
        found = list_flips(pair_runs(before, after))
        assert found["native_id"].to_list() == ["2", "1", "3"]
        assert found["confidence"].to_list() == pytest.approx([0.85, 0.4, 0.01])
        assert found["marks"].to_list() == [[], [], []]

    def test_it_is_read_where_the_options_stood(self) -> None:
        """Log-probabilities and gold are in the order shown, whatever the order on the other side."""
        shuffled = [answer(1, False, prediction="z", option_logprobs=[log(p) for p in (0.7, 0.1, 0.15, 0.05)])]
        shuffled[0]["options"] = ["z", "w", "x", "y"]
        found = list_flips(pair_runs(make_run(shuffled), ranked({1: (0.1, 0.6, 0.2, 0.1)})), "gained")
        assert found["confidence"].to_list() == pytest.approx([0.4])
        assert found["marks"].to_list() == [[]]

    @pytest.mark.parametrize("log_name", ["lm_eval", "lighteval_v1", "lighteval_v2", "olmes"])
    def test_readers_keep_one_order(self, logs: Path, log_name: str) -> None:
        samples = read_run(logs / log_name / "before").samples
        raw = pl.col("metric").cast(pl.String).is_in(["acc", "acc_raw"])
        told = samples.filter(raw & pl.col("option_logprobs").is_not_null() & (pl.col("n_gold") == 1))
        leads = told["option_logprobs"].list.arg_max() == told["gold_index"]
        assert told.height >= 10
        assert (leads == told["correct"]).all()

    def test_without_log_probabilities_repeats_speak(self) -> None:
        found = list_flips(pair_of({1: "xxx", 2: "xxy"}, {1: "yyy", 2: "zzz"}))
        assert column(found, "confidence") == {"1": 1.0, "2": pytest.approx(2 / 3)}

    def test_one_answer_says_nothing(self) -> None:
        found = list_flips(pair_of({1: "x"}, {1: "y"}))
        assert found.select("confidence", "repeats_wrong").row(0) == (None, None)

    def test_several_golds_have_no_lead(self) -> None:
        """Only the first gold's position is on record: the best other option may be right as well."""
        before, after = ranked({1: (0.1, 0.6, 0.2, 0.1)}, golds=2), ranked({1: (0.6, 0.2, 0.1, 0.1)}, golds=2)
        assert list_flips(pair_runs(before, after))["confidence"].to_list() == [None]


class TestOrder:
    def test_lost_in_all_repeats_and_sure_before_come_first(self) -> None:
        before = {1: "xxxxxx", 2: "xxxxxx", 3: "xxxxxy", 4: "x" * 6}
        after = {1: "zyyyyx", 2: "yyyzzw", 3: "yyywwz", 4: "yyyzzw"}
        found = list_flips(pair_of(before, after))
        assert {*found["native_id"][:2]} == {"2", "4"}
        assert found["native_id"][2:].to_list() == ["3", "1"]
        assert column(found, "repeats_wrong") == {"2": 1.0, "4": 1.0, "3": 1.0, "1": pytest.approx(5 / 6)}

    def test_marked_items_come_last(self) -> None:
        found = list_flips(pair_of({1: "xxxx", 2: "xxxx"}, {1: "xyyx", 2: "yzyz"}))
        assert found.select("native_id", "marks").rows() == [("2", []), ("1", [NOISE])]

    def test_gained_is_the_mirror(self) -> None:
        before, after = {1: "xxxx", 2: "xxxy", 3: "xxxx"}, {1: "yzyz", 2: "yzwz", 3: "yzyx"}
        lost, gained = list_flips(pair_of(before, after)), list_flips(pair_of(after, before), "gained")
        shared = ["native_id", "confidence", "repeats_wrong", "shared_by", "marks"]
        assert lost.select(shared).equals(gained.select(shared))

    def test_grades_by_the_size_of_the_fall(self) -> None:
        def run(grades: dict[int, float]) -> Run:
            return make_run([{"id": n, "question": f"q{n}", "gold": "a", "score": s} for n, s in grades.items()])

        found = list_flips(pair_runs(run({1: 0.9, 2: 0.9, 3: 0.5}), run({1: 0.8, 2: 0.1, 3: 0.5})))
        assert found["native_id"].to_list() == ["2", "1"]

    def test_rows_in_any_order_give_the_same_list(self) -> None:
        planted = plant(300, lost=0.2, repeats=3, seed=3, texts=True)
        shuffled = [
            Run(run.info, run.samples.sample(fraction=1, shuffle=True, seed=7).lazy(), run.texts())
            for run in (planted.before, planted.after)
        ]
        found, again = (list_flips(pair_runs(*runs)) for runs in ((planted.before, planted.after), shuffled))
        assert found.height > 20
        assert found.equals(again)

    def test_unknown_transitions(self) -> None:
        with pytest.raises(UsageError, match="'flipped'; it must be one of lost, gained, kept, never"):
            list_flips(pair_of({1: "x"}, {1: "y"}), "flipped")


class TestShown:
    def test_the_reply_makes_the_flip_visible(self) -> None:
        pair = pair_of({1: "yxx", 2: "yyx"}, {1: "xyz", 2: "xxx"})
        assert list_flips(pair).select("response_before", "response_after").row(0) == ("x", "y")
        assert list_flips(pair, "gained").select("response_before", "response_after").row(0) == ("y", "x")

    def test_where_less_is_better_the_best_is_the_least(self) -> None:
        def run(losses: Sequence[float]) -> Run:
            rows = [
                {
                    "id": 1,
                    "question": "q",
                    "gold": "a",
                    "metric": "wer",
                    "score": loss,
                    "repeat": turn,
                    "response": loss,
                }
                for turn, loss in enumerate(losses)
            ]
            return make_run(rows)

        found = list_flips(pair_runs(run([0.4, 0.1]), run([0.6, 0.9])))
        assert found.select("response_before", "response_after").row(0) == ("0.1", "0.9")

    def test_kept_items_carry_no_marks(self) -> None:
        pair = pair_of({1: "xy", 2: "yy"}, {1: "yx", 2: "yy"})
        for transition in ("kept", "never"):
            found = list_flips(pair, transition)
            assert found.select("marks", "repeats_wrong").rows() == [([], None)]


def spoken(state: str, score: float, *, read: str | None, picked: int | None, options: bool = True) -> Run:
    """One reply under two scores: `pred` is compared, `read` is what another rule makes of the text."""
    builder = RunBuilder(source="made", texts=True)
    shown, index = (OPTIONS, 1) if options else (None, None)
    question = builder.item(
        "t", key=item_key(["q"], shown, ["x"]), question="q", options=shown, gold=["x"], gold_index=index
    )
    builder.reply(question, response="Whatever it says.", choice=read)
    named = {"choice_index": picked} if options else {"choice": None if picked is None else OPTIONS[picked]}
    builder.sample(question, scorer="pred", metric="acc", score=score, state=state, **named)
    builder.sample(question, scorer="extracted", metric="acc", score=0.0, state="answered", choice_index=2)
    return builder.finish(
        RunInfo(model="m"), metrics=lambda _task, scorer, _metric: {"binary": True, "default": scorer == "pred"}
    )


class TestRepliesWithoutAnAnswer:
    """A state that says no answer never stands beside a choice without a word on it."""

    right = spoken("answered", 1.0, read="x", picked=1)

    @pytest.mark.parametrize(
        ("after", "note"),
        [
            (
                spoken("no_answer", 0.0, read="y", picked=None),
                "the score compared found no answer; another rule reads 'y'",
            ),
            (spoken("no_answer", 0.0, read="y", picked=2), "the log scored 'y'; the reply names no option"),
            (spoken("refused", 0.0, read="y", picked=2), "the log scored 'y'; the reply is a refusal"),
            (spoken("no_answer", 0.0, read=None, picked=None), None),
            (spoken("answered", 0.0, read="y", picked=2), None),
        ],
        ids=["another rule", "a letter of the log's", "refused", "nothing read", "answered"],
    )
    def test_what_is_said(self, after: Run, note: str | None) -> None:
        row = list_flips(pair_runs(self.right, after)).row(0, named=True)
        assert row["note_after"] == note
        assert row["note_before"] is None
        assert row["choice_after"] == (None if row["state_after"] != "answered" else "y")

    def test_a_point_without_an_answer(self) -> None:
        """A letter that the engine draws where the reply names none is right now and then."""
        lucky = spoken("no_answer", 1.0, read=None, picked=None)
        found = list_flips(pair_runs(lucky, spoken("answered", 0.0, read="y", picked=2)))
        assert found["note_before"].to_list() == ["the log scored this right; the reply names no option"]

    def test_without_options(self) -> None:
        before, after = (
            spoken("answered", 1.0, read="x", picked=1, options=False),
            spoken("no_answer", 0.0, read="y", picked=2, options=False),
        )
        found = list_flips(pair_runs(before, after))
        assert found["note_after"].to_list() == ["the log scored 'y'; the reply names no answer"]

    def test_who_keeps_fewer_columns_says_less(self) -> None:
        """The explorer keeps a part of a described table: what it does not know it does not say."""
        pair = pair_runs(self.right, spoken("no_answer", 0.0, read="y", picked=2))
        table = _described(pair, pair.items, "lost", ())
        row = _finished(table.drop("_chose_after", "_picked_after"), pair, None).row(0, named=True)
        assert row["note_after"] == ("the state on record is no answer, yet 'y' is on record as read from the reply")
        assert row["choice_after"] is None

    def test_the_choice_is_that_of_the_score_compared(self) -> None:
        found = list_flips(pair_runs(self.right, spoken("answered", 0.0, read="w", picked=3)))
        assert found["choice_after"].to_list() == ["z"]

    def test_long_answers_are_cut(self) -> None:
        found = list_flips(pair_runs(self.right, spoken("no_answer", 0.0, read="y\n" + "long " * 100, picked=None)))
        note = found["note_after"][0]
        assert len(note) < 200 and "\n" not in note and note.endswith("…'")


class TestScoresInWords:
    @pytest.mark.parametrize(
        ("before", "after", "kind", "scores", "change"),
        [
            ({1: "x"}, {1: "y"}, "binary", ["right", "wrong"], None),
            (
                {1: "xxxy"},
                {1: "yxyz"},
                "binary",
                ["right in 3 of 4 repeats", "right in 1 of 4 repeats"],
                "right in 3 of 4 repeats → 1 of 4",
            ),
        ],
    )
    def test_answers(
        self, before: dict[int, str], after: dict[int, str], kind: str, scores: list[str], change: str | None
    ) -> None:
        row = list_flips(pair_of(before, after)).row(0, named=True)
        assert row["kind"] == kind
        assert [score_words(row, side) for side in ("before", "after")] == scores
        assert change_words(row) == change

    @pytest.mark.parametrize("repeats", [1, 2])
    def test_grades_are_not_right_or_wrong(self, repeats: int) -> None:
        def run(grades: Sequence[float]) -> Run:
            return make_run(
                [
                    {"id": n, "question": f"q{n}", "gold": "a", "score": grade, "repeat": turn}
                    for n, grade in enumerate(grades)
                    for turn in range(repeats)
                ]
            )

        rows = list_flips(pair_runs(run([1.0, 0.8]), run([0.0, 0.3]))).to_dicts()
        mean, of = ("", "") if repeats == 1 else ("mean ", " of 2 repeats")
        assert [[score_words(row, side) for side in ("before", "after")] for row in rows] == [
            [f"{mean}score 1{of}", f"{mean}score 0{of}"],
            [f"{mean}score 0.8{of}", f"{mean}score 0.3{of}"],
        ]
        assert [change_words(row) for row in rows] == [f"{mean}score 1 → 0", f"{mean}score 0.8 → 0.3"]


class TestNoise:
    @pytest.mark.parametrize(
        ("before", "after", "noise"),
        [
            ("xxxx", "xxyy", True),  # three in fourteen deals of six right answers fall this way
            ("xxxx", "xyyy", False),
            ("xxxx", "yyyy", False),
            ("xy", "yy", True),
            ("xx", "yy", False),  # neither side disagrees with itself
            ("xxxxxxxx", "yyyyyyyx", False),
            ("x", "xyyy", True),
            ("xxxy", "y", True),
            ("xxxxxxxx", "xxxxxxxy", True),
        ],
    )
    def test_repeats_that_disagree_with_themselves(self, before: str, after: str, noise: bool) -> None:
        for pair, transition in (
            (pair_of({1: before}, {1: after}), "lost"),
            (pair_of({1: after}, {1: before}), "gained"),
        ):
            assert list_flips(pair, transition)["marks"].to_list() == [[NOISE] if noise else []]

    @given(more=st.integers(1, 9), fewer=st.integers(1, 9), data=st.data())
    def test_the_deal_is_fishers(self, more: int, fewer: int, data: st.DataObject) -> None:
        a, b = data.draw(st.integers(0, more)), data.draw(st.integers(0, fewer))
        expected = fisher_exact([[a, more - a], [b, fewer - b]], alternative="greater").pvalue
        assert chance_of_dealing(more, a / more, fewer, b / fewer) == pytest.approx(expected)

    def test_level_options(self) -> None:
        level, clear = (0.24, 0.26, 0.25, 0.25), (0.1, 0.6, 0.2, 0.1)
        other, far = (0.26, 0.25, 0.25, 0.24), (0.6, 0.2, 0.1, 0.1)
        pair = pair_runs(ranked({1: level, 2: level, 3: clear}), ranked({1: other, 2: far, 3: other}))
        assert column(list_flips(pair), "marks") == {"1": [NOISE], "2": [], "3": []}

    @pytest.mark.parametrize(("after", "noise"), [([0.2, 0.6], True), ([0.2, 0.3], False)])
    def test_grades_whose_ranges_overlap(self, after: list[float], noise: bool) -> None:
        def run(grades: Sequence[float]) -> Run:
            rows = [
                {"id": 1, "question": "q", "gold": "a", "score": s, "repeat": turn} for turn, s in enumerate(grades)
            ]
            return make_run(rows)

        found = list_flips(pair_runs(run([0.5, 0.9]), run(after)))
        assert found["marks"].to_list() == [[NOISE] if noise else []]

    def test_most_of_what_sampling_alone_flips_is_marked(self) -> None:
        """One model asked twice eight times: a coin per item, nothing lost."""
        import numpy as np

        rng = np.random.default_rng(1)
        right = rng.random(400)
        sides = [
            {n: "".join("x" if rng.random() < share else "y" for _ in range(8)) for n, share in enumerate(right)}
            for _ in range(2)
        ]
        found = list_flips(pair_of(*sides))
        assert found.height > 100
        marked = found.filter(pl.col("marks").list.contains(NOISE)).height / found.height
        assert marked > 0.8


class TestLabelErrors:
    def test_both_sides_prefer_one_other_option(self) -> None:
        found = list_flips(pair_of({1: "yyyyx", 2: "zzzzx", 3: "yyzzx"}, {1: "yyyyy", 2: "yyyyy", 3: "yyyyy"}))
        assert {n: LABEL_ERROR in marks for n, marks in column(found, "marks").items()} == {
            "1": True,
            "2": False,
            "3": False,
        }

    def test_log_probabilities_that_lean_the_same_way(self) -> None:
        """Under a length-normalised score the raw log-probabilities may have preferred another option all along."""
        rows = [
            answer(
                1, correct, prediction="x" if correct else "y", option_logprobs=[log(p) for p in (0.1, 0.3, 0.5, 0.1)]
            )
            for correct in (True, False)
        ]
        found = list_flips(pair_runs(make_run(rows[:1]), make_run(rows[1:])))
        assert found["marks"].to_list() == [[LABEL_ERROR]]
        shuffled = rows[1] | {"options": ["x", "w", "y", "z"]}
        found = list_flips(pair_runs(make_run(rows[:1]), make_run([shuffled])))
        assert found["marks"].to_list() == [[]]  # positions of another order do not compare
        for row in rows:
            row["option_logprobs"] = [log(p) for p in (0.1, 0.5, 0.3, 0.1)]
        assert list_flips(pair_runs(make_run(rows[:1]), make_run(rows[1:])))["marks"].to_list() == [[]]

    def test_every_after_agrees(self) -> None:
        before = dict.fromkeys(range(1, 6), "x")
        afters = [
            {1: "y", 2: "y", 3: "y", 4: "y", 5: "."},
            {1: "y", 2: "z", 3: "x", 4: ".", 5: "y"},
            {1: "y", 2: "y", 3: "y", 4: "y", 5: "."},
        ]
        first, *others = (pair_of(before, after) for after in afters)
        found = list_flips(first, others=others)
        assert column(found, "marks") == {"1": [LABEL_ERROR], "2": [], "3": [], "4": [LABEL_ERROR], "5": []}
        assert column(found, "shared_by") == {"1": 3, "2": 3, "3": 2, "4": 3, "5": 3}
        assert [{*found["native_id"][part]} for part in (slice(2), slice(2, 3), slice(3, 5))] == [
            {"2", "5"}, {"3"}, {"1", "4"},
        ]  # fmt: skip
        assert list_flips(first)["marks"].list.len().sum() == 0  # one after is no evidence

    def test_a_model_that_was_sure_does_not_dispute(self) -> None:
        sure, unsure, wrong = (0.02, 0.9, 0.05, 0.03), (0.1, 0.45, 0.4, 0.05), (0.1, 0.2, 0.6, 0.1)
        before = ranked({1: sure, 2: unsure})
        first, second = (pair_runs(before, ranked({1: wrong, 2: wrong})) for _ in range(2))
        found = list_flips(first, others=[second])
        assert column(found, "marks") == {"1": [], "2": [LABEL_ERROR]}

    def test_copies_of_an_item_are_told_apart(self) -> None:
        def run(answers: dict[str, str]) -> Run:
            rows = [answer(0, a == "x", prediction=a) | {"item_id": n, "question": "Same?"} for n, a in answers.items()]
            return make_run([*rows, answer(1, True, prediction="x")])

        before = run({"a": "x", "b": "x"})
        first, second = (pair_runs(before, run(after)) for after in ({"a": "y", "b": "y"}, {"a": "x", "b": "z"}))
        assert column(list_flips(first, others=[second]), "shared_by") == {"a": 1, "b": 2}
        alone = list_flips(pair_runs(before, run({"b": "y"})))
        assert alone.select("native_id", "choice_after").rows() == [("b", "y")]
