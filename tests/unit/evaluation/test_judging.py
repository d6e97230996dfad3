"""Laws of judging: a score for every answer, a mark on the rubric's scale or a reason, one reminder and no second one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from makers import call, few

from tui_eval.core.calls import Call, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.evaluation.judging.judge_panel import Rubric, marks, marks_by, rubric_of


def read_mark(text: str | None) -> float | None:
    """A mark from 1 to 5, after the word."""
    found = re.fullmatch(r"SCORE: ([1-5])", text or "")
    return float(found[1]) if found else None


GROUNDED = Rubric("groundedness", "grounded/1", read_mark)
REMINDER = "Give a mark from 1 to 5."
OUTCOMES = ("SCORE: 4", "SCORE: 9", "no idea", None)
"""What a judge says: a mark, one off the scale, nothing that can be read; None = its call fails."""


def answers_of(texts: Sequence[str | None]) -> list[Reply]:
    """An answer for each text; None = it failed."""
    asked = [replace(call(), stage="answer", call_index=n) for n in range(len(texts))]
    return [
        Reply(one, "ok", text=text) if text is not None else Reply(one, "error", error_kind="transient")
        for one, text in zip(asked, texts, strict=True)
    ]


def judged(answers: Sequence[Reply], say: Callable[[Call], str | None]) -> tuple[list[Score], list[Call]]:
    """The scores of answers by a judge that says this, and every call that was made to it."""
    asked: list[Call] = []

    def ask(reply: Reply, n: int) -> Call:
        return replace(call(), stage="judge", call_index=n, about=f"answer#{reply.call.call_index}", follows=(reply,))

    def told(one: Call) -> Reply:
        asked.append(one)
        text = say(one)
        return Reply(one, "error", error_kind="transient") if text is None else Reply(one, "ok", text=text)

    flow = marks(GROUNDED, answers, ask, REMINDER)
    try:
        calls = next(flow)
        while True:
            calls = flow.send([told(one) for one in calls])
    except StopIteration as end:
        return end.value, asked


@few
@given(st.lists(st.sampled_from(["yes", "", None]), max_size=6), st.data())
def test_every_answer_has_one_score_on_the_scale_or_a_reason(texts: list[str | None], data: st.DataObject) -> None:
    """Whatever failed: as many scores as answers, in their order, under the rubric's name and version."""
    answers = answers_of(texts)

    scores, asked = judged(answers, lambda one: data.draw(st.sampled_from(OUTCOMES)))

    assert [score.call_index for score in scores] == list(range(len(texts)))
    assert all((score.name, score.version) == ("groundedness", "grounded/1") for score in scores)
    assert all(score.value in (1, 2, 3, 4, 5) or (score.value is None and score.why) for score in scores)
    assert len(asked) <= 2 * sum(text is not None for text in texts)


def test_what_was_not_answered_is_not_judged() -> None:
    """An answer that failed costs no call, and its score says that there was no reply."""
    scores, asked = judged(answers_of(["yes", None]), lambda one: "SCORE: 5")

    assert [(score.value, score.why) for score in scores] == [(5, ""), (None, "no reply: transient")]
    assert [one.about for one in asked] == ["answer#0"]


def test_an_unreadable_judge_is_reminded_once() -> None:
    """The second reply counts, whichever it is; what is still unread is missing, never a mark."""
    said = iter(["well ...", "SCORE: 2", "it depends", "3 out of 5"])
    scores, asked = judged(answers_of(["a"]), lambda one: next(said))
    unread, again = judged(answers_of(["a"]), lambda one: next(said))

    assert ([score.value for score in scores], len(asked)) == ([2], 2)
    assert asked[1].messages[-1].content == REMINDER and asked[1].about != asked[0].about
    assert (unread[0].value, unread[0].why, len(again)) == (None, "judge unparsed", 2)


def test_the_plan_knows_of_the_reminder() -> None:
    """A judge's call says that one more like it may follow, and the reminder that none does."""
    _, asked = judged(answers_of(["a"]), lambda one: "well ...")

    assert [one.up_to for one in asked] == [1, 0]


def test_a_judge_that_failed_is_named() -> None:
    """A judge without a reply is not an answer without one."""
    scores, _ = judged(answers_of(["a"]), lambda one: None)

    assert (scores[0].value, scores[0].why) == (None, "judge failed: transient")


def test_several_rubrics_are_asked_at_once_and_reminded_at_once() -> None:
    """Two batches of calls, however many rubrics: every answer by every rubric, then what could not be read, once more."""
    fluency, relevance = (rubric_of(Metric(name, 1, 5), f"{name}/1") for name in ("fluency", "relevance"))
    answers = answers_of(["one", None, "three"])
    batches: list[list[str]] = []

    def ask(rubric: Rubric, reply: Reply, n: int) -> Call:
        return replace(call(), stage="judge", call_index=n, about=f"{rubric.name} {reply.call.call_index}", follows=(reply,))

    flow = marks_by((fluency, relevance), answers, ask, REMINDER)
    try:
        calls = next(flow)
        while True:
            batches.append([one.about for one in calls])
            unread = len(batches) == 1
            texts = ["no idea" if unread and one.about == "relevance 2" else "Fine. SCORE: 4" for one in calls]
            calls = flow.send([Reply(one, "ok", text=text) for one, text in zip(calls, texts, strict=True)])
    except StopIteration as end:
        scores: list[Score] = end.value

    assert batches == [["fluency 0", "fluency 2", "relevance 0", "relevance 2"], ["relevance 2 again"]]
    assert [(s.name, s.call_index, s.value) for s in scores] == [
        (name, n, None if n == 1 else 4) for name in ("fluency", "relevance") for n in range(3)
    ]
