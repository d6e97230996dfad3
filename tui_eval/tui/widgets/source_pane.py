"""The file that a text was made of: its picture, or what it says."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui_eval.datasets.document_text.file_sorts import sort_of_file
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.cell_pictures import HOW_TO_GET_IT, DrawnPicture, can_draw, cell_pixels, picture_cells, protocol
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Paragraph, Reading

GONE = "The file is not in the run folder: its texts were made elsewhere."
WRITTEN_DOWN = "What stands in it, as written down beside it"
PICTURE, TEXT = "picture", "text"
NOTHING_KNOWN = "Nobody wrote down what stands in it."


class PictureView(Widget):
    """A picture, drawn beside the screen and put on it when it is ready."""

    DEFAULT_CSS = """
    PictureView { height: 1fr; background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._path: Path | None = None
        self._picture: DrawnPicture | None = None

    def show(self, path: Path | None) -> None:
        """Draw another picture; None = none."""
        self._path = path
        self._forget()
        self._begin()

    def on_resize(self) -> None:
        """Another size: it is scaled anew."""
        self._begin()

    def on_unmount(self) -> None:
        """The terminal need not keep it."""
        self._forget()

    def render_line(self, y: int) -> Strip:
        """A line of it."""
        strips = self._picture.strips if self._picture is not None else ()
        strip = strips[y] if y < len(strips) else Strip.blank(self.size.width, self.rich_style)
        return strip.adjust_cell_length(self.size.width, self.rich_style)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Its lines as they are: styles would be put on what the terminal is told, too."""
        if crop.x or crop.width < self.size.width or self._picture is None:
            return super().render_lines(crop)
        return [self.render_line(y) for y in crop.line_range]

    def _begin(self) -> None:
        if self._path is not None and self.size.width and self.size.height:
            work = partial(self._draw, self._path, self.size.width, self.size.height)
            self.run_worker(work, thread=True, exclusive=True, group="picture", exit_on_error=False)

    def _draw(self, path: Path, columns: int, rows: int) -> None:
        try:
            picture: DrawnPicture | str = picture_cells(path, columns, rows, protocol(), cell_pixels())
        except Exception as error:  # a picture may hold anything, and never ends the app
            picture = f"it cannot be drawn: {error}"
        self.app.call_from_thread(self._show_picture, path, picture)

    def _show_picture(self, path: Path, picture: DrawnPicture | str) -> None:
        if path != self._path or not self.is_attached:
            return
        self._forget()
        if isinstance(picture, str):
            picture = DrawnPicture((Strip([Segment(safe_line(picture), self.rich_style)]),))
        self._tell(picture.sent)
        self._picture = picture
        self.refresh()

    def _forget(self) -> None:
        if self._picture is not None:
            self._tell(self._picture.ended)
        self._picture = None

    def _tell(self, text: str) -> None:
        driver = self.app._driver
        if text and driver is not None:
            driver.write(text)


class SourcePane(Vertical):
    """Its name, and in turn its picture, where it is one that can be drawn, and what stands in it."""

    DEFAULT_CSS = """
    SourcePane > PictureView { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._views: list[str] = []
        self._view = 0

    def compose(self) -> ComposeResult:
        """The name, the picture, the text."""
        yield Lines(id="source-name")
        yield PictureView()
        yield Reading(id="source-text")

    def show(self, path: Path | None, text: str | None, reference: str | None) -> None:
        """Show another file. `text`: what it says, as far as it was read; `reference`: what somebody wrote down of it."""
        name = "no file" if path is None else safe_line(path.name, 80)
        self.query_one("#source-name", Lines).say((f"── {name}", "dim"))
        is_picture = path is not None and sort_of_file(path.name) == "image"
        is_drawn = is_picture and can_draw()
        self._views = [*([PICTURE] if is_drawn else []), *([TEXT] if text or reference or not is_drawn else [])]
        self._view = min(self._view, len(self._views) - 1)
        self.query_one(PictureView).show(path if is_drawn else None)
        self._choose()
        self.query_one("#source-text", Reading).show(_paragraphs(path, text, reference, is_picture and not is_drawn))

    def turn(self) -> bool:
        """Show the next view of the file; return whether there was one: after the last it begins anew."""
        self._view = (self._view + 1) % max(len(self._views), 1)
        self._choose()
        return self._view > 0

    def _choose(self) -> None:
        is_drawn = self._views[self._view : self._view + 1] == [PICTURE]
        self.query_one(PictureView).display = is_drawn
        self.query_one("#source-text").display = not is_drawn


def _paragraphs(path: Path | None, text: str | None, reference: str | None, not_drawn: bool) -> list[Paragraph]:
    if path is None and text is None:
        return [(GONE, "warn")]
    if text is not None:
        return [(safe(text[:LONGEST_TEXT]), "")]
    paragraphs: list[Paragraph] = [(HOW_TO_GET_IT, "warn"), ("", "")] if not_drawn else []
    if reference is None:
        return [*paragraphs, (NOTHING_KNOWN, "dim")]
    return [*paragraphs, (WRITTEN_DOWN, "accent"), (safe(reference[:LONGEST_TEXT]), "")]
