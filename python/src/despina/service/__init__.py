"""The service ``despina serve``: a home for jobs that outlive the terminal, or the notebook, which submitted them.

From the outside in, :mod:`~despina.service.guard` refuses what no route should see, :mod:`~despina.service.app` has the routes
(:mod:`~despina.service.models` what they take and give, :mod:`~despina.service.tokens` who may call them),
:mod:`~despina.service.jobs` owns the jobs (:mod:`~despina.service.rules` says what their graphs may name,
:mod:`~despina.service.bundles` has the files that come with them), :mod:`~despina.service.served` runs one of them, on the
engine that :mod:`~despina.service.coordinator` keeps alive; :mod:`~despina.service.store` is the folder in which all of it is
written down, and :mod:`~despina.service.log` has the lines of a job.

Whoever watches is served by :mod:`~despina.service.views`: :mod:`~despina.service.series` declares what is drawn over time,
:mod:`~despina.service.history` writes it down each second, and :mod:`~despina.service.live` tells it.
:mod:`~despina.service.pages` gives browsers the page, whose files are in ``page``.

``despina.service(url)`` is a service from Python (:mod:`~despina.service.remote`).

This package is imported by clients too: only ``app``, ``flows``, ``live``, ``metrics``, ``models``, ``pages``, ``server`` and
``views`` need the extra ``despina[service]``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from despina.service.remote import Remote


class _Service(ModuleType):
    """The package may be called: ``despina.service`` is the name of what it holds, and of how one reaches it."""

    def __call__(self, service: str | None = None) -> Remote:
        """As :func:`despina.service.remote.reach`."""
        from despina.service.remote import reach
        return reach(service)


sys.modules[__name__].__class__ = _Service
