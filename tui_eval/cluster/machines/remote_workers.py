"""Workers of another machine, started there over SSH: `python -m tui_eval.cluster.machines.remote_workers`.

What to do comes on standard input, a JSON object a line: first the certificates, so that they are on no command line; then
workers to start and to end. Where the connection is lost, workers end by themselves with the scheduler, once their calls have.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import Any, TextIO

from tui_eval.cluster.machines.address import CERTIFICATES
from tui_eval.cluster.machines.dask_processes import DaskProcesses, new_folder
from tui_eval.cluster.versions import versions

LOOK_S = 1.0
MOST = 1 << 20
"""Bytes of an order: certificates are the longest."""


def serve(orders: TextIO, answers: TextIO) -> None:
    """Tell the versions here, and do what is ordered until all workers have ended."""
    print(json.dumps(versions()), file=answers, flush=True)
    place: dict[str, str] = json.loads(orders.readline(MOST) or "{}")
    if "scheduler" not in place:  # the run ends before it began, as where another machine cannot be had
        return
    processes = DaskProcesses(new_folder(), {name: place[name] for name in CERTIFICATES})
    try:
        while line := orders.readline(MOST):
            if not _obey(json.loads(line), place, processes):
                break
        else:
            while processes.living:
                time.sleep(LOOK_S)
    finally:
        processes.stop()


def _obey(order: Mapping[str, Any], place: Mapping[str, str], processes: DaskProcesses) -> bool:
    """Do one thing; False at the end."""
    if order["do"] == "start":
        processes.start_worker(str(order["name"]), place["scheduler"], place["host"])
    elif order["do"] == "retire":
        processes.retire(str(order["name"]))
    return bool(order["do"] != "stop")


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
