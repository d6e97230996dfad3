"""Laws of the screen of prompts: by keys alone one sees whose text is used, changes it, and gets the shipped one back."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen import press, quick_app, screen_text, sees, toasts, told, wait_for
from terminal import Terminal

from tui_eval.configuring.prompt_files import keep, prompt_folders
from tui_eval.tui.screens.dialogs.confirm import Confirm
from tui_eval.workspace.places import Workspace

SIZE = (120, 30)
EVIL = "MK\x1b[2J\x1b]52;c;QUJD\x07[/b][@click=app.quit]x[/] {question} {document}"

SHIPPED = sum(map(len, prompt_folders().values()))
"""How many prompts are shipped."""


def own(root: Path, text: str | bytes, name: str = "doer_user") -> Path:
    """An own prompt of the panel, written by hand."""
    path = root / "prompts" / "panel" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.soak
async def test_one_of_ones_own_is_made_and_taken_back(tmp_path: Path) -> None:
    """i begins with the shipped text and keeps it only with its slots; d shows what is another; D asks, and keeps it beside."""
    app, path = quick_app(tmp_path), tmp_path / "prompts" / "panel" / "doer_user.md"
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "5")
        await sees(pilot, f"{SHIPPED} prompts", "0 of your own", "doer_user", "{question} {document}")
        await press(pilot, "j", "i")
        await sees(pilot, "Prompt panel/doer_user", "must have {question} {document}")
        await press(pilot, "backspace", "f2")
        await sees(pilot, "✗ has no {document}: put it")
        await press(pilot, "right_curly_bracket", *" now", "f2")
        await told(pilot, "kept in", "new runs use it")
        await sees(pilot, "● own", "1 of your own")
        assert path.read_text().endswith("{document} now\n")
        await press(pilot, "d")
        await sees(pilot, "-{document}", "+{document} now", "- only in the shipped one")
        await press(pilot, "d")
        await sees(pilot, "shipped", "your own (runs use it)")
        await press(pilot, "D")
        await wait_for(pilot, lambda: isinstance(app.screen, Confirm))
        await press(pilot, "n")
        assert path.exists()
        await press(pilot, "D", "y")
        await told(pilot, "the shipped prompt is used again")
        await sees(pilot, "shipped (runs use it)")
        assert not path.exists() and len(list(path.parent.iterdir())) == 1
        await press(pilot, "backspace")
        await sees(pilot, f"{SHIPPED} prompts", "0 of your own")
        assert app.failure is None


async def test_what_another_program_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """It is told, and what was typed stands in the editor again; kept there, it takes the other's place."""
    app, path = quick_app(tmp_path), own(tmp_path, "before", "doer_system")
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "5", "i")
        await sees(pilot, "Prompt panel/doer_system")
        path.write_text("theirs")
        await press(pilot, *" mine", "f2")
        await told(pilot, "was changed by another program meanwhile; nothing was written")
        await sees(pilot, "Prompt panel/doer_system", "before mine")
        assert path.read_text() == "theirs"
        await press(pilot, "f2")
        await told(pilot, "kept in")
        assert path.read_text() == "before mine\n"


async def test_both_texts_stand_beside_each_other_where_there_is_room(tmp_path: Path) -> None:
    """From 120 columns on side by side, else one under the other; both are seen either way."""
    keep(Workspace(tmp_path), "panel", "doer_system", "Be brief, please.", None)
    app = quick_app(tmp_path)

    def beside() -> bool:
        return any("You answer questions" in line and "Be brief" in line for line in screen_text(app).split("\n"))

    async with app.run_test(size=(120, 24)) as pilot:
        await press(pilot, "5")
        await sees(pilot, "● own")
        await press(pilot, "enter")
        await sees(pilot, "You answer questions", "Be brief, please.")
        assert beside()
        for width in (119, 80):
            await pilot.resize_terminal(width, 24)
            await wait_for(pilot, lambda: not beside())
            await sees(pilot, "You answer questions", "Be brief, please.")


@pytest.mark.soak
async def test_what_is_broken_is_kept_and_told(tmp_path: Path) -> None:
    """The list says how many, the prompt what to mend and where; the file stays as the person wrote it."""
    path, latin = own(tmp_path, "{question}\n{docment}"), own(tmp_path, b"a\nb\xff", "judge_system")
    (tmp_path / "prompts" / "pannel").mkdir()
    (tmp_path / "prompts" / "pannel" / "x.md").write_text("text")
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "5")
        await sees(pilot, f"{SHIPPED + 1} prompts", "3 of them broken", "✗ own, broken")
        await press(pilot, "j", "enter")
        await sees(pilot, "line 2 has {docment}: is {document} meant?", "{question}")
        await press(pilot, "q", "slash", *"e_sy", "enter", "g", "i")
        await told(pilot, "line 2", "not UTF-8")
        await press(pilot, "escape", "G", "i")
        await told(pilot, "did you mean 'panel'?")
        await press(pilot, "enter")
        await sees(pilot, "pannel/x", "text")
        assert path.read_text() == "{question}\n{docment}" and latin.read_bytes() == b"a\nb\xff"
        assert app.failure is None


@pytest.mark.soak
async def test_the_filter_finds_names_and_texts(tmp_path: Path) -> None:
    """As one types; what is not there says so; Esc brings all back, a second one leaves nothing broken."""
    keep(Workspace(tmp_path), "panel", "final_system", "A zebra.", None)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "5")
        await sees(pilot, f"{SHIPPED} prompts")
        await press(pilot, "slash", *"zeb")
        await sees(pilot, f"1 of {SHIPPED} prompts", "final_system")
        await press(pilot, "x")
        await sees(pilot, "Nothing matches", f"0 of {SHIPPED}")
        await press(pilot, "enter", "d", "D", "e", "i", "enter", "escape")
        await sees(pilot, f"{SHIPPED} prompts", "doer_user")
        await press(pilot, "escape")
        assert all("does nothing here" in words for words in toasts(app)) and app.failure is None


async def test_without_an_editor_it_says_what_else_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None named, or one that cannot be started: told, and no copy of the shipped prompt is left behind."""
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "5")
        await sees(pilot, f"{SHIPPED} prompts")
        for value, words in (
            ("", "neither $VISUAL nor $EDITOR"),
            ("'", "cannot be read as a command"),
            ("ed", "cannot be started"),
        ):
            monkeypatch.setenv("VISUAL", value)
            monkeypatch.delenv("EDITOR", raising=False)
            await press(pilot, "e")
            await told(pilot, words, "i edits the text here")
        assert not any((tmp_path / "prompts").rglob("*.md"))


async def test_a_hostile_prompt_is_only_text(tmp_path: Path) -> None:
    """No control character reaches the screen, in the list, in full, in the difference."""
    own(tmp_path, EVIL)
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "5", "j")
        await sees(pilot, "● own")
        for keys in (["enter"], ["d"], ["escape"]):
            await press(pilot, *keys)
            await sees(pilot, "MK")
            shown = screen_text(app).replace("\n", "")
            assert "\x1b" not in shown and "\x07" not in shown
        assert app.failure is None


@pytest.mark.soak
def test_the_editor_gets_the_prompt_and_the_app_comes_back(tmp_path: Path) -> None:
    """On a real terminal: e opens a copy of the shipped prompt; left unchanged it goes again, changed it is the own one."""
    script = tmp_path / "editor"
    script.write_text(
        f'#!/bin/sh\n[ -e "{tmp_path}/once" ] && printf "written {{question}} {{document}}" > "$1"\n: > "{tmp_path}/once"\n'
    )
    script.chmod(0o700)
    path = tmp_path / "prompts" / "panel" / "doer_user.md"
    with Terminal(["--workspace", tmp_path], environment={"VISUAL": str(script)}, size=(100, 30)) as terminal:
        terminal.wait_for("Quit")
        terminal.send("5")
        terminal.wait_for(f"{SHIPPED} prompts")
        terminal.send("je")
        terminal.wait_for(lambda text: (tmp_path / "once").exists() and f"{SHIPPED} prompts" in text)
        terminal.wait_for(lambda text: not path.exists())
        terminal.send("e")
        terminal.wait_for("1 of your own")
        assert path.read_text() == "written {question} {document}"
        terminal.send("q")
        assert terminal.end() == 0
