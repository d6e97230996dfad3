"""Two commands that look at servers: what each configured model can do, and what is on this machine."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path

from tui_eval.cli.named_config import words_in
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.configuring.loading import used_models
from tui_eval.core.calls import Json, ModelSpec, Repair
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.engine.check import Finding, address_of, check
from tui_eval.engine.discover import PORTS, LocalServer, discover
from tui_eval.engine.http.direct import untried_version
from tui_eval.engine.http.send import Sender
from tui_eval.models import learned
from tui_eval.models.catalogue import models_on_file, names_on_file
from tui_eval.models.check_notes import keep_notes
from tui_eval.models.discovered import FoundPlace, add_found
from tui_eval.models.model_selection import models_to_check
from tui_eval.providers import WIRES
from tui_eval.providers.wire import Listed
from tui_eval.results.tables import aligned
from tui_eval.simulator.server import Simulator
from tui_eval.workspace.key_files import check_key_files
from tui_eval.workspace.keys import Keys
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml
from tui_eval.workspace.validation import nearest

WIDTH = 79
WARN_DAYS = 90
"""How long before a model is switched off its date is a warning."""
SHOWN = 40
"""Models of one server that are printed."""
SHORT_LIMITS = {"max_completion_tokens": "completion", "max_output_tokens": "output"}
LEGEND = (
    "answers: how long one tiny question took. limit: which field holds the token limit (completion = max_completion_tokens, "
    "output = max_output_tokens). temp: whether a temperature is accepted. JSON: whether a JSON schema is accepted, ignored or "
    "refused. image: n/a = this interface carries none. cost: reported by the server, priced by our price, or unknown. "
    "-: not found out."
)


# models check


def check_models(options: argparse.Namespace, workspace: Workspace) -> int:
    """Check the models of a config, or those on file; returns the exit code."""
    key_files = tuple(path for path in (options.keys_file, workspace.env_file) if path is not None)
    check_key_files(key_files)
    file = override(read_toml(workspace.config(options.config)), options.set) if options.config else None
    names = words_in("--models", options.models) or (used_models(file) if file else [])
    models = models_to_check(file, names, workspace, key_files)
    return check_command(models, workspace, key_files, options.json, options.json_lines)


def discover_servers(options: argparse.Namespace, workspace: Workspace) -> int:
    """Look for servers; returns the exit code."""
    return discover_command(workspace, _ports(options.ports), words_in("--add", options.add), options.json)


def _ports(text: str | None) -> list[int]:
    words = words_in("--ports", text)
    for word in words:
        if not (word.isascii() and word.isdigit() and 0 < int(word) < 65_536):
            raise ConfigError(f"--ports {word}: not a port; give numbers such as 8000,9000")
    return [int(word) for word in words]


def check_command(
    models: Sequence[tuple[str, ModelSpec | str]],
    workspace: Workspace,
    key_files: Sequence[Path],
    as_json: bool,
    as_lines: bool = False,
) -> int:
    """Ask each model a few tiny questions and print what was found out; 0 when all answer, else 3.

    `models`: (name, the model, or the reason why it cannot even be asked). `as_lines`: print each finding as a line of JSON as
    soon as it is complete, in the place of a report at the end.
    """
    if not models:
        raise ConfigError(
            "no model to check: add one (tui-eval models add, or tui-eval models discover for servers on this machine)"
        )
    reasons = [model if isinstance(model, str) else _problem_before(model, key_files) for _, model in models]
    specs = [model for (_, model), reason in zip(models, reasons, strict=True) if isinstance(model, ModelSpec) and not reason]
    unasked = [_unasked(*entry, reason) for entry, reason in zip(models, reasons, strict=True) if reason]
    if specs:
        _say(f"asking {'1 model' if len(specs) == 1 else f'{len(specs)} models'} a few tiny questions ...")
    on_finding = _print_line if as_lines else lambda finding: None
    for finding in unasked:
        on_finding(finding)
    learnt: list[tuple[ModelSpec, Repair]] = []
    keys = Keys([name for model in specs for name in _variables(model)], key_files)
    keys.leave(names_on_file(workspace))
    findings = asyncio.run(_checked(specs, keys, lambda model, repair: learnt.append((model, repair)), on_finding))
    report = _in_order(reasons, findings, unasked)
    if not as_lines:
        print(json.dumps([_entry(finding) for finding in report], indent=2) if as_json else check_text(report, date.today()))
    _keep(workspace, specs, findings, learnt)
    answering = sum(not finding.problem for finding in report)
    _say_sums(report, answering)
    return 0 if answering == len(report) else 3


def _say_sums(report: Sequence[Finding], answering: int) -> None:
    """Say how many models answer; where some do not, that is why the command fails."""
    message = f"{answering} of {len(report)} answer; {sum(finding.requests for finding in report)} requests were sent"
    (narrate if answering == len(report) else tell)(message)


def _in_order(reasons: Sequence[str], findings: Sequence[Finding], unasked: Sequence[Finding]) -> list[Finding]:
    """Every finding at the place of its model: those with a reason were not asked."""
    checked, unchecked = iter(findings), iter(unasked)
    return [next(unchecked) if reason else next(checked) for reason in reasons]


def _print_line(finding: Finding) -> None:
    print(json.dumps(_entry(finding)), flush=True)


def _unasked(name: str, model: ModelSpec | str, reason: str) -> Finding:
    if isinstance(model, str):
        return Finding(name, problem=reason)
    return Finding(name, model.wire, model.model, address_of(model), problem=reason)


def _problem_before(model: ModelSpec, key_files: Sequence[Path]) -> str:
    """Why a model cannot be asked at all; empty where it can."""
    wire = WIRES[model.wire]
    if wire.recorded:
        return "its answers were made elsewhere and imported: there is nothing to ask"
    if not address_of(model) and not wire.simulated:
        return f"provider {model.wire!r} needs the base_url of your resource"
    try:
        Keys(_variables(model), key_files).expanded(model.base_url or "")
    except ConfigError as error:
        return str(error)
    return ""


def _variables(model: ModelSpec) -> list[str]:
    return [name for name in (model.api_key_env, model.organization_env) if name]


async def _checked(
    models: Sequence[ModelSpec],
    keys: Keys,
    on_learned: Callable[[ModelSpec, Repair], None],
    on_finding: Callable[[Finding], None],
) -> list[Finding]:
    if models and (untried := untried_version()):
        _say(untried)
    needs_simulator = any(WIRES[model.wire].simulated and model.base_url is None for model in models)
    simulator = Simulator() if needs_simulator else None
    try:
        embedded = {} if simulator is None else {"simulator": await simulator.start()}
        sender = Sender(keys, WIRES, models, embedded)
        try:
            return await check(models, sender, keys.redact, on_learned, on_finding=on_finding)
        finally:
            await sender.close()
    finally:
        if simulator is not None:
            await simulator.stop()


def _keep(
    workspace: Workspace, specs: Sequence[ModelSpec], findings: Sequence[Finding], learnt: Sequence[tuple[ModelSpec, Repair]]
) -> None:
    """Put what was learnt in the place of what was known: of a model that did not answer, that stays known.

    What was found out of models on file is kept, too, for the list of models.
    """
    try:
        for model, finding in zip(specs, findings, strict=True):
            if not finding.problem:
                learned.forget(workspace, model)
        for model, repair in learnt:
            learned.remember(workspace, model, repair)
        ours = {name: table.model for name, (table, _) in models_on_file(workspace).items()}
        notes = [_entry(finding) for finding in findings if ours.get(finding.name) == finding.model]
        if notes:
            keep_notes(workspace, notes, datetime.now().astimezone().isoformat(timespec="seconds"), list(ours))
    except ConfigError as error:
        tell(one_line(f"the findings could not be stored: {error}", 2000))


def _entry(finding: Finding) -> dict[str, Json]:
    """A finding as --json has it."""
    return {"answers": not finding.problem, **asdict(finding), "days_left": _days_left(finding, date.today())}


def check_text(report: Sequence[Finding], today: date) -> str:
    """Return the findings as a person reads them: a table, then each model that cannot answer, then notes."""
    broken = [_problem_text(finding) for finding in report if finding.problem]
    ends = [text for finding in report if (text := _end_text(finding, today))]
    notes = [f"{_safe_name(finding.name)}: {note}" for finding in report for note in finding.notes]
    simulated = [_safe_name(finding.name) for finding in report if finding.simulated]
    if simulated:
        notes.append(f"simulated, so these findings say nothing of real models: {', '.join(simulated)}")
    answered = any(finding.latency_ms is not None for finding in report)
    parts = [_table(report), *([_wrapped(LEGEND)] if answered else [])]
    parts += [f"{title}\n\n{_joined(texts)}" for title, texts in (("CANNOT ANSWER", broken), ("ENDING", ends)) if texts]
    if notes:
        parts.append("NOTES\n\n" + "\n".join(_wrapped(f"- {note}", "  ") for note in notes))
    return "\n\n".join(parts)


def _table(report: Sequence[Finding]) -> str:
    """A row of marks per model, as narrow as a screen."""
    with_ends = any(finding.shutdown_date for finding in report)
    columns = ["name", "answers", "limit", "temp", "JSON", "image", "cost", *(["ends"] if with_ends else [])]
    rows = [_row(finding)[: len(columns)] for finding in report]
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows, strict=True)]
    room = max(WIDTH - sum(widths[1:]) - 2 * (len(columns) - 1), 12)
    rows = [[_cut(row[0], room), *row[1:]] for row in rows]
    return aligned(columns, rows, [column == "answers" for column in columns])


def _row(finding: Finding) -> list[str]:
    limit = finding.limit_field or "-"
    return [
        _safe_name(finding.name),
        "NO" if finding.problem else _duration(finding.latency_ms),
        SHORT_LIMITS.get(limit, limit),
        _mark(finding.temperature, {True: "yes", False: "no"}),
        _mark(finding.json_schema, {"accepted": "yes", "refused": "no"}),
        _mark(finding.images, {"accepted": "yes", "refused": "no", "not by this interface": "n/a"}),
        _mark(finding.cost, {}),
        finding.shutdown_date or "-",
    ]


def _mark(value: bool | str | None, marks: Mapping[bool | str, str]) -> str:
    return "-" if value is None else marks.get(value, str(value))


def _duration(ms: int | None) -> str:
    if ms is None:
        return "-"
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _cut(name: str, room: int) -> str:
    """A name that fits, without its middle: beginning and end tell names apart."""
    end = (room - 1) // 2
    return name if len(name) <= room else f"{name[: room - 1 - end]}…{name[-end:]}"


def _problem_text(finding: Finding) -> str:
    details = ", ".join(one_line(part) for part in (finding.wire, finding.model, finding.address) if part)
    return f"{_safe_name(finding.name)}{f' ({details})' if details else ''}\n{_wrapped(finding.problem, '    ', '    ')}"


def _end_text(finding: Finding, today: date) -> str:
    """A warning where a model is switched off soon, or should have been."""
    days = _days_left(finding, today)
    if days is None or days > WARN_DAYS:
        return ""
    when = "today" if days == 0 else f"in {_days(days)}" if days > 0 else f"{_days(-days)} ago"
    verb = "will be switched off" if days >= 0 else "was to be switched off"
    return f"{_safe_name(finding.name)} {verb} on {finding.shutdown_date} ({when}); choose another model to take its place"


def _days(days: int) -> str:
    return "1 day" if days == 1 else f"{days} days"


def _days_left(finding: Finding, today: date) -> int | None:
    try:
        return None if finding.shutdown_date is None else (date.fromisoformat(finding.shutdown_date) - today).days
    except ValueError:
        return None


def _joined(texts: Sequence[str]) -> str:
    return "\n".join(text if "\n" in text else _wrapped(text) for text in texts)


# models discover


def discover_command(workspace: Workspace, ports: Sequence[int], add: Sequence[str], as_json: bool) -> int:
    """Print the model servers of this machine and their models, and put models on file: those of these ids, or "all".

    `ports`: where to look; none = the usual ones. Returns 0; 2 where a model could not be put on file. ConfigError for an id
    that no server has.
    """
    ports_by_wire = _by_wire(ports) if ports else PORTS
    _say(f"looking on this machine at {_ports_text(ports_by_wire)} ...")
    servers = asyncio.run(discover(ports_by_wire))
    additions = _additions(servers, add)
    if not as_json:
        print(discover_text(servers), end="\n" if servers else "")
    added, refused = _put_on_file(workspace, additions)
    if as_json:
        print(json.dumps([_server_entry(server, added) for server in servers], indent=2))
    _say_next(
        servers,
        ports_by_wire,
        add,
        list(added.values()),
        f" --ports {','.join(map(str, dict.fromkeys(ports)))}" if ports else "",
    )
    return 2 if refused else 0


def _by_wire(ports: Sequence[int]) -> dict[str, list[int]]:
    """Ports by the wire of the server that usually listens there; the OpenAI wire for all others."""
    usual = {port: wire for wire, numbers in PORTS.items() for port in numbers}
    by_wire: dict[str, list[int]] = {}
    for port in dict.fromkeys(ports):
        if not 0 < port < 65_536:
            raise ConfigError(f"--ports {port}: a port is a number from 1 to 65535")
        by_wire.setdefault(usual.get(port, "openai"), []).append(port)
    return by_wire


def _additions(servers: Sequence[LocalServer], add: Sequence[str]) -> list[tuple[LocalServer, Listed]]:
    """The models to be put on file, each with its server."""
    every = [(server, model) for server in servers for model in server.models]
    if "all" in add:
        return every
    ids = [model.id for _, model in every]
    for name in add:
        if name not in ids:
            raise ConfigError(f"--add {name}: no server found has this model{nearest(name, ids[:1000])}")
    return [(server, model) for server, model in every if model.id in add]


def _put_on_file(
    workspace: Workspace, additions: Sequence[tuple[LocalServer, Listed]]
) -> tuple[dict[tuple[str, str], str], bool]:
    """Add models to the catalogue; their names there by base URL and id, and whether one could not be added."""
    places = [FoundPlace(server.wire, server.base_url, model.id, model.context_tokens) for server, model in additions]
    result = add_found(workspace, places)
    for place, name in result.known.items():
        _say(f"{_safe_name(place.model)}: already on file, as {_safe_name(name)}")
    for name in result.changed:
        _say(f"{_safe_name(name)}: its context window is now the one that the server reports")
    for words in result.refused:
        tell(one_line(f"not added: {words}", 2000))
    for name in result.added.values():
        _say(f"{_safe_name(name)}: added to {workspace.models_file}")
    return {(place.base_url, place.model): name for place, name in result.added.items()}, bool(result.refused)


def discover_text(servers: Sequence[LocalServer]) -> str:
    """Each server with its models, as a person reads it."""
    return "\n\n".join("\n".join(_server_lines(server)) for server in servers)


def _server_lines(server: LocalServer) -> list[str]:
    label = "  (simulated models)" if server.simulated else ""
    lines = [f"{server.wire}  {server.base_url}{label}"]
    width = min(max((len(_safe_name(model.id)) for model in server.models), default=0), 50)
    for model in server.models[:SHOWN]:
        context = f"  {model.context_tokens:,} tokens of context" if model.context_tokens else ""
        lines.append(f"    {_safe_name(model.id):<{width}}{context}".rstrip())
    if len(server.models) > SHOWN:
        lines.append(f"    ... and {len(server.models) - SHOWN:,} more (--json shows all)")
    none = "    needs a key before it lists its models" if server.needs_key else "    no models yet"
    return lines if server.models else [*lines, none]


def _server_entry(server: LocalServer, added: Mapping[tuple[str, str], str]) -> dict[str, Json]:
    """A server as --json has it."""
    models = [
        {
            "id": model.id,
            "context_tokens": model.context_tokens,
            "owner": model.owner,
            "added_as": added.get((server.base_url, model.id)),
        }
        for model in server.models
    ]
    about = {"server": server.wire, "base_url": server.base_url, "simulated": server.simulated, "needs_key": server.needs_key}
    return {**about, "models": models}


def _say_next(
    servers: Sequence[LocalServer],
    ports_by_wire: Mapping[str, Sequence[int]],
    add: Sequence[str],
    added: Sequence[str],
    where: str,
) -> None:
    """Say the next steps. `where`: the option that names the ports that were looked at; empty = the usual ones."""
    keyed = next((server.base_url for server in servers if server.needs_key), None)
    if keyed is not None:
        _say(
            f"with a key: tui-eval models add NAME --set model=ID --set wire=openai --set base_url={keyed} "
            "--set api_key_env=VARIABLE; then tui-eval keys set VARIABLE"
        )
    first = next((model.id for server in servers for model in server.models), None)
    if not servers:
        _say(f"no model server was found at {_ports_text(ports_by_wire)}; start one, or name its port: --ports 9000")
    elif first is None and keyed is None:
        _say("no server has a model yet; fetch one (for example ollama pull NAME), then look again")
    elif added:
        _say("ask them a tiny question: tui-eval models check")
        name = json.dumps(one_line(added[0]), ensure_ascii=False)
        _say(f"use one in a config by its name: model = {name} in [[panel.doers]], or models = [{name}] in [choice]")
    elif first is not None and not add:
        add = f"tui-eval models discover{where} --add {shlex.quote(_safe_name(first))} (or --add all)"
        _say(f"put models on file: {add}; then tui-eval models check asks them")


def _ports_text(ports_by_wire: Mapping[str, Sequence[int]]) -> str:
    words = [
        f"{', '.join(map(str, numbers))}{f' ({wire})' if wire in PORTS else ''}"
        for wire, numbers in ports_by_wire.items()
        if numbers
    ]
    return f"{'port' if sum(map(len, ports_by_wire.values())) == 1 else 'ports'} {', '.join(words)}"


def _safe_name(name: str) -> str:
    return one_line(name, 200)


def _wrapped(text: str, indent: str = "", first: str = "") -> str:
    return textwrap.fill(
        one_line(text, 2000),
        WIDTH,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _say(text: str) -> None:
    narrate(one_line(text, 2000))
