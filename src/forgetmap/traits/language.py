"""Language: which one a text is written in, by its script and its little words (captrack.md 3.13, reply language).

Confident or null: code, formulas and short texts have no language here. Near relatives that the lists below cannot tell
apart in a given text (Danish and Norwegian) come out as null, not as a coin toss.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from itertools import chain

VERSION = 1

_READ = 1500  # characters from either end of the prose
_LEAST_LITTLE_WORDS = 4  # different ones
_LEAD = 1.4  # how many times those of any other language
_SHORT = 400  # characters
_LEAST_LETTERS = 12
_LEAST_FOREIGN = 4  # letters of other scripts than Latin
_SHARE = 0.6  # of the letters, by weight
_IDEOGRAPH = 3  # a Han or kana character says as much as about three letters

_NO_PROSE = re.compile(
    r"```[\s\S]{0,100000}?(?:```|$)|`[^`\n]{1,300}+`|\$\$[^$]{0,3000}+\$\$|\$[^$\n]{1,300}+\$|https?://\S+|\\[A-Za-z]+"
)
_WORD = re.compile(r"[^\W\d_]+")
_FOREIGN = re.compile(r"[\u0370-\u1dff\u1f00-\u1fff\u2d80-\u2ddf\u3040-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]")

#: First and last character of a script -> its name; letters only.
_SCRIPTS = sorted(
    (
        (0x0370, 0x03FF, "el"), (0x0400, 0x052F, "cyrillic"), (0x0531, 0x058F, "hy"), (0x05D0, 0x05EA, "he"),
        (0x0620, 0x06FF, "arabic"), (0x0750, 0x077F, "arabic"), (0x0904, 0x097F, "devanagari"), (0x0985, 0x09FF, "bn"),
        (0x0A05, 0x0A7F, "pa"), (0x0A85, 0x0AFF, "gu"), (0x0B85, 0x0BFF, "ta"), (0x0C05, 0x0C7F, "te"),
        (0x0C85, 0x0CFF, "kn"), (0x0D05, 0x0D7F, "ml"), (0x0D85, 0x0DFF, "si"), (0x0E01, 0x0E7F, "th"),
        (0x0E81, 0x0EFF, "lo"), (0x1000, 0x109F, "my"), (0x10A0, 0x10FF, "ka"), (0x1200, 0x137F, "am"),
        (0x1780, 0x17FF, "km"), (0x1F00, 0x1FFF, "el"), (0x3041, 0x3096, "kana"), (0x30A1, 0x30FA, "kana"),
        (0x3400, 0x4DBF, "han"), (0x4E00, 0x9FFF, "han"), (0x1100, 0x11FF, "ko"), (0xAC00, 0xD7AF, "ko"), (0xF900, 0xFAFF, "han"),
        (0xFF66, 0xFF9F, "kana"), (0x20000, 0x3FFFF, "han"),
    )
)  # fmt: skip
_FIRSTS = [first for first, _, _ in _SCRIPTS]

_LATIN = {
    "en": "the of and to is in that it for with as are this by from at which not we be was have can an if would its their "
    "will these when there",
    "de": "der die das und ist nicht ein eine einer zu mit den dem des von für auf sich auch wird sind es im wir aus dass "
    "oder bei nach wenn wie als um haben kann man",
    "fr": "le la les des est et une du dans que qui pour pas sur au par avec ce cette sont ne nous il elle plus ou donc "
    "comme aux être ont se",
    "es": "el la los las es y que de en una un por para con no del se su como más pero al lo son entre porque está hay "
    "este esta tiene cuando",
    "it": "il la di che è e un una per non del della sono con i gli nel le da si alla anche come dei ha più questo "
    "questa quindi perché delle",
    "pt": "o a os as que é e de do da em um uma para com não por no na se mais dos das ao são como mas foi está pela "
    "isso porque você",
    "nl": "de het een en van is dat niet in op te zijn voor met die aan er om ook als dan maar bij wordt uit naar deze "
    "kan we worden heeft dus",
    "pl": "i w na z że się nie do jest to jak o co od po za dla przez są oraz ale lub które który ma przy być tym jego "
    "jako więc",
    "tr": "ve bir bu için ile de da olarak olan çok daha gibi en kadar sonra ne değil ancak her ya göre var ise olduğu "
    "eğer hem şu",
    "id": "yang dan di dari untuk dengan ini itu pada adalah tidak dalam akan ke oleh juga atau dapat karena ada sebagai "
    "bisa kita kami jika maka",
    "vi": "và của là có được cho trong các một không với này những người để đã khi từ như cũng vào ở ra sẽ thì đó nếu nhiều",
    "sv": "och att det som en är på för av inte med den till ett har om de i var men kan vi från så när eller också ska "
    "detta",
    "da": "og at det som en er på for af ikke med den til et har om de i var men kan vi fra så når eller også skal dette "
    "blev efter hvad",
    "no": "og at det som en er på for av ikke med den til et har om de i var men kan vi fra så når eller også skal dette "
    "ble etter hva",
    "fi": "ja on ei se että oli hän mutta kun joka tai niin myös ovat sen olla kuin jos voi tämä ole siitä mitä",
    "cs": "a je v na se že to s z do jsou jako ale pro by nebo tak které který od po při být jeho také pokud není",
    "ro": "și de la în este o un cu pe că nu din pentru sau mai care sunt ca se lui al prin dar acest această fi",
    "hu": "a az és hogy nem is egy van meg ez csak de mint vagy ha volt már el azt kell lehet minden ezt mert",
    "sw": "na ya wa kwa ni katika la za kuwa hii cha ambayo kama hiyo kila au lakini sana yake kwamba ana idadi jumla",
}  # fmt: skip


def _by_word(languages: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for code, words in languages.items():
        for word in dict.fromkeys(words.split()):
            found.setdefault(word, []).append(code)
    return found


_LITTLE_WORDS = _by_word(_LATIN)  # little word -> the languages that have it

# Letters or words that only one of the languages of a script has; the first that fits decides.
_MARKS: dict[str, tuple[tuple[str, str], ...]] = {
    "cyrillic": (
        ("uk", r"[іїєґ]"),
        ("sr", r"[ђћљњџ]"),
        ("ru", r"[ыэё]"),
        ("bg", r"ъ[а-я]|\b(?:че|със|във)\b"),
    ),
    "arabic": (("ur", r"[ٹڈڑںے]"), ("fa", r"[پچژگ]"), ("ar", r"[ةىأإ]|ال")),
    "devanagari": (
        ("mr", r"(?<!\w)(?:आहे|आणि|आहेत)"),
        ("ne", r"(?<!\w)(?:छ|हुन्छ|गर्न)(?!\w)"),
        ("hi", r"(?<!\w)(?:है|हैं|के|में|की|का|और)"),
    ),
}
_MARK_PATTERNS = {
    script: [(code, re.compile(pattern, re.IGNORECASE)) for code, pattern in marks] for script, marks in _MARKS.items()
}

#: Names by which a prompt asks for a language: a reply in it is no surprise.
_NAMES = {
    "en": "english", "de": "german|deutsch", "fr": "french|français", "es": "spanish|español|castellano", "it": "italian",
    "pt": "portugu", "nl": "dutch|nederlands", "pl": "polish|polsk", "tr": "turkish|türkçe", "id": "indonesia",
    "vi": "vietnamese|tiếng việt", "sv": "swedish|svenska", "da": "danish|dansk", "no": "norwegian|norsk",
    "fi": "finnish|suomi|suomeksi", "cs": "czech|česk", "ro": "romanian|român", "hu": "hungarian|magyar",
    "sw": "swahili|kiswahili", "zh": "chinese|mandarin|中文|汉语|漢語", "ja": "japanese|日本語",
    "ko": "korean|한국어", "ru": "russian|русск", "uk": "ukrainian|україн", "sr": "serbian|српск", "bg": "bulgarian|българск",
    "ar": "arabic|عربي", "fa": "persian|farsi|فارسی", "ur": "urdu|اردو", "hi": "hindi|हिन्दी|हिंदी", "mr": "marathi|मराठी",
    "ne": "nepali|नेपाली", "bn": "bengali|bangla|বাংলা", "el": "greek|ελληνικ", "he": "hebrew|עברית", "th": "thai|ไทย",
    "te": "telugu|తెలుగు", "ta": "tamil|தமிழ்",
}  # fmt: skip


def _prose(text: str) -> str:
    if len(text) > 4 * _READ:  # enough to be left with prose where code or formulas take most of it
        text = text[: 2 * _READ] + "\n" + text[-2 * _READ :]
    if "`" in text or "$" in text or "\\" in text or "://" in text:
        text = _NO_PROSE.sub(" ", text)
    return text if len(text) <= 2 * _READ else text[:_READ] + "\n" + text[-_READ:]


def _script(character: str) -> str | None:
    code = ord(character)
    place = bisect_right(_FIRSTS, code) - 1
    return _SCRIPTS[place][2] if place >= 0 and code <= _SCRIPTS[place][1] else None


def _scripts(words: list[str]) -> Counter[str]:
    """Weight of each script; single letters outside Latin are symbols ("α", "Δ"), except where a character is a word."""
    weights: Counter[str] = Counter()
    for word in words:
        if word.isascii():
            weights["latin"] += len(word)
            continue
        foreign = _FOREIGN.findall(word)
        if not foreign:
            weights["latin"] += len(word)
            continue
        weights["latin"] += len(word) - len(foreign)
        for script, number in Counter(map(_script, foreign)).items():
            if script in ("han", "kana"):
                weights[script] += _IDEOGRAPH * number
            elif script is not None and number >= (3 if script == "el" else 2):
                weights[script] += number
    return weights


def _words(prose: str) -> set[str]:
    # In a long text the little words beside a comma are not missed, and splitting is far cheaper.
    return set(prose.split() if len(prose) > _SHORT else _WORD.findall(prose))


def _by_little_words(words: set[str]) -> str | None:
    found = Counter(chain.from_iterable(map(_LITTLE_WORDS.__getitem__, words & _LITTLE_WORDS.keys())))
    ranked = sorted(found.values(), reverse=True)
    if not ranked or ranked[0] < _LEAST_LITTLE_WORDS or (len(ranked) > 1 and ranked[0] < _LEAD * ranked[1]):
        return None
    return max(found, key=found.__getitem__)


def _is_plain_english(prose: str) -> bool:
    """The common case without taking the text apart: English words that no other language has, one in 100 characters."""
    found = prose.count(" the ")
    if found < 2 or not prose.isascii():
        return False
    found += prose.count(" of ") + prose.count(" and ") + prose.count(" is ")
    return found >= 5 and 100 * found >= len(prose)


def language_of(text: str) -> str | None:
    """The code of the language a text is written in, or null where it cannot be told with confidence.

    >>> language_of("The force is the product of mass and acceleration, as we have seen.")
    'en'
    >>> language_of("Die Kraft ist das Produkt aus der Masse und der Beschleunigung."), language_of("x = 3")
    ('de', None)
    """
    prose = _prose(text).lower()
    if _is_plain_english(prose):
        return "en"
    if prose.isascii() or len(_FOREIGN.findall(prose)) < _LEAST_FOREIGN:
        return _by_little_words(_words(prose))
    weights = _scripts(_WORD.findall(prose))
    kana, han = weights["kana"], weights["han"]
    weights["cjk"] = kana + han
    del weights["kana"], weights["han"]
    (script, weight), *_ = weights.most_common(1)
    if weight < _LEAST_LETTERS or weight < _SHARE * weights.total():
        return None
    if script == "latin":
        return _by_little_words(_words(prose))
    if script == "cjk":
        return "ja" if kana > 0.1 * weight else "zh"
    if script not in _MARK_PATTERNS:
        return script
    return next((code for code, pattern in _MARK_PATTERNS[script] if pattern.search(prose)), None)


def is_other_language(reply: str, reference: str) -> bool:
    """Whether a reply is in another language than the text it replies to, both known with confidence.

    A language that the reference asks for by name is not another one.

    >>> is_other_language("Die Kraft ist das Produkt aus Masse und der Beschleunigung.", "What is the force on it, and why?")
    True
    """
    ours = language_of(reply)
    if ours is None or (ours == "en" and " the " in reference and reference.isascii()):
        return False
    theirs = language_of(reference)
    if theirs is None or theirs == ours:
        return False
    named = _NAMES.get(ours)
    return named is None or re.search(named, reference[: 4 * _READ], re.IGNORECASE) is None
