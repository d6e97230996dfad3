"""What is measured: a one-stage panel of 200 questions x 10 documents, asked as often as makes up the calls.

And, with a key, as many distinct questions as there are calls, of a panel or of multiple choice.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from own_folder import own

QUESTIONS, DOCUMENTS = 200, 10
ITEMS = QUESTIONS * DOCUMENTS
MODEL = "bench-50ms"
KEY_NAME = "BENCHMARK_API_KEY"
KEY = "sk-benchmark-0123456789/abcdefghijklmnop=="
"""Nobody's: with a slash and padding, so that it can be spelt in as many ways as a key can."""

_SYSTEM = (
    "You answer questions about the notes of a survey. Keep to the notes, answer in one sentence, say when they are silent."
)
_NOTE = (
    "Station {n} was read at dawn and at dusk for {m} days. The level fell while the sluice stood open and rose again within "
    "a day of its closing. The gauge was wiped before each reading, and readings taken in rain were marked and left out. "
    "Two readings were lost in week {m}, when the lamp failed; the keeper wrote down the hour and the weather instead, and the "
    "pages were bound with the others."
)
_QUESTION = "Question {n}: what do the notes say about the level at this station while the sluice stood open, and for how long?"


def write(folder: Path, base_url: str, calls: int, in_flight: int) -> Path:
    """Write the config of a run of `calls` calls, its questions and its documents; the config's path."""
    documents = folder / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    for n in range(DOCUMENTS):
        (documents / f"station{n}.txt").write_text(_NOTE.format(n=n, m=n + 20), encoding="utf-8")
    (folder / "questions.txt").write_text("\n".join(_QUESTION.format(n=n) for n in range(QUESTIONS)), encoding="utf-8")
    config = own(folder) / f"panel-{calls}-{in_flight}.toml"
    config.write_text(_config(base_url, calls, in_flight), encoding="utf-8")
    return config


def _config(base_url: str, calls: int, in_flight: int) -> str:
    return f"""\
kind = "panel"
name = "benchmark"

[run]
max_calls = {calls}
max_concurrency = {in_flight}
max_output_tokens = 100

[[models]]
name = "bench"
wire = "openai"
model = "{MODEL}"
base_url = "{base_url}"
price = {{ input = 0.1, output = 0.4 }}

[panel]
questions_file = "questions.txt"
documents = ["documents/*.txt"]
prompts = {{ doer_system = "{_SYSTEM}", doer_user = "{{question}} {{document}}" }}

[[panel.doers]]
model = "bench"
calls = {calls // ITEMS}
"""


def write_distinct(folder: Path, base_url: str, kind: str, calls: int, in_flight: int, cache: bool) -> Path:
    """Write the config of a run of `calls` distinct questions to one model with a key (KEY_NAME), and its questions."""
    folder.mkdir(parents=True)
    asked = [f"{_NOTE.format(n=n, m=n % 50 + 3)} {_QUESTION.format(n=n)}" for n in range(calls)]
    if kind == "choice":
        options = ["it rose", "it fell", "it stood still", "the notes are silent"]
        rows = [{"id": f"q{n}", "question": text, "choices": options, "answer": n % 4} for n, text in enumerate(asked)]
        (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        table = '[choice]\nbenchmark = "questions.jsonl"\nmodels = ["bench"]\n'
    elif kind == "qa":
        rows = [{"id": f"q{n}", "question": text, "answer": "it fell"} for n, text in enumerate(asked)]
        (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        table = _DISTINCT_QA
    else:
        (folder / "questions.txt").write_text("\n".join(asked), encoding="utf-8")
        table = _DISTINCT_PANEL
    config = own(folder) / "config.toml"
    config.write_text(_head(base_url, kind, calls, in_flight, cache) + table, encoding="utf-8")
    return config


def _head(base_url: str, kind: str, calls: int, in_flight: int, cache: bool) -> str:
    return f"""\
kind = "{kind}"
name = "benchmark"

[run]
max_calls = {calls}
max_concurrency = {in_flight}
max_output_tokens = 100
cache = {str(cache).lower()}

[[models]]
name = "bench"
wire = "openai"
model = "{MODEL}"
base_url = "{base_url}"
api_key_env = "{KEY_NAME}"
price = {{ input = 0.1, output = 0.4 }}

"""


_DISTINCT_PANEL = f"""\
[panel]
questions_file = "questions.txt"
prompts = {{ doer_system = "{_SYSTEM}", doer_user = "{{question}} {{document}}" }}

[[panel.doers]]
model = "bench"
"""


_DISTINCT_QA = f"""\
[qa]
dataset = "questions.jsonl"
target = "answer"
models = ["bench"]
prompts = [{{ name = "plain", system = "{_SYSTEM}", text = "{{question}}" }}]

[[scorers]]
use = "exact"
"""


def sent_requests(run_folder: Path, target: Path) -> None:
    """Copy the request bodies of a run from its log, one a line, as they were sent."""
    with (run_folder / "call_logs.jsonl").open("rb") as log, target.open("wb") as bodies:
        for line in log:
            bodies.write(json.dumps(json.loads(line)["request"]).encode("ascii") + b"\n")
