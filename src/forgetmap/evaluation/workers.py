"""Workers: who shall answer, checked before anything is loaded."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from typing import Any

from forgetmap.engines import Engine
from forgetmap.errors import UsageError
from forgetmap.evaluation.engine_options import check_options

#: Seconds for a cluster to answer the door.
_PATIENCE = 10.0


def check_worker(
    model: str | Engine, engine: str, options: Mapping[str, Any] | None, ray: str | None, replicas: int | None
) -> dict[str, Any]:
    """Return the options of an engine, or say what is wrong with who shall do the work."""
    if replicas is not None and replicas < 1:
        raise UsageError(f"--replicas is {replicas}; a number of 1 or more is wanted")
    if replicas is not None and ray is None:
        raise UsageError("--replicas is for a Ray cluster; add --ray, or leave it out")
    if isinstance(model, str):
        found = check_options(engine, options or {})
        _check_cluster(ray)
        return found
    if ray is not None:
        raise UsageError("workers of a cluster open their own engines; name the model instead of giving an engine")
    if options:
        raise UsageError("engine_options are given with an engine that is open already; give them where it is opened")
    return {}


def _check_cluster(address: str | None) -> None:
    """Knock where a cluster shall be: Ray itself tries for minutes before it says that nobody is there."""
    found = re.fullmatch(r"(?:ray://)?([^/:]+|\[[^]]+\]):(\d{1,5})", address or "")
    if found is None:
        return  # none, one made here or the one of this machine; anything else is for Ray to refuse
    try:
        socket.create_connection((found[1].strip("[]"), int(found[2])), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as fault:
        raise UsageError(
            f"no Ray cluster at '{address}' ({fault}); start one with `ray start --head`, or give --ray alone for one made here"
        ) from None
