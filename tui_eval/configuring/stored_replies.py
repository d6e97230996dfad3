"""Replies of a run that are on file before anything is sent: those of an earlier run, and those that the cache keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.taken_answers import TRUTH, not_taken
from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.key import call_key
from tui_eval.runs.cache import ReplyCache
from tui_eval.runs.reader import Recorded, replies_of
from tui_eval.runs.record import reply_of

MOST_CALLS = 20_000
"""Planned calls up to which the cache is looked through: a plan is to be there in seconds."""
CACHE = "cache"
THE_SET = "the set itself"
Whence = tuple[str, str, str]
"""(where the replies come from: an earlier run's id, THE_SET or CACHE; stage; model)."""


@dataclass(slots=True)
class OnFile:
    """Replies that are not asked for, by where they come from, stage and model."""

    found: Counter[Whence] = field(default_factory=Counter)
    missing: Counter[Whence] = field(default_factory=Counter)
    """Those that an earlier run should have and has not: nobody is asked for them either."""
    cache_read: bool | None = None
    """Whether the cache was looked through, which it is not for very many calls; None where none is used, or is there."""

    def entries(self) -> list[dict[str, Json]]:
        """The same for programs, in the order in which they were met."""
        return [
            {"from": key[0], "stage": key[1], "model": key[2], "found": self.found[key], "missing": self.missing[key]}
            for key in dict.fromkeys([*self.found, *self.missing])
        ]


def replies_on_file(loaded: Loaded, cache: Path) -> OnFile:
    """Count the replies on file for a run. `cache`: where replies are kept over runs, used if the run's settings say so.

    Calls that build on a reply which is not there yet are not known, and count nowhere; nor are those to an address behind a
    variable. FolderError where the earlier run cannot be read.
    """
    on_file = OnFile()
    if loaded.run.cache and cache.is_dir():
        on_file.cache_read = loaded.plan["total_calls"] <= MOST_CALLS
    reply_cache = ReplyCache(cache) if on_file.cache_read else None
    if loaded.answers is None and reply_cache is None:
        return on_file
    with replies_of(loaded.answers) if isinstance(loaded.answers, Path) else nullcontext() as earlier:
        answer = _answers(loaded, earlier, reply_cache, on_file)
        for sample in loaded.evaluation.samples():
            loaded.evaluation.driven(sample, answer)
    for planned in loaded.plan.get("recorded", ()) if loaded.answers is not None else ():
        key = _source(loaded), planned["stage"], planned["model"]
        on_file.missing[key] = planned["calls"] - on_file.found[key]
    return on_file


def _source(loaded: Loaded) -> str:
    return loaded.answers.name if isinstance(loaded.answers, Path) else THE_SET


def _answers(loaded: Loaded, earlier: Recorded | None, cache: ReplyCache | None, on_file: OnFile) -> Callable[[Call], Reply]:
    """Return a function that answers a call by what is on file; each is counted."""
    models, recorded_stages, source = loaded.evaluation.models, loaded.evaluation.task.recorded, _source(loaded)

    def answer(call: Call) -> Reply:
        model = models[call.model]
        if call.stage in recorded_stages and loaded.answers == TRUTH:
            on_file.found[source, call.stage, call.model] += 1
            return Reply(call, "ok", text=call.example_text)
        key = call_key(call, model)
        if call.stage in recorded_stages:
            record = None if earlier is None else earlier.record(key)
            if record is None or not record["final"]:
                return not_taken(call)
            on_file.found[source, call.stage, call.model] += 1
            return reply_of(record, call)
        cached_record = None if cache is None or "${" in (model.base_url or "") else cache.get(key)
        reply = None if cached_record is None else reply_of(cached_record, call)
        if reply is None or reply.unread:
            return Reply(call, "error", error_kind="not_sent", final=False)
        on_file.found[CACHE, call.stage, call.model] += 1
        return reply

    return answer
