"""The two suites that are defined against hub datasets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from suite_making import mirror

from forgetmap import suites
from forgetmap.errors import SuiteError
from forgetmap.readers.captrack.files import TASKS
from forgetmap.suites.prompts import render
from forgetmap.taxonomies import load_taxonomy

COUNTS = {
    "Common Sense": 2, "Culture": 2, "Logic": 20, "Knowledge/QA": 4, "Language": 7, "Liberal Arts": 19, "Math": 9,
    "Safety/Truth": 6, "Science/Tech": 25,
}  # fmt: skip


def test_post_forget_has_the_tasks_of_the_paper() -> None:
    suite = suites.load("post_forget")
    assert len(suite.tasks) == 98
    taxonomy = load_taxonomy("post_forget")
    counted = Counter(taxonomy.place(task.name).category for task in suite.tasks)
    assert counted == {**COUNTS, "Instruction": 1, None: 3}
    assert {task.name for task in suite.tasks if "post_forget" not in task.categories} == {
        "bbh:dyck_languages", "bbh:word_sorting", "bbh:multistep_arithmetic_two",
    }  # fmt: skip
    named = {name for names in taxonomy.categories.values() for name in names}
    assert named <= {task.name for task in suite.tasks}


def test_post_forget_keeps_the_protocol_and_mends_its_defects() -> None:
    suite = suites.load("post_forget")
    for task in suite.tasks:
        spec = task.spec
        if task.name.startswith("mmlu:"):
            assert (spec.protocol.base, spec.shots.count, spec.shots.split) == ("base", 3, "dev")
        elif task.name in ("truthfulqa:mc1", "saladbench:mrq"):
            assert task.styles == ("chat", "chat_cot")
        elif task.name != "ifeval":
            assert (spec.protocol.base, spec.protocol.chat) == ("base_cot", "chat_cot")
            wanted = (
                2
                if task.name.startswith("arc")
                else 1
                if task.name.startswith("musr")
                else 5
                if "gpqa" in task.name
                else 3
            )
            assert len(spec.demonstrations) == wanted
        assert len(spec.wordings) >= 3 or task.name == "ifeval"
    assert suite.task("hellaswag").spec.source.split == "validation"
    assert suite.task("bbh:object_counting").spec.scoring.kind == "number"
    for name in ("truthfulqa:mc1", "gpqa:diamond"):
        fields = suite.task(name).spec.fields
        assert fields is not None and fields.shuffle


def test_demonstrations_spread_their_golds() -> None:
    for task in suites.load("post_forget").tasks:
        places = {one.options.index(one.answer) for one in task.spec.demonstrations if one.options}
        assert len(places) > 1 or len(task.spec.demonstrations) < 2 or not places, task.name


def test_captrack_has_its_37_tasks() -> None:
    suite = suites.load("captrack")
    assert {task.name for task in suite.tasks} == set(TASKS)
    assert all("captrack" in task.categories for task in suite.tasks)
    assert len({name.split(".")[0] for name in TASKS}) == 28
    kinds = {"choice": "letter", "number": "number", "open": "open"}
    assert all(suite.task(name).spec.scoring.kind == kinds[kind] for name, kind in TASKS.items() if kind)


def bbh(n: int) -> dict[str, Any]:
    listed = "\n".join(f"({letter}) thing {n} {letter}" for letter in "ABCDEF"[: 5 + n % 2])
    return {"input": f"What about {n}?\nOptions:\n{listed}", "target": f"({'ABCDE'[n % 5]})"}


#: One dataset of each shape in the hub's own layout: path below the mirror, row number n, what item 3 must be.
DATASETS: list[tuple[str, str, Any, int, str]] = [
    ("mmlu:virology", "cais/mmlu/virology/test-00000-of-00001.parquet",
     lambda n: {"question": f"Q{n}?", "subject": "virology", "choices": [f"{n} {c}" for c in "wxyz"], "answer": n % 4}, 4, "3 z"),
    ("arc:challenge", "allenai/ai2_arc/ARC-Challenge/test-00000-of-00001.parquet",
     lambda n: {"id": f"i{n}", "question": f"Q{n}?", "choices": {"text": [f"{n} a", f"{n} b", f"{n} c"], "label": ["1", "2", "3"]}, "answerKey": str(n % 3 + 1)}, 3, "3 a"),
    ("commonsense_qa", "tau/commonsense_qa/data/validation-00000-of-00001.parquet",
     lambda n: {"id": f"i{n}", "question": f"Q{n}?", "choices": {"label": list("ABCDE"), "text": [f"{n} {c}" for c in "vwxyz"]}, "answerKey": "ABCDE"[n % 5]}, 5, "3 y"),
    ("piqa", "ybisk/piqa/plain_text/validation/0000.parquet",
     lambda n: {"goal": f"Do {n}", "sol1": f"{n} so", "sol2": f"{n} thus", "label": n % 2}, 2, "3 thus"),
    ("social_iqa", "allenai/social_i_qa/default/validation/0000.parquet",
     lambda n: {"context": f"It was {n}.", "question": "How?", "answerA": "a", "answerB": "b", "answerC": "c", "label": str(n % 3 + 1)}, 3, "a"),
    ("bbh:date_understanding", "lighteval/big_bench_hard/date_understanding/train/0000.parquet", bbh, 6, "thing 3 D"),
    ("bbh:causal_judgment", "lighteval/big_bench_hard/causal_judgement/train/0000.parquet",
     lambda n: {"input": f"Did {n}?\nOptions:\n- Yes\n- No", "target": ["Yes", "No"][n % 2]}, 2, "No"),
    ("musr:object_placements", "TAUR-Lab/MuSR/data/object_placements-00000-of-00001.parquet",
     lambda n: {"narrative": f"Story {n}.", "question": "Where?", "choices": f"['shelf {n}', \"cook's box\", 'bin']", "answer_index": n % 3, "answer_choice": "x"}, 3, "shelf 3"),
    ("mctest", "sagnikrayc/mctest/mc500/test/0000.parquet",
     lambda n: {"story": f"One.\\newlineTwo {n}.", "question": "Who?", "answer_options": {"A": "a", "B": "b", "C": "c", "D": "d"}, "answer": "ABCD"[n % 4]}, 4, "d"),
    ("truthfulqa:mc1", "truthfulqa/truthful_qa/multiple_choice/validation-00000-of-00001.parquet",
     lambda n: {"question": f"Q{n}?", "mc1_targets": {"choices": [f"true {n}", *(f"false {n} {m}" for m in range(1 + n % 4))], "labels": [1] + [0] * (1 + n % 4)}}, 5, "true 3"),
    ("saladbench:mrq", "walledai/SaladBench/mrq/train-00000-of-00001.parquet",
     lambda n: {"question": f"Which of {n}?", "choices": [f"{n} a", f"{n} b", f"{n} c"], "answers": [n % 3, (n + 1) % 3]}, 3, "3 a"),
    ("gpqa:diamond", "Idavidrein/gpqa/gpqa_diamond/train-00000-of-00001.parquet",
     lambda n: {"Record ID": f"r{n}", "Question": f"Q{n}?", "Correct Answer": f"yes {n}", **{f"Incorrect Answer {m}": f"no {n} {m}" for m in (1, 2, 3)}}, 4, "yes 3"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "path", "row", "count", "gold"), DATASETS, ids=[one[0] for one in DATASETS])
def test_post_forget_reads_the_hubs_layout(
    tmp_path: Path, name: str, path: str, row: Any, count: int, gold: str
) -> None:
    mirror(tmp_path, path, [row(n) for n in range(40)])
    mirror(tmp_path, "cais/mmlu/virology/dev-00000-of-00001.parquet", [DATASETS[0][2](n) for n in range(100, 105)])
    task = suites.load("post_forget", data_dir=tmp_path).task(name)
    items = task.items()
    assert len(items) == 40
    assert items[3].gold[0] == gold
    assert len(items[3].options or ()) == count
    assert len({item.gold_index for item in items}) > 1
    for style in task.styles:
        shown = render(task, items[3], style=style)
        text = shown.messages[0].content if shown.messages else shown.context
        assert items[3].question in text and (items[3].passage or "") in text
        assert all(f". {option}\n" in f"{text}\n" for option in items[3].options or ())
        if not shown.messages:
            assert text.endswith("Reasoning:" if style == "base_cot" else "Answer:")
            assert shown.prefix > 0


def test_hellaswag_test_has_no_golds(tmp_path: Path) -> None:
    row = {
        "ind": 1,
        "activity_label": "L",
        "ctx_a": "A.",
        "ctx_b": "he",
        "endings": list("abcd"),
        "source_id": "s",
        "label": "",
    }
    mirror(tmp_path, "Rowan/hellaswag/data/validation-00000-of-00001.parquet", [row])
    with pytest.raises(SuiteError, match="row 0: gold is missing"):
        suites.load("post_forget", data_dir=tmp_path).task("hellaswag").items()


def test_ifeval_keeps_its_checks(tmp_path: Path) -> None:
    rows = [
        {"key": n, "prompt": f"Write {n}.", "instruction_id_list": ["punctuation:no_comma", "keywords:existence"],
         "kwargs": [{"keywords": None, "n": None}, {"keywords": ["a"], "n": None}]} for n in range(3)
    ]  # fmt: skip
    mirror(tmp_path, "google/IFEval/data/train-00000-of-00001.parquet", rows)
    item = suites.load("captrack", data_dir=tmp_path).task("ifeval.subset").items()[2]
    assert item.native_id == "2"
    assert item.facts["checks"] == [
        {"id": "punctuation:no_comma", "kwargs": {}},
        {"id": "keywords:existence", "kwargs": {"keywords": ["a"]}},
    ]


COMMON = {
    "family": "f",
    "formatted_prompt": None,
    "ctx": None,
    "choices": None,
    "schema": None,
    "tool_spec": None,
    "meta": {"source": "ours"},
}


@pytest.mark.parametrize(
    ("name", "row", "wanted"),
    [
        ("supergpqa.subset", lambda n: {"prompt": f"Q{n}?\nA. a {n}\nB. b {n}", "choices": f"A: a {n} B: b {n}", "gold": "AB"[n % 2]}, {"gold": ("b 3",), "options": ("a 3", "b 3")}),
        ("mmlu_pro.subset", lambda n: {"prompt": f"Q{n}?", "choices": ["a", "b", "c"], "gold": "ABC"[n % 3]}, {"gold": ("a",)}),
        ("gsm8k.subset", lambda n: {"prompt": f"Q{n}?", "gold": f"so\n#### 1,{n}00"}, {"gold": ("1,300",)}),
        ("popqa.subset", lambda n: {"prompt": f"Q{n}?", "gold": f'["Rome {n}", "Roma"]'}, {"gold": ("Rome 3", "Roma")}),
        ("math.subset", lambda n: {"prompt": f"Q{n}?", "gold": f"thus \\boxed{{{n}}}"}, {"gold": ("3",)}),
        ("boolq.subset", lambda n: {"prompt": f"Is {n}?", "ctx": [f"It is {n}."], "gold": float(n % 2)}, {"gold": ("yes",), "options": ("no", "yes"), "passage": "It is 3."}),
        ("hotpotqa.subset", lambda n: {"prompt": f"Who is {n}?", "ctx": [f"One {n}.", "Two."], "gold": {"answer": f"Bo {n}"}}, {"gold": ("Bo 3",), "passage": "One 3.\nTwo."}),
        ("humaneval.full", lambda n: {"prompt": f"def f{n}():", "ctx": [f"assert f{n}()", f"f{n}"], "gold": "x"}, {"gold": (), "tests": "assert f3()", "entry_point": "f3"}),
        ("gsm8k.schema", lambda n: {"prompt": f"Q{n}?", "gold": f"#### {n}", "schema": '{"type": "object"}'}, {"gold": ("3",), "schema": {"type": "object"}}),
        ("bfcl.subset", lambda n: {"prompt": f"Do {n}", "gold": [f"f(x={n})"] if n else ["no function call"], "tool_spec": '[{"name": "f"}]'}, {"calls": ["f(x=3)"], "tools": [{"name": "f"}]}),
        ("mtbench.turn2", lambda n: {"prompt": [f"First {n}", "Then"], "gold": None}, {"turns": ["Then"], "question": "First 3"}),
        ("ruler.32k", lambda n: {"prompt": f"Find {n}", "gold": {"answer": f"123456{n}"}}, {"gold": ("1234563",)}),
        ("hotpotqa.citation", lambda n: {"prompt": f"Who {n}?", "ctx": ["text"], "gold": {"answer": "Bo", "supporting_facts": {"title": ["T"], "sent_id": [0]}, "context_titles": ["T", "U"]}}, {"sources": ["T"], "titles": ["T", "U"], "gold": ("Bo",)}),
        ("harmbench.subset", lambda n: {"prompt": f"Do {n}", "gold": None}, {"question": "Do 3", "gold": ()}),
        ("ragtruth.subset", lambda n: {"prompt": f"Sum up {n}", "ctx": ["text"], "gold": "ref"}, {"reference": "ref", "gold": ()}),
    ],
)  # fmt: skip
def test_captrack_reads_its_fields(tmp_path: Path, name: str, row: Any, wanted: dict[str, Any]) -> None:
    rows = [{**COMMON, "id": f"i{n}", **row(n)} for n in range(12)]
    mirror(tmp_path, f"tri-fair-lab/captrack/data/{name}/data.parquet", rows)
    task = suites.load("captrack", data_dir=tmp_path).task(name)
    item = task.items()[3]
    assert item.native_id == "i3"
    for key, value in wanted.items():
        assert (getattr(item, key) if hasattr(item, key) and key != "turns" else item.facts[key]) == value, key
    for style in task.styles:
        shown = render(task, item, style=style)
        text = shown.messages[0].content if shown.messages else shown.context
        assert item.question in text
        assert all(text.count(option) >= 1 for option in item.options or ())


def test_captrack_items_have_the_keys_of_its_response_files(tmp_path: Path) -> None:
    """Runs of ours and response files of its own tool can be compared."""
    import json

    from forgetmap import read_run

    rows = [
        {**COMMON, "id": f"i{n}", "prompt": f"Q{n}?", "choices": ["a", "b", "c"], "gold": "ABC"[n % 3]}
        for n in range(5)
    ]
    mirror(tmp_path, "tri-fair-lab/captrack/data/mmlu_pro.subset/data.parquet", rows)
    items = suites.load("captrack", data_dir=tmp_path).task("mmlu_pro.subset").items()
    responses = tmp_path / "model" / "mmlu_pro_subset.jsonl"
    responses.parent.mkdir()
    responses.write_text("".join(json.dumps({**row, "outputs": "A"}) + "\n" for row in rows), encoding="utf-8")
    logged = read_run(responses.parent).samples.select("item_high", "item_low").rows()
    assert sorted(logged) == sorted((item.key.high, item.key.low) for item in items)
