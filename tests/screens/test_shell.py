"""Laws of the frame around all screens: every screen by every way, a help that is whole, ways out that always work."""

from __future__ import annotations

import asyncio
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from made import CHOICE, PANEL
from screen import app_on, awaited, held, press, quick_app, screen_text, sees, toasts, wait_for
from snapshots import MODELS
from soaking import quick_first
from textual.command import CommandList
from textual.screen import Screen
from textual.widgets import Input

import tui_eval.tui.screens
from tui_eval.configuring.drafting.starting import starts
from tui_eval.tui import lazy_imports
from tui_eval.tui.app import EvalApp
from tui_eval.tui.keymap import ALWAYS, KEYS, Palette
from tui_eval.tui.screens.dialogs.confirm import Confirm
from tui_eval.tui.screens.dialogs.dialog import Dialog
from tui_eval.tui.screens.dialogs.help import Help, spoken
from tui_eval.tui.screens.models.model_form import ModelForm
from tui_eval.tui.shutdown import farewell
from tui_eval.tui.widgets.chrome import SCREENS
from tui_eval.tui.widgets.form import Form
from tui_eval.tui.widgets.text import Reading

MODES = [mode for mode, _ in SCREENS]
WAY = (
    ("1", "escape"), ("enter", "backspace"), ("escape", "f1"), ("2", "q"), ("3", "question_mark"), ("v", "escape"),
    ("4", "f1"), ("5", "backspace"), ("6", "q"), ("enter", "escape"), ("shift+tab", "q"),
)  # fmt: skip
"""Keys that lead from one screen and part to the next, and a key that closes the help there."""


@pytest.mark.soak
async def test_every_screen_by_its_number_and_by_brackets(workspace: Path) -> None:
    """Numbers go straight there; ] and [ go round in both directions; the screen says which one it is."""
    app = app_on(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel", "small exam")
        for number, (mode, title) in enumerate(SCREENS, start=1):
            await press(pilot, str(number))
            await wait_for(pilot, lambda mode=mode: app.current_mode == mode)
            await sees(pilot, f"{number} {title}")
        for key, order in (("right_square_bracket", MODES), ("left_square_bracket", MODES[-2::-1] + MODES[-1:])):
            for mode in order:
                await press(pilot, key)
                await wait_for(pilot, lambda mode=mode: app.current_mode == mode, f"{mode} by {key}")
        assert not toasts(app)


@pytest.mark.parametrize("key", ["4", "6"])
async def test_keys_typed_into_a_filter_are_text(key: str, workspace: Path) -> None:
    """Numbers, q, brackets, ? and : stay text while a filter is typed; backspace and escape belong to it, too."""
    app = app_on(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, key, "slash", *"16q[]?:,./xDpry")
        mode = MODES[int(key) - 1]
        assert app.current_mode == mode and app.is_running
        assert app.screen.query_one(Input).value == "16q[]?:,./xDpry"
        await press(pilot, "backspace")
        assert app.screen.query_one(Input).value == "16q[]?:,./xDpr"
        await press(pilot, "escape", "1")
        await wait_for(pilot, lambda: app.current_mode == "models")


@pytest.mark.soak
async def test_help_has_every_key_that_works(workspace: Path) -> None:
    """Each thing that can be done on a screen stands in its help with every key; several keys close it."""
    app = app_on(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel")
        for key, closing in WAY:
            await press(pilot, key)
            before, wanted = app.screen, _said_of_keys(app)
            in_form = isinstance(before, ModelForm)
            assert in_form == (key == "enter" and closing == "backspace") and len(wanted) > (10 if in_form else 20)
            await press(pilot, "f1" if in_form else "question_mark")  # in a form a ? is text
            await wait_for(
                pilot, lambda: isinstance(app.screen, Help) and any(pane.lines for pane in app.screen.query(Reading))
            )
            lines = _lines(app.screen.query_one(Reading))
            missing = [pair for pair in wanted if not any(pair[0] in line.split() and pair[1] in line for line in lines)]
            assert not missing, f"after {key}"
            await press(pilot, closing)
            await wait_for(pilot, lambda before=before: app.screen is before, f"help closed by {closing}")


def _lines(reading: Reading) -> list[str]:
    """What is said of each key, its second lines put behind the first."""
    joined = "\n".join(text for text, _ in reading._paragraphs).replace("\n" + " " * 25, " ")
    return [" ".join(line.split()) for line in joined.split("\n")]


def _said_of_keys(app: EvalApp) -> list[tuple[str, str]]:
    """Every key that does something here, and what it does; in a form most keys are text."""
    forms = list(app.screen.query(Form))
    return [
        (spoken(key), active.binding.tooltip or active.binding.description)
        for key, active in app.screen.active_bindings.items()
        if active.enabled and active.binding.description and active.binding.id
        if not active.binding.action.startswith("app.focus")
        if not any(form.is_text(key, active.node) for form in forms)
    ]


async def test_a_question_has_four_ways_to_no(workspace: Path) -> None:
    """n, Esc, Backspace and q leave a question without a deed."""
    app = quick_app(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel")
        for key in ("n", "escape", "backspace", "q"):
            await press(pilot, "D")
            await wait_for(pilot, lambda: isinstance(app.screen, Confirm))
            await sees(pilot, "for good?")
            await press(pilot, *(["1", "x", "right_square_bracket"] if key == "n" else []), key)
            await wait_for(pilot, lambda: not isinstance(app.screen, Confirm))
            assert app.current_mode == "results"
    assert {path.name for path in (workspace / "runs").iterdir()} == {PANEL, CHOICE}


@pytest.mark.parametrize(
    "keys", quick_first([["D"], ["question_mark"], ["slash", "a"], ["colon"], ["6", "enter"]], 2), ids="-".join
)
async def test_ctrl_q_quits_from_anywhere(keys: list[str], workspace: Path) -> None:
    """Even out of a question, the help, a filter, the palette and an attempt."""
    app = app_on(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, *keys, "ctrl+q")
        assert app._exit and app.failure is None


async def test_what_the_palette_finds_once_it_is_left_ends_nothing(workspace: Path) -> None:
    """Its list is gone while it looks for commands, says that it is busy, or shows what it found: keys in one piece do that."""
    app = app_on(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, "colon")
        palette = app.screen
        assert isinstance(palette, Palette)
        await palette.query(CommandList).remove()
        palette._gather_commands("every")
        palette._show_busy = palette._list_visible = True
        palette._list_visible = False
        await press(pilot, "escape")
        assert app.failure is None and app._exception is None


DIALOGS = {
    "question_mark": "Help",
    "D": "Confirm",
    "s": "Choose",
    "b": "PickPaths",
    "semicolon": "Help",
    "1 i": "PickPath",
    "1 j K": "Ask",
    "2 a": "EditText",
    "2 i": "PickPath",
}
"""Dialogs by the keys that lead to them."""


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=["80x24", "200x50"])
@pytest.mark.parametrize("keys", list(DIALOGS))
async def test_nothing_stands_beside_a_dialog(keys: str, size: tuple[int, int], workspace: Path) -> None:
    """The rows of a dialog are its own from edge to edge: no letters of the screen below at its left or right."""
    (workspace / ".conf").mkdir()
    (workspace / ".conf" / "models.toml").write_text(MODELS)
    app = app_on(workspace)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, *keys.split())
        await wait_for(pilot, lambda: isinstance(app.screen, Dialog), keys)
        await sees(pilot, "╭", "╯")
        assert DIALOGS[keys] in [cls.__name__ for cls in type(app.screen).__mro__]
        rows = screen_text(app).split("\n")
        top, bottom = (next(n for n, row in enumerate(rows) if sign in row) for sign in "╭╯")
        assert bottom > top + 2
        assert all(row[0] in "╭│╰" and row[-1] in "╮│╯" and len(row) == size[0] for row in rows[top : bottom + 1])


async def test_what_is_said_of_the_line_under_the_cursor_is_there_in_full(workspace: Path) -> None:
    """In a list to choose from, texts are cut at the edge; below, that of the chosen line is whole, also as one filters."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, "s")
        await sees(pilot, "A first run without a key", "a final judge decides, a scorer")
        await press(pilot, "slash", *"graph")
        await sees(pilot, "example graph")
        await press(pilot, "enter", "g")
        await wait_for(pilot, lambda: "a final judge decides" not in screen_text(app))
        about = next(start.about for start in starts(app.workspace, ()) if start.name == "example graph")
        await wait_for(pilot, lambda: about in " ".join(screen_text(app).replace("│", "").split()))


IDLE_S = 1.2
"""Longer than a blinking cursor takes to go and come."""


@pytest.mark.parametrize("keys", [["colon"], ["slash"], ["s", "slash"]], ids="-".join)
async def test_nothing_is_drawn_while_nobody_types(keys: list[str], workspace: Path) -> None:
    """Where text is awaited, an idle screen sends nothing: no cursor blinks over SSH."""
    app = app_on(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, *keys)
        await wait_for(pilot, lambda: app.screen.query(Input) and isinstance(app.focused, Input))
        drawn: list[object] = []
        before = app._display
        app._display = lambda screen, what: drawn.append(what) or before(screen, what)  # type: ignore[assignment,func-returns-value]
        for _ in range(5):
            drawn.clear()
            await asyncio.sleep(IDLE_S)
            if not drawn:
                break
        assert not drawn


@pytest.mark.soak
async def test_the_palette_does_what_keys_do(workspace: Path) -> None:
    """By colon: an action of the screen is done; a theme is chosen and still there at the next start."""
    app = app_on(workspace)
    async with app.run_test(size=(100, 30)) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, "colon", *"Every c")
        await sees(pilot, "Every call of the run")
        await press(pilot, "down", "enter")
        await wait_for(pilot, lambda: app.current_mode == "log", "the log by the palette")
        await press(pilot, "colon", *"e: high")
        await sees(pilot, "Theme: high-contrast")
        await press(pilot, "down", "enter")
        await wait_for(pilot, lambda: app.theme == "high-contrast")
        assert not toasts(app)
    assert 'theme = "high-contrast"' in (workspace / ".conf" / "app.toml").read_text()
    assert app_on(workspace).theme == "high-contrast"


@pytest.mark.parametrize("keys", [["4"], ["6"], ["1"], ["slash"], ["s"]], ids="-".join)
async def test_the_palette_offers_what_the_keymap_has(keys: list[str], workspace: Path) -> None:
    """Each deed once, by a key of ours that does it here; nothing of Textual's own, which no keymap names."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, *keys)
        await wait_for(pilot, lambda: not awaited(app))
        spoken_keys = {f"key: {spoken(key)}" for keys in KEYS.values() for key in f"{keys},{ALWAYS}".split(",")}
        deeds = [command for command in app.get_system_commands(app.screen) if not command.title.startswith("Theme: ")]
        assert deeds and {command.help for command in deeds} <= spoken_keys
        assert len({command.title for command in deeds}) == len(deeds)


@pytest.mark.parametrize("name", ["light", "dark", "high-contrast", "nord"])
async def test_a_theme_that_is_typed_whole_is_taken(name: str, workspace: Path) -> None:
    """Also where the names of others end in it."""
    app = app_on(workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "small panel")
        await press(pilot, "colon", *name)

        def is_first() -> bool:
            found = app.screen.query_one(CommandList)
            return found.option_count > 0 and str(found.get_option_at_index(0).hit.text) == f"Theme: {name}"  # type: ignore[attr-defined]

        await wait_for(pilot, is_first)
        await press(pilot, "enter")
        await wait_for(pilot, lambda: app.theme == name)


async def test_a_run_that_goes_on_is_named_in_the_end(workspace: Path) -> None:
    """Whoever quits is told which runs are live and how to stop one."""
    app = quick_app(workspace)
    with held(workspace / "runs" / PANEL):
        async with app.run_test(size=(100, 30)) as pilot:
            await sees(pilot, "1 live")
            await press(pilot, "q")
            assert app._exit_renderables == [farewell([PANEL], [])]
    assert PANEL in farewell([PANEL], []) and "tui-eval stop" in farewell([PANEL], [])
    assert PANEL in farewell([], [PANEL]) and "tui-eval continue" in farewell([], [PANEL])
    assert "5 runs go on: a, b, c and 2 more" in farewell(list("abcde"), [])
    assert "no run is live" in farewell([], [])


def test_keys_are_written_for_people() -> None:
    """No shipped key is shown by a program's name for it."""
    for key in {key for keys in KEYS.values() for key in keys.split(",")}:
        said = spoken(key)
        assert len(said) == 1 or said[0].isupper(), key
        assert "_" not in said


def screens_of(base: type[Screen[Any]]) -> Iterator[type[Screen[Any]]]:
    """Every screen of ours, whatever it is built on."""
    for found in base.__subclasses__():
        if found.__module__.startswith("tui_eval."):
            yield found
        yield from screens_of(found)


def test_a_screen_built_on_another_keeps_its_looks() -> None:
    """Textual applies a screen's CSS to screens of that very class, unless it is told otherwise."""
    for module in pkgutil.walk_packages(tui_eval.tui.screens.__path__, "tui_eval.tui.screens."):
        import_module(module.name)
    bare = {one.__name__ for one in screens_of(Screen) if one.CSS and one.SCOPED_CSS and "CSS" not in vars(one)}
    assert not bare, f"these inherit CSS that does not hold for them: {bare}"


def test_every_listed_screen_is_there() -> None:
    """The app makes screens by their place in a table: each place has one."""
    for name, lazy in {**lazy_imports.MODES, **lazy_imports.ABOVE}.items():
        assert issubclass(lazy.load(), Screen), name
    assert [*lazy_imports.MODES] == MODES
