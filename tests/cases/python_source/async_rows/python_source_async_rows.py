import asyncio


async def rows():
    for k in range(6):
        await asyncio.sleep(0)
        yield (k,)
