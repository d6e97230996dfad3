"""Laws of themes in the app: each shipped one draws every screen, a bad or odd one is told or drawn, and never ends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen import app_on, press, sees, toasts, told
from soaking import quick_first

from tui_eval.tui.app import EvalApp
from tui_eval.tui.themes import COLOURS, DEFAULT, WITHOUT_COLOURS
from tui_eval.workspace.places import shipped

SIZE = (100, 30)
SHIPPED = sorted(file.stem for file in shipped("themes").glob("*.toml"))
ODD = ("auto", "transparent", "ansi_red", "ansi_default", "hsl(120,50%,40%)", "rgb(1,2,3)", "#12345678", "#fff", "red 50%")


def app_with(workspace: Path, theme: str | bytes, chosen: str = "mine") -> EvalApp:
    """The app with a theme of one's own, which was chosen before."""
    for folder in ("themes", ".conf"):
        (workspace / folder).mkdir(exist_ok=True)
    (workspace / "themes" / "mine.toml").write_bytes(theme if isinstance(theme, bytes) else theme.encode())
    (workspace / ".conf" / "app.toml").write_text(f'theme = "{chosen}"\n')
    return app_on(workspace)


@pytest.mark.parametrize("theme", [name if name == "dark" else pytest.param(name, marks=pytest.mark.soak) for name in SHIPPED])
async def test_shipped_themes_draw_every_screen(theme: str, workspace: Path) -> None:
    """Every screen, the help, a question and a filter; the app goes on without a complaint."""
    app = app_with(workspace, 'primary = "#fff"', theme)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        assert app.theme == theme
        await press(pilot, *"136", "enter", "4", "D", "n", "question_mark", "q", "slash")
        assert app.failure is None and not toasts(app)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\x00\x1b[2J", "not UTF-8"),
        ("dark = true", "primary is missing"),
        ('primary = "reddish"', "is not a colour"),
        ('primary = "red"\nsecondaire = "red"', "no colour is called 'secondaire'"),
        (b"#" * 10_000_000, "larger than 64 KB"),
    ],
    ids=["bytes", "no colour", "unknown colour", "unknown name", "10 MB"],
)
async def test_a_bad_theme_is_told_once(content: str | bytes, said: str, workspace: Path) -> None:
    """One warning that names the file; the other themes are there."""
    app = app_with(workspace, content, DEFAULT)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        await told(pilot, said)
        assert len(toasts(app)) == 1 and "mine.toml" in toasts(app)[0] and "\x1b" not in toasts(app)[0]
        assert app.theme == DEFAULT and "mine" not in app.available_themes


@pytest.mark.parametrize("ansi", ["true", pytest.param("false", marks=pytest.mark.soak)])
@pytest.mark.parametrize("colour", quick_first(ODD, 3))
async def test_odd_colours_are_drawn_or_told(colour: str, ansi: str, workspace: Path) -> None:
    """A colour that Textual reads, in every role, with and without the terminal's own colours."""
    content = f"ansi = {ansi}\n" + "".join(f'{name} = "{colour}"\n' for name in COLOURS)
    app = app_with(workspace, content)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        assert app.theme == "mine" or any("mine" in words for words in toasts(app))
        await press(pilot, "6", "question_mark", "q", "slash")
        assert app.failure is None


async def test_no_colour_means_the_theme_without_any(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR wins over what was chosen."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_with(workspace, 'primary = "red"')
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        assert app.theme == WITHOUT_COLOURS


async def test_an_unknown_theme_is_told_once(workspace: Path) -> None:
    """The one taken by default is there instead, and what was written down stays."""
    app = app_with(workspace, 'primary = "red"', "gone")
    async with app.run_test(size=SIZE) as pilot:
        await told(pilot, "no theme is called 'gone'")
        assert len(toasts(app)) == 1 and app.theme == DEFAULT
    assert (workspace / ".conf" / "app.toml").read_text() == 'theme = "gone"\n'
