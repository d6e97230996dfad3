"""Small evaluations of every kind, to hold its laws against."""

from __future__ import annotations

import json
from pathlib import Path

from tui_eval.session.loading import Loaded, load
from tui_eval.workspace.places import Workspace

MODELS = """
[[models]]
name = "one"
wire = "simulator"
model = "sim-scholar"
[[models]]
name = "two"
wire = "simulator"
model = "sim-sprinter"
[[models]]
name = "three"
wire = "simulator"
model = "sim-arbiter"
"""

PANELS = {
    "panel, doers only": """
[panel]
questions = ["What is one?", "What is two?"]
[[panel.doers]]
model = "one"
calls = 3
[[panel.doers]]
model = "one"
[[panel.doers]]
model = "two"
temperature = 0.5
""",
    "panel, exact": """
[panel]
questions = ["What is one?", "What is two?"]
truths = ["1", "2"]
[[panel.doers]]
model = "one"
[[panel.finals]]
model = "two"
calls = 2
[panel.benchmark]
mode = "exact"
""",
    "panel, three stages, documents, scorer": """
[panel]
questions = ["What is one?", "What is two?", "What is three?"]
truths = ["1", "2", "3"]
documents = ["a.txt", "b.bin"]
send_doc_to_judges = true
[[panel.doers]]
model = "one"
calls = 2
[[panel.doers]]
model = "two"
[[panel.judges]]
model = "three"
calls = 2
[[panel.finals]]
model = "three"
[panel.benchmark]
mode = "llm"
scorer = { model = "two" }
""",
    "panel, judges without the doers' answers": """
[panel]
questions = ["What is one?"]
truths = ["1"]
send_doer_responses_to_judges = false
send_doer_outputs_to_final_judges = false
[[panel.doers]]
model = "one"
[[panel.judges]]
model = "two"
[[panel.finals]]
model = "three"
[panel.benchmark]
mode = "llm"
scorer = { model = "two" }
""",
}

CHOICES = {
    "choice, two models": """
[choice]
benchmark = "bench.json"
models = ["one", "two"]
""",
    "choice, shuffled, in several orders, filtered, literal rule": """
[choice]
benchmark = "bench.json"
models = ["three", "one"]
shuffle = true
permutations = 3
extraction = "formationeval-v0.1"
filter = { difficulty = ["easy", "hard"], first = 2 }
""",
}
CALLS = {
    "call, one message": """
[call]
model = "one"
messages = [{ role = "user", content = "What is one?" }]
""",
    "call, a conversation with an image, three times": """
[call]
model = "two"
calls = 3
temperature = 0.5
[[call.messages]]
role = "system"
content = ""
[[call.messages]]
role = "user"
content = "What is {one}?"
attachments = ["dot.png"]
[[call.messages]]
role = "assistant"
content = "A number."
[[call.messages]]
role = "user"
content = "Which one?"
[call.source]
run = "20260101_100000_aaaa_panel"
stage = "doer"
""",
}
BENCHMARK = [
    {
        "id": "first/1", "version": "little_v1", "question": "Which is one?", "choices": ["1", "2", "3", "4"],
        "answer_index": 0, "difficulty": "easy", "domains": ["Numbers"], "topics": ["One", "Small"],
        "metadata": {"calc_required": False},
    },
    {
        "id": "second", "version": "little_v1", "question": "Which are even?", "choices": ["5", "6", "All of the above"],
        "answer_index": 1, "difficulty": "medium", "domains": ["Numbers", "Parity"], "topics": [],
        "metadata": {"calc_required": True},
    },
    {
        "id": "third", "version": "little_v1", "question": "Which hold?", "choices": ["x = x", "x = 1", "A and B"],
        "answer_index": 0, "difficulty": "hard", "domains": [], "topics": ["Truth"], "metadata": {},
    },
]  # fmt: skip

TABLES = {"panel": PANELS, "choice": CHOICES, "call": CALLS}
SAMPLES = [(kind, name) for kind, tables in TABLES.items() for name in tables]


def sample(kind: str, name: str, folder: Path, repeat: int = 2) -> Loaded:
    """The named sample, loaded from a config file written into `folder`."""
    (folder / "a.txt").write_text("A text with a {slot} and an ending.\n")
    (folder / "b.bin").write_bytes(b"\xff\x00\xfe")
    (folder / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "bench.json").write_text(json.dumps(BENCHMARK))
    config = folder / "config.toml"
    config.write_text(f'kind = "{kind}"\n{MODELS}{TABLES[kind][name]}\n[run]\nmax_calls = 1000\nrepeat = {repeat}\n')
    return load(config, Workspace(folder))
