"""Laws of choices between two models' answers: both orders, what contradicts itself is a tie, what is unread is missing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest
from chats import conversations, driven, failed, good, loaded

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.results import Table
from tui_eval.evaluation.judging.pairwise_preference import read_choice
from tui_eval.kinds.chat import chat_report

PAIRS = {"claims": False, "metrics": ["fluency"], "pairs": True}


def chats(folder: Path, models: int = 3, talks: int = 8, **judge: Json) -> Loaded:
    """Conversations of two turns with choices."""
    return loaded(folder, conversations([2] * talks), {**PAIRS, **judge}, models=models)


def choosing(call: Call, order: str) -> Reply:
    """A judge that prefers models by this order; the models say who they are."""
    if call.stage == "answer":
        return Reply(call, "ok", text=f"{call.model} says so.")
    if not call.about.startswith("preference"):
        return good(call)
    _, first, second = call.about.partition("#")[0].split()
    said = "first" if order.index(first) < order.index(second) else "second"
    return Reply(call, "ok", text=json.dumps({"reason": "So.", "better": said}))


def rows(table: Table) -> list[dict[str, Json]]:
    """Its rows by column."""
    return [dict(zip(table.columns, (cell.value for cell in row), strict=True)) for row in table.rows]


def tables(found: Loaded, order: str = "abc") -> dict[str, list[dict[str, Json]]]:
    """What they come to."""
    made = chat_report(found.evaluation.task)
    for row in driven(found, lambda call: choosing(call, order)):
        made.add(row)
    return {name: rows(table) for name, table in made.tables().items()}


def test_every_two_answers_are_shown_in_both_orders_and_the_plan_counts_them(tmp_path: Path) -> None:
    """n (n - 1) calls a turn: 6 for 3 models, each order once; each answer under its own place."""
    found = chats(tmp_path)

    asked = [reply.call for row in driven(found) for reply in row.replies if reply.call.about.startswith("preference")]

    assert len(asked) == 6 * 2 * 8
    assert len({(call.item_id, call.about) for call in asked}) == len(asked)
    judging = next(stage for stage in found.plan["stages"] if stage["stage"] == "judge")
    assert judging["calls"] == len(asked) + 3 * 2 * 8
    for row in driven(found, lambda call: choosing(call, "abc")):
        for call in (reply.call for reply in row.replies if reply.call.about.startswith("preference")):
            _, first, second = call.about.partition("#")[0].split()
            text = re.sub(r" [0-9a-f]{16}\]", "]", call.messages[-1].content)
            assert f"[FIRST ANSWER]\n{first} says so." in text and f"[SECOND ANSWER]\n{second} says so." in text


@pytest.mark.soak
def test_the_preferred_model_wins_and_the_order_of_models_stands_in_the_strengths(tmp_path: Path) -> None:
    found = tables(chats(tmp_path), "bca")

    pairs = {(row["model_a"], row["model_b"]): row for row in found["choices"]}
    assert [pairs[pair]["win_rate"] for pair in (("a", "b"), ("a", "c"), ("b", "c"))] == [0, 0, 1]
    assert all(row["consistency"] == 1 and row["n"] == 16 for row in pairs.values())
    elo = {row["model"]: row["elo"] for row in found["strengths"]}
    assert elo["b"] > elo["c"] > elo["a"]
    means = {row["model"]: row["mean"] for row in found["metrics"] if row["metric"] == "preference"}
    assert means == {"a": 0.0, "b": 1.0, "c": 0.5}


def test_a_judge_that_takes_what_is_longer_is_found_out(tmp_path: Path) -> None:
    """a is longer in most turns, and preferred in nine of ten where it is: a wins most, and about half of what is left where
    length is taken into account, with its n and interval; where all are equally long there is no such rate."""
    found = chats(tmp_path, models=2, talks=40)
    made = chat_report(found.evaluation.task)

    def answer(call: Call) -> Reply:
        random = Random(f"{call.item_id} {call.call_index}")
        longer_by, odd = round(random.gauss(40, 60)), random.random() < 0.1
        if call.stage == "answer":
            return Reply(call, "ok", text="x" * (300 + (longer_by if call.model == "a" else 0)))
        if not call.about.startswith("preference"):
            return good(call)
        a_stands_first = call.about.split()[1] == "a"
        said = "first" if a_stands_first == ((longer_by > 0) != odd) else "second"
        return Reply(call, "ok", text=json.dumps({"reason": "So.", "better": said}))

    for row in driven(found, answer):
        made.add(row)

    (pair,) = rows(made.tables()["choices"])
    assert pair["win_rate"] > 0.6 and pair["lc_n"] == pair["n"] == 80
    assert pair["lc_low"] < 0.5 < pair["lc_high"] and pair["lc_win_rate"] < pair["win_rate"]
    (alike, *_) = tables(chats(tmp_path, models=2))["choices"]
    assert (alike["lc_win_rate"], alike["lc_low"], alike["lc_n"]) == (None, None, 16)


def test_a_judge_that_takes_what_stands_first_is_found_out(tmp_path: Path) -> None:
    """Each of its choices contradicts the other order: all are ties, and the report says so."""
    found = chats(tmp_path, models=2)
    made = chat_report(found.evaluation.task)

    def answer(call: Call) -> Reply:
        first = call.about.startswith("preference")
        return Reply(call, "ok", text='{"reason": "So.", "better": "first"}') if first else good(call)

    for row in driven(found, answer):
        made.add(row)

    (pair,) = rows(made.tables()["choices"])
    assert (pair["ties"], pair["win_rate"], pair["consistency"], pair["first_share"]) == (16, 0.5, 0.0, 1.0)
    assert pair["p_position"] < 1e-6
    assert (pair["n_first_first"], pair["n_second_second"], pair["lean"]) == (16, 0, 1.0) and pair["lean_low"] > 0.5
    said = "it took what stood first in 16 of 16 (p <0.001): it prefers what stands first."
    assert any(said in table.note for table in made.headline())


def test_what_cannot_be_read_or_was_not_answered_is_missing_and_no_tie(tmp_path: Path) -> None:
    found = chats(tmp_path, models=3, talks=1)

    def answer(call: Call) -> Reply:
        if call.stage == "answer" and call.model == "c":
            return failed(call)
        unread = call.about.startswith("preference b a")
        return Reply(call, "ok", text="I cannot say.") if unread else choosing(call, "abc")

    (row,) = driven(found, answer)

    scores = {(score.model, score.call_index): score for score in row.scores if score.name == "preference"}
    assert len(scores) == 6
    assert all(score.value is None for score in scores.values())
    assert scores["a", 0].why == "judge unparsed" and scores["c", 0].why.startswith("no reply")
    assert json.loads(scores["a", 0].read or "") == {"choices": {"judge": {"b": ["A", None]}}}
    made = chat_report(found.evaluation.task)
    made.add(row)
    (pair,) = rows(made.tables()["choices"])
    assert (pair["n"], pair["n_unread"]) == (0, 2)


def test_one_model_has_nobody_to_be_chosen_before(tmp_path: Path) -> None:
    """Nothing is paid for, and a sentence says so; --models may leave one."""
    found = chats(tmp_path, models=1)

    assert not any(reply.call.about.startswith("preference") for row in driven(found) for reply in row.replies)
    assert any("nothing to choose between" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ('{"reason": "Better.", "better": "first"}', "first"),
        ('```json\n{"reason": "The [[A]] is quoted.", "better": "Second"}\n```', "second"),
        ("<think>first</think> [[B]]", "second"),
        ("[[A]] was my first thought, but [[C]]", "tie"),
        ("Choice: **tie**", "tie"),
        ('{"better": "first"}\nNo, the source says more:\n{"better": "second"}', "second"),
        ('The form: {"better": "first", "second" or "tie"}. Mine: {"better": "tie"}', "tie"),
        ('{"better": "the third"}', None),
        ("Both are good in their way.", None),
        ('{"reason": "cut', None),
        (None, None),
    ],
)
def test_the_last_choice_counts(text: str | None, choice: str | None) -> None:
    assert read_choice(text) == choice
