"""Laws of roles: what a prompt asks for is told by its words; to an unknown question the text of a document answers."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tui_eval.simulator import personas
from tui_eval.simulator.answers import grounding, knowledge, open_replies
from tui_eval.simulator.answers.open_replies import CANNOT_KNOW, CANNOT_TELL, Seed
from tui_eval.simulator.answers.prompt import understand

PERSONAS = list(personas.load_personas())
DOCUMENT = """THE FERRY OF LUND

The ferry crosses the sound eleven times a day, from six in the morning on. A crossing takes forty minutes. The captain of
the ferry is Sanna Vik, who took over from her father in 1998.

Bicycles travel free of charge. A car pays twelve crowns, a lorry thirty. In a gale from the north the ferry stays in port."""
QUESTIONS = {
    "Who is the captain of the ferry?": "The captain of the ferry is Sanna Vik, who took over from her father in 1998.",
    "How long does a crossing take?": "A crossing takes forty minutes.",
    "What does a car pay in crowns?": "A car pays twelve crowns, a lorry thirty.",
    "What do bicycles pay to travel?": "Bicycles travel free of charge.",
    "When does the ferry stay in port because of a gale?": "In a gale from the north the ferry stays in port.",
}
UNTOLD = ["Which minister resigned over the lighthouse affair?", "What colour is the mayor's hat?"]
GIVEN: dict[str, tuple[str, str]] = {
    "document block": ("", "QUESTION: {question}\n\n[DOCUMENT]\ndoc_id: a\nfilename: a.txt\ncontent:\n{document}\n[/DOCUMENT]"),
    "system heading": (
        "Answer from the document alone.\n\nDOCUMENT:\n{document}\n\nIf it does not tell, say so.",
        "{question}",
    ),
    "system tags": ("<context>\n{document}\n</context>\nAnswer the user's questions.", "{question}"),
    "system without a heading": ("You are the ferry company's assistant.\n\n{document}", "{question}"),
    "markdown": ("", "Use the passage.\n\n## Passage\n{document}\n\n## Question\n{question}\n"),
    "question behind": ("", "Context: {document}\n\n{question}"),
    "empty answer": ("Be helpful.", "SOURCE TEXT:\n{document}\n\nQUESTION: {question}\n\nANSWER:"),
}
GIVEN_WAYS = pytest.mark.parametrize("given", GIVEN.values(), ids=list(GIVEN))


def chat(system: str, *turns: str) -> list[dict[str, Any]]:
    """A system message, where there is one, and then user and assistant by turns."""
    first = [{"role": "system", "content": system}] if system else []
    return first + [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(turns)]


def filled(given: tuple[str, str], question: str) -> list[dict[str, Any]]:
    return chat(*(text.replace("{question}", question).replace("{document}", DOCUMENT) for text in given))


def say(model: str, messages: list[dict[str, Any]], seed: int = 0) -> str:
    return open_replies.reply(personas.load_personas()[model], messages, Seed(seed, "null", model))


# --- which role ---


@pytest.mark.parametrize(
    ("system", "text", "role"),
    [
        ("", "Why is the sea salt?", "answer"),
        ("", "Why?\n\n- [ ] one\n- [x] two\n- [a link](https://example.org)", "answer"),
        ("", "Rate my chances.", "answer"),
        ("Answer with one of 1 to 5.", "QUESTION: How good is the film?", "answer"),
        ("", "Which is best?\n\n- [first/try] one\n- [2] two", "compare"),
        ("", "QUESTION: Why?\n\n[DOCUMENT]\n- [a] one\n- [b] two\n[/DOCUMENT]", "answer"),
        ("", "QUESTION: Why?\n\nANSWER A: one\n\nANSWER B: two\n\nWhich of the two is better?", "compare"),
        ("Score both from 1 to 5.", "QUESTION: Why?\n\nANSWER A: one\n\nANSWER B: two", "compare"),
        ("Write the one answer that will be kept.", "QUESTION: Why?\n\n- [a] one\n- [b] two", "conclude"),
        ("", "Why?\n\n- [a] one\n- [b] two\n\nINSTRUCTIONS: Merge them into a single answer.", "conclude"),
        ("", "GROUND TRUTH: a\n\nCANDIDATE: b", "mark"),
        ("Rate the answer from 1 to 5.", "QUESTION: Why?\n\nANSWER: So.", "mark"),
        ("Rate how readable it is, 1-5.", "TEXT: Once upon a time there was a ferry.", "mark"),
    ],
)
def test_roles(system: str, text: str, role: str) -> None:
    """What is asked for follows from the words, without the name of a kind or a stage in them."""
    assert understand(chat(system, text)).role == role


def test_no_name_of_a_kind_or_stage_in_the_simulator() -> None:
    """The modules that understand prompts know no kind, no stage and no example."""
    for name in (
        "prompt",
        "prompt_sections",
        "scales",
        "wording",
        "grounding",
        "answer_marks",
        "open_replies",
        "multiple_choice",
    ):
        words = knowledge.fold((Path(knowledge.__file__).with_name(f"{name}.py")).read_text(encoding="utf-8")).split()

        assert {"doer", "doers", "scorer", "finals", "panel", "quickstart", "harbour"}.isdisjoint(words), name


# --- compare and conclude ---


def test_candidates_are_compared_by_the_document() -> None:
    """Where the question is unknown and a document came along, the candidate that it bears out is named."""
    for label in ("a", "model/one#0", "2"):
        text = f"QUESTION: Who is the captain of the ferry?\n\n[DOCUMENT]\n{DOCUMENT}\n[/DOCUMENT]\n\n"
        text += f"CANDIDATES:\n- [{label}] The captain is Sanna Vik.\n- [other] A parrot named Olaf steers it at night.\n"

        assert say("sim-arbiter", chat("", text)).startswith(f"Best: [{label}]")


def test_candidates_for_a_known_question() -> None:
    """Whatever the labels are, the one that is right is named; answers under headings of their own are candidates, too."""
    question = "QUESTION: What do the children call the grey seal?"

    assert say("sim-arbiter", chat("", f"{question}\n\n- [x/1] Pebble\n- [x/2] Bishop\n")).startswith("Best: [x/2]")
    assert say("sim-arbiter", chat("", f"{question}\n\nANSWER A: Bishop\n\nANSWER B: Pebble")).startswith("Best: [A]")


def test_one_answer_is_written_from_candidates() -> None:
    """Only the answer comes, from the key or from the document."""
    candidates = "- [a] It is Bishop.\n- [b] Pebble\n\nINSTRUCTIONS: Write one combined answer."
    known = f"QUESTION: What do the children call the grey seal?\n\n{candidates}"
    unknown = f"QUESTION: How long does a crossing take?\n\n[DOCUMENT]\n{DOCUMENT}\n[/DOCUMENT]\n\n{candidates}"

    assert say("sim-arbiter", chat("", known)) == "Bishop"
    assert say("sim-arbiter", chat("", unknown)) == "A crossing takes forty minutes."


# --- answers from a context ---


@GIVEN_WAYS
def test_answers_are_taken_from_the_context(given: tuple[str, str]) -> None:
    """However the document is given, a good reader quotes the sentence that tells, and says so where none does."""
    told = {question: say("sim-arbiter", filled(given, question)) for question in QUESTIONS}
    untold = [say("sim-arbiter", filled(given, question)) for question in UNTOLD]

    assert sum(QUESTIONS[question] in reply for question, reply in told.items()) >= len(QUESTIONS) - 2
    assert untold == [CANNOT_TELL] * len(UNTOLD)


def test_skill_tells_readers_apart() -> None:
    """The better the persona, the more of its answers are the sentence that tells, and nothing beside it."""

    def right(model: str) -> float:
        hits = [
            say(model, filled(GIVEN["system heading"], question), seed).endswith(sentence)
            for question, sentence in QUESTIONS.items()
            for seed in range(20)
        ]
        return sum(hits) / len(hits)

    assert right("sim-arbiter") > right("sim-sprinter") > 0.4 > right("sim-contrarian")


def test_a_careless_reader_adds_or_misses() -> None:
    """Without skill another sentence is quoted, or something is added that the document does not say."""
    question = "How long does a crossing take?"
    replies = {say("sim-contrarian", filled(GIVEN["system tags"], question), seed) for seed in range(40)}
    quotes = [reply.removeprefix("The document says: ") for reply in replies]
    sentences = grounding.read(DOCUMENT).sentences

    assert any(quote in sentences and quote != QUESTIONS[question] for quote in quotes)
    assert any(quote.startswith(QUESTIONS[question]) and quote not in sentences for quote in quotes)


def test_earlier_turns_are_history() -> None:
    """The last message is the question; what was asked before helps where it leaves something out."""
    system = GIVEN["system heading"][0].replace("{document}", DOCUMENT)
    turns = chat(system, "What does a car pay in crowns?", "Twelve crowns.", "And what does a lorry pay?")
    alone = chat(system, "What does a lorry pay?")
    follow_up = chat(system, "Do bicycles travel free of charge?", "Yes.", "How long does a crossing take?")

    assert "a lorry thirty" in say("sim-arbiter", turns)
    assert "a lorry thirty" in say("sim-arbiter", alone)
    assert "forty minutes" in say("sim-arbiter", follow_up)


def test_the_key_comes_before_the_context() -> None:
    """A known question is answered from the key, whatever the document says."""
    text = (
        "QUESTION: What do the children call the grey seal?\n\n[DOCUMENT]\nThe children call the grey seal Olaf.\n[/DOCUMENT]"
    )

    assert knowledge.contains(say("sim-arbiter", chat("", text)), "Bishop")


def test_without_a_context_nothing_is_known() -> None:
    """Instructions are no document: without one a persona says that it is a simulator and cannot know."""
    system = "You answer questions about the ferry. Where you are not sure about the captain of the ferry, say so."

    assert {say(model, chat(system, "Who is the captain of the ferry?")) for model in PERSONAS} == {CANNOT_KNOW}


@GIVEN_WAYS
def test_same_prompt_same_reply(given: tuple[str, str]) -> None:
    """The same messages bring the same reply; another seed, or model, another one to some question."""
    every = [[say(model, filled(given, q), seed) for q in QUESTIONS] for model in PERSONAS for seed in (0, 0, 1)]

    assert every[::3] == every[1::3]
    assert json.dumps(every[::3]) != json.dumps(every[2::3])


def test_a_large_document_is_read_quickly() -> None:
    """A document of 200 KB is cut up once, and then any number of questions is put to it; odd texts take no longer."""
    large = "\n\n".join(f"{DOCUMENT}\n\nChapter {n} tells of the {n}th ship." for n in range(350))
    odd = ["- [" * 30_000, "ANSWER A:" * 10_000, "[DOCUMENT]\n" * 10_000, "# " + "a" * 100_000, " \n" * 50_000, "1-" * 50_000]
    begun = time.process_time()
    for question in QUESTIONS:
        say("sim-arbiter", chat(f"CONTEXT:\n{large}", question))
    for text in odd:
        say("sim-arbiter", chat(text, text))

    assert time.process_time() - begun < 10
