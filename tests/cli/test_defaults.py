"""What an option is when it is not given: what the library has, and what the help says."""

from __future__ import annotations

import inspect

import pytest

from permutopic import ContentModel
from permutopic.baselines import (
    bayesseg,
    c99,
    clustering,
    content_hmm,
    htmm,
    lda,
    texttiling,
)
from permutopic.cli import command_line, reading_options
from permutopic.estimator import new_documents
from permutopic.experiments.comparing import compare
from permutopic.readers import ReadOptions
from permutopic.results.alignment import Alignment
from permutopic.selection.choosing import choose_k
from permutopic.text.tokens import Tokens
from permutopic.text.units import Units


def options_of(name):
    """The options of a command by the parameters that they fill, after nothing was given."""
    command = command_line.get_command(None, name)
    context = command.make_context(name, [], resilient_parsing=True)
    return context.params, {option.name: option for option in command.params}


def defaults_of(function):
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters}


@pytest.mark.parametrize("command", ["fit", "evaluate", "choose-k", "run"])
def test_a_model_is_the_librarys_but_for_its_seed(command):
    given, _ = options_of(command)
    ours = ContentModel().get_params() | {"n_jobs": 1, "random_state": 0}
    shared = given.keys() & ours.keys() - {"n_topics", "tokens"}
    if command == "run":  # each method has priors of its own
        assert {given["topic_prior"], given["word_prior"]} == {None}
        shared -= {"topic_prior", "word_prior"}
    assert len(shared) >= 8
    assert {name: given[name] for name in shared} == {name: ours[name] for name in shared}


@pytest.mark.parametrize("command", ["fit", "evaluate", "choose-k", "run", "compare", "inspect"])
def test_documents_are_read_and_cut_as_in_the_library(command):
    given, _ = options_of(command)
    found = reading_options.take_corpus_settings(dict(given))
    assert found == (ReadOptions(), Units(), Tokens(), -1)


@pytest.mark.parametrize("command", ["predict", "segment", "align", "check"])
def test_documents_are_inferred_as_in_the_library(command):
    given, _ = options_of(command)
    infer = defaults_of(ContentModel.infer)
    for name in ("fast", "n_jobs", "random_state"):
        assert given[name] == infer[name], name
    assert given["n_samples"] is None
    assert infer["n_samples"] == new_documents.N_SAMPLES == reading_options.FEW_SAMPLES
    assert new_documents.MANY_SAMPLES == reading_options.MANY_SAMPLES
    assert reading_options.take_read_options(dict(given)) == ReadOptions()


@pytest.mark.parametrize(
    ("command", "function", "names"),
    [
        ("compare", compare, {"n_seeds": "n_seeds", "reference": "reference"}),
        ("compare", compare, {"convention": "convention", "methods": "methods"}),
        ("choose-k", choose_k, {"n_seeds": "n_seeds", "held_out": "held_out"}),
        ("check", ContentModel.check, {"n_nearest": "nearest"}),
        ("align", Alignment.nearest, {"nearest": "n"}),
        (
            "segment",
            ContentModel.segment_table,
            {"min_words": "min_words", "with_text": "with_text"},
        ),
    ],
)
def test_commands_have_the_defaults_of_the_functions_they_call(command, function, names):
    given, _ = options_of(command)
    expected = defaults_of(function)
    assert {name: given[name] for name in names} == {n: expected[o] for n, o in names.items()}


@pytest.mark.parametrize(
    ("option", "method", "said"),
    [
        ("trials", clustering, "[default: 10]"),
        ("iterations", htmm, "[default: 100;"),
        ("iterations", content_hmm, "[default: 100;"),
        ("iterations", lda, "lda 500]"),
        ("word_prior", htmm, "htmm 1.01]"),
        ("start", htmm, "[default: corpus]"),
        ("smoothing", content_hmm, "[default: backoff]"),
        ("smallest", content_hmm, "[default: 4]"),
        ("width", texttiling, "[default: 20]"),
        ("block", texttiling, "[default: 10]"),
        ("policy", texttiling, "[default: conservative]"),
        ("mask", c99, "[default: 11]"),
    ],
)
def test_the_help_tells_the_defaults_of_rivals(option, method, said):
    given, options = options_of("run")
    assert given[option] is None  # then the method has its own
    assert said in options[option].help
    value = str(defaults_of(method.predict)[option])
    assert said.strip("[];").split()[-1] == value


def test_rivals_have_the_settings_of_their_papers_and_studies():
    assert defaults_of(bayesseg.predict)["prior"] is None  # learned
    assert defaults_of(bayesseg.predict)["duration"] is None
    assert c99.DEVIATIONS == 1.2
    assert (texttiling.POLICIES, texttiling.MIN_DISTANCE) == (
        {"conservative": 0.5, "liberal": 1.0},
        4,
    )
    assert content_hmm.STRENGTHS == (0.01, 0.001, 0.067)
    hmm = defaults_of(content_hmm.predict)
    assert (hmm["word_smoothing"], hmm["transition_smoothing"]) == (0.003, 0.1)
    assert {**defaults_of(content_hmm.fit_content_hmm), "seed": 0} == hmm
