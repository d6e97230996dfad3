"""Code of own scorers: the place and the return type of each function of a config, and the consent that lets it run."""

from __future__ import annotations

import ast
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tui_eval.configuring.egress import Egress, EgressError, Trust, is_run_config, trust_of
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.evaluation.scorers import Scorers
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import read_text_file
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.trust import Permit, permit

if TYPE_CHECKING:
    from tui_eval.evaluation.scoring.own_code.python_rule import PythonRow
    from tui_eval.evaluation.scoring.rule import ScorerRow

MOST_BYTES = 4_000_000
"""Of a file of code."""


def located(rows: Sequence[ScorerRow], file: TomlFile, workspace: Workspace) -> list[ScorerRow]:
    """The rows, own scorers with their folder and with what they return. ConfigError where a file of a config is no code, or
    has no such function. A run's own config is taken as it is: its code may be gone, and its scores stay."""
    from tui_eval.evaluation.scoring.own_code.python_rule import PythonRow
    from tui_eval.evaluation.scoring.scorer_table import check_row

    complete: list[ScorerRow] = []
    for n, row in enumerate(rows):
        if not isinstance(row, PythonRow):
            complete.append(row)
            continue
        base = workspace.root if is_run_config(file) else file.path.parent
        folder = row.folder or os.path.realpath(base)
        try:
            returned = row.returns or ("float" if is_run_config(file) else _returned(row, Path(folder)))
            settings = {"folder": folder, "returns": "bool" if row.is_rate else returned}
            complete.append(row.model_copy(update=settings))
            check_row(complete[-1])
        except ValueError as error:
            raise file.error(("scorers", n), f"python: {one_line(str(error), 400)}") from None
    return complete


def _returned(row: PythonRow, folder: Path) -> Literal["bool", "float"]:
    """The return type of a function, by its annotation; nothing is run. ValueError where there is no such function."""
    path = folder / row.file
    try:
        tree = ast.parse(read_text_file(path, MOST_BYTES))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except SyntaxError as error:
        raise ValueError(f"{path}: line {error.lineno}: not Python: {error.msg}") from None
    functions = {each.name: each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    function = functions.get(row.function)
    if function is None:
        if row.function in _bound_names(tree):
            return "float"
        raise ValueError(f"{path}: has no function {row.function}")
    is_bool = isinstance(function.returns, ast.Name) and function.returns.id == "bool"
    return "bool" if is_bool else "float"


def _bound_names(tree: ast.Module) -> set[str]:
    """Names that a module imports or assigns: each may be a function."""
    imports = (each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom | ast.Import))
    bound = {alias.asname or alias.name for each in imports for alias in each.names}
    return bound | {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def refusal(rows: Iterable[ScorerRow], file: TomlFile, workspace: Workspace) -> str:
    """The reason why own scorers of a config must not run; empty where they may, or where there are none."""
    missing = _missing(rows, trust_of(file, workspace))
    if not missing:
        return ""
    command = f"tui-eval models trust --plug-in {shlex.quote(missing[0].what)}"
    return f"code not trusted: {one_line(command, 300)}"


def _missing(rows: Iterable[ScorerRow], trust: Trust) -> list[Permit]:
    """The permits that own scorers lack; none in folders of one's own."""
    permits = [] if trust.own else permits_of(rows)
    return [each for each in permits if not any(record.allows(each) for record in trust.records)]


def permits_of(rows: Iterable[ScorerRow]) -> list[Permit]:
    """The permits of a person who lets own scorers run: for each file, by its real path."""
    own: list[Any] = [row for row in rows if row.runs_code]
    paths = dict.fromkeys(os.path.realpath(os.path.join(row.folder, row.file)) for row in own)
    return [Permit("plug-in", f"scorer {path}", "") for path in paths]


def refused_code(rows: Iterable[ScorerRow], file: TomlFile, workspace: Workspace, egress: Egress) -> EgressError | None:
    """The question before own scorers run for the first time; None where they may, or where there are none."""
    missing = _missing(rows, trust_of(file, workspace))
    if not missing:
        return None
    return EgressError(f"{file.path}: scorers: {refusal(rows, file, workspace)}", file, egress, missing)


def remember_code(scorers: Scorers, file: TomlFile, workspace: Workspace, run: Path) -> None:
    """Put on record that own scorers of a run that was prepared here may run, so that a resume and a re-score run them, too."""
    if not scorers.by_code or scorers.code_refused:
        return
    trust = trust_of(file, workspace)
    missing = [each for each in permits_of(scorers.by_code) if not any(record.allows(each) for record in trust.records)]
    with suppress(ConfigError):  # where home cannot be written, it holds for this process
        permit(run if len(trust.folders) > 1 else workspace.root, missing)


def code_named(content: Mapping[str, Any]) -> list[str]:
    """The functions that a config's scorers name, as it has them; nothing is checked or run."""
    listed = _scorers_in(content)
    words = [each for each in listed if isinstance(each, str) and ".py:" in each]
    tables = [each for each in listed if isinstance(each, dict)]
    uses = [use for each in tables if isinstance(use := each.get("use"), dict)]
    return [*words, *(place for each in (*tables, *uses) if isinstance(place := each.get("python"), str))]


def rules_named(content: Mapping[str, Any]) -> list[str]:
    """The rules that a config's scorers name, as it has them."""
    names = (each.get("use") if isinstance(each, dict) else each for each in _scorers_in(content))
    return [name for name in names if isinstance(name, str)]


def _scorers_in(content: Mapping[str, Any]) -> list[Any]:
    listed = content.get("scorers")
    return listed if isinstance(listed, list) else []
