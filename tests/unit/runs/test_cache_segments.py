"""Laws of the reply cache's segments: whatever becomes of a file, a reply is found whole or not at all, and never another's."""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import pytest

from tui_eval.core.errors import StorageError
from tui_eval.runs import cache_segments
from tui_eval.runs.cache import FEW, ReplyCache
from tui_eval.runs.cache_segments import INDEX, REPLIES, SEGMENTS, CacheSegments

MOST = 1_000_000


def name_of(n: int) -> str:
    """The name of a reply."""
    return blake2b(str(n).encode(), digest_size=16).hexdigest()


def line_of(n: int) -> bytes:
    """A line of some length."""
    return b"{%d: %s}\n" % (n, b"x" * (n % 97))


def written(folder: Path, numbers: range) -> None:
    """One process's segment with these replies."""
    segments = CacheSegments(folder, MOST)
    for n in numbers:
        segments.put(name_of(n), line_of(n))
    segments.close()


def found_in(folder: Path, numbers: range) -> set[int]:
    """Those that a new process finds; whatever is found is the reply itself."""
    segments = CacheSegments(folder, MOST)
    lines = {n: _get(segments, n) for n in numbers}
    assert all(line is None or line == line_of(n) for n, line in lines.items())
    return {n for n, line in lines.items() if line is not None}


def _get(segments: CacheSegments, n: int) -> bytes | None:
    try:
        return segments.get(name_of(n))
    except OSError:
        return None


def files(folder: Path, suffix: str) -> list[Path]:
    """The files of that sort, oldest first."""
    return sorted(path for path in (folder / SEGMENTS).iterdir() if path.suffix == suffix)


def test_every_reply_of_every_process_is_found(tmp_path: Path) -> None:
    """Three writers, of which one repeats what another has; and what another adds later, at most a second later."""
    for numbers in (range(200), range(200, 350), range(150, 210)):
        written(tmp_path, numbers)
    reader = CacheSegments(tmp_path, MOST)
    assert found_in(tmp_path, range(360)) == set(range(350)) and reader.get(name_of(400)) is None

    written(tmp_path, range(400, 410))
    reader._looked = -1e9  # a second later
    assert all(reader.get(name_of(n)) == line_of(n) for n in range(400, 410))


def test_a_live_segment_is_read_on(tmp_path: Path) -> None:
    """While its writer goes on, with and without an index."""
    writer, reader = CacheSegments(tmp_path, MOST), CacheSegments(tmp_path, MOST)
    for n in range(60):
        writer.put(name_of(n), line_of(n))
        if n == 30:
            files(tmp_path, INDEX)[0].unlink()
        reader._looked = -1e9
        assert reader.get(name_of(n)) == line_of(n)
    writer.close()


def test_a_look_costs_at_most_once_a_second(tmp_path: Path) -> None:
    """A run whose calls are all new does not list the folder at each of them."""
    written(tmp_path, range(3))
    reader = CacheSegments(tmp_path, MOST)
    reader.get(name_of(99))
    looked = reader._looked
    for n in range(100, 300):
        reader.get(name_of(n))
    assert looked is not None and reader._looked is not None and reader._looked - looked < cache_segments.LOOK_AGAIN_S


HARMS: dict[str, Callable[[Path], None]] = {
    "no index": lambda folder: [path.unlink() for path in files(folder, INDEX)] and None,
    "half an index": lambda folder: os.truncate(files(folder, INDEX)[0], 24 * 7 + 5),
    "an empty index": lambda folder: os.truncate(files(folder, INDEX)[1], 0),
}
"""After which every reply is still found."""


@pytest.mark.parametrize("harm", HARMS)
def test_an_index_can_be_rebuilt(harm: str, tmp_path: Path) -> None:
    """Deleted or cut, everything is found all the same."""
    written(tmp_path, range(50))
    written(tmp_path, range(50, 90))
    HARMS[harm](tmp_path)

    assert found_in(tmp_path, range(90)) == set(range(90))


def test_a_torn_tail_is_dropped(tmp_path: Path) -> None:
    """Cut at every byte of the last line, by a kill or a full disk: all that stands before it is found, and it is not."""
    written(tmp_path, range(20))
    path = files(tmp_path, REPLIES)[0]
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        assert found_in(tmp_path, range(20)) == set(range(19)), end


def test_whatever_bytes_stand_there_no_reply_is_another_s(tmp_path: Path) -> None:
    """Segments and indexes with bytes changed, cut out, doubled and exchanged by chance: what is found is right."""
    chance = random.Random(7)
    for case in range(60):
        folder = tmp_path / str(case)
        folder.mkdir()
        written(folder, range(30))
        written(folder, range(30, 50))
        for path in files(folder, REPLIES) + files(folder, INDEX):
            data = bytearray(path.read_bytes())
            for _ in range(chance.randint(0, 4)):
                at, size = chance.randrange(len(data)), chance.randint(1, 60)
                data[at : at + size] = chance.choice((b"", bytes(size), data[:size], chance.randbytes(size), b"\n"))
            path.write_bytes(data)
        found = CacheSegments(folder, MOST)
        for n in range(50):
            line = _get(found, n)
            assert line is None or (line.endswith(b"\n") and b"\n" not in line[:-1])


@pytest.mark.parametrize("sort", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_passed_over(sort: str, tmp_path: Path) -> None:
    """Without waiting and without following; what other segments have is found."""
    written(tmp_path, range(10))
    written(tmp_path, range(10, 20))
    path = files(tmp_path, REPLIES)[0]
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    {"link": lambda: path.symlink_to(elsewhere), "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[sort]()

    assert found_in(tmp_path, range(20)) == set(range(10, 20))


def test_a_linked_folder_is_neither_read_nor_written(tmp_path: Path) -> None:
    """What a stranger's link leads to is no cache of ours."""
    (tmp_path / "theirs").mkdir()
    written(tmp_path / "theirs", range(5))
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / SEGMENTS).symlink_to(tmp_path / "theirs" / SEGMENTS)
    before = sorted(os.listdir(tmp_path / "theirs" / SEGMENTS))

    assert found_in(tmp_path / "ours", range(5)) == set()
    with pytest.raises((OSError, StorageError)):
        written(tmp_path / "ours", range(5, 6))
    assert sorted(os.listdir(tmp_path / "theirs" / SEGMENTS)) == before


def test_they_are_their_owners(tmp_path: Path) -> None:
    """Under any umask nobody else may read them."""
    mask = os.umask(0)
    try:
        written(tmp_path, range(3))
    finally:
        os.umask(mask)
    paths = [tmp_path / SEGMENTS, *(tmp_path / SEGMENTS).iterdir()]
    assert len(paths) == 3 and all(not stat.S_IMODE(path.stat().st_mode) & 0o077 for path in paths)


def test_a_disk_that_refuses_a_line_costs_that_line(tmp_path: Path) -> None:
    """The next reply begins a segment of its own, so that half a line spoils no other."""
    segments = CacheSegments(tmp_path, MOST)
    segments.put(name_of(1), line_of(1))
    assert segments._files is not None
    os.close(segments._files[0])  # as if the disk were gone
    _, index = segments._files
    segments._files = os.open("/dev/full", os.O_WRONLY), index
    with pytest.raises(OSError, match=r".+"):
        segments.put(name_of(2), line_of(2))
    segments.put(name_of(3), line_of(3))
    segments.close()

    assert found_in(tmp_path, range(1, 4)) == {1, 3} and len(files(tmp_path, REPLIES)) == 2


def test_short_runs_leave_no_segment(tmp_path: Path) -> None:
    """A process with few replies writes a file for each, as earlier versions did; a later one goes into a segment."""
    for run in range(5):
        cache = ReplyCache(tmp_path)
        for n in range(FEW // 5):
            cache.put(name_of(100 * run + n), line_of(n))
    assert not (tmp_path / SEGMENTS).exists() and len(list(tmp_path.glob("*/*.json"))) == FEW
    cache = ReplyCache(tmp_path)
    for n in range(1000, 1000 + FEW + 20):
        cache.put(name_of(n), line_of(n))
    assert len(files(tmp_path, REPLIES)) == 1 and len(files(tmp_path, REPLIES)[0].read_bytes().splitlines()) == 20
