def twice(celsius):
    return celsius * 2


def half(twice):
    return twice / 2
