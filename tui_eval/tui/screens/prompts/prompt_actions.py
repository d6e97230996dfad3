"""Actions on a prompt, from the list and from its own screen: edit it, see the difference, restore it."""

from __future__ import annotations

import os
import shlex
from functools import partial
from pathlib import Path

from textual.app import App
from textual.widgets import TextArea

from tui_eval.configuring.prompt_files import PromptFile, checker, keep, prompt_file, restore
from tui_eval.core.errors import TuiEvalError
from tui_eval.tui.foreground import run_in_foreground
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Page
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.widgets.cells import Cell

NO_EDITOR = "neither $VISUAL nor $EDITOR names an editor; i edits the text here"


def edit(app: App[None], file: Path) -> str:
    """Open a file in $VISUAL, else $EDITOR, until it is left; what went wrong, or nothing."""
    words = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(words)
    except ValueError as error:
        return f"$VISUAL or $EDITOR cannot be read as a command: {error}; i edits the text here"
    if not command:
        return NO_EDITOR
    try:
        code = run_in_foreground(app, [*command, str(file.absolute())])
    except OSError as error:
        return f"{command[0]}: cannot be started ({error}); $VISUAL or $EDITOR names another one, i edits the text here"
    return f"{command[0]} ended with code {code}" if code else ""


WHOSE: dict[str, Cell] = {
    "shipped": ("shipped", "dim"),
    "own": ("● own", "accent"),
    "own, same as shipped": ("= as shipped", "dim"),
    "own, broken": ("✗ own, broken", "bad"),
}


class PromptPage(Page):
    """A screen with a prompt that something can be done to."""

    MODE = "prompts"
    BINDINGS = [
        bind("prompt.edit_here", "edit_here", "Edit here", tooltip="Edit your own text here, beginning with the shipped one"),
        bind("prompt.edit", "edit", "Editor", tooltip="Edit your own text in $VISUAL or $EDITOR"),
        bind("prompt.difference", "difference", "Difference", tooltip="What is another in your own text"),
        bind("prompt.restore", "restore", "Restore", tooltip="Use the shipped prompt again; your own text is kept beside it"),
    ]

    def chosen(self) -> PromptFile | None:
        """The prompt that the keys are about."""
        raise NotImplementedError

    def reread(self) -> None:
        """Show the prompts as they are now."""
        raise NotImplementedError

    def offers(self, action: str) -> bool | str:
        """Only what can be done to the chosen prompt."""
        prompt = self.chosen()
        if action in ("difference", "restore"):
            return prompt is not None and prompt.shipped is not None and prompt.whose != "shipped"
        return prompt is not None and prompt.shipped is not None if action == "edit_here" else True

    def action_edit_here(self) -> None:
        """Write the own text in place."""
        prompt = self.chosen()
        if prompt is None or self._refused(prompt):
            return
        if prompt.own is None and prompt.problem:
            self.eval_app.say(f"{label_of(prompt)}: your own file {prompt.problem}; e opens it in an editor", bad=True)
            return
        self._editor(prompt).ask(self.app, partial(self._keep, prompt))

    def _editor(self, prompt: PromptFile) -> EditText:
        check = checker(self.eval_app.workspace, prompt.kind, prompt.name)
        note = f"must have {slots_of(prompt)}" if prompt.slots else "it needs no slot"
        return EditText(f"Prompt {label_of(prompt)}", prompt.text_in_use.rstrip(), check, note)

    def _keep(self, prompt: PromptFile, text: str) -> None:
        try:
            path = keep(self.eval_app.workspace, prompt.kind, prompt.name, text, prompt.own)
        except TuiEvalError as error:
            self.eval_app.say(str(error), bad=True)
            self._offer_again(prompt, text)
        else:
            self.eval_app.say(f"kept in {path}; new runs use it")
        self.reread()

    def _offer_again(self, prompt: PromptFile, text: str) -> None:
        """Put a text that could not be kept into the editor again: F2 puts it in the place of what is there now."""
        current = prompt_file(self.eval_app.workspace, prompt.kind, prompt.name)
        if current.own is None and current.problem:  # nothing can be put in its place
            return
        screen = self._editor(current)
        screen.ask(self.app, partial(self._keep, current))
        screen.call_after_refresh(lambda: screen.query_one(TextArea).load_text(text))

    def action_edit(self) -> None:
        """Write the own text in the person's editor; it begins as a copy of the shipped one."""
        prompt = self.chosen()
        if prompt is None:
            return
        new = prompt.whose == "shipped"
        with self.eval_app.telling():
            if new:
                keep(self.eval_app.workspace, prompt.kind, prompt.name, prompt.text_in_use, None)
            self._edited(prompt, new, edit(self.app, prompt.path))
        self.reread()

    def _edited(self, prompt: PromptFile, new: bool, trouble: str) -> None:
        """Take in what the editor left behind: a copy nobody changed goes again, and what is wrong is told."""
        if prompt.shipped is None:
            if trouble:
                self.eval_app.say(trouble, bad=True)
            return
        current = prompt_file(self.eval_app.workspace, prompt.kind, prompt.name)
        if new and current.whose == "own, same as shipped":
            prompt.path.unlink()
        if trouble:
            self.eval_app.say(trouble, bad=True)
        elif current.problem or self._key_in(current):
            wrong = current.problem or self._key_in(current)
            self.eval_app.say(f"{label_of(prompt)} is kept as you wrote it, but no run uses it yet: {wrong}", bad=True)
        elif current.own != prompt.own and current.whose == "own":
            self.eval_app.say(f"kept in {prompt.path}; new runs use it")

    def _key_in(self, prompt: PromptFile) -> str:
        return checker(self.eval_app.workspace, prompt.kind, prompt.name)(prompt.own or "") if prompt.own else ""

    def action_restore(self) -> None:
        """Ask, then let the shipped prompt hold again."""
        prompt = self.chosen()
        if prompt is None or self._refused(prompt):
            return
        if prompt.whose == "shipped":
            self.eval_app.say(f"{label_of(prompt)} is already the shipped one")
            return
        words = f"Your own text stays beside it, in a file {prompt.path.name}.old-… that no run reads."
        confirm(self.app, f"Use the shipped prompt {label_of(prompt)} again?", words, partial(self._restore, prompt))

    def _restore(self, prompt: PromptFile) -> None:
        with self.eval_app.telling():
            aside = restore(self.eval_app.workspace, prompt.kind, prompt.name)
            self.eval_app.say(f"the shipped prompt is used again; yours is {aside}" if aside else "there was no own prompt")
        self.reread()

    def _refused(self, prompt: PromptFile) -> bool:
        """Return whether it is none that a kind uses; then that is said."""
        if prompt.shipped is None:
            self.eval_app.say(f"{label_of(prompt)}: {prompt.problem}; e opens it in an editor", bad=True)
        return prompt.shipped is None


def label_of(prompt: PromptFile) -> str:
    """Return what a prompt is called."""
    return safe_line(f"{prompt.kind}/{prompt.name}" if prompt.kind else prompt.name, 80)


def slots_of(prompt: PromptFile) -> str:
    """Return the slots that its text must have."""
    return " ".join("{" + slot + "}" for slot in prompt.slots)
