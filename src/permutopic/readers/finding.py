"""Find the files to read: from files, folders, globs and standard input."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from permutopic.errors import InputError, Message, Parameter
from permutopic.readers.compression import strip_compression
from permutopic.readers.formats import FORMATS, guess_format, sniff_format
from permutopic.readers.globs import WILD, Glob, matches_glob
from permutopic.readers.read_log import ReadError, printable
from permutopic.readers.source import Source, standard_input, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions

_SHORT_EXTENSION = re.compile(r"\.[^\W\d_]\w{0,9}")


class FoundFile(NamedTuple):
    """A file to read, its format, and whether it was found in a folder or given by name.

    `size` is in bytes; None for what is no regular file and can be read once only, such as a pipe.
    """

    source: Source
    format: str
    in_folder: bool
    size: int | None = None


class FileFinder:
    """Resolves paths to files, each of them once."""

    def __init__(self, options: ReadOptions, log: ReadLog) -> None:
        self._options, self._log = options, log
        self._seen: dict[tuple[int, int], str] = {}

    def find(self, path: str | Path) -> Iterator[FoundFile]:
        """Yield the files of a file name, folder, glob or "-", in natural order."""
        name = path_name(path)
        if name == "-":
            source = standard_input()
            yield FoundFile(source, self._options.format or sniff_format(source), in_folder=False)
            return
        location = Path(name)
        try:
            status = _status(location)
        except ReadError as error:
            if WILD.search(name):
                base, glob = _split_glob(name)
                yield from self._walk(base, glob)
                return
            self._refuse(error)
            return
        if stat.S_ISDIR(status.st_mode):
            yield from self._walk(location)
        else:
            yield from self._take_named(location, name, status)

    def _take_named(self, path: Path, name: str, status: os.stat_result) -> Iterator[FoundFile]:
        format_name = self._format(path)
        if format_name is None:
            why = f"the extension {path.suffix!r}" if path.suffix else "a name without extension"
            choices = ", ".join(FORMATS)
            detail = Message(
                f"no format is known by {why}: choose one with ",
                Parameter("format"),
                f" ({choices})",
            )
            self._refuse(ReadError(name, "unknown extension", detail))
        elif self._is_new(name, status):
            source = Source(path, name, _strip_extensions(path.name))
            size = status.st_size if stat.S_ISREG(status.st_mode) else None
            yield FoundFile(source, format_name, in_folder=False, size=size)

    def _walk(self, base: Path, glob: Glob | None = None) -> Iterator[FoundFile]:
        """Find files below a folder: its own files first; links to folders are not followed."""
        root = _resolve(base)
        stack: list[tuple[str, tuple[str, ...]]] = [(str(base), ())]
        while stack:
            folder, inside = stack.pop()
            try:
                with os.scandir(folder) as entries:
                    listed = sorted(entries, key=lambda entry: natural_key(entry.name))
            except OSError as error:
                self._refuse(unreadable(str(Path(folder)), error), in_folder=bool(inside))
                continue
            folders = []
            for entry in listed:
                parts = (*inside, entry.name)
                if entry.name.startswith("."):
                    self._log.skip(printable(entry.path), "hidden")
                    continue
                if _is_folder(entry):
                    if glob is None or glob.may_match_below(parts) or _is_inside(glob, parts):
                        folders.append((entry.path, parts))
                elif self._wants(parts, glob):
                    path = Path(entry.path)
                    target = _relative_target(path, root) if entry.is_symlink() else None
                    if target is not None and self._is_found_itself(path, target, glob):
                        self._skip_duplicate(path, str(base.joinpath(*target)))
                    else:
                        yield from self._take(path, parts)
            stack += reversed(folders)

    def _is_found_itself(self, link: Path, target: tuple[str, ...], glob: Glob | None) -> bool:
        """Whether the target of a link, in the same folder, is found under its own name."""
        if not link.is_file():
            return link.is_dir()
        return self._wants(target, glob) and self._format(PurePath(*target)) is not None

    def _format(self, path: PurePath) -> str | None:
        return self._options.format or guess_format(path)

    def _wants(self, parts: tuple[str, ...], glob: Glob | None) -> bool:
        include, exclude = self._options.include, self._options.exclude
        return (
            (glob is None or _is_inside(glob, parts))
            and (not include or any(matches_glob(pattern, parts) for pattern in include))
            and not any(matches_glob(pattern, parts) for pattern in exclude)
        )

    def _take(self, path: Path, parts: tuple[str, ...]) -> Iterator[FoundFile]:
        """Yield one file of a folder, or log why it is skipped."""
        name = str(path)
        format_name = self._format(path)
        try:
            status = _status(path)
        except ReadError as error:
            if format_name is None:
                self._log.skip(printable(name), _unknown_extension(path.suffix))
            else:
                self._refuse(error, in_folder=True)
            return
        if stat.S_ISDIR(status.st_mode):
            self._log.skip(printable(name), "link to a folder")
        elif format_name is None:
            self._log.skip(printable(name), _unknown_extension(path.suffix))
        elif not stat.S_ISREG(status.st_mode):
            self._log.skip(printable(name), "not a regular file")
        elif self._is_new(name, status):
            source = Source(path, name, _strip_extensions("/".join(parts)))
            yield FoundFile(source, format_name, in_folder=True, size=status.st_size)

    def _is_new(self, name: str, status: os.stat_result) -> bool:
        """Whether a file was not found before under another name (a link)."""
        identity = (status.st_dev, status.st_ino)
        first = self._seen.get(identity)
        if first is not None:
            self._skip_duplicate(Path(name), first)
        elif stat.S_ISREG(status.st_mode):
            self._seen[identity] = name
        return first is None

    def _skip_duplicate(self, path: Path, first: str) -> None:
        kind = "folder" if path.is_dir() else "file"
        detail = f"another name of {printable(first)}"
        self._log.skip(printable(str(path)), f"another name of a {kind}", detail)

    def _refuse(self, error: ReadError, *, in_folder: bool = False) -> None:
        """Log a file that cannot be read, or raise its error, as the options say."""
        if not self._options.skips(in_folder=in_folder):
            raise error
        self._log.skip_error(error)


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key by which digits compare by value and letters regardless of case.

    >>> sorted(["a10", "A2", "b", "1", "a"], key=natural_key)
    ['1', 'a', 'A2', 'a10', 'b']
    """
    parts = re.findall(r"\d+|\D+", name)
    key = [(0, int(p), "") if p.isdecimal() else (1, 0, p.casefold()) for p in parts]
    return [*key, (-1, 0, name)]


def path_name(path: object) -> str:
    """Return a path as text; what is no path is an error."""
    try:
        name = os.fsdecode(path)  # type: ignore[arg-type]
    except TypeError:
        name = ""
    if not name:
        raise InputError(f"a path is the name of a file or folder, a glob or '-', not {path!r}")
    return name


def _resolve(path: Path) -> Path | None:
    try:
        return path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # a broken link, or a cycle of links
        return None


def _relative_target(link: Path, root: Path | None) -> tuple[str, ...] | None:
    """Return the path of a link's target below `root`; None if it is outside, or hidden."""
    target = _resolve(link)
    if target is None or root is None or not target.is_relative_to(root):
        return None
    parts = target.relative_to(root).parts
    return None if any(part.startswith(".") for part in parts) else parts


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # reported when the entry is read
        return False


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(str(path), error) from None


def _split_glob(name: str) -> tuple[Path, Glob]:
    """Split a glob into the folder before its first wildcard and the rest."""
    parts = PurePath(name).parts
    wild = next(n for n, part in enumerate(parts) if WILD.search(part))
    return Path(*parts[:wild]), Glob("/".join(parts[wild:]))


def _is_inside(glob: Glob, parts: tuple[str, ...]) -> bool:
    """Whether a glob matches a path, or a folder above it."""
    return any(glob.matches(parts[:n]) for n in range(1, len(parts) + 1))


def _unknown_extension(extension: str) -> str:
    """Return the reason for skipping a file; long or odd suffixes are no extensions."""
    if not extension:
        return "no extension"
    return "unknown extension" + (
        f" {extension!r}" if _SHORT_EXTENSION.fullmatch(extension) else ""
    )


def _strip_extensions(name: str) -> str:
    """Drop the extensions of format and compression from a name."""
    path = strip_compression(PurePath(name))
    if guess_format(path) is not None:
        path = path.with_suffix("")
    return path.as_posix()
