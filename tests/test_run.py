"""Runs on disk: complete or absent, the same after a round trip, and refused with a remedy when damaged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from conftest import answer, make_run
from forgetmap import Run, compare, read_run
from forgetmap.assembly import content_hash
from forgetmap.errors import MissingDataError, RunError
from forgetmap.run import SAMPLE_COLUMNS, SAMPLE_SCHEMA, TEXT_COLUMNS, validate_samples
from forgetmap.testing import plant


@pytest.fixture
def run() -> Run:
    return make_run([answer(n, n % 3 == 0, pred="w", response=f"It is w, {n}") for n in range(12)], model="m")


def test_a_round_trip_changes_nothing(run: Run, tmp_path: Path) -> None:
    loaded = Run.load(run.save(tmp_path / "r"))
    assert loaded.samples.equals(run.samples)
    assert loaded.texts().equals(run.texts())
    assert loaded.info == run.info
    assert read_run(tmp_path / "r").info == run.info


def test_every_column_says_what_it_means() -> None:
    assert all(column.meaning for column in (*SAMPLE_COLUMNS, *TEXT_COLUMNS))
    assert len({column.name for column in SAMPLE_COLUMNS}) == len(SAMPLE_COLUMNS)


def test_other_tools_can_read_the_narrow_table(run: Run, tmp_path: Path) -> None:
    import pyarrow.parquet

    run.save(tmp_path / "r")
    table = pyarrow.parquet.read_table(tmp_path / "r" / "samples.parquet")
    assert table.column_names == list(SAMPLE_SCHEMA)


def test_a_folder_with_something_in_it_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "thesis.tex").write_text("years of work")
    with pytest.raises(RunError, match="not empty"):
        run.save(tmp_path / "r")
    with pytest.raises(RunError, match="something else"):
        run.save(tmp_path / "r", overwrite=True)
    assert (tmp_path / "r" / "thesis.tex").read_text() == "years of work"
    run.save(tmp_path / "s")
    run.save(tmp_path / "s", overwrite=True, texts=False)
    assert not Run.load(tmp_path / "s").has_texts


def test_a_run_without_texts_says_so(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "r", texts=False)
    with pytest.raises(MissingDataError, match="holds no texts"):
        Run.load(tmp_path / "r").texts()


@pytest.mark.faults
@pytest.mark.parametrize(
    "damage", ["no manifest", "torn manifest", "other schema", "no samples", "torn samples", "old column"]
)
def test_a_damaged_run_is_refused_with_a_remedy(run: Run, tmp_path: Path, damage: str) -> None:
    folder = run.save(tmp_path / "r")
    manifest, samples = folder / "run.json", folder / "samples.parquet"
    if damage == "no manifest":
        manifest.unlink()
    elif damage == "torn manifest":
        manifest.write_bytes(manifest.read_bytes()[:50])
    elif damage == "other schema":
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema": "forgetmap.run/9"}))
    elif damage == "no samples":
        samples.unlink()
    elif damage == "torn samples":
        samples.write_bytes(samples.read_bytes()[:100])
    else:
        pl.read_parquet(samples).drop("chance").write_parquet(samples)
    with pytest.raises(RunError, match="import"):
        Run.load(folder)


@pytest.mark.faults
def test_a_killed_write_leaves_no_run(tmp_path: Path) -> None:
    """Kill -9 at some moment of a large save: the folder holds a complete run or none."""
    script = (
        "import sys; from forgetmap.testing import plant; p = plant(150_000, texts=True); print('go', flush=True)\n"
        "[p.before.save(sys.argv[1] + f'/{n}') for n in range(50)]"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.readline()
    deadline = time.time() + 60
    while not (tmp_path / "1" / "run.json").exists() and time.time() < deadline:
        time.sleep(0.01)
    time.sleep(0.03)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    folders = sorted(tmp_path.iterdir())
    complete = [folder for folder in folders if (folder / "run.json").exists()]
    assert complete
    for folder in complete:
        assert Run.load(folder).samples.height == 150_000
    for folder in set(folders) - set(complete):
        with pytest.raises(RunError, match="incomplete"):
            Run.load(folder)


def test_bad_values_are_refused_by_row(run: Run) -> None:
    def check(**columns: pl.Expr) -> None:
        validate_samples(run.samples.with_columns(**columns), "there")

    first = pl.int_range(pl.len()) == 2
    with pytest.raises(RunError, match=r"there: row 2: score is NaN"):
        check(score=pl.when(first).then(float("nan")).otherwise("score"))
    with pytest.raises(RunError, match=r"row 2: n_gold exceeds n_options"):
        check(n_gold=pl.when(first).then(9).otherwise("n_gold").cast(pl.UInt16))
    with pytest.raises(RunError, match=r"row 2: a sample in state error"):
        check(
            answer_state=pl.when(first)
            .then(pl.lit("error"))
            .otherwise("answer_state")
            .cast(SAMPLE_SCHEMA["answer_state"])
        )
    with pytest.raises(RunError, match=r"column 'score' is String"):
        check(score=pl.lit("1"))


def test_the_content_hash_sees_content_not_order(run: Run) -> None:
    assert content_hash(run.samples) == content_hash(run.samples[::-1])
    changed = run.samples.with_columns(score=pl.when(pl.int_range(pl.len()) == 0).then(0.5).otherwise("score"))
    assert content_hash(run.samples) != content_hash(changed)


def test_saved_and_fresh_runs_compare_alike(tmp_path: Path) -> None:
    planted = plant(500, tasks=3, repeats=2, abstain=(0.1, 0.2), seed=4)
    saved = [Run.load(getattr(planted, side).save(tmp_path / side)) for side in ("before", "after")]
    fresh, stored = compare(planted.before, planted.after).to_dict(), compare(*saved).to_dict()
    assert fresh["cells"] == stored["cells"]


@pytest.mark.scale
def test_digits_do_not_depend_on_threads_or_runs() -> None:
    planted = plant(200_000, tasks=7, options=[3, 4, 7], persistence=0.3, abstain=(0.05, 0.1), seed=8)
    maps = [compare(planted.before, planted.after).to_dict() for _ in range(3)]
    assert maps[0] == maps[1] == maps[2]


def test_pandas_frames_are_runs_too() -> None:
    import pandas as pd

    frame = pd.DataFrame({"question": ["a", "b"], "correct": [True, None], "gold": ["x", "y"]})
    run = Run.from_frame(frame, model="m")
    assert run.samples["score"].to_list() == [1.0, None]
    assert run.info.model == "m"
