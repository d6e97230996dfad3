"""No module but a kind's own asks which kind or which stage it has before it, by name: what a stage is for is its role."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import get_args

import pytest

from tui_eval.core.kinds import Role
from tui_eval.kinds import KINDS

ROOT = Path(__file__).resolve().parents[2] / "tui_eval"
NAMES = {
    name: frozenset(kind.name for kind in KINDS.values() if name in (kind.name, *kind.stage_names))
    for every in KINDS.values()
    for name in (every.name, *every.stage_names)
}
"""The names of kinds and of their stages, and whose each is: two kinds may call a stage alike."""
ROLES = frozenset(get_args(Role))
_SPEAKING = re.compile(r"(?:.*_)?(?:kind|stage)s?(?:_names?)?")
"""Names of what holds a kind or a stage: kind, stage, kind_name, stages; not `kinds_of_fault`."""
_CONFIG = re.compile(r"(?:.*_)?config|(?:.*\.)?(?:draft|file)\.content")
"""Expressions for a whole config, in which a kind's table stands under its name: config, run_config, draft.content."""


class Look:
    """What a module does with the names of kinds and stages that are not its own; `more`: kinds besides those there are."""

    def __init__(self, source: str, own: Collection[str] = (), more: Collection[str] = ()) -> None:
        self.tree = ast.parse(source)
        self.kinds = frozenset([*KINDS, *more]).difference(own)
        self.names = frozenset([*NAMES, *more]).difference(own)
        self.texts: dict[str, frozenset[str]] = {}
        """Names of its own for one or several of these names, or for a mapping by them."""
        self.classes: set[str] = set()
        """What it imports from the package of a kind."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if found := self.named(node.value, keys=True):
                    self.texts |= {target.id: found for target in targets if isinstance(target, ast.Name)}
            if isinstance(node, ast.ImportFrom) and _kind_of_package(node.module or "") in self.names:
                self.classes |= {entry.asname or entry.name for entry in node.names}

    def offences(self) -> list[str]:
        """Each with its line and its form."""
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, ast.expr | ast.Match)]
        found = sorted((node.lineno, form) for node in nodes for form in self._of(node))
        return [f"{line}: {form}" for line, form in found]

    def _of(self, node: ast.expr | ast.Match) -> Iterator[str]:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(self.speaks(one) and self.named(other) for one in sides for other in sides if one is not other):
                yield "compared"
            if any(self.speaks(one) and self._is_of_a_kind(other) for one in sides for other in sides if one is not other):
                yield "compared with a kind"
        elif isinstance(node, ast.Match):
            patterns = [inner for case in node.cases for inner in ast.walk(case.pattern) if isinstance(inner, ast.MatchValue)]
            if self.speaks(node.subject) and any(self.named(pattern.value) for pattern in patterns):
                yield "matched"
        elif isinstance(node, ast.Subscript):
            if isinstance(node.value, ast.Name) and node.value.id == "Literal":
                several = self.named(node.slice)
                if len(several) > 1 and self.texts_in(node.slice) != ROLES:
                    yield "a Literal"
            elif self.speaks(node.slice) and self.named(node.value, keys=True):
                yield "looked up"
            elif self._is_config(node.value) and self.named(node.slice) & self.kinds:
                yield "the table of a kind"
        elif isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            if any(key is not None and self.speaks(key) and self.named(value) for key, value in pairs):
                yield "made up"

    def _of_call(self, node: ast.Call) -> Iterator[str]:
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            if len(node.args) == 2 and self._is_of_a_kind(node.args[1]):
                yield "an instance of a kind's own"
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
            if self.speaks(node.args[0]) and self.named(node.func.value, keys=True):
                yield "looked up"
            elif self._is_config(node.func.value) and self.named(node.args[0]) & self.kinds:
                yield "the table of a kind"
        elif isinstance(node.func, ast.Attribute) and node.func.attr in ("startswith", "endswith", "removeprefix"):
            yield from ["compared"] if self.speaks(node.func.value) and any(map(self.named, node.args)) else []
        if any(keyword.arg and _SPEAKING.fullmatch(keyword.arg) and self.named(keyword.value) for keyword in node.keywords):
            yield "made up"

    def speaks(self, node: ast.expr) -> bool:
        """Whether an expression holds a kind or a stage; what it asks for by a role does not."""
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in ("role", "role_of"):
            return False
        if isinstance(node, ast.Attribute):
            return node.attr != "role" and (bool(_SPEAKING.fullmatch(node.attr)) or self.speaks(node.value))
        if isinstance(node, ast.Name):
            return bool(_SPEAKING.fullmatch(node.id))
        if isinstance(node, ast.Constant):
            return node.value in ("kind", "stage")
        if isinstance(node, ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            return False
        return any(self.speaks(inner) for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.expr))

    def named(self, node: ast.expr, keys: bool = False) -> frozenset[str]:
        """The names that a text, several texts, or a name for them is; `keys`: those that a mapping has, too."""
        if isinstance(node, ast.Name):
            return self.texts.get(node.id, frozenset())
        if isinstance(node, ast.Dict) and not keys:
            return frozenset()
        return self.texts_in(node) & self.names

    def texts_in(self, node: ast.expr) -> frozenset[str]:
        """The texts that an expression is made of, as it is written."""
        if isinstance(node, ast.Constant):
            return frozenset([node.value]) if isinstance(node.value, str) else frozenset()
        inner: Collection[ast.expr | None] = ()
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            inner = node.elts
        elif isinstance(node, ast.Dict):
            inner = node.keys
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("frozenset", "set", "tuple"):
            inner = node.args
        elif isinstance(node, ast.IfExp):
            inner = (node.body, node.orelse)
        return frozenset(text for one in inner if one is not None for text in self.texts_in(one))

    def _is_config(self, node: ast.expr) -> bool:
        return bool(_CONFIG.fullmatch(ast.unparse(node)))

    def _is_of_a_kind(self, node: ast.expr) -> bool:
        roots = [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
        return any(root in self.classes for root in roots)


def _kind_of_package(module: str) -> str:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["tui_eval", "kinds"] and len(parts) > 2 else ""


def own_names(place: str) -> frozenset[str]:
    """The names that a module may use: a kind's own module those of that kind."""
    parts = place.removesuffix(".py").split("/")
    return frozenset(name for name, kinds in NAMES.items() if parts[0] == "kinds" and len(parts) > 1 and parts[1] in kinds)


WIRES = "providers/"
"""Wire formats lie below the kinds and know none: what they call `kind` is an event's."""
PLACES = sorted(place for path in ROOT.rglob("*.py") if not (place := str(path.relative_to(ROOT))).startswith(WIRES))


def found_in(place: str, more: Collection[str] = ()) -> list[str]:
    """The offences of a module of the program; `more`: kinds besides those there are."""
    return Look((ROOT / place).read_text(encoding="utf-8"), own_names(place), more).offences()


@pytest.mark.soak
def test_no_module_asks_for_a_kind_or_a_stage_by_name() -> None:
    """A new kind needs no line outside its package, and another name for a stage changes nothing."""
    found = {place: offences for place in PLACES if (offences := found_in(place))}

    assert found == {}, "let the kind say it (evaluation/kind.py), or go by a stage's role; a mere word gets another name"


@pytest.mark.soak
def test_a_kind_may_bear_the_name_of_a_field() -> None:
    """A new kind that is called as a JSON field is, such as `summary`, makes no module an offender that reads this field."""
    fields = ("summary", "score", "answers", "document", "turns", "report", "checks")

    assert {place: offences for place in PLACES if (offences := found_in(place, fields))} == {}
    assert Look("if run.kind == 'summary': pass", more=fields).offences() == ["1: compared"]
    assert Look("table = config['summary']", more=fields).offences() == ["1: the table of a kind"]


PLANTED: Mapping[str, str] = {
    "if run.kind == 'panel': pass": "compared",
    "if 'choice' != entry['kind']: pass": "compared",
    "if evaluation.kind.name in ('choice', 'other'): pass": "compared",
    "if (reply.get('stage'), model) == ('doer', 'm'): pass": "compared",
    "if text_of(reply, 'stage') not in frozenset({'scorer'}): pass": "compared",
    "wanted = 'final' if 'final' in stages else ''": "compared",
    "KEPT = ('doer', 'final')\nfound = stage in KEPT": "compared",
    "KIND = 'choice'\ndef is_it(draft):\n    return draft.kind == KIND": "compared",
    "last = sorted(answers, key=lambda answer: (answer.stage == 'scorer', 1))": "compared",
    "if stage.startswith('judge'): pass": "compared",
    "from tui_eval.kinds.choice import CHOICE\nif evaluation.kind is CHOICE: pass": "compared with a kind",
    "from tui_eval.kinds.call import CALL as other\nif entry.kind == other.name: pass": "compared with a kind",
    "match asked.stage:\n    case 'doer' | 'judge':\n        pass": "matched",
    "match (kind, 1):\n    case ('panel', _):\n        pass": "matched",
    "word = {'choice': 'letters', 'panel': 'texts'}[kind]": "looked up",
    "WORDS: dict[str, str] = {'scorer': 'marks'}\nword = WORDS[reply.stage]": "looked up",
    "word = {'doer': 1}.get(call.stage, 0)": "looked up",
    "from typing import Literal\nKind = Literal['choice', 'panel', '?']": "a Literal",
    "table = config['panel']": "the table of a kind",
    "table = config.get('choice') or {}": "the table of a kind",
    "table = run_config['graph']": "the table of a kind",
    "benchmark = self.draft.content.get('choice', {}).get('benchmark')": "the table of a kind",
    "content = {'kind': 'choice', 'name': name}": "made up",
    "asked = Asked(stage='scorer')": "made up",
    "from tui_eval.kinds.choice.report import ChoiceReport as R\nok = isinstance(one, R)": "an instance of a kind's own",
}
"""By what is written somewhere: the form of the offence."""


@pytest.mark.parametrize(("source", "form"), PLANTED.items(), ids=range(len(PLANTED)))
def test_every_form_of_it_is_found(source: str, form: str) -> None:
    """Comparisons, patterns, look-ups, literals: with the names as they are, or under names of the module's own."""
    assert [found.partition(": ")[2] for found in Look(source).offences()] == [form]


@pytest.mark.parametrize(
    "source",
    [
        "if kind.role(reply.stage) == 'judge': pass",
        "if stage.role in ('answer', 'work'): pass",
        "from typing import Literal\nRole = Literal['answer', 'judge', 'work']",
        "from typing import Literal\nField = Literal['any', 'stage', 'call']",
        "if field.sort == 'choice': pass",
        "if record['final'] and entry['answer']: pass",
        "if fault.scope == 'call' and fault.kind == 'timeout': pass",
        "if a.stage == b.stage or draft.kind in KINDS: pass",
        "kind = KINDS[config['kind']]",
        "word = {'doer': 1}[name]",
        "text = value.get('graph') or value['call']",
    ],
)
def test_ordinary_words_are_let_alone(source: str) -> None:
    """The same words for a field, a flag or a role, and comparisons of two stages with each other, are no offence."""
    assert Look(source).offences() == []


def test_a_kind_may_name_its_own() -> None:
    """In its package its own stages are its own matter; those of another are not."""
    source = "if call.stage == 'doer': pass"

    assert Look(source, own_names("kinds/panel/stage_calls.py")).offences() == []
    assert Look(source, own_names("kinds/choice.py")).offences() != []
    assert Look(source, own_names("evaluation/judging/rubrics.py")).offences() != []
