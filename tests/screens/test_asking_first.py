"""Nothing goes to real models by a key before a person has read how many calls, of whom, at what cost, and said yes."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Served, serving, spoken_by
from made import CHOICE, cut_off, exam_config, make_run, write_exam
from screen import press, quick_app, screen_text, sees, toasts, told, wait_for
from setting_up import READY, setting_up
from snapshots import SIZES, Screens
from soaking import quick_first
from textual.pilot import Pilot

from tui_eval.runs.folder import LOG, MANIFEST, PROGRESS
from tui_eval.runs.steering import CONSOLE
from tui_eval.tui.background.jobs import CommandJob
from tui_eval.tui.screens.dialogs.confirm import Confirm
from tui_eval.tui.screens.resend.screen import ResendScreen
from tui_eval.tui.screens.runs import calls_question
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import Permit, record_of, trust_host

SIZE = (120, 40)
TUI = Path(calls_question.__file__).parents[2]


@asynccontextmanager
async def real_run(folder: Path, *, cut: int = 0, **run_table: Any) -> AsyncIterator[Served]:
    """A workspace with an exam of two models that a counting server speaks for; one of them failed. `cut`: its process was
    lost after so many attempts.
    """
    (folder / "runs").mkdir()
    async with serving(latency_scale=0.0) as served:
        write_exam(folder)
        config = exam_config(served.url)
        config["run"] |= {"retries": 0, **run_table}
        config["models"] = [spoken_by(served.url, "good", "sim-scholar"), spoken_by(served.url, "broken", "fault:500")]
        config["choice"]["models"] = ["good", "broken"]
        await make_run(folder / "runs" / CHOICE, config)
        if cut:
            cut_off(folder / "runs" / CHOICE, cut)
        yield served


async def requests(served: Served) -> int:
    """How many requests the server has had."""
    return int((await served.stats())["requests"])


async def answered(pilot: Pilot[Any], served: Served, key: str, *words: str) -> str:
    """Press a key twice: n to its question sends nothing; y does. Returns the question."""
    before = await requests(served)
    await press(pilot, key)
    await wait_for(pilot, lambda: isinstance(pilot.app.screen, Confirm), f"a question after {key}")
    await sees(pilot, "real model", "y  yes", *words)
    question = screen_text(pilot.app)  # type: ignore[arg-type]
    await press(pilot, "n")
    await wait_for(pilot, lambda: not isinstance(pilot.app.screen, Confirm))
    await asyncio.sleep(0.2)
    assert await requests(served) == before
    await press(pilot, key)
    await sees(pilot, "y  yes")
    await press(pilot, "y")
    async with asyncio.timeout(60):
        while await requests(served) == before:
            await asyncio.sleep(0.02)
    return question


OPENED = {"the run list": "", "the monitor": "enter", "the results": "v"}
"""By screen the key that leads there from the run list."""


@pytest.mark.parametrize("place", quick_first(list(OPENED)))
@pytest.mark.parametrize("key", ["R", pytest.param("r", marks=pytest.mark.soak)])
async def test_a_run_is_taken_up_again_only_once_that_is_confirmed(place: str, key: str, tmp_path: Path) -> None:
    """On every screen that has the key: calls, models and cost first; n sends nothing, y does, and not more than was said."""
    async with real_run(tmp_path, cut=3) as served:
        app = quick_app(tmp_path)
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "1 run")
            if OPENED[place]:
                await press(pilot, OPENED[place])
                await sees(pilot, "small exam")
            before = await requests(served)
            question = await answered(pilot, served, key, "to real models, at most", "$0.0000", "good")
            await told(pilot, "resumed")
            await wait_for(pilot, lambda: not app.run_actions.started)
        sent = await requests(served) - before
    most = re.search(r"at most ([\d,]+) with retries", question)
    assert most is not None and 0 < sent <= int(most[1].replace(",", ""))


@pytest.mark.soak
async def test_the_figures_are_those_of_the_run_itself(tmp_path: Path) -> None:
    """What the question says that may be sent is the cap that the session then makes for itself, and prints."""
    async with real_run(tmp_path) as served:
        app = quick_app(tmp_path)
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "1 run")
            question = await answered(pilot, served, "R", "3 calls to real models", "broken: 3 calls")
            await wait_for(pilot, lambda: not app.run_actions.started)
    asked = re.search(r"at most ([\d,]+) with retries", question)
    made = re.search(r"at most ([\d,]+) calls in this session", (tmp_path / "runs" / CHOICE / CONSOLE).read_text())
    assert asked is not None and made is not None and asked[1] == made[1]


@pytest.mark.soak
async def test_what_says_of_itself_that_it_is_simulated_is_not_believed(tmp_path: Path) -> None:
    """Files of a run folder that anybody may have written do not spare the question; its config says who is asked."""
    async with real_run(tmp_path) as served:
        path = tmp_path / "runs" / CHOICE
        for name in (MANIFEST, PROGRESS):
            found = json.loads((path / name).read_bytes())
            (path / name).write_text(json.dumps({**found, "simulated": True, "models": {}}))
        app = quick_app(tmp_path)
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "1 run", " sim ")
            await answered(pilot, served, "R", "3 calls to real models")
            await wait_for(pilot, lambda: not app.run_actions.started)


class Slow(CommandJob):
    """Counting that begins when the test says so."""

    held: list[Slow] = []

    def start(self) -> None:
        """Wait."""
        self.held.append(self)


async def test_a_yes_before_the_figures_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The question stands there at once, counting beside it; y before what it is about could be read is told so."""
    monkeypatch.setattr(calls_question, "CommandJob", Slow)
    Slow.held.clear()
    async with real_run(tmp_path) as served:
        before = await requests(served)
        app = quick_app(tmp_path)
        async with app.run_test(size=(80, 24)) as pilot:
            await sees(pilot, "1 run")
            await press(pilot, "R")
            assert "counting" in screen_text(app)
            await press(pilot, "y", "y")
            await sees(pilot, "still counting", "Send calls of")
            await wait_for(pilot, lambda: Slow.held)
            CommandJob.start(Slow.held[0])
            await sees(pilot, "3 calls to real models", "y  yes")
            assert not app.run_actions.started and await requests(served) == before
            await press(pilot, "escape")
            await wait_for(pilot, lambda: not isinstance(app.screen, Confirm))
            await press(pilot, "R")
            await wait_for(pilot, lambda: len(Slow.held) == 2)
            await press(pilot, "escape")
            await wait_for(pilot, lambda: not isinstance(app.screen, Confirm))
            assert not Slow.held[1].running and not app.run_actions.started
        assert await requests(served) == before


async def test_what_cannot_be_counted_says_why_and_sends_nothing(tmp_path: Path) -> None:
    """The reason stands in the question's place, whatever is pressed; no lets it go."""
    async with real_run(tmp_path) as served:
        config = tmp_path / "runs" / CHOICE / "config.toml"
        config.write_text(config.read_text().replace("small exam", "smaller exam"))
        before = await requests(served)
        app = quick_app(tmp_path)
        async with app.run_test(size=(80, 24)) as pilot:
            await sees(pilot, "1 run")
            await press(pilot, "R")
            await sees(pilot, "cannot go on", "was changed after the run")
            await press(pilot, "y")
            await sees(pilot, "cannot go on")
            await press(pilot, "n")
            await wait_for(pilot, lambda: not isinstance(app.screen, Confirm))
            assert not app.run_actions.started and await requests(served) == before


@pytest.fixture
async def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, shown as ~/here, with a run at a host that nobody said yes to there; a line of its log is damaged."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LAB_TOKEN", "canary-of-a-lab")
    for name in ("there", "here"):
        (tmp_path / name / "runs").mkdir(parents=True)
    write_exam(tmp_path / "there")
    config = exam_config("")
    trust_host(Workspace(tmp_path / "there"), "127.0.0.2:9", ["LAB_TOKEN"])
    config["run"] |= {"retries": 0}
    config["models"] = [spoken_by("http://127.0.0.2:9/v1", "lab", "any", api_key_env="LAB_TOKEN")]
    config["choice"]["models"] = ["lab"]
    await make_run(tmp_path / "there" / "runs" / CHOICE, config)
    path = (tmp_path / "there" / "runs" / CHOICE).rename(tmp_path / "here" / "runs" / CHOICE)
    lines = (path / LOG).read_bytes().splitlines(keepends=True)
    (path / LOG).write_bytes(b"".join([lines[0], lines[1][:-40] + b"\n", *lines[2:]]))
    return tmp_path / "here"


async def test_the_question_is_as_on_file(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a yes is to stands there before the key for it does, at 80 columns; wider, the list below says when."""
    monkeypatch.setattr(calls_question, "CommandJob", Slow)
    Slow.held.clear()
    app = quick_app(lab)
    async with app.run_test(size=SIZES[0]) as pilot:
        screens = Screens(pilot)
        await sees(pilot, "1 run")
        await screens.go("R")
        await screens.see("calls_counting", "counting")
        await wait_for(pilot, lambda: Slow.held)
        CommandJob.start(Slow.held[0])
        await screens.see("calls_question", "y  yes")
    assert not screens.wrong, "\n\n".join(["", *screens.wrong])


@pytest.mark.soak
async def test_destroyed_lines_and_a_first_host_are_part_of_the_question(lab: Path) -> None:
    """One yes is to all that the question says: calls that are paid for again, and a value that goes where it never went."""
    path = lab / "runs" / CHOICE
    here, app = Workspace(lab), quick_app(lab)
    token = Permit("key", "LAB_TOKEN", "127.0.0.2:9")
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "1 run")
        await press(pilot, "R")
        await sees(
            pilot, "FOR THE FIRST TIME: to 127.0.0.2:9: the value of", "line 2 cannot be read", "and pays for them", "y  yes"
        )
        await press(pilot, "n")
        await wait_for(pilot, lambda: not isinstance(app.screen, Confirm))
        assert not record_of(here.root).allows(token) and not app.run_actions.started
        await press(pilot, "R")
        await sees(pilot, "y  yes")
        await press(pilot, "y")
        await told(pilot, "resumed")
        assert record_of(here.root).allows(token)
        await wait_for(pilot, lambda: not app.run_actions.started)
    assert "a sound copy" not in (path / CONSOLE).read_text()


async def test_a_call_is_sent_again_only_once_that_is_confirmed(tmp_path: Path) -> None:
    """The same of one call, with where it goes."""
    async with real_run(tmp_path) as served:
        app = quick_app(tmp_path)
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "1 run")
            await press(pilot, "G", "L")
            await wait_for(pilot, lambda: app.opened is not None and app.opened.index.read == app.opened.index.lines > 0)
            await press(pilot, "g", "e")
            await wait_for(pilot, lambda: isinstance(app.screen, ResendScreen))
            await sees(pilot, "1 call, ")
            await answered(pilot, served, "s", "1 call to a real model", "-> 127.0.0.1")
            await wait_for(pilot, lambda: not app.run_actions.started)


@pytest.mark.parametrize("key", [pytest.param("c", marks=pytest.mark.soak), "C"])
async def test_models_are_checked_only_once_that_is_confirmed(key: str, tmp_path: Path) -> None:
    """The same of the tiny questions of a check; what is simulated is asked at once."""
    async with serving(latency_scale=0.0) as served:
        (tmp_path / ".conf").mkdir()
        models = f'[[models]]\nname = "real"\nmodel = "sim-scholar"\nwire = "openai"\nbase_url = "{served.url}"\n'
        (tmp_path / ".conf" / "models.toml").write_text(models)
        app = quick_app(tmp_path)
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, "1")
            await sees(pilot, "1 model ")
            await answered(pilot, served, key, "Ask real?", "at most 14", "most $0.0000", "-> 127.0.0.1")
            await told(pilot, "1 of 1 answer")


async def test_a_new_run_begins_only_once_that_is_confirmed(tmp_path: Path) -> None:
    """The same of F5."""
    async with serving(latency_scale=0.0) as served:
        write_exam(tmp_path)
        config = (
            'kind = "choice"\nname = "first"\n[[models]]\nname = "real"\nmodel = "sim-scholar"\nwire = "openai"\n'
            f'base_url = "{served.url}"\n[choice]\nbenchmark = "exam.json"\nmodels = ["real"]\n'
        )
        (tmp_path / "first.toml").write_text(config)
        async with setting_up(tmp_path, "first.toml", size=SIZE) as pilot:
            await sees(pilot, READY)
            await answered(pilot, served, "f5", "calls to real models")


BEGINS = {("steering", "resume"), ("preparing", "start"), ("resend", "send")}
"""What begins a process that sends: no other module of the app's has a name for it."""
SENDS = {
    ("screens/runs/run_actions.py", "_take_up"),
    ("screens/resend/screen.py", "_begin"),
    ("screens/setup/screen.py", "_start"),
}
"""Where the app calls these, each shown above to wait for a yes."""
CHILDREN = {
    "screens/runs/calls_question.py": "--dry-run",
    "screens/bench/bench_reading.py": "--replies",
    "screens/bench/rule_trial.py": "rescore",
    "screens/bench/taking.py": "--dry-run",
    "screens/models/checks.py": "check",
    "screens/models/model_import.py": "discover",
    "screens/result/file_list.py": "export",
}
"""Other commands that are child processes of the app, by a word of theirs: all but `check` ask no model."""


PROGRAMS = {"background/jobs.py", "notifications.py", "foreground.py"}
"""Modules that start processes themselves: other programs, but for `jobs.py`, which starts the children above."""


def test_whatever_begins_to_send_is_among_what_asks_first() -> None:
    """A place that begins sending and is not listed here has no test above: it would be a key without a question."""
    found, children, programs = set(), set(), set()
    for file in TUI.rglob("*.py"):
        name, tree = file.relative_to(TUI).as_posix(), ast.parse(file.read_text(encoding="utf-8"))
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and _calls(function, BEGINS):
                found.add((name, function.name))
        if _calls(tree, {("", "CommandJob")}):
            children.add(name)
        if {"subprocess", "multiprocessing"} & _imported(tree):
            programs.add(name)
    assert (found, children, programs) == (SENDS, set(CHILDREN), PROGRAMS)
    assert all(word in (TUI / name).read_text(encoding="utf-8") for name, word in CHILDREN.items())


def _imported(tree: ast.AST) -> set[str]:
    """Packages that a module imports."""
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return plain | {
        node.module.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
    }


def _calls(tree: ast.AST, names: set[tuple[str, str]]) -> bool:
    """Whether one of these is called in it, or handed on to be called."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return any(_named(each) in names for node in calls for each in (node.func, *node.args) if isinstance(each, ast.expr))


def _named(node: ast.expr) -> tuple[str, str]:
    if isinstance(node, ast.Attribute):
        return (node.value.id if isinstance(node.value, ast.Name) else "", node.attr)
    return "", node.id if isinstance(node, ast.Name) else ""


async def test_what_is_simulated_starts_at_once(workspace: Path) -> None:
    """No question where nobody is paid."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "R")
        await told(pilot, "resumed")
        assert not isinstance(app.screen, Confirm) and len(toasts(app)) == 1
        await wait_for(pilot, lambda: not app.run_actions.started)
