"""Connects to the engine, opens the function, and answers batches until the engine closes its side.

Any Python can read this file, also one that is too old for the others, and says so.
"""

import sys

OLDEST = (3, 10)
UNFIT = 3
"""The exit code by which the engine knows that another process of this interpreter would do no better."""


def main():
    # type: () -> int
    """Serves one operator instance."""
    if sys.version_info < OLDEST:
        return refuse(sys.executable + " is Python " + sys.version.split()[0] + ": it must be 3.10 or newer")
    try:
        from despina_worker import life, service
    except ImportError as error:
        if error.name != "pyarrow":
            raise
        return refuse(sys.executable + " has no pyarrow: install it there with `" + sys.executable + " -m pip install pyarrow`")
    import faulthandler
    import json
    import signal

    settings = json.loads(sys.stdin.buffer.readline())
    # Ctrl-C is the engine's affair, which ends this process by closing its standard input
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable(all_threads=False)
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    life.watch()
    return service.serve(settings)


def refuse(why):
    # type: (str) -> int
    """Says it on standard error, where the engine reads the last lines of a worker that did not come up."""
    sys.stderr.write(why + "\n")
    return UNFIT


if __name__ == "__main__":
    sys.exit(main())
