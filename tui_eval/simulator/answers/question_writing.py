"""Writes questions about a text when a prompt asks for them as JSON, and checks those of others; well or badly, as skill goes.

What is asked for is told by the form that the prompt shows: {"turns": ...}, {"questions": ...}, {"answers": ...} or
{"checks": ...}. Questions are made of the text's own sentences, in its language where that is English, German, Russian or
Japanese. Mistakes, the more the less skill: a quote with another number or word, an answer that says something else, a
question asked twice, a reply that is no JSON.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.simulator.answers import grounding, knowledge
from tui_eval.simulator.answers.wording import Wording, worded
from tui_eval.simulator.personas import Persona
from tui_eval.simulator.seed import Seed

Form = str
"""turns, questions, answers or checks."""
_FORM = re.compile(r'JSON of this form:\s*\{"(turns|questions|answers|checks)"')
_TEXT = re.compile(r"\[TEXT\]\n(.*?)\n\[/TEXT\]", re.S)
_TURNS = re.compile(r"a conversation of (\d+) questions", re.I)
_CATEGORIES = re.compile(r"CATEGORIES:\s*(\[.*?\n\])", re.S)
_LISTED = re.compile(r"^(\d+)\. (.+?)(?:\n {3}proposed answer: (.*?))?(?:\n {3}answer from memory: (.*?))?$", re.M)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'“„«(]*[A-ZÀ-ÞА-ЯЁ0-9])|(?<=[。！？])|\n\s*\n|\f")
_HEADING = re.compile(r"(?:^|\f)(.{1,48}[^\s.!?,;:-])[ \t]*\n\s*(?=[\"'“„]?[A-ZÀ-ÞА-ЯЁ])", re.M)
_VAGUE_FIRST = {"it", "they", "whoever", "nobody", "there", "outside", "if", "when", "while", "since", "whatever", "he", "she"}
_VAGUE_LAST = {"that", "who", "which", "and", "whoever", "this", "these", "her", "his", "their"}
"""Words by which a subject says not what it is."""
_WORD = re.compile(r"\w[\w'’-]*")
_NUMBER = re.compile(r"\d+")
_SHORTEST, _LONGEST = 30, 280
_MISQUOTES, _ERRS, _REPEATS, _UNANSWERABLE = 0.5, 0.4, 0.25, 0.12
"""The chance of a mistake where there is no skill at all; how often a conversation ends with a question without an answer."""


@dataclass(frozen=True, slots=True)
class _Phrases:
    """Patterns of questions in one language."""

    first: str
    later: str
    unknown: str
    not_told: str


_ENGLISH = _Phrases("What is true of {subject}?", "And what is said of {subject}?", "And who decided on {subject}?",
                    "The document does not tell.")  # fmt: skip
_BY_VERB = {
    "must": "What must {subject} do?", "may": "What may {subject} do?", "has": "What does {subject} have?",
    "have": "What do {subject} have?", "takes": "What does {subject} take?", "costs": "What does {subject} cost?",
    "stands": "Where does {subject} stand?", "lies": "Where does {subject} lie?", "begins": "When does {subject} begin?",
    "comes": "When does {subject} come?", "rises": "How does {subject} rise?",
}  # fmt: skip
"""How a first question is put in English, by the verb behind its subject."""
_PHRASES = {
    "German": _Phrases("Was gilt für {subject}?", "Und was ist mit {subject}?", "Und was kostet {subject}?",
                       "Das steht nicht im Dokument."),
    "Russian": _Phrases("Что известно про {subject}?", "А что сказано про {subject}?", "А сколько стоит {subject}?",
                        "В документе этого нет."),
    "Japanese": _Phrases("{subject}について何が分かりますか。", "では{subject}についてはどうですか。",
                         "では{subject}はいくらですか。", "文書には書かれていません。"),
}  # fmt: skip
_GERMAN = re.compile(r"\b(?:der|die|das|und|ist|wird|nicht|für|mit|auf|ein|eine)\b", re.I)
_VERBS = (
    "is|are|was|were|has|have|must|may|can|shall|will|takes?|begins?|ends?|costs?|stands?|lies?|comes?|rises?|pays?|goes|go|"
    "freezes?|needs?|lifts?|runs?|leaves?|holds?|sells?|makes?|counts?|adds?|sounds?|includes?|drives?|turns?|grinds?|keeps?|opens?|"
    "ist|sind|wird|werden|hat|haben|muss|müssen|darf|dürfen|kann|können|liegt|liegen|gilt|hängt|hängen|wohnt|verleiht|"
    "—|это|был[аои]?"
)
_HEAD = re.compile(rf"(.{{3,60}}?)\s+(?:{_VERBS})\b")
"""What a sentence is about: all before its first verb."""
_OF_MANY = {"are", "were", "have", "take", "begin", "end", "cost", "stand", "lie", "come", "rise", "go", "lift", "run", "hold"}
"""Verbs that several do."""
_OPENING = re.compile(r"^(?:the|an?|der|die|das|ein|eine|in|on|at|im|am)\s+", re.I)


def form_of(text: str) -> Form | None:
    """Return the form that a message asks for, where it asks for questions or their check."""
    found = _FORM.search(text)
    return found[1] if found else None


def written(persona: Persona, form: Form, text: str, system: str, again: bool, seed: Seed) -> str:
    """The reply: JSON, or now and then something else. `again`: whether we have been reminded, and are more careful."""
    wording = worded(system, _TEXT.sub("", text))
    desk = _Desk(persona, seed, wording, text)
    if desk.slips("no json", (1 - persona.obeys) / 4 / (5 if again else 1)):
        return "Here are some questions that come to mind when I read this; I can put them into a list if you like."
    made = {"turns": desk.turns, "questions": desk.questions, "answers": desk.answers, "checks": desk.checks}[form]()
    return json.dumps({form: made}, ensure_ascii=False, indent=1)


class _Desk:
    """Who writes about what."""

    def __init__(self, persona: Persona, seed: Seed, wording: Wording, text: str) -> None:
        self._persona, self._seed, self._wording, self._text = persona, seed, wording, text
        shown = _TEXT.search(text)
        self._passage = shown[1] if shown else ""
        self._phrases = _phrases_of(self._passage)
        found = _sentences(self._passage)
        self._sentences = [one for one in found if self._is_clear(one)] or found

    def slips(self, purpose: str, chance: float) -> bool:
        return self._wording.chance(self._seed, purpose, self._passage[:200] or self._text[-200:]) < chance

    def _fails(self, purpose: str, worst: float) -> bool:
        return self.slips(purpose, worst * (1 - self._wording.skill(self._persona)))

    def turns(self) -> list[dict[str, Any]]:
        """Sentences that lie evenly over the passage, in their order."""
        wanted = _TURNS.search(self._text)
        n = int(wanted[1]) if wanted else 3
        made: list[dict[str, Any]] = []
        for place, sentence in enumerate(self._spread(n)):
            first = place == 0
            entry = self._entry(sentence, f"turn {place}", self._phrases.first if first else self._phrases.later)
            if place and self._fails(f"twice {place}", _REPEATS):
                entry = {**entry, **{name: made[0][name] for name in ("question", "answer", "quote")}}
            if place == n - 1 and place and self.slips("unanswerable", _UNANSWERABLE):
                question = self._phrases.unknown.format(subject=self._topic(_subject(sentence)))
                entry |= {"question": question, "answer": self._phrases.not_told, "quote": "", "answerable": False}
            sort = "fact" if first else "unanswerable" if not entry["answerable"] else "follow-up"
            made.append({**entry, "type": sort, "depends_on": None if first else 1})
        return made

    def questions(self) -> list[dict[str, Any]]:
        """So many of each category as are wanted; of an image, which is not seen, questions about nothing."""
        found = _CATEGORIES.search(self._text)
        categories: Sequence[Mapping[str, Any]] = json.loads(found[1]) if found else []
        sorts = [str(one.get("name", "")) for one in categories for _ in range(int(one.get("count", 1)))]
        if not self._sentences:
            return [_unseen(sort, n) for n, sort in enumerate(sorts, start=1)]
        made = []
        for n, (sort, sentence) in enumerate(zip(sorts, self._spread(len(sorts)), strict=False)):
            entry = self._entry(sentence, f"question {n}", self._phrases.first)
            entry["reference_answer"] = entry.pop("answer")
            made.append({"category": sort, **entry})
        if _MAY_NOT_ANSWER.search(self._text) and made and self.slips("beyond the text", _BEYOND):
            question = self._seed.choose(_BEYOND_THE_TEXT, "beyond", self._passage[:200])
            made[-1] |= {"question": question, "reference_answer": self._phrases.not_told, "quote": "", "answerable": False}
        return made

    def answers(self) -> list[dict[str, Any]]:
        """From the answer key of the shipped examples, and no document."""
        made = []
        for number, question, _, _ in _LISTED.findall(self._text.partition("QUESTIONS:")[2]):
            matter = knowledge.find(question)
            made.append({"number": int(number), "answer": matter.right_for(()) if matter else "unknown"})
        return made

    def checks(self) -> list[dict[str, Any]]:
        """By the words that the answer shares with the text; whoever has little skill misses what is wrong."""
        context = grounding.read(self._passage)
        made = []
        for number, _, proposed, memory in _LISTED.findall(self._text.rpartition("QUESTIONS:")[2]):
            declined = grounding.declines(proposed) or any(one.not_told == proposed for one in _PHRASES.values())
            borne_out = declined or _is_in(proposed, self._passage) or grounding.support(proposed, context) >= 0.75
            agrees = borne_out or self._fails(f"misses {number}", 0.6)
            known = bool(memory) and grounding.agreement(memory, proposed) >= 0.6
            reason = "" if agrees else "The document says something else."
            made.append({
                "number": int(number), "own_answer": proposed if agrees else "The document says something else.",
                "agrees": agrees, "stands_alone": True, "known_without": known, "reason": reason,
            })  # fmt: skip
        return made

    def _is_clear(self, sentence: str) -> bool:
        """Return whether a sentence is in the passage's language, and says in English at its beginning what it is about."""
        if _phrases_of(sentence) is not self._phrases:
            return False
        words = _subject(sentence).casefold().split()
        vague = words[0] in _VAGUE_FIRST or not _VAGUE_LAST.isdisjoint(words) or len(words) > 7
        return self._phrases is not _ENGLISH or bool(_HEAD.match(sentence) and not vague)

    def _spread(self, n: int) -> list[str]:
        """So many sentences, from all over the passage; fewer where there are not so many."""
        found = self._sentences
        if len(found) <= n:
            return found
        offset = self._seed.chance("begins", self._passage[:200])
        return [found[int((place + offset) * len(found) / n) % len(found)] for place in range(n)]

    def _entry(self, sentence: str, purpose: str, phrase: str) -> dict[str, Any]:
        """A question that a sentence answers; the quote or the answer is wrong now and then."""
        subject = _subject(sentence)
        answer = sentence[len(subject) :].strip(" ,;:、は") if sentence.startswith(subject) else sentence
        quote = sentence
        if self._fails(f"misquotes {purpose}", _MISQUOTES):
            quote = _changed(quote)
        elif self._fails(f"errs {purpose}", _ERRS):
            answer = f"{subject}: {self._seed.choose(_WRONG, purpose, sentence)}"
        if self._phrases is _ENGLISH:
            verb = sentence[len(subject) :].split()[:1]
            phrase = _BY_VERB.get(verb[0] if verb else "", phrase) if phrase == _ENGLISH.first else phrase
            phrase = phrase.replace(" does ", " do ") if verb[:1] and verb[0] in _OF_MANY else phrase
        question, answer = phrase.format(subject=self._topic(subject)), answer.rstrip(" .。") or sentence
        return {"question": question, "answer": answer, "quote": quote, "answerable": True}

    def _topic(self, subject: str) -> str:
        """A subject as it stands within a sentence: in English with a small letter, unless it is a name."""
        return f"{subject[:1].lower()}{subject[1:]}" if self._phrases is _ENGLISH and not self._is_name(subject) else subject

    def _is_name(self, subject: str) -> bool:
        """Return whether a subject begins with a name: a word that has a capital within sentences of the text, never none."""
        word = re.escape(subject.split()[0])
        return (
            not _OPENING.match(subject)
            and not re.search(rf"\b{word.lower()}\b", self._passage)
            and bool(re.search(rf"[a-z,] {word}\b", self._passage))
        )


_MAY_NOT_ANSWER = re.compile(r"one question of all may be one that the (?:text|page) does not answer", re.I)
_BEYOND = 0.3
"""How often one of single questions is about what the text does not say, where the prompt allows it."""
_BEYOND_THE_TEXT = (
    "Which poet spent a winter here?",
    "Who insured the old crane against lightning?",
    "Why did the committee reject a cable railway?",
)
_WRONG = ("it was given up years ago", "nobody may say so", "this holds on leap days only", "the committee decides by lot")


def _unseen(sort: str, n: int) -> dict[str, Any]:
    return {
        "category": sort, "question": f"[simulated] What stands at place {n} of the picture ({sort})?",
        "reference_answer": "[simulated] The simulator cannot see pictures", "answerable": True,
    }  # fmt: skip


def _sentences(text: str) -> list[str]:
    """Those that say enough to ask about, each once."""
    found = (" ".join(piece.split()) for piece in _SENTENCE.split(_HEADING.sub(r"\1\n\n", text)))
    ended = (one for one in found if one.endswith((".", "!", "?", "。", "！", "？")))
    return list(dict.fromkeys(one for one in ended if _width(one) >= _SHORTEST and len(one) <= _LONGEST))


def _width(text: str) -> int:
    """Characters, of which those of scripts without blanks count three."""
    return sum(1 if ord(sign) < 0x2E80 else 3 for sign in text)


def _phrases_of(text: str) -> _Phrases:
    if re.search("[\u3040-\u30ff]", text):
        return _PHRASES["Japanese"]
    if len(re.findall("[А-Яа-яЁё]", text)) > len(text) / 4:
        return _PHRASES["Russian"]
    return _PHRASES["German"] if 30 * len(_GERMAN.findall(text)) > len(text.split()) * 3 else _ENGLISH


def _subject(sentence: str) -> str:
    """Return the subject of a sentence: up to its verb, as far as that can be told, or its first words."""
    if re.search("[\u3040-\u30ff]", sentence):
        head = re.match(r"[^はがを、。]{2,20}", sentence)
        return head[0] if head else sentence[:8]
    head = _HEAD.match(sentence)
    return head[1] if head else " ".join(sentence.split()[:4]).rstrip(",;:.")


def _changed(quote: str) -> str:
    """A quote that the text does not have: another number, or a word of its own in the middle."""
    number = _NUMBER.search(quote)
    if number:
        return f"{quote[: number.start()]}{int(number[0]) + 7}{quote[number.end() :]}"
    words = quote.split()
    middle = len(words) // 2
    return " ".join([*words[:middle], "as everybody knows to this day", *words[middle:]]) if middle else quote[::-1]


def _is_in(answer: str, text: str) -> bool:
    plain = " ".join(text.split()).casefold()
    return " ".join(answer.split()).casefold().rstrip(" .。") in plain
