"""`permutopic compare`: a table of the scores of our model and other methods on one corpus."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import choice, number
from permutopic.cli.reading_options import PATHS, reading_options, take_corpus_settings
from permutopic.cli.results import check_output, result_options, write_or_show
from permutopic.cli.rival_options import take_settings
from permutopic.errors import InputError, InputWarning

if TYPE_CHECKING:
    from permutopic.corpus import Corpus
    from permutopic.experiments.comparing import RunInfo
    from permutopic.experiments.method import Method

    Settings = dict[str, dict[str, Any]]


@click.command("compare")
@PATHS
@click.option("-k", "--topics", "n_topics", type=int, required=True, help="Topics at most (K).")
@click.option(
    "--methods",
    default="all",
    show_default=True,
    metavar="LIST",
    help="Methods to compare with ours: clustering,htmm,…, or all.",
)
@number("--seeds", "n_seeds", 5, "Runs of each stochastic method, with seeds 0, 1, ….")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="METHOD:NAME=VALUE",
    help="Call a method with a setting, such as bayesseg:prior=0.2 or full:n_chains=4.",
)
@choice("--reference", ["heading", "label"], "The authors' headings, or labels where given.")
@choice("--convention", ["words", "units"], "What Pk and WindowDiff are counted over.")
@click.option(
    "--encoder",
    metavar="MODULE:NAME",
    help="Your own encoder for sentence embeddings.  [default: MiniLM]",
)
@number("--jobs", "n_jobs", 1, "Threads of our model, -1 for all; the result is the same.")
@reading_options
@result_options
def compare_command(
    paths: tuple[str, ...],
    n_topics: int,
    methods: str,
    n_seeds: int,
    changes: tuple[str, ...],
    reference: str,
    convention: str,
    encoder: str | None,
    n_jobs: int,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    **settings: Any,
) -> None:
    """Run methods on the documents in PATHS and score them against headings.

    No method uses the headings, except that some get the number of segments: † in the table.
    `permutopic run --help` lists the methods. Printed are means over seeds ± their standard
    deviation; stars mark those that differ from our model, by approximate randomization over
    documents and by Welch's t over seeds. PATHS are files, folders, globs, or - for standard input.
    """
    from permutopic.cli.comparison_table import print_comparison
    from permutopic.cli.progress import shown_steps
    from permutopic.experiments.comparing import compare, select_methods

    corpus_settings = take_corpus_settings(settings)
    if n_seeds < 1:
        raise InputError(f"--seeds must be at least 1, not {n_seeds}")
    names = _listed(methods)
    given = _settings(names, n_jobs, encoder, changes)
    chosen, missing = select_methods(names, n_topics, given)
    _check_methods(chosen, n_topics, given)
    check_output(output, *paths)
    needs_texts = any(method.needs_texts for method in chosen)
    documents = corpus_settings.read(paths, keep_texts=needs_texts)
    _check_labels(documents, reference)
    for name, reason in missing.items():
        click.echo(f"permutopic: note: {name} is left out: {reason}", err=True)
    with shown_steps("runs") as show, warnings.catch_warnings():
        warnings.simplefilter("once", InputWarning)  # not with every seed

        def on_run(info: RunInfo) -> None:
            show(info.run, info.n_runs, f"{info.method}, seed {info.seed}")

        comparison = compare(
            documents,
            n_topics,
            names,
            n_seeds=n_seeds,
            reference=reference,
            convention=convention,
            settings=given,
            on_run=on_run,
        )
    write_or_show(
        comparison.rows(),
        comparison.columns,
        lambda _: print_comparison(comparison),
        as_json=as_json,
        as_csv=as_csv,
        output=output,
    )


def _listed(methods: str) -> list[str]:
    names = [name.strip() for name in methods.split(",")]
    if not all(names):
        raise InputError(f"--methods is a list such as clustering,htmm, or all, not {methods!r}")
    return names


def _settings(
    names: list[str], n_jobs: int, encoder: str | None, changes: tuple[str, ...]
) -> Settings:
    """Return the settings of each method; refuse settings of a method that is not run."""
    from permutopic.experiments.methods import METHODS

    ours = [method.name for method in METHODS.values() if method.group == "ours"]
    given: Settings = {name: {"n_jobs": n_jobs} for name in ours}
    if encoder is not None:
        encoding = {"embeddings", "embeddings-centred"}
        encoding &= encoding if "all" in names else set(names)
        if not encoding:
            raise InputError("--encoder is for embeddings, which are not among the methods")
        given |= {name: {"encoder": encoder} for name in encoding}
    for change in changes:
        method, colon, setting = change.partition(":")
        name, equals, value = setting.partition("=")
        if not (method and colon and name and equals and value):
            raise InputError(
                f"--set is METHOD:NAME=VALUE, such as bayesseg:prior=0.2, not {change!r}"
            )
        if not {method, "all"} & {*names, "full"}:
            raise InputError(f"--set {change}: {method} is not among the methods")
        if name == "progress":
            raise InputError(f"--set {change}: the command line shows the progress")
        given.setdefault(method, {})[name] = _value(value)
    return {method: take_settings(settings) for method, settings in given.items()}


def _value(text: str) -> Any:
    """Parse a number or a Boolean; return other text unchanged."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) else text


def _check_methods(chosen: list[Method], n_topics: int, given: Settings) -> None:
    """Check the settings of every method, before a corpus is read."""
    for method in chosen:
        if method.name in given:
            method.check_on_sample(n_topics, 0, **given[method.name])


def _check_labels(documents: Corpus, reference: str) -> None:
    if reference == "label" and not any(documents.labels):
        warnings.warn("no unit has a label: headings stand in", InputWarning, stacklevel=2)
