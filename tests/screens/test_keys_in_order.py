"""Laws of keys that come faster than screens do: none is lost, none does anything elsewhere, none ends the app."""

from __future__ import annotations

import json
import random
import string
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from made import PANEL
from makers import SHIPPED
from screen import app_on, quick_app, screen_text, sees, toasts, told, wait_for
from soaking import quick_first
from terminal import Terminal
from textual import events
from textual.constants import ESCAPE_DELAY
from textual.pilot import Pilot
from textual.widgets import Input

from tui_eval.models.catalogue import models_on_file
from tui_eval.tui.app import EvalApp
from tui_eval.tui.background import ordered_keys
from tui_eval.tui.background.ordered_keys import INTRODUCERS, EscapeParser
from tui_eval.tui.screens.dialogs.choose import Choose
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.screens.log.screen import LogScreen
from tui_eval.tui.screens.models import model_import
from tui_eval.tui.screens.models.model_form import ModelForm
from tui_eval.tui.widgets.chrome import SCREENS
from tui_eval.workspace.places import Workspace

NAMES = {
    "/": "slash",
    ":": "colon",
    "?": "question_mark",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    " ": "space",
}
ANY = "1234566sqmvLcbefnN,.iIaAdyYwokjgGhlzupM?:[]/ "
"""Keys that start nothing, stop nothing and delete nothing: what is tried here goes on without end."""
SPECIAL = ("escape", "enter", "backspace", "tab", "shift+tab", "f1", "f2", "down", "up", "pagedown", "ctrl+l")


def in_one_piece(app: EvalApp, keys: Sequence[str]) -> None:
    """Type all of it at once, as a terminal hands over what was pasted or typed ahead."""
    for key in keys:
        name = NAMES.get(key, key)
        app.post_message(events.Key(name, key if len(key) == 1 else None))


async def at_rest(pilot: Pilot[None], app: EvalApp) -> None:
    """Wait until every key was taken."""
    await wait_for(pilot, lambda: app._exit or (app._probe is None and not app._waiting), "keys to be taken")


@pytest.mark.parametrize("key", quick_first(["1", "2", "4", "6"]))
async def test_what_is_typed_after_a_slash_is_the_filter(key: str, workspace: Path) -> None:
    """Also where a person goes to the screen in the same breath; x and D among it do nothing."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        in_one_piece(app, f"{key}/kjxDsq")
        await at_rest(pilot, app)
        assert app.is_running and app.screen.query_one(Input).value == "kjxDsq"
        assert app.current_mode == SCREENS[int(key) - 1][0]


async def test_what_is_pasted_after_a_slash_is_the_filter(workspace: Path) -> None:
    """What is pasted waits for its turn as keys do."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        in_one_piece(app, "6/")
        app.post_message(events.Paste("station9"))
        in_one_piece(app, "s")
        await at_rest(pilot, app)
        assert isinstance(app.screen, LogScreen) and app.screen.query_one(Input).value == "station9s"


async def test_what_is_typed_after_s_is_for_the_list_it_opens(workspace: Path) -> None:
    """The list of what to start from is looked for beside the screen; keys wait for it."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        in_one_piece(app, "s/quick")
        await wait_for(pilot, lambda: isinstance(app.screen, Choose))
        await at_rest(pilot, app)
        assert app.screen.query_one(Input).value == "quick"
        await sees(pilot, "quickstart")


@pytest.mark.soak
async def test_what_is_typed_behind_what_takes_a_moment_is_for_what_it_leads_to(tmp_path: Path) -> None:
    """A model that is saved, a copy that is made, a list that is read: each is there before the next key is handed over."""
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "? help")
        keys = ["1", "a", "enter", *"llama", "enter", "down", "down", "enter", *"gpt-5-mini", "enter", "f2"]
        in_one_piece(app, [*keys, "y", *"second", "enter", "e"])
        await wait_for(pilot, lambda: isinstance(app.screen, ModelForm))
        await at_rest(pilot, app)
        await sees(pilot, "second", "gpt-5-mini")
        in_one_piece(app, ["escape", "5", "i"])
        await at_rest(pilot, app)
        assert isinstance(app.screen, EditText)
    assert [*models_on_file(Workspace(tmp_path))] == [*SHIPPED, "llama", "second"]


class Looking:
    """A command that ends when a test says so."""

    def __init__(self, on_end: Callable[[Looking], None]) -> None:
        self.code, self.words, self.on_end = 0, "", on_end
        places = [{"id": name, "context_tokens": None} for name in ("llama", "qwen")]
        server = {"server": "ollama", "base_url": "http://127.0.0.1:9/v1", "needs_key": False, "simulated": False}
        self.stdout = json.dumps([{**server, "models": places}])

    def start(self) -> None:
        """Nothing is asked."""

    end = start


@pytest.fixture
def looking(monkeypatch: pytest.MonkeyPatch) -> list[Looking]:
    """The commands that look for servers."""
    found: list[Looking] = []

    def begin(workspace: Workspace, arguments: Sequence[str], on_end: Callable[[Looking], None], *more: object) -> Looking:
        found.append(Looking(on_end))
        return found[-1]

    monkeypatch.setattr(model_import, "CommandJob", begin)
    return found


async def test_keys_wait_for_a_list_that_a_process_puts_up(tmp_path: Path, looking: list[Looking]) -> None:
    """What is typed while servers are looked for is for the list of what was found, not for the models on file."""
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "? help")
        in_one_piece(app, ["1", "d", "enter", "down", "enter"])
        await wait_for(pilot, lambda: looking)
        looking[0].on_end(looking[0])
        await at_rest(pilot, app)
        await sees(pilot, "qwen", "1 put on file")
    assert [*models_on_file(Workspace(tmp_path))] == [*SHIPPED, "qwen"]


async def test_no_list_comes_under_the_keys_of_who_went_on(
    tmp_path: Path, looking: list[Looking], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where keys have waited long enough they are taken, and what is found later is told, not asked."""
    monkeypatch.setattr(ordered_keys, "HOLD_S", 0.05)
    monkeypatch.setattr(model_import, "HOLD_S", 0.05)
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "? help")
        in_one_piece(app, ["1", "d", "enter"])
        await wait_for(pilot, lambda: looking)
        in_one_piece(app, ["a", "enter", *"lla"])
        await wait_for(pilot, lambda: isinstance(app.screen, ModelForm))
        await at_rest(pilot, app)
        looking[0].on_end(looking[0])
        await told(pilot, "2 models were found")
        in_one_piece(app, "ma")
        await at_rest(pilot, app)
        assert isinstance(app.screen, ModelForm) and app.screen.query_one(Input).value == "llama"


@pytest.mark.soak
async def test_nothing_is_done_any_more_once_the_app_leaves(workspace: Path) -> None:
    """Keys after q are dropped."""
    app = quick_app(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        in_one_piece(app, "q1sD")
        await wait_for(pilot, lambda: app._exit)
        await at_rest(pilot, app)
        assert app.failure is None and app.return_code == 0 and app.current_mode == "results"


async def test_a_mistake_behind_a_key_is_told(workspace: Path, monkeypatch: pytest.MonkeyPatch, mistakes: list[str]) -> None:
    """It ends nothing, and what went wrong is on file."""
    monkeypatch.setattr(LogScreen, "action_follow", lambda self: self.query_one("#nowhere"))
    app = quick_app(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        in_one_piece(app, "6ff")
        await at_rest(pilot, app)
        assert app.is_running and [words for words in toasts(app) if "something went wrong" in words]
        in_one_piece(app, "4")
        await wait_for(pilot, lambda: app.current_mode == "results")
    assert "#nowhere" in (workspace / ".conf" / "app.log").read_text()
    assert len(mistakes) == 2 and "#nowhere" in mistakes.pop() + mistakes.pop()


@pytest.mark.soak
async def test_what_never_comes_is_waited_for_once(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen that is on its way for long holds up the first key, not each one that follows."""
    monkeypatch.setattr(ordered_keys, "HOLD_S", 0.5)
    app, never = app_on(workspace), threading.Event()
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        app.run_worker(never.wait, thread=True, group=f"{ordered_keys.OPENS}never", exit_on_error=False)
        typed_at = time.monotonic()
        in_one_piece(app, "6/" + "abc" * 30)
        await at_rest(pilot, app)
        never.set()
        assert app.screen.query_one(Input).value == "abc" * 30
        assert time.monotonic() - typed_at < 92 * 0.5


async def _survives(workspace: Path, pieces: Sequence[Sequence[str]], start: Sequence[str]) -> None:
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small")
        for piece in pieces:
            in_one_piece(app, [*start, *piece])
            await at_rest(pilot, app)
            assert app.failure is None, (start, piece)
            if app._exit:
                return
            assert not [words for words in toasts(app) if "something went wrong" in words], (start, piece, screen_text(app))
    assert (workspace / "runs" / PANEL).is_dir()


@pytest.mark.parametrize("screen", quick_first(range(1, 7), 2))
async def test_any_two_keys_in_one_piece_end_nothing(screen: int, workspace: Path) -> None:
    """On every screen; each time another two, the same ones in every run of the tests."""
    chance = random.Random(screen)
    pieces = [chance.sample([*ANY.replace("q", ""), *SPECIAL], 2) for _ in range(6)]
    await _survives(workspace, pieces, [str(screen)])


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
async def test_any_keys_in_one_piece_end_nothing(seed: int, workspace: Path) -> None:
    """Long ones, on every screen, and as long as the app is there."""
    chance = random.Random(seed)
    pieces = [chance.choices([*ANY, *SPECIAL], k=chance.randint(2, 12)) for _ in range(8)]
    await _survives(workspace, pieces, [str(chance.randint(1, 6))])


def read_as(text: str, then_nothing: bool = False) -> list[str]:
    """The keys that a terminal's bytes are read as, in one piece; `then_nothing`: once it was waited for more in vain."""
    parser = EscapeParser()
    found = [*parser.feed(text)]
    time.sleep((ESCAPE_DELAY + 0.01) * then_nothing)
    return [event.key for event in (*found, *parser.tick()) if isinstance(event, events.Key)]


def test_a_key_close_behind_esc_is_a_key_and_so_is_esc() -> None:
    """Esc 3 in one piece is no £, and Esc / no / alone; arrows and what moves by words in a text stay what they are."""
    for key in sorted(set(string.printable) - set("bf\x0b\x0c") - set(INTRODUCERS)):
        (alone,) = read_as(key)
        assert read_as(f"\x1b{key}") == ["escape", alone], key
        assert read_as(f"\x1b{key}jx") == ["escape", alone, "j", "x"], key
    assert read_as("\x1bO", then_nothing=True) == ["escape", "O"]
    assert read_as("\x1b\x1b", then_nothing=True) == ["escape", "escape"]
    known = {"\x1b[A": "up", "\x1bOP": "f1", "\x1bb": "ctrl+left", "\x1b[1;5C": "ctrl+right"}
    assert {sequence: read_as(sequence) for sequence in known} == {sequence: [key] for sequence, key in known.items()}


def test_esc_and_the_next_key_in_one_piece(workspace: Path) -> None:
    """In a terminal: the filter is cleared, and the screen of the key behind Esc is gone to."""
    with Terminal(["--workspace", workspace]) as terminal:
        terminal.wait_for("2 runs")
        terminal.send("/exam")
        terminal.wait_for("1 of 2")
        terminal.send("\x1b\x1b2")
        terminal.wait_for("No datasets")
        terminal.send("4")
        terminal.wait_for("2 runs")
        terminal.send("q")
        assert terminal.end() == 0


@pytest.mark.soak
@pytest.mark.parametrize("keys", ["q1", "q6"])
def test_leaving_and_going_elsewhere_in_one_piece(keys: str, tmp_path: Path) -> None:
    """In a terminal, an empty workspace, with no screen ready: the app ends as it was told to."""
    with Terminal(["--workspace", tmp_path]) as terminal:
        terminal.wait_for("? help")
        terminal.send(keys)
        assert terminal.end() == 0
        assert "Traceback" not in terminal.left_behind
