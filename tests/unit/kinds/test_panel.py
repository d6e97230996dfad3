"""Laws of the panel: who is shown what, how it is labelled, what is graded, and what counts as the answer (spec 003)."""

from __future__ import annotations

import base64
from itertools import product
from pathlib import Path

import pytest
from makers import load_panel, refusal
from panels import DOERS, MODELS, STAGES, failing, items, of, run, user

OPTIONS = (
    "send_doc_to_judges",
    "send_doc_to_final_judges",
    "send_doer_responses_to_judges",
    "send_doer_outputs_to_final_judges",
    "send_judge_outputs_to_final_judges",
)


# ------------------------------------------------------------------------------------------------- documents


def test_a_text_document_stands_in_one_block(tmp_path: Path) -> None:
    """Id, file name, type, encoding and content, in the specification's order and words, between its two marks."""
    (tmp_path / "well log.txt").write_text("Porosity is high.\nSo is {question}.")
    loaded = load_panel(tmp_path, panel='documents = ["well log.txt"]')

    text = user(run(loaded)[1][0])
    block = text[text.index("[DOCUMENT]") : text.index("[/DOCUMENT]") + len("[/DOCUMENT]")]

    assert " ".join(block.split()) == (
        "[DOCUMENT] doc_id: well log filename: well log.txt mime: text/plain encoding: utf-8 "
        "content: Porosity is high. So is {question}. [/DOCUMENT]"
    )
    assert "\nPorosity is high.\nSo is {question}.\n" in block
    assert text.count("[DOCUMENT]") == 1
    assert text.index("QUESTION: What is one?") < text.index("[DOCUMENT]")


def test_a_binary_document_is_sent_in_base64(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 stand in the same block, encoded, with their type."""
    data = bytes(range(256))
    (tmp_path / "scan.png").write_bytes(data)
    loaded = load_panel(tmp_path, panel='documents = ["scan.png"]')

    text = user(run(loaded)[1][0])

    assert " ".join(text[text.index("[DOCUMENT]") :].split()) == (
        "[DOCUMENT] doc_id: scan filename: scan.png mime: image/png encoding: base64 "
        f"content: {base64.b64encode(data).decode()} [/DOCUMENT]"
    )


def test_without_documents_there_is_no_block(tmp_path: Path) -> None:
    """No document, no trace of one: not for the doers, and not where the judges would be sent it."""
    loaded = load_panel(tmp_path, panel="send_doc_to_judges = true\nsend_doc_to_final_judges = true", **STAGES)

    _, asked = run(loaded)

    assert [call for call in asked if "DOCUMENT" in user(call)] == []
    assert [item.doc_id for item in items(loaded)] == ["__no_doc__"] * 2


def test_a_document_is_named_by_its_stem_where_that_is_its_own(tmp_path: Path) -> None:
    """doc1.txt is doc1; two files that share a stem keep their suffixes."""
    for name in ("doc1.txt", "doc2.txt", "doc2.md", "archive.tar.gz", ".profile"):
        (tmp_path / name).write_text(name)
    names = '["doc1.txt", "doc2.txt", "doc2.md", "archive.tar.gz", ".profile"]'
    loaded = load_panel(tmp_path, questions='questions = ["a"]', panel=f"documents = {names}")

    assert [item.doc_id for item in items(loaded)] == ["doc1", "doc2.txt", "doc2.md", "archive.tar", ".profile"]


# ------------------------------------------------------------------------------------------------- who is shown what


@pytest.mark.parametrize("values", list(product((True, False), repeat=5)), ids=lambda values: "".join("ny"[v] for v in values))
def test_the_five_options_decide_what_judges_are_shown(tmp_path: Path, values: tuple[bool, ...]) -> None:
    """Each option adds or leaves out one thing, and a stage builds on just what it is shown."""
    on = dict(zip(OPTIONS, values, strict=True))
    (tmp_path / "d.txt").write_text("the document's text")
    panel = 'documents = ["d.txt"]\n' + "\n".join(f"{name} = {str(value).lower()}" for name, value in on.items())
    loaded = load_panel(tmp_path, panel=panel, **STAGES)

    _, asked = run(loaded)
    shown = {
        (stage, what): {mark in user(call) for call in of(stage, asked)}
        for stage in ("doer", "judge", "final")
        for what, mark in (("document", "[DOCUMENT]"), ("doers", "DOER RESPONSES:"), ("judges", "JUDGE RESPONSES:"))
    }
    follows = {
        stage: {(f.call.stage) for call in of(stage, asked) for f in call.follows} for stage in ("doer", "judge", "final")
    }

    assert shown == {
        ("doer", "document"): {True},
        ("doer", "doers"): {False},
        ("doer", "judges"): {False},
        ("judge", "document"): {on["send_doc_to_judges"]},
        ("judge", "doers"): {on["send_doer_responses_to_judges"]},
        ("judge", "judges"): {False},
        ("final", "document"): {on["send_doc_to_final_judges"]},
        ("final", "doers"): {on["send_doer_outputs_to_final_judges"]},
        ("final", "judges"): {on["send_judge_outputs_to_final_judges"]},
    }
    assert follows == {
        "doer": set(),
        "judge": {"doer"} if on["send_doer_responses_to_judges"] else set(),
        "final": {stage for stage, option in (("doer", OPTIONS[3]), ("judge", OPTIONS[4])) if on[option]},
    }


def test_the_options_defaults_are_the_specifications(tmp_path: Path) -> None:
    """Documents go to doers only; answers and verdicts are passed on."""
    config = load_panel(tmp_path).evaluation.config

    assert [getattr(config, name) for name in OPTIONS] == [False, False, True, True, True]


def test_without_judges_the_final_judges_see_no_verdicts(tmp_path: Path) -> None:
    """Verdicts are passed on only where there are some."""
    loaded = load_panel(tmp_path, **{**STAGES, "rest": '[[panel.finals]]\nmodel = "two"\n'})

    final = of("final", run(loaded)[1])[0]

    assert "JUDGE RESPONSES" not in user(final)
    assert {reply.call.stage for reply in final.follows} == {"doer"}


def test_every_response_stands_behind_its_label(tmp_path: Path) -> None:
    """[stage:API id#index], in the order asked, the index counting on over rows of one model; texts are not filled in."""
    loaded = load_panel(tmp_path, **STAGES)

    _, asked = run(loaded)
    labels = [f"- [doer:maker/{name}-1#{index}] doer {name} {index} says " for name, index in DOERS]
    judge, final = user(of("judge", asked)[0]), user(of("final", asked)[0])

    assert [judge.index(label) for label in labels] == sorted(judge.index(label) for label in labels)
    assert judge.count("- [doer:") == final.count("- [doer:") == 4
    assert [final.count(f"- [judge:maker/three-1#{index}] judge three {index} says") for index in (0, 1)] == [1, 1]
    assert judge.count("{judge_responses} {truth}") == 4 and final.count("{judge_responses} {truth}") == 6
    assert (
        final.index("QUESTION:")
        < final.index("DOER RESPONSES:")
        < final.index("JUDGE RESPONSES:")
        < final.index("INSTRUCTIONS:")
    )


def test_two_configurations_of_one_model_can_be_told_apart(tmp_path: Path) -> None:
    """One API model under two names (another effort, another temperature) is two doers: no two responses share a label."""
    models = MODELS.replace("maker/two-1", "maker/one-1")
    loaded = load_panel(tmp_path, **{**STAGES, "models": models})

    judge = user(of("judge", run(loaded)[1])[0])
    labels = [line.partition("]")[0] for line in judge.split("\n") if line.startswith("- [doer:")]

    assert len(labels) == 4
    assert len(set(labels)) == 4


def test_only_valid_texts_are_passed_on(tmp_path: Path) -> None:
    """A response that failed is left out; with none left the heading goes, too."""
    loaded = load_panel(tmp_path, **STAGES)

    some = user(of("judge", run(loaded, failing("doer:one"))[1])[0])
    none = user(of("final", run(loaded, failing("judge"))[1])[0])

    assert some.count("- [doer:") == 1 and "maker/two-1#0" in some
    assert "None" not in some and "too slow" not in some
    assert "DOER RESPONSES:" in none and "JUDGE RESPONSES:" not in none


def test_a_stage_with_nothing_to_build_on_is_not_asked(tmp_path: Path) -> None:
    """If every doer failed, judges that would compare answers are not paid to compare nothing; final judges neither."""
    loaded = load_panel(tmp_path, **STAGES)

    row, asked = run(loaded, failing("doer"))

    assert {call.stage for call in asked} == {"doer"}
    assert {(reply.call.stage, reply.error_kind) for reply in row.replies if reply.call.stage != "doer"} == {
        ("judge", "not_sent"),
        ("final", "not_sent"),
    }


def test_a_judge_who_is_shown_no_answers_is_asked_all_the_same(tmp_path: Path) -> None:
    """What a stage does not see it does not need."""
    loaded = load_panel(tmp_path, panel="send_doer_responses_to_judges = false", **STAGES)

    _, asked = run(loaded, failing("doer"))

    assert [call.stage for call in asked] == ["doer"] * 4 + ["judge"] * 2 + ["final"]


def test_rows_decide_how_their_calls_are_asked(tmp_path: Path) -> None:
    """A row's own time, temperature and token limit, else the model's, else the run's; 0 tokens = no limit."""
    rows = (
        '[[panel.doers]]\nmodel = "one"\n[[panel.doers]]\nmodel = "two"\n'
        '[[panel.doers]]\nmodel = "two"\ntimeout_s = 5\ntemperature = 0\nmax_output_tokens = 0\n'
    )
    models = MODELS.replace('"maker/two-1"\n', '"maker/two-1"\ntemperature = 0.5\nmax_output_tokens = 70\n')
    loaded = load_panel(tmp_path, run="timeout_s = 9\nmax_output_tokens = 80", models=models, doers=rows)

    found = [(call.timeout_s, call.temperature, call.max_output_tokens) for call in run(loaded)[1]]

    assert found == [(9.0, None, 80), (9.0, 0.5, 70), (5.0, 0.0, None)]


def test_each_stage_has_its_own_system_prompt(tmp_path: Path) -> None:
    """System first, question second, and the prompts of the config are those that are sent."""
    rest = STAGES["rest"] + '[panel.prompts]\ndoer_system = "D {question}"\njudge_system = "J"\nfinal_system = "F"\n'
    loaded = load_panel(tmp_path, **{**STAGES, "rest": rest})

    found = {(call.stage, *(message.role for message in call.messages), call.messages[0].content) for call in run(loaded)[1]}

    assert found == {
        ("doer", "system", "user", "D {question}"),
        ("judge", "system", "user", "J"),
        ("final", "system", "user", "F"),
    }


@pytest.mark.parametrize("name", ["max_document_bytes", "max_documents", "max_rows"])
def test_a_limit_that_no_machine_can_hold_is_refused(name: str, tmp_path: Path) -> None:
    """However large a number is written, it is a mistake at its key, and the highest that is taken is named."""
    for value in (10**30, 10**400):
        told = refusal(tmp_path, panel=f"{name} = {value}")
        assert f"panel.{name}" in told and "less than or equal to" in told
