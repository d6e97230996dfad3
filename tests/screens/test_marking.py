"""Laws of blind marking: nothing tells who answered or what the judge said, and each mark is on disk before the next answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from chat_run import MODELS, RUN
from screen import app_on, held, press, quick_app, screen_text, sees, told, wait_for
from snapshots import WALKED, Screens, walk_through
from textual.pilot import Pilot

from tui_eval.runs.person_marks import PERSON_MARKS
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.result.marking import MarkingScreen
from tui_eval.tui.screens.result.screen import ResultScreen
from tui_eval.tui.widgets.inspector import SectionsView

SIZE = (100, 40)


def chat_app(workspace: Path) -> EvalApp:
    """The app, opened on the run of conversations."""
    return quick_app(workspace, workspace / "runs" / RUN)


def lines_of(workspace: Path) -> list[dict[str, Any]]:
    """What is on file."""
    file = workspace / "runs" / RUN / PERSON_MARKS
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


async def begin(pilot: Pilot[Any], metric: str = "relevance", name: str = "", named: bool = False) -> None:
    """The first answer of the sample by a metric. `named`: whether the name was asked for before."""
    await sees(pilot, "all 5 measures")
    await press(pilot, "P")
    await sees(pilot, "Rate by which metric?" if named else "Your name or initials?")
    if not named:
        await press(pilot, *name, "enter")
        await sees(pilot, "Rate by which metric?")
    await press(pilot, "slash", *metric, "enter", "enter")
    await sees(pilot, f"{metric}, 1 to 5", "answer ", "Ground truth")


def said_in_full(app: EvalApp) -> str:
    """All that one can scroll to, beside what stands on the screen."""
    texts = [each.text for view in app.screen.query(SectionsView) for each in view._sections]
    return "\n".join([screen_text(app), *texts])


@pytest.mark.soak
async def test_nothing_tells_who_answered_or_what_the_judge_said(chat_workspace: Path) -> None:
    """Not over the whole sample, also where it is scrolled away: no name of a model, no id, no reason; foreign text is text."""
    reasons = {
        entry["reason"]
        for result in json.loads((chat_workspace / "runs" / RUN / "evaluation.json").read_text())["results"]
        for entry in result["metrics"].values()
        if entry["reason"]
    }
    app, seen = chat_app(chat_workspace), ""
    async with app.run_test(size=SIZE) as pilot:
        await begin(pilot)
        for number in range(1, 31):
            await sees(pilot, f"answer {number} of 30")
            text = said_in_full(app)
            assert not [name for name in (*MODELS, *MODELS.values(), "sim-arbiter", RUN) if name in text], text
            assert not [reason for reason in reasons if reason in text]
            assert "\x1b" not in text and "\x07" not in text
            seen += text
            await press(pilot, str(number % 6))
        await sees(pilot, "All 30 answers of the sample are rated", "alike", "person", "judge")
        await press(pilot, "q")
        await wait_for(pilot, lambda: isinstance(app.screen, ResultScreen))
    assert "[@click=app.quit]x" in seen and "When does gate 2 of the canal open?" in seen and "At 2 bells." in seen
    marks = [line["mark"] for line in lines_of(chat_workspace)]
    assert marks == [number % 6 or None for number in range(1, 31)]


@pytest.mark.soak
async def test_every_key_does_what_the_line_of_keys_says(chat_workspace: Path) -> None:
    """Digits mark and switch no screen, those that are no marks neither; Backspace takes back, as far as there is something."""
    app = chat_app(chat_workspace)
    async with app.run_test(size=SIZE) as pilot:
        await begin(pilot)
        assert "switch no screens" in screen_text(app).splitlines()[-2]
        keys = screen_text(app).splitlines()[-1]
        assert all(words in keys for words in ("1 to 5 rate", "0 Cannot tell", "Backspace Undo", "t Page", "q Leave"))
        await press(pilot, "backspace")
        await told(pilot, "nothing was rated before")
        for number, key in enumerate("123450", start=1):
            await press(pilot, key)
            await sees(pilot, f"answer {number + 1} of 30")
            assert lines_of(chat_workspace)[-1]["mark"] == (int(key) or None)
        await press(pilot, "6", "9")
        await told(pilot, "digits switch no screens here")
        assert isinstance(app.screen, MarkingScreen) and len(lines_of(chat_workspace)) == 6
        before = lines_of(chat_workspace)
        await press(pilot, "backspace", "backspace")
        await sees(pilot, "answer 5 of 30", "4 ratings over")
        assert lines_of(chat_workspace) == before[:4]
        await press(pilot, "t")
        await wait_for(pilot, lambda: "Ground truth" not in screen_text(app))
        await press(pilot, "t")
        await sees(pilot, "Ground truth", "▌Gate")
        await press(pilot, "question_mark")
        await sees(pilot, "Digits switch no screens")
        await press(pilot, "q", "escape")
        await wait_for(pilot, lambda: isinstance(app.screen, ResultScreen))


@pytest.mark.soak
async def test_it_is_taken_up_where_it_stopped(chat_workspace: Path) -> None:
    """The same sample in the same order, in another life of the app; another metric has the same answers, none marked."""
    app = chat_app(chat_workspace)
    async with app.run_test(size=SIZE) as pilot:
        await begin(pilot)
        await press(pilot, "3", "4")
        await sees(pilot, "answer 3 of 30")
    app = chat_app(chat_workspace)
    async with app.run_test(size=SIZE) as pilot:
        await begin(pilot)
        await sees(pilot, "answer 3 of 30", "2 ratings over")
        await press(pilot, "escape")
        await begin(pilot, "fluency", named=True)
        await sees(pilot, "answer 1 of 30", "0 ratings over")
        await press(pilot, "1")
        await sees(pilot, "answer 2 of 30")
    one, _, other = lines_of(chat_workspace)
    assert other["metric"] == "fluency" and other["mark"] == 1
    assert set(one) == {"item_id", "repeat", "turn", "model", "metric", "mark", "at", "stage", "claim", "person", "p", "of"}
    assert one["stage"] == "answer" and one["person"] == "" and one["p"] >= 1 / (2 * one["of"])


@pytest.mark.soak
async def test_what_cannot_be_kept_is_said_and_the_answer_stays(chat_workspace: Path) -> None:
    """Something else in the place of the file: a sentence, no mark, no step; once it is gone marking goes on."""
    place = chat_workspace / "runs" / RUN / PERSON_MARKS
    app = chat_app(chat_workspace)
    async with app.run_test(size=SIZE) as pilot:
        await begin(pilot)
        place.mkdir()
        await press(pilot, "3")
        await told(pilot, "this rating is not stored", PERSON_MARKS)
        assert "answer 1 of 30" in screen_text(app)
        place.rmdir()
        await press(pilot, "3")
        await sees(pilot, "answer 2 of 30")


async def test_a_run_that_goes_on_is_not_marked(chat_workspace: Path) -> None:
    """A sentence says when; a run without marks from 1 to 5 says that."""
    app = chat_app(chat_workspace)
    with held(chat_workspace / "runs" / RUN):
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "running")
            await press(pilot, "v")
            await sees(pilot, "all 5 measures")
            await press(pilot, "P")
            await told(pilot, "rated when it has ended")


async def test_a_run_of_right_and_wrong_has_nothing_to_mark(workspace: Path) -> None:
    """The key says so, and stands on no line of keys."""
    app = app_on(workspace)
    async with app.run_test(size=(140, 40)) as pilot:
        await sees(pilot, "small exam")
        await press(pilot, "enter")
        await sees(pilot, "[Summary]")
        assert "P Rate" not in screen_text(app)
        await press(pilot, "P")
        await told(pilot, "no answer of this run was judged by a model")


@pytest.mark.soak
async def test_marks_wait_until_they_are_counted(chat_workspace: Path) -> None:
    """Without marks there is nothing to count, and no key for it; with some the results say that they are not counted in."""
    app = chat_app(chat_workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "all 5 measures")
        assert "C Count" not in screen_text(app)
        await press(pilot, "C")
        await told(pilot, "no person has rated an answer of this run")
        await begin(pilot)
        await press(pilot, "C")
        await told(pilot, "nothing is rated yet")
        await press(pilot, "3")
        await sees(pilot, "answer 2 of 30", "C Count")
        await press(pilot, "q")
        await told(pilot, "1 rating of yours on file; C counts them into the tables")
        await sees(pilot, "1 rating of a person on file; these tables are older", "C Count ratings")


@pytest.mark.soak
async def test_marks_are_counted_into_the_tables_from_the_app(chat_workspace: Path) -> None:
    """A process of its own makes the tables anew and sends nothing; meanwhile that is said, then the new table stands there."""
    run, app = chat_workspace / "runs" / RUN, chat_app(chat_workspace)
    log = (run / "call_logs.jsonl").read_bytes()
    async with app.run_test(size=SIZE) as pilot:
        await begin(pilot)
        await press(pilot, "3", "4", "C")
        await sees(pilot, "[Tables]", "The judge beside a person", "being made anew")
        await press(pilot, "P")
        await told(pilot, "the ratings are being counted")
        await press(pilot, "C")
        await told(pilot, "its tables are being made anew")
        await told(pilot, "tables made anew, with 2 ratings of a person")
        await sees(pilot, "✓ done", "Enter: what a row rests on", "relevance")
        rows = json.loads((run / "report.json").read_text())["tables"]["person_checks"]["rows"]
        assert f"   {len(rows)} rows" in screen_text(app)
        await press(pilot, "escape", "shift+tab")
        await sees(pilot, "[Summary]", "all 5 measures")
        assert "C Count ratings" not in screen_text(app) and "these tables are older" not in screen_text(app)
    assert (run / "call_logs.jsonl").read_bytes() == log


@pytest.mark.soak
async def test_why_marks_could_not_be_counted_is_said(chat_workspace: Path) -> None:
    """The tables stay as they were, the marks on file; the key tries it again once the cause is gone."""
    run, app = chat_workspace / "runs" / RUN, chat_app(chat_workspace)
    config, report = (run / "config.toml").read_bytes(), (run / "report.json").read_bytes()
    (run / "config.toml").write_bytes(config + b"# changed\n")
    async with app.run_test(size=SIZE) as pilot:
        await begin(pilot)
        await press(pilot, "3", "C")
        await told(pilot, "the tables are as they were", "config.toml: was changed after the run")
        await sees(pilot, "The ratings are not counted in: ; says why, C tries it again", "C Count ratings")
        assert (run / "report.json").read_bytes() == report and len(lines_of(chat_workspace)) == 1
        (run / "config.toml").write_bytes(config)
        await press(pilot, "C")
        await told(pilot, "tables made anew, with 1 rating of a person")
        await sees(pilot, "Enter: what a row rests on")


@pytest.mark.soak
async def test_a_report_that_cannot_be_read_is_made_anew_from_the_app(chat_workspace: Path) -> None:
    """Its log is the truth; the same key does it, whether a person marked anything or not."""
    run, app = chat_workspace / "runs" / RUN, chat_app(chat_workspace)
    (run / "report.json").write_text("{")
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "report.json cannot be read. C derives it again")
        await press(pilot, "C")
        await sees(pilot, "all 5 measures")


async def marking(at: Screens) -> None:
    """Who marks, by what, an answer, one that is marked by it, a stop, what is said of marks; then a claim, yes or no."""
    await at.go("v")
    await sees(at.pilot, "all 5 measures")
    await at.go("P")
    await at.see("marking_name", "Your name or initials?")
    await at.go("k", "i", "m", "enter")
    await at.see("marking_metrics", "Rate by which metric?")
    await at.go("enter")
    await at.see("marking_answer", "answer 1 of 30")
    await at.go("4")
    await at.see("marking_second", "answer 2 of 30")
    await at.go(*("543" * 10)[1:])
    await at.see("marking_stop", "m rates on: ")
    await at.go("q")
    await at.see("marking_uncounted", "no run is running")
    await at.go("P", "slash", *"claims", "enter", "enter")
    await at.see("marking_yes_no", "answer 1 of")
    await at.go("y", "n")
    await at.see("marking_third_claim", "answer 3 of")


@pytest.mark.soak
@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
async def test_marking_is_as_on_file(size: tuple[int, int], made_chat: Path, place: Path) -> None:
    """The screens as text."""
    shutil.copytree(made_chat, place / "runs" / RUN)
    await walk_through(marking, size, place, "canal")
