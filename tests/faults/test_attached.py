"""Images and PDFs in real runs: the server gets the bytes once, the log their place, and a wire that takes none is refused."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import struct
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from aiohttp import web
from fault_bench import LOG, Life, Table, Watched, asked, derived_files, panel, resume_here, run_here, strict_lines
from invariants import check
from nursery import Nursery
from pdf_files import pdf_of

from tui_eval.configuring.loading import check_caps, load
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace

WIRES = ("openai", "openai-responses", "anthropic")
IMAGES = Path(__file__).resolve().parents[1] / "data" / "images"
PDF = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
"""Not much of a PDF, and all ASCII."""


def png(red: int = 255) -> bytes:
    """An image of one pixel."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes([0, red, 0, 0]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


class Keeping(Watched):
    """The simulator, with every body it was sent."""

    def __init__(self) -> None:
        super().__init__(latency_scale=0.0)
        self.bodies: list[str] = []
        self.url = ""

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.bodies.append((await request.read()).decode())
        return await super()._answer(request)


@pytest.fixture
async def keeping() -> AsyncIterator[Keeping]:
    """Such a simulator, up."""
    found = Keeping()
    found.url = await found.start()
    yield found
    await found.stop()


def shown(url: str, wire: str, documents: list[str], api: str = "sim-scholar", **more: Any) -> Table:
    """One model that is asked about documents."""
    model = {"name": "m", "wire": wire, "model": api, "base_url": url, **more.pop("model", {})}
    return panel([model], [asked("m")], documents=documents, **more)


def stats_in(server: Keeping) -> Table:
    """What it was asked."""
    return server._stats(with_ids=True)


def coded(data: bytes) -> str:
    """Its base64."""
    return base64.b64encode(data).decode()


def sha(data: bytes) -> str:
    """Its hash."""
    return hashlib.sha256(data).hexdigest()


def keys_in(life: Life) -> set[str]:
    """Keys of its calls."""
    return {record["call_key"] for record in life.records}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRES)
async def test_the_server_gets_the_bytes_and_the_log_their_place(
    keeping: Keeping, tmp_path: Path, wire: str, stream: bool
) -> None:
    """Once in the request, and never in the log; the image itself lies in the run folder."""
    (tmp_path / "pixel.png").write_bytes(png())
    config = shown(keeping.url, wire, ["pixel.png"], run={"stream": stream})

    life = await run_here(config, tmp_path)

    (record,) = check(life.path, stats_in(keeping))
    assert life.ended.exit_code == 0
    assert [body.count(coded(png())) for body in keeping.bodies] == [1]
    assert "image/png" in keeping.bodies[0]
    for name in (LOG, "results.jsonl", "report.json", "plan.json", "config.toml"):
        assert coded(png()).encode() not in (life.path / name).read_bytes(), name
    assert json.dumps(record["request"]).count(f"inputs/documents/pixel.png sha256:{sha(png())}") == 1
    assert (life.path / "inputs" / "documents" / "pixel.png").read_bytes() == png()


@pytest.mark.parametrize("name", ['we"ird\\name.png', "h\u00e4\u4e16.png", "new\nline.png", "{}.png", "a b.png"])
async def test_any_file_name_leaves_a_sound_log(keeping: Keeping, tmp_path: Path, name: str) -> None:
    """A name is a name: no quote, line end or foreign letter in it breaks a record, and nothing is asked twice."""
    (tmp_path / name).write_bytes(png())
    life = await run_here(shown(keeping.url, "openai", ["*.png"]), tmp_path)
    (record,) = check(life.path, stats_in(keeping))
    place = record["request"]["messages"][-1]["content"][0]["image_url"]["url"]
    assert place == f"data:image/png;base64,inputs/documents/{name} sha256:{sha(png())}"
    again = await resume_here(life.path)
    assert (life.ended.exit_code, again.ended.exit_code, len(keeping.bodies)) == (0, 0, 1)


@pytest.mark.parametrize("wire", WIRES)
async def test_judges_see_it_where_they_are_sent_it(keeping: Keeping, tmp_path: Path, wire: str) -> None:
    """Doer and judge are shown the image; each request holds it once."""
    (tmp_path / "pixel.png").write_bytes(png())
    config = shown(keeping.url, wire, ["pixel.png"], judges=[asked("m")], finals=[asked("m")], send_doc_to_judges=True)
    life = await run_here(config, tmp_path)
    check(life.path, stats_in(keeping))
    assert [body.count(coded(png())) for body in keeping.bodies] == [1, 1, 0]


async def test_another_image_is_another_call(keeping: Keeping, tmp_path: Path) -> None:
    """Keys differ by image, and a rerun, a resume and a rescore know it again."""
    config = shown(keeping.url, "openai", ["pixel.png"], run={"cache": True})
    lives = []
    for number, red in enumerate((1, 2, 1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "pixel.png").write_bytes(png(red))
        lives.append(await run_here(config, folder, cache=tmp_path / "cache"))
    first, second, third = lives
    assert keys_in(first) == keys_in(third) != keys_in(second)
    assert [record["cached"] for life in lives for record in life.records] == [False, False, True]
    assert [third.records[0][name] for name in ("response_text", "request")] == [
        first.records[0][name] for name in ("response_text", "request")
    ]
    await resume_here(first.path)
    assert len(keeping.bodies) == 2


async def test_a_rescore_gives_the_same_bytes(keeping: Keeping, nursery: Nursery, tmp_path: Path) -> None:
    """From the run folder alone: the original is gone."""
    (tmp_path / "pixel.png").write_bytes(png())
    life = await run_here(shown(keeping.url, "anthropic", ["pixel.png"], questions=2), tmp_path)
    (tmp_path / "pixel.png").unlink()
    before = derived_files(life.path)
    child = nursery.run("rescore", life.path)
    assert child.code == 0, child.stderr
    assert derived_files(life.path) == before
    assert len(keeping.bodies) == 2


async def test_attach_false_sends_text_as_before(keeping: Keeping, tmp_path: Path) -> None:
    """The base64 stands in the prompt, as any binary file's does."""
    (tmp_path / "pixel.png").write_bytes(png())
    life = await run_here(shown(keeping.url, "openai", ["pixel.png"], attach=False), tmp_path)
    (record,) = life.records
    content = record["request"]["messages"][-1]["content"]
    assert isinstance(content, str)
    assert f"encoding: base64\ncontent:\n{coded(png())}\n" in content


@pytest.mark.parametrize("wire", WIRES)
async def test_a_pdf_is_sent_where_it_is_taken(keeping: Keeping, tmp_path: Path, wire: str) -> None:
    """All three take PDFs."""
    (tmp_path / "paper.pdf").write_bytes(PDF)
    life = await run_here(shown(keeping.url, wire, ["paper.pdf"]), tmp_path)
    check(life.path, stats_in(keeping))
    assert life.ended.exit_code == 0
    assert [body.count(coded(PDF)) for body in keeping.bodies] == [1]
    assert coded(PDF).encode() not in (life.path / LOG).read_bytes()


def refusal(folder: Path, config: Table) -> str:
    """What is said against a config."""
    import tomli_w

    (folder / "cfg.toml").write_text(tomli_w.dumps(config))
    with pytest.raises(ConfigError) as caught:
        check_caps(load(folder / "cfg.toml", Workspace(folder)))
    return str(caught.value)


def among(folder: Path, many: int, at: int, data: bytes) -> list[str]:
    """The names of many small documents, one of which is something else."""
    names = [f"doc{number:03d}.md" for number in range(many)]
    for number, name in enumerate(names):
        (folder / name).write_bytes(data if number == at else b"text")
    return names


@pytest.mark.parametrize(("many", "at"), [(1, 0), (100, 1), (100, 99), (333, 5)])
def test_a_wire_that_takes_no_pdf_is_refused(tmp_path: Path, many: int, at: int) -> None:
    """Before anything is sent, whichever document it is, with what to change."""
    config = shown("http://127.0.0.1:9/v1", "ollama", among(tmp_path, many, at, PDF), max_documents=1000, max_rows=1000)
    said = refusal(tmp_path, config)
    assert "application/pdf" in said or "PDF" in said
    assert "documents_as" in said


@pytest.mark.parametrize(("many", "at"), [(1, 0), (100, 1), (100, 99), (333, 5)])
def test_a_cap_in_dollars_and_a_pdf_do_not_go_together(tmp_path: Path, many: int, at: int) -> None:
    """What a PDF costs is not known before, so the cap cannot be held."""
    priced = {"price": {"input": 1.0, "output": 1.0}}
    config = shown(
        "http://127.0.0.1:9/v1",
        "openai",
        among(tmp_path, many, at, PDF),
        model=priced,
        run={"max_cost_usd": 1000.0},
        max_documents=1000,
        max_rows=1000,
    )
    said = refusal(tmp_path, config)
    assert "max_cost_usd" in said
    assert "PDF" in said


async def test_an_image_fits_a_cap(keeping: Keeping, tmp_path: Path) -> None:
    """Its most is known: the run goes, and a cap that is too low skips the call."""
    (tmp_path / "pixel.png").write_bytes(png())
    for cap, ends in ((1.0, "ok"), (0.01, "skipped_budget")):
        folder = tmp_path / ends
        folder.mkdir()
        (folder / "pixel.png").write_bytes(png())
        priced = {"price": {"input": 1.0, "output": 1.0}}
        life = await run_here(shown(keeping.url, "openai", ["pixel.png"], model=priced, run={"max_cost_usd": cap}), folder)
        assert [record["status"] for record in life.records] == [ends]


@pytest.mark.parametrize("wire", WIRES)
async def test_what_a_file_is_called_does_not_matter(keeping: Keeping, tmp_path: Path, wire: str) -> None:
    """A jpeg named .png is sent as a jpeg; real images of four types go through."""
    names = ["really_jpg_named.png", "hopper.gif", "hopper.webp", "truncated_jpeg.jpg"]
    types = ["image/jpeg", "image/gif", "image/webp", "image/jpeg"]
    for name in names:
        (tmp_path / name).write_bytes((IMAGES / name).read_bytes())
    life = await run_here(shown(keeping.url, wire, names, max_document_bytes=2_000_000), tmp_path)
    check(life.path, stats_in(keeping))
    assert life.ended.exit_code == 0
    assert len(keeping.bodies) == len(names)
    for name, mime in zip(names, types, strict=True):
        (body,) = [text for text in keeping.bodies if coded((IMAGES / name).read_bytes()) in text]
        assert {kind for kind in (*types, "image/png", "octet-stream") if kind in body} == {mime}, "the prompt names another"


async def test_odd_bytes_are_text(keeping: Keeping, tmp_path: Path) -> None:
    """Half a mark, no bytes, nonsense: sent as any other file."""
    for name, data in {"half.png": b"\x89PN", "none.png": b"", "odd.png": bytes(range(256))}.items():
        (tmp_path / name).write_bytes(data)
    life = await run_here(shown(keeping.url, "openai", ["half.png", "none.png", "odd.png"]), tmp_path)
    check(life.path, stats_in(keeping))
    assert life.ended.exit_code == 0
    assert all(isinstance(record["request"]["messages"][-1]["content"], str) for record in life.records)


async def test_the_log_is_read_by_strangers(keeping: Keeping, tmp_path: Path) -> None:
    """Every line is a whole record, with the request as JSON."""
    (tmp_path / "pixel.png").write_bytes(png())
    life = await run_here(shown(keeping.url, "openai-responses", ["pixel.png"]), tmp_path)
    assert isinstance(strict_lines(life.path / LOG)[0]["request"]["input"], list)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_single_call_sends_the_pdf_itself(keeping: Keeping, nursery: Nursery, tmp_path: Path, wire: str) -> None:
    """`call --attach`: one request with the PDF's bytes, whose reply comes out; without it the words of the PDF go instead."""
    data = pdf_of([["The log of Skerrow is kept in an iron box by the keeper of the light."]])
    (tmp_path / "log.pdf").write_bytes(data)
    (tmp_path / "told.md").write_text("Where is the log kept?")
    model = {"name": "m", "wire": wire, "model": "sim-scholar", "base_url": keeping.url}
    (tmp_path / ".conf").mkdir()
    (tmp_path / ".conf" / "models.toml").write_text(tomli_w.dumps({"models": [model]}))
    words = ("call", "m", "--workspace", tmp_path, "--prompt", tmp_path / "told.md", "--input", tmp_path / "log.pdf", "--json")

    attached = await asyncio.to_thread(nursery.run, *words, "--attach", "--out", tmp_path / "kept")
    read = await asyncio.to_thread(nursery.run, *words)

    assert (attached.code, read.code) == (0, 0), attached.stderr + read.stderr
    (record,) = check(tmp_path / "kept", {**stats_in(keeping), "requests": 1, "ids": stats_in(keeping)["ids"][:1]})
    assert json.loads(attached.stdout)["output"] == record["response_text"]
    assert [body.count(coded(data)) for body in keeping.bodies] == [1, 0]
    assert ["iron box" in body for body in keeping.bodies] == [False, True]
    assert coded(data).encode() not in (tmp_path / "kept" / LOG).read_bytes()
