"""PyFlink's job of experiment ``python_peers``: without end, in one process of Java's beside those of Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import functions
from pyflink.common import Configuration, Types, WatermarkStrategy
from pyflink.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from pyflink.datastream.connectors.base import Sink
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.java_gateway import get_gateway
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf


class Mean(KeyedProcessFunction):  # type: ignore[misc]
    """Of each key, so far; its state is one of Flink's."""

    def open(self, context: RuntimeContext) -> None:
        """Before all rows."""
        self.kept = context.get_state(ValueStateDescriptor("kept", Types.TUPLE([Types.LONG(), Types.DOUBLE()])))

    def process_element(self, value: int, context: Any) -> Iterator[float]:
        """A row of the key."""
        kept, mean = functions.mean(self.kept.value(), float(value % 101))
        self.kept.update(kept)
        yield mean


def by_key(configuration: Configuration, keys: int) -> None:
    """A mean for each row."""
    environment = StreamExecutionEnvironment.get_execution_environment(configuration)
    numbers = environment.from_source(NumberSequenceSource(0, 1 << 50), WatermarkStrategy.no_watermarks(), "numbers")
    means = numbers.key_by(lambda n: n * 2_654_435_761 % keys, Types.LONG()).process(Mean(), Types.DOUBLE())
    discarding = get_gateway().jvm.org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink()
    means.sink_to(Sink(discarding))
    environment.execute("mean by key")


def by_column(configuration: Configuration, work: str) -> None:
    """A value for each row."""
    tables = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode()
                                     .with_configuration(configuration).build())
    if work == functions.ONE_BY_ONE:
        _one_by_one(tables)
        return
    if work == "by row":
        called = udf(functions.by_row, result_type=DataTypes.DOUBLE())
    else:
        import pandas

        def series(a: Any, b: Any) -> Any:
            return pandas.Series(functions.by_array(a, b))
        called = udf(series, result_type=DataTypes.DOUBLE(), func_type="pandas")
    tables.create_temporary_system_function("the_function", called)
    columns = "".join(f", 'fields.{name}.min' = '0', 'fields.{name}.max' = '100'" for name in "ab")
    tables.execute_sql(f"CREATE TABLE pairs (a DOUBLE, b DOUBLE) WITH ('connector' = 'datagen', "
                       f"'rows-per-second' = '1000000000'{columns})")
    tables.execute_sql("CREATE TABLE results (f DOUBLE) WITH ('connector' = 'blackhole')")
    tables.execute_sql("INSERT INTO results SELECT the_function(a, b) FROM pairs").wait()


def _one_by_one(tables: TableEnvironment) -> None:
    """Rows at a rate, with the time at which the source made them, to the millisecond."""
    def aged(made: str, a: float, b: float) -> float:
        return float(functions.aged(datetime.fromisoformat(made).replace(tzinfo=UTC).timestamp(), a, b))
    tables.get_config().set("table.local-time-zone", "UTC")
    tables.create_temporary_system_function("the_aged_function", udf(aged, result_type=DataTypes.DOUBLE()))
    columns = "".join(f", 'fields.{name}.min' = '0', 'fields.{name}.max' = '100'" for name in "ab")
    tables.execute_sql("CREATE TABLE paced (a DOUBLE, b DOUBLE, "
                       "made AS DATE_FORMAT(CURRENT_TIMESTAMP, 'yyyy-MM-dd HH:mm:ss.SSS')) WITH ('connector' = 'datagen', "
                       f"'rows-per-second' = '{functions.RATE_PER_S}'{columns})")
    tables.execute_sql("CREATE TABLE results (f DOUBLE) WITH ('connector' = 'blackhole')")
    tables.execute_sql("INSERT INTO results SELECT the_aged_function(made, a, b) FROM paced").wait()


def main() -> None:
    """Until it is killed."""
    work, keys, mode = functions.words()
    configuration = Configuration()
    configuration.set_string("python.execution-mode", mode)
    configuration.set_string("python.executable", sys.executable)
    configuration.set_string("python.client.executable", sys.executable)
    configuration.set_string("python.files", str(Path(functions.__file__)))
    configuration.set_string("parallelism.default", "1")
    if work == "mean by key":
        by_key(configuration, keys)
    else:
        by_column(configuration, work)


main()
