"""The XML of a MediaWiki dump to pages, while it arrives."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

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
# What no dump goes near, and expat would keep in memory: a tag or comment so long, elements so
# deep, so many different names. A title has 255 bytes at most.
_MAX_TAG, _DEEPEST, _NAMES, _MAX_FIELD = 1 << 20, 64, 1000, 4096
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
    """One page of a dump; `unwanted` says why it is left out (kind and detail), if it is."""

    title: str
    location: str
    text: str
    names: NamespaceNames
    unwanted: tuple[str, str] | None


def read_pages(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[WikiPage]:
    """Give every page of a dump, also those to leave out (these without their text)."""
    dump = _Dump(source.name, options)
    with source.open(log) as stream:
        for chunk in _chunks(stream, source.name, options):
            yield from dump.feed(chunk)
        yield from dump.feed(b"", final=True)


def _chunks(stream: BinaryIO, name: str, options: ReadOptions) -> Iterator[bytes]:
    """Read on, as UTF-8 where the user said how to read; else the XML says it itself."""
    if not _is_recoded(options):
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
            raise ReadError(
                name,
                f"not {encoding}",
                f"what stands after byte {at} is not {encoding}: name the right encoding, or none "
                "(dumps are UTF-8), or let such bytes be replaced (--errors replace)",
            ) from None
        at += len(chunk)
        yield text.encode("utf-8", "replace")


def _is_recoded(options: ReadOptions) -> bool:
    return options.encoding is not None or options.errors != "strict"


@dataclass
class _Draft:
    """A page of which not all has arrived."""

    fields: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    too_long: tuple[str, str] | None = None

    @property
    def title(self) -> str:
        title = " ".join(self.fields.get("title", "").split())
        return title or f"page {self.fields.get('id', '').strip() or 'without a title'}"

    def begin_revision(self) -> None:
        """Forget the revision before: the last one counts."""
        self.too_long = None
        self.attributes = {}
        for name in ("model", "text"):
            self.fields.pop(name, None)


@dataclass
class _Field:
    """The element whose characters are arriving; `full` when no more of them are wanted."""

    name: str
    depth: int
    key: str
    limit: int
    full: bool = False
    size: int = 0
    parts: list[str] = field(default_factory=list)


class _Dump:
    """What expat calls while it reads, and the pages made of it."""

    def __init__(self, name: str, options: ReadOptions) -> None:
        self.name, self.options = name, options
        self.names = NamespaceNames()
        self.other_namespaces: set[str] = set()
        self.ready: list[WikiPage] = []
        self.draft = _Draft()
        self.field: _Field | None = None
        self.last_title = ""
        self.path: list[str] = []
        self.seen: set[str] = set()
        self.fed = 0
        self.parser = expat.ParserCreate("utf-8" if _is_recoded(options) else None)
        self.parser.buffer_text = True
        self.parser.buffer_size = _CHUNK
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, chunk: bytes, final: bool = False) -> Iterator[WikiPage]:
        """Parse a chunk and give the pages that end in it, before complaining about the rest."""
        problem = None
        try:
            self.parser.Parse(chunk, final)
            self.fed += len(chunk)
            if self.fed - self.parser.CurrentByteIndex > _MAX_TAG:
                problem = self._no_dump(f"has a tag or comment of over {_MAX_TAG >> 20} MiB")
        except ReadError as error:
            problem = error
        except expat.ExpatError as error:
            problem = self._broken(error)
        except (ValueError, LookupError) as error:
            problem = self._no_dump(f"declares an encoding that cannot be read ({error})")
        ready, self.ready = self.ready, []
        yield from ready
        if problem:
            raise problem from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self.path and tag != "mediawiki":
            raise self._no_dump(f"is XML with the root <{tag[:40]}>")
        self.path.append(tag)
        self.seen.update((tag, *attributes))
        if len(self.path) > _DEEPEST or len(self.seen) > _NAMES:
            raise self._no_dump("has more, or more deeply nested, elements than any dump")
        where = tuple(self.path[:5])
        if where == ("mediawiki", "page"):
            self.draft = _Draft()
        elif where == ("mediawiki", "page", "redirect"):
            self.draft.fields["redirect"] = "redirect"
        elif where == ("mediawiki", "page", "revision"):
            self.draft.begin_revision()
        elif where in _FIELDS:
            self._begin_field(_FIELDS[where], attributes)

    def _begin_field(self, name: str, attributes: dict[str, str]) -> None:
        limit = self.options.max_bytes if name == "text" else _MAX_FIELD
        self.field = _Field(name, len(self.path), attributes.get("key", ""), limit)
        if name == "text":
            self.draft.attributes = attributes
            self.field.full = self._unwanted() is not None

    def _characters(self, data: str) -> None:
        now = self.field
        if now is None or now.full:
            return
        now.size += len(data) if data.isascii() else len(data.encode())
        if now.size <= now.limit:
            now.parts.append(data)
            return
        now.full = True
        if now.name == "text":
            now.parts = []
            error = too_long(f"{self.name}:{self.draft.title}", self.options)
            if self.options.on_bad != "skip":
                raise error
            self.draft.too_long = error.kind, str(error).removeprefix(f"{error.location}: ")

    def _end(self, tag: str) -> None:
        now = self.field
        if now is not None and len(self.path) == now.depth:
            content = "".join(now.parts)
            if now.name == "namespace":
                self._name_namespace(now.key, content)
            else:
                self.draft.fields[now.name] = content
            self.field = None
        self.path.pop()
        if tag == "page" and len(self.path) == 1:
            self._end_page()

    def _end_page(self) -> None:
        title, unwanted = self.draft.title, self._unwanted()
        text = "" if unwanted else self.draft.fields.get("text", "")
        self.ready.append(WikiPage(title, f"{self.name}:{title}", text, self.names, unwanted))
        self.last_title = title
        self.draft = _Draft()

    def _doctype(self, *_declaration: object) -> None:
        raise self._no_dump("has a document type declaration")

    def _unwanted(self) -> tuple[str, str] | None:
        """Say why the page is left out, as far as that is known so far."""
        draft, title = self.draft, self.draft.title
        model = draft.fields.get("model", "wikitext").strip()
        detail = ""
        if self._is_elsewhere(title):
            kind = "another namespace"
        elif "redirect" in draft.fields or _REDIRECT.match(draft.fields.get("text", "")):
            kind = "redirect"
        elif not self.options.takes_title(title):
            kind = "title not asked for"
        elif model != "wikitext":
            kind, detail = "not wikitext", f"not wikitext but {model[:40]!r}"
        elif "deleted" in draft.attributes:
            kind = "deleted text"
        elif draft.too_long is None and self._has_length_alone():
            kind = "text not in the dump"
        else:
            return draft.too_long
        return kind, detail

    def _has_length_alone(self) -> bool:
        """Tell whether the text has arrived and is empty, though it is said to have bytes."""
        said = self.draft.attributes.get("bytes", "0")
        return self.draft.fields.get("text") == "" and said != "0"

    def _is_elsewhere(self, title: str) -> bool:
        """Tell whether a page is no article; dumps before 2012 give pages no number."""
        number = self.draft.fields.get("ns")
        if number is not None:
            return number.strip() != "0"
        prefix, colon, _rest = title.partition(":")
        return bool(colon) and normalise_name(prefix) in self.other_namespaces

    def _name_namespace(self, key: str, name: str) -> None:
        """Take in what the wiki calls a namespace."""
        own = normalise_name(name)
        if not own or key == "0" or len(self.other_namespaces) > _NAMES:
            return
        self.other_namespaces.add(own)
        if key == "14":
            self.names = self.names._replace(categories=self.names.categories | {own})
        elif key in {"6", "-2"}:
            self.names = self.names._replace(files=self.names.files | {own})

    def _no_dump(self, what: str) -> ReadError:
        return ReadError(
            self.name,
            "not a dump",
            f"{what}: no MediaWiki dump (XML with the root <mediawiki>) is like that",
        )

    def _broken(self, error: expat.ExpatError) -> ReadError:
        reason = expat.ErrorString(error.code)
        where = f"byte {max(self.parser.ErrorByteIndex, 0)} in line {error.lineno}"
        if not self.seen:
            return self._no_dump(f"breaks at {where} ({reason})")
        after = f"after the page {self.last_title[:80]!r}" if self.last_title else "before any page"
        return ReadError(
            self.name,
            "broken dump",
            f"the XML breaks at {where} ({reason}), {after}: is the file cut? Pages before that "
            "are whole, and --on-bad skip keeps them",
        )
