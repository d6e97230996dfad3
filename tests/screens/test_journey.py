"""From an empty workspace to a compared pair of runs, by keyboard alone: a panel, and a multiple-choice benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chats import conversations
from screen import press, quick_app, screen_text, sees
from textual.pilot import Pilot

READY = "ready: F5 starts it"
EXAM = [
    {"id": f"q{n}", "question": f"Which number is {n}?", "choices": [str(n), str(n + 1), str(n + 2)], "answer": "A"}
    for n in range(1, 5)
]


async def typed(pilot: Pilot[Any], text: str) -> None:
    """Type a text, line by line."""
    for letter in text:
        await pilot.press({" ": "space", "\n": "enter"}.get(letter, letter))


async def down_to(pilot: Pilot[Any], words: str) -> None:
    """Move down until the row under the cursor begins with these words."""
    for _ in range(40):
        if any(line.lstrip().startswith(f"›{words}") or line.startswith(f"› {words}") for line in lines(pilot)):
            return
        if any(line.startswith("›") and line[1:].strip(" ▸▾[]✓x").startswith(words) for line in lines(pilot)):
            return
        await press(pilot, "down")
    raise AssertionError(f"no row {words!r}\n{screen_text(pilot.app)}")  # type: ignore[arg-type]


def lines(pilot: Pilot[Any]) -> list[str]:
    """What stands on the screen."""
    return screen_text(pilot.app).splitlines()  # type: ignore[arg-type]


async def finished(pilot: Pilot[Any]) -> None:
    """Start the run, and watch it to its end."""
    await sees(pilot, READY)
    await press(pilot, "f5")
    await sees(pilot, "✓ done")


async def compared(pilot: Pilot[Any], *words: str) -> None:
    """Mark the two runs on the list, and compare them."""
    await press(pilot, "4")
    await sees(pilot, "2 runs")
    await press(pilot, "g", "space", "down", "space", "c")
    await sees(pilot, *words)


@pytest.mark.soak
async def test_a_panel_from_nothing_to_a_compared_pair(tmp_path: Path) -> None:
    """Questions and truths are typed, two simulated models chosen; then again with another cap; then both side by side."""
    app = quick_app(tmp_path)
    async with app.run_test(size=(100, 40)) as pilot:
        await press(pilot, "s")
        await sees(pilot, "start from")
        await press(pilot, "slash")
        await typed(pilot, "new panel")
        await press(pilot, "enter", "enter")
        await sees(pilot, "cannot start")
        await down_to(pilot, "questions")
        await press(pilot, "enter")
        await typed(pilot, "How many legs has a crab\nWhat do gulls eat")
        await press(pilot, "f2")
        await down_to(pilot, "truths")
        await press(pilot, "enter")
        await typed(pilot, "ten\nfish")
        await press(pilot, "f2")
        await down_to(pilot, "doers")
        await press(pilot, "a", "enter", "a", "j", "enter")
        await sees(pilot, "4 calls", READY)
        await press(pilot, "home")
        await down_to(pilot, "benchmark")
        await press(pilot, "enter")
        await down_to(pilot, "mode")
        await press(pilot, "space")
        await finished(pilot)
        await press(pilot, "s")
        await sees(pilot, "go on: ")
        await press(pilot, "enter")
        await sees(pilot, "New run: panel")
        await press(pilot, "enter")
        await typed(pilot, " again")
        await press(pilot, "enter")
        await finished(pilot)
        await press(pilot, "v")
        await sees(pilot, "panel again", "scholar")
        await compared(pilot, "scholar", "sprinter")


@pytest.mark.soak
async def test_a_benchmark_from_nothing_to_a_compared_pair(tmp_path: Path) -> None:
    """A file is imported, its questions run against two simulated models, again with their options shuffled, and compared."""
    (tmp_path / "exam.json").write_text(json.dumps(EXAM))
    app = quick_app(tmp_path)
    async with app.run_test(size=(100, 40)) as pilot:
        await press(pilot, "2", "i")
        await sees(pilot, "exam.json")
        await typed(pilot, "exam")
        await press(pilot, "tab", "enter")
        await sees(pilot, "Call the new dataset", "4 lettered questions")
        await press(pilot, "enter")
        await sees(pilot, "1 dataset", "exam")
        await press(pilot, "s")
        await sees(pilot, "New run:", "cannot start")
        await down_to(pilot, "models")
        await press(pilot, "enter", "space", "down", "space", "enter")
        await sees(pilot, "8 calls", READY)
        await finished(pilot)
        await press(pilot, "s")
        await sees(pilot, "go on: ")
        await press(pilot, "enter")
        await down_to(pilot, "shuffle")
        await press(pilot, "space")
        await finished(pilot)
        await compared(pilot, "scholar", "sprinter")


@pytest.mark.soak
async def test_conversations_from_a_set_to_the_grid_and_a_persons_marks(tmp_path: Path) -> None:
    """A set on file is looked through, s asks models of one's choice about it, a judge is chosen; from the grid to a turn,
    and from there to a mark of one's own."""
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "canal.json").write_text(json.dumps(conversations((2, 2))))
    app = quick_app(tmp_path)
    async with app.run_test(size=(100, 40)) as pilot:
        await press(pilot, "2")
        await sees(pilot, "canal", "all 4")
        await press(pilot, "enter")
        await sees(pilot, "4 of 4 selected")
        await press(pilot, "s")
        await sees(pilot, "New run: ", "datasets/canal.json", "cannot start")
        await down_to(pilot, "models")
        await press(pilot, "enter")
        await sees(pilot, "which models?")
        await press(pilot, "space", "down", "space", "enter")
        await sees(pilot, "2: scholar · sprinter")
        await down_to(pilot, "judge")
        await press(pilot, "enter")
        await down_to(pilot, "model ")
        await press(pilot, "enter")
        await sees(pilot, "Which model?")
        await press(pilot, "slash", *"arbiter", "enter", "enter")
        await sees(pilot, "arbiter", "answer 8 (scholar, sprinter)")
        await finished(pilot)
        await press(pilot, "v")
        await sees(pilot, "all 5 measures")
        await press(pilot, "shift+tab")
        await sees(pilot, "4 turns", "scholar", "sprinter")
        await press(pilot, "j", "right", "enter")
        await sees(pilot, "sprinter · c1", "TURN     2 of 2", "At 2 bells.")
        await press(pilot, "escape", "P", "enter", "enter")
        await sees(pilot, "answer 1 of ")
        await press(pilot, "4")
        await sees(pilot, "answer 2 of ")
    assert len(list((tmp_path / "runs").glob("*/person_marks.jsonl"))) == 1


class Counted:
    """Keys that are pressed, counted."""

    def __init__(self, pilot: Pilot[Any]) -> None:
        self.pilot = pilot
        self.keys = 0

    async def press(self, *keys: str) -> None:
        """Press and count them."""
        self.keys += len(keys)
        await press(self.pilot, *keys)


def sums_in(folder: Path) -> None:
    """A file of questions with their answers."""
    folder.mkdir(exist_ok=True)
    rows = [{"question": f"What is {n} and {n}?", "answer": f"It is #### {2 * n}"} for n in range(1, 6)]
    (folder / "sums.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@pytest.mark.soak
@pytest.mark.parametrize("place", ["beside", "in the datasets folder"])
async def test_a_file_of_questions_is_nine_keys_from_its_result(place: str, tmp_path: Path) -> None:
    """At 80x24, without a letter typed: the file, two models, the start, the result; target, prompt and scorer stand in the
    form, whose cursor is on the models. One more says yes to real ones."""
    (tmp_path / "aside").mkdir()
    (tmp_path / "about.txt").write_text("sums")
    sums_in(tmp_path if place == "beside" else tmp_path / "datasets")
    async with quick_app(tmp_path).run_test(size=(80, 24)) as pilot:
        counted = Counted(pilot)
        if place == "beside":
            await counted.press("s", "down", "enter")
            await sees(pilot, "Which file of questions?", "› sums.jsonl")
            await counted.press("enter")
        else:
            await counted.press("2", "s")
        await sees(pilot, "New run: sums  qa", "target", "answer", "qa.models: has nothing in it yet", "›models")
        await counted.press("enter", "space", "down", "space", "f5")
        await sees(pilot, "✓ done", "10 of 10 calls")
        await counted.press("v")
        await sees(pilot, "sums", "scholar", "sprinter", "number")
        assert counted.keys <= 10


@pytest.mark.soak
async def test_keys_of_the_way_may_come_in_one_piece(tmp_path: Path) -> None:
    """Typed ahead, as by somebody who knows the way: F5 waits until the run is counted, and starts it then."""
    sums_in(tmp_path)
    async with quick_app(tmp_path).run_test(size=(80, 24)) as pilot:
        await press(pilot, "s", "down", "enter", "enter", "enter", "space", "down", "space", "enter", "f5")
        await sees(pilot, "✓ done", "10 of 10 calls")


@pytest.mark.soak
async def test_the_only_model_on_file_is_chosen(tmp_path: Path) -> None:
    """Of several none is, and of none that a key is missing for."""
    sums_in(tmp_path)
    (tmp_path / ".conf").mkdir()
    one = '[[models]]\nname = "a"\nwire = "simulator"\nmodel = "sim-scholar"\n'
    other = '[[models]]\nname = "b"\nwire = "openai"\nmodel = "m"\napi_key_env = "NO_SUCH_KEY"\n'
    (tmp_path / ".conf" / "models.toml").write_text(one + other)
    async with quick_app(tmp_path).run_test(size=(80, 24)) as pilot:
        await press(pilot, "s", "down", "enter", "enter")
        await sees(pilot, "5 calls", READY)
        await press(pilot, "f5")
        await sees(pilot, "✓ done", "5 of 5 calls")


async def test_a_file_that_is_picked_fills_an_empty_form(tmp_path: Path) -> None:
    """What its columns tell stands in the form, and it is said what was chosen; what is not certain is an error."""
    (tmp_path / "sums.jsonl").write_text('{"question": "What is 2 and 2?", "answer": "4"}\n')
    (tmp_path / "odd.jsonl").write_text('{"foo": "What?", "bar": "4"}\n')
    async with quick_app(tmp_path).run_test(size=(100, 40)) as pilot:
        await press(pilot, "s", "slash")
        await typed(pilot, "new qa")
        await press(pilot, "enter", "enter")
        await down_to(pilot, "dataset")
        for name, told in (("odd", "not certain which column"), ("sums", "chosen by the columns: target answer")):
            await press(pilot, "enter")
            await sees(pilot, "Which file?")
            await press(pilot, "ctrl+u")
            await typed(pilot, name)
            await press(pilot, "tab", "enter")
            await sees(pilot, told)
        await sees(pilot, "target", "answer", "number")
