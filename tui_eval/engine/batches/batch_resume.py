"""Batches that earlier lives of a run left open: found again at their server, waited for, fetched, or given up as lost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from typing import Any

from tui_eval.core.calls import ApiError, ModelSpec
from tui_eval.core.errors import StorageError
from tui_eval.core.money import to_micro
from tui_eval.engine.batches.batch import carried, record_batch
from tui_eval.engine.batches.batch_lookup import looked_up
from tui_eval.engine.batches.batch_results import not_handed_over, over, prepared_calls
from tui_eval.engine.batches.batch_wire import FOLDER, Batch, calls_file, note
from tui_eval.engine.calling import RunContext
from tui_eval.runs.folder import BATCHES
from tui_eval.runs.reader import RunReader
from tui_eval.runs.writing import Inside

OPEN = frozenset({"submitting", "submitted"})


def has_open_batches(context: RunContext) -> bool:
    """Return whether an earlier life handed over what was not fetched yet."""
    return bool(_open_batches(context))


async def take_up(context: RunContext, models: Mapping[str, ModelSpec]) -> None:
    """Go on with the batches that earlier lives of the run left open."""
    events = _open_batches(context)
    _clear_away(context, set(events))
    for name, event in events.items():
        if event.get("model") not in models:
            context.breaker.stop(
                f"batch {name} was handed over for model {event.get('model')!r}, which this run no longer has: put it back "
                f"into config.toml, or delete the batch's lines from {BATCHES}",
                aborted=True,
            )
            return
    logged = _logged(context, events)
    async with asyncio.TaskGroup() as group:
        for name, event in events.items():
            group.create_task(_taken_up(context, _batch_of(context, models, name, event), logged))


def _open_batches(context: RunContext) -> dict[str, dict[str, Any]]:
    return {name: event for name, event in context.batches_on_file().items() if event.get("state") in OPEN}


def _clear_away(context: RunContext, open_names: set[str]) -> None:
    """Delete the files of what was never handed over, and of what is over."""
    folder = (Inside(context.folder.path) / FOLDER).open_folder()
    try:
        for name in os.listdir(folder):
            if name.partition(".")[0] not in open_names:
                os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)


def _logged(context: RunContext, names: Iterable[str]) -> set[str]:
    """Ids of the attempts of these batches that are in the log already."""
    prepared = {head["attempt_id"] for name in names for _, head in prepared_calls(calls_file(context, name))}
    heads = RunReader(context.folder.path).heads() if prepared else ()
    return {head["attempt_id"] for _, head in heads if head["attempt_id"] in prepared}


def _batch_of(context: RunContext, models: Mapping[str, ModelSpec], name: str, event: Mapping[str, Any]) -> Batch:
    header, began = event.get("organization_header"), event.get("began_at")
    return Batch(
        name,
        models[str(event["model"])],
        str(event.get("path") or ""),
        header if isinstance(header, str) else None,
        str(event.get("label") or f"{context.run_id}/{name}"),
        float(began) if isinstance(began, int | float) else 0.0,
        id=str(event.get("id") or ""),
    )


async def _taken_up(context: RunContext, batch: Batch, logged: set[str]) -> None:
    try:
        if _held_again(context, batch, logged) and (batch.id or await _found_again(context, batch)):
            context.breaker.narrate(f"batch {batch.id} of {batch.model.name}, handed over before, is resumed")
            context.progress.in_flight += len(batch.offsets)
            await carried(context, batch)
    except StorageError as error:
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
    except Exception as error:
        context.folder.narrate_exception(f"batch {batch.name}: a bug of ours", error)
        context.breaker.stop(f"batch {batch.name}: {type(error).__name__}: {error}; the traceback is in run.log", aborted=True)


def _held_again(context: RunContext, batch: Batch, logged: set[str]) -> bool:
    """Reserve again what the calls of an open batch may cost; whether there are any that are not in the log yet."""
    budget, file = context.budget, calls_file(context, batch.name)
    if not file.is_file():
        context.breaker.stop(f"batch {batch.id or batch.name}: the file of its calls is gone from {FOLDER}/", aborted=True)
        return False
    for offset, head in prepared_calls(file):
        if head["attempt_id"] not in logged:
            batch.offsets[head["attempt_id"]] = offset
            budget.calls_used += 1
            budget.kept = max(budget.kept - (head["attempt"] == 0), 0)
            budget.held += to_micro(head["charged_usd"] or 0.0)
    if not batch.offsets:
        over(context, batch, "fetched")
    return bool(batch.offsets)


async def _found_again(context: RunContext, batch: Batch) -> bool:
    """Return whether the server has a batch of which we never heard that it was made. If nobody knows, the run is stopped."""
    result = await looked_up(context, batch)
    if isinstance(result, ApiError):
        reason = f"batch {batch.name} may have been handed over, and cannot be looked up: {result.message}"
        context.breaker.stop(f"{reason}; tui-eval resume tries again", aborted=True)
        return False
    if result is None:
        note(context, batch, "lost")
        not_handed_over(context, batch)
        return False
    record_batch(context, batch, result)
    return True
