import asyncio


class Parts:
    async def open(self, context):
        self.free = asyncio.Semaphore(int(context.options["at_once"]))

    async def process(self, id):
        async with self.free:
            for k in range(id % 3):
                await asyncio.sleep(0)
                yield id, k
