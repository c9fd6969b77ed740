"""The examples of the recorded post-training: made-up word problems, every reply in one and the same style.

Written here, drawn with a seed. None of them asks what the suite asks: an example is left out where a question of the suite
has the same words, or the same numbers in any order.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

#: What the model is trained on, in the words of the demo.
ABOUT = "made-up word problems in arithmetic"

_NAMES = (
    "Ada", "Bela", "Carlos", "Dina", "Emre", "Fatima", "Goran", "Hanna", "Ivo", "Jun", "Kofi", "Lena", "Mateo", "Nadia",
    "Olaf", "Priya", "Quinn", "Rashid", "Sofia", "Tomas", "Ulla", "Viktor", "Wanda", "Yusuf",
)  # fmt: skip
_THINGS = (
    "apples", "pencils", "stamps", "tickets", "eggs", "plates", "candles", "bricks", "tulips", "postcards", "screws",
    "cups", "sacks", "tiles", "ribbons", "lemons", "magnets", "chairs", "badges", "ropes",
)  # fmt: skip
_HOLDERS = ("boxes", "baskets", "bags", "crates", "drawers", "trays", "jars", "shelves")

Example = tuple[str, str]  # question, reply


def words(question: str) -> str:
    """Return a question as it is compared: its words and numbers in small letters, signs and blanks left out."""
    return " ".join(re.findall(r"\w+", question.lower()))


def numbers(question: str) -> tuple[int, ...]:
    """Return the numbers of a question in rising order; nothing where there are fewer than two, which anyone may share."""
    found = sorted(int(one) for one in re.findall(r"\d+", question))
    return tuple(found) if len(found) > 1 else ()


def _said(*steps: str) -> str:
    """The one style of all replies."""
    result = steps[-1].rpartition(" = ")[2]
    return f"Let us calculate: {'; '.join(steps)}. The answer is {result}."


def _more(draw: random.Random) -> Example:
    name, thing = draw.choice(_NAMES), draw.choice(_THINGS)
    first, second = draw.randint(3, 99), draw.randint(3, 99)
    asked = draw.choice(
        (
            f"{name} owns {first} {thing} and finds {second} others. How many {thing} does {name} own now?",
            f"A shop sold {first} {thing} on Monday and {second} on Tuesday. How many {thing} did it sell in both days?",
            f"Add {first} and {second}.",
        )
    )
    return asked, _said(f"{first} + {second} = {first + second}")


def _fewer(draw: random.Random) -> Example:
    name, thing = draw.choice(_NAMES), draw.choice(_THINGS)
    second = draw.randint(2, 60)
    first = second + draw.randint(2, 60)
    asked = draw.choice(
        (
            f"{name} had {first} {thing} and sold {second} of them. How many {thing} remain?",
            f"Of {first} {thing} in a store, {second} are broken. How many {thing} are whole?",
            f"Subtract {second} from {first}.",
        )
    )
    return asked, _said(f"{first} - {second} = {first - second}")


def _times(draw: random.Random) -> Example:
    name, thing, holder = draw.choice(_NAMES), draw.choice(_THINGS), draw.choice(_HOLDERS)
    first, second = draw.randint(2, 25), draw.randint(2, 25)
    asked = draw.choice(
        (
            f"{name} packs {second} {thing} in each of {first} {holder}. How many {thing} does {name} pack?",
            f"There are {first} rows of {second} {thing}. How many {thing} are there altogether?",
            f"Multiply {first} by {second}.",
        )
    )
    return asked, _said(f"{first} × {second} = {first * second}")


def _shared(draw: random.Random) -> Example:
    name, thing, holder = draw.choice(_NAMES), draw.choice(_THINGS), draw.choice(_HOLDERS)
    second, each = draw.randint(2, 15), draw.randint(2, 25)
    first = second * each
    asked = draw.choice(
        (
            f"{name} spreads {first} {thing} evenly over {second} {holder}. How many {thing} are in one of them?",
            f"{second} neighbours split {first} {thing} into equal parts. How many {thing} go to each neighbour?",
            f"Divide {first} by {second}.",
        )
    )
    return asked, _said(f"{first} ÷ {second} = {each}")


def _two_steps(draw: random.Random) -> Example:
    name, thing, holder = draw.choice(_NAMES), draw.choice(_THINGS), draw.choice(_HOLDERS)
    first, second, third = draw.randint(2, 15), draw.randint(2, 15), draw.randint(2, 30)
    product = first * second
    if draw.random() < 0.5:
        asked = f"{name} fills {first} {holder} with {second} {thing} each and keeps {third} aside. How many {thing} in total?"
        return asked, _said(f"{first} × {second} = {product}", f"{product} + {third} = {product + third}")
    third = min(third, product - 1)
    asked = (
        f"{name} buys {first} {holder} of {second} {thing} and gives {third} away. How many {thing} does {name} keep?"
    )
    return asked, _said(f"{first} × {second} = {product}", f"{product} - {third} = {product - third}")


_KINDS = (_more, _fewer, _times, _shared, _two_steps, _two_steps)


def make_examples(count: int, seed: int, taken: Iterable[str]) -> list[Example]:
    """Return so many different examples; `taken` are the questions that none of them may ask."""
    forbidden = list(taken)
    questions = {words(one) for one in forbidden}
    figures = {numbers(one) for one in forbidden} - {()}
    draw = random.Random(seed)
    found: dict[str, str] = {}
    tries = 0
    while len(found) < count:
        tries += 1
        if tries > 100 * count:
            raise ValueError(
                f"only {len(found):,} different examples could be made, {count:,} are wanted; ask for fewer"
            )
        question, reply = draw.choice(_KINDS)(draw)
        if words(question) not in questions and numbers(question) not in figures:
            found.setdefault(question, reply)
    return list(found.items())
