"""The noun of a verb of the command line, and the reading of the words behind it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace

Options = argparse.Namespace


EVERYWHERE = "everywhere: --workspace DIR, -q, --no-plugins"
PAGES = {
    "run": "running", "resume": "running", "status": "running", "stop": "running", "pause": "running", "continue": "running",
    "rescore": "scoring", "choice": "multiple-choice", "leaderboard": "multiple-choice", "import": "multiple-choice",
    "call": "pipeline", "costs": "pipeline", "models": "models-and-keys", "keys": "models-and-keys",
    "judge": "certificates", "aa": "noise", "bench": "scoring",
}  # fmt: skip
"""The page of documentation of verbs that have none of their own name, by their first word."""


class UsageError(ConfigError):
    """Words that say nothing to a verb."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb, or two words where one alone stands for a group: `models list`."""

    name: str
    usage: str
    """What it takes, as its help and the list of verbs show it: RUN..."""
    about: str
    """What it does, in a line of at most 60 characters."""
    arguments: Callable[[argparse.ArgumentParser], None]
    execute: Callable[[Options, Workspace], int]
    """Returns the exit code; what is heavy is loaded there."""
    more: str = ""
    """What its help says besides: a sentence, examples."""
    listed: bool = True
    """Whether it has a line of its own in the list of verbs; the others are named in one of another."""


class Parser(argparse.ArgumentParser):
    """Reads what stands behind a verb; raises where a word means nothing there, with the nearest that does."""

    def __init__(self, verb: Verb) -> None:
        super().__init__(
            prog=f"tui-eval {verb.name}".rstrip(),
            description=f"{verb.about[0].upper()}{verb.about[1:]}.",
            epilog="\n".join(filter(None, (verb.more, f"{EVERYWHERE}; see tui-eval docs {page_of(verb)}".rstrip()))),
            add_help=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.verb = verb
        verb.arguments(self)
        needed = [f"{each.option_strings[0]} {each.metavar}" for each in self._actions if each.required and each.option_strings]
        self.usage = " ".join(filter(None, ("tui-eval", verb.name, verb.usage, *needed, "[OPTIONS]")))
        add_common(self)

    @property
    def option_names(self) -> list[str]:
        """The options that it takes."""
        return [name for action in self._actions for name in action.option_strings]

    def error(self, message: str) -> NoReturn:
        """Raise in place of printing and leaving."""
        raise UsageError(f"{self.prog}: {message}; {self.prog} --help shows what it takes")

    def read(self, words: Sequence[str]) -> Options:
        """The words as options; what stands before and what behind an option belongs to one list."""
        options, unknown = self.parse_known_intermixed_args(list(words))
        for word in unknown:
            name = word.partition("=")[0]
            if name.startswith("-"):
                self.error(f"no option {name}{near(name, self.option_names)}")
            self.error(f"one word too many: {word}")
        return options


def page_of(verb: Verb) -> str:
    """The page of documentation about a verb; empty, which lists them all, for those about no page or every one."""
    first = verb.name.partition(" ")[0]
    return PAGES.get(first, "app" if not first else "" if first in ("docs", "completion") else first)


def add_common(parser: argparse.ArgumentParser) -> None:
    """The options that every verb takes, before it as well; its help has them on a line."""
    parser.add_argument("--workspace", type=Path, default=Path("."), metavar="DIR", help=argparse.SUPPRESS)
    parser.add_argument("-q", "--quiet", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--no-plugins", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)


def near(name: str, words: Sequence[str]) -> str:
    """Return a hint with the known word that was probably meant; empty where none is near."""
    matches = get_close_matches(name, words, n=1)
    return f", did you mean {matches[0]}?" if matches else ""
