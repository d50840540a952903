"""From what a user names (files, folders, globs, standard input) to the files to read."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from permutopic.errors import InputError
from permutopic.readers.formats import FORMATS, guess_format, sniff_format
from permutopic.readers.notes import ReadError
from permutopic.readers.source import PACKED, Source, standard_input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.readers.notes import Notes
    from permutopic.readers.settings import Reading

_MAGIC = re.compile(r"[*?\[]")


class Found(NamedTuple):
    """A file to read, its format, and whether it was found in a folder or named itself."""

    source: Source
    format: str
    in_folder: bool


def find(path: str | Path, reading: Reading, notes: Notes) -> Iterator[Found]:
    """Find the files that a path stands for, in natural order."""
    name = os.fspath(path)
    if name == "-":
        source = standard_input()
        yield Found(source, reading.format or sniff_format(source), in_folder=False)
        return
    place = Path(path)
    try:
        is_folder, exists = place.is_dir(), place.exists()
    except (OSError, ValueError) as error:
        raise ReadError(name, "cannot be read", f"cannot be read ({error})") from None
    if is_folder:
        yield from _walk(place, reading, notes, reading.include)
    elif not exists and _MAGIC.search(name):
        base, pattern = _split_glob(name)
        yield from _walk(base, reading, notes, (pattern,))
    else:
        format_name = reading.format or guess_format(place)
        if format_name is None:
            raise InputError(
                f"{name}: no format is known by the extension {place.suffix!r}: choose one with "
                f"--format ({', '.join(FORMATS)})"
            )
        yield Found(Source(place, name, _bare(place.name)), format_name, in_folder=False)


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sort digits by value and letters whatever their case: a2 before A10.

    >>> sorted(["a10", "A2", "b", "1"], key=natural_key)
    ['1', 'A2', 'a10', 'b']
    """
    parts = re.findall(r"\d+|\D+", name)
    key = [(0, int(p), "") if p.isdecimal() else (1, 0, p.casefold()) for p in parts]
    return [*key, (2, 0, name)]


def matches(pattern: str, path: PurePath) -> bool:
    """Match a glob: ** stands for any folders; without a slash only the file's name counts.

    >>> matches("*.md", PurePath("a/b.md")), matches("a/*.md", PurePath("a/b/c.md"))
    (True, False)
    >>> matches("a/**/*.md", PurePath("a/b/c.md")), matches("**/*.md", PurePath("c.md"))
    (True, True)
    """
    subject = path.as_posix() if "/" in pattern else path.name
    return re.fullmatch(_glob_pattern(pattern), subject) is not None


def _glob_pattern(pattern: str) -> str:
    parts = []
    for token in re.findall(r"\*\*/|\*\*|\*|\?|\[!?[^\]/]+\]|.", pattern, re.DOTALL):
        if token in {"**/", "**", "*", "?"}:
            parts.append({"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}[token])
        elif len(token) > 1:
            inner = token[1:-1].replace("\\", r"\\").replace("[", r"\[")
            parts.append(f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]")
        else:
            parts.append(re.escape(token))
    return "(?s:" + "".join(parts) + ")"


def _split_glob(name: str) -> tuple[Path, str]:
    """Divide a glob into the folder before its first wild card and the rest."""
    parts = PurePath(name).parts
    wild = next(n for n, part in enumerate(parts) if _MAGIC.search(part))
    pattern = "/".join(parts[wild:])
    # A slash makes the pattern count from the folder on.
    return Path(*parts[:wild]), pattern if "/" in pattern else f"./{pattern}"


def _walk(
    folder: Path, reading: Reading, notes: Notes, include: tuple[str, ...]
) -> Iterator[Found]:
    def wanted(inside: PurePath) -> bool:
        return not any(matches(pattern, inside) for pattern in reading.exclude) and (
            not include or any(_included(pattern, inside) for pattern in include)
        )

    seen: dict[tuple[int, int], str] = {}
    home = folder.resolve()
    problems: list[OSError] = []
    for root, folders, files in os.walk(folder, onerror=problems.append):
        folders[:] = sorted((f for f in folders if not f.startswith(".")), key=natural_key)
        for name in sorted(files, key=natural_key):
            path = Path(root, name)
            inside = path.relative_to(folder)
            if not wanted(inside):
                continue
            if path.is_symlink() and (target := _inside(path, home)) and wanted(target):
                place = str(folder / target)
                notes.skip(str(path), "another name of a file", f"another name of {place}")
                continue
            found = _take(path, inside, reading, notes, seen)
            if found:
                yield found
    for problem in problems:
        place = str(problem.filename)
        notes.skip(place, "cannot be read", f"cannot be read ({problem.strerror})")


def _inside(link: Path, home: Path) -> PurePath | None:
    """Tell where in a folder a link leads, if the file there will be met under its own name."""
    try:
        target = link.resolve(strict=True).relative_to(home)
    except (OSError, ValueError, RuntimeError):  # nowhere, elsewhere, in a circle
        return None
    return None if any(part.startswith(".") for part in target.parts) else target


def _included(pattern: str, path: PurePath) -> bool:
    if pattern.startswith("./"):
        return len(path.parts) == 1 and matches(pattern[2:], path)
    return matches(pattern, path)


def _take(
    path: Path,
    inside: PurePath,
    reading: Reading,
    notes: Notes,
    seen: dict[tuple[int, int], str],
) -> Found | None:
    """Take one file of a folder, or say why not."""
    place = str(path)
    if path.name.startswith("."):
        return None
    format_name = reading.format or guess_format(path)
    if format_name is None:
        kind = f"unknown extension {path.suffix!r}" if path.suffix else "no extension"
        notes.skip(place, kind)
        return None
    try:
        status = path.stat()
    except OSError as error:
        notes.skip(place, "cannot be read", f"cannot be read ({error.strerror})")
        return None
    if not path.is_file():
        notes.skip(place, "not a regular file")
        return None
    # Links give one file several names: a document counts once.
    identity = (status.st_dev, status.st_ino)
    if identity in seen:
        notes.skip(place, "another name of a file", f"another name of {seen[identity]}")
        return None
    seen[identity] = place
    title = _bare(inside.as_posix())
    return Found(Source(path, place, title), format_name, in_folder=True)


def _bare(name: str) -> str:
    """Leave the extensions out of a name."""
    path = PurePath(name)
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    if guess_format(path) is not None:
        path = path.with_suffix("")
    return path.as_posix()
