"""Makes run folders in which many distinct questions were answered, by driving their flows and writing the log: no call.

python benchmarks/ended_run.py FOLDER panel|choice QUESTIONS TIMES ANSWERED
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from tui_eval.configuring.loading import Loaded, load
from tui_eval.configuring.preparing import prepare
from tui_eval.core.calls import Call, Reply, Usage
from tui_eval.core.key import call_key
from tui_eval.core.records import Attempt
from tui_eval.runs.folder import INTENTS, LOG
from tui_eval.runs.record import line_of, place_of_call
from tui_eval.workspace.places import Workspace

PADDING = ("the level at the station fell while the sluice stood open and rose again within a day of its closing; " * 8)[:700]
FIRST = 1_767_225_600.0
"""When the first call ended, seconds since the epoch."""
APART_S = 0.002
HEAD = """\
kind = "{kind}"
name = "many questions"

[run]
max_calls = {calls}
max_concurrency = 100
cache = false
"""
MODEL = """
[[models]]
name = "{name}"
wire = "simulator"
model = "sim-scholar"
"""
PANEL = """
[panel]
questions_file = "questions.txt"
truths_file = "truths.txt"
documents = {documents}

[[panel.doers]]
model = "bench0"

[panel.benchmark]
mode = "exact"
"""
CHOICE = """
[choice]
benchmark = "benchmark.jsonl"
models = {models}
"""


def make(folder: Path, kind: str, questions: int, times: int, answered: int) -> Path:
    """A run folder below `folder`, in whose log the first `answered` samples are answered; its path.

    So many distinct questions, each of a panel asked of `times` documents, each of a benchmark of as many models.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table, models = _panel(folder, questions, times) if kind == "panel" else _choice(folder, questions, times)
    config = folder / f"{kind}.toml"
    head = HEAD.format(kind=kind, calls=2 * questions * times + 10)
    config.write_text(head + "".join(MODEL.format(name=name) for name in models) + table, encoding="utf-8")
    loaded, out = load(config, Workspace(folder)), folder / "run"
    prepare(loaded, out, lambda text: text, ["benchmark"])
    _write_log(out, loaded, answered)
    return out


def made_apart(folder: Path, kind: str, questions: int, times: int, answered: int) -> Path:
    """The same, made by a process of its own: the memory of whoever starts what is measured would be counted with it."""
    arguments = [sys.executable, __file__, str(folder), kind, str(questions), str(times), str(answered)]
    subprocess.run(arguments, stdin=subprocess.DEVNULL, check=True)
    return folder / "run"


def _panel(folder: Path, questions: int, documents: int) -> tuple[str, list[str]]:
    (folder / "questions.txt").write_text("\n".join(map(_question, range(questions))), encoding="utf-8")
    (folder / "truths.txt").write_text("\n".join(f"reading {n % 7}" for n in range(questions)), encoding="utf-8")
    names = [f"station{n}.txt" for n in range(documents)] if documents > 1 else []
    for name in names:
        (folder / name).write_text(f"{name}: {PADDING}", encoding="utf-8")
    return PANEL.format(documents=json.dumps(names)), ["bench0"]


def _choice(folder: Path, questions: int, models: int) -> tuple[str, list[str]]:
    options = [f"{word} the sluice was opened" for word in ("before", "after", "while", "long before")]
    levels = ("easy", "medium", "hard")
    lines = [
        json.dumps(
            {"id": f"q{n:06d}", "question": _question(n), "choices": options, "answer": n % 4, "difficulty": levels[n % 3]}
        )
        for n in range(questions)
    ]
    (folder / "benchmark.jsonl").write_text("\n".join(lines), encoding="utf-8")
    names = [f"bench{n}" for n in range(models)]
    return CHOICE.format(models=json.dumps(names)), names


def _question(number: int) -> str:
    return f"Question #{number:06d}: {PADDING}"


def _write_log(out: Path, loaded: Loaded, answered: int) -> None:
    numbers = count(1)
    with (out / LOG).open("w", encoding="ascii") as log, (out / INTENTS).open("w", encoding="ascii") as intents:
        for sample, _ in zip(loaded.evaluation.samples(), range(answered), strict=False):

            def answer(call: Call) -> Reply:
                number = next(numbers)
                model = loaded.evaluation.models[call.model]
                place = sample.q_index + (number % 5 == 0)  # noqa: B023
                text = "ABCD"[place % 4] if sample.options else f"reading {place % 7}"  # noqa: B023
                usage = Usage(prompt_tokens=220, completion_tokens=8, total_tokens=228, cost_usd=0.00002)
                ended = FIRST + number * APART_S
                attempt = Attempt(
                    attempt_id=f"abcdef-{number:06d}",
                    call_key=call_key(call, model),
                    status="ok",
                    **place_of_call(out.name, call, sample, model),  # noqa: B023
                    started_at=_stamp(ended - 0.05),
                    ended_at=_stamp(ended),
                    latency_ms=50 + number % 40,
                    queue_ms=0,
                    http_status=200,
                    finish_reason="stop",
                    served_model=model.model,
                    usage=usage,
                    cost_source="reported",
                    charged_usd=usage.cost_usd,
                    simulated=True,
                    response_text=text,
                    response_json={"model": model.model, "choices": [{"message": {"role": "assistant", "content": text}}]},
                )
                request = {"model": model.model, "messages": [{"role": m.role, "content": m.content} for m in call.messages]}
                log.write(line_of(attempt, json.dumps(request)))
                intent = {"attempt_id": attempt.attempt_id, "call_key": attempt.call_key, "worst_usd": None}
                intents.write(json.dumps(intent) + "\n")
                return Reply(call, "ok", text=text, usage=usage)

            loaded.evaluation.driven(sample, answer)


def _stamp(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%S}.{int(moment * 1000) % 1000:03d}Z"


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:6]))
