"""Taxonomies: every task of the papers in its one category, under every engine's name for it."""

from pathlib import Path

import pytest

from forgetmap.errors import TaxonomyError
from forgetmap.tasks import canonical_task, known_tasks
from forgetmap.taxonomies import Place, Taxonomy, load_taxonomy, taxonomy_names

NOWHERE = Place(None, None)

# The paper's table of tasks, written out again from the paper: MMLU subjects, BBH subjects and the rest.
MMLU = {
    "Logic": "logical_fallacies",
    "Knowledge/QA": "miscellaneous global_facts",
    "Liberal Arts": """world_religions us_foreign_policy sociology security_studies public_relations
        professional_psychology professional_law prehistory philosophy management international_law
        high_school_world_history high_school_us_history high_school_psychology
        high_school_microeconomics high_school_macroeconomics high_school_government_and_politics
        high_school_geography high_school_european_history""",
    "Math": """high_school_statistics high_school_mathematics formal_logic elementary_mathematics econometrics
        college_mathematics abstract_algebra""",
    "Safety/Truth": "moral_scenarios moral_disputes jurisprudence business_ethics",
    "Science/Tech": """marketing virology professional_medicine professional_accounting nutrition
        medical_genetics machine_learning human_sexuality human_aging high_school_physics
        high_school_computer_science high_school_chemistry high_school_biology
        electrical_engineering conceptual_physics computer_security college_physics
        college_medicine college_computer_science college_chemistry college_biology
        clinical_knowledge astronomy anatomy""",
}
BBH = {
    "Culture": "sports_understanding movie_recommendation",
    "Logic": """navigate causal_judgment web_of_lies formal_fallacies tracking_shuffled_objects_three_objects
        tracking_shuffled_objects_five_objects tracking_shuffled_objects_seven_objects
        logical_deduction_three_objects logical_deduction_five_objects logical_deduction_seven_objects
        temporal_sequences penguins_in_a_table date_understanding reasoning_about_colored_objects""",
    "Knowledge/QA": "object_counting",
    "Language": "snarks hyperbaton disambiguation_qa ruin_names salient_translation_error_detection",
    "Math": "geometric_shapes boolean_expressions",
}
OTHERS = {  # (category, canonical name): spellings in lm-eval and lighteval
    ("Common Sense", "commonsense_qa"): ["commonsense_qa", "helm|commonsenseqa|0|0", "commonsenseqa|0"],
    ("Common Sense", "piqa"): ["piqa", "lighteval|piqa|0|0", "piqa|0"],
    ("Logic", "arc:easy"): ["arc_easy", "lighteval|arc:easy|0|0"],
    ("Logic", "arc:challenge"): [
        "arc_challenge",
        "arc_challenge_chat",
        "leaderboard|arc:challenge|25|0",
        "arc:c:letters",
    ],
    ("Logic", "musr:murder_mysteries"): [
        "leaderboard_musr_murder_mysteries",
        "lighteval|musr:murder_mysteries|0|0",
    ],
    ("Logic", "musr:object_placements"): ["leaderboard_musr_object_placements", "musr:object_placements|0"],
    ("Logic", "musr:team_allocation"): ["leaderboard_musr_team_allocation", "musr:team_allocation|0"],
    ("Knowledge/QA", "mctest"): ["mctest", "custom|mctest|0|0"],
    ("Language", "social_iqa"): ["social_iqa", "helm|siqa|0|0", "siqa|0"],
    ("Language", "hellaswag"): ["hellaswag", "leaderboard|hellaswag|10|0"],
    ("Safety/Truth", "truthfulqa:mc1"): [
        "truthfulqa_mc1",
        "leaderboard|truthfulqa:mc|0|0",
        "custom|truthfulqa:mc1|0|0",
    ],
    ("Safety/Truth", "saladbench:mrq"): ["saladbench_mrq", "custom|saladbench:mrq|0|0"],
    ("Science/Tech", "gpqa:diamond"): [
        "gpqa_diamond_zeroshot",
        "leaderboard_gpqa_diamond",
        "lighteval|gpqa:diamond|0|0",
    ],
    ("Instruction", "ifeval"): ["ifeval", "leaderboard_ifeval", "extended|ifeval|0|0"],
}
MMLU_NAMES = [
    "mmlu:{}", "mmlu_{}", "hendrycksTest-{}", "leaderboard|mmlu:{}|5|0", "original|mmlu:{}|0|0",
    "helm|mmlu:{}|5", "mmlu_{}_continuation", "mmlu_{}_generative", "mmlu_flan_cot_fewshot_{}",
    "mmlu_flan_cot_zeroshot_{}", "mmlu_flan_n_shot_generative_{}", "mmlu_flan_n_shot_loglikelihood_{}",
    "mmlu_llama_{}", "mmlu_cot_llama_{}",
]  # fmt: skip
BBH_NAMES = [
    "bbh:{}", "harness|bbh:{}|3|0", "bbh/{}", "bbh_zeroshot_{}", "bbh_fewshot_{}", "bbh_cot_zeroshot_{}",
    "bbh_cot_fewshot_{}", "leaderboard_bbh_{}", "bigbench_hard:{}|0", "lighteval|bigbench:{}|3|0",
    "bigbench_{}_multiple_choice",
]  # fmt: skip


def spelled() -> list[tuple[str, str, str]]:
    """Return (name in an engine, category, canonical name) for everything the paper evaluates."""
    names = []
    for category, subjects in MMLU.items():
        for subject in subjects.split():
            names += [(name.format(subject), category, f"mmlu:{subject}") for name in MMLU_NAMES]
    for category, subjects in BBH.items():
        for subject in subjects.split():
            names += [(name.format(subject), category, f"bbh:{subject}") for name in BBH_NAMES]
    names += [(n.format("causal_judgement"), "Logic", "bbh:causal_judgment") for n in BBH_NAMES]
    names += [(name, category, task) for (category, task), spellings in OTHERS.items() for name in spellings]
    return names


def test_post_forget_has_the_published_counts() -> None:
    taxonomy = load_taxonomy("post_forget")
    counts = [len(tasks) for tasks in taxonomy.categories.values()]
    assert list(taxonomy.categories) == [
        "Common Sense", "Culture", "Logic", "Knowledge/QA", "Language", "Liberal Arts", "Math",
        "Safety/Truth", "Science/Tech", "Instruction",
    ]  # fmt: skip
    assert counts == [2, 2, 20, 4, 7, 19, 9, 6, 25, 1]
    assert taxonomy.weight == "tasks"
    assert taxonomy.hidden == ()
    everything = [task for tasks in taxonomy.categories.values() for task in tasks]
    assert len(everything) == len(set(everything)) == 95
    assert set(everything) == {task for _, _, task in spelled()}


@pytest.mark.parametrize("published", [False, True])
def test_every_paper_task_lands_in_its_category_under_every_name(published: bool) -> None:
    taxonomy = load_taxonomy("post_forget_published" if published else "post_forget")
    for name, category, task in spelled():
        if published and task in ("arc:easy", "arc:challenge", "ifeval"):
            category = "Missing"
        assert taxonomy.place(name) == Place(None, category), name


@pytest.mark.parametrize(
    "name",
    [
        "mmlu_pro_math", "mmlu_pro", "mmlu_pro_llama_law", "leaderboard_mmlu_pro", "gsm8k",
        "gsm8k_rephrased", "arc_easy_mt_de", "arc_agi_2", "truthfulqa_mc2", "truthfulqa_gen",
        "gpqa_main_zeroshot", "gpqa:extended", "bbh_zeroshot_dyck_languages", "bbh:word_sorting",
        "leaderboard_bbh_multistep_arithmetic_two", "global_mmlu_full_de_anatomy", "mmmlu_de_de_anatomy",
        "mmlu_redux_anatomy_generative", "hellaswag_de", "bigbench|social_iqa|0", "hellaswag.subset",
        "boolq", "winogrande", "my_task", "",
    ],
)  # fmt: skip
def test_what_the_paper_does_not_place_has_no_place(name: str) -> None:
    assert load_taxonomy("post_forget").place(name) == NOWHERE


def test_published_variant_of_the_taxonomy() -> None:
    taxonomy = load_taxonomy("post_forget_published")
    assert taxonomy.weight == "categories"
    assert taxonomy.hidden == ("Missing",)
    assert [len(tasks) for tasks in taxonomy.categories.values()] == [2, 2, 18, 4, 7, 19, 9, 6, 25, 3]
    used = {
        "commonsense_qa": 4, "piqa": 4, "bbh:sports_understanding": 2, "bbh:movie_recommendation": 6,
        "bbh:reasoning_about_colored_objects": 18, "bbh:object_counting": 19, "bbh:geometric_shapes": 11,
        "bbh:disambiguation_qa": 3, "bbh:logical_deduction_seven_objects": 7, "musr:murder_mysteries": 4,
        "social_iqa": 4, "mmlu:virology": 4, "saladbench:mrq": 4, "arc:easy": 4,
        "leaderboard|mmlu:virology|5|0": 4, "leaderboard_bbh_navigate": 2, "bbh_zeroshot_causal_judgement": 2,
    }  # fmt: skip
    assert {task: taxonomy.options_of(task) for task in used} == used
    counted = [task for tasks in taxonomy.categories.values() for task in tasks if taxonomy.options_of(task)]
    assert len(counted) == 94  # everything but IFEval
    for task in ("ifeval", "mmlu_pro", "gsm8k", "bbh:dyck_languages", "my_task"):
        assert taxonomy.options_of(task) is None
    # the honest taxonomy states no counts: the items do
    assert all(load_taxonomy("post_forget").options_of(task) is None for task in used)


CAPTRACK = {
    "C1": "mmlu_pro.subset popqa.subset gsm8k.subset livemathbench.full humaneval.full mbpp.full",
    "C2": "math.subset supergpqa.subset",
    "C3": "hotpotqa.subset boolq.subset",
    "C4": "ragtruth.subset truthfulqa.full",
    "C5a": "mmlu_pro.rephrased gsm8k.rephrased",
    "C5b": "winogrande.subset hellaswag.subset",
    "C5c": "mgsm.subset xtreme.subset",
    "W1": "harmbench.subset ruler.4k",
    "W2": "eli5.subset",
    "W3a": "mtbench.turn1 oasst1.full",
    "W3b": "",
    "H1": "ifeval.subset followbench.subset",
    "H2": "mmlu_pro.schema mmlu_pro.table_schema gsm8k.schema gsm8k.table_schema",
    "H3": "bfcl.subset mnms.full",
    "H4": "mtbench.turn2 structflowbench.turn2",
    "H5": "ruler.32k longbenchv2.full",
    "H6": "hotpotqa.citation qasper.citation",
}
GROUP = {"C": "CAN", "W": "WILL", "H": "HOW"}


def test_captrack_gives_each_of_the_37_tasks_one_home() -> None:
    taxonomy = load_taxonomy("captrack")
    assert list(taxonomy.categories) == list(CAPTRACK) == list(taxonomy.titles)
    assert {group: len(inner) for group, inner in taxonomy.groups.items()} == {"CAN": 7, "WILL": 4, "HOW": 6}
    tasks = [(task, code) for code, tasks in CAPTRACK.items() for task in tasks.split()]
    assert len(tasks) == len({task for task, _ in tasks}) == 37
    for task, code in tasks:
        assert taxonomy.place(task) == taxonomy.place(task.replace(".", "_")) == Place(GROUP[code[0]], code)
    ids = [task for tasks in taxonomy.categories.values() for task in tasks if "." in task]
    assert sorted(ids) == sorted(task for task, _ in tasks)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("mmlu_pro", "C1"), ("leaderboard_mmlu_pro", "C1"), ("mmlu_pro_math", "C1"), ("mmlu_anatomy", "C1"),
        ("gsm8k", "C1"), ("gsm8k_cot", "C1"), ("humaneval", "C1"), ("mbpp_plus_instruct", "C1"),
        ("hendrycks_math_algebra", "C2"), ("math_500", "C2"), ("boolq", "C3"), ("truthfulqa_mc1", "C4"),
        ("truthfulqa_mc2", "C4"), ("truthfulqa:mc", "C4"), ("gsm8k_rephrased", "C5a"), ("hellaswag", "C5b"),
        ("winogrande", "C5b"), ("mgsm_direct_de", "C5c"), ("ifeval", "H1"), ("longbench2_code", "H5"),
        ("niah_single_1", "H5"), ("ruler_qa_hotpot", "H5"), ("ruler_4k", "W1"), ("ruler_32k", "H5"),
        ("bbh:navigate", None), ("mmlu_redux_anatomy_generative", None), ("qasper_bool", None),
        ("mt_bench", None),
    ],
)  # fmt: skip
def test_captrack_places_ordinary_benchmarks(name: str, code: str | None) -> None:
    assert load_taxonomy("captrack").place(name) == (NOWHERE if code is None else Place(GROUP[code[0]], code))


@pytest.mark.parametrize("name", taxonomy_names())
def test_shipped_files_use_canonical_names(name: str) -> None:
    taxonomy = load_taxonomy(name)
    assert taxonomy.name == name
    assert taxonomy.title and taxonomy.source
    known = {profile.name for profile in known_tasks()}
    for tasks in (*taxonomy.categories.values(), taxonomy.options):
        for task in tasks:
            if "*" not in task:
                assert canonical_task(task) == task
                assert name == "captrack" or task in known
    assert load_taxonomy(name) is taxonomy


def test_names() -> None:
    assert taxonomy_names() == ("captrack", "post_forget", "post_forget_published")


# Files people write


def load(tmp_path: Path, text: str) -> Taxonomy:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return load_taxonomy(file)


def test_own_file(tmp_path: Path) -> None:
    taxonomy = load(
        tmp_path,
        """
title: What we care about
weight: items
groups: {Core: [Facts, Sums]}
categories:
  Facts: [mmlu_anatomy, "triviaqa"]
  Sums: [gsm8k, "bank_*", bbh_zeroshot_navigate]
  Else: ["mmlu_pro*", "house?"]
options: {gsm8k: 5, "bank_*": 2}
hidden: [Else]
""",
    )
    assert (taxonomy.name, taxonomy.weight, taxonomy.hidden) == ("mine", "items", ("Else",))
    assert taxonomy.place("leaderboard|mmlu:anatomy|5|0") == Place("Core", "Facts")
    assert taxonomy.place("gsm8k_cot") == Place("Core", "Sums")
    assert taxonomy.place("bank_transfers") == Place("Core", "Sums")
    assert taxonomy.place("house1") == Place(None, "Else")
    assert taxonomy.place("house12") == NOWHERE
    # a pattern fits a known task under any of its spellings, and its variants with it
    assert taxonomy.place("mmlu_pro:law") == taxonomy.place("mmlu_pro_llama_law") == Place(None, "Else")
    # a variant named itself does not drag its task along
    assert taxonomy.place("bbh_zeroshot_navigate") == Place("Core", "Sums")
    assert taxonomy.place("bbh:navigate") == taxonomy.place("bbh_fewshot_navigate") == NOWHERE
    assert (taxonomy.options_of("gsm8k_cot"), taxonomy.options_of("bank_x"), taxonomy.options_of("piqa")) == (
        5,
        2,
        None,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("categorie: {A: [x]}\ncategories: {A: [x]}", "key 'categorie' is not known.*write 'categories'"),
        ("categories: {A: [x]}\nzzz: 1", "key 'zzz' is not known, expected one of name, title.*remove it"),
        ("title: no categories", "key 'categories' is missing"),
        ("categories: {}", "key 'categories'.*at least 1"),
        ("categories: {A: x}", "key 'categories, A'.*list.*found 'x'"),
        ("categories: {A: [x, 3]}", r"key 'categories, A, entry 2'.*string.*found 3"),
        ("categories: {No: [x]}", "string.*found False.*quotes"),
        (
            "categories: {A: [x]}\nweight: rows",
            "key 'weight'.*'tasks', 'items' or 'categories'.*found 'rows'",
        ),
        ("categories: {A: [x]}\noptions: {x: 1}", "key 'options, x'.*greater than or equal to 2.*found 1"),
        ("categories: {A: [x], B: [x]}", "task 'x' is in the categories 'A' and 'B'; keep it in one"),
        (
            "categories: {A: [mmlu_anatomy], B: [hendrycksTest-anatomy]}",
            "task 'mmlu:anatomy' is in the categories",
        ),
        ("categories: {A: ['mmlu:*'], B: [mmlu_anatomy]}", "task 'mmlu:anatomy' is in the categories"),
        ("categories: {A: [x, x]}", "task 'x' is named twice in category 'A'"),
        ("categories: {A: [x]}\ngroups: {G: [B]}", "group 'G' names the category 'B', which is not one of A"),
        ("categories: {A: [x]}\ngroups: {G: [A], H: [A]}", "category 'A' is in the groups 'G' and 'H'"),
        ("categories: {A: [x]}\nhidden: [B]", "hidden names the category 'B'"),
        ("categories: {A: [x]}\ntitles: {B: b}", "titles names the category 'B'"),
        ("categories:\n  A: [x]\n  B: [y]\n  A: [z]", "line 4: key 'A' is given twice"),
        ("categories: [", "line [12]: not YAML"),
        ("categories: {[a]: [x]}", "line 1: a key must be plain text"),
        ("- a\n- b", "holds no keys"),
        ("", "holds no keys"),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TaxonomyError, match=message) as refused:
        load(tmp_path, text)
    assert str(refused.value).startswith(str(tmp_path / "mine.yaml"))
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(b"categories: {\xff: [x]}")
    with pytest.raises(TaxonomyError, match="not UTF-8"):
        load_taxonomy(file)


def test_an_unknown_task_between_two_patterns_is_refused_when_met() -> None:
    taxonomy = Taxonomy("mine", {"A": ["bank_*"], "B": ["*_hard"]})
    assert taxonomy.place("bank_easy").category == "A"
    with pytest.raises(TaxonomyError, match="'bank_hard' is in the categories 'A' and 'B'"):
        taxonomy.place("bank_hard")


@pytest.mark.parametrize("name", ["post-forget", "nowhere.yaml", "", "."])
def test_an_unknown_taxonomy_names_those_there_are(name: str) -> None:
    with pytest.raises(TaxonomyError, match="neither a file nor one of captrack, post_forget, post_forget_published"):
        load_taxonomy(name)


# Groups of a log


def test_groups_of_a_log_become_categories_and_groups() -> None:
    taxonomy = Taxonomy.from_groups(
        "lm-eval groups",
        {
            "mmlu": ["mmlu_stem", "mmlu_other"],
            "mmlu_stem": ["mmlu_anatomy", "mmlu_virology"],
            "mmlu_other": ["mmlu_marketing"],
            "math_word_problems": ["gsm8k", "my_sums"],
        },
    )
    assert taxonomy.place("mmlu:anatomy") == taxonomy.place("mmlu_anatomy") == Place("mmlu", "mmlu_stem")
    assert taxonomy.place("mmlu_marketing") == Place("mmlu", "mmlu_other")
    assert taxonomy.place("my_sums") == Place(None, "math_word_problems")
    assert taxonomy.place("piqa") == NOWHERE
    assert list(taxonomy.categories) == ["mmlu_stem", "mmlu_other", "math_word_problems"]
    assert dict(taxonomy.groups) == {"mmlu": ("mmlu_stem", "mmlu_other")}


def test_a_task_of_several_groups_goes_to_the_smallest() -> None:
    groups = {"everything": ["a", "b", "c"], "few": ["a", "b"], "pair": ["b", "c"]}
    taxonomy = Taxonomy.from_groups("log", groups)
    assert [taxonomy.place(task).category for task in "abc"] == ["few", "few", "pair"]
    assert "everything" not in taxonomy.categories


def test_groups_may_bear_the_name_of_a_task() -> None:
    groups = {"gsm8k": ["gsm8k", "gsm8k_cot"], "all": ["math", "gsm8k"], "hendrycks_math": ["math:algebra"]}
    taxonomy = Taxonomy.from_groups("log", groups)
    assert taxonomy.place("gsm8k") == taxonomy.place("gsm8k_cot") == Place("all", "gsm8k")
    assert taxonomy.place("hendrycks_math_algebra") == Place("all", "hendrycks_math")
    assert list(taxonomy.categories) == ["gsm8k", "hendrycks_math"]


def test_a_taxonomy_cannot_be_changed() -> None:
    taxonomy = Taxonomy("mine", {"A": ["x"]})
    with pytest.raises(AttributeError):
        taxonomy.weight = "items"  # type: ignore[misc]
    with pytest.raises(TypeError):
        taxonomy.categories["B"] = ("y",)  # type: ignore[index]
    assert hash(taxonomy)


def test_a_file_that_only_blows_up_a_reader_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bomb.yaml").write_text("categories: {a: &x [t], b: *x}\n", encoding="utf-8")
    with pytest.raises(TaxonomyError, match=r"bomb\.yaml: line 1: refers to another part"):
        load_taxonomy(tmp_path / "bomb.yaml")
