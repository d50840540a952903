"""Streaming parser of the XML of a MediaWiki dump."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from permutopic.errors import Message, Parameter
from permutopic.readers.read_log import ReadError
from permutopic.readers.source import too_long
from permutopic.readers.wiki.markup import NamespaceNames, normalise_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source

_CHUNK = 1 << 16
# Bounds on what expat keeps in memory, far above those of any dump: bytes of a tag or comment,
# depth of elements, number of names, bytes of a field. A title has at most 255 bytes.
_MAX_TAG, _MAX_DEPTH, _MAX_NAMES, _MAX_FIELD = 1 << 20, 64, 1000, 4096
_FIELDS = {
    ("mediawiki", "siteinfo", "namespaces", "namespace"): "namespace",
    ("mediawiki", "page", "title"): "title",
    ("mediawiki", "page", "ns"): "ns",
    ("mediawiki", "page", "id"): "id",
    ("mediawiki", "page", "revision", "model"): "model",
    ("mediawiki", "page", "revision", "text"): "text",
}
_REDIRECT = re.compile(r"\s*#redirect\b\s*:?\s*\[\[", re.IGNORECASE)


class WikiPage(NamedTuple):
    """One page of a dump; `skip_reason` is the kind and detail of why it is skipped, or None."""

    title: str
    location: str
    text: str
    names: NamespaceNames
    skip_reason: tuple[str, str] | None


def read_pages(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[WikiPage]:
    """Yield every page of a dump; those to skip have no text."""
    dump = _Dump(source.name, options)
    with source.open(log) as stream:
        for chunk in _chunks(stream, source.name, options):
            yield from dump.feed(chunk)
        yield from dump.feed(b"", final=True)


def _chunks(stream: BinaryIO, name: str, options: ReadOptions) -> Iterator[bytes]:
    """Read chunks of bytes, transcoded to UTF-8 if the options set an encoding or errors."""
    if not _is_transcoded(options):
        while chunk := stream.read(_CHUNK):
            yield chunk
        return
    encoding = options.encoding or "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)(options.errors)
    at = 0
    more = True
    while more:
        chunk = stream.read(_CHUNK)
        more = bool(chunk)
        try:
            text = decoder.decode(chunk, final=not more)
        except UnicodeError:
            detail = Message(
                f"what stands after byte {at} is not {encoding}: name the right encoding, or none "
                "(dumps are UTF-8), or let such bytes be replaced (",
                Parameter("errors", "replace"),
                ")",
            )
            raise ReadError(name, f"not {encoding}", detail) from None
        at += len(chunk)
        yield text.encode("utf-8", "replace")


def _is_transcoded(options: ReadOptions) -> bool:
    return options.encoding is not None or options.errors != "strict"


@dataclass
class _PartialPage:
    """A page that is not parsed completely."""

    fields: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    too_long: tuple[str, str] | None = None

    @property
    def title(self) -> str:
        title = " ".join(self.fields.get("title", "").split())
        return title or f"page {self.fields.get('id', '').strip() or 'without a title'}"

    def reset_revision(self) -> None:
        """Discard the revision before: the last one counts."""
        self.too_long = None
        self.attributes = {}
        for name in ("model", "text"):
            self.fields.pop(name, None)


@dataclass
class _Field:
    """The element whose text is parsed; if `is_complete`, the rest of the text is ignored."""

    name: str
    depth: int
    key: str
    limit: int
    is_complete: bool = False
    size: int = 0
    parts: list[str] = field(default_factory=list)


class _Dump:
    """Handlers of expat's events, which collect the pages."""

    def __init__(self, name: str, options: ReadOptions) -> None:
        self.name, self.options = name, options
        self.names = NamespaceNames()
        self.other_namespaces: set[str] = set()
        self.ready: list[WikiPage] = []
        self.page = _PartialPage()
        self.field: _Field | None = None
        self.last_title = ""
        self.path: list[str] = []
        self.seen: set[str] = set()
        self.fed = 0
        self.parser = expat.ParserCreate("utf-8" if _is_transcoded(options) else None)
        self.parser.buffer_text = True
        self.parser.buffer_size = _CHUNK
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, chunk: bytes, final: bool = False) -> Iterator[WikiPage]:
        """Parse a chunk; yield the pages that end in it before any error is raised."""
        problem = None
        try:
            self.parser.Parse(chunk, final)
            self.fed += len(chunk)
            if self.fed - self.parser.CurrentByteIndex > _MAX_TAG:
                problem = self._not_a_dump(f"has a tag or comment of over {_MAX_TAG >> 20} MiB")
        except ReadError as error:
            problem = error
        except expat.ExpatError as error:
            problem = self._broken(error)
        except (ValueError, LookupError) as error:
            problem = self._not_a_dump(f"declares an encoding that cannot be read ({error})")
        ready, self.ready = self.ready, []
        yield from ready
        if problem:
            raise problem from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self.path and tag != "mediawiki":
            raise self._not_a_dump(f"is XML with the root <{tag[:40]}>")
        self.path.append(tag)
        self.seen.update((tag, *attributes))
        if len(self.path) > _MAX_DEPTH or len(self.seen) > _MAX_NAMES:
            raise self._not_a_dump("has more, or more deeply nested, elements than any dump")
        path = tuple(self.path[:5])
        if path == ("mediawiki", "page"):
            self.page = _PartialPage()
        elif path == ("mediawiki", "page", "redirect"):
            self.page.fields["redirect"] = "redirect"
        elif path == ("mediawiki", "page", "revision"):
            self.page.reset_revision()
        elif path in _FIELDS:
            self._begin_field(_FIELDS[path], attributes)

    def _begin_field(self, name: str, attributes: dict[str, str]) -> None:
        limit = self.options.max_bytes if name == "text" else _MAX_FIELD
        self.field = _Field(name, len(self.path), attributes.get("key", ""), limit)
        if name == "text":
            self.page.attributes = attributes
            self.field.is_complete = self._find_skip_reason() is not None

    def _characters(self, data: str) -> None:
        current = self.field
        if current is None or current.is_complete:
            return
        current.size += len(data) if data.isascii() else len(data.encode())
        if current.size <= current.limit:
            current.parts.append(data)
            return
        current.is_complete = True
        if current.name == "text":
            current.parts = []
            error = too_long(f"{self.name}:{self.page.title}", self.options)
            if self.options.on_bad != "skip":
                raise error
            self.page.too_long = error.kind, error.detail

    def _end(self, tag: str) -> None:
        current = self.field
        if current is not None and len(self.path) == current.depth:
            content = "".join(current.parts)
            if current.name == "namespace":
                self._add_namespace(current.key, content)
            else:
                self.page.fields[current.name] = content
            self.field = None
        self.path.pop()
        if tag == "page" and len(self.path) == 1:
            self._end_page()

    def _end_page(self) -> None:
        title, skip_reason = self.page.title, self._find_skip_reason()
        text = "" if skip_reason else self.page.fields.get("text", "")
        self.ready.append(WikiPage(title, f"{self.name}:{title}", text, self.names, skip_reason))
        self.last_title = title
        self.page = _PartialPage()

    def _doctype(self, *_declaration: object) -> None:
        raise self._not_a_dump("has a document type declaration")

    def _find_skip_reason(self) -> tuple[str, str] | None:
        """Return why the page is skipped, as far as known so far; None if it is not."""
        page, title = self.page, self.page.title
        model = page.fields.get("model", "wikitext").strip()
        detail = ""
        if self._is_other_namespace(title):
            kind = "another namespace"
        elif "redirect" in page.fields or _REDIRECT.match(page.fields.get("text", "")):
            kind = "redirect"
        elif not self.options.takes_title(title):
            kind = "title not asked for"
        elif model != "wikitext":
            kind, detail = "not wikitext", f"not wikitext but {model[:40]!r}"
        elif "deleted" in page.attributes:
            kind = "deleted text"
        elif page.too_long is None and self._lacks_text():
            kind = "text not in the dump"
        else:
            return page.too_long
        return kind, detail

    def _lacks_text(self) -> bool:
        """Whether the text is empty although its element declares a length (a stub dump)."""
        declared = self.page.attributes.get("bytes", "0")
        return self.page.fields.get("text") == "" and declared != "0"

    def _is_other_namespace(self, title: str) -> bool:
        """Whether a page is no article; by its title's prefix in dumps before 2012."""
        number = self.page.fields.get("ns")
        if number is not None:
            return number.strip() != "0"
        prefix, colon, _rest = title.partition(":")
        return bool(colon) and normalise_name(prefix) in self.other_namespaces

    def _add_namespace(self, key: str, name: str) -> None:
        """Add the wiki's own name of a namespace."""
        own = normalise_name(name)
        if not own or key == "0" or len(self.other_namespaces) > _MAX_NAMES:
            return
        self.other_namespaces.add(own)
        if key == "14":
            self.names = self.names._replace(categories=self.names.categories | {own})
        elif key in {"6", "-2"}:
            self.names = self.names._replace(files=self.names.files | {own})

    def _not_a_dump(self, what: str) -> ReadError:
        return ReadError(
            self.name,
            "not a dump",
            f"{what}: no MediaWiki dump (XML with the root <mediawiki>) is like that",
        )

    def _broken(self, error: expat.ExpatError) -> ReadError:
        reason = expat.ErrorString(error.code)
        where = f"byte {max(self.parser.ErrorByteIndex, 0)} in line {error.lineno}"
        if not self.seen:
            return self._not_a_dump(f"breaks at {where} ({reason})")
        after = f"after the page {self.last_title[:80]!r}" if self.last_title else "before any page"
        detail = Message(
            f"the XML breaks at {where} ({reason}), {after}: is the file cut? Pages before that "
            "are whole, and ",
            Parameter("on_bad", "skip"),
            " keeps them",
        )
        return ReadError(self.name, "broken dump", detail)
