"""Laws of the commands about models: data on stdout, narration on stderr, never a key on either."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from makers import none_on_file, panel_text
from registries import MODEL, PRICING, REGISTRY

from tui_eval.cli import command_line
from tui_eval.configuring.loading import load
from tui_eval.core.errors import ConfigError
from tui_eval.models.catalogue import add_model, models_on_file
from tui_eval.models.prices import price_of, prices_file, read_prices
from tui_eval.workspace.key_files import store_key
from tui_eval.workspace.places import Workspace


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of whoever runs the tests is seen."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AZURE_OPENAI_API_KEY", "MY_KEY"):
        monkeypatch.delenv(name, raising=False)


class Said:
    """What a command said."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command in a workspace without models."""
    none_on_file(tmp_path)

    def command(*arguments: object) -> Said:
        code = command_line.main(["--workspace", str(tmp_path), *map(str, arguments)])
        return Said(code, *capsys.readouterr())

    return command


def text_of(folder: Path) -> str:
    return Workspace(folder).models_file.read_text()


def written(folder: Path, name: str, document: Any) -> Path:
    (folder / name).write_text(json.dumps(document))
    return folder / name


# ----------------------------------------------------------------------------------------------------- add, edit, and so on


def test_adding_says_what_a_run_would_make_of_it(run: Any, tmp_path: Path) -> None:
    """The wire that was guessed, the key and how to store it, the price and where it is from; nothing on stdout."""
    said = run("models", "add", "mini", "--set", "model=gpt-5-mini", "--set", "limits.max_in_flight=4")

    assert (said.code, said.out) == (0, "")
    assert "openai (guessed from 'gpt-5-mini'" in said.err
    assert "OPENAI_API_KEY is not set: tui-eval keys set OPENAI_API_KEY" in said.err
    assert re.search(r"price +\$0\.25 in, \$2 out per million tokens \(.+, 2\d{3}-\d\d-\d\d\)", said.err)
    assert tomllib.loads(text_of(tmp_path)) == {
        "models": [{"name": "mini", "model": "gpt-5-mini", "limits": {"max_in_flight": 4}}]
    }


def test_a_key_that_is_there_is_said_and_not_shown(run: Any, tmp_path: Path) -> None:
    """From .env, in every way of looking at a model."""
    store_key("OPENAI_API_KEY", "sk-secret-value", tmp_path / ".env")

    looks = [
        run("models", "add", "m", "--set", "model=gpt-5"),
        run("models", "edit", "m", "--set", "timeout_s=5"),
        run("models", "list"),
        run("models", "list", "--json"),
    ]

    assert "OPENAI_API_KEY is set" in looks[0].err and re.search(r"gpt-5 +set ", looks[2].out)
    assert json.loads(looks[3].out)[0]["key_is_set"] is True
    assert not any("sk-secret" in said.out + said.err for said in looks)


def test_what_is_not_known_is_said(run: Any) -> None:
    """No address, no price: with the command that mends it."""
    said = run("models", "add", "my az", "--set", "wire=azure", "--set", "model=dep")

    assert "tui-eval models edit 'my az' --set base_url=https://..." in said.err
    assert "--set price.input=... --set price.output=..." in said.err


def test_every_verb_does_its_work(run: Any, tmp_path: Path) -> None:
    """Add, copy, edit, disable, enable, delete; each says what it did."""
    run("models", "add", "a", "--set", "model=gpt-5")
    steps = [
        (("models", "copy", "a", "b"), "b: a copy of a"),
        (("models", "edit", "b", "--set", "price={input=1, output=2}", "--set", "name=c"), "$1 in, $2 out"),
        (("models", "edit", "c", "--unset", "price"), "c: changed"),
        (("models", "disable", "c"), "c: disabled"),
        (("models", "enable", "c"), "c: enabled"),
        (("models", "delete", "a"), "a: deleted"),
    ]
    for arguments, words in steps:
        said = run(*arguments)
        assert (said.code, said.out) == (0, "") and words in said.err

    assert tomllib.loads(text_of(tmp_path)) == {"models": [{"name": "c", "model": "gpt-5", "enabled": True}]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("models", "add", "x"), "model: is missing"),
        (("models", "add", "x", "--set", "model=zzz"), "wire: is missing"),
        (("models", "add", "x", "--set", "model=m", "--set", "wire=opena"), "did you mean 'openai'"),
        (("models", "add", "x", "--set", "model=gpt-5", "--set", "price[0].input=1"), "price.0: unknown key"),
        (("models", "add", "x", "--set", "model"), "write it as key.path=value"),
        (("models", "add", "a", "--set", "model=gpt-5"), "already"),
        (("models", "edit", "a"), "say what to change"),
        (("models", "edit", "b", "--set", "model=gpt-5"), "no model named 'b'"),
        (("models", "edit", "a", "--unset", "price"), "no such key"),
        (("models", "edit", "a", "--set", "api_key=sk-1234567890abcdefghij"), "tui-eval keys set"),
        (("models", "delete", "b"), "no model named 'b'"),
        (("models", "delete", "a", "--unset", "price"), "tui-eval models delete: no option --unset"),
        (("models", "copy", "a", "b", "--set", "temperature=1"), "tui-eval models copy: no option --set"),
        (("models", "delete", "a", "--dry-run"), "tui-eval models delete: no option --dry-run"),
        (("models", "enable", "b"), "no model named 'b'"),
        (("models", "import", "gone.json"), "no such file"),
    ],
)
def test_mistakes_end_with_a_sentence_and_no_change(run: Any, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    """Exit code 2."""
    add_model(Workspace(tmp_path), "a", {"model": "gpt-5"})
    before = text_of(tmp_path)

    said = run(*arguments)

    assert (said.code, said.out) == (2, "") and words in said.err and "sk-1234" not in said.err
    assert text_of(tmp_path) == before


def test_an_edit_says_what_was_and_what_is(run: Any, tmp_path: Path) -> None:
    """Setting by setting; an edit that changes nothing says so."""
    add_model(Workspace(tmp_path), "a", {"model": "gpt-5", "temperature": 0.2})

    first = run("models", "edit", "a", "--set", "timeout_s=5", "--unset", "temperature").err
    second = run("models", "edit", "a", "--set", "timeout_s=5").err

    assert "  temperature: 0.2 -> not set\n" in first
    assert "  timeout_s: not set -> 5.0\n" in first
    assert "nothing has changed" in second


def test_the_list_shows_every_model(run: Any, tmp_path: Path) -> None:
    """As a table, or as JSON for programs; a model that cannot be used is listed, too."""
    workspace = Workspace(tmp_path)
    assert run("models", "list").err.count("tui-eval models add") == 1
    assert json.loads(run("models", "list", "--json").out) == []
    add_model(workspace, "mini", {"model": "gpt-5-mini", "enabled": False, "status": "deprecated"})
    add_model(workspace, "sim", {"model": "sim-scholar", "wire": "simulator"})
    add_model(workspace, "odd", {"model": "what\x1b[2J", "base_url": "http://127.0.0.1:9/v1"})

    table, entries = run("models", "list").out, json.loads(run("models", "list", "--json").out)

    lines = table.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["mini", "sim", "odd"] == [entry["name"] for entry in entries]
    assert re.search(r"openai .*gpt-5-mini +NOT SET +0\.25 +2 +disabled$", lines[2])
    assert "not set: OPENAI_API_KEY; to store it: tui-eval keys set OPENAI_API_KEY" in lines
    assert "odd is asked at http://127.0.0.1:9/v1" in lines
    assert "simulated" in lines[3] and entries[1]["simulated"] is True
    assert "\x1b" not in table and entries[2]["wire"] == "openai" and not entries[2]["wire_problem"]
    assert entries[0]["price"]["date"] and entries[2]["price"]["input"] == 0.0


# ------------------------------------------------------------------------------------------------------------- the import


def test_an_import_is_the_same_twice(run: Any, tmp_path: Path) -> None:
    """Registry, prices and a model file at once; the second time nothing changes, and that is said."""
    files = [written(tmp_path, f"{i}.json", d) for i, d in enumerate((REGISTRY, PRICING, MODEL))]

    first = run("models", "import", *files)
    models, prices = text_of(tmp_path), prices_file(Workspace(tmp_path)).read_text()
    second = run("models", "import", *files)

    assert (first.code, first.out, second.code, second.out) == (0, "", 0, "")
    assert first.err.count(": added") == 4 and second.err.count(": as it was") == 4
    assert (text_of(tmp_path), prices_file(Workspace(tmp_path)).read_text()) == (models, prices)
    found = {name: table for name, (table, _) in models_on_file(Workspace(tmp_path)).items()}
    assert [*found] == ["gpt-4o", "claude-x", "gemini-y", "thinker"]
    assert found["thinker"].target_mode == "normal" and found["thinker"].wire == "openai-responses"
    assert found["gpt-4o"].price and found["gpt-4o"].price.input == 2.5
    price = price_of(Workspace(tmp_path), "openai", "gpt-none")
    assert price and (price.output, price.date) == (4, "2026-02-03")
    assert "MY_KEY is not set" in first.err


def test_what_was_set_by_hand_survives_an_import(run: Any, tmp_path: Path) -> None:
    """A model of the same id is updated in what the file says; its other settings and comments stay."""
    by_hand = '[[models]]\nname = "gpt-4o"\nmodel = \'gpt-4o\'\nstatus = "deprecated" # soon\ntimeout_s = 5 # mine\n'
    path = Workspace(tmp_path).models_file
    path.parent.mkdir(exist_ok=True)
    path.write_text(by_hand)

    said = run("models", "import", written(tmp_path, "r.json", REGISTRY))

    assert "gpt-4o: updated" in said.err
    assert text_of(tmp_path).startswith(by_hand.replace("deprecated", "available"))


def test_another_model_of_that_name_is_refused(run: Any, tmp_path: Path) -> None:
    """Both are named, and nothing is imported."""
    add_model(Workspace(tmp_path), "claude-x", {"model": "claude-other"})
    before = text_of(tmp_path)

    said = run("models", "import", written(tmp_path, "r.json", REGISTRY))

    assert said.code == 2 and text_of(tmp_path) == before
    assert all(word in said.err for word in ("r.json: models[1]", "models.toml: claude-x", "'claude-x'", "'claude-other'"))


@pytest.mark.parametrize(
    "before",
    [
        '# mine\n\n[[prices]]\nwire = "openai"\nmodel = "gpt-none"\ninput = 9  # old\noutput = 9\ncached_input = 1\n',
        '# mine\nprices = [\n  { wire = "openai", model = "gpt-none", input = 9, output = 9, cached_input = 1 },\n]\n',
        '# mine\n\n[[prices]]\nwire = "gemini"\nmodel = "g"\ninput = 9\noutput = 9\n',
    ],
)
def test_imported_prices_go_into_the_users_list(run: Any, tmp_path: Path, before: str) -> None:
    """In either form of the list: old figures of the same model give way, all of them; others and comments stay."""
    path = prices_file(Workspace(tmp_path))
    path.parent.mkdir(exist_ok=True)
    path.write_text(before)
    others = {key: price for key, price in read_prices(path).items() if key[1] == "g"}

    assert run("models", "import", written(tmp_path, "p.json", PRICING)).code == 0

    after = read_prices(path)
    assert path.read_text().startswith("# mine\n")
    assert {key: after[key] for key in others} == others
    assert set(after) == set(others) | {("openai", "gpt-4o"), ("openai", "gpt-none"), ("anthropic", "claude-x")}
    found = after["openai", "gpt-none"]
    assert (found.input, found.output, found.cached_input, found.source) == (1, 4, None, "imported from p.json")


def test_a_damaged_price_list_is_not_overwritten(run: Any, tmp_path: Path) -> None:
    """It is named with its line."""
    path = prices_file(Workspace(tmp_path))
    path.parent.mkdir(exist_ok=True)
    path.write_text("[[prices]]\nwire = 5\n")

    said = run("models", "import", written(tmp_path, "p.json", REGISTRY | PRICING))

    assert said.code == 2 and "prices.toml:1" in said.err and path.read_text() == "[[prices]]\nwire = 5\n"
    assert Workspace(tmp_path).models_file.read_text() == ""


# ----------------------------------------------------------------------------------------------------------------- in a run


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"enabled": False}, "tui-eval models enable one"),
        ({"status": "retired"}, "is retired; if that has changed: tui-eval models edit one --set status=available"),
        ({"status": "unavailable"}, "is unavailable"),
    ],
)
def test_a_run_refuses_models_out_of_use(tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    """With the file, the line of that very model, and the command that changes it."""
    workspace = Workspace(tmp_path)
    add_model(workspace, "other", {"model": "sim-scholar", "wire": "simulator"})
    add_model(workspace, "one", {"model": "sim-scholar", "wire": "simulator"} | settings)
    line = next(i for i, text in enumerate(text_of(tmp_path).splitlines(), 1) if text.startswith(tuple(settings)))
    config = tmp_path / "panel.toml"
    config.write_text(panel_text(models=""))

    with pytest.raises(ConfigError, match=re.escape(words)) as refused:
        load(config, workspace)

    assert f"models.toml:{line}" in str(refused.value) and "'one'" in str(refused.value)


def test_a_model_of_the_config_is_changed_there(tmp_path: Path) -> None:
    """No command reaches it."""
    config = tmp_path / "panel.toml"
    config.write_text(
        panel_text(models='[[models]]\nname = "one"\nwire = "simulator"\nmodel = "sim-scholar"\nenabled = false\n')
    )

    with pytest.raises(ConfigError, match="set enabled = true there"):
        load(config, Workspace(tmp_path))


def test_a_deprecated_model_is_a_warning(tmp_path: Path) -> None:
    """It still answers."""
    config = tmp_path / "panel.toml"
    models = '[[models]]\nname = "one"\nwire = "simulator"\nmodel = "sim-scholar"\nstatus = "deprecated"\n'
    config.write_text(panel_text(models=models))

    assert any("'one' is deprecated" in warning for warning in load(config, Workspace(tmp_path)).warnings)


def test_half_a_price_is_told_what_the_other_half_is_called(run: Any, tmp_path: Path) -> None:
    """A key that is missing beside one that is given is named as it is typed; a price that is one number, too."""
    run("models", "add", "mini", "--set", "wire=openai", "--set", "model=m")
    before = text_of(tmp_path)
    said = [run("models", "edit", "mini", "--set", setting) for setting in ("price.input=1", "price.output=1", "price=1")]
    said.append(run("models", "add", "maxi", "--set", "wire=openai", "--set", "model=m", "--set", "price.input=1"))

    assert [each.code for each in said] == [2] * 4 and text_of(tmp_path) == before
    assert "price.output: is missing; give it, too: --set price.output=" in said[0].err
    assert "price.input: is missing; give it, too: --set price.input=" in said[1].err
    assert "--set price.input=... --set price.output=..." in said[2].err and "PriceTable" not in said[2].err
    assert "--set price.output=" in said[3].err
