"""What holds for all tests of the benchmarks."""

from __future__ import annotations

import os

from despina import archive

os.environ[archive.SWITCH] = "off"      # no test leaves a process behind that makes one
