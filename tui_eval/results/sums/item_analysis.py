"""Analysis of items: how hard each is, how well it separates models, and which keys to look at."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_uppercase

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import count_of
from tui_eval.core.units import Units
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.item_sentences import say_of_items
from tui_eval.results.sums.metrics import is_binary
from tui_eval.statistics.correlation import correlation_interval, pearson

LEAST_MODELS, LEAST_ITEMS = 3, 2
"""Fewer models or items are not analysed."""
LEAST_TO_FLAG = 8
"""Models that must have answered an item before its key is doubted."""
LEAST_SHARE = 0.8
"""Share of the items that a model must have answered: its mean over the others stands for how good it is."""
DIGITS = 9
"""Places of a correlation that are told from an error of adding up: of two equal means it is 0, and no key is doubted."""
FALSE_FLAGS: Sequence[tuple[int, int]] = ((32, 2_300), (24, 1_600), (16, 900), (12, 600), (8, 350))
"""From so many models on chance flags one item in so many whose key is right; benchmarks/truth_items.py prints the rates."""

COLUMNS = (
    "item", "share_right", "item_rest", "look", "why", "separates", "key", "option", "n_option", "option_rest", "n_models",
    "item_rest_low", "item_rest_high",
)  # fmt: skip
"""Of a row that says what models made of an item."""


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """Answers of one model to the items, by their places."""

    name: str
    model_id: str
    """The API's own id: two of one id are no independent evidence."""
    means: Mapping[int, float]
    """Share right of its answers; what it has no answer to is not in it."""
    options: Mapping[int, int] = field(default_factory=dict)
    """The option that it chose at first, counted from 0 in the set's own order; where none could be read, none."""


@dataclass(frozen=True, slots=True)
class DoubtedKey:
    """An option that most models chose in place of the key, and the better ones more often."""

    option: int
    n: int
    models: int
    """That answered the item."""
    correlation: float | None
    """Of having chosen it with the mean over all other items; None where all chose it."""

    def words(self, key: int) -> str:
        """Return why the item is to be looked at."""
        about = {"option": letter_of(self.option), "key": letter_of(key), "models": self.models}
        if self.correlation is None:
            return say_of_items("look_all", **about)
        return say_of_items("look", n=self.n, r=f"{self.correlation:.2f}", **about)


@dataclass(frozen=True, slots=True)
class ItemFigures:
    """Figures of one item over all models together."""

    place: int
    n_models: int
    share_right: float
    """Mean over the models: its difficulty, so that a small one is a hard item."""
    item_rest: float | None
    """Correlation over the models of the item with the mean over all others; None where either does not vary."""
    interval: tuple[float, float] | None
    variance: float
    """Between the models."""
    doubt: DoubtedKey | None = None

    @property
    def separates(self) -> bool:
        """Return whether any two models did differently."""
        return self.variance > 0


@dataclass(frozen=True)
class ItemAnalysis:
    """All items of a run that any model answered."""

    items: Sequence[ItemFigures]
    models: Sequence[str]
    few_answers: Sequence[str]
    """Models that are left out, since they answered less than four fifths of the items."""
    of_one_id: Sequence[str]
    """Models that are left out, since another has the same id."""
    has_options: bool
    """Whether it is known which options were chosen."""

    @cached_property
    def effective(self) -> float:
        """Kish's number of the variances between models: as many items, all equally telling, would tell as much."""
        total, squares = math.fsum(i.variance for i in self.items), math.fsum(i.variance**2 for i in self.items)
        return total * total / squares if squares else 0.0

    @property
    def doubted(self) -> list[ItemFigures]:
        """The items to look at."""
        return [item for item in self.items if item.doubt is not None]

    @property
    def ordered(self) -> list[ItemFigures]:
        """Those to look at first, then the hardest."""
        return sorted(self.items, key=lambda item: (item.doubt is None, item.share_right, item.place))

    def sentences(self, noun: str) -> list[str]:
        """Return what is to be known of all items together. `noun`: their name, in the singular."""
        alike = [item.share_right for item in self.items if not item.separates]
        n = count_of(len(self.items), noun)
        right, wrong = sum(share == 1 for share in alike), sum(share == 0 for share in alike)
        lines = [
            f"{n}, {count_of(len(self.models), 'model')}",
            say_of_items("nobody", n=len(alike), items=n, right=right, wrong=wrong),
            say_of_items("effective", items=f"{noun}s", n=f"{self.effective:.0f}"),
            *self._left_out(),
            *self._about_flags(noun),
        ]
        return [f"{line[0].upper()}{line[1:]}." for line in lines]

    def _left_out(self) -> list[str]:
        reasons = (
            (self.few_answers, "answered less than 80 % of them"),
            (self.of_one_id, "another of the same model id counts for them"),
        )
        return [
            say_of_items("left_out", models=count_of(len(names), "model"), reason=why, names=", ".join(names))
            for names, why in reasons
            if names
        ]

    @property
    def can_flag(self) -> bool:
        """Return whether keys can be doubted."""
        return self.has_options and len(self.models) >= LEAST_TO_FLAG

    def flag_words(self, noun: str = "question") -> str:
        """Return how many items are to be looked at, or why it is not known."""
        if not self.has_options:
            return say_of_items("no_options")
        if not self.can_flag:
            return say_of_items("few_models", models=len(self.models))
        return say_of_items("flags", items=count_of(len(self.doubted), noun))

    def _about_flags(self, noun: str) -> list[str]:
        models = len(self.models)
        by_chance = [say_of_items("by_chance", what=noun, items=f"{one_in:,}", models=models) for one_in in one_flag_in(models)]
        return [self.flag_words(noun), *(by_chance if self.can_flag else [])]


def one_flag_in(models: int) -> list[int]:
    """Among how many items with right keys chance flags one, at so many models; nothing where none is flagged."""
    return [one_in for least, one_in in FALSE_FLAGS if models >= least][:1]


def letter_of(option: int) -> str:
    """Return the letter of an option in the set's own order."""
    return ascii_uppercase[option] if 0 <= option < len(ascii_uppercase) else str(option + 1)


def item_analysis(answers: Sequence[ModelAnswers], keys: Mapping[int, int] | None = None) -> ItemAnalysis | None:
    """Analyse items by what models made of them; None of fewer than three models or two items.

    `keys`: the right option of each item, where items have options. Models are taken for independent.
    """
    places = sorted(set().union(*(model.means for model in answers)))
    enough = [model for model in answers if len(model.means) >= LEAST_SHARE * len(places)]
    first_of = {model.model_id: model for model in reversed(enough)}
    models = [model for model in enough if first_of[model.model_id] is model]
    if len(models) < LEAST_MODELS or len(places) < LEAST_ITEMS:
        return None
    totals = [math.fsum(model.means.values()) for model in models]
    figures = [_figures(place, models, totals, None if keys is None else keys.get(place)) for place in places]
    return ItemAnalysis(
        items=[item for item in figures if item is not None],
        models=[model.name for model in models],
        few_answers=[model.name for model in answers if model not in enough],
        of_one_id=[model.name for model in enough if model not in models],
        has_options=keys is not None,
    )


def _figures(place: int, models: Sequence[ModelAnswers], totals: Sequence[float], key: int | None) -> ItemFigures | None:
    answered = [
        (model, total) for model, total in zip(models, totals, strict=True) if place in model.means and len(model.means) > 1
    ]
    if not answered:
        return None
    shares = [model.means[place] for model, _ in answered]
    rest = [(total - model.means[place]) / (len(model.means) - 1) for model, total in answered]
    mean = math.fsum(shares) / len(shares)
    variance = math.fsum((share - mean) ** 2 for share in shares) / len(shares) if len(set(shares)) > 1 else 0.0
    correlation = pearson(shares, rest)
    interval = None if correlation is None else correlation_interval(correlation, len(shares))
    options = [model.options.get(place) for model, _ in answered]
    doubt = None if key is None else doubted_key(options, rest, key)
    return ItemFigures(place, len(shares), mean, correlation, interval, variance, doubt)


def doubted_key(options: Sequence[int | None], rest: Sequence[float], key: int) -> DoubtedKey | None:
    """Return the option that speaks against the key; None where none does, or too few models answered.

    More than half of the models chose it, and their means over the other items correlate with that above 0, or all chose it.
    """
    most = Counter(option for option in options if option not in (None, key)).most_common(1)
    if len(options) < LEAST_TO_FLAG or not most or 2 * most[0][1] <= len(options):
        return None
    option, n = most[0]
    if option is None or n == len(options):
        return None if option is None else DoubtedKey(option, n, n, None)
    correlation = pearson([float(choice == option) for choice in options], rest)
    is_doubted = correlation is not None and round(correlation, DIGITS) > 0
    return DoubtedKey(option, n, len(options), correlation) if is_doubted else None


def item_row(item: ItemFigures, name: str, key: int | None) -> dict[str, Json]:
    """Return an item's figures by column, as files have them."""
    low, high = item.interval or (None, None)
    doubt = item.doubt
    values: tuple[Json, ...] = (
        name,
        _rounded(item.share_right),
        _rounded(item.item_rest),
        "yes" if doubt else "no",
        doubt.words(key) if doubt and key is not None else "",
        "yes" if item.separates else "no",
        None if key is None else letter_of(key),
        *((letter_of(doubt.option), doubt.n, _rounded(doubt.correlation)) if doubt else (None, None, None)),
        item.n_models,
        _rounded(low),
        _rounded(high),
    )
    return dict(zip(COLUMNS, values, strict=True))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def analysed_sides(board: Board, units: Units) -> list[Side]:
    """Return the sides whose answers are analysed: those of the first stage, metric and variant that is tested as right or
    wrong."""
    first = board.variants[:1]
    sides = [
        side
        for side in board.series
        if units.tests(side.metric) and is_binary(board.metric(side)) and (not first or side.variant in first)
    ]
    order = dict.fromkeys([*units.headline, *board.metrics, *(side.metric for side in sides)])
    metric = next((name for name in order if any(side.metric == name for side in sides)), "")
    same = [side for side in sides if side.metric == metric]
    return [side for side in same if side.stage == same[0].stage and any(board.series[side].scored)]
