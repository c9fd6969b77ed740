"""Policy files: what they may hold, and how a mistake is told."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from forgetmap.gate import PolicyError, load_policy
from forgetmap.gate.policy import fits

LIMITS = "limits:\n  - {level: total, lost: 0.05}\n"


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "policy.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_every_key_is_read(tmp_path: Path) -> None:
    text = """
reading: chance
margin: 0.03
taxonomy: captrack
weight: items
tasks: ["mmlu:*", gsm8k]
limits:
  - {level: total, lost: 0.05, gained: 0.2, net: 0.01, gained_at_least: 0.02}
  - {level: category, name: "Math*", lost: 0.03}
coverage: 1
null_scores: 0
required_tasks: [gsm8k]
allow: {settings: [batch_size, "*_seed"], missing_tasks: [piqa], prompt_changed: true}
sequential: {alpha: 0.01, seed: 7, until: limits}
"""
    policy = load_policy(write(tmp_path, text))
    assert policy.limits[0].limits() == [("lost", 0.05), ("gained", 0.2), ("net", 0.01), ("gained_at_least", 0.02)]
    assert policy.limits[1].limits() == [("lost", 0.03)]
    assert policy.limits[1].label == "category Math*"
    assert (policy.reading, policy.margin, policy.taxonomy, policy.weight) == ("chance", 0.03, "captrack", "items")
    assert policy.task_glob == "mmlu:*,gsm8k"
    assert (policy.coverage, policy.null_scores, policy.required_tasks) == (1.0, 0.0, ("gsm8k",))
    assert policy.allow.settings == ("batch_size", "*_seed")
    assert policy.allow.missing_tasks == ("piqa",)
    assert policy.allow.prompt_changed is True
    assert (policy.sequential.alpha, policy.sequential.seed, policy.sequential.until) == (0.01, 7, "limits")
    assert policy.source == str(tmp_path / "policy.yaml")


def test_the_defaults_are_strict(tmp_path: Path) -> None:
    policy = load_policy(write(tmp_path, LIMITS))
    assert (policy.reading, policy.coverage, policy.null_scores) == ("auto", 0.95, 0.01)
    assert policy.allow.settings == policy.allow.missing_tasks == ()
    assert policy.allow.prompt_changed is False
    assert policy.task_glob is None
    assert policy.sequential.until == "gate"


def test_the_starter_is_a_policy(tmp_path: Path) -> None:
    text = (files("forgetmap") / "gate" / "starter.yaml").read_text(encoding="utf-8")
    assert [limit.level for limit in load_policy(write(tmp_path, text)).limits] == ["total", "category"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no keys"),
        ("- level: total\n", "holds no keys"),
        ("just text\n", "holds no keys"),
        ("coverage: 0.9\n", "key 'limits' is missing"),
        ("limits: []\n", "key 'limits'"),
        ("limits: 0.05\n", "key 'limits'"),
        ("limit:\n  - {level: total, lost: 0.05}\n", "key 'limit' is not known, expected one of limits, reading,"),
        ("limit:\n  - {level: total, lost: 0.05}\n", "write 'limits'"),
        (LIMITS + "drift: 1\n", "key 'drift' is not known"),
        ("limits:\n  - {level: total, lots: 0.05}\n", "key 'limits, entry 1, lots' is not known"),
        ("limits:\n  - {level: total, lots: 0.05}\n", "write 'lost'"),
        (LIMITS + "allow: {setting: [x]}\n", "expected one of settings, missing_tasks, prompt_changed; write 'settings'"),
        (LIMITS + "sequential: {sed: 1}\n", "write 'seed'"),
        ("limits:\n  - {level: total}\n", "limits, entry 1: sets no limit"),
        (LIMITS + "  - {level: total, name: x, lost: 0.1}\n", "limits, entry 2: the total has no name"),
        ("limits:\n  - {lost: 0.05}\n", "key 'limits, entry 1, level' is missing"),
        ("limits:\n  - {level: subject, lost: 0.05}\n", "'task', 'category', 'group' or 'total', found 'subject'"),
        ("limits:\n  - {level: total, lost: '0.05'}\n", "found '0.05'; write a share such as 0.05 for 5 %"),
        ("limits:\n  - {level: total, lost: 5%}\n", "found '5%'; write a share"),
        ("limits:\n  - {level: total, lost: -0.05}\n", "greater than 0, found -0.05"),
        ("limits:\n  - {level: total, lost: 0}\n", "greater than 0, found 0"),
        ("limits:\n  - {level: total, lost: 1}\n", "less than 1, found 1"),
        ("limits:\n  - {level: total, lost: 5}\n", "less than 1, found 5; write a share such as 0.05"),
        ("limits:\n  - {level: total, lost: .nan}\n", "finite number, found nan"),
        ("limits:\n  - {level: total, lost: .inf}\n", "finite number, found inf"),
        ("limits:\n  - {level: total, lost: true}\n", "valid number, found True"),
        ("limits:\n  - {level: total, lost: [0.05]}\n", "valid number, found [0.05]"),
        ("limits:\n  - {level: task, name: '', lost: 0.05}\n", "at least 1 character"),
        ("limits:\n  - {level: task, name: 5, lost: 0.05}\n", "valid string, found 5"),
        (LIMITS + "margin: 0\n", "key 'margin'"),
        (LIMITS + "margin: 0.5\n", "key 'margin'"),
        (LIMITS + "coverage: 95\n", "key 'coverage': input should be less than or equal to 1"),
        (LIMITS + "null_scores: -1\n", "key 'null_scores'"),
        (LIMITS + "reading: paper\n", "'auto', 'observed', 'noise' or 'chance', found 'paper'"),
        (LIMITS + "weight: mass\n", "key 'weight'"),
        (LIMITS + "required_tasks: gsm8k\n", "key 'required_tasks'"),
        (LIMITS + "required_tasks: [1]\n", "key 'required_tasks, entry 1'"),
        (LIMITS + "allow: {prompt_changed: 'no'}\n", "valid boolean"),
        (LIMITS + "allow: []\n", "key 'allow'"),
        (LIMITS + "sequential: {alpha: 0.7}\n", "key 'sequential, alpha'"),
        (LIMITS + "sequential: {seed: -1}\n", "key 'sequential, seed'"),
        (LIMITS + "sequential: {seed: 1.5}\n", "valid integer, found 1.5"),
        (LIMITS + "sequential: {until: all}\n", "'gate' or 'limits', found 'all'"),
        (LIMITS + "coverage: 0.9\ncoverage: 0.1\n", "line 4: key 'coverage' is given twice"),
        (LIMITS + "? [a]\n: b\n", "a key must be plain text"),
        (LIMITS + "5: x\n", "5"),
        ("limits: [\n", "not YAML"),
        ("limits: *other\n", "refers to another part of the file"),
        ("a: &a [x]\nlimits: *a\n", "refers to another part of the file"),
        ("limits: " + "[" * 5000, "nested too deeply"),
        (LIMITS + "coverage: 2024-99-99\n", "cannot be read"),
        (LIMITS + "coverage: !!python/object/apply:os.system ['true']\n", "not YAML"),
        (b"limits: \xff\n", "not UTF-8"),
        (b"#" * (1 << 21), "more than people write"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_with_the_file(tmp_path: Path, text: str | bytes, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(PolicyError) as refused:
        load_policy(path)
    message = str(refused.value)
    assert message.startswith(f"{path}: ")
    assert said in message
    assert "\n" not in message
    assert len(message) < 400


def test_laughing_a_billion_times_costs_nothing(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(PolicyError, match="line 2: refers to another part"):
        load_policy(write(tmp_path, "\n".join(lines) + "\n"))


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(PolicyError, match="cannot be read"):
            load_policy(path)


def test_a_mapping_is_checked_alike() -> None:
    assert load_policy({"limits": [{"level": "task", "lost": 0.1}]}).limits[0].name == "*"
    with pytest.raises(PolicyError, match="policy: key 'limts' is not known"):
        load_policy({"limts": []})


def test_a_taxonomy_file_is_named_from_where_the_policy_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.yaml").write_text("categories: {A: [x]}\n")
    path = write(tmp_path, LIMITS + "taxonomy: mine.yaml\n")
    monkeypatch.chdir("/")
    assert load_policy(path).taxonomy == str(tmp_path / "mine.yaml")
    for name in ("captrack", "log"):
        (tmp_path / name).write_text("a file that happens to bear the name")
        assert load_policy(write(tmp_path, LIMITS + f"taxonomy: {name}\n")).taxonomy == name


def test_globs_take_brackets_as_they_are() -> None:
    assert fits("a[b]*", ["a[b]c"])
    assert not fits("a[b]", ["ab"])
    assert fits("gsm?k", ["gsm8k"])
    assert not fits("GSM8K*", ["gsm8k"])
    assert fits("mmlu_anatomy", ["mmlu:anatomy"])
    assert not fits("mmlu", ["mmlu:anatomy"])
