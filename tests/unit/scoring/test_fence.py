"""The fenced child: jobs that would take for ever, or all memory, end within their limit, and the next job is done as ever."""

from __future__ import annotations

import json
import os
import resource
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from scorer_cases import scored
from soaking import quick_first

from tui_eval.evaluation.scoring.fence.fenced_child import Fence, FenceLimits
from tui_eval.evaluation.scoring.registry import RULES

LIMIT = 0.5
MANY_A = "a" * 60 + "!"


@pytest.fixture(scope="module")
def tight() -> Iterator[Fence]:
    """A fence with half a second for each job."""
    with Fence(FenceLimits(seconds=LIMIT)) as one:
        scored("regex", "a" * 3_000, None, one, pattern="(a|b)+c")  # so that its start is in nobody's time
        yield one


@pytest.mark.parametrize(
    "pattern", quick_first(["(a+)+$", "(a|aa)+$", r"(\w*)*b\1", "(?:a?){60}a{60}$", "^(([a-z])+.)+[A-Z]([a-z])+$"])
)
def test_a_catastrophic_pattern_ends_at_its_limit(pattern: str, tight: Fence) -> None:
    """As a scorer, as what extracts, as a sample's target, and in a schema: missing, with the limit in the reason."""
    schema = {"type": "array", "items": {"type": "string", "pattern": pattern}}
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("regex", {"pattern": pattern}, MANY_A),
        ("exact", {"extract": {"regex": pattern}}, MANY_A),
        ("json", {"schema": schema}, json.dumps([MANY_A])),
    ]
    for use, keys, text in cases:
        began = time.monotonic()
        score = scored(use, text, "a", tight, **keys)

        assert score.value in (None, 0.0) and time.monotonic() - began < 30
        assert score.value is not None or f"took longer than {LIMIT:g} s" in score.why
    assert scored("regex", "abc", None, tight, pattern="b").value == 1


def test_a_limit_costs_its_sample_alone(tight: Fence) -> None:
    """The process is ended and another one started; the jobs before and after have their results."""
    starts = tight.starts
    values = [scored("regex", text, "(a+)+$", tight).value for text in ("aaa", MANY_A, "aaa", "bbb")]

    assert values == [1, None, 1, 0] and tight.starts <= starts + 2


def test_a_job_that_hit_its_limit_is_not_tried_again(tight: Fence) -> None:
    """Reports score what the run has scored: the same reason, without another wait."""
    first = scored("regex", MANY_A, None, tight, pattern="(a+)+[$]")
    starts = tight.starts

    assert scored("regex", MANY_A, None, tight, pattern="(a+)+[$]") == first and first.value is None
    assert tight.starts == starts
    assert scored("regex", "aaa$", None, tight, pattern="(a+)+[$]").value == 1


def test_a_pattern_that_hits_its_limit_again_and_again_is_given_up() -> None:
    """From five samples on its others are missing at once, also where threads ask; what it found before stays, and so does
    every other pattern."""
    pattern = "(a+)+[$]"
    with Fence(FenceLimits(seconds=0.05)) as hasty:

        def fault(n: int) -> str:
            return hasty.run("regex", pattern=pattern, text=f"{'a' * 60}{n}", whole=False).fault

        before = hasty.run("regex", pattern=pattern, text="aaa$", whole=False)
        with ThreadPoolExecutor(4) as threads:
            told = Counter(threads.map(fault, range(40)))
        starts = hasty.starts

        limit = "took longer than 0.05 s"
        assert before.value == [0, 3]
        assert told == {limit: 5, f"{limit}; given up after 5 samples": 35} and starts <= 6
        assert fault(41).endswith("given up after 5 samples") and hasty.starts == starts
        assert hasty.run("regex", pattern=pattern, text="aaa$", whole=False) == before
        assert hasty.run("regex", pattern="(b+)+[$]", text="b$", whole=False).value == [0, 1]


def test_a_process_with_many_open_files_has_its_fence() -> None:
    """Also where its pipes are numbered above 1,023."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2_000:
        pytest.skip("this machine allows no process so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2_000), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_100)]
    try:
        with Fence() as one:
            assert one.run("regex", pattern="b", text="abc" + "x" * 1_000_000, whole=False).value == [1, 2]
    finally:
        for each in held:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(?i)(?:iq|\u0131q)*b", "iq" * 40),
        ("(?i)(?:\u0130q|iq)*b", "iq" * 40),
        ("(?i)(?:sq|\u017fq)*b", "sq" * 40),
        ("(?i)(?:\u00b5q|\u03bcq)*b", "\u03bcq" * 40),
        (r"(?P<x>a*)(?P=x)", "aaaa"),
        (r"(a)(b)?\2?", "ab"),
        (r"(?P<x>a)?(?(x)b|c)", "ab"),
    ],
)
def test_what_no_reading_of_a_pattern_bounds_is_fenced(pattern: str, text: str) -> None:
    """Letters that are one where case counts for nothing, and whatever goes by what another group found."""
    with Fence(FenceLimits(seconds=LIMIT)) as one:
        scored("regex", text, None, one, pattern=pattern)
        assert one.starts >= 1


@pytest.mark.parametrize("whole", [False, True])
def test_the_child_and_this_process_find_the_same(whole: bool, tight: Fence) -> None:
    """A pattern whose work is bounded runs here, any other there; a pattern made unbounded by nothing gives the same."""
    for text in ("ab 12 cd 345", "", "12", "x\n7"):
        for pattern in (r"(\d+)", r"[a-z]", r"^\d*$"):
            here = scored("regex", text, None, tight, pattern=pattern, whole=whole)
            there = scored("regex", text, None, tight, pattern=f"(?:(?:z*)*)*{pattern}", whole=whole)

            assert (here.value, here.read) == (there.value, there.read)


def test_the_last_match_counts_and_group_one_of_it(tight: Fence) -> None:
    """Models correct themselves forward."""
    text = "Answer: Paris. No: Answer: Rome."

    assert scored("exact", text, "Rome", tight, extract={"regex": r"Answer: (\w+)"}).value == 1
    assert scored("exact", text, "Answer: Rome", tight, extract={"regex": r"Answer: \w+"}).value == 1
    assert scored("exact", "nothing", "Rome", tight, extract={"regex": r"Answer: (\w+)"}).why == "the pattern matches nothing"


def test_hostile_json_and_schemas_end(tight: Fence) -> None:
    """Deep nesting, a schema that refers to itself without end, many equal entries, numbers without end."""
    deep = "[" * 50_000 + "]" * 50_000
    assert scored("json", deep, None, tight).value == 0
    assert scored("json", '{"a": 1e999999}', None, tight).value == 0
    assert scored("json", '{"a": ' + "9" * 10_000 + "}", None, tight).value == 0
    assert "nested too deeply" in scored("json", "{}", None, tight, schema={"$ref": "#"}).why
    unique = scored("json", json.dumps([[n] for n in range(20_000)]), None, tight, schema={"uniqueItems": True})
    assert unique.value == 1 or "took longer" in unique.why
    assert scored("json", "{}", None, tight, schema={"type": "object"}).value == 1


def test_a_job_that_takes_all_memory_ends(tight: Fence) -> None:
    """At its limit of memory, not at the machine's."""
    with Fence(FenceLimits(seconds=20.0, memory=200 * 1024**2)) as small:
        result = small.run("regex", pattern="(?:(x)|y)*z", text="x" * 30_000_000, whole=False)

        assert result.fault
        assert small.run("regex", pattern="b", text="abc", whole=False).value == [1, 2]


@pytest.mark.parametrize(
    "name",
    quick_first(["number", "json", *sorted(RULES.keys() - {"number", "json", "bleu", "chrf", "math", "llm", "python"})], 2),
)
def test_a_megabyte_ends(name: str, tight: Fence) -> None:
    """Replies of a million characters of several sorts, against a short target: seconds at the most, here and in the child."""
    target = {"json": "[1]", "choice": "A", "regex": "cat"}.get(name, "7")
    keys: dict[str, Any] = {"json": {"equal": True}, "choice": {"n_options": 4}}.get(name, {})
    for text in ("word 7. " * 125_000, "7" * 1_000_000, "[" * 1_000_000, "<think>" * 140_000, "北" * 1_000_000):
        began = time.process_time()
        score = scored(name, text, target, tight, **keys)

        assert time.process_time() - began < 20 and (score.value is not None or score.why)


def test_the_child_does_its_three_jobs_and_nothing_else(tight: Fence) -> None:
    """Another one is a fault, and the process goes on."""
    assert tight.run("shell", text="id").fault == "'shell'"
    assert tight.run("regex", pattern="b", text="abc", whole=False).value == [1, 2]


def test_a_fence_that_is_never_used_starts_nothing() -> None:
    """The process is started by the first job that needs it."""
    with Fence() as idle:
        assert scored("number", "7", "7", idle).value == 1 and idle.starts == 0


@pytest.mark.parametrize(
    ("text", "target", "value"),
    [("so $x^2 + 2x + 1$", "(x+1)^2", 1), ("\\boxed{\\frac{1}{2}}", "0.5", 1), ("$7$", "8", 0), ("no formula", "8", 0)],
)
def test_formulas_are_compared_where_the_extra_is_there(text: str, target: str, value: float) -> None:
    """By math-verify, in the child."""
    pytest.importorskip("math_verify", reason="the extra math is not installed")
    with Fence() as roomy:
        assert scored("math", text, target, roomy).value == value


def test_hostile_formulas_end() -> None:
    """Towers of powers, factorials, brackets without end: missing at the limit, or no formula."""
    pytest.importorskip("math_verify", reason="the extra math is not installed")
    with Fence() as roomy:
        for hostile in ("$9^{9^{9^9}}$", "9^9^9^9", "$1000000!$", "$" + "(" * 5_000 + "$"):
            score = scored("math", hostile, "5", roomy)
            assert score.value in (None, 0) and score.why
