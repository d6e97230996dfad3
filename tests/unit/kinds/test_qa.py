"""Kind qa: rows of any columns, prompts with slots, solved samples, scorers by row; what is written wrong is told in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui_eval.configuring.loading import Loaded, load, resolved
from tui_eval.configuring.preparing import prepare
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.results import SampleResult
from tui_eval.evaluation import sample_results
from tui_eval.evaluation.scorer_report import ScorerReport
from tui_eval.kinds.qa.resolving import QaTask
from tui_eval.reading.prompts import template_of
from tui_eval.results.sums.series import NO_TRUTH
from tui_eval.workspace.places import Workspace

Table = dict[str, Any]
ROWS: list[Table] = [
    {"question": "What is 3 and 4?", "answer": "They are 7.\n#### 7", "topic": "sums", "hint": "count"},
    {"question": "What is 5 and 4?", "answer": "#### 9", "topic": "sums", "hint": "add"},
    {"question": "What is 5 times 4?", "answer": "#### 20", "topic": "products", "hint": ""},
    {"question": "How many moons has Mars?", "answer": "#### 2", "topic": "sky", "hint": "few"},
]
PLAIN: Table = {"name": "plain", "text": "{question}"}
HINTED: Table = {"name": "hinted", "system": "Be brief.", "text": "Hint: {hint}\n{question}"}
SLOW = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def loaded(folder: Path, rows: Sequence[Mapping[str, Any]] = ROWS, text: str | None = None, **table: Any) -> Loaded:
    """A config of these rows, loaded; `text`: the set's file instead of them."""
    file = table.pop("dataset", "rows.jsonl")
    (folder / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows) if text is None else text, encoding="utf-8")
    models = [{"name": name, "wire": "simulator", "model": f"sim-{name}"} for name in ("scholar", "sprinter")]
    given: Table = {"target": "answer", "prompts": [PLAIN], "models": ["scholar", "sprinter"], "scorers": ["number"]}
    filled = {name: value for name, value in {**given, **table}.items() if value is not None}
    top = {key: filled.pop(key) for key in ("scorers", "scoring") if key in filled}
    asked = {"dataset": file, **filled}
    config = {"kind": "qa", "name": "t", **top, "run": {"max_calls": 1000}, "models": models, "qa": asked}
    (folder / "config.toml").write_text(tomli_w.dumps(config), encoding="utf-8")
    return load(folder / "config.toml", Workspace(folder))


def loaded_set(folder: Path, dataset: str) -> Loaded:
    """A config that asks a set by its name or path, loaded."""
    table = {"dataset": dataset, "prompts": [PLAIN], "models": ["scholar"], "target": "answer"}
    model = {"name": "scholar", "wire": "simulator", "model": "sim-scholar"}
    config = {"kind": "qa", "scorers": ["number"], "models": [model], "qa": table}
    (folder / "c.toml").write_text(tomli_w.dumps(config))
    return load(folder / "c.toml", Workspace(folder))


def refused(folder: Path, **more: Any) -> str:
    """What is said of a config that does not load."""
    with pytest.raises(ConfigError) as error:
        loaded(folder, **more)
    return str(error.value)


def answered(found: Loaded, say: str = "") -> list[SampleResult]:
    """All rows, every call answered by the length of its prompt, or with these words."""

    def answer(call: Call) -> Reply:
        return Reply(call, "ok", text=say or f"The answer is {len(call.messages[-1].content) % 11}.")

    rows = [found.evaluation.driven(sample, answer) for sample in found.evaluation.samples()]
    assert [row.error for row in rows if row.error] == []
    return rows


def scores(found: Loaded, say: str = "") -> dict[tuple[str, str, str, str], tuple[float | None, str]]:
    """Value and reason by item, prompt, model and metric."""
    units, task = found.evaluation.kind.units, found.evaluation.task
    told = {}
    for row in answered(found, say):
        unit = units.unit(task, row.sample)
        told |= {(unit.item, unit.variant, each.model, each.name): (each.value, each.why) for each in row.scores}
    return told


def task_of(found: Loaded) -> QaTask:
    task = found.evaluation.task
    assert isinstance(task, QaTask)
    return task


def prompt_of(found: Loaded, n: int = 0) -> list[tuple[str, str]]:
    """Role and text of the messages that the n-th sample asks."""
    sample = list(found.evaluation.samples())[n]
    (reply,) = found.evaluation.driven(sample, lambda call: Reply(call, "ok", text="1")).replies
    return [(message.role, message.content) for message in reply.call.messages]


@pytest.mark.parametrize("name", ["answer [en]", "a..b", "right.", "[0]"])
def test_the_name_of_a_column_is_no_path_where_a_sample_lacks_it(name: str, tmp_path: Path) -> None:
    """Such a sample has no target; the others have theirs."""
    rows = [{"question": "a?", name: "1"}, {"question": "b?"}]
    task = loaded(tmp_path, rows, target=name).evaluation.task

    assert isinstance(task, QaTask)
    assert [row.expected.targets for row in task.rows] == [("1",), None]


def test_answers_with_apostrophes_in_one_text_are_a_list(tmp_path: Path) -> None:
    """TruthfulQA as a table, which Python shows as a cell of JSON would begin."""
    text = "Question,Best Answer,Correct Answers,Incorrect Answers\na?,It's so,It's so; Yes,No\n"
    task = loaded(
        tmp_path, text=text, dataset="t.csv", target=None, prompts=[{"name": "p", "text": "{Question}"}]
    ).evaluation.task

    assert isinstance(task, QaTask) and task.rows[0].expected.targets == ("It's so", "Yes")


def test_columns_that_could_both_be_the_target_are_named(tmp_path: Path) -> None:
    """Where the config names none; one that it names is taken."""
    rows = [{"question": "a?", "text": "t", "answer": "1", "label": "2"}]

    said = refused(tmp_path, rows=rows, target=None)
    task = loaded(tmp_path, rows, target="label").evaluation.task

    assert "qa.target: is missing; answer, label could each be the right answer; name the column" in said
    assert isinstance(task, QaTask) and task.rows[0].expected.targets == ("2",)


@SLOW
@given(data=st.data())
def test_no_order_changes_a_score(tmp_path: Path, data: st.DataObject) -> None:
    """Of models, prompts, or samples: an item's scores are the same, under the same identity."""
    prompts = [PLAIN, HINTED]
    first = scores(loaded(tmp_path, prompts=prompts, scorers=["number", "contains"]))

    other = scores(
        loaded(
            tmp_path,
            data.draw(st.permutations(ROWS)),
            prompts=data.draw(st.permutations(prompts)),
            models=data.draw(st.permutations(["scholar", "sprinter"])),
            scorers=data.draw(st.permutations(["number", "contains"])),
        )
    )

    assert other == first and len(first) == 4 * 2 * 2 * 3


@SLOW
@given(name=st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8), value=st.text(max_size=20))
def test_another_column_changes_nothing(tmp_path: Path, name: str, value: str) -> None:
    """Whatever stands in it, as long as no prompt shows it."""
    before = scores(loaded(tmp_path, prompts=[PLAIN, HINTED]))

    if name not in (*ROWS[0], "scorers", "only_scorers", "id"):
        assert scores(loaded(tmp_path, [{name: value, **row} for row in ROWS], prompts=[PLAIN, HINTED])) == before


@SLOW
@given(name=st.text(st.characters(categories=["L", "Nd", "Zs"], include_characters="_-"), min_size=1, max_size=12))
def test_a_column_that_is_renamed_with_its_slot_changes_nothing(tmp_path: Path, name: str) -> None:
    """Column names match whole, with capitals, digits and blanks."""
    if name in ("answer", "topic", "hint", "id", "scorers", "only_scorers"):
        return
    before = scores(loaded(tmp_path, prompts=[PLAIN, HINTED]))

    rows = [{name if key == "question" else key: value for key, value in row.items()} for row in ROWS]
    prompts = [{**each, "text": each["text"].replace("{question}", f"{{{name}}}")} for each in (PLAIN, HINTED)]

    assert scores(loaded(tmp_path, rows, prompts=prompts)) == before


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{a} and {A b}", "1 and 2"),
        (r"\frac{a}{b} \text{a} {a}", r"\frac{a}{b} \text{a} 1"),
        (r"\sqrt[3]{\frac{x}{y}}{a} = {a}", r"\sqrt[3]{\frac{x}{y}}{a} = 1"),
        (r"\{a\} {a}", r"\{a\} 1"),
        (r"\{{a}\} x^{a} y_{ij}", r"\{1\} x^1 y_{ij}"),
        ('{"key": {a}, "more": {"b": 2}} {} {1} {x y}', '{"key": 1, "more": {"b": 2}} {} {1} {x y}'),
        (r"\unclosed{ {a}", r"\unclosed{ 1"),
    ],
)
def test_braces_that_name_no_column_are_text(text: str, shown: str) -> None:
    """Behind a LaTeX command, escaped, in JSON, around numbers and blanks; what is filled in is never filled again."""
    assert template_of(text, ["a", "A b"]).filled({"a": "1", "A b": "2"}) == shown
    assert template_of("{a}", ["a", "b"]).filled({"a": "{b}", "b": "no"}) == "{b}"


def test_an_unknown_slot_is_told_with_the_nearest_column(tmp_path: Path) -> None:
    """And one in two pairs of braces with how it is written; the key of the prompt is named."""
    said = refused(tmp_path, prompts=[{"name": "p", "text": "{qestion}"}])
    assert "qa.prompts[0].text" in said and "did you mean {question}?" in said and r"\{qestion\}" in said

    said = refused(tmp_path, prompts=[PLAIN, {"name": "p", "system": "{{question}}", "text": "{question}"}])
    assert "qa.prompts[1].system" in said and "single braces here: {question}" in said


def test_a_prompt_that_shows_the_target_is_told(tmp_path: Path) -> None:
    """Models would be told the right answer."""
    told = loaded(tmp_path, prompts=[PLAIN, {"name": "leaky", "text": "{question} {answer}"}]).warnings

    assert [one for one in told if "the target" in one] == [
        "qa.prompts: leaky: shows answer, the target, so models see the right answer"
    ]
    assert not [one for one in loaded(tmp_path, prompts=[PLAIN]).warnings if "the target" in one]


WRONG: Mapping[str, tuple[Table, tuple[str, ...]]] = {
    "no such column": ({"target": "anwser"}, ("qa.target", "did you mean 'answer'?")),
    "no target named": (
        {"target": None, "rows": [{"question": "Q", "right": "1", "hint": "x"}]},
        ("qa.target", 'target = "answer"', "question, right, hint", "number"),
    ),
    "an unknown scorer": ({"scorers": ["nmber"]}, ("scorers[0]", "did you mean 'number'?")),
    "nothing judges": ({"scorers": ["length"]}, ("length", "headline")),
    "two prompts of one name": ({"prompts": [PLAIN, PLAIN]}, ("'plain'", "another name")),
    "a prompt without text": (
        {"prompts": [{"name": "p"}], "rows": [{"asked": "?", "answer": "1"}]}, ("qa.prompts[0].text", "{question}", "asked"),
    ),
    "a prompt with two": ({"prompts": [{**PLAIN, "column": "hint"}]}, ("'plain'", "one of text, messages and column")),
    "few-shot without a file": ({"fewshot": 2}, ("fewshot_from", "give both")),
    "images that are not there": ({"images": "hint"}, ("document 'count'", "no such file beside rows.jsonl")),
    "a lost slot": ({"rows": [*ROWS, {"answer": "1"}]}, ("qa.dataset", "rows.jsonl:5", "question")),
    "an id twice": ({"rows": [{**row, "id": 1} for row in ROWS]}, ("rows.jsonl:2", "id", "rows.jsonl:1")),
    "an id that is none": ({"rows": [{**ROWS[0], "id": ["x"]}]}, ("rows.jsonl:1", "id")),
    "a row with a bad rule": ({"rows": [{**ROWS[0], "scorers": ["numbr"]}]}, ("rows.jsonl:1", "scorers", "'number'")),
    "a row that sets a headline": (
        {"rows": [{**ROWS[0], "scorers": [{"use": "exact", "headline": True}]}]},
        ("rows.jsonl:1", "headline", "the config's scorers"),
    ),
    "messages that are none": (
        {"prompts": [{"name": "p", "column": "hint"}]}, ("rows.jsonl:1", "hint", "role, content"),
    ),
    "no targets at all": ({"rows": [{**row, "answer": None} for row in ROWS]}, ("qa.target", "no sample")),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG.values(), ids=list(WRONG))
def test_what_is_written_wrong_is_told_with_place_and_next_step(wrong: tuple[Table, tuple[str, ...]], tmp_path: Path) -> None:
    """The key or the file with its line, and what can be done."""
    table, words = wrong
    said = refused(tmp_path, **table)

    assert [word for word in words if word not in said] == [], said


def test_columns_that_are_certain_by_their_names_need_not_be_named(tmp_path: Path) -> None:
    """Target and what is asked; both are told, and what the config says goes before."""
    rows = [{"title": "T", "context": f"C{n}.", "question": f"Q{n}?", "answers": {"text": ["1", "2"]}, "answer": "9"}
            for n in range(3)]  # fmt: skip
    squad = [{name: value for name, value in row.items() if name != "answer"} for row in rows]
    bare = [{"name": "plain"}]

    found = loaded(tmp_path, squad, target=None, prompts=bare)

    task: QaTask = found.evaluation.task
    assert [row.expected.targets for row in task.rows] == [("1", "2")] * 3
    (reply,) = answered(found)[0].replies
    assert reply.call.messages[-1].content == "Context: C0.\n\nQuestion: Q0?"
    notes = " ".join(found.warnings)
    assert "the target is answers.text (qa.target)" in notes and "(qa.prompts)" in notes and "qa.group = 'title'" in notes
    named = loaded(tmp_path, rows, target="answer", group="title")
    assert {row.expected.targets for row in named.evaluation.task.rows} == {("9",)}
    assert not any("by the names" in note or "qa.group" in note for note in named.warnings)


def test_a_run_s_own_config_leaves_nothing_to_the_names_of_columns(tmp_path: Path) -> None:
    """What was found by them is written down: where they would tell otherwise, the same is asked and expected."""
    rows = [{"question": f"Q{n}?", "answer": str(n)} for n in range(3)]
    others = [{**row, "context": "C.\nD.", "targets": ["9"], "expected_output": "9"} for row in rows]
    bare: Table = {"target": None, "prompts": [{"name": "plain"}]}

    def asked(found: Loaded) -> list[tuple[Any, ...]]:
        expected = [row.expected.targets for row in task_of(found).rows]
        return [(prompt_of(found, n), expected) for n in range(len(expected))]

    found = loaded(tmp_path, rows, **bare)
    stored = resolved(found)["qa"]
    again = loaded(tmp_path, others, target=stored["target"], prompts=stored["prompts"])
    assert (stored["target"], stored["prompts"][0]["text"]) == ("answer", "{question}")
    assert asked(again) == asked(found) and resolved(again)["qa"]["prompts"] == stored["prompts"]

    untold = [{"question": f"Q{n}?"} for n in range(3)]
    found = loaded(tmp_path, untold, **bare, scorers=["json"])
    stored = resolved(found)["qa"]
    again = loaded(tmp_path, others, target=stored["target"], prompts=stored["prompts"], scorers=["json"])
    assert asked(again) == asked(found) and {row.expected.targets for row in task_of(again).rows} == {None}
    assert asked(loaded(tmp_path, others, **bare, scorers=["json"])) != asked(found)


def test_a_prepared_run_loads_to_the_same_calls(tmp_path: Path) -> None:
    """From its folder, where the columns that were found are named."""
    rows = [{"question": f"Q{n}?", "answer": str(n)} for n in range(3)]
    found = loaded(tmp_path, rows, target=None, prompts=[{"name": "plain"}])
    prepare(found, tmp_path / "runs" / "one", lambda text: text, [])

    again = load(tmp_path / "runs" / "one" / "config.toml", Workspace(tmp_path))

    assert (again.file.content["qa"]["target"], again.file.content["qa"]["prompts"][0]["text"]) == ("answer", "{question}")
    assert [prompt_of(again, n) for n in range(3)] == [prompt_of(found, n) for n in range(3)]
    assert not any("by the names" in note for note in again.warnings)


def test_a_sample_s_own_rule_stands_in_place_of_the_config_s(tmp_path: Path) -> None:
    """Of the same name; decimal numbers of its options are numbers, as are those of a target that is an object."""
    schema = {"type": "object", "properties": {"a": {"minimum": 0.5}}}
    rows = [{"question": "Q?", "answer": {"a": 1.5}, "scorers": [{"use": "json", "schema": schema, "equal": True}]}]

    task: QaTask = loaded(tmp_path, rows, scorers=["json", "length"]).evaluation.task

    assert [row.use for row in task.rows[0].scorers] == ["length", "json"] and task.rows[0].expected.targets == ('{"a": 1.5}',)


def test_the_same_question_with_another_rule_of_its_own_is_another_item(tmp_path: Path) -> None:
    """Across runs it is not compared with itself as it was."""
    own = [{"use": "promptfoo", "assert": [{"type": "contains", "value": word}]} for word in ("a", "b")]
    rows = [{"question": "Q?", "only_scorers": [each]} for each in own]

    first, second = loaded(tmp_path, rows, target=None, scorers=None).evaluation.task.rows

    assert first.item != second.item


def test_a_file_that_a_row_names_is_attached_or_told_to_be_missing(tmp_path: Path) -> None:
    """By its name out of the config's files; a text stands where the column's slot is."""
    (tmp_path / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "page.md").write_text("The page.")
    files, rows = ["dot.png", "page.md"], [{**ROWS[0], "image": "scans/dot.png", "text": "page.md"}]
    shown = {"name": "p", "text": "{text}\n{question}"}

    found = loaded(tmp_path, rows, images="image", documents="text", files=files, prompts=[shown])

    (reply,) = answered(found)[0].replies
    assert [each.mime for each in reply.call.messages[-1].attachments] == ["image/png"]
    assert "The page." in reply.call.messages[-1].content
    said = refused(tmp_path, rows=[{**rows[0], "image": "dott.png"}], images="image", files=files)
    assert "rows.jsonl:1" in said and "'dott.png'" in said and "'dot.png'" in said and "qa.files" in said
    said = refused(tmp_path, rows=rows, images="text", files=files)
    assert "page.md" in said and "qa.documents" in said


def test_solved_samples_stand_before_the_question_and_never_hold_it(tmp_path: Path) -> None:
    """The same for all models, as a common beginning; one of equal text is passed over, case and blanks aside."""
    solved = [{**ROWS[0], "question": "what is  3 AND 4?"}, *({**ROWS[0], "question": f"What is {n}?"} for n in range(5))]
    (tmp_path / "solved.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in solved))

    found = loaded(tmp_path, fewshot_from="solved.jsonl", fewshot=4, prompts=[HINTED])

    shown = [prompt_of(found, n) for n in range(len(ROWS) * 2)]
    assert all([role for role, _ in each] == ["system", *["user", "assistant"] * 4, "user"] for each in shown)
    assert not any("3 and" in text.casefold() for role, text in shown[0][:-1])
    by_question = {each[-1]: [other for other in shown if other[-1] == each[-1]] for each in shown}
    assert all(same[0] == same[1] for same in by_question.values())
    assert shown[2][:-1] == shown[4][:-1] and shown[2][-1] != shown[4][-1]


def test_shots_from_the_set_itself_are_noted_and_too_few_refused(tmp_path: Path) -> None:
    """Whoever shows answers that are asked for is told so."""
    found = loaded(tmp_path, fewshot_from="rows.jsonl", fewshot=2)
    assert any("fewshot_from: is the set itself" in warning for warning in found.warnings)
    assert all(len(prompt_of(found, n)) == 5 for n in range(8))

    said = refused(tmp_path, fewshot_from="rows.jsonl", fewshot=9)
    assert "qa.fewshot" in said and "has 4" in said


def test_a_missing_target_is_missing_and_counted(tmp_path: Path) -> None:
    """Neither 0 nor left out in silence: what compares with one has no value, what does not has."""
    found = loaded(tmp_path, [*ROWS, {**ROWS[0], "question": "And?", "answer": None}], scorers=["number", "is_refusal"])

    told = scores(found, "It is 7.")
    assert [value for (*_, name), (value, why) in told.items() if name == "number" and why == NO_TRUTH] == [None, None]
    assert all(value is not None for (*_, name), (value, _) in told.items() if name == "is_refusal")
    assert any(warning.startswith("1 of 5 samples has no target") for warning in found.warnings)


@pytest.mark.parametrize(
    ("target", "said", "right"),
    [
        (["seven", "7"], "7", 1.0),
        (["seven", "7"], "eight", 0.0),
        ([], "", 1.0),
        ([], "7", 0.0),
    ],
)
def test_a_list_of_targets_takes_the_best_and_an_empty_one_wants_no_answer(
    target: list[str], said: str, right: float, tmp_path: Path
) -> None:
    """As SQuAD 2 has them."""
    found = loaded(tmp_path, [{**ROWS[0], "answer": target}], scorers=["em"], models=["scholar"])
    sample = next(iter(found.evaluation.samples()))

    def answer(call: Call) -> Reply:
        return Reply(call, "ok", text=said) if said else Reply(call, "error", error_kind="empty", error_message="empty")

    (score,) = found.evaluation.driven(sample, answer).scores

    assert score.value == right


def test_a_table_holds_lists_as_json(tmp_path: Path) -> None:
    """A CSV or TSV has the same samples as JSON Lines, lists of targets too."""
    expected = [("7", "seven"), ("9",)]
    for name, separator in (("t.csv", ","), ("t.tsv", "\t"), ("u.csv", ";")):
        lines = [["question", "answer"], ["One?", '"[""7"", ""seven""]"'], ["Two?", "9"]]
        found = loaded(tmp_path, text="\n".join(separator.join(line) for line in lines), dataset=name)
        assert [row.expected.targets for row in task_of(found).rows] == expected


def test_a_folder_of_questions_is_read(tmp_path: Path) -> None:
    """A Questions.md has the columns id, question, answer and documents."""
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "Questions.md").write_text("1. What is one?\n   Answer: 1\n")

    found = loaded_set(tmp_path, "set")

    assert [(row.truth, row.values) for row in task_of(found).rows] == [("1", {"question": "What is one?"})]


def test_samples_of_a_group_are_one_cluster_and_a_breakdown(tmp_path: Path) -> None:
    """Without a group, each stands alone; equal samples are told apart by their order."""
    found = loaded(tmp_path, group="topic")
    units, samples = found.evaluation.kind.units, list(found.evaluation.samples())
    assert [units.unit(found.evaluation.task, each).clusters[0] for each in samples[::2]] == [row["topic"] for row in ROWS]
    assert [each.group("topic") for each in samples[::2]] == [(row["topic"],) for row in ROWS]

    found = loaded(tmp_path, [ROWS[0], ROWS[0]])
    items = {found.evaluation.kind.units.unit(found.evaluation.task, each).item for each in found.evaluation.samples()}
    assert len(items) == 2


def test_a_row_adds_rules_or_brings_its_own(tmp_path: Path) -> None:
    """`scorers` beside the config's, `only_scorers` instead; each is a metric of the run."""
    rows = [{**ROWS[0], "scorers": ["contains"]}, {**ROWS[1], "only_scorers": [{"use": "regex", "pattern": "^9"}]}, ROWS[2]]
    found = loaded(tmp_path, rows, models=["scholar"])

    names = [[score.name for score in row.scores] for row in answered(found, "9")]
    assert names == [["number", "contains", "passed"], ["regex", "passed"], ["number", "passed"]]
    assert [metric.name for metric in found.evaluation.kind.metrics] == ["number", "contains", "regex", "passed"]
    assert found.evaluation.kind.units.headline == ("number",)
    task_of(found).scorers.fence.close()


@pytest.mark.parametrize(("scoring", "passes"), [({}, 0.0), ({"threshold": 0.5}, 1.0)])
def test_passing_is_a_metric_where_several_take_part(scoring: Table, passes: float, tmp_path: Path) -> None:
    """All must pass, or with a threshold their weighted mean reaches it; a single scorer has none beside it."""
    found = loaded(tmp_path, scorers=["number", "exact", "length"], scoring=scoring, models=["scholar"])
    first = answered(found, "It is 7.")[0]
    assert {score.name: score.value for score in first.scores}["passed"] == passes

    alone = loaded(tmp_path, models=["scholar"])
    assert [metric.name for metric in alone.evaluation.kind.metrics] == ["number"]


def test_a_headline_that_gives_nothing_is_told_with_what_would(tmp_path: Path) -> None:
    """Each with the share that it accepts when targets are shuffled; not a word where the headline gives something."""
    rows = [{"question": f"How many are {n}?", "answer": str(n)} for n in range(20, 32)]

    def said(scorer: str) -> str:
        found = loaded(tmp_path, rows, scorers=[scorer], models=["scholar"])
        report = found.evaluation.reporter()
        assert isinstance(report, ScorerReport)
        for sample in found.evaluation.samples():
            truth = sample.truth
            reply = f"Neither 20 nor 21: it is {truth}."
            report.add(found.evaluation.driven(sample, lambda call, reply=reply: Reply(call, "ok", text=reply)))  # type: ignore[misc]
        return report.tables()["accuracy"].note

    assert "`exact` 0 %" in said("exact") and "`number` 100 % (shuffled 0 %)" in said("exact")
    assert "`contains` 100 % (shuffled" in said("exact") and "rescore" in said("exact")
    assert "rescore" not in said("number")


def test_a_set_on_file_is_found_by_its_name(tmp_path: Path) -> None:
    """A file or a folder of datasets/, whatever the folder is that the config lies in."""
    sets = tmp_path / "datasets"
    (sets / "open").mkdir(parents=True)
    (sets / "open" / "Questions.md").write_text("1. What is one?\n   Answer: 1\n")
    (sets / "flat.json").write_text(json.dumps(ROWS))
    for name, n in (("open", 1), ("flat", 4), ("flat.json", 4)):
        assert len(task_of(loaded_set(tmp_path, name)).rows) == n


SQUAD = [{"context": "The pier was built in 1910.", "question": "When was the pier built?", "answers": ["1910"]}]


@pytest.mark.parametrize(
    ("rows", "text", "shown"),
    [
        (SQUAD, "{context}\n\n{question}", "When was the pier built?\n\ncontext: The pier was built in 1910."),
        (SQUAD, "{question} Think.", "When was the pier built?"),
        ([{"article": "A pier burnt.", "highlights": "Fire."}], "{article}\n\nSummarize.", "A pier burnt.\n\nSummarize."),
    ],
)
def test_lists_of_samples_show_the_question_first(rows: list[Table], text: str, shown: str, tmp_path: Path) -> None:
    """Its column, then what the prompt shows besides; where there is no such column, what was asked."""
    target = "highlights" if "article" in rows[0] else "answers"
    it = loaded(tmp_path, rows, target=target, prompts=[{"name": "p", "text": text}], scorers=["contains"]).evaluation
    sample = next(iter(it.samples()))

    assert (
        sample_results.sample_view(it.kind, it.task, it.driven(sample, lambda call: Reply(call, "ok", text="1"))).question
        == shown
    )
