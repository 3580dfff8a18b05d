"""TLS between resources, with certificates as docs/security.md makes them: who refuses whom is told on both sides."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from e2e.conftest import Start
from e2e.test_joining import FAR, HERE, Site
from support.graphs import relay
from support.processes import ROOT, Command

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")

PAGE_ADDRESS = "10.0.0.5"


def readme_lines() -> list[str]:
    """The commands of the page: the one for the authority, and those for each machine."""
    block = re.search(r"```sh\n(openssl req -x509.*?)```", (ROOT / "docs" / "security.md").read_text(), re.DOTALL)
    assert block
    return block[1].replace("\\\n", " ").splitlines()


class Authority:
    """An authority in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._run(readme_lines()[0], folder)

    def machine(self, name: str, address: str) -> Path:
        """The folder of a machine that is called there."""
        folder = self._folder / name
        folder.mkdir()
        for file in ("authority.pem", "authority.key"):
            shutil.copy(self._folder / file, folder)
        for line in readme_lines()[1:]:
            self._run(line.replace(f"IP:{PAGE_ADDRESS},IP:127.0.0.1", f"IP:{address}"), folder)
        (folder / "authority.key").unlink()
        return folder

    @staticmethod
    def _run(line: str, folder: Path) -> None:
        subprocess.run(["bash", "-ec", line], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """The one of the page."""
    return Authority(tmp_path / "authority")


@pytest.fixture
def site(start: Start, tmp_path: Path) -> Site:
    """A deployment whose second resource joins."""
    return Site(start, tmp_path)


def stop(run: Command) -> None:
    """Interrupts a job that nobody will join any more."""
    run.signal(signal.SIGINT)
    run.end()


def test_two_resources_with_the_certificates_of_the_readme_run_a_job(site: Site, authority: Authority) -> None:
    run = site.run(relay(10), "--tls", str(authority.machine("edge", HERE)))
    run.says("waiting for resource far")
    far = site.resource("--tls", str(authority.machine("far", FAR))).end()
    assert far.code == 0, far.err
    ended = run.end()
    assert ended.code == 0, ended.err
    assert "a connection from" not in ended.err + far.err


def test_a_coordinator_tells_who_refuses_its_certificate_and_who_has_no_tls(site: Site, authority: Authority) -> None:
    run = site.run(relay(10), "--tls", str(authority.machine("misnamed", "10.0.0.9")), place={"*": ["far"]})
    run.says("waiting for resource far")
    far = str(authority.machine("far", FAR))
    for _ in range(2):
        refusing = site.resource("--tls", far).end()
        assert refusing.code == 3
        assert f"its certificate.pem does not name {HERE}" in refusing.err
    assert site.resource().end().code == 3
    for told in ("it refuses this side's certificate.pem", "it speaks plain text: TLS is off there"):
        run.says(told)
        assert run.err().count(told) == 1
    assert run.err().count(f"despina: a connection from {HERE} failed: ") == 2
    stop(run)


def test_a_coordinator_tells_of_a_certificate_of_another_authority(site: Site, authority: Authority, tmp_path: Path) -> None:
    run = site.run(relay(10), "--tls", str(authority.machine("edge", HERE)), place={"*": ["far"]})
    run.says("waiting for resource far")
    stranger = Authority(tmp_path / "other").machine("far", FAR)
    shutil.copy(tmp_path / "authority" / "authority.pem", stranger)
    assert site.resource("--tls", str(stranger)).end().code == 3
    run.says(f"a connection from {HERE} failed: another authority than this side's authority.pem has signed its certificate.pem")
    stop(run)


def test_a_resource_tells_that_another_refuses_the_certificate_of_its_data_port(site: Site, authority: Authority) -> None:
    run = site.run(relay(10), "--tls", str(authority.machine("edge", HERE)))
    run.says("waiting for resource far")
    far = site.resource("--tls", str(authority.machine("far", "10.0.0.9")))
    ended = run.end()
    assert ended.code != 0
    assert f"its certificate.pem does not name {FAR}" in ended.err
    assert "it refuses this side's certificate.pem" in far.end().err
