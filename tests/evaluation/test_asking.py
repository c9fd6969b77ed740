"""What tasks say for themselves and what the command says instead; what a server counts; when a map may stop early."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer

from engines import faulty_server as faulty
from forgetmap import evaluate
from forgetmap.cli import evaluating, models
from forgetmap.errors import RunError, SuiteError, UsageError
from forgetmap.evaluation.asking import chosen_tasks, how_asked
from forgetmap.evaluation.usage import usage_of
from forgetmap.run import Run
from forgetmap.suites import load
from suites.suite_making import TASK, line, make_suite

pytest.importorskip("openai")

Cli = Callable[..., tuple[int, str, str]]
KEY = "sk-nobody-shall-read-this"
REASONED = {
    **TASK, "name": "reasoned", "source": {"packed": "items/reasoned"}, "scoring": {"kind": "letter"},
    "formats": ["letters"], "styles": ["base", "chat", "cot"], "protocol": {"base": "base_cot", "chat": "chat_cot"},
    "demonstrations": [
        {"question": "What is 1 + 1?", "options": ["2", "3"], "answer": "2", "reasoning": "One more than one is two."}
    ],
}  # fmt: skip
VARIED = {**TASK, "repeats": {"kind": "prompt", "count": 3}}
SPOKEN = {**REASONED, "name": "spoken", "styles": ["chat", "cot"], "protocol": {"chat": "chat_cot"}}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[faulty.FaultyServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with faulty.faulty_server() as made:
        yield made


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Sums in three wordings, a task that reasons, and one for chat alone; the folder to work in lies beside it."""
    lines = [line(place) for place in range(6)]
    lines += [{**line(place), "task": name} for name in ("reasoned", "spoken") for place in range(2)]
    make_suite(tmp_path / "suite", [VARIED, REASONED, SPOKEN], lines)
    monkeypatch.chdir(tmp_path)
    return "suite"


def asked(server: faulty.FaultyServer, **more: Any) -> dict[str, Any]:
    return {"engine": "openai", "engine_options": {"base_url": server.address, "concurrency": 2}, **more}


def styles(run: Run) -> dict[str, str]:
    return {task: told.get("style", run.info.settings["style"]) for task, told in run.info.task_settings.items()}


def repeats(run: Run) -> dict[str, int]:
    counted = run.samples.group_by(pl.col("task").cast(pl.String)).agg(pl.col("repeat").n_unique())
    return dict(counted.iter_rows())


def test_tasks_are_asked_as_their_files_say(server: faulty.FaultyServer, suite: str) -> None:
    run = evaluate("m", suite, "own", **asked(server))
    assert styles(run) == {"sums": "base", "reasoned": "base_cot"}  # the third has no text prompts
    assert run.info.settings["style"] == "own"
    assert repeats(run) == {"sums": 3, "reasoned": 1}
    assert run.info.repeat_kind == "prompt"
    assert "tasks_asked_otherwise" not in run.info.counts
    prompts = run.texts().join(run.samples.select("text_row", "task").unique(), on="text_row")
    ends = prompts.group_by(pl.col("task").cast(pl.String)).agg(pl.col("prompt").str.ends_with("Reasoning:").all())
    assert dict(ends.iter_rows()) == {"sums": False, "reasoned": True}
    spoken = evaluate("m", suite, "chat", style="own_chat", by_letter=True, **asked(server))
    assert styles(spoken) == {"sums": "chat", "reasoned": "chat_cot", "spoken": "chat_cot"}


def test_the_command_wins_and_the_run_tells(server: faulty.FaultyServer, suite: str) -> None:
    run = evaluate("m", suite, "plain", style="base", repeats=1, **asked(server))
    assert set(styles(run).values()) == {"base"}
    assert set(repeats(run).values()) == {1}
    assert run.info.counts["tasks_asked_otherwise"] == 2
    drawn = evaluate("m", suite, "drawn", tasks="reasoned", repeats=2, temperature=1.0, **asked(server))
    assert (drawn.info.repeat_kind, repeats(drawn)) == ("seed", {"reasoned": 2})
    with pytest.raises(UsageError, match="task spoken has no style own, only chat, chat_cot"):
        evaluate("m", suite, "none", tasks="spoken", **asked(server))


def test_the_same_is_the_same_however_it_is_asked_for(server: faulty.FaultyServer, suite: str) -> None:
    first = evaluate("m", suite, "run", tasks="sums", **asked(server))
    seen = len(server.seen)
    again = evaluate("m", suite, "run", tasks="sums", style="base", variants={"prompt": 3}, **asked(server))
    assert again.info.evaluation == first.info.evaluation
    assert len(server.seen) - seen <= 3  # what opening takes
    with pytest.raises(RunError, match="another evaluation"):
        evaluate("m", suite, "run", tasks="sums", repeats=1, **asked(server))


def test_the_protocol_of_the_paper() -> None:
    """Base models: few examples that reason, but for MMLU; tuned ones: reasoning in chat (post_forget.md 2)."""
    paper = load("post_forget")
    text = how_asked(paper, chosen_tasks(paper, None, "own"), "own", None)
    assert {one.style for name, one in text.items() if name.startswith("mmlu:")} == {"base"}
    assert {one.style for name, one in text.items() if name.startswith(("arc:", "gpqa:", "bbh:"))} == {"base_cot"}
    assert not {"truthfulqa:mc1", "saladbench:mrq"} & set(text)
    chat = how_asked(paper, chosen_tasks(paper, None, "own_chat"), "own_chat", None)
    assert {name for name, one in chat.items() if one.style == "chat"} <= {"ifeval"} | {
        name for name in chat if "cot" not in paper.task(name).spec.styles
    }
    assert all(one.variants in ({}, {"prompt": 3}) for one in chat.values())


def test_a_protocol_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="key 'protocol, chat' is 'chat_cot', but 'styles' has no chat"):
        load(make_suite(tmp_path, {**TASK, "styles": ["base"], "protocol": {"chat": "chat_cot"}}))


def told(server: faulty.FaultyServer) -> list[str]:
    given = [f"base_url={server.address}", "concurrency=2", "price_in=2", "price_out=10"]
    return ["--engine", "openai", *(part for one in given for part in ("--engine-option", one))]


def test_what_it_took_is_printed_and_kept(
    run_cli: Cli, server: faulty.FaultyServer, suite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also over an interruption: what the first half took is not forgotten."""
    from forgetmap.evaluation.workplace import Workplace

    def once(self: Workplace, shard: Any) -> None:
        add(self, shard)
        raise KeyboardInterrupt

    add = Workplace.add
    command = ["eval", "m", "--suite", suite, "--tasks", "sums", "--out", "run", *told(server)]
    with monkeypatch.context() as patched:
        patched.setattr(Workplace, "add", once)
        assert run_cli(*command)[0] == 130
    code, out, err = run_cli(*command, "--json", "run.json")
    assert code == 0, err
    assert "every item is asked in 3 wordings, as the tasks say; --repeats 1 asks once" in err
    took = usage_of(Run.load("run"))
    assert took is not None
    assert took.requests == took.tokens_out == 6 * 3 * 3  # items, wordings, options; the server writes one token
    assert took.cost == pytest.approx((took.tokens_in * 2 + took.tokens_out * 10) / 1e6, abs=1e-6)
    assert f"{took.tokens_in:,} tokens in and 54 out in 54 requests; cost " in out
    assert json.loads(Path("run.json").read_text())["usage"]["tokens_in"] == took.tokens_in
    written = b"".join(path.read_bytes() for path in Path().rglob("*") if path.is_file())
    assert KEY not in out + err
    assert KEY.encode() not in written


def test_a_map_stops_when_the_gate_is_sure(
    run_cli: Cli, server: faulty.FaultyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_suite(Path("suite"), TASK, [line(place) for place in range(300)])
    Path("suite/suite.yaml").write_text("name: own\ntitle: Own\nweight: items\n")
    Path("policy.yaml").write_text("limits:\n  - {level: total, lost: 0.2}\n")
    command = ["map", "m", "n", "--suite", "suite", "--tasks", "sums", "--until-decided", "policy.yaml"]
    code, out, err = run_cli(*command, *told(server), "--json", "map.json")
    assert code == 0, err
    drawn = json.loads(Path("map.json").read_text())
    assert drawn["weight"] == "items"  # as the suite says
    assert set(drawn["usage"]) == {"before", "after"}
    assert "stopped after 200 of 300 items: the gate surely passes" in out
    assert "together: " in out
    before, after = (Run.load(f"runs/{name}--suite") for name in ("before--m", "after--n"))
    assert (before.info.counts["items"], after.info.counts["items"]) == (300, 200)
    assert after.info.subset == {"until_decided": 200}
    gate = ["gate", "runs/before--m--suite", "runs/after--n--suite", "--policy", "policy.yaml", "--sequential"]
    assert run_cli(*gate)[0] == 0
    Path("policy.yaml").write_text("limits:\n  - {level: total, lost: 0.1}\n")
    code, _, err = run_cli(*command, *told(server))
    assert code == 2  # what was stopped for one policy is no answer to another
    assert "after--n--suite: holds a run of another evaluation" in err


@pytest.mark.parametrize(
    ("given", "address"),
    [
        (["--ray"], "local"),
        (["--ray", "--replicas", "2"], "local"),
        (["--ray", "auto"], "auto"),
        (["--ray=10.0.0.1:6379"], "10.0.0.1:6379"),
        ([], None),
    ],
)
@pytest.mark.parametrize("verb", ["eval", "map"])
def test_a_cluster_of_ones_own_needs_no_address(
    monkeypatch: pytest.MonkeyPatch, suite: str, verb: str, given: list[str], address: str | None
) -> None:
    seen: list[Any] = []

    def noted(*_: Any, **more: Any) -> None:
        seen.append(more["ray"])
        raise UsageError("seen")

    monkeypatch.setattr("forgetmap.evaluation.evaluate", noted)
    app = typer.Typer()
    app.command("eval", cls=models.AskingCommand)(evaluating.eval_command)
    app.command("map", cls=models.AskingCommand)(evaluating.map_command)
    with pytest.raises(UsageError, match="seen"):
        app([verb, "m", *(["n"] if verb == "map" else []), "--suite", suite, *given], standalone_mode=False)
    assert seen == [address]
