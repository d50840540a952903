"""Classification of HTML elements: text, structure, boilerplate or hidden."""

from __future__ import annotations

import re


def _words(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Flags of elements that are no part of the text. Class names give only guesses: "likely"
# boilerplate if text never has such a name, "perhaps" if it may (as forms, which may contain whole
# pages), "masthead" if the name is that of a header.
GUESSED = frozenset({"likely", "perhaps", "header", "masthead"})
LEFT_OUT = GUESSED | {"hidden", "boilerplate"}
# Elements that are passed to the parser; all others are inline.
STRUCTURE = _words(
    "address article aside blockquote caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav object ol p "
    "pre rp rt ruby search section summary table td th tr ul"
)
# Elements that do not end a paragraph.
WITHIN_LINE = _words("object rp rt ruby span")
HEADINGS = _words("h1 h2 h3 h4 h5 h6")
# Their content is not markup.
RAW_TEXT = _words("iframe noembed noframes noscript script style textarea title")
# Elements without an end tag.
VOID = _words("area base col embed img input link meta param source track wbr")
RENAMED = {"listing": "pre", "xmp": "pre"} | dict.fromkeys(
    _words(
        "annotation annotation-xml applet audio button canvas datalist map select svg template "
        "video"
    ),
    "object",
)
_NEVER_SHOWN = _words("object rp rt")
_BY_NAME = {
    **dict.fromkeys(_words("aside footer menu nav search"), "boilerplate"),
    "form": "perhaps",
    "header": "header",
    "main": "main",
}
_ROLES = {
    "main": "main",
    "banner": "header",
    **dict.fromkeys(
        _words("navigation contentinfo search complementary menu menubar toolbar tablist doc-toc"),
        "boilerplate",
    ),
}
# Classes of asides that are a part of the text: notes, warnings, footnotes.
_NOTES = _words(
    "admonition caution danger footnote footnote-list footnotes hint important info note notice "
    "pullquote tip warning"
)
_HIDDEN_NAMES = _words(
    "anchor-link anchorjs-link copiable-link doc-anchor hash-link headerlink heading-anchor "
    "lineno linenodiv linenos mw-cite-backlink mw-editsection mw-jump-link noprint "
    "screen-reader-text skip-link sr-only viewcode-link visually-hidden visuallyhidden"
)
_LIKELY_NAMES = _words(
    "bottom-nav bottomnav breadcrumb breadcrumbs catlinks cc-banner cc-window comment-respond "
    "comments-area contentsub docs-sidebar footer gdpr global-nav jp-relatedposts local-toc "
    "main-menu main-nav menu-bar mini-toc mw-head mw-navigation mw-panel nav-links nav-menu "
    "nav-panel navbar navbox navfooter navheader page-footer page-nav pager pagination "
    "post-navigation printfooter secondary-nav sharedaddy sidenav site-footer site-nav "
    "site-navigation sitesub skip-nav sphinxsidebar sub-nav subnav table-of-contents "
    "tableofcontents toc toc2 top-nav topnav"
)
_LIKELY_BEGINS = ("breadcrumb", "onetrust-", "share-", "social-")
# Not "cookie" alone, which may be food.
_CONSENT = re.compile(
    r"cookies?-?(?:banner|bar|box|consent|law|message|modal|notice|popup|warning)"
)
_UNSURE_NAMES = _words(
    "ad ads advert advertisement copyright menu nav navigation newsletter related related-articles "
    "related-posts sidebar sidebar-wrapper subscribe topbar widget widget-area"
)
_IDENTIFIED = _words("div ol table td ul")
_MASTHEAD_NAMES = _words("banner header masthead page-header site-header")

_ATTRIBUTE = re.compile(
    r"""([^\t\n\f\r />="']++)
    (?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"([^"]*+)|'([^']*+)|([^\t\n\f\r >]*+)))?+""",
    re.VERBOSE,
)
_NO_DISPLAY = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_MAY_HIDE = re.compile(
    "hidden|display|reference|" + "|".join(map(re.escape, sorted(_HIDDEN_NAMES))), re.IGNORECASE
)


def find_flag(name: str, written: str) -> str:
    """Return the flag of an element by its name and attributes; "" if it is an ordinary one.

    >>> find_flag("nav", ""), find_flag("p", " hidden"), find_flag("div", ' class="big sidebar"')
    ('boilerplate', 'hidden', 'perhaps')
    """
    attributes = _read_attributes(written) if written else {}
    if name in _NEVER_SHOWN or _is_hidden(name, attributes):
        return "hidden"
    role = _ROLES.get(attributes.get("role", "").strip().lower())
    if role is not None:
        return role
    classes = _classes(attributes)
    if name in _BY_NAME:
        is_note = name == "aside" and not _NOTES.isdisjoint(classes)
        return "" if is_note else _BY_NAME[name]
    # The id of a section is made from its heading, which may be "Menu" or "Footer".
    if name in _IDENTIFIED and "section" not in classes:
        classes += attributes.get("id", "").lower().replace("_", "-").split()
    return "" if name in HEADINGS else _guess_flag(classes)


def _guess_flag(names: list[str]) -> str:
    """Return the flag that class names and ids suggest."""
    if not _LIKELY_NAMES.isdisjoint(names) or any(
        each.startswith(_LIKELY_BEGINS) or _CONSENT.match(each) for each in names
    ):
        return "likely"
    if not _UNSURE_NAMES.isdisjoint(names) or any(each.startswith("cookie") for each in names):
        return "perhaps"
    return "masthead" if not _MASTHEAD_NAMES.isdisjoint(names) else ""


def hides(name: str, written: str) -> bool:
    """Whether an inline element is not displayed, or is no part of the text.

    >>> hides("a", ' class="headerlink" href="#top"'), hides("a", ' class="big" href="#top"')
    (True, False)
    """
    return bool(_MAY_HIDE.search(written)) and _is_hidden(name, _read_attributes(written))


def _is_hidden(name: str, attributes: dict[str, str]) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden", "").strip().lower() == "true"
        or (name == "dialog" and "open" not in attributes)
        or _NO_DISPLAY.search(attributes.get("style", "")) is not None
        or not _HIDDEN_NAMES.isdisjoint(_classes(attributes))
        or (name == "sup" and "reference" in _classes(attributes))
    )


def _read_attributes(written: str) -> dict[str, str]:
    """Parse the attributes of a tag; the first of a name counts."""
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), "".join(values))
    return found


def _classes(attributes: dict[str, str]) -> list[str]:
    return attributes.get("class", "").lower().replace("_", "-").split()
