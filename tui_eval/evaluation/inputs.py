"""Inputs from which a kind resolves its config, and the task that it makes of them, in which nothing is left open."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.calls import ModelSpec
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.units import QUESTIONS, Units
from tui_eval.evaluation.judging.judge_attacks import ROLE, Attack, Attacks, attacks_in
from tui_eval.evaluation.judging.own_rubrics import NO_RUBRICS
from tui_eval.evaluation.scorers import NO_SCORERS, Scorers
from tui_eval.evaluation.stage_models import Asked
from tui_eval.reading.front_matter.rubrics import OwnRubric
from tui_eval.reading.grades import lines_of
from tui_eval.workspace.run_settings import RunSettings


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that was read for a config before its kind looks at it."""

    files: Sequence[InputFile]
    """Every file that the config names, each once."""
    models: Mapping[str, ModelSpec]
    """The run's models by their names."""
    run: RunSettings
    asked: Asked
    """The same by the stages they are asked in, with their limits."""
    keys: Mapping[str, str]
    """By the roles of files: the config key that names them, for errors."""
    scorers: Scorers = NO_SCORERS
    """What the config has replies scored by, besides what the kind does itself."""
    windows: Mapping[str, int] = field(default_factory=dict)
    """How many tokens prompt and reply of a model may have together, by its name, where that is known."""

    def of(self, role: str) -> list[InputFile]:
        """The files of a role: those that one key names."""
        return [file for file in self.files if file.role == role]

    def one(self, role: str) -> InputFile:
        """The one file of a role. ConfigError where there is another number of them."""
        files = self.of(role)
        if len(files) != 1:
            raise ConfigError(f"{self.keys.get(role, role)}: must name one file; it matches {len(files)}")
        return files[0]

    def text(self, role: str) -> str:
        """The text of the one file of a role. ConfigError where it is no text, or where there is another number of them."""
        return text_of(self.one(role), self.keys[role])

    def lines(self, role: str) -> Sequence[str]:
        """The lines of that text that say something (`reading.grades`); of a large file each is read when it is looked at."""
        file, key = self.one(role), self.keys[role]
        if file.held is None and file.by_line is not None and file.encoding == "utf-8":
            return file.by_line(file)
        return tuple(lines_of(text_of(file, key)))

    def attacks(self) -> list[Attack]:
        """The attacks of the set that the config names; none where it names none. ConfigError as `attacks_in` raises it."""
        return attacks_in(self.text(ROLE), f"{self.keys[ROLE]}: {self.one(ROLE).name}") if self.of(ROLE) else []


def text_of(file: InputFile, key: str) -> str:
    """A file's text, without a byte order mark. ConfigError, naming the key that names the file, where it is no UTF-8."""
    if file.encoding != "utf-8":
        raise ConfigError(f"{key}: {file.name}: not UTF-8; save it as UTF-8 text")
    return file.content.removeprefix("\ufeff")


def json_of(file: InputFile, key: str) -> Any:
    """A file's text as JSON. ConfigError, naming the key that names the file, where it is none."""
    try:
        return json.loads(text_of(file, key))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{key}: {file.name}: not JSON: {error}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """An evaluation with everything read, filled in and checked. Kinds add what is their own.

    A config with every default filled in and its paths inside inputs/ resolves to the same task again.
    """

    config: Any
    """The kind's table, filled in."""
    asked: Asked
    """The models of each stage, with their limits."""
    warnings: tuple[str, ...] = ()
    """What a person should know before the run starts."""
    seed: int = 0
    """The run's."""
    attacks: Attacks | None = None
    """What the run's judges are attacked with, beside what is asked; None = nothing."""
    units: Units = QUESTIONS
    """What its numbers are about, as its kind declares it."""
    told_in_threads: bool = False
    """Whether its flows may wait for a child process when they are told replies: they are told these beside all else."""
    scorers: Scorers = NO_SCORERS
    """What scores its answers besides: a kind whose samples bring rules of their own sets it, else it is that of the config."""
    rubrics: Mapping[str, OwnRubric] = field(default_factory=lambda: NO_RUBRICS)
    """A person's own rubrics that its judges mark by, by the names of their metrics."""
    rubric_stage: str = "judge"
    """The stage in which the judges of these are asked."""
    recorded: frozenset[str] = frozenset()
    """Stages whose replies are those of an earlier run: they are on file before the run begins, and never asked."""
