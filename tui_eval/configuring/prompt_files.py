"""The prompts that evaluations are asked with: those that a config holds or names, a person's own, the shipped ones."""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tui_eval.configuring.input_files import text_input
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.own_rubrics import RubricForm
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.scorers import SCORING, SCORING_PROMPTS
from tui_eval.kinds import KINDS
from tui_eval.reading.front_matter.rubrics import is_rubric
from tui_eval.reading.prompts import braced, check_slots, missing_slots, unknown_slot
from tui_eval.workspace.keys import KnownKeys
from tui_eval.workspace.places import Workspace, prompt_text, read_prompt, shipped
from tui_eval.workspace.plain_files import is_inside
from tui_eval.workspace.private_files import replace_file
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.trust import check_written_inside
from tui_eval.workspace.validation import nearest, no_such

_OF_JUDGES = "chat"
"""The folder of the prompts that judges are asked with in kinds that have none."""
Whose = Literal["shipped", "own", "own, same as shipped", "own, broken"]
Check = Callable[[str], str]
"""What is wrong with a text, and what to do; "" where nothing is."""


@dataclass(frozen=True, slots=True)
class PromptFile:
    """One prompt: the shipped text, a person's own, and what is wrong with that one. Own text is as it lies in the file."""

    kind: str
    """The folder of prompts/ that it is in: that of the kind that uses it, or `scoring` for scorers that ask a model."""
    name: str
    slots: tuple[str, ...]
    """What it must have somewhere, each in braces: the text that is filled in there."""
    shipped: str | None
    """None where no kind uses it."""
    own: str | None
    """None where there is none, or where it cannot be read."""
    path: Path
    """Where the own one lies, or would lie."""
    problem: str = ""
    """Why a run would not take the own one, and what to do; "" where it would."""
    notes: tuple[str, ...] = ()
    """What is odd about the own one, and may be meant."""

    @property
    def whose(self) -> Whose:
        """Source of the text that is used, in a word."""
        if self.problem:
            return "own, broken"
        if self.own is None:
            return "shipped"
        return "own, same as shipped" if self.own.strip() == self.shipped else "own"

    @property
    def text_in_use(self) -> str:
        """The text that a run is asked with, as far as there is one that can be read."""
        return (self.shipped or "") if self.own is None else self.own


def prompt_files(workspace: Workspace) -> list[PromptFile]:
    """Every prompt of every kind and of scorers, then own files that nothing uses."""
    files = [prompt_file(workspace, folder, name) for folder, prompts in prompt_folders().items() for name in prompts]
    return [*files, *_unused(workspace)]


def prompt_folders() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """By folders of prompts/ the prompts in it, each with the slots that it must have: of every kind, and of scorers that ask a
    model."""
    return {**{kind.name: kind.prompts for kind in KINDS.every().values()}, SCORING: SCORING_PROMPTS}


def _prompts_of(folder: str) -> Mapping[str, tuple[str, ...]]:
    """The same of one folder, whose kind alone is loaded for it."""
    return SCORING_PROMPTS if folder == SCORING else KINDS[folder].prompts


def prompt_file(workspace: Workspace, kind: str, name: str) -> PromptFile:
    """One prompt. ConfigError where no kind has one of that name."""
    slots = _slots(kind, name)
    path = _own_path(workspace, kind, name)
    ours = read_prompt((prompts_brought(kind) or shipped("prompts")) / kind / f"{name}.md")
    try:
        own = _own_text(path, workspace)
    except ConfigError as error:
        return PromptFile(kind, name, slots, ours, None, path, str(error))
    if own is None:
        return PromptFile(kind, name, slots, ours, None, path)
    problem = _missing(own, slots) or unknown_slot(own, known_slots(kind))
    return PromptFile(kind, name, slots, ours, own, path, problem, () if problem else tuple(_odd(own, slots, kind)))


def checker(workspace: Workspace, kind: str, name: str) -> Check:
    """Return a check of a text that is being written: why a run would not take it, as it lacks a slot, or holds a key."""
    slots, redact = _slots(kind, name), KnownKeys([workspace.env_file]).redact

    def check(text: str) -> str:
        if redact(text) != text:
            return "holds the value of one of your keys: remove it before it is stored and sent"
        return _missing(text, slots) or unknown_slot(text, known_slots(kind))

    return check


def keep(workspace: Workspace, kind: str, name: str, text: str, before: str | None) -> Path:
    """Make a text the own prompt, in one step.

    `before`: the own text as it was read, None where there was none. ConfigError where it is another by now, where a run
    would not take the new one, or where that cannot be written.
    """
    check_written_inside(workspace, workspace.root / "prompts")
    path, wrong = _own_path(workspace, kind, name), checker(workspace, kind, name)(text)
    if wrong:
        raise ConfigError(f"prompt {kind}/{name}: {wrong}")
    try:
        changed = _own_text(path, workspace) != before
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}; nothing was written") from None
    if changed:
        raise ConfigError(f"{path}: was changed by another program meanwhile; nothing was written")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{path.parent}: cannot be made: {error.strerror}") from None
    replace_file(path, text.rstrip() + "\n")
    return path


def restore(workspace: Workspace, kind: str, name: str) -> Path | None:
    """Let the shipped prompt hold again. The own one is kept beside it, under the name that is returned; None: there was none.

    ConfigError where it cannot be moved.
    """
    path = _own_path(workspace, kind, name)
    if not os.path.lexists(path):
        return None
    stamp = time.strftime("%Y%m%d_%H%M%S")
    names = (path.with_name(f"{path.name}.old-{stamp}" + (f"-{n}" if n else "")) for n in range(1000))
    aside = next(name for name in names if not os.path.lexists(name))
    try:
        path.rename(aside)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be moved aside: {error.strerror}") from None
    return aside


def _slots(kind: str, name: str) -> tuple[str, ...]:
    if kind != SCORING and kind not in KINDS:
        raise ConfigError(no_such(kind, KINDS))
    prompts = _prompts_of(kind)
    if name not in prompts:
        raise ConfigError(f"{kind} has no prompt {name!r}{nearest(name, prompts)}")
    return prompts[name]


def _own_path(workspace: Workspace, kind: str, name: str) -> Path:
    _slots(kind, name)
    return workspace.root / "prompts" / kind / f"{name}.md"


def _own_text(path: Path, workspace: Workspace) -> str | None:
    """The text of an own prompt; None where there is none. ConfigError where a run could not read it either."""
    return prompt_text(path, within=workspace.root) if os.path.lexists(path) else None


def _missing(text: str, slots: Sequence[str]) -> str:
    """Name the slots that a text lacks, and where one may be misspelt."""
    lacking = missing_slots(text, slots)
    if not lacking:
        return ""
    words = f"has no {', '.join('{' + slot + '}' for slot in lacking)}: put it where that text should stand"
    misspelt = [(line, slot_text, near) for line, slot_text, near in _strange(text, slots) if near in lacking]
    return words + "".join(f"; line {line} has {{{slot_text}}}: is {{{near}}} meant?" for line, slot_text, near in misspelt[:3])


def _odd(text: str, slots: Sequence[str], kind: str) -> Iterator[str]:
    """Slots of other prompts of the kind, which may be none of this one."""
    for line, slot, _ in _strange(text, slots):
        if slot in known_slots(kind):
            yield f"line {line}: {{{slot}}} is a slot of other prompts; a prompt that has no such slot sends it as text"


def known_slots(kind: str) -> frozenset[str]:
    """Every slot of the prompts of a folder: those that they must have, and those that the shipped ones have besides."""
    folder, prompts = (prompts_brought(kind) or shipped("prompts")) / kind, _prompts_of(kind)
    texts = [read_prompt(path) for name in prompts if (path := folder / f"{name}.md").is_file()]
    bare_names = {each.name for text in texts for each in braced(text) if each.is_bare and not each.double}
    return frozenset(bare_names.union(*prompts.values()))


def _strange(text: str, slots: Sequence[str]) -> Iterator[tuple[int, str, str | None]]:
    """(line, word, the slot that may be meant) of each word in braces that is no slot."""
    for each in braced(text):
        if each.is_bare and not each.double and each.name not in slots:
            near = next(iter(difflib.get_close_matches(each.name, slots, n=1, cutoff=0.6)), None)
            yield text.count("\n", 0, each.start) + 1, each.name, near


def _unused(workspace: Workspace) -> list[PromptFile]:
    """Own files where prompts lie that no kind uses: a misspelt name, or a file beside the folders."""
    root = workspace.root / "prompts"
    used_paths = {_own_path(workspace, folder, name) for folder, prompts in prompt_folders().items() for name in prompts}
    paths = [path for path in sorted((*root.glob("*.md"), *root.glob("*/*.md"))) if path not in used_paths and path.is_file()]
    return [_unused_file(path, "" if path.parent == root else path.parent.name, workspace) for path in paths]


def _unused_file(path: Path, kind: str, workspace: Workspace) -> PromptFile:
    if not kind:
        problem = "lies beside the folders of the kinds: move it to prompts/KIND/NAME.md"
    elif kind not in KINDS and kind != SCORING:
        problem = f"no kind uses this folder{nearest(kind, [name for name, prompts in prompt_folders().items() if prompts])}"
    else:
        problem = f"no prompt of {kind} has this name{nearest(path.stem, prompt_folders().get(kind, ()))}"
    try:
        own = _own_text(path, workspace)
    except ConfigError:
        own = None
    form = KINDS[kind].rubrics if kind in KINDS else None
    if form is None or own is None or not is_rubric(own):
        return PromptFile(kind, path.stem, (), None, own, path, problem)
    return PromptFile(kind, path.stem, ("answer",), None, own, path, _rubric_problem(form, kind, path.stem, own))


def rubric_name_problem(kind: str, name: str) -> str:
    """Say why a rubric of a kind cannot be called so; "" where it can, and of a kind that takes none."""
    form = KINDS[kind].rubrics
    if form is None:
        return ""
    return form.problem_of(name, {*KINDS[kind].prompts, *form.beside, *(metric.name for metric in KINDS[kind].metrics)})


def _rubric_problem(form: RubricForm, kind: str, name: str, text: str) -> str:
    """Say why a run would not take a rubric; "" where it would."""
    problem = rubric_name_problem(kind, name)
    try:
        form.rubric(name, text, "line")
    except ConfigError as error:
        return problem or str(error)
    return problem


def kind_table(file: TomlFile, kind: Kind) -> dict[str, Json]:
    """A kind's own table. ConfigError where there is none."""
    table = file.content.get(kind.name)
    if not isinstance(table, dict):
        missing = f"the table [{kind.name}] is missing"
        raise ConfigError(f"{file.path}: {kind.name}: {missing}", [((kind.name,), missing)], file.path)
    return table


def with_prompts(kind: Kind, table: Mapping[str, Json], prompts: Mapping[str, Json]) -> dict[str, Json]:
    """A kind's table with prompts filled into it: under its own key, or that of its judges where that is a person's own."""
    if not kind.names_prompts:
        return {**table, "prompts": prompts}
    judges = _judges_of(kind, table)
    return dict(table) if judges is None else {**table, judges: {**table[judges], "prompts": prompts}}


def prompts_in(kind: Kind, table: Mapping[str, Json]) -> Json:
    """The prompts that a kind's table holds, by name, if it holds any."""
    if not kind.names_prompts:
        return table.get("prompts", {})
    judges = _judges_of(kind, table)
    return {} if judges is None else table[judges].get("prompts", {})


def _judges_of(kind: Kind, table: Mapping[str, Json]) -> str | None:
    """Return the key of the table of judges that prompts are filled into; None where there is none."""
    key = kind.rubrics.key[0] if kind.rubrics is not None else ""
    return key if isinstance(table.get(key), dict) else None


def written_prompts(kind: Kind, table: Mapping[str, Json], task: Task) -> dict[str, Json]:
    """A kind's table as the config of a run has it, which names the prompts of the task as files."""
    beside = kind.rubrics.beside if kind.rubrics is not None and task.rubrics else ()
    prompt_names = dict.fromkeys((*kind.prompts, *beside, *task.rubrics))
    return with_prompts(kind, table, {name: {"file": f"inputs/prompts/{name}.md"} for name in prompt_names})


def filled_prompts(file: TomlFile, kind: Kind, workspace: Workspace) -> tuple[dict[str, str], list[InputFile]]:
    """Each prompt from the config (text, or { file = "..." }), else the workspace's, else the shipped one; and as files, those
    of a person's own with where they lie.
    """
    own, table = rubric_names(file, kind), kind_table(file, kind)
    if kind.names_prompts and not own:
        return {}, []
    _check_rubric_names(file, kind, own, workspace)
    beside: Mapping[str, tuple[str, ...]] = dict.fromkeys(kind.rubrics.beside, ()) if kind.rubrics is not None and own else {}
    prompts = beside if kind.names_prompts else {**kind.prompts, **beside}
    return _filled(file, kind.name, prompts, prompts_in(kind, table), workspace, own, kind.rubrics)


def rubric_names(file: TomlFile, kind: Kind) -> list[str]:
    """The rubrics of a person's own that a config names, each of them a metric and a prompt."""
    return [] if kind.rubrics is None else kind.rubrics.names_in(file.content.get(kind.name))


def _check_rubric_names(file: TomlFile, kind: Kind, names: Sequence[str], workspace: Workspace) -> None:
    """ConfigError for a rubric that cannot be called so, or that is nowhere."""
    if kind.rubrics is None or not names:
        return
    rows, prompts = file.content.get("scorers"), prompts_in(kind, kind_table(file, kind))
    scorers = [str(row.get("name", row.get("use"))) if isinstance(row, dict) else str(row) for row in rows or ()]
    taken = {*kind.prompts, *kind.rubrics.beside, *(metric.name for metric in kind.metrics), *scorers}
    existing = [path.stem for path in sorted((workspace.root / "prompts" / kind.name).glob("*.md"))]
    for name in names:
        problem = kind.rubrics.problem_of(name, taken)
        if not problem and not (isinstance(prompts, dict) and name in prompts) and name not in existing:
            problem = kind.rubrics.unknown(name, kind.name, [each for each in existing if each not in taken])
        if problem:
            raise file.error((kind.name, *kind.rubrics.key), problem)


def filled_scoring_prompts(file: TomlFile, workspace: Workspace) -> tuple[dict[str, str], list[InputFile]]:
    """The same of the prompts with which scorers ask a model."""
    table = file.content.get(SCORING)
    prompts = table.get("prompts", {}) if isinstance(table, dict) else {}
    return _filled(file, SCORING, SCORING_PROMPTS, prompts, workspace)


def _filled(
    file: TomlFile,
    table: str,
    prompts: Mapping[str, tuple[str, ...]],
    config_prompts: Json,
    workspace: Workspace,
    rubrics: Sequence[str] = (),
    form: RubricForm | None = None,
) -> tuple[dict[str, str], list[InputFile]]:
    """The prompts of a table of a config, and as files. `config_prompts`: what it holds of them; `rubrics`: the metrics of a
    person's own, each of them a prompt besides."""
    if not isinstance(config_prompts, dict):
        raise file.error((table, "prompts"), "must be a table")
    for name in config_prompts:
        if name not in prompts and name not in rubrics:
            raise file.error((table, "prompts", name), f"unknown prompt{nearest(name, prompts)}")
    places = _places((*prompts, *rubrics), table, form)
    texts = {name: _prompt_text(file, *place, config_prompts.get(name), workspace) for name, place in places.items()}
    files = []
    for name, (text, origin) in texts.items():
        try:
            if name in rubrics and form is not None:
                form.rubric(name, text, origin or f"{table}.prompts.{name}")
                files.append(replace(text_input("prompt", f"{name}.md", f"inputs/prompts/{name}.md", text), origin=origin))
                continue
            if form is not None and "inputs" not in file.content and is_rubric(text):
                problem = f"{name!r} is the name of a shipped prompt; give the rubric's file another one"
                raise ConfigError(f"{origin or name}: metric: {problem}")
            check_slots(f"{table}.prompts.{name}", text, prompts[name])
            _check_known(f"{table}.prompts.{name}", text, places[name][0], prompts[name], file)
        except ConfigError as error:
            raise ConfigError(str(error), [((table, "prompts", name), str(error))], file.path) from None
        is_own = bool(origin) or name in config_prompts
        notes = _of_other_prompts(f"{table}.prompts.{name}", text, *places[name], file) if is_own else ()
        prompt = text_input("prompt", f"{name}.md", f"inputs/prompts/{name}.md", text)
        files.append(replace(prompt, origin=origin, notes=notes))
    return {name: text for name, (text, _) in texts.items()}, files


def _places(names: Sequence[str], folder: str, form: RubricForm | None) -> dict[str, tuple[str, str]]:
    """By prompt the folder and the name that its file has: those of judges by rubrics may be prompts of chat."""
    of_judges = form.beside if form is not None else {}
    return {name: (_OF_JUDGES, of_judges[name]) if name in of_judges else (folder, name) for name in names}


def _check_known(name: str, text: str, table: str, slots: Sequence[str], file: TomlFile) -> None:
    """Raise ConfigError for a word in braces that is no slot. Runs on file were asked with what their prompts say."""
    strange = unknown_slot(text, slots)  # most have no slot but these: nothing to look up
    if strange and "inputs" not in file.content and (problem := unknown_slot(text, known_slots(table))):
        raise ConfigError(f"prompt {name!r}: {problem}")


def _of_other_prompts(key: str, text: str, folder: str, name: str, file: TomlFile) -> tuple[str, ...]:
    """List slots of a person's own prompt that only others fill in. Nothing of runs on file: they are asked as they were."""
    if "inputs" in file.content:
        return ()
    return tuple(f"prompt {key!r}: {each}" for each in _odd(text, _slots(folder, name), folder))


def prompts_brought(kind: str) -> Path | None:
    """Return the folder of the prompts that a plug-in brings with its kind, in folders as ours; None where the kind is ours."""
    folder = KINDS.folder(kind) if kind in KINDS else None
    return None if folder is None else Path(folder) / "prompts"


def _prompt_text(file: TomlFile, table: str, name: str, prompt: Json, workspace: Workspace) -> tuple[str, str]:
    """A prompt's text, and the file of a person's own that it was read from; empty where there is none."""
    if prompt is None or prompt == "":
        text, path = workspace.prompt(table, name, prompts_brought(table))
        return text, str(path) if workspace.root in path.parents else ""
    if isinstance(prompt, str):
        return prompt.strip(), ""
    if isinstance(prompt, dict) and set(prompt) == {"file"} and isinstance(prompt["file"], str):
        try:
            root = os.path.abspath(file.path.parent)
            path = Path(os.path.abspath(os.path.join(root, prompt["file"])))
            return read_prompt(path, within=Path(root) if is_inside(path, root) else path.parent), str(path)
        except (ConfigError, OSError) as error:
            raise file.error((table, "prompts", name), str(error)) from None
    raise file.error((table, "prompts", name), 'must be text, or { file = "path" }')
