"""Certificates of this machine's own address, which nobody else has signed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def certificate(folder: Path, name: str = "") -> Path:
    """Makes ``NAMEcertificate.pem`` and its ``NAMEkey.pem``; skips the test where there is no openssl.

    :return: the certificate
    """
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    made = folder / f"{name}certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                    "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                    str(folder / f"{name}key.pem"), "-out", str(made)], check=True, stderr=subprocess.DEVNULL)
    return made
