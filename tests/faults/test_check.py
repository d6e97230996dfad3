"""Checks of models against real servers on loopback: what works is found out, what does not is explained by its sentence."""

from __future__ import annotations

import contextlib
import json
import threading
import time
import tomllib
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fault_bench import CANARY, Peer, Table, closed_port
from http_paths import PATHS, on_path
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import assert_no_secret

from tui_eval.cli.checking import check_command, check_text
from tui_eval.core.calls import ModelSpec, Price, Repair
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import visible
from tui_eval.engine import check as engine_check
from tui_eval.engine.check import Finding
from tui_eval.engine.preflight import QUESTION
from tui_eval.models import check_notes, learned
from tui_eval.providers import WIRES
from tui_eval.workspace.places import Workspace

Told = tuple[int, Any] | None
"""HTTP status and body (bytes are a page); None = hang up."""
NOT_FOUND = b"<html><head><title>404 Not Found</title></head><body><center>nginx</center></body></html>"
TODAY = date(2026, 11, 21)


class Server:
    """A server on loopback that answers by a function of (path, body) and keeps what it was sent."""

    def __init__(self, answer: Callable[[str, Table], Told]) -> None:
        self.bodies: list[Table] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers.get("content-length", 0)))
                body = json.loads(sent) if sent else {}
                outer.paths.append(self.path)
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                if sent:
                    outer.bodies.append(body)
                told = answer(self.path, body)
                if told is None:
                    self.close_connection = True
                    return
                status, content = told
                reply = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("content-type", "text/html" if isinstance(content, bytes) else "application/json")
                self.send_header("content-length", str(len(reply)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(reply)

            do_GET = do_POST  # noqa: N815 - the library's name

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"http://{self.host}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


Serve = Callable[[Callable[[str, Table], Told]], Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers, and ends them."""
    made: list[Server] = []

    def start(answer: Callable[[str, Table], Told]) -> Server:
        made.append(Server(answer))
        return made[-1]

    yield start
    for server in made:
        server.close()


def completion(text: str = "OK", finish: str = "stop", **more: Any) -> tuple[int, Table]:
    """A sound chat completion."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    return 200, {"model": "served", "choices": [choice], "usage": usage, **more}


def refusal(status: int, message: str, **more: Any) -> tuple[int, Table]:
    """An error in OpenAI's form."""
    return status, {"error": {"message": message, "type": "invalid_request_error", **more}}


def listing(*entries: Table | str) -> tuple[int, Table]:
    """A list of models."""
    return 200, {"object": "list", "data": [{"id": e} if isinstance(e, str) else e for e in entries]}


def sound(path: str, body: Table) -> Told:
    """What a server says with which all is well."""
    if path == "/v1/models":
        return listing("gpt-good", "gpt-other")
    return completion('{"ok": true}' if "response_format" in body else "OK")


def has_image(body: Table) -> bool:
    """Whether an image came along."""
    return isinstance(body["messages"][0]["content"], list)


def spec(url: str | None, name: str = "m", model: str = "gpt-good", **more: Any) -> ModelSpec:
    """A model at this address."""
    return ModelSpec(name, more.pop("wire", "openai"), model, base_url=url, **more)


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[Table]]:
    """Checks models as the command does, and reads what it prints as JSON; its exit code goes with what it found."""

    def run(*models: ModelSpec | str) -> list[Table]:
        named = [(model if isinstance(model, str) else model.name, model) for model in models]
        code = check_command(named, Workspace(tmp_path), [], True)
        found = json.loads(capsys.readouterr().out)
        assert code == (0 if all(entry["answers"] for entry in found) else 3)
        assert isinstance(found, list)
        return found

    return run


def seven(serve: Serve) -> list[ModelSpec]:
    """One model that works, and six that are broken, each in its own way."""

    def answer(path: str, body: Table) -> Told:
        if not path.startswith("/v1/"):
            return 404, NOT_FOUND
        if body.get("model") == "gpt-good" or path == "/v1/models":
            return sound(path, body)
        if body["model"] == "gpt-key":
            return refusal(401, f"Incorrect API key provided: {CANARY}.", code="invalid_api_key")
        if body["model"] == "gpt-poor":
            return refusal(429, "You exceeded your current quota.", code="insufficient_quota")
        return refusal(404, f"The model `{body['model']}` does not exist", code="model_not_found")

    server = serve(answer)
    key = {"api_key_env": "CANARY_API_KEY"}
    return [
        spec(server.url, "works", **key),
        spec(f"http://127.0.0.1:{closed_port()}/v1", "closed", **key),
        spec(f"https://{server.host}/v1", "scheme", **key),
        spec(f"http://{server.host}/v2", "path", **key),
        spec(server.url, "key", "gpt-key", **key),
        spec(server.url, "model", "gpt-goood", **key),
        spec(server.url, "quota", "gpt-poor", **key),
    ]


SENTENCES = {
    "closed": ("cannot connect", "nothing listens at http://127.0.0.1:"),
    "scheme": ("TLS failed", "write http:// instead of https://"),
    "path": ("HTTP 404: 404 Not Found", "/v2/chat/completions", "correct base_url"),
    "key": ("HTTP 401", "tui-eval keys set CANARY_API_KEY"),
    "model": ("HTTP 404", 'change model = "gpt-goood"', "the nearest in its list: gpt-good, gpt-other"),
    "quota": ("HTTP 429", "add credit to the account"),
}


def test_one_working_and_six_broken_models_are_all_explained(
    serve: Serve, checked: Callable[..., list[Table]], canary: str
) -> None:
    """Each broken model has its own sentence, with what is wrong and what to change; the working one has none."""
    found = {entry["name"]: entry for entry in checked(*seven(serve))}

    assert [name for name, entry in found.items() if entry["answers"]] == ["works"]
    for name, parts in SENTENCES.items():
        assert [part for part in parts if part not in found[name]["problem"]] == [], found[name]["problem"]
    advice = {entry["problem"].partition("; ")[2] for entry in found.values()}
    assert len(advice) == 7
    assert {name: entry["reachable"] for name, entry in found.items()} == {
        "works": True,
        "closed": False,
        "scheme": False,
        "path": True,
        "key": True,
        "model": True,
        "quota": True,
    }
    keys = {name: entry["key"] for name, entry in found.items()}
    assert keys.pop("works") == keys.pop("quota") == "accepted"
    assert keys.pop("key") == "refused"
    assert set(keys.values()) == {"unknown"}


def test_the_screen_explains_all_seven(serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str], canary: str) -> None:
    """A row for each model, and the same sentences in lines that fit; the narration stands on stderr."""
    models = seven(serve)

    code = check_command([(model.name, model) for model in models], Workspace(tmp_path), [], False)

    shown = capsys.readouterr()
    words = " ".join(shown.out.split())
    assert code == 3
    assert [part for parts in SENTENCES.values() for part in parts if part not in words] == []
    assert max(map(len, shown.out.splitlines())) < 80
    rows = {line.split()[0]: line.split()[1:] for line in shown.out.splitlines()[2:9]}
    assert {name for name, row in rows.items() if row[0] == "NO"} == set(SENTENCES)
    assert rows["works"][2:] == ["max_tokens", "yes", "yes", "yes", "unknown"]
    assert shown.err.splitlines()[0] == "asking 7 models a few tiny questions ..."
    assert shown.err.splitlines()[-1].startswith("1 of 7 answer; ")


@pytest.mark.parametrize("path", PATHS)
def test_a_version_of_aiohttp_that_was_not_tried_is_named(
    path: str, serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, where requests go through httpx for that reason."""
    with on_path(path):
        check_command([("works", spec(serve(sound).url))], Workspace(tmp_path), [], False)

    assert capsys.readouterr().err.count("is not among the versions tried") == (path == "httpx")


def test_a_working_model_is_asked_four_times(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """The question, with a schema, with an image that can be read as one, and the list; everything found out is told."""
    server = serve(sound)

    found = checked(spec(server.url))[0]

    assert sorted(server.paths) == ["/v1/chat/completions"] * 3 + ["/v1/models"]
    assert found["requests"] == 4
    assert (found["limit_field"], found["temperature"], found["json_schema"]) == ("max_tokens", True, "accepted")
    assert (found["images"], found["cost"], found["served_model"]) == ("accepted", "unknown", "served")
    assert (found["listed"], found["key"], found["address"]) == (True, "not needed", server.url)
    assert found["latency_ms"] >= 0 and found["notes"] == [] and not found["simulated"]
    image = next(body for body in server.bodies if has_image(body))["messages"][0]["content"][0]["image_url"]["url"]
    png = b64decode(image.removeprefix("data:image/png;base64,"))
    assert png[:16] == b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    length = int.from_bytes(png[33:37])
    assert png[37:41] == b"IDAT" and len(zlib.decompress(png[41 : 41 + length])) == 64 * 65


def test_what_a_server_refuses_is_learnt_and_kept(serve: Serve, checked: Callable[..., list[Table]], tmp_path: Path) -> None:
    """A model that reasons takes neither max_tokens nor temperature: it is asked without, and later runs know."""

    def answer(path: str, body: Table) -> Told:
        if "max_tokens" in body:
            return refusal(400, "Unsupported parameter: use another", param="max_tokens", code="unsupported_parameter")
        if "temperature" in body:
            return refusal(400, "temperature does not support 0.0", param="temperature", code="unsupported_value")
        return sound(path, body)

    model = spec(serve(answer).url, "reasons")

    found = checked(model)[0]

    assert (found["answers"], found["limit_field"], found["temperature"]) == (True, "max_completion_tokens", False)
    assert found["requests"] == 6
    assert len(found["notes"]) == 2
    known = {"max_tokens": Repair("max_tokens", rename_to="max_completion_tokens"), "temperature": Repair("temperature")}
    assert learned.learned(Workspace(tmp_path), [model]) == {"reasons": known}


def test_what_is_no_longer_refused_is_forgotten(serve: Serve, checked: Callable[..., list[Table]], tmp_path: Path) -> None:
    """A check finds everything out anew; of a model that does not answer, what was known stays known."""
    workspace = Workspace(tmp_path)
    mended, gone = spec(serve(sound).url, "mended"), spec(f"http://127.0.0.1:{closed_port()}/v1", "gone")
    for model in (mended, gone):
        learned.remember(workspace, model, Repair("temperature"))

    checked(mended, gone)

    assert learned.learned(workspace, [mended, gone]) == {"gone": {"temperature": Repair("temperature")}}


def test_a_server_that_refuses_everything_is_not_asked_for_ever(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """A parameter is repaired once; a server that refuses it after that cannot be asked."""
    server = serve(lambda path, body: refusal(400, "Unsupported parameter: max_tokens", param="max_tokens"))

    found = checked(spec(server.url))[0]

    assert "Unsupported parameter" in found["problem"]
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    ("told", "outcome"),
    [
        (refusal(400, "response_format is not supported", param="response_format"), "refused"),
        (completion("OK"), "ignored"),
        (completion('{"ok": "yes"}'), "ignored"),
        (completion('```json\n{"ok": true}\n```'), "ignored"),
        (completion('{"ok": false}'), "accepted"),
        (refusal(503, "overloaded"), None),
        (completion("", "length"), None),
    ],
)
def test_a_json_schema_is_accepted_ignored_or_refused(
    serve: Serve, checked: Callable[..., list[Table]], told: Told, outcome: str | None
) -> None:
    """Only an object as the schema has it counts as accepted; a failure that says nothing of schemas is not found out."""
    server = serve(lambda path, body: told if "response_format" in body else sound(path, body))

    found = checked(spec(server.url))[0]

    assert (found["answers"], found["json_schema"]) == (True, outcome)
    assert ("JSON schema: not known" in " ".join(found["notes"])) is (outcome is None)


@pytest.mark.parametrize(
    ("told", "outcome"),
    [
        (refusal(400, "image input is not supported"), "refused"),
        (refusal(404, "No endpoints found that support image input"), "refused"),
        (refusal(500, "boom"), None),
        (refusal(429, "slow down"), None),
        (completion("", "length"), "accepted"),
    ],
)
def test_images_are_accepted_or_refused(
    serve: Serve, checked: Callable[..., list[Table]], told: Told, outcome: str | None
) -> None:
    """A server without images refuses them; one that is busy has not said."""
    server = serve(lambda path, body: told if body and has_image(body) else sound(path, body))

    found = checked(spec(server.url))[0]

    assert (found["answers"], found["images"]) == (True, outcome)


def test_llama_cpp_refuses_an_image_with_a_500(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """What that wire knows of its server counts."""
    no = refusal(500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj")
    server = serve(lambda path, body: no if body and has_image(body) else sound(path, body))

    assert checked(spec(server.url, wire="llama.cpp"))[0]["images"] == "refused"


def test_an_interface_without_images_is_not_asked_for_them(
    serve: Serve, checked: Callable[..., list[Table]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the wire carries none, nothing is sent."""
    monkeypatch.setitem(WIRES, "openai", replace(WIRES["openai"], accepts=frozenset()))
    server = serve(sound)

    found = checked(spec(server.url))[0]

    assert found["images"] == "not by this interface"
    assert not any(map(has_image, server.bodies))


@pytest.mark.parametrize(
    ("more", "price", "source"),
    [
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 1, "cost": 0.00002}}, None, "reported"),
        ({}, Price(1.0, 2.0), "priced"),
        ({}, None, "unknown"),
        ({"usage": None}, Price(1.0, 2.0), "unknown"),
    ],
)
def test_where_the_cost_is_known_from(
    serve: Serve, checked: Callable[..., list[Table]], more: Table, price: Price | None, source: str
) -> None:
    """From the server, from the model's price where the tokens are told, or not at all."""
    server = serve(lambda path, body: completion(**more))

    assert checked(spec(server.url, price=price))[0]["cost"] == source


def test_the_end_of_life_comes_from_the_list(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """As a date, with the days that are left."""
    server = serve(
        lambda path, body: listing({"id": "gpt-good", "shutdown_date": "2999-01-02"}) if "models" in path else sound(path, body)
    )

    found = checked(spec(server.url))[0]

    assert found["shutdown_date"] == "2999-01-02"
    assert found["days_left"] == (date(2999, 1, 2) - date.today()).days


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("2026-12-11", "will be switched off on 2026-12-11 (in 20 days)"),
        ("2026-11-22", "(in 1 day)"),
        ("2026-11-21", "(today)"),
        ("2026-01-14", "was to be switched off on 2026-01-14 (311 days ago)"),
        ("2027-06-01", ""),
        ("2026-02-31", ""),
        (None, ""),
    ],
)
def test_an_end_within_ninety_days_is_a_warning(day: str | None, words: str) -> None:
    """With the days that are left; a date that has passed says so, and one that is no date is only shown."""
    text = " ".join(check_text([Finding("old", shutdown_date=day)], TODAY).split())

    assert ("ENDING" in text) is bool(words)
    assert words in text
    assert day is None or day in text


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (completion("", "length"), "the token limit was used up"),
        (completion(""), "a reply without text"),
        (completion("", "content_filter"), "declined"),
    ],
)
def test_a_reply_without_text_is_an_answer_all_the_same(
    serve: Serve, checked: Callable[..., list[Table]], told: Told, words: str, canary: str
) -> None:
    """The model is reached and its key accepted; that its reply is no use is said in words."""
    server = serve(lambda path, body: told)

    found = checked(spec(server.url, api_key_env=canary))[0]

    assert (found["answers"], found["reachable"], found["key"]) == (True, True, "accepted")
    assert words in found["notes"][0]


@pytest.mark.parametrize("body", [{"status": "healthy"}, {"data": []}, [], b"<html><title>Welcome</title></html>", b"hello"])
def test_a_200_that_is_no_reply_is_a_problem(serve: Serve, checked: Callable[..., list[Table]], body: Any) -> None:
    """Something else than a model answers there."""
    server = serve(lambda path, _: (200, body))

    found = checked(spec(server.url))[0]

    assert not found["answers"]
    assert found["problem"].startswith("HTTP 200")
    assert found["key"] == "unknown"


def test_a_lost_connection_is_tried_once_more(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """And only a lost one, only once: a server that always hangs up sees two requests."""
    hangs_up: list[int] = []

    def first_time(path: str, body: Table) -> Told:
        hangs_up.append(1)
        return None if len(hangs_up) == 1 else sound(path, body)

    found = checked(spec(serve(first_time).url, "once"), spec(serve(lambda path, body: None).url, "always"))

    assert [(entry["answers"], entry["requests"]) for entry in found] == [(True, 5), (False, 2)]
    assert "connection lost" in found[1]["problem"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_refusal_is_not_tried_again(serve: Serve, checked: Callable[..., list[Table]], status: int) -> None:
    """One request tells what there is to tell."""
    server = serve(lambda path, body: refusal(status, "not now"))

    found = checked(spec(server.url))[0]

    assert f"HTTP {status}: not now" in found["problem"]
    assert len(server.bodies) == 1


def test_a_silent_server_is_given_up_in_time(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """At the model's own time limit; the others do not wait for it, and it is not asked again. The request may not have come
    within that time, on a machine that stood still."""
    over = threading.Event()

    def silent(path: str, body: Table) -> Told:
        over.wait(300)
        return None

    server = serve(silent)

    began = time.monotonic()
    found = checked(spec(server.url, "silent", timeout_s=0.3), spec(serve(sound).url, "sound"))
    took = time.monotonic() - began
    over.set()

    assert took < 60
    assert "no complete reply within 0.3 s" in found[0]["problem"]
    assert (found[0]["reachable"], found[0]["requests"]) == (False, 1)
    assert len(server.bodies) <= 1
    assert found[1]["answers"]


def test_a_list_is_asked_for_once_for_all_its_models(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """However many models of a server are checked."""
    server = serve(sound)

    found = checked(*(spec(server.url, f"m{i}") for i in range(5)))

    assert server.paths.count("/v1/models") == 1
    assert [entry["listed"] for entry in found] == [True] * 5
    assert sum(entry["requests"] for entry in found) == 16


@pytest.mark.parametrize("told", [(404, NOT_FOUND), (200, b"<html>"), (200, {"data": None}), (500, {}), None])
def test_a_list_that_fails_is_no_problem_of_the_model(serve: Serve, checked: Callable[..., list[Table]], told: Told) -> None:
    """Whether it is in the list is not found out, and that is all."""
    server = serve(lambda path, body: told if path == "/v1/models" else sound(path, body))

    found = checked(spec(server.url))[0]

    assert (found["answers"], found["listed"], found["notes"]) == (True, None, [])


def test_a_model_that_is_not_in_the_list_may_be_another(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """llama.cpp answers to any name: that the list does not have it is said."""
    found = checked(spec(serve(sound).url, model="no-such-model"), spec(serve(sound).url, "tagged", "gpt-good"))

    assert (found[0]["answers"], found[0]["listed"]) == (True, False)
    assert "does not have 'no-such-model'" in found[0]["notes"][0]
    assert found[1]["notes"] == []


def test_a_deployment_is_not_looked_for_in_a_list_of_models(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """Its name is its owner's own."""
    server = serve(lambda path, body: refusal(404, "The API deployment does not exist", code="DeploymentNotFound"))

    found = checked(spec(server.url, wire="azure"))[0]

    assert found["listed"] is None
    assert "must be the name of a deployment" in found["problem"]
    assert server.paths == ["/v1/chat/completions"]


def test_a_model_that_cannot_be_asked_is_in_the_report(serve: Serve, checked: Callable[..., list[Table]]) -> None:
    """With the reason it was given, or what its variables lack; the others are checked all the same."""
    server = serve(sound)

    found = checked(
        "its key variable is not set",
        spec(server.url, "keyless", api_key_env="NO_SUCH_KEY_4711"),
        spec("${NO_SUCH_BASE_4711}/v1", "placeless"),
        spec(None, "imported", wire="recorded"),
        spec(None, "resource", wire="azure"),
        spec(server.url, "fine"),
    )

    problems = {entry["name"]: entry["problem"] for entry in found}
    assert problems.pop("its key variable is not set") == "its key variable is not set"
    assert "NO_SUCH_KEY_4711 is not set" in problems["keyless"]
    assert "NO_SUCH_BASE_4711 is not set" in problems["placeless"]
    assert "imported" in problems["imported"]
    assert "needs the base_url" in problems["resource"]
    assert problems["fine"] == ""
    assert [entry["requests"] for entry in found] == [0, 0, 0, 0, 0, 4]


def test_without_any_model_the_next_step_is_told(tmp_path: Path) -> None:
    """Nothing to check is a mistake that can be mended."""
    with pytest.raises(ConfigError, match="tui-eval models add"):
        check_command([], Workspace(tmp_path), [], False)


def test_a_simulated_model_is_labelled(checked: Callable[..., list[Table]], peer: Peer) -> None:
    """Whether the program starts the simulator, or it stands behind another wire."""
    found = checked(spec(None, wire="simulator", model="bench"), spec(peer.url, "openai", "bench"))

    assert [(entry["answers"], entry["simulated"]) for entry in found] == [(True, True), (True, True)]
    assert "simulated, so these findings say nothing of real models: m" in check_text([Finding("m", simulated=True)], TODAY)


@pytest.mark.parametrize("wire", ["openai", "openai-responses", "anthropic", "llama.cpp", "vllm", "lmstudio", "ollama"])
def test_every_interface_of_the_simulator_passes(checked: Callable[..., list[Table]], peer: Peer, wire: str) -> None:
    """Requests and replies of each wire are understood as they are."""
    found = checked(spec(peer.url, wire=wire, model="bench"))[0]

    assert found["problem"] == ""
    assert found["limit_field"] == ("max_output_tokens" if wire == "openai-responses" else "max_tokens")
    assert (found["temperature"], found["images"]) == (True, "accepted")


def escaped(content: Table) -> bytes:
    """JSON in which the key is written letter by letter, as no search through the bytes finds it."""
    return json.dumps(content).replace(CANARY, "".join(f"\\u{ord(letter):04x}" for letter in CANARY)).encode()


def echoing(path: str, body: Table) -> Told:
    """A server that repeats the key wherever it can."""
    if path == "/v1/models":
        return listing({"id": f"gpt-good{CANARY}"}, {"id": "gpt-good", "shutdown_date": "2027-01-01", "owned_by": CANARY})
    if body["model"] == "refuses":
        return refusal(404, f"The model refuses-{CANARY} does not exist", code="model_not_found")
    if body["model"] == "escapes in an error":
        return 400, escaped(refusal(400, f"no such key: {CANARY}")[1])
    if body["model"] == "escapes in a reply":
        return 200, escaped(completion(CANARY, model=f"served {CANARY}")[1])
    if body["model"] == "page":
        return 404, f"<html><title>{CANARY}</title></html>".encode()
    if "temperature" in body:
        return refusal(400, f"Unsupported: {CANARY}", param="temperature", code="unsupported_value")
    if "response_format" in body:
        return refusal(503, f"busy with {json.dumps(CANARY)}")
    return completion(CANARY, model=CANARY)


ECHOES = ("gpt-good", "refuses", "page", "escapes in an error", "escapes in a reply")


@pytest.mark.parametrize("as_json", [True, False])
def test_a_key_that_servers_repeat_is_shown_nowhere(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str], canary: str, as_json: bool
) -> None:
    """Not on the screen, not in JSON, not in what is kept."""
    server = serve(echoing)
    models = [
        *(spec(server.url, name, name, api_key_env=canary) for name in ECHOES),
        spec(f"http://127.0.0.1:{closed_port()}/${{{canary}}}", "address"),
        spec("http://no host/${CANARY_API_KEY}", "nowhere", api_key_env=canary),
    ]

    check_command([(model.name, model) for model in models], Workspace(tmp_path), [], as_json)

    shown = capsys.readouterr()
    assert all(CANARY in headers["authorization"] for headers in server.headers), "the key was not even sent"
    assert "[redacted]" in shown.out
    kept = (tmp_path / ".conf" / "learned.toml").read_bytes()
    assert tomllib.loads(kept.decode())["learned"][0]["parameter"] == "temperature"
    for text in (shown.out.encode(), shown.err.encode(), kept):
        assert_no_secret(text)


def test_what_servers_say_cannot_steer_the_terminal(serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes in errors, in names of models and in lists are shown, not sent."""
    evil = "\x1b[2J\u202eevil\x07\x9b"

    def answer(path: str, body: Table) -> Told:
        if path == "/v1/models":
            return listing(f"gpt-good{evil}")
        return refusal(404, f"no model {evil}", code="model_not_found")

    check_command([(evil, spec(serve(answer).url, evil, f"gpt-good{evil[1:]}"))], Workspace(tmp_path), [], False)

    shown = capsys.readouterr()
    assert "the nearest in its list" in " ".join(shown.out.split()) or "its list has" in " ".join(shown.out.split())
    assert all(letter.isprintable() or letter == "\n" for letter in shown.out + shown.err)


names = st.text(min_size=1, max_size=200)


@settings(max_examples=50, deadline=None)
@given(st.lists(names, min_size=1, max_size=4), st.booleans(), names, st.none() | st.just("2026-12-01"))
def test_the_table_fits_a_screen_whatever_the_names(found: list[str], broken: bool, words: str, day: str | None) -> None:
    """No row is wider than a screen, and nothing in the report is unprintable."""
    report = [
        Finding(name, limit_field="max_completion_tokens", latency_ms=99, cost="reported", json_schema="ignored",
                problem=words if broken else "", notes=(words,), shutdown_date=day)
        for name in found
    ]  # fmt: skip

    text = check_text(report, TODAY)

    assert max(map(len, text.split("\n")[: len(found) + 2])) < 80
    assert visible(text) == text


def test_what_the_app_says_of_a_check_beforehand_is_no_less_than_it_asks() -> None:
    """The question before a check rests on how often, and with how many tokens, a check asks at most."""
    alone, with_schema, with_image, once_more = 1 + engine_check.MOST_REPAIRS, 1, 1, 2

    assert (alone + with_schema + with_image) * once_more == check_notes.MOST_QUESTIONS
    assert with_image * once_more == check_notes.WITH_IMAGE and check_notes.REPLY_TOKENS == engine_check.MAX_TOKENS
    questions = sum(len(message.content) for message in QUESTION) + len(json.dumps(engine_check.SCHEMA))
    assert questions + 64 < check_notes.QUESTION_TOKENS
