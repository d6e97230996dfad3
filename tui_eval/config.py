"""Reading a TOML config into typed settings; whatever is wrong is named by file, line and key."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tui_eval.errors import ConfigError, Place
from tui_eval.types import Json, ModelSpec, Price

OUR_FIELDS = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "n",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "seed",
        "reasoning_effort",
    }
)
"""Fields of a request that extra_body may not touch: budgets, keys of calls and the reading of replies rest on them."""
MAX_TOML_BYTES = 16 * 1024 * 1024
SMALL = 256 * 1024
"""Characters of a TOML text that is kept in memory, parsed."""
MAX_KEY_DEPTH = 20
MAX_BRACKET_DEPTH = 50


class Strict(BaseModel):
    """A table of which every key is known and every type is meant."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class RunSettings(Strict):
    """The `[run]` table, with the kind's defaults filled in."""

    max_calls: Annotated[int, Field(ge=1)] | None = None
    """The most requests the run may send, retries included; it never sends more. Empty = one and a half times the plan, where
    the kind has no cap of its own."""
    max_cost_usd: Annotated[float, Field(gt=0)] | None = None
    """The most the run may cost, USD; it stops asking before it would cost more. Every model then needs a price and a token
    limit. Empty = no cap on cost."""
    max_concurrency: Annotated[int, Field(ge=1, le=10_000)]
    """How many calls may be under way at once, over all models."""
    retries: Annotated[int, Field(ge=0, le=20)]
    """How often a call is tried again after a fault that may pass, such as a busy server; 0 = never. Each try counts as a
    call."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400)]
    """The most one attempt may take, seconds, from the look-up of the server's name to the last byte of its reply. A model's
    own limit wins."""
    max_output_tokens: Annotated[int, Field(ge=0)]
    """The most tokens a reply may have, thinking included; 0 = no limit. A model's own limit wins."""
    on_failure: Literal["continue", "abort"] = "continue"
    """What to do when a call has failed for good: continue with the others, or abort the run."""
    stop_model_after: Annotated[int, Field(ge=0)] = 3
    """After how many calls in a row that failed for good a model is asked no more; 0 = it is always asked on."""
    cache: bool = False
    """Keep good replies in .cache/ of the workspace, and use them again in any run that makes the same call: they cost nothing
    then."""
    repeat: Annotated[int, Field(ge=1, le=10_000)] = 1
    """How often everything is asked anew, to see how much answers vary. It multiplies the calls."""
    seed: Annotated[int, Field(ge=0)] = 0
    """The number from which everything random is made: the same seed brings the same orders, and the same intervals."""
    only: list[str] = []
    """Ids of the items to ask about, or of documents or questions, one a line; empty = all."""
    mode: Literal["live", "batch"] = "live"
    """live: ask call by call, and see replies at once. batch: hand the calls to the provider's batch interface, at half the
    price and within a day."""
    stream: bool = False
    """Ask for replies as streams: they tell when the first token came. A model's own setting wins."""
    poll_s: Annotated[float, Field(gt=0, le=3600)] = 30.0
    """How often a batch is looked after, seconds."""


class PriceTable(Strict):
    """USD per million tokens, and where and when that was read."""

    input: Annotated[float, Field(ge=0)]
    """What a million tokens of prompts cost, USD."""
    output: Annotated[float, Field(ge=0)]
    """What a million tokens of replies cost, USD; thinking counts as reply."""
    cached_input: Annotated[float, Field(ge=0)] | None = None
    """What a million prompt tokens cost that the provider had in its cache, USD. Empty = the same as input."""
    cache_write: Annotated[float, Field(ge=0)] | None = None
    """What a million prompt tokens cost that the provider puts into its cache, USD. Empty = the same as input."""
    source: str = ""
    """Where the prices were read, such as the address of a price list. May stay empty."""
    date: Annotated[str, Field(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")] = ""
    """When the prices were read, as YYYY-MM-DD. May stay empty."""


class LimitsTable(Strict):
    """How much of one model's endpoint may be in use at once."""

    max_in_flight: Annotated[int, Field(ge=1)] | None = None
    """How many of the model's calls may be under way at once. Empty = as many as the run's max_concurrency allows."""
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    """How many requests may be sent to the model in a minute. Empty = no limit but the server's."""
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    """How many tokens, of prompts and replies together, may be used in a minute; each call counts with the most it may use.
    Empty = no limit but the server's."""


class ModelTable(Strict):
    """One `[[models]]` entry, in a config or in the catalogue."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    """Your own name for the model: configs name it by this, and reports show it."""
    wire: str = ""
    """Which provider's interface it is asked through, such as openai, anthropic, ollama or simulator. Empty = guessed from the
    model's id."""
    model: Annotated[str, Field(min_length=1, max_length=300)]
    """The provider's own id of the model, sent unchanged, such as gpt-5-mini."""
    base_url: str | None = None
    """The address of the server, such as http://127.0.0.1:11434/v1; ${NAME} stands for a variable's value. Empty = the
    provider's own address."""
    api_key_env: Annotated[
        str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", json_schema_extra={"names": "key"})
    ] | None = None  # fmt: skip
    """The name of the variable that holds the key, such as OPENAI_API_KEY; never the key itself. Empty = the provider's usual
    variable."""
    organization_env: Annotated[
        str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", json_schema_extra={"names": "key"})
    ] | None = None  # fmt: skip
    """The name of the variable that holds the organization to be billed. Empty = the key's own."""
    api_version: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")] | None = None
    """The version of the API to ask for, where a provider (such as Azure) wants one. Empty = the usual one."""
    status: Literal["available", "unavailable", "deprecated", "retired"] = "available"
    """What the provider says of the model. Unavailable and retired models are not asked; a deprecated one is, with a
    warning."""
    enabled: bool = True
    """Whether runs may use the model."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    """The most one attempt may take, seconds. Empty = as the run says."""
    stream: bool | None = None
    """Whether replies are asked for as streams, which tell when the first token came. Empty = as the run says."""
    target_mode: str | None = None
    """A word for how the model is meant to be used, such as "normal"; reports can group by it, calls do not change. May stay
    empty."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """How freely the model chooses its words: 0 is the steadiest. Empty = none is sent, unless the kind of run sends one."""
    reasoning_effort: str | None = None
    """How long the model is to think, where it can be told, such as low, medium or high. Empty = none is sent."""
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    """The most tokens a reply may have, thinking included. Empty = as the run says."""
    send_seed: bool = False
    """Send a seed with every call, for servers that promise the same reply for the same seed."""
    price: PriceTable | None = None
    """What its tokens cost. Empty = as the price lists say; a model they do not have costs an unknown amount."""
    limits: LimitsTable | None = None
    """How fast it may be asked. Empty = as fast as the run allows, and more slowly when the server says so."""
    routing: dict[str, Json] | None = None
    """Which providers behind OpenRouter may answer, as its API wants it. Empty = OpenRouter decides."""
    extra_body: dict[str, Json] | None = None
    """Fields that are added to every request as they are, for what tui-eval has no key for. Empty = none."""

    @field_validator("api_version", mode="before")
    @classmethod
    def _as_text(cls, value: Json) -> Json:
        """2024-10-21 without quotes is a date to TOML, and means the same."""
        return value.isoformat() if type(value) is date else value

    @field_validator("routing", "extra_body")
    @classmethod
    def _can_be_sent(cls, value: Json) -> Json:
        ours = sorted(set(value or ()) & OUR_FIELDS)
        if ours:
            raise ValueError(
                f"{ours[0]!r} is set by tui-eval itself; use the key of its own (temperature, max_output_tokens, ...)"
            )
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"cannot be written as JSON: {error}") from None
        return value

    def spec(self, seed: int | None, stream: bool = False) -> ModelSpec:
        """The same as the frozen noun that the rest of the program uses.

        `seed` is sent with its calls unless None; `stream`: what [run] says about streams.
        """
        limits = self.limits or LimitsTable()
        return ModelSpec(
            name=self.name,
            wire=self.wire,
            model=self.model,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            temperature=self.temperature,
            reasoning_effort=self.reasoning_effort,
            max_output_tokens=self.max_output_tokens,
            max_in_flight=limits.max_in_flight,
            requests_per_minute=limits.requests_per_minute,
            tokens_per_minute=limits.tokens_per_minute,
            stream=stream if self.stream is None else self.stream,
            timeout_s=self.timeout_s,
            api_version=self.api_version,
            organization_env=self.organization_env,
            seed=seed,
            price=Price(**self.price.model_dump()) if self.price else None,
            routing=self.routing,
            extra_body=self.extra_body,
        )


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A config as read: its content, and where each key stands."""

    path: Path
    content: dict[str, Json]
    lines: Mapping[Place, int]
    given: Mapping[Place, str] = field(default_factory=dict)
    """What the command line set, by the key it set."""

    def where(self, place: Place) -> str:
        """`file:line` of a key, or of the nearest table around it; of a key given on the command line, just that."""
        for end in range(len(place), 0, -1):
            if place[:end] in self.given:
                return f"--set {self.given[place[:end]].partition('=')[0]}"
            if place[:end] in self.lines:
                return f"{self.path}:{self.lines[place[:end]]}"
        return str(self.path)

    def located(self, message: str) -> str:
        """A message that begins with a key's path, with the file and line of that key put before it."""
        return f"{self.where(placed(message)[0])}: {message}"

    def located_error(self, message: str) -> ConfigError:
        """A ConfigError of a message that may begin with a key's path; it names file, line and key."""
        return ConfigError(self.located(message), [placed(message)], self.path)

    def error(self, place: Place, message: str) -> ConfigError:
        """A ConfigError that names file, line and key."""
        return ConfigError(f"{self.where(place)}: {dotted(place)}: {message}", [(place, message)], self.path)


def read_toml(path: Path) -> TomlFile:
    """Read a TOML file; ConfigError with line and column where it is not TOML."""
    try:
        if not path.is_file():
            raise ConfigError(f"{path}: there is no such config file; give the path of a TOML file or an example's name")
        if path.stat().st_size > MAX_TOML_BYTES:
            raise ConfigError(f"{path}: larger than {MAX_TOML_BYTES // 2**20} MB; move long lists into files of their own")
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    return parse_toml(path, text)


def parse_toml(path: Path, text: str) -> TomlFile:
    """The TOML of a file whose text is known; ConfigError with line and column where it is not TOML."""
    if len(text) > SMALL:
        return _parsed(path, text)
    found = _parsed_before(path, text)
    return TomlFile(path, _copied(found.content), found.lines)


@lru_cache(maxsize=4)
def _parsed_before(path: Path, text: str) -> TomlFile:
    """The same, not parsed again while the text stays: the app reads the models on file at every change of a form."""
    return _parsed(path, text)


def _parsed(path: Path, text: str) -> TomlFile:
    _check_depth(path, text)
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        end = text.rstrip()
        last = f"line {end.count(chr(10)) + 1}, column {len(end) - end.rfind(chr(10))}, the end of the document"
        message = str(error).replace("at end of document", f"at {last}")
        raise ConfigError(f"{path}: not valid TOML: {message}", [((), f"not valid TOML: {message}")], path) from None
    return TomlFile(path, content, key_lines(text))


def has_comments(text: str) -> bool:
    """Whether there are comments in a TOML text."""
    return any(match.group().startswith("#") for match in _STRINGS.finditer(text))


def override(config: TomlFile, settings: Iterable[str]) -> TomlFile:
    """The config with `key.path=value` settings from the command line applied; values are TOML, else plain text."""
    content = _copied(config.content)
    given: dict[Place, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or any("\ud800" <= letter <= "\udfff" for letter in setting):
            raise ConfigError(f"--set {setting}: write it as key.path=value, for example --set run.max_calls=50")
        table: Any = content
        parts: list[str | int] = [int(p) if p.isascii() and p.isdigit() else p for p in name.strip().split(".")]
        for part in parts[:-1]:
            table = _step(table, part, setting)
        _assign(table, parts[-1], _toml_value(value.strip()), setting)
        given[tuple(parts)] = setting
    return TomlFile(config.path, content, config.lines, given)


Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], table: Json, config: TomlFile, place: Place) -> Model:
    """A table as its typed settings; ConfigError that lists everything wrong with it."""
    if not isinstance(table, dict):
        raise config.error(place, "must be a table")
    try:
        return model.model_validate(table)
    except ValidationError as error:
        found = [_problem(model, config, place, detail) for detail in error.errors(include_url=False)]
        messages = dict.fromkeys(map(str, found))
        problems = dict.fromkeys(problem for one in found for problem in one.problems)
        raise ConfigError("\n".join(messages), [*problems], config.path) from None


def unknown_key(config: TomlFile, place: Place, known: Iterable[str]) -> ConfigError:
    """The error for a key nobody knows, with the nearest spelling of one that exists."""
    return config.error(place, "unknown key" + nearest(str(place[-1]), known))


def nearest(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'x'?" or, where nothing is near, the list of what is known."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known are {', '.join(names)}" if names else ""


def placed(message: str) -> tuple[Place, str]:
    """A message that begins with a key's path: that path, and what is said of the key. Without one: (), and the message."""
    key = re.match(r"([A-Za-z_][\w.\[\]-]*):\s*", message)
    if key is None:
        return (), message
    parts = re.findall(r"[^.\[\]]+", key.group(1))
    return tuple(int(part) if part.isdigit() else part for part in parts), message[key.end() :]


def dotted(place: Place) -> str:
    """A key's path as a person writes it: models[0].name."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + str(part)
    return text


_SECRET = re.compile(
    r"(?i:bearer|basic)\s+\S{8,}|(sk|pk|rk|gsk|csk|xai|hf|r8|nvapi|pplx|fw|tgp|ghp|glpat)[-_][A-Za-z0-9_-]{12,}|"
    r"AIza[0-9A-Za-z_-]{20,}|(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9]{32,}"
)


def looks_secret(text: str) -> bool:
    """Whether a text looks like a key: it is not shown then, and not kept where keys do not belong."""
    return bool(_SECRET.fullmatch(text.strip()))


_PATTERNS = {
    "api_key_env": "must be the name of a variable, such as OPENAI_API_KEY; the key itself is stored with --store-key NAME",
    "organization_env": "must be the name of a variable, such as OPENAI_ORG_ID",
    "api_version": "must be letters, digits, points and hyphens, such as 2024-10-21",
    "date": "must be a date, such as 2026-01-31",
}
"""What fields that hold a pattern want, in words."""


def _problem(model: type[BaseModel], config: TomlFile, place: Place, detail: Any) -> ConfigError:
    inner: Place = tuple(part for part in detail["loc"] if not (isinstance(part, str) and set(part) & set("[<")))
    full = place + inner
    if detail["type"] == "extra_forbidden":
        return unknown_key(config, full, _keys_at(model, inner[:-1]))
    if detail["type"] == "missing":
        return config.error(full, "is missing")
    message = (
        str(detail["msg"])
        .replace("a valid list", 'a list, such as ["..."]')
        .removeprefix("Value error, ")
        .removeprefix("Input should be ")
    )
    found = detail.get("input")
    shown = f", not {found!r}" if isinstance(found, str | int | float | bool) and not looks_secret(str(found)) else ""
    if detail["type"] == "string_pattern_mismatch" and inner and inner[-1] in _PATTERNS:
        return config.error(full, _PATTERNS[str(inner[-1])] + shown)
    return config.error(full, f"must be {message}{shown}" if "Value error" not in detail["msg"] else message)


def _keys_at(model: type[BaseModel], inner: Place) -> list[str]:
    """The keys of the table that `inner` leads to, found by walking the field annotations."""
    current: Any = model
    for part in inner:
        if isinstance(part, str) and part in getattr(current, "model_fields", {}):
            current = _model_in(current.model_fields[part].annotation)
    return list(getattr(current, "model_fields", {}))


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        found = _model_in(part)
        if found is not None:
            return found
    return None


_STRINGS = re.compile(r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|#[^\n]*", re.DOTALL)
_HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_][A-Za-z0-9_.\- ]*?)\s*\]\]?\s*(?:\"\"\s*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_.\- ]+?)\s*=")


def _masked(text: str) -> str:
    """The text with strings and comments blanked, line numbers kept."""
    return _STRINGS.sub(lambda match: '""' + "\n" * match.group().count("\n"), text)


def _check_depth(path: Path, text: str) -> None:
    depth = dots = 0
    line = 1
    for token in re.finditer(r"[\[\]{},.=\n]", _masked(text)):
        match token.group():
            case ".":
                dots += 1
            case "[" | "{":
                depth, dots = depth + 1, 0
            case "]" | "}":
                depth = max(depth - 1, 0)
            case "\n":
                line, dots = line + 1, 0
            case _:
                dots = 0
        if depth > MAX_BRACKET_DEPTH or dots > MAX_KEY_DEPTH:
            raise ConfigError(f"{path}:{line}: nested too deeply (at most {MAX_KEY_DEPTH} keys, {MAX_BRACKET_DEPTH} brackets)")


def key_lines(text: str) -> dict[Place, int]:
    """The line of each key and table of a TOML text, counted from 1."""
    lines: dict[Place, int] = {}
    table: Place = ()
    counts: dict[Place, int] = {}
    depth = 0
    for number, line in enumerate(_masked(text).split("\n"), start=1):
        header = _HEADER.match(line) if depth == 0 else None
        if header:
            names: list[str] = [part.strip() for part in header.group(2).split(".")]
            table = ()
            for name in names[:-1]:
                table += (name,)
                if table in counts:
                    table += (counts[table] - 1,)
            table += (names[-1],)
            if header.group(1) == "[[":
                counts[table] = counts.get(table, 0) + 1
                table += (counts[table] - 1,)
            lines.setdefault(table, number)
            continue
        key = _KEY.match(line) if depth == 0 else None
        depth = max(depth + sum(line.count(sign) for sign in "[{") - sum(line.count(sign) for sign in "]}"), 0)
        if key:
            lines.setdefault(table + tuple(part.strip() for part in key.group(1).split(".")), number)
    return lines


def _copied(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


def _toml_value(text: str) -> Json:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _step(table: Any, part: str | int, setting: str) -> Any:
    if isinstance(part, int) and isinstance(table, list) and part < len(table):
        return table[part]
    if isinstance(table, dict):
        return table.setdefault(str(part), {})
    raise ConfigError(f"--set {setting}: the config has no {part!r} there")


def _assign(table: Any, part: str | int, value: Json, setting: str) -> None:
    if isinstance(part, int) and isinstance(table, list) and part < len(table):
        table[part] = value
    elif isinstance(table, dict):
        table[str(part)] = value
    else:
        raise ConfigError(f"--set {setting}: the config has no {part!r} there")
