"""A run of conversations to look at: three models, one of which fails at second turns, and foreign text in an answer."""

from __future__ import annotations

import json
from pathlib import Path

from chats import chat, conversations
from fault_bench import LOG, run_here, serving, simulated_by

from tui_eval.reporting import rescoring
from tui_eval.runs.folder import RESULTS
from tui_eval.workspace.places import Workspace

RUN = "20260106_100000_ffff_canal"
MODELS = {"alder": "sim-grounded", "birch": "sim-inventive", "cedar": "sim-dropout"}
"""Names that stand in no text of the set."""
SIZES = (4, 3, 2, 3)
SEED = 4
"""Of the simulator: with it the third model fails at every second turn."""
HOSTILE = "[/red] \x1b[2J\x1b]52;c;aGk=\x07 [@click=app.quit]x"


async def chat_run(folder: Path, path: Path, seed: int = SEED) -> None:
    """Made anew; every call took a second, and the first answer of the model that comes first tries to act."""
    folder.mkdir(parents=True, exist_ok=True)
    async with serving(seed, latency_scale=0) as served:
        models = [simulated_by(served.url, name, persona) for name, persona in {**MODELS, "judge": "sim-arbiter"}.items()]
        table = chat(folder, conversations(SIZES), models, {"model": "judge", "duplicates": 0.2}, {"repeat": 1})
        await run_here({**table, "name": "canal"}, folder, out=path)
    records = [json.loads(line) for line in (path / LOG).read_text().splitlines()]
    (path / LOG).write_text("".join(json.dumps({**record, "latency_ms": 1000}) + "\n" for record in records))
    rescoring.rescore(path, Workspace(path.parent))
    first, *others = (path / RESULTS).read_text().splitlines(keepends=True)
    sample = json.loads(first)
    sample["replies"][0]["text"] = f"{HOSTILE} {sample['replies'][0]['text']}"
    (path / RESULTS).write_text(json.dumps(sample) + "\n" + "".join(others))
