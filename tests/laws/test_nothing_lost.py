"""What the tool shows is what a document says, and a model that answers rightly gets full marks: echo and oracle.

Where one of these fails, the tool lost something, and not the model.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
import tomli_w
from made_documents import MADE, Made, filled_form, form, invoices, table
from simulated import simulated
from soaking import quick_first

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.conversations import Conversation, ConversationSet, GroundingDocument, Turn, conversations_json
from tui_eval.core.document_text import without_running
from tui_eval.core.results import SampleResult
from tui_eval.datasets.document_text import child
from tui_eval.kinds.chat.dialogue_turns import dialogues_of
from tui_eval.reading.folding import folded
from tui_eval.results.sums.metrics import NO_END
from tui_eval.simulator.answers.perfect import Target, Targets, read_targets
from tui_eval.simulator.apis.chat import Asked, Chat
from tui_eval.simulator.apis.interfaces import INTERFACES
from tui_eval.simulator.personas import ECHO, ORACLE
from tui_eval.statistics.edit_distance import character_error_rate
from tui_eval.workspace.places import Workspace

ROOT = Path(__file__).resolve().parents[2]
WORD = re.compile(r"\w+")
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.toml"))
QUICK = ("dataset", "graph", "pipeline")
"""Those that the quick suite is content with."""
UNTARGETED = {"generate", "graph", "pipeline"}
"""Examples that write questions, are scored by a rubric alone, or whose targets are made while they run."""
NO_CLAIMS = "no claims"
"""Why an answer that says the document does not tell has no share of claims borne out."""


def words(text: str) -> list[str]:
    """The words and figures of a text after folding, in which line-end hyphens are joined."""
    return WORD.findall(folded(text).fold)


def strict_error_rate(text: str, said: str) -> float:
    """Of characters, nothing folded; at once where all are the same."""
    return 0.0 if text == said else character_error_rate(text, said) or 1.0


def asked_of(loaded: Loaded, model: str, chat: Chat) -> Callable[[Call], Reply]:
    """Whoever a call is for, this model answers it."""
    return lambda call: simulated(call, replace(loaded.evaluation.models[call.model], model=model), chat)


def driven(loaded: Loaded, answer: Callable[[Call], Reply]) -> list[SampleResult]:
    """Every sample of a run, answered in this process."""
    rows = [loaded.evaluation.driven(sample, answer) for sample in loaded.evaluation.samples()]
    assert [row.error for row in rows if row.error] == []
    return rows


def echoed(loaded: Loaded) -> list[str]:
    """What an echo gives back of each call."""
    return [reply.text or "" for row in driven(loaded, asked_of(loaded, ECHO, Chat(0, 0))) for reply in row.replies]


def example(name: str) -> Loaded:
    """A shipped example, its answers as long as they like."""
    return load(ROOT / "examples" / f"{name}.toml", Workspace(ROOT), ["run.max_output_tokens=20000"])


def config(folder: Path, kind: str, table: Mapping[str, Any], made: Made) -> Loaded:
    """A run of this kind about a document of the corpus."""
    (folder / "made.pdf").write_bytes(made.pdf)
    models = [{"name": "m", "wire": "simulator", "model": "sim-scholar"}]
    content = {"kind": kind, "name": "made", "run": {"max_calls": 999}, "models": models, kind: table}
    (folder / "made.toml").write_text(tomli_w.dumps(content), encoding="utf-8")
    return load(folder / "made.toml", Workspace(folder))


def pipeline(folder: Path, made: Made) -> Loaded:
    """One that has it put through."""
    return config(folder, "pipeline", {"inputs": ["made.pdf"], "process": {"models": ["m"], "runs": 1}}, made)


@pytest.mark.parametrize("make", MADE)
def test_every_word_of_a_document_is_in_its_text(make: Callable[[], Made], capsys: pytest.CaptureFixture[str]) -> None:
    """Of all that the script wrote, in order where there is one column; what runs from right to left is told, not bounded."""
    made = make()
    text = "\n".join(line.get("text", "") for line in child._read_pdf(io.BytesIO(made.pdf), {"pages": 99, "characters": 10**6}))
    lost = Counter(words(made.source)) - Counter(words(text))

    if not made.bounded:
        print(f"{made.name}: {lost.total()} of {len(words(made.source))} words not found")
        return
    assert not lost
    assert not made.in_order or words(text) == words(made.source)
    lines = [" ".join(line.split()) for line in text.split("\n")]
    assert [row for row in made.rows if " ".join(row) not in lines] == []


@pytest.mark.parametrize("make", quick_first(MADE, 1))
def test_an_echo_gives_back_the_text_as_it_was_extracted(make: Callable[[], Made], tmp_path: Path) -> None:
    """Strict error rate 0: what a pipeline shows of a document is all of it."""
    made = make()
    loaded = pipeline(tmp_path, made)
    (file,) = loaded.evaluation.files

    (said,) = echoed(loaded)
    assert file.text and strict_error_rate(file.text, said) == 0


@pytest.mark.parametrize("name", quick_first(sorted(EXAMPLES, key=lambda name: name not in QUICK), len(QUICK)))
def test_an_echo_gives_back_every_text_of_an_example(name: str) -> None:
    """Each document, brief, passage, and question with options that is shown to models: whole, word for word; of an example
    that has none of these each question."""
    loaded = example(name)
    said = set(echoed(loaded))
    shown = SHOWN.get(loaded.evaluation.kind.name, documents_of)(loaded)

    if not shown:
        asked = {sample.question for sample in loaded.evaluation.samples()}
        assert asked and {text for text in asked if not any(text in one for one in said)} == set()
    assert [text for text in shown if min(strict_error_rate(text, one) for one in said)] == []


def documents_of(loaded: Loaded) -> list[str]:
    """What its documents say: files that are documents, those of a set, and those that lie in the file of a set."""
    files = [file for file in loaded.evaluation.files if not file.mime.startswith("image/")]
    sets = [json.loads(file.content) for file in files if file.role == "dataset" and file.name.endswith(".json")]
    said = [file.text or file.content for file in files if file.role == "document" or file.name.startswith("doc")]
    return said + [document["text"].replace("\f", "\n\n") for found in sets for document in found["documents"]]


def briefs_of(loaded: Loaded) -> list[str]:
    """Its briefs below what their heads say of them, which a draft prompt shows whole."""
    return [file.content.split("---\n", 2)[2].strip() for file in loaded.evaluation.files if file.role == "brief"]


def questions_of(loaded: Loaded) -> list[str]:
    """Each question with its options as the built-in prompt sets them."""
    return [
        "\n".join([f"{sample.question}\n", *map("{}) {}".format, ascii_uppercase, sample.options), "\nAnswer:"])
        for sample in loaded.evaluation.samples()
    ]


def passages_of(loaded: Loaded) -> list[str]:
    """Each passage that is asked about, as it stands in the document without its running lines."""
    (file,) = [file for file in loaded.evaluation.files if file.role == "document"]
    lean = without_running(file.text or "", file.left_out or ()).text
    passages = ["\n\n".join(piece.text for piece in sample.data.pieces) for sample in loaded.evaluation.samples()]
    assert all(piece.text in lean for sample in loaded.evaluation.samples() for piece in sample.data.pieces)
    return passages


def prompts_of(loaded: Loaded) -> list[str]:
    """What is asked about each sample, by every prompt."""
    return [sample.question for sample in loaded.evaluation.samples()]


SHOWN = {"graph": briefs_of, "choice": questions_of, "generate": passages_of, "qa": prompts_of}
"""What a kind shows to models that is no document, or not the whole of one."""


def oracle_for(loaded: Loaded) -> Targets:
    """The targets of a run's samples."""
    found: list[Target] = []
    for sample in loaded.evaluation.samples():
        if sample.checks_judge:
            continue
        if sample.options:
            found.append(Target(sample.question, sample.answer_text))
        elif loaded.evaluation.kind.name == "chat":
            turns = [dialogue.turn(n) for dialogue in dialogues_of(sample) for n in dialogue.places]
            found += [Target(turn.question, turn.ground_truth) for turn in turns]
        else:
            found.append(Target(sample.question, sample.truth or "", sample.doc_id))
    return Targets(found)


@pytest.mark.parametrize("name", quick_first(sorted({*EXAMPLES} - UNTARGETED, key=lambda name: (name != "dataset", name)), 2))
def test_an_oracle_gets_full_marks(name: str) -> None:
    """In every shipped example whose answers are held against a target: the highest mark of each metric, and none missing."""
    loaded = example(name)
    rows = driven(loaded, asked_of(loaded, ORACLE, Chat(0, 0, oracle_for(loaded))))

    assert wanting(loaded, rows) == []


@pytest.mark.parametrize("name", sorted(UNTARGETED))
def test_what_an_oracle_knows_nothing_of_has_no_targets(name: str) -> None:
    """No answer of these is held against a target that the run has before it begins."""
    assert not any(sample.truth or sample.answer_text for sample in example(name).evaluation.samples())


def wanting(loaded: Loaded, rows: list[SampleResult]) -> list[tuple[str, str, float | None, str]]:
    """Scores below the highest mark, and those that are missing; what only measures replies, such as their length, has none."""
    best = {metric.name: metric.high for metric in loaded.evaluation.kind.metrics if metric.high < NO_END}
    scores = [(row.sample.id, score) for row in rows for score in row.scores if score.name in best]
    assert scores
    told = [(name, score) for name, score in scores if score.why != NO_CLAIMS]
    return [(name, score.name, score.value, score.why) for name, score in told if score.value != best[score.name]]


def test_an_oracle_gets_full_marks_in_the_example_of_the_pipeline() -> None:
    """The questions are written by the example's own model; their reference answers are the targets."""
    loaded = example("pipeline")
    chat, targets = Chat(0, 0), list[Target]()

    def answer(call: Call) -> Reply:
        spec = loaded.evaluation.models[call.model]
        if call.stage == "questions":
            reply = simulated(call, spec, chat)
            found = json.loads(reply.text or "")["questions"]
            targets.extend(Target(one["question"], one["reference_answer"]) for one in found)
            return reply
        model = ECHO if call.stage == "process" else ORACLE
        return simulated(call, replace(spec, model=model), Chat(0, 0, Targets(targets)))

    rows = driven(loaded, answer)
    marks = [score for row in rows for score in row.scores if score.name in ("mark", "passed")]
    rates = [score for row in rows for score in row.scores if score.name.endswith("_error_rate")]

    assert marks and {(score.name, score.value) for score in marks} == {("mark", 5.0), ("passed", 1.0)}
    assert rates and {score.value for score in rates} == {0.0}


LOST_NOTHING = [invoices, form, filled_form, table, partial(table, by="columns")]


@pytest.mark.parametrize("make", quick_first(LOST_NOTHING, 2))
def test_documents_come_through_pipeline_generate_and_chat(make: Callable[[], Made], tmp_path: Path) -> None:
    """Twelve invoices, a form with 40 fields, a table of 30 rows: every word is shown by each kind, or listed as left out."""
    made = make()
    wanted = Counter(words(made.source))
    through = pipeline(tmp_path, made)
    (text,) = echoed(through)
    assert not wanted - Counter(words(text))

    settings = {"model": "m", "documents": ["made.pdf"], "conversations": 4, "check": False}
    task = config(tmp_path, "generate", settings, made).evaluation.task
    (file,) = task.documents.values()
    left_out = " ".join(file.text[one.start : one.end] for one in file.left_out)
    assert file.text == text
    assert not wanted - Counter(words(" ".join(piece.text for _, pieces in task.places for piece in pieces) + f" {left_out}"))

    lines = [line for line in text.replace("\f", "\n").split("\n") if line.strip()]
    turns = tuple(
        Turn(id=f"t{n}", question=f"What does line {number_word(n)} say?", ground_truth=line)
        for n, line in enumerate(lines[:12])
    )
    document = GroundingDocument(filename="made.pdf", sha256="", pages=1, uploaded_at="", text=text)
    talk = Conversation(id="c", turns=turns, document="made.pdf")
    found = ConversationSet(name="made", documents=(document,), conversations=(talk,))
    (tmp_path / "made.json").write_text(json.dumps(conversations_json(found)), encoding="utf-8")
    judge = {"model": "m", "metrics": ["correctness"], "claims": False}
    chat = config(tmp_path, "chat", {"dataset": "made.json", "models": ["m"], "context": "document", "judge": judge}, made)
    assert text.replace("\f", "\n\n") in echoed(chat)
    rows = driven(chat, asked_of(chat, ORACLE, Chat(0, 0, oracle_for(chat))))
    assert wanting(chat, rows) == []


def number_word(n: int) -> str:
    """A number that is no other's beginning."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{n:03}")


def test_an_oracle_without_answers_says_what_it_needs() -> None:
    """It never looks elsewhere; and a file that holds no targets is refused."""
    raw = json.dumps({"model": ORACLE, "messages": [{"role": "user", "content": "Who?"}]}).encode()
    interface = INTERFACES["/v1/chat/completions"]
    reply = Chat(0, 0).settle(Asked(interface, raw, json.loads(raw), interface.to_chat(json.loads(raw)), "law"))

    assert reply is not None and reply.status == 400 and b"--answers FILE" in reply.body
    for wrong in ("{}", '["x"]', '[{"question": "?"}]', '[{"question": " ", "answer": "x"}]'):
        with pytest.raises(ValueError, match="not a list of objects"):
            read_targets(wrong)
    assert read_targets('[{"question": "Who?", "answer": "Oda"}]').find("Tell me: who?") == "Oda"
