"""Laws of what a panel comes to: which outputs are the answer, what is graded how, and how many calls it takes (spec 003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from makers import load_panel
from panels import DOERS, MODELS, STAGES, failing, items, of, run, user

from tui_eval.core.calls import Call, Reply

EXACT = '[panel.benchmark]\nmode = "exact"\n'
LLM = '[panel.benchmark]\nmode = "llm"\nscorer = { model = "scorer" }\n'


# ------------------------------------------------------------------------------------------------- results and grades


@pytest.mark.parametrize(("rest", "stage"), [(STAGES["rest"], "final"), ("", "doer")])
def test_the_answer_is_the_final_judges_or_the_doers(tmp_path: Path, rest: str, stage: str) -> None:
    """Primary outputs are the finals where there are any, else the doers; judges are kept beside them."""
    loaded = load_panel(tmp_path, **{**STAGES, "rest": rest})
    evaluation = loaded.evaluation

    row, asked = run(loaded)
    result: Mapping[str, Any] = evaluation.kind.sample_form.result(evaluation.task, row)

    assert result["primary_outputs"] == result[f"{stage}s"] != []
    assert [entry["text"].split(" says")[0] for entry in result["doers"]] == [f"doer {name} {index}" for name, index in DOERS]
    assert len(result["judges"]) == len(of("judge", asked))
    assert {entry["model_id"] for entry in result["doers"]} == {"maker/one-1", "maker/two-1"}
    assert (result["doc_id"], result["q_index"], result["question"]) == ("__no_doc__", 0, "What is one?")


def test_finals_that_failed_are_still_the_answer(tmp_path: Path) -> None:
    """Where final judges are configured their outputs are the answers, failed ones told as failed."""
    loaded = load_panel(tmp_path, **STAGES)
    evaluation = loaded.evaluation

    row, _ = run(loaded, failing("final"))
    result: Mapping[str, Any] = evaluation.kind.sample_form.result(evaluation.task, row)

    assert [(entry["text"], entry["status"], entry["why"]) for entry in result["primary_outputs"]] == [
        (None, "timeout", "timeout")
    ]


def test_doers_do_not_stand_in_for_final_judges(tmp_path: Path) -> None:
    """Where final judges are configured and none was reached, there is no answer: a doer's is never passed off as one."""
    loaded = load_panel(tmp_path, **STAGES)
    evaluation = loaded.evaluation
    row, _ = run(loaded)

    result: Mapping[str, Any] = evaluation.kind.sample_form.result(
        evaluation.task, replace(row, replies=row.replies[:4], error="a bug")
    )

    assert len(result["doers"]) == 4
    assert result["primary_outputs"] == []


def test_questions_have_their_scope_and_documents_their_truths(tmp_path: Path) -> None:
    """A question is asked of the documents it names, or of all; a document's own truth wins over the general one."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    questions = """questions = [
  { question = "Who?", truth = "x", document_truths = { b = "y" } },
  { question = "What?", truth = "z", documents = ["b"] },
  "Why?",
]"""
    loaded = load_panel(tmp_path, questions=questions, panel='documents = ["a.txt", "b.txt"]', rest=EXACT)

    rows = [run(loaded, lambda call: Reply(call, "ok", text="y"), index)[0] for index in range(len(items(loaded)))]

    assert [(row.sample.id, row.sample.q_index, row.scores[0].value) for row in rows] == [
        ("a/q0", 0, 0),
        ("a/q2", 2, None),
        ("b/q0", 0, 1),
        ("b/q1", 1, 0),
        ("b/q2", 2, None),
    ]


@pytest.mark.parametrize(("strip", "value"), [(True, 1), (False, 0)])
def test_exact_matching_asks_nobody(tmp_path: Path, strip: bool, value: int) -> None:
    """Every answer of every stage is compared letter by letter; what failed has no value, and says why."""
    rest = f"{STAGES['rest']}{EXACT}strip_whitespace = {str(strip).lower()}\n"
    loaded = load_panel(tmp_path, panel='truths = ["1", "2"]', **{**STAGES, "rest": rest})

    row, asked = run(loaded, lambda call: failing("judge")(call) if call.stage == "judge" else Reply(call, "ok", text=" 1\n"))
    scores = {(score.stage, score.model, score.call_index): (score.value, score.why) for score in row.scores}

    assert "scorer" not in {call.stage for call in asked}
    assert scores == {
        **{("doer", *doer): (value, "") for doer in DOERS},
        **{("judge", "three", index): (None, "no reply: timeout") for index in (0, 1)},
        ("final", "two", 0): (value, ""),
    }


def test_the_scorer_grades_every_valid_answer(tmp_path: Path) -> None:
    """One scorer call for each answer that came, with truth and candidate, at temperature 0; none for one that did not."""
    loaded = load_panel(tmp_path, panel='truths = ["the truth", "2"]', **{**STAGES, "rest": STAGES["rest"] + LLM})

    def answer(call: Call) -> Reply:
        return Reply(call, "ok", text=str(call.call_index % 2)) if call.stage == "scorer" else failing("doer:two")(call)

    row, asked = run(loaded, answer)
    scorers = of("scorer", asked)

    assert len(scorers) == 3 + 2 + 1
    assert {call.temperature for call in scorers} == {0.0}
    assert all("GROUND TRUTH: the truth\n" in user(call) and "What is one?" not in user(call) for call in scorers)
    assert [f"CANDIDATE: {call.follows[0].text}\n" in user(call) for call in scorers] == [True] * 6
    assert len({call.about for call in scorers}) == 6
    assert [score.value for score in row.scores] == [0, 1, None, 0, 1, 0, 1]


@pytest.mark.parametrize(("scorer", "temperature"), [("use_temperature = false", None), ("temperature = 0.3", 0.3)])
def test_the_scorers_temperature_can_be_changed_or_left_out(tmp_path: Path, scorer: str, temperature: float | None) -> None:
    """It is 0 unless another is given, and not sent at all where the model takes none."""
    rest = LLM.replace('"scorer" }', f'"scorer", {scorer} }}')
    loaded = load_panel(tmp_path, models=MODELS, panel='truths = ["1", "2"]', rest=rest)

    assert {call.temperature for call in of("scorer", run(loaded)[1])} == {temperature}


def test_the_scorer_may_be_shown_the_question(tmp_path: Path) -> None:
    """include_question puts the question before truth and candidate."""
    loaded = load_panel(tmp_path, models=MODELS, panel='truths = ["1", "2"]', rest=LLM + "include_question = true\n")

    text = user(of("scorer", run(loaded)[1])[0])

    assert text.index("QUESTION: What is one?") < text.index("GROUND TRUTH: 1") < text.index("CANDIDATE:")


@pytest.mark.parametrize(
    ("second", "value", "why"),
    [
        ("1", 1, ""),
        ("still not", None, "scorer unparsed"),
        ("timeout", None, "scorer failed: timeout"),
        ("skipped_budget", None, "scorer unparsed"),
    ],
)
def test_an_unreadable_grade_is_asked_for_once_more(tmp_path: Path, second: str, value: int | None, why: str) -> None:
    """One reminder in the same conversation; then a grade, or none with the reason, never a default. Where the reminder was
    not sent, the reply that came still could not be read."""
    loaded = load_panel(tmp_path, models=MODELS, panel='truths = ["1", "2"]', rest=LLM)

    def answer(call: Call) -> Reply:
        if call.stage != "scorer" or len(call.messages) == 2:
            return Reply(call, "ok", text="I think it is 1")
        return Reply(call, second) if second in ("timeout", "skipped_budget") else Reply(call, "ok", text=second)

    row, asked = run(loaded, answer)
    first, again = of("scorer", asked)

    assert again.messages[:2] == first.messages
    assert [message.role for message in again.messages[2:]] == ["assistant", "user"]
    assert again.messages[2].content == "I think it is 1"
    assert [(score.value, score.why) for score in row.scores] == [(value, why)]


# ------------------------------------------------------------------------------------------------- counts


@pytest.mark.parametrize(
    ("documents", "questions", "calls"), [(0, 1, (1, 0, 0)), (0, 3, (2, 1, 0)), (2, 2, (3, 2, 1)), (3, 1, (1, 0, 4))]
)
@pytest.mark.parametrize("mode", ["none", "exact", "llm"])
def test_the_plan_is_the_specifications_formula(
    tmp_path: Path, documents: int, questions: int, calls: tuple[int, int, int], mode: str
) -> None:
    """max(1, D) x Q x (doer calls + judge calls + final calls), and as many again to score them by a model."""
    for number in range(documents):
        (tmp_path / f"d{number}.txt").write_text("x")
    stages = dict(zip(("doers", "judges", "finals"), calls, strict=True))
    rows = "".join(f'[[panel.{stage}]]\nmodel = "one"\ncalls = {n}\n' for stage, n in stages.items() if n)
    texts = [f'"q{number}"' for number in range(questions)]
    lists = f"questions = [{', '.join(texts)}]\n" + ("" if mode == "none" else f"truths = [{', '.join(texts)}]\n")
    names = [f'"d{number}.txt"' for number in range(documents)]
    loaded = load_panel(
        tmp_path,
        run="max_calls = 1000",
        models=MODELS,
        questions=lists,
        panel=f"documents = [{', '.join(names)}]",
        doers=rows,
        rest={"none": "", "exact": EXACT, "llm": LLM}[mode],
    )
    base = max(1, documents) * questions * sum(calls)

    plan = loaded.plan
    asked = sum(len(run(loaded, lambda c: Reply(c, "ok", text="1"), index)[1]) for index in range(len(items(loaded))))

    assert plan["base_calls"] == base
    assert plan["score_calls"] == (base if mode == "llm" else 0)
    assert plan["total_calls"] == plan["base_calls"] + plan["score_calls"] == asked
    assert plan["up_to_more"] == plan["score_calls"]
    assert plan["factors"] == {
        "documents": max(1, documents),
        "questions": questions,
        "doer_n": calls[0],
        "judge_n": calls[1],
        "final_n": calls[2],
    }


def test_repeats_multiply_the_plan(tmp_path: Path) -> None:
    """Cap and plan cover all repeats."""
    single, thrice = (load_panel(tmp_path, run=f"repeat = {repeat}", **STAGES).plan for repeat in (1, 3))

    assert single["total_calls"] == 2 * (4 + 2 + 1)
    assert thrice["total_calls"] == 3 * single["total_calls"]
    assert thrice["items"] == 3 * single["items"]


def test_a_narrow_scope_is_counted_as_it_is(tmp_path: Path) -> None:
    """Questions that are asked of some documents only are not planned for the others."""
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    questions = 'questions = ["Who?", { question = "What?", documents = ["b"] }]'
    loaded = load_panel(tmp_path, questions=questions, panel='documents = ["*.txt"]')

    assert loaded.plan["total_calls"] == len(items(loaded)) == 4


def test_a_reply_that_will_be_asked_again_leaves_its_item_unfinished(tmp_path: Path) -> None:
    """An item is finished when every reply is final."""
    loaded = load_panel(tmp_path, **STAGES)

    finished = [
        run(loaded)[0].finished,
        run(loaded, failing("judge"))[0].finished,
        run(loaded, lambda call: replace(failing("judge")(call), final=call.stage != "judge"))[0].finished,
    ]

    assert finished == [True, True, False]
