"""Links of any kind in a run folder: nothing that is written into it, or removed from it, is written or removed elsewhere."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from fault_bench import resume_here
from frozen import PLACE, RUNS
from rescored import laid_out

from tui_eval.cli import command_line
from tui_eval.core.errors import FolderError, MisplacedError, StorageError
from tui_eval.reporting import rescoring
from tui_eval.reporting.leaderboard import merge
from tui_eval.runs.folder import INTENTS, LOG, RESERVE, RESULTS, RUN_LOG, RunFolder, add_line
from tui_eval.runs.row_files import write_row_files
from tui_eval.runs.writing import LOCK, AtomicFile, Inside, exclusive, remove_leftovers, write_file
from tui_eval.workspace.places import Workspace

REPEATED = sorted(RUNS.glob("*/*_repeats"))
RULE = "choice.extraction=formationeval-v0.1"
MINE = b"mine\n"


@pytest.fixture
def bystander(tmp_path: Path) -> Path:
    """A folder beside the run, with files of the names that a run writes."""
    folder = tmp_path / "bystander"
    folder.mkdir()
    for name in ("report.json", "stats.csv", "results.json", "leaderboard.md", ".old.tmp", "notes.txt", LOCK, LOG):
        (folder / name).write_bytes(MINE)
    return folder


def _untouched(folder: Path) -> bool:
    return {file.read_bytes() for file in folder.iterdir()} == {MINE} and len(list(folder.iterdir())) == 8


def _laid_out(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(PLACE, "http://127.0.0.1:9/v1")
    return laid_out(place, tmp_path)


@pytest.mark.parametrize("place", REPEATED, ids=[f"{place.parent.name}/{place.name}" for place in REPEATED])
def test_no_folder_of_a_run_is_a_link(
    place: Path, bystander: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever folder below a run leads elsewhere, a re-score refuses it by name, with 2, and changes nothing there."""
    path = _laid_out(place, tmp_path, monkeypatch)
    folders = [folder for folder in path.rglob("*") if folder.is_dir() and "inputs" not in folder.parts]

    assert folders
    for folder in folders:
        kept = tmp_path / "kept"
        folder.rename(kept)
        folder.symlink_to(bystander)

        code = command_line.main(["--workspace", str(tmp_path), "rescore", str(path)])

        assert code == 2
        assert str(folder) in capsys.readouterr().err
        assert _untouched(bystander)
        folder.unlink()
        kept.rename(folder)


@pytest.mark.parametrize("upper", [False, True], ids=["rescored/NAME", "rescored"])
def test_what_another_rule_makes_stays_in_the_run(
    upper: bool, bystander: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link in the place of rescored/, or of a folder in it, is not followed."""
    path = _laid_out(next(RUNS.glob("*/choice_done")), tmp_path, monkeypatch)
    _, _, out = rescoring.rescore(path, Workspace(tmp_path), [RULE])
    link = out.parent if upper else out
    shutil.rmtree(link)
    link.symlink_to(bystander)

    with pytest.raises(FolderError, match=link.name):
        rescoring.rescore(path, Workspace(tmp_path), [RULE])

    assert _untouched(bystander)


async def test_no_batches_are_cleared_away_elsewhere(bystander: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resume deletes the files of batches that are over, but not those of a folder that batches/ leads to."""
    path = _laid_out(sorted(RUNS.glob("*/*_batch"))[0], tmp_path, monkeypatch)
    shutil.rmtree(path / "batches")
    (path / "batches").symlink_to(bystander)

    life = await resume_here(path)

    assert life.ended.exit_code == 3
    assert str(path / "batches") in life.ended.stopped
    assert _untouched(bystander)


def test_a_link_planted_while_a_file_is_written_leads_nowhere(bystander: Path, tmp_path: Path) -> None:
    """A folder that becomes a link between the beginning of a file and its end: the file lands where it was begun."""
    run = tmp_path / "run"
    run.mkdir()
    file = AtomicFile(Inside(run) / "repeats/01/report.json")
    (run / "repeats/01").rename(run / "moved")
    (run / "repeats/01").symlink_to(bystander)

    file.write("ours")
    file.keep()

    assert (run / "moved/report.json").read_text() == "ours"
    assert _untouched(bystander)


def test_the_files_of_an_item_stay_in_the_run(bystander: Path, tmp_path: Path) -> None:
    """Neither a folder nor a file that is a link, nor a pipe in a file's place, leads them elsewhere or holds them up."""
    run = tmp_path / "run"
    (run / "graphs").mkdir(parents=True)
    (run / "graphs/linked").symlink_to(bystander)
    (run / "graphs/a.json").symlink_to(bystander / "notes.txt")
    os.mkfifo(run / "graphs/b.json")

    write_row_files(Inside(run), {"graphs/a.json": MINE.decode(), "graphs/b.json": "b"}.items())
    with pytest.raises(MisplacedError, match="graphs/linked"):
        write_row_files(Inside(run), {"graphs/linked/report.json": "ours"}.items())
    with pytest.raises(StorageError):
        write_row_files(Inside(run), {"../bystander/report.json": "ours"}.items())

    assert not (run / "graphs/a.json").is_symlink()
    assert ((run / "graphs/a.json").read_bytes(), (run / "graphs/b.json").read_bytes()) == (MINE, b"b")
    assert _untouched(bystander)


@pytest.mark.parametrize("name", [LOCK, LOG, INTENTS, RESULTS])
def test_a_second_name_is_not_written_through(name: str, tmp_path: Path) -> None:
    """A hard link at the name of a file that is written in place is refused with what to do; its other name stays as it is."""
    run, other = tmp_path / "run", tmp_path / "other"
    run.mkdir()
    other.write_bytes(b"half a line, not ours")
    os.link(other, run / name)

    with pytest.raises(FolderError, match=f"{name}: has another name .*mv "):
        RunFolder(run)

    assert other.read_bytes() == b"half a line, not ours"


def test_narration_and_reserve_are_not_written_through_a_second_name(tmp_path: Path) -> None:
    """What is written beside the logs goes to no other file either: the reserve is made anew, the narration left out."""
    run, other = tmp_path / "run", tmp_path / "other"
    run.mkdir()
    other.write_bytes(MINE)
    for name in (RESERVE, RUN_LOG):
        os.link(other, run / name)

    RunFolder(run).close()
    add_line(run, "begun")

    assert other.read_bytes() == MINE
    assert not (run / RESERVE).exists()


def test_only_leftovers_of_the_run_itself_are_removed(bystander: Path, tmp_path: Path) -> None:
    """Half-written files of an earlier process go, at every depth; those of a folder that a link leads to stay."""
    run = tmp_path / "run"
    (run / "repeats/01").mkdir(parents=True)
    for place in (run, run / "repeats/01"):
        (place / ".report.json.7.tmp").write_bytes(b"half")
    (run / "linked").symlink_to(bystander)

    remove_leftovers(run)

    assert sorted(file.name for file in run.rglob("*") if file.is_file()) == []
    assert _untouched(bystander)


def test_a_run_that_was_moved_away_is_not_made_again(tmp_path: Path) -> None:
    """A folder that is gone is an error, and stays gone: moving it back does not nest it."""
    run = tmp_path / "run"
    run.mkdir()
    opened = RunFolder(run)
    run.rename(tmp_path / "elsewhere")

    with pytest.raises(StorageError):
        opened.replace("progress.json", "{}")
    opened.narrate("begun")

    assert not run.exists()
    (tmp_path / "elsewhere").rename(run)
    opened.close()


def test_a_leaderboard_is_written_where_it_was_said(bystander: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--out may be a link, which is the person's own; links in it are replaced, not followed, and its lock is a file alone."""
    path = _laid_out(next(RUNS.glob("*/choice_done")), tmp_path, monkeypatch)
    board, said = tmp_path / "board", tmp_path / "said"
    board.mkdir()
    said.symlink_to(board)
    (board / "leaderboard.md").symlink_to(bystander / "leaderboard.md")

    merge([path], said, Workspace(tmp_path))

    assert (board / "leaderboard.md").is_file() and not (board / "leaderboard.md").is_symlink()
    (board / LOCK).unlink()
    os.link(bystander / LOCK, board / LOCK)
    with pytest.raises(FolderError, match=LOCK), exclusive(said):
        pass
    assert _untouched(bystander)


def test_a_path_given_in_full_is_made(tmp_path: Path) -> None:
    """A file whose folder is missing, as a person may name one for --out, gets its folders."""
    write_file(tmp_path / "a/b/c.json", "{}")

    assert (tmp_path / "a/b/c.json").read_text() == "{}"
