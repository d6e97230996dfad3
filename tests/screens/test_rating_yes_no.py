"""Laws of rating by yes and no: the example of 60 answers, who rates, what is shown, and what never is."""

from __future__ import annotations

import asyncio
import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from fault_bench import run_here, serving, simulated_by
from screen import press, quick_app, screen_text, sees, told, wait_for
from snapshots import WALKED, Screens, walk_through
from textual.pilot import Pilot

from tui_eval.runs.person_marks import PERSON_MARKS, person_marks
from tui_eval.simulator.answers.knowledge import contains
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.result.marking import MarkingScreen
from tui_eval.tui.screens.result.screen import ResultScreen
from tui_eval.tui.widgets.inspector import SectionsView
from tui_eval.workspace.places import shipped

RUN = "20260107_100000_ffff_marking"
NAMES = ("scholar", "contrarian", "arbiter", "sim-")


async def _made(folder: Path, path: Path) -> None:
    """The shipped example, its models asked without waiting."""
    examples = shipped("examples")
    table = tomllib.loads((examples / "marking.toml").read_text())
    panel = {**table["panel"], **{key: str(examples / table["panel"][key]) for key in ("questions_file", "truths_file")}}
    folder.mkdir()
    async with serving(0, latency_scale=0) as served:
        models = [simulated_by(served.url, model["name"], model["model"]) for model in table["models"]]
        await run_here({**table, "models": models, "panel": panel}, folder, out=path)


@pytest.fixture(scope="session")
def made_marking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the example that is over; not to be changed."""
    root = tmp_path_factory.mktemp("marking")
    asyncio.run(_made(root / "made", root / "run"))
    return root / "run"


@pytest.fixture
def marking_workspace(made_marking: Path, tmp_path: Path) -> Path:
    """A workspace of one's own with that run in it."""
    shutil.copytree(made_marking, tmp_path / "runs" / RUN)
    return tmp_path


def run_of(workspace: Path) -> Path:
    """The run's folder."""
    return workspace / "runs" / RUN


async def begin(pilot: Pilot[Any], name: str = "kim") -> None:
    """The first answer, once the name was asked for."""
    await sees(pilot, "[Summary]", "P: rate a sample")
    await press(pilot, "P")
    await sees(pilot, "Your name or initials?")
    await press(pilot, *name, "enter")
    await sees(pilot, "correct, yes or no", "answer 1 of 60", name)


def paragraphs(app: EvalApp) -> list[str]:
    """All that one can scroll to."""
    return [each.text for view in app.screen.query(SectionsView) for each in view._sections]


def key_for(app: EvalApp) -> str:
    """What a person presses who sees truth and answer."""
    shown = paragraphs(app)
    truth, answer = (shown[shown.index(name) + 1] for name in ("Ground truth", "Answer"))
    return "y" if contains(answer, truth) else "n"


@pytest.mark.soak
async def test_twenty_of_each_truth_are_reached_within_sixty(marking_workspace: Path) -> None:
    """By who rates as the truth has it; nothing on the way names a model, or shows a judge's mark, its mean or its lean."""
    app, run = quick_app(marking_workspace, run_of(marking_workspace)), run_of(marking_workspace)
    keys: list[str] = []
    async with app.run_test(size=(100, 40)) as pilot:
        await begin(pilot)
        for number in range(1, 61):
            await sees(pilot, f"answer {number} of 60")
            text = "\n".join([screen_text(app), *paragraphs(app)])
            assert not [name for name in (*NAMES, "accuracy", "lenient", "sensitivity", "judge 0", RUN) if name in text], text
            assert "Does the answer agree with the ground truth?" in text
            assert f"{keys.count('y')} yes, {keys.count('n')} no" in text
            if min(keys.count("y"), keys.count("n")) >= 20:
                assert "20 of each are there" in text
            keys.append(key_for(app))
            await press(pilot, keys[-1])
        await sees(pilot, "All 60 answers of the sample are rated: all that there are", "alike, kappa")
        assert not [name for name in NAMES if name in screen_text(app)]
        await press(pilot, "m")
        await told(pilot, "every answer of this run is rated")
        await press(pilot, "backspace")
        await sees(pilot, "answer 60 of 60")
    marks = list(person_marks(run).values())
    assert [mark.mark for mark in marks] == [int(key == "y") for key in keys[:59]]
    assert {mark.person for mark in marks} == {"kim"} and {(mark.p, mark.of) for mark in marks} == {(1.0, 1)}
    assert min(keys.count("y"), keys.count("n")) >= 20


@pytest.mark.soak
async def test_keys_of_the_other_scale_mark_nothing(marking_workspace: Path) -> None:
    """Digits say which keys do; 0 is "cannot tell", and never no. The name is asked for once in a life of the app."""
    app = quick_app(marking_workspace, run_of(marking_workspace))
    async with app.run_test(size=(100, 40)) as pilot:
        await begin(pilot)
        keys = screen_text(app).splitlines()[-1]
        assert all(words in keys for words in ("y Yes", "n No", "0 Cannot tell")) and "to 5 mark" not in keys
        await press(pilot, "1")
        await told(pilot, "this is rated y for yes or n for no")
        await press(pilot, "7")
        await told(pilot, "y is yes, n is no")
        assert not (run_of(marking_workspace) / PERSON_MARKS).exists() and isinstance(app.screen, MarkingScreen)
        await press(pilot, "0")
        await sees(pilot, "answer 2 of 60", "0 yes, 0 no")
        await press(pilot, "q")
        await wait_for(pilot, lambda: isinstance(app.screen, ResultScreen))
        await press(pilot, "P")
        await sees(pilot, "answer 2 of 60", "kim")
    (mark,) = person_marks(run_of(marking_workspace)).values()
    assert mark.mark is None


@pytest.mark.soak
async def test_a_second_person_sees_the_first_ones_answers_and_none_of_the_marks(marking_workspace: Path) -> None:
    """In the same order; the name last used stands in the line, and another takes its place. Undo leaves the others' marks."""
    run, first = run_of(marking_workspace), list[list[str]]()
    app = quick_app(marking_workspace, run)
    async with app.run_test(size=(100, 40)) as pilot:
        await begin(pilot)
        for number in range(1, 4):
            await sees(pilot, f"answer {number} of 60")
            first.append(paragraphs(app))
            await press(pilot, "y")
        await sees(pilot, "answer 4 of 60")
    app = quick_app(marking_workspace, run)
    async with app.run_test(size=(100, 40)) as pilot:
        await sees(pilot, "[Summary]", "P: rate a sample")
        await press(pilot, "P")
        await sees(pilot, "Your name or initials?", "kim")
        await press(pilot, "backspace", "backspace", "backspace", *"ada", "enter")
        for number in range(1, 4):
            await sees(pilot, f"answer {number} of 60", "0 yes")
            assert paragraphs(app) == first[number - 1]
            await press(pilot, "n")
        await sees(pilot, "answer 4 of 60", "0 yes, 3 no")
        await press(pilot, "backspace")
        await sees(pilot, "answer 3 of 60", "0 yes, 2 no")
    marks = [(mark.person, mark.mark) for mark in person_marks(run).values()]
    assert marks == [("kim", 1)] * 3 + [("ada", 0)] * 2
    settings = (marking_workspace / ".conf" / "app.toml").read_text()
    assert 'person = "ada"' in settings


@pytest.mark.soak
async def test_certificates_are_written_from_the_results(marking_workspace: Path) -> None:
    """Once there are 20 of each; marking ends for it, for its lines tell what the judge said."""
    app, run = quick_app(marking_workspace, run_of(marking_workspace)), run_of(marking_workspace)
    async with app.run_test(size=(100, 40)) as pilot:
        await begin(pilot)
        for number in range(1, 61):
            await sees(pilot, f"answer {number} of 60")
            await press(pilot, key_for(app))
        await sees(pilot, "K Certify")
        await press(pilot, "K")
        await sees(pilot, "Certificates")
        await press(pilot, "escape")
        await wait_for(pilot, lambda: isinstance(app.screen, ResultScreen))
        await sees(pilot, "K Certify")
    assert len(person_marks(run)) == 60 and list((marking_workspace / "certificates").glob("*.json"))


@pytest.mark.soak
async def test_a_damaged_file_of_the_run_asks_nothing_foreign(marking_workspace: Path) -> None:
    """What a stranger wrote into the manifest is text on one line, and prompts outside the folder are not read."""
    run = run_of(marking_workspace)
    report = json.loads((run / "report.json").read_text())
    report["judged"]["correct"] = {"asks": "\x1b[2J [@click=app.quit]x\nsecond", "prompts": ["../../config", 7]}
    (run / "report.json").write_text(json.dumps(report))
    app = quick_app(marking_workspace, run)
    async with app.run_test(size=(100, 40)) as pilot:
        await begin(pilot)
        text = "\n".join(paragraphs(app))
        assert "\x1b" not in text and "[@click=app.quit]x second" in text and "What the ratings mean" not in text


async def rating(at: Screens) -> None:
    """An answer of the example, and the stop after all sixty."""
    await sees(at.pilot, "P: rate a sample")
    await at.go("P", *"kim", "enter")
    await at.see("rating_answer", "answer 1 of 60")
    await at.go(*"yn" * 29)
    await at.see("rating_answer_59", "answer 59 of 60")
    await at.go("y", "n")
    await at.see("rating_stop", "All 60 answers")


@pytest.mark.soak
@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
async def test_rating_is_as_on_file(size: tuple[int, int], made_marking: Path, place: Path) -> None:
    """The screens as text."""
    shutil.copytree(made_marking, place / "runs" / RUN)
    await walk_through(rating, size, place, "marking")
