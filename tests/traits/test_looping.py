"""Loops: what repeats without end, and what only repeats."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap.traits import find_loop, is_looping

WORDS = [f"w{n}" for n in range(4000)]


def prose(words: int, seed: int = 0) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


@pytest.mark.parametrize("period", [1, 2, 3, 7, 20, 60, 200])
@pytest.mark.parametrize("cut", [0, 3])
def test_loops_of_words(period: int, cut: int) -> None:
    chunk = prose(period, seed=period) + " "
    loop = prose(50) + " " + chunk * max(4, 600 // len(chunk))
    found = find_loop(loop[: len(loop) - cut])
    assert found is not None
    assert len(found.chunk.split()) in (period, period + 1)  # a round may begin within a word


@pytest.mark.parametrize(
    "text",
    [
        "a" * 500,
        "The digits are 0." + "3" * 1500,
        "ha" * 300,
        "n = " + "= 5 * 20 " * 60,
        "答えは同じです。" * 60,
        "\n- the same\n" * 60,
    ],
)
def test_loops_of_characters(text: str) -> None:
    assert is_looping(text)


def test_line_breaks_do_not_hide_a_loop() -> None:
    assert is_looping("I will go home.\n\nI will go home. " * 30)


REFRAIN = "\n".join(f"{prose(24, seed=n)}\nOh come with me to the river,\nto the river and the sea." for n in range(8))
CODE = "\n".join(f"    def method_{n}(self):\n        return self.values[{n}]\n" for n in range(30))
TABLE = "| year | value | note |\n|------|-------|------|\n" + "\n".join(f"| {n} | {n * n} | ok |" for n in range(60))
NOT_LOOPS = {
    "empty": "",
    "short": "No, no, no, no, no!",
    "a short refrain": "Row, row, row your boat, gently down the stream. " * 3,
    "a poem": REFRAIN,
    "a table": TABLE,
    "a list": "\n".join(f"- Item {n}: the {WORDS[n]} of the house" for n in range(60)),
    "numbered steps": "\n".join(f"{n}. Add {n} to get {n * (n + 1) // 2}." for n in range(60)),
    "code": "```python\nclass Thing:\n" + CODE + "```",
    "a matrix of zeros": "grid = [\n" + "    [0, 0, 0, 0, 0, 0, 0, 0],\n" * 8 + "]",
    "a rule": prose(60) + "\n" + "-" * 120,
    "a long row of zeros": "bits = [" + "0, " * 200 + "0]",
    "a loop that was left for a short end": prose(20)
    + " "
    + "very good " * 60
    + "and then they lived happily to the end of their days.",
    "a loop that is but a small part of the end": prose(900) + " " + "again and again " * 25,
    "a long loop in the midst of a longer end": prose(4000)[:16_400] + "again and " * 160 + prose(4000, 1)[:2_000],
    "prose": prose(500),
    "a loop that was left": prose(40) + " " + "very " * 80 + prose(60),
    "a loop long before the end": "again and again " * 60 + prose(600),
    "layers in code": "```python\nnet = nn.Sequential(\n"
    + "    nn.Linear(64, 64),\n    nn.ReLU(),\n" * 8
    + ")\n```\nThis net is deep.",
}


@pytest.mark.parametrize("name", NOT_LOOPS)
def test_no_loop(name: str) -> None:
    assert find_loop(NOT_LOOPS[name]) is None


def test_a_long_loop_counts_although_it_was_left() -> None:
    assert is_looping("and so on and on " * 400 + prose(30))


@given(st.text(st.characters(exclude_categories=()), max_size=50), st.integers(1, 60))
def test_any_text_is_read(text: str, times: int) -> None:
    assert is_looping(text * times) in (True, False)


@given(st.text(st.characters(categories=["Ll"]), min_size=1, max_size=80))
def test_whatever_is_repeated_enough_is_a_loop(chunk: str) -> None:
    assert is_looping(f"{chunk} " * max(6, 1 + 400 // (len(chunk) + 1)))


def fibonacci() -> str:
    a, b = "a", "ab"
    while len(b) < 1_000_000:
        a, b = b, b + a
    return b


HOSTILE = {
    "one letter": lambda: "a" * 1_000_000,
    "two letters at random": lambda: "".join(random.Random(1).choices("ab", k=1_000_000)),
    "fibonacci": fibonacci,
    "almost periodic": lambda: ("a" * 23 + "b") * 40_000 + "c",
    "blanks": lambda: " " * 1_000_000,
    "surrogates": lambda: "\ud800" * 1_000_000,
    "nulls and marks": lambda: "\0\u200f" * 500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_megabytes_are_quick(name: str) -> None:
    text = HOSTILE[name]()
    spent = []
    for _ in range(3):
        start = time.process_time()
        is_looping(text)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.1
