"""What a person may write behind `--cluster` and `--workers`, and what each mistake is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_eval.cluster.machines.address import ClusterAddress, SshHost, cluster_address
from tui_eval.core.errors import ConfigError

TLS = "tls://one:8786"


def test_local_workers_have_bounds() -> None:
    """All of them are there from the beginning, or as many as `--workers` says."""
    assert cluster_address("local:4") == ClusterAddress(local=4, least=4, most=4)
    assert cluster_address("local:4", workers="1:3") == ClusterAddress(local=4, least=1, most=3)


def test_machines_are_taken_as_they_stand(tmp_path: Path) -> None:
    """A machine has what the table says, else what the cluster says of all."""
    file = tmp_path / "machines.toml"
    file.write_text(
        '[cluster]\nhost = "10.0.0.1"\nport = 8786\npython = "~/venv/bin/python"\n'
        '[[cluster.ssh]]\nhost = "me@gpu1"\nworkers = 2\n'
        '[[cluster.ssh]]\nhost = "gpu2"\npython = "/opt/python"\naddress = "10.0.0.3"\n',
        encoding="utf-8",
    )
    hosts = (SshHost("me@gpu1", 2, "venv/bin/python", ""), SshHost("gpu2", 1, "/opt/python", "10.0.0.3"))
    assert cluster_address(str(file)) == ClusterAddress(ssh=hosts, least=3, most=3, host="10.0.0.1", port=8786)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cluster: must be a table"),
        ("[cluster]", "needs the address of a scheduler"),
        ('[cluster]\naddress = "one"', "needs the address of a scheduler"),
        (f'[cluster]\naddress = "{TLS}"', "has no certificates"),
        (f'[cluster]\naddress = "{TLS}"\nca = "ca.pem"', "no file"),
        (f'[cluster]\naddress = "{TLS}"\npython = "x"', "cluster.python: goes with"),
        ('[cluster]\naddres = "one"', "did you mean 'address'"),
        ('[[cluster.ssh]]\nhost = "one"\n[[cluster.ssh]]\nhost = "one"', "has one twice"),
        ('[[cluster.ssh]]\nhost = "-oProxyCommand=x"', "cluster.ssh"),
        ('[[cluster.ssh]]\nhost = "one"\nworkers = 0', "workers"),
        (f'[cluster]\naddress = "{TLS}"\n[[cluster.ssh]]\nhost = "one"', "does not go with ssh"),
    ],
)
def test_mistakes_name_file_and_key(text: str, words: str, tmp_path: Path) -> None:
    """Whatever is wrong in the table is said with its place."""
    file = tmp_path / "cluster.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        cluster_address(str(file))
    assert words in str(raised.value)
    assert "cluster.toml" in str(raised.value) or "--cluster" in str(raised.value)


@pytest.mark.parametrize("bounds", ["4", "0:4", "3:2", "1:", "a:b", "1:5"])
def test_bounds_are_two_numbers_within_the_room(bounds: str) -> None:
    """The least is at least one, the most at least that, and there is room for it."""
    with pytest.raises(ConfigError, match="--workers"):
        cluster_address("local:4", workers=bounds)


def test_nobody_bounds_workers_of_others() -> None:
    """Those at an address were started by somebody else."""
    with pytest.raises(ConfigError, match="started by others"):
        cluster_address("tcp://one:8786", insecure=True, workers="1:2")
