"""Laws of sending a call again: it is the call that was sent, changed in what was changed and in nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from choices import answered, imported, load_choice, record
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.configuring import reopening
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import TuiEvalError
from tui_eval.core.key import call_key
from tui_eval.evaluation.drivers import recorded_answers
from tui_eval.reporting import resend
from tui_eval.runs.folder import LOG
from tui_eval.runs.reader import Recorded, RunReader
from tui_eval.workspace.places import Workspace

PNG = b"\x89PNG\r\n\x1a\nrest"
PANEL: dict[str, Any] = {
    "kind": "panel",
    "name": "asked before",
    "run": {"repeat": 2, "seed": 7, "max_calls": 500},
    "models": [
        {"name": "one", "wire": "simulator", "model": "sim-scholar", "temperature": 0.5, "reasoning_effort": "low"},
        {"name": "two", "wire": "openai", "model": "m-2", "base_url": "http://127.0.0.1:9/v1", "max_output_tokens": 77},
    ],
    "panel": {
        "questions": ["What is one?", "What is two?"],
        "truths": ["1", "2"],
        "documents": ["dot.png"],
        "send_doc_to_judges": True,
        "doers": [{"model": "one", "calls": 2}, {"model": "two"}],
        "judges": [{"model": "two", "temperature": 0.25, "timeout_s": 9.0}],
        "finals": [{"model": "one"}],
        "benchmark": {"mode": "llm", "scorer": {"model": "two", "use_temperature": False}},
    },
}


def said(call: Call) -> Reply:
    """Some replies are good, some scores cannot be read at first, one doer fails."""
    if call.stage == "doer" and call.model == "two":
        return Reply(call, "error", error_kind="permanent", error_message="no")
    if call.stage == "scorer":
        return Reply(call, "ok", text="1" if call.about.endswith("again") else "well …")
    return Reply(call, "ok", text=f"{call.stage} {call.model} {call.call_index}")


def panel_run(root: Path) -> Path:
    """A run of a panel in a workspace, from its log alone."""
    (root / "dot.png").write_bytes(PNG)
    (root / "panel.toml").write_text(tomli_w.dumps(PANEL))
    path = root / "runs" / "one"
    record(path, load(root / "panel.toml", Workspace(root), sends=False), said)
    return path


def choice_run(root: Path) -> Path:
    """A run of multiple choice, options in several orders."""
    path = root / "runs" / "two"
    record(path, load_choice(root, choice="shuffle = true\npermutations = 2"), lambda call: Reply(call, "ok", text="B"))
    return path


def sent(loaded: Loaded, path: Path) -> Iterator[tuple[str, Call]]:
    """Every call that was really sent, with its key, made in another way than the code under test: in the run's order."""
    evaluation = loaded.evaluation
    with Recorded(path) as recorded:
        for offset, head in RunReader(path).heads():
            recorded.add(head, offset)
        answer = recorded_answers(evaluation.models, recorded.reply)
        for item in evaluation.samples():
            for reply in evaluation.driven(item, answer).replies:
                yield call_key(reply.call, evaluation.models[reply.call.model]), reply.call


def drafted(found: resend.Original, workspace: Workspace, **changes: Any) -> tuple[Loaded, Call]:
    """The run that would be made of it, and its one call."""
    draft = resend.draft_of(found, found.call.messages, replace(found.parameters, **changes))
    tomli_w.dumps(draft)
    look = resend.look(draft, workspace)
    assert look.problem == "" and look.loaded is not None
    evaluation = look.loaded.evaluation
    (item,) = evaluation.samples()
    row = evaluation.driven(item, lambda call: Reply(call, "ok", text="x"))
    (reply,) = row.replies
    return look.loaded, reply.call


@pytest.mark.parametrize("make", [panel_run, choice_run])
def test_every_call_of_a_run_can_be_sent_again_as_it_was(make: Any, tmp_path: Path) -> None:
    """For each attempt, by its id and by its key: the same messages, attachments and parameters to the same model, once."""
    path, workspace = make(tmp_path), Workspace(tmp_path)
    every = dict(sent(reopening.reopen(path, workspace, sends=False), path))
    heads = [head for _, head in RunReader(path).heads()]
    assert {head["call_key"] for head in heads} == set(every)

    for head in heads[:: max(len(heads) // 20, 1)]:
        found = resend.original(path, head["attempt_id"], workspace)
        assert found.call == resend.original(path, head["call_key"], workspace).call
        assert found.record["attempt_id"] == head["attempt_id"]
        assert replace(found.call, follows=()) == replace(every[head["call_key"]], follows=())
        loaded, call = drafted(found, workspace)
        before = reopening.reopen(path, workspace, sends=False).evaluation.models[head["model"]]
        same = ("model", "temperature", "max_output_tokens", "timeout_s")
        assert [getattr(call, name) for name in same] == [getattr(found.call, name) for name in same]
        assert [(m.role, m.content) for m in call.messages] == [(m.role, m.content) for m in found.call.messages]
        shown = [[(a.mime, a.sha256) for a in m.attachments] for m in call.messages]
        assert shown == [[(a.mime, a.sha256) for a in m.attachments] for m in found.call.messages]
        after = loaded.evaluation.models[call.model]
        settings = ("temperature", "max_output_tokens", "timeout_s")  # those the call has itself
        assert replace(after, **{n: getattr(before, n) for n in settings}) == before
        assert (loaded.plan["total_calls"], loaded.run.max_calls, loaded.run.retries) == (1, 1, 0)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[resend.Original, Workspace]:
    """A judge's call, which was sent with an image."""
    root = tmp_path_factory.mktemp("judged")
    path = panel_run(root)
    head = next(head for _, head in RunReader(path).heads() if head["stage"] == "judge")
    found = resend.original(path, head["attempt_id"], Workspace(root))
    assert found.call.messages[-1].attachments
    return found, Workspace(root)


@few
@given(
    texts=st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip), min_size=2, max_size=2),
    temperature=st.none() | st.floats(0, 2),
    limit=st.none() | st.integers(1, 5000),
    effort=st.none() | st.sampled_from(["low", "high"]),
    model=st.sampled_from(["one", "two"]),
)
def test_only_what_was_changed_is_another(
    texts: list[str],
    temperature: float | None,
    limit: int | None,
    effort: str | None,
    model: str,
    judged: tuple[resend.Original, Workspace],
) -> None:
    """Any texts and parameters arrive as they were written; what is unset is not sent, whatever the model's own settings."""
    found, workspace = judged
    messages = [replace(m, content=text) for m, text in zip(found.call.messages, texts, strict=True)]
    changed = replace(found, call=replace(found.call, messages=tuple(messages)))

    loaded, call = drafted(
        changed, workspace, model=model, temperature=temperature, max_output_tokens=limit, reasoning_effort=effort
    )

    assert [m.content for m in call.messages] == texts
    assert [a.sha256 for a in call.messages[-1].attachments] == [a.sha256 for a in found.call.messages[-1].attachments]
    assert (call.model, call.temperature, call.max_output_tokens) == (model, temperature, limit)
    assert loaded.evaluation.models[model].reasoning_effort == effort


def test_a_later_attempt_may_have_made_it_another_call(tmp_path: Path) -> None:
    """Where the replies that a judge was shown are no longer those that count, that is said, and nothing is made up."""
    path = panel_run(tmp_path)
    lines = (path / LOG).read_text().splitlines()
    doer = next(json.loads(line) for line in lines if json.loads(line)["stage"] == "doer")
    judge = next(json.loads(line) for line in lines if json.loads(line)["stage"] == "judge")
    with (path / LOG).open("a") as log:
        log.write(json.dumps({**doer, "attempt_id": "later-000001", "response_text": "second thoughts"}) + "\n")

    with pytest.raises(TuiEvalError, match="cannot be made again"):
        resend.original(path, judge["attempt_id"], Workspace(tmp_path))
    assert resend.original(path, "later-000001", Workspace(tmp_path)).record["response_text"] == "second thoughts"


def test_what_cannot_be_sent_again_says_why(tmp_path: Path) -> None:
    """An unknown attempt, a question that is no part of the evaluation, a changed config, imported answers."""
    path, workspace = panel_run(tmp_path), Workspace(tmp_path)
    first = json.loads((path / LOG).read_text().splitlines()[0])
    with (path / LOG).open("a") as log:
        aside = {**first, "stage": "preflight", "item_id": "preflight", "attempt_id": "aside-1", "call_key": "f" * 32}
        log.write(json.dumps(aside) + "\n")

    def refused(attempt: str, run: Path = path) -> str:
        with pytest.raises(TuiEvalError) as caught:
            resend.original(run, attempt, workspace)
        return str(caught.value)

    assert "no attempt nobody-1" in refused("nobody-1")
    assert "not a call of the evaluation" in refused("aside-1")
    (path / "config.toml").write_text((path / "config.toml").read_text().replace("What is one?", "What is 1?"))
    assert "was changed after the run was prepared" in refused(first["attempt_id"])
    other = imported(tmp_path, "given", answered("m", "ABCD"))
    head = next(head for _, head in RunReader(other).heads())
    assert "imported" in refused(head["attempt_id"], other)


def test_models_on_file_can_be_chosen(tmp_path: Path) -> None:
    """The run's own win where names are equal; disabled and retired ones are not offered; a broken file is no obstacle."""
    path, workspace = panel_run(tmp_path), Workspace(tmp_path)
    first = next(head for _, head in RunReader(path).heads())["attempt_id"]
    workspace.models_file.parent.mkdir()
    entry = '[[models]]\nname = "{}"\nwire = "simulator"\nmodel = "{}"\n{}\n'
    workspace.models_file.write_text(
        entry.format("one", "sim-other", "")
        + entry.format("third", "sim-sprinter", "")
        + entry.format("off", "sim-sprinter", "enabled = false")
        + entry.format("old", "sim-sprinter", 'status = "retired"')
    )

    found = resend.original(path, first, workspace)

    assert set(found.models) == {"one", "two", "third"} and found.models["one"].model == "sim-scholar"
    loaded, _ = drafted(found, workspace, model="third")
    assert loaded.evaluation.models["third"].model == "sim-sprinter"
    workspace.models_file.write_text("no toml [")
    assert set(resend.original(path, first, workspace).models) == {"one", "two"}


def test_what_cannot_be_sent_is_told_before(tmp_path: Path) -> None:
    """A key that is missing, a temperature out of range: a problem in words, without the name of a file nobody has."""
    path, workspace = panel_run(tmp_path), Workspace(tmp_path)
    found = resend.original(path, next(head for _, head in RunReader(path).heads())["attempt_id"], workspace)

    hot = resend.look(resend.draft_of(found, found.call.messages, replace(found.parameters, temperature=3.0)), workspace)
    assert hot.loaded is None and hot.problem.startswith("call.temperature: must be less than or equal to 2")
    keyed = found.models["two"].model_copy(update={"api_key_env": "NO_SUCH_KEY"})
    changed = replace(found, models={**found.models, "two": keyed})
    draft = resend.draft_of(changed, found.call.messages, replace(found.parameters, model="two"))
    look = resend.look(draft, workspace)
    assert look.loaded is None and "NO_SUCH_KEY" in look.problem


def test_the_reply_is_the_last_attempt_that_was_sent(tmp_path: Path) -> None:
    """What was sent comes before what was not; before there is anything, None."""
    path, workspace = panel_run(tmp_path), Workspace(tmp_path)
    found = resend.original(path, next(head for _, head in RunReader(path).heads())["attempt_id"], workspace)
    loaded, _ = drafted(found, workspace)
    out = tmp_path / "runs" / "again"
    record(out, loaded, lambda call: Reply(call, "error", error_kind="permanent", error_message="first"))
    line = json.loads((out / LOG).read_text())
    later = {**line, "attempt_id": "life-000002", "started_at": None, "status": "skipped_budget", "error_message": "no budget"}
    with (out / LOG).open("a") as log:
        log.write(json.dumps(later) + "\n")

    reply = resend.reply_in(out)

    assert reply is not None and reply["error_message"] == "first"
    (out / LOG).write_text("")
    assert resend.reply_in(out) is None
