"""Answers made elsewhere, turned into a run folder: scored, compared and reported like any other run, with no call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from tui_eval.configuring import preparing
from tui_eval.configuring.loading import Loaded, complete
from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import Source
from tui_eval.core.key import call_key
from tui_eval.datasets.documents import as_is
from tui_eval.datasets.lettered.imported_answers import ImportedAnswer, read_answers
from tui_eval.evaluation.drivers import first_calls
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.reporting.derive import derive
from tui_eval.reporting.result_writer import RunOutcome
from tui_eval.runs.folder import LOG, PROGRESS, RunFolder
from tui_eval.runs.record import line_of, place_of_call, unasked_attempt
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

TableOfAnswers = Callable[[str, str, Sequence[str]], Mapping[str, Json]]
LIFE = "import"
MAX_BYTES = 256 * 1024 * 1024


def import_answers(
    answers: Path,
    benchmark: Path,
    out: Path,
    workspace: Workspace,
    settings: Sequence[str] = (),
    command_line: Sequence[str] = (),
    force: bool = False,
) -> tuple[RunOutcome, Loaded]:
    """Make a run folder of a table of answers and a benchmark, and its reports. ConfigError for what does not fit."""
    file = as_is(answers, Source("answers", str(answers), "import", MAX_BYTES), f"inputs/lists/{answers.name}")
    if file.encoding != "utf-8":
        raise ConfigError(f"import {answers}: not UTF-8; save it as UTF-8")
    table = read_answers(file.content, answers.name)
    loaded = complete(override(_config(table, answers, benchmark), settings), workspace, sends=False)
    preparing.prepare(loaded, out, lambda text: text, command_line, force)
    _write_log(out, loaded, {(answer.question_id, answer.model): answer for answer in table})
    return derive(out, loaded.evaluation), loaded


def _config(table: Sequence[ImportedAnswer], answers: Path, benchmark: Path) -> TomlFile:
    """The config of such a run, as a person would write it."""
    kind, table_of_answers = kind_of_answers()
    models = list(dict.fromkeys(answer.model for answer in table))
    content = {
        "kind": kind.name,
        "name": answers.stem,
        "run": {"cache": False},
        "models": [{"name": name, "wire": "recorded", "model": name} for name in models],
        kind.name: dict(table_of_answers(str(benchmark.absolute()), str(answers.absolute()), models)),
    }
    return TomlFile(Path("import"), content, {}, by_words=True)


def kind_of_answers(kinds: Mapping[str, Kind] = KINDS) -> tuple[Kind, TableOfAnswers]:
    """The kind that takes answers made elsewhere, and what makes its table. ConfigError where none does."""
    for kind in kinds.values():
        if kind.offered and kind.starts.from_answers is not None:
            return kind, kind.starts.from_answers
    raise ConfigError("import: no kind of evaluation takes answers that were made elsewhere")


def _write_log(path: Path, loaded: Loaded, answers: Mapping[tuple[str, str], ImportedAnswer]) -> None:
    """One record per question and model, in order; what the table lacks is on record as missing. No reply is read yet."""
    evaluation = loaded.evaluation
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    with closing(RunFolder(path, unlocked=True)) as folder:  # it was made just now: nobody else writes it
        for number, item in enumerate(evaluation.samples()):
            for call in first_calls(evaluation.kind, evaluation.task, item):
                reply = _reply(call, answers.get((item.doc_id, item.queue)))
                model = evaluation.models[call.model]
                place = place_of_call(path.name, call, item, model)
                folder.append(LOG, line_of(unasked_attempt(LIFE, number, call_key(call, model), reply, place, stamp), None))
        total = loaded.plan["total_calls"]
        ended = {"run_id": path.name, "state": "done", "why": "answers were imported", "planned": total, "done": total}
        folder.replace(
            PROGRESS, json.dumps({**ended, "items": loaded.plan["items"], "items_done": loaded.plan["items"]}) + "\n"
        )


def _reply(call: Call, answer: ImportedAnswer | None) -> Reply:
    if answer is None:
        return Reply(call, "error", error_kind="not_sent", error_message="not in the imported table")
    if not answer.raw_response.strip() and not answer.truncated and not answer.stands_as_named:
        return Reply(call, "error", error_kind="empty", error_message="an empty answer in the imported table")
    return Reply(call, "ok", text=answer.raw_response)
