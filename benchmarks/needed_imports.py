"""What a run imports before its first request, and what importing just that costs in a process of its own.

A small run says on standard error what it imports (-X importtime). Where its folder shows the first request, the list ends; a
child then imports the same modules in the same order, without the garbage collector, which the program holds off, too, and says
what CPU time it took until then: the end of a process, which frees all of it, is no import.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import children
import phases

from tui_eval.runs.folder import INTENTS

LOOK_S = 0.002
LIMIT_S = 120.0
_MARK = b"import time:"
_IMPORTING = """\
import contextlib, gc, importlib, sys, time
gc.disable()
for name in open(sys.argv[1]).read().split():
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
print(time.process_time(), file=sys.stderr)
"""


def needed_imports(config: Path, said: Path) -> list[str]:
    """The modules that a run of this config imports before its first request; `said` is where its errors go."""
    command = [sys.executable, "-X", "importtime", "-m", "tui_eval", "run", config.name, "--out", "importing", "--no-preflight"]
    nothing = subprocess.DEVNULL
    with said.open("wb") as errors:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=errors, cwd=config.parent)
    try:
        until = time.monotonic() + LIMIT_S
        while not phases.size_of(config.parent / "importing" / INTENTS):
            if process.poll() is not None or time.monotonic() > until:
                raise children.ChildError(f"{config}: it asked nothing: {said.read_text(errors='replace')[-1000:]}")
            time.sleep(LOOK_S)
        size = said.stat().st_size
    finally:
        process.kill()
        process.wait()
    with said.open("rb") as lines:
        found = lines.read(size).splitlines()
    return [
        line.rpartition(b"|")[2].strip().decode() for line in found if line.startswith(_MARK) and not line.endswith(b" package")
    ]


def cost_of_imports(names: list[str], folder: Path) -> float:
    """CPU seconds of a process that imports these modules."""
    script, listed = folder / "importing.py", folder / "importing.txt"
    script.write_text(_IMPORTING, encoding="utf-8")
    listed.write_text("\n".join(names), encoding="utf-8")
    return float(children.run([os.fspath(script), os.fspath(listed)], LIMIT_S, os.fspath(folder)).said.split()[-1])
