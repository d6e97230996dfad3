"""Sessions of workers without a cluster: a run on one worker, which asks nothing by itself."""

from __future__ import annotations

from pathlib import Path

from fault_bench import panel, simulated_by, write_config

from tui_eval.cluster.worker_session import Order, WorkerSession, load_run
from tui_eval.configuring import preparing
from tui_eval.configuring.loading import load
from tui_eval.workspace.places import Workspace


def session_in(folder: Path, share: int = 4) -> WorkerSession:
    """A session of a small run, which has asked nothing. `share`: calls that it may have in flight."""
    folder.mkdir(exist_ok=True)
    config = panel([simulated_by("http://127.0.0.1:9/v1", "one", "sim-scholar")], [{"model": "one", "calls": 1}], 3)
    loaded = load(write_config(folder, config), Workspace(folder))
    preparing.prepare(loaded, folder / "run", lambda text: text, [], workspace=Workspace(folder))
    order = Order("aaaaaa", share, 1, {}, False, 10, {}, (), False)
    return WorkerSession(order, folder / "run", load_run(folder / "run"))
