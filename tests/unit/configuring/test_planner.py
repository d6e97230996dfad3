"""Laws of the counter: it says what the command line says, whatever is in the draft, and where to mend it."""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from configs import EXAMPLES, half_done
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few, panel_text
from soaking import quick_first
from waiting import until

from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.planner import DraftPlan, Planner
from tui_eval.configuring.loading import check_caps, load
from tui_eval.core.calls import Call, Message
from tui_eval.core.errors import ConfigError, Place
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.plan import planned
from tui_eval.kinds import KINDS
from tui_eval.runs.steering import status
from tui_eval.workspace.places import Workspace

SERVER = '[[models]]\nname = "one"\nwire = "openai"\nmodel = "gpt-5-mini"\n'


def panel(folder: Path, **parts: str) -> Draft:
    """A small panel as a draft."""
    return Draft(tomllib.loads(panel_text(**parts)), folder)


def look_at(draft: Draft, root: Path | None = None) -> DraftPlan:
    return Planner(Workspace(root or draft.folder)).look(draft)


def told(look: DraftPlan) -> dict[Place, str]:
    """What is said of each place."""
    return {problem.place: problem.words for problem in look.problems}


@pytest.mark.parametrize("example", quick_first(EXAMPLES, 4), ids=lambda path: path.stem)
def test_the_counter_says_what_the_command_line_says(example: Path, tmp_path: Path) -> None:
    """The plan beside the form is the plan that --dry-run prints and the run folder keeps, with the same caps."""
    loaded = load(example, Workspace(tmp_path))

    look = look_at(Draft.opened(example), tmp_path)

    assert look.plan == loaded.plan
    assert (look.max_calls, look.max_cost_usd, look.notes) == (loaded.run.max_calls, loaded.run.max_cost_usd, loaded.warnings)
    assert look.ready and look.simulated and look.problems == ()


@settings(few, max_examples=20)
@given(content=st.sampled_from(sorted(KINDS)).flatmap(half_done))
def test_whatever_is_in_a_draft_it_has_a_plan_or_a_problem(tmp_path: Path, content: dict[str, Any]) -> None:
    """No draft, however mistaken, breaks the counter: it says what is wrong, in words without the draft's own path."""
    look = look_at(Draft(content, tmp_path))

    assert look.ready == (look.plan is not None and not look.problems)
    assert look.problems or look.plan is not None
    assert all(problem.words and f"{tmp_path}/config.toml" not in problem.words for problem in look.problems)


NOTED = "expected answers are given, but nothing compares answers with them; turn benchmark on, or name scorers"


def test_truths_that_nothing_is_held_against_are_noted(tmp_path: Path) -> None:
    """Where a key of their own brings truths and nothing grades; not where they are used, or where there are none."""
    (tmp_path / "truths.txt").write_text("1\n2\n")
    for name, answer in (("answered", "\nAnswer: 1"), ("open", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Questions.md").write_text(f"1. What is one?{answer}\n")

    def notes(questions: str = 'questions = ["one?", "two?"]', **parts: str) -> tuple[str, ...]:
        look = look_at(panel(tmp_path, questions=questions, **parts))
        assert look.problems == ()
        return look.notes

    assert notes(panel='truths = ["1", "2"]') == (f"truths: {NOTED}",)
    assert notes(panel='truths_file = "truths.txt"') == (f"truths_file: {NOTED}",)
    assert notes('dataset = "answered"') == (f"dataset: {NOTED}",) and notes('dataset = "open"') == ()
    assert notes(panel='truths = ["1", "2"]', rest='[panel.benchmark]\nmode = "exact"') == notes() == ()
    assert notes('questions = [{ question = "one?", truth = "1" }]') == ()


def test_they_are_noted_once(tmp_path: Path) -> None:
    """Before a run is begun; a run that is taken up again, or scored again, does not say it another time."""
    look = look_at(panel(tmp_path, panel='truths = ["1", "2"]'))
    assert look.loaded is not None and look.loaded.warnings == (f"truths: {NOTED}",)
    preparing.prepare(look.loaded, tmp_path / "run", lambda text: text, ())

    assert reopening.reopen(tmp_path / "run", Workspace(tmp_path)).warnings == ()


CHANGED: list[Place] = [("run", "repeat"), ("panel", "doers", 0, "calls"), ("run", "max_calls"), ("run", "seed")]


@settings(few, max_examples=10)
@given(changes=st.lists(st.tuples(st.sampled_from(CHANGED), st.integers(-1, 4)), max_size=6))
def test_a_planner_that_has_looked_before_sees_what_a_new_one_sees(tmp_path: Path, changes: list[tuple[Place, int]]) -> None:
    """What is kept from look to look changes no figure: after any changes, a used planner and a fresh one agree."""
    draft = panel(tmp_path, questions='questions_file = "q.txt"')
    (tmp_path / "q.txt").write_text("one?\ntwo?\n")
    planner = Planner(Workspace(tmp_path))

    for n, (place, value) in enumerate(changes):
        draft.set(place, value)
        (tmp_path / "q.txt").write_text("one?\n" * (1 + n % 3))
        used, fresh = planner.look(draft), look_at(draft)

        assert (used.plan, used.problems, used.version) == (fresh.plan, fresh.problems, draft.version)


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    """A file with the inode, time and size that it had is taken as it was; any of them changed, and it is read."""
    file = tmp_path / "q.txt"
    file.write_text("one?\ntwo?\n")
    draft, planner = panel(tmp_path, questions='questions_file = "q.txt"'), Planner(Workspace(tmp_path))
    before = file.stat()
    plan = planner.look(draft).plan

    file.write_text("one, two?\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert planner.look(draft).plan == plan
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert planner.look(draft).plan != plan


def test_every_mistake_is_told_at_its_key(tmp_path: Path) -> None:
    """Mistakes in several tables are told together, each at the field to mend."""
    draft = panel(tmp_path, run="max_calls = 0\nretrys = 1", doers='[[panel.doers]]\nmodel = "one"\ncalls = "two"')
    draft.add(("models",), {"name": "two"})
    draft.set(("panel", "prompts", "doer_user"), "no slots")

    found = told(look_at(draft))

    assert found[("run", "max_calls")] == "must be greater than or equal to 1, not 0"
    assert "did you mean 'retries'" in found[("run", "retrys")]
    assert "whole number" in found[("panel", "doers", 0, "calls")]
    assert found[("models", 1, "model")] == "is missing: fill it in"
    assert "{question}" in found[("panel", "prompts", "doer_user")]


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ((("kind",), "panle"), ("kind",), "did you mean 'panel'"),
        ((("panel", "doers", 0, "model"), "on"), ("panel", "doers", 0, "model"), "no model named 'on'; did you mean 'one'"),
        ((("panel", "doers"), None), ("panel", "doers"), "add one"),
        ((("models", 0, "base_url"), "ftp://x"), ("models", 0), "not an http(s) address"),
        ((("panel", "documents"), ["nothing.md"]), ("panel", "documents", 0), "cannot be read: No such file"),
        ((("panel", "documents"), ["x" * 5000 + "*"]), ("panel", "documents", 0), "cannot be looked for"),
        ((("panel", "truths"), ["one"]), ("panel", "truths"), "1 given for 2 questions"),
        ((("run", "max_calls"), 1), ("run", "max_calls"), "the plan needs 2 calls; the cap is 1: raise it to 2 or ask less"),
        ((("models", 0, "wire"), "simulatr"), ("models", 0, "wire"), "did you mean 'simulator'"),
        ((("models", 0, "enabled"), False), ("models", 0, "enabled"), "is disabled"),
        ((("run", "only"), ["x"]), ("run", "only"), "no such sample 'x'"),
        ((("panel", "prompts"), {"doer_user": {"file": "y" * 5000}}), ("panel", "prompts", "doer_user"), "too long"),
    ],
)
def test_what_keeps_a_run_from_starting_is_told_where_it_is(
    change: tuple[Place, Any], place: Place, words: str, tmp_path: Path
) -> None:
    """Whatever the command line would refuse is a problem at the key to mend, and the draft is not ready."""
    draft = panel(tmp_path)
    assert look_at(draft).ready
    draft.set(*change)

    look = look_at(draft)

    assert not look.ready
    assert words in told(look)[place]


def test_the_counter_refuses_what_the_command_line_refuses(tmp_path: Path) -> None:
    """A cap in USD that cannot be held, or is too low, keeps a run from starting in both."""
    for price, limits in ((1, "max_cost_usd = 1.0\nmax_output_tokens = 0"), (1e6, "max_cost_usd = 0.001")):
        address = f'base_url = "http://127.0.0.1:9/v1"\nprice = {{ input = {price}, output = {price} }}'
        text = panel_text(models=f"{SERVER}{address}", run=limits)
        (tmp_path / "panel.toml").write_text(text)

        with pytest.raises(ConfigError):
            check_caps(load(tmp_path / "panel.toml", Workspace(tmp_path)))
        look = look_at(Draft(tomllib.loads(text), tmp_path))
        assert not look.ready and look.plan is not None
        assert ("run", "max_cost_usd") in told(look)


def test_a_missing_key_is_told_at_its_model_and_the_plan_stands(
    tmp_path: Path, no_keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its key a model is counted all the same; the problem names the variable and where to store it."""
    draft = panel(tmp_path, models=SERVER)
    planner = Planner(Workspace(tmp_path))

    look = planner.look(draft)

    assert look.plan is not None and not look.ready
    assert "OPENAI_API_KEY" in told(look)[("models", 0, "api_key_env")]
    assert "screen 1 with K" in told(look)[("models", 0, "api_key_env")]
    (tmp_path / ".env").write_text("OPENAI_API_KEY=abcdefgh1234\n")
    assert planner.look(draft).ready


def test_a_model_on_file_is_spoken_of_where_it_is_named(tmp_path: Path, no_keys: None) -> None:
    """What is wrong with a model that stands in another file is told at the row of the draft that names it."""
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / "models.toml").write_text(SERVER)
    draft = panel(tmp_path, models="")
    assert ("panel", "doers", 0, "model") in told(look_at(draft))

    (tmp_path / ".conf" / "models.toml").write_text(SERVER + "enabled = false\n")
    assert told(look_at(draft))[("panel", "doers", 0, "model")].startswith("model 'one' is disabled")
    (tmp_path / ".conf" / "models.toml").write_text(SERVER + "enabled = 1\n")
    assert "models.toml:5: models[0].enabled" in told(look_at(draft))[()]


@pytest.mark.parametrize(("calls", "items"), [(1, 40), (50, 4), (10_000, 4)])
def test_an_estimate_takes_no_longer_for_many_calls(calls: int, items: int, tmp_path: Path) -> None:
    """However many calls an item takes, an estimate rests on about as many; on whole items, a few at the least. One more is
    driven to count the calls."""
    loaded = look_at(panel(tmp_path, questions=f"questions = {[f'{n}?' for n in range(200)]}")).loaded
    assert loaded is not None
    evaluation = loaded.evaluation
    driven = []

    def flow(task: Any, item: Sample) -> Flow:
        driven.append(item)
        call = Call("doer", item.id, "one", (Message("user", "?"),))
        yield [call] * calls
        return []

    plan = planned(replace(evaluation.kind, flow=flow), evaluation.task, evaluation.queues, evaluation.models, 1, every=False)

    assert len(driven) == items + 1
    assert plan["total_calls"] == 200 * calls


def test_a_look_tells_of_which_draft_it_is(tmp_path: Path) -> None:
    """A look that comes late is known by its version, and holds what the draft was then."""
    draft = panel(tmp_path)
    look = look_at(draft)
    draft.set(("name",), "other")

    assert look.version != draft.version
    assert look.loaded is not None and look.loaded.evaluation.name == "small"


def test_a_preview_shows_every_call_of_an_item(tmp_path: Path) -> None:
    """The calls of an item in the order they are asked; those that build on replies say that these are assumed."""
    rest = '[[panel.judges]]\nmodel = "one"\n[panel.benchmark]\nmode = "exact"\n[panel.prompts]\ndoer_system = "Be kind."'
    draft = panel(tmp_path, panel='truths = ["1", "2"]', rest=rest, run="repeat = 2")
    planner = Planner(Workspace(tmp_path))
    look = planner.look(draft)

    preview = planner.preview(look, 1)

    assert (preview.items, preview.item_id) == (4, "__no_doc__/q1")
    assert [(call.stage, call.model, call.assumed) for call in preview.calls] == [
        ("doer", "one", False),
        ("judge", "one", True),
    ]
    assert preview.calls[0].messages[0].content == "Be kind." and "What is two?" in preview.calls[0].messages[1].content
    assert preview.calls[0].parameters["max_tokens"] == 200
    assert [planner.preview(look, n).item_id for n in (0, 3)] == ["__no_doc__/q0", "__no_doc__/q1#2"]
    for number in (-1, 4):
        with pytest.raises(IndexError):
            planner.preview(look, number)


def test_a_preview_names_a_picture_and_does_not_print_it(tmp_path: Path) -> None:
    """In place of an attachment's bytes a preview has its path."""
    (tmp_path / "dot.png").write_bytes(bytes.fromhex("89504e470d0a1a0a") + bytes(range(256)) * 40)
    planner = Planner(Workspace(tmp_path))

    call = planner.preview(planner.look(panel(tmp_path, panel='documents = ["dot.png"]')), 0).calls[0]

    assert "the bytes of inputs/documents/dot.png" in call.body and len(call.body) < 5000
    json.loads(call.body)


@pytest.mark.soak
def test_what_is_started_is_what_was_previewed(tmp_path: Path) -> None:
    """A draft that is ready starts in a process of its own and ends; the requests in its log are, word for word of their
    JSON, those that the preview showed."""
    draft = panel(tmp_path)
    draft.set(("models", 0, "model"), "sim-sprinter")
    planner = Planner(Workspace(tmp_path))
    look = planner.look(draft)
    assert look.loaded is not None
    shown = [call for n in range(2) for call in planner.preview(look, n).calls]

    path, started = preparing.start(look.loaded, Workspace(tmp_path), ["the app"])
    until(lambda: started.poll() is not None)

    assert started.poll() == 0, started.last_words()
    assert path.parent == tmp_path / "runs" and status(path)["state"] == "done"
    sent = [json.loads(line) for line in (path / "call_logs.jsonl").read_bytes().splitlines()]
    requests = {json.dumps(record["request"], sort_keys=True) for record in sent}
    assert requests == {json.dumps(json.loads(call.body), sort_keys=True) for call in shown}
    assert json.loads((path / "plan.json").read_bytes()) == look.plan


def test_nothing_is_started_with_a_key_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that holds the value of a key of the run is refused, and no run folder is made."""
    monkeypatch.setenv("OPENAI_API_KEY", "abcdefgh12345678")
    look = look_at(panel(tmp_path, models=SERVER, questions='questions = ["Is it abcdefgh12345678?"]'))
    assert look.loaded is not None

    with pytest.raises(ConfigError, match="one of your keys"):
        preparing.start(look.loaded, Workspace(tmp_path), [])

    assert not (tmp_path / "runs").exists()
