import asyncio


async def looked_up(id, device):
    for _ in range(10 - id):
        await asyncio.sleep(0)
    return f"{device}/{id}"
