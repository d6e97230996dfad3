"""Laws of work on a text: told by its words, made of the text's own, better by a better persona, as long as is wanted."""

from __future__ import annotations

import re
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from soaking import quick_first

from tui_eval.simulator import personas
from tui_eval.simulator.answers import grounding, knowledge, open_replies
from tui_eval.simulator.answers import rewriting as limits
from tui_eval.simulator.answers.open_replies import CANNOT_TELL, Seed
from tui_eval.simulator.answers.prompt import understand
from tui_eval.simulator.answers.rewriting import Limit

PERSONAS = personas.load_personas()
BY_SKILL = ("sim-scorer", "sim-sprinter", "sim-contrarian")
FERRY = """THE FERRY OF LUND

The ferry crosses the sound eleven times a day, from six in the morning on. A crossing takes 40 minutes. The captain of
the ferry is Sanna Vik, who took over from her father in 1998.

Bicycles travel free of charge. A car pays 12 crowns, a lorry 30. In a gale from the north the ferry stays in port."""
MILL = """The mill at Ossel was built in 1764 by the brothers Rooke. Its wheel is four metres wide and turns six times a minute.
Barley is ground at the mill on Mondays, rye on every other day. The miller keeps a tame heron named Duke, which sleeps
under the wheel of the mill.

Flour is sold at nine crowns a sack from the side door. Children may watch the stones, but must not climb the ladder."""
WAYS: dict[str, tuple[str, str]] = {
    "heading": ("", "{order}\n\nTEXT:\n{text}"),
    "order behind": ("Do as you are told.", "Text: {text}\n\n{order}"),
    "tags": ("", "{order}\n\n<document>\n{text}\n</document>"),
    "block": ("You work for an editor.", "{order}\n\n[DOCUMENT]\ndoc_id: a\nfilename: a.txt\ncontent:\n{text}\n[/DOCUMENT]"),
    "markdown with a cue": ("", "{order}\n\n## Text\n{text}\n\nResult:"),
    "system orders, heading": ("{order}", "TEXT:\n{text}"),
    "system orders, bare text": ("{order} Write nothing else.", "{text}"),
    "text in the system message": ("Help with this.\n\nDOCUMENT:\n{text}", "{order}"),
    "bare text behind the order": ("", "{order}\n\n{text}"),
    "bare text before the order": ("", "{text}\n\n{order}"),
    "as a question": ("", "QUESTION: {order}\n\n[DOCUMENT]\n{text}\n[/DOCUMENT]"),
}
ORDERS = {
    "Summarise the text in at most 25 words.": "shorten",
    "Please shorten the following document.": "shorten",
    "Write a two-sentence summary of it.": "shorten",
    "Rewrite this text in plain English.": "keep",
    "Transcribe what stands here.": "keep",
    "Translate the text into German.": "translate",
    "Extract every sentence that names a price.": "extract",
}
JUDGE = "Mark the groundedness of it from 1 to 5. Give a reason, then a last line SCORE: <mark>."


def chat(way: tuple[str, str], order: str, text: str) -> list[dict[str, Any]]:
    filled = [part.replace("{order}", order).replace("{text}", text) for part in way]
    return [{"role": role, "content": part} for role, part in zip(("system", "user"), filled, strict=True) if part]


def say(model: str, messages: list[dict[str, Any]], seed: int = 0) -> str:
    return open_replies.reply(PERSONAS[model], messages, Seed(seed, "null", model))


def worked(model: str, order: str, text: str = FERRY, seed: int = 0) -> str:
    return say(model, chat(WAYS["heading"], order, text), seed)


def overlap(reply: str, text: str) -> float:
    """How alike the words of two texts are: of all words that either has, those that both have."""
    said, given = Counter(knowledge.fold(reply).split()), Counter(knowledge.fold(text).split())
    return (said & given).total() / (said | given).total()


def borne_out(reply: str, text: str) -> float:
    """Which share of a reply's sentences stand in the text."""
    flat = " ".join(text.split())
    sentences = re.split(r"(?<=[.!?])\s+", reply)
    return mean(sentence in flat for sentence in sentences)


# --- what is asked ---


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.split()[0].casefold())
def test_work_is_known_by_its_words(way: tuple[str, str], order: str) -> None:
    """However order and text are put, both are found, the text is the text alone, and nobody says that it does not tell."""
    asked = understand(chat(way, order, FERRY))

    assert (asked.role, asked.work, asked.context) == ("rewrite", ORDERS[order], FERRY)
    assert any(order.split()[0] in words for words in asked.own)
    assert all("[simulated] The document" not in say(model, chat(way, order, FERRY)) for model in PERSONAS)


@pytest.mark.parametrize(
    ("system", "user"),
    [
        ("Answer from the text.", "TEXT: {text}\n\nWho is the captain of the ferry?"),
        ("You answer questions. Extract what is asked from the text.", "TEXT: {text}\n\nTell me who the captain is."),
        ("Extract the answer.", "TEXT: {text}\n\nQUESTION: Who is the captain?"),
        ("You translate for tourists.", "TEXT: {text}\n\nWho is the captain?"),
        ("", "QUESTION: Who had to translate the summary?\n\n[DOCUMENT]\n{text}\n[/DOCUMENT]"),
        ("Do not summarise the text.", "TEXT: {text}\n\nName the captain."),
        ("Answer briefly.", "Read the extract below.\n\nTEXT: {text}\n\nWho is the captain?"),
        ("Summarise what the user says.", "What is a ferry?"),
        ("", "Summarise the history of ferries."),
    ],
)
def test_what_asks_something_is_no_such_work(system: str, user: str) -> None:
    """A question stays a question, whatever verbs stand round it; and without a text there is nothing to work on."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user.replace("{text}", FERRY)}]

    assert understand(messages).role == "answer"


def test_the_modules_know_no_kind() -> None:
    """As all of the simulator that understands prompts."""
    for name in ("tasks", "rewriting"):
        words = knowledge.fold((Path(knowledge.__file__).with_name(f"{name}.py")).read_text(encoding="utf-8")).split()

        assert {"doer", "doers", "scorer", "finals", "panel", "quickstart", "harbour"}.isdisjoint(words), name


# --- replies ---


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.split()[0].casefold())
@pytest.mark.parametrize("model", quick_first(PERSONAS, 2))
def test_another_text_another_reply(model: str, order: str) -> None:
    """Each text has its own reply, whatever the seed, and the same one to the same request."""
    replies = [worked(model, order, text, seed) for text in (FERRY, MILL) for seed in range(20)]

    assert not set(replies[:20]) & set(replies[20:])
    assert replies == [worked(model, order, text, seed) for text in (FERRY, MILL) for seed in range(20)]


@pytest.mark.parametrize("order", ["Transcribe the text.", "Rewrite the text.", "Translate the text into French."])
def test_a_better_persona_keeps_more_of_the_whole(order: str) -> None:
    """Who writes a text down again keeps nearly all of its words; the less skill, the more are lost or changed."""
    kept = {model: mean(overlap(worked(model, order, MILL, seed), MILL) for seed in range(20)) for model in BY_SKILL}

    assert kept["sim-scorer"] > 0.9 and kept["sim-contrarian"] < 0.85
    assert all(kept[better] > kept[worse] for better, worse in pairwise(BY_SKILL))


def test_a_better_persona_keeps_to_the_text() -> None:
    """More of a better persona's sentences are the text's, and more of the telling ones are among them."""
    order = "Summarise the text in two sentences."
    for text in (FERRY, MILL):
        best = worked("sim-scorer", order, text)
        replies = {model: [worked(model, order, text, seed) for seed in range(40)] for model in BY_SKILL}
        true = [mean(borne_out(reply, text) for reply in replies[model]) for model in BY_SKILL]
        like = [mean(overlap(reply, best) for reply in replies[model]) for model in BY_SKILL]

        assert all(better > worse for row in (true, like) for better, worse in pairwise(row))
        assert true[0] > 0.9 and true[-1] < 0.75


def test_the_telling_sentences_are_kept() -> None:
    """A good summary is those sentences whose words the text has most, in their order."""
    said = [
        worked("sim-scorer", "Summarise the text in two sentences.", text, seed) for text in (FERRY, MILL) for seed in (1, 2)
    ]
    ferry = "The ferry crosses the sound eleven times a day, from six in the morning on. The captain of the ferry is Sanna Vik"

    assert any(one.startswith(ferry) for one in said)
    assert any("the mill" in one.casefold() and "Flour" not in one for one in said[2:])


def test_to_extract_goes_by_what_is_wanted() -> None:
    """Those sentences come first that share words with the order, each on its own line."""
    order = "Extract, as one bullet point or two bullet points, what a car and a lorry pay and who the captain is."
    said = worked("sim-scorer", order).splitlines()

    assert sorted(line[:12] for line in said) == ["- A car pays", "- The captai"]


def test_a_translation_says_that_it_is_none() -> None:
    """The simulator knows no language, and says so; within a limit, too."""
    replies = [worked(model, "Translate the text into French.") for model in PERSONAS]
    short = worked("sim-scorer", "Translate the text into French, in at most 20 words.")

    assert all(reply.startswith("[simulated] Untranslated: ") for reply in replies)
    assert short.startswith("[simulated] Untranslated: ") and len(short.split()) <= 20


def test_length_follows_the_persona() -> None:
    """Without a limit the talkative write more, and nobody as much as the text has."""
    long = "\n\n".join(f"{FERRY}\n\n{MILL}".replace("1764", str(n)).replace("ferry", f"ferry {n}") for n in range(1000, 1030))
    size = {
        style: mean(len(worked(name, "Summarise the text.", text).split()) for text in (f"{FERRY}\n\n{MILL}", long))
        for name, style in (("sim-sprinter", "terse"), ("sim-arbiter", "plain"), ("sim-thinker", "wordy"))
    }

    assert size["terse"] < size["plain"] < size["wordy"] < 250


# --- limits ---


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("Summarise it in at most 60 words.", Limit(60, "words")),
        ("In 40 words or fewer.", Limit(40, "words")),
        ("In 40 or fewer words.", Limit(40, "words")),
        ("Write a 50-word summary.", Limit(50, "words")),
        ("Between 40 and 60 words.", Limit(60, "words")),
        ("Use no more than twenty-five words.", Limit(25, "words")),
        ("At least 20 words, at most a hundred words.", Limit(100, "words")),
        ("In two sentences.", Limit(2, "sentences", exact=True)),
        ("In a single sentence.", Limit(1, "sentences", exact=True)),
        ("Use up to three short sentences.", Limit(3, "sentences")),
        ("As three bullet points.", Limit(3, "lines", exact=True)),
        ("No longer than 280 characters.", Limit(280, "signs")),
        ("Shorten it to half its length.", Limit(100, "words")),
        ("Cut it to 25% of the original length.", Limit(50, "words")),
        ("Summarise at least 20 words.", None),
        ("Summarise it in one word or two.", None),
        ("Summarise the 1998 report.", None),
    ],
)
def test_limits(words: str, limit: Limit | None) -> None:
    """A limit is found however it is put; what must be exceeded is none."""
    assert limits.find_limit(words, "word " * 200) == limit


@pytest.mark.parametrize("model", quick_first(["sim-rambler", "sim-scorer", "sim-thinker", "sim-contrarian"], 2))
@pytest.mark.parametrize(
    "words",
    ["at most 25 words", "12 words or fewer", "two sentences", "one sentence", "at most 90 characters", "two bullet points"],
)
def test_a_limit_is_kept_as_often_as_the_persona_obeys(model: str, words: str) -> None:
    """Else the reply is longer than was asked for."""
    order = f"Summarise the text in {words}."
    limit = limits.find_limit(order, FERRY)
    assert limit is not None
    kept = mean(limit.holds(worked(model, order, text, seed)) for text in (FERRY, MILL) for seed in range(100))

    assert abs(kept - PERSONAS[model].obeys) < 0.12


def test_a_reminder_of_the_limit_helps() -> None:
    """Asked again, a persona forgets it a fifth as often; the text and the order stand in what was asked before."""
    first = chat(WAYS["heading"], "Summarise the text in at most 20 words.", FERRY)
    again = [
        *first,
        {"role": "assistant", "content": "..."},
        {"role": "user", "content": "That was too long. Keep to the limit."},
    ]
    kept = [mean(len(say("sim-rambler", asked, seed).split()) <= 20 for seed in range(100)) for asked in (first, again)]

    assert kept[0] < 0.65 and kept[1] > 0.8


# --- marks ---

MARKED: dict[str, tuple[str, str]] = {
    "what was ordered stands as the question": (
        JUDGE,
        "CONTEXT:\n{text}\n\nQUESTION:\nSummarise the text in at most 40 words.\n\nANSWER:\n{reply}",
    ),
    "the judge speaks of a summary": (f"You judge summaries. {JUDGE}", "TEXT:\n{text}\n\nANSWER:\n{reply}"),
    "a heading of its own": (JUDGE, "TEXT:\n{text}\n\nSUMMARY:\n{reply}"),
    "tags of its own": (
        "",
        "Here is a text and its translation.\n<text>{text}</text>\n<translation>{reply}</translation>\n\n" + JUDGE,
    ),
}
METRICS = ("groundedness", "faithfulness", "relevance")
DECLINES = (CANNOT_TELL, "The text does not say.", "I cannot tell.")


def marks(way: tuple[str, str], metric: str, reply: str) -> float:
    filled = [part.replace("groundedness", metric).replace("{text}", FERRY).replace("{reply}", reply) for part in way]
    messages = [{"role": role, "content": part} for role, part in zip(("system", "user"), filled, strict=True) if part]
    found = (re.search(r"^SCORE: (\d)$", say("sim-scorer", messages, seed), re.M) for seed in range(10))
    return mean(int(one[1]) for one in found if one)


@pytest.mark.parametrize("way", MARKED.values(), ids=list(MARKED))
@pytest.mark.parametrize("metric", METRICS)
def test_who_declines_such_work_has_a_low_mark(way: tuple[str, str], metric: str) -> None:
    """A summary of the text's own sentences is borne out by it; that the text does not tell is none."""
    good = worked("sim-scorer", "Summarise the text in two sentences.")

    assert marks(way, metric, good) > 4.5
    assert all(marks(way, metric, reply) < 2 for reply in DECLINES)
    assert marks(way, metric, "Three bishops painted a violet carriage.") < 2


def test_to_a_question_declining_stays_right() -> None:
    """Where something was asked, that the document does not tell is grounded, whatever the judge says of summaries."""
    way = (f"You judge answers, no summaries. {JUDGE}", "CONTEXT:\n{text}\n\nQUESTION:\nWho is the mayor?\n\nANSWER:\n{reply}")

    assert all(marks(way, "groundedness", reply) > 4.5 for reply in DECLINES)


def test_what_the_text_itself_does_not_know_is_no_refusal() -> None:
    """A text may say that something cannot be known, and so may what is made of it."""
    text = "The age of the mill cannot be determined. The wheel was renewed by the miller."

    assert grounding.kept("The age of the mill cannot be determined.", grounding.read(text)) == 1
    assert grounding.kept("That cannot be known.", grounding.read(text)) <= 0.1


def test_candidates_are_compared_by_the_text() -> None:
    """Of several summaries the one that the text bears out is named, and not the one that declines."""
    text = f"QUESTION: Summarise the document.\n\n[DOCUMENT]\n{FERRY}\n[/DOCUMENT]\n\nCANDIDATES:\n- [a] {CANNOT_TELL}\n"
    text += "- [b] The ferry crosses the sound eleven times a day.\n"

    assert say("sim-scorer", [{"role": "user", "content": text}]).startswith("Best: [b]")


# --- time ---


@pytest.mark.soak
def test_it_is_quick() -> None:
    """A text of 200 KB is worked on in a fraction of a second, and odd ones take no longer."""
    large = "\n\n".join(f"{FERRY}\n\nChapter {n} tells of the {n}th ship." for n in range(500))
    odd = [
        "a " * 50_000,
        "." * 100_000,
        "one two three: " * 7_000,
        "write " * 20_000,
        "a" * 100_000,
        "50 " * 30_000,
        "-:" * 50_000,
    ]
    begun = time.process_time()
    for order in ORDERS:
        worked("sim-contrarian", order, large)
    for text in odd:
        for order in ("Summarise the text in 20 words.", text):
            worked("sim-contrarian", order, text)
            say("sim-contrarian", chat(WAYS["system orders, bare text"], order, text))

    assert time.process_time() - begun < 10
