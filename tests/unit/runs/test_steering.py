"""Laws of the list of runs and of what is done to them: whatever lies in a folder, nothing crashes, nothing is made up."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few, load_panel, run_folder
from soaking import quick_first
from waiting import until

from tui_eval.configuring import preparing
from tui_eval.core.errors import FolderError
from tui_eval.core.plaintext import visible
from tui_eval.core.plugins import switch
from tui_eval.runs import steering
from tui_eval.runs.entry import state_of
from tui_eval.runs.folder import RunFolder
from tui_eval.runs.steering import RunEntry, RunList
from tui_eval.workspace.places import Workspace

NUMBERS = ("done", "planned", "ok", "error", "timeout", "skipped", "not_sent", "items_done", "items", "calls_used", "max_calls",
           "in_flight", "limit")  # fmt: skip
AMOUNTS = ("charged_usd", "max_cost_usd", "eta_s", "worked_s")
TEXTS = ("name", "kind", "limit_reason", "why", "heartbeat", "started_at")

garbage = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=10,
)
"""Anything that JSON can hold, NaN and lone surrogates included."""

progress_like = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("state", "why", "simulated", "heartbeat", "planned", "done", "in_flight", "charged_usd", "eta_s", "worked_s"), garbage
    )
    | {
        "total": garbage | st.dictionaries(st.sampled_from(["ok", "error", "unknown_cost"]), garbage),
        "models": garbage | st.dictionaries(any_text, st.dictionaries(st.sampled_from(["ok", "cost_usd"]), garbage)),
        "failures": garbage | st.lists(st.dictionaries(st.sampled_from(["model", "message", "n"]), garbage)),
        "workers": garbage | st.lists(st.dictionaries(st.sampled_from(["name", "state", "credits", "heard_s"]), garbage)),
    },
)
"""The right names with anything behind them."""


def made(folder: Path, name: str = "one", manifest: Any = None, progress: Any = None, config: str = "") -> Path:
    """A run folder of a workspace, with these files."""
    path = run_folder(folder / "runs" / name)
    if config:
        (path / "config.toml").write_text(config)
    if manifest is not None:
        (path / "manifest.json").write_text(json.dumps(manifest))
    if progress is not None:
        (path / "progress.json").write_text(json.dumps(progress))
    return path


def ended(folder: Path, name: str, **more: Any) -> Path:
    """A run that is done."""
    progress = {"state": "done", "done": 3, "planned": 3, "total": {"ok": 2, "error": 1}, **more}
    path = made(folder, name, {"run_id": name, "config_sha256": "0", "started_at": "2026-01-01T00:00:00Z"}, progress)
    (path / "lock").write_text("{}")
    return path


def prepared(folder: Path, name: str = "one") -> Path:
    """A run of two simulated calls that has not begun."""
    path = folder / "runs" / name
    preparing.prepare(load_panel(folder), path, lambda text: text, ["--run", "panel.toml"])
    return path


def only(listed: RunList) -> RunEntry:
    """The one entry of a list that was asked again."""
    listed.refresh()
    (entry,) = listed.entries
    return entry


def assert_well_typed(entry: RunEntry) -> None:
    """Every field is of its type; no text can steer a terminal."""
    for name in NUMBERS:
        value = getattr(entry, name)
        assert value is None or (type(value) is int and value >= 0)
    for name in AMOUNTS:
        value = getattr(entry, name)
        assert value is None or (type(value) is float and 0 <= value < float("inf"))
    texts = [getattr(entry, name) for name in TEXTS] + [entry.state, entry.run_id, *entry.models]
    texts += [failure[name] for failure in entry.failures for name in ("model", "message")]
    assert all(text is None or (visible(text) == text and "\n" not in text and len(text) <= 1000) for text in texts)
    assert type(entry.unknown_cost) is int and entry.simulated in (None, True, False)
    assert all(v is None or type(v) in (int, float) for tally in entry.models.values() for v in tally.values())


@few
@given(garbage | progress_like, garbage | st.fixed_dictionaries({}, optional={"name": garbage, "started_at": garbage}))
def test_whatever_json_a_folder_holds_is_listed(tmp_path: Path, progress: Any, manifest: Any) -> None:
    """No JSON in progress.json and manifest.json crashes the list, and none puts a value of another type into an entry."""
    shutil.rmtree(tmp_path / "runs", ignore_errors=True)
    made(tmp_path, "one", manifest, progress)

    assert_well_typed(only(RunList(Workspace(tmp_path))))


@few
@given(st.binary(max_size=60), st.sampled_from(["progress.json", "manifest.json", "config.toml", "lock"]))
def test_whatever_bytes_a_folder_holds_is_listed(tmp_path: Path, data: bytes, name: str) -> None:
    """Damaged, cut and binary files neither."""
    shutil.rmtree(tmp_path / "runs", ignore_errors=True)
    (ended(tmp_path, "one") / name).write_bytes(data)

    assert_well_typed(only(RunList(Workspace(tmp_path))))


@pytest.mark.parametrize("name", ["progress.json", "manifest.json", "lock"])
@pytest.mark.parametrize("odd", ["pipe", "folder", "link", "deep", "huge"])
def test_no_odd_file_holds_the_list_up(tmp_path: Path, name: str, odd: str) -> None:
    """A pipe is not waited for, a link not followed, a file without end not read: the run is listed without what it says."""
    file = ended(tmp_path, "one") / name
    file.unlink()
    (tmp_path / "secret.json").write_text('{"state": "read", "name": "read"}')
    match odd:
        case "pipe":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "link":
            file.symlink_to(tmp_path / "secret.json")
        case "deep":
            file.write_text("[" * 100_000)
        case "huge":
            with file.open("wb") as stream:
                stream.truncate(1 << 40)

    entry = only(RunList(Workspace(tmp_path)))

    assert_well_typed(entry)
    assert entry.state == ("prepared" if name == "progress.json" else "done")
    assert entry.name is None and not entry.live


def test_what_is_not_known_is_never_zero(tmp_path: Path) -> None:
    """A prepared run has no counts, no cost, no start: None, not 0. What its config and manifest say is there."""
    config = 'kind = "panel"\n\n[run]\nmax_calls = 20\nmax_cost_usd = 0.5\nonly = [\n    "a",\n]\n\n[x]\nmax_cost_usd = 9\n'
    made(tmp_path, "one", {"planned_calls": 12, "kind": "panel"}, config=config)

    entry = only(RunList(Workspace(tmp_path)))

    assert (entry.state, entry.live, entry.kind, entry.planned) == ("prepared", False, "panel", 12)
    assert (entry.max_calls, entry.max_cost_usd) == (20, 0.5)
    assert [entry.done, entry.ok, entry.charged_usd, entry.eta_s, entry.started_at, entry.simulated] == [None] * 6


def test_a_list_says_what_status_says(tmp_path: Path) -> None:
    """The state of an entry is that of tui-eval status, for every state that an engine writes, and for none."""
    states = ["running", "paused", "stopping", "starting", "reporting", "done", "incomplete", "stopped", "aborted", None]
    for state in states:
        made(tmp_path, f"run-{state}", {}, {} if state is None else {"state": state})
    listed = RunList(Workspace(tmp_path))
    listed.refresh()

    told = {entry.run_id.removeprefix("run-"): entry.state for entry in listed.entries}

    assert told == {str(state): steering.status(tmp_path / "runs" / f"run-{state}")["state"] for state in states}
    assert (told["running"], told["reporting"], told["aborted"], told["None"]) == (
        "interrupted",
        "interrupted",
        "aborted",
        "prepared",
    )


def test_runs_come_and_go_by_themselves(tmp_path: Path) -> None:
    """What another process makes appears, what it removes vanishes, and only then something has changed; newest first."""
    listed = RunList(Workspace(tmp_path))
    assert not listed.refresh()
    ended(tmp_path, "a")
    made(tmp_path, "b", {"started_at": "2026-03-01T00:00:00Z"})
    (tmp_path / "runs" / "no run").mkdir()
    (tmp_path / "runs" / ".deleted-x").mkdir()

    assert listed.refresh() and not listed.refresh()
    assert [entry.run_id for entry in listed.entries] == ["b", "a"]
    shutil.rmtree(tmp_path / "runs" / "b")
    assert listed.refresh() and not listed.refresh()
    assert [entry.run_id for entry in listed.entries] == ["a"]
    shutil.rmtree(tmp_path / "runs")
    assert listed.refresh() and listed.entries == ()


def test_a_live_run_is_seen_to_go_on_and_to_break_off(tmp_path: Path) -> None:
    """Held by a process: live, in the state it wrote. Let go without a last word: interrupted, nothing in flight."""
    path = made(tmp_path, "one", {}, {"state": "done"})
    listed = RunList(Workspace(tmp_path))
    assert only(listed).state == "done"
    folder = RunFolder(path)
    folder.replace("progress.json", json.dumps({"state": "running", "in_flight": 4, "eta_s": 2.5}) + "\n")

    entry = only(listed)
    assert (entry.live, entry.state, entry.in_flight, entry.eta_s) == (True, "running", 4, 2.5)
    assert not listed.refresh()
    folder.close()
    entry = only(listed)

    assert (entry.live, entry.state, entry.in_flight, entry.eta_s) == (False, "interrupted", 0, None)


def test_an_ended_run_costs_two_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked again, a run that is over and unchanged costs at most two stat calls; nothing is opened and no lock tested."""
    for number in range(10):
        ended(tmp_path, f"run{number}")
    listed = RunList(Workspace(tmp_path))
    listed.refresh()
    counted = {"lstat": 0, "stat": 0, "open": 0}

    def counting(name: str) -> Any:
        real = getattr(os, name)

        def call(*arguments: Any, **options: Any) -> Any:
            counted[name] += 1
            return real(*arguments, **options)

        return call

    for name in counted:
        monkeypatch.setattr(os, name, counting(name))
    listed.refresh()

    assert counted["lstat"] + counted["stat"] <= 2 * 10 and counted["open"] == 0


def test_a_folder_that_is_being_copied_is_read_to_its_end(tmp_path: Path) -> None:
    """Its manifest may come last: until then the run has no time and no place in the list."""
    path = ended(tmp_path, "one")
    manifest = (path / "manifest.json").read_bytes()
    (path / "manifest.json").unlink()
    listed = RunList(Workspace(tmp_path))
    before = only(listed)
    (path / "manifest.json").write_bytes(manifest)

    assert (before.started_at, only(listed).started_at) == (None, "2026-01-01T00:00:00Z")


def test_a_run_elsewhere_can_be_watched(tmp_path: Path) -> None:
    """A folder outside the workspace is listed once it is watched, however often; one inside is listed once, under its path."""
    outside, inside = ended(tmp_path / "other", "x"), ended(tmp_path, "y")
    (tmp_path / "link").symlink_to(tmp_path / "runs" / "y")
    listed = RunList(Workspace(tmp_path))

    paths = [listed.watch(path) for path in (outside, outside, inside, tmp_path / "link")]
    listed.refresh()

    assert sorted(entry.path for entry in listed.entries) == sorted(set(paths)) == sorted([outside, inside])
    shutil.rmtree(outside)
    assert only(listed).path == inside


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_left_out(tmp_path: Path) -> None:
    """A folder without permission is no run, and no crash; without permission for all of them, there are none."""
    ended(tmp_path, "a")
    ended(tmp_path, "b").chmod(0)
    listed = RunList(Workspace(tmp_path))
    try:
        assert only(listed).run_id == "a"
        (tmp_path / "runs").chmod(0)
        assert listed.refresh() and listed.entries == ()
    finally:
        (tmp_path / "runs").chmod(0o700)
        (tmp_path / "runs" / "b").chmod(0o700)


def test_wishes_are_for_live_runs(tmp_path: Path) -> None:
    """Stop, pause and continue leave a file for a live process, and are refused where there is none."""
    path = made(tmp_path)
    for wish in (steering.stop, steering.pause, steering.go_on):
        with pytest.raises(FolderError, match="no live process"):
            wish(path)
    folder = RunFolder(path)
    try:
        steering.stop(path)
        steering.pause(path)
        assert folder.wishes("STOP") and folder.wishes("PAUSE")
        steering.go_on(path)
        assert not folder.wishes("PAUSE")
    finally:
        folder.close()


STARTER = """
import signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from pathlib import Path
from tui_eval.runs import steering
from tui_eval.runs.entry import state_of
from tui_eval.workspace.places import Workspace
print(steering.resume(Path(sys.argv[1]), Workspace(Path(sys.argv[2]))).pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", quick_first([signal.SIGHUP, signal.SIGKILL]))
def test_a_run_outlives_whoever_took_it_up(number: signal.Signals, tmp_path: Path) -> None:
    """The app's process is killed, or loses its terminal: the run it started goes on to its end, in a session of its own.
    What it prints lies in console.log, made anew for its owner alone, never through a link."""
    path = prepared(tmp_path)
    (tmp_path / "kept").write_text("kept")
    (path / "console.log").symlink_to(tmp_path / "kept")
    command = [sys.executable, "-c", STARTER, str(path), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert os.getsid(pid) == pid
        os.killpg(parent.pid, number)

    until(lambda: steering.status(path)["state"] == "done")
    assert steering.status(path)["total"]["ok"] == 2
    until(lambda: "everything is in" in (path / "console.log").read_text())
    assert stat.S_IMODE((path / "console.log").lstat().st_mode) == 0o600
    assert (tmp_path / "kept").read_text() == "kept"


@pytest.mark.soak
def test_the_last_words_of_a_failure_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A config that was edited: the process ends with 2 and its last words, without control characters, name the file. Paths
    may be relative; a module that lies in the current folder is not run."""
    path = prepared(tmp_path)
    with (path / "config.toml").open("a") as stream:
        stream.write("# edited\n")
    (tmp_path / "random.py").write_text("raise SystemExit('foreign code was run')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", str(tmp_path))])
    started = steering.resume(Path("runs/one"), Workspace(Path(".")), failed=True)
    until(lambda: started.poll() is not None)

    assert started.poll() == 2 and "config.toml: was changed" in started.last_words()
    assert len(started.last_words(10)) == 10
    (path / "console.log").write_bytes(b"\x1b]52;c;aaaa\x07 \xff end")
    assert "\x1b" not in started.last_words() and started.last_words().endswith("end")
    (path / "console.log").unlink()
    assert started.last_words() == ""


@pytest.mark.soak
def test_a_re_score_says_what_a_person_should_know_and_prints_no_tables(tmp_path: Path) -> None:
    """It ends by itself, in a process that asks nobody; its reports are there, and its last words say so, or why not."""
    path = prepared(tmp_path)
    started = steering.rescore(path, Workspace(tmp_path))
    until(lambda: started.poll() is not None)

    assert started.poll() == 0 and not started.asks and (path / "report.json").is_file()
    assert started.last_words().startswith(steering.REBUILT) and "\n" not in started.last_words()
    assert not (path / "intents.jsonl").exists() and not (path / "call_logs.jsonl").exists()
    with (path / "config.toml").open("a") as stream:
        stream.write("# edited\n")
    started = steering.rescore(path, Workspace(tmp_path))
    until(lambda: started.poll() is not None)
    assert started.poll() == 2 and "was changed" in started.last_words()


def test_a_live_run_is_neither_taken_up_nor_deleted(tmp_path: Path) -> None:
    """A folder that a process holds: these are refused, and nothing in it changes."""
    path = prepared(tmp_path)
    folder = RunFolder(path)
    try:
        before = sorted(path.iterdir())
        with pytest.raises(FolderError, match="live process"):
            steering.resume(path, Workspace(tmp_path))
        with pytest.raises(FolderError, match="live process"):
            steering.rescore(path, Workspace(tmp_path))
        with pytest.raises(FolderError, match="live process"):
            steering.delete(path)
        assert sorted(path.iterdir()) == before
    finally:
        folder.close()


def test_a_deleted_run_is_gone_and_nothing_else(tmp_path: Path) -> None:
    """The folder goes with everything in it; what its links lead to stays; nothing hidden is left."""
    path, other = prepared(tmp_path), ended(tmp_path, "two")
    (tmp_path / "precious").mkdir()
    (path / "inputs" / "link").symlink_to(tmp_path / "precious")
    (path / "file").symlink_to(other / "config.toml")

    steering.delete(path)

    assert os.listdir(tmp_path / "runs") == ["two"]
    assert (tmp_path / "precious").is_dir() and (other / "config.toml").is_file()


def strangers(folder: Path) -> Iterator[Path]:
    """Folders that no run was made in, and links."""
    run = ended(folder, "run")
    for name in ("nothing there", "empty", "project", "link"):
        yield folder / name
    yield folder / "link" / "."
    yield run / "config.toml"


@pytest.mark.parametrize("number", range(6))
def test_only_runs_are_deleted(tmp_path: Path, number: int) -> None:
    """A folder that only looks like a run (a project with a config.toml), a link to one, a file, nothing: refused, and kept."""
    path = list(strangers(tmp_path))[number]
    (tmp_path / "empty").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "config.toml").write_text("title = 1")
    (tmp_path / "project" / "manifest.json").write_text('{"name": "an app"}')
    (tmp_path / "link").symlink_to(tmp_path / "runs" / "run")
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(FolderError):
        steering.delete(path)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_entry_cannot_be_changed(tmp_path: Path) -> None:
    """Entries are frozen: what one part of a screen holds, no other changes."""
    ended(tmp_path, "one")

    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(only(RunList(Workspace(tmp_path))), "state", "x")  # noqa: B010


def test_a_process_that_is_started_uses_plug_ins_as_we_do(tmp_path: Path) -> None:
    """Where they are switched off here they are off in every process that the app or a run starts."""
    found = []
    for on in (True, False):
        switch(on)
        found.append(steering.own_command(Workspace(tmp_path)))
    switch(True)

    assert found[1] == [*found[0], "--no-plugins"]


@pytest.mark.parametrize(
    ("written", "since", "state"),
    [
        ({"state": "stopped", "heartbeat": "2026-01-02T03:04:05Z"}, "2026-01-02T03:05:00Z", "starting"),
        ({"state": "done", "heartbeat": "2026-01-02T03:06:00Z"}, "2026-01-02T03:05:00Z", "done"),
        ({"state": "running", "heartbeat": "2026-01-02T03:04:05Z"}, "2026-01-02T03:05:00Z", "running"),
        ({"state": "stopped"}, None, "stopped"),
        ({}, "2026-01-02T03:05:00Z", "starting"),
    ],
)
def test_how_a_run_ended_before_is_no_state_of_a_live_one(
    written: dict[str, Any], since: str | None, state: str, tmp_path: Path
) -> None:
    """A process that has just taken up a run has not written anything yet."""
    assert state_of(tmp_path, written, {"pid": 1, "since": since}) == state
