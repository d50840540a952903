"""Names and numbers as they stand in a sentence."""

from __future__ import annotations


def named(name: str) -> str:
    """Put a name in quotes if it would run into the text around it.

    >>> named("Uses"), named("alloy, used, steel")
    ('Uses', '“alloy, used, steel”')
    """
    return f"“{name}”" if "," in name or ":" in name else name


def percent(share: float) -> str:
    """Write a share without decimals."""
    return f"{share:.0%}"


def chance(probability: float) -> str:
    """Write a small probability with as many digits as it needs.

    >>> chance(0.034), chance(0.0021), chance(1e-9), chance(0)
    ('3.4%', '0.21%', 'fewer than 0.01%', 'none')
    """
    if probability <= 0:
        return "none"
    if probability < 1e-4:
        return "fewer than 0.01%"
    return f"{100 * probability:.2g}%"


def listed(names: tuple[str, ...]) -> str:
    """Join names; of many, the first few.

    >>> listed(("a", "b")), listed(("a", "b", "c", "d", "e"))
    ('a and b', 'a, b, c and 2 others')
    """
    shown = [named(name) for name in names]
    if len(shown) > 4:
        shown = [*shown[:3], f"{len(shown) - 3} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
