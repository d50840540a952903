"""Options of all commands that read documents: how files are read, cut and split."""

from __future__ import annotations

import os
import sys
import warnings
from collections import deque
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from permutopic.cli.options import adding, choice, number
from permutopic.errors import InputError, InputWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permutopic.corpus import Corpus
    from permutopic.documents import Document
    from permutopic.estimator import ContentModel
    from permutopic.readers import ReadOptions
    from permutopic.results.inferred import Inferred
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units

MANY_SAMPLES, FEW_SAMPLES = 64, 16
PATHS = click.argument("paths", type=click.Path(), nargs=-1, required=True)
OPTIONAL_PATHS = click.argument("paths", type=click.Path(), nargs=-1)
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


_FILE_OPTIONS = (
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
)
_OPTIONS = (
    *_FILE_OPTIONS,
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

_INFER_OPTIONS = (
    click.option(
        "--samples",
        "n_samples",
        type=int,
        help="Draws from the posterior for each document.  [default: 64; 16 in predict]",
    ),
    click.option("--fast", is_flag=True, help="Take the topics' words as known: quicker, cruder."),
    number("--seed", "random_state", 0, "Same seed, same result."),
    number("--jobs", "n_jobs", -1, "Threads, -1 for all; the result is the same."),
    _optional("--tokens", "MODULE:NAME", "The function that split the model's text, if your own."),
)


def file_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how files are read."""
    return adding(_FILE_OPTIONS)(command)


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how files are read, and how documents are cut and split."""
    return adding(_OPTIONS)(command)


def infer_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how files are read for a fitted model, and what it does with them.

    How documents are cut and split, the model knows.
    """
    return adding((*_INFER_OPTIONS, *_FILE_OPTIONS))(command)


class Choices(NamedTuple):
    """What the options say, checked."""

    options: ReadOptions
    units: Units
    tokens: Tokens

    def read(self, paths: tuple[str, ...], *, keep_texts: bool = False) -> Corpus:
        """Read a corpus by them."""
        from permutopic.ingest.pipeline import read_corpus

        return read_corpus(
            paths, self.tokens, units=self.units, options=self.options, keep_texts=keep_texts
        )


def take_reading(settings: dict[str, Any]) -> ReadOptions:
    """Take what `file_options` added out of all that a command was given."""
    from permutopic.readers import Fields, ReadOptions

    given = {name: settings.pop(f"{name}_field") for name in _FIELDS}
    return ReadOptions(
        **{
            name: settings.pop(name)
            for name in (
                *("format", "encoding", "errors", "include", "exclude", "title", "category"),
                *("depth", "max_mb", "on_bad"),
            )
        },
        fields=Fields(**{name: value for name, value in given.items() if value is not None}),
    )


def take_choices(settings: dict[str, Any]) -> Choices:
    """Take what `reading_options` added out of all that a command was given."""
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units

    options = take_reading(settings)
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
    return Choices(options, units, tokens)


class Inferring(NamedTuple):
    """A fitted model, and the documents that it is to make something of."""

    model: ContentModel
    paths: tuple[str, ...]
    options: ReadOptions
    settings: dict[str, Any]

    def inferred(self) -> Iterator[Inferred]:
        """Read and infer documents, one after the other."""
        return self.model.infer(self._documents(), **self.settings)

    def pairs(self) -> Iterator[tuple[Inferred, Document]]:
        """Give every document along with what the model makes of it."""
        waiting: deque[Document] = deque()

        def kept() -> Iterator[Document]:
            for document in self._documents():
                waiting.append(document)
                yield document

        for inferred in self.model.infer(kept(), **self.settings):
            yield inferred, waiting.popleft()

    def _documents(self) -> Iterator[Document]:
        """Read documents; say what was left out when the last has passed."""
        from permutopic.ingest.diagnostics import Watch
        from permutopic.readers import read_documents

        watch = Watch()
        units = self.model.units_
        drops = units.short == "drop" and units.min_words > 1
        empty: list[str] = []
        for document in read_documents(self.paths, self.options, watch.notes):
            if (units.cut(document) if drops else document).units:
                yield document
            else:
                empty.append(document.location)
        for kind, count in watch.bad.most_common():
            example = next(location for location, why, _ in watch.notes.examples if why == kind)
            _warn(f"{count} left out ({kind}), {example} for one: permutopic inspect lists them")
        if empty:
            _warn(f"{len(empty)} left out without a unit to be cut, {empty[0]} for one")


def take_inferring(
    model: str, paths: tuple[str, ...], settings: dict[str, Any], n_samples: int = MANY_SAMPLES
) -> Inferring:
    """Take what `infer_options` added out of all that a command was given, and load the model."""
    from permutopic.estimator import ContentModel

    options, tokens = take_reading(settings), settings.pop("tokens")
    if tokens is not None and ":" not in tokens:
        raise InputError(f"--tokens is a function of your own as module:name, not {tokens!r}")
    function = None if tokens is None else _splitter(tokens)
    fitted = ContentModel.load(model, tokens=function)
    if paths:
        _check_splitter(fitted)
    chosen = {name: settings.pop(name) for name in ("n_samples", "fast", "random_state", "n_jobs")}
    if chosen["n_samples"] is None:
        chosen["n_samples"] = n_samples
    return Inferring(fitted, paths, options, chosen)


def _check_splitter(model: ContentModel) -> None:
    """See that there is a function to split text, before any is read."""
    try:
        model.tokens_.splitter()("a")
    except InputError as error:
        raise InputError(str(error).replace("load it with tokens=", "give --tokens ")) from None


def _warn(message: str) -> None:
    warnings.warn(message, InputWarning, stacklevel=2)


def _splitter(name: str) -> Any:
    """Take one of our own ways to split, or a function by module:name."""
    if ":" not in name:
        return name
    found = find_function("--tokens", name)
    if not callable(found):
        raise InputError(f"--tokens {name}: that is no function")
    return found


def find_function(option: str, name: str) -> Any:
    """Look something of the user's own up by module:name, in the present folder first."""
    module, _, attribute = name.partition(":")
    folder = os.path.abspath(os.curdir) if os.path.isdir(os.curdir) else ""
    sys.path.insert(0, folder)
    try:
        found = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever a module of the user's own may raise
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"{option} {name}: no such function ({reason})") from None
    finally:
        sys.path.remove(folder)
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
