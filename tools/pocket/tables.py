"""Hand-written tables, read: lists of facts as plain text, so that a person can check and extend them line by line.

Three shapes, each with blank lines and `#` comments ignored:

- groups: `kitchen: oven, toaster` (what belongs together; wrong options are other groups' names);
- sections: `== government` and then `Rule by a king or queen is called | monarchy` (wrong options are the other
  answers of the section, so a section holds answers of one kind of which only one fits each line;
  a third field names answers of the section that would fit as well);
- cases: `question | right | wrong; wrong; wrong` (the wrong options are the point and are written by hand).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping

from row import Row, choose, fixed, spread

N = 165  # rows of a task: 150 scored, the rest for demonstrations and reserve


def lines(text: str) -> Iterator[str]:
    """Yield the lines that say something."""
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            yield line


def groups(text: str) -> dict[str, list[str]]:
    """Read `name: member, member` lines; a name may continue on several lines."""
    found: dict[str, list[str]] = {}
    for line in lines(text):
        name, colon, members = line.partition(":")
        if not colon:
            raise ValueError(f"{line!r}: no colon, expected 'name: member, member'")
        found.setdefault(name.strip(), []).extend(m.strip() for m in members.split(",") if m.strip())
    return found


def homes(table: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """Return (member, group) pairs; a member of two groups is an error, because it would have two right answers."""
    pairs = [(member, name) for name, members in table.items() for member in members]
    seen: dict[str, str] = {}
    for member, name in pairs:
        if member.casefold() in seen:
            raise ValueError(f"{member!r} is in {seen[member.casefold()]!r} and in {name!r}: one home wanted")
        seen[member.casefold()] = name
    return pairs


def belonging(
    rng: random.Random,
    text: str,
    question: str,
    *,
    k: int = 4,
    n: int = N,
    apart: Iterable[Iterable[str]] = (),
    fact: str = "thing",
) -> list[Row]:
    """Return rows that ask for the group of a member; `question` holds {x} for the member.

    Groups named together in one set of `apart` never stand beside each other: they overlap too much to choose.
    """
    table = groups(text)
    rivals = [frozenset(names) for names in apart]
    unknown = sorted(set().union(*rivals) - set(table)) if rivals else []
    if unknown:
        raise ValueError(f"{unknown}: kept apart, but in no line of the table")
    rows = []
    for member, home in homes(table):
        barred = set().union(*(names for names in rivals if home in names))
        # A large group stands as a wrong option as often as it is right: to name the largest must not pay.
        others = [name for name, members in table.items() if name not in barred for _ in members]
        rows.append(choose(rng, question.format(x=member), home, others, k=k, facts={fact: member}, cluster=home))
    return spread(rng, rows, n)


def sections(rng: random.Random, text: str, *, k: int = 4, n: int = N) -> list[Row]:
    """Return rows from a table of sections: stem, answer, and answers of the section that would fit too."""
    found: dict[str, list[tuple[str, str, set[str]]]] = {}
    name = ""
    for line in lines(text):
        if line.startswith("=="):
            name = line.strip("= ")
            found[name] = []
            continue
        stem, answer, *rest = (part.strip() for part in line.split("|"))
        found[name].append((stem, answer, {x.strip() for x in rest[0].split(";")} if rest else set()))
    found = {name: with_articles(entries) for name, entries in found.items()}
    rows = []
    for name, entries in found.items():
        answers = list(dict.fromkeys(answer for _, answer, _ in entries))
        for stem, answer, fits in entries:
            others = [other for other in answers if other not in fits]
            rows.append(choose(rng, stem, answer, others, k=k, cluster=name))
    return spread(rng, unique(rows), n)


def with_articles(entries: list[tuple[str, str, set[str]]]) -> list[tuple[str, str, set[str]]]:
    """Move 'a', 'an' and 'the' from the ends of the stems to the answers: 'is an' would tell 'empire' from 'tariff'."""
    worn: dict[str, str] = {}
    for stem, answer, _ in entries:
        article = stem.rsplit(" ", 1)[-1]
        worn.setdefault(answer, f"{article} {answer}" if article in ("a", "an", "the") else answer)
    bare = []
    for stem, answer, fits in entries:
        start, _, last = stem.rpartition(" ")
        unknown = sorted(fits - set(worn))
        if unknown:
            raise ValueError(f"{stem!r}: {unknown} is no answer of the section")
        bare.append((start if last in ("a", "an", "the") else stem, worn[answer], {worn[x] for x in fits}))
    return bare


def cases(rng: random.Random, text: str, *, n: int = N, prefix: str = "") -> list[Row]:
    """Return rows from a table of cases: question, right option, wrong options."""
    rows = []
    for line in lines(text):
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 3:
            raise ValueError(f"{line!r}: {len(parts)} fields, expected 'question | right | wrong; wrong'")
        question, right, wrong = parts
        rows.append(fixed(rng, prefix + question, right, [w.strip() for w in wrong.split(";")]))
    return spread(rng, unique(rows), n)


def unique(rows: list[Row]) -> list[Row]:
    """Return the rows; a question asked twice is an error."""
    seen: set[str] = set()
    for row in rows:
        if row.question.casefold() in seen:
            raise ValueError(f"{row.question!r} is asked twice")
        seen.add(row.question.casefold())
    return rows
