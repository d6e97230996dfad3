"""From the `[choice]` table to what is asked: the benchmark read and filtered, imported answers checked against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN, difficulty_of
from tui_eval.datasets.lettered.imported_answers import ImportedAnswer, empty_cells, read_answers
from tui_eval.datasets.lettered.lettered_by_place import benchmark_by_place
from tui_eval.datasets.lettered.lettered_questions import ChoiceBenchmark, read_benchmark
from tui_eval.datasets.lettered.right_first import one_letter
from tui_eval.evaluation.config_references import RECORDED
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.lru_cache import Remembered
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.choice.choice_table import ChoiceConfig, Filter
from tui_eval.kinds.choice.sheets import LETTERS
from tui_eval.reading.letters import PATTERNS
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.validation import nearest

_BENCHMARKS: Remembered[ChoiceBenchmark] = Remembered(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceTask(Task):
    """The questions of a benchmark that are asked, and how their letters are read."""

    config: ChoiceConfig
    benchmark: str
    """What the benchmark calls itself."""
    benchmark_size: int
    questions: Sequence[Sample]
    """Those that the filter leaves."""
    imported: Mapping[tuple[str, str], ImportedAnswer]
    """Answers that were made elsewhere, by question and model."""
    seed: int
    models: Mapping[str, AskedModel]
    """By their names."""


def resolve(config: ChoiceConfig, inputs: Inputs) -> ChoiceTask:
    """The benchmark read and filtered, the imported answers read."""
    file = inputs.one("benchmark")
    benchmark = _BENCHMARKS((file.sha256, file.name, file.origin), lambda: _read(inputs, file))
    if config.extraction == PATTERNS and not config.patterns:
        raise ConfigError(
            "choice.patterns: extraction = \"patterns\" needs at least one, such as patterns = ['(?i)answer is ([A-Z])']"
        )
    questions = _filtered(config.filter, benchmark)
    imported = _imported(config, inputs, benchmark) if config.answers else {}
    models = {model.name: _with_temperature(model, config) for model in inputs.asked["answer"]}
    return ChoiceTask(
        config=config,
        asked={"answer": tuple(models.values())},
        benchmark=benchmark.name,
        benchmark_size=len(benchmark.questions),
        questions=questions,
        imported=imported,
        seed=inputs.run.seed,
        models=models,
        warnings=_notes(benchmark, questions, imported, inputs),
    )


def _read(inputs: Inputs, file: InputFile) -> ChoiceBenchmark:
    return benchmark_by_place(file) or read_benchmark(inputs.text("benchmark"), file.name)


def _notes(
    benchmark: ChoiceBenchmark,
    questions: Sequence[Sample],
    imported: Mapping[tuple[str, str], ImportedAnswer],
    inputs: Inputs,
) -> tuple[str, ...]:
    """Return the notes for a person on the questions that are asked, and on answers that were made elsewhere."""
    cells = empty_cells(imported.values(), questions, inputs.of(RECORDED)[0].name) if imported else ()
    return (*filter(None, [benchmark.mixing.words, one_letter(questions)]), *cells)


def _with_temperature(model: AskedModel, config: ChoiceConfig) -> AskedModel:
    """The temperature of the table goes to every model that has none of its own, where one is sent at all."""
    own = config.temperature if model.temperature is None else model.temperature
    return replace(model, temperature=own if config.use_temperature else None)


def _imported(config: ChoiceConfig, inputs: Inputs, benchmark: ChoiceBenchmark) -> Mapping[tuple[str, str], ImportedAnswer]:
    name = inputs.of(RECORDED)[0].name
    _check_as_answered(config, inputs.run)
    return _checked(read_answers(inputs.text(RECORDED), name), benchmark, config.models, name)


def _filtered(criteria: Filter, benchmark: ChoiceBenchmark) -> Sequence[Sample]:
    questions = benchmark.questions
    if criteria == Filter(first=criteria.first):
        return questions if criteria.first is None else questions[: criteria.first]
    available = {
        "difficulty": {difficulty_of(q) for q in questions},
        "domain": {domain for q in questions for domain in q.group(DOMAIN)},
        "ids": {q.id for q in questions},
    }
    for name, values in available.items():
        if getattr(criteria, name) and values <= {""}:
            raise ConfigError(f"choice.filter.{name}: this benchmark names none; leave the filter out")
        for value in getattr(criteria, name):
            if value not in values:
                raise ConfigError(f"choice.filter.{name}: no question has {value!r}{nearest(value, sorted(values)[:1000])}")
    matches = [
        q
        for q in questions
        if (not criteria.difficulty or difficulty_of(q) in criteria.difficulty)
        and (not criteria.domain or set(q.group(DOMAIN)) & set(criteria.domain))
        and (not criteria.ids or q.id in criteria.ids)
    ]
    if not matches:
        raise ConfigError(f"choice.filter: none of the {len(questions)} questions is left")
    return tuple(matches[: criteria.first])


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
        elif answer.letter and answer.letter not in LETTERS[: len(question.options)]:
            problems.append(f"{name}:{answer.row}: letter: {answer.letter!r} is not an option of {answer.question_id!r}")
    if problems:
        more = [f"and {len(problems) - 5} more"] if len(problems) > 5 else []
        raise ConfigError("\n".join(problems[:5] + more))
    model_names = set(models)
    return {(answer.question_id, answer.model): answer for answer in imported if answer.model in model_names}


def _check_as_answered(config: ChoiceConfig, run: RunSettings) -> None:
    """ConfigError for settings under which the answers of a table would be misread, or count several times."""
    settings = {"choice.shuffle": config.shuffle, "choice.permutations": config.permutations > 1, "run.repeat": run.repeat > 1}
    for key, is_set in settings.items():
        if is_set:
            raise ConfigError(
                f"{key}: imported answers were given once, to the options in the benchmark's own order; leave it out"
            )
