"""Prints the table."""

import sqlite3

for machine, celsius in sqlite3.connect("plant.db").execute("SELECT * FROM hot"):
    print(machine, celsius)
