"""Grants on file: what did not come home is charged, said as what it is, and simulated where all else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_eval.core.money import in_doubt_words
from tui_eval.runs.ledger import Ledger
from tui_eval.runs.reader import RunReader

HEAD = {"attempt_id": "", "started_at": "then", "cached": False, "charged_usd": 0.0001, "model": "one", "simulated": True}


def grants_in(folder: Path, lines: list[dict[str, object]], form: int = 2) -> RunReader:
    """A run folder in which this was granted."""
    (folder / "config.toml").write_text("")
    (folder / "manifest.json").write_text(json.dumps({"format": form}))
    (folder / "intents.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return RunReader(folder)


@pytest.mark.parametrize("simulated", [True, False])
def test_what_did_not_come_home_is_charged(simulated: bool, tmp_path: Path) -> None:
    """The last line of a worker counts: what was given back is in none. Money that came home is charged once."""
    reader = grants_in(
        tmp_path,
        [
            {"grant": "aaaaaa", "upto": 9, "worst_usd": 0.01},
            {"grant": "bbbbbb", "upto": 4, "worst_usd": 0.02},
            {"grant": "aaaaaa", "upto": 2, "worst_usd": 0.0002},
        ],
    )
    ledger = Ledger()
    for identity in ("aaaaaa-000001", "aaaaaa-000002", "bbbbbb-000001"):
        ledger.end({**HEAD, "attempt_id": identity, "simulated": simulated})
    ledger.begin(reader.intents(ledger.has_ended), reader.grants())

    assert [intent["attempt_id"] for intent in ledger.in_doubt] == [f"bbbbbb-{n:06d}" for n in (2, 3, 4)]
    assert (ledger.calls, ledger.spent, ledger.granted) == (6, 300 + 19_900, 3)
    assert ledger.simulated == ledger.spent * simulated
    assert ledger.in_doubt_usd == pytest.approx(0.0199)


def test_money_that_nobody_knows_is_unknown(tmp_path: Path) -> None:
    """And no zero."""
    reader = grants_in(tmp_path, [{"grant": "aaaaaa", "upto": 2, "worst_usd": None}])
    ledger = Ledger()
    ledger.begin(reader.intents(), reader.grants())
    assert ledger.in_doubt_usd is None
    assert (ledger.in_doubt_unknown, ledger.spent) == (2, 0)


def test_a_folder_of_the_first_form_has_no_grants(tmp_path: Path) -> None:
    """Whatever stands there."""
    assert grants_in(tmp_path, [{"grant": "aaaaaa", "upto": 2, "worst_usd": None}], form=1).grants() == {}


def test_the_sentence_does_not_say_that_they_were_in_flight() -> None:
    """Credits that were not begun may be among them."""
    words = in_doubt_words(7, 0.01, 0, granted=7)
    assert words.startswith("Up to 7 calls were in flight")
    assert "$0.0100" in words
    assert in_doubt_words(7, 0.01, 0).startswith("7 calls were in flight")
