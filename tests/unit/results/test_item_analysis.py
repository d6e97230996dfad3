"""Laws of the analysis of items: figures by hand, whose answers count, keys that are doubted by options, not by letters."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest
from choices import answered, choice_question, drive, ended, entry, imported, load_choice, report_of, report_on, sheet_of, shown
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from one_sum import run_example
from soaking import SOAK

from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.kinds.choice.sheet_report import SheetReport
from tui_eval.results.run_items import read_items
from tui_eval.results.sums.item_analysis import COLUMNS, ItemAnalysis, ModelAnswers, item_analysis
from tui_eval.results.tables import table_rows
from tui_eval.statistics.correlation import correlation_interval, pearson

shares = st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=6, max_size=6), min_size=3, max_size=12)


def analysed(columns: Sequence[Sequence[float | None]]) -> ItemAnalysis | None:
    """Items of models m0, m1, ...; None where a model has no answer."""
    return item_analysis(
        [
            ModelAnswers(f"m{n}", f"m{n}", {place: value for place, value in enumerate(own) if value is not None})
            for n, own in enumerate(columns)
        ]
    )


def looked_at(report: SheetReport) -> dict[str, str]:
    """The questions to look at in a report's table, with the option that was chosen in place of the key."""
    rows = table_rows(report.tables()["items"])
    return {str(row["item"]): str(row["option"]) for row in rows if row["look"] == "yes"}


def note(report: SheetReport) -> str:
    """What is said below the table."""
    return report.tables()["items"].note


def test_figures_by_hand() -> None:
    """Of five models and four questions: shares, correlations with the mean of the others, and what separates nobody."""
    rights = [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]]
    found = analysed([[*map(float, own)] for own in rights])
    assert found is not None
    first, second, third, fourth = found.items
    rest = [(sum(own) - own[1]) / 3 for own in rights]

    assert [item.share_right for item in found.items] == pytest.approx([1, 0.6, 0.6, 0.2])
    assert (first.separates, first.item_rest, first.interval) == (False, None, None)
    assert second.item_rest == pytest.approx(statistics.correlation([own[1] for own in rights], rest))
    middle, half = math.atanh(second.item_rest or 0), 1.959964 / math.sqrt(2)
    assert second.interval == pytest.approx((math.tanh(middle - half), math.tanh(middle + half)), abs=1e-6)
    assert third.separates and fourth.separates
    variances = [0.24, 0.24, 0.16]
    assert found.effective == pytest.approx(sum(variances) ** 2 / sum(v * v for v in variances))


@few
@given(shares)
def test_missing_answers_are_never_wrong_ones(columns: list[list[float | None]]) -> None:
    """An item's share is that of the models that answered it, whatever is missing elsewhere; nothing raises."""
    found = analysed(columns)
    if found is None:
        return
    counted = [own for n, own in enumerate(columns) if f"m{n}" in found.models]
    for item in found.items:
        values = [own[item.place] for own in counted if own[item.place] is not None]
        assert item.n_models == len(values) and item.share_right == pytest.approx(statistics.fmean(values))  # type: ignore[arg-type]
        assert item.interval is None or item.interval[0] <= (item.item_rest or 0) <= item.interval[1]
        assert item.separates == (len(set(values)) > 1)
    assert 0 <= found.effective <= len(found.items) + 1e-9
    assert {*found.models, *found.few_answers} == {f"m{n}" for n in range(len(columns))}


def test_models_with_few_answers_are_named_and_left_out() -> None:
    """Three of five questions are below 80 %, four are not."""
    full = [[1.0, 0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0, 1.0]]
    found = analysed([*full, [1.0, 1.0, 0.0, 1.0, None], [1.0, 1.0, 1.0, None, None]])
    assert found is not None

    assert list(found.few_answers) == ["m3"] and len(found.models) == 3
    assert "1 model left out: answered less than 80 % of them (m3)." in found.sentences("question")


def test_two_models_of_one_id_count_once() -> None:
    """The first of them, wherever it stands; fewer than three ids are not analysed."""
    answers = [
        ModelAnswers(name, model_id, {0: 1.0, 1: float(n % 2)})
        for n, (name, model_id) in enumerate(zip("abcd", "xyxz", strict=True))
    ]
    found = item_analysis(answers)
    assert found is not None

    assert list(found.models) == ["a", "b", "d"] and list(found.of_one_id) == ["c"]
    assert item_analysis(answers[:3]) is None


@pytest.mark.parametrize("columns", [[], [[1.0, 0.0]] * 2, [[1.0]] * 9, [[None, None]] * 4])
def test_too_little_is_not_analysed(columns: list[list[float | None]]) -> None:
    """Two models, one item, no answers."""
    assert analysed(columns) is None


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_items_that_are_all_alike_separate_nobody(value: float) -> None:
    """There is no correlation, no effective question, and no error."""
    found = analysed([[value] * 4] * 9)
    assert found is not None

    assert found.effective == 0 and not any(item.separates or item.item_rest is not None for item in found.items)


@pytest.mark.parametrize(("models", "flagged"), [(7, False), (8, True)])
def test_a_key_is_doubted_from_eight_models_on(models: int, flagged: bool) -> None:
    """All chose B where the key is A; with fewer models nothing is flagged, and the note says so."""
    report = report_on("AABC", {f"m{n}": f"B{'A' if n % 2 else 'C'}BC" for n in range(models)})

    assert looked_at(report) == ({"q1": "B"} if flagged else {})
    assert ("flags need 8 models, here are 7" in note(report)) != flagged
    assert ("all 8 chose B; key A" in [cell.value for cell in report.tables()["items"].rows[0]]) == flagged


def test_a_key_is_doubted_only_where_the_better_models_chose_the_other_option() -> None:
    """Six of nine chose B on q1 (the better six) and on q2 (the worse six): q1 alone is to be looked at."""
    rest = ["C" * n + "A" * (8 - n) for n in range(9)]
    sheets = {f"m{n}": f"{'B' if n < 6 else 'A'}{'A' if n < 3 else 'B'}{own}" for n, own in enumerate(rest)}
    report = report_on("AA" + "A" * 8, sheets)

    assert looked_at(report) == {"q1": "B"}
    assert report.tables()["items"].rows[0][0].value == "q1"
    assert str(report.tables()["items"].rows[0][COLUMNS.index("why")].value).startswith(
        "6 of 9 chose B, the better ones more often (r 0."
    )


def test_a_key_is_not_doubted_where_those_who_chose_the_other_option_are_just_as_good() -> None:
    """Their means over the other questions are equal, whatever is left of adding up numbers that are no powers of 2."""
    rest = [22, 24, 16, 21, 21, 15, 14]
    sheets = {f"m{n}": f"B{'A' * right}{'C' * (29 - right)}" for n, right in enumerate(rest)}
    report = report_on("A" * 30, {**sheets, "m7": f"A{'A' * 19}{'C' * 10}"})

    assert sum(rest) / 7 == 19 and "q1" not in looked_at(report)


def test_half_of_the_models_and_replies_without_a_letter_doubt_nothing() -> None:
    """Four of eight are not more than half; who gave no letter answered, and chose nothing."""
    rest = ["C" * n + "A" * (8 - n) for n in range(8)]
    half = {f"m{n}": f"{'B' if n < 4 else 'A'}{own}" for n, own in enumerate(rest)}
    mute = {f"m{n}": f"{'B' if n < 4 else '?'}{own}" for n, own in enumerate(rest)}

    assert looked_at(report_on("A" * 9, half)) == looked_at(report_on("A" * 9, mute)) == {}


def test_options_go_by_their_content_whatever_letter_they_had(tmp_path: Path) -> None:
    """Options are shown in an order of each question's own: all choose the second of the set, under letters that differ."""
    entries = [entry(f"q{n}", 0, [f"{word} {n}" for word in ("north", "east", "south", "west")]) for n in range(12)]
    names = json.dumps([f"m{n}" for n in range(8)])
    tables = "".join(
        f'[[models]]\nname = "{name}"\nwire = "openai"\nmodel = "{name}"\nbase_url = "http://127.0.0.1:9/v1"\n'
        for name in json.loads(names)
    )
    text = f'kind = "choice"\n{tables}[choice]\nbenchmark = "bench.json"\nmodels = {names}\nshuffle = true\n'
    loaded = load_choice(tmp_path, entries, text=text)
    letters = set()

    def second(call: Call) -> Reply:
        place = next(place for place, option in enumerate(shown(call)) if option.startswith("east"))
        letters.add("ABCD"[place])
        return ended(call, f"Answer: {'ABCD'[place]}")

    report = loaded.evaluation.reporter()
    for row in drive(loaded, second):
        report.add(row)

    assert len(letters) == 4
    assert isinstance(report, SheetReport) and looked_at(report) == {f"q{n}": "B" for n in range(12)}


def test_a_folder_says_what_its_report_says(tmp_path: Path) -> None:
    """Row by row, with the key and the reasons; of two runs the common questions, each model of both."""
    names = ("q1", "q2", "q3", "q4")
    answers = [row for n in range(5) for row in answered(f"m{n}", "BBBB" if n < 4 else "AB_D")]
    others = [row for n in range(5, 9) for row in answered(f"m{n}", "BBCA")]
    first, second = imported(tmp_path, "one", answers), imported(tmp_path, "two", others)
    found, both = read_items([first]), read_items([first, second])
    table = json.loads((first / "report.json").read_text())["tables"]["items"]
    rows = [{name: cell["value"] for name, cell in zip(COLUMNS, row, strict=True)} for row in table["rows"]]

    assert tuple(table["columns"]) == COLUMNS and [*found.rows()] == rows
    assert sorted(str(row["item"]) for row in both.rows()) == sorted(names)
    assert list(both.analysis.models) == [*(f"m{n} of one" for n in range(4)), *(f"m{n} of two" for n in range(5, 9))]
    assert list(both.analysis.few_answers) == ["m4 of one"]
    assert found.questions[0] == "What is q1?"
    assert [row["look"] for row in both.rows(look_only=True)] == ["yes"] and next(both.rows())["key"] == "A"


@SOAK
@pytest.mark.parametrize("name", ["qa", "choice"])
def test_an_examples_folder_says_what_its_report_says(name: str, tmp_path: Path) -> None:
    """Also of a kind without options, and with Enter on a row leading to the item's own answers."""
    path = run_example(tmp_path, name)
    table = json.loads((path / "report.json").read_text())["tables"]["items"]

    assert [*read_items([path]).rows()] == [
        {column: cell["value"] for column, cell in zip(COLUMNS, row, strict=True)} for row in table["rows"]
    ]
    assert all(rest["doc_id"] in str(row[0]["value"]) for rest, row in zip(table["rests_on"], table["rows"], strict=True))


def test_a_run_that_is_not_right_or_wrong_says_what_it_takes(tmp_path: Path) -> None:
    """Two models are too few; the message says how many it takes."""
    answers = [row for n in range(2) for row in answered(f"m{n}", "ABCD")]

    with pytest.raises(ConfigError, match=r"2 models scored as right or wrong\. An analysis needs 3 models"):
        read_items([imported(tmp_path, "one", answers)])


def test_a_question_with_the_first_of_several_answers() -> None:
    """Of several orders of one question the first answer says which option was chosen; all say what it scored."""
    questions = [choice_question("q1"), choice_question("q2")]
    sheets = [sheet_of(f"m{n}", f"BA {'AA' if n % 2 else 'BB'}", questions) for n in range(8)]
    report = report_of(sheets, questions)
    row = next(row for row in table_rows(report.tables()["items"]) if row["item"] == "q1")

    assert looked_at(report) == {"q1": "B"} and row["share_right"] == 0.5


@few
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=30))
def test_correlations_agree_with_the_standard_library(pairs: list[tuple[int, int]]) -> None:
    """And have an interval that holds them from five pairs on; where a side does not vary there is none."""
    a, b = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
    found = pearson(a, b)

    if len(set(a)) < 2 or len(set(b)) < 2:
        assert found is None
        return
    assert found is not None and found == pytest.approx(statistics.correlation(a, b), abs=1e-9)
    ends = correlation_interval(found, len(pairs))
    assert (ends is None) == (len(pairs) < 5)
    assert ends is None or (-1 <= ends[0] <= found <= ends[1] <= 1 and ends[1] - ends[0] > 1e-6)
