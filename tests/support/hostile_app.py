"""A process of its own that opens hostile folders with the app, one after the other, and tells how it took its keys."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import shutil
import sys
import time
import traceback
from pathlib import Path

from textual.pilot import Pilot, WaitForScreenTimeout

SETTLED_S = 5.0
"""How long is waited, after a key, for each widget to say that it is done: one that is gone by then never does."""
BEAT_S = 0.02
SIZE = (100, 30)
OPENED = ("enter", "tab", "tab", "tab", "tab", "tab", "tab", "6", "enter", "escape", "3")
"""Keys that show all of a run: its results part by part, its log, an attempt, its monitor."""
AROUND = ("1", "2", "enter", "escape", "5", "enter", "escape", "s", "down", "enter", "escape", "escape", "question_mark")
"""Keys that show all else: models, datasets and one of them, prompts and one of them, a form, the help."""


async def walked(work: Path, run: str) -> dict[str, object]:
    """The app on a workspace, or a run of it: when the first frame stood, how long a key waited, what it told, what failed."""
    from tui_eval.tui.app import EvalApp
    from tui_eval.workspace.places import Workspace

    began = time.monotonic()
    app = EvalApp(Workspace(work), work / "runs" / run if run else None)
    slowest, slow_key, key = 0.0, "", ""

    async def beat() -> None:
        """While this is late, no key is answered."""
        nonlocal slowest, slow_key
        while True:
            at = time.monotonic()
            await asyncio.sleep(BEAT_S)
            if (late := time.monotonic() - at - BEAT_S) > slowest:
                slowest, slow_key = late, key

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        first = time.monotonic() - began
        heart = asyncio.create_task(beat())
        for key in OPENED if run else AROUND:
            with contextlib.suppress(WaitForScreenTimeout):
                await pilot.press(key)
            await asyncio.sleep(BEAT_S)
        heart.cancel()
        told = [told.words for told in app._told_before]
        app.exit()
    failed = "" if app.failure is None else "".join(traceback.format_exception(app.failure))
    return {"first": first, "slowest": slowest, "key": slow_key, "told": told, "failed": failed, "bugs": sorted(app._troubles)}


def main() -> None:
    """Cases as JSON lines come in: [place, sort]; how the app took each goes out, and at last the most memory, in MB.

    Each case has a process of its own, forked from this one, which has no threads: what one app left behind is no other's.
    """
    from hostile_folder import built, planted

    import tui_eval.tui.app

    assert tui_eval.tui.app
    base = Path(sys.argv[1])
    sound = built(base / "sound")
    Pilot._wait_for_screen.__defaults__ = (SETTLED_S,)  # type: ignore[attr-defined]
    os.environ.update(TERM="xterm-256color", COLUMNS="100", LINES="30")
    for number, line in enumerate(sys.stdin.read().splitlines()):
        place, sort = json.loads(line)
        folder = planted(sound, base / f"{number}", place, sort)
        before = folder.untouched()
        pid = os.fork()
        if pid == 0:
            parts = place.split("/")
            found = asyncio.run(walked(folder.work, parts[1] if parts[0] == "runs" else ""))
            said = {"wrote outside": folder.untouched() != before, "leaks": folder.leaks()}
            print(json.dumps({"place": place, "sort": sort, **found, **said}), flush=True)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        if status:
            print(json.dumps({"place": place, "sort": sort, "failed": f"ended by {status}"}), flush=True)
        os.chdir(base)
        shutil.rmtree(folder.base)
    print(json.dumps({"memory": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000}))


if __name__ == "__main__":
    main()
