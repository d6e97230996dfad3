"""Hosts that wires of others may send to: a person says yes to each once, in a file of the workspace."""

from __future__ import annotations

from urllib.parse import urlsplit

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.toml_files import read_toml
from tui_eval.workspace.validation import unknown_key

LOOPBACK = ("127.0.0.1", "localhost", "::1")
HEAD = "# Hosts that wires of other packages may send prompts and keys to: edit this file, or tui-eval models trust HOST.\n"
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
    return urlsplit(url).hostname in LOOPBACK or host_of(url) in _hosts(workspace)


def trust(workspace: Workspace, url: str) -> str:
    """Say yes to the host of an address; the host. ConfigError where it is none, or where that cannot be written."""
    import tomlkit  # only here: reading needs no more than the standard library

    host, path = host_of(url), workspace.trusted_hosts_file
    with private_folder(workspace):
        hosts = _hosts(workspace)
        if host not in hosts:
            document = tomlkit.parse(path.read_text(encoding="utf-8") if path.exists() else HEAD)
            document["hosts"] = [*hosts, host]
            replace_file(path, tomlkit.dumps(document))
    return host


def _hosts(workspace: Workspace) -> list[str]:
    """The hosts in the file; none where there is no file. ConfigError for a mistake in it."""
    path = workspace.trusted_hosts_file
    if not path.exists():
        return []
    file = read_toml(path)
    for key in file.content:
        if key != "hosts":
            raise unknown_key(file, (key,), ["hosts"])
    hosts = file.content.get("hosts", [])
    if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
        raise file.error(("hosts",), 'must be a list of hosts, such as ["api.example.com", "10.0.0.5:8000"]')
    return hosts
