"""Questions of the fourth half: what models are asked by common benchmarks, and by people in other languages."""

from __future__ import annotations

from collections.abc import Iterable

from letter_replies.model import OptionSet


def _set(
    name: str,
    language: str,
    texts: Iterable[str],
    traits: str = "",
    facts: Iterable[Iterable[str]] = (),
    objections: Iterable[Iterable[str]] = (),
) -> OptionSet:
    return OptionSet(
        name,
        language,
        tuple(texts),
        frozenset(traits.split()),
        tuple(tuple(row) for row in facts),
        tuple(tuple(row) for row in objections),
    )


OPTION_SETS = (
    _set(
        "planets", "en", ("Mercury", "Venus", "Mars", "Jupiter"), "nouns",
        (
            ["‹XT› is the closest planet to the Sun."],
            ["‹XT› has a thick atmosphere."],
            ["‹XT› has two small moons."],
            ["‹XT› is a gas giant."],
        ),
        (
            ["‹XT› does not fit, because it has no atmosphere to speak of."],
            ["It cannot be ‹Xt›.", "‹XT› is much too hot for that."],
            ["‹XT› is not the planet described here."],
            ["‹XT› is incorrect, as it has no solid surface."],
        ),
    ),
    _set(
        "authors", "en", ("Charles Dickens", "Jane Austen", "Mark Twain", "George Orwell", "Virginia Woolf"), "nouns",
        (
            ["‹XT› wrote many novels about London."],
            ["‹XT› is known for Emma."],
            ["‹XT› was an American writer."],
            ["‹XT› is best known for Animal Farm."],
            ["‹XT› wrote Mrs Dalloway."],
        ),
        (
            ["‹XT› did not write this book."],
            ["‹XT› died long before the book was published."],
            ["‹XT› is wrong, because the author was British."],
            ["It wasn't ‹Xt›."],
            ["‹XT› is not the author of this poem."],
        ),
    ),
    _set(
        "cell", "en", ("The mitochondrion", "The ribosome", "The nucleus", "The Golgi apparatus"), "nouns common",
        (
            ["‹XT› has its own DNA."],
            ["‹XT› consists of two subunits."],
            ["‹XT› is enclosed by a double membrane."],
            ["‹XT› packages proteins."],
        ),
        (
            ["‹XT› is not found in bacteria, so it is out."],
            ["‹XT› has no membrane at all, so this is not it."],
            ["We can rule out ‹Xt›."],
            ["‹XT› is not the right structure."],
        ),
    ),
    _set(
        "economy", "en",
        (
            "A rise in interest rates", "A fall in interest rates", "A rise in government spending", "A fall in exports",
            "An increase in the money supply",
        ),
        "nouns common",
        (
            ["‹XT› makes borrowing more expensive."],
            ["‹XT› makes borrowing cheaper."],
            ["‹XT› is a tool of fiscal policy."],
            ["‹XT› lowers aggregate demand."],
            ["‹XT› is a tool of monetary policy."],
        ),
        (
            ["‹XT› would have the opposite effect."],
            ["‹XT› does not explain the change."],
            ["‹XT› is not a monetary measure, so it is wrong."],
            ["‹XT› is not mentioned in the text."],
            ["It is not ‹Xt›."],
        ),
    ),
    _set("numbers", "any", ("12", "15", "18", "24"), "symbols", (), (["‹XT› is too small."], ["‹XT› is odd, so it is out."],
        ["‹XT› is not a multiple of 4."], ["‹XT› is too large."])),
    _set("ten numbers", "any", ("0.5", "1", "1.5", "2", "2.5", "3", "4", "5", "6", "8"), "symbols"),
    _set("years", "any", ("1789", "1812", "1848", "1914"), "symbols", (
        ["‹XT› was the year of the French Revolution."], ["‹XT› was the year of Napoleon's march on Moscow."],
        ["‹XT› was a year of revolutions."], ["‹XT› was the year in which the First World War began."],
    ), (["‹XT› is too early."], ["It was not in ‹XT›."], ["‹XT› is wrong."], ["‹XT› is too late."])),
    _set("money", "any", ("$5.00", "$7.50", "$10.00", "$12.50"), "symbols"),
    _set("polynomials", "any", ("$2x$", "$2x + 1$", "$x^2 + 1$", "$x^2 - 1$"), "symbols"),
    _set("compounds", "any", ("H2O", "CO2", "NaCl", "CH4"), "nouns symbols", (
        ["‹XT› is water."], ["‹XT› is a greenhouse gas."], ["‹XT› is table salt."], ["‹XT› is the main part of natural gas."],
    ), (["‹XT› is not a gas."], ["‹XT› does not burn."], ["‹XT› is ionic, so it is not this one."],
        ["‹XT› contains no oxygen."])),
    _set("vitamins", "any", ("C", "D", "A", "K"), "letters symbols"),
    _set("yes or no", "en", ("Yes", "No"), "verbal common"),
    _set("true or false", "en", ("True", "False"), "verbal common"),
    _set("abstracts", "en", ("yes", "no", "maybe"), "verbal"),
    _set("sentiment", "en", ("Positive", "Negative", "Neutral"), "verbal common"),
    _set(
        "catalyst", "en",
        (
            "It increases the rate of the reaction", "It decreases the rate of the reaction",
            "It has no effect on the reaction", "It is used up in the reaction",
        ),
        "common", (),
        (
            ["“‹XT›” contradicts the experiment."], ["“‹XT›” is the opposite of what happens."],
            ["“‹XT›” cannot be right."], ["“‹XT›” is false, because the amount stays the same."],
        ),
    ),
    _set(
        "story", "en",
        (
            "He puts the ladder against the wall and climbs up.", "He eats the paint with a spoon.",
            "The dog drives the car away.", "She sings to the bucket until it melts.",
        ),
    ),
    _set(
        "metals", "en", ("Sodium", "Potassium", "Both A and B", "None of the above"), "nouns above",
        (["‹XT› reacts with water."], ["‹XT› burns with a lilac flame."], [], []),
    ),
    _set("all of them", "en", ("Wind", "Water", "Ice", "All of the above"), "nouns above"),
    _set("python", "any", ("[1, 2]", "(1, 2)", "{1, 2}", "[2, 1]"), "symbols"),
    _set(
        "Städte", "de", ("Berlin", "München", "Hamburg", "Köln"), "nouns",
        (
            ["‹XT› liegt an der Spree."], ["‹XT› liegt an der Isar."], ["‹XT› hat einen großen Hafen."],
            ["‹XT› ist für seinen Dom bekannt."],
        ),
        (["‹XT› ist falsch."], ["‹XT› passt nicht."], ["‹XT› liegt nicht am Rhein."], ["‹XT› ist es nicht."]),
    ),
    _set("Organe", "de", ("Die Leber", "Die Niere", "Das Herz", "Die Lunge"), "nouns common"),
    _set("capitales", "fr", ("Paris", "Lyon", "Marseille", "Lille"), "nouns", (
        ["‹XT› est sur la Seine."], ["‹XT› est connue pour sa cuisine."], ["‹XT› a un grand port."], ["‹XT› est au nord."],
    ), (["‹XT› est incorrect."], ["‹XT› ne convient pas."], ["Ce n'est pas ‹XT›."], ["‹XT› est trop au nord."])),
    _set("ríos", "es", ("El Amazonas", "El Nilo", "El Danubio", "El Ebro"), "nouns common", (
        ["‹XT› está en América del Sur."], ["‹XT› pasa por Egipto."], ["‹XT› pasa por Viena."], ["‹XT› está en España."],
    ), (["‹XT› es incorrecto."], ["‹XT› no está en Europa."], ["No es ‹Xt›."], ["‹XT› es demasiado corto."])),
    _set("pittori", "it", ("Leonardo da Vinci", "Michelangelo", "Raffaello", "Caravaggio"), "nouns"),
    _set("biomas", "pt", ("Amazônia", "Cerrado", "Caatinga", "Pantanal"), "nouns"),
    _set("朝代", "zh", ("唐朝", "宋朝", "明朝", "清朝"), "nouns", (
        ["‹XT›的都城是长安。"], ["‹XT›的商业很发达。"], ["‹XT›修建了长城。"], ["‹XT›是最后一个王朝。"],
    ), (["‹XT›不符合题意。"], ["‹XT›是错误的。"], ["不是‹XT›。"], ["‹XT›太晚了。"])),
    _set("句子", "zh", ("温度升高", "温度降低", "温度不变", "无法测量温度")),
    _set("山", "ja", ("富士山", "北岳", "槍ヶ岳", "立山"), "nouns", (
        ["‹XT›は静岡県と山梨県にあります。"], ["‹XT›は南アルプスにあります。"], ["‹XT›は長野県にあります。"],
        ["‹XT›は富山県にあります。"],
    ), (["‹XT›は誤りです。"], ["‹XT›ではありません。"], ["‹XT›は低すぎます。"], ["‹XT›は条件に合いません。"])),
    _set("реки", "ru", ("Волга", "Енисей", "Дон", "Нева"), "nouns", (
        ["‹XT› впадает в Каспийское море."], ["‹XT› течёт по Сибири."], ["‹XT› впадает в Азовское море."],
        ["‹XT› протекает через Петербург."],
    ), (["‹XT› не подходит."], ["‹XT› — неверный вариант."], ["Это не ‹XT›."], ["‹XT› слишком короткая."])),
)  # fmt: skip
