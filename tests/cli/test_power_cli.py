"""`forgetmap power` as people use it: plans, suites, pairs, and what it refuses."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from conftest import answer, make_run
from forgetmap import compare
from forgetmap.estimate.power import detectable_loss, items_needed
from forgetmap.estimate.worlds import World
from forgetmap.report.power import plan_answer, print_answer
from forgetmap.report.suites import suite_answer
from forgetmap.testing import join_planted, plant

Cli = Callable[..., tuple[int, str, str]]


def words(text: str) -> str:
    """The text on one line: a narrow terminal wraps it anywhere."""
    return " ".join(text.split())


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved runs: one answer per item, and three."""
    folder = tmp_path_factory.mktemp("runs")
    parts = [
        plant(items, known=0.6, options=options, tasks=[task], persistence=0.3, seed=seed, first_item=10_000 * seed)
        for seed, (task, items, options) in enumerate([("arc:challenge", 1000, 4), ("piqa", 500, 2), ("gsm8k", 400, 0)])
    ]
    whole = join_planted(parts)
    whole.before.save(folder / "before")
    whole.after.save(folder / "after")
    plant(900, repeats=3, tasks=["arc:challenge"], persistence=0.3, seed=5).before.save(folder / "repeated")
    return folder


class TestPlans:
    def test_items_for_a_loss(self, run_cli: Cli) -> None:
        code, out, err = run_cli("power", "--loss", "0.03")
        assert (code, err) == (0, "")
        assert out.startswith("To show a loss of 3 points against a margin of 2 points, you need about 10,9")
        rows = {line.split()[0]: line.split() for line in out.splitlines() if line[:1].isdigit()}
        assert list(rows) == ["1", "2", "3", "4", "5"]
        assert rows["1"][-1] == "chance"
        assert rows["2"][-1] == "noise"
        assert "assumed: 60 % known before, 4 options, a guess repeated with probability 0.3" in out
        assert "\x1b[" not in out

    def test_the_smallest_loss_of_so_many_items(self, run_cli: Cli) -> None:
        code, out, _ = run_cli("power", "--items", "1000", "--repeats", "1", "--options", "0")
        assert code == 0
        found = detectable_loss(1000, World(options=0)).loss
        assert out.startswith(f"1,000 items with one answer each show a loss of {100 * found:.1f} points or more")
        assert "open-ended items" in out

    def test_repeats_for_a_loss_in_so_many_items(self, run_cli: Cli) -> None:
        assert "you need 2 answers per item" in words(run_cli("power", "--loss", "0.05", "--items", "1000")[1])
        assert "one answer per item is enough" in words(run_cli("power", "--loss", "0.08", "--items", "1000")[1])
        out = words(run_cli("power", "--loss", "0.03", "--items", "300")[1])
        assert "no number of repeats is enough" in out
        assert "you need about" in out

    def test_planning_values_reach_the_plan(self, run_cli: Cli) -> None:
        arguments = (
            "--known 0.4 --options 10 --persistence 0.5 --floor 0.05 --repeats 4 --margin 0.015 --power 0.9 --cells 9"
        )
        code, out, _ = run_cli("power", "--loss", "0.05", *arguments.split(), "--json", "-")
        assert code == 0
        (plan,) = json.loads(out)["items_needed"]
        world = World(known=0.4, options=10, persistence=0.5, floor=0.05, repeats=4)
        assert plan["items"] == items_needed(0.05, world, margin=0.015, power=0.9, cells=9).items
        said = run_cli("power", "--loss", "0.05", *arguments.split())[1]
        assert "90 % of the time" in said
        assert "at most 5 % / 9, as 9 cells are tested together" in words(said)

    def test_json(self, run_cli: Cli, tmp_path: Path) -> None:
        target = tmp_path / "plan.json"
        code, _, _ = run_cli("power", "--items", "800", "--json", target)
        content = json.loads(target.read_text())
        assert code == 0
        assert content["schema"] == "forgetmap.power/1"
        assert content["items_needed"] is content["repeats_needed"] is None
        assert [plan["repeats"] for plan in content["detectable_loss"]] == [1, 2, 3, 4, 5]

    def test_a_loss_within_the_margin_without_repeats(self, run_cli: Cli) -> None:
        code, out, _ = run_cli("power", "--loss", "0.015")
        assert code == 0
        assert out.startswith("To show a loss of 1.5 points against a margin of 1 point")
        assert "–: 1.5 points are within the margin" in out

    def test_doubts_are_said(self, run_cli: Cli) -> None:
        assert "one answer per item cannot tell that from a loss" in words(
            run_cli("power", "--loss", "0.06", "--floor", "0.05")[1]
        )
        assert "repeats do not tell luck from loss" in words(run_cli("power", "--loss", "0.06", "--options", "2")[1])
        assert "net change" not in run_cli("power", "--loss", "0.06")[1]
        assert "net: score before less score after" in run_cli("power", "--loss", "0.06", "--sampled")[1]

    def test_same_words_every_time(self, run_cli: Cli) -> None:
        arguments = ("power", "--loss", "0.05", "--sampled", "--options", "10")
        assert run_cli(*arguments) == run_cli(*arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nothing to plan"),
        (["--loss", "0.01"], "cannot be told from a margin of 0.01"),
        (["--loss", "0.7"], "more than the 0.6 that is known before"),
        (["--loss", "-1"], "loss is -1"),
        (["--loss", "0.05", "--margin", "0"], "margin is 0"),
        (["--loss", "0.05", "--known", "2"], "known is 2"),
        (["--loss", "0.05", "--floor", "0.4"], "floor is 0.4"),
        (["--items", "0"], "items is 0"),
        (["--items", "100", "--options", "1"], "1 options with 1 right"),
        (["--items", "100", "--repeats", "0"], "repeats is 0"),
        (["--items", "100", "--power", "1"], "power is 1"),
        (["--items", "100", "--by", "subject"], "--by is 'subject'"),
        (["a", "b", "c"], "3 runs were given"),
        (["a", "--items", "5"], "--items does not go with a run"),
        (["a", "--known", "0.5"], "--known does not go with a run"),
        (["a", "b", "--repeats", "3"], "--repeats does not go with two runs"),
        (["nowhere"], "no such file or folder"),
    ],
)
def test_refusals_are_one_sentence(run_cli: Cli, arguments: list[str], said: str) -> None:
    code, out, err = run_cli("power", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("forgetmap: ")
    assert err.count("\n") == 1


class TestSuites:
    def test_what_a_suite_can_show(self, run_cli: Cli, runs: Path) -> None:
        code, out, err = run_cli("power", runs / "before", "--by", "task")
        assert (code, err) == (0, "")
        assert out.startswith("planted-before: 1,900 items in 3 tasks")
        assert "As a whole, with one answer each, it shows a loss of" in out
        assert all(name in out for name in ("arc:challenge", "piqa", "gsm8k", "total"))

    def test_planning_values_are_those_of_the_run(self, run_cli: Cli, runs: Path) -> None:
        content = json.loads(run_cli("power", runs / "before", "--json", "-")[1])
        cells = {(cell["level"], cell["name"]): cell for cell in content["cells"]}
        assert {level for level, _ in cells} == {"task", "category", "total"}
        for name, items, options in (("arc:challenge", 1000, 4), ("piqa", 500, 2), ("gsm8k", 400, 0)):
            cell = cells["task", name]
            (assumed,) = cell["plan"]["assumed"]
            assert (cell["items"], assumed["options"]) == (items, options)
            assert assumed["known"] == pytest.approx(0.6, abs=0.08)
            expected = detectable_loss(items, World(known=assumed["known"], options=options)).loss
            assert cell["detectable"] == pytest.approx(expected, rel=1e-6)
        total = cells["total", "total"]
        assert total["detectable"] < cells["task", "arc:challenge"]["detectable"] < cells["task", "piqa"]["detectable"]
        assert total["known"] == pytest.approx(0.6, abs=0.05)

    def test_weights(self, run_cli: Cli, runs: Path) -> None:
        by = {
            weight: json.loads(run_cli("power", runs / "before", "--weight", weight, "--json", "-")[1])["cells"][-1]
            for weight in ("tasks", "items")
        }
        # open-ended items vary least, and weigh more in a mean over tasks than in one over items
        assert by["tasks"]["detectable"] != by["items"]["detectable"]

    def test_it_agrees_with_the_pair(self, run_cli: Cli, runs: Path) -> None:
        one = json.loads(run_cli("power", runs / "before", "--json", "-")[1])["cells"]
        two = json.loads(run_cli("power", runs / "before", runs / "after", "--json", "-")[1])["cells"]
        assert [cell["name"] for cell in one] == [cell["name"] for cell in two]
        for planned, found in zip(one, two, strict=True):
            if planned["name"] != "piqa":  # two options: the pair's own guesses tell more
                assert planned["detectable"] == pytest.approx(found["detectable"], rel=0.15)

    def test_items_that_a_loss_would_need(self, run_cli: Cli, runs: Path) -> None:
        code, out, _ = run_cli("power", runs / "before", "--loss", "0.03", "--by", "task")
        assert code == 0
        assert "items for 3.0 %" in out
        content = json.loads(run_cli("power", runs / "before", "--loss", "0.03", "--json", "-")[1])
        for cell in content["cells"]:
            assert (cell["items_needed"] > cell["items"]) == (cell["detectable"] > 0.03)
        code, _, err = run_cli("power", runs / "before", "--loss", "0.02")
        assert code == 2
        assert "cannot be told from a margin" in err

    def test_repeats_of_the_run(self, run_cli: Cli, runs: Path) -> None:
        content = json.loads(run_cli("power", runs / "repeated", "--json", "-")[1])
        (assumed,) = content["cells"][-1]["plan"]["assumed"]
        assert content["cells"][-1]["plan"]["reading"] == "noise"
        assert assumed["repeats"] == 3
        assert assumed["floor"] == pytest.approx(0.4 * 0.7 * 3 / 16, abs=0.01)
        assert assumed["redrawn"] == pytest.approx(0.7, abs=0.1)
        single = json.loads(run_cli("power", runs / "repeated", "--repeats", "1", "--json", "-")[1])
        assert single["cells"][-1]["plan"]["reading"] == "net"
        assert single["cells"][-1]["detectable"] > content["cells"][-1]["detectable"]

    def test_sampled_single_answers_show_the_net_change_only(self) -> None:
        run = plant(600, tasks=["arc:challenge"], seed=2).before
        run.info.settings["temperature"] = 0.7
        found = suite_answer(compare(run, run, check_scorers=False), "total", None, {}, {})
        assert found.content["cells"][-1]["plan"]["reading"] == "net"

    def test_grades_are_planned_as_right_and_wrong(self) -> None:
        run = make_run([{"question": f"q{n}", "metric": "f1", "score": (n % 5) / 4} for n in range(300)])
        found = suite_answer(compare(run, run, check_scorers=False), "total", None, {}, {})
        cell = found.content["cells"][-1]
        assert cell["known"] == pytest.approx(0.5)
        assert cell["plan"]["reading"] == "net"

    def test_unknown_options_leave_the_net_change(self) -> None:
        rows = [
            {"question": f"q{n}", "gold": "a", "prediction": "a" if n % 2 else "b", "correct": n % 2}
            for n in range(300)
        ]
        run = make_run(rows)
        found = suite_answer(compare(run, run, check_scorers=False), "total", None, {}, {})
        (assumed,) = found.content["cells"][-1]["plan"]["assumed"]
        assert (assumed["options"], assumed["sampled"], assumed["known"]) == (0, True, 0.5)
        assert found.rows[-1][-1] == "net"

    def test_a_suite_that_knows_nothing_says_so(self) -> None:
        run = make_run([answer(n, n % 4 == 0, prediction="x" if n % 4 == 0 else "w") for n in range(200)])
        found = suite_answer(compare(run, run, check_scorers=False), "total", None, {}, {})
        assert found.content["cells"][-1]["detectable"] is None
        assert "no more is known than the margin" in found.lines[-1]

    def test_real_logs(self, run_cli: Cli, logs: Path) -> None:
        for tool in ("lm_eval", "inspect"):
            code, out, err = run_cli("power", logs / tool / "before")
            assert (code, err) == (0, "")
            assert "total" in out
        code, _, err = run_cli("power", logs / "lm_eval" / "before", "--by", "group")
        assert code == 2
        assert "no groups" in err


class TestPairs:
    def test_the_smallest_loss_of_each_cell(self, run_cli: Cli, runs: Path) -> None:
        code, out, err = run_cli("power", runs / "before", runs / "after", "--by", "task")
        assert (code, err) == (0, "")
        assert "As a whole the pair would show a loss of" in out
        content = json.loads(run_cli("power", runs / "before", runs / "after", "--json", "-")[1])
        drawn = json.loads(run_cli("compare", runs / "before", runs / "after", "--json", "-")[1])
        assert [cell["detectable"] for cell in content["cells"]] == [cell["detectable"] for cell in drawn["cells"]]

    def test_a_margin_of_ones_own(self, run_cli: Cli, runs: Path) -> None:
        content = json.loads(run_cli("power", runs / "before", runs / "after", "--margin", "0.04", "--json", "-")[1])
        assert {cell["margin"] for cell in content["cells"]} == {0.04}


def test_tables_fit(runs: Path) -> None:
    from rich.console import Console

    found = compare(runs / "before", runs / "before", check_scorers=False)
    answers = [plan_answer(0.05, 1000, {}, {}), suite_answer(found, "task", 0.05, {}, {})]
    for one, width, terminal in product(answers, (60, 80, 120), (True, False)):
        console = Console(width=width, force_terminal=terminal, color_system=None, file=io.StringIO())
        print_answer(console, one)
        text = console.file.getvalue()  # type: ignore[attr-defined]
        assert max(map(len, text.splitlines())) <= width
        head = next(line for line in text.splitlines() if "smallest loss" in line)
        assert one.head[0] in head
        assert width < 120 or all(name in head for name in one.head)
        assert width > 60 or "reading" not in head


def test_names_of_others_are_printed_not_obeyed() -> None:
    rows = [answer(n, n % 2 == 0, task="evil\x1b[31m[bold]", prediction="x") for n in range(60)]
    run = make_run(rows)
    from rich.console import Console

    console = Console(width=100, file=io.StringIO())
    print_answer(console, suite_answer(compare(run, run, check_scorers=False), "task", None, {}, {}))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in text
    assert "[bold]" in text


def test_help_ends_with_an_example(run_cli: Cli) -> None:
    code, out, _ = run_cli("power", "--help")
    assert code == 0
    assert "Example: forgetmap power --loss 0.03" in words(out)


def test_a_task_off_its_scale_has_no_plan() -> None:
    rows = [{"question": f"q{n}", "task": "rated", "metric": "rating", "value": n % 10} for n in range(40)]
    rows += [{"question": f"q{n}", "task": "right", "metric": "acc", "value": n % 2} for n in range(40)]
    run = make_run(rows)
    found = suite_answer(compare(run, run, check_scorers=False), "task", None, {}, {})
    shown = {row[0]: row[2:] for row in found.rows}
    assert set(shown["rated"]) == {"–"}
    assert shown["right"][0] == shown["total"][0] == "50.0 %"
