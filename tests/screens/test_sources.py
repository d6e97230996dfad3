"""Laws of files worked on by models, in the app: from a folder to a form, and from results to a text beside its answers."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from pages_run import RUN, copy_pages, pages_run
from screen import app_on, press, quick_app, screen_text, sees, told, wait_for
from setting_up import form_of, typed
from snapshots import WALKED, Screens, walk_through

from tui_eval.tui.screens.result.source_text import span_of
from tui_eval.tui.widgets import cell_pictures
from tui_eval.tui.widgets.source_pane import PictureView, SourcePane


@pytest.fixture(scope="session")
def made_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over files that is over; not to be changed."""
    root = tmp_path_factory.mktemp("pages")
    asyncio.run(pages_run(root / "made", root / "run"))
    return root / "run"


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optional extra is not installed."""
    monkeypatch.setattr(cell_pictures, "PACKAGE", "no_such_package")


async def sources(at: Screens) -> None:
    """The list, a text beside its answers, the source beside the text."""
    await sees(at.pilot, "[Summary]", "Sources")
    await at.go("tab", "tab", "tab")
    await at.see("sources", "4 texts of 2 sources")
    await at.go("enter", "n", "n")
    await at.see("sources_answer", "true of the bagged salt?")
    await at.go("i")
    await at.see("sources_source", "cargo.png")


@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
@pytest.mark.usefixtures("without_pictures")
async def test_sources_are_as_on_file(size: tuple[int, int], made_pages: Path, place: Path) -> None:
    """The screens as text."""
    shutil.copytree(made_pages, place / "runs" / RUN)
    await walk_through(sources, size, place, "pages")


@pytest.mark.soak
@pytest.mark.usefixtures("without_pictures")
async def test_a_text_stands_beside_its_questions_and_what_was_said_of_the_answers(made_pages: Path, tmp_path: Path) -> None:
    """The next text at the same question; what is missing says why, what tries to act is text; how to get the extra."""
    shutil.copytree(made_pages, tmp_path / "runs" / RUN)
    app = quick_app(tmp_path, tmp_path / "runs" / RUN)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "v")
        await sees(pilot, "[Summary]", "Sources")
        await press(pilot, "tab", "tab", "tab")
        await sees(pilot, "3.56   9/10", "4 texts of 2 sources", "an answer passes from 4 on")
        await press(pilot, "enter")
        await sees(pilot, "text by cheap run 1", "1 without a mark", "TRUTH", "no mark (judge unparsed)", "simulated")
        await press(pilot, "n")
        await sees(pilot, "[/red] ␛[2J", "[@click=app.quit]x")
        assert "\x1b" not in screen_text(app)
        await press(pilot, "J")
        await sees(pilot, "text by opus run 1", "Q 2")
        await press(pilot, "h")
        await sees(pilot, "text by cheap run 1", "Q 2")
        await press(pilot, "N", "N")
        await sees(pilot, "Q 10")
        await press(pilot, "l", "i")
        await sees(pilot, "Pictures need the optional extra", "Cargo sheet of the Marten", "text by opus")
        await press(pilot, "i", "w")
        await told(pilot, "exports")
        await press(pilot, "slash", *"text_by:cheap", "enter")
        await sees(pilot, "[Sources]", "cheap")
        assert "opus" not in "".join(screen_text(app).splitlines()[3:8])
        await press(pilot, "escape", "z")
        await sees(pilot, "opus")
    (written,) = (tmp_path / "exports").rglob("*.txt")
    text = written.read_text()
    assert all(f"\nQ {number}\n" in text for number in range(1, 11)) and "Cargo sheet of the Marten" in text


@pytest.mark.soak
async def test_other_parts_speak_of_files_and_runs(made_pages: Path, tmp_path: Path) -> None:
    """The grid's rows are runs of files, or files, and no turns; the part with raw replies says where these are told apart."""
    shutil.copytree(made_pages, tmp_path / "runs" / RUN)
    app = quick_app(tmp_path, tmp_path / "runs" / RUN)
    async with app.run_test(size=(120, 30)) as pilot:
        await press(pilot, "v", "tab", "tab")
        await sees(pilot, "[Answers]", "2 samples; the part Sources has text, questions, answers and marks side by side")
        await press(pilot, "enter")
        await sees(pilot, "passed = ")
        assert screen_text(app).count("  judge ") <= screen_text(app).count(" mark = "), "a judge's reason stands once"
        await press(pilot, "escape", "tab")
        await sees(pilot, "CER", "WER", "7.8 %")
        await press(pilot, "enter")
        await sees(pilot, "CER 7.8 %")
        await press(pilot, "escape", "shift+tab", "shift+tab", "shift+tab", "shift+tab")
        await sees(pilot, "[Grid]", "2 files")
        assert "turn" not in screen_text(app)


async def test_a_folder_becomes_a_form_with_every_stage(tmp_path: Path) -> None:
    """Each file with what of it is sent; stages are ticked, left out and taken back by a key, each with its calls and cost."""
    copy_pages(tmp_path / "pages")
    (tmp_path / "pages" / "book.docx").write_bytes(b"PK\x03\x04")
    async with app_on(tmp_path).run_test(size=(80, 24)) as pilot:
        await press(pilot, "s")
        await sees(pilot, "start from")
        await press(pilot, "slash")
        await typed(pilot, "my files")
        await press(pilot, "enter", "enter")
        await sees(pilot, "Which files are models to work on", "pages/")
        await press(pilot, "f2")
        await sees(pilot, "2 files", "cargo.png", "as a picture", "reference: cargo.ref.txt", "book.docx: not of a sort")
        await press(pilot, "enter")
        await sees(pilot, "New run: pages", "[x] process", "[x] judge", "cannot start")
        await press(pilot, "down", "down", *["down", "space"] * 4, "f3", "enter")
        await sees(pilot, "which models", "scholar")
        await press(pilot, "enter")
        await sees(pilot, "[ ] judge", "left out", "2 calls  ~$", "ready: F5 starts it")
        assert form_of(pilot).draft.content["pipeline"] == {
            "inputs": ["pages/cargo.png", "pages/lighthouse.md"], "process": {"models": ["scholar"]}
        }  # fmt: skip
        await press(pilot, "up", "up", "space")
        await sees(pilot, "[ ] process", "cannot start")
        await press(pilot, "space")
        await sees(pilot, "[x] process", "ready: F5 starts it")


@pytest.mark.soak
async def test_a_picture_is_drawn_beside_its_text(made_pages: Path, tmp_path: Path) -> None:
    """In half-blocks, or by the terminal; what else is known of it by the same key, then the answers again."""
    pytest.importorskip("textual_image.renderable")
    shutil.copytree(made_pages, tmp_path / "runs" / RUN)
    app = quick_app(tmp_path, tmp_path / "runs" / RUN)
    async with app.run_test(size=(200, 50)) as pilot:
        await press(pilot, "v", "tab", "tab", "tab")
        await sees(pilot, "4 texts of 2 sources")
        await press(pilot, "i")
        await sees(pilot, "▀▀▀▀▀▀▀▀", "cargo.png", "TRUTH", "text by cheap run 1")
        picture = app.screen.query_one(PictureView)
        (picture._path or tmp_path).write_bytes(b"\x89PNG\r\n\x1a\n, and no picture")
        picture.show(picture._path)
        await sees(pilot, "it cannot be drawn")
        await press(pilot, "i")
        await sees(pilot, "as written down beside it")
        await press(pilot, "i")
        await wait_for(pilot, lambda: not app.screen.query_one(SourcePane).display)
        assert app.screen.query_one("#sources").has_focus


def test_a_picture_is_as_small_on_the_line_as_is_promised() -> None:
    """At most 200 kB however it is drawn and however large the pane; the terminal is asked nothing."""
    pytest.importorskip("textual_image.renderable")
    page = Path(__file__).resolve().parents[2] / "examples" / "pipeline" / "cargo.png"
    for how in ("kitty", "sixel", "blocks"):
        for size in ((44, 20), (300, 100)):
            made = cell_pictures.picture_cells(page, *size, how, (10, 20))  # type: ignore[arg-type]
            cells = sum(len(segment.text) for strip in made.strips for segment in strip)
            on_line = len(made.sent) + cells * (45 if how == "blocks" else 1)
            assert on_line <= cell_pictures.MOST_SENT or (how == "kitty" and len(made.sent) <= cell_pictures.MOST_SENT)
            assert len(made.strips) <= size[1] and made.strips[0].cell_length <= size[0]
            assert "\x1b[16t" not in made.sent + made.ended


def test_what_the_terminal_speaks_is_told_by_its_environment() -> None:
    """Not through tmux or screen; a person's own word goes before."""
    speaks = cell_pictures.protocol
    assert speaks({"TERM": "xterm-kitty"}) == "kitty" and speaks({"TERM": "foot"}) == "sixel"
    assert speaks({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}) == "sixel"
    assert speaks({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}) == "blocks" == speaks({"TERM": "xterm-256color"})
    assert speaks({"TERM": "xterm-kitty", "TUI_EVAL_PICTURES": "blocks"}) == "blocks"


def test_a_reference_answer_is_found_in_the_text() -> None:
    """As it is, or with small faults; nowhere where other words stand."""
    text = "The ship Marten has 85 crates on board at noon."
    assert text[slice(*span_of("has 85 crates on board at noon.", text))] == "has 85 crates on board at noon"
    assert span_of("has 58 crates on board at noon", text) == (0, 0) == span_of("", text)
