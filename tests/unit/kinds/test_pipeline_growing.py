"""The pipeline's files while replies are still to come: what rests on replies that are there, all of it, and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pipelines import NOTE, STARTED, Say, loaded, say
from soaking import quick_first

from tui_eval.configuring.evaluation import Contributions, row_files
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.core.results import SampleResult

NOTES = {"mill.md": NOTE}
SHORT = json.dumps({"questions": [{"category": "easy", "question": "What does it grind?", "reference_answer": "rye"}]})


def gaps(call: Call) -> str | None:
    """Models that fail, are short of questions, leave out an answer, and marks that cannot be read."""
    if call.stage == "process" and call.model == "maker" and call.call_index:
        return None
    if call.stage == "questions":
        return SHORT if not call.beyond_plan else say(call)
    if call.stage == "answers" and "sim-longest" in call.about and not call.beyond_plan:
        return json.dumps({"1": "rye"})
    if call.stage == "judge" and call.about.endswith(" 2"):
        return "Hm."
    return say(call)


def name_of(call: Call) -> tuple[Any, ...]:
    return call.stage, call.model, call.call_index, call.about, len(call.messages)


def row_of(run: Loaded, says: Say, known: Collection[tuple[Any, ...]] | None) -> SampleResult:
    """The one sample, with the replies to these calls alone; None = with all."""

    def answer(call: Call) -> Reply:
        if known is not None and name_of(call) not in known:
            return Reply(call, "error", error_kind="not_sent", final=False)
        text = says(call)
        return Reply(call, "error", error_kind="transient") if text is None else Reply(call, "ok", text=text)

    (sample,) = run.evaluation.samples()
    row = run.evaluation.driven(sample, answer)
    assert not row.error
    return row


def files_of(run: Loaded, row: SampleResult) -> dict[str, Any]:
    """Its files and those that add up, JSON read."""
    evaluation = replace(run.evaluation, started_at=STARTED)
    added = Contributions(evaluation)
    added.add(row)
    files = {**row_files(evaluation, row), **dict(added.files())}
    return {name: json.loads(text) if name.endswith(".json") else text for name, text in files.items()}


def parts_of(files: dict[str, Any]) -> dict[str, Any]:
    """What stands in the files, each text, answered text, set of questions, item with a mark or with tokens by itself."""
    found: dict[str, Any] = {}
    for name, content in files.items():
        if name.startswith("processed/mill"):
            found[name] = content
        elif name.startswith("answers/mill"):
            found |= {f"{name} {run['run']}": run for run in content["runs"]}
        elif name.startswith("questions/questions"):
            found[name] = content["images"]
        elif name.startswith("scores/scores"):
            found |= {f"{name} {item['run']} {item['id']}": item for item in content["items"]}
    return found


@pytest.mark.parametrize("says", [say, gaps], ids=["sound", "gaps"])
@pytest.mark.parametrize("seed", quick_first(range(8), 2))
def test_what_is_there_stays_as_it_is(tmp_path: Path, says: Say, seed: int) -> None:
    """Whichever replies have come, in any order: each part is as the whole run has it, none goes away when more come, and what
    rests on replies that are there is there."""
    judges = {"models": ["judge", "asker"]} if seed % 2 else {"models": ["judge"]}
    run = loaded(tmp_path, NOTES, inputs=["mill.md"], judge=judges)
    whole = row_of(run, says, None)
    last = parts_of(files_of(run, whole))
    order = [name_of(reply.call) for reply in whole.replies]
    random.Random(seed).shuffle(order)

    before: dict[str, Any] = {}
    for n in range(1, len(order) + 1):
        row = row_of(run, says, set(order[:n]))
        now = parts_of(files_of(run, row))
        assert before.keys() <= now.keys()
        for name, part in now.items():
            settled = name.startswith("scores/") and len(judges["models"]) > 1
            assert without_why(part) == without_why(last[name]) if settled else part == last[name]
        came = [reply for reply in row.replies if reply.final and reply.ok and reply.call.stage == "process"]
        assert sum(name.startswith("processed/mill") for name in now) == len(came)
        before = now
    assert files_of(run, row_of(run, says, set(order))) == files_of(run, whole)


def without_why(part: Any) -> Any:
    """A mark's item, but for why one judge has none, which depends on whether another has."""
    return {name: value for name, value in part.items() if name != "why_missing"}


def test_an_answer_sheet_waits_for_nobody_elses(tmp_path: Path) -> None:
    """One text is answered, the other's call goes on: the sheet has the first, and its marks come as they are made."""
    run = loaded(tmp_path, NOTES, inputs=["mill.md"], process={"models": ["maker"], "runs": 2})
    calls = [name_of(reply.call) for reply in row_of(run, say, None).replies]
    known = {one for one in calls if one[0] in ("process", "questions")}
    known |= {one for one in calls if one[0] == "answers" and one[2] == 0}
    known |= {one for one in calls if one[0] == "judge" and one[2] == 0 and one[3].endswith(" 1")}

    files = files_of(run, row_of(run, say, known))

    (sheet,) = (content for name, content in files.items() if name.startswith("answers/mill"))
    (scores,) = (content for name, content in files.items() if name.startswith("scores/scores"))
    assert [entry["run"] for entry in sheet["runs"]] == ["01"]
    assert [(item["run"], item["id"], item["score"]) for item in scores["items"]] == [("01", 1, 5.0)]
