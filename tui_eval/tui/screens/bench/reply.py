"""One reply on which scorers differ, with what each of them says of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui_eval.tui.keymap import bind
from tui_eval.tui.screens.bench.bench_reading import RatedBench
from tui_eval.tui.screens.bench.scorer_rows import DisputedRow, reply_text
from tui_eval.tui.screens.dialogs.saving import TextPage
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count


class DisputedReplyScreen(TextPage):
    """A reply of the list, opened."""

    MODE = "results"
    BINDINGS = [
        bind("record.next", "step(1)", "Next", tooltip="The next reply of the list"),
        bind("record.previous", "step(-1)", "Previous", tooltip="The reply before it in the list"),
        bind("record.copy", "copy", "Copy", tooltip="Copy all of it as text"),
        bind("record.pager", "pager", "Pager", show=False, tooltip="Read it in $PAGER"),
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
    ]

    def __init__(self, rated_bench: RatedBench, n: int, row_at: Callable[[int], DisputedRow], place: int) -> None:
        """`n`: rows of the list that it is opened from; `place`: which of them."""
        super().__init__()
        self._rated_bench, self._n, self._row_at, self._place = rated_bench, n, row_at, place
        self._paragraphs: Sequence[Paragraph] = ()

    def on_mount(self) -> None:
        """Show it."""
        super().on_mount()
        self.query_one(Reading).focus()
        self._show()

    def action_step(self, by: int) -> None:
        """The next reply, or the one before."""
        if 0 <= self._place + by < self._n:
            self._place += by
            self._show()
        else:
            self.say_here("that was the last one" if by > 0 else "that was the first one")

    @property
    def text(self) -> str:
        """All about the reply, without tones."""
        return "\n".join(text for text, _ in self._paragraphs)

    def _show(self) -> None:
        self._paragraphs = reply_text(self._rated_bench, self._row_at(self._place))
        place = f"{count(self._place + 1)} of {count(self._n)}"
        self.query_one("#about", Lines).say(("Scorers differ  ", "strong"), place)
        self.query_one(Reading).show(self._paragraphs)
