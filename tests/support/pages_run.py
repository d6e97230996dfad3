"""A run over a picture and a note: two models that write them down, one of which loses words, and foreign text in an answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from fault_bench import run_here, serving, simulated_by

from tui_eval.workspace.places import shipped

RUN = "20260107_100000_abab_pages"
MODELS = {"opus": "sim-scholar", "cheap": "sim-longest", "asker": "sim-grounded", "reader": "sim-inventive"}
HOSTILE = "[/red] \x1b[2J\x1b]52;c;aGk=\x07 [@click=app.quit]x"
FILES = ("cargo.png", "cargo.ref.txt", "lighthouse.md", "lighthouse.ref.txt")


def copy_pages(folder: Path) -> Path:
    """A folder with two of the example's pages and what stands in them."""
    folder.mkdir(parents=True)
    for name in FILES:
        shutil.copy(shipped("examples") / "pipeline" / name, folder / name)
    return folder


async def pages_run(folder: Path, path: Path) -> None:
    """Made anew: its first mark is missing, and its second answer tries to act."""
    copy_pages(folder)
    async with serving(64, latency_scale=0) as served:
        models = [simulated_by(served.url, name, persona) for name, persona in {**MODELS, "judge": "sim-arbiter"}.items()]
        table = {
            "inputs": ["cargo.png", "lighthouse.md"], "process": {"models": ["opus", "cheap"]},
            "questions": {"model": "asker", "schema_file": "questions-texts.json"}, "answers": {"models": ["reader"]},
            "judge": {"models": ["judge"]}, "costs": {},
        }  # fmt: skip
        await run_here({"kind": "pipeline", "name": "pages", "models": models, "pipeline": table}, folder, out=path)
    (file,) = (path / "scores").glob("scores__sim-longest__*")
    told = json.loads(file.read_text())
    told["items"][0] |= {"score": None, "why_missing": "judge unparsed", "rationale": ""}
    told["items"][1]["model_answer"] = HOSTILE
    file.write_text(json.dumps(told))
