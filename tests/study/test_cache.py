"""What is computed is kept, and never believed when it might be wrong."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forgetmap.study import StudyResult, compute_study, load_study
from forgetmap.study import cache as cache_module
from forgetmap.study.cache import Cache, make_key
from forgetmap.study.fingerprint import Fingerprints
from study.studies import planted_pair, save_pair, write_study  # type: ignore[import-not-found]


class Told(list[tuple[str, str]]):
    """What a study says of its maps: (name, state)."""

    def __call__(self, done: int, whole: int, name: str, state: str) -> None:
        self.append((name, state))

    @property
    def states(self) -> dict[str, str]:
        return dict(self)


def run(path: Path, **options: object) -> tuple[StudyResult, dict[str, str]]:
    told = Told()
    return compute_study(load_study(path), progress=told, **options), told.states  # type: ignore[arg-type]


def test_the_second_time_everything_is_there(two: Path) -> None:
    first, states = run(two)
    assert set(states.values()) == {"computed"}
    second, states = run(two)
    assert states == {"mild": "cached", "harsh": "cached"}
    assert first.to_dict() == second.to_dict()
    assert (two.parent / ".forgetmap" / "maps").is_dir()


def test_fresh_and_another_folder(two: Path, tmp_path: Path) -> None:
    run(two)
    assert set(run(two, fresh=True)[1].values()) == {"computed"}
    assert set(run(two, cache=tmp_path / "elsewhere")[1].values()) == {"computed"}
    assert set(run(two, cache=tmp_path / "elsewhere")[1].values()) == {"cached"}


def test_a_changed_run_costs_its_own_pairs_only(two: Path) -> None:
    run(two)
    shutil.rmtree(two.parent / "mild-after")
    changed = planted_pair(0.25, items=200, seed=1).after
    changed.save(two.parent / "mild-after")
    result, states = run(two)
    assert states == {"mild": "computed", "harsh": "cached"}
    lost = {entry.name: entry.sheet.total.observed["lost"] for entry in result.found if entry.sheet}
    assert lost["mild"] is not None and lost["mild"] > 0.15


def test_a_change_that_keeps_name_size_and_time_is_seen_if_the_file_was_young(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("one")
    prints = Fingerprints()
    first, stamp = prints.of(log), log.stat().st_mtime_ns
    log.write_text("two")
    os.utime(log, ns=(stamp, stamp))
    assert prints.of(log) != first


def test_a_file_that_stands_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("one")
    old = time.time_ns() - 10**11
    os.utime(log, ns=(old, old))
    prints = Fingerprints()
    first = prints.of(log)
    prints.save(tmp_path / "files.json")
    monkeypatch.setattr("forgetmap.study.fingerprint._hash", lambda *_: pytest.fail("was read again"))
    assert Fingerprints.open(tmp_path / "files.json").of(log) == first


def test_a_touched_or_copied_run_is_the_same_run(two: Path, tmp_path: Path) -> None:
    run(two)
    for file in (two.parent / "mild-after").iterdir():
        os.utime(file, ns=(1, 1))
    moved = tmp_path / "moved"
    shutil.copytree(two.parent, moved, ignore=shutil.ignore_patterns("moved", ".forgetmap"))
    assert set(run(two)[1].values()) == {"cached"}
    result, states = run(moved / "study.yaml", cache=two.parent / ".forgetmap")
    assert set(states.values()) == {"cached"}
    assert result.sheets[0].before["source"] == "mild-before"


def test_large_files_are_told_by_pieces_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forgetmap.study.fingerprint._PIECE", 4)
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"x" * 1000)
    first = Fingerprints().of(log)
    assert Fingerprints().of(log) == first
    os.utime(log, ns=(5, 5))
    assert Fingerprints().of(log) != first


@pytest.mark.parametrize(
    "option", [{"margin": 0.05}, {"weight": "items"}, {"tasks": ["mmlu:*"]}, {"taxonomy": "captrack"}]
)
def test_another_option_is_another_map(two: Path, option: dict[str, object]) -> None:
    run(two)
    content = two.read_text()
    two.write_text(content + f"defaults: {option!r}\n")
    assert set(run(two)[1].values()) == {"computed"}


def test_a_taxonomy_of_ones_own_counts_by_what_it_says(two: Path) -> None:
    own = two.parent / "own.yaml"
    own.write_text("categories: {A: [piqa]}")
    two.write_text(two.read_text() + "defaults: {taxonomy: own.yaml}\n")
    run(two)
    assert set(run(two)[1].values()) == {"cached"}
    own.write_text("categories: {B: [piqa]}")
    result, states = run(two)
    assert set(states.values()) == {"computed"}
    assert "B" in [cell.name for cell in result.sheets[0].at("category")]


def test_other_code_makes_other_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    before = make_key("pair", {"runs": []})
    monkeypatch.setattr(cache_module, "code_digest", lambda: "other")
    assert make_key("pair", {"runs": []}) != before


@pytest.mark.parametrize("damage", ["torn", "empty", "flipped", "renamed", "foreign"])
def test_a_damaged_entry_is_computed_again(two: Path, damage: str) -> None:
    first, _ = run(two)
    entries = sorted((two.parent / ".forgetmap" / "maps").iterdir())
    content = entries[0].read_bytes()
    if damage == "torn":
        entries[0].write_bytes(content[: len(content) // 2])
    elif damage == "empty":
        entries[0].write_bytes(b"")
    elif damage == "flipped":
        entries[0].write_bytes(content[:-20] + bytes([content[-20] ^ 1]) + content[-19:])
    elif damage == "renamed":  # a whole entry under the name of another
        entries[0].write_bytes(entries[1].read_bytes())
    else:
        entries[0].write_text('{"key": 1}\nnothing')
    second, states = run(two)
    assert sorted(states.values()) == ["cached", "computed"]
    assert first.to_dict() == second.to_dict()


def test_a_damaged_index_only_costs_a_look(two: Path) -> None:
    run(two)
    (two.parent / ".forgetmap" / "files.json").write_text("{broken")
    assert set(run(two)[1].values()) == {"cached"}


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    store = Cache.open(tmp_path)
    store.store("k", {"a": 1})
    assert [path.name for path in (tmp_path / "maps").iterdir()] == ["k.zst"]
    assert store.load("k") == {"a": 1} and store.load("other") is None


def test_several_processes_say_the_same_as_one(two: Path, tmp_path: Path) -> None:
    one, _ = run(two)
    several, states = run(two, cache=tmp_path / "b", jobs=2)
    assert set(states.values()) == {"computed"}
    assert one.to_dict() == several.to_dict()
    assert "POLARS_MAX_THREADS" not in os.environ


def test_one_pair_that_fails_does_not_lose_the_others(two: Path) -> None:
    (two.parent / "mild-after" / "samples.parquet").write_bytes(b"no parquet")
    result, states = run(two, jobs=2)
    assert states == {"mild": "failed", "harsh": "computed"}
    (failed,) = result.failed
    assert failed.spec.name == "mild" and "samples.parquet" in str(failed.failure)
    assert [entry.name for entry in result.found] == ["harsh"]
    assert "could not be computed" in result.warnings[0]


def test_a_model_that_is_not_the_one_named_fails(two: Path) -> None:
    text = two.read_text() + "runs: {x: {path: mild-before, model: org/other}}\n"
    two.write_text(text.replace("before: mild-before", "before: x"))
    result, _ = run(two)
    (failed,) = result.failed
    assert "the log is of model 'org/mild-before', expected 'org/other'" in str(failed.failure)


def test_a_process_that_dies_costs_its_own_pair(two: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job of one pair ends its process, as the system does for want of memory."""
    import forgetmap.study.compute as compute

    monkeypatch.setattr(compute, "do", deadly)
    result, _ = run(two, jobs=2)
    assert [entry.name for entry in result.found] == ["harsh"]
    assert "was ended from outside" in str(result.failed[0].failure)


def deadly(job: object) -> str | None:
    from forgetmap.study.work import Job, do

    assert isinstance(job, Job)
    if job.name == "mild":
        os.kill(os.getpid(), signal.SIGKILL)
    return do(job)


@pytest.mark.faults
def test_a_killed_study_goes_on_where_it_was(tmp_path: Path) -> None:
    """A real kill, after the first maps are there: their processes go too, and the second call keeps what was done."""
    pairs = [{"name": f"p{n}", **save_pair(tmp_path, f"p{n}", planted_pair(0.1, items=40, seed=n))} for n in range(12)]
    path = write_study(tmp_path, pairs)
    command = [sys.executable, "-m", "forgetmap", "study", str(path), "--jobs", "2"]
    maps = tmp_path / ".forgetmap" / "maps"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (maps.is_dir() and len(list(maps.glob("*.zst"))) >= 2):
            time.sleep(0.005)
        children = _children(started.pid)
        started.kill()
    kept = len(list(maps.glob("*.zst")))
    assert 2 <= kept < 12, "the kill came too late to show anything"
    assert children
    deadline = time.monotonic() + 20
    while any(_runs(child) for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [child for child in children if _runs(child)], "processes outlived the study"
    _, states = run(path)
    counted = list(states.values()).count("cached")
    assert kept <= counted < 12  # a process may have finished its map after the count


def _children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
