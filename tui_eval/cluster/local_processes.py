"""Scheduler and workers on this machine: processes of their own that outlive us by as long as it takes to end their calls."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from distributed.security import Security

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.plain_files import read_file, read_json_file

START_S = 60.0
MOST_LOG = 1 << 20
"""Bytes of what a scheduler writes when it starts."""
ALONE_S = 60.0
"""A scheduler without a client ends after so long, and its workers with it, once their calls have ended."""
WATCH = "tui_eval.cluster.scheduler_watch"


class LocalProcesses:
    """A scheduler and some workers, with certificates of this moment in a folder that only we can read."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self.folder = Path(tempfile.mkdtemp(prefix="tui-eval-cluster-"))
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.nannies: list[subprocess.Popen[bytes]] = []
        self._started: tuple[str, Security] | None = None

    async def start(self) -> tuple[str, Security]:
        """Start all of them, if they are not; return the scheduler's address, and what it is spoken to with."""
        if self._started is None:
            self._started = await self._start()
        return self._started

    async def _start(self) -> tuple[str, Security]:
        security = Security.temporary()  # type: ignore[no-untyped-call]
        paths = {}
        for name, value in (("ca", security.tls_ca_file), ("cert", security.tls_client_cert), ("key", security.tls_client_key)):
            paths[name] = self.folder / f"{name}.pem"
            descriptor = os.open(paths[name], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as stream:
                stream.write(value)
        file = self.folder / "scheduler.json"
        tls = [
            f"--tls-{option}={path}"
            for option, path in (("ca-file", paths["ca"]), ("cert", paths["cert"]), ("key", paths["key"]))
        ]
        place = ["--host=tls://127.0.0.1", "--protocol=tls", "--scheduler-file", str(file), *tls]
        self.scheduler = self._process("scheduler", [*place, "--port=0", "--no-dashboard", "--no-show", f"--preload={WATCH}"])
        address = await self._address(file)
        worker = ["--scheduler-file", str(file), "--protocol=tls", *tls, "--nthreads=1", "--no-dashboard", "--memory-limit=0"]
        for number in range(1, self._workers + 1):
            local = ["--host=127.0.0.1", f"--name=w{number}", f"--local-directory={self.folder}", "--nanny"]
            self.nannies.append(self._process("worker", [*worker, *local]))
        return address, security

    def _process(self, role: str, options: list[str]) -> subprocess.Popen[bytes]:
        log = os.open(self.folder / f"{role}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        environment = {
            **os.environ,
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
            "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "1",
            "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True",
            "DASK_TEMPORARY_DIRECTORY": str(self.folder),
            "TUI_EVAL_ALONE_S": str(ALONE_S),
            "TUI_EVAL_CLUSTER_FOLDER": str(self.folder),
        }
        try:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", role, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
                cwd=self.folder,
            )
        finally:
            os.close(log)

    async def _address(self, file: Path) -> str:
        """Wait until the scheduler has written down where it listens."""
        began = time.monotonic()
        while time.monotonic() - began < START_S:
            if self.scheduler is not None and self.scheduler.poll() is not None:
                break
            address = _address_in(file)
            if address:
                return address
            await asyncio.sleep(0.05)
        log = read_file(self.folder / "scheduler.log", MOST_LOG, self.folder).decode("utf-8", "replace")[-500:]
        raise ConfigError(f"--cluster: the scheduler could not be started: {log.strip()}")

    def stop(self) -> None:
        """End all of them, and forget the certificates."""
        processes = [*self.nannies, *([self.scheduler] if self.scheduler else [])]
        for process in processes:
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + 5.0
        for process in processes:
            try:
                process.wait(max(deadline - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _address_in(file: Path) -> str:
    """Return the address that a scheduler wrote down; nothing while it has not."""
    try:
        return str(read_json_file(file, MOST_LOG, file.parent)["address"])
    except (OSError, ValueError, KeyError):
        return ""
