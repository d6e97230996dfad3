"""Scorers `bleu` and `chrf` of sacrebleu: of one reply, and of all replies of a model together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow
from tui_eval.statistics.estimates import resamples

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

LONGEST = 100_000
"""Characters of a text of which n-grams are counted: a second's work at the most."""
RESAMPLES = 1_000
Counts = list[int | float]
"""Numbers of n-grams and lengths, in sacrebleu's order."""
_MISSING = "scorer {!r} needs sacrebleu, which is not installed: pip install 'tui-eval[metrics]'"


class BleuRow(ScorerRow):
    """Options of `bleu`."""

    tokenize: Literal["13a", "intl", "char", "none"] = "13a"
    """How sacrebleu parts words."""
    lowercase: bool = False
    """Whether case makes no difference."""


class ChrfRow(ScorerRow):
    """Options of `chrf`."""

    word_order: Annotated[int, Field(ge=0, le=4)] = 0
    """N-grams of words that count besides: 2 is chrF++."""
    lowercase: bool = False
    """Whether case makes no difference."""


def _metric(row: ScorerRow, sentence: bool) -> Metric:
    """The metric of sacrebleu that a row asks for; ConfigError that names the extra where it is not installed."""
    try:
        from sacrebleu.metrics import BLEU, CHRF  # only here: an extra, and 0.2 s to load
    except ImportError:
        raise ConfigError(_MISSING.format(row.use)) from None
    if isinstance(row, ChrfRow):
        return CHRF(word_order=row.word_order, lowercase=row.lowercase)
    assert isinstance(row, BleuRow)
    return BLEU(tokenize=row.tokenize, lowercase=row.lowercase, effective_order=sentence)


def check_installed(row: ScorerRow) -> None:
    """Raise ValueError, with the extra's name, where sacrebleu is not installed."""
    try:
        _metric(row, sentence=True)
    except ConfigError as error:
        raise ValueError(str(error)) from None


def _sentence(row: ScorerRow, case: Case) -> Outcome:
    """The score of one reply, 0..100. Of BLEU with effective order: n-grams longer than the reply do not count."""
    if not case.target.strip():
        return Outcome(None, "nothing is left of the target")
    if max(len(case.text), len(case.target)) > LONGEST:
        return Outcome(None, f"too long: more than {LONGEST:,} characters", is_fault=True)
    value: float = _metric(row, sentence=True).sentence_score(case.text, [case.target]).score
    return Outcome(min(max(value, 0.0), 100.0))


def segment_counts(row: BleuRow | ChrfRow, text: str, targets: Sequence[str]) -> Counts:
    """Return one reply's part in the score of its corpus: numbers of n-grams and lengths, which add up. At least one target."""
    counts: list[Counts] = _metric(row, sentence=False)._extract_corpus_statistics([text], [[each] for each in targets])
    return counts[0]


def corpus_score(row: BleuRow | ChrfRow, counts: Sequence[Counts]) -> float:
    """The score of all replies of a model together, 0..100, by what each adds to it (`segment_counts`).

    Another number than the mean of the single ones: n-grams are added up over the corpus. ValueError without replies.
    """
    if not counts:
        raise ValueError("a corpus needs a reply")
    value: float = _metric(row, sentence=False)._aggregate_and_compute([*counts]).score
    return value


def bootstrap(row: BleuRow | ChrfRow, counts: Sequence[Counts]) -> tuple[float, float]:
    """The 95 % interval of a corpus score: percentiles of 1,000 resamples (Koehn 2004), the same each time.

    `counts`: of what is drawn, such as clusters of replies.
    """
    metric, columns = _metric(row, sentence=False), [*zip(*counts, strict=True)]
    values = []
    for places in resamples(len(counts), RESAMPLES, "corpus"):
        sums = [sum(map(column.__getitem__, places)) for column in columns]
        values.append(float(metric._compute_score_from_stats(sums).score))
    values.sort()
    return values[int(0.025 * RESAMPLES)], values[int(0.975 * RESAMPLES) - 1]


def signature(row: BleuRow | ChrfRow, targets: Collection[int] = (1,), sentence: bool = False) -> str:
    """Return sacrebleu's signature of a score, its version included: nrefs:1|case:mixed|eff:no|tok:13a|...

    `targets`: how many there are of a sample, each number that occurs.
    """
    metric, most = _metric(row, sentence), max(targets)
    streams: Any = [["a", "a" if n < min(targets) else None] for n in range(most)]
    metric.corpus_score(["a", "a"], streams)  # it counts the references at its first use
    return str(metric.get_signature())


def sentence_signature(row: BleuRow | ChrfRow) -> str:
    """The same of the score of one reply, which is held against one target at a time."""
    return signature(row, sentence=True)


BLEU = Rule(
    "bleu", 1, "sentence BLEU with effective order (sacrebleu), 0 to 100", BleuRow, _sentence,
    is_rate=False, scale=(0.0, 100.0), is_cheap=False, check=check_installed, signature=sentence_signature,
)  # fmt: skip
CHRF = Rule(
    "chrf", 1, "chrF of one reply (sacrebleu), 0 to 100", ChrfRow, _sentence,
    is_rate=False, scale=(0.0, 100.0), is_cheap=False, check=check_installed, signature=sentence_signature,
)  # fmt: skip
