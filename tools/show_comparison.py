"""Print what `permutopic compare -o FILE.jsonl` wrote as a Markdown table.

python tools/show_comparison.py FILE.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SCORES = ("recall", "precision", "f", "pk", "windowdiff", "segments", "seconds")
HEADS = ("recall", "precision", "F", "Pk", "WindowDiff", "segments", "seconds")


def cell(row: dict[str, Any], score: str) -> str:
    """Show a mean, its spread and its stars."""
    mean, spread, p_value = row[score], row[f"{score}_sd"], row.get(f"{score}_p")
    if mean is None:
        return "–"
    if score == "seconds":
        return f"{mean:.1f}" if mean >= 0.95 else f"{mean:.2f}"
    digits = 1 if score == "segments" else 3
    shown = f"{mean:.{digits}f}".removeprefix("0")
    if spread is not None:
        shown += f" ± {spread:.{digits}f}".replace(" 0.", " .")
    stars = (
        "" if p_value is None else r"\*\*" if p_value < 0.01 else r"\*" if p_value < 0.05 else ""
    )
    return shown + stars


def main() -> None:
    """Print one table."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    print(f"| | {' | '.join(HEADS)} |")
    print(f"|---|{'---|' * len(HEADS)}")
    for row in rows:
        name = row["method"] + ("†" if row["told"] else "")
        print(f"| {name} | {' | '.join(cell(row, score) for score in SCORES)} |")


if __name__ == "__main__":
    main()
