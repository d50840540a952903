"""Options of all commands that read documents: how files are read, cut and split."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from permutopic.cli.options import adding, choice, number
from permutopic.errors import InputError, Parameter

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
# A copy of the readers' names, so that --help imports none of them; a test compares them.
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


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `ReadOptions`, `Units` and `Tokens`."""
    return adding(_OPTIONS)(command)


def infer_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `ReadOptions` and of `ContentModel.infer`.

    How documents are cut and split is in the model.
    """
    return adding((*_INFER_OPTIONS, *_FILE_OPTIONS))(command)


class CorpusSettings(NamedTuple):
    """The settings of a corpus, checked."""

    options: ReadOptions
    units: Units
    tokens: Tokens
    n_jobs: int = -1

    def read(self, paths: tuple[str, ...], *, keep_texts: bool = False) -> Corpus:
        """Read a corpus with these settings."""
        from permutopic.ingest.pipeline import read_corpus

        return read_corpus(
            paths,
            self.tokens,
            units=self.units,
            options=self.options,
            keep_texts=keep_texts,
            n_jobs=self.n_jobs,
        )


def take_read_options(settings: dict[str, Any]) -> ReadOptions:
    """Take what `file_options` added out of a command's settings."""
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


def take_corpus_settings(settings: dict[str, Any]) -> CorpusSettings:
    """Take what `reading_options` added out of a command's settings."""
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units

    options = take_read_options(settings)
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
    tokens.splitter()  # a missing extra is an error before anything is read
    return CorpusSettings(options, units, tokens, _n_processes())


def _n_processes() -> int:
    """Return what --jobs says, and all cores where it is not given: its default is of threads."""
    context = click.get_current_context(silent=True)
    source = None if context is None else context.get_parameter_source("n_jobs")
    if context is None or source in {None, ParameterSource.DEFAULT}:
        return -1
    return int(context.params["n_jobs"])


class ModelInput(NamedTuple):
    """A fitted model, the documents that it is to infer, and the settings of `infer`."""

    model: ContentModel
    paths: tuple[str, ...]
    options: ReadOptions
    settings: dict[str, Any]

    def documents(self) -> Iterator[Document] | None:
        """Read the documents one by one; None for those of the fit."""
        from permutopic.ingest.pipeline import Ingest

        return Ingest(self.paths, self.options).stream(self.model.units_) if self.paths else None

    def inferred(self) -> Iterator[Inferred]:
        """Read and infer the documents one by one."""
        return self.model.infer_or_fitted(self.documents(), **self.settings)


def take_model_input(
    model: str, paths: tuple[str, ...], settings: dict[str, Any], n_samples: int = MANY_SAMPLES
) -> ModelInput:
    """Take what `infer_options` added out of a command's settings, and load the model."""
    from permutopic.estimator import ContentModel

    options, tokens = take_read_options(settings), settings.pop("tokens")
    if tokens is not None and ":" not in tokens:
        raise InputError(f"--tokens is a function of your own as module:name, not {tokens!r}")
    function = None if tokens is None else _splitter(tokens)
    fitted = ContentModel.load(model, tokens=function)
    if paths:
        fitted.tokens_.splitter()("a")  # a missing function is an error before any text is read
    chosen = {name: settings.pop(name) for name in ("n_samples", "fast", "random_state", "n_jobs")}
    if chosen["n_samples"] is None:
        chosen["n_samples"] = n_samples
    return ModelInput(fitted, paths, options, chosen)


def _splitter(name: str) -> Any:
    """Return the name of a built-in way to split, or import a function by module:name."""
    if ":" not in name:
        return name
    found = find_function("--tokens", name)
    if not callable(found):
        raise InputError(f"--tokens {name}: that is no function")
    return found


def find_function(option: str, name: str) -> Any:
    """Import an object by module:name, from the current folder first."""
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
        raise InputError(
            Parameter(name),
            f" is a whole number of documents or a share such as 0.5, not {text!r}",
        ) from None
