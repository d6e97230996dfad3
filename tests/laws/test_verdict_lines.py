"""Laws of the verdict in short: two lines where names are short, four else, and it claims what the tests show and no more."""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from boards import ERRORS, MARK, RIGHT, Value, add
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.kinds import Metric
from tui_eval.core.units import Units
from tui_eval.results.report_verdict import IN_SHORT, WITHOUT, verdict_in
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.leading.verdict_line import COLUMNS, verdict_in_short
from tui_eval.results.sums.metrics import upwards
from tui_eval.results.sums.verdict import LONGEST, VerdictSubject, headline_sides

RATE = Metric("character_error_rate", 0, 1, "lower")
SHARES = (0.05, 0.4, 0.5, 0.9, 0.95)
OWNERS = ("deepseek/deepseek-", "openrouter/anthropic/claude-", "openai/gpt-5-")


def drawn(seed: int, names: str, models: int, prompts: int, n: int) -> Board:
    """Models of this length of name that are right as often as chance has it, of which some answers are missing."""
    chance = random.Random(seed)
    metric, lost = chance.choice((RIGHT, MARK, ERRORS, RATE)), chance.choice((0.0, 0.1, 0.5))
    board = Board.empty(Units("conversation", variant="prompt") if prompts > 1 else Units("conversation"), [metric])
    shares = [chance.choice(SHARES) for _ in range(models)]
    for prompt in range(prompts):
        for model in range(models):
            best, share = min(metric.high, 10.0), shares[(model + prompt) % models]
            marks: list[Value] = [
                None if chance.random() < lost else best if chance.random() < share else metric.low for _ in range(n)
            ]
            name = f"{model}-a-short-name-of-it"[:16] if names == "short" else f"{OWNERS[model % 3]}{model}-preview-2026-11-26"
            add(board, name, marks, metric, variant=f"prompt_{prompt}_in_full" if prompts > 1 else "")
    return board


def lines(text: str) -> list[str]:
    """A text as a terminal of 80 columns has it, within its margins."""
    return textwrap.wrap(text, COLUMNS, break_on_hyphens=False)


def losers(board: Board, sides: Sequence[Side]) -> set[Side]:
    """Those of some sides that are shown to be worse than another of these: told anew, from the pairs alone."""
    found = set()
    for pair in board.pairs:
        if pair.significant and pair.found.value and pair.a in sides and pair.b in sides:
            found.add(pair.b if upwards(board.metric(pair.a), pair.found.value) > 0 else pair.a)
    return found


def names_of(clause: str) -> set[str]:
    """The names in a clause, without how many more there are."""
    return {name for name in re.split(r", | and ", clause) if not re.fullmatch(r"\d+(?: more)?", name)}


@settings(few, max_examples=200)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["short", "long"]),
    st.integers(1, 9),
    st.integers(1, 4),
    st.sampled_from([1, 2, 4, 8, 30]),
    st.sampled_from(["none", "some", "all"]),
    st.sampled_from([0, 12_345]),
)
def test_it_fits_and_claims_what_the_tests_show(
    seed: int, names: str, models: int, prompts: int, n: int, simulated: str, not_asked: int
) -> None:
    """Two lines, or four of long names; a leader just where the whole verdict has one; of those worse as many as there are."""
    board = drawn(seed, names, models, prompts, n)
    every = sorted({side.model for side in board.series})
    made_up = {"none": [], "some": every[:2], "all": every}[simulated]
    about = VerdictSubject(board, made_up, simulated == "all", not_asked)
    found, whole = verdict_in_short(about), about.verdict
    line = str(found["line"])

    assert len(lines(line)) <= (2 if names == "short" else 4), line
    assert len(str(found["rest"])) <= LONGEST
    assert ("imulated" in line) == bool(made_up) and line.endswith(".")
    check_claims(board, found, line, whole)


def check_claims(board: Board, found: Mapping[str, Any], line: str, whole: str) -> None:
    """Who leads and who is worse, in the line and in its parts, by the pairs."""
    sides = headline_sides(board)
    scored = [side for side in sides if board.estimate(side).n]
    if not scored:
        assert found["sides"] == 0 and "othing has a score" in line
        return
    prompts = [variant for variant in board.variants if any(side.variant == variant for side in scored)]
    alone = len({side.model for side in scored}) == 1
    inside = [side for side in scored if alone or not prompts or side.variant == prompts[0]]
    worse = losers(board, inside)
    first_words = re.split(r"\. (?=[A-Z])", line.removeprefix("Simulated. ").removeprefix("Simulated: no model was asked. "))
    assert found["sides"] == len(inside) and found["worse"] == len(worse)
    assert (found["leader"] is None) == (not re.search(r"\bleads over\b", whole.split(" Under prompt `prompt_1")[0]))
    assert (found["leader"] is None) or len(inside) - len(worse) == 1
    assert ("o leader is shown" in line) == ((found["leader"] is None and len(inside) > 1) or "o leader is shown under" in line)
    counted = re.search(r"; (\d+) (?:is|are) significantly worse", " ".join(first_words))
    assert counted is None or int(counted[1]) <= len(worse)
    named = re.search(r"; ([^;]+) (?:is|are) significantly worse(?:[.;]| than)", first_words[0])
    losing = {side.model for side in worse}
    assert named is None or board.variants or names_of(named[1]) <= losing or any("…" in name for name in names_of(named[1]))


@pytest.mark.parametrize("n", [4, 40])
def test_72_models_take_two_lines(n: int) -> None:
    """Few questions and many; the names of the first ones, and how many are worse."""
    board = drawn(7, "short", 72, 1, n)
    found = verdict_in_short(VerdictSubject(board))
    assert len(lines(str(found["line"]))) <= 2 and found["sides"] == 72
    assert len(lines(str(verdict_in_short(VerdictSubject(drawn(7, "long", 72, 1, n)))["line"]))) <= 4


def test_it_is_the_whole_verdict_where_that_fits() -> None:
    """Nothing is left out, and nothing is said twice."""
    board = Board.empty(Units("question"), [RIGHT])
    for model, share in (("good", 1.0), ("bad", 0.0)):
        add(board, model, [share] * 30, RIGHT)
    found = verdict_in_short(VerdictSubject(board))
    assert found["line"] == VerdictSubject(board).verdict and not found["rest"]
    assert (found["leader"], found["score"], found["sides"], found["worse"]) == ("good", "100.0 %", 2, 1)


def test_names_that_begin_alike_are_folded() -> None:
    """Each by what tells it from the others."""
    board = Board.empty(Units("question"), [RIGHT])
    for model in ("deepseek/deepseek-r1-2026-11-26", "deepseek/deepseek-v3-2026-11-26"):
        add(board, model, [1.0, 0.0] * 15, RIGHT)
    line = str(verdict_in_short(VerdictSubject(board))["line"])
    assert "…-r1-2026-11-26 (50.0 % right) and …-v3-2026-11-26 (50.0 %)" in line and "deepseek" not in line


def test_a_report_of_any_form_has_a_verdict_or_none() -> None:
    """What a stranger wrote is read as far as it has the form that it should have."""
    assert verdict_in({}) == verdict_in({"verdict": None, IN_SHORT: {"line": "a"}}) == WITHOUT
    older = verdict_in({"verdict": "a leads over 4 questions."})
    assert (older.text, older.outcome, older.finding) == ("a leads over 4 questions.", "see below", "")
    parts: dict[str, Any] = {"line": "a leads.", "rest": "More.", "leader": "a", "score": "91.7 %", "sides": 3, "worse": 2}
    assert verdict_in({"verdict": "x", IN_SHORT: parts}).outcome == "a leads, 91.7 %"
    assert verdict_in({"verdict": "x", IN_SHORT: parts | {"leader": None}}).outcome == "no leader of 3, 2 worse"
    assert verdict_in({"verdict": "x", IN_SHORT: {"line": "a", "rest": 3, "sides": "many", "worse": -1}}).outcome == "no score"
    assert verdict_in({"verdict": "x", IN_SHORT: [1]}).line == "x"
