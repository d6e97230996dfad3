"""What servers were found to refuse: kept as it was learnt, believed for a while, and never a reason to fail."""

from __future__ import annotations

import stat
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from makers import few, model

from tui_eval.core.calls import ModelSpec, Repair
from tui_eval.core.errors import ConfigError
from tui_eval.models.learned import DAYS, FILE, forget, learned, remember
from tui_eval.workspace.places import Workspace

sound_text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)
repairs = st.builds(
    Repair,
    st.sampled_from(["temperature", "max_tokens", "stream_options"]) | sound_text,
    st.none() | sound_text,
    st.none() | st.integers(0, 2**62),
)
models = st.builds(
    ModelSpec,
    name=sound_text,
    wire=st.sampled_from(["openai", "anthropic", "openrouter"]),
    model=sound_text,
    base_url=st.none() | st.just("${HOST}/v1") | sound_text,
)
NO_TEMPERATURE = Repair("temperature")


def file_of(workspace: Path) -> Path:
    """Where it is kept."""
    return workspace / ".conf" / FILE


def known_of(workspace: Path, spec: ModelSpec) -> dict[str, Repair]:
    """What is known of a model."""
    return learned(Workspace(workspace), [spec]).get(spec.name, {})


def write_entry(workspace: Path, **changes: object) -> None:
    """An entry of the file, as somebody else may have written it."""
    spec = model()
    entry = {"wire": spec.wire, "base_url": spec.base_url, "model": spec.model, "parameter": "temperature", "date": day(0)}
    file_of(workspace).parent.mkdir(exist_ok=True)
    file_of(workspace).write_text(tomli_w.dumps({"learned": [{**entry, **changes}]}))


def day(ago: int) -> str:
    """A day before today, YYYY-MM-DD."""
    return time.strftime("%Y-%m-%d", time.localtime(time.time() - ago * 86_400))


@few
@given(spec=models, learnt=st.lists(repairs, min_size=1, max_size=4, unique_by=lambda repair: repair.parameter))
def test_what_was_remembered_is_known(tmp_path_factory: pytest.TempPathFactory, spec: ModelSpec, learnt: list[Repair]) -> None:
    """Any model, any repair: it comes back as it was, and for this model alone, whatever it is called here."""
    folder = tmp_path_factory.mktemp("learned")
    for repair in learnt:
        remember(Workspace(folder), spec, repair)
    assert known_of(folder, spec) == {repair.parameter: repair for repair in learnt}
    assert known_of(folder, replace(spec, name="another name")) == known_of(folder, spec)
    for other in (replace(spec, model=spec.model + "x"), replace(spec, base_url="http://x"), replace(spec, wire="ollama")):
        assert known_of(folder, other) == {}


def test_what_is_learnt_anew_replaces_what_was_known(workspace: Path) -> None:
    """One entry for each parameter of a model: the last."""
    remember(Workspace(workspace), model(), Repair("max_tokens", lower_to=9000))
    remember(Workspace(workspace), model(), NO_TEMPERATURE)
    remember(Workspace(workspace), model(), Repair("max_tokens", lower_to=4000))
    assert known_of(workspace, model()) == {"temperature": NO_TEMPERATURE, "max_tokens": Repair("max_tokens", lower_to=4000)}
    assert len(tomllib.loads(file_of(workspace).read_text())["learned"]) == 2


def test_forgotten_is_everything_of_one_model(workspace: Path) -> None:
    """The others are kept; forgetting what is not known writes nothing."""
    other = model(model="another")
    forget(Workspace(workspace), model())
    assert list(workspace.iterdir()) == []
    for spec in (model(), other):
        remember(Workspace(workspace), spec, NO_TEMPERATURE)
    forget(Workspace(workspace), model())
    assert (known_of(workspace, model()), known_of(workspace, other)) == ({}, {"temperature": NO_TEMPERATURE})


@pytest.mark.parametrize(("ago", "believed"), [(0, True), (DAYS - 1, True), (DAYS + 1, False), (4000, False)])
def test_it_is_believed_for_thirty_days(workspace: Path, ago: int, believed: bool) -> None:
    """Servers change."""
    write_entry(workspace, date=day(ago))
    assert bool(known_of(workspace, model())) is believed


@pytest.mark.parametrize("date", ["9999-12-31", "soon", "", "2026-13-77x", "~"])
def test_a_date_that_is_none_is_not_believed_for_ever(workspace: Path, date: str) -> None:
    """What has no day of the past would never be found out anew."""
    write_entry(workspace, date=date)
    assert known_of(workspace, model()) == {}


DAMAGED = {
    "empty": b"",
    "not TOML": b"[[learned",
    "not UTF-8": b"\xff\xfe\x00",
    "NUL": b"\x00" * 100,
    "too deep": b"learned = " + b"[" * 5000,
    "another shape": b'learned = "yes"',
    "a table": b"[learned]\nwire = 1",
    "rows of other things": b"learned = [1, 'a', [], {}]",
    "wrong types": b'[[learned]]\nwire = 1\nbase_url = ""\nmodel = "m"\nparameter = "p"\ndate = "2026-01-01"',
    "a bool as limit": b'[[learned]]\nwire="w"\nbase_url=""\nmodel="m"\nparameter="p"\ndate="2026-01-01"\nlower_to=true',
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_teaches_nothing_and_is_replaced(workspace: Path, content: bytes) -> None:
    """What can be read of it is kept, the rest is gone with the next thing learnt."""
    file_of(workspace).parent.mkdir()
    file_of(workspace).write_bytes(content)
    assert known_of(workspace, model()) == {}
    forget(Workspace(workspace), model())
    remember(Workspace(workspace), model(), NO_TEMPERATURE)
    assert len(tomllib.loads(file_of(workspace).read_text("utf-8"))["learned"]) == 1
    assert known_of(workspace, model()) == {"temperature": NO_TEMPERATURE}


@few
@given(st.binary(max_size=200))
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Whatever stands in the file, reading it costs nothing."""
    folder = tmp_path_factory.mktemp("bytes")
    file_of(folder).parent.mkdir()
    file_of(folder).write_bytes(b"[[learned]]\n" + content)
    assert known_of(folder, model()) == {}


def test_files_are_private_and_out_of_version_control(workspace: Path) -> None:
    """The folder is the user's alone; the file, too; and git is told to leave them out."""
    remember(Workspace(workspace), model(), NO_TEMPERATURE)
    remember(Workspace(workspace), model(), Repair("seed"))
    folder = workspace / ".conf"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert "*" in (folder / ".gitignore").read_text().splitlines()
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", ".lock", FILE]


def test_where_it_cannot_be_kept_that_is_said(workspace: Path) -> None:
    """A file stands where the folder should: known is nothing, and remembering says why it cannot."""
    (workspace / ".conf").write_text("in the way")
    assert known_of(workspace, model()) == {}
    with pytest.raises(ConfigError, match="cannot be written"):
        remember(Workspace(workspace), model(), NO_TEMPERATURE)


WRITER = """
import sys
from pathlib import Path
from tui_eval.models.learned import remember
from tui_eval.core.calls import ModelSpec, Repair
from tui_eval.workspace.places import Workspace
for number in range(20):
    remember(Workspace(Path(sys.argv[1])), ModelSpec(sys.argv[2], "openai", sys.argv[2]), Repair(f"p{number}"))
"""


@pytest.mark.soak
def test_processes_that_learn_at_once_lose_nothing(workspace: Path) -> None:
    """Three processes remember twenty things each: all sixty are on file."""
    names = ("one", "two", "three")
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(workspace), name]) for name in names]
    assert [writer.wait(240) for writer in writers] == [0, 0, 0]
    found = learned(Workspace(workspace), [ModelSpec(name, "openai", name) for name in names])
    assert {name: len(known) for name, known in found.items()} == dict.fromkeys(names, 20)
