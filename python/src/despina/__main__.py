"""The command ``despina``, and ``python -m despina``."""

from __future__ import annotations

import os


def main() -> None:
    """Runs the command and exits with its code; a Ctrl-C while Python still reads modules ends it without a stack trace."""
    try:
        from despina import cli
        cli.main()
    except KeyboardInterrupt:
        os._exit(130)       # nothing has been started that would have to end


if __name__ == "__main__":
    main()
