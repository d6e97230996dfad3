"""The entry of a list in full, beside the list or below it: why, asked, target, reply, and what others said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from typing import Literal, NamedTuple

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.message import Message
from textual.strip import Strip

from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe
from tui_eval.tui.widgets.cells import Tone, fitted
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.sections import Sections
from tui_eval.tui.widgets.text import BESIDE, Paragraph, Reading, pieces_of
from tui_eval.tui.words import count

SIDE_BY_SIDE = 100
"""Columns of a terminal from which on the inspector stands beside its list."""
APART = 107
"""Columns of the inspector from which on it has two panes: of a terminal with 180 columns, or where it has the whole screen."""
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


def folded_section(label: str, text: str, whole: bool, is_json: bool = False) -> list[Section]:
    """A text that is shown on wish alone; before, its size stands in its place."""
    if not whole:
        return [Section(label, f"{count(len(text))} characters; a shows them", "dim")]
    return [Section(label, safe(text), is_json=is_json)]


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
    is_simulated: bool = False
    """Whether the simulator made it up."""

    @property
    def title(self) -> tuple[Piece, ...]:
        """The heading, which says whether it is simulated."""
        return (*self.heading[:1], *((("  simulated", "warn"),) if self.is_simulated else ()), *self.heading[1:])

    @property
    def text(self) -> str:
        """All of it as text."""
        parts = [piece if isinstance(piece, str) else piece[0] for piece in self.heading]
        parts += ["\nSimulated: no model was asked."] if self.is_simulated else []
        lines = [f"\n{each.label}\n{each.text}" if each.label else each.text for each in (*self.sections, *self.beside)]
        return "\n".join(["".join(parts).strip(), *lines])


class SectionLine(NamedTuple):
    """Line of a section as it is wrapped."""

    label: str
    of: Section
    text: str
    start: int
    """Place in the section of its first character."""


class SectionsView(Reading):
    """Passages to read, each beside its label; only the lines on the screen are coloured."""

    COMPONENT_CLASSES = {"reading--mark"}
    DEFAULT_CSS = """
    SectionsView > .reading--mark { text-style: reverse bold; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sections: tuple[Section, ...] = ()
        self._laid: list[SectionLine] = []

    def show_sections(self, sections: tuple[Section, ...], keep_place: bool = False) -> None:
        """Show other sections, from their beginning unless told otherwise."""
        if sections != self._sections or not keep_place:
            self._sections, self._width = sections, 0
            self.top = self.top if keep_place else 0
            self.refresh()

    @property
    def lines(self) -> Sequence[Paragraph]:
        """The sections, wrapped to the width they are shown at."""
        width = max(self.size.width - BESIDE, LABEL + 8)
        if width != self._width:
            self._width = width
            self._laid = [line for each in self._sections for line in _laid_out(each, width - LABEL)]
            self._wrapped = [(line.label.ljust(LABEL) + line.text, line.of.tone) for line in self._laid]
            self.top = max(0, min(self.top, len(self._wrapped) - 1))
        return self._wrapped

    def render_line(self, y: int) -> Strip:
        """One line: its label, and its text with what stands out in it."""
        lines, row, width = self.lines, self.top + y, self.size.width
        if row >= len(lines):
            return super().render_line(y)
        line, base = self._laid[row], self._base
        cuts = sorted({0, len(line.text), *(at for *span, _ in self._spans(line) for at in span)})
        pieces = [Segment(" " + fitted(line.label, LABEL), base + self._tone("accent"))]
        spans = self._spans(line)
        for start, end in pairwise(cuts):
            name = next((name for first, last, name in reversed(spans) if first <= start < last), line.of.tone)
            pieces.append(
                Segment(
                    line.text[start:end],
                    base + self.get_component_rich_style(f"reading--{name}", partial=True) if name else base,
                )
            )
        strip = Strip(pieces).adjust_cell_length(max(width - 1, 0), base)
        return Strip([*strip, Segment(self._bar(y), self.get_component_rich_style("reading--scroll"))], width)

    def _spans(self, line: SectionLine) -> list[tuple[int, int, str]]:
        """The spans of a line that stand out, and how."""
        size = len(line.text)
        found = [*_json_spans(line)] if line.of.is_json else []
        for start, end in line.of.marks:
            first, last = max(start - line.start, 0), min(end - line.start, size)
            if first < last:
                found.append((first, last, "mark"))
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


class Inspector(Vertical):
    """An entry of a list in full: its heading, and its sections in one pane or two."""

    DEFAULT_CSS = """
    Inspector { height: 1fr; width: 1fr; display: none; }
    Inspector.-filled { display: block; }
    Inspector > Lines { background: $panel; }
    Inspector:focus-within > Lines { background: $primary 35%; text-style: bold; }
    Inspector:ansi:focus-within > Lines { text-style: reverse; }
    Inspector #beside { display: none; width: 3fr; border-left: solid $panel; }
    Inspector.-three #beside { display: block; }
    Inspector #inspected { width: 4fr; }
    """
    BINDINGS = [
        bind("back", "leave", "To the list"),
        bind("app.leave", "leave", "To the list", show=False),
        bind("list.right", "walk('model', 1)", "Next model", tooltip="What the next model answered to the same"),
        bind(
            "list.left", "walk('model', -1)", "Model before", show=False, tooltip="What the model before answered to the same"
        ),
        bind("inspect.next", "walk('entry', 1)", "Next entry", tooltip="The next entry of the list"),
        bind("inspect.previous", "walk('entry', -1)", "Entry before", show=False, tooltip="The entry before it in the list"),
        bind("list.open", "pane", "Other pane", tooltip="To what is said besides, or back"),
        bind("pane.next", "next_pane", "Next pane", show=False, tooltip="To the next pane, then back to the list"),
        bind("pane.previous", "leave", "To the list", show=False),
    ]

    class Walk(Message):
        """Another model or another entry was asked for."""

        def __init__(self, way: Literal["model", "entry"], by: int) -> None:
            super().__init__()
            self.way, self.by = way, by

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
        with Horizontal():
            yield SectionsView(id="inspected")
            yield SectionsView(id="beside")

    def show(self, dossier: Dossier | None, keep_place: bool = False) -> None:
        """Show another entry; None where there is none."""
        if dossier != self.dossier:
            self.dossier = dossier
            self.set_class(dossier is not None, "-filled")
            self._draw(keep_place)

    def take_keys(self) -> None:
        """Give the keys that scroll to the sections."""
        self.screen.set_focus(self.query_one("#inspected"))

    def on_resize(self, event: events.Resize) -> None:
        """Room for another pane, or for fewer."""
        self._draw(keep_place=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Other models and another pane have keys where there are any; on a screen of several parts Tab leads to those."""
        if action == "next_pane":
            return not self.screen.query(Sections)
        if action == "pane":
            return self.has_class("-three")
        return action != "walk" or parameters[0] != "model" or self._has_models

    def action_leave(self) -> None:
        """Back to the list."""
        self.post_message(self.ToList())

    def action_pane(self) -> None:
        """To the other of two panes."""
        other = "#inspected" if self.query_one("#beside").has_focus else "#beside"
        self.screen.set_focus(self.query_one(other))

    def action_next_pane(self) -> None:
        """To the next pane, and from the last one to the list."""
        if self.has_class("-three") and self.query_one("#inspected").has_focus:
            self.action_pane()
        else:
            self.action_leave()

    def action_walk(self, way: Literal["model", "entry"], by: int) -> None:
        """Ask for another model or another entry."""
        self.post_message(self.Walk(way, by))

    def _draw(self, keep_place: bool) -> None:
        dossier = self.dossier
        if dossier is None:
            return
        is_apart = bool(dossier.beside) and self.size.width >= APART
        self.set_class(is_apart, "-three")
        self.query_one("#heading", Lines).say(*dossier.title)
        own = dossier.sections if is_apart else (*dossier.sections, *dossier.beside)
        self.query_one("#inspected", SectionsView).show_sections(own, keep_place)
        self.query_one("#beside", SectionsView).show_sections(dossier.beside if is_apart else (), keep_place)


class Split(Container):
    """A list and its inspector: one above the other, or side by side where there is room."""

    DEFAULT_CSS = """
    Split { height: 1fr; layout: vertical; }
    Split > RowTable { height: 2fr; width: 1fr; }
    Split > Inspector { height: 3fr; }
    Split.-wide { layout: horizontal; }
    Split.-wide > RowTable { height: 1fr; width: 4fr; }
    Split.-wide > Inspector { height: 1fr; width: 6fr; border-left: solid $panel; }
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
