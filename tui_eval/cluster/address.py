"""The words behind `--cluster`: workers on this machine, or a cluster that runs already."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.toml_files import read_toml

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
_ADDRESS = re.compile(r"(tls|tcp)://[^/]+:[0-9]{1,5}")
CERTIFICATES = ("ca", "cert", "key")
"""Files of a cluster's certificates: of its authority, our own, and its key."""


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A cluster, and how to get to it."""

    local: int = 0
    """Workers to start on this machine; 0 = none."""
    address: str = ""
    """Of its scheduler, where it runs already."""
    certificates: tuple[Path, ...] = ()
    """Its certificates, in the order of CERTIFICATES."""
    is_insecure: bool = False
    """Whether a person allowed it to have none."""


def cluster_address(text: str, insecure: bool = False) -> ClusterAddress:
    """Return what a person named: `local:N`, or a TOML file with [cluster]: address, ca, cert, key. ConfigError if neither."""
    if match := _LOCAL.fullmatch(text):
        return ClusterAddress(local=int(match[1]))
    if _ADDRESS.fullmatch(text):
        return _checked(ClusterAddress(address=text, is_insecure=insecure))
    if not text.endswith(".toml"):
        raise ConfigError(f"--cluster {text}: neither local:N, nor an address such as tls://host:8786, nor a TOML file")
    file = read_toml(Path(text))
    entry = file.content.get("cluster")
    if not isinstance(entry, dict) or not isinstance(entry.get("address"), str) or not _ADDRESS.fullmatch(entry["address"]):
        raise file.error(("cluster", "address"), 'must be the address of a scheduler, such as "tls://host:8786"')
    unknown = entry.keys() - {"address", *CERTIFICATES}
    if unknown:
        raise file.error(("cluster", min(unknown)), "is not known here: address, ca, cert and key are")
    names = [entry.get(name) for name in CERTIFICATES]
    paths = tuple(file.path.parent / str(name) for name in names if isinstance(name, str))
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        raise file.error(("cluster",), f"there is no file {missing[0]}")
    if paths and len(paths) < len(CERTIFICATES):
        raise file.error(("cluster",), "ca, cert and key go together")
    return _checked(ClusterAddress(address=entry["address"], certificates=paths, is_insecure=insecure))


def _checked(cluster: ClusterAddress) -> ClusterAddress:
    """Return a cluster that nobody else on the network can speak to, or one that a person allowed to be open."""
    if cluster.is_insecure:
        return cluster
    if cluster.address.startswith("tcp://") or not cluster.certificates:
        raise ConfigError(
            f"--cluster {cluster.address}: has no certificates: anyone who reaches its port runs code as you. Name them in a "
            "TOML file with [cluster] address, ca, cert and key, or allow it with --insecure-cluster"
        )
    return cluster
