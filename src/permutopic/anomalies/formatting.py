"""Names and numbers formatted for sentences."""

from __future__ import annotations


def quote_name(name: str) -> str:
    """Quote a name that contains punctuation which would run into the sentence.

    >>> quote_name("Uses"), quote_name("alloy, used, steel")
    ('Uses', '“alloy, used, steel”')
    """
    return f"“{name}”" if "," in name or ":" in name else name


def format_probability(probability: float) -> str:
    """Format a small probability with two significant digits.

    >>> [format_probability(p) for p in (0.034, 0.0021, 1e-9, 0)]
    ['3.4%', '0.21%', 'fewer than 0.01%', 'none']
    """
    if probability <= 0:
        return "none"
    if probability < 1e-4:
        return "fewer than 0.01%"
    return f"{100 * probability:.2g}%"


def join_names(names: tuple[str, ...]) -> str:
    """Join names by commas and "and"; of more than four, only the first three.

    >>> join_names(("a", "b")), join_names(("a", "b", "c", "d", "e"))
    ('a and b', 'a, b, c and 2 others')
    """
    shown = [quote_name(name) for name in names]
    if len(shown) > 4:
        shown = [*shown[:3], f"{len(shown) - 3} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
