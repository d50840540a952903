"""Options of all commands that read documents: how files are read, cut and split."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from permutopic.cli.options import choice, number
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.corpus import Corpus
    from permutopic.readers import Reading
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units

PATHS = click.argument("paths", type=click.Path(), nargs=-1, required=True)
# Kept apart from the readers, so that --help imports none of them; a test holds them together.
FORMATS = ("text", "markdown", "html", "mediawiki", "docx", "man", "jsonl", "csv", "parquet")
_FIELDS = ("title", "text", "sections", "heading", "label", "paragraphs", "document")
_FIELD_HELP = {
    "title": "Field or column that holds a document's title.",
    "text": "Field or column that holds its text.",
    "sections": "Field that holds its sections.",
    "heading": "Field of a section's heading.",
    "label": "Field of a section's normalised heading.",
    "paragraphs": "Field of a section's paragraphs.",
    "document": "Field that names the document a row belongs to, where a row is a paragraph.",
}


def _field(name: str) -> Any:
    shown = "" if name == "document" else f"  [default: {name}]"
    return click.option(f"--{name}-field", metavar="NAME", help=_FIELD_HELP[name] + shown)


def _optional(name: str, metavar: str, explanation: str, **settings: Any) -> Any:
    return click.option(name, metavar=metavar, help=explanation, **settings)


_OPTIONS = (
    click.option(
        "--format", type=click.Choice(FORMATS), help="Read all files as this, whatever their names."
    ),
    _optional("--encoding", "NAME", "Encoding of the files.  [default: as declared, else UTF-8]"),
    choice("--errors", ["strict", "replace", "ignore"], "What to do with bytes not in it."),
    _optional("--include", "GLOB", "Read only such files of a folder.", multiple=True),
    _optional("--exclude", "GLOB", "Leave such files of a folder out.", multiple=True),
    _optional("--title", "REGEX", "Keep only documents whose title matches."),
    _optional("--category", "REGEX", "Keep only wiki pages in a category that matches."),
    number("--heading-depth", "depth", 1, "Level of headings below the title that makes sections."),
    number("--max-mb", "max_mb", 32, "Longest document in MiB."),
    choice(
        "--on-bad",
        ["auto", "skip", "stop"],
        "Bad files and records: skip files in a folder and stop at others, skip all, stop at all.",
    ),
    *map(_field, _FIELDS),
    choice(
        "--unit",
        ["paragraph", "sentence", "section", "line", "window"],
        "What gets one topic.",
    ),
    click.option("--window", type=int, help="Words in a window.  [default: 100]"),
    click.option("--step", type=int, help="Words from window to window.  [default: --window]"),
    number("--min-words", "min_words", 0, "Units with fewer words are too short."),
    choice("--short", ["merge", "drop"], "What becomes of them."),
    click.option(
        "--tokens",
        default="words",
        show_default=True,
        metavar="HOW",
        help="words (Unicode words, lower-cased), whitespace, ascii (runs of a-z0-9), or a "
        "function of your own as module:name.",
    ),
    _optional("--language", "CODE", "Language of the text: en, fr, tr, zh, …"),
    click.option("--fold-numbers", is_flag=True, help="Make all numbers one word."),
    click.option("--fold-urls", is_flag=True, help="Make all web and mail addresses one word."),
    _optional("--stop-words", "FILE", "Words to leave out: a file, or 'language' for its list."),
    click.option("--stem", is_flag=True, help="Reduce words to Snowball stems of the language."),
    _optional("--min-df", "N", "Leave words in fewer documents out (a share, with a point)."),
    _optional("--max-df", "N", "Leave words in more documents out (a share, with a point)."),
)


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how documents are read."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Choices(NamedTuple):
    """What the options say, checked."""

    reading: Reading
    units: Units
    tokens: Tokens

    def read(self, paths: tuple[str, ...]) -> Corpus:
        """Read a corpus by them."""
        from permutopic.reading import read_corpus

        return read_corpus(paths, self.tokens, units=self.units, reading=self.reading)


def take_choices(settings: dict[str, Any]) -> Choices:
    """Take the options of this file out of all that a command was given."""
    from permutopic.readers import Fields, Reading
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units

    given = {name: settings.pop(f"{name}_field") for name in _FIELDS}
    reading = Reading(
        **{
            name: settings.pop(name)
            for name in (
                *("format", "encoding", "errors", "include", "exclude", "title", "category"),
                *("depth", "max_mb", "on_bad"),
            )
        },
        fields=Fields(**{name: value for name, value in given.items() if value is not None}),
    )
    kind, window, step = (settings.pop(name) for name in ("unit", "window", "step"))
    if kind != "window" and (window, step) != (None, None):
        raise InputError("--window and --step are for --unit window")
    units = Units(
        kind=kind,
        window=100 if window is None else window,
        step=step,
        **{name: settings.pop(name) for name in ("min_words", "short")},
    )
    frequencies: dict[str, Any] = {n: settings.pop(n) for n in ("min_df", "max_df")}
    tokens = Tokens(
        split=_splitter(settings.pop("tokens")),
        stop=_stop_words(settings.pop("stop_words")),
        **{n: settings.pop(n) for n in ("language", "fold_numbers", "fold_urls", "stem")},
        **{n: _frequency(n, value) for n, value in frequencies.items() if value is not None},
    )
    tokens.splitter()  # what it lacks is known before anything is read
    return Choices(reading, units, tokens)


def _splitter(name: str) -> Any:
    """Look a function up by module:name, in the present folder first."""
    module, colon, attribute = name.partition(":")
    if not colon:
        return name
    folder = os.path.abspath(os.curdir) if os.path.isdir(os.curdir) else ""
    sys.path.insert(0, folder)
    try:
        found = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever a module of the user's own may raise
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"--tokens {name}: no such function ({reason})") from None
    finally:
        sys.path.remove(folder)
    if not callable(found):
        raise InputError(f"--tokens {name}: that is no function")
    return found


def _stop_words(given: str | None) -> Any:
    if given in {None, "language"}:
        return given
    try:
        with open(str(given), encoding="utf-8-sig") as file:
            return tuple(file.read().split())
    except UnicodeDecodeError as error:
        raise InputError(f"{given}: byte {error.start} is not UTF-8: save it as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{given}: the stop words cannot be read ({reason})") from None


def _frequency(name: str, text: str) -> Any:
    try:
        return float(text) if any(sign in text.lower() for sign in ".e") else int(text)
    except ValueError:
        option = f"--{name.replace('_', '-')}"
        raise InputError(
            f"{option} is a whole number of documents or a share such as 0.5, not {text!r}"
        ) from None
