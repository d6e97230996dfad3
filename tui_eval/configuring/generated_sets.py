"""The sets of questions that runs make: put into the datasets folder when a run has ended, never over another set."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Json
from tui_eval.core.conversations import ConversationSet
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_files import read_conversations, written_conversations
from tui_eval.datasets.dropped_questions import FILE as DROPPED
from tui_eval.datasets.dropped_questions import dropped_of, read_dropped
from tui_eval.datasets.notes import note
from tui_eval.datasets.set_list import FOLDER, GENERATED_BY, MAX_BENCHMARK_BYTES, folder_of, paths_named, read_set, run_of
from tui_eval.datasets.set_store import name_problem, plain_name, rewritten_as, write_file
from tui_eval.datasets.sets import of_conversations, set_text
from tui_eval.datasets.taken_back import id_in_set, with_taken_back
from tui_eval.runs.opening import content_of
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import named_json
from tui_eval.workspace.private_files import replace_file

FILE = "dataset.json"
"""Of a run folder: the set that the run made."""


@dataclass(frozen=True, slots=True)
class MadeSet:
    """Outcome of the set that a run made."""

    questions: int
    words: str
    """For a person: where it is, or why it is nowhere."""


def set_name(evaluation: Evaluation) -> str | None:
    """Return the name of the set that a run makes; None where it makes none."""
    name_of_set = evaluation.kind.set_maker.set_name
    return None if name_of_set is None else name_of_set(evaluation.task) or plain_name(evaluation.name)


def check_set(loaded: Loaded, workspace: Workspace) -> None:
    """ConfigError where there is a set of the name already that the run's own is to have: nothing is sent for it."""
    name = set_name(loaded.evaluation)
    problem = name_problem(workspace, name) if name is not None else ""
    if problem:
        key = f"{loaded.evaluation.kind.name}.dataset"
        raise loaded.file.located_error(f"{key}: {name}: {problem} (--set {key}=...)")


def keep_set(path: Path, evaluation: Evaluation, workspace: Workspace) -> MadeSet | None:
    """Put the set of a run folder into the datasets folder; None where the run makes none. ConfigError where it cannot be.

    What the same run kept there when it ended early is put away under .originals; what it kept whole stays as it is.
    """
    name, file = set_name(evaluation), path / FILE
    if name is None or not file.is_file():
        return None
    new_set = read_conversations(_json_of(file), str(file), empty=True)
    questions = count_of(new_set.turns, "question")
    if not new_set.conversations:
        return MadeSet(0, "no question was kept, so that there is no set; dropped.csv has the reasons")
    old = next(iter(paths_named(workspace, name)), None)
    if old is not None:
        before = _of_same_run(old, new_set)
        if before is None:
            raise ConfigError(
                f"{FOLDER}/{old.name}: another set of that name was made meanwhile, and is kept. The run's own is "
                f"{file}: tui-eval datasets import {file} --name NAME"
            )
        if not before.incomplete or before == new_set:
            return MadeSet(new_set.turns, f"{questions} in {FOLDER}/{old.name}, as they were kept before")
    target = folder_of(workspace) / f"{name}.json"
    try:
        target.parent.mkdir(exist_ok=True)
        write_file(target, written_conversations(new_set), old)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}; the set is {file}") from None
    source = f"{GENERATED_BY}{path.name}, {time.strftime('%Y-%m-%d')}"
    note(workspace, target.name, lambda entry: replace(entry, source=source))
    early = " so far; resume adds the rest" if new_set.incomplete else ""
    return MadeSet(new_set.turns, f"{questions}{early}, kept as {FOLDER}/{target.name}")


def _json_of(path: Path) -> Json:
    return named_json(path, MAX_BENCHMARK_BYTES, advice="; the run's rescore makes it anew")


def _of_same_run(path: Path, new: ConversationSet) -> ConversationSet | None:
    """A set on file, where the run made it that made the new one."""
    try:
        before = read_conversations(_json_of(path), path.name)
    except ConfigError:
        return None
    ours, theirs = (dict(question_set.generator or {}).get("run") for question_set in (new, before))
    return before if ours and ours == theirs else None


def dropped_questions(path: Path, workspace: Workspace) -> list[Sample]:
    """The questions that were dropped when a set was made, and not taken back since; none where its run is gone, or it was made
    by no run."""
    run_id = run_of(path, workspace)
    file = workspace.runs / run_id / DROPPED
    if not run_id or not file.is_file():
        return []
    there = {question.id for question in read_set(path).questions}
    return [question for question in read_dropped(content_of(file)) if id_in_set(question) not in there]


def take_back(path: Path, question: Sample) -> str:
    """Put a dropped question into the set of a file. What is to be said of it: "" where its quote stands in the document.

    ConfigError where it builds on a question that is not in the set, or the file is none of ours.
    """
    conversation_set, dropped = read_set(path).conversations, dropped_of(question)
    if conversation_set is None or dropped is None or rewritten_as(path) is not None:
        raise ConfigError(f"{path.name}: a file of another form takes no dropped question; edit one of its questions first")
    after = with_taken_back(conversation_set, question, dropped)
    replace_file(path, set_text(of_conversations(after)))
    turn = next(turn for conversation in after.conversations for turn in conversation.turns if turn.id == id_in_set(question))
    return "" if turn.quote or not dropped.quote else "its quote is not in the document, and was left out"
