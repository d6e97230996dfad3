"""A run by workers, as the command line has it: one cluster from the first document to the last record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tui_eval.cluster.coordinator import Coordinator
from tui_eval.cluster.dask_cluster import DaskCluster
from tui_eval.cluster.machines.address import ClusterAddress, cluster_address
from tui_eval.cluster.machines.fleet import Fleet, LocalFleet
from tui_eval.cluster.reading_by_workers import documents_read_by


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers of one command."""

    address: ClusterAddress
    fleet: Fleet | None
    """Those of them that we start."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Have them open documents."""
        with documents_read_by(self.address, self.fleet):
            yield

    def begin(self, tell: Callable[[str], None]) -> None:
        """Start those that we start, and see that a worker is there. ConfigError where that is not possible.

        `tell`: told what is waited for.
        """
        asyncio.run(self._begin(tell))

    async def _begin(self, tell: Callable[[str], None]) -> None:
        cluster = DaskCluster(self.address, self.fleet)
        try:
            await cluster.connect(tell)
            for worker in await cluster.workers():
                await cluster.begin_host(worker)
        finally:
            await cluster.close()

    def crew(self, keys: Mapping[str, str]) -> Coordinator:
        """Return what asks by them. `keys`: the values that models are asked with, by their variables."""
        return Coordinator(DaskCluster(self.address, self.fleet), keys)


@contextmanager
def workers_of(text: str, insecure: bool, bounds: str) -> Iterator[Workers]:
    """Have the workers that `--cluster` names; those that were started are ended. `bounds`: as `--workers` has them."""
    address = cluster_address(text, insecure, bounds)
    fleet = _fleet_of(address)
    try:
        yield Workers(address, fleet)
    finally:
        if fleet is not None:
            fleet.stop()


def _fleet_of(address: ClusterAddress) -> Fleet | None:
    """Return the workers that we start; None where others do. ImportError where SSH is needed, and asyncssh is not there."""
    if address.ssh:
        from tui_eval.cluster.machines.ssh_fleet import SshFleet  # loads half a second of cryptography

        return SshFleet(address)
    return LocalFleet(address.least, address.most) if address.local else None
