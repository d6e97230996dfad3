"""Own scorers at the end of a run: run in a thread, told about in the log of the run, stopped with it."""

from __future__ import annotations

import asyncio

from tui_eval.configuring.loading import Loaded
from tui_eval.core.errors import FolderError, StorageError
from tui_eval.engine.calling import RunContext
from tui_eval.workspace.keys import Keys, KnownKeys


async def score_replies_by_code(context: RunContext, loaded: Loaded, keys: Keys) -> None:
    """Have own scorers score what a run that is over has come to, beside the loop, so that it can be stopped."""
    if not loaded.evaluation.task.scorers.by_code or context.breaker.stopped:
        return
    from tui_eval.reporting.own_code.supervisor import Listener, score_by_code  # only for those whose code is run

    context.folder.sync()
    context.folder.narrate("own scorers are run")
    loop = asyncio.get_running_loop()
    known = KnownKeys(keys.files)  # own code may read more of them than the run does
    listener = Listener(
        lambda text: known.redact(context.folder.redact(text)),
        lambda text: loop.call_soon_threadsafe(context.breaker.narrate, text),
        lambda: context.breaker.stopped,
    )
    try:
        n = await asyncio.to_thread(score_by_code, context.folder.path, loaded.evaluation, listener)
    except (StorageError, FolderError) as error:
        context.breaker.warn(
            f"own scorers could not be run: {error}; when that is fixed: tui-eval rescore {context.folder.path}"
        )
    else:
        context.folder.narrate(f"own scorers scored {n:,} replies")
