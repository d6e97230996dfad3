"""Laws of servers on this machine: they cost nothing and it is said once; caps, plans and gates reckon with that."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui_eval.configuring.loading import Loaded, cap_problems, complete, load
from tui_eval.configuring.preparing import prepare
from tui_eval.core.calls import Call, Message, Price, Usage
from tui_eval.core.money import cost_usd, is_free, worst_case
from tui_eval.models.model_selection import ON_THIS_MACHINE, with_defaults
from tui_eval.providers import WIRES
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

HERE = ("http://127.0.0.1:8080/v1", "http://localhost:1234", "http://[::1]:9/v1")
ELSEWHERE = ("https://api.example.com/v1", "http://10.0.0.5:8000/v1", "http://localhost.example.com/v1", "${BASE}/v1")
REAL = [name for name, wire in WIRES.every().items() if not wire.simulated and not wire.recorded]
PRICED = {"price": {"input": 1.0, "output": 2.0}}


def loaded(folder: Path, models: list[dict[str, Any]], **run: Any) -> Loaded:
    """A panel of these models, each of which answers two questions."""
    doers = [{"model": model["name"]} for model in models]
    content = {"kind": "panel", "name": "n", "models": models, "panel": {"questions": ["One?", "Two?"], "doers": doers}}
    return complete(TomlFile(folder / "config.toml", {**content, "run": run}, {}), Workspace(folder), sends=False)


def model(name: str = "m", url: str = HERE[0], **more: Any) -> dict[str, Any]:
    return {"name": name, "wire": "openai", "model": "x", "base_url": url, **more}


@pytest.mark.parametrize("wire", REAL)
def test_every_provider_is_free_on_this_machine_alone(wire: str, tmp_path: Path) -> None:
    """By whatever wire, a model at a loopback address costs 0 unless it has a price; elsewhere nothing is made up."""
    for url in HERE:
        table = ModelTable(name="m", wire=wire, model="x", base_url=url)
        price = with_defaults(table, Workspace(tmp_path)).price
        assert price is not None and (price.input, price.output, price.source) == (0, 0, ON_THIS_MACHINE)
        own = ModelTable(name="m", wire=wire, model="x", base_url=url, **PRICED)
        assert with_defaults(own, Workspace(tmp_path)).price == own.price
    for url in ELSEWHERE:
        assert with_defaults(ModelTable(name="m", wire=wire, model="x", base_url=url), Workspace(tmp_path)).price is None


def test_what_is_free_has_a_known_cost() -> None:
    """However little is known of the tokens, and without a limit on them; a later price that is none ends that."""
    call = Call("doer", "s", "m", (Message("user", "x"),))
    free = Price(input=0, output=0)
    assert is_free(free) and cost_usd(Usage(), free) == 0.0 and worst_case(call, free) == 0
    for price in (Price(1, 0), Price(0, 1), replace(free, later=Price(0, 1)), None):
        assert not is_free(price) and cost_usd(Usage(), price) is None and worst_case(call, price) is None


def test_a_cap_holds_with_them_and_it_is_said_once(tmp_path: Path) -> None:
    """A cap on cost needs no price and no token limit there; one sentence names the models, and none of those with a price."""
    local = [model("a"), model("b", HERE[1]), model("dear", **PRICED)]
    found = loaded(tmp_path, local[:2], max_cost_usd=0.5, max_output_tokens=0)

    assert cap_problems(found, "{most}") == [] and found.plan["max_cost_usd"] == 0
    assert [one for one in found.notes if "$0" in one] == [
        "a, b are counted as $0, as servers on this machine; if one of them calls a paid service, give it a price in [[models]]"
    ]
    assert not [one for one in loaded(tmp_path, local[2:]).notes if "$0" in one]
    (told,) = cap_problems(loaded(tmp_path, [model(url=ELSEWHERE[0])], max_cost_usd=0.5), "{most}")
    assert told.startswith("run.max_cost_usd: cannot be held, since model 'm' has no price") and "run.max_output_tokens" in told


def test_a_run_on_file_keeps_what_it_had(tmp_path: Path) -> None:
    """A run's own config has the price, so that resume and re-score say nothing new; one that had none gets none."""
    prepare(loaded(tmp_path, [model()]), tmp_path / "run", lambda text: text, [])
    config = tmp_path / "run" / "config.toml"
    again = load(config, Workspace(tmp_path), sends=False)
    assert again.evaluation.models["m"].price == Price(0, 0, source=ON_THIS_MACHINE)
    assert not [one for one in again.notes if "$0" in one]

    content = tomllib.loads(config.read_text())
    del content["models"][0]["price"]
    old = complete(TomlFile(config, content, {}), Workspace(tmp_path), sends=False)
    assert old.evaluation.models["m"].price is None
