"""Files with briefs (Markdown with a head of three keys, specification 002) and with versions of the prompt, read."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.evaluation.inputs import text_of
from tui_eval.kinds.graph.graph_scores import Expected
from tui_eval.kinds.graph.graph_task import Brief, Version
from tui_eval.reading.front_matter import FrontMatter, FrontMatterError, front_matter
from tui_eval.workspace.validation import nearest

COMPLEXITIES = ("simple", "moderate", "complex")
KEYS = ("expect_status_quo", "has_numeric_target", "complexity")


def alone(files: Sequence[InputFile], key: str) -> Sequence[InputFile]:
    """The files, which are told from each other by their names without suffixes. ConfigError where they are not."""
    first: dict[str, InputFile] = {}
    for file in files:
        other = first.setdefault(_stem(file).casefold(), file)
        if other is not file:
            raise ConfigError(f"{key}: {other.name} and {file.name} have the same name but for the suffix; rename one")
    if not files:
        raise ConfigError(f"{key}: matches no file")
    return files


def _stem(file: InputFile) -> str:
    return file.name.rpartition(".")[0] or file.name


def version_of(file: InputFile, key: str) -> Version:
    """A version of the prompt. ConfigError for an empty file."""
    text = text_of(file, key).strip()
    if not text:
        raise ConfigError(f"{key}: {file.name}: is empty; write what the model is to do")
    return Version(_stem(file), text, file.sha256)


def brief_of(file: InputFile, key: str) -> tuple[Brief, list[str]]:
    """The brief of a file, and what a person should know of it. ConfigError, naming the line, for a head that does not say."""
    text = text_of(file, key)
    try:
        found = front_matter(text)
        expected = Expected(_flag(found, "expect_status_quo"), _flag(found, "has_numeric_target"))
        complexity = _complexity(found)
    except FrontMatterError as error:
        raise ConfigError(f"{key}: {file.name}:{error.line}: {error}") from None
    if not found.body:
        raise ConfigError(f"{key}: {file.name}: has no text below its head; write what is to be decided")
    unknown = [name for name in found.values if name not in KEYS]
    notes = [f"{key}: {file.name}:{found.lines[name]}: {name} is not used{nearest(name, KEYS)}" for name in unknown]
    return Brief(_stem(file), found.body, file.sha256, expected, complexity), notes


def _flag(found: FrontMatter, key: str) -> bool:
    value = found.values.get(key)
    if not isinstance(value, bool):
        missing = "is missing" if key not in found.values else f"must be true or false, not {value!r}"
        raise FrontMatterError(found.lines.get(key, 1), f"{key}: {missing}; write `{key}: true` or `{key}: false`")
    return value


def _complexity(found: FrontMatter) -> str:
    value = found.values.get("complexity")
    if value not in COMPLEXITIES:
        missing = "is missing" if value is None else f"{value!r} is none of them"
        raise FrontMatterError(found.lines.get("complexity", 1), f"complexity: {missing}; one of {', '.join(COMPLEXITIES)}")
    return str(value)
