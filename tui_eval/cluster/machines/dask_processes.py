"""Processes of dask on this machine: a scheduler, and workers, each with a nanny that restarts it. They outlive us by as long
as it takes to end their calls."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tui_eval.cluster.machines.certificates import tls_options, write_certificates
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.plain_files import read_file, read_json_file

START_S = 60.0
MOST_LOG = 1 << 20
"""Bytes of what a scheduler writes when it starts."""
ALONE_S = 60.0
"""A scheduler without a client ends after so long, and its workers with it, once their calls have ended."""
ALONE, FOLDER = "TUI_EVAL_ALONE_S", "TUI_EVAL_CLUSTER_FOLDER"
"""Variables by which the watch of a scheduler knows that time, and the folder to remove at its end."""
WATCH = "tui_eval.cluster.machines.scheduler_watch"
_LOCAL_PAGES = ["--no-dashboard", "--dashboard-address=127.0.0.1:0"]
"""Dask lists its workers over plain HTTP also without its dashboard: no other machine is to see that."""


def new_folder() -> Path:
    """Return a new folder for processes of one cluster, which only we can read."""
    return Path(tempfile.mkdtemp(prefix="tui-eval-cluster-"))


class DaskProcesses:
    """Processes in a folder with the cluster's certificates."""

    def __init__(self, folder: Path, certificates: Mapping[str, str]) -> None:
        """`certificates`: their texts, by name."""
        write_certificates(folder, certificates)
        self.folder = folder
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.nannies: dict[str, subprocess.Popen[bytes]] = {}
        """By the names of their workers."""

    async def start_scheduler(self, host: str, port: int = 0) -> str:
        """Start a scheduler at an address of this machine, 0 = at any port; return its address. ConfigError if it fails."""
        file = self.folder / "scheduler.json"
        place = [f"--host=tls://{bracketed(host)}", f"--port={port}", "--scheduler-file", str(file)]
        self.scheduler = self._process("scheduler", [*place, "--no-show", f"--preload={WATCH}"])
        began = time.monotonic()
        while time.monotonic() - began < START_S and self.scheduler.poll() is None:
            if address := _address_in(file):
                return address
            await asyncio.sleep(0.05)
        log = read_file(self.folder / "scheduler.log", MOST_LOG, self.folder).decode("utf-8", "replace")[-500:]
        raise ConfigError(f"--cluster: the scheduler could not be started at {host}: {log.strip()}")

    def start_worker(self, name: str, scheduler: str, host: str) -> None:
        """Start a worker, at an address of this machine under which the others reach it."""
        place = [scheduler, f"--host={host}", f"--name={name}", f"--local-directory={self.folder}"]
        self.nannies[name] = self._process("worker", [*place, "--nanny", "--nthreads=1", "--memory-limit=0"])

    @property
    def living(self) -> list[str]:
        """The workers whose nanny is there, by name."""
        return [name for name, nanny in self.nannies.items() if nanny.poll() is None]

    def _process(self, role: str, options: Sequence[str]) -> subprocess.Popen[bytes]:
        log = os.open(self.folder / f"{role}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        environment = {
            **os.environ,
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
            "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "1",
            "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True",
            "DASK_TEMPORARY_DIRECTORY": str(self.folder),
            ALONE: str(ALONE_S),
            FOLDER: str(self.folder),
        }
        try:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", role, *options, *_LOCAL_PAGES, *tls_options(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
                cwd=self.folder,
            )
        finally:
            os.close(log)

    def retire(self, name: str) -> None:
        """End a worker that has nothing to do any more."""
        if (nanny := self.nannies.get(name)) is not None and nanny.poll() is None:
            nanny.terminate()

    def stop(self) -> None:
        """End all of them, and forget the certificates."""
        processes = [*self.nannies.values(), *([self.scheduler] if self.scheduler else [])]
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


def bracketed(host: str) -> str:
    """Return an address as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


def _address_in(file: Path) -> str:
    """Return the address that a scheduler wrote down; nothing while it has not."""
    try:
        return str(read_json_file(file, MOST_LOG, file.parent)["address"])
    except (OSError, ValueError, KeyError):
        return ""
