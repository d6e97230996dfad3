"""A dask cluster: where its workers are, and the door to each. It deploys, restarts and encrypts; records go past it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any

from distributed import Client
from distributed.security import Security

from tui_eval.cluster.machines.address import ClusterAddress
from tui_eval.cluster.machines.fleet import Fleet
from tui_eval.cluster.versions import check_versions
from tui_eval.cluster.worker_host import begin_host
from tui_eval.core.errors import ConfigError

CONNECT_S = 10.0
PATIENCE_S = 5.0
"""After so long a person is told what is waited for."""
WORKERS_S = 60.0
"""So long the first workers are waited for."""


class DaskCluster:
    """A cluster that is spoken to, and ended where we started it."""

    def __init__(self, cluster: ClusterAddress, fleet: Fleet | None) -> None:
        """`fleet`: those of its workers that we start; whoever made it ends it."""
        self._cluster, self._fleet = cluster, fleet
        self.security: Any = None
        self._client: Client | None = None
        self._hosts: dict[str, str] = {}
        self._names: dict[str, str] = {}

    async def connect(self, tell: Callable[[str], None] = lambda text: None) -> None:
        """Start what is to be started, and connect. ConfigError where that is not possible. `tell`: told what is waited for."""
        for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what matters of it is said by us
        if self._fleet is not None:
            address, self.security = await self._fleet.start()
        else:
            address, self.security = self._cluster.address, self._security()
        client = Client(  # type: ignore[no-untyped-call]
            address, security=self.security, asynchronous=True, timeout=CONNECT_S, set_as_default=False
        )
        self._client = client
        try:
            await client
        except ssl.SSLError as error:
            why = "key does not belong to cert" if error.reason == "KEY_VALUES_MISMATCH" else str(error)
            raise ConfigError(f"--cluster {address}: its certificates cannot be used: {why}") from None
        except (OSError, TimeoutError) as error:
            raise ConfigError(
                f"--cluster {address}: no scheduler can be reached there ({error}); start it, or name its address"
            ) from None
        await self._wait_for_workers(address, tell)

    def _security(self) -> Any:
        if not self._cluster.certificates:
            return Security(require_encryption=False)  # type: ignore[no-untyped-call]
        ca, cert, key = map(str, self._cluster.certificates)
        return Security(tls_ca_file=ca, tls_client_cert=cert, tls_client_key=key, require_encryption=True)  # type: ignore[no-untyped-call]

    async def _wait_for_workers(self, address: str, tell: Callable[[str], None]) -> None:
        began, wanted, is_told = time.monotonic(), self._cluster.least or 1, False
        while (n := len(await self.workers())) < wanted:
            if not is_told and time.monotonic() - began > PATIENCE_S:
                tell(f"waiting for workers at {address}: {n} of {wanted} are there")
                is_told = True
            if time.monotonic() - began > WORKERS_S:
                raise ConfigError(
                    f"--cluster: {n} of {wanted} workers joined within {WORKERS_S:.0f} s; see that they are started, and reach "
                    f"the scheduler at {address}"
                )
            await asyncio.sleep(0.1)

    async def workers(self) -> dict[str, str]:
        """Return the names of the workers that are there now, by their addresses; none where the scheduler is gone."""
        scheduler: Any = None if self._client is None else self._client.scheduler
        if scheduler is None:
            return {}
        try:
            async with asyncio.timeout(CONNECT_S):
                identity = await scheduler.identity(n_workers=-1)
        except (OSError, TimeoutError):
            return {}
        self._names |= {address: str(each["name"]) for address, each in identity["workers"].items()}
        return {address: self._names[address] for address in identity["workers"]}

    def place_of(self, worker: str) -> str:
        """Return where a worker is, for people: its address, and the machine where SSH started it."""
        return f"{self._names[worker]} at {worker}" if self._cluster.ssh and worker in self._names else worker

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The least and the most workers that we start; None where others start them."""
        return None if self._fleet is None else (self._fleet.least, self._fleet.most)

    async def scale(self, n: int) -> list[str]:
        """Start workers until there are so many, where we start them; return what a person is to know of machines."""
        return [] if self._fleet is None else await self._fleet.scale(n)

    async def retire(self, worker: str) -> None:
        """End a worker that has nothing to do any more, where we started it."""
        if self._fleet is not None and worker in self._names:
            await self._fleet.retire(self._names[worker])

    async def urls_for(self, worker: str, urls: Mapping[str, str]) -> dict[str, str]:
        """Return the URLs at which a worker reaches servers that listen here on loopback, by the same names. ConfigError."""
        if self._fleet is None:
            return dict(urls)
        return {name: await self._fleet.url_for(self._names[worker], url) for name, url in urls.items()}

    @property
    def is_lost(self) -> bool:
        """Return whether the scheduler cannot be spoken to any more."""
        return self._client is None or self._client.status != "running"

    async def begin_host(self, worker: str) -> str:
        """Have a worker listen for us; return where. ConfigError where it has other versions."""
        if worker in self._hosts:
            return self._hosts[worker]
        assert self._client is not None
        try:
            found = (await self._client.run(begin_host, workers=[worker]))[worker]
        except (ImportError, AttributeError) as error:
            raise ConfigError(f"worker {worker}: tui-eval[cluster] is not installed there: {error}") from None
        except KeyError:
            raise ConfigError(f"worker {worker}: is gone") from None
        check_versions(f"worker {worker}", found)
        self._hosts[worker] = str(found["address"])
        return self._hosts[worker]

    async def close(self) -> None:
        """Let go of the cluster."""
        if self._client is not None:
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(5.0):
                    await self._client.close()  # type: ignore[no-untyped-call]
