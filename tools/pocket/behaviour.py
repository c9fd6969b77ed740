"""Answers that a model writes itself: a short answer, a number, a choice after reasoning, a form, JSON, a tool call."""

# ruff: noqa: SIM905 - lists of words are written as people write them
from __future__ import annotations

import itertools
import random
from typing import Any

from row import Generator, Row, fixed, spread

N = 165

NAMES = "Anna Ben Clara David Emma Frank Grace Henry Ida Jack Kate Leo Mary Nina Oscar Paul Rosa Sam Tom Vera".split()
CITIES = "Oslo Rome Lima Cairo Paris Tokyo Madrid Vienna Dublin Athens Lisbon Berlin Quito Delhi Boston Sydney".split()

# --- short answers ---------------------------------------------------------------------------------------------------

#: question | answer | other accepted answers, apart by semicolons
SHORT = """
What color do you get when you mix blue and yellow? | green
What color do you get when you mix red and white? | pink
What color do you get when you mix red and yellow? | orange
What color do you get when you mix red and blue? | purple | violet
What is frozen water called? | ice
What gas do people need to breathe to stay alive? | oxygen
What is the name of the star at the center of our solar system? | the Sun | sun
What is the largest planet in our solar system? | Jupiter
Which planet do people live on? | Earth
What is the natural satellite of the Earth called? | the Moon | moon
What is the hottest season of the year called? | summer
What is the coldest season of the year called? | winter
Which season comes after winter? | spring
Which meal do people eat in the morning? | breakfast
What do bees make that people eat? | honey
What do cows give that people drink? | milk
What is the young of a cat called? | kitten
What is the young of a dog called? | puppy
What is the young of a cow called? | calf
What is the young of a sheep called? | lamb
Which animal is known for its very long neck? | giraffe
Which animal has a trunk and tusks? | elephant
Which black and white animal eats bamboo? | panda | giant panda
Which bird is a symbol of peace? | dove | white dove; pigeon
Which animal is called the king of the beasts? | lion
Which animal carries its young in a pouch and hops? | kangaroo
What is the largest animal in the world? | blue whale | whale
What is the fastest land animal? | cheetah
Which insect turns from a caterpillar into a flying insect with colorful wings? | butterfly
Which animal spins a web to catch flies? | spider
What is the opposite of hot? | cold
What is the opposite of up? | down
What is the opposite of day? | night
What is the opposite of old? | young | new
What is the opposite of empty? | full
What is the plural of "child"? | children
What is the plural of "mouse"? | mice
What is the past tense of "go"? | went
What is the past tense of "eat"? | ate
Which letter comes after A in the alphabet? | B
What is the last letter of the English alphabet? | Z
What is the first month of the year? | January
What is the last month of the year? | December
Which month comes after June? | July
Which day comes after Friday? | Saturday
Which day comes before Monday? | Sunday
What is the capital of France? | Paris
What is the capital of Italy? | Rome
What is the capital of Japan? | Tokyo
What is the capital of Spain? | Madrid
What is the capital of Germany? | Berlin
What is the capital of England? | London
What is the capital of Russia? | Moscow
What is the capital of Egypt? | Cairo
In which country are the pyramids of Giza? | Egypt
In which country is the Great Wall? | China
In which country is the city of Rome? | Italy
In which city is the Eiffel Tower? | Paris
In which city is the Statue of Liberty? | New York | New York City
Which ocean lies between America and Europe? | Atlantic | Atlantic Ocean; the Atlantic
What is the largest ocean in the world? | Pacific | Pacific Ocean; the Pacific
What is the highest mountain in the world? | Mount Everest | Everest
Which river flows through Egypt? | Nile | the Nile; Nile River
Which continent is the coldest? | Antarctica
On which continent is Brazil? | South America
On which continent is Kenya? | Africa
On which continent is India? | Asia
Which country is famous for kangaroos and koalas? | Australia
Which language is spoken in Brazil? | Portuguese
Which language is spoken in Mexico? | Spanish
Which language do most people in the United States speak? | English
What is the currency of the United States? | dollar | US dollar; United States dollar; dollars
What is the currency of Japan? | yen
Who wrote "Romeo and Juliet"? | William Shakespeare | Shakespeare
Who painted the Mona Lisa? | Leonardo da Vinci | Leonardo; da Vinci
Who was the first president of the United States? | George Washington | Washington
Who was the first person to walk on the Moon? | Neil Armstrong | Armstrong
Who developed the theory of relativity? | Albert Einstein | Einstein
Which scientist is said to have thought about gravity when an apple fell? | Isaac Newton | Newton
Which ship hit an iceberg and sank in 1912? | Titanic | the Titanic; RMS Titanic
What do you call a person who teaches in a school? | teacher
What do you call a person who flies a plane? | pilot
What do you call a person who bakes bread? | baker
What do you call a person who cuts hair? | barber | hairdresser; hair stylist; hairstylist
What do you call a doctor who looks after teeth? | dentist
What do you call a doctor who looks after animals? | vet | veterinarian
What do you call a person who puts out fires? | firefighter | fireman; fire fighter
What do you call a person who writes books? | author | writer
What do you call the brother of your mother? | uncle
What do you call the sister of your father? | aunt
What do you call the mother of your mother? | grandmother | grandma; granny
What do you call the son of your aunt? | cousin
What do you use to cut paper? | scissors | a pair of scissors
What do you use to open a locked door? | key | a key
What do you wear on your feet inside your shoes? | socks
What do you wear on your hands when it is cold? | gloves | mittens
What do you hold over your head when it rains? | umbrella | an umbrella
What do people wear on the wrist to tell the time? | watch | a watch; wristwatch
What do you use to hit a nail? | hammer | a hammer
What do you use to sweep the floor? | broom | a broom
Which machine keeps food cold in a kitchen? | refrigerator | fridge
Which instrument has black and white keys? | piano
Which instrument has six strings and is often played around a campfire? | guitar
Which part of the body do you use to see? | eyes | eye
Which part of the body do you use to hear? | ears | ear
Which part of the body do you use to smell? | nose
Which organ pumps blood through the body? | heart
Which organ do people think with? | brain
What covers the body of a bird? | feathers
What covers the body of a fish? | scales
What is the outer covering of a tree trunk called? | bark | tree bark
What do plants need from the sky to grow, besides water? | sunlight | light; sun; sunshine
Which fruit is yellow, long and curved? | banana
Which fruit is wine made from? | grapes | grape
Which vegetable makes people cry when they cut it? | onion | onions
Which orange vegetable do rabbits like to eat in stories? | carrot | carrots
What is the main ingredient of bread? | flour | wheat; wheat flour
What is cheese made from? | milk
What is chocolate made from? | cocoa | cocoa beans; cacao; cacao beans
What is paper made from? | wood | trees; wood pulp
What is glass made from? | sand | silica
What do we call a shape with three sides? | triangle
What do we call a shape with four equal sides and four right angles? | square
What do we call a shape that is perfectly round? | circle
What do we call a polygon with five sides? | pentagon
What do we call a polygon with six sides? | hexagon
What is the chemical formula of water? | H2O
What is the chemical symbol of oxygen? | O
Which metal is attracted by magnets and rusts? | iron | steel
Which precious metal is yellow and used for wedding rings? | gold
What force pulls things down to the ground? | gravity
What do we call molten rock that flows out of a volcano? | lava
What do we call a scientist who studies the stars? | astronomer
What tool do people use to look at distant stars? | telescope
What tool do people use to look at very small things? | microscope
What do you call a house made of snow blocks? | igloo
What do you call a place where books are lent? | library
What do you call a place where sick people are treated? | hospital
What do you call a place where planes land? | airport
What do you call a place where films are shown? | cinema | movie theater; theater
What do you call a place where money is kept? | bank
What do you call a place where old objects are shown to visitors? | museum
Which sport is played at Wimbledon? | tennis
In which sport do players try to throw a ball through a high hoop? | basketball
In which sport do players kick a ball into a goal? | soccer | football
Which game has kings, queens and pawns on a board? | chess
Which holiday do Christians celebrate on December 25? | Christmas
What is the holy book of Christianity called? | the Bible | Bible
What is the holy book of Islam called? | the Quran | Quran; Koran; Qur'an
In which religion do people pray in a mosque? | Islam
Who is the detective that lives in Baker Street in London? | Sherlock Holmes | Holmes
Which wooden puppet has a nose that grows when he lies? | Pinocchio
Which girl in a tale loses a glass slipper? | Cinderella
With whom does Snow White live in the forest? | seven dwarfs | the seven dwarfs; dwarfs; dwarves; the seven dwarves
What does a caterpillar eat most of the time? | leaves | leaf; plants
What color is the sky on a clear day? | blue
What color is fresh snow? | white
What color is grass in spring? | green
What color is blood? | red
What do you say in English to thank somebody? | thank you | thanks
What is the name of the fairy tale girl with a red hood? | Little Red Riding Hood | Red Riding Hood
What do we call the person who rules a kingdom, if he is a man? | king
What is the wife of a king called? | queen
What do we call water that falls from clouds? | rain
What do we call the colored arc in the sky after rain? | rainbow
What do we call a very strong storm with a funnel of turning air? | tornado
What do we call ten years? | decade | a decade
What do we call one hundred years? | century | a century
How many eggs are in a dozen? | twelve | 12
What do we call half of a circle? | semicircle
What do we call each half of the Earth, north and south? | hemisphere | hemispheres
"""


def short_answers(rng: random.Random) -> list[Row]:
    """Questions with a short answer that everybody knows; other names of it are accepted."""
    rows = []
    for line in SHORT.strip().splitlines():
        question, gold, *more = (part.strip() for part in line.split("|"))
        aliases = [one.strip() for one in more[0].split(";")] if more else []
        rows.append(Row(question, (gold, *aliases)))
    return spread(rng, rows, N)


# --- numbers ---------------------------------------------------------------------------------------------------------


def number_answers(rng: random.Random) -> list[Row]:
    """Stories of one or two steps; the answer is a number that the model writes."""
    things = "apples pencils books marbles stickers coins shells buttons cards cookies".split()
    made: dict[str, Row] = {}
    kinds = ("add", "add then give", "boxes and more", "price", "left over", "twice", "age", "pages")
    while len(made) < N:
        kind = kinds[len(made) % len(kinds)]
        who, other = rng.sample(NAMES, 2)
        thing = rng.choice(things)
        a, b, c = rng.randint(4, 20), rng.randint(2, 9), rng.randint(2, 5)
        if kind == "add":
            text = f"{who} has {a} {thing} and finds {b} more. How many {thing} does {who} have?"
            value = a + b
        elif kind == "add then give":
            a += c
            text = f"{who} has {a} {thing}, gets {b} more and then gives {c} to {other}. How many {thing} are left?"
            value = a + b - c
        elif kind == "boxes and more":
            text = (
                f"{who} has {b} boxes with {c} {thing} each, and {a} {thing} in a bag. How many {thing} is that in all?"
            )
            value = b * c + a
        elif kind == "price":
            text = f"A ticket costs {c} dollars. {who} buys {b} tickets. How many dollars does {who} pay?"
            value = b * c
        elif kind == "left over":
            total = b * c + a
            text = f"{who} has {total} dollars and buys {b} books at {c} dollars each. How many dollars are left?"
            value = a
        elif kind == "twice":
            text = f"{who} has {a} {thing}. {other} has twice as many. How many {thing} do they have together?"
            value = 3 * a
        elif kind == "age":
            text = f"{who} is {a} years old. {other} is {b} years older. How old will {other} be in {c} years?"
            value = a + b + c
        else:
            text = f"A book has {a * b} pages. {who} reads {a} pages a day. After how many days is the book finished?"
            value = b
        made[text] = Row(text, str(value), cluster=kind)
    return spread(rng, list(made.values()), N)


# --- choice after reasoning ------------------------------------------------------------------------------------------


def reasoned_choice(rng: random.Random) -> list[Row]:
    """Small puzzles with four options, where a step or two of reasoning helps."""
    days = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
    made: dict[str, Row] = {}
    kinds = ("order of four", "weekday", "speed", "shelf", "ages", "clock")
    scales = (("taller", "tallest", "shortest"), ("older", "oldest", "youngest"), ("faster", "fastest", "slowest"))
    while len(made) < N:
        kind = kinds[len(made) % len(kinds)]
        people = rng.sample(NAMES, 4)
        if kind == "order of four":
            more, most, least = rng.choice(scales)
            clues = [f"{x} is {more} than {y}." for x, y in itertools.pairwise(people)]
            rng.shuffle(clues)
            asked, gold = (most, people[0]) if rng.random() < 0.5 else (least, people[3])
            text = f"{' '.join(clues)} Who is the {asked}?"
            wrong = [name for name in people if name != gold]
        elif kind == "weekday":
            day, step = rng.randrange(7), rng.randint(2, 6)
            gold = days[(day + step) % 7]
            text = f"Today is {days[day]}. {people[0]} leaves in {step} days. On which day does {people[0]} leave?"
            wrong = rng.sample([d for d in days if d not in (gold, days[day])], 3)
        elif kind == "speed":
            speed, hours = rng.choice([20, 30, 40, 50, 60, 80]), rng.randint(2, 5)
            gold = f"{speed * hours} km"
            vehicle = rng.choice(["car", "train", "bus"])
            text = f"A {vehicle} drives {speed} km every hour. How far does it drive in {hours} hours?"
            wrong = [f"{speed * other} km" for other in rng.sample([h for h in range(1, 7) if h != hours], 3)]
        elif kind == "shelf":
            colours = rng.sample("red blue green yellow black white".split(), 4)
            pairs = [f"The {x} book is left of the {y} book." for x, y in itertools.pairwise(colours)]
            rng.shuffle(pairs)
            place = rng.choice([0, 3])
            gold = f"the {colours[place]} book"
            text = f"Four books stand in a row. {' '.join(pairs)} Which book is the {'leftmost' if place == 0 else 'rightmost'}?"
            wrong = [f"the {c} book" for c in colours if c != colours[place]]
        elif kind == "ages":
            a, b, c = rng.randint(5, 12), rng.randint(2, 6), rng.randint(2, 5)
            gold = str(a + b - c)
            text = (
                f"{people[0]} is {a} years old. {people[1]} is {b} years older than {people[0]}. {people[2]} is {c} years "
                f"younger than {people[1]}. How old is {people[2]}?"
            )
            value = a + b - c
            wrong = [str(v) for v in dict.fromkeys((a + b, a + b + c, value + 1, value - 1)) if v != value][:3]
        else:
            start, long = rng.randint(1, 8), rng.choice([30, 45, 90, 120])
            end = start * 60 + long
            gold = f"{end // 60}:{end % 60:02d}"
            wrong = [f"{t // 60}:{t % 60:02d}" for t in (end + 15, end - 15, end + 60)]
            text = f"{people[0]} watches a film that starts at {start}:00 and lasts {long} minutes. When does it end?"
        made[text] = fixed(rng, text, gold, wrong, cluster=kind)
    return spread(rng, list(made.values()), N)


# --- instructions ----------------------------------------------------------------------------------------------------

TOPICS = (
    "a walk in the rain/your favorite season/how to boil an egg/a day at the beach/why sleep matters/a lost key/the moon/"
    "how bread is made/a friendly dog/learning to swim/a train journey/a rainy Sunday/an old library/how to plant a tree/"
    "a birthday party/the sound of the sea/a small village/a cup of tea/riding a bicycle/a winter morning/"
    "the first day of school/a busy market/how to write a letter/a garden in spring/looking at the stars/a football match/"
    "cooking soup/a visit to the dentist/a letter from a friend/growing tomatoes/a cat on a roof/moving to a new house/"
    "how rain forms/reading before bed/the color blue/a long flight/a picnic by a lake/saving water/a music lesson/"
    "keeping a diary/an honest mistake/the use of maps/a snowball fight/washing dishes/a quiet evening/making new friends"
).split("/")

FORBIDDEN = (("very", "good"), ("nice", "great"), ("because", "so"), ("always", "never"), ("thing", "things"))
ENDINGS = ("That is all.", "Thank you for reading.", "The end.", "Have a good day.", "Until next time.")
KEYWORDS = (("window", "morning"), ("river",), ("garden", "light"), ("friend",), ("stone", "water"), ("yellow",))

Check = dict[str, Any]


def instruction_kinds(rng: random.Random) -> dict[str, tuple[str, Check]]:
    """Return one instruction of each kind: how it is said, and how it is checked."""
    words = rng.choice([20, 30, 40, 50])
    at_least = rng.choice([30, 40, 60])
    few = rng.choice([2, 3, 4])
    keywords = rng.choice(KEYWORDS)
    banned = rng.choice(FORBIDDEN)
    ending = rng.choice(ENDINGS)
    bullets = rng.choice([2, 3, 4, 5])
    holes = rng.choice([1, 2])
    lights = rng.choice([1, 2])
    said = " and ".join(f'"{word}"' for word in keywords)
    banned_said = " or ".join(f'"{word}"' for word in banned)

    def check(name: str, **kwargs: Any) -> Check:
        return {"id": name, "kwargs": kwargs}

    return {
        "short": (
            f"Use fewer than {words} words.",
            check("length_constraints:number_words", num_words=words, relation="less than"),
        ),
        "long": (
            f"Use at least {at_least} words.",
            check("length_constraints:number_words", num_words=at_least, relation="at least"),
        ),
        "sentences": (
            f"Write fewer than {few + 1} sentences.",
            check("length_constraints:number_sentences", num_sentences=few + 1, relation="less than"),
        ),
        "keywords": (
            f"Use the {'words' if len(keywords) > 1 else 'word'} {said}.",
            check("keywords:existence", keywords=list(keywords)),
        ),
        "banned": (
            f"Do not use the word {banned_said}.",
            check("keywords:forbidden_words", forbidden_words=list(banned)),
        ),
        "lower": ("Write everything in lowercase letters, without capitals.", check("change_case:english_lowercase")),
        "upper": ("Write everything in capital letters.", check("change_case:english_capital")),
        "commas": ("Do not use any commas.", check("punctuation:no_comma")),
        "ending": (
            f'End with exactly these words and nothing after them: "{ending}"',
            check("startend:end_checker", end_phrase=ending),
        ),
        "quotes": ("Put your whole reply in double quotation marks.", check("startend:quotation")),
        "bullets": (
            f"Write exactly {bullets} bullet points, each starting with an asterisk and a space.",
            check("detectable_format:number_bullet_lists", num_bullets=bullets),
        ),
        "title": (
            "Begin with a title in double angular brackets, such as <<A title>>.",
            check("detectable_format:title"),
        ),
        "highlight": (
            f"Highlight at least {lights} {'parts' if lights > 1 else 'part'} of the text with asterisks, like *this*.",
            check("detectable_format:number_highlighted_sections", num_highlights=lights),
        ),
        "postscript": (
            "Add a postscript at the end that starts with P.S.",
            check("detectable_content:postscript", postscript_marker="P.S."),
        ),
        "placeholder": (
            f"Include at least {holes} {'placeholders' if holes > 1 else 'placeholder'} in square brackets, such as [name].",
            check("detectable_content:number_placeholders", num_placeholders=holes),
        ),
    }


#: Pairs that go together; the other rows have a single instruction.
PAIRS = (
    ("short", "lower"), ("short", "commas"), ("short", "keywords"), ("lower", "commas"), ("keywords", "commas"),
    ("long", "ending"), ("short", "quotes"), ("bullets", "banned"), ("title", "commas"), ("sentences", "keywords"),
    ("long", "postscript"), ("sentences", "lower"),
)  # fmt: skip


def instructions(rng: random.Random) -> list[Row]:
    """Write about something in a form that a program can check."""
    made: dict[str, Row] = {}
    singles = list(instruction_kinds(rng))
    while len(made) < N:
        kinds = instruction_kinds(rng)
        turn = len(made)
        names = PAIRS[turn // 3 % len(PAIRS)] if turn % 3 == 2 else (singles[turn * 7 // 3 % len(singles)],)
        topic = rng.choice(TOPICS)
        text = f"Write a short text about {topic}. " + " ".join(kinds[name][0] for name in names)
        made[text] = Row(text, (), facts={"checks": [kinds[name][1] for name in names]}, cluster=" + ".join(names))
    return spread(rng, list(made.values()), N)


# --- JSON ------------------------------------------------------------------------------------------------------------


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def json_forms(rng: random.Random) -> list[Row]:
    """A sentence or a small question whose answer is to be a JSON object of a stated form."""
    jobs = "teacher nurse baker farmer pilot lawyer painter cook driver singer".split()
    fruits = "apples pears plums lemons peaches melons".split()
    moods = {"loved": "positive", "enjoyed": "positive", "hated": "negative", "disliked": "negative"}
    products = "book film song phone jacket restaurant hotel game".split()
    kinds = ("person", "order", "mood", "list", "sum", "place", "yes")
    made: dict[str, Row] = {}
    while len(made) < N:
        kind = kinds[len(made) % len(kinds)]
        who, other, third = rng.sample(NAMES, 3)
        if kind == "person":
            age, job = rng.randint(20, 70), rng.choice(jobs)
            ask = f"{who} is {age} years old and works as a {job}."
            form = 'Give a JSON object with the keys "name" (text), "age" (whole number) and "job" (text).'
            schema = closed(
                {
                    "name": {"type": "string"},
                    "age": {"type": "integer", "minimum": 0, "maximum": 120},
                    "job": {"type": "string"},
                }
            )
            field, gold = rng.choice([("name", who), ("age", str(age)), ("job", job)])
        elif kind == "order":
            count, fruit, price = rng.randint(2, 9), rng.choice(fruits), rng.randint(1, 6)
            ask = f"{who} orders {count} {fruit}. One costs {price} dollars."
            form = 'Give a JSON object with the keys "item" (text), "quantity" (whole number) and "price" (number).'
            schema = closed(
                {"item": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}, "price": {"type": "number"}}
            )
            field, gold = rng.choice([("item", fruit), ("quantity", str(count)), ("price", str(price))])
        elif kind == "mood":
            verb = rng.choice(list(moods))
            product = rng.choice(products)
            ask = f'A review says: "I {verb} this {product}."'
            form = 'Give a JSON object with the keys "product" (text) and "mood", which is "positive" or "negative".'
            schema = closed({"product": {"type": "string"}, "mood": {"enum": ["positive", "negative"]}})
            field, gold = "mood", moods[verb]
            ask = f'{who} writes in a review: "I {verb} this {product}."'
        elif kind == "list":
            ask = f"{who}, {other} and {third} go to the cinema."
            form = 'Give a JSON object with the keys "people" (a list of exactly 3 names) and "count" (whole number).'
            schema = closed(
                {
                    "people": {"type": "array", "items": {"type": "string"}, "minItems": 3, "maxItems": 3},
                    "count": {"type": "integer"},
                }
            )
            field, gold = "count", "3"
        elif kind == "sum":
            a, b = rng.randint(2, 30), rng.randint(2, 30)
            ask = f"What is {a} plus {b}?"
            form = 'Give a JSON object with the keys "a", "b" and "sum", all whole numbers.'
            schema = closed({"a": {"type": "integer"}, "b": {"type": "integer"}, "sum": {"type": "integer"}})
            field, gold = "sum", str(a + b)
        elif kind == "place":
            city, year = rng.choice(CITIES), rng.randint(1950, 2015)
            ask = f"{who} was born in {city} in {year}."
            form = (
                'Give a JSON object with the key "person", an object with "name" (text), and the key "born", an object'
            )
            form += ' with "city" (text) and "year" (whole number).'
            born = closed({"city": {"type": "string"}, "year": {"type": "integer"}})
            schema = closed({"person": closed({"name": {"type": "string"}}), "born": born})
            field, gold = rng.choice([("born.city", city), ("born.year", str(year)), ("person.name", who)])
        else:
            a, b = rng.sample(range(2, 100), 2)
            ask = f"Is {a} larger than {b}?"
            form = 'Give a JSON object with the keys "answer" (true or false) and "larger" (the larger number).'
            schema = closed({"answer": {"type": "boolean"}, "larger": {"type": "integer"}})
            field, gold = "larger", str(max(a, b))
        text = f"{ask} {form}"
        made[text] = Row(text, gold, facts={"schema": schema, "answer_field": field}, cluster=kind)
    return spread(rng, list(made.values()), N)


# --- tool calls ------------------------------------------------------------------------------------------------------


def tool(name: str, about: str, /, **parameters: Any) -> dict[str, Any]:
    """Return the description of a tool; a parameter is a type, or a list of the values it may have."""
    properties = {
        key: {"type": "string", "enum": kind} if isinstance(kind, list) else {"type": kind}
        for key, kind in parameters.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": about, "parameters": schema}


TOOLS = {
    one["name"]: one
    for one in (
        tool("get_weather", "Tells the weather in a city.", city="string"),
        tool("set_timer", "Starts a timer.", minutes="integer"),
        tool("set_alarm", "Sets an alarm for a time of day, written as HH:MM.", time="string"),
        tool("send_message", "Sends a text message to a person.", to="string", text="string"),
        tool("call_person", "Calls a person by telephone.", name="string"),
        tool("play_music", "Plays music of a genre.", genre=["jazz", "rock", "classical", "pop"]),
        tool("convert_currency", "Converts an amount of money.", amount="number", source="string", target="string"),
        tool("translate", "Translates a word into a language.", word="string", language="string"),
        tool("add", "Adds two numbers.", a="number", b="number"),
        tool("multiply", "Multiplies two numbers.", a="number", b="number"),
        tool("book_table", "Books a table at a restaurant.", restaurant="string", people="integer"),
        tool("turn_light", "Turns the light in a room on or off.", room="string", state=["on", "off"]),
        tool("find_route", "Finds the way from one city to another.", start="string", end="string"),
        tool("add_to_list", "Puts an item on the shopping list.", item="string"),
    )
}

#: Offered with every request: where no other tool fits, the right reply is this call and not just any prose.
NO_TOOL = tool("no_tool", "Says that none of the other tools fits the request.")


def request_for(rng: random.Random, name: str) -> tuple[str, dict[str, Any]]:
    """Return a request that a tool fits, and the arguments it needs."""
    city, city2 = rng.sample(CITIES, 2)
    who = rng.choice(NAMES)
    a, b = rng.randint(2, 99), rng.randint(2, 99)
    clock = f"{rng.randint(5, 9):02d}:{rng.choice(['00', '15', '30', '45'])}"
    genre = rng.choice(["jazz", "rock", "classical", "pop"])
    room, state = rng.choice("kitchen bedroom office garage hall".split()), rng.choice(["on", "off"])
    item = rng.choice("milk bread eggs rice butter apples soap".split())
    word, language = (
        rng.choice("house water friend book tree".split()),
        rng.choice("French Spanish German Italian".split()),
    )
    place, people = rng.choice(["Luna", "Blue Door", "Old Mill", "Sakura"]), rng.randint(2, 8)
    text = rng.choice(["I am late", "See you soon", "Happy birthday", "Call me back"])
    requests: dict[str, tuple[str, dict[str, Any]]] = {
        "get_weather": (f"What is the weather like in {city}?", {"city": city}),
        "set_timer": (f"Set a timer for {a} minutes.", {"minutes": a}),
        "set_alarm": (f"Wake me up at {clock}.", {"time": clock}),
        "send_message": (f'Send a message to {who} that says "{text}".', {"to": who, "text": text}),
        "call_person": (f"Please call {who}.", {"name": who}),
        "play_music": (f"Play some {genre} music.", {"genre": genre}),
        "convert_currency": (
            f"Convert {a} USD to EUR.",
            {"amount": a, "source": "USD", "target": "EUR"},
        ),
        "translate": (f'Translate the word "{word}" into {language}.', {"word": word, "language": language}),
        "add": (f"Add {a} and {b}.", {"a": a, "b": b}),
        "multiply": (f"Multiply {a} by {b}.", {"a": a, "b": b}),
        "book_table": (f'Book a table for {people} people at "{place}".', {"restaurant": place, "people": people}),
        "turn_light": (f"Turn {state} the light in the {room}.", {"room": room, "state": state}),
        "find_route": (f"How do I get from {city} to {city2}?", {"start": city, "end": city2}),
        "add_to_list": (f"Put {item} on the shopping list.", {"item": item}),
    }
    return requests[name]


def listed(tools: list[dict[str, Any]]) -> str:
    """Return tools as lines that a person can read: name(parameter: type): what it does."""
    lines = []
    for one in tools:
        properties = one["parameters"]["properties"]
        inside = ", ".join(
            f"{key}: {' or '.join(p['enum']) if 'enum' in p else p['type']}" for key, p in properties.items()
        )
        lines.append(f"{one['name']}({inside}): {one['description']}")
    return "\n".join(lines)


def tool_calls(rng: random.Random) -> list[Row]:
    """A request and a few tools: one call, two calls, or the call that says that no tool fits."""
    made: dict[str, Row] = {}
    names = list(TOOLS)
    # A tool that could stand in for another is never offered without it.
    alike = {"set_timer": "set_alarm", "set_alarm": "set_timer", "call_person": "send_message"}
    alike |= {"send_message": "call_person", "add": "multiply", "multiply": "add"}
    while len(made) < N:
        turn = len(made)
        kind = "none" if turn % 5 == 4 else "two calls" if turn % 5 == 3 else "one call"
        wanted = rng.sample(names, 2 if kind == "two calls" else 1)
        asked = [request_for(rng, name) for name in wanted]
        rest = [name for name in names if name not in wanted and name not in {alike.get(one) for one in wanted}]
        offered = rng.sample(rest, 3) if kind == "none" else [*wanted, *rng.sample(rest, 4 - len(wanted))]
        offered.sort()
        text = asked[0][0] if len(asked) == 1 else f"{asked[0][0]} After that: {asked[1][0]}"
        calls = [{"name": n, "arguments": a} for n, (_, a) in zip(wanted, asked, strict=True)]
        if kind == "none":
            calls = [{"name": NO_TOOL["name"], "arguments": {}}]
        tools = [*(TOOLS[name] for name in offered), NO_TOOL]
        made[text] = Row(
            text,
            (),
            facts={"tools": tools, "tool_list": listed(tools), "calls": calls, "any_order": kind != "two calls"},
            cluster=kind,
        )
    return spread(rng, list(made.values()), N)


TASKS: dict[str, Generator] = {
    "short_answers": short_answers,
    "number_answers": number_answers,
    "reasoned_choice": reasoned_choice,
    "instructions": instructions,
    "json_forms": json_forms,
    "tool_calls": tool_calls,
}
