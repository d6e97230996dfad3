"""A run's config as text, edited: the form follows, as far as the text is TOML."""

from __future__ import annotations

from copy import copy
from typing import Any

from textual.message import Message
from textual.widgets import TextArea

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.starting import offered_kinds
from tui_eval.core.errors import TuiEvalError
from tui_eval.models.editing import looks_like_key
from tui_eval.tui.background.latest_only import Latest
from tui_eval.workspace.toml_files import has_comments

Taken = tuple[str, dict[str, Any], str]
"""A text, what it holds, and what is wrong with it."""
NO_KEYS_HERE = "keys are not kept in a config: name the key's variable (api_key_env), and store the key with K on screen 1"


class TomlView(TextArea):
    """The text. It is read beside the screen at every change; while it is wrong, the draft stays what it was before."""

    DEFAULT_CSS = """
    TomlView { height: 1fr; border: none; padding: 0; }
    TomlView:focus { border: none; }
    """

    class Took(Message):
        """The text was read: the draft holds it, or `wrong` says why not."""

    def __init__(self) -> None:
        super().__init__("", show_line_numbers=True, soft_wrap=False, compact=True, tab_behavior="focus")
        self.cursor_blink = False
        self.wrong = ""
        self.pending = False
        """Whether the text is being read."""
        self.comments = False
        """Whether comments stand in it: they are not kept."""
        self._draft: Draft | None = None
        self._latest = Latest(self._read, self._take_reading, self._failed)

    def begin(self, draft: Draft) -> None:
        """Show a draft as text, to be edited."""
        self._draft, self.wrong, self.pending = draft, "", False
        with self.prevent(TextArea.Changed):
            self.text = draft.text()

    def on_unmount(self) -> None:
        """Read no more."""
        self._latest.close()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Read what stands there now."""
        event.stop()
        if self._draft is not None:
            self.pending = True
            self._latest.ask(self.text)
            self.post_message(self.Took())

    def _read(self, text: str) -> Taken:
        assert self._draft is not None
        try:
            content = copy(self._draft).read(text)
        except TuiEvalError as error:
            return text, {}, str(error)
        kinds = offered_kinds()
        if str(content.get("kind")) not in kinds:
            return text, {}, f"kind must be one of {', '.join(kinds)}"
        models = content.get("models")
        entries = [entry for entry in models if isinstance(entry, dict)] if isinstance(models, list) else []
        keys = any(looks_like_key((), entry) for entry in entries)
        return text, content, NO_KEYS_HERE if keys else ""

    def _take_reading(self, reading: Taken) -> None:
        text, content, wrong = reading
        if text != self.text or self._draft is None:
            return
        self.pending, self.wrong = False, wrong
        if not wrong:
            self.comments = has_comments(text)
            self._draft.hold(content)
        self.post_message(self.Took())

    def _failed(self, error: BaseException) -> None:
        raise error
