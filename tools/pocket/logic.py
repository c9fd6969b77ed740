"""Logic: small puzzles that need a rule to be followed and no knowledge. Every gold is computed, never written."""

# ruff: noqa: SIM905 - lists of words are written as people write them
from __future__ import annotations

import itertools
import random

from row import Generator, Row, fixed, spread

N = 165

NAMES = "Anna Ben Clara David Emma Frank Grace Henry Ida Jack Kate Leo Mary Nina Oscar Paul Rosa Sam Tom Vera".split()


def boolean_expressions(rng: random.Random) -> list[Row]:
    """Expressions of True, False, not, and, or, with one to three words to apply."""
    atoms = {"True": True, "False": False, "not True": False, "not False": True}
    made: dict[str, bool] = {name: value for name, value in atoms.items() if name.startswith("not")}
    for (left, a), (right, b) in itertools.product(atoms.items(), repeat=2):
        made[f"{left} and {right}"] = a and b
        made[f"{left} or {right}"] = a or b
    pairs = dict(made)
    for (inner, a), (right, b) in itertools.product(pairs.items(), atoms.items()):
        if " and " in inner or " or " in inner:
            made[f"( {inner} ) and {right}"] = a and b
            made[f"( {inner} ) or {right}"] = a or b
            made[f"not ( {inner} )"] = not a
    # As many true as false ones, short ones all in: a model that always says True scores at chance.
    short = [text for text in made if len(text.split()) <= 5]
    long = [text for text in made if text not in short]
    rng.shuffle(long)
    chosen: dict[bool, list[str]] = {True: [], False: []}
    for text in short + long:
        if len(chosen[made[text]]) < (N + 1) // 2:
            chosen[made[text]].append(text)
    rows = [
        fixed(
            rng,
            f"What is the value of this expression: {text}?",
            str(made[text]),
            [str(not made[text])],
            facts={"cue": f"{text} is"},
            cluster="short" if text in short else "long",
        )
        for text in chosen[True] + chosen[False]
    ]
    return spread(rng, rows, N)


def shuffled_objects(rng: random.Random) -> list[Row]:
    """Three people hold three things, in half the rows some swap, and one is asked for."""
    colours = "red blue green yellow black white orange pink".split()
    things = "ball book cup hat card scarf".split()
    made: dict[str, Row] = {}
    while len(made) < N:
        people = rng.sample(NAMES, 3)
        held = dict(zip(people, rng.sample(colours, 3), strict=True))
        start = dict(held)
        thing = rng.choice(things)
        first = ", ".join(f"{who} has the {held[who]} {thing}" for who in people[:2])
        story = f"{first} and {people[2]} has the {held[people[2]]} {thing}."
        # Half of the rows are to be read and not to be followed: only one is told of, or nobody swaps.
        tier = ("one", "swap", "three", "swap")[len(made) % 4]
        swaps = 0 if tier != "swap" else 1 + len(made) // 4 % 2
        for number, (a, b) in enumerate(rng.sample(list(itertools.combinations(people, 2)), swaps)):
            held[a], held[b] = held[b], held[a]
            story += f" {'Then' if number else 'Now'} {a} and {b} swap."
        if tier == "one":
            story = f"{people[0]} has the {held[people[0]]} {thing}."
        story += "" if swaps else " Nobody swaps."
        kept = [who for who in people if held[who] == start[who]]
        who = kept[0] if swaps and kept and rng.random() < 0.6 else rng.choice(people[:1] if tier == "one" else people)
        question = f"{story} What does {who} have at the end?"
        made[question] = fixed(
            rng,
            question,
            f"the {held[who]} {thing}",
            [f"the {colour} {thing}" for colour in held.values() if colour != held[who]],
            facts={"cue": f"At the end {who} has"},
            cluster=f"{tier}, {swaps} swaps, {'same' if held[who] == start[who] else 'other'}",
        )
    return spread(rng, list(made.values()), N)


DEEDS = (
    "ate breakfast/took a shower/read the paper/fed the cat/watered the plants/called a friend/went for a run/"
    "washed the dishes/wrote a letter/baked a cake/cleaned the windows/played the piano/bought some bread/"
    "visited the library/fixed the bike/painted the fence/watched a film/made some tea/walked the dog/swept the floor"
).split("/")


def temporal_order(rng: random.Random) -> list[Row]:
    """What came when in a short day."""
    made: dict[str, Row] = {}
    while len(made) < N:
        who = rng.choice(NAMES)
        deeds = rng.sample(DEEDS, 3)
        one, two, three = deeds
        told = len(made) % 3
        if told == 0:
            when = ["first", "second", "last"]
            story = f"First {who} {one}. Second, {who} {two}. Last, {who} {three}."
            leads = ["First", "Second,", "Last,"]
        elif told == 1:
            when = ["in the morning", "in the afternoon", "in the evening"]
            story = f"In the morning {who} {one}. In the afternoon {who} {two}. In the evening {who} {three}."
            leads = [moment.capitalize() for moment in when]
        else:
            when = [f"at {hour} o'clock" for hour in sorted(rng.sample(range(1, 12), 3))]
            leads = [moment.capitalize() for moment in when]
            story = " ".join(f"{lead} {who} {deed}." for lead, deed in zip(leads, deeds, strict=True))
        place = rng.randrange(3)
        asked, cue, gold = f"What did {who} do {when[place]}?", f"{leads[place]} {who}", deeds[place]
        if rng.random() < 0.3:
            before = rng.random() < 0.5
            gold = two
            asked = f"What did {who} do {'just before' if before else 'just after'} {who} {three if before else one}?"
            cue = f"{'Just before' if before else 'Just after'} that {who}"
        question = f"{story} {asked}"
        made[question] = fixed(
            rng,
            question,
            gold,
            [deed for deed in deeds if deed != gold],
            facts={"cue": cue},
            cluster=f"{('steps', 'day', 'clock')[told]}{', next to' if 'just' in asked else ''}",
        )
    return spread(rng, list(made.values()), N)


def web_of_lies(rng: random.Random) -> list[Row]:
    """A chain of people who say of each other that they lie; in the easy rows each one's honesty is simply told."""
    made: dict[str, Row] = {}
    while len(made) < N:
        truth = len(made) % 2 == 0  # of the one asked about: as many that tell the truth as that lie
        links = (0, 1, 0, 2)[len(made) // 2 % 4]
        people = rng.sample(NAMES, max(links, 1) + 1)
        if links:
            states = [rng.random() < 0.5 for _ in range(links)] + [truth]
            story = [f"{people[0]} {VERACITY[states[0]]}."]
            for before, who, (other, honest) in zip(people, people[1:], itertools.pairwise(states)):
                # An honest speaker reports the state of the one before; a liar turns it round.
                story.append(f"{who} says that {before} {VERACITY[other == honest]}.")
        else:
            story = [f"{people[-1]} {VERACITY[truth]}.", f"{people[0]} {VERACITY[not truth]}."]
            rng.shuffle(story)
        question = f"{' '.join(story)} Does {people[-1]} tell the truth, or does {people[-1]} lie?"
        made[question] = fixed(
            rng,
            question,
            VERACITY[truth],
            [VERACITY[not truth]],
            facts={"cue": people[-1]},
            cluster=f"{links} links",
        )
    return spread(rng, list(made.values()), N)


VERACITY = {True: "tells the truth", False: "lies"}
MADE_UP = "wug dap blicket toma zorp fep gazzer lorn pilk yumble tobe borp snerk glim".split()
TRAITS = "red blue green round heavy soft loud cold warm fast slow shy brave hungry sleepy striped".split()


def article(word: str) -> str:
    """Return the word with a or an before it."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def syllogisms(rng: random.Random) -> list[Row]:
    """Rules about made-up kinds, one individual, one conclusion."""
    made: dict[str, Row] = {}
    forms = ("one rule", "two rules", "chain", "two rules")
    while len(made) < N:
        form = forms[len(made) % len(forms)]
        a, b, c = rng.sample(MADE_UP, 3)
        x, y, z, other = rng.sample(TRAITS, 4)
        who = rng.choice(NAMES)
        if form == "one rule":
            story = f"All {a}s are {x}. No {b} is {x}; every {b} is {y}. {who} is {article(a)}."
            gold, wrong = x, [y, z, other]
        elif form == "two rules":
            rules = [(a, x), (b, y), (c, z)]
            story = " ".join(f"All {kind}s are {trait}." for kind, trait in rules)
            kind, gold = rng.choice(rules)
            story += f" {who} is {article(kind)}."
            wrong = [t for t in (x, y, z, other) if t != gold]
        else:
            story = f"All {a}s are {b}s. All {b}s are {x}. All {c}s are {y}. {who} is {article(a)}."
            gold, wrong = x, [y, z, other]
        question = f"{story} What follows about {who}?"
        made[question] = fixed(rng, question, gold, wrong, facts={"cue": f"{who} is"}, cluster=form)
    return spread(rng, list(made.values()), N)


SCALES = (
    ("taller", "tallest", "shorter", "shortest"),
    ("older", "oldest", "younger", "youngest"),
    ("faster", "fastest", "slower", "slowest"),
    ("richer", "richest", "poorer", "poorest"),
    ("heavier", "heaviest", "lighter", "lightest"),
    ("stronger", "strongest", "weaker", "weakest"),
)


def ordering(rng: random.Random) -> list[Row]:
    """Who is the tallest? One or two comparisons give an order; in the easy rows the order is told in so many words."""
    made: dict[str, Row] = {}
    while len(made) < N:
        high, middle, low = rng.sample(NAMES, 3)
        more, most, less, least = rng.choice(SCALES)
        tier = ("told", "two", "told", "three")[len(made) // 2 % 4]
        of_most = len(made) % 2 == 0  # as often the most as the least
        if tier == "two":
            # Told from either side: the one who is named first is right in half of the rows.
            facts = [f"{high} is {more} than {low}." if rng.random() < 0.5 else f"{low} is {less} than {high}."]
            which, tail, names = (more if of_most else less), "of the two", [high, low]
            asked, cue = f"Who is {which}", f"The one who is {which} is"
        else:
            which, tail, names = (most if of_most else least), "of the three", [high, middle, low]
            asked, cue = f"Who is the {which}", f"The {which} is"
            facts = [f"{high} is {more} than {middle}.", f"{middle} is {more} than {low}."]
            if tier == "told":
                facts = [f"The {most} is {high}.", f"The {least} is {low}.", f"{middle} is in between."]
            rng.shuffle(facts)
        gold = high if of_most else low
        question = f"{' '.join(facts)} {asked} {tail}?"
        made[question] = fixed(
            rng,
            question,
            gold,
            [name for name in names if name != gold],
            facts={"cue": cue},
            cluster=f"{tier}, {'more' if of_most else 'less'}",
        )
    return spread(rng, list(made.values()), N)


def deduction(rng: random.Random) -> list[Row]:
    """Three things, three owners: one clue each, sometimes the last only by what is left."""
    kinds = {
        "pet": "dog cat bird fish horse rabbit".split(),
        "favorite color": "red blue green white black yellow".split(),
        "favorite fruit": "apple banana cherry mango pear plum".split(),
        "favorite season": "spring summer autumn winter".split(),
        "instrument": "piano violin guitar flute drum harp".split(),
        "lesson": "history music art math sport science".split(),
    }
    named = ("pet", "favorite fruit", "instrument")
    made: dict[str, Row] = {}
    while len(made) < N:
        people = rng.sample(NAMES, 3)
        kind = rng.choice(list(kinds))
        values = rng.sample(kinds[kind], 3)
        owned = dict(zip(people, values, strict=True))
        by_rest = len(made) % 4 == 0
        plain = len(made) % 4 in (1, 3)  # one clue and no list of what there is: easy to read off
        clues = people[:1] if plain else people[:2] if by_rest else list(people)
        rng.shuffle(clues)
        told = " ".join(f"The {kind} of {who} is {'the ' if kind in named else ''}{owned[who]}." for who in clues)
        start = f"{people[0]}, {people[1]} and {people[2]} each have a different {kind}: "
        listed = sorted(values)
        story = told if plain else f"{start}{listed[0]}, {listed[1]} and {listed[2]}. {told}"
        who = people[2] if by_rest else rng.choice(clues)
        question = f"{story} What is the {kind} of {who}?"
        made[question] = fixed(
            rng,
            question,
            owned[who],
            [value for value in values if value != owned[who]],
            facts={"cue": f"The {kind} of {who} is{' the' if kind in named else ''}"},
            cluster="by what is left" if by_rest else "by the only clue" if plain else "by a clue",
        )
    return spread(rng, list(made.values()), N)


PATTERN_SETS = (
    "red blue green yellow black white",
    "cat dog bird fish cow horse",
    "one two three four five six",
    "circle square star heart triangle diamond",
    "up down left right in out",
    "A B C D E F",
    "sun moon star cloud rain snow",
    "tea milk water juice coffee soup",
)


def patterns(rng: random.Random) -> list[Row]:
    """A row that repeats itself goes on."""
    shapes = ("ab", "abc", "aab", "abb", "abcb", "aabb", "abac", "abcd")
    made: dict[str, Row] = {}
    while len(made) < N:
        shape = shapes[len(made) % len(shapes)]
        words = rng.sample(rng.choice(PATTERN_SETS).split(), 4)
        names = dict(zip("abcd", words, strict=True))
        shown = len(shape) * 2 + rng.randrange(len(shape))
        row = [names[shape[i % len(shape)]] for i in range(shown + 1)]
        question = f"This row repeats a pattern. What comes next: {', '.join(row[:-1])}?"
        made[question] = fixed(
            rng,
            question,
            row[-1],
            [word for word in words if word != row[-1]],
            facts={"cue": f"{', '.join(row[:-1])},"},
            cluster=shape,
        )
    return spread(rng, list(made.values()), N)


#: Pairs in one relation; a question shows one pair and asks for the second half of another.
RELATIONS = {
    "young": "dog puppy, cat kitten, cow calf, sheep lamb, horse foal, duck duckling, bear cub, hen chick, goose gosling",
    "home": "bee hive, bird nest, spider web, dog kennel, horse stable, king palace, pig sty, lion den, monk monastery",
    "covering": "hand glove, foot sock, head hat, shoulder shawl, neck scarf, waist belt, wrist watch",
    "tool": "painter brush, writer pen, carpenter hammer, photographer camera, fisherman net, tailor needle, gardener spade",
    "place": "teacher school, doctor hospital, farmer farm, actor theater, judge court, cook kitchen, priest church, "
    "sailor ship, pilot plane",
    "sound": "dog bark, cat meow, cow moo, lion roar, duck quack, bird chirp, snake hiss, wolf howl, bee buzz",
    "female": "king queen, boy girl, man woman, father mother, brother sister, uncle aunt, son daughter, husband wife, "
    "actor actress, prince princess",
    "sense": "eye see, ear hear, nose smell, tongue taste, hand touch",
    "color": "grass green, snow white, coal black, blood red, sky blue, banana yellow",
    "made of": "window glass, shirt cotton, tire rubber, coin metal, book paper, candle wax, log wood",
    "part": "car engine, tree branch, house roof, book page, bird wing, hand finger, bicycle pedal, guitar string, clock hand",
    "compared": "big bigger, small smaller, good better, bad worse, hot hotter, happy happier, tall taller, easy easier",
    "past": "go went, eat ate, see saw, run ran, take took, give gave, write wrote, sing sang, drink drank",
    "many": "child children, foot feet, mouse mice, man men, tooth teeth, leaf leaves, goose geese, knife knives",
    "use": "knife cut, pen write, chair sit, bed sleep, book read, cup drink, broom sweep, oven bake, shovel dig",
    "opposite": "hot cold, up down, day night, open closed, wet dry, early late, full empty, rich poor, strong weak",
}


def analogies(rng: random.Random) -> list[Row]:
    """A is to B as C is to what? Wrong options are second halves of the same relation, or tied to C in another way."""
    tables = {name: [tuple(pair.split()) for pair in text.split(",")] for name, text in RELATIONS.items()}
    rows = []
    for name, pairs in tables.items():
        for c, d in pairs:
            fitting = [pair for pair in pairs if c not in pair and d not in pair]
            # A word that C has in another relation (a hand has fingers, feels and wears a glove) is a lure.
            lures = [y for other, more in tables.items() if other != name for x, y in more if x == c and y != d]
            for a, b in rng.sample(fitting, 2):
                wrong = [y for x, y in fitting if y != b]
                chosen = list(dict.fromkeys([*lures[:1], *rng.sample(wrong, len(wrong))]))[:3]
                rows.append(
                    fixed(
                        rng,
                        f"{a.capitalize()} is to {b} as {c} is to what?",
                        d,
                        chosen,
                        facts={"cue": f"{a.capitalize()} is to {b} as {c} is to"},
                        cluster=name,
                    )
                )
    return spread(rng, rows, N)


TASKS: dict[str, Generator] = {
    "boolean_expressions": boolean_expressions,
    "shuffled_objects": shuffled_objects,
    "temporal_order": temporal_order,
    "web_of_lies": web_of_lies,
    "syllogisms": syllogisms,
    "ordering": ordering,
    "deduction": deduction,
    "patterns": patterns,
    "analogies": analogies,
}
