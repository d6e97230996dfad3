"""Workers on other machines, started by SSH; the scheduler is here. Who may log in, and how, is in ~/.ssh as for `ssh`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import threading
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import asyncssh
from distributed.security import Security

from tui_eval.cluster.machines.address import ClusterAddress, SshHost
from tui_eval.cluster.machines.certificates import new_security, texts_of
from tui_eval.cluster.machines.dask_processes import DaskProcesses, new_folder
from tui_eval.cluster.versions import check_versions
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import visible

LOGIN_S = 30.0
ANSWER_S = 60.0
"""So long a machine may take to load its Python."""
END_S = 10.0
KEEP_ALIVE_S = 30.0
MOST_WORDS = 4096
"""Characters of what a machine says, before it is known to have tui-eval."""
MODULE = "tui_eval.cluster.machines.remote_workers"
_T = TypeVar("_T")


@dataclass(slots=True)
class RemoteHost:
    """One machine, and the process there that starts its workers."""

    host: SshHost
    connection: asyncssh.SSHClientConnection
    process: asyncssh.SSHClientProcess[str]
    names: set[str] = field(default_factory=set)
    """Workers that were started there, and not ended."""
    started: int = 0
    """Workers so far: no two have a name."""
    is_told: bool = False
    """Whether a person knows that the connection is lost."""
    ports: dict[int, int] = field(default_factory=dict)
    """Ports there that lead to ports here."""

    @property
    def is_there(self) -> bool:
        """Return whether more workers can be started there."""
        return self.process.exit_status is None and not self.process.is_closing()

    async def order(self, what: Mapping[str, str]) -> None:
        """Have something done there; nothing where the connection is lost."""
        with contextlib.suppress(OSError, asyncssh.Error):
            self.process.stdin.write(json.dumps(what) + "\n")
            await self.process.stdin.drain()


class SshFleet:
    """A scheduler here, and workers on other machines. SSH has a thread of its own, for as long as the command."""

    def __init__(self, cluster: ClusterAddress) -> None:
        self.least, self.most = cluster.least, cluster.most
        self._cluster = cluster
        self._security = new_security()
        self.processes = DaskProcesses(new_folder(), texts_of(self._security))
        self._address = ""
        self._hosts: list[RemoteHost] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ssh", daemon=True)
        self._thread.start()

    async def _by_thread(self, work: Coroutine[Any, Any, _T]) -> _T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def start(self) -> tuple[str, Security]:
        """Log in everywhere, start the scheduler and the first workers, once. ConfigError names what cannot be had."""
        if not self._address:
            await self._by_thread(self._start())
        return self._address, self._security

    async def _start(self) -> None:
        self._hosts = await _all_of(map(_login, self._cluster.ssh))
        here = self._cluster.host or str(self._hosts[0].connection.get_extra_info("sockname")[0])
        self._address = await self.processes.start_scheduler(here, self._cluster.port)
        for each in self._hosts:
            there = each.host.address or str(each.connection.get_extra_info("peername")[0])
            await each.order({**texts_of(self._security), "scheduler": self._address, "host": there})
        await self._scale(self.least)

    async def scale(self, n: int) -> list[str]:
        """Start workers until there are so many, evenly over the machines that can still be spoken to."""
        await self._by_thread(self._scale(n))
        lost = [each for each in self._hosts if not each.is_there and not each.is_told]
        for each in lost:
            each.is_told = True
        return [
            f"{each.host.name}: the SSH connection is lost; its workers go on, and no more are started there" for each in lost
        ]

    async def _scale(self, n: int) -> None:
        for _ in range(max(min(n, self.most), self.least) - sum(len(each.names) for each in self._hosts)):
            free = [each for each in self._hosts if each.is_there and len(each.names) < each.host.workers]
            if not free:
                return
            emptiest = min(free, key=lambda each: len(each.names))
            emptiest.started += 1
            name = f"{emptiest.host.name}-{emptiest.started}"
            emptiest.names.add(name)
            await emptiest.order({"do": "start", "name": name})

    async def retire(self, name: str) -> None:
        """End a worker."""
        await self._by_thread(self._retire(name))

    async def _retire(self, name: str) -> None:
        for each in self._hosts:
            if name in each.names:
                each.names.discard(name)
                await each.order({"do": "retire", "name": name})

    async def url_for(self, name: str, url: str) -> str:
        """Return the URL at which a worker reaches a server here: its machine has a port that leads to ours."""
        return await self._by_thread(self._url_for(name, url))

    async def _url_for(self, name: str, url: str) -> str:
        place = urlsplit(url)
        port = place.port
        there = next((each for each in self._hosts if name in each.names), None)
        if there is None or port is None:
            return url
        if port not in there.ports:
            try:
                listener = await there.connection.forward_remote_port("127.0.0.1", 0, "127.0.0.1", port)
            except (OSError, asyncssh.Error) as error:
                raise ConfigError(f"{there.host.name}: SSH does not forward the simulator's port: {error}") from None
            there.ports[port] = listener.get_port()
        return urlunsplit(place._replace(netloc=f"127.0.0.1:{there.ports[port]}"))

    def stop(self) -> None:
        """End all of them."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.processes.stop()

    async def _stop(self) -> None:
        for each in self._hosts:
            await each.order({"do": "stop"})
        for each in self._hosts:
            with contextlib.suppress(OSError, TimeoutError, asyncssh.Error):
                async with asyncio.timeout(END_S):
                    await each.process.wait_closed()
            each.connection.abort()


async def _all_of(work: Iterable[Coroutine[Any, Any, _T]]) -> list[_T]:
    """Do the same for every machine; ConfigError that names all for which it cannot be done."""
    ends = await asyncio.gather(*work, return_exceptions=True)
    if problems := dict.fromkeys(str(end) for end in ends if isinstance(end, ConfigError)):
        raise ConfigError("\n".join(problems))
    for end in ends:
        if isinstance(end, BaseException):
            raise end
    return [end for end in ends if not isinstance(end, BaseException)]


async def _login(host: SshHost) -> RemoteHost:
    """Log in to a machine, and start there what starts workers. ConfigError with the next step where that is not possible."""
    user, _, name = host.name.rpartition("@")
    options = {"username": user} if user else {}
    try:
        async with asyncio.timeout(LOGIN_S):
            connection = await asyncssh.connect(name, keepalive_interval=KEEP_ALIVE_S, **options)
            process = await connection.create_process(f"{shlex.quote(host.python)} -m {MODULE}")
    except TimeoutError:
        raise ConfigError(f"{host.name}: SSH did not answer within {LOGIN_S:.0f} s") from None
    except (OSError, ValueError, asyncssh.Error) as error:  # a ValueError is of a key or of ~/.ssh/config
        number = error.errno if isinstance(error, OSError) else None
        why = os.strerror(number).lower() if number and number > 0 else visible(str(error)) or type(error).__name__
        raise ConfigError(f"{host.name}: cannot be logged in to: {why}; `ssh {host.name} true` has to work unasked") from None
    remote = RemoteHost(host, connection, process)
    await _check(remote)
    return remote


async def _first_line(words: asyncssh.SSHReader[str]) -> str:
    """Return the first line that comes, or as much of it as is taken; nothing where none does."""
    line = ""
    while "\n" not in line and len(line) < MOST_WORDS and (more := await words.read(MOST_WORDS)):
        line += more
    return line.partition("\n")[0]


async def _check(remote: RemoteHost) -> None:
    """Raise ConfigError where tui-eval is not there, or another one."""
    name = remote.host.name
    try:
        async with asyncio.timeout(ANSWER_S):
            line = await _first_line(remote.process.stdout)
            words = "" if line else await remote.process.stderr.read(MOST_WORDS)
    except (OSError, TimeoutError, asyncssh.Error) as error:
        raise ConfigError(f"{name}: {remote.host.python} does not answer: {error}") from None
    try:
        found = json.loads(line)
    except ValueError:
        last = visible((words or line).strip().rpartition("\n")[2])[:200]
        why = f" ({last})" if last else ""
        raise ConfigError(
            f"{name}: `{remote.host.python} -m {MODULE}` does not start{why}; install tui-eval[cluster] there, and "
            "name its Python by `python`"
        ) from None
    check_versions(name, found)
