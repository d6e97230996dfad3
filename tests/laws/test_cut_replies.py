"""Replies that the token limit cut: whatever a kind reads of them, they are asked for with more tokens, and told as cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from soaking import WIDEST_LOADED

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.evaluation.stage_models import LONGER


def _cut(call: Call) -> Reply:
    return Reply(call, "ok", text=call.example_text[: len(call.example_text) // 3], finish_reason="length")


def _before_any_text(call: Call) -> Reply:
    return Reply(call, "error", error_kind="truncated", error_message="no text", finish_reason="length")


def _reads(call: Call) -> bool:
    """Whether a kind reads structure of its reply: then it may ask once more."""
    return call.up_to > 0 or call.beyond_plan


@WIDEST_LOADED
@pytest.mark.parametrize("ends", [_cut, _before_any_text])
def test_a_cut_reply_is_asked_for_with_more_tokens_and_told_as_cut(loaded: Loaded, ends: Callable[[Call], Reply]) -> None:
    """Every call that may follow one whose reply was cut has four times its limit; what is missing in the end says so."""

    def answer(call: Call) -> Reply:
        return ends(call) if _reads(call) and call.max_output_tokens else Reply(call, "ok", text=call.example_text)

    evaluation = loaded.evaluation
    rows = [evaluation.driven(sample, answer) for sample in evaluation.samples()]
    calls = [reply.call for row in rows for reply in row.replies]
    whys = [score.why for row in rows for score in row.scores if score.value is None]

    assert not [row.error for row in rows if row.error]
    for call in calls:
        assert call.longest or not call.up_to or not call.max_output_tokens
        if call.cut_at is not None:
            assert call.beyond_plan and call.max_output_tokens == LONGER * call.cut_at
    limited = [call for call in calls if call.up_to and call.max_output_tokens]
    assert all(any(_same(call, other) and other.cut_at for other in calls) for call in limited)
    if limited:
        assert any("truncated: cut at " in why for why in whys), whys
        assert not [why for why in whys if "unparsed" in why or "cannot be read" in why]


def _same(call: Call, other: Call) -> bool:
    """Whether two calls ask for the same, one of them with more tokens."""
    return other.messages == call.messages and other.model == call.model and other.call_index == call.call_index


@WIDEST_LOADED
def test_what_is_read_at_last_is_not_told_as_cut(loaded: Loaded) -> None:
    """A reply that is whole once it has room counts as if it had been whole at first."""

    def answer(call: Call) -> Reply:
        return _cut(call) if call.up_to and call.longest else Reply(call, "ok", text=call.example_text)

    evaluation = loaded.evaluation
    for sample in evaluation.samples():
        row, whole = (evaluation.driven(sample, each) for each in (answer, lambda call: Reply(call, "ok", text=call.example_text)))
        assert [(score.name, score.value) for score in row.scores] == [(score.name, score.value) for score in whole.scores]
