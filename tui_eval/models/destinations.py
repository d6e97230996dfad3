"""Hosts that a run asks, and the values that go there: shown before anything is sent, new ones sent only after a yes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.gathering import gathered
from tui_eval.core.plaintext import one_line
from tui_eval.providers import WIRES
from tui_eval.providers.wire import Wire
from tui_eval.workspace.hosts import host_of, is_loopback
from tui_eval.workspace.keys import address_behind, variables_in
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.proxies import FROM_CONFIG, Proxy, proxy_for
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.trust import Permit, TrustRecord, check_may_send, formerly_said, permit, record_of

_HOST = re.compile(r"(?i:https?://)?([^/?#]*)")
_NAMED_AS_ADDRESS = re.compile(r"(.*_)?(URL|URI|BASE|HOST|HOSTNAME|ENDPOINT|ADDRESS|ADDR|SERVER|DOMAIN|PORT)(_?[0-9]+)?", re.I)
_END = re.compile(r"(?:\$\{(\w+)\})?(?::(?:[0-9]+|\$\{(\w+)\}))?$")
"""The end of a host, and its port: a variable there says itself where its value goes. Anywhere else the host does."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A host that a model is asked at."""

    models: tuple[str, ...]
    host: str
    """With its port where that is not the usual one; a variable in it that is not named like an address stays a name."""
    keys: tuple[str, ...]
    """Variables whose values go there: key, organization, and those in the address that are not named like addresses."""
    unasked: tuple[str, ...] = ()
    """Those of them that need a person's yes: they are another provider's, or the host is no provider's own."""
    asked_of_others: tuple[str, ...] = ()
    """The same in a folder that is not the person's own: each but a provider's usual key to that provider."""
    is_proxy: bool = False
    """Whether models are reached through it: it reads the keys of what is not encrypted."""
    is_known: bool = True
    """Whether it is a provider's own, or this machine: then no folder need ask for what is sent there without a value."""
    reached: str = field(default="", compare=False)
    """The host with its variables replaced: to be compared, never shown."""

    @property
    def words(self) -> str:
        """As a person reads it: mini, flash -> openrouter.ai, key OPENROUTER_API_KEY."""
        if self.is_proxy:
            note = f", which reads {', '.join(self.keys)}" if self.keys else ""
            return f"{', '.join(self.models)} -> through the proxy {self.host}{note}"
        return f"{', '.join(self.models)} -> {self.host}" + (f", key {', '.join(self.keys)}" if self.keys else ", no key")

    def permits(self, own: bool) -> list[Permit]:
        """Return the permits it takes; of a folder that is not the person's own (`own`) more: values that go to this machine,
        where a port may be another user's, and prompts and documents to a host that is no provider's.
        """
        permits = [Permit("key", name, self.host) for name in (self.unasked if own else self.asked_of_others)]
        return permits if own or permits or self.is_known else [Permit("host", "", self.host)]


def destinations(tables: Iterable[ModelTable], key_files: Sequence[Path], proxy: str | None = None) -> list[Destination]:
    """Return the destinations of these models, those of one host and key together; simulated ones without an address, and
    imported ones, are asked nowhere.

    `proxy`: the config's, which is one more of them; that of the environment is the user's own.
    """
    tables = list(tables)
    names_by_destination = gathered(
        (destination, table.name) for table in tables for destination in _destination(table, key_files)
    )
    return [
        *(replace(destination, models=tuple(names)) for destination, names in names_by_destination.items()),
        *_of_proxy(tables, key_files, proxy or ""),
    ]


def to_ask(destinations: Iterable[Destination], records: Collection[TrustRecord], own: bool) -> list[Permit]:
    """Return the permits that a person has yet to give: what no record allows."""
    permits = dict.fromkeys(permit for destination in destinations for permit in destination.permits(own))
    return [permit for permit in permits if not any(record.allows(permit) for record in records)]


def say_yes_to(workspace: Workspace, table: ModelTable, settings: Mapping[str, Json]) -> None:
    """An address that a person gives a model is one that its values may be sent to.

    One that stood on file is none: others may have written it. Where home cannot be written, the yes counts for this process.
    """
    if "base_url" not in settings or (table.wire and table.wire not in WIRES):
        return
    model = table.model_copy(update={"wire": table.wire or "openai"})
    with suppress(ConfigError):
        permit(
            workspace.root,
            [each for destination in destinations([model], [workspace.env_file]) for each in destination.permits(own=False)],
        )


def check_allowed(destinations: Sequence[Destination], file: TomlFile, workspace: Workspace) -> None:
    """Raise ConfigError where something would go to a host that nobody has said yes to, for this folder's models on file."""
    if destinations:
        check_may_send()
    record = record_of(workspace.root)
    permits = to_ask(destinations, [record], record.own)
    if permits:
        reasons = "; ".join(permit_words(each, destinations) + formerly_said(workspace, each.host) for each in permits)
        raise file.error(
            ("models",),
            f"{reasons}: would be sent there for the first time. If that is right: {' && '.join(allowing(permits))}",
        )


OWN_SCORER = "scorer /"
"""The beginning of the permit of own code: the sort, and a path from the root. Scorers of packages have names without one."""


def permit_words(permit: Permit, destinations: Iterable[Destination]) -> str:
    """Say what would be sent and where, as a person reads it: to 10.0.0.5:8000: the value of MY_KEY (mini, flash).

    The host stands first, so that nothing that others chose can push it out of sight.
    """
    at = [destination for destination in destinations if destination.host == permit.host]
    models = one_line(", ".join(dict.fromkeys(name for destination in at for name in destination.models)), 60)
    where = f"{'the proxy ' * any(destination.is_proxy for destination in at)}{permit.host}"
    match permit.sort:
        case "key":
            return f"to {where}: the value of {permit.what} ({models})"
        case "file":
            return f"to {where}: {'what lies in ' * permit.what.endswith('/')}{permit.what}"
        case "host":
            return f"to {where}: prompts and documents ({models})"
        case _ if permit.what.startswith(OWN_SCORER):
            code = permit.what.removeprefix("scorer ")
            return f"{code}: code of a scorer; it is run here, and can read and change whatever you can"
        case _:
            return f"the {permit.what} is used"


def allowing(permits: Iterable[Permit], folder: Path | None = None) -> list[str]:
    """The commands that say yes to these, one for each host. `folder`: whose record it is, where that is no workspace's."""
    options: dict[str, list[str]] = {}
    for each in permits:
        words = {"key": ["--key", each.what], "file": ["--file", each.what], "plug-in": ["--plug-in", each.what], "host": []}
        if f"{each.what}{each.host}".isprintable():  # what a line cannot show, no line can allow
            options.setdefault(each.host, []).extend(words[each.sort])
    begin = ["tui-eval", *(["--workspace", str(folder)] if folder is not None else []), "models", "trust"]
    commands = ([*begin, *([host] if host else []), *flags] for host, flags in options.items())
    return [*map(shlex.join, commands)]


def unencrypted(table: ModelTable, key_files: Sequence[Path]) -> list[str]:
    """The warning about values that travel over a network for everyone to read."""
    url = address_behind(table.base_url or "", key_files)
    destinations = list(_destination(table, key_files))
    if not url.lower().startswith("http://") or not destinations or not destinations[0].keys or is_loopback(url):
        return []
    return [f"model {table.name!r}: its key travels unencrypted to {destinations[0].host} (http, not https)"]


def _destination(table: ModelTable, key_files: Sequence[Path]) -> Iterator[Destination]:
    """Yield the destination of a model; nothing where nobody is asked, or its address is none."""
    wire = WIRES[table.wire]
    template = table.base_url or wire.base_url
    if template is None or wire.recorded:
        return
    authority = "".join(_HOST.findall(template)[:1])
    in_host, plain = variables_in(authority), _addresses_in(authority, key_files)
    variables = [name for name in variables_in(template) if name not in plain]
    keys = dict.fromkeys(name for name in (table.api_key_env, table.organization_env, *variables) if name)
    url = address_behind(template, key_files)
    own = _host(url) or ""
    host = own if own and len(plain) == len(in_host) else authority
    here, secure = is_loopback(url), url.lower().startswith("https://")
    asks, of_others = _asked_about(keys, own, wire, secure)
    if here:  # an address of this machine that is one variable goes to this machine alone
        asks, of_others = (), tuple(name for name in keys if authority != f"${{{name}}}")
    is_known = here or (secure and any(_is_its(own, each) for each in WIRES.values()))
    yield Destination((), host, tuple(keys), asks, of_others, is_known=is_known, reached=own)


def _asked_about(keys: Iterable[str], host: str, wire: Wire, secure: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The variables that a person is asked about in a folder of their own, and in one of others: there, what is not encrypted
    (not `secure`) is asked about, too.
    """
    own = tuple(name for name in keys if not _is_own(host, name, wire))
    return own, tuple(name for name in keys if not secure or not _is_usual(host, name))


def _addresses_in(authority: str, key_files: Sequence[Path]) -> list[str]:
    """The variables of a host that are named like an address and are one: nothing else says where their values go.

    A port is digits, and what stands before one is no more than a host; else a value would lie in the path of another.
    """
    end = _END.search(authority)
    host, port = end.groups() if end else (None, None)
    names = [name for name in (host, port) if name and _NAMED_AS_ADDRESS.fullmatch(name)]
    if port is None:
        return names
    values = {name: address_behind(f"${{{name}}}", key_files) for name in names}
    before = values.get(host or "", "")
    is_host = not set(before.partition("://")[2] or before) & set("/?#@")
    return [name for name in names if is_host and (name == host or values[name].isdecimal())]


def _of_proxy(tables: Sequence[ModelTable], key_files: Sequence[Path], template: str) -> list[Destination]:
    """A proxy that a config names: it reads the keys of models whose address is not encrypted."""
    proxies = [(table, _proxy_of(table, key_files, address_behind(template, key_files))) for table in tables]
    proxied_tables = [(table, proxy) for table, proxy in proxies if proxy is not None]
    if not proxied_tables:
        return []
    open_to_it = [table for table, _ in proxied_tables if _url(table, key_files).lower().startswith("http://")]
    keys = tuple(
        dict.fromkeys(
            name for table in open_to_it for destination in _destination(table, key_files) for name in destination.keys
        )
    )
    address = proxied_tables[0][1].address
    names = tuple(table.name for table, _ in proxied_tables)
    host, here = _host(address) or address, is_loopback(address)
    return [Destination(names, host, keys, () if here else keys, keys, is_proxy=True, is_known=here, reached=host)]


def _proxy_of(table: ModelTable, key_files: Sequence[Path], proxy: str) -> Proxy | None:
    """The proxy that a config names, where it stands before a model. ConfigError for one that is none."""
    url = _url(table, key_files)
    if not url or not proxy or WIRES[table.wire].recorded:
        return None
    effective = proxy_for(url, proxy)
    return effective if effective is not None and effective.source == FROM_CONFIG else None


def _url(table: ModelTable, key_files: Sequence[Path]) -> str:
    """A model's address with its variables replaced; empty where it has none."""
    return address_behind(table.base_url or WIRES[table.wire].base_url or "", key_files)


def _host(url: str) -> str | None:
    try:
        return host_of(url)
    except ConfigError:
        return None


def _is_own(host: str, variable: str, wire: Wire) -> bool:
    """Return whether a value may go to a host unasked: a provider's usual variable to that provider, others to the wire's."""
    theirs = [each for _, each in WIRES.items() if each.key_env == variable]
    return any(_belongs(host, each) for each in (theirs or [wire]))


def _is_usual(host: str, variable: str) -> bool:
    """Return whether it is a provider's usual variable, and the host that provider's."""
    return any(each.key_env == variable and _is_its(host, each) for each in WIRES.values())


def _is_its(host: str, wire: Wire) -> bool:
    """Return whether a host is the provider's own, and no customer's: behind a customer's name stands that customer."""
    return wire.base_url is not None and host == _host(wire.base_url)


def _belongs(host: str, wire: Wire) -> bool:
    return (wire.base_url is not None and host == _host(wire.base_url)) or host.endswith(wire.hosts or ("\0",))
