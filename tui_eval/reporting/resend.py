"""One recorded call asked again, in other words or with other parameters: a run of its own, with a budget of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.evaluation import Evaluation, samples_on_file
from tui_eval.configuring.loading import Loaded, check_caps, complete
from tui_eval.core.calls import Call, Json, Message, Reply
from tui_eval.core.errors import ConfigError, FolderError, TuiEvalError
from tui_eval.core.key import call_key
from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.evaluation.drivers import recorded_answers
from tui_eval.kinds import KINDS
from tui_eval.kinds.call import CALL
from tui_eval.models.catalogue import models_on_file
from tui_eval.models.model_selection import check_model
from tui_eval.providers import WIRES
from tui_eval.runs.folder import LOG, MANIFEST
from tui_eval.runs.reader import Recorded, RunReader
from tui_eval.runs.steering import Started
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

Record = Mapping[str, Any]
"""An attempt as the log has it."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters that are sent besides the messages, and the model. None = not sent (timeout_s: as the run says)."""

    model: str
    temperature: float | None = None
    max_output_tokens: int | None = None
    """Tokens."""
    reasoning_effort: str | None = None
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Original:
    """A recorded call, as it was sent and as it ended."""

    path: Path
    run_id: str
    name: str
    """The run's own name."""
    record: Record
    """The attempt that was chosen, else the one that counts for the call."""
    call: Call
    parameters: Parameters
    models: Mapping[str, ModelTable]
    """Those that it can be sent to: the run's own, and those on file."""
    seed: int | None
    """The run's seed where its model is sent one. The call of another run is sent another number made from it."""
    again: bool
    """Whether its run, too, is one that the program made, to send a call again."""


def original(path: Path, attempt: str, workspace: Workspace) -> Original:
    """A call of a run's log: `attempt` is an attempt's id, or a call's key.

    FolderError or ConfigError where it cannot be sent again, with the reason. Its messages are found by driving its item's
    flow with the recorded replies, so they are what was meant to be sent, whatever the wire made of them.
    """
    loaded = reopening.reopen(path, workspace, sends=False)
    evaluation = loaded.evaluation
    reader = RunReader(path)
    with Recorded(path) as recorded:
        record = _record(reader, recorded, attempt, whole=evaluation.kind.further is not None)
        call = _call_of(evaluation, recorded, record)
    spec = evaluation.models[call.model]
    if WIRES[spec.wire].recorded:
        raise FolderError(f"the answers of {call.model!r} were imported: there is no model behind it that could be asked")
    parameters = Parameters(call.model, call.temperature, call.max_output_tokens, spec.reasoning_effort, call.timeout_s)
    models = _models(loaded, workspace)
    run_id = str(reader.table(MANIFEST).get("run_id", path.name))
    again = not evaluation.kind.offered
    return Original(path, run_id, evaluation.name, record, call, parameters, models, spec.seed, again)


def _record(reader: RunReader, recorded: Recorded, attempt: str, whole: bool) -> Record:
    """The attempt in the log; afterwards `recorded` knows every reply of its item (`whole`: of all)."""
    match = next(
        (candidate for candidate in reader.heads() if attempt in (candidate[1]["attempt_id"], candidate[1]["call_key"])), None
    )
    if match is None:
        raise FolderError(f"{reader.path / LOG}: no attempt {attempt}")
    offset, head = match
    for place, other_head in reader.heads():
        if whole or other_head["item_id"] == head["item_id"]:
            recorded.add(other_head, place)
    record = recorded.record(head["call_key"]) if attempt == head["call_key"] else recorded.record_at(offset)
    if record is None:
        raise FolderError(f"{reader.path / LOG}: the line of attempt {attempt} is damaged")
    return record


def _call_of(evaluation: Evaluation, recorded: Recorded, record: Record) -> Call:
    """The call of a record, made again by its item's flow."""
    item = next((item for item in samples_on_file(evaluation, recorded) if item.id == record["item_id"]), None)
    if item is None:
        raise FolderError(f"{record['stage']} of {record['item_id']}: not a call of the evaluation itself; it is not resent")
    recorded_reply = recorded_answers(evaluation.models, recorded.reply)
    calls: list[Call] = []

    def answer(call: Call) -> Reply:
        if call_key(call, evaluation.models[call.model]) == record["call_key"]:
            calls.append(call)
        return recorded_reply(call)

    evaluation.driven(item, answer)
    if not calls:
        raise FolderError(
            f"{record['stage']} of {record['item_id']}: its messages cannot be made again. They were built on replies that "
            "count no more (another attempt came later), or the log was changed"
        )
    return calls[0]


def _models(loaded: Loaded, workspace: Workspace) -> dict[str, ModelTable]:
    """The run's own models, then those on file under other names that may be used; imported answers are no model."""
    try:
        on_file = [table for table, _ in models_on_file(workspace).values() if table.enabled]
    except ConfigError:
        on_file = []  # the run's own models are enough; the screen of models says what is wrong with the file
    usable = [table for table in on_file if table.status in ("available", "deprecated")]
    tables = {table.name: table for table in (*usable, *loaded.tables)}
    return {name: table for name, table in tables.items() if table.wire not in WIRES or not WIRES[table.wire].recorded}


def draft_of(original: Original, messages: Sequence[Message], parameters: Parameters) -> dict[str, Json]:
    """The config of a run that sends these messages once: its model inlined, its budget one call."""
    call: dict[str, Json] = {
        "model": parameters.model,
        "temperature": parameters.temperature,
        "max_output_tokens": parameters.max_output_tokens,
        "timeout_s": parameters.timeout_s,
        "messages": [_turn(message, original.path) for message in messages],
        "source": {
            "run": original.run_id,
            "attempt_id": original.record["attempt_id"],
            "call_key": original.record["call_key"],
            "stage": original.call.stage,
            "item": _storable(original.call.item_id),
        },
    }
    run: dict[str, Json] = {"max_calls": 1, "max_concurrency": 1, "retries": 0, "max_output_tokens": 0, "cache": False}
    return {
        "kind": CALL.name,
        "name": _name(original),
        "run": run if original.seed is None else {**run, "seed": original.seed},
        "models": [_table(original.models[parameters.model], parameters)],
        CALL.name: {name: value for name, value in call.items() if value is not None},
    }


def _name(original: Original) -> str:
    """Return the name of the run; one that is made of such a run again is called as that one."""
    if original.again:
        return original.name
    return _storable(f"resend {original.call.stage} {original.call.item_id.removeprefix(NO_DOCUMENT + '/')}")


def _storable(text: str) -> str:
    """A name as a file can hold it: those of a dataset may have halves of characters."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _turn(message: Message, path: Path) -> dict[str, Json]:
    turn: dict[str, Json] = {"role": message.role, "content": message.content}
    files = [str((path / attachment.path).absolute()) for attachment in message.attachments]
    return {**turn, "attachments": files} if files else turn


def _table(table: ModelTable, parameters: Parameters) -> dict[str, Json]:
    """The model without the settings that the call has itself: one that is unset there is not to come back from here."""
    settings: dict[str, Json] = table.model_dump(exclude_none=True)
    for name in ("temperature", "max_output_tokens", "timeout_s", "reasoning_effort"):
        settings.pop(name, None)
    return settings if parameters.reasoning_effort is None else {**settings, "reasoning_effort": parameters.reasoning_effort}


# ------------------------------------------------------------------------------------------------------------- sending it


@dataclass(frozen=True, slots=True)
class ResendPreview:
    """Preview of sending it."""

    loaded: Loaded | None
    problem: str = ""
    """Why it cannot be sent, and what to do; "" where it can."""
    max_cost_usd: float | None = None
    """The most it can cost; None = not known."""
    simulated: bool = False
    warnings: tuple[str, ...] = ()


NAME = Path("this call")
"""Stands for the config's path in what is said of mistakes: there is no file of it before the run folder is made."""


def look(draft: dict[str, Json], workspace: Workspace) -> ResendPreview:
    """Check a draft without sending anything."""
    try:
        file = TomlFile(NAME, draft, {}, by_words=True)
        loaded = complete(file, workspace, sends=False)  # hosts that are new are asked about before it is sent
        for table in loaded.asked_tables:
            check_model(table, file, workspace, loaded.key_files, sends=True)
        check_caps(loaded)
    except TuiEvalError as error:
        return ResendPreview(None, str(error).replace(f"{NAME}: ", ""))
    simulated = all(WIRES[spec.wire].simulated for spec in loaded.evaluation.models.values())
    return ResendPreview(loaded, "", loaded.plan["max_cost_usd"], simulated, loaded.warnings)


def send(loaded: Loaded, workspace: Workspace) -> tuple[Path, Started]:
    """Make a run folder of it among the others, and a process of its own that sends it."""
    return preparing.start(loaded, workspace, ["resend"])


def reply_in(path: Path) -> Record | None:
    """Return the record of a run of one call: the last attempt that was sent, else why none was; None before there is any."""
    reader = RunReader(path)
    kind = KINDS.get(str(reader.table(MANIFEST).get("kind")))
    records = [record for record in reader.records() if kind is not None and record["stage"] in kind.stage_names]
    sent = [record for record in records if record["started_at"] is not None]
    return next(reversed(sent or records), None)
