"""What one pass over a log brings, and what reports say of the run: who answered, when, and to which parameters."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tui_eval.core.calls import Call, Json, ModelSpec
from tui_eval.core.results import About, Provenance
from tui_eval.providers import WIRES
from tui_eval.providers.wire import api_version_of
from tui_eval.runs.buckets import Buckets
from tui_eval.runs.ledger import Ledger
from tui_eval.runs.reader import Recorded, RunReader
from tui_eval.session.evaluation import Evaluation

PROMPT_FIELDS = frozenset({"model", "messages", "system", "instructions", "input"})
"""Fields of a request that are no parameters, over all wires."""
SENT_AS: Mapping[str, set[str]] = {"reasoning_effort": {"reasoning_effort", "reasoning", "output_config"}}


@dataclass(slots=True)
class LogPass:
    """What one pass over the heads of a log brings."""

    buckets: Buckets
    per_repeat: list[Buckets]
    ledger: Ledger
    served: dict[str, Counter[str]]
    """By model: how many replies each served model gave."""
    spans: dict[str, tuple[str, str]]
    """By model: when its first attempt started and its last one ended."""
    answered: dict[str, int]
    """By model: where its last good reply stands."""
    cached: Counter[str]
    """By model: replies that were not asked for by this run."""


def read_log(reader: RunReader, recorded: Recorded, repeats: int) -> LogPass:
    """One pass over the heads of the log. A call that was not sent counts only if it was not sent later, either."""
    log = LogPass(Buckets(), [Buckets() for _ in range(repeats)] if repeats > 1 else [], Ledger(), {}, {}, {}, Counter())
    unsent = array("Q")

    def count(head: Mapping[str, Any]) -> None:
        log.buckets.add(head)
        if 0 <= head["repeat"] < len(log.per_repeat):
            log.per_repeat[head["repeat"]].add(head)

    for offset, head in reader.heads():
        recorded.add(head, offset)
        log.ledger.end(head)
        if head["started_at"] is None and not head["cached"]:
            unsent.append(offset)
            continue
        count(head)
        model = head["model"]
        if head["served_model"]:
            log.served.setdefault(model, Counter())[head["served_model"]] += 1
        if head["started_at"]:
            first, last = log.spans.get(model, (head["started_at"], head["ended_at"]))
            log.spans[model] = (min(first, head["started_at"]), max(last, head["ended_at"]))
        log.cached[model] += head["cached"]
        if head["status"] == "ok":
            log.answered[model] = offset
    for offset in unsent:
        head = recorded.head_at(offset)
        if recorded.counts(head["call_key"], offset):
            count(head)
    log.ledger.begin(reader.intents())
    return log


def simulated_of(evaluation: Evaluation, buckets: Buckets) -> frozenset[str]:
    """The models of a run that are simulated: by what its log says, or, of those that were not asked, by their provider."""
    if not buckets.simulated:
        return frozenset()
    unasked = {name for name, spec in evaluation.models.items() if name not in buckets.model_ids}
    pretended = buckets.simulated_models >= buckets.model_ids.keys()
    return frozenset(buckets.simulated_models) | {n for n in unasked if pretended or WIRES[evaluation.models[n].wire].simulated}


def about_run(
    manifest: Mapping[str, Json],
    evaluation: Evaluation,
    log: LogPass,
    recorded: Recorded,
    asked: Mapping[str, Call],
    items: tuple[int, int],
) -> About:
    """What to say of a run. `items`: how many there are, and how many of them are unfinished."""
    return About(
        run_id=str(manifest.get("run_id", "")),
        uid=str(manifest.get("uid", manifest.get("started_at", ""))),
        name=evaluation.name,
        started_at=str(manifest.get("started_at", "")),
        tool_version=str(manifest.get("tool_version", "")),
        simulated=log.buckets.simulated,
        items=items[0],
        unfinished=items[1],
        models={name: _provenance(spec, log, recorded, asked.get(name)) for name, spec in evaluation.models.items()},
        simulated_models=simulated_of(evaluation, log.buckets),
    )


def _provenance(spec: ModelSpec, log: LogPass, recorded: Recorded, asked: Call | None) -> Provenance:
    """Who answered, when, and to which parameters: what was really sent, not what was meant to be."""
    first, last = log.spans.get(spec.name, (None, None))
    record = recorded.record_at(log.answered[spec.name]) if spec.name in log.answered else None
    request = record["request"] if record else None
    sent = {k: v for k, v in request.items() if k not in PROMPT_FIELDS} if isinstance(request, dict) else {}
    if "seed" in sent:
        sent["seed"] = "one per call"
    meant = {"temperature": asked.temperature if asked else None, "reasoning_effort": spec.reasoning_effort}
    left_out = [n for n, value in meant.items() if request and value is not None and not sent.keys() & SENT_AS.get(n, {n})]
    return Provenance(
        name=spec.name,
        wire=spec.wire,
        model=spec.model,
        base_url=spec.base_url,
        api_version=api_version_of(spec, WIRES[spec.wire]),
        served=dict(sorted(log.served.get(spec.name, Counter()).items())),
        parameters=sent,
        not_applicable=tuple(left_out),
        cached=log.cached[spec.name],
        first_at=first,
        last_at=last,
    )
