"""Questions of the third half: their options, sentences about them, and what rules them out."""

from __future__ import annotations

from letter_replies.model import OptionSet


def _set(
    name: str,
    language: str,
    texts: tuple[str, ...],
    traits: str = "",
    facts: tuple[tuple[str, ...], ...] = (),
    objections: tuple[tuple[str, ...], ...] = (),
) -> OptionSet:
    return OptionSet(name, language, texts, frozenset(traits.split()), facts, objections)


OPTION_SETS = (
    _set(
        "physicists", "any", ("Marie Curie", "Lise Meitner", "Emmy Noether", "Rosalind Franklin"), "nouns",
        (
            ("‹XT› was born in Warsaw and worked in Paris.",),
            ("‹XT› worked with Otto Hahn in Berlin for thirty years.",),
            ("‹XT› taught at Göttingen for years without pay.",),
            ("‹XT› took X-ray pictures in London.",),
        ),
        (
            ("‹XT› died long before the discovery was made, so it was not her.",),
            ("‹XT› never worked on crystals, so this cannot be her.",),
            ("‹XT› was a mathematician and did no experiments, which rules her out.",),
            ("‹XT› worked on viruses and DNA and not on radioactivity, so she is not meant.",),
        ),
    ),
    _set(
        "makers", "any", ("Toyota", "Volkswagen", "Renault", "Fiat", "Hyundai"), "nouns",
        (
            ("‹XT› was founded in 1937 as a spin-off of a loom maker.",),
            ("‹XT› has its seat in Wolfsburg.",),
            ("‹XT› was nationalised in 1945.",),
            ("‹XT› stands for a factory in Turin.",),
            ("‹XT› began as a construction company.",),
        ),
        (
            ("‹XT› did not build cars yet in that year, so it drops out.",),
            ("‹XT› is German, and the question asks about a French company.",),
            ("‹XT› was not part of that alliance and can be ruled out.",),
            ("‹XT› never built that model, so it does not qualify.",),
            ("‹XT› came to the European market only later, so that is out.",),
        ),
    ),
    _set(
        "organelles", "en", ("The mitochondrion", "The ribosome", "The Golgi apparatus", "The nucleus"), "nouns common",
        (
            ("‹XT› has a double membrane and its own DNA.",),
            ("‹XT› consists of two subunits.",),
            ("‹XT› sorts and packs proteins.",),
            ("‹XT› holds most of the genetic material.",),
        ),
        (
            ("‹XT› makes ATP, which is not what is asked.",),
            ("‹XT› has no membrane at all, so it cannot be meant.",),
            ("‹XT› only modifies proteins and does not make them, so it is not what we look for.",),
            ("‹XT› stores DNA and has no part in this step.",),
        ),
    ),
    _set(
        "capitals", "en", ("Canberra", "Sydney", "Melbourne", "Perth"), "nouns",
        (
            ("‹XT› lies inland, between the two largest cities.",),
            ("‹XT› has the best known opera house in the world.",),
            ("‹XT› was the seat of government until 1927.",),
            ("‹XT› lies on the west coast.",),
        ),
        (
            ("‹XT› is far too small for that.",),
            ("‹XT› is the largest city, but that does not make it the right answer.",),
            ("‹XT› was the seat of government only for a while, so it is wrong.",),
            ("‹XT› is the capital of a state and not of the country, so it is wrong.",),
        ),
    ),
    _set("counts", "any", ("12", "15", "18", "21", "24"), "symbols"),
    _set("percentages", "any", ("10%", "25%", "33.3%", "50%", "75%", "90%"), "symbols"),
    _set("formulas", "any", ("$x^2 + 1$", "$x^2 - 1$", "$2x + 1$", "$2x - 1$"), "symbols"),
    _set("physics", "any", ("F = ma", "E = mc²", "p = mv", "v = s/t"), "symbols"),
    _set("blood groups", "en", ("A", "B", "AB", "O"), "letters"),
    _set("grades", "en", ("A", "B", "C", "D", "F"), "letters"),
    _set("notes", "any", ("E", "G", "B", "D"), "letters"),
    _set("bases", "any", ("T", "C", "G", "A"), "letters"),
    _set("vitamins", "en", ("Vitamin A", "Vitamin C", "Vitamin D", "Vitamin K"), "nouns common"),
    _set("two things", "en", ("The trophy", "The suitcase"), "nouns common"),
    _set("yes or no", "en", ("Yes", "No"), "verbal common"),
    _set("truth", "en", ("True", "False", "Partly true"), "verbal common"),
    _set("complexity", "any", ("O(1)", "O(log n)", "O(n)", "O(n log n)", "O(n²)"), "symbols"),
    _set("code", "any", ("`items.append(x)`", "`items.extend(x)`", "`items += x`", "`items.add(x)`"), "symbols"),
    _set("dates", "en", ("14 July 1789", "4 July 1776", "9 November 1989", "11 November 1918"), "nouns"),
    _set(
        "policies", "en",
        (
            "An increase in interest rates",
            "An increase in government spending",
            "An increase in income taxes",
            "A decrease in the money supply",
        ),
        "nouns common",
        (
            ("‹XT› makes borrowing more expensive.",),
            ("‹XT› usually raises demand.",),
            ("‹XT› lowers what households can spend.",),
            ("‹XT› tends to follow when a central bank sells bonds.",),
        ),
        (
            ("‹XT› would slow the economy down, which is the opposite of what is asked.",),
            ("‹XT› is fiscal policy, and the question is about monetary policy, so it is out.",),
            ("‹XT› would reduce demand, which is the opposite of what is asked.",),
            ("‹XT› would push prices down, so it is not what the bank needs.",),
        ),
    ),
    _set(
        "elements", "en", ("Hydrogen", "Helium", "Lithium", "Carbon", "Nitrogen", "Oxygen", "Neon", "Argon"), "nouns common",
        (
            ("‹XT› has a single proton.",),
            ("‹XT› was first found in the light of the sun.",),
            ("‹XT› is the lightest metal.",),
            ("‹XT› forms four bonds.",),
            ("‹XT› makes up most of the air.",),
            ("‹XT› is needed for burning.",),
            ("‹XT› glows orange in tubes.",),
            ("‹XT› is used in welding.",),
        ),
        (
            ("‹XT› has only one electron, so that is impossible.",),
            ("‹XT› does not react and is therefore excluded.",),
            ("‹XT› is a solid metal and not a gas, so it does not qualify.",),
            ("‹XT› is not a gas, so we can rule it out.",),
            ("‹XT› does not support burning, so it cannot be right.",),
            ("‹XT› is not inert, so it is not the one.",),
            ("‹XT› is too rare for that.",),
            ("‹XT› does not fit the atomic mass given.",),
        ),
    ),
    _set(
        "patients", "en",
        (
            "Order a CT scan of the abdomen",
            "Start intravenous antibiotics",
            "Reassure the patient and discharge her home",
            "Repeat the blood test in six weeks",
        ),
        "common",
    ),
    _set(
        "tides", "en",
        (
            "The Moon pulls more strongly on the near side of the Earth than on the far side.",
            "The Sun heats the water at noon.",
            "The wind pushes the water toward the coast.",
            "The Earth turns faster at the equator.",
        ),
        "common",
    ),
    _set("statements", "en", ("I only", "II only", "Both I and II", "Neither I nor II"), "above"),
    _set("everything", "en", ("Proteins", "Lipids", "Carbohydrates", "All of the above", "None of the above"), "above"),
    _set("pairs", "en", ("Mercury", "Venus", "Both A and B", "Neither A nor B"), "above"),
    _set(
        "Bundesländer", "de", ("Bayern", "Sachsen", "Hessen", "Bremen"), "nouns",
        (
            ("‹XT› ist flächenmäßig das größte Bundesland.",),
            ("‹XT› grenzt an Polen und Tschechien.",),
            ("‹XT› liegt in der Mitte Deutschlands.",),
            ("‹XT› besteht aus zwei Städten.",),
        ),
        (
            ("‹XT› hat keinen Zugang zum Meer und kommt daher nicht infrage.",),
            ("‹XT› gehörte damals nicht zur Bundesrepublik und ist deshalb falsch.",),
            ("‹XT› grenzt nicht ans Ausland und scheidet damit aus.",),
            ("‹XT› ist dafür viel zu klein.",),
        ),
    ),
    _set(
        "Preise", "de",
        (
            "Die Nachfrage steigt und das Angebot bleibt gleich",
            "Das Angebot steigt und die Nachfrage bleibt gleich",
            "Beide bleiben gleich",
            "Der Staat senkt die Steuern",
        ),
    ),
    _set("organes", "fr", ("Le foie", "Le rein", "Le cœur", "Le poumon"), "nouns common"),
    _set("fleuves", "fr", ("La Loire", "La Seine", "Le Rhône", "La Garonne"), "nouns common"),
    _set("escritores", "es", ("Miguel de Cervantes", "Lope de Vega", "Benito Pérez Galdós", "Federico García Lorca"), "nouns"),
    _set("órganos", "es", ("El hígado", "El páncreas", "El riñón", "El corazón", "El bazo"), "nouns common"),
    _set("città", "it", ("Firenze", "Venezia", "Napoli", "Torino"), "nouns"),
    _set("pianeti", "it", ("Il pianeta Marte", "Il pianeta Venere", "Il pianeta Giove"), "nouns common"),
    _set("biomas", "pt", ("A Caatinga", "O Cerrado", "A Mata Atlântica", "O Pantanal"), "nouns common"),
    _set("presidentes", "pt", ("Getúlio Vargas", "Juscelino Kubitschek", "Jânio Quadros", "João Goulart"), "nouns"),
    _set("provincies", "nl", ("Friesland", "Zeeland", "Limburg", "Drenthe"), "nouns"),
    _set("dieren", "nl", ("De vleermuis", "De walvis", "De pinguïn", "De kikker"), "nouns common"),
    _set("rzeki", "pl", ("Wisła", "Odra", "Warta", "Bug"), "nouns"),
    _set("królowie", "pl", ("Kazimierz Wielki", "Jan III Sobieski", "Zygmunt Stary"), "nouns"),
    _set("писатели", "ru", ("Лев Толстой", "Фёдор Достоевский", "Антон Чехов", "Иван Тургенев"), "nouns"),
    _set("реки", "ru", ("Волга", "Енисей", "Лена", "Обь"), "nouns"),
    _set("朝代", "zh", ("唐朝", "宋朝", "明朝", "清朝"), "nouns"),
    _set("化学", "zh", ("氧气", "氮气", "二氧化碳", "氢气"), "nouns"),
    _set("都市", "ja", ("京都", "大阪", "札幌", "福岡"), "nouns"),
    _set("作家", "ja", ("夏目漱石", "芥川龍之介", "川端康成", "太宰治"), "nouns"),
    _set("도시", "ko", ("서울", "부산", "대구", "광주"), "nouns"),
    _set("임금", "ko", ("세종", "태조", "정조", "고종"), "nouns"),
    _set("şehirler", "tr", ("Ankara", "İstanbul", "İzmir", "Bursa"), "nouns"),
    _set("göller", "tr", ("Van Gölü", "Tuz Gölü", "Beyşehir Gölü", "Eğirdir Gölü"), "nouns"),
    _set("مدن", "ar", ("القاهرة", "بغداد", "دمشق", "الرباط"), "nouns"),
    _set("كواكب", "ar", ("المريخ", "الزهرة", "المشتري", "عطارد"), "nouns"),
)  # fmt: skip
