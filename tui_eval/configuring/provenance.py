"""Provenance of a run for its reports: who answered, when, and to which parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.log_pass import LogPass
from tui_eval.core.calls import Call, Json, ModelSpec
from tui_eval.core.money import how_much
from tui_eval.core.results import About, Provenance
from tui_eval.providers import WIRES
from tui_eval.providers.wire import api_version_of
from tui_eval.results.attempts import with_simulated_costs
from tui_eval.runs.buckets import Buckets
from tui_eval.runs.reader import Recorded

PROMPT_FIELDS = frozenset({"model", "messages", "system", "instructions", "input"})
"""Fields of a request that are no parameters, over all wires."""
SENT_AS: Mapping[str, set[str]] = {"reasoning_effort": {"reasoning_effort", "reasoning", "output_config"}}


def simulated_of(evaluation: Evaluation, buckets: Buckets) -> frozenset[str]:
    """The models of a run that are simulated: by what its log says, or, of those that were not asked, by their provider."""
    if not buckets.simulated:
        return frozenset()
    unasked = {name for name, spec in evaluation.models.items() if name not in buckets.model_ids}
    pretended = buckets.simulated_models >= buckets.model_ids.keys()
    return frozenset(buckets.simulated_models) | {n for n in unasked if pretended or WIRES[evaluation.models[n].wire].simulated}


def stats_rows(evaluation: Evaluation, buckets: Buckets, simulated: Collection[str]) -> list[dict[str, Json]]:
    """Rows of statistics; of a run with real and simulated models each says what of its cost is simulated."""
    rows = buckets.rows(evaluation.kind.stage_names, list(evaluation.models))
    both = how_much(len(simulated), len(evaluation.models)) == "some"
    return with_simulated_costs(rows, simulated) if both else rows


def about_run(
    manifest: Mapping[str, Json],
    evaluation: Evaluation,
    log: LogPass,
    calls: Mapping[str, Call],
    items: tuple[int, int],
) -> About:
    """Gather what to say of a run. `items`: how many there are, and how many of them are unfinished."""
    return About(
        run_id=str(manifest.get("run_id", "")),
        uid=str(manifest.get("uid", manifest.get("started_at", ""))),
        name=evaluation.name,
        started_at=str(manifest.get("started_at", "")),
        tool_version=str(manifest.get("tool_version", "")),
        simulated=log.buckets.simulated,
        items=items[0],
        unfinished=items[1],
        models={name: _provenance(spec, log, log.recorded, calls.get(name)) for name, spec in evaluation.models.items()},
        simulated_models=simulated_of(evaluation, log.buckets),
        git_commit=_noted(manifest, "git_commit"),
        workspace_commit=_noted(manifest, "workspace_commit"),
    )


def _noted(manifest: Mapping[str, Json], key: str) -> str | None:
    value = manifest.get(key)
    return value if isinstance(value, str) else None


def _provenance(spec: ModelSpec, log: LogPass, recorded: Recorded, call: Call | None) -> Provenance:
    """Who answered, when, and to which parameters: what was really sent, not what was meant to be."""
    first, last = log.spans.get(spec.name, (None, None))
    record = recorded.record_at(log.answered[spec.name]) if spec.name in log.answered else None
    request = record["request"] if record else None
    sent = {k: v for k, v in request.items() if k not in PROMPT_FIELDS} if isinstance(request, dict) else {}
    if "seed" in sent:
        sent["seed"] = "one per call"
    intended = {"temperature": call.temperature if call else None, "reasoning_effort": spec.reasoning_effort}
    left_out = [n for n, value in intended.items() if request and value is not None and not sent.keys() & SENT_AS.get(n, {n})]
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
