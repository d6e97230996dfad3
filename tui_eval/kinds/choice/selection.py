"""From the `[choice]` table to what is asked: the benchmark read and filtered, imported answers checked against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tui_eval.core.calls import ModelSpec
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile, Source
from tui_eval.datasets.lettered.imported_answers import ImportedAnswer, read_answers
from tui_eval.datasets.lettered.lettered_questions import ChoiceBenchmark, ChoiceQuestion, read_benchmark
from tui_eval.kinds.choice.choice_table import Config, Filter, Read
from tui_eval.kinds.choice.sheet import LETTERS
from tui_eval.reading.letters import PATTERNS
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.validation import nearest

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
    settled.rest_on(Read(benchmark, _filtered(config.filter, benchmark), imported, models, run))
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
