"""Ordering loose pieces of text (section 5.3): eq. 13, and what it throws away."""

from __future__ import annotations

from permutopic.ordering.order import DEFAULT, METHODS, Ordering, check_method, order_pieces
from permutopic.ordering.pieces import order_texts
from permutopic.ordering.places import Places, learn_places

__all__ = [
    "DEFAULT",
    "METHODS",
    "Ordering",
    "Places",
    "check_method",
    "learn_places",
    "order_pieces",
    "order_texts",
]
