"""`--report`, `--csv`, `--xlsx`, `--latex`, `--markdown`, `--figures`, `--style`, and `forgetmap report`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from forgetmap import compare

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pair(logs: Path) -> tuple[Path, Path]:
    return logs / "lm_eval" / "before", logs / "lm_eval" / "after"


def test_one_call_writes_everything(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    code, out, err = run_cli(
        "compare", *pair, "--report", tmp_path / "r.html", "--csv", tmp_path / "tables", "--xlsx", tmp_path / "m.xlsx",
        "--latex", tmp_path / "m.tex", "--markdown", tmp_path / "m.md", "--figures", tmp_path / "figures",
    )  # fmt: skip
    assert code == 0, err
    assert out.count("wrote ") == 6
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert html.lower().startswith("<!doctype html>")
    cells = pl.read_csv(tmp_path / "tables" / "cells.csv")
    assert cells.height == len(compare(*pair).cells)
    assert (tmp_path / "m.tex").read_text(encoding="utf-8").count(r"\toprule") >= 1
    assert "|" in (tmp_path / "m.md").read_text(encoding="utf-8")
    assert (tmp_path / "m.xlsx").read_bytes()[:2] == b"PK"
    stems = {path.stem for path in (tmp_path / "figures").glob("[!.]*")}
    assert {"radar", "forest", "quadrants"} <= stems
    assert {path.suffix for path in (tmp_path / "figures").glob("[!.]*")} == {".svg", ".png", ".pdf"}


def test_figures_of_other_maps_do_not_stay(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "f"
    assert run_cli("compare", *pair, pair[0], "--figures", folder)[0] == 0
    (folder / "mine.txt").write_text("kept")
    assert (folder / "forest-2.svg").is_file()
    assert run_cli("compare", *pair, "--figures", folder)[0] == 0
    stems = {path.stem for path in folder.glob("[!.]*")}
    assert {"forest", "radar", "mine"} <= stems
    assert not {stem for stem in stems if stem.startswith(("forest-", "heat-"))}


@pytest.mark.parametrize("command", ["compare", "items"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_map_in_the_place_of_a_run(
    run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path, command: str, place: int
) -> None:
    saved = tmp_path / "map of two.json"
    afters = [pair[1], pair[1]] if place == 2 else [pair[1]]  # several maps have a schema of their own
    assert run_cli("compare", pair[0], *afters, "--json", saved)[0] == 0
    given = [[saved], [saved, pair[1]], [pair[0], saved]][place]
    code, out, err = run_cli(command, *given)
    assert (code, out) == (2, "")
    assert "is a saved map, not a run" in err
    assert f"forgetmap report '{saved}' shows it" in err


@pytest.mark.parametrize("command", ["compare", "items"])
def test_a_call_without_an_after(run_cli: Cli, pair: tuple[Path, Path], command: str) -> None:
    code, _, err = run_cli(command, pair[0])
    assert code == 2
    assert "AFTER is missing" in err


def test_a_map_among_runs_is_refused(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    run_cli("compare", *pair, "--json", tmp_path / "map.json")
    code, _, err = run_cli("report", tmp_path / "map.json", pair[1], "--out", tmp_path / "r.html")
    assert code == 2
    assert "give one map, or BEFORE and AFTER runs" in err
    assert not (tmp_path / "r.html").exists()


def test_a_saved_map_shows_what_the_fresh_one_did(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    run_cli("compare", *pair, "--json", tmp_path / "map.json", "--markdown", tmp_path / "fresh.md")
    code, _, err = run_cli(
        "report", tmp_path / "map.json", "--out", tmp_path / "r.html", "--markdown", tmp_path / "saved.md"
    )
    assert code == 0, err
    assert (tmp_path / "saved.md").read_bytes() == (tmp_path / "fresh.md").read_bytes()


def test_several_afters_and_life_lines(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    code, _, err = run_cli(
        "report", pair[0], pair[1], pair[0], "--chain", "--out", tmp_path / "r.html", "--figures", tmp_path / "f"
    )
    assert code == 0, err
    stems = {path.stem for path in (tmp_path / "f").glob("[!.]*")}
    assert {"heat-lost", "heat-gained", "forest-1", "forest-2", "alluvial"} <= stems


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--report", "x.txt"], "ends in .html"),
        (["--report", "no/such/x.html"], "no folder"),
        (["--xlsx", "x.csv"], "ends in .xlsx"),
        (["--csv", "taken"], "which is a file"),
        (["--figures", "taken"], "which is a file"),
        (["--latex", "."], "which is a folder"),
        (["--style", "glossy"], "forgetmap, paper, captrack"),
    ],
)
def test_bad_targets_are_refused_before_anything_is_read(
    run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("")
    code, _, err = run_cli("compare", "no-such-run", "nor-this", *arguments)
    assert code == 2
    assert said in err


@pytest.mark.parametrize("content", ["{}", "[1]", '{"schema": "forgetmap.map/1"}', "not json"])
def test_what_is_no_map_is_refused(run_cli: Cli, tmp_path: Path, content: str) -> None:
    (tmp_path / "map.json").write_text(content)
    code, _, err = run_cli("report", tmp_path / "map.json", "--out", tmp_path / "r.html")
    assert code == 2
    assert err.startswith("forgetmap: ") and err.count("\n") == 1
    assert not (tmp_path / "r.html").exists()


def test_the_paper_style_in_the_terminal(run_cli: Cli, pair: tuple[Path, Path]) -> None:
    code, out, err = run_cli("compare", *pair, "--style", "paper")
    assert code == 0, err
    cell = compare(*pair).total
    assert cell.paper is not None
    assert f"{100 * cell.paper['lost']:.1f}" in out and f"({100 * cell.paper['lost_max']:.1f})" in out


def test_the_demo_has_a_page(run_cli: Cli, tmp_path: Path) -> None:
    code, out, err = run_cli(
        "demo", "--planted", "--items", "200", "--report", tmp_path / "demo.html", "--json", tmp_path / "d.json"
    )
    assert code == 0, err
    assert "wrote" in out
    assert json.loads((tmp_path / "d.json").read_text())["schema"] == "forgetmap.map/1"
    assert (tmp_path / "demo.html").stat().st_size > 100_000


def test_from_python(pair: tuple[Path, Path], tmp_path: Path) -> None:
    path = compare(*pair).report(tmp_path / "r.html", items=10)
    assert path.is_file()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.update(cells=[]), "level total"),
        (lambda m: m.update(cells="x"), "Expected"),
        (lambda m: m["cells"].reverse(), "total"),
        (lambda m: m["cells"].pop(), "total"),
        (lambda m: m["cells"][0].pop("lost"), "lost"),
        (lambda m: m["cells"][0].update(lost="much"), "lost"),
        (lambda m: m["cells"][0].update(lost=1e308), "lost"),
        (lambda m: m["cells"][0].update(items=None), "items"),
        (lambda m: m["cells"][0].update(name=None), "name"),
        (lambda m: m["cells"][0].update(level="odd"), "level"),
        (lambda m: m["cells"][0].update(verdict="sure"), "verdict"),
        (lambda m: m["cells"][-1].update(chance={"lost": 0.1}), "chance."),
        (lambda m: m.update(pairing={}), "pairing"),
        (lambda m: m.update(before={}), "before"),
        (lambda m: m.update(causes=None), "causes"),
        (lambda m: m["before"].update(model=7), "model"),
        (lambda m: m.update(warnings="boo"), "warnings"),
        (lambda m: m.update(weight="heavy"), "weight"),
        (lambda m: m.update(schema="forgetmap.map/2"), "forgetmap.map/2"),
        (lambda m: m.update(schema="forgetmap.maps/1"), "maps"),
    ],
)
def test_an_edited_map_is_refused_in_one_sentence(
    run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path, change: Callable[[Any], Any], said: str
) -> None:
    content = compare(*pair).to_dict()
    change(content)
    (tmp_path / "map.json").write_text(json.dumps(content))
    code, _, err = run_cli("report", tmp_path / "map.json", "--out", tmp_path / "r.html")
    assert code == 2
    assert err.startswith("forgetmap: ") and err.count("\n") == 1
    assert said in err
    assert not (tmp_path / "r.html").exists()


def test_a_map_with_its_keys_in_another_order_is_a_map(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    text = json.dumps(compare(*pair).to_dict(), sort_keys=True)
    (tmp_path / "map.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert run_cli("report", tmp_path / "map.json", "--out", tmp_path / "r.html")[0] == 0


def test_what_a_saved_map_cannot_do_is_refused(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    run_cli("compare", *pair, "--json", tmp_path / "map.json")
    for option in (["--taxonomy", "captrack"], ["--weight", "items"], ["--items", "5"], ["--chain"], ["--tasks", "x"]):
        code, _, err = run_cli("report", tmp_path / "map.json", "--out", tmp_path / "r.html", *option)
        assert code == 2 and "needs the runs" in err
    for sources in ([tmp_path / "map.json"], pair):
        code, _, err = run_cli("report", *sources, "--out", tmp_path / "r.html", "--reading", "noise")
        assert code == 2 and "reading" in err


def test_nothing_is_written_when_one_output_cannot_be_made(
    run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    targets = ["--json", tmp_path / "a.json", "--report", tmp_path / "a.html", "--xlsx", tmp_path / "a.xlsx"]
    for extra in (["--style", "captrack"], ["--by", "group"], ["--latex", tmp_path / "a.html"]):
        code, _, err = run_cli("compare", *pair, *targets, *extra)
        assert code == 2, err
        assert not list(tmp_path.iterdir())


def test_the_recipe_of_training_seeds_is_kept(run_cli: Cli, pair: tuple[Path, Path], tmp_path: Path) -> None:
    code, _, err = run_cli(
        "compare", pair[0], pair[1], pair[1], "--training-seeds", "--json", tmp_path / "m.json", "--csv", tmp_path / "c"
    )
    assert code == 0, err
    assert pl.read_csv(tmp_path / "c" / "recipe.csv").height > 1
    code, _, err = run_cli("report", tmp_path / "m.json", "--out", tmp_path / "r.html")
    assert code == 0, err
    assert "training seeds" in (tmp_path / "r.html").read_text(encoding="utf-8")
