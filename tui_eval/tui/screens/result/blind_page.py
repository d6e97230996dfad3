"""Page on which a person rates one thing after the other, blind: each rating is on disk before the next is shown."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from textual.app import ComposeResult

from tui_eval.core.errors import TuiEvalError
from tui_eval.tui.page import Page
from tui_eval.tui.widgets.chrome import KeysLine, StatusLine

Subject = TypeVar("Subject", contravariant=True)
"""The type of what is rated."""
Mark = TypeVar("Mark", contravariant=True)
"""The type of a rating."""


class Ratings(Protocol[Subject, Mark]):
    """Ratings of a person, as they are written."""

    def put(self, subject: Subject, mark: Mark | None, /) -> None:
        """Write a rating; None = cannot tell. TuiEvalError where that cannot be."""

    def undo(self) -> bool:
        """Remove the last rating; whether there was one. Errors as of `put`."""


class BlindPage(Page, Generic[Subject, Mark]):
    """Blind rating: no line of screens, whose digits mean something else here, and no names of runs."""

    rating: Ratings[Subject, Mark] | None = None
    subject: Subject | None = None
    """The one on show, which is rated now."""

    def show_next(self) -> None:
        """Show what is to be rated now."""
        raise NotImplementedError

    @property
    def hint(self) -> str:
        """Words on the keys, where no message stands."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The frame around the parts."""
        yield from self.parts()
        yield StatusLine()
        yield KeysLine()

    def say_status(self) -> None:
        """Show the message that was told just now, else what the keys do."""
        message, status = self.eval_app.told, self.query_one(StatusLine)
        status.say((self.hint, "dim")) if message is None else status.tell(message.words, message.bad)

    def action_cannot_tell(self) -> None:
        """Write that down, and go on."""
        self.put(None)

    def put(self, mark: Mark | None) -> None:
        """Write a rating down, and go on."""
        if self.rating is None or self.subject is None:
            return
        try:
            self.rating.put(self.subject, mark)
        except TuiEvalError as error:
            self.eval_app.say(f"this rating is not stored: {error}", bad=True)
        else:
            self.show_next()

    def action_take_back(self) -> None:
        """Show what was rated last, without its rating."""
        try:
            is_undone = self.rating is not None and self.rating.undo()
        except TuiEvalError as error:
            self.eval_app.say(f"the rating stays: {error}", bad=True)
            return
        if is_undone:
            self.eval_app.say("the last rating is taken back; this is what it was of")
            self.show_next()
        else:
            self.eval_app.say("nothing was rated before this one; q leaves")
