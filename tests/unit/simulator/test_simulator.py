"""Laws of the simulator: same request same reply, every request counted, every fault as ordered, no false claim."""

import asyncio
import gzip
import io
import json
import math
import signal
import subprocess
import sys
import tomllib
import urllib.request
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from fault_bench import Watched
from soaking import quick_first

from tui_eval.simulator import personas
from tui_eval.simulator.answers import knowledge, open_replies
from tui_eval.simulator.answers.open_replies import Seed
from tui_eval.simulator.answers.prompt import understand
from tui_eval.simulator.apis import broken_wire, faults

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = REPOSITORY / "examples"
KNOWN = "QUESTION: What do the children call the grey seal?\n"


@dataclass(frozen=True, slots=True)
class Got:
    """One reply as it came over the wire."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def text(self) -> Any:
        return self.body["choices"][0]["message"]["content"]


class Client:
    """A plain HTTP client of one simulator; it unpacks nothing and follows nothing."""

    def __init__(self, session: aiohttp.ClientSession, url: str, simulator: Watched) -> None:
        self.session = session
        self.url = url
        self.simulator = simulator

    async def ask(self, model: str, text: str = KNOWN, *, client_id: str = "", **fields: Any) -> Got:
        body = {"model": model, "messages": [{"role": "user", "content": text}], **fields}
        return await self.post("/chat/completions", json.dumps(body).encode(), client_id)

    async def post(self, path: str, raw: bytes, client_id: str = "") -> Got:
        headers = {"Authorization": "Bearer sk-simulated-1234", "X-Client-Request-Id": client_id}
        async with self.session.post(self.url + path, data=io.BytesIO(raw), headers=headers, allow_redirects=False) as reply:
            return Got(reply.status, {name.lower(): value for name, value in reply.headers.items()}, await reply.read())

    async def stats(self, query: str = "") -> Any:
        async with self.session.get(self.url.removesuffix("/v1") + "/stats" + query) as reply:
            return await reply.json()


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    simulator = Watched(latency_scale=0)
    url = await simulator.start()
    async with aiohttp.ClientSession(auto_decompress=False, connector=aiohttp.TCPConnector(limit=0)) as session:
        yield Client(session, url, simulator)
    await simulator.stop()


async def until(true: Callable[[], bool]) -> None:
    """Wait until it is true, a minute at most."""
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.005)


def say(model: str, *texts: str, seed: int = 0, request_seed: str = "null") -> str:
    """What a persona replies to these messages, user and assistant by turns."""
    messages = [{"role": "assistant" if number % 2 else "user", "content": content} for number, content in enumerate(texts)]
    return open_replies.reply(personas.load_personas()[model], messages, Seed(seed, request_seed, model))


# --- replies ---


async def test_same_request_same_reply(client: Client) -> None:
    """The same request gets the same bytes, also from another server with the same seed."""
    other = Watched(latency_scale=0)
    url = await other.start()
    first = [await client.ask(name) for name in personas.load_personas()]
    again = [await client.ask(name) for name in reversed(personas.load_personas())]
    elsewhere = [await Client(client.session, url, other).ask(name) for name in personas.load_personas()]
    await other.stop()

    assert [got.raw for got in first] == [got.raw for got in reversed(again)] == [got.raw for got in elsewhere]


def test_latency_is_part_of_the_reply() -> None:
    """The same messages take the same time; others take another, near the persona's median."""
    persona = personas.load_personas()["sim-scholar"]
    times = [
        open_replies.latency_ms(persona, [{"role": "user", "content": str(number % 200)}], Seed(0, "null", persona.name))
        for number in range(400)
    ]

    assert times[:200] == times[200:]
    assert persona.latency_ms * 0.9 < sorted(times)[200] < persona.latency_ms * 1.1


def test_seeds_change_answers() -> None:
    """Another seed of the server or of the request gives other answers to some question."""
    questions = (EXAMPLES / "quickstart/questions.txt").read_text().splitlines()
    by_seed = {
        tuple(say("sim-rambler", question, seed=seed, request_seed=request_seed) for question in questions)
        for seed, request_seed in [(0, "null"), (1, "null"), (0, "1")]
    }

    assert len(by_seed) == 3


async def test_everything_is_labelled(client: Client) -> None:
    """Personas, benchmarks, lists, errors and sound fault replies all say that they are simulated."""
    models = ["sim-scholar", "bench", "no-such-model", "fault:500", "fault:empty", "fault:hang:0", "fault:no-such"]
    got = [await client.ask(model) for model in models]

    assert all(one.body["simulated"] is True and one.body["provider"] == "simulator" for one in got)
    assert all(one.headers["x-simulated"] == "true" for one in got)
    assert (await client.stats())["simulated"] is True


async def test_usage_and_cost(client: Client) -> None:
    """Usage counts four characters a token, and the cost follows the persona's price."""
    got = await client.ask("sim-sprinter", "x" * 398)
    usage = got.body["usage"]
    read, written = personas.price("sim-sprinter") or (0, 0)

    assert usage["prompt_tokens"] == 100
    assert usage["completion_tokens"] == math.ceil(len(got.text) / 4)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["cost"] == pytest.approx((100 * read + usage["completion_tokens"] * written) / 1e6)
    assert personas.price("bench") is None


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
async def test_token_limit_cuts(client: Client, field: str) -> None:
    """A reply longer than the limit is cut at four characters a token, and says so."""
    fields: dict[str, Any] = {field: 5}
    whole = await client.ask("sim-rambler")
    cut = await client.ask("sim-rambler", KNOWN, **fields)

    assert cut.text == whole.text[:20]
    assert cut.body["choices"][0]["finish_reason"] == "length"
    assert whole.body["choices"][0]["finish_reason"] == "stop"
    assert cut.body["usage"]["completion_tokens"] == 5


@pytest.mark.parametrize("model", list(personas.load_personas()))
async def test_unknown_question(client: Client, model: str) -> None:
    """Asked what is not in the answer key, a persona says that it is a simulator and cannot know, documents or not."""
    got = await client.ask(model, "QUESTION: Who won?\n\n[DOCUMENT]\ndoc_id: a\ncontent:\nAnna won.\n[/DOCUMENT]")

    assert "simulator" in got.text
    assert "cannot know" in got.text
    assert "Anna" not in got.text


async def test_bad_requests(client: Client) -> None:
    """What is no chat request is refused in OpenAI's form and still counted; an unknown model is 404."""
    broken = [await client.post("/chat/completions", raw) for raw in (b"{", b"[]", b"{}", b'{"model": "sim-scholar"}')]
    unknown = await client.ask("gpt-9")

    assert [got.status for got in broken] == [400] * 4
    assert (unknown.status, unknown.body["error"]["code"]) == (404, "model_not_found")
    assert client.simulator.stats()["requests"] == 5


async def test_large_bodies_are_accepted(client: Client) -> None:
    """A request of 20 MiB is read like any other."""
    assert (await client.ask("bench", "x" * 20 * 2**20)).status == 200


# --- what a persona understands ---


def test_scorer_judges_agreement() -> None:
    """A scorer replies 1 when the truth stands in the candidate, else 0, with its skill as accuracy."""
    form = "GROUND TRUTH: {}\n\nCANDIDATE: {}\n\nDoes it agree? Reply with 1 (it agrees) or 0 (it does not)."
    agreeing = [say("sim-scorer", form.format(f"Answer {n}", f"It is: answer  {n}."))[0] for n in range(200)]
    differing = [say("sim-scorer", form.format("1", f"Something else {n + 2}"))[0] for n in range(200)]

    assert agreeing.count("1") > 190
    assert differing.count("0") > 190


def test_scorer_reads_the_prompt_again_after_a_reminder() -> None:
    """When the scorer is reminded of the form, it judges the same prompt, and mostly keeps to the form."""
    prompts = [f"GROUND TRUTH: a{n}\n\nCANDIDATE: a{n}" for n in range(200)]
    first = [say("sim-rambler", prompt) for prompt in prompts]
    again = [say("sim-rambler", prompt, reply, "Just 0 or 1.") for prompt, reply in zip(prompts, first, strict=True)]

    assert [reply[0] for reply in first] == [reply[0] for reply in again]
    assert sum(len(reply) == 1 for reply in first) < 130
    assert sum(len(reply) == 1 for reply in again) > 160


def test_candidates_may_have_several_lines() -> None:
    """A candidate's text ends at the next candidate or heading, not at the end of its line."""
    asked = understand(
        [{"role": "user", "content": f"{KNOWN}\nDOER RESPONSES:\n- [doer:a/b#0] one\n\ntwo\n- [doer:c#1] x\n\nDONE: y"}]
    )

    assert [(one.label, one.text) for one in asked.candidates] == [("doer:a/b#0", "one\n\ntwo"), ("doer:c#1", "x")]
    assert asked.role == "compare"


def test_judge_names_a_candidate() -> None:
    """A good judge names the candidate who is right, and repeats nobody else's answer."""
    reply = say("sim-arbiter", f"{KNOWN}\nDOER RESPONSES:\n- [doer:a#0] Pebble\n- [doer:b#0] It is Bishop.\n")

    assert reply.startswith("Best: [doer:b#0] ")
    assert knowledge.contains(reply, "Bishop")
    assert not knowledge.contains(reply, "Pebble")


def test_final_gives_the_answer_alone() -> None:
    """A final judge writes nothing but an answer."""
    prompt = f"{KNOWN}\nDOER RESPONSES:\n- [doer:a#0] It is Bishop.\n\nINSTRUCTIONS: Write the best final answer."

    assert say("sim-arbiter", prompt) == "Bishop"


def test_content_in_parts() -> None:
    """Of a message in parts the text is read, pictures are passed over."""
    parts = [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": KNOWN}]
    persona = personas.load_personas()["sim-sprinter"]
    seed = Seed(0, "null", persona.name)

    assert open_replies.reply(persona, [{"role": "user", "content": parts}], seed) == say("sim-sprinter", KNOWN)


def test_answers_by_document() -> None:
    """Where the right answer depends on the document, its name decides; another document's answer is wrong."""
    matter = knowledge.find("QUESTION: who keeps the STATION?")

    assert matter is not None
    assert matter.right_for(["doc2.md", "doc2"]) == "Tobias Wren"
    assert matter.right_for([]) == "Ines Calder"
    assert "Ines Calder" in matter.wrong_for("Tobias Wren")
    assert understand([{"role": "user", "content": "filename: doc2.md"}]).documents == ("doc2.md", "doc2")


# --- the examples ---


def test_answer_key_fits_the_quickstart() -> None:
    """Questions and truths go together, the key has each truth as its right answer, and the document states it."""
    questions = (EXAMPLES / "quickstart/questions.txt").read_text().splitlines()
    truths = (EXAMPLES / "quickstart/truths.txt").read_text().splitlines()
    document = (EXAMPLES / "quickstart/harbour.txt").read_text()
    known = [knowledge.find(question) for question in questions]

    assert [matter.right if matter else None for matter in known] == truths
    assert [truth for truth in truths if not knowledge.contains(document, truth)] == []
    assert len(questions) == 12


def test_wrong_answers_are_never_scored_right() -> None:
    """No wrong answer of the key holds a right one, or the other way round."""
    tables = tomllib.loads((REPOSITORY / "tui_eval/simulator/answers/answers.toml").read_text())["question"]
    clashes = [
        (row["right"], wrong)
        for row in tables
        for wrong in row["wrong"]
        if knowledge.contains(wrong, row["right"]) or knowledge.contains(row["right"], wrong)
    ]

    assert clashes == []


def test_quickstart_tells_personas_apart() -> None:
    """On the quickstart the scholar is strong, the rambler weak, and the final judge above the average doer."""
    questions = (EXAMPLES / "quickstart/questions.txt").read_text().splitlines()
    truths = (EXAMPLES / "quickstart/truths.txt").read_text().splitlines()
    right = dict.fromkeys(["sim-scholar", "sim-sprinter", "sim-rambler", "final"], 0)
    for question, truth in zip(questions, truths, strict=True):
        prompt = f"QUESTION: {question}\n\n[DOCUMENT]\ndoc_id: doc1\nfilename: harbour.txt\n[/DOCUMENT]\n\n"
        doers = {name: say(name, prompt) for name in list(right)[:3]}
        lines = "".join(f"- [doer:{name}#0] {text}\n" for name, text in doers.items())
        final = say("sim-arbiter", f"{prompt}DOER RESPONSES:\n{lines}\nINSTRUCTIONS: Write the best final answer.")
        for name, text in [*doers.items(), ("final", final)]:
            right[name] += knowledge.contains(text, truth)

    assert right == {"sim-scholar": 10, "sim-sprinter": 7, "sim-rambler": 5, "final": 12}


@pytest.mark.parametrize("name", ["quickstart", "dataset", "choice"])
def test_examples_use_personas(name: str) -> None:
    """The shipped examples name existing personas and nothing but the simulator."""
    models = tomllib.loads((EXAMPLES / f"{name}.toml").read_text())["models"]

    assert {model["wire"] for model in models} == {"simulator"}
    assert {model["model"] for model in models} <= set(personas.load_personas())


def test_answer_key_fits_the_dataset() -> None:
    """Every answer in Questions.md is the key's right answer for the documents that it holds for."""
    matter = None
    for line in (EXAMPLES / "dataset/Questions.md").read_text().splitlines():
        if line[:1].isdigit():
            matter = knowledge.find(line)
        elif line.strip().startswith("Answer"):
            heading, _, answer = line.partition(":")
            documents = heading.partition("(")[2].rstrip(")").split()

            assert matter is not None
            assert matter.right_for(documents) == answer.strip()


# --- counting ---


async def test_counts(client: Client) -> None:
    """Every chat request is counted by model and listed by the client's own id, until the counts are reset."""
    await client.ask("bench", client_id="one")
    await client.ask("fault:500", client_id="two")
    stats = await client.stats("?ids=1")
    await client.session.post(client.url.removesuffix("/v1") + "/reset")
    after = await client.stats("?ids=1")

    assert (stats["requests"], stats["completed"], stats["in_flight"], stats["peak_in_flight"]) == (2, 2, 0, 1)
    assert stats["by_model"] == stats["peak_by_model"] == {"bench": 1, "fault:500": 1}
    assert stats["ids"] == [{"id": "one", "model": "bench"}, {"id": "two", "model": "fault:500"}]
    assert (after["requests"], after["ids"]) == (0, [])


async def test_peak_in_flight(client: Client) -> None:
    """The peak is the largest number of requests under way at once, in all and by model."""
    client.simulator.gather(43)
    await asyncio.gather(*[client.ask("bench-200ms") for _ in range(40)], *[client.ask("bench-201ms") for _ in "abc"])
    await asyncio.gather(*[client.ask("bench-1ms") for _ in range(10)])
    stats = client.simulator.stats()

    assert stats["peak_in_flight"] == 43
    assert {name: stats["peak_by_model"][name] for name in ("bench-200ms", "bench-201ms")} == {
        "bench-200ms": 40,
        "bench-201ms": 3,
    }
    assert stats["in_flight"] == 0


@pytest.mark.parametrize("model", ["fault:hang", "fault:hang-body", "fault:drip", "fault:drip-headers", "bench-60000ms"])
async def test_client_that_goes_away(client: Client, model: str) -> None:
    """A client that gives up has been counted, frees its place, and does not count as completed."""
    waiting = asyncio.create_task(client.ask(model))
    await until(lambda: client.simulator.stats()["by_model"] == {model: 1})
    await asyncio.sleep(0.25)
    in_flight = client.simulator.stats()["in_flight"]
    waiting.cancel()
    await until(lambda: client.simulator.stats()["in_flight"] == 0)
    stats = client.simulator.stats()

    assert in_flight == 1
    assert (stats["requests"], stats["completed"]) == (1, 0)


async def test_models_are_the_personas(client: Client) -> None:
    """GET /v1/models lists the personas in OpenAI's form."""
    async with client.session.get(client.url + "/models") as reply:
        listed = await reply.json()

    assert [row["id"] for row in listed["data"]] == list(personas.load_personas())
    assert listed["object"] == "list"
    assert [row["shutdown_date"] for row in listed["data"]] == [None] * len(listed["data"])


async def test_bench_is_small_and_fixed(client: Client) -> None:
    """A benchmark reply has about 350 bytes, usage without cost, the model asked for, and an id of its own."""
    got = await client.ask("bench-1ms", client_id="one")
    other = await client.ask("bench-1ms", client_id="two")

    assert 300 < len(got.raw) < 400
    assert got.body["model"] == "bench-1ms"
    assert "cost" not in got.body["usage"]
    assert {**got.body, "id": ""} == {**other.body, "id": ""}
    assert got.body["id"] != other.body["id"]


# --- faults ---


def message(got: Got) -> Any:
    return got.body["choices"][0]["message"]


def error(got: Got) -> Any:
    return got.body["error"]


FAULT_LAWS: dict[str, tuple[int, Callable[[Got], bool]]] = {
    "429": (429, lambda got: "retry-after" not in got.headers),
    "429-retry-after": (429, lambda got: got.headers["retry-after"] == "1"),
    "429-retry-after-ms": (429, lambda got: got.headers["retry-after-ms"] == "200"),
    "429-date": (
        429,
        lambda got: (
            0
            < (parsedate_to_datetime(got.headers["retry-after"]) - parsedate_to_datetime(got.headers["date"])).total_seconds()
            <= 3
        ),
    ),
    "429-nonsense": (429, lambda got: got.headers["retry-after"] == "nan"),
    "429-long": (429, lambda got: got.headers["retry-after"] == "99999"),
    "500": (500, lambda got: "Internal" in error(got)["message"]),
    "502-html": (502, lambda got: got.headers["content-type"] == "text/html" and got.raw.startswith(b"<html>")),
    "503": (503, lambda got: bool(error(got)["message"])),
    "529": (529, lambda got: bool(error(got)["message"])),
    "408": (408, lambda got: bool(error(got)["message"])),
    "400": (400, lambda got: bool(error(got)["message"])),
    "401": (401, lambda got: error(got)["code"] == "invalid_api_key"),
    "402": (402, lambda got: error(got)["code"] == 402),
    "403": (403, lambda got: bool(error(got)["message"])),
    "403-moderation": (403, lambda got: error(got)["metadata"]["reasons"] == ["violence"]),
    "404": (404, lambda got: error(got)["code"] == "model_not_found"),
    "422": (422, lambda got: bool(error(got)["message"])),
    "quota": (429, lambda got: error(got)["code"] == "insufficient_quota"),
    "garbage": (200, lambda got: got.raw.startswith(b'{"choices": [{') and b"]" not in got.raw),
    "html": (200, lambda got: b"login" in got.raw and got.headers["content-type"] == "text/html"),
    "nothing": (200, lambda got: got.raw == b""),
    "204": (204, lambda got: got.raw == b""),
    "error-in-200": (200, lambda got: error(got)["code"] == 429 and got.body["choices"] is None),
    "error-in-200-502": (200, lambda got: error(got)["code"] == 502 and "raw" in error(got)["metadata"]),
    "empty": (200, lambda got: got.text == ""),
    "null": (200, lambda got: got.text is None),
    "no-choices": (200, lambda got: got.body["choices"] == []),
    "list-content": (200, lambda got: "".join(part["text"] for part in got.text) == faults.NORMAL_TEXT),
    "refusal": (200, lambda got: got.text is None and "will not" in message(got)["refusal"]),
    "content-filter": (200, lambda got: got.body["choices"][0]["finish_reason"] == "content_filter"),
    "content-filter-400": (400, lambda got: error(got)["code"] == "content_filter" and "innererror" in error(got)),
    "length": (200, lambda got: got.body["choices"][0]["finish_reason"] == "length" and got.text == "pore spa"),
    "length-empty": (
        200,
        lambda got: got.text == "" and got.body["usage"]["completion_tokens_details"]["reasoning_tokens"] == 200,
    ),
    "no-usage": (200, lambda got: "usage" not in got.body),
    "bad-usage": (200, lambda got: got.body["usage"]["prompt_tokens"] == -5 and b'"total_tokens": NaN' in got.raw),
    "nan": (200, lambda got: b": NaN" in got.raw),
    "deep": (200, lambda got: b"[" * 100_000 in got.raw),
    "surrogate": (200, lambda got: b"\\ud800" in got.raw and "\ud800" in got.text),
    "not-utf8": (200, lambda got: b"\xff\xfe" in got.raw),
    "escape": (200, lambda got: {"\x1b", "\x07", "\x9b", "\u202e"} <= set(got.text) and "[/b]" in got.text),
    "escape-error": (400, lambda got: "\x1b]52;" in error(got)["message"]),
    "formula": (200, lambda got: got.text.startswith("=HYPERLINK(")),
    "redirect": (307, lambda got: got.headers["location"] == "/elsewhere"),
    "echo-key": (401, lambda got: "sk-simulated-1234" in error(got)["message"]),
    "echo-key-200": (200, lambda got: "sk-simulated-1234" in got.text),
    "echo-key-500": (500, lambda got: "sk-simulated-1234" in error(got)["message"]),
    "other-model": (200, lambda got: got.body["model"] == "another/served-model"),
    "reject-temperature": (200, lambda got: got.text == faults.NORMAL_TEXT),
    "reject-max-tokens": (200, lambda got: got.text == faults.NORMAL_TEXT),
    "cost-high": (200, lambda got: got.body["usage"]["cost"] == 1000),
    "big": (200, lambda got: got.text == "x" * (10 * 2**20)),
    "huge": (200, lambda got: len(got.raw) > 64 * 2**20 and got.raw.endswith(b"}")),
    "gzip": (200, lambda got: json.loads(gzip.decompress(got.raw))["simulated"] is True),
    "brotli-label": (200, lambda got: got.headers["content-encoding"] == "br"),
}


def test_every_whole_fault_has_its_law() -> None:
    """No fault is without a test here."""
    assert set(FAULT_LAWS) | {"gzip-bomb"} == set(faults.FAULTS) | set(broken_wire.LARGE)


@pytest.mark.parametrize("what", FAULT_LAWS)
async def test_fault(client: Client, what: str) -> None:
    """A fault replies with the status and the bytes that its name promises, and labels itself."""
    status, holds = FAULT_LAWS[what]
    got = await client.ask(f"fault:{what}")

    assert got.status == status
    assert holds(got)
    assert got.headers["x-simulated"] == "true"


async def test_redirect_leads_nowhere(client: Client) -> None:
    """Who follows the redirect is counted apart, and finds nothing."""
    got = await client.post("/../elsewhere", b"{}")

    assert got.status == 404
    assert client.simulator.stats()["elsewhere"] == 1


@pytest.mark.parametrize("field", ["temperature", "max_tokens"])
async def test_rejected_parameters(client: Client, field: str) -> None:
    """A refused parameter is named in the error."""
    fields: dict[str, Any] = {field: 1}
    got = await client.ask(f"fault:reject-{field.replace('_', '-')}", **fields)

    assert (got.status, error(got)["param"]) == (400, field)
    assert ("max_completion_tokens" in error(got)["message"]) == (field == "max_tokens")


async def test_gzip_bomb(client: Client) -> None:
    """A megabyte that unpacks without end in sight; its beginning is JSON and its bytes are one valid stream."""
    got = await client.ask("fault:gzip-bomb")
    opened = zlib.decompressobj(31).decompress(got.raw, 2**20)

    assert len(got.raw) < 2 * 2**20
    assert opened.startswith(b'{"id"')
    assert len(opened) == 2**20
    assert len(gzip.decompress(broken_wire._bomb(b"before", b"after", 3))) == 3 * 2**20 + 11


async def raw_reply(
    client: Client, model: str, seconds: float = 60.0, enough: Callable[[bytes], object] = lambda received: False
) -> tuple[bytes, bool]:
    """The bytes that come until they are enough, or within that time, and whether the connection is closed after them."""
    host, port = client.url.removeprefix("http://").removesuffix("/v1").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    body = json.dumps({"model": model, "messages": []}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    received, closed = b"", False
    try:
        async with asyncio.timeout(seconds):
            while not closed and not enough(received):
                chunk = await reader.read(65_536)
                received, closed = received + chunk, not chunk
    except TimeoutError:
        pass
    finally:
        writer.close()
    return received, closed


async def test_silence(client: Client) -> None:
    """hang sends nothing, hang-body sends headers and then nothing."""
    assert await raw_reply(client, "fault:hang", 0.3) == (b"", False)
    head, closed = await raw_reply(client, "fault:hang-body", enough=lambda received: b"\r\n\r\n" in received)
    received, closed_later = await raw_reply(client, "fault:hang-body", 0.3)

    assert head.endswith(b"Content-Length: 500\r\n\r\n")
    assert received in (head, b""), "nothing yet, where the machine is slow"
    assert not closed and not closed_later


async def test_drips(client: Client) -> None:
    """drip sends about ten bytes of body a second, drip-headers the same from the first byte on."""
    began = asyncio.get_running_loop().time()
    (body, _), (headers, _) = await asyncio.gather(
        raw_reply(client, "fault:drip", enough=lambda received: len(received.partition(b"\r\n\r\n")[2]) >= 12),
        raw_reply(client, "fault:drip-headers", enough=lambda received: len(received) >= 12),
    )
    took = asyncio.get_running_loop().time() - began

    assert len(body.partition(b"\r\n\r\n")[2]) >= 12
    assert headers.startswith(b"HTTP/1.1 200")
    assert 1.0 < took < 15, "after one byte another comes a tenth of a second later; a slow machine may be late"


async def test_cut_replies(client: Client) -> None:
    """cut sends less than its Content-Length, cut-chunk ends within a chunk; both close and are not completed."""
    cut, cut_closed = await raw_reply(client, "fault:cut")
    chunk, chunk_closed = await raw_reply(client, "fault:cut-chunk")
    head, _, body = cut.partition(b"\r\n\r\n")
    size, _, piece = chunk.partition(b"\r\n\r\n")[2].partition(b"\r\n")

    assert cut_closed and chunk_closed
    assert 0 < len(body) < int(head.rpartition(b" ")[2])
    assert 0 < len(piece) < int(size, 16)
    assert client.simulator.stats()["completed"] == 0
    assert client.simulator.stats()["requests"] == 2


async def test_reset(client: Client) -> None:
    """reset aborts the connection before any byte of a reply."""
    with pytest.raises(ConnectionResetError):
        await raw_reply(client, "fault:reset")


@pytest.mark.parametrize("what", ["503", "cut", "reset", "garbage", "brotli-label"])
async def test_faults_by_count(client: Client, what: str) -> None:
    """fault:<what>:<n> spoils the first n requests with the same body, then answers normally; each body for itself."""

    async def is_normal(text: str) -> bool:
        try:
            got = await client.ask(f"fault:{what}:2", text)
        except aiohttp.ClientError:
            return False
        return got.status == 200 and faults.NORMAL_TEXT.encode() in got.raw

    outcomes = [await is_normal(text) for text in ["one", "two", "one", "one", "two", "two", "one"]]

    assert outcomes == [False, False, False, True, False, True, True]


# --- the program ---


def start_program(*options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tui_eval.simulator", *options]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("stop", quick_first([signal.SIGTERM, signal.SIGINT]))
def test_program_starts_and_stops(stop: signal.Signals) -> None:
    """The program prints its URL alone on stdout, refuses a taken port with exit 2, and exits 0 when it is stopped."""
    with start_program("--port", "0") as first:
        assert first.stdout is not None
        url = first.stdout.readline().strip()
        with start_program("--port", url.removesuffix("/v1").rpartition(":")[2]) as second:
            _, complaint = second.communicate(timeout=60)
        first.send_signal(stop)
        rest, _ = first.communicate(timeout=60)

    assert url.startswith("http://127.0.0.1:") and url.endswith("/v1")
    assert (second.returncode, "already in use" in complaint) == (2, True)
    assert (first.returncode, rest) == (0, "")


@pytest.mark.soak
def test_program_takes_its_options() -> None:
    """A batch takes as long as the program was told; a negative time is refused with exit 2."""
    request = {"custom_id": "a", "params": {"model": "bench", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}}
    with start_program("--port", "0", "--batch-seconds", "3600") as program:
        assert program.stdout is not None
        url = program.stdout.readline().strip() + "/messages/batches"
        with urllib.request.urlopen(url, json.dumps({"requests": [request]}).encode(), timeout=60) as reply:
            begun = json.loads(reply.read())
        with urllib.request.urlopen(f"{url}/{begun['id']}", timeout=60) as reply:
            batch = json.loads(reply.read())
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=60)
    with start_program("--batch-seconds", "-1") as refused:
        refused.communicate(timeout=60)

    assert (batch["id"], batch["processing_status"]) == (begun["id"], "in_progress")
    assert (program.returncode, refused.returncode) == (0, 2)
