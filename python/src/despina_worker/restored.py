"""What a pickled state may be made of when it comes back.

It may come from a savepoint that somebody else has written, and to unpickle it is to call what its writer names. So a resource
that names what may run there calls nothing else.
"""

from __future__ import annotations

import importlib
import io
import pickle
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from despina_worker import permission
from despina_worker.errors import RefusedError

PLAIN = {
    "array": ("_array_reconstructor", "array"),
    "builtins": ("Ellipsis", "bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "range", "set",
                 "slice", "str", "tuple"),
    "collections": ("Counter", "OrderedDict", "defaultdict", "deque"),
    "datetime": ("date", "datetime", "time", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
    "ipaddress": ("IPv4Address", "IPv6Address"),
    "random": ("Random",),
    "types": ("SimpleNamespace",),
    "uuid": ("SafeUUID", "UUID"),
}
"""By module, what only makes values: nothing that is called with these reaches a file, a process or another name."""


def loading(allowed: Sequence[str] | None) -> Callable[[bytes], Any]:
    """What makes objects of their code.

    :param allowed: as ``permission.check`` takes it; None: all
    """
    return pickle.loads if allowed is None else partial(_load, allowed)


def _load(allowed: Sequence[str], code: bytes) -> Any:
    return _Unpickler(code, allowed).load()


class _Unpickler(pickle.Unpickler):
    """Finds plain values, and what modules that are allowed have written.

    The names of old protocols are not translated, as by ``super().find_class``: what is imported is what was looked at.
    """

    def __init__(self, code: bytes, allowed: Sequence[str]) -> None:
        super().__init__(io.BytesIO(code))
        self._allowed = allowed

    def find_class(self, module: str, name: str) -> Any:
        """What has that name.

        :raise RefusedError: it may not run here
        """
        full = f"{module}:{name}"
        if name in PLAIN.get(module, ()):
            return getattr(importlib.import_module(module), name)
        if not permission.covers(self._allowed, full):
            raise RefusedError(f"the state has `{full}`, which is no plain value, and this resource does not allow it: "
                               f"{self._advice(module)}")
        found = permission.named(full, name, importlib.import_module(module))
        permission.check(full, found, self._allowed)
        return found

    def _advice(self, module: str) -> str:
        top = module.partition(".")[0]
        if top in sys.stdlib_module_names:
            return "keep values in the state, and objects of modules that it allows"
        return f"if whoever wrote the state is to be trusted, start it with --allow-python {top if top == module else f'{top}.*'}"
