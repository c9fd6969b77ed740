"""Repeats: their kind, and how runs become repeats of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conftest import answer, make_run
from forgetmap import Run, compare, read_run
from forgetmap.errors import RunError, UsageError
from forgetmap.repeats import declare_repeats, join_repeats, repeat_kind
from forgetmap.testing import plant

OPTIONS = ["w", "x", "y", "z"]


def asked(items: int = 20, *, right: Any = lambda n: n % 2 == 0, model: str = "m", **more: Any) -> Run:
    """One answer to each of a few questions; `prompt` is the prompt's opening words."""
    prompt = more.pop("prompt", "Q:")
    rows = [
        answer(n, right(n), prediction="x" if right(n) else "y", full=f"{prompt} Question {n}?", **more)
        for n in range(items)
    ]
    return make_run(rows, model=model, prompt="full")


def undeclared(run: Run) -> Run:
    run.info.repeat_kind = None
    return run


class TestKind:
    def test_one_answer_has_none(self) -> None:
        assert repeat_kind(asked()) is None

    def test_what_was_declared_holds(self) -> None:
        assert repeat_kind(join_repeats([asked(), asked(right=lambda n: True)], "format")) == "format"

    def test_answers_that_differ_without_a_word_on_decoding_are_of_another_seed(self) -> None:
        joined = undeclared(join_repeats([asked(), asked(right=lambda n: n > 3)], "seed"))
        assert repeat_kind(joined) == "seed"

    def test_answers_that_do_not_differ_are_numeric(self) -> None:
        again = asked()
        again.info.content_hash = "another"
        assert repeat_kind(undeclared(join_repeats([asked(), again], "numeric"))) == "numeric"

    @pytest.mark.parametrize(("temperature", "expected"), [(0.8, "seed"), (0, "numeric")])
    def test_decoding_decides_where_it_is_known(self, temperature: float, expected: str) -> None:
        joined = undeclared(join_repeats([asked(), asked(right=lambda n: n > 3)], "seed"))
        joined.info.settings["temperature"] = temperature
        assert repeat_kind(joined) == expected

    def test_another_wording(self) -> None:
        joined = undeclared(join_repeats([asked(), asked(prompt="Please answer.")], "prompt"))
        joined.info.settings["temperature"] = 0.8  # the prompt is the larger difference
        assert repeat_kind(joined) == "prompt"

    def test_a_gold_that_moved(self) -> None:
        joined = undeclared(join_repeats([asked(), asked(options=OPTIONS[::-1], prompt="R:")], "order"))
        assert repeat_kind(joined) == "order"
        assert joined.info.counts["items"] == 20  # shuffled options are the same item

    def test_one_stray_prompt_decides_nothing(self) -> None:
        rows = [
            answer(n, bool(r), repeat=r, full="other" if (n, r) == (3, 1) else f"Question {n}?")
            for n in range(20)
            for r in (0, 1)
        ]
        assert repeat_kind(make_run(rows, prompt="full")) == "seed"

    def test_tasks_are_told_apart(self) -> None:
        rows = [
            answer(n, bool(r) if task == "a" else True, repeat=r, task=task)
            for task, items in (("a", 5), ("b", 9))
            for n in range(items)
            for r in (0, 1)
        ]
        run = make_run(rows)
        assert [repeat_kind(run, tasks) for tasks in (["a"], ["b"], None, ["c"])] == [
            "seed",
            "numeric",
            "numeric",
            None,
        ]

    def test_the_default_score_is_looked_at(self) -> None:
        rows = [
            {
                "id": n,
                "question": f"q{n}",
                "gold": "a",
                "repeat": turn,
                "metric": name,
                "score": float(turn and name == "b"),
            }
            for n in range(5)
            for turn in (0, 1)
            for name in ("a", "b")
        ]
        run = make_run(rows)
        assert [m.metric for m in run.info.metrics if m.default] == ["a"]
        assert repeat_kind(run) == "numeric"

    def test_real_logs(self, logs: Path) -> None:
        assert repeat_kind(read_run(logs / "evalplus" / "before")) == "seed"
        assert repeat_kind(read_run(logs / "helm" / "gsm_perturbed")) == "numeric"
        # The default score is pass@3 of three repeats; the repeats are under another one.
        assert repeat_kind(read_run(logs / "lm_eval" / "v0_5_0_dev1")) == "seed"

    def test_order_of_rows_does_not_matter(self) -> None:
        before = plant(200, repeats=3, seed=5).before
        shuffled = Run(before.info, before.samples.sample(fraction=1, shuffle=True, seed=1).lazy())
        assert repeat_kind(before) == repeat_kind(shuffled) == "seed"


class TestJoin:
    def test_answers_become_repeats(self) -> None:
        first, second = asked(), asked(right=lambda n: n % 3 == 0)
        joined = join_repeats([first, second], "seed")
        assert joined.info.counts["repeats"] == 2
        assert joined.info.counts["items"] == 20
        assert (joined.info.repeat_kind, joined.name) == ("seed", "m")
        scores = dict(joined.samples.group_by("repeat").agg(pl.col("score").sum()).iter_rows())
        assert scores == {0: 10.0, 1: 7.0}
        assert joined.samples.group_by("item_low", "occurrence").len()["len"].unique().to_list() == [2]

    def test_texts_stay_with_their_answers(self) -> None:
        joined = join_repeats([asked(response="first"), asked(response="second", right=lambda n: n > 9)], "seed")
        table = joined.samples.select("repeat", "native_id", "text_row").join(joined.texts(), on="text_row")
        assert table.height == 40
        assert set(table.select("repeat", "response").iter_rows()) == {(0, "first"), (1, "second")}
        assert table.select((pl.col("question") == "Question " + pl.col("native_id") + "?").all()).item()

    def test_runs_with_repeats_keep_them_apart(self) -> None:
        parts = plant(50, repeats=(3, 2), seed=1)
        joined = join_repeats([parts.before, parts.after], "seed", force=True)
        assert joined.info.counts["repeats"] == 5
        assert joined.samples.group_by("item_low").len()["len"].unique().to_list() == [5]

    def test_copies_of_an_item_meet_their_own(self) -> None:
        def run(flip: bool, shuffle: bool) -> Run:
            rows = [
                {**answer(0, right != flip), "item_id": name, "question": "Same?"}
                for name, right in (("a", True), ("b", False))
            ]
            return make_run([*(rows[::-1] if shuffle else rows), answer(1, flip)], model="m")

        samples = join_repeats([run(False, False), run(False, True), run(True, True)], "numeric").samples
        copies = samples.filter(pl.col("native_id").is_in(["a", "b"]))
        assert copies.group_by("native_id").agg(pl.col("occurrence").n_unique())["occurrence"].to_list() == [1, 1]
        right = dict(copies.sort("repeat").group_by("native_id").agg("score").iter_rows())
        assert right == {"a": [1.0, 1.0, 0.0], "b": [0.0, 0.0, 1.0]}

    def test_settings_that_differ_are_listed(self) -> None:
        first, second = asked(), asked(right=lambda n: n > 3)
        first.info.settings, second.info.settings = {"seed": 0, "dtype": "bf16"}, {"seed": 1, "dtype": "bf16"}
        first.info.task_settings = {"table": {"max_tokens": 5}}
        second.info.task_settings = {"table": {"max_tokens": 9}, "other": {"max_tokens": 1}}
        joined = join_repeats([first, second], "seed")
        assert joined.info.settings == {"seed": [0, 1], "dtype": "bf16"}
        assert joined.info.task_settings == {"table": {"max_tokens": [5, 9]}, "other": {"max_tokens": 1}}
        assert [warning for warning in joined.info.warnings if "max_tokens" in warning]
        assert not [warning for warning in joined.info.warnings if "in seed too" in warning]

    def test_metrics_keep_what_is_known(self, logs: Path) -> None:
        run = read_run(logs / "lm_eval" / "before")
        again = read_run(logs / "lm_eval" / "before")
        again.info.content_hash = "another"
        joined = join_repeats([run, again], "numeric")
        assert joined.info.metrics == run.info.metrics
        assert joined.info.groups == run.info.groups
        assert joined.info.counts["items"] == run.info.counts["items"]
        assert len(joined.info.warnings) == len(set(joined.info.warnings))

    def test_a_default_score_is_one_that_all_have(self) -> None:
        rows = [{"item_id": str(n), "question": f"q{n}", "gold": "a", "score": float(n % 2)} for n in range(6)]
        first = make_run([{**row, "metric": name} for row in rows for name in ("old", "both")], model="m")
        second = make_run([{**row, "metric": "both"} for row in rows], model="m")
        assert [m.metric for m in first.info.metrics if m.default] == ["old"]
        joined = join_repeats([first, second], "numeric")
        assert [m.metric for m in joined.info.metrics if m.default] == ["both"]

    def test_it_saves_and_loads(self, tmp_path: Path) -> None:
        joined = join_repeats([asked(), asked(right=lambda n: n > 3)], "prompt")
        loaded = Run.load(joined.save(tmp_path / "run"))
        assert loaded.info.repeat_kind == "prompt"
        assert loaded.texts().height == 40
        assert repeat_kind(loaded) == "prompt"

    def test_joined_runs_compare(self) -> None:
        planted = [plant(300, lost=0.1, seed=seed, texts=True) for seed in (1, 1, 2, 2)]
        before = join_repeats([planted[0].before, planted[2].before], "seed")
        after = join_repeats([planted[1].after, planted[3].after], "seed")
        assert compare(before, after).pair.pairing.paired == 300


class TestRefusals:
    def test_kinds_are_five(self) -> None:
        with pytest.raises(UsageError, match="'tries'; it must be one of seed, numeric, prompt, order, format"):
            join_repeats([asked(), asked()], "tries")

    def test_one_run_is_no_repeat(self) -> None:
        with pytest.raises(UsageError, match="two or more"):
            join_repeats([asked()], "seed")
        with pytest.raises(UsageError, match="one answer per item"):
            declare_repeats(asked(), "seed")

    def test_different_models(self) -> None:
        runs = [asked(model="a"), asked(model="b", right=lambda n: n > 3)]
        with pytest.raises(UsageError, match=r"2 models \(a, b\).*--same-model"):
            join_repeats(runs, "seed")
        assert join_repeats(runs, "seed", force=True).name == "a"
        runs[1].info.model, runs[0].info.model_revision, runs[1].info.model_revision = "a", "1", "2"
        with pytest.raises(UsageError, match="2 revisions"):
            join_repeats(runs, "seed")

    def test_a_log_given_twice(self, logs: Path) -> None:
        run = read_run(logs / "lm_eval" / "v0_4_5")
        with pytest.raises(UsageError, match="given twice"):
            join_repeats([run, run], "numeric")

    def test_nothing_in_common(self) -> None:
        other = make_run([answer(n, True) for n in range(100, 120)], model="m")
        with pytest.raises(RunError, match="share no item"):
            join_repeats([asked(), other], "prompt")


class TestWarnings:
    def said(self, runs: list[Run], kind: str) -> str:
        return "; ".join(join_repeats(runs, kind).info.warnings)

    def test_tasks_and_items_that_some_runs_lack(self) -> None:
        first = make_run([answer(n, True, task=task) for task in ("a", "b") for n in range(10)], model="m")
        second = make_run([answer(n, False, task="a") for n in range(7)], model="m")
        said = self.said([first, second], "seed")
        assert "not in all of the 2 runs: b;" in said
        assert "3 of 10 items are not in all" in said

    def test_prompts_that_speak_against_the_kind(self) -> None:
        assert "20 of 20 items were asked with different prompts" in self.said([asked(), asked(prompt="R:")], "seed")
        assert "the same prompt each time" in self.said([asked(), asked(right=lambda n: n > 3)], "prompt")
        assert self.said([asked(), asked(prompt="R:", right=lambda n: n > 3)], "prompt") == ""

    def test_a_greedy_seed(self) -> None:
        runs = [asked(), asked(right=lambda n: n > 3)]
        for run in runs:
            run.info.settings = {"temperature": 0}
        assert "another seed changes nothing" in self.said(runs, "seed")
        assert self.said(runs, "numeric") == ""

    def test_the_same_answers(self) -> None:
        assert "show no noise at all" in self.said([asked(), asked(prompt="R:")], "prompt")

    def test_different_rules_of_scoring(self) -> None:
        runs = [asked(), asked(right=lambda n: n > 3)]
        import msgspec

        runs[1].info.metrics = [msgspec.structs.replace(m, regime="new") for m in runs[1].info.metrics]
        runs[0].info.metrics = [msgspec.structs.replace(m, regime="old") for m in runs[0].info.metrics]
        assert "different rules" in self.said(runs, "seed")

    def test_texts_that_one_run_lacks(self) -> None:
        bare = plant(20, seed=1).before
        joined = join_repeats([plant(20, seed=2, texts=True).before, bare], "seed")
        assert "no texts in planted before" in "; ".join(joined.info.warnings)
        assert joined.texts().height == 20
