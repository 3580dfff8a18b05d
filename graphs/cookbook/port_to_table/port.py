"""Frames of a serial port, ``$boiler,82.5*5C``: behind the star is the exclusive or of what is before it."""

from functools import reduce
from operator import xor
from pathlib import Path


class Frames:
    """Reads a recording of the port. With pyserial, ``serial.Serial(path)`` would take the place of the file."""

    def open(self, context):
        """``context.options`` has what the graph says."""
        self.file = Path(__file__).with_name(context.options["path"]).open("rb")

    def rows(self):
        """A tuple for each sound frame."""
        while line := self.file.readline():
            text, _, check = line.decode().strip().removeprefix("$").partition("*")
            if check == f"{reduce(xor, text.encode(), 0):02X}":
                machine, celsius = text.split(",")
                yield machine, float(celsius)

    def position(self):
        """Where the file was read to."""
        return self.file.tell()

    def seek(self, position):
        """Goes on there."""
        self.file.seek(position)

    def close(self):
        """The job has ended."""
        self.file.close()
