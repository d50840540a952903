"""The encoding that a web page declares."""

from __future__ import annotations

import codecs
import re

# Declarations belong in the first kilobyte; some pages have them later.
_HEAD_BYTES = 4096
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_XML = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})""")
_META = re.compile(rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_NAMES = {"windows-31j": "cp932", "iso-8859-8-i": "iso-8859-8", "iso-8859-8-e": "iso-8859-8"}
# Encodings that browsers use for these names. A declaration found in bytes is not UTF-16 or -32.
_BROWSER_ENCODINGS = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    **dict.fromkeys(("utf-16", "utf-16-be", "utf-16-le", "utf-32", "utf-7"), "utf-8"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("iso8859-11", "tis-620"), "cp874"),
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-9": "cp1254",
}
_REFUSED = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}


def declared_encoding(content: bytes) -> str | None:
    """Return the encoding that a page declares; None if there is none that browsers know.

    >>> declared_encoding(b'<html><meta charset="iso-8859-2">')
    'iso8859-2'
    >>> declared_encoding(b'<meta charset="none such">') is None
    True
    """
    head = _COMMENT.sub(b"", content[:_HEAD_BYTES])
    found = _XML.match(head) or _META.search(head)
    if found is None:
        return None
    encoding = _find_codec(found[1].decode("ascii", "replace").lower())
    # Pages converted to UTF-8 often keep the old name; Latin-1 text is hardly ever valid UTF-8.
    if encoding == "cp1252" and _is_utf8(content):
        return "utf-8"
    return encoding


def _find_codec(name: str) -> str | None:
    name = _NAMES.get(name, name)
    for each in (name, name.removeprefix("x-"), name.replace("windows-", "cp")):
        try:
            codec = codecs.lookup(each)
        except (LookupError, ValueError):
            continue
        if not codec._is_text_encoding or codec.name in _REFUSED:
            return None
        return _BROWSER_ENCODINGS.get(codec.name, codec.name)
    return None


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
