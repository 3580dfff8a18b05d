"""Asks a web service about each row."""

import httpx


class Owner:
    """One client for all calls, which keeps its connections."""

    async def open(self, context):
        """The client's time limit is less than the operator's `timeout_ms`, which is for a whole batch."""
        self.client = httpx.AsyncClient(base_url=context.options["url"], timeout=10, trust_env=False)

    async def process(self, machine):
        """What the service knows of a machine, which may be nothing. Any other answer raises, and the row is a bad record."""
        answer = await self.client.get(f"/machines/{machine}")
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None, None
        found = answer.raise_for_status().json()
        return found["owner"], found["limit"]

    async def close(self):
        """The job has ended."""
        await self.client.aclose()
