"""Whatever lies in the place of a file: every verb and the app end or answer, keep small, and write nothing outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hostile_folder import CANARY, RUN_VERBS, SORTS, WORKSPACE_VERBS, built
from soaking import SOAK

from tui_eval.cli.verbs import VERBS

SUPPORT = Path(__file__).resolve().parents[1] / "support"
MOST_MB = 300
"""Far more than a verb takes on such folders, and far less than what an endless file would fill."""
LONGEST_S = 60.0
"""Far less than for ever, and more than a machine that stands still now and then needs. Ctrl-C is pressed after two seconds."""
CODES = (0, 1, 2, 3, 130)
"""How a verb may end: never as a bug."""
WHOLE = os.environ.get("TUI_EVAL_HOSTILE") == "all"
"""Whether every place is tried with every sort, which takes an hour."""
Case = tuple[Any, ...]


def told_of(program: str, cases: Sequence[Case], folder: Path) -> list[dict[str, Any]]:
    """What a process that opens these folders tells of each; its standard error where it did not come to its end."""
    paths = [str(SUPPORT), str(SUPPORT.parent / "frozen"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, str(SUPPORT / program), str(folder)],
        input="".join(json.dumps(case) + "\n" for case in cases),
        capture_output=True,
        text=True,
        timeout=7200,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Every place in the folder."""
    return built(tmp_path_factory.mktemp("places")).places()


def test_every_verb_is_tried() -> None:
    """A new verb has its words here, too."""
    assert {verb for verb, _ in WORKSPACE_VERBS} | RUN_VERBS == set(VERBS)


@pytest.mark.parametrize("sort", SORTS)
def test_every_sort_lies_where_the_file_was(sort: str, tmp_path: Path) -> None:
    """What is planted is no plain file of ours, whatever else it is."""
    from hostile_folder import plant

    folder = built(tmp_path)
    before = (folder.work / ".conf/models.toml").read_bytes()
    path = plant(folder, ".conf/models.toml", sort)

    assert os.path.lexists(path)
    assert not path.is_file() or path.stat().st_size > 10**6 or path.read_bytes() != before


def _check_verbs(cases: Sequence[Case], folder: Path) -> None:
    found = told_of("hostile_verbs.py", cases, folder)
    wrong = list(_wrong(found))

    assert not wrong, "\n".join(wrong[:20])
    assert found[-1]["memory"] < MOST_MB


def _wrong(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    named = {(one["place"], one["sort"]) for one in found if one.get("place") in one.get("words", ())}
    for one in found[:-1]:
        where = f"{one['place']} as a {one['sort']}: {' '.join(one.get('words', ()))}"
        if "wrote outside" in one:
            yield f"{where}: wrote outside of the folder"
        elif "leaks" in one:
            if (one["place"], one["sort"]) not in named:  # what a person names is read wherever it leads
                yield f"{where}: what stands outside is in {one['leaks']}"
        elif one["code"] not in CODES:
            yield f"{where}: {one['code']}\n{one['said'][-1500:]}"
        elif one["seconds"] > LONGEST_S:
            yield f"{where}: took {one['seconds']:.1f} s"
        elif CANARY in one["said"] and one["place"] not in one["words"]:
            yield f"{where}: shows what stands outside\n{one['said'][-500:]}"


def test_verbs_open_hostile_folders(places: list[str], tmp_path: Path) -> None:
    """A pipe in the place of the models, and of a run's log."""
    log = next(place for place in places if place.endswith("choice/call_logs.jsonl"))

    _check_verbs([(".conf/models.toml", "pipe", 4), (log, "pipe", 4)], tmp_path)


def _cases(places: Sequence[str], spread: int) -> list[tuple[str, str]]:
    """Places with sorts of what may lie there: all of them where TUI_EVAL_HOSTILE=all, else each `spread`th with one sort, of
    which none is left out.
    """
    if WHOLE:
        return [(place, sort) for place in places for sort in SORTS]
    sorts = list(SORTS)
    return [(place, sorts[number // spread % len(sorts)]) for number, place in enumerate(places) if number % spread == 0]


@pytest.mark.soak
def test_every_verb_opens_every_hostile_folder(places: list[str], tmp_path: Path) -> None:
    """No bug, nothing for ever, nothing outside, little memory."""
    _check_verbs([(*case, 99) for case in _cases(places, 6)], tmp_path)


def _check_app(cases: Sequence[Case], folder: Path) -> None:
    *found, last = told_of("hostile_app.py", cases, folder)
    for one in found:
        where = f"{one['place']} as a {one['sort']}"
        assert not one["failed"], f"{where}: {one['failed']}"
        assert not one["bugs"], f"{where}: {one['bugs']}"
        assert one["first"] < LONGEST_S and one["slowest"] < LONGEST_S, where
        assert not one["wrote outside"] and not one["leaks"], where
    assert last["memory"] < MOST_MB


def _tells(one: dict[str, Any], *words: str) -> bool:
    return any(all(word in told for word in words) for told in one["told"])


@pytest.mark.parametrize("sort", [pytest.param(sort, marks=SOAK) if sort != "device" else sort for sort in SORTS])
@pytest.mark.parametrize("place", [".conf/keymap.toml", pytest.param(".conf/app.toml", marks=SOAK)])
def test_the_app_starts_with_a_sentence(place: str, sort: str, tmp_path: Path) -> None:
    """What is wrong with one of its own files is told, by its name, and the default holds."""
    found = told_of("hostile_app.py", [(place, sort)], tmp_path)[0]

    assert not found["failed"] and not found["bugs"]
    assert _tells(found, place, "until then"), found["told"]


@pytest.mark.soak
def test_the_app_opens_every_hostile_folder(places: list[str], tmp_path: Path) -> None:
    """Keys are answered all the while: its loop is never late for long."""
    _check_app(_cases(places, 8), tmp_path)
