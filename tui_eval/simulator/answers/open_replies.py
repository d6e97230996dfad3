"""Decides what a persona replies, always the same to the same request; it knows an answer key, and what the prompt brings."""

import json
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

from tui_eval.simulator.answers import (
    answer_marks,
    answer_sheets,
    graph_drafting,
    grounding,
    knowledge,
    question_writing,
    rewriting,
    tasks,
    worded_pictures,
)
from tui_eval.simulator.answers.grounding import Context, Found
from tui_eval.simulator.answers.knowledge import Matter
from tui_eval.simulator.answers.prompt import Asked, Candidate, Message, plain_text, understand
from tui_eval.simulator.answers.wording import Wording, worded
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.seed import Seed
from tui_eval.simulator.unanswerable import CANNOT_KNOW

__all__ = ["CANNOT_KNOW", "CANNOT_TELL", "Seed", "latency_ms", "reply"]

_PHRASES = {
    "terse": "{answer}",
    "plain": "The answer is {answer}.",
    "wordy": (
        "That is a question worth taking slowly, for several things might be meant by it. Having weighed them one "
        "after the other, and without wishing to overstate how sure one can be, I would say: {answer}. There may be "
        "more to add, but that seems to be the heart of the matter."
    ),
}
_STEPS = (
    "Let me take this one step at a time. First I look at what exactly is asked, then at what bears on it, and last at "
    "which answer goes with both.\n\n{phrase}"
)
CANNOT_TELL = (
    "[simulated] The document does not tell. The simulator goes by the words that a sentence shares with the question, "
    "so it cannot know what no sentence says."
)
_QUOTES = {
    "terse": "{sentence}",
    "plain": "The document says: {sentence}",
    "wordy": (
        "That is a question worth taking slowly, and I have gone through the text more than once for it. As far as I can "
        "see it comes down to this. {sentence} There may be more to add, but that seems to be the heart of the matter."
    ),
}
_LONGEST_QUOTE = 200


def reply(persona: Persona, messages: Sequence[Message], seed: Seed) -> str:
    """Reply to these messages as the persona does."""
    if worded_pictures.is_unread(messages) and tasks.task_of(plain_text(messages[-1])):
        return worded_pictures.UNREAD
    messages = worded_pictures.with_words(messages)
    if sheet := answer_sheets.wanted(messages):
        return answer_sheets.written(persona, sheet, lambda question: _from_text(persona, sheet, question, seed), seed)
    if wanted := _questions_wanted(messages):
        return question_writing.written(persona, *wanted, seed)
    if claims := answer_marks.claims_wanted(messages):
        return answer_marks.checked(persona, claims, seed)
    if pair := answer_marks.pair_wanted(messages):
        return answer_marks.preferred(persona, pair, seed)
    if graph_wanted := graph_drafting.wanted(messages):
        return graph_drafting.drafted(persona, *graph_wanted, seed)
    asked = understand(messages)
    if asked.role == "mark":
        wording = worded(*asked.own)
        if asked.scale is None:
            return answer_marks.agrees(persona, asked, wording, seed)
        return answer_marks.mark(persona, asked, asked.scale, wording, seed)
    if asked.role == "rewrite":
        wording = worded(*asked.own)
        bare, phrase = rewriting.rewrite(persona, asked, wording, seed)
        return _worded(persona, bare, phrase, wording, seed, asked.text)
    matter = knowledge.find(asked.text)
    if matter is None:
        return _unknown(persona, asked, seed)
    wording = worded(*(knowledge.without(text, matter.question) for text in asked.own))
    # To a known question the one look at a document is at its name, never at its text. Without it a question that has
    # another answer in each document could not be answered at all.
    right = matter.right_for(asked.documents)
    if asked.role == "compare":
        return _judge(persona, asked, matter, right, wording, seed)
    if asked.role == "conclude":
        return _final(persona, asked, matter, right, wording, seed)
    own = _own_answer(persona, matter, right, wording, seed)
    return _worded(persona, own, _PHRASES[persona.verbosity].format(answer=own), wording, seed, matter.question)


def _questions_wanted(messages: Sequence[Message]) -> tuple[question_writing.Form, str, str, bool] | None:
    """Return the form of questions to write or check, by the last message that asks for it; None where none does.

    With it the message, the system message, and whether we are reminded.
    """
    system = next((plain_text(message) for message in messages if message.get("role") in ("system", "developer")), "")
    for message in reversed(messages):
        text = plain_text(message) if message.get("role") == "user" else ""
        if form := question_writing.form_of(text):
            return form, text, system, any(message.get("role") == "assistant" for message in messages)
    return None


def is_dropped(persona: Persona, messages: Sequence[Message], seed: Seed) -> bool:
    """Return whether the persona says nothing to this: the second question of a conversation, now and then."""
    said = [plain_text(message) for message in messages if message.get("role") == "user"]
    answered = sum(message.get("role") == "assistant" for message in messages)
    if not persona.drops or answered != 1 or len(said) != 2:
        return False
    return replace(seed, request="").chance("drops", *said) < persona.drops


def latency_ms(persona: Persona, messages: Sequence[Message], seed: Seed) -> float:
    """Return the time that the persona takes over these messages: around its median, seldom far from it."""
    chance = seed.chance("latency", json.dumps(messages, sort_keys=True, default=str))
    typical_distance = NormalDist().inv_cdf(min(max(chance, 0.02), 0.98))
    return persona.latency_ms * float(persona.spread**typical_distance)


def _unknown(persona: Persona, asked: Asked, seed: Seed) -> str:
    """To a question that is not in the key: what the context says, where there is one; else that it cannot be known."""
    wording = worded(*(words for words in asked.own if words != asked.question))
    # A question without a heading may stand at the end of the context, and would be the best match for itself.
    text = asked.context.removesuffix(asked.question)
    context = grounding.read(text) if text else None
    if asked.role == "compare":
        return _compare_by_context(persona, asked, context, wording, seed)
    if context is None:
        return CANNOT_KNOW
    sentence = _looked_up(persona, asked, context, wording, seed)
    if sentence == CANNOT_TELL or asked.role == "conclude":
        return sentence
    phrase = _QUOTES[persona.verbosity].format(sentence=sentence)
    return _worded(persona, sentence, phrase, wording, seed, asked.question)


def _from_text(persona: Persona, sheet: answer_sheets.Sheet, question: str, seed: Seed) -> str:
    """The answer to one of several questions about a text: a sentence of it."""
    if not sheet.text.strip():
        return CANNOT_TELL
    asked = Asked("answer", question, question=question, context=sheet.text)
    return _looked_up(persona, asked, grounding.read(sheet.text), worded(sheet.prompt), seed)


def _looked_up(persona: Persona, asked: Asked, context: Context, wording: Wording, seed: Seed) -> str:
    """The sentence that tells what is asked, as the persona finds it, or that none does."""
    # Whoever sees what others found in the text misses less of it.
    skill = wording.skill(persona)
    skill = 1 - (1 - skill) / 2 if asked.candidates else skill
    found = grounding.look_up(context, asked.question)
    if not found.tells and asked.history:
        found = grounding.look_up(context, asked.question, asked.history)
    about = (knowledge.fold(asked.question), *found.ranked[:1])
    careful = wording.chance(seed, "reads", *about) < skill
    # Where the text does not tell, a careless reader takes the nearest sentence all the same, if there is a choice.
    if not found.ranked or (not found.tells and (careful or len(context.sentences) == 1)):
        return CANNOT_TELL
    return _as_read(persona, context, found, careful, about, wording, seed)


def _as_read(
    persona: Persona, context: Context, found: Found, careful: bool, about: Sequence[str], wording: Wording, seed: Seed
) -> str:
    """The sentence that tells, as the persona reads it: another one, or with an addition, where it is careless or invents."""
    sentence = found.ranked[0]
    if careful and (not persona.invents or wording.chance(seed, "embroiders", *about) >= persona.invents):
        return sentence
    others = [one for one in context.sentences if one != sentence]
    if not careful and others and seed.chance("misreads", *about) < 1 / 2:
        return seed.choose(found.ranked[1:3] or others, "another", *about)
    return f"{sentence} {seed.choose(rewriting.INVENTED, 'invents', *about)}"


def _worded(persona: Persona, bare: str, phrase: str, wording: Wording, seed: Seed, question: str) -> str:
    """The answer as the persona would put it, or, as far as it heeds them, as the instructions want it."""
    heeded = wording.heeded(persona, seed, question)
    if heeded and (wording.brief or wording.form):
        phrase = bare
    if heeded and wording.form:
        phrase = f"{wording.form}: {bare}"
    return _STEPS.format(phrase=phrase) if heeded and wording.steps and not wording.brief else phrase


def _own_answer(persona: Persona, matter: Matter, right: str, wording: Wording, seed: Seed) -> str:
    # Whether a persona knows a thing hangs on the question and its right answer, and but little on the wording round it:
    # like a person, it seldom forgets what it knows because the prompt was polished. So the examples keep their numbers.
    about = (matter.question, right)
    if wording.chance(seed, "knows", *about) < wording.skill(persona):
        return right
    return seed.choose(matter.wrong_for(right), "error", *about)


def _final(persona: Persona, asked: Asked, matter: Matter, right: str, wording: Wording, seed: Seed) -> str:
    """Just the answer: the right one more easily when somebody has named it, else whatever one candidate says."""
    candidates = asked.candidates
    if not candidates:
        return _own_answer(persona, matter, right, wording, seed)
    named = any(knowledge.contains(candidate.text, right) for candidate in candidates)
    skill = wording.skill(persona)
    skill = 1 - (1 - skill) / 2 if named else skill
    about = (matter.question, right)
    if wording.chance(seed, "final", *about) < skill:
        return right
    quotes = [_quote(candidate, matter) for candidate in candidates]
    return seed.choose(quotes, "follows", *about)


def _judge(persona: Persona, asked: Asked, matter: Matter, right: str, wording: Wording, seed: Seed) -> str:
    """Name the best candidate and say why."""
    labels = [candidate.label for candidate in asked.candidates]
    good = [candidate for candidate in asked.candidates if knowledge.contains(candidate.text, right)]
    bad = [candidate for candidate in asked.candidates if candidate not in good]
    about = (matter.question, right)
    sees = wording.chance(seed, "judges", *about) < wording.skill(persona)
    field = (good or bad) if sees else (bad or good)
    label = seed.choose([candidate.label for candidate in field], "picks", *about)
    best = next(candidate for candidate in field if candidate.label == label)
    reason = f"It says {_quote(best, matter)!r}, which fits the question; {_others(labels, label)}"
    return _worded(persona, f"Best: [{label}]", f"Best: [{label}] {reason}", replace(wording, form=""), seed, matter.question)


def _compare_by_context(persona: Persona, asked: Asked, context: Context | None, wording: Wording, seed: Seed) -> str:
    """Name the candidate that the context bears out best, as far as the persona sees it; without one, pick by chance."""
    labels = [candidate.label for candidate in asked.candidates]
    if context is None:
        return f"Best: [{seed.choose(labels, 'blind', *labels)}], picked by chance. {CANNOT_KNOW}"
    worth = {one.label: _worth(one.text, asked, context) for one in asked.candidates}
    about = (knowledge.fold(asked.question), *labels)
    sees = wording.chance(seed, "judges", *about) < wording.skill(persona)
    label = max(labels, key=worth.__getitem__) if sees else seed.choose(labels, "picks", *about)
    reason = f"It keeps closest to the document; {_others(labels, label)}"
    return _worded(persona, f"Best: [{label}]", f"Best: [{label}] {reason}", replace(wording, form=""), seed, asked.question)


def _worth(text: str, asked: Asked, context: Context) -> float:
    """Score how well a candidate goes with the context and what was asked of it."""
    if asked.work:
        return grounding.kept(text, context)
    return grounding.support(text, context) + grounding.relevance(text, asked.question, context)


def _others(labels: Sequence[str], best: str) -> str:
    rest = [f"[{label}]" for label in labels if label != best]
    return f"{', '.join(rest)} convinced me less." if rest else "there was no other candidate."


def _quote(candidate: Candidate, matter: Matter) -> str:
    """The bare answer that a candidate gives, or the beginning of its text when it gives none that is known."""
    given = [answer for answer in matter.answers() if knowledge.contains(candidate.text, answer)]
    return max(given, key=len) if given else candidate.text[:_LONGEST_QUOTE]
