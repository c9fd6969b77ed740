"""`forgetmap gate` as people and CI use it: exit codes, files, refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from forgetmap.testing import plant

Cli = Callable[..., tuple[int, str, str]]
POLICY = "limits:\n  - {level: total, lost: 0.10}\n  - {level: task, lost: 0.2}\n"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    pair, broken = (plant(2000, known=0.7, lost=lost, gained=0.0, tasks=2, seed=1) for lost in (0.01, 0.4))
    named = {"base": pair.before, "tuned": pair.after, "broken": broken.after}
    return {name: run.save(folder / name) for name, run in named.items()}


@pytest.fixture
def good(runs: dict[str, Path], tmp_path: Path) -> list[Path]:
    (tmp_path / "policy.yaml").write_text(POLICY)
    return [runs["base"], runs["tuned"]]


@pytest.fixture
def bad(runs: dict[str, Path], good: list[Path]) -> list[Path]:
    return [runs["base"], runs["broken"]]


def test_a_pass_leaves_with_0(run_cli: Cli, good: list[Path], tmp_path: Path) -> None:
    code, out, err = run_cli("gate", *good, "--policy", tmp_path / "policy.yaml")
    assert (code, err) == (0, "")
    assert out.startswith("✓ gate passed: 3 limits kept (planted-before → planted-after)")
    for piece in ("total: lost", "task planted:0: lost", "< 10 %", "✓ coverage: 100.00 % before, 100.00 % after"):
        assert piece in out
    assert "\x1b[" not in out


def test_a_failure_leaves_with_1_and_the_reasons(run_cli: Cli, bad: list[Path], tmp_path: Path) -> None:
    code, out, err = run_cli("gate", *bad, "--policy", tmp_path / "policy.yaml")
    assert (code, err) == (1, "")
    assert out.startswith("✗ gate failed")
    assert (
        "failed: 3 limits (total: lost, task planted:0: lost, task planted:1: lost): even the lower bound is not" in out
    )


@pytest.mark.parametrize("sequential", [False, True])
def test_the_files_agree_whether_it_passes_or_not(
    run_cli: Cli, good: list[Path], bad: list[Path], tmp_path: Path, sequential: bool
) -> None:
    for pair, code in ((good, 0), (bad, 1)):
        targets = [tmp_path / name for name in ("gate.json", "gate.md", "gate.xml")]
        named = [
            part
            for option, target in zip(("--json", "--markdown", "--junit"), targets, strict=True)
            for part in (option, target)
        ]
        more = ["--sequential"] if sequential else []
        left, out, _ = run_cli("gate", *pair, "--policy", tmp_path / "policy.yaml", *named, *more)
        assert left == code
        assert "gate" in out
        content = json.loads(targets[0].read_text())
        assert content["passed"] is (code == 0)
        assert (content["sequential"] is not None) is sequential
        assert targets[1].read_text().startswith(f"### {'✗' if code else '✓'} forgetmap gate")
        counts = ET.fromstring(targets[2].read_bytes()).attrib
        assert (counts["failures"] == "0") is (code == 0)
        outcomes = [one["passed"] for one in content["rules"] + content["checks"]]
        assert (int(counts["failures"]), int(counts["skipped"])) == (outcomes.count(False), outcomes.count(None))
        assert (None in outcomes) is (sequential and code == 1)  # it stopped at the first broken limit


@pytest.mark.parametrize("option", ["--json", "--markdown", "--junit"])
def test_standard_output_holds_nothing_else(run_cli: Cli, bad: list[Path], tmp_path: Path, option: str) -> None:
    code, out, err = run_cli("gate", *bad, "--policy", tmp_path / "policy.yaml", option, "-")
    assert (code, err) == (1, "")
    if option == "--json":
        assert json.loads(out)["schema"] == "forgetmap.gate/1"
    elif option == "--junit":
        assert ET.fromstring(out.encode()).tag == "testsuites"
    else:
        assert out.startswith("### ✗ forgetmap gate failed")


def test_sequential_says_where_it_stopped(run_cli: Cli, good: list[Path], tmp_path: Path) -> None:
    code, out, _ = run_cli("gate", *good, "--policy", tmp_path / "policy.yaml", "--sequential", "--seed", "3")
    assert code == 0
    assert "of 2,000 paired samples: 3 limits kept (" in out
    assert "stopped in the random order of seed 3;" in out
    content = json.loads(
        run_cli("gate", *good, "--policy", tmp_path / "policy.yaml", "--sequential", "--seed", "3", "--json", "-")[1]
    )
    assert content["sequential"]["seed"] == 3
    assert content["sequential"]["seen"] < 2000


def test_init_writes_a_policy_that_works(run_cli: Cli, good: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "mine.yaml"
    code, out, _ = run_cli("gate", "--init", target)
    assert code == 0
    assert str(target) in out.replace("\n", "")
    assert run_cli("gate", *good, "--policy", target)[0] in (0, 1)
    code, _, err = run_cli("gate", "--init", target)
    assert code == 2
    assert "exists" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "BEFORE and AFTER are missing"),
        (["{base}"], "AFTER is missing"),
        (["{base}", "{tuned}"], "--policy is missing"),
        (["{base}", "{tuned}", "--policy", "{here}/none.yaml"], "none.yaml: cannot be read"),
        (["{base}", "{tuned}", "--policy", "{here}/policy.yaml", "--seed", "1"], "only --sequential draws an order"),
        (["{base}", "{tuned}", "--policy", "{here}/policy.yaml", "--json", "-", "--junit", "-"], "are both -"),
        (["{base}", "{tuned}", "--policy", "{here}/policy.yaml", "--junit", "{here}/no/x.xml"], "no folder"),
        (["{base}", "{tuned}", "--policy", "{here}/policy.yaml", "--markdown", "{here}"], "which is a folder"),
        (["{base}", "{here}/nothing", "--policy", "{here}/policy.yaml"], "no such file or folder"),
        (["{base}", "{tuned}", "--policy", "{here}/policy.yaml", "--metric", "f1"], "no task has metric 'f1'"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_2(
    run_cli: Cli, good: list[Path], tmp_path: Path, arguments: list[str], said: str
) -> None:
    filled = [one.format(base=good[0], tuned=good[1], here=tmp_path) for one in arguments]
    code, out, err = run_cli("gate", *filled)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("forgetmap: ")
    assert err.count("\n") == 1


def test_a_bad_policy_is_refused_before_logs_are_read(run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("limits:\n  - {level: total, lost: 5}\n")
    code, _, err = run_cli("gate", tmp_path / "a", tmp_path / "b", "--policy", tmp_path / "policy.yaml")
    assert code == 2
    assert "key 'limits, entry 1, lost'" in err


def test_real_logs(run_cli: Cli, logs: Path, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("limits:\n  - {level: task, lost: 0.9}\n")
    pair = logs / "lm_eval" / "before", logs / "lm_eval" / "after"
    code, out, _ = run_cli("gate", *pair, "--policy", tmp_path / "policy.yaml")
    assert code == 1
    assert "✗ tasks: not compared: own_mutual (not in the after-run), winogrande (not in the after-run)" in out
    assert out.count("not compared") == 1
    assert "✓ prompts: the same" in out
    assert "✓ settings: all alike" in out
