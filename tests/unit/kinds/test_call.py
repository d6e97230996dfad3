"""Laws of the kind "call": what is written is what is sent, and what came back is told with its n."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w
from choices import Completion, items, record
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.loading import Loaded, complete, load
from tui_eval.core.calls import Call, Reply, Usage
from tui_eval.core.errors import ConfigError
from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

PNG = b"\x89PNG\r\n\x1a\nrest"
ASKED = {"role": "user", "content": "What is {one}?"}


def load_call(folder: Path, *messages: dict[str, Any], **call: Any) -> Loaded:
    """A call to a simulated model, loaded from a config in `folder`."""
    config = folder / "call.toml"
    model = {"name": "one", "wire": "simulator", "model": "sim-scholar"}
    table = {"model": "one", "messages": list(messages) or [ASKED], **call}
    config.write_text(tomli_w.dumps({"kind": "call", "name": "a call", "models": [model], "call": table}))
    return load(config, Workspace(folder))


def asked(loaded: Loaded) -> list[Call]:
    """What is asked, all of it."""
    evaluation = loaded.evaluation
    (item,) = items(loaded)
    row = evaluation.driven(item, lambda call: Reply(call, "ok", text=call.example_text))
    assert row.error == "" and row.scores == ()
    return [reply.call for reply in row.replies]


def refused(folder: Path, *messages: dict[str, Any], **call: Any) -> str:
    """What is said against such a call."""
    with pytest.raises(ConfigError) as caught:
        load_call(folder, *messages, **call)
    return str(caught.value)


turns = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant"]), "content": st.text(st.characters(codec="utf-8"), max_size=40)}
)


@few
@given(before=st.lists(turns, max_size=4), calls=st.integers(1, 5))
def test_what_is_written_is_sent_as_it_stands(before: list[dict[str, Any]], calls: int, tmp_path: Path) -> None:
    """Every message, in order, no slot filled and no white space taken away; as often as was wished; the plan counts them."""
    loaded = load_call(tmp_path, *before, ASKED, calls=calls)

    sent = asked(loaded)

    assert [[(m.role, m.content) for m in call.messages] for call in sent] == [
        [(turn["role"], turn["content"]) for turn in (*before, ASKED)]
    ] * calls
    assert loaded.plan["total_calls"] == calls


def test_an_attachment_goes_with_its_message_and_into_the_run_folder(tmp_path: Path) -> None:
    """It is sent with that message alone, lies among the run's inputs, and the run folder's own config finds it again."""
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "dot.png").write_bytes(PNG)
    loaded = load_call(tmp_path, {**ASKED, "attachments": ["pictures/dot.png"]}, {**ASKED, "content": "And now?"})
    path = tmp_path / "runs" / "one"

    preparing.prepare(loaded, path, lambda text: text, [])

    for found in (loaded, reopening.reopen(path, Workspace(tmp_path))):
        (call,) = asked(found)
        assert [[a.mime for a in m.attachments] for m in call.messages] == [["image/png"], []]
        assert call.messages[0].attachments[0].path == "inputs/documents/dot.png"
    assert (path / "inputs" / "documents" / "dot.png").read_bytes() == PNG
    assert loaded.plan["stages"][0]["attached"] == ["image/png"]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{**ASKED, "attachments": ["gone.png"]}], "cannot be read"),
        ([{**ASKED, "attachments": ["*.png"]}], "nothing matches '*.png'"),
        ([{**ASKED, "attachments": ["a.txt"]}], "not a jpg, png, gif, webp or PDF"),
        ([{**ASKED, "content": "  \n"}], "the last message is empty"),
        ([{**ASKED, "role": "robot"}], "call.messages[0].role"),
    ],
)
def test_a_mistake_is_told_with_its_place(messages: list[dict[str, Any]], words: str, tmp_path: Path) -> None:
    """What cannot be sent is refused before anything is."""
    (tmp_path / "a.txt").write_text("text")

    said = refused(tmp_path, *messages)

    assert words in said and "call.toml" in said


def test_what_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    """Half a character, as a dataset in JSON may have it: told with its place before a run folder is made."""
    model = {"name": "one", "wire": "simulator", "model": "sim-scholar"}
    table = {"model": "one", "messages": [{"role": "user", "content": "a\ud800b"}]}
    file = TomlFile(tmp_path / "call.toml", {"kind": "call", "models": [model], "call": table}, {})

    with pytest.raises(ConfigError, match=r"call\.messages\[0\]\.content: holds half a character"):
        complete(file, Workspace(tmp_path))


def test_parameters_come_from_the_call_else_the_model_else_the_run(tmp_path: Path) -> None:
    """The nearest one holds; 0 tokens is no limit."""
    (plain,) = asked(load_call(tmp_path))
    (own,) = asked(load_call(tmp_path, temperature=0.25, max_output_tokens=0, timeout_s=7.0))

    assert (plain.temperature, plain.max_output_tokens, plain.timeout_s) == (None, 2000, 60.0)
    assert (own.temperature, own.max_output_tokens, own.timeout_s) == (0.25, None, 7.0)


def ends(call: Call) -> Reply:
    """Two good replies, one of which nobody timed, a failure, and one more whose cost is not known."""
    usage = Usage(completion_tokens=10 * (call.call_index + 1), cost_usd=0.5)
    return [
        Reply(call, "ok", text="a", usage=usage, latency_ms=100),
        Reply(call, "ok", text="b", usage=usage),
        Reply(call, "error", error_kind="permanent", error_message="no"),
    ][call.call_index % 3]


def told(loaded: Loaded, answer: Completion) -> tuple[dict[str, Any], list[Any]]:
    """The figures of the table by column, and the row that a person reads first."""
    evaluation = loaded.evaluation
    reporter = evaluation.reporter()
    reporter.add(evaluation.driven(items(loaded)[0], answer))
    table = reporter.tables()["replies"]
    figures = {name: cell.value for name, cell in zip(table.columns, table.rows[0], strict=True)}
    return figures, [cell.value for cell in reporter.headline()[0].rows[0]]


def test_every_figure_says_its_n(tmp_path: Path) -> None:
    """Replies of calls, means over those whose figure is known, and nothing known is "-" and None, never 0."""
    figures, first = told(load_call(tmp_path, calls=3), ends)

    assert (figures["n_calls"], figures["n_ok"]) == (3, 2)
    assert (figures["latency_ms_mean"], figures["n_latency"]) == (100, 1)
    assert (figures["completion_tokens_mean"], figures["n_completion_tokens"]) == (15, 2)
    assert (figures["cost_usd_sum"], figures["n_cost"]) == (1.0, 2)
    assert first == ["one", "2 of 3", "0.10 s", "15", "$1.000000", "1, 2, 2"]

    figures, first = told(load_call(tmp_path), lambda call: Reply(call, "timeout", error_message="late"))
    assert figures["latency_ms_mean"] is None and figures["cost_usd_sum"] is None
    assert first == ["one", "0 of 1", "-", "-", "-", "0, 0, 0"]


def test_derived_files_come_back_from_the_log(tmp_path: Path) -> None:
    """A re-score writes the same bytes."""
    path = tmp_path / "runs" / "one"
    record(path, load_call(tmp_path, calls=3), ends)
    names = ("results.jsonl", "replies.json", "replies.csv", "report.json", "stats.json")
    before = {name: (path / name).read_bytes() for name in names}

    rescoring.rescore(path, Workspace(tmp_path))

    assert {name: (path / name).read_bytes() for name in names} == before


def test_only_its_model_can_be_asked(tmp_path: Path) -> None:
    """--models that leaves it out is refused."""
    load_call(tmp_path)
    with pytest.raises(ConfigError, match="asks no model of that name; known are one"):
        load(tmp_path / "call.toml", Workspace(tmp_path), models=["two"])
