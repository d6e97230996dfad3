"""Files that people open: whatever models say, none of a run holds a sign that steers a terminal, for any kind."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from fault_bench import files_in, strict_lines
from samples import PIPELINES, sample
from soaking import WIDEST_SAMPLES

from tui_eval.cli.command_line import main
from tui_eval.configuring import preparing
from tui_eval.configuring.loading import Loaded
from tui_eval.core.plaintext import readable
from tui_eval.engine import run
from tui_eval.simulator.apis.replies import Reply
from tui_eval.simulator.server import Simulator

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Everything but newline and tab that a terminal, or the reading direction, goes by."""
HOSTILE = (
    '=1+1 \x1b]52;c;UFdO\x07\x1b[2J\x9b31m\u202eevil\u2066x\u2028y\x85z\x0c\u200b<script>alert(1)</script>'
    "[x](http://evil.example/a)![i](http://evil.example/b.png)\x00\x7f\r\nend"
)  # fmt: skip


def _spoiled(value: Any) -> Any:
    """A value of a reply with the hostile text behind each longer string."""
    if isinstance(value, dict):
        return {name: _spoiled(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_spoiled(inner) for inner in value]
    return f"{value} {HOSTILE}" if isinstance(value, str) and len(value) > 12 else value


def _spoiled_text(text: str) -> str:
    found = re.search(r"\{.*\}|\[.*\]", text, re.DOTALL)
    try:
        inner = json.dumps(_spoiled(json.loads(found.group()))) if found else None
    except ValueError:
        inner = None
    return f"{text} {HOSTILE}" if found is None or inner is None else text[: found.start()] + inner + text[found.end() :]


def _hostile(loaded: Loaded) -> Simulator:
    """A simulator whose every reply is spoiled: of JSON, each longer text in it."""
    simulator = Simulator(seed=loaded.run.seed, latency_scale=0)
    chat = simulator._chat
    voice = chat._voice

    def spoiled(asked: Any) -> Reply:
        reply = voice(asked)
        body = json.loads(reply.body)
        for choice in body.get("choices", ()):
            if choice["message"].get("content"):
                choice["message"]["content"] = _spoiled_text(choice["message"]["content"])
        return Reply(reply.status, json.dumps(body).encode(), reply.headers)

    chat._voice = spoiled  # type: ignore[method-assign]
    return simulator


def _run(kind: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(run, "_simulator", _hostile)
    loaded = sample(kind, name, folder)
    keys = preparing.keys_of(loaded)
    preparing.prepare(loaded, folder / "run", keys.redact, [])
    asyncio.run(run.run(folder / "run", loaded, keys))
    return folder / "run"


@pytest.mark.parametrize(("kind", "name"), WIDEST_SAMPLES)
def test_no_file_of_a_run_steers_a_terminal(kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs and JSON have such signs as escapes, which give back what came; tables, texts and drawings do without."""
    out = _run(kind, name, tmp_path, monkeypatch)
    said = [record["response_text"] or "" for record in strict_lines(out / "call_logs.jsonl")]

    assert not said or any("]52;c;UFdO" in text for text in said)
    for file in files_in(out):
        if "inputs" not in file.relative_to(out).parts:
            found = STEERING.search(file.read_bytes().decode("utf-8", "surrogatepass"))
            assert found is None, f"{file.name}: {found.group()!r}"


def test_a_later_stage_reads_what_the_file_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a pipeline: answers are asked from the text that its file has, mark-up and links in it; how many signs it lacks and
    how many cannot be seen stands beside it."""
    out = _run("pipeline", max(PIPELINES, key=lambda name: len(PIPELINES[name])), tmp_path, monkeypatch)
    texts = {str(path.relative_to(out)): path.read_text() for path in out.rglob("processed/*.md") if "inputs" not in path.parts}
    asked = [
        "".join(message["content"] for message in record["request"]["messages"])
        for record in strict_lines(out / "call_logs.jsonl")
        if record["stage"] == "answers" and record["request"]
    ]
    told = json.loads((out / "processed" / "_summary.json").read_text())["results"]

    assert texts and asked
    assert all("<script>alert(1)</script>" in text and "](http://evil.example/b.png)" in text for text in texts.values())
    assert all(any(text in shown for text in texts.values()) for shown in asked)
    assert all(entry["n_left_out"] >= 8 and entry["n_zero_width"] >= 1 for entry in told)
    assert "cannot be seen" in json.loads((out / "preserved.json").read_text())["note"]


def test_a_reply_in_a_file_of_its_own_is_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `call --output` writes, with a word on what was left out."""
    monkeypatch.setattr(run, "_simulator", _hostile)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ask.md").write_text("Who keeps the mill?")
    assert main(["call", "sim-scholar", "--prompt", "ask.md", "--output", "said.md", "-q"]) == 0
    text = (tmp_path / "said.md").read_text()

    assert text == readable(text) and "<script>" in text
    assert "control characters of the reply are left out" in capsys.readouterr().err
