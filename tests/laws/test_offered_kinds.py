"""A kind that is offered is whole: in the app's list, with an example, prompts, help, and answers from the simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import pytest
from samples import ALL_SAMPLES, MODELS, OWN, SAMPLES, sample
from simulated import simulated

from tui_eval.configuring.drafting.fields import Field
from tui_eval.configuring.drafting.schema import schema
from tui_eval.configuring.drafting.starting import starts
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.kinds import Stage
from tui_eval.core.results import SampleResult, Score
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.kind_validation import problems_of
from tui_eval.evaluation.sample_queues import side_by_side
from tui_eval.kinds import KINDS
from tui_eval.providers import WIRES
from tui_eval.reading.prompts import check_slots
from tui_eval.simulator.answers.open_replies import CANNOT_KNOW, CANNOT_TELL
from tui_eval.simulator.apis.chat import Chat
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.toml_files import read_toml
from tui_eval.workspace.validation import Strict

OFFERED = [kind for kind in KINDS.values() if kind.offered]
NAMES = [kind.name for kind in OFFERED]
ASKED_ITEMS = 6


def examples_of(kind: Kind) -> list[Path]:
    """The shipped configs of a kind."""
    return [path for path in sorted(shipped("examples").glob("*.toml")) if read_toml(path).content["kind"] == kind.name]


def leaves(field: Field) -> list[Field]:
    """Every field below a table."""
    return [leaf for inner in field.fields for leaf in ([inner] if not inner.fields else leaves(inner))]


@pytest.mark.parametrize("kind", [*KINDS.values(), *OWN.values()], ids=lambda kind: kind.name)
def test_it_says_what_the_program_rests_on(kind: Kind) -> None:
    """Its fields name models of its stages, its prompts have a field, its metrics a scale."""
    assert problems_of(kind) == []


def test_what_a_kind_leaves_out_is_told_in_its_words() -> None:
    """Each slip by itself: the sentence says which field, stage or metric, and what to write."""
    agree = OWN["agree"]
    stages, metric = (Stage("answer"), Stage("writer", role="judge")), agree.metrics[0]
    slips = {
        "Config.judge names a model of the stage 'judge'; its stages are answer, writer": replace(agree, stages=stages),
        "two stages are called 'judge'": replace(agree, stages=(*agree.stages, agree.stages[1])),
        "its Config needs a field `prompts": replace(agree, Config=WithoutPrompts),
        "Config.models names a model and no stage": replace(agree, Config=WithoutPrompts),
        "the threshold of agree, 3, is off its scale": replace(agree, metrics=(replace(metric, threshold=3.0),)),
        "two metrics are called 'agree'": replace(agree, metrics=(metric, metric)),
        "no stage answers": replace(agree, stages=(Stage("answer", "judge"), Stage("judge", "judge"))),
    }

    for said, kind in slips.items():
        assert any(said in problem for problem in problems_of(kind)), said


class WithoutPrompts(Strict):
    """A table that says too little."""

    models: Annotated[list[str], names("model")]


@pytest.mark.parametrize("kind", OFFERED, ids=NAMES)
def test_the_app_offers_it(kind: Kind, tmp_path: Path) -> None:
    """A person who sets up a run finds it among what to start from, with what it does; nothing lists kinds by hand."""
    found = {start.name: start for start in starts(Workspace(tmp_path), [])}

    assert found[f"new {kind.name}"].about == kind.about != ""
    assert kind.name in next(field for field in schema(kind.name).fields if field.key == "kind").choices


def test_no_other_is_offered(tmp_path: Path) -> None:
    """A kind that the program makes runs of by itself stands in no list of kinds."""
    hidden = {kind.name for kind in KINDS.values() if not kind.offered}

    assert not hidden & {start.kind for start in starts(Workspace(tmp_path), [])}
    assert not hidden & set(next(field for field in schema(NAMES[0]).fields if field.key == "kind").choices)


@pytest.mark.parametrize("kind", OFFERED, ids=NAMES)
def test_it_has_an_example(kind: Kind) -> None:
    """At least one shipped config shows what it is for, with simulated models (or replies on file), within its own caps."""
    found = [load(path, Workspace(path.parent.parent)) for path in examples_of(kind)]

    assert found, f'add a config with kind = "{kind.name}" and simulated models to examples/, such as examples/{kind.name}.toml'
    for loaded in found:
        assert all(WIRES[spec.wire].simulated for spec in loaded.asked_models.values())
        assert loaded.plan["total_calls"] <= (loaded.run.max_calls or 0)


@pytest.mark.parametrize("kind", OFFERED, ids=NAMES)
def test_its_prompts_are_shipped(kind: Kind) -> None:
    """Each prompt is a file with the slots it must have; no shipped file is without a kind that asks for it."""
    folder = shipped("prompts") / kind.name

    shipped_ones = {path.stem for path in folder.glob("*.md")}
    slots_of = {name: " ".join(f"{{{slot}}}" for slot in slots) or "none" for name, slots in kind.prompts.items()}
    steps = [
        f"write prompts/{kind.name}/{name}.md (its slots: {slots_of[name]})" for name in kind.prompts.keys() - shipped_ones
    ]
    steps += [
        f"{kind.name} has no prompt {name!r}: take prompts/{kind.name}/{name}.md away"
        for name in shipped_ones - {*kind.prompts}
    ]
    assert not steps, "\n".join(steps)
    for name, slots in kind.prompts.items():
        check_slots(name, (folder / f"{name}.md").read_text(encoding="utf-8"), slots)


@pytest.mark.parametrize("kind", OFFERED, ids=NAMES)
def test_every_key_of_its_table_has_help(kind: Kind) -> None:
    """Whoever fills in its form is told what each key means."""
    assert [field.key for field in leaves(schema(kind.name)) if not field.help.strip()] == []


@pytest.mark.parametrize(("kind", "name"), ALL_SAMPLES, ids=[name for _, name in ALL_SAMPLES])
def test_every_call_belongs_to_a_stage_with_a_role(kind: str, name: str, tmp_path: Path) -> None:
    """A flow asks in the stages that its kind declares, and no answer is scored under a stage that judges."""
    loaded = sample(kind, name, tmp_path)
    for row in rows_of(loaded, lambda call: Reply(call, "ok", text=call.example_text)):
        assert {reply.call.stage for reply in row.replies} <= set(KINDS[kind].stage_names)
        assert "judge" not in {KINDS[kind].role(score.stage) for score in row.scores}


@pytest.mark.parametrize("path", [path for kind in OFFERED for path in examples_of(kind)], ids=lambda path: path.stem)
def test_the_simulator_answers_it(path: Path) -> None:
    """Its example works out of the box: the simulated models give answers that can be scored, other ones to other samples."""
    chat, loaded = Chat(0, 0.0), load(path, Workspace(path.parent.parent))
    models = loaded.evaluation.models

    def answer(call: Call) -> Reply:
        on_file = call.stage in loaded.evaluation.task.recorded
        return Reply(call, "ok", text=call.example_text) if on_file else simulated(call, models[call.model], chat)

    rows = list(rows_of(loaded, answer))
    scores = [score for row in rows for score in row.scores]
    answers = [reply.text for row in rows for reply in row.replies if is_answer(loaded, reply) and reply.text]

    assert len(set(answers)) > 1, answers
    assert not all(text in (CANNOT_TELL, CANNOT_KNOW) for text in answers)
    assert scores
    counted = [score for row in rows for score in row.scores if not rests_on_nothing(loaded, score, row)]
    assert sum(score.value is not None for score in counted) >= 0.8 * len(counted) > 0, [score.why for score in counted]
    assert len({score.value for score in scores}) > 1, (
        "every score of the example is the same: give it models that differ (sim-scholar beside sim-sprinter), or a prompt by"
        " which the simulator can tell good from bad (simulator/answers/prompt.py)"
    )


def rests_on_nothing(loaded: Loaded, score: Score, row: SampleResult) -> bool:
    """Whether a score is missing because its answer fails the kind's first metric, and why is said."""
    first = loaded.evaluation.kind.metrics[0].name
    of_answer = [
        one for one in row.scores if (one.stage, one.model, one.call_index) == (score.stage, score.model, score.call_index)
    ]
    failed = any(one.name == first and one.value == 0 and one.why for one in of_answer)
    return failed and score.name != first and score.value is None


def is_answer(loaded: Loaded, reply: Reply) -> bool:
    """Whether a reply was given in a stage that answers."""
    return loaded.evaluation.kind.role(reply.call.stage) == "answer"


def rows_of(loaded: Loaded, answer: Callable[[Call], Reply]) -> Iterator[SampleResult]:
    """The first items of an evaluation, driven."""
    evaluation = loaded.evaluation
    items = list(side_by_side(evaluation.queues))
    for item in items[:: max(len(items) // ASKED_ITEMS, 1)]:
        yield evaluation.driven(item, answer)


MIXED = """kind = "panel"
{models}
[panel]
questions = ["one?", {{ question = "two?", truth = "2" }}, {{ question = "three?", truth = "3" }}]
[[panel.doers]]
model = "one"
calls = 2
[[panel.judges]]
model = "two"
[panel.benchmark]
mode = "llm"
scorer = {{ model = "two" }}
"""


def formula(loaded: Loaded) -> int:
    """Spec 003 §11: documents x questions x calls of all rows, and as many again to score them; attacks beside."""
    config = loaded.evaluation.config
    rows = sum(row.calls for row in (*config.doers, *config.judges, *config.finals))
    base = max(1, len(config.documents)) * len(loaded.evaluation.task.questions) * rows * loaded.evaluation.repeat
    scored = config.benchmark is not None and config.benchmark.mode == "llm"
    attacks = loaded.evaluation.task.attacks
    beside = 3 * len(attacks.attacks) * len(attacks.judges) * loaded.evaluation.repeat if attacks else 0
    return base * (2 if scored else 1) + beside


@pytest.mark.parametrize("name", [name for kind, name in SAMPLES if kind == "panel"])
def test_a_panels_plan_is_the_formula_where_every_question_has_a_truth(name: str, tmp_path: Path) -> None:
    """The exact number of calls is that of spec 003 §11."""
    loaded = sample("panel", name, tmp_path)

    assert loaded.plan["total_calls"] == formula(loaded)


def test_a_panels_plan_is_below_the_formula_where_truths_are_missing(tmp_path: Path) -> None:
    """Answers to a question without a truth are not scored, and that is not planned; --only is exact, too."""
    config = tmp_path / "config.toml"
    config.write_text(MIXED.format(models=MODELS), encoding="utf-8")
    whole, one = (load(config, Workspace(tmp_path), only=only) for only in ((), ("__no_doc__/q0",)))

    assert (whole.plan["total_calls"], formula(whole)) == (3 * 3 + 2 * 3, 18)
    assert one.plan["total_calls"] == 3
    assert [stage["stage"] for stage in one.plan["stages"]] == ["doer", "judge"]
