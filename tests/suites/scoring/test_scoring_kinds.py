"""What each kind of scoring makes of an answer."""

from __future__ import annotations

from math import inf, nan
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_parts import Item, Rated, Rendered, Written, first, scores, task, values

from forgetmap.answers import letters
from forgetmap.errors import MissingDataError, UsageError
from forgetmap.suites.scoring import KINDS, Scored, score

COLOURS = ("red", "green", "blue")


def rated(
    logprobs: tuple[float, ...],
    *,
    continuations: tuple[str, ...] = (" red", " green", " blue"),
    shown: tuple[int, ...] | None = None,
    normalise: str = "none",
) -> list[Scored]:
    item = Item("?", COLOURS, ("green",))
    return score(task("likelihood", normalise), item, Rendered("rate", continuations, shown), Rated(logprobs))


class TestLikelihood:
    def test_the_likeliest_option_is_the_choice(self) -> None:
        found = rated((-3.0, -1.0, -2.0))
        assert found[0] == Scored("likelihood", "acc", 1.0, "green", 1, "answered", None)
        assert [one.metric for one in found] == ["acc", "acc_norm", "acc_bytes"]

    def test_places_shown_are_mapped_back(self) -> None:
        # blue, red, green were shown; the third place is likeliest
        found = rated((-3.0, -2.0, -1.0), continuations=(" blue", " red", " green"), shown=(2, 0, 1))
        assert (found[0].choice, found[0].choice_index, found[0].score) == ("green", 1, 1.0)

    @pytest.mark.parametrize(("normalise", "metric"), [("none", "acc"), ("length", "acc_norm"), ("bytes", "acc_bytes")])
    def test_the_tasks_own_metric_comes_first(self, normalise: str, metric: str) -> None:
        assert next(one.metric for one in rated((-3.0, -1.0, -2.0), normalise=normalise)) == metric

    def test_characters_and_bytes_without_the_leading_blank(self) -> None:
        # per character: -3/3, -4/5, -3.6/4; the blank would make it -3/4, -4/6, -3.6/5 with the same order of a tie
        by_metric = {one.metric: one.choice for one in rated((-3.0, -4.0, -3.6))}
        assert by_metric == {"acc": "red", "acc_norm": "green", "acc_bytes": "green"}
        wide = {one.metric: one.choice for one in rated((-3.0, -2.9, -5.0), continuations=(" ééé", " abc", " xy"))}
        assert wide == {"acc": "green", "acc_norm": "green", "acc_bytes": "red"}

    def test_of_equals_the_first_shown_is_taken_and_it_is_no_error(self) -> None:
        found = rated((-1.0, -1.0, -2.0))
        assert (found[0].choice, found[0].error, found[0].state) == ("red", None, "answered")
        turned = rated((-1.0, -1.0, -2.0), continuations=(" green", " red", " blue"), shown=(1, 0, 2))
        assert turned[0].choice == "green"

    @pytest.mark.parametrize("broken", [(nan, -1.0, -2.0), (inf, -1.0, -2.0), (-inf, -inf, -inf)])
    def test_numbers_that_are_none_are_an_error_not_a_choice(self, broken: tuple[float, ...]) -> None:
        assert {(one.score, one.state) for one in rated(broken)} == {(None, "error")}

    def test_an_impossible_option_is_allowed(self) -> None:
        assert rated((-inf, -1.0, -2.0))[0].choice == "green"

    def test_a_count_that_does_not_fit_is_refused(self) -> None:
        with pytest.raises(MissingDataError, match="2 log-likelihoods of 3"):
            rated((-1.0, -2.0))

    @given(st.permutations(range(3)))
    def test_the_order_shown_changes_nothing(self, order: list[int]) -> None:
        logprobs = (-3.0, -1.0, -2.5)
        found = rated(
            tuple(logprobs[place] for place in order),
            continuations=tuple(f" {COLOURS[place]}" for place in order),
            shown=tuple(order),
        )
        assert found == rated(logprobs)


def chosen(reply: str | Written, **more: object) -> tuple[str | None, int | None, float | None, str]:
    labels = more.pop("labels", letters(3))
    one = first("letter", reply, options=COLOURS, gold=("green",), labels=labels, **more)
    return one.choice, one.choice_index, one.score, one.state


class TestLetter:
    @pytest.mark.parametrize(
        "reply", ["B", "(B)", " B.", "Answer: **B**", "B. green", "green", "I say A... no.\nAnswer: B"]
    )
    def test_forms_of_a_right_answer(self, reply: str) -> None:
        assert chosen(reply) == ("green", 1, 1.0, "answered")

    @pytest.mark.parametrize("reply", ["Z", "7", "B or C", "I do not know these colours at all."])
    def test_no_answer_is_scored_and_named(self, reply: str) -> None:
        assert chosen(reply) == (None, None, 0.0, "no_answer")

    def test_a_limit_before_the_answer(self) -> None:
        assert chosen(Written("Let us think about colours, first", "length"))[3] == "truncated"
        assert chosen(Written("B", "length")) == ("green", 1, 1.0, "answered")

    def test_thoughts_are_no_answer(self) -> None:
        assert chosen("<think>Answer: A</think>B")[0] == "green"
        assert chosen(Written("<think>The answer is B, because", "length"))[2:] == (0.0, "truncated")

    def test_letters_stand_for_places_shown(self) -> None:
        assert chosen("A", shown=(1, 2, 0)) == ("green", 1, 1.0, "answered")
        assert chosen("B", shown=(1, 2, 0)) == ("blue", 2, 0.0, "answered")

    @pytest.mark.parametrize("reply", ["2", "2.", "(2)", "Answer: 2", "2. green", "green", "The answer is green."])
    def test_digits(self, reply: str) -> None:
        assert chosen(reply, labels=("1", "2", "3")) == ("green", 1, 1.0, "answered")

    @pytest.mark.parametrize("reply", ["4", "0", "Answer: 12", "B", "2 or 3, I think", "2. red"])
    def test_no_digit_shown(self, reply: str) -> None:
        assert chosen(reply, labels=("1", "2", "3"))[2:] == (0.0, "no_answer")

    def test_without_labels_only_texts_count(self) -> None:
        assert chosen("green", labels=None)[2] == 1.0
        assert chosen("B", labels=None)[3] == "no_answer"

    def test_a_likelihood_task_that_was_written_is_scored_by_letter(self) -> None:
        item = Item("?", COLOURS, ("green",))
        found = score(task("likelihood"), item, Rendered("write", None, None, letters(3)), [Written("B")])
        assert (found[0].scorer, found[0].score) == ("letter", 1.0)


class TestExactAndOpen:
    @pytest.mark.parametrize(
        ("reply", "right"),
        [("Paris", 1), (" paris. ", 1), ("Thinking...\nAnswer: Paris", 1), ("the Paris", 1), ("Paris, France", 0), ("It is Paris", 0)],
    )  # fmt: skip
    def test_exact(self, reply: str, right: float) -> None:
        assert values("exact", reply, gold=("Paris",)) == {"exact": right}

    def test_open(self) -> None:
        assert values("open", "It is Paris, I think.", gold=("Paris",)) == {"match": 1, "exact": 0, "f1": 1 / 3}
        assert values("open", "Paris", gold=("Paris",)) == {"match": 1, "exact": 1, "f1": 1}
        assert values("open", "Novak Djokovic", gold=("no",))["match"] == 0
        assert values("open", "Lutetia", gold=("Paris",), aliases=["Lutetia"])["match"] == 1

    def test_states(self) -> None:
        for kind in ("exact", "open"):
            assert first(kind, " \n", gold=("Paris",)).state == "empty"
            assert first(kind, Written("The city that", "length"), gold=("Paris",)).state == "truncated"
            assert first(kind, Written("Paris", "length"), gold=("Paris",)).state == "answered"
            missing = first(kind, "Paris")
            assert (missing.score, missing.state) == (None, "unscored")


class TestNumber:
    @pytest.mark.parametrize(
        ("reply", "right"),
        [
            ("So 1,300 in all.", 1),
            ("1200", 0),
            ("#### 1300", 1),
            ("Answer: 5? No. Answer: $1,300.00", 1),
            ("1,300.5", 0),
            ("1", 0),
        ],
    )
    def test_values(self, reply: str, right: float) -> None:
        assert values("number", reply, gold=("10 * 130\n#### 1,300",)) == {"acc": right}

    def test_language(self) -> None:
        assert values("number", "Die Antwort lautet 1.300,50 €.", gold=("1300.5",), language="de") == {"acc": 1}
        assert values("number", "Die Antwort lautet 1.300,50 €.", gold=("1.3",), language="de") == {"acc": 0}

    def test_a_step_of_a_cut_reply_is_no_answer(self) -> None:
        cut = first("number", Written("First 3 + 4 = 7, then 7 * 2 = 14, then", "length"), gold=("14",))
        assert (cut.score, cut.state, cut.choice) == (0.0, "truncated", None)
        assert first("number", Written("14 apples are", "length"), gold=("14",)).score == 1
        assert first("number", Written("3+4. Answer: 14. Because 3", "length"), gold=("14",)).score == 1

    def test_states(self) -> None:
        assert first("number", "no idea", gold=("1",)).state == "no_answer"
        assert first("number", "5", gold=("five",)).state == "unscored"


class TestRefusal:
    def test_declines_what_it_must(self) -> None:
        declined = scores("refusal", "I can\u2019t help with that.", expected="refuse")
        assert {name: one.score for name, one in declined.items()} == {"expected": 1, "refused": 1}
        assert declined["expected"].state == "answered"
        assert values("refusal", "Sure! First, take", expected="refuse") == {"expected": 0, "refused": 0}

    def test_does_what_it_may(self) -> None:
        declined = scores("refusal", "I'm sorry, but I can't help with that.", expected="answer")
        assert declined["expected"].score == 0
        assert declined["expected"].state == "refused"
        assert values("refusal", "1234", expected="answer") == {"expected": 1, "refused": 0}
        assert values("refusal", "Unfortunately the sea is cold.", expected="answer")["expected"] == 1

    @pytest.mark.parametrize("expected", ["refuse", "answer"])
    def test_silence_is_neither(self, expected: str) -> None:
        one = first("refusal", " ", expected=expected)
        assert (one.score, one.state) == (0.0, "empty")

    def test_the_expectation_must_be_known(self) -> None:
        with pytest.raises(MissingDataError, match="'maybe'"):
            scores("refusal", "x", expected="maybe")
        with pytest.raises(MissingDataError, match="no fact 'expected'"):
            scores("refusal", "x")


class TestRecall:
    @pytest.mark.parametrize(
        ("reply", "exact", "found", "state"),
        [
            ("7654321", 1, 1, "answered"),
            ("The number is 7,654,321.", 1, 1, "answered"),
            ("7654321 or 7654322", 0, 1, "partial"),
            ("7654322", 0, 0, "answered"),  # one digit off: no partial credit
            ("17654321", 0, 0, "answered"),  # inside a longer number
            ("It is one of the 2 numbers.", 0, 0, "no_answer"),
            ("", 0, 0, "empty"),
        ],
    )
    def test_one_number(self, reply: str, exact: float, found: float, state: str) -> None:
        result = scores("recall", reply, gold=("7654321",), pattern="number")
        assert (result["exact"].score, result["found"].score, result["exact"].state) == (exact, found, state)

    def test_several_numbers(self) -> None:
        needles = ["1111111", "2222222"]
        assert values("recall", "2222222 and 1111111", needles=needles) == {"exact": 1, "found": 1}
        part = scores("recall", "2222222", needles=needles)
        assert (part["exact"].score, part["found"].score, part["exact"].state) == (0, 0.5, "partial")

    def test_short_needles(self) -> None:
        assert values("recall", "The 2 codes: 4711, 4712", needles=["4711", "4712"])["exact"] == 1

    @pytest.mark.parametrize(
        ("reply", "exact", "state"),
        [
            ("apple, plum", 1, "answered"),
            ("The words are: plum and apple.", 1, "answered"),
            ("- Apple\n- Plum\nI hope that this helps you.", 1, "answered"),
            ("apple, pear, plum", 0, "partial"),
            ("apple", 0, "partial"),
            ("pineapple, plums", 0, "answered"),
            ("pear", 0, "answered"),
        ],
    )
    def test_words(self, reply: str, exact: float, state: str) -> None:
        one = first("recall", reply, needles=["apple", "plum"], pattern="word")
        assert (one.score, one.state) == (exact, state)

    def test_words_with_known_others(self) -> None:
        known = {"needles": ["apple"], "others": ["pear"], "pattern": "word"}
        assert values("recall", "It was the apple, sir", **known)["exact"] == 1
        assert first("recall", "apple or pear", **known).state == "partial"

    def test_the_pattern_must_be_known(self) -> None:
        with pytest.raises(MissingDataError, match="'digits'"):
            scores("recall", "x", gold=("1",), pattern="digits")


class TestCitation:
    titles = ("Paris, Texas", "Rome", "Oslo", "Lima")

    def cite(self, reply: str, **more: object) -> dict[str, float | None]:
        given = {"titles": self.titles, "sources": ["Paris, Texas", "Rome"], "gold": ("1987",), **more}
        return values("citation", reply, **given)

    def test_all_and_only(self) -> None:
        full = {"exact": 1, "format": 1, "precision": 1, "recall": 1, "f1": 1, "acc": 1}
        assert self.cite("It was 1987 [Paris, Texas] [Rome].") == full
        assert self.cite("It was 1987 [rome; PARIS, TEXAS].") == full

    def test_citing_everything_does_not_pay(self) -> None:
        found = self.cite("1987 [Paris, Texas; Rome; Oslo; Lima]")
        assert (found["exact"], found["precision"], found["recall"]) == (0, 0.5, 1)

    def test_strange_sources_cost_precision(self) -> None:
        assert self.cite("1987 [Rome] [Berlin]")["precision"] == 0.5

    def test_other_brackets_are_no_citation(self) -> None:
        found = self.cite("It was 1987 (Rome).")
        assert (found["format"], found["precision"], found["recall"], found["acc"]) == (0, None, 0, 1)
        assert self.cite("It was 1987 (Rome).", form="parentheses")["recall"] == 0.5

    def test_containment_is_no_match(self) -> None:
        assert self.cite("1987 [e] [1]")["recall"] == 0

    def test_near_titles(self) -> None:
        found = values("citation", "[The Battle of Long Island]", titles=["Battle of Long Island", "Rome"], sources=["Battle of Long Island"])  # fmt: skip
        assert found["exact"] == 1

    def test_numbers(self) -> None:
        assert self.cite("1987 [1][2]", numbered=True)["exact"] == 1
        assert self.cite("1987 [1, 2]", numbered=True)["exact"] == 1
        assert self.cite("1987 [1] [9]", numbered=True)["precision"] == 0.5

    def test_the_answer_is_not_read_from_a_citation(self) -> None:
        assert self.cite("[Rome]", gold=("Rome",))["acc"] == 0

    def test_fields_of_hotpotqa(self) -> None:
        found = values(
            "citation", "[Rome]", context_titles=list(self.titles), supporting_facts={"title": ["Rome"], "sent_id": [0]}
        )
        assert found["exact"] == 1
        assert found["acc"] is None


class TestTurns:
    checks = ({"id": "punctuation:no_comma"},)

    def test_the_last_reply_is_checked(self) -> None:
        replies = [Written("One, two"), Written("One two")]
        assert values("turns", replies, turns=["Again, without commas"], checks=self.checks) == {
            "last_turn": 1,
            "followed": 1,
        }
        assert values("turns", replies[::-1], turns=["Again"], checks=self.checks)["last_turn"] == 0

    def test_checks_and_golds_must_both_hold(self) -> None:
        given = {"turns": ["And now?"], "checks": self.checks, "gold": ("Ada",)}
        assert values("turns", [Written("Hi"), Written("It is Ada")], **given) == {
            "last_turn": 1,
            "followed": 1,
            "named": 1,
        }
        assert values("turns", [Written("Hi"), Written("It is Ada, yes")], **given)["last_turn"] == 0
        assert values("turns", [Written("Hi"), Written("It is Bo")], **given) == {
            "last_turn": 0,
            "followed": 1,
            "named": 0,
        }

    def test_replies_must_fit_the_turns(self) -> None:
        with pytest.raises(MissingDataError, match="1 replies to 2 turns"):
            scores("turns", "x", turns=["And now?"], checks=self.checks)

    def test_something_must_be_asked(self) -> None:
        with pytest.raises(MissingDataError, match="neither checks nor gold"):
            scores("turns", "x")

    def test_an_error_in_any_turn_is_an_error(self) -> None:
        replies = [Written("", "error: the server is gone"), Written("ok")]
        one = first("turns", replies, turns=["?"], checks=self.checks)
        assert (one.score, one.state, one.error) == (None, "error", "error: the server is gone")


class TestDispatch:
    @pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "likelihood"])
    def test_an_engine_that_failed_is_missing_not_wrong(self, kind: str) -> None:
        found = scores(kind, Written("B", "error: out of memory"), allow_code=True)
        assert tuple(found) == KINDS[kind].metrics
        assert {(one.score, one.state, one.error) for one in found.values()} == {
            (None, "error", "error: out of memory")
        }

    def test_an_unknown_kind_is_refused(self) -> None:
        with pytest.raises(UsageError, match="'vibes'"):
            scores("vibes", "x")

    def test_ratings_of_a_written_kind_are_refused(self) -> None:
        with pytest.raises(UsageError, match="'number'"):
            score(task("number"), Item(), Rendered("rate", ("a",)), Rated((-1.0,)))

    def test_settings_of_the_task_serve_all_items(self) -> None:
        item = SimpleNamespace(native_id="1", question="", options=None, gold=("1300.5",), facts={})
        found = score(task("number", language="de"), item, Rendered(), [Written("Antwort: 1.300,50")])
        assert found[0].score == 1
