"""What every screen has: the line of screens above, the status and the keys below, and one look per tick at what changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from tui_eval.tui.widgets.chrome import KeysLine, ScreensLine, StatusLine

if TYPE_CHECKING:
    from tui_eval.tui.app import EvalApp


class Page(Screen[None]):
    """A screen of the app. Its parts come from `parts`; `look` is called on every tick while it is the one on show."""

    MODE = ""
    """The number key's screen that it belongs to."""

    def compose(self) -> ComposeResult:
        """The frame around the parts."""
        yield ScreensLine(self.MODE)
        yield from self.parts()
        yield StatusLine()
        yield KeysLine()

    def parts(self) -> Iterable[Widget]:
        """What stands between the lines above and below."""
        return ()

    def look(self) -> None:
        """See what changed, and draw it."""

    def offers(self, action: str) -> bool | str:
        """Whether the line of keys names an action now, or by which other words; the key works all the same."""
        return True

    @property
    def eval_app(self) -> EvalApp:
        """The app, by its own type."""
        return cast("EvalApp", self.app)

    def on_mount(self) -> None:
        """Draw what is known already."""
        self.app.call_after_refresh(self.tick)

    def on_screen_resume(self) -> None:
        """Back on show: draw what changed meanwhile."""
        self.app.call_after_refresh(self.tick)

    def run_worker(  # type: ignore[override]
        self, work: Any, name: str | None = "", *, description: str = "beside the keys", **options: Any
    ) -> Worker[Any]:
        """Work beside the keys. Described here: Textual would spell out all that the work holds, which may be a whole run."""
        return super().run_worker(work, name, description=description, **options)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What went wrong in the background is told once."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            with self.eval_app.guarded():
                raise event.worker.error

    def tick(self) -> None:
        """One look, kept apart from the next: what goes wrong in it is told once and ends nothing."""
        if self.is_mounted and self.is_attached:
            with self.eval_app.guarded():
                self.query_one(StatusLine).look(self.eval_app)
                self.look()
                self.query_one(KeysLine).look(self)
