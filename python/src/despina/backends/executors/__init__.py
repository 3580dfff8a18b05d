"""The engine in the executors of a Spark application: a resource in each, and the coordinator in the driver's JVM."""

from despina.backends.executors.driver import engine
from despina.backends.executors.session import is_started, session

__all__ = ["engine", "is_started", "session"]
