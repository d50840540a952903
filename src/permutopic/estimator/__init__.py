"""The estimator, `ContentModel`."""

from __future__ import annotations

from permutopic.estimator.content_model import ContentModel

__all__ = ["ContentModel"]
