"""`aa`: a run is asked again beside itself. It is only read, what it has is not asked, its caps hold anew, cost comes first."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chats import chat, conversations
from choice_bench import choice
from fault_bench import (
    INTENTS,
    LOG,
    Peer,
    Table,
    files_in,
    keys_of,
    resume_here,
    run_here,
    serving,
    simulated_by,
    spoken_by,
    strict_json,
    strict_lines,
    write_config,
)
from nursery import Child, Nursery
from terminal import Terminal
from truth_gates import CAUGHT, Cell
from truth_noise import planted
from waiting import until

from tui_eval.configuring.preparing import prepare
from tui_eval.configuring.reopening import reopen
from tui_eval.configuring.repeat_config import asked_again, drawn_items, folder_of
from tui_eval.reporting.noise import RunNoise, noise_of
from tui_eval.results.comparison.sides import read_run
from tui_eval.results.sums.gate_noise import GatedSide, pairs_of
from tui_eval.workspace.places import Workspace, shipped

QUESTIONS = 12
NAMES = ("scholar", "sprinter")


@pytest.fixture(scope="module")
def quick() -> Iterator[Peer]:
    """A simulator that answers at once, and counts."""
    found = Peer(latency_scale=0)
    yield found
    found.close()


def exam(folder: Path, url: str, run: Table | None = None, made: Any = simulated_by, **more: Any) -> Table:
    """A small exam of two models; no call of it is tried twice."""
    models = [made(url, name, f"sim-{name}") for name in NAMES]
    return choice(folder, models, QUESTIONS, run={"stop_model_after": 0, "retries": 0, **(run or {})}, **more)


def begun(nursery: Nursery, folder: Path, config: Table) -> Path:
    """A finished run of it."""
    write_config(folder, config)
    out = folder / "runs" / "exam"
    assert nursery.run("--workspace", folder, "run", folder / "cfg.toml", "--out", out, "-q").code == 0
    return out


def again(nursery: Nursery, run: Path, *words: object) -> Child:
    """`aa` on it, to its end."""
    return nursery.run("--workspace", run.parent.parent, "aa", run, "--no-preflight", *words)


def beside(run: Path) -> Path:
    return run.with_name(f"{run.name}-aa")


def content(folder: Path) -> dict[str, str]:
    """Every file of a folder with the hash of its bytes, and when it was written."""
    return {str(one): f"{hashlib.sha256(one.read_bytes()).hexdigest()} {one.stat().st_mtime_ns}" for one in files_in(folder)}


def requests(peer: Peer) -> int:
    return int(peer.stats()["requests"])


def repeats_asked(path: Path) -> Counter[int]:
    """How many calls of each repeat a run sent."""
    return Counter(record["repeat"] for record in strict_lines(path / LOG) if record["started_at"] and not record["cached"])


# what is asked


def test_the_next_repeat_alone_is_asked_and_the_run_is_only_read(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """Its replies stand for the first repeat, by their call keys; a cache that has them all answers none of the second."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url, {"cache": True}))
    before, sent = content(run), requests(quick)

    done = again(nursery, run, "--json")

    told = strict_json(done.stdout)
    assert done.code == 0, done.stderr
    assert requests(quick) - sent == len(NAMES) * QUESTIONS and content(run) == before
    assert repeats_asked(beside(run)) == Counter({1: len(NAMES) * QUESTIONS})
    keys = {path: {r["call_key"] for r in strict_lines(path / LOG) if r["repeat"] == 0} for path in (run, beside(run))}
    assert keys[run] == keys[beside(run)]
    taken = strict_json((beside(run) / "manifest.json").read_bytes())["taken"]
    assert (taken["found"], taken["missing"], taken["aa"]) == (len(NAMES) * QUESTIONS, 0, True)
    assert told["notes"][0].startswith("a repeat today does not see a provider's drift")
    assert [side["n_items"] for side in told["sides"]] == [QUESTIONS] * 2
    assert {**strict_json((beside(run) / "aa.json").read_bytes()), "path": told["path"]} == told
    assert "noise_floor" in strict_json((beside(run) / "report.json").read_bytes())["tables"]

    once_more = again(nursery, run, "--json")
    assert (once_more.code, strict_json(once_more.stdout)) == (0, told)
    assert requests(quick) - sent == len(NAMES) * QUESTIONS
    anew = again(nursery, run, "--again", "--json")
    assert anew.code == 0 and requests(quick) - sent == 2 * len(NAMES) * QUESTIONS and content(run) == before
    assert len([path for path in run.parent.iterdir() if path.name.startswith("exam-aa.old-")]) == 1


def test_nothing_is_asked_of_a_run_that_has_repeats(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """The floor of a run that asks twice is that of one that asks once, less by √2."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url, {"repeat": 2}))
    before, sent = content(run), requests(quick)

    done = again(nursery, run, "--json")

    told = strict_json(done.stdout)
    assert done.code == 0 and requests(quick) == sent and not beside(run).exists() and content(run) == before
    table = strict_json((run / "report.json").read_bytes())["tables"]["noise_floor"]
    at = table["columns"].index("floor_high")
    once = {row[1]["value"]: row[at]["value"] for row in table["rows"]}
    assert {side["model"]: side["floor_high"] for side in told["sides"]} == pytest.approx(
        {name: high / 2**0.5 for name, high in once.items()}, abs=2e-6
    )


def test_a_dry_run_says_what_it_costs_and_writes_nothing(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url))
    sent = requests(quick)

    text, whole = again(nursery, run, "--dry-run").stdout.decode(), again(nursery, run, "--dry-run", "--json")

    assert "12 questions (all of them): 24 calls (simulated)" in text and "caps of the run, counted for this alone: " in text
    told = strict_json(whole.stdout)
    assert (told["plan"]["total_calls"], told["items"], told["real_models"]) == (24, QUESTIONS, [])
    assert requests(quick) == sent and not beside(run).exists()


def test_real_models_need_a_yes(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """Without a terminal and without --yes nothing is sent and nothing written; the cost was said."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url, made=spoken_by))
    sent = requests(quick)

    refused = again(nursery, run)

    said = refused.stderr.decode()
    assert refused.code == 2 and requests(quick) == sent and not beside(run).exists()
    assert "24 calls to real models, about $0.0000, at most $0.0000; +2 for the preflight" in said and "--yes confirms" in said
    assert said.index("24 calls") < said.index("--yes")
    agreed = again(nursery, run, "--yes", "--json")
    assert agreed.code == 0 and requests(quick) - sent == 24 and strict_json(agreed.stdout)["items"] == QUESTIONS


def test_a_person_at_a_terminal_is_asked(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """After the cost; anything but a yes sends nothing."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url, made=spoken_by))
    sent = requests(quick)
    for answer, code in (("n", 2), ("y", 0)):
        assert requests(quick) == sent and not beside(run).exists()
        with Terminal(["--workspace", tmp_path, "aa", run, "--no-preflight"], size=(200, 50)) as terminal:
            shown = terminal.wait_for("Ask them? [y/N]")
            assert "24 calls to real models" in shown
            terminal.send(f"{answer}\n")
            assert terminal.end() == code
    assert requests(quick) - sent == 24 and (beside(run) / "aa.json").exists()


# caps


def test_the_caps_count_anew_and_are_kept(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """A cap of just the plan is enough, though the run has used it up; where calls fail no more than it are sent."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url, {"max_calls": 24}))
    sent = requests(quick)

    done = again(nursery, run)

    assert done.code == 0, done.stderr
    assert requests(quick) - sent == 24


def test_no_more_calls_are_sent_than_the_cap_whatever_fails(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """Of a model that fails now and then, and is tried again, the cap of the run holds for what is asked again."""
    table = exam(tmp_path, quick.url, {"max_calls": 30, "retries": 3})
    table["models"][1]["model"] = "fault:500"
    write_config(tmp_path, table)
    run = tmp_path / "runs" / "exam"
    assert nursery.run("--workspace", tmp_path, "run", tmp_path / "cfg.toml", "--out", run, "-q").code == 3
    before = content(run)
    sent = requests(quick)

    done = again(nursery, run)

    assert done.code == 3 and requests(quick) - sent <= 30 and content(run) == before


def test_a_cost_above_the_cap_is_refused(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """In dollars, too: both numbers are said, and nothing is sent."""
    table = exam(tmp_path, quick.url, {"max_cost_usd": 5.0, "max_output_tokens": 400})
    for model in table["models"]:
        model["price"] = {"input": 3.0, "output": 15.0}
    run = begun(nursery, tmp_path, table)
    assert nursery.run("--workspace", tmp_path, "resume", run, "--set", "run.max_cost_usd=0.0001", "-q").code == 0
    sent = requests(quick)

    done = again(nursery, run)

    said = done.stderr.decode()
    assert done.code == 2 and requests(quick) == sent and not beside(run).exists()
    assert re.search(r"run\.max_cost_usd: the plan is estimated at \$0\.\d+, the cap is \$0\.0001", said)


def test_a_plan_above_the_caps_is_refused_with_both_numbers(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url))
    assert nursery.run("--workspace", tmp_path, "resume", run, "--set", "run.max_calls=8", "-q").code == 0
    sent = requests(quick)

    done = again(nursery, run)

    said = done.stderr.decode()
    assert done.code == 2 and requests(quick) == sent and not beside(run).exists()
    assert "needs 24 calls" in said and "the cap is 8" in said and "room for about 4 of these 12 questions" in said


# kills


def test_it_goes_on_where_it_was_killed(nursery: Nursery, peers: Any, tmp_path: Path) -> None:
    """While it asks, by SIGKILL, twice: `aa` goes on, so does `resume`; the figures are those of one that was left alone, and
    what was settled is not asked again."""
    peer: Peer = peers(latency_scale=0.02)
    slow, other = {"max_concurrency": 4}, tmp_path / "other"
    other.mkdir()
    whole = strict_json(again(nursery, begun(nursery, other, exam(other, peer.url, slow)), "--json").stdout)
    run = begun(nursery, tmp_path, exam(tmp_path, peer.url, slow))
    before = content(run)
    for answered in (5, 6):
        go_on, sent = threading.Event(), requests(peer)
        peer.simulator.hold(go_on.is_set, after=answered)
        child = nursery.start("--workspace", tmp_path, "aa", run, "--no-preflight")
        until(lambda sent=sent, answered=answered: requests(peer) - sent > answered)
        child.kill()
        go_on.set()
        peer.wait_for_silence()
        settled = {record["call_key"] for record in strict_lines(beside(run) / LOG) if record["final"]}
        at = len(strict_lines(beside(run) / INTENTS))

    first = nursery.run("--workspace", tmp_path, "resume", beside(run), "-q")
    done = again(nursery, run, "--json")

    assert (first.code, done.code) == (0, 0), done.stderr
    assert not {intent["call_key"] for intent in strict_lines(beside(run) / INTENTS)[at:]} & settled
    assert content(run) == before
    told = strict_json(done.stdout)
    assert told["sides"] == whole["sides"] and {**told["gate"], "seed": ""}.keys() == whole["gate"].keys()
    assert told["gate"]["caught"] == whole["gate"]["caught"]


def test_a_torn_preparation_is_moved_aside(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """A kill before the folder has its config leaves no run, nor does a process that is just making it: a person says which."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url))
    beside(run).mkdir()
    (beside(run) / LOG).write_bytes(b'{"attempt_id": "repeats-00')

    refused, done = again(nursery, run), again(nursery, run, "--again", "--json")

    assert refused.code == 2 and b"was interrupted before it began" in refused.stderr
    assert done.code == 0 and strict_json(done.stdout)["items"] == QUESTIONS
    assert b"the old folder was moved to" in done.stderr


def test_the_repeat_of_another_run_of_that_name_is_not_taken(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """A run that was made anew under the same name has its own; an older one's is named, not used and not overwritten."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url))
    assert again(nursery, run, "-q").code == 0
    words = ("--workspace", tmp_path, "run", tmp_path / "cfg.toml", "--out", run, "--force", "-q")
    assert nursery.run(*words).code == 0
    before = content(beside(run))

    done = again(nursery, run)

    assert done.code == 2 and b"--again moves it aside" in done.stderr and content(beside(run)) == before


def test_nothing_is_written_through_a_link(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """What somebody planted beside the run leads nowhere."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url))
    (tmp_path / "elsewhere").mkdir()
    beside(run).symlink_to(tmp_path / "elsewhere")

    for words in ((), ("--again",)):
        done = again(nursery, run, *words)
        assert done.code == 2 and b"is a link" in done.stderr and not [*(tmp_path / "elsewhere").iterdir()]


# what cannot be asked


def test_who_cannot_be_asked_again_is_told_why(quick: Peer, nursery: Nursery, tmp_path: Path) -> None:
    """An unfinished run, a share off the scale, imported answers."""
    run = begun(nursery, tmp_path, exam(tmp_path, quick.url))
    assert b"a share of the run, from 0 to 1" in again(nursery, run, "--share", "1.5").stderr
    progress = json.loads((run / "progress.json").read_bytes())
    (run / "progress.json").write_text(json.dumps({**progress, "state": "stopped"}))
    stopped = again(nursery, run)
    assert stopped.code == 2 and b"is stopped, not done; finish it first: tui-eval resume" in stopped.stderr
    table = tmp_path / "answers.csv"
    table.write_text("question_id,model,raw_response\nq0,one,Answer: A\nq1,one,Answer: B\n")
    out = tmp_path / "runs" / "imported"
    made = nursery.run("--workspace", tmp_path, "import", table, "--dataset", tmp_path / "exam.json", "--out", out, "-q")
    assert made.code == 0, made.stderr
    done = again(nursery, out)
    assert done.code == 2 and b"imported: nobody can be asked again" in done.stderr


def judged(folder: Path, url: str, **table: str) -> Table:
    """Two models with three turns, and a judge of one metric."""
    models = [simulated_by(url, name, f"sim-{model}") for name, model in (("zero", "grounded"), ("one", "sprinter"))]
    judging = {"model": "judge", "claims": False, "metrics": ["fluency"], "duplicates": 0}
    return chat(folder, conversations((2, 1)), [*models, simulated_by(url, "judge", "sim-scorer")], judging, **table)


async def test_answers_that_are_judged_anew_keep_their_answers(tmp_path: Path) -> None:
    """Of a run that takes answers of another one its judge alone is asked again."""
    async with serving(latency_scale=0) as served:
        await run_here(judged(tmp_path, served.url), tmp_path, out=tmp_path / "first")
        life = await run_here(judged(tmp_path, served.url, answers_from="first"), tmp_path, out=tmp_path / "run")
        before = (await served.stats())["requests"]
        made = _prepared(life.path, tmp_path)
        done = await resume_here(made)
        asked = (await served.stats())["requests"] - before
    anew = [record for record in done.records if record["repeat"] == 1]
    assert {record["stage"] for record in anew if not record["cached"]} == {"judge"}
    assert asked == sum(not record["cached"] for record in anew)
    texts = {n: [r["response_text"] for r in done.records if (r["repeat"], r["stage"]) == (n, "answer")] for n in (0, 1)}
    assert texts[0] == texts[1] and len(texts[0]) == 6
    found = noise_of(life.path, reopen(life.path, Workspace(tmp_path), sends=False).evaluation, made)
    assert "this is the noise of its judges alone" in found.text()


def _prepared(run: Path, folder: Path) -> Path:
    workspace = Workspace(folder)
    made = asked_again(run, reopen(run, workspace, sends=False), workspace)
    there = folder_of(run)
    prepare(made.loaded, there, keys_of(made.loaded).redact, ["aa"], workspace=workspace)
    return there


# which


async def test_some_questions_are_drawn_and_stand_for_all(tmp_path: Path) -> None:
    """At least 50 answers of each model; a larger share has what a smaller one has; names mean just what was drawn."""
    async with serving(latency_scale=0) as served:
        table = choice(tmp_path, [simulated_by(served.url, name, f"sim-{name}") for name in NAMES], 120)
        life = await run_here(table, tmp_path)
    workspace = Workspace(tmp_path)
    loaded = reopen(life.path, workspace, sends=False)
    some, more, every = (asked_again(life.path, loaded, workspace, share) for share in (0.0, 0.75, 1.0))
    assert [one.items for one in (some, more, every)] == [50, 90, 120]
    assert [one.new.plan["total_calls"] for one in (some, more, every)] == [100, 180, 240]
    names = [set(one.loaded.run.only) for one in (some, more, every)]
    assert names[0] < names[1] and not names[2] and len(names[0]) == 50
    board = read_run(life.path).board
    assert drawn_items(board, range(120), "a", 0.0) != drawn_items(board, range(120), "b", 0.0)


# planted


@pytest.fixture(scope="module")
def shipped_exam(quick: Peer, _nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> tuple[Child, RunNoise]:
    """The exam that comes with the program, run and asked again by the command line; only its waiting is left out."""
    folder = tmp_path_factory.mktemp("shipped")
    text = (shipped("examples") / "choice.toml").read_text()
    (folder / "cfg.toml").write_text(text.replace('wire = "simulator"', f'wire = "simulator"\nbase_url = "{quick.url}"'))
    (folder / "choice").symlink_to(shipped("examples") / "choice")
    out = folder / "runs" / "exam"
    assert _nursery.run("--workspace", folder, "run", folder / "cfg.toml", "--out", out, "-q").code == 0
    done = again(_nursery, out)
    assert done.code == 0, done.stderr
    return done, noise_of(out, reopen(out, Workspace(folder), sends=False).evaluation, beside(out))


@pytest.mark.soak
def test_the_exam_that_is_shipped_names_what_its_gate_catches(shipped_exam: tuple[Child, RunNoise]) -> None:
    """As docs/noise.md has it; 240 calls are asked within the cap of 300, of which the run used 241."""
    said = shipped_exam[0].stdout.decode()

    assert "Noise floor: two builds of one model over 40 questions each differ by less than this in 19 of 20" in said
    assert re.search(r"^thinker +correct +20\.0 % +13\.9 \[9\.3, 18\.5\] +points +40$", said, re.MULTILINE)
    assert re.search(r"an unchanged build is red in about [0-5] of 100 \(2,000 builds drawn\)", said)
    assert "it catches, 4 times in 5: thinker a drop of 40 points, scholar a drop of 44 points" in said
    assert "of guarded it can catch no drop 4 times in 5 (40 questions)" in said
    assert "note: a repeat today does not see a provider's drift" in said


@pytest.mark.soak
@pytest.mark.parametrize("model", ["thinker", "scholar"])
def test_the_drop_that_is_named_is_caught(shipped_exam: tuple[Child, RunNoise], model: str) -> None:
    """Planted among what is right in both builds, so that as much changes besides: the gate fails in 75 to 90 % of 1,000."""
    found = shipped_exam[1]
    assert found.gate is not None
    side, drop = next((side, drop) for side, drop in found.gate.caught if side.model == model)
    sides = [GatedSide(one, found.board.metric(one), pairs_of(series)) for one, series in found.board.series.items()]
    random = Random(36)
    held = [planted(random, found.board, sides, side, drop or 1.0) for _ in range(1000)]
    cell = Cell("caught", model, sum(map(bool, held)), len(held), *CAUGHT)
    assert None not in held and cell.holds, cell
