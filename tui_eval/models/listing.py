"""The models on file as a person sees them: each with its server, key and price filled in, or with what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.models.catalogue import catalogue_file
from tui_eval.models.model_selection import assumed_wire, guessed_wire, wire_problem, with_defaults
from tui_eval.providers import WIRES
from tui_eval.workspace.key_files import check_key_files, keys_in
from tui_eval.workspace.model_settings import ModelTable, PriceTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.validation import unknown_key, validate

__all__ = ["Advice", "ModelEntry", "ModelList", "entry_of", "listed_models", "sentences"]


WITH_ADDRESS = "the default for a model with a base_url"
"""Why a model is asked in a format that neither its entry nor its id tells."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model on file as a run would have it; never a key, only whether it is there."""

    name: str
    table: ModelTable | None = None
    """As it stands on file; None where it cannot be used."""
    problem: str = ""
    """What is wrong with it, with the file and the line; empty where nothing is."""
    line: int = 0
    """The line of the file on which that stands; 0 = not known."""
    wire: str = ""
    """Its own, or the one that its id tells."""
    wire_problem: str = ""
    model: str = ""
    where: str = ""
    """The address it is asked at: its own, or its wire's; empty where none is known or needed."""
    needs_address: bool = False
    simulated: bool = False
    key: str = ""
    """The variable that holds its key; empty where none is named or needed."""
    key_is_set: bool | None = None
    """None where no key is named, or nobody knows."""
    price: PriceTable | None = None

    @property
    def enabled(self) -> bool:
        """Return whether runs may use it."""
        return self.table is not None and self.table.enabled

    @property
    def state(self) -> str:
        """One word: what its provider says of it, or that its owner disabled it."""
        return "mistake" if self.table is None else self.table.status if self.table.enabled else "disabled"


@dataclass(frozen=True, slots=True)
class ModelList:
    """Every model on file, and what is wrong with the files they come from."""

    entries: tuple[ModelEntry, ...] = ()
    problems: tuple[str, ...] = ()
    """Mistakes that are not those of one model."""


def listed_models(workspace: Workspace) -> ModelList:
    """The models of .conf/models.toml in their order: a mistake in one is told, and takes none of the others along."""
    problems: list[str] = []
    keys = _keys(workspace, problems)
    try:
        file = catalogue_file(workspace)
    except ConfigError as error:
        return ModelList((), (str(error),))
    problems += [str(unknown_key(file, (name,), ["models"])) for name in file.content if name != "models"]
    tables = file.content.get("models", [])
    if not isinstance(tables, list):
        return ModelList((), (*problems, str(file.error(("models",), "must be a list of tables: [[models]]"))))
    entries: list[ModelEntry] = []
    for number, table in enumerate(tables):
        entries.append(_listed(file, number, table, {entry.name for entry in entries}, workspace, keys, problems))
    return ModelList(tuple(entries), tuple(dict.fromkeys(problems)))


def _keys(workspace: Workspace, problems: list[str]) -> Collection[str] | None:
    """The variables that are set; None where the file that may hold them cannot be read."""
    try:
        check_key_files([workspace.env_file])
    except ConfigError as error:
        problems.append(str(error))
        return None
    return keys_in([workspace.env_file])


def _listed(
    file: TomlFile,
    number: int,
    table: Json,
    names: Collection[str],
    workspace: Workspace,
    keys: Collection[str] | None,
    problems: list[str],
) -> ModelEntry:
    name = str(table.get("name", "")) if isinstance(table, dict) else ""
    try:
        model = validate(ModelTable, table, file, ("models", number))
        if model.name in names:
            raise file.error(("models", number, "name"), f"a second model named {model.name!r}")
    except ConfigError as error:
        return ModelEntry(name or f"model {number + 1}", problem=str(error), line=_line(file, error))
    try:
        return entry_of(model, workspace, keys)
    except ConfigError as error:  # the price list
        problems.append(str(error))
        return entry_of(model, None, keys)


def _line(file: TomlFile, error: ConfigError) -> int:
    place = error.problems[0][0] if error.problems else ()
    return next((file.lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in file.lines), 0)


def entry_of(table: ModelTable, workspace: Workspace | None, keys: Collection[str] | None) -> ModelEntry:
    """A model as a run would have it. ConfigError where the user's price list is damaged.

    `workspace`: whose price list counts; None = no price list does. `keys`: the variables that are set; None = nobody knows.
    """
    wrong = wire_problem(table)
    if wrong:
        key = table.api_key_env or ""
        return ModelEntry(
            name=table.name,
            table=table,
            wire=table.wire,
            wire_problem=wrong,
            model=table.model,
            where=table.base_url or "",
            key=key,
            key_is_set=_is_set(key, keys),
            price=table.price,
        )
    full = with_defaults(table.model_copy(update={"wire": assumed_wire(table)}), workspace)
    wire = WIRES[full.wire]
    return ModelEntry(
        name=table.name,
        table=table,
        wire=full.wire,
        model=table.model,
        where=table.base_url or wire.base_url or "",
        needs_address=table.base_url is None and wire.base_url is None and not wire.simulated and not wire.recorded,
        simulated=wire.simulated,
        key=full.api_key_env or "",
        key_is_set=_is_set(full.api_key_env or "", keys),
        price=full.price,
    )


def _is_set(name: str, keys: Collection[str] | None) -> bool | None:
    return name in keys if name and keys is not None else None


# ------------------------------------------------------------------------------------------------------- what is to be said


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice for a person where something about a model is not as it should be, in the words of who tells it."""

    wire: str
    """How another wire is chosen."""
    where: str
    """How its address is given."""
    key: str
    """How its key is stored."""
    no_key: str
    """How a key is named."""
    price: str
    """How a price is given."""


def sentences(entry: ModelEntry, advice: Advice) -> list[tuple[str, str]]:
    """Say what a run would make of a model: (wire, where, key or price; the sentence about it), each in its place."""
    if entry.table is None or entry.wire_problem:
        return [("wire", entry.wire_problem or entry.problem)]
    told = f"guessed from {entry.model!r}" if guessed_wire(entry.table.model) else WITH_ADDRESS
    guessed = "" if entry.table.wire else f" ({told}; else: {advice.wire})"
    return [
        ("wire", f"{entry.wire}{guessed}"),
        ("where", _where(entry, advice)),
        ("key", _key(entry, advice)),
        ("price", _price(entry, advice)),
    ]


def _where(entry: ModelEntry, advice: Advice) -> str:
    if entry.needs_address:
        return f"not known: {entry.wire} needs the address of your resource: {advice.where}"
    return entry.where or ("the simulator that comes with the program" if entry.simulated else "nowhere")


def _key(entry: ModelEntry, advice: Advice) -> str:
    if not entry.key:
        needed = not entry.simulated and entry.table is not None and entry.table.base_url is not None
        return f"none named; if there is one: {advice.no_key}" if needed else "none needed"
    if entry.key_is_set is None:
        return f"{entry.key}; it is not known whether it is set"
    return f"{entry.key} is set" if entry.key_is_set else f"{entry.key} is not set: {advice.key}"


def _price(entry: ModelEntry, advice: Advice) -> str:
    if entry.price is None:
        return f"not known, so its cost is not known either: {advice.price}"
    price = entry.price
    of = "simulated" if entry.simulated else ", ".join(filter(None, (price.source, price.date)))
    then = (
        "" if price.later is None else f"; from {price.later.from_date} on ${price.later.input:g} and ${price.later.output:g}"
    )
    return f"${price.input:g} in, ${price.output:g} out per million tokens{f' ({of})' if of else ''}{then}"
