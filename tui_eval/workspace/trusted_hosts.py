"""Hosts that wires of others, or values of variables, may be sent to: a person says yes once, in a file of the workspace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from urllib.parse import urlsplit

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.toml_files import read_toml
from tui_eval.workspace.validation import unknown_key

LOOPBACK = ("127.0.0.1", "localhost", "::1")
HEAD = (
    "# Where things may be sent: edit this file, or tui-eval models trust HOST [--key VARIABLE].\n"
    "# hosts: wires of other packages may send to them; [keys]: by variable, the hosts that may be sent its value.\n"
)
_LIST = 'a list of hosts, such as ["api.example.com", "10.0.0.5:8000"]'
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

    ConfigError where it is none, or where that cannot be written.
    """
    import tomlkit  # only here: reading needs no more than the standard library

    host, path = url if "${" in url and variables else host_of(url), workspace.trusted_hosts_file
    for variable in variables:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
            raise ConfigError("--key takes the name of a variable: letters, digits and _, such as OPENAI_API_KEY; no key")
    with private_folder(workspace):
        hosts, keys = _said(workspace)
        missing = [variable for variable in variables if host not in keys.get(variable, ())]
        if missing or (not variables and host not in hosts):
            document = tomlkit.parse(path.read_text(encoding="utf-8") if path.exists() else HEAD)
            if not variables:
                document["hosts"] = [*hosts, host]
            elif "keys" not in document:
                document["keys"] = tomlkit.table()
            for variable in missing:
                document["keys"][variable] = [*keys.get(variable, ()), host]
            replace_file(path, tomlkit.dumps(document))
    return host


def _said(workspace: Workspace) -> tuple[list[str], dict[str, list[str]]]:
    """The hosts in the file, and by variable those that may have its value. ConfigError for a mistake in it."""
    path = workspace.trusted_hosts_file
    if not path.exists():
        return [], {}
    file = read_toml(path)
    for key in file.content:
        if key not in ("hosts", "keys"):
            raise unknown_key(file, (key,), ["hosts", "keys"])
    hosts, keys = file.content.get("hosts", []), file.content.get("keys", {})
    if not _are_hosts(hosts):
        raise file.error(("hosts",), f"must be {_LIST}")
    if not isinstance(keys, dict) or not all(map(_are_hosts, keys.values())):
        raise file.error(("keys",), f"must have by variable {_LIST}")
    return hosts, keys


def _are_hosts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(host, str) for host in value)
