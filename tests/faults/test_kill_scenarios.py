"""The campaign of kills leaves nothing out: every kind and every wire of the registries is killed, with and without batches."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_origin

import pytest
import tomli_w
from kill_scenarios import CONCURRENCY, KEY_VARIABLE, WAYS, Scenario, scenario, wires, written
from kill_server import routed
from kill_tables import TABLES, shapes_of
from next_steps import check_none_missing
from pydantic import BaseModel
from samples import registered

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded, check_caps, load
from tui_eval.core.calls import Call, Message, ModelSpec, Reply
from tui_eval.evaluation.config_references import references_in, speaking, tables_in
from tui_eval.evaluation.drivers import as_example
from tui_eval.kinds import KINDS
from tui_eval.providers import WIRES
from tui_eval.simulator.apis.interfaces import INTERFACES
from tui_eval.workspace.places import Workspace

CASES = 77
"""So many runs take some three hundred kills."""
URL = "http://127.0.0.1:1/v1"


SHAPES = [(kind, shape) for kind, tables in TABLES.items() for shape in tables]
Answer = Callable[[Call], Reply]


def loaded(kind: str, shape: str, folder: Path) -> Loaded:
    """The config as the campaign writes it; every prompt of the kind begins with its own name."""
    config = written(Scenario(kind, "openai", "anthropic", shape), URL, folder, max_cost_usd=5.0)
    prompts = {
        name: f"<{name}> {' '.join(f'{{{slot}}}' for slot in slots)}"
        for name, slots in KINDS[kind].prompts.items()
        if not KINDS[kind].names_prompts
    }
    if prompts:
        content = tomllib.loads(config.read_text(encoding="utf-8"))
        content[kind]["prompts"] = prompts
        config.write_text(tomli_w.dumps(content), encoding="utf-8")
    return load(config, Workspace(folder))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-any")


@pytest.mark.parametrize(("kind", "shape"), SHAPES)
def test_every_kind_has_something_to_kill(kind: str, shape: str, tmp_path: Path) -> None:
    """More calls than are under way at once, several times over: a kill has some before it, some in it, some after it."""
    found = loaded(kind, shape, tmp_path)

    check_caps(found)
    assert found.evaluation.kind.name == kind and kind in KINDS
    assert found.plan["total_calls"] > 4 * CONCURRENCY
    assert found.plan["max_cost_usd"] is not None


def without(stage: str) -> Answer:
    """Every call gets the reply that is its example; those of one stage one that nobody can read."""

    def answer(call: Call) -> Reply:
        return Reply(call, "ok", text="no idea what to say") if call.stage == stage else as_example(call)

    return answer


def lists_of_models(table: type[BaseModel], key: str = "", many: bool = False) -> Iterator[str]:
    """The keys of a kind's table that take several models, without their plural."""
    for name, _, what in speaking(table):
        annotation = table.model_fields[name].annotation
        several = many or get_origin(annotation) is list
        if what == "model" and several:
            yield f"{key}{name.removesuffix('s')}"
        for inner in tables_in(annotation):
            yield from lists_of_models(inner, f"{key}{name}.", several)


def asked_at(evaluation: Evaluation) -> Counter[str]:
    """How many models the keys of a config's table name, by key, without its plural."""
    found = (entry.key for entry in references_in(evaluation.task.config, "") if entry.what == "model")
    return Counter(re.sub(r"\[\d+\]", "", key).removeprefix(".").removesuffix("s") for key in found)


@pytest.mark.parametrize("kind", list(KINDS))
def test_no_stage_no_prompt_and_no_model_beside_another_is_left_out(kind: str, tmp_path: Path) -> None:
    """Between them, a kind's shapes ask in each of its stages, say each of its prompts, reminders included, and have several
    models wherever it takes several, with four in one of them."""
    said, stages, several, most = set[str](), set[str](), set[str](), 0
    for number, shape in enumerate(shapes_of(kind)):
        folder = tmp_path / str(number)
        folder.mkdir()
        evaluation = loaded(kind, shape, folder).evaluation
        several |= {name for name, n in asked_at(evaluation).items() if n > 1}
        most = max(most, len(evaluation.models))
        for answer in (as_example, *map(without, evaluation.kind.stage_names)):
            for sample in evaluation.samples():
                calls = [reply.call for reply in evaluation.driven(sample, answer).replies]
                stages |= {call.stage for call in calls}
                said |= {message.content.partition(">")[0][1:] for call in calls for message in call.messages}

    shape = f"give TABLES in benchmarks/kill_tables.py a shape of the kind {kind!r} that "
    check_none_missing(set(KINDS[kind].stage_names) - stages, shape + "asks in the stage '{name}'")
    check_none_missing(set(KINDS[kind].prompts) - said, shape + "says the prompt '{name}'")
    wide = set(lists_of_models(KINDS[kind].Config))
    check_none_missing(wide - several, shape + "has several models in '{name}'")
    assert most == 4 or not wide, f"{shape}has four models in one of {', '.join(sorted(wide))}"


def test_each_pair_of_a_kind_and_a_wire_comes_in_its_turn() -> None:
    pairs = [(kind, wire) for kind in KINDS for wire in WIRES if not WIRES[wire].recorded]

    found = [scenario(number, 1) for number in range(len(pairs))]

    assert sorted((one.kind, one.wire) for one in found) == sorted(pairs)


def test_each_shape_of_a_kind_comes_soon_and_meets_every_wire() -> None:
    most = max(map(len, TABLES.values()))

    found = [scenario(number, 1) for number in range(len(KINDS) * len(wires()) * most)]

    assert {(one.kind, one.shape) for one in found[: len(KINDS) * most]} == set(SHAPES)
    assert len({(one.kind, one.shape, one.wire) for one in found}) == len(SHAPES) * len(wires())


@pytest.mark.parametrize("seed", [1, 16, 20261126])
def test_every_kind_is_killed_soon_in_every_way(seed: int) -> None:
    """Whole replies, streams and batches: each kind meets each of them several times among the cases of three hundred kills."""
    found = Counter((one.kind, one.way) for one in (scenario(number, seed) for number in range(CASES)))

    assert set(found) == {(kind, way) for kind in KINDS for way in WAYS}
    assert min(found.values()) >= 2


def test_batches_are_killed_over_every_wire_that_takes_them_and_no_other() -> None:
    found = [scenario(number, 1) for number in range(4 * len(KINDS) * len(wires()))]

    assert {one.wire for one in found if one.mode == "batch"} == {name for name in wires() if WIRES[name].batches is not None}
    assert {one.wire for one in found if one.mode == "live"} == set(wires())
    assert {one.kind for one in found if one.mode == "batch"} == set(KINDS)


def test_a_kind_without_a_scenario_fails_the_campaign() -> None:
    """It is named, with what is to be done: no kind stays out of it because nobody thought of it."""
    with registered(), pytest.raises(LookupError, match=r"'agree'.* to TABLES in benchmarks/kill_tables\.py"):
        scenario(list(KINDS).index("agree"), 1)


@pytest.mark.parametrize("wire", wires())
def test_the_counting_server_answers_every_wire(wire: str) -> None:
    """Wherever a wire sends its calls, there is a reply of the simulator."""
    call = Call("answer", "item", "m", (Message("user", "What is one?"),), max_output_tokens=10)
    model = ModelSpec("m", wire, "sim-scholar", base_url=URL)

    request = WIRES[wire].encode(call, model, {})

    assert routed("/v1" + request.path.partition("?")[0]) in INTERFACES
