"""Laws of what persons' ratings come to in a report: by model, claim, judge and person; whatever the kind, and in old files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chats import conversations, driven, good, loaded

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.reports import HumanRating
from tui_eval.core.results import Score, Table
from tui_eval.evaluation.judging.person_report import PersonReport
from tui_eval.kinds.chat import chat_report
from tui_eval.kinds.chat.dialogue_report import DialogueReport
from tui_eval.reading.claims import claim_id
from tui_eval.results.annotation_sample import AnswerPlace
from tui_eval.results.sums.board import Side
from tui_eval.results.sums.human_agreement import drawn_in_order, is_rated_by
from tui_eval.results.sums.judge_certificates import Telling

Answer = Callable[[Call], Reply]


def report(folder: Path, answer: Answer, talks: int, turns: int = 2, models: int = 2, **judge: Any) -> DialogueReport:
    """What dialogues come to, driven by this."""
    table = {"claims": False, "metrics": ["fluency"], "duplicates": 0, **judge}
    found = loaded(folder, conversations([turns] * talks), table, models=models)
    made = chat_report(found.evaluation.task)
    for row in driven(found, answer):
        made.add(row)
    return made


def people(made: DialogueReport) -> PersonReport:
    """The part that knows persons."""
    return next(part for part in made.parts if isinstance(part, PersonReport))


def rows(table: Table) -> list[dict[str, Json]]:
    """Its rows by column."""
    return [dict(zip(table.columns, (cell.value for cell in row), strict=True)) for row in table.rows]


def judging(mark: Callable[[Call], int]) -> Answer:
    """A judge that marks by this; the models give their examples."""

    def answer(call: Call) -> Reply:
        said = json.dumps({"reason": "So.", "score": mark(call)})
        return Reply(call, "ok", text=said) if call.stage == "judge" else good(call)

    return answer


def by_number(call: Call) -> int:
    """1 to 4, by the number of the conversation."""
    return 1 + int(call.item_id.partition("/c")[2]) % 4


def ratings(talks: int, person: str = "kim", off: int = 0, model: str = "a", **more: Any) -> Iterator[HumanRating]:
    """Of a model's first turns: what `by_number` gives, and so much more."""
    for n in range(1, talks + 1):
        about = {
            "item_id": f"{model}/c{n}",
            "repeat": 0,
            "turn": 1,
            "model": model,
            "metric": "fluency",
            "mark": 1 + n % 4 + off,
        }
        yield HumanRating(**{**about, "person": person, "chance": 0.5, "left": 2, **more})


def test_raw_is_the_mean_of_the_table_to_the_bit(tmp_path: Path) -> None:
    """Of each model as the board has it; of all models their answers of a conversation averaged together."""
    made = report(tmp_path, judging(by_number), 12)
    made.check([*ratings(12), *ratings(12, model="b")])
    every, a, b = people(made).checks()

    for check in (a, b):
        estimate = made.board.estimate(Side("answer", check.model, "fluency"))
        assert check.check.raw is estimate and check.check.raw.n == 12
    assert every.check.raw.value == a.check.raw.value and every.check.raw.scored == 48
    assert [row["n_used"] for row in rows(made.tables()["person_checks"])] == [24, 12, 12]
    assert "6 more ratings are missing (30 over 8 are needed; this set has 12 conversations)" in every.words
    assert "a has 24 judged answers: a correction is not possible with it; it takes 30" in a.words


def test_two_persons_stand_beside_each_other(tmp_path: Path) -> None:
    """The label is their mean, one's mark never takes the place of the other's; names of strangers are shown harmlessly."""
    made = report(tmp_path, judging(by_number), 40)
    made.check([*ratings(40), *ratings(30, "ada\x1b[2J", off=1)])
    every = people(made).checks()[0]
    (beside,) = rows(made.tables()["persons"])

    assert (every.check.persons, every.check.used) == (2, 40)
    corrected = every.check.corrected
    assert corrected is not None and corrected.value == pytest.approx((every.check.raw.value or 0) + 30 * 0.5 / 40)
    assert (beside["person_a"], beside["n_common"], beside["lean"], beside["percent"]) == ("kim", 30, 1.0, 0.0)
    assert "\x1b" not in str(beside["person_b"]) and "by 40 ratings of 2 persons over 40 conversations" in every.words
    assert "alternative_annotator" not in made.tables()
    assert any("50 answers that all 2 persons rated are needed, 30 are there" in said for said in made.judge_sentences())


def test_a_judge_in_the_place_of_persons(tmp_path: Path) -> None:
    """With 50 common answers it is tested against each of them."""
    made = report(tmp_path, judging(by_number), 52)
    made.check([*ratings(52), *ratings(52, "ada")])
    tests = rows(made.tables()["alternative_annotator"])

    assert [(row["judge"], row["person"], row["n_common"], row["won"]) for row in tests] == [
        ("judge", "kim", 52, "yes"), ("judge", "ada", 52, "yes"),
    ]  # fmt: skip
    words = "judge wins against 2 of 2 persons at epsilon 0.1 (52 common answers of 52 conversations)"
    assert any(words in said for table in made.headline() for said in [table.note])


def test_older_files_count_as_drawn_in_their_order(tmp_path: Path) -> None:
    """No person, no stage, no chance: the first 30 of the order that these versions drew; the rest only agrees."""
    made = report(tmp_path, judging(by_number), 20)
    names = [(AnswerPlace(f"{m}/c{n}", 0, turn, m), f"c{n}") for m in "ab" for n in range(1, 21) for turn in (1, 2)]
    order = drawn_in_order(names, 0)
    marks = [HumanRating(one.item_id, 0, one.turn, one.model, "fluency", 3) for one in order]
    made.check(marks)
    every = people(made).checks()[0].check
    assert (every.used, every.not_drawn, every.persons) == (30, 0, 1) and every.corrected is not None

    made.check([*marks[:10], *marks[11:]])
    every = people(made).checks()[0].check
    assert (every.used, every.not_drawn, every.agreement.n) == (10, 19, 29) and every.corrected is None


def claiming(supported: Callable[[int], bool]) -> Answer:
    """A judge that takes each answer apart into three claims of its own; which of them it calls borne out."""

    def answer(call: Call) -> Reply:
        if call.stage != "judge" or not call.about.startswith("claims"):
            return judging(lambda _: 4)(call)
        n = int(call.item_id.partition("/c")[2])
        quote = "Gate 1 of the canal opens at 1 bells."
        claims = [
            {
                "claim": f"Claim {n} {place}.",
                "quote": quote,
                "verdict": "supported" if supported(n * 3 + place) else "not found",
            }
            for place in range(3)
        ]
        return Reply(call, "ok", text=json.dumps({"claims": claims}))

    return answer


def test_claims_are_rated_one_by_one_and_certify_the_judge(tmp_path: Path) -> None:
    """Each by the digits of its text; the corrected mean is of the share that the table has; a claim that nobody made says
    nothing, nor does a mark of the whole answer."""
    made = report(tmp_path, claiming(lambda n: n % 2 == 0), 30, turns=1, models=1, claims=True)
    marks = []
    for n in range(1, 31):
        for place in range(3):
            judged = (n * 3 + place) % 2 == 0
            said, name = float(judged or place == 1), claim_id(f"CLAIM {n} {place}.")
            rating = HumanRating(f"a/c{n}", 0, 1, "a", "claims", said, "kim", claim=name)
            marks.append(replace(rating, chance=1 / (3 - place), left=3 - place))
    whole = [replace(mark, claim="") for mark in marks[:5]]
    unknown = [replace(mark, claim="0" * 16) for mark in marks[:5]]
    made.check([*marks, *whole, *unknown])
    every = people(made).checks()[0]
    found = people(made).telling("claims", "judge")

    assert (every.metric, every.check.used, every.check.raw.n) == ("claims", 90, 30)
    table = made.board.estimate(Side("answer", "a", "claims")).value
    assert every.check.raw.value == pytest.approx(table)
    assert isinstance(found, Telling) and found.n_yes + found.n_no == 90
    assert found.specificity == 1.0 and found.sensitivity == pytest.approx(45 / 60)
    made.check(marks[:40])
    few = people(made).checks()[0].check
    assert few.used == 40 and few.corrected is not None and few.corrected.low is not None


def test_marks_off_the_scale_or_of_answers_that_are_not_there_say_nothing(tmp_path: Path) -> None:
    """0 of a scale from 1 to 5, another stage, metric, model or turn; a run whose judge marks nothing has no such part."""
    made = report(tmp_path, judging(by_number), 12)
    one = next(ratings(1))
    off: list[dict[str, Any]] = [{"mark": 0}, {"mark": 6}, {"mark": 2.0**70}, {"stage": "judge"}, {"metric": "claims"}]
    strange = [*off, {"model": "z"}, {"turn": 9}, {"claim": "ab"}]
    made.check([replace(one, **change) for change in strange])
    assert people(made).checks() == [] and "person_checks" not in made.tables() and people(made).sentences() == []

    assert [is_rated_by(metric) for metric in (
        Metric("m", 1, 5), Metric("correct", threshold=1.0), Metric("claims"), Metric("share"), Metric("score", 0, 10),
    )] == [True, True, True, False, False]  # fmt: skip


def test_an_answer_with_two_scores_by_a_metric_cannot_be_rated(tmp_path: Path) -> None:
    """As a reply to several questions of a file has: nothing says which of them a mark is about."""
    found = loaded(tmp_path, conversations([1] * 9), {"claims": False, "metrics": ["fluency"], "duplicates": 0})
    made = chat_report(found.evaluation.task)
    for row in driven(found, judging(by_number)):
        twice: Sequence[Score] = [score for score in row.scores if score.name == "fluency"] * 2
        people(made).add(replace(row, scores=tuple(twice)), made.units.unit(found.evaluation.task, row.sample))
    made.check(list(ratings(9)))
    assert people(made).rated("fluency") == []
