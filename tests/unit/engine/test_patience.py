"""Laws of waiting: what a server asks for is understood in every form it may have, and nonsense is not waited for."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.engine.backoff import LONGEST_WAIT_S, pause_s, retry_after_s

NOW = 1_445_412_480.0
"""Wed, 21 Oct 2015 07:28:00 GMT."""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("2", 2.0),
        (" 2 ", 2.0),
        ("0.25", 0.25),
        ("1e9", 1e9),
        ("99999", 99999.0),
        ("Wed, 21 Oct 2015 07:28:30 GMT", 30.0),
        ("Wed, 21 Oct 2015 09:28:30 +0200", 30.0),
        ("Wed, 21 Oct 2015 07:27:00 GMT", 0.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("nan", None),
        ("inf", None),
        ("-inf", None),
        ("-3", None),
        ("soon", None),
        ("", None),
        ("2 seconds", None),
        ("2, 3", None),
        ("0x10", None),
        ("Wed, 99 Oct 2015 07:28:00 GMT", None),
        ("Wed, 21 Oct 99999 07:28:00 GMT", None),
    ],
)
def test_retry_after_is_understood_or_ignored(value: str, seconds: float | None) -> None:
    """Seconds, fractions and dates are waits, of zero at least; what is no wait is as if nothing had been said."""
    assert retry_after_s({"retry-after": value}, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "nan", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "-1", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "inf"}, None),
        ({"retry-after-ms": "0"}, 0.0),
        ({"x-ratelimit-reset": "9"}, None),
    ],
)
def test_milliseconds_come_first(headers: dict[str, str], seconds: float | None) -> None:
    """The finer header is obeyed where it is a number, else the common one."""
    assert retry_after_s(headers, NOW) == seconds


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize(
    "date", ["Wed, 21 Oct 2015 07:28:30 GMT", "Wednesday, 21-Oct-15 07:28:30 GMT", "Wed Oct 21 07:28:30 2015"]
)
def test_dates_mean_the_same_wherever_we_are(monkeypatch: pytest.MonkeyPatch, zone: str, date: str) -> None:
    """All three forms of an HTTP date are in UTC, whatever this machine's time zone is."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        seconds = retry_after_s({"retry-after": date}, NOW)
    finally:
        monkeypatch.undo()
        time.tzset()

    assert seconds == 30.0


@few
@given(st.text(st.sampled_from("0123456789 :,-+.GMTWedOct\0\u0660"), max_size=40), st.text(max_size=20))
def test_no_header_crashes_or_makes_us_wait_backwards(value: str, other: str) -> None:
    """Any text is a wait that can be slept, or none."""
    found = [
        retry_after_s(headers, NOW) for headers in ({"retry-after": value}, {"retry-after-ms": value}, {"retry-after": other})
    ]

    assert all(seconds is None or 0.0 <= seconds < float("inf") for seconds in found)


@few
@given(st.integers(0, 10**9))
def test_a_date_written_by_a_server_comes_back(ahead: int) -> None:
    """A wait told as a date is the wait that was meant."""
    assert retry_after_s({"retry-after": formatdate(NOW + ahead, usegmt=True)}, NOW) == ahead


@few
@given(st.integers(1, 10_000))
def test_an_exponential_pause_grows_to_eight_seconds(tries: int) -> None:
    """Half a second doubled each time, at most eight, of which jitter may take half and no more."""
    full = min(8.0, 0.5 * 2.0 ** min(tries - 1, 20))

    pauses = [pause_s(tries, "exponential") for _ in range(20)]

    assert all(full / 2 <= pause <= full for pause in pauses)
    assert max(pauses) < LONGEST_WAIT_S
    assert len(set(pauses)) > 1


@pytest.mark.parametrize(("tries", "seconds"), [(1, 0.25), (2, 0.5), (3, 0.75), (8, 2.0), (9, 2.0), (1000, 2.0)])
def test_a_linear_pause_is_the_specifications(tries: int, seconds: float) -> None:
    """min(2 s, 0.25 s x attempt), exactly."""
    assert pause_s(tries, "linear") == seconds
