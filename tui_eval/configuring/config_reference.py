"""Every key of a config with its default, bounds and help: as a config to fill in, as a page of Markdown, and as JSON."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pydantic import ValidationError

from tui_eval.configuring.drafting.fields import Field
from tui_eval.configuring.drafting.inline_toml import inline, key_text
from tui_eval.configuring.drafting.schema import model_schema, schema
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import markdown_table, markdown_text
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.workspace.validation import nearest

OFF = "#"
"""Stands before a key that is left out. Before prose a space follows it."""
WIDE = 98
"""Characters in a line of prose, behind its `# `."""
HEAD = """\
A config of the kind {kind}: {about}. Run it with: tui-eval run FILE

Keys without a # in front are required (grep '^[^#]' FILE lists them). Their values are examples: put your own in their
place. A line such as #seed = 0 is a key that may be left out. It shows the default, or an example if the key has none.
Remove the # to set it.

"Empty" in a key's help means that the key is left out. Paths are relative to this file."""
INTRO = """\
Every table and key of a config. `scripts/docs` makes this page from the settings themselves, and a test keeps it true;
`tui-eval config KIND` prints the same for one kind, as a config to fill in.

"Empty" in a key's help means that the key is left out. Paths are relative to the config. `price.input` is the key `input` of
the table `price`: write `price.input = 0.25` or `price = { input = 0.25 }`. `questions[].truth` is a key of a table that stands
in the list `questions`."""
COLUMNS = ("key", "type and bounds", "default", "what it is")
_TYPES: Mapping[str, str] = {
    "integer": "whole number", "boolean": "true or false", "texts": "list of texts", "tables": "list of tables", "free": "table"
}  # fmt: skip
_NAMED: Mapping[str, str] = {
    "model": "the name of a model", "file": "the path of a file", "files": "a path or a pattern", "prompt": "a text or a table",
    "folder": "the path of a folder", "key": "the name of a variable",
}  # fmt: skip


def _kind_named(name: str) -> Kind:
    if name not in KINDS:
        raise ConfigError(f"no kind {name!r}{nearest(name, KINDS)}")
    return KINDS[name]


def _sections(table: Field, path: str = "", needed: bool = True) -> Iterator[tuple[str, Field, bool]]:
    """(path, table, whether it must be there) of all that stands under a header: tables of the config, and lists of tables."""
    for field in table.fields:
        here = f"{path}.{key_text(field.key)}".lstrip(".")
        must = needed and field.required
        if field.sort == "tables" or (field.sort == "table" and not path):
            yield here, field, must
        if field.sort in ("table", "tables"):
            yield from _sections(field, here, must)


def _keys(table: Field, before: str = "", needed: bool = True) -> Iterator[tuple[str, Field, bool]]:
    """(name, key, whether it must stand wherever its table does) of a table and of tables within it; lists of tables are
    sections of their own. A name is seen from the table: `price.input`; `questions[].truth` is a key of each table in a list.
    """
    for field in table.fields:
        name, must = before + key_text(field.key), needed and field.required
        if field.sort != "tables":
            yield name, field, must
            yield from _keys(field, f"{name}[]." if field.sort == "texts" else f"{name}.", must and field.sort == "table")


def _top(whole: Field) -> Field:
    """The keys of a config that stand in no table."""
    return replace(whole, fields=tuple(field for field in whole.fields if field.sort not in ("table", "tables")))


def _header(path: str, table: Field) -> str:
    return f"[[{path}]]" if table.sort == "tables" else f"[{path}]"


# ------------------------------------------------------------------------------------------------- what a key may hold


def _type(field: Field) -> str:
    """Describe the value of a key, with its bounds, in words."""
    if field.sort == "choice":
        return f"one of {', '.join(map(inline, field.choices))}"
    type_name = _NAMED.get(field.names) or _TYPES.get(field.sort, field.sort)
    if field.sort == "texts" and (field.names or field.fields):
        type_name = "list of texts or tables" if field.fields else f"list, each {type_name}"
    return f"{type_name}, {field.bounds}" if field.bounds else type_name


def _default(field: Field) -> Json:
    """The default; None where there is none, or where it says less than the example."""
    if field.sort == "texts" and not field.required:
        return field.default or ([] if field.example is None and not field.names else None)
    return None if field.default == "" and field.example is not None else field.default


def _value(field: Field) -> Json:
    """Return the value a key is shown with: its default, else an example; of a table what it cannot do without."""
    shown_value = next((value for value in (_default(field), field.example) if value is not None), None)
    if shown_value is None and field.sort in ("table", "tables"):
        needed = {inner.key: _value(inner) for inner in field.fields if inner.required}
        return [needed] if field.sort == "tables" else needed
    return _made_up(field) if shown_value is None else shown_value


def _made_up(field: Field) -> Json:
    """An example of what a key may hold, where its settings give none."""
    reference_examples: Mapping[str, Json] = {
        "model": model_schema().field("name").example, "file": f"{field.key}.txt", "folder": field.key,
        "files": f"{field.key}/*.txt", "prompt": {"file": f"{field.key}.md"},
    }  # fmt: skip
    least = 1 if field.least is None else max(field.least + field.above, min(1, field.most or 1))
    values: Mapping[str, Json] = {
        "integer": int(least), "number": least, "boolean": True, "choice": next(iter(field.choices), ""), "text": "...",
        "texts": [],
    }  # fmt: skip
    if field.names in reference_examples:
        return [reference_examples[field.names]] if field.sort == "texts" else reference_examples[field.names]
    return values.get(field.sort, {})


# ------------------------------------------------------------------------------------------------- a config to fill in


def commented(kind_name: str) -> str:
    """A config of a kind as TOML, to be saved and edited: what must be there with an example, all else behind a `#`.

    ConfigError where there is no such kind.
    """
    kind = _kind_named(kind_name)
    whole, filled = schema(kind.name), _filled_in(kind)
    lines = [_prose(text) for text in HEAD.format(kind=kind.name, about=kind.about).split("\n\n")]
    lines = ["\n#\n".join(lines), *_as_toml(_top(whole), "", True, filled)]
    first: dict[str, Field] = {}
    """The sections so far, by their headers."""
    ordered = sorted(whole.fields, key=lambda field: not (field.required or field.key in filled))
    for path, table, needed in _sections(replace(whole, fields=tuple(ordered))):
        on, header = needed or path in filled, _header(path, table)
        same = next((title for title, earlier in first.items() if earlier.fields == table.fields), "")
        lines += ["", "", _prose(f"{table.help}{f' Its other keys are those of {same}.' if same else ''}")]
        lines.append(header if on or table.sort == "table" else OFF + header)
        lines += _as_toml(table, path, on or table.sort == "table", filled, bare=bool(same))
        first.setdefault(header, table)
    return "\n".join(lines) + "\n"


def _filled_in(kind: Kind) -> frozenset[str]:
    """Return the optional keys that are filled in: models, for others name them; and what the kind cannot do without.

    The latter is the first key of its table with which its settings hold, where those that are required are not enough.
    """
    table = schema(kind.name).field(kind.name)
    needed, optional = ([field for field in table.fields if field.required is must] for must in (True, False))
    for more in ([], *([field] for field in optional)):
        try:
            kind.Config.model_validate({field.key: _value(field) for field in (*needed, *more)})
        except ValidationError:
            continue
        inner = [f"{field.key}.{key}" for field in more if field.sort == "table" for key in _value(field)]
        return frozenset(["models", *(f"{kind.name}.{key}" for key in (*(field.key for field in more), *inner))])
    return frozenset(["models"])


def _as_toml(table: Field, path: str, on: bool, filled: frozenset[str], bare: bool = False) -> Iterator[str]:
    """The keys of a section, those that must be there first; `bare`: these alone, without help."""
    keys = list(_keys(table))
    live = {name for name, _, needed in keys if on and (needed or f"{path}.{name}".lstrip(".") in filled)}
    tops = {name.partition(".")[0] for name in live}
    for name, field, needed in sorted(keys, key=lambda key: key[0].partition(".")[0].removesuffix("[]") not in tops):
        line = f"{'' if name in live else OFF}{name} = {inline(_value(field))}"
        if bare:
            yield from [line] if needed else []
        elif "[]" in name or (field.sort == "table" and field.fields):
            yield from ("", _prose(f"{name}: {_help(field)}"))
        else:
            yield from ("", _prose(_help(field)), line)


def _help(field: Field) -> str:
    """A key's help with its type, its bounds and whether it must be there."""
    need = "required" if field.required else "no default" if _default(field) is None else ""
    return f"{field.help} ({'; '.join(filter(None, [_type(field), need]))})"


def _prose(text: str) -> str:
    return textwrap.fill(
        text, WIDE, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False, break_long_words=False
    )


# --------------------------------------------------------------------------------------------------- a page, and JSON


def reference() -> str:
    """All kinds as a page of Markdown, as it stands in docs/config.md; what kinds share stands there once."""
    shared: dict[str, dict[str, Field]] = {}
    own: dict[str, dict[str, Field]] = {}
    for kind in KINDS.values():
        for path, table, _ in _sections(schema(kind.name)):
            mine = path.partition(".")[0] == key_text(kind.name)
            (own if mine else shared).setdefault(path, {})[kind.name] = table
    top = {kind: _top(schema(kind)) for kind in KINDS}
    parts = ["# Config reference: every table and key", INTRO, "## Keys outside of tables", _as_markdown(top)]
    described: dict[str, Field] = {}
    for path, tables in (*shared.items(), *own.items()):
        table = next(iter(tables.values()))
        header = f"`{_header(path, table)}`"
        same = next((title for title, earlier in described.items() if earlier.fields == table.fields), "")
        about = f" {path}: {KINDS[path].about}." if path in list(KINDS) else ""
        parts += [f"{'###' if '.' in path else '##'} {header}", markdown_text(table.help + about)]
        parts.append(f"The keys of {same}." if same else _as_markdown(tables))
        described.setdefault(header, table)
    return "\n\n".join(parts) + "\n"


def _as_markdown(tables: Mapping[str, Field]) -> str:
    """The keys of a table as a Markdown table. `tables`: by kind, as each kind has it."""
    fields_by_name: dict[str, dict[str, Field]] = {}
    for kind, table in tables.items():
        for name, field, _ in _keys(table):
            fields_by_name.setdefault(name, {})[kind] = field
    rows = []
    for name, fields in fields_by_name.items():
        defaults = {kind: _default_cell(field) for kind, field in fields.items()}
        several = len(set(defaults.values())) > 1
        default = "; ".join(f"{kind}: {cell}" for kind, cell in defaults.items()) if several else next(iter(defaults.values()))
        alone = "" if len(fields) == len(tables) else f" ({', '.join(fields)} only)"
        words = " ".join(dict.fromkeys(field.help for field in fields.values()))
        rows.append([f"`{name}`{alone}", markdown_text(_type(next(iter(fields.values())))), default, markdown_text(words)])
    return markdown_table(COLUMNS, rows)


def _default_cell(field: Field) -> str:
    default = _default(field)
    return "required" if field.required else "-" if default is None else f"`{inline(default)}`"


def as_json(kind_name: str) -> Mapping[str, Json]:
    """The same for programs: every key of a kind's config by its path. ConfigError where there is no such kind."""
    kind = _kind_named(kind_name)
    return {"kind": kind.name, "about": kind.about, "keys": list(_entries(schema(kind.name)))}


def _entries(table: Field, path: str = "") -> Iterator[Mapping[str, Json]]:
    attributes = [each.name for each in dataclasses.fields(Field) if each.name not in ("key", "sort", "fields", "holds")]
    for field in table.fields:
        here, default = f"{path}{key_text(field.key)}", _default(field)
        yield {
            "key": here,
            "type": field.sort,
            **{name: getattr(field, name) for name in attributes},
            "default": default,
            "example": _value(field) if default is None and not field.fields else None,
        }
        yield from _entries(field, f"{here}{'[]' if field.sort in ('texts', 'tables') else ''}.")
