"""Makes the vectors of the scorers that follow another tool, from that tool itself, at a named version.

usage, with an environment V of its own:
    V/bin/pip install rouge-score==0.1.2 transformers==4.57.6; V/bin/pip install --no-deps lm_eval==0.4.13
    V/bin/python scripts/scorer_vectors.py

Nothing of these tools is a dependency of ours: they run in an environment of their own. The texts are written here, none is
copied from a set. A file in tests/unit/scoring/vectors/ names the tool, its version, and for each case the reply, the targets
and the tool's value.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

OUT = Path(__file__).resolve().parent.parent / "tests" / "unit" / "scoring" / "vectors"
Case = tuple[str, list[str]]

NUMBER_REPLIES = [
    "3 + 4 = 7\n#### 7",
    "#### 7.",
    "#### $7",
    "#### -7",
    "#### 1,688",
    "The total is 1,688.",
    "The total is $1,688.00",
    "#### 1,688.00",
    "#### 1688",
    "So 7",
    "So 7.",
    "7..",
    "It costs $7.",
    "It costs $7.50.",
    "...",
    "$",
    "No number.",
    "",
    "#### ",
    "####7",
    "### 7",
    "#### seven",
    "#### 7 apples",
    "#### 7\n#### 8",
    "First 8, then 7",
    "-7",
    "x=-7",
    "5-7",
    "7%",
    "1/7",
    "about 7 or 8",
    "7, 8 and 9",
    "#### 7,",
    "#### .7",
    "The answer is **7**.",
    "\\boxed{7}",
    "7 km",
    "answer: 7 \n\n",
    "#### 7!",
    "The year 2024. #### 7",
    "#### 07",
    "#### 7.0",
    "Total: 1 688",
    "Total: 1.688",
    "10-",
    "1e3",
    "７",
    "٧",
    "$$7",
    "7$",
    "Step 1. Add 3. Step 2: 7.\n",
    "#### 12,345,678",
    "#### -1,688",
    "- 7",
    "–7",
    "7 .",
    "7 ,",
    "costs 7,-",
    "#### 7 (exactly)",
]
NUMBER_TARGETS = [
    "7",
    "1688",
    "1,688",
    "3 + 4 = <<3+4=7>>7\n#### 7",
    "Work.\n#### 1,688",
    "-7",
    "7.0",
    "$7",
    "7.5",
    "12345678",
    "8",
]
WORD_REPLIES = [
    "The cat sat on the mat.",
    "cat",
    "A cat!",
    "the",
    "",
    " ",
    "...",
    "Cats",
    "the cat's mat",
    "a well-known cat",
    "mat the on sat cat",
    "An apple a day",
    "Zürich",
    "zurich",
    "Müller & Söhne",
    "3.5",
    "35",
    "$3.50",
    "the the the",
    "“cat”",
    "cat…",
    "the 'cat'",
    "CAT MAT",
    "Straße",
    "STRASSE",
    "他去了北京。",
    "北京",
    "Москва",
    "москва",
    "unanswerable",
    "No answer",
    "cat cat cat",
    "theatre",
    "another",
    "cat\nmat",
    "cat\tmat",
    "U.S.A.",
    "USA",
    "-5",
    "5",
    "e-mail",
    "email",
    "İstanbul",
    "naïve",
    "ﬁne",
    "x_y",
    "xy",
    "a an the",
]
WORD_TARGETS: list[list[str]] = [
    ["cat"],
    ["the cat sat on the mat"],
    ["The", "cat"],
    ["the"],
    [],
    ["mat", "cat"],
    ["Zürich"],
    ["3.5"],
    ["北京"],
    ["Москва"],
    ["U.S.A."],
    ["5"],
    ["well known cat"],
    ["cat cat"],
    ["Straße"],
    ["cat's"],
    ["email"],
    ["a", "the"],
    ["xy"],
    ["İstanbul"],
]


def gsm8k(kind: str) -> Callable[[str, Sequence[str]], float]:
    """Value of a reply by a filter of the task gsm8k (version 3.0), as its YAML sets filter and metric."""
    from lm_eval.api.metrics import exact_match_hf_evaluate
    from lm_eval.filters.extraction import RegexFilter

    strict = RegexFilter(regex_pattern=r"#### (\-?[0-9\.\,]+)")
    flexible = RegexFilter(regex_pattern=r"(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select=-1)
    chosen = strict if kind == "strict" else flexible

    def value(reply: str, targets: Sequence[str]) -> float:
        parsed = next(iter(chosen.apply([[reply]], [{}])))[0]
        ignored = [",", "\\$", "(?s).*#### ", "\\.$"]
        result = exact_match_hf_evaluate([parsed], [targets[0]], regexes_to_ignore=ignored, ignore_case=True)
        return float(result["exact_match"])

    return value


def squad(which: int) -> Callable[[str, Sequence[str]], float]:
    """Value of a reply by SQuAD 2.0's script, as transformers carries it; 0 = exact match, 1 = F1."""
    from transformers.data.metrics.squad_metrics import get_raw_scores

    def value(reply: str, targets: Sequence[str]) -> float:
        example = SimpleNamespace(qas_id="q", answers=[{"text": target} for target in targets])
        return float(get_raw_scores([example], {"q": reply})[which]["q"])

    return value


def rouge() -> Callable[[str, Sequence[str]], float]:
    """RougeL F measure of rouge-score, without its stemmer; the best of the targets."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    return lambda reply, targets: float(scorer.score_multi(targets, reply)["rougeL"].fmeasure)


def number_cases() -> list[Case]:
    """Every reply with every target."""
    return [(reply, [target]) for reply, target in itertools.product(NUMBER_REPLIES, NUMBER_TARGETS)]


def word_cases(empty: bool) -> list[Case]:
    """Every reply with every list of targets; `empty`: an empty one, too."""
    return [(reply, targets) for reply, targets in itertools.product(WORD_REPLIES, WORD_TARGETS) if targets or empty]


def main() -> int:
    """Write a file for each tool that is installed here."""
    lm_eval, transformers, rouge_score = "lm_eval", "transformers", "rouge_score"
    plans: list[tuple[str, str, Callable[[], Callable[[str, Sequence[str]], float]], list[Case]]] = [
        ("lmeval_gsm8k_strict", lm_eval, lambda: gsm8k("strict"), number_cases()),
        ("lmeval_gsm8k_flexible", lm_eval, lambda: gsm8k("flexible"), number_cases()),
        ("squad_em", transformers, lambda: squad(0), word_cases(empty=True)),
        ("squad_f1", transformers, lambda: squad(1), word_cases(empty=True)),
        ("rouge_l_en", rouge_score, rouge, word_cases(empty=False)),
    ]
    for name, tool, made, cases in plans:
        value = made()
        rows: list[list[Any]] = [[reply, targets, value(reply, targets)] for reply, targets in cases]
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        head = json.dumps({"scorer": name, "tool": tool, "version": version(tool)})[:-1]
        (OUT / f"{name}.json").write_text(f'{head}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")
        print(f"{name}: {len(rows)} cases by {tool} {version(tool)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
