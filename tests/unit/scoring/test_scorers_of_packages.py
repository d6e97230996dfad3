"""Scorers that packages bring: which can be used, what they may go wrong by, and who may name them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from plugged import install, packages_in
from scorer_cases import scored

from tui_eval.configuring.drafting.schema import schema
from tui_eval.configuring.first_look import first_look
from tui_eval.datasets.field_values import FieldError
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.evaluation.scoring.sample_scorers import scorers_of
from tui_eval.evaluation.scoring.scorer_table import row_of
from tui_eval.workspace.places import Workspace

HEAD = """
from dataclasses import replace
from tui_eval.plugin import Case, Outcome, Rule, ScorerRow

class AskingRow(ScorerRow):
    @property
    def asks_model(self): return True

def made(judge, name="own", **more):
    return Rule(name, 1, "what a package brings", ScorerRow, judge, **more)
"""
USABLE = "IT = made(lambda row, case: Outcome(float(case.target in case.text)))"


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[Path]:
    """A folder of packages."""
    with packages_in(tmp_path / "packages") as folder:
        yield folder


def brings(folder: Path, text: str) -> None:
    """Install a package whose module ends in a text that defines the rule `IT`."""
    install(folder, "own-rule", {"own_rule.py": f"{HEAD}\n{text}\n"}, {"tui_eval.scorers": {"own": "own_rule:IT"}})


def outcome(text: str = "it is 4") -> tuple[float | None, str]:
    """The value and the reason that the rule of the package gives a reply."""
    given = scored("own", text, "4", Fence())
    return given.value, given.why


def test_it_scores_as_any_other(packages: Path) -> None:
    """By its name in a config and in the app's list; in none of a data set."""
    brings(packages, USABLE)

    assert (outcome(), outcome("it is 5")) == ((1.0, ""), (0.0, ""))
    assert "own" in (schema("qa").field("scorers").choices or ())
    with pytest.raises(FieldError, match="own: a sample names no scorer of a package; set it in the config's scorers"):
        scorers_of({"scorers": ["own"]}, ())


WRONG = {
    "IT = made(lambda row, case: 1 / 0)": "ZeroDivisionError: division by zero",
    "IT = made(lambda row, case: 1.0)": "the scorer returned no Outcome but float",
    "IT = made(lambda row, case: Outcome(0.5))": "the scorer returned 0.5, which is off its scale, 0 to 1",
    "IT = made(lambda row, case: Outcome(7.0), is_rate=False)": "the scorer returned 7, which is off its scale, 0 to 1",
    "IT = made(lambda row, case: Outcome(float('nan')))": "the scorer returned nan, which is off its scale, 0 to 1",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_goes_wrong_is_a_missing_score(text: str, packages: Path) -> None:
    """With its reason; never a zero."""
    brings(packages, text)

    assert outcome() == (None, WRONG[text])


UNUSABLE = {
    "IT = len": "it is not a Rule but a builtin_function_or_method",
    "IT = made(len, name='other')": "it calls itself 'other'",
    "IT = replace(made(len), row=int)": "its row is no ScorerRow",
    "IT = replace(made(len), row=AskingRow)": "only scorers of tui-eval itself ask models",
    "IT = made(len, is_fenced=True)": "only scorers of tui-eval itself ask models, or run in a process of their own",
    "IT = replace(made(len), version=0)": "its version is no whole number from 1 on, but 0",
    "IT = made(len, is_rate=False, scale=(1.0, 1.0))": "its scale, 1 to 1, has no extent",
    "IT = made(len, scale=(0.0, 5.0))": "it is a rate, whose scale is 0 to 1",
}


@pytest.mark.parametrize("text", UNUSABLE)
def test_what_cannot_be_used_says_why(text: str, packages: Path) -> None:
    """One sentence with the package, where a config names it; the others are there as before."""
    brings(packages, text)

    with pytest.raises(ValueError, match=r"the scorer 'own' of the package own-rule 1\.0 cannot be used: ") as told:
        row_of("own")

    assert UNUSABLE[text] in str(told.value) and "own" not in RULES and row_of("number").use == "number"


def test_the_first_look_at_a_folder_lists_it(packages: Path, tmp_path: Path) -> None:
    """As plug-ins of other sorts; a rule of ours is none."""
    brings(packages, USABLE)
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "config.toml").write_text('kind = "qa"\nscorers = ["number", { use = "own" }]\n', encoding="utf-8")

    assert first_look(Workspace(tmp_path / "ws")).plug_ins == ("scorer own",)
