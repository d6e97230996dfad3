"""Decides what a persona replies, always the same to the same request; it knows an answer key and nothing else."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from tui_eval.simulator import knowledge
from tui_eval.simulator.knowledge import Matter
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.prompt import Asked, Candidate, Message, understand

CANNOT_KNOW = (
    "[simulated] This is the simulator that comes with tui-eval, not a language model. It knows only the questions of "
    "the shipped examples, so it cannot know the answer to this one. Choose a real model to get an answer."
)
_PHRASES = {
    "terse": "{answer}",
    "plain": "The answer is {answer}.",
    "wordy": (
        "That is a question worth taking slowly, for several things might be meant by it. Having weighed them one "
        "after the other, and without wishing to overstate how sure one can be, I would say: {answer}. There may be "
        "more to add, but that seems to be the heart of the matter."
    ),
}
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Seed:
    """What chance may depend on besides the question: the seeds of the server and of the request, and the model."""

    server: int
    request: str
    model: str

    def chance(self, *purpose: str) -> float:
        """A number from 0 up to 1 that looks random and is always the same for the same seed and purpose."""
        words = json.dumps([self.server, self.request, self.model, *purpose])
        return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=7).digest()) / 2**56

    def choose(self, choices: Sequence[str], *purpose: str) -> str:
        """One of the choices, always the same for the same seed and purpose."""
        return choices[int(self.chance(*purpose) * len(choices))]


def reply(persona: Persona, messages: Sequence[Message], seed: Seed) -> str:
    """What the persona says to these messages."""
    asked = understand(messages)
    if asked.stage == "scorer":
        return _score(persona, asked, seed)
    matter = knowledge.find(asked.text)
    if asked.stage == "judge":
        return _judge(persona, asked, matter, seed)
    if matter is None:
        return CANNOT_KNOW
    # The one look at a document: its name, never its text. Without it a question that has another answer in each
    # document could not be answered at all.
    right = matter.right_for(asked.documents)
    if asked.stage == "final":
        return _final(persona, asked, matter, right, seed)
    return _PHRASES[persona.verbosity].format(answer=_own_answer(persona, matter, right, seed))


def latency_ms(persona: Persona, messages: Sequence[Message], seed: Seed) -> float:
    """How long the persona takes over these messages: around its median, seldom far from it."""
    chance = seed.chance("latency", json.dumps(messages, sort_keys=True, default=str))
    typical_distance = NormalDist().inv_cdf(min(max(chance, 0.02), 0.98))
    return persona.latency_ms * float(persona.spread**typical_distance)


def _own_answer(persona: Persona, matter: Matter, right: str, seed: Seed) -> str:
    # Whether a persona knows a thing hangs on the question and its right answer, not on the wording round it: like a
    # person, it does not forget what it knows because the prompt was polished. So the examples keep their numbers.
    about = (matter.question, right)
    if seed.chance("knows", *about) < persona.skill:
        return right
    return seed.choose(matter.wrong_for(right), "error", *about)


def _final(persona: Persona, asked: Asked, matter: Matter, right: str, seed: Seed) -> str:
    """Just the answer: the right one more easily when somebody has named it, else whatever one candidate says."""
    candidates = asked.candidates
    if not candidates:
        return _own_answer(persona, matter, right, seed)
    named = any(knowledge.contains(candidate.text, right) for candidate in candidates)
    skill = 1 - (1 - persona.skill) / 2 if named else persona.skill
    about = (matter.question, right)
    if seed.chance("final", *about) < skill:
        return right
    quotes = [_quote(candidate, matter) for candidate in candidates]
    return seed.choose(quotes, "follows", *about)


def _judge(persona: Persona, asked: Asked, matter: Matter | None, seed: Seed) -> str:
    """Name the best candidate and say why."""
    labels = [candidate.label for candidate in asked.candidates]
    if matter is None:
        return f"Best: [{seed.choose(labels, 'blind', *labels)}], picked by chance. {CANNOT_KNOW}"
    right = matter.right_for(asked.documents)
    good = [candidate for candidate in asked.candidates if knowledge.contains(candidate.text, right)]
    bad = [candidate for candidate in asked.candidates if candidate not in good]
    about = (matter.question, right)
    sees = seed.chance("judges", *about) < persona.skill
    field = (good or bad) if sees else (bad or good)
    label = seed.choose([candidate.label for candidate in field], "picks", *about)
    best = next(candidate for candidate in field if candidate.label == label)
    return f"Best: [{label}] It says {_quote(best, matter)!r}, which fits the question; {_others(labels, label)}"


def _others(labels: Sequence[str], best: str) -> str:
    rest = [f"[{label}]" for label in labels if label != best]
    return f"{', '.join(rest)} convinced me less." if rest else "there was no other candidate."


def _quote(candidate: Candidate, matter: Matter) -> str:
    """The bare answer that a candidate gives, or the beginning of its text when it gives none that is known."""
    given = [answer for answer in matter.answers() if knowledge.contains(candidate.text, answer)]
    return max(given, key=len) if given else candidate.text[:_LONGEST_QUOTE]


def _score(persona: Persona, asked: Asked, seed: Seed) -> str:
    about = (asked.truth, asked.candidate)
    agrees = knowledge.contains(asked.candidate, asked.truth)
    if seed.chance("scores", *about) >= persona.skill:
        agrees = not agrees
    digit = "1" if agrees else "0"
    # A reminder helps: asked again, a persona forgets the form only a fifth as often.
    obeys = 1 - (1 - persona.obeys) / 5 if asked.again else persona.obeys
    if seed.chance("form", str(asked.again), *about) < obeys:
        return digit
    return f"{digit} - they agree" if agrees else f"{digit} - they do not agree"
