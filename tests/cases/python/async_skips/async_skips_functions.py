import asyncio


async def inverse(id):
    await asyncio.sleep(0)
    return 12 / (id - 3)
