"""`forgetmap study` as people use it: what it prints and writes, exit codes, two pairs and five hundred."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from forgetmap import compare
from forgetmap.report.page.study_page import study_page
from forgetmap.report.studies import study_text
from forgetmap.report.study_exports import study_latex, study_table
from forgetmap.study import Study, StudyResult, compute_study, load_study
from forgetmap.study.build import make_result
from forgetmap.study.spec import PairSpec, RunSpec
from study.studies import planted_pair, save_pair, write_study  # type: ignore[import-not-found]

Cli = Callable[..., tuple[int, str, str]]


def test_two_pairs(run_cli: Cli, two: Path) -> None:
    code, out, err = run_cli("study", two, "--jobs", 1)
    assert code == 0
    assert out.startswith("Two pairs\n2 pairs in 1 group, 800 items each, compared one by one\n")
    assert "1 of 2 pairs surely lost something in total. It is harsh: 8.8 %" in out
    for piece in ("org/harsh-before", "Liberal Arts", "without a group", "in how many of 2 pairs"):
        assert piece in out
    assert "\x1b[" not in out
    assert "2 of 2 maps, 0 from the cache" in err
    assert run_cli("study", two, "--jobs", 1) == (0, out, "")


def test_the_files(run_cli: Cli, two: Path, tmp_path: Path) -> None:
    targets = {name: tmp_path / f"out.{name}" for name in ("html", "tex", "csv", "json")}
    options = [
        "--report",
        targets["html"],
        "--latex",
        targets["tex"],
        "--csv",
        targets["csv"],
        "--json",
        targets["json"],
    ]
    code, out, _ = run_cli("study", two, "--jobs", 1, *options)
    assert code == 0 and all(f"out.{name}" in out for name in targets)
    page = targets["html"].read_text()
    for piece in (
        "<!doctype html>",
        "Two pairs",
        "org/harsh-before",
        "Pairs ranked",
        "Heat map",
        "Forgotten everywhere",
    ):
        assert piece in page
    content = json.loads(targets["json"].read_text())
    assert content["schema"] == "forgetmap.study/1" and content["ranked"] == ["harsh", "mild"]
    assert content["pairs"][0]["map"]["schema"] == "forgetmap.map/1"
    with open(targets["csv"], newline="") as file:
        rows = list(csv.DictReader(file))
    picked = {"pair": "harsh", "level": "category", "cell": "Liberal Arts", "reading": "chance", "direction": "lost"}
    (row,) = [row for row in rows if all(row[name] == value for name, value in picked.items())]
    cell = next(
        c for c in content["pairs"][1]["map"]["cells"] if (c["level"], c["name"]) == ("category", "Liberal Arts")
    )
    assert float(row["value"]) == cell["chance"]["lost"] and float(row["high"]) == cell["chance"]["lost_high"]
    assert (row["verdict"], float(row["q"])) == (cell["verdict"], cell["q_lost"])
    assert (row["group"], row["size"], row["before"]) == ("", "", "org/harsh-before")


def test_json_to_standard_output_is_json_only(run_cli: Cli, two: Path) -> None:
    code, out, _ = run_cli("study", two, "--jobs", 1, "--json", "-")
    assert code == 0 and json.loads(out)["title"] == "Two pairs"


def test_the_maps_in_the_json_are_maps(run_cli: Cli, two: Path, tmp_path: Path) -> None:
    """What a study writes of a pair is what `forgetmap report` reads, and validates against the map's schema."""
    import jsonschema

    import forgetmap
    from forgetmap.report.sheet import Sheet

    run_cli("study", two, "--jobs", 1, "--json", tmp_path / "s.json")
    found = json.loads((tmp_path / "s.json").read_text())["pairs"][0]["map"]
    schema = json.loads((Path(forgetmap.__file__).parent / "schemas" / "map-1.json").read_text())
    jsonschema.validate(found, schema)
    assert Sheet.from_dict(found).after_name == "org/mild-after"


def test_a_pair_that_fails_is_named_and_the_exit_code_says_so(run_cli: Cli, two: Path, tmp_path: Path) -> None:
    (two.parent / "mild-after" / "samples.parquet").write_bytes(b"no parquet")
    page = tmp_path / "s.html"
    code, out, err = run_cli("study", two, "--jobs", 1, "--report", page, "--csv", tmp_path / "s.csv")
    assert code == 2 and "harsh" in out and "failed: mild: " in out
    last = err.strip().splitlines()[-1]
    assert last.startswith("forgetmap: ") and "1 of 2 pairs and chains could not be computed" in last and "mild" in last
    assert "could not be computed: everything here is without it" in page.read_text()
    table = pl.read_csv(tmp_path / "s.csv")
    assert "samples.parquet" in table.filter(pl.col("pair") == "mild")["note"][0]
    assert run_cli("study", two, "--jobs", 1, "--keep-going")[0] == 0


def test_nothing_to_show_is_an_error(run_cli: Cli, two: Path) -> None:
    for name in ("mild", "harsh"):
        (two.parent / f"{name}-after" / "samples.parquet").write_bytes(b"no parquet")
    code, out, err = run_cli("study", two, "--jobs", 1, "--keep-going")
    assert (code, out) == (2, "") and "none of 2 pairs could be compared" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "STUDY.yaml is missing"),
        (["nowhere.yaml"], "cannot be read"),
        (["STUDY", "--by", "total"], "--by is 'total'"),
        (["STUDY", "--by", "group"], "has no groups"),
        (["STUDY", "--style", "loud"], "--style is 'loud'"),
        (["STUDY", "--report", "x.pdf"], "ends in .html"),
        (["STUDY", "--csv", "no/where.csv"], "there is no folder"),
        (["STUDY", "--init", "STUDY"], "which exists"),
    ],
)
def test_refusals_are_one_sentence(run_cli: Cli, two: Path, arguments: list[str], said: str) -> None:
    code, _, err = run_cli("study", *(str(two) if one == "STUDY" else one for one in arguments))
    last = err.strip().splitlines()[-1]
    assert code == 2 and said in last and last.startswith("forgetmap: ") and "Traceback" not in err


def test_a_study_to_start_from(run_cli: Cli, tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, log in (("base", "before"), ("tuned", "after"), ("tuned2", "after")):
        shutil.copytree(logs / "lm_eval" / log, tmp_path / "out" / name)
    assert run_cli("study", "--init", "study.yaml")[0] == 0
    code, out, _ = run_cli("study", "study.yaml", "--jobs", 1)
    assert code == 0 and "chain base → tuned" in out and "recipe" in out


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
@pytest.mark.parametrize("style", ["forgetmap", "paper"])
def test_the_tables_compile(two: Path, tmp_path: Path, style: str) -> None:
    two.write_text(
        two.read_text().replace("group: sft", "group: 'R&D_50% #1 $x$'").replace("name: mild", "name: 'm_i/l&d'")
    )
    text = study_latex(compute_study(load_study(two)), style=style)
    labels = [line for line in text.splitlines() if line.startswith(r"\label")]
    assert len(labels) == len(set(labels)) > 2
    assert {f"\\label{{{name}}}" for name in re.findall(r"\\ref\{([^}]*)\}", text)} <= set(labels)
    (tmp_path / "t.tex").write_text(text)
    document = r"\documentclass{article}\usepackage{booktabs}\begin{document}\input{t.tex}\end{document}"
    (tmp_path / "d.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "d.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_published_layout_is_one_of_the_styles(two: Path) -> None:
    text = study_latex(compute_study(load_study(two)), style="paper")
    assert "F\\_true" in text and "org/mild-before" in text.replace("\\allowbreak ", "").replace("\\allowbreak{}", "")


# ---- five hundred --------------------------------------------------------------------------------------------------


def many(count: int) -> StudyResult:
    """So many pairs out of a few maps: what is drawn and written does not care where maps come from."""
    maps = [compare(p.before, p.after).to_dict() for p in (planted_pair(0.05 + 0.05 * n, seed=n) for n in range(4))]
    runs = [RunSpec(f"r{n}", f"/nowhere/r{n}", f"r{n}") for n in range(count)]
    specs = [
        PairSpec(
            f"pair number {n} of the study", runs[n], runs[n], group=f"group {n % 5}", family=f"family {n % 20}",
            size=1e9 * (1 + n % 9), data=1e3 * (1 + n), data_unit="examples",
        )
        for n in range(count)
    ]  # fmt: skip
    study = Study("Many", tuple(specs))
    return make_result(study, {spec.name: maps[n % 4] for n, spec in enumerate(specs)}, {}, {})


@pytest.mark.scale
def test_five_hundred_pairs_stay_small_and_quick() -> None:
    result = many(500)
    start = time.monotonic()
    page, text, table = study_page(result), study_text(result), study_table(result)
    assert time.monotonic() - start < 60  # some 5 s alone on a machine
    assert len(page.encode()) < 8e6
    assert len(text.splitlines()) < 120 and "476 pairs between these" in text
    assert table["pair"].n_unique() == 500 and table.height == 500 * 9 * 3 * 2
    assert all(f"pair number {n} of the study" in page for n in range(500))


def test_what_the_page_has_no_room_for_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    result = many(40)
    page = study_page(result)
    assert "No room" not in page and page.count('data-figure="groups-') == 10  # five groups of eight pairs
    monkeypatch.setattr("forgetmap.report.page.study_groups.MOST_CORNERS", 40)
    monkeypatch.setattr("forgetmap.report.page.study_groups.MOST_TEXTS", 200)
    monkeypatch.setattr("forgetmap.report.page.study_page.MOST_FIELDS", 50)
    page = study_page(result)
    assert page.count('data-figure="groups-') == 2  # four axes, eight pairs: one group
    assert page.count("No room for more radars") == 4 and page.count("No room for the tables") == 5
    assert "The 10 of 40 pairs that lost most" in page


def test_one_pair_is_a_study_too() -> None:
    result = many(1)
    assert "pair number 0 of the study lost" in study_text(result)
    page = study_page(result)
    assert "Heat map" not in page and "Pairs ranked" in page


@pytest.mark.slow
def test_five_hundred_pairs_from_disk(run_cli: Cli, tmp_path: Path) -> None:
    """Every ordered pair of 23 runs, computed, then from the cache."""
    runs = []
    for n in range(23):
        names = save_pair(tmp_path, f"r{n}", planted_pair(0.02 * (n % 10), items=15, seed=7))
        runs.append(names["after"])
    pairs = [{"name": f"{a}-{b}", "before": a, "after": b} for a in runs for b in runs if a != b][:500]
    path = write_study(tmp_path, pairs)
    assert run_cli("study", path, "--report", tmp_path / "s.html")[0] == 0
    start = time.monotonic()
    assert run_cli("study", path)[0] == 0
    assert time.monotonic() - start < 30


def test_hostile_names_are_shown_as_they_are(tmp_path: Path) -> None:
    result = many(3)
    evil = "</script><script>alert(1)</script>\x1b[31m"
    entries = tuple(replace(e, spec=replace(e.spec, name=evil + e.name, group=evil)) for e in result.entries)
    made = StudyResult(replace(result.study, title=evil), entries, ())
    page = study_page(made)
    assert "<script>alert" not in page and "\x1b" not in page
    assert "\x1b" not in study_text(made)
