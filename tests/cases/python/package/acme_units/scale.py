from acme_units import FACTOR


def halved(celsius):
    return celsius * FACTOR
