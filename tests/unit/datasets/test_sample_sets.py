"""Samples with columns of their own: brought in whole, read back the same; tests of promptfoo keep their assertions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.exported import exported, forms_of
from tui_eval.datasets.set_list import SetList, read_set, records_at, selected_of
from tui_eval.datasets.set_store import change, import_set, looked_at
from tui_eval.datasets.sets import QuestionSet, table_of_questions, unread_words
from tui_eval.datasets.shapes.left_open import LeftOpen
from tui_eval.workspace.places import Workspace

SETS = Path(__file__).resolve().parents[2] / "data" / "sets"
SAMPLES = ("squad_v2.json", "squad_v2.jsonl", "truthfulqa.csv", "extraction.jsonl", "extraction_schema.jsonl", "summaries.csv",
           "summaries.jsonl", "promptfoo.json")  # fmt: skip


def config_of(*tests: dict[str, Any], **config: Any) -> str:
    """A config of promptfoo as JSON."""
    return json.dumps({"tests": list(tests), **config})


def own(found: QuestionSet) -> list[Any]:
    """The rules that samples bring."""
    return [question.data.get("only_scorers") for question in found.questions]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_set_is_kept_with_all_of_its_columns(name: str, tmp_path: Path) -> None:
    """Read back the same, exported and imported the same; listed, selected, and never changed by half."""
    workspace = Workspace(tmp_path)
    kept = import_set(workspace, SETS / name, "one")
    found = kept.questions

    assert found.sort == "samples" and found.words == f"{len(found.questions)} samples"
    again = read_set(kept.path)
    assert again.questions == found.questions and [each.data for each in again.questions] == [e.data for e in found.questions]
    for form in forms_of(found):
        assert table_of_questions(exported(found, form), "f").questions == found.questions
    (entry,) = SetList(workspace).listed()
    assert (entry.sort, entry.questions, entry.problem) == ("samples", len(found.questions), "")
    assert selected_of(workspace, kept.path).whole
    with pytest.raises(ConfigError, match="columns of its own"):
        change(workspace, kept.path, again.questions[0], replace(again.questions[0], question="Another question?"))


@pytest.mark.parametrize("name", ["id", "question", "context", "answer", "group", "score"])
def test_a_decimal_number_stays_as_the_file_writes_it(name: str, tmp_path: Path) -> None:
    """1.10 is no 1.1, in whatever column; numbers of an object, of a list of objects and of a rule are numbers."""
    more = {"facts": {"a": 1.10}, "parts": [{"b": 1.10}], "scorers": [{"use": "number", "tolerance": 0.5}]}
    row = json.dumps({"id": "i", "question": "q?", "context": "c", "answer": "a", **more, name: "HERE"})
    path = tmp_path / "s.jsonl"
    path.write_text(row.replace('"HERE"', "1.10"), encoding="utf-8")

    (found,) = read_set(path).questions

    shown = {"id": found.id, "question": found.question, "answer": found.truth}
    assert found.data[name] == shown.get(name, "1.10") == "1.10"
    assert {key: found.data[key] for key in more} == more


def test_a_list_of_numbers_holds_them_as_written(tmp_path: Path) -> None:
    """Right answers in a list are as many texts."""
    path = tmp_path / "s.jsonl"
    path.write_text('{"question": "q?", "context": "c", "answer": [1.10, 2]}', encoding="utf-8")

    (found,) = read_set(path).questions

    assert found.truth == "1.10" and found.data["answer"][0] == "1.10"


def test_an_assertion_stays_the_rule_of_its_sample() -> None:
    """FINDINGS N2: `icontains` was a truth graded letter by letter, and others were not graded at all."""
    found = table_of_questions(
        config_of({"vars": {"question": "Did Napoleon fall short?"}, "assert": [{"type": "icontains", "value": "No"}]}), "f"
    )

    assert own(found) == [[{"use": "promptfoo", "assert": [{"type": "icontains", "value": "No"}]}]]
    assert found.questions[0].truth is None and "truth" not in found.has


@pytest.mark.parametrize("key", ["tests", "examples"])
def test_a_file_is_asked_as_it_is_imported(key: str, tmp_path: Path) -> None:
    """A config of promptfoo, or an object that lists its records: kind qa reads the same samples from the file itself."""
    tests = [{"vars": {"question": f"{n}?"}, "assert": [{"type": "contains", "value": "x"}]} for n in range(2)]
    records = tests if key == "tests" else [{"question": "Who?", "answer": "Oda", "year": "1900"}]
    (tmp_path / "f.json").write_text(json.dumps({key: records, "prompts": ["{{question}}"], "providers": ["openai:x"]}))

    asked = [record.fields["question"] for record in records_at(tmp_path / "f.json")]
    assert asked == [each.question for each in read_set(tmp_path / "f.json").questions]


def test_what_a_rule_cannot_judge_is_refused_by_name_or_left_out_by_name() -> None:
    """Each test with what it asks for; the others come in."""
    text = config_of(
        {"vars": {"question": "a"}, "assert": [{"type": "contains", "value": "x"}]},
        {"vars": {"question": "b"}, "assert": [{"type": "llm-rubric", "value": "x"}, {"type": "javascript", "value": "y"}]},
        {"vars": {"question": "c"}, "assert": [{"type": "equals", "value": "z"}]},
    )

    with pytest.raises(ConfigError) as refused:
        table_of_questions(text, "f.json")
    assert str(refused.value) == (
        "f.json: test 2: asks for `llm-rubric`, which tui-eval cannot score, "
        "and for `javascript`, which tui-eval cannot score\n"
        "tui-eval datasets import f.json --skip-unscored imports the other 2 tests, and names what it leaves out"
    )
    found = table_of_questions(text, "f.json", left_open=LeftOpen(skip_unscored=True))
    assert [question.question for question in found.questions] == ["a", "c"]
    assert "1 test left out: test 2 asks for `llm-rubric`" in unread_words(found)
    with pytest.raises(ConfigError, match="tui-eval can score none"):
        table_of_questions(config_of({"vars": {"q": "b"}, "assert": [{"type": "python", "value": "1"}]}), "f", None,
                           LeftOpen(skip_unscored=True))  # fmt: skip


OTHERWISE: dict[str, dict[str, Any]] = {
    "options": {"options": {"transform": "output.trim()"}},
    "provider": {"provider": "openai:gpt-5"},
    "assertScoringFunction": {"assertScoringFunction": "file://x.js"},
}


@pytest.mark.parametrize("key", OTHERWISE)
@pytest.mark.parametrize("of_all", [False, True])
def test_a_test_that_asks_otherwise_is_refused_by_the_key(key: str, of_all: bool) -> None:
    """Of one test, and of all in defaultTest."""
    test = {"vars": {"question": "a"}, "assert": [{"type": "contains", "value": "x"}]}
    text = config_of(test, defaultTest=OTHERWISE[key]) if of_all else config_of({**test, **OTHERWISE[key]})
    with pytest.raises(ConfigError, match=f"test 1: asks for `{key}`, which tui-eval cannot import"):
        table_of_questions(text, "f")


def test_what_holds_for_all_tests_holds_for_each() -> None:
    """Assertions, variables and threshold of defaultTest; a test's own go before."""
    usual = {"assert": [{"type": "icontains", "value": "{{ word }}"}], "vars": {"word": "so"}, "threshold": 0.5}
    tests = [{"vars": {"question": "a"}}, {"vars": {"question": "b", "word": "x"}, "threshold": 1}]

    found = table_of_questions(config_of(*tests, defaultTest=usual), "f")

    assert [rules[0]["assert"][0]["value"] for rules in own(found)] == ["so", "x"]
    assert [rules[0]["test_threshold"] for rules in own(found)] == [0.5, 1.0]
    assert [question.data["word"] for question in found.questions] == ["so", "x"]
    assert "show it in your prompts as {word}" in unread_words(found)


def test_a_template_that_is_more_than_a_variable_is_refused() -> None:
    """What it would become is for promptfoo to say."""
    for value in ("{{ word | upper }}", "{{ other }}", "{% if x %}y{% endif %}"):
        text = config_of({"vars": {"question": "a", "word": "x"}, "assert": [{"type": "equals", "value": value}]})
        with pytest.raises(ConfigError, match="test 1: asks for `equals` with") as refused:
            table_of_questions(text, "f")
        assert "template" in str(refused.value) or "not a variable" in str(refused.value)


def test_a_table_of_tests_keeps_its_assertions() -> None:
    """A text alone is to be equal; several columns; a threshold."""
    table = (
        "question,__expected1,__expected2,__threshold,__description\n"
        'Why?,So.,,,one\nHow?,icontains: thus,"contains-any: a,b",0.5,\nWhen?,at 12:30: sharp,,,\n'
    )

    found = table_of_questions(table, "f")

    assert own(found) == [
        [{"use": "promptfoo", "assert": [{"type": "equals", "value": "So."}]}],
        [
            {
                "use": "promptfoo",
                "assert": [{"type": "icontains", "value": "thus"}, {"type": "contains-any", "value": ["a", "b"]}],
                "test_threshold": 0.5,
            }
        ],
        [{"use": "promptfoo", "assert": [{"type": "equals", "value": "at 12:30: sharp"}]}],
    ]
    with pytest.raises(ConfigError, match="f:2: asks for `llm-rubric`"):
        table_of_questions("question,__expected\nWho?,llm-rubric: is kind\n", "f")


def test_lists_of_right_answers_stay_lists() -> None:
    """SQuAD's impossible questions have none; the first is shown to people."""
    squad = read_set(SETS / "squad_v2.json").questions
    assert {len(each.data["answers"]) for each in squad} == {0, 1, 2}
    assert all((each.truth is None) == (not each.data["answers"]) for each in squad)
    assert {each.group("title") for each in squad} == {("Skerrow",), ("Harrowmere",), ("Bell foundry",)}
    truths = read_set(SETS / "truthfulqa.csv").questions
    assert all(len(each.data["Correct Answers"]) >= 2 and each.truth == each.data["Best Answer"] for each in truths)


def test_a_schema_that_stands_alone_is_the_rule_of_its_sample() -> None:
    """With the values expected beside it, it is a column like others."""
    found = read_set(SETS / "extraction_schema.jsonl")
    assert {each.data["scorers"][0]["schema"]["properties"]["price"]["minimum"] for each in found.questions} == {0.5}
    beside = json.dumps({"text": "t", "schema": {"type": "object"}, "expected": {"a": 1}})
    assert "scorers" not in table_of_questions(beside + "\n", "f").questions[0].data


def test_what_is_left_out_of_an_import_is_told_with_it(tmp_path: Path) -> None:
    """Mixed options, and one letter throughout."""
    notes = looked_at(SETS / "truthfulqa_mc1.jsonl", None, LeftOpen(seed=3)).notes
    assert notes == ("the right option is first in the file: the options of 31 questions were mixed by seed 3",)
    kept = import_set(Workspace(tmp_path), SETS / "truthfulqa_mc1.jsonl", "one")
    assert read_set(kept.path).questions == kept.questions.questions and read_set(kept.path).notes == ()
