"""Functions of ``async def``: they run in one event loop, and many calls wait at once."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from despina_worker.errors import WRONG

if TYPE_CHECKING:
    import asyncio


class Raised(NamedTuple):
    """In place of what a call returns: what it raised."""

    error: BaseException


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The one of this process: what a class has opened in it, such as a client of HTTP, is used in it."""
    import asyncio  # a tenth of a process's start, which few functions need

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop


def is_async(user: Any) -> bool:
    """Whether a call of it is to be waited for."""
    return inspect.iscoroutinefunction(user) or inspect.isasyncgenfunction(user)


def waited(user: Any) -> Any:
    """An ``async def`` as a function that returns when it has; one that yields returns an iterator. Others as they are."""
    if not is_async(user):
        return user

    def called(*arguments: Any) -> Any:
        returned = _loop().run_until_complete(_returned(user, arguments))
        return iter(returned) if inspect.isasyncgenfunction(user) else returned
    return called


def all_of(user: Callable[..., Any], rows: Sequence[tuple[Any, ...]], at_once: int,
           taken: Callable[[Any], Any] | None = None) -> list[Any]:
    """Calls an ``async def`` with each row, and so many at once.

    :param taken: what is done with what a call has returned

    :return: what each has returned, in the order of the rows; a list of one that yields, and :class:`Raised` of one that raises
    """
    import asyncio

    found: list[Any] = [None] * len(rows)

    async def lane() -> None:
        for k in numbers:
            try:
                returned = await _returned(user, rows[k])
                found[k] = returned if taken is None else taken(returned)
            except (*WRONG, asyncio.CancelledError) as error:       # nobody but the function itself cancels here
                found[k] = Raised(error)

    async def lanes() -> None:
        await asyncio.gather(*(lane() for _ in range(min(at_once, len(rows)))))

    numbers = iter(range(len(rows)))
    _loop().run_until_complete(lanes())
    return found


def each_of(made: AsyncIterator[Any]) -> Iterator[Any]:
    """What an asynchronous iterator gives, one by one."""
    while True:
        try:
            yield _loop().run_until_complete(_next(made))
        except StopAsyncIteration:
            return


async def _next(made: AsyncIterator[Any]) -> Any:
    return await anext(made)


async def _returned(user: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    if inspect.isasyncgenfunction(user):
        return [each async for each in user(*arguments)]
    return await user(*arguments)
