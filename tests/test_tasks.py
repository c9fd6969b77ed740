"""The table of tasks: names that are one task, names that are not, documents in the shapes lm-eval logs."""

import subprocess
import sys
from pathlib import Path

import pytest

from forgetmap import tasks
from forgetmap.tasks import CODES, Content, Document, canonical_task, known_task, known_tasks

CAPTRACK = [
    "mmlu_pro.subset", "mmlu_pro.rephrased", "truthfulqa.full", "winogrande.subset", "hellaswag.subset",
    "longbenchv2.full", "gsm8k.subset", "gsm8k.rephrased", "mgsm.subset", "popqa.subset", "xtreme.subset",
    "livemathbench.full", "humaneval.full", "mbpp.full", "math.subset", "supergpqa.subset",
    "hotpotqa.subset", "boolq.subset", "ragtruth.subset", "eli5.subset", "mmlu_pro.schema",
    "mmlu_pro.table_schema", "gsm8k.schema", "gsm8k.table_schema", "harmbench.subset", "ruler.4k",
    "ruler.32k", "mtbench.turn1", "oasst1.full", "mtbench.turn2", "structflowbench.turn2", "ifeval.subset",
    "followbench.subset", "bfcl.subset", "mnms.full", "hotpotqa.citation", "qasper.citation",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("leaderboard|mmlu:anatomy|5|0", "mmlu:anatomy"),
        ("original|mmlu:anatomy|5", "mmlu:anatomy"),
        ("helm|mmlu:anatomy|0|0", "mmlu:anatomy"),
        ("Custom|MMLU:Anatomy|0", "mmlu:anatomy"),
        ("mmlu:anatomy|5", "mmlu:anatomy"),
        ("mmlu_anatomy", "mmlu:anatomy"),
        ("MMLU/anatomy", "mmlu:anatomy"),
        ("hendrycksTest-anatomy", "mmlu:anatomy"),
        ("mmlu:subject=anatomy,method=multiple_choice_joint", "mmlu:anatomy"),
        ("arc_easy", "arc:easy"),
        ("ARC-Easy", "arc:easy"),
        ("ARC-Challenge", "arc:challenge"),
        ("helm|commonsenseqa|0|0", "commonsense_qa"),
        ("siqa|0", "social_iqa"),
        ("super_glue:boolq|0", "boolq"),
        ("harness|bbh:causal_judgment|3|0", "bbh:causal_judgment"),
        ("bbh/causal_judgement", "bbh:causal_judgment"),
        ("lighteval|gpqa:diamond|0", "gpqa:diamond"),
        ("inspect_evals/gpqa_diamond", "gpqa:diamond"),
        ("truthfulqa_mc1", "truthfulqa:mc1"),
        ("mmlu_pro_math", "mmlu_pro:math"),
        ("hendrycks_math_counting_and_prob", "math:counting_and_probability"),
        ("hendrycks_math500", "math_500"),
        ("extended|ifeval|0|0", "ifeval"),
        ("gsm8k_subset", "gsm8k.subset"),
    ],
)
def test_other_spellings_are_the_same_task(name: str, canonical: str) -> None:
    profile = known_task(name)
    assert profile is not None
    assert (profile.name, profile.canonical, profile.is_variant) == (canonical, canonical, False)
    assert canonical_task(name) == canonical


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("bbh_cot_fewshot_navigate", "bbh:navigate"),
        ("bbh_zeroshot_causal_judgement", "bbh:causal_judgment"),
        ("leaderboard_bbh_navigate", "bbh:navigate"),
        ("bigbench_hard:navigate", "bbh:navigate"),
        ("bigbench_formal_fallacies_syllogisms_negation_multiple_choice", "bbh:formal_fallacies"),
        ("mmlu_anatomy_generative", "mmlu:anatomy"),
        ("mmlu_generative_anatomy", "mmlu:anatomy"),
        ("mmlu_continuation_anatomy", "mmlu:anatomy"),
        ("mmlu_flan_cot_zeroshot_anatomy", "mmlu:anatomy"),
        ("gpqa_diamond_zeroshot", "gpqa:diamond"),
        ("gpqa_diamond_cot_zeroshot", "gpqa:diamond"),
        ("leaderboard_musr_team_allocation", "musr:team_allocation"),
        ("leaderboard_mmlu_pro", "mmlu_pro"),
        ("gsm8k_cot", "gsm8k"),
        ("minerva_math_precalc", "math:precalculus"),
        ("truthfulqa:mc", "truthfulqa:mc1"),
        ("arc_challenge_chat", "arc:challenge"),
        ("leaderboard_ifeval", "ifeval"),
    ],
)
def test_a_variant_keeps_its_own_name(name: str, of: str) -> None:
    assert canonical_task(name) == name
    profile = known_task(f"custom|{name}|0|0")
    assert profile is not None
    assert (profile.name, profile.canonical, profile.is_variant) == (name, of, True)


@pytest.mark.parametrize(
    "name",
    [
        "arc_easy_mt_de", "arc_challenge_mt_de", "arc_agi_2", "mmlu_pro_plus_math",
        "mmlu_redux_anatomy_generative", "mmlu_de_llama_anatomy", "mmmlu_de_de_anatomy",
        "mmlusr_question_only_anatomy", "global_mmlu_full_de_anatomy", "gsm8k_rephrased_cot", "gsm_plus",
        "ifeval_es", "truthfulqa-multi_mc1_es", "truthfulqa_mc1_de", "hellaswag_de", "boolq:contrastset",
        "piqa_eu", "winogrande_gender", "navigate", "snarks", "anatomy", "my_task",
    ],
)  # fmt: skip
def test_near_misses_stay_unknown_and_unchanged(name: str) -> None:
    assert known_task(name) is None
    assert canonical_task(name) == name


def test_names_that_look_alike_stay_apart() -> None:
    assert canonical_task("gsm8k_rephrased") == "gsm8k.rephrased"
    assert canonical_task("truthfulqa_mc2") == "truthfulqa:mc2"
    assert canonical_task("gsm8k_platinum") == "gsm8k_platinum"
    # the suite decides: BIG-bench's Social IQa is a rewrite
    assert canonical_task("helm|social_iqa|0") == "social_iqa"
    assert canonical_task("bigbench|social_iqa|0") == canonical_task("bigbench:social_iqa|0") == "bigbench:social_iqa"
    assert canonical_task("bigbench|navigate|3|0") == "bigbench:navigate"


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("custom|My Task|0|0", "My Task"),
        ("community|arabic_mmlu:x|5", "arabic_mmlu:x"),
        ("unheard-of|task|5", "unheard-of|task"),  # not a suite of lighteval: part of the name
        ("task|v2", "task|v2"),
        ("leaderboard|", "leaderboard|"),
        ("|0", "|0"),
        ("", ""),
    ],
)
def test_unknown_names_lose_only_suite_and_shots(name: str, left: str) -> None:
    assert canonical_task(name) == left


def test_every_spelling_leads_home_and_no_further() -> None:
    profiles = known_tasks()
    assert len({profile.name for profile in profiles}) == len(profiles)
    for profile in profiles:
        for spelling in (profile.name, *profile.aliases):
            assert canonical_task(spelling) == profile.name, spelling
            assert canonical_task(spelling.upper()) == profile.name, spelling
            assert canonical_task(f"lighteval|{spelling}|3|0") == profile.name or spelling.startswith("bigbench|")
    for profile in set(tasks._table().values()):
        assert canonical_task(profile.name) == profile.name
        assert known_task(profile.canonical) in profiles, f"{profile.name} is a variant of nothing"


def test_table_has_the_families_whole() -> None:
    names = {profile.name for profile in known_tasks()}
    count = {
        prefix: sum(name.startswith(prefix) for name in names) for prefix in ("mmlu:", "bbh:", "musr:", "mmlu_pro:")
    }
    assert count == {"mmlu:": 57, "bbh:": 27, "musr:": 3, "mmlu_pro:": 14}
    assert len(CAPTRACK) == 37
    assert names.issuperset(CAPTRACK)
    for name in CAPTRACK:  # files of its tool have underscores
        assert canonical_task(name.replace(".", "_")) == name


def test_two_tasks_cannot_claim_one_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tasks.yaml").write_text("- task: one\n  aliases: [Same-Name]\n- task: same_name\n")
    monkeypatch.setattr(tasks, "__file__", str(tmp_path / "tasks.py"))
    with pytest.raises(ValueError, match="'same_name' is 'same_name' and 'one'"):
        tasks._table.__wrapped__()


def test_importing_reads_no_yaml() -> None:
    code = "import sys, tasks; assert not {'yaml', 'pydantic', 'polars'} & set(sys.modules), 'too early'"
    folder = Path(tasks.__file__).parent
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


MMLU = {
    "question": "Which bone?",
    "subject": "anatomy",
    "choices": ["Talus", "Cuboid", "Rib", "Jaw"],
    "answer": 2,
}
ARC = {
    "id": "M1",
    "question": "Why?",
    "choices": {"text": ["a", "b", "c"], "label": ["1", "2", "3"]},
    "answerKey": "3",
}
GPQA = {"Question": "Q?", "choice1": "w", "choice2": "x", "choice3": "y", "choice4": "z", "answer": "(B)"}
SNARKS = {
    "input": "Which is sarcastic?\nOptions:\n(A) Yes, a huge waste\n(B) Yes, a huge deal",
    "target": "(B)",
}
NAVIGATE = {"input": "Do you return?\nTurn left.\nOptions:\n- Yes\n- No", "target": "No"}
MUSR = {
    "narrative": "A story.",
    "question": "Who?",
    "choices": "['Al', 'Bo']",
    "answer_index": 1,
    "answer_choice": "Bo",
}
TRUTHFUL = {
    "question": "Q?",
    "mc1_targets": {"choices": ["t", "f", "g"], "labels": [1, 0, 0]},
    "mc2_targets": {"choices": ["t", "u", "f"], "labels": [1, 1, 0]},
}


@pytest.mark.parametrize(
    ("task", "document", "content"),
    [
        ("mmlu_anatomy", MMLU, Content("Which bone?", ("Talus", "Cuboid", "Rib", "Jaw"), ("Rib",), (2,))),
        (
            "mmlu_flan_cot_zeroshot_anatomy",
            MMLU,
            Content("Which bone?", tuple(MMLU["choices"]), ("Rib",), (2,)),
        ),
        ("arc_challenge", ARC, Content("Why?", ("a", "b", "c"), ("c",), (2,))),
        ("gpqa_diamond_cot_zeroshot", GPQA, Content("Q?", ("w", "x", "y", "z"), ("x",), (1,))),
        (
            "gsm8k",
            {"question": "How many?", "answer": "6*200=1200\n#### 1,200"},
            Content("How many?", None, ("1200",), ()),
        ),
        ("gsm8k_cot", {"question": "How many?", "answer": "18"}, Content("How many?", None, ("18",), ())),
        ("gsm8k", {"question": "How many?", "answer": "no number"}, Content("How many?", None, None, ())),
        (
            "hellaswag",
            {
                "query": "Cooking: He",
                "choices": ["e1", "e2", "e3", "e4"],
                "gold": 3,
                "ctx": "raw",
                "endings": ["r"] * 4,
            },
            Content("Cooking: He", ("e1", "e2", "e3", "e4"), ("e4",), (3,)),
        ),
        (
            "piqa",
            {"goal": "Open it", "sol1": "pull", "sol2": "push", "label": 1},
            Content("Open it", ("pull", "push"), ("push",), (1,)),
        ),
        (
            "piqa",
            {"goal": "Open it", "sol1": "pull", "sol2": "push", "label": -1},
            Content("Open it", ("pull", "push"), None, ()),
        ),
        (
            "social_iqa",
            {
                "context": "Al fell.",
                "question": "Why?",
                "answerA": "a",
                "answerB": "b",
                "answerC": "c",
                "label": "1",
            },
            Content("Al fell.\nWhy?", ("a", "b", "c"), ("a",), (0,)),
        ),
        (
            "commonsense_qa",
            {"question": "Q", "choices": {"text": list("vwxyz"), "label": list("ABCDE")}, "answerKey": "E"},
            Content("Q", tuple("vwxyz"), ("z",), (4,)),
        ),
        (
            "winogrande",
            {"sentence": "Al hit Bo, so _ cried.", "option1": "Al", "option2": "Bo", "answer": "2"},
            Content("Al hit Bo, so _ cried.", ("Al", "Bo"), ("Bo",), (1,)),
        ),
        (
            "boolq",
            {"passage": "P.", "question": "q", "idx": 3, "label": 1},
            Content("P.\nq", ("no", "yes"), ("yes",), (1,)),
        ),
        ("truthfulqa_mc1", TRUTHFUL, Content("Q?", ("t", "f", "g"), ("t",), (0,))),
        ("truthfulqa_mc2", TRUTHFUL, Content("Q?", ("t", "u", "f"), ("t", "u"), (0, 1))),
        (
            "openbookqa",
            {
                "question_stem": "Sun is",
                "choices": {"text": ["hot", "cold"], "label": ["A", "B"]},
                "answerKey": " A",
            },
            Content("Sun is", ("hot", "cold"), ("hot",), (0,)),
        ),
        (
            "sciq",
            {
                "support": "",
                "question": "Q?",
                "distractor1": "a",
                "distractor2": "b",
                "distractor3": "c",
                "correct_answer": "d",
            },
            Content("Q?", ("a", "b", "c", "d"), ("d",), (3,)),
        ),
        (
            "mmlu_pro_math",
            {"question": "Q?", "options": list("abcdefghij"), "answer": "J"},
            Content("Q?", tuple("abcdefghij"), ("j",), (9,)),
        ),
        (
            "score_option_order_robustness_mmlu_pro",
            {"question": "Q?", "options": ["right", "b"], "answer": "B", "answer_index": 0},
            Content("Q?", ("right", "b"), ("right",), (0,)),
        ),
        (
            "mmlu_pro_math",
            {"question": "Q?", "options": ["a", "b"], "answer": "J"},
            Content("Q?", ("a", "b"), None, ()),
        ),
        (
            "bbh_zeroshot_snarks",
            SNARKS,
            Content("Which is sarcastic?", ("Yes, a huge waste", "Yes, a huge deal"), ("Yes, a huge deal",), (1,)),
        ),
        (
            "leaderboard_bbh_navigate",
            NAVIGATE,
            Content("Do you return?\nTurn left.", ("Yes", "No"), ("No",), (1,)),
        ),
        (
            "bbh:boolean_expressions",
            {"input": "not True is", "target": "False"},
            Content("not True is", ("True", "False"), ("False",), (1,)),
        ),
        (
            "bbh:web_of_lies",
            {"input": "Does Al lie?", "target": "No"},
            Content("Does Al lie?", ("yes", "no"), ("no",), (1,)),
        ),
        (
            "bbh:object_counting",
            {"input": "I have a cow. How many?", "target": "1"},
            Content("I have a cow. How many?", None, ("1",), ()),
        ),
        (
            "bigbench_navigate_multiple_choice",
            {"idx": 1, "inputs": "Q", "targets": ["False"], "multiple_choice_targets": ["True", "False"]},
            Content("Q", ("True", "False"), ("False",), (1,)),
        ),
        ("leaderboard_musr_murder_mysteries", MUSR, Content("A story.\nWho?", ("Al", "Bo"), ("Bo",), (1,))),
        (
            "minerva_math_algebra",
            {"problem": "Solve.", "solution": r"so $\boxed{\frac12}$", "answer": r"\frac12"},
            Content("Solve.", None, (r"\frac12",), ()),
        ),
        (
            "triviaqa",
            {"question": "Who?", "answer": {"value": "Bo", "aliases": ["Bo", "B."]}},
            Content("Who?", None, ("Bo",), ()),
        ),
        (
            "mgsm_direct_de",
            {"question": "Wie viele?", "answer": None, "answer_number": 18},
            Content("Wie viele?", None, ("18",), ()),
        ),
        (
            "ifeval",
            {"key": 1, "prompt": "Write.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},
            Content("Write.", None, ("punctuation:no_comma",), ()),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_documents_give_question_options_and_gold(task: str, document: dict, content: Content) -> None:
    profile = known_task(task)
    assert profile is not None and profile.document is not None
    assert profile.document.content(document) == content


@pytest.mark.parametrize(
    ("task", "document"),
    [
        ("mmlu:anatomy", {"query": "old shape", "choices": ["a", "b"], "gold": 0}),
        ("mmlu:anatomy", {"question": "Q?", "choices": None, "answer": 0}),
        ("mmlu:anatomy", {"question": None, "choices": ["a", "b"], "answer": 0}),
        ("arc:easy", {"question": "Q?", "choices": ["a", "b"], "answerKey": "A"}),
        ("social_iqa", {"context": "c", "question": "q", "answerA": "a", "answerB": "b", "label": "1"}),
        (
            "musr:team_allocation",
            {"narrative": "n", "question": "q", "choices": "not a list", "answer_choice": "x"},
        ),
        ("gsm8k", {"question": "  ", "answer": "#### 3"}),
    ],
)
def test_a_document_of_another_shape_is_not_guessed_at(task: str, document: dict) -> None:
    profile = known_task(task)
    assert profile is not None and profile.document is not None
    assert profile.document.content(document) is None


@pytest.mark.parametrize("value", ["", "x", -1, 4, 1.5, None, "-1"])
def test_an_index_that_points_nowhere_is_no_gold(value: object) -> None:
    content = Document(("q",), ("o",), gold="g", coded="index").content({"q": "Q", "o": list("abcd"), "g": value})
    assert content == Content("Q", tuple("abcd"), None, ())


@pytest.mark.parametrize("value", [2, "2", 2.0, " 2 "])
def test_an_index_may_be_number_or_text(value: object) -> None:
    content = Document(("q",), ("o",), gold="g", coded="index").content({"q": "Q", "o": list("abcd"), "g": value})
    assert content is not None and content.gold_index == (2,)


def test_lists_may_be_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    document = {"question": "Q?", "choices": numpy.array(["a", "b"]), "answer": numpy.int64(1)}
    profile = known_task("mmlu:anatomy")
    assert profile is not None and profile.document is not None
    assert profile.document.content(document) == Content("Q?", ("a", "b"), ("b",), (1,))


def test_option_lines_belong_to_the_last_options_heading() -> None:
    shape = Document(("input",), options_in_question=True, gold="target", coded="letter")
    text = "Options:\nare discussed.\n(A) is not one\nOptions:\n(A) one\n(B) two"
    assert shape.content({"input": text, "target": "(A)"}) == Content(
        "Options:\nare discussed.\n(A) is not one", ("one", "two"), ("one",), (0,)
    )
    assert shape.content({"input": "No options here", "target": "(A)"}) == Content("No options here", None, None, ())


def test_profiles_use_known_codes() -> None:
    documents = {profile.document for profile in tasks._table().values() if profile.document}
    assert {document.coded for document in documents} <= set(CODES)
    assert len(documents) >= 20
