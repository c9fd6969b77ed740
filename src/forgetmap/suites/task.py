"""Task: its file, its items (those that are scored) and its demonstrations (those that are not)."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import msgspec

from forgetmap.errors import SuiteError
from forgetmap.suites import checks
from forgetmap.suites.adapters import FieldError
from forgetmap.suites.fields import item_of
from forgetmap.suites.item import Item
from forgetmap.suites.sources import packed_items, source_rows
from forgetmap.suites.spec import Source, TaskFile, formats_of, styles_of


class Task:
    """One task of a suite. Items are read on first use and kept."""

    def __init__(self, spec: TaskFile, folder: Path, data_dir: Path | None = None) -> None:
        self.spec = spec
        self.folder = folder
        self.data_dir = data_dir
        self.left_out: list[str] = []  # rows that were left out for a fault, and which fault; filled by items()
        self.prefixes: dict[tuple[int, str, str], str] = {}  # few-shot texts by wording, format and style

    def __repr__(self) -> str:
        return f"Task({self.name!r})"

    @property
    def name(self) -> str:
        """Canonical name: what the task is called in a run."""
        return self.spec.name

    @property
    def title(self) -> str:
        """What people call it."""
        return self.spec.title

    @property
    def styles(self) -> tuple[str, ...]:
        """The prompt styles it can be asked in."""
        return styles_of(self.spec)

    @property
    def formats(self) -> tuple[str, ...]:
        """How its options can be shown and answered."""
        return formats_of(self.spec)

    @cached_property
    def categories(self) -> dict[str, str]:
        """Its category in each taxonomy: those that name the task, and what its own file says."""
        from forgetmap.taxonomies import load_taxonomy, taxonomy_names

        placed = {name: load_taxonomy(name).place(self.name).category for name in taxonomy_names()}
        return {name: category for name, category in placed.items() if category} | self.spec.categories

    def items(self) -> list[Item]:
        """Return the items that are scored."""
        return self._parts[0]

    @property
    def demonstrations(self) -> list[Item]:
        """The items shown as examples: written in the file, of a split of their own, or held out of scoring."""
        return self._parts[1]

    @cached_property
    def hash(self) -> str:
        """32 hexadecimal digits of everything that a result depends on: file, items, demonstrations."""
        running = blake2b(digest_size=16)
        running.update(msgspec.json.encode(self.spec.model_dump(mode="json"), order="sorted"))
        for part in (self.items(), self.demonstrations):
            for item in part:
                running.update(msgspec.json.encode([item.id, item.key.text, item.native_id, item.cluster]))
                running.update(msgspec.json.encode(dict(item.facts), order="sorted"))
            running.update(b"\n")
        return running.hexdigest()

    @cached_property
    def _parts(self) -> tuple[list[Item], list[Item]]:
        found = self._load(self.spec.source)
        scored, shown = found, self._written
        count = self.spec.shots.count
        if not shown and count and self.spec.shots.split:
            source = self.spec.source.model_copy(update={"split": self.spec.shots.split})
            shown = draw(self._load(source, whole=False), count, self.name)
        elif not shown and count:
            shown = draw(found, count, self.name)
            # an item that asks the same in other words of the gold would give itself away: it is held out as well
            told = {item.key.question for item in shown}
            scored = [item for item in found if item.key.question not in told]
            if not scored:
                raise SuiteError(
                    f"task '{self.name}': {count} of {len(found)} items are demonstrations, which leaves none to score; "
                    "lower 'shots, count'"
                )
        if len(shown) < count:
            raise SuiteError(f"task '{self.name}': {len(shown)} demonstrations, expected {count}; lower 'shots, count'")
        checks.check_wordings(self.name, self.spec.wordings, [*shown, *scored])
        return scored, shown

    @property
    def _written(self) -> list[Item]:
        return [
            Item(
                task=self.name,
                native_id=f"demonstration {place + 1}",
                question=one.question.strip(),
                options=one.options,
                gold=(one.answer,),
                facts={
                    **one.facts,
                    **({"passage": one.passage.strip()} if one.passage else {}),
                    **({"reasoning": " ".join(one.reasoning.split())} if one.reasoning else {}),
                },
            )
            for place, one in enumerate(self.spec.demonstrations)
        ]

    def _load(self, source: Source, *, whole: bool = True) -> list[Item]:
        spec = self.spec
        allowed = spec.containers or spec.code
        found: list[Item] = []
        faults: list[str] = []
        if source.packed:
            for item in packed_items(source.packed, self.folder, self.name):
                fault = checks.item_fault(item, containers=allowed)
                found.append(item)
                faults += [f"item {item.native_id}: {fault}"] if fault else []
        else:
            assert spec.fields is not None
            for number, row in enumerate(source_rows(source, self.folder, self.data_dir, self.name)):
                try:
                    item = item_of(row, spec.fields, self.name, number)
                    fault = checks.item_fault(item, row, containers=allowed)
                except FieldError as error:
                    fault = str(error)
                if fault is None:
                    found.append(item)
                else:
                    faults.append(f"row {number}: {fault}")
        if len(faults) > source.broken_rows:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            raise SuiteError(
                f"task '{self.name}': {faults[0]}{more}, expected at most {source.broken_rows} unusable rows; correct the "
                "data or the task file"
            )
        if not found:
            raise SuiteError(f"task '{self.name}': no items; check 'source'")
        if whole:
            self.left_out = faults
            for fault in checks.task_faults(found, shuffled=bool(spec.fields and spec.fields.shuffle)):
                raise SuiteError(f"task '{self.name}': {fault}")
        return found


def draw(items: list[Item], count: int, salt: str) -> list[Item]:
    """Return `count` items in an order that depends on their content alone, with golds spread over the places.

    A draw by hash, the same in every version of Python; five examples that all say yes would teach nothing but yes.
    """
    waiting = sorted(items, key=lambda item: blake2b(f"{salt}\n{item.id}".encode(), digest_size=8).digest())
    shown: list[Item] = []
    used: Counter[int | None] = Counter()
    questions: set[int] = set()
    while waiting and len(shown) < count:
        best = min(range(len(waiting)), key=lambda place: (used[waiting[place].gold_index], place))
        item = waiting.pop(best)
        if item.key.question not in questions:
            questions.add(item.key.question)
            used[item.gold_index] += 1
            shown.append(item)
    return shown
