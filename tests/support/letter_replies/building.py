"""Families of generated replies: each function builds the reply of one index, the same each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from random import Random

from letter_replies.model import (
    AMBIGUOUS,
    DECLARES,
    LAST,
    LIST,
    MIDDLE,
    OPEN,
    RETRACTION,
    STRONG,
    TEXT_ONLY,
    Ending,
    Half,
    OptionSet,
    Phrase,
    Reply,
    compiled,
)

_NO_SPACE = {"zh", "ja"}
_STOPS = ".!?。！？؟।:："


class Draft:
    """A reply that is being put together: its half, question, language, and what chance decides."""

    def __init__(self, half: Half, family: str, index: int) -> None:
        self.half, self.family, self.index = half, family, index
        self.seed = f"{half.name}/{family}/{index}"
        self.chance = Random(self.seed)
        self.ending = half.endings[index % len(half.endings)]
        sets = [options for options in half.option_sets if self.ending.suits(options)]
        self.options = sets[(index // len(half.endings) + index) % len(sets)]
        self.places = self._places()

    def _places(self) -> dict[str, int]:
        n = len(self.options.texts)
        chosen = self.chance.randrange(n)
        others = [at for at in range(n) if at != chosen]
        self.chance.shuffle(others)
        return {"L": chosen, **dict(zip("XYZ", others * 3, strict=False))}

    @property
    def letter(self) -> str:
        """The label of the declared option."""
        return self.options.labels[self.places["L"]]

    @property
    def language(self) -> str:
        """The language of the declaration, and so of all sentences."""
        return self.ending.language

    def take(self, options: OptionSet, language: str) -> None:
        """Ask another question, in another language."""
        self.options, self.places = options, {}
        self.places = self._places()
        self.ending = replace(self.ending, language=language)

    def declaration(self, ending: Ending | None = None) -> str:
        """The ending with its slots filled."""
        return compiled((ending or self.ending).phrase, self.places)

    def remark(self, others: Mapping[str, int] | None = None, place: str = "") -> tuple[str, str]:
        """A sentence that declares nothing, and its kind; its place is `last` before the declaration, `after` it, or any."""
        places = dict(others or self.places)
        return sentence(self.half, self.options, self.language, places, self.chance, place)

    def opener(self) -> str:
        """A sentence that names no option."""
        return self.chance.choice([phrase.phrase for phrase in self.half.openers if phrase.language == self.language])

    def join(self, *sentences: str) -> str:
        """Sentences on one line, each with its full stop."""
        space = "" if self.language in _NO_SPACE else " "
        stop = "。" if self.language in _NO_SPACE else "."
        whole = [text if text.rstrip("*_`$)]}> ").endswith(tuple(_STOPS)) else text + stop for text in sentences[:-1]]
        return space.join([*whole, sentences[-1]])

    def reply(self, before: str, after: str = "", ending: Ending | None = None, *flags: str) -> Reply:
        """The reply that declares between these two; they bring their own spaces."""
        ending = ending or self.ending
        declaration = self.declaration(ending)
        marks = {DECLARES, *flags}
        if "strong" in ending.traits:
            marks.add(STRONG)
        if not after:
            marks.add(LAST)
        return Reply(
            before + declaration + after,
            self.options,
            self.letter,
            self.family,
            ending.name,
            self.language,
            frozenset(marks),
            len(before),
            len(before) + len(declaration),
            self.seed,
            "fixed" not in ending.traits,
        )

    def whole(self, phrase: Phrase, reading: str | None, *flags: str) -> Reply:
        """The reply that is this phrase."""
        parts = compiled(phrase.phrase, self.places)
        name = f"{phrase.language}: {phrase.phrase[:40]}"
        begin = 0 if RETRACTION not in flags else max(parts.rfind(chr(0xE000 + self.places["L"])), 0)
        return Reply(
            parts, self.options, reading, self.family, name, phrase.language, frozenset(flags), begin, len(parts), self.seed
        )


@cache
def _cached_remarks(half_name: str, options: OptionSet, language: str) -> list[Phrase]:
    half = _HALVES[half_name]
    remarks = [remark for remark in half.remarks if remark.suits(options, language)]
    if options.language == language or (options.language == "any" and language == "en"):
        for kind, table in (("fact", options.facts), ("denial", options.objections)):
            remarks += [Phrase(language, text, f"about:{at}:{kind}") for at, texts in enumerate(table) for text in texts]
    return remarks or [Phrase(language, opener.phrase, "opener") for opener in half.openers if opener.language == language]


_HALVES: dict[str, Half] = {}


def _remarks(half: Half, options: OptionSet, language: str) -> list[Phrase]:
    """All sentences that declare nothing in a reply to this question."""
    _HALVES.setdefault(half.name, half)
    return _cached_remarks(half.name, options, language)


_BARRED = {"last": {"first"}, "after": {"first", "question", "before"}, "": set()}
"""Kinds of sentences that no speaker would put there."""


def sentence(
    half: Half, options: OptionSet, language: str, places: Mapping[str, int], chance: Random, place: str
) -> tuple[str, str]:
    """A sentence that declares nothing, about options other than L, and its kind."""
    pool = [
        remark
        for remark in _remarks(half, options, language)
        if remark.kind not in _BARRED[place] and not remark.kind.startswith(f"about:{places['L']}:")
    ]
    remark = chance.choice(pool)
    if remark.kind.startswith("about:"):
        _, about, kind = remark.kind.split(":")
        return compiled(remark.phrase, {**places, "X": int(about)}), kind
    return compiled(remark.phrase, places), remark.kind


def _inline(ending: Ending) -> bool:
    return "line" not in ending.traits


def _break(draft: Draft, kinds: list[str]) -> tuple[str, set[str]]:
    """What stands between the last sentence and the declaration, and what the reply is flagged as."""
    if not _inline(draft.ending) or draft.chance.random() < 0.3:
        return draft.chance.choice(["\n", "\n\n"]), set()
    space = "" if draft.language in _NO_SPACE else " "
    unclear = kinds[-1] == "fact" and draft.ending.name in {"parens", "brackets"}
    return space, {OPEN} if unclear else set()


def bare(draft: Draft) -> Reply:
    """The declaration alone."""
    return draft.reply("")


def before(draft: Draft) -> Reply:
    """One to three sentences about other options, then the declaration, mostly on the same line."""
    remarks = [draft.remark() for _ in range(draft.chance.choice([0, 0, 0, 1, 2]))] + [draft.remark(place="last")]
    between, flags = _break(draft, [kind for _, kind in remarks])
    return draft.reply(draft.join(*[text for text, _ in remarks]) + between, "", None, *flags)


def neutral(draft: Draft) -> Reply:
    """A sentence that names no option, then the declaration."""
    between, flags = _break(draft, ["opener"])
    return draft.reply(draft.opener() + between, "", None, *flags)


def after(draft: Draft) -> Reply:
    """The declaration, then one or two sentences about other options."""
    text = draft.join(*[draft.remark(place="after")[0] for _ in range(draft.chance.choice([1, 1, 2]))])
    declaration = draft.ending.phrase
    own_line = not _inline(draft.ending) or "whole" in draft.ending.traits or draft.chance.random() < 0.5
    if own_line:
        return draft.reply("", draft.chance.choice(["\n", "\n\n"]) + text)
    stop = "" if declaration.endswith(tuple(_STOPS)) else ("。" if draft.language in _NO_SPACE else ".")
    space = "" if draft.language in _NO_SPACE else " "
    weak = {OPEN} if "strong" not in draft.ending.traits else set()
    return draft.reply("", stop + space + text, None, *weak)


def around(draft: Draft) -> Reply:
    """Sentences on both sides, the declaration on a line of its own or between them."""
    first, last = draft.remark(place="last"), draft.remark(place="after")
    between, flags = _break(draft, [first[1]])
    if "\n" in between or "strong" not in draft.ending.traits:
        return draft.reply(first[0] + "\n", "\n" + last[0], None, *flags)
    stop = "" if draft.ending.phrase.endswith(tuple(_STOPS)) else ("。" if draft.language in _NO_SPACE else ".")
    if "whole" in draft.ending.traits:
        return draft.reply(first[0] + between, "\n" + last[0], None, *flags)
    return draft.reply(first[0] + between, stop + ("" if draft.language in _NO_SPACE else " ") + last[0], None, *flags)


def chain(draft: Draft) -> Reply:
    """A chain of thought of 5 to 40 sentences through the options, then the declaration."""
    sentences = [draft.opener()]
    kinds = ["opener"]
    others = [at for at in range(len(draft.options.texts)) if at != draft.places["L"]]
    while len(sentences) < draft.chance.randint(4, 39):
        draft.chance.shuffle(others)
        text, kind = draft.remark({**draft.places, **dict(zip("XYZ", others * 3, strict=False))})
        if text not in sentences[-3:]:
            sentences.append(text)
            kinds.append(kind)
        elif draft.chance.random() < 0.3:
            sentences.append(draft.opener())
            kinds.append("opener")
    text, kind = draft.remark(place="last")
    sentences.append(text)
    kinds.append(kind)
    cuts = sorted(draft.chance.sample(range(1, len(sentences)), min(len(sentences) - 1, draft.chance.randint(0, 4))))
    paragraphs = [sentences[a:b] for a, b in zip([0, *cuts], [*cuts, len(sentences)], strict=True)]
    between, flags = _break(draft, kinds)
    return draft.reply("\n\n".join(draft.join(*paragraph) for paragraph in paragraphs) + between, "", None, *flags)


_FORMS = ("‹X›) ‹XT›", "‹X›. ‹XT›", "(‹X›) ‹XT›", "- **‹X›**: ‹XT›", "‹X›: ‹XT›")


def _each(draft: Draft) -> Iterator[dict[str, int]]:
    for at in range(len(draft.options.texts)):
        yield {**draft.places, "X": at}


def echo(draft: Draft) -> Reply:
    """The list of options once more, then the declaration on a line of its own."""
    form = draft.chance.choice(_FORMS)
    lines = "\n".join(compiled(form, places) for places in _each(draft))
    return draft.reply(lines + "\n\n", "", None, LIST)


def walk(draft: Draft) -> Reply:
    """Each wrong option with a verdict, then the declaration on a line of its own."""
    verdicts = [row for row in draft.half.verdicts if row[0] == draft.language]
    if not verdicts or "verbal" in draft.options.traits:
        return echo(draft)
    _, form, wrong, _ = draft.chance.choice(verdicts)
    lines = [compiled(form + wrong, places) for places in _each(draft) if places["X"] != draft.places["L"]]
    return draft.reply("\n".join(lines) + "\n\n", "", None, LIST)


def verdict(draft: Draft) -> Reply:
    """Every option with its verdict; one is right, and nothing else says so."""
    _, form, wrong, right = row = draft.half.verdicts[draft.index % len(draft.half.verdicts)]
    sets = [options for options in draft.half.option_sets if not options.traits & {"letters", "above", "verbal"}]
    draft.take(sets[draft.index % len(sets)], row[0])
    lines, at = [], 0
    for places in _each(draft):
        chosen = places["X"] == draft.places["L"]
        lines.append(compiled(form + (right if chosen else wrong), places))
        if chosen:
            at = len("\n".join(lines))
    parts = "\n".join(lines)
    begin = at - len(lines[draft.places["L"]])
    flags = frozenset({DECLARES, LIST, OPEN})
    return Reply(
        parts, draft.options, draft.letter, "verdict", f"{row[0]}: {form}{right}", row[0], flags, begin, at, draft.seed
    )


def _pick(draft: Draft, phrases: tuple[Phrase, ...], without: frozenset[str] = frozenset(), n_left: int = 1) -> Phrase:
    """The phrase of this index, with a question that suits it and has so many options that it does not name."""
    phrase = phrases[draft.index % len(phrases)]
    language = phrase.language
    sets = [one for one in draft.half.option_sets if not one.traits & without and phrase.suits(one, language)]
    sets = [one for one in sets if len(one.texts) - phrase.n_slots >= n_left]
    if phrase.has_text:
        own = [one for one in sets if one.language in (language, "any")]
        sets = own or sets
    draft.take(sets[(draft.index // len(phrases)) % len(sets)], language)
    return phrase


def retraction(draft: Draft) -> Reply:
    """A reply that takes a letter back and gives another."""
    phrase = _pick(draft, draft.half.retractions)
    reply = draft.whole(phrase, draft.letter, RETRACTION, DECLARES)
    if draft.chance.random() < 0.7:
        return replace(reply, flags=reply.flags | {LAST})
    return replace(reply, parts=reply.parts + "\n" + draft.remark(place="after")[0])


def successive(draft: Draft) -> Reply:
    """Two declarations, each with its cue; the last counts."""
    strong = [one for one in draft.half.endings if "strong" in one.traits and one.suits(draft.options)]
    last = strong[draft.index % len(strong)]
    draft.ending = last
    turns = [turn for turn in draft.half.turns if turn.language == draft.language]
    if not turns or "line" in last.traits:
        return retraction(draft)
    others = [one for one in strong if one.language == draft.language]
    earlier = draft.chance.choice(others)
    first = compiled(earlier.phrase, {**draft.places, "L": draft.places["X"], "X": draft.places["L"]})
    turn = draft.chance.choice(turns).phrase
    space = draft.chance.choice(["\n", "\n\n"] if earlier.traits & {"line", "whole"} else [" ", "\n", "\n\n"])
    stop = "" if first.endswith(tuple(_STOPS)) or "\n" in space else "."
    return draft.reply(first + stop + space + turn + draft.chance.choice([" ", "\n"]), "", None, RETRACTION)


def joined(draft: Draft) -> Reply:
    """Several labels in one breath."""
    phrase = _pick(draft, draft.half.joins, frozenset({"above", "letters"}))
    return draft.whole(phrase, AMBIGUOUS)


def text_only(draft: Draft) -> Reply:
    """An option's text without any label."""
    phrase = _pick(draft, draft.half.text_answers, frozenset({"letters", "above"}))
    return draft.whole(phrase, draft.letter, TEXT_ONLY)


def silence(draft: Draft) -> Reply:
    """A reply that picks nothing."""
    phrase = _pick(draft, draft.half.silences, frozenset({"above"}), 2)
    return draft.whole(phrase, None)


def objections(draft: Draft) -> Reply:
    """A reply that only rules out one option."""
    sets = [one for one in draft.half.option_sets if one.objections]
    options = sets[draft.index % len(sets)]
    draft.take(options, "en" if options.language == "any" else options.language)
    about = draft.chance.choice([at for at, sentences in enumerate(options.objections) if sentences])
    draft.places["X"] = about
    phrase = Phrase(draft.language, draft.chance.choice(options.objections[about]))
    return replace(draft.whole(phrase, None), ending=f"{options.name}: objection")


def middle(draft: Draft) -> Reply:
    """A reply that stops in the middle and has only mentioned options."""
    return draft.whole(_pick(draft, draft.half.middles, frozenset({"above"}), 2), None, MIDDLE)


FAMILIES: dict[str, Callable[[Draft], Reply]] = {
    family.__name__: family
    for family in (
        bare, before, neutral, after, around, chain, echo, walk, verdict, retraction, successive, joined, text_only, silence,
        objections, middle,
    )
}  # fmt: skip
"""Every family by its name."""
DECLARING = ("bare", "before", "neutral", "after", "around", "chain", "echo", "walk")
"""Families that go through all endings."""


def generate(half: Half, family: str, index: int) -> Reply:
    """The reply of a family at an index; the same each time."""
    return FAMILIES[family](Draft(half, family, index))


def replies(half: Half, family: str, count: int, start: int = 0) -> Iterator[Reply]:
    """The first so many replies of a family."""
    return (generate(half, family, index) for index in range(start, start + count))
