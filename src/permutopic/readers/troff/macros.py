"""What the macro languages man and mdoc share: the dispatch of macros to methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.readers.troff.definitions import MacroDefinition
    from permutopic.readers.troff.page import ManualPage
    from permutopic.readers.troff.parser import RoffLine, RoffParser


class MacroLanguage(ABC):
    """Executes the macros of a page.

    Attributes
    ----------
    name, section
        Name and section of the page, as its title macro has them.
    n_macros
        Number of macros of the language that were called.
    """

    def __init__(self, parser: RoffParser, page: ManualPage) -> None:
        self.parser, self.page = parser, page
        self.name = self.section = ""
        self.n_macros = 0
        self._macros: dict[str, Callable[[RoffLine], None]] = {}
        self._macros_without_arguments: dict[str, Callable[[], None]] = {}

    def call(self, line: RoffLine) -> None:
        """Execute a macro of the language, or else one that the page defines."""
        name = line.name or ""
        if name in self._macros:
            self.n_macros += 1
            self._macros[name](line)
        elif name in self._macros_without_arguments:
            self.n_macros += 1
            self._macros_without_arguments[name]()
        elif name in self.parser.defined:
            self._call_defined(line, self.parser.defined[name])

    def _call_defined(self, line: RoffLine, definition: MacroDefinition) -> None:
        """Apply the effects that a macro seems to have by its definition."""
        if definition.ends_paragraph:
            self.page.divide()
        if definition.begins_display or definition.ends_display:
            self.page.hidden = definition.begins_display
        if definition.shown_arguments:
            self._show_defined(line, definition)

    @abstractmethod
    def _show_defined(self, line: RoffLine, definition: MacroDefinition, /) -> None:
        """Show the arguments of a macro that the page defines."""

    def _title(self, line: RoffLine) -> None:
        words = [self.parser.plain(argument) for argument in self.parser.arguments(line)[:2]]
        if not self.name:
            self.name, self.section = (*words, "", "")[:2]
