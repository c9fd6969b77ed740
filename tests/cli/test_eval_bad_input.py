"""`eval` and `map` asked for what cannot be: exit 2 and one sentence that says what to do, and nothing in the way of the next try."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from conftest import LOGS
from engines import faulty_server as faulty
from suites.suite_making import TASK, line, make_suite

pytestmark = pytest.mark.faults

Cli = Callable[..., tuple[int, str, str]]
LINES = [line(place) for place in range(12)]
POLICY = "limits:\n  - {level: total, lost: 0.02}\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite, a policy, and much that is wrong."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    make_suite(Path("suite"), TASK, LINES)
    make_suite(Path("typo"), {**TASK, "wording": ["x"]}, LINES)
    make_suite(Path("types"), {**TASK, "shots": {"count": "two"}}, LINES)
    make_suite(Path("twice"), [TASK, TASK], LINES)
    make_suite(Path("yml"), TASK, LINES)
    shutil.copy("yml/tasks/t0.yaml", "yml/tasks/more.yml")
    make_suite(Path("no_data"), TASK)
    for name in ("empty", "broken", "other"):
        Path(name).mkdir()
    Path("broken/suite.yaml").write_text("name: [1\n")
    Path("other/notes.txt").write_text("mine")
    Path("file").write_text("text")
    Path("policy.yaml").write_text(POLICY)
    Path("policy_typo.yaml").write_text(POLICY.replace("limits", "limit"))
    Path("torn.gguf").write_bytes(b"GGUF\x03\x00")
    Path("fake.gguf").write_bytes(b"<html>")
    return tmp_path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[faulty.FaultyServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    with faulty.faulty_server() as made:
        yield made


def at(server: faulty.FaultyServer, *more: str) -> list[str]:
    """The options of an engine that needs no model."""
    given = [f"base_url={server.address}", "concurrency=1", *more]  # small batches
    return ["--engine", "openai", *(part for one in given for part in ("--engine-option", one))]


def listed(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def refused(run_cli: Cli, *arguments: object) -> str:
    """Run a command that must be refused: in one sentence, with a remedy, and without a trace on the disk."""
    before = listed(Path.cwd())
    code, out, err = run_cli(*arguments)
    assert (code, out) == (2, ""), err
    assert err.startswith("forgetmap: ")
    assert err.count("\n") == 1, err
    assert ";" in err, err  # what was found; what to do
    assert listed(Path.cwd()) == before
    return err


EVAL: dict[str, tuple[list[object], str]] = {
    "no such suite": (["--suite", "nowhere"], "neither a folder with suite.yaml nor one of captrack"),
    "empty suite": (["--suite", "empty"], "'empty' is neither a folder"),
    "suite that is a file": (["--suite", "file"], "'file' is neither a folder"),
    "broken suite": (["--suite", "broken"], "broken/suite.yaml: line 2: not YAML"),
    "misspelt key": (["--suite", "typo"], "t0.yaml: key 'wording' is not known"),
    "wrong type": (["--suite", "types"], "key 'shots, count'"),
    "task twice": (["--suite", "twice"], "task 'sums' is defined twice"),
    "task file of another name": (["--suite", "yml"], "rename it to more.yaml"),
    "suite without items": (["--suite", "no_data"], "items.jsonl.zst is not in no_data"),
    "no such task": (["--tasks", "sumz"], "no task of suite own is called 'sumz'; did you mean sums?"),
    "empty task": (["--tasks", ""], "no task of suite own is called ''"),
    "no such prompt": (["--prompt", "poem"], "--prompt is 'poem'; it must be one of own, own_chat, base"),
    "no such style": (["--prompt", "chat_cot"], "no task of suite own has style chat_cot"),
    "named task without the style": (["--tasks", "sums", "--prompt", "chat_cot"], "task sums has no style chat_cot"),
    "no number of variants": (["--variants", "prompt=x"], "--variants is 'prompt=x'; write it as prompt=3"),
    "variants twice": (["--variants", "prompt=2,prompt=3"], "each kind once"),
    "no variants": (["--variants", "prompt=0"], "--variants says prompt=0"),
    "too many variants": (["--variants", "prompt=99"], "no task here has more than 3 wordings; ask for prompt=3"),
    "no such variants": (["--variants", "nonsense=2"], "choose prompt, order, format"),
    "limit 0": (["--limit", 0], "--limit is 0"),
    "limit -1": (["--limit", -1], "--limit is -1"),
    "repeats 0": (["--repeats", 0], "--repeats is 0"),
    "repeats at temperature 0": (["--repeats", 3], "changes nothing at temperature 0; add --temperature"),
    "two ways to repeat": (["--repeats", 2, "--temperature", 1, "--variants", "prompt=2"], "choose one"),
    "temperature -1": (["--temperature", -1], "--temperature is -1"),
    "temperature nan": (["--temperature", "nan"], "--temperature is nan"),
    "temperature inf": (["--temperature", "inf"], "--temperature is inf"),
    "top-p 0": (["--top-p", 0], "--top-p is 0"),
    "max-tokens 0": (["--max-tokens", 0], "--max-tokens is 0"),
    "replicas 0": (["--ray", "auto", "--replicas", 0], "--replicas is 0"),
    "replicas without a cluster": (["--replicas", 2], "add --ray"),
    "no cluster there": (["--ray", "127.0.0.1:9"], "no Ray cluster at '127.0.0.1:9' ([Errno 111] Connection refused); start one"),
    "no such data folder": (["--data-dir", "nowhere"], "check --data-dir"),
    "no such engine": (["--engine", "magic"], "there is no engine 'magic'; choose transformers"),
    "no such engine option": (["--engine-option", "nonsense=1"], "no option 'nonsense'; it has revision, adapter, dtype, device"),
    "misspelt engine option": (["--engine-option", "batchtokens=9"], "did you mean batch_tokens?"),
    "engine option of no number": (["--engine-option", "threads=many"], "threads is 'many'; a whole number is wanted"),
    "engine option of too small a number": (["--engine-option", "threads=0"], "threads is 0"),
    "engine option without a value": (["--engine-option", "dtype"], "write it as NAME=VALUE"),
    "engine option twice": (["--engine-option", "dtype=a", "--engine-option", "dtype=b"], "given twice"),
    "out is a file": (["--out", "file"], "file: is a file; name a folder"),
    "out below a file": (["--out", "file/run"], "file is a file; name another folder"),
    "out is another folder": (["--out", "other"], "other: holds something that is no run"),
    "out is here": (["--out", "."], "holds something that is no run"),
    "json nowhere": (["--json", "nowhere/x.json"], "there is no folder 'nowhere'"),
    "no such policy": (["--until-decided", "nothing.yaml", LOGS / "lm_eval" / "before"], "nothing.yaml"),
    "misspelt policy": (["--until-decided", "policy_typo.yaml", LOGS / "lm_eval" / "before"], "key 'limit' is not known"),
    "no such run before": (["--until-decided", "policy.yaml", "nowhere"], "nowhere: no such file or folder"),
    "empty run before": (["--until-decided", "policy.yaml", "empty"], "empty: the folder is empty"),
    "foreign run before": (["--until-decided", "policy.yaml", LOGS / "lm_eval" / "before"], "none of its items is evaluated now"),
}  # fmt: skip


@pytest.mark.parametrize("case", EVAL)
def test_eval(run_cli: Cli, place: Path, case: str) -> None:
    """Told before a model is looked for: the one named here does not exist."""
    arguments, said = EVAL[case]
    suite = [] if "--suite" in arguments else ["--suite", "suite"]
    assert said in refused(run_cli, "eval", "nobody/nothing", *suite, *arguments)


MAP: dict[str, tuple[list[object], str]] = {
    "a bridge to nowhere": (["--bridge"], "add --after-prompt"),
    "a bridge to the same": (["--bridge", "--prompt", "chat", "--after-prompt", "chat"], "add --after-prompt"),
    "no such prompt after": (["--after-prompt", "poem"], "--after-prompt is 'poem'"),
    "no such taxonomy": (["--taxonomy", "nonsense"], "taxonomy 'nonsense' is neither"),
    "no such level": (["--by", "continent"], "--by is 'continent'"),
    "no such policy": (["--until-decided", "nothing.yaml"], "nothing.yaml"),
    "misspelt policy": (["--until-decided", "policy_typo.yaml"], "key 'limit' is not known"),
    "report nowhere": (["--report", "nowhere/x.html"], "there is no folder 'nowhere'"),
    "json nowhere": (["--json", "nowhere/x.json"], "there is no folder 'nowhere'"),
    "out is a file": (["--out", "file"], "file is a file; name another folder"),
    "limit 0": (["--limit", 0], "--limit is 0"),
}


@pytest.mark.parametrize("case", MAP)
def test_map(run_cli: Cli, place: Path, case: str) -> None:
    arguments, said = MAP[case]
    assert said in refused(run_cli, "map", "nobody/nothing", "nobody/else", "--suite", "suite", *arguments)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nowhere.gguf", "there is no such file"),
        ("fake.gguf", "it is no .gguf file, or a torn one"),
        ("torn.gguf", "cannot be loaded"),
        ("./nowhere", "there is no such folder"),
        ("a/b/c", "there is no such folder"),
        ("nobody/nothing", "cannot be loaded"),
        ("empty", "config.json is not in this folder"),
        ("file", "it is a file, but no .gguf file"),
    ],
)
def test_models(run_cli: Cli, place: Path, model: str, said: str) -> None:
    pytest.importorskip("torch")
    assert said in refused(run_cli, "eval", model, "--suite", "suite", "--limit", 2)


@pytest.mark.slow
def test_models_that_are_almost_there(run_cli: Cli, place: Path, smollm2: Path, smollm2_gguf: Path) -> None:
    shutil.copytree(smollm2, "weightless", ignore=shutil.ignore_patterns("*.safetensors"))
    shutil.copytree(smollm2, "torn", ignore=shutil.ignore_patterns("*.safetensors"))
    Path("torn/model.safetensors").write_bytes((smollm2 / "model.safetensors").read_bytes()[:100_000])
    Path("most.gguf").write_bytes(smollm2_gguf.read_bytes()[:-5_000_000])
    from safetensors.torch import load_file, save_file

    weights = load_file(smollm2 / "model.safetensors")
    del weights["model.norm.weight"]  # transformers alone would draw it at random
    shutil.copytree(smollm2, "partial", ignore=shutil.ignore_patterns("*.safetensors"))
    save_file(weights, "partial/model.safetensors", {"format": "pt"})
    for model in ("weightless", "torn", "most.gguf", "partial"):
        assert f"the model {model} cannot be loaded" in refused(run_cli, "eval", model, "--suite", "suite")
    Path("adapter").mkdir()
    Path("adapter/adapter_config.json").write_text("{}")
    for arguments, said in (
        (["--adapter", "nowhere"], "the adapter nowhere cannot be loaded"),
        (["--adapter", "empty"], "the adapter empty cannot be loaded"),
        (["--adapter", "adapter"], "the adapter adapter cannot be loaded"),
        (["--engine-option", "device=gpu9"], "device is 'gpu9', which is not to be had here"),
        (["--engine-option", "dtype=float8"], "dtype is 'float8'"),
    ):
        assert said in refused(run_cli, "eval", smollm2, "--suite", "suite", *arguments)


def test_servers(run_cli: Cli, place: Path, server: faulty.FaultyServer) -> None:
    asked = ["eval", "m", "--suite", "suite", "--limit", 2]
    gone = refused(run_cli, *asked, "--engine", "openai", "--engine-option", "base_url=http://127.0.0.1:9/v1")
    assert "no connection" in gone
    assert "start the server, or correct its address" in gone
    plain = refused(run_cli, *asked, "--engine", "openai", "--engine-option", "base_url=localhost:8000")
    assert "an address such as http://localhost:8000/v1 is wanted" in plain
    for option, said in (
        ("price_in=2", "give price_in and price_out"),
        ("timeout=soon", "timeout is 'soon'; a number is wanted"),
        ("extra_body={", "engine option extra_body; a JSON object is wanted"),
    ):
        assert said in refused(run_cli, *asked, *at(server, option))
    server.refuses = dict.fromkeys(("/v1/completions", "/v1/chat/completions"), (404, "there is no model m"))
    assert "there is no model m); check the name of the model" in refused(run_cli, *asked, *at(server))
    server.refuses = {"/v1/chat/completions": (400, "no template")}
    assert "cannot be asked" in refused(run_cli, *asked, *at(server), "--prompt", "chat", "--by-letter")
    assert "secret-key" not in gone + plain


def interrupted(run_cli: Cli, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> str:
    """Run a command and press Ctrl-C when its first batch is done."""
    from forgetmap.evaluation.workplace import Workplace

    add = Workplace.add

    def once(self: Workplace, shard: Any) -> None:
        add(self, shard)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Workplace, "add", once)
        code, _, err = run_cli(*arguments)
    assert code == 130
    return err


def test_what_was_begun(
    run_cli: Cli, place: Path, server: faulty.FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted, it says how to go on; other settings and damage are told; then it does go on."""
    asked = ["eval", "m", "--suite", "suite", "--out", "run", *at(server)]
    err = interrupted(run_cli, monkeypatch, *asked)
    assert err == "forgetmap: interrupted; what is done is kept in run.part: run the same command again to go on\n"
    assert "limit: None then, 3 now" in refused(run_cli, *asked, "--limit", 3)
    assert "model: m then, n now" in refused(run_cli, "eval", "n", *asked[2:])
    shard = next(Path("run.part/shards").iterdir())
    whole = shard.read_bytes()
    other = zstandard.compress(zstandard.decompress(whole).replace(b'"job":0', b'"job":7'))
    for damage in (whole[:-9], b"", b"not zstd", zstandard.compress(b'{"batch": 0'), other):
        shard.write_bytes(damage)
        assert "is damaged" in refused(run_cli, *asked)
    shard.write_bytes(whole)
    before = len(server.seen)
    code, out, err = run_cli(*asked)
    assert code == 0, err
    assert "12 items in 1 task" in out
    assert (
        len(server.seen) - before < 36 + 3
    )  # the options of 12 items, but for the first batch; three requests to open
    assert not Path("run.part").exists()
    assert "holds a run of another evaluation (limit: None then, 3 now)" in refused(run_cli, *asked, "--limit", 3)
    assert run_cli(*asked)[0] == 0  # done: nothing is asked again


def test_what_a_crash_leaves_does_not_stand_in_the_way(
    run_cli: Cli, place: Path, server: faulty.FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["eval", "m", "--suite", "suite", "--out", "run", *at(server)]
    Path("run.part/shards").mkdir(parents=True)  # killed between the folder and the plan
    Path("run.part/evaluation.json.part").write_text("{")
    interrupted(run_cli, monkeypatch, *asked)
    Path("run").mkdir()  # killed while the run was saved
    Path("run/samples.parquet").write_bytes(b"PAR1")
    Path("run/texts.parquet.part").write_bytes(b"")
    code, _, err = run_cli(*asked)
    assert code == 0, err
    assert sorted(path.name for path in Path("run").iterdir()) == ["run.json", "samples.parquet", "texts.parquet"]
    Path("more.part").mkdir()
    Path("more.part/notes.txt").write_text("mine")
    assert "more.part: holds something that is no evaluation" in refused(run_cli, *asked, "--out", "more")
    Path("last.part").mkdir()
    Path("last.part/evaluation.json").write_text("{}")
    assert "remove last.part and begin anew" in refused(run_cli, *asked, "--out", "last")


def test_a_full_disk(run_cli: Cli, place: Path, server: faulty.FaultyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["eval", "m", "--suite", "suite", "--out", "run", *at(server)]
    interrupted(run_cli, monkeypatch, *asked)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("forgetmap.evaluation.workplace.write_atomically", full)
        err = refused(run_cli, *asked)
    assert "cannot be written (No space left on device); what was done before is kept: make room" in err
    assert run_cli(*asked)[0] == 0


def test_a_folder_that_is_not_ones_own(run_cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forgetmap.evaluation.workplace.os.access", lambda *_: False)  # root may write everywhere
    assert "is not to be written to; name another folder" in refused(run_cli, "eval", "m", "--suite", "suite")


def test_interrupted_before_anything_was_asked(run_cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("forgetmap.evaluation.runner.open_engine", pressed)
    code, _, err = run_cli("map", "m", "n", "--suite", "suite")
    assert (code, err) == (130, "forgetmap: interrupted; nothing was asked yet: run the same command again to go on\n")
    assert not Path("runs").exists()


def test_no_cluster(run_cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'forgetmap[ray]'" in refused(run_cli, "eval", "m", "--suite", "suite", "--ray", "auto")
