"""What models and servers say can steer no terminal, run in no spreadsheet, and fill no memory."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from fault_bench import Peer, asked, by_model, panel, spoken_by, strict_json, strict_lines, write_config
from invariants import check
from nursery import Child, Nursery
from soaking import quick_first

from tui_eval.cli import command_line

ESCAPE = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202ereversed"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Everything but newline and tab that a terminal acts on."""
FORMULA = re.compile(r"^[\s\u200b-\u200f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def _assert_tame(child: Child) -> None:
    """No byte of what a process wrote steers a terminal."""
    for text in (child.stdout.decode(), child.stderr.decode()):
        found = STEERING.search(text)
        assert found is None, f"{found.group()!r} in {text[max(found.start() - 60, 0) : found.end() + 20]!r}"


def _assert_safe_in_a_spreadsheet(path: Path) -> None:
    """No cell of a CSV would be run as a formula, and none steers a terminal."""
    with path.open(newline="", encoding="utf-8") as stream:
        for row in csv.reader(stream):
            for cell in row:
                assert not STEERING.search(cell), cell
                assert re.fullmatch(r"-?[0-9.e-]+", cell) or not FORMULA.match(cell), cell


@pytest.mark.parametrize("on_failure", ["continue", "abort"])
def test_hostile_text_is_shown_and_never_obeyed(on_failure: str, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Escapes in an answer, in an error message, in a model's name and a run's: not one reaches the terminal; the log
    holds the answer exactly as it came."""
    models = [
        spoken_by(peer.url, "says", "fault:escape"),
        spoken_by(peer.url, "fails", "fault:escape-error"),
        spoken_by(peer.url, f"name{ESCAPE}", "fault:formula"),
    ]
    config = panel(models, [asked(model["name"]) for model in models], run={"on_failure": on_failure}, truths=["pore space"])
    config["panel"]["benchmark"] = {"mode": "exact"}
    config["name"] = f"run{ESCAPE}"
    out = tmp_path / "run"

    child = nursery.run("--run", write_config(tmp_path, config), "--out", out)
    told = [nursery.run(*words) for words in (("status", out), ("status", out, "--json"), ("rescore", out))]

    assert child.code == 3
    check(out, peer.stats())
    for one in (child, *told):
        _assert_tame(one)
    texts = [r["response_text"] for r in by_model(strict_lines(out / "call_logs.jsonl"))["says"]]
    assert texts == [text for text in texts if "\x1b]52;c;c2ltdWxhdGVk\x07" in text]
    for path in out.rglob("*.csv"):
        _assert_safe_in_a_spreadsheet(path)
    for path in (*out.rglob("*.json"), *out.rglob("*.jsonl"), *out.rglob("*.md")):
        found = STEERING.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.name}: {found.group()!r}"


@pytest.mark.parametrize("option", ["--dry-run", "--out"])
def test_a_hostile_config_steers_no_terminal(option: str, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """Names and keys of a config that somebody else wrote are shown, not obeyed: in a dry run, and in an error message."""
    config = panel([spoken_by(peer.url, "only", "bench")], [asked("only")])
    if option == "--dry-run":
        config["name"] = f"run{ESCAPE}"
        more: tuple[object, ...] = (option,)
    else:
        config[f"unknown{ESCAPE}"] = 1
        more = (option, tmp_path / "run")

    child = nursery.run("--run", write_config(tmp_path, config), *more)

    assert child.code == (0 if option == "--dry-run" else 2)
    assert peer.stats()["requests"] == 0
    _assert_tame(child)


def test_a_list_of_runs_steers_no_terminal(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A run folder that a stranger made is listed without obeying what its files say."""
    config = panel([spoken_by(peer.url, "only", "bench")], [asked("only")])
    out = tmp_path / "runs" / "20260101_000000_abcd"
    assert nursery.run("--run", write_config(tmp_path, config), "--out", out).code == 0
    for name, key in (("manifest.json", "kind"), ("progress.json", "state"), ("progress.json", "why")):
        content = json.loads((out / name).read_text())
        (out / name).write_text(json.dumps({**content, key: ESCAPE}))

    told = [nursery.run("status"), nursery.run("status", out)]

    for one in told:
        assert one.code == 0
        _assert_tame(one)


ODD = {
    "progress.json": [
        b'{"done": 1}',
        b'{"done": "x", "total": [], "models": {}}',
        b'{"charged_usd": "a"}',
        b'{"state": 5, "done": 1, "planned": 1, "calls_used": 1, "max_calls": 1, "charged_usd": 1, "total": {}, "models": []}',
        b"[" * 100_000,
        b"\xff",
        b"[]",
    ],
    "manifest.json": [b'"x"', b"[]", b"null", b'{"run_id": 5, "kind": [], "name": {}, "planned_calls": "x"}'],
    "lock": [b"[]", b"\xff", b""],
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_file_in_one_run_does_not_hide_the_others(
    name: str, nursery: Nursery, peer: Peer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever stands in a file of one run folder, status of that run tells what it can or refuses in words, and the list
    of all runs has every run."""
    config = write_config(tmp_path, panel([spoken_by(peer.url, "only", "bench")], [asked("only")]))
    odd, sound = (tmp_path / "runs" / f"20260101_00000{n}_abcd" for n in range(2))
    assert [nursery.run("--run", config, "--out", out).code for out in (odd, sound)] == [0, 0]
    for content in ODD[name]:
        (odd / name).write_bytes(content)

        told = [command_line.main(words) for words in (["status"], ["status", str(odd)], ["status", str(odd), "--json"])]

        shown = capsys.readouterr().out
        assert told[0] == 0, content[:80]
        assert set(told) <= {0, 2}, content[:80]
        assert sound.name in shown


def test_names_cannot_be_formulas(nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A model named like a formula is text in every CSV."""
    names = ["=1+1", "@SUM(A1)", "+cmd", "-2+3", "\t=1+2", "\u200b=1+3", "\uff1d1+4"]
    models = [spoken_by(peer.url, name, "bench") for name in names]
    config = panel(models, [asked(name) for name in names], truths=["=2"], benchmark={"mode": "exact"})

    child = nursery.run("--run", write_config(tmp_path, config), "--out", tmp_path / "run")

    assert child.code == 0
    found = list((tmp_path / "run").rglob("*.csv"))
    assert len(found) >= 2
    for path in found:
        _assert_safe_in_a_spreadsheet(path)
        assert all(name.strip("\t\u200b") in path.read_text() for name in names)


@pytest.mark.parametrize("what", quick_first(["gzip-bomb", "huge", "big"]))
def test_no_reply_fills_the_memory(what: str, nursery: Nursery, peer: Peer, tmp_path: Path) -> None:
    """A gigabyte in a small parcel, an endless body, big answers at once: below 300 MB, and the neighbour is served."""
    models = [spoken_by(peer.url, "large", f"fault:{what}"), spoken_by(peer.url, "healthy", "bench")]
    run = {"max_concurrency": 4, "timeout_s": 60.0}
    config = panel(models, [asked("large", 1 if what == "big" else 2), asked("healthy", 4)], run=run)

    child = nursery.run("--run", write_config(tmp_path, config), "--out", tmp_path / "run")

    records = by_model(check(tmp_path / "run", peer.stats()))
    assert child.peak_mib < 300
    assert [record["status"] for record in records["healthy"]] == ["ok"] * 4
    assert {record["status"] for record in records["large"]} == {"ok" if what == "big" else "error"}
    assert strict_json((tmp_path / "run" / "report.json").read_bytes())["items"]["unfinished"] == 0
