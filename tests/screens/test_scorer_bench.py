"""The scorer bench by keyboard alone: scorers side by side, blind ratings, disputed replies, and a scorer that is taken."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from screen import app_on, held, press, screen_text, sees, told, wait_for
from ships_run import N, stored_ships
from snapshots import GOLDEN, WALKED, Screens, walk_through
from textual.pilot import Pilot

from tui_eval.reporting.scorer_bench import BenchAnswer
from tui_eval.runs.folder import PROGRESS
from tui_eval.runs.scorer_ratings import SCORER_RATINGS, scorer_ratings
from tui_eval.tui.app import EvalApp
from tui_eval.tui.sanitize import safe
from tui_eval.tui.screens.bench.blind import BlindRatingScreen
from tui_eval.tui.screens.bench.scorer_rows import answer_paragraphs
from tui_eval.tui.screens.bench.screen import ScorerBenchScreen
from tui_eval.tui.screens.setup.screen import SetupScreen
from tui_eval.tui.widgets.text import Reading

RUN = "20260102_030405_c3c3_ships"
HIDDEN = ("scholar", "sprinter", "contains", "exact", "correct", "agree", "differ", "strat")
WIDE = pytest.param((200, 50), marks=pytest.mark.soak)


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the run and its config; not to be changed."""
    root = tmp_path_factory.mktemp("ships") / "ws"
    stored_ships(root, root / "runs" / RUN)
    return root


@pytest.fixture
def ships(stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The run in a workspace of one's own that is shown as ~/ws."""
    monkeypatch.setenv("HOME", str(tmp_path))
    shutil.copytree(stored, tmp_path / "ws")
    return tmp_path / "ws" / "runs" / RUN


def app_of(run: Path) -> EvalApp:
    """The app on a run."""
    return app_on(run.parent.parent, run)


async def to_the_bench(pilot: Pilot[Any]) -> None:
    """From a run's results to its bench."""
    await sees(pilot, "[Summary]")
    await press(pilot, "b")
    await sees(pilot, "[Scorers] Disputed replies", "correct (run)")


async def begin_rating(pilot: Pilot[Any], name: str = "kim") -> None:
    """The first reply, once the name was asked for."""
    await press(pilot, "r")
    await sees(pilot, "Your name or initials?")
    await press(pilot, *name, "enter")
    await sees(pilot, "1 of 20", name)


def texts(app: EvalApp) -> list[str]:
    """All that one can scroll to."""
    return [text for reading in app.screen.query(Reading) for text, _ in reading._paragraphs]


def key_for(app: EvalApp) -> str:
    """What a person presses who sees target and reply."""
    shown = texts(app)
    target, reply = (shown[shown.index(title) + 1] for title in ("Target", "Reply"))
    return "y" if reply.rstrip(".").split()[-1] == target else "n"


async def rate(pilot: Pilot[Any], app: EvalApp, n: int = 20) -> None:
    """Rate what is shown as it is."""
    for number in range(1, n + 1):
        await sees(pilot, f"{number} of {n}")
        await press(pilot, key_for(app))
    await sees(pilot, "[Scorers]")


def own_files(run: Path) -> dict[str, bytes]:
    """Every file of a run but its lock."""
    return {str(file.relative_to(run)): file.read_bytes() for file in run.rglob("*") if file.is_file() and file.name != "lock"}


async def test_scorers_stand_side_by_side(ships: Path) -> None:
    """With what each costs, and how often it passes shuffled targets; nothing of the run changes, nothing is rated yet."""
    before = own_files(ships)
    app = app_of(ships)
    async with app.run_test(size=(120, 40)) as pilot:
        await to_the_bench(pilot)
        await sees(
            pilot, f"{2 * N} replies of 2 models; scorers differ on {N} (50.0 %)", "No ratings yet", "lenient", "$/1,000"
        )
        await press(pilot, "j", "j", "j", "j")
        await sees(pilot, "Lenient: it accepts 50.0 % of 48 replies with the target of another sample.")
        await press(pilot, "a")
        await sees(pilot, "Scorer bench", "No ratings yet", "is a score without a threshold")
        await press(pilot, "escape", "tab")
        await sees(pilot, "[Disputed replies 24]", "Opens with your ratings: r shows you replies, blind.")
        assert "scholar" not in screen_text(app) and "Of 3 4" not in screen_text(app)
    assert own_files(ships) == before


async def test_a_person_rates_blind(ships: Path) -> None:
    """No model, verdict or stratum on the way, nor in what can be scrolled to; each rating is on disk before the next reply."""
    app = app_of(ships)
    async with app.run_test(size=(80, 24)) as pilot:
        await to_the_bench(pilot)
        await begin_rating(pilot)
        for number, key in enumerate(("y", "n", "0", "y"), start=1):
            await sees(pilot, f"{number} of 20")
            text = "\n".join([screen_text(app), *texts(app)]).replace("models and scorers are hidden", "")
            assert not [word for word in (*HIDDEN, RUN) if word in text], text
            assert all(title in texts(app) for title in ("Question", "Target", "Reply"))
            await press(pilot, key)
            await wait_for(pilot, lambda n=number: len(scorer_ratings(ships)) == n)  # type: ignore[misc]
        await press(pilot, "b")
        await told(pilot, "the last rating is taken back")
        await sees(pilot, "4 of 20")
        await press(pilot, "3")
        await told(pilot, "digits switch no screens here")
        assert isinstance(app.screen, BlindRatingScreen)
        await press(pilot, "escape")
        await sees(pilot, "2 ratings counted, 1 without a verdict")
    assert [(rating.right, rating.person) for rating in scorer_ratings(ships).values()] == [
        (1, "kim"),
        (0, "kim"),
        (None, "kim"),
    ]


@pytest.mark.soak
async def test_ratings_choose_a_scorer_and_fresh_ones_speak_of_it(ships: Path) -> None:
    """The line says among how many it was chosen; f rates 20 more, which count alone, and c counts all again."""
    app = app_of(ships)
    async with app.run_test(size=(120, 40)) as pilot:
        await to_the_bench(pilot)
        await press(pilot, "f")
        await told(pilot, "first rate replies with r")
        await begin_rating(pilot)
        await rate(pilot, app)
        await sees(pilot, "20 ratings counted", "★ number has the least error, chosen among", "number (run) ★")
        await sees(pilot, "correct is wrong too often", "20 fresh")
        await press(pilot, "c")
        await told(pilot, "f rates 20 fresh ones")
        await press(pilot, "f", "q")
        await sees(pilot, "20 ratings counted  ★", "chosen among")
        await press(pilot, "f")
        await rate(pilot, app)
        await sees(pilot, "20 ratings counted after the first 20", "chosen by the first 20")
        await press(pilot, "j")
        await sees(pilot, "number, chosen by the first 20 ratings, errs on 0.0 %", "unbiased.")
        await press(pilot, "c")
        await sees(pilot, "40 ratings counted", "chosen among")
        await press(pilot, "r")
        await rate(pilot, app, 2 * N - 40)
        await press(pilot, "r")
        await told(pilot, "you have rated every reply of this run")


@pytest.mark.soak
async def test_disputed_replies_open_with_ones_own_ratings(ships: Path) -> None:
    """Those that were rated, with what each scorer says; all others only after a yes, as they would be blind no more."""
    app = app_of(ships)
    async with app.run_test(size=(120, 40)) as pilot:
        await to_the_bench(pilot)
        await begin_rating(pilot)
        await rate(pilot, app)
        await press(pilot, "tab")
        await sees(pilot, "✓ right", "number", "correct")
        assert len([line for line in screen_text(app).splitlines() if " right " in line or " wrong " in line]) <= 20
        assert "not rated" not in screen_text(app)
        await press(pilot, "enter")
        await sees(pilot, "What the scorers say", "✓ accepts: ", "✗ rejects: ", "You: ", "Model: ", "1 of ")
        await press(pilot, "n", "N", "N")
        await told(pilot, "that was the first one")
        await press(pilot, "escape", "u")
        await sees(pilot, "Show all replies on which scorers differ?", "no longer")
        await press(pilot, "n")
        assert "not rated" not in screen_text(app)
        await press(pilot, "u", "y")
        await sees(pilot, "not rated", "u Rated")
        await press(pilot, "u")
        await wait_for(pilot, lambda: "not rated" not in screen_text(app))


@pytest.mark.soak
async def test_another_person_sees_no_verdicts_of_what_is_not_rated_by_them(ships: Path) -> None:
    """Ratings of somebody else open no replies: they are rated in the same order."""
    app = app_of(ships)
    async with app.run_test(size=(80, 24)) as pilot:
        await to_the_bench(pilot)
        await begin_rating(pilot)
        await rate(pilot, app)
    (ships.parent.parent / ".conf" / "app.toml").write_text('person = "ada"\n')
    app = app_of(ships)
    async with app.run_test(size=(80, 24)) as pilot:
        await to_the_bench(pilot)
        await sees(pilot, "20 ratings counted, 0 by you")
        await press(pilot, "tab")
        await sees(pilot, "Opens with your ratings")


@pytest.mark.soak
async def test_a_scorer_is_taken_by_a_rescore(ships: Path) -> None:
    """A question says what happens; a no changes nothing, a yes writes beside the run's own files."""
    before = own_files(ships)
    app = app_of(ships)
    async with app.run_test(size=(80, 24)) as pilot:
        await to_the_bench(pilot)
        await press(pilot, "enter")
        await told(pilot, "correct: the verdict of the run speaks of it already")
        await press(pilot, "j", "enter")
        await sees(pilot, "Take number: where?", 'scorers=[{ use = "number", headline = true }]', "ships.toml", "a new run")
        await press(pilot, "enter")
        await sees(pilot, "Re-score this run by number?", "No model is asked.")
        await press(pilot, "n")
        assert own_files(ships) == before
        await press(pilot, "enter", "enter", "y")
        await told(pilot, "kept in", "rescored")
    changed = {name for name, content in own_files(ships).items() if before.get(name) != content}
    assert changed and all(name.startswith("rescored") for name in changed)


@pytest.mark.soak
async def test_a_scorer_is_written_into_the_config_of_the_run(ships: Path) -> None:
    """The question names the file, what it has now, and that comments go; a config that would not hold stays as it is."""
    config = ships.parent.parent / "ships.toml"
    config.write_text("# mine\n" + config.read_text())
    app = app_of(ships)
    async with app.run_test(size=(80, 24)) as pilot:
        await to_the_bench(pilot)
        await press(pilot, "j", "enter", "j", "enter")
        await sees(pilot, "Write number into ships.toml?", "of number, f1. Comments in the file are lost")
        await press(pilot, "y")
        await told(pilot, "ships.toml now has scorers=", "comments of ships.toml are not kept")
        assert tomllib.loads(config.read_text())["scorers"] == [{"use": "number", "headline": True}]
        broken = config.read_text() + "\n[gate]\nf1 = 0.5\n"
        config.write_text(broken)
        await press(pilot, "enter", "j", "enter", "y")
        await told(pilot, "ships.toml is not changed: ", "f1")
        assert config.read_text() == broken
        await press(pilot, "enter", "G", "enter")
        await wait_for(pilot, lambda: isinstance(app.screen, SetupScreen))


@pytest.mark.soak
async def test_what_cannot_be_read_is_told(ships: Path) -> None:
    """A config that was changed, with the next step; a run that goes on is not rated."""
    app = app_of(ships)
    async with app.run_test(size=(80, 24)) as pilot:
        (ships / PROGRESS).write_text("{}")
        with held(ships):
            await sees(pilot, "[Summary]")
            await wait_for(pilot, lambda: app.entry is not None and app.entry.live)
            await to_the_bench(pilot)
            await press(pilot, "r")
            await told(pilot, "its replies are rated when it has ended")
        await press(pilot, "escape")
        with (ships / "config.toml").open("a") as config:
            config.write("# changed\n")
        await press(pilot, "b")
        await sees(pilot, "the bench cannot be shown", "changed")
        await press(pilot, "r", "enter", "tab", "u", "escape")
        await sees(pilot, "[Summary]")


@pytest.mark.soak
async def test_ratings_that_cannot_be_read_or_written_are_told(ships: Path) -> None:
    """A folder in the place of their file; the replies stay where they are."""
    app = app_of(ships)
    async with app.run_test(size=(80, 24)) as pilot:
        await to_the_bench(pilot)
        await begin_rating(pilot)
        (ships / SCORER_RATINGS).mkdir()
        await press(pilot, "y")
        await told(pilot, "this rating is not stored")
        await sees(pilot, "1 of 20")
        await press(pilot, "q")
        await told(pilot, SCORER_RATINGS)
        await sees(pilot, "[Scorers]", "correct (run)")
        await press(pilot, "escape", "b")
        await sees(pilot, "the bench cannot be shown")
        await wait_for(pilot, lambda: SCORER_RATINGS in "".join(screen_text(app).split()))  # the path wraps anywhere


@pytest.mark.parametrize("kind", ["choice", "panel", "chat", "pipeline"])
async def test_each_kind_with_targets_has_a_bench(kind: str, tmp_path: Path) -> None:
    """Replies without a target are said to be none; where letters are read, a key leads to them."""
    shutil.copytree(GOLDEN / kind, tmp_path / "runs" / kind)
    app = app_on(tmp_path, tmp_path / "runs" / kind)
    async with app.run_test(size=(120, 40)) as pilot:
        await sees(pilot, "[Summary]")
        await press(pilot, "b")
        await sees(pilot, "replies of")
        assert isinstance(app.screen, ScorerBenchScreen)
        assert ("t Letters" in screen_text(app)) == (kind == "choice")
        if kind != "choice":
            await press(pilot, "t")
            await told(pilot, "this run has none")


async def test_a_kind_without_targets_has_none(tmp_path: Path) -> None:
    """The key says why in a sentence."""
    shutil.copytree(GOLDEN / "graph", tmp_path / "runs" / "graph")
    app = app_on(tmp_path, tmp_path / "runs" / "graph")
    async with app.run_test(size=(200, 50)) as pilot:
        await sees(pilot, "[Summary]")
        await press(pilot, "b")
        await told(pilot, "graph has no targets, so there is nothing to compare scorers by")
        assert "b Bench" not in screen_text(app)


def test_foreign_texts_are_plain_texts() -> None:
    """Question, target and reply reach the screen without a control sign, whatever they hold."""
    hostile = "[red]\x1b]52;c;aGk=\x07 \u202egnp\u202c [/] \ud800"
    texts = [text for text, _ in answer_paragraphs(BenchAnswer(hostile, (hostile, hostile), hostile))]
    assert all(text == safe(text) and "\x1b" not in text for text in texts)


@pytest.mark.parametrize("size", [*WALKED, WIDE], ids=["80x24", "120x40", "200x50"])
async def test_the_scorer_bench_is_as_on_file(size: tuple[int, int], ships: Path) -> None:
    """Whatever a change of the code does to the bench is seen: the scorers, a reply to rate, what ratings show, a dispute."""

    async def walk(at: Screens) -> None:
        await sees(at.pilot, "[Summary]")
        await at.go("b")
        await at.see("scorer_bench", "correct (run)")
        await at.go("r")
        await sees(at.pilot, "Your name or initials?")
        await at.go(*"kim", "enter")
        await at.see("scorer_bench_blind", "1 of 20")
        app = at.pilot.app
        assert isinstance(app, EvalApp)
        await rate(at.pilot, app)
        await at.go("j")
        await at.see("scorer_bench_rated", "chosen among")
        await at.go("enter")
        await at.see("scorer_bench_taking", "Take number: where?")
        await at.go("escape", "tab")
        await at.see("scorer_bench_disputed", "✓ right")
        await at.go("enter")
        await at.see("scorer_bench_reply", "What the scorers say")

    await walk_through(walk, size, ships.parent.parent, "ships")
