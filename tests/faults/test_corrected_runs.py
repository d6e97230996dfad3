"""A corrected mean through the command line: a judge whose error goes with length, and a person who marks what is drawn."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from rated_runs import rate, rows_of
from scripted import as_bytes, completion

from tui_eval.cli.command_line import main
from tui_eval.core.kinds import Metric

FLUENCY = Metric("fluency", 1, 5, threshold=3)
CONVERSATIONS, LONG, LABELS = 40, 9, 30
RUNS, LEAST = 10, 8
"""Of so many runs at least so many intervals must hold the planted mean; .95 of them do by themselves."""
_PLANTED = re.compile(r"planted (\d), long (\d)")


class _Judge(BaseHTTPRequestHandler):
    """Gives what was planted, and one more in long conversations."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One mark."""
        asked = self.rfile.read(int(self.headers["content-length"])).decode()
        mark, long = map(int, _PLANTED.findall(asked)[-1])
        body = as_bytes(completion(json.dumps({"reason": "by length", "score": min(mark + long, 5)})))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is told."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


@pytest.fixture(scope="module")
def judge() -> Iterator[str]:
    """The address of such a judge."""
    server = _Server(("127.0.0.1", 0), _Judge)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    thread.join(10)


def planted(folder: Path, url: str, seed: int) -> float:
    """Write a set of conversations of one or nine turns, and the config that has their ground truths judged; the mean over
    conversations of what a person gives."""
    random, conversations, means = Random(seed), [], []
    for c in range(CONVERSATIONS):
        turns, level = random.choice((1, LONG)), random.uniform(1.5, 4)
        marks = [min(max(round(level + random.uniform(-1, 1)), 1), 4) for _ in range(turns)]
        means.append(fmean(marks))
        conversations.append({"id": f"c{c}", "turns": [
            {"id": f"c{c}/t{n}", "question": f"How is {c}, {n}?", "ground_truth": f"planted {mark}, long {int(turns > 1)}"}
            for n, mark in enumerate(marks)
        ]})  # fmt: skip
    (folder / "talks.json").write_text(json.dumps({"name": "talks", "conversations": conversations}))
    (folder / "chat.toml").write_text(
        'kind = "chat"\nname = "talks"\n[run]\nmax_calls = 2000\nmax_concurrency = 20\n'
        '[[models]]\nname = "one"\nwire = "simulator"\nmodel = "sim-scholar"\n'
        f'[[models]]\nname = "judge"\nwire = "vllm"\nmodel = "judge"\nbase_url = "{url}"\n'
        '[chat]\ndataset = "talks.json"\nmodels = ["one"]\nanswers_from = "truth"\n'
        '[chat.judge]\nmodel = "judge"\nmetrics = ["fluency"]\nclaims = false\nduplicates = 0\n'
    )
    return fmean(means)


def corrected(folder: Path, url: str, seed: int) -> tuple[float, float, float, float]:
    """(low, high) of the corrected mean, the judge's own, and what was planted, of one run that a person rated."""
    folder.mkdir()
    truth, run, where = planted(folder, url, seed), folder / "run", ["--workspace", str(folder)]
    assert main(["run", str(folder / "chat.toml"), "--out", str(run), "-q", "--no-preflight", *where]) == 0
    marks = rate(run, FLUENCY, lambda one, text: int(_PLANTED.findall(text)[0][0]), LABELS)
    assert marks == LABELS
    assert main(["rescore", str(run), "-q", *where]) == 0
    (row,) = [row for row in rows_of(run, "person_checks") if row["metric"] == "fluency" and row["model"] == "one"]
    assert row["n_drawn"] == LABELS and row["corrected"] is not None, row
    low, high = re.search(r"corrected \d\.\d\d \[(\d\.\d\d), (\d\.\d\d)\] by 30 ratings", row["in_words"]).groups()  # type: ignore[union-attr]
    return float(low), float(high), row["judge_mean"], truth


def test_a_mean_is_corrected_through_the_command_line(judge: str, tmp_path: Path) -> None:
    """The judge's own mean is far too high, since it gives more in long conversations; the corrected one is not."""
    low, high, raw, truth = corrected(tmp_path / "one", judge, 1)
    assert low < truth + 0.3 and high > truth - 0.3 and raw > truth + 0.2


@pytest.mark.soak
def test_corrected_means_hold_what_was_planted(judge: str, tmp_path: Path) -> None:
    """In at least eight of ten runs."""
    found = [corrected(tmp_path / f"run{seed}", judge, seed) for seed in range(RUNS)]
    assert sum(low - 0.005 <= truth <= high + 0.005 for low, high, _, truth in found) >= LEAST, found
