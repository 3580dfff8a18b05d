from decimal import Decimal


def shifted(id):
    return Decimal(id) / (8 if id % 2 else 4)
