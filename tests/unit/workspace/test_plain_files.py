"""Laws of the door through which files are read: plain files alone, within bounds, by no link that leads out of a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import (
    ANYWHERE,
    MOST_JSON_DEPTH,
    json_of,
    lies_within,
    opened,
    read_file,
    read_json_file,
    stream_of,
    unreadable,
)
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.toml_files import small_table

MOST = 100


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a file, beside a file that is not in it."""
    (tmp_path / "out.txt").write_text("outside")
    (tmp_path / "work" / "inner").mkdir(parents=True)
    (tmp_path / "work" / "in.txt").write_text("inside")
    (tmp_path / "work" / "inner" / "deep.txt").write_text("deep")
    return tmp_path / "work"


def _refused(path: Path, within: Path | None = None) -> str:
    with pytest.raises(OSError) as error:
        os.close(opened(path, within))
    return unreadable(path, error.value)


@pytest.mark.parametrize("within", ["none", "folder", "anywhere"])
def test_a_plain_file_is_read(within: str, work: Path) -> None:
    """Whoever may have named it."""
    folder = {"none": None, "folder": work, "anywhere": ANYWHERE}[within]

    assert read_file(work / "in.txt", MOST, folder) == b"inside"
    assert read_file(work / "inner" / "deep.txt", MOST, folder) == b"deep"
    with pytest.raises(FileNotFoundError):
        read_file(work / "nothing", MOST, folder)


def test_links_are_followed_as_far_as_the_folder(work: Path) -> None:
    """Within it, not out of it; anywhere where a person named it, nowhere where it may be no link."""
    (work / "near").symlink_to("inner/deep.txt")
    (work / "far").symlink_to(work.parent / "out.txt")
    (work / "away").symlink_to(work.parent)

    assert read_file(work / "near", MOST, work) == b"deep"
    assert read_file(work / "far", MOST, ANYWHERE) == b"outside"
    assert f"leads out of {work} by a link; put a copy of the file in its place" in _refused(work / "far", work)
    assert "leads out of" in _refused(work / "away" / "out.txt", work)
    assert "leads out of" in _refused(work / ".." / "out.txt", work)
    assert _refused(work / "near") == f"{work / 'near'}: is a link, not a regular file; move it away"
    assert lies_within(work / "near", work) and not lies_within(work / "far", work)


def test_a_folder_that_is_a_link_is_the_folder(work: Path) -> None:
    """The workspace may lie behind one."""
    (work.parent / "alias").symlink_to(work)

    assert read_file(work.parent / "alias" / "in.txt", MOST, work.parent / "alias") == b"inside"
    assert read_file(work / "in.txt", MOST, work.parent / "alias") == b"inside"


@pytest.mark.parametrize("within", [True, False])
def test_what_is_no_file_is_named_at_once(within: bool, work: Path) -> None:
    """A pipe, a folder, a device behind a link; descriptors are not left open."""
    os.mkfifo(work / "pipe")
    (work / "device").symlink_to("/dev/zero")
    before = len(os.listdir("/proc/self/fd"))
    folder = work if within else ANYWHERE

    assert "is a named pipe, not a regular file; move it away" in _refused(work / "pipe", folder)
    assert "is a folder, not a regular file; move it away" in _refused(work / "inner", folder)
    assert ("leads out of" if within else "is a device, not a regular file") in _refused(work / "device", folder)
    assert "holds a byte 0" in _refused(Path("a\0b"), folder)
    assert len(os.listdir("/proc/self/fd")) == before


@given(st.integers(0, 2 * MOST))
def test_no_more_is_read_than_there_may_be(size: int) -> None:
    """At the bound it is read whole, one byte more is refused, whatever it says of its size."""
    path = Path(f"/proc/self/fd/{os.memfd_create('sized')}")
    try:
        path.write_bytes(b"x" * size)
        if size <= MOST:
            assert read_file(path, MOST, ANYWHERE) == b"x" * size
        else:
            with pytest.raises(OSError, match="is larger than"):
                read_file(path, MOST, ANYWHERE)
    finally:
        os.close(int(path.name))


def test_a_file_without_a_size_is_read_to_the_bound() -> None:
    """Files of the system say 0, and have more."""
    status = Path("/proc/self/status")

    assert status.stat().st_size == 0 and read_file(status, 100_000, ANYWHERE).startswith(b"Name:")
    with pytest.raises(OSError, match="is larger than 0 KB"):
        read_file(status, 10, ANYWHERE)
    with stream_of(status, ANYWHERE) as stream:
        assert stream.read(4) == b"Name"


@given(st.integers(1, 2 * MOST_JSON_DEPTH), st.sampled_from(["[", "{"]))
def test_json_is_read_as_deep_as_it_may_be(depth: int, sign: str) -> None:
    """Brackets count, those in texts do not."""
    ends = {"[": ("[", "]"), "{": ('{"[{": ', "}")}[sign]
    text = (ends[0] * depth + '"\\"[[[[{{{{"' + ends[1] * depth).encode()

    if depth <= MOST_JSON_DEPTH:
        assert json_of(text) == json.loads(text)
    else:
        with pytest.raises(ValueError, match="nested too deeply"):
            json_of(text)


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_any_json_is_read_as_json_reads_it(value: object) -> None:
    """The look at its depth takes nothing sound for deep."""
    assert json_of(json.dumps([value] * 60).encode()) == [value] * 60


def test_deep_json_of_many_megabytes_is_refused(tmp_path: Path) -> None:
    """Before it is parsed."""
    (tmp_path / "deep.json").write_bytes(b"[" * 4_000_000)

    with pytest.raises(ValueError, match="nested too deeply"):
        read_json_file(tmp_path / "deep.json", 10**7)


def test_small_tables_name_the_file_and_the_next_step(work: Path) -> None:
    """Whatever is wrong; one that is not there is empty, a link that leads nowhere is no such thing."""
    file = work / "own.toml"
    assert small_table(file, work) == {}
    for content, said in ((b"a = ", "not valid TOML"), (b"\xff", "not UTF-8"), (b"a" + b".a" * 9_000 + b"=1", "too deeply")):
        file.write_bytes(content)
        with pytest.raises(ConfigError, match=f"{file}: .*{said}"):
            small_table(file, work)
    file.unlink()
    file.symlink_to("nowhere")
    with pytest.raises(ConfigError, match="is a link that points nowhere; delete it"):
        small_table(file, work)


def test_nothing_is_written_through_a_link_out_of_the_workspace(work: Path) -> None:
    """Neither into a file outside, nor into a folder that stands in the place of .conf."""
    (work / "far.toml").symlink_to(work.parent / "out.txt")
    with pytest.raises(ConfigError, match=r"leads out of .*work by a link, and nothing is written there"):
        replace_file(work / "far.toml", "a = 1\n", within=work)

    (work.parent / "elsewhere").mkdir()
    (work / ".conf").symlink_to(work.parent / "elsewhere")
    with pytest.raises(ConfigError, match="nothing is written there"), private_folder(Workspace(work)):
        pass
    assert (work.parent / "out.txt").read_text() == "outside" and not list((work.parent / "elsewhere").iterdir())
