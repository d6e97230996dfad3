"""File systems that keep no locks (NFS without its lock service, some FUSE): said truly, and one can work there."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree

import pytest
from fault_bench import Peer, asked, panel, simulated_by, write_config
from soaking import quick_first
from waiting import until

from tui_eval.core.errors import ConfigError
from tui_eval.workspace import file_locks

GCC = shutil.which("gcc")
SOURCE = "#include <errno.h>\nint flock(int descriptor, int what) { errno = NUMBER; return -1; }\n"
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
Command = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.skipif(GCC is None, reason="a file system without locks is imitated by a library that gcc makes")


@pytest.fixture(scope="module", params=quick_first(["ENOLCK", "ENOSYS", "EOPNOTSUPP"]))
def lockless(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command line where no file can be locked, with this error of the system."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "nolock.c").write_text(SOURCE.replace("NUMBER", request.param))
    library = folder / "nolock.so"
    subprocess.run([str(GCC), "-shared", "-fPIC", "-o", str(library), str(folder / "nolock.c")], check=True)

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tui_eval", *map(str, words)],
            env={**os.environ, "LD_PRELOAD": str(library)}, capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip

    return run


def _config(peer: Peer, folder: Path, calls: int = 4, model: str = "bench") -> Path:
    return write_config(folder, panel([simulated_by(peer.url, "only", model)], [asked("only", calls)]))


def test_a_run_says_so_and_makes_nothing(lockless: Command, peer: Peer, tmp_path: Path) -> None:
    """Exit 2, what is lacking and what to do, before a folder is made or anything is asked; not that somebody holds it."""
    done = lockless("run", _config(peer, tmp_path), "--out", tmp_path / "deep" / "run")

    assert (done.returncode, done.stdout) == (2, "")
    assert "keeps no locks" in done.stderr and "--no-lock" in done.stderr and "live process" not in done.stderr
    assert not (tmp_path / "deep").exists() and peer.stats()["requests"] == 0


def test_a_run_without_a_lock_is_a_promise(lockless: Command, peer: Peer, tmp_path: Path) -> None:
    """With --no-lock it runs, is resumed and looked at; manifest, status and run.log say that nothing kept others out."""
    out = tmp_path / "run"
    done = lockless("run", _config(peer, tmp_path), "--out", out, "--no-lock", "--no-preflight")
    status, as_json = lockless("status", out), json.loads(lockless("status", out, "--json").stdout)
    refused, again = lockless("resume", out), lockless("resume", out, "--no-lock")

    assert (done.returncode, again.returncode) == (0, 0), done.stderr + again.stderr
    assert refused.returncode == 2 and "keeps no locks" in refused.stderr
    assert json.loads((out / "manifest.json").read_text())["unlocked"] is True and as_json["unlocked"] is True
    assert as_json["state"] == "done" and as_json["holder"] is None
    for text in (done.stderr, status.stdout, (out / "run.log").read_text()):
        assert "keeps no locks" in text
    assert peer.stats()["requests"] == 4


def test_the_flag_switches_no_lock_off(peer: Peer, tmp_path: Path) -> None:
    """Where locks are kept, --no-lock changes nothing: the run is held, and nothing says otherwise."""
    words = [sys.executable, "-m", "tui_eval", "run", _config(peer, tmp_path, 1), "--out", tmp_path / "run", "--no-lock"]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=240, check=False)

    assert done.returncode == 0 and "keeps no locks" not in done.stderr
    assert "unlocked" not in json.loads((tmp_path / "run" / "manifest.json").read_text())


@pytest.mark.soak
def test_who_signed_is_known(lockless: Command, peer: Peer, tmp_path: Path) -> None:
    """A live process of this machine is known by the lock file, and no other starts; one that is gone holds nothing."""
    out = tmp_path / "run"
    peer.simulator.hold(lambda: (tmp_path / "go").exists())
    with ThreadPoolExecutor() as pool:
        first = pool.submit(lockless, "run", _config(peer, tmp_path), "--out", out, "--no-lock", "--no-preflight")
        until(lambda: (out / "progress.json").exists())
        second = lockless("resume", out, "--no-lock")
        (tmp_path / "go").touch()

        assert second.returncode == 2 and "live process" in second.stderr and first.result().returncode == 0
    (out / "lock").write_text(json.dumps({"pid": 2**22 + 1, "host": os.uname().nodename, "since": ""}))
    assert lockless("resume", out, "--no-lock").returncode == 0


@pytest.mark.soak
def test_what_needs_a_lock_for_a_moment_works(lockless: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models put on file by several commands at once are all there; a leaderboard is made; no file of the holding is left."""
    monkeypatch.chdir(tmp_path)
    copytree(GOLDEN / "choice", tmp_path / "runs" / "one")

    def add(n: int) -> int:
        return lockless("models", "add", f"m{n}", "--set", "model=sim-scholar", "--set", "wire=simulator").returncode

    with ThreadPoolExecutor(3) as pool:
        assert [*pool.map(add, range(5))] == [0] * 5
    listed = json.loads(lockless("models", "list", "--json").stdout)
    assert {f"m{n}" for n in range(5)} <= {entry["name"] for entry in listed}
    assert lockless("leaderboard", "one", "--out", tmp_path / "board").returncode == 0
    assert [*tmp_path.rglob("*.held")] == []


def test_who_is_killed_while_holding_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next command says which file to remove, after a while; with that gone it goes on."""

    def none(descriptor: int, what: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(file_locks.fcntl, "flock", none)
    path = tmp_path / ".lock"
    sign = tmp_path / ".lock.held"
    sign.touch()
    with path.open("w") as stream:
        with pytest.raises(ConfigError, match="remove that file"), file_locks.hold_file(stream.fileno(), path, wait_s=0.05):
            pass
        sign.unlink()
        with file_locks.hold_file(stream.fileno(), path):
            assert sign.exists()
    assert not sign.exists() and file_locks.why_no_locks(tmp_path / "x" / "y") == "No locks available"
