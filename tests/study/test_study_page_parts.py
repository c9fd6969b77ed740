"""What the page of a study says of its pairs that no figure shows: commands, marks, readings, scores."""

from __future__ import annotations

import html
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgetmap.report.page.study_page import study_page
from forgetmap.study import StudyResult, compute_study, load_study
from forgetmap.study.commands import pair_commands
from forgetmap.study.spec import Options, PairSpec, RunSpec, Study
from study.studies import planted_pair, save_pair, write_study  # type: ignore[import-not-found]


@pytest.fixture
def three(tmp_path: Path) -> StudyResult:
    pairs = [
        {"name": name, **save_pair(tmp_path, name, planted_pair(0.1, items=120, seed=seed))}
        for seed, name in enumerate(("one", "two", "odd & end"))
    ]
    return compute_study(load_study(write_study(tmp_path, pairs)))


def changed(result: StudyResult, name: str, **parts: Any) -> StudyResult:
    """The study with every cell of one pair changed."""
    entries = []
    for entry in result.entries:
        if entry.name == name and entry.sheet is not None:
            cells = [
                replace(cell, **{key: value(cell) if callable(value) else value for key, value in parts.items()})
                for cell in entry.sheet.cells
            ]
            entry = replace(entry, sheet=replace(entry.sheet, cells=cells))
        entries.append(entry)
    return replace(result, entries=tuple(entries))


def by_net(cell: Any) -> dict[str, Any]:
    return {**cell.decision, "verdict_reading": "net", "net_because": "options unknown"}


def test_the_page_gives_the_command_of_every_pair_and_it_runs(
    three: StudyResult, run_cli: Any, monkeypatch: Any
) -> None:
    shown = [html.unescape(one) for one in re.findall(r'<code class="whole"><bdi>(.*?)</bdi>', study_page(three))]
    assert [shlex.split(one)[:2] for one in shown] == [["forgetmap", "report"]] * 3
    assert shlex.split(shown[2])[2:] == ["odd & end-before", "odd & end-after", "-o", "odd-end.html"]
    monkeypatch.chdir(three.study.folder)
    code, _, err = run_cli(*shlex.split(shown[2])[1:])
    assert code == 0, err
    assert (three.study.folder / "odd-end.html").is_file()


def test_a_command_carries_the_options_of_the_study() -> None:
    runs = RunSpec("a", "/x/a", "a"), RunSpec("b", "/x/b", "b", format="table")
    pairs = [PairSpec("A b", runs[0], runs[0]), PairSpec("a-b", runs[0], runs[0]), PairSpec("c", *runs)]
    options = Options(
        reading="observed", margin=0.03, taxonomy="/x/own.yaml", tasks=("mmlu:*", "piqa"), scale=(1.0, 10.0),
        columns=(("gold", "answer"),), force=True,
    )  # fmt: skip
    first, second, third = pair_commands(Study("s", tuple(pairs), options=options, folder=Path("/x")), pairs, "task")
    assert first == (
        "forgetmap report a a -o A-b.html --by task --reading observed --margin 0.03 --taxonomy own.yaml --scale 1.0,10.0 "
        "--columns gold=answer --tasks 'mmlu:*' --tasks piqa --force"
    )
    assert second is not None and "-o a-b-2.html" in second
    assert third is None  # one command cannot read both


def test_a_pair_that_lacks_a_reading_is_named_with_what_it_lacks(three: StudyResult) -> None:
    assert three.reading == "chance" and not three.warnings
    other = changed(three, "odd & end", chance=None, decision=by_net)
    assert other.reading == "observed"
    said = next(line for line in other.warnings if "readings" in line)
    assert said.endswith("because odd & end has no chance reading (the number of options is not on record)")
    assert "one" not in said.split("because")[1].replace("odd & end", "")
    graded = changed(other, "odd & end", observed=lambda cell: cell.observed | {"kept": None})
    assert "odd & end has no chance reading (graded scores)" in " ".join(graded.warnings)
    span = changed(three, "two", chance=lambda cell: {**cell.chance, "lost": None}, decision=by_net)
    assert "two has no chance reading (only a range of it is known)" in " ".join(span.warnings)


def test_pairs_of_other_tasks_are_marked_in_every_table_of_the_page(three: StudyResult) -> None:
    assert "≠" not in re.sub(r"<svg.*?</svg>", "", study_page(three), flags=re.DOTALL)
    other = changed(
        three, "two", task_names=lambda cell: cell.task_names[:-1] if cell.level == "total" else cell.task_names
    )
    page = re.sub(r"<svg.*?</svg>", "", study_page(other), flags=re.DOTALL)
    for section in ("verdict", "ranking"):
        part = page.split(f'<section id="{section}"')[1].split("</section>")[0]
        marked = re.findall(r'<bdi>([^<]*) <span title="other tasks than most pairs">≠</span>', part)
        assert marked == ["two"] and "≠: rests on other tasks than most pairs" in part
    cells = changed(
        three, "two", task_names=lambda cell: (*cell.task_names, "more") if cell.name == "Math" else cell.task_names
    )
    everywhere = study_page(cells).split('<section id="everywhere"')[1].split("</section>")[0]
    assert re.findall(r"<bdi>([^<]*) <span[^>]*>≠</span>", everywhere) == ["Math"]


def test_grades_are_no_items_in_the_figures_of_a_study(three: StudyResult) -> None:
    for name in ("one", "two", "odd & end"):
        three = changed(
            three,
            name,
            chance=None,
            decision=by_net,
            observed=lambda cell: cell.observed | {"kept": None, "never": None},
        )
    page = study_page(three)
    for section in ("ranking", "movement"):
        part = page.split(f'<section id="{section}"')[1].split("</section>")[0]
        assert "% of the scale" in part and "of items" not in part and "flipped" not in part


def test_a_failed_chain_says_why_once(run_cli: Any, two: Path, tmp_path: Path) -> None:
    two.write_text(two.read_text() + "chains:\n- [mild-before, harsh-after]\n")
    for name in ("mild-before", "harsh-after"):
        assert (two.parent / name).is_dir()
    good = load_study(two)
    result = compute_study(good)
    why = "no task in common: of the stages; choose others"
    failed = replace(result, chains=(replace(result.chains[0], chain=None, failure=why),))
    assert study_page(failed).count(why) == 1
    (two.parent / "mild-after" / "samples.parquet").write_bytes(b"no parquet")
    code, out, err = run_cli("study", two, "--jobs", 1)
    reason = out.split("failed: mild: ")[1].splitlines()[0]
    assert code == 2 and reason not in err and "mild" in err
