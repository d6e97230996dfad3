"""Text with each character in the form of the ASCII character that it looks like, place by place."""

from __future__ import annotations

import unicodedata

_LOOKS_LIKE = {
    "a": "аαАΑᴀⱭɑ🅐🅰Ꭺ", "b": "вВΒᴃʙ🅑🅱Ᏼ", "c": "сСϲϹᴄ🅒🅲Ꮯ", "d": "ԁԀᴅᎠ🅓🅳", "e": "еЕεΕᴇєЄ🅔🅴Ꭼ",
    "f": "ꜰϝ🅕🅵", "g": "ɢɡԍԌ🅖🅶Ꮐ", "h": "нНһҺΗʜ🅗🅷Ꮋ", "i": "іІιΙıɪӀ🅘🅸Ꮖ", "j": "јЈᴊ🅙🅹Ꭻ", "k": "кКκΚᴋ🅚🅺Ꮶ",
    "l": "ʟⳑ🅛🅻Ꮮ", "m": "мМΜᴍ🅜🅼Ꮇ", "n": "ոηΝɴпПиИ🅝🅽", "o": "оОοΟօᴏ🅞🅾", "p": "рРρΡᴘ🅟🅿Ꮲ", "q": "ԛԚǫ🅠🆀",
    "r": "ʀᴦгяЯ🅡🆁Ꮢ", "s": "ѕЅꜱʂ🅢🆂Ꮪ", "t": "тТτΤᴛ🅣🆃Ꭲ", "u": "սυᴜ🅤🆄", "v": "νѵѴᴠ🅥🆅Ꮩ", "w": "ԝԜωᴡшШ🅦🆆Ꮃ",
    "x": "хХχΧ🅧🆇", "y": "уУүҮγΥʏ🅨🆈", "z": "ΖᴢᏃ🅩🆉",
    "[": "［【〔〖〘〚⟦⁅❲⦋⦍⦏⟮", "]": "］】〕〗〙〛⟧⁆❳⦌⦎⦐⟯",
    "<": "＜‹〈⟨《«≺˂ᐸ❮❬⟪", ">": "＞›〉⟩》»≻˃ᐳ❯❭⟫",
    "/": "／⁄∕⧸\\＼⧵∖╱╲〳⟋⟍",
}  # fmt: skip
"""By the ASCII character those of other scripts that a reader takes for it, beside what Unicode itself says are the same."""
_INVISIBLE = frozenset({"Cf", "Mn", "Me", "Cc", "Zs", "Zl", "Zp"})


class _Lookalikes(dict[int, str]):
    """By code points what stands for each; worked out when it is first met, and then kept."""

    def __missing__(self, code: int) -> str:
        made = self[code] = _form_of(chr(code))
        return made


def _form_of(sign: str) -> str:
    """The small ASCII character that a sign stands for, a blank where it shows nothing, else the sign itself."""
    if sign == "\n":
        return sign
    if sign.isspace() or unicodedata.category(sign) in _INVISIBLE:
        return " "
    parts = unicodedata.normalize("NFKD", sign)
    base, marks = parts[0], parts[1:]
    if base.isascii() and all(unicodedata.combining(mark) for mark in marks):
        return base.lower()
    return sign


_TABLE = _Lookalikes({ord(sign): plain for plain, signs in _LOOKS_LIKE.items() for sign in signs})


def as_ascii(text: str) -> str:
    """Return a text of the same length: small letters, compatible and lookalike characters as the ASCII ones that they look
    like, a blank for what shows nothing; line ends and all else as they are."""
    return text.translate(_TABLE)
