"""Code of functions that only compiled functions call: kept as LLVM's intermediate code.

numba makes machine code of every function, and optimises all that it calls along with it: what is
called at the sixth level is optimised six times. Here that is done once, for the function that
Python calls, with everything below it linked in.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult

if TYPE_CHECKING:
    from collections.abc import Iterator

# numba tells functions of one name, as closures have, apart by a number that every process counts
# from 1. Code that several processes have kept is linked by these names: two functions would be
# taken for one. So each process counts from a random number.
_function_numbers = count(secrets.randbits(62))
_NUMBERED = "_ZN"  # what names with such a number begin with; numba's runtime has others


class IntermediateLibrary(JITCodeLibrary):
    """A function and those it calls, neither optimised nor made machine code."""

    def finalize(self) -> None:
        """Link in what is called; nothing else."""
        self._raise_if_finalized()  # type: ignore[no-untyped-call]
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(self, "_reload_init"):  # not in older versions of numba
                self._reload_init.update(library._reload_init)
            module = library._get_module_for_linking()
            self._final_module.link_in(module, preserve=True)
            if not isinstance(library, IntermediateLibrary):
                made = {each.name for each in module.functions if not each.is_declaration}
                self._hide({name for name in made if name.startswith(_NUMBERED)})
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def _hide(self, names: set[str]) -> None:
        """Make functions this module's own: where names clash, LLVM then gives them others.

        What others compiled before in this process has numbers that other processes have too.
        """
        for function in self._final_module.functions:
            if function.name in names:
                function.linkage = llvm.Linkage.internal

    def get_pointer_to_function(self, _name: str) -> int:
        """Return 0: there is no machine code to point to."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    @property
    def codegen(self) -> Any:
        """What numba sets a function's environment in, which is in the caller's code."""
        return self

    def set_env(self, _name: str, _environment: object) -> None:
        """Do nothing."""

    def serialize_using_object_code(self) -> Any:
        """Return the intermediate code, for there is no other."""
        return self.serialize_using_bitcode()  # type: ignore[no-untyped-call]

    @classmethod
    def load(cls, codegen: Any, saved: tuple[str, str, bytes]) -> IntermediateLibrary:
        """Make a library of what was serialized."""
        name, _kind, code = saved
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(code)
        library._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        library._finalized = True
        return library


@contextmanager
def intermediate_code(codegen: Any) -> Iterator[None]:
    """Keep as intermediate code whatever numba compiles for a function, its own parts included.

    Their names are unlike those of any other process.
    """
    identity: Any = FunctionIdentity
    before = codegen._library_class, identity._unique_ids
    codegen._library_class, identity._unique_ids = IntermediateLibrary, _function_numbers
    try:
        yield
    finally:
        codegen._library_class, identity._unique_ids = before


def machine_code_library(codegen: Any, name: str) -> JITCodeLibrary:
    """Make a library of machine code that can be kept in a file."""
    library = JITCodeLibrary(codegen, name)  # type: ignore[no-untyped-call]
    library.enable_object_caching()  # type: ignore[no-untyped-call]
    return library


def load_intermediate(target_context: Any, payload: tuple[Any, ...]) -> Any:
    """Make numba's record of a compiled function of what the cache holds."""
    saved, description, environment, signature, objectmode, lifted, types, reload, _ = payload
    for function in reload:
        function()
    library = IntermediateLibrary.load(target_context.codegen(), saved)
    make: Any = CompileResult
    code = target_context.get_executable(library, description, environment)
    known = {
        "target_context": target_context,
        "typing_context": target_context.typing_context,
        "library": library,
        "environment": environment,
        "entry_point": code,
        "fndesc": description,
        "type_annotation": types,
        "signature": signature,
        "objectmode": objectmode,
        "lifted": lifted,
        "reload_init": reload,
    }
    return make(**dict.fromkeys(make._fields) | known)
