"""``python -m despina`` is the command ``despina``."""

from despina.cli import main

if __name__ == "__main__":
    main()
