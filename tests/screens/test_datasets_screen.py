"""Laws of the screen Datasets: sets come in, are read, selected by filter, edited and run, all by keyboard."""

from __future__ import annotations

import json
import threading
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from screen import app_on, press, screen_text, sees, told, wait_for
from soaking import quick_first
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tui_eval.cli.command_line import main
from tui_eval.datasets.set_list import SetEntry, change_selection, read_set
from tui_eval.datasets.sets import LIST
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.datasets.map_columns import MapColumns
from tui_eval.tui.screens.datasets.question_list import SetPreviewScreen
from tui_eval.tui.screens.datasets.screen import origin
from tui_eval.tui.screens.datasets.set_actions import SetPage
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.screens.dialogs.help import Help
from tui_eval.tui.widgets.table import RowTable
from tui_eval.workspace.places import Workspace

TYPED = "1. Which is a gas?\nA) iron\nB) helium\nAnswer: B\n\n2. Which is a metal?\nA) iron\nB) helium\nAnswer: A\n"


class SeenApp(EvalApp):
    """The app, with a list in the place of the form of a run."""

    def __init__(self, workspace: Path) -> None:
        super().__init__(Workspace(workspace))
        self.asked: list[tuple[Mapping[str, Any], Path]] = []

    def new_run(self, content: Mapping[str, Any], folder: Path) -> None:
        """Note what a run would begin with."""
        self.asked.append((content, folder))


def write_set(workspace: Path, n: int = 6, name: str = "exam.json") -> Path:
    """A benchmark of some questions, half of them easy."""
    path = workspace / "datasets" / name
    path.parent.mkdir(exist_ok=True)
    entries = [
        {
            "id": f"r{number}",
            "question": f"Which rock is number {number}?",
            "choices": ["chalk", "shale", "salt"],
            "answer": "ABC"[number % 3],
            "difficulty": "hard" if number % 2 else "easy",
            "domains": ["Rocks"],
        }
        for number in range(n)
    ]
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def left_out(workspace: Path, name: str) -> list[str]:
    """Which questions of a set are on file as not selected."""
    content = tomllib.loads((workspace / ".conf" / "datasets.toml").read_text())
    return list(content["sets"].get(name, {}).get("left_out", []))


async def ready(pilot: Pilot[None], *words: str) -> None:
    """Screen 2 on show, with these words on it."""
    await press(pilot, "2")
    await sees(pilot, "in the datasets folder", *words)


async def write(pilot: Pilot[None], change: tuple[str, str]) -> None:
    """Change the text in the text area and keep it."""
    await wait_for(pilot, lambda: pilot.app.screen.query(TextArea))
    area = pilot.app.screen.query_one(TextArea)
    area.text = area.text.replace(*change) if change[0] else change[1]
    await press(pilot, "f2")


async def test_why_a_question_is_left_out_is_shown_until_it_is_selected(tmp_path: Path) -> None:
    """The reason stands in the question, as text that steers nothing; selected again, it is forgotten."""
    path, workspace = write_set(tmp_path), Workspace(tmp_path)
    change_selection(workspace, path, read_set(path), {"r0": False, "r1": False}, {"r0": "the key\x1b[31m is C"})
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "exam", "4 of 6")
        await press(pilot, "enter")
        await sees(pilot, "4 of 6 selected")
        await press(pilot, "enter")
        await sees(pilot, "r0", "– left out: the key", "is C")
        assert "\x1b" not in screen_text(app)
        await press(pilot, "space")
        await sees(pilot, "✓ selected")
        await press(pilot, "space")
        await sees(pilot, "– left out")
        assert "the key" not in screen_text(app)
    assert (
        left_out(tmp_path, "exam.json") == ["r0", "r1"] and "reasons" not in (tmp_path / ".conf" / "datasets.toml").read_text()
    )


@pytest.mark.soak
async def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    """With no sets the screen names the keys that bring some; a list of questions brings its documents; Esc leaves it all."""
    (tmp_path / "station").mkdir()
    (tmp_path / "station" / "log.txt").write_text("the log")
    (tmp_path / "station" / LIST).write_text("1. Who keeps it?\n")
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "No datasets in this workspace yet", "i  imports", "a  lets you type or paste")
        await press(pilot, "enter", "D", "i")
        await sees(pilot, "Import questions", "Esc leaves", "station/")
        await press(pilot, "tab")
        await sees(pilot, "Questions.md", "log.txt")
        await press(pilot, "Q", "enter")
        await sees(pilot, "Call the new dataset", "1 open question and 1 document in station")
        await press(pilot, "escape", "a")
        await sees(pilot, "Type or paste questions")
        await press(pilot, "escape")
        await sees(pilot, "0 datasets")


async def test_import_by_the_picker(tmp_path: Path) -> None:
    """A file is found, named, kept in our own form with all of it selected; a name that is taken is refused as it is typed."""
    (tmp_path / "my rocks.csv").write_text("question,A,B,answer\nWhich is salt?,halite,quartz,A\n")
    write_set(tmp_path)
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "exam", "all 6")
        await press(pilot, "i")
        await sees(pilot, "my rocks.csv")
        await press(pilot, "m", "y", "enter")
        await sees(pilot, "Call the new dataset", "my-rocks", "1 lettered question in my rocks.csv")
        app.screen.query_one(Input).value = "exam"
        await sees(pilot, "a set called exam already exists")
        app.screen.query_one(Input).value = "rocks"
        await press(pilot, "enter")
        await told(pilot, "kept as datasets/rocks.json")
        await sees(pilot, "rocks", "all 1", "datasets/rocks.json", "2 datasets")
        assert (tmp_path / "my rocks.csv").is_file()


async def test_what_is_no_set_is_told(tmp_path: Path) -> None:
    """A file that is no set of questions says why: when it is imported, and when it lies in the folder."""
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "bad.json").write_text('[{"question": "Why?", "a\\u001b[2Jb": 1}]')
    (tmp_path / "away.json").write_text("[[1, 2]]")
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 24)) as pilot:
        await ready(pilot, "bad", "✗ unusable", "no options")
        await press(pilot, "enter")
        await told(pilot, "no options")
        await press(pilot, "i")
        await sees(pilot, "away.json")
        await press(pilot, "a", "w", "enter")
        await sees(pilot, "away.json is not imported", "question 1: a list, not an object", "these can be imported", "JSONL")
        await press(pilot, "escape")
        await wait_for(pilot, lambda: not isinstance(app.screen, Help))
        assert "\x1b" not in screen_text(app)


@pytest.mark.soak
async def test_columns_that_nobody_knows_are_mapped(tmp_path: Path) -> None:
    """What is guessed is there already; letters and Space say what a column is, and Enter takes only what can be read."""
    (tmp_path / "odd.csv").write_text("Aufgabe,Loesung,Thema\nWhat is salt?,halite,rocks\nWhat is ice?,water,rocks\n,,x\n")
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "No datasets in this workspace yet")
        await press(pilot, "i")
        await sees(pilot, "odd.csv")
        await press(pilot, "o", "enter")
        await sees(pilot, "Which column of odd.csv is what?", "3 records", "What is salt?", "halite", "Esc leaves")
        await press(pilot, "q")
        await sees(pilot, "odd.csv:4: question: empty")
        await press(pilot, "enter")
        assert isinstance(app.screen, MapColumns)
        await press(pilot, "escape")
        (tmp_path / "odd.csv").write_text("Aufgabe,Loesung,Thema\nWhat is salt?,halite,rocks\nWhat is ice?,water,rocks\n")
        await press(pilot, "i", "o", "enter")
        await sees(pilot, "2 open questions, 0 with an answer", "question")
        await press(pilot, "q")
        await sees(pilot, "Say which column has the question")
        await press(pilot, "space", "j", "space", "enter")
        await sees(pilot, "Call the new dataset", "odd", "read from question: Aufgabe, answer: Loesung", "Thema")
        await press(pilot, "enter")
        await told(pilot, "kept as datasets/odd")
        found = read_set(tmp_path / "datasets" / "odd").questions
        assert [(one.question, one.truth) for one in found] == [("What is salt?", "halite"), ("What is ice?", "water")]


@pytest.mark.parametrize("size", quick_first([(80, 24), (200, 50)]))
async def test_options_in_columns_of_any_names(size: tuple[int, int], tmp_path: Path) -> None:
    """Each is marked in its order; long names, lists and what could steer a terminal stay in their cells."""
    rows = [{"stem\u001b[2J": "Which is a gas?", "w" * 90: "iron", "alt": "helium", "right": "helium", "tags": ["a", 1]}] * 2
    (tmp_path / "odd.jsonl").write_text("\n".join(map(json.dumps, rows)))
    app = app_on(tmp_path)
    async with app.run_test(size=size) as pilot:
        await ready(pilot, "No datasets in this workspace yet")
        await press(pilot, "i")
        await sees(pilot, "odd.jsonl")
        await press(pilot, "o", "enter")
        await sees(pilot, "Which column of odd.jsonl", "Which is a gas?", "wwww", "2 open questions")
        await press(pilot, "j", "o")
        await sees(pilot, "Say which column has the answer: a on its row")
        await press(pilot, "j", "o", "j", "a", "j", "i", "u")
        await sees(pilot, "2 lettered questions, each with its answer", "option A", "option B", "a, 1")
        assert "\x1b" not in screen_text(app)
        await press(pilot, "enter")
        await sees(pilot, "Call the new dataset")


async def test_a_picture_may_be_a_document(tmp_path: Path) -> None:
    """It is not imported, and what else can be done with it stays on the screen until a key."""
    (tmp_path / "chart.png").write_bytes(b"\x89PNG")
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "No datasets in this workspace yet")
        await press(pilot, "i")
        await sees(pilot, "chart.png")
        await press(pilot, "c", "enter")
        await sees(pilot, "chart.png is not imported", "document of a panel", "Questions.md", "and import")
        await press(pilot, "escape")
        await wait_for(pilot, lambda: not isinstance(app.screen, Help))


async def test_questions_are_pasted(tmp_path: Path) -> None:
    """What is missing is said with its line and keeps the text from being kept; then what was understood is said."""
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await press(pilot, "a")
        await write(pilot, ("", TYPED.replace("Answer: A", "Answer: C")))
        await sees(pilot, "2 lettered questions; the answer 'C' is not one of its options: line 6")
        await write(pilot, ("", TYPED))
        await sees(pilot, "Understood: 2 lettered questions.", "my-questions")
        await press(pilot, "enter")
        await sees(pilot, "my-questions", "all 2", "typed, 20")
        assert [q.letter for q in read_set(tmp_path / "datasets" / "my-questions.json").questions] == ["B", "A"]


@pytest.mark.soak
async def test_select_by_filter_and_run(tmp_path: Path) -> None:
    """A filter and two keys select what a run is to ask; counts are always said, the choice is kept and handed to the run."""
    write_set(tmp_path)
    app = SeenApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "all 6")
        await press(pilot, "enter")
        await sees(pilot, "6 of 6 selected", "Which rock is number 5?", "A chalk")
        await press(pilot, "N", "slash", *"hard", "enter")
        await sees(pilot, "0 of 6 selected, 3 shown")
        await press(pilot, "A", "space")
        await sees(pilot, "2 of 6 selected, 3 shown  saved", "✓", "–")
        assert left_out(tmp_path, "exam.json") == ["r0", "r1", "r2", "r4"]
        await press(pilot, "s")
        await wait_for(pilot, lambda: app.asked)
        table = {"dataset": "datasets/exam.json", "filter": {"ids": ["r3", "r5"]}}
        assert app.asked == [({"name": "exam", "kind": "choice", "choice": table}, tmp_path)]
        await press(pilot, "escape", "N", "s")
        await told(pilot, "none of the 6 questions")
        await press(pilot, "q")
        await sees(pilot, "0 of 6")


async def test_a_question_in_full(tmp_path: Path) -> None:
    """The right option stands out by a sign; next and previous go through what is shown; Space selects here, too."""
    write_set(tmp_path)
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "all 6")
        await press(pilot, "enter")
        await sees(pilot, "6 of 6 selected")
        await press(pilot, "slash", "exclamation_mark", *"hard", "enter", "enter")
        await sees(pilot, "Which rock is number 0?", "✓ A)  chalk   (the right answer)", "1 of 3")
        await press(pilot, "J", "space", "N")
        await sees(pilot, "number 2?", "✓ C)  salt", "2 of 3", "– left out", "5 of 6 selected, 3 shown")
        await press(pilot, "backspace", "backspace")
        await sees(pilot, "5 of 6 selected  saved", "3 of 6")


@pytest.mark.soak
async def test_a_question_is_edited(tmp_path: Path) -> None:
    """Mistakes are said as they are typed; a foreign file is rewritten only when that is confirmed, and is kept."""
    write_set(tmp_path)
    app = app_on(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, "all 6")
        await press(pilot, "enter")
        await sees(pilot, "6 of 6 selected")
        await press(pilot, "space", "down", "e")
        await write(pilot, ("[answer]\nB", "[answer]\nD"))
        await sees(pilot, "the letter of one of the options")
        await write(pilot, ("[answer]\nD", "[answer]\nC"))
        await sees(pilot, "Rewrite datasets/exam.json?")
        await press(pilot, "y")
        await told(pilot, "kept in datasets/exam.json")
        await sees(pilot, "5 of 6 selected")
        assert [q.letter for q in read_set(tmp_path / "datasets" / "exam.json").questions] == ["A", "C", "C", "A", "B", "C"]
        assert (tmp_path / "datasets" / ".originals" / "exam.json").is_file()
        await press(pilot, "enter", "e")
        await write(pilot, ("Which rock", "Which stone"))
        await sees(pilot, "Which stone is number 1?")


@pytest.mark.soak
async def test_a_question_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """It is told, and what was written stands in the editor again; kept there, it takes the other's place."""
    path = write_set(tmp_path)
    app = app_on(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, "all 6")
        await press(pilot, "enter")
        await sees(pilot, "6 of 6 selected")
        await press(pilot, "e")
        await wait_for(pilot, lambda: isinstance(app.screen, EditText))
        path.write_text(path.read_text().replace("Which rock is number 0", "What is number 0"))
        await write(pilot, ("Which rock", "Which stone"))
        await sees(pilot, "Rewrite datasets/exam.json?")
        await press(pilot, "y")
        await told(pilot, "was changed by another program meanwhile; nothing was written")
        await sees(pilot, "Which stone is number 0?")
        assert "What is number 0" in path.read_text()
        await press(pilot, "f2", "y")
        await told(pilot, "kept in datasets/exam.json")
        assert [q.question for q in read_set(path).questions][:2] == ["Which stone is number 0?", "Which rock is number 1?"]


@pytest.mark.soak
async def test_open_questions_with_documents(tmp_path: Path) -> None:
    """A folder is one set; truths, documents and what is wrong with them are seen; a part of it becomes a config."""
    folder = tmp_path / "datasets" / "station"
    folder.mkdir(parents=True)
    (folder / LIST).write_text(
        "# The station\n1. Who keeps it?\n   Answer: Ines\n   Documents: log\n\n2. What colour?\n   Answer (log): red\n"
    )
    (folder / "log.txt").write_text("the log")
    app = SeenApp(tmp_path)
    async with app.run_test(size=(98, 24)) as pilot:
        await ready(pilot, "station", "open", "all 2", "by hand")
        await press(pilot, "s")
        await wait_for(pilot, lambda: app.asked)
        assert app.asked.pop()[0] == {"name": "station", "kind": "panel", "panel": {"dataset": "datasets/station"}}
        await press(pilot, "enter")
        await sees(pilot, "Who keeps it?", "Ines", "log: red", "2 of 2 selected")
        await press(pilot, "j", "space", "s")
        await wait_for(pilot, lambda: app.asked)
        table = app.asked.pop()[0]["panel"]
        assert table["questions"] == [{"question": "Who keeps it?", "truth": "Ines", "documents": ["log"]}]
        assert table["documents"] == ["datasets/station/log.txt"]
        await press(pilot, "e")
        await write(pilot, ("red", "green"))
        await sees(pilot, "Rewrite datasets/station/Questions.md?")
        await press(pilot, "y")
        await sees(pilot, "log: green", "1 of 2 selected")


async def test_a_set_is_deleted_once_it_is_confirmed(tmp_path: Path) -> None:
    """n keeps it, y throws it away."""
    path = write_set(tmp_path)
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "all 6")
        await press(pilot, "D", "n", "D")
        await sees(pilot, "Delete datasets/exam.json for good?", "6 questions", "It was put here by")
        assert path.is_file()
        await press(pilot, "y")
        await sees(pilot, "No datasets in this workspace yet")
        assert not path.exists()


async def test_what_cannot_be_saved_is_said(tmp_path: Path) -> None:
    """Where the selection cannot be written down, or read, it is said; one can leave all the same."""
    root = tmp_path / "a-folder-with-a-name-of-many-words-as-people-have-them-on-shared-disks"
    root.mkdir()
    write_set(root)
    app = app_on(root)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "all 6")
        await press(pilot, "enter")
        await sees(pilot, "6 of 6 selected")
        (root / ".conf").write_text("in the way")
        await press(pilot, "space")
        await sees(pilot, "5 of 6 selected", "✗ not saved: .conf: cannot be written")
        await press(pilot, "q")
        await sees(pilot, "unknown of 6", "cannot be read")
        await press(pilot, "enter")
        await told(pilot, "datasets.toml: cannot be read")
        await sees(pilot, "unknown of 6")


@pytest.mark.soak
async def test_large_sets_answer_at_once(tmp_path: Path) -> None:
    """With 50,000 questions a filter, a selection and a step take less than a blink."""
    write_set(tmp_path, 50_000)
    app = app_on(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot, "all 50,000")
        await press(pilot, "enter")
        await sees(pilot, "50,000 of 50,000 selected")
        assert isinstance(app.screen, SetPreviewScreen)
        await press(pilot, "slash", *"hard", "enter", "N")
        await sees(pilot, "25,000 of 50,000 selected, 25,000 shown  saved")
        await press(pilot, "G")
        await wait_for(pilot, lambda: app.screen.query_one(RowTable).cursor == 24_999)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("exam.csv, 2026-01-01", "imported from is not touched"),
        ("typed, 2026-01-01", "there is no other copy"),
        ("by hand", "there may be no other copy"),
    ],
)
def test_what_is_left_of_a_deleted_set_is_said_as_it_is(source: str, words: str) -> None:
    """Of typed questions nothing is left, of imported ones the file that they came from."""
    assert words in origin(SetEntry("exam", frozenset({"options"}), 6, 100, source, 6, Path("exam.json")))


async def test_what_was_asked_for_earlier_never_takes_the_place_of_what_was_asked_for_later(tmp_path: Path) -> None:
    """A look at the folder that is slow, begun before a set was kept, is not shown once a later look has been."""
    write_set(tmp_path)
    app = app_on(tmp_path)
    begun, release, taken = threading.Event(), threading.Event(), list[str]()

    def slow() -> str:
        begun.set()
        release.wait(60)
        return "earlier"

    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "exam", "all 6")
        page = app.screen
        assert isinstance(page, SetPage)
        page.beside(slow, taken.append, group="a group")
        await wait_for(pilot, begun.is_set)
        page.beside(lambda: "later", taken.append, group="a group")
        await wait_for(pilot, lambda: taken)
        release.set()
        for _ in range(10):
            await pilot.pause(0.02)
    assert taken == ["later"]


async def test_what_another_process_selects_meanwhile_stays(tmp_path: Path) -> None:
    """The screen writes down only what was changed on it, and shows what is on file once that is saved."""
    path = write_set(tmp_path)
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "all 6")
        await press(pilot, "enter")
        await sees(pilot, "6 of 6 selected")
        change_selection(Workspace(tmp_path), path, read_set(path), {"r4": False, "r5": False})
        await press(pilot, "space")
        await sees(pilot, "3 of 6 selected  saved")
        assert left_out(tmp_path, "exam.json") == ["r0", "r4", "r5"]


async def test_what_the_command_line_brings_and_selects_is_shown(tmp_path: Path) -> None:
    """A dataset that is imported and selected by verbs is what the app lists, marks and sets up a run with."""
    (tmp_path / "rocks.csv").write_text("id,question,A,B,answer\nr1,Salt?,halite,quartz,A\nr2,Sand?,halite,quartz,B\n")
    by_verb(tmp_path, "import", tmp_path / "rocks.csv")
    by_verb(tmp_path, "deselect", "rocks", "r1")
    app = SeenApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, "rocks", "1 of 2", "rocks.csv, 20")
        await press(pilot, "enter")
        await sees(pilot, "1 of 2 selected", "– r1", "✓ r2")
        await press(pilot, "s")
        await wait_for(pilot, lambda: app.asked)
        assert app.asked[0][0]["choice"] == {"dataset": "datasets/rocks.json", "filter": {"ids": ["r2"]}}


def by_verb(workspace: Path, *words: object) -> None:
    """A verb of `datasets` done."""
    assert main(["--workspace", str(workspace), "datasets", *map(str, words)]) == 0


async def test_fields_that_are_not_kept_are_said_before_a_set_is(tmp_path: Path) -> None:
    """Where it is named: a benchmark's rationales are not lost unseen."""
    (tmp_path / "rocks.csv").write_text("question,A,B,answer,rationale\nWhich is salt?,halite,quartz,A,by taste\n")
    app = app_on(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await press(pilot, "i")
        await sees(pilot, "rocks.csv")
        await press(pilot, "r", "o", "enter")
        await sees(pilot, "Call the new dataset", "1 field is not kept", "rationale")


@pytest.mark.soak
async def test_conversations_are_listed_selected_and_edited(tmp_path: Path) -> None:
    """A turn a row, with its quote and page in full; one key takes the whole conversation; a change keeps the rest."""
    path = tmp_path / "datasets" / "talk.json"
    path.parent.mkdir()
    turns = [
        {"id": f"c1/t{n}", "question": f"Depth {n}?", "ground_truth": f"{n} m", "quote": f"{n} m.", "page": n} for n in (1, 2)
    ]
    other = {"id": "c2", "turns": [{"id": "c2/t1", "question": "Owner?", "ground_truth": "Ines", "type": "fact"}]}
    path.write_text(json.dumps({"conversations": [{"id": "c1", "turns": turns}, other]}))
    app = app_on(tmp_path)
    async with app.run_test(size=(98, 24)) as pilot:
        await ready(pilot, "talk", "conversations", "all 3")
        await press(pilot, "enter")
        await sees(pilot, "Depth 1?", "c1 · 2", "Ines", "fact")
        await press(pilot, "c")
        await sees(pilot, "1 of 3 selected", "saved")
        assert left_out(tmp_path, "talk.json") == ["c1/t1", "c1/t2"]
        await press(pilot, "c")
        await sees(pilot, "3 of 3 selected", "saved")
        await press(pilot, "enter")
        await sees(pilot, "1 m", "where the document says so, page 1", "c1, turn 1")
        await press(pilot, "e")
        await write(pilot, ("[answer]\n1 m", "[answer]\n1.5 m"))
        await sees(pilot, "Rewrite datasets/talk.json?")
        await press(pilot, "y")
        await told(pilot, "kept in datasets/talk.json")
    assert [question.truth for question in read_set(path).questions] == ["1.5 m", "2 m", "Ines"]
