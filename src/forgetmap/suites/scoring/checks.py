"""The 25 verifiable instructions of IFEval (captrack.md 3.7): each a function of a reply and its arguments.

They follow the meaning of the published checkers, quirks included where a score depends on them (a keyword is found inside
a longer word, a forbidden word only as a whole one; paragraphs are parted by "***" in one instruction and by blank lines in
another). Written for hostile text: every check is linear in the length of the reply. Sentences and words are split by rules
of our own instead of a trained tokenizer; replies at the very edge of a count may differ by one sentence.

A check returns whether the instruction was followed, or null where that cannot be told (the language of a short reply).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from forgetmap.suites.scoring import json_text
from forgetmap.suites.scoring.tongues import language_of

Arguments = Mapping[str, Any]
Check = Callable[[str, Arguments], bool | None]

_RELATIONS = ("less than", "at least")
_WORD = re.compile(r"\w+")
_SHOUTED = re.compile(r"\w+(?:[-'’.&]\w+)*+")
_STARS = re.compile(r"\s?\*\*\*\s?")
_BLANK_LINE = re.compile(r"\n\n")
_HIGHLIGHT = re.compile(r"\*[^\n*]*+\*")
_DOUBLE_HIGHLIGHT = re.compile(r"\*\*[^\n*]*+\*\*")
_FIRST_WORD = re.compile(r"['\"]*+([^.,?!'\"\s]*+)")
_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_POSTSCRIPTS = {"P.P.S": re.compile(r"p\.\s?p\.\s?s"), "P.S.": re.compile(r"p\.\s?s\.")}
# The end of a sentence: its mark, closing quotes, and then a blank or the end.
_SENTENCE_END = re.compile(r"[.!?]++[\"')\]*_”’]*+(?=\s|$)|[\u3002\uff01\uff1f]++")
_END_MARKS = ".!?\u3002\uff01\uff1f"
_ENDS_READ = 20_000  # full stops looked at; no instruction asks for as many sentences
_ABBREVIATIONS = {
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "etc", "e.g", "i.e", "fig", "vol", "inc", "ltd",
    "co", "corp", "dept", "est", "approx", "al", "gen", "rep", "sen", "gov", "capt", "lt", "col", "sgt", "u.s",
    "u.k", "ph.d", "a.m", "p.m", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
    "dec",
}  # fmt: skip


def relation(found: int, wanted: int, name: str) -> bool:
    """Whether a count stands in a relation to the number asked for.

    >>> relation(3, 3, "at least"), relation(3, 3, "less than")
    (True, False)
    """
    if name not in _RELATIONS:
        raise ValueError(f"relation {name!r}, expected {' or '.join(_RELATIONS)}")
    return found < wanted if name == "less than" else found >= wanted


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text; the last one may lack its full stop.

    >>> list(sentences("Dr. Who came at 3.5 p.m. on foot. Why? Nobody knows"))
    ['Dr. Who came at 3.5 p.m. on foot.', 'Why?', 'Nobody knows']
    """
    start = 0
    for end in islice(_SENTENCE_END.finditer(text), _ENDS_READ):
        if end[0].strip(".") == "" and _goes_on(text, start, end):
            continue
        if _WORD.search(text, start, end.start()):
            yield text[start : end.end()].strip()
        start = end.end()
    if _WORD.search(text, start):
        yield text[start:].strip()


def _up_to(wanted: int, found: Iterable[str]) -> int:
    """How many there are, counted no further than it matters."""
    return sum(1 for _ in islice(found, max(wanted, 0)))


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether a full stop ends an abbreviation, an initial or the number of a list entry, not a sentence."""
    before = text[max(start, end.start() - 30) : end.start()]
    word = before.split()[-1].strip("(\"'*_") if before.strip() and not before[-1].isspace() else ""
    rest = text[end.end() : end.end() + 3].lstrip()
    if rest[:1].islower() or end[0] != ".":
        return rest[:1].islower()
    if word.casefold() == "no":  # "No. 5", but "He said no."
        return rest[:1].isdecimal()
    if word.casefold() in _ABBREVIATIONS:
        return bool(rest) and word.casefold() not in ("etc", "inc", "ltd", "co", "corp", "a.m", "p.m")
    if len(word) == 1 and word.isupper() and word != "I":
        return bool(rest)
    if not word.isdecimal() or len(word) > 3:
        return False
    head = text[max(0, end.start() - 12) : end.start()]
    return ("\n" in head or end.start() < 12) and head.rpartition("\n")[2].strip(" *(#") == word


def _keywords_exist(text: str, given: Arguments) -> bool:
    folded = text.lower()
    return all(str(keyword).lower() in folded for keyword in given["keywords"])


def _keyword_frequency(text: str, given: Arguments) -> bool:
    found = text.lower().count(str(given["keyword"]).strip().lower())
    return relation(found, int(given["frequency"]), given["relation"])


def _forbidden_words(text: str, given: Arguments) -> bool:
    return not any(
        re.search(rf"(?<!\w){re.escape(str(word))}(?!\w)", text, re.IGNORECASE) for word in given["forbidden_words"]
    )


def _letter_frequency(text: str, given: Arguments) -> bool:
    found = text.lower().count(str(given["letter"]).lower())
    return relation(found, int(given["let_frequency"]), given["let_relation"])


def _response_language(text: str, given: Arguments) -> bool | None:
    found = language_of(text)
    return None if found is None else found == str(given["language"]).lower().partition("-")[0]


def _number_sentences(text: str, given: Arguments) -> bool:
    wanted = int(given["num_sentences"])
    most = 1 + sum(map(text.count, _END_MARKS))
    if most < wanted:  # spares a long text the work
        return relation(most, wanted, given["relation"])
    return relation(_up_to(wanted, sentences(text)), wanted, given["relation"])


def _number_paragraphs(text: str, given: Arguments) -> bool:
    paragraphs = _STARS.split(text)
    inner = paragraphs[1:-1]
    if not all(paragraph.strip() for paragraph in inner):
        return False  # a divider too many
    edges = [paragraphs[0], paragraphs[-1]] if len(paragraphs) > 1 else paragraphs
    return len(inner) + sum(bool(edge.strip()) for edge in edges) == int(given["num_paragraphs"])


def _number_words(text: str, given: Arguments) -> bool:
    return relation(len(_WORD.findall(text)), int(given["num_words"]), given["relation"])


def _nth_paragraph_first_word(text: str, given: Arguments) -> bool:
    paragraphs = _BLANK_LINE.split(text)
    count = sum(bool(paragraph.strip()) for paragraph in paragraphs)
    nth = int(given["nth_paragraph"])
    # the place counts empty paragraphs, the total does not: so does the published checker
    if count != int(given["num_paragraphs"]) or not 1 <= nth <= count or not (paragraph := paragraphs[nth - 1].strip()):
        return False
    word = _FIRST_WORD.match(paragraph)
    return word is not None and word[1].lower() == str(given["first_word"]).lower()


def _number_placeholders(text: str, given: Arguments) -> bool:
    count = 0
    for line in text.splitlines():
        at = line.find("[")
        while at >= 0 and (end := line.find("]", at)) >= 0:
            count, at = count + 1, line.find("[", end)
    return count >= int(given["num_placeholders"])


def _postscript(text: str, given: Arguments) -> bool:
    marker = str(given["postscript_marker"]).strip()
    pattern = _POSTSCRIPTS.get(marker)
    return bool(pattern.search(text.lower())) if pattern else marker.lower() in text.lower()


def _number_bullets(text: str, given: Arguments) -> bool:
    lines = [line.lstrip() for line in text.splitlines()]
    # "**bold**" opens no bullet, "* x" and "- x" do
    bullets = sum(line.startswith("-") or (line.startswith("*") and line[1:2] not in ("", "*")) for line in lines)
    return bullets == int(given["num_bullets"])


def _constrained_response(text: str, given: Arguments) -> bool:
    return any(answer in text for answer in _ANSWERS)


def _number_highlights(text: str, given: Arguments) -> bool:
    single = sum(bool(one.strip("*").strip()) for one in _HIGHLIGHT.findall(text))
    double = sum(bool(one[2:-2].strip()) for one in _DOUBLE_HIGHLIGHT.findall(text))
    return single + double >= int(given["num_highlights"])


def _multiple_sections(text: str, given: Arguments) -> bool:
    splitter = re.escape(str(given["section_spliter"]).strip())
    return len(re.findall(rf"{splitter}\s?\d", text)) >= int(given["num_sections"])


def _json_format(text: str, given: Arguments) -> bool:
    bare = text.strip()
    for fence in ("```json", "```Json", "```JSON", "```"):
        bare = bare.removeprefix(fence)
    return json_text.parse(bare.removesuffix("```").strip())[0]


def _title(text: str, given: Arguments) -> bool:
    for line in text.splitlines():
        start, end = line.find("<<"), line.rfind(">>")
        if start >= 0 and line[start + 2 : max(end, 0)].strip("<> \t"):
            return True
    return False


def _two_responses(text: str, given: Arguments) -> bool:
    parts = [part.strip() for part in text.split("******")]
    if not all(parts[1:-1]):
        return False
    full = [part for part in parts if part]
    return len(full) == 2 and full[0] != full[1]


def _repeat_prompt(text: str, given: Arguments) -> bool:
    return text.strip().lower().startswith(str(given["prompt_to_repeat"]).strip().lower())


def _end_checker(text: str, given: Arguments) -> bool:
    return text.strip().strip('"').lower().endswith(str(given["end_phrase"]).strip().lower())


def _quotation(text: str, given: Arguments) -> bool:
    bare = text.strip()
    return len(bare) > 1 and bare[0] == bare[-1] == '"'


def _capital_word_frequency(text: str, given: Arguments) -> bool:
    wanted = int(given["capital_frequency"])
    return relation(_up_to(wanted, filter(str.isupper, _SHOUTED.findall(text))), wanted, given["capital_relation"])


def _english_capital(text: str, given: Arguments) -> bool:
    # short replies have no language that could be told; another language must be certain
    return text.isupper() and language_of(text) in (None, "en")


def _english_lowercase(text: str, given: Arguments) -> bool:
    return text.islower() and language_of(text) in (None, "en")


def _no_comma(text: str, given: Arguments) -> bool:
    return "," not in text


#: id -> (check, names of its arguments)
CHECKS: dict[str, tuple[Check, tuple[str, ...]]] = {
    "keywords:existence": (_keywords_exist, ("keywords",)),
    "keywords:frequency": (_keyword_frequency, ("keyword", "frequency", "relation")),
    "keywords:forbidden_words": (_forbidden_words, ("forbidden_words",)),
    "keywords:letter_frequency": (_letter_frequency, ("letter", "let_frequency", "let_relation")),
    "language:response_language": (_response_language, ("language",)),
    "length_constraints:number_sentences": (_number_sentences, ("num_sentences", "relation")),
    "length_constraints:number_paragraphs": (_number_paragraphs, ("num_paragraphs",)),
    "length_constraints:number_words": (_number_words, ("num_words", "relation")),
    "length_constraints:nth_paragraph_first_word": (
        _nth_paragraph_first_word,
        ("num_paragraphs", "nth_paragraph", "first_word"),
    ),
    "detectable_content:number_placeholders": (_number_placeholders, ("num_placeholders",)),
    "detectable_content:postscript": (_postscript, ("postscript_marker",)),
    "detectable_format:number_bullet_lists": (_number_bullets, ("num_bullets",)),
    "detectable_format:constrained_response": (_constrained_response, ()),
    "detectable_format:number_highlighted_sections": (_number_highlights, ("num_highlights",)),
    "detectable_format:multiple_sections": (_multiple_sections, ("section_spliter", "num_sections")),
    "detectable_format:json_format": (_json_format, ()),
    "detectable_format:title": (_title, ()),
    "combination:two_responses": (_two_responses, ()),
    "combination:repeat_prompt": (_repeat_prompt, ("prompt_to_repeat",)),
    "startend:end_checker": (_end_checker, ("end_phrase",)),
    "startend:quotation": (_quotation, ()),
    "change_case:capital_word_frequency": (_capital_word_frequency, ("capital_frequency", "capital_relation")),
    "change_case:english_capital": (_english_capital, ()),
    "change_case:english_lowercase": (_english_lowercase, ()),
    "punctuation:no_comma": (_no_comma, ()),
}
