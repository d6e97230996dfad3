"""Workers that we start ourselves: so many at first, so many at most, on this machine or by SSH on others."""

from __future__ import annotations

from typing import Protocol

from distributed.security import Security

from tui_eval.cluster.machines.certificates import new_security, texts_of
from tui_eval.cluster.machines.dask_processes import DaskProcesses, new_folder

HERE = "127.0.0.1"
MOST_DEATHS = 20
"""After so many workers whose nanny ended by itself none is replaced any more."""


class Fleet(Protocol):
    """A scheduler and workers of ours."""

    least: int
    """Workers that there are at first, and that none goes below."""
    most: int

    async def start(self) -> tuple[str, Security]:
        """Start what there is at first, once; return the scheduler's address, and what it is spoken to with. ConfigError."""
        ...

    async def scale(self, n: int) -> list[str]:
        """Start workers until there are so many, within the bounds; one that has ended is replaced. Return what a person is to
        know of machines, each once."""
        ...

    async def retire(self, name: str) -> None:
        """End a worker that has nothing to do any more."""
        ...

    async def url_for(self, name: str, url: str) -> str:
        """Return the URL at which a worker reaches a server that listens here, on loopback alone."""
        ...

    def stop(self) -> None:
        """End all of them."""
        ...


class LocalFleet:
    """Scheduler and workers on this machine."""

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most
        self._security = new_security()
        self.processes = DaskProcesses(new_folder(), texts_of(self._security))
        self._address = ""
        self._started = 0
        """Workers so far: no two have a name."""
        self._retired = 0

    async def start(self) -> tuple[str, Security]:
        """Start the scheduler and the first workers, if they are not."""
        if not self._address:
            self._address = await self.processes.start_scheduler(HERE)
            await self.scale(self.least)
        return self._address, self._security

    async def scale(self, n: int) -> list[str]:
        """Start workers until there are so many."""
        living = len(self.processes.living)
        if self._started - self._retired - living > MOST_DEATHS:
            return []
        for _ in range(max(min(n, self.most), self.least) - living):
            self._started += 1
            self.processes.start_worker(f"w{self._started}", self._address, HERE)
        return []

    async def retire(self, name: str) -> None:
        """End a worker."""
        self._retired += 1
        self.processes.retire(name)

    async def url_for(self, name: str, url: str) -> str:
        """Return the same: it listens on this machine."""
        return url

    def stop(self) -> None:
        """End all of them."""
        self.processes.stop()
