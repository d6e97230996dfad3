"""A run by workers, as the command line has it: one cluster from the first document to the last record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tui_eval.cluster.address import ClusterAddress, cluster_address
from tui_eval.cluster.coordinator import Coordinator
from tui_eval.cluster.dask_cluster import DaskCluster
from tui_eval.cluster.local_processes import LocalProcesses
from tui_eval.cluster.reading_by_workers import documents_read_by


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers of one command."""

    address: ClusterAddress
    processes: LocalProcesses | None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Have them open documents."""
        with documents_read_by(self.address, self.processes):
            yield

    def crew(self, keys: Mapping[str, str]) -> Coordinator:
        """Return what asks by them. `keys`: the values that models are asked with, by their variables."""
        return Coordinator(DaskCluster(self.address, self.processes), keys)


@contextmanager
def workers_of(text: str, insecure: bool) -> Iterator[Workers]:
    """Have the workers that `--cluster` names; those that were started are ended."""
    address = cluster_address(text, insecure)
    processes = LocalProcesses(address.local) if address.local else None
    try:
        yield Workers(address, processes)
    finally:
        if processes is not None:
            processes.stop()
