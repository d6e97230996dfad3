"""One prompt to one model, with a file or without: the config of a run that sends it, and what came of it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from tui_eval.configuring.input_files import read_input
from tui_eval.core.calls import NO_USAGE, Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import Source
from tui_eval.datasets.attachments import attachment_of
from tui_eval.datasets.document_blocks import document_of
from tui_eval.datasets.document_text.file_sorts import recognised, sort_of_file
from tui_eval.datasets.documents import bytes_of
from tui_eval.kinds.call import CALL, MAX_ATTACHMENT_BYTES
from tui_eval.models.catalogue import catalogue_file, models_on_file
from tui_eval.models.model_selection import guessed_wire
from tui_eval.reporting.resend import reply_in
from tui_eval.runs.record import usage_of
from tui_eval.simulator.personas import load_personas
from tui_eval.simulator.personas import price as simulated_price
from tui_eval.workspace.places import MOST_PROMPT_BYTES, Workspace, shipped
from tui_eval.workspace.plain_files import ANYWHERE, read_text_file, unreadable
from tui_eval.workspace.secret_looks import looks_secret
from tui_eval.workspace.validation import nearest

HEAD = 1024
RETRIES = 3


def prompt_of(source: str, stdin: TextIO) -> str:
    """The prompt of a file; of standard input where it is called "-". ConfigError where there is none."""
    if source == "-":
        text = stdin.read(MOST_PROMPT_BYTES)
    else:
        path = Path(source)
        inside = shipped("examples").parent / source
        path = inside if not path.exists() and source.startswith("examples/") and inside.is_file() else path
        try:
            text = read_text_file(path, MOST_PROMPT_BYTES, ANYWHERE)
        except UnicodeDecodeError:
            raise ConfigError(f"--prompt {source}: cannot be read: not UTF-8; save it as UTF-8 text") from None
        except OSError as error:
            text = f"; it names a file, and text goes behind the model: tui-eval call -m MODEL {shlex.quote(source[:200])}"
            raise ConfigError(f"--prompt {unreadable(source, error)}{text if ' ' in source else ''}") from None
    if not text.strip():
        raise ConfigError(f"--prompt {source}: empty; write into it what the model is to reply to")
    return text.removeprefix("\ufeff").strip()


def call_draft(
    workspace: Workspace,
    model: str,
    prompt: str,
    attachment: Path | None,
    attach: bool,
    noted: Callable[[str], object] = str,
    stream: bool = False,
    messages: Sequence[dict[str, Json]] = (),
) -> dict[str, Json]:
    """The config of a run of one call. `attachment`: a file that goes with it; `attach`: a PDF as it is, not as its text;
    `stream`: whether the reply is asked for as a stream, where the model's own settings do not say; `messages`: those of a
    judge, in place of the prompt."""
    turn: dict[str, Json] = {"role": "user", "content": prompt}
    if attachment is not None:
        turn |= _with_file(prompt, attachment, attach, noted)
    name = _name_of(workspace, model)
    simulated = simulated_price(model) is not None
    if not name and not simulated and (not guessed_wire(model) or _has_registry(workspace)):
        raise ConfigError(_unknown_model(workspace, model))
    inline = {"name": model, "model": model, **({"wire": "simulator"} if simulated else {})}
    return {
        "kind": CALL.name,
        "name": "call",
        "run": {
            "max_calls": 2 * (RETRIES + 1),
            "max_concurrency": 1,
            "retries": RETRIES,
            "max_output_tokens": 0,
            "cache": False,
            **({"stream": True} if stream else {}),
        },
        "models": [] if name else [inline],
        CALL.name: {
            "model": name or model,
            **({"messages": [*messages], "temperature": 0.0} if messages else {"messages": [turn]}),
        },
    }


def _name_of(workspace: Workspace, model: str) -> str:
    """The name of a model on file, by that name or by its API's id; empty where there is none."""
    on_file = models_on_file(workspace)
    return model if model in on_file else next((name for name, (table, _) in on_file.items() if table.model == model), "")


def _has_registry(workspace: Workspace) -> bool:
    """Return whether the models on file are a registry's, which says of each whether it is usable: then no other is asked."""
    models = catalogue_file(workspace).content.get("models", [])
    return any("status" in entry for entry in models if isinstance(entry, dict))


def _unknown_model(workspace: Workspace, model: str) -> str:
    """Why a model cannot be asked that is not on file, where a registry is or its id tells no wire; and what to do."""
    names = {*models_on_file(workspace), *load_personas()}
    description = "with a name that looks like a key" if looks_secret(model) else f"named {model!r}"
    added = "NAME" if looks_secret(model) else shlex.quote(model)
    return (
        f"call: no model {description} is known{nearest(model, names)}; "
        f"to add one: tui-eval models add {added} --set model=ID --set wire=WIRE"
    )


def _with_file(prompt: str, path: Path, attach: bool, noted: Callable[[str], object]) -> dict[str, Json]:
    """A message with a file: an image beside it, a text or what a PDF says before it. `noted`: told what to know of it."""
    source = Source(
        "document", str(path), "--input", MAX_ATTACHMENT_BYTES, place="documents", as_text=not attach, others_as_is=True,
        shown_by="--attach",
    )  # fmt: skip
    file = read_input(path, source)
    file_type = recognised("--input", file.name, bytes_of(file)[:HEAD])
    if file_type.sort == "image" or (attach and attachment_of(file) is not None):
        return {"attachments": [str(path.absolute())]}
    if attach and sort_of_file(file.name) != "document":
        raise ConfigError(f"--attach: {file.name} is a text; without --attach it is put into the prompt")
    for note in file.notes:
        noted(note)
    return {"content": f"{document_of(path.stem, file, False).block}{prompt}"}


def reply_entry(path: Path, file: str, model_id: str, simulated: bool) -> dict[str, Any]:
    """Return a run of one call as spec 000's item of token usage, with model, latency, cost and the text."""
    record = reply_in(path)
    usage = usage_of(record) if record else NO_USAGE
    failed = record is None or record["status"] != "ok"
    return {
        "file": file,
        "model": model_id,
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "latency_ms": record["latency_ms"] if record else None,
        "cost_usd": usage.total_usd,
        "timestamp": record["ended_at"] if record else None,
        **({"simulated": True} if simulated else {}),
        **({"error": (record["error_message"] or record["status"]) if record else "nothing was sent"} if failed else {}),
        "output": None if record is None or failed else record["response_text"],
    }
