"""Math: one-step sums, comparing, counting, word problems, sequences, clocks and coins."""

# ruff: noqa: SIM905 - lists of words are written as people write them
from __future__ import annotations

import random
from collections.abc import Sequence

from row import Generator, Row, choose, fixed, spread

N = 165

NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()

NAMES = (
    "Anna Ben Clara David Emma Frank Grace Henry Ida Jack Kate Leo Mary Nina Oscar Paul Rosa Sam Tom Vera Will Zoe"
).split()

THINGS = (
    "apples pencils books marbles stickers coins shells buttons cards balloons cookies stamps oranges eggs flowers "
    "stones toys beads crayons cups"
).split()


def near(rng: random.Random, value: int, slips: Sequence[int] = ()) -> list[str]:
    """Return three wrong numbers: one that a slip gives, then neighbours; all with as many digits as the value.

    A shorter number is the beginning of many others, which alone makes it likelier: the length must tell nothing.
    """
    digits = len(str(value))
    low, high = (0 if digits == 1 else 10 ** (digits - 1)), 10**digits - 1
    found = [slip for slip in slips if slip != value and low <= slip <= high][:1]
    width = max(5, value // 4)
    pool = [n for n in range(max(low, value - width), min(high, value + width) + 1) if n != value and n not in found]
    return [str(n) for n in found + rng.sample(pool, 3 - len(found))]


def sums(rng: random.Random) -> list[Row]:
    """One addition or subtraction, most within 20, some within 100."""
    rows = []
    # 3 plus 5 and 5 plus 3 are one question: each pair is added in one order.
    pairs = [(a, b) for a in range(2, 13) for b in range(2, a + 1)]
    for a, b in pairs:
        rows.append(("plus", "+", *((a, b) if rng.random() < 0.5 else (b, a)), a + b))
        if a > b:
            rows.append(("minus", "-", a, b, a - b))
    for a in range(20, 100, 10):
        for b in range(1, 10):
            if b % 2 == a // 10 % 2:
                rows.append(("plus", "+", a, b, a + b))
    for tens in range(20, 100, 10):
        for other in range(10, tens, 20):
            rows.append(("minus", "-", tens, other, tens - other))
    made = []
    for word, sign, a, b, value in rows:
        slips = [abs(a - b) if sign == "+" else a + b]
        made.append(
            fixed(
                rng,
                f"What is {a} {word} {b}?",
                str(value),
                near(rng, value, slips),
                facts={"cue": f"{a} {sign} {b} ="},
                cluster=word,
            )
        )
    return spread(rng, made, N)


def products(rng: random.Random) -> list[Row]:
    """The times tables up to 12, and larger numbers times a small one."""
    made = []
    pairs = [(a, b) if rng.random() < 0.5 else (b, a) for a in range(3, 13) for b in range(3, a + 1)]
    pairs += [(a, b) for a in range(13, 30) for b in range(3, 10)]
    for a, b in pairs:
        # The neighbours in the table are the mistakes that learners make.
        step = rng.choice([a, -a, b, -b])
        made.append(
            fixed(
                rng,
                f"What is {a} times {b}?",
                str(a * b),
                near(rng, a * b, [a * b + step]),
                facts={"cue": f"{a} × {b} ="},
                cluster="table" if a <= 12 else "larger",
            )
        )
    return spread(rng, made, N)


def comparing(rng: random.Random) -> list[Row]:
    """The larger or smaller of two numbers of equal length."""
    made: dict[str, Row] = {}
    asked: set[tuple[str, frozenset[int]]] = set()
    while len(made) < N:
        more = len(made) % 2 == 0
        length = 1 + len(made) // 2 % 3
        pair = [d * 10 ** (length - 1) + rng.randrange(10 ** (length - 1)) for d in rng.sample(range(1, 10), 2)]
        gold = max(pair) if more else min(pair)
        which = "larger" if more else "smaller"
        if (which, frozenset(pair)) in asked:
            continue  # the same two the other way round
        asked.add((which, frozenset(pair)))
        question = f"Which number is {which}, {pair[0]} or {pair[1]}?"
        made[question] = fixed(
            rng,
            question,
            str(gold),
            [str(n) for n in pair if n != gold],
            facts={"cue": f"The {which} number is"},
            cluster=f"{which}, {length} digits",
        )
    return spread(rng, list(made.values()), N)


def counting(rng: random.Random) -> list[Row]:
    """How often a thing stands in a short list; in the easy rows somebody counts aloud."""
    nouns = (
        "apple pear cat dog star moon key cup hat ball bird bell cow horse tree book chair lamp door ring shoe coat cake "
        "egg bear boat rose shell"
    ).split()
    made: dict[str, Row] = {}
    while len(made) < N:
        asked, *others = rng.sample(nouns, 3)
        count = 1 + len(made) % 4  # as many of each: to say the same always must not pay
        aloud = len(made) // 4 % 2 == 0
        if aloud:
            counted = ", ".join(NUMBER_WORDS[1 : count + 1])
            question = f"Somebody counts every {asked} in the room: {counted}. How many {asked}s are in the room?"
            cue = f"The number of {asked}s in the room is"
        else:
            items = [asked] * count + [rng.choice(others) for _ in range(rng.randint(1, 4))]
            rng.shuffle(items)
            question = f"How many times does the word {asked} stand in this list: {', '.join(items)}?"
            cue = f"The word {asked} stands there"
        wrong = [NUMBER_WORDS[n] for n in range(1, 5) if n != count]
        kind = f"count {count}{', aloud' if aloud else ''}"
        made[question] = choose(rng, question, NUMBER_WORDS[count], wrong, facts={"cue": cue}, cluster=kind)
    return spread(rng, list(made.values()), N)


def word_problems(rng: random.Random) -> list[Row]:
    """One step, small numbers, our own little stories."""
    made: dict[str, tuple[str, str, int, tuple[int, int]]] = {}
    kinds = ("gain", "loss", "join", "groups", "share", "more", "left", "pay")
    while len(made) < N:
        kind = kinds[len(made) % len(kinds)]
        who, other = rng.sample(NAMES, 2)
        thing = rng.choice(THINGS)
        a, b = rng.randint(2, 10), rng.randint(1, 5)
        cue = f"{who} has"
        if kind == "gain":
            story = f"{who} has {a} {thing}. {other} gives {who} {b} more. How many {thing} does {who} have now?"
            value = a + b
        elif kind == "loss":
            a += b
            story = f"{who} had {a} {thing} and gave {b} of them to {other}. How many {thing} does {who} have left?"
            value = a - b
        elif kind == "join":
            story = f"{who} found {a} {thing} and {other} found {b}. How many {thing} did they find together?"
            value = a + b
            cue = "Together they found"
        elif kind == "groups":
            a, b = rng.randint(2, 5), rng.choice([2, 3, 5, 10])
            story = f"{who} fills {a} boxes and puts {b} {thing} into each box. How many {thing} are in the boxes?"
            value = a * b
            cue = "The number in the boxes is"
        elif kind == "share":
            b = rng.choice([2, 3, 4, 5])
            value = rng.randint(2, 6)
            a = b * value
            story = f"{who} shares {a} {thing} equally among {b} friends. How many {thing} does each friend get?"
            cue = "Each friend gets"
        elif kind == "more":
            a += b
            story = f"{who} has {a} {thing}. {other} has {b}. How many more {thing} does {who} have than {other}?"
            value = a - b
            cue = f"{who} has"
        elif kind == "left":
            a += b
            story = (
                f"There were {a} people on a bus. At the next stop {b} got off and nobody got on. How many were left?"
            )
            value = a - b
            cue = "The number left was"
        else:
            a, b = rng.randint(2, 6), rng.randint(2, 5)
            story = f"One cup of tea costs {b} dollars. {who} buys {a} cups. How many dollars does {who} pay?"
            value = a * b
            cue = f"{who} pays"
        if value in (a, b):
            continue  # no wrong option stands in the question: a right one that does would tell itself
        made[story] = (cue, kind, value, (a, b))
    # Wrong numbers are right elsewhere in the task: round ones and small ones must not be right more often than wrong.
    golds = [value for _, _, value, _ in made.values()]
    rows = []
    for story, (cue, kind, value, shown) in made.items():
        fitting = [n for n in golds if n not in (value, *shown) and len(str(n)) == len(str(value))]
        close = sorted(set(fitting), key=lambda n: abs(n - value))[:6]
        pool = [n for n in fitting if n in close]
        rows.append(choose(rng, story, str(value), [str(n) for n in pool], facts={"cue": cue}, cluster=kind))
    return spread(rng, rows, N)


def sequences(rng: random.Random) -> list[Row]:
    """What comes next: steps up, steps down, doubling, squares."""
    made: dict[str, Row] = {}

    def add(kind: str, terms: list[int], slips: list[int]) -> None:
        shown = ", ".join(map(str, terms[:-1]))
        question = f"Which number comes next: {shown}?"
        if question not in made:
            made[question] = fixed(
                rng,
                question,
                str(terms[-1]),
                near(rng, terms[-1], slips),
                facts={"cue": f"{shown},"},
                cluster=kind,
            )

    for step in (1, 2, 3, 4, 5, 10, 20, 25, 50, 100):
        for start in sorted(rng.sample(range(1, 21), 9)):
            begin = start * step if step >= 10 and rng.random() < 0.7 else start
            terms = [begin + step * i for i in range(5)]
            add(f"up by {step}", terms, [terms[-2] + 1, terms[-1] + step])
    for step in (1, 2, 3, 5, 10, 100):
        for start in sorted(rng.sample(range(6, 20), 8)):
            terms = [start * step - step * i for i in range(5)]
            add(f"down by {step}", terms, [terms[-2] + step, terms[-1] - step])
    for begin in range(1, 21):
        terms = [begin * 2**i for i in range(5)]
        add("doubling", terms, [terms[-2] + begin, terms[-1] + 2])
    for begin in range(1, 13):
        terms = [(begin + i) ** 2 for i in range(5)]
        add("squares", terms, [terms[-1] - 1, terms[-2] + 2])
    for begin in range(1, 11):
        terms = [begin * 10**i for i in range(4)]
        add("tenfold", terms, [terms[-2] + 10, terms[-2] * 2, terms[-1] * 10])
    return spread(rng, list(made.values()), N)


def clocks_and_coins(rng: random.Random) -> list[Row]:
    """Clock times, units of time, coins and change."""
    made: dict[str, Row] = {}

    def add(kind: str, cue: str, question: str, gold: str, wrong: Sequence[str]) -> None:
        if question not in made:
            made[question] = choose(rng, question, gold, wrong, facts={"cue": cue}, cluster=kind)

    days = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
    months = "January February March April May June July August September October November December".split()
    for i, day in enumerate(days):
        for step, words in (
            (1, "the day after"),
            (-1, "the day before"),
            (2, "two days after"),
            (-2, "two days before"),
        ):
            gold = days[(i + step) % 7]
            add(
                "days",
                f"{words.capitalize()} {day} is",
                f"Which day of the week is {words} {day}?",
                gold,
                [d for d in days if d not in (gold, day)],
            )
    for i, month in enumerate(months):
        for step, words in ((1, "comes right after"), (-1, "comes right before")):
            gold = months[(i + step) % 12]
            add(
                "months",
                f"The month that {words} {month} is",
                f"Which month {words} {month}?",
                gold,
                [m for m in months if m not in (gold, month)],
            )
    for n in range(2, 10):
        value = n * 60
        wrong = near(rng, value, [n * 60 + 60, n * 100])
        add("units", f"{n} hours in minutes:", f"How many minutes are there in {n} hours?", str(value), wrong)
    for n in range(2, 8):
        add(
            "units",
            f"{n} weeks in days:",
            f"How many days are there in {n} weeks?",
            str(7 * n),
            near(rng, 7 * n, [5 * n, 10 * n, 7 * n + 1]),
        )
        add(
            "units",
            f"{n} years in months:",
            f"How many months are there in {n} years?",
            str(12 * n),
            near(rng, 12 * n, [10 * n, 12 * n + 2]),
        )
    for n in range(2, 6):
        wrong = near(rng, 24 * n, [12 * n, 20 * n])
        add("units", f"{n} days in hours:", f"How many hours are there in {n} days?", str(24 * n), wrong)
    for hour in range(1, 11):
        for later in (1, 2, 3, 4):
            end = hour + later
            if end > 12:
                continue
            wrong = [f"{h} o'clock" for h in range(1, 13) if h not in (hour, later, end) and abs(h - end) <= 4]
            plural = "hour" if later == 1 else "hours"
            question = f"It is {hour} o'clock now. What time will it be in {later} {plural}?"
            add("clock", "It will be", question, f"{end} o'clock", wrong)
    for price in (3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18):
        paid = 10 if price < 10 else 20
        back = paid - price
        question = f"A toy costs {price} dollars. You pay with {paid} dollars. How many dollars do you get back?"
        add("change", f"You get back {paid} - {price} =", question, str(back), near(rng, back, [price, back + 1]))
    for coin, worth in (("nickel", 5), ("dime", 10), ("quarter", 25)):
        for n in range(2, 11):
            value = n * worth
            wrong = near(rng, value, [n * v for v in (5, 10, 25) if v != worth])
            add(
                "coins",
                f"{n} {coin}s in cents:",
                f"In the United States, how many cents are {n} {coin}s worth?",
                str(value),
                wrong,
            )
    for n in range(2, 10):
        wrong = near(rng, n * 100, [n * 50, n * 120])
        add("coins", f"{n} dollars in cents:", f"How many cents are {n} dollars worth?", str(n * 100), wrong)
    for eggs in range(2, 7):
        question = f"How many eggs are in {eggs} dozen eggs?"
        add(
            "dozens",
            f"The number of eggs in {eggs} dozen is",
            question,
            str(12 * eggs),
            near(rng, 12 * eggs, [10 * eggs]),
        )
    return spread(rng, list(made.values()), N)


TASKS: dict[str, Generator] = {
    "sums": sums,
    "products": products,
    "comparing": comparing,
    "counting": counting,
    "word_problems": word_problems,
    "sequences": sequences,
    "clocks_and_coins": clocks_and_coins,
}
