"""Views of lists: what a query leaves, in which order; every list of the app by the same laws."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from tui_eval.tui.widgets.cells import Column
from tui_eval.tui.widgets.list_view import ListView, field_of


class Ship(NamedTuple):
    """Row of a list."""

    name: str
    masts: int | None
    share: str


SHIPS = (Ship("Ardle", 3, "90.0 %"), Ship("skerrow", None, "-"), Ship("Bell", 12, "7.5 %"), Ship("ferry", 3, "100.0 %"))
COLUMNS: Sequence[Column[Ship]] = (
    Column("name", 9, lambda ship: ship.name),
    Column("masts", 6, lambda ship: "-" if ship.masts is None else f"{ship.masts} masts", value=lambda ship: ship.masts),
    Column("in use [%]", 9, lambda ship: (ship.share, "dim")),
)
VIEW = ListView(COLUMNS, lambda ship: "a ship")


def names(view: ListView[Ship]) -> list[str]:
    """Of the ships that a view has, in its order."""
    return [ship.name for ship in view.chosen(SHIPS)]


def test_fields_are_the_columns() -> None:
    assert [*VIEW.fields] == ["name", "masts", "in_use"] and VIEW.help_words().endswith("fields: name masts in_use")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["Ardle", "skerrow", "Bell", "ferry"]),
        ("ship !bell", ["Ardle", "skerrow", "ferry"]),
        ("masts=3", ["Ardle", "ferry"]),
        ("masts>3", ["Bell"]),
        ("!masts>3", ["Ardle", "ferry"]),
        ("masts=-", ["skerrow"]),
        ("in_use>=90", ["Ardle", "ferry"]),
        ('masts:"3 masts"', ["Ardle", "ferry"]),
        ('"12 masts"', ["Bell"]),
        ('masts="12 masts"', ["Bell"]),
        ("nam:Ardle", []),
    ],
)
def test_a_query_leaves_what_it_asks_for(text: str, found: list[str]) -> None:
    assert names(VIEW.with_query(text)) == found


def test_orders_go_round_and_missing_values_stand_last() -> None:
    """Numbers from the highest, words from the first, either the other way round; columns all alike are passed over."""
    view, orders = VIEW, list[tuple[str, list[str]]]()
    for _ in range(4):
        view = view.with_next_order(SHIPS)
        orders.append((view.order_words(), names(view)))

    assert orders == [
        ("by name, a to z", ["Ardle", "Bell", "ferry", "skerrow"]),
        ("by masts, highest first", ["Bell", "Ardle", "ferry", "skerrow"]),
        ("by in use [%], highest first", ["ferry", "Ardle", "Bell", "skerrow"]),
        ("", ["Ardle", "skerrow", "Bell", "ferry"]),
    ]
    masts = VIEW.with_next_order(SHIPS).with_next_order(SHIPS).reversed()
    assert (masts.order_words(), names(masts)) == ("by masts, lowest first", ["Ardle", "ferry", "Bell", "skerrow"])
    assert [column.title for column in masts.marked_columns()] == ["name", "masts ▴", "in use [%]"]
    assert [field_of(column) for column in VIEW.columns] == ["name", "masts", "in_use"]


def test_no_view_loses_or_invents_an_entry() -> None:
    """Any order holds the same entries as any other, and a query and its opposite share none."""
    chance = random.Random(40)
    for _ in range(300):
        shares = ["-", "5 %", "x"]
        ships = [Ship(chance.choice("aB-"), chance.choice([None, 1, 2]), chance.choice(shares)) for _ in range(9)]
        view = VIEW
        for _ in range(chance.randrange(4)):
            view = view.with_next_order(ships)
        view = view.reversed() if chance.random() < 0.5 else view
        assert sorted(map(str, view.chosen(ships))) == sorted(map(str, ships))
        text = chance.choice(["name:a", "masts>1", "x", "in_use=-"])
        one, other = view.with_query(text).chosen(ships), view.with_query(f"!{text}").chosen(ships)
        assert len(one) + len(other) <= len(ships) and not {id(each) for each in one} & {id(each) for each in other}
