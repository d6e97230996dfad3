"""Run folders of older versions: each opens, is scored to the same bytes, and goes on asking exactly what is missing."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from frozen import CHANGED, GONE, PLACE, RUNS, SERVED, serving, settled_json, settled_log
from next_steps import check_none_missing
from rescored import derived, derived_today, laid_out, run_folder
from soaking import quick_first_of_each

from tui_eval.cli import command_line
from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.loading import load
from tui_eval.core.records import Attempt
from tui_eval.engine.run import RunEnd, run
from tui_eval.kinds import KINDS
from tui_eval.runs.entry import entry_of
from tui_eval.runs.folder import FORMAT, LOG, MANIFEST, NEWEST
from tui_eval.runs.reader import RunReader
from tui_eval.runs.record import REQUIRED
from tui_eval.workspace.keys import Keys
from tui_eval.workspace.places import Workspace

PLACES = sorted(path for path in RUNS.glob("*/*") if path.is_dir())
NAMES = [f"{path.parent.name}/{path.name}" for path in PLACES]
STATES = {
    "incomplete": "incomplete",
    "done": "done",
    "repeats": "done",
    "stopped": "stopped",
    "killed": "interrupted",
    "batch": "interrupted",
}
BROKEN_OFF = [path for path in PLACES if path.name.endswith(("_stopped", "_killed", "_batch")) and "golden" not in path.name]
WHOLE = [path for path in PLACES if path.name.endswith(("_done", "_repeats", "_incomplete"))]
LONGEST_S = 60.0
SAME_BYTES = ("config.toml", "plan.json")
RESOLVED = "resolved_config.json"
SAME_BUT_FOR_TIMES = ("results.json", "accuracy.json")


def named(place: Path) -> str:
    """What a frozen folder is called in a report of the tests."""
    return f"{place.parent.name}/{place.name}"


def oldest_first(places: list[Path]) -> pytest.MarkDecorator:
    """The oldest folder of each name is tried by the quick suite, those of the versions between by the longer one as well."""
    return pytest.mark.parametrize("place", quick_first_of_each(places, lambda path: path.name), ids=map(named, places))


def final_keys(path: Path) -> set[str]:
    """Keys of the calls that a log settles."""
    return {record["call_key"] for record in records(path) if record["final"]}


def records(path: Path) -> list[dict[str, Any]]:
    """Every line of the log as it stands there."""
    return [json.loads(line) for line in (path / LOG).read_bytes().split(b"\n") if line]


def expected(place: Path) -> dict[str, bytes]:
    """The derived files of a frozen folder, and in place of some those that a later change of the rules made others or none."""
    found = derived(run_folder(place))
    changed = CHANGED / place.relative_to(RUNS)
    found |= {str(path.relative_to(changed)): path.read_bytes() for path in changed.rglob("*") if path.is_file()}
    gone = found.pop(GONE, b"").decode().splitlines()
    return {name: content for name, content in found.items() if name not in gone}


def test_every_kind_is_frozen_in_every_state() -> None:
    """A kind that comes has run folders of today's form, before its form changes: scripts/freeze SET --kinds NAME."""
    states = {"done", "repeats", "stopped", "killed", "batch"}
    frozen = {tuple(path.name.split("_")) for path in PLACES}

    step = (
        "add a small run of the kind '{name}' to RUNS in scripts/small_runs.py, then run `scripts/freeze SET --kinds {name}` "
        "(SET: a new name) and commit the files that it adds to tests/frozen"
    )
    check_none_missing({kind for kind in KINDS for state in states if (kind, state) not in frozen}, step)


@pytest.mark.parametrize("place", PLACES, ids=NAMES)
def test_it_opens(place: Path) -> None:
    """A list shows its state, and every line of its log is a record."""
    path = run_folder(place)
    entry, reader = entry_of(path), RunReader(path)

    assert entry.state == STATES.get(place.name.partition("_")[2], entry.state) and not entry.live
    assert entry.simulated or place.name == "choice_imported"
    assert reader.damaged() == []
    assert len(list(reader.records())) == len(records(path))


@oldest_first(PLACES)
def test_it_is_scored_to_the_same_bytes(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every report is what it was; one that is another on purpose lies in tests/frozen/changed, and its commit names it."""
    monkeypatch.setenv(PLACE, "http://127.0.0.1:9/v1")
    before, after = expected(place), derived_today(place, tmp_path)

    assert sorted(after) == sorted(before)
    assert [name for name in before if after[name] != before[name]] == []


async def live(path: Path, fresh: bool = False) -> RunEnd:
    """A run folder taken up again, or a config run anew, in this process."""
    loaded = load(path, Workspace(path.parent)) if fresh else reopening.reopen(path, Workspace(path.parent.parent))
    if fresh:
        path = path.parent.parent / "anew" / path.parent.name
        path.parent.mkdir()
        preparing.prepare(loaded, path, lambda text: text, ["--run", "config.toml"])
    async with asyncio.timeout(LONGEST_S):
        return await run(path, loaded, Keys([], ()))


def served_for(place: Path) -> dict[str, str]:
    """What the server of an open batch would say of it."""
    file = place / SERVED
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


@oldest_first(BROKEN_OFF)
def test_it_goes_on_with_what_is_missing(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken up again it asks exactly the calls that the finished run has and it has not, and comes to the same results."""
    whole = run_folder(place.with_name(f"{place.name.partition('_')[0]}_done"))
    path = laid_out(place, tmp_path)
    before = records(path)
    missing = final_keys(whole) - final_keys(path)
    with serving(served_for(place)) as (address, server):
        monkeypatch.setenv(PLACE, address)
        ended = asyncio.run(live(path))
        stats = server.stats()
    new = records(path)[len(before) :]
    fetched = {record["call_key"] for record in new if record["batch_id"]}

    assert ended.exit_code == 0
    assert {record["call_key"] for record in new} == missing
    assert len(new) == len(missing)
    assert stats["requests"] + stats["batched"] == len(missing) - len(fetched & recalled_keys(place, path))
    changed = CHANGED / whole.parent.relative_to(RUNS)
    assert answers(path) == answers(changed if (changed / "results.json").exists() else whole)


def recalled_keys(place: Path, path: Path) -> set[str]:
    """Calls that the server had answered already, in a batch that was open when the run broke off."""
    text = "".join(served_for(place).values())
    return {record["call_key"] for record in records(path) if record["batch_id"] and record["attempt_id"] in text}


def answers(path: Path) -> Any:
    """results.json without what a batch, or another moment, makes others."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: bare(entry) for name, entry in value.items() if "cost" not in name and "latency" not in name}
        return [bare(entry) for entry in value] if isinstance(value, list) else value

    return bare(settled_json(path / "results.json"))


def _without_nothing(path: Path) -> Any:
    """A JSON file without the keys that are null, which versions before left out."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: bare(entry) for name, entry in value.items() if entry is not None}
        return [bare(entry) for entry in value] if isinstance(value, list) else value

    return bare(json.loads(path.read_bytes()))


def without_refusal(record: dict[str, Any]) -> dict[str, Any]:
    """A record as it was before the words of a refusal were kept."""
    return {**record, "response_text": None} if record["error_kind"] == "refused" else record


@oldest_first(WHOLE)
def test_its_config_run_anew_makes_the_same_log(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the same simulator the log is the same record by record, but for times and ids, fields that came since, and the
    words of refusals; config and plan to the byte, the resolved config but for keys that say that there is nothing."""
    frozen = run_folder(place)
    shutil.copytree(frozen, tmp_path / frozen.name)
    with serving() as (address, _):
        monkeypatch.setenv(PLACE, address)
        asyncio.run(live(tmp_path / frozen.name / "config.toml", fresh=True))
    path = tmp_path / "anew" / frozen.name

    was = settled_log(frozen / LOG)
    came_since = {field.name for field in fields(Attempt)}.difference(*was)
    is_now = [without_refusal(record) for record in settled_log(path / LOG, came_since)]
    step = "if this difference is meant, say so as `without_refusal` does for the words of refusals; call keys never change"
    assert is_now == was, step
    for name in SAME_BYTES:
        assert (path / name).read_bytes() == (frozen / name).read_bytes(), name
    assert _without_nothing(path / RESOLVED) == _without_nothing(frozen / RESOLVED)
    for name in SAME_BUT_FOR_TIMES:
        if (frozen / name).exists():
            changed = CHANGED / place.relative_to(RUNS) / name
            assert settled_json(path / name) == settled_json(changed if changed.exists() else frozen / name), name


# ------------------------------------------------------------------------------------------------------ logs of other versions

LATER = [field.name for field in fields(Attempt) if field.name not in (*REQUIRED, "response_text")]
"""All but the answer itself, on which later calls build."""
SETTLED = [path for path in PLACES if path.name.endswith(("_done", "_repeats"))]


def rewritten(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """The log with every record changed."""
    lines = [json.dumps(change(record)) for record in records(path)]
    (path / LOG).write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def taken_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Take a run up again; how many requests its server counted."""
    with serving() as (address, server):
        monkeypatch.setenv(PLACE, address)
        assert asyncio.run(live(path)).exit_code == 0
        return int(server.stats()["requests"])


@oldest_first(SETTLED)
def test_a_field_more_or_less_asks_nothing_twice(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that lacks all that a later version notes, or has what no version notes yet, is as good: nothing is asked again,
    and what is unknown stays in it."""
    kept = ("response_text", *REQUIRED)
    path = laid_out(place, tmp_path)
    rewritten(path, lambda record: {"later": [1], **{name: record[name] for name in kept}, "more": {"than": "known"}})

    assert taken_up(path, monkeypatch) == 0
    assert all(record["later"] == [1] and record["more"] == {"than": "known"} for record in records(path))
    assert (path / "report.json").exists()


@pytest.mark.parametrize("name", LATER)
def test_no_single_field_makes_a_call_be_asked_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever field an older version did not note: its run is still done."""
    path = laid_out(next(place for place in PLACES if place.name == "panel_done"), tmp_path)
    rewritten(path, lambda record: {key: value for key, value in record.items() if key != name})

    assert taken_up(path, monkeypatch) == 0


@pytest.mark.parametrize(
    "command",
    [["resume"], ["rescore"], ["status"], ["compare"], ["rescore", "--dry-run", "--set", "choice.extraction=robust"]],
    ids=" ".join,
)
def test_a_newer_form_is_refused(command: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A folder whose files a newer version keeps in another way is not misread: a sentence says so, nothing is written."""
    path = laid_out(next(place for place in PLACES if place.name == "choice_done"), tmp_path)
    manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    (path / MANIFEST).write_text(json.dumps({**manifest, "format": NEWEST + 1}), encoding="utf-8")
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}

    code = command_line.main(["--workspace", str(tmp_path), command[0], str(path), *command[1:]])

    assert code == 2
    assert f"was made by a newer tui-eval (format {NEWEST + 1}" in capfd.readouterr().err
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file() and file.name != "lock"} == before


def test_a_new_run_says_its_form(tmp_path: Path) -> None:
    """What is written today names the form of its files."""
    config = tmp_path / "config.toml"
    config.write_text(
        (run_folder(next(p for p in PLACES if p.name == "call_done")) / "config.toml").read_text(encoding="utf-8")
    )
    preparing.prepare(load(config, Workspace(tmp_path), sends=False), tmp_path / "run", lambda text: text, [])

    assert json.loads((tmp_path / "run" / MANIFEST).read_text(encoding="utf-8"))["format"] == FORMAT
