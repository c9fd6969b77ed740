"""The policy and the workflow in the documentation are real ones."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from forgetmap.cli.app import app
from forgetmap.gate import load_policy

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
WORKFLOW = ROOT / "examples" / "github" / "forgetmap-gate.yml"


def yaml_blocks() -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_policy_in_the_page_shows_every_key(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(yaml_blocks()[0], encoding="utf-8")
    shown = yaml.safe_load(yaml_blocks()[0])
    policy = load_policy(path).to_dict()
    assert set(shown) == set(policy) - {"source"}
    for key in ("allow", "sequential"):
        assert set(shown[key]) == set(policy[key])
    for measure in ("lost", "gained", "net", "gained_at_least"):
        assert f"| `{measure}: x` |" in PAGE


def test_the_workflow_in_the_page_is_the_example() -> None:
    assert yaml_blocks()[1] == WORKFLOW.read_text(encoding="utf-8")


def steps() -> list[dict[str, Any]]:
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]


def test_the_workflow_is_well_formed() -> None:
    content = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert set(content) == {"name", True, "permissions", "jobs"}  # YAML 1.1 reads `on` as true
    assert content["permissions"] == {"contents": "read", "pull-requests": "write"}
    for step in steps():
        assert ("run" in step) != ("uses" in step)
        assert set(step) <= {"name", "if", "uses", "with", "run", "env", "continue-on-error"}


def test_the_workflow_installs_from_where_it_can_be_had() -> None:
    """It is not on PyPI: a plain name would fail there, or fetch whatever somebody puts under it."""
    (install,) = (step["run"] for step in steps() if step.get("name") == "Install")
    assert re.fullmatch(r'pip install "forgetmap @ git\+https://github\.com/OWNER/forgetmap@\S+"', install)
    assert "replace `OWNER`" in PAGE


def commands() -> list[list[str]]:
    lines = [line.strip() for step in steps() for line in step.get("run", "").splitlines()]
    return [shlex.split(line) for line in lines if line.startswith("forgetmap ")]


def test_every_forgetmap_command_of_the_workflow_exists() -> None:
    assert commands()
    known = get_command(app).commands  # type: ignore[attr-defined]
    for _, name, *arguments in commands():
        options = {option for parameter in known[name].params for option in parameter.opts}
        assert {argument for argument in arguments if argument.startswith("--")} <= options
    assert "--no-such-option" not in options


def test_later_steps_use_what_the_gate_writes() -> None:
    written = {
        arguments[place + 1] for arguments in commands() for place, one in enumerate(arguments) if one.startswith("--")
    }
    used = {name for step in steps() for name in re.findall(r"\bgate\.\w+", step.get("run", "") + step.get("if", ""))}
    assert used - {"gate.md", "gate.xml", "gate.json"} == set()
    assert used <= written


@pytest.mark.parametrize("name", ["tasks", "required tasks", "coverage", "null scores", "settings", "prompts"])
def test_every_condition_is_documented(name: str) -> None:
    assert f"\n| {name} | " in PAGE
