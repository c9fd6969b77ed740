"""Distribute: the same evaluation on a Ray cluster.

Every replica of the model is an actor that answers one batch at a time. Batches are those that one machine would run, so that
the answers are the same. An actor that dies takes its batch with it: another is started, and the batch is asked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from forgetmap.engines import Engine, Request, open_engine
from forgetmap.errors import EngineError, ForgetmapError, UsageError
from forgetmap.evaluation.answering import Batch, answer_batch
from forgetmap.evaluation.workplace import Shard

#: How often a batch may lose its worker before something else than bad luck is the cause.
_LIVES = 3


class _Worker:
    """One replica of the model, in a process of its own."""

    def __init__(self, engine: str, model: str, options: Mapping[str, Any]) -> None:
        self._given = (engine, model, dict(options))

    @cached_property
    def _engine(self) -> Engine:
        # opened when it is first asked: what is refused then comes back as an answer, not as a dead worker
        engine, model, options = self._given
        return open_engine(engine, model, **options)

    def introduce(self) -> tuple[str, frozenset[str], dict[str, Any]]:
        return self._engine.name, self._engine.can, self._engine.describe()

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        return self._engine.plan(requests)

    def answer(self, batch: Batch) -> Shard:
        return answer_batch(self._engine, batch)


class RayCrew:
    """Replicas of a model on a cluster.

    Parameters
    ----------
    address : of a running cluster, "auto" for the one this machine belongs to, "local" for a new one on this machine.
    replicas : how many; by default one per GPU, or per node where there are none.
    cpus, gpus : what each replica reserves.
    """

    def __init__(
        self,
        engine: str,
        model: str,
        options: Mapping[str, Any],
        *,
        address: str = "auto",
        replicas: int | None = None,
        cpus: float = 1,
        gpus: float | None = None,
    ) -> None:
        try:
            import ray
        except ImportError as fault:
            raise UsageError(
                "a Ray cluster needs a package that is not installed (ray); pip install 'forgetmap[ray]'"
            ) from fault
        self._ray = ray
        if not ray.is_initialized():
            try:
                ray.init(address=address, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, ValueError) as fault:
                raise UsageError(
                    f"no Ray cluster at '{address}' ({fault}); start one with `ray start --head`"
                ) from fault
        there = ray.cluster_resources()
        gpus = gpus if gpus is not None else (1.0 if there.get("GPU") else 0.0)
        nodes = sum(1 for node in ray.nodes() if node["Alive"])
        self._replicas = replicas or int(there.get("GPU", 0) // gpus if gpus else nodes)
        self._actor = ray.remote(num_cpus=cpus, num_gpus=gpus, scheduling_strategy="SPREAD")(_Worker)
        self._given = (engine, model, dict(options))
        self._first = self._start()
        self.name, self.can, self._described = self._told(self._first.introduce.remote())
        self.splits: list[tuple[int, int]] = []

    def _start(self) -> Any:
        return self._actor.remote(*self._given)

    def _told(self, reference: Any) -> Any:
        """What a worker answers; its refusals are ours."""
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as fault:
            if isinstance(fault.cause, ForgetmapError):
                raise fault.cause from None
            raise
        except self._ray.exceptions.RayActorError as fault:
            raise EngineError(
                f"the first worker did not start ({_reason(fault)}); look into the cluster's logs"
            ) from fault

    def describe(self) -> dict[str, Any]:
        """Return the settings that change answers: the same as on one machine."""
        return dict(self._described)

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return the batches that one machine would run."""
        found: list[list[int]] = self._told(self._first.plan.remote(list(requests)))
        return found

    def work(self, pending: Sequence[Batch]) -> Iterator[Shard]:
        """Answer batches on all replicas; yields them as they are done."""
        ray = self._ray
        waiting = list(reversed(pending))
        lost: Counter[int] = Counter()
        wanted = min(self._replicas, len(waiting)) or 1
        idle = [self._first, *(self._start() for _ in range(wanted - 1))]
        running: dict[Any, tuple[Any, Batch]] = {}
        while waiting or running:
            while idle and waiting:
                worker, batch = idle.pop(), waiting.pop()
                running[worker.answer.remote(batch)] = (worker, batch)
            (done, *_), _ = ray.wait(list(running), num_returns=1)
            worker, batch = running.pop(done)
            try:
                shard: Shard = ray.get(done)
            except ray.exceptions.RayTaskError as fault:
                raise (fault.cause if isinstance(fault.cause, ForgetmapError) else fault) from None
            except ray.exceptions.RayError as fault:  # the process, its node or the way to it is gone
                lost[batch.number] += 1
                if lost[batch.number] >= _LIVES:
                    raise EngineError(
                        f"batch {batch.number} lost its worker {_LIVES} times ({_reason(fault)}); what is done is kept: look "
                        "into the cluster's logs, and run the same command again"
                    ) from fault
                waiting.append(batch)
                idle.append(self._start())
                continue
            idle.append(worker)
            yield shard

    def close(self) -> None:
        """Let the replicas go."""
        self._ray.shutdown()


def _reason(fault: Exception) -> str:
    said = str(fault).strip().splitlines()
    return said[0] if said else type(fault).__name__
