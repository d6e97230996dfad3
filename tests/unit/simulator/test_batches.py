"""Laws of the simulator's batches: every request answered as it would be alone, at half the price, in another order, once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import official_sdks as sdks
import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.calls import Completion
from tui_eval.providers import WIRES
from tui_eval.simulator.apis.batch_store import Batch, Outcome
from tui_eval.simulator.apis.openai_batches import LONGEST, read_lines
from tui_eval.simulator.server import Simulator

QUESTIONS = [f"QUESTION: What do the children call the grey seal? ({n})" for n in range(12)]
CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
Json = Any


@dataclass(frozen=True, slots=True)
class Client:
    """A plain HTTP client of one simulator."""

    session: aiohttp.ClientSession
    url: str
    simulator: Simulator

    async def get(self, path: str) -> tuple[int, Json]:
        """Status and JSON."""
        async with self.session.get(self.url + path) as reply:
            return reply.status, await reply.json()

    async def post(self, path: str, body: Json = None) -> tuple[int, Json]:
        """Status and JSON."""
        async with self.session.post(self.url + path, json=body) as reply:
            return reply.status, await reply.json()

    async def rows(self, path: str) -> list[Json]:
        """The lines of a JSONL file."""
        async with self.session.get(self.url + path) as reply:
            assert (reply.status, reply.headers["x-simulated"]) == (200, "true")
            return [json.loads(line) for line in (await reply.read()).splitlines()]

    async def upload(self, content: bytes, purpose: str = "batch") -> tuple[int, Json]:
        """Post a file as a form."""
        form = aiohttp.FormData()
        form.add_field("purpose", purpose)
        form.add_field("file", content, filename="requests.jsonl", content_type="application/jsonl")
        async with self.session.post(self.url + "/files", data=form) as reply:
            return reply.status, await reply.json()

    async def begin(self, rows: Sequence[Json], endpoint: str = CHAT, **fields: Json) -> Json:
        """Upload lines and begin a batch with them."""
        content = b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)
        _, file = await self.upload(content)
        given = {"input_file_id": file["id"], "endpoint": endpoint, "completion_window": "24h", **fields}
        status, batch = await self.post("/batches", given)
        assert status == 200
        return batch


@pytest.fixture
async def make() -> AsyncIterator[Callable[..., Any]]:
    """Makes clients, each of a simulator of its own."""
    made: list[Simulator] = []
    async with aiohttp.ClientSession() as session:

        async def client(**options: Any) -> Client:
            made.append(Simulator(latency_scale=5, **options))
            return Client(session, await made[-1].start(), made[-1])

        yield client
    for simulator in made:
        await simulator.stop()


@pytest.fixture
async def client(make: Callable[..., Any]) -> Client:
    """A client of a simulator whose batches take no time."""
    found: Client = await make()
    return found


def body_for(endpoint: str, model: str, text: str) -> Json:
    """A request's body in the words of its endpoint."""
    if endpoint == RESPONSES:
        return {"model": model, "input": text}
    return {"model": model, "messages": [{"role": "user", "content": text}], "max_tokens": 900}


def rows_for(model: str, endpoint: str = CHAT, count: int = len(QUESTIONS)) -> list[Json]:
    """Lines of a batch file."""
    return [
        {"custom_id": f"q{n}", "method": "POST", "url": endpoint, "body": body_for(endpoint, model, text)}
        for n, text in enumerate(QUESTIONS[:count])
    ]


def requests_for(model: str, count: int = len(QUESTIONS)) -> list[Json]:
    """Requests of a message batch."""
    return [{"custom_id": f"q{n}", "params": body_for(CHAT, model, text)} for n, text in enumerate(QUESTIONS[:count])]


async def until(client: Client, path: str, ended: Callable[[Json], bool]) -> list[Json]:
    """Look at a batch, often, until it has ended; every look."""
    looks: list[Json] = []
    async with asyncio.timeout(60):
        while not looks or not ended(looks[-1]):
            looks.append((await client.get(path))[1])
            await asyncio.sleep(0.005)
    return looks


# --- OpenAI ---


@pytest.mark.parametrize(("endpoint", "wire"), [(CHAT, "openai"), (RESPONSES, "openai-responses")])
async def test_a_batch_answers_as_one_by_one(endpoint: str, wire: str, make: Callable[..., Any]) -> None:
    """Each request has the words, tokens and half the cost that it would have alone; the lines come in another order."""
    client = await make()
    client.simulator._latency_scale = 0
    client.simulator._start_anew()
    rows = rows_for("sim-rambler", endpoint)
    begun = await client.begin(rows, endpoint, metadata={"wave": "1"})
    _, batch = await client.get(f"/batches/{begun['id']}")
    lines = await client.rows(f"/files/{batch['output_file_id']}/content")
    alone = {row["custom_id"]: (await client.post(endpoint.removeprefix("/v1"), row["body"]))[1] for row in rows}

    assert (begun["status"], batch["status"], batch["error_file_id"], batch["errors"]) == (
        "validating",
        "completed",
        None,
        None,
    )
    assert batch["request_counts"] == {"total": 12, "completed": 12, "failed": 0}
    assert batch["metadata"] == {"wave": "1"}
    assert sdks.OpenAIBatch.model_validate(begun) and sdks.OpenAIBatch.model_validate(batch)
    assert sorted(line["custom_id"] for line in lines) == sorted(alone)
    assert [line["custom_id"] for line in lines] != [row["custom_id"] for row in rows]
    for line in lines:
        answer = line["response"]
        one, other = (
            WIRES[wire].decode(200, {}, json.dumps(body).encode()) for body in (answer["body"], alone[line["custom_id"]])
        )
        assert isinstance(one, Completion) and isinstance(other, Completion)
        assert (one.text, one.usage.total_tokens) == (other.text, other.usage.total_tokens)
        assert one.usage.cost_usd == pytest.approx((other.usage.cost_usd or 0) / 2)
        assert (answer["status_code"], line["error"], line["simulated"]) == (200, None, True)
    assert client.simulator.stats() | {"batches": 1, "batched": 12, "requests": 12} == client.simulator.stats()


async def test_a_batch_goes_through_its_statuses(make: Callable[..., Any]) -> None:
    """validating, in_progress, finalizing, completed: each is seen, in this order, and counts only grow."""
    client = await make(batch_s=600.0)
    begun = await client.begin(rows_for("sim-scholar"))
    looks = []
    for _ in range(100):
        looks.append((await client.get(f"/batches/{begun['id']}"))[1])
        client.simulator._files._filed[begun["id"]].batch.begun -= 12.0
    done = [look["request_counts"]["completed"] for look in looks]

    assert list(dict.fromkeys(look["status"] for look in looks)) == ["validating", "in_progress", "finalizing", "completed"]
    assert done == sorted(done) and done[-1] == 12
    assert all((look["output_file_id"] is None) == (look["status"] != "completed") for look in looks)
    assert all(sdks.OpenAIBatch.model_validate(look) for look in looks)


@pytest.mark.parametrize(
    ("what", "status"), [("429", 429), ("500", 500), ("400", 400), ("502-html", 502), ("hang", 500), ("gzip", 500)]
)
async def test_failed_requests_have_a_file_of_their_own(what: str, status: int, client: Client) -> None:
    """A request that fails stands in the error file with its status; there is no output file without any answer."""
    begun = await client.begin(rows_for(f"fault:{what}", count=3))
    _, batch = await client.get(f"/batches/{begun['id']}")
    lines = await client.rows(f"/files/{batch['error_file_id']}/content")

    assert (batch["status"], batch["output_file_id"]) == ("completed", None)
    assert batch["request_counts"] == {"total": 3, "completed": 0, "failed": 3}
    assert [line["response"]["status_code"] for line in lines] == [status] * 3


async def test_some_fail_and_others_do_not(client: Client) -> None:
    """fault:503:1 fails the first request with a body: of two with the same one stands in each file."""
    rows = rows_for("fault:503:1", count=2)
    rows[1]["body"] = rows[0]["body"]
    begun = await client.begin(rows)
    _, batch = await client.get(f"/batches/{begun['id']}")
    answered, failed = [await client.rows(f"/files/{batch[name]}/content") for name in ("output_file_id", "error_file_id")]

    assert batch["request_counts"] == {"total": 2, "completed": 1, "failed": 1}
    assert [line["custom_id"] for line in (*answered, *failed)] == ["q1", "q0"]


async def test_an_expired_batch_keeps_what_was_done(client: Client) -> None:
    """Where requests expire the batch is expired: what was answered can be fetched, the others are named in the error file."""
    rows = rows_for("fault:expired:1", count=3)
    rows[2]["body"] = rows[0]["body"]
    begun = await client.begin(rows)
    _, batch = await client.get(f"/batches/{begun['id']}")
    answered, failed = [await client.rows(f"/files/{batch[name]}/content") for name in ("output_file_id", "error_file_id")]

    assert (batch["status"], batch["request_counts"]) == ("expired", {"total": 3, "completed": 1, "failed": 0})
    assert [line["custom_id"] for line in answered] == ["q2"]
    assert sorted(line["custom_id"] for line in failed) == ["q0", "q1"]
    assert {(line["error"]["code"], line["response"]) for line in failed} == {("batch_expired", None)}
    assert client.simulator.stats()["batched"] == 1


def spoilt(number: int, **changes: Json) -> list[Json]:
    """Three lines, one of them changed."""
    rows = rows_for("bench", count=3)
    rows[number] |= changes
    return rows


WRONG: dict[str, tuple[list[Json], str, int | None]] = {
    "not JSON": ([*rows_for("bench", count=1), b"{...\n"], "invalid_json_line", 2),
    "a list": ([[1]], "invalid_json_line", 1),
    "the same id": (spoilt(2, custom_id="q0"), "duplicate_custom_id", 3),
    "another url": (spoilt(1, url=RESPONSES), "url_mismatch", 2),
    "another model": (spoilt(1, body=body_for(CHAT, "bench-1ms", "x")), "model_mismatch", 2),
    "no body": (spoilt(0, body=None), "invalid_request", 1),
    "no id": (spoilt(0, custom_id=None), "invalid_request", 1),
    "nothing": ([], "empty_file", None),
}


@pytest.mark.parametrize("case", WRONG)
async def test_a_file_with_anything_wrong_is_rejected(case: str, client: Client) -> None:
    """The batch is made all the same, and fails: it says which line is wrong and why, and answers nothing."""
    rows, code, line = WRONG[case]
    begun = await client.begin(rows)
    _, batch = await client.get(f"/batches/{begun['id']}")

    assert (begun["status"], begun["errors"], batch["status"]) == ("validating", None, "failed")
    assert [(one["code"], one["line"]) for one in batch["errors"]["data"]] == [(code, line)]
    assert batch["request_counts"] == {"total": 0, "completed": 0, "failed": 0}
    assert (batch["output_file_id"], batch["error_file_id"]) == (None, None)
    assert client.simulator.stats()["batched"] == 0
    assert sdks.OpenAIBatch.model_validate(batch)


def test_a_file_has_a_largest_number_of_lines() -> None:
    """A line more than the API takes, and the whole file is rejected."""
    lines = [json.dumps({"custom_id": str(n), "method": "POST", "url": CHAT, "body": {"model": "m"}}) for n in range(LONGEST)]
    rows, wrong = read_lines("\n".join(lines).encode(), CHAT)

    assert (len(rows), wrong) == (LONGEST, [])
    assert [one["code"] for one in read_lines("\n".join([*lines, "{}"]).encode(), CHAT)[1]] == ["too_many_tasks"]


async def test_a_cancelled_batch(make: Callable[..., Any]) -> None:
    """Cancelled midway a batch ends soon, keeps what was answered and names the others; it cannot be cancelled twice."""
    client = await make(batch_s=600.0)
    begun = await client.begin(rows_for("bench"))
    under_way = client.simulator._files._filed[begun["id"]].batch
    under_way.begun -= 240.0
    await until(client, f"/batches/{begun['id']}", lambda batch: batch["request_counts"]["completed"] >= 3)
    status, cancelling = await client.post(f"/batches/{begun['id']}/cancel")
    under_way.begun -= 120.0
    batch = (await until(client, f"/batches/{begun['id']}", lambda batch: batch["status"] == "cancelled"))[-1]
    answered, failed = [await client.rows(f"/files/{batch[name]}/content") for name in ("output_file_id", "error_file_id")]
    again, refused = await client.post(f"/batches/{begun['id']}/cancel")

    assert (status, cancelling["status"]) == (200, "cancelling")
    assert len(answered) == batch["request_counts"]["completed"] == client.simulator.stats()["batched"]
    assert 3 <= len(answered) < 12
    assert {line["custom_id"] for line in (*answered, *failed)} == {f"q{n}" for n in range(12)}
    assert {line["error"]["code"] for line in failed} == {"batch_cancelled"}
    assert (again, "error" in refused) == (400, True)
    assert sdks.OpenAIBatch.model_validate(cancelling) and sdks.OpenAIBatch.model_validate(batch)


async def test_what_is_unknown_or_wrong(client: Client) -> None:
    """Unknown ids are 404 and wrong requests 400, in OpenAI's shape; nothing of it counts as a request for a reply."""
    _, file = await client.upload(b"")
    good = {"input_file_id": file["id"], "endpoint": CHAT, "completion_window": "24h"}
    got = [
        await client.get("/batches/batch_1"),
        await client.get("/files/file-1/content"),
        await client.post("/batches/batch_1/cancel"),
        await client.post("/batches", {**good, "input_file_id": "file-1"}),
        await client.post("/batches", {**good, "endpoint": "/v1/embeddings"}),
        await client.post("/batches", {**good, "completion_window": "1h"}),
        await client.post("/batches", [1]),
        await client.post("/files", {"purpose": "batch"}),
        await client.upload(b"", purpose="fine-tune"),
    ]

    assert sdks.FileObject.model_validate(file)
    assert [status for status, _ in got] == [404] * 4 + [400] * 5
    assert all(isinstance(body["error"]["message"], str) and body["simulated"] for _, body in got)
    assert client.simulator.stats() | {"requests": 0, "batches": 0, "elsewhere": 0} == client.simulator.stats()


async def test_batches_are_listed_newest_first(client: Client) -> None:
    """A list is as long as was asked for, begins with the newest batch, and goes on after any of them."""
    ids = [(await client.begin(rows_for("bench", count=1)))["id"] for _ in range(3)]
    _, first = await client.get("/batches?limit=2")
    _, rest = await client.get(f"/batches?limit=2&after={first['last_id']}")

    assert [batch["id"] for batch in first["data"]] == [ids[2], ids[1]]
    assert [batch["id"] for batch in rest["data"]] == [ids[0]]
    assert (first["object"], first["has_more"], rest["has_more"]) == ("list", True, False)


async def test_the_openai_sdk_runs_a_batch(client: Client) -> None:
    """The official client uploads, begins, looks, lists and fetches."""
    content = "\n".join(json.dumps(row) for row in rows_for("sim-scorer", count=4)).encode()
    async with sdks.openai.AsyncOpenAI(base_url=client.url, api_key="k") as sdk:
        file = await sdk.files.create(file=("requests.jsonl", content), purpose="batch")
        begun = await sdk.batches.create(input_file_id=file.id, endpoint=CHAT, completion_window="24h")
        batch = await sdk.batches.retrieve(begun.id)
        listed = [one.id async for one in sdk.batches.list(limit=1)]
        text = (await sdk.files.content(batch.output_file_id or "")).text

    assert (file.bytes, listed) == (len(content), [begun.id])
    assert len(text.splitlines()) == 4


# --- Anthropic ---


async def test_a_message_batch_answers_as_one_by_one(make: Callable[..., Any]) -> None:
    """Each request has the words it would have alone and half the cost; counts and results come with the end only."""
    client = await make(batch_s=600.0)
    client.simulator._latency_scale = 0
    client.simulator._start_anew()
    requests = requests_for("sim-rambler")
    status, begun = await client.post("/messages/batches", {"requests": requests})
    early, _ = await client.get(f"/messages/batches/{begun['id']}/results")
    looks = []
    for _ in range(11):
        looks.append((await client.get(f"/messages/batches/{begun['id']}"))[1])
        client.simulator._batches._batches[begun["id"]].begun -= 60.0
    rows = await client.rows(looks[-1]["results_url"].removeprefix(client.url))
    alone = {row["custom_id"]: (await client.post("/messages", row["params"]))[1] for row in requests}

    assert (status, early, begun["processing_status"], begun["results_url"]) == (200, 404, "in_progress", None)
    assert {json.dumps(look["request_counts"]) for look in looks[:-1]} == {json.dumps(begun["request_counts"])}
    assert (begun["request_counts"]["processing"], looks[-1]["request_counts"]["succeeded"]) == (12, 12)
    assert all(sdks.MessageBatch.model_validate(look) for look in (begun, *looks))
    assert [row["custom_id"] for row in rows] != [row["custom_id"] for row in requests]
    for row in rows:
        assert sdks.MessageBatchIndividualResponse.model_validate(row)
        message, other = row["result"]["message"], alone[row["custom_id"]]
        assert message["content"] == other["content"]
        assert message["usage"]["cost"] == pytest.approx(other["usage"]["cost"] / 2)
    assert len({row["custom_id"] for row in rows}) == 12
    assert client.simulator.stats() | {"batches": 1, "batched": 12, "requests": 12} == client.simulator.stats()


async def test_a_message_batch_of_all_sorts(client: Client) -> None:
    """Failed requests come errored, in the shape of an error; those that expire come expired; each is counted as what it is."""
    models = {"good": "bench", "bad": "fault:429", "html": "fault:502-html", "late": "fault:expired", "odd": "no-such-model"}
    requests = [{"custom_id": name, "params": body_for(CHAT, model, "x")} for name, model in models.items()]
    requests.append({"custom_id": "no-limit", "params": {"model": "bench", "messages": [{"role": "user", "content": "x"}]}})
    requests.append({"custom_id": "stream", "params": {**body_for(CHAT, "bench", "x"), "stream": True}})
    _, begun = await client.post("/messages/batches", {"requests": requests})
    _, batch = await client.get(f"/messages/batches/{begun['id']}")
    rows = await client.rows(f"/messages/batches/{begun['id']}/results")
    results = {row["custom_id"]: row["result"] for row in rows}
    errors = {name: result["error"]["error"]["type"] for name, result in results.items() if result["type"] == "errored"}

    assert all(sdks.MessageBatchIndividualResponse.model_validate(row) for row in rows)
    assert (results["good"]["type"], results["late"]) == ("succeeded", {"type": "expired"})
    assert errors == {
        "bad": "rate_limit_error",
        "html": "api_error",
        "odd": "not_found_error",
        "no-limit": "invalid_request_error",
        "stream": "invalid_request_error",
    }
    assert batch["request_counts"] == {"processing": 0, "succeeded": 1, "errored": 5, "canceled": 0, "expired": 1}


@pytest.mark.parametrize("custom_id", ["", "a b", "ä", "x" * 65, "a\n", 5, None])
async def test_a_custom_id_has_a_form(custom_id: Json, client: Client) -> None:
    """An id of another form, or one that stands there twice, is refused at once in Anthropic's shape."""
    params = body_for(CHAT, "bench", "x")
    status, body = await client.post("/messages/batches", {"requests": [{"custom_id": custom_id, "params": params}]})
    twice, _ = await client.post("/messages/batches", {"requests": [{"custom_id": "a", "params": params}] * 2})
    empty, _ = await client.post("/messages/batches", {"requests": []})

    assert (status, twice, empty) == (400, 400, 400)
    assert (body["type"], body["error"]["type"]) == ("error", "invalid_request_error")


async def test_a_canceled_message_batch(make: Callable[..., Any]) -> None:
    """Canceled midway a batch is canceling, then ended: some requests have succeeded, the others are canceled."""
    client = await make(batch_s=600.0)
    _, begun = await client.post("/messages/batches", {"requests": requests_for("bench")})
    under_way = client.simulator._batches._batches[begun["id"]]
    under_way.begun -= 240.0
    status, canceling = await client.post(f"/messages/batches/{begun['id']}/cancel")
    under_way.begun -= 120.0
    batch = (await until(client, f"/messages/batches/{begun['id']}", lambda look: look["processing_status"] == "ended"))[-1]
    rows = await client.rows(f"/messages/batches/{begun['id']}/results")
    again, _ = await client.post(f"/messages/batches/{begun['id']}/cancel")
    counts = batch["request_counts"]

    assert (status, canceling["processing_status"], again) == (200, "canceling", 400)
    assert counts["succeeded"] > 0 and counts["canceled"] > 0
    assert counts["succeeded"] + counts["canceled"] == 12 == len({row["custom_id"] for row in rows})
    assert (
        sorted(row["result"]["type"] for row in rows) == ["canceled"] * counts["canceled"] + ["succeeded"] * counts["succeeded"]
    )
    assert sdks.MessageBatch.model_validate(canceling) and sdks.MessageBatch.model_validate(batch)


async def test_unknown_message_batches(client: Client) -> None:
    """Unknown ids are 404 in Anthropic's shape."""
    got = [
        await client.get("/messages/batches/msgbatch_1"),
        await client.get("/messages/batches/msgbatch_1/results"),
        await client.post("/messages/batches/msgbatch_1/cancel"),
    ]

    assert [(status, body["type"], body["error"]["type"]) for status, body in got] == [(404, "error", "not_found_error")] * 3


async def test_the_anthropic_sdk_runs_a_batch(client: Client) -> None:
    """The official client begins a batch, looks at it, lists it and reads its results."""
    async with sdks.anthropic.AsyncAnthropic(base_url=client.url.removesuffix("/v1"), api_key="k") as sdk:
        begun = await sdk.messages.batches.create(requests=requests_for("sim-scholar", 4))
        batch = await sdk.messages.batches.retrieve(begun.id)
        listed = [one.id async for one in await sdk.messages.batches.list(limit=1)]
        results = [one async for one in await sdk.messages.batches.results(begun.id)]

    assert (batch.processing_status, listed) == ("ended", [begun.id])
    assert {one.custom_id for one in results} == {f"q{n}" for n in range(4)}
    assert {one.result.type for one in results} == {"succeeded"}


# --- both ---


async def test_a_key_is_asked_for_everywhere(make: Callable[..., Any]) -> None:
    """A simulator with a key shows no file and no batch without it, in each API's shape."""
    client = await make(key="sk-one")
    got = [await client.get("/batches"), await client.get("/messages/batches"), await client.upload(b"")]

    assert [status for status, _ in got] == [401] * 3
    assert [body.get("type") for _, body in got] == [None, "error", None]


async def test_a_reset_forgets_batches(client: Client) -> None:
    """After a reset no batch is known and none is counted."""
    begun = await client.begin(rows_for("bench", count=1))
    async with client.session.post(client.url.removesuffix("/v1") + "/reset"):
        pass
    status, _ = await client.get(f"/batches/{begun['id']}")

    assert status == 404
    assert (client.simulator.stats()["batches"], client.simulator.stats()["batched"]) == (0, 0)


@given(st.lists(st.tuples(st.text(max_size=5), st.sampled_from([200, 400, None])), unique_by=lambda one: one[0], max_size=20))
@few
def test_reached_and_left_make_a_batch(outcomes: list[tuple[str, int | None]]) -> None:
    """At any time, cancelled or not, each request is either reached or left, and none that expires is reached."""
    batch = Batch(tuple(Outcome(name, "r", status) for name, status in outcomes), 1.0, "b")
    for share in (0.0, 0.1, 0.37, 0.5, 0.9, 1.0):
        batch.stopped = share

        assert sorted(one.custom_id for one in (*batch.reached(), *batch.left())) == sorted(name for name, _ in outcomes)
        assert all(one.status is not None for one in batch.reached())
    assert len(batch.reached()) == sum(status is not None for _, status in outcomes)
