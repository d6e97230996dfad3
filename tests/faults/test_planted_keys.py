"""Keys planted on every wire, before servers that repeat them in every place: no byte of workspace or screen has one.

tests/support/parrot.py is the server. Nor may a piece of a key be left: a message that was cut short could hold half of one.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from fault_bench import CANARY, CANARY_VARIABLE, LOG, Table, asked, files_in, panel, strict_lines, write_config
from hosted import in_a_thread
from invariants import assert_no_secret
from nursery import Child, Nursery
from parrot import HOWS, Parrot
from soaking import quick_first
from waiting import until

from tui_eval.cli import checking
from tui_eval.core.calls import ModelSpec
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.secret_looks import secret_parts

ORGANIZATION, ORGANIZATION_VARIABLE = "org-canary-7Yx+Qm2vLr8sTd5=", "CANARY_ORGANIZATION"
SECRETS = {CANARY_VARIABLE: CANARY, ORGANIZATION_VARIABLE: ORGANIZATION}
PIECE = 12
"""So many characters of a key in a row are a piece of it."""
BASES = {
    "openai": "/v1",
    "openai-responses": "/v1",
    "anthropic": "/v1",
    "azure": "/openai/v1",
    "azure-classic": "",
    "foundry": "/models",
    "gemini": "/v1beta/openai",
    "ollama": "/v1",
    "llama.cpp": "/v1",
    "vllm": "/v1",
    "lmstudio": "/v1",
    "openrouter": "/api/v1",
}
"""Every wire, and how its base URL ends."""
FAMILIES = ("openai", "openai-responses", "anthropic", "azure")
"""One wire for each way of reading replies and of sending a key; the others are looked at by the longer suite (-m soak)."""
BATCHED = ("openai", "openai-responses", "anthropic")
STREAMS = ("stream", "stream-error", "stream-garbage")


@dataclass
class Planted:
    """A workspace whose .env holds the keys, beside a server that repeats them."""

    folder: Path
    url: str
    parrot: Parrot
    nursery: Nursery

    def model(self, wire: str, how: str, **more: object) -> Table:
        """A [[models]] entry that shows both keys to the server, and has them handed back in this way."""
        url = f"{self.url}/{how}{BASES[wire]}"
        variables = {"api_key_env": CANARY_VARIABLE, "organization_env": ORGANIZATION_VARIABLE}
        return {"name": f"{wire} {how}", "wire": wire, "model": "m", "base_url": url, **variables, **more}

    def config(self, models: list[Table], questions: int = 1, **run: object) -> Path:
        """A panel of one row per model."""
        rows = [asked(str(model["name"])) for model in models]
        config = panel(models, rows, questions, run={"retries": 1, "timeout_s": 60.0, **run})
        config["panel"]["max_rows"] = 2000
        return write_config(self.folder, config)

    def run(self, *arguments: object, **more: Any) -> Child:
        """The command line in this workspace; whatever it says is without keys."""
        child = self.nursery.run(*arguments, **more)
        self.check_silent(child)
        return child

    def told(self, *arguments: object, stdin: str = "") -> Child:
        """A verb, with something on its standard input; it shows no key."""
        child = self.nursery.run(*arguments, stdin=stdin)
        assert_clean(child.stdout)
        assert_clean(child.stderr)
        return child

    def check_silent(self, child: Child) -> None:
        """Nothing on the screen holds a key, nor does any file."""
        for data in (child.stdout, child.stderr):
            assert_clean(data)
        self.check_files()

    def check_files(self) -> None:
        """No file of the workspace but .env holds a key, nor does its name."""
        for file in files_in(self.folder):
            assert_clean(str(file.relative_to(self.folder)).encode())
            if file.name != ".env":
                assert_clean(file.read_bytes(), str(file))


def assert_clean(data: bytes, where: str = "") -> None:
    """Neither a key nor a piece of one stands in these bytes, in no spelling, in capitals or not."""
    lower = data.lower()
    for secret in SECRETS.values():
        assert_no_secret(data, secret)
        for start in range(len(secret) - PIECE + 1):
            found = lower.find(secret[start : start + PIECE].lower().encode())
            assert found < 0, f"{where}: a piece of a key: {data[max(found - 200, 0) : found + PIECE]!r}"


@pytest.fixture
def planted(nursery: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Planted]:
    """Such a workspace, which is the current folder, and its server."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / ".env").write_text("".join(f"{name}='{value}'\n" for name, value in SECRETS.items()))
    parrot = Parrot()
    with in_a_thread(parrot.start, parrot.stop) as url:
        yield Planted(folder, url, parrot, nursery)


def test_the_search_finds_pieces() -> None:
    """(The tests' own tool) a piece of a key is found, and so is a key in small letters."""
    for text in (CANARY[3:16], CANARY.lower(), f"x{ORGANIZATION[-12:]}"):
        with pytest.raises(AssertionError):
            assert_clean(text.encode())


@pytest.mark.parametrize("stream", quick_first([False, True]), ids=["whole", "streamed"])
@pytest.mark.parametrize(
    "wire", [pytest.param(wire, marks=[] if wire in FAMILIES[::2] else pytest.mark.soak) for wire in BASES]
)
def test_a_key_that_is_repeated_is_written_nowhere(wire: str, stream: bool, planted: Planted) -> None:
    """However a server hands the key back: not in the run folder, not on the screen, not when the run is looked at again."""
    config = planted.config([planted.model(wire, how) for how in HOWS], stream=stream, max_calls=1000)
    out = planted.folder / "runs" / "one"

    first = planted.run("--run", config, "--out", out)
    again = planted.run("resume", out, "--failed", "--set", "run.max_calls=2000")

    assert (first.code, again.code) == (3, 3), first.stderr
    for arguments in (
        ["status", out],
        ["status"],
        ["status", "--json"],
        ["rescore", out],
        ["--run", config, "--dry-run"],
    ):
        assert planted.run(*arguments).code == 0
    planted.check_silent(first)
    records = strict_lines(out / LOG)
    assert {record["model"] for record in records} == {f"{wire} {how}" for how in HOWS}
    texts = {record["model"]: record["response_text"] for record in records}
    for how in ("reply", "escaped-reply", "stream"):
        assert "[redacted]" in texts[f"{wire} {how}"], how
    assert all("redacted" in (out / name).read_text() for name in (LOG, "results.jsonl", "report.json"))


@pytest.mark.parametrize(
    "how", quick_first(["401", "escaped-error-490", "404", "page-404", "500", "redirect", "encoding", "bad-status-240"], 2)
)
def test_a_failed_preflight_shows_no_key(how: str, planted: Planted) -> None:
    """A run that is refused before it starts says why for every wire, without the key."""
    config = planted.config([planted.model(wire, how) for wire in BASES])

    child = planted.run("--run", config, "--out", planted.folder / "run", preflight=True)

    assert child.code != 0
    assert len(planted.parrot.seen) >= 1
    for wire in BASES:
        assert f"{wire} {how}".encode() in child.stderr


BATCH_HOWS = ("batch", "batch-failed", "batch-refused", "batch-no-upload", "batch-no-results")


@pytest.mark.soak
@pytest.mark.parametrize("wire", BATCHED)
def test_batches_keep_no_key(wire: str, planted: Planted) -> None:
    """Whatever part of a batch repeats the key, before and after a kill while it is under way."""
    planted.parrot.finished = False
    config = planted.config([planted.model(wire, how) for how in BATCH_HOWS], questions=4, mode="batch", poll_s=0.05)
    out = planted.folder / "run"

    child = planted.nursery.start("--run", config, "--out", out)
    until(lambda: sum(path.endswith("batch_parrot") for path in planted.parrot.seen) >= 2)
    child.send(signal.SIGKILL)
    child.wait()
    planted.check_silent(child)
    planted.parrot.finished = True
    resumed = planted.run("resume", out)

    assert resumed.code == 3
    assert planted.run("status", out).code == 0
    records = strict_lines(out / LOG)
    good = [record for record in records if record["model"] == f"{wire} batch" and record["status"] == "ok"]
    assert len(good) == 2
    assert all("[redacted]" in record["response_text"] for record in good)


@pytest.mark.parametrize("again", [False, True], ids=["once", "twice"])
def test_an_interrupted_run_shows_no_key(again: bool, planted: Planted) -> None:
    """Ctrl-C, and a second one, while calls are in flight and others have failed with the key in their message."""
    hang = planted.model("openai", "401", name="hang", timeout_s=60.0)
    silent = Silent()
    with in_a_thread(silent.start, silent.stop) as url:
        hang["base_url"] = url
        config = planted.config([hang, *(planted.model("openai", how) for how in ("500", "stream", "escaped-reply"))])
        child = planted.nursery.start("--run", config, "--out", planted.folder / "run")
        until(lambda: len(planted.parrot.seen) >= 3 and (planted.folder / "run" / LOG).exists())
        child.send(signal.SIGINT)
        if again:
            until(lambda: b"stop" in child.stderr)
            child.send(signal.SIGINT)
        else:
            child.send(signal.SIGTERM)
        assert child.wait() == 130

    planted.check_silent(child)
    assert b"Traceback" not in child.stderr


class Silent:
    """A server that takes a request and never answers."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        """Listen, and return the base URL."""
        self._server = await asyncio.start_server(self._hold, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def stop(self) -> None:
        """Stop listening."""
        assert self._server is not None
        self._server.close()

    async def _hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()


# ------------------------------------------------------------------------------------------------------------- where keys stand

PLACES: dict[str, Table] = {
    "name": {"name": CANARY},
    "extra_body": {"extra_body": {"user": {"deep": [CANARY]}}},
    "field of extra_body": {"extra_body": {CANARY: 1}},
    "routing": {"routing": {"order": [CANARY]}},
    "model": {"model": CANARY},
    "base_url": {"base_url": f"http://127.0.0.1:1/{CANARY}/v1"},
    "query of base_url": {"base_url": f"http://127.0.0.1:1/v1?token={CANARY}"},
    "user of base_url": {"base_url": f"http://user:{CANARY.replace('/', '%2F')}@127.0.0.1:1/v1"},
    "reasoning_effort": {"reasoning_effort": CANARY},
    "target_mode": {"target_mode": CANARY},
    "display_name": {"display_name": CANARY},
    "api_key_env": {"api_key_env": CANARY},
    "wire": {"wire": CANARY},
    "api_version": {"api_version": CANARY},
    "source of price": {"price": {"input": 1, "output": 1, "source": CANARY}},
    "date of price": {"price": {"input": 1, "output": 1, "date": CANARY}},
    "price": {"price": {"input": CANARY, "output": 1}},
    "temperature": {"temperature": CANARY},
    "unknown setting": {CANARY: 1},
    "status": {"status": CANARY},
}


@pytest.mark.parametrize("verb", ["--run", "--dry-run"])
@pytest.mark.parametrize("place", PLACES)
def test_a_key_in_a_setting_of_a_model_is_refused(place: str, verb: str, planted: Planted) -> None:
    """Wherever in a config somebody put it: nothing is written, nothing is sent, and it is not shown; a plan may be."""
    model = {**planted.model("openrouter", "reply", name="m"), **PLACES[place]}
    config = planted.config([planted.model("openai", "reply", name="keyed"), model])
    arguments = ["--run", config, "--out", planted.folder / "run"] + (["--dry-run"] if verb == "--dry-run" else [])

    child = planted.nursery.run(*arguments)

    config.unlink()
    planted.check_silent(child)
    assert not (planted.folder / "run").exists()
    assert planted.parrot.seen == []
    assert child.code == 2 or verb == "--dry-run"


@pytest.mark.parametrize(
    "place", ["name", "kind", "question", "document", "row", "temperature of a row", "run", "table", "prompt", "prompt file"]
)
def test_a_key_in_another_setting_is_refused(place: str, planted: Planted) -> None:
    """The same for the rest of a config, names of files included."""
    model = planted.model("openai", "reply", name="m")
    config = panel([model], [asked("m")])
    match place:
        case "name" | "kind":
            config[place] = CANARY
        case "question":
            config["panel"]["questions"] = [f"what is {CANARY}?"]
        case "document":
            (planted.folder / f"{ORGANIZATION}.txt").write_text("Porosity is a share.")
            config["panel"]["documents"] = [f"{ORGANIZATION}.txt"]
        case "row":
            config["panel"]["doers"] = [asked(CANARY)]
        case "temperature of a row":
            config["panel"]["doers"] = [asked("m", temperature=CANARY)]
        case "run":
            config["run"]["max_calls"] = CANARY
        case "table":
            config["panel"][CANARY] = 1
        case "prompt":
            config["panel"]["prompts"] = {"doer_system": CANARY}
        case "prompt file":
            config["panel"]["prompts"] = {"doer_system": {"file": f"{ORGANIZATION}.md"}}
    path = write_config(planted.folder, config)

    child = planted.nursery.run("--run", path, "--out", planted.folder / "run")

    path.unlink()
    (planted.folder / f"{ORGANIZATION}.txt").unlink(missing_ok=True)
    planted.check_silent(child)
    assert child.code == 2
    assert planted.parrot.seen == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", f"run.max_calls={CANARY}"],
        ["--set", f"{CANARY}=1"],
        ["--set", CANARY],
        ["--models", CANARY],
        ["--only", CANARY],
        ["--out", f"runs/{ORGANIZATION}"],
    ],
    ids=["value", "key", "neither", "model", "item", "folder"],
)
def test_a_key_on_the_command_line_is_not_repeated(arguments: list[str], planted: Planted) -> None:
    """What somebody typed in the wrong place is on their own screen already, but goes into no file and into no message."""
    config = planted.config([planted.model("openai", "reply", name="m")])

    child = planted.run("--run", config, *arguments)

    assert child.code == 2
    assert planted.parrot.seen == []


def test_a_key_of_the_environment_is_as_secret(planted: Planted) -> None:
    """The same where the key is in no file: neither a mistake in the config nor a plan nor an error of the server shows it."""
    (planted.folder / ".env").unlink()
    for wrong in ({"temperature": CANARY}, {"target_mode": CANARY}, {}):
        config = planted.config([{**planted.model("openai", "401", name="m"), **wrong}])
        plan = planted.nursery.run("--run", config, "--dry-run", environment=SECRETS)
        child = planted.nursery.run("--run", config, "--out", planted.folder / "run", environment=SECRETS)
        config.unlink()

        planted.check_silent(plan)
        planted.check_silent(child)
        assert child.code == (2 if wrong else 3)


TOKENS = {
    "plain": "tok3nABCDEFgh0001",
    "JWT": "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0NTY3.SflKxwRJSMeKKF2QT4",
    "dotted": "sk.live.9f2K7Lq0wB5rJ",
}


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_in_an_address_is_written_nowhere(kind: str, planted: Planted) -> None:
    """A gateway's token that is part of the path, dots in it or not, is blotted out of a page that names the path."""
    token = TOKENS[kind]
    model = planted.model("openai", "path", name="m")
    model["base_url"] = f"{planted.url}/path/${{GATEWAY_PART}}/v1"
    config = planted.config([model])

    child = planted.nursery.run("--run", config, "--out", planted.folder / "run", environment={"GATEWAY_PART": token})

    assert any(token in path for path in planted.parrot.seen)
    assert b"[redacted]" in (planted.folder / "run" / LOG).read_bytes()
    for data in (child.stdout, child.stderr, *(file.read_bytes() for file in files_in(planted.folder))):
        assert_no_secret(data, token)


SHAPES = {
    "as a gateway has it": "tokCANARY77aa88bb99",
    "UUID": "3f2b8c1e-5d4a-4f6b-9c7d-1e2f3a4b5c6d",
    "AWS": "AKIAIOSFODNN7EXAMPLE",
    "Telegram": "bot123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PAL",
    "mixed": "a8Kq02Zx91LmPw7R",
    "capitals and digits": "QW12ER34",
    "quoted": "pa%2Bss%2Fword9",
}


WAYS = 12
"""Of the ways of handing back, how many are tried: each shape is redacted like the keys that all of them are tried with."""


@pytest.mark.parametrize("kind", quick_first(SHAPES, 2))
def test_a_token_in_an_address_out_of_a_variable_is_written_nowhere(kind: str, planted: Planted) -> None:
    """A variable that holds a whole address, with a token in its path and one in its query, whatever these look like: before a
    server that says the address in every place of a reply, in capitals and in base64, no file and no screen has them."""
    in_path, in_query = SHAPES[kind], f"7z{SHAPES[kind]}"
    models, variables = [], {}
    for number, how in enumerate(["path", *[*HOWS][:: len(HOWS) // WAYS]]):
        variables[f"GATEWAY_{number}_URL"] = f"{planted.url}/{how}/{in_path}/v1?sig={in_query}&api-version=2024-10-21"
        models.append(planted.model("openai", how, base_url=f"${{GATEWAY_{number}_URL}}", name=f"{number} {how}"))
    config, out = planted.config(models, max_calls=1000), planted.folder / "runs" / "one"
    for name, value in variables.items():
        with (planted.folder / ".env").open("a") as stream:
            stream.write(f"{name}='{value}'\n")

    told = [planted.nursery.run("--run", config, "--out", out)]
    told += [
        planted.nursery.run(*words)
        for words in (["models", "check", config], ["status", out], ["export", out, "--format", "md"])
    ]

    assert any(unquote(in_path) in path for path in planted.parrot.seen)
    assert b"[redacted]" in (out / LOG).read_bytes() and b"2024-10-21" in (out / LOG).read_bytes()
    files = [file.read_bytes() for file in files_in(planted.folder) if file.name != ".env"]
    for data in (*files, *(child.stdout for child in told), *(child.stderr for child in told)):
        for token in (in_path, unquote(in_path), in_query, unquote(in_query)):
            for spelling in {token, token.upper(), token.lower()}:
                assert_no_secret(data, spelling)


def test_open_words_of_an_address_stay() -> None:
    """Dates, versions, regions, names of models and words of providers' paths are no secrets; nor is what has no digit or is
    short. A word that looks like one of them and is longer is hidden."""
    stays = (
        "https://host42.example:8080/v1beta2/projects/x1/locations/us-central1/deployments/GPT-4o-2024-08-06/"
        "2024-10-21/20241021?api-version=2024-10-21-preview&region=eu-west-3&n=1234567"
    )
    hidden = "https://host.example/v1beta2x9a/us-central1234/2024-10-2178/gpt-4o-2024-08-06x?api-versions=12345678"

    assert [*secret_parts(stays, {"gpt-4o-2024-08-06"})] == []
    assert [*secret_parts(hidden, {"gpt-4o-2024-08-06"})] == [
        "v1beta2x9a", "us-central1234", "2024-10-2178", "gpt-4o-2024-08-06x", "12345678",
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------- catalogue


def test_a_stored_key_is_in_its_file_alone(planted: Planted) -> None:
    """A key comes in by standard input and is in .env; neither the screen nor another file has it, also when it is listed."""
    (planted.folder / ".env").unlink()
    for name, value in SECRETS.items():
        assert planted.told("keys", "set", name, stdin=f"{value}\n").code == 0
    assert planted.told("keys", "set", CANARY_VARIABLE, stdin=f"{CANARY}\n").code == 0
    assert planted.told("keys", "set", CANARY, stdin=f"{CANARY}\n").code == 2
    assert planted.told("keys", "set", "OTHER_KEY", stdin=f"{CANARY}\x07\n").code == 2
    added = ["--set", "wire=openai", "--set", "model=m", "--set", f"api_key_env={CANARY_VARIABLE}"]
    assert planted.told("models", "add", "mine", *added, "--set", f"base_url={planted.url}/reply/v1").code == 0
    assert planted.told("models", "list").code == 0
    listed = planted.told("models", "list", "--json")

    planted.check_files()
    assert {entry["name"]: entry["key_is_set"] for entry in json.loads(listed.stdout)}["mine"] is True
    assert CANARY in (planted.folder / ".env").read_text()


@pytest.mark.parametrize(
    "setting",
    ["api_key=", "api_key_env=", "extra_body.authorization=Bearer ", "extra_body.user=", "base_url=http://127.0.0.1:1/"],
)
def test_a_model_is_not_added_with_a_key(setting: str, planted: Planted) -> None:
    """A key that is typed as a setting of a model is neither kept nor repeated."""
    done = planted.told("models", "add", "mine", "--set", "model=gpt-5-mini", "--set", f"{setting}{CANARY}")

    planted.check_files()
    assert done.code == 2


def test_an_import_brings_no_key(planted: Planted) -> None:
    """A registry with keys in it, where such files have them, is refused or read without them."""
    entry = {"name": "mine", "provider": "openai", "model_id": "gpt-5-mini", "api_key": CANARY, "headers": {"x": ORGANIZATION}}
    for content in ({"models": [entry]}, [entry], {"mine": entry}, entry):
        path = planted.folder / "registry.json"
        path.write_text(json.dumps(content))
        planted.told("models", "import", path)
        path.unlink()
        planted.check_files()
    planted.told("models", "list", "--json")


@pytest.mark.parametrize("as_json", quick_first([False, True]), ids=["text", "json"])
def test_a_check_shows_no_key(as_json: bool, planted: Planted, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A check of models on every wire whose servers repeat the key in answers, errors and lists of models."""
    hows = ("reply", "escaped-reply", "401", "escaped-error-490", "page-502", "redirect", "headers", "repair", "escaped-repair")
    workspace = Workspace(planted.folder)
    models = [(f"{wire} {how}", _spec(planted, wire, how)) for wire in BASES for how in hows]

    code = checking.check_command(models, workspace, [planted.folder / ".env"], as_json)

    out, err = capfdbinary.readouterr()
    assert_clean(out)
    assert_clean(err)
    planted.check_files()
    assert code == 3
    assert b"[redacted]" in out
    assert any(path.endswith("/models") for path in planted.parrot.seen)


def _spec(planted: Planted, wire: str, how: str) -> ModelSpec:
    table = planted.model(wire, how)
    names = ("name", "wire", "model", "base_url", "api_key_env", "organization_env")
    return ModelSpec(**{name: table[name] for name in names})


def test_checking_and_looking_for_servers_from_the_command_line(planted: Planted) -> None:
    """models check shows no key; models discover sends none, so that nobody can repeat one, and puts none on file."""
    config = planted.config([planted.model(wire, "reply") for wire in BASES] + [planted.model("openai", "401")])
    checked = [planted.run("models", "check", config), planted.run("models", "check", config, "--json")]
    config.unlink()
    found = planted.run("models", "discover", "--ports", planted.url.rpartition(":")[2], "--add", "all")

    assert [child.code for child in checked] == [3, 3]
    assert b"[redacted]" in checked[0].stdout
    assert found.code in (0, 2)


# ------------------------------------------------------------------------------------------------------------------- crashes

KEY = f"__import__('dotenv').dotenv_values('.env')['{CANARY_VARIABLE}']"
CRASHES = {
    "decode": f"""
        import dataclasses
        from tui_eval.providers import WIRES
        def decode(status, headers, body):
            raise RuntimeError("decoding with " + {KEY})
        WIRES["openai"] = dataclasses.replace(WIRES["openai"], decode=decode)
    """,
    "encode": f"""
        import dataclasses
        from tui_eval.providers import WIRES
        def encode(call, model, repairs):
            raise ValueError({{"authorization": {KEY}}})
        WIRES["openai"] = dataclasses.replace(WIRES["openai"], encode=encode)
    """,
    "headers": """
        from tui_eval.engine.http.send import Sender
        made = Sender._http
        def spoilt(self, *arguments):
            request = made(self, *arguments)
            raise TypeError(f"bad headers {request.headers.raw} {dict(request.headers)}")
        Sender._http = spoilt
    """,
    "task": f"""
        import asyncio, dataclasses
        from tui_eval.providers import WIRES
        whole = WIRES["openai"].decode
        async def lost():
            raise RuntimeError("lost with " + {KEY})
        def decode(status, headers, body):
            asyncio.get_running_loop().create_task(lost())
            return whole(status, headers, body)
        WIRES["openai"] = dataclasses.replace(WIRES["openai"], decode=decode)
    """,
    "callback": f"""
        import asyncio, dataclasses
        from tui_eval.providers import WIRES
        whole = WIRES["openai"].decode
        def raising():
            raise RuntimeError("called back with " + {KEY})
        def decode(status, headers, body):
            asyncio.get_running_loop().call_soon(raising)
            return whole(status, headers, body)
        WIRES["openai"] = dataclasses.replace(WIRES["openai"], decode=decode)
    """,
    "warning": f"""
        import dataclasses, warnings
        from tui_eval.providers import WIRES
        whole = WIRES["openai"].decode
        def decode(status, headers, body):
            warnings.warn("a warning about " + {KEY})
            return whole(status, headers, body)
        WIRES["openai"] = dataclasses.replace(WIRES["openai"], decode=decode)
    """,
    "logging": f"""
        import dataclasses, logging
        from tui_eval.providers import WIRES
        whole = WIRES["openai"].decode
        def decode(status, headers, body):
            logging.getLogger("aiohttp.client").error("request with %s", {KEY})
            return whole(status, headers, body)
        WIRES["openai"] = dataclasses.replace(WIRES["openai"], decode=decode)
    """,
    "prepare": f"""
        from tui_eval.session import preparing
        def prepare(*arguments, **more):
            raise RuntimeError("no folder for " + {KEY})
        preparing.prepare = prepare
    """,
    "report": f"""
        from tui_eval.engine import run
        def derive(*arguments, **more):
            raise RuntimeError("no report for " + {KEY})
        run.derive = derive
    """,
    "summary": f"""
        from tui_eval.cli import running
        def result_text(*arguments, **more):
            raise RuntimeError("no summary for " + {KEY})
        running.result_text = result_text
    """,
}


@pytest.mark.parametrize("where", quick_first(CRASHES))
def test_a_bug_of_ours_shows_no_key(where: str, planted: Planted) -> None:
    """Whatever raises, wherever, with the key in what it says: traceback, run.log and screen are without it."""
    config = planted.config([planted.model("openai", "reply"), planted.model("openai", "500")])
    program = textwrap.dedent(CRASHES[where]) + textwrap.dedent(
        """
        import sys
        from tui_eval.cli import command_line
        sys.exit(command_line.main(sys.argv[1:]))
        """
    )
    (planted.folder.parent / "program.py").write_text(program)
    command = [sys.executable, planted.folder.parent / "program.py", "--run", config, "--out", "run", "--no-preflight"]

    done = subprocess.run([*map(str, command)], capture_output=True, timeout=240, check=False)

    assert_clean(done.stdout)
    assert_clean(done.stderr)
    planted.check_files()
    assert done.returncode in (0, 3, 70), done.stderr


# ---------------------------------------------------------------------------------------------------------------- short keys


def test_a_short_key_is_never_written_by_ourselves(planted: Planted) -> None:
    """A key of seven letters is no secret worth blotting out of every text, but where nobody repeats it, it is nowhere."""
    (planted.folder / ".env").write_text(f"{CANARY_VARIABLE}=zq9x7vw\n{ORGANIZATION_VARIABLE}=w8k3jqz\n")
    config = planted.config(_mute(planted))

    child = planted.run("--run", config, "--out", planted.folder / "run")

    assert child.code in (0, 3)
    for file in files_in(planted.folder):
        if file.name != ".env":
            assert b"zq9x7vw" not in file.read_bytes() and b"w8k3jqz" not in file.read_bytes(), file
    assert b"zq9x7vw" not in child.stdout + child.stderr


def _mute(planted: Planted) -> list[Table]:
    """Models that nobody answers: every wire, at a port where nobody listens."""
    return [{**planted.model(wire, "none", name=wire), "base_url": "http://127.0.0.1:9/v1"} for wire in BASES]
