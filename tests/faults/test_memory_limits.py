"""Memory that does not suffice: a limit amid a run, or before anything, ends it with a sentence, and loses nothing."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fault_bench import LOG, Peer, asked, panel, simulated_by, strict_json, write_config
from nursery import Nursery
from waiting import until

from tui_eval.core.errors import CrashError
from tui_eval.runs.reader import lines
from tui_eval.workspace.memory_limits import lacks_memory, memory_words

CALLS, IN_FLIGHT, BEFORE = 60, 5, 12


def _size_of(pid: int) -> int:
    """The address space of a process, in bytes."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[0]
    return int(pages) * resource.getpagesize()


def _answered(out: Path) -> set[str]:
    records = (strict_json(line) for _, line in lines(out / LOG))
    return {record["call_key"] for record in records if record["status"] == "ok"}


@pytest.mark.parametrize("less", [0, pytest.param(10_000_000, marks=pytest.mark.soak)])
def test_a_run_for_which_memory_no_longer_suffices_is_taken_up_again(
    less: int, nursery: Nursery, peer: Peer, tmp_path: Path
) -> None:
    """The limit is named, no bug is told, exit 3; a resume asks again nothing that was answered."""
    out, go_on = tmp_path / "run", threading.Event()
    peer.simulator.hold(go_on.is_set, after=BEFORE)
    models = [simulated_by(peer.url, "only", "bench")]
    config = write_config(tmp_path, panel(models, [asked("only", CALLS)], run={"max_concurrency": IN_FLIGHT}))
    child = nursery.start("--run", config, "--out", out)
    until(lambda: (stats := peer.simulator.stats())["in_flight"] == IN_FLIGHT and stats["requests"] >= IN_FLIGHT + BEFORE)
    most = _size_of(child.pid) - less
    resource.prlimit(child.pid, resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    go_on.set()

    code, said = child.wait(), child.stderr.decode()

    assert code == 3, said
    assert f"{most / 1e6:,.0f} MB (ulimit -v); no answer is lost" in said
    assert f"tui-eval resume {out} continues" in said and "bug" not in said and "Traceback" not in said
    assert not (out / "run.log").exists() or "bug" not in (out / "run.log").read_text()
    answered = _answered(out)
    assert len(answered) >= BEFORE
    assert nursery.run("resume", out).code == 0
    assert _answered(out) >= answered and len(_answered(out)) == CALLS
    assert peer.stats()["requests"] <= CALLS + IN_FLIGHT


@pytest.mark.parametrize("most", [60, 120, *(pytest.param(most, marks=pytest.mark.soak) for most in range(40, 400, 30))])
def test_verbs_say_what_limit_did_not_suffice(most: int, tmp_path: Path) -> None:
    """Exit 3, one sentence with the limit, no traceback: whether it shows as an error of memory, or as a library not loaded."""
    words = ["--workspace", str(tmp_path), "run", "quickstart", "--dry-run"]
    command = ["prlimit", f"--as={most * 1_000_000}", sys.executable, "-m", "tui_eval", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    enough = done.returncode == 0
    assert enough or done.returncode == 3 or "Fatal Python error" in done.stderr, done.stderr
    assert not enough or most > 60
    assert enough or f"{most} MB (ulimit -v);" in done.stderr or "Fatal Python error" in done.stderr
    assert "bug" not in done.stderr and "tui_eval/" not in done.stderr


@pytest.mark.parametrize(
    ("error", "lacks"),
    [
        (MemoryError(), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("can't start new thread"), True),
        (ImportError("libssl.so: failed to map segment from shared object"), True),
        (ExceptionGroup("all", [ValueError(), ExceptionGroup("some", [MemoryError()])]), True),
        (OSError(28, "No space left on device"), False),
        (RuntimeError("of ours"), False),
        (ImportError("no module named x"), False),
        (CrashError("MemoryError"), False),
    ],
    ids=repr,
)
def test_a_lack_of_memory_is_known_however_it_shows(error: Exception, lacks: bool) -> None:
    """By itself, within a group, and behind another error; nothing else is taken for one."""
    assert lacks_memory(error) is lacks

    on_top = KeyError("on top")
    on_top.__cause__ = error
    assert lacks_memory(on_top) is lacks
    on_top.__cause__, on_top.__context__ = None, error
    assert lacks_memory(on_top) is lacks


def test_without_a_limit_the_machine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit is told that there is not."""
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    assert memory_words("it goes on").startswith("this machine ran out of memory; it goes on.")
