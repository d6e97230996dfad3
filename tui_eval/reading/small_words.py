"""Small words of questions, and endings of words, in English, German, French, Spanish and Italian, without accents."""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HOW = _words("""
how wie wieviel combien quanto quanta quanti quante cuanto cuanta cuantos cuantas que cuan so as too zu
""")
"""Behind these an adjective says what is measured, and opposes nothing."""
ARTICLES = _words("""
der die das den dem des ein eine einen einem einer eines im am vom zum zur beim ins ans welche welcher welches welchem
welchen wieviele viele alle diese dieser dieses diesem diesen jede jeder jedes sein seine ihr ihre seiner ihrer und
""")
GERMAN = _words("""
der die das den dem des ein eine einer eines einem einen ist sind wird wurde wurden hat haben wie wer wen wem was wann wo
warum welche welcher welches welchem welchen im am vom zum zur und nicht fur mit auf bei nach von darf muss kann viele lange
""")
SMALL_WORDS = _words("""
the a an of in on at to for from by with as into onto during according among per via and or but if than then so that this
these those there here it its they them their he she his her him we our you your i me my is are was were be been being am do
does did done has have had having can could may might must shall should will would what which who whom whose when where why
how much many kind kinds sort sorts type types name names called number amount any some other also about der die das den dem
des ein eine einen einem einer eines im vom zum zur beim auf bei zu von fur mit um aus durch und oder aber wenn als dass es
er sie ihr ihre sein seine man sich ist sind war waren wird werden wurde wurden hat haben hatte kann konnen darf durfen muss
mussen soll sollen wer wen wem wessen wann wo woher wohin welche welcher welches welchem welchen warum wieso weshalb wie
viel viele heisst lautet namen anzahl zahl gibt le la les l un une du de d en au aux dans par pour sur avec et ou mais si
que qui quoi quel quelle quels quelles quand pourquoi comment combien est sont etait etaient ont il elle se sa son ses ce
cette ces y fut nom nombre y-a el los las una unos unas del al por para sobre con e o pero quien quienes cual cuales cuando
donde como cuanto cuanta cuantos cuantas era fue fueron hay su sus esta este esto ha han lo numero gli uno della dello dei
degli delle di da dal dalla nel nella nei negli col tra fra ed od ma che chi quale quali quando dove perche come quanto
quanta quanti quante sono fu furono hanno suo sua nome qual
""")
ENDINGS = _words("""
a e i o s n r t d m y as os es is us en er em et st te ten tet nd ed ing ings ion ions ung ungen or ors ers ment ments al ly
ies ied ness ce nce e-s re res rs se ses ne nes nen nde nden ern ere eren eres erem erer este esten ste sten tion ado ada
ados adas ido ida ati ato ata ite ito ita ant ante ants ent ente ents ar ir ar-se are ire ra ron mente mos
""") | {""}
"""What may follow the stem of a word."""
ABBREVIATED: Mapping[str, str] = {
    word: line.split()[0]
    for line in """
        m metre metres meter meters metern metro metros metri metres
        km kilometre kilometres kilometer kilometers kilometern kilometro kilometros chilometro chilometri
        cm centimetre centimetres centimeter centimeters zentimeter zentimetern centimetro centimetros centimetri
        mm millimetre millimetres millimeter millimeters milimetro milimetros millimetro millimetri
        l litre litres liter liters litern litro litros litri
        kg kilogram kilograms kilogramme kilogrammes kilogramm kilo kilos chilo chili chilogrammi
        g gram grams gramme grammes gramm gramo gramos grammo grammi
        mg milligram milligrams milligramm miligramo miligramos milligrammi
        t tonne tonnes ton tons tonnen tonelada toneladas tonnellata tonnellate
        h hour hours hr hrs stunde stunden heure heures hora horas ora ore uhr
        min minute minutes mins minuten minuto minutos minuti
        s second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondo secondi
        eur euro euros
        usd dollar dollars us
        gbp pound pounds pfund
        percent prozent pourcent ciento cento pct
        degrees degree grad degre degres grado grados gradi
        c celsius
    """.strip().splitlines()
    for word in line.split()
}
"""How units are written."""
