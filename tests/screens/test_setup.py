"""Setting up a run by keyboard: the form, its counter, the same as TOML, the prompts beforehand, and every mistake told."""

from __future__ import annotations

import os
import signal
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from screen import app_on, press, screen_text, sees, told, wait_for
from setting_up import READY, form_of, setting_up, typed
from snapshots import SIZES, Screens, walk_through
from soaking import quick_first
from textual import events
from textual.keys import _character_to_key as key_of
from textual.pilot import Pilot
from textual.widgets import TextArea

from tui_eval.configuring.drafting.fields import Field
from tui_eval.configuring.drafting.planner import DraftPlan
from tui_eval.configuring.drafting.schema import schema
from tui_eval.configuring.loading import load
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.setup import counter
from tui_eval.tui.screens.setup.screen import SetupScreen
from tui_eval.tui.widgets.chrome import keys_shown, keys_that_work
from tui_eval.tui.widgets.form import Form
from tui_eval.workspace.places import Workspace

SIZE = (100, 30)
REAL = """kind = "panel"

[[models]]
name = "mini"
model = "gpt-5-mini"

[panel]
questions = ["How deep?"]

[[panel.doers]]
model = "mini"
"""


async def at(pilot: Pilot[Any], *place: str | int) -> None:
    """Go to a field, as m does for a mistake."""
    assert form_of(pilot).go_to(place)
    await pilot.pause()


async def fill(pilot: Pilot[Any], text: str, *place: str | int) -> None:
    """Go to a field and type its value."""
    await at(pilot, *place)
    await press(pilot, "enter", "ctrl+u")
    await typed(pilot, text)


async def test_a_newcomer_is_led_to_an_example(tmp_path: Path) -> None:
    """In an empty workspace the list says which key begins, and the first things offered need no key."""
    async with app_on(tmp_path).run_test(size=(80, 30)) as pilot:
        await sees(pilot, "Three ways to begin", "s  run an example")
        await press(pilot, "s")
        await sees(pilot, "example quickstart", "new panel", "my documents or questions", "need no key")
        await press(pilot, "G")
        await sees(pilot, "my files", "a config file")
        await press(pilot, "escape", "3")
        await sees(pilot, "Three ways to begin", "s  run an example")


@pytest.mark.soak
async def test_the_counter_follows_each_key(tmp_path: Path) -> None:
    """While a number is typed, calls and caps follow; over the cap nothing starts, and the reason names the key."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await sees(pilot, "240 calls of at most 300", READY, "simulated")
        await fill(pilot, "1", "choice", "permutations")
        await press(pilot, "backspace", "2")
        await sees(pilot, "480 calls of at most 300", "cannot start", "run.max_calls", "480")
        await press(pilot, "escape")
        await sees(pilot, "240 calls of at most 300", READY)
        await at(pilot, "choice", "filter")
        await press(pilot, "enter")
        await fill(pilot, "7", "choice", "filter", "first")
        await sees(pilot, "42 calls of at most 300", READY)
        await press(pilot, "enter")
        await at(pilot, "choice", "filter", "first")
        await press(pilot, "delete")
        await sees(pilot, "240 calls of at most 300")
        assert "filter" not in form_of(pilot).draft.content["choice"]


@pytest.mark.parametrize(("settled", "said"), [(True, "until the mistakes are mended"), (False, "being counted")])
def test_what_is_being_counted_has_no_mistakes(settled: bool, said: str) -> None:
    """Before the first count of what the form holds now, nobody is sent to look for mistakes."""
    look = DraftPlan(1, None, None, None, (), (), False, None)
    words = "".join(piece if isinstance(piece, str) else piece[0] for piece in counter.totals(look, settled))
    assert said in words and words.startswith("- calls  cost -")


@pytest.mark.soak
async def test_form_and_text_are_always_in_step(tmp_path: Path) -> None:
    """What is typed in the form stands in the text at once, and the other way round; a text that is no TOML changes nothing."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await fill(pilot, "harbour", "name")
        await press(pilot, "enter", "shift+tab")
        await sees(pilot, '"harbour"', "[TOML]")
        area = pilot.app.screen.query_one(TextArea)
        assert tomllib.loads(area.text) == form_of(pilot).draft.content
        await press(pilot, "down", "end", "enter")
        await typed(pilot, "= nonsense")
        await sees(pilot, "✗", "line 3")
        assert form_of(pilot).draft.content["name"] == "harbour"
        await press(pilot, "tab")
        await sees(pilot, "Discard your changes to the text")
        await press(pilot, "n")
        await press(pilot, *["backspace"] * len("= nonsense"))
        await typed(pilot, "sort = 1")
        await sees(pilot, "unknown key")
        await press(pilot, *["backspace"] * len("sort = 1"), "up", "end", "backspace")
        await typed(pilot, " light'")
        await press(pilot, "backspace")
        await typed(pilot, '"')
        await sees(pilot, READY)
        await press(pilot, "tab")
        await sees(pilot, "harbour light")


@pytest.mark.soak
async def test_prompts_can_be_read_before_anything_is_sent(tmp_path: Path) -> None:
    """Every item's messages, and the body of the request; what depends on replies says that these are examples."""
    async with setting_up(tmp_path, "quickstart") as pilot:
        await sees(pilot, READY)
        await press(pilot, "f4")
        await sees(
            pilot, "sample 1 of 12", "nothing is sent", "doer · scholar", "QUESTION: Who keeps the harbour log", "example"
        )
        await press(pilot, "n")
        await sees(pilot, "sample 2 of 12")
        await press(pilot, "tab")
        await sees(pilot, '"messages"', '"model": "sim-scholar"')
        await press(pilot, "escape")
        await sees(pilot, READY)
        assert not (tmp_path / "runs").exists()


@pytest.mark.soak
async def test_a_saved_config_runs_headless_unchanged(tmp_path: Path) -> None:
    """What was built in the app loads from its file to the same evaluation; nothing is replaced unasked."""
    async with setting_up(tmp_path, "new panel") as pilot:
        await at(pilot, "panel", "questions")
        await press(pilot, "enter")
        await typed(pilot, "How deep is it")
        await press(pilot, "f2")
        await at(pilot, "panel", "doers")
        await press(pilot, "a", "enter")
        await sees(pilot, READY, "1 calls")
        screen = form_of(pilot)
        look = screen._look
        assert look is not None
        assert look.loaded is not None
        await press(pilot, "f2", "ctrl+u")
        await typed(pilot, "a b")
        await sees(pilot, "ends in .toml")
        await press(pilot, "ctrl+u")
        await typed(pilot, "mine.toml")
        await press(pilot, "enter")
        await told(pilot, "mine.toml")
        loaded = load(tmp_path / "mine.toml", Workspace(tmp_path))
        assert loaded.evaluation.config == look.loaded.evaluation.config
        assert (loaded.run, loaded.plan, loaded.tables) == (look.loaded.run, look.loaded.plan, look.loaded.tables)


MISTAKES: tuple[tuple[tuple[str | int, ...], str, tuple[str, ...]], ...] = (
    (("run", "max_calls"), "many", ("whole number",)),
    (("run", "max_calls"), "0", ("at least 1",)),
    (("run", "max_calls"), "10", ("run.max_calls", "240")),
    (("run", "max_cost_usd"), "0,5", ("must be a number", "point")),
    (("run", "max_cost_usd"), "0.000001", ("run.max_cost_usd", "raise it")),
    (("run", "timeout_s"), "-1", ("more than 0",)),
    (("run", "max_concurrency"), "0", ("from 1 to 10,000",)),
    (("choice", "temperature"), "3", ("from 0 to 2",)),
    (("choice", "permutations"), "1000", ("from 1 to 100",)),
)


@pytest.mark.soak
async def test_every_mistake_in_a_line_is_told_as_it_is_typed(tmp_path: Path) -> None:
    """The words name what is wrong; Esc brings back what was there before."""
    async with setting_up(tmp_path, "example choice") as pilot:
        for place, text, words in MISTAKES:
            await fill(pilot, text, *place)
            await sees(pilot, "✗", *words)
            await press(pilot, "escape")
            await sees(pilot, READY)


@pytest.mark.soak
async def test_what_is_missing_or_unknown_keeps_a_run_from_starting(tmp_path: Path) -> None:
    """A new benchmark run says what it needs, one thing after the other, and F3 goes to the first."""
    (tmp_path / "shopping.json").write_text('["milk", "bread"]')
    async with setting_up(tmp_path, "new choice") as pilot:
        await sees(pilot, "cannot start", "choice.models", "has nothing in it yet")
        await press(pilot, "f5")
        await told(pilot, "cannot start", "has nothing in it yet")
        await press(pilot, "f3", "enter", "space", "enter")
        await sees(pilot, "cannot start", "choice: give dataset")
        await press(pilot, "f3", "enter")
        await sees(pilot, "Which file?")
        await typed(pilot, "shop")
        await press(pilot, "tab", "enter")
        await sees(pilot, "cannot start", "shopping.json")
        await at(pilot, "models")
        await press(pilot, "a", "G", "enter")
        await sees(pilot, "model")
        assert not form_of(pilot)._look or not form_of(pilot)._look.ready  # type: ignore[union-attr]


@pytest.mark.soak
async def test_gates_are_filled_in_like_any_field(tmp_path: Path) -> None:
    """Each metric has a field; what is no threshold is told at once, and F3 leads to it; what holds stands in the TOML."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await at(pilot, "gate")
        await press(pilot, "enter")
        await fill(pilot, "80", "gate", "correct")
        await press(pilot, "enter")
        await sees(pilot, "cannot start", "gate.correct", "must be a sign and a number")
        await at(pilot, "name")
        await press(pilot, "f3")
        await sees(pilot, "[Limits]", "correct")
        await fill(pilot, ">= 80 %", "gate", "correct")
        await press(pilot, "enter")
        await sees(pilot, READY)

        assert form_of(pilot).draft.content["gate"] == {"correct": ">= 80 %"}


@pytest.mark.soak
async def test_scorers_are_chosen_by_their_names(tmp_path: Path) -> None:
    """Each with a line about it; what stands there keeps its place and its options, and a text is a key away."""
    async with setting_up(tmp_path, "example qa") as pilot:
        draft, options = form_of(pilot).draft, {"use": "number", "tolerance": 0.1}
        draft.set(("scorers",), [options, "f1"])
        await at(pilot, "scorers")
        await press(pilot, "enter")
        await sees(pilot, "scorers: which?", "the target stands in the reply")
        await press(pilot, "down", "space", "enter")
        await wait_for(pilot, lambda: draft.content["scorers"] == [options, "f1", "contains"])
        await press(pilot, "enter", "e")
        await sees(pilot, '{ use = "number", tolerance = 0.1 }', "F2 keeps it")
        await press(pilot, "escape")
        assert draft.content["scorers"] == [options, "f1", "contains"]


async def test_a_missing_key_is_told_with_the_key_that_stores_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model whose key variable is not set keeps the run from starting, and says where keys are stored."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "mini.toml").write_text(REAL)
    async with setting_up(tmp_path, "mini.toml") as pilot:
        await sees(pilot, "cannot start", "OPENAI_API_KEY", "K")
        assert (tmp_path / "mini.toml").read_text() == REAL


@pytest.mark.soak
async def test_a_form_left_is_kept(tmp_path: Path) -> None:
    """Esc leads back to where one came from; s offers to go on with the form as it was."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await fill(pilot, "kept", "name")
        await press(pilot, "enter", "escape")
        await sees(pilot, "No runs in this workspace")
        await press(pilot, "s")
        await sees(pilot, "go on: kept")
        await press(pilot, "enter")
        await sees(pilot, "New run: kept", READY)
        await press(pilot, "ctrl+right", "3")
        await sees(pilot, "New run: kept")


async def test_forms_to_go_on_with_say_of_which_kind_they_are(tmp_path: Path) -> None:
    """Two of one name are told apart, the last one first, and each leads to its own."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await fill(pilot, "orrin", "name")
        await press(pilot, "enter", "escape", "s")
        await sees(pilot, "start from", "go on: orrin")
        await press(pilot, "slash")
        await typed(pilot, "example chat")
        await press(pilot, "enter", "enter")
        await sees(pilot, "New run: handbook")
        await fill(pilot, "orrin", "name")
        await press(pilot, "enter", "escape")
        for kinds in (("chat", "choice"), ("choice", "chat")):
            await press(pilot, "s")
            await sees(pilot, "start from")
            offers = [line for line in screen_text(pilot.app).split("\n") if "go on: orrin" in line]  # type: ignore[arg-type]
            assert [f"{kind}: the form as you left it" in line for kind, line in zip(kinds, offers, strict=True)] == [
                True,
                True,
            ]
            await press(pilot, "down", "down", "enter")
            await wait_for(pilot, lambda kinds=kinds: form_of(pilot).draft.kind == kinds[1])
            await press(pilot, "escape")


@pytest.mark.parametrize("max_calls", [None, 300, 10_000])
def test_calls_that_may_come_besides_are_told_on_every_width(max_calls: int | None) -> None:
    """At 80 columns, too: their number, and how many of them the cap allows; the reason where there is room."""
    plan = {"items": 12, "prompt_tokens": 1_269_692, "completion_tokens": 6_508, "total_calls": 194, "up_to_more": 164}
    look = DraftPlan(1, plan, max_calls, None, (), (), False, None)
    for room in (78, 158):
        words = "".join(piece if isinstance(piece, str) else piece[0] for piece in counter.sizes(look, room))
        assert "12 samples" in words and "up to 164" in words and len(words) <= room, words
        assert ("106" in words and "cap" in words) is (max_calls == 300), words
        assert ("where replies cannot be read" in words) is (room == 158), words


@pytest.mark.soak
@pytest.mark.parametrize("size", quick_first([(60, 20), (200, 50)]))
async def test_the_counter_is_seen_on_every_terminal(tmp_path: Path, size: tuple[int, int]) -> None:
    """Calls, cost and whether it can start stand on the screen on every part, at every size."""
    async with setting_up(tmp_path, "quickstart", size) as pilot:
        for _ in range(5):
            await sees(pilot, "144 calls of at most 200", "ready", "quickstart")
            await press(pilot, "tab")


def places(table: Field, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every field outside of lists of tables."""
    for field in table.fields:
        yield (*place, field.key)
        if field.sort == "table":
            yield from places(field, (*place, field.key))


@pytest.mark.soak
async def test_the_parts_together_reach_every_field(tmp_path: Path) -> None:
    """No field of a kind is on none of the parts, but for the kind itself, which was chosen before."""
    async with setting_up(tmp_path, "quickstart") as pilot:
        screen = form_of(pilot)
        seen: set[tuple[str | int, ...]] = set()
        for _ in range(4):
            form: Any = screen.query_one("Form")
            form._unfolded = frozenset(places(schema("panel")))
            form.look()
            seen |= {row.place for row in form._rows}
            seen |= set(screen._places())
            await press(pilot, "tab")
        missing = {place for place in places(schema("panel")) if place not in seen} - {("kind",), ("panel",), ("run",)}
        assert missing == set()


async def test_a_run_that_costs_money_asks_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a real model, s asks and names calls and cost; no is no."""
    monkeypatch.setenv("OPENAI_API_KEY", "nothing-real-here")
    (tmp_path / "mini.toml").write_text(REAL)
    async with setting_up(tmp_path, "mini.toml") as pilot:
        await sees(pilot, READY)
        await press(pilot, "f5")
        await sees(pilot, "Start the run?", "1 calls to real models")
        await press(pilot, "n")
        await wait_for(pilot, lambda: isinstance(pilot.app.screen, SetupScreen))
        assert not (tmp_path / "runs").exists()
        assert isinstance(pilot.app, EvalApp)


@pytest.mark.soak
@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.soak)], ids=["80x24", "120x40"])
async def test_setting_up_is_as_on_file(size: tuple[int, int], place: Path) -> None:
    """Whatever a change of the code does to the form, its parts and the prompts is seen."""

    async def walk(at: Screens) -> None:
        await sees(at.pilot, "3 runs")
        await at.go("s")
        await at.see("setup_start", "need no key")
        await at.go("slash", *"quickst", "enter", "enter")
        await at.see("setup", READY)
        await at.go("up", "end", "up", "up", "enter", "9", "x")  # above the scorers
        await at.see("setup_mistake", "whole number")
        await at.go("escape", "tab")
        await at.see("setup_models", "[Models]")
        await at.go("tab")
        await at.see("setup_limits", "max_cost_usd")
        await at.go("tab", "tab")
        await at.see("setup_toml", "[[models]]")
        await at.go("tab", "f4")
        await at.see("setup_preview", "Oda Finch")

    await walk_through(walk, size, place)


async def test_a_mistake_being_typed_never_starts_a_run_without_its_cap(tmp_path: Path) -> None:
    """While a line makes no value, nothing starts; leaving the line brings back what was there before."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await fill(pilot, "5", "run", "max_cost_usd")
        await press(pilot, "enter")
        await fill(pilot, "xx", "run", "max_cost_usd")
        await sees(pilot, "✗ must be a number")
        await press(pilot, "f5")
        await told(pilot, "cannot start", "must be a number")
        await press(pilot, "tab")
        await wait_for(pilot, lambda: form_of(pilot).draft.get(("run", "max_cost_usd")) == 5)
        await sees(pilot, READY)


async def test_a_key_typed_or_pasted_is_never_shown_nor_kept(tmp_path: Path) -> None:
    """In a line of the form it is thrown away as it is typed; in the text nothing starts while it stands there."""
    key = "sk-proj-abcdefghij1234567890"
    async with setting_up(tmp_path, "example choice") as pilot:
        await fill(pilot, key, "name")
        await sees(pilot, "keys are not kept in a config")
        assert key[:16] not in screen_text(pilot.app)  # type: ignore[arg-type]
        assert form_of(pilot).draft.get(("name",)) == "lighthouse"
        await press(pilot, "escape")
        await sees(pilot, READY)
        form_of(pilot).draft.set(("models", 0, "extra_body"), {"api_key": key})
        form_of(pilot)._count()
        await sees(pilot, "cannot start", "keys are not kept here")


@pytest.mark.soak
async def test_what_changed_elsewhere_is_seen_when_one_comes_back(tmp_path: Path) -> None:
    """A prompt edited, or a key stored, on another screen counts as soon as the form is on show again."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await sees(pilot, READY)
        folder = tmp_path / "prompts" / "choice"
        folder.mkdir(parents=True)
        (folder / "user.md").write_text("no slots here")
        await press(pilot, "ctrl+right", "3")
        await sees(pilot, "cannot start", "{question}")


@pytest.mark.soak
async def test_a_changed_form_is_not_lost_on_quitting(tmp_path: Path) -> None:
    """Quitting asks once where a form is neither saved nor started; the next time it quits."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await fill(pilot, "kept", "name")
        await press(pilot, "enter", "escape", "q")
        await sees(pilot, "Quit without it?", "kept")
        await press(pilot, "n")
        await sees(pilot, "No runs in this workspace")
        await press(pilot, "q", "y")
        await wait_for(pilot, lambda: not pilot.app.is_running)


COMMANDS = "local4s wDqm1p:?[]/ kjgGhlau"
"""Keys that are commands of a form, a list or the app elsewhere."""


@pytest.mark.soak
async def test_what_is_typed_on_a_row_of_text_is_its_value(tmp_path: Path) -> None:
    """Whatever is typed, in one piece or key by key, stands in the row; nothing else happens, and Esc brings back what was."""
    async with setting_up(tmp_path, "example choice") as pilot:
        await sees(pilot, READY, "F5 Start", "F2 Save")
        for letter in COMMANDS:
            pilot.app.post_message(events.Key("space" if letter == " " else key_of(letter), letter))
        await sees(pilot, "name ›", COMMANDS)
        screen = form_of(pilot)
        assert pilot.app.screen is screen and screen.draft.get(("name",)) == COMMANDS
        await press(pilot, "escape")
        assert screen.draft.get(("name",)) == "lighthouse"
        for letter in COMMANDS:
            await press(pilot, key_of(letter))
            await sees(pilot, "name ›")
            assert screen.draft.get(("name",)) == (letter.strip() or None) and pilot.app.screen is screen
            await press(pilot, "escape")


@pytest.mark.parametrize("part", quick_first(range(4)))
async def test_no_letter_leaves_a_form(part: int, tmp_path: Path) -> None:
    """On no row of any part does a letter start, save or go elsewhere; the line of keys names none that does."""
    async with setting_up(tmp_path, "quickstart") as pilot:
        await sees(pilot, READY)
        await press(pilot, *["tab"] * part)
        screen = form_of(pilot)
        for _ in range(8):
            shown = keys_shown(keys_that_work(screen))
            assert not [key for key in shown if len(key.spoken) == 1 and key.action in ("start", "save", "preview", "back")]
            for letter in "sw1q":
                await press(pilot, key_of(letter))
                await wait_for(pilot, lambda: pilot.app.screen is screen)
                if screen.query_one(Form).typing:
                    await press(pilot, "escape")
            await press(pilot, "down")
        assert not (tmp_path / "runs").exists()


MANY = """
kind = "qa"
name = "many"
scorers = ["exact"]
[run]
max_calls = 100000
[[models]]
name = "scholar"
wire = "simulator"
model = "sim-scholar"
[qa]
dataset = "many.jsonl"
models = ["scholar"]
target = "answer"

[[qa.prompts]]
name = "plain"
text = "{question}"
"""


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A config over so many questions that counting them takes a moment."""
    rows = "".join(f'{{"question": "What is {n} and 1?", "answer": "{n + 1}"}}\n' for n in range(30_000))
    (tmp_path / "many.jsonl").write_text(rows)
    (tmp_path / "many.toml").write_text(MANY)
    return tmp_path


async def test_a_start_that_waits_for_the_count_is_taken_back_by_esc(many: Path) -> None:
    """F5 while it is being counted says so and waits; Esc stays on the form and takes it back, and then goes back."""
    async with setting_up(many, "many.toml") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SetupScreen)
        await wait_for(pilot, lambda: not screen.settled)
        await press(pilot, "f5")
        await sees(pilot, "… counting; starts as soon as it is counted; Esc takes it back")
        await press(pilot, "escape")
        await told(pilot, "taken back: it is not started")
        assert pilot.app.screen is screen and not screen.settled
        await sees(pilot, READY)
        assert not (many / "runs").exists()
        await press(pilot, "escape")
        await wait_for(pilot, lambda: pilot.app.screen is not screen)


async def test_a_start_that_waits_for_the_count_comes(many: Path) -> None:
    """F5 while it is being counted starts the run as soon as that is done; a change in between takes the start back."""
    async with setting_up(many, "many.toml") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SetupScreen)
        await wait_for(pilot, lambda: not screen.settled)
        await press(pilot, "f5")
        await sees(pilot, "starts as soon as it is counted")
        await fill(pilot, "fewer", "name")
        await told(pilot, "changed since F5: it is not started")
        assert not screen.settled
        await press(pilot, "f5")
        await wait_for(pilot, lambda: (many / "runs").exists())
        await wait_for(pilot, lambda: pilot.app.current_mode == "run" and pilot.app.screen is not screen)
        app = pilot.app
        assert isinstance(app, EvalApp)
        for started in [*app.run_actions.started.values()]:
            os.kill(started.pid, signal.SIGTERM)
            await wait_for(pilot, lambda started=started: started.poll() is not None)
