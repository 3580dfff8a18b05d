"""What is handed to machines on which a service is left on."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from despina.cli import serve

ROOT = Path(__file__).resolve().parents[1]
UNIT = (ROOT / "deploy/despina.service").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze of systemd judges the unit")
def test_the_unit_is_one_of_systemd(tmp_path: Path) -> None:
    program = tmp_path / "despina"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "despina.service"
    unit.write_text(UNIT.replace("/opt/despina/bin/despina", str(program)).replace("User=despina", "User=root")
                    .replace("Group=despina", "Group=root"))
    found = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    told = [line for line in found.stderr.splitlines() if "despina" in line]
    assert (found.returncode, told) == (0, [])
    unit.write_text(UNIT.replace("Type=notify", "Type=notfy"))
    assert "notfy" in subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                                     check=False).stderr


def test_the_unit_starts_the_command_with_options_that_it_has() -> None:
    line, = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    words = line.split()
    assert words[1] == "serve"
    known = {name for option in serve.command.params for name in option.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_service_has_longer_to_drain_than_its_jobs_and_tells_when_it_is_ready() -> None:
    from despina.service.server import ServeOptions
    timeout = int(re.findall(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)[0])
    assert timeout >= ServeOptions(Path()).drain_s + 20
    assert "Type=notify" in UNIT
