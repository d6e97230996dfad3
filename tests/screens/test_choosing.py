"""Laws of the list that one chooses from: on every terminal it says which keys take what is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen import app_on, press, screen_text, sees, wait_for
from soaking import quick_first

from tui_eval.tui.screens.dialogs.choose import Choose, ChooseSome

NOTE = "Models are put on file on screen 1."


@pytest.mark.parametrize("size", quick_first([(60, 20), (80, 24), (120, 40)]), ids=["60x20", "80x24", "120x40"])
@pytest.mark.parametrize("sort", [Choose, ChooseSome])
async def test_a_long_list_leaves_room_for_what_its_keys_do(
    sort: type[ChooseSome], size: tuple[int, int], tmp_path: Path
) -> None:
    """However many there are to choose from, the note and the keys stand below them, also after the terminal was made
    smaller, and while a filter is typed."""
    app = app_on(tmp_path)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "Three ways to begin")
        taken: list[list[int] | None] = []
        app.push_screen(sort("Which?", [(f"model-{n}", "about") for n in range(60)], note=NOTE), taken.append)
        await sees(pilot, "›", "model-0", "Esc goes back", NOTE)
        await pilot.resize_terminal(60, 20)
        await sees(pilot, "model-0", "Esc goes back", NOTE)
        await press(pilot, "slash", *"59")
        await sees(pilot, "model-59", "Esc goes back")
        await press(pilot, "enter", "enter")
        await wait_for(pilot, lambda: taken == [[59]])
        assert "Esc goes back" not in screen_text(app)
