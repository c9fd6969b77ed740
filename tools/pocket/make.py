"""Pack the items of the pocket suite: run every generator of this folder, check the rows, write one compressed file.

    python tools/pocket/make.py            writes src/forgetmap/suites/pocket/items.jsonl.zst
    python tools/pocket/make.py --check    compares it with what the generators give now; exit 1 where they differ

The same generators and data packages give the same bytes. A newer data package may give others: the packed file is what
counts, and `--check` says which tasks would change.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import zstandard

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # the generators import each other by name

from row import Generator, Row  # noqa: E402 - found through the line above

TARGET = HERE.parents[1] / "src" / "forgetmap" / "suites" / "pocket" / "items.jsonl.zst"
LEAST_ROWS = 150
MOST_BYTES = 3_000_000
LEVEL = 19
#: Chi-square of the gold's places beyond which the options are not mixed at random, by degrees of freedom (p = 1e-4).
ABSURD = {1: 15.1, 2: 18.4, 3: 21.1, 4: 23.5}


class FaultyRowsError(Exception):
    """The rows of a task are not fit to be packed."""


def generators() -> dict[str, Generator]:
    """Return the generators of all modules here, by task; a name that two modules claim is an error."""
    found: dict[str, Generator] = {}
    homes: dict[str, str] = {}
    for path in sorted(HERE.glob("*.py")):
        if path.stem in ("make", "row"):
            continue
        for name, generator in getattr(importlib.import_module(path.stem), "TASKS", {}).items():
            if name in found:
                raise FaultyRowsError(f"task {name!r} is in {homes[name]}.py and in {path.name}; rename one")
            found[name], homes[name] = generator, path.stem
    return dict(sorted(found.items()))


def rows_of(name: str, generator: Generator) -> list[Row]:
    """Return the rows of a task, checked."""
    rows = generator(random.Random(f"pocket:{name}"))
    if len(rows) < LEAST_ROWS:
        raise FaultyRowsError(f"task {name!r} has {len(rows)} rows, expected {LEAST_ROWS} or more; write more")
    seen: set[str] = set()
    for row in rows:
        fault = row_fault(row)
        if fault:
            raise FaultyRowsError(f"task {name!r}: {row.question[:80]!r}: {fault}")
        content = json.dumps(
            [row.question, sorted(row.options or ()), row.facts.get("passage"), row.facts.get("turns")]
        )
        if content in seen:
            raise FaultyRowsError(f"task {name!r}: {row.question[:80]!r} is asked twice; keep one")
        seen.add(content)
    rows = evened(random.Random(f"pocket:{name}:places"), rows)
    if fault := place_fault(rows):
        raise FaultyRowsError(f"task {name!r}: {fault}")
    return rows


def evened(rng: random.Random, rows: list[Row]) -> list[Row]:
    """Return the rows with their golds at every place equally often, in the first rows as in all of them.

    Places come in rounds, each in an order of its own: who asks a few items of a task only must not meet crowded places.
    """
    places: dict[int, Iterator[int]] = {}
    for size in sorted({len(row.options) for row in rows if row.options}):
        count = sum(row.options is not None and len(row.options) == size for row in rows)
        rounds = [rng.sample(range(size), size) for _ in range(-(-count // size))]
        places[size] = chain.from_iterable(rounds)
    return [replace(row, options=placed(row, next(places[len(row.options)]))) if row.options else row for row in rows]


def placed(row: Row, place: int) -> tuple[str, ...]:
    """Return the options with the gold at a place and the others in their order."""
    gold = golds(row)[0]
    others = [option for option in row.options or () if option != gold]
    return (*others[:place], gold, *others[place:])


def row_fault(row: Row) -> str | None:
    """Return what is wrong with a row, None if nothing is."""
    if not row.question.strip() or row.question != row.question.strip():
        return "the question is empty or has blanks around it"
    if any(not gold.strip() for gold in golds(row)):
        return "a gold is empty"
    if row.options is None:
        return None
    if not 2 <= len(row.options) <= 5:
        return f"{len(row.options)} options, expected 2 to 5"
    if len({option.casefold() for option in row.options}) < len(row.options):
        return f"options {row.options} are not distinct"
    if len(golds(row)) != 1 or golds(row)[0] not in row.options:
        return f"gold {row.gold!r} is not one of the options {row.options}"
    return None


def golds(row: Row) -> list[str]:
    """Return the golds of a row as a list."""
    return [row.gold] if isinstance(row.gold, str) else list(row.gold)


def place_fault(rows: list[Row]) -> str | None:
    """Return what is wrong with where the golds stand: each place must be about as frequent as the others."""
    for size in sorted({len(row.options) for row in rows if row.options}):
        places = Counter(row.options.index(golds(row)[0]) for row in rows if row.options and len(row.options) == size)
        total = places.total()
        chi_square = sum((places[place] - total / size) ** 2 / (total / size) for place in range(size))
        if chi_square > ABSURD[size - 1]:
            return f"golds stand at {dict(sorted(places.items()))} among {size} options; mix them"
    return None


#: With fewer groups than this a task is cut into kinds, not into clusters: intervals over five units would be empty words.
LEAST_CLUSTERS = 30


def sorted_out(rows: list[Row]) -> list[Row]:
    """Return the rows with groups that are kinds of item kept as such: what shares an entity is a cluster, a kind is none."""
    if len({row.cluster for row in rows}) >= LEAST_CLUSTERS:
        return rows
    return [
        row if row.cluster is None else replace(row, cluster=None, facts={**row.facts, "sort": row.cluster})
        for row in rows
    ]


def line_of(task: str, number: int, row: Row) -> bytes:
    """Return a row as a line of the packed file."""
    content = {
        "task": task,
        "id": f"{task}-{number:03d}",
        "question": row.question,
        "options": None if row.options is None else list(row.options),
        "gold": golds(row),
        "facts": row.facts,
        "cluster": row.cluster,
    }
    return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def packed() -> tuple[bytes, dict[str, list[Row]]]:
    """Return the compressed file and the rows in it."""
    tasks = {name: sorted_out(rows_of(name, generator)) for name, generator in generators().items()}
    lines = b"".join(line_of(name, number, row) for name, rows in tasks.items() for number, row in enumerate(rows))
    # One thread and no checksum of the time or the machine: the same lines give the same bytes.
    data = zstandard.ZstdCompressor(level=LEVEL, threads=0, write_content_size=True).compress(lines)
    if len(data) > MOST_BYTES:
        raise FaultyRowsError(
            f"the packed items take {len(data):,} bytes, expected {MOST_BYTES:,} at most; make them shorter"
        )
    return data, tasks


def differences(data: bytes) -> list[str]:
    """Return which tasks differ between the packed file on disk and the one given."""
    if not TARGET.is_file():
        return [f"{TARGET.name} does not exist; run make.py"]

    def by_task(packed_lines: bytes) -> dict[str, list[bytes]]:
        tasks: dict[str, list[bytes]] = {}
        for line in zstandard.ZstdDecompressor().decompress(packed_lines).splitlines():
            tasks.setdefault(json.loads(line)["task"], []).append(line)
        return tasks

    on_disk = TARGET.read_bytes()
    if on_disk == data:
        return []
    old, new = by_task(on_disk), by_task(data)
    found = [f"task {name!r} differs" for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    return found or ["the items are the same, but were packed by another version of zstandard"]


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description="Pack the items of the pocket suite.")
    parser.add_argument("--check", action="store_true", help="compare with the file on disk and write nothing")
    check = parser.parse_args().check
    try:
        data, tasks = packed()
    except FaultyRowsError as fault:
        print(fault, file=sys.stderr)
        return 1
    for name, rows in tasks.items():
        sizes = Counter(len(row.options) if row.options else 0 for row in rows)
        options = ", ".join(
            f"{count} with {size} options" if size else f"{count} open" for size, count in sorted(sizes.items())
        )
        print(f"{name:24} {len(rows):4} rows: {options}")
    print(f"{len(tasks)} tasks, {sum(map(len, tasks.values()))} rows, {len(data):,} bytes")
    if check:
        found = differences(data)
        print("\n".join(found) if found else "the packed file is up to date", file=sys.stderr if found else sys.stdout)
        return 1 if found else 0
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
