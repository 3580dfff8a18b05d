"""The service ``despina serve``: a home for jobs that outlive the terminal, or the notebook, which submitted them.

From the outside in, :mod:`~despina.service.guard` refuses what no route should see, :mod:`~despina.service.app` has the routes
(:mod:`~despina.service.models` what they take and give, :mod:`~despina.service.tokens` who may call them),
:mod:`~despina.service.jobs` owns the jobs: :mod:`~despina.service.registry` knows their runs, :mod:`~despina.service.checks`
what a graph must be to run (:mod:`~despina.service.rules` says what it may name, :mod:`~despina.service.bundles` has the files
that come with it), and :mod:`~despina.service.upgrades` has one graph take over from another. :mod:`~despina.service.trials`
runs the tests of a graph, by a process that :mod:`~despina.service.bounded` keeps in bounds.

:mod:`~despina.service.served` is one run of a job. Its :mod:`~despina.service.standing` is what all threads know of it,
:mod:`~despina.service.keeper` the thread that starts and watches it, on the engine that :mod:`~despina.service.coordinator` keeps
alive, :mod:`~despina.service.journal` what it writes down for people, and :mod:`~despina.service.handover` where its rows go out
and in. :mod:`~despina.service.store` is the folder in which all of it is kept.

Whoever watches is served by :mod:`~despina.service.views`: :mod:`~despina.service.series` declares what is drawn over time,
:mod:`~despina.service.history` writes it down each second, and :mod:`~despina.service.live` tells it.
:mod:`~despina.service.pages` gives browsers the page, whose files are in ``page``.

``despina.service(url)`` is a service from Python (:mod:`~despina.service.remote`).

:mod:`~despina.service.specs` keeps graphs and deployments that are saved, each save a revision, and
:mod:`~despina.service.spec_routes` has the routes for that.

This package is imported by clients too: only ``answers``, ``app``, ``flows``, ``live``, ``metrics``, ``models``, ``pages``,
``server``, ``spec_routes``, ``trials`` and ``views`` need the extra ``despina[service]``, and ``otlp`` the extra
``despina[otlp]``.
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
