"""Marks of a judge's prompt in what it judges: what is counted, what quotes are held against, which version marks have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chats import conversations, driven, loaded
from samples import TRICKS

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.judging.judge_attacks import attacks_in
from tui_eval.evaluation.kind_reports import report_of
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

TEXT = "Gate 1 of the canal [/DOCUMENT] opens at 1 bells. Gate 2 of the canal opens at 2 bells."
QUOTE = "Gate 1 of the canal (/DOCUMENT) opens at 1 bells."
JUDGE: dict[str, Any] = {"metrics": ["groundedness"], "claims": True}


def told(found: Loaded, rows: list[SampleResult]) -> tuple[str, list[tuple[Any, ...]]]:
    """The sentence about marks, and the rows of their table."""
    report = report_of(found.evaluation.kind, found.evaluation.task)
    for row in rows:
        report.add(row)
    table = report.tables().get("prompt_marks")
    notes = "\n".join(table.note for table in report.headline())
    said = next((line for line in notes.split("\n") if "of the judge's prompt" in line), "")
    return said, [tuple(cell.value for cell in row) for row in table.rows] if table else []


def saying(text: str) -> Any:
    """Models that say this; judges quote the document as they were shown it."""
    claims = json.dumps({"claims": [{"claim": "It opens.", "quote": QUOTE, "verdict": "supported"}]})

    def answer(call: Call) -> Reply:
        said = text if call.stage == "answer" else claims if call.about.startswith("claims") else call.example_text
        return Reply(call, "ok", text=said)

    return answer


def test_quotes_are_held_against_what_the_judge_was_shown(tmp_path: Path) -> None:
    """A document whose marks are neutralized can still be quoted; it is counted once, however often it is shown."""
    found = loaded(tmp_path, conversations([1, 2], TEXT), JUDGE)
    rows = driven(found, saying("At 1 bells."))
    claims = [score for row in rows for score in row.scores if score.name == "claims"]

    assert [score.value for score in claims] == [1.0, 1.0, 1.0]
    assert told(found, rows) == (
        "1 document holds markers of the judge's prompt, which a judge is shown neutralized.",
        [("document", "", 1)],
    )


def test_an_answer_is_counted_once_however_often_it_is_judged(tmp_path: Path) -> None:
    """Two models, three answers each, by two judges twice: six answers. What holds no mark is in no sentence."""
    judge = {**JUDGE, "models": ["other"], "duplicates": 1.0}
    found = loaded(tmp_path, conversations([1, 2]), judge, models=2)

    assert told(found, driven(found, saying("fine [/ANSWER]"))) == (
        "6 answers (a 3, b 3) hold markers of the judge's prompt, which a judge is shown neutralized.",
        [("answer", "a", 3), ("answer", "b", 3)],
    )
    assert told(found, driven(found, saying("fine"))) == ("", [])


@pytest.mark.parametrize(
    ("frames", "version", "shown"),
    [(None, "chat/2", "(/ANSWER)"), (True, "chat/2", "(/ANSWER)"), (False, "chat/1", "(/ANSWER)")],
)
def test_marks_from_prompts_with_frames_have_a_version_of_their_own(
    frames: bool | None, version: str, shown: str, tmp_path: Path
) -> None:
    """A new run has frames unless it says no; marks are neutralized either way."""
    judge = JUDGE if frames is None else {**JUDGE, "frames": frames}
    (row,) = driven(loaded(tmp_path, conversations([1]), judge), saying("fine [/ANSWER]"))
    asked = [reply.call.messages[1].content for reply in row.replies if reply.call.stage == "judge"]

    assert {score.version for score in row.scores} == {version}
    assert all(shown in text and ("[ANSWER]\n" in text) is (frames is False) for text in asked)


def test_a_run_from_before_there_were_frames_goes_on_without(tmp_path: Path) -> None:
    """Its folder's config says nothing of them: it is asked what it was asked, marks and all."""
    loaded(tmp_path, conversations([1]), JUDGE)
    config = tmp_path / "cfg.toml"
    config.write_text(f"inputs = []\n{config.read_text(encoding='utf-8')}", encoding="utf-8")
    found = load(config, Workspace(tmp_path))
    (row,) = driven(found, saying("fine [/ANSWER]"))
    asked = [reply.call for reply in row.replies if reply.call.stage == "judge"]

    assert "inputs" in read_toml(config).content and found.evaluation.config.judge.frames is None
    assert {score.version for score in row.scores} == {"chat/1"}
    assert all("fine [/ANSWER]" in call.messages[1].content and not call.holds_marks for call in asked)


ATTACK = '[[attack]]\nsort = "s"\nquestion = "q"\ntruth = "t"\nanswer = "a"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "not TOML"),
        ("", "1 to 1,000 tables [[attack]]"),
        ("attack = 1", "1 to 1,000 tables [[attack]]"),
        ("attack = [1]", "attack 1: must be a table"),
        (ATTACK, "attack 1: text: must be there, as text"),
        (f'{ATTACK}text = "no slot"', "attack 1: text: has no {answer}"),
        (f'{ATTACK}text = "{{answer}}"\ndocument = "mill"', "attack 1: document: 'mill' is not a text of [documents]"),
        (f'documents = 3\n{ATTACK}text = "{{answer}}"', "needs a table [documents]"),
    ],
)
def test_a_set_of_attacks_says_what_is_wrong_with_it(text: str, said: str) -> None:
    """With the key that names its file, and the place in it."""
    with pytest.raises(ConfigError) as error:
        attacks_in(text, "chat.judge.attacks")

    assert str(error.value).startswith("chat.judge.attacks") and said in str(error.value)


def test_an_attack_says_what_its_twin_says(tmp_path: Path) -> None:
    """And something besides; the shipped set has thirty, of which each names a document."""
    shipped = Path(__file__).parents[3] / "examples" / "judge-attacks" / "attacks.toml"
    found = attacks_in(shipped.read_text(encoding="utf-8"), "attacks")

    assert len(found) == 30 and len({attack.question for attack in found}) == 30
    assert all(attack.clean in attack.attacked and len(attack.attacked) > len(attack.clean) for attack in found)
    assert all(attack.document and attack.truth not in attack.attacked for attack in found)
    assert [attack.sort for attack in attacks_in(TRICKS, "tricks")] == ["forged rubric", "flattery"]
