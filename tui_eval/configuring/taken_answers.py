"""Replies of an earlier run taken in place of asking, by call key: written into a run's log as it is prepared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, nullcontext
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.errors import FolderError
from tui_eval.core.key import call_key
from tui_eval.core.samples import Sample
from tui_eval.runs.folder import CONFIG, LOG, MANIFEST, RunFolder, this_moment
from tui_eval.runs.reader import RunReader, replies_of
from tui_eval.runs.record import copied_line, line_of, place_of_call, reply_of, unasked_attempt
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile, read_toml

LIFE = "taken"
TRUTH = "truth"
"""In place of a run: the replies are those that the calls themselves give as good ones, such as ground truths."""


def taken_from(
    file: TomlFile, workspace: Workspace, taken: Mapping[str, tuple[str, str]], models: Iterable[str]
) -> tuple[Path | str | None, list[str]]:
    """The run that a config takes replies of, and what a person should know of it. `taken`: by stage its name, and the key;
    `models`: those whose replies are taken.

    TRUTH where none is needed. None where it takes none, and where the config of a run folder, whose log has them already,
    names one that is gone. ConfigError where there is no such run, or more than one is named.
    """
    if not taken:
        return None, []
    (name, key), *others = dict.fromkeys(taken.values())
    if others:
        raise file.located_error(f"{others[0][1]}: replies of one earlier run can be taken; {key} names another one")
    if name == TRUTH:
        return TRUTH, []
    try:
        beside = file.path.parent / name
        path = beside if (beside / CONFIG).is_file() else workspace.run(name)
        known = RunReader(path).path / CONFIG
        asked = {entry["name"]: entry for entry in read_toml(known).content.get("models", ()) if isinstance(entry, dict)}
    except (FolderError, KeyError) as error:
        if file.path.name == CONFIG and (file.path.parent / MANIFEST).exists():
            return None, []
        raise file.located_error(f"{key}: {error}") from None
    renamed = [model for model in models if model not in asked]
    told = f"it has {', '.join(asked)}; a model of another name is another model"
    return path, [f"{key}: {path.name} has nothing of {', '.join(renamed)} ({told})"] if renamed else []


def not_taken(call: Call) -> Reply:
    """The end of a call whose reply the earlier run does not have."""
    return Reply(call, "error", error_kind="not_sent", error_message="not among the replies of the earlier run")


def write_taken(path: Path, evaluation: Evaluation, source: Path | str) -> dict[str, Json]:
    """Write the replies that a new run takes from another one's log into its own; what is said of it in the manifest.

    `source`: that run, or TRUTH.
    A call that is not there, or was never settled there, is on record as missing. Samples are driven by what is found.
    """
    found = missing = 0
    earlier = nullcontext() if isinstance(source, str) else replies_of(source)
    folder = RunFolder(path, unlocked=True)  # it was made just now: nobody else writes it
    with earlier as recorded, closing(folder):
        for sample in evaluation.samples():

            def answer(call: Call, sample: Sample = sample) -> Reply:
                nonlocal found, missing
                if call.stage not in evaluation.task.recorded:
                    return Reply(call, "error", error_kind="not_sent")
                model = evaluation.models[call.model]
                key = call_key(call, model)
                record = None if recorded is None else recorded.record(key)
                if record is not None and record["final"]:
                    found += 1
                    folder.append(LOG, copied_line(record, path.name, call, sample, model))
                    return reply_of(record, call)
                reply = not_taken(call) if recorded is not None else Reply(call, "ok", text=call.example)
                found, missing = found + reply.ok, missing + (not reply.ok)
                place = place_of_call(path.name, call, sample, model)
                attempt = unasked_attempt(LIFE, found + missing, key, reply, place, this_moment())
                folder.append(LOG, line_of(attempt, None))
                return reply

            evaluation.driven(sample, answer)
    return {"run": source if isinstance(source, str) else source.name, "found": found, "missing": missing}


def tell_taken(path: Path, say: Callable[[str], None]) -> None:
    """Say how many replies a run took from an earlier one, and how many that one does not have."""
    told = RunReader(path).table(MANIFEST).get("taken")
    if isinstance(told, dict):
        lacks = f"; {told['missing']:,} are not there: they are missing, with what builds on them" if told["missing"] else ""
        whence = "the set itself" if told["run"] == TRUTH else told["run"]
        say(f"{told['found']:,} replies were taken from {whence}{lacks}; nobody is asked for these")
