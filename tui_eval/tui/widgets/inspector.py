"""The entry of a list in full, beside the list or below it: why, asked, target, reply, and what others said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from typing import Literal, NamedTuple

from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.strip import Strip

from tui_eval.results.read_places import read_place
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe
from tui_eval.tui.widgets.cells import Tone, fitted
from tui_eval.tui.widgets.lines import Lines, Piece, plain
from tui_eval.tui.widgets.sections import Sections
from tui_eval.tui.widgets.text import BESIDE, Paragraph, Reading, pieces_of
from tui_eval.tui.words import count

SIDE_BY_SIDE = 100
"""Columns of a terminal from which on the inspector stands beside its list."""
THREE_PANES = 180
"""Columns of a terminal from which on the inspector has room for two panes; below, its list has half of them."""
APART = 107
"""Columns of the inspector from which on it has two panes: of a terminal with 180 columns, or where it has the whole screen."""
BARS = {"mark": "▌", "struck": "╌"}
"""What stands before a line of a text without labels that holds something marked, or struck through."""
ABOVE = 3
"""The part of a pane, one in so many, that stands above what is marked."""
LABEL = 9
"""Columns of the label before a section."""
LONGEST_FIELD = 8_000
"""Characters of one section that are shown at first."""
Span = tuple[int, int]
_JSON = re.compile(r'"(?:[^"\\]|\\.)*+(?:"(\s*:)?|$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b')


class Section(NamedTuple):
    """Part of what is said of an entry: safe text under a label."""

    label: str
    """A short word in capitals; empty = it goes on with the one before."""
    text: str
    tone: Tone = ""
    marks: tuple[Span, ...] = ()
    """From which character to which something stands out, such as the letter that was read."""
    struck: tuple[Span, ...] = ()
    """The same of what is struck through."""
    is_json: bool = False
    """Whether it is drawn in the colours of JSON."""
    is_line: bool = False
    """Whether it is a line, which is cut where it is too long."""


def section(label: str, text: str | None, whole: bool, tone: Tone = "") -> list[Section]:
    """A foreign text under a label, its end left out where it is long and not asked for as a whole; "-" where there is none."""
    if text is None:
        return [Section(label, "-", "dim")]
    if whole or len(text) <= LONGEST_FIELD:
        return [Section(label, safe(text), tone)]
    left_out = f"… {count(len(text) - LONGEST_FIELD)} characters more; a shows all of them"
    return [Section(label, safe(text[:LONGEST_FIELD]), tone), Section("", left_out, "warn")]


def reply_section(label: str, text: str, whole: bool, read: str, pattern: str) -> list[Section]:
    """A reply in which what was read by a pattern is marked; nothing is where it stands in what is left out."""
    first, *rest = section(label, text, whole)
    place = read_place(safe(text), read, pattern) if read else None
    return [first._replace(marks=(place,) if place is not None and place[1] <= len(first.text) else ()), *rest]


def labelled(label: str, paragraphs: Iterable[Paragraph]) -> list[Section]:
    """Paragraphs under a label, which stands beside the first."""
    labels = chain([label], repeat(""))
    return [Section(next(labels), text, tone) for text, tone in paragraphs]


@dataclass(frozen=True, slots=True)
class Dossier:
    """Everything to be said of an entry."""

    heading: tuple[Piece, ...]
    sections: tuple[Section, ...]
    beside: tuple[Section, ...] = ()
    """What others said, and figures: in a pane of its own where there is room."""
    name: str = "entry"
    """The name of a file with it, without its ending."""
    beside_title: tuple[Piece, ...] = ()
    """Stands above `beside`, which then has a pane of its own on every terminal; what is marked there is in sight."""
    apart: int = APART
    """Columns of the inspector from which on that pane stands beside the other, not below it."""
    is_simulated: bool = False
    """Whether the simulator made it up."""

    @property
    def title(self) -> tuple[Piece, ...]:
        """The heading, which says whether it is simulated."""
        return (*self.heading[:1], *((("  simulated", "warn"),) if self.is_simulated else ()), *self.heading[1:])

    @property
    def text(self) -> str:
        """All of it as text."""
        heading = plain(self.heading) + "\nSimulated: no model was asked." * self.is_simulated
        title = [Section("", f"\n{plain(self.beside_title)}")] if self.beside_title else []
        lines = (f"\n{each.label}\n" * bool(each.label) + each.text for each in (*self.sections, *title, *self.beside))
        return "\n".join([heading.strip(), *lines])


class SectionLine(NamedTuple):
    """Line of a section as it is wrapped."""

    label: str
    of: Section
    text: str
    start: int
    """Place in the section of its first character."""


class SectionsView(Reading):
    """Sections to read, each beside its label; only the lines on the screen are coloured."""

    COMPONENT_CLASSES = {"reading--mark", "reading--struck"}
    DEFAULT_CSS = """
    SectionsView > .reading--mark { text-style: reverse bold; }
    SectionsView > .reading--struck { text-style: strike; color: $text-muted; }
    """
    keeps_mark_in_sight = False
    """Whether what is marked is scrolled to when it is shown."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sections: tuple[Section, ...] = ()
        self._laid: list[SectionLine] = []
        """Their lines, as they are wrapped now."""
        self._label = LABEL
        """Columns of the labels: none where no section has one."""

    def show_sections(self, sections: tuple[Section, ...], keep_place: bool = False) -> None:
        """Show other sections, from their beginning unless told otherwise."""
        if sections != self._sections or not keep_place:
            self._sections, self._width = sections, 0
            self._label = LABEL if any(each.label for each in sections) else 0
            self.top = self.top if keep_place else 0
            self.refresh()
            self.call_after_refresh(self.go_to_mark)

    def on_resize(self) -> None:
        """Find again where marked text stands."""
        self.go_to_mark()

    def go_to_mark(self) -> None:
        """Scroll to what is marked, some lines above it."""
        if self.keeps_mark_in_sight and self.lines:
            found = (row for row, line in enumerate(self._laid) if any(name == "mark" for *_, name in self._spans(line)))
            self.action_go(max(next(found, self.top + self.size.height // ABOVE) - self.size.height // ABOVE, 0))

    @property
    def lines(self) -> Sequence[Paragraph]:
        """The sections, wrapped to the width they are shown at."""
        width = max(self.size.width - BESIDE, self._label + 8)
        if width != self._width:
            self._width = width
            self._laid = [line for each in self._sections for line in _laid_out(each, width - self._label)]
            self._wrapped = [(line.label.ljust(self._label) + line.text, line.of.tone) for line in self._laid]
            self.top = max(0, min(self.top, len(self._wrapped) - max(self.size.height, 1)))
        return self._wrapped

    def render_line(self, y: int) -> Strip:
        """One line: its label, and its text with what stands out in it."""
        lines, row, width = self.lines, self.top + y, self.size.width
        if row >= len(lines):
            return super().render_line(y)
        line, base = self._laid[row], self._base
        spans = self._spans(line)
        cuts = sorted({0, len(line.text), *(at for *span, _ in spans for at in span)})
        before = (
            " " if self._label else next((bar for name, bar in BARS.items() if any(name == each[2] for each in spans)), " ")
        )
        pieces = [Segment(before + fitted(line.label, self._label), base + self._tone("accent"))]
        for start, end in pairwise(cuts):
            name = next((name for first, last, name in reversed(spans) if first <= start < last), line.of.tone)
            pieces.append(Segment(line.text[start:end], base + self._tone(name) if name else base))
        strip = Strip(pieces).adjust_cell_length(max(width - 1, 0), base)
        return Strip([*strip, Segment(self._bar(y), self.get_component_rich_style("reading--scroll"))], width)

    def _spans(self, line: SectionLine) -> list[tuple[int, int, str]]:
        """The spans of a line that stand out, and how."""
        size = len(line.text)
        found = [*_json_spans(line)] if line.of.is_json else []
        for (start, end), name in (*zip(line.of.marks, repeat("mark")), *zip(line.of.struck, repeat("struck"))):
            first, last = max(start - line.start, 0), min(end - line.start, size)
            if first < last:
                found.append((first, last, name))
        return found


def _laid_out(each: Section, width: int) -> Iterator[SectionLine]:
    label = each.label
    if each.is_line:
        yield SectionLine(label, each, fitted(each.text, width).rstrip(), 0)
        return
    for text, start in pieces_of(each.text, width, hanging=True):
        yield SectionLine(label, each, text, start)
        label = ""


def _json_spans(line: SectionLine) -> Iterator[tuple[int, int, str]]:
    """Yield the names, texts and other values of a line of JSON; what is left of a long text is text."""
    if line.start > 0 and line.of.text[line.start - 1] != "\n" and line.start < len(line.of.text):
        yield 0, len(line.text), "good"
        return
    for match in _JSON.finditer(line.text):
        is_name, is_text = bool(match[1]), match[0].startswith('"')
        yield match.start(), match.end(), "accent" if is_name else "good" if is_text else "warn"


class Panes(Container):
    """Sections in one pane or two, which stand side by side or one below the other."""

    DEFAULT_CSS = """
    Panes { height: 1fr; width: 1fr; layout: vertical; }
    Panes > Vertical { display: none; height: auto; }
    Panes > Vertical > Lines { background: $panel; }
    Panes.-two > Vertical { display: block; height: 1fr; }
    Panes.-titled > Vertical { display: block; }
    Panes.-titled.-two.-page > #inspected { display: none; }
    Panes.-apart { layout: horizontal; }
    Panes.-apart > SectionsView { width: 4fr; }
    Panes.-apart > Vertical { width: 3fr; height: 1fr; border-left: solid $panel; }
    """
    _shown: Dossier | None = None
    """What is on show: it is laid out anew where there is another room."""

    def compose(self) -> ComposeResult:
        """Yield both panes."""
        yield SectionsView(id="inspected")
        with Vertical():
            yield Lines(id="beside-title")
            yield SectionsView(id="beside")

    def on_resize(self) -> None:
        """Room for another pane, or for fewer."""
        if self._shown is not None:
            self.show(self._shown, keep_place=True)

    def show(self, dossier: Dossier, keep_place: bool = False) -> None:
        """Show another entry."""
        self._shown = dossier
        own, beside = self.query_one("#inspected", SectionsView), self.query_one("#beside", SectionsView)
        is_titled, is_apart = bool(dossier.beside_title), bool(dossier.beside) and self.size.width >= dossier.apart
        is_two = is_apart or (is_titled and bool(dossier.beside))
        for name, holds in (("-two", is_two), ("-apart", is_apart), ("-titled", is_titled)):
            self.set_class(holds, name)
        self.query_one("#beside-title").display = is_titled
        self.query_one("#beside-title", Lines).say(*dossier.beside_title)
        beside.display, beside.keeps_mark_in_sight = is_two, is_titled
        own.show_sections(dossier.sections if is_two else (*dossier.sections, *dossier.beside), keep_place)
        beside.show_sections(dossier.beside if is_two else (), keep_place)
        if self.has_focus_within and self.screen.focused not in self.readable:
            self.take_keys()

    @property
    def readable(self) -> list[SectionsView]:
        """The panes on show."""
        return [view for view in self.query(SectionsView) if view.display]

    def take_keys(self, by: int = 0) -> bool:
        """Give the keys that scroll to the first pane, or to one so many behind that which has them; whether there is one."""
        views, focused = self.readable, self.screen.focused
        place = views.index(focused) + by if by and focused in views else 0
        if 0 <= place < len(views):
            self.screen.set_focus(views[place])
        return 0 <= place < len(views)

    def turn_page(self) -> None:
        """The pane with a title alone, or the other above it again."""
        has_keys = self.has_focus_within
        self.toggle_class("-page")
        if has_keys:
            self.take_keys()


class Inspector(Vertical):
    """An entry of a list in full: its heading, and its sections in one pane or two."""

    DEFAULT_CSS = """
    Inspector { height: 1fr; width: 1fr; display: none; }
    Inspector.-filled { display: block; }
    Inspector > Lines { background: $panel; }
    Inspector:focus-within > Lines { background: $primary 35%; text-style: bold; }
    Inspector:ansi:focus-within > Lines { text-style: reverse; }
    """
    BINDINGS = [
        bind("back", "leave", "List", tooltip="Back to the list"),
        bind("app.leave", "leave", "List", show=False, tooltip="Back to the list"),
        bind("list.right", "walk('model', 1)", "Next model", tooltip="What the next model answered to the same"),
        bind(
            "list.left", "walk('model', -1)", "Model before", show=False, tooltip="What the model before answered to the same"
        ),
        bind("inspect.next", "walk('entry', 1)", "Next entry", tooltip="The next entry of the list"),
        bind("inspect.previous", "walk('entry', -1)", "Entry before", show=False, tooltip="The entry before it in the list"),
        bind("list.open", "other_pane", "Other pane", tooltip="To what is said besides, or back"),
        bind("list.open", "zoom", "Zoom", tooltip="It alone on the whole screen, or the list again"),
        bind("pane.next", "pane(1)", "Next pane", show=False, tooltip="The other pane, then the list"),
        bind("pane.previous", "pane(-1)", "Pane before", show=False),
    ]

    @dataclass
    class Walk(Message):
        """Another model or another entry was asked for."""

        way: Literal["model", "entry"]
        by: int

    class ToList(Message):
        """The keys are to go back to the list."""

    def __init__(self, has_models: bool = True) -> None:
        """`has_models`: whether other models' answers to the same can be gone to."""
        super().__init__()
        self.dossier: Dossier | None = None
        self._has_models = has_models

    def compose(self) -> ComposeResult:
        """Yield the heading and the panes."""
        yield Lines(id="heading")
        yield Panes()

    @property
    def panes(self) -> Panes:
        """The panes below the heading."""
        return self.query_one(Panes)

    def show(self, dossier: Dossier | None, keep_place: bool = False) -> None:
        """Show another entry; None where there is none."""
        if dossier != self.dossier:
            self.dossier = dossier
            self.set_class(dossier is not None, "-filled")
            if dossier is not None:
                self.query_one("#heading", Lines).say(*dossier.title)
                self.panes.show(dossier, keep_place)

    def take_keys(self) -> None:
        """Give the keys that scroll to the sections."""
        self.panes.take_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Other models and another pane have keys where there are any; on a screen of several parts Tab leads to those."""
        if action == "pane":
            return not self.screen.query(Sections)
        if action in ("other_pane", "zoom"):
            return (len(self.panes.readable) > 1) is (action == "other_pane")
        return action != "walk" or parameters[0] != "model" or self._has_models

    def action_pane(self, by: int) -> None:
        """The other pane, else the list."""
        if not self.panes.take_keys(by):
            self.action_leave()

    def action_other_pane(self) -> None:
        """The other of two panes."""
        if not self.panes.take_keys(1):
            self.panes.take_keys()

    def action_zoom(self) -> None:
        """It alone, or its list beside it again."""
        self.query_ancestor(Split).toggle_class("-zoom")

    def action_leave(self) -> None:
        """Back to the list."""
        self.post_message(self.ToList())

    def action_walk(self, way: Literal["model", "entry"], by: int) -> None:
        """Ask for another model or another entry."""
        self.post_message(self.Walk(way, by))


class Split(Container):
    """A list and its inspector: one above the other, or side by side where there is room."""

    DEFAULT_CSS = """
    Split { height: 1fr; layout: vertical; }
    Split > RowTable { height: 2fr; width: 1fr; }
    Split > Inspector { height: 3fr; }
    Split.-wide { layout: horizontal; }
    Split.-wide > RowTable { height: 1fr; width: 1fr; }
    Split.-wide > Inspector { height: 1fr; width: 1fr; border-left: solid $panel; }
    Split.-wide.-three > RowTable { width: 4fr; }
    Split.-wide.-three > Inspector { width: 6fr; }
    Split.-zoom > RowTable { display: none; }
    Split.-alone > Inspector { display: none; }
    """

    def on_mount(self) -> None:
        """Lay it out for the terminal there is."""
        self._fit()

    def on_resize(self) -> None:
        """Another terminal."""
        self._fit()

    def _fit(self) -> None:
        self.set_class(self.app.size.width >= SIDE_BY_SIDE, "-wide")
        self.set_class(self.app.size.width >= THREE_PANES, "-three")
