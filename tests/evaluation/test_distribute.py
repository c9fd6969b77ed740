"""A real Ray cluster of two nodes on this machine, one of whose workers is killed in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.conftest import ENGINE
from evaluation.test_evaluation import rows
from forgetmap import evaluate
from forgetmap.errors import UsageError
from forgetmap.run import Run
from forgetmap.suites import Suite

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow


@pytest.fixture
def cluster() -> Iterator[str]:
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    made.wait_for_nodes()
    yield made.address
    ray.shutdown()
    made.shutdown()


def workers() -> list[int]:
    """The processes of our workers, on both nodes."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            try:
                said = (place / "cmdline").read_text()
            except OSError:
                continue  # it ended meanwhile
            if said.startswith("ray::_Worker"):
                found.append(int(place.name))
    return sorted(found)


def test_a_killed_worker_costs_nothing_but_time(
    run: Run, smollm2: Path, suite: Suite, cluster: str, tmp_path: Path
) -> None:
    killed: list[int] = []
    seen: set[int] = set()

    def progress(shard: Any, done: int, whole: int) -> None:
        seen.update(workers())
        if done == 2:
            killed.append(workers()[0])
            os.kill(killed[0], signal.SIGKILL)

    found = evaluate(
        str(smollm2), suite, tmp_path / "run", engine_options=ENGINE, variants={"prompt": 3}, ray=cluster, replicas=2,
        progress=progress,
    )  # fmt: skip
    assert killed
    assert len(seen) >= 3  # two, and the one that took over
    assert rows(found).drop("option_logprobs").equals(rows(run).drop("option_logprobs"))
    apart = rows(found)["option_logprobs"].explode() - rows(run)["option_logprobs"].explode()
    assert (apart.abs().max() or 0) < 1e-5
    assert found.texts().drop("text_row").equals(run.texts().drop("text_row"))


def test_no_cluster_is_one_sentence(smollm2: Path, suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no Ray cluster at"):
        evaluate(str(smollm2), suite, tmp_path / "run", ray="auto")


def test_what_a_worker_refuses_is_told_here(suite: Suite, tmp_path: Path) -> None:
    try:
        with pytest.raises(UsageError, match="cannot be loaded"):
            evaluate(str(tmp_path / "nothing"), suite, tmp_path / "run", ray="local")
    finally:
        ray.shutdown()
