"""Connects to the engine, opens the function, and answers batches until the engine closes its side."""

from __future__ import annotations

import faulthandler
import json
import signal
import sys

OLDEST = (3, 10)
UNFIT = 3


def main() -> int:
    """Serves one operator instance."""
    if sys.version_info < OLDEST:
        return refuse(f"{sys.executable} is Python {sys.version.split()[0]}: it must be 3.10 or newer")
    try:
        from despina_worker import life, service
    except ImportError as error:
        if error.name != "pyarrow":
            raise
        return refuse(f"{sys.executable} has no pyarrow: install it there with `{sys.executable} -m pip install pyarrow`")
    settings = json.loads(sys.stdin.buffer.readline())
    # Ctrl-C is the engine's affair, which ends this process by closing its standard input
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable(all_threads=False)
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    life.watch()
    return service.serve(settings)


def refuse(why: str) -> int:
    """Says it on standard error, where the engine reads the last lines of a worker that did not come up."""
    print(why, file=sys.stderr)
    return UNFIT


if __name__ == "__main__":
    sys.exit(main())
