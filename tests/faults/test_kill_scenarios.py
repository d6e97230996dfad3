"""The campaign of kills leaves nothing out: every kind and every wire of the registries is killed, with and without batches."""

from __future__ import annotations

from pathlib import Path

import pytest
from kill_scenarios import CONCURRENCY, KEY_VARIABLE, Scenario, scenario, wires, written
from kill_server import routed
from samples import registered

from tui_eval.core.calls import Call, Message, ModelSpec
from tui_eval.kinds import KINDS
from tui_eval.providers import WIRES
from tui_eval.session.loading import check_caps, load
from tui_eval.simulator.interfaces import INTERFACES
from tui_eval.workspace.places import Workspace

URL = "http://127.0.0.1:1/v1"


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_has_something_to_kill(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More calls than are under way at once, twice over: a kill has some before it, some in it, some after it."""
    monkeypatch.setenv(KEY_VARIABLE, "sk-any")

    loaded = load(written(Scenario(kind, "openai", "anthropic"), URL, tmp_path, max_cost_usd=5.0), Workspace(tmp_path))

    check_caps(loaded)
    assert loaded.evaluation.kind is KINDS[kind]
    assert loaded.plan["total_calls"] > 4 * CONCURRENCY
    assert loaded.plan["max_cost_usd"] is not None


def test_each_pair_of_a_kind_and_a_wire_comes_in_its_turn() -> None:
    pairs = [(kind, wire) for kind in KINDS for wire in WIRES if not WIRES[wire].recorded]

    found = [scenario(number, 1) for number in range(len(pairs))]

    assert sorted((one.kind, one.wire) for one in found) == sorted(pairs)


def test_batches_are_killed_over_every_wire_that_takes_them_and_no_other() -> None:
    found = [scenario(number, 1) for number in range(4 * len(KINDS) * len(wires()))]

    assert {one.wire for one in found if one.mode == "batch"} == {name for name in wires() if WIRES[name].batches is not None}
    assert {one.wire for one in found if one.mode == "live"} == set(wires())
    assert {one.kind for one in found if one.mode == "batch"} == set(KINDS)


def test_a_kind_without_a_scenario_fails_the_campaign() -> None:
    """It is named, with what is to be done: no kind stays out of it because nobody thought of it."""
    with registered(), pytest.raises(LookupError, match=r"agree.*TABLES"):
        [scenario(number, 1) for number in range(len(KINDS))]


@pytest.mark.parametrize("wire", wires())
def test_the_counting_server_answers_every_wire(wire: str) -> None:
    """Wherever a wire sends its calls, there is a reply of the simulator."""
    call = Call("answer", "item", "m", (Message("user", "What is one?"),), max_output_tokens=10)
    model = ModelSpec("m", wire, "sim-scholar", base_url=URL)

    request = WIRES[wire].encode(call, model, {})

    assert routed("/v1" + request.path.partition("?")[0]) in INTERFACES
