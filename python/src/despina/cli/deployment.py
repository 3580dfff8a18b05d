"""``despina deployment``: deployments that a service keeps beside its graphs."""

from __future__ import annotations

import click

from despina.cli import saved


@click.group("deployment")
def command() -> None:
    """Save and look at deployments that a service keeps: `despina graph submit NAME --deployment DEPLOYMENT` takes one."""


saved.add(command, "deployment")
