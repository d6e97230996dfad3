"""Laws of many questions: a run names their file by its hash, its config stays small, and they mean what they meant."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from makers import load_panel, refusal
from soaking import quick_first_rows

from tui_eval.configuring.loading import Loaded, load
from tui_eval.configuring.preparing import prepare
from tui_eval.core.errors import ConfigError
from tui_eval.core.key import call_key
from tui_eval.datasets import documents
from tui_eval.evaluation.drivers import as_example
from tui_eval.workspace.keys import BLOT
from tui_eval.workspace.places import Workspace

MODELS = '[[models]]\nname = "one"\nwire = "simulator"\nmodel = "sim-scholar"\n'
DOERS = '[[panel.doers]]\nmodel = "one"\n'
PIECE = 2**20
BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "many_questions.py"


def numbered(n: int) -> str:
    """So many questions, one a line."""
    return "".join(f"Is {i:06d} even, in the words of who said so?\n" for i in range(n))


def of_lines(folder: Path, n: int) -> str:
    """A panel with its questions in a file."""
    (folder / "q.txt").write_text(numbered(n))
    return f'kind = "panel"\n{MODELS}[panel]\nquestions_file = "q.txt"\n{DOERS}'


def of_lines_and_truths(folder: Path, n: int) -> str:
    """The same with the right answers in another file."""
    (folder / "t.txt").write_text("".join(("yes\n", "no\n")[i % 2] for i in range(n)))
    text = of_lines(folder, n).replace('"q.txt"\n', '"q.txt"\ntruths_file = "t.txt"\n')
    return f'{text}[panel.benchmark]\nmode = "exact"\n'


def of_dataset(folder: Path, n: int) -> str:
    """A panel about a folder of documents with its questions."""
    (folder / "set").mkdir(exist_ok=True)
    (folder / "set" / "a.txt").write_text("one")
    (folder / "set" / "b.txt").write_text("two")
    asked = (f"{i + 1}. {line}\nAnswer: yes\nAnswer (b): no\n" for i, line in enumerate(numbered(n).splitlines()))
    (folder / "set" / "Questions.md").write_text("".join(asked) + f"{n + 1}. And of b?\nDocuments: b\n")
    return f'kind = "panel"\n{MODELS}[panel]\ndataset = "set"\n{DOERS}[panel.benchmark]\nmode = "exact"\n'


def of_benchmark(folder: Path, n: int) -> str:
    """Multiple choice."""
    rows = ({"question": line, "choices": ["yes", "no"], "answer": i % 2} for i, line in enumerate(numbered(n).splitlines()))
    (folder / "bench.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f'kind = "choice"\n{MODELS}[choice]\nbenchmark = "bench.jsonl"\nmodels = ["one"]\n'


FORMS = [of_lines, of_lines_and_truths, of_dataset, of_benchmark]
Form = Callable[[Path, int], str]
KEPT = quick_first_rows([(of_lines_and_truths, 80), (of_benchmark, len(numbered(1)) + 600), (of_lines, 40)], quick=2)
"""Bytes of memory a question at most."""


def loaded_in(folder: Path, form: Form, n: int) -> Loaded:
    """A config of a form with so many questions, loaded."""
    folder.mkdir(exist_ok=True)
    (folder / "run.toml").write_text(form(folder, n))
    return load(folder / "run.toml", Workspace(folder))


def prepared(loaded: Loaded, path: Path) -> Path:
    """The folder of a run made of it."""
    prepare(loaded, path, lambda text: text, [])
    return path


def asked_by(loaded: Loaded) -> list[str]:
    """The key of every call of an evaluation, in order."""
    keys = []
    for sample in loaded.evaluation.samples():
        for reply in loaded.evaluation.driven(sample, as_example).replies:
            keys.append(call_key(reply.call, loaded.evaluation.models[reply.call.model]))
    return keys


@pytest.mark.parametrize("form", FORMS)
def test_a_config_does_not_grow_with_its_questions(tmp_path: Path, form: Form) -> None:
    """A hundred times the questions make the run's config longer by digits of sizes and of the default cap, no more."""
    sizes = []
    for n in (6, 600):
        loaded = loaded_in(tmp_path / str(n), form, n)
        sizes.append((prepared(loaded, tmp_path / str(n) / "run") / "config.toml").stat().st_size)

    assert sizes[1] - sizes[0] <= 16


@pytest.mark.parametrize("form", FORMS)
def test_a_run_reopened_asks_what_was_meant(tmp_path: Path, form: Form) -> None:
    """Questions, truths, scopes and calls are those of the first reading, wherever the files went that they came from."""
    first = loaded_in(tmp_path / "work", form, 6)
    path = prepared(first, tmp_path / "run")
    for file in sorted((tmp_path / "work").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()

    again = load(path / "config.toml", Workspace(tmp_path))

    assert [*again.evaluation.samples()] == [*first.evaluation.samples()]
    assert again.evaluation.config == first.evaluation.config
    assert again.plan == first.plan
    assert asked_by(again) == asked_by(first)


@pytest.mark.parametrize("form", [of_lines_and_truths, of_dataset])
def test_every_question_stands_in_the_config_in_full(tmp_path: Path, form: Form) -> None:
    """resolved_config.json has each question with its truth and scope (spec 003 §12.2)."""
    loaded = loaded_in(tmp_path / "work", form, 6)

    found = json.loads((prepared(loaded, tmp_path / "run") / "resolved_config.json").read_bytes())["panel"]

    assert [entry["question"] for entry in found["questions"][:6]] == numbered(6).splitlines()
    assert [entry["truth"] for entry in found["questions"][:6]] == (["yes"] * 6 if form is of_dataset else ["yes", "no"] * 3)
    assert [entry["documents"] for entry in found["questions"]][6:] == ([["b"]] if form is of_dataset else [])
    assert not found.keys() & {"questions_file", "truths_file", "truths", "dataset"}


def test_questions_beside_their_documents_are_a_dataset(tmp_path: Path) -> None:
    """A Questions.md named by itself, and documents by their own key, mean what the folder of both means."""
    whole = loaded_in(tmp_path, of_dataset, 4)
    text = (tmp_path / "run.toml").read_text()
    (tmp_path / "run.toml").write_text(text.replace('"set"', '"set/Questions.md"\ndocuments = ["set/*.txt"]'))

    parts = load(tmp_path / "run.toml", Workspace(tmp_path))

    assert [*parts.evaluation.samples()] == [*whole.evaluation.samples()]
    assert asked_by(parts) == asked_by(whole)


def test_a_large_list_is_taken_and_kept_as_it_is(tmp_path: Path) -> None:
    """More than 16 MB of questions are a list like any other; the run has the very bytes, in inputs/ alone."""
    text = "".join(f"{i}: {'why ' * 250_000}\n" for i in range(18))
    (tmp_path / "q.txt").write_text(text)
    loaded = load_panel(tmp_path, questions='questions_file = "q.txt"')

    path = prepared(loaded, tmp_path / "run")
    in_full = json.loads((path / "resolved_config.json").read_bytes())

    assert (path / "inputs" / "lists" / "q.txt").read_text() == text
    assert in_full["panel"]["questions"] == text.replace(" \n", "\n").splitlines()
    assert [entry.keys() & {"text"} for entry in in_full["inputs"] if entry["role"] == "questions"] == [set()]


def test_a_list_that_changes_between_reading_and_keeping_is_refused(tmp_path: Path) -> None:
    """The run never keeps other questions than it was planned with."""
    (tmp_path / "q.txt").write_text(numbered(40_000))
    loaded = load_panel(tmp_path, questions='questions_file = "q.txt"')
    (tmp_path / "q.txt").write_text(numbered(40_001))

    with pytest.raises(ConfigError, match=r"q\.txt: was changed while the run was being prepared"):
        prepared(loaded, tmp_path / "run")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("before", [PIECE - 7, PIECE - 32, 2 * PIECE - 1, 0])
def test_a_key_is_found_wherever_it_stands_in_a_large_file(tmp_path: Path, encoding: str, before: int) -> None:
    """A key that lies across two pieces of a file is found as one within a piece is."""
    key = "sk-0123456789abcdef"
    (tmp_path / "d.txt").write_bytes(b"a" * before + key.encode(encoding) + b"z" * (2 * PIECE))
    loaded = load_panel(tmp_path, panel='documents = ["d.txt"]\nmax_document_bytes = 9_000_000')

    with pytest.raises(ConfigError, match=r"d\.txt: holds the value of one of your keys"):
        prepare(loaded, tmp_path / "run", lambda text: text.replace(key, BLOT), [])

    assert not (tmp_path / "run").exists()


def test_a_file_that_is_too_large_is_told_by_the_key_that_raises_the_limit(tmp_path: Path) -> None:
    """Where a key of the config says how large a file may be, the sentence names it; else it names another way out."""
    (tmp_path / "d.txt").write_text("x" * 101)
    with open(tmp_path / "q.txt", "wb") as sparse:
        sparse.truncate(256 * 2**20 + 1)

    document = refusal(tmp_path, panel='documents = ["d.txt"]\nmax_document_bytes = 100')
    questions = refusal(tmp_path, questions='questions_file = "q.txt"')

    assert "panel.documents[0]" in document and document.endswith("raise panel.max_document_bytes")
    assert "panel.questions_file" in questions and questions.endswith("divide it into several files")


@pytest.mark.parametrize(("form", "most"), KEPT)
def test_what_is_kept_of_a_question_is_little(
    tmp_path: Path, form: Form, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Of a line its place alone; of other lists, which are not in memory a second time, the texts and at most 600 bytes."""
    monkeypatch.setattr(documents, "HELD_BYTES", 1000)
    kept = []
    for n in (50, 350):
        loaded_in(tmp_path, form, n + 1)  # what is made once, whatever is asked
        gc.collect()
        tracemalloc.start()
        loaded = loaded_in(tmp_path, form, n)
        kept.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert sum(map(len, loaded.evaluation.queues.values())) == n

    assert (kept[1] - kept[0]) / 300 < most


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["panel", "choice"])
def test_memory_hardly_grows_with_distinct_questions(kind: str) -> None:
    """10,000 questions start; until the last reply a question of 700 characters takes less than 2.5 kB of resident memory."""
    command = [sys.executable, str(BENCHMARK), "--quick", "--kinds", kind, "--starts", "10000", "--slope", "2000,8000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True, stdin=subprocess.DEVNULL)
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith(f"| {kind} | o")]

    assert [row[1] for row in rows] == ["off", "on"]
    assert [cell for row in rows for cell in row[2:4] if int(cell.replace(",", "")) >= 2500] == []
