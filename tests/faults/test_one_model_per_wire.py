"""One run with a model on every wire, against servers of this machine: right answers, right costs, the right key to each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_bench import LOG, Table, asked, panel, strict_json, strict_lines, write_config
from hosted import Aimock, aimock, has_aimock, in_a_thread, needs_aimock
from invariants import assert_no_secret
from nursery import Child, Nursery

from tui_eval.providers import WIRES
from tui_eval.simulator.server import Simulator

ON_SIMULATOR = ("openai", "openai-responses", "anthropic")
COMPATIBLE = ("gemini", "ollama", "llama.cpp", "vllm", "lmstudio", "openrouter")
"""Wires that any server of chat completions under /v1 can speak."""
BASES = {
    "azure": "/openai/v1",
    "azure-classic": "",
    "foundry": "/models",
    "gemini": "/v1beta/openai",
    "openrouter": "/api/v1",
}
"""Where aimock speaks a wire; elsewhere under /v1."""
KEY_HEADERS = {"anthropic": "x-api-key", "azure": "api-key", "azure-classic": "api-key", "foundry": "api-key"}
"""Elsewhere `authorization`."""
SIMULATED_TEXT = "A fixed reply for benchmarks."
PRICE = {"input": 2.0, "output": 10.0, "source": "made up"}
REPORTED_USD = 0.0021


@dataclass(frozen=True, slots=True)
class Expected:
    """What a model's call must come to."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    reported_usd: float | None = None


def key_of(wire: str) -> str:
    """A key that no other wire has, with signs that are written otherwise in a URL."""
    return f"sk-{wire}/key+9f2K7Lq0wB5rJ="


def variable_of(wire: str) -> str:
    """The variable of the keys file that holds it."""
    return wire.upper().replace("-", "_").replace(".", "_") + "_TEST_KEY"


def model_of(wire: str, url: str, model: str) -> Table:
    """A [[models]] entry for a wire, named after it."""
    return {"name": wire, "wire": wire, "model": model, "base_url": url, "api_key_env": variable_of(wire), "price": PRICE}


def fixture_for(wire: str, number: int) -> tuple[Table, Expected]:
    """How aimock is to answer the model of a wire, and what has to come of it. OpenRouter alone tells a cost."""
    expected = Expected(f"Answer of {wire}: ≈ 20 % 😀", 11 + number, 7 + number, REPORTED_USD if wire == "openrouter" else None)
    used = {"prompt_tokens": expected.prompt_tokens, "completion_tokens": expected.completion_tokens}
    used["total_tokens"] = sum(used.values())
    cost = {} if expected.reported_usd is None else {"cost": expected.reported_usd}
    return {"match": {"model": f"test-{wire}"}, "response": {"content": expected.text, "usage": {**used, **cost}}}, expected


class Guarded(Simulator):
    """The simulator behind a door: a request shows the key of the wire its path is for, in that wire's header."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, tuple[str | None, ...]] = {}

    async def _answer(self, request: Any) -> Any:
        names = ("authorization", "api-key", "x-api-key")
        self.shown[request.path] = tuple(request.headers.get(name) for name in names)
        return await super()._answer(request)


@dataclass
class Servers:
    """The simulator and, where it is installed, aimock."""

    simulator: Guarded
    url: str
    stranger: Aimock | None

    def models(self) -> tuple[list[Table], dict[str, Expected]]:
        """A model for every wire that can be spoken here, and what each must bring."""
        spoken = Expected(SIMULATED_TEXT, 200, 8)
        models = [model_of(wire, self.url, "bench") for wire in ON_SIMULATOR]
        expected = dict.fromkeys(ON_SIMULATOR, spoken)
        if self.stranger is None:
            models += [model_of(wire, self.url, "bench") for wire in COMPATIBLE]
            return models, expected | dict.fromkeys(COMPATIBLE, spoken)
        for number, wire in enumerate(["azure", "azure-classic", "foundry", *COMPATIBLE]):
            fixture, expected[wire] = fixture_for(wire, number)
            self.stranger.teach([fixture])
            models.append(model_of(wire, self.stranger.url + BASES.get(wire, "/v1"), f"test-{wire}"))
        return models, expected


@pytest.fixture(scope="module")
def keys() -> Mapping[str, str]:
    """The key of every wire, by variable."""
    return {variable_of(wire): key_of(wire) for wire in WIRES}


@pytest.fixture
def servers(tmp_path: Path, keys: Mapping[str, str]) -> Iterator[Servers]:
    """Both, up; the simulator's part is counted anew for every test."""
    simulator = Guarded()
    with ExitStack() as stack:
        url = stack.enter_context(in_a_thread(simulator.start, simulator.stop))
        folder = tmp_path / "peer"
        folder.mkdir()
        stranger = stack.enter_context(aimock(folder, list(keys.values()))) if has_aimock else None
        yield Servers(simulator, url, stranger)


def ran(nursery: Nursery, folder: Path, config: Table, keys: Mapping[str, str]) -> Child:
    """The config run by the command line, with its keys in a file of their own."""
    (folder / "keys.env").write_text("".join(f"export {name}='{value}'\n" for name, value in keys.items()))
    path = write_config(folder, config)
    child = nursery.run("--run", path, "--out", folder / "run", "--keys-file", folder / "keys.env", preflight=True)
    assert child.code == 0, child.stderr.decode()
    return child


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_model_on_every_wire_answers_at_its_price(
    servers: Servers, nursery: Nursery, tmp_path: Path, keys: Mapping[str, str], stream: bool
) -> None:
    """Every answer is the one its server was told to give, and costs its tokens times its price, or what the server says."""
    models, expected = servers.models()
    config = panel(models, [asked(model["name"]) for model in models], run={"stream": stream, "max_calls": 200})

    child = ran(nursery, tmp_path, config, keys)

    records = strict_lines(tmp_path / "run" / LOG)
    answers = {record["model"]: record for record in records if record["stage"] == "doer"}
    assert answers.keys() == expected.keys()
    assert {record["status"] for record in records} == {"ok"}
    assert {record["stage"] for record in records} == {"preflight", "doer"}
    for wire, record in answers.items():
        wanted = expected[wire]
        assert record["response_text"] == wanted.text, wire
        usage = record["usage"]
        assert (usage["prompt_tokens"], usage["completion_tokens"]) == (wanted.prompt_tokens, wanted.completion_tokens), wire
        priced = (wanted.prompt_tokens * PRICE["input"] + wanted.completion_tokens * PRICE["output"]) / 1e6  # type: ignore[operator]
        cost = priced if wanted.reported_usd is None else wanted.reported_usd
        source = "priced" if wanted.reported_usd is None else "reported"
        assert (record["cost_source"], usage["cost_usd"]) == (source, pytest.approx(cost, abs=1e-9)), wire
        assert record["charged_usd"] == pytest.approx(cost, abs=1e-6)
        assert (record["ttft_ms"] is not None) == stream, wire
    _check_totals(tmp_path / "run", records)
    for key in keys.values():
        assert_no_secret(child.stdout + child.stderr + b"".join(f.read_bytes() for f in (tmp_path / "run").rglob("*.*")), key)


def _check_totals(path: Path, records: list[Table]) -> None:
    """What the report says of each model's money is what its calls cost."""
    report = strict_json((path / "report.json").read_bytes())
    total = sum(record["usage"]["cost_usd"] for record in records)
    assert report["charged_usd"] == pytest.approx(sum(record["charged_usd"] for record in records), abs=1e-6)
    assert report["charged_usd"] == pytest.approx(total, abs=1e-6 * len(records))


def test_each_wire_shows_its_own_key_in_its_own_header(
    servers: Servers, nursery: Nursery, tmp_path: Path, keys: Mapping[str, str]
) -> None:
    """The simulator sees the very values; aimock, which lets nobody in without a key, tells in which header it came."""
    models, _ = servers.models()

    ran(nursery, tmp_path, panel(models, [asked(model["name"]) for model in models]), keys)

    shown = servers.simulator.shown
    assert shown["/v1/responses"] == (f"Bearer {key_of('openai-responses')}", None, None)
    assert shown["/v1/messages"] == (None, None, key_of("anthropic"))
    if servers.stranger is None:
        assert shown["/v1/chat/completions"][1:] == (None, None)
        return
    assert shown["/v1/chat/completions"] == (f"Bearer {key_of('openai')}", None, None)
    seen = [entry for entry in servers.stranger.journal() if entry["response"]["status"] == 200]
    assert len(seen) == 2 * 9, "a preflight and a call of each model"
    for entry in seen:
        wire = entry["body"]["model"].removeprefix("test-")
        with_keys = {name for name, value in entry["headers"].items() if value == "[REDACTED]"}
        assert with_keys == {KEY_HEADERS.get(wire, "authorization")}


@needs_aimock
def test_a_wrong_key_is_refused_by_name(servers: Servers, nursery: Nursery, tmp_path: Path) -> None:
    """The door of aimock is shut for a wrong key, on every wire it speaks, and the run does not start."""
    models, _ = servers.models()
    models = [model for model in models if model["name"] not in ON_SIMULATOR]
    (tmp_path / "keys.env").write_text("".join(f"{variable_of(model['name'])}=sk-wrong-12345678\n" for model in models))
    config = write_config(tmp_path, panel(models, [asked(model["name"]) for model in models]))

    child = nursery.run("--run", config, "--out", tmp_path / "run", "--keys-file", tmp_path / "keys.env", preflight=True)

    assert child.code in (2, 3)
    for model in models:
        assert f"{model['name']}: HTTP 401".encode() in child.stderr, child.stderr.decode()
    assert_no_secret(child.stderr, "sk-wrong-12345678")
