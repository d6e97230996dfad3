"""Laws of certificates: what they rest on, when there is none, what voids them, and what a hostile file of one may hold."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui_eval.core.plaintext import visible
from tui_eval.results.certificate_files import (
    COPIES,
    MOST_BYTES,
    certificate_json,
    certificate_of,
    certificate_text,
    certificates_in,
    copies_in,
    copies_text,
    file_name,
)
from tui_eval.results.sums.judge_certificates import (
    CertificateCopy,
    CertificateOrigin,
    Identity,
    JudgeCertificate,
    Telling,
    by_served,
    certificate_words,
    other_models,
    rate_of,
    telling_of,
    void_reason,
)
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.person_checks import CheckedAnswer

JUDGE = {
    "name": "judge", "wire": "openai", "model": "gpt-5-mini", "base_url": None, "api_version": None, "reasoning_effort": "low",
    "routing_sha256": "aa", "extra_body_sha256": "bb", "temperature": 0.0, "max_output_tokens": 800, "served": ["mini-01"],
}  # fmt: skip
IDENTITY = Identity(
    JUDGE,
    {"folder": "chat", "files": {"judge_system": "11", "abstention": "22"}, "version": "chat/2"},
    {"name": "abstention", "low": 0.0, "high": 1.0, "threshold": 1.0},
    {"name": "handbook", "path": "handbook.json", "sha256": "33", "file_sha256": "44"},
)
MADE = CertificateOrigin(
    "2026-11-27T10:31:00Z", "r1", "u1", "chat", ("kim", "ada"), (("grounded", "gpt-a"), ("inventive", "gpt-b")), "0.7.0"
)
TELLING = Telling(24, 21, 22.8, 19.9, 0.92, 0.74, 0.98, 0.81, 0.6, 0.92, 1, 2)
CERTIFICATE = JudgeCertificate(IDENTITY, MADE, TELLING)


def labels(yes: int, no: int, missed: int = 0, false: int = 0, others: int = 40) -> list[CheckedAnswer]:
    """So many labels of either truth, of which the judge has some wrong, and answers without a label."""
    truths = [(1.0, float(place >= missed)) for place in range(yes)] + [(0.0, float(place < false)) for place in range(no)]
    found = [CheckedAnswer(f"c{place}", judge, person) for place, (person, judge) in enumerate(truths)]
    return [*found, *(CheckedAnswer(f"o{place}", 1.0) for place in range(others))]


def test_sensitivity_and_specificity_are_shares_of_the_labels() -> None:
    """24 yes of which the judge misses 2, 21 no of which it lets 4 through; each label of a conversation of its own."""
    found = telling_of(labels(24, 21, 2, 4), undecided=1)

    assert isinstance(found, Telling)
    assert (found.n_yes, found.n_no, found.m_yes, found.m_no) == (24, 21, pytest.approx(24), pytest.approx(21))
    assert (found.sensitivity, found.specificity) == (pytest.approx(22 / 24), pytest.approx(17 / 21))
    assert found.sensitivity_low < found.sensitivity < found.sensitivity_high and found.n_undecided == 1


def test_labels_count_by_their_weight_and_their_conversation() -> None:
    """Two labels of one conversation count half each; one that was drawn twice as often counts half; others not at all."""
    rows = labels(24, 21, 2, 4)
    wrong = [replace(row, weight=0.5) if row.person != row.judge and row.person is not None else row for row in rows]
    found = telling_of(wrong)
    assert isinstance(found, Telling) and found.sensitivity == pytest.approx(22 / 23) and found.m_yes < 24

    once = telling_of([*rows, CheckedAnswer("c5", 0.0, 1.0)])
    assert isinstance(once, Telling) and once.sensitivity == pytest.approx((21 + 0.5) / 24)
    not_drawn = telling_of([*rows, *(CheckedAnswer(f"x{n}", 0.0, 1.0, is_drawn=False) for n in range(30))])
    assert isinstance(not_drawn, Telling) and not_drawn.sensitivity == pytest.approx(22 / 24)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (labels(19, 21), "none: 19 yes, 21 no; 1 more yes is missing"),
        (labels(14, 20), "none: 14 yes, 20 no; 6 more yes are missing"),
        (labels(4, 0), "none: 4 yes, 0 no; 16 more yes and 20 more no are missing"),
        (labels(4, 0, others=0), "none: this set has 4 such answers; 20 yes and 20 no are needed"),
        (labels(20, 19, others=0), "none: this set has 39 such answers; 20 yes and 20 no are needed"),
        (labels(20, 20, 8, 8), "none: sensitivity and specificity are 1.20 together; it takes more than 1.2"),
        (labels(20, 20, 9, 8), "none: sensitivity and specificity are 1.15 together; it takes more than 1.2"),
        ([replace(row, is_drawn=False) for row in labels(30, 30)], "none: no rating was drawn by lot"),
    ],
)
def test_too_little_is_no_certificate(rows: list[CheckedAnswer], why: str) -> None:
    """Below 20 of either truth, up to 1.2, without a draw; of the sets of 4 as of others it says what would be needed."""
    assert telling_of(rows) == why
    assert isinstance(telling_of(labels(20, 20, 7, 8)), Telling)


def test_a_rate_counts_as_its_effective_number() -> None:
    """Of a share of claims as many as there are conversations; of nothing there is no rate."""
    assert rate_of(Estimate(30, 0.84, 0.7, 0.9, 62, 62, 52, 41.5)) == (0.84, 41.5)
    assert rate_of(Estimate(12, 0.6, 0.4, 0.8, 36)) == (0.6, 12) and rate_of(Estimate(0, None)) is None
    words = certificate_words(CERTIFICATE, TELLING.corrected(0.84, 62))
    assert words.startswith("corrected 89 % [") and words.endswith(
        "by the certificate of 2026-11-27 (sensitivity 0.92, specificity 0.81, on answers of grounded, inventive)"
    )
    simulated = replace(CERTIFICATE, made=replace(MADE, simulated=True))
    assert "2026-11-27 (simulated) (" in certificate_words(simulated, TELLING.corrected(0.84, 62))


@pytest.mark.parametrize(
    ("part", "field", "value", "why"),
    [
        *(("judge", name, "other", f"the judge changed ({name})") for name in (
            "wire", "model", "base_url", "api_version", "reasoning_effort", "temperature", "max_output_tokens",
        )),
        ("judge", "routing_sha256", None, "the judge changed (routing)"),
        ("judge", "extra_body_sha256", "cc", "the judge changed (extra_body)"),
        ("prompt", "files", {"judge_system": "11", "abstention": "23"}, "the prompt changed (abstention.md)"),
        ("prompt", "files", {"judge_system": "11"}, "the prompt changed (abstention.md)"),
        ("prompt", "version", "chat/3", "the prompt changed (version)"),
        ("metric", "high", 5.0, "the metric changed (high)"),
        ("metric", "threshold", None, "the metric changed (threshold)"),
        ("dataset", "sha256", "34", "the data set changed"),
        ("judge", "name", "clerk", ""),
        ("judge", "served", ["mini-02"], ""),
        ("judge", "price", None, ""),
        ("dataset", "name", "book", ""),
        ("dataset", "path", "book.json", ""),
        ("prompt", "folder", "other", ""),
    ],
)  # fmt: skip
def test_each_part_that_differs_voids_it(part: str, field: str, value: Any, why: str) -> None:
    """And is named; our names of judge and set void nothing, nor does what API calls itself before it was asked."""
    table = {**getattr(IDENTITY, part), field: value}
    now = replace(IDENTITY, **{part: table})

    assert void_reason(CERTIFICATE, now) == why
    assert (now.digest == IDENTITY.digest) == (not why)


def test_another_model_behind_the_same_id_voids_it() -> None:
    """Where the log tells that; without a reply, or with a certificate that knows no name, nothing is told."""
    asked = CertificateCopy(CERTIFICATE)
    assert by_served(asked, {"judge": {"mini-02": 3}}).why == "the API answers as mini-02, the certificate is of mini-01"
    for served in ({"judge": {"mini-01": 3}}, {"judge": {}}, {}, {"judge": {"mini-01": 1, "mini-02": 1}}):
        assert by_served(asked, served) == asked
    void = CertificateCopy(CERTIFICATE, "the data set changed")
    assert by_served(void, {"judge": {"mini-02": 3}}) == void


def test_other_answering_models_are_named() -> None:
    """By the API's own id, whatever we call them."""
    assert other_models(CERTIFICATE, {"a": "gpt-a", "b": "gpt-b"}) == ""
    assert other_models(CERTIFICATE, {"a": "gpt-a", "c": "gpt-c"}) == "c is none of the models that it was made on"
    assert other_models(CERTIFICATE, {"c": "gpt-c", "d": "d"}) == "c, d are none of the models that it was made on"


# ------------------------------------------------------------------------------------------------------------- files


def test_a_file_holds_all_of_it(tmp_path: Path) -> None:
    """Written and read it is the same; the newest is listed first; files of others' names are left alone."""
    older = replace(
        CERTIFICATE, made=replace(MADE, at="2026-11-20T00:00:00Z"), identity=replace(IDENTITY, dataset={"sha256": "0"})
    )
    for one in (older, CERTIFICATE):
        (tmp_path / file_name(one)).write_text(certificate_text(one))
    (tmp_path / "README").write_text("none")

    assert file_name(CERTIFICATE) == f"abstention-judge-{IDENTITY.digest}.json" and len(IDENTITY.digest) == 12
    assert [one.certificate for one in certificates_in(tmp_path, tmp_path)] == [CERTIFICATE, older]
    assert list(certificates_in(tmp_path / "gone", tmp_path)) == []


def test_copies_of_a_run_say_which_hold(tmp_path: Path) -> None:
    """Entries that are none are left out, and no state is valid but that word."""
    copies = [CertificateCopy(CERTIFICATE), CertificateCopy(CERTIFICATE, "the data set changed")]
    (tmp_path / COPIES).write_text(copies_text(copies))
    assert copies_in(tmp_path) == copies and copies_in(tmp_path / "gone") == []

    entry = {**certificate_json(CERTIFICATE), "state": "VALID", "why": ""}
    (tmp_path / COPIES).write_text(json.dumps({"certificates": [5, {}, entry, {**entry, "state": ["valid"]}]}))
    assert [one.why for one in copies_in(tmp_path)] == ["it was void when it was copied"] * 2
    for text in ("[", "[]", '{"certificates": 5}', '{"certificates": {"a": 1}}', "[" * 500):
        (tmp_path / COPIES).write_text(text)
        assert copies_in(tmp_path) == []


def changed(place: str, value: Any) -> dict[str, Any]:
    """A certificate's content with something else in a place."""
    table = copy.deepcopy(certificate_json(CERTIFICATE))
    *path, last = place.split(".")
    inner = table
    for name in path:
        inner = inner[name]
    inner[last] = value
    return table


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("format", 2), ("judge", 5), ("judge", {}), ("judge.model", ""), ("metric.name", None), ("judge.model", "x" * 300),
        ("judge.temperature", float("nan")), ("metric.high", float("inf")), ("judge.extra", [[1]]), ("judge.extra", {"a": {}}),
        ("prompt.files", {"a": 5}), ("prompt.files", ["a"] * 600), ("made", []), ("made.at", 5), ("made.simulated", "no"),
        ("made.models", [["a"]]), ("made.models", "ab"), ("made.models", [["a", "b"]] * 600), ("made.persons", [None]),
        ("figures", None), ("figures.n_yes", 19), ("figures.n_no", -1), ("figures.n_yes", 24.5), ("figures.n_yes", True),
        ("figures.n_yes", 10**12), ("figures.sensitivity", 1.5), ("figures.sensitivity", float("nan")),
        ("figures.sensitivity", None), ("figures.specificity", "0.9"), ("figures.specificity", 0.2),
        ("figures.sensitivity_low", 0.95), ("figures.m_yes", 0), ("figures.m_yes", 25), ("figures.m_no", float("inf")),
    ],
)  # fmt: skip
def test_what_is_no_certificate_is_read_as_none(tmp_path: Path, place: str, value: Any) -> None:
    """Another type, out of range, not a number, nested, too long: listed as unreadable with the reason, and never an error."""
    table = changed(place, value)
    with pytest.raises(ValueError, match=r"\w"):
        certificate_of(table)
    (tmp_path / "a.json").write_text(json.dumps(table))
    (found,) = certificates_in(tmp_path, tmp_path)
    assert found.certificate is None and found.problem.startswith("cannot be read: ")
    assert visible(found.problem) == found.problem and len(found.problem) < 120


def test_files_that_are_none_are_listed_as_such(tmp_path: Path) -> None:
    """A link out of the workspace, a pipe, a folder, a huge file, bytes: each is named, and nothing is waited for."""
    outside = tmp_path / "outside.json"
    outside.write_text(certificate_text(CERTIFICATE))
    folder = tmp_path / "workspace" / "certificates"
    folder.mkdir(parents=True)
    (folder / "link.json").symlink_to(outside)
    os.mkfifo(folder / "pipe.json")
    (folder / "sub.json").mkdir()
    (folder / "huge.json").write_text(certificate_text(CERTIFICATE) + " " * MOST_BYTES)
    (folder / "bytes.json").write_bytes(b"\xff\xfe\x00")
    (folder / "deep.json").write_text("[" * 5_000)

    found = list(certificates_in(folder, folder.parent))
    assert {one.path.name for one in found} == {f"{name}.json" for name in ("link", "pipe", "sub", "huge", "bytes", "deep")}
    assert all(one.certificate is None and one.problem for one in found)


def test_texts_of_a_stranger_are_shown_harmlessly(tmp_path: Path) -> None:
    """Escapes in names are texts of the file: sentences have none of them."""
    hostile = "\x1b[2J\x1b]0;x\x07\njudge"
    made = replace(MADE, at=hostile, models=((hostile, "x"),))
    found = certificate_of(json.loads(certificate_text(replace(CERTIFICATE, made=made))))

    words = certificate_words(found, found.telling.corrected(0.5, 40)) + other_models(found, {hostile: "y"})
    assert "\x1b" not in words and "\n" not in words
