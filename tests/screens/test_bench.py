"""Letters of the scorer bench by keyboard alone: another rule tried, read answer by answer, and kept on wish."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from screen import app_on, press, sees, told, wait_for
from snapshots import GOLDEN, SIZES, Screens, walk_through
from textual.pilot import Pilot

from tui_eval.configuring.drafting.new_configs import rules_by_kind
from tui_eval.core.kinds import ReadingRules
from tui_eval.results.stored_samples import StoredReply, StoredSample
from tui_eval.runs.folder import RESULTS
from tui_eval.tui.lazy_imports import RulesOfKinds
from tui_eval.tui.sanitize import safe
from tui_eval.tui.screens.bench import rule_trial as bench_trial
from tui_eval.tui.screens.bench.answer import answer_text, item_in
from tui_eval.tui.screens.bench.letters import LettersScreen
from tui_eval.tui.screens.bench.rule import ReadingRule, Rules, text_problem, toml_value
from tui_eval.tui.screens.bench.rule_rows import ANSWERS, MODELS
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.widgets.cells import row_cells
from tui_eval.workspace.overrides import override
from tui_eval.workspace.toml_files import TomlFile

HOSTILE = "[red]\x1b]52;c;aGk=\x07 \u202egnp\u202c [/] \ud800"
OWN = r"\b([A-D])\b"
RULES = Rules("choice", rules_by_kind()["choice"])


@pytest.fixture
def exam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The golden exam in a workspace that is shown as ~/ws."""
    monkeypatch.setenv("HOME", str(tmp_path))
    run_id = json.loads((GOLDEN / "choice" / "manifest.json").read_text())["run_id"]
    path = tmp_path / "ws" / "runs" / run_id
    shutil.copytree(GOLDEN / "choice", path)
    return path


def contents(path: Path) -> dict[str, bytes]:
    """Every file of a run but its lock."""
    return {
        str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file() and file.name != "lock"
    }


async def to_the_bench(pilot: Pilot[Any]) -> None:
    """From a run's results to the letters of its bench."""
    await sees(pilot, "[Summary]")
    await press(pilot, "b", "t")
    await sees(pilot, "Scorer bench, letters", "answers by the run's own rule")


@pytest.mark.soak
async def test_a_rule_is_chosen_read_and_kept(exam: Path) -> None:
    """What another rule changes stands there by model and by answer; the run is untouched, and w keeps it beside."""
    before = contents(exam)
    app = app_on(exam.parent.parent, exam)
    async with app.run_test(size=(80, 24)) as pilot:
        await to_the_bench(pilot)
        await sees(pilot, "This is the run's own rule", "[Changed 0] Unread 6")
        await press(pilot, "w")
        await told(pilot, "the run's own rule")
        await press(pilot, "j", "space")
        await sees(pilot, "6 of 24 answers are read otherwise", "-50.0", "+12.5", "83.3 % of 6", "75.0 % of 8")
        await press(pilot, "tab", "j", "enter")
        await sees(pilot, "What each rule reads", "Answer: D", "by answer_colon", "2 of 6")
        await press(pilot, "n", "n", "N")
        await sees(pilot, "3 of 6", "– → D", "nothing: ambiguous")
        await press(pilot, "escape", "u")
        await sees(pilot, "[Unread 4]", "refusal")
        assert contents(exam) == before
        await press(pilot, "w")
        await told(pilot, "kept in", "rescored")
    kept = {name: content for name, content in contents(exam).items() if name.startswith("rescored")}
    assert contents(exam) == {**before, **kept} and any(name.endswith("changes.csv") for name in kept)


@pytest.mark.soak
async def test_the_cursor_stays_where_it_is_put_while_replies_are_read(exam: Path) -> None:
    """A key pressed before a trial ends counts: what ends does not take the cursor back."""
    app = app_on(exam.parent.parent, exam)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "[Summary]")
        await press(pilot, "b", "t")
        await wait_for(pilot, lambda: isinstance(app.screen, LettersScreen) and app.screen.bench.own is not None)
        await press(pilot, "j")
        await sees(pilot, "answers by the run's own rule")
        await press(pilot, "space")
        await sees(pilot, "6 of 24 answers are read otherwise")


@pytest.mark.soak
async def test_own_patterns_are_written_on_the_bench(exam: Path) -> None:
    """A mistake is told as it is typed and keeps nothing; what is sound is tried, and the place it matched is marked."""
    app = app_on(exam.parent.parent, exam)
    async with app.run_test(size=(120, 40)) as pilot:
        await sees(pilot, "[Summary]")
        await press(pilot, "b", "t")
        await sees(pilot, "of the run")
        await press(pilot, "G", "enter", *OWN[:8])
        await sees(pilot, "line 1 is not a regular expression at character 3", "F2 keeps it")
        await press(pilot, "f2")
        assert isinstance(app.screen, EditText)
        await press(pilot, *OWN[8:], "f2")
        await sees(pilot, f"1 pattern, else none (f): {OWN}", "robust/3 → patterns-", "ambiguous → patterns[0]")
        await press(pilot, "tab", "enter")
        await sees(pilot, "Where patterns[0] found it", "»»D««", "by patterns[0]")
        await press(pilot, "q", "f")
        await sees(pilot, "else robust (f)")
        await press(pilot, "q", "q")
        await sees(pilot, "[Summary]")


@pytest.mark.soak
async def test_a_trial_that_takes_too_long_or_fails_is_told(exam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After its time limit a trial is ended, and says so; one that cannot be made says why. The screen goes on."""
    app = app_on(exam.parent.parent, exam)
    async with app.run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr(bench_trial, "LIMIT_S", 0.01)
        await sees(pilot, "[Summary]")
        await press(pilot, "b", "t")
        await sees(pilot, "ended after 0.01 s: a pattern takes too long")
        monkeypatch.setattr(bench_trial, "LIMIT_S", 60.0)
        with (exam / "config.toml").open("a") as config:
            config.write("# changed\n")
        await press(pilot, "j", "space")
        await sees(pilot, "this could not be tried", "was changed after", "undo that")
        await press(pilot, "w")
        await told(pilot, "nothing to keep")
        screen = app.screen
        await press(pilot, "k", "space", "escape")
        assert isinstance(screen, LettersScreen)
        await wait_for(pilot, lambda: not screen.bench.busy)


@pytest.mark.soak
async def test_what_is_shown_is_by_one_rule(exam: Path) -> None:
    """While another rule is tried the answers stay with the rule they were read by, and w keeps nothing; afterwards it does."""
    app = app_on(exam.parent.parent, exam)
    async with app.run_test(size=(80, 24)) as pilot:
        await to_the_bench(pilot)
        screen = app.screen
        assert isinstance(screen, LettersScreen)
        bench, own = screen.bench, screen.bench.rule
        await press(pilot, "j")
        bench.attempt(ReadingRule("formationeval-v0.1"))
        assert bench.busy and bench.tried is not None and bench.tried_rule == own
        bench.keep()
        await told(pilot, "still being tried")
        await sees(pilot, "6 of 24 answers are read otherwise")
        assert bench.tried_rule == bench.rule == ReadingRule("formationeval-v0.1")
    assert not (exam / "rescored").exists()


@pytest.mark.soak
@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.soak)], ids=["80x24", "120x40"])
async def test_the_bench_is_as_on_file(size: tuple[int, int], exam: Path) -> None:
    """Whatever a change of the code does to the bench is seen."""

    async def walk(at: Screens) -> None:
        await sees(at.pilot, "[Summary]")
        await at.go("b", "t")
        await sees(at.pilot, "of the run")
        await at.go("j", "enter")
        await at.see("letters", "6 of 24")
        await at.go("tab", "enter")
        await at.see("letters_answer", "What each rule reads")

    for file in exam.rglob("*"):
        os.utime(file, (0, 0))
    await walk_through(walk, size, exam.parent.parent, "lighthouse")


# ---------------------------------------------------------------------------------------------------- its parts


def entry_of(text: str, pattern: str = "patterns[0]") -> dict[str, Any]:
    """A changed answer all of whose texts are foreign."""
    old = {"read": None, "pattern": text, "value": 0, "why": text}
    new = {"read": text, "pattern": pattern, "value": 1, "why": ""}
    return {
        **{"question_id": text, "item_id": text, "model": text, "stage": "answer", "call_index": 0, "truth": text},
        **{"before": old, "after": new, "others": {text: old}, "place": None},
    }


def test_foreign_texts_are_plain_texts() -> None:
    """Names, readings and truths reach the screen without a control sign, whatever they hold."""
    share = {"value": 0.5, "n": 2, "total": 1, "low": 0.1, "high": 0.9}
    model = {"model": HOSTILE, "before": share, "after": share, "read_before": share, "read_after": share, "changed": 1}
    texts = [
        *row_cells(ANSWERS, entry_of(HOSTILE)),
        *row_cells(MODELS, model),
        *answer_text(entry_of(HOSTILE, HOSTILE), None, ReadingRule("robust")),
    ]

    for text in (piece if isinstance(piece, str) else piece[0] for piece in texts):
        assert text == safe(text) and "\x1b" not in text


def test_answers_are_read_from_a_regular_file_alone(tmp_path: Path) -> None:
    """A pipe in the place of a run's answers makes nobody wait; there is no such item then, nor in a file that is gone."""
    assert item_in(tmp_path, "q1") is None
    os.mkfifo(tmp_path / RESULTS)
    assert item_in(tmp_path, "q1") is None


def test_no_pattern_is_searched_to_show_where_it_found_its_letter() -> None:
    """The place comes with the trial: it is marked even where the pattern would not find it again."""
    item = StoredSample(
        "q", 0, "d", True, "", "Which?", None, (0,), (StoredReply(*"amx", "", "ok", "", "", None, "It is C."),), ()
    )
    assert _texts(item, None) == ""
    assert "It is »»C««." in _texts(item, [6, 7])


def _texts(item: StoredSample, place: list[int] | None) -> str:
    entry = entry_of("C") | {"stage": "a", "model": "m", "call_index": "x", "place": place}
    texts = [text for text, _ in answer_text(entry, item, ReadingRule("patterns", ("never(A)",)))]
    return "".join(text for text in texts if "««" in text)


def test_the_rule_of_a_run_is_read_whatever_its_config_holds(exam: Path) -> None:
    """The bench begins with the run's rule, and with the robust one where a config is damaged or odd."""
    config = exam / "config.toml"
    rules = {
        'extraction = "patterns"\npatterns = ["(A)", 1]\npatterns_fallback = "robust"': ReadingRule(
            "patterns", ("(A)",), "robust"
        ),
        'extraction = "odd"\npatterns = "x"\npatterns_fallback = []': ReadingRule("robust"),
        "extraction = [": ReadingRule("robust"),
    }
    for text, rule in rules.items():
        config.write_text(f"[choice]\n{text}\n")
        assert RULES.of_run(exam) == rule
    assert RULES.of_run(exam / "nothing") == ReadingRule("robust")


@pytest.mark.parametrize(
    "patterns", [(OWN,), ("a\"'([A-D])\\", "é(B)\U0001f600", "(A)\x7f"), tuple(f"(A){n}" * 20 for n in range(4))]
)
def test_a_rule_reaches_the_command_as_it_is(patterns: tuple[str, ...]) -> None:
    """Patterns of any letters come through --set and through TOML unchanged."""
    rule = ReadingRule("patterns", patterns, "robust")

    file = override(TomlFile(Path("x"), {"choice": {}}, {}), RULES.settings(rule))
    assert file.content == {"choice": {"extraction": "patterns", "patterns": list(patterns), "patterns_fallback": "robust"}}
    assert tomllib.loads(RULES.toml(rule)) == file.content


def test_the_bench_is_for_any_kind_that_has_rules(tmp_path: Path) -> None:
    """Keys, rules and their words are those that a kind declares."""
    declared = ReadingRules("rule", {"last": "the last", "first": "the first"}, "mine", "by", "else", lambda *_: None)
    rules, rule = Rules("sums", declared), ReadingRule("mine", ("(A)",), "first")

    assert (rules.names, rules.fallbacks, rules.usual()) == (
        ("last", "first", "mine"),
        ("none", "last", "first"),
        ReadingRule("last"),
    )
    assert rules.settings(ReadingRule("first")) == ["sums.rule=first"]
    assert rules.settings(rule) == ["sums.rule=mine", f"sums.by={toml_value(['(A)'])}", "sums.else=first"]
    assert (rules.words(ReadingRule("last")), rules.words(rule)[0]) == (("last", "the last"), "own patterns")
    (tmp_path / "config.toml").write_text(rules.toml(rule))
    assert rules.of_run(tmp_path) == rule


def test_rules_are_known_once_they_were_looked_up() -> None:
    """Until then no kind is said to have any, so that a screen need not wait; what is no kind never has."""
    found = RulesOfKinds()

    assert found.known("choice") is None
    assert found.of("choice") == found.known("choice") == RULES.declared
    assert found.of("panel") is found.of(None) is found.known("odd") is None


def test_each_line_is_judged() -> None:
    """The first line that is no pattern is named; empty lines count for nothing."""
    assert text_problem("(A)\n\n(B)") == "" == text_problem("\n")
    assert text_problem("(A)\n\n(B").startswith("line 3 is not a regular expression")
    assert text_problem("\n".join(["(A)"] * 51)) == "51 patterns; 50 are the most"
