"""Common sense: where things are, what they are made of, what one uses, what happens, what is bigger.

Long because its tables are long, and written by hand throughout.
"""

from __future__ import annotations

import random

from row import Generator, Row, choose, spread
from tables import N, belonging, cases, groups, lines, sections, unique

PLACES = """
in a kitchen: an oven, a frying pan, a toaster, a rolling pin, a spice rack, a kettle
in a bathroom: a toothbrush, a shower curtain, a bathtub, a bath mat, shaving foam
in a bedroom: a pillow, a mattress, a nightstand, pajamas, a duvet
in a garage: a parked car, a spare tire, a car jack, motor oil
in a garden: a flower bed, a rosebush, a lawn mower at work, a birdbath, a garden gnome
in a classroom: a blackboard, a row of school desks, pupils raising their hands, a teacher giving a lesson
in a hospital: a surgeon, an operating table, a nurse, an X-ray machine, a patient on a drip
in a library: thousands of books on shelves, a librarian, a reading room, people reading in silence
on a farm: a tractor, a barn full of hay, a cowshed, a chicken coop, a scarecrow, a plough
at the beach: sandcastles, seashells, surfers, sunbathers, a lifeguard's tower
at an airport: a runway, a control tower, a passport check, a baggage carousel, a departure gate
at a train station: a railway platform, a waiting express train, a conductor with a whistle
in a church: an altar, a pulpit, a row of pews, a baptism
in a theater: a stage with a curtain, actors in costume, an usher, a prompter
in a desert: sand dunes, an oasis, cacti, a camel caravan
in the ocean: coral, a whale, a submarine, jellyfish, a sunken ship
in a rainforest: a jaguar, tall trees full of parrots, lianas, tree frogs and orchids
at the North Pole: floating sea ice, polar bears, endless snow without land
in a zoo: a lion in an enclosure, a penguin house, a giraffe eating from a keeper's hand, a cage of monkeys
in a circus: a clown, a trapeze artist, a juggler, a ringmaster
in an office: a filing cabinet, a stapler, a meeting about quarterly sales, a water cooler with colleagues around it
in a bank: a vault full of money, a cashier counting bills, a safe deposit box, a loan officer
in a court: a judge in a robe, a jury, a defendant, a gavel
in a prison: inmates, cells with barred windows, a guard with keys to the cells, a convict
in a restaurant: a waiter, a wine list, diners choosing from a menu, a chef and his guests
in a supermarket: a shopping cart, a checkout lane, shelves of cereal, discount coupons
in a gym: dumbbells, a treadmill, a weight bench, a personal trainer
on a construction site: a crane, a cement mixer, scaffolding, workers in hard hats, a bulldozer
in a museum: dinosaur skeletons, ancient statues behind glass, paintings by old masters, an exhibition of mummies
at a bus stop: people waiting for the number seven bus, a bus timetable
in a toolbox: a hammer, a screwdriver, a wrench, pliers, a spirit level
in a pencil case: an eraser, a pencil sharpener, crayons, a ballpoint pen
in a wallet: banknotes, a credit card, a driver's license
in a first aid kit: bandages, antiseptic, a roll of gauze, adhesive plaster
in a sewing box: a needle and thread, buttons, a thimble, a tape measure and pins
in a refrigerator: cold milk, leftovers to keep fresh, a carton of eggs, butter
in a closet: coats on hangers, a pair of trousers, a row of shirts
in an orchestra pit: violinists, a conductor with a baton, cellos and oboes
in a swimming pool: lap swimmers, a diving board, water wings on a child
on a football field: goalposts, a referee, a striker, a corner flag
in a laboratory: test tubes, a microscope, a Bunsen burner, a scientist in a white coat
at a wedding: a bride, a tiered white cake, bridesmaids, a couple exchanging rings
at a funeral: a coffin, mourners in black, a hearse
at a birthday party: a cake with candles, wrapped presents, party hats
in a cave: bats, stalactites, prehistoric wall paintings
in a hive: bees, honeycombs, drones and a queen
on a ship: an anchor, a deck with sailors, a captain on the bridge, a mast
"""

#: Places that share much of what is in them.
SHARED = [
    {"in a kitchen", "in a refrigerator", "in a restaurant", "in a supermarket"},
    {"in a bathroom", "in a first aid kit", "in a swimming pool", "in a hospital"},
    {"in a bedroom", "in a closet", "in a hospital", "in a prison"}, {"in a garage", "in a toolbox", "on a construction site"},
    {"in a garden", "on a farm", "in a rainforest", "in a zoo"},
    {"in a classroom", "in a library", "in a pencil case", "in an office", "in a laboratory"},
    {"at the beach", "in the ocean", "on a ship", "in a swimming pool"},
    {"at an airport", "at a train station", "at a bus stop", "on a ship"}, {"in a church", "at a wedding", "at a funeral"},
    {"in a theater", "in a circus", "in an orchestra pit", "in a museum"}, {"in a court", "in a prison"},
    {"in the ocean", "in a zoo", "at the North Pole", "in a circus"}, {"in a zoo", "in a cave", "in a desert", "at the beach"},
    {"in a wallet", "in an office", "in a bank", "in a supermarket"}, {"in a sewing box", "in a toolbox", "in a closet"},
    {"at a wedding", "at a birthday party", "in a restaurant"}, {"on a football field", "in a gym", "in a swimming pool"},
    {"in a hospital", "in a laboratory", "in a first aid kit"}, {"in a hive", "in a garden", "on a farm"},
    {"in a theater", "in a church", "in a court"}, {"in a cave", "in a rainforest"}, {"on a ship", "in a church"},
    {"in a garage", "on a farm", "in a garden"}, {"in a bank", "in a prison"}, {"in a court", "on a football field"},
]  # fmt: skip


def places(rng: random.Random) -> list[Row]:
    """Ask where a thing is usually found."""
    return belonging(rng, PLACES, "Where would you most expect to find {x}?", apart=SHARED, fact="thing")


MATERIALS = """
wood: a log cabin, a pencil, a violin, a baseball bat, a chopstick, a picnic table, a rocking horse, a toothpick, a canoe paddle
glass: a windowpane, a light bulb, a drinking tumbler, a mirror, a marble for children's games, a test tube, a microscope lens
rubber: a car tire, a pencil eraser, a bouncing ball, a hot-water bottle, wellington boots, an inner tube
paper: a magazine, an envelope, a postcard, a telephone book, a calendar page, confetti
leather: a saddle, a wallet, a baseball glove, a pair of dress shoes, a belt, a dog's harness
wool: a knitted sweater, a winter scarf, mittens, a ball of yarn from sheep, a Scottish kilt
cotton: a T-shirt, a bath towel, blue jeans, a bed sheet, a swab for the ears
steel: a kitchen knife, a railway track, a paper clip, a skyscraper's frame, a ship's anchor chain, a saw blade
clay: a brick, a flowerpot, a roof tile, a pottery bowl, a terracotta statue
plastic: a shopping bag, a drinking straw, a Lego brick, a shampoo bottle, food wrap, a toothbrush handle
gold: a wedding ring, a pharaoh's mask, a royal crown
wax: a candle, a crayon, a honeycomb, a seal on an old letter
concrete: a sidewalk, a dam, a highway bridge, the foundation of a house, a parking garage
snow: an igloo, a ski slope, a winter fort for children
sand: a desert dune, a castle built at the beach
stone: a castle wall, an Egyptian pyramid, a cobbled street, a grave marker, the Sphinx of Giza
silk: a fine kimono, a luxury necktie, the thread of a moth's cocoon
feathers: a down pillow's filling, a shuttlecock's skirt, a medieval quill pen
metal: a coin, a nail, a key, a church bell, a trumpet, a soup can
ice: a glacier, a hockey rink's surface
"""

INGREDIENTS = """
milk: cheese, butter, yogurt, whipped cream, ice cream, custard
wheat flour: bread, spaghetti, a pancake, a croissant, a pie crust, a bagel, couscous
grapes: wine, raisins, champagne, balsamic vinegar, brandy
potatoes: French fries, hash browns, crisps in a bag, gnocchi, rösti
cocoa beans: chocolate, dark pralines
corn: nachos, grits, polenta
soybeans: tofu, miso, tempeh, edamame
apples: cider, tarte Tatin, calvados
tomatoes: ketchup, marinara sauce, salsa, gazpacho
oats: porridge, granola, muesli
rice: sushi, risotto, paella, sake, pilaf
eggs: an omelette, a soufflé, meringue, a frittata
pork: bacon, ham, salami, spare ribs, prosciutto
beef: a hamburger, a sirloin steak, goulash from cattle, a T-bone roast
olives: the oil of Mediterranean salads, tapenade
cabbage: sauerkraut, kimchi, coleslaw
chickpeas: hummus, falafel
almonds: marzipan, frangipane
sugar: caramel, cotton candy, lollipops, fudge
fruit: jam, marmalade, a smoothie, sorbet
"""

#: Materials and ingredients of which the same thing may be made, or that are not told apart.
SAME_STUFF = [
    {"steel", "metal", "gold"}, {"paper", "wood", "cotton", "plastic"}, {"wool", "cotton", "silk", "feathers"},
    {"clay", "stone", "concrete", "sand"}, {"glass", "sand", "plastic", "metal", "clay", "stone"}, {"snow", "ice"},
    {"plastic", "rubber", "metal", "wax", "leather"}, {"wood", "metal", "steel", "stone", "clay"},
    {"wood", "leather", "plastic"}, {"concrete", "steel", "metal", "wood"},
]  # fmt: skip
SAME_FOOD = [
    {"milk", "eggs", "sugar", "fruit", "cocoa beans"}, {"wheat flour", "eggs", "potatoes", "milk"},
    {"grapes", "fruit", "apples"}, {"apples", "wheat flour", "sugar"}, {"pork", "beef"}, {"corn", "wheat flour"},
    {"soybeans", "rice"}, {"almonds", "sugar", "wheat flour"}, {"beef", "wheat flour"}, {"oats", "sugar", "fruit", "almonds"},
    {"cocoa beans", "almonds"}, {"rice", "corn"},
]  # fmt: skip


def materials(rng: random.Random) -> list[Row]:
    """Ask what a thing or a food is mainly made of; things among things, foods among foods."""
    question = "What is the main thing that {x} is made of?"
    things = belonging(rng, MATERIALS, question, apart=SAME_STUFF, n=count(MATERIALS))
    foods = belonging(rng, INGREDIENTS, question, apart=SAME_FOOD, n=count(INGREDIENTS))
    return spread(rng, unique(things + foods), 160)


def count(text: str) -> int:
    """Return how many members a table of groups has."""
    return sum(len(members) for members in groups(text).values())


TOOLS = """
== workshop
To drive a nail into wood you use | a hammer
To turn a screw you use | a screwdriver | a drill
To cut a plank in two you use | a saw
To make a round hole in a wall you use | a drill
To tighten a nut on a bolt you use | a wrench | pliers
To smooth rough wood you use | sandpaper
To find out how long a board is you use | a tape measure
To fell a tree by hand you use | an axe | a saw
To paint a wall you use | a paint roller
To reach a high ceiling you use | a ladder
To pull a nail out or hold a thin wire you use | pliers | a hammer
To join two pieces of paper for good you use | glue
To lift a car to change its tire you use | a jack
To check whether a shelf is straight you use | a spirit level
== kitchen
To open a bottle of wine you use | a corkscrew
To eat soup you use | a spoon
To cut bread you use | a knife
To boil water for tea you use | a kettle
To grate cheese you use | a grater
To drain pasta you use | a colander
To mash potatoes you use | a masher | a spoon
To fry an egg you use | a frying pan
To bake a cake you use | an oven
To beat egg whites you use | a whisk
To flatten dough you use | a rolling pin
To keep food cold you use | a refrigerator
To weigh flour you use | a kitchen scale
To open a tin of beans you use | a can opener
To brown a slice of bread you use | a toaster | an oven; a frying pan
To peel a potato you use | a peeler | a knife
To wash many dirty plates at once you use | a dishwasher
To drink a milkshake through a lid you use | a straw
To carry drinks to a table you use | a tray
== garden and farm
To cut the grass you use | a lawn mower | a scythe
To gather fallen leaves you use | a rake | a wheelbarrow; a pitchfork
To dig a hole you use | a shovel | a plough; a hoe
To water flowers you use | a watering can
To trim a hedge you use | garden shears | a scythe
To move soil across the garden you use | a wheelbarrow | a shovel; a plough; a pitchfork
To turn the soil of a large field you use | a plough | a shovel; a hoe; a pitchfork
To carry hay to the barn you use | a pitchfork | a wheelbarrow; a rake; a shovel
To keep birds off the crops you use | a scarecrow
To cut hay by hand you use | a scythe
To pick apples from a tall tree you use | a ladder
To protect young plants from the cold you use | a greenhouse
To loosen the soil around small plants you use | a hoe | a shovel; a rake; a pitchfork; a plough
== house
To sweep the floor you use | a broom
To wash the floor you use | a mop
To clean the carpet you use | a vacuum cleaner | a broom
To dry yourself after a bath you use | a towel
To clean your teeth you use | a toothbrush
To smooth a wrinkled shirt you use | an iron
To untangle your hair you use | a comb
To see your own face you use | a mirror
To wake up on time you use | an alarm clock
To light a dark room you use | a lamp | a match
To stay dry in the rain you use | an umbrella
To lock a door you use | a key
To cut your fingernails you use | nail clippers
To wash your hands you use | soap
To blow your nose you use | a tissue
To light a candle you use | a match
To put out a burning stove you use | a fire extinguisher | a towel
To hang wet clothes on a line you use | clothespins
To sew on a button you use | a needle and thread
To carry the shopping home you use | a bag
== office and school
To cut paper you use | scissors
To remove pencil marks you use | an eraser
To draw a straight line you use | a ruler
To draw a circle you use | a pair of compasses
To fasten sheets of paper together you use | a stapler
To add up long numbers you use | a calculator
To look up the meaning of a word you use | a dictionary
To find a country you use | an atlas
To know the date you use | a calendar
To write on a blackboard you use | chalk
To mark your page in a book you use | a bookmark
To mail a letter you need | a stamp
== travel and outdoors
To cross a river on foot with dry shoes you use | a bridge | rubber boots; oars; an airplane; a rope
To find north you use | a compass | a map
To sleep in the woods you use | a tent | a sleeping bag
To slow down a fall from a plane you use | a parachute
To catch trout you use | a fishing rod
To row a boat you use | oars
To see distant birds you use | binoculars
To climb a steep cliff safely you use | a rope | a helmet
To slide down a snowy mountain standing up you use | skis
To glide over ice you use | skates
To breathe under water for an hour you use | a scuba tank | a submarine
To keep your head safe on a bicycle you use | a helmet
To protect your eyes from bright sun you use | sunglasses
To keep a boat from drifting away you use | an anchor
To take a car round a bend you turn | the steering wheel
To stop a car you press | the brake
To warn other drivers by sound you press | the horn
To fill a flat bicycle tire you use | a pump
To see your way in a dark forest you use | a flashlight | a map; a compass
To travel deep under the sea you use | a submarine | a scuba tank
To fly across the ocean you take | an airplane
To cross a hot desert without a road, traders once rode | camels
To know which street to take you use | a map
To keep warm in a tent at night you use | a sleeping bag
To walk in deep mud with dry feet you wear | rubber boots
== health and science
To measure a fever you use | a thermometer
To listen to a heartbeat you use | a stethoscope
To see bacteria you use | a microscope
To look at the craters of the Moon you use | a telescope
To cover a small cut you use | a bandage
To make out small print with weak eyes you use | spectacles | a microscope
To walk with a broken leg you use | crutches
To carry an injured person you use | a stretcher
To inject a medicine you use | a syringe
To pick up iron filings you use | a magnet | tweezers
To split white light into colors you use | a prism
To time a race you use | a stopwatch
To follow a talk when you are nearly deaf you use | a hearing aid
To take a splinter out of a finger you use | tweezers
== who helps with what
If a water pipe leaks, you call | a plumber
If a tooth hurts, you go to | a dentist | a pharmacist
If smoke pours out of a house, you call | the fire brigade | the police
If your car will not start, you take it to | a mechanic
If you have been robbed, you call | the police | a lawyer; a locksmith
If your dog is sick, you go to | a veterinarian
If you need a haircut, you go to | a hairdresser
If you need new glasses, you go to | an optician
If you are accused of a crime, you need | a lawyer | the police
If you want a new suit that fits, you go to | a tailor
If the lights and sockets do not work, you call | an electrician
If you want fresh bread, you go to | a baker
If you want a cut of beef, you go to | a butcher
If your shoes have holes, you take them to | a cobbler
If you want to plan a house, you hire | an architect | a mason; a carpenter; an electrician; a plumber
If you cannot understand a foreign language, you need | an interpreter
If your letters should be delivered, you rely on | a mail carrier
If you want to run a faster mile, you ask | a coach
If you are locked out of your home, you call | a locksmith | the police; the fire brigade
If you need a picture for your passport, you go to | a photographer | an artist
If a baby is about to be born, you call | a midwife
If you want a wall of stone and mortar, you hire | a mason | an architect; a carpenter
If a wooden table is to be made, you hire | a carpenter
If you want flowers for a wedding, you go to | a florist
If you want to borrow a novel for free, you go to | a librarian
If you want your portrait in oil, you go to | an artist | a photographer
If you need medicine from a prescription, you go to | a pharmacist
If you want to rent or buy a home, you go to | a real estate agent
== containers
You carry water to put on sandcastles in | a bucket | a bowl; a mug; a pot
You pour Earl Grey into the cups from | a teapot | a pot; a mug
You put cut flowers in | a vase | a bucket; a basket; a mug; a pot; a bowl
You keep your coins in | a purse | a safe; a backpack
You pack clothes for a holiday in | a suitcase | a backpack; a basket
You carry school books in | a backpack | a suitcase; a basket; a lunch box
You throw rubbish into | a trash can | a bucket; a basket
You drink coffee from | a mug | a bowl
You keep guppies at home in | an aquarium | a bowl; a vase; a bucket
You keep a pet canary in | a cage
You mail a letter in | an envelope
You hang your coat in | a wardrobe
You put a baby to sleep in | a crib | a basket
You store wine for aging in | a barrel
You keep jewels locked up in | a safe | a suitcase
You collect eggs on the farm in | a basket | a bucket; a bowl
You boil pasta in | a pot | a teapot
You serve a cake on | a plate | a basket
You eat cereal from | a bowl | a mug; a plate
You carry sandwiches to school in | a lunch box | a backpack; a basket
"""


def tools(rng: random.Random) -> list[Row]:
    """Ask what or whom one uses for a job."""
    return sections(rng, TOOLS)


#: Typical weights in kilograms, by order of magnitude: only clear differences are asked about.
WEIGHTS = """
0.000001: a grain of sand
0.000005: an ant
0.001: a paper clip
0.02: a mouse
0.005: a sheet of paper
0.06: a tennis ball
0.2: an apple
0.0003: a feather
0.003: a penny
4: a house cat
7: a bowling ball
70: a grown man
300: a grand piano
500: a horse
180: a lion
1500: a family car
5000: an elephant
40000: a loaded truck
150000: a blue whale
180000: a jumbo jet
50000000: an ocean liner
0.5: a loaf of bread
12: a car tire
25: a large suitcase
100000: a railway locomotive
2.5: a brick
0.015: a pencil
0.000002: a mosquito
0.03: a slice of bread
2: a pineapple
60: a sheep
700: a cow
3: a newborn baby
10: a bicycle
80: a refrigerator
"""

#: Typical top speeds in kilometers per hour.
SPEEDS = """
0.05: a snail
0.3: a tortoise
5: a walking man
20: a bicycle in town
36: an Olympic sprinter
70: a galloping horse
110: a cheetah
300: a bullet train
320: a racing car
900: a passenger jet
28000: a space station
1000000000: a ray of light
1200: a sound wave
45: a running cat
2: a baby crawling
40: a container ship
"""

#: Typical lengths or heights in meters.
LENGTHS = """
0.002: a flea
0.02: a bee
0.08: a playing card
0.18: a pencil
0.3: a school ruler
1: a baseball bat
1.8: a door
4.5: a family car
12: a city bus
30: a blue whale
70: a jumbo jet
105: a football field
330: the Eiffel Tower
8800: Mount Everest
42000: a marathon course
0.0001: the width of a hair
0.6: a house cat
5.5: a giraffe
250: an ocean liner
0.015: a fingernail
384000000: the way to the Moon
21000000: the Great Wall of China
200: a skyscraper
"""

#: Typical prices in dollars.
PRICES = """
0.05: a plastic bag
1: a pencil
3: a loaf of bread
15: a paperback novel
60: a pair of sneakers
300: a bicycle
900: a smartphone
25000: a new car
400000: a house
100000000: a passenger jet
2: a bottle of water
10: a cinema ticket
1500: an overseas flight
5000000: a seaside mansion
"""

#: Typical spans of time in seconds.
SPANS = """
0.3: a blink of an eye
1: a heartbeat
3: a sneeze
30: tying your shoes
120: brushing your teeth
300: boiling an egg
2700: a school lesson
7000: a feature film
28000: a night's sleep
170000: a weekend
1200000: a two-week holiday
24000000: a pregnancy
120000000: a president's term
2400000000: a human lifetime
60000000000: the Roman Empire
15000: a marathon run
1000000000000000: the age of the dinosaurs
5400000: a school summer break
"""

SCALES = [
    (WEIGHTS, ("heaviest", "lightest"), "Which of these is usually the {}?", 20.0, 60),
    (LENGTHS, ("longest or tallest", "shortest"), "Which of these is usually the {}?", 6.0, 40),
    (SPEEDS, ("fastest", "slowest"), "Which of these usually moves the {}?", 3.0, 25),
    (PRICES, ("most", "least"), "Which of these usually costs the {}?", 5.0, 20),
    (SPANS, ("longest", "shortest"), "Which of these usually lasts the {}?", 5.0, 20),
]


def sizes(rng: random.Random) -> list[Row]:
    """Ask which of three things is the heaviest, longest, fastest, dearest or most lasting, or the least so."""
    rows = []
    for text, (most, least), question, ratio, n in SCALES:
        things = sorted((float(a), b.strip()) for a, _, b in (line.partition(":") for line in lines(text)))
        made: set[frozenset[str]] = set()
        while len(made) < n:
            low, middle, high = sorted(rng.sample(things, 3))
            names = frozenset((low[1], middle[1], high[1]))
            up = len(made) % 2 == 0
            clear = high[0] >= ratio * middle[0] if up else middle[0] >= ratio * low[0]
            if not clear or names in made:
                continue
            made.add(names)
            gold, others = (high[1], [low[1], middle[1]]) if up else (low[1], [middle[1], high[1]])
            listed = [gold, *others]
            rng.shuffle(listed)
            asked = question.format(most if up else least)
            full = f"{asked.removesuffix('?')}: {listed[0]}, {listed[1]} or {listed[2]}?"
            rows.append(choose(rng, full, gold, others, k=3, cluster=most))
    return spread(rng, unique(rows), N)


CONSEQUENCES = """
If you leave ice cream in the hot sun, it will | melt | freeze; catch fire; grow
If you drop a glass on a stone floor, it will | break | bounce; melt; float
If you put water in the freezer, it will turn into | ice | steam; oil; sand
If you hold paper in a flame, it will | burn | melt; rust; freeze
If you leave iron out in the rain for weeks, it will | rust | melt; rot; grow
If you never water a house plant, it will | die | bloom; grow faster; sing
If you blow too much air into a balloon, it will | burst | shrink; melt; sink
If you throw a stone into a lake, it will | sink | float; fly; dissolve
If you throw a cork into a lake, it will | float | sink; dissolve; burn
If you stir sugar into hot tea, it will | dissolve | float; burn; freeze
If you forget bread in the toaster, it will | burn | freeze; melt; rise
If you leave milk out of the refrigerator for a week, it will | go sour | freeze; boil; turn sweet
If you stay up all night, the next day you will be | tired | rich; taller; rested
If you do not eat all day, you will be | hungry | full; wet; late
If you run in the hot sun, you will | sweat | shiver; shrink; freeze
If you go out in the snow without a coat, you will feel | cold | hot; full; proud
If you touch a hot stove, you will | burn yourself | fall asleep; get wet; catch a cold
If you walk in the rain without an umbrella, you will get | wet | dry; lost; rich
If you cut an onion, your eyes will | water | shine; grow; freeze
If you tell a very funny joke, people will | laugh | cry; sleep; leave
If you turn off the lamp at night, the room will be | dark | bright; noisy; wet
If you turn the volume up, the music gets | louder | slower; quieter; shorter
If you press the brake, the car will | slow down | speed up; take off; turn over
If a car runs out of fuel, it will | stop | go faster; explode; float
If you study hard for an exam, you are more likely to | pass | fail; fall ill; forget
If you never save money, you will have little | in the bank | on your mind; to learn; to forget
If you plant a seed and water it, it will | sprout | rust; melt; vanish
If you put a magnet near iron nails, they will be | attracted | melted; heated; painted
If you mix blue and yellow paint, you get | green | red; white; orange
If you mix red and white paint, you get | pink | blue; black; green
If you mix red and yellow paint, you get | orange | purple; green; gray
If you leave the bath tap running with the plug in, the tub will | overflow | empty; freeze; leak air
If a wolf appears among the sheep, the sheep will | run away | fall asleep; sing; attack
If a mouse sees a cat, the mouse will | hide | purr; dance; bark
If you shake a bottle of soda and open it, it will | spray | freeze; turn blue; harden
If you put a wet shirt in the sun, it will | dry | rust; grow; melt
If you eat too much candy, your stomach may | ache | shrink; whistle; sleep
If you skip brushing your teeth for years, you may get | cavities | stronger teeth; muscles; freckles
If you lift weights every day, your muscles get | stronger | weaker; shorter; colder
If you practice the piano daily, you will play | better | worse; less; colder
If you lie often, people will not | trust you | see you; hear you; feed you
If you help a friend in need, the friend will be | grateful | angry; bored; jealous
If you break a promise to a friend, the friend will be | disappointed | delighted; sleepy; hungry
If you win the lottery, you will be | rich | poor; ill; late
If you miss the last train, you will have to | wait or walk | swim home; sell tickets; run faster
If the alarm clock does not ring, you may | oversleep | get up early; win a prize; grow tall
If you drive too fast, you may get | a speeding ticket | a medal; a free car; a degree
If you sit in the sun for hours without sunscreen, you get | sunburned | frostbite; a cold; taller
If you spin around many times, you will feel | dizzy | hungry; rich; older
If you sneeze without covering your mouth, you spread | germs | money; light; news
If you pour oil into water, the oil will | float on top | sink; dissolve; boil
If you heat a pot of water long enough, it will | boil | freeze; harden; rust
If a candle is put under a closed glass, the flame will | go out | grow; turn to ice; spread
If you cut off the power, the television will | turn off | get louder; change channel; heat up
If you let go of a helium balloon outdoors, it will | rise | fall; roll; melt
If you let go of a stone in the air, it will | fall | rise; hover; glow
If the sun sets, the sky becomes | dark | green; brighter; warmer
If winter comes, many trees lose their | leaves | roots; bark; trunks
If spring comes, many flowers | bloom | wither; freeze; vanish
If a dam breaks, the valley below will be | flooded | frozen; dried; burned
If it does not rain for months, there will be a | drought | flood; blizzard; harvest
If an earthquake shakes a city, buildings may | collapse | grow; float; melt
If lightning strikes a dry forest, it may start a | fire | flood; river; snowfall
If snow piles up on a steep slope, there may be an | avalanche | eclipse; echo; oasis
If you shout in a rocky valley, you may hear an | echo | orchestra; engine; earthquake
If you leave footprints in wet sand, the tide will | wash them away | dry them; paint them; lift them
If you put a heavy book on an egg, the egg will | crack | hatch; bounce; float
If a hen sits on her eggs for three weeks, the chicks will | hatch | swim; sleep; shrink
If a caterpillar makes a cocoon, it becomes a | butterfly | spider; worm; bird
If a tadpole grows up, it becomes a | frog | fish; snake; lizard
If a puppy grows up, it becomes a | dog | cat; wolf cub; kitten
If an acorn grows, it becomes an | oak tree | apple tree; onion; olive bush
If you charge your phone overnight, in the morning the battery is | full | empty; cold; lost
If you use your phone all day without charging, the battery will be | empty | full; new; heavier
If you delete a file without a backup, the file is | lost | larger; safer; doubled
If you enter a wrong password, the computer will | refuse you | welcome you; praise you; pay you
If you forget your house key, you are | locked out | invited in; on time; asleep
If you put on too small shoes, your feet will | hurt | grow; shine; smell sweet
If you put salt in the coffee by mistake, it will taste | bad | sweet; fruity; fresh
If you add lemon juice to water, it will taste | sour | sweet; salty; smoky
If you add honey to tea, it will taste | sweet | salty; sour; spicy
If you add much chili to a stew, it will taste | spicy | sweet; bland; minty
If bread dough has yeast in it, in a warm place it will | rise | shrink; melt; rust
If you bake a cake for five hours, it will be | burnt | raw; frozen; fluffy
If you boil an egg for ten minutes, it will be | hard | liquid; raw; sour
If you peel a banana and leave it out, it turns | brown | blue; green; white
If you leave a bicycle unlocked in a big city, it may be | stolen | repainted; cleaned; fed
If you leave the window open in a storm, the floor gets | wet | warm; clean; shiny
If you leave the door open in winter, the room gets | cold | bright; hot; larger
If you work overtime, you may be paid | extra | nothing; in apples; less
If a shop lowers its prices, it usually sells | more | less; nothing; too little
If many people want a rare thing, its price will | rise | fall; vanish; halve
If a company makes no profit for years, it may go | bankrupt | on holiday; to school; shopping
If you are late for work every day, you may be | fired | promoted; praised; crowned
If you break a neighbor's window, you should | pay for it | laugh; break another; hide the stones
If two cars try to use the same spot at once, they will | crash | merge; park well; dance
If the traffic light turns red, drivers must | stop | speed up; honk; turn around
If the traffic light turns green, drivers may | go | sleep; park; reverse
If a referee shows a red card, the player must | leave the field | score; sing; take a bow
If a team scores the most goals, it | wins | loses; draws; is banned
If an actor plays very well, the audience will | applaud | boo; leave; cough
If a baby is hungry, it will | cry | read; drive; whistle
If a dog is happy, it will wag its | tail | teeth; nose; eyes
If a cat is content, it will | purr | bark; moo; howl
If a bee feels threatened, it may | sting | purr; sing; swim
If you pull a cat's tail, it may | scratch you | thank you; sing; laugh
If you feed ducks every day, they will | come back | bark; hide; freeze
If the power fails at night, people light | candles | televisions; toasters; ovens
If the fridge breaks down in summer, the food will | spoil | freeze; ripen well; improve
If you hang a picture on a loose nail, it may | fall down | fly up; fade; grow
If you overload a shelf, it may | collapse | rise; lengthen; shine
If you oil a squeaking hinge, it becomes | quiet | louder; rusty; hot
If you sharpen a knife, it cuts | better | worse; slower; nothing
If you wash a wool sweater in boiling water, it will | shrink | grow; shine; rust
If you wash a red sock with white shirts, the shirts may turn | pink | black; green; clean
If you spill ink on a white shirt, it leaves a | stain | hole; button; pocket
If you wipe a dusty table with a cloth, it becomes | clean | dirty; soft; hot
If you sit on a freshly painted bench, your trousers get | paint on them | shorter; warmer; ironed
If you step on a banana peel, you may | slip | fly; freeze; win
If you walk into a glass door, you may | bump your head | pass through; get wet; wake up
If you look straight at the sun, you may hurt your | eyes | ears; knees; teeth
If you listen to very loud music for years, you may damage your | hearing | eyesight; sense of taste; nails
If you read in bed until late, you get less | sleep | exercise; hair; dinner
If you drink coffee late at night, you may find it hard to | sleep | stay awake; walk; see
If you smoke for many years, you may harm your | lungs | shoes; elbows; nails
If you wear a seat belt in a crash, you are | safer | faster; heavier; lost
If you wear a helmet and fall off a bike, your head is | protected | larger; colder; invisible
If you hold your breath for long, you will need to | breathe | eat; sleep; sneeze
If you climb a high mountain, the air gets | thinner | warmer; thicker; sweeter
If you dive deep into the sea, the pressure | increases | falls; vanishes; sleeps
If you travel from Europe to Australia, you may feel | jet lag | younger; seasick; frostbite
If you move from a village to a city, you meet | more people | more cows; fewer cars; more wolves
If you turn a full glass upside down, the water will | spill | stay; freeze; rise
If you put a straw in a drink and suck, the liquid will | rise | sink; freeze; burn
If you rub your hands together, they get | warm | wet; cold; longer
If you rub a balloon on your hair, the hair will | stand up | fall out; turn green; melt
If you fly a kite without wind, it will | fall | soar; burn; melt
If the wind is strong, a sailing boat will go | faster | slower; backward; nowhere
If you paddle on one side only, the canoe will | turn | sink; fly; go straight
If there is a hole in the boat, it will fill with | water | air; sand; sunlight
If you leave your coat on a crowded train, you may | lose it | wear it; warm it; sell it
If you plant tomatoes in spring, in summer you can | harvest them | wear them; burn them; drive them
If you teach a dog to sit and give it a treat, it will | learn | meow; forget; fly
If you ignore a small leak for months, it becomes a | bigger problem | better pipe; new roof; nice surprise
If you share your lunch with a hungry friend, you both | eat | starve; fast; sleep
If you write a letter without an address, it will not | arrive | burn; melt; shrink
If you lose your passport abroad, you go to your | embassy | dentist; hairdresser; florist
If you hear a fire alarm, you should | leave the building | take a nap; open the oven; ignore it
If thick fog covers the road, drivers see | less | more; farther; colors better
If you add more weight to a full boat, it may | sink | fly; shrink; speed up
If you leave a book in the rain, its pages get | soggy | sharp; crisp; gold
If a tree is cut down, birds lose their | nests | wings; songs; beaks
If you chew gum in class, the teacher may | tell you off | give a prize; sell it; eat it
If you keep a fish out of water, it will | die | run; sing; grow legs
If you bend a dry twig too far, it will | snap | bloom; melt; stretch
If you stretch a rubber band and let go, it will | snap back | freeze; melt; stay long
If you build a house of cards near a fan, it will | fall down | grow; harden; burn
If the teacher speaks too softly, the pupils cannot | hear | see; write; sit
If you are allergic to cats and pet one, you may | sneeze | purr; bark; grow
If you give a crying child a hug, the child will feel | comforted | hungry; frozen; angry
If all the seats on the bus are taken, you have to | stand | drive; fly; pay twice
If you put a coin in a half-full jar of water, the water level will | rise | fall; freeze; boil
If you take a cake out of the oven with bare hands, you will get | burned | wet; lost; sick
If you put a lid on a boiling pot, it will boil | over | never; cold; late
"""


def consequences(rng: random.Random) -> list[Row]:
    """Ask what happens next."""
    return cases(rng, CONSEQUENCES, n=164)


TASKS: dict[str, Generator] = {
    "places": places,
    "materials": materials,
    "tools": tools,
    "sizes": sizes,
    "consequences": consequences,
}
