"""Elements, units, animals, the body, and computers.

Symbols and atomic numbers come from the package periodictable; everything else is listed by hand, which is why the file
is long: a line per fact.
"""

from __future__ import annotations

import random

import periodictable
from row import Generator, Row, choose, spread
from tables import N, belonging, sections, unique

#: Families of elements, by IUPAC's groups; elements of disputed or unmeasured family are left out.
FAMILIES = """
noble gases: helium, neon, argon, krypton, xenon, radon
halogens: fluorine, chlorine, bromine, iodine
alkali metals: lithium, sodium, potassium, rubidium, cesium, francium
alkaline earth metals: beryllium, magnesium, calcium, strontium, barium, radium
transition metals: iron, copper, gold, silver, nickel, titanium, chromium, platinum, tungsten, cobalt, manganese, vanadium
"""


#: What the best known elements are and do; a section's answers fit one line each.
FACTS = """
== elements
The gas that makes up most of the air is | nitrogen
The gas in the air that we need to breathe is | oxygen
The lightest of all elements is | hydrogen
The gas that fills party balloons that rise is | helium | hydrogen
The element that diamonds are made of is | carbon
The metal that rusts and is the main part of steel is | iron
The yellow metal used for wedding rings is | gold
The metal that is liquid at room temperature and stood in old thermometers is | mercury
The heavy metal once used in gasoline and water pipes is | lead
The fuel of most nuclear power plants is | uranium
The reddish metal used for electric wires is | copper
The element from which most computer chips are made is | silicon
The light metal used for drink cans and foil is | aluminum | tin
The element that is added to swimming pools and kills germs is | chlorine
The gas that glows red in advertising signs is | neon
The element that the thyroid gland needs is | iodine
The mineral element that milk is rich in and bones need is | calcium
The yellow element that smells of rotten eggs in its compounds is | sulfur
The metal that coats steel to galvanize it is | zinc
The metal of which lamp filaments were made is | tungsten
The element that is added to toothpaste in a compound is | fluorine
The metal used in most rechargeable phone batteries is | lithium
The metal that is one half of table salt is | sodium
The element for which bananas are known is | potassium
The radioactive element that Marie Curie named after Poland is | polonium
The metal mixed with copper to make bronze is | tin
"""


def elements(rng: random.Random) -> list[Row]:
    """Ask for symbols of elements (wrong: symbols that begin alike), for families, and for what elements do."""
    table = [e for e in periodictable.elements if 1 <= e.number <= 118]
    rows = []
    for e in table:
        if e.number > 103 and e.number % 2 == 0:
            continue  # the heaviest, made in a few atoms, are names more than knowledge: every second is enough
        name = e.name
        alike = [o.symbol for o in table if o.symbol != e.symbol and o.symbol[0] in (e.symbol[0], name[0].upper())]
        others = alike if len(alike) >= 3 else alike + [o.symbol for o in table if o.symbol != e.symbol][:40]
        rows.append(choose(rng, f"The chemical symbol of the element {name} is", e.symbol, others, cluster="symbol"))
    rows += belonging(rng, FAMILIES, "In the periodic table, the element {x} belongs to the family of the", n=34)
    rows += sections(rng, FACTS, n=26)
    return spread(rng, unique([Row(r.question, r.gold, r.options, {}, r.cluster) for r in rows]), N)


MEASURES = """
== what a unit measures
The meter is a unit of | length
The kilogram is a unit of | mass
The second is a unit of | time
The ampere is a unit of | electric current
The kelvin is a unit of | temperature
The newton is a unit of | force
The joule is a unit of | energy
The watt is a unit of | power
The ohm is a unit of | electrical resistance
The hertz is a unit of | frequency
The pascal is a unit of | pressure
The liter is a unit of | volume
The hectare is a unit of | area
The decibel is a unit of | loudness
The degree Celsius is a unit of | temperature
The light-year is a unit of | length
The calorie is a unit of | energy
The horsepower is a unit of | power
The knot is a unit of | speed
The acre is a unit of | area
The gallon is a unit of | volume
The ounce is a unit of | mass | volume
The inch is a unit of | length
The mile per hour is a unit of | speed
The byte is a unit of | digital information
The carat is a unit used to weigh gems, so it is a unit of | mass
The nautical mile is a unit of | length
The atmosphere is a unit of | pressure
The fortnight is a unit of | time
The pint is a unit of | volume
The kilowatt-hour is a unit of | energy
The candela is a unit of | brightness of light
== what an instrument measures
A thermometer measures | temperature
A barometer measures | air pressure
An odometer measures | distance traveled
A seismograph measures | earthquakes
An ammeter measures | electric current
A hygrometer measures | humidity
An anemometer measures | wind speed
A stopwatch measures | time
A kitchen scale measures | weight
A protractor measures | angles
A compass shows | direction
A Geiger counter measures | radioactivity
An altimeter measures | height above sea level
A calendar keeps track of | days
A tachometer measures | engine revolutions
A photometer measures | light intensity
A pedometer counts | steps
== what a science studies
Botany is the study of | plants | woods and trees; gardens; fungi; food
Zoology is the study of | animals | insects; birds; fish; reptiles and amphibians; apes and monkeys; fossils; life in the sea
Geology is the study of | rocks and the Earth | earthquakes; fossils
Astronomy is the study of | stars and planets | the whole universe
Meteorology is the study of | weather
Psychology is the study of | mind and behavior
Sociology is the study of | human societies | mind and behavior
Genetics is the study of | heredity
Entomology is the study of | insects | animals
Ornithology is the study of | birds | animals
Paleontology is the study of | fossils | rocks and the Earth; animals; plants
Linguistics is the study of | language | the origin of words
Cardiology deals with | the heart
Dermatology deals with | the skin
Neurology deals with | the nervous system
Ophthalmology deals with | the eyes
Dentistry deals with | the teeth
Oncology deals with | cancer
Pediatrics deals with | children's health
Optics is the study of | light
Acoustics is the study of | sound
Mycology is the study of | fungi
Ecology is the study of | living things and surroundings | plants; animals; insects; birds
Marine biology is the study of | life in the sea | animals; plants; fish
Seismology is the study of | earthquakes | rocks and the Earth
Anatomy is the study of | the body's structure | the heart; the skin; the eyes; the teeth; the nervous system
Immunology is the study of | defenses against disease | cancer
Toxicology is the study of | poisons
Archaeology is the study of | remains of past cultures
Cosmology is the study of | the whole universe | stars and planets
Thermodynamics is the study of | heat
Etymology is the study of | the origin of words | language
Statistics deals with | data
Dietetics is the study of | food
Horticulture deals with | gardens | plants; food; woods and trees
Forestry deals with | woods and trees | plants; gardens
Hydrology is the study of | water on land | rocks and the Earth
Ichthyology is the study of | fish | animals
Herpetology is the study of | reptiles and amphibians | animals
Aerodynamics is the study of | air in motion
Primatology is the study of | apes and monkeys | animals
Graphology is the study of | handwriting
== physical ideas
The speed of an object in a given direction is its | velocity
The rate at which velocity changes is | acceleration
Mass times velocity is | momentum
The force that pulls objects toward the Earth is | gravity
The force that resists the motion of surfaces rubbing together is | friction
Mass divided by volume is | density
Force divided by area is | pressure
The energy of motion is | kinetic energy
Energy stored by position is | potential energy
The bending of light as it enters water is | refraction
The bouncing of light off a mirror is | reflection
The change from liquid to gas is | evaporation
The change from gas to liquid is | condensation
The change from solid to liquid is | melting
The change from liquid to solid is | freezing
The change from solid directly to gas is | sublimation
The spread of heat through a solid by touch is | conduction
The spread of heat by moving liquid or gas is | convection
The spread of heat through empty space is | radiation
The distance between two peaks of a wave is the | wavelength
The number of waves per second is the | frequency
The splitting of a heavy nucleus is | fission
The joining of light nuclei is | fusion
== matter
The smallest unit of an element is | an atom
What two or more atoms bound together make is | a molecule
The particle with a negative charge is | the electron
The particle with a positive charge in the nucleus is | the proton
The particle without charge in the nucleus is | the neutron
A particle of light is | a photon
A substance that speeds up a reaction without being used up is | a catalyst
A substance with a pH below seven is | an acid
A substance with a pH above seven is | a base
A mixture of metals is | an alloy
A substance that dissolves another is | a solvent
An atom with an electric charge is | an ion
Atoms of one element that differ in their neutrons are called | isotopes
The center of an atom is | the nucleus
== Earth and sky
The planet closest to the Sun is | Mercury
The largest planet of the solar system is | Jupiter
The planet famous for its bright rings is | Saturn
The planet known as the Red Planet is | Mars
The planet farthest from the Sun is | Neptune
The planet that people live on is | Earth
The planet that is the hottest in the solar system is | Venus
The planet that rolls on its side is | Uranus
The natural satellite of our planet is | the Moon
The star nearest to us is | the Sun
The galaxy that we live in is | the Milky Way
== kinds of rock
Granite, which formed from cooled molten rock, is an | igneous rock
Sandstone, which formed from layers of sand, is a | sedimentary rock
Marble, which heat and pressure made from limestone, is a | metamorphic rock
A stone that has fallen from space is a | meteorite
== layers and forces of the Earth
Molten rock beneath the surface is called | magma
Molten rock that flows out of a volcano is called | lava
The solid outer layer of the Earth is called the | crust
The layer below the Earth's outer shell is called the | mantle
The hot center of the Earth is called the | core
The wearing away of land by wind and water is called | erosion
A huge sea wave caused by an earthquake is called a | tsunami
The layer of gases around the Earth is called the | atmosphere | ozone layer
The gas layer that shields us from ultraviolet light is called the | ozone layer | atmosphere
The path of a planet around the Sun is called an | orbit
The passing of the Moon in front of the Sun is called an | eclipse
A bright streak of burning dust in the night sky is called a | meteor
An icy body that grows a tail near the Sun is called a | comet
"""


def measures(rng: random.Random) -> list[Row]:
    """Units, instruments, sciences and the words of physics, matter, Earth and sky."""
    return sections(rng, MEASURES, n=156)


ANIMALS = """
mammal: dog, cat, horse, cow, elephant, lion, tiger, bear, wolf, whale, dolphin, bat, kangaroo, rabbit, mouse, squirrel, giraffe, camel, deer, monkey, pig, sheep, otter, seal, hedgehog, platypus, beaver, zebra, hippopotamus, walrus, armadillo, koala, porcupine, manatee
bird: eagle, sparrow, penguin, ostrich, owl, parrot, duck, swan, pigeon, crow, hawk, flamingo, peacock, hummingbird, woodpecker, seagull, turkey, stork, robin, pelican, albatross, kiwi, heron, magpie, toucan
reptile: snake, lizard, crocodile, tortoise, gecko, iguana, alligator, cobra, chameleon, python, rattlesnake, sea turtle, Komodo dragon, viper, anaconda, skink
amphibian: frog, toad, salamander, newt, tree frog, bullfrog, axolotl, caecilian
fish: salmon, shark, tuna, trout, goldfish, cod, eel, carp, herring, seahorse, piranha, stingray, swordfish, catfish, sardine, perch, pike, clownfish, halibut, anchovy, barracuda, mackerel, haddock
insect: ant, bee, butterfly, beetle, mosquito, grasshopper, dragonfly, wasp, moth, cricket, ladybug, termite, cockroach, housefly, flea, mantis, firefly, cicada, locust, earwig, mayfly, aphid
arachnid: spider, scorpion, tick, tarantula, mite, black widow
crustacean: crab, lobster, shrimp, crayfish, barnacle, krill, prawn, woodlouse
mollusk: snail, octopus, squid, clam, oyster, slug, mussel, cuttlefish, scallop, nautilus
echinoderm: starfish, sea urchin, sea cucumber, sand dollar, brittle star
worm: earthworm, leech, tapeworm, flatworm, lugworm, hookworm
"""  # noqa: E501 - one class, one line


def animals(rng: random.Random) -> list[Row]:
    """Ask for the class of an animal."""
    return belonging(rng, ANIMALS, "Which group of animals does the {x} belong to?", fact="animal", n=163)


COMPUTING = """
== hardware
The part of a computer that carries out instructions is the | processor
The fast memory that is lost when the power goes off is called | RAM
The device used to type text is the | keyboard
The device used to point and click is the | mouse
The device that shows pictures and text is the | monitor
The device that puts text on paper is the | printer
The device that turns a paper page into a digital image is the | scanner
The device that captures video for a call is the | webcam
The device that plays sound is the | loudspeaker
The device that records sound is the | microphone
The main circuit board of a computer is the | motherboard
The chip that draws images is the | graphics card
The part with a spinning disk that stores files is the | hard drive
The box that directs traffic between networks is the | router
The part that stores energy in a laptop is the | battery
The part that keeps the chips cool is the | fan
== kinds of software
A program that manages the hardware and runs other programs is an | operating system
A program for viewing web pages is a | browser
A program for tables of numbers and formulas is a | spreadsheet
A program for writing letters and documents is a | word processor
A program that translates source code into machine code is a | compiler
A program that finds and removes malicious software is an | antivirus
A program that finds errors while other code runs step by step is a | debugger
A website that finds other pages by keywords is a | search engine
A program that plays songs and films is a | media player
A small piece of text that a website stores in the browser is a | cookie
An organized collection of data is a | database
A barrier that filters network traffic is a | firewall
A harmful program that copies itself into other files is a | virus | ransomware
A harmful program that pretends to be useful is a | Trojan horse
A program that locks files and demands money is called | ransomware | virus
A flaw in a program is a | bug
A fix for a flaw in a program is a | patch
== programming
A named place that holds a value is a | variable
A named block of code that can be called is a | function
Code that repeats until a condition fails is a | loop
A function that calls itself shows | recursion
A step-by-step method for solving a problem is an | algorithm
A value that is either true or false is a | boolean
A whole number in a program is an | integer
A sequence of characters is a | string
A number with a decimal point is a | float
A blueprint from which objects are made is a | class
A note in the code that the computer ignores is a | comment
Finding and removing errors in code is called | debugging
An error that stops a program while it runs is a | crash
A structure in which the last item in is the first out is a | stack
A structure in which the first item in is the first out is a | queue
A structure with a root, branches and leaves is a | tree
A structure of nodes and edges is a | graph | tree
A table that finds values by computed keys is a | hash table
A set of ready-made code that programs can use is a | library
A tool such as Git that records changes of code is called | version control
Putting items into order is called | sorting
Making a file smaller is called | compression
Turning data into a secret code is called | encryption
== networks and the web
The worldwide network of computers is the | internet
The language in which web pages are written is | HTML
The language that sets the colors and layout of web pages is | CSS
The language that makes web pages interactive is | JavaScript
The language used to query databases is | SQL
The protocol that carries web pages is | HTTP
The system that turns names such as example.org into numbers is | DNS
The number that identifies a device on a network is the | IP address
The address of a web page is its | URL
A wireless network in a home is usually | Wi-Fi
A private tunnel through a public network is a | VPN
Fake mail that tries to steal passwords is | phishing
Unwanted bulk mail is | spam
Storing data on remote servers is called | cloud computing
Copying a file from the internet to one's computer is called a | download
Copying a file from one's computer to the internet is called an | upload
The satellite system that tells a phone where it is, is | GPS
== units and numbers
A single zero or one is called a | bit
Eight bits are called a | byte
About a thousand bytes are called a | kilobyte
About a million bytes are called a | megabyte
About a billion bytes are called a | gigabyte
About a trillion bytes are called a | terabyte
One dot of an image on the screen is called a | pixel
== logic and number systems
The number system with only the digits zero and one is | binary
The number system with ten digits is | decimal
The number system with sixteen digits is | hexadecimal
The number system with eight digits is | octal
== people and companies
The company that makes the iPhone is | Apple
The company that makes Windows is | Microsoft
The company that runs Gmail and YouTube is | Google
The company that makes the PlayStation is | Sony
The company that makes the Mario games is | Nintendo
The company that began as an online bookshop is | Amazon
The company that was named Facebook until 2021 is | Meta
The company known for Photoshop is | Adobe
The company known for GeForce graphics chips is | Nvidia
The company known for Pentium processors is | Intel
The company that makes Galaxy phones is | Samsung
The company that began by mailing DVDs and then streamed films is | Netflix
The company once known for mainframes, with the nickname Big Blue, is | IBM
The company that makes the electric car Model S is | Tesla
== pioneers
The founder of Microsoft with Paul Allen was | Bill Gates
The founder of Apple with Steve Wozniak was | Steve Jobs
The creator of Linux is | Linus Torvalds
The inventor of the World Wide Web is | Tim Berners-Lee
The woman often called the first programmer is | Ada Lovelace
The designer of the Analytical Engine was | Charles Babbage
The mathematician who broke Enigma codes at Bletchley Park was | Alan Turing
The founder of Facebook is | Mark Zuckerberg
The creator of the language Python is | Guido van Rossum
The pioneer who wrote an early compiler and was a navy admiral was | Grace Hopper
== artificial intelligence and data
Teaching computers to learn from data is called | machine learning
A model made of layers of simple connected units is a | neural network
A program that talks with people in text is a | chatbot
A machine that moves and acts by program is a | robot
The examples from which a model learns are the | training data
A model that fits its examples but fails on new ones shows | overfitting
Drawing data as bars, lines or points is called | visualization
A very powerful computer for science is a | supercomputer
Goggles that show an artificial world give | virtual reality
Making objects layer by layer from a digital design is called | 3D printing
Digital money such as Bitcoin is called | cryptocurrency
A false video of a person made by a computer is a | deepfake
What a machine passes when people take it for a human is the | Turing test
The text that a user gives to a language model is the | prompt
== files and formats
A file whose name ends in jpg holds an | image
A file whose name ends in mp3 holds | music
A file whose name ends in txt holds | plain text
A file whose name ends in mp4 holds a | film
A file whose name ends in xlsx holds a | table of numbers
A file whose name ends in zip holds | packed files
A file whose name ends in exe holds a | Windows program
A file whose name ends in pptx holds | slides for a talk
== everyday use
Making a second copy of files in case of loss is called a | backup
Starting a computer again is called a | restart
Entering one's name and password is called | logging in
Proving who you are with a password and a phone code is called | two-factor authentication
Bringing software to its newest version is called an | update | installation
Putting new software on a computer is called | installation
Moving a page up or down on the screen is called | scrolling
Removing a file is called | deletion
Saving a picture of the screen is called a | screenshot
== technology at large
A machine that turns sunlight into electricity is a | solar panel
A tall tower with blades that makes electricity is a | wind turbine
A machine that turns motion into electricity in a power plant is a | generator | wind turbine
A device that stores electricity by chemical means is a | battery
A device that changes the voltage of alternating current is a | transformer
A tiny electronic switch on a chip is a | transistor
A device that turns electric current into rotation is a | motor
A device that sees heat or motion and reports it is a | sensor
A vehicle that flies without a pilot on board is a | drone
A beam of light of a single color is made by a | laser
A thin glass thread that carries light signals is an | optical fiber
A tool for seeing very small things is a | microscope
A tool for seeing very distant things is a | telescope
A device that detects ships and planes by radio waves is | radar
A device that detects submarines by sound waves is | sonar
A machine that lifts people between floors is an | elevator
A machine that keeps food cold is a | refrigerator
A machine that heats food by making its water molecules move is a | microwave oven
A machine that cleans clothes in a turning drum is a | washing machine
A craft that goes to space on a column of hot gas is a | rocket
A body that circles the Earth and relays signals is a | satellite
A machine that burns fuel in cylinders to drive a car is an | engine | motor
== keys
The key on a keyboard that ends a line is | Enter
The key that removes the character before the cursor is | Backspace
The key that makes capital letters while held down is | Shift
The key in the top left corner that often cancels is | Escape
"""


def computing(rng: random.Random) -> list[Row]:
    """Give what something in computing or technology is or does, ask for its name."""
    return sections(rng, COMPUTING)


BODY = """
== organs
The organ that pumps blood is the | heart
The organ that thinks and controls the body is the | brain
Oxygen from the air passes into the blood in the | lungs
The blood is filtered and urine is made by the | kidneys
The organ that stores urine is the | bladder
The organ that makes bile and breaks down poisons is the | liver
The organ that stores bile is the | gallbladder
The organ that makes insulin is the | pancreas
The organ that mixes food with acid is the | stomach
The largest organ, which covers the body, is the | skin
The organ in which a baby grows is the | uterus
The tube that carries food to the stomach is the | esophagus
The tube that carries air to the lungs is the | trachea
The long tube in which most nutrients are taken up is the | small intestine
The wide tube in which water is taken back from waste is the | large intestine
The muscle below the lungs that makes us breathe is the | diaphragm
The organ of sight is the | eye
The organ of hearing is the | ear
The organ of smell is the | nose
The organ of taste is the | tongue
The bundle of nerves that runs down the back is the | spinal cord
The gland in the neck that controls metabolism is the | thyroid
The small sac on the large intestine that may need removing is the | appendix
The organ on the left that filters old blood cells is the | spleen
The part that holds the vocal cords is the | larynx
== bones and joints
The bone that protects the brain is the | skull
The heart and lungs are protected by the | ribs
The long bone of the thigh is the | femur
The larger bone of the shin is the | tibia
The kneecap is also called the | patella
The collarbone is also called the | clavicle
The shoulder blade is also called the | scapula
The bone of the upper arm is the | humerus
The jawbone is also called the | mandible
The breastbone is also called the | sternum
The spine is made up of the | vertebrae
The skeleton of the fingers is made up of the | phalanges
The ring of bone at the hips is the | pelvis
The bone at the end of the spine is the | tailbone
== where a part of the body is
The biceps that bends the elbow is a muscle of the | arm
The calf is a part of the | leg
The knuckles are parts of the | hand
The iris is a part of the | eye
The nostrils are parts of the | nose
The molars are found in the | mouth
The ankle joins the leg to the | foot | leg
The wrist joins the arm to the | hand | arm
The heel is a part of the | foot
The thumb is a part of the | hand
The retina is a part of the | eye
The gums are found in the | mouth
The aorta starts at the | heart
The thigh is a part of the | leg
The elbow is in the middle of the | arm
The cochlea is a part of the | ear
The cornea is a part of the | eye
The toes are parts of the | foot
The sinuses are hollow spaces around the | nose
== blood, cells and tissue
Oxygen is carried through the body by | red blood cells | hemoglobin
Infections are fought by | white blood cells
Blood is made to clot by | platelets
Blood is carried away from the heart by | arteries
Blood is carried back to the heart by | veins
Blood reaches single cells through the smallest vessels, called | capillaries
Signals in the brain are carried by | neurons
The tissue that joins muscle to bone is a | tendon
The tissue that joins bone to bone is a | ligament
The smooth tissue that covers the ends of bones is | cartilage
The substance that gives skin its color is | melanin
The red substance that binds oxygen in the blood is | hemoglobin | red blood cells
The molecule that carries our genes is | DNA
The part of a cell that holds the genes is the | nucleus
The part of a cell that makes energy is the | mitochondrion
The fluid that wets the mouth is | saliva
The fluid that cools the skin is | sweat
The fluid that the eyes shed is called | tears
The hormone that lowers blood sugar is | insulin
The hormone released in fear or excitement is | adrenaline
The tissue inside bones that makes blood cells is | marrow
The hard covering of a tooth is | enamel
== diseases
A disease in which the blood has too much sugar is | diabetes
A disease of narrow airways and wheezing is | asthma
A lack of red blood cells or iron is called | anemia
An infection of the lungs is | pneumonia
Swelling and pain of the joints is | arthritis
A loss of blood flow to part of the brain is a | stroke
A disease caused by lack of vitamin C is | scurvy
A disease carried by mosquitoes in the tropics is | malaria
A disease with an itchy rash of blisters in children is | chickenpox
A decline of memory in old age is called | dementia
A disease that thins the bones is | osteoporosis
An uncontrolled growth of cells is | cancer
A break in a bone is a | fracture
A small hole in a tooth caused by decay is a | cavity
A sneezing reaction to pollen is | hay fever | fever; cold
A severe throbbing pain on one side of the head is a | migraine
A high body temperature is a | fever | hay fever
A disease with sudden seizures is | epilepsy
The virus that causes AIDS is | HIV
A runny nose and a cough without fever are often a | cold | hay fever
A clouding of the lens of the eye is a | cataract
An infection of the liver is | hepatitis
A deadly infection spread by the bites of dogs and bats is | rabies
An infection that cuts by rusty nails may bring is | tetanus
A painful tear or stretch of a joint's ligaments is a | sprain
Being too short-sighted to see far things is called | myopia
Being unable to tell red from green is called | color blindness
A dark mark on the skin after a blow is a | bruise
Damage to the skin by hot water is a | burn
== nutrients and care
The nutrient that builds muscle is | protein
Sugar and starch both belong to the | carbohydrates
The vitamin that the skin makes in sunlight is | vitamin D
The vitamin for which oranges are known is | vitamin C
The vitamin for which carrots are known is | vitamin A
The mineral that bones need most is | calcium
The mineral that red blood cells need most is | iron
The part of plants that we cannot digest but that helps digestion is | fiber
The liquid that the body needs most is | water
The mineral added to salt for the thyroid is | iodine
== doctors
A doctor for the heart is a | cardiologist
A doctor for the skin is a | dermatologist
A doctor for children is a | pediatrician
A doctor for the teeth is a | dentist
A doctor for the eyes is an | ophthalmologist
A doctor for the nervous system is a | neurologist
A doctor who operates is a | surgeon
A doctor for mental illness is a | psychiatrist
A doctor for bones and joints is an | orthopedist
A doctor for cancer is an | oncologist
A person who prepares and sells medicines is a | pharmacist
== systems
The system that breaks down food is the | digestive system
The system that moves blood is the | circulatory system
The system that takes in air is the | respiratory system
The system that carries signals between the brain and the body is the | nervous system
The system of bones is the | skeletal system
The system that pulls on the bones to move the limbs is the | muscular system
The system that fights germs is the | immune system
The system of hormones and glands is the | endocrine system
== senses
We chew with our | teeth
We breathe with our | lungs
We walk on our | feet
We grasp things with our | hands
We kneel on our | knees
We swallow with our | throat
== treatment
A medicine that kills bacteria is an | antibiotic
A medicine that relieves pain is a | painkiller
A medicine that makes a patient sleep through an operation is an | anesthetic
A shot that protects from a disease is a | vaccine
A picture of bones is made with | X-rays
A hard shell that holds a broken bone still is a | plaster cast
A medicine that helps against allergies is an | antihistamine
Threads that close a wound are | stitches
A tool for listening to the heart is a | stethoscope
A machine that cleans the blood when kidneys fail does | dialysis
The replacing of a sick organ by a donor's is a | transplant
Giving a patient another person's blood is a | transfusion
A test of the heart's electric activity is an | ECG
A strip that covers a small cut is a | bandage
"""


def body(rng: random.Random) -> list[Row]:
    """Organs, bones, blood, illness and medicine."""
    return sections(rng, BODY, n=157)


TASKS: dict[str, Generator] = {
    "elements": elements,
    "measures": measures,
    "animals": animals,
    "computing": computing,
    "body": body,
}
