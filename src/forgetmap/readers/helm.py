"""HELM: a folder per run with `run_spec.json` and `per_instance_stats.json` (formats.md 4.1), or a suite of such folders.

Files in a run folder are found by name, because that is how HELM finds them. Documents, replies and prompts come from
the compact files that helm-summarize adds (`instances`, `display_predictions`, `display_requests`); where these are
missing, from `scenario_state.json`, which is huge. Scores always come from `per_instance_stats.json`: the display
files hold those of the run's groups only. A perturbed copy of an item is an item of its own task, `boolq@typos`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from forgetmap import items
from forgetmap.builder import RunBuilder
from forgetmap.errors import FormatError
from forgetmap.readers import source
from forgetmap.readers.helm_records import (
    Adapter, DisplayRequest, Instance, InstanceStats, Prediction, Request, RequestState, RunSpec, ScenarioState,
)  # fmt: skip
from forgetmap.readers.source import ReadOptions
from forgetmap.run import Run, RunInfo
from forgetmap.tasks import canonical_task, known_task
