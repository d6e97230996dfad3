"""Names of files in which the parts stand divided by two underscores (spec 000 §10), and back from a name to its parts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import quote, unquote

LONGEST = 48
"""Bytes of a part; of a longer one the beginning stands there, and a hash."""
BEGINNING = 32
DIVIDER = "__"
REFERENCE = ".ref.txt"
"""How the name of a file ends that holds, word for word, what stands in the source beside it."""
_OLDER = re.compile(r"(?P<source>.+)_run(?P<run>\d+)\.md")
_OLDER_ANSWERS = re.compile(r"(?P<source>.+)_answers\.json")
_RUN = re.compile(r"run(\d+)")


@lru_cache(maxsize=1024)
def name_part(text: str, also: str = "") -> str:
    """A part of a name: what no file name can hold, a second underscore, and one at an end are percent-encoded.

    `also`: what tells two parts apart that are called the same; it stands behind a tilde.
    """
    encoded = _encoded(text) + (f"~{_encoded(also)}" if also else "")
    if len(encoded) <= LONGEST:
        return encoded
    return f"{re.sub('%.?$', '', encoded[:BEGINNING])}~{hashlib.sha256(f'{text}~{also}'.encode()).hexdigest()[:8]}"


def _encoded(text: str) -> str:
    encoded = quote(text, safe=" !$&'()+,-;=@[]^_`{}", errors="backslashreplace").replace("~", "%7E")
    encoded = re.sub("(?<=_)_|^_|_$", "%5F", encoded)
    return f"%2E{encoded[1:]}" if encoded.startswith(".") else encoded


def joined(*parts: str, suffix: str) -> str:
    """The name of a file."""
    return f"{DIVIDER.join(parts)}.{suffix}"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """Parts of a file's name. Those that it does not have are empty."""

    what: str
    """processed, answers, questions, scores, summary, token_usage, config, cost_analysis; empty for any other name."""
    source: str = ""
    process_model: str = ""
    answer_model: str = ""
    model: str = ""
    """Who wrote the questions, judged, or used the tokens."""
    run: int = 0
    input_type: str = ""
    timestamp: str = ""
    about: str = ""
    """Of a summary what it sums up; of a config the name of its run."""


def read_name(name: str, names: Mapping[str, str] | None = None) -> NamedFile:
    """Return the parts of a file's name; `names`: what shortened parts stand for, as _config__ has it. Older spellings too."""
    stem = name.rpartition(".")[0]

    def decoded(part: str) -> str:
        return (names or {}).get(part) or unquote(part)

    match stem.split(DIVIDER):
        case [source, "processed", model, run] if parsed := _RUN.fullmatch(run):
            return NamedFile("processed", source=decoded(source), process_model=decoded(model), run=int(parsed[1]))
        case ["_summary", "answers", process, answer]:
            return NamedFile("summary", about="answers", process_model=decoded(process), answer_model=decoded(answer))
        case ["_summary", "scores", model, timestamp]:
            return NamedFile("summary", about="scores", model=decoded(model), timestamp=timestamp)
        case [source, "answers", process, answer]:
            return NamedFile("answers", source=decoded(source), process_model=decoded(process), answer_model=decoded(answer))
        case ["questions", "from", input_type, model, timestamp]:
            return NamedFile("questions", input_type=input_type, model=decoded(model), timestamp=timestamp)
        case ["scores", process, answer, "judged", model, timestamp]:
            found_in = NamedFile("scores", process_model=decoded(process), answer_model=decoded(answer), timestamp=timestamp)
            return replace(found_in, model=decoded(model))
        case ["_token_usage", model]:
            return NamedFile("token_usage", model=decoded(model))
        case ["_config", config_name]:
            return NamedFile("config", about=decoded(config_name))
        case ["cost_analysis", timestamp]:
            return NamedFile("cost_analysis", timestamp=timestamp)
        case ["_summary"]:
            return NamedFile("summary", about="processed")
        case ["_token_usage"]:
            return NamedFile("token_usage")
    if parsed := _OLDER.fullmatch(name):
        return NamedFile("processed", source=parsed["source"], run=int(parsed["run"]))
    if parsed := _OLDER_ANSWERS.fullmatch(name):
        return NamedFile("answers", source=parsed["source"])
    return NamedFile("")
