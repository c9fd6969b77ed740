"""The bridge: loss split item by item into the prompt's and the training's doing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import answer, make_run
from forgetmap import Run, compare
from forgetmap.errors import PairingError

#: before, bridge, after: one item each.
LINES = ["110", "110", "110", "100", "100", "101", "011", "001", "001", "001", "000", "111", "111", "010"]


def stage(place: int, *, model: str, prompt: str = "p") -> Run:
    rows = [answer(n, line[place] == "1", asked=f"{prompt} {n}") for n, line in enumerate(LINES)]
    return make_run(rows, model=model, prompt="asked")


def test_the_split_adds_up_item_by_item() -> None:
    found = compare(stage(0, model="base"), stage(2, model="tuned"), bridge=stage(1, model="base"))
    assert found.bridge is not None
    assert (found.bridge.role, found.bridge.items, found.bridge.missing) == ("before", 14, 0)
    cell = found.bridge.of("total", "total")
    assert cell is not None
    assert cell["lost_to_training"] == pytest.approx(3 / 14)
    assert cell["lost_to_prompt"] == pytest.approx(2 / 14)
    assert cell["gained_by_prompt"] == pytest.approx(1 / 14)
    assert cell["gained_by_training"] == pytest.approx(3 / 14)
    assert cell["lost_to_training"] + cell["lost_to_prompt"] == pytest.approx(found.total.observed["lost"])
    assert cell["gained_by_training"] + cell["gained_by_prompt"] == pytest.approx(found.total.observed["gained"])
    for part in ("lost_to_prompt", "gained_by_training"):
        assert cell[f"{part}_low"] < cell[part] < cell[f"{part}_high"]


def test_the_after_model_may_stand_on_the_bridge() -> None:
    found = compare(stage(0, model="base"), stage(2, model="tuned"), bridge=stage(1, model="tuned"))
    cell = found.bridge.of("total", "total")  # type: ignore[union-attr]
    assert found.bridge.role == "after"  # type: ignore[union-attr]
    assert cell is not None
    assert cell["lost_to_prompt"] == pytest.approx(3 / 14)
    assert cell["lost_to_training"] == pytest.approx(2 / 14)


def test_without_a_name_the_prompts_tell() -> None:
    before, after = stage(0, model="base", prompt="few"), stage(2, model="tuned", prompt="chat")
    same_prompt = compare(before, after, bridge=stage(1, model="?", prompt="few")).bridge
    other_prompt = compare(before, after, bridge=stage(1, model="?", prompt="chat")).bridge
    assert same_prompt is not None
    assert other_prompt is not None
    assert (same_prompt.role, other_prompt.role) == ("after", "before")


def test_a_changed_prompt_stays_on_every_verdict_without_a_bridge() -> None:
    found = compare(stage(0, model="base", prompt="few"), stage(2, model="tuned", prompt="chat"))
    assert all("prompt changed" in cell.flags for cell in found.cells)
    assert "‡" in found.table()
    same = compare(stage(0, model="base"), stage(2, model="tuned"))
    assert not any(cell.flags for cell in same.cells)


def test_a_bridge_of_other_items_is_refused() -> None:
    rows = [answer(n + 1000, True) for n in range(5)]
    with pytest.raises(PairingError):
        compare(stage(0, model="base"), stage(2, model="tuned"), bridge=make_run(rows))


def test_the_command_tells_the_parts(tmp_path: Path, run_cli: Callable[..., tuple[int, str, str]]) -> None:
    paths = []
    for place, model in enumerate(("base", "base", "tuned")):
        paths.append(stage(place, model=model).save(tmp_path / f"{place}"))
    code, out, _ = run_cli("compare", paths[0], paths[2], "--bridge", paths[1])
    assert code == 0
    said = " ".join(out.split())
    assert "Of the 35.7 points that went from right to wrong, the prompt took 14.3 points" in said
    assert "and the training 21.4 points" in said


def test_another_model_on_the_bridge_is_told() -> None:
    found = compare(stage(0, model="base"), stage(2, model="tuned"), bridge=stage(1, model="stranger"))
    assert any("neither of the two models" in warning for warning in found.warnings)
    assert found.bridge is not None
    short = make_run([answer(n, line[1] == "1") for n, line in enumerate(LINES)][:10], model="base")
    told = compare(stage(0, model="base"), stage(2, model="tuned"), bridge=short, force=True)
    assert any("lacks 4 of the paired items" in warning for warning in told.warnings)
