"""Scorers `bleu` and `chrf`: sacrebleu's values, of one reply and of all; without it, an error that names the extra."""

from __future__ import annotations

import pytest
from scorer_cases import failed, reply_of, scored

from tui_eval.core.errors import ConfigError
from tui_eval.core.units import Unit
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.scoring.corpus_metrics import BleuRow, ChrfRow, Counts, corpus_score, segment_counts, signature
from tui_eval.evaluation.scoring.corpus_scores import CorpusScores
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.scorer_table import row_of
from tui_eval.evaluation.targets import TargetedAnswer

TEXTS = ["The ferry came late on Monday.", "The bell weighs 310 kilograms.", "Oda keeps the log"]
TARGETS = [
    ["The ferry was late on Monday.", "On Monday the ferry came late."],
    ["The bell weighs 310 kg."],
    ["Oda Finch keeps the log."],
]


def counts_of(row: BleuRow | ChrfRow) -> list[Counts]:
    """What each text adds to the corpus."""
    return [segment_counts(row, text, targets) for text, targets in zip(TEXTS, TARGETS, strict=True)]


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_where_the_extra_is_missing_it_is_named(name: str) -> None:
    """In the config, before anything is sent, and in the corpus functions."""
    try:
        import sacrebleu
    except ImportError:
        with pytest.raises(ValueError, match=r"tui-eval\[metrics\]"):
            row_of(name)
        with pytest.raises(ConfigError, match=r"tui-eval\[metrics\]"):
            counts_of(BleuRow(use="bleu"))
    else:
        assert sacrebleu.__version__ and row_of(name).use == name


def test_values_are_sacrebleus(fence: Fence) -> None:
    """Sentence BLEU with effective order, chrF, and both over the corpus, of several targets for some texts."""
    sacrebleu = pytest.importorskip("sacrebleu", reason="the extra metrics is not installed")
    bleu, chrf = BleuRow(use="bleu"), ChrfRow(use="chrf")
    streams = [[each[0] for each in TARGETS], [each[1] if len(each) > 1 else None for each in TARGETS]]

    for text, targets in zip(TEXTS, TARGETS, strict=True):
        assert scored("bleu", text, targets[0], fence).value == pytest.approx(
            sacrebleu.sentence_bleu(text, [targets[0]], use_effective_order=True).score
        )
        assert scored("chrf", text, targets[0], fence).value == pytest.approx(sacrebleu.sentence_chrf(text, [targets[0]]).score)
    assert corpus_score(bleu, counts_of(bleu)) == pytest.approx(sacrebleu.corpus_bleu(TEXTS, streams).score)
    assert corpus_score(chrf, counts_of(chrf)) == pytest.approx(sacrebleu.corpus_chrf(TEXTS, streams).score)
    assert "eff:yes" in signature(bleu, sentence=True) and "eff:no" in signature(bleu) and "version:" in signature(chrf)
    assert "nrefs:var" in signature(bleu, {1, 2}) and "nrefs:2" in signature(chrf, {2})
    with pytest.raises(ValueError, match="needs a reply"):
        corpus_score(bleu, [])


def held(texts: list[str], targets: list[list[str]], groups: list[str], fence: Fence) -> CorpusScores:
    """Replies of one side, each of a group."""
    found = CorpusScores.of([row_of("bleu"), row_of("chrf"), row_of("exact")])
    for n, (text, each, group) in enumerate(zip(texts, targets, groups, strict=True)):
        unit = Unit(f"i{n}", (group, f"i{n}"))
        found.add(TargetedAnswer(reply_of(text), Expected(tuple(each))), unit, fence)
    return found


def test_a_corpus_is_drawn_by_its_clusters(fence: Fence) -> None:
    """The value is sacrebleu's own over all texts, whatever their order; an interval is there from 20 clusters on, holds the
    value, and is as wide as that of the clusters where each says the same several times."""
    sacrebleu = pytest.importorskip("sacrebleu", reason="the extra metrics is not installed")
    line = "the old ferry crosses a wide river every morning and carries apples to the market"
    words = line.split()
    texts = [" ".join(words[n % 7 : n % 7 + 3 + n % 5]) for n in range(60)]
    targets = [[" ".join(words[n % 3 : n % 3 + 8])] for n in range(60)]
    alone = held(texts, targets, [f"g{n}" for n in range(60)], fence).tables(("stage", "model"))["corpus"]
    turned = held(texts[::-1], targets[::-1], [f"g{n}" for n in range(60)], fence).tables(("stage", "model"))["corpus"]
    threefold = held(texts * 3, targets * 3, [f"g{n}" for n in range(60)] * 3, fence).tables(("stage", "model"))["corpus"]
    few = held(texts, targets, [f"g{n % 19}" for n in range(60)], fence).tables(("stage", "model"))["corpus"]
    own = {
        "bleu": sacrebleu.corpus_bleu(texts, [[each[0] for each in targets]]).score,
        "chrf": sacrebleu.corpus_chrf(texts, [[each[0] for each in targets]]).score,
    }

    for n, name in enumerate(own):
        stage, model, metric, value, low, high, replies, left_out, clusters, _ = (cell.value for cell in alone.rows[n])
        assert (stage, model, metric, replies, left_out, clusters) == ("answer", "one", name, 60, 0, 60)
        assert value == pytest.approx(own[name]) == turned.rows[n][3].value
        assert isinstance(low, float) and isinstance(high, float) and low < own[name] < high
        assert [cell.value for cell in threefold.rows[n][3:6]] == pytest.approx([value, low, high], rel=1e-4)
        assert threefold.rows[n][8].value == 60
        assert [cell.value for cell in few.rows[n][4:6]] == [None, None] and few.rows[n][8].value == 19
    assert len(alone.rows) == 2


def test_a_corpus_holds_what_has_a_single_score(fence: Fence) -> None:
    """A refusal and a reply that ends within its thinking are empty texts; no reply and no target are none."""
    pytest.importorskip("sacrebleu", reason="the extra metrics is not installed")
    found = CorpusScores.of([row_of("chrf")])
    for n, (reply, targets) in enumerate(
        [
            (reply_of("the ferry"), ("the ferry",)),
            (failed("refused"), ("the bell",)),
            (reply_of("<think>the bell"), ("the bell",)),
            (failed("timeout"), ("the log",)),
            (reply_of("x" * 100_001), ("the sea",)),
            (reply_of("x"), None),
            (reply_of("x"), ()),
        ]
    ):
        found.add(TargetedAnswer(reply, Expected(targets)), Unit(f"i{n}", (f"i{n}",)), fence)

    (row,) = found.tables(("stage",))["corpus"].rows
    assert row[5].value == 3 and row[6].value == 1 and isinstance(row[2].value, float) and 0 < row[2].value < 100
    (short,) = found.short(("stage",))
    assert [cell.value for cell in short.rows[0]] == ["answer", "chrf", f"{row[2].value:.2f}", "-", "3"]
