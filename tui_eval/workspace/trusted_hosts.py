"""Hosts that wires of others, or values of variables, may be sent to: a person says yes once for a folder, kept at home."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import read_file
from tui_eval.workspace.private_files import held_folder, replace_file
from tui_eval.workspace.toml_files import read_toml, toml_document, toml_text
from tui_eval.workspace.validation import unknown_key

LOOPBACK = ("127.0.0.1", "localhost", "::1")
HEAD = (
    "# Where things of this folder may be sent: edit this file, or tui-eval models trust HOST [--key VARIABLE].\n"
    "# hosts: wires of other packages may send to them; [keys]: by variable, the hosts that may be sent its value.\n"
)
_LIST = 'a list of hosts, such as ["api.example.com", "10.0.0.5:8000"]'
_KEYS = ("workspace", "hosts", "keys")
_MOST_BYTES = 1_000_000
_USUAL_PORTS = {"https": ":443", "http": ":80"}


def host_of(url: str) -> str:
    """The host that an address leads to, with its port where that is not the usual one. ConfigError where there is none."""
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        known = bool(parts.hostname) and "@" not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        known = False
    if not known or "${" in url or not url.isprintable() or " " in url:
        raise ConfigError(f"{url!r}: names no host; give one such as api.example.com or 10.0.0.5:8000")
    return parts.netloc.lower().removesuffix(_USUAL_PORTS.get(parts.scheme, ""))


def is_trusted(workspace: Workspace, url: str) -> bool:
    """Whether a foreign wire may send to an address: on this machine, or on a host that a person has said yes to."""
    if urlsplit(url).hostname in LOOPBACK:
        return True
    hosts, keys = _said(workspace)
    return host_of(url) in {*hosts, *chain.from_iterable(keys.values())}


def may_have(workspace: Workspace, variable: str, host: str) -> bool:
    """Whether a person has said that a variable's value may go to a host, as `host_of` has it."""
    return host in _said(workspace)[1].get(variable, ())


def trust(workspace: Workspace, url: str, variables: Sequence[str] = ()) -> str:
    """Say yes to the host of an address, for wires of others or for these variables' values; the host.

    ConfigError where it is none, or where that cannot be written at home: then the yes counts for this process alone.
    """
    host = url if "${" in url and variables else host_of(url)
    for variable in variables:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
            raise ConfigError("--key takes the name of a variable: letters, digits and _, such as OPENAI_API_KEY; no key")
    path = workspace.trust_file
    try:
        with held_folder(path.parent):
            _write(path, workspace, host, variables)
    except ConfigError as error:
        _Said.in_process(workspace).add(host, variables)
        raise ConfigError(f"{error}; what you said yes to counts until this program ends") from None
    return host


def formerly_said(workspace: Workspace, host: str) -> str:
    """What to say of a yes in the folder itself, which counts for nothing; empty where none names the host."""
    path = workspace.former_trust_file
    try:
        named = host in read_file(path, _MOST_BYTES, workspace.root).decode("utf-8", "replace")
    except OSError:
        return ""
    return f" ({path} names it: a file of the folder is no yes of yours)" if named else ""


def _write(path: Path, workspace: Workspace, host: str, variables: Sequence[str]) -> None:
    import tomlkit  # only here: reading needs no more than the standard library

    hosts, keys = _on_file(workspace)
    missing = [variable for variable in variables if host not in keys.get(variable, ())]
    if not missing and (variables or host in hosts):
        return
    document = toml_document(toml_text(path) if path.exists() else HEAD)
    document["workspace"] = os.path.realpath(workspace.root)
    if not variables:
        document["hosts"] = [*hosts, host]
    elif "keys" not in document:
        document["keys"] = tomlkit.table()
    for variable in missing:
        document["keys"][variable] = [*keys.get(variable, ()), host]
    replace_file(path, tomlkit.dumps(document))


@dataclass(slots=True)
class _Said:
    """What was said yes to in a workspace since this process began."""

    hosts: list[str] = field(default_factory=list)
    keys: dict[str, list[str]] = field(default_factory=dict)

    @staticmethod
    def in_process(workspace: Workspace) -> _Said:
        """Of one workspace, empty where nothing was."""
        return _IN_PROCESS.setdefault(workspace.trust_file, _Said())

    def add(self, host: str, variables: Sequence[str]) -> None:
        """One more yes."""
        for found in [self.keys.setdefault(variable, []) for variable in variables] or [self.hosts]:
            found.append(host)


_IN_PROCESS: dict[Path, _Said] = {}


def _said(workspace: Workspace) -> tuple[list[str], dict[str, list[str]]]:
    """The hosts that were said yes to, and by variable those that may have its value. ConfigError for a mistake in the file."""
    hosts, keys = _on_file(workspace)
    now = _Said.in_process(workspace)
    names = {*keys, *now.keys}
    return [*hosts, *now.hosts], {name: [*keys.get(name, ()), *now.keys.get(name, ())] for name in names}


def _on_file(workspace: Workspace) -> tuple[list[str], dict[str, list[str]]]:
    path = workspace.trust_file
    if not path.exists():
        return [], {}
    file = read_toml(path)
    for key in file.content:
        if key not in _KEYS:
            raise unknown_key(file, (key,), list(_KEYS))
    hosts, keys = file.content.get("hosts", []), file.content.get("keys", {})
    if not _are_hosts(hosts):
        raise file.error(("hosts",), f"must be {_LIST}")
    if not isinstance(keys, dict) or not all(map(_are_hosts, keys.values())):
        raise file.error(("keys",), f"must have by variable {_LIST}")
    if file.content.get("workspace") != os.path.realpath(workspace.root):
        raise file.error(("workspace",), f"must be {os.path.realpath(workspace.root)!r}: a yes holds for one folder alone")
    return hosts, keys


def _are_hosts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(host, str) for host in value)
