"""The forecast of a draft: its calls, its cost, and what keeps it from being started; fast enough for every key press."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.fields import UNFILLED, Field
from tui_eval.configuring.drafting.schema import field_at, models_named
from tui_eval.configuring.generated_sets import check_set
from tui_eval.configuring.input_files import read_input
from tui_eval.configuring.loading import Loaded, cap_problems, complete, mistakes
from tui_eval.configuring.provenance import PROMPT_FIELDS
from tui_eval.core.calls import Call, Json, Message, ModelSpec, Repair
from tui_eval.core.errors import ConfigError, Place
from tui_eval.core.input_sources import InputFile, Source
from tui_eval.evaluation.config_references import sources
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.kind_validation import TOP_KEYS
from tui_eval.models.learned import learned
from tui_eval.providers import WIRES
from tui_eval.workspace.key_files import has_key
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile, dotted, placed


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that keeps a draft from being started."""

    place: Place
    """The key it is about; () where it is about the whole."""
    words: str
    """What is wrong and what to do, for a person; foreign text where it quotes some."""


Mark = tuple[int, int, int]
"""What changes about a file when it is written or replaced."""


def mark_of(path: Path) -> Mark | None:
    """A file's mark; None where it is not there."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


class KeysThere:
    """Cache of the key variables that are set; the key files are asked again only when these have changed."""

    def __init__(self) -> None:
        self._marks: tuple[Mark | None, ...] = ()
        self._known: dict[str, bool] = {}

    def has(self, name: str, files: Sequence[Path]) -> bool:
        """Return whether a variable is set, in the environment or in one of the files."""
        marks = tuple(map(mark_of, files))
        if marks != self._marks:
            self._marks, self._known = marks, {}
        if name not in self._known:
            self._known[name] = has_key(name, files)
        return self._known[name]


def problems_of(file: TomlFile, error: ConfigError) -> Iterator[Problem]:
    """An error as problems, each at the key to mend; of a model that stands in another file, at the row that names it."""
    content = file.content
    kind = str(content.get("kind"))
    rows = [
        place
        for place, name in models_named(content, kind)
        if re.search(rf"\bmodel (named )?{re.escape(repr(name))}", str(error))
    ]
    if error.file not in (None, file.path):
        message = error.problems[0][1] if error.problems and rows else str(error)
        yield Problem(rows[0] if rows else (), message)
        return
    for place, words in error.problems or [((), _without_path(str(error), file.path))]:
        if place and place[0] not in (*TOP_KEYS, kind):  # it began like a key, and was something else
            yield Problem((), f"{dotted(place)}: {words}")
        elif place == ("models",):
            yield Problem(_entry_of(words.partition(": ")[0], content), words)
        elif len(place) < 2 and rows:
            yield Problem(rows[0], words)
        else:
            yield Problem(place, _with_advice(words, field_at(kind, place)))


def _with_advice(words: str, field: Field | None) -> str:
    """The words for a key that is not there, with what to do."""
    if words.partition(";")[0] != "is missing" or field is None:
        return words
    return UNFILLED[1] if field.sort in ("tables", "texts") else UNFILLED[0]


def _entry_of(name: str, content: Mapping[str, Json]) -> Place:
    """Return the place of the model of this name in the config; all models where it has none."""
    entries = content.get("models")
    for i, entry in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(entry, dict) and entry.get("name") == name:
            return ("models", i)
    return ("models",)


def _variables(table: ModelTable) -> Iterator[tuple[str, str]]:
    """The variables that have to be set for a model to be asked: the key that names each, and its name."""
    for variable in re.findall(r"\$\{([^}]*)\}", table.base_url or ""):
        yield "base_url", variable
    if table.api_key_env:
        yield "api_key_env", table.api_key_env
    if table.organization_env:
        yield "organization_env", table.organization_env


def _place_of(table: ModelTable, key: str, loaded: Loaded) -> Place:
    """Return the place of a model's key in the config; of a model on file, the row that names it."""
    content = loaded.file.content
    entry = _entry_of(table.name, content)
    if len(entry) > 1:
        return (*entry, key)
    rows = models_named(content, loaded.evaluation.kind.name)
    return next((place for place, name in rows if name == table.name), ())


def missing_keys(loaded: Loaded, keys: KeysThere) -> Iterator[Problem]:
    """Models whose key, organization or address needs a variable that is not set."""
    for table in loaded.asked_tables:
        for key, variable in _variables(table):
            if not keys.has(variable, loaded.key_files):
                words = f"model {table.name!r}: {key} names {variable}, which is not set: store it on screen 1 with K"
                yield Problem(_place_of(table, key, loaded), words)


def nothing_to_ask(loaded: Loaded) -> Iterator[Problem]:
    """Runs whose answers were imported."""
    if all(WIRES[spec.wire].recorded for spec in loaded.evaluation.models.values()):
        yield Problem((), "its answers were imported, so there is nothing to ask; import answers with tui-eval import")


def taken_names(loaded: Loaded, workspace: Workspace) -> Iterator[Problem]:
    """Yield the problem of a run that makes a set of questions: one of that name is there already, and stays."""
    try:
        check_set(loaded, workspace)
    except ConfigError as error:
        yield from problems_of(loaded.file, error)


def over_caps(loaded: Loaded) -> Iterator[Problem]:
    """Caps that the estimate does not fit, or that cannot be held."""
    return (Problem(*placed(problem)) for problem in cap_problems(loaded, "to {most:,}"))


def _without_path(message: str, path: Path) -> str:
    """A message without the draft's own file and line, which a person who fills in a form has no use for."""
    return re.sub(rf"(?m)^{re.escape(str(path))}(:[0-9]+)?: ", "", message)


@dataclass(frozen=True, slots=True)
class DraftPlan:
    """A draft as it was looked at."""

    version: int
    """Of the draft."""
    plan: Mapping[str, Json] | None
    """As in plan.json; None where the config is not sound."""
    max_calls: int | None
    """The caps as they would hold, defaults filled in; None = no cap, or not known."""
    max_cost_usd: float | None
    problems: tuple[Problem, ...]
    """Each of them keeps the run from starting; caps that are exceeded are among them."""
    notes: tuple[str, ...]
    """What a person should know, and what does not keep it from starting."""
    simulated: bool
    """Whether any of its models is simulated."""
    loaded: Loaded | None
    files: Mapping[Place, tuple[InputFile, ...]] = field(default_factory=dict)
    """The files that it names, as they were read when it was last sound, by the key that does."""

    @property
    def ready(self) -> bool:
        """Return whether it can be started."""
        return self.loaded is not None and not self.problems


@dataclass(frozen=True, slots=True)
class PreviewedCall:
    """A call as it will be sent."""

    stage: str
    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Json]
    """What is sent besides model and messages."""
    body: str
    """The request's JSON, without any key; in place of an attachment's bytes, which file they are."""
    assumed: bool
    """Whether its prompt holds example replies in place of those that earlier stages will bring."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The calls of one item."""

    items: int
    """How many items there are."""
    item_id: str
    calls: tuple[PreviewedCall, ...]


class Planner:
    """Looks at drafts, from one thread at a time; keeps what does not change from one look to the next."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._inputs = _DraftInputs()
        self._keys = KeysThere()

    def look(self, draft: Draft) -> DraftPlan:
        """Work out what the draft would do, and what is wrong with it. Mistakes are problems of the look; none is raised."""
        version = draft.version  # before its content: a look that is late is taken for older than it is, never for newer
        file = draft.file(lines=False)
        try:
            loaded = complete(file, self._workspace, sends=False, read=self._inputs.read)
        except ConfigError as error:
            errors = [error, *mistakes(file, self._workspace)]
            problems = dict.fromkeys(problem for mistake in errors for problem in problems_of(file, mistake))
            return DraftPlan(version, None, None, None, tuple(problems), (), False, None)
        self._inputs.end_look()
        keeping = (
            *taken_names(loaded, self._workspace),
            *missing_keys(loaded, self._keys),
            *nothing_to_ask(loaded),
            *over_caps(loaded),
        )
        return DraftPlan(
            version,
            loaded.plan,
            loaded.run.max_calls,
            loaded.run.max_cost_usd,
            tuple(dict.fromkeys(keeping)),
            (*loaded.notes, *loaded.warnings),
            any(spec.wire == "simulator" for spec in loaded.evaluation.models.values()),
            loaded,
            _named_files(loaded),
        )

    def preview(self, look: DraftPlan, number: int) -> Preview:
        """The calls of one item, counted from 0, just as they will be sent. ValueError where the look has no plan;
        IndexError where there is no such item."""
        if look.loaded is None:
            raise ValueError("there is nothing to preview until the mistakes in the config are mended")
        evaluation = look.loaded.evaluation
        every = evaluation.samples()
        item = next(islice(every, number, None), None) if number >= 0 else None
        if item is None:
            raise IndexError(f"there is no item {number}")
        row = evaluation.driven(item, as_example)
        if row.error:
            raise ValueError(f"the calls of {item.id} cannot be made: {row.error}")
        repairs = learned(self._workspace, evaluation.models.values())
        sent = {name: _as_sent(spec, look.loaded) for name, spec in evaluation.models.items()}
        calls = (_previewed(reply.call, sent[reply.call.model], repairs) for reply in row.replies)
        return Preview(look.loaded.plan["items"], item.id, tuple(calls))


def _named_files(loaded: Loaded) -> Mapping[Place, tuple[InputFile, ...]]:
    """By the place of a key the files that it names, in their order; what is read along with others is not among them."""
    evaluation = loaded.evaluation
    keys = {source.role: source.key.partition("[")[0] for source in sources(evaluation.config, evaluation.kind.name)}
    files_by_place: dict[Place, tuple[InputFile, ...]] = {}
    for file in evaluation.files:
        if file.role in keys:
            place = placed(f"{keys[file.role]}: ")[0]
            files_by_place[place] = (*files_by_place.get(place, ()), file)
    return files_by_place


class _DraftInputs:
    """Input files, read again only when they have changed."""

    def __init__(self) -> None:
        self._before: dict[tuple[str, Source], tuple[Mark, InputFile]] = {}
        self._now: dict[tuple[str, Source], tuple[Mark, InputFile]] = {}

    def read(self, path: Path, source: Source) -> InputFile:
        """An input file. ConfigError where it cannot be read, or is too large."""
        key, mark = (str(path), source), mark_of(path)
        if mark is None:
            return read_input(path, source)
        cached = self._now.get(key) or self._before.get(key)
        if cached is None or cached[0] != mark:
            cached = (mark, read_input(path, source))
        self._now[key] = cached
        return cached[1]

    def end_look(self) -> None:
        """Forget the files that the last sound config did not name."""
        self._before, self._now = self._now, {}


def _as_sent(spec: ModelSpec, loaded: Loaded) -> ModelSpec:
    """The model as it is asked: a batch brings no streams."""
    batched = loaded.run.mode == "batch" and WIRES[spec.wire].batches is not None
    return replace(spec, stream=False) if batched else spec


def _previewed(call: Call, spec: ModelSpec, repairs: Mapping[str, Mapping[str, Repair]]) -> PreviewedCall:
    body = _body(call, spec, repairs.get(spec.name, {}))
    sent = json.loads(body) if body else {}
    parameters = {key: value for key, value in sent.items() if key not in PROMPT_FIELDS}
    return PreviewedCall(call.stage, call.model, call.messages, parameters, body, bool(call.follows))


def _body(call: Call, spec: ModelSpec, repairs: Mapping[str, Repair]) -> str:
    """The body of the request, with the name of each attachment in place of its bytes; "" where nothing can be sent."""
    wire = WIRES[spec.wire]
    if wire.recorded:
        return ""
    text = wire.encode(call, spec, repairs).body.decode("utf-8")
    for message in call.messages:
        for attachment in message.attachments:
            text = text.replace(attachment.base64, json.dumps(f"the bytes of {attachment.path}")[1:-1])
    return text
