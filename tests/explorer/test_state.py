"""Addresses: what they say, what they refuse, and that a permalink leads back to the same view."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap.errors import UsageError
from forgetmap.explorer.state import LONGEST, SORTS, View, parse_view
from forgetmap.flips import TRANSITIONS
from forgetmap.levels import LEVELS, WEIGHTS

RUNS = ("aaaa", "bbbb", "cccc", "dddd")
TAXONOMIES = ("post_forget", "captrack", "log")
FIRST = View("aaaa", ("bbbb",))


def parsed(query: str, default: View | None = FIRST) -> View:
    return parse_view(parse_qsl(query, keep_blank_values=True), runs=RUNS, taxonomies=TAXONOMIES, default=default)


names = st.text(min_size=1, max_size=40).filter(lambda text: text.isprintable())
views = st.builds(
    View,
    before=st.sampled_from(RUNS),
    afters=st.lists(st.sampled_from(RUNS), min_size=1, max_size=4, unique=True).map(tuple),
    chain=st.booleans(),
    reading=st.sampled_from(["auto", "observed", "noise", "chance", "soft", "paper"]),
    taxonomy=st.sampled_from(TAXONOMIES),
    weight=st.none() | st.sampled_from(WEIGHTS),
    level=st.sampled_from(LEVELS),
    only=st.lists(st.tuples(st.sampled_from(["options", "language"]), names), max_size=3, unique=True).map(tuple),
    by=st.none() | names,
    cell=st.none() | st.tuples(st.sampled_from(LEVELS), names),
    transition=st.none() | st.sampled_from(TRANSITIONS),
    task=st.none() | names,
    cause=st.none() | names,
    of=st.none() | st.just(0),
    search=st.none() | names,
    sort=st.sampled_from(SORTS),
    descending=st.booleans(),
    offset=st.integers(0, 10**6),
    limit=st.integers(1, 200),
)


@given(views)
def test_a_permalink_leads_back(view: View) -> None:
    assert parsed(view.query()) == view
    assert parsed(view.query()).query() == view.query()


def test_nothing_said_is_the_first_view() -> None:
    assert parsed("") == FIRST
    assert parsed("before=&after=&search=&cell=") == FIRST  # forms send empty fields
    assert FIRST.query() == "before=aaaa&after=bbbb"


def test_a_map_depends_on_what_changes_its_numbers() -> None:
    same = ["level=task", "cell=task/x", "transition=lost", "search=x", "offset=20", "by=options", "chain=1"]
    other = ["reading=paper", "weight=items", "taxonomy=captrack", "only=options:4", "before=cccc", "after=cccc"]
    assert {parsed(query).map_key() for query in same} == {FIRST.map_key()}
    assert len({parsed(query).map_key() for query in other} | {FIRST.map_key()}) == len(other) + 1


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("before=zzzz", "no run has the id 'zzzz'"),
        ("after=aaaa&after=aaaa", "named twice"),
        ("reading=x", "must be one of auto, observed"),
        ("taxonomy=../secret.yaml", "must be one of post_forget, captrack, log"),
        ("cell=nonsense", "LEVEL/NAME"),
        ("cell=planet/mars", "LEVEL/NAME"),
        ("only=nonsense", "DIMENSION:SLICE"),
        ("limit=201", "from 1 to 200"),
        ("offset=-1", "whole number"),
        ("offset=\u0663", "whole number"),
        ("of=1", "from 0 to 0"),
        ("sort=nonsense", "must be one of rank"),
        ("task=a&task=b", "stands twice"),
        ("path=/etc/passwd", "nothing an address can say"),
        ("search=" + "x" * (LONGEST + 1), f"can have {LONGEST}"),
        ("&".join(f"only=options:{n}" for n in range(9)), "at most 4"),
    ],
)
def test_refusals_say_what_is_wrong(query: str, says: str) -> None:
    with pytest.raises(UsageError, match=says.replace("(", r"\(").replace("/", "/")):
        parsed(query)


def test_one_run_is_nothing_to_compare() -> None:
    with pytest.raises(UsageError, match="one run only"):
        parsed("", default=None)
