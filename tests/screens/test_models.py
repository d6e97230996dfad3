"""Laws of the screen of models: from an empty file to models that are checked, by keys alone; no key is ever shown or kept."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from makers import none_on_file
from screen import press, quick_app, screen_text, sees, toasts, told, wait_for
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tui_eval.models.catalogue import models_on_file
from tui_eval.models.check_notes import read_notes
from tui_eval.models.listing import ModelEntry
from tui_eval.simulator.server import Simulator
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.dialogs.help import Help
from tui_eval.tui.screens.models import model_form
from tui_eval.tui.screens.models.model_rows import COLUMNS, CheckState, ModelListRow, details, with_keys
from tui_eval.tui.widgets.cells import row_cells
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace

KEY = "sk-abcdefghijklmnop1234567890"
HAND_WRITTEN = '# mine\n[[models]]\nname = "mini"\nmodel = "gpt-5-mini"  # the small one\n'


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of whoever runs the tests is seen."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def simulator() -> AsyncIterator[str]:
    """The address of a simulator that does not wait."""
    server = Simulator(latency_scale=0.0)
    try:
        yield await server.start()
    finally:
        await server.stop()


def on_file(folder: Path, text: str) -> Path:
    """The file of models, with this text."""
    path = Workspace(folder).models_file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def app_of(pilot: Pilot[Any]) -> EvalApp:
    """The app that is driven."""
    assert isinstance(pilot.app, EvalApp)
    return pilot.app


async def pastes(pilot: Pilot[Any], text: str) -> None:
    """Paste a text, as a terminal does it, into what has the keys."""
    await wait_for(pilot, lambda: isinstance(pilot.app.focused, Input), "a line to paste into")
    pilot.app.post_message(events.Paste(text))
    await wait_for(pilot, lambda: not isinstance(pilot.app.focused, Input) or text in pilot.app.focused.value, text)


def hits(pilot: Pilot[Any], *keys: str) -> None:
    """Hit keys of one kind as fast as a keyboard that repeats: what they do is waited for afterwards."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


async def goes_to(pilot: Pilot[Any], field: str) -> None:
    """Put the form's cursor on a field, by keys."""
    rows = [line.strip("›▸▾ ").split()[:1] for line in screen_text(app_of(pilot)).split("\n")[2:]]
    hits(pilot, "home", *["down"] * rows.index([field]))
    await wait_for(
        pilot, lambda: any(line[:1] == "›" and field in line[:16] for line in screen_text(app_of(pilot)).split("\n"))
    )


async def fills(pilot: Pilot[Any], field: str, text: str) -> None:
    """Go to a field of the form and fill in its value."""
    await goes_to(pilot, field)
    await again(pilot, text)


async def again(pilot: Pilot[Any], text: str) -> None:
    """Fill in another value in the row under the cursor."""
    await pilot.press("enter")
    await wait_for(pilot, lambda: isinstance(pilot.app.focused, Input), "a line to fill in")
    await pilot.press("ctrl+u")
    await pastes(pilot, text)
    hits(pilot, "enter")
    await wait_for(pilot, lambda: not isinstance(pilot.app.focused, Input), "the end of typing")


@pytest.mark.soak
async def test_from_an_empty_file_to_a_model(tmp_path: Path) -> None:
    """An empty list says what to press; every mistake in the form is told at its field, and what is right is kept as typed."""
    app = quick_app(none_on_file(tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "No models on file yet", "a   add one")
        await press(pilot, "a")
        await sees(pilot, "A new model", "still needed: name, model")
        await press(pilot, "f2")
        await told(pilot, "not saved", "name is missing")
        await fills(pilot, "name", "a,b")
        await sees(pilot, "no comma")
        await again(pilot, "mini")
        await fills(pilot, "model", "nobody-knows")
        await sees(pilot, "cannot be guessed from", "to mend: wire")
        await again(pilot, "gpt-5-mini")
        await sees(pilot, "openai (guessed from the id)", "OPENAI_API_KEY is not set: save it, then K", "$0.25 in")
        await fills(pilot, "base_url", "example")
        await sees(pilot, "is not an http(s) address", "to mend: base_url")
        await press(pilot, "delete", "escape")
        await sees(pilot, "Leave without saving?")
        await press(pilot, "n", "f2")
        await sees(pilot, "1 model ", "✗ missing")
        await told(pilot, "mini: put on file")
    assert models_on_file(Workspace(tmp_path))["mini"][0].model_dump(exclude_unset=True) == {
        "name": "mini",
        "model": "gpt-5-mini",
    }


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("mystery-7b", "openai (the default for a model with a base_url)"),
        ("claude-sonnet-4-5", "anthropic (guessed from the id)"),
    ],
)
async def test_the_form_says_why_a_model_is_asked_in_a_format(tmp_path: Path, model: str, told: str) -> None:
    """Where an address of one's own is given and the id tells nothing, openai is the default, and is called that."""
    on_file(tmp_path, f'[[models]]\nname = "own"\nmodel = "{model}"\nbase_url = "http://127.0.0.1:9/v1"\n')
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "›own")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: any("wire" in line and told in line for line in screen_text(app).split("\n")), told)


@pytest.mark.soak
async def test_a_price_needs_both_halves_and_the_interface_is_chosen(tmp_path: Path) -> None:
    """A price without its output half is not saved; the interface comes from a list; comments in the file stay."""
    path = on_file(tmp_path, HAND_WRITTEN)
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "›mini")
        await press(pilot, "enter")
        await sees(pilot, "gpt-5-mini", "F2 Save")
        await press(pilot, "down", "enter")
        await sees(pilot, "Through which provider", "anthropic", "simulated models, no key")
        await press(pilot, "slash")
        await pastes(pilot, "azure")
        await press(pilot, "enter", "enter")
        await sees(pilot, "azure needs the address of your resource")
        await press(pilot, "delete")
        await goes_to(pilot, "price")
        await press(pilot, "enter")
        await sees(pilot, "▾ price", "input")
        await fills(pilot, "input", "1")
        await sees(pilot, "still needed: price.output")
        await press(pilot, "f2")
        await told(pilot, "price.output is missing")
        await fills(pilot, "output", "2")
        await press(pilot, "f2")
        await sees(pilot, "1 model ", "1 / 2")
    assert path.read_text().startswith("# mine\n[[models]]\n") and "# the small one" in path.read_text()
    assert models_on_file(Workspace(tmp_path))["mini"][0].wire == ""


async def test_a_key_in_a_field_is_thrown_away(tmp_path: Path) -> None:
    """What looks like a key, typed or pasted, goes at once: nothing of it is kept, shown or taken for other keys."""
    path = on_file(tmp_path, HAND_WRITTEN)
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "›mini")
        await press(pilot, "e", "down", "down", "down", "enter")
        await wait_for(pilot, lambda: isinstance(app.focused, Input))
        hits(pilot, *KEY, *"wqD")
        await sees(pilot, "this looks like a key")
        assert "sk-" not in screen_text(app) and isinstance(app.focused, Input) and app.focused.value == ""
        await press(pilot, "escape")
        await sees(pilot, "https://api.openai.com/v1")
        assert "not saved yet" not in screen_text(app)
        await press(pilot, "escape")
        await sees(pilot, "1 model ")
    assert path.read_text() == HAND_WRITTEN


@pytest.mark.soak
async def test_copied_switched_and_deleted(tmp_path: Path) -> None:
    """A copy needs a name of its own; space switches a model off and on; deleting asks. The hand-written part stays."""
    path = on_file(tmp_path, HAND_WRITTEN)
    app = quick_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "›mini", "Space Disable")
        await press(pilot, "y")
        await pastes(pilot, "mini")
        await sees(pilot, "already exists; choose another name")
        await pilot.press("-", "2", "enter")
        await sees(pilot, "›mini-2", "2 models")
        await press(pilot, "space")
        await sees(pilot, "disabled", "Space Enable")
        await press(pilot, "space")
        await wait_for(pilot, lambda: "disabled  " not in screen_text(app))
        await press(pilot, "D", "n")
        await sees(pilot, "›mini-2")
        await press(pilot, "D")
        await sees(pilot, "Delete the model mini-2?")
        await press(pilot, "y")
        await sees(pilot, "1 model ", "›mini ")
    assert path.read_text().rstrip() == HAND_WRITTEN.rstrip()


@pytest.mark.soak
async def test_checks_fill_the_rows(tmp_path: Path, simulator: str) -> None:
    """One that answers, one that refuses and one without its key each get their outcome, with the reason below; it is kept."""
    simulated = f'wire = "simulator"\nbase_url = "{simulator}"\n'
    text = f'[[models]]\nname = "good"\nmodel = "sim-scholar"\n{simulated}\n'
    text += f'[[models]]\nname = "bad"\nmodel = "fault:400"\n{simulated}\n'
    on_file(tmp_path, text + HAND_WRITTEN + '\n[[models]]\nname = "off"\nmodel = "gpt-5"\nenabled = false\n')
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "4 models", "not checked yet")
        await press(pilot, "C")
        await sees(pilot, "Ask mini?", "a real model", "y  yes")
        await press(pilot, "y")
        await sees(pilot, "asking")
        await told(pilot, "1 of 3 answer")
        await sees(pilot, "simulated: nothing it says is real", "answers in", "token limit in", "temperature accepted")
        await press(pilot, "j")
        await sees(pilot, "cannot answer", "✗ no")
        await press(pilot, "j")
        await sees(pilot, "which is not set")
    assert set(read_notes(Workspace(tmp_path))) == {"good", "bad"}
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "answers in", "✗ no")
        on_file(tmp_path, text.replace("sim-scholar", "sim-sprinter"))
        await sees(pilot, "good · sim-sprinter", "not checked yet as it is now")


async def test_the_app_ends_while_a_check_runs(tmp_path: Path) -> None:
    """A check that is under way ends with the app, and leaves no process behind."""
    on_file(tmp_path, '[[models]]\nname = "slow"\nmodel = "sim-scholar"\nwire = "simulator"\n')
    app = quick_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "›slow")
        await press(pilot, "c", "c")
        await told(pilot, "being asked already")
        (job,) = app.screen._checks._jobs  # type: ignore[attr-defined]
        await wait_for(pilot, lambda: job._process is not None)
    assert not job.running and job.code is None
    await job._task
    with pytest.raises(ProcessLookupError):
        os.killpg(job._process.pid, 0)


@pytest.mark.soak
async def test_found_servers_are_chosen_from(tmp_path: Path, simulator: str) -> None:
    """Models of servers on this machine are listed with a mark each; those that are taken stand on file, once."""
    port = simulator.partition("127.0.0.1:")[2].partition("/")[0]
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", "d")
        await pastes(pilot, "80000")
        await sees(pilot, "not a port")
        await press(pilot, "ctrl+u")
        await pastes(pilot, port)
        await press(pilot, "enter")
        await sees(pilot, "on 1 server", "sim-scholar", "simulated")
        await press(pilot, "space", "down", "space", "enter")
        await sees(pilot, "4 models", "›sim-scholar")
        await told(pilot, "2 put on file")
    found = [table.base_url for table, _ in models_on_file(Workspace(tmp_path)).values()]
    assert [url for url in found if url] == [simulator, simulator], "beside those that came with the program"


@pytest.mark.soak
async def test_servers_that_want_a_key_are_told_of(tmp_path: Path, simulator: str) -> None:
    """A server that names its models to nobody without a key is not passed over in silence: alone, and beside one that does."""
    locked = Simulator(latency_scale=0.0, key=KEY)
    ports = [address.partition("127.0.0.1:")[2].partition("/")[0] for address in (await locked.start(), simulator)]
    app = quick_app(tmp_path)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            await press(pilot, "1", "d")
            await sees(pilot, "Enter looks there")
            await pastes(pilot, ports[0])
            await press(pilot, "enter")
            await told(pilot, f"{ports[0]}/v1: a key is needed")
            await press(pilot, "d")
            await pastes(pilot, ",".join(ports))
            await press(pilot, "enter")
            await sees(pilot, "on 1 server", "a key is needed", "Esc goes back")
    finally:
        await locked.stop()


async def test_a_key_is_stored_and_never_shown(tmp_path: Path) -> None:
    """A key that is typed stands in .env, readable by its owner alone, and on no screen, in no message and in no log."""
    on_file(tmp_path, HAND_WRITTEN)
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "›mini", "✗ missing")
        await press(pilot, "K")
        await sees(pilot, "Key for OPENAI_API_KEY", "A dot is shown for each character")
        await press(pilot, "enter")
        await sees(pilot, "paste or type the key")
        await pastes(pilot, KEY)
        line = app.focused
        assert isinstance(line, Input) and KEY not in screen_text(app)
        await press(pilot, "enter")
        await told(pilot, "OPENAI_API_KEY is in", "not shown again")
        await sees(pilot, "✓ found", "OPENAI_API_KEY is set")
        assert KEY not in screen_text(app) + repr(toasts(app)) + line.value and KEY not in repr(vars(app.screen))
    env = tmp_path / ".env"
    assert KEY in env.read_text() and stat.S_IMODE(env.stat().st_mode) == 0o600
    others = [path for path in tmp_path.rglob("*") if path.is_file() and path != env]
    assert others and not any(KEY.encode() in path.read_bytes() for path in others)


async def test_a_mistake_in_the_file_is_mended_where_it_stands(tmp_path: Path) -> None:
    """A mistake is told with its line beside the sound models; Enter opens the file; it is checked as it is written."""
    broken = HAND_WRITTEN + '\n[[models]]\nname = "[b]odd"\nmodel = "claude-x"\nenabled = maybe\n'
    path = on_file(tmp_path, broken)
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "models.toml: not valid TOML")
        path.write_text(broken.replace("maybe", '"maybe"'))
        await sees(pilot, "›mini", "[b]odd", "mistake", "1 with a mistake")
        await press(pilot, "j")
        await sees(pilot, "models.toml:9", "enabled")
        await press(pilot, "space")
        await told(pilot, "mend the mistake first")
        await press(pilot, "enter")
        await sees(pilot, ".conf/models.toml", "not 'maybe'")
        await wait_for(pilot, lambda: app.screen.query_one(TextArea).cursor_location == (8, 0), "the line of the mistake")
        await pilot.press("ctrl+k")
        app.post_message(events.Paste("enabled = true"))
        await wait_for(pilot, lambda: "not 'maybe'" not in screen_text(app))
        await press(pilot, "f2")
        await sees(pilot, "2 models", "anthropic")
    assert "enabled = true" in path.read_text() and path.read_text().startswith(HAND_WRITTEN)


@pytest.mark.soak
async def test_a_registry_is_imported_and_the_list_filtered(tmp_path: Path) -> None:
    """A picked registry comes into the list, one that is damaged is told; a filter shows what has its words."""
    (tmp_path / "r.json").write_text('{"models": [{"provider": "openai", "model_id": "gpt-4o"}]}')
    (tmp_path / "x.json").write_text("{")
    on_file(tmp_path, HAND_WRITTEN)
    app = quick_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "›mini")
        await press(pilot, "i")
        await sees(pilot, "Import models", "r.json")
        await press(pilot, "r", "enter")
        await sees(pilot, "2 models", "gpt-4o")
        await press(pilot, "i")
        await sees(pilot, "r.json")
        await press(pilot, "x", "enter")
        await told(pilot, "x.json")
        await press(pilot, "slash")
        await pastes(pilot, "!mini")
        await sees(pilot, "1 of 2 models")
        assert "gpt-5-mini" not in screen_text(app)
        await press(pilot, "escape")
        await sees(pilot, "2 models")


@pytest.mark.soak
async def test_a_save_under_help_leaves_the_form_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """w once more while it is being kept is no second one; another screen on top stays, and below it nothing is unsaved."""
    on_file(tmp_path, HAND_WRITTEN)
    keep, saves, go = model_form.keep, list[object](), threading.Event()

    def slow(*given: Any) -> Any:
        saves.append(given)
        go.wait(60)
        return keep(*given)

    monkeypatch.setattr(model_form, "keep", slow)
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1")
        await sees(pilot, "›mini")
        await press(pilot, "e")
        await fills(pilot, "model", "gpt-5-nano")
        await sees(pilot, "not saved yet")
        await press(pilot, "f2", "f2", "f1")
        await wait_for(pilot, lambda: isinstance(app.screen, Help))
        go.set()
        await told(pilot, "mini: saved")
        assert isinstance(app.screen, Help) and len(saves) == 1
        await press(pilot, "escape")
        await sees(pilot, "gpt-5-nano", "Save")
        assert "not saved yet" not in screen_text(app)
        await press(pilot, "escape")
        await sees(pilot, "›mini", "gpt-5-nano", "1 model ")
    assert models_on_file(Workspace(tmp_path))["mini"][0].model == "gpt-5-nano"


@pytest.mark.parametrize("number", [10**400, -1, 2**53, 1e999])
def test_a_number_that_no_check_wrote_is_not_known(number: float) -> None:
    """Whatever stands in .conf/checks.json, the model is shown; a time that cannot be is a dash."""
    entry = ModelEntry("m", table=ModelTable(name="m", model="m"), model="m")
    texts = [text for text, _ in details(entry, CheckState({"latency_ms": number}), date(2026, 1, 1))]
    assert any("answers in - s" in text for text in texts)
    assert row_cells(COLUMNS, ModelListRow(entry, CheckState({"latency_ms": number}), date(2026, 1, 1)))


def test_advice_of_the_command_line_names_the_key_that_does_it_here() -> None:
    """A check inside the app says K for a key, and the command besides."""
    told = with_keys("put a key into OPENAI_API_KEY: tui-eval keys set OPENAI_API_KEY")
    assert told == "put a key into OPENAI_API_KEY: K on screen 1, or tui-eval keys set OPENAI_API_KEY"
    assert with_keys("or tui-eval models enable mini") == "or space on screen 1, or tui-eval models enable mini"
