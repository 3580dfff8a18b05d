"""What every experiment stands on: ``despina bench``.

An experiment is one file in ``benchmarks/experiments`` that declares ``EXPERIMENT``, an :class:`~harness.experiment.Experiment`:
subjects that take turns, the points at which they are measured, what is measured, and how that becomes a table, figures, and
answers to what is claimed. It uses graphs and the public command or API, as any user could: :mod:`harness.engine` runs the
command, :mod:`harness.bare` the bare relay.
"""
