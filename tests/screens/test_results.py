"""The results of a run by keyboard alone: summary, tables, what a number rests on, answers, charts, files."""

from __future__ import annotations

import asyncio
import csv
import json
import re
import shutil
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from screen import press, screen_text, sees, wait_for
from soaking import quick_first
from textual.pilot import Pilot

from tui_eval.configuring import preparing
from tui_eval.configuring.loading import load
from tui_eval.core.plaintext import csv_cell
from tui_eval.engine.run import run
from tui_eval.results.answer_search import Basis
from tui_eval.results.stored_run import StoredRun
from tui_eval.runs.files import MOST
from tui_eval.simulator.server import Simulator
from tui_eval.tui.app import EvalApp
from tui_eval.tui.background.slices import go_on
from tui_eval.tui.report_rows import Report
from tui_eval.tui.screens.result.answer_list import AnswersPart
from tui_eval.tui.screens.result.basis import BasisScreen
from tui_eval.tui.screens.result.file_list import FilesPart
from tui_eval.tui.screens.result.result_charts import CHARTS
from tui_eval.tui.screens.result.screen import ResultScreen
from tui_eval.tui.screens.result.text_reader import ReaderScreen
from tui_eval.tui.screens.runs.screen import RunsScreen
from tui_eval.tui.widgets.filter import FilterLine
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import RowTable
from tui_eval.workspace.keys import Keys
from tui_eval.workspace.places import Workspace, shipped

PANEL = "20260103_100000_cccc_quickstart"
HOSTILE = "[red]\x1b]52;c;aGk=\x07 \u202egnp\u202c [/] \ud800 [@click=app.quit]x[/]"
SIZE = (80, 24)


async def _make(root: Path) -> None:
    simulator = Simulator(latency_scale=0.0)
    url = await simulator.start()
    examples = shipped("examples")
    config = tomllib.loads((examples / "quickstart.toml").read_text())
    for model in config["models"]:
        model["base_url"] = url
    panel = config["panel"]
    panel["documents"] = [str(examples / name) for name in panel["documents"]]
    panel["questions_file"], panel["truths_file"] = (str(examples / panel[name]) for name in ("questions_file", "truths_file"))
    try:
        (root / "panel.toml").write_text(tomli_w.dumps(config))
        loaded = load(root / "panel.toml", Workspace(root))
        keys = Keys([], loaded.key_files)
        preparing.prepare(loaded, root / "runs" / PANEL, keys.redact, [])
        await run(root / "runs" / PANEL, loaded, keys)
    finally:
        await simulator.stop()


@pytest.fixture(scope="module")
def panel_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A panel with truths, run once; not to be changed."""
    root = tmp_path_factory.mktemp("panel")
    (root / "runs").mkdir()
    asyncio.run(_make(root))
    return root / "runs" / PANEL


@pytest.fixture
def both(workspace: Path, panel_run: Path) -> Path:
    """A workspace with a panel and an exam."""
    shutil.copytree(panel_run, workspace / "runs" / PANEL)
    return workspace


def folder(workspace: Path, name: str) -> Path:
    return next((workspace / "runs").glob(f"*_{name}"))


def app_on(workspace: Path) -> EvalApp:
    """The app, which looks more often than people need."""
    app = EvalApp(Workspace(workspace))
    app.every_s = 0.03
    return app


async def open_results(pilot: Pilot[Any], app: EvalApp, path: Path) -> None:
    """Find a run in the list of runs, and open it."""
    await wait_for(pilot, lambda: isinstance(app.screen, RunsScreen) and app.screen.chosen)
    screen = app.screen
    assert isinstance(screen, RunsScreen)
    for _ in range(3):
        if screen.chosen is None or screen.chosen.path.name != path.name:
            await press(pilot, "j")
    await press(pilot, "enter")
    await sees(pilot, "[Summary]")


@pytest.mark.soak
@pytest.mark.parametrize("name", quick_first(["quickstart", "exam"]))
async def test_every_accuracy_opens_to_as_many_scores_as_it_says(both: Path, name: str) -> None:
    """Each row of accuracies rests on as many scores with a value as its n says; from the summary, Enter leads to them."""
    path = folder(both, name)
    accuracy = Report(json.loads((path / "report.json").read_text())).tables["accuracy"]
    answers = StoredRun(path / "results.jsonl")
    for row in range(len(accuracy.rows)):
        basis = Basis(answers, accuracy.rest(row) or {})
        go_on(lambda basis=basis: (answers, basis), lambda: False)  # type: ignore[misc]
        assert basis.valued == accuracy.values(row)["accuracy"].n
    app = app_on(both)
    async with app.run_test(size=SIZE) as pilot:
        await open_results(pilot, app, path)
        await sees(pilot, "95 % interval", "Simulated")
        await press(pilot, "j", "enter")
        await wait_for(pilot, lambda: isinstance(app.screen, BasisScreen))
        n = accuracy.values(1)["accuracy"].n
        await sees(pilot, f"rests on {n} scores", f"n = {n}")
        await press(pilot, "tab", "tab", "w")
        await wait_for(pilot, lambda: isinstance(app.focused, RowTable))
        file = both / "exports" / path.name / "accuracy-row-2-scores.csv"
        await wait_for(pilot, lambda: file.exists() and len(scores_in(file)) == basis_of(app).count)
        assert_whole_scores(scores_in(file), basis_of(app), n)
        assert app.screen.query_one("#about", Lines).text.startswith("simulated  ")
        assert ("read as" in screen_text(app)) == any(score["read"] for score in scores_in(file))
        if n:
            await press(pilot, "enter")
            await wait_for(pilot, lambda: isinstance(app.screen, BasisScreen) and app.screen.in_inspector)
            await sees(pilot, "ASKED", "TRUTH", "simulated")
            assert isinstance(app.screen, BasisScreen)
            assert "\nSimulated: no model was asked.\n" in app.screen.dossier_text
            await press(pilot, "q")
        await press(pilot, "q", "q")
        await wait_for(pilot, lambda: isinstance(app.screen, RunsScreen))


def scores_in(file: Path) -> list[dict[str, str]]:
    """The rows of a written table, as a program reads them."""
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def basis_of(app: EvalApp) -> Basis:
    """What the row that is open rests on."""
    assert isinstance(app.screen, BasisScreen) and app.screen.basis is not None
    return app.screen.basis


def assert_whole_scores(written: list[dict[str, str]], basis: Basis, n: int | None) -> None:
    """Each score has its value as a number, the whole of the reply it belongs to, and says that it is simulated."""
    assert sum(score["value"] != "" for score in written) == n
    for place, score in enumerate(written):
        row, mark = basis.at(place) or (-1, -1)
        item = basis.stored.sample(row)
        assert item is not None
        answer = item.answer_of(item.marks[mark])
        assert score["simulated"] == "true" and score["value"] in ("", "0", "1", "0.0", "1.0")
        assert score["answer"].removeprefix("'") == safe_cell(answer.text if answer else None)


def safe_cell(value: str | None) -> str:
    """A text as a cell of a CSV file, without the sign that keeps it from being run."""
    return str(csv_cell(value or "")).removeprefix("'")


@pytest.mark.soak
async def test_a_file_that_appears_moves_no_cursor(both: Path) -> None:
    """The cursor stays on its file when others come before it, and more files than are listed are told."""
    path = folder(both, "exam")
    app = app_on(both)
    async with app.run_test(size=(120, 30)) as pilot:
        await open_results(pilot, app, path)
        await press(pilot, "shift+tab", "shift+tab")
        await sees(pilot, "accuracy.csv")
        await press(pilot, "j")
        chosen = app.screen.query_one(FilesPart).chosen
        assert chosen is not None
        (path / "0-before.csv").write_text("")
        await sees(pilot, "0-before.csv")
        after = app.screen.query_one(FilesPart).chosen
        assert after is not None and after.name == chosen.name
        assert chosen.name in app.screen.query_one("#path", Lines).text and "of more" not in screen_text(app)
        (path / "many").mkdir()
        for number in range(MOST):
            (path / "many" / f"{number}").touch()
        await sees(pilot, "the first 2,000 of more")


async def test_a_file_on_demand_is_made_when_it_is_opened(both: Path) -> None:
    """It stands in the list without a size; Enter makes it in the exports folder, and reads it there."""
    path = folder(both, "exam")
    app = app_on(both)
    async with app.run_test(size=(120, 50)) as pilot:
        await open_results(pilot, app, path)
        await press(pilot, "shift+tab", "shift+tab")
        await sees(pilot, "made by Enter")
        part = app.screen.query_one(FilesPart)
        await press(pilot, "end")
        assert part.chosen is not None and part.chosen.name in part.result.on_demand

        await press(pilot, "enter")
        await sees(pilot, "written to")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: isinstance(app.screen, ReaderScreen))

        (made,) = (both / "exports" / path.name).iterdir()
        assert made.name == part.chosen.name and made.stat().st_size > 0
        assert part.chosen.name not in {file.name for file in path.iterdir()}


@pytest.mark.soak
async def test_tables_are_opened_and_written(both: Path) -> None:
    """Every table is listed by its title; one is opened, its rows lead to their scores, and it is written as CSV."""
    app = app_on(both)
    path = folder(both, "exam")
    async with app.run_test(size=SIZE) as pilot:
        await open_results(pilot, app, path)
        await press(pilot, "tab")
        await sees(pilot, "[Tables]", "Pairs of models", "Calls by stage and model")
        await press(pilot, "enter")
        await sees(pilot, "Accuracy by model", "Enter: what a row rests on", "███")
        await press(pilot, "w")
        file = both / "exports" / folder(both, "exam").name / "accuracy.csv"
        await wait_for(pilot, file.exists)
        await wait_for(pilot, lambda: len(scores_in(file)) == 3)
        assert list(scores_in(file)[0]) == list(scores_in(path / "accuracy.csv")[0])
        assert all(row["simulated"] == "true" for row in scores_in(file))
        await press(pilot, "enter")
        await sees(pilot, "mean over questions of right /", "rests on 3 scores")
        await press(pilot, "escape", "escape")
        await sees(pilot, "Pairs of models")
        await press(pilot, "G", "enter")
        await sees(pilot, "Calls by stage and model", "model id")
        await press(pilot, "enter")
        await wait_for(pilot, lambda: app.current_mode == "log")
        await sees(pilot, 'stage="answer"')


@pytest.mark.parametrize("size", [SIZE, (120, 40)])
async def test_the_summary_says_which_gates_hold(both: Path, size: tuple[int, int]) -> None:
    """How many hold, then each with its verdict in a word, those that do not hold first; hostile names stay on their line."""
    path = folder(both, "exam")
    report = json.loads((path / "report.json").read_text())
    gate = {
        "name": "correct",
        "metric": "correct",
        "stage": "answer",
        "found": "70.0 % [58.0, 80.1]",
        "wanted": ">= 80 %",
        "n": 60,
    }
    ends = [("PASS", True, "good", ""), ("FAIL", False, HOSTILE, ""), ("INCONCLUSIVE", False, "few", "about 90 more questions")]
    report["gates"] = [{**gate, "verdict": v, "passed": p, "model": m, "text": t} for v, p, m, t in ends]
    (path / "report.json").write_text(json.dumps(report))
    app = app_on(both)
    async with app.run_test(size=size) as pilot:
        await open_results(pilot, app, path)
        await sees(
            pilot, "gates of answer: 1 passed, 1 failed, 1 inconclusive", "INCONCLUSIVE correct of few: 70.0 %", "about 90"
        )
        shown = screen_text(app)
        assert shown.index("FAIL correct of [red]") < shown.index("PASS correct of good")
        assert not any(sign in shown for sign in HOSTILE if not sign.isprintable())


async def test_answers_are_filtered_and_opened(both: Path) -> None:
    """Items are found by words, opened one after the other, written to files beside one another, and lead to their calls."""
    app = app_on(both)
    path = folder(both, "quickstart")
    async with app.run_test(size=(100, 30)) as pilot:
        await open_results(pilot, app, path)
        await press(pilot, "tab", "tab")
        await sees(pilot, "[Answers]", "12 samples", "Who keeps the harbour log")
        await press(pilot, "slash", *"rudder")
        await wait_for(pilot, lambda: re.search(r"\b[1-9] of 12 samples", screen_text(app)))
        assert isinstance(app.focused, FilterLine)
        await press(pilot, "enter", "enter")
        await sees(pilot, "ASKED", "rudder", "arbiter · final")
        part = app.screen.query_one(AnswersPart)
        text = part.dossier_text
        assert text.index("arbiter · final") < text.index("scholar · doer") < text.index("contrarian · judge")
        await press(pilot, "w", "J", "w")
        exports = both / "exports" / PANEL
        await wait_for(pilot, lambda: len(list(exports.glob("sample-*.txt"))) == 2)
        await press(pilot, "L")
        await wait_for(pilot, lambda: app.current_mode == "log")
        await sees(pilot, 'item="harbour/', "calls of harbour/")


@pytest.mark.soak
async def test_charts_are_turned_and_written(both: Path) -> None:
    """Charts follow one another, each with its n; another group is chosen by keys; what is shown can be written."""
    app, many = app_on(both), len(CHARTS)
    path = folder(both, "exam")
    async with app.run_test(size=SIZE) as pilot:
        await open_results(pilot, app, path)
        await press(pilot, "tab", "tab", "tab")
        await sees(pilot, f"1 of {many}", "Accuracy with intervals", "●", "n = 3", "Simulated")
        await press(pilot, "right")
        await sees(pilot, f"2 of {many}", "Latency distribution", "good attempts", "█")
        await press(pilot, "l")
        await sees(pilot, f"3 of {many}", "Cost against accuracy")
        await press(pilot, "l")
        await sees(pilot, f"4 of {many}", "Accuracy by difficulty", "easy (1)")
        await press(pilot, "j")
        await sees(pilot, "Accuracy by domain", "Rock (3)", "a ")
        await press(pilot, "w")
        await wait_for(pilot, (both / "exports" / folder(both, "exam").name / "chart-4.txt").exists)
        await press(pilot, "l", "h", "h")
        await sees(pilot, f"3 of {many}")
        for size in ((60, 20), (20, 5), (200, 50)):
            await pilot.resize_terminal(*size)
            await wait_for(pilot, lambda size=size: app.screen.size == size)
        await sees(pilot, f"3 of {many}")


@pytest.mark.soak
async def test_files_are_shown_and_exported(both: Path) -> None:
    """Every file stands there with its path; one is read as text, and copied beside an earlier copy."""
    path = folder(both, "quickstart")
    (path / "odd\x1b[2J\u202e name").write_text(HOSTILE, errors="backslashreplace")
    app = app_on(both)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_results(pilot, app, path)
        await press(pilot, "shift+tab", "shift+tab")
        await sees(
            pilot,
            "[Files]",
            "every attempt: request, reply, usage, timing",
            "accuracy.csv",
            "Accuracy by stage and model (csv)",
        )
        await sees(pilot, str(path.resolve() / "accuracy.csv")[:60])
        await press(pilot, "w", "w")
        await wait_for(pilot, (both / "exports" / path.name / "accuracy-2.csv").exists)
        await press(pilot, "enter")
        await sees(pilot, "stage,model,model_id")
        await press(pilot, "escape")
        await wait_for(pilot, lambda: isinstance(app.screen, ResultScreen))
        for _ in range(80):
            if "›odd␛" in screen_text(app):
                break
            await press(pilot, "j")
            await pilot.pause(0.05)
        await press(pilot, "enter")
        await sees(pilot, "[red]␛]52;c;aGk=")


async def test_hostile_texts_are_plain_texts(both: Path) -> None:
    """Mark-up, escapes and reversed text in questions, answers, models, titles and notes are shown, and do nothing."""
    path = folder(both, "exam")
    report = json.loads((path / "report.json").read_text())
    found = report["tables"]["accuracy"]
    found["title"], found["note"] = HOSTILE, HOSTILE
    for cell in (cell for row in found["rows"] for cell in row if isinstance(cell["value"], str)):
        cell["value"] = HOSTILE
    report["headline"] = [{**found, "columns": [HOSTILE] * len(found["columns"])}]
    (path / "report.json").write_text(json.dumps(report))
    lines = [json.loads(line) for line in (path / "results.jsonl").read_text().splitlines()]
    for line in lines:
        line.update(question=HOSTILE, doc_id=HOSTILE, truth=HOSTILE)
        line["replies"][0].update(text=HOSTILE, model=HOSTILE, why=HOSTILE)
        line["scores"][0].update(model=HOSTILE, why=HOSTILE, read=HOSTILE)
    (path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    app = app_on(both)
    seen = []
    async with app.run_test(size=(120, 40)) as pilot:
        await open_results(pilot, app, path)
        await sees(pilot, "[Summary]", "95 % interval")
        for keys in ((), ("enter",), ("q", "tab"), ("enter",), ("escape", "tab"), ("enter",), ("q", "tab"), ("l", "l"), ("l",)):
            await press(pilot, *keys)
            await pilot.pause()
            seen.append(screen_text(app))
        await sees(pilot, "[Charts]")
    assert sum("[red]␛]52" in text for text in seen) >= 5
    assert not any(sign in text for text in seen for sign in ("\x1b", "\x07", "\u202e", "\ud800"))


@pytest.mark.soak
async def test_a_run_without_a_report_shows_what_there_is(both: Path) -> None:
    """Without report.json the answers are there, counted; garbage lines are told; what comes later appears by itself."""
    path = folder(both, "exam")
    whole = (path / "results.jsonl").read_bytes()
    report = (path / "report.json").read_bytes()
    (path / "report.json").unlink()
    first = whole.index(b"\n") + 1
    (path / "results.jsonl").write_bytes(whole[:first] + b'{"garbage\n\xff\xfe\n[]\n')
    app = app_on(both)
    async with app.run_test(size=SIZE) as pilot:
        await open_results(pilot, app, path)
        await sees(pilot, "has no report yet", "right so far", "r takes it up again")
        await press(pilot, "tab")
        await sees(pilot, "no tables")
        await press(pilot, "tab")
        await sees(pilot, "4 samples", "damaged")
        await press(pilot, "G", "enter")
        await sees(pilot, "is no sample")
        await press(pilot, "escape")
        with (path / "results.jsonl").open("ab") as stream:
            stream.write(whole[first:])
        lines = 3 + whole.count(b"\n")
        await sees(pilot, f"{lines} samples")
        (path / "report.json").write_bytes(b'{"tables": 7')
        await press(pilot, "shift+tab", "shift+tab")
        await sees(pilot, "cannot be read", "rescore")
        (path / "results.jsonl").write_bytes(whole)
        (path / "report.json").write_bytes(report)
        await sees(pilot, "95 % interval")


FALSE_WHILE_READING = ("cannot be read", "o report", "made of the report", "No sample", "No answer", " - of ", "not written")
"""Words about what is missing or broken, of which nothing is known before it was read."""


@pytest.mark.parametrize("turns", range(7))
async def test_what_is_still_being_read_is_not_called_broken(turns: int, both: Path) -> None:
    """A big report and many samples: each part says that they are being read until they are; C and P wait for that, too."""
    path = folder(both, "exam")
    report = json.loads((path / "report.json").read_text())
    letters = report["tables"]["letters"]
    letters["rows"], letters["rests_on"] = letters["rows"] * 6_000, letters["rests_on"] * 6_000
    (path / "report.json").write_text(json.dumps(report))
    (path / "results.jsonl").write_bytes((path / "results.jsonl").read_bytes() * 2_000)
    app = app_on(both)
    app.every_s = 0.01
    texts: list[str] = []

    async with app.run_test(size=(120, 40)) as pilot:
        await wait_for(pilot, lambda: isinstance(app.screen, RunsScreen) and app.screen.chosen)
        table = app.screen.query_one("#runs", RowTable)
        table.move([entry.path for entry in app.board.entries].index(path))
        keys = asyncio.create_task(press(pilot, "enter", *["tab"] * turns, "C", "P"))
        while not keys.done() or not (result := app.screen._result).report.there or result.answers.behind():  # type: ignore[attr-defined]
            texts.append(screen_text(app))
            await asyncio.sleep(0.001)
        await sees(pilot, "[")
    assert any("being read" in text for text in texts), "it was read too quickly to be seen"
    false = [(words, text) for text in texts for words in FALSE_WHILE_READING if words in text]
    assert not false, "\n".join(false[0])


async def test_an_older_report_is_shown_without_its_scores(both: Path) -> None:
    """A report that says of no row what it rests on is shown, and a row says that it does not know."""
    path = folder(both, "exam")
    report = json.loads((path / "report.json").read_text())
    for found in report["tables"].values():
        del found["rests_on"]
    del report["headline"]
    (path / "report.json").write_text(json.dumps(report))
    app = app_on(both)
    async with app.run_test(size=SIZE) as pilot:
        await open_results(pilot, app, path)
        await sees(pilot, "95 % interval")
        await press(pilot, "enter")
        await sees(pilot, "does not say which scores this row rests on", "n = 3")


@pytest.mark.soak
async def test_a_hundred_thousand_items_hold_up_no_key(both: Path) -> None:
    """A large file of answers shows its first page before it is read, and is filtered while keys are answered."""
    path = folder(both, "exam")
    line = (path / "results.jsonl").read_bytes().split(b"\n")[0] + b"\n"
    with (path / "results.jsonl").open("wb") as stream:
        for _ in range(100):
            stream.write(line * 1000)
        stream.write(line.replace(b"rock number", b"zq number"))
    app = app_on(both)
    async with app.run_test(size=(120, 30)) as pilot:
        await open_results(pilot, app, path)
        await press(pilot, "tab", "tab")
        await sees(pilot, "rock number")
        await sees(pilot, "100,001 samples")
        await press(pilot, "slash", "z", "q", "enter")
        began = time.monotonic()
        await press(pilot, "j", "k")
        assert time.monotonic() - began < 20
        await sees(pilot, "1 of 100,001 samples", "zq number")
        await press(pilot, "escape")
        await sees(pilot, "100,001 samples", "Which share of rock")
