"""From a config file to an evaluation that is ready to run: defaults filled in, files read, everything checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from tui_eval.configuring import scorer_models
from tui_eval.configuring.caps import usual_cap
from tui_eval.configuring.egress import Egress, EgressError, check_egress, egress_of, is_run_config, trust_of
from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.gate_checks import GateSettings, checked, gate_settings, warnings_of
from tui_eval.configuring.input_files import check_inputs, described, input_files, read_input, texts_of
from tui_eval.configuring.named_paths import NamedPaths, check_private_keys, named_paths
from tui_eval.configuring.named_sets import checked_options, own_keys, sound_config
from tui_eval.configuring.plugin_manifest import registered_names
from tui_eval.configuring.prompt_files import filled_prompts, filled_scoring_prompts, rubric_names, written_prompts
from tui_eval.configuring.scorer_settings import check_scorers, config_scorers, written_scorers
from tui_eval.configuring.taken_answers import FirstRepeats, taken_from
from tui_eval.configuring.top_keys import kind_of, name_of, run_settings
from tui_eval.core.calls import Json, ModelSpec
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile, Source
from tui_eval.core.plugins import untold
from tui_eval.core.samples import NO_DOCUMENT, plain_id
from tui_eval.datasets.attachments import PDF, any_attached
from tui_eval.datasets.documents import released
from tui_eval.evaluation import config_references
from tui_eval.evaluation.config_references import RECORDED
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.judging.judge_attacks import with_attacks
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.plan import models_asked, planned
from tui_eval.evaluation.sample_queues import Samples, only_named
from tui_eval.evaluation.scorers import SCORING, SCORING_PROMPTS, Scorers
from tui_eval.evaluation.stage_models import asked_models, with_limits
from tui_eval.kinds import KINDS
from tui_eval.models.destinations import Destination, destinations
from tui_eval.models.model_selection import (
    as_priced,
    asked_first,
    check_attachments,
    check_batches,
    check_model,
    costs_nothing,
    limited,
    models_of,
    seed_of,
)
from tui_eval.providers import WIRES
from tui_eval.workspace.key_files import check_key_files
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.toml_files import TomlFile, read_toml
from tui_eval.workspace.validation import nearest, validate


@dataclass(frozen=True, slots=True)
class Loaded:
    """A config that was found to be sound, with everything it names."""

    evaluation: Evaluation
    run: RunSettings
    tables: tuple[ModelTable, ...]
    plan: dict[str, Json]
    provenance: tuple[InputFile, ...]
    """Every file that was read, prompts included, under the path it has in a run folder."""
    egress: Egress
    """What leaves with it, and for where."""
    warnings: tuple[str, ...]
    key_files: tuple[Path, ...]
    file: TomlFile
    """The config it was loaded from."""
    answers: Path | str | FirstRepeats | None = None
    """The run whose replies are taken in place of asking, or taken_answers.TRUTH; None = none, or they are on file already."""
    notes: tuple[str, ...] = ()
    """What is said once, and by no quiet run: what of a set is deselected, and which models are counted as free."""
    cap_is_derived: bool = False  # nobody set the cap on calls: it was made from the plan

    @property
    def asked_tables(self) -> list[ModelTable]:
        """The models that the plan has calls for, as the config has them: nothing is sent to others."""
        asked_names = models_asked(self.plan)
        return [table for table in self.tables if table.name in asked_names]

    @property
    def destinations(self) -> tuple[Destination, ...]:
        """Destinations of what is sent, and by whose key."""
        return self.egress.hosts

    @property
    def asked_models(self) -> dict[str, ModelSpec]:
        """The same as they are asked, by name."""
        return _asked_of(self.evaluation.models, self.plan)


def load(
    path: Path,
    workspace: Workspace,
    settings: Sequence[str] = (),
    models: Sequence[str] = (),
    only: Sequence[str] = (),
    repeat: int | None = None,
    keys_file: Path | None = None,
    sends: bool = True,
) -> Loaded:
    """Read, fill in and check a config. ConfigError for whatever a person has to mend; nothing is written or sent.

    `sends`: whether calls are to be sent with it; without, no key needs to be there.
    """
    if not workspace.root.is_dir():
        raise ConfigError(f"--workspace {workspace.root}: there is no such folder")
    return complete(override(read_toml(path), settings), workspace, models, only, repeat, keys_file, sends)


def complete(
    file: TomlFile,
    workspace: Workspace,
    models: Sequence[str] = (),
    only: Sequence[str] = (),
    repeat: int | None = None,
    keys_file: Path | None = None,
    sends: bool = True,
    read: Callable[[Path, Source], InputFile] | None = None,
) -> Loaded:
    """The same for a config that was read already, or made by the program. `read` reads an input file; None: anew each time."""
    file = _with_options(file, only, repeat)
    kind = kind_of(file)
    check_inputs(file)
    run = run_settings(file, kind, repeat, only)
    (scorers, gate), key_files = _scorers_and_gate(file, kind, workspace), _key_files(keys_file, workspace)
    prompts, prompts_read, scorers = _prompts(file, kind, workspace, scorers)
    config, named_set = sound_config(file, kind, workspace, prompts)
    model_names = config_references.models(config, kind.name)
    config = scorer_models.only_models(config, kind, models, scorers)
    sources = config_references.sources(config, kind.name, run.hidden_text == "keep")
    taken_runs = scorer_models.taken_runs(config, kind, scorers)
    recorded = bool(taken_runs) or (kind.starts.from_answers is not None and any(source.role == RECORDED for source in sources))
    tables = models_of(file, scorer_models.named_models(config, kind, scorers), workspace, recorded)
    answers, warnings = taken_from(file, workspace, taken_runs, config_references.models(config, kind.name, taken_runs))
    asked_tables = _tables_named(tables, scorer_models.named_models(config, kind, scorers, but=taken_runs))
    now = sends and not run.only  # of some samples it is not known yet which models they need
    warnings = [*_checked_models(tables, asked_tables if now else (), file, workspace, key_files), *warnings]
    specs = {entry.name: limited(entry.spec(seed_of(entry, run), run.stream), run) for entry in tables}
    try:
        config_references.check_models(config, kind.name)
        paths = named_paths(file, sources, workspace, key_files, trust_of(file, workspace).records, named_set.row_files)
        named_set.add_to(paths, file.by_words)
        egress = _egress(file, asked_tables, paths, kind, scorers, prompts_read, answers, key_files, run)
        check_egress(egress, file, workspace, now)
        by_key = input_files(paths.found, read or read_input, run.pdf_tokens)
        files = _each_once(by_key, prompts_read, looks=sends or "inputs" not in file.content)
        task = checked_options(_resolved(kind, config, sources, by_key, files, specs, run, tables, scorers, taken_runs), file)
    except ConfigError as error:
        if isinstance(error, EgressError):  # what would leave is told in its own words
            raise
        raise file.located_error(str(error)) from None
    kind, gate = _measuring(kind, gate, task, file, scorers)
    queues = scorer_models.told_apart(kind, task, kind.samples(task))
    gates = None if gate is None else checked(gate, file, workspace, kind, model_names, task, queues)
    queues = with_attacks(queues, task.attacks)
    queues = _only(queues, run.only, file) if run.only else queues
    plan = planned(kind, task, queues, as_priced(specs, run), run.repeat, every=any_attached(files))
    if run.only:
        egress = _narrowed(egress, _tables_named(tables, models_asked(plan)), file, workspace, key_files, run, sends)
    check_attachments(plan, specs)
    planned_for = _asked_of(specs, plan)
    warnings += [*_notes(kind, plan, [*files, *prompts_read]), *task.warnings, *warnings_of(gates, kind, task, queues)]
    warnings += check_batches(planned_for, file) if run.mode == "batch" else []
    derived, run = run.max_calls is None, _capped(run, plan, planned_for)
    files = [*map(released, files)]
    evaluation = Evaluation(kind, name_of(file), task, queues, files, specs, run.repeat, gates)
    read_files = (*files, *texts_of(files), *prompts_read)
    notes, warned = (*named_set.words, *costs_nothing(tables, file)), tuple(warnings)
    return Loaded(evaluation, run, tuple(tables), plan, read_files, egress, warned, key_files, file, answers, notes, derived)


def _capped(run: RunSettings, plan: Mapping[str, Json], models: Mapping[str, ModelSpec]) -> RunSettings:
    """The limits with a cap on calls: that which is set, else one that is made from the plan."""
    usual = {} if run.max_calls is not None else {"max_calls": usual_cap(plan, len(asked_first(models)))}
    return run.model_copy(update=usual)


def _scorers_and_gate(file: TomlFile, kind: Kind, workspace: Workspace) -> tuple[Scorers, GateSettings | None]:
    """Return a config's own scorers, and the gates that its results are held against, so far as these are known yet."""
    scorers = config_scorers(file, kind, workspace)
    return scorers, gate_settings(file, kind, _tells_later(kind, scorers, file))


def _prompts(
    file: TomlFile, kind: Kind, workspace: Workspace, scorers: Scorers
) -> tuple[dict[str, str], list[InputFile], Scorers]:
    """The prompts of the kind; all prompts as files; and the scorers with those that they ask by."""
    texts, read = filled_prompts(file, kind, workspace)
    scorers, more = scorer_models.with_prompts(scorers, file, workspace)
    return texts, [*read, *more], scorers


def _tells_later(kind: Kind, scorers: Scorers, file: TomlFile) -> bool:
    """Return whether metrics are known when the task is: scorers or rubrics of the config are some, or samples bring some."""
    return bool(scorers) or (bool(kind.targets.stages) and not kind.metrics) or bool(rubric_names(file, kind))


def _measuring(
    kind: Kind, gate: GateSettings | None, task: Task, file: TomlFile, scorers: Scorers
) -> tuple[Kind, GateSettings | None]:
    """The kind with the metrics of its task, and the gates once more, held against them, where that was to be waited for."""
    measured_kind = kind.of(task)
    return measured_kind, gate_settings(file, measured_kind) if _tells_later(kind, scorers, file) else gate


def _with_options(file: TomlFile, only: Sequence[str], repeat: int | None) -> TomlFile:
    """A config that knows which of its keys options of their own have set: a mistake in one is the option's."""
    options = dict(file.given)
    if only:
        options["run", "only"] = "--only"
    if repeat is not None:
        options["run", "repeat"] = "--repeat"
    return replace(file, given=options)


def _tables_named(tables: Sequence[ModelTable], names: Collection[str]) -> list[ModelTable]:
    """The models of these names, in their order."""
    return [entry for entry in tables if entry.name in names]


def _checked_models(
    tables: Sequence[ModelTable],
    asked_tables: Sequence[ModelTable],
    file: TomlFile,
    workspace: Workspace,
    key_files: tuple[Path, ...],
) -> list[str]:
    """Warnings about the models. `asked_tables`: those that something will be sent to, so that their keys must be there."""
    checks = [check_model(entry, file, workspace, key_files, entry in asked_tables) for entry in tables]
    return [*chain.from_iterable(checks)]


def _egress(
    file: TomlFile, asked_tables: Sequence[ModelTable], paths: NamedPaths, kind: Kind, scorers: Scorers,
    prompts: Sequence[InputFile], answers: Path | str | None, key_files: Sequence[Path], run: RunSettings,
) -> Egress:  # fmt: skip
    """Return the table of what would leave, before any of it is read."""
    for each in prompts:
        if each.origin:
            name = each.name.removesuffix(".md")
            table = SCORING if name in SCORING_PROMPTS else kind.name
            paths.add(Path(each.origin), f"{table}.prompts.{name}", is_prompt=True)
    if isinstance(answers, Path) and not is_run_config(file):  # a run has taken them; `prepare` asks for those of another one
        paths.add(answers, kind.name)
    used = registered_names(kind.name, [entry.wire for entry in asked_tables], scorers.rows)
    plug_ins = [f"{each.what} {name}" for each, name in used if each.package(name) is not None]
    return egress_of(file, destinations(asked_tables, key_files, run.proxy), paths, plug_ins)


def _narrowed(
    egress: Egress, needed: Sequence[ModelTable], file: TomlFile, workspace: Workspace, key_files: tuple[Path, ...],
    run: RunSettings, sends: bool,
) -> Egress:  # fmt: skip
    """Return what leaves where some samples alone are asked about, which need these models; checked as all of it is."""
    _checked_models(needed, needed if sends else (), file, workspace, key_files)
    narrow = replace(egress, hosts=tuple(destinations(needed, key_files, run.proxy)))
    check_egress(narrow, file, workspace, sends)
    return narrow


def _each_once(by_key: Mapping[str, Sequence[InputFile]], prompts: Sequence[InputFile], looks: bool) -> list[InputFile]:
    """Every file that was read, by whatever keys it is named.

    ConfigError where one, or a prompt, looks like a private key (`looks`: whether they are looked through for that).
    """
    files = list({each.path: each for each in chain.from_iterable(by_key.values())}.values())
    check_private_keys([*files, *prompts] if looks else ())
    return files


def _notes(kind: Kind, plan: Mapping[str, Json], files: Sequence[InputFile]) -> list[str]:
    """Return what a person should know of a plan that broke off, of plug-ins that are shadowed, and of how files were read."""
    broken = [f"{each}: a bug of the kind {kind.name}; planned as far as it went" for each in plan.get("broken", ())]
    return [*broken, *untold([*KINDS.shadows(), *WIRES.shadows()]), *chain.from_iterable(map(attrgetter("notes"), files))]


def _asked_of(specs: Mapping[str, ModelSpec], plan: Mapping[str, Json]) -> dict[str, ModelSpec]:
    return {name: specs[name] for name in specs if name in models_asked(plan)}


def _key_files(keys_file: Path | None, workspace: Workspace) -> tuple[Path, ...]:
    if keys_file is not None and not keys_file.is_file():
        raise ConfigError(f"--keys-file {keys_file}: there is no such file")
    files = tuple(p for p in (keys_file, workspace.env_file) if p is not None)
    check_key_files(files)
    return files


def _resolved(
    kind: Kind,
    config: Any,
    sources: Sequence[Source],
    by_key: Mapping[str, Sequence[InputFile]],
    files: Sequence[InputFile],
    specs: Mapping[str, ModelSpec],
    run: RunSettings,
    tables: Sequence[ModelTable],
    scorers: Scorers,
    taken_stages: Collection[str],
) -> Task:
    """The task: rows filled in, paths inside inputs/, then what the kind makes of it. `by_key`: files by their keys."""
    windows = {entry.name: entry.context_window for entry in tables if entry.context_window is not None}
    config = with_limits(config_references.with_paths(config, kind.name, by_key), specs, run)
    keys = {source.role: source.key for source in sources}
    scorers = scorer_models.with_limits(scorers, specs, run)
    models_by_stage = scorer_models.with_scoring(asked_models(config, kind.name, specs, run), scorers)
    inputs = Inputs(files, specs, run, models_by_stage, keys, scorers, windows)
    task = kind.resolve(config, inputs)
    scored = replace(task, scorers=task.scorers or scorers)
    notes, waits = check_scorers(kind, scored), task.told_in_threads or scored.scorers.may_wait
    return replace(
        scored,
        recorded=frozenset(taken_stages),
        seed=run.seed,
        units=kind.of(scored).units,
        told_in_threads=waits,
        warnings=(*task.warnings, *notes),
    )


def mistakes(file: TomlFile, workspace: Workspace) -> list[ConfigError]:
    """Find what is wrong with a config's own tables, so far as it can be told of each by itself; whatever else may be wrong."""
    try:
        kind = kind_of(file)
        table = own_keys(file, kind)
    except ConfigError as error:
        return [error]
    entries = file.content.get("models", [])
    checks: list[Callable[[], object]] = [
        lambda: run_settings(file, kind, None, ()),
        lambda: _scorers_and_gate(file, kind, workspace),
        lambda: filled_prompts(file, kind, workspace),
        lambda: filled_scoring_prompts(file, workspace),
        lambda: validate(kind.Config, table, file, (kind.name,)),
    ]
    if isinstance(entries, list):
        checks += [partial(validate, ModelTable, entry, file, ("models", i)) for i, entry in enumerate(entries)]
    errors = []
    for check in checks:
        try:
            check()
        except ConfigError as error:
            errors.append(error)
    return errors


def used_models(file: TomlFile) -> list[str]:
    """Names of the models a config uses. ConfigError where its own table is not sound."""
    kind = kind_of(file)
    config = validate(kind.Config, own_keys(file, kind), file, (kind.name,))
    return list(scorer_models.named_models(config, kind, config_scorers(file, kind)))


def check_caps(loaded: Loaded) -> None:
    """Raise ConfigError when the estimate does not fit the caps, or a USD cap cannot be held."""
    for problem in cap_problems(loaded, "(--set run.max_calls={most})"):
        raise loaded.file.located_error(problem)


def cap_problems(loaded: Loaded, how: str) -> list[str]:
    """List the caps that the estimate does not fit, or that cannot be held; each message begins with its key.

    `how`: the words behind "raise it" that say how the cap on calls is raised, to {most}.
    """
    run, plan = loaded.run, loaded.plan
    most = plan["total_calls"] + plan["up_to_more"]
    problems = []
    if run.max_calls is not None and plan["total_calls"] > run.max_calls:
        more = f", up to {most:,} where replies cannot be read" if most > plan["total_calls"] else ""
        problems.append(
            f"run.max_calls: the plan needs {plan['total_calls']:,} calls{more}; the cap is {run.max_calls:,}: "
            f"raise it {how.format(most=most)} or ask less"
        )
    if run.max_cost_usd is not None and plan["cost_usd"] is not None and plan["cost_usd"] > run.max_cost_usd:
        problems.append(
            f"run.max_cost_usd: the plan is estimated at ${plan['cost_usd']:.6g}, the cap is ${run.max_cost_usd:.6g}; "
            "raise it or ask less"
        )
    unbounded = _unbounded(loaded)
    return [*problems, unbounded] if unbounded else problems


def check_bounded(loaded: Loaded) -> None:
    """Raise ConfigError when there is a USD cap that cannot be held."""
    problem = _unbounded(loaded)
    if problem:
        raise loaded.file.located_error(problem)


def _unbounded(loaded: Loaded) -> str:
    if loaded.run.max_cost_usd is None:
        return ""
    for stage in loaded.plan["stages"]:
        if stage["max_cost_usd"] is None:
            spec = loaded.evaluation.models[stage["model"]]
            if PDF in stage.get("attached", ()) and loaded.run.pdf_tokens is None:
                return (
                    f"run.max_cost_usd: cannot be held, since {spec.name!r} is sent PDFs of unknown length. Set "
                    "run.pdf_tokens to the most tokens that one PDF may take; a page counts as 1,500 to 3,000 "
                    "(a PDF of 20 pages: --set run.pdf_tokens=60000)"
                )
            missing = "price" if spec.price is None else "max_output_tokens"
            return (
                f"run.max_cost_usd: cannot be held, since model {spec.name!r} has no {missing}. Give it a price "
                "(price = { input = ..., output = ... }, USD per million tokens) and a token limit "
                "(run.max_output_tokens), or drop the cap"
            )
    return ""


def _only(samples: Samples, names: Sequence[str], file: TomlFile) -> Samples:
    """Some samples: by their ids, or by what they are about (a document, a question)."""
    ids = dict.fromkeys(
        name for queue in samples.values() for sample in queue for name in (sample.id, sample.doc_id) if name != NO_DOCUMENT
    )
    in_full = {name: name if name in ids else f"{NO_DOCUMENT}/{name}" for name in names}
    for name, full in in_full.items():
        if full not in ids:
            raise file.error(("run", "only"), f"no such sample {name!r}{nearest(plain_id(name), [*map(plain_id, ids)][:1000])}")
    return only_named(samples, frozenset(in_full.values()))


def resolved(loaded: Loaded) -> dict[str, Json]:
    """The config with every default filled in and models inlined: what config.toml of the run folder holds."""
    evaluation = loaded.evaluation
    table = evaluation.config.model_dump(exclude_none=True)
    table = written_prompts(evaluation.kind, table, evaluation.task)
    return {
        "kind": evaluation.kind.name,
        "name": evaluation.name,
        "run": loaded.run.model_dump(exclude_none=True),
        "models": [entry.model_dump(exclude_none=True) for entry in loaded.tables],
        evaluation.kind.name: table,
        **written_scorers(evaluation.task),
        **({"gate": evaluation.gates.settings.model_dump(exclude_unset=True)} if evaluation.gates else {}),
        "inputs": [described(file) for file in loaded.provenance],
    }
