"""Rewrite details files in place with every value as text: `to_literals.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

for path in Path(sys.argv[1]).rglob("*.parquet"):
    rows = pq.read_table(path).to_pylist()
    texts = [{name: str(value) for name, value in row.items()} for row in rows]
    pq.write_table(pa.Table.from_pylist(texts), path)
