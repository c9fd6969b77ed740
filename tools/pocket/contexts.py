"""Reading: facts planted in a longer text, and answers that must name their source. All people and places are made up."""

# ruff: noqa: SIM905 - lists of words are written as people write them
from __future__ import annotations

import random

from row import Generator, Row, spread

N = 165

#: Sentences without a name, a number or a fact that anything could be asked about.
FILLER = """
The morning was quiet and the streets were still wet from the rain.
A cat slept on the warm stones in front of the bakery.
Somebody had left a window open, and the curtain moved in the wind.
The smell of fresh bread came from the corner of the square.
Two old men sat on a bench and talked about the weather.
The bus was late again, as it often was on that road.
A child tried to catch the leaves that fell from the trees.
The river was high, but nobody seemed to worry about it.
In the afternoon the clouds moved away and the sun came out.
The market was full of people who looked at everything and bought little.
A dog barked somewhere behind the houses and then fell silent.
The teacher closed the book and looked out of the window for a while.
On the hill above the town a few sheep were eating the short grass.
The library smelled of paper and of wood that had been polished often.
Nobody knew who had painted the door of the old mill.
The train passed the village without stopping, and the dust settled slowly.
A woman carried a basket of laundry across the yard.
The clock on the tower was wrong, but people had grown used to it.
In the evening the lamps were lit one after another along the river.
The soup was hot, the bread was fresh, and nobody spoke for a while.
Some boats lay upside down on the shore and waited for spring.
The gardener cut the roses and put the branches on a heap.
A letter lay on the table, but it had not been opened yet.
The path through the forest was soft and covered with needles.
The musicians tuned their instruments while the hall filled slowly.
It was cold in the cellar, and the walls were damp.
The shop sold ropes, nails, soap and many other useful things.
A bird had built its nest under the roof of the station.
The road went up in wide turns and then down to the sea.
The old map on the wall showed borders that had long been moved.
Everyone agreed that the winter had been longer than usual.
The painter washed the brushes and hung the coat on its hook.
From the bridge one could see the ships far out on the water.
The fields were yellow, and the wind drew waves in the grain.
A door was shut, steps were heard, and then it was still again.
The baker's son swept the floor before the first guests came.
The water in the fountain was so clear that one could count the stones.
At the end of the street a new house was being built.
The neighbors lent each other ladders, sugar and good advice.
The film had begun already when they found their seats.
"""

PLACES = "locker safe drawer cabinet suitcase garage cellar vault chest gate".split()
COLOURS = "red blue green yellow black white brown silver".split()
WORDS = (
    "lantern anchor pepper marble violin cactus ribbon saddle copper walnut tunnel helmet feather magnet puzzle candle "
    "hammock compass blanket thunder orchard pigeon velvet harbor meadow"
).split()


def scattered(rng: random.Random, planted: list[str], sentences: int) -> str:
    """Return a passage of filler sentences with the planted ones at random places, in their order."""
    passage = rng.sample(FILLER.strip().splitlines(), sentences)
    places = sorted(rng.sample(range(1, sentences), len(planted)))
    for shift, (place, sentence) in enumerate(zip(places, planted, strict=True)):
        passage.insert(place + shift, sentence)
    return " ".join(passage)


def recall(rng: random.Random) -> list[Row]:
    """Numbers or words planted in a passage of 150 to 400 words; some are asked for, others must be left out."""
    homes = [f"{colour} {place}" for colour in COLOURS for place in PLACES]
    made: dict[str, Row] = {}
    while len(made) < N:
        turn = len(made)
        words = turn % 2 == 1
        wanted = 1 + turn // 2 % (3 if words else 2)
        things = rng.sample(homes, wanted + 1)
        if words:
            values, what = rng.sample(WORDS, wanted + 1), "secret word"
        else:
            values, what = [str(n) for n in rng.sample(range(1000000, 9999999), wanted + 1)], "code"
        planted = [f"The {what} of the {thing} is {value}." for thing, value in zip(things, values, strict=True)]
        rng.shuffle(planted)
        passage = scattered(rng, planted, rng.randint(14, 30))
        asked = [f"of the {thing}" for thing in things[:wanted]]
        listed = asked[0] if wanted == 1 else f"{', '.join(asked[:-1])} and {asked[-1]}"
        question = f"What {'is' if wanted == 1 else 'are'} the {what}{'' if wanted == 1 else 's'} {listed}?"
        facts: dict[str, object] = {"passage": passage, "pattern": "word" if words else "number"}
        if words:
            facts["others"] = values[wanted:]  # words of the passage that would be a wrong find
        kind = "words" if words else "numbers"
        made.setdefault(question, Row(question, tuple(values[:wanted]), facts=facts, cluster=f"{wanted} {kind}"))
    return spread(rng, list(made.values()), N)


#: Parts of names for towns that do not exist.
BEGINNINGS = (
    "Ardo Belu Corri Dunna Elvo Farro Glimo Harsko Ivena Jorva Kelto Lindo Marri Norru Ostu Pello Quillo Tarno".split()
)
ENDINGS = "holm vik marsh brook moor port mere".split()
FOUNDED = "fishermen miners shepherds monks merchants sailors weavers soldiers potters beekeepers".split()
FAMOUS = "cheese bells lace honey clocks glass apples boats carpets paper".split()
RIVERS = "Avel Brisk Caldo Dovu Emba Fenno Garru Holto Iskel Lornu Mivo Nessa Ostri Palu".split()


def citations(rng: random.Random) -> list[Row]:
    """Two or four short sources about made-up towns; the answer must be followed by the title of the source it stands in."""
    names = [beginning + ending for beginning in BEGINNINGS for ending in ENDINGS]
    kinds = ("founders", "year", "river", "famous", "older of two")
    made: dict[str, Row] = {}
    while len(made) < N:
        size = (2, 4)[len(made) // len(kinds) % 2]
        towns = rng.sample(names, size)
        founders, famous = rng.sample(FOUNDED, size), rng.sample(FAMOUS, size)
        rivers, years = rng.sample(RIVERS, size), rng.sample(range(1100, 1900), size)
        texts = [
            f"{town} was founded in {year} by {who}. It lies on the river {river} and is known for its {what}."
            for town, year, who, river, what in zip(towns, years, founders, rivers, famous, strict=True)
        ]
        titles = [f"Town of {name}" for name in towns]
        kind = kinds[len(made) % len(kinds)]
        place, second = rng.sample(range(size), 2)
        town, sources = towns[place], [titles[place]]
        if kind == "older of two":
            asked = f"Which town is older, {town} or {towns[second]}?"
            gold = town if years[place] < years[second] else towns[second]
            sources = sorted([titles[place], titles[second]], key=titles.index)
            form = "End your answer with the titles of both sources, each in square brackets, "
            form += "such as [Town of Velmadorf] [Town of Zorrafeld]."
        else:
            asked, gold = {
                "founders": (f"Who founded {town}?", founders[place]),
                "year": (f"In which year was {town} founded?", str(years[place])),
                "river": (f"On which river does {town} lie?", rivers[place]),
                "famous": (f"What is {town} known for?", famous[place]),
            }[kind]
            form = "End your answer with the title of the source in square brackets, such as [Town of Velmadorf]."
        passage = "\n".join(f"[{title}] {text}" for title, text in zip(titles, texts, strict=True))
        question = f"{asked} {form}"
        facts = {"passage": passage, "titles": titles, "sources": sources}
        made.setdefault(question, Row(question, gold, facts=facts, cluster=kind))
    return spread(rng, list(made.values()), N)


TASKS: dict[str, Generator] = {"recall": recall, "citations": citations}
