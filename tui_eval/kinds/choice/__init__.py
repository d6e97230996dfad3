"""Multiple choice: each model picks a letter for each question; what it meant is read from its text, then compared."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PrivateAttr

from tui_eval.benchmarks import ChoiceBenchmark, ChoiceQuestion, ImportedAnswer, read_answers, read_benchmark
from tui_eval.config import RunSettings, Strict, nearest
from tui_eval.errors import ConfigError
from tui_eval.kinds.choice.figures import groups_of
from tui_eval.kinds.choice.report import ChoiceReport
from tui_eval.kinds.choice.sheet import LETTERS, Asked
from tui_eval.letters import PATTERNS
from tui_eval.letters.own import MOST_PATTERNS, problem_of, version_of
from tui_eval.prompts import fill
from tui_eval.reading import Reading, read_letter
from tui_eval.stats import shuffled
from tui_eval.types import (
    Call,
    Flow,
    InputFile,
    Item,
    Json,
    Kind,
    Message,
    ModelSpec,
    Reply,
    Reporter,
    Row,
    RunDefaults,
    Score,
    Shown,
    Source,
    StageCount,
)

# ---------------------------------------------------------------------------------------------------- config


class Filter(Strict):
    """Which questions are asked; empty = all. What is given must hold together."""

    difficulty: list[str] = []
    """Difficulties that are asked, one a line, such as easy; empty = all."""
    domain: list[str] = []
    """Domains that are asked, one a line; empty = all."""
    ids: list[str] = []
    """Ids of the questions that are asked, one a line; empty = all."""
    first: Annotated[int, Field(ge=1)] | None = None
    """How many of the questions that are left are asked: the first N. Empty = all."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a settled config rests on besides its own table."""

    benchmark: ChoiceBenchmark
    questions: tuple[ChoiceQuestion, ...]
    """Those that the filter leaves."""
    imported: Mapping[tuple[str, str], ImportedAnswer]
    """By question and model."""
    specs: Mapping[str, ModelSpec]
    run: RunSettings


def _pattern(text: str) -> str:
    """A pattern by which a letter can be read; ValueError says what is wrong with any other."""
    problem = problem_of(text)
    if problem:
        raise ValueError(problem)
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]


class Config(Strict):
    """The `[choice]` table."""

    benchmark: Annotated[str, Field(json_schema_extra={"names": "file"})]
    """The file with the questions, their options and the right ones: JSON, JSONL or CSV."""
    models: Annotated[list[str], Field(min_length=1, json_schema_extra={"names": "model"})]
    """The models that are asked, one a line, by the names they have in this config or on file."""
    filter: Filter = Filter()
    """Which of the questions are asked. Empty = all."""
    shuffle: bool = False
    """Show the options of each question in an order of its own, made from the run's seed."""
    permutations: Annotated[int, Field(ge=1, le=100)] = 1
    """Ask each question in this many orders of its options."""
    extraction: Literal["robust", "formationeval-v0.1", "patterns"] = "robust"
    """How the letter is read out of a reply: `robust` as a careful reader would, and none where in doubt;
    `formationeval-v0.1` as that benchmark's own code does, misreadings included; `patterns` by the expressions below."""
    patterns: Annotated[list[Pattern], Field(max_length=MOST_PATTERNS)] = []
    """Regular expressions of your own, tried in this order; each has one group, around the letter, as in
    'answer is ([A-Z])'. The first that finds a letter decides, and of its places the last. For extraction = "patterns"."""
    patterns_fallback: Literal["none", "robust", "formationeval-v0.1"] = "none"
    """What reads a reply in which none of the patterns finds a letter; `none`: it stays unread, and counts as wrong."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    """How freely models choose their words, sent to every model that has no temperature of its own: 0 is the steadiest."""
    use_temperature: bool = True
    """Whether a temperature is sent at all; switch it off where models take none."""
    answers: Annotated[str | None, Field(json_schema_extra={"names": "file"})] = None
    """A table of answers made elsewhere, in a run folder made by --import-answers. Empty = the models are asked."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""
    _read: Read | None = PrivateAttr(None)

    @property
    def read(self) -> Read:
        """What settling found in the files and in the rest of the config."""
        # Asked for several times a call: pydantic's own way to a private attribute takes ten times as long.
        found: Read = (self.__pydantic_private__ or {})["_read"]
        return found


PROMPTS: Mapping[str, tuple[str, ...]] = {"system": (), "user": ("question", "options")}
MAX_BENCHMARK_BYTES = 256 * 1024 * 1024


def sources(config: Config) -> list[Source]:
    """The benchmark, and the table of imported answers where there is one."""
    found = [Source("benchmark", config.benchmark, "choice.benchmark", MAX_BENCHMARK_BYTES)]
    if config.answers:
        found.append(Source("answers", config.answers, "choice.answers", MAX_BENCHMARK_BYTES))
    return found


def settle(config: Config, files: Sequence[InputFile], models: Mapping[str, ModelSpec], run: RunSettings) -> Config:
    """The benchmark read and filtered, the imported answers read."""
    file = _file(files, "benchmark", "choice.benchmark")
    benchmark = _benchmark(_text(file, "choice.benchmark"), file.name)
    answers = _file(files, "answers", "choice.answers") if config.answers else None
    if config.extraction == PATTERNS and not config.patterns:
        raise ConfigError(
            "choice.patterns: extraction = \"patterns\" needs at least one, such as patterns = ['(?i)answer is ([A-Z])']"
        )
    if len(set(config.models)) < len(config.models):
        raise ConfigError("choice.models: a model is named twice; repeat = N asks everything N times")
    settled = config.model_copy(
        update={"benchmark": file.path, **({} if answers is None else {"answers": answers.path})},
    )
    imported: dict[tuple[str, str], ImportedAnswer] = {}
    if answers is not None:
        table = read_answers(_text(answers, "choice.answers"), answers.name)
        imported = _checked(table, benchmark, config.models, answers.name)
        _check_as_answered(config, run)
    settled._read = Read(benchmark, _filtered(config.filter, benchmark), imported, models, run)
    return settled


@lru_cache(maxsize=2)
def _benchmark(text: str, name: str) -> ChoiceBenchmark:
    """The questions in a text; a config that is being put together settles the same text again at every change."""
    return read_benchmark(text, name)


def _file(files: Sequence[InputFile], role: str, key: str) -> InputFile:
    found = [file for file in files if file.role == role]
    if len(found) != 1:
        raise ConfigError(f"{key}: must name one file; it matches {len(found)}")
    return found[0]


def _text(file: InputFile, key: str) -> str:
    if file.encoding != "utf-8":
        raise ConfigError(f"{key}: {file.name} is not UTF-8; save it as UTF-8")
    return file.content


def _filtered(wanted: Filter, benchmark: ChoiceBenchmark) -> tuple[ChoiceQuestion, ...]:
    questions = benchmark.questions
    if wanted == Filter(first=wanted.first):
        return questions[: wanted.first]
    known = {
        "difficulty": {q.difficulty for q in questions},
        "domain": {domain for q in questions for domain in q.domains},
        "ids": {q.id for q in questions},
    }
    for name, values in known.items():
        if getattr(wanted, name) and values <= {""}:
            raise ConfigError(f"choice.filter.{name}: this benchmark names none; leave the filter out")
        for value in getattr(wanted, name):
            if value not in values:
                raise ConfigError(f"choice.filter.{name}: no question has {value!r}{nearest(value, sorted(values)[:1000])}")
    found = [
        q
        for q in questions
        if (not wanted.difficulty or q.difficulty in wanted.difficulty)
        and (not wanted.domain or set(q.domains) & set(wanted.domain))
        and (not wanted.ids or q.id in wanted.ids)
    ]
    if not found:
        raise ConfigError(f"choice.filter: none of the {len(questions)} questions is left")
    return tuple(found[: wanted.first])


def _checked(
    imported: Sequence[ImportedAnswer], benchmark: ChoiceBenchmark, models: Sequence[str], name: str
) -> dict[tuple[str, str], ImportedAnswer]:
    """Imported answers by question and model. ConfigError for a question or a letter that the benchmark does not have."""
    questions = {q.id: q for q in benchmark.questions}
    problems = []
    for answer in imported:
        question = questions.get(answer.question_id)
        if question is None:
            problems.append(f"{name}:{answer.row}: question_id: the benchmark has no question {answer.question_id!r}")
        elif answer.letter and answer.letter not in LETTERS[: len(question.choices)]:
            problems.append(f"{name}:{answer.row}: letter: {answer.letter!r} is no option of {answer.question_id!r}")
    if problems:
        more = [f"and {len(problems) - 5} more"] if len(problems) > 5 else []
        raise ConfigError("\n".join(problems[:5] + more))
    wanted = set(models)
    return {(answer.question_id, answer.model): answer for answer in imported if answer.model in wanted}


def _check_as_answered(config: Config, run: RunSettings) -> None:
    """ConfigError for settings under which the answers of a table would be misread, or count several times."""
    given = {"choice.shuffle": config.shuffle, "choice.permutations": config.permutations > 1, "run.repeat": run.repeat > 1}
    for key, meant in given.items():
        if meant:
            raise ConfigError(
                f"{key}: imported answers were given once, to the options in the benchmark's own order; leave it out"
            )


def models(config: Config) -> list[str]:
    """Every model once, in order."""
    return list(dict.fromkeys(config.models))


def only_models(config: Config, names: Sequence[str]) -> Config:
    """These models only. ConfigError for a name that the config does not use."""
    for name in names:
        if name not in config.models:
            raise ConfigError(f"--models {name}: not in choice.models{nearest(name, config.models)}")
    return config.model_copy(update={"models": [name for name in config.models if name in names]})


# ---------------------------------------------------------------------------------------------------- items


def items(config: Config, files: Sequence[InputFile], lane: str | None = None, step: int = 1) -> Iterator[Item]:
    """Question x model; a model's items are a lane of their own, so that no model waits for another."""
    wanted = config.models if lane is None else [model for model in config.models if model == lane]
    questions = config.read.questions
    for index in range(0, len(questions), step):
        question = questions[index]
        for model in wanted:
            yield Item(_item_id(model, question), lane=model, doc_id=question.id, q_index=index, payload=question)


def _item_id(model: str, question: ChoiceQuestion) -> str:
    """model/question; a slash in the model's name is encoded, so that no two pairs have one id."""
    return f"{model.replace('%', '%25').replace('/', '%2F')}/{question.id}"


def sizes(config: Config, files: Sequence[InputFile]) -> Mapping[str, int]:
    """How many items each lane has: every model is asked every question."""
    return {model: len(config.read.questions) for model in config.models}


def count(config: Config, n_items: Mapping[str, int]) -> list[StageCount]:
    """Planned calls by model: its questions x permutations."""
    return [StageCount("answer", model, n_items[model] * config.permutations) for model in config.models if model in n_items]


def labels(config: Config) -> Mapping[str, Json]:
    """What the number of calls is made of."""
    n, whole = len(config.read.questions), len(config.read.benchmark.questions)
    shown: Json = n if n == whole else f"{n} of {whole}"
    keys = Counter(map(attrgetter("answer"), config.read.questions))
    key = " ".join(f"{LETTERS[answer]} {n}" for answer, n in sorted(keys.items()))
    return {"questions": shown, "models": len(config.models), "permutations": config.permutations, "key": key}


# ---------------------------------------------------------------------------------------------------- flow


def flow(config: Config, item: Item) -> Flow:
    """One question to one model, in as many orders of its options as are wanted; then each reply is read and compared."""
    orders = [order(config, item, n) for n in range(config.permutations)]
    replies = yield [_call(config, item, n, shown) for n, shown in enumerate(orders)]
    return [_score(config, item, reply, shown) for reply, shown in zip(replies, orders, strict=True)]


# ---------------------------------------------------------------------------------------------------- calls

_GENERAL = re.compile(
    r"^\W*(?:all|none|both|neither|any|either|some|each)\W+(?:of\W+)?(?:the\W+)?"
    r"(?:above|these|those|following|preceding|previous|listed|(?:other\W+)?(?:options|choices|answers)|(?<=of the )others?)"
    r"(?:\W+(?:options|choices|answers|statements))?(?:\s+(?:is|are|apply|applies|hold|holds)\b.*)?\W*$",
    re.IGNORECASE,
)
"""Options that speak of all the others."""
_LETTERS = re.compile(
    r"^\W*(?:(?i:only|both|either|neither|all of|options?|choices?|answers?)\W+)*\(?[A-Z]\)?"
    r"(?:\s*(?:,|&|(?i:and|or|nor))+\s*\(?[A-Z]\)?)+(?:\s+(?i:only|above|are (?:both )?(?:correct|true)))?\W*$"
)
_ONE_LETTER = re.compile(r"^\W*(?:(?i:only|options?|choices?|answers?)\W+\(?[A-Z]\)?|\(?[A-Z]\)?\s+(?i:only|above))\W*$")
"""Options that speak of others by their letters: "A and C", "Both B and D", "A only"."""


def order(config: Config, item: Item, n: int) -> tuple[int, ...]:
    """Which option stands at each place of the n-th prompt: indexes into the question's own options.

    Without `shuffle` the first order is the benchmark's own. Further orders turn the options round by one place each,
    so that over as many orders as there are options each stands everywhere once; then they are mixed anew. Options such
    as "all of the above" stay last; where an option names letters ("A and C"), the whole question keeps its order.
    """
    question: ChoiceQuestion = item.payload
    size = len(question.choices)
    if (n == 0 and not config.shuffle) or names_letters(question):
        return tuple(range(size))
    pinned = [i for i, text in enumerate(question.choices) if _GENERAL.match(text)]
    free = [i for i in range(size) if i not in pinned]
    if not free:
        return tuple(range(size))
    block, turn = divmod(n, len(free))
    if block or config.shuffle:
        free = [free[i] for i in shuffled(len(free), config.read.run.seed, question.id, item.repeat, block)]
    return (*free[turn:], *free[:turn], *pinned)


@lru_cache(maxsize=256)
def names_letters(question: ChoiceQuestion) -> bool:
    """Whether an option speaks of others by their letters, so that it means nothing in another order."""
    known = LETTERS[: len(question.choices)]
    naming = [text for text in question.choices if _LETTERS.match(text) or _ONE_LETTER.match(text)]
    return any(set(re.findall(r"\b[A-Z]\b", text)) <= set(known) for text in naming)


def _call(config: Config, item: Item, n: int, shown: Sequence[int]) -> Call:
    question: ChoiceQuestion = item.payload
    read = config.read
    spec, run = read.specs[item.lane], read.run
    temperature = spec.temperature if spec.temperature is not None else config.temperature
    return Call(
        "answer",
        item.id,
        item.lane,
        _messages(config.prompts["system"], config.prompts["user"], question, tuple(shown)),
        call_index=n,
        temperature=temperature if config.use_temperature else None,
        max_output_tokens=spec.max_output_tokens or run.max_output_tokens or None,
        timeout_s=spec.timeout_s or run.timeout_s,
        example=LETTERS[list(shown).index(question.answer)],
    )


@lru_cache(maxsize=256)
def _messages(system: str, user: str, question: ChoiceQuestion, shown: tuple[int, ...]) -> tuple[Message, ...]:
    """The prompt: the same for every model that is asked this question in this order."""
    slots = {
        "question": question.question,
        "options": "\n".join(_options(question, shown)),
        "letters": _enumerated(LETTERS[: len(shown)]),
    }
    return Message("system", fill(system, slots)), Message("user", fill(user, slots))


def _options(question: ChoiceQuestion, shown: Sequence[int]) -> list[str]:
    """The options in this order, each behind its letter."""
    return [f"{LETTERS[place]}) {question.choices[i]}" for place, i in enumerate(shown)]


def _enumerated(letters: Sequence[str]) -> str:
    """A, B, C or D."""
    return f"{', '.join(letters[:-1])} or {letters[-1]}"


# ---------------------------------------------------------------------------------------------------- scores

MODEL_FAILED = {"refused": "refusal", "truncated": "truncated", "empty": "empty"}
"""Ends of a call that are the model's own: a reply was received, and it is wrong. All others are missing."""
VERSION = "1"


def rule_of(config: Config) -> str:
    """The rule that reads letters, with its version; two lists of patterns are two rules."""
    own = f"-{version_of(config.patterns, config.patterns_fallback)}" if config.extraction == PATTERNS else ""
    return f"{config.extraction}{own}/{VERSION}"


def _score(config: Config, item: Item, reply: Reply, shown: Sequence[int]) -> Score:
    """1 or 0 for a reply, 0 with the reason where no letter can be read from it, None where there is no reply."""
    question: ChoiceQuestion = item.payload
    rule = rule_of(config)
    call = reply.call
    if not reply.ok and reply.why not in MODEL_FAILED:
        return Score(call.stage, call.model, call.call_index, "correct", None, f"no reply: {reply.why}", rule)
    reading = _read(config, item, reply, shown)
    if reading.letter is None:
        return Score(call.stage, call.model, call.call_index, "correct", 0, reading.reason, rule, None, reading.pattern)
    chosen = shown[LETTERS.index(reading.letter)]
    return Score(
        call.stage, call.model, call.call_index, "correct", int(chosen == question.answer), "", rule, LETTERS[chosen],
        reading.pattern,
    )  # fmt: skip


def _read(config: Config, item: Item, reply: Reply, shown: Sequence[int]) -> Reading:
    """The letter as it was shown. Of an imported answer that was cut, the letter that the import names."""
    question: ChoiceQuestion = item.payload
    if not reply.ok:
        return Reading(None, "failed", MODEL_FAILED[reply.why])
    imported = config.read.imported.get((question.id, item.lane))
    if imported is not None and imported.stands_as_named:
        return Reading(imported.letter, imported.pattern or "imported", "" if imported.letter else "no_letter")
    own = (tuple(config.patterns), config.patterns_fallback) if config.extraction == PATTERNS else ((), "none")
    reading = _letter(reply.text, tuple(question.choices[i] for i in shown), config.extraction, *own)
    literal = "formationeval-v0.1" in (config.extraction, own[1])
    return reading if literal or reply.finish_reason != "length" else _of_cut_reply(reading)


UNFINISHED = frozenset({"option", "option_text", "standalone", "end_of_string"})
"""Patterns that say nothing where the text breaks off: the sentence may have gone on otherwise."""


def _of_cut_reply(reading: Reading) -> Reading:
    """What was read from a reply that the token limit cut: a letter only where it was declared."""
    if reading.letter is not None and reading.pattern not in UNFINISHED:
        return reading
    return reading if reading.reason in ("refusal", "truncated_reasoning") else Reading(None, "failed", "truncated")


@lru_cache(maxsize=256)
def _letter(text: str | None, options: tuple[str, ...], rule: str, patterns: tuple[str, ...], fallback: str) -> Reading:
    """What is read; models often reply to a question in the very same words."""
    return read_letter(text, len(options), options, rule, patterns, fallback)


# ---------------------------------------------------------------------------------------------------- report


def result(config: Config, row: Row) -> Json:
    """An item of results.json: what one model answered to one question."""
    question: ChoiceQuestion = row.item.payload
    scores = {score.call_index: score for score in row.scores}
    return {
        "item_id": row.item.id,
        "question_id": question.id,
        "model": row.item.lane,
        "repeat": row.item.repeat,
        "key": LETTERS[question.answer],
        "finished": row.finished,
        "answers": [
            {
                "call_index": reply.call.call_index,
                "order": "".join(LETTERS[i] for i in order(config, row.item, reply.call.call_index)),
                "text": reply.text,
                "status": reply.status,
                "why": reply.why,
                "finish_reason": reply.finish_reason,
                "predicted": score.read if score else None,
                "pattern": score.pattern if score else "",
                "correct": score.value if score else None,
                "correct_why": score.why if score else "",
            }
            for reply in row.replies
            for score in [scores.get(reply.call.call_index)]
        ],
    }


def shown(config: Config, row: Row) -> Shown:
    """The question with its options as the first prompt had them, and the right one of these; every reply is an answer."""
    question: ChoiceQuestion = row.item.payload
    first = order(config, row.item, 0)
    options = _options(question, first)
    place = first.index(question.answer)
    other = "" if place == question.answer else f" ({LETTERS[question.answer]} in the benchmark's own order)"
    return Shown(
        question="\n".join([question.question, *options]),
        truth=options[place] + other,
        primary=tuple(range(len(row.replies))),
        groups=groups_of(question),
    )


def report(config: Config) -> Reporter:
    """What adds up rows to the leaderboard, the analysis and the tables behind them."""
    read = config.read
    asked = Asked(
        benchmark=read.benchmark.name,
        benchmark_size=len(read.benchmark.questions),
        questions=read.questions,
        models=tuple(config.models),
        extraction=rule_of(config),
        permutations=config.permutations,
        shuffle=config.shuffle,
        prompt=_digest(config.prompts["system"], config.prompts["user"]),
        unmoved=sum(map(names_letters, read.questions)),
        order=lambda item, n: order(config, item, n),
        imported=read.imported,
    )
    return ChoiceReport(asked)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8")).hexdigest()[:12]


CHOICE = Kind(
    name="choice",
    Config=Config,
    defaults=RunDefaults(timeout_s=30.0, max_output_tokens=None, cache=True),
    stages=("answer",),
    prompts=PROMPTS,
    sources=sources,
    settle=settle,
    items=items,
    sizes=sizes,
    flow=flow,
    models=models,
    only_models=only_models,
    labels=labels,
    count=count,
    result=result,
    shown=shown,
    report=report,
)
