"""Laws of other programs' forms: each is told by its fields, mapped as is said, or refused with its place and reason."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tui_eval.core.conversations import Conversation
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.field_mapping import FieldMapping, mapping_of
from tui_eval.datasets.set_list import read_set
from tui_eval.datasets.sets import QuestionSet, set_text, table_of_questions, unread_words
from tui_eval.datasets.shapes.recognised import recognised


def lines(*records: object) -> str:
    """Records as JSONL."""
    return "".join(json.dumps(record) + "\n" for record in records)


def said(found: QuestionSet) -> list[tuple[str, str | None]]:
    """Each question with its answer."""
    return [(one.question, one.truth) for one in found.questions]


def message(role: str, content: Any) -> dict[str, Any]:
    """A message of a list."""
    return {"role": role, "content": content}


SYSTEM, ASKED, REPLY = message("system", "Be short."), message("user", "Why?"), message("assistant", "So.")
TALK: list[Any] = [SYSTEM, ASKED, REPLY, message("user", "And now?")]
PARTS = message("user", [{"type": "text", "text": "Why?"}])
OPEN_FORMS: dict[str, tuple[str, list[tuple[str, str | None]], str]] = {
    "openai/evals": (
        lines({"input": [SYSTEM, ASKED], "ideal": "So."}),
        [("Be short. Why?", "So.")],
        "messages: input, answer: ideal",
    ),
    "several ideals": (
        lines({"input": [ASKED], "ideal": ["So.", "Thus."]}),
        [("Why?", "So.")],
        "the first of the right answers of 1 q",
    ),
    "a text as input": (
        lines({"input": [ASKED], "ideal": "a"}, {"input": "Why not?", "ideal": "b"}),
        [("Why?", "a"), ("Why not?", "b")],
        "messages",
    ),
    "fine-tuning": (lines({"messages": [PARTS, REPLY]}), [("Why?", "So.")], "messages: messages"),
    "promptfoo, without assertions": (
        lines({"vars": {"question": "Why?"}}, {"vars": {"question": "How?", "answer": "thus"}}),
        [("Why?", None), ("How?", "thus")],
        "tests of promptfoo: question: question, no test has an assertion",
    ),
}
TURN_FORMS: dict[str, tuple[str, list[list[tuple[str, str]]]]] = {
    "MT-bench": (lines({"question_id": 1, "turns": ["a", "b"], "reference": ["A", "B"]}), [[("a", "A"), ("b", "B")]]),
    "turns as objects": (lines({"turns": [{"question": "a", "answer": "A"}, {"content": "b"}]}), [[("a", "A"), ("b", "")]]),
    "messages": (lines({"id": "x", "messages": TALK, "answer": "Ha."}), [[("Be short.\n\nWhy?", "So."), ("And now?", "Ha.")]]),
    "rows": (
        "conversation,turn,question,answer\nx,2,b,B\ny,1,c,\nx,1,a,A\n",
        [[("a", "A"), ("b", "B")], [("c", "")]],
    ),
    "EvalQuestions": (
        json.dumps(
            {
                "images": {
                    "p": {
                        "filename": "p.jpg",
                        "questions": [
                            {"id": 1, "category": "easy", "question": "a", "reference_answer": "A", "answerable": True},
                            {"id": 2, "question": "b", "reference_answer": "B", "answerable": False},
                        ],
                    }
                }
            }
        ),
        [[("a", "A")], [("b", "B")]],
    ),
}


@pytest.mark.parametrize("form", OPEN_FORMS)
def test_questions_that_stand_alone(form: str) -> None:
    """With their answers, in the form that panels ask; what was mapped is said, and what is kept is the same."""
    text, wanted, words = OPEN_FORMS[form]
    found = table_of_questions(text, "f")
    assert said(found) == wanted and found.sort == "open"
    assert words in unread_words(found) and set_text(found)


@pytest.mark.parametrize("form", TURN_FORMS)
def test_conversations(form: str) -> None:
    """Turns in their order with their answers, line breaks and all."""
    text, wanted = TURN_FORMS[form]
    found = table_of_questions(text, "f")
    assert found.conversations is not None and found.read_as
    assert [[(turn.question, turn.ground_truth) for turn in one.turns] for one in found.conversations.conversations] == wanted
    assert table_of_questions(set_text(found), "g").questions == found.questions


def test_eval_questions_keep_what_they_say() -> None:
    """Category, document and whether the picture tells; each question is one that stands alone."""
    found = table_of_questions(TURN_FORMS["EvalQuestions"][0], "f").conversations
    assert found is not None
    first, second = found.conversations
    assert (first.id, first.document, first.turns[0].type, first.turns[0].answerable) == ("p/1", "p.jpg", "easy", True)
    assert not second.turns[0].answerable


REFUSED = {
    "an invalid line": (lines({"turns": ["a"]}) + '{"turns": ["b"]\n', "f:2: not JSON: Expecting ',' delimiter (column 16)"),
    "an id twice": (lines(*({"question_id": 7, "turns": ["a"]} for _ in range(2))), "f:2: id: '7' already appears at f:1"),
    "open ids twice": (
        lines(*({"id": 7, "question": "a", "answer": "b"} for _ in range(2))),
        "f:2: id: '7' already appears at f:1",
    ),
    "too few references": (
        lines({"turns": ["a", "b"], "reference": ["A"]}),
        "f:1: reference: 1 answers for 2 turns; there is one for each, or none at all",
    ),
    "an empty turn": (lines({"turns": ["a", " "]}), "f:1: turns[1]: empty"),
    "a picture": (
        lines({"messages": [message("user", [{"type": "image_url"}])]}),
        "f:1: messages[0].content: holds more than text, such as a picture",
    ),
    "a tool": (lines({"messages": [ASKED, message("tool", "x")]}), "f:1: messages[1].role: 'tool' is not allowed here"),
    "no messages in one": (
        lines({"messages": [ASKED]}, {"note": 1}),
        "f:2: messages: no such field (nor input, prompt, conversation)",
    ),
    "two variables": (
        lines({"vars": {"a": "x", "b": "y"}}),
        "f:1: vars: a, b: which of them is the question? Name it 'question'; a "
        "prompt that needs several of them is not a question of a dataset",
    ),
    "a matrix": (
        lines({"vars": {"question": ["x", "y"]}}),
        "f:1: vars.question: a list; promptfoo makes a test of each: write them out",
    ),
    "a file": (lines({"vars": {"question": "file://x.txt"}}), "f:1: vars.question: names a file; write its text here"),
    "a turn twice": (
        "conversation,turn,question\nx,1,a\nx,1,b\n",
        "f:3: conversation and turn: 'x', '1' already appears at f:2",
    ),
    "a turn that is no number": ("conversation,turn,question\nx,first,a\n", "f:2: turn: 'first', not a whole number"),
    "a row without a question": ("conversation,turn,question\nx,1,a\nx,2,\n", "f:3: question: question is empty"),
    "two documents": (
        lines(*({"conversation": "x", "question": "a", "document": name} for name in "ab")),
        "f:2: document: 'b', but 'a' elsewhere in the conversation 'x'",
    ),
    "no earlier turn": (
        lines({"conversation": "x", "question": "a", "depends_on": "y"}),
        "f: conversation x: depends_on: 'y' is not an earlier turn of it",
    ),
    "an id twice of a picture": (
        json.dumps({"images": {"p": {"questions": [{"id": 1, "question": "a"}, {"id": 1, "question": "b"}]}}}),
        "f: p, question 2: id: 'p/1' already appears at f: p, question 1",
    ),
    "pictures without questions": (json.dumps({"images": {"p": {}}}), "f: p: questions: missing"),
    "a pointer": (
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "f:1: a Git LFS pointer, not the data itself; run `git lfs pull` where it was cloned",
    ),
    "objects over several lines": (
        '{\n "question": "a",\n "answer": "b"\n}\n' * 2,
        "f: several objects, each over several lines; write one a line (jq -c . f), or all in a list",
    ),
    "a key twice": (
        '{"turns": ["a"], "turns": ["b"]}\n{"turns": ["c"]}\n',
        "f:1: not usable JSON: the key 'turns' appears twice in one object; remove one",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_used_is_refused(what: str) -> None:
    """File, line or place, and the reason: no more and no less."""
    text, words = REFUSED[what]
    with pytest.raises(ConfigError) as refused:
        table_of_questions(text, "f")
    assert str(refused.value) == words


def test_a_pretty_printed_object_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    """One object over several lines named .jsonl: it is JSON."""
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps({"question_id": 1, "turns": ["a", "b"]}, indent=2))
    assert read_set(file).words == "2 questions in 1 conversation"
    file.write_text(json.dumps({"input": "Why?", "target": "So."}, indent=2))
    assert said(read_set(file)) == [("Why?", "So.")]


@pytest.mark.parametrize("seed", range(10))
def test_rows_in_any_order_and_form_are_the_same_conversations(seed: int) -> None:
    """As JSONL, JSON and CSV, with numbers: however the rows are shuffled, but for the order in which conversations begin."""
    chance = random.Random(seed)
    rows = [
        {"conversation": f"c{c}", "turn": t, "question": f"Q{c}.{t}?\nline", "answer": chance.choice(["", f"A{t}, x"])}
        for c in range(chance.randint(1, 4))
        for t in range(1, chance.randint(2, 5))
    ]
    shuffled = chance.sample(rows, len(rows))
    table = io.StringIO()
    csv.writer(table).writerows([list(rows[0]), *(list(row.values()) for row in shuffled)])

    def conversations(text: str) -> set[Conversation]:
        found = table_of_questions(text, "f").conversations
        assert found is not None
        return set(found.conversations)

    wanted = conversations(lines(*rows))
    assert all(conversations(text) == wanted for text in (lines(*shuffled), json.dumps(shuffled), table.getvalue()))


@pytest.mark.parametrize(
    ("name", "words"), [("a.parquet", "Parquet"), ("promptfooconfig.YAML", "YAML"), ("b.xlsx", "a spreadsheet")]
)
def test_what_is_not_read_says_what_would_be(name: str, words: str, tmp_path: Path) -> None:
    """Formats that hold questions but are not taken apart here."""
    (tmp_path / name).write_bytes(b"PAR1")
    with pytest.raises(ConfigError, match=rf"{name}: {words}.* is not read; save it as JSON"):
        read_set(tmp_path / name)


def test_ordinary_files_are_none_of_it() -> None:
    """Words of questions are no names of fields."""
    assert recognised(lines({"question": 'What is "turns": [1] or "messages": [{}]?', "answer": "a"}), "f") is None
    assert recognised("question,answer\nWhat is a conversation,x\n", "f") is None
    assert table_of_questions(lines({"input": "Q?", "target": "A", "choices": ["A", "B"]}), "f").lettered


MAPPED: dict[str, tuple[str, list[str], str, list[tuple[str, str | None]]]] = {
    "rows": (
        "dlg,no,asks,gold\nx,2,b,B\nx,1,a,A\n",
        ["conversation=dlg", "turn=no", "question=asks", "truth=gold"],
        "conversations",
        [("a", "A"), ("b", "B")],
    ),
    "lists": (
        lines({"k": 1, "dialog_turns": ["a", "b"], "keys": ["A", "B"]}),
        ["turns=dialog_turns", "answer=keys", "id=k"],
        "conversations",
        [("a", "A"), ("b", "B")],
    ),
    "a group": (
        "asks,gold,field\na,A,one\nb,B,two\n",
        ["question=asks", "truth=gold", "group=field"],
        "conversations",
        [("a", "A"), ("b", "B")],
    ),
    "documents": (
        'asks,gold,about\na,A,"one, two"\nb,B,\n',
        ["question=asks", "truth=gold", "documents=about"],
        "open",
        [("a", "A"), ("b", "B")],
    ),
}


@pytest.mark.parametrize("what", MAPPED)
def test_mapped_columns_make_conversations(what: str) -> None:
    """A conversation and a number, a list of turns, a type, documents: said, read and told."""
    text, words, sort, wanted = MAPPED[what]
    found = table_of_questions(text, "f", mapping_of(words, "--map"))
    assert (found.sort, said(found)) == (sort, wanted) and all(word.partition("=")[2] in found.read_as for word in words)
    assert found.unread == () and set_text(found)
    if what == "a group":
        assert [one.group("type") for one in found.questions] == [("one",), ("two",)]
    if what == "documents":
        assert [one.documents for one in found.questions] == [("one", "two"), ()]


def test_an_answer_begins_behind_a_mark() -> None:
    """Behind the last one; with names that tell nothing else need be said. Where it stands nowhere, it is refused."""
    text = lines({"question": "a", "answer": "2 => 3 => 4"}, {"question": "b", "answer": "5"})
    for mapping in (FieldMapping(cut_after="=>"), FieldMapping("question", "answer", cut_after="=>")):
        found = table_of_questions(text, "f", mapping)
        assert said(found) == [("a", "4"), ("b", "5")] and "what follows =>" in found.read_as
    with pytest.raises(ConfigError, match="f: --cut-after @@: it does not appear in answer"):
        table_of_questions(text, "f", FieldMapping(cut_after="@@"))
    lettered = lines({"stem": "a", "l": "x", "r": "y", "key": "Answer: B"})
    mapping = mapping_of(["question=stem", "options=l", "options=r", "truth=key"], "--map", "Answer:")
    assert table_of_questions(lettered, "f", mapping).questions[0].letter == "B"
    with pytest.raises(ConfigError, match="stand alone"):
        mapping_of(["question=stem", "options=l", "turns=r"], "--map")
