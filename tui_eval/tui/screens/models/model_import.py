"""Import from outside into the list of models: from servers on this machine, registries of other tools, and keys."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from tui_eval.core.plaintext import count_of
from tui_eval.models.discovered import FoundPlace, add_found
from tui_eval.tui.background.jobs import CommandJob
from tui_eval.tui.background.ordered_keys import HOLD_S, OPENS
from tui_eval.tui.page import Page
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.ask_line import Ask
from tui_eval.tui.screens.dialogs.choose import ChooseSome
from tui_eval.tui.screens.dialogs.help import Help
from tui_eval.tui.screens.dialogs.pick_path import PickPath
from tui_eval.tui.screens.models.model_actions import Deeds, Done
from tui_eval.tui.words import count
from tui_eval.workspace.places import Workspace

LIMIT_S = 120.0
SHORT_WORDS = 300
"""Characters that a short message takes; longer words are shown to be read."""
PORTS_NOTE = "Empty: where Ollama, llama.cpp, LM Studio and vLLM usually listen. Or port numbers, such as 8000,9000."


class Bringing(Deeds):
    """Commands whose results come into the list; they end with the screen."""

    def __init__(self, page: Page, on_done: Callable[[str], None]) -> None:
        super().__init__(page, on_done)
        self._jobs: dict[CommandJob, float] = {}
        """Those at work, and when each began (monotonic clock)."""

    def end(self) -> None:
        """Wait for nothing more."""
        for job in self._jobs:
            job.end()
        self._jobs.clear()

    def _run(self, arguments: Sequence[str], on_end: Callable[[CommandJob], None], stdin: str | None = None) -> None:
        """Start a command; keys wait for what its end leads to, be it a question or another list."""
        over = asyncio.Event()

        def ended(job: CommandJob) -> None:
            with self._page.eval_app.guarded():
                on_end(job)
            self._jobs.pop(job, None)
            over.set()

        job = CommandJob(self._workspace, arguments, ended, stdin, LIMIT_S)
        self._jobs[job] = time.monotonic()
        self._page.run_worker(over.wait(), group=f"{OPENS}job", description="a command", exit_on_error=False)
        job.start()

    def _may_ask(self, job: CommandJob) -> bool:
        """Return whether a question may be put: a person who went elsewhere, or typed on, must not answer it unseen."""
        began = self._jobs[job]
        went_on = time.monotonic() - began > HOLD_S and self._page.eval_app.key_at > began
        return self._app.screen is self._page and not went_on

    def _failed(self, job: CommandJob) -> bool:
        """Return whether a command failed; its words are told then."""
        if job.code != 0:
            self._page.eval_app.say(job.words or f"the command ended with code {job.code}", bad=True)
        return job.code != 0

    # servers of this machine

    def discover(self) -> None:
        """Ask where to look, look there, and let a person choose of what is found."""
        title = "Look for model servers on this machine: ports"
        Ask(title, "", _ports_problem, note=PORTS_NOTE, enter="looks there").ask(self._app, self._look_at_ports)

    def _look_at_ports(self, text: str) -> None:
        ports = [f"--ports={text.replace(' ', '')}"] if text.strip() else []
        self._page.eval_app.say("looking for model servers on this machine …")
        self._run(["models", "discover", "--json", *ports], self._discovered)

    def _discovered(self, job: CommandJob) -> None:
        if self._failed(job):
            return
        servers = json.loads(job.stdout)
        pairs = [(server, model) for server in servers for model in server["models"]]
        places = [
            FoundPlace(server["server"], server["base_url"], model["id"], model["context_tokens"]) for server, model in pairs
        ]
        locked = _locked([server["base_url"] for server in servers if server["needs_key"]])
        if not places:
            self._page.eval_app.say(locked or job.words.rpartition("\n")[2] or "no server was found")
            return
        if not self._may_ask(job):
            self._page.eval_app.say(f"{count_of(len(places), 'model')} were found on this machine; d on screen 1 lists them")
            return

        open_ones = sum(1 for server in servers if not server["needs_key"])
        title = f"{count_of(len(places), 'model')} on {count_of(open_ones, 'server')} of this machine: which go on file?"
        entries = [(model["id"], _about(server, model)) for server, model in pairs]
        question = ChooseSome(title, entries, note=locked)
        question.ask(self._app, lambda picked: self._add([places[index] for index in picked]))

    def _add(self, places: list[FoundPlace]) -> None:
        self.do(lambda: _added(self._workspace, places))

    # registries of other tools

    def bring(self) -> None:
        """Pick a file or a folder and put its models on file."""
        title = "Import models: a JSON registry, a price table or a model file of another tool, or a folder of them"
        question = PickPath(title, self._workspace.root, folders=True, suffixes=(".json",))
        question.ask(self._app, lambda path: self._run(["models", "import", str(path.absolute())], self._show_import))

    def _show_import(self, job: CommandJob) -> None:
        if self._failed(job):
            return
        self._on_done("")
        short = len(job.words) <= SHORT_WORDS and job.words.count("\n") < 4
        if short or not self._may_ask(job):
            self._page.eval_app.say(job.words or "nothing was found in it")
        else:
            self._app.push_screen(Help("Imported", [(line, "") for line in job.words.split("\n")]))

    # keys

    def store_key(self, name: str) -> None:
        """Ask for a key, unseen, and put it into the workspace's .env by a command that reads it from its standard input."""
        question = Ask(f"Key for {safe_line(name, 60)}", "", _key_problem, secret=True, note=_key_note(name))
        question.ask(self._app, lambda value: self._run(["keys", "set", name], self._stored, stdin=value))

    def _stored(self, job: CommandJob) -> None:
        if not self._failed(job):
            self._page.eval_app.say(job.words)
            self._on_done("")


def _ports_problem(text: str) -> str:
    words = [word.strip() for word in text.split(",") if word.strip()]
    odd = next((word for word in words if not (word.isascii() and word.isdigit() and 0 < int(word[:6]) < 65_536)), None)
    return "" if odd is None else f"{odd}: not a port; give numbers from 1 to 65535, such as 8000,9000"


def _added(workspace: Workspace, places: list[FoundPlace]) -> Done:
    result = add_found(workspace, places)
    words = [f"{count(len(result.added))} put on file" if result.added else "nothing new was put on file"]
    words += [f"{count(len(result.known))} were there already"] if result.known else []
    words += [f"{count(len(result.changed))} with another context window"] if result.changed else []
    words += [f"not added: {refused}" for refused in result.refused[:3]]
    words += ["c checks the one under the cursor, C all"] if result.added else []
    return "; ".join(words), next(iter([*result.added.values(), *result.known.values()]), "")


def _locked(addresses: Sequence[str]) -> str:
    """Advise on servers that name their models to nobody without a key; empty where there are none."""
    if not addresses:
        return ""
    places = " and ".join(addresses[:3]) + (f" and {len(addresses) - 3} more" if len(addresses) > 3 else "")
    return f"{places}: a key is needed before models are listed; a adds a model, with its base_url and api_key_env"


def _about(server: Any, model: Any) -> str:
    tokens = model["context_tokens"]
    context = f"  {count(tokens)} tokens of context" if isinstance(tokens, int) else ""
    return f"{server['server']}  {server['base_url']}{context}{'  simulated' if server['simulated'] else ''}"


def _key_problem(value: str) -> str:
    """Return the problem of a key that is typed; never the key itself."""
    if not value.strip():
        return "paste or type the key"
    text = value.strip().removeprefix("export ")
    return "" if text.isprintable() and " " not in text else "a key is one line without blanks"


def _key_note(name: str) -> str:
    place = "A dot is shown for each character. It is put into .env of the workspace, readable by you alone."
    if os.environ.get(name):
        return f"{place}\nThe environment that the app was started in has {name}, too: that one is used, not the one in .env."
    return place
