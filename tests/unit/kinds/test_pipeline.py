"""The kind pipeline: what is asked of whom, answers by their ids, marks that are missing, files under spec 000's names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from makers import few
from pipelines import NAMES, NOTE, QUESTIONS, SCHEMA, STARTED, driven, files_of, loaded, say

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Paid, Price, Reply, Usage
from tui_eval.core.errors import ConfigError
from tui_eval.core.output_names import read_name
from tui_eval.core.results import About, SampleResult, Table
from tui_eval.kinds.pipeline.text_fidelity import survived
from tui_eval.results.usage_files import folder_costs
from tui_eval.workspace.places import Workspace

NOTES = {"mill.md": NOTE}
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8


def marks(rows: list[SampleResult], stage: str = "answers") -> list[Any]:
    return [(score.value, score.why) for row in rows for score in row.scores if score.name == "mark" and score.stage == stage]


def named(found: dict[str, str], begins: str) -> Any:
    """The one JSON file whose path begins so."""
    (path,) = [name for name in found if name.startswith(begins)]
    return json.loads(found[path])


# ----------------------------------------------------------------------------------------------------------- what is asked


def test_each_processed_text_is_asked_all_questions_in_one_call(tmp_path: Path) -> None:
    """Files x models x runs texts; one call for questions a file; one for the answers from a text; a mark for each."""
    (row,) = driven(loaded(tmp_path, NOTES, inputs=["mill.md"]))

    assert Counter(reply.call.stage for reply in row.replies) == {"process": 4, "questions": 1, "answers": 4, "judge": 12}
    assert marks([row]) == marks([row], "process") == [(5, "")] * 12


def test_a_stage_without_its_table_is_left_out(tmp_path: Path) -> None:
    """Whatever stages remain ask as they do in the whole."""
    wanted = {"judge": None, "answers": {"models": ["reader"]}}
    cases: list[tuple[dict[str, Any], set[str]]] = [
        (wanted, {"process", "questions", "answers"}),
        ({**wanted, "answers": None}, {"process", "questions"}),
        ({**wanted, "answers": None, "questions": None}, {"process"}),
        ({**wanted, "answers": None, "process": None}, {"questions"}),
    ]

    for table, stages in cases:
        (row,) = driven(loaded(tmp_path, NOTES, inputs=["mill.md"], **table))
        assert {reply.call.stage for reply in row.replies} == stages


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ({"process": None}, "need the tables process and questions"),
        ({"answers": None}, "judge needs the table answers"),
        ({"process": {"models": []}}, "give models or from"),
        ({"process": {"models": ["maker"], "from": ["mill.md"]}}, "give models or from"),
        ({"process": None, "questions": None, "answers": None, "judge": None}, "asks nothing"),
        ({"judge": {"models": ["judge"], "method": "openai-eval"}}, "no new work since 31 October 2026"),
        ({"inputs": ["mill.docx"]}, "suffix"),
        ({"inputs": ["page.png"]}, "named like an image, but is text"),
        ({"inputs": []}, "names no file"),
        ({"costs": {"pricing_file": "euro.json"}}, "currency 'EUR'"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_sent(table: dict[str, Any], key: str, tmp_path: Path) -> None:
    """With the key that is to be mended."""
    prices = {"pricing": {"openai": {"gpt": {"input_per_1m": 1.0, "output_per_1m": 1.0, "currency": "EUR"}}}}
    files = {**NOTES, "mill.docx": "x", "page.png": "no picture", "euro.json": json.dumps(prices)}
    with pytest.raises(ConfigError, match=key):
        loaded(tmp_path, files, **{"inputs": ["mill.md"], **table})


def test_the_first_bytes_say_which_picture_is_sent(tmp_path: Path) -> None:
    """A PNG that is called .jpg goes as a PNG, and a line says so."""
    run = loaded(tmp_path, {"page.jpg": PNG}, inputs=["page.jpg"])
    (row,) = driven(run)

    shown = [a.mime for reply in row.replies for message in reply.call.messages for a in message.attachments]
    assert shown == ["image/png"] * 5
    assert any("page.jpg: named like image/jpeg, but is image/png" in warning for warning in run.warnings)


def test_a_link_within_the_configs_folder_is_followed_and_a_folder_is_no_file(tmp_path: Path) -> None:
    """The table of what leaves names the file that is read; and it is said how the files in a folder are named."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "kept.txt").write_text(NOTE)
    (tmp_path / "pages" / "own.md").write_text(NOTE)
    (tmp_path / "pages" / "near.md").symlink_to(tmp_path / "pages" / "own.md")
    (tmp_path / "pages" / "far.md").symlink_to(tmp_path / "kept.txt")

    run = loaded(tmp_path, {}, inputs=["pages/*"])

    assert {"kept.txt", "pages/own.md"} <= {*run.egress.files} and not run.egress.outside
    with pytest.raises(ConfigError, match=r"pages: not a regular file: it is a folder; name what is in it, as pages/\*\.md"):
        loaded(tmp_path, {}, inputs=["pages"])


def test_a_prompt_of_ones_own_is_shown_what_it_has_no_place_for(tmp_path: Path) -> None:
    """Texts behind a transcription prompt, questions and form behind an answering one."""
    files = {**NOTES, "mine.md": "Write it down.", "answer.md": "Answer in Latin.", "strict.md": "Be strict."}
    run = loaded(
        tmp_path, files, inputs=["mill.md"], process={"models": ["maker"], "prompt_file": "mine.md"},
        answers={"models": ["reader"], "prompt_file": "answer.md"}, judge={"models": ["judge"], "prompt_file": "strict.md"},
    )  # fmt: skip
    (row,) = driven(run)
    told = {reply.call.stage: reply.call.messages[-1].content for reply in row.replies}

    assert told["process"] == f"Write it down.\n\n[TEXT]\n{NOTE}\n[/TEXT]"
    assert (
        told["answers"].startswith("Answer in Latin.") and QUESTIONS[0][0] in told["answers"] and '"answers"' in told["answers"]
    )
    assert told["judge"].startswith("Be strict.") and "from 0 to 5" in told["judge"] and "[REFERENCE " in told["judge"]


def test_the_judge_is_told_of_a_question_without_an_answer(tmp_path: Path) -> None:
    (row,) = driven(loaded(tmp_path, NOTES, inputs=["mill.md"]))
    told = [reply.call.messages[-1].content for reply in row.replies if reply.call.stage == "judge"]

    assert ["does not hold the answer" in text for text in told] == [False, False, True] * 4


# -------------------------------------------------------------------------------------------------- ids are never shifted


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations([1, 2, 3]), left_out=st.sets(st.sampled_from([1, 2, 3])), stray=st.booleans())
def test_an_answer_stays_with_the_question_whose_id_it_names(
    run: Loaded, order: list[int], left_out: set[int], stray: bool
) -> None:
    """In whatever order answers come, and whichever are missing: the others stay, and what is missing says why."""

    def shuffled(call: Call) -> str:
        if call.stage != "answers":
            return say(call)
        given = [{"id": n, "answer": QUESTIONS[n - 1][1]} for n in order if n not in left_out]
        return json.dumps({"answers": [*([{"answer": "of nobody"}] if stray else []), *given]})

    rows = driven(run, shuffled)
    entries = [
        entry
        for name, text in files_of(run, rows).items()
        if name.startswith("answers/mill")
        for one in json.loads(text)["runs"]
        for entry in one["questions_and_answers"]
    ]

    for entry in entries:
        expected = None if entry["id"] in left_out else QUESTIONS[entry["id"] - 1][1]
        assert entry["model_answer"] == expected and ("why_missing" in entry) == (expected is None)
    assert len(entries) == 12 and len(marks(rows)) == 12
    assert sum(value is None for value, _ in marks(rows)) == 4 * len(left_out)
    reminded = [reply for reply in rows[0].replies if reply.call.stage == "answers" and reply.call.beyond_plan]
    assert len(reminded) == (4 if left_out else 0)
    ids = ", ".join(map(str, sorted(left_out)))
    assert all(f"under these ids: {ids}." in reply.call.messages[-1].content for reply in reminded)


@pytest.fixture
def run(tmp_path: Path) -> Loaded:
    """A whole pipeline about one note."""
    return loaded(tmp_path, NOTES, inputs=["mill.md"])


def test_what_comes_after_the_reminder_fills_the_gaps_alone(run: Loaded) -> None:
    """An answer that was there stays what it was."""

    def late(call: Call) -> str:
        if call.stage != "answers":
            return say(call)
        again = call.beyond_plan
        return json.dumps({"1": "barley", "2": "1900", "3": "nobody"} if again else {"answers": [{"id": 1, "answer": "rye"}]})

    found = json.loads(files_of(run, driven(run, late))["answers/mill__answers__sim-scholar__sim-inventive.json"])

    assert [one["model_answer"] for one in found["runs"][0]["questions_and_answers"]] == ["rye", "1900", "nobody"]


# ---------------------------------------------------------------------------------------- what is missing is never a zero


def test_a_mark_that_cannot_be_read_is_missing_and_counted(run: Loaded) -> None:
    """Of 12 answers 11 have a mark: the mean is theirs, coverage beside it, and the rate's bounds hold the missing one."""
    seen: list[str] = []

    def unread(call: Call) -> str:
        if call.stage == "judge" and call.messages[-1].content and (not seen or seen[0] == call.about.removesuffix(" again")):
            seen.append(call.about)
            return "I would rather not say."
        return say(call)

    rows = driven(run, unread)
    summary = named(files_of(run, rows), "scores/_summary__scores__")

    assert Counter(marks(rows)) == {(5, ""): 11, (None, "judge unparsed"): 1}
    assert (summary["total_items"], summary["n_scored"], summary["n_missing"]) == (12, 11, 1)
    assert summary["average_score"] == 5.0 and summary["coverage"] == round(11 / 12, 6)
    assert summary["pass_rate"] == 100.0 and summary["pass_rate_bounds"] == [91.7, 100.0]
    items = [item for path, text in files_of(run, rows).items() if path.startswith("scores/scores__")
             for item in json.loads(text)["items"]]  # fmt: skip
    (missing,) = [item for item in items if item["score"] is None]
    assert missing["raw_output"] == "I would rather not say." and missing["why_missing"] == "judge unparsed"


def test_several_judges_have_a_file_each_and_their_mean_counts(tmp_path: Path) -> None:
    """One that cannot be read leaves the other's mark standing; its own item says that it is missing."""
    run = loaded(tmp_path, NOTES, inputs=["mill.md"], judge={"models": ["judge", "asker"]})
    said = {"judge": '{"reason": "", "score": 5}', "asker": '{"reason": "", "score": 2}'}
    rows = driven(run, lambda call: said[call.model] if call.stage == "judge" else say(call))
    blind = driven(run, lambda call: {**said, "asker": "well"}[call.model] if call.stage == "judge" else say(call))
    found, other = files_of(run, rows), files_of(run, blind)

    assert marks(rows) == [(3.5, "")] * 12 and marks(blind) == [(5.0, "")] * 12
    assert named(found, "scores/_summary__scores__sim-grounded")["average_score"] == 2.0
    unread = named(other, "scores/_summary__scores__sim-grounded")
    assert (unread["average_score"], unread["n_missing"], unread["coverage"]) == (None, 12, 0.0)


def test_a_text_that_failed_costs_its_own_marks_and_is_answered_by_nobody(run: Loaded) -> None:
    """Its answers are neither asked nor paid for; every place keeps its score, with the reason."""
    rows = driven(run, lambda call: None if call.stage == "process" and call.model == "cheap" else say(call))
    found = files_of(run, rows)

    assert Counter(value for value, _ in marks(rows)) == {5: 6, None: 6}
    assert all(why.startswith("no reply: no text to answer from (") for value, why in marks(rows) if value is None)
    assert not [name for name in found if "sim-longest__run" in name]
    summary = json.loads(found["processed/_summary.json"])
    assert (summary["processed"], summary["failed"], summary["total"], len(summary["results"])) == (2, 2, 4, 4)


FAILS = [None, "no JSON", '{"answers": [{"id": 1, "answer": "rye"}]}', '{"questions": []}']
"""What a call may come to that brings no mark, or fewer than were wanted."""


@few
@given(
    st.sets(st.tuples(st.sampled_from(["process", "questions", "answers", "judge"]), st.integers(0, 11))),
    st.sampled_from(FAILS),
)
def test_summaries_agree_with_the_table_of_accuracy_whatever_fails(
    tmp_path_factory: pytest.TempPathFactory, lost: set[tuple[str, int]], instead: str | None
) -> None:
    """Law: n, missing and the bounds of the pass rate are those of accuracy.json, for whatever calls of whatever stage fail; an
    answer that was never handed to the judge is missing, and so is one to a question that nobody wrote."""
    run, asked = loaded(tmp_path_factory.mktemp("lost"), NOTES, inputs=["mill.md"]), Counter[str]()

    def some(call: Call) -> str | None:
        asked[call.stage] += 1
        return instead if (call.stage, asked[call.stage] - 1) in lost else say(call)

    rows = driven(run, some)
    found, table = files_of(run, rows), reported(run, rows)["accuracy"]
    summary = named(found, "scores/_summary__scores__")
    pairs = {pair["process_model"]: pair for pair in summary["models"]}
    ids = {"reader": summary, **{name: pairs[NAMES[name]] for name in ("maker", "cheap")}}

    for row in (dict(zip(table.columns, (cell.value for cell in row), strict=True)) for row in table.rows):
        told: Any = ids[str(row["model"])]
        assert (told["total_items"], told["n_scored"], told["n_passed"]) == (row["n_total"], row["n_scored"], row["n_correct"])
        assert told["n_missing"] == row["n_total"] - row["n_scored"] == sum(told["missing_by_reason"].values())
        assert told["coverage"] == round(row["n_scored"] / row["n_total"], 6)
        ends = [row["accuracy_strict"], row["accuracy_best_case"]]
        assert told["pass_rate_bounds"] == pytest.approx([100 * end for end in ends], abs=0.051)
        assert sum(told["category_n_scored"].values()) + sum(told["category_n_missing"].values()) == told["total_items"]
    for name in ("maker", "cheap"):
        answers = named(found, f"answers/_summary__answers__{NAMES[name]}")
        assert answers["n_answered"] + answers["n_missing"] == ids[name]["total_items"]
        assert answers["n_answered"] >= ids[name]["n_scored"]
        assert answers["processed"] == sum(one["answered"] > 0 for one in answers["results"])


def test_a_pair_of_models_without_an_answer_has_failed(run: Loaded) -> None:
    """Replies that came and cannot be read: no text was processed, every answer is missing, and coverage is 0, not unknown."""
    found = files_of(run, driven(run, lambda call: '{"answers": [{"id": 1,' if call.stage == "answers" else say(call)))

    answers = named(found, "answers/_summary__answers__sim-longest")
    assert (answers["processed"], answers["failed"], answers["n_answered"], answers["n_missing"]) == (0, 2, 0, 6)
    assert {one["status"] for one in answers["results"]} == {"failed"}
    summary = named(found, "scores/_summary__scores__")
    assert (summary["total_items"], summary["n_missing"], summary["coverage"]) == (12, 12, 0.0)
    assert (summary["pass_rate"], summary["pass_rate_bounds"]) == (None, [0.0, 100.0])
    assert summary["missing_by_reason"] == {"unparsed": 12}


def test_unanswerable_questions_without_a_mark_are_told_beside_the_others(run: Loaded) -> None:
    """One question of three has no answer; from one text of four nothing was answered."""

    def one_lost(call: Call) -> str | None:
        return None if call.stage == "answers" and call.about.startswith("sim-longest#2") else say(call)

    note = reported(run, driven(run, one_lost))["preserved"].note
    assert "To questions that have no answer, 3 of 3 answers rightly said so; 1 more without a mark." in note


def test_fewer_questions_than_wanted_are_asked_for_once_more_and_then_missing(run: Loaded) -> None:
    """The second call names the categories that are short; who is still short has places without a question."""
    asked: list[str] = []

    def short(call: Call) -> str:
        if call.stage == "questions":
            asked.append(call.messages[-1].content)
            one = {"category": "easy", "question": QUESTIONS[0][0], "reference_answer": "rye"}
            return json.dumps({"questions": [one]})
        return say(call)

    rows = driven(run, short)

    assert len(asked) == 2 and '"count": 2' in asked[0] and '"count": 2' not in asked[1]
    missing = Counter(why for value, why in marks(rows) if value is None)
    assert missing == {"no question: fewer were written than were asked for": 8}
    tables = reported(run, rows)
    assert "8 of them have no question: fewer were written than were asked for." in tables["preserved"].note
    assert column(tables["accuracy"], "n_replies") == [4, 2, 2], "nobody replied to what nobody asked"


@pytest.mark.parametrize(("status", "why"), [("ok", "unparsed"), ("error", "transient"), ("timeout", "timeout")])
def test_why_there_is_no_question_is_what_came_of_writing_them(run: Loaded, status: Any, why: str) -> None:
    """Where the call failed, nobody wrote too few."""

    def failed(call: Call) -> str | Reply:
        kind = "transient" if status == "error" else None
        return Reply(call, status, text="Well.", error_kind=kind) if call.stage == "questions" else say(call)

    note = reported(run, driven(run, failed))["preserved"].note
    assert (
        f"12 of them have no question, as the call that was to write it came to nothing: {why}." in note
        and "fewer were written" not in note
    )


def test_every_reason_for_which_there_is_no_question_is_counted(tmp_path: Path) -> None:
    """One file's questions fail, another's are too few, a third's do not say whether they can be answered."""
    schema = {**SCHEMA, "output_format": {"require_answerable_flag": True}}
    files = {**{f"{name}.md": f"{name}: {NOTE}" for name in ("failed", "few", "silent")}, "schema.json": json.dumps(schema)}
    run = loaded(tmp_path, files, inputs=["*.md"], process={"models": ["maker"]})

    def some(call: Call) -> str | None:
        if call.stage != "questions":
            return say(call)
        entries = json.loads(say(call))["questions"]
        if call.item_id == "silent":
            del entries[0]["answerable"], entries[1]["answerable"]
        return None if call.item_id == "failed" else json.dumps({"questions": entries[: 2 if call.item_id == "few" else None]})

    assert (
        "3 of them have no question, as the call that was to write it came to nothing: transient. "
        "1 of them has no question: fewer were written than were asked for. "
        "2 of them have no question: it was not said whether it can be answered."
    ) in reported(run, driven(run, some))["preserved"].note


def test_every_mean_says_how_many_it_is_of(tmp_path: Path) -> None:
    """By category, by text, and where one judge of two is silent; a cost a point that is small is not rounded away."""
    run = loaded(tmp_path, {**NOTES, "mill.ref.txt": NOTE}, inputs=["mill.md"], judge={"models": ["judge", "asker"]})

    def half(call: Call) -> Reply:
        text = "well" if (call.stage, call.model) == ("judge", "asker") else say(call)
        usage = Usage(prompt_tokens=1, completion_tokens=1, cost_usd=1.23456e-7)
        return Reply(call, "ok", text=text, finish_reason="stop", usage=usage)

    rows = driven(run, half)
    summary = named(files_of(run, rows), "scores/_summary__scores__sim-arbiter")
    table = reported(run, rows)["preserved"]

    assert sum(summary["category_n_scored"].values()) == summary["n_scored"] == 12
    assert summary["category_n_scored"].keys() == summary["category_averages"].keys()
    assert "12 scores rest on fewer judges than were asked." in table.note
    assert column(table, "n_rated") == column(table, "n_survived") == [2, 2]
    assert all(0 < cost < 1e-6 for cost in column(table, "cost_per_point"))


def test_tokens_that_nobody_counted_are_no_zeros(run: Loaded) -> None:
    """The totals of a file say how many items lack a count; where all have theirs, nothing is said."""

    def used(call: Call) -> Reply:
        counted = None if call.model == "cheap" and call.call_index else 20
        return Reply(call, "ok", text=say(call), usage=Usage(prompt_tokens=100, completion_tokens=counted))

    found = files_of(run, driven(run, used))
    whole, lacking = (json.loads(found[f"processed/_token_usage__{model}.json"]) for model in ("sim-scholar", "sim-longest"))

    assert "n_tokens_unknown" not in whole
    assert (lacking["total_output_tokens"], lacking["n_tokens_unknown"]) == (20, 1)


def test_a_reply_that_tells_no_usage_at_all_is_counted(run: Loaded, tmp_path: Path) -> None:
    """It came, so that it stands among the others, with nothing for what nobody said; a sum of such alone is no zero."""

    def used(call: Call) -> Reply:
        untold = call.model == "cheap" or (call.stage == "judge" and call.about.endswith(" 3"))
        reply = Reply(call, "ok", text=say(call), usage=Usage() if untold else Usage(prompt_tokens=100, completion_tokens=20))
        if (call.stage, call.model, call.call_index) == ("process", "cheap", 1):
            return replace(reply, status="error", text=None, error_kind="refused")
        if (call.stage, call.model, call.call_index) == ("process", "maker", 1):
            return replace(reply, status="timeout", text=None, usage=Usage())
        return reply

    made = {name: text for name, text in files_of(run, driven(run, used)).items() if "_token_usage" in name}
    found = {name.rpartition("__")[2]: json.loads(text) for name, text in made.items()}
    alone, lost, partly = (found[f"{model}.json"] for model in ("sim-longest", "sim-scholar", "sim-arbiter"))
    for name, text in made.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    costs = folder_costs([tmp_path], {NAMES["cheap"]: Price(input=1.0, output=1.0)})["models"]

    assert [one["input_tokens"] for one in alone["items"]] == [None, None], "refused is a reply, too"
    assert (alone["total_input_tokens"], alone["total_output_tokens"], alone["n_tokens_unknown"]) == (None, None, 2)
    assert len(lost["items"]) == 1 and "n_tokens_unknown" not in lost, "what ran out of time did not come"
    assert (len(partly["items"]), partly["total_input_tokens"], partly["n_tokens_unknown"]) == (6, 400, 2)
    told = costs["sim-longest"]["process"]
    assert (told["calls"], told["input_tokens"], told["cost_usd"], told["n_cost_unknown"]) == (2, None, None, 2)


def reported(run: Loaded, rows: list[SampleResult]) -> Mapping[str, Table]:
    """The tables of finished samples."""
    reporter = run.evaluation.reporter()
    for row in rows:
        reporter.add(row)
    return reporter.tables()


def column(table: Table, name: str) -> list[Any]:
    """The values of a column."""
    return [row[table.columns.index(name)].value for row in table.rows]


@pytest.mark.parametrize("later", [False, True])
def test_a_question_brings_what_its_schema_wants_of_it(later: bool, tmp_path: Path) -> None:
    """One that is silent on whether it can be answered is none, is asked for again, and is then missing; a reference answer
    is needed where the schema says so."""
    schema = {**SCHEMA, "output_format": {"require_answerable_flag": True, "require_reference_answer": False}}
    run = loaded(tmp_path, {**NOTES, "schema.json": json.dumps(schema)}, inputs=["mill.md"])

    def silent(call: Call) -> str:
        if call.stage != "questions":
            return say(call)
        entries = json.loads(say(call))["questions"]
        del entries[1]["reference_answer"]
        if not (later and call.beyond_plan):
            del entries[0]["answerable"]
        return json.dumps({"questions": entries})

    rows = driven(run, silent)
    found = named(files_of(run, rows), "questions/questions__from__text")["images"]["mill"]["questions"]

    writing = [reply for reply in rows[0].replies if reply.call.stage == "questions"]
    kept = [QUESTIONS[n][0] for n in ((1, 0, 2) if later else (1, 2))]
    assert len(writing) == 2 and '"easy"' in writing[1].call.messages[-1].content
    assert [one["question"] for one in found] == kept and found[0]["reference_answer"] == ""
    missing = Counter(why for value, why in marks(rows) if value is None)
    assert missing == ({} if later else {"no question: it was not said whether it can be answered": 4})


# --------------------------------------------------------------------------------------------------------------- the files


def test_every_file_has_its_name_and_its_shape(run: Loaded) -> None:
    """All names of spec 000 §10, and the fields of its §3 and §9."""
    found = files_of(run, driven(run))
    at = "2026-01-22T20-15"

    assert {name for name in found if "_token_usage" not in name} == {
        "_config__pages.json",
        *(f"processed/mill__processed__{model}__run{n:02d}.md" for model in ("sim-scholar", "sim-longest") for n in (1, 2)),
        "processed/_summary.json",
        f"questions/questions__from__text__sim-grounded__{at}.json",
        *(
            f"answers/{who}__answers__{m}__sim-inventive.json"
            for who in ("mill", "_summary")
            for m in ("sim-scholar", "sim-longest")
        ),
        *(f"scores/scores__{m}__sim-inventive__judged__sim-arbiter__{at}.json" for m in ("sim-scholar", "sim-longest")),
        f"scores/_summary__scores__sim-arbiter__{at}.json",
    }
    assert found["processed/mill__processed__sim-scholar__run01.md"] == NOTE
    assert all(read_name(Path(name).name).what for name in found)
    questions = json.loads(found[f"questions/questions__from__text__sim-grounded__{at}.json"])
    assert questions["model"] == "sim-grounded" and questions["images"]["mill"]["filename"] == "mill.md"
    assert questions["images"]["mill"]["questions"][0] == {
        "id": 1, "category": "easy", "question": QUESTIONS[0][0], "reference_answer": "rye", "answerable": True,
    }  # fmt: skip
    answers = json.loads(found["answers/mill__answers__sim-scholar__sim-inventive.json"])
    assert (answers["image_name"], answers["model_id"], [one["run"] for one in answers["runs"]]) == (
        "mill", "sim-inventive", ["01", "02"],
    )  # fmt: skip
    assert answers["runs"][1]["transcription_file"] == "mill__processed__sim-scholar__run02.md"
    scores = named(found, "scores/scores__sim-scholar")["items"][0]
    assert [*scores] == [
        "source", "run", "id", "category", "question", "reference_answer", "model_answer", "answerable", "raw_output", "score",
        "rationale",
    ]  # fmt: skip


def test_tokens_are_counted_by_model_with_what_was_cached(run: Loaded) -> None:
    """Every reply that says what it used, a failed one, too; nothing unknown is a zero."""
    usage = Usage(prompt_tokens=100, completion_tokens=20, cached_tokens=40, reasoning_tokens=5, cost_usd=0.5)

    def used(call: Call) -> Reply:
        reply = Reply(call, "ok", text=say(call), usage=usage, ended_at="2026-01-22T20:15:09.000Z")
        if call.stage == "process" and call.model == "cheap":
            return replace(
                reply, status="error", text=None, error_kind="empty", usage=Usage(prompt_tokens=100, completion_tokens=0)
            )
        return reply

    found = files_of(run, driven(run, used))
    whole, failed = (json.loads(found[f"processed/_token_usage__{model}.json"]) for model in ("sim-scholar", "sim-longest"))

    assert (whole["model_id"], whole["total_input_tokens"], whole["total_output_tokens"]) == ("sim-scholar", 200, 40)
    assert whole["items"][0] == {
        "file": "mill__processed__sim-scholar__run01.md", "input_tokens": 100, "output_tokens": 20,
        "timestamp": "2026-01-22T20:15:09.000Z", "cached_tokens": 40, "reasoning_tokens": 5, "cost_usd": 0.5,
    }  # fmt: skip
    assert failed["total_input_tokens"] == 200 and failed["items"][0]["cost_usd"] is None


def test_a_text_that_was_cut_is_marked_wherever_it_goes(run: Loaded) -> None:
    """In the summary of texts, with the answers from it, with their marks, and in the table."""

    def cut(call: Call) -> Reply:
        return Reply(call, "ok", text=say(call), finish_reason="length" if call.stage == "process" else "stop")

    rows = driven(run, cut)
    found = files_of(run, rows)
    reporter = run.evaluation.reporter()
    reporter.add(rows[0])
    table = reporter.tables()["preserved"]

    assert all(one["text_cut"] for one in json.loads(found["processed/_summary.json"])["results"])
    assert all(one["text_cut"] for one in json.loads(found["answers/mill__answers__sim-longest__sim-inventive.json"])["runs"])
    assert all(item["text_cut"] for item in named(found, "scores/scores__sim-scholar")["items"])
    assert [row[table.columns.index("cut")].value for row in table.rows] == [2, 2]


SPECIFIED = {
    "image001__processed__claude-opus-4-20250514__run01.md", "image001__processed__claude-opus-4-20250514__run02.md",
    "questions__from__image__gpt-4o__2026-01-22T20-15.json", "doc005__answers__claude-opus-4__gpt-5-mini.json",
    "_summary__answers__claude-opus-4__gpt-5-mini.json", "_summary.json", "_config__pages.json",
    "scores__claude-opus-4__gpt-5-mini__judged__gpt-5__2026-01-22T20-30.json", "_summary__scores__gpt-5__2026-01-22T20-30.json",
}  # fmt: skip
HARD = ["a__b", "_a_", "my page", "p/q", "x" * 300, "日本語のページ", "a~b", "50%", ".hidden"]


@pytest.mark.parametrize("model", HARD)
def test_names_of_models_survive_a_file_name(model: str, tmp_path: Path) -> None:
    """No file leaves its folder, none is too long, and with the config's map every name is parsed back."""
    loaded(tmp_path, NOTES, inputs=["mill.md"])
    text = (tmp_path / "made.toml").read_text()
    (tmp_path / "made.toml").write_text(text.replace("sim-scholar", model.replace("\\", "")), encoding="utf-8")
    run = load(tmp_path / "made.toml", Workspace(tmp_path), sends=False)
    found = files_of(run, driven(run))
    names = json.loads(found["_config__pages.json"])["names"]
    told = [read_name(Path(name).name, names) for name in found]

    assert model in {one.process_model for one in told if one.what == "processed"}
    assert model in {one.process_model for one in told if one.what == "scores"}
    assert all(name.count("/") <= 1 and len(Path(name).name.encode()) <= 240 for name in found)


@pytest.mark.parametrize("source", HARD)
def test_names_of_sources_survive_a_file_name(source: str, tmp_path: Path) -> None:
    """The same of what files are called, as far as a file can be called so."""
    called = source.replace("/", "-").lstrip(".")[:200]
    run = loaded(tmp_path, {f"{called}.md": NOTE}, inputs=[f"{called.replace('[', '[[]')}.md"])
    found = files_of(run, driven(run))
    names = json.loads(found["_config__pages.json"])["names"]
    told = [read_name(Path(name).name, names) for name in found]

    assert {one.source for one in told if one.what in ("processed", "answers")} == {called}
    assert all(one.what for one in told) and all(len(Path(name).name.encode()) <= 240 for name in found)


def test_the_specifications_examples_are_made(tmp_path: Path) -> None:
    """A run of its models about its files has every name that spec 000 §10 shows, and each is read back to what it says."""
    ids = {"maker": "claude-opus-4-20250514", "cheap": "claude-opus-4", "asker": "gpt-4o", "reader": "gpt-5-mini",
           "judge": "gpt-5"}  # fmt: skip
    files = {"image001.png": PNG, "doc005.md": NOTE}
    loaded(tmp_path, files, inputs=[*files])
    text = (tmp_path / "made.toml").read_text()
    for name, model in ids.items():
        text = text.replace(f'"{NAMES[name]}"', f'"{model}"')
    (tmp_path / "made.toml").write_text(text, encoding="utf-8")
    run = load(tmp_path / "made.toml", Workspace(tmp_path), sends=False)
    rows, made = driven(run), dict[str, str]()
    for at in ("2026-01-22T20:15:07Z", "2026-01-22T20:30:00Z"):
        made |= files_of(run, rows, at)
    pages = {Path(name).name for name in made}

    assert pages >= SPECIFIED and all(read_name(name).what for name in pages)
    scores = read_name("scores__claude-opus-4__gpt-5-mini__judged__gpt-5__2026-01-22T20-30.json")
    assert (scores.process_model, scores.answer_model, scores.model) == (ids["cheap"], ids["reader"], ids["judge"])


def test_two_models_with_one_id_have_files_of_their_own(tmp_path: Path) -> None:
    loaded(tmp_path, NOTES, inputs=["mill.md"])
    text = (tmp_path / "made.toml").read_text().replace("sim-longest", "sim-scholar")
    (tmp_path / "made.toml").write_text(text)
    run = load(tmp_path / "made.toml", Workspace(tmp_path))
    found = files_of(run, driven(run))

    assert {
        "processed/mill__processed__sim-scholar~maker__run01.md",
        "processed/mill__processed__sim-scholar~cheap__run01.md",
    } <= {*found}


# ------------------------------------------------------------------------------------------------------------- fidelity


def test_fidelity_is_measured_where_a_reference_lies_beside_the_file(tmp_path: Path) -> None:
    """By METHOD 5.5's own cases; without a reference there is no such score."""
    files = {**NOTES, "mill.ref.txt": "kitten sitting", "bare.md": "Nobody knows what stands here."}
    run = loaded(tmp_path, files, inputs=["*.md"], process={"models": ["maker"]}, questions=None, answers=None, judge=None)
    rows = driven(run, lambda call: "kitten sitten")
    scores = {(row.sample.id, score.name): score.value for row in rows for score in row.scores}

    assert scores == {("mill", "character_error_rate"): 2 / 14, ("mill", "word_error_rate"): 1 / 2}


def test_rates_without_mark_up_stand_beside_the_strict_ones(tmp_path: Path) -> None:
    """The strict mean stays what it is; beside it all texts as one, and both without what only looks different."""
    files = {
        "a.md": "first",
        "a.ref.txt": "**Total** of \u201crye\u201d",
        "b.md": "second",
        "b.ref.txt": "The mill grinds rye on Mondays.",
    }
    run = loaded(tmp_path, files, inputs=["*.md"], process={"models": ["maker"]}, questions=None, answers=None, judge=None)

    def write_down(call: Call) -> str:
        return 'Total of *"rye"*' if "first" in call.messages[-1].content else "# The mill grinds oats on Mondays."

    rows = driven(run, write_down)
    table = reported(run, rows)["preserved"]
    found = dict(zip(table.columns, (cell.value for cell in table.rows[0]), strict=True))

    strict = [score.value for row in rows for score in row.scores if score.name == "character_error_rate"]
    lengths = [len(files[name]) for name in ("a.ref.txt", "b.ref.txt")]
    assert found["character_error_rate"] == pytest.approx(sum(strict) / 2, abs=1e-6)
    pooled = sum(rate * n for rate, n in zip(strict, lengths, strict=True)) / sum(lengths)
    assert found["character_error_rate_pooled"] == pytest.approx(pooled, abs=1e-6)
    assert found["character_error_rate_normalized"] == pytest.approx(4 / 31 / 2, abs=1e-6)
    assert found["character_error_rate_normalized_pooled"] == pytest.approx(4 / (14 + 31), abs=1e-6)
    assert found["word_error_rate_normalized"] == pytest.approx(1 / 6 / 2, abs=1e-6)


def test_answers_survive_as_whole_words_and_by_value() -> None:
    """Of those alone that stand in the file; where none does there is no share. 5 is not preserved by 15, 1,000 is by 1000."""
    assert survived(["Rye.", "1874", "not in it"], NOTE, "the mill grinds\nRYE") == 1 / 2
    assert survived(["not in it"], NOTE, NOTE) is None
    assert survived(["5 EUR", "1,000"], "It costs 5 EUR a 1,000.", "It costs 15 EUR a 1000.") == 1 / 2


# --------------------------------------------------------------------------------------------------- stage by stage


def test_stage_by_stage_in_runs_of_their_own_is_the_same_as_at_once(tmp_path: Path) -> None:
    """Texts, questions and answers go from one run's folder into the next; marks and calls of the judge are the same."""
    whole_run = loaded(tmp_path / "whole", NOTES, inputs=["mill.md"])
    whole = driven(whole_run)
    files = files_of(whole_run, whole)

    texts_run = loaded(tmp_path / "texts", NOTES, inputs=["mill.md"], answers=None, judge=None)
    made = files_of(texts_run, driven(texts_run))
    brought = {**NOTES, **{f"earlier/{name}": text for name, text in made.items()}}
    answers_run = loaded(
        tmp_path / "answers",
        brought,
        inputs=["mill.md"],
        process={"from": "earlier"},
        questions={"from": "earlier"},
        judge=None,
    )
    answered = files_of(answers_run, driven(answers_run))
    brought |= {f"later/{name}": text for name, text in answered.items()}
    judged_run = loaded(
        tmp_path / "judged", brought, inputs=["mill.md"], process=None, questions=None, answers={"from": "later"}
    )
    judged = driven(judged_run)

    assert {n: t for n, t in made.items() if n.startswith("processed/mill")}.items() <= files.items()
    stripped = [[(o["id"], o["model_answer"]) for one in json.loads(t)["runs"] for o in one["questions_and_answers"]]
                for t in (files["answers/mill__answers__sim-scholar__sim-inventive.json"],
                          answered["answers/mill__answers__sim-scholar__sim-inventive.json"])]  # fmt: skip
    assert stripped[0] == stripped[1]
    assert sorted(marks(judged)) == sorted(marks(whole))
    prompts = [sorted(r.call.messages[-1].content for row in rows for r in row.replies if r.call.stage == "judge")
               for rows in (whole, judged)]  # fmt: skip
    assert prompts[0] == prompts[1]


def test_why_an_answer_is_missing_stays_when_it_is_brought(tmp_path: Path) -> None:
    """In a run that judges what another answered, too; but never in words that a stranger's file puts there."""

    def gaps(call: Call) -> str | None:
        if call.stage == "process" and call.model == "maker":
            return None if call.call_index else NOTE
        if call.stage == "answers" and call.call_index == 0:
            return "Well." if "sim-scholar" in call.about else json.dumps({"1": "rye"})
        return None if call.stage == "answers" else say(call)

    whole_run = loaded(tmp_path / "whole", NOTES, inputs=["mill.md"])
    whole = driven(whole_run, gaps)
    made = {f"later/{name}": text for name, text in files_of(whole_run, whole).items()}
    strange = {name: text.replace('"why_missing": "unparsed"', '"why_missing": "=cmd|x"') for name, text in made.items()}
    table: dict[str, Any] = {"inputs": ["mill.md"], "process": None, "questions": None, "answers": {"from": "later"}}
    again, foreign = (
        marks(driven(loaded(tmp_path / name, {**NOTES, **files}, **table), gaps))
        for name, files in (("judged", made), ("strange", strange))
    )

    def whys(found: list[Any]) -> Counter[str]:
        return Counter(why for value, why in found if value is None)

    assert whys(again) == whys(marks(whole)) and {"unparsed", "no answer under its id"} <= whys(again).keys()
    assert any(why.startswith("no reply: no text to answer from") for why in whys(again))
    assert "unparsed" not in whys(foreign) and not any("cmd" in why for why in whys(foreign))


def test_older_spellings_are_read_and_what_is_left_unread_is_said(tmp_path: Path) -> None:
    """image_run01.md and {image}_answers.json; a file that is neither is named."""
    entry = {"id": 1, "category": "easy", "question": "What?", "reference_answer": "rye", "model_answer": "rye"}
    older = {"image_name": "page", "model_id": "gpt-5-mini", "runs": [{"run": "01", "questions_and_answers": [entry]}]}
    files = {"old/page_run01.md": NOTE, "old/readme.md": "Read me.", "older/page_answers.json": json.dumps(older)}
    asked = {"images": {"page": {"filename": "page.jpg", "questions": [{**entry, "answerable": True}]}}}
    files["q.json"] = json.dumps(asked)

    texts = loaded(tmp_path, files, inputs=[], process={"from": "old"}, questions={"from": "q.json"})
    answers = loaded(tmp_path, files, inputs=[], process=None, questions=None, answers={"from": "older"})

    assert [(one.name, len(one.texts), len(one.questions)) for one in texts.evaluation.task.materials] == [("page", 1, 1)]
    assert any("readme.md" in warning for warning in texts.warnings)
    assert marks(driven(answers, lambda call: '{"reason": "", "score": 4}')) == [(4, "")]


def test_what_was_brought_is_said_to_be_in_no_cost(tmp_path: Path) -> None:
    """A text that was made elsewhere did not cost nothing: who answers from it is paid; where nobody is, no cost is known."""
    whole = loaded(tmp_path / "whole", NOTES, inputs=["mill.md"])
    made = {**NOTES, **{f"run/{name}": text for name, text in files_of(whole, driven(whole)).items()}}
    tables: dict[str, dict[str, Any]] = {
        "": {},
        "processing": {"process": {"from": "run"}, "questions": {"from": "run"}},
        "processing and answering": {"process": None, "questions": None, "answers": {"from": "run"}},
    }

    def paid(call: Call) -> Reply:
        return Reply(call, "ok", text=say(call), finish_reason="stop", usage=Usage(1, 1, cost_usd=0.5))

    for what, table in tables.items():
        run = loaded(tmp_path / f"run {what}", made, inputs=["mill.md"], **table)
        reporter = run.evaluation.reporter()
        for row in driven(run, paid):
            reporter.add(row)
        found, cost = reporter.tables()["preserved"], {"": 2.0, "processing": 1.0}.get(what)
        (analysis,) = reporter.files(About("r", "u", "pages", STARTED, "1", True, 1, 0, {}, calls=[])).values()

        assert (f"so that {what} is in no cost: sim-" if what else "a point is one") in found.note
        assert what or "is in no cost" not in found.note
        assert [one.get("without", "") for one in analysis["processed_by"].values()] == [what] * 2
        assert column(found, "cost_usd") == [cost] * 2
        assert column(found, "cost_per_point") == [None if cost is None else pytest.approx(cost / 30, abs=1e-6)] * 2
        assert column(reporter.headline()[0], "cost") == ["-" if cost is None else f"${cost:.4f}"] * 2


def test_attempts_that_failed_are_paid_for(tmp_path: Path) -> None:
    """A point costs all attempts of processing and answering, and the last ones alone under a name of its own."""
    run = loaded(tmp_path, NOTES, inputs=["mill.md"])

    def second(call: Call) -> Reply:
        usage, retried = Usage(1, 1, cost_usd=0.5), Paid(0.25, 1, 1) if call.stage == "process" else Paid()
        return Reply(call, "ok", text=say(call), finish_reason="stop", usage=usage, retried=retried)

    reporter = run.evaluation.reporter()
    for row in driven(run, second):
        reporter.add(row)
    found = reporter.tables()["preserved"]
    points = column(found, "cost_per_point")

    assert column(found, "cost_usd") == [2.5] * 2 and column(found, "final_cost_usd") == [2.0] * 2
    assert points == [pytest.approx(2.5 / 30, abs=1e-6)] * 2 and column(reporter.headline()[0], "cost") == ["$2.5000"] * 2
    assert column(found, "cost_per_point_final") == [pytest.approx(2.0 / 30, abs=1e-6)] * 2
    assert column(found, "n_cost_unknown") == [2] * 2 and "4 failed attempts tell no cost" in found.note


def test_real_and_simulated_money_make_no_price_together(tmp_path: Path) -> None:
    """Where a real model processed and a simulated one answered, each amount is said, and no price of a point."""
    run = loaded(tmp_path, NOTES, inputs=["mill.md"])

    def made_up(*stages: str) -> tuple[Table, Sequence[Table]]:
        def reply(call: Call) -> Reply:
            usage = Usage(1, 1, cost_usd=0.25)
            return Reply(call, "ok", text=say(call), finish_reason="stop", usage=usage, simulated=call.stage in stages)

        reporter = run.evaluation.reporter()
        for row in driven(run, reply):
            reporter.add(row)
        return reporter.tables()["preserved"], reporter.headline()

    for stages, simulated in (((), 0.0), (("process", "answers"), 1.0)):
        found, (short, *_) = made_up(*stages)
        assert column(found, "cost_simulated_usd") == [simulated] * 2
        assert column(found, "cost_per_point") == [pytest.approx(1.0 / 30, abs=1e-6)] * 2
        assert column(short, "cost") == ["$1.0000"] * 2 and "real and simulated" not in found.note

    found, (short, *_) = made_up("answers", "judge")
    assert column(found, "cost_usd") == [1.0] * 2 and column(found, "cost_simulated_usd") == [0.5] * 2
    assert column(found, "cost_per_point") == column(found, "cost_per_correct_answer") == [None] * 2
    assert column(short, "cost") == ["$0.5000 + $0.5000 sim"] * 2 and column(short, "a point") == ["-"] * 2
    assert found.note.count("real and simulated models did the work ($0.5000 real + $0.5000 simulated)") == 2


ANSWERED = {"id": 1, "category": "easy", "question": "What?", "reference_answer": "rye", "model_answer": "rye"}


def judged_alone(folder: Path, entry: dict[str, Any], **top: Any) -> Loaded:
    """A run that judges answers of a file that was made elsewhere. `top`: its keys beside the answers."""
    made = {"image_name": "page", "model_id": "gpt-5-mini", **top, "runs": [{"run": "01", "questions_and_answers": [entry]}]}
    files = {"older/page_answers.json": json.dumps(made)}
    return loaded(folder, files, inputs=[], process=None, questions=None, answers={"from": "older"})


@pytest.mark.parametrize("name", ["id", "category", "reference_answer", "model_answer", "answerable"])
def test_null_in_what_was_brought_is_what_a_missing_key_is(name: str, tmp_path: Path) -> None:
    """Never the word None: nobody is asked about it, and nothing is marked against it."""
    null, missing = (
        judged_alone(tmp_path / called, entry)
        for called, entry in (
            ("null", {**ANSWERED, name: None}),
            ("missing", {key: value for key, value in ANSWERED.items() if key != name}),
        )
    )
    told = [
        [message.content for row in driven(run) for r in row.replies for message in r.call.messages] for run in (null, missing)
    ]

    assert null.evaluation.task.materials == missing.evaluation.task.materials
    assert told[0] == told[1] and not any("None" in text for text in told[0])


@pytest.mark.parametrize(
    ("entry", "top", "said"),
    [
        ({"question": None}, {}, r'page_answers\.json: run 1: question 1: has no text under "question"'),
        ({"reference_answer": ["rye"]}, {}, r'page_answers\.json: run 1: question 1: "reference_answer": a text was expected'),
        ({"model_answer": {"text": "rye"}}, {}, r'run 1: question 1: "model_answer": a text was expected'),
        ({"answerable": "no"}, {}, r'run 1: question 1: "answerable": true or false was expected'),
        ({}, {"model_id": None}, r'page_answers\.json: has no "model_id", which says who answered'),
    ],
)
def test_what_is_needed_of_what_was_brought_is_asked_for(
    entry: dict[str, Any], top: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """With the file, the entry and the key: nothing is made up in its place."""
    with pytest.raises(ConfigError, match=said):
        judged_alone(tmp_path, {**ANSWERED, **entry}, **top)


def test_questions_about_a_file_stand_in_one_place(tmp_path: Path) -> None:
    """Of two files that have some about the same one neither is left out in silence."""
    files = {f"{name}.json": json.dumps({"images": {"mill": {"questions": [ANSWERED]}}}) for name in ("one", "two")}
    with pytest.raises(ConfigError, match=r"two\.json: mill: another file has questions about it, too"):
        loaded(tmp_path, {**NOTES, **files}, inputs=["mill.md"], questions={"from": ["one.json", "two.json"]})


def test_an_id_stands_for_one_question_in_all_that_was_brought(tmp_path: Path) -> None:
    """An answer is never held against another question that happens to have its number."""
    made = {"image_name": "page", "model_id": "m", "runs": [{"run": "01", "questions_and_answers": [ANSWERED]}]}
    other = {"images": {"page": {"filename": "page.jpg", "questions": [{**ANSWERED, "question": "Who?"}]}}}
    files = {"older/page_answers.json": json.dumps(made), "q.json": json.dumps(other)}
    with pytest.raises(ConfigError, match=r"page_answers\.json: run 1: the id 1 stands for another question"):
        loaded(tmp_path, files, inputs=[], process=None, questions={"from": "q.json"}, answers={"from": "older"})


# ----------------------------------------------------------------------------------------------------------------- costs


def test_the_analysis_has_every_attempt_and_says_what_is_unknown(tmp_path: Path) -> None:
    """By model and stage; a price of the file wins; where one is unknown, so is every sum with it."""
    prices = {"pricing": {"openai": {"sim-scholar": {"input_per_1m": 10.0, "output_per_1m": 30.0, "cached_input_per_1m": 1.0}}}}
    run = loaded(tmp_path, {**NOTES, "p.json": json.dumps(prices)}, inputs=["mill.md"], costs={"pricing_file": "p.json"})
    reporter = run.evaluation.reporter()
    for row in driven(run):
        reporter.add(row)
    usual = {"attempts_total": 3, "sum_prompt_tokens": 1000, "sum_completion_tokens": 100, "sum_total_tokens": 1100,
             "sum_cached_tokens": 400, "sum_reasoning_tokens": 30, "sum_cost_usd": 0.5, "n_cost_unknown": 0}  # fmt: skip
    calls = [
        {"model_id": "sim-scholar", "stage": "process", **usual},
        {"model_id": "sim-arbiter", "stage": "judge", **usual, "n_cost_unknown": 1},
    ]
    (found,) = reporter.files(About("r", "u", "pages", STARTED, "1", True, 1, 0, {}, calls=calls)).values()

    by_hand = (600 * 10 + 400 * 1 + 100 * 30) / 1e6
    assert found["models"]["sim-scholar"]["process"]["cost_usd"] == round(by_hand, 8)
    assert found["models"]["sim-scholar"]["process"]["average"] == round(by_hand / 3, 8)
    assert found["models"]["sim-arbiter"]["judge"]["cost_usd"] is None is found["total"]["cost_usd"]
    assert (found["total"]["n_cost_unknown"], found["total"]["input_tokens"]) == (1, 2000)
