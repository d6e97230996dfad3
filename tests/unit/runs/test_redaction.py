"""Laws of secrets: no key leaves in any spelling, and the rest of a text stays as it was."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from makers import attempt, few, run_folder, strict_json

from tui_eval.core.calls import Usage
from tui_eval.core.errors import ConfigError
from tui_eval.runs.folder import LOG, RunFolder, create_folder
from tui_eval.runs.record import head_of, line_of
from tui_eval.workspace.keys import Keys

NAME = "UNIT_TEST_KEY"
LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGH0123456789-_.~/+=:%&?#!"
secrets = st.text(LETTERS, min_size=8, max_size=40)
around = st.text(st.sampled_from(' \n"\\{}[],éЖ\u2028\ud83d'), max_size=12)


def keys_of(*values: str) -> Keys:
    """Keys with these values, found in the environment."""
    names = [f"{NAME}_{number}" for number in range(len(values))]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in zip(names, values, strict=True):
            patch.setenv(name, value)
        return Keys(names, [])


def spellings(secret: str) -> list[str]:
    """Ways in which a server or a library writes a text."""
    return [
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        secret.replace("/", "\\/"),
        json.dumps(secret)[1:-1],
        json.dumps(json.dumps({"key": secret})),
        f"Bearer {secret}",
        f"https://host/v1?key={secret}",
    ]


CODED: dict[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "no capitals": str.lower,
    "hexadecimal": lambda secret: secret.encode().hex(),
    "HEXADECIMAL": lambda secret: secret.encode().hex().upper(),
    "base32": lambda secret: base64.b32encode(secret.encode()).decode(),
    "base64 twice": lambda secret: base64.b64encode(base64.b64encode(secret.encode())).decode(),
    "percent": lambda secret: "".join(f"%{ord(sign):02x}" for sign in secret),
    "JSON in JSON": lambda secret: "".join(f"\\u{ord(sign):04X}" for sign in secret),
    "Python's": lambda secret: "".join(f"\\x{ord(sign):02x}" for sign in secret),
    "HTML": lambda secret: "".join(f"&#{ord(sign)};" for sign in secret),
    "HTML, hexadecimal": lambda secret: "".join(f"&#x{ord(sign):x};" for sign in secret),
}


@pytest.mark.parametrize("coded", CODED.values(), ids=CODED.keys())
def test_a_key_that_is_coded_whole_is_blotted_out(coded: Callable[[str], str]) -> None:
    """In capitals, in hexadecimal, character by character: of the text around it nothing goes."""
    for secret in ("sk-proj-Ab3_dE9/xy", "0123456789abcdef", "AIzaSyB-xyz~q"):
        clean = keys_of(secret).redact(f"before {coded(secret)} after")

        assert re.fullmatch(r"before \[redacted\]=* after", clean)


@few
@given(secrets, around, around)
def test_a_key_is_blotted_out_in_every_spelling(secret: str, before: str, after: str) -> None:
    """As it is, quoted for a URL, or with escaped slashes, wherever it stands: it is not there any more, the rest is."""
    keys = keys_of(secret)
    for written in spellings(secret):
        clean = keys.redact(f"{before} {written} {after}")

        assert secret not in clean and quote(secret, safe="") not in clean and secret.replace("/", "\\/") not in clean
        assert "[redacted]" in clean
        assert clean.startswith(f"{before} ") and clean.endswith(f" {after}")


OTHER_QUOTES = {
    "lower-case escapes": quote("sk/live+abcdefgh=1", safe="")
    .replace("%2F", "%2f")
    .replace("%2B", "%2b")
    .replace("%3D", "%3d"),
    "slashes left as they are": quote("sk/live+abcdefgh=1"),
    "plus signs left as they are": quote("sk/live+abcdefgh=1", safe="+"),
    "equal signs left as they are": quote("sk/live+abcdefgh=1", safe="="),
}


@pytest.mark.parametrize("written", OTHER_QUOTES.values(), ids=OTHER_QUOTES.keys())
def test_a_key_is_blotted_out_however_a_url_quotes_it(written: str) -> None:
    """%2f and %2F are the same character, and a path may leave a slash as it is: servers write either."""
    assert written not in keys_of("sk/live+abcdefgh=1").redact(f"key={written}")


@few
@given(secrets, st.binary(max_size=7), st.binary(max_size=7), st.booleans(), st.booleans())
def test_a_key_inside_base64_is_blotted_out(secret: str, before: bytes, after: bytes, url: bool, padded: bool) -> None:
    """Encoded with anything before and after it, at each of the three offsets, no digit that only the key decides is left."""
    assume(len(set(secret)) > 3 and secret.encode() not in before + after)
    coded = (base64.urlsafe_b64encode if url else base64.b64encode)(before + secret.encode() + after).decode()
    own = coded[-(-8 * len(before) // 6) : 8 * (len(before) + len(secret)) // 6]

    clean = keys_of(secret).redact(coded if padded else coded.rstrip("="))

    assert own not in clean
    assert len(clean.replace("[redacted]", "").rstrip("=")) <= len(coded.rstrip("=")) - len(own)


@few
@given(st.text(st.sampled_from('klmnopqrstuvwxyz \n"\\/é\u2028\ud83d0123456789'), max_size=80))
def test_other_text_is_not_touched(text: str) -> None:
    """Where no key stands, nothing changes."""
    assert keys_of("ABCDEFGHIJ-ABCDEFGHIJ").redact(text) == text


def test_short_values_are_left_alone() -> None:
    """A value of seven letters is no secret worth mangling every text for; one of eight is."""
    assert keys_of("simple7").redact("a simple7 text") == "a simple7 text"
    assert keys_of("simple78").redact("a simple78 text") == "a [redacted] text"


@pytest.mark.parametrize("order", [1, -1])
def test_a_key_that_begins_like_another_hides_no_part_of_it(order: int) -> None:
    """Of two keys of which one is the beginning of the other, both are blotted out whole, in whatever order they come."""
    short, long = "sk-team-0001", "sk-team-0001-then-the-secret-part"

    clean = keys_of(*[short, long][::order]).redact(f"<{long}> <{short}>")

    assert clean == "<[redacted]> <[redacted]>"


@few
@given(st.text("abcdefghijkmnopqrstuvwxyz0123456789-_/+=", min_size=12, max_size=40).map("sk-".__add__), around)
def test_no_byte_of_a_run_folder_holds_a_key(tmp_path: Path, secret: str, text: str) -> None:
    """A server that echoes the key in its body finds it in no byte of the log, and the log is still strict JSON."""
    keys = keys_of(secret)
    echo = {"error": {"message": f"bad key {secret}{text}", "url": quote(secret, safe="")}}
    b64 = base64.b64encode(b"x" + secret.encode()).decode()
    path = tmp_path / "run"
    if not path.exists():
        run_folder(path)
    run = RunFolder(path, keys.redact)
    run.truncate_results()
    line = line_of(attempt(error_message=f"{text}{secret}", response_json=echo, response_body_b64=b64), json.dumps([secret]))

    run.append(LOG, line)
    run.close()
    last = (path / LOG).read_text().split("\n")[-2]

    assert secret not in last and quote(secret, safe="") not in last and secret.replace("/", "\\/") not in last
    assert strict_json(last)["error_message"] == f"{text}[redacted]"


@pytest.mark.parametrize("dummy", ["simulated", "response_text", "transient", "12345678"])
def test_a_dummy_key_does_not_spoil_the_log(dummy: str, tmp_path: Path) -> None:
    """A made-up key for a local server may be a word or a number of our own records: it is refused, or they stay readable."""
    written = attempt(usage=Usage(cost_usd=0.123456789), error_kind="transient")
    try:
        keys = keys_of(dummy)
    except ConfigError:
        return

    path = tmp_path / "run"
    create_folder(path)
    run = RunFolder(path, keys.redact)
    run.append(LOG, line_of(written, None))
    run.close()
    line = (path / LOG).read_text()

    assert head_of(line.encode())["call_key"] == written.call_key
    assert set(strict_json(line)) == set(strict_json(line_of(written, None)))


@pytest.mark.parametrize(
    "value", ["sk live-12345678", "sk-'12345678", 'sk-"12345678', "sk-\\12345678", "sk-é12345678", "sk-1\n2345678"]
)
def test_a_value_that_no_key_has_is_refused_without_being_shown(value: str) -> None:
    """Spaces, quotes and line ends in a key are a mistake in the file: the variable is named, its value never."""
    with pytest.raises(ConfigError) as caught:
        keys_of(value)

    assert f"{NAME}_0" in str(caught.value)
    assert "2345678" not in str(caught.value)


@pytest.mark.parametrize("value", ["", "  ", "\t"])
def test_an_empty_value_is_no_key(tmp_path: Path, value: str) -> None:
    """A variable that is set to nothing is not set, and the message says where it may be put."""
    with pytest.raises(ConfigError, match=f"{NAME}_0 is not set"):
        keys_of(value)


def test_the_environment_wins_over_the_files_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key is the environment's, else the first file's that has it."""
    first, second = tmp_path / "first.env", tmp_path / "second.env"
    first.write_text(f"{NAME}_A=of-first-file\n{NAME}_B=of-first-file\n")
    second.write_text(f"{NAME}_B=of-second-file\n{NAME}_C=of-second-file\n")
    monkeypatch.setenv(f"{NAME}_A", "of-the-environment")
    names = [f"{NAME}_{letter}" for letter in "ABC"]

    keys = Keys(names, [first, second])

    assert [keys.value(name) for name in names] == ["of-the-environment", "of-first-file", "of-second-file"]


@few
@given(secrets, st.binary(max_size=20), st.binary(max_size=20))
def test_a_key_is_blotted_out_of_bytes(secret: str, before: bytes, after: bytes) -> None:
    """A body that is no text loses the key it repeats, and nothing else."""
    clean = keys_of(secret).redact_bytes(before + b"\xff" + secret.encode() + b"\xff" + after)

    assert secret.encode() not in clean
    assert clean.startswith(before + b"\xff") or secret.encode() in before
    assert b"[redacted]" in clean


def test_a_token_in_an_address_is_a_secret_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gateway's token that is part of the base URL is blotted out once it is known; the host is not."""
    monkeypatch.setenv("UNIT_TOKEN", "tok3n-abcdefgh-0001")
    monkeypatch.setenv("UNIT_HOST", "gateway1.example.org")
    keys = Keys([], [])

    url = keys.expanded("https://${UNIT_HOST}/${UNIT_TOKEN}/v1")

    assert keys.redact(url) == "https://gateway1.example.org/[redacted]/v1"


def test_variables_of_an_address_are_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ${VAR} of a base URL is replaced by its value, and nothing else is."""
    monkeypatch.setenv("UNIT_HOST", "127.0.0.1")

    url = Keys([], []).expanded("http://${UNIT_HOST}:9/$UNIT_HOST/{UNIT_HOST}/${UNIT_HOST}")

    assert url == "http://127.0.0.1:9/$UNIT_HOST/{UNIT_HOST}/127.0.0.1"
