"""The words behind `--cluster`: workers on this machine, machines to start them on, or a cluster that runs already."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.toml_files import TomlFile, read_toml
from tui_eval.workspace.validation import Strict, validate

MOST = 9999
"""Workers of one run."""
_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
_BOUNDS = re.compile(r"([1-9][0-9]{0,3}):([1-9][0-9]{0,3})")
_ADDRESS = re.compile(r"(tls|tcp)://[^/]+:[0-9]{1,5}")
CERTIFICATES = ("ca", "cert", "key")
"""Files of a cluster's certificates: of its authority, our own, and its key."""
_TABLE = ("cluster",)


class _HostTable(Strict):
    host: str = Field(min_length=1, pattern=r"^[^\s-]\S*$")
    workers: int = Field(1, ge=1, le=MOST)
    python: str | None = Field(None, min_length=1)
    address: str | None = Field(None, min_length=1)


class _ClusterTable(Strict):
    address: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    ssh: list[_HostTable] | None = Field(None, min_length=1)
    host: str | None = Field(None, min_length=1)
    port: int = Field(0, ge=0, le=65535)
    python: str = Field("python3", min_length=1)


@dataclass(frozen=True, slots=True)
class SshHost:
    """A machine on which workers are started."""

    name: str
    """As `ssh` knows it, maybe with USER@ before it."""
    workers: int
    """As many as it has room for."""
    python: str
    """The Python there that has tui-eval, from the home folder on."""
    address: str
    """Of its own, as this machine reaches it; empty = that which SSH connects to."""


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A cluster, and how to get to it."""

    local: int = 0
    """Workers that there is room for on this machine; 0 = none."""
    ssh: tuple[SshHost, ...] = ()
    """Machines to start workers on."""
    least: int = 0
    """Workers to start at first, where we start them."""
    most: int = 0
    """Workers to start at most; 0 = others start them."""
    host: str = ""
    """Address of this machine, as workers started by SSH reach it; empty = that from which SSH connects."""
    port: int = 0
    """Of the scheduler that we start; 0 = any."""
    address: str = ""
    """Of a scheduler that runs already."""
    certificates: tuple[Path, ...] = ()
    """Its certificates, in the order of CERTIFICATES."""
    is_insecure: bool = False
    """Whether a person allowed it to have none."""


def cluster_address(text: str, insecure: bool = False, workers: str = "") -> ClusterAddress:
    """Return what a person named: `local:N`, an address, or a TOML file with [cluster]. ConfigError where it is none of these.

    `workers`: MIN:MAX, how many of those that we start there are at first, and at most; empty = all from the beginning.
    """
    if match := _LOCAL.fullmatch(text):
        return _bounded(ClusterAddress(local=int(match[1])), int(match[1]), workers)
    if _ADDRESS.fullmatch(text):
        return _checked(ClusterAddress(address=text, is_insecure=insecure), workers)
    if not text.endswith(".toml"):
        raise ConfigError(f"--cluster {text}: neither local:N, nor an address such as tls://host:8786, nor a TOML file")
    if not Path(text).exists():
        raise ConfigError(f"--cluster {text}: there is no such file")
    file = read_toml(Path(text))
    table = validate(_ClusterTable, file.content.get("cluster"), file, _TABLE)
    return _ssh_cluster(table, file, workers) if table.ssh else _running_cluster(table, file, insecure, workers)


def _ssh_cluster(table: _ClusterTable, file: TomlFile, workers: str) -> ClusterAddress:
    for name in ("address", *CERTIFICATES):
        if getattr(table, name) is not None:
            raise file.error((*_TABLE, name), "does not go with ssh: scheduler and certificates are made for the run")
    hosts = [_ssh_host(each, table.python) for each in table.ssh or ()]
    names = [host.name for host in hosts]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise file.error((*_TABLE, "ssh"), f"has {twice} twice; say how many workers it has room for: workers = 2")
    cluster = ClusterAddress(ssh=tuple(hosts), host=table.host or "", port=table.port)
    return _bounded(cluster, sum(host.workers for host in hosts), workers)


def _ssh_host(table: _HostTable, python: str) -> SshHost:
    return SshHost(table.host, table.workers, (table.python or python).removeprefix("~/"), table.address or "")


def _running_cluster(table: _ClusterTable, file: TomlFile, insecure: bool, workers: str) -> ClusterAddress:
    if table.address is None or not _ADDRESS.fullmatch(table.address):
        place = _TABLE if table.address is None else (*_TABLE, "address")
        raise file.error(place, 'needs the address of a scheduler, such as "tls://host:8786", or machines, [[cluster.ssh]]')
    for name in ("host", "port", "python"):
        if name in table.model_fields_set:
            raise file.error((*_TABLE, name), "goes with [[cluster.ssh]]: workers at an address are started by others")
    names = [value for name in CERTIFICATES if (value := getattr(table, name)) is not None]
    paths = tuple(file.path.parent / name for name in names)
    if missing := [str(path) for path in paths if not path.is_file()]:
        raise file.error(_TABLE, f"there is no file {missing[0]}")
    if paths and len(paths) < len(CERTIFICATES):
        raise file.error(_TABLE, "ca, cert and key go together")
    return _checked(ClusterAddress(address=table.address, certificates=paths, is_insecure=insecure), workers)


def _bounded(cluster: ClusterAddress, room: int, workers: str) -> ClusterAddress:
    """Return a cluster with the numbers of workers that are to be started; `room`: of those that can be."""
    if not workers:
        return replace(cluster, least=room, most=room)
    match = _BOUNDS.fullmatch(workers)
    if match is None or int(match[1]) > int(match[2]):
        raise ConfigError(f"--workers {workers}: must be MIN:MAX, such as 2:8")
    if int(match[2]) > room:
        raise ConfigError(f"--workers {workers}: --cluster has room for {room}; name more there, or less here")
    return replace(cluster, least=int(match[1]), most=int(match[2]))


def _checked(cluster: ClusterAddress, workers: str) -> ClusterAddress:
    """Return a cluster that nobody else on the network can speak to, or one that a person allowed to be open."""
    if workers:
        raise ConfigError(f"--workers {workers}: the workers at {cluster.address} are started by others; leave it out")
    if cluster.is_insecure:
        return cluster
    if cluster.address.startswith("tcp://") or not cluster.certificates:
        raise ConfigError(
            f"--cluster {cluster.address}: has no certificates: anyone who reaches its port runs code as you. Name them in a "
            "TOML file with [cluster] address, ca, cert and key, or allow it with --insecure-cluster"
        )
    return cluster
