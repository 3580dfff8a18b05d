"""The service ``despina serve``: a home for jobs that outlive the terminal, or the notebook, which submitted them.

From the outside in, :mod:`~despina.service.guard` refuses what no route should see, :mod:`~despina.service.app` has the routes
(:mod:`~despina.service.models` what they take and give, :mod:`~despina.service.tokens` who may call them),
:mod:`~despina.service.jobs` owns the jobs (:mod:`~despina.service.rules` says what their graphs may name,
:mod:`~despina.service.bundles` has the files that come with them), :mod:`~despina.service.served` runs one of them, on the
engine that :mod:`~despina.service.coordinator` keeps alive; :mod:`~despina.service.store` is the folder in which all of it is
written down, and :mod:`~despina.service.log` has the lines of a job.

This package is imported by clients too: only ``app``, ``metrics``, ``models`` and ``server`` need the extra ``despina[service]``.
"""
