"""Freezes what must not change: calls of every sample and example, and run folders of every kind in every state.

What is frozen is never made anew: a set that is there is left alone. `--accept` writes, beside a frozen folder, the derived
files whose words are others now, as `scripts/only-words` finds it; `--figures` accepts changed rules as well, and the commit
that does so names each of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import small_runs
import tomli_w
from golden import ADDRESS as ANY_ADDRESS
from golden import FIXED, GOLDEN, ROOT, SERVER
from golden import RUN_IDS as GOLDEN_IDS

sys.path.insert(0, str(ROOT / "tests" / "support"))
import frozen
from only_words import MOST_SHOWN, compare_files
from samples import SAMPLES

Table = dict[str, Any]
LONGEST_S = 60.0
RESERVE = ".reserve"
"""What a killed run leaves of its room on the disk: 4 MB of nothing."""
SLOW = 0.25
"""Latency scale of runs that are broken off: long enough to be met midway."""
ADDRESS = f"${{{frozen.PLACE}}}"
OF_WIRES = "wires "
"""How the names of files begin that hold a sample's calls as every wire sends them."""
RUN = {"max_calls": 100, "max_output_tokens": 200, "max_concurrency": 2, "poll_s": 0.05}


def main() -> int:
    """Freeze what is not frozen yet, or accept changed reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", nargs="?", help="the name of a new set of run folders, such as 1")
    parser.add_argument("--kinds", help="only run folders of these kinds, such as chat,graph; without it, every kind's")
    parser.add_argument("--accept", action="store_true", help="keep derived files that are others now, beside the frozen ones")
    parser.add_argument("--figures", action="store_true", help="with --accept: also where more than words changed")
    options = parser.parse_args()
    if options.accept:
        return accept(options.figures)
    freeze_calls()
    if options.set:
        freeze_runs(frozen.RUNS / options.set, options.kinds.split(",") if options.kinds else [])
    return 0


# calls


def freeze_calls() -> None:
    """The calls of samples and examples that have no file yet; in files of wires, those of wires that came since."""
    for name, make in calls().items():
        file = frozen.CALLS / f"{name}.jsonl"
        if file.exists() and name.startswith(OF_WIRES):
            add_wires(file, make)
        elif not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(make()) + "\n", encoding="utf-8")
            print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1000:.0f} kB")


def add_wires(file: Path, make: Callable[[], list[str]]) -> None:
    """Add the calls of wires that a file has none of; its lines stay as they are."""
    missing = frozen.wires_that_send().difference(map(frozen.wire_of, file.read_text(encoding="utf-8").splitlines()))
    if missing:
        with file.open("a", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in make() if frozen.wire_of(line) in missing)
        print(f"{file.relative_to(ROOT)}: calls of {', '.join(sorted(missing))} added")


def calls() -> dict[str, Callable[[], list[str]]]:
    """What makes the lines of each file."""

    def of_sample(kind: str, name: str, make: Callable[..., list[str]]) -> Callable[[], list[str]]:
        def made() -> list[str]:
            with tempfile.TemporaryDirectory() as folder:
                return make(frozen.as_earlier(kind, name, Path(folder)))

        return made

    def of_example(path: Path) -> Callable[[], list[str]]:
        return lambda: frozen.calls_of(frozen.example_as_earlier(path))

    found = {slug(name): of_sample(kind, name, frozen.calls_of) for kind, name in SAMPLES}
    found |= {f"{OF_WIRES}{slug(name)}": of_sample(kind, name, frozen.wire_calls) for kind, name in SAMPLES}
    found |= {f"example {path.stem}": of_example(path) for path in sorted((ROOT / "examples").glob("*.toml"))}
    return found


def slug(name: str) -> str:
    """A sample's name as a file name."""
    return name.replace(",", "").replace("'", "")


# run folders


def freeze_runs(folder: Path, kinds: Collection[str]) -> None:
    """Run folders of every kind in every state; `kinds`: of these alone."""
    if folder.exists():
        raise SystemExit(f"{folder}: is frozen already; name another set")
    if unknown := set(kinds) - CONFIGS.keys():
        raise SystemExit(
            f"{min(unknown)}: add a small run of this kind to RUNS in scripts/small_runs.py; there are {', '.join(CONFIGS)}"
        )
    for number, (kind, config) in enumerate(CONFIGS.items()):
        for at, (state, make) in enumerate(STATES.items() if not kinds or kind in kinds else ()):
            run_id = f"202601{number + 3:02}_{at:02}0000_{number}{number}{at}{at}_{kind}"
            freeze_run(folder / f"{kind}_{state}", run_id, config, make)
    if kinds:
        return
    for name, run_id in GOLDEN_IDS.items():
        shutil.copytree(GOLDEN / name, folder / f"golden_{name}" / run_id)
    freeze_run(folder / "troubled_incomplete", "20260110_000000_aaaa_troubled", troubled, done)
    freeze_run(folder / "choice_imported", "20260109_000000_9999_imported", choice, imported)


def freeze_run(place: Path, run_id: str, config: Callable[[Path], Table], make: Callable[[Path, Path, Table], None]) -> None:
    """Make one run folder and put it in its place, free of this machine."""
    with tempfile.TemporaryDirectory() as home:
        workspace = Path(home)
        path = workspace / "runs" / run_id
        path.parent.mkdir()
        table = config(workspace)
        make(workspace, path, table)
        served = path.parent / frozen.SERVED
        free_of_machine(path)
        with frozen.serving() as (address, _):
            if not (path / "report.json").exists() or not (path / "results.jsonl").exists():
                tui_eval(workspace, address, "rescore", str(path))
        (path / "lock").unlink(missing_ok=True)
        place.mkdir(parents=True)
        shutil.copytree(path, place / run_id)
        if served.exists():
            shutil.copy(served, place / frozen.SERVED)
        for file in place.rglob("*"):
            file.chmod(0o755 if file.is_dir() else 0o644)
    size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    print(f"{place.relative_to(ROOT)}: {size / 1000:.0f} kB")


def free_of_machine(path: Path) -> None:
    """Fixed words in place of the machine's; times and ids stay, since batches are found by them."""
    for name in ("lock", RESERVE):
        (path / name).unlink(missing_ok=True)
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    commit = json.dumps(manifest["git_commit"])
    manifest |= {**FIXED, "command_line": ["--run", "config.toml"]}
    (path / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    for file in path.rglob("*"):
        if file.is_file() and "inputs" not in file.parts and file.name != "config.toml":
            text = file.read_bytes().decode("utf-8")
            text = ANY_ADDRESS.sub("127.0.0.1:8765", SERVER.sub('"server": "simulator"', text))
            text = text.replace(f'"git_commit": {commit}', '"git_commit": null')
            file.write_bytes(text.replace(f"{os.path.realpath(path.parent.parent)}/", "").encode("utf-8"))


def models(**ids: str) -> list[Table]:
    """Simulated models by name, asked wherever the variable says."""
    return [{"name": name, "wire": "simulator", "model": model, "base_url": ADDRESS} for name, model in ids.items()]


def panel(workspace: Path) -> Table:
    """All three stages, a document, and a model that scores."""
    (workspace / "log.txt").write_text(
        "Monday. Oda Finch keeps the log. The crane's first load was a bell.\n", encoding="utf-8"
    )
    return {
        "kind": "panel", "name": "harbour", "run": dict(RUN),
        "models": models(scholar="sim-scholar", sprinter="sim-sprinter", arbiter="sim-arbiter", scorer="sim-scorer"),
        "panel": {
            "questions": ["Who keeps the harbour log of Skerrow?", "What was the first load of the new crane?"],
            "truths": ["Oda Finch", "a bell"], "documents": ["log.txt"],
            "doers": [{"model": "scholar"}, {"model": "sprinter", "calls": 2, "temperature": 0.7}],
            "judges": [{"model": "arbiter"}], "finals": [{"model": "arbiter"}],
            "benchmark": {"mode": "llm", "scorer": {"model": "scorer"}},
        },
    }  # fmt: skip


def choice(workspace: Path) -> Table:
    """Three questions, two models."""
    entries = json.loads((ROOT / "examples" / "choice" / "benchmark.json").read_text(encoding="utf-8"))
    (workspace / "benchmark.json").write_text(json.dumps(entries[:3], indent=1), encoding="utf-8")
    return {
        "kind": "choice", "name": "lighthouse", "run": {**RUN, "max_output_tokens": 400, "cache": False},
        "models": models(scholar="sim-scholar", rambler="sim-rambler"),
        "choice": {"benchmark": "benchmark.json", "models": ["scholar", "rambler"]},
    }  # fmt: skip


def call(workspace: Path) -> Table:
    """One conversation, six times, one after the other."""
    return {
        "kind": "call", "name": "once", "run": {**RUN, "max_concurrency": 1}, "models": models(scholar="sim-scholar"),
        "call": {"model": "scholar", "calls": 6, "messages": [{"role": "user", "content": "What is one?"}]},
    }  # fmt: skip


def troubled(workspace: Path) -> Table:
    """Doers that fail, each in its own way, always the same."""
    faults = {
        "busy": "fault:429-retry-after-ms:1", "flaky": "fault:503:1", "broken": "fault:400", "garbled": "fault:garbage",
        "declining": "fault:refusal", "cut": "fault:length", "empty": "fault:empty", "scholar": "sim-scholar",
    }  # fmt: skip
    return {
        "kind": "panel", "name": "troubled", "run": {**RUN, "retries": 1, "stop_model_after": 0},
        "models": models(**faults, arbiter="sim-arbiter"),
        "panel": {
            "questions": ["Who keeps the harbour log of Skerrow?", "What was the first load of the new crane?"],
            "truths": ["Oda Finch", "a bell"], "doers": [{"model": name} for name in faults],
            "judges": [{"model": "arbiter"}], "benchmark": {"mode": "exact"},
        },
    }  # fmt: skip


def of_kind(name: str) -> Callable[[Path], Table]:
    """A small run of a kind that reads files of its own."""
    settings = {**RUN, "max_calls": 200, "max_output_tokens": 1000, "max_concurrency": 1, "cache": False}
    return lambda workspace: {**small_runs.RUNS[name](workspace, models), "run": settings}


CONFIGS: dict[str, Callable[[Path], Table]] = {
    "panel": panel, "choice": choice, "call": call, **{name: of_kind(name) for name in small_runs.RUNS},
}  # fmt: skip


def done(workspace: Path, path: Path, table: Table) -> None:
    """Run to its end."""
    with frozen.serving() as (address, _):
        tui_eval(workspace, address, *run_command(workspace, path, table))


def repeats(workspace: Path, path: Path, table: Table) -> None:
    """Everything asked twice."""
    done(workspace, path, {**table, "run": {**table["run"], "repeat": 2}})


def stopped(workspace: Path, path: Path, table: Table) -> None:
    """Asked to stop after some calls."""
    with frozen.serving(latency_scale=SLOW) as (address, _):
        process = started(workspace, address, *run_command(workspace, path, table))
        wait_for(lambda: lines_of(path / "call_logs.jsonl") >= 2)
        (path / "STOP").touch()
        if process.wait(LONGEST_S) != 130:
            raise SystemExit(f"the run was to be stopped, and ended with {process.returncode}")


def killed(workspace: Path, path: Path, table: Table) -> None:
    """Killed while calls were in flight."""
    with frozen.serving(latency_scale=SLOW) as (address, _):
        process = started(workspace, address, *run_command(workspace, path, table))
        wait_for(lambda: lines_of(path / "call_logs.jsonl") >= 2)
        process.send_signal(signal.SIGKILL)
        process.wait(LONGEST_S)


def batch(workspace: Path, path: Path, table: Table) -> None:
    """Killed while a batch was at the server; what the server would say of it is kept."""
    table = {**table, "run": {**table["run"], "mode": "batch"}}
    with frozen.serving(batch_s=2.0) as (address, _):
        process = started(workspace, address, *run_command(workspace, path, table))
        file = path / "batches.jsonl"
        wanted = 3 if table["kind"] == "panel" else 1  # a panel's third one is the judges', of the second wave
        wait_for(lambda: file.exists() and file.read_bytes().count(b'"submitted"') >= wanted)
        process.send_signal(signal.SIGKILL)
        process.wait(LONGEST_S)
        time.sleep(3.0)
        events = [json.loads(line) for line in file.read_bytes().splitlines()]
        served = {}
        for name in [event["id"] for event in events if event["state"] == "submitted"]:
            served |= told_of(address, f"/v1/batches/{name}")
    (path.parent / frozen.SERVED).write_text(json.dumps(served, indent=1) + "\n", encoding="utf-8")


def told_of(address: str, place: str) -> dict[str, str]:
    """What the server says of a batch that is over, and the files it names."""
    root = address.removesuffix("/v1")
    text = fetched(root + place)
    state = json.loads(text)
    files = [f"/v1/files/{state[name]}/content" for name in ("output_file_id", "error_file_id") if state.get(name)]
    return {place: text, **{file: fetched(root + file) for file in files}}


def fetched(address: str) -> str:
    """GET."""
    with urllib.request.urlopen(address, timeout=10) as response:
        return str(response.read().decode("utf-8"))


def imported(workspace: Path, path: Path, table: Table) -> None:
    """Answers made elsewhere."""
    entries = json.loads((workspace / "benchmark.json").read_text(encoding="utf-8"))
    rows = ["question_id,model,raw_response"]
    for model, replies in {"elsewhere": ["Answer: A", "B", "I cannot tell."], "other": ["(C)", "Answer: A"]}.items():
        rows += [f'{entry["id"]},{model},"{reply}"' for entry, reply in zip(entries, replies, strict=False)]
    (workspace / "answers.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    command = ("import", "answers.csv", "--dataset", "benchmark.json", "--out", str(path))
    tui_eval(workspace, "http://127.0.0.1:9/v1", *command)


STATES: dict[str, Callable[[Path, Path, Table], None]] = {
    "done": done, "repeats": repeats, "stopped": stopped, "killed": killed, "batch": batch,
}  # fmt: skip


def run_command(workspace: Path, path: Path, table: Table) -> tuple[str, ...]:
    """The config as a file, and the command that runs it."""
    (workspace / "config.toml").write_text(tomli_w.dumps(table), encoding="utf-8")
    return ("--run", "config.toml", "--out", str(path), "--no-preflight")


def started(workspace: Path, address: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A command that goes on beside this program."""
    environment = {**os.environ, frozen.PLACE: address, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tui_eval", *arguments]
    return subprocess.Popen(command, cwd=workspace, env=environment, stdout=subprocess.DEVNULL)


def tui_eval(workspace: Path, address: str, *arguments: str) -> None:
    """Run a command to its end; an incomplete run (3) is no failure here."""
    if started(workspace, address, *arguments).wait(LONGEST_S) not in (0, 3):
        raise SystemExit(f"{' '.join(arguments)} failed")


def wait_for(met: Callable[[], bool]) -> None:
    """Wait until something holds."""
    until = time.monotonic() + LONGEST_S
    while not met():
        if time.monotonic() > until:
            raise SystemExit("waited in vain")
        time.sleep(0.01)


def lines_of(path: Path) -> int:
    """How many lines a file has; 0 where there is none."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


# reports that a change of the rules made others


def accept(figures: bool) -> int:
    """Keep, beside each frozen folder, the derived files that are others by today's code, and the names of the gone ones.

    Nothing is kept, and exit code 1, where more than words changed, unless `figures` says that it may.
    """
    from rescored import derived_today  # the tests' own way of re-scoring a frozen folder

    made = {}
    for place in sorted(path for path in frozen.RUNS.glob("*/*") if path.is_dir()):
        with tempfile.TemporaryDirectory() as folder:
            made[place] = derived_today(place, Path(folder))
    names = {place: place.relative_to(frozen.RUNS) for place in made}
    changes = [f"{names[place]}/{line}" for place, today in made.items() for line in compare_files(accepted(place), today)]
    if changes and not figures:
        print("\n".join(changes[:MOST_SHOWN]))
        print(f"{len(changes)} changes of more than words: nothing is kept; --figures accepts changed rules", file=sys.stderr)
        return 1
    for place, today in made.items():
        keep(place, today)
    return 0


def accepted(place: Path) -> dict[str, bytes]:
    """Read the derived files of a frozen folder as they were accepted last: the frozen ones, and what stands beside them."""
    from rescored import derived, run_folder

    changed = frozen.CHANGED / place.relative_to(frozen.RUNS)
    gone = (changed / frozen.GONE).read_text(encoding="utf-8").split("\n") if (changed / frozen.GONE).exists() else []
    beside = {str(path.relative_to(changed)): path.read_bytes() for path in changed.rglob("*") if path.is_file()}
    beside.pop(frozen.GONE, None)
    return {name: content for name, content in derived(run_folder(place)).items() if name not in gone} | beside


def keep(place: Path, today: Mapping[str, bytes]) -> None:
    """Write what today's code makes otherwise beside a frozen folder, and the names of what it makes no more."""
    from rescored import derived, run_folder

    changed, frozen_run = frozen.CHANGED / place.relative_to(frozen.RUNS), run_folder(place)
    gone = sorted(derived(frozen_run).keys() - today.keys())
    for path in [path for path in changed.rglob("*") if path.is_file()]:
        if str(path.relative_to(changed)) not in today:
            path.unlink()
    if gone:
        changed.mkdir(parents=True, exist_ok=True)
        (changed / frozen.GONE).write_text("\n".join(gone) + "\n", encoding="utf-8")
        print(f"{place.relative_to(frozen.RUNS)}: gone: {', '.join(gone)}")
    for name, content in today.items():
        file, original = changed / name, frozen_run / name
        if original.exists() and original.read_bytes() == content:
            file.unlink(missing_ok=True)
        elif not file.exists() or file.read_bytes() != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            print(file.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main())
