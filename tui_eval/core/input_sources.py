"""Input files: what a config names to be read, and each file as it was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tui_eval.core.document_text import LeftOut


@dataclass(frozen=True, slots=True)
class Source:
    """A file, a pattern of files or a folder that a config names, to be read before the run."""

    role: str
    pattern: str
    key: str
    """The config key that names it, for error messages."""
    max_bytes: int
    folder: bool = False
    place: str = "lists"
    """The folder of the run folder's inputs/ where what it names is kept."""
    raised_by: str = ""
    """The config key that says how many bytes there may be; empty where none does."""
    as_text: bool = False
    """Whether what its files say is wanted as text, with their pages."""
    others_as_is: bool = False
    """Whether this holds of PDFs and web pages alone, be they ever so short, and any other file stays as it is."""
    keep_hidden: bool = False
    """Whether what web pages hide is text like any other."""
    asked_about: bool = False
    """Whether questions are written about what they say: what no passage for them has is written down beside it."""
    attaches: bool = False
    """Whether it is a set of conversations, whose documents are read from the files beside it; or a folder of these."""
    shipped: str = ""
    """The folder of the workspace, and of what comes with the program, where a bare name is looked for, too; empty = none."""
    inside: tuple[str, ...] = ()
    """What is taken where it names a folder, or a run by its id: patterns within it, those of one entry together, divided by
    blanks; the first entry counts whose last pattern finds a file. Empty = it names no folder."""
    shown_by: str = ""
    """What a person says so that models are shown a PDF as it is; empty where there is no such thing."""
    beside: str = ""
    """What is read along with a file, if it is there: a file of the same name, with or without its suffix, and this behind it.
    It gets the role with " beside" behind it, and is never what a pattern matches. Empty = nothing."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """An input as it was read: its bytes as text, or in base64 where they are not valid UTF-8."""

    role: str
    name: str
    """File name, without folders."""
    path: str
    """Relative to the config that names it."""
    sha256: str
    size: int
    mime: str
    encoding: Literal["utf-8", "base64"]
    held: str | None
    """Its content; None where that is not kept in memory."""
    most_tokens: int | None = None
    """The most tokens that it comes to where models are shown it as a PDF; None = nobody has told it."""
    origin: str = ""
    """The file that it was read from; empty where it was none."""
    again: Callable[[InputFile], str] | None = None
    """What reads the content again where it is not held."""
    by_line: Callable[[InputFile], Sequence[str]] | None = None
    """The same line by line, each when it is looked at; only of what is text."""
    text: str | None = None
    """What it says, pages divided by form feeds, where that is wanted and it is no image; else None."""
    left_out: tuple[LeftOut, ...] | None = None
    """What of its text no passage for questions has; models are shown it where they are shown the text. None where nobody
    wrote that down: in a run of an older version, and where there is no text."""
    hidden: tuple[str, ...] = ()
    """What a web page hides: its text has not got it, and no model is shown it."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What a person should know of how its text was read; none where the text of a run folder was taken."""

    @property
    def content(self) -> str:
        """All of it, as text or in base64. ConfigError where it is not held, and no longer what was read at first."""
        if self.held is not None or self.again is None:
            return self.held or ""
        return self.again(self)
