"""Replies of an earlier run taken in place of asking, by call key: written into a run's log as it is prepared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.errors import FolderError
from tui_eval.core.key import call_key
from tui_eval.core.samples import Sample
from tui_eval.runs.folder import CONFIG, LOG, MANIFEST, RunFolder, this_moment
from tui_eval.runs.reader import Recorded, RunReader, replies_of
from tui_eval.runs.record import copied_line, line_of, place_of_call, reply_of, unasked_attempt
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile, read_toml

LIFE, LIFE_OF_REPEATS = "taken", "repeats"
"""What stands before the numbers of attempts that nobody made, since a reply is not there."""
TRUTH = "truth"
"""In place of a run: the replies are those that the calls themselves give as good ones, such as ground truths."""


@dataclass(frozen=True, slots=True)
class FirstRepeats:
    """A run that is asked once more: its replies stand for the first repeats, in all stages; the further ones are asked."""

    run: Path
    uid: str
    repeats: int


def taken_from(
    file: TomlFile, workspace: Workspace, runs_by_stage: Mapping[str, tuple[str, str]], models: Iterable[str]
) -> tuple[Path | str | None, list[str]]:
    """The run that a config takes replies of, and what a person should know of it. `runs_by_stage`: its name, and the key;
    `models`: those whose replies are taken.

    TRUTH where none is needed. None where it takes none, and where the config of a run folder, whose log has them already,
    names one that is gone. ConfigError where there is no such run, or more than one is named.
    """
    if not runs_by_stage:
        return None, []
    (name, key), *other_runs = dict.fromkeys(runs_by_stage.values())
    if other_runs:
        raise file.located_error(f"{other_runs[0][1]}: replies can be taken from one earlier run only; {key} names another one")
    if name == TRUTH:
        return TRUTH, []
    try:
        beside = file.path.parent / name
        path = beside if (beside / CONFIG).is_file() else workspace.run(name)
        config = RunReader(path).path / CONFIG
        entries = {entry["name"]: entry for entry in read_toml(config).content.get("models", ()) if isinstance(entry, dict)}
    except (FolderError, KeyError) as error:
        if file.path.name == CONFIG and (file.path.parent / MANIFEST).exists():
            return None, []
        raise file.located_error(f"{key}: {error}") from None
    renamed = [model for model in models if model not in entries]
    hint = f"it has {', '.join(entries)}; a model with another name counts as another model"
    return path, [f"{key}: {path.name} has nothing of {', '.join(renamed)} ({hint})"] if renamed else []


def not_taken(call: Call) -> Reply:
    """The end of a call whose reply the earlier run does not have."""
    return Reply(call, "error", error_kind="not_sent", error_message="not among the replies of the earlier run")


def write_taken(path: Path, evaluation: Evaluation, source: Path | str | FirstRepeats) -> dict[str, Json]:
    """Write the replies that a new run takes from another one's log into its own; what is said of it in the manifest.

    `source`: that run, TRUTH, or the run whose first repeats they are.
    A call that is not there, or was never settled there, is on record as missing. Samples are driven by what is found.
    """
    again = source if isinstance(source, FirstRepeats) else None
    run = source.run if isinstance(source, FirstRepeats) else source
    earlier = nullcontext() if isinstance(run, str) else replies_of(run)
    folder = RunFolder(path, unlocked=True)  # it was made just now: nobody else writes it
    with earlier as recorded, closing(folder):
        writing = _Writing(folder, evaluation, recorded, again)
        for sample in evaluation.samples():
            evaluation.driven(sample, partial(writing.answer, sample))
    summary = {"run": run if isinstance(run, str) else run.name, "found": writing.found, "missing": writing.missing}
    return summary if again is None else {**summary, "aa": True, "uid": again.uid, "repeats": again.repeats}


class _Writing:
    """Replies as they go from one log into another."""

    def __init__(
        self, folder: RunFolder, evaluation: Evaluation, recorded: Recorded | None, again: FirstRepeats | None
    ) -> None:
        self._folder, self._evaluation, self._recorded, self._again = folder, evaluation, recorded, again
        self.found = self.missing = 0

    def answer(self, sample: Sample, call: Call) -> Reply:
        """Answer a call: by what the earlier run has, which is written, or that it is missing, or still to be asked."""
        earlier = self._named_there(call, sample)
        if earlier is None:
            return Reply(call, "error", error_kind="not_sent")
        run_id, model = self._folder.path.name, self._evaluation.models[call.model]
        key = call_key(call, model)
        record = None if self._recorded is None else self._recorded.record(key if earlier is call else call_key(earlier, model))
        if record is not None and record["final"]:
            self.found += 1
            self._folder.append(LOG, copied_line({**record, "call_key": key}, run_id, call, sample, model))
            return reply_of(record, call)
        reply = not_taken(call) if self._recorded is not None else Reply(call, "ok", text=call.example_text)
        self.found, self.missing = self.found + reply.ok, self.missing + (not reply.ok)
        place = place_of_call(run_id, call, sample, model)
        life = LIFE if self._again is None else LIFE_OF_REPEATS
        attempt = unasked_attempt(life, self.found + self.missing, key, reply, place, this_moment())
        self._folder.append(LOG, line_of(attempt, None))
        return reply

    def _named_there(self, call: Call, sample: Sample) -> Call | None:
        """The call as the earlier run has it; None where it is to be asked.

        Of a run that takes answers of yet another one, as when they are judged anew, the first repeat's stand for all.
        """
        is_taken = call.stage in self._evaluation.task.recorded
        if self._again is None or sample.repeat < self._again.repeats:
            return call if is_taken or self._again is not None else None
        return replace(call, item_id=call.item_id.removesuffix(f"#{sample.repeat + 1}")) if is_taken else None


def tell_taken(path: Path, say: Callable[[str], None]) -> None:
    """Say how many replies a run took from an earlier one, and how many that one does not have."""
    entry = RunReader(path).table(MANIFEST).get("taken")
    if isinstance(entry, dict):
        n = entry["missing"]
        lacks = f"; {n:,} are not there: they count as missing, and so does all that builds on them" if n else ""
        whence = "the set itself" if entry["run"] == TRUTH else entry["run"]
        say(f"{entry['found']:,} replies were taken from {whence}{lacks}; nobody is asked for these")
