"""Preloaded by a scheduler that we started: it ends once no client has been there for a while, and so do its workers."""

from __future__ import annotations

import asyncio
import os
import shutil
import time

from distributed import Scheduler

LOOK_S = 1.0


async def dask_setup(scheduler: Scheduler) -> None:
    """Begin to watch. Called by dask."""
    scheduler.tui_eval_watch = asyncio.create_task(_watch(scheduler, float(os.environ.get("TUI_EVAL_ALONE_S", "90"))))  # type: ignore[attr-defined]


async def _watch(scheduler: Scheduler, patience_s: float) -> None:
    alone_since = time.monotonic()
    while time.monotonic() - alone_since < patience_s:
        await asyncio.sleep(LOOK_S)
        if any(name != "fire-and-forget" for name in scheduler.clients):
            alone_since = time.monotonic()
    await scheduler.close()
    if folder := os.environ.get("TUI_EVAL_CLUSTER_FOLDER"):
        shutil.rmtree(folder, ignore_errors=True)
