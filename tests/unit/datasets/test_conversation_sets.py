"""Laws of sets of conversations: kept, changed, selected and exported, they come back as they are, or are refused in words."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conversation_sets import conversation_set

from tui_eval.core.conversations import Conversation, ConversationSet, GroundingDocument, Turn
from tui_eval.core.document_text import LeftOut
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import csv_cell, visible
from tui_eval.datasets.conversation_files import read_conversations, written_conversations
from tui_eval.datasets.conversation_samples import turn_of, with_turn
from tui_eval.datasets.exported import exported, form_of
from tui_eval.datasets.exported_turns import EVAL_QUESTIONS
from tui_eval.datasets.in_full import in_full
from tui_eval.datasets.set_list import SetList, change_selection, read_set, selected_of, selection
from tui_eval.datasets.set_store import change, import_set, rewritten_as, write_export
from tui_eval.datasets.sets import LIST, alone, of_conversations, set_text, table_of_questions
from tui_eval.workspace.places import Workspace

HARBOUR = ConversationSet(
    name="harbour",
    documents=(
        GroundingDocument(filename="h.pdf", sha256="0" * 64, pages=2, uploaded_at="2026-01-01", text="Depth 4 m.\fEnd."),
    ),
    conversations=(
        Conversation(
            id="h/c1",
            document="h.pdf",
            turns=(
                Turn(
                    id="h/c1/t1",
                    question="How deep is the harbour?",
                    ground_truth="4 m",
                    quote="Depth 4 m.",
                    page=1,
                    type="fact",
                ),
                Turn(id="h/c1/t2", question="And in feet?", ground_truth="13 ft", type="follow-up", depends_on="h/c1/t1"),
            ),
        ),
        Conversation(
            id="h/c2",
            document="h.pdf",
            turns=(Turn(id="h/c2/t1", question="Who owns it?", ground_truth="It does not tell", answerable=False),),
        ),
    ),
    generator={"model": "maker", "prompts": {}},
)


def harbour_in(folder: Path) -> tuple[Workspace, Path]:
    """A workspace with that set."""
    (folder / "datasets").mkdir()
    path = folder / "datasets" / "harbour.json"
    path.write_text(set_text(of_conversations(HARBOUR)))
    return Workspace(folder), path


def test_conversations_come_back_exactly() -> None:
    """What is written is read back as the same set, and each of its turns is a question with all that is known of it."""
    for seed in range(150):
        found = conversation_set(seed)
        questions = of_conversations(found)
        again = table_of_questions(set_text(questions), LIST)
        assert again == questions and again.conversations == found, seed
        assert [turn_of(one) for one in again.questions] == [turn for one in found.conversations for turn in one.turns]
        assert again.of(again.questions) == again
        assert {"turns"} <= again.has and ("documents" in again.has) == bool(found.documents)


def refusal(make: Callable[[], object]) -> str:
    """What is said where it cannot be made; empty where it can."""
    try:
        make()
    except ConfigError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", EVAL_QUESTIONS])
def test_what_is_exported_is_imported_as_the_same(form: str, tmp_path: Path) -> None:
    """Every set in every form, through files; EvalQuestions give back all but the ids, in the order of the documents."""
    kept = 0
    for seed in range(60):
        found = conversation_set(seed, most_turns=1 if form == EVAL_QUESTIONS else 3)
        refused = refusal(lambda found=found: exported(of_conversations(found), form))  # type: ignore[misc]
        assert not refused or (form == "csv" and "cannot hold it exactly" in refused), seed
        if refused:
            continue
        text = exported(of_conversations(found), form)
        assert visible(text) == text
        file = tmp_path / f"set.{'json' if form == EVAL_QUESTIONS else form}"
        write_export(file, text, {}, replacing=True)
        imported = import_set(Workspace(tmp_path), file, "again", replacing=True)
        again = read_set(imported.path).conversations
        assert again is not None and again == imported.questions.conversations
        if form == "json":
            assert again == found, seed
        elif form != EVAL_QUESTIONS:
            assert again.conversations == found.conversations, seed
        else:
            assert sorted(map(_said, again.conversations)) == sorted(map(_said, found.conversations)), seed
            assert exported(of_conversations(again), form) == text.replace('"model": "m"', '"model": ""')
        kept += 1
    assert kept >= (1 if form == "csv" else 60)


def _said(one: Conversation) -> str:
    return repr([(one.document, replace(turn, id="", depends_on=None)) for turn in one.turns])


def test_a_part_is_itself_a_set_or_refused() -> None:
    """Whatever is selected: the rest goes, with its documents; what builds on a turn that was left out is named."""
    for seed in range(150):
        questions, chance = of_conversations(conversation_set(seed)), random.Random(seed)
        chosen = [one for one in questions.questions if chance.random() < 0.6] or list(questions.questions)
        refused = refusal(lambda of=questions.of, chosen=chosen: of(chosen))  # type: ignore[misc]
        there = {one.id for one in chosen}
        needed = {turn.depends_on for turn in map(turn_of, chosen) if turn is not None and turn.depends_on is not None}
        assert bool(needed - there) == bool(refused) and ("which is left out" in refused) == bool(refused)
        if not refused:
            part = questions.of(chosen)
            assert part.questions and [one.id for one in part.questions] == [one.id for one in chosen]
            assert table_of_questions(set_text(part), LIST).questions == part.questions


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_ordinary_sets_are_exported_without_ado(form: str) -> None:
    """Refusing is for what cannot be kept: several lines, quotes, commas and other scripts are kept by every form."""
    turns = [
        Turn(id=f"t{n}", question=text, ground_truth=text, quote=text)
        for n, text in enumerate(("a\nb", 'Wie "x", y?', "深さは?"))
    ]
    found = ConversationSet(name="", conversations=(Conversation(id="c", turns=tuple(turns)),))
    for one in (found, HARBOUR):
        assert exported(of_conversations(one), form)


def test_no_cell_runs() -> None:
    """A question that a spreadsheet would run is refused by csv, with its conversation and the way out, and kept by jsonl."""
    found = replace(HARBOUR, conversations=(Conversation(id="c", turns=(Turn(id="t", question="=cmd|x", ground_truth="a"),)),))
    with pytest.raises(ConfigError, match=r"conversation c: csv cannot hold .*--format json"):
        exported(of_conversations(found), "csv")
    assert exported(of_conversations(found), "jsonl") and csv_cell("=cmd|x") != "=cmd|x"


def test_rows_and_eval_questions_are_as_people_write_them() -> None:
    """One row a turn; questions by document, each alone, in the form of spec 000. Later turns have no place there."""
    questions = of_conversations(HARBOUR)
    assert exported(questions, "csv") == (
        "id,conversation,turn,question,ground_truth,quote,page,type,document,answerable,depends_on\n"
        "h/c1/t1,h/c1,1,How deep is the harbour?,4 m,Depth 4 m.,1,fact,h.pdf,true,\n"
        "h/c1/t2,h/c1,2,And in feet?,13 ft,,,follow-up,h.pdf,true,h/c1/t1\n"
        "h/c2/t1,h/c2,1,Who owns it?,It does not tell,,,,h.pdf,false,\n"
    )
    assert json.loads(exported(questions, "jsonl").split("\n")[1]) == {
        "id": "h/c1/t2", "conversation": "h/c1", "turn": 2, "question": "And in feet?", "ground_truth": "13 ft",
        "type": "follow-up", "document": "h.pdf", "answerable": True, "depends_on": "h/c1/t1",
    }  # fmt: skip
    with pytest.raises(ConfigError, match=r"h/c1 has 2 turns; .* --where turn=1"):
        exported(questions, EVAL_QUESTIONS)
    firsts = questions.of(one for one in questions.questions if one.group("turn") == ("1",))
    assert json.loads(exported(firsts, EVAL_QUESTIONS)) == {
        "generated": "",
        "model": "maker",
        "images": {
            "h": {
                "filename": "h.pdf",
                "questions": [
                    {"id": 1, "category": "fact", "question": "How deep is the harbour?", "reference_answer": "4 m",
                     "answerable": True, "quote": "Depth 4 m.", "page": 1},
                    {"id": 2, "category": "", "question": "Who owns it?", "reference_answer": "It does not tell",
                     "answerable": False},
                ],
            }
        },
    }  # fmt: skip
    nameless = of_conversations(replace(HARBOUR, generator={"model": None}, conversations=HARBOUR.conversations[1:]))
    assert json.loads(exported(nameless, EVAL_QUESTIONS))["model"] == "", "null is no model's name"
    with pytest.raises(ConfigError, match="conversations are exported as json, jsonl, csv, eval-questions"):
        form_of(questions, "md", "")


def test_a_set_is_listed_selected_and_shown(tmp_path: Path) -> None:
    """By question and by groups; the file stays as it is byte by byte, and what runs get says what it has."""
    workspace, path = harbour_in(tmp_path)
    before = path.read_bytes()
    (entry,) = SetList(workspace).listed()
    assert (entry.sort, entry.questions, entry.selected, entry.documents, entry.problem) == ("conversations", 3, 3, 1, "")
    found = read_set(path)
    assert found.words == "3 questions in 2 conversations and 1 document"
    change_selection(workspace, path, found, {"h/c1/t1": False})
    assert selection(workspace, path, found) == {"h/c1/t2", "h/c2/t1"}
    assert path.read_bytes() == before
    selected = selected_of(workspace, path)
    assert (selected.whole, selected.documents, selected.path) == (False, (), "datasets/harbour.json")
    assert selected.has == {"truth", "documents", "turns"}
    text = "\n".join(words for words, _ in in_full(found.questions[0]))
    assert all(words in text for words in ("How deep", "4 m", "“Depth 4 m.”", "page 1", "h/c1, turn 1", "h.pdf", "fact"))
    assert "does not tell" in "\n".join(words for words, _ in in_full(found.questions[2]))
    assert found.questions[1].groups == {
        "conversation": ("h/c1",), "turn": ("2",), "type": ("follow-up",), "document": ("h.pdf",)
    }  # fmt: skip


def test_one_question_is_changed(tmp_path: Path) -> None:
    """It keeps its id and what is selected; nothing else changes. A file in another form is kept under .originals."""
    workspace, path = harbour_in(tmp_path)
    found = read_set(path)
    change_selection(workspace, path, found, {"h/c1/t2": False})
    was = found.questions[0]
    turn = replace(HARBOUR.conversations[0].turns[0], ground_truth="4.5 m", page=2, type="depth")
    assert rewritten_as(path) is None
    assert change(workspace, path, was, with_turn(was, turn)) == path
    again = read_set(path)
    assert again.questions[0] == with_turn(was, turn) and again.questions[0].group("type") == ("depth",)
    assert again.questions[1:] == found.questions[1:] and selection(workspace, path, again) == {"h/c1/t1", "h/c2/t1"}
    with pytest.raises(ConfigError, match="changed by another program"):
        change(workspace, path, was, was)
    other = path.with_name("turns.jsonl")
    other.write_text(exported(again, "jsonl"))
    place = change(workspace, other, again.questions[0], was)
    assert place.name == "turns.json" and read_set(place).questions[0] == was and not other.exists()
    assert (path.parent / ".originals" / "turns.jsonl").exists()


def test_by_hand_in_another_form_is_said(tmp_path: Path) -> None:
    """A run reads our own JSON alone: another form is to be imported, in the list and before a run."""
    workspace, path = harbour_in(tmp_path)
    path.with_name("rows.csv").write_text(exported(of_conversations(HARBOUR), "csv"))
    path.unlink()
    (entry,) = SetList(workspace).listed()
    assert entry.questions == 3 and "import it" in entry.problem
    with pytest.raises(ConfigError, match="import it"):
        selected_of(workspace, entry.path)


def test_a_set_of_a_run_that_ended_early_says_so(tmp_path: Path) -> None:
    """In the list; it is a set all the same, and can be asked."""
    workspace, path = harbour_in(tmp_path)
    path.write_text(set_text(of_conversations(replace(HARBOUR, incomplete=True))))
    (entry,) = SetList(workspace).listed()
    assert "incomplete" in entry.problem and selected_of(workspace, path).whole


def test_a_question_alone_is_a_set() -> None:
    """With which an edited one is tried: a turn as one that builds on no other."""
    question = of_conversations(HARBOUR).questions[1]
    (one,) = alone(question).questions
    assert one.question == question.question and set_text(alone(question))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"format": 2, "conversations": []}', "format 2; this version reads 1: update tui-eval"),
        ('{"conversations": []}', "conversations: none"),
        ('{"conversations": [{"id": "c", "turns": []}]}', "conversation c: turns: none"),
        ('{"conversations": [{"id": "c", "turns": [{"id": "t", "question": " "}]}]}', "turn 1: question: empty"),
        (
            '{"conversations": [{"id": "c", "turns": [{"id": "t", "question": "a"}, {"id": "t", "question": "b"}]}]}',
            "turns: id: 't' appears twice",
        ),
        (
            '{"conversations": [{"id": "c", "turns": [{"id": "t", "question": "a", "depends_on": "x"}]}]}',
            "'x' is not an earlier turn of it",
        ),
        ('{"conversations": [{"id": "c", "id": "d"}]}', "the key 'id' appears twice"),
        ('{"conversations": [{"id": "c"}', "not JSON"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, problem: str, tmp_path: Path) -> None:
    """File, conversation, turn and key."""
    file = tmp_path / "set.json"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read_set(file)
    assert problem in str(refused.value) and str(refused.value).startswith("set.json: ")


def test_offsets_of_quotes_and_what_was_left_out_are_kept() -> None:
    """They come back as they were; stretches that lie over one another, or beyond the text, are refused with their place."""
    text = "Head\nDepth\f2\nof 4 m."
    quoted = Turn(id="t1", question="?", ground_truth="4", quote="Depth\nof 4", page=1, quote_at=((5, 10), (13, 17)))
    document = GroundingDocument(
        filename="h.pdf", sha256="", pages=2, uploaded_at="", text=text, left_out=(LeftOut(1, 0, 4), LeftOut(2, 11, 12))
    )
    found = ConversationSet(
        name="h", documents=(document,), conversations=(Conversation(id="c", turns=(quoted,), document="h.pdf"),)
    )
    content = json.loads(written_conversations(found))

    assert read_conversations(content, "h.json") == found
    for place, key, wrong in (
        ("documents", "left_out", [{"start": 0, "end": 99, "what": "x"}]),
        ("turns", "quote_at", [[5, 9], [7, 9]]),
    ):
        broken = json.loads(written_conversations(found))
        (broken["documents"] if place == "documents" else broken["conversations"][0]["turns"])[0][key] = wrong
        with pytest.raises(ConfigError, match=f"{key}: .*not a stretch of the text"):
            read_conversations(broken, "h.json")
