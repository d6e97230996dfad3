"""Consent to what leaves this machine: what may go where, as a person said it once for a folder, on record at home.

A record lies below `places.home()`, one file for each folder, which is named by its real path. A folder says nothing for
itself: whoever made it may have written whatever is in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.hosts import host_of, is_loopback
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import lies_within, read_file
from tui_eval.workspace.private_files import held_folder, replace_file
from tui_eval.workspace.toml_files import TomlFile, read_toml, toml_document, toml_text

HEAD = (
    "# What may leave for where, of one folder: edit this file, or tui-eval models trust HOST [--key VARIABLE] [--file PATH].\n"
    "# own: made by tui-eval, or trusted as it was. hosts: may be sent prompts and documents. plug_ins: may be used.\n"
    "# [keys]: by variable, the hosts that may be sent its value. [files]: by real path, of a file that lies elsewhere, or of\n"
    "# a folder (with / behind it), the hosts that may be sent it.\n"
)
_LIST = 'a list of hosts, such as ["api.example.com", "10.0.0.5:8000"]'
_KEYS = ("workspace", "own", "hosts", "plug_ins", "keys", "files")
_MOST_BYTES = 1_000_000
Sort = Literal["host", "key", "file", "plug-in"]


@dataclass(frozen=True, slots=True, order=True)
class Permit:
    """One thing that may go to one host."""

    sort: Sort
    what: str
    """The variable whose value it is; the file's real path, a folder's with / behind it; a plug-in. Of a host: empty."""
    host: str
    """As `host_of` has it, with variables where these tell nothing of an address. Of a plug-in: empty."""


@dataclass(frozen=True, slots=True)
class TrustRecord:
    """Consent on record of a folder."""

    own: bool = False
    """Whether it is the person's: this program made it there, or it was trusted once as it was."""
    permits: frozenset[Permit] = frozenset()

    def allows(self, permit: Permit) -> bool:
        """Return whether a person has said so: of that very thing, or of a folder that a file is in."""
        if permit in self.permits:
            return True
        if permit.sort != "file":
            return False
        parts = Path(permit.what).parents if not permit.what.endswith("/") else (Path(permit.what), *Path(permit.what).parents)
        return any(Permit("file", f"{folder}/".replace("//", "/"), permit.host) in self.permits for folder in parts)

    def walks(self, folder: str) -> bool:
        """Return whether a folder elsewhere may be looked through: some of it may go somewhere. `folder`: with / behind it."""
        return any(self.allows(replace(permit, what=folder)) for permit in self.permits if permit.sort == "file")


def record_of(folder: Path) -> TrustRecord:
    """Return the record of a folder, with what was said since this process began. ConfigError for a mistake in the file."""
    workspace = Workspace(folder)
    stored, now = _on_file(workspace), _IN_PROCESS.get(workspace.trust_file, TrustRecord())
    return TrustRecord(stored.own or now.own, stored.permits | now.permits)


def permit(folder: Path, permits: Iterable[Permit], own: bool = False) -> None:
    """Put consent on record. `own`: the folder as it is, too.

    ConfigError where that cannot be written at home: then it holds for this process alone.
    """
    workspace, permits = Workspace(folder), frozenset(permits)
    record = record_of(folder)
    if permits <= record.permits and (record.own or not own):
        return
    path = workspace.trust_file
    try:
        with held_folder(path.parent):
            before = _on_file(workspace)
            _write(workspace, TrustRecord(before.own or own, before.permits | permits))
    except ConfigError as error:
        now = _IN_PROCESS.get(path, TrustRecord())
        _IN_PROCESS[path] = TrustRecord(now.own or own, now.permits | permits)
        raise ConfigError(f"{error}; your yes holds until this program ends") from None


def make_own(folder: Path) -> None:
    """Put a folder on record as the person's, where it holds nothing yet: what comes into it is made here.

    Where home cannot be written it stays one of others, which only means that more is asked.
    """
    try:
        with os.scandir(folder) as entries:
            if any(entry.name != ".git" for entry in entries):
                return
        permit(folder, (), own=True)
    except (OSError, ConfigError):
        return


def trust_host(workspace: Workspace, url: str, variables: Sequence[str] = (), files: Sequence[Path] = ()) -> str:
    """Say yes to the host of an address: for these variables' values and files, or else for prompts and documents; the host.

    ConfigError where it is none, or where that cannot be written at home: then the yes counts for this process alone.
    """
    host = url if "${" in url and variables else host_of(url)
    for variable in variables:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
            raise ConfigError("--key takes the name of a variable: letters, digits and _, such as OPENAI_API_KEY; not a key")
    permits = [Permit("key", variable, host) for variable in variables]
    permits += [Permit("file", file_permitted(path), host) for path in files]
    permit(workspace.root, permits or [Permit("host", "", host)])
    return host


def file_permitted(path: Path) -> str:
    """Return a permit's name of a file or a folder: its real path. ConfigError where there is none."""
    real = os.path.realpath(path)
    if not os.path.exists(real):
        raise ConfigError(f"{path}: there is no such file or folder")
    return f"{real}/".replace("//", "/") if os.path.isdir(real) else real


def may_be_sent_to(workspace: Workspace, url: str) -> bool:
    """Return whether a foreign wire may send to an address: on this machine, or on a host that a person has said yes to."""
    return is_loopback(url) or any(permit.host == host_of(url) for permit in record_of(workspace.root).permits)


def check_written_inside(workspace: Workspace, folder: Path) -> None:
    """Raise ConfigError where a folder of a workspace of others is a link that leads out of it: nothing is written there."""
    if lies_within(folder, workspace.root) or record_of(workspace.root).own:
        return
    raise ConfigError(f"{folder}: leads out of {workspace.root} by a link, and nothing is written there; move it away")


LOOKS_ONLY = "TUI_EVAL_SENDS_NOTHING"
"""The variable that tells the processes of a session in which a person chose to look only."""


def look_only() -> None:
    """Let this process, and those that it starts, send nothing."""
    os.environ[LOOKS_ONLY] = "1"


def looks_only() -> bool:
    """Return whether a person chose to look only."""
    return bool(os.environ.get(LOOKS_ONLY))


def check_may_send() -> None:
    """Raise ConfigError where a person chose to look only."""
    if looks_only():
        raise ConfigError("you chose to look without sending anything; to send, start tui-eval again and answer y")


def formerly_said(workspace: Workspace, host: str) -> str:
    """Describe a yes in the folder itself, which counts for nothing; empty where none names the host."""
    path = workspace.former_trust_file
    if not host:
        return ""
    try:
        is_named = host.encode() in read_file(path, _MOST_BYTES, workspace.root)
    except OSError:
        return ""
    return f" ({path} names it: a file of the folder does not count as your yes)" if is_named else ""


_IN_PROCESS: dict[Path, TrustRecord] = {}
"""What was said where home cannot be written, by the file that it would stand in."""


def _write(workspace: Workspace, record: TrustRecord) -> None:
    import tomlkit  # only here: reading needs no more than the standard library

    path = workspace.trust_file
    document = toml_document(toml_text(path) if path.exists() else HEAD)
    document["workspace"] = os.path.realpath(workspace.root)
    if record.own:
        document["own"] = True
    for key, values in _entries(record).items():
        if values or key in document:
            document[key] = values
    replace_file(path, tomlkit.dumps(document).rstrip() + "\n")


def _entries(record: TrustRecord) -> dict[str, Json]:
    """The lists and tables of a record's file."""
    keys: dict[str, list[str]] = {}
    files: dict[str, list[str]] = {}
    lists: dict[str, list[str]] = {"host": [], "plug-in": []}
    for permit in sorted(record.permits):
        if permit.sort in ("key", "file"):
            (keys if permit.sort == "key" else files).setdefault(permit.what, []).append(permit.host)
        else:
            lists[permit.sort].append(permit.host or permit.what)
    return {"hosts": lists["host"], "plug_ins": lists["plug-in"], "keys": keys, "files": files}


def _on_file(workspace: Workspace) -> TrustRecord:
    path = workspace.trust_file
    if not path.exists():
        return TrustRecord()
    file = read_toml(path)
    for key in file.content:
        if key not in _KEYS:
            raise file.error((key,), f"unknown key; known keys: {', '.join(_KEYS)}")
    permits = [Permit("host", "", host) for host in _names(file, "hosts")]
    permits += [Permit("plug-in", name, "") for name in _names(file, "plug_ins")]
    permits += [Permit("key", name, host) for name, hosts in _table(file, "keys").items() for host in hosts]
    permits += [Permit("file", name, host) for name, hosts in _table(file, "files").items() for host in hosts]
    if file.content.get("workspace") != os.path.realpath(workspace.root):
        raise file.error(("workspace",), f"must be {os.path.realpath(workspace.root)!r}: a yes holds for one folder only")
    return TrustRecord(file.content.get("own") is True, frozenset(permits))


def _names(file: TomlFile, key: str) -> list[str]:
    value = file.content.get(key, [])
    if not _are_names(value):
        raise file.error((key,), f"must be {_LIST}" if key == "hosts" else "must be a list of names")
    names: list[str] = value
    return names


def _table(file: TomlFile, key: str) -> dict[str, list[str]]:
    value = file.content.get(key, {})
    if not isinstance(value, dict) or not all(map(_are_names, value.values())):
        raise file.error((key,), f"must have by {'variable' if key == 'keys' else 'path'} {_LIST}")
    return value


def _are_names(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
