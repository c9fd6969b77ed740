"""What peoples eat, play, wear and say: dishes, customs and proverbs, all listed by hand.

Long because its tables are long: one line per country, one line per proverb.
"""

from __future__ import annotations

import random

from row import Generator, Row
from tables import belonging, cases

#: Only dishes and drinks that one country is known for; what several claim (baklava, hummus, dolma) is left out.
DISHES = """
Japan: sushi, ramen, tempura, miso soup, sashimi, sake, udon, mochi, teriyaki, okonomiyaki
Italy: pizza, spaghetti carbonara, lasagna, risotto, tiramisu, gelato, pesto, panna cotta, focaccia, prosciutto, minestrone
Mexico: tacos, guacamole, enchiladas, tequila, quesadillas, mole poblano, tamales, pozole
France: croissants, baguettes, ratatouille, escargots, crème brûlée, coq au vin, quiche Lorraine, champagne, bouillabaisse, macarons
India: chicken tikka, samosas, masala dosa, naan bread, palak paneer, chutney, vindaloo, lassi, biryani
China: Peking duck, dim sum, mapo tofu, kung pao chicken, wonton soup, chow mein, mooncakes
Germany: sauerkraut, bratwurst, pretzels, Black Forest cake, currywurst, pumpernickel bread, stollen
Spain: paella, gazpacho, tapas, sangria, chorizo, tortilla de patatas, serrano ham, sherry
Greece: moussaka, tzatziki, souvlaki, feta cheese, ouzo, spanakopita
South Korea: kimchi, bibimbap, bulgogi, tteokbokki, soju, japchae
Thailand: pad thai, tom yum soup, green curry, som tam salad, massaman curry
Vietnam: pho, banh mi sandwiches, bun cha, summer rolls in rice paper, egg coffee
England: fish and chips, Yorkshire pudding, shepherd's pie, Cornish pasties, cheddar cheese, bangers and mash, clotted cream
Scotland: haggis, Cullen skink, Aberdeen Angus beef, cranachan
Ireland: Guinness beer, soda bread, colcannon, boxty pancakes
the United States: key lime pie, gumbo, clam chowder, Philly cheesesteaks, jambalaya, grits, s'mores, Buffalo wings, bourbon whiskey, cornbread
Canada: poutine, butter tarts, Nanaimo bars, Montreal bagels
Russia: beef stroganoff, blini, kvass, pelmeni, shchi
Hungary: goulash, chicken paprikash, langos, Tokaji wine
Poland: pierogi, bigos, zurek soup, kielbasa
Switzerland: cheese fondue, raclette, rösti, Bircher muesli
Austria: Wiener schnitzel, Sachertorte, Kaiserschmarrn, Linzer torte
Sweden: gravlax, smorgasbord, surströmming, cinnamon buns called kanelbullar
Portugal: pastel de nata, port wine, vinho verde, caldo verde, piri-piri chicken, francesinha
Argentina: chimichurri, choripan, alfajores with dulce de leche, Malbec wine from Mendoza
Brazil: feijoada, caipirinha, pão de queijo, moqueca, brigadeiros
Peru: ceviche, lomo saltado, pisco sour, roast guinea pig called cuy, causa
Turkey: doner kebab, the sweet called lokum, ayran, raki, iskender kebab
Morocco: tagine, couscous with seven vegetables, mint tea called atay, harira soup, pastilla pie
Ethiopia: injera, doro wat, kitfo, tej honey wine
Indonesia: nasi goreng, rendang, gado-gado, tempeh, soto ayam
the Philippines: adobo, sinigang soup, halo-halo, balut, lechon
Australia: Vegemite, lamingtons, Anzac biscuits, barramundi, damper bread
Belgium: moules-frites, Trappist beer, speculoos, waterzooi, Liège waffles
the Netherlands: stroopwafels, Gouda cheese, bitterballen, poffertjes
Jamaica: jerk chicken, ackee and saltfish, Blue Mountain coffee
Cuba: ropa vieja, mojito, daiquiri
Ukraine: borscht, chicken Kyiv, varenyky
South Africa: biltong, bobotie, bunny chow, rooibos tea
"""  # noqa: E501 - one country, one line

#: Countries whose kitchens share much with each other: not offered side by side.
KITCHENS = [
    {"Russia", "Ukraine", "Poland"}, {"Germany", "Austria", "Switzerland"}, {"England", "Scotland", "Ireland"},
    {"Spain", "Mexico", "Argentina", "the Philippines", "Cuba", "Peru", "Portugal", "Brazil"},
    {"Greece", "Turkey", "Germany"}, {"Belgium", "the Netherlands", "France"},
    {"the United States", "Canada"}, {"Japan", "South Korea", "China"}, {"Portugal", "South Africa"},
    {"Indonesia", "Thailand", "Vietnam", "China", "the Philippines"},
    {"England", "Australia", "South Africa", "India"}, {"Cuba", "Jamaica"}, {"England", "Jamaica", "the United States"},
    {"England", "Turkey"}, {"Switzerland", "France"},
]  # fmt: skip


def dishes(rng: random.Random) -> list[Row]:
    """Ask which country a dish or drink is known from."""
    return belonging(rng, DISHES, "Which country is known for {x}?", apart=KITCHENS, fact="dish")


CUSTOMS = """
Japan: the kimono, sumo wrestling, origami, the tea ceremony, kabuki theatre, haiku poems, judo, samurai warriors, the shamisen, manga comics, karaoke, ikebana flower arranging, bonsai trees
Spain: flamenco dancing, bullfighting, castanets, the running of the bulls in Pamplona, La Tomatina, the siesta
Scotland: the kilt, bagpipes, the Highland Games, tossing the caber, Burns Night, tartan cloth
Brazil: samba, capoeira, the Carnival of Rio, bossa nova
Argentina: the tango, gaucho horsemen, pato played on horseback, the milonga dance hall
Mexico: mariachi bands, the sombrero, the Day of the Dead, the piñata, lucha libre wrestling, the quinceañera party, Cinco de Mayo
India: the sari, yoga, Bollywood films, Diwali, Holi, the sitar, kathak dance, the tabla drum, kabaddi, henna patterns called mehndi
China: kung fu, the dragon dance, mahjong, tai chi, Peking opera, the erhu, the Dragon Boat Festival, the qipao dress, feng shui
Russia: matryoshka dolls, the balalaika, the samovar, the Bolshoi Ballet, the ushanka hat, Fabergé eggs
Germany: Oktoberfest, lederhosen, the dirndl dress, the Advent markets of Nuremberg, the Bayreuth Festival
Switzerland: yodelling, the alphorn, army pocket knives with a white cross
Austria: the waltzes of Strauss, the Salzburg Festival, the Krampus run, the Vienna Boys' Choir
Greece: bouzouki music, the ancient Olympic Games, the dance called sirtaki, the philosophy of Socrates
Italy: the gondola, the Palio of Siena, the Venice Carnival with its masks, the tarantella, the Vespa scooter
France: the beret, the yellow jersey of a July bicycle race, Bastille Day, the can-can, the game of pétanque, the Cannes film festival, the haute couture shows
England: cricket, Wimbledon, Guy Fawkes Night, morris dancing, afternoon tea, pub quizzes, the bowler hat
Ireland: Saint Patrick's Day, hurling, the leprechaun, step dancing as in Riverdance, the shamrock
the United States: Thanksgiving, baseball, the Super Bowl, jazz, cowboy rodeos, the Fourth of July, bluegrass music, the prom night at high school, Groundhog Day
Canada: ice hockey as a national winter sport, the Calgary Stampede, lacrosse as a national summer sport, the maple leaf flag
Australia: the didgeridoo, the boomerang, footy on an oval field, Anzac Day, surf lifesaving carnivals
New Zealand: the haka, the All Blacks rugby team, Waitangi Day, Maori carving
Hawaii: hula dancing, the lei garland, the ukulele
South Korea: taekwondo, K-pop, the hanbok, pansori singing
Thailand: the wai greeting, the water festival Songkran, the lantern festival Yi Peng
Indonesia: batik cloth, gamelan orchestras, wayang shadow puppets, the Balinese barong dance
Turkey: whirling dervishes, oil wrestling, the hammam bath, the evil eye bead called nazar
Egypt: hieroglyphs, pharaohs and mummies, papyrus scrolls, the ancient festival of Opet
Norway: the bunad costume, Viking longships, the Holmenkollen ski jump, the Nobel Peace Prize ceremony
Finland: the sauna, the Kalevala epic, the Moomin books, wife carrying contests
Sweden: Saint Lucia's Day processions, ABBA, the Vasaloppet ski race, the Dala horse
the Netherlands: wooden clogs, tulip fields, Delft pottery, King's Day in orange, windmills on polders
Portugal: fado singing, azulejo tiles, the Barcelos rooster
Jamaica: reggae, the Rastafari movement, sprinters such as Usain Bolt
Cuba: salsa and son music, cigars from Havana, the mambo
Hungary: the csárdás dance, the Sziget festival, Rubik's Cube
Poland: the polonaise, the mazurka, Wet Monday at Easter
South Africa: the vuvuzela, Zulu beadwork, the Springboks rugby team, kwaito music
Kenya: the jumping dance of the Maasai, champion long-distance runners of the Rift Valley
Peru: the Inti Raymi festival, Inca stone walls, the panpipes of the Andes
Mongolia: the yurt called ger, the Naadam festival, horsehead fiddle music
Israel: the kibbutz, the hora
"""  # noqa: E501 - one country, one line


def customs(rng: random.Random) -> list[Row]:
    """Ask which country a custom, dance, costume, game or festival belongs to."""
    neighbours = [
        {"Spain", "Mexico", "Portugal", "Argentina", "Cuba", "Brazil", "Peru"}, {"Germany", "Austria", "Switzerland"},
        {"England", "Scotland", "Ireland", "Australia", "New Zealand", "South Africa", "India"},
        {"Norway", "Sweden", "Finland"}, {"the United States", "Hawaii", "Canada", "England"}, {"the United States", "Mexico"},
        {"Japan", "South Korea", "China"}, {"Greece", "Turkey"}, {"Poland", "Hungary", "Austria"},
        {"Thailand", "Indonesia"}, {"Jamaica", "Cuba"}, {"Russia", "Poland"},
    ]  # fmt: skip
    return belonging(rng, CUSTOMS, "Which place is best known for {x}?", apart=neighbours, fact="custom")


#: The saying without its last words, then those, then wrong endings written for it.
PROVERBS = """
A stitch in time saves | nine | ten; a dime; the day
An apple a day keeps the doctor | away | busy; healthy; at home
Actions speak louder than | words | thunder; music; dreams
All that glitters is not | gold | silver; glass; fire
Better late than | never | early; sorry; soon
Birds of a feather flock | together | south; alone; at night
Don't count your chickens before they | hatch | sleep; grow; fly away
Don't put all your eggs in one | basket | pan; box; house
Every cloud has a silver | lining | edge; star; coin
Honesty is the best | policy | medicine; friend; gift
Practice makes | perfect | money; friends; trouble
Rome wasn't built in a | day | year; week; hurry
The early bird catches the | worm | fish; train; cat
The pen is mightier than the | sword | brush; crown; law
Two heads are better than | one | none; three; a hat
When in Rome, do as the Romans | do | say; eat; fight
Where there's smoke, there's | fire | ash; wood; a chimney
You can't judge a book by its | cover | title; author; pages
A picture is worth a thousand | words | coins; frames; stories
Curiosity killed the | cat | dog; mouse; king
Don't bite the hand that | feeds you | pets you; pays you; holds you
Don't cry over spilled | milk | wine; water; tea
Easy come, easy | go | stay; win; done
Fortune favors the | bold | rich; old; slow
Good things come to those who | wait | run; pay; sing
Haste makes | waste | speed; taste; sense
Ignorance is | bliss | darkness; danger; peace
It takes two to | tango | walk; build; swim
Laughter is the best | medicine | teacher; music; food
Let sleeping dogs | lie | bark; dream; eat
Look before you | leap | eat; speak; sleep
Many hands make light | work | bread; lamps; music
Money doesn't grow on | trees | farms; bushes; tables
Necessity is the mother of | invention | poverty; children; courage
No news is good | news | luck; sleep; business
No pain, no | gain | cure; doctor; rain
Out of sight, out of | mind | reach; time; luck
Patience is a | virtue | burden; weakness; river
Strike while the iron is | hot | cold; new; heavy
The apple doesn't fall far from the | tree | ground; garden; house
The grass is always greener on the other | side | hill; day; farm
The squeaky wheel gets the | grease | road; blame; cart
There's no place like | home | school; heaven; London
There's no such thing as a free | lunch | house; horse; ride
Time flies when you're having | fun | tea; trouble; guests
Too many cooks spoil the | broth | party; kitchen; meat
When it rains, it | pours | shines; stops; snows
When the cat's away, the mice will | play | sleep; hide; starve
You can lead a horse to water, but you can't make it | drink | swim; run; stay
You can't have your cake and eat it | too | twice; tomorrow; alone
You can't teach an old dog new | tricks | games; words; jobs
A bird in the hand is worth two in the | bush | nest; sky; cage
A chain is only as strong as its weakest | link | hook; owner; metal
A fool and his money are soon | parted | friends; rich; found
A friend in need is a friend | indeed | forever; of mine; at last
A leopard cannot change its | spots | mind; home; teeth
A penny saved is a penny | earned | spent; lost; hidden
A rolling stone gathers no | moss | dust; speed; friends
A watched pot never | boils | breaks; cools; burns
Absence makes the heart grow | fonder | colder; older; weaker
All good things must come to an | end | hour; agreement; island
All roads lead to | Rome | Paris; London; Athens
All work and no play makes Jack a dull | boy | man; knife; student
All's fair in love and | war | peace; money; music
An ounce of prevention is worth a pound of | cure | gold; sugar; advice
Barking dogs seldom | bite | sleep; run; listen
Beauty is in the eye of the | beholder | needle; painter; storm
Beggars can't be | choosers | kings; happy; winners
Better safe than | sorry | rich; fast; brave
Blood is thicker than | water | wine; oil; milk
Charity begins at | home | church; dawn; school
Cleanliness is next to | godliness | happiness; health; kindness
Clothes make the | man | weather; tailor; party
Cold hands, warm | heart | feet; gloves; head
Dead men tell no | tales | jokes; lies; news
Don't look a gift horse in the | mouth | eye; stable; ear
Don't make a mountain out of a | molehill | rock; valley; sandbox
Don't put the cart before the | horse | road; farmer; barn
Don't throw the baby out with the | bathwater | toys; rubbish; milk
Early to bed and early to | rise | work; school; eat
Every dog has its | day | bone; master; tail
Every rose has its | thorn | color; garden; bee
Experience is the best | teacher | student; wine; job
Familiarity breeds | contempt | friendship; children; love
First come, first | served | out; seen; paid
Forgive and | forget | forgo; remember; smile
Great minds think | alike | twice; slowly; big
Half a loaf is better than | none | butter; cake; two
Home is where the heart | is | beats; sleeps; breaks
Hope for the best, prepare for the | worst | rest; test; guests
If at first you don't succeed, try, try | again | harder; later; nothing
If it ain't broke, don't | fix it | buy it; touch me; drop it
If the shoe fits, | wear it | sell it; tie it; polish it
If you can't beat them, | join them | leave them; teach them; eat them
If you play with fire, you will get | burned | warm; lost; wet
In for a penny, in for a | pound | dollar; walk; treat
Keep your friends close and your enemies | closer | away; poor; hungry
Kill two birds with one | stone | arrow; net; cat
Knowledge is | power | silver; hunger; water
Leave no stone | unturned | thrown; broken; alone
Less is | more | small; nothing; enough
Life begins at | forty | noon; school; ninety
Lightning never strikes twice in the same | place | night; cloud; tree
Like father, like | son | mother; uncle; king
Live and let | live | sleep; know; wait
Love is | blind | deaf; late; round
Make hay while the sun | shines | sets; sleeps; hides
Money is the root of all | evil | trees; joy; work
Money makes the world go | round | home; down; slow
Never put off until tomorrow what you can do | today | yesterday; alone; better
No man is an | island | ocean; animal; answer
Nothing ventured, nothing | gained | lost; broken; learned
Old habits die | hard | young; happy; first
Once bitten, twice | shy | hungry; brave; lucky
One good turn deserves | another | nothing; a medal; a left turn
One man's trash is another man's | treasure | problem; dinner; job
One swallow does not make a | summer | winter; nest; drink
Opportunity seldom knocks | twice | loudly; softly; early
People who live in glass houses shouldn't throw | stones | parties; balls; bread
Pride comes before a | fall | king; prize; spring
Revenge is a dish best served | cold | hot; late; sweet
Rules are made to be | broken | read; written; simple
Seeing is | believing | hearing; sleeping; enough
Silence is | golden | wooden; loud; green
Slow and steady wins the | race | lottery; heart; war
Still waters run | deep | fast; clear; cold
The best things in life are | free | cheap; late; sweet
The bigger they are, the harder they | fall | work; eat; sing
The devil is in the | details | kitchen; mirror; church
The end justifies the | means | start; price; story
The first step is always the | hardest | longest; last; best
The more, the | merrier | slower; cheaper; richer
The proof of the pudding is in the | eating | sugar; oven; recipe
The road to hell is paved with good | intentions | stones; friends; manners
The show must go | on | home; up; slowly
The spirit is willing, but the flesh is | weak | strong; hungry; cold
The truth will set you | free | straight; back; apart
The way to a man's heart is through his | stomach | mother; eyes; wallet
There are plenty more fish in the | sea | pan; shop; bowl
There is honor among | thieves | kings; lions; farmers
The third time's the | charm | end; limit; winner
Time and tide wait for no | man | boat; moon; reason
Time heals all | wounds | clocks; animals; debts
Time is | money | water; paper; gold
Tomorrow is another | day | man; problem; story
Two's company, three's a | crowd | family; number; pair
Two wrongs don't make a | right | left; crime; friend
United we stand, divided we | fall | sit; run; win
Variety is the spice of | life | food; India; love
Walls have | ears | eyes; doors; windows
Waste not, want | not | more; less; all
What goes around comes | around | home; late; twice
What goes up must come | down | back home; later; alone
What you don't know can't | hurt you | help you; pay you; see you
When life gives you lemons, make | lemonade | pie; soup; friends
When one door closes, another | opens | closes; breaks; squeaks
Where there's a will, there's a | way | lawyer; fight; hope
You are what you | eat | own; sing; read
You can't make an omelette without breaking | eggs | plates; bread; rules
You can't squeeze blood from a | stone | heart; lemon; knife
You reap what you | sow | eat; sell; cut
A jack of all trades is a master of | none | one; them; tools
Let bygones be | bygones | friends; heard; history
Out of the frying pan, into the | fire | oven; sink; soup
A miss is as good as a | mile | hit; kiss; smile
Boys will be | boys | men; late; kings
Give credit where credit is | due | cheap; free; lost
Hell hath no fury like a woman | scorned | asleep; in love; alone
Don't judge a man until you have walked a mile in his | shoes | garden; street; hat
You scratch my back and I'll scratch | yours | mine; the cat; it again
"""


def proverbs(rng: random.Random) -> list[Row]:
    """Give the start of a proverb and ask for its end."""
    return cases(rng, PROVERBS)


TASKS: dict[str, Generator] = {"dishes": dishes, "customs": customs, "proverbs": proverbs}
