"""Small nouns and small workspaces for the unit tests: each with everything filled in that a test does not care about."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tui_eval.configuring.loading import Loaded, check_caps, load
from tui_eval.core.calls import Call, Message, ModelSpec, Reply, Usage
from tui_eval.core.errors import ConfigError
from tui_eval.core.records import Attempt
from tui_eval.runs.folder import create_folder
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile, read_toml
from tui_eval.workspace.validation import validate

SHARED = Path(__file__).resolve().parents[3] / "shared"
RESPONSES = SHARED / "data" / "responses"
DATA = Path(__file__).resolve().parents[1] / "data"
"""What every checkout has of the data that tests read."""


def recorded_replies(endpoint: str) -> list[dict[str, Any]]:
    """The recorded replies of servers that speak one API (chat, messages, responses, ...); none where they are not at hand."""
    index = RESPONSES / "index.json"
    return [e for e in json.loads(index.read_bytes()) if e["endpoint"] == endpoint] if index.is_file() else []


"""Facts and vectors that the project was built from; a clone of the repository does not have them."""

few = settings(
    max_examples=40,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
"""Hypothesis in a unit test: few examples, the same ones each time, nothing left on disk."""

any_text = st.text(st.characters(codec=None), max_size=60)
"""Text of any characters, lone surrogates and controls included."""


def model(**changes: Any) -> ModelSpec:
    """A model on the OpenAI wire, at another server than OpenAI's own."""
    return replace(ModelSpec("mini", "openai", "gpt-5-mini", base_url="http://127.0.0.1:9/v1"), **changes)


def call(**changes: Any) -> Call:
    """A doer's call with one system and one user message."""
    messages = (Message("system", "Be brief."), Message("user", "What is two?"))
    return replace(Call("doer", "d/q0", "mini", messages, max_output_tokens=200), **changes)


def reply(text: str | None = "two", **changes: Any) -> Reply:
    """A successful reply, or with `text=None` one that failed for good."""
    if text is None:
        return replace(Reply(call(), "error", error_kind="permanent", error_message="no"), **changes)
    return replace(Reply(call(), "ok", text=text), **changes)


def attempt(**changes: Any) -> Attempt:
    """A successful attempt."""
    return replace(
        Attempt(
            attempt_id="life-000001",
            call_key="0123456789abcdef" * 2,
            status="ok",
            error_kind=None,
            final=True,
            attempt=0,
            run_id="20260101_000000_abcd",
            stage="doer",
            item_id="d/q0",
            repeat=0,
            doc_id="d",
            q_index=0,
            model="mini",
            model_id="gpt-5-mini",
            call_index=0,
            about="",
            started_at="2026-01-01T00:00:00.000Z",
            ended_at="2026-01-01T00:00:01.000Z",
            latency_ms=1000,
            queue_ms=0,
            ttft_ms=None,
            ttft_visible_ms=None,
            http_status=200,
            finish_reason="stop",
            served_model="gpt-5-mini",
            usage=Usage(prompt_tokens=3, completion_tokens=1, total_tokens=4),
            cost_source="unknown",
            charged_usd=None,
            cached=False,
            batch_id=None,
            simulated=False,
            error_message=None,
            response_text="two",
            response_json={"choices": []},
        ),
        **changes,
    )


def run_folder(path: Path) -> Path:
    """An empty run folder with the file by which a reader knows one."""
    create_folder(path)
    (path / "config.toml").write_text('kind = "panel"\n')
    return path


def toml(folder: Path, text: str) -> TomlFile:
    """A config of this text, read."""
    path = folder / "config.toml"
    path.write_text(text)
    return read_toml(path)


def problem(folder: Path, text: str, model: Any, place: tuple[str | int, ...]) -> str:
    """What is said of the table that `place` leads to."""
    file = toml(folder, text)
    table: Any = file.content
    for part in place:
        table = table[part]
    with pytest.raises(ConfigError) as caught:
        validate(model, table, file, place)
    return str(caught.value)


PANEL = {
    "kind": '"panel"',
    "name": '"small"',
    "run": "max_concurrency = 5",
    "models": '[[models]]\nname = "one"\nwire = "simulator"\nmodel = "sim-scholar"\n',
    "questions": 'questions = ["What is one?", "What is two?"]',
    "panel": "",
    "doers": '[[panel.doers]]\nmodel = "one"\n',
    "rest": "",
}


def panel_text(**parts: str) -> str:
    """The TOML of a small panel, with some of its parts replaced."""
    assert set(parts) <= set(PANEL)
    p = {**PANEL, **parts}
    return (
        f"kind = {p['kind']}\nname = {p['name']}\n\n[run]\n{p['run']}\n\n{p['models']}\n"
        f"[panel]\n{p['questions']}\n{p['panel']}\n\n{p['doers']}\n{p['rest']}\n"
    )


def load_panel(folder: Path, /, *, settings_given: tuple[str, ...] = (), text: str | None = None, **parts: Any) -> Loaded:
    """A small panel, loaded from a config in `folder`, which is its workspace, too."""
    config = folder / "panel.toml"
    config.write_text(panel_text(**parts) if text is None else text)
    return load(config, Workspace(folder), settings=settings_given)


def refusal(folder: Path, **parts: Any) -> str:
    """What is said against a panel made of these parts."""
    with pytest.raises(ConfigError) as caught:
        check_caps(load_panel(folder, **parts))
    return str(caught.value)


def priced(price: str = "", limit: str = "") -> str:
    """One model on a server of the user's own, which has no price unless it is given one."""
    lines = f"{price}\n{limit}\n"
    return f'[[models]]\nname = "one"\nwire = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n{lines}'


def spoken(text: str | None = "two", finish: str | None = "stop", **fields: Any) -> bytes:
    """A chat completion's body."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps({"model": "gpt-5-mini-2026", "choices": [choice], **fields}).encode()


def strict_json(text: str | bytes) -> Any:
    """JSON as the standard has it: NaN and Infinity are refused."""

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


BIG_FIELDS = (
    "request", "request_headers", "response_headers", "response_text", "reasoning_text", "response_json", "response_body_b64",
)  # fmt: skip
"""Fields of a record behind its small ones: what was sent and what came back, of any type in a stranger's log."""
SHIPPED = ("gemini-3-flash", "gpt-5-mini")
"""The models that a new workspace has."""


def none_on_file(folder: Path) -> Path:
    """A workspace whose owner has taken the models that come with the program off the file."""
    conf = folder / ".conf"
    conf.mkdir(mode=0o700, exist_ok=True)
    (conf / "models.toml").write_text("")
    return folder
