"""Print what `permutopic compare -o FILE.jsonl` wrote as a Markdown table.

python tools/show_comparison.py FILE.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from permutopic.cli.comparison_table import HEADS, cells


def main() -> None:
    """Print one table."""
    print(f"| | {' | '.join(HEADS.values())} |")
    print(f"|---|{'---|' * len(HEADS)}")
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        shown = " | ".join(cells(json.loads(line), tuple(HEADS), spread=True))
        print(f"| {shown} |".replace("±", " ± ").replace("*", r"\*"))


if __name__ == "__main__":
    main()
