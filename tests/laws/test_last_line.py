"""The law of the last line, over every kind and every way in which a run can end early: what it advises, running it does."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from fault_bench import Peer, spoken_by
from next_steps import check_none_missing
from own_folder import own
from samples import ALL_TABLES, tables_of, written
from soaking import SOAK
from troubled import HANGS, WORDS, Troubled

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Reply
from tui_eval.kinds import KINDS
from tui_eval.runs.steering import stop
from tui_eval.workspace.places import Workspace

WIDEST = {kind: max(tables, key=lambda name: len(tables[name])) for kind, tables in ALL_TABLES.items()}
LIMIT = 3000
LIMITED = {"max_output_tokens": LIMIT}
"""Settings of a run whose replies are cut, or that has a cap on cost."""
NOTICED_S = 0.35
"""How long a request is held after a stop was asked for: a run looks for that four times a second."""

Run = dict[str, Any]
At = Callable[[Path], Callable[[int], None]]


@dataclass(frozen=True)
class Way:
    """A way in which a run ends early, and what is expected of what its last line advises."""

    trouble: str = ""
    spared: int = 2
    run: Run = field(default_factory=dict)
    """The settings of the run."""
    caps: Callable[[Mapping[str, Any]], Run] | None = None
    """Caps that are set, given its plan."""
    model: Run = field(default_factory=dict)
    """Of each model."""
    room: int = 0
    """Whatever is allowed so many tokens is not cut. Then the server stays as it is, and the advised limit has to do."""
    words: tuple[str, ...] = ()
    at: At | None = None
    """What happens at a request of the first session, and (`at_again`) of the second."""
    at_again: At | None = None
    lines: int = 1
    """So many advised commands complete the run at most."""


def _stopped(out: Path) -> Callable[[int], None]:
    def at(number: int) -> None:
        if number >= 2:
            stop(out)
            time.sleep(NOTICED_S)

    return at


def _interrupted(times: int) -> At:
    def at(number: int) -> None:
        if number == 2:
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(NOTICED_S)

    return lambda out: at


def _capped(plan: Mapping[str, Any]) -> Run:
    return {"max_calls": plan["total_calls"]}


def _usd(share: float) -> Callable[[Mapping[str, Any]], Run]:
    """A cap on cost that is above the estimate, and so much of the way to the most that the plan may cost."""

    def run(plan: Mapping[str, Any]) -> Run:
        least, most = plan["cost_usd"], plan["max_cost_usd"]
        return {"max_cost_usd": least * 1.01 + share * (most - least)}

    return run


WAYS = {
    "a server out of order": Way("500"),
    "out of order, no model is stopped": Way("500", run={"stop_model_after": 0}),
    "out of order, and tried again": Way("500", run={"stop_model_after": 0, "retries": 1}),
    "out of order from the start": Way("500", spared=0),
    "out of order from the start, no preflight": Way("500", spared=0, words=("--no-preflight",)),
    "out of order, and aborted": Way("500", run={"on_failure": "abort"}),
    "too many requests": Way("429"),
    "a key that is not accepted": Way("401"),
    "no reply in time": Way(HANGS, run={"timeout_s": 4.0}),
    "cut before any text": Way("cut at once", run=LIMITED, room=4 * LIMIT + 1, lines=6),
    "cut midway": Way("cut", run=LIMITED, room=4 * LIMIT + 1, lines=6),
    "cut at limits of the models' own": Way("cut at once", model={"max_output_tokens": 700}, room=2801, lines=6),
    "words that answer nothing": Way("words", spared=0, lines=2),
    "a cap on calls, and out of order": Way("500", run={"stop_model_after": 0}, caps=_capped, words=("--no-preflight",)),
    "a cap on calls, and words": Way("words", spared=0, caps=_capped, words=("--no-preflight",), lines=2),
    "a cap on cost": Way(run=LIMITED, caps=_usd(0)),
    "a cap on cost, half way": Way(run=LIMITED, caps=_usd(0.3)),
    "a cap on cost, and out of order": Way("500", run=LIMITED, caps=_usd(0), lines=2),
    "stopped": Way(run={"max_concurrency": 1}, at=_stopped),
    "out of order, and stopped on the way back": Way(
        "500", run={"max_concurrency": 1, "stop_model_after": 0}, at_again=_stopped, lines=2
    ),
    "interrupted": Way(run={"max_concurrency": 1}, at=_interrupted(1)),
    "interrupted twice": Way(run={"max_concurrency": 1}, at=_interrupted(2)),
}
SILENT = {"cut midway", "a cap on cost, half way"}
"""Ways in which some kinds end complete: what was cut can be read, or the cap does."""
QUICK = [
    ("panel", "a cap on calls, and out of order"),
    ("choice", "a server out of order"),
    ("generate", "words that answer nothing"),
    ("chat", "out of order, and stopped on the way back"),
    ("pipeline", "cut before any text"),
    ("graph", "a cap on cost"),
    ("qa", "a server out of order"),
    ("call", "cut at limits of the models' own"),
    ("agree", "a cap on calls, and words"),
    ("grounded", "stopped"),
]
CASES = [(kind, way) if (kind, way) in QUICK else pytest.param(kind, way, marks=SOAK) for kind in WIDEST for way in WAYS]


@dataclass(frozen=True)
class Step:
    """A session of a run, by its command: what it ended with and what it asked."""

    code: int
    said: str
    advised: list[str]
    """The command that its last line advises, without its first word."""
    asked: int
    over_budget: int


class Ending:
    """A run of a kind beside a server that is in trouble."""

    def __init__(self, kind: str, server: Troubled, url: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.kind, self.server, self.url, self.folder, self.capsys = kind, server, url, folder, capsys
        self.out = folder / "its runs" / "one"

    def config(self, way: Way, keys_file: Path | None = None) -> tuple[Path, Loaded]:
        """The config of the kind's widest sample with the settings of the way."""
        table = tomllib.loads(written(self.kind, WIDEST[self.kind], self.folder, repeat=1).read_text(encoding="utf-8"))
        price = {"input": 3.0, "output": 15.0}
        models = [spoken_by(self.url, name, "sim-scholar", price=price, **way.model) for name in ("one", "two", "three")]

        def loaded(**caps: Any) -> Loaded:
            run = {"cache": False, "retries": 0, **way.run, **caps}
            self.folder.joinpath("cfg.toml").write_text(
                tomli_w.dumps({**table, "run": run, "models": models}), encoding="utf-8"
            )
            return load(self.folder / "cfg.toml", Workspace(self.folder), keys_file=keys_file)

        found = loaded()
        return self.folder / "cfg.toml", loaded(**way.caps(found.plan)) if way.caps else found

    def step(self, *words: str) -> Step:
        """Do a command, and look at what it did."""
        before = self.server.asked
        code = main(list(words))
        said = self.capsys.readouterr().err.strip()
        last = said.splitlines()[-1]
        advised = re.findall(r"(?:with|then): tui-eval (.*)$", last)
        progress = json.loads((self.out / "progress.json").read_bytes())
        step = Step(code, said, advised, self.server.asked - before, progress["total"]["skipped"])
        self.check_caps(said)
        return step

    def check_caps(self, said: str) -> None:
        """No attempt was made beyond the caps in force."""
        run = tomllib.loads((self.out / "config.toml").read_text())["run"]
        of_session = re.findall(r"at most [\d,]+ calls in this session, ([\d,]+) in all", said)
        cap = int(of_session[0].replace(",", "")) if of_session else run["max_calls"]
        assert self.server.asked + self.server.tiny <= cap
        assert (self.report["charged_usd"] or 0) <= run.get("max_cost_usd", 1e9)

    @property
    def report(self) -> dict[str, Any]:
        """Its report; one that says nothing before there is any."""
        path = self.out / "report.json"
        return dict(json.loads(path.read_bytes())) if path.exists() else {"charged_usd": 0.0}


@pytest.fixture
def troubled() -> Iterator[tuple[Troubled, str]]:
    """A server in trouble, and its address."""
    server = Troubled()
    peer = Peer(simulator=server)
    yield server, peer.url
    peer.close()


def reads_replies(loaded: Loaded) -> bool:
    """Whether a kind says of some reply that it cannot be read."""
    samples = loaded.evaluation.samples()
    rows = (loaded.evaluation.driven(sample, lambda call: Reply(call, "ok", text=WORDS)) for sample in samples)
    return any(reply.unread for row in rows for reply in row.replies)


def test_every_kind_is_held_to_the_law() -> None:
    """Those that are shipped and those of the tests."""
    assert all(tables_of(kind) for kind in KINDS) and set(WIDEST) == set(KINDS)
    step = "add ('{name}', a way of WAYS) to QUICK in tests/laws/test_last_line.py: how its run ends in the quick suite"
    check_none_missing(set(KINDS) - {kind for kind, _ in QUICK}, step)
    assert {way for _, way in QUICK} <= set(WAYS)


@pytest.mark.parametrize(("kind", "way"), CASES, ids=[f"{kind}, {way}" for kind in WIDEST for way in WAYS])
def test_what_the_last_line_advises_running_it_does(
    kind: str,
    way: str,
    troubled: tuple[Troubled, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command of the last line, run alone as it stands there, completes the run beside a server that is well again; or its
    own last line does, where the first one promises no more. Nothing is left out for want of budget, no call is asked again
    that was answered, no cap is passed. Where no line advises anything, --failed has nothing to ask.
    """
    monkeypatch.chdir(tmp_path)
    case, (server, url) = WAYS[way], troubled
    ending = Ending(kind, server, url, tmp_path, capsys)
    config, loaded = ending.config(case)
    server.trouble, server.spared, server.room = case.trouble, case.spared, case.room
    server.at = case.at(ending.out) if case.at else server.at

    steps = [ending.step("run", str(config), "--out", str(ending.out), *case.words)]
    if not case.room:
        server.heal()
    while steps[-1].advised:
        assert len(steps) <= case.lines, steps[-1].said
        server.at = case.at_again(ending.out) if case.at_again and len(steps) == 1 else server.at
        steps.append(ending.step(*shlex.split(steps[-1].advised[0])))
        server.at = lambda number: None
        assert steps[-1].over_budget == 0, steps[-1].said
        assert steps[-1].asked > 0, steps[-1].said

    assert steps[-1].code == 0, steps[-1].said
    assert ending.report["items"]["unfinished"] == 0 and server.answered_again == 0
    if way not in SILENT:
        assert (len(steps) > 1) == (case.trouble != "words" or reads_replies(loaded))
    nothing_left = ending.step("resume", str(ending.out), "--failed")
    assert (nothing_left.code, nothing_left.asked, nothing_left.advised) == (0, 0, [])


def test_the_line_holds_where_it_stands(
    troubled: tuple[Troubled, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names what the first command was told of where things lie: the workspace and the file of keys; and a shell takes it
    for the words that it is, whatever stands in a path."""
    (tmp_path / "work of mine").mkdir()
    own(tmp_path)
    own(tmp_path / "work of mine")
    (tmp_path / "keys").write_text("TROUBLED_API_KEY=sk-troubled-0123456789\n", encoding="utf-8")
    (tmp_path / "keys").chmod(0o600)
    monkeypatch.chdir(tmp_path)
    server, url = troubled
    ending = Ending("call", server, url, tmp_path, capsys)
    config, _ = ending.config(Way(model={"api_key_env": "TROUBLED_API_KEY"}), keys_file=tmp_path / "keys")
    server.trouble, server.spared = "500", 0

    places = ("--workspace", "work of mine", "--keys-file", "keys")
    first = ending.step("run", str(config), "--out", str(ending.out), *places)
    server.heal()
    again = ending.step(*shlex.split(first.advised[0]))

    assert (first.code, again.code, again.advised) == (3, 0, []), again.said
