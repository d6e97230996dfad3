"""The plan of a run as text: calls by stage, cost and what it rests on, models, destinations, and replies on file."""

from __future__ import annotations

from itertools import islice

from tui_eval.cli.summary import usd_or_unknown
from tui_eval.configuring.caps import left_over
from tui_eval.configuring.gate_checks import forecast_lines
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.stored_replies import CACHE, MOST_CALLS, OnFile
from tui_eval.core.calls import Json
from tui_eval.core.money import MadeUp, how_much, told_apart, usd
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.attachments import PDF
from tui_eval.evaluation.drivers import as_example
from tui_eval.models.destinations import Destination
from tui_eval.models.model_selection import asked_first
from tui_eval.providers import WIRES
from tui_eval.results.tables import aligned


def plan_text(loaded: Loaded, on_file: OnFile | None = None) -> str:
    """The dry run: calls by stage and model, the formula behind their number, tokens and cost; `on_file`: what is not asked."""
    plan = loaded.plan
    factors = plan["factors"]
    rows = [_stage_row(stage) for stage in plan["stages"]]
    columns = ("stage", "model", "calls", "prompt tokens", "completion tokens", "cost", "at most")
    lines = [
        f"{loaded.evaluation.kind.name} {loaded.evaluation.name}: nothing is sent",
        "",
        aligned(columns, rows, (False, False, True, True, True, True, True)),
        "",
        "  ".join(f"{name} = {value}" for name, value in factors.items()),
        f"results = {plan['items']:,} (repeat = {plan['repeat']}), each a line of results.jsonl",
        _calls(plan),
        *_up_to(plan),
        *_lines_on_file(on_file),
        *_attached(loaded),
        *destination_lines(loaded),
        *_preflight(loaded),
        *_in_batches(loaded),
        f"cap: max_calls = {loaded.run.max_calls:,}" + _cost_cap(loaded),
        *_not_again(loaded),
        f"tokens: {plan['prompt_tokens']:,} prompt, {plan['completion_tokens']:,} completion (4 characters a token)",
        "        for replies as short as they may be; a model that reasons takes far more",
        f"cost: {_planned(loaded, 'cost_usd')} estimated, at most {_planned(loaded, 'max_cost_usd')}" + _simulated(loaded),
        *_why_unknown(loaded),
        *_gates(loaded),
    ]
    return "\n".join(lines)


def _calls(plan: Json) -> str:
    """The calls in all, and how many of them score; with the names that specification 003 (15.1) gives to these."""
    if not plan["score_calls"]:
        return f"calls: {plan['total_calls']:,} in all (TotalCallsEstimate)"
    parts = f"{plan['base_calls']:,} (BaseCalls) and {plan['score_calls']:,} that score (ScoreCalls)"
    return f"calls: {plan['total_calls']:,} in all (TotalCallsEstimate), {parts}"


def _stage_row(stage: dict[str, Json]) -> list[str]:
    counts = [f"{stage[name]:,}" for name in ("calls", "prompt_tokens", "completion_tokens")]
    return [stage["stage"], stage["model"], *counts, usd_or_unknown(stage["cost_usd"]), usd_or_unknown(stage["max_cost_usd"])]


def _gates(loaded: Loaded) -> list[str]:
    """Return the forecast of the gates for a model that is worse."""
    evaluation = loaded.evaluation
    return [
        one_line(line, 400) for line in forecast_lines(evaluation.gates, evaluation.kind, evaluation.task, evaluation.queues)
    ]


def _why_unknown(loaded: Loaded) -> list[str]:
    """Return the reasons for a cost that is not known, or not bounded."""
    plan = loaded.plan
    unpriced = [name for name, spec in loaded.asked_models.items() if spec.price is None]
    if plan["max_cost_usd"] is not None:
        return []
    if unpriced:
        return [f"      no price for {', '.join(unpriced[:5])}: price = {{ input = ..., output = ... }} in [[models]]"]
    missing = {"no token limit": "run.max_output_tokens = N"} if _has_unlimited_call(loaded) else {}
    attached = [stage.get("attached", ()) for stage in plan["stages"] if stage["max_cost_usd"] is None]
    if loaded.run.pdf_tokens is None and any(PDF in types for types in attached):
        missing["PDFs of unknown length"] = "run.pdf_tokens = N"
    bound = "bounds" if len(missing) == 1 else "bound"
    return [f"      {' and '.join(missing)}: {' and '.join(missing.values())} {bound} the cost"] if missing else []


def _has_unlimited_call(loaded: Loaded) -> bool:
    """Return whether a reply may be of any length; those of a queue's samples are all limited alike."""
    evaluation = loaded.evaluation
    firsts = (sample for queue in evaluation.queues for sample in islice(evaluation.samples(queue), 1))
    rows = (evaluation.driven(sample, as_example) for sample in firsts)
    return any(reply.call.max_output_tokens is None for row in rows for reply in row.replies)


def _up_to(plan: dict[str, Json]) -> list[str]:
    return [f"up to +{plan['up_to_more']:,} where replies cannot be read"] if plan["up_to_more"] else []


def _not_again(loaded: Loaded) -> list[str]:
    """Return a note on the calls that the cap has no room for, when replies cannot be read."""
    plan, n_models = loaded.plan, len(asked_first(loaded.asked_models))
    room = left_over(plan, loaded.run.max_calls, n_models)
    if room is None:
        return []
    more = plan["up_to_more"]
    return [
        f"     up to {more:,} calls may follow, and {room:,} fit below it. If more replies cannot be read, they are not asked",
        f"     again, and the run is incomplete (--set run.max_calls={plan['total_calls'] + more + n_models} has room for all)",
    ]


def _lines_on_file(on_file: OnFile | None) -> list[str]:
    """Replies that are there before anything is sent, a line for each place they come from."""
    entries = on_file.entries() if on_file is not None else []
    lines = []
    for source in dict.fromkeys(entry["from"] for entry in entries):
        own = [entry for entry in entries if entry["from"] == source]
        n_found, n_missing = (sum(entry[name] for entry in own) for name in ("found", "missing"))
        lacks = f"; {n_missing:,} are not there: missing, and not asked" if n_missing else ""
        by_model = ", ".join(f"{entry['stage']} {one_line(entry['model'], 60)} {entry['found']:,}" for entry in own)
        cached = "of these calls are not sent: their replies are in the cache"
        whence = cached if source == CACHE else f"replies are taken from {source}"
        lines.append(f"{n_found:,} {whence} ({by_model}){lacks}")
    if on_file is not None and on_file.cache_read is False:
        lines += [
            f"the number of these calls in the cache is not known: at most {MOST_CALLS:,} are looked up. Calls that are in",
            "        the cache are not sent",
        ]
    return lines


def _attached(loaded: Loaded) -> list[str]:
    """Return a line on the documents that are shown to models as such, beside the text."""
    mimes = {mime for stage in loaded.plan["stages"] for mime in stage.get("attached", ())}
    return [f"shown as such: documents of type {', '.join(sorted(mimes))}"] if mimes else []


def destination_lines(loaded: Loaded) -> list[str]:
    """Return the destinations of all that is sent: a line for each host and key."""
    return [destination_line(destination) for destination in loaded.destinations]


def destination_line(destination: Destination) -> str:
    """One of them."""
    return f"asked: {one_line(destination.words, 400)}"


def _preflight(loaded: Loaded) -> list[str]:
    """The calls that a run makes before the planned ones."""
    n_models = len(asked_first(loaded.asked_models))
    return [f"+{n_models} for the preflight, one tiny question a model (--no-preflight)"] if n_models else []


def _in_batches(loaded: Loaded) -> list[str]:
    if loaded.run.mode == "live":
        return []
    models = loaded.asked_models.values()
    batched = ", ".join(spec.name for spec in models if WIRES[spec.wire].batches)
    alone = ", ".join(spec.name for spec in models if not WIRES[spec.wire].batches)
    lines = [f"in batches, at half the price and within a day (tui-eval resume picks them up): {batched}"]
    return lines + ([f"call by call, since their providers take no batches: {alone}"] if alone else [])


def _cost_cap(loaded: Loaded) -> str:
    return "" if loaded.run.max_cost_usd is None else f"   max_cost_usd = {usd(loaded.run.max_cost_usd)}"


def _simulated(loaded: Loaded) -> str:
    return " (simulated)" if _simulated_among(loaded)[1] == "all" else ""


def _planned(loaded: Loaded, key: str) -> str:
    """An amount of the plan, real and simulated apart where there are both."""
    pretended, made_up = _simulated_among(loaded)
    if made_up != "some":
        return usd_or_unknown(loaded.plan[key])
    amounts: dict[bool, list[float | None]] = {True: [], False: []}
    for stage in loaded.plan["stages"]:
        amounts[stage["model"] in pretended].append(stage[key])
    real, simulated = (
        usd_or_unknown(None if None in amounts[flag] else sum(filter(None, amounts[flag]))) for flag in (False, True)
    )
    return told_apart(usd_or_unknown(loaded.plan[key]), real, simulated, made_up)


def _simulated_among(loaded: Loaded) -> tuple[frozenset[str], MadeUp]:
    specs = loaded.asked_models
    names = frozenset(name for name, spec in specs.items() if WIRES[spec.wire].simulated)
    return names, how_much(len(names), len(specs))
