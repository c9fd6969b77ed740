"""A planted study of two pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from study.studies import planted_pair, save_pair, write_study  # type: ignore[import-not-found]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A study of two pairs, one of which loses much of one category."""
    pairs = [
        {"name": "mild", **save_pair(tmp_path, "mild", planted_pair(0.02, items=200, seed=1)), "group": "sft"},
        {"name": "harsh", **save_pair(tmp_path, "harsh", planted_pair([0.02, 0.3, 0.02, 0.02], items=200, seed=2))},
    ]
    return write_study(tmp_path, pairs, title="Two pairs")
