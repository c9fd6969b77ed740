"""Study files: what people write is read as they mean it, or refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetmap.errors import ForgetmapError
from forgetmap.study import StudyError, load_study
from forgetmap.study.amounts import parse_amount, parse_size


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    return tmp_path


def write(folder: Path, text: str) -> Path:
    path = folder / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_file(folder: Path) -> None:
    study = load_study(
        write(
            folder,
            """
title: Sizes
defaults: {reading: chance, margin: 0.03, weight: items, tasks: "mmlu:*", taxonomy: captrack}
runs:
  base: a
  tuned: {path: b, model: org/tuned, format: lm-eval, columns: {gold: answer}}
pairs:
  - {before: base, after: tuned, group: g, family: f, size: 7e9, stage: SFT, method: LoRA, data: 2.5M tokens, seed: 0, parent: base}
  - {name: other, before: base, after: c, size: 1.5B, data: 800}
chains:
  - [base, tuned]
  - {name: long, runs: [base, tuned, c]}
""",
        )
    )
    first, second = study.pairs
    assert (study.title, first.name, second.name) == ("Sizes", "tuned", "other")
    assert (first.size, first.data, first.data_unit, first.seed) == (7e9, 2.5e6, "tokens", "0")
    assert (second.size, second.data, second.data_unit, second.seed) == (1.5e9, 800.0, None, None)
    assert first.after.model == "org/tuned" and first.after.format == "lm-eval"
    assert first.after.path == str(folder / "b") and first.after.written == "b"
    assert first.parent_path == first.before.path
    assert [chain.name for chain in study.chains] == ["base → tuned", "long"]
    assert study.options.comparing() == {
        "reading": "chance", "margin": 0.03, "taxonomy": "captrack", "weight": "items", "scorer": None, "metric": None,
        "threshold": None, "scale": None, "force": False, "tasks": "mmlu:*",
    }  # fmt: skip


def test_paths_start_at_the_file_wherever_it_is_read_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "pairs: [{before: a, after: b}]")
    monkeypatch.chdir(folder.parent)
    assert load_study(f"{folder.name}/study.yaml").pairs[0].before.path == str(folder / "a")


def test_every_missing_path_is_named_at_once(folder: Path) -> None:
    path = write(
        folder, "runs: {x: gone}\npairs: [{before: a, after: nowhere}, {before: x, after: b}]\nchains: [[a, lost]]"
    )
    with pytest.raises(StudyError, match="3 of 5 paths do not exist") as refused:
        load_study(path)
    for name in ("nowhere", "gone", "lost"):
        assert str(folder / name) in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no keys"),
        ("pairs: []", "at least 1 item"),
        ("pair: []", "write 'pairs'"),
        ("pairs: [{before: a, after: b, sise: 7B}]", "'pairs, entry 1, sise' is not known"),
        ("pairs: [{before: a, after: b, size: 7}]", "write 7B for billions"),
        ("pairs: [{before: a, after: b, size: large}]", "expected a number above 0"),
        ("pairs: [{before: a, after: b, size: 7B tokens}]", "number of parameters"),
        ("pairs: [{before: a, after: b, data: -3}]", "expected a number above 0"),
        ("pairs: [{before: a, after: b, data: 3k tokens, data_unit: examples}]", "say it once"),
        ("pairs: [{before: a}]", "'pairs, entry 1, after' is missing"),
        ("pairs: [nothing]", "expected keys such as before, after, name"),
        ("pairs: [{before: a, after: b}, {before: a, after: b}]", "'a → b' occurs more than once"),
        ("pairs: [{before: a, after: b, name: n}, {before: a, after: c, name: n}]", "'n' occurs more than once"),
        ("runs: {base: a}\npairs: [{before: bsae, after: b}]", "did you mean the run 'base'?"),
        ("runs: {base: {pth: a}}\npairs: [{before: base, after: b}]", "write 'path'"),
        ("runs: {base: 7}\npairs: [{before: base, after: b}]", "put quotes around text"),
        ("defaults: {margin: 2}\npairs: [{before: a, after: b}]", "less than 0.5"),
        ("defaults: {reading: loud}\npairs: [{before: a, after: b}]", "'defaults, reading'"),
        ("defaults: {taxonomy: none such}\npairs: [{before: a, after: b}]", "neither a file nor one of"),
        ("chains: [[a]]\npairs: [{before: a, after: b}]", "expected 2 to 12 different runs"),
        ("chains: [[a, b, a]]\npairs: [{before: a, after: b}]", "expected 2 to 12 different runs"),
        ("pairs:\n- {before: a, after: b}\npairs:\n- {before: a, after: b}", "given twice"),
        ("pairs: [", "not YAML"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(folder: Path, text: str, said: str) -> None:
    with pytest.raises(ForgetmapError) as refused:
        load_study(write(folder, text))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_taxonomy_is_named_from_where_the_study_lies(folder: Path) -> None:
    (folder / "own.yaml").write_text("categories: {Mine: [piqa]}")
    study = load_study(write(folder, "defaults: {taxonomy: own.yaml}\npairs: [{before: a, after: b}]"))
    assert study.options.taxonomy == str(folder / "own.yaml")


def test_one_run_of_a_table_is_a_path(folder: Path) -> None:
    (folder / "t.csv").write_text("x\n")
    study = load_study(write(folder, 'pairs: [{before: "t.csv::base", after: "t.csv::org/tuned"}]'))
    assert study.pairs[0].before.place == folder / "t.csv"


@pytest.mark.parametrize("text", ["7 B", "7b", "7.0B", "7000M", "7e9", 7_000_000_000])
def test_spellings_of_a_size(text: str | int) -> None:
    assert parse_size(text) == 7e9


@pytest.mark.parametrize(
    "bad", ["", "B", "0", "-1", "1e999", True, None, [], float("nan"), float("inf"), "7QB", "1,000"]
)
def test_what_is_no_amount(bad: object) -> None:
    with pytest.raises(ValueError, match="expected a number"):
        parse_amount(bad)
