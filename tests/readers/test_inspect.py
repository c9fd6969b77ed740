"""The Inspect reader on logs that inspect_ai 0.3.285 wrote (tests/formats/make_inspect.py), and on changed copies."""

from __future__ import annotations

import json
import random
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from forgetmap import items
from forgetmap.errors import FormatError
from forgetmap.map import compare
from forgetmap.readers import inspect, lm_eval
from forgetmap.readers.inspect import keys as choice_key_module
from forgetmap.readers.inspect.directory import Directory
from forgetmap.readers.inspect.documents import letters
from forgetmap.readers.inspect.keys import choice_keys, fold
from forgetmap.readers.source import ReadOptions, SafeZip, load_json
from forgetmap.run import Run

FORMATS = Path(__file__).parent.parent / "formats"
LOGS = FORMATS / "data" / "inspect"
sys.path.insert(0, str(FORMATS))
from planted import ITEMS, choice, fate, gsm8k_gold  # noqa: E402

ANATOMY = [item for item in ITEMS["mmlu"] if item["subject"] == "anatomy"]
BY_CONTENT = ["task", "item_high", "item_low", "repeat", "scorer", "metric"]


def read(path: Path, texts: bool = False) -> Run:
    return inspect.read(path, ReadOptions(texts=texts))


def table(run: Run, *without: str) -> pl.DataFrame:
    """The samples in an order of their own; `text_row` is the row of another table."""
    return run.samples.drop("text_row", *without).sort(BY_CONTENT)


def one(side: str, task: str) -> Path:
    [path] = (LOGS / side).glob(f"*_{task}_*.eval")
    return path


def members(path: Path) -> dict[str, bytes]:
    with SafeZip(path) as archive:
        return {name: archive.read(name) for name in archive.names}


def rewritten(source: Path, target: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """A copy of a log with its members changed, packed by deflate as older versions did."""
    content = members(source)
    change(content)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return target


def edited(content: dict[str, bytes], name: str, change: Callable[[Any], Any]) -> None:
    value = json.loads(content[name])
    changed = change(value)
    content[name] = json.dumps(value if changed is None else changed).encode()


def every_sample(content: dict[str, bytes], change: Callable[[dict[str, Any]], None]) -> None:
    """Apply a change to each sample where it stands: in the summaries and in its own member."""
    edited(content, "summaries.json", lambda rows: [change(row) for row in rows] and None)
    for name in content:
        if name.startswith("samples/"):
            edited(content, name, change)


@pytest.mark.parametrize("side", ["before", "after"])
def test_planted_choices_come_back_as_option_texts_whatever_letter_stood_before_them(side: str) -> None:
    run = read(one(side, "mmlu-anatomy"), texts=True)
    rows = run.samples.join(run.texts().drop("choice", "options"), on="text_row")
    assert rows.height == len(ANATOMY)
    chosen = dict(run.texts().select("question", "choice").iter_rows())
    for index, item in enumerate(ANATOMY):
        row = rows.row(by_predicate=pl.col("question") == item["question"], named=True)
        expected = choice(side, index, item["answer"], 4)
        assert chosen[item["question"]] == (None if expected is None else item["choices"][expected])
        assert row["score"] == float(fate(side, index) == "R")
        assert row["gold"] == [item["choices"][item["answer"]]]
        silent = "empty" if index == 7 else "no_answer"
        assert row["answer_state"] == (silent if expected is None else "answered")
        assert (row["n_options"], row["n_gold"], row["chance"]) == (4, 1, 0.25)
        assert row["category"] == ["anatomy"]


def test_letters_moved_in_the_after_log() -> None:
    moved = read(one("before", "mmlu-anatomy")).samples.join(
        read(one("after", "mmlu-anatomy")).samples, on=["item_high", "item_low"]
    )
    assert moved.height == len(ANATOMY)
    assert (moved["gold_index"] != moved["gold_index_right"]).any()  # else the fixture would prove nothing
    assert (moved["native_id"] != moved["native_id_right"]).any()
    assert (moved["gold_key"] == moved["gold_key_right"]).all()


def test_pairs_find_what_was_planted() -> None:
    found = compare(read(LOGS / "before"), read(LOGS / "after"), force=True).to_dict()
    cells = {cell["name"]: cell for cell in found["cells"] if cell["level"] == "task"}
    for task, count in (("mmlu:anatomy", len(ANATOMY)), ("gsm8k", len(ITEMS["gsm8k"]))):
        fates = [(fate("before", index) == "R", fate("after", index) == "R") for index in range(count)]
        assert cells[task]["items"] == count
        assert round(cells[task]["lost"] * count) == sum(was and not now for was, now in fates)
        assert round(cells[task]["gained"] * count) == sum(now and not was for was, now in fates)
    assert found["pairing"]["only_before"] == found["pairing"]["only_after"] == 0


def test_two_scorers_are_kept_and_the_headline_one_is_the_default() -> None:
    run = read(one("before", "gsm8k"))
    assert {(m.scorer, m.metric): m.default for m in run.info.metrics} == {
        ("match", "score"): True,
        ("pattern", "score"): False,
    }
    strict = run.samples.filter(pl.col("scorer") == "pattern")
    # every third right answer forgets the #### that the pattern wants
    assert strict.filter(pl.col("answer_state") == "no_answer").height == 3
    assert strict["score"].sum() == run.samples.filter(pl.col("scorer") == "match")["score"].sum() - 2


def test_the_headline_of_the_log_chooses_the_default(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        headline = {"scorer": "pattern", "score": "pattern", "metric": "accuracy"}
        edited(content, "header.json", lambda header: header["results"].update(headline=headline))

    run = read(rewritten(one("before", "gsm8k"), tmp_path / "log.eval", change))
    assert [m.scorer for m in run.info.metrics if m.default] == ["pattern"]


def test_items_have_the_keys_that_lm_eval_gives_them() -> None:
    ours = read(LOGS / "before").samples
    theirs = lm_eval.read(FORMATS / "data" / "lm_eval" / "before", ReadOptions()).samples
    for task, count in (("gsm8k", len(ITEMS["gsm8k"])), ("mmlu:anatomy", len(ANATOMY))):
        keys = [
            set(rows.filter(pl.col("task") == task).select("item_high", "item_low", "question_key").iter_rows())
            for rows in (ours, theirs)
        ]
        assert keys[0] == keys[1]
        assert len(keys[0]) == count


def test_gold_numbers_are_reduced_as_the_task_wants() -> None:
    golds = read(one("before", "gsm8k"), texts=True).texts()["gold"].to_list()
    assert sorted(golds) == sorted([gsm8k_gold(item).replace(",", "")] for item in ITEMS["gsm8k"])


def test_fixtures_are_packed_with_zstd() -> None:
    with zipfile.ZipFile(LOGS / "edge.eval") as archive:
        assert {member.compress_type for member in archive.infolist()} == {93}


def test_order_and_name_change_nothing(tmp_path: Path) -> None:
    def shuffle(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: random.Random(1).sample(rows, len(rows)))
        turned = dict(reversed(content.items()))
        content.clear()
        content.update(turned)

    source = one("before", "gsm8k")
    original = read(source)
    shuffled = read(rewritten(source, tmp_path / "log.eval", shuffle))
    assert original.samples["native_id"].to_list() != shuffled.samples["native_id"].to_list()
    assert_frame_equal(table(original), table(shuffled))
    shutil.copy(source, tmp_path / "other.zip")
    assert inspect.detects(tmp_path / "other.zip")
    assert_frame_equal(table(original), table(read(tmp_path / "other.zip")))
    assert original.info.content_hash == shuffled.info.content_hash


@pytest.mark.parametrize(("zipped", "plain"), [("edge.eval", "edge.json.gz"), ("pick_all.eval", "pick_all.json")])
def test_both_formats_give_one_run(zipped: str, plain: str) -> None:
    for texts in (False, True):
        left, right = read(LOGS / zipped, texts), read(LOGS / plain, texts)
        assert_frame_equal(table(left), table(right))
        assert left.info.task_settings == right.info.task_settings
    columns = ["question", "gold", "choice", "prompt", "response"]
    assert_frame_equal(left.texts().select(columns).sort(columns), right.texts().select(columns).sort(columns))


@pytest.mark.parametrize("name", ["edge.eval", "long.eval", "pick_all.eval", "unfinished.eval", "before", "after"])
def test_summaries_and_full_samples_agree(name: str) -> None:
    """Summaries of choice logs go to the table by the hundred, full samples one by one: two ways, one result."""
    # only the full sample knows the prompt and why the model stopped
    beyond = ("prompt_key", "stop_reason")
    assert_frame_equal(table(read(LOGS / name), *beyond), table(read(LOGS / name, texts=True), *beyond))


def test_choice_logs_find_their_texts_again() -> None:
    run = read(LOGS / "after")  # two logs share one table of texts
    rows = run.samples.filter(pl.col("task") == "mmlu:anatomy").join(run.texts(), on="text_row")
    assert rows.height == len(ANATOMY)
    asked = {item["question"]: item for item in ANATOMY}
    for row in rows.iter_rows(named=True):
        item = asked[row["question"]]
        key = items.item_key([item["question"]], item["choices"], [item["choices"][item["answer"]]])
        assert (row["item_high"], row["item_low"], row["text_key"]) == (key.high, key.low, key.text)
        chosen = row["choice_index"]
        assert (None if chosen is None else row["options"][chosen]) == row["choice"]


TEXT = st.text(
    st.sampled_from(list("aB \n\t\x1c\x07\u00e9\u00c9\u0301\u00a0\u00df\x85\x00.")) | st.characters(), max_size=8
)


@given(st.lists(TEXT, min_size=1, max_size=6))
@example(["A", " b", "c"])
@example(["A", "b ", "c"])
@example(["A", "", "c  d"])
def test_texts_folded_together_are_folded_as_one_by_one(texts: list[str]) -> None:
    assert fold(texts) == [items.normalise(text) for text in texts]


def test_half_a_surrogate_pair_can_be_folded() -> None:
    assert fold(["\ud800 X", "Y"]) == ["\ud800 x", "y"]


@given(st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=4), st.integers(0, 3)), min_size=1, max_size=5))
def test_keys_of_many_are_the_keys_of_each(questions: list[tuple[str, list[str], int]]) -> None:
    asked = [(text, tuple(sorted(options)), sorted(options)[gold % len(options)]) for text, options, gold in questions]
    choice_key_module._remembered.clear()
    for _ in range(2):  # hashed, and remembered
        for (text, options, gold), found in zip(asked, choice_keys(asked), strict=True):
            key = items.item_key([text], options, [gold])
            assert found[:4] == key[:4]
            assert found.gold == items.option_key(options, options.index(gold))
            if found.apart:
                assert all(
                    items.answer_key(one) == items.option_key(options, place) for place, one in enumerate(options)
                )


def test_options_that_differ_by_case_alone_stay_apart(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        def genotypes(rows: list[dict[str, Any]]) -> None:
            rows[0].update(choices=["MM", "Mm", "mm", "none"], target="B")
            rows[0]["scores"]["choice"].update(value="I", answer="C")

        edited(content, "summaries.json", genotypes)

    run = read(rewritten(one("before", "mmlu-anatomy"), tmp_path / "log.eval", change))
    row = run.samples.row(by_predicate=pl.col("native_id") == "1", named=True)
    assert row["gold_key"] == items.option_key(["MM", "Mm", "mm", "none"], 1)
    assert row["choice_key"] == items.option_key(["MM", "Mm", "mm", "none"], 2)
    assert row["gold_key"] != row["choice_key"]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_key_module, "_REMEMBERED", 3)
    choice_key_module._remembered.clear()
    asked = [(f"question {number}", ("no", "yes"), "no") for number in range(5)]
    whole = choice_keys(asked)
    assert len(choice_key_module._remembered) <= 3
    assert [choice_keys([one])[0] for one in asked] == whole
    assert len(choice_key_module._remembered) <= 3
    document = ("a long document " * 200, ("no", "yes"), "no")
    choice_keys([document])
    assert document not in choice_key_module._remembered


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_found_without_listing_the_archive(tmp_path: Path, packing: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name in ("x_summaries.json", "summaries.json", "summaries.json.bak"):
            archive.writestr(name, f"content of {name}")
    directory = Directory(path)
    assert directory.usable
    assert directory.read("summaries.json") == b"content of summaries.json"
    assert directory.read("header.json") is None
    assert "x_summaries.json" in directory
    assert "maries.json" not in directory


def test_the_last_member_of_a_name_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "old")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("header.json", "new")
    assert Directory(path).read("header.json") == b"new"


def test_an_archive_with_a_comment_is_read_the_long_way(tmp_path: Path) -> None:
    source = one("before", "mmlu-anatomy")
    path = rewritten(source, tmp_path / "log.eval", lambda content: None)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"kept by hand"
    assert not Directory(path).usable
    assert inspect.detects(path)
    assert_frame_equal(table(read(path)), table(read(source)))


def test_a_damaged_member_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("header.json", '{"status": "success"}')
    path.write_bytes(path.read_bytes().replace(b"success", b"succeed"))
    with pytest.raises(FormatError, match=r"a\.zip: member 'header\.json' is damaged .*; fetch the file again"):
        Directory(path).read("header.json")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forgetmap.readers.inspect.directory.RATIO_FLOOR", 1000)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "0" * 1_000_000)
    assert Directory(path).read("header.json") is None


def test_texts_read_later_belong_to_their_rows() -> None:
    run = read(LOGS / "edge.eval")
    texts = run.texts()
    rows = run.samples.filter(pl.col("scorer") == "graded").join(texts, on="text_row").sort("native_id", "repeat")
    assert texts.height == rows.height == 22
    for native_id, question, prompt in rows.select("native_id", "question", "prompt").iter_rows():
        wanted = members(LOGS / "edge.eval")[f"samples/{native_id}_epoch_1.json"]
        asked = json.loads(wanted)["input"]
        assert question == (asked if isinstance(asked, str) else asked[-1]["content"])
        assert question in prompt
    assert rows.filter(pl.col("native_id") == "right")["response"].to_list() == ["a reply"] * 2
    chat = rows.filter(pl.col("native_id") == "chat")["prompt"][0]
    assert chat == "[system]\nBe brief.\n\n[user]\nSpell the number 12."


def test_an_unfinished_log_is_read_from_its_journal(tmp_path: Path) -> None:
    def unfinish(content: dict[str, bytes]) -> None:
        for name in ("header.json", "summaries.json", "reductions.json"):
            content.pop(name, None)

    source = one("before", "gsm8k")
    journal = read(rewritten(source, tmp_path / "log.eval", unfinish))
    assert_frame_equal(table(read(source)), table(journal))
    assert not journal.info.complete
    assert read(source).info.complete


def test_a_killed_run_gives_what_it_had() -> None:
    run = read(LOGS / "unfinished.eval")
    assert "7 of 12 samples" in run.info.warnings[0]
    assert not run.info.complete
    whole = table(read(one("before", "gsm8k")))
    assert_frame_equal(whole.join(table(run), on=BY_CONTENT, how="semi"), table(run))
    assert run.info.counts["items"] == 7


def test_a_sample_without_a_summary_is_not_lost(tmp_path: Path) -> None:
    def forget(content: dict[str, bytes]) -> None:
        del content["_journal/summaries/7.json"]

    run = read(rewritten(LOGS / "unfinished.eval", tmp_path / "log.eval", forget))
    assert_frame_equal(table(run, "stop_reason"), table(read(LOGS / "unfinished.eval"), "stop_reason"))


def test_a_finished_log_with_a_gap_in_its_summaries(tmp_path: Path) -> None:
    def forget(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: rows[:4] + rows[5:])

    source = one("before", "mmlu-anatomy")
    run = read(rewritten(source, tmp_path / "log.eval", forget))
    assert_frame_equal(table(run, "stop_reason"), table(read(source), "stop_reason"))


def test_a_journal_that_names_a_sample_twice_means_the_last(tmp_path: Path) -> None:
    def again(content: dict[str, bytes]) -> None:
        rows = json.loads(content["_journal/summaries/1.json"])
        rows[0]["scores"]["match"]["value"] = "I"
        content["_journal/summaries/10.json"] = json.dumps(rows).encode()

    run = read(rewritten(LOGS / "unfinished.eval", tmp_path / "log.eval", again))
    first = run.samples.filter((pl.col("native_id") == "1") & (pl.col("scorer") == "match"))
    assert first["score"].to_list() == [0.0]


def test_inputs_that_summaries_cut_are_keyed_in_full(tmp_path: Path) -> None:
    summaries = json.loads(members(LOGS / "long.eval")["summaries.json"])
    assert summaries[0]["input"] == summaries[1]["input"]  # cut to the same beginning
    run = read(LOGS / "long.eval")
    assert run.info.counts["items"] == 2
    assert run.info.counts["duplicates"] == 0
    asked = run.texts()["question"].to_list()
    assert {text.rpartition(". ")[2] for text in asked} == {"How many tides?", "Where did the tide go?"}

    def lose(content: dict[str, bytes]) -> None:
        del content["samples/first_epoch_1.json"]

    broken = rewritten(LOGS / "long.eval", tmp_path / "log.eval", lose)
    with pytest.raises(FormatError, match="sample 'first' of epoch 1 has a summary but no member"):
        read(broken)


@pytest.mark.parametrize("name", ["long.eval", "pick_all.eval"])
@pytest.mark.parametrize("texts", [False, True])
def test_chunked_samples_are_the_same_samples(name: str, texts: bool) -> None:
    left, right = read(LOGS / name, texts), read(LOGS / "chunked" / name, texts)
    assert_frame_equal(table(left), table(right))
    if texts:
        # the prompt of a long item stands in an attachment
        assert_frame_equal(left.texts(), right.texts())
        assert all(len(prompt) > 50 for prompt in left.texts()["prompt"])


def test_a_log_may_mix_both_shapes(tmp_path: Path) -> None:
    def mix(content: dict[str, bytes]) -> None:
        chunked = members(LOGS / "chunked" / "long.eval")
        del content["samples/second_epoch_1.json"]
        content.update({name: data for name, data in chunked.items() if name.startswith("samples/second_")})

    mixed = rewritten(LOGS / "long.eval", tmp_path / "log.eval", mix)
    assert_frame_equal(table(read(mixed, texts=True)), table(read(LOGS / "long.eval", texts=True)))


EDGES = {
    # id: score, state, stop reason, error
    "right": (1.0, "answered", None, None),
    "wrong": (0.0, "answered", None, None),
    "half": (0.5, "partial", None, None),
    "silent": (0.0, "empty", None, None),
    "refused": (0.0, "refused", None, None),
    "affirmed": (1.0, "answered", None, None),
    "counted": (0.75, "answered", None, None),
    "unscored": (None, "error", None, None),  # the log says that the grader failed
    "crash": (None, "error", None, "RuntimeError('planted failure of the sandbox')"),
    "limited": (0.0, "truncated", "message", None),
    "chat": (1.0, "answered", None, None),
}


def test_values_errors_and_limits() -> None:
    run = read(LOGS / "edge.eval")
    graded = run.samples.filter(pl.col("scorer") == "graded")
    assert graded.height == 2 * len(EDGES)
    for row in graded.iter_rows(named=True):
        found = (row["score"], row["answer_state"], row["stop_reason"], row["error"])
        assert found == EDGES[row["native_id"]], row["native_id"]
    assert set(graded["chance"]) == {0.0}
    assert run.info.counts["repeats"] == 2
    assert set(run.samples.filter(pl.col("native_id") == "limited")["output_tokens"]) == {6}


def test_a_mapping_gives_one_metric_per_key() -> None:
    run = read(LOGS / "edge.eval")
    rubric = run.samples.filter(pl.col("scorer") == "rubric")
    assert set(rubric["metric"]) == {"style", "facts"}
    style = rubric.filter(pl.col("metric") == "style").sort("repeat")
    assert style.filter(pl.col("native_id") == "right")["score"].to_list() == [0.5, 0.75]
    facts = rubric.filter((pl.col("metric") == "facts") & (pl.col("native_id") == "wrong"))
    assert facts["score"].to_list() == [None, None]  # NaN
    assert set(facts["answer_state"]) == {"unscored"}
    # a crashed sample is unobserved under every metric, not absent
    assert rubric.filter(pl.col("native_id") == "crash").height == 4


def test_later_edits_count_and_invalid_samples_do_not() -> None:
    run = read(LOGS / "edited.eval")
    graded = run.samples.filter(pl.col("scorer") == "graded")
    wrong = graded.filter(pl.col("native_id") == "wrong").sort("repeat")
    assert wrong["score"].to_list() == [1.0, 0.0]
    right = graded.filter(pl.col("native_id") == "right").sort("repeat")
    assert right["score"].to_list() == [1.0, None]
    assert right["answer_state"].to_list() == ["answered", "unscored"]
    assert right["error"][1] == "invalidated: wrong sandbox"
    assert run.info.counts["edited_scores"] == 1
    assert any("1 score was edited" in warning for warning in run.info.warnings)


def test_several_right_letters_are_scored_as_a_set() -> None:
    run = read(LOGS / "pick_all.eval", texts=True)
    rows = run.samples.join(run.texts().drop("options"), on="text_row").sort("native_id").to_dicts()
    assert [(row["n_options"], row["n_gold"], row["chance"]) for row in rows] == [(4, 2, 0.0), (5, 2, 0.0), (2, 1, 0.5)]
    assert [row["gold"] for row in rows] == [["2", "4"], ["5", "7"], ["9"]]
    assert [row["score"] for row in rows] == [1.0, 0.0, 0.0]
    assert [row["choice"] for row in rows] == ["2\n4", "5", "3"]


@pytest.mark.parametrize(
    ("text", "count", "places"),
    [
        ("B", 4, [1]),
        ("(C)", 4, [2]),
        ("a, C", 4, [0, 2]),
        ("BD", 4, [1, 3]),
        ("E", 4, None),
        ("", 4, []),
        ("2", 30, [27]),
        ("Z", 30, [25]),
        ("2", 4, None),
    ],
)
def test_letters_name_options(text: str, count: int, places: list[int] | None) -> None:
    assert letters(text, count) == places


def test_a_letter_that_no_option_has_is_no_answer(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: rows[0]["scores"]["choice"].update(value="I", answer="J"))

    run = read(rewritten(one("before", "mmlu-anatomy"), tmp_path / "log.eval", change))
    row = run.samples.row(by_predicate=pl.col("native_id") == "1", named=True)
    assert (row["score"], row["answer_state"], row["choice_key"]) == (0.0, "no_answer", None)


def test_an_answer_that_a_summary_cut_is_no_choice(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        long = "word " * 400
        cut = " ".join(["word"] * 204) + "..."  # as inspect_ai shortens to 1,024 characters
        edited(content, "summaries.json", lambda rows: rows[0]["scores"]["match"].update(answer=cut))
        edited(content, "samples/1_epoch_1.json", lambda sample: sample["scores"]["match"].update(answer=long))

    path = rewritten(one("before", "gsm8k"), tmp_path / "log.eval", change)
    wanted = (pl.col("native_id") == "1") & (pl.col("scorer") == "match")
    for run in (read(path), read(path, texts=True)):
        row = run.samples.row(by_predicate=wanted, named=True)
        assert (row["choice_key"], row["answer_state"], row["score"]) == (None, "answered", 1.0)


def test_a_text_that_is_no_grade_is_not_zero(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: rows[0]["scores"]["choice"].update(value="off topic"))

    run = read(rewritten(one("before", "mmlu-anatomy"), tmp_path / "log.eval", change))
    row = run.samples.row(by_predicate=pl.col("native_id") == "1", named=True)
    assert (row["score"], row["answer_state"]) == (None, "unscored")
    assert any("'off topic'" in warning for warning in run.info.warnings)


def test_a_missing_gold_keys_by_question(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: rows[0].update(target=""))

    run = read(rewritten(one("before", "mmlu-anatomy"), tmp_path / "log.eval", change))
    row = run.samples.row(by_predicate=pl.col("native_id") == "1", named=True)
    assert (row["key_basis"], row["gold_key"], row["chance"], row["n_options"]) == ("question", None, None, 4)


def test_a_relabelled_item_is_another_item_with_the_same_question(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: rows[0].update(target="A"))

    source = one("before", "mmlu-anatomy")
    changed = rewritten(source, tmp_path / "log.eval", change)
    first = pl.col("native_id") == "1"
    rows = [run.samples.row(by_predicate=first, named=True) for run in (read(source), read(changed))]
    assert rows[0]["item_low"] != rows[1]["item_low"]
    assert rows[0]["question_key"] == rows[1]["question_key"]


def test_a_duplicate_item_is_kept(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        def double(rows: list[dict[str, Any]]) -> None:
            rows[1].update(input=rows[0]["input"], choices=rows[0]["choices"], target=rows[0]["target"])

        edited(content, "summaries.json", double)

    run = read(rewritten(one("before", "mmlu-anatomy"), tmp_path / "log.eval", change))
    assert run.info.counts["duplicates"] == 1
    assert run.samples.height == len(ANATOMY)


def test_summaries_of_older_versions_lack_options(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: [row.pop("choices") for row in rows] and None)

    source = one("before", "mmlu-anatomy")
    assert_frame_equal(table(read(rewritten(source, tmp_path / "log.eval", change))), table(read(source)))


def test_the_single_score_of_the_first_logs(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        def one_score(sample: dict[str, Any]) -> None:
            sample["score"] = sample.pop("scores")["choice"]

        every_sample(content, one_score)

    source = one("before", "mmlu-anatomy")
    old = read(rewritten(source, tmp_path / "log.eval", change))
    assert old.samples["score"].to_list() == read(source).samples["score"].to_list()


def test_the_reason_of_a_failed_grading_stood_in_the_metadata(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        failed = {"value": float("nan"), "metadata": {"unscored_reason": "grader_failed"}}
        edited(content, "summaries.json", lambda rows: rows[0]["scores"].update(choice=failed))

    path = rewritten(one("before", "mmlu-anatomy"), tmp_path / "log.eval", change)
    assert b"NaN" in members(path)["summaries.json"]
    row = read(path).samples.row(by_predicate=pl.col("native_id") == "1", named=True)
    assert (row["score"], row["answer_state"]) == (None, "error")


def test_options_in_the_prompt_make_the_chance_rate(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        def in_prompt(sample: dict[str, Any]) -> None:
            shown = "".join(f"\n{letter}) {text}" for letter, text in zip("ABCD", sample.pop("choices"), strict=True))
            # an item without readable options has an unknown chance rate, not 0 and not a quarter
            sample["input"] += "" if sample["id"] == 2 else shown

        every_sample(content, in_prompt)
        steps = [{"solver": "generate", "params": {}}]
        edited(content, "header.json", lambda h: h["plan"].update(steps=steps) or h["eval"].update(scorers=[]))

    source = one("before", "mmlu-anatomy")
    run = read(rewritten(source, tmp_path / "log.eval", change))
    by_id = {row["native_id"]: row for row in run.samples.iter_rows(named=True)}
    assert (by_id["2"]["n_options"], by_id["2"]["chance"]) == (None, None)
    rest = pl.col("native_id") != "2"
    assert_frame_equal(table(run).filter(rest), table(read(source)).filter(rest))


def test_images_tell_items_apart(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        def full(sample: dict[str, Any]) -> None:
            picture = f"attachment://{sample['id']}"
            text = {"type": "text", "text": "What is on the picture?"}
            sample["input"] = [{"role": "user", "content": [text, {"type": "image", "image": picture}]}]
            sample["attachments"] = {str(sample["id"]): f"data:image/png;base64,{sample['id']}AAAA"}
            sample["target"] = "a cat"

        def summary(sample: dict[str, Any]) -> None:
            full(sample)
            sample["input"][0]["content"][1] = {"type": "text", "text": "(Image)"}

        edited(content, "summaries.json", lambda rows: [summary(row) for row in rows] and None)
        for name in content:
            if name.startswith("samples/"):
                edited(content, name, full)

    run = read(rewritten(one("before", "gsm8k"), tmp_path / "log.eval", change))
    assert run.info.counts["items"] == 12
    assert run.info.counts["duplicates"] == 0
    assert set(run.texts()["question"]) == {"What is on the picture?\n(Image)"}

    def inline(content: dict[str, bytes]) -> None:
        change(content)

        def put_back(sample: dict[str, Any]) -> None:
            sample["input"][0]["content"][1]["image"] = sample.pop("attachments")[str(sample["id"])]

        for name in content:
            if name.startswith("samples/"):
                edited(content, name, put_back)

    # the picture itself is the content, not the name under which a log keeps it
    other = read(rewritten(one("before", "gsm8k"), tmp_path / "inline.eval", inline))
    assert_frame_equal(table(run), table(other))


def test_a_system_message_in_the_input_is_no_content(tmp_path: Path) -> None:
    def with_system(text: str) -> Callable[[dict[str, bytes]], None]:
        def change(sample: dict[str, Any]) -> None:
            sample["input"] = [{"role": "system", "content": text}, {"role": "user", "content": sample["input"]}]

        return lambda content: every_sample(content, change)

    source = one("before", "gsm8k")
    brief = read(rewritten(source, tmp_path / "a.eval", with_system("Be brief.")))
    long = read(rewritten(source, tmp_path / "b.eval", with_system("Go on and on.")))
    assert_frame_equal(table(brief, "text_key"), table(read(source), "text_key"))
    assert (table(brief)["text_key"] != table(long)["text_key"]).all()


def test_all_of_mmlu_in_one_task_is_split_by_subject(tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        edited(content, "header.json", lambda header: header["eval"].update(task="inspect_evals/mmlu_0_shot"))
        edited(content, "summaries.json", lambda rows: rows[0]["metadata"].update(subject="virology"))

    run = read(rewritten(one("before", "mmlu-anatomy"), tmp_path / "log.eval", change))
    assert run.tasks == ["mmlu:anatomy", "mmlu:virology"]
    assert run.info.task_names["mmlu:virology"] == "inspect_evals/mmlu_0_shot"


def test_settings_and_subset_are_on_record(tmp_path: Path) -> None:
    def limit(content: dict[str, bytes]) -> None:
        edited(content, "header.json", lambda header: header["eval"]["config"].update(limit=5))

    info = read(rewritten(one("before", "gsm8k"), tmp_path / "log.eval", limit)).info
    assert info.subset == {"limit": 5}
    assert (info.model, info.tool, info.tool_version) == ("mockllm/planted-before", "inspect_ai", "0.3.285")
    settings = info.task_settings["gsm8k"]
    assert settings["temperature"] == 0.7
    assert settings["prompt_template"].startswith("generate ")
    assert read(LOGS / "edge.eval").info.task_settings["edge"]["message_limit"] == 6


def test_only_inspect_logs_are_accepted(tmp_path: Path) -> None:
    assert inspect.detects(LOGS / "edge.json.gz")
    assert inspect.detects(LOGS / "unfinished.eval")
    assert not inspect.detects(LOGS)
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("results.json", "[]")
    (tmp_path / "b.json").write_text('{"version": 2, "status": "success", "eval": {"HumanEval/0": []}}')
    (tmp_path / "c.json").write_text('[{"version": 2}]')
    assert not any(inspect.detects(path) for path in tmp_path.iterdir())
    others = [path for path in (FORMATS / "data" / "lm_eval").rglob("*") if path.is_file()]
    assert others
    assert not any(inspect.detects(path) for path in others)


def test_a_torn_json_log_is_still_called_a_log(tmp_path: Path) -> None:
    whole = (LOGS / "pick_all.json").read_bytes()
    torn = tmp_path / "torn.json"
    torn.write_bytes(whole[: len(whole) // 2])
    assert inspect.detects(torn)
    with pytest.raises(FormatError, match=r"torn\.json: broken JSON"):
        read(torn)
    half = tmp_path / "half.json.gz"
    half.write_bytes((LOGS / "edge.json.gz").read_bytes()[:5000])
    assert isinstance(inspect.detects(half), bool)  # no traceback on a file that lies beside a log


def test_files_beside_the_logs_are_named(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "before", tmp_path / "logs")
    (tmp_path / "logs" / "notes.txt").write_text("remember")
    run = read(tmp_path / "logs")
    assert run.info.other_files == ["notes.txt"]
    assert len(run.info.files) == 2


def test_logs_of_two_models_are_refused(tmp_path: Path) -> None:
    for side in ("before", "after"):
        shutil.copy(one(side, "gsm8k"), tmp_path)
    with pytest.raises(FormatError, match=r"logs of 2 models .*planted-after.*; name the log or folder of one model"):
        read(tmp_path)


def test_a_retry_replaces_the_attempt_before_it(tmp_path: Path) -> None:
    def first(content: dict[str, bytes]) -> None:
        edited(content, "header.json", lambda header: header.update(status="error"))
        edited(content, "header.json", lambda header: header["eval"].update(created="2000-01-01T00:00:00+00:00"))
        edited(content, "summaries.json", lambda rows: rows[:3])

    source = one("before", "gsm8k")
    rewritten(source, tmp_path / "z_first.eval", first)
    shutil.copy(source, tmp_path / "a_second.eval")
    run = read(tmp_path)
    assert run.info.files == ["a_second.eval"]
    assert run.info.other_files == ["z_first.eval"]
    assert "z_first.eval" in run.info.warnings[0]
    assert_frame_equal(table(run), table(read(source)))


def test_one_task_twice_needs_two_seeds(tmp_path: Path) -> None:
    def other(seed: int | None) -> Callable[[dict[str, bytes]], None]:
        def change(content: dict[str, bytes]) -> None:
            edited(content, "header.json", lambda header: header["eval"].update(task_id="another"))
            edited(content, "header.json", lambda header: header["plan"]["config"].update(seed=seed))

        return change

    source = one("before", "gsm8k")
    shutil.copy(source, tmp_path / "a.eval")
    rewritten(source, tmp_path / "b.eval", other(None))
    with pytest.raises(FormatError, match=r"logged 2 times with the same seed: a\.eval and b\.eval; keep one"):
        read(tmp_path)
    rewritten(source, tmp_path / "b.eval", other(7))
    run = read(tmp_path)
    assert run.info.counts["repeats"] == 2
    assert run.info.counts["duplicates"] == 0


def test_broken_files_say_where(tmp_path: Path) -> None:
    whole = one("before", "gsm8k").read_bytes()
    torn = tmp_path / "torn.eval"
    torn.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match=r"torn\.eval: a broken zip archive"):
        read(torn)

    def break_one(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: rows[3].update(choices="none"))

    with pytest.raises(FormatError, match=r"log\.eval: summaries\.json: broken JSON .*choices"):
        read(rewritten(one("before", "gsm8k"), tmp_path / "log.eval", break_one))

    def wrong_value(content: dict[str, bytes]) -> None:
        edited(content, "summaries.json", lambda rows: rows[3]["scores"]["match"].update(value={"a": {"b": 1}}))

    with pytest.raises(FormatError, match=r"sample 4 \(id 4\) is not a sample of Inspect"):
        read(rewritten(one("before", "gsm8k"), tmp_path / "log.eval", wrong_value))


def test_a_log_without_samples_says_so(tmp_path: Path) -> None:
    content = load_json(LOGS / "pick_all.json")
    content["samples"] = []
    path = tmp_path / "log.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FormatError, match="no samples in it"):
        read(path)
