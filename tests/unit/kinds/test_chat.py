"""Laws of dialogues: what a model is shown of what was said, what a judge is shown of an answer, and what enters a score."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chats import TEXT, answers_in, chat, conversations, driven, failed, good, loaded, turn
from fault_bench import Table, write_config
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.configuring.loading import Loaded, load, resolved
from tui_eval.core.calls import Call, Message, Reply
from tui_eval.core.conversations import Conversation, Turn
from tui_eval.core.errors import ConfigError
from tui_eval.core.results import About, SampleResult
from tui_eval.core.samples import Sample
from tui_eval.evaluation.judging.judge_panel import own_family
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.chat import CHAT, ChatConfig, ChatTask, chat_report, flow
from tui_eval.kinds.chat.dialogue_report import DialogueReport
from tui_eval.kinds.chat.dialogue_turns import DECLINED, Dialogue, degraded
from tui_eval.workspace.places import Workspace

ABOUT = About("run", "uid", "chats", "2026-01-01T00:00:00Z", "0", True, 1, 0, {})
SYSTEM = "system"
PROMPTS = {name: " ".join(f"{{{slot}}}" for slot in slots) or SYSTEM for name, slots in CHAT.prompts.items()}


def asked_of(call: Call) -> str:
    """What the call's last message says."""
    return call.messages[-1].content


def task_of(found: Loaded) -> ChatTask:
    """The task of a loaded config."""
    task = found.evaluation.task
    assert isinstance(task, ChatTask)
    return task


def report_of(found: Loaded, rows: Sequence[SampleResult]) -> DialogueReport:
    """What the rows come to."""
    report = chat_report(task_of(found))
    for row in rows:
        report.add(row)
    return report


# ------------------------------------------------------------------------------------------------- order and history


def test_turns_are_asked_in_order_after_the_models_own_answers(tmp_path: Path) -> None:
    """Each question comes after all before it, with the words that this model said to them."""
    found = loaded(tmp_path, conversations([3, 2]), models=2)

    for row in driven(found, lambda call: Reply(call, "ok", text=f"{call.model} says {call.call_index}")):
        answers = answers_in(row)
        assert [reply.call.call_index for reply in answers] == list(range(len(answers)))
        for n, reply in enumerate(answers):
            said = [message.content for message in reply.call.messages[1:] if message.role == "assistant"]
            assert said == [f"{reply.call.model} says {k}" for k in range(n)]


def test_after_the_ground_truth_all_turns_are_asked_at_once(tmp_path: Path) -> None:
    found = loaded(tmp_path, conversations([3]), history="truth")
    (sample,) = found.evaluation.samples()

    first = next(flow(task_of(found), sample))

    assert [call.call_index for call in first] == [0, 1, 2]
    assert [m.content for m in first[2].messages if m.role == "assistant"] == ["At 1 bells.", "At 2 bells."]


def dialogue_of(turns: int, asked: tuple[int, ...], pairs: int) -> tuple[ChatTask, Sample]:
    """A dialogue without documents, made without files."""
    judge, model = (AskedModel(stage, name, name, 1, None, None, 60.0) for stage, name in (("judge", "j"), ("answer", "m")))
    said = tuple(Turn(id=f"t{n}", question=f"Q{n}?", ground_truth=f"T{n}") for n in range(turns))
    table = {"dataset": "d", "models": ["m"], "judge": {"model": "j", "claims": False, "duplicates": 0, "metrics": ["fluency"]}}
    config = ChatConfig.model_validate({**table, "history_pairs": pairs, "prompts": PROMPTS})
    task = ChatTask(
        config=config, asked={"answer": (model,), "judge": (judge,)}, dataset="d", conversations=(), twice=frozenset()
    )
    data = Dialogue(Conversation(id="c", turns=said), asked, ("",) * turns, (1,) * turns, "", model, frozenset())
    return task, Sample("m/c", data=data)


def ended(call: Call, n: int, end: str) -> Reply:
    """The reply to the n-th turn."""
    if end == "ok":
        return Reply(call, "ok", text=f"A{n}")
    kind, _, words = end.partition(": ")
    return replace(failed(call, kind), refusal_words="No." if words else None)


@few
@given(data=st.data())
def test_the_history_is_the_latest_whole_pairs_of_turns_that_were_answered(data: st.DataObject) -> None:
    """However turns end and whichever are left out: the system message stands first, then at most N pairs, each a question
    with its own answer, the latest ones there are; a turn that failed is in none, a refusal and the truth of one that was
    left out are: a refusal in its own words, where it has some."""
    turns, pairs = data.draw(st.integers(1, 14)), data.draw(st.integers(0, 6))
    asked = tuple(sorted(data.draw(st.sets(st.integers(0, turns - 1), min_size=1))))
    ends = {n: data.draw(st.sampled_from(["ok", "ok", "transient", "empty", "refused", "refused: no"])) for n in asked}
    task, sample = dialogue_of(turns, asked, pairs)
    said = {n: f"T{n}" for n in range(turns) if n not in asked}
    words = {"refused": DECLINED, "refused: no": "No."}
    said |= {n: f"A{n}" if end == "ok" else words[end] for n, end in ends.items() if end == "ok" or end in words}

    running, replies = flow(task, sample), None
    for n in asked:
        (call,) = next(running) if replies is None else running.send(replies)
        system, *rest = call.messages
        before = [k for k in range(n) if k in said][-pairs:] if pairs else []
        pair_list = [message for k in before for message in (Message("user", f"Q{k}?"), Message("assistant", said[k]))]
        assert system.role == "system"
        assert rest == [*pair_list, Message("user", f"Q{n}?")]
        replies = [ended(call, n, ends[n])]

    lost = degraded({n: ended(call, n, ends[n]) for n in asked})
    first = min((n for n in asked if ends[n] in ("transient", "empty")), default=turns)
    assert lost == [n for n in asked if n > first]


def test_a_turn_after_one_that_was_only_not_sent_waits_for_it(tmp_path: Path) -> None:
    """Where the money ran out nothing is asked without its history: a resume asks both."""
    found = loaded(tmp_path, conversations([3]))

    (row,) = driven(found, lambda call: Reply(call, "skipped_budget") if call.call_index else good(call))

    assert [reply.unsent for reply in answers_in(row)] == [False, True, True]
    assert degraded({reply.call.call_index: reply for reply in answers_in(row)}) == []


def test_degraded_turns_are_counted_and_the_mean_without_them_stands_beside(tmp_path: Path) -> None:
    """Turn 2 fails, turns 3 and 4 are asked all the same: marked, and left out of the second mean only."""
    found = loaded(tmp_path, conversations([4, 4]), {"claims": False, "metrics": ["fluency"]})

    def answer(call: Call) -> Reply:
        if call.stage == "answer":
            return failed(call) if call.item_id == "a/c1" and call.call_index == 1 else good(call)
        return Reply(
            call, "ok", text=json.dumps({"reason": "So.", "score": 2 if "c1" in call.item_id and call.call_index > 1 else 5})
        )

    rows = driven(found, answer)
    report = report_of(found, rows)
    cells = dict(zip(report.tables()["metrics"].columns, report.tables()["metrics"].rows[0], strict=True))
    results = report.files(ABOUT)["evaluation.json"]["results"]

    assert [entry["degraded"] for entry in results] == [False, False, True, True, *[False] * 4]
    assert (cells["n_degraded"].value, cells["n_scored"].value, cells["n_total"].value) == (2, 7, 8)
    assert (cells["mean"].value, cells["mean_without_degraded"].value) == (4.0, 5.0)
    assert "2 degraded turns" in report.tables()["answers"].note


# -------------------------------------------------------------------------------------------------------- selection


def test_what_is_left_out_is_neither_asked_nor_judged_and_stands_in_the_history(tmp_path: Path) -> None:
    """With its ground truth, as a pair; a conversation without any selected question is left out whole."""
    found = loaded(tmp_path, conversations([3, 2]), selected=["c1/t3"])

    (row,) = driven(found)

    (answer,) = answers_in(row)
    assert {reply.call.call_index for reply in row.replies} == {2}
    assert [message.content for message in answer.call.messages[1:]] == [
        turn("c1", 1)["question"], "At 1 bells.", turn("c1", 2)["question"], "At 2 bells.", turn("c1", 3)["question"],
    ]  # fmt: skip


def test_a_question_that_the_set_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"chat.selected: 'c9/t1' is not a question of canal.json"):
        loaded(tmp_path, conversations([1]), selected=["c9/t1"])


def test_a_short_name_selects_where_no_id_is_that(tmp_path: Path) -> None:
    """An id is itself alone; a run's own config names every turn by its id, so that it selects the same for ever."""
    plain = conversations([2, 2])
    ids = (("q1", "q2"), ("part2/q1", "part2/q3"))
    for one, names in zip(plain["conversations"], ids, strict=True):
        for asked, name in zip(one["turns"], names, strict=True):
            asked["id"] = name

    for selected, wanted in (["q1"], ["q1"]), (["q3"], ["part2/q3"]), (["q2", "part2/q1"], ["q2", "part2/q1"]):
        found = loaded(tmp_path, plain, selected=selected)
        asked_ids = [one.conversation.turns[n].id for one in task_of(found).conversations for n in one.places]
        assert asked_ids == wanted
        assert resolved(found)["chat"]["selected"] == wanted


# ------------------------------------------------------------------------------------------- what everybody is shown


def test_the_document_is_the_same_in_every_call_and_each_judge_sees_its_own_material(tmp_path: Path) -> None:
    """Groundedness and claims get what the answerer got; relevance the history; fluency the answer alone."""
    found = loaded(tmp_path, conversations([2]))

    (row,) = driven(found, lambda call: Reply(call, "ok", text="Bells ring.") if call.stage == "answer" else good(call))

    assert len({reply.call.messages[0].content for reply in answers_in(row)}) == 1
    assert TEXT in answers_in(row)[0].call.messages[0].content
    judging = [reply.call for reply in row.replies if reply.call.stage == "judge" and reply.call.call_index == 1]
    shown = {call.about.split()[0]: asked_of(call) for call in judging}
    question, earlier = turn("c1", 2)["question"], turn("c1", 1)["question"]
    assert {name for name, text in shown.items() if TEXT in text} == {"groundedness", "claims"}
    assert {name for name, text in shown.items() if question in text} == {"groundedness", "relevance", "coherence"}
    assert "Bells ring." in shown["fluency"]
    assert [name for name, text in shown.items() if earlier in text] == ["relevance"]


def test_a_search_shows_the_same_passages_to_all_models(tmp_path: Path) -> None:
    """Whatever they answer, and the one that the question is about is among them."""
    long = "\n\n".join(f"Gate {n} of the canal opens at {n} bells. " + f"Word{n} " * 700 for n in range(1, 31))
    found = loaded(tmp_path, conversations([2], long), models=2, context="retrieved")

    one, other = driven(found, lambda call: Reply(call, "ok", text=f"{call.model} word7 word8"))

    shown = [[reply.call.messages[0].content for reply in answers_in(row)] for row in (one, other)]
    assert shown[0] == shown[1]
    assert "Gate 1 of the canal opens" in shown[0][0] and "Gate 2 of the canal opens" in shown[0][1]
    assert all(len(text) < len(long) / 2 for text in shown[0])


def test_a_document_that_does_not_fit_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"chat.context: c1: canal.txt: about [\d,]+ tokens .* is 500: show less of it"):
        loaded(tmp_path, conversations([2]), context_window=500)
    assert loaded(tmp_path, conversations([2]), context_window=100_000).plan["total_calls"] > 0


def test_whether_much_fits_is_said_to_be_unknown_where_nobody_tells(tmp_path: Path) -> None:
    """With the tokens, and the key that has it checked; of a short document nothing is said."""
    assert not any("context_window" in note for note in loaded(tmp_path, conversations([2])).warnings)

    found = loaded(tmp_path, conversations([2], TEXT * 60))

    assert any("tokens with history and reply; whether the models' windows hold that is not known" in n for n in found.warnings)


def of_window(folder: Path, found: Table, windows: dict[str, int | None], **table: Any) -> Loaded:
    """A config of models whose own windows are known, or (None) are not; c judges."""
    specs = [{"name": name, "wire": "simulator", "model": "sim-scholar"} for name in (*windows, "c")]
    known = [{**spec, "context_window": n} if (n := windows.get(spec["name"])) else spec for spec in specs]
    config = chat(folder, found, known, {"model": "c", "duplicates": 0}, **table)
    return load(write_config(folder, config), Workspace(folder))


def test_conversations_that_do_not_fit_a_models_own_window_are_named(tmp_path: Path) -> None:
    """The second takes three turns of history. What the config states counts before what is known of a model."""
    found = conversations([1, 3])

    with pytest.raises(ConfigError) as refused:
        of_window(tmp_path, found, {"a": 6000, "b": 100_000})
    assert "1 of 2 conversations do not fit a (c2): up to about" in str(refused.value)
    assert "context window is 6,000" in str(refused.value) and "tui-eval models edit a --set context_window=N" in str(
        refused.value
    )
    assert of_window(tmp_path, found, {"a": 6000}, context_window=50_000).plan["total_calls"] > 0
    assert of_window(tmp_path, found, {"a": 6000}, context="none", history_pairs=1).plan["total_calls"] > 0


def test_windows_that_are_known_of_all_models_leave_nothing_unknown(tmp_path: Path) -> None:
    """One that is not known is said, however large the others are."""
    found = conversations([2], TEXT * 60)
    unknown = "whether the models' windows hold that is not known"

    assert not any(unknown in note for note in of_window(tmp_path, found, {"a": 200_000, "b": 90_000}).warnings)
    assert any(unknown in note for note in of_window(tmp_path, found, {"a": 200_000, "b": None}).warnings)


def test_answers_of_an_earlier_run_need_no_window(tmp_path: Path) -> None:
    """Nobody is asked for them."""
    assert of_window(tmp_path, conversations([3]), {"a": 6000}, answers_from="truth").plan["total_calls"] > 0


@pytest.mark.parametrize(("text", "context"), [("", "document"), (TEXT, "none")])
def test_without_a_document_nothing_is_held_against_one_and_a_sentence_says_so(text: str, context: str, tmp_path: Path) -> None:
    """Groundedness and claims are left out, unpaid."""
    found = loaded(tmp_path, conversations([2], text), context=context)

    rows = driven(found)

    assert {score.name for row in rows for score in row.scores} == {"relevance", "coherence", "fluency"}
    assert any("groundedness and claims are left out" in warning for warning in found.evaluation.task.warnings)


def test_a_question_without_an_answer_is_right_when_the_answer_says_so(tmp_path: Path) -> None:
    """It alone is asked about, and relevance is judged with that in sight."""
    made = conversations([2])
    made["conversations"][0]["turns"][1] |= {"answerable": False, "ground_truth": "The document does not tell."}
    found = loaded(tmp_path, made)

    (row,) = driven(found)

    told = {reply.call.call_index: asked_of(reply.call) for reply in row.replies if reply.call.about.startswith("relevance")}
    assert [score.call_index for score in row.scores if score.name == "abstention"] == [1]
    assert "does not hold the answer" in told[1] and "does not hold the answer" not in told[0]


# ---------------------------------------------------------------------------------------------------------- judging


def test_unread_replies_of_a_judge_change_coverage_and_never_a_score(tmp_path: Path) -> None:
    """Whichever tenth of its replies fails: every mark that is there is what it was, none is made up."""
    found = loaded(tmp_path, conversations([5, 5, 5, 5]), models=2)
    dice = random.Random(4)

    def marked(call: Call, fails: bool) -> Reply:
        if call.stage == "answer" or not fails:
            score = len(asked_of(call)) % 5 + 1
            return (
                good(call)
                if call.stage == "answer" or "claims" in call.about
                else Reply(call, "ok", text=f'{{"score": {score}}}')
            )
        return dice.choice([Reply(call, "ok", text="8/10, I would say"), Reply(call, "ok", text=""), failed(call)])

    whole = [score for row in driven(found, lambda call: marked(call, False)) for score in row.scores]
    lost = set()

    def judged(call: Call) -> Reply:
        key = (call.item_id, call.call_index, call.about.removesuffix(" again"))
        if "again" not in call.about and call.stage == "judge" and dice.random() < 0.1:
            lost.add(key)
        return marked(call, key in lost)

    rows = driven(found, judged)

    scores = [score for row in rows for score in row.scores]
    assert 0 < len(lost) == sum(score.value is None for score in scores)
    assert all(a.value in (b.value, None) and a.name == b.name for a, b in zip(scores, whole, strict=True))
    assert all(score.why.startswith(("judge unparsed", "judge failed")) for score in scores if score.value is None)


def test_a_second_mark_enters_no_score(tmp_path: Path) -> None:
    """Marks of the hidden duplicates stand in judge_noise alone; as many answers are judged twice as the share says."""
    found = loaded(tmp_path, conversations([5, 5]), {"duplicates": 0.3, "claims": False, "metrics": ["fluency"]}, models=2)

    def answer(call: Call) -> Reply:
        mark = 1 if call.about.endswith(" twice") else 4
        return Reply(call, "ok", text=f'{{"reason": "So.", "score": {mark}}}') if call.stage == "judge" else good(call)

    rows = driven(found, answer)
    report = report_of(found, rows)

    twice = [reply.call for row in rows for reply in row.replies if reply.call.about.endswith(" twice")]
    assert len(twice) == 6  # of 20
    assert {score.value for row in rows for score in row.scores} == {4.0}
    (noise,) = report.tables()["judge_noise"].rows
    assert [cell.value for cell in noise][:5] == ["judge", "fluency", 6, 0, 3.0]
    first = {(reply.call.item_id, reply.call.about): asked_of(reply.call) for row in rows for reply in row.replies}
    assert all(first[call.item_id, call.about.removesuffix(" twice")] == asked_of(call) for call in twice)  # hidden


def test_of_several_judges_the_mean_of_those_that_gave_a_mark_counts(tmp_path: Path) -> None:
    found = loaded(tmp_path, conversations([1]), {"models": ["x", "y"], "claims": False, "metrics": ["fluency"]})
    marks = {"judge": '{"score": 5}', "x": "I cannot say", "y": '{"score": 2}'}

    (row,) = driven(found, lambda call: Reply(call, "ok", text=marks.get(call.model, "An answer.")))

    (score,) = row.scores
    assert score.value == 3.5
    assert json.loads(score.read or "")["marks"] == {"judge": 5.0, "y": 2.0}


def test_a_mark_that_was_cut_off_is_asked_for_once_more_with_four_times_as_many_tokens(tmp_path: Path) -> None:
    found = loaded(tmp_path, conversations([1]), {"claims": False, "metrics": ["fluency"], "max_output_tokens": 100})

    def answer(call: Call) -> Reply:
        return failed(call, "truncated") if call.stage == "judge" and call.max_output_tokens == 100 else good(call)

    (row,) = driven(found, answer)

    assert [reply.call.max_output_tokens for reply in row.replies if reply.call.stage == "judge"] == [100, 400]
    assert [score.value for score in row.scores] == [5.0]


def test_claims_count_only_where_their_words_occur(tmp_path: Path) -> None:
    """Two of four: one is made up, one has words that stand nowhere."""
    found = loaded(tmp_path, conversations([1]), {"metrics": ["fluency"]})
    claims = [
        {"claim": "Gate 1 opens.", "quote": "Gate 1 of the canal opens at 1 bells", "verdict": "supported"},
        {"claim": "Gate 2 opens.", "quote": "gate 2 of the canal opens", "verdict": "Supported"},
        {"claim": "Gate 3 opens.", "quote": "Gate 3 of the canal never opens at all", "verdict": "supported"},
        {"claim": "It rains.", "quote": "", "verdict": "not found"},
    ]

    def answer(call: Call) -> Reply:
        return Reply(call, "ok", text=json.dumps({"claims": claims})) if "claims" in call.about else good(call)

    rows = driven(found, answer)
    report = report_of(found, rows)

    assert [score.value for score in rows[0].scores if score.name == "claims"] == [0.5]
    rows_of_claims = report.files(ABOUT)["claims.csv"]
    assert [row["verdict"] for row in rows_of_claims] == ["supported", "supported", "unverified", "not found"]


# ------------------------------------------------------------------------------------------------------------ files


def test_evaluation_json_has_the_shape_of_the_specification(tmp_path: Path) -> None:
    """One entry for each model and question, with what FR-016c and its entities name."""
    found = loaded(tmp_path, conversations([2, 1]), models=2)
    rows = driven(found, lambda call: failed(call) if call.item_id == "b/c2" else good(call))

    told = report_of(found, rows).files(ABOUT)["evaluation.json"]

    assert list(told) == ["run_id", "timestamp", "status", "models", "dataset", "results"]
    assert (told["status"], told["dataset"]) == ("complete", "canal")
    assert [(entry["model"], entry["conversation"], entry["turn"]) for entry in told["results"]] == [
        ("a", "c1", 1), ("a", "c1", 2), ("b", "c1", 1), ("b", "c1", 2), ("a", "c2", 1), ("b", "c2", 1),
    ]  # fmt: skip
    wanted = {"question", "ground_truth", "response", "latency_ms", "metrics", "degraded", "error"}
    assert all(wanted <= set(entry) for entry in told["results"])
    assert all(set(metric) == {"score", "reason"} for entry in told["results"] for metric in entry["metrics"].values())
    assert told["results"][-1]["error"] == "transient: it failed"
    assert {metric["score"] for metric in told["results"][-1]["metrics"].values()} == {None}


@pytest.mark.parametrize(
    ("one", "other", "kin"),
    [
        ("gpt-5-mini", "openai/gpt-4.1", True),
        ("o4-mini", "openai/gpt-4.1", True),
        ("anthropic/claude-sonnet-4.5", "claude-haiku-4-5", True),
        ("google/gemini-3-flash-preview", "gpt-5-mini", False),
        ("sim-scholar", "sim-arbiter", False),
        ("7b", "8b", False),
    ],
)
def test_a_judge_of_answers_of_its_own_family_is_pointed_out(one: str, other: str, kin: bool) -> None:
    judge, model = (AskedModel("s", name, name, 1, None, None, 60.0) for name in (one, other))

    found = own_family([judge], [model])

    assert [other in sentence for sentence in found] == [True] * kin
    assert own_family([judge], [model, model]) == found, "a model of two stages is named once"


def test_six_models_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"chat.models: 6 models; at most 5 \(chat.max_models raises it\)"):
        loaded(tmp_path, conversations([1]), models=6)
    assert loaded(tmp_path, conversations([1]), models=6, max_models=6).plan["factors"]["models"] == 6


def test_the_plan_says_how_much_more_may_follow(tmp_path: Path) -> None:
    """A reminder for each call of a judge, none for an answer."""
    found = loaded(tmp_path, conversations([3, 2]), models=2)

    by_stage = {(stage["stage"], stage["model"]): stage for stage in found.plan["stages"]}

    assert by_stage["answer", "a"]["calls"] == 5 and by_stage["answer", "a"]["up_to_more"] == 0
    assert by_stage["judge", "judge"]["calls"] == by_stage["judge", "judge"]["up_to_more"] == 10 * 5
