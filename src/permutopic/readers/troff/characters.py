r"""Special characters of troff, which are written by name: \(em, \[lq], \('e, \[u20AC], \[e aa].

Where groff prints a typewriter's minus, hyphen, quote or accent, the plain one is given, so that
words come out as they are typed.
"""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    ":": "\u0308",
    "~": "\u0303",
    ",": "\u0327",
}
_COMBINING = {
    "aa": "\u0301",
    "ga": "\u0300",
    "a^": "\u0302",
    "ad": "\u0308",
    "a~": "\u0303",
    "ac": "\u0327",
    "ah": "\u030c",
    "ao": "\u030a",
    "ab": "\u0306",
    "a.": "\u0307",
    "a-": "\u0304",
    "ho": "\u0328",
    'a"': "\u030b",
}
# Pairs of a name and its character.
_NAMED = """
aq ' dq " lq “ rq ” oq ‘ cq ’ Bq „ bq ‚ Fo « Fc » fo ‹ fc ›
hy - en – em — mi - pl + mu × di ÷ +- ± eq = != ≠ == ≡ <= ≤ >= ≥ << ≪ >> ≫ ~~ ≈ ~= ≅ ap ∼ |= ≃
bu • co © rg ® tm ™ sc § ps ¶ dg † dd ‡ de ° mc µ ct ¢ Do $ Eu € eu € Po £ Ye ¥ Cs ¤ Fn ƒ
fm ′ sd ″ pc · ha ^ ti ~ ga ` aa ´ ad ¨ a^ ^ a~ ~ ac ¸ ah ˇ ao ˚ ab ˘ a. ˙ a- ¯ ho ˛ a" ˝
rs \\ sl / ba | br │ bv | bb ¦ ul _ ru _ rn ‾ at @ sh # lB [ rB ] lC { rC } la ⟨ ra ⟩ lh ☜ rh ☞
-> → <- ← <> ↔ ua ↑ da ↓ va ↕ rA ⇒ lA ⇐ hA ⇔ uA ⇑ dA ⇓ vA ⇕ an ⎯ CR ↵
12 ½ 14 ¼ 34 ¾ 18 ⅛ 38 ⅜ 58 ⅝ 78 ⅞ S1 ¹ S2 ² S3 ³ Of ª Om º r! ¡ r? ¿
OK ✓ sq □ ci ○ lz ◊ CL ♣ SP ♠ HE ♥ DI ♦ /_ ∠ tf ∴ 3d ∴ no ¬ te ∃ fa ∀ st ∋ mo ∈ nm ∉ sb ⊂ sp ⊃
ib ⊆ ip ⊇ ca ∩ cu ∪ AN ∧ OR ∨ es ∅ c* ⊗ c+ ⊕ ** * pt ∝ if ∞ pd ∂ gr ∇ is ∫ sr √ Ah ℵ Im ℑ Re ℜ
wp ℘ pp ⊥ -h ℏ hb ℏ md ⋅ nb ⊄ nc ⊅ ne ≢ -+ ∓ %0 ‰
ss ß AE Æ ae æ OE Œ oe œ /L Ł /l ł /O Ø /o ø oA Å oa å -D Ð Sd ð TP Þ Tp þ IJ Ĳ ij ĳ .i ı .j ȷ
vS Š vs š vZ Ž vz ž fi fi fl fl ff ff Fi ffi Fl ffl
*A Α *B Β *G Γ *D Δ *E Ε *Z Ζ *Y Η *H Θ *I Ι *K Κ *L Λ *M Μ *N Ν *C Ξ *O Ο *P Π *R Ρ *S Σ *T Τ
*U Υ *F Φ *X Χ *Q Ψ *W Ω *a α *b β *g γ *d δ *e ε *z ζ *y η *h θ *i ι *k κ *l λ *m μ *n ν *c ξ
*o ο *p π *r ρ *s σ ts ς *t τ *u υ *f ϕ *x χ *q ψ *w ω +h ϑ +f φ +p ϖ +e ϵ
"""
_WORDS = _NAMED.split()
SPECIAL = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True)) | {
    "shc": "",  # a soft hyphen
    "product": "∏",
    "sum": "∑",
    "coproduct": "∐",
    "integral": "∫",
    "braceleft": "{",
    "braceright": "}",
    "bracketleft": "[",
    "bracketright": "]",
}
_CODE = re.compile(r"u([0-9A-F]{4,6})((?:_[0-9A-F]{4,6}){0,9})")
_NUMBER = re.compile(r"char([0-9]{1,7})")


def special_character(name: str) -> str:
    """Return the character of a name; "" if there is none.

    >>> names = ("em", "'e", "u20AC", "u0065_0301", "e aa", "char38", "nope")
    >>> [special_character(name) for name in names]
    ['—', 'é', '€', 'é', 'é', '&', '']
    """
    if name in SPECIAL:
        return SPECIAL[name]
    if len(name) == 2 and name[0] in _ACCENTS:
        return unicodedata.normalize("NFC", name[1] + _ACCENTS[name[0]])
    if code := _CODE.fullmatch(name):
        points = [code[1], *code[2].split("_")[1:]]
        return unicodedata.normalize("NFC", "".join(character(int(p, 16)) for p in points))
    if number := _NUMBER.fullmatch(name):
        return character(int(number[1]))
    if " " in name:
        return _composed(name.split())
    return name if len(name) == 1 else ""


def character(code: int) -> str:
    """Return the character of a code point; "" for control characters and surrogates."""
    return chr(code) if 32 <= code < 127 or (160 <= code < 0x110000 and code >> 11 != 27) else ""


def _composed(names: list[str]) -> str:
    base = special_character(names[0]) if names else ""
    marks = "".join(_COMBINING.get(name, "") for name in names[1:10])
    return unicodedata.normalize("NFC", base + marks)
