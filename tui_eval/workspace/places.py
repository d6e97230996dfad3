"""The places of things: runs, prompts, themes and examples, the user's own and the shipped ones."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.workspace.plain_files import ANYWHERE, lies_within, read_file, unreadable

MOST_PROMPT_BYTES = 16 * 1024 * 1024
"""A longer file is no prompt that a model takes."""
_PACKAGE = Path(__file__).resolve().parent.parent
_BESIDE = _PACKAGE / "shipped"
_FOLDERS = ("catalogue", "datasets", "examples", "keymaps", "prices", "prompts", "refusals", "schemas", "themes")


def shipped(folder: str) -> Path:
    """A folder that comes with the program: inside the installed package, or beside it in a checkout."""
    return (_BESIDE if _BESIDE.is_dir() else _PACKAGE.parent) / folder


def shipped_path(real: str) -> str:
    """Return the path of a file that comes with the program, such as `examples/quickstart.toml`; empty for others. `real`: its
    real path.
    """
    for name in _FOLDERS:
        folder = os.path.realpath(shipped(name)) + os.sep
        if real.startswith(folder):
            return f"{name}/{real.removeprefix(folder)}"
    return ""


def home() -> Path:
    """The folder of what belongs to the person and to no workspace: `$XDG_CONFIG_HOME/tui-eval`, or in `~/.config`.

    ConfigError where neither is known: a relative one would lie in the folder that is to be trusted.
    """
    for base in (os.environ.get("XDG_CONFIG_HOME", ""), os.path.expanduser("~/.config")):
        if os.path.isabs(base):
            return Path(base) / "tui-eval"
    raise ConfigError("no home folder is known to store a yes in; set HOME or XDG_CONFIG_HOME to a full path")


def path_from(folder: Path, path: str | Path) -> str:
    """Return a path as a file of the folder names it: relative where it lies below the folder, else in full."""
    root, full = os.path.abspath(folder), os.path.abspath(path)
    return os.path.relpath(full, root) if full.startswith(root + os.sep) else full


class Workspace:
    """The folder a person works in. Nothing is created in it before the first write."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def runs(self) -> Path:
        """The folder of run folders."""
        return self.root / "runs"

    @property
    def env_file(self) -> Path:
        """File in which keys may be put, besides the environment."""
        return self.root / ".env"

    @property
    def models_file(self) -> Path:
        """The user's own models."""
        return self.root / ".conf" / "models.toml"

    @property
    def trust_file(self) -> Path:
        """Record of what this person has said yes to in this folder: at home, since a folder cannot say yes for itself."""
        real = os.path.realpath(self.root)
        return home() / "trust" / f"{os.path.basename(real)[:40]}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:16]}.toml"

    @property
    def former_trust_file(self) -> Path:
        """File of a yes before it lay at home: whoever made the folder may have written it, so that it counts for nothing."""
        return self.root / ".conf" / "trusted_hosts.toml"

    @property
    def cache(self) -> Path:
        """Folder in which good replies are kept over runs."""
        return self.root / ".cache" / "replies"

    @property
    def certificates(self) -> Path:
        """The folder of judges' certificates."""
        return self.root / "certificates"

    def prompt(self, kind: str, name: str, plugin_folder: Path | None = None) -> tuple[str, Path]:
        """A prompt's text and file: the workspace's own where there is one, else the shipped one.

        `plugin_folder`: where those of a plug-in lie, which are shipped with it.
        """
        for folder, within in ((self.root / "prompts", self.root), (plugin_folder or shipped("prompts"), None)):
            path = folder / kind / f"{name}.md"
            if os.path.lexists(path):
                return read_prompt(path, within), path
        raise ConfigError(f"prompt {kind}/{name}.md is neither in {self.root / 'prompts'} nor shipped")

    def config(self, name: str) -> Path:
        """The file a CONFIG argument means: a path, or the name of a shipped example."""
        path = Path(name)
        if path.is_dir() and (path / "config.toml").is_file():
            return path / "config.toml"
        if path.is_dir():
            hint = f"; tui-eval qa {name} --models A,B asks its Questions.md" if (path / "Questions.md").is_file() else ""
            raise ConfigError(f"{name}: a folder without a config.toml; name a TOML file{hint}")
        if path.exists() or path.suffix or len(path.parts) > 1:
            return path
        example = shipped("examples") / f"{name}.toml"
        if example.is_file():
            return example
        if any((self.root / "datasets" / each).exists() for each in (name, f"{name}.json")):
            raise ConfigError(
                f"{name}: a set of questions, not a config; tui-eval qa {name} --models A,B asks models what it has"
            )
        names = ", ".join(examples())
        raise ConfigError(
            f"{name}: neither a config file nor a shipped example{_suggestion(name, examples())} (these are: {names})"
        )

    def run(self, name: str) -> Path:
        """The folder a RUN argument means: a path, or a run id."""
        for path in (Path(name), self.runs / name):
            if (path / "config.toml").is_file():
                return path
            if os.path.lexists(path / "config.toml"):
                raise FolderError(f"{path / 'config.toml'}: is not a regular file; move it away")
        hint = _suggestion(name, [path.name for path in self.all_runs()])
        raise FolderError(f"{name}: neither a run folder nor the id of a run in {self.runs}{hint}; tui-eval status lists them")

    def all_runs(self) -> Iterator[Path]:
        """Every run folder, newest first."""
        if self.runs.is_dir():
            names = [path for path in self.runs.iterdir() if not path.name.startswith(".")]
            folders = [path for path in names if (path / "config.toml").is_file()]
            yield from sorted(folders, key=lambda path: path.name, reverse=True)

    def new_run_id(self, name: str) -> str:
        """YYYYMMDD_HHMMSS_<4 hex>[_<slug>], local time."""
        slug = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower()).strip("-")
        stamp = f"{time.strftime('%Y%m%d_%H%M%S')}_{os.urandom(2).hex()}"
        return f"{stamp}_{slug[:40]}" if slug else stamp


def _suggestion(name: str, names: list[str]) -> str:
    """Suggest which of the known names was probably meant."""
    return "".join(f", did you mean {near}?" for near in get_close_matches(name, names, n=1))


def examples() -> list[str]:
    """The names of the shipped examples."""
    return sorted(file.stem for file in shipped("examples").glob("*.toml"))


def read_prompt(path: Path, within: Path | None = None) -> str:
    """A prompt file's text, without white space at its ends. `within`: the folder that no link may lead out of; None = any."""
    try:
        return prompt_text(path, within).strip()
    except ConfigError as error:
        raise ConfigError(f"prompt {path}: {error}") from None


def prompt_text(path: Path, within: Path | None = None) -> str:
    """A prompt file's text as it lies there. ConfigError in words that go behind the file's name.

    `within`: the folder that no link may lead out of; None = any.
    """
    if within is not None and not lies_within(path, within):
        raise ConfigError(
            f"is a link out of its folder, to {os.path.realpath(path)}: no prompt is read from there; put a copy in its place"
        )
    try:
        data = read_file(path, MOST_PROMPT_BYTES, within or ANYWHERE)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigError(f"is longer than {MOST_PROMPT_BYTES // 1024**2} MB, too long for a prompt; shorten it") from None
        raise ConfigError(unreadable("", error).removeprefix(": ")) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(f"line {line}: is not UTF-8; save the file as UTF-8 text") from None
