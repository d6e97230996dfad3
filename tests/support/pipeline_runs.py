"""Runs of the file pipeline over notes that a test makes, and the files that they leave."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fault_bench import Table, simulated_by
from pipelines import NAMES

SCHEMA = {"categories": [{"name": "easy", "count": 2, "description": "Simple facts"}]}
TIMED = re.compile(r'("(?:timestamp|generated|started_at)": )"[^"]*"')
STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}")
FOLDERS = ("processed", "questions", "answers", "scores")


def pipeline(folder: Path, url: str, n: int = 6, **table: object) -> Table:
    """Notes that are processed twice by two models, asked about, answered and judged."""
    for number in range(n):
        text = (
            f"The old mill {number} grinds rye on Mondays. Its great wheel {number} was built in {1800 + number} by the town.\n"
        )
        (folder / f"note{number:04d}.md").write_text(text)
        (folder / f"note{number:04d}.ref.txt").write_text(text)
    (folder / "easy.json").write_text(json.dumps(SCHEMA))
    (folder / "told.md").write_text("Transcribe the text.")
    usual = {
        "inputs": ["note*.md"], "process": {"models": ["maker", "cheap"], "runs": 2, "prompt_file": "told.md"},
        "questions": {"model": "asker", "schema_file": "easy.json"}, "answers": {"models": ["reader"]},
        "judge": {"models": ["judge"]}, "costs": {},
    }  # fmt: skip
    run = {"max_calls": 100_000, "max_concurrency": 4, "cache": False, "repeat": 1}
    own = {name: value for name, value in {**usual, **table}.items() if value is not None}
    models = [simulated_by(url, name, persona) for name, persona in NAMES.items()]
    return {"kind": "pipeline", "name": "notes", "run": run, "models": models, "pipeline": own}


def outputs(path: Path) -> dict[str, str]:
    """The files of a run under spec 000's names, without times."""
    found = [file for name in FOLDERS for file in sorted((path / name).glob("[!.]*"))]
    found += [*path.glob("_config__*")]
    return {
        STAMP.sub("WHEN", str(file.relative_to(path))): TIMED.sub(
            r'\1"WHEN"', STAMP.sub("WHEN", file.read_text(encoding="utf-8"))
        )
        for file in found
    }
