"""Ordering loose pieces of text (section 5.3): by eq. 13, or by topics, positions and pairs."""

from __future__ import annotations

from permutopic.ordering.order import (
    DEFAULT_METHOD,
    METHODS,
    ORDER_COLUMNS,
    Ordering,
    order_pieces,
)
from permutopic.ordering.pieces import order_texts
from permutopic.ordering.positions import PositionCounts, count_positions

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "ORDER_COLUMNS",
    "Ordering",
    "PositionCounts",
    "count_positions",
    "order_pieces",
    "order_texts",
]
