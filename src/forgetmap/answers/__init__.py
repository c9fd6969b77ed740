"""Answers read out of model text: states, choices, numbers, open answers, questions.

Pure functions on text. Nothing here knows about logs, tables or models, and nothing evaluates what it reads.
"""

from forgetmap.answers.aliases import OpenMatch, gold_aliases, match_open
from forgetmap.answers.choice import extract_choice
from forgetmap.answers.cleaning import clean_reply
from forgetmap.answers.lists import literal_list
from forgetmap.answers.mmlu_pro import has_lone_letter, mmlu_pro_extract
from forgetmap.answers.numerals import gold_number, numbers_equal, parse_number
from forgetmap.answers.numeric import extract_number
from forgetmap.answers.options import letter_index, letters
from forgetmap.answers.questions import ParsedQuestion, after_last_question, parse_choices
from forgetmap.answers.states import ANSWER_STATES, AnswerState, Extraction

__all__ = [
    "ANSWER_STATES",
    "AnswerState",
    "Extraction",
    "OpenMatch",
    "ParsedQuestion",
    "after_last_question",
    "clean_reply",
    "extract_choice",
    "extract_number",
    "gold_aliases",
    "gold_number",
    "has_lone_letter",
    "letter_index",
    "letters",
    "literal_list",
    "match_open",
    "mmlu_pro_extract",
    "numbers_equal",
    "parse_choices",
    "parse_number",
]
