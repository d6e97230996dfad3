"""A decision graph, opened from its sample: drawn in layers, and beside it that of another model for the same brief."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from textual.containers import Horizontal
from textual.widget import Widget

from tui_eval.results.graphs_on_file import DrawnGraph, DrawnGraphs
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import StoredSample
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.dialogs.saving import TextPage, save_text, simulated
from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Paragraph, Reading

FIRST = 4
"""The score and its parts, which stand first; the others are what these are made of."""
AT_FAULT = "! "
"""What a line begins with that breaks a rule."""
STRENGTH = " ± "
LEGEND = "In brackets: an edge's strength, mean ± std, and p, its exists_probability."


def graph_text(graph: DrawnGraph | None, model: str) -> list[Paragraph]:
    """One model's graph, or why there is none."""
    if graph is None:
        return [(safe_line(model, 60), "accent"), ("There is nothing on file of it.", "warn")]
    return [(safe_line(model, 60), "accent"), _verdict(graph), ("", ""), *_drawing(graph), *_scores(graph)]


def _verdict(graph: DrawnGraph) -> Paragraph:
    if not graph.drawing:
        return f"no graph: {safe_line(graph.status, 40)}: {safe_line(graph.reason or '-', 300)}", "bad"
    if graph.broken:
        return f"✗ not valid: {safe_line(', '.join(graph.broken), 300)}", "bad"
    overall = next(iter(graph.scores.values()), None)
    return f"✓ valid, overall {'-' if overall is None else f'{overall:.2f}'}", "good"


def _drawing(graph: DrawnGraph) -> Iterator[Paragraph]:
    """Line by line; a heading stands at the left edge, and so does the mark of what breaks a rule."""
    for line in safe(graph.drawing[:LONGEST_TEXT]).splitlines():
        tone: Tone = "bad" if line.startswith(AT_FAULT) else "strong" if line[:1].strip() else ""
        yield line, tone
    if STRENGTH in graph.drawing:
        yield LEGEND, "dim"
    if graph.drawing:
        yield "", ""


def _scores(graph: DrawnGraph) -> Iterator[Paragraph]:
    if not any(value is not None for value in graph.scores.values()):
        yield "No scores: a graph that is not valid has none.", "dim"
        return
    yield "SCORES", "strong"
    for place, (name, value) in enumerate(graph.scores.items()):
        if place == FIRST:
            yield "", ""
            yield "WHAT THEY ARE MADE OF", "strong"
        yield f"  {'-   ' if value is None else f'{value:.2f}'}  {safe_line(name, 60)}", _tone(value)


def _tone(value: float | None) -> Tone:
    return "dim" if value is None else "warn" if value < 1 else ""


class GraphScreen(TextPage):
    """The graph of a sample, and of those after it in the list."""

    MODE = "results"
    CSS = """
    GraphScreen #beside Reading { width: 1fr; }
    GraphScreen #other { display: none; border-left: solid $surface-lighten-2; }
    """
    BINDINGS = [
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("graph.beside", "beside", "Next model", tooltip="The graph of the next model for the same brief beside it"),
        bind("pane.next", "app.focus_next", "Other side", tooltip="The keys that scroll go to the other graph"),
        bind("pane.previous", "app.focus_previous", "Other side", show=False),
        bind("record.next", "step(1)", "Next", tooltip="The graph of the next sample of the list"),
        bind("record.previous", "step(-1)", "Previous", show=False, tooltip="That of the sample before it in the list"),
        bind("record.copy", "copy", "Copy", tooltip="Copy what is shown as text"),
        bind("record.write", "write", "Write", show=False, tooltip="Write it to a file, whose path is shown"),
        bind("record.pager", "pager", "Pager", show=False, tooltip="Read it in $PAGER"),
    ]

    def __init__(self, graphs: DrawnGraphs, answers: StoredRun, row_at: Callable[[int], int | None], place: int) -> None:
        """`row_at`: the row in the file of what stands at a place of the list it is opened from; None beyond its end."""
        super().__init__()
        self._graphs, self._answers, self._row_at, self._place = graphs, answers, row_at, place
        self._sample: StoredSample | None = None
        self._other = ""
        """The model whose graph stands beside; empty where none does."""

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the brief, and one graph or two."""
        yield Lines(id="about")
        yield Horizontal(Reading(id="own"), Reading(id="other"), id="beside")

    def on_mount(self) -> None:
        """Show it."""
        super().on_mount()
        self._take(self._place)
        self.query_one("#own", Reading).focus()

    def offers(self, action: str) -> bool | str:
        """The keys for a second graph where there is one."""
        if action == "app.focus_next":
            return bool(self._other)
        return action != "beside" or (self._sample is not None and bool(self._graphs.others(self._sample)))

    def _take(self, place: int, by: int = 1) -> bool:
        """The first sample from a place on that has a graph; whether there is one."""
        while place >= 0 and (row := self._row_at(place)) is not None:
            sample = self._answers.sample(row)
            if sample is not None and self._graphs.has(sample):
                self._place, self._sample = place, sample
                self._other = self._other if self._other in self._graphs.others(sample) else ""
                self._show()
                return True
            place += by
        return False

    def _show(self) -> None:
        sample = self._sample
        if sample is None:
            return
        made_up = "simulated  " if simulated(self) else ""
        self.query_one("#about", Lines).say((made_up, "warn"), (self._title(sample), "strong"))
        own, beside = self._texts(sample)
        self.query_one("#own", Reading).show(own)
        self.query_one("#other", Reading).show(beside)
        self.query_one("#other").display = bool(beside)
        if not beside:
            self.query_one("#own", Reading).focus()

    def _texts(self, sample: StoredSample) -> tuple[list[Paragraph], list[Paragraph]]:
        """The sample's graph, and that of the other model where one was chosen."""
        own = graph_text(self._graphs.of(sample), sample.queue)
        return own, graph_text(self._graphs.of(sample, self._other), self._other) if self._other else []

    def _title(self, sample: StoredSample) -> str:
        prompt = [safe_line(name, 60) for name in sample.groups.get("prompt", ())]
        repeat = [f"repeat {sample.repeat + 1}"] if sample.repeat else []
        return " · ".join([f"graph of {safe_line(sample.doc_id, 60)}", *prompt, *repeat])

    @property
    def text(self) -> str:
        """Text that is shown, one graph under the other."""
        if self._sample is None:
            return ""
        heading = [self._title(self._sample), *(["Simulated: no model was asked."] if simulated(self) else [])]
        own, beside = self._texts(self._sample)
        return "\n".join([*heading, "", *(line for line, _ in own), *([""] if beside else []), *(line for line, _ in beside)])

    def action_beside(self) -> None:
        """The next model's graph beside it; after the last one none."""
        models = self._graphs.others(self._sample) if self._sample is not None else []
        if not models:
            self.eval_app.say("no other model drew this brief")
            return
        turns = ["", *models]
        self._other = turns[(turns.index(self._other) + 1) % len(turns)]
        self._show()

    def action_step(self, by: int) -> None:
        """The next sample's graph, or the one before."""
        if not self._take(self._place + by, by):
            self.say_here("that was the last one" if by > 0 else "that was the first one")

    def action_write(self) -> None:
        """Write it to a file that is named by its place."""
        save_text(self, f"graph-{self._place + 1}.txt", self.text)
