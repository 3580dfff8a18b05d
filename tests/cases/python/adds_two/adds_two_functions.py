def two(device, celsius, limit=2.0):
    return device.upper(), celsius > limit
