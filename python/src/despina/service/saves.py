"""What is known of a save: of a graph or a deployment that a service keeps. Clients and the service share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["graph", "deployment"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Save:
    """When a revision was made, by whom, and why.

    :ivar revision: counts the saves of that name, from 1 on
    :ivar at_ms: milliseconds since 1970
    :ivar who: the name of the token; empty if it came into the folder in another way
    """

    name: str
    revision: int
    at_ms: int
    who: str
    comment: str
