"""An SSH server on loopback, and a home folder whose user may log in to it: other machines, as far as a test needs them."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import asyncssh


class _Server(asyncssh.SSHServer):
    def __init__(self, connections: list[Any]) -> None:
        self._connections = connections

    def connection_made(self, conn: Any) -> None:
        self._connections.append(conn)

    def server_requested(self, listen_host: str, listen_port: int) -> bool:
        return True

    def begin_auth(self, username: str) -> bool:
        return True


class SshServer:
    """Runs every command of whoever has the key, in a folder of its own."""

    def __init__(self, home: Path, hosts: tuple[str, ...], environment: Mapping[str, str]) -> None:
        """`hosts`: names under which the home folder's configuration knows it; `environment`: of its commands, besides PATH."""
        self.home, self.folder = home, home / "there"
        self.folder.mkdir(parents=True)
        self.commands: list[str] = []
        self._connections: list[Any] = []
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **environment}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.port = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        self._configure(hosts)

    async def _listen(self) -> int:
        self._own, self.user = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
        place = self.folder / "authorized"
        place.write_bytes(self.user.export_public_key())
        self._acceptor = await asyncssh.create_server(
            lambda: _Server(self._connections),
            "127.0.0.1",
            0,
            server_host_keys=[self._own],
            authorized_client_keys=str(place),
            process_factory=self._run,
        )
        return int(self._acceptor.get_port())

    def _configure(self, hosts: tuple[str, ...]) -> None:
        place = self.home / ".ssh"
        place.mkdir(mode=0o700)
        (place / "id_test").write_bytes(self.user.export_private_key())
        (place / "id_test").chmod(0o600)
        known = self._own.export_public_key().decode("ascii")
        (place / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {known}", encoding="ascii")
        entries = [
            f"Host {host}\n  HostName 127.0.0.1\n  Port {self.port}\n  IdentityFile {place / 'id_test'}" for host in hosts
        ]
        (place / "config").write_text("\n".join(entries) + "\n", encoding="ascii")

    async def _run(self, process: Any) -> None:
        self.commands.append(process.command)
        child = await asyncio.create_subprocess_shell(
            process.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._environment,
            cwd=self.folder,
        )
        await process.redirect(stdin=child.stdin, stdout=child.stdout, stderr=child.stderr)
        process.exit(await child.wait())
        await process.wait_closed()

    def cut(self, number: int) -> None:
        """Cut a connection, as a network does."""
        self._loop.call_soon_threadsafe(self._connections[number].abort)

    def close(self) -> None:
        """Listen no more, and cut all connections."""

        async def cut() -> None:
            self._acceptor.close()
            for connection in self._connections:
                connection.abort()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(cut(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
