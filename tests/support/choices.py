"""Small multiple-choice runs and boards, made without a network: what the tests of the kind share."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from makers import SHARED, attempt

from tui_eval.configuring import preparing
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply, Usage
from tui_eval.core.errors import ConfigError
from tui_eval.core.key import call_key
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import groups_named
from tui_eval.kinds.choice.sheet_report import SheetReport
from tui_eval.kinds.choice.sheets import LETTERS, AnswerSheets, PlacedAnswers, Sheet, SheetAnswer
from tui_eval.reporting.derive import derive
from tui_eval.reporting.importing import import_answers
from tui_eval.reporting.result_writer import RunOutcome
from tui_eval.runs.folder import LOG, RunFolder
from tui_eval.runs.record import line_of
from tui_eval.workspace.places import Workspace

Completion = Callable[[Call], Reply]

HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1+1",
    "\ttab first",
    "\r=1+1",
    "\n=1+1",
    "\uff1d1+1",
    "\uff0b1",
    "\uff0d1",
    "\uff20x",
    "\u200b=1+1",
    "\ufeff=1+1",
    "\u00a0@x",
    "\u2060-1",
    "a,b;c\td",
    'she said "x", "y"',
    "'quoted'",
    "one\ntwo\r\nthree",
    "nul\x00byte",
    "\x1b[31mred",
    "half \ud83d a pair",
    "\u202eright to left\u200f",
    "a|b|c",
    "a\\|b",
    "\\",
    "# heading",
    "- list",
    "* list",
    "+ list",
    "1. list",
    "1) list",
    "> quote",
    "```\nfence\n```",
    "~~~\nfence",
    "    indented",
    "---",
    "===",
    "| a | b |\n|---|---|\n| c | d |",
    "<script>alert(1)</script>",
    "<!-- comment",
    "</td></table>",
    "[link](http://example.com)",
    "![image](http://example.com/x.png)",
    "[label]: http://example.com",
    "<http://example.com>",
    "`code`",
    "``",
    "**bold** _slanted_ __x__ ~~gone~~",
    "&lt;b&gt; &#61;",
    "$x$",
    "ends with \\",
    "",
    " ",
]
"""What a model, a question or a name may say to harm a spreadsheet, a Markdown page or a terminal."""


def entry(
    name: str, answer: int = 0, choices: Sequence[str] = ("north", "east", "south", "west"), **more: Any
) -> dict[str, Any]:
    """A question as a benchmark file has it."""
    return {
        "id": name,
        "version": "little_v1",
        "question": f"What is {name}?",
        "choices": list(choices),
        "answer_index": answer,
        "difficulty": "easy",
        "domains": ["Numbers"],
        "topics": ["Counting"],
        "metadata": {"calc_required": False},
        **more,
    }


ENTRIES = [
    entry("q1", 0),
    entry("q2", 1, difficulty="medium", domains=["Numbers", "Parity"], metadata={"calc_required": True}),
    entry("q3", 2, difficulty="hard", domains=["Parity"], topics=["Truth"]),
    entry("q4", 3, difficulty="hard", domains=[], topics=[], metadata={}),
]


def model_tables(names: Sequence[str], more: str = "") -> str:
    """Simulated models of these names."""
    return "".join(
        f'[[models]]\nname = {json.dumps(name)}\nwire = "simulator"\nmodel = "sim-scholar"\n{more}\n' for name in names
    )


def config_text(models: Sequence[str] = ("one", "two"), choice: str = "", run: str = "", more: str = "") -> str:
    """The TOML of a small multiple-choice run; `choice` and `run` are lines of these tables."""
    return (
        f'kind = "choice"\nname = "little"\n\n[run]\n{run}\n\n{model_tables(models, more)}\n'
        f'[choice]\nbenchmark = "bench.json"\nmodels = {json.dumps(list(models))}\n{choice}\n'
    )


def load_choice(
    folder: Path,
    entries: Sequence[Mapping[str, Any]] = ENTRIES,
    names: Sequence[str] = ("one", "two"),
    choice: str = "",
    run: str = "",
    more: str = "",
    text: str | None = None,
    **given: Any,
) -> Loaded:
    """A small multiple-choice evaluation, loaded from files written into `folder`, which is its workspace, too."""
    folder.mkdir(parents=True, exist_ok=True)
    bench = folder / "bench.json"
    if not bench.exists():
        bench.write_text(json.dumps(list(entries)))
    config = folder / "choice.toml"
    config.write_text(config_text(names, choice, run, more) if text is None else text)
    return load(config, Workspace(folder), **given)


def refused(folder: Path, **parts: Any) -> str:
    """What is said against such an evaluation."""
    with pytest.raises(ConfigError) as caught:
        load_choice(folder, **parts)
    return str(caught.value)


def items(loaded: Loaded) -> list[Sample]:
    """Every item of every repeat."""
    evaluation = loaded.evaluation
    return list(evaluation.samples())


def drive(loaded: Loaded, answer: Completion) -> list[SampleResult]:
    """Every item driven to its end by these replies."""
    evaluation = loaded.evaluation
    rows = [evaluation.driven(item, answer) for item in items(loaded)]
    assert [row.error for row in rows if row.error] == []
    return rows


def shown(call: Call) -> list[str]:
    """The options as a prompt shows them, in their order."""
    lines = [line for line in call.messages[-1].content.split("\n") if re.match(r"[A-Z]\) ", line)]
    assert [line[0] for line in lines] == list(LETTERS[: len(lines)])
    return [line[3:] for line in lines]


def question_of(call: Call) -> str:
    """The id of the question that a call asks."""
    return call.item_id.removeprefix(f"{call.model}/").split("#")[0]


def says(text: str, **more: Any) -> Completion:
    """Replies of one text."""
    return lambda call: Reply(call, "ok", text=text, **more)


def ended(call: Call, how: str) -> Reply:
    """A call's end, by a word: a letter or a text, or the name of a failure behind a `!`."""
    if not how.startswith("!"):
        return Reply(call, "ok", text=how)
    if how in ("!timeout", "!skipped_budget"):
        return Reply(call, how[1:], error_message="no reply")  # type: ignore[arg-type]
    return Reply(call, "error", error_kind=how[1:], error_message="no reply")  # type: ignore[arg-type]


def record(path: Path, loaded: Loaded, answer: Completion, **changes: Any) -> RunOutcome:
    """A run folder whose log holds these replies, and its derived files."""
    preparing.prepare(loaded, path, lambda text: text, ())
    folder = RunFolder(path)
    number = 0
    try:
        for row in drive(loaded, answer):
            for reply in row.replies:
                number += 1
                folder.append(LOG, line_of(_attempt(path, loaded, row.sample, reply, number, changes), None))
    finally:
        folder.close()
    return derive(path, loaded.evaluation)


def _attempt(path: Path, loaded: Loaded, item: Sample, reply: Reply, number: int, changes: Mapping[str, Any]) -> Any:
    call = reply.call
    unsent = reply.error_kind == "not_sent" or reply.status == "skipped_budget"
    return attempt(
        **{
            "attempt_id": f"life-{number:06d}",
            "call_key": call_key(call, loaded.evaluation.models[call.model]),
            "status": reply.status,
            "error_kind": reply.error_kind,
            "run_id": path.name,
            "stage": call.stage,
            "item_id": item.id,
            "repeat": item.repeat,
            "doc_id": item.doc_id,
            "q_index": item.q_index,
            "model": call.model,
            "model_id": loaded.evaluation.models[call.model].model,
            "call_index": call.call_index,
            "started_at": None if unsent else "2026-01-01T00:00:00.000Z",
            "finish_reason": reply.finish_reason,
            "usage": reply.usage,
            "simulated": True,
            "error_message": reply.error_message,
            "response_text": reply.text,
            "response_json": None,
            **changes,
        }
    )


def imported(folder: Path, name: str, answers: Sequence[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]] = ENTRIES,
             settings: Sequence[str] = (), out: Path | None = None) -> Path:  # fmt: skip
    """A run folder made of answers; the table is JSONL, the benchmark JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    table, bench = folder / f"{name}.jsonl", folder / f"{name}_bench.json"
    table.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    bench.write_text(json.dumps(list(entries)))
    out = out or folder / "runs" / name
    import_answers(table, bench, out, Workspace(folder), settings)
    return out


def answered(model: str, letters: str, names: Sequence[str] = ("q1", "q2", "q3", "q4")) -> list[dict[str, Any]]:
    """A model's rows of a table of answers, a letter per question; `_` has no row, `.` is an empty reply."""
    return [
        {"question_id": name, "model": model, "raw_response": letter.replace(".", "")}
        for name, letter in zip(names, letters, strict=True)
        if letter != "_"
    ]


def shared_file(name: str) -> Path:
    """A file of the real answers; the test is skipped where it is not on this machine."""
    path = SHARED / "data" / "formationeval" / name
    if not path.is_file():
        pytest.skip("the real answers are not on this machine")
    return path


def choice_question(name: str, answer: int = 0, choices: Sequence[str] = ("1", "22", "333", "4444"), **more: Any) -> Sample:
    """A question as the program has it."""
    return Sample(name, f"What is {name}?", tuple(choices), answer, groups=groups_named(**more))


def answer_of(question: Sample, mark: str, raw: str = "") -> SheetAnswer:
    """An answer by its mark: a letter, `?` for a reply without one, `!` for a refusal, `.` for no reply."""
    key = question.answer
    if mark == ".":
        return SheetAnswer(False, None, False, None, key, "", "no reply: timeout", "", False)
    if mark in "?!":
        return SheetAnswer(True, None, False, None, key, "failed", "refusal" if mark == "!" else "ambiguous", raw, False)
    option = LETTERS.index(mark)
    return SheetAnswer(True, option, option == key, option, key, "first_char", "", raw or mark, False)


def sheet_of(model: str, marks: str, questions: Sequence[Sample], **more: Any) -> Sheet:
    """A model's answers: a mark per question, or a word of several marks where there are spaces; `_` was not asked."""
    words = marks.split() if " " in marks else list(marks)
    found = {
        place: tuple(answer_of(question, mark) for mark in word)
        for place, (question, word) in enumerate(zip(questions, words, strict=True))
        if word != "_"
    }
    return Sheet(model, run_id=more.pop("run_id", "run"), extraction="robust/1", answers=PlacedAnswers(found), **more)


def report_on(keys: str, sheets: Mapping[str, str], questions: Sequence[Sample] | None = None) -> SheetReport:
    """The report on answer sheets: the key of each question, and each model's marks."""
    asked = questions or [choice_question(f"q{i + 1}", LETTERS.index(key)) for i, key in enumerate(keys)]
    return report_of([sheet_of(name, marks, asked) for name, marks in sheets.items()], asked)


def report_of(sheets: Sequence[Sheet], questions: Sequence[Sample]) -> SheetReport:
    """The report on these sheets."""
    return SheetReport(AnswerSheets("little", len(questions), questions, list(sheets)))


def usage(usd: float | None) -> Usage:
    """Usage of this cost."""
    return Usage(prompt_tokens=3, completion_tokens=1, cost_usd=usd)


def csv_rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV by column; every row has all columns, and no column comes twice."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if not rows:
        return []
    assert len(set(rows[0])) == len(rows[0])
    assert {len(row) for row in rows} == {len(rows[0])}
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def derived_files(path: Path) -> dict[str, bytes]:
    """Everything that is derived from a run's log, by name."""
    ours = {"config.toml", "manifest.json", "plan.json", "resolved_config.json", "call_logs.jsonl", "intents.jsonl"}
    ours |= {"progress.json", "run.log", "lock", ".reserve"}
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and file.name not in ours and not {"inputs", "rescored"} & set(file.relative_to(path).parts)
    }
