import asyncio


async def write(id):
    await asyncio.sleep(0)
