"""The forecast of a draft: its calls, its cost, and what keeps it from being started; fast enough for every key press."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.problems import (
    KeysThere,
    Mark,
    Problem,
    mark_of,
    missing_keys,
    nothing_to_ask,
    over_caps,
    problems_of,
    taken_names,
)
from tui_eval.configuring.drafting.sizes import NamedFile, named_files
from tui_eval.configuring.input_files import read_input
from tui_eval.configuring.loading import Loaded, complete, mistakes
from tui_eval.configuring.provenance import PROMPT_FIELDS
from tui_eval.core.calls import Call, Json, Message, ModelSpec, Repair
from tui_eval.core.errors import ConfigError, Place
from tui_eval.core.input_sources import InputFile, Source
from tui_eval.evaluation.drivers import as_example
from tui_eval.models.learned import learned
from tui_eval.providers import WIRES
from tui_eval.workspace.places import Workspace

__all__ = ["Look", "Planner", "Preview", "PreviewedCall", "Problem"]


@dataclass(frozen=True, slots=True)
class Look:
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
    files: Mapping[Place, tuple[NamedFile, ...]] = field(default_factory=dict)
    """The files that it names, with their sizes, by the key that does."""

    @property
    def ready(self) -> bool:
        """Whether it can be started."""
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
        self._inputs = _Inputs()
        self._keys = KeysThere()

    def look(self, draft: Draft) -> Look:
        """What the draft would do, and what is wrong with it. Mistakes are problems of the look; none is raised."""
        version = draft.version  # before its content: a look that is late is taken for older than it is, never for newer
        file = draft.light_file()
        try:
            loaded = complete(file, self._workspace, sends=False, read=self._inputs.read)
        except ConfigError as error:
            errors = [error, *mistakes(file, self._workspace)]
            found = dict.fromkeys(problem for one in errors for problem in problems_of(file, one))
            return Look(version, None, None, None, tuple(found), (), False, None)
        self._inputs.end_look()
        keeping = (
            *taken_names(loaded, self._workspace),
            *missing_keys(loaded, self._keys),
            *nothing_to_ask(loaded),
            *over_caps(loaded),
        )
        return Look(
            version,
            loaded.plan,
            loaded.run.max_calls,
            loaded.run.max_cost_usd,
            tuple(dict.fromkeys(keeping)),
            loaded.warnings,
            any(spec.wire == "simulator" for spec in loaded.evaluation.models.values()),
            loaded,
            named_files(loaded),
        )

    def preview(self, look: Look, number: int) -> Preview:
        """The calls of one item, counted from 0, just as they will be sent. ValueError where the look has no plan;
        IndexError where there is no such item."""
        if look.loaded is None:
            raise ValueError("there is nothing to preview while the config is not sound")
        evaluation = look.loaded.evaluation
        every = evaluation.samples()
        item = next(islice(every, number, None), None) if number >= 0 else None
        if item is None:
            raise IndexError(f"there is no item {number}")
        row = evaluation.driven(item, as_example)
        if row.error:
            raise ValueError(f"the calls of {item.id} cannot be made: {row.error}")
        known = learned(self._workspace, evaluation.models.values())
        sent = {name: _as_sent(spec, look.loaded) for name, spec in evaluation.models.items()}
        calls = (_previewed(reply.call, sent[reply.call.model], known) for reply in row.replies)
        return Preview(look.loaded.plan["items"], item.id, tuple(calls))


class _Inputs:
    """Input files, read again only when they have changed."""

    def __init__(self) -> None:
        self._before: dict[tuple[str, Source], tuple[Mark, InputFile]] = {}
        self._now: dict[tuple[str, Source], tuple[Mark, InputFile]] = {}

    def read(self, path: Path, source: Source) -> InputFile:
        """An input file. ConfigError where it cannot be read, or is too large."""
        key, mark = (str(path), source), mark_of(path)
        if mark is None:
            return read_input(path, source)
        known = self._now.get(key) or self._before.get(key)
        if known is None or known[0] != mark:
            known = (mark, read_input(path, source))
        self._now[key] = known
        return known[1]

    def end_look(self) -> None:
        """Forget the files that the last sound config did not name."""
        self._before, self._now = self._now, {}


def _as_sent(spec: ModelSpec, loaded: Loaded) -> ModelSpec:
    """The model as it is asked: a batch brings no streams."""
    batched = loaded.run.mode == "batch" and WIRES[spec.wire].batches is not None
    return replace(spec, stream=False) if batched else spec


def _previewed(call: Call, spec: ModelSpec, known: Mapping[str, Mapping[str, Repair]]) -> PreviewedCall:
    body = _body(call, spec, known.get(spec.name, {}))
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
