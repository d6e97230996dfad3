"""Laws of the price lists: the user's wins, an id is never guessed at, and the shipped figures are sound."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from makers import SHARED, load_panel, panel_text

from tui_eval.configuring import preparing
from tui_eval.configuring.loading import load, resolved
from tui_eval.core.calls import Usage
from tui_eval.core.errors import ConfigError
from tui_eval.engine import verdict
from tui_eval.models import model_selection
from tui_eval.models.prices import SAME_PRICES, price_of, prices_file, read_prices
from tui_eval.providers import WIRES
from tui_eval.workspace.model_settings import PriceTable
from tui_eval.workspace.places import Workspace, shipped

SHIPPED = read_prices(shipped("prices") / "prices.toml")
MINE = '[[prices]]\nwire = "openai"\nmodel = "gpt-5-mini"\ninput = 7\noutput = 8\nsource = "contract"\ndate = "2026-01-02"\n'


def with_list(folder: Path, text: str = MINE) -> Workspace:
    """A workspace with a price list of its own."""
    workspace = Workspace(folder)
    prices_file(workspace).parent.mkdir(exist_ok=True)
    prices_file(workspace).write_text(text)
    return workspace


# ---------------------------------------------------------------------------------------------------- the shipped figures


def test_every_shipped_price_says_where_and_when() -> None:
    """A source and a day with each; enough models of each provider; in order, so that a change is easy to read."""
    for price in SHIPPED.values():
        assert price.source and re.fullmatch(r"2[0-9]{3}-[0-9]{2}-[0-9]{2}", price.date)

    wires = [wire for wire, _ in SHIPPED]
    assert {wire for wire in wires if wires.count(wire) >= 10} == {"openai", "anthropic", "gemini", "openrouter"}
    assert [*SHIPPED] == sorted(SHIPPED)
    assert not set(SAME_PRICES) & set(wires)
    assert not any(WIRES[wire].simulated for wire in wires)


def test_shipped_prices_are_plausible() -> None:
    """Writing costs more than reading, a cache hit less, a cache write as much or more; none is free or absurd."""
    for price in SHIPPED.values():
        assert 0 < price.input <= price.output < 1000
        assert price.cached_input is None or 0 < price.cached_input < price.input
        assert price.cache_write is None or price.input <= price.cache_write <= 2 * price.input


def test_a_dated_id_costs_what_its_alias_costs() -> None:
    """Where both are listed; a dated model with a price of its own would have to be looked at."""
    for (wire, model), price in SHIPPED.items():
        alias = SHIPPED.get((wire, re.sub(r"-(20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2})$", "", model)))
        assert alias is None or alias.model_dump() == price.model_dump()


# --------------------------------------------------------------------------------------------------------------- look-up


def test_an_id_is_never_guessed_at(tmp_path: Path) -> None:
    """An unlisted date, another case or an id at another wire has no price."""
    workspace = Workspace(tmp_path)

    assert price_of(workspace, "openai", "gpt-4o") == price_of(workspace, "openai-responses", "gpt-4o") is not None
    for wire, model in [
        ("openai", "gpt-4o-2031-01-01"),
        ("openai", "GPT-4o"),
        ("openai", "openai/gpt-4o"),
        ("azure", "gpt-4o"),
        ("ollama", "gpt-4o"),
        ("simulator", "gpt-4o"),
        ("recorded", "gpt-4o"),
        ("no wire", "gpt-4o"),
    ]:
        assert price_of(workspace, wire, model) is None


def test_the_users_list_wins_and_is_read_when_it_changes(tmp_path: Path) -> None:
    """Model by model: what it does not have comes from the shipped list."""
    workspace = with_list(tmp_path)

    found = price_of(workspace, "openai-responses", "gpt-5-mini")
    assert found == PriceTable(input=7, output=8, source="contract", date="2026-01-02")
    assert price_of(workspace, "openai", "gpt-5") == SHIPPED["openai", "gpt-5"]

    with_list(tmp_path, MINE.replace("openai", "openai-responses").replace("7", "9"))
    assert price_of(workspace, "openai", "gpt-5-mini") == SHIPPED["openai", "gpt-5-mini"]
    again = price_of(workspace, "openai-responses", "gpt-5-mini")
    assert again is not None and again.input == 9

    prices_file(workspace).unlink()
    assert price_of(workspace, "openai", "gpt-5-mini") == SHIPPED["openai", "gpt-5-mini"]


def test_a_list_is_read_once(tmp_path: Path) -> None:
    """Twenty models, one reading: a list that can no longer be read, but is the same file, is still known."""
    workspace = with_list(tmp_path)
    state = prices_file(workspace).stat()
    first = price_of(workspace, "openai", "gpt-5-mini")
    prices_file(workspace).write_text(MINE.replace("input", "inptu"))
    os.utime(prices_file(workspace), ns=(state.st_atime_ns, state.st_mtime_ns))

    assert price_of(workspace, "openai", "gpt-5-mini") == first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MINE + "[[prices]\n", "prices.toml: not valid TOML"),
        (MINE.replace("input = 7", "input = -7"), "prices.toml:4"),
        (MINE.replace("input = 7", 'input = "7"'), "prices.toml:4"),
        (MINE.replace("input", "inptu"), "did you mean 'input'"),
        (MINE.replace("output = 8\n", ""), "prices[0].output: is missing"),
        (MINE.replace('"2026-01-02"', '"soon"'), "prices.toml:7"),
        (MINE.replace('"openai"', '"opnai"'), "did you mean 'openai'"),
        (MINE.replace('model = "gpt-5-mini"\n', ""), "whose price"),
        (MINE + MINE, "prices.toml:8"),
        ("prices = 1\n", "list of tables"),
        ("prices = [1]\n", "whose price"),
        ("price = 1\n", "did you mean 'prices'"),
    ],
)
def test_a_damaged_list_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """With file and line: a price that is silently not used would be a wrong sum."""
    with pytest.raises(ConfigError, match=re.escape(said)):
        price_of(with_list(tmp_path, text), "openai", "gpt-5-mini")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the specifications are not at hand")
def test_the_specifications_prices_are_known_or_gone() -> None:
    """Of the two OpenAI models that the specification prices, one still costs the same; its other figures are its own."""
    text = next(SHARED.glob("specs/000_*.txt")).read_text()
    table = json.loads(re.search(r'\{\s*"pricing".*?\n\}', text, re.DOTALL).group())["pricing"]  # type: ignore[union-attr]

    theirs = table["openai"]["gpt-4o"]
    ours = SHIPPED["openai", "gpt-4o"]
    assert (ours.input, ours.output) == (theirs["input_per_1m"], theirs["output_per_1m"])


# ------------------------------------------------------------------------------------------------------------- in a run


def models_of(folder: Path, models: str) -> Any:
    return load(_config(folder, models), Workspace(folder), sends=False)


def _config(folder: Path, models: str) -> Path:
    path = folder / "panel.toml"
    path.write_text(panel_text(models=f'[[models]]\nname = "one"\n{models}\n'))
    return path


def test_a_model_without_a_price_gets_that_of_the_list(tmp_path: Path) -> None:
    """It stands in the resolved config with source and date, so that anyone can see what a run was charged at."""
    loaded = models_of(tmp_path, 'model = "gpt-5-mini"')

    (entry,) = resolved(loaded)["models"]
    assert entry["price"] == SHIPPED["openai", "gpt-5-mini"].model_dump(exclude_none=True)
    assert loaded.plan["cost_usd"] is not None


@pytest.mark.parametrize(
    "models",
    [
        'model = "gpt-5-mini"\nbase_url = "https://elsewhere.example/v1"',
        'model = "no-such-model"\nwire = "openai"',
        'model = "gpt-5-mini"\nwire = "simulator"',
    ],
)
def test_no_price_where_none_is_known(tmp_path: Path, models: str) -> None:
    """At another address, of an unlisted model, of a simulated one with a real one's name."""
    assert models_of(tmp_path, models).tables[0].price is None


LATER = (
    'wire = "openai"\nmodel = "m"\nmax_output_tokens = 9\n'
    'price = { input = 1, output = 2, later = { from_date = "2027-01-01", input = 3, output = 4 } }'
)


def test_a_call_costs_what_its_day_says_and_a_cap_holds_on_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The price of the day is reported, of the plan and of each call; the most that it may cost is at the dearer one."""
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=0, total_tokens=1_000_000)
    found = []
    for day in ("2026-12-31", "2027-01-01"):
        monkeypatch.setattr(model_selection, "today", lambda day=day: day)
        loaded = models_of(tmp_path, LATER)
        spec = loaded.evaluation.models["one"]
        for asked in ("2026-12-31", "2027-01-01"):
            monkeypatch.setattr(verdict, "today", lambda asked=asked: asked)
            found.append(verdict.priced(usage, spec)[0].cost_usd)
        (stage,) = loaded.plan["stages"]
        found.append((stage["cost_usd"], stage["max_cost_usd"]))

    assert found[:2] == [1, 3] and found[3:5] == [3, 3]
    assert found[2][0] < found[5][0] and found[2][1] == found[5][1]


def test_a_prepared_run_knows_the_later_price(tmp_path: Path) -> None:
    """It stands in the run's config, and is read from there."""
    workspace, folder = Workspace(tmp_path), tmp_path / "run"
    loaded = load(_config(tmp_path, LATER), workspace, sends=False)
    preparing.prepare(loaded, folder, lambda text: text, ())

    assert load(folder / "config.toml", workspace, sends=False).tables[0].price == loaded.tables[0].price
    assert loaded.tables[0].price.later is not None


def test_shipped_prices_of_a_later_day_are_dearer_and_said() -> None:
    """Each says its first day, after the one on which it was read, and what is dearer then; so does the list of models."""
    later = {model: price for (_, model), price in SHIPPED.items() if price.later is not None}
    for price in later.values():
        assert price.later is not None and price.date < price.later.from_date
        assert price.input < price.later.input <= price.later.output and price.output < price.later.output
        assert price.on(price.date) is price and price.on(price.later.from_date).input == price.later.input
        assert price.on("2100-01-01").later is None

    assert {"gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash", "gemini-flash-latest", "gemini-4-argon"} <= set(later)


def test_a_price_of_ones_own_wins(tmp_path: Path) -> None:
    """That in the model's table over those in lists."""
    with_list(tmp_path)

    assert models_of(tmp_path, 'model = "gpt-5-mini"').tables[0].price.input == 7
    assert models_of(tmp_path, 'model = "gpt-5-mini"\nprice = { input = 1, output = 2 }').tables[0].price.input == 1


def test_a_prepared_run_keeps_its_prices(tmp_path: Path) -> None:
    """A list that learns a price later does not change what an old run was charged."""
    workspace = Workspace(tmp_path)
    config = _config(tmp_path, 'wire = "openai"\nmodel = "later"\nmax_output_tokens = 9')
    folder = tmp_path / "run"
    preparing.prepare(load(config, workspace, sends=False), folder, lambda text: text, ())
    with_list(tmp_path, MINE.replace("gpt-5-mini", "later"))

    assert load(folder / "config.toml", workspace, sends=False).tables[0].price is None
    assert load(config, workspace, sends=False).tables[0].price is not None


def test_a_simulated_run_needs_no_list(tmp_path: Path) -> None:
    """Simulated prices stay what they were."""
    with_list(tmp_path, "prices = 1\n")

    assert load_panel(tmp_path).tables[0].price is not None
