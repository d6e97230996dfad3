"""A process of its own that opens hostile folders with every verb, one after the other, and tells how each ended."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

OBEYED_AFTER_S = 2.0
"""Until then a verb has ended, or Ctrl-C is pressed."""


def _press(number: int, frame: FrameType | None) -> None:
    os.kill(os.getpid(), signal.SIGINT)


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """Ctrl-C after two seconds, and again every second: whatever waits for something is told to end."""
    signal.signal(signal.SIGALRM, _press)
    signal.setitimer(signal.ITIMER_REAL, OBEYED_AFTER_S, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8", "replace")


def called(words: Sequence[str]) -> dict[str, object]:
    """One command line, within this process: its exit code, how long it took in seconds, what it said."""
    from tui_eval.cli.command_line import main

    out, err, stdin = _stream(), _stream(), sys.stdin
    sys.stdin = io.StringIO("some-key-0123456789\n")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    began = time.monotonic()
    code: object = None
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _watched():
            code = main(words)
    except SystemExit as end:
        code = end.code or 0
    except BaseException as error:
        code = f"{type(error).__name__}: {error}"
    finally:
        sys.stdin = stdin
    return {"words": list(words), "code": code, "seconds": time.monotonic() - began, "said": _text(out) + _text(err)}


def most_memory_mb() -> float:
    """The most that this program took: getrusage tells as much as the program that started it had."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1000


def main() -> None:
    """Cases as JSON lines come in: [place, sort]; what each verb did goes out, and at last the most memory, in MB."""
    from hostile_folder import built, planted, verbs_of

    base = Path(sys.argv[1])
    sound = built(base / "sound")
    for number, line in enumerate(sys.stdin):
        place, sort, most = json.loads(line)
        folder = planted(sound, base / f"{number}", place, sort)
        before = folder.untouched()
        for words in verbs_of(folder, place)[:most]:
            print(json.dumps({"place": place, "sort": sort, **called(words)}), flush=True)
            if folder.untouched() != before:
                print(json.dumps({"place": place, "sort": sort, "words": words, "wrote outside": True}), flush=True)
                before = folder.untouched()
        if leaks := folder.leaks():
            print(json.dumps({"place": place, "sort": sort, "leaks": leaks}), flush=True)
        os.chdir(base)
        shutil.rmtree(folder.base)
    print(json.dumps({"memory": most_memory_mb()}))


if __name__ == "__main__":
    main()
