"""One sample in full: the question, the truth, its answers first, then every reply that led to them or judged them."""

from __future__ import annotations

from collections.abc import Callable

from tui_eval.results.asked_turns import AskedTurn, asked_turns
from tui_eval.results.graphs_on_file import drawn_graphs
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import StoredSample
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe
from tui_eval.tui.screens.dialogs.saving import TextPage, save_text, simulated
from tui_eval.tui.screens.live.log_figures import query_of_item
from tui_eval.tui.screens.result.cell_walk import CellWalk
from tui_eval.tui.screens.result.graph import GraphScreen
from tui_eval.tui.screens.result.sample_text import place_of_turn, place_pointed_at, sample_text, sample_title, verdict_cell
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count


class SampleScreen(TextPage):
    """A sample opened from a list of answers or scores."""

    MODE = "results"
    BINDINGS = [
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("record.next", "step(1)", "Next", tooltip="The next sample of the list"),
        bind("record.previous", "step(-1)", "Previous", show=False, tooltip="The sample before it in the list"),
        bind("list.right", "model(1)", "Next model", tooltip="The same question, answered by the next model of the grid"),
        bind("list.left", "model(-1)", "Model before", show=False, tooltip="The same question, answered by the model before"),
        bind("list.open", "log", "Its calls", tooltip="Every call of the sample, in the log"),
        bind("run.log", "log", "Log", show=False, tooltip="Every call of the sample, in the log"),
        bind("record.graph", "graph", "Graph", tooltip="The decision graph that the reply holds, drawn in layers"),
        bind("record.copy", "copy", "Copy", tooltip="Copy the sample as text"),
        bind("record.write", "write", "Write", tooltip="Write the sample to a file, whose path is shown"),
        bind("record.pager", "pager", "Pager", show=False, tooltip="Read the sample in $PAGER"),
        bind("record.whole", "whole", "All of it", show=False, tooltip="Show very long texts in full"),
    ]

    def __init__(
        self, answers: StoredRun, row_at: Callable[[int], int | None], place: int, walk: CellWalk | None = None
    ) -> None:
        """`row_at`: the row in the file of what stands at a place of the list it is opened from; None beyond its end.

        `walk`: the cell of a grid whose answer is to be in sight, in the place of a list.
        """
        super().__init__()
        self._asked = asked_turns(answers.path.parent)
        self._walk = walk
        self._graphs = drawn_graphs(answers.path.parent)
        self._answers = answers
        self._row_at = row_at
        self._place = place
        self._row = -1
        self._item: StoredSample | None = None
        self._turns: list[AskedTurn] = []

    def on_mount(self) -> None:
        """Show it."""
        super().on_mount()
        row = self._row_at(self._place) if self._walk is None else self._walk.row
        self._take(0 if row is None else row)
        self.query_one(Reading).focus()

    def _take(self, row: int) -> None:
        self._row = row
        self._item = self._answers.sample(row)
        self._turns = self._asked.of(self._item) if self._item is not None else []
        about, reading = self.query_one("#about", Lines), self.query_one(Reading)
        if self._item is None:
            about.say((f"line {count(row + 1)} of results.jsonl is no item", "warn"))
            reading.show([(safe(self._answers.line(row)[:10_000].decode("utf-8", "replace")), "")])
            return
        verdict = (verdict_cell(self._item),) if self._walk is None else self._walk.heading
        made_up: Piece = ("simulated  " if simulated(self) else "", "warn")
        about.say(*verdict, f"  sample {count(row + 1)}  ", made_up, (sample_title(self._item), "strong"))
        reading.show(self._paragraphs(whole=False))
        if self._walk is not None:
            self.call_after_refresh(self._go_to_answer, self._walk)

    def _paragraphs(self, whole: bool) -> list[Paragraph]:
        pointed_at = None if self._walk is None else self._walk.owner
        return [] if self._item is None else sample_text(self._item, whole, self._turns, pointed_at)

    def _go_to_answer(self, walk: CellWalk) -> None:
        """Scroll to what the cell is about: the turn with its question, else the answer of the model."""
        paragraphs = self._paragraphs(whole=False)
        turn = next((turn for turn in self._turns if turn.number - 1 == walk.turn), None)
        place = place_of_turn(paragraphs, turn) if self._turns else place_pointed_at(paragraphs)
        if place is not None:
            self.query_one(Reading).go_to_paragraph(place)

    @property
    def text(self) -> str:
        """The sample in full, as text."""
        if self._item is None:
            return ""
        title = sample_title(self._item) + ("\nSimulated: no model was asked." if simulated(self) else "")
        return title + "\n\n" + "\n".join(text for text, _ in sample_text(self._item, True, self._turns))

    def action_step(self, by: int) -> None:
        """The next sample of the list, or the one before; from a cell of a grid the model's next answer."""
        if self._walk is not None:
            self._walk_on(self._walk.down(by), by)
            return
        place, row = self._place, self._row
        while row == self._row:
            place += by
            next_row = self._row_at(place) if place >= 0 else None
            if next_row is None:
                self.say_here("that was the last one" if by > 0 else "that was the first one")
                return
            row = next_row
        self._place = place
        self._take(row)

    def action_model(self, by: int) -> None:
        """The next model's answer to the same question, or the one before."""
        if self._walk is not None:
            self._walk_on(self._walk.across(by), by)

    def _walk_on(self, is_there: bool, by: int) -> None:
        if self._walk is None or not is_there:
            self.say_here("that was the last one" if by > 0 else "that was the first one")
        else:
            self._take(self._walk.row)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Other models are a key away where a cell of a grid was opened."""
        return self._walk is not None if action == "model" else True

    def offers(self, action: str) -> bool | str:
        """A graph where there is one."""
        return action != "graph" or (self._item is not None and self._graphs.has(self._item))

    def action_graph(self) -> None:
        """Look at the graph."""
        if self._item is not None and self._graphs.has(self._item):
            rows = (self._row_at, self._place) if self._walk is None else self._walk.rows_of_model()
            self.app.push_screen(GraphScreen(self._graphs, self._answers, *rows))
        else:
            self.eval_app.say("this sample has no decision graph on file")

    async def action_log(self) -> None:
        """The sample's calls in the log."""
        if self._item is not None:
            self.eval_app.log_query = query_of_item(self._item.item_id)
            await self.eval_app.action_visit("log")

    def action_write(self) -> None:
        """Write the sample to a file that is named by its place."""
        save_text(self, f"sample-{self._row + 1}.txt", self.text)

    def action_whole(self) -> None:
        """Very long texts in full."""
        if self._item is not None:
            self.query_one(Reading).show(self._paragraphs(whole=True), keep_place=True)
